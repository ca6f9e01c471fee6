"""Weighted precision with static weights."""

import numpy as np
import pytest
from tests.each import over
from tests.examples import example

from poolwise import DCG, INSQ, INST, RBP, SDCG, Evidence, P
from poolwise.errors import MeasureError
from poolwise.measures import persistence
from poolwise.measures.families._static_weights import StaticWeights


@over("measure", [RBP(p=0.3), RBP(p=0.95), INSQ, INSQ(T=3)], ids=repr)
@over("depth", [0, 1, 7, 1000, 3000])
def test_weights_and_tail_make_up_the_whole(measure: StaticWeights, depth: int) -> None:
    """The weights of all ranks, those past any depth included, sum to 1."""
    past = measure.weight_past(np.array(depth))
    assert measure.weights(depth).sum() + past == pytest.approx(1, abs=1e-12)


@over("measure", [P @ 10, RBP @ 10, SDCG @ 10, INSQ @ 10, DCG @ 10], ids=repr)
def test_there_is_no_weight_past_a_cutoff(measure: StaticWeights) -> None:
    """With a cut-off, ranks below it weigh nothing."""
    assert not measure.weights(20)[10:].any()
    assert not measure.tail(Evidence.from_grades([[1] * 10, [0, 1]])).any()


def test_the_tail_of_each_list_stands_apart_from_its_range() -> None:
    """A fully judged list of n documents has no range, and a tail of p^n."""
    evidence = Evidence.from_grades([[1, 0, 0], [1]], scale=[0, 1])
    lower, upper = RBP(p=0.9).bounds(evidence)
    assert (upper == lower).all()
    assert RBP(p=0.9).tail(evidence).ravel() == pytest.approx([0.9**3, 0.9])
    assert RBP(p=0.9).residual(evidence).ravel() == pytest.approx([0.9**3, 0.9])


def test_a_missing_topic_has_no_tail() -> None:
    """A list without documents has a range of 0 and no tail, and is all residual by U18 eq. 3."""
    evidence = Evidence.from_grades([[1, 0], []])
    assert [end[1].item() for end in RBP.bounds(evidence)] == [0, 0]
    assert RBP.tail(evidence)[1].item() == INST.tail(evidence)[1].item() == 0
    assert RBP.residual(evidence)[1].item() == 1


def test_the_tail_counts_where_its_weight_is_too_small_for_a_number() -> None:
    """A short list beside a very long one still has its residual."""
    evidence = Evidence.from_grades([[0] * 2000, [1]])
    assert RBP(p=0.5).tail(evidence).ravel() == pytest.approx([0, 0.5])


def test_nothing_lies_beyond_a_list_with_a_cutoff() -> None:
    """With a cut-off, the end of the list is the end of the matter."""
    evidence = Evidence.from_grades([[1, None]], scale=[0, 1])
    lower, upper = (P @ 10).bounds(evidence)
    assert (lower.item(), upper.item()) == pytest.approx((0.1, 0.2))


def test_graded_gains_are_scaled_by_the_collection() -> None:
    """Gains are grade / highest grade of the collection, not of the topic."""
    evidence = Evidence.from_grades([[1, 2]], scale=[0, 1, 2, 4])
    assert RBP(p=0.5, gain="linear").score(evidence).item() == pytest.approx(0.125 + 0.125)
    exponential = RBP(p=0.5, gain="exponential").score(evidence).item()
    assert exponential == pytest.approx(0.5 * 1 / 15 + 0.25 * 3 / 15)


def test_pooled_documents_are_unjudged() -> None:
    """A negative grade leaves a document open, like no grade."""
    lower, upper = (P @ 5).bounds(example("pooled, not judged"))
    assert (lower.item(), upper.item()) == pytest.approx((0.4, 0.8))


def test_scaled_dcg_is_dcg_over_the_best_top_k() -> None:
    """SDCG is DCG divided by that of k documents of the highest grade."""
    evidence = Evidence.from_grades([[2, 0, 1], [3, 3, 3]], scale=[0, 1, 2, 3])
    dcg = (DCG @ 3).score(evidence).ravel()
    np.testing.assert_allclose((SDCG @ 3).score(evidence).ravel(), dcg / dcg[1])


def test_full_gain_of_dcg_is_that_of_the_highest_grade() -> None:
    """An unjudged document may have the highest grade of the scale."""
    evidence = Evidence.from_grades([[None]], scale=[0, 1, 3])
    assert DCG(dcg="exp-log2").bounds(evidence).upper.item() == 7


@pytest.mark.parametrize(("residual", "depth"), [(0, 10), (1, 10), (0.1, 0)])
def test_persistence_checks_its_arguments(residual: float, depth: int) -> None:
    """A residual lies between 0 and 1, a depth is at least 1."""
    with pytest.raises(MeasureError, match="Hint"):
        persistence(residual, depth=depth)
