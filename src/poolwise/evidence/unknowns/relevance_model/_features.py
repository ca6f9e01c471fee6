"""What tells the relevance of a pool's documents: who holds them, where, and who is of a kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import BEYOND, UNJUDGED, Grades
from poolwise.evidence._labelled_rows import grades_of_rows
from poolwise.evidence._pool_shape import PoolShape
from poolwise.words import counted

__all__ = [
    "AGREEMENT",
    "FEATURES",
    "FEWEST_KINDS",
    "LISTS",
    "QUALITY",
    "RANK_FEATURES",
    "Held",
    "ModelledDocuments",
    "PooledDocuments",
    "Units",
    "document_codes",
    "document_features",
    "gather_documents",
    "group_quality",
    "has_non_relevant",
    "held_by_groups",
    "kinds_of_runs",
    "machine_features",
    "odds_of_relevance",
    "rank_columns",
    "rank_profile",
    "require_non_relevant",
    "shared_documents",
    "units_text",
    "with_units",
]

LISTS = 100
"""The ranks of every list that the model looks at: further down, lists say more of their length
than of relevance."""


def has_non_relevant(grades: Grades) -> bool:
    """Tell whether a judged document is non-relevant, as those of MS MARCO are not.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> has_non_relevant(Evidence.from_grades([[1, None]]))
    False
    """
    return bool(grades.pool[:, grades.scale <= 0].any())


def require_non_relevant(grades: Grades, name: str) -> None:
    """Raise where no judged document is non-relevant, so that no rate of relevance is known.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> require_non_relevant(Evidence.from_grades([[1, None]]), "model")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: treatment: 'model' needs judged non-relevant documents, and the
        judgments hold relevant ones only. Hint: use the exact range (--treatment exact), or a
        measure of recall such as R@100 or RR@10; judge some non-relevant documents to have
        estimates.
    """
    if not has_non_relevant(grades):
        raise OptionError(
            f"treatment: {name!r} needs judged non-relevant documents, and the judgments hold "
            "relevant ones only. Hint: use the exact range (--treatment exact), or a measure of "
            "recall such as R@100 or RR@10; judge some non-relevant documents to have estimates."
        )


_ENTRIES = 1 << 15
"""Entries that are worked on at a time."""


@dataclass(frozen=True, eq=False)
class Held:
    """Which groups hold each document within the first ranks, and where: one entry for each.

    Entries stand by document, then by rank, then by group; every document has one at least.

    Attributes
    ----------
    starts : int array, documents + 1
        Where the entries of each document start.
    groups : int array, entries
        The group.
    ranks : float32 array, entries
        The best rank, from 1, that a run of the group gives the document.
    nominates : bool array, entries
        Whether a pooled run of the group holds it within the depth of the pool.
    """

    starts: Integers
    groups: NDArray[np.int32]
    ranks: NDArray[np.float32]
    nominates: Booleans

    @cached_property
    def counts(self) -> Integers:
        """How many groups hold each document."""
        return np.diff(self.starts)

    @cached_property
    def documents(self) -> Integers:
        """The document of each entry."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def places(self) -> Indices:
        """The group of each entry, as numpy looks things up."""
        return self.groups.astype(np.intp)

    @cached_property
    def weights(self) -> Floats:
        """1 / rank of each entry."""
        return 1 / self.ranks.astype(np.float64)

    @cached_property
    def summed_weights(self) -> Floats:
        """Σ 1/rank of each document."""
        return self.sums(self.weights)

    @cached_property
    def nominations(self) -> tuple[Integers, Integers]:
        """How many groups nominate each document, and the sum of their numbers."""
        groups = np.where(self.nominates, self.groups, 0)
        return self.sums(self.nominates.astype(np.int64)), self.sums(groups.astype(np.int64))

    @property
    def fused(self) -> Floats:
        """Σ 1/(60 + rank) of each document: reciprocal rank fusion."""
        return self.sums(1 / (_SMOOTHING + self.ranks.astype(np.float64)))

    @property
    def two_best(self) -> tuple[Floats, Floats]:
        """The best rank of each document, and that in a second group; ∞ where there is none."""
        first, several = self.starts[:-1], self.counts > 1
        second = np.full(len(first), np.inf)
        second[several] = self.ranks[first[several] + 1]
        return self.ranks[first].astype(np.float64), second

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up the values of the entries of each document."""
        return np.add.reduceat(values, self.starts[:-1]) if len(self.counts) else values[:0]

    def weighted_means(self, of_groups: Floats) -> Floats:
        """Return rows × documents: the mean of what groups have in each row, weighted by 1/rank."""
        found = np.empty((len(of_groups), len(self.counts)))
        # Some documents at a time, so that their entries stay in the processor's cache.
        edges = np.searchsorted(self.starts, np.arange(0, len(self.groups), _ENTRIES))
        for first, past in pairwise([*edges.tolist(), len(self.counts)]):
            here = slice(self.starts[first], self.starts[past])
            groups, weights = self.places[here], self.weights[here]
            starts = self.starts[first:past] - self.starts[first]
            for row, of_group in zip(found, of_groups, strict=True):
                np.add.reduceat(weights * of_group.take(groups), starts, out=row[first:past])
        return np.divide(found, self.summed_weights, out=found)

    def entries(self, documents: Indices) -> Indices:
        """Return where the entries of these documents stand."""
        counts = self.counts[documents]
        # From the start of each on, one after the other.
        skipped = self.starts[documents] - np.cumsum(counts) + counts
        return np.repeat(skipped, counts) + np.arange(counts.sum())

    def select(self, kept: Booleans) -> "Held":
        """Return the entries of these documents."""
        some = self.entries(np.flatnonzero(kept))
        starts = np.append(0, np.cumsum(self.counts[kept]))
        return Held(starts, self.groups[some], self.ranks[some], self.nominates[some])


RANK_FEATURES = (
    "log of the summed 1/(60 + rank)",
    "log of the best rank",
    "log of the second-best rank",
    "log of 1 + groups that hold it",
)
"""What the columns of :func:`rank_profile` are."""

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher's constant of reciprocal rank fusion."""
_ABSENT = 2
"""How many list lengths down a document stands in a group that does not hold it."""


