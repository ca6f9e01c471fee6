"""Which measure? Studies of how measures order systems, separate them, and weigh ranks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.findings.agreement._discrimination import DiscriminationStudy, discriminate_all
from poolwise.findings.agreement._system_orders import MeasureOrders, measure_orders
from poolwise.findings.distribution._rank_curves import (
    WEIGHED,
    RankWeighting,
    RecallPrecision,
    rank_weights,
    recall_precision,
)
from poolwise.measures._measure import Measure
from poolwise.results._finding import Finding
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores._score_table import ScoreTable
from poolwise.studies.depth.discriminating_pools import PoolDiscrimination, discriminate_pools
from poolwise.studies.persistence.match import match_persistence
from poolwise.studies.persistence.persistence_study import PersistenceStudy
from poolwise.studies.persistence.topic_matches import match_persistence_by_topic
from poolwise.studies.topics.half_splits import Predictivity, predictivity, select_top
from poolwise.workflows.inputs import Topics, as_collection, as_evidence

__all__ = [
    "PERSISTENCE_ROWS",
    "study_curves",
    "study_discrimination",
    "study_discrimination_of_pools",
    "study_orders",
    "study_persistence",
    "study_predictivity",
    "study_weights",
]

PERSISTENCE_ROWS = {
    "measures": "the match of each measure",
    "topics": "the match of each measure on each topic",
    "persistences": "every persistence that was tried",
}
"""What the rows of a study of persistence are."""


def study_orders(tables: Iterable[ScoreTable], **options: Any) -> MeasureOrders:
    """Say which measure orders systems most like the first one.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores by the reference first, then by the measures to compare with it.
    options
        As for :func:`~poolwise.findings.measure_orders`.

    Returns
    -------
    MeasureOrders
        The correlation of each order with that of the reference, and which are clearly behind.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(1).random((5, 8))
    >>> names = {"systems": "abcde", "topics": "12345678"}
    >>> tables = [ScoreTable.from_matrix(values**power, measure=measure, **names)
    ...           for power, measure in ((1, "AP"), (3, "P@10"))]
    >>> found = study_orders(tables, resamples=100)
    >>> str(found.correlations[0].first), str(found.correlations[0].second)
    ('AP', 'P@10')
    """
    return measure_orders(list(tables), **options)


def study_discrimination(tables: Iterable[ScoreTable], **options: Any) -> DiscriminationStudy:
    """Count the pairs of systems that each measure finds significantly different.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure; the first is the reference.
    options
        Those of :func:`~poolwise.findings.discriminate_all`.

    Returns
    -------
    DiscriminationStudy
        The share of pairs that each measure separates, and how far it agrees with the first.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP", "RR"])
    >>> by_ap, by_rr = study_discrimination(tables).columns()["power"]
    >>> by_ap > by_rr
    True
    """
    return discriminate_all(list(tables), **options)


def study_discrimination_of_pools(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reference: Any = None,
    reading: Reading = Reading(),
    **options: Any,
) -> PoolDiscrimination:
    """Test all pairs of systems on several pools, and compare each pool with the last one.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reference
        Other judgments to compare with; by default the deepest of the pools.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.discriminate_pools`.

    Returns
    -------
    PoolDiscrimination
        Which pairs each pool finds different, by measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=50, rng=3)
    >>> found = study_discrimination_of_pools(made.truth, made.runs, ["AP"], pool_depths=[5, 50])
    >>> found.pools
    ('depth 5', 'depth 50')
    """
    other = None if reference is None else reading.judgments(reference)
    both = as_collection(judgments, runs, reading=reading)
    return discriminate_pools(*both, measures, reference=other, **options)


def study_predictivity(
    tables: Iterable[ScoreTable], *, top: float = 1.0, **options: Any
) -> Predictivity:
    """Say how well measures predict the order of systems on other topics.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure.
    top : float
        Leave out systems that are not in this share of the best under any measure.
    options
        Those of :func:`~poolwise.studies.predictivity`.

    Returns
    -------
    Predictivity
        Kendall's τ between halves of the topics, of every measure with every measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP", "RR"])
    >>> found = study_predictivity(tables, top=0.75, rng=1, partitions=50)
    >>> found.measures, found.systems < 10
    ((AP, RR), True)
    """
    return predictivity(select_top(tables, top), **options)


def study_persistence(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    rows: str = "measures",
    topics: Topics = "judged",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
    **options: Any,
) -> Finding:
    """Find the RBP that orders runs as each measure does; ``rows`` as in ``PERSISTENCE_ROWS``.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    rows : {"measures", "topics", "persistences"}
        What the rows of the result are.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    workers : int, optional
        How many processes share the topics.
    progress
        Called with the number of topics done, and of all.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.match_persistence`.

    Returns
    -------
    Finding
        The best persistence of each measure, also by topic, or all that were tried.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> tried = [0.5, 0.8, 0.95]
    >>> found = study_persistence(made.judgments, made.runs, ["RR", "AP"], persistences=tried)
    >>> found.columns()["p"]
    [0.5, 0.8]
    """
    evidence = as_evidence(judgments, runs, topics=topics, reading=reading)
    wanted = list(measures)
    matches = [match_persistence(evidence, measure, **options) for measure in wanted]
    if rows == "persistences":
        return ByMeasure.of(matches)
    by_topic = [
        match_persistence_by_topic(evidence, measure, **options, workers=workers, progress=progress)
        for measure in wanted
    ]
    return ByMeasure.of(by_topic) if rows == "topics" else PersistenceStudy.of(matches, by_topic)


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


def study_curves(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: Reading = Reading(),
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
    reading : Reading
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
    evidence = as_evidence(judgments, runs, topics=topics, reading=reading)
    return recall_precision(evidence, **options)
