"""Distances of two lists that are cut off at one depth (W10 §7.2)."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import require_choice, require_depth
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.similarity._two_rankings import (
    average_overlap,
    kendall_distance,
    second_place,
)
from poolwise.provenance._recorded import recorded

__all__ = [
    "TOP_K",
    "condensed_footrule",
    "condensed_spearman",
    "footrule_distance",
    "gamma_correlation",
    "reciprocal_rank_similarity",
    "spearman_distance",
    "top_k_similarity",
]

List = Sequence[Hashable]
"""Items, best first, without ties."""


@recorded
def footrule_distance(first: List, second: List) -> float:
    """Return Spearman's footrule of two top-k lists, 0 for equal and 1 for disjoint ones.

    Fagin, Kumar & Sivakumar (2003), F with location parameter k + 1: an item that a list lacks
    stands at rank k + 1 there. The lists are cut at the length of the shorter.

    Returns
    -------
    float
        The sum of the differences of ranks over the largest there can be; NaN for empty lists.

    Examples
    --------
    >>> footrule_distance("abc", "abc"), footrule_distance("abc", "xyz")
    (0.0, 1.0)
    >>> round(footrule_distance("abc", "cba"), 3)
    0.333
    """
    left, right, k = _ranks(first, second)
    return float(np.abs(left - right).sum() / (k * (k + 1))) if k else float("nan")


@recorded
def spearman_distance(first: List, second: List) -> float:
    """Return the root of the squared differences of ranks, 0 for equal and 1 for disjoint lists.

    The top-k version of Spearman's ρ of Fagin et al. (2003), with location parameter k + 1.

    Returns
    -------
    float
        The root of the sum over the largest there can be; NaN for empty lists.

    Examples
    --------
    >>> spearman_distance("abc", "abc"), spearman_distance("abc", "xyz")
    (0.0, 1.0)
    >>> round(spearman_distance("abc", "cba"), 3)
    0.535
    """
    left, right, k = _ranks(first, second)
    most = k * (k + 1) * (2 * k + 1) / 3  # that of lists that share nothing
    return float(np.sqrt(((left - right) ** 2).sum() / most)) if k else float("nan")


@recorded
def gamma_correlation(first: List, second: List) -> float:
    """Return Goodman and Kruskal's γ of two top-k lists, from −1 to 1.

    Fagin et al. (2003): a pair that one list holds and the other lacks altogether is tied there,
    and ignored. NaN where no pair is left.

    Returns
    -------
    float
        Concordant less discordant pairs, over both.

    Examples
    --------
    >>> gamma_correlation("abc", "abc"), gamma_correlation("abc", "cba")
    (1.0, -1.0)
    >>> gamma_correlation("ab", "xy")
    -1.0
    """
    left, right, _ = _ranks(first, second)
    a, b = (np.sign(x[:, None] - x) for x in (left, right))
    agree, apart = int((a * b > 0).sum()), int((a * b < 0).sum())
    return (agree - apart) / (agree + apart) if agree + apart else float("nan")


@recorded
def condensed_spearman(first: List, second: List) -> float:
    """Return Spearman's ρ of the items that both lists hold (Bar-Ilan 2005); NaN below two.

    What only one list holds is ignored, and what that says is lost.

    Returns
    -------
    float
        From −1 for opposite to 1 for equal orders of the shared items.

    Examples
    --------
    >>> condensed_spearman("abxyzw", "auvsrb")
    1.0
    """
    left, right = _condensed(first, second)
    return float(correlate(-left, -right, method="spearman")) if len(left) > 1 else float("nan")


@recorded
def condensed_footrule(first: List, second: List) -> float:
    """Return the footrule of the items that both lists hold, 1 for equal orders.

    Bar-Ilan, Mat-Hassan & Levene (2006): 1 less the sum of the differences of ranks over the
    largest there can be, ⌊n²/2⌋. NaN below two shared items.

    Returns
    -------
    float
        From 0 for the largest distance to 1 for equal orders of the shared items.

    Examples
    --------
    >>> condensed_footrule("abxc", "cuba")
    0.0
    """
    left, right = _condensed(first, second)
    if len(left) < 2:
        return float("nan")
    return float(correlate(-left, -right, method="footrule"))


@recorded
def reciprocal_rank_similarity(first: List, second: List) -> float:
    """Return M, from differences of reciprocal ranks: 1 for equal and 0 for disjoint lists.

    Bar-Ilan et al. (2006): an item that a list lacks stands at rank k + 1; for k = 10 the sum of
    the differences is 4.03975 at most. M is top-weighted, and depends on k.

    Returns
    -------
    float
        From 0 to 1; NaN for empty lists.

    Examples
    --------
    >>> reciprocal_rank_similarity("abc", "abc"), reciprocal_rank_similarity("abc", "xyz")
    (1.0, 0.0)
    >>> round(reciprocal_rank_similarity("abc", "acb"), 3)
    0.846
    """
    left, right, k = _ranks(first, second)
    if not k:
        return float("nan")
    # that of lists that share nothing: each item against rank k + 1
    most = 2 * float((1 / np.arange(1, k + 1) - 1 / (k + 1)).sum())
    return float(1 - np.abs(1 / left - 1 / right).sum() / most)


def _overlap(first: List, second: List) -> float:
    k = min(len(first), len(second))
    return len(set(first[:k]) & set(second[:k])) / k if k else float("nan")


TOP_K: dict[str, Callable[[List, List], float]] = {
    "overlap": _overlap,
    "average_overlap": average_overlap,
    "tau": lambda a, b: 1 - 2 * kendall_distance(a, b),
    "footrule": lambda a, b: 1 - 2 * footrule_distance(a, b),
    "rho": lambda a, b: 1 - 2 * spearman_distance(a, b),
    "gamma": gamma_correlation,
    "condensed_rho": condensed_spearman,
    "condensed_footrule": condensed_footrule,
    "M": reciprocal_rank_similarity,
}
"""Similarities of top-k lists; tau, footrule, rho and gamma go from −1 to 1, as W10 has them."""


@recorded
def top_k_similarity(first: List, second: List, *, method: str, depth: int | None = None) -> float:
    """Return a similarity of two lists cut off at a depth: a key of ``TOP_K``.

    The depth is the length of the shorter list unless given, and never more. All of these change
    with the depth, and set no bounds on the full lists: rank-biased overlap does.

    Parameters
    ----------
    method : str
        A key of ``TOP_K``; see there for the range of each.
    depth : int, optional
        How many ranks of each list are compared.

    Returns
    -------
    float
        The similarity, larger for lists that are more alike; NaN where it has no value.

    Examples
    --------
    >>> top_k_similarity("abcd", "axcb", method="overlap", depth=2)
    0.5
    >>> round(top_k_similarity("abcd", "axcb", method="tau"), 3)
    0.5
    """
    require_choice("method", method, TOP_K)
    if depth is not None:
        require_depth(depth)
    k = min(len(first), len(second), *([] if depth is None else [depth]))
    return TOP_K[method](first[:k], second[:k])


def _ranks(first: List, second: List) -> tuple[Floats, Floats, int]:
    """Return the ranks of all items of both lists, k + 1 where one lacks it, and k."""
    k = min(len(first), len(second))
    places = [_places(name, items[:k]) for name, items in (("first", first), ("second", second))]
    every = list(dict.fromkeys([*first[:k], *second[:k]]))
    left, right = (np.array([p.get(i, k + 1) for i in every], np.float64) for p in places)
    return left, right, k


def _condensed(first: List, second: List) -> tuple[Floats, Floats]:
    """Return the ranks of the shared items, among each other, in both lists."""
    left, right, k = _ranks(first, second)
    shared = (left <= k) & (right <= k)
    return left[shared], right[shared]


def _places(name: str, items: List) -> dict[Hashable, int]:
    places = {item: rank for rank, item in enumerate(items, 1)}
    if len(places) < len(items):
        raise second_place(name, next(i for r, i in enumerate(items, 1) if places[i] != r))
    return places
