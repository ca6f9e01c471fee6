"""The number of topics, chosen from a trial or step by step (W10 §5.3.2, §5.3.4)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.planning._power import checked, power_of_test, topics_needed, whole_topics
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, range_text

__all__ = [
    "LIMITS",
    "TopicPlanStep",
    "TrialDesign",
    "TrialSimulation",
    "sigma_upper",
    "simulate_trials",
    "topic_plan_step",
    "trial_design",
]

LIMITS = {
    "chi2": "s√((m−1)/χ²), which normal differences exceed as often as is said",
    "normal": "s(1 + z/√(2m)), W10 eq. 5.3; of 95% it covers 85 to 91%",
}
"""Upper limits of the true deviation, from that of a trial."""


@finding
class TrialDesign(Finding):
    """A trial of a few topics, then an experiment on others whose size the trial decides.

    Attributes
    ----------
    sigma : float
        Deviation of per-topic differences in the trial.
    trial_topics : int
        Topics of the trial.
    confidence, sigma_upper : float
        How sure it is that the true deviation is no larger than the upper one.
    delta : float
        The difference to detect.
    topics, topics_if_known : float
        Topics of the experiment at the upper deviation, and at the trial's own.

    Examples
    --------
    >>> for sentence in trial_design(0.15, delta=0.033, trial_topics=40).sentences():
    ...     print(sentence)
    249 topics (248.06 before rounding up) detect a difference of 0.0330, after a trial of 40
    topics with a sigma of 0.1500.
    In all, that is 289 topics.
    It is planned for a sigma of 0.1848, which is 95% sure to be no less than the true one.
    If 0.1500 were known to be true, 165 topics would do.
    """

    sigma: float
    trial_topics: int
    confidence: float
    sigma_upper: float
    delta: float
    topics: float
    topics_if_known: float

    @property
    def total(self) -> float:
        """Topics of trial and experiment together."""
        return self.trial_topics + whole_topics(self.topics)

    def columns(self) -> Columns:
        """Return one row, one column per attribute, and the topics in all."""
        return row_of(self) | {"total": [self.total]}

    def sentences(self) -> tuple[str, ...]:
        """Say how large the experiment must be, and for which deviation it is planned."""
        trial = f"after a trial of {self.trial_topics:,} topics with a sigma of {self.sigma:.4f}"
        if math.isinf(self.topics):
            return (f"No number of topics detects {self.delta:.3g}, {trial}.",)
        sure = f"{100 * self.confidence:g}% sure to be no less than the true one"
        topics = f"{whole_topics(self.topics_if_known):,.0f} topics would do"
        return (
            f"{self._size()} detect a difference of {self.delta:.4f}, {trial}.",
            f"In all, that is {self.total:,.0f} topics.",
            f"It is planned for a sigma of {self.sigma_upper:.4f}, which is {sure}.",
            f"If {self.sigma:.4f} were known to be true, {topics}.",
        )

    def _size(self) -> str:
        return f"{whole_topics(self.topics):,.0f} topics ({self.topics:,.2f} before rounding up)"


@recorded
def trial_design(
    sigma: float,
    *,
    delta: float,
    trial_topics: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    confidence: float = 0.95,
    limit: str = "chi2",
) -> TrialDesign:
    """Plan an experiment from the deviation seen in a trial, cautiously.

    The trial's deviation s varies: (m−1)s²/σ² has a χ² distribution with m−1 degrees of freedom,
    so that the true one is below s√((m−1)/χ²) in 95 of 100 trials, with the 5% quantile of χ².
    That is so for normal differences; heavy tails or a skew make it less sure (simulated: 63% to
    74%). The trial's topics are not used again.

    Parameters
    ----------
    sigma
        Deviation of per-topic differences in the trial.
    trial_topics
        Topics of the trial; by default the number that makes trial and experiment together
        shortest (W10 fig. 5.7), supposing the trial will show ``sigma``.
    confidence
        How sure to be of the deviation.
    limit : {"chi2", "normal"}
        How the upper deviation is found: a key of ``LIMITS``.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    TrialDesign
        Topics of the trial and of the experiment, and the deviation that is planned for.

    Examples
    --------
    >>> best = trial_design(0.15, delta=0.033)
    >>> best.trial_topics, best.total
    (49, 287)
    >>> trial_design(0.15, delta=0.033, limit="normal").total
    270
    """
    # a trial of fewer than 5 topics says next to nothing of sigma, one of 500 is an experiment
    sizes = np.arange(5, 501) if trial_topics is None else np.array([trial_topics])
    if sizes.min() < 2 or sigma <= 0 or delta <= 0:
        raise OptionError(
            f"sigma, delta, trial_topics: {sigma}, {delta} and {sizes.min()} must be above 0, 0 "
            "and 1. Hint: give those of the trial."
        )
    upper = sigma_upper(sigma, sizes, confidence, limit=limit)
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
        provenance=WITHOUT_FILES.with_options(
            sigma=sigma,
            delta=delta,
            trial_topics=trial_topics or "best",
            power=power,
            alpha=alpha,
            alternative=alternative,
            confidence=confidence,
            limit=limit,
        ),
    )


def sigma_upper(
    sigma: ArrayLike, trial_topics: ArrayLike, confidence: float = 0.95, *, limit: str = "chi2"
) -> Floats:
    """Return the deviation below which the true one is, so confidently; a key of ``LIMITS``.

    Examples
    --------
    >>> [float(sigma_upper(0.15, 40, limit=limit).round(4)) for limit in ("chi2", "normal")]
    [0.1848, 0.1776]
    """
    from scipy.special import chdtri, ndtri  # noqa: PLC0415 -- late: slow to import

    require_choice("limit", limit, LIMITS)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence: {confidence} is outside (0, 1). Hint: use 0.95.")
    m = np.asarray(trial_topics, np.float64)
    if limit == "normal":
        # W10 eq. 5.3
        return np.asarray(sigma) * (1 + ndtri(confidence) / np.sqrt(2 * m))
    # (m − 1)s²/σ² is χ² with m − 1 degrees: σ is below s·√((m − 1)/χ²) as often as is asked for
    return np.asarray(sigma * np.sqrt((m - 1) / chdtri(m - 1, confidence)))


@finding
class TrialSimulation(Finding):
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
    trials : int
        How many were drawn.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0.05, 0.15, 5000)
    >>> simulation = simulate_trials(deltas, delta=0.033, trial_topics=30, rng=1, trials=200)
    >>> simulation.low < simulation.sigma < simulation.high, simulation.trials
    (True, 200)
    """

    trial_topics: int
    confidence: float
    sigma: float
    low: float
    high: float
    covered: float
    topics_mean: float
    trials: int

    def sentences(self) -> tuple[str, ...]:
        """Say how often the trials led to a large enough experiment, and at which cost."""
        trials = f"{counted(self.trials, 'trial')} of {counted(self.trial_topics, 'topic')}"
        promised = f"{self.confidence:.1%} are promised"
        spread = range_text(self.low, self.high)
        return (
            f"{self.covered:.1%} of {trials} led to the power wanted, where {promised}.",
            f"The true sigma is {self.sigma:.4f}, and nine of ten trials showed {spread}.",
            f"Trial and experiment took {self.topics_mean:,.1f} topics on average.",
        )


