"""How the judgments came about: the depth of the pool, and the runs that formed it."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError, require_depth
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._grades import POOLED, Block, Grades, join_topics
from poolwise.evidence._ungraded import judged_prefix_block

__all__ = [
    "READ_OFF",
    "PoolShape",
    "find_pool",
    "has_non_relevant",
    "is_sampled",
    "judged_depths",
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
