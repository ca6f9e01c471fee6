"""Power of the paired t test: how many topics show how large a difference (W10 ch. 5)."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.scores._uncertainty import check_alpha

__all__ = [
    "PowerAnalysis",
    "checked",
    "critical_values",
    "detectable_effect",
    "power",
    "power_of_test",
    "topics_needed",
    "whole_topics",
]

ALTERNATIVES = {"two-sided": 2, "one-sided": 1}
"""Into how many tails the significance level is parted."""

LARGE = 1e6
"""Degrees of freedom beyond which t hardly changes: the topics are right to a millionth."""

_RANGES = {
    "delta": (0.0, np.inf),
    "sigma": (0.0, np.inf),
    "topics": (2.0 - 1e-9, np.inf),
    "power": (0.0, 1.0),
}
"""Between which numbers the quantities of an experiment lie; alpha has a check of its own."""


def whole_topics(topics: float) -> float:
    """Return a number of topics rounded up; infinite stays infinite.

    Examples
    --------
    >>> whole_topics(55.01), whole_topics(56.0), whole_topics(float("inf"))
    (56, 56, inf)
    """
    # a solution may lie above the whole number it stands for by rounding error
    return topics if math.isinf(topics) else math.ceil(topics - 1e-9)


@recorded
def power_of_test(
    effect_size: ArrayLike,
    topics: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return the power for effect sizes δ/σ and numbers of topics, elementwise.

    Parameters
    ----------
    effect_size
        True differences in deviations of the per-topic differences, δ/σ.
    topics
        Numbers of topics; both are broadcast against each other.
    alpha
        Significance levels.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The chance to find each difference significant, from the noncentral t distribution.

    Examples
    --------
    >>> power_of_test([0.2, 0.5, 0.8], 50).round(3).tolist()
    [0.284, 0.934, 1.0]
    """
    return _power_at(topics, alpha, _tails(alternative))(effect_size)