def rank_profile(held: Held, longest: int) -> Floats:
    """Return documents × features, in the order of ``RANK_FEATURES``.

    ``longest`` is the length of the longest list, as far as the model looks.

    Examples
    --------
    >>> ranks = np.array([1, 2, 3], np.float32)
    >>> held = Held(np.array([0, 1, 3]), np.array([0, 0, 1]), ranks, np.ones(3, np.bool_))
    >>> rank_profile(held, 10)[:, 1:3].round(2).tolist()
    [[0.0, 3.0], [0.69, 1.1]]
    """
    return rank_columns(held.fused, *held.two_best, held.counts, longest)


def rank_columns(
    fused: Floats, best: Floats, second: Floats, groups: Integers, longest: int
) -> Floats:
    """Return documents × features; ``second`` is ∞ where one group alone holds a document.

    Examples
    --------
    >>> far = np.array([np.inf])
    >>> rank_columns(np.array([1 / 61]), np.array([1.0]), far, np.array([1]), 10).round(2).tolist()
    [[-4.11, 0.0, 3.0, 0.69]]
    """
    second = np.where(np.isinf(second), float(_ABSENT * longest), second)
    columns = [np.log(fused), np.log(best), np.log(second), np.log1p(groups)]
    return np.stack(columns, axis=1)


class ModelledDocuments(Protocol):
    """Documents that a relevance model is fitted to, and asked about."""

    @property
    def evidence(self) -> Evidence:
        """The runs, met with the judgments."""

    @property
    def pool(self) -> PoolShape:
        """How the judgments came about, and the names of groups."""

    @property
    def rows(self) -> Integers:
        """The row of the evidence, ascending for those that are asked about."""

    @property
    def topics(self) -> Indices:
        """The topic of each document."""

    @property
    def codes(self) -> NDArray[np.integer]:
        """The grade code; negative where there is none."""

    @property
    def owner(self) -> Indices:
        """The group that alone nominates the document; −1 where none or several do."""

    @property
    def judged(self) -> Booleans:
        """Which documents have a grade."""

    @property
    def best(self) -> NDArray[np.float32]:
        """The best rank of each document in any run."""

    @property
    def homes(self) -> NDArray[np.int32]:
        """The group that ranks each document highest."""

    @property
    def spreads(self) -> Mapping[float, tuple[float, float]]:
        """By grade, how much groups differ, on all topics and on one, where that is known."""

    def __len__(self) -> int: ...

    def features(self, levels: Sequence[int]) -> tuple[Floats, Floats]:
        """Return what tells relevance: documents × features, and quality, thresholds × documents.

        ``levels`` are the grade codes from which a document counts as relevant: see
        :func:`document_features`.
        """

    def select(self, kept: Booleans) -> Self:
        """Return these documents only."""


