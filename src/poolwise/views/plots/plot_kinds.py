"""The one list of plots: what each shows, and which findings it can be made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.findings.distribution._densities import ScoreDensities, ScoreHistogram
from poolwise.findings.distribution._rank_curves import RankWeighting, RecallPrecision
from poolwise.findings.distribution._score_heatmap import ItemTotals, ScoreIntensity
from poolwise.findings.judged_coverage import JudgedCoverage
from poolwise.findings.measure_overview import MeasureOverview
from poolwise.findings.overview import Overview
from poolwise.findings.pair_verdicts import PairVerdicts
from poolwise.findings.planning._collection_power import CollectionPower
from poolwise.findings.planning._designs import DesignComparison
from poolwise.findings.planning._experiment import DepthDesign, ExperimentDesign
from poolwise.findings.planning._iterative import TopicInclusion
from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._curves import AgreementCurve, PersistenceCurves
from poolwise.findings.similarity._run_overlaps import OverlapByTopic, OverlapMatrix
from poolwise.findings.treatment_means import TreatmentMeans
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import Evaluation
from poolwise.scores.topic_deltas import Deltas
from poolwise.scores.treatments.drawn_scores import DrawnScores
from poolwise.scores.treatments.estimates import Estimates
from poolwise.studies.depth.depth_study import DepthStudy
from poolwise.studies.depth.growing_pools import PoolGrowth
from poolwise.studies.depth.score_movement import ScoreMovement
from poolwise.studies.depth.undiscovered import RelevantBeyond
from poolwise.studies.estimates.leave_out_study import LeaveOutStudy
from poolwise.studies.estimates.reliability import Reliability
from poolwise.studies.estimates.unpooled_runs import PoolingBias
from poolwise.studies.gains.converging_bounds import BoundConvergence
from poolwise.studies.gains.model_fits import GainModelFits
from poolwise.studies.persistence.match import PersistenceMatch
from poolwise.studies.persistence.persistence_study import PersistenceStudy
from poolwise.studies.persistence.residual_spread import RBPUncertainty
from poolwise.studies.persistence.topic_matches import TopicMatches
from poolwise.studies.similarity.degradation import Degradation
from poolwise.studies.similarity.over_time import SimilarityOverTime
from poolwise.studies.topics.reference_systems import ReferenceStability
from poolwise.views.plots.depth_figures import (
    draw_growth,
    draw_matches,
    draw_movement,
    draw_powers,
    draw_topic_matches,
    draw_uncertainty,
)
from poolwise.views.plots.figures import (
    draw_deltas,
    draw_estimates,
    draw_leaderboard,
    draw_pairs,
    draw_power,
    draw_reliability,
    draw_similarity,
    draw_topics,
    draw_tree,
    draw_unjudged,
)
from poolwise.views.plots.gain_figures import draw_convergence, draw_gain_models
from poolwise.views.plots.planning_figures import draw_depths, draw_designs, draw_inclusion
from poolwise.views.plots.ranking_figures import (
    draw_agreement,
    draw_degradation,
    draw_persistences,
    draw_time,
)
from poolwise.views.plots.score_figures import (
    draw_densities,
    draw_draws,
    draw_histogram,
    draw_intensity,
    draw_item_totals,
    draw_recall,
    draw_references,
    draw_weights,
)
from poolwise.views.plots.unpooled_figures import draw_pooling_bias, draw_undiscovered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Part", "Plot", "itself"]

Part = Callable[..., Any]
"""From a finding to the part of it that is drawn, or None if it has none."""


@dataclass(frozen=True)
class Plot:
    """A kind of plot.

    Attributes
    ----------
    summary : str
        What it shows.
    draw : callable
        Draws a part into a frame.
    parts : mapping from type to callable
        The types of findings that it can be made of, and what is drawn of each.
    without : str
        Why a finding may have nothing to draw.
    asks : tuple of str
        Options that say which part is drawn, where a finding has several.
    """

    summary: str
    draw: Callable[..., "Figure"]
    parts: Mapping[type, Part]
    without: str = "there is nothing to draw"
    asks: tuple[str, ...] = ()


def itself(finding: Any) -> Any:
    """Return a finding that is drawn as it is, and not a part of it."""
    return finding


def _alone(finding: Any) -> Any:
    return (finding,)


def _parts(found: ByMeasure[Any]) -> Any:
    return found.parts


def _scores(finding: Any) -> Any:
    """Return the scores of the first measure."""
    return finding.scores[0]


def _deltas(table: ScoreTable, *, a: str, b: str) -> Deltas:
    return table.deltas(a, b)


_TABLE: Mapping[type, Part] = {
    ScoreTable: itself,
    Evaluation: _scores,
    MeasureOverview: lambda one: one.table,
}

PLOTS: dict[str, Plot] = {
    "leaderboard": Plot(
        "each run's mean, its interval over topics, and the range from unjudged documents",
        draw_leaderboard,
        _TABLE,
    ),
    "topics": Plot("the scores of all runs on each topic", draw_topics, _TABLE),
    "deltas": Plot(
        "one run minus another on each topic; give a and b",
        draw_deltas,
        {
            Deltas: itself,
            ScoreTable: _deltas,
            MeasureOverview: lambda one, *, a, b: one.table.deltas(a, b),
        },
        asks=("a", "b"),
    ),
    "pairs": Plot(
        "whether topics and judgments support the order of each pair",
        draw_pairs,
        {
            PairVerdicts: itself,
            Comparisons: PairVerdicts.of,
            MeasureOverview: lambda one: one.verdicts,
        },
        "there are no two runs with a topic in common",
    ),
    "unjudged": Plot(
        "which runs have unjudged documents on which topics",
        draw_unjudged,
        {
            JudgedCoverage: itself,
            Overview: lambda overview: overview.coverage,
            MeasureOverview: lambda one: one.coverage,
        },
    ),
    "estimates": Plot(
        "what treatments of the unjudged documents make of each run",
        draw_estimates,
        {
            TreatmentMeans: itself,
            Estimates: TreatmentMeans.of,
            MeasureOverview: lambda one: one.estimates,
        },
        "no run has unjudged documents that count",
    ),
    "reliability": Plot(
        "whether documents are as often relevant as the relevance model predicts",
        draw_reliability,
        {Reliability: itself, LeaveOutStudy: lambda study: study.reliability},
        "the relevance model is not among the treatments",
    ),
    "pooling-bias": Plot(
        "how far scores of runs outside the pool are off, by the width of the pool",
        draw_pooling_bias,
        {PoolingBias: itself},
    ),
    "undiscovered": Plot(
        "how many relevant documents a deeper pool would find",
        draw_undiscovered,
        {RelevantBeyond: itself},
    ),
    "similarity": Plot(
        "how alike the rankings of the runs are",
        draw_similarity,
        {
            OverlapMatrix: itself,
            OverlapByTopic: lambda found: found.overall,
            Overview: lambda overview: overview.overlap,
        },
        "there is one run only",
    ),
    "tree": Plot(
        "the runs as a dendrogram, by how alike they rank",
        draw_tree,
        {
            RunTree: itself,
            OverlapMatrix: lambda overlap: overlap.tree,
            Overview: lambda overview: overview.tree,
        },
        "there is one run only",
    ),
    "power": Plot(
        "the difference that a number of topics detects",
        draw_power,
        {CollectionPower: itself, MeasureOverview: lambda one: one.power},
        "it takes two runs and two topics",
    ),
    "designs": Plot(
        "how many topics each way to choose them takes",
        draw_designs,
        {DesignComparison: itself, ExperimentDesign: lambda one: one.designs},
    ),
    "depths": Plot(
        "the share of effects that judgments detect, by depth of judging",
        draw_depths,
        {DepthDesign: itself, ExperimentDesign: lambda one: one.depths},
        "no depths were compared",
    ),
    "inclusion": Plot(
        "how often topics are in an iterative experiment, by their difference",
        draw_inclusion,
        {TopicInclusion: itself},
    ),
    "intensity": Plot(
        "scores of runs on topics as shades, raw and standardized",
        draw_intensity,
        {ScoreIntensity: itself},
    ),
    "densities": Plot("kernel densities of scores", draw_densities, {ScoreDensities: itself}),
    "histogram": Plot("numbers of scores by bin", draw_histogram, {ScoreHistogram: itself}),
    "item-totals": Plot(
        "how each topic correlates with the others, by the spread of its scores",
        draw_item_totals,
        {ItemTotals: itself},
    ),
    "references": Plot(
        "how stable the order by standardized scores is with fewer reference runs",
        draw_references,
        {ReferenceStability: itself},
    ),
    "agreement": Plot(
        "how alike two runs are to each depth", draw_agreement, {AgreementCurve: itself}
    ),
    "persistences": Plot(
        "how alike one run is to others, from shallow to deep",
        draw_persistences,
        {PersistenceCurves: itself},
    ),
    "time": Plot(
        "how far rankings change from date to date", draw_time, {SimilarityOverTime: itself}
    ),
    "degradation": Plot(
        "AP of rankings made worse over their similarity to the ideal one",
        draw_degradation,
        {Degradation: itself},
    ),
    "recall": Plot(
        "the precision of runs at levels of recall", draw_recall, {RecallPrecision: itself}
    ),
    "weights": Plot("what each rank weighs in measures", draw_weights, {RankWeighting: itself}),
    "draws": Plot(
        "how often drawn grades give each score of a run on a topic",
        draw_draws,
        {DrawnScores: itself},
    ),
    "powers": Plot(
        "the share of pairs significantly different, by pool and evaluation depth",
        draw_powers,
        {DepthStudy: itself},
    ),
    "persistence": Plot(
        "how alike RBP and other measures order systems, over its residual",
        draw_matches,
        {
            PersistenceStudy: lambda study: study.matches,
            PersistenceMatch: _alone,
            ByMeasure: _parts,
        },
    ),
    "persistence-by-topic": Plot(
        "the persistence nearest to a measure on each topic, by relevant documents",
        draw_topic_matches,
        {
            PersistenceStudy: lambda study: study.by_topic or None,
            TopicMatches: _alone,
            ByMeasure: _parts,
        },
        without="topics were not matched one by one",
    ),
    "movement": Plot(
        "how far scores move as pools deepen, by pool depth and by residual",
        draw_movement,
        {ScoreMovement: _alone, ByMeasure: _parts},
    ),
    "uncertainty": Plot(
        "scores and residuals of RBP over all runs and topics, by persistence",
        draw_uncertainty,
        {RBPUncertainty: itself},
    ),
    "gain-models": Plot(
        "the gains of a topic by rank, and the curves of models",
        draw_gain_models,
        {GainModelFits: itself},
    ),
    "convergence": Plot(
        "the range of a score by evaluation depth and pool, and what models predict",
        draw_convergence,
        {BoundConvergence: itself},
    ),
    "growth": Plot(
        "how many documents pools hold by depth, and how many of those added are relevant",
        draw_growth,
        {PoolGrowth: itself},
    ),
}
"""The kinds of plots; the first that can be made of a finding is the usual one."""
