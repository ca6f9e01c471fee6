"""Judgments at an end of a range: whoever doubts the range scores them with another tool."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Floats, Integers, tolerance
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.errors import MeasureError, OptionError, require_choice
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._differences import judgment_ranges
from poolwise.measures._measure import Measure
from poolwise.measures._ranges import RangeScope
from poolwise.measures.bounds._extremes import Extreme, extreme_gradings
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import mean_range, topics_at_end
from poolwise.words import counted, have

__all__ = ["ENDS", "Sought", "Witness", "completed", "gradings_of", "sought_end"]

ENDS = {"low": "the smallest value of the range", "high": "the largest"}
"""Ends of a range."""

_ROUNDING = 1e-12
"""How far a score may be from the end of a range that it reaches."""


@dataclass(frozen=True, eq=False)
class Sought:
    """The end of a range that a witness is wanted for: of one run's score, or of a difference."""

    measure: Measure
    runs: tuple[str, ...]
    high: bool
    now: float
    """The mean now."""
    ends: Floats
    """The end of each topic's range; NaN for topics that the mean leaves out there."""
    limit: float
    """The end of the mean's range."""
    tolerance: float
    """How small a difference counts as none."""
    scope: RangeScope
    universe: Universe

    @property
    def end(self) -> str:
        """Its name in ``ENDS``."""
        return "high" if self.high else "low"


def sought_end(
    evidence: Evidence,
    measure: Measure,
    runs: tuple[str, ...],
    end: str | None,
    universe: Universe,
) -> Sought:
    """Return the end of a range that is wanted; of a pair, by default, one that turns it round.

    Where two runs are level now, or have no score yet, that is the end that is further from 0.
    """
    _require_range(evidence, measure, universe)
    if end is not None:
        require_choice("end", end, ENDS)
    at = indices_of(runs, evidence.systems, what="runs")
    if len(runs) == 1:
        table = score(evidence, measure, universe=universe)
        row = (cells[int(at[0])] for cells in (table.value, table.lower, table.upper))
        value, lower, upper = row
        scope, tolerance = table.scope, table.tolerance
    else:
        ranges = judgment_ranges(evidence, measure, Pairs(at[:1], at[1:]), universe=universe)
        value, lower, upper = ranges.value[0], ranges.lower[0], ranges.upper[0]
        scope, tolerance = replace(ranges.scope, kind=ranges.kind), ranges.sizes.tolerance
    now = float(value[~np.isnan(value)].mean()) if not np.isnan(value).all() else float("nan")
    limits = tuple(float(limit[0]) for limit in mean_range(value[None], lower[None], upper[None]))
    high = _turning(now, limits, tolerance) if end is None else end == "high"
    counts = topics_at_end(value, lower, upper, high=high)
    return Sought(
        measure,
        runs,
        high,
        now,
        np.where(counts, upper if high else lower, np.nan),
        limits[int(high)],
        tolerance,
        scope,
        universe,
    )


def _turning(now: float, limits: tuple[float, ...], tolerance: float) -> bool:
    """Return whether the upper end is the one at which the order of now would be turned round."""
    if abs(now) > tolerance:
        return now < 0
    return bool(abs(limits[1]) >= abs(limits[0]))


def _require_range(evidence: Evidence, measure: Measure, universe: Universe) -> None:
    if measure.kind_of_range(evidence.scale) == "none":
        raise MeasureError(
            f"{measure}: it has no range over judgments, since {measure.no_range}. Hint: use "
            "nDCG@10, P@10, or another measure that has one."
        )
    if universe.kind == "corpus" and measure.has_ideal:
        raise OptionError(
            f"universe: a range of {measure} over the corpus reckons with documents that nobody "
            "retrieved, and no judgments can name them. Hint: use the universe runs, or run."
        )