@recorded
def detectable_effect(
    topics: ArrayLike,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return the effect size δ/σ that so many topics detect; times σ, the difference.

    Parameters
    ----------
    topics
        Numbers of topics.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The effect size for each number of topics.

    Examples
    --------
    >>> (0.159 * detectable_effect([50, 249])).round(3).tolist()
    [0.064, 0.028]
    """
    n = np.asarray(topics, np.float64)
    checked("topics", float(n.min()))
    _check_reachable(checked("power", power), checked("alpha", alpha))
    return _effect_at(n, power, alpha, _tails(alternative))


@recorded
def topics_needed(
    effect_size: ArrayLike,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return how many topics detect effect sizes δ/σ, not rounded; infinite for an effect of 0.

    Parameters
    ----------
    effect_size
        True differences in deviations of the per-topic differences, δ/σ.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The number of topics for each effect size.

    Examples
    --------
    >>> topics_needed([0.2, 0.5, 0.8]).round(1).tolist()
    [198.2, 33.4, 14.3]
    """
    _check_reachable(checked("power", power), checked("alpha", alpha))
    size = np.abs(np.asarray(effect_size, np.float64))
    return _topics_at(size, power, alpha, _tails(alternative))


def critical_values(topics: ArrayLike, alpha: float) -> Floats:
    """Return the |t| above which a two-sided test of so many topics is significant."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    return np.asarray(stdtrit(np.asarray(topics) - 1, 1 - alpha / 2))


def _power_at(topics: ArrayLike, alpha: ArrayLike, tails: int) -> Callable[[ArrayLike], Floats]:
    """Return what gives the power for an effect: the critical value is found once."""
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415 -- late: slow to import

    n = np.asarray(topics, np.float64)
    freedom = np.minimum(n, LARGE) - 1
    critical = -stdtrit(freedom, np.asarray(alpha) / tails)

    def power(effect: ArrayLike) -> Floats:
        # W10 §5.1: under a true difference, t is noncentral around √n · δ/σ
        centre = np.sqrt(n) * np.asarray(effect, np.float64)
        # the library gives NaN for some far tails, all of them below 1e-14
        upper = 1 - np.nan_to_num(nctdtr(freedom, centre, critical))
        lower = np.nan_to_num(nctdtr(freedom, centre, -critical)) if tails == 2 else 0.0
        return np.asarray(upper + lower)

    return power


def _effect_at(topics: ArrayLike, power: float, alpha: float, tails: int) -> Floats:
    """Return the effect size of that power; the test is the more powerful the larger it is."""
    n = np.asarray(topics, np.float64)
    reached = _power_at(n, alpha, tails)
    top = np.full(n.shape, 1.0)
    while (short := reached(top) < power).any():
        top = np.where(short, 2 * top, top)
    return _bisect(reached, power, np.zeros(n.shape), top)


def _topics_at(effect: ArrayLike, power: float, alpha: float, tails: int) -> Floats:
    """Return the number of topics of that power, 2 at least, infinite for no effect."""
    size = np.asarray(effect, np.float64)

    def reached(topics: Floats) -> Floats:
        return _power_at(topics, alpha, tails)(size)

    some = size > 0
    # so many are more than enough for the smallest effect whose number of topics is a number
    most = np.finfo(np.float64).max / 4
    n = np.full(size.shape, 4.0)
    while (short := some & (reached(n) < power) & (n < most)).any():
        n = np.where(short, 2 * n, n)
    # topics go over many orders of magnitude, so that their logarithm is bisected
    start = np.full(size.shape, np.log(2.0))
    topics = np.exp(_bisect(lambda log: reached(np.exp(log)), power, start, np.log(n)))
    return np.where(some & (n < most), topics, np.inf)


def _bisect(rising: Callable[[Floats], Floats], target: float, low: Floats, high: Floats) -> Floats:
    """Return where a rising function meets the target, elementwise."""
    for _ in range(45):
        middle = (low + high) / 2
        below = rising(middle) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def checked(name: str, value: float) -> float:
    """Return a quantity that lies in its range."""
    if name == "alpha":
        check_alpha(value)
        return float(value)
    low, high = _RANGES[name]
    if not low < value < high:
        raise OptionError(
            f"{name}: {value} is not between {low:g} and {high:g}. Hint: use a value inside."
        )
    return float(value)


def _check_reachable(power: float, alpha: float) -> None:
    """Raise where a power is asked for that a test has without any difference."""
    if power <= alpha:
        raise OptionError(
            f"power: {power} is not above alpha, {alpha}, which no difference at all reaches. "
            "Hint: use 0.8."
        )


def _tails(alternative: str) -> int:
    require_choice("alternative", alternative, ALTERNATIVES)
    return ALTERNATIVES[alternative]


@finding
class PowerAnalysis(Finding):
    """Five quantities of which one follows from the others, for a paired t test.

    Attributes
    ----------
    power : float
        Chance that the test finds a true difference of ``delta`` significant.
    delta, sigma : float
        True mean of the per-topic differences, and their standard deviation.
    topics : float
        As solved for, it need not be whole; ``whole_topics`` is enough for the power.
    solved : str
        Which one was not given.

    Examples
    --------
    >>> print(power(delta=0.05, sigma=0.13, power=0.8))
    56 topics (55.01 before rounding up) are needed to detect a difference of 0.0500.
    <BLANKLINE>
    power         0.8000
    delta         0.0500
    sigma         0.1300
    topics        55.0099
    alpha         0.0500
    alternative   two-sided
    solved        topics
    effect size   0.3846
    whole topics  56
    <BLANKLINE>
    A two-sided paired t test at alpha 0.0500 then has a power of 0.800.
    The effect size is 0.385: a difference of 0.0500 over a standard deviation (sigma) of 0.1300.
    """

    power: float
    delta: float
    sigma: float
    topics: float
    alpha: float
    alternative: str
    solved: str

    @property
    def effect_size(self) -> float:
        """The difference in standard deviations, δ/σ (W10 eq. 5.2)."""
        return self.delta / self.sigma

    @property
    def whole_topics(self) -> float:
        """The number of topics, rounded up; infinite where no number is enough."""
        return whole_topics(self.topics)

    def columns(self) -> Columns:
        """Return one row: the five quantities, and what follows from them."""
        more = {"effect_size": [self.effect_size], "whole_topics": [self.whole_topics]}
        return row_of(self) | more

    def sentences(self) -> tuple[str, ...]:
        """Say what was solved for, and for which test."""
        difference = f"a difference of {self.delta:.4f}"
        detect = f"{self._size()} detect {difference}"
        answer = {
            "topics": f"{self._needed()} needed to detect {difference}.",
            "delta": f"{detect}.",
            "sigma": f"{detect} if per-topic differences deviate by {self.sigma:.4f} or less.",
            "power": f"{detect} with a power of {self.power:.3f}.",
            "alpha": f"{detect} at a significance level (alpha) of {self.alpha:.4f}.",
        }
        test = f"A {self.alternative} paired t test at alpha {self.alpha:.4f}"
        effect = f"{difference} over a standard deviation (sigma) of {self.sigma:.4f}"
        return (
            answer[self.solved],
            f"{test} then has a power of {self.power:.3f}.",
            f"The effect size is {self.effect_size:.3f}: {effect}.",
        )

    def _size(self) -> str:
        digits = 0 if self.topics == self.whole_topics else 2
        return f"{self.topics:,.{digits}f} topics"

    def _needed(self) -> str:
        if math.isinf(self.topics):
            return "More topics than can be counted are"
        return f"{self.whole_topics:,.0f} topics ({self.topics:,.2f} before rounding up) are"


@recorded
def power(
    *,
    delta: float | None = None,
    sigma: float | None = None,
    topics: float | None = None,
    power: float | None = None,
    alpha: float | None = 0.05,
    alternative: str = "two-sided",
) -> PowerAnalysis:
    """Solve for the one quantity that is not given, by the noncentral t distribution.

    Parameters
    ----------
    delta
        True difference of mean scores.
    sigma
        Standard deviation of the per-topic differences.
    topics
        Number of topics.
    power
        Chance to find the difference significant.
    alpha
        Significance level; give None to solve for it.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    PowerAnalysis
        The five quantities, and which of them was solved for.

    Examples
    --------
    >>> round(power(sigma=0.159, topics=50, power=0.8).delta, 3)
    0.064
    >>> round(power(delta=0.05, sigma=0.16, topics=50).power, 3)
    0.582
    """
    quantities = {"delta": delta, "sigma": sigma, "topics": topics, "power": power, "alpha": alpha}
    missing = [name for name, value in quantities.items() if value is None]
    if len(missing) != 1:
        raise OptionError(
            "delta, sigma, topics, power, alpha: exactly one must be left to solve for, not "
            f"{', '.join(missing) or 'none'}. Hint: give the other four, such as delta=0.05, "
            "sigma=0.2 and power=0.8, with alpha as it is (commands: --delta, --sigma, "
            "--topic-count), or judgments and runs."
        )
    fixed = {name: checked(name, value) for name, value in quantities.items() if value is not None}
    _check_reachable(fixed.get("power", 1.0), fixed.get("alpha", 0.0))
    solution = _SOLVERS[missing[0]](fixed, _tails(alternative))
    return PowerAnalysis(
        **fixed,
        **{missing[0]: float(solution)},
        alternative=alternative,
        solved=missing[0],
        provenance=WITHOUT_FILES.with_options(**fixed, alternative=alternative),
    )


def _effect(q: Mapping[str, float], tails: int) -> Floats:
    return _effect_at(q["topics"], q["power"], q["alpha"], tails)


def _alpha(q: Mapping[str, float], tails: int) -> Floats:
    def rising(log: Floats) -> Floats:
        return _power_at(q["topics"], np.exp(log), tails)(q["delta"] / q["sigma"])

    return np.exp(_bisect(rising, q["power"], np.log(np.array(1e-12)), np.array(-1e-12)))


_SOLVERS: dict[str, Callable[[Mapping[str, float], int], Any]] = {
    "delta": lambda q, tails: q["sigma"] * _effect(q, tails),
    "sigma": lambda q, tails: q["delta"] / _effect(q, tails),
    "topics": lambda q, tails: _topics_at(q["delta"] / q["sigma"], q["power"], q["alpha"], tails),
    "power": lambda q, tails: _power_at(q["topics"], q["alpha"], tails)(q["delta"] / q["sigma"]),
    "alpha": _alpha,
}
"""How each quantity follows from the other four, and the tails of the test."""
