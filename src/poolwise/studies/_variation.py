"""What scores vary by: their distributions, and the depth of the pool they are made from."""

from collections.abc import Iterable, Sequence

from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.evidence._meeting import align
from poolwise.findings.distribution._densities import (
    ScoreDensities,
    ScoreHistogram,
    score_densities,
    score_histogram,
)
from poolwise.findings.distribution._variance import AnovaTable, analyse_covariance
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import ByMeasure, score_all
from poolwise.studies._tasks import Progress

__all__ = ["analyse_pool_depths", "distributions"]


@recorded
def analyse_pool_depths(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int] = (),
    topics: TopicRule = "judged",
    progress: Progress | None = None,
) -> ByMeasure[AnovaTable]:
    """Analyse scores by system, topic and, as a covariate, the depth of the pool (U18 §3.7).

    Parameters
    ----------
    pool_depths : sequence of int
        Depths of pools, three or more, such as 5,10,20,50, to score runs on, with the depth as a
        covariate.
    topics : {"judged", "common"} or sequence of str
        Which topics count, as for :func:`~poolwise.align`.

    Returns
    -------
    ByMeasure of AnovaTable
        What :func:`~poolwise.findings.analyse_covariance` finds, by measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> analysis = analyse_pool_depths(made.truth, made.runs, ["AP"], pool_depths=[5, 10, 20, 50])
    >>> analysis["AP"].sources[:4]
    ('system', 'topic', 'system:topic', 'depth')
    """
    pools, wanted = nominate(judgments, runs), list(measures)
    by_depth: list[tuple[ScoreTable, ...]] = []
    for depth in pool_depths:
        pooled = align(pools.depth_pool(depth), runs, topics=topics)
        by_depth.append(score_all(pooled, wanted, bounds="none").scores)
        if progress:
            progress(len(by_depth), len(pool_depths))
    return ByMeasure.of(
        analyse_covariance(tables, pool_depths) for tables in zip(*by_depth, strict=True)
    )


@recorded
def distributions(
    table: ScoreTable,
    *,
    of: str = "scores",
    runs: Sequence[str] = (),
    bandwidth: float | None = None,
    bins: float | None = None,
    offset: float = 0.0,
) -> tuple[ScoreDensities | ScoreHistogram, ...]:
    """Show how scores are distributed: kernel densities, or histograms by bins of one width.

    Densities are reflected at the limits of the measure, so that scores near 0 keep their weight.

    As :func:`~poolwise.findings.score_densities` and :func:`~poolwise.findings.score_histogram`.

    Parameters
    ----------
    of : {"scores", "systems", "topics"}
        Draw the density of all scores, raw and standardized, or those of some systems or topics at
        percentiles by mean score.
    runs : sequence of str
        Run whose per-topic scores are drawn instead. The option may be repeated, and names may be
        separated by commas.
    bandwidth : float, optional
        Standard deviation of the kernels, by default that of Silverman's rule.
    bins : float, optional
        Count scores in bins of this width, in place of a density.
    offset : float
        Start a bin of the histogram at this score.

    Returns
    -------
    tuple of ScoreDensities or ScoreHistogram
        The densities, or a histogram of all scores or of each run.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> both = distributions(table, runs=["a", "b"], bins=0.5)
    >>> [distribution.counts.tolist() for distribution in both]
    [[2, 1], [1, 2]]
    """
    if bins is None:
        return (score_densities(table, of, runs=runs, bandwidth=bandwidth),)
    return tuple(score_histogram(table, run, width=bins, offset=offset) for run in runs or (None,))
