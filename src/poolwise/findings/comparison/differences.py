"""The range that unjudged documents leave to the difference of two runs: its one maker."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import TOLERANCE, Booleans, Floats
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.pairs import Pairs
from poolwise.evidence.unknowns.universe import Kind as UniverseKind
from poolwise.evidence.unknowns.universe import Universe
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.tables import Table, table_of
from poolwise.printout.words import counted, range_text

__all__ = [
    "KINDS",
    "Differences",
    "all_differences",
    "difference_bounds",
    "judgment_ranges",
    "range_words",
    "who_leads",
]

Kind = Literal["exact", "valid", "none"]
KINDS: dict[Kind, str] = {
    "exact": "some assignment of grades reaches each end of the range, and none leaves it",
    "valid": "no assignment of grades leaves the range; it may be wider than need be",
    "none": "nothing is known of the range",
}

_QUOTED = 3
"""How many pairs are put into words."""


@finding
class Differences(Finding):
    """Differences between runs, pair by pair and topic by topic, with the range grades leave open.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    kind : {"exact", "valid", "none"}
        Whether the bounds are reached, only hold, or are not known: see ``KINDS``.
    first, second : tuple of str
        The systems of each pair.
    topics : tuple of str
        The topics, in the order of the columns of the arrays.
    value, lower, upper : float array, pairs × topics
        First − second with unjudged documents not relevant, and its range over all assignments of
        grades to the unjudged documents that either run retrieved. NaN where the score is
        undefined.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["y", "u", "w"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    >>> difference_bounds(evidence, "P@3", "b", "a").sentences()
    ('a is ahead of b by 0.3333 in P@3. The unjudged documents leave 0.0000 to 0.6667 and cannot
    reverse the order (exact range, 1 topic).',)
    """

    measure: Measure
    kind: Kind
    first: tuple[str, ...]
    second: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.first)

    @property
    def defined(self) -> Booleans:
        """Which topics have a score now; only they enter the means."""
        return ~np.asarray(np.isnan(self.value).any(axis=0))

    def means(self) -> tuple[Floats, Floats, Floats]:
        """Return mean difference, lower and upper bound of each pair.

        Topics are graded apart from each other, so the range of the mean is the mean of the
        ranges, exact where they are.
        """
        value, lower, upper = (
            x[:, self.defined].mean(axis=1) if self.defined.any() else np.full(len(self), np.nan)
            for x in (self.value, self.lower, self.upper)
        )
        return value, lower, upper

    @property
    def certain(self) -> Booleans:
        """Whether no assignment of grades reverses the order of the means.

        No two of them then put different runs ahead; some may make them equal.
        """
        _, lower, upper = self.means()
        return (lower >= -TOLERANCE) | (upper <= TOLERANCE)

    @property
    def verdict(self) -> NDArray[np.str_]:
        """Whether an assignment of grades could reverse the order: certain, possible or unknown.

        ``certain`` if none can, ``possible`` if one might, ``unknown`` where there is no range.
        """
        _, lower, _ = self.means()
        known = np.where(self.certain, "certain", "possible")
        return np.where(np.isnan(lower), "unknown", known)

    @property
    def reason(self) -> str:
        """Why the range is not known; empty where it is."""
        return f"a difference in {self.measure} has no bounds" if self.kind == "none" else ""

    def columns(self) -> Columns:
        """Return one row per pair and topic."""
        pairs, topics = self.value.shape
        return {
            "measure": [str(self.measure)] * (pairs * topics),
            "a": [name for name in self.first for _ in range(topics)],
            "b": [name for name in self.second for _ in range(topics)],
            "topic": list(self.topics) * pairs,
            "difference": self.value.ravel().tolist(),
            "bound_low": self.lower.ravel().tolist(),
            "bound_high": self.upper.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the mean differences, one row per pair."""
        value, lower, upper = self.means()
        ends = zip(lower.tolist(), upper.tolist(), strict=True)
        columns: Columns = {
            "a": list(self.first),
            "b": list(self.second),
            "difference": value.tolist(),
            "range if judged": [range_text(low, high) for low, high in ends],
            "order": self.verdict.tolist(),
        }
        topics = counted(int(self.defined.sum()), "topic")
        return (table_of(columns, title=f"{self.measure}: mean differences over {topics}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say of each pair who is ahead and whether that is certain; of many pairs, how many."""
        said = tuple(self._said(i) for i in range(min(len(self), _QUOTED)))
        return said if len(self) <= _QUOTED else (self._counted(), *said)

    def _counted(self) -> str:
        certain = int((self.verdict == "certain").sum())
        return (
            f"In {self.measure}, the order of {certain:,} of {counted(len(self), 'pair')} is "
            "certain, whatever the unjudged documents of the two runs are."
        )

    def _said(self, i: int) -> str:
        value, low, high = (float(mean[i]) for mean in self.means())
        first, second = self.first[i], self.second[i]
        if value < 0:
            first, second, value, low, high = second, first, 0 - value, 0 - high, 0 - low
        lead = who_leads(first, second, value, self.measure)
        topics = counted(int(self.defined.sum()), "topic")
        verdict = str(self.verdict[i])
        if verdict == "unknown":
            why = self.reason or f"no topic has a score in {self.measure}"
            return f"{lead} What the unjudged documents leave is not known, since {why}."
        left = range_words(low, high, verdict)
        return f"{lead} {left[0].upper()}{left[1:]} ({self.kind} range, {topics})."


def who_leads(a: str, b: str, difference: float, measure: Measure) -> str:
    """Say which of two systems is ahead; the difference is not below 0."""
    if np.isnan(difference):
        return f"{a} and {b} cannot be compared in {measure}."
    if not difference:
        return f"{a} and {b} are level in {measure}."
    return f"{a} is ahead of {b} by {difference:.4f} in {measure}."


def range_words(low: float, high: float, verdict: str) -> str:
    """Say what the unjudged documents leave, and whether that reverses the order."""
    reverse = "cannot" if verdict == "certain" else "could"
    return f"the unjudged documents leave {range_text(low, high)} and {reverse} reverse the order"


def judgment_ranges(
    evidence: Evidence,
    measure: Measure | str,
    pairs: Pairs,
    *,
    universe: Universe | UniverseKind = "runs",
) -> Differences:
    """Return the range that unjudged documents leave to the differences of these pairs.

    Everything that says how far judgments could move a difference rests on this: comparisons,
    verdicts, plots and the page.

    Parameters
    ----------
    evidence : Evidence
        Runs met with judgments.
    measure : Measure or str
        What to score by; its :meth:`~poolwise.Measure.difference_bounds` gives the range of each
        topic.
    pairs : Pairs
        Which systems of the evidence to compare.
    universe : Universe or {"runs", "run", "corpus"}
        The documents that the range is over: by default those of all runs of the evidence.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, 0], [0, None], [None, None]])
    >>> found = judgment_ranges(evidence, "P@2", Pairs.of_all(evidence.systems))
    >>> found.kind, found.verdict.tolist()
    ('exact', ['certain', 'possible', 'possible'])
    """
    measure = parse_measure(measure)
    universe = Universe.of(universe)
    kind, lower, upper = measure.difference_bounds(evidence, pairs, universe=universe)
    return Differences(
        measure=measure,
        kind=kind,
        first=tuple(evidence.systems[i] for i in pairs.left.tolist()),
        second=tuple(evidence.systems[i] for i in pairs.right.tolist()),
        topics=evidence.topics,
        value=pairs.difference(measure.score(evidence)),
        lower=lower,
        upper=upper,
        provenance=evidence.provenance,
    )


def difference_bounds(
    evidence: Evidence,
    measure: Measure | str,
    a: str,
    b: str,
    *,
    universe: Universe | UniverseKind = "runs",
) -> Differences:
    """Return the range of the difference a − b over every assignment of grades.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["u", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> found = difference_bounds(evidence, "nDCG", "a", "b")
    >>> found.value.round(3).item(), found.lower.item(), found.upper.round(3).item()
    (0.369, 0.0, 0.369)
    """
    pair = Pairs.of_two(evidence.systems, a, b)
    return judgment_ranges(evidence, measure, pair, universe=universe)


def all_differences(
    evidence: Evidence, measure: Measure | str, *, universe: Universe | UniverseKind = "runs"
) -> Differences:
    """Return the ranges of the differences of all pairs, earlier − later system.

    Examples
    --------
    >>> found = all_differences(Evidence.from_grades([[1, 0], [0, None], [None, None]]), "P@2")
    >>> found.first, found.second, found.certain.tolist()
    (('run1', 'run1', 'run2'), ('run2', 'run3', 'run3'), [True, False, False])
    """
    return judgment_ranges(evidence, measure, Pairs.of_all(evidence.systems), universe=universe)