@dataclass(frozen=True, eq=False)
class PooledDocuments:
    """Judged documents, and unjudged ones that are asked about, within the first ranks of lists.

    Attributes
    ----------
    rows, topics : int array, documents
        The row of the evidence, ascending, and the topic.
    codes : int array, documents
        The grade code; negative where there is none.
    held : Held
        Which groups hold each document, and where.
    profile : float array, documents × rank features
        What the ranks alone say: see :func:`rank_profile`.
    holders : int array, documents
        How many groups hold the document within the depth of the pool.
    nominators : int array, documents
        How many groups' pooled runs do.
    owner : int array, documents
        The group that alone nominates the document; −1 where none or several do.
    labelled : bool array, documents
        Whether a machine gave it a grade.
    machine : float array, documents × columns
        What the machine's grades say: see :func:`machine_features`.
    unit_of : int array, groups
        What is left out together, for calibration: see :meth:`without_unit`.
    counts : int array, topics × grades
        How many judged documents of each grade a topic has, retrieved or not.
    before : PooledDocuments, optional
        The same documents with the unit that was left out: most of what it knows still holds.
    """

    evidence: Evidence
    pool: PoolShape
    rows: Integers
    topics: Indices
    codes: NDArray[np.integer]
    held: Held
    profile: Floats
    holders: Integers
    nominators: Integers
    owner: Indices
    labelled: Booleans
    machine: Floats
    unit_of: Indices
    counts: Integers
    before: Self | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Booleans:
        """Which documents have a grade."""
        return np.asarray(self.codes >= 0)

    @property
    def best(self) -> NDArray[np.float32]:
        """The best rank of each document in any run."""
        return self.held.ranks[self.held.starts[:-1]]

    @property
    def homes(self) -> NDArray[np.int32]:
        """The group that ranks each document highest, the first of several."""
        return self.held.groups[self.held.starts[:-1]]

    @cached_property
    def of_judged(self) -> Self:
        """The judged documents, which is what all units that are left out share."""
        return self.select(self.judged)

    @cached_property
    def owning_unit(self) -> Indices:
        """The unit that alone nominates each document; −1 where none or several do."""
        held, units = self.held, self.unit_of[self.held.groups]
        past = len(self.unit_of)
        first, last = np.full(len(self), past), np.full(len(self), -1)
        np.minimum.at(first, held.documents[held.nominates], units[held.nominates])
        np.maximum.at(last, held.documents[held.nominates], units[held.nominates])
        return np.where(first == last, last, -1)

    @cached_property
    def bringing_units(self) -> Indices:
        """The units that have brought in a judged document alone, ascending."""
        owners = self.owning_unit[self.judged]
        return np.unique(owners[owners >= 0])

    def count_new_units(self, unsure: Booleans) -> int:
        """Return how many units have no pooled run, and one of which this is true."""
        units, pooled = self.unit_of[self.pool.group_of], self.pool.pooled
        return len(np.setdiff1d(units[unsure & ~pooled], units[pooled]))

    def without_unit(self, unit: int) -> Self:
        """Return the same as if the groups of this unit had come too late for the pool.

        What they alone brought in is unjudged, and nothing else is asked about: documents that
        were unjudged before are left out.
        """
        of_judged = self.of_judged
        hidden = of_judged.owning_unit == unit
        counts = of_judged.counts.copy()
        np.subtract.at(counts, (of_judged.topics[hidden], of_judged.codes[hidden]), 1)
        nominators, owner = _nominations(of_judged.held, of_judged._nominated_by(unit))  # noqa: SLF001
        return replace(
            of_judged,
            codes=np.where(hidden, UNJUDGED, of_judged.codes).astype(of_judged.codes.dtype),
            counts=counts,
            nominators=nominators,
            owner=owner,
            before=of_judged,
        )

    def _nominated_by(self, unit: int) -> Indices:
        """Return the entries by which the groups of this unit nominate documents."""
        units, entries = self._by_unit
        first, past = np.searchsorted(units, [unit, unit + 1])
        return entries[first:past]

    @cached_property
    def _by_unit(self) -> tuple[Indices, Indices]:
        """The units that nominate, ascending, and the entry of each."""
        nominating = np.flatnonzero(self.held.nominates)
        units = self.unit_of[self.held.groups[nominating]]
        order = np.argsort(units, kind="stable")
        return units[order], nominating[order]

    @cached_property
    def _chosen(self) -> Booleans:
        """Which documents tell the quality of those that hold them."""
        # Without any pooled run whoever holds a document nominates it.
        nominators = self.nominators if self.nominators.any() else self.holders
        return np.asarray(self.judged & (self.holders > 1) & (nominators > 0))

    @cached_property
    def shared_grades(self) -> tuple[Integers, Integers]:
        """How many documents of each grade tell of quality: groups × grades, and in all.

        A group counts what it holds within the depth of the pool, but for what it alone nominates.
        """
        grades = len(self.evidence.scale)
        total = np.bincount(self.codes[self._chosen], minlength=grades)
        if self.before is None:
            return self._shared_by_group(np.arange(len(self))), total
        # What a unit leaves behind is nearly what there was: only what changes is counted again.
        before = self.before
        changed = np.flatnonzero(
            (self._chosen != before._chosen) | (self.owner != before.owner)  # noqa: SLF001
        )
        counts, _ = before.shared_grades
        lost = before._shared_by_group(changed)  # noqa: SLF001
        return counts - lost + self._shared_by_group(changed), total

    def _shared_by_group(self, documents: Indices) -> Integers:
        """Count what each group shares of these documents, groups × grades."""
        held, chosen = self.held, documents[self._chosen[documents]]
        entries = held.entries(chosen)
        which, groups = np.repeat(chosen, held.counts[chosen]), held.groups[entries]
        within = (held.ranks[entries] <= self.pool.depth) & (self.owner[which] != groups)
        grades = len(self.evidence.scale)
        cells = groups[within].astype(np.intp) * grades + self.codes[which[within]]
        count = len(self.pool.groups)
        return np.bincount(cells, minlength=count * grades).reshape(count, grades)

    @property
    def spreads(self) -> Mapping[float, tuple[float, float]]:
        """None are known beforehand: the effects of groups show in the documents."""
        return {}

    def features(self, levels: Sequence[int]) -> tuple[Floats, Floats]:
        """Return what tells relevance: see :func:`document_features`."""
        return document_features(self, levels)

    def select(self, kept: Booleans) -> Self:
        """Return these documents only; the counts stay."""
        parts = {name: getattr(self, name)[kept] for name in _BY_DOCUMENT}
        return replace(self, held=self.held.select(kept), before=None, **parts)


