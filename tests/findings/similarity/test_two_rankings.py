"""Rank-biased overlap, alignment and recall, average overlap, Kendall's distance of two lists."""

from collections.abc import Iterator
from itertools import permutations, product
from math import factorial, isnan, nan, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.each import over

from poolwise.errors import InputError, OptionError
from poolwise.findings import rank_biased_alignment, rank_biased_recall
from poolwise.findings.similarity._two_rankings import (
    average_overlap,
    kendall_distance,
    p_for_prefix_weight,
    prefix_weight,
    rank_biased_overlap,
)

rankings = st.lists(st.integers(0, 9), unique=True, max_size=8)
persistences = st.floats(0.05, 0.98)


@st.composite
def tied_rankings(draw: st.DrawFn) -> list[object]:
    """Return a ranking in which neighbours may be tied."""
    groups: list[object] = []
    for item in draw(st.lists(st.integers(0, 9), unique=True, min_size=1, max_size=8)):
        if groups and draw(st.booleans()):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _orders(ranking: list[list[int]]) -> Iterator[list[int]]:
    """Yield every way to break the ties."""
    for broken in product(*(permutations(group) for group in ranking)):
        yield [item for group in broken for item in group]


@pytest.mark.parametrize(("first", "second", "residual"), [(0, 20, 0.254), (0, 0, 0.144)])
def test_residual_at_ten(first: int, second: int, residual: float) -> None:
    """The residual at depth 10 for p = 0.9 lies between 0.144 and 0.254 (W10 §7.3.2)."""
    overlap = rank_biased_overlap(range(first, first + 10), range(second, second + 10), p=0.9)
    assert overlap.residual == pytest.approx(residual, abs=5e-4)


def test_base_of_seven_equal_items() -> None:
    """Two equal lists of seven have a base score of only 0.767 for p = 0.9 (W10 §7.3.4)."""
    overlap = rank_biased_overlap("abcdefg", "abcdefg", p=0.9)
    assert overlap.base == pytest.approx(0.767, abs=5e-4)
    assert overlap.ext == pytest.approx(1)


@over(
    "depth, expected",
    [(1, 0), (2, 0), (3, 0.222), (4, 0.292), (5, 0.313), (6, 0.317), (7, 0.312)],
)
def test_average_overlap_of_figure_7_2(depth: int, expected: float) -> None:
    """The average overlap of the worked example is as printed (W10 fig. 7.2)."""
    overlap = average_overlap("abcdefg", "zcavwxy", depth=depth)
    # The figure prints 0.313 at depth 5, where the exact value is 0.31333.
    assert overlap == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(("p", "depth", "weight"), [(0.9, 10, 0.86), (0.98, 50, 0.85)])
def test_prefix_weight(p: float, depth: int, weight: float) -> None:
    """The first ten ranks carry 86% for p = 0.9, and the first fifty much the same for p = 0.98.

    W10 §7.3.3, which says "the same weight" where eq. 7.21 gives 0.852.
    """
    assert prefix_weight(p, depth) == pytest.approx(weight, abs=0.005)


@pytest.mark.parametrize(
    ("ties", "ext", "low", "high"),
    [
        ("w", 0.7068257, 0.3429684, 0.9049857),
        ("a", 0.6922853, 0.3310519, 0.8930692),
        ("b", 0.7207131, 0.3509163, 0.9129336),
    ],
)
def test_ties_as_published(ties: str, ext: float, low: float, high: float) -> None:
    """The example that Corsi and Urbano publish with their code comes out as they print it."""
    x = ["red", {"blue", "green"}, "yellow", "pink"]
    y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    overlap = rank_biased_overlap(x, y, p=0.95, tied=ties)
    assert (overlap.ext, overlap.min, overlap.max) == pytest.approx((ext, low, high), abs=5e-8)


@given(rankings, rankings, persistences)
def test_definition(first: list[int], second: list[int], p: float) -> None:
    """The least score is the infinite sum of W10 eq. 7.7 with nothing shared past the lists."""
    deep = 2000
    overlap = [len(set(first[:d]) & set(second[:d])) for d in range(1, deep + 1)]
    d = np.arange(1, deep + 1)
    expected = float(np.sum((1 - p) * p ** (d - 1.0) * overlap / d))
    assert rank_biased_overlap(first, second, p=p).min == pytest.approx(expected, abs=1e-12)


