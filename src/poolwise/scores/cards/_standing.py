"""Where a score stands among those of the runs that a collection was made with."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.scores._score_table import ScoreTable

__all__ = ["EVERY_KIND", "Place", "Standing", "standing_of"]

EVERY_KIND = "all"
"""The kind that every original run is of."""


@dataclass(frozen=True)
class Place:
    """A place among original runs and oneself, the first to the last that are possible.

    Examples
    --------
    >>> str(Place(2, 2, 10)), str(Place(2, 5, 10))
    ('2nd of 10', '2nd to 5th of 10')
    """

    first: int
    last: int
    of: int

    def __str__(self) -> str:
        places = dict.fromkeys((_ordinal(self.first), _ordinal(self.last)))
        return f"{' to '.join(places)} of {self.of:,}"


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    teen = number % 100 // 10 == 1
    return f"{number:,}{'th' if teen else ends.get(number % 10, 'th')}"


@dataclass(frozen=True, eq=False)
class Standing:
    """The scores of original runs by one measure, without the names of the runs.

    Attributes
    ----------
    means : dict of str to float array
        By kind of run, the means of the original runs, the best first; under ``EVERY_KIND`` all.
    best, median, worst : float array, topics
        Of the scores of all original runs on each topic.
    """

    means: dict[str, Floats]
    best: Floats
    median: Floats
    worst: Floats

    def place(
        self,
        mean: float,
        low: float | None = None,
        high: float | None = None,
        *,
        kind: str = EVERY_KIND,
        is_original: bool = False,
    ) -> Place:
        """Return the place of a mean among the original ones, or the places of its range.

        A run that is not original itself is one more.

        Examples
        --------
        >>> scores = [[0.5], [0.3], [0.1]]
        >>> table = ScoreTable.from_matrix(scores, systems="abc", topics="1", measure="P@5")
        >>> str(standing_of(table).place(0.2)), str(standing_of(table).place(0.2, 0.0, 0.4))
        ('3rd of 4', '2nd to 4th of 4')
        """
        others = self.means[kind]
        ends = (mean if high is None else high, mean if low is None else low)
        first, last = (1 + int((others > end + _ROUNDING).sum()) for end in ends)
        of = len(others) + (not is_original)
        return Place(min(first, of), min(last, of), of)


_ROUNDING = 1e-12
"""Means that differ by less are level."""


def standing_of(table: ScoreTable, kinds: tuple[str, ...] = ()) -> Standing:
    """Return how the runs of a table stand, by kind where each run has one.

    Examples
    --------
    >>> scores = [[0.5, 0.1], [0.3, 0.3]]
    >>> table = ScoreTable.from_matrix(scores, systems="ab", topics="12", measure="P@5")
    >>> standing = standing_of(table, ("manual", "automatic"))
    >>> {kind: means.round(2).tolist() for kind, means in standing.means.items()}
    {'all': [0.3, 0.3], 'automatic': [0.3], 'manual': [0.3]}
    """
    means = table.means()
    of_kind = {EVERY_KIND: np.ones(len(means), np.bool_)}
    of_kind |= {kind: np.array(kinds) == kind for kind in sorted(set(kinds))}
    value = table.value
    # A topic without a score has none for any run.
    filled = np.where(np.isnan(value), 0.0, value)
    lost = np.isnan(value).any(axis=0)
    best, median, worst = (
        np.where(lost, np.nan, of(filled, axis=0)) for of in (np.max, np.median, np.min)
    )
    sorted_means = {kind: np.sort(means[some])[::-1] for kind, some in of_kind.items()}
    return Standing(sorted_means, best, median, worst)
