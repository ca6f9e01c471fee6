"""Lists with the unjudged documents dropped or given an expected gain."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.whole_arrays import codes_of, documents_of

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import BEYOND, without_grade
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import condense, judged_prefix, pool_gain, weight_of

grades = st.one_of(st.none(), st.integers(0, 2))
rankings = st.lists(st.lists(grades, min_size=1, max_size=7), min_size=1, max_size=4)


@given(lists=rankings)
def test_condensing_keeps_judged_documents_in_order(lists: list[list[int | None]]) -> None:
    """A condensed list is the list of its judged documents."""
    condensed = condense(Evidence.from_grades(lists, judged=[0], scale=[0, 1, 2]))
    for codes, ranking in zip(codes_of(condensed)[:, 0], lists, strict=True):
        assert codes[codes != BEYOND].tolist() == [g for g in ranking if g is not None]
        assert (np.flatnonzero(codes != BEYOND) == np.arange((codes != BEYOND).sum())).all()


@given(lists=rankings)
def test_condensing_twice_changes_nothing(lists: list[list[int | None]]) -> None:
    """A condensed list has nothing left to drop."""
    once = condense(Evidence.from_grades(lists, judged=[0], scale=[0, 1, 2]))
    assert (codes_of(condense(once)) == codes_of(once)).all()


def test_condensing_drops_pooled_documents_and_their_codes() -> None:
    """A negative grade is no judgment: its document goes too, from both arrays."""
    runs = Runs.from_rankings({"a": {"1": ["x", "p", "r"]}})
    evidence = condense(align(Judgments.from_dict({"1": {"p": -1, "r": 1, "n": 0}}), runs))
    assert codes_of(evidence).tolist() == [[[1, BEYOND, BEYOND]]]
    assert documents_of(evidence).tolist() == [[[1, -1, -1]]]


def test_only_marked_documents_weigh() -> None:
    """The weight of unjudged documents leaves out judged ones and ranks past the end."""
    evidence = Evidence.from_grades([[2, None, 0], [None]])
    weights = np.array([0.5, 0.3, 0.2])
    assert weight_of(without_grade(codes_of(evidence)), weights).tolist() == [[0.3], [0.5]]
    assert weight_of(codes_of(evidence) >= 0, weights).tolist() == [[0.7], [0.0]]


def test_weights_may_differ_by_topic() -> None:
    """Each topic can have weights of its own."""
    marked = np.array([[[True, False], [True, True]]])
    assert weight_of(marked, np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[1.0, 7.0]]


def test_a_pool_without_judged_documents_has_rate_zero() -> None:
    """Where nothing is judged the pool's gain is 0, not undefined."""
    evidence = align(
        Judgments.from_dict({"1": {}, "2": {"y": 1, "z": 0}}),
        Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}}),
    )
    assert pool_gain(evidence, np.array([0.0, 1.0])).tolist() == [0.0, 0.5]


@given(lists=rankings)
def test_the_judged_prefix_ends_at_the_first_gap(lists: list[list[int | None]]) -> None:
    """Down to the prefix all documents are judged, and the next one is not."""
    evidence = Evidence.from_grades(lists, judged=[0], scale=[0, 1, 2])
    for prefix, ranking in zip(judged_prefix(evidence)[:, 0], lists, strict=True):
        assert None not in ranking[:prefix]
        assert prefix == len(ranking) or ranking[prefix] is None
