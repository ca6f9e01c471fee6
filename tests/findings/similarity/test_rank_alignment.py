"""Rank-biased alignment and recall: published numbers, symmetry, and bounds by trying."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwise.errors import InputError
from poolwise.findings import rank_biased_alignment, rank_biased_recall

TEN = list(range(1, 11))
prefixes = st.lists(st.sampled_from("abcdef"), unique=True, max_size=3)
chances = st.sampled_from([0.3, 0.6, 0.9])


@pytest.mark.parametrize(
    ("ranking", "p", "published"),
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
    found = rank_biased_alignment(ranking, ranking, p=p)
    assert found.min == pytest.approx(1 - p ** len(ranking))
    assert found.max == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(prefixes, prefixes, chances)
def test_no_continuation_leaves_the_bounds_of_alignment(
    one: list[str], other: list[str], p: float
) -> None:
    """However both rankings go on with four of the other's items or new ones, the bounds hold."""
    found = rank_biased_alignment(one, other, p=p)
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
            assert found.min - 1e-12 <= longer.min
            assert longer.max <= found.max + 1e-12


def test_the_upper_bound_of_alignment_is_approached() -> None:
    """With what only the other holds first, and the same from there on, nothing is lost."""
    found = rank_biased_alignment("abc", "bx", p=0.6)
    tail = [f"t{i}" for i in range(60)]
    whole = rank_biased_alignment([*"abcx", *tail], [*"bxac", *tail], p=0.6)
    assert whole.min == pytest.approx(found.max)


@given(st.sets(st.sampled_from("abcdef")), prefixes, chances)
def test_recall_is_the_weight_of_what_is_held(held: set[str], ranking: list[str], p: float) -> None:
    """The sum over the ranks of the reference; longer references stay within the bounds."""
    found = rank_biased_recall(held, ranking, p=p)
    by_hand = sum((1 - p) * p**i for i, item in enumerate(ranking) if item in held)
    assert found.min == pytest.approx(by_hand)
    rest = sorted(set("abcdef") - set(ranking))
    for order in ([*rest], rest[::-1], sorted(rest, key=lambda item: item not in held)):
        longer = rank_biased_recall(held, [*ranking, *order], p=p)
        assert found.min - 1e-12 <= longer.min <= found.max + 1e-12
    assert longer.min == pytest.approx(found.max), "items that are held come first"


def test_ties_share_their_weight() -> None:
    """Tied items weigh the same, and together what their ranks weigh."""
    assert rank_biased_recall({"a"}, [{"a", "b"}], p=0.5).min == pytest.approx(0.375)
    assert rank_biased_alignment([["a", "b"]], [["a", "b"]], p=0.5).min == pytest.approx(0.75)


def test_an_item_has_one_place() -> None:
    """A ranking with an item twice is refused."""
    with pytest.raises(InputError, match="one place"):
        rank_biased_alignment("aa", "a")
