"""Grades of several people: Dawid and Skene, agreement, and the interval of missed traps."""

import math

import numpy as np
import pytest

from poolwise.findings.campaigns._assessors import wilson
from poolwise.findings.campaigns._dawid_skene import dawid_skene


def plain_em(votes: list[list[int | None]], grades: int) -> list[list[float]]:  # noqa: C901 -- on purpose
    """Estimate grades as Dawid and Skene's paper has it, by loops and nothing else."""
    people, documents = len(votes), len(votes[0])
    truth = []
    for d in range(documents):
        own = [votes[a][d] for a in range(people) if votes[a][d] is not None]
        truth.append([own.count(k) / len(own) for k in range(grades)])
    for _ in range(500):
        shares = [sum(truth[d][k] for d in range(documents)) / documents for k in range(grades)]
        table = [[[1.0 if k == g else 0.1 for g in range(grades)] for k in range(grades)]
                 for _ in range(people)]  # fmt: skip
        for a in range(people):
            for d in range(documents):
                grade = votes[a][d]
                if grade is not None:
                    for k in range(grades):
                        table[a][k][grade] += truth[d][k]
        renewed = []
        for d in range(documents):
            chances = []
            for k in range(grades):
                chance = shares[k]
                for a in range(people):
                    grade = votes[a][d]
                    if grade is not None:
                        chance *= table[a][k][grade] / sum(table[a][k])
                chances.append(chance)
            renewed.append([chance / sum(chances) for chance in chances])
        moved = max(abs(x - y) for r, t in zip(renewed, truth, strict=True)
                    for x, y in zip(r, t, strict=True))  # fmt: skip
        truth = renewed
        if moved < 1e-8:
            break
    return truth


@pytest.mark.parametrize("seed", range(6))
def test_dawid_skene_is_that_of_plain_loops(seed: int) -> None:
    """The probabilities are those of an independent implementation, whoever votes on what."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 25)
    right = rng.random((4, 25)) < np.array([0.95, 0.8, 0.7, 0.5])[:, None]
    grades = np.where(right, truth, rng.integers(0, 3, (4, 25)))
    held = rng.random((4, 25)) < 0.7
    held[0] |= ~held.any(axis=0)
    votes = [[int(g) if h else None for g, h in zip(*row, strict=True)]
             for row in zip(grades, held, strict=True)]  # fmt: skip
    latent = dawid_skene(np.where(held, grades, np.nan), np.arange(3.0))
    assert np.allclose(latent.probability, plain_em(votes, 3), atol=1e-6)


def test_a_careful_assessor_outweighs_two_careless_ones() -> None:
    """Where votes are wrong at different rates, the estimate beats the majority."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    rates = (0.98, 0.6, 0.6)
    votes = np.stack([np.where(rng.random(400) < rate, truth, 1 - truth) for rate in rates])
    right = (dawid_skene(votes.astype(float), np.arange(2.0)).grade == truth).mean()
    majority = ((votes.mean(axis=0) > 0.5) == truth).mean()
    assert right > 0.95 > majority


def test_wilsons_interval_is_that_of_statsmodels() -> None:
    """The interval of a share is the one that others compute."""
    from statsmodels.stats.proportion import proportion_confint

    for missed, traps in ((0, 10), (1, 10), (7, 9), (20, 20)):
        expected = proportion_confint(missed, traps, method="wilson")
        assert all(
            math.isclose(a, b, abs_tol=1e-12)
            for a, b in zip(wilson(missed, traps), expected, strict=True)
        )
