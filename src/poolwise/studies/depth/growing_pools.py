"""How pools grow with their depth, and how often what is added is relevant (U18 §3.5, G16 §4)."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from poolwise.arrays import Floats, Indices, Integers, spread
from poolwise.collection._pools import Nominations, graded_rows, named_systems, systems_option
from poolwise.errors import require_depth
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import counted

__all__ = ["PoolGrowth", "pool_growth"]


@finding
class PoolGrowth(Finding):
    """How the pool of each topic grows with its depth.

    Attributes
    ----------
    depths : tuple of int
        Pool depths, ascending.
    topics : tuple of str
        The judged topics.
    judged, relevant : int array, depths × topics
        Documents, and relevant documents, in the pool of that depth (U18 fig. 4).

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> growth = pool_growth(nominate(made.truth, made.runs), [1, 5, 20])
    >>> growth.depths, growth.judged.shape
    ((1, 5, 20), (3, 3))
    >>> bool((growth.judged[0] < growth.judged[2]).all())
    True
    """

    depths: tuple[int, ...]
    topics: tuple[str, ...]
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

    def bands(self) -> tuple[str, ...]:
        """Return the ranks that each step adds, such as 11–20."""
        starts = [1, *(depth + 1 for depth in self.depths[:-1])]
        return tuple(f"{a}–{b}" for a, b in zip(starts, self.depths, strict=True))

    def spread(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Return five numbers over topics, of judged and of relevant documents (U18 fig. 4)."""
        return spread(self.judged), spread(self.relevant)

    def columns(self) -> Columns:
        """Return one row per depth and topic: the documents judged, and the relevant ones."""
        return {
            "depth": np.repeat(self.depths, len(self.topics)).tolist(),
            "topic": list(self.topics) * len(self.depths),
            "judged": self.judged.ravel().tolist(),
            "relevant": self.relevant.ravel().tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how large the deepest pool is, and how often its last documents are relevant."""
        if not self.depths:
            return ("No depth was asked for.",)
        judged, relevant = int(self.judged[-1].sum()), int(self.relevant[-1].sum())
        size = (
            f"Down to depth {self.depths[-1]} the pools of {counted(len(self.topics), 'topic')} "
            f"hold {counted(judged, 'judged document')}, {relevant:,} of them relevant."
        )
        return (size, *self._last_step())

    def _last_step(self) -> Iterator[str]:
        if len(self.depths) > 1:
            rate, added = float(self.rates()[-1]), f"added below depth {self.depths[-2]}"
            if np.isnan(rate):
                yield f"No document was {added}."
            else:
                yield f"Of the documents {added}, {rate:.1%} are relevant."

    def tables(self) -> tuple[Table, ...]:
        """Return one row per depth, over all topics."""
        totals = {
            "depth": list(self.depths),
            "judged": self.judged.sum(axis=1).tolist(),
            "relevant": self.relevant.sum(axis=1).tolist(),
            "rate of the added": self.rates().tolist(),
        }
        return (table_of(totals),)


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

    Returns
    -------
    PoolGrowth
        The counts by depth and topic, from which the rate of relevant documents follows.

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
        require_depth(depth, longest=nominations.longest)
    qrels, pooled = nominations.judgments, named_systems(systems)
    step = np.searchsorted(steps, nominations.best_ranks(pooled))
    judged, relevant = (
        _cumulated(step[rows], qrels.topic_of_row[rows], len(steps), len(qrels.topics))
        for rows in (graded_rows(qrels), graded_rows(qrels, at_least=rel))
    )
    origin = nominations.provenance.with_options(
        depths=steps, systems=systems_option(pooled), rel=rel
    )
    return PoolGrowth(steps, qrels.topics, judged, relevant, provenance=origin)


def _cumulated(step: Indices, topic: Integers, steps: int, topics: int) -> Integers:
    """Count rows by step and topic, each step with those before it; rows past the last drop out."""
    counts = np.bincount(step * topics + topic, minlength=(steps + 1) * topics)
    return counts.reshape(steps + 1, topics)[:steps].cumsum(axis=0)
