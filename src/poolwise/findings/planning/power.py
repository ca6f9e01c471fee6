"""Power of the paired t test: how many topics show how large a difference (W10 ch. 5)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.planning.t_test_power import (
    bisect,
    check_reachable,
    checked,
    effect_at,
    power_at,
    tails_of,
    topics_at,
    whole_topics,
)
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding

__all__ = ["PowerAnalysis", "power_analysis"]


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
    >>> print(power_analysis(delta=0.05, sigma=0.13, power=0.8))
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
    56 topics (55.01 before rounding up) are needed to detect a difference of 0.0500.
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


def power_analysis(
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
    >>> round(power_analysis(sigma=0.159, topics=50, power=0.8).delta, 3)
    0.064
    >>> round(power_analysis(delta=0.05, sigma=0.16, topics=50).power, 3)
    0.582
    """
    given = {"delta": delta, "sigma": sigma, "topics": topics, "power": power, "alpha": alpha}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        raise OptionError(
            "delta, sigma, topics, power, alpha: exactly one must be left to solve for, not "
            f"{', '.join(missing) or 'none'}. Hint: give the other four, such as delta=0.05, "
            "sigma=0.2 and power=0.8, with alpha as it is (commands: --delta, --sigma, "
            "--topic-count), or judgments and runs."
        )
    known = {name: checked(name, value) for name, value in given.items() if value is not None}
    check_reachable(known.get("power", 1.0), known.get("alpha", 0.0))
    solution = _SOLVERS[missing[0]](**known, tails=tails_of(alternative))
    return PowerAnalysis(
        **known,
        **{missing[0]: float(solution)},
        alternative=alternative,
        solved=missing[0],
        provenance=WITHOUT_FILES.with_options(**known, alternative=alternative),
    )


def _solve_delta(*, sigma: float, topics: float, power: float, alpha: float, tails: int) -> Any:
    return sigma * effect_at(topics, power, alpha, tails)


def _solve_sigma(*, delta: float, topics: float, power: float, alpha: float, tails: int) -> Any:
    return delta / effect_at(topics, power, alpha, tails)


def _solve_topics(*, delta: float, sigma: float, power: float, alpha: float, tails: int) -> Any:
    return topics_at(delta / sigma, power, alpha, tails)


def _solve_power(*, delta: float, sigma: float, topics: float, alpha: float, tails: int) -> Any:
    return power_at(delta / sigma, topics, alpha, tails)


def _solve_alpha(*, delta: float, sigma: float, topics: float, power: float, tails: int) -> Any:
    def rising(log: Floats) -> Floats:
        return power_at(delta / sigma, topics, np.exp(log), tails)

    return np.exp(bisect(rising, power, np.log(np.array(1e-12)), np.array(-1e-12)))


_SOLVERS: dict[str, Callable[..., Any]] = {
    "delta": _solve_delta,
    "sigma": _solve_sigma,
    "topics": _solve_topics,
    "power": _solve_power,
    "alpha": _solve_alpha,
}
