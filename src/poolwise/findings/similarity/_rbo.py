"""How much lists agree at each depth, and the weights that turn agreement into RBO.

One list is compared with many at once. A list's item counts, at depth ``d``, with a degree of
membership ``c``: 1 once its tie group has ended, and inside the group by the variant of ties.
Only one group spans a depth, so ``c = (1 − f)·[bottom ≤ d] + f·[top ≤ d]`` with one fraction
``f`` per list and depth, and the overlap ``Σ c·c`` is a mix of four counts of shared items.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import starts_of
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice

__all__ = [
    "TIE_VARIANTS",
    "Agreements",
    "Overlaps",
    "Placements",
    "SharedRanks",
    "agree_one_to_many",
    "checked_persistence",
    "checked_tied",
    "depth_weights",
    "later_ranks",
    "overlap_one_to_many",
    "rank_weights",
    "some_topics",
    "untied_overlaps",
]

TIE_VARIANTS = {
    "broken": "in the order given, as if there were no ties",
    "w": "tied items share the first rank of their group (W10 eq. 7.28)",
    "a": "the mean over every way to break the ties (Corsi & Urbano 2024)",
    "b": "as a, corrected for the information ties lose: a list agrees fully with itself "
    "(Corsi & Urbano 2024)",
}


class Overlaps(NamedTuple):
    """RBO of several pairs: the smallest possible, the extrapolated and the largest possible."""

    min: Floats
    ext: Floats
    max: Floats


def checked_tied(tied: str) -> str:
    """Return the variant if there is one of that name."""
    require_choice("tied", tied, TIE_VARIANTS)
    return tied


def checked_persistence(p: float) -> float:
    """Return p if the weights it gives sum to one."""
    if not 0 <= p < 1:
        raise OptionError(
            f"p: persistence must be at least 0 and less than 1; got {p!r}. Hint: "
            "choose p by the weight of a prefix, or use average_overlap for equal weights."
        )
    return float(p)


def depth_weights(p: float, depth: int) -> Floats:
    """Return the weight of the agreement at each depth from 1 on: (1 − p) p^(d−1)."""
    return (1 - p) * p ** np.arange(depth, dtype=np.float64)


def rank_weights(p: float, depth: int) -> Floats:
    """Return what a shared item adds to RBO by the later of its two ranks; entry 0 is unused.

    W10 eq. 7.19: (1 − p)/p · Σ_{i ≥ d} p^i / i, for d = 1…depth.
    """
    d = np.arange(1, depth + 1)
    # W10 eq. 7.10 gives the whole sum; its limit for p → 0 is 1.
    whole = -np.log1p(-p) * (1 - p) / p if p > 0 else 1.0
    before = np.concatenate([[0.0], np.cumsum(depth_weights(p, depth) / d)[:-1]])
    # The tail is at most p^(d−1)/d, which keeps rounding out of weights smaller than it.
    tail = np.clip(whole - before, 0.0, p ** (d - 1.0) / d)
    return np.concatenate([[np.nan], tail])


@dataclass(frozen=True, eq=False)
class Placements:
    """Where lists place the documents of one topic.

    Attributes
    ----------
    items : sequence of int arrays
        Document codes of each list, best first.
    lengths : int array, lists
    top, bottom : int array, documents × lists
        First and last rank of a document's tie group; one past ``depth`` where a list lacks it.
    depth : int
        Length of the longest list.
    """

    items: Sequence[NDArray[np.integer]]
    lengths: Integers
    top: NDArray[np.integer]
    bottom: NDArray[np.integer]
    depth: int

    @classmethod
    def from_lists(
        cls,
        items: Sequence[NDArray[np.integer]],
        flags: Sequence[Booleans],
        *,
        documents: int,
    ) -> "Placements":
        """Build from codes below ``documents`` and whether each is tied with the one before."""
        lengths = np.array([len(i) for i in items], np.int64)
        depth = int(lengths.max(initial=0))
        top = np.full((documents, len(items)), depth + 1, np.min_scalar_type(depth + 1))
        bottom = top.copy() if any(f.any() for f in flags) else top
        for column, (codes, joins) in enumerate(zip(items, flags, strict=True)):
            first, last = _tie_ranks(joins)
            top[codes, column] = first
            if bottom is not top:
                bottom[codes, column] = last
        return cls(items, lengths, top, bottom, depth)

    @property
    def untied(self) -> bool:
        """Whether no list holds a tie."""
        return self.bottom is self.top

    @cached_property
    def begun(self) -> Integers:
        """Items whose tie group has begun, lists × depths."""
        return self._reached(self.top)

    @cached_property
    def ended(self) -> Integers:
        """Items whose tie group has ended, lists × depths."""
        return self.begun if self.untied else self._reached(self.bottom)

    def _reached(self, ranks: NDArray[np.integer]) -> Integers:
        every = [np.bincount(column, minlength=self.depth + 2) for column in ranks.T]
        counts = np.array(every, np.int64).reshape(len(self.items), -1)
        return counts[:, 1 : self.depth + 1].cumsum(axis=1)

    @cached_property
    def fractions(self) -> Floats:
        """How much of the tie group that spans a depth is counted there, lists × depths."""
        spanning = self.begun - self.ended
        inside = np.arange(1, self.depth + 1) - self.ended
        return np.divide(inside, spanning, out=np.ones(spanning.shape), where=spanning > 0)


def _tie_ranks(joins: Booleans) -> tuple[Integers, Integers]:
    """Return the first and last rank of each item's tie group."""
    if not joins.any():
        ranks = np.arange(1, len(joins) + 1)
        return ranks, ranks
    opens = ~joins
    opens[:1] = True
    group = np.cumsum(opens) - 1
    first = np.flatnonzero(opens) + 1
    last = first + np.bincount(group, minlength=len(first)) - 1
    return first[group], last[group]


