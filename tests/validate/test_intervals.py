"""What the tables of coverage say, on fewer samples."""

from validate.intervals import (
    coverage_of_correlations,
    coverage_of_deviations,
    coverage_of_differences,
)


def test_intervals_cover_where_their_suppositions_hold() -> None:
    """With 25 topics of a normal population every interval covers 91% to 98% of the truths."""
    table = coverage_of_differences(sizes=(25,), trials=600, resamples=399)
    normal = dict(zip((c.title for c in table.columns), table.rows[0], strict=True))
    names = list(normal)[2:]
    assert all(0.9 <= float(str(normal[name])) <= 0.985 for name in names)
    assert all(float(str(normal[name])) >= 0.93 for name in ("t", "randomization", "studentized"))


def test_intervals_of_correlations_cover_and_hold_their_estimates() -> None:
    """In every setting, of the same topics and of others."""
    table = coverage_of_correlations(trials=60, resamples=100)
    assert all(float(str(row[3])) >= 0.85 and row[4] == 1 for row in table.rows)


def test_upper_deviations_are_as_sure_as_they_say() -> None:
    """By chi-squared 95% of normal trials, by W10's normal approximation fewer."""
    table = coverage_of_deviations(sizes=(10, 30), trials=5000)
    for row in table.rows[:2]:
        assert 0.94 <= float(str(row[2])) <= 0.96
        assert float(str(row[3])) < 0.92
