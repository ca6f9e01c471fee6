"""A small instance of every Finding, made as a user would; a new Finding adds its own here."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.finding_examples_papers import PAPER_EXAMPLES
from tests.finding_examples_studies import EXAMPLES

import poolwise as pw
from poolwise.collection._merged import Merged, merge_all
from poolwise.collection._pools import MultiplicityRelevance
from poolwise.evidence._audit import Audit
from poolwise.evidence._evidence import Pairs
from poolwise.evidence.unknowns._gain_models import GainFit
from poolwise.findings._beside import DifferencesBeside, QualityBeside
from poolwise.findings._by_cluster import DifferencesByCluster, ScoresByCluster
from poolwise.findings._by_slice import DifferencesBySlice, ScoresBySlice
from poolwise.findings._ceilings import Ceilings
from poolwise.findings._cited_methods import CitedMethods, methods_cited
from poolwise.findings._document_changes import DocumentChanges
from poolwise.findings._documents_by_run import DocumentsByRun, TopicDocuments
from poolwise.findings._judged_coverage import JudgedCoverage
from poolwise.findings._judgment_checks import JudgmentChecks
from poolwise.findings._label_origin import LabelOrigin
from poolwise.findings._marked_results import MarkedResults
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._no_answer import NoAnswerScores
from poolwise.findings._overview import Overview
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.findings._run_against_all import RunStanding
from poolwise.findings._side_by_side import PairByMeasure, SideBySide
from poolwise.findings._treatment_means import TreatmentMeans
from poolwise.findings._trec_eval_scores import TrecEvalScores
from poolwise.findings._witness import Witness
from poolwise.findings.agreement._discrimination import (
    Agreement,
    Discrimination,
    DiscriminationStudy,
)
from poolwise.findings.agreement._system_orders import OrderCorrelation
from poolwise.findings.campaigns._assessors import AssessorReport, AssessorWork
from poolwise.findings.campaigns._contents import CampaignContents
from poolwise.findings.campaigns._due import Due, RunDue
from poolwise.findings.campaigns._export import CampaignExport
from poolwise.findings.campaigns._status import CampaignStatus, MeanEstimates
from poolwise.findings.comparison._comparison import Comparison
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import Differences
from poolwise.findings.comparison._verdict import Verdict
from poolwise.findings.distribution._variance import AnovaTable, VarianceComponents
from poolwise.findings.gating._gate import Gate, RankingChange, ranking_change
from poolwise.findings.history._context import JudgedRange, RunContext, run_in_context
from poolwise.findings.history._entries import (
    AddedResults,
    Entry,
    LedgerCheck,
    LedgerContents,
    Outcome,
    Problem,
)
from poolwise.findings.history._ledger_overview import LedgerOverview
from poolwise.findings.history._ranks import RankIntervals
from poolwise.findings.history._trend import PublishedGains, Trend, published_gains
from poolwise.findings.labels._agreement_counts import Estimate
from poolwise.findings.labels._label_agreement import LabelAgreement
from poolwise.findings.labels._label_estimates import LabelDifferences, LabelEstimates
from poolwise.findings.planning._collection_power import CollectionPower, DispersionTest
from poolwise.findings.planning._experiment import DepthDesign
from poolwise.findings.planning._iterative import IterativeDesign
from poolwise.findings.planning._power import PowerAnalysis
from poolwise.findings.planning._trials import TrialDesign, TrialSimulation
from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._run_overlaps import OverlapByTopic, OverlapMatrix, RunOverlap
from poolwise.findings.similarity._two_rankings import (
    RankBiasedAlignment,
    RankBiasedOverlap,
    RankBiasedRecall,
)
from poolwise.judging._lists import (
    DecisiveDocuments,
    JudgingList,
    JudgingSheet,
    PoolToJudge,
    decisive_documents,
)
from poolwise.judging._sampling import DrawnSample, draw_sample
from poolwise.measures._explanation import Explanation, MeasureList
from poolwise.results._finding import Finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import Evaluation
from poolwise.scores._topic_deltas import Deltas
from poolwise.workflows._audit import audit_documents, audit_judgments, audit_origin
from poolwise.workflows._beside import compare_beside, evaluate_beside
from poolwise.workflows._by_cluster import compare_by_cluster, evaluate_by_cluster
from poolwise.workflows._by_slice import compare_by_slice, evaluate_by_slice
from poolwise.workflows._ceilings import ceilings
from poolwise.workflows._exchange import Converted
from poolwise.workflows._no_answer import evaluate_no_answer

__all__ = ["FINDING_EXAMPLES", "HOSTILE"]

HOSTILE = "<script>alert('&')</script>"
"""A name that must not reach a page as it is; examples with names call a run or topic so."""

_JUDGMENTS = pw.Judgments.from_dict(
    {HOSTILE: {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1, "e": 0}, "3": {"f": 0}}
)
_RUNS = pw.Runs.from_rankings(
    {
        HOSTILE: {HOSTILE: ["a", "b", "c"], "2": ["d", "e"]},
        "twin": {HOSTILE: ["a", "b", "c"], "2": ["d", "e"]},
        "other": {HOSTILE: ["c", "x", "a"], "2": ["e", "y"]},
    }
)
_DIFFERENCES = np.random.default_rng(1).normal(0.05, 0.15, 200)


@cache
def _table(measure: str = "AP") -> pw.ScoreTable:
    """Return made scores of eight systems on twenty topics, one system with the hostile name."""
    systems = [HOSTILE, *(f"s{i}" for i in range(7))]
    scores = np.random.default_rng(len(measure)).beta(1, 3, (8, 20))
    topics = [str(t) for t in range(20)]
    return pw.ScoreTable.from_matrix(scores, systems=systems, topics=topics, measure=measure)


def _evidence() -> pw.Evidence:
    return pw.align(_JUDGMENTS, _RUNS)


def _nominations() -> pw.collection.Nominations:
    return pw.nominate(_JUDGMENTS, _RUNS)


@cache
def _overview() -> Overview:
    return pw.report(_JUDGMENTS, _RUNS, ["nDCG@3"], baseline="twin")


_COSTS = [
    {"run": run, "topic": topic, "ms": 3.5 * n + len(topic)}
    for n, run in enumerate(_RUNS.systems)
    for topic in _RUNS.topics
]
_SLICES = dict.fromkeys(_JUDGMENTS.topics, HOSTILE)


@cache
def _side_by_side() -> SideBySide:
    texts: dict[str, Any] = {"queries": dict.fromkeys(_JUDGMENTS.topics, HOSTILE)}
    return pw.side_by_side(_JUDGMENTS, _RUNS, ["nDCG@3"], pair=_RUNS.systems[:2], **texts)


def _documents() -> Finding:
    documents = _overview().documents
    assert documents is not None
    return documents


def _estimates() -> Finding:
    estimates = _overview()["nDCG@3"].estimates
    assert estimates is not None
    return estimates


def _labelled() -> dict[str, Any]:
    """Return judgments of some topics, a machine's labels of all, and a run with a script."""
    made = pw.simulate(systems=2, topics=12, depth=10, rng=1)
    lists = {
        name: {topic: made.runs.ranking(run, topic) for topic in made.runs.topics}
        for name, run in zip((HOSTILE, "other"), made.runs.systems, strict=True)
    }
    return {
        "judgments": made.truth.select(topics=made.truth.topics[:9]),
        "runs": pw.Runs.from_rankings(lists),
        "measures": "P@5",
        "labels": pw.Labels.of(made.truth, "machine"),
        "assume_random": True,
    }