class Agreements(NamedTuple):
    """Agreement of one list with many, pairs × depths, down to the longest list.

    ``possible`` is what the items past the end of the shorter list can add at most, and
    ``expected`` what they add for each unit of agreement seen before. ``shared`` counts the
    items that both lists hold.
    """

    seen: Floats
    possible: Floats
    expected: Floats
    shared: Integers


def overlap_one_to_many(
    lists: Placements, index: int, many: slice, *, p: float, tied: str
) -> Overlaps:
    """Return the RBO of one list with each of many.

    W10 §7.3.6 for lists of any length; Corsi & Urbano (2024) for ties. A list without any item
    leaves everything open: 0 to 1, with nothing to extrapolate from.
    """
    seen, possible, expected, shared = agree_one_to_many(lists, index, many, tied=tied)
    s, l = _ends(lists, index, many)
    f = l + s - shared
    # What a depth past the end of both lists weighs is added below, in closed form.
    weights = np.where(_depths(lists) <= l[:, None], depth_weights(p, lists.depth), 0.0)
    tail = rank_weights(p, 2 * lists.depth + 1)
    lower = np.sum(weights * seen, axis=1)
    with np.errstate(invalid="ignore"):
        agreed = _at(seen, s)
        between = agreed * np.sum(weights * expected, axis=1)
        # W10 eq. 7.31: the agreement assumed at depth l goes on.
        beyond = (shared + (l - s) * agreed) / l * p**l
    return Overlaps(
        min=lower + shared * tail[l + 1],  # W10 eq. 7.9
        ext=lower + between + beyond,
        max=lower
        + np.sum(weights * possible, axis=1)
        # W10 eq. 7.29: the overlap grows by two at each depth, until it is complete at f.
        + (2 * (p**l - p**f) - f * (tail[l + 1] - tail[f + 1]) + p**f),
    )


def agree_one_to_many(lists: Placements, index: int, many: slice, *, tied: str) -> Agreements:
    """Return by depth how far one list agrees with each of many."""
    begun = _shared(lists.top, lists.top, lists, index, many)
    ended = begun if lists.untied else _shared(lists.bottom, lists.bottom, lists, index, many)
    graded = tied in {"a", "b"} and not lists.untied
    overlap = _mixed(lists, index, many, begun, ended) if graded else begun
    size = _joint_size(lists, index, many, tied=tied)
    s, _ = _ends(lists, index, many)
    unseen = np.maximum(_depths(lists) - s[:, None], 0)
    # Past depth s the shorter list has been seen whole, so what is begun (or ended) in the
    # longer list and not shared is in the longer list alone.
    longer = (lists.lengths[index] >= lists.lengths[many])[:, None]
    own_begun = np.where(longer, lists.begun[index], lists.begun[many]) - begun
    own_ended = np.where(longer, lists.ended[index], lists.ended[many]) - ended
    f = np.where(longer, lists.fractions[index], lists.fractions[many]) if graded else 1.0
    whole = np.minimum(own_ended, unseen)
    mean = np.divide(
        (1 - f) * own_ended + f * own_begun,
        own_begun,
        out=np.ones(unseen.shape),
        where=(unseen > 0) & (own_begun > 0),
    )
    return Agreements(
        seen=overlap / size,
        possible=(whole + f * (unseen - whole)) / size,
        expected=unseen * mean / size,
        shared=begun.max(axis=1, initial=0),
    )


