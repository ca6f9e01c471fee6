"""How well a ranking or a set agrees with a reference ranking, each item weighed by its ranks."""

import math
from collections.abc import Hashable, Iterable, Iterator

from poolwise.errors import InputError
from poolwise.findings.similarity.rank_agreement import checked_persistence
from poolwise.findings.similarity.rank_overlap import Ranking
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import range_text

__all__ = [
    "RankBiasedAlignment",
    "RankBiasedRecall",
    "rank_biased_alignment",
    "rank_biased_recall",
]


@finding
class RankBiasedAlignment(Finding):
    """What two prefixes say about the rank-biased alignment of the full rankings.

    Attributes
    ----------
    p : float
        Persistence.
    min, max : float
        Whatever follows the prefixes, the alignment stays between these.

    Examples
    --------
    >>> found = rank_biased_alignment("abc", "abc", p=0.8)
    >>> round(found.min, 3), found.max, round(found.residual, 3)
    (0.488, 1.0, 0.512)
    """

    p: float
    min: float
    max: float

    @property
    def residual(self) -> float:
        """How much the rest of the rankings could still add."""
        return self.max - self.min

    def columns(self) -> Columns:
        """Return one row: the bounds."""
        return {"p": [self.p], "min": [self.min], "max": [self.max]}

    def sentences(self) -> tuple[str, ...]:
        """Say between which limits the alignment lies."""
        least = f"The rank-biased alignment is at least {self.min:.3f} at p = {self.p:g}"
        return (f"{least}, and at most {self.max:.3f} whatever follows the ranks given.",)


@finding
class RankBiasedRecall(Finding):
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

    p: float
    min: float
    max: float

    @property
    def residual(self) -> float:
        """How much the rest of the reference ranking could still add."""
        return self.max - self.min

    def columns(self) -> Columns:
        """Return one row: the recall, and the most that it can be."""
        return {"p": [self.p], "rbr": [self.min], "max": [self.max]}

    def sentences(self) -> tuple[str, ...]:
        """Say how much is held, and how far the rest of the reference could change that."""
        bounds = range_text(self.min, self.max, digits=3)
        found = f"The rank-biased recall is {self.min:.3f} at p = {self.p:g}"
        return (f"{found}, and {bounds} whatever follows in the reference ranking.",)


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
    >>> found = rank_biased_alignment("abcdefghij", "jihgfedcba", p=0.8)
    >>> round(found.min, 3), round(found.max, 3)
    (0.733, 0.84)
    """
    p = checked_persistence(p)
    one, other = (_weights(r, name, p) for name, r in (("first", first), ("second", second)))
    union = len(one.keys() | other.keys())
    low = sum(math.sqrt(weight * other[item]) for item, weight in one.items() if item in other)
    more = _going_on(one, other, p) + _going_on(other, one, p)
    return RankBiasedAlignment(
        p, low, low + more + p**union, provenance=WITHOUT_FILES.with_options(p=p)
    )


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
    >>> found = rank_biased_recall({"a", "x"}, ["a", "b"], p=0.5)
    >>> found.min, found.max
    (0.5, 0.625)
    """
    p = checked_persistence(p)
    weights, held = _weights(reference, "reference", p), set(items)
    low = sum(weight for item, weight in weights.items() if item in held)
    others = len(held - weights.keys())
    most = low + p ** len(weights) * (1 - p**others)
    return RankBiasedRecall(p, low, most, provenance=WITHOUT_FILES.with_options(p=p))


def _going_on(one: dict[Hashable, float], other: dict[Hashable, float], p: float) -> float:
    """Return what the other ranking adds by going on with what only the first holds."""
    only = [weight for item, weight in one.items() if item not in other]
    behind = len(other)
    return sum(math.sqrt(w * (1 - p) * p ** (behind + i)) for i, w in enumerate(only))


def _weights(ranking: Ranking, name: str, p: float) -> dict[Hashable, float]:
    """Return the weight of each item, best first; tied items share theirs equally."""
    weights: dict[Hashable, float] = {}
    for group in _groups(ranking):
        ahead = len(weights)
        share = (p**ahead - p ** (ahead + len(group))) / max(len(group), 1)
        for item in group:
            if item in weights:
                raise InputError(
                    name,
                    "an item has one place in a ranking",
                    value=item,
                    remedy="keep its first place",
                )
            weights[item] = share
    return weights


def _groups(ranking: Ranking) -> Iterator[list[Hashable]]:
    for entry in ranking:
        yield list(entry) if isinstance(entry, set | list) else [entry]
