"""Means from the random share of adaptive batches: unbiased, and covered at every look."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings.campaigns._random_share import DrawnBatch, estimate_means, looks_alpha


def judge(gain: Floats, weight: Floats, rng: np.random.Generator, batches: int) -> list[DrawnBatch]:
    """Judge in batches: the heaviest documents near relevant ones, and some at random."""
    judged = np.zeros(len(gain), bool)
    drawn_batches = []
    for _ in range(batches):
        # what is chosen depends on the grades so far: neighbours of relevant documents first
        near = (
            np.convolve(judged * gain, [1, 0, 1], "same") + weight[0] + 0.01 * rng.random(len(gain))
        )
        chosen = np.argsort(np.where(judged, -1, near))[-8:]
        certain = judged.copy()
        certain[chosen] = True
        chance = np.where(certain, 0.0, min(1, 2 / max((~certain).sum(), 1)))
        drawn = np.flatnonzero(rng.random(len(gain)) < chance)
        drawn_batches.append(DrawnBatch(certain, drawn, np.arange(len(drawn)), chance))
        judged = certain
        judged[drawn] = True
    return drawn_batches


def test_the_estimate_is_unbiased_and_its_limits_hold_at_every_look() -> None:
    """Over many draws the mean error is nothing, and at least 95% never see the truth outside."""
    rng = np.random.default_rng(5)
    documents, draws = 120, 400
    weight = rng.random((2, documents)) / documents
    gain = (rng.random(documents) < 0.3) * rng.choice([0.5, 1.0], documents)
    truth = weight @ gain
    errors, inside = [], []
    for _ in range(draws):
        batches = judge(gain, weight, rng, 8)
        looks = [estimate_means(weight, gain, batches[: k + 1]) for k in range(8)]
        errors.append(looks[-1][0] - truth)
        inside.append([bool((abs(v - truth) <= h).all()) for v, h in looks])
    standard_error = np.std(errors, axis=0) / np.sqrt(draws)
    assert (abs(np.mean(errors, axis=0)) < 3.5 * standard_error).all()
    assert np.mean([all(held) for held in inside]) >= 0.95


def test_a_batch_that_leaves_nothing_open_is_exact() -> None:
    """When everything is known, the estimate is the score, without a width."""
    gain, weight = np.array([1.0, 0, 1]), np.full((1, 3), 1 / 3)
    done = DrawnBatch(np.ones(3, bool), np.zeros(0, int), np.zeros(0, int), np.ones(3))
    value, half = estimate_means(weight, gain, [done])
    assert np.allclose(value, 2 / 3)
    assert half[0] == 0


def test_levels_of_looks_add_up() -> None:
    """All looks together keep to the level."""
    assert sum(looks_alpha(k) for k in range(1, 1000)) < 0.05