@recorded
def simulate_trials(
    deltas: ArrayLike,
    *,
    delta: float,
    trial_topics: int,
    rng: int | np.random.Generator = DEFAULT_SEED,
    trials: int = 2000,
    confidence: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
    limit: str = "chi2",
) -> TrialSimulation:
    """Draw trials from the per-topic differences of two systems, with replacement.

    Parameters
    ----------
    deltas
        Per-topic differences of two systems, taken as all there are.
    trial_topics : int
        Topics of each trial.
    trials : int
        How many trials are drawn.
    confidence : float
        How sure to be of the deviation.
    power, alpha : float
        Of the two-sided test.
    limit : {"chi2", "normal"}
        How the upper deviation is found: a key of ``LIMITS``.

    Returns
    -------
    TrialSimulation
        How the trials' deviations vary, and how often the experiment they ask for is long enough.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0.05, 0.15, 5000)
    >>> simulation = simulate_trials(deltas, delta=0.033, trial_topics=30, rng=1)
    >>> 0.94 < simulation.covered < 0.97
    True
    >>> simulation = simulate_trials(deltas, delta=0.033, trial_topics=30, rng=1, limit="normal")
    >>> round(simulation.covered, 1)  # of the 0.95 that W10 eq. 5.3 promises
    0.9
    """
    deltas = checked_deltas(deltas)
    planned = Resamples.plan(trials, rng=rng)
    seen = np.concatenate(planned.map(_trial_deviations, deltas=deltas, topics=trial_topics))
    upper = sigma_upper(seen, trial_topics, confidence, limit=limit)
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
        trials=trials,
        provenance=WITHOUT_FILES.with_options(
            delta=delta,
            trial_topics=trial_topics,
            trials=trials,
            confidence=confidence,
            power=power,
            alpha=alpha,
            limit=limit,
        ),
    )


