"""The one table of plots, and a plot of whatever was found, as a figure or as a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.errors import OptionError, require_choice
from poolwise.findings._beside import QualityBeside
from poolwise.findings._judged_coverage import JudgedCoverage
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.findings._treatment_means import TreatmentMeans
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.distribution._densities import ScoreDensities, ScoreHistogram
from poolwise.findings.distribution._rank_curves import RankWeighting, RecallPrecision
from poolwise.findings.distribution._score_heatmap import ItemTotals, ScoreIntensity
from poolwise.findings.history._ranks import RankIntervals
from poolwise.findings.history._trend import PublishedGains, Trend
from poolwise.findings.labels._label_agreement import LabelAgreement, SetPair
from poolwise.findings.planning._collection_power import CollectionPower
from poolwise.findings.planning._designs import DesignComparison
from poolwise.findings.planning._experiment import DepthDesign, ExperimentDesign
from poolwise.findings.planning._iterative import TopicInclusion
from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._curves import AgreementCurve, PersistenceCurves
from poolwise.findings.similarity._run_overlaps import OverlapByTopic, OverlapMatrix
from poolwise.provenance._files import write_file
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import ByMeasure, Evaluation
from poolwise.scores._topic_deltas import Deltas
from poolwise.scores.treatments._drawn_scores import DrawnScores
from poolwise.scores.treatments._estimates import Estimates
from poolwise.studies._calibration import Reliability
from poolwise.studies._depth import DepthStudy
from poolwise.studies._gains import BoundConvergence, GainModelFits
from poolwise.studies._growth import PoolExtrapolation, PoolGrowth
from poolwise.studies._leave_out import LeaveOutStudy
from poolwise.studies._movement import ScoreMovement
from poolwise.studies._persistence import PersistenceMatch
from poolwise.studies._persistence_study import PersistenceStudy, TopicMatches
from poolwise.studies._pooling_bias import PoolingBias
from poolwise.studies._rankings import Degradation
from poolwise.studies._references import ReferenceStability
from poolwise.studies._residuals import RBPUncertainty
from poolwise.studies._time import SimilarityOverTime
from poolwise.views.plots import _history_figures as history
from poolwise.views.plots import _label_figures as labels
from poolwise.views.plots import _planning_figures as planning
from poolwise.views.plots import _pool_figures as pools
from poolwise.views.plots import _run_figures as runs
from poolwise.views.plots import _score_figures as scores
from poolwise.views.plots import _similarity_figures as similarity
from poolwise.views.plots._style import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Part", "Plot", "itself", "plot", "plot_bytes", "save_plot"]

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
    looks : tuple of str
        Options that say how it is drawn.
    """

    summary: str
    draw: Callable[..., "Figure"]
    parts: Mapping[type, Part]
    without: str = "there is nothing to draw"
    asks: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()


def itself(finding: Any) -> Any:
    """Return a finding that is drawn as it is, and not a part of it."""
    return finding


def _alone(finding: Any) -> Any:
    return (finding,)


def _parts(finding: ByMeasure[Any]) -> Any:
    return finding.parts


def _scores(finding: Any) -> Any:
    """Return the scores of the first measure."""
    return finding.scores[0]


def _deltas(table: ScoreTable, *, a: str, b: str) -> Deltas:
    return table.deltas(a, b)


# Three plots are drawn of scores, and these of whatever holds a table of them.
_TABLE: Mapping[type, Part] = {
    ScoreTable: itself,
    Evaluation: _scores,
    MeasureOverview: lambda overview: overview.table,
}

