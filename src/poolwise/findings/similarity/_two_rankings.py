"""How similar two rankings are, when each holds items the other lacks and either may go on."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from poolwise.arrays import Booleans, Integers
from poolwise.errors import InputError, OptionError, require_depth
from poolwise.findings.similarity._rbo import (
    TIE_VARIANTS,
    Placements,
    agree_one_to_many,
    checked_persistence,
    checked_tied,
    overlap_one_to_many,
    rank_weights,
)
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import range_text

__all__ = [
    "RankBiasedAlignment",
    "RankBiasedOverlap",
    "RankBiasedRecall",
    "Ranking",
    "average_overlap",
    "kendall_distance",
    "p_for_prefix_weight",
    "prefix_weight",
    "rank_biased_alignment",
    "rank_biased_overlap",
    "rank_biased_recall",
    "second_place",
    "ties_sentence",
]

Ranking = Sequence[Hashable | set[Any] | list[Any]]
"""Items, best first. A set or a list among them is a group of tied items."""


@finding
class RankBiasedRange(Finding):
    """A similarity of rankings by persistence p, between what is certain and what is possible."""

    p: float
    min: float
    max: float

    @property
    def residual(self) -> float:
        """How much the rest of the rankings could still add."""
        return self.max - self.min


@finding
class RankBiasedOverlap(RankBiasedRange):
    """What two prefixes say about the rank-biased overlap of the full rankings.

    Attributes
    ----------
    p : float
        Persistence.
    tied : str
        How tied items are taken: a key of ``TIE_VARIANTS``.
    ext : float
        The estimate: the agreement seen goes on. NaN where a list is empty.
    min, max : float
        Whatever follows the prefixes, the overlap stays between these.

    Examples
    --------
    >>> overlap = rank_biased_overlap("abd", "cbe", p=0.9)
    >>> overlap
    <RankBiasedOverlap: The rank-biased overlap is 0.315 at p = 0.9, and 0.156 to 0.783 whatever…>
    >>> round(overlap.residual, 3), overlap.base == overlap.min
    (0.627, True)
    """

    tied: str
    ext: float

    @property
    def base(self) -> float:
        """What is certain: the overlap if nothing further agrees (W10 §7.3.4)."""
        return self.min

    def columns(self) -> Columns:
        """Return one row: the estimate, and the bounds."""
        return {
            "p": [self.p],
            "ties": [self.tied],
            "rbo": [self.ext],
            "min": [self.min],
            "max": [self.max],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far the rankings agree, and how far what is not ranked could change that."""
        if math.isnan(self.ext):
            return ("There is no rank-biased overlap to estimate, since a ranking is empty.",)
        bounds = range_text(self.min, self.max, digits=3)
        lead = f"The rank-biased overlap is {self.ext:.3f} at p = {self.p:g}"
        return (
            f"{lead}, and {bounds} whatever follows the ranks given.",
            ties_sentence(self.tied),
        )


def ties_sentence(tied: str) -> str:
    """Say how tied items were taken.

    Examples
    --------
    >>> ties_sentence("a")
    "Ties are treated by variant 'a': the mean over every way to break the ties (Corsi & Urbano
    2024)."
    """
    return f"Ties are treated by variant {tied!r}: {TIE_VARIANTS[tied]}."


@recorded
def rank_biased_overlap(
    first: Ranking, second: Ranking, *, p: float = 0.9, tied: str = "w"
) -> RankBiasedOverlap:
    """Return the rank-biased overlap of two rankings, known as far as they are given.

    W10 eq. 7.11 (min), 7.14 and 7.30 (residual), 7.23 and 7.32 (ext); ties as W10 eq. 7.28 or
    Corsi & Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.

    Parameters
    ----------
    first, second
        Items of any hashable kind, best first; a set or list of items is a tie.
    p
        Persistence, at least 0 (only the first item counts) and less than 1.
    tied : {"w", "a", "b", "broken"}
        ``w``: tied items stand at the same rank; ``a``: their order is unknown, take the mean;
        ``b``: as ``a``, corrected so that a ranking agrees fully with itself; ``broken``: the
        order inside a tie is meant. All are equal where nothing is tied.

    Returns
    -------
    RankBiasedOverlap
        The estimate, and the bounds that hold whatever follows the ranks given.

    Examples
    --------
    >>> rank_biased_overlap("abcdefg", "abcdefg", p=0.9).base.__round__(3)
    0.767
    >>> x = ["red", {"blue", "green"}, "yellow", "pink"]
    >>> y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    >>> rank_biased_overlap(x, y, p=0.95, tied="a").sentences()[0]
    'The rank-biased overlap is 0.692 at p = 0.95, and 0.331 to 0.893 whatever follows the ranks
    given.'
    >>> print(rank_biased_overlap([], ["a"]))
    There is no rank-biased overlap to estimate, since a ranking is empty.
    <BLANKLINE>
    p     0.9000
    ties  w
    rbo   –
    min   0.0000
    max   1.0000
    """
    p = checked_persistence(p)
    lists = _placements(first, second, tied=checked_tied(tied))
    low, ext, high = overlap_one_to_many(lists, 0, slice(1, 2), p=p, tied=tied)
    return RankBiasedOverlap(
        p=p,
        tied=tied,
        min=float(low[0]),
        ext=float(ext[0]),
        max=float(high[0]),
        provenance=WITHOUT_FILES.with_options(p=p, tied=tied),
    )


