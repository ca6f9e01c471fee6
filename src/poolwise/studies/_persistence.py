"""The persistence of RBP that orders systems as another measure does (U18 §3.3)."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import TOLERANCE, Booleans, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._grades import Grades
from poolwise.findings.agreement._rank_correlation import CORRELATIONS, correlate, order_overlap
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted

__all__ = ["MATCHES", "PERSISTENCES", "PersistenceMatch", "match_persistence"]

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
    # Only binary gains have a level: RBP takes the measure's, so that the same documents are
    # relevant.
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
    # Codes −1 to −3 index the array from its end.
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


@finding
class PersistenceMatch(Finding):
    """How alike RBP and another measure order the systems, persistence by persistence.

    Attributes
    ----------
    measure : Measure
        The measure that RBP is matched with.
    by : str
        How orders are compared: a key of ``MATCHES``.
    systems, topics : int
        Systems ordered, and topics on which every one of them has a score.
    gain, rel
        The gain of RBP, and the grade from which on a document is relevant.
    persistences, correlations : float array
        Each persistence tried, and how alike the orders by mean score are.
    residuals : float array
        Mean residual of RBP over systems and topics, at each persistence (U18 fig. 2).

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> matched = match_persistence(pw.align(made.judgments, made.runs), "P@10")
    >>> print(matched)
    P@10 orders 20 systems most like RBP(p=0.773) (as well as others up to p=0.983), with a tau_b of
    0.907 over 30 topics; the mean residual of that RBP is 0.034.
    <BLANKLINE>
    RBP that orders 20 systems most alike, over 30 topics
    <BLANKLINE>
    measure      p  tau_b  expected depth  residual
    P@10     0.773  0.907             4.4     0.034
    """

    measure: Measure
    by: str
    systems: int
    topics: int
    gain: str
    rel: float
    persistences: Floats
    correlations: Floats
    residuals: Floats

    @property
    def p(self) -> float:
        """The best persistence, the smallest of equals; NaN if no order can be compared."""
        return float(best_persistence(self.persistences, self.correlations))

    @property
    def tied(self) -> tuple[float, float]:
        """The smallest and the largest persistence that order systems as well as the best one."""
        if np.isnan(self.correlations).all():
            return float("nan"), float("nan")
        best = self.persistences[self.correlations >= np.nanmax(self.correlations) - TOLERANCE]
        return float(best[0]), float(best[-1])

    @property
    def correlation(self) -> float:
        """How alike the orders are at the best persistence."""
        return self._at_best(self.correlations)

    @property
    def residual(self) -> float:
        """Mean residual of RBP at the best persistence: the matched residual."""
        return self._at_best(self.residuals)

    @property
    def expected_depth(self) -> float:
        """How many documents a reader of the best persistence looks at: 1/(1 − p)."""
        return 1 / (1 - self.p)

    @property
    def rbp(self) -> RankBiasedPrecision:
        """RBP at the best persistence."""
        return RankBiasedPrecision(p=self.p, gain=self.gain, rel=self.rel)

    def _at_best(self, values: Floats) -> float:
        return float(values[self.persistences == self.p][0]) if self.p > 0 else float("nan")

    def summary(self) -> Columns:
        """Return one row: the best persistence and what comes with it."""
        return {
            "measure": [str(self.measure)],
            "by": [self.by],
            "p": [self.p],
            "correlation": [self.correlation],
            "expected_depth": [self.expected_depth],
            "residual": [self.residual],
        }

    def columns(self) -> Columns:
        """Return one row per persistence tried."""
        return {
            "measure": [str(self.measure)] * len(self.persistences),
            "by": [self.by] * len(self.persistences),
            "p": self.persistences.tolist(),
            "correlation": self.correlations.tolist(),
            "residual": self.residuals.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which RBP is most like the measure, and what residual it lends."""
        systems, topics = counted(self.systems, "system"), counted(self.topics, "topic")
        if np.isnan(self.p):
            return (f"No RBP orders {systems} like {self.measure}, which ties them all.",)
        low, high = self.tied
        equal = f" (as well as others up to p={high:g})" if high > low else ""
        match = (
            f"{self.measure} orders {systems} most like RBP(p={self.p:g}){equal}, with a {self.by} "
            f"of {self.correlation:.3f} over {topics}; the mean residual of that RBP is "
            f"{self.residual:.3f}."
        )
        return (match,)

    def tables(self) -> tuple[Table, ...]:
        """Return the best persistence and what comes with it."""
        return (table_of_matches(self.summary(), self.systems, self.topics),)


@recorded
def match_persistence(
    evidence: Grades,
    measure: Measure | str,
    *,
    by: str = "tau_b",
    gain: str = "binary",
    persistences: Iterable[float] = PERSISTENCES,
) -> PersistenceMatch:
    """Find the persistence at which RBP orders the systems as the measure does (U18 §3.3).

    Parameters
    ----------
    measure
        A measure or its name. Documents are relevant from its own level on (``rel``).
    by
        How the orders by mean score are compared: a key of ``MATCHES``.
    gain
        Gain of RBP: binary, linear or exponential.
    persistences
        What to try.

    Returns
    -------
    PersistenceMatch
        The best persistence, and how well each that was tried agrees with the measure.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=20, topics=30, depth=100, rng=3)
    >>> evidence = align(made.judgments, made.runs)
    >>> [match_persistence(evidence, name).p for name in ("RR", "P@10", "AP")]
    [0.5, 0.773, 0.976]
    """
    table, rbp, tried = prepare(evidence, measure, by, gain, persistences)
    used, topics = table.defined, int(table.defined.sum())
    # RBP is linear in the gains: their sums over topics serve all persistences.
    gains = _by_rank(evidence, used, gain_of_code(rbp, evidence)) / topics
    # What is not judged, past the end of lists too, is open: the residual is what is left of 1.
    judged = _by_rank(evidence, used, _judged_of_code(evidence)).mean(axis=0) / topics
    weights = rbp_weights(evidence.depth, tried)
    return PersistenceMatch(
        measure=table.measure,
        by=by,
        systems=len(table.systems),
        topics=topics,
        gain=gain,
        rel=rbp.rel,
        persistences=tried,
        # Means that differ by rounding alone are tied.
        correlations=compare(table.means().round(12), rbp_scores(gains, weights), by),
        residuals=1 - judged @ weights,
        provenance=evidence.provenance.with_options(by=by, gain=gain, persistences=len(tried)),
    )


def table_of_matches(summary: Columns, systems: int, topics: int) -> Table:
    """Return one row per measure, from the columns of :meth:`PersistenceMatch.summary`."""
    shown = {
        "measure": Column("measure"),
        "p": Column("p", digits=3),
        "correlation": Column(summary["by"][0], digits=3),
        "expected_depth": Column("expected depth", digits=1),
        "residual": Column("residual", digits=3),
    }
    size = f"{counted(systems, 'system')} most alike, over {counted(topics, 'topic')}"
    return chosen_table(summary, shown, title=f"RBP that orders {size}")


def _judged_of_code(evidence: Grades) -> Floats:
    return np.concatenate([np.ones(len(evidence.scale)), np.zeros(3)])


def _by_rank(grades: Grades, topics: Booleans, of_code: Floats) -> Floats:
    """Sum a value of codes, which is 0 past the end of a list, over topics: systems × ranks."""
    total = np.zeros((len(grades.systems), grades.depth))
    for here, block in zip(grades.slices, grades.blocks, strict=True):
        for t in np.flatnonzero(topics[here]):
            total[:, : block.depth] += of_code[block.codes[:, t]]
    return total