PLOTS: dict[str, Plot] = {
    "leaderboard": Plot(
        "each run's mean, its interval over topics, and the range from unjudged documents",
        runs.draw_leaderboard,
        _TABLE,
        looks=("level",),
    ),
    "topics": Plot("the scores of all runs on each topic", runs.draw_topics, _TABLE),
    "deltas": Plot(
        "one run minus another on each topic; give a and b",
        runs.draw_deltas,
        {
            Deltas: itself,
            ScoreTable: _deltas,
            MeasureOverview: lambda overview, *, a, b: overview.table.deltas(a, b),
        },
        asks=("a", "b"),
    ),
    "pairs": Plot(
        "whether topics and judgments support the order of each pair",
        runs.draw_pairs,
        {
            PairVerdicts: itself,
            Comparisons: PairVerdicts.of,
            MeasureOverview: lambda overview: overview.verdicts,
        },
        "there are no two runs with a topic in common",
    ),
    "pareto": Plot(
        "quality over latency, cost or another number, with the front of the means",
        runs.draw_pareto,
        {QualityBeside: itself},
    ),
    "unjudged": Plot(
        "which runs have unjudged documents on which topics",
        runs.draw_unjudged,
        {
            JudgedCoverage: itself,
            Overview: lambda overview: overview.coverage,
            MeasureOverview: lambda overview: overview.coverage,
        },
    ),
    "estimates": Plot(
        "what treatments of the unjudged documents make of each run",
        runs.draw_estimates,
        {
            TreatmentMeans: itself,
            Estimates: TreatmentMeans.of,
            MeasureOverview: lambda overview: overview.estimates,
        },
        "no run has unjudged documents that count",
    ),
    "reliability": Plot(
        "whether documents are as often relevant as the relevance model predicts",
        pools.draw_reliability,
        {Reliability: itself, LeaveOutStudy: lambda study: study.reliability},
        "the relevance model is not among the treatments",
    ),
    "pooling-bias": Plot(
        "how far scores of runs outside the pool are off, by the width of the pool",
        pools.draw_pooling_bias,
        {PoolingBias: itself},
    ),
    "undiscovered": Plot(
        "how many relevant documents a deeper pool would find",
        pools.draw_undiscovered,
        {PoolExtrapolation: itself},
    ),
    "similarity": Plot(
        "how alike the rankings of the runs are",
        similarity.draw_similarity,
        {
            OverlapMatrix: itself,
            OverlapByTopic: lambda overlaps: overlaps.overall,
            Overview: lambda overview: overview.overlap,
        },
        "there is one run only",
    ),
    "tree": Plot(
        "the runs as a dendrogram, by how alike they rank",
        similarity.draw_tree,
        {
            RunTree: itself,
            OverlapMatrix: lambda overlap: overlap.tree,
            Overview: lambda overview: overview.tree,
        },
        "there is one run only",
    ),
    "power": Plot(
        "the difference that a number of topics detects",
        planning.draw_power,
        {CollectionPower: itself, MeasureOverview: lambda overview: overview.power},
        "it takes two runs and two topics",
    ),
    "designs": Plot(
        "how many topics each way to choose them takes",
        planning.draw_designs,
        {DesignComparison: itself, ExperimentDesign: lambda design: design.designs},
    ),
    "depths": Plot(
        "the share of effects that judgments detect, by depth of judging",
        planning.draw_depths,
        {DepthDesign: itself, ExperimentDesign: lambda design: design.depths},
        "no depths were compared",
    ),
    "inclusion": Plot(
        "how often topics are in an iterative experiment, by their difference",
        planning.draw_inclusion,
        {TopicInclusion: itself},
    ),
    "intensity": Plot(
        "scores of runs on topics as shades, raw and standardized",
        scores.draw_intensity,
        {ScoreIntensity: itself},
    ),
    "densities": Plot(
        "kernel densities of scores", scores.draw_densities, {ScoreDensities: itself}
    ),
    "histogram": Plot("numbers of scores by bin", scores.draw_histogram, {ScoreHistogram: itself}),
    "item-totals": Plot(
        "how each topic correlates with the others, by the spread of its scores",
        scores.draw_item_totals,
        {ItemTotals: itself},
    ),
    "references": Plot(
        "how stable the order by standardized scores is with fewer reference runs",
        scores.draw_references,
        {ReferenceStability: itself},
    ),
    "agreement": Plot(
        "how alike two runs are to each depth", similarity.draw_agreement, {AgreementCurve: itself}
    ),
    "persistences": Plot(
        "how alike one run is to others, from shallow to deep",
        similarity.draw_persistences,
        {PersistenceCurves: itself},
    ),
    "ranks": Plot(
        "the ranks that the topics leave to each run", history.draw_ranks, {RankIntervals: itself}
    ),
    "trend": Plot(
        "what the runs of each collection score, over the years (W10 fig. 8.2)",
        history.draw_trend,
        {Trend: itself},
    ),
    "gains": Plot(
        "published baselines and improved runs, by year (W10 fig. 8.4)",
        history.draw_gains,
        {PublishedGains: itself},
    ),
    "time": Plot(
        "how far rankings change from date to date",
        similarity.draw_time,
        {SimilarityOverTime: itself},
    ),
    "degradation": Plot(
        "AP of rankings made worse over their similarity to the ideal one",
        similarity.draw_degradation,
        {Degradation: itself},
    ),
    "recall": Plot(
        "the precision of runs at levels of recall", scores.draw_recall, {RecallPrecision: itself}
    ),
    "weights": Plot(
        "what each rank weighs in measures",
        scores.draw_weights,
        {RankWeighting: itself},
    ),
    "draws": Plot(
        "how often drawn grades give each score of a run on a topic",
        scores.draw_draws,
        {DrawnScores: itself},
    ),
    "powers": Plot(
        "the share of pairs significantly different, by pool and evaluation depth",
        pools.draw_powers,
        {DepthStudy: itself},
    ),
    "persistence": Plot(
        "how alike RBP and other measures order systems, over its residual",
        pools.draw_matches,
        {
            PersistenceStudy: lambda study: study.matches,
            PersistenceMatch: _alone,
            ByMeasure: _parts,
        },
    ),
    "persistence-by-topic": Plot(
        "the persistence nearest to a measure on each topic, by relevant documents",
        pools.draw_topic_matches,
        {
            PersistenceStudy: lambda study: study.by_topic or None,
            TopicMatches: _alone,
            ByMeasure: _parts,
        },
        without="topics were not matched one by one",
    ),
    "movement": Plot(
        "how far scores move as pools deepen, by pool depth and by residual",
        pools.draw_movement,
        {ScoreMovement: _alone, ByMeasure: _parts},
    ),
    "uncertainty": Plot(
        "scores and residuals of RBP over all runs and topics, by persistence",
        pools.draw_uncertainty,
        {RBPUncertainty: itself},
    ),
    "gain-models": Plot(
        "the gains of a topic by rank, and the curves of models",
        scores.draw_gain_models,
        {GainModelFits: itself},
    ),
    "convergence": Plot(
        "the range of a score by evaluation depth and pool, and what models predict",
        scores.draw_convergence,
        {BoundConvergence: itself},
    ),
    "label-orders": Plot(
        "the means of runs by labels, over those by people",
        labels.draw_orders,
        {LabelAgreement: lambda agreement: agreement if agreement.conclusions else None},
        "no runs were given",
    ),
    "excess": Plot(
        "what a judge gives the documents of each run beyond people's grades",
        labels.draw_excess,
        {LabelAgreement: lambda agreement: agreement if agreement.excesses else None},
        "no runs were given",
    ),
    "confusion": Plot(
        "which grades one set of labels gives where another gives each",
        labels.draw_confusion,
        {SetPair: itself, LabelAgreement: lambda agreement: agreement.pairs[0]},
    ),
    "growth": Plot(
        "how many documents pools hold by depth, and how many of those added are relevant",
        pools.draw_growth,
        {PoolGrowth: itself},
    ),
}
"""The kinds of plots; the first that can be made of a finding is the usual one."""


