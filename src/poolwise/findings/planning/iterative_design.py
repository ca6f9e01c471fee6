"""Add topics until an experiment seems powerful enough, and the bias of that (W10 §5.3.3)."""

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Indices
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.planning.t_test_power import detectable_effect, topics_needed
from poolwise.findings.planning.trials import checked_deltas
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES, seed_option
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, signed

__all__ = ["IterativeDesign", "critical_values", "running_moments", "simulate_iterative_design"]


LONGEST = 3
"""Simulated experiments stop at this many times the topics that the true deviation needs."""


@finding
class IterativeDesign(Finding):
    """What comes of adding topics until the experiment seems powerful enough (W10 alg. 5.2).

    Its stopping rule prefers topic sets that happen to vary little: the deviation is estimated
    too small, and the significance found is exaggerated. Report the method if you use it.

    Attributes
    ----------
    sigma, sigma_mean : float
        The true deviation, and the mean of those estimated at the stop.
    topics_mean : float
        Mean number of topics at the stop.
    false_positives, false_positives_fixed : float
        Share of experiments found significant when the true difference is 0, and the same with
        topic sets of the same sizes drawn beforehand.
    unfinished : int
        Simulated experiments that had not stopped at the longest allowed; left out.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0, 0.15, 500)
    >>> found = simulate_iterative_design(deltas, delta=0.06, rng=1)
    >>> found.bias < 0, found.unfinished
    (True, 0)
    """

    delta: float
    sigma: float
    sigma_mean: float
    topics_mean: float
    alpha: float
    false_positives: float
    false_positives_fixed: float
    simulations: int
    unfinished: int

    @property
    def bias(self) -> float:
        """Relative error of the estimated deviation: −0.035 is 3.5% too small."""
        return self.sigma_mean / self.sigma - 1

    def columns(self) -> Columns:
        """Return one row, one column per attribute, and the bias."""
        return row_of(self) | {"bias": [self.bias]}

    def sentences(self) -> tuple[str, ...]:
        """Say what the design came to, how far it was wrong, and to beware of it."""
        sigmas = f"{self.sigma_mean:.4f} on average, where {self.sigma:.4f} is true"
        return (
            self._stop(),
            f"Sigma was estimated as {sigmas}: {signed(100 * self.bias, digits=1)}%.",
            self._errors(),
            "Warning: this design understates sigma and overstates significance.",
            *self._unfinished(),
        )

    def _stop(self) -> str:
        stopped = counted(self.simulations - self.unfinished, "simulated experiment")
        return (
            f"{stopped} added topics until a difference of {self.delta:g} seemed detectable, "
            f"which took {self.topics_mean:,.1f} topics on average."
        )

    def _errors(self) -> str:
        return (
            f"The share of false positives was {self.false_positives:.4f}, where alpha is "
            f"{self.alpha:g}, and {self.false_positives_fixed:.4f} with topic sets of the same "
            "sizes that were fixed beforehand."
        )

    def _unfinished(self) -> tuple[str, ...]:
        if not self.unfinished:
            return ()
        left_out = counted(self.unfinished, "other experiment")
        return (f"{left_out} had not stopped at the longest allowed, and count nowhere.",)


def simulate_iterative_design(
    deltas: ArrayLike,
    *,
    delta: float,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 30,
    step: int = 1,
    simulations: int = 2000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> IterativeDesign:
    """Add topics, drawn with replacement, until a difference of ``delta`` seems detectable.

    Parameters
    ----------
    deltas
        Per-topic differences of two systems, taken as all there are.
    delta
        The difference that the experiment is to detect.
    start, step
        Topics at first, and how many are added at a time.
    power, alpha
        Of the two-sided test.
    rng : int or numpy.random.Generator
        Seed or generator.
    simulations
        How many experiments are simulated.

    Returns
    -------
    IterativeDesign
        How many topics the experiments came to have, and the power they reached.

    Notes
    -----
    An experiment of 3 times the topics that the true deviation needs is broken off. Memory is
    500 such experiments at a time.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0.05, 0.15, 500)
    >>> found = simulate_iterative_design(deltas, delta=0.05, rng=1, simulations=200)
    >>> found.sentences()[0]
    '200 simulated experiments added topics until a difference of 0.05 seemed detectable, which took
    60.3 topics on average.'
    """
    centred = checked_deltas(deltas)
    centred = centred - centred.mean()
    sigma = float(centred.std())
    needed = float(topics_needed(delta / sigma, power=power, alpha=alpha))
    sizes = np.arange(max(2, start), LONGEST * max(needed, start) + step, step).astype(np.intp)
    # a deviation of at most this, at that size, ends the experiment
    enough = delta / detectable_effect(sizes, power=power, alpha=alpha)
    batches = Resamples.plan(simulations, rng=rng).map(
        _iterate, deltas=centred, sizes=sizes, enough=enough, critical=critical_values(sizes, alpha)
    )
    topics, deviation, found, found_fixed = np.concatenate(batches, axis=1)
    return IterativeDesign(
        delta=delta,
        sigma=sigma,
        sigma_mean=float(deviation.mean()),
        topics_mean=float(topics.mean()),
        alpha=alpha,
        false_positives=float(found.mean()),
        false_positives_fixed=float(found_fixed.mean()),
        simulations=simulations,
        unfinished=simulations - len(topics),
        provenance=WITHOUT_FILES.with_options(
            delta=delta,
            start=start,
            step=step,
            simulations=simulations,
            power=power,
            alpha=alpha,
            **seed_option(rng),
        ),
    )


def _iterate(
    rng: np.random.Generator,
    size: int,
    *,
    deltas: Floats,
    sizes: Indices,
    enough: Floats,
    critical: Floats,
) -> Floats:
    """Return topics, deviation and both verdicts of the experiments that came to a stop."""
    mean, deviation = running_moments(rng.choice(deltas, (size, sizes[-1])), sizes)
    stops = deviation <= enough
    ended = np.flatnonzero(stops.any(axis=1))
    at = stops[ended].argmax(axis=1)
    fixed_mean, fixed_deviation = running_moments(rng.choice(deltas, (size, sizes[-1])), sizes)
    verdicts = [
        np.abs(m[ended, at]) * np.sqrt(sizes[at]) > critical[at] * d[ended, at]
        for m, d in ((mean, deviation), (fixed_mean, fixed_deviation))
    ]
    return np.stack([sizes[at].astype(np.float64), deviation[ended, at], *verdicts])


def running_moments(drawn: Floats, sizes: Indices) -> tuple[Floats, Floats]:
    """Return mean and deviation of the first topics of each row, at these sizes.

    Examples
    --------
    >>> running_moments(np.array([[1.0, 3.0, 5.0]]), np.array([2, 3]))[0].tolist()
    [[2.0, 3.0]]
    """
    mean = np.cumsum(drawn, axis=1)[:, sizes - 1] / sizes
    square = np.cumsum(drawn**2, axis=1)[:, sizes - 1] / sizes
    return mean, np.sqrt(np.maximum(square - mean**2, 0) * sizes / (sizes - 1))


def critical_values(sizes: Indices, alpha: float) -> Floats:
    """Return the |t| above which a two-sided test of so many topics is significant.

    Examples
    --------
    >>> critical_values(np.array([2, 50]), 0.05).round(2).tolist()
    [12.71, 2.01]
    """
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    return np.asarray(stdtrit(sizes - 1, 1 - alpha / 2))
