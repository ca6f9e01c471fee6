"""Ways to decide how many topics an experiment gets, simulated on past pairs (W10 §5.3)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.findings.planning.iterative_design import critical_values
from poolwise.findings.planning.t_test_power import detectable_effect, topics_needed, whole_topics
from poolwise.findings.planning.trials import sigma_upper

__all__ = ["DESIGNS", "Design", "Experiments", "Plan", "Stop"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What an experiment is to detect, and what is known before it.

    Attributes
    ----------
    delta, power, alpha : float
        The difference to detect, and the power and level of the two-sided test.
    sigma, sigma_high : float
        Best estimate of the deviation of per-topic differences, and a cautious one.
    start : int
        Topics that every experiment has at least.
    trial_topics : int
        Topics of a trial, whose topics are not used again.
    longest : int
        Topics at which an experiment is broken off.
    """

    delta: float
    power: float
    alpha: float
    sigma: float
    sigma_high: float
    start: int
    trial_topics: int
    longest: int

    @cached_property
    def enough(self) -> Floats:
        """The deviation at which so many topics detect the difference, for 2 topics and more."""
        sizes = np.arange(2, self.longest + 1)
        return self.delta / detectable_effect(sizes, power=self.power, alpha=self.alpha)

    def topics_for(self, sigma: float) -> int:
        """Return the topics that a deviation asks for, ``start`` at least."""
        needed = topics_needed(self.delta / sigma, power=self.power, alpha=self.alpha)
        return int(min(max(whole_topics(float(needed)), self.start), self.longest))


@dataclass(frozen=True, eq=False)
class Experiments:
    """Simulated experiments, each with its topics in the order in which they are judged.

    Attributes
    ----------
    sums, squares : float array, experiments × (topics + 1)
        Sums of the first differences, and of their squares, from 0 topics on.
    shift : float
        The true difference, which is added to every topic.
    """

    sums: Floats
    squares: Floats
    shift: float = 0.0

    @classmethod
    def drawn(
        cls, deltas: Floats, count: int, topics: int, rng: np.random.Generator
    ) -> tuple["Experiments", Integers]:
        """Draw a pair for each experiment, then topics of that pair with replacement."""
        pair = rng.integers(len(deltas), size=count)
        topic = rng.integers(deltas.shape[1], size=(count, topics), dtype=np.int32)
        drawn = np.zeros((count, topics + 1))
        drawn[:, 1:] = deltas[pair[:, None], topic]
        return cls(drawn.cumsum(axis=1), (drawn**2).cumsum(axis=1)), pair

    def with_difference(self, delta: float) -> "Experiments":
        """Return the same experiments with a true difference."""
        return replace(self, shift=delta)

    def moments(self, last: Integers, first: Integers | int = 0) -> tuple[Floats, Floats]:
        """Return mean and deviation of the topics after ``first`` up to ``last``."""
        row = np.arange(len(self.sums))
        topics = last - first
        mean = (self.sums[row, last] - self.sums[row, first]) / topics
        square = (self.squares[row, last] - self.squares[row, first]) / topics
        spread = np.maximum(square - mean**2, 0) * topics / (topics - 1)
        return mean + self.shift, np.sqrt(spread)

    def running(self) -> tuple[Floats, Floats]:
        """Return mean and deviation of the first 2 topics, the first 3, and so on."""
        topics = np.arange(2, self.sums.shape[1])
        mean, square = self.sums[:, 2:] / topics, self.squares[:, 2:] / topics
        spread = np.maximum(square - mean**2, 0) * topics / (topics - 1)
        return mean + self.shift, np.sqrt(spread)


@dataclass(frozen=True, eq=False)
class Stop:
    """Where experiments came to an end.

    Attributes
    ----------
    topics : int array
        The last topic of each experiment; 0 where it had not ended at the longest allowed.
    rounds : int array
        How often topics were judged and the deviation looked at.
    first : int
        Topics before the experiment proper, which no test uses: those of a trial.
    """

    topics: Integers
    rounds: Integers
    first: int = 0

    @property
    def ended(self) -> Integers:
        """Which experiments came to an end."""
        return np.flatnonzero(self.topics)


