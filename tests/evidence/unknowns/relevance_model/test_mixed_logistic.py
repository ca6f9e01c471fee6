"""Logistic regression with effects of topics, against an optimizer and its own theory."""

import numpy as np
import pytest
from scipy.optimize import minimize

from poolwise.arrays import Floats
from poolwise.evidence.unknowns.relevance_model._mixed_logistic import (
    MixedLogistic,
    fit_mixed_logistic,
)

TOPICS, EACH, VARYING = 12, 60, (0, 1)


def made(seed: int = 3) -> tuple[Floats, np.ndarray, np.ndarray]:
    """Draw documents whose log odds have an intercept and a slope of each topic's own."""
    rng = np.random.default_rng(seed)
    topics = np.repeat(np.arange(TOPICS), EACH)
    design = np.column_stack([np.ones(len(topics)), rng.standard_normal((len(topics), 2))])
    own = rng.standard_normal((TOPICS, 2))
    odds = design @ [-1.0, 1.0, 0.5] + (design[:, :2] * own[topics]).sum(axis=1)
    return design, rng.random(len(topics)) < 1 / (1 + np.exp(-odds)), topics


def fitted() -> MixedLogistic:
    design, outcome, topics = made()
    return fit_mixed_logistic(design, outcome, topics, count=TOPICS, varying=VARYING)


def loss(fit: MixedLogistic, parameters: Floats) -> float:
    """Return the negative log posterior, written out."""
    design, outcome, topics = made()
    beta, effects = parameters[:3], parameters[3:].reshape(TOPICS, 2)
    odds = design @ beta + (design[:, :2] * effects[topics]).sum(axis=1)
    ridge = np.array([1e-6, 30, 30])
    prior = ridge @ beta**2 + (effects**2 / fit.variances).sum()
    return float((np.logaddexp(0, odds) - outcome * odds).sum() + prior / 2)


def test_the_fit_is_the_mode_that_an_optimizer_finds() -> None:
    """For the variances it ends with, no other parameters are more probable."""
    fit = fitted()
    start = np.concatenate([fit.beta, fit.by_topic.ravel()])
    best = minimize(lambda p: loss(fit, p), np.zeros(len(start)), method="BFGS")
    assert start == pytest.approx(best.x, abs=5e-3)


def test_variances_are_near_those_that_were_drawn_from() -> None:
    """Topics that differ by a standard deviation of 1 are found to do so, roughly."""
    assert fitted().variances == pytest.approx([1, 1], rel=0.7)


def test_topics_that_do_not_differ_have_hardly_any_variance() -> None:
    """EM shrinks the effects of topics away where there are none."""
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(4000), rng.standard_normal(4000)])
    outcome, topics = rng.random(4000) < 0.3, np.repeat(np.arange(40), 100)
    fit = fit_mixed_logistic(design, outcome, topics, count=40, varying=(0,))
    assert fit.variances[0] < 0.05


def test_a_warm_start_ends_where_a_cold_one_does() -> None:
    """Starting from a fit to other documents changes the way, not the end."""
    design, outcome, topics = made()
    part = fit_mixed_logistic(design[::2], outcome[::2], topics[::2], count=TOPICS, varying=VARYING)
    again = fit_mixed_logistic(design, outcome, topics, count=TOPICS, varying=VARYING, start=part)
    assert again.beta == pytest.approx(fitted().beta, abs=0.05)


def test_separated_documents_have_a_finite_fit() -> None:
    """Where a feature tells relevant from other documents exactly, the ridge keeps it finite."""
    design = np.column_stack([np.ones(40), np.repeat([-1.0, 1.0], 20)])
    outcome = np.repeat([False, True], 20)
    fit = fit_mixed_logistic(design, outcome, np.zeros(40, np.intp), count=3, varying=(0, 1))
    assert np.isfinite(fit.beta).all()
    assert (fit.by_topic[1:] == 0).all()
