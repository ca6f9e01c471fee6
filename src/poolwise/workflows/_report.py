"""Everything the report shows, from files or from memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poolwise.arrays import Floats, generator
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.formats._texts import TextSource
from poolwise.errors import OptionError
from poolwise.evidence._audit import audit_collection
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe, count_ungraded
from poolwise.findings._checklist import USUAL_PERSISTENCE, Checklist, checklist
from poolwise.findings._documents_by_run import TopicDocuments, documents_of_topic
from poolwise.findings._judged_coverage import FIRST_RANKS, JudgedCoverage, judged_coverage
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.findings._run_against_all import RunStanding, standing_of
from poolwise.findings._treatment_means import (
    DrawnTopics,
    TreatmentMeans,
    draw_topics,
    plausible_range,
)
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.findings.comparison._comparisons import Comparisons, tiers
from poolwise.findings.labels._label_agreement import LabelAgreement
from poolwise.findings.planning._collection_power import collection_power
from poolwise.findings.similarity._run_similarity import overlap_matrix
from poolwise.judging._lists import DecisiveDocuments, decisive_documents
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import range_options
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.provenance._recorded import recorded
from poolwise.results._threads import in_threads
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score_all
from poolwise.scores._standardization import StandardizationFactors, standardize
from poolwise.scores._uncertainty import Uncertainty
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.treatments._bias import BiasFromSystems
from poolwise.scores.treatments._estimates import (
    estimate,
    find_treatment,
    informed_by_card,
    places_on_card,
)
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.scores.treatments._treatments import (
    Bootstrap,
    Condensed,
    NonRelevant,
    Treatment,
)
from poolwise.studies._residuals import choose_residual
from poolwise.workflows._agree import agree
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_collection,
    as_groups,
    as_texts,
    as_topics,
    with_card,
)

if TYPE_CHECKING:  # few pages have any
    from poolwise.findings._beside import QualityBeside

__all__ = ["report"]

Progress = Callable[[int, int], None] | None

_NEGLIGIBLE = 1e-6
"""Ranks that weigh less than this together are left out of the estimates."""
_RUNS_ESTIMATED = 20
"""Runs with estimates: those with the largest share of unjudged documents."""
_MOST_DRAWN = 5_000
"""Topics whose grades are drawn, and gone through for what to judge next: a millisecond or two for
each, which a page of a hundred thousand should not wait for."""
_NOT_DRAWN = f"a report draws grades for at most {_MOST_DRAWN:,} topics"
_MOST_LISTED, _MOST_RANKED = 200, 60_000
"""Topics whose documents are listed, and ranks of runs on them, so that a page stays small."""
_PAIRS_DRAWN = 20_000
"""Pairs of runs that are tested in every draw, those of two hundred runs; of more, the leader's and
the baseline's are drawn."""
_DRAWS = 200
"""Completions drawn from the model: the distribution of a mean is smooth before a topic's is."""


