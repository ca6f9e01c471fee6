"""How a campaign stands: its runs with all that is uncertain of them, and what is due."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.findings._claims import Claim
from poolwise.findings.campaigns._due import Due, due_sentences
from poolwise.findings.comparison._differences import judgment_ranges
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import Said, counted, named, range_text

__all__ = ["CampaignStatus", "MeanEstimates", "claims_of_leader"]


@dataclass(frozen=True, eq=False)
class MeanEstimates:
    """An estimate of each run's mean, with its interval; NaN where there is none.

    ``reason`` says why a run, or all of them, have none.
    """

    value: Floats
    low: Floats
    high: Floats
    reason: str = ""

    @classmethod
    def none(cls, runs: int, reason: str) -> "MeanEstimates":
        """Return that there are no estimates, and why."""
        unknown = np.full(runs, np.nan)
        return cls(unknown, unknown, unknown, reason)

    def within(self, table: ScoreTable) -> "MeanEstimates":
        """Return the same, cut to what is possible: beyond it lies no truth."""
        ranges = table.over_judgments
        cut = [np.clip(end, ranges.low, ranges.high) for end in (self.value, self.low, self.high)]
        return MeanEstimates(cut[0], cut[1], cut[2], self.reason)


@finding
class CampaignStatus(Finding):
    """How the runs of a campaign stand by one measure, and what is due.

    Attributes
    ----------
    name : str
        The campaign.
    version : str
        The version of its judgments that was exported last; empty before the first export.
    table : ScoreTable
        Scores by what is judged so far, with their ranges over what is not.
    adjusted : MeanEstimates
        Means adjusted by the common topics that were recorded for a run (W10 algorithm 6.2), with
        limits that hold however often one looks.
    sampled : MeanEstimates
        Means estimated from the documents that were drawn at random, with such limits, too.
    judged : float array, runs
        The share of the first documents of each run that is judged.
    assignments : mapping from str to int
        How many assignments there are, by what came of them.
    documents : int
        How many documents have a grade.
    claims_ahead : tuple of Claim
        Which runs the leader is ahead of, whatever is judged.
    due : Due, optional
        What to do next: judge, add topics or adjust, and how many judgments would settle the goal.
    """

    name: str
    version: str
    table: ScoreTable
    adjusted: MeanEstimates
    sampled: MeanEstimates
    judged: Floats
    assignments: Mapping[str, int]
    documents: int
    claims_ahead: tuple[Claim, ...] = ()
    due: Due | None = None

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return self.table.measure

    @property
    def order(self) -> Indices:
        """The runs, the best first."""
        return np.argsort(-np.nan_to_num(self.table.means(), nan=-np.inf), kind="stable")

    def columns(self) -> Columns:
        """Return one row per run, the best by its score now first."""
        order, ranges = self.order, self.table.over_judgments
        cells: Columns = {"run": [self.table.systems[at] for at in order.tolist()]}
        numbers = {
            "mean": self.table.means(),
            "low": ranges.low,
            "high": ranges.high,
            **{f"adjusted{end}": c for end, c in _ends(self.adjusted)},
            **{f"estimate{end}": c for end, c in _ends(self.sampled)},
            "judged": self.judged,
        }
        cells |= {name: column[order].tolist() for name, column in numbers.items()}
        due_of = {run_due.run: run_due for run_due in self.due.runs} if self.due else {}
        due = [due_of.get(run) for run in cells["run"]]
        cells["due"] = [run_due and run_due.action for run_due in due]
        cells["due_count"] = [run_due and run_due.count for run_due in due]
        return cells

    def tables(self) -> tuple[Table, ...]:
        """Return the runs with all that is uncertain of them."""
        cells = self.columns()
        rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
        shown: list[tuple[Column, list[Cell]]] = [
            (Column("run"), [row["run"] for row in rows]),
            (Column(str(self.measure), 4, best="max"), [row["mean"] for row in rows]),
            (Column("possible"), [range_text(row["low"], row["high"]) for row in rows]),
            *self._estimate_columns(rows, "adjusted", self.adjusted),
            *self._estimate_columns(rows, "estimate", self.sampled),
            (Column("judged in %", 0, percent=True), [row["judged"] for row in rows]),
        ]
        columns, contents = zip(*shown, strict=True)
        return (Table(columns, tuple(zip(*contents, strict=True)), title=f"Runs of {self.name}"),)

    def _estimate_columns(
        self, rows: list[dict[str, float]], name: str, estimates: MeanEstimates
    ) -> Iterator[tuple[Column, list[Cell]]]:
        if np.isnan(estimates.value).all():
            return
        yield Column(name, 4), [row[name] for row in rows]
        ends = [(row[f"{name}_low"], row[f"{name}_high"]) for row in rows]
        texts: list[Cell] = [None if np.isnan(low) else range_text(low, high) for low, high in ends]
        yield Column("95%", rank=1), texts

    def sentences(self) -> tuple[str, ...]:
        """Say what is due first, then what is certain, and what became of the assignments."""
        due = due_sentences(self.due) if self.due else ()
        reasons = dict.fromkeys(filter(None, (self.adjusted.reason, self.sampled.reason)))
        return (*due, *self._certain(), *reasons, self.balance())

    def _certain(self) -> tuple[str, ...]:
        if not self.claims_ahead:
            return ()
        first, others = self.claims_ahead[0], [claim.object for claim in self.claims_ahead]
        whatever = f"in {self.measure}{first.grounds.whatever}."
        return (Said(f"{first.subject} is ahead of {named(others)} {whatever}", self.claims_ahead),)

    def balance(self) -> str:
        """Say what became of the assignments: every one is in exactly one term."""
        terms = " + ".join(f"{count:,} {term}" for term, count in self.assignments.items())
        total = counted(sum(self.assignments.values()), "assignment")
        version = f" The last export is version {self.version}." if self.version else ""
        return f"{counted(self.documents, 'document')} judged; {total} = {terms}.{version}"


def _ends(estimates: MeanEstimates) -> Iterator[tuple[str, Floats]]:
    yield "", estimates.value
    yield "_low", estimates.low
    yield "_high", estimates.high


def claims_of_leader(evidence: Evidence, measure: Measure) -> tuple[Claim, ...]:
    """Return which runs the leading one is ahead of, whatever the unjudged documents are.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, parse_measure
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "z"]}})
    >>> judged = Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 0}})
    >>> [claim.object for claim in claims_of_leader(align(judged, runs), parse_measure("P@2"))]
    ['b']
    """
    means = np.nan_to_num(measure.score(evidence)).mean(axis=1)
    if len(means) < 2 or not evidence.pool.any():
        return ()
    leader = evidence.systems[int(means.argmax())]
    ranges = judgment_ranges(evidence, measure, Pairs.against(evidence.systems, [leader]))
    claims = [claim for at in range(len(ranges)) for claim in ranges.claims(at)]
    return tuple(claim for claim in claims if claim.relation == "ahead" and claim.subject == leader)
