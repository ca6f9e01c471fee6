"""Precision and recall over the relevant documents."""

import numpy as np
import pytest
from tests.each import over
from tests.examples import example

from poolwise import AP, SP, AvgIPrec, Evidence, IPrec, Measure, Q, R, Rprec, aAP, nP


def test_average_precision_by_hand() -> None:
    """AP divides by all relevant documents, aAP@k by what the top k can hold."""
    evidence = Evidence.from_grades([[1, 0, 1, 1]], judged=[1] * 5)
    precisions = [1, 2 / 3, 3 / 4]
    assert AP.score(evidence).item() == pytest.approx(sum(precisions) / 5)
    assert (AP @ 3).score(evidence).item() == pytest.approx(sum(precisions[:2]) / 5)
    assert (aAP @ 3).score(evidence).item() == pytest.approx(sum(precisions[:2]) / 3)
    assert (SP @ 3).score(evidence).item() == pytest.approx(sum(precisions[:2]))


def test_recall_and_relative_precision_by_hand() -> None:
    """R@k divides by R, nP@k by min(k, R)."""
    evidence = Evidence.from_grades([[1, 0, 1, 1]], judged=[1] * 5)
    assert (R @ 3).score(evidence).item() == pytest.approx(2 / 5)
    assert R.score(evidence).item() == pytest.approx(3 / 5)
    assert (nP @ 3).score(evidence).item() == pytest.approx(2 / 3)
    assert (nP @ 10).score(evidence).item() == pytest.approx(3 / 5)


def test_r_precision_by_hand() -> None:
    """Rprec looks at R ranks, at a multiple of them if asked, and short lists count in full."""
    evidence = Evidence.from_grades([[1, 0, 1, 1], [1]], judged=[1] * 3)
    assert Rprec.score(evidence).ravel() == pytest.approx([2 / 3, 1 / 3])
    assert Rprec(mult=2).score(evidence).ravel() == pytest.approx([3 / 6, 1 / 6])


def test_the_relevance_level_decides_what_is_relevant() -> None:
    """With rel=2, grade 1 is neither found nor wanted."""
    evidence = Evidence.from_grades([[1, 2, 0, 3]], judged=[1, 2, 3, 3])
    assert AP(rel=2).score(evidence).item() == pytest.approx((1 / 2 + 2 / 4) / 3)


def test_grades_may_be_fractions() -> None:
    """A relevance level between the integers is compared as a number."""
    evidence = example("grades that are no integers")
    assert R(rel=0.5).score(evidence).item() == 1
    assert (R(rel=0.5) @ 3).score(evidence).item() == 1 / 2
    assert (R(rel=1.5) @ 3).score(evidence).item() == 0


@over("measure", [AP, R, Rprec, aAP @ 5, nP @ 5], ids=repr)
def test_without_relevant_documents_there_is_no_score(measure: Measure) -> None:
    """A topic without relevant documents is undefined, which is not 0."""
    scores = measure.score(example("one topic without relevant"))
    assert np.isnan(scores[0, 0])
    assert not np.isnan(scores[0, 1])
    assert measure.undefined


def test_a_missing_topic_scores_zero() -> None:
    """A run without an answer scores 0 where others could score."""
    assert AP.score(example("a run lacks a topic"))[1, 0] == 0


def test_q_by_hand() -> None:
    """Each relevant rank counts (relevant + gain) / (rank + ideal gain) so far."""
    evidence = Evidence.from_grades([[0, 1, 3]], judged=[3, 1, 1, 0])
    # Ideal gains 3 1 1: cumulated 3 4 5.
    assert Q.score(evidence).item() == pytest.approx(((1 + 1) / (2 + 4) + (2 + 4) / (3 + 5)) / 3)
    assert (Q @ 2).score(evidence).item() == pytest.approx((1 + 1) / (2 + 4) / 2)


def test_without_gain_q_is_average_precision() -> None:
    """With beta = 0 only the counts are left."""
    evidence = Evidence.from_grades([[0, 1, 3, 0, 2]], judged=[3, 2, 1, 1, 0])
    assert Q(beta=0).score(evidence).item() == pytest.approx(AP.score(evidence).item())


def test_bounds_of_a_judged_list_are_its_score() -> None:
    """With nothing unjudged the bounds meet."""
    evidence = Evidence.from_grades([[0, 1, 3, 0, 2]], judged=[3, 2, 1, 1, 0])
    lower, upper = Q.bounds(evidence)
    assert lower.item() == upper.item() == pytest.approx(Q.score(evidence).item())


def test_the_best_precision_further_down_counts() -> None:
    """Precision at a recall is the best at or past it, 0 where it is not reached."""
    evidence = Evidence.from_grades([[0, 0, 1, 1, 1]], judged=[1] * 4)
    assert [(IPrec @ x).score(evidence).item() for x in (0, 0.5, 0.75, 1)] == [0.6, 0.6, 0.6, 0]


def test_versions_of_trec_eval_round_differently() -> None:
    """Of x·R documents, version 9 adds 0.9 and cuts, and version 10 rounds."""
    evidence = Evidence.from_grades([[1, 0, 0]], judged=[1] * 3)
    assert (IPrec @ 0.5).score(evidence).item() == 0  # 2.4 documents, cut to 2
    assert (IPrec(version=10) @ 0.5).score(evidence).item() == 0  # 1.5, rounded to 2
    assert (IPrec @ 0.4).score(evidence).item() == 0  # 2.1, cut to 2
    assert (IPrec(version=10) @ 0.4).score(evidence).item() == 1  # 1.2, rounded to 1
    assert AvgIPrec.score(evidence).item() == pytest.approx(4 / 11)
    assert AvgIPrec(version=10).score(evidence).item() == pytest.approx(5 / 11)
