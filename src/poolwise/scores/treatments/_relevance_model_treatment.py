"""Scores that a relevance model expects, with ranges calibrated on groups that are left out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from poolwise.arrays import Booleans
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import HashedRandom
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._first_ranks import first_ranks
from poolwise.evidence._labelled_rows import FEWEST_BOTH, require_one_machine
from poolwise.evidence._pool_shape import PoolShape, find_pool, is_sampled
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import (
    ModelledDocuments,
    PooledDocuments,
    Units,
    document_codes,
    gather_documents,
    units_text,
    with_units,
)
from poolwise.evidence.unknowns.relevance_model._mixed_logistic import RIDGE
from poolwise.evidence.unknowns.relevance_model._relevance import (
    RelevanceModel,
    TopicGrades,
    draw_grades,
    fit_relevance,
)
from poolwise.evidence.unknowns.relevance_model._summed_documents import meet_documents
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import unknown
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.treatments._calibration import (
    ADAPTIVE,
    Calibration,
    DifferenceCalibration,
    DifferenceErrors,
    LeftOutErrors,
    LeftOutUnit,
    calibrate,
    calibrate_differences,
    errors_at_once,
    leave_units_out,
    left_out_differences,
    left_out_errors,
)
from poolwise.scores.treatments._drawn_scores import (
    DrawnMoments,
    ScoreDistribution,
    below_reach,
    bootstrap,
    drawn_reach,
    require_drawable,
    score_draws,
)
from poolwise.scores.treatments._treatments import Labelled, below_pool
from poolwise.words import counted, named

__all__ = [
    "HALFWAY",
    "TARGETS",
    "WITH_LABELS",
    "FittedModel",
    "RelevanceModelTreatment",
    "complete_scores",
    "fit_model",
]

Derived = TypeVar("Derived")

TARGETS = {
    "own": "if this run's {}documents were judged",
    "all": "if all given runs' {}documents were judged",
}
"""Whose documents are taken to be judged, down to the measure's cut-off, and how many at most."""

WITH_LABELS = "model with labels"
"""What the estimate is called where a machine's grades are a feature of the model."""
HALFWAY = "halfway to the bootstrap"
_HALFWAY_TO_MODEL = "halfway to the model"
"""What the estimate is called where there are too few kinds of pooled runs for the model."""
_MOST_KEPT = 1 << 26
"""Drawn grades, a byte or two each, that are kept for the next measure."""