@given(tied_rankings(), tied_rankings(), persistences)
def test_bounds_bracket_the_estimate(first: list[object], second: list[object], p: float) -> None:
    """The estimate lies between the bounds, and the bounds between 0 and 1."""
    for ties in ("broken", "w", "a", "b"):
        overlap = rank_biased_overlap(first, second, p=p, tied=ties)
        assert -1e-12 <= overlap.min <= overlap.ext + 1e-12
        assert overlap.ext <= overlap.max + 1e-12
        assert overlap.max <= 1 + 1e-12


@given(rankings, rankings, st.integers(0, 8), st.integers(0, 8), persistences)
def test_deeper_prefixes_narrow(
    first: list[int], second: list[int], m: int, n: int, p: float
) -> None:
    """Seeing more of either list never widens the bounds."""
    part = rank_biased_overlap(first[:m], second[:n], p=p)
    whole = rank_biased_overlap(first, second, p=p)
    assert part.min <= whole.min + 1e-12
    assert whole.max <= part.max + 1e-12


@given(
    st.permutations(range(7)), st.permutations(range(7)), st.permutations(range(7)), persistences
)
def test_triangle_inequality(r: list[int], s: list[int], t: list[int], p: float) -> None:
    """One less the overlap is a metric on lists of one length (W10 §7.3.5)."""
    for bound in ("min", "ext"):
        rs, st_, rt = (
            1 - getattr(rank_biased_overlap(a[:5], b[:5], p=p), bound)
            for a, b in ((r, s), (s, t), (r, t))
        )
        assert rt <= rs + st_ + 1e-12


@given(tied_rankings(), tied_rankings(), persistences)
def test_symmetry(first: list[object], second: list[object], p: float) -> None:
    """The order of the two lists does not matter."""
    for ties in ("w", "a", "b"):
        one = rank_biased_overlap(first, second, p=p, tied=ties)
        other = rank_biased_overlap(second, first, p=p, tied=ties)
        assert (one.min, one.ext, one.max) == pytest.approx((other.min, other.ext, other.max))


@given(tied_rankings(), persistences)
def test_self_similarity(ranking: list[object], p: float) -> None:
    """A list with ties agrees fully with itself under w and b."""
    for ties in ("w", "b"):
        assert rank_biased_overlap(ranking, ranking, p=p, tied=ties).ext == pytest.approx(1)


@given(tied_rankings(), tied_rankings(), persistences)
def test_variant_a_is_the_mean_over_orders(
    first: list[object], second: list[object], p: float
) -> None:
    """Variant a is the mean over all ways to break the ties."""
    # Counted before they are made: two lists of eight items that are all tied have 1.6e9.
    assume(prod(factorial(len(group)) for group in (*first, *second)) <= 60)
    pairs = list(product(_orders(first), _orders(second)))
    overlap = rank_biased_overlap(first, second, p=p, tied="a")
    broken = [rank_biased_overlap(a, b, p=p) for a, b in pairs]
    assert overlap.min == pytest.approx(np.mean([b.min for b in broken]), abs=1e-12)
    if len(pairs[0][0]) == len(pairs[0][1]):
        assert overlap.ext == pytest.approx(np.mean([b.ext for b in broken]), abs=1e-12)
        assert overlap.max == pytest.approx(np.mean([b.max for b in broken]), abs=1e-12)


def _continuations(ranking: str, other: str, depth: int) -> list[str]:
    """Return every continuation, up to the names of items that the other list cannot match."""
    shareable = [c for c in other if c not in ranking] + ["+", "*"]
    more = product([*shareable, "."], repeat=depth - len(ranking))
    return [ranking + "".join(m) for m in more if all(m.count(c) <= 1 for c in shareable)]


def _explicit_bounds(first: str, second: str, p: float) -> tuple[float, float]:
    depth = len(first) + len(second) - len(set(first) & set(second))
    d = np.arange(1, 400)
    low, high = 1.0, 0.0
    for a in _continuations(first, second, depth):
        for b in _continuations(second, first, depth):
            # A dot is an item of one list alone.
            shared = [len((set(a[:k]) & set(b[:k])) - {"."}) for k in range(1, depth + 1)]
            overlap = np.concatenate([shared, np.full(len(d) - depth, shared[-1])])
            terms = (1 - p) * p ** (d - 1.0) * overlap / d
            low = min(low, terms.sum())
            high = max(high, terms[:depth].sum() + p**depth)
    return low, high


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", "b"),
        ("a", "a"),
        ("ab", "ba"),
        ("ab", "cb"),
        ("ab", "c"),
        ("ab", "b"),
        ("abc", "c"),
        ("abc", "b"),
    ],
)
def test_bounds_against_continuations(first: str, second: str) -> None:
    """The bounds are the smallest and largest score over explicit continuations."""
    overlap = rank_biased_overlap(first, second, p=0.7)
    assert (overlap.min, overlap.max) == pytest.approx(
        _explicit_bounds(first, second, 0.7), abs=1e-12
    )


