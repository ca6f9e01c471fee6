"""Swaps over wordings of queries: the error rate of Buckley and Voorhees, counted by hand."""

from itertools import combinations

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.studies._variants import variant_swaps, variants_of_names


def table(scores: np.ndarray, queries: list[str]) -> pw.ScoreTable:
    """Return scores of systems × queries."""
    systems = [f"s{i}" for i in range(len(scores))]
    return pw.ScoreTable.from_matrix(scores, systems=systems, topics=queries, measure="AP")


def test_the_error_rate_is_counted_pair_by_pair() -> None:
    """Over all pairs: the smaller of both counts, over all decisions, ties of 5% among them."""
    scores = np.random.default_rng(1).random((6, 20))
    swaps = variant_swaps(table(scores, [f"{t}-{v}" for v in "abcde" for t in range(4)]))
    means = scores.reshape(6, 5, 4).mean(axis=2)
    against = equal = 0
    for x, y in combinations(means, 2):
        near = np.abs(x - y) <= 0.05 * np.maximum(x, y)
        against += min(((x > y) & ~near).sum(), ((x < y) & ~near).sum())
        equal += near.sum()
    assert swaps.error_rate == pytest.approx(against / (15 * 5))
    assert swaps.equal_rate == pytest.approx(equal / (15 * 5))
    assert (swaps.first + swaps.second + swaps.equal == 5).all()


def test_equal_wordings_never_swap() -> None:
    """Where each wording gives the same scores, no set goes against another."""
    scores = np.tile(np.random.default_rng(2).random((5, 6)), 3)
    swaps = variant_swaps(table(scores, [f"{t}{v}" for v in "abc" for t in range(6)]), fuzziness=0)
    assert (swaps.error_rate, swaps.equal_rate) == (0, 0)


def test_half_of_the_sets_against_the_other_half_is_the_most() -> None:
    """No rate is above one half, since the majority is never wrong."""
    scores = np.array([[0.6, 0.4], [0.4, 0.6]])
    assert variant_swaps(table(scores, ["1-a", "1-b"])).error_rate == 0.5


def test_topics_that_a_set_lacks_are_counted() -> None:
    """Only topics with a query in every set, and a score for it, are compared."""
    scores = np.array([[0.5, 0.4, 0.1, np.nan, 0.2], [0.2, 0.3, 0.9, 0.1, 0.1]])
    swaps = variant_swaps(table(scores, ["1-a", "1-b", "2-a", "3-a", "3-b"]))
    assert (swaps.topics, swaps.left_out) == (("1",), 2)
    assert "Left out: 2 topics" in swaps.sentences()[-1]


def test_ids_tell_topic_and_set() -> None:
    """The last mark parts them; a number may have a letter behind it."""
    assert variants_of_names(["ad-hoc-401_3"]) == {"ad-hoc-401_3": ("ad-hoc-401", "3")}
    with pytest.raises(OptionError, match="401-2 or 401b"):
        variants_of_names(["401"])


@pytest.mark.parametrize(
    ("queries", "known", "said"),
    [
        (["1-a", "2-b"], None, "2 sets of queries with 0 topics"),
        (["1-a", "2-a"], None, "1 set of queries"),
        (["x", "y"], {"x": ("1", "a")}, "'y' has no topic and set"),
        (["x", "y"], {"x": ("1", "a"), "y": ("1", "a")}, "two queries for topic '1'"),
    ],
)
def test_sets_that_cannot_be_compared_are_refused(
    queries: list[str], known: dict[str, tuple[str, str]] | None, said: str
) -> None:
    """Errors say what is missing, and what to do."""
    with pytest.raises(OptionError, match=said):
        variant_swaps(table(np.array([[0.1, 0.2], [0.2, 0.1]]), queries), known)


def test_fuzziness_is_a_share() -> None:
    """Systems whose scores differ by twice the larger one are never level."""
    table = pw.ScoreTable.from_matrix([[0.5], [0.3]], systems="ab", topics="1", measure="AP")
    with pytest.raises(OptionError, match="fuzziness: must be from 0 up to below 1"):
        variant_swaps(table, {"1": ("1", "a")}, fuzziness=2.0)