@dataclass(frozen=True)
class RelevanceModelTreatment(Labelled):
    """Unjudged documents draw grades from a relevance model; the mean score is the estimate.

    It is of the score that a run would have if its own documents had been judged, down to the
    measure's cut-off (``target="own"``), or if those of all given runs had (``"all"``). The range
    of a mean is calibrated: pooled runs are left out in turn, and the range is as wide as the
    errors ask for. It never leaves the exact range.

    With fewer than five kinds of pooled runs no range can be calibrated, and the exact one stands
    there. If there are fewer than ten kinds of runs at all, the model has too little to learn from:
    the estimate is then halfway from the plain score to B23's bootstrap, since a run's unjudged
    documents are about half as good as its judged ones.

    Parameters
    ----------
    depth : int, optional
        The depth of the pool; by default it is read off the judgments.
    pooled : tuple of str, optional
        The runs that were pooled; by default those of which 95% is judged to this depth.
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
    target : {"own", "all"}
        Whose documents are taken to be judged. For ``"all"`` as many units are left out at once
        as are new among the runs; it has no range where that leaves too few.
    card : CollectionCard, optional
        What is known of the runs that made the pool, where these are not at hand; in place of
        ``depth`` and ``pooled``.
    labels : Labels, optional
        Labels by one machine. Whether its grade reaches each level is a feature of the model, and
        what that means is learned from documents that people judged too. Labels enter no exact
        range.

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
    target: str = "own"
    card: CollectionCard | None = None
    labels: Labels | None = None

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise OptionError(f"level: must lie between 0 and 1; got {self.level}. Hint: use 0.95.")
        if not self.ridge > 0:
            raise OptionError(f"ridge: must be above 0; got {self.ridge}. Hint: use {RIDGE:g}.")
        require_choice("target", self.target, TARGETS)
        if self.card and not (self.depth is None and self.pooled is None):
            raise OptionError(
                "card: it says how deep the pool is, and which runs formed it. Hint: leave "
                "--pool-depth and --pooled out."
            )
        if self.card and self.labels is not None:
            raise OptionError(
                "card: a card has no labels of its documents by a machine. Hint: leave --labels "
                "out, or give the runs that made the pool."
            )
        if self.labels is not None:
            require_one_machine(self.labels)

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return mean scores over draws, with calibrated ranges, or else with the exact ones."""
        require_drawable(measure)
        fitted = fit_model(evidence, measure, self)
        chance = HashedRandom.of(rng)
        exact = score(evidence, measure, bounds="exact")
        if not fitted.units.is_modelled:
            return self._halfway(fitted, measure, chance, exact)
        drawn = self._moments(evidence, measure, chance)
        table = replace(drawn.plain, value=drawn.mean, provenance=drawn.provenance)
        calibrated = self.calibration(evidence, measure, chance.seed)
        if isinstance(calibrated, str):
            if self._shared:
                return _without_range(table, fitted, calibrated)
            return _possible(table, exact, fitted, NOT_CALIBRATED_RANGES.format(calibrated))
        # What draws do not fill is in no range of theirs: it counts as not relevant, and is said.
        unjudged = count_ungraded(measure.cut(evidence).truncate(drawn_reach(measure)))
        lower, upper = calibrated.topics(drawn, exact, unjudged)
        means = calibrated.means(drawn, exact, unjudged)
        said = replace(means, meaning=(*means.meaning, *_about(fitted, measure)))
        made = replace(table, lower=lower, upper=upper, of_means=(said,))
        if self.labels is None:
            return made
        return _possible_without_labels(made, exact, fitted.pooled, drawn_reach(measure))

    def _halfway(
        self, fitted: "FittedModel", measure: Measure, chance: HashedRandom, exact: ScoreTable
    ) -> ScoreTable:
        """Return plain scores plus half of what a treatment adds that is too generous."""
        if self.labels is not None:
            unused = (_NOT_USED.format(self.labels.authors[0].described),)
            return replace(self, labels=None)._halfway(  # noqa: SLF001 -- of the same class
                replace(fitted, about_labels=unused), measure, chance, exact
            )
        evidence = fitted.documents.evidence
        deep = below_pool(evidence, measure, self.depth)
        # Below the pool the bootstrap hands a run the relevant documents that it missed.
        if deep or self._shared:
            drawn, name = self._moments(evidence, measure, chance), _HALFWAY_TO_MODEL
            plain, mean = drawn.plain, drawn.mean
        else:
            found = bootstrap(evidence, measure, rng=chance.seed, draws=self.draws)
            plain, mean, name = found.plain, found.mean(), HALFWAY
        table = replace(
            plain,
            value=plain.value + (mean - plain.value) / 2,
            provenance=_origin(plain, fitted, self).with_options(estimate=name),
        )
        if self._shared:
            return _without_range(table, fitted, fitted.units.too_few)
        return _possible(table, exact, fitted, _FEW.format(fitted.units.too_few, name))

    def _moments(self, evidence: Evidence, measure: Measure, chance: HashedRandom) -> DrawnMoments:
        """Return what the draws say of every score, without the draws."""
        fitted, plain = fit_model(evidence, measure, self), score(evidence, measure, bounds="none")
        return DrawnMoments.of(
            evidence,
            plain,
            _drawn(evidence, fitted.model, chance, self.draws, drawn_reach(measure)),
            draws=self.draws,
            shared=self._shared,
            provenance=_origin(plain, fitted, self),
        )

    @property
    def _shared(self) -> bool:
        """Whether the documents of all given runs are taken to be judged."""
        return self.target == "all"

    def is_modelled(self, evidence: Evidence, measure: Measure) -> bool:
        """Tell whether the model is the estimate: there are enough kinds of runs."""
        return fit_model(evidence, measure, self).units.is_modelled

    def calibration(self, evidence: Evidence, measure: Measure, rng: int) -> Calibration | str:
        """Return how wide ranges must be, or why that is not known."""
        if reason := self.not_to_calibrate(evidence):
            return reason
        fitted = fit_model(evidence, measure, self)
        at_once = fitted.new_units(measure) if self._shared else 0
        errors = fitted.errors(measure, rng, at_once=at_once)
        if isinstance(errors, str):
            return errors
        return calibrate(errors, self.level, fitted.units.what, at_once=at_once)

    def difference_calibration(
        self, evidence: Evidence, measure: Measure, rng: int
    ) -> DifferenceCalibration | str:
        """Return by how much draws of differences are spread out, or why that is not known."""
        if reason := self.not_to_calibrate(evidence):
            return reason
        fitted = fit_model(evidence, measure, self)
        errors = fitted.difference_errors(measure, rng)
        if isinstance(errors, str):
            return errors
        return calibrate_differences(errors, self.level, fitted.units.what)

    def not_to_calibrate(self, evidence: Evidence) -> str:
        """Say why the judgments are not such that runs can be left out; nothing if they are."""
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


