"""Pairs of systems, and what their scores say about each before any test."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, settle
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Pairs
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["Sample", "omitted_words", "pair_blocks", "paired_sample", "two_samples"]


CELLS = 1 << 16
"""Differences held at once: half a megabyte, which stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores as a test takes them, and one entry per pair of what they amount to.

    Attributes
    ----------
    scores : float array, systems × topics
        Without undefined topics when paired; with NaN where undefined when not.
    difference, deviation : float array
        Mean of left minus mean of right, and the standard deviation it is measured in: of the
        per-topic differences when paired, else pooled over both samples. 0 when nothing varies,
        NaN when there is too little to tell.
    standard_error, degrees : float array
        Of the difference, for t.
    n : int array
        Topics (paired) or scores (two samples) behind the difference.
    omitted : int
        Topics on which some system's score is undefined.
    tolerance : float
        Scores and means that differ by no more are level: 1e-12 of the table's largest score.
    """

    scores: Floats
    pairs: Pairs
    difference: Floats
    deviation: Floats
    standard_error: Floats
    degrees: Floats
    n: Integers
    omitted: int
    tolerance: float

    @cached_property
    def _outcomes(self) -> Integers:
        # When it is asked for: tests that are repeated by the hundred seldom do.
        return _signs(self.scores, self.pairs, self.tolerance)

    @property
    def wins(self) -> Integers:
        """Topics on which left is above right."""
        return np.asarray(self._outcomes[0])

    @property
    def ties(self) -> Integers:
        """Topics on which both are level."""
        return np.asarray(self._outcomes[1])

    @property
    def losses(self) -> Integers:
        """Topics on which left is below right."""
        return np.asarray(self._outcomes[2])

    def tells(self, *, needs_spread: bool) -> Booleans:
        """Tell which pairs have per-topic differences that vary, or any at all where that will do.

        Of identical systems nothing is told (U18 §3.5).
        """
        if needs_spread:
            return np.asarray(self.standard_error > 0)
        return np.asarray(self.wins + self.losses > 0)

    @classmethod
    def undefined(cls, table: ScoreTable, pairs: Pairs) -> "Sample":
        """Return what is known of pairs where no topic has a score yet: nothing."""
        nothing, none = np.full(len(pairs), np.nan), np.zeros(len(pairs), np.int64)
        return cls(
            scores=np.empty((len(table.systems), 0)),
            pairs=pairs,
            difference=nothing,
            deviation=nothing,
            standard_error=nothing,
            degrees=nothing,
            n=none,
            omitted=len(table.topics),
            tolerance=table.tolerance,
        )

    @property
    def topics(self) -> int:
        """How many topics the scores are over."""
        return int(self.scores.shape[1])

    def means(self) -> Floats:
        """Return the mean of each system; 0 for all of them where no topic has a score."""
        if not self.topics:
            return np.zeros(len(self.scores))
        return np.asarray(np.nanmean(self.scores, axis=1))

    def only(self, i: int) -> "Sample":
        """Return what is said of one pair, with the scores of its two systems."""
        left, right = self.pairs.left[i], self.pairs.right[i]
        numbers = {
            name: getattr(self, name)[[i]]
            for name in ("difference", "deviation", "standard_error", "degrees")
        }
        pair = Pairs(np.array([0]), np.array([1]), self.pairs.family)
        scores = self.scores[[left, right]]
        return replace(self, scores=scores, pairs=pair, n=self.n[[i]], **numbers)

    def deltas(self, block: slice) -> Floats:
        """Return left minus right by topic for a block of pairs, 0 where both are level."""
        left, right = self.pairs.left[block], self.pairs.right[block]
        return settle(self.scores[left] - self.scores[right], self.tolerance)


def omitted_words(topics: int) -> str:
    """Say how many topics took no part.

    Examples
    --------
    >>> omitted_words(2)
    '2 topics with an undefined score'
    """
    return f"{counted(topics, 'topic')} with an undefined score"


def pair_blocks(pairs: Pairs, width: int) -> Iterator[slice]:
    """Cut the pairs so that one block of ``pairs × width`` numbers stays in cache."""
    step = max(1, CELLS // max(1, width))
    return (slice(start, start + step) for start in range(0, len(pairs), step))


def paired_sample(table: ScoreTable, pairs: Pairs) -> Sample:
    """Summarise per-topic differences over the topics defined for every system of the pairs."""
    # Systems that are in no pair must not cost the others a topic.
    used = np.zeros(len(table.value), np.bool_)
    used[pairs.left] = used[pairs.right] = True
    defined = ~np.isnan(table.value[used]).any(axis=0)
    _require_topics(int(defined.sum()), table)
    scores = np.ascontiguousarray(table.value[:, defined])
    n = scores.shape[1]
    difference, squares = _moments(scores, pairs)
    # Else a constant difference would have a spread of rounding errors, and a huge t.
    squares = _settle_squares(squares, n, table.tolerance)
    deviation = np.sqrt(squares / (n - 1)) if n > 1 else difference * np.nan
    return Sample(
        scores=scores,
        pairs=pairs,
        difference=settle(difference, table.tolerance),
        deviation=deviation,
        standard_error=deviation / np.sqrt(n),
        degrees=np.full(len(pairs), n - 1.0),
        n=np.full(len(pairs), n),
        omitted=int((~defined).sum()),
        tolerance=table.tolerance,
    )


def two_samples(table: ScoreTable, pairs: Pairs, *, equal_variances: bool) -> Sample:
    """Summarise two unpaired samples per pair, each over its own defined topics.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[1, 2, 3], [2, 4, float("nan")]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="x")
    >>> sample = two_samples(table, Pairs.of_all(table.systems), equal_variances=True)
    >>> sample.difference.tolist(), sample.degrees.tolist()
    ([-1.0], [3.0])
    """
    left, right = pairs.left, pairs.right
    value = table.value
    defined = ~np.isnan(value)
    size = defined.sum(axis=1)
    _require_topics(int(size[np.union1d(left, right)].min()), table)
    mean = np.nansum(value, axis=1) / np.maximum(size, 1)
    squares = np.nansum((value - mean[:, None]) ** 2, axis=1)
    squares = _settle_squares(squares, value.shape[1], table.tolerance)
    spread = _Spread(size[left], size[right], squares[left], squares[right])
    error, degrees = spread.pooled() if equal_variances else spread.welch()
    return Sample(
        scores=value,
        pairs=pairs,
        difference=settle(mean[left] - mean[right], table.tolerance),
        deviation=spread.deviation,
        standard_error=error,
        degrees=degrees,
        n=size[left] + size[right],
        omitted=int((~defined).any(axis=0).sum()),
        tolerance=table.tolerance,
    )


@dataclass(frozen=True, eq=False)
class _Spread:
    """Sizes and sums of squared deviations of the two samples of each pair."""

    n_left: Integers
    n_right: Integers
    left: Floats
    right: Floats

    @property
    def deviation(self) -> Floats:
        """The standard deviation pooled over both samples."""
        freedom = self.n_left + self.n_right - 2.0
        pooled = np.sqrt((self.left + self.right) / np.maximum(freedom, 1))
        return np.where(freedom > 0, pooled, np.nan)

    def pooled(self) -> tuple[Floats, Floats]:
        """Return the standard error and degrees of freedom of Student's two-sample t."""
        error = self.deviation * np.sqrt(1 / self.n_left + 1 / self.n_right)
        return error, (self.n_left + self.n_right - 2).astype(np.float64)

    def welch(self) -> tuple[Floats, Floats]:
        """Return those of Welch's t, by the Welch–Satterthwaite equation; NaN for one score."""
        with np.errstate(divide="ignore", invalid="ignore"):
            a = self.left / (self.n_left - 1) / self.n_left
            b = self.right / (self.n_right - 1) / self.n_right
            freedom = (a + b) ** 2 / (a**2 / (self.n_left - 1) + b**2 / (self.n_right - 1))
        return np.sqrt(a + b), freedom


