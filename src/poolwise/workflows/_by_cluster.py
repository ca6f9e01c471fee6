"""Scores and differences over clusters of topics, from files or from memory."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.evidence._ungraded import Universe
from poolwise.findings._by_cluster import (
    DifferencesByCluster,
    ScoresByCluster,
    cluster_table,
    clusters_of,
)
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._differences import judgment_ranges
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._scoring import ByMeasure, score, score_all
from poolwise.workflows._further_inputs import as_slices
from poolwise.workflows._inputs import DEFAULT_MEASURES, Topics, as_evidence, several_measures

__all__ = ["compare_by_cluster", "evaluate_by_cluster"]

Clusters = Mapping[str, str] | str | Path


@recorded_by_itself
def evaluate_by_cluster(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    clusters: Clusters,
    topics: Topics = "judged",
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> ByMeasure[ScoresByCluster]:
    """Score runs over clusters of topics, such as the variants of a query: each counts once.

    Parameters
    ----------
    clusters
        Which cluster each topic is of: a dict, or a file with a topic and its cluster in each
        line. A topic without one is a cluster of its own.
    bounds
        Whether ranges over judgments are found: ``exact``, ``naive`` or ``none``.

    Returns
    -------
    ByMeasure of ScoresByCluster
        For each measure the mean of each run over clusters, with an interval over clusters, and how
        far scores vary within them.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> pairs = {t: str(int(t) // 2) for t in made.judgments.topics}
    >>> scores = evaluate_by_cluster(made.judgments, made.runs, "P@10", clusters=pairs)["P@10"]
    >>> scores.columns()["clusters"]
    [16, 16]
    """
    by = as_slices(clusters, None, what="clusters")
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    members = clusters_of(by, evidence.topics)
    unknown = Universe.of(universe, universe_depth)
    scored = score_all(evidence, several_measures(measures), bounds=bounds, universe=unknown)
    return ByMeasure.of(
        ScoresByCluster(
            table, members, provenance=table.provenance.with_options(clusters=len(members))
        )
        for table in scored.scores
    )


@recorded_by_itself
def compare_by_cluster(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    clusters: Clusters,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    resamples: int = 10_000,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> ByMeasure[DifferencesByCluster]:
    """Compare runs over clusters of topics: tests and resampling are by cluster.

    Parameters
    ----------
    clusters
        As for :func:`evaluate_by_cluster`.
    interval : str, optional
        Which interval to report; by default the one that belongs to the test.

    Returns
    -------
    ByMeasure of DifferencesByCluster
        For each measure the difference of each pair over clusters, its corrected p value, its range
        over judgments, and how far differences vary within clusters.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> pairs = {t: str(int(t) // 2) for t in made.judgments.topics}
    >>> differences = compare_by_cluster(made.judgments, made.runs, "P@10", clusters=pairs)["P@10"]
    >>> differences.comparisons.n.tolist()
    [16]
    """
    by = as_slices(clusters, None, what="clusters")
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    members = clusters_of(by, evidence.topics)
    unknown = Universe.of(universe, universe_depth)
    how: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction}
    how |= {"alternative": alternative, "alpha": alpha, "interval": interval}
    parts = []
    for measure in several_measures(measures):
        table = score(evidence, measure, bounds="none")
        tested = compare_scores(cluster_table(table, members), **how, resamples=resamples, rng=rng)
        ranges = judgment_ranges(evidence, table.measure, tested.pairs, universe=unknown)
        origin = tested.provenance.with_options(clusters=len(members))
        parts.append(DifferencesByCluster(tested, ranges, members, provenance=origin))
    return ByMeasure.of(parts)