_BY_DOCUMENT = (
    *("rows", "topics", "codes", "profile", "holders", "nominators", "owner"),
    *("labelled", "machine"),
)


def _nominations(held: Held, without: Indices) -> tuple[Integers, Indices]:
    """Return how many groups nominate each document, and which one does where it is one.

    ``without`` are entries that do not count.
    """
    nominators, group = held.nominations
    documents, groups = held.documents[without], held.groups[without]
    nominators = nominators - np.bincount(documents, minlength=len(nominators))
    # Whole numbers, however they are added up.
    lost = np.bincount(documents, groups, minlength=len(group)).astype(np.int64)
    return nominators, np.where(nominators == 1, group - lost, -1)


def gather_documents(
    evidence: Evidence, pool: PoolShape, *, reach: int = LISTS, labels: Labels | None = None
) -> PooledDocuments:
    """Gather the documents of the first ranks that are judged, or stand within a reach.

    Parameters
    ----------
    evidence : Evidence
    pool : PoolShape
        Says who nominates what, and which runs are a group.
    reach : int
        To this rank unjudged documents are asked about; by default as far as the model looks.
    labels : Labels, optional
        Labels by one machine, whose grades tell relevance too.

    Examples
    --------
    >>> from poolwise.evidence._pool_shape import find_pool
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> documents = gather_documents(evidence, find_pool(evidence, depth=2), reach=2)
    >>> documents.rows.tolist(), documents.codes.tolist(), documents.best.tolist()
    ([0, 1, 2], [1, -2, 0], [1.0, 2.0, 3.0])
    """
    codes = document_codes(evidence)
    rows, held = held_by_groups(evidence, pool)
    kept = (codes[rows] >= 0) | (held.ranks[held.starts[:-1]] <= reach)
    rows, held = rows[kept], held.select(kept)
    nominators, owner = _nominations(held, np.empty(0, np.intp))
    grades = _machine_grades(labels, evidence, rows)
    return PooledDocuments(
        evidence=evidence,
        pool=pool,
        rows=rows,
        topics=np.searchsorted(evidence.document_starts, rows, side="right") - 1,
        codes=codes[rows],
        held=held,
        profile=rank_profile(held, min(evidence.depth, LISTS)),
        holders=held.sums((held.ranks <= pool.depth).astype(np.int64)),
        nominators=nominators,
        owner=owner,
        labelled=~np.isnan(grades),
        machine=machine_features(grades, codes[rows] >= 0),
        unit_of=np.arange(len(pool.groups)),
        counts=evidence.pool,
    )