def _moments(scores: Floats, pairs: Pairs) -> Floats:
    """Return the mean and the sum of squared deviations of each pair's differences."""
    moments, room = np.empty((2, len(pairs))), np.empty((0, 0, 0))
    for block in pair_blocks(pairs, scores.shape[1]):
        left, right = pairs.left[block], pairs.right[block]
        # One room for all blocks: new pages from the system would cost more than the arithmetic.
        room = room if len(room) else np.empty((2, len(left), scores.shape[1]))
        deltas = np.take(scores, left, axis=0, out=room[0, : len(left)], mode="clip")
        deltas -= np.take(scores, right, axis=0, out=room[1, : len(left)], mode="clip")
        deltas.mean(axis=1, out=moments[0, block])
        deltas -= moments[0, block, None]
        np.einsum("pt,pt->p", deltas, deltas, out=moments[1, block])
    return moments


def _signs(scores: Floats, pairs: Pairs, within: float) -> Integers:
    """Return each pair's topics above, level and below; a topic without both scores is none."""
    counts = np.empty((3, len(pairs)), np.int64)
    for block in pair_blocks(pairs, scores.shape[1]):
        deltas = settle(scores[pairs.left[block]] - scores[pairs.right[block]], within)
        for row, compare in enumerate((np.greater, np.equal, np.less)):
            counts[row, block] = np.count_nonzero(compare(deltas, 0), axis=1)
    return counts


def _settle_squares(squares: Floats, topics: int, within: float) -> Floats:
    """Return 0 for a sum of squared deviations that is only rounding error of each topic's."""
    return np.where(squares <= topics * within**2, 0.0, squares)


def _require_topics(count: int, table: ScoreTable) -> None:
    if count == 0:
        raise OptionError(
            f"table: a comparison needs a topic on which {table.measure} is defined for every "
            "system compared; got none. Hint: leave out the systems without scores."
        )