@settings(deadline=None)  # the first call imports scipy
@given(persistences, st.integers(1, 60))
def test_persistence_from_prefix_weight(p: float, depth: int) -> None:
    """The p found for a prefix weight gives that weight."""
    weight = prefix_weight(p, depth)
    assert prefix_weight(p_for_prefix_weight(weight, depth), depth) == pytest.approx(weight)


def test_a_single_rank_alone_counts_at_persistence_zero() -> None:
    """At p = 0 only the first items count, and nothing is left open."""
    same, other = rank_biased_overlap("ab", "ac", p=0), rank_biased_overlap("ab", "ba", p=0)
    assert (same.min, same.ext, same.max) == (1, 1, 1)
    assert (other.min, other.ext, other.max) == (0, 0, 0)


def test_empty_lists() -> None:
    """An empty list leaves everything open and has nothing to extrapolate from."""
    for first, second in (("", ""), ("", "abc"), ("abc", "")):
        overlap = rank_biased_overlap(first, second)
        assert (overlap.min, overlap.max) == pytest.approx((0, 1))
        assert isnan(overlap.ext)
        assert isnan(average_overlap(first, second))
        assert isnan(kendall_distance(first, second))


def test_one_item_lists() -> None:
    """One item agrees fully or not at all."""
    assert rank_biased_overlap("a", "a").ext == pytest.approx(1)
    assert rank_biased_overlap("a", "b").ext == 0
    assert (average_overlap("a", "a"), average_overlap("a", "b")) == (1, 0)
    assert (kendall_distance("a", "a"), kendall_distance("a", "b")) == (0, 1)


def test_average_overlap_past_the_lists() -> None:
    """Past the end of both lists the overlap stays and its share falls."""
    assert average_overlap("a", "a", depth=2) == pytest.approx((1 + 1 / 2) / 2)


@pytest.mark.parametrize("p", [1, 1.5, -0.1, nan])
def test_persistence_out_of_range(p: float) -> None:
    """A persistence without convergent weights is refused, with another way to go."""
    with pytest.raises(OptionError, match="average_overlap"):
        rank_biased_overlap("a", "b", p=p)


def test_duplicates_are_refused() -> None:
    """A list that names an item twice is refused, by item."""
    with pytest.raises(InputError, match="second: an item has one place in a ranking; got 'b'"):
        rank_biased_overlap("abc", "abcb")
    with pytest.raises(InputError, match="first"):
        rank_biased_overlap([{"a", "b"}, "a"], "abc")


@over(
    "call, argument",
    [
        (lambda: rank_biased_overlap("a", "b", tied="c"), "tied"),
        (lambda: average_overlap("a", "b", depth=0), "depth"),
        (lambda: kendall_distance("a", "b", penalty=2), "penalty"),
        (lambda: prefix_weight(0.9, 0), "depth"),
        (lambda: p_for_prefix_weight(0, 10), "weight"),
        (lambda: p_for_prefix_weight(1.1, 10), "weight"),
    ],
)
def test_options_are_named(call: object, argument: str) -> None:
    """An option outside its range is refused by name."""
    with pytest.raises(OptionError, match=f"^{argument}: "):
        call()


def _fagin(first: list[int], second: list[int], penalty: float) -> float:
    """Count pair by pair, by the four cases of Fagin, Kumar and Sivakumar (2003)."""
    total = 0.0
    items = sorted({*first, *second})
    for i, j in ((i, j) for i in items for j in items if i < j):
        both = [r for r in (first, second) if i in r and j in r]
        if len(both) == 2:
            total += (first.index(i) < first.index(j)) != (second.index(i) < second.index(j))
        elif len(both) == 1:
            other = second if both[0] is first else first
            ahead = i if both[0].index(i) < both[0].index(j) else j
            total += penalty if not {i, j} & set(other) else ahead not in other
        else:
            total += 1
    return total / (len(first) * len(second))


