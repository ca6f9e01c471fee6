"""How a pool was made, as far as it shows in the judgments: how deep, and of which runs."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.errors import require_depth
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._grades import BEYOND, POOLED, Block, Grades
from poolwise.words import counted

__all__ = [
    "ASSUMED",
    "CARD",
    "GIVEN",
    "LISTS_END",
    "READ_OFF",
    "PoolShape",
    "find_pool",
    "is_sampled",
]

READ_OFF, ASSUMED, GIVEN, LISTS_END = "read off", "assumed", "given", "lists end"
CARD = "card"
"""Where the depth of a pool comes from."""

_JUDGED, _JUDGED_THERE = 0.95, 0.90
"""The share of its first ranks that a pooled run has judged at least, and of the last of them:
a few holes in the judgments must not change what is read off."""
_FEWEST_RUNS, _FEWEST_RANKS = 3, 3
"""A pool has at least so many runs, and ranks."""
_SMALLEST_DROP, _SMALLEST_Z = 0.03, 4.0
"""The fall of the share judged below the last pooled rank that is no accident."""
_USUAL = 100
"""The depth that is assumed where neither the judgments nor a measure's cut-off say anything."""


@dataclass(frozen=True, eq=False)
class PoolShape:
    """Which runs were judged, how deep, and which of them belong together.

    Attributes
    ----------
    depth : int
        To this rank the pooled runs were judged.
    source : str
        Where the depth comes from: ``"read off"`` the judgments, ``"given"``, ``"lists end"``
        there, or ``"assumed"``; of the runs on a ``"card"``, which are ``described`` there.
    pooled : bool array, systems
        Which runs formed the pool.
    groups : tuple of str
        The names of the groups, in byte order.
    group_of : int array, systems
        The group of each run.
    told : bool
        Whether the groups were given; else each run is one of its own.
    judged, judged_below : float
        The share of the pooled runs' documents that is judged at this rank, and at the next; NaN
        where there are none.
    shown : int, optional
        The depth that the judgments alone show, if any.
    cutoff : int, optional
        The cut-off of the measure that was looked at.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> evidence = Evidence.from_grades([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    >>> find_pool(evidence).sentence()
    'pool: depth 3, where the lists end; 3 of 3 runs pooled'
    """

    depth: int
    source: str
    pooled: Booleans
    groups: tuple[str, ...]
    group_of: Indices
    told: bool = False
    judged: float = float("nan")
    judged_below: float = float("nan")
    shown: int | None = None
    cutoff: int | None = None
    described: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether somebody told the depth, or the judgments show it."""
        return self.source != ASSUMED

    @property
    def pooled_groups(self) -> Indices:
        """The groups that have a pooled run."""
        return np.unique(self.group_of[self.pooled])

    @property
    def runs(self) -> str:
        """How many of the runs were pooled, in words."""
        return f"{int(self.pooled.sum()):,} of {counted(len(self.pooled), 'run')}"

    def sentence(self) -> str:
        """Say how deep the pool is, where that is known from, and how many runs formed it."""
        if self.source == CARD:
            about_runs = f"{self.runs} given judged as deep"
            return f"pool: depth {self.depth}, by the card ({self.described}); {about_runs}"
        groups = f", {counted(len(self.groups), 'group')} as given" if self.told else ""
        runs = f"{self.runs} pooled{groups}"
        if not self.is_sure:
            whence = ", the cut-off" if self.cutoff == self.depth else ""
            return (
                f"pool: no depth shows in the judgments; taken as {self.depth}{whence} "
                f"(--pool-depth, --pooled); {runs}"
            )
        return f"pool: depth {self.depth}, {self.whence}; {runs}"

    @property
    def remark(self) -> str:
        """The same as a whole sentence."""
        return f"P{self.sentence()[1:]}."

    @property
    def whence(self) -> str:
        """Where the depth is known from, in words."""
        if self.source == READ_OFF:
            return (
                f"read off the judgments (share judged falls from {self.judged:.0%} at rank "
                f"{self.depth} to {self.judged_below:.0%} at rank {self.depth + 1})"
            )
        if self.source == LISTS_END:
            return "where the lists end"
        if self.source == ASSUMED:
            return "assumed"
        return f"as given (the judgments alone show {self.shown or 'none'})"

    def options(self) -> dict[str, object]:
        """Return what a provenance records of it."""
        return {"pool_depth": f"{self.depth} ({self.source})", "pooled": self.runs}


def find_pool(
    grades: Grades,
    *,
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    groups: Groups | None = None,
    cutoff: int | None = None,
) -> PoolShape:
    """Find out how the pool was made, as far as nobody tells it.

    The share judged says it: a pooled run has at least 95% of its first ranks judged, and below
    the pool's depth the share falls. The depth is where runs × fall is largest; it is sure if the
    share falls by at least .03 and four standard errors. Where it falls nowhere and lists are
    judged to their end, the pool is as deep as these. Else the depth is not known: the
    ``cutoff`` of a measure is assumed.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> lists = [[0, 0, 1, 0, None, None]] * 3
    >>> pool = find_pool(Evidence.from_grades([*lists, [1, 1, None, 0, None, 0]]))
    >>> pool.depth, pool.source, pool.pooled.tolist()
    (4, 'read off', [True, True, True, False])
    """
    shares = _Shares.of(grades)
    pool_depth, source = shares.depth(min(cutoff or _USUAL, max(grades.depth, 1)))
    shown = None if source == ASSUMED else pool_depth
    if depth is not None:
        require_depth(depth, longest=grades.depth)
        pool_depth, source = depth, GIVEN
    members = shares.to_depth(pool_depth) >= _JUDGED
    if pooled is not None:
        members = np.zeros(len(grades.systems), np.bool_)
        members[indices_of(pooled, grades.systems, what="pooled")] = True
    labels = grades.systems if groups is None else groups.select(grades.systems).labels
    names, group_of = np.unique(np.array(labels, object), return_inverse=True)
    return PoolShape(
        pool_depth,
        source,
        members,
        tuple(names.tolist()),
        group_of,
        groups is not None,
        shares.at(pool_depth, members),
        shares.at(pool_depth + 1, members),
        shown,
        cutoff,
    )


@dataclass(frozen=True, eq=False)
class _Shares:
    """Over the topics with judgments, how many documents a run has at each rank, and judged ones.

    ``retrieved`` and ``judged`` are systems × ranks.
    """

    retrieved: Floats
    judged: Floats
    topics: int

    @classmethod
    def of(cls, grades: Grades) -> "_Shares":
        retrieved, judged = np.zeros((2, len(grades.systems), grades.depth))
        topics = 0
        for block in grades.blocks:
            asked = block.pool.any(axis=1)
            codes = block.codes[:, asked]
            topics += int(asked.sum())
            retrieved[:, : block.depth] += (codes != BEYOND).sum(axis=1)
            # In the universe of a sample: as good as judged, to see the pool's depth.
            is_judged = (codes >= 0) | ((codes == POOLED) & is_sampled(block))
            judged[:, : block.depth] += is_judged.sum(axis=1)
        return cls(retrieved, judged, topics)

    def to_depth(self, depth: int) -> Floats:
        """Return the share judged of each run's first documents; 0 where it has none."""
        return _share(
            self.judged[:, :depth].sum(axis=1), self.retrieved[:, :depth].sum(axis=1), without=0.0
        )

    def at(self, rank: int, members: Booleans) -> float:
        """Return the share judged at a rank, over some runs; NaN where they have no document."""
        if rank > self.judged.shape[1]:
            return float("nan")
        at = self.judged[members, rank - 1].sum(), self.retrieved[members, rank - 1].sum()
        return float(_share(*at, without=np.nan))

    def depth(self, otherwise: int) -> tuple[int, str]:
        """Return the depth of the pool, and whether it was read off, is that of lists, or not."""
        depth = self._read_off()
        if depth:
            return depth, READ_OFF
        longest = self.judged.shape[1]
        if longest and (self.to_depth(longest) >= _JUDGED).sum() >= _FEWEST_RUNS:
            return longest, LISTS_END
        return otherwise, ASSUMED

    def _read_off(self) -> int | None:
        """Return the depth at which runs × fall of the share judged is largest, if it is sure."""
        first = _FEWEST_RANKS - 1
        if self.judged.shape[1] <= _FEWEST_RANKS:
            return None
        to_rank = _share(self.judged.cumsum(axis=1), self.retrieved.cumsum(axis=1), without=0.0)
        there = _share(self.judged, self.retrieved, without=0.0)
        members = (to_rank >= _JUDGED) & (there >= _JUDGED_THERE)
        members &= self.retrieved >= self.topics / 2
        # From here on a column is a depth: its last rank, and the rank below.
        members = members[:, first:-1]
        at, below = slice(first, -1), slice(first + 1, None)
        n, n_below = ((members * self.retrieved[:, s]).sum(axis=0) for s in (at, below))
        b = _share((members * self.judged[:, at]).sum(axis=0), n, without=np.nan)
        a = _share((members * self.judged[:, below]).sum(axis=0), n_below, without=np.nan)
        runs = members.sum(axis=0)
        enough = (runs >= _FEWEST_RUNS) & (n_below > 0)
        if not enough.any():
            return None
        fall = np.where(enough, b - a, -np.inf)
        best = int((np.where(enough, runs, 1) * fall).argmax())
        error = np.sqrt(
            (b[best] * (1 - b[best]) + 0.25 / n[best]) / n[best]
            + a[best] * (1 - a[best]) / n_below[best]
        )
        sure = fall[best] >= _SMALLEST_DROP and fall[best] >= _SMALLEST_Z * error
        return best + _FEWEST_RANKS if sure else None


def _share(part: Floats, whole: Floats, *, without: float) -> Floats:
    """Return part / whole, and something else where the whole is nothing."""
    filled = np.full(np.shape(whole), without)
    return np.asarray(np.divide(part, whole, out=filled, where=np.asarray(whole) > 0))


def is_sampled(block: Block) -> bool:
    """Tell whether the judgments of a block are a sample."""
    return isinstance(block, DocumentBlock) and block.sample is not None