@recorded
def average_overlap(
    first: Ranking, second: Ranking, *, depth: int | None = None, tied: str = "w"
) -> float:
    """Return the mean agreement over the depths from 1 to ``depth`` (W10 eq. 7.4).

    The depth is that of the shorter ranking unless given; a ranking that ends above it has
    nothing further to agree with. Without any depth there is no mean: NaN.

    Parameters
    ----------
    first, second
        Items of any hashable kind, best first; a set or list of items is a tie.
    depth : int, optional
        The last depth that is averaged over.
    tied : {"w", "a", "b", "broken"}
        As in :func:`~poolwise.rank_biased_overlap`.

    Returns
    -------
    float
        From 0, where nothing is shared, to 1.

    Examples
    --------
    >>> round(average_overlap("abcdefg", "zcavwxy"), 3)
    0.312
    >>> round(average_overlap("abcdefg", "zcavwxy", depth=3), 3)
    0.222
    >>> average_overlap("", "abc")
    nan
    """
    if depth is not None:
        require_depth(depth)
    lists = _placements(first, second, tied=checked_tied(tied))
    k = int(lists.lengths.min()) if depth is None else depth
    if k == 0:
        return float("nan")
    agreed = agree_one_to_many(lists, 0, slice(1, 2), tied=tied)
    # Past both lists the overlap stays as it is: W10 eq. 7.9.
    beyond = agreed.shared[0] / np.arange(lists.depth + 1, k + 1)
    return float(np.concatenate([agreed.seen[0], beyond])[:k].mean())


@recorded
def kendall_distance(first: Ranking, second: Ranking, *, penalty: float = 0.0) -> float:
    """Return the share of item pairs that two top-k lists put in opposite order.

    Fagin, Kumar & Sivakumar (2003), K with penalty: an item that a list lacks stands below all
    it holds; a pair tied in one list only, or held by one list only, costs the penalty. Divided
    by the product of the lengths, which is the distance of lists that share nothing at penalty
    0. W10 table 7.5 prints 1 − 2 × this. Empty lists have no pairs: NaN.

    Parameters
    ----------
    first, second
        Items of any hashable kind, best first; a set or list of items is a tie.
    penalty : float
        What a pair costs whose order one of the lists leaves open, from 0 to 1.

    Returns
    -------
    float
        0 for lists that agree.

    Examples
    --------
    >>> kendall_distance("abc", "abc"), kendall_distance("abc", "xyz")
    (0.0, 1.0)
    >>> round(kendall_distance("abc", "cba"), 3)
    0.333
    """
    if not 0 <= penalty <= 1:
        raise OptionError(
            f"penalty: must lie between 0 and 1; got {penalty!r}. Hint: use 0, or 0.5 for "
            "pairs in unknown order."
        )
    lists = _placements(first, second, tied="w")
    pairs = int(lists.lengths.prod())
    if pairs == 0:
        return float("nan")
    ranks = lists.top.astype(np.int64)
    a, b = (np.sign(column[:, None] - column) for column in ranks.T)
    # each pair stands in the matrix twice
    apart, half_known = int((a * b < 0).sum()) // 2, int(((a == 0) != (b == 0)).sum()) // 2
    return (apart + penalty * half_known) / pairs


