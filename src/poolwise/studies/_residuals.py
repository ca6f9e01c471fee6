"""The residual of RBP by its persistence, and the persistence that leaves a residual."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Floats, spread
from poolwise.errors import OptionError
from poolwise.evidence._grades import Grades
from poolwise.findings._checklist import USUAL_PERSISTENCE
from poolwise.measures._derived import External, Residual
from poolwise.measures._measure import Measure
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.studies._persistence import (
    PersistenceMatch,
    checked_persistences,
    match_persistence,
)
from poolwise.words import counted

__all__ = [
    "FEWEST_MATCHED",
    "RESIDUALS",
    "ChosenResidual",
    "RBPUncertainty",
    "choose_residual",
    "matched_residual",
    "rbp_uncertainty",
]

RESIDUALS = {"matched": "the residual of the RBP that orders the runs most like the measure"}
"""Residuals for measures that have none of their own (U18 §3.3); a persistence is one, too."""

FEWEST_MATCHED = 16
"""Runs below which a persistence is not matched: too many order so few runs alike."""


class ChosenResidual(NamedTuple):
    """The RBP whose residual stands beside a measure, and why it is this one.

    Attributes
    ----------
    rbp : RankBiasedPrecision
        The measure.
    remarks : tuple of str
        Why it was taken; empty where it was asked for.

    Examples
    --------
    >>> ChosenResidual(RankBiasedPrecision(p=0.9), ()).rbp
    RBP(p=0.9)
    """

    rbp: RankBiasedPrecision
    remarks: tuple[str, ...]


@recorded
def choose_residual(
    evidence: Grades, measure: Measure, residual: str | float = USUAL_PERSISTENCE
) -> ChosenResidual:
    """Choose the RBP that lends a measure its residual: by its persistence, or by matching.

    Below 16 runs no persistence is matched, since too many order the runs alike: it is that of
    U18 §4, 0.98.

    Parameters
    ----------
    measure : Measure
        The measure that has no residual of its own.
    residual : str or float
        A persistence, or ``"matched"``.

    Returns
    -------
    ChosenResidual
        The RBP, and why it was taken.

    Examples
    --------
    >>> from poolwise import AP, Evidence
    >>> evidence = Evidence.from_grades([[1, 0, None], [0, 1, None]])
    >>> choose_residual(evidence, AP, "0.9").rbp
    RBP(p=0.9)
    >>> print(*choose_residual(evidence, AP, "matched").remarks)
    With 2 runs no RBP can be matched with AP, since persistences from 0.5 to 0.999 order them
    equally well: RBP(p=0.98) is taken, as U18 §4 recommends.
    """
    level = float(getattr(measure, "rel", 1.0))
    if residual != "matched":
        return ChosenResidual(RankBiasedPrecision(p=_persistence(residual), rel=level), ())
    usual = RankBiasedPrecision(p=USUAL_PERSISTENCE, rel=level)
    runs = len(evidence.systems)
    if runs < 2:
        why = f"One run has no order that RBP could be matched with: {usual} is taken"
        return ChosenResidual(usual, (f"{why}, as U18 §4 recommends.",))
    match = match_persistence(evidence, measure)
    if runs >= FEWEST_MATCHED and match.p > 0:
        return ChosenResidual(match.rbp, match.sentences())
    low, high = match.tied
    alike = (
        f"persistences from {low:g} to {high:g} order them equally well"
        if low < high
        else "so few order themselves alike by many"
    )
    why = f"With {counted(runs, 'run')} no RBP can be matched with {measure}, since {alike}"
    return ChosenResidual(usual, (f"{why}: {usual} is taken, as U18 §4 recommends.",))


def _persistence(residual: str | float) -> float:
    """Read a persistence, or say what may stand there."""
    try:
        p = float(residual)
    except ValueError:
        p = float("nan")
    if not 0 < p < 1:
        raise OptionError(
            f"residual: must be 'matched', or a persistence between 0 and 1; got {residual!r}. "
            "Hint: use 0.98."
        )
    return p


@recorded
def matched_residual(evidence: Grades, match: PersistenceMatch) -> ScoreTable:
    """Return RBP's residual, at the persistence that matches a measure, per system and topic.

    It is the third uncertainty of a measure that has no residual of its own, beside its bounds
    and its interval over topics. Topics on which the measure is undefined have none, and so have
    all if no persistence matches.

    Parameters
    ----------
    match : PersistenceMatch
        The persistence that matches the measure on the same evidence.

    Returns
    -------
    ScoreTable
        The weight of what is unjudged or past the end of the list, by system and topic.

    Examples
    --------
    >>> from poolwise.studies import match_persistence
    >>> evidence = Grades.from_grades([[1, 0, None], [0, 1, None], [0, 0, 1]])
    >>> match = match_persistence(evidence, "AP")
    >>> match.p, matched_residual(evidence, match).value.round(3).tolist()
    (0.5, [[0.25], [0.25], [0.125]])
    """
    return residual_beside(evidence, match.measure, match.rbp if match.p > 0 else None)


def residual_beside(
    evidence: Grades, measure: Measure, rbp: RankBiasedPrecision | None
) -> ScoreTable:
    """Return the residual of an RBP where the measure has a score; of none, no numbers."""
    value = np.full((len(evidence.systems), len(evidence.topics)), np.nan)
    if rbp is not None:
        # It stands beside the measure's scores, and is undefined where they are.
        defined = score(evidence, measure, bounds="none").defined
        value[:, defined] = rbp.residual(evidence)[:, defined]
    return ScoreTable.from_matrix(
        value,
        systems=evidence.systems,
        topics=evidence.topics,
        measure=External(label="no residual") if rbp is None else Residual(of=rbp),
    )


DRAWN_PERSISTENCES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
"""Those of U18 fig. 1: a user expects to look at 2, 5, 10, 20, 50, 100 and 200 documents."""
_SHOWN = {
    "p": Column("p", 3),
    "expected_depth": Column("expected depth", 0),
    "score_mean": Column("mean RBP", 4),
    "residual_mean": Column("mean residual", 4),
    "score_median": Column("median RBP", 4),
    "residual_median": Column("median residual", 4),
}


@finding
class RBPUncertainty(Finding):
    """How large RBP and its residual are, over all runs and topics, by persistence (U18 fig. 1).

    Attributes
    ----------
    persistences : float array
        The p that were tried, ascending.
    scores, residuals : float array, persistences × systems × topics
        RBP with unjudged documents as not relevant, and the weight of what is not known.

    Examples
    --------
    >>> evidence = Grades.from_grades([[1, None]])
    >>> uncertainty = rbp_uncertainty(evidence, [0.5])
    >>> uncertainty.scores.tolist(), uncertainty.residuals.tolist()
    ([[[0.5]]], [[[0.5]]])
    """

    persistences: Floats
    scores: Floats
    residuals: Floats

    @property
    def expected_depths(self) -> Floats:
        """How many documents a user of each p expects to look at: 1 / (1 − p)."""
        return 1 / (1 - self.persistences)

    @property
    def crossing(self) -> float:
        """The smallest p whose mean residual is larger than its mean score; NaN without any."""
        larger = self.residuals.mean(axis=(1, 2)) > self.scores.mean(axis=(1, 2))
        return float(self.persistences[larger][0]) if larger.any() else float("nan")

    def spread(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Return five numbers over runs and topics, of the scores and of the residuals."""
        rows = len(self.persistences)
        scores, residuals = (part.reshape(rows, -1) for part in (self.scores, self.residuals))
        return spread(scores), spread(residuals)

    def columns(self) -> Columns:
        """Return one row per persistence: mean and five numbers of scores and of residuals."""
        columns: Columns = {
            "p": self.persistences.tolist(),
            "expected_depth": self.expected_depths.tolist(),
        }
        both = {"score": self.scores, "residual": self.residuals}
        for (name, values), numbers in zip(both.items(), self.spread(), strict=True):
            columns[f"{name}_mean"] = values.mean(axis=(1, 2)).tolist()
            columns |= {f"{name}_{number}": cells.tolist() for number, cells in numbers.items()}
        return columns

    def sentences(self) -> tuple[str, ...]:
        """Say from which persistence on more is unknown than known."""
        if np.isnan(self.crossing):
            said = "At every p that was tried, the mean residual of RBP is below its mean score."
        else:
            said = (
                f"Of the p that were tried, {self.crossing:g} is the smallest whose mean residual "
                "is larger than its mean score; there a user expects to look at "
                f"{1 / (1 - self.crossing):,.0f} documents."
            )
        return (said,)

    def tables(self) -> tuple[Table, ...]:
        """Return means and medians."""
        return (chosen_table(self.columns(), _SHOWN),)


