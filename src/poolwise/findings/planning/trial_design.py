"""Choose the number of topics from a trial experiment (W10 §5.3.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison.resampling import Resamples
from poolwise.findings.planning.power import topics_needed

__all__ = [
    "TrialDesign",
    "TrialSimulation",
    "simulate_trials",
    "trial_design",
]


@dataclass(frozen=True)
class TrialDesign:
    """A trial of a few topics, then an experiment on others whose size the trial decides.

    Examples
    --------
    >>> print(trial_design(0.15, delta=0.033, trial_topics=40))
    trial of 40 topics with sigma 0.1500, then:
      sigma to plan for   0.1776 (95% sure to be no less than the true one)
      experiment          230 topics (229.22) to detect 0.0330
      in all              270 topics; 165 if 0.1500 were known to be true
    """

    sigma: float
    trial_topics: int
    confidence: float
    sigma_upper: float
    delta: float
    topics: float
    topics_if_known: float

    @property
    def total(self) -> int:
        """Topics of trial and experiment together."""
        return self.trial_topics + int(np.ceil(self.topics))

    def __str__(self) -> str:
        sure = f"{100 * self.confidence:g}% sure to be no less than the true one"
        known = f"{np.ceil(self.topics_if_known):.0f} if {self.sigma:.4f} were known to be true"
        size = f"{np.ceil(self.topics):.0f} topics ({self.topics:.2f})"
        return "\n".join(
            [
                f"trial of {self.trial_topics} topics with sigma {self.sigma:.4f}, then:",
                f"  sigma to plan for   {self.sigma_upper:.4f} ({sure})",
                f"  experiment          {size} to detect {self.delta:.4f}",
                f"  in all              {self.total} topics; {known}",
            ]
        )


def trial_design(
    sigma: float,
    *,
    delta: float,
    trial_topics: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    confidence: float = 0.95,
) -> TrialDesign:
    """Plan an experiment from the deviation seen in a trial, cautiously.

    The trial's deviation s has a standard error of s/√(2m) (W10 eq. 5.3), so that the true one
    is below s(1 + 1.645/√(2m)) in 95 of 100 trials. The trial's topics are not used again.

    Parameters
    ----------
    sigma
        Deviation of per-topic differences in the trial.
    delta
        The difference to detect.
    trial_topics
        Topics of the trial; by default the number that makes trial and experiment together
        shortest (W10 fig. 5.7), supposing the trial will show ``sigma``.
    confidence
        How sure to be of the deviation.

    Examples
    --------
    >>> best = trial_design(0.15, delta=0.033)
    >>> 35 <= best.trial_topics <= 45, 265 <= best.total <= 275
    (True, True)
    """
    sizes = np.arange(5, 501) if trial_topics is None else np.array([trial_topics])
    if sizes.min() < 2 or sigma <= 0 or delta <= 0:
        raise OptionError(
            f"sigma, delta, trial_topics: {sigma}, {delta} and {sizes.min()} must be above 0, 0 "
            "and 1. Hint: give those of the trial."
        )
    upper = sigma_upper(sigma, sizes, confidence)
    effects = np.append(delta / upper, delta / sigma)
    needed = topics_needed(effects, power=power, alpha=alpha, alternative=alternative)
    best = int(np.argmin(sizes + needed[:-1]))
    return TrialDesign(
        sigma=sigma,
        trial_topics=int(sizes[best]),
        confidence=confidence,
        sigma_upper=float(upper[best]),
        delta=delta,
        topics=float(needed[best]),
        topics_if_known=float(needed[-1]),
    )


def sigma_upper(sigma: ArrayLike, trial_topics: ArrayLike, confidence: float = 0.95) -> Floats:
    """Return the deviation below which the true one is, so confidently (W10 eq. 5.3).

    Examples
    --------
    >>> float(sigma_upper(0.15, 40).round(4))
    0.1776
    """
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    if not 0 < confidence < 1:
        raise OptionError(f"confidence: {confidence} is outside (0, 1). Hint: use 0.95.")
    error = ndtri(confidence) / np.sqrt(2 * np.asarray(trial_topics, np.float64))
    return np.asarray(sigma) * (1 + error)


@dataclass(frozen=True)
class TrialSimulation:
    """What trials drawn from known differences lead to.

    Attributes
    ----------
    sigma : float
        The true deviation.
    low, high : float
        5th and 95th percentile of the trials' deviations (W10 fig. 5.6).
    covered : float
        Share of trials whose upper deviation is not below the true one: the share of
        experiments that reach the power wanted. ``confidence`` is what theory promises.
    topics_mean : float
        Mean number of topics, trial included.
    """

    trial_topics: int
    confidence: float
    sigma: float
    low: float
    high: float
    covered: float
    topics_mean: float


def simulate_trials(
    deltas: ArrayLike,
    *,
    delta: float,
    trial_topics: int,
    rng: int | np.random.Generator,
    trials: int = 2000,
    confidence: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
) -> TrialSimulation:
    """Draw trials from the per-topic differences of two systems, with replacement.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0.05, 0.15, 5000)
    >>> found = simulate_trials(deltas, delta=0.033, trial_topics=30, rng=1)
    >>> round(found.covered, 1)  # of the 0.95 that eq. 5.3 promises
    0.9
    """
    deltas = checked_deltas(deltas)
    planned = Resamples.plan(trials, rng=rng)
    seen = np.concatenate(planned.map(_trial_deviations, deltas=deltas, topics=trial_topics))
    upper = sigma_upper(seen, trial_topics, confidence)
    effects = delta / np.maximum(upper, 1e-12)
    low, high = np.percentile(seen, [5, 95])
    sigma = float(deltas.std())
    return TrialSimulation(
        trial_topics=trial_topics,
        confidence=confidence,
        sigma=sigma,
        low=float(low),
        high=float(high),
        covered=float((upper >= sigma).mean()),
        topics_mean=trial_topics + float(topics_needed(effects, power=power, alpha=alpha).mean()),
    )


def _trial_deviations(
    rng: np.random.Generator, size: int, *, deltas: Floats, topics: int
) -> Floats:
    return rng.choice(deltas, (size, topics)).std(axis=1, ddof=1)


def checked_deltas(deltas: ArrayLike) -> Floats:
    """Return the differences without undefined ones, or say what is wrong with them."""
    found = np.asarray(deltas, np.float64)
    found = found[~np.isnan(found)]
    if found.ndim != 1 or len(found) < 2 or np.ptp(found) == 0:
        raise OptionError(
            "deltas: a list of two or more numbers that differ is needed. Hint: give the "
            "per-topic differences of two systems that are not identical."
        )
    return found
