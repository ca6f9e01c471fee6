"""Scores that a relevance model expects, with ranges calibrated on groups that are left out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from poolwise.collection._groups import Groups
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence.unknowns._hashed_random import HashedRandom
from poolwise.evidence.unknowns.relevance_model._features import (
    PooledDocuments,
    PoolShape,
    find_pool,
    gather_documents,
    is_sampled,
)
from poolwise.evidence.unknowns.relevance_model._mixed_logistic import RIDGE
from poolwise.evidence.unknowns.relevance_model._relevance import (
    RelevanceModel,
    TopicGrades,
    draw_grades,
    fit_relevance,
)
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance, seed_option
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores.treatments._calibration import (
    ADAPTIVE,
    FEWEST_GROUPS,
    Calibration,
    LeftOutErrors,
    LeftOutGroup,
    calibrate,
    leave_groups_out,
    left_out_errors,
    too_few_groups,
)
from poolwise.scores.treatments._drawn_scores import (
    ScoreDistribution,
    require_drawable,
    score_draws,
)
from poolwise.scores.treatments._treatments import Labelled
from poolwise.words import counted

__all__ = ["FittedModel", "RelevanceModelTreatment", "complete_scores", "fit_model"]

Derived = TypeVar("Derived")

_ASSUMED = 100
"""The pool's depth where neither the judgments nor the measure's cut-off say anything of it."""
_MOST_KEPT = 1 << 26
"""Drawn grades, a byte or two each, that are kept for the next measure."""


@dataclass(frozen=True)
class RelevanceModelTreatment(Labelled):
    """Unjudged documents draw grades from a relevance model; the mean score is the estimate.

    The estimate is of the score that a run would have if its own documents had been judged to the
    depth of the pool; deeper unjudged ones count as not relevant. The range of a mean is
    calibrated: every pooled group, or 50 of them drawn by the seed, is left out in turn, and the
    range is as wide as its errors ask for. It never leaves the exact range.

    Parameters
    ----------
    depth : int, optional
        The depth of the pool; by default it is read off the judgments.
    pooled : tuple of str, optional
        The runs that were pooled; by default those that are judged to this depth on all topics.
    groups : Groups, optional
        Which runs come from one place; by default each is a group of its own.
    draws : int
        How many assignments of grades to draw.
    level : float
        The share of new groups whose means the ranges are to hold, and of their scores on single
        topics.
    adaptive : bool, optional
        Whether each judgment decided what was judged next, so that no range can be calibrated.
    ridge : float
        How strongly coefficients are pulled to 0: their prior precision.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=10, depth=30, rng=1)
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> table = RelevanceModelTreatment(draws=100).table(evidence, pw.parse_measure("P@5"), 1)
    >>> plain = pw.score(evidence, "P@5")
    >>> bool((plain.lower <= table.value).all() and (table.value <= plain.upper).all())
    True
    """

    name: ClassVar[str] = "model"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unjudged documents are as relevant as a model of the pool expects"

    depth: int | None = None
    pooled: tuple[str, ...] | None = None
    groups: Groups | None = None
    draws: int = 1000
    level: float = 0.95
    adaptive: bool | None = None
    ridge: float = RIDGE

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise OptionError(f"level: must lie between 0 and 1; got {self.level}. Hint: use 0.95.")
        if not self.ridge > 0:
            raise OptionError(f"ridge: must be above 0; got {self.ridge}. Hint: use {RIDGE:g}.")

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return mean scores over draws, with calibrated ranges, or else with the exact ones."""
        found = complete_scores(evidence, measure, self, rng=rng)
        exact, table = score(evidence, measure, bounds="exact"), self.drawn_table(found)
        calibrated = self.calibration(evidence, measure, HashedRandom.of(rng).seed)
        if isinstance(calibrated, str):
            # Draws that are not calibrated promise nothing: what is possible stands in their place.
            possible = replace(exact.over_judgments, meaning=(_uncalibrated(calibrated),))
            return replace(table, lower=exact.lower, upper=exact.upper, of_means=(possible,))
        lower, upper = calibrated.topics(found, exact)
        means = calibrated.means(found, exact)
        return replace(table, lower=lower, upper=upper, of_means=(means,))

    def calibration(self, evidence: Evidence, measure: Measure, rng: int) -> Calibration | str:
        """Return how wide ranges must be, or why that is not known."""
        if reason := self.not_to_calibrate(evidence):
            return reason
        fitted = fit_model(evidence, measure, self)
        errors = fitted.errors(measure, rng)
        if errors is None:
            return too_few_groups(len(fitted.pool.pooled_groups))
        found = calibrate(errors, self.level)
        return too_few_groups(found) if isinstance(found, int) else found

    def not_to_calibrate(self, evidence: Evidence) -> str:
        """Say why the judgments are not such that groups can be left out; nothing if they are."""
        if self.adaptive:
            return ADAPTIVE
        return _OF_A_SAMPLE if any(map(is_sampled, evidence.blocks)) else ""

    def drawn_table(self, found: ScoreDistribution) -> ScoreTable:
        """Return means over draws, from one tail of the draws to the other; nothing calibrated."""
        tail = (1 - self.level) / 2
        return replace(
            found.plain,
            value=found.mean(),
            lower=found.percentile(100 * tail),
            upper=found.percentile(100 * (1 - tail)),
            provenance=found.provenance,
        )