def _machine_grades(labels: Labels | None, evidence: Evidence, rows: Integers) -> Floats:
    nothing = np.full(len(rows), np.nan)
    return nothing if labels is None else grades_of_rows(labels, evidence, rows)


def held_by_groups(evidence: Evidence, pool: PoolShape) -> tuple[Integers, Held]:
    """Return the rows of the documents in the first ranks, and which groups hold them where."""
    rows, ranks, groups, nominates = _sorted_entries(evidence, pool)
    if pool.told:
        # Of several runs of a group the best rank counts, and whether any nominates.
        cell = rows * len(pool.groups) + groups
        _, first, which = np.unique(cell, return_index=True, return_inverse=True)
        any_nominates = np.bincount(which, nominates) > 0
        kept = np.sort(first)
        rows, ranks, groups = rows[kept], ranks[kept], groups[kept]
        nominates = any_nominates[which[kept]]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    return rows[starts], Held(
        np.append(starts, len(rows)),
        groups.astype(np.int32),
        ranks.astype(np.float32),
        nominates,
    )


def _sorted_entries(
    evidence: Evidence, pool: PoolShape
) -> tuple[Integers, Integers, Integers, Booleans]:
    """Return row, rank and group of every document in the first ranks, and whether it nominates.

    They come by document, then rank, then group, whatever the order of the runs.
    """
    rows, systems, ranks = _entries(evidence)
    nominates = pool.pooled[systems] & (ranks <= pool.depth)
    # All four in one number, since numbers are sorted much faster than what is to be moved along.
    cells = (rows * (LISTS + 1) + ranks) * len(pool.groups) + pool.group_of[systems]
    cells = np.sort(cells * 2 + nominates)
    nominates = (cells & 1).astype(np.bool_)
    cells //= 2
    ranked = cells // len(pool.groups)
    rows = ranked // (LISTS + 1)
    return rows, ranked - rows * (LISTS + 1), cells - ranked * len(pool.groups), nominates


def _entries(evidence: Evidence) -> tuple[Integers, Integers, Integers]:
    """Return row, system and rank of every document in the first ranks of a list."""
    parts = []
    for block in evidence.blocks:
        documents = block.documents[:, :, :LISTS]
        systems, topics, ranks = np.nonzero(documents >= 0)
        rows = block.document_starts[topics] + documents[systems, topics, ranks]
        parts.append((rows, systems, ranks + 1))
    rows, systems, ranks = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows.astype(np.int64), systems.astype(np.int64), ranks.astype(np.int64)


def document_codes(evidence: Evidence) -> NDArray[np.integer]:
    """Return the grade code of each document row; BEYOND where no run holds the document."""
    # Every fit and every forecast asks, and the lists are long.
    if (known := evidence.memo.get("document codes")) is not None:
        return np.asarray(known)
    codes = np.full(len(evidence.document_ids), BEYOND, evidence.blocks[0].codes.dtype)
    for block in evidence.blocks:
        retrieved = block.documents >= 0
        codes[block.rows(block.documents)[retrieved]] = block.codes[retrieved]
    codes.flags.writeable = False
    evidence.memo["document codes"] = codes
    return codes


FEATURES = (*RANK_FEATURES, "quality of the groups that hold it")
"""What the first features of a document are, in the order of the model's coefficients."""

AGREEMENT, QUALITY = 0, len(RANK_FEATURES)
"""The column whose effect differs by topic, and the one whose product with it is a column too."""

