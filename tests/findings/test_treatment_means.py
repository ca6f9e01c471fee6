"""Means by treatment of the unjudged documents."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings._treatment_means import (
    BOUNDS_ROW,
    PLAUSIBLE_ROW,
    TreatmentMeans,
    draw_topics,
)
from poolwise.scores.treatments._treatments import draw_scores

MADE = pw.simulate(systems=14, topics=8, depth=40, groups=12, rng=3)
EVIDENCE = pw.align(judgments=MADE.judgments, runs=MADE.runs)


def estimates(measure: str, seed: int = 1) -> TreatmentMeans:
    """Return the estimates of a report."""
    treated = pw.report(MADE.judgments, MADE.runs, [measure], rng=seed)[measure].estimates
    assert treated is not None
    return treated


def test_points_are_those_of_estimate_all() -> None:
    """Where a treatment has a name of estimate_all, it has its mean, too."""
    treated = estimates("nDCG@10")
    names = list(treated.means)
    treatments = names
    tables = dict(zip(names, pw.scores.estimate_all(
        EVIDENCE, "nDCG@10", treatments=treatments
    ).scores.values(), strict=True))  # fmt: skip
    for name in names:
        at = [tables[name].systems.index(run) for run in treated.systems]
        assert treated.means[name].tolist() == tables[name].means()[at].tolist()
    assert names == ["model", "nonrelevant", "condensed", "bootstrap", "bias-systems"]


def test_plausible_means_lie_within_the_bounds() -> None:
    """What the model holds for plausible is possible, and the estimate lies in the middle of it."""
    treated = estimates("P@10")
    assert (treated.lower <= treated.model_low + 1e-12).all()
    assert (treated.model_low <= treated.means["model"]).all()
    assert (treated.means["model"] <= treated.model_high).all()
    assert (treated.model_high <= treated.upper + 1e-12).all()
    assert (treated.model_low < treated.model_high).any()
    assert "left out in turn" in treated.calibration


def test_the_seed_decides_the_draws_and_nothing_else() -> None:
    """The same seed gives the same numbers, another one others where grades are drawn."""
    first, same, other = estimates("P@10"), estimates("P@10"), estimates("P@10", 2)
    assert first.columns()["mean"] == pytest.approx(same.columns()["mean"], nan_ok=True)
    assert first.model_high.tolist() != other.model_high.tolist()
    assert first.means["condensed"].tolist() == other.means["condensed"].tolist()
    assert ("seed", 2) in other.provenance.options


def test_rows_are_means_or_ranges() -> None:
    """One row per run and treatment, and one for each range."""
    treated = estimates("P@10")
    columns = treated.columns()
    rows = list(zip(columns["run"], columns["treatment"], strict=True))
    names = [*treated.means, BOUNDS_ROW, PLAUSIBLE_ROW]
    assert rows == [(run, name) for run in treated.systems for name in names]
    ranges = np.isin(columns["treatment"], [BOUNDS_ROW, PLAUSIBLE_ROW])
    assert np.isnan(columns["mean"]).tolist() == ranges.tolist()
    assert np.isnan(columns["low"]).tolist() == (~ranges).tolist()


def test_what_a_measure_does_not_allow_is_said() -> None:
    """AP without a cut-off looks below the pool, so the bootstrap is left out."""
    treated = estimates("AP")
    assert set(treated.refused) == {"bootstrap"}
    (said,) = treated.refusals()
    assert said.startswith("The treatment bootstrap is left out: treatment: ")
    assert "Hint: " in said


def test_the_widest_range_is_named() -> None:
    """The run whose mean is most open, with both ends."""
    made = pw.simulate(systems=8, topics=8, depth=40, unpooled=3, rng=3)
    treated = pw.report(made.judgments, made.runs, ["P@10"])["P@10"].estimates
    assert treated is not None
    widths = treated.upper - treated.lower
    assert widths.min() < widths.max()
    at = int(np.argmax(widths))
    (said,) = treated.widest()
    assert said.startswith(f"What {treated.systems[at]} scores by P@10 ")
    assert f"between {treated.lower[at]:.3f} and {treated.upper[at]:.3f} " in said


def test_several_tables_make_the_same_finding() -> None:
    """Estimates side by side become means, with bounds where the exact ones are among them."""
    both = pw.scores.estimate_all(EVIDENCE, "P@10", treatments=["condensed", "exact"])
    treated = TreatmentMeans.of(both)
    order = both.scores["condensed"].order()
    assert treated.systems == tuple(EVIDENCE.systems[s] for s in order)
    assert treated.means["nonrelevant"].tolist() == both.scores["exact"].means()[order].tolist()
    assert treated.upper.tolist() == both.scores["exact"].mean_bounds()[1][order].tolist()
    assert treated.affected_sentence() == ()
    without = TreatmentMeans.of(pw.scores.estimate_all(EVIDENCE, "P@10", treatments=["condensed"]))
    assert without.ranges() == {}
    assert without.widest() == ()


FEW = pw.simulate(systems=4, topics=12, depth=30, rng=2)
FEW_RUNS = pw.align(FEW.judgments, FEW.runs)


@pytest.mark.parametrize("measure", ["nDCG@10", "P@5", "RR@5", "AP@10"])
def test_a_topic_has_the_draws_that_it_has_beside_all_others(measure: str) -> None:
    """Shares, single scores and provenance are those of drawing grades for every topic."""
    drawn = draw_topics(FEW_RUNS, measure, run="maverick-1", most=4, draws=50, rng=3)
    assert len(drawn.topics) == 4
    for scores in drawn.topics:
        whole = draw_scores(
            FEW_RUNS.select(["maverick-1"]),
            measure,
            run="maverick-1",
            topic=scores.topic,
            draws=50,
            rng=3,
        )
        assert scores.columns() == whole.columns()
        assert (scores.plain, scores.condensed, scores.highest) == (
            whole.plain,
            whole.condensed,
            whole.highest,
        )
        assert scores.provenance == whole.provenance
