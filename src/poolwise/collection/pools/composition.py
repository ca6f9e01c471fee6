"""What pools are made of: votes, growth, and how often the documents are relevant."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations
from poolwise.errors import require_depth
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.tables import Table, table_of
from poolwise.printout.words import counted

__all__ = [
    "BANDS",
    "MultiplicityBand",
    "MultiplicityRelevance",
    "PoolGrowth",
    "pool_growth",
    "relevance_by_multiplicity",
]

BANDS = (1, 2, 3, 5, 9, 17, 33)
"""The smallest number of nominating systems of each multiplicity band (U18 table 4)."""


class MultiplicityBand(NamedTuple):
    """The judged documents that between ``low`` and ``high`` systems nominate.

    Attributes
    ----------
    low, high : int
        The fewest and the most systems that nominate a document of the band; ``high`` is None for
        the last band, which has no end.
    documents, relevant : int
        How many judged documents there are in the band, and how many of them are relevant.

    Examples
    --------
    >>> band = MultiplicityBand(low=3, high=4, documents=20, relevant=5)
    >>> band.label, band.rate
    ('3–4', 0.25)
    """

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

    @property
    def systems(self) -> str:
        """Who nominates, with the verb.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).systems for a, b in [(1, 1), (3, 4), (33, None)]]
        ['1 system nominates', '3 to 4 systems nominate', '33 or more systems nominate']
        """
        if self.high is None:
            return f"{self.low} or more systems nominate"
        if self.low < self.high:
            return f"{self.low} to {self.high} systems nominate"
        return f"{counted(self.low, 'system')} nominate{'s' if self.low == 1 else ''}"


@finding
class MultiplicityRelevance(Finding):
    """How often judged documents are relevant, by how many systems nominate them.

    It is a sequence of bands.

    Attributes
    ----------
    bands : tuple of MultiplicityBand
        From few nominating systems to many.

    Examples
    --------
    >>> found = MultiplicityRelevance(
    ...     (MultiplicityBand(1, 1, 40, 4), MultiplicityBand(2, None, 50, 20))
    ... )
    >>> [band.rate for band in found]
    [0.1, 0.4]
    >>> print(found)
    systems  documents  relevant    rate
    1               40         4  0.1000
    2+              50        20  0.4000
    <BLANKLINE>
    10.0% of the documents that 1 system nominates are relevant, and 40.0% of those that 2 or more
    systems nominate.
    The bands hold 90 judged documents, of which 24 are relevant.
    """

    bands: tuple[MultiplicityBand, ...]

    def __iter__(self) -> Iterator[MultiplicityBand]:
        return iter(self.bands)

    def __len__(self) -> int:
        return len(self.bands)

    def __getitem__(self, place: int) -> MultiplicityBand:
        return self.bands[place]

    def columns(self) -> Columns:
        """Return one row per band: where it starts and ends, and the documents in it."""
        return {
            "low": [band.low for band in self],
            "high": [band.high for band in self],
            "documents": [band.documents for band in self],
            "relevant": [band.relevant for band in self],
            "rate": [band.rate for band in self],
        }

    def sentences(self) -> tuple[str, ...]:
        """Compare the documents of the fewest and of the most votes."""
        held = [band for band in self if band.documents]
        documents = sum(band.documents for band in held)
        relevant = sum(band.relevant for band in held)
        total = (
            f"The bands hold {counted(documents, 'judged document')}, of which {relevant:,} "
            f"{'is' if relevant == 1 else 'are'} relevant."
        )
        if not held:
            return (total,)
        few, many = held[0], held[-1]
        rate = f"{few.rate:.1%} of the documents that {few.systems} are relevant"
        if len(held) > 1:
            rate += f", and {many.rate:.1%} of those that {many.systems}"
        return (f"{rate}.", total)

    def tables(self) -> tuple[Table, ...]:
        """Return the bands as U18 table 4 prints them."""
        columns = self.columns()
        shown = {name: columns[name] for name in ("documents", "relevant", "rate")}
        return (table_of({"systems": [band.label for band in self], **shown}),)


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


def relevance_by_multiplicity(
    nominations: Nominations,
    depth: int,
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = BANDS,
) -> MultiplicityRelevance:
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

    Returns
    -------
    MultiplicityRelevance
        The bands, each with its documents and the share of relevant ones.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> [(b.label, b.documents, b.rate) for b in relevance_by_multiplicity(found, 2, bands=(1, 2))]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    qrels, pooled = nominations.judgments, _named(systems)
    votes = nominations.multiplicities(depth, systems=pooled)
    band = np.searchsorted(bands, votes, side="right")
    size = len(bands) + 1
    documents = np.bincount(band[_graded(qrels)], minlength=size).tolist()
    relevant = np.bincount(band[_graded(qrels, at_least=rel)], minlength=size).tolist()
    highs = [*(low - 1 for low in bands[1:]), None]
    rows = zip(bands, highs, documents[1:], relevant[1:], strict=True)
    return MultiplicityRelevance(
        tuple(MultiplicityBand(*row) for row in rows),
        provenance=nominations.provenance.with_options(
            depth=depth, systems=_option(pooled), rel=rel, bands=tuple(bands)
        ),
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
    qrels, pooled = nominations.judgments, _named(systems)
    step = np.searchsorted(steps, nominations.best_ranks(pooled))
    judged, relevant = (
        _cumulated(step[rows], qrels.topic_of_row[rows], len(steps), len(qrels.topics))
        for rows in (_graded(qrels), _graded(qrels, at_least=rel))
    )
    origin = nominations.provenance.with_options(depths=steps, systems=_option(pooled), rel=rel)
    return PoolGrowth(steps, qrels.topics, judged, relevant, provenance=origin)


def _named(systems: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of the systems, so that an iterator is read once; None stays None."""
    if systems is None:
        return None
    return (systems,) if isinstance(systems, str) else tuple(systems)


def _option(pooled: tuple[str, ...] | None) -> object:
    return "all" if pooled is None else pooled


def _cumulated(step: Indices, topic: Integers, steps: int, topics: int) -> Integers:
    """Count rows by step and topic, each step with those before it; rows past the last drop out."""
    counts = np.bincount(step * topics + topic, minlength=(steps + 1) * topics)
    return counts.reshape(steps + 1, topics)[:steps].cumsum(axis=0)


def _graded(judgments: Judgments, *, at_least: float = 0) -> Booleans:
    """Return which rows have at least this grade; below 0 is pooled and not judged."""
    return judgments.judged & (judgments.scale[judgments.codes] >= at_least)