_OF_A_SAMPLE = "judgments that are a sample give no run whose scores are known, to calibrate by"


def _uncalibrated(reason: str) -> str:
    return (
        "The ranges beside the model's estimates are not calibrated, but all that is possible: "
        f"{reason}."
    )


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A relevance model of a collection, and what it says of groups that are left out.

    Attributes
    ----------
    documents : PooledDocuments
        All documents that are judged or asked about.
    model : RelevanceModel
        Fitted to all judgments.
    """

    documents: PooledDocuments
    model: RelevanceModel

    @property
    def pool(self) -> PoolShape:
        """How the judgments came about."""
        return self.documents.pool

    def left_out(self, rng: int) -> tuple[LeftOutGroup, ...]:
        """Return the model without each pooled group's own judgments; none with too few groups."""
        if len(self.pool.pooled_groups) < FEWEST_GROUPS:
            return ()
        key = ("left out", self.model, rng)
        return _once(
            self.documents.evidence,
            key,
            lambda: leave_groups_out(self.documents, self.model, rng=rng),
        )

    def errors(self, measure: Measure, rng: int) -> LeftOutErrors | None:
        """Return the errors on left-out groups; None with too few of them."""
        left_out = self.left_out(rng)
        return left_out_errors(self.documents, left_out, measure) if left_out else None


def fit_model(
    evidence: Evidence, measure: Measure, options: RelevanceModelTreatment
) -> FittedModel:
    """Fit the model, or return the one that was fitted for another measure."""
    pool = find_pool(
        evidence,
        depth=options.depth,
        pooled=options.pooled,
        groups=options.groups,
        otherwise=getattr(measure, "cutoff", None) or _ASSUMED,
    )
    key = ("relevance model", pool.depth, options.pooled, options.groups, options.ridge)
    return _once(evidence, key, lambda: _fit(evidence, pool, options.ridge))


def _fit(evidence: Evidence, pool: PoolShape, ridge: float) -> FittedModel:
    documents = gather_documents(evidence, pool)
    return FittedModel(documents, fit_relevance(documents, ridge=ridge))


def _once(evidence: Evidence, key: object, make: Callable[[], Derived]) -> Derived:
    """Make what measures share, or return what was made before."""
    if key not in evidence.memo:
        evidence.memo[key] = make()
    found: Derived = evidence.memo[key]
    return found


def complete_scores(
    evidence: Evidence,
    measure: Measure,
    options: RelevanceModelTreatment,
    *,
    rng: int | np.random.Generator,
    shared: bool = False,
) -> ScoreDistribution:
    """Score every run under grades that the model draws for the unjudged documents.

    With ``shared``, the documents of all runs are taken to be judged, as comparisons need; else
    those of the run itself.
    """
    require_drawable(measure)
    fitted = fit_model(evidence, measure, options)
    values = score_draws(
        evidence,
        measure,
        _drawn(evidence, fitted.model, HashedRandom.of(rng), options.draws),
        draws=options.draws,
        depth=fitted.pool.depth,
        shared=shared,
    )
    plain = score(evidence, measure, bounds="none")
    origin = _origin(plain.provenance, fitted.pool, options)
    return ScoreDistribution(
        plain, values, joint=True, provenance=origin.with_options(**seed_option(rng))
    )


def _drawn(
    evidence: Evidence, model: RelevanceModel, chance: HashedRandom, draws: int
) -> Iterable[TopicGrades]:
    """Draw grades, or return those that were drawn for another measure; many are not kept."""
    drawn = draw_grades(model, rng=chance, draws=draws)
    if len(model.documents) * draws > _MOST_KEPT:
        return drawn
    return _once(evidence, ("drawn grades", model, chance, draws), lambda: tuple(drawn))


def _origin(origin: Provenance, pool: PoolShape, options: RelevanceModelTreatment) -> Provenance:
    """Say what the model was told, and what it read off the judgments."""
    return origin.with_options(
        draws=options.draws,
        pool_depth=f"{pool.depth} ({pool.source})",
        pooled=f"{counted(int(pool.pooled.sum()), 'run')} of "
        f"{counted(len(pool.pooled_groups), 'group')}",
    )
