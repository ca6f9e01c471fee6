"""What treats unjudged documents does so with those that a sample did not draw."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from poolwise import (
    Evidence,
    MeasureError,
    OptionError,
    align,
    compare_evidence,
    parse_measure,
    score,
    simulate,
)
from poolwise.evidence._pool_shape import find_pool
from poolwise.judging import draw_sample
from poolwise.scores._sampling_errors import sampling_errors
from poolwise.scores.treatments._estimates import estimate


class Sampled(NamedTuple):
    """A collection under complete judgments of its pool, and under a sample of these."""

    complete: Evidence
    sample: Evidence


@cache
def sampled(design: str) -> Sampled:
    """Return a simulated collection, of whose pool some documents were drawn."""
    made = simulate(systems=8, topics=20, depth=40, rng=2)
    everything = draw_sample(made.runs, "depths:30=1").graded(made.truth)
    drawn = draw_sample(made.runs, design).graded(made.truth)
    return Sampled(align(everything, made.runs), align(drawn, made.runs))


def test_the_depth_of_a_sampled_pool_is_that_of_its_universe() -> None:
    """A document that could have been drawn was pooled, though it has no grade."""
    complete, sample = sampled("depths:5=1,30=0.4")
    assert find_pool(sample).depth == find_pool(complete).depth == 30


def test_the_model_estimates_what_was_not_drawn() -> None:
    """Estimates by the model are nearer to the truth than plain scores, and said not calibrated."""
    complete, sample = sampled("depths:5=1,30=0.4")
    truth, plain = (score(e, "P@20").means() for e in (complete, sample))
    table = estimate(sample, "P@20", treatment="model(draws=50)")
    assert np.abs(table.means() - truth).max() < np.abs(plain - truth).min()
    assert table.over_judgments.over == "judgments"
    assert "judgments that are a sample" in table.over_judgments.meaning[0]


@pytest.mark.parametrize("design", ["depths:5=1,30=0.4", "rbp:20,depth=30"])
@pytest.mark.parametrize("measure", ["P@20", "nDCG@10", "RBP(p=0.8)"])
def test_ranges_hold_the_truth(design: str, measure: str) -> None:
    """The truth lies in the range that documents without a grade leave."""
    complete, sample = sampled(design)
    truth, table = score(complete, measure).value, score(sample, measure)
    assert (truth >= table.lower - 1e-12).all()
    assert (truth <= table.upper + 1e-12).all()


def test_condensed_lists_drop_what_was_not_drawn() -> None:
    """Condensed lists hold the documents drawn, and no others."""
    sample = sampled("depths:5=1,30=0.4").sample
    table = estimate(sample, "P@5", treatment="condensed")
    plain = score(sample, "P@5")
    assert (table.value >= plain.value - 1e-12).all()


def test_draws_complete_sampled_judgments() -> None:
    """A comparison by a plain measure draws grades for what was not sampled."""
    sample = sampled("depths:5=1,30=0.4").sample
    comparisons = compare_evidence(sample, "P@20", draws=10, baseline=sample.systems[0])
    assert comparisons.draws == 10
    assert len(np.unique(comparisons.drawn.difference[0])) > 1


def test_estimates_are_not_treated_twice() -> None:
    """An estimate from the sample has no condensed list, and no drawn grades."""
    sample = sampled("depths:5=1,30=0.4").sample
    with pytest.raises((OptionError, MeasureError), match="xinfAP"):
        estimate(sample, "xinfAP", treatment="condensed")
    with pytest.raises(OptionError, match="estimates what has no grade already"):
        estimate(sample, "HT(P@20)", treatment="model")


def test_measures_of_all_judgments_have_no_error_over_samples() -> None:
    """Only an estimate from a sample differs between samples."""
    assert sampling_errors(Evidence.from_grades([[1, 0]]), parse_measure("P@1")) is None