def _trial_deviations(
    rng: np.random.Generator, size: int, *, deltas: Floats, topics: int
) -> Floats:
    return rng.choice(deltas, (size, topics)).std(axis=1, ddof=1)


def checked_deltas(deltas: ArrayLike) -> Floats:
    """Return the differences without undefined ones, or say what is wrong with them."""
    numbers = np.asarray(deltas, np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if numbers.ndim != 1 or len(numbers) < 2 or np.ptp(numbers) == 0:
        raise OptionError(
            "deltas: a list of two or more numbers that differ is needed. Hint: give the "
            "per-topic differences of two systems that are not identical."
        )
    return numbers


@finding
class TopicPlanStep(Finding):
    """How many topics to judge next in the hybrid design, or that it is time to test.

    Attributes
    ----------
    judged : int
        Topics judged so far.
    sigma : float
        Deviation of per-topic differences on them; before the first, the best estimate.
    delta, wanted, alpha : float
        The difference to detect, stated at the outset, and the power and level of the test.
    power : float
        Power of the topics judged so far, at this deviation.
    total, more : float
        Topics that this deviation asks for, and how many of them are still to be judged.

    Examples
    --------
    >>> print(topic_plan_step(0.16, judged=64, delta=0.05).sentences()[0])
    Judge 19 more topics: 64 topics with a sigma of 0.1600 have a power of 0.692 to detect 0.0500.
    """

    judged: int
    sigma: float
    delta: float
    wanted: float
    alpha: float
    power: float
    total: float
    more: float

    @property
    def is_reached(self) -> bool:
        """Whether the topics judged so far have the power wanted."""
        return self.more == 0

    def sentences(self) -> tuple[str, ...]:
        """Say what to do next, and what to report at the end."""
        return (self._next(), self._then(), self._report())

    def _next(self) -> str:
        if math.isinf(self.more):
            return f"No number of topics detects a difference of {self.delta:.3g}."
        if not self.judged:
            size = counted(int(self.more), "topic")
            return f"Judge {size} first: a sigma of {self.sigma:.4f} is expected."
        have = (
            f"{counted(self.judged, 'topic')} with a sigma of {self.sigma:.4f} have a power of "
            f"{self.power:.3f} to detect {self.delta:.4f}"
        )
        if self.is_reached:
            return f"Test for significance now: {have}."
        return f"Judge {counted(int(self.more), 'more topic')}: {have}."

    def _then(self) -> str:
        if self.is_reached:
            return "No further topic may be added, whatever the test says."
        return "Then estimate sigma again from all topics; test only once the power is reached."

    def _report(self) -> str:
        return (
            f"Report the design: the difference of {self.delta:.4f}, the topics of the first "
            "round, and the number of rounds; significance is slightly exaggerated by it."
        )


@recorded
def topic_plan_step(
    sigma: float, *, judged: int, delta: float, power: float = 0.8, alpha: float = 0.05
) -> TopicPlanStep:
    """Say how many topics to judge next, from the deviation seen so far (W10 §5.3.4).

    Parameters
    ----------
    sigma
        Deviation of the per-topic differences on the topics judged so far, or the best estimate
        if there are none yet.
    judged
        Topics judged so far, 0 at the outset.
    delta
        The difference to detect: it must not be changed between steps.
    power, alpha
        The chance to find the difference, and the significance level, of the two-sided test.

    Returns
    -------
    TopicPlanStep
        How many more topics to judge, and whether the power is reached.

    Examples
    --------
    >>> topic_plan_step(0.14, judged=0, delta=0.05).more
    64
    >>> topic_plan_step(0.12, judged=64, delta=0.05).is_reached
    True
    """
    if judged < 0 or judged == 1:
        raise OptionError(
            f"judged: {judged} is not 0, or 2 or more: one topic has no deviation. Hint: give 0 "
            "before the first round."
        )
    effect = checked("delta", delta) / checked("sigma", sigma)
    needed = whole_topics(float(topics_needed(effect, power=power, alpha=alpha)))
    # without a topic a test finds by chance alone
    now = float(power_of_test(effect, judged, alpha=alpha)) if judged else alpha
    return TopicPlanStep(
        judged=judged,
        sigma=sigma,
        delta=delta,
        wanted=power,
        alpha=alpha,
        power=now,
        total=needed,
        more=max(needed - judged, 0),
        provenance=WITHOUT_FILES.with_options(
            sigma=sigma, judged=judged, delta=delta, power=power, alpha=alpha
        ),
    )
