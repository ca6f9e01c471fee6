"""Whether the unjudged documents could reverse the order of two runs, and what would settle it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.pairs import Pairs
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure

__all__ = [
    "Differences",
    "all_differences",
    "difference_bounds",
    "pair_differences",
]

Kind = Literal["exact", "valid", "none"]
KINDS: dict[Kind, str] = {
    "exact": "some grading reaches each bound, and none leaves them",
    "valid": "no grading leaves the bounds; they may be wider than need be",
    "none": "nothing is known of the range",
}
ROUNDING = 1e-12
"""Sums of weights that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences between runs, pair by pair and topic by topic, with the range grades leave open.

    Attributes
    ----------
    measure : Measure
    kind : {"exact", "valid"}
        Whether the bounds are reached (exact), or only hold (valid).
    first, second : tuple of str
        The systems of each pair.
    value, lower, upper : float array, pairs × topics
        First − second with unjudged documents not relevant, and its range over all gradings of
        the documents that either run retrieved. NaN where the score is undefined.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["y", "u", "w"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    >>> print(difference_bounds(evidence, "P@3", "a", "b"))
    a − b, P@3: +0.3333 [+0.0000, +0.6667], exact, 1 topic: certain
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
        """Whether no grading reverses the order of the means.

        No two gradings then put different runs ahead; some may make them equal.
        """
        _, lower, upper = self.means()
        return (lower >= -ROUNDING) | (upper <= ROUNDING)

    def __str__(self) -> str:
        topics = int(self.defined.sum())
        rows = zip(self.first, self.second, *self.means(), self.certain, strict=True)
        return "\n".join(
            f"{a} − {b}, {self.measure}: {value:+.4f} [{low:+.4f}, {high:+.4f}], {self.kind}, "
            f"{topics} topic{'s' * (topics != 1)}: {'certain' if certain else 'possible'}"
            for a, b, value, low, high, certain in rows
        )


def difference_bounds(evidence: Evidence, measure: Measure | str, a: str, b: str) -> Differences:
    """Return the range of the difference a − b over every grading of unjudged documents.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["u", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> found = difference_bounds(evidence, "nDCG", "a", "b")
    >>> found.value.round(3).item(), found.lower.item(), found.upper.round(3).item()
    (0.369, 0.0, 0.369)
    """
    return pair_differences(evidence.select([a, b]), measure, Pairs.of_two((a, b), a, b))


def all_differences(evidence: Evidence, measure: Measure | str) -> Differences:
    """Return the ranges of the differences of all pairs, earlier − later system.

    Examples
    --------
    >>> found = all_differences(Evidence.from_grades([[1, 0], [0, None], [None, None]]), "P@2")
    >>> found.first, found.second, found.certain.tolist()
    (('run1', 'run1', 'run2'), ('run2', 'run3', 'run3'), [True, False, False])
    """
    return pair_differences(evidence, measure, Pairs.of_all(evidence.systems))


def pair_differences(evidence: Evidence, measure: Measure | str, pairs: Pairs) -> Differences:
    """Return the ranges of the differences of these pairs of systems."""
    measure = parse_measure(measure)
    kind, lower, upper = measure.difference_bounds(evidence, pairs)
    return Differences(
        measure=measure,
        kind=kind,
        first=tuple(evidence.systems[i] for i in pairs.left.tolist()),
        second=tuple(evidence.systems[i] for i in pairs.right.tolist()),
        topics=evidence.topics,
        value=pairs.difference(measure.score(evidence)),
        lower=lower,
        upper=upper,
    )
