"""An experiment by a plan that was written beforehand: its rounds, and its test (W10 §5.3.4)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError, shortened
from poolwise.findings.planning._boundary import (
    SequentialBoundary,
    planned_looks,
    sequential_boundary,
)
from poolwise.findings.planning._calibrated import stopped_deviations, t_reached, tails
from poolwise.findings.planning._designs import MOST, Plan
from poolwise.findings.planning._power import checked, power_of_test, topics_needed, whole_topics
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._uncertainty import check_alpha
from poolwise.words import counted, p_words, signed

__all__ = [
    "JournalPlan",
    "JournalResult",
    "JournalRound",
    "JournalStatus",
    "journal_plan",
    "journal_result",
    "next_topics",
]

LONGEST = 10
"""A design without a limit is taken to end at this many times the topics it has come to."""


@dataclass(frozen=True)
class JournalPlan:
    """What is settled before the first topic is judged.

    Attributes
    ----------
    measure : str
        What the two systems are scored by.
    delta, power, alpha : float
        The difference to detect by a two-sided paired t test, with which chance and level.
    sigma : float
        The deviation of per-topic differences that is expected.
    first : int
        Topics of the first round.
    most : int
        Topics at which the experiment ends, whatever its power; 0 for no limit.
    looks : tuple of int
        Topics at which significance is tested, for a design that may end early; empty for the
        hybrid design, which is tested once, when it has the power.
    order : tuple of str
        The topics in the order in which they are judged, where that was settled, too.
    """

    measure: str
    delta: float
    power: float
    alpha: float
    sigma: float
    first: int
    most: int = 0
    looks: tuple[int, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def design(self) -> str:
        """``hybrid``, or ``sequential`` where significance is looked at on the way."""
        return "sequential" if self.looks else "hybrid"

    @cached_property
    def boundary(self) -> SequentialBoundary:
        """The levels of the looks."""
        return sequential_boundary(self.looks, alpha=self.alpha)

    def power_with(self, topics: int, sigma: float) -> float:
        """Return the power of so many topics at a deviation."""
        return float(power_of_test(self.delta / sigma, topics, alpha=self.alpha))

    def topics_for(self, sigma: float) -> int:
        """Return the topics that a deviation asks for."""
        needed = topics_needed(self.delta / sigma, power=self.power, alpha=self.alpha)
        return int(whole_topics(float(needed)))

    def simulated(self, longest: int) -> Plan:
        """Return the plan as designs are simulated by it."""
        return Plan(
            self.delta, self.power, self.alpha, self.sigma, self.sigma, 2, 2,
            self.most or min(LONGEST * longest, MOST),
        )  # fmt: skip


def journal_plan(
    *,
    delta: float,
    sigma: float,
    measure: str,
    power: float = 0.8,
    alpha: float = 0.05,
    look_every: int = 0,
    most: int = 0,
    order: Sequence[str] = (),
) -> JournalPlan:
    """Settle an experiment: its first round, or all its looks, follow from delta and sigma.

    Examples
    --------
    >>> journal_plan(delta=0.05, sigma=0.14, measure="AP").first
    64
    >>> journal_plan(delta=0.05, sigma=0.14, measure="AP", look_every=20).looks
    (20, 40, 60, 66)
    """
    check_alpha(alpha)
    effect = checked("delta", delta) / checked("sigma", sigma)
    needed = whole_topics(float(topics_needed(effect, power=power, alpha=alpha)))
    if needed > MOST:
        raise OptionError(
            f"delta, sigma: {delta:g} and {sigma:g} ask for {needed:,.0f} topics, and {MOST:,} are "
            "the most. Hint: ask for a larger difference."
        )
    _check_looks(look_every, most)
    looks = planned_looks(effect, look_every, power=power, alpha=alpha) if look_every else ()
    first = looks[0] if looks else int(needed)
    _check_topics(first, looks, most, order)
    return JournalPlan(measure, delta, power, alpha, sigma, first, most, looks, tuple(order))


def _check_looks(look_every: int, most: int) -> None:
    if look_every and (not 2 <= look_every <= MOST or most):
        raise OptionError(
            f"look_every, most: {shortened(str(look_every))} and {most}: looks are 2 to {MOST:,} "
            "topics apart, and say themselves where the experiment ends. Hint: use look_every=20 "
            "alone."
        )


def _check_topics(first: int, looks: Sequence[int], most: int, order: Sequence[str]) -> None:
    if most and most < first:
        raise OptionError(
            f"most: {counted(most, 'topic')} are fewer than the {first} of the first round. Hint: "
            "ask for a larger difference, or allow for more topics."
        )
    least = looks[-1] if looks else first
    if order and (len(set(order)) < len(order) or len(order) < least):
        raise OptionError(
            f"order: {counted(least, 'topic')} or more are needed, each once; got "
            f"{len(order)}, {len(order) - len(set(order))} of them twice. Hint: list more topics "
            "than the first round has."
        )


@dataclass(frozen=True)
class JournalRound:
    """The differences of all topics judged so far, at the end of a round."""

    difference: Mapping[str, float]

    @property
    def topics(self) -> int:
        """How many topics are judged."""
        return len(self.difference)

    @cached_property
    def values(self) -> Floats:
        """The differences."""
        return np.array(list(self.difference.values()), np.float64)

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.values.mean())

    @property
    def sigma(self) -> float:
        """The standard deviation of the differences, with divisor n − 1."""
        return float(self.values.std(ddof=1))

    @property
    def t(self) -> float:
        """Student's t of the differences."""
        return self.mean * math.sqrt(self.topics) / self.sigma

    @property
    def plain(self) -> float:
        """The two-sided p value of a test that nothing was looked at before."""
        from scipy.special import stdtr  # noqa: PLC0415 -- late: slow to import

        return float(2 * stdtr(self.topics - 1, -abs(self.t)))