@recorded
def prefix_weight(p: float, depth: int) -> float:
    """Return the share of RBO's weight that the first ranks carry (W10 eq. 7.21).

    Parameters
    ----------
    p : float
        Persistence, at least 0 and less than 1.
    depth : int
        How many ranks are asked about.

    Returns
    -------
    float
        The share, from 0 to 1.

    Examples
    --------
    >>> round(prefix_weight(0.9, 10), 3)
    0.856
    >>> prefix_weight(0.0, 1)
    1.0
    """
    p = checked_persistence(p)
    require_depth(depth)
    # W10 eq. 7.21 in terms of the weight of one rank (eq. 7.19)
    return float(1 - p ** (depth - 1) + depth * rank_weights(p, depth)[depth])


@recorded
def p_for_prefix_weight(weight: float, depth: int) -> float:
    """Return the persistence under which the first ranks carry this share of the weight.

    Parameters
    ----------
    weight : float
        The share of the weight, between 0 and 1.
    depth : int
        How many ranks carry it.

    Returns
    -------
    float
        The persistence ``p``; :func:`prefix_weight` gives the share back.

    Examples
    --------
    >>> round(p_for_prefix_weight(0.856, 10), 3)
    0.9
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - late: scipy is slow to import

    require_depth(depth)
    # Below the weight under this p, rounding would decide.
    highest = 1 - 1e-9
    if not prefix_weight(highest, depth) <= weight <= 1:
        raise OptionError(
            f"weight: the first {depth} ranks carry a share above 0 and at most 1; got "
            f"{weight!r}. Hint: choose a share such as 0.85."
        )
    return float(brentq(lambda p: prefix_weight(p, depth) - weight, 0.0, highest, xtol=1e-14))


def _placements(first: Ranking, second: Ranking, *, tied: str) -> Placements:
    """Give each item a code, and say where each ranking places it."""
    code_of: dict[Hashable, int] = {}
    items, flags = zip(
        *(
            _numbered(ranking, name, code_of)
            for name, ranking in (("first", first), ("second", second))
        ),
        strict=True,
    )
    if tied == "broken":
        flags = tuple(np.zeros_like(f) for f in flags)
    return Placements.from_lists(items, flags, documents=len(code_of))


def _numbered(
    ranking: Ranking, name: str, code_of: dict[Hashable, int]
) -> tuple[Integers, Booleans]:
    """Return the item codes of one ranking and whether each is tied with the one before."""
    flat = [(item, i > 0) for group in _groups(ranking) for i, item in enumerate(group)]
    codes = np.array([code_of.setdefault(item, len(code_of)) for item, _ in flat], np.int64)
    if len(np.unique(codes)) < len(codes):
        raise second_place(name, Counter(item for item, _ in flat).most_common(1)[0][0])
    return codes, np.array([joins for _, joins in flat], np.bool_)


def _groups(ranking: Ranking) -> Iterator[list[Hashable]]:
    for entry in ranking:
        yield list(entry) if isinstance(entry, set | list) else [entry]


def second_place(name: str, item: object) -> InputError:
    """Return the error that an item stands in a ranking twice."""
    return InputError(
        name, "an item has one place in a ranking", value=item, remedy="keep its first place"
    )


@finding
class RankBiasedAlignment(RankBiasedRange):
    """What two prefixes say about the rank-biased alignment of the full rankings.

    Attributes
    ----------
    p : float
        Persistence.
    min, max : float
        Whatever follows the prefixes, the alignment stays between these.

    Examples
    --------
    >>> alignment = rank_biased_alignment("abc", "abc", p=0.8)
    >>> round(alignment.min, 3), alignment.max, round(alignment.residual, 3)
    (0.488, 1.0, 0.512)
    """

    def columns(self) -> Columns:
        """Return one row: the bounds."""
        return {"p": [self.p], "min": [self.min], "max": [self.max]}

    def sentences(self) -> tuple[str, ...]:
        """Say between which limits the alignment lies."""
        least = f"The rank-biased alignment is at least {self.min:.3f} at p = {self.p:g}"
        return (f"{least}, and at most {self.max:.3f} whatever follows the ranks given.",)


@finding
class RankBiasedRecall(RankBiasedRange):
    """How much of a reference ranking a set holds, the first ranks weighing most.

    Attributes
    ----------
    p : float
        Persistence.
    min, max : float
        The weight of the items known to be in the reference ranking, and that with all others
        right behind its end.

    Examples
    --------
    >>> rank_biased_recall({"a", "c"}, "abcd", p=0.5).sentences()[0]
    'The rank-biased recall is 0.625 at p = 0.5, and 0.625 to 0.625 whatever follows in the
    reference ranking.'
    """

    def columns(self) -> Columns:
        """Return one row: the recall, and the most that it can be."""
        return {"p": [self.p], "rbr": [self.min], "max": [self.max]}

    def sentences(self) -> tuple[str, ...]:
        """Say how much is held, and how far the rest of the reference could change that."""
        bounds = range_text(self.min, self.max, digits=3)
        lead = f"The rank-biased recall is {self.min:.3f} at p = {self.p:g}"
        return (f"{lead}, and {bounds} whatever follows in the reference ranking.",)


@recorded
def rank_biased_alignment(
    first: Ranking, second: Ranking, *, p: float = 0.9
) -> RankBiasedAlignment:
    """Return the rank-biased alignment (RBA) of two rankings, known as far as they are given.

    Each item of both adds the geometric mean of the weights (1 − p) p^(i−1) that its two ranks
    have; tied items share their weights equally. The most it can be is reached when each ranking
    goes on with what only the other one holds, in that order, and both go on alike from there.

    Moffat, Mackenzie, Mallia & Petri, Rank-Biased Quality Measurement for Sets and Rankings,
    SIGIR-AP 2024; A Flexible Resource for Top-Weighted Comparisons Between Sets and Rankings,
    SIGIR 2025.

    Parameters
    ----------
    first, second
        Items of any hashable kind, best first; a set or list of items is a tie.
    p
        Persistence, at least 0 and less than 1.

    Returns
    -------
    RankBiasedAlignment
        The least and the most that the alignment of the full rankings can be.

    Examples
    --------
    >>> alignment = rank_biased_alignment("abcdefghij", "jihgfedcba", p=0.8)
    >>> round(alignment.min, 3), round(alignment.max, 3)
    (0.733, 0.84)
    """
    p = checked_persistence(p)
    left, right = (_weights(r, name, p) for name, r in (("first", first), ("second", second)))
    union = len(left.keys() | right.keys())
    low = sum(math.sqrt(weight * right[item]) for item, weight in left.items() if item in right)
    more = _going_on(left, right, p) + _going_on(right, left, p)
    # past all items of both, the two go on alike, and agree with all the weight that is left
    return RankBiasedAlignment(
        p, low, low + more + p**union, provenance=WITHOUT_FILES.with_options(p=p)
    )


@recorded
def rank_biased_recall(
    items: Iterable[Hashable], reference: Ranking, *, p: float = 0.9
) -> RankBiasedRecall:
    """Return the rank-biased recall (RBR) of a set against a reference ranking.

    Each item of the set adds the weight (1 − p) p^(i−1) of its rank in the reference ranking. An
    item that is not there can at best follow right behind its end. As from Moffat, Mackenzie,
    Mallia & Petri, Rank-Biased Quality Measurement for Sets and Rankings, SIGIR-AP 2024.

    Parameters
    ----------
    items
        What was found, in any order.
    reference
        Items, best first; a set or list of items is a tie, which shares its weights equally.
    p
        Persistence, at least 0 and less than 1.

    Returns
    -------
    RankBiasedRecall
        What the set holds for certain, and the most that it can hold.

    Examples
    --------
    >>> recall = rank_biased_recall({"a", "x"}, ["a", "b"], p=0.5)
    >>> recall.min, recall.max
    (0.5, 0.625)
    """
    p = checked_persistence(p)
    weights, held = _weights(reference, "reference", p), set(items)
    low = sum(weight for item, weight in weights.items() if item in held)
    others = len(held - weights.keys())
    # the ranks right behind the reference weigh p^n (1 − p^others) together
    most = low + p ** len(weights) * (1 - p**others)
    return RankBiasedRecall(p, low, most, provenance=WITHOUT_FILES.with_options(p=p))


def _going_on(left: dict[Hashable, float], right: dict[Hashable, float], p: float) -> float:
    """Return what the other ranking adds by going on with what only the first holds."""
    only = [weight for item, weight in left.items() if item not in right]
    behind = len(right)
    return sum(math.sqrt(w * (1 - p) * p ** (behind + i)) for i, w in enumerate(only))


def _weights(ranking: Ranking, name: str, p: float) -> dict[Hashable, float]:
    """Return the weight of each item, best first; tied items share theirs equally."""
    weights: dict[Hashable, float] = {}
    for group in _groups(ranking):
        ahead = len(weights)
        # the weights (1 − p) p^(i−1) of the ranks that the group spans, summed
        share = (p**ahead - p ** (ahead + len(group))) / max(len(group), 1)
        for item in group:
            if item in weights:
                raise second_place(name, item)
            weights[item] = share
    return weights
