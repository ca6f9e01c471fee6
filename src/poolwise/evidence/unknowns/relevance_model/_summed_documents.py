"""What the runs of a pool say of its documents together, without saying which run holds what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import UNJUDGED
from poolwise.evidence._pool_shape import PoolShape
from poolwise.evidence.unknowns.relevance_model._features import (
    LISTS,
    Held,
    PooledDocuments,
    document_codes,
    group_quality,
    held_by_groups,
    odds_of_relevance,
    rank_columns,
)

__all__ = ["MetDocuments", "SummedDocuments", "meet_documents", "sum_documents"]

_STEP = 0.02
"""Qualities of groups, in log odds, are rounded to this: an exact one would tell from a document
that a single group holds which group that is."""


@dataclass(frozen=True, eq=False)
class SummedDocuments:
    """The documents of the first ranks of all runs, with sums over the groups that hold them.

    Attributes
    ----------
    topics : tuple of str
    starts : int array, topics + 1
        The documents of topic ``t`` are ``starts[t]:starts[t + 1]``.
    ids : IdTable
        Their ids.
    grades : float array, documents
        NaN where there is none.
    fused : float array, documents
        Σ 1/(60 + rank) over groups.
    best, second : float array, documents
        The two best ranks in groups; ∞ where there is no second.
    groups, holders : int array, documents
        How many groups hold the document in the first ranks, and within the depth of the pool.
    nominated : bool array, documents
        Whether a pooled run holds it within the depth of the pool.
    weight : float array, documents
        Σ 1/rank over groups.
    levels : float array, thresholds
        The grades from which a document counts as relevant.
    quality : float array, thresholds × documents
        Σ quality/rank over groups.
    longest : int
        The length of the longest list, as far as the model looks.
    """

    topics: tuple[str, ...]
    starts: Integers
    ids: IdTable
    grades: Floats
    fused: Floats
    best: Floats
    second: Floats
    groups: Integers
    holders: Integers
    nominated: Booleans
    weight: Floats
    levels: Floats
    quality: Floats
    longest: int

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def topic_of(self) -> Indices:
        """The topic of each document."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))


def sum_documents(documents: PooledDocuments) -> SummedDocuments:
    """Add up what groups say of each document.

    Examples
    --------
    >>> from poolwise.evidence._pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> summed = sum_documents(gather_documents(evidence, find_pool(evidence, depth=2)))
    >>> summed.best.tolist(), summed.groups.tolist(), summed.grades.tolist()
    ([1.0, 2.0, 3.0], [1, 1, 1], [1.0, nan, 0.0])
    """
    evidence, held = documents.evidence, documents.held
    lowest = int(np.searchsorted(evidence.scale, 0, side="right"))
    levels = [c for c in np.unique(documents.codes[documents.judged]).tolist() if c >= lowest]
    qualities = np.round(group_quality(documents, levels) / _STEP) * _STEP
    summed = [held.sums(held.weights * of_group[held.groups]) for of_group in qualities]
    nominators = documents.nominators if documents.nominators.any() else documents.holders
    best, second = held.two_best
    topics = len(evidence.topics)
    return SummedDocuments(
        topics=evidence.topics,
        starts=np.searchsorted(documents.topics, np.arange(topics + 1)),
        ids=evidence.document_ids.take(documents.rows),
        grades=np.where(documents.judged, evidence.scale[documents.codes], np.nan),
        fused=held.fused,
        best=best,
        second=second,
        groups=held.counts,
        holders=documents.holders,
        nominated=np.asarray(nominators > 0),
        weight=held.summed_weights,
        levels=evidence.scale[levels],
        quality=np.array(summed).reshape(len(levels), len(documents)),
        longest=min(evidence.depth, LISTS),
    )


