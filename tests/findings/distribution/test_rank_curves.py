"""Weights of ranks against D10 §3.1, and precision by recall against W10 fig. 3.3."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import MeasureError, OptionError


def test_d10_shares_of_weight_past_the_pool() -> None:
    """D10 §3.1: 82% of DCG's weight, half a percent of RBP 0.95's, and 77% of RBP 0.9977's."""
    weighting = pw.findings.rank_weights(["DCG(dcg='jk')", "RBP(p=0.95)", "RBP(p=0.9977)"])
    assert weighting.past == pytest.approx([0.82, 0.005, 0.77], abs=0.006)


def test_what_lies_past_a_rank_is_what_remains() -> None:
    """The weight of RBP past rank k is p to the k."""
    columns = pw.findings.rank_weights(["RBP(p=0.5)"], depth=40, judged=10).columns()
    assert columns["past"][:10] == pytest.approx([0.5**k for k in range(1, 11)])


def test_weights_must_depend_on_the_rank_alone() -> None:
    """AP weighs a rank by what is above it."""
    with pytest.raises(MeasureError, match="Hint"):
        pw.findings.rank_weights(["AP"])
    with pytest.raises(OptionError, match="Hint"):
        pw.findings.rank_weights(depth=10, judged=20)


def test_curves_are_means_over_topics() -> None:
    """Each point is the mean of IPrec, which trec_eval has."""
    made = pw.simulate(systems=3, topics=6, depth=30, rng=2)
    evidence = pw.align(made.judgments, made.runs)
    curve = pw.findings.recall_precision(evidence, recall=[0, 0.5])
    expected = [pw.score(evidence, f"IPrec@{level}").means() for level in (0, 0.5)]
    assert curve.precision == pytest.approx(np.array(expected).T)
    with pytest.raises(OptionError, match="Hint"):
        pw.findings.recall_precision(evidence, recall=[])