_ENTRIES = [
    Entry("c", "3f5a", HOSTILE, "scored", 2005, baseline="s1", paper="A paper", by="ann"),
    *(Entry("c", "3f5a", f"s{i}", "scored", 1999, original=True) for i in range(7)),
]


def _means() -> dict[str, float]:
    return dict(zip(_table().systems, _table().means().tolist(), strict=True))


@cache
def _ledger_overview() -> LedgerOverview:
    with TemporaryDirectory() as folder:
        results = pw.ledger(Path(folder, "results"), make=True)
        results.add(_JUDGMENTS, _RUNS, "P@2", collection="c", year=1999, missing="zero", by="ann")
        return results.overview(measure="P@2")


def _converted() -> Converted:
    """Return judgments with assessors and a script for a topic, of which some is lost."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "grades.csv")
        path.write_text(f"qid,docno,label,judge\n{HOSTILE},a,2,Ann\n{HOSTILE},b,1,Bob\n")
        return pw.convert(path, "trec")


FINDING_EXAMPLES: dict[type[Finding], Callable[[], Finding]] = {
    **EXAMPLES,
    **PAPER_EXAMPLES,
    Audit: lambda: pw.audit(_JUDGMENTS, _RUNS),
    # Campaigns.
    CampaignStatus: lambda: CampaignStatus(
        name=HOSTILE,
        version="3f5a12345678",
        table=pw.score(pw.align(_JUDGMENTS, _RUNS), "P@2"),
        adjusted=MeanEstimates(*np.array([[0.5, 0.4, 0.3], [0.4, 0.3, 0.2], [0.6, 0.5, 0.4]])),
        sampled=MeanEstimates.none(3, "No document was drawn at random yet."),
        judged=np.array([1.0, 1.0, 0.5]),
        assignments={"judged": 7, "cannot": 0, "skipped": 1, "leased": 2, "expired": 0},
        documents=7,
        due=Due(
            "P@2", "top:1", 0.05, 10, runs=(RunDue(HOSTILE, "b", "add topics", 4, 0.1, 0.02, 0.2),)
        ),
    ),
    AssessorReport: lambda: AssessorReport(
        {HOSTILE: AssessorWork(judged=9, seconds=4.5, traps=8, missed=4)},
        Estimate(0.4, 0.2, 0.6, 12),
        3,
        {HOSTILE: np.array([[1.0, 1.0], [0.0, 1.0]])},
        (0.0, 1.0),
    ),
    CampaignContents: lambda: CampaignContents(
        HOSTILE, "dl19", 43, 0, 8, 2, 1, "There are 43 topics now."
    ),
    CampaignExport: lambda: CampaignExport(
        _JUDGMENTS, "3f5a12345678", "9b1c12345678", "majority", 1, 4, 0.5, "exports/v002.qrels"
    ),
    DocumentsByRun: lambda: pw.workflows.show(_JUDGMENTS, _RUNS, HOSTILE),
    MeasureList: pw.workflows.list_measures,
    TrecEvalScores: lambda: pw.workflows.trec_eval(
        _JUDGMENTS, _RUNS.select(_RUNS.systems[:1]), per_topic=True
    ),
    Witness: lambda: pw.witness(_JUDGMENTS, _RUNS, "nDCG@3", pair=(HOSTILE, "other")),
    # Scores, and what a measure is.
    ScoreTable: lambda: pw.score(pw.align(_JUDGMENTS, _RUNS), "nDCG@3"),
    Evaluation: lambda: pw.evaluate(_JUDGMENTS, _RUNS, ["nDCG@3", "P@2"]),
    pw.findings.Reusability: lambda: pw.workflows.reuse(_JUDGMENTS, _RUNS),
    pw.scores.CollectionCard: lambda: pw.make_card(_JUDGMENTS, _RUNS, ["nDCG@3", "P@2"]),
    Explanation: lambda: pw.explain("nDCG@10"),
    # Pools, and what stands in for judgments.
    MultiplicityRelevance: lambda: pw.collection.relevance_by_multiplicity(_nominations(), 2),
    pw.studies.PoolGrowth: lambda: pw.studies.pool_growth(_nominations(), [1, 2, 3]),
    GainFit: lambda: pw.evidence.fit_gains(
        pw.align(_JUDGMENTS, _RUNS), np.array([0.0, 0.5, 1.0]), model="hybrid"
    ),
    # Comparisons of systems.
    Comparison: lambda: pw.compare_evidence(_evidence(), "P@2")[0],
    Comparisons: lambda: pw.compare_evidence(_evidence(), "P@2", draws=10),
    Differences: lambda: pw.findings.all_differences(_evidence(), "P@2"),
    Verdict: lambda: pw.findings.verdict(_evidence(), "P@2", HOSTILE, "other"),
    Discrimination: lambda: pw.findings.discriminate(_table()),
    DiscriminationStudy: lambda: pw.findings.discriminate_all([_table(), _table("P@10")]),
    Agreement: lambda: pw.findings.significance_agreement(
        pw.findings.discriminate(_table()), pw.findings.discriminate(_table("P@10"))
    ),
    LabelAgreement: lambda: pw.agree(
        {HOSTILE: _JUDGMENTS.to_dict(), "other": {"2": {"a": 1, "d": 2}}},
        against=_JUDGMENTS,
        runs=_RUNS,
        resamples=10,
    ),
    LabelEstimates: lambda: pw.workflows.estimate_with_labels(**_labelled())["P@5"],
    LabelDifferences: lambda: pw.workflows.compare_with_labels(**_labelled())["P@5"],
    # Judgments brought together, converted and drawn.
    Merged: lambda: merge_all(
        [_JUDGMENTS, pw.Judgments.from_dict({HOSTILE: {"a": 2, "b": 0, "x": 1}})], conflicts="last"
    ),
    Converted: _converted,
    DrawnSample: lambda: draw_sample(_RUNS, "depths:1=1,3=0.5", rng=1),
    # What to judge next.
    DecisiveDocuments: lambda: decisive_documents(
        pw.align(_JUDGMENTS, _RUNS),
        pw.parse_measure("AP"),
        HOSTILE,
        Pairs.of_two(_RUNS.systems, HOSTILE, "other"),
    ),
    JudgingSheet: lambda: pw.pool_to_judge(_RUNS, depth=2).sheet(),
    PoolToJudge: lambda: pw.pool_to_judge(_RUNS, depth=2),
    RankingChange: lambda: ranking_change(
        pw.findings.run_overlap(_RUNS, "other", HOSTILE), fail_under=0.9
    ),
    Gate: lambda: pw.findings.gate_evidence(
        pw.align(_JUDGMENTS, _RUNS.select([HOSTILE, "other"])), ["nDCG@10", "P@2"]
    ),
    JudgingList: lambda: pw.next(_JUDGMENTS, _RUNS, "relevant", budget=3),
    # Agreement of orders, similarity of rankings.
    OrderCorrelation: lambda: pw.findings.correlate_orders(
        _table(), _table("nDCG@10"), rng=1, resamples=50
    ),
    RankBiasedAlignment: lambda: pw.findings.rank_biased_alignment("abd", "cbe"),
    RankBiasedRecall: lambda: pw.findings.rank_biased_recall({"a", "x"}, "abd"),
    RankBiasedOverlap: lambda: pw.rank_biased_overlap("abd", "cbe"),
    RunOverlap: lambda: pw.findings.run_overlap(_RUNS, HOSTILE, "other"),
    OverlapMatrix: lambda: pw.findings.overlap_matrix(_RUNS),
    OverlapByTopic: lambda: pw.findings.overlap_by_topic(_RUNS),
    RunTree: lambda: pw.findings.cluster_runs(pw.findings.overlap_matrix(_RUNS)),
    # Plans of experiments.
    PowerAnalysis: lambda: pw.power(delta=0.05, sigma=0.13, power=0.8),
    CollectionPower: lambda: pw.findings.collection_power(_table()),
    TrialDesign: lambda: pw.findings.trial_design(0.15, delta=0.033, trial_topics=40),
    TrialSimulation: lambda: pw.findings.simulate_trials(
        _DIFFERENCES, delta=0.05, trial_topics=30, rng=1, trials=50
    ),
    IterativeDesign: lambda: pw.findings.simulate_iterative_design(
        _DIFFERENCES, delta=0.06, rng=1, simulations=50
    ),
    DepthDesign: lambda: pw.findings.depth_design(
        {5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [500, 5000]
    ),
    DispersionTest: lambda: pw.findings.dispersion_test(_table(), rng=1, resamples=50),
    # What scores vary by.
    VarianceComponents: lambda: pw.findings.variance_components(_table()),
    AnovaTable: lambda: pw.findings.analyse_variance(_table()),
    # What a report is about.
    Overview: _overview,
    MeasureOverview: lambda: _overview()["nDCG@3"],
    DocumentChanges: lambda: audit_documents(_JUDGMENTS, {HOSTILE: "x"}),
    JudgmentChecks: lambda: audit_judgments(_JUDGMENTS, _RUNS),
    LabelOrigin: lambda: audit_origin(_JUDGMENTS, _RUNS),
    NoAnswerScores: lambda: evaluate_no_answer(_JUDGMENTS, _RUNS, "P@2", empty=["none"])["P@2"],
    QualityBeside: lambda: evaluate_beside(_JUDGMENTS, _RUNS, "P@2", beside=_COSTS).parts[0],
    DifferencesBeside: lambda: compare_beside(_JUDGMENTS, _RUNS, "P@2", beside=_COSTS).parts[0],
    Ceilings: lambda: ceilings(_JUDGMENTS, _RUNS, "P@2")["P@2"],
    ScoresByCluster: lambda: evaluate_by_cluster(_JUDGMENTS, _RUNS, "P@2", clusters=_SLICES)["P@2"],
    DifferencesByCluster: lambda: compare_by_cluster(_JUDGMENTS, _RUNS, "P@2", clusters=_SLICES)[
        "P@2"
    ],
    ScoresBySlice: lambda: evaluate_by_slice(_JUDGMENTS, _RUNS, "P@2", by=_SLICES)["P@2"],
    DifferencesBySlice: lambda: compare_by_slice(_JUDGMENTS, _RUNS, "P@2", by=_SLICES)["P@2"],
    SideBySide: _side_by_side,
    PairByMeasure: lambda: _side_by_side()["nDCG@3"],
    RunStanding: lambda: _overview()["nDCG@3"].standings[0],
    TopicDocuments: _documents,
    JudgedCoverage: lambda: _overview().coverage,
    TreatmentMeans: _estimates,
    PairVerdicts: lambda: PairVerdicts.of(pw.compare_scores(_table())),
    CitedMethods: lambda: methods_cited(
        {"command": ["compare"], "options": {"measure": [HOSTILE, "RBP"]}}
    ),
    MarkedResults: lambda: pw.workflows.table([_table()], marks="daggers", baseline="s0"),
    Deltas: lambda: _table().deltas(HOSTILE, "s1"),
    # Results over time.
    RankIntervals: lambda: pw.findings.rank_runs(_table(), resamples=100),
    RunContext: lambda: run_in_context(
        _ENTRIES,
        _means(),
        HOSTILE,
        measure=_table().measure,
        table=_table(),
        judged={"s1": JudgedRange(-0.25, 0.5, "valid")},
    ),
    LedgerContents: lambda: LedgerContents("results", tuple(_ENTRIES)),
    AddedResults: lambda: AddedResults(
        tuple(
            Outcome("c", "3f5a", "scored", HOSTILE, what)
            for what in ("added", "unchanged", "rescored", "lost")
        )
    ),
    LedgerCheck: lambda: LedgerCheck("results", 3, 1, 1, (Problem(HOSTILE, "it was changed"),)),
    LedgerOverview: _ledger_overview,
    Trend: lambda: pw.findings.trend_by_reference(
        {HOSTILE: (1999, _table())}, "later", _table(), left_out=["c, without topics"]
    ),
    PublishedGains: lambda: published_gains(_ENTRIES, _means(), measure=_table().measure),
}
"""From each class to a function that makes one; names in it include ``HOSTILE``."""