@given(rankings, rankings, st.sampled_from([0.0, 0.5]))
def test_kendall_distance_case_by_case(first: list[int], second: list[int], penalty: float) -> None:
    """Kendall's distance counts the pairs that Fagin, Kumar and Sivakumar count."""
    assume(first and second)
    distance = kendall_distance(first, second, penalty=penalty)
    assert distance == pytest.approx(_fagin(first, second, penalty))


TEN = list(range(1, 11))
prefixes = st.lists(st.sampled_from("abcdef"), unique=True, max_size=3)
chances = st.sampled_from([0.3, 0.6, 0.9])


@over(
    "ranking, p, published",
    [
        (TEN, 0.6, 0.99),
        (TEN, 0.7, 0.97),
        (TEN, 0.8, 0.89),
        ([2, 1, 4, 3, 6, 5, 8, 7, 10, 9], 0.8, 0.887),
        (TEN[::-1], 0.8, 0.733),
    ],
)
def test_alignment_of_ten_is_as_the_authors_print_it(
    ranking: list[int], p: float, published: float
) -> None:
    """The alignment with 1 … 10 is what the tests of rbstar, the authors' tool, take from 2024."""
    assert rank_biased_alignment(TEN, ranking, p=p).min == pytest.approx(published, abs=0.005)


@given(prefixes, prefixes, chances)
def test_alignment_is_symmetric(one: list[str], other: list[str], p: float) -> None:
    """It does not matter which ranking comes first."""
    there, back = rank_biased_alignment(one, other, p=p), rank_biased_alignment(other, one, p=p)
    assert (there.min, there.max) == pytest.approx((back.min, back.max))


@given(prefixes, chances)
def test_a_ranking_aligns_with_itself(ranking: list[str], p: float) -> None:
    """All of the weight seen is alignment, and the rest may be."""
    alignment = rank_biased_alignment(ranking, ranking, p=p)
    assert alignment.min == pytest.approx(1 - p ** len(ranking))
    assert alignment.max == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(prefixes, prefixes, chances)
def test_no_continuation_leaves_the_bounds_of_alignment(
    one: list[str], other: list[str], p: float
) -> None:
    """However both rankings go on with four of the other's items or new ones, the bounds hold."""
    alignment = rank_biased_alignment(one, other, p=p)
    ways = [
        [*ranking, *rest]
        for ranking, missing in ((one, other), (other, one))
        for rest in permutations([*(i for i in missing if i not in ranking), "y"])
    ]
    mine = [way for way in ways if way[: len(one)] == one]
    theirs = [way for way in ways if way[: len(other)] == other]
    for a in mine:
        for b in theirs:
            longer = rank_biased_alignment(a, b, p=p)
            assert alignment.min - 1e-12 <= longer.min
            assert longer.max <= alignment.max + 1e-12


def test_the_upper_bound_of_alignment_is_approached() -> None:
    """With what only the other holds first, and the same from there on, nothing is lost."""
    alignment = rank_biased_alignment("abc", "bx", p=0.6)
    tail = [f"t{i}" for i in range(60)]
    whole = rank_biased_alignment([*"abcx", *tail], [*"bxac", *tail], p=0.6)
    assert whole.min == pytest.approx(alignment.max)


@given(st.sets(st.sampled_from("abcdef")), prefixes, chances)
def test_recall_is_the_weight_of_what_is_held(held: set[str], ranking: list[str], p: float) -> None:
    """The sum over the ranks of the reference; longer references stay within the bounds."""
    recall = rank_biased_recall(held, ranking, p=p)
    by_hand = sum((1 - p) * p**i for i, item in enumerate(ranking) if item in held)
    assert recall.min == pytest.approx(by_hand)
    rest = sorted(set("abcdef") - set(ranking))
    for order in ([*rest], rest[::-1], sorted(rest, key=lambda item: item not in held)):
        longer = rank_biased_recall(held, [*ranking, *order], p=p)
        assert recall.min - 1e-12 <= longer.min <= recall.max + 1e-12
    assert longer.min == pytest.approx(recall.max), "items that are held come first"


def test_ties_share_their_weight() -> None:
    """Tied items weigh the same, and together what their ranks weigh."""
    assert rank_biased_recall({"a"}, [{"a", "b"}], p=0.5).min == pytest.approx(0.375)
    assert rank_biased_alignment([["a", "b"]], [["a", "b"]], p=0.5).min == pytest.approx(0.75)


def test_an_item_has_one_place() -> None:
    """A ranking with an item twice is refused."""
    with pytest.raises(InputError, match="one place"):
        rank_biased_alignment("aa", "a")
