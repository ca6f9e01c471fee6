"""What pools are made of: votes, growth, and how often the documents are relevant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations

__all__ = ["MultiplicityBand", "PoolGrowth", "pool_growth", "relevance_by_multiplicity"]

_BANDS = (1, 2, 3, 5, 9, 17, 33)  # U18 table 4


class MultiplicityBand(NamedTuple):
    """The judged documents that between ``low`` and ``high`` systems nominate."""

    low: int
    high: int | None
    documents: int
    relevant: int

    @property
    def rate(self) -> float:
        """Share of them that is relevant; NaN where there are none."""
        return self.relevant / self.documents if self.documents else float("nan")

    @property
    def label(self) -> str:
        """The band as U18 table 4 prints it.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).label for a, b in [(2, 2), (3, 4), (33, None)]]
        ['2', '3–4', '33+']
        """
        if self.high is None:
            return f"{self.low}+"
        return f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, eq=False)
class PoolGrowth:
    """How the pool of each topic grows with its depth.

    Attributes
    ----------
    depths : tuple of int
        Pool depths, ascending.
    judged, relevant : int array, depths × topics
        Documents, and relevant documents, in the pool of that depth (U18 fig. 4).
    """

    depths: tuple[int, ...]
    judged: Integers
    relevant: Integers

    def rates(self) -> Floats:
        """Return the share of relevant documents among those each step adds (G16 fig. 3).

        NaN where a step adds nothing.
        """
        judged, relevant = (
            np.diff(x.sum(axis=1), prepend=0).astype(np.float64)
            for x in (self.judged, self.relevant)
        )
        return np.divide(relevant, judged, out=np.full(len(judged), np.nan), where=judged > 0)


def relevance_by_multiplicity(
    nominations: Nominations,
    depth: int,
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = _BANDS,
) -> tuple[MultiplicityBand, ...]:
    """Return how often a judged document is relevant, by how many systems nominate it.

    U18 table 4; the first band alone gives the single-vote documents of U18 table 3.

    Parameters
    ----------
    nominations
        Ranks of the judged documents.
    depth
        A system nominates what it has among its first ``depth``.
    systems
        The pooled systems.
    rel
        Smallest grade of a relevant document.
    bands
        Where each band starts.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> [(b.label, b.documents, b.rate) for b in relevance_by_multiplicity(found, 2, bands=(1, 2))]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    qrels = nominations.judgments
    votes = nominations.multiplicities(depth, systems=systems)
    band = np.searchsorted(bands, votes, side="right")
    size = len(bands) + 1
    documents = np.bincount(band[_graded(qrels)], minlength=size).tolist()
    relevant = np.bincount(band[_graded(qrels, at_least=rel)], minlength=size).tolist()
    highs = [*(low - 1 for low in bands[1:]), None]
    return tuple(
        MultiplicityBand(*row)
        for row in zip(bands, highs, documents[1:], relevant[1:], strict=True)
    )


def pool_growth(
    nominations: Nominations,
    depths: Sequence[int],
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
) -> PoolGrowth:
    """Count the judged and the relevant documents of each topic's pool as it deepens.

    Parameters
    ----------
    nominations
        Ranks of the judged documents.
    depths
        Pool depths; they are put in order.
    systems
        The pooled systems.
    rel
        Smallest grade of a relevant document.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> growth = pool_growth(found, [1, 2])
    >>> growth.judged.tolist(), growth.relevant.tolist(), growth.rates().tolist()
    ([[2], [3]], [[2], [2]], [1.0, 0.0])
    """
    steps = tuple(sorted(set(depths)))
    for depth in steps:
        nominations.check_depth(depth)
    step = np.searchsorted(steps, nominations.best_ranks(systems))
    qrels = nominations.judgments
    judged, relevant = (
        _cumulated(step[rows], qrels.topic_of_row[rows], len(steps), len(qrels.topics))
        for rows in (_graded(qrels), _graded(qrels, at_least=rel))
    )
    return PoolGrowth(steps, judged, relevant)


def _cumulated(step: Indices, topic: Integers, steps: int, topics: int) -> Integers:
    """Count rows by step and topic, each step with those before it; rows past the last drop out."""
    counts = np.bincount(step * topics + topic, minlength=(steps + 1) * topics)
    return counts.reshape(steps + 1, topics)[:steps].cumsum(axis=0)


def _graded(judgments: Judgments, *, at_least: float = 0) -> Booleans:
    """Return which rows have at least this grade; below 0 is pooled and not judged."""
    return judgments.judged & (judgments.scale[judgments.codes] >= at_least)