def next_topics(plan: JournalPlan, last: JournalRound | None) -> int:
    """Return how many topics are to be judged in all by the end of the next round; 0 at the end.

    Examples
    --------
    >>> plan = journal_plan(delta=0.2, sigma=0.2, measure="AP")
    >>> next_topics(plan, None)
    10
    >>> next_topics(plan, JournalRound({str(i): 0.3 * (-1) ** i for i in range(10)}))
    22
    """
    if last is None:
        return plan.first
    if plan.looks:
        crossed = last.plain <= plan.boundary.level[plan.looks.index(last.topics)]
        done = crossed or last.topics == plan.looks[-1]
        return 0 if done else plan.looks[plan.looks.index(last.topics) + 1]
    wanted = plan.topics_for(last.sigma)
    if wanted <= last.topics or last.topics == plan.most:
        return 0
    return min(wanted, plan.most or wanted)


_STATUS = {
    "round": Column("round"),
    "judged": Column("topics"),
    "planned": Column("planned next"),
    "sigma": Column("sigma", 4),
}
_LOOK = {"pvalue": Column("p", 4, is_p=True), "level": Column("p to reach", 5)}


@finding
class JournalStatus(Finding):
    """Where an experiment stands, and what comes next.

    Attributes
    ----------
    file, seal : str
        The journal, and the hash of its last entry.
    round : int
        Rounds that are done.
    judged, planned : int
        Topics judged, and topics to be judged in all by the end of the next round; 0 at the end.
    sigma, power_now : float
        Deviation of the differences so far, and the power of the topics judged; before the first
        round the deviation that is expected, and NaN.
    pvalue, level : float
        At a planned look: the p value of the t test, and the one to reach; else NaN.
    upcoming : tuple of str
        The topics of the next round, where their order was settled.
    looks : mapping from int to float
        Topics of each planned look, and the p value to reach there.

    Examples
    --------
    >>> import tempfile
    >>> import poolwise as pw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = pw.journal(f"{folder}/a.journal").start(delta=0.05, sigma=0.14, measure="AP")
    >>> status.sentences()[0]
    'Judge 64 topics first.'
    """

    file: str
    seal: str
    design: str
    measure: str
    delta: float
    power: float
    alpha: float
    round: int
    judged: int
    planned: int
    sigma: float
    power_now: float
    pvalue: float
    level: float
    most: int
    upcoming: tuple[str, ...]
    looks: Mapping[int, float]

    @property
    def is_done(self) -> bool:
        """Whether the test may be made."""
        return not self.planned

    def columns(self) -> Columns:
        """Return one row, one column per attribute."""
        looks = ",".join(f"{n}:{level:.6g}" for n, level in self.looks.items())
        return row_of(self) | {"upcoming": [",".join(self.upcoming)], "looks": [looks]}

    def tables(self) -> tuple[Table, ...]:
        """Return how far the experiment is, in one row, once there is a round."""
        if not self.round:
            return ()
        of_looks = self.design == "sequential"
        shown = _STATUS | (_LOOK if of_looks else {"power_now": Column("power", 3)})
        return (chosen_table(self.columns(), shown, title=f"{self.file}: {self.measure}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say what to do next, where the experiment stands, and what to keep."""
        return (
            self._next(),
            *self._seen(),
            *self._upcoming(),
            (
                f"Keep the hash of the last entry, {self.seal[:16]}, where others can see it, such "
                "as in a commit: it shows later that the journal was not written anew."
            ),
        )

    def _next(self) -> str:
        if self.is_done:
            return "Finish the journal now: no further topic may be added."
        if not self.round:
            return f"Judge {counted(self.planned, 'topic')} first."
        return f"Judge {counted(self.planned - self.judged, 'more topic')}: {self.planned} in all."

    def _seen(self) -> tuple[str, ...]:
        goal = f"a difference of {self.delta:g} in {self.measure}"
        if not self.round:
            return (
                (
                    f"A sigma of {self.sigma:.4f} is expected, at which a power of {self.power:g} "
                    f"is meant to detect {goal} at alpha {self.alpha:g}."
                ),
                self._rule(),
            )
        if self.design == "sequential":
            side = "reached" if self.pvalue <= self.level else "not reached"
            look = f"p = {self.pvalue:.4f} at this look, where {self.level:.2g} is to be reached"
            return (f"The boundary is {side}: {look}.",)
        have = (
            f"After round {self.round}, {counted(self.judged, 'topic')} with a sigma of "
            f"{self.sigma:.4f} have a power of {self.power_now:.3f} to detect {goal}"
        )
        limit = self.judged == self.most and self.power_now < self.power
        more = f", short of {self.power:g} at the most topics allowed" if limit else ""
        return (f"{have}{more}.",)

    def _rule(self) -> str:
        if self.design == "hybrid":
            return "Significance is tested once, when the topics judged have the power."
        levels = (
            f"{n} (if p ≤ {level:.2g})" if level > 1e-6 else f"{n} (hardly ever)"
            for n, level in self.looks.items()
        )
        return f"Significance is tested at these numbers of topics alone: {', '.join(levels)}."

    def _upcoming(self) -> tuple[str, ...]:
        if not self.upcoming:
            return ()
        shown = ", ".join(self.upcoming[:10]) + (", …" if len(self.upcoming) > 10 else "")
        return (f"The next topics are {shown}.",)


_SHOWN = {
    "difference": Column("difference", 4),
    "low": Column("low", 4),
    "high": Column("high", 4),
    "topics": Column("topics"),
    "rounds": Column("rounds"),
    "sigma": Column("sigma", 4),
    "power_reached": Column("power", 3),
    "pvalue_plain": Column("plain p", 4, is_p=True),
    "pvalue": Column("p", 4, is_p=True),
}


@finding
class JournalResult(Finding):
    """What an experiment found that followed its journal.

    Attributes
    ----------
    a, b : str
        The systems: differences are those of ``a`` less ``b``.
    first, rounds, topics : int
        Topics of the first round, rounds, and topics in all.
    sigma, power_reached : float
        Deviation of the differences, and the power of these topics to detect ``delta`` at it.
    difference, low, high : float
        The mean difference, and its interval at level 1 − alpha, the design allowed for.
    t, pvalue_plain : float
        The paired t test as if the number of topics had been fixed.
    pvalue : float
        The same, calibrated for the design: the chance of so large a t, either way, at the stop.
    seal : str
        The hash of the journal's last entry.

    Examples
    --------
    >>> plan = journal_plan(delta=0.2, sigma=0.2, measure="AP")
    >>> seen = JournalRound({str(i): 0.1 + 0.15 * (-1) ** i for i in range(10)})
    >>> result = journal_result(plan, [seen], ("a", "b"))
    >>> round(result.pvalue_plain, 3), result.pvalue > result.pvalue_plain
    (0.077, True)
    """

    measure: str
    a: str
    b: str
    design: str
    delta: float
    wanted: float
    alpha: float
    first: int
    rounds: int
    topics: int
    sigma: float
    power_reached: float
    difference: float
    low: float
    high: float
    t: float
    pvalue_plain: float
    pvalue: float
    sigma_expected: float
    seal: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the calibrated p value is at most alpha."""
        return self.pvalue <= self.alpha

    def sealed(self, seal: str) -> "JournalResult":
        """Return the same result with the hash of its journal."""
        return replace(self, seal=seal)

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers to report, in one row."""
        return (chosen_table(row_of(self), _SHOWN, title=f"{self.a} − {self.b}, {self.measure}"),)

    def sentences(self) -> tuple[str, ...]:
        """Give the result, and the paragraph for the paper."""
        said = "significant" if self.is_significant else "not significant"
        better, worse = (self.a, self.b) if self.difference >= 0 else (self.b, self.a)
        return (
            (
                f"{better} scores higher than {worse}, by {abs(self.difference):.4f} in "
                f"{self.measure}; the difference is {said} ({p_words(self.pvalue)}, allowing for "
                "the design)."
            ),
            f"For the paper: {self.paragraph()}",
        )

    def paragraph(self) -> str:
        """Return what W10 §5.3.4 asks to report: delta, first topics, rounds, and the design."""
        return f"{self._planned()} {self._done()} {self._found()} {self._kept()}"

    def _planned(self) -> str:
        goal = (
            f"The experiment was planned to detect a difference of {self.delta:g} in "
            f"{self.measure} with a power of {self.wanted:g} by a two-sided paired t test at level "
            f"{self.alpha:g}, expecting a standard deviation of per-topic differences of "
            f"{self.sigma_expected:g}"
        )
        if self.design == "hybrid":
            return (
                f"{goal}, which asks for {counted(self.first, 'topic')}; topics were to be added "
                "in rounds until the observed deviation gave that power, and significance was "
                "tested only then (Webber 2010, section 5.3.4)."
            )
        return (
            f"{goal}; significance was tested at looks that were planned beforehand, the first "
            f"after {counted(self.first, 'topic')}, by a Lan–DeMets boundary of the "
            "O'Brien–Fleming type."
        )

    def _done(self) -> str:
        took = f"It took {counted(self.topics, 'topic')} in {counted(self.rounds, 'round')}"
        if self.design == "sequential":
            return f"{took}, with an observed deviation of {self.sigma:.4f}."
        return (
            f"{took}, with an observed deviation of {self.sigma:.4f} and a power of "
            f"{self.power_reached:.2f}."
        )

    def _found(self) -> str:
        return (
            f"{self.a} differs from {self.b} by {signed(self.difference, digits=4)} "
            f"({1 - self.alpha:.0%} interval {self.low:.4f} to {self.high:.4f}; "
            f"t({self.topics - 1}) = {self.t:.2f}, {p_words(self.pvalue)} calibrated for this "
            f"design, {p_words(self.pvalue_plain)} by the plain test)."
        )

    def _kept(self) -> str:
        seal = f" with SHA-256 {self.seal[:16]}…" if self.seal else ""
        return f"The plan and every round are in a journal{seal}, kept by poolwise."


def journal_result(
    plan: JournalPlan, rounds: Sequence[JournalRound], systems: tuple[str, str]
) -> JournalResult:
    """Test the differences of the last round, the design allowed for."""
    last = rounds[-1]
    pvalue, critical = _calibrated(plan, last)
    half = critical * last.sigma / math.sqrt(last.topics)
    return JournalResult(
        measure=plan.measure,
        a=systems[0],
        b=systems[1],
        design=plan.design,
        delta=plan.delta,
        wanted=plan.power,
        alpha=plan.alpha,
        first=plan.first,
        rounds=len(rounds),
        topics=last.topics,
        sigma=last.sigma,
        power_reached=plan.power_with(last.topics, last.sigma),
        difference=last.mean,
        low=last.mean - half,
        high=last.mean + half,
        t=last.t,
        pvalue_plain=last.plain,
        pvalue=pvalue,
        sigma_expected=plan.sigma,
        provenance=WITHOUT_FILES,
    )


def _calibrated(plan: JournalPlan, last: JournalRound) -> tuple[float, float]:
    """Return the p value that allows for the design, and the |t| that would be at its level."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    if plan.looks:
        level = float(plan.boundary.level[plan.looks.index(last.topics)])
        # A repeated confidence interval: it holds at whichever look the experiment ends.
        critical = -float(stdtrit(last.topics - 1, level / 2))
        return plan.boundary.pvalue(last.topics, last.plain), critical
    stopped = stopped_deviations(last.sigma, plan.first, plan.simulated(last.topics))
    return float(tails(last.t, stopped)), t_reached(plan.alpha, stopped)
