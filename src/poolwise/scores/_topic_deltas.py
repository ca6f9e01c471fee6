"""How two systems differ from topic to topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers, settle
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, outcome_words, signed

if TYPE_CHECKING:
    from poolwise.scores._score_table import ScoreTable

__all__ = ["DeltaDensities", "Deltas", "density"]


@finding
class Deltas(Finding):
    """The difference of two systems on each topic where both have a score, the largest first.

    Attributes
    ----------
    measure : Measure
        What the systems were scored by.
    a, b : str
        The two systems.
    topics : tuple of str
        The topics, in the order of the differences.
    difference : float array, topics
        Score of ``a`` minus score of ``b``.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> print(table.deltas("a", "b"))
    a − b in AP: 1 win, 1 tie, 1 loss.
    <BLANKLINE>
    measure  a  b  topic  difference
    AP       a  b  1          0.4000
    AP       a  b  3          0.0000
    AP       a  b  2         −0.1000
    <BLANKLINE>
    The mean difference is +0.1000 over 3 topics.
    """

    measure: Measure
    a: str
    b: str
    topics: tuple[str, ...]
    difference: Floats

    @property
    def wins(self) -> int:
        """Topics on which the first system is above the second one."""
        return int((self.difference > 0).sum())

    @property
    def ties(self) -> int:
        """Topics on which both are level."""
        return int((self.difference == 0).sum())

    @property
    def losses(self) -> int:
        """Topics on which the first system is below the second one."""
        return int((self.difference < 0).sum())

    @property
    def outcome(self) -> str:
        """Wins, ties and losses, in words."""
        return outcome_words(self.wins, self.ties, self.losses)

    def columns(self) -> Columns:
        """Return one row per topic."""
        topics = len(self.topics)
        return {
            "measure": [str(self.measure)] * topics,
            "a": [self.a] * topics,
            "b": [self.b] * topics,
            "topic": list(self.topics),
            "difference": self.difference.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say on how many topics each is ahead, and the mean difference."""
        if not len(self.topics):
            return (f"{self.a} and {self.b} have no topic with a score by {self.measure}.",)
        over = counted(len(self.topics), "topic")
        return (
            f"{self.a} − {self.b} in {self.measure}: {self.outcome}.",
            f"The mean difference is {signed(float(np.mean(self.difference)))} over {over}.",
        )


_BINS = 40
_SIDE = 20
"""Bins of differences on either side of the one around 0."""


def density(values: Sequence[float], *, bins: int = _BINS) -> Columns:
    """Count the topics in bins of equal width, from the lowest value to the highest.

    Parameters
    ----------
    values : sequence of float
        One number per topic.
    bins : int
        How many bins there are.

    Returns
    -------
    Columns
        One row per bin: its ends, and how many topics are in it. The upper end belongs to the
        last bin alone.

    Examples
    --------
    >>> density([0.0, 0.1, 0.5, 1.0], bins=2)
    {'low': [0.0, 0.5], 'high': [0.5, 1.0], 'topics': [2, 2]}
    """
    counts, edges = np.histogram(values, bins=bins)
    return {"low": edges[:-1].tolist(), "high": edges[1:].tolist(), "topics": counts.tolist()}


@dataclass(frozen=True, eq=False)
class DeltaDensities:
    """On how many topics every two systems differ by how much.

    Bins are centred on multiples of their width, so that those of *a − b* are those of *b − a* the
    other way round; the one around 0 holds the ties.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    width : float
        Of a bin: a twentieth of the distance between the lowest and the highest score.
    counts : int array, pairs × bins
        Topics by bin, for every system with every later one.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.0, 0.3, 1.0]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> density = DeltaDensities.of(table).between("b", "a")
    >>> [(round(low, 3), n) for low, n in zip(density["low"], density["topics"]) if n]
    [(-0.525, 1), (-0.025, 1), (0.575, 1)]
    """

    systems: tuple[str, ...]
    width: float
    counts: Integers

    @classmethod
    def of(cls, table: "ScoreTable") -> "DeltaDensities":
        """Count the differences of all pairs, on the topics where both systems have a score."""
        scores = table.value[~np.isnan(table.value)]
        width = (float(np.ptp(scores)) if len(scores) else 0.0) / _SIDE or 1.0
        left, right = np.triu_indices(len(table.systems), 1)
        rows = [
            _counts(settle(table.value[a] - table.value[b], table.tolerance), width)
            for a, b in zip(left.tolist(), right.tolist(), strict=True)
        ]
        counts = np.array(rows, np.int64).reshape(len(left), 2 * _SIDE + 1)
        return cls(table.systems, width, counts)

    def between(self, a: str, b: str) -> Columns:
        """Return one row per bin of a − b: its ends, and how many topics are in it."""
        first, second = self.systems.index(a), self.systems.index(b)
        counts = self.counts[self._place(*sorted((first, second)))]
        centres = np.arange(-_SIDE, _SIDE + 1) * self.width
        return {
            "low": (centres - self.width / 2).tolist(),
            "high": (centres + self.width / 2).tolist(),
            "topics": (counts if first < second else counts[::-1]).tolist(),
        }

    def _place(self, first: int, second: int) -> int:
        """Return where a pair stands: all pairs of the systems before the first come before it."""
        before = first * len(self.systems) - first * (first + 1) // 2
        return before + second - first - 1


def _counts(difference: Floats, width: float) -> Integers:
    there: Booleans = ~np.isnan(difference)
    at: Indices = np.rint(difference[there] / width).astype(np.intp) + _SIDE
    return np.bincount(np.clip(at, 0, 2 * _SIDE), minlength=2 * _SIDE + 1)
