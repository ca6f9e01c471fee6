"""What do scores vary by? Studies of systems, topics and pool depth, and of whole distributions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.collection.pools.nominations import nominate
from poolwise.evidence._meeting import align
from poolwise.findings.distribution._densities import (
    ScoreDensities,
    ScoreHistogram,
    score_densities,
    score_histogram,
)
from poolwise.findings.distribution._score_heatmap import ScoreIntensity, score_intensity
from poolwise.findings.distribution._variance import (
    AnovaTable,
    VarianceComponents,
    analyse_covariance,
    analyse_variance,
    variance_components,
)
from poolwise.findings.planning._collection_power import DispersionTest, dispersion_test
from poolwise.measures._measure import Measure
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score_all
from poolwise.workflows.inputs import Topics, as_collection, as_topics

__all__ = [
    "study_ancova",
    "study_anova",
    "study_densities",
    "study_dispersion",
    "study_histogram",
    "study_intensity",
    "study_variance",
]


def study_variance(tables: Iterable[ScoreTable]) -> ByMeasure[VarianceComponents]:
    """Part the variance of scores by system, topic and both together, for each measure.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of two or more systems on two or more topics, one table per measure.

    Returns
    -------
    ByMeasure of VarianceComponents
        The components of :func:`~poolwise.findings.variance_components`, by measure.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> study_variance([table])["AP"].shares.round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    return ByMeasure.of(variance_components(table) for table in tables)


def study_anova(tables: Iterable[ScoreTable]) -> ByMeasure[AnovaTable]:
    """Do the two-way analysis of variance of scores by system and topic, for each measure.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of two or more systems on two or more topics, one table per measure.

    Returns
    -------
    ByMeasure of AnovaTable
        What :func:`~poolwise.findings.analyse_variance` finds, by measure.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> study_anova([table])["AP"].pvalues.round(4).tolist()
    [0.1835, 0.1731]
    """
    return ByMeasure.of(analyse_variance(table) for table in tables)


def study_ancova(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int],
    topics: Topics = "judged",
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[AnovaTable]:
    """Analyse scores by system, topic and, as a covariate, the depth of the pool (U18 §3.7).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    pool_depths
        How many ranks of each run are pooled: three depths or more.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    progress
        Called with the number of pools done, and of all.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    ByMeasure of AnovaTable
        What :func:`~poolwise.findings.analyse_covariance` finds, by measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_ancova(made.truth, made.runs, ["AP"], pool_depths=[5, 10, 20, 50])
    >>> found["AP"].sources[:4]
    ('system', 'topic', 'system:topic', 'depth')
    """
    qrels, retrieved = as_collection(judgments, runs, reading=reading)
    found = nominate(qrels, retrieved)
    wanted, chosen = list(measures), as_topics(topics)
    by_depth: list[tuple[ScoreTable, ...]] = []
    for depth in pool_depths:
        pooled = align(found.depth_pool(depth), retrieved, topics=chosen)
        by_depth.append(score_all(pooled, wanted, bounds="none").scores)
        if progress:
            progress(len(by_depth), len(pool_depths))
    return ByMeasure.of(
        analyse_covariance(tables, pool_depths) for tables in zip(*by_depth, strict=True)
    )


def study_dispersion(tables: Iterable[ScoreTable], **options: Any) -> ByMeasure[DispersionTest]:
    """Test whether pairs differ in the deviation of per-topic differences, for each measure.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores by system and topic, one table per measure.
    options
        Those of :func:`~poolwise.findings.dispersion_test`.

    Returns
    -------
    ByMeasure of DispersionTest
        The observed and the expected dispersion, and the p value, by measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> study_dispersion(tables, resamples=99)["AP"].pairs
    15
    """
    return ByMeasure.of(dispersion_test(table, **options) for table in tables)


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
