"""Everything the report is about, computed once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection.groups import Groups
from poolwise.collection.identifiers import indices_of
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.errors import PoolwiseError
from poolwise.evidence.alignment import align
from poolwise.evidence.audit import Audit, audit
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.pairs import Pairs
from poolwise.findings.comparison.corrections import Comparisons, compare_systems
from poolwise.findings.comparison.differences import ROUNDING, pair_differences
from poolwise.findings.comparison.tiers import tiers
from poolwise.findings.planning.collection_power import CollectionPower, collection_power
from poolwise.findings.similarity.run_clusters import RunTree, cluster_runs
from poolwise.findings.similarity.run_similarity import OverlapMatrix, overlap_matrix
from poolwise.measures.families.static_weights import StaticWeights
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score, score_all
from poolwise.scores.standardization.factors import standardize
from poolwise.views.report.estimates import Estimates, estimates_of

__all__ = ["MeasureFindings", "PairRanges", "ReportFindings", "find_all"]

Progress = Callable[[int, int], None] | None

DEPTH = 10
"""The ranks whose judgments the report looks at."""
_DEEPEST = 100
"""Exact ranges of all pairs are worth their time down to this many ranks."""
_NEGLIGIBLE = 1e-6
"""Ranks that weigh less than this together are left out of the ranges of pairs."""


_EXACT = (
    "every grading of the documents of both runs (where the ranges of the runs themselves lie "
    "apart, by these, which are wider)"
)
_APART = "the ranges of both runs taken apart, which is wider than need be"


@dataclass(frozen=True, eq=False)
class PairRanges:
    """What the unjudged documents leave open about each pair of runs.

    Attributes
    ----------
    lower, upper : float array, pairs
        Range of the mean difference.
    how : str
        What the range is over, in words.
    """

    lower: Floats
    upper: Floats
    how: str

    @property
    def reversible(self) -> Booleans:
        """Whether some grading of the unjudged documents puts either run ahead."""
        return np.asarray((self.lower < -ROUNDING) & (self.upper > ROUNDING))

    def reversible_matrix(self, systems: int) -> Booleans:
        """Return the same as a symmetric matrix of systems."""
        matrix = np.zeros((systems, systems), np.bool_)
        matrix[np.triu_indices(systems, k=1)] = self.reversible
        return matrix | matrix.T


@dataclass(frozen=True, eq=False)
class MeasureFindings:
    """What is found by one measure; what cannot be had from the input is None."""

    table: ScoreTable
    standardized: ScoreTable | None
    comparisons: Comparisons | None
    tier: Integers
    ranges: PairRanges | None
    against: Comparisons | None
    estimates: Estimates | None
    power: CollectionPower | None

    @property
    def separated(self) -> Booleans:
        """Which pairs differ by the test, whatever the unjudged documents."""
        return np.zeros(0, np.bool_) if self.comparisons is None else self.comparisons.significant()


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
    steps = _steps(progress, 3 + 3 * len(wanted))
    evidence = align(judgments, runs, topics=topics)
    tables = {str(t.measure): t for t in score_all(evidence, wanted).tables}
    next(steps)
    overlap, tree = _similarity(runs)
    next(steps)
    found = {
        repr(m): _of_measure(
            evidence, m, tables[repr(m)], baseline=baseline, groups=groups, rng=rng, steps=steps
        )
        for m in wanted
    }
    checked = audit(judgments, runs)
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
    comparisons = compare_systems(table) if comparable else None
    next(steps)
    ranges = pair_ranges(evidence, measure, table) if comparable else None
    next(steps)
    seen = counted_ranks(evidence, measure)
    estimates = estimates_of(evidence, seen, measure, table, groups=groups, rng=rng)
    next(steps)
    return MeasureFindings(
        table=table,
        standardized=standardize(table) if len(table.systems) > 2 and topics else None,
        comparisons=comparisons,
        tier=tiers(table, comparisons) if comparisons else np.ones(len(table.systems), np.int64),
        ranges=ranges,
        against=compare_systems(table, baselines=baseline) if comparable and baseline else None,
        estimates=estimates,
        power=collection_power(table) if comparable and topics > 1 else None,
    )


def pair_ranges(evidence: Evidence, measure: Measure, table: ScoreTable) -> PairRanges:
    """Return the ranges of all pairs, exact where that is quick, else from the runs' own ranges."""
    weighted = isinstance(measure, StaticWeights)
    # Below the cut-off, documents still count for the ideal ranking that scores are divided by.
    seen = counted_ranks(evidence, measure) if weighted else evidence
    if (seen if weighted else measure.cut(evidence)).depth > _DEEPEST:
        return _own_ranges(table)
    own, pairs = _own_ranges(table), np.stack(np.triu_indices(len(table.systems), k=1))
    # Where the runs' own ranges lie apart, nothing more is needed to know the order.
    open_ = own.reversible
    exact = pair_differences(seen, measure, Pairs(*pairs[:, open_]))
    if exact.kind == "none":
        return own
    lower, upper = own.lower.copy(), own.upper.copy()
    _, lower[open_], upper[open_] = exact.means()
    return PairRanges(lower, upper, _EXACT)


def _own_ranges(table: ScoreTable) -> PairRanges:
    low, high = table.mean_bounds()
    a, b = np.triu_indices(len(table.systems), k=1)
    return PairRanges(low[a] - high[b], high[a] - low[b], _APART)


def counted_ranks(evidence: Evidence, measure: Measure) -> Evidence:
    """Return the ranks that a measure looks at, without those whose weights are negligible."""
    seen = measure.cut(evidence)
    if not isinstance(measure, StaticWeights):
        return seen
    weights = measure.weights(seen.depth)
    left = weights.sum() - np.cumsum(weights)
    return seen.truncate(int((left > _NEGLIGIBLE).sum()) + 1)
