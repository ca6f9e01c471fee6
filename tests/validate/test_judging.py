"""What the tables about judging count, on small collections."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.judging import Candidates, gather_candidates
from poolwise.judging.orders._by_document import RBPEven, RBPLeaders
from validate import judging
from validate.__main__ import renewed
from validate.table import ValidationTable


def _complete(seed: int) -> Candidates:
    made = pw.simulate(systems=6, topics=4, depth=30, rng=seed)
    return gather_candidates(made.truth, made.runs, depth=20)


def _settled_by_hand(candidates: Candidates, *, tails: bool) -> float:
    """Judge by RBP C and p = 0.8, with every weight made anew at every step."""
    weights = [np.where(t.held, 0.2 * 0.8 ** (t.ranks - 1.0), 0.0) for t in candidates]
    marked = [np.zeros(len(t), bool) for t in candidates]
    while True:
        base = np.mean(
            [w @ (k & candidates.relevant(t)) for t, (w, k) in _pairs(weights, marked)], 0
        )
        listed = np.mean([w @ ~k for _, (w, k) in _pairs(weights, marked)], 0)
        best = int(base.argmax())
        if base[best] >= np.delete(base + listed, best).max() - 1e-12:
            return sum(map(np.sum, marked)) / len(candidates)
        judged = np.mean([w @ k for _, (w, k) in _pairs(weights, marked)], 0)
        residual = 1 - judged if tails else listed
        worth = (base + residual / 2) ** 3 * residual
        heavy = [np.where(k, -1, worth @ w) for w, k in zip(weights, marked, strict=True)]
        topic = int(np.argmax([values.max() for values in heavy]))
        marked[topic][heavy[topic].argmax()] = True


def _pairs(weights: list[np.ndarray], marked: list[np.ndarray]) -> list:
    return list(enumerate(zip(weights, marked, strict=True)))


@pytest.mark.parametrize("tails", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_run_is_settled_when_nobody_can_catch_up(seed: int, tails: bool) -> None:  # noqa: FBT001 # a case
    """The count is that of a plain loop, with the ranks below the lists and without them."""
    candidates = _complete(seed)
    leader = judging.Leader("RBP C", RBPLeaders, 0.8, tails=tails, reference=None)
    needed, _ = judging._until_settled(leader, candidates)
    assert needed == _settled_by_hand(candidates, tails=tails)


def test_two_percent_and_the_right_run_agree_with_the_reference() -> None:
    """Three percent, or another run, does not."""
    leader = judging.Leader("RBP B", RBPEven, 0.8, tails=False, reference=100)
    assert judging._agrees(leader, 102, "best", "best")
    assert not judging._agrees(leader, 97, "best", "best")
    assert not judging._agrees(leader, 100, "other", "best")


def test_a_table_takes_the_place_of_the_one_with_its_title() -> None:
    """The others stay as they are, in their order; a new one comes last."""
    first, second = (ValidationTable(t, "Old.", ("n",), (("1",),)) for t in ("A", "B"))
    page = renewed("# Validation\n\nHead.\n", [first, second])
    changed = ValidationTable("A", "New.", ("n",), (("2",),))
    last = ValidationTable("C", "New.", ("n",), (("3",),))
    assert renewed(page, [changed, last]) == "\n\n".join(
        ["# Validation", "Head.", str(changed), str(second), f"{last}\n"]
    )