def _depths(lists: Placements) -> Integers:
    return np.arange(1, lists.depth + 1)


def _at(by_depth: Floats, depth: Integers) -> Floats:
    """Return the value of each row at its depth; at depth 0 there is none."""
    padded = np.pad(by_depth, ((0, 0), (1, 0)), constant_values=np.nan)
    return np.take_along_axis(padded, depth[:, None], axis=1)[:, 0]


def _ends(lists: Placements, index: int, many: slice) -> tuple[Integers, Integers]:
    """Return the length of the shorter and of the longer list of each pair."""
    a, b = lists.lengths[index], lists.lengths[many]
    return np.minimum(a, b), np.maximum(a, b)


def _shared(
    of_one: NDArray[np.integer],
    of_many: NDArray[np.integer],
    lists: Placements,
    index: int,
    many: slice,
) -> Integers:
    """Count by depth the items that both lists have reached, by the ranks given."""
    items = lists.items[index]
    later = np.maximum(of_one[items, index][:, None], of_many[items, many]).astype(np.int64)
    row = lists.depth + 2
    pairs = later.shape[1]
    counts = np.bincount((later + row * np.arange(pairs)).ravel(), minlength=row * pairs)
    return counts.reshape(pairs, row)[:, 1:-1].cumsum(axis=1)


def _mixed(lists: Placements, index: int, many: slice, begun: Integers, ended: Integers) -> Floats:
    """Return the overlap Σ c·c of graded memberships, from counts of shared items."""
    f, g = lists.fractions[index], lists.fractions[many]
    mixed = (1 - f) * (1 - g) * ended + f * g * begun
    mixed += f * (1 - g) * _shared(lists.top, lists.bottom, lists, index, many)
    mixed += (1 - f) * g * _shared(lists.bottom, lists.top, lists, index, many)
    return mixed


def _joint_size(lists: Placements, index: int, many: slice, *, tied: str) -> Floats:
    """Return what an overlap is divided by: the size of both prefixes, by the variant of ties."""
    d = _depths(lists).astype(np.float64)
    if lists.untied or tied == "a":
        return d
    past = d > lists.lengths[:, None]
    if tied == "w":
        size = np.where(past, d, lists.begun)
        return (size[index] + size[many]) / 2  # W10 eq. 7.28
    spanning = lists.begun - lists.ended
    square = np.where(past, d, lists.ended + lists.fractions**2 * spanning)
    return np.sqrt(square[index] * square[many])


_CELLS = 1 << 18
"""Documents × lists whose ranks are held at a time: what is made of them stays in the cache."""


def later_ranks(
    ranks: NDArray[np.integer], rows: NDArray[np.integer], index: int
) -> NDArray[np.integer]:
    """Return the later rank of each document of a list, by it and by the lists after it."""
    later = ranks[rows, index:]
    return np.maximum(later, ranks[rows, index, None], out=later)


@dataclass(frozen=True, eq=False)
class SharedRanks:
    """Where lists without ties place the documents of some topics.

    Attributes
    ----------
    rows : sequence of int arrays
        The documents of each list, topic after topic, best first.
    places : sequence of int arrays
        The topic of each of these.
    ranks : int array, documents × lists
        The rank of a document, from 1; past the longest list where a list lacks it.
    lengths : int array, lists × topics
        How many documents a list has.
    """

    rows: Sequence[NDArray[np.integer]]
    places: Sequence[Indices]
    ranks: NDArray[np.integer]
    lengths: Integers

    @classmethod
    def of_placements(cls, lists: Placements) -> "SharedRanks":
        """Take the lists of one topic as they are placed already."""
        places = [np.zeros(len(rows), np.intp) for rows in lists.items]
        return cls(lists.items, places, lists.top, lists.lengths[:, None])

    @classmethod
    def of_runs(cls, runs: Runs, lengths: Integers, topics: slice) -> "SharedRanks":
        """Place the first documents of each list, as many as ``lengths`` says, on some topics."""
        kept, starts = lengths[:, topics], runs.list_starts[:-1].reshape(lengths.shape)[:, topics]
        edges = runs.topic_starts[topics.start : topics.stop + 1] - runs.topic_starts[topics.start]
        absent = int(kept.max(initial=0)) + 1
        ranks = np.full((edges[-1], len(kept)), absent, np.min_scalar_type(absent))
        ends = starts_of(kept.ravel())
        whose, nth = np.repeat(np.arange(kept.size), kept.ravel()), np.arange(ends[-1])
        systems, places = np.divmod(whose, kept.shape[1])
        rows = runs.rankings[nth + (starts.ravel() - ends[:-1])[whose]] + edges[places]
        ranks[rows, systems] = nth - ends[whose] + 1
        cuts = ends[kept.shape[1] : -1 : kept.shape[1]]
        return cls(np.split(rows, cuts), np.split(places, cuts), ranks, kept)

    @cached_property
    def depth(self) -> int:
        """Length of the longest list."""
        return int(self.lengths.max(initial=0))

    def later(self, index: int) -> NDArray[np.integer]:
        """Return the depth at which each document of a list is shared, with it and later ones."""
        return later_ranks(self.ranks, self.rows[index], index)

    def summed(self, values: NDArray[Any], index: int) -> NDArray[Any]:
        """Add up what is known of the documents of a list, topics × lists, rank after rank."""
        topics, lists = self.lengths.shape[1], values.shape[1]
        if topics == 1:
            # A narrow type for counts, which adds up several times as fast as a wide one.
            narrow = np.int32 if values.dtype == np.bool_ else None
            return np.asarray(values.sum(axis=0, dtype=narrow)[None])
        cells = self.places[index][:, None] * lists + np.arange(lists)
        return np.bincount(cells.ravel(), values.ravel(), topics * lists).reshape(topics, lists)


