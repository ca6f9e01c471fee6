"""Random sets of topics."""

import numpy as np
from scipy.stats import ttest_ind

from poolwise.studies._swaps import TwoSets, chunks, draw_sets, random_subsets


def test_both_ways_to_split_topics_are_one() -> None:
    """With one seed, the first of two disjoint sets is the random subset of that size."""
    one, other = (np.random.default_rng(3) for _ in range(2))
    first, second = draw_sets(one, 50, 11, size=5, sets="disjoint")
    assert np.array_equal(first > 0, random_subsets(other, 50, 11, 5))
    assert not ((first > 0) & (second > 0)).any()
    assert ((second > 0).sum(axis=1) == 5).all()


def test_independent_sets_repeat_topics() -> None:
    """Sets with replacement hold so many topics, some of them twice, shares add up to 1."""
    first, second = draw_sets(np.random.default_rng(3), 50, 11, size=8, sets="independent")
    np.testing.assert_allclose([first.sum(axis=1), second.sum(axis=1)], 1)
    assert (first * 8 > 1.5).any()


def test_two_sets_have_the_moments_of_their_topics() -> None:
    """Means and verdicts are those of taking the topics of each set by themselves."""
    values = np.random.default_rng(5).random((6, 13))
    masks = random_subsets(np.random.default_rng(6), 20, 13, 5)
    sets = TwoSets.of(values, masks)
    for d, mask in enumerate(masks):
        np.testing.assert_allclose(sets.first[d], values[:, mask].mean(axis=1))
        np.testing.assert_allclose(sets.second[d], values[:, ~mask].mean(axis=1))
        test = ttest_ind(values[:, mask], values[:, ~mask], axis=1)
        expected = np.sign(test.statistic) * (test.pvalue < 0.2)
        assert sets.significant(0.2)[d].tolist() == expected.tolist()


def test_chunks_cover_all_draws_once() -> None:
    """However large an array per draw is, every draw is in one slice."""
    parts = list(chunks(10, 1 << 21))
    assert [i for part in parts for i in range(10)[part]] == list(range(10))
    assert len(parts) == 5
