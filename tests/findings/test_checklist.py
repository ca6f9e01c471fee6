"""What the papers ask to be reported with every score."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.studies._residuals import choose_residual

MADE = pw.simulate(systems=8, topics=12, depth=40, rng=3)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)


def test_the_numbers_are_those_of_their_makers() -> None:
    """Mean, range, list length, judged share and residual at .98 are found by other functions."""
    facts = pw.workflows.checklist(MADE.judgments, MADE.runs, "AP")["AP"]
    table = pw.score(EVIDENCE, "AP")
    columns = facts.columns()
    assert columns["mean"] == table.means().tolist()
    assert (columns["lower"], columns["upper"]) == tuple(e.tolist() for e in table.mean_bounds())
    shares = [
        [
            np.mean([d in MADE.judgments.to_dict()[t] for d in MADE.runs.ranking(s, t)])
            for t in MADE.runs.topics
        ]
        for s in MADE.runs.systems
    ]
    assert columns["judged"] == pytest.approx(np.mean(shares, axis=1))
    assert columns["judged_least"] == pytest.approx(np.min(shares, axis=1))
    assert columns["least_topic"] == [MADE.runs.topics[t] for t in np.argmin(shares, axis=1)]
    residuals = pw.RBP(p=0.98).residual(EVIDENCE).mean(axis=1)
    assert columns["residual"] == pytest.approx(residuals)
    assert columns["list_length"] == [40] * 8


def test_everything_that_is_asked_for_is_said() -> None:
    """Depth, the worst topic, residual, pool, and the p values with their family."""
    compared = pw.compare(MADE.judgments, MADE.runs, "AP", draws=0)
    facts = pw.workflows.checklist(MADE.judgments, MADE.runs, "AP", compared=compared)["AP"]
    depth, worst, residual, pool, tests = facts.sentences()
    assert depth == "AP looks at whole lists, here of up to 40 documents."
    assert worst.startswith("At worst, ")
    assert residual.startswith("The residual of RBP(p=0.98) is ")
    assert pool.startswith("Pool: ")
    assert tests == (
        "The p values are by paired t test, two-sided; Holm; all pairs of 8 systems: 28 "
        "comparisons."
    )


def test_few_runs_match_no_persistence() -> None:
    """Every persistence orders two runs alike: the smallest would have a residual of almost 0."""
    two = EVIDENCE.select(EVIDENCE.systems[:2])
    chosen = choose_residual(two, pw.AP, "matched")
    assert chosen.rbp == pw.RBP(p=0.98)
    (said,) = chosen.remarks
    assert "persistences from 0.5 to 0.999 order them equally well" in said
    alone = choose_residual(EVIDENCE.select(EVIDENCE.systems[:1]), pw.AP, "matched")
    assert alone.rbp.p == 0.98


def test_many_runs_match_one() -> None:
    """From 16 runs on the persistence is matched, and those that are as good are named."""
    made = pw.simulate(systems=16, topics=20, depth=100, rng=3)
    evidence = pw.align(made.judgments, made.runs)
    match = pw.studies.match_persistence(evidence, "AP")
    chosen = choose_residual(evidence, pw.AP, "matched")
    assert chosen.rbp == match.rbp
    low, high = match.tied
    best = match.correlations >= np.nanmax(match.correlations) - 1e-12
    assert (low, high) == (match.persistences[best].min(), match.persistences[best].max())
    assert (f"up to p={high:g}" in chosen.remarks[0]) == (high > low)


@pytest.mark.parametrize("given", ["0.98", 0.98])
def test_a_persistence_may_be_named(given: str | float) -> None:
    """A number is taken as it is, in text too, without a remark."""
    assert choose_residual(EVIDENCE, pw.AP, given) == (pw.RBP(p=0.98), ())


@pytest.mark.parametrize("given", ["nearest", "1", 0.0, "nan"])
def test_what_is_no_persistence_is_refused(given: str | float) -> None:
    """The hint names one that may stand there."""
    with pytest.raises(pw.OptionError, match=r"between 0 and 1; got .* Hint: use 0.98"):
        choose_residual(EVIDENCE, pw.AP, given)
