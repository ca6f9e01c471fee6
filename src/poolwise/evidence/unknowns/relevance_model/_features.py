"""How a pool was made, and what tells its documents' relevance: who holds them, and where."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError, require_depth
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import BEYOND, POOLED, UNJUDGED, Block, Grades, join_topics
from poolwise.evidence._ungraded import judged_prefix_block

__all__ = [
    "AGREEMENT",
    "FEATURES",
    "QUALITY",
    "RANK_FEATURES",
    "READ_OFF",
    "PoolShape",
    "PooledDocuments",
    "document_codes",
    "document_features",
    "find_pool",
    "gather_documents",
    "group_quality",
    "has_non_relevant",
    "is_sampled",
    "judged_depths",
    "rank_profile",
    "require_non_relevant",
]

READ_OFF = "read off the judgments"
"""Where the depth of a pool comes from that nobody gave, if so much is judged that it shows."""

_FEWEST_RUNS, _FEWEST_RANKS = 3, 5
"""What must be judged on every topic before a pool is seen in it."""


@dataclass(frozen=True, eq=False)
class PoolShape:
    """Which runs were judged, how deep, and which of them belong together.

    Attributes
    ----------
    depth : int
        To this rank the pooled runs were judged.
    source : str
        Where the depth comes from: given, read off the judgments, or assumed.
    pooled : bool array, systems
        Which runs formed the pool.
    groups : tuple of str
        The names of the groups, in byte order.
    group_of : int array, systems
        The group of each run.
    """

    depth: int
    source: str
    pooled: Booleans
    groups: tuple[str, ...]
    group_of: Indices

    @property
    def pooled_groups(self) -> Indices:
        """The groups that have a pooled run."""
        return np.unique(self.group_of[self.pooled])


def find_pool(
    grades: Grades,
    *,
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    groups: Groups | None = None,
    otherwise: int = 10,
) -> PoolShape:
    """Find out how the pool was made, as far as nobody tells it.

    By default, its depth is the one at which depth × runs judged that deep on every topic is
    largest, ``otherwise`` where hardly any run is judged from the top on every topic; the runs
    that formed it are those judged to this depth on every topic; and each is a group of its own.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> lists = [[1, 0, 0, 1, 1, None], [0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0], [1, None, 1, 1]]
    >>> found = find_pool(Evidence.from_grades(lists))
    >>> found.depth, found.source, found.pooled.tolist()
    (5, 'read off the judgments', [True, True, True, False])
    """
    reached = judged_depths(grades)
    if depth is not None:
        require_depth(depth, longest=grades.depth)
    likely = _most_likely_depth(reached, grades.depth)
    known = depth or likely or otherwise
    source = "given" if depth else READ_OFF if likely else "assumed"
    members = reached >= known
    if pooled is not None:
        members = np.zeros(len(grades.systems), np.bool_)
        members[indices_of(pooled, grades.systems, what="pooled")] = True
    labels = grades.systems if groups is None else groups.select(grades.systems).labels
    names, group_of = np.unique(np.array(labels, object), return_inverse=True)
    return PoolShape(known, source, members, tuple(names.tolist()), group_of)


def judged_depths(grades: Grades) -> Floats:
    """Return to which rank each run is judged on every topic; ∞ where its lists are judged whole.

    Where judgments are a sample, the documents that could have been drawn count as judged: they
    were pooled. A run that answers nothing was never judged: 0.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> judged_depths(Evidence.from_grades([[1, 0, None], [0, 1, 1]])).tolist()
    [2.0, inf]
    """
    if not len(grades.topics):
        return np.zeros(len(grades.systems))
    prefix = join_topics(map(_pooled_prefix, grades.blocks))
    reached = np.where(prefix >= grades.lengths, np.inf, prefix).min(axis=1)
    return np.where(grades.lengths.any(axis=1), reached, 0.0)


def _pooled_prefix(block: Block) -> Integers:
    if not is_sampled(block):
        return judged_prefix_block(block)
    # No grade, and in the universe of the sample: as good as judged, to see the pool's depth.
    pooled = np.where(block.codes == POOLED, 0, block.codes)
    return judged_prefix_block(replace(block, codes=pooled))


def is_sampled(block: Block) -> bool:
    """Tell whether the judgments of a block are a sample."""
    return isinstance(block, DocumentBlock) and block.sample is not None


def _most_likely_depth(reached: Floats, longest: int) -> int | None:
    """Return the depth at which depth × runs judged that deep is largest; the deeper in a tie.

    None where only a few runs or ranks are judged so: by accident, then, and not by a pool.
    """
    depths: Integers = np.minimum(reached, longest).astype(np.int64)
    candidates = np.unique(depths[depths >= min(_FEWEST_RANKS, longest)])
    runs = (depths[:, None] >= candidates).sum(axis=0)
    candidates, runs = candidates[runs >= _FEWEST_RUNS], runs[runs >= _FEWEST_RUNS]
    if not len(candidates):
        return None
    return int(candidates[np.flatnonzero(runs * candidates == (runs * candidates).max())[-1]])


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


RANK_FEATURES = (
    "log of the summed 1/(60 + rank)",
    "log of the best rank",
    "log of the second-best rank",
    "log of 1 + groups to depth 100",
    "log of 1 + groups at any depth",
)
"""What the columns of :func:`rank_profile` are."""

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher's constant of reciprocal rank fusion."""
_ABSENT = 3
"""How many list lengths down a document stands in a group that does not hold it."""
_RANKS = 1 << 13
"""Documents at a time."""


