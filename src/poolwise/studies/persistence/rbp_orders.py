"""RBP at many persistences at once, and how alike it and another measure order systems."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import TOLERANCE, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._grades import Grades
from poolwise.findings.agreement._rank_correlation import CORRELATIONS, correlate, order_overlap
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted

__all__ = [
    "MATCHES",
    "PERSISTENCES",
    "best_persistence",
    "checked_persistences",
    "compare",
    "gain_of_code",
    "prepare",
    "rbp_scores",
    "rbp_weights",
]


PERSISTENCES = tuple(i / 1000 for i in range(500, 1000))
"""The persistences that U18 §3.4 tries: 0.500, 0.501, …, 0.999."""

MATCHES = CORRELATIONS | {"rbo": "rank-biased overlap, p = 0.9, of the two orders (U18 §2.4)"}


def prepare(
    evidence: Grades, measure: Measure | str, by: str, gain: str, persistences: Iterable[float]
) -> tuple[ScoreTable, RankBiasedPrecision, Floats]:
    """Return the measure's scores, RBP with its gains, and the persistences, ascending."""
    require_choice("by", by, MATCHES)
    wanted = parse_measure(measure)
    table = score(evidence, wanted, bounds="none")
    if len(table.systems) < 2 or not table.defined.any():
        raise OptionError(
            "evidence: a persistence is matched on the order of systems; got "
            f"{len(table.systems)} with {counted(int(table.defined.sum()), 'topic')} on which all "
            "have a score. Hint: give more runs, or judgments with relevant documents."
        )
    level = float(getattr(wanted, "rel", 1)) if gain == "binary" else 1.0
    tried = checked_persistences(persistences)
    return table, RankBiasedPrecision(p=tried[0], gain=gain, rel=level), tried


def checked_persistences(persistences: Iterable[float]) -> Floats:
    """Return persistences in ascending order, or say that they must lie between 0 and 1."""
    tried = np.unique(np.array([*persistences], np.float64))
    if not len(tried) or not 0 < tried[0] <= tried[-1] < 1:
        raise OptionError(
            f"persistences: all lie between 0 and 1; got {tried.tolist()}. Hint: give some, "
            "such as 0.5, 0.8 and 0.95."
        )
    return tried


def gain_of_code(rbp: RankBiasedPrecision, evidence: Grades) -> Floats:
    """Return the gain of each grade code; the unknowns, negative codes, have none."""
    return np.concatenate([rbp.gain_table(evidence.scale), np.zeros(3)])


def rbp_weights(depth: int, persistences: Floats) -> Floats:
    """Return RBP's weights, ranks × persistences."""
    return (1 - persistences) * persistences ** np.arange(depth)[:, None]


def rbp_scores(gains: Floats, weights: Floats) -> Floats:
    """Return RBP of each system at each persistence, persistences × systems.

    Few ranks hold gain. The sparse product adds them rank by rank, so that systems with the same
    gains get the same score to the last bit, and stay tied.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 -- late: scipy is slow to import

    return np.ascontiguousarray((csr_array(gains) @ weights).T)


def compare(reference: ArrayLike, scores: Floats, by: str) -> Floats:
    """Return how alike one order of systems is to each of many, by a key of ``MATCHES``."""
    if by == "rbo":
        return order_overlap(reference, scores, p=0.9)
    return correlate(reference, scores, method=by)


def best_persistence(persistences: Floats, correlations: Floats) -> float:
    """Return the smallest persistence with the greatest correlation; NaN if there is none."""
    if np.isnan(correlations).all():
        return float("nan")
    # Correlations that differ by rounding alone are equal, and the smallest persistence wins.
    reached = correlations >= np.nanmax(correlations) - TOLERANCE
    return float(persistences[reached][0])
