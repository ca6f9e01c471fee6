"""Changes of rankings over time: on their date, with who and how far (W10 §7.4.1)."""

from datetime import date, timedelta

import numpy as np
import pytest
from scipy import stats

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.similarity._changes import (
    StepSeries,
    find_steps,
    log_odds,
    shared_direction,
)
from poolwise.findings.similarity._run_similarity import overlap_at_topics

DAYS, QUERIES, DEPTH = 40, 30, 10
FIRST = date(2026, 1, 1)
SWITCH, GLITCH = 20, 30


def _day(day: int) -> str:
    return (FIRST + timedelta(day)).isoformat()


def engines(seed: int, *, changed: bool) -> pw.Runs:
    """Return three engines that drift; one takes another's results, and one has a glitch."""
    rng = np.random.default_rng(seed)
    lists = {}
    for i, name in enumerate(("one", "two", "three")):
        flips = rng.random((DAYS, QUERIES, DEPTH)) < rng.uniform(0.02, 0.1, (DAYS, 1, 1))
        lists[name] = (i * DEPTH + np.arange(DEPTH)) * 2 + flips.cumsum(axis=0) % 2
    if changed:
        lists["two"][SWITCH:] = lists["one"][SWITCH:]
        lists["three"][GLITCH] += 1000
    return pw.Runs.from_rankings(
        {
            f"{name}.{_day(d)}": {
                f"q{q}": of_engine[d, q].astype(str).tolist() for q in range(QUERIES)
            }
            for name, of_engine in lists.items()
            for d in range(DAYS)
        }
    )


@pytest.fixture(scope="module")
def found() -> pw.studies.SimilarityOverTime:
    """Study three engines of which two change."""
    return pw.studies.similarity_over_time(engines(1, changed=True), ends=3)


def test_a_switch_and_a_glitch_are_named_with_their_dates(
    found: pw.studies.SimilarityOverTime,
) -> None:
    """The engine, the pair that began to agree, and the day without results of its own."""
    named = {(c.kind, c.system, c.other, c.date) for c in found.changes}
    assert ("change", "two", "", _day(SWITCH)) in named
    assert ("change", "one", "two", _day(SWITCH)) in named
    assert ("glitch", "three", "", _day(GLITCH)) in named
    assert {c.date for c in found.changes} == {_day(SWITCH), _day(GLITCH)}


def test_levels_before_and_after_are_means_of_the_days(
    found: pw.studies.SimilarityOverTime,
) -> None:
    """The pair's RBO is 0 before the switch and 1 from then on."""
    (pair,) = (c for c in found.changes if (c.system, c.other) == ("one", "two"))
    level = {day: rbo for a, b, day, rbo in found.between if (a, b) == ("one", "two")}
    days = sorted(level)
    assert pair.before == pytest.approx(np.mean([level[d] for d in days[:SWITCH]]), abs=1e-9)
    assert pair.after == pytest.approx(np.mean([level[d] for d in days[SWITCH:]]), abs=1e-9)
    assert len(pair.queries) == QUERIES
    assert "began to agree on 2026-01-21" in pair.words()


def test_an_engine_s_change_says_what_is_usual(found: pw.studies.SimilarityOverTime) -> None:
    """Before is the median of its daily RBO, after that of the date with the one before."""
    (own,) = (c for c in found.changes if c.system == "two" and not c.other)
    steps = {day: rbo for s, day, rbo in found.steps if s == "two"}
    assert own.after == pytest.approx(steps[_day(SWITCH)])
    assert own.before == pytest.approx(np.median(list(steps.values())))
    assert own.rate <= found.alarms


def test_drift_alone_is_no_change() -> None:
    """Three engines that only drift have no date that stands out."""
    still = pw.studies.similarity_over_time(engines(2, changed=False))
    assert still.changes == ()
    assert "No date stands out" in " ".join(still.sentences())


def test_programs_see_the_changes(found: pw.studies.SimilarityOverTime) -> None:
    """The rows of steps and pairs carry them."""
    columns = found.columns()
    marked = [i for i, kind in enumerate(columns["change"]) if kind]
    assert len(marked) == len(found.changes)
    assert {columns["date"][i] for i in marked} == {_day(SWITCH), _day(GLITCH)}


def test_ends_are_tested_by_two_samples(found: pw.studies.SimilarityOverTime) -> None:
    """W10 §7.4.1: a two-sample, two-tailed t test over the queries of each engine."""
    runs = engines(1, changed=True)
    ends = {}
    for name in ("one", "three"):
        pairs = [
            (f"{name}.{_day(a)}", f"{name}.{_day(b)}")
            for a in range(3)
            for b in range(DAYS - 3, DAYS)
        ]
        ends[name] = np.mean([pw.findings.run_overlap(runs, *pair).ext for pair in pairs], axis=0)
    t, p = stats.ttest_ind(ends["one"], ends["three"])
    (test,) = (x for x in found.ends_tests if (x.system, x.other) == ("one", "three"))
    assert (test.t, test.pvalue) == (pytest.approx(t), pytest.approx(p))
    assert test.difference == pytest.approx(ends["one"].mean() - ends["three"].mean())