def rank_profile(ranks: NDArray[np.float32], longest: int) -> Floats:
    """Return documents × features, in the order of ``RANK_FEATURES``.

    Parameters
    ----------
    ranks : float32 array, documents × groups
        The best rank of each document in each group; ∞ where none of its runs holds it.
    longest : int
        Length of the longest list.

    Examples
    --------
    >>> rank_profile(np.array([[1, np.inf], [2, 3]], np.float32), 10)[:, 1:3].round(2).tolist()
    [[0.0, 3.4], [0.69, 1.1]]
    """
    # A part at a time, since with many groups the ranks are most of what a model takes in memory.
    parts = np.split(ranks, range(_RANKS, len(ranks), _RANKS))
    return np.concatenate([_profile(part, float(_ABSENT * longest)) for part in parts])


def _profile(ranks: NDArray[np.float32], absent: float) -> Floats:
    nearest = np.full((len(ranks), 2), absent)
    lowest = np.partition(ranks, min(1, ranks.shape[1] - 1), axis=1)[:, :2]
    nearest[:, : lowest.shape[1]] = np.minimum(lowest, absent)
    columns = [
        np.log((1 / (_SMOOTHING + ranks.astype(np.float64))).sum(axis=1)),
        np.log(nearest[:, 0]),
        np.log(nearest[:, 1]),
        np.log1p((ranks <= 100).sum(axis=1)),
        np.log1p(np.isfinite(ranks).sum(axis=1)),
    ]
    return np.stack(columns, axis=1)


@dataclass(frozen=True, eq=False)
class PooledDocuments:
    """Judged documents, and unjudged ones down to the depth of the pool.

    Attributes
    ----------
    rows, topics : int array, documents
        The row of the evidence, ascending, and the topic.
    codes : int array, documents
        The grade code; negative where there is none.
    ranks : float32 array, documents × groups
        The best rank, from 1, in the runs of each group; ∞ where none holds the document.
    profile : float array, documents × rank features
        What the ranks alone say: see :func:`rank_profile`.
    holders : int array, documents
        How many groups hold the document within the depth of the pool.
    nominated : bool array, documents × groups
        Which groups' pooled runs do.
    nominators : int array, documents
        How many those groups are.
    owner : int array, documents
        The group that alone nominates the document; −1 where none or several do.
    counts : int array, topics × grades
        How many judged documents of each grade a topic has, retrieved or not.
    """

    evidence: Evidence
    pool: PoolShape
    rows: Integers
    topics: Indices
    codes: NDArray[np.integer]
    ranks: NDArray[np.float32]
    profile: Floats
    holders: Integers
    nominated: Booleans
    nominators: Integers
    owner: Indices
    counts: Integers

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Booleans:
        """Which documents have a grade."""
        return np.asarray(self.codes >= 0)

    @cached_property
    def best(self) -> NDArray[np.float32]:
        """The best rank of each document in any run."""
        return np.asarray(self.ranks.min(axis=1))

    @cached_property
    def _of_judged(self) -> Self:
        """The judged documents, which is what all groups that are left out share."""
        return self.select(self.judged)

    def without_group(self, group: int) -> Self:
        """Return the same as if this group had come too late for the pool.

        What it alone brought in is unjudged, and nothing else is asked about: documents that were
        unjudged before are left out.
        """
        known = self._of_judged
        hidden, its = known.owner == group, known.nominated[:, group]
        counts = known.counts.copy()
        np.subtract.at(counts, (known.topics[hidden], known.codes[hidden]), 1)
        nominated, nominators = known.nominated.copy(), known.nominators - its
        nominated[:, group] = False
        left_to_one = np.flatnonzero(its & (nominators == 1))
        owner = np.where(hidden, -1, known.owner)
        owner[left_to_one] = nominated[left_to_one].argmax(axis=1)
        return replace(
            known,
            codes=np.where(hidden, UNJUDGED, known.codes).astype(known.codes.dtype),
            counts=counts,
            nominated=nominated,
            nominators=nominators,
            owner=owner,
        )

    def select(self, kept: Booleans) -> Self:
        """Return these documents only; the counts stay."""
        parts = {name: getattr(self, name)[kept] for name in _BY_DOCUMENT}
        return replace(self, **parts)

    def hide(self, hidden: "PooledDocuments", systems: Indices) -> Evidence:
        """Return the lists of these systems, with these documents unjudged."""
        codes = np.full(len(self.evidence.document_ids), UNJUDGED, self.codes.dtype)
        codes[self.rows] = self.codes
        codes[hidden.rows] = UNJUDGED
        chosen = self.evidence.select(systems)
        return chosen.with_blocks(
            block.regrade(codes, hidden.counts[topics])
            for topics, block in zip(chosen.slices, chosen.blocks, strict=True)
        )


