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
from poolwise.scores.treatments.score_distribution import bootstrap
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
    """Show precision at levels of recall."""
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
    """Show how often drawn grades of unjudged documents give each score of a run on a topic."""
    evidence = as_evidence(judgments, runs, **(reading or {}))
    return bootstrap(evidence, measure, **options).at(run, topic)


def study_weights(measures: Sequence[str] = (), **options: Any) -> RankWeighting:
    """Show what each rank weighs; without measures, in RBP and DCG."""
    return rank_weights(measures or WEIGHED, **options)


def study_topics(table: ScoreTable) -> ItemTotals:
    """Say how each topic orders systems beside all the others."""
    return item_total_correlations(table)


def study_intensity(table: ScoreTable) -> ScoreIntensity:
    """Show scores by shades, raw and standardized."""
    return score_intensity(table)


def study_densities(table: ScoreTable, of: str = "scores", **options: Any) -> ScoreDensities:
    """Estimate densities of scores."""
    return score_densities(table, of, **options)


def study_histogram(table: ScoreTable, run: str | None = None, **options: Any) -> ScoreHistogram:
    """Count scores in bins."""
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
    table
        Scores of the reference systems and of those to order.
    references
        Names of the reference systems; by default all systems are both.
    sizes
        How many of them to draw; by default a row of sizes below their number.

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
