"""On how many topics scores or differences lie where: what is drawn of more topics than fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers, settle
from poolwise.results._columns import Columns
from poolwise.scores.score_table import ScoreTable

__all__ = ["DeltaDensities", "density"]

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
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.0, 0.3, 1.0]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> found = DeltaDensities.of(table).between("b", "a")
    >>> [(round(low, 3), n) for low, n in zip(found["low"], found["topics"]) if n]
    [(-0.525, 1), (-0.025, 1), (0.575, 1)]
    """

    systems: tuple[str, ...]
    width: float
    counts: Integers

    @classmethod
    def of(cls, table: ScoreTable) -> "DeltaDensities":
        """Count the differences of all pairs, on the topics where both systems have a score."""
        known = table.value[~np.isnan(table.value)]
        width = (float(np.ptp(known)) if len(known) else 0.0) / _SIDE or 1.0
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