_BY_DOCUMENT = (
    *("rows", "topics", "codes", "ranks", "profile"),
    *("holders", "nominated", "nominators", "owner"),
)


def gather_documents(evidence: Evidence, pool: PoolShape) -> PooledDocuments:
    """Gather the retrieved documents that are judged, or stand within the depth of the pool.

    Examples
    --------
    >>> from poolwise.evidence.unknowns.relevance_model._features import find_pool
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> found = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> found.rows.tolist(), found.codes.tolist(), found.ranks[:, 0].tolist()
    ([0, 1, 2], [1, -2, 0], [1.0, 2.0, 3.0])
    """
    codes = document_codes(evidence)
    rows = np.flatnonzero((codes >= 0) | _nominated(evidence, pool.depth))
    ranks = np.empty((len(rows), len(pool.groups)), np.float32)
    nominated = np.zeros(ranks.shape, np.bool_)
    for group in range(len(pool.groups)):
        members = pool.group_of == group
        pooled = members & pool.pooled
        ranks[:, group] = _best_ranks(evidence, np.flatnonzero(members))[rows]
        if pooled.any():
            own = ranks[:, group]
            if not pooled[members].all():
                own = _best_ranks(evidence, np.flatnonzero(pooled))[rows]
            nominated[:, group] = own <= pool.depth
    nominators = np.count_nonzero(nominated, axis=1)
    return PooledDocuments(
        evidence=evidence,
        pool=pool,
        rows=rows,
        topics=np.searchsorted(evidence.document_starts, rows, side="right") - 1,
        codes=codes[rows],
        ranks=ranks,
        profile=rank_profile(ranks, evidence.depth),
        holders=np.count_nonzero(ranks <= pool.depth, axis=1),
        nominated=nominated,
        nominators=nominators,
        owner=np.where(nominators == 1, nominated.argmax(axis=1), -1),
        counts=evidence.pool,
    )


def _nominated(evidence: Evidence, depth: int) -> Booleans:
    """Return which document rows stand within the depth in some run."""
    found = np.zeros(len(evidence.document_ids), np.bool_)
    for block in evidence.blocks:
        documents = block.documents[:, :, :depth]
        found[block.rows(documents)[documents >= 0]] = True
    return found


def document_codes(evidence: Evidence) -> NDArray[np.integer]:
    """Return the grade code of each document row; BEYOND where no run holds the document."""
    codes = np.full(len(evidence.document_ids), BEYOND, evidence.blocks[0].codes.dtype)
    for block in evidence.blocks:
        retrieved = block.documents >= 0
        codes[block.rows(block.documents)[retrieved]] = block.codes[retrieved]
    return codes