Rule = Callable[[Experiments, Plan], Stop]


@dataclass(frozen=True)
class Design:
    """A way to decide how many topics there are: its name, what it does, and its rule."""

    name: str
    summary: str
    stop: Rule


def _fixed(topics: int, experiments: Experiments) -> Stop:
    count = len(experiments.sums)
    return Stop(np.full(count, topics), np.ones(count, np.int64))


def _past(experiments: Experiments, plan: Plan) -> Stop:
    return _fixed(plan.topics_for(plan.sigma), experiments)


def _cautious(experiments: Experiments, plan: Plan) -> Stop:
    return _fixed(plan.topics_for(plan.sigma_high), experiments)


def _trial(experiments: Experiments, plan: Plan) -> Stop:
    """Take other topics after the trial, as many as its upper deviation asks for (W10 §5.3.2)."""
    trial = np.full(len(experiments.sums), plan.trial_topics)
    upper = sigma_upper(experiments.moments(trial)[1], plan.trial_topics)
    total = trial + np.maximum(_asked_for(upper, plan), 2)
    ended = np.where(total <= plan.longest, total, 0)
    return Stop(ended, np.full(len(trial), 2), plan.trial_topics)


def _iterative(experiments: Experiments, plan: Plan) -> Stop:
    """Add one topic after another until power seems reached (W10 algorithm 5.2)."""
    return _first(experiments.running()[1] <= plan.enough, plan)


def _peeking(experiments: Experiments, plan: Plan) -> Stop:
    """End as soon as the difference is significant, too, which W10 §5.3.3 warns of."""
    mean, deviation = experiments.running()
    topics = np.arange(2, plan.longest + 1)
    found = np.abs(mean) * np.sqrt(topics) > critical_values(topics, plan.alpha) * deviation
    return _first(found | (deviation <= plan.enough), plan)


def _hybrid(experiments: Experiments, plan: Plan) -> Stop:
    """Judge what the best estimate asks for; then, while short of power, what is lacking."""
    topics = np.full(len(experiments.sums), plan.topics_for(plan.sigma))
    rounds = np.ones(len(topics), np.int64)
    ended = np.zeros(len(topics), np.int64)
    while True:
        deviation = experiments.moments(topics)[1]
        short = (deviation > plan.enough[topics - 2]) & (topics < plan.longest)
        if not short.any():
            ended[deviation <= plan.enough[topics - 2]] = 1
            return Stop(topics * ended, rounds)
        more = np.clip(_asked_for(deviation, plan), topics + 1, plan.longest)
        topics, rounds = np.where(short, more, topics), rounds + short


def _asked_for(deviation: Floats, plan: Plan) -> Integers:
    """Return the fewest topics that detect the difference at each deviation."""
    return 2 + np.searchsorted(plan.enough, deviation)


def _first(stops: Booleans, plan: Plan) -> Stop:
    """Return the first number of topics, from the start on, at which a rule stops."""
    allowed = stops[:, plan.start - 2 :]
    topics = np.where(allowed.any(axis=1), allowed.argmax(axis=1) + plan.start, 0)
    return Stop(topics, np.maximum(topics - plan.start + 1, 1))


DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design("past", "topics are fixed by the usual deviation of past pairs", _past),
        Design("cautious", "topics are fixed by a large deviation of past pairs", _cautious),
        Design("trial", "a trial on other topics decides the size of the experiment", _trial),
        Design("iterative", "topics are added one by one until power seems reached", _iterative),
        Design(
            "hybrid", "topics are added in a few large steps until power seems reached", _hybrid
        ),
        Design("peeking", "topics are added until power or significance: not to be used", _peeking),
    )
}
"""The designs of W10 §5.3, and the one that it warns of."""