_PSEUDO_DOCUMENTS = 20
"""Documents of average precision that a group starts with."""


def document_features(documents: PooledDocuments, levels: Sequence[int]) -> tuple[Floats, Floats]:
    """Return what is alike for all thresholds, documents × features, and what is not.

    The first are those of ``RANK_FEATURES``, and what a machine's grades say: see
    :func:`machine_features`. The other, thresholds × documents, is the quality of the groups that
    hold a document; ``levels`` are the grade codes from which it counts as relevant.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.evidence._pool_shape import find_pool
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> documents = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> document_features(documents, [1])[0][:, 1].round(2).tolist()
    [0.0, 0.69, 1.1]
    """
    qualities = documents.held.weighted_means(group_quality(documents, levels))
    return np.column_stack([documents.profile, documents.machine]), qualities


def machine_features(grades: Floats, judged: Booleans) -> Floats:
    """Return documents × columns: whether a machine's grade reaches each level but the lowest.

    A document without a label has what judged documents have on average, and a column of its own
    says so, if there are any. Without any label there are no columns.

    Examples
    --------
    >>> machine_features(np.array([0.0, 2.0, np.nan]), np.ones(3, np.bool_)).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]
    """
    labelled = ~np.isnan(grades)
    levels = np.unique(grades[labelled])[1:]
    reached = (grades[:, None] >= levels).astype(np.float64)
    reached[~labelled] = (
        reached[labelled & judged].mean(axis=0) if (labelled & judged).any() else 0.0
    )
    # Where nobody, or everybody, has a label, that tells nothing.
    lacking = (
        ~labelled[:, None] if labelled.any() and not labelled.all() else np.empty((len(grades), 0))
    )
    return np.column_stack([reached, lacking])


def group_quality(documents: PooledDocuments, levels: Sequence[int]) -> Floats:
    """Return the log odds of relevance of what each group holds together with another pooled one.

    What a group alone holds was judged only if it was pooled, and what it shares with a new group
    only if one of the two was; what it shares with another pooled group was judged in any case,
    so that pooled and new groups compare.

    Parameters
    ----------
    documents : PooledDocuments
    levels : sequence of int
        The grade codes from which a judged document is relevant: one for each threshold.

    Returns
    -------
    float array, thresholds × groups
    """
    counts, total = documents.shared_grades
    judged, chosen = counts.sum(axis=1), int(total.sum())
    rows = [
        odds_of_relevance(counts[:, level:].sum(axis=1), judged, int(total[level:].sum()), chosen)
        for level in levels
    ]
    return np.array(rows).reshape(len(levels), len(documents.pool.groups))


def odds_of_relevance(
    hits: Floats | Integers, judged: Integers, relevant: int, count: int
) -> Floats:
    """Return the log odds of relevance of what groups hold, drawn to those of all documents.

    ``hits`` of the ``judged`` documents of each group are relevant, and ``relevant`` of the
    ``count`` of all.

    Examples
    --------
    >>> odds_of_relevance(np.array([0.0, 10.0]), np.array([0, 10]), 1, 2)
    array([0.        , 0.69314718])
    """
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (relevant + 0.5) / (count + 1)
    precision = (hits + _PSEUDO_DOCUMENTS * usual) / (judged + _PSEUDO_DOCUMENTS)
    return np.asarray(np.log(precision / (1 - precision)))


FEWEST_KINDS = 5
"""With fewer kinds of pooled runs no level is worth a promise."""
_ENOUGH_KINDS = 19
"""As many promise 95%: a new one is the worst of 20 in 5% of cases."""
_ENOUGH_GIVEN = 10
"""Kinds of runs, pooled or new, whose agreement tells more than a run's own judged documents do."""
_ALIKE = 0.6
"""Runs that share so much of their first ranks, on average, are of one kind."""


