"""The next step of an experiment that adds topics until it is powerful enough (W10 §5.3.4)."""

import math

from poolwise.errors import OptionError
from poolwise.findings.planning.t_test_power import (
    checked,
    power_of_test,
    topics_needed,
    whole_topics,
)
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["HybridStep", "hybrid_step"]


@finding
class HybridStep(Finding):
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
    >>> print(hybrid_step(0.16, judged=64, delta=0.05).sentences()[0])
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

    def columns(self) -> Columns:
        """Return one row, one column per attribute."""
        return row_of(self)

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


def hybrid_step(
    sigma: float, *, judged: int, delta: float, power: float = 0.8, alpha: float = 0.05
) -> HybridStep:
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
    HybridStep
        How many more topics to judge, and whether the power is reached.

    Examples
    --------
    >>> hybrid_step(0.14, judged=0, delta=0.05).more
    64
    >>> hybrid_step(0.12, judged=64, delta=0.05).is_reached
    True
    """
    if judged < 0 or judged == 1:
        raise OptionError(
            f"judged: {judged} is not 0, or 2 or more: one topic has no deviation. Hint: give 0 "
            "before the first round."
        )
    effect = checked("delta", delta) / checked("sigma", sigma)
    needed = whole_topics(float(topics_needed(effect, power=power, alpha=alpha)))
    now = float(power_of_test(effect, judged, alpha=alpha)) if judged else alpha
    return HybridStep(
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