@recorded
def report(
    judgments: Judgments | str | Path | Any,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    measures: Sequence[Measure | str] = DEFAULT_MEASURES,
    *,
    baseline: str | None = None,
    groups: Groups | Mapping[str, str] | str | Path | None = None,
    card: Any = None,
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    labels: Any = None,
    people: Sequence[str] = (),
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    same_model: Sequence[str] = (),
    beside: Any = None,
    more: Sequence[str] = (),
    topics: Topics = "judged",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    residual: str | float = USUAL_PERSISTENCE,
    rng: int = 1,
    progress: Progress = None,
    reading: Reading = Reading(),
) -> Overview:
    """Find all that runs and judgments say: who leads, what holds, what judging could change.

    :func:`~poolwise.html_page` makes a page of it, :func:`~poolwise.plot` draws its parts.

    Parameters
    ----------
    measures
        Measures or their names, by default nDCG@10, P@10 and RBP(p=0.8).
    baseline
        A run to compare all others with.
    residual : float, or "matched"
        Which RBP lends its residual to the checklist: see :func:`~poolwise.workflows.checklist`.
    labels, people, scale, texts, passages, same_model
        Labels by machines, or by other people, that are compared with the judgments: as for
        :func:`~poolwise.agree`.
    beside, more
        What else was measured of the runs, such as latency or cost: as for
        :func:`~poolwise.workflows.evaluate_beside`.

    Returns
    -------
    Overview
        What was found, by measure and over all, in tables and sentences.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> overview = report(made.judgments, made.runs, ["nDCG@10"], baseline="bm25-1")
    >>> print(overview["nDCG@10"].who_leads()[0])
    By judged documents bm25-1 leads, with a mean nDCG@10 of 0.6949, over 20 topics.
    """
    generator(rng)  # A wrong seed is told before the work is done.
    qrels, retrieved = as_collection(judgments, runs, grades=grades, reading=reading)
    unknown = Universe.of(universe, universe_depth)
    # A name that is wrong is told before the work is done.
    if baseline is not None:
        indices_of(baseline, retrieved.systems, what="baseline")
    # A measure that was named twice, in whatever spelling, is shown once.
    wanted = list({str(m): m for m in map(parse_measure, measures)}.values())
    grouped = _groups(groups, retrieved.systems)
    steps = _steps(progress, 3 + 2 * len(wanted))
    evidence = align(qrels, retrieved, topics=as_topics(topics))
    evidence, of_pool = with_card(evidence, qrels, card)
    next(steps)
    checked = audit_collection(qrels, retrieved)
    coverage = judged_coverage(evidence, checked)
    next(steps)
    factors = None if of_pool is None else _factors_of(of_pool, qrels)
    how = (baseline, grouped, rng, unknown, residual, steps)
    work = _Work(evidence, coverage, *how, of_pool, factors)
    overviews = tuple(work.of_measure(m, t) for m, t in _scored(evidence, wanted, unknown))
    overlap = overlap_matrix(retrieved) if len(retrieved.systems) > 1 else None
    next(steps)
    sides = tuple(_beside(evidence, overviews, beside, more=more, rng=rng, universe=unknown))
    behind = _documents(qrels, retrieved, coverage, queries, documents)
    of_labels: dict[str, Any] = {"people": people, "scale": scale, "texts": texts}
    of_labels |= {"passages": passages, "same_model": same_model, "rng": rng}
    compared = _agreements(labels, qrels, retrieved, wanted, of_labels)
    return Overview(
        measures=overviews,
        coverage=coverage,
        audit=checked,
        overlap=overlap,
        baseline=baseline,
        groups=grouped.labels if grouped else (),
        documents=behind,
        labels=compared,
        beside=sides,
        provenance=evidence.provenance.with_options(
            test="t",
            correction="holm",
            alpha=0.05,
            **({"baseline": baseline} if baseline else {}),
            **(dict(compared[0].provenance.options) if compared else {}),
            **({"beside": tuple(dict.fromkeys(s.beside.words for s in sides))} if sides else {}),
            draws=_DRAWS,
            seed=rng,
            **range_options(evidence, unknown),
        ),
    )


def _beside(
    evidence: Evidence,
    overviews: Sequence[MeasureOverview],
    beside: Any,
    *,
    more: Sequence[str],
    rng: int,
    universe: Universe,
) -> "Iterator[QualityBeside]":
    """Put what else was measured beside the scores of each measure."""
    if beside is None:
        return
    # late: few pages have any
    from poolwise.collection.formats._side_columns import read_side_columns  # noqa: PLC0415
    from poolwise.workflows._beside import quality_beside  # noqa: PLC0415

    columns = read_side_columns(beside, more=more)
    draws = 0 if len(evidence.topics) > _MOST_DRAWN else _DRAWS
    how: dict[str, Any] = {"alpha": 0.05, "draws": draws, "rng": rng, "universe": universe}
    for overview in overviews:
        yield from quality_beside(evidence, overview.table, columns, **how)