def gradings_of(evidence: Evidence, sought: Sought) -> list[Extreme]:
    """Return for each topic the grades that all documents of the universe have at the end."""
    # Without an ideal the corpus adds nothing to the documents of the runs.
    corpus = sought.universe.kind == "corpus"
    return [
        *extreme_gradings(
            evidence,
            sought.measure,
            indices_of(sought.runs, evidence.systems, what="runs"),
            high=sought.high,
            topics=~np.isnan(sought.ends),
            universe=Universe() if corpus else sought.universe,
        )
    ]


def completed(judgments: Judgments, evidence: Evidence, gradings: list[Extreme]) -> Judgments:
    """Return the judgments of the topics that count, with the grades of a grading as well."""
    grades = judgments.select(topics=evidence.topics).to_dict()
    scale, ids = evidence.scale, evidence.document_ids
    for topic, grading in zip(evidence.topics, gradings, strict=True):
        of_topic = zip(grading.rows.tolist(), scale[grading.codes].tolist(), strict=True)
        grades[topic] |= {ids[row]: grade for row, grade in of_topic}
    # Measures that look at the highest grade there is find it here, too.
    return Judgments.from_dict(grades).with_grades(scale.tolist())


@finding
class Witness(Finding):
    """Judgments under which a mean, or a difference, is at an end of its range.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    runs : tuple of str
        The run, or the two runs whose difference (first − second) counts.
    end : {"low", "high"}
        Which end of the range it is.
    judgments : Judgments
        Those given, with a grade for every unjudged document of the universe.
    topics : tuple of str
        The topics, in the order of what follows.
    scores : float array, runs × topics
        What every tool must give under these judgments; NaN where a topic has no relevant document.
    bound : float array
        The end of each topic's range; NaN where the mean leaves the topic out.
    graded, above_zero : int array
        How many documents of each topic have got a grade, and one above 0.
    now, limit : float
        The mean by the judgments so far, and the end of its range.
    scope : RangeScope
        What the range is over, and whether it is exact.
    flags : str
        Options of ``trec_eval`` for the measure; empty where it has none.
    no_flags : str
        Why it has none.
    path : str
        Where the judgments were written.

    Examples
    --------
    >>> import poolwise as pw
    >>> qrels = {"1": {"x": 1, "y": 0}}
    >>> runs = {"a": {"1": ["x", "u"]}, "b": {"1": ["y", "v"]}}
    >>> witness = pw.witness(qrels, runs, "P@2")
    >>> witness.scores.tolist(), witness.judgments.to_dict()
    ([[0.5], [0.5]], {'1': {'u': 0.0, 'v': 1.0, 'x': 1.0, 'y': 0.0}})
    >>> witness.is_reversed, witness.is_reached
    (False, True)
    """

    measure: Measure
    runs: tuple[str, ...]
    end: str
    judgments: Judgments
    topics: tuple[str, ...]
    scores: Floats
    bound: Floats
    graded: Integers
    above_zero: Integers
    now: float
    limit: float
    scope: RangeScope
    flags: str = ""
    no_flags: str = ""
    path: str = "QRELS"

    @property
    def values(self) -> Floats:
        """The score of each topic, or the difference of the two."""
        return self.scores[0] if len(self.runs) == 1 else self.scores[0] - self.scores[1]

    @property
    def mean(self) -> float:
        """The mean over the topics that have a score under these judgments."""
        defined = self.values[~np.isnan(self.values)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def tolerance(self) -> float:
        """How small a difference counts as none."""
        return tolerance(self.scores)

    @property
    def is_reached(self) -> bool:
        """Whether each topic, and the mean, is at the end of its range."""
        values, ends = np.append(self.values, self.mean), np.append(self.bound, self.limit)
        return bool(np.allclose(values, ends, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True))

    @property
    def is_reversed(self) -> bool:
        """Whether the run of a pair that is behind now is ahead."""
        pair, room = len(self.runs) == 2, self.tolerance
        return pair and min(abs(self.now), abs(self.mean)) > room and self.now * self.mean < 0

    def columns(self) -> Columns:
        """Return one row per topic: the scores, the end of the range, and how many were graded."""
        size = len(self.topics)
        return {
            "measure": [str(self.measure)] * size,
            "topic": list(self.topics),
            **self._score_columns(),
            "bound": self.bound.tolist(),
            "in_mean": (~np.isnan(self.values)).tolist(),
            "graded": self.graded.tolist(),
            "above_zero": self.above_zero.tolist(),
            "mean": [self.mean] * size,
            "mean_bound": [self.limit] * size,
            "mean_now": [self.now] * size,
        }

    def _score_columns(self) -> Columns:
        size = len(self.topics)
        if len(self.runs) == 1:
            return {"run": [self.runs[0]] * size, "score": self.scores[0].tolist()}
        return {
            "a": [self.runs[0]] * size,
            "b": [self.runs[1]] * size,
            "score_a": self.scores[0].tolist(),
            "score_b": self.scores[1].tolist(),
            "difference": self.values.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the topics, with the score that each run must have."""
        scores: Columns = dict(zip(self.runs, self.scores.tolist(), strict=True))
        if len(self.runs) == 2:
            scores["difference"] = self.values.tolist()
        columns: Columns = {
            "topic": list(self.topics),
            **scores,
            "end of range": self.bound.tolist(),
            "graded": self.graded.tolist(),
            "above 0": self.above_zero.tolist(),
        }
        title = f"{self.measure} under the judgments of the witness"
        return (table_of(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say what the judgments do, how good they are, and how to check it."""
        outcome = self._of_score() if len(self.runs) == 1 else self._of_pair()
        return (outcome, self._quality(), self._content(), *self._left_out(), self._check())

    def _of_score(self) -> str:
        after, before = (_scores(mean) for mean in (self.mean, self.now))
        run = self.runs[0]
        return (
            f"Under these judgments {run} {after} in {self.measure}; by those so far it {before}."
        )

    def _of_pair(self) -> str:
        after, before = self._lead(self.mean), self._lead(self.now)
        if self.is_reversed:
            return f"Under these judgments {after} By those so far {before}"
        near = self.is_reached and abs(self.now) > self.tolerance
        nearest = ": this is as near as it comes" if near else ""
        return f"The order is not reversed{nearest}. Under these judgments {after} Now {before}"

    def _lead(self, difference: float) -> str:
        ahead, behind = self.runs[::-1] if difference < 0 else self.runs
        if np.isnan(difference):
            return f"{ahead} and {behind} have no score in {self.measure}."
        if abs(difference) <= self.tolerance:
            return f"{ahead} and {behind} are level in {self.measure}."
        return f"{ahead} is ahead of {behind} by {abs(difference):.4f} in {self.measure}."

    def _quality(self) -> str:
        what = "mean" if len(self.runs) == 1 else "mean difference"
        if self.is_reached:
            return f"This is the {self.end} end of the range of the {what}."
        return (
            f"These are the best grades that were found: the range of the {what}, which holds but "
            f"may be wider than need be, ends at {self.limit:.4f}."
        )

    def _content(self) -> str:
        total, above = int(self.graded.sum()), int(self.above_zero.sum())
        return (
            f"The judgments so far are kept, and {counted(total, 'document')} more {have(total)} a "
            f"grade, {above:,} of them one above 0: {self.scope.documents}."
        )

    def _left_out(self) -> tuple[str, ...]:
        out = int(np.isnan(self.values).sum())
        topics = (
            f"{counted(out, 'topic')} without a relevant document {have(out)} no score and "
            "no part in the mean."
        )
        tail = (
            "The tail, past the ends of the lists, where no document is known, is no part of the "
            f"range; it could add up to {self.scope.tail:.4f} to a mean."
        )
        return (topics,) * bool(out) + (tail,) * bool(np.round(self.scope.tail, 4))

    def _check(self) -> str:
        if not self.flags:
            return f"There is no check by trec_eval, since {self.no_flags}."
        names = " and ".join(self.runs)
        return (
            f"To check it: trec_eval -q -c {self.flags} {self.path} RUN, for {names}. Compare "
            "topic by topic, since trec_eval counts topics without relevant documents in its means."
        )


def _scores(mean: float) -> str:
    return "has no score" if np.isnan(mean) else f"scores {mean:.4f}"