@dataclass(frozen=True, eq=False)
class MetDocuments:
    """A pool's judged documents and those of new runs, with what all groups say of each.

    Attributes
    ----------
    rows : int array, documents
        The row of the evidence; −1 where no new run holds the document.
    best : float32 array, documents
        The best rank of each document in a new run, which is what a measure's cut-off asks for.
    profile : float array, documents × rank features
        Old and new groups together.
    quality_sums : float array, thresholds × documents
        Σ quality/rank over the groups of the pool, at the grades ``levels``.
    weight : float array, documents
        Σ 1/rank over all groups.
    chosen : bool array, documents
        Judged, and held within the depth of the pool by a pooled group and another one.
    held : Held
        Where the new groups hold the documents ``entries``.
    """

    evidence: Evidence
    pool: PoolShape
    rows: Integers
    topics: Indices
    codes: NDArray[np.integer]
    owner: Indices
    best: NDArray[np.float32]
    homes: NDArray[np.int32]
    profile: Floats
    levels: Floats
    quality_sums: Floats
    weight: Floats
    chosen: Booleans
    held: Held
    entries: Indices
    spreads: Mapping[float, tuple[float, float]]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Booleans:
        """Which documents have a grade."""
        return np.asarray(self.codes >= 0)

    def features(self, levels: Sequence[int]) -> tuple[Floats, Floats]:
        """Return what is alike for all thresholds, and the quality of groups at each."""
        qualities = [self._quality(self.codes >= level) / self.weight for level in levels]
        return self.profile, np.array(qualities).reshape(len(levels), len(self))

    def _quality(self, reached: Booleans) -> Floats:
        """Return Σ quality/rank over all groups, at the threshold that these documents reach."""
        held = self.held
        document = self.entries[held.documents]
        within = (held.ranks <= self.pool.depth) & self.chosen[document]
        count = len(self.pool.groups)
        judged = np.bincount(held.groups[within], minlength=count)
        hits = np.bincount(held.groups[within], reached[document[within]], minlength=count)
        relevant = int(np.count_nonzero(reached[self.chosen]))
        of_group = odds_of_relevance(hits, judged, relevant, int(self.chosen.sum()))
        total = self.quality_sums[self._level(reached)].copy()
        total[self.entries] += held.sums(held.weights * of_group[held.groups])
        return total

    def _level(self, reached: Booleans) -> int:
        """Return the threshold of the sums that is nearest to this one, from below."""
        lowest = self.evidence.scale[self.codes[reached & self.judged]].min()
        return max(int(np.searchsorted(self.levels, lowest, side="right")) - 1, 0)

    def select(self, kept: Booleans) -> Self:
        """Return these documents only; what they were compared with is not needed any more."""
        parts = {name: getattr(self, name)[kept] for name in _BY_DOCUMENT}
        nothing = Held(
            np.zeros(1, np.int64),
            *(np.empty(0, kind) for kind in (np.int32, np.float32, np.bool_)),  # type: ignore[arg-type]
        )
        sums = self.quality_sums[:, kept]
        empty = np.empty(0, np.intp)
        return replace(self, quality_sums=sums, held=nothing, entries=empty, **parts)


_BY_DOCUMENT = (
    *("rows", "topics", "codes", "owner", "best", "homes", "profile", "weight", "chosen"),
)


def meet_documents(
    summed: SummedDocuments,
    evidence: Evidence,
    pool: PoolShape,
    *,
    known: Booleans,
    spreads: Mapping[float, tuple[float, float]],
) -> MetDocuments:
    """Add what new runs say to the sums of a pool's documents.

    Parameters
    ----------
    summed : SummedDocuments
    evidence : Evidence
        The new runs, met with the judgments.
    pool : PoolShape
        Its depth is that of the pool, and its groups are those of the new runs; further ones stand
        for groups of the pool, nobody knows which.
    known : bool array, systems
        The runs that are in the sums already.
    spreads : mapping
        By grade, how much groups of the pool differ.
    """
    rows, held = held_by_groups(evidence, pool)
    entries, held = _of_new(rows, held, pool, known)
    places = _Places.of(summed, evidence, rows)
    fused, weight = places.spread(summed.fused), places.spread(summed.weight)
    of_entry = np.searchsorted(rows, entries)  # new runs' documents come first
    fused[of_entry] += held.fused
    weight[of_entry] += held.summed_weights
    counts, holders = places.spread(summed.groups), places.spread(summed.holders)
    counts[of_entry] += held.counts
    holders[of_entry] += held.sums((held.ranks <= pool.depth).astype(np.int64))
    best, second, homes = _two_best(summed, places, held, of_entry, pool)
    codes = places.codes(summed, evidence)
    nominated = places.spread(summed.nominated)
    own_best = np.full(len(places.row), np.inf, np.float32)
    own_best[: len(rows)] = _best_ranks(evidence, rows)
    return MetDocuments(
        evidence=evidence,
        pool=pool,
        rows=places.row,
        topics=places.topic,
        codes=codes,
        owner=np.full(len(places.row), -1),
        best=own_best,
        homes=homes,
        profile=rank_columns(fused, best, second, counts, max(summed.longest, _longest(evidence))),
        levels=summed.levels,
        quality_sums=np.array([places.spread(of) for of in summed.quality]).reshape(
            len(summed.levels), -1
        ),
        weight=weight,
        chosen=(codes >= 0) & (holders > 1) & nominated,
        held=held,
        entries=of_entry,
        spreads=spreads,
    )