_NO_RANGE = "Estimates of what all given runs' documents would make of scores have no range: {}."
_ONE_BY_ONE = "a card has the errors of runs left out one after the other, and not at once"
_TOO_MANY_NEW = "the new runs are {}, and the pooled ones {}, too few to leave as many out twice"
NOT_CALIBRATED_RANGES = (
    "The ranges beside the model's estimates are not calibrated, but all that is possible: {}."
)
_FEW = "Not calibrated: {}. The estimate is {}, and its range all that is possible."


_NOT_USED = (
    "The labels by {} are not used: with so few kinds of runs they did not always make estimates "
    "better. Let people label a sample of the documents (poolwise sample --labels)."
)
_GROUPS = (
    "Groups are given: runs of one group count once, and are left out together. On TREC-8 to depth "
    "20 that halves the error of nDCG@10 (0.0054 for 0.0118)."
)


def _possible(table: ScoreTable, exact: ScoreTable, fitted: "FittedModel", said: str) -> ScoreTable:
    """Put all that is possible in the place of ranges that would promise nothing."""
    possible = replace(exact.over_judgments, meaning=(said, *_about(fitted, table.measure)))
    return replace(table, lower=exact.lower, upper=exact.upper, of_means=(possible,))


def _without_range(table: ScoreTable, fitted: "FittedModel", why: str) -> ScoreTable:
    """Return estimates alone, and why they have no range."""
    nothing = np.full(table.value.shape, np.nan)
    about = _about(fitted, table.measure)
    said = unknown("draws", len(table.systems), _NO_RANGE.format(why), *about)
    return replace(table, lower=nothing, upper=nothing, of_means=(said,))


