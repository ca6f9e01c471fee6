"""A card of a collection, from its judgments and its original runs."""

from collections.abc import Sequence

from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import HashedRandom
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence.unknowns.relevance_model._features import (
    Units,
    has_non_relevant,
)
from poolwise.evidence.unknowns.relevance_model._summed_documents import sum_documents
from poolwise.measures._measure import Measure
from poolwise.results._progress import counting
from poolwise.scores._scoring import score
from poolwise.scores._standardization import StandardizationFactors
from poolwise.scores.cards._card import (
    CardedRun,
    CollectionCard,
    JudgedContent,
    MeasureCard,
    content_of_runs,
)
from poolwise.scores.cards._standing import standing_of
from poolwise.scores.treatments._drawn_scores import is_drawable
from poolwise.scores.treatments._relevance_model_treatment import (
    FittedModel,
    RelevanceModelTreatment,
    fit_model,
)

__all__ = ["card_of_evidence"]


def card_of_evidence(
    evidence: Evidence,
    measures: Sequence[Measure],
    *,
    judgments: JudgedContent,
    options: RelevanceModelTreatment,
    kinds: Groups | None = None,
    references: Sequence[str] = (),
    ddof: int = 0,
    smoothing: str = "none",
    factors_only: bool = False,
    rng: int = 1,
) -> CollectionCard:
    """Make the card of a collection.

    Parameters
    ----------
    evidence : Evidence
        The original runs, met with the judgments.
    measures : sequence of Measure
        What the card is to serve for.
    judgments : JudgedContent
        Which judgments these are.
    options : RelevanceModelTreatment
        What is told of the pool: depth, pooled runs, groups; and of its judgments.
    kinds : Groups, optional
        The kind of each run, for places among runs of a kind.
    references : sequence of str
        The runs that standardization factors come from; all by default.
    ddof : {0, 1}
        The divisor of their variance is the number of runs minus this.
    smoothing : str
        How scores are meant to be standardized by it.
    factors_only : bool
        Leave out all that tells documents or judgments.
    rng : int
        The seed of draws.
    """
    fitted = None if factors_only else _fitted(evidence, measures, options)
    why_not = _why_not(evidence, fitted, options)
    pool = fitted.pool if fitted else find_pool(evidence, groups=options.groups)
    chosen = kinds.select(evidence.systems).labels if kinds else ("",) * len(evidence.systems)
    contents = content_of_runs(evidence)
    # The draws of an estimate with this seed.
    seed = HashedRandom.of(rng).seed
    names = zip(evidence.systems, contents, chosen, pool.pooled.tolist(), strict=True)
    runs = tuple(CardedRun(*cells) for cells in names)
    by_measure = {
        str(measure): _of_measure(
            evidence,
            measure,
            fitted if not why_not else None,
            references=references,
            ddof=ddof,
            kinds=chosen if kinds else (),
            rng=seed,
        )
        for measure in counting(measures, "measures of the card")
    }
    return CollectionCard(
        judgments=judgments,
        depth=pool.depth,
        whence=pool.whence,
        groups=len(pool.groups),
        told=pool.told,
        units=fitted.units if fitted else Units("group", 0),
        runs=runs,
        references=tuple(references or evidence.systems),
        measures=by_measure,
        documents=sum_documents(fitted.pooled) if fitted else None,
        spreads=_spreads(evidence, fitted) if fitted else {},
        not_calibrated=why_not if fitted else "it has no documents",
        smoothing=smoothing,
        provenance=evidence.provenance,
    )


def _fitted(
    evidence: Evidence, measures: Sequence[Measure], options: RelevanceModelTreatment
) -> FittedModel | None:
    """Fit the model, with one depth of the pool for all measures."""
    return fit_model(evidence, measures[0], options) if has_non_relevant(evidence) else None


def _why_not(
    evidence: Evidence, fitted: FittedModel | None, options: RelevanceModelTreatment
) -> str:
    """Say why the errors of left-out runs are not known; nothing where they are."""
    if fitted is None:
        return "there is no model"
    if reason := options.not_to_calibrate(evidence):
        return reason
    return "" if fitted.units.enough else fitted.units.too_few


def _spreads(evidence: Evidence, fitted: FittedModel) -> dict[float, tuple[float, float]]:
    return {
        float(evidence.scale[threshold.code]): (threshold.group_spread, threshold.list_spread)
        for threshold in fitted.model.thresholds
    }


def _of_measure(
    evidence: Evidence,
    measure: Measure,
    fitted: FittedModel | None,
    *,
    references: Sequence[str],
    ddof: int,
    kinds: tuple[str, ...],
    rng: int,
) -> MeasureCard:
    table = score(evidence, measure, bounds="none")
    chosen = table.select(runs=references) if references else table
    drawable = fitted if is_drawable(measure) else None
    errors = drawable.errors(measure, rng) if drawable else ""
    differences = drawable.difference_errors(measure, rng) if drawable else ""
    return MeasureCard(
        measure,
        StandardizationFactors.from_table(chosen, ddof=ddof),
        standing_of(table, kinds),
        None if isinstance(errors, str) else errors,
        None if isinstance(differences, str) else differences,
    )
