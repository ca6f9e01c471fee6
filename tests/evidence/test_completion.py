"""Lists with the unjudged documents dropped or given an expected gain."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.evidence.alignment import BEYOND, Evidence, align
from poolwise.evidence.completion import condense, fill_gains, pool_gain, run_gain

grades = st.one_of(st.none(), st.integers(0, 2))
rankings = st.lists(st.lists(grades, min_size=1, max_size=7), min_size=1, max_size=4)


@given(lists=rankings)
def test_condensing_keeps_judged_documents_in_order(lists: list[list[int | None]]) -> None:
    """A condensed list is the list of its judged documents."""
    condensed = condense(Evidence.from_grades(lists, judged=[0], scale=[0, 1, 2]))
    for codes, ranking in zip(condensed.codes[:, 0], lists, strict=True):
        assert codes[codes != BEYOND].tolist() == [g for g in ranking if g is not None]
        assert (np.flatnonzero(codes != BEYOND) == np.arange((codes != BEYOND).sum())).all()


@given(lists=rankings)
def test_condensing_twice_changes_nothing(lists: list[list[int | None]]) -> None:
    """A condensed list has nothing left to drop."""
    once = condense(Evidence.from_grades(lists, judged=[0], scale=[0, 1, 2]))
    assert (condense(once).codes == once.codes).all()


def test_condensing_drops_pooled_documents_and_their_codes() -> None:
    """A negative grade is no judgment: its document goes too, from both arrays."""
    runs = Runs.from_rankings({"a": {"1": ["x", "p", "r"]}})
    evidence = condense(align(runs, Judgments.from_dict({"1": {"p": -1, "r": 1, "n": 0}})))
    assert evidence.codes.tolist() == [[[1, BEYOND, BEYOND]]]
    assert evidence.documents.tolist() == [[[1, -1, -1]]]


def test_gains_are_filled_where_they_are_unknown_only() -> None:
    """An expected gain stands for an unjudged document, not for one that is not there."""
    evidence = Evidence.from_grades([[2, None, 0], [None]])
    filled = fill_gains(evidence, np.array([0.0, 1.0]), np.array([0.1, 0.2, 0.3]))
    assert filled[:, 0].tolist() == [[1.0, 0.2, 0.0], [0.1, 0.0, 0.0]]


def test_rates_of_what_is_not_judged_are_zero() -> None:
    """A pool or a list without judged documents has rate 0, not an undefined one."""
    evidence = Evidence.from_grades([[None, None]], judged=[0], scale=[1])
    gains, weights = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert pool_gain(evidence, gains).tolist() == [0.0]
    rate, weight = run_gain(evidence, gains, weights)
    assert (rate.item(), weight.item()) == (0.0, 0.0)
