"""The larger the persistence of RBP, the more of its weight is on unjudged documents."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw

MADE = pw.simulate(systems=5, topics=4, depth=30, rng=2)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)


@given(p=st.floats(0.01, 0.99))
def test_scores_and_residuals_are_those_of_rbp(p: float) -> None:
    """Every persistence has the scores that RBP has, and the residuals."""
    uncertainty = pw.studies.rbp_uncertainty(EVIDENCE, [p])
    np.testing.assert_array_equal(uncertainty.scores[0], pw.RBP(p=p).score(EVIDENCE))
    np.testing.assert_array_equal(uncertainty.residuals[0], pw.RBP(p=p).residual(EVIDENCE))
    assert (uncertainty.scores + uncertainty.residuals <= 1 + 1e-12).all()


def test_columns_hold_means_and_boxes() -> None:
    """A box has the quartiles of all runs and topics together."""
    uncertainty = pw.studies.rbp_uncertainty(EVIDENCE, [0.9, 0.5])
    columns = uncertainty.columns()
    assert columns["p"] == [0.5, 0.9]
    assert columns["expected_depth"] == pytest.approx([2, 10])
    scores = pw.RBP(p=0.9).score(EVIDENCE)
    assert columns["score_mean"][1] == pytest.approx(scores.mean())
    assert columns["score_quarter"][1] == pytest.approx(np.quantile(scores, 0.25))
    assert columns["residual_highest"][1] == pw.RBP(p=0.9).residual(EVIDENCE).max()


def test_it_may_be_that_more_is_known_everywhere() -> None:
    """Where all that counts is judged, no persistence has more residual than score."""
    uncertainty = pw.studies.rbp_uncertainty(pw.Evidence.from_grades([[1] * 50]), [0.5, 0.9])
    assert np.isnan(uncertainty.crossing)
    assert uncertainty.sentences()[0].startswith("At every p that was tried")


def test_a_persistence_lies_between_0_and_1() -> None:
    """RBP with p = 1 would look at nothing but the end of a list."""
    with pytest.raises(pw.errors.OptionError, match="between 0 and 1"):
        pw.studies.rbp_uncertainty(EVIDENCE, [1.0])


def test_on_trec_8_the_residual_passes_the_score_near_the_depth_of_the_pool(data_dir: Path) -> None:
    """U18 §3.2: at φ ≈ 0.99, an expected depth of about 100, as deep as the pool."""
    evidence = pw.align(
        pw.read_judgments(data_dir / "trec8" / "qrels.gz"),
        pw.read_runs(data_dir / "trec8" / "runs", ties="rank"),
    )
    tried = [0.98, 0.985, 0.988, 0.99, 0.992, 0.995]
    uncertainty = pw.studies.rbp_uncertainty(evidence, tried)
    assert 0.985 < uncertainty.crossing < 0.995
