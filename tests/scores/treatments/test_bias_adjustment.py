"""Scores adjusted for the bias against unpooled runs."""

import numpy as np
import pytest

from poolwise.scores.treatments.bias_adjustment import adjust_from_systems, adjust_from_topics

# W10 fig. 6.4: pooled and unpooled scores of three systems on six topics, and the new system's.
POOLED = np.array(
    [
        [0.26, 0.11, 0.08, 0.12, 0.12, 0.15],
        [0.31, 0.25, 0.09, 0.12, 0.35, 0.27],
        [0.25, 0.35, 0.14, 0.48, 0.42, 0.41],
    ]
)
UNPOOLED = np.array(
    [
        [0.23, 0.09, 0.07, 0.08, 0.07, 0.12],
        [0.28, 0.19, 0.08, 0.10, 0.31, 0.24],
        [0.17, 0.22, 0.11, 0.42, 0.38, 0.35],
    ]
)
NEW = np.array([0.28, 0.18, 0.15, 0.21, 0.31, 0.37])


def test_systems_as_in_the_thesis() -> None:
    """W10 fig. 6.4: means .14 .23 .34 and .11 .20 .28; a = .04; .25 becomes .29."""
    found = adjust_from_systems(POOLED, UNPOOLED, NEW)
    assert POOLED.mean(axis=1) == pytest.approx([0.14, 0.23, 0.34], abs=0.0051)
    assert UNPOOLED.mean(axis=1) == pytest.approx([0.11, 0.20, 0.28], abs=0.0051)
    # The figure prints the differences of the rounded means: .03, .03, .06.
    assert found.biases == pytest.approx([0.03, 0.03, 0.06], abs=0.01)
    assert [round(x, 2) for x in (found.factor, found.raw, found.adjusted)] == [0.04, 0.25, 0.29]
    assert found.estimates.mean() == pytest.approx(found.adjusted)


def test_topics_as_in_the_thesis() -> None:
    """W10 fig. 6.5: biases .08, .10 on two common topics; a = .09; .25 becomes .34."""
    pooled = np.array([0.36, 0.28, *NEW[2:]])
    found = adjust_from_topics(pooled, NEW, np.arange(6) < 2)
    assert found.biases.round(2).tolist() == [0.08, 0.10]
    assert [round(x, 2) for x in (found.factor, found.raw, found.adjusted)] == [0.09, 0.25, 0.34]
    assert found.estimates.mean() == pytest.approx(found.adjusted)
    assert found.sampled == pytest.approx(0.32)


def test_the_standard_error_over_systems_is_that_of_one_more() -> None:
    """The error of the factor is the spread of the biases over the root of their number."""
    found = adjust_from_systems(POOLED, UNPOOLED, NEW)
    assert found.standard_error == pytest.approx(found.biases.std(ddof=1) * np.sqrt(1 + 1 / 3))
    assert np.isnan(adjust_from_systems(POOLED[:1], UNPOOLED[:1], NEW).standard_error)


def test_a_unit_counts_once() -> None:
    """Two runs left out together are one observation: the mean of their biases."""
    found = adjust_from_systems(POOLED, UNPOOLED, NEW, units=np.array([4, 9, 9]))
    alone = adjust_from_systems(POOLED, UNPOOLED, NEW).biases
    assert found.biases == pytest.approx([alone[0], (alone[1] + alone[2]) / 2])


def test_adjustment_from_topics_is_unbiased_and_its_error_is_right() -> None:
    """Over random common topics the mean error is near 0, its spread that of W10 eq. 6.5."""
    random = np.random.default_rng(6)
    true = random.beta(2, 3, 60)
    unpooled = true * random.uniform(0.4, 1.0, 60)
    adjusted, variances, sampled = [], [], []
    for _ in range(3000):
        common = np.isin(np.arange(60), random.choice(60, 15, replace=False))
        found = adjust_from_topics(true, unpooled, common)
        adjusted.append(found.adjusted)
        sampled.append(found.sampled)
        variances.append((found.standard_error**2, found.sampled_error**2))
    spread = np.std(adjusted) / np.sqrt(3000)
    assert np.mean(adjusted) == pytest.approx(true.mean(), abs=4 * spread)
    # W10 eq. 6.5 and 6.7, with the variances over all 60 topics.
    expected = [45 / 60 * x.var(ddof=1) / 15 for x in (true - unpooled, true)]
    assert np.mean(variances, axis=0) == pytest.approx(expected, rel=0.03)
    assert [np.var(adjusted), np.var(sampled)] == pytest.approx(expected, rel=0.12)


def test_all_topics_common_leave_nothing_to_estimate() -> None:
    """Where every topic is common the adjusted mean is the known one, without error."""
    found = adjust_from_topics(NEW + 0.1, NEW, np.ones(6, np.bool_))
    assert found.adjusted == pytest.approx((NEW + 0.1).mean())
    assert found.standard_error == 0


def test_known_topics_make_the_error_smaller() -> None:
    """W10 eq. 6.5: with 2 of 6 topics known, 4/6 of the variance of a mean of 2 is left."""
    pooled = np.array([0.36, 0.28, *NEW[2:]])
    found = adjust_from_topics(pooled, NEW, np.arange(6) < 2)
    variance = np.var([0.08, 0.10], ddof=1)
    assert found.standard_error**2 == pytest.approx((6 - 2) / 6 * variance / 2)
    assert found.sampled_error**2 == pytest.approx((6 - 2) / 6 * np.var([0.36, 0.28], ddof=1) / 2)
    everything = adjust_from_topics(pooled, NEW, np.ones(6, bool))
    assert everything.standard_error == 0


def test_an_adjustment_says_what_it_did() -> None:
    """The sentence has the mean before and after, the bias, and from how many observations."""
    found = adjust_from_systems(POOLED, UNPOOLED, NEW)
    # Biases .18/6, .19/6 and .40/6 have the mean .77/18, and a standard deviation of .0207.
    assert found.sentences() == (
        "The mean score of 0.2500 is adjusted to 0.2928, by a bias of +0.0428 from 3 observations.",
        "The standard error of the adjusted mean is 0.0239.",
    )
    alone = adjust_from_systems(POOLED[:1], UNPOOLED[:1], NEW)
    assert alone.sentences()[1] == "One observation gives no standard error."
    assert found.columns()["adjusted"] == [found.raw + found.factor]
