"""A topic has the same score to the last bit, whichever topics it is scored together with."""

import numpy as np
from tests.each import over

from poolwise import Evidence, Judgments, Measure, Runs, align, parse_measure
from poolwise.arrays import rank_sums
from poolwise.measures import CATALOGUE
from poolwise.scores._scoring import score

MEASURES = [parse_measure(name) for entry in CATALOGUE for name in entry.examples]
LENGTHS = (1, 3, 7, 8, 9, 16, 33, 129, 300)
"""How long the lists of each topic are: around what numpy and BLAS add up together."""


def uneven() -> Evidence:
    """Return three runs on topics whose lists differ in length, with some documents judged."""
    rng = np.random.default_rng(7)
    documents = [f"d{i}" for i in range(400)]
    lists = {
        f"run{s}": {
            str(t): rng.permutation(documents)[: max(1, length - s)].tolist()
            for t, length in enumerate(LENGTHS)
        }
        for s in range(3)
    }
    grades = {
        str(t): {d: int(g) for d, g in zip(documents, rng.integers(0, 4, 200), strict=False)}
        for t in range(len(LENGTHS))
    }
    return align(Judgments.from_dict(grades), Runs.from_rankings(lists))


TOGETHER = uneven()
APART = TOGETHER.recut(cells=1)


@over("measure", MEASURES, ids=repr)
def test_a_topic_alone_scores_what_it_scores_among_others(measure: Measure) -> None:
    """Score, range and tail of a topic in a block of its own are those it has in a large block."""
    for universe in ("runs", "run", "corpus"):
        together, other = (
            score(evidence, measure, universe=universe) for evidence in (TOGETHER, APART)
        )
        for name in ("value", "lower", "upper", "tail"):
            numbers = (getattr(table, name) for table in (together, other))
            np.testing.assert_array_equal(*numbers, err_msg=f"{name}, universe {universe}")


def test_zeros_at_the_end_change_no_sum() -> None:
    """Sums by rank are the same to the last bit, however deep the array is."""
    values = np.random.default_rng(3).random((5, 100))
    for depth in range(100, 140):
        padded = np.pad(values, ((0, 0), (0, depth - 100)))
        assert rank_sums(padded).tolist() == rank_sums(values).tolist()