def _longest(evidence: Evidence) -> int:
    return min(evidence.depth, LISTS)


def _of_new(
    rows: Integers, held: Held, pool: PoolShape, known_runs: Booleans
) -> tuple[Integers, Held]:
    """Return the rows that groups hold which are not in the sums, and where."""
    old = np.zeros(len(pool.groups), np.bool_)
    old[pool.group_of[known_runs]] = True
    kept = ~old[held.groups]
    counts = np.bincount(held.documents[kept], minlength=len(rows))
    some = counts > 0
    starts = np.append(0, np.cumsum(counts[some]))
    return rows[some], Held(starts, held.groups[kept], held.ranks[kept], held.nominates[kept])


@dataclass(frozen=True, eq=False)
class _Places:
    """Documents of new runs, ascending, then judged ones of the pool that no new run holds.

    ``row`` is of the evidence, ``old`` of the sums; −1 where a document is not there.
    """

    row: Integers
    old: Indices
    topic: Indices

    @classmethod
    def of(cls, summed: SummedDocuments, evidence: Evidence, rows: Integers) -> "_Places":
        place = {topic: t for t, topic in enumerate(summed.topics)}
        topic_of_row = np.searchsorted(evidence.document_starts, rows, side="right") - 1
        edges = np.searchsorted(topic_of_row, np.arange(len(evidence.topics) + 1))
        places = np.full(len(rows), -1, np.intp)
        others, topics = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for t, name in enumerate(evidence.topics):
            if name not in place:
                continue
            first, past = summed.starts[place[name] : place[name] + 2].tolist()
            here = slice(*edges[t : t + 2].tolist())
            ids = summed.ids.take(np.arange(first, past))
            index = {document: first + i for i, document in enumerate(ids)}
            places[here] = [index.get(d, -1) for d in evidence.document_ids.take(rows[here])]
            left = ~np.isnan(summed.grades[first:past])
            left[places[here][places[here] >= 0] - first] = False
            others.append(first + np.flatnonzero(left))
            topics.append(np.full(int(left.sum()), t))
        rest = np.concatenate(others)
        return cls(
            np.concatenate([rows, np.full(len(rest), -1)]),
            np.concatenate([places, rest]),
            np.concatenate([topic_of_row, *topics]).astype(np.intp),
        )

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the sums by place; 0 where a document is not in them."""
        return np.where(self.old >= 0, values[self.old], values.dtype.type(0))

    def codes(self, summed: SummedDocuments, evidence: Evidence) -> NDArray[np.integer]:
        """Return grade codes: what the judgments at hand say, and for others what the sums do."""
        codes = np.append(document_codes(evidence), UNJUDGED)[self.row]
        grades = summed.grades[self.old]
        kept = np.where(
            np.isnan(grades), UNJUDGED, np.searchsorted(evidence.scale, np.nan_to_num(grades))
        )
        return np.where(self.row >= 0, codes, kept).astype(codes.dtype)


def _two_best(
    summed: SummedDocuments, places: _Places, held: Held, of_entry: Indices, pool: PoolShape
) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """Return the two best ranks over all groups, and the group with the best one."""
    inside = places.old >= 0
    ranks = np.full((len(places.row), 4), np.inf)
    ranks[inside, 0] = summed.best[places.old[inside]]
    ranks[inside, 1] = summed.second[places.old[inside]]
    ranks[of_entry, 2], ranks[of_entry, 3] = held.two_best
    # Whose it is, of the pool's groups, nobody knows: each document has one of them.
    new = int(pool.group_of.max(initial=-1)) + 1
    homes = new + np.maximum(places.old, 0) % max(len(pool.groups) - new, 1)
    nearer = ranks[:, 2] < ranks[:, 0]
    first = np.zeros(len(ranks), np.int64)
    first[of_entry] = held.groups[held.starts[:-1]]
    two = np.sort(ranks, axis=1)[:, :2]
    return two[:, 0], two[:, 1], np.where(nearer, first, homes).astype(np.int32)


def _best_ranks(evidence: Evidence, rows: Integers) -> NDArray[np.float32]:
    """Return the best rank that any run gives each of these rows."""
    best = np.full(len(evidence.document_ids), np.inf, np.float32)
    for block in evidence.blocks:
        documents = block.documents[:, :, :LISTS]
        systems, topics, ranks = np.nonzero(documents >= 0)
        at = block.document_starts[topics] + documents[systems, topics, ranks]
        np.minimum.at(best, at, (ranks + 1).astype(np.float32))
    return best[rows]