def _best_ranks(evidence: Evidence, systems: Indices) -> NDArray[np.float32]:
    """Return the best rank that these systems give each document row; ∞ where they do not."""
    best = np.full(len(evidence.document_ids), np.inf, np.float32)
    for block in evidence.blocks:
        ranks = np.broadcast_to(
            np.arange(1, block.depth + 1, dtype=np.float32), block.codes.shape[1:]
        )
        for system in systems.tolist():
            documents = block.documents[system]
            retrieved = documents >= 0
            rows = block.rows(documents)[retrieved]
            # A list holds a document once, so that no row is met twice here.
            best[rows] = np.minimum(best[rows], ranks[retrieved])
    return best


FEATURES = (
    *RANK_FEATURES,
    "quality of the groups that hold it",
    "log of the topic's judged documents",
)
"""What the columns of :func:`document_features` are."""

AGREEMENT, QUALITY = 0, len(RANK_FEATURES)
"""The columns whose effect differs by topic, and whose product is a further column."""

_PSEUDO_DOCUMENTS = 20
"""Documents of average precision that a group starts with."""
_PART = 1 << 9
"""Documents at a time: what is made of their ranks stays in the cache."""


def document_features(documents: PooledDocuments, relevant: Booleans) -> tuple[Floats, ...]:
    """Return documents × features, in the order of ``FEATURES``, for each threshold.

    ``relevant``, thresholds × documents, says which have at least the grade of each threshold.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.evidence.unknowns.relevance_model._features import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> found = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> document_features(found, found.codes[None] > 0)[0][:, 1].round(2).tolist()
    [0.0, 0.69, 1.1]
    """
    of_group = group_quality(documents, relevant).T
    quality = np.concatenate([_mean_quality(ranks, of_group) for ranks in _parts(documents.ranks)])
    judged = np.bincount(
        documents.topics[documents.judged], minlength=len(documents.evidence.topics)
    )
    of_topic = np.log1p(judged)[documents.topics]
    return tuple(np.column_stack([documents.profile, of, of_topic]) for of in quality.T)


def _parts(rows: NDArray[Any]) -> list[NDArray[Any]]:
    return np.split(rows, range(_PART, len(rows), _PART))


def _mean_quality(ranks: NDArray[np.float32], of_group: Floats) -> Floats:
    """Return the mean quality of the groups that hold each document, those on top most."""
    weights = 1 / ranks
    return np.asarray(weights @ of_group / weights.sum(axis=1, keepdims=True))


def group_quality(documents: PooledDocuments, relevant: Booleans) -> Floats:
    """Return the log odds of relevance of what each group holds together with another pooled one.

    What a group alone holds was judged only if it was pooled, and what it shares with a new group
    only if one of the two was; what it shares with another pooled group was judged in any case,
    so that pooled and new groups compare.

    Parameters
    ----------
    documents : PooledDocuments
    relevant : bool array, thresholds × documents
        Which judged documents are relevant.

    Returns
    -------
    float array, thresholds × groups
    """
    counted = documents.judged & _held_by_two(documents)
    chosen = np.stack([counted, *(relevant & counted)])
    shared, known = _held_with_another(documents, chosen), np.count_nonzero(chosen, axis=1)[:, None]
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (known[1:] + 0.5) / (known[0] + 1)
    precision = (shared[1:] + _PSEUDO_DOCUMENTS * usual) / (shared[0] + _PSEUDO_DOCUMENTS)
    return np.asarray(np.log(precision / (1 - precision)))


def _held_by_two(documents: PooledDocuments) -> Booleans:
    """Tell which documents one pooled group nominates, any where none is, and another holds."""
    nominators = documents.nominators if documents.nominators.any() else documents.holders
    return np.asarray((nominators > 0) & (documents.holders > 1))


def _held_with_another(documents: PooledDocuments, chosen: Booleans) -> Floats:
    """Count what each group holds of chosen documents that another nominates, choices × groups.

    All that it holds is, but for what it alone nominates.
    """
    parts = zip(_parts(documents.ranks), _parts(chosen.T), strict=True)
    depth = documents.pool.depth
    held = sum(some.T.astype(np.float32) @ (ranks <= depth) for ranks, some in parts)
    owners = documents.owner + 1
    alone = [np.bincount(owners[some], minlength=len(documents.pool.groups) + 1) for some in chosen]
    return np.asarray(held - np.array(alone)[:, 1:], np.float64)