@recorded
def plot(
    finding: Any,
    kind: str | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    level: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw a finding.

    The figure shows itself in a notebook, and is saved as PDF, SVG or PNG by its ``savefig``.
    No setting of Matplotlib is changed.

    Parameters
    ----------
    finding
        Scores, comparisons, estimates, overlaps, power, or what :func:`~poolwise.report` found.
    kind
        A key of ``PLOTS``, by default the first that fits the finding.
    a, b
        The two runs of ``deltas``.
    level
        Of the intervals over topics of ``leaderboard``; by default 0.95.
    title
        In place of the usual one; empty for none.
    size
        Width and height in inches; by default as large as the names in it need.
    ax
        Matplotlib axes to draw into, instead of a new figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; that of ``ax`` where it is given.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot(table).axes[0].get_xlabel()
    'mean AP'
    >>> plot(table, "deltas", a="a", b="b").axes[0].get_title(loc="left")
    'a − b: 1 win, 1 tie, 1 loss'
    """
    name = _kind(finding, kind)
    chosen = PLOTS[name]
    options = {"a": a, "b": b, "level": level}
    asked = {option: value for option, value in options.items() if value is not None}
    for option in asked:
        if option not in (*chosen.asks, *chosen.looks):
            takers = [k for k, other in PLOTS.items() if option in (*other.asks, *other.looks)]
            raise OptionError(
                f"{option}: {name!r} has no such option. Hint: it is one of {', '.join(takers)}."
            )
    part = _part(finding, name, {o: asked[o] for o in chosen.asks if o in asked})
    looks = {o: asked[o] for o in chosen.looks if o in asked}
    return chosen.draw(part, Frame(title, size, ax), **looks)


@recorded
def save_plot(
    finding: Any,
    path: str | Path,
    kind: str | None = None,
    *,
    dpi: int = 200,
    a: str | None = None,
    b: str | None = None,
    level: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    ax: "Axes | None" = None,
) -> None:
    """Draw a finding into a file, whose ending says how: PDF, SVG, PNG and others.

    Parameters
    ----------
    finding, kind, a, b, level, title, size, ax
        As for :func:`~poolwise.plot`.
    dpi
        Dots per inch, where the format has any.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plot(table, f"{folder}/scores.svg")
    ...     Path(f"{folder}/scores.svg").read_bytes().startswith(b"<?xml")
    True
    """
    figure = plot(finding, kind, a=a, b=b, level=level, title=title, size=size, ax=ax)
    write_file(path, _picture(figure, path, dpi))


@recorded
def plot_bytes(finding: Any, path: str | Path, kind: str | None = None, *, dpi: int = 200) -> bytes:
    """Return what :func:`save_plot` writes into a file of this name.

    Parameters
    ----------
    finding, kind
        As for :func:`~poolwise.plot`.
    path : str or Path
        The name of the file, whose ending says the format; nothing is written there.
    dpi : int
        Dots per inch, where the format has any.

    Returns
    -------
    bytes
        The content of the file.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot_bytes(table, "scores.pdf")[:4]
    b'%PDF'
    """
    return _picture(plot(finding, kind), path, dpi)


def _picture(figure: "Figure", path: str | Path, dpi: int) -> bytes:
    forms, form = figure.canvas.get_supported_filetypes(), Path(path).suffix[1:].lower()
    require_choice("path, which ends in", form, forms)
    figure.savefig(picture := BytesIO(), dpi=dpi, format=form)
    return picture.getvalue()


def _part(finding: Any, kind: str, asked: dict[str, Any]) -> Any:
    """Return what is drawn of a finding, or say what is missing."""
    chosen = PLOTS[kind]
    take = next(part for made_of, part in chosen.parts.items() if isinstance(finding, made_of))
    missing = [option for option in chosen.asks if option not in asked]
    # Differences that are made already know their runs.
    if missing and take is not itself:
        raise OptionError(
            f"{', '.join(missing)}: {kind!r} takes two runs by name. Hint: use "
            f"plot(…, {kind!r}, a=…, b=…)."
        )
    part = take(finding, **asked)
    if part is None:
        raise OptionError(
            f"kind: {kind!r} has nothing to draw, since {chosen.without}. Hint: use another of "
            f"{', '.join(_kinds(finding))}."
        )
    return part


def _kinds(finding: Any) -> list[str]:
    """Return the kinds of plots that can be made of a finding, the usual one first."""
    return [kind for kind, plot in PLOTS.items() if _fits(finding, plot.parts)]


def _fits(finding: Any, parts: Mapping[type, Part]) -> bool:
    """Tell whether a finding is one of these types; those of several measures ask their parts."""
    # One class holds the parts of any study, so that its own type tells nothing.
    if isinstance(finding, ByMeasure):
        return ByMeasure in parts and isinstance(finding.parts[0], tuple(parts))
    return isinstance(finding, tuple(parts))


def _kind(finding: Any, wanted: str | None) -> str:
    """Return the kind asked for, or the usual one, or say what there is."""
    if wanted is not None:
        require_choice("kind", wanted, PLOTS)
    fitting = _kinds(finding)
    if not fitting:
        names = dict.fromkeys(t.__name__ for plot in PLOTS.values() for t in plot.parts)
        raise OptionError(
            f"finding: there is no plot of {type(finding).__name__}. Hint: use one of "
            f"{', '.join(names)}."
        )
    if wanted is not None and wanted not in fitting:
        raise OptionError(
            f"kind: {wanted!r} is no plot of {type(finding).__name__}. Hint: use one of "
            f"{', '.join(fitting)}."
        )
    return wanted or fitting[0]
