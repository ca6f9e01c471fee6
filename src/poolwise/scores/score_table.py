"""Scores by system and topic, with what the unjudged documents leave open."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.identifiers import indices_of
from poolwise.errors import require_choice
from poolwise.measures.measure import Measure
from poolwise.measures.names import measure_named
from poolwise.printout.provenance import Provenance
from poolwise.scores.t_quantile import t_quantile

__all__ = ["AGGREGATES", "ScoreTable", "Summary"]


class Summary(NamedTuple):
    """One row per system: the mean and both of its uncertainties."""

    systems: tuple[str, ...]
    mean: Floats
    ci_low: Floats
    ci_high: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One measure's scores, systems × topics, each with its lower and upper bound.

    Attributes
    ----------
    measure : Measure
    value, lower, upper : float array, systems × topics
        The score with unjudged documents taken as not relevant, and its bounds. NaN is an
        undefined score; ``undefined`` says why.
    answered : bool array, systems × topics
        Whether the run retrieved anything for the topic.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> table.means().round(3).tolist()
    [0.4, 0.2]
    >>> table.interval(0.95)[0].round(3).tolist()
    [0.152, -0.23]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    answered: Booleans
    undefined: str = ""
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[Sequence[float]] | Floats,
        *,
        systems: Sequence[str],
        topics: Sequence[str],
        measure: Measure | str,
    ) -> "ScoreTable":
        """Build from scores alone, systems × topics; the bounds are the scores themselves."""
        value = np.array(values, np.float64)
        answered = np.ones(value.shape, np.bool_)
        return cls(
            measure_named(measure), tuple(systems), tuple(topics), value, value, value, answered
        )

    @cached_property
    def defined(self) -> Booleans:
        """Which topics have a score for every system; only these enter a mean."""
        return np.asarray(~np.isnan(self.value).any(axis=0))

    def aggregate(self, how: str = "mean") -> Floats:
        """Return one number per system over the defined topics: a key of ``AGGREGATES``.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.25, 1.0, 0.5]], systems=["a"],
        ...                                topics=["1", "2", "3"], measure="P@4")
        >>> [round(float(table.aggregate(how)[0]), 3) for how in ("mean", "gm", "median")]
        [0.583, 0.5, 0.5]
        """
        require_choice("how", how, AGGREGATES)
        values = self.value[:, self.defined]
        if values.shape[1] == 0:
            return np.full(len(self.systems), np.nan)
        return np.asarray(AGGREGATES[how](values))

    def means(self) -> Floats:
        """Return each system's mean over the defined topics."""
        return self.aggregate("mean")

    def system_means(self) -> Floats:
        """Return each system's mean over its own defined topics, which may differ by system."""
        defined = ~np.isnan(self.value)
        total = np.where(defined, self.value, 0).sum(axis=1)
        return np.divide(
            total,
            defined.sum(axis=1),
            where=defined.any(axis=1),
            out=np.full(len(self.systems), np.nan),
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the t interval of each mean: what another sample of topics could give.

        NaN with fewer than two topics, from which no spread can be estimated.
        """
        n = int(self.defined.sum())
        if n < 2:
            nothing = np.full(len(self.systems), np.nan)
            return nothing, nothing
        # W10 §3.3.5
        spread = self.value[:, self.defined].std(axis=1, ddof=1) / np.sqrt(n)
        half = t_quantile(n - 1, level) * spread
        return self.means() - half, self.means() + half

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the means of the lower and of the upper bounds over the defined topics."""
        lower, upper = self.lower[:, self.defined], self.upper[:, self.defined]
        if lower.shape[1] == 0:
            return self.means(), self.means()
        return lower.mean(axis=1), upper.mean(axis=1)

    def summary(self, level: float = 0.95) -> Summary:
        """Return mean, interval over topics and range over judgments, per system."""
        return Summary(self.systems, self.means(), *self.interval(level), *self.mean_bounds())

    def order(self) -> Indices:
        """Return the systems from best mean to worst; equal means stay in the order given."""
        return np.argsort(-self.means(), kind="stable")

    def select(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> "ScoreTable":
        """Return these systems and these topics only, in the order given."""
        rows = _positions("systems", systems, self.systems)
        columns = _positions("topics", topics, self.topics)
        cells = np.ix_(rows, columns)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows),
            topics=tuple(self.topics[i] for i in columns),
            value=self.value[cells],
            lower=self.lower[cells],
            upper=self.upper[cells],
            answered=self.answered[cells],
        )

    def caveats(self) -> tuple[str, ...]:
        """Say what a reader of the means must know: undefined topics, missing ones, one topic."""
        undefined = int((~self.defined).sum())
        missing = int((~self.answered).sum())
        reason = self.undefined or "a score is missing"
        found = (
            (undefined, f"{undefined} of {len(self.topics)} topics left out: {reason}"),
            (missing, f"{missing} run-topics without any document score as empty lists"),
            (self.defined.sum() == 1, "one topic: no interval over topics"),
        )
        return tuple(text for applies, text in found if applies)


def _positions(what: str, wanted: Iterable[str] | None, available: tuple[str, ...]) -> Indices:
    if wanted is None:
        return np.arange(len(available))
    return indices_of(wanted, available, what=what)


def _geometric_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return GM-M: ε is added so that a score of 0 counts, and taken off again (U18 §2.1)."""
    return np.exp(np.log(values + epsilon).mean(axis=1)) - epsilon


AGGREGATES: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda values: values.mean(axis=1),
    "gm": _geometric_mean,
    "median": lambda values: np.median(values, axis=1),
}
