"""Everything the report is about, computed once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Integers
from poolwise.collection.groups import Groups
from poolwise.collection.identifiers import indices_of
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.errors import PoolwiseError
from poolwise.evidence.alignment import align
from poolwise.evidence.audit import Audit, audit_collection
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.findings.comparison.comparing import compare_evidence, compare_scores
from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.findings.comparison.system_tiers import tiers
from poolwise.findings.planning.past_systems import CollectionPower, collection_power
from poolwise.findings.similarity.run_clusters import RunTree, cluster_runs
from poolwise.findings.similarity.run_overlaps import OverlapMatrix
from poolwise.findings.similarity.run_similarity import overlap_matrix
from poolwise.measures.families.static_weights import StaticWeights
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score, score_all
from poolwise.scores.standardization.factors import standardize
from poolwise.views.report.estimates import Estimates, estimates_of

__all__ = ["MeasureFindings", "ReportFindings", "counted_ranks", "find_all"]

Progress = Callable[[int, int], None] | None

DEPTH = 10
"""The ranks whose judgments the report looks at."""
_NEGLIGIBLE = 1e-6
"""Ranks that weigh less than this together are left out of the estimates."""

_SURE = {
    "exact": "every assignment of grades to the unjudged documents of the two runs",
    "valid": "every assignment of grades to the unjudged documents of the two runs, and may be "
    "wider than need be",
}
"""What the range of a difference is over, by its kind."""


@dataclass(frozen=True, eq=False)
class MeasureFindings:
    """What is found by one measure; what cannot be had from the input is None."""

    table: ScoreTable
    standardized: ScoreTable | None
    comparisons: Comparisons | None
    tier: Integers
    against: Comparisons | None
    estimates: Estimates | None
    power: CollectionPower | None

    @property
    def separated(self) -> Booleans:
        """Which pairs differ by the test, whatever the unjudged documents."""
        return np.zeros(0, np.bool_) if self.comparisons is None else self.comparisons.significant()

    @property
    def reversible(self) -> Booleans:
        """Which pairs some assignment of grades to the unjudged documents could reverse."""
        if self.comparisons is None:
            return np.zeros(0, np.bool_)
        return np.asarray(self.comparisons.verdict == "possible")

    @property
    def unknown(self) -> str:
        """Why nothing is known of what the unjudged documents could reverse, or nothing."""
        return "" if self.comparisons is None else self.comparisons.bounds.reason

    @property
    def how(self) -> str:
        """What the ranges of differences are over, in words."""
        return "" if self.comparisons is None else _SURE.get(self.comparisons.bound_kind, "")

    def open_to(self) -> Booleans:
        """Return a symmetric matrix of the systems whose order is not certain."""
        systems = len(self.table.systems)
        matrix = np.zeros((systems, systems), np.bool_)
        if self.comparisons is not None:
            pairs = self.comparisons.pairs
            matrix[pairs.left, pairs.right] = self.comparisons.verdict != "certain"
        return matrix | matrix.T


@dataclass(frozen=True, eq=False)
class ReportFindings:
    """What is found in runs and judgments."""

    runs: Runs
    judgments: Judgments
    evidence: Evidence
    audit: Audit
    judged: ScoreTable
    measures: dict[str, MeasureFindings]
    overlap: OverlapMatrix | None
    tree: RunTree | None
    baseline: str | None = None
    groups: Groups | None = None

    def unjudged(self) -> tuple[Integers, Booleans]:
        """Return unjudged documents among the first ranks, and whether there is any document."""
        return count_ungraded(self.evidence.truncate(DEPTH)), self.evidence.lengths > 0


def find_all(
    judgments: Judgments,
    runs: Runs,
    measures: Sequence[Measure | str],
    *,
    topics: str,
    baseline: str | None,
    groups: Groups | None,
    rng: int,
    progress: Progress,
) -> ReportFindings:
    """Compute all that the report shows, calling ``progress`` after each part."""
    if baseline is not None:
        indices_of(baseline, runs.systems, what="baseline")
    groups = None if groups is None else groups.select(runs.systems)
    wanted = [parse_measure(m) for m in measures]
    steps = _steps(progress, 3 + 2 * len(wanted))
    evidence = align(judgments, runs, topics=topics)
    tables = {str(t.measure): t for t in score_all(evidence, wanted).scores}
    next(steps)
    overlap, tree = _similarity(runs)
    next(steps)
    found = {
        repr(m): _of_measure(
            evidence, m, tables[repr(m)], baseline=baseline, groups=groups, rng=rng, steps=steps
        )
        for m in wanted
    }
    checked = audit_collection(judgments, runs)
    judged = score(evidence, f"Judged@{DEPTH}", bounds="none")
    next(steps)
    return ReportFindings(
        runs, judgments, evidence, checked, judged, found, overlap, tree, baseline, groups
    )


def _steps(progress: Progress, total: int) -> Iterator[None]:
    for done in range(1, total + 1):
        if progress:
            progress(done, total)
        yield


def _similarity(runs: Runs) -> tuple[OverlapMatrix | None, RunTree | None]:
    """Return how alike the runs are; nothing for one run, or for runs without a common topic."""
    if len(runs.systems) < 2:
        return None, None
    overlap = overlap_matrix(runs)
    try:
        return overlap, cluster_runs(overlap)
    except PoolwiseError:
        return overlap, None


def _of_measure(
    evidence: Evidence,
    measure: Measure,
    table: ScoreTable,
    *,
    baseline: str | None,
    groups: Groups | None,
    rng: int,
    steps: Iterator[None],
) -> MeasureFindings:
    topics = int(table.defined.sum())
    comparable = len(table.systems) > 1 and topics > 0
    comparisons = compare_evidence(evidence, measure, draws=0) if comparable else None
    next(steps)
    seen = counted_ranks(evidence, measure)
    estimates = estimates_of(evidence, seen, measure, table, groups=groups, rng=rng)
    next(steps)
    return MeasureFindings(
        table=table,
        standardized=standardize(table) if len(table.systems) > 2 and topics else None,
        comparisons=comparisons,
        tier=tiers(table, comparisons) if comparisons else np.ones(len(table.systems), np.int64),
        against=compare_scores(table, baselines=baseline) if comparable and baseline else None,
        estimates=estimates,
        power=collection_power(table) if comparable and topics > 1 else None,
    )


def counted_ranks(evidence: Evidence, measure: Measure) -> Evidence:
    """Return the ranks that a measure looks at, without those whose weights are negligible."""
    seen = measure.cut(evidence)
    if not isinstance(measure, StaticWeights):
        return seen
    weights = measure.weights(seen.depth)
    left = weights.sum() - np.cumsum(weights)
    return seen.truncate(int((left > _NEGLIGIBLE).sum()) + 1)