def _about(fitted: "FittedModel", measure: Measure) -> tuple[str, ...]:
    """Say how the pool was taken to be made, and what else the model was told."""
    pool = fitted.pool
    deep = below_reach(fitted.documents.evidence, measure)
    return (*deep, pool.remark, *((_GROUPS,) if pool.told else ()), *fitted.about_labels)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A relevance model of a collection, and what it says of runs that are left out.

    Attributes
    ----------
    documents : ModelledDocuments
        All documents that are judged or asked about.
    units : Units
        What is left out in turn, for calibration.
    model : RelevanceModel
        Fitted to all judgments.
    about_labels : tuple of str
        What a machine's labels have to do with it, in words.
    card : CollectionCard, optional
        Where the pooled runs are not at hand: it has the errors of those that were left out.
    """

    documents: ModelledDocuments
    units: Units
    model: RelevanceModel
    about_labels: tuple[str, ...] = ()
    card: CollectionCard | None = None

    @property
    def pool(self) -> PoolShape:
        """How the judgments came about."""
        return self.documents.pool

    @property
    def pooled(self) -> PooledDocuments:
        """The documents, with the groups that hold them: there is no card."""
        if not isinstance(self.documents, PooledDocuments):
            raise OptionError("card: it does not tell who holds a document. Hint: leave it out.")
        return self.documents

    def new_units(self, measure: Measure) -> int:
        """Return how many units of given runs are new, and have unjudged documents; 1 at least."""
        if self.card:
            return 1
        unsure = count_ungraded(measure.cut(self.documents.evidence)).sum(axis=1) > 0
        return max(1, self.pooled.count_new_units(unsure))

    def left_out(self, rng: int) -> tuple[LeftOutUnit, ...]:
        """Return the documents of each unit without its own judgments; none with too few units."""
        if not self.units.enough or self.card:
            return ()
        documents = self.pooled
        key = ("left out", self.model, rng)
        return _once(
            documents.evidence, key, lambda: leave_units_out(documents, self.model, rng=rng)
        )

    def errors(self, measure: Measure, rng: int, *, at_once: int = 0) -> LeftOutErrors | str:
        """Return the errors on left-out units, or why there are none.

        With ``at_once``, so many are left out together, and all their documents taken to be judged.
        """
        if self.card:
            if at_once:
                return _ONE_BY_ONE
            measure_card = self.card.measures.get(str(measure))
            return (measure_card and measure_card.errors) or self._why_not(measure, self.card)
        if not self.units.enough:
            return self.units.too_few
        if at_once and (few := self._too_many_new(at_once)):
            return few
        if at_once > 1:
            return errors_at_once(self.pooled, self.model, measure, rng=rng, at_once=at_once)
        return left_out_errors(self.pooled, self.left_out(rng), measure, shared=at_once > 0)

    def _too_many_new(self, new: int) -> str:
        """Say that as many units as are new cannot be left out twice; nothing where they can."""
        count, what = len(self.pooled.bringing_units), self.units.what
        if count >= 2 * new:
            return ""
        return _TOO_MANY_NEW.format(units_text(new, what), units_text(count, what))

    def difference_errors(self, measure: Measure, rng: int) -> DifferenceErrors | str:
        """Return the errors of differences from left-out units, or why there are none."""
        if self.card:
            measure_card = self.card.measures.get(str(measure))
            return (measure_card and measure_card.differences) or self._why_not(measure, self.card)
        units = self.left_out(rng)
        return left_out_differences(self.pooled, units, measure) if units else self.units.too_few

    @staticmethod
    def _why_not(measure: Measure, card: CollectionCard) -> str:
        if str(measure) not in card.measures:
            return f"the card has no errors of left-out runs: {card.lacks(measure)}"
        return card.not_calibrated


def fit_model(
    evidence: Evidence, measure: Measure, options: RelevanceModelTreatment
) -> FittedModel:
    """Fit the model, or return the one that was fitted for another measure."""
    card = options.card
    if card:
        key = ("relevance model", card, options.groups, options.ridge)
        return _once(evidence, key, lambda: _fit_with_card(evidence, card, options))
    pool = find_pool(
        evidence,
        depth=options.depth,
        pooled=options.pooled,
        groups=options.groups,
        cutoff=getattr(measure, "cutoff", None),
    )
    settings = (
        *("relevance model", pool.depth, options.pooled),
        *(options.groups, options.ridge, options.labels),
    )
    fitted = _once(evidence, settings, lambda: _fit(evidence, pool, options))
    if options.labels is None:
        return fitted
    used = _labels_used(fitted.pooled, options.labels, drawn_reach(measure))
    return replace(fitted, about_labels=(used,))


def _fit(evidence: Evidence, pool: PoolShape, options: RelevanceModelTreatment) -> FittedModel:
    documents, units = with_units(gather_documents(evidence, pool, labels=options.labels))
    return FittedModel(documents, units, fit_relevance(documents, ridge=options.ridge))


_MOST_LACKING = 0.05
"""The share of a run's unjudged documents that may lack a label: errors are known of others."""
_LACKING = (
    "Of {}, more than 5% of the unjudged documents have no label by the machine: the range is all "
    "that is possible, since errors are known of labelled documents."
)


def _labels_used(documents: PooledDocuments, labels: Labels, reach: int) -> str:
    """Say which documents have a label; raise where too few do of those that count."""
    both = int((documents.labelled & documents.judged).sum())
    if both < FEWEST_BOTH:
        raise OptionError(
            f"labels: what a grade means is learned from documents that people judged too, "
            f"{FEWEST_BOTH} at least; got {both}. Hint: label judged documents as well."
        )
    count, lacking = _unlabelled(documents, reach)
    # So many open ones, all without a label, are no oversight.
    if lacking == count >= FEWEST_BOTH:
        raise OptionError(
            f"labels: they say nothing of {count:,} unjudged documents in the first {reach} ranks, "
            "of which none has one. Hint: label these, too, or leave the labels out."
        )
    return (
        f"The grade by {labels.authors[0].described} is a feature of the model, learned from "
        f"{both:,} documents that people judged too; {count - lacking:,} of "
        f"{counted(count, 'unjudged document')} in the first {reach} ranks have one. Machine "
        "labels enter no exact range."
    )


