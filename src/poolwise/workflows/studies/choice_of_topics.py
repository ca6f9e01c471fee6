"""Which topics, and how many? Studies of the same systems on other topics."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from poolwise.collection.listed_topics import listed_topics
from poolwise.errors import OptionError
from poolwise.findings.distribution._score_heatmap import ItemTotals, item_total_correlations
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import standardize
from poolwise.studies.topics.comparability_study import ComparabilityStudy
from poolwise.studies.topics.half_splits import select_top
from poolwise.studies.topics.missed_differences import false_negatives
from poolwise.studies.topics.order_swaps import SwapRates, swap_rates
from poolwise.studies.topics.query_variants import VariantSwaps, variant_swaps
from poolwise.studies.topics.reference_systems import ReferenceStability, reference_stability
from poolwise.studies.topics.two_collections import repartition
from poolwise.workflows.inputs import Topics
from poolwise.workflows.studies.labelled_lines import read_labels

__all__ = [
    "study_comparability",
    "study_references",
    "study_swaps",
    "study_topics",
    "study_variants",
]

_USUAL_SIZES = (2, 3, 4, 5, 7, 10, 20, 40, 80)


def study_swaps(
    tables: Iterable[ScoreTable], *, top: float = 1.0, **options: Any
) -> ByMeasure[SwapRates]:
    """Say how often two systems change places on other topics, for each measure.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure.
    top : float
        Leave out systems that are not in this share of the best under any measure.
    options
        Those of :func:`~poolwise.studies.swap_rates`.

    Returns
    -------
    ByMeasure of SwapRates
        Comparisons and swaps by size of the difference, for each measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> found = study_swaps(tables, rng=1, draws=50)
    >>> found["AP"].topics, found["AP"].draws
    (10, 50)
    """
    return ByMeasure.of([swap_rates(table, **options) for table in select_top(tables, top)])


def study_variants(
    tables: Iterable[ScoreTable], *, variants: str | Path | None = None, **options: Any
) -> ByMeasure[VariantSwaps]:
    """Say how often sets of queries for the same topics put two systems in opposite orders.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores, one table per measure, one column per query.
    variants : str or Path, optional
        A file with query, topic and set on each line; without it, the ids of queries tell both.
    options
        Those of :func:`~poolwise.studies.variant_swaps`.

    Returns
    -------
    ByMeasure of VariantSwaps
        The decisions of all sets about every pair, for each measure.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.2], [0.4, 0.5]], systems="ab", topics=["1-short", "1-long"], measure="AP")
    >>> study_variants([table])["AP"].error_rate
    0.5
    """
    known = None
    if variants is not None:
        known = read_labels(variants, "query, topic and set", example="401b 401 long")
    return ByMeasure.of([variant_swaps(table, known, **options) for table in tables])


def study_comparability(
    tables: Iterable[ScoreTable],
    *,
    second: Topics = (),
    missed: bool = False,
    partitions: int = 1000,
    alpha: float = 0.05,
    rng: int = 1,
) -> ComparabilityStudy:
    """Compare the scores of the same systems on two sets of topics, raw and standardized.

    Parameters
    ----------
    tables
        Scores, one table per measure.
    second
        Topics that make up the second collection, or a file with one in each line; by default
        topics are split at random.
    missed
        Also count how often a difference that is surely there is missed.
    partitions, alpha, rng
        How many random partitions, at which significance level, and the seed.

    Returns
    -------
    ComparabilityStudy
        κ and the share of false positives by measure, raw and standardized.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> found = study_comparability(tables, partitions=50)
    >>> found.columns()["measure"]
    ['AP', 'sAP']
    """
    forms = [(table, standardize(table)) for table in tables]
    topics = listed_topics(second)
    found = [
        repartition(*_split(table, topics), rng=rng, partitions=partitions, alpha=alpha)
        for pair in forms
        for table in pair
    ]
    rates = [false_negatives(pair, rng=rng, alpha=alpha) for pair in forms if missed]
    return ComparabilityStudy.of(found, rates)


def _split(table: ScoreTable, second: Sequence[str]) -> tuple[ScoreTable, ScoreTable | None]:
    if not second:
        return table, None
    first = [topic for topic in table.topics if topic not in second]
    return table.select(topics=first), table.select(topics=second)


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