def some_topics(runs: Runs) -> Iterator[slice]:
    """Cut the topics into parts, so that each has few documents; a large topic is a part."""
    starts, most = runs.topic_starts, _CELLS // max(len(runs.systems), 1)
    first = 0
    while first < len(runs.topics):
        past = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        past = min(max(past, first + 1), len(runs.topics))
        yield slice(first, past)
        first = past


def untied_overlaps(lists: SharedRanks, p: float) -> Overlaps:
    """Return RBO of every pair on every topic, topics × lists × lists, from what a pair shares.

    A shared document adds the weight of the later of its two ranks, whatever else is ranked.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> lists = SharedRanks.of_runs(runs, runs.lengths, slice(0, 1))
    >>> untied_overlaps(lists, 0.5).ext.tolist()
    [[[1.0, 0.5], [0.5, 1.0]]]
    """
    lengths = lists.lengths.T
    s, l = (f(lengths[:, :, None], lengths[:, None]) for f in (np.minimum, np.maximum))
    weight = rank_weights(p, 2 * lists.depth + 1)
    of_rank = np.append(weight[: lists.depth + 1], 0.0)
    least, X_s, X_l = np.empty(s.shape), np.empty(s.shape, np.int64), np.empty(s.shape, np.int64)
    for i in range(s.shape[1]):
        later = lists.later(i)
        # No document that both lists hold stands below the end of the longer one.
        counts = lists.summed(later <= lists.depth, i)
        least[:, i:, i] = least[:, i, i:] = lists.summed(of_rank.take(later, mode="clip"), i)
        X_l[:, i:, i] = X_l[:, i, i:] = counts
        X_s[:, i:, i] = X_s[:, i, i:] = _count_within(lists, i, later, s[:, i, i:], counts)
    return _bounds(least, X_s=X_s, X_l=X_l, s=s, l=l, W=weight, p=p)


def _count_within(
    lists: SharedRanks,
    index: int,
    later: NDArray[np.integer],
    depths: Integers,
    shared: NDArray[Any],
) -> NDArray[Any]:
    """Count the documents that two lists share down to the end of the shorter one."""
    if (lists.lengths == lists.depth).all():
        return shared
    # One narrow type throughout: a comparison across types is several times slower.
    return lists.summed(later <= depths.astype(later.dtype)[lists.places[index]], index)


def _bounds(
    least: Floats,
    *,
    X_s: Integers,
    X_l: Integers,
    s: Integers,
    l: Integers,
    W: Floats,
    p: float,
) -> Overlaps:
    """Return RBO's bounds and estimate from its minimum and the overlap at both lists' ends.

    ``W[d]`` is the weight of rank d, (1 − p)/p · Σ_{i ≥ d} p^i/i.
    """
    f = l + s - X_l
    power = p ** np.arange(len(W))
    # W10 eq. 7.30.
    residual = power[s] + power[l] - power[f]
    residual -= s * (W[s + 1] - W[f + 1]) + l * (W[l + 1] - W[f + 1]) + X_l * W[f + 1]
    with np.errstate(invalid="ignore"):
        # W10 eq. 7.32; the least score holds X_l/d past depth l, which is taken out again.
        ext = ((X_l - X_s) / l + X_s / s) * power[l] + least - X_l * W[l + 1]
        ext += X_s / s * (power[s] - power[l] - s * (W[s + 1] - W[l + 1]))
    return Overlaps(least, ext, least + residual)