def _agreements(
    labels: Any,
    judgments: Judgments,
    runs: Runs,
    measures: Sequence[Measure],
    how: dict[str, Any],
) -> tuple[LabelAgreement, ...]:
    """Compare labels with the judgments, by what they make of the runs by each measure."""
    if labels is None:
        return ()
    sources = labels if isinstance(labels, list | tuple) else (labels,)
    return tuple(
        agree(*sources, against=judgments, runs=runs, measure=measure, **how)
        for measure in measures
    )


def _documents(
    judgments: Judgments,
    runs: Runs,
    coverage: JudgedCoverage,
    queries: TextSource | None,
    documents: TextSource | None,
) -> TopicDocuments:
    """Return the documents behind the topics with most unjudged ones, as many as a page holds."""
    # Few runs: many topics, and the other way round, so that the page has about the same size.
    most = min(_MOST_LISTED, _MOST_RANKED // (FIRST_RANKS * len(runs.systems)))
    answered = [t for t in coverage.topic_order().tolist() if coverage.answered[:, t].any()]
    names = [coverage.topics[t] for t in answered[: max(most, 1)]]
    few, judged = runs.select(topics=names), judgments.select(topics=names)
    listed = tuple(documents_of_topic(judged, few, name, depth=FIRST_RANKS) for name in names)
    wanted = (document for topic in listed for document in topic.documents)
    return TopicDocuments(
        topics=listed,
        of=len(answered),
        texts=as_texts(queries, documents, topics=names, wanted=wanted),
        provenance=coverage.provenance,
    )


def _groups(
    source: Groups | Mapping[str, str] | str | Path | None, systems: tuple[str, ...]
) -> Groups | None:
    grouped = as_groups(source, systems)
    return None if grouped is None else grouped.select(systems)


def _steps(progress: Progress, total: int) -> Iterator[None]:
    for done in range(1, total + 1):
        if progress:
            progress(done, total)
        yield


def _scored(
    evidence: Evidence, wanted: list[Measure], universe: Universe
) -> Iterator[tuple[Measure, ScoreTable]]:
    return zip(wanted, score_all(evidence, wanted, universe=universe).scores, strict=True)


def _factors_of(card: CollectionCard, judgments: Judgments) -> dict[str, StandardizationFactors]:
    """Return the factors of a card by measure; none where more has been judged since."""
    from poolwise.workflows._cards import is_of  # noqa: PLC0415, late: few have a card

    if not is_of(card, judgments):
        return {}
    return {name: part.factors for name, part in card.measures.items()}


@dataclass(frozen=True, eq=False)
class _Work:
    """What is the same for every measure."""

    evidence: Evidence
    coverage: JudgedCoverage
    baseline: str | None
    groups: Groups | None
    rng: int
    universe: Universe
    residual: str | float
    steps: Iterator[None]
    card: CollectionCard | None = None
    factors: Mapping[str, StandardizationFactors] | None = None

    def of_measure(self, measure: Measure, table: ScoreTable) -> MeasureOverview:
        """Compare, estimate and plan by one measure; what cannot be had is None."""
        runs, topics = len(table.systems), int(table.defined.sum())
        comparable = runs > 1 and topics > 0
        # before the first score judgments may yet say who can be ahead
        unscored = runs > 1 and bool(np.isnan(table.value).all())
        comparisons = (
            self.compared(measure, runs * (runs - 1) // 2) if comparable or unscored else None
        )
        next(self.steps)
        estimates, expected, plausible = self.estimates(measure, table)
        next(self.steps)
        against = self.baseline if comparable else None
        return MeasureOverview(
            table=table,
            coverage=self.coverage,
            tier=tiers(table, comparisons) if comparisons and topics else np.ones(runs, np.int64),
            comparisons=comparisons,
            against=self.compared(measure, runs - 1, against) if against else None,
            standardized=self.standardized(measure, table),
            estimates=estimates,
            expected=expected,
            plausible=plausible,
            drawn=self.drawn(measure, estimates),
            power=collection_power(table) if comparable and topics > 1 else None,
            standings=tuple(self.standings(table, comparisons)) if comparisons and topics else (),
            to_judge=tuple(self.to_judge(measure, table, comparisons)) if comparisons else (),
            checklist=self.checklist(table, comparisons),
            provenance=table.provenance,
        )

    def checklist(self, table: ScoreTable, comparisons: Comparisons | None) -> Checklist:
        """Gather what to report with the scores of a measure."""
        chosen = choose_residual(self.evidence, table.measure, self.residual)
        return checklist(
            self.evidence, table, rbp=chosen.rbp, chosen=chosen.remarks, comparisons=comparisons
        )

    def compared(self, measure: Measure, pairs: int, baseline: str | None = None) -> Comparisons:
        """Compare all pairs, or all runs with the baseline, as the command does."""
        drawn = pairs <= _PAIRS_DRAWN and not self.has_too_many_topics
        return compare_evidence(
            self.evidence,
            measure,
            baseline=baseline or (),
            groups=self.groups,
            card=self.card,
            draws=_DRAWS if drawn else 0,
            rng=self.rng,
            universe=self.universe,
        )

    def standardized(self, measure: Measure, table: ScoreTable) -> ScoreTable | None:
        """Standardize by the card's reference runs, or else by the runs, if they are several."""
        if self.factors and str(measure) in self.factors:
            return standardize(table, self.factors[str(measure)])
        return standardize(table) if len(table.systems) > 2 and table.defined.any() else None

    @property
    def has_too_many_topics(self) -> bool:
        """Whether there are too many topics to draw grades for."""
        return len(self.evidence.topics) > _MOST_DRAWN

    def runs_in_question(self, table: ScoreTable) -> tuple[str, ...]:
        """Return the leader and, last, the baseline."""
        leader = table.systems[int(table.order()[0])]
        return tuple(dict.fromkeys(filter(None, (leader, self.baseline))))

    def standings(self, table: ScoreTable, comparisons: Comparisons) -> Iterator[RunStanding]:
        """Find how the leader and the baseline stand to all others."""
        for run in self.runs_in_question(table):
            yield standing_of(
                run,
                self.evidence,
                table,
                comparisons,
                groups=self.groups,
                card=self.card,
                draws=0 if self.has_too_many_topics else _DRAWS,
                not_drawn=_NOT_DRAWN if self.has_too_many_topics else "",
                rng=self.rng,
            )

    def to_judge(
        self, measure: Measure, table: ScoreTable, comparisons: Comparisons
    ) -> Iterator[DecisiveDocuments]:
        """Find what to judge for the leader and for the baseline, where an order is open."""
        if self.has_too_many_topics:
            return
        is_open, pairs = comparisons.verdict == "open", comparisons.pairs
        for run in self.runs_in_question(table):
            at = table.systems.index(run)
            its = is_open & ((pairs.left == at) | (pairs.right == at))
            if its.any():
                open_pairs = Pairs(pairs.left[its], pairs.right[its])
                yield decisive_documents(self.evidence, measure, run, open_pairs)

    def estimates(
        self, measure: Measure, table: ScoreTable
    ) -> tuple[TreatmentMeans | None, Floats | None, Uncertainty | None]:
        """Treat the runs with unjudged documents in several ways; None if there are no such.

        Beside it return what the relevance model expects of every run, and holds for plausible.
        """
        seen = _counted_ranks(self.evidence, measure)
        unjudged = count_ungraded(seen).sum(axis=1)
        share = unjudged / np.maximum(seen.lengths.sum(axis=1), 1)
        affected = np.flatnonzero(share > 0)
        if not len(affected) or not table.defined.any():
            return None, None, None
        # A stable order, so that runs with equal shares stay as they were given.
        chosen = affected[np.argsort(-share[affected], kind="stable")][:_RUNS_ESTIMATED]
        tables, refused = self._treated(measure)
        model = tables.get(RelevanceModelTreatment.name)
        of_all = plausible_range(model, len(table.systems))
        plausible = of_all.select(chosen)
        low, high = table.mean_bounds()
        card = self.card
        places = places_on_card(card, measure, tables, self.evidence) if card else ()
        treatment_means = TreatmentMeans(
            measure=measure,
            systems=tuple(table.systems[s] for s in chosen.tolist()),
            means={name: scored.means()[chosen] for name, scored in tables.items()},
            lower=low[chosen],
            upper=high[chosen],
            share=share[chosen],
            model_low=plausible.low,
            model_high=plausible.high,
            calibration=" ".join((*plausible.meaning, *places)),
            summaries={name: find_treatment(name).summary for name in tables},
            refused=refused,
            affected=len(affected),
            runs=len(table.systems),
            provenance=table.provenance.with_options(**_inferred(tables), seed=self.rng),
        )
        return (
            (treatment_means, None, None)
            if model is None
            else (treatment_means, model.means(), of_all)
        )

    def drawn(self, measure: Measure, estimates: TreatmentMeans | None) -> DrawnTopics | None:
        """Draw the scores of the run with the most unjudged documents; None if it cannot be."""
        if estimates is None or self.has_too_many_topics:
            return None
        try:
            return draw_topics(self.evidence, measure, run=estimates.systems[0], rng=self.rng)
        # Where nothing can be drawn, the page goes without the picture.
        except OptionError:
            return None

    def _treated(self, measure: Measure) -> tuple[dict[str, ScoreTable], dict[str, str]]:
        """Return the scores by treatment, and which treatments are refused, and why."""
        tables: dict[str, ScoreTable] = {}
        refused: dict[str, str] = {}
        treatments: list[Treatment] = [
            RelevanceModelTreatment(groups=self.groups, card=self.card),
            NonRelevant(),
            Condensed(),
            Bootstrap(),
            BiasFromSystems(groups=self.groups),
        ]
        if self.card:
            treatments = [
                informed_by_card(treatment, self.card, self.evidence) for treatment in treatments
            ]
        if self.has_too_many_topics:
            _, *treatments = treatments
            refused[RelevanceModelTreatment.name] = (
                f"{_NOT_DRAWN}. Hint: poolwise estimate draws for any number."
            )

        def treated(treatment: Treatment) -> ScoreTable | str:
            try:
                return estimate(self.evidence, measure, treatment=treatment, rng=self.rng)
            except OptionError as error:
                return str(error)

        # The model has threads of its own, and takes longest.
        first, *others = treatments
        every = chain([treated(first)], in_threads(treated, others))
        for treatment, made in zip(treatments, every, strict=True):
            if isinstance(made, str):
                refused[treatment.name] = made
            else:
                tables[treatment.name] = made
        return tables, refused


def _inferred(tables: Mapping[str, ScoreTable]) -> dict[str, object]:
    """Return what the model was asked for and what it read off, where there is one."""
    model = tables.get(RelevanceModelTreatment.name)
    return dict(model.provenance.options) if model else {}


def _counted_ranks(evidence: Evidence, measure: Measure) -> Evidence:
    """Return the ranks that a measure looks at, without those whose weights are negligible."""
    seen = measure.cut(evidence)
    if not isinstance(measure, StaticWeights):
        return seen
    weights = measure.weights(seen.depth)
    # Weights such as those of RBP never end: past some rank they are not worth an estimate.
    left = weights.sum() - np.cumsum(weights)
    return seen.truncate(int((left > _NEGLIGIBLE).sum()) + 1)
