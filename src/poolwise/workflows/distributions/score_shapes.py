"""What scores look like over systems and topics: shades, densities, and topics against the rest."""

from collections.abc import Sequence
from typing import Any

from poolwise.errors import OptionError
from poolwise.findings.distribution.item_totals import ItemTotals, item_total_correlations
from poolwise.findings.distribution.recall_curves import RecallPrecision, recall_precision
from poolwise.findings.distribution.score_density import (
    ScoreDensities,
    ScoreHistogram,
    score_densities,
    score_histogram,
)
from poolwise.findings.distribution.score_shades import ScoreIntensity, score_intensity
from poolwise.findings.distribution.weights_by_rank import WEIGHED, RankWeighting, rank_weights
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.treatments.drawn_scores import DrawnScores
from poolwise.scores.treatments.run_on_topic import draw_scores
from poolwise.studies.topics.reference_systems import ReferenceStability, reference_stability
from poolwise.workflows.inputs import Topics, as_evidence

__all__ = [
    "study_curves",
    "study_densities",
    "study_draws",
    "study_histogram",
    "study_intensity",
    "study_references",
    "study_topics",
    "study_weights",
]

_USUAL_SIZES = (2, 3, 4, 5, 7, 10, 20, 40, 80)


def study_curves(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> RecallPrecision:
    """Show precision at levels of recall.

    W10 §3.2.2, figure 3.3.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    topics : str
        Which topics count, as for :func:`~poolwise.evaluate`.
    reading : dict, optional
        How files are read.
    options
        As for :func:`~poolwise.findings.recall_precision`: the levels.

    Returns
    -------
    RecallPrecision
        The interpolated precision of every run, the mean over topics.

    Examples
    --------
    >>> qrels, lists = {"1": {"a": 1, "b": 0, "c": 1}}, {"s": {"1": list("abuc")}}
    >>> study_curves(qrels, lists, recall=[0, 0.5, 1]).precision.tolist()
    [[1.0, 1.0, 0.5]]
    """
    evidence = as_evidence(judgments, runs, topics=topics, **(reading or {}))
    return recall_precision(evidence, **options)


def study_draws(
    judgments: Any,
    runs: Any,
    measure: str,
    *,
    run: str,
    topic: str,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> DrawnScores:
    """Show how often drawn grades of unjudged documents give each score of a run on a topic.

    B23, figure 1.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure : str
        The measure to draw, by name.
    run, topic : str
        Whose score is shown.
    reading : dict, optional
        How files are read.
    options
        As for :func:`~poolwise.scores.bootstrap`: prior, draws and seed.

    Returns
    -------
    DrawnScores
        Each score that came out, and the share of the draws that gave it.

    Examples
    --------
    >>> qrels, lists = {"1": {"a": 1, "b": 0, "c": 1}}, {"s": {"1": list("abuc")}}
    >>> found = study_draws(qrels, lists, "P@3", run="s", topic="1", draws=100)
    >>> found.values.round(2).tolist()  # the third document is unjudged
    [0.33, 0.67]
    """
    evidence = as_evidence(judgments, runs, **(reading or {}))
    return draw_scores(evidence, measure, run=run, topic=topic, **options)


def study_weights(measures: Sequence[str] = (), **options: Any) -> RankWeighting:
    """Show what each rank weighs; without measures, in RBP and DCG.

    W10 figure 3.7, D10 figure 1.

    Parameters
    ----------
    measures : sequence of str
        Measures whose weights depend on the rank alone.
    options
        As for :func:`~poolwise.findings.rank_weights`: how many ranks, and how many are judged.

    Returns
    -------
    RankWeighting
        The weight of every rank under each measure.

    Examples
    --------
    >>> study_weights(["RBP(p=0.5)"], depth=4, judged=2).past.tolist()
    [0.2]
    """
    return rank_weights(measures or WEIGHED, **options)


def study_topics(table: ScoreTable) -> ItemTotals:
    """Say how each topic orders systems beside all the others.

    W10 §4.2.2; Bodoff & Li (2007).

    Parameters
    ----------
    table : ScoreTable
        Scores of systems on topics.

    Returns
    -------
    ItemTotals
        The correlation of the scores on each topic with the sum of those on all others.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> study_topics(table).item_total.round(2).tolist()
    [0.87, 0.96, -0.99]
    """
    return item_total_correlations(table)


def study_intensity(table: ScoreTable) -> ScoreIntensity:
    """Show scores by shades, raw and standardized.

    W10 figures 4.1 and 4.6.

    Parameters
    ----------
    table : ScoreTable
        Scores of systems on topics.

    Returns
    -------
    ScoreIntensity
        Both kinds of scores, the best system first, with the limits of the shades.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> study_intensity(table).systems
    ('c', 'b', 'a')
    """
    return score_intensity(table)


def study_densities(table: ScoreTable, of: str = "scores", **options: Any) -> ScoreDensities:
    """Estimate densities of scores.

    W10 §3.3.7.

    Parameters
    ----------
    table : ScoreTable
        Scores of systems on topics.
    of : {"scores", "systems", "topics"}
        What the densities are of, a key of ``DENSITIES_OF``.
    options
        As for :func:`~poolwise.findings.score_densities`: runs, percentiles, bandwidth.

    Returns
    -------
    ScoreDensities
        One curve per distribution.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> [curve.name for curve in study_densities(table, "topics", percentiles=[1, 100]).curves]
    ['3', '1']
    """
    return score_densities(table, of, **options)


def study_histogram(table: ScoreTable, run: str | None = None, **options: Any) -> ScoreHistogram:
    """Count scores in bins.

    W10 figure 3.18.

    Parameters
    ----------
    table : ScoreTable
        Scores of systems on topics.
    run : str, optional
        The run whose scores are counted; all runs by default.
    options
        As for :func:`~poolwise.findings.score_histogram`: width and offset of the bins.

    Returns
    -------
    ScoreHistogram
        How many scores each bin has.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> study_histogram(table, width=0.25).counts.tolist()
    [2, 1, 4, 2]
    """
    return score_histogram(table, run, **options)


def study_references(
    table: ScoreTable,
    *,
    references: Sequence[str] = (),
    sizes: Sequence[int] = (),
    **options: Any,
) -> ReferenceStability:
    """Say how many reference systems give a stable order of the others.

    Parameters
    ----------
    table : ScoreTable
        Scores of the reference systems and of those to order.
    references : sequence of str
        Names of the reference systems; by default all systems are both.
    sizes : sequence of int
        How many of them to draw; by default a row of sizes below their number.
    options
        As for :func:`~poolwise.studies.reference_stability`: samples and seed.

    Returns
    -------
    ReferenceStability
        Kendall's τ of every sample with the order that all reference systems give.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(1).random((20, 15)) ** 2
    >>> table = ScoreTable.from_matrix(scores, systems=[f"s{i}" for i in range(20)],
    ...                                topics=map(str, range(15)), measure="AP")
    >>> study_references(table, references=[f"s{i}" for i in range(12)], samples=50).sizes
    (2, 3, 4, 5, 7, 10)
    """
    known = table.select(systems=references) if references else table
    others = [name for name in table.systems if name not in set(references)]
    if not others:
        raise OptionError(
            "references: every run is a reference, and none is left to order. Hint: leave one "
            "or more out."
        )
    usual = tuple(n for n in _USUAL_SIZES if n < len(known.systems)) or (len(known.systems),)
    ordered = table.select(systems=others)
    return reference_stability(ordered, known, sizes=tuple(sizes) or usual, **options)