def test_deviations_divide_by_one_less() -> None:
    """W10 table 7.4: the sd over time of each query, with divisor n − 1, averaged."""
    runs = engines(1, changed=True)
    over_time = pw.studies.similarity_over_time(runs)
    names = [f"one.{_day(d)}" for d in range(DAYS)]
    steps = [pw.findings.run_overlap(runs, *names[d : d + 2]).ext for d in range(DAYS - 1)]
    assert over_time.deviation[0] == pytest.approx(np.std(steps, axis=0, ddof=1).mean())


def test_false_alarms_come_at_the_rate_that_is_asked_for() -> None:
    """Normal series with autocorrelation .5: expected are the alarms per engine-year."""
    rng, steps, engines_, rate = np.random.default_rng(5), 100, 300, 20.0
    series = []
    for i in range(engines_):
        drawn = rng.normal(size=steps)
        for t in range(1, steps):
            drawn[t] = 0.5 * drawn[t - 1] + np.sqrt(0.75) * drawn[t]
        series.append(StepSeries(f"e{i}", "", tuple(map(str, range(steps))), drawn))
    unusual, correlation = find_steps(series, days=engines_ * steps, allowed=rate)
    expected = rate * engines_ * steps / 365.25
    assert correlation["engines"] == pytest.approx(0.5, abs=0.06)
    seen = sum(int(unusual_steps.alarm.sum()) for unusual_steps in unusual)
    assert abs(seen - expected) < 3 * np.sqrt(expected)


def test_a_series_that_never_moves_has_no_alarm() -> None:
    """No step, no change; and one single step stands out."""
    days = tuple(map(str, range(20)))
    flat = StepSeries("a", "", days, np.zeros(20))
    jump = StepSeries("b", "", days, np.eye(20)[7])
    unusual, _ = find_steps([flat, jump], days=40, allowed=0.1)
    assert [unusual_steps.at.tolist() for unusual_steps in unusual] == [[], [7]]


def test_few_dates_are_not_tested() -> None:
    """With a handful of steps no usual one is known."""
    days = tuple(map(str, range(5)))
    unusual, _ = find_steps([StepSeries("a", "", days, np.eye(5)[2])], days=5, allowed=0.1)
    assert unusual == []


def test_steps_are_measured_as_they_are_defined() -> None:
    """Log odds of the distance for engines, t of the queries' changes for pairs."""
    overlap = np.array([[0.8, 0.9], [1.0, 1.0]])
    assert log_odds(overlap)[0] == pytest.approx(np.log(0.15 / 0.85))
    change = np.array([[0.1, 0.2, 0.4]])
    assert shared_direction(change)[0] == pytest.approx(stats.ttest_1samp(change[0], 0).statistic)


def test_overlaps_at_topics_are_those_of_pairs() -> None:
    """The block of a date gives what two runs give."""
    lists = {"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "w"]}, "c": {"2": ["z", "x"]}}
    runs = pw.Runs.from_rankings(lists)
    block = overlap_at_topics(runs, p=0.8)
    for i, first in enumerate(runs.systems):
        for j, second in enumerate(runs.systems):
            if i != j:
                overlap = pw.findings.run_overlap(runs, first, second, p=0.8).ext
                np.testing.assert_allclose(block[:, i, j], overlap)


def test_no_alarms_at_all_cannot_be_asked_for() -> None:
    """A rate of 0 would never name a change."""
    with pytest.raises(OptionError, match="alarms"):
        pw.studies.similarity_over_time(engines(1, changed=False), alarms=0)


def test_skewed_days_raise_as_many_alarms_as_are_accepted() -> None:
    """Days whose tail is exponential: about the rate, where normal limits call eight times it."""
    steps, engines_, rate = 128, 120, 1.0
    drawn = np.random.default_rng(6).gamma(2.0, size=(engines_, steps))
    days = tuple(map(str, range(steps)))
    series = [StepSeries(f"e{i}", "", days, values) for i, values in enumerate(drawn)]
    unusual, _ = find_steps(series, days=engines_ * steps, allowed=rate)
    expected = rate * engines_ * steps / 365.25
    seen = sum(int(unusual_steps.alarm.sum()) for unusual_steps in unusual)
    assert abs(seen - expected) < 3 * np.sqrt(expected)
    z = np.array([unusual_steps.series.standardized for unusual_steps in unusual])
    assert (z > stats.norm.isf(rate / 365.25)).sum() > 8 * expected


def test_a_pair_tells_which_of_two_changed_where_its_own_step_does_not() -> None:
    """The engine with the less usual step took the other's results; its rate is the pair's."""
    rng, days = np.random.default_rng(7), tuple(_day(d) for d in range(100))
    usual = {name: rng.normal(size=100) for name in ("one", "two")}
    usual["two"][60] = np.median(usual["two"]) + 3.2
    usual["one"][60] = 0.0
    together = rng.normal(size=100)
    alone = [StepSeries(name, "", days, values) for name, values in usual.items()]
    before, _ = find_steps(
        [*alone, StepSeries("one", "two", days, together)], days=200, allowed=0.1
    )
    assert not any(unusual_steps.alarm[60] for unusual_steps in before)
    together[60] = 40.0
    unusual, _ = find_steps(
        [*alone, StepSeries("one", "two", days, together)], days=200, allowed=0.1
    )
    one, two, pair = unusual
    assert (one.alarm[60], two.alarm[60], pair.alarm[60]) == (False, True, True)
    assert two.rate[60] == pair.rate[60] < 0.1