@dataclass(frozen=True)
class Units:
    """What is left out in turn.

    Attributes
    ----------
    what : str
        ``"group"``, ``"kind of run"`` or ``"run"``.
    kinds : int
        How many groups, or kinds of pooled runs, have brought in a document alone.
    given : int
        How many groups, or kinds of runs, there are, pooled or not.
    """

    what: str
    kinds: int
    given: int = 0

    @property
    def enough(self) -> bool:
        """Whether ranges can be calibrated on them."""
        return self.kinds >= FEWEST_KINDS

    @property
    def is_modelled(self) -> bool:
        """Whether a relevance model has enough to learn from to be the estimate."""
        return self.enough or self.given >= _ENOUGH_GIVEN

    @property
    def too_few(self) -> str:
        """Why ranges are not calibrated: how many there are, and how many are needed."""
        how_many = (
            counted(self.kinds, "pooled group")
            if self.what == "group"
            else f"{counted(self.kinds, 'kind')} of pooled runs"
        )
        return f"{how_many}, {FEWEST_KINDS} are needed"


def units_text(units: int, what: str) -> str:
    """Return how many units, in words.

    Examples
    --------
    >>> units_text(36, "kind of run"), units_text(1, "group")
    ('36 kinds of runs', '1 group')
    """
    return f"{counted(units, 'kind')} of runs" if what == "kind of run" else counted(units, what)


def with_units(documents: PooledDocuments) -> tuple[PooledDocuments, Units]:
    """Say what is left out of the pool together, for calibration.

    Groups, if they were told. Else runs that are alike, if there are 19 kinds of them or more; of
    fewer kinds, each run alone. A unit has brought in a judged document alone.
    """
    if documents.pool.told:
        return documents, Units("group", _count(documents), len(documents.pool.groups))
    kinds = kinds_of_runs(documents.evidence, documents.pool.depth)
    # Without told groups each run is one, in the order of names.
    of_group = np.empty(len(documents.pool.groups), np.intp)
    of_group[documents.pool.group_of] = kinds
    alike = replace(documents, unit_of=of_group)
    count, all_kinds = _count(alike), len(np.unique(kinds))
    if count >= _ENOUGH_KINDS:
        return alike, Units("kind of run", count, all_kinds)
    return documents, Units("run", count, all_kinds)


def _count(documents: PooledDocuments) -> int:
    return len(documents.bringing_units)


def kinds_of_runs(evidence: Evidence, depth: int) -> Indices:
    """Return the kind of each run: clusters by average linkage of the documents that they share.

    Examples
    --------
    >>> import poolwise as pw
    >>> lists = {"a": ["x", "y"], "b": ["y", "x"], "c": ["u", "v"]}
    >>> runs = pw.Runs.from_rankings({name: {"1": ids} for name, ids in lists.items()})
    >>> evidence = pw.align(pw.Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> kinds_of_runs(evidence, 2).tolist()
    [0, 0, 1]
    """
    count = len(evidence.systems)
    if count < 2:
        return np.zeros(count, np.intp)
    # In the order of names, so that ties are broken alike whatever the order of the files.
    order = np.argsort(np.array(evidence.systems, object), kind="stable")
    alike = shared_documents(evidence, depth)[np.ix_(order, order)]
    kinds = np.empty(count, np.intp)
    kinds[order] = _clusters(1 - alike[np.triu_indices(count, 1)], 1 - _ALIKE + 1e-9)
    return kinds


def _clusters(apart: Floats, most: float) -> Indices:
    """Return the cluster of each of several, by the distances between all pairs of them."""
    if len(apart) == 1:  # of two, which the loading of scipy would take longest
        return np.array([0, int(apart[0] > most)])
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415, late: slow to import

    clusters = fcluster(linkage(apart, "average"), most, criterion="distance")
    return np.asarray(np.unique(clusters, return_inverse=True)[1])


def shared_documents(evidence: Evidence, depth: int) -> Floats:
    """Return the documents that two runs share in their first ranks, of those of the smaller.

    Examples
    --------
    >>> shared_documents(Evidence.from_grades([[1, 0], [0]]), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    shared = np.zeros((len(evidence.systems),) * 2, np.float32)
    for block in evidence.blocks:
        for topic in range(block.documents.shape[1]):
            documents = block.documents[:, topic, :depth]
            # Of documents further down there are many times more. Those that are beyond the end of
            # a list come first, if any are, and are left out.
            there, column = np.unique(documents, return_inverse=True)
            holds = np.zeros((len(documents), len(there)), np.float32)
            holds[np.arange(len(documents))[:, None], column.reshape(documents.shape)] = 1
            holds = holds[:, np.searchsorted(there, 0) :]
            shared += holds @ holds.T
    held = np.diag(shared)
    return np.asarray(shared / np.maximum(np.minimum(held[:, None], held), 1), np.float64)