def _possible_without_labels(
    table: ScoreTable, exact: ScoreTable, documents: PooledDocuments, reach: int
) -> ScoreTable:
    """Put all that is possible in the place of ranges of runs with documents that lack a label."""
    few = _has_few_labels(documents, reach)
    if not few.any():
        return table
    (means,) = table.of_means
    low, high = exact.mean_bounds()
    runs = named([table.systems[s] for s in np.flatnonzero(few).tolist()])
    said = _LACKING.format(runs)
    return replace(
        table,
        lower=np.where(few[:, None], exact.lower, table.lower),
        upper=np.where(few[:, None], exact.upper, table.upper),
        of_means=(
            replace(
                means,
                low=np.where(few, low, means.low),
                high=np.where(few, high, means.high),
                meaning=(*means.meaning, said),
            ),
        ),
    )


def _has_few_labels(documents: PooledDocuments, reach: int) -> Booleans:
    """Tell of which runs too many unjudged documents, down to a rank, have no label."""
    ranks = first_ranks(documents.evidence, reach)
    is_open = document_codes(documents.evidence) < 0
    labelled = np.zeros(len(is_open), np.bool_)
    labelled[documents.rows[documents.labelled]] = True
    runs = len(documents.evidence.systems)
    unjudged, lacking = (
        np.bincount(ranks.run, of_row[ranks.row], minlength=runs)
        for of_row in (is_open, is_open & ~labelled)
    )
    return np.asarray(lacking > _MOST_LACKING * unjudged)


def _unlabelled(documents: PooledDocuments, reach: int) -> tuple[int, int]:
    """Return how many unjudged documents there are down to a rank, and how many lack a label."""
    asked = ~documents.judged & (documents.best <= reach)
    return int(asked.sum()), int((asked & ~documents.labelled).sum())


def _fit_with_card(
    evidence: Evidence, card: CollectionCard, options: RelevanceModelTreatment
) -> FittedModel:
    documents = meet_documents(
        card.require_documents(),
        evidence,
        card.shape(evidence, options.groups),
        known=card.knows(evidence),
        spreads=card.spreads,
    )
    model = fit_relevance(documents, ridge=options.ridge)
    return FittedModel(documents, card.units, model, card=card)


def _once(evidence: Evidence, key: object, make: Callable[[], Derived]) -> Derived:
    """Make what measures share, or return what was made before."""
    if key not in evidence.memo:
        evidence.memo[key] = make()
    derived: Derived = evidence.memo[key]
    return derived


def complete_scores(
    evidence: Evidence,
    measure: Measure,
    options: RelevanceModelTreatment,
    *,
    rng: int | np.random.Generator | HashedRandom,
    shared: bool = False,
) -> ScoreDistribution:
    """Score every run under grades that the model draws for the unjudged documents.

    With ``shared``, the documents of all runs are taken to be judged, as comparisons need; else
    those of the run itself.
    """
    require_drawable(measure)
    fitted, chance = fit_model(evidence, measure, options), HashedRandom.of(rng)
    values = score_draws(
        evidence,
        measure,
        _drawn(evidence, fitted.model, chance, options.draws, drawn_reach(measure)),
        draws=options.draws,
        shared=shared,
    )
    plain = score(evidence, measure, bounds="none")
    origin = _origin(plain, fitted, options)
    return ScoreDistribution(plain, values, joint=True, provenance=origin)


def _drawn(
    evidence: Evidence, model: RelevanceModel, chance: HashedRandom, draws: int, reach: int
) -> Iterable[TopicGrades]:
    """Draw grades, or return those that were drawn for another measure; many are not kept."""
    drawn = draw_grades(model, rng=chance, draws=draws, reach=reach)
    if int((model.documents.best <= reach).sum()) * draws > _MOST_KEPT:
        return drawn
    key = ("drawn grades", model, chance, draws, reach)
    return _once(evidence, key, lambda: tuple(drawn))


def _origin(plain: ScoreTable, fitted: FittedModel, options: RelevanceModelTreatment) -> Provenance:
    """Say what the model was told, and what it read off the judgments."""
    measure, used = plain.measure, options.labels
    deep = below_reach(fitted.documents.evidence, measure)
    target = TARGETS[options.target].format(f"first {drawn_reach(measure)} " if deep else "")
    about_labels = {} if used is None else {"labels": used.recorded_as, "estimate": WITH_LABELS}
    shape = fitted.pool.options()
    return plain.provenance.with_options(
        draws=options.draws, target=target, **shape, **about_labels
    )
