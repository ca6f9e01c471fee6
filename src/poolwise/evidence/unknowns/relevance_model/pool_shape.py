"""How the judgments came about: the depth of the pool, and the runs that formed it."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection.groups import Groups
from poolwise.collection.identifiers import indices_of
from poolwise.errors import OptionError, require_depth
from poolwise.evidence.completion import judged_prefix
from poolwise.evidence.grades import Grades

__all__ = ["PoolShape", "find_pool", "judged_depths", "require_non_relevant"]


@dataclass(frozen=True, eq=False)
class PoolShape:
    """Which runs were judged, how deep, and which of them belong together.

    Attributes
    ----------
    depth : int
        To this rank the pooled runs were judged.
    inferred : bool
        Whether the depth was read off the judgments, since nobody told it.
    pooled : bool array, systems
        Which runs formed the pool.
    groups : tuple of str
        The names of the groups, in byte order.
    group_of : int array, systems
        The group of each run.
    """

    depth: int
    inferred: bool
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
    otherwise: int | None = None,
) -> PoolShape:
    """Find out how the pool was made, as far as nobody tells it.

    Parameters
    ----------
    grades : Grades
        The runs met with their judgments.
    depth : int, optional
        The depth of the pool; by default the one at which depth × runs judged that deep on every
        topic is largest.
    pooled : tuple of str, optional
        The runs that formed it; by default those that are judged to this depth on every topic.
    groups : Groups, optional
        Which runs come from one place; by default each run is a group of its own.
    otherwise : int, optional
        The depth to take where no run is judged from the top on every topic.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> found = find_pool(Evidence.from_grades([[1, 0, None], [0, 1, 1], [None, 1, 0]]))
    >>> found.depth, found.pooled.tolist(), found.groups
    (2, [True, True, False], ('run1', 'run2', 'run3'))
    """
    reached = judged_depths(grades)
    if depth is not None:
        require_depth(depth, longest=grades.depth)
    known = depth or _most_likely_depth(reached, grades.depth) or otherwise
    if known is None:
        raise OptionError(
            "depth: the depth of the pool cannot be read off the judgments, since no run is judged "
            "from the top on every topic. Hint: give it (--pool-depth 10, depth=10)."
        )
    members = reached >= known
    if pooled is not None:
        members = np.zeros(len(grades.systems), np.bool_)
        members[indices_of(pooled, grades.systems, what="pooled")] = True
    labels = grades.systems if groups is None else groups.select(grades.systems).labels
    names, group_of = np.unique(np.array(labels, object), return_inverse=True)
    return PoolShape(known, depth is None, members, tuple(names.tolist()), group_of)


def judged_depths(grades: Grades) -> Floats:
    """Return to which rank each run is judged on every topic; ∞ where its lists are judged whole.

    A run that answers nothing was never judged: 0.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> judged_depths(Evidence.from_grades([[1, 0, None], [0, 1, 1]])).tolist()
    [2.0, inf]
    """
    if not len(grades.topics):
        return np.zeros(len(grades.systems))
    prefix = judged_prefix(grades)
    reached = np.where(prefix >= grades.lengths, np.inf, prefix).min(axis=1)
    return np.where(grades.lengths.any(axis=1), reached, 0.0)


def _most_likely_depth(reached: Floats, longest: int) -> int | None:
    """Return the depth at which depth × runs judged that deep is largest; the deeper in a tie."""
    depths: Integers = np.minimum(reached, longest).astype(np.int64)
    candidates = np.unique(depths[depths > 0])
    if not len(candidates):
        return None
    judged = (depths[:, None] >= candidates).sum(axis=0) * candidates
    return int(candidates[np.flatnonzero(judged == judged.max())[-1]])


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
    if not grades.pool[:, grades.scale <= 0].any():
        raise OptionError(
            f"treatment: {name!r} needs judged non-relevant documents, and the judgments hold "
            "relevant ones only. Hint: use the exact range (--treatment exact), or a measure of "
            "recall such as R@100 or RR@10; judge some non-relevant documents to have estimates."
        )
