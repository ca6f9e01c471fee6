"""The range of a difference by trying every grading of the documents that nobody judged."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._meeting import align

__all__ = ["Case", "Scorer", "average_precision", "cases", "expected_reciprocal_rank"]
__all__ += ["reciprocal_rank", "success", "sum_of_precisions"]

SCALE = (0, 1, 2)
Scorer = Callable[[Sequence[int], int], float]
"""A score, from the grades of a list and the number of relevant documents."""


@dataclass(frozen=True)
class Case:
    """Two lists of documents, the grades of those that are judged, and unjudged ones outside."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    judged: dict[int, int]
    unlisted: int = 0

    def block(self) -> DocumentBlock:
        """Return the two lists as evidence of one topic."""
        lists = (("a", self.a), ("b", self.b))
        runs = {name: {"1": [f"d{d}" for d in ranks]} for name, ranks in lists}
        judged = {f"d{d}": grade for d, grade in self.judged.items()}
        # One topic more carries the whole scale.
        judgments = Judgments.from_dict({"1": judged, "2": {"x": 0, "y": 1, "z": 2}})
        evidence = align(judgments, Runs.from_rankings(runs))
        (block,) = evidence.blocks
        return block.part(np.arange(2), slice(0, 1))

    def gradings(self, cutoff: int, grades: Sequence[int]) -> Iterator[dict[int, int]]:
        """Yield the grades of all documents above the cut-off and outside, in every way."""
        unknown = sorted({*self.a[:cutoff], *self.b[:cutoff]} - set(self.judged))
        unknown += range(-self.unlisted, 0)
        for choice in product(grades, repeat=len(unknown)):
            yield self.judged | dict(zip(unknown, choice, strict=True))

    def differences(
        self, score: Scorer, *, cutoff: int, level: int = 1, grades: Sequence[int] = SCALE
    ) -> tuple[float, float]:
        """Return the smallest and the largest difference; NaN where no grading has one."""
        differences = []
        for grading in self.gradings(cutoff, grades):
            R = sum(grade >= level for grade in grading.values())
            first, other = (
                score([grading.get(d, 0) for d in ranks[:cutoff]], R) for ranks in (self.a, self.b)
            )
            differences.append(first - other)
        defined = [d for d in differences if not np.isnan(d)]
        return (min(defined), max(defined)) if defined else (np.nan, np.nan)


@st.composite
def cases(draw: st.DrawFn, *, longest: int = 6, unknown: int = 6) -> Case:
    """Draw two lists, which may be empty or the same, and judgments with or without relevance."""
    ranking = st.lists(st.integers(0, 8), unique=True, max_size=longest).map(tuple)
    a = draw(ranking)
    b = draw(st.just(a) | st.permutations(a).map(tuple) | ranking)
    held = sorted({*a, *b})
    open_ones = draw(st.lists(st.sampled_from(held), unique=True, max_size=unknown)) if held else []
    judged = sorted({*range(10)} - set(open_ones))
    grade = draw(st.sampled_from([st.integers(0, 2), st.just(0), st.integers(0, 1)]))
    grades = draw(st.lists(grade, min_size=len(judged), max_size=len(judged)))
    unlisted = draw(st.integers(0, 2 if len(open_ones) < 5 else 1))
    return Case(a, b, dict(zip(judged, grades, strict=True)), unlisted)


def sum_of_precisions(level: int) -> Scorer:
    """Return SP (W10 eq. 3.13)."""

    def score(grades: Sequence[int], R: int) -> float:
        del R
        relevant = [grade >= level for grade in grades]
        ranks = [i for i, hit in enumerate(relevant, start=1) if hit]
        return sum(sum(relevant[:i]) / i for i in ranks)

    return score


def average_precision(level: int, cap: float = np.inf) -> Scorer:
    """Return AP (W10 eq. 3.5), or aAP, whose divisor stops at a cap (D10 eq. 4)."""

    def score(grades: Sequence[int], R: int) -> float:
        return sum_of_precisions(level)(grades, R) / min(R, cap) if R else np.nan

    return score


def expected_reciprocal_rank(grades: Sequence[int], R: int) -> float:
    """Return ERR with the stops (2^grade − 1)/2^highest."""
    del R
    reach, total = 1.0, 0.0
    for i, grade in enumerate(grades, start=1):
        stop = (2**grade - 1) / 2 ** SCALE[-1]
        total += reach * stop / i
        reach *= 1 - stop
    return total


def reciprocal_rank(level: int) -> Scorer:
    """Return RR (W10 eq. 3.11)."""

    def score(grades: Sequence[int], R: int) -> float:
        del R
        return next((1 / i for i, grade in enumerate(grades, start=1) if grade >= level), 0.0)

    return score


def success(level: int) -> Scorer:
    """Return whether any document is relevant."""

    def score(grades: Sequence[int], R: int) -> float:
        del R
        return float(any(grade >= level for grade in grades))

    return score