@recorded
def rbp_uncertainty(
    evidence: Grades,
    persistences: Iterable[float] = DRAWN_PERSISTENCES,
    *,
    gain: str = "binary",
    rel: float = 1,
) -> RBPUncertainty:
    """Show how large RBP and its residual are over all runs and topics, by persistence.

    The residual is the weight of the unjudged documents. The deeper a user looks, the larger it
    is, and the smaller is the score; a plot shows both.

    Parameters
    ----------
    persistences : iterable of float
        Score by RBP with these persistences, separated by commas.
    gain : {"binary", "linear", "exponential"}
        Map grades to the gains of RBP in this way.
    rel : float
        Smallest grade of a relevant document, for the binary gain.

    Returns
    -------
    RBPUncertainty
        The scores and residuals of all runs on all topics.

    Examples
    --------
    >>> evidence = Grades.from_grades([[1, 0, None, None], [0, 1, None, None]])
    >>> uncertainty = rbp_uncertainty(evidence, [0.5, 0.9])
    >>> uncertainty.residuals.mean(axis=(1, 2)).round(2).tolist(), uncertainty.crossing
    ([0.25, 0.81], 0.9)
    """
    tried = checked_persistences(persistences)
    measures = [RankBiasedPrecision(p=p, gain=gain, rel=rel) for p in tried.tolist()]
    return RBPUncertainty(
        tried,
        np.array([measure.score(evidence) for measure in measures]),
        np.array([measure.residual(evidence) for measure in measures]),
        provenance=evidence.provenance.with_options(
            persistences=tuple(tried.tolist()), gain=gain, rel=rel
        ),
    )
