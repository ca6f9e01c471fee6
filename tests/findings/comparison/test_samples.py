"""Which pairs are compared, and what is summed up over their topics."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._samples import pair_blocks, paired_sample, two_samples
from poolwise.scores._score_table import ScoreTable

SCORES = arrays(np.float64, (4, 6), elements=st.sampled_from([0.0, 0.1, 0.25, 0.7, 1.0]))


@given(values=SCORES)
def test_a_sample_sums_up_its_differences(values: np.ndarray) -> None:
    """Mean, deviation, wins, ties and losses are those of the per-topic differences."""
    table = ScoreTable.from_matrix(values, systems="abcd", topics="123456", measure="AP")
    sample = paired_sample(table, Pairs.of_all(table.systems))
    deltas = values[sample.pairs.left] - values[sample.pairs.right]
    np.testing.assert_allclose(sample.difference, deltas.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(sample.deviation, deltas.std(axis=1, ddof=1), atol=1e-14)
    np.testing.assert_array_equal(sample.wins, (deltas > 0).sum(axis=1))
    np.testing.assert_array_equal(sample.wins + sample.ties + sample.losses, 6)


def test_only_the_compared_systems_decide_on_topics() -> None:
    """A system that is not compared cannot take a topic away."""
    nan = float("nan")
    table = ScoreTable.from_matrix(
        [[0.1, 0.2, 0.3], [0.2, 0.2, 0.2], [nan, nan, 0.1]],
        systems="abc",
        topics="123",
        measure="AP",
    )
    two = Pairs(np.array([0]), np.array([1]), "a against b")
    assert paired_sample(table, two).n.tolist() == [3]
    assert paired_sample(table, Pairs.of_all(table.systems)).n.tolist() == [1, 1, 1]


def test_blocks_cover_every_pair_once() -> None:
    """The blocks are the pairs, in order, however wide a row is."""
    pairs = Pairs.of_all([str(s) for s in range(40)])
    for width in (1, 1000, 10**9):
        covered = [i for block in pair_blocks(pairs, width) for i in range(len(pairs))[block]]
        assert covered == list(range(780))


def test_two_samples_of_unequal_size_are_scipys() -> None:
    """Error and degrees of freedom of Welch's t and of the pooled t, with 9 and with 4 topics."""
    values = np.random.default_rng(5).random((2, 9)) * [[1.0], [3.0]]
    values[1, 4:] = np.nan
    table = ScoreTable.from_matrix(values, systems="ab", topics="123456789", measure="AP")
    for equal in (False, True):
        sample = two_samples(table, Pairs.of_all(table.systems), equal_variances=equal)
        expected = stats.ttest_ind(values[0], values[1, :4], equal_var=equal)
        np.testing.assert_allclose(sample.degrees, expected.df, rtol=1e-12)
        np.testing.assert_allclose(
            sample.difference / sample.standard_error, expected.statistic, rtol=1e-12
        )
