"""The cells that carry gain."""

import pickle

import numpy as np
from tests.whole_arrays import codes_of, only_block

from poolwise import Evidence, Grades
from poolwise.measures.relevant_ranks import count_down_to, hits


def test_hits_are_what_a_plain_loop_finds() -> None:
    """Lists, ranks, codes and running counts agree with a loop over all cells."""
    rng = np.random.default_rng(7)
    block = only_block(Grades.from_grades(rng.integers(0, 3, (6, 9)).tolist()))
    found = hits(block, 1)
    cells = [(s, r) for s in range(6) for r in range(9) if block.codes[s, 0, r] >= 1]
    assert list(zip(found.lists.tolist(), (found.ranks - 1).tolist(), strict=True)) == cells
    assert found.codes.tolist() == [block.codes[s, 0, r] for s, r in cells]
    assert found.nth.tolist() == [(block.codes[s, 0, : r + 1] >= 1).sum() for s, r in cells]
    judged = [(block.codes[s, 0, : r + 1] >= 0).sum() for s, r in cells]
    assert count_down_to(found, block.codes >= 0).tolist() == judged


def test_hits_are_found_once() -> None:
    """Measures that want the same cells share them; other evidence has its own."""
    block = only_block(Grades.from_grades([[1, 0, 2]]))
    assert hits(block, 1) is hits(block, 1)
    assert hits(block.truncate(2), 1).ranks.tolist() == [1]


def test_what_was_found_does_not_travel() -> None:
    """Evidence sent to another process leaves behind what can be found again."""
    evidence = Evidence.from_grades([[1, 0, 2]])
    before = len(pickle.dumps(evidence))
    hits(evidence.blocks[0], 1)
    assert len(pickle.dumps(evidence)) == before
    arrived = pickle.loads(pickle.dumps(evidence))  # noqa: S301  (our own bytes)
    assert codes_of(arrived).tolist() == codes_of(evidence).tolist()
