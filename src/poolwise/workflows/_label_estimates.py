"""Scores and differences from people's labels on a part, and a machine's labels on all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.arrays import TOLERANCE, Floats, Indices
from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.findings.gating._labelled_pair import LabelledPair, PowerScores
from poolwise.findings.gating._limits import candidate_powered
from poolwise.findings.labels._document_estimates import DocumentEstimates
from poolwise.findings.labels._label_estimates import (
    Evidently,
    LabelDifferences,
    LabelEstimates,
    estimates_of_documents,
    estimates_of_topics,
    label_curve,
)
from poolwise.findings.labels._labelled_documents import (
    DRAWN_UNGRADED,
    LabelledDocuments,
    labelled_documents,
)
from poolwise.findings.labels._topic_estimates import prediction_powered
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Notice, Provenance
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import ByMeasure, score
from poolwise.scores._uncertainty import Uncertainty, normal_interval, t_quantile
from poolwise.words import are, counted
from poolwise.workflows._further_inputs import as_machine_labels
from poolwise.workflows._inputs import DEFAULT_MEASURES, several_measures
from poolwise.workflows._score_files import read_score_files

__all__ = [
    "LabelledRuns",
    "compare_with_labels",
    "estimate_from_scores",
    "estimate_with_labels",
]

_RANDOM_TOPICS = "that the topics which people judged were drawn at random"
_RANDOM_DOCUMENTS = "that it is by chance which documents people labelled"
_NOT_RANDOM_TOPICS = (
    "Whether the topics that people judged were drawn at random is not known; topics that were "
    "chosen give wrong intervals. If they were drawn: --assume-random, or assume_random=True."
)
_NO_CHANCES = (
    "The judgments do not say with which chance each document was drawn, and labels that were "
    "chosen, by the machine or by rank, give wrong intervals. Draw them by poolwise sample "
    "--labels; if they are a plain random sample: --assume-random, or assume_random=True; if they "
    "are those of a pool: --treatment model, where labels are a feature of the relevance model."
)


@recorded
def estimate_with_labels(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    labels: Any,
    by: str | None = None,
    grades: Sequence[float] = (),
    assume_random: bool = False,
    same_model: Sequence[str] = (),
    width: float | None = None,
    level: float = 0.95,
    people: Sequence[str] = (),
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[LabelEstimates]:
    """Estimate scores of runs from people's labels on a part, and a machine's on all.

    Judgments of some of the topics that the machine labelled are taken whole topic by whole topic.
    Judgments that are a sample of documents, drawn by ``poolwise sample --labels``, are taken
    document by document, for weighted-precision measures.

    Parameters
    ----------
    judgments
        Labels by people: judgments of some topics, or sampled judgments with their chances.
    measures
        By default the usual ones for whole topics, and P@10 for samples of documents.
    labels
        Labels by a machine: whatever :func:`~poolwise.collection.read_labels` reads.
    by
        Which set of labels is used, where there are several.
    assume_random
        Take topics, or documents without chances, as drawn at random; the result says so.
    same_model
        Runs that use the model that gave the labels: their means by it alone are not shown.
    width
        A half-width that is wanted: how many topics people would have to judge for it is said.

    Returns
    -------
    ByMeasure of LabelEstimates
        Estimates with intervals over labels and over topics, beside people's and machine's alone.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=20, rng=1)
    >>> some = made.truth.select(topics=made.truth.topics[:12])
    >>> estimates = estimate_with_labels(some, made.runs, "P@5", labels=made.truth,
    ...                                  assume_random=True)
    >>> estimates["P@5"].of_means[0].low.shape
    (4,)
    """
    case = LabelledRuns.read(
        judgments, runs, labels, by, grades, same_model,
        {"people": people, "scale": scale, "texts": texts, "passages": passages}, reading,
    )  # fmt: skip
    options: dict[str, Any] = {"assume_random": assume_random, "level": level}
    if case.has_topics:
        estimates = [case.topic_means(m, width=width, **options) for m in _measures(measures)]
    else:
        wanted = measures if measures is not None else case.usual_measures()
        estimates = [case.document_means(m, **options) for m in several_measures(wanted)]
    return ByMeasure.of(estimates)


@recorded
def compare_with_labels(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    labels: Any,
    by: str | None = None,
    baseline: str | Iterable[str] = (),
    grades: Sequence[float] = (),
    assume_random: bool = False,
    level: float = 0.95,
    people: Sequence[str] = (),
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[LabelDifferences]:
    """Compare runs by people's labels on a part, and a machine's on all.

    Parameters
    ----------
    judgments, measures, labels, by, assume_random, people, scale, texts, passages
        As for :func:`estimate_with_labels`.

    Returns
    -------
    ByMeasure of LabelDifferences
        Differences with intervals over labels and over topics.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=3, topics=20, depth=20, rng=1)
    >>> some = made.truth.select(topics=made.truth.topics[:12])
    >>> differences = compare_with_labels(some, made.runs, "P@5", labels=made.truth,
    ...                                   assume_random=True)
    >>> len(differences["P@5"].pairs)
    3
    """
    case = LabelledRuns.read(
        judgments, runs, labels, by, grades, (),
        {"people": people, "scale": scale, "texts": texts, "passages": passages}, reading,
    )  # fmt: skip
    systems = case.runs.systems
    bases = (baseline,) if isinstance(baseline, str) else tuple(baseline)
    pairs = Pairs.against(systems, bases) if bases else Pairs.of_all(systems)
    options: dict[str, Any] = {"assume_random": assume_random, "level": level}
    if case.has_topics:
        differences = [case.topic_differences(m, pairs, **options) for m in _measures(measures)]
    else:
        wanted = measures if measures is not None else case.usual_measures()
        differences = [
            case.document_differences(m, pairs, **options) for m in several_measures(wanted)
        ]
    return ByMeasure.of(differences)


@recorded
def estimate_from_scores(
    human: str | Path | ScoreTable,
    machine: str | Path | ScoreTable,
    measures: Sequence[str] = (),
    *,
    rows: str = "topics",
    assume_random: bool = False,
    width: float | None = None,
    level: float = 0.95,
) -> LabelEstimates:
    """Estimate means from scores by people on some topics and by a machine on all.

    Whatever a score is per topic and run (nuggets, graded answers), the intervals are those of
    :func:`estimate_with_labels`.

    Parameters
    ----------
    human, machine
        Files of scores, or tables: the same runs; the topics of the first are some of the second's.
    measures
        What the scores are of, where the files do not say.
    rows : {"topics", "systems"}
        What a row of a file is.
    assume_random, width
        As for :func:`estimate_with_labels`.

    Returns
    -------
    LabelEstimates

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((2, 20))
    >>> topics = [str(t) for t in range(20)]
    >>> machine = ScoreTable.from_matrix(scores, systems="ab", topics=topics, measure="AP")
    >>> people = machine.select(topics=topics[:9])
    >>> estimates = estimate_from_scores(people, machine, assume_random=True)
    >>> bool(abs(estimates.estimate[0] - scores[0].mean()) < 1e-9)
    True
    """
    first, second = (_score_table(source, measures, rows) for source in (human, machine))
    order, place = _shared_cells(first, second)
    undefined = int(np.isnan(first.value).any(axis=0).sum())
    powered = prediction_powered(
        np.nan_to_num(first.value), np.nan_to_num(second.value[order]), place
    )
    rests_on = Evidently(
        people=first.value.size,
        machine=second.value.size,
        author="the machine",
        assumed=_RANDOM_TOPICS if assume_random else "",
        refused="" if assume_random else _NOT_RANDOM_TOPICS,
        notes=_undefined_note(undefined),
    )
    made = estimates_of_topics(
        first.measure, first.systems, powered, rests_on, level=level, width=width
    )
    return replace(made, provenance=first.provenance.with_options(machine=_source_of(second)))


def _score_table(source: str | Path | ScoreTable, measures: Sequence[str], rows: str) -> ScoreTable:
    if isinstance(source, ScoreTable):
        return source
    tables = read_score_files([source], measures, rows=rows)
    if len(tables) != 1:
        raise OptionError(
            f"{source}: scores of one measure are compared; got {len(tables)}. Hint: name one by "
            "-m, or measures= in Python."
        )
    return tables[0]


def _source_of(table: ScoreTable) -> str:
    return ", ".join(str(source) for source in table.provenance.runs) or "scores"


def _shared_cells(human: ScoreTable, machine: ScoreTable) -> tuple[Indices, Indices]:
    """Return where the runs of one table stand in the other, and its topics."""
    places = []
    for what in ("systems", "topics"):
        wanted, available = getattr(human, what), getattr(machine, what)
        place = positions(wanted, available)
        lacking = [name for name, at in zip(wanted, place.tolist(), strict=True) if at < 0]
        if lacking:
            raise OptionError(
                f"machine: it must have scores of all {what} that people have; {lacking[0]!r} is "
                f"missing. Hint: score the same {what}."
            )
        places.append(place)
    return places[0], places[1]


def _measures(measures: Any) -> list[Any]:
    return several_measures(DEFAULT_MEASURES if measures is None else measures)


def _undefined_note(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{counted(count, 'topic')} without a score by people counts 0.",)


@dataclass(frozen=True, eq=False)
class LabelledRuns:
    """Runs with labels by people on a part and by one machine on all."""

    judgments: Judgments
    runs: Runs
    labels: Labels
    same_model: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.judged_topics:
            raise OptionError(
                "labels: they have no topic in common with the judgments. Hint: check that both "
                "belong to the same collection."
            )

    @classmethod
    def read(  # noqa: PLR0917 -- what two functions take alike
        cls,
        judgments: Any,
        runs: Any,
        labels: Any,
        by: str | None,
        grades: Sequence[float],
        same_model: Sequence[str],
        of_labels: dict[str, Any],
        reading: Reading,
    ) -> "LabelledRuns":
        """Read what was given, and choose the machine's labels."""
        chosen = as_machine_labels(labels, by, **of_labels)
        judged = reading.judgments(judgments, grades=grades)
        return cls(judged, reading.runs(runs), chosen, tuple(same_model))

    @property
    def has_topics(self) -> bool:
        """Whether people judged whole topics, and not all of them."""
        if self.judgments.is_sample:
            return False
        return len(self.judged_topics) < len(self.labels.topics)

    @property
    def judged_topics(self) -> tuple[str, ...]:
        """The topics with labels by people and by the machine."""
        has = np.diff(self.judgments.starts) > 0
        labelled = set(self.labels.topics)
        topics = zip(self.judgments.topics, has.tolist(), strict=True)
        return tuple(topic for topic, some in topics if some and topic in labelled)

    def usual_measures(self) -> tuple[str, ...]:
        """Return what is estimated where nothing is asked for: what can be."""
        return ("P@10", "SDCG@10") if self.judgments.declared else ("P@10",)

    @property
    def author(self) -> str:
        """Who gave the machine's labels."""
        return self.labels.authors[0].described

    def origin(self, evidence: Evidence) -> Provenance:
        """Return what numbers come from that rest on these labels, too."""
        failed = Notice("labels that failed", self.labels.failed)
        notices = (failed,) if failed.count else ()
        return evidence.provenance.with_notices(*notices).with_options(
            labels=self.labels.recorded_as, label_author=self.author
        )

    def pair(self, measure: Any, *, assume_random: bool, level: float) -> LabelledPair:
        """Return what a gate decides by: the second run less the first."""
        second_less_first = Pairs(np.array([1]), np.array([0]))
        options: dict[str, Any] = {"assume_random": assume_random, "level": level}
        make = self._topic_pair if self.has_topics else self._document_pair
        return make(measure, second_less_first, options)

    # People on some topics.

    def by_people(self) -> Evidence:
        """Return the runs met with people's judgments of topics that the machine labelled, too."""
        others = set(self.labels.topics) - set(self.judged_topics)
        # Lists for topics that the machine alone labelled are not left out: they are scored by it.
        kept = [topic for topic in self.runs.topics if topic not in others]
        people = self.judgments.select(topics=self.judged_topics)
        return align(people, self.runs.select(topics=kept))

    def predicted(self) -> Evidence:
        """Return the runs met with the machine's labels, all topics of these."""
        made = self.labels.predictions(self.labels.names[0])
        return align(made, self.runs, topics=made.topics)

    def _topic_pair(self, measure: Any, pair: Pairs, options: dict[str, Any]) -> LabelledPair:
        people, machine, place = self._scores(measure)
        scores = PowerScores(np.nan_to_num(people.value), np.nan_to_num(machine.value), place)
        weight = candidate_powered(scores.human, scores.machine, place).weight
        rest = scores.machine.mean(axis=1) - scores.machine[:, place].mean(axis=1)
        means = (scores.human.mean(axis=1) + weight * rest).tolist()
        return LabelledPair(
            found=self.topic_differences(measure, pair, **options),
            topics=people.topics,
            deltas=scores.human[1] - scores.human[0],
            means=(means[0], means[1]),
            all_topics=len(machine.topics),
            unchanged=not any(
                (np.abs(values[1] - values[0]) > TOLERANCE).any()
                for values in (scores.human, scores.machine)
            ),
            scores=scores,
        )

    def _scores(self, measure: Any) -> tuple[ScoreTable, ScoreTable, Indices]:
        topics = self.judged_topics
        human = score(
            align(self.judgments.select(topics=topics), self.runs, topics=topics),
            measure,
            bounds="none",
        )
        machine = score(self.predicted(), measure, bounds="none")
        return human, machine, positions(human.topics, machine.topics)

    def _of_topics(self, human: ScoreTable, *, assume_random: bool) -> Evidently:
        left = len(self.judgments.topics) - len(self.judged_topics)
        unlabelled = f"{counted(left, 'judged topic')} without machine labels {are(left)} left out."
        return Evidently(
            people=len(self.judgments.select(topics=self.judged_topics)),
            machine=len(self.labels) - self.labels.failed,
            author=self.author,
            assumed=_RANDOM_TOPICS if assume_random else "",
            refused="" if assume_random else _NOT_RANDOM_TOPICS,
            notes=(
                *_undefined_note(int((~human.defined).sum())),
                *((unlabelled,) if left else ()),
            ),
        )

    def topic_means(
        self, measure: Any, *, assume_random: bool, level: float, width: float | None
    ) -> LabelEstimates:
        """Return means of runs by prediction-powered inference over topics."""
        human, machine, place = self._scores(measure)
        powered = prediction_powered(
            np.nan_to_num(human.value), np.nan_to_num(machine.value), place
        )
        rests_on = self._of_topics(human, assume_random=assume_random)
        made = estimates_of_topics(
            human.measure, human.systems, powered, rests_on, level=level, width=width
        )
        hidden = np.isin(human.systems, self.same_model)
        shown = dict(made.beside) | {"machine": np.where(hidden, np.nan, powered.machine)}
        return replace(made, beside=shown, provenance=self.origin(self.by_people()))

    def topic_differences(
        self, measure: Any, pairs: Pairs, *, assume_random: bool, level: float
    ) -> LabelDifferences:
        """Return differences of runs by prediction-powered inference over topics."""
        human, machine, place = self._scores(measure)
        powered = prediction_powered(
            np.nan_to_num(human.value),
            np.nan_to_num(machine.value),
            place,
            pairs=(pairs.left, pairs.right),
        )
        rests_on = self._of_topics(human, assume_random=assume_random)
        halves = (powered.half_width(level=level), powered.half_width(like_these=True, level=level))
        return LabelDifferences(
            measure=human.measure,
            pairs=_names(pairs, human.systems),
            difference=powered.estimate,
            further=() if rests_on.refused else _both(powered.estimate, halves, level),
            beside={"people": powered.human, "machine": powered.machine},
            rests_on=rests_on,
            provenance=self.origin(self.by_people()),
        )

    # People on some documents.

    def _document_pair(self, measure: Any, pair: Pairs, options: dict[str, Any]) -> LabelledPair:
        case = self._documents(measure, assume_random=options["assume_random"])
        scores = case.estimates().value
        means = scores.mean(axis=1).tolist()
        apart = case.weights.difference_variances(
            np.ones(case.weights.documents), (pair.left, pair.right)
        )
        return LabelledPair(
            found=self.document_differences(measure, pair, **options),
            topics=case.evidence.topics,
            deltas=scores[1] - scores[0],
            means=(means[0], means[1]),
            all_topics=len(case.evidence.topics),
            unchanged=not apart[0] > TOLERANCE,
        )

    def _documents(self, measure: Any, *, assume_random: bool) -> LabelledDocuments:
        return labelled_documents(
            self.judgments, self.runs, self.labels, measure, assume_random=assume_random
        )

    def document_means(self, measure: Any, *, assume_random: bool, level: float) -> LabelEstimates:
        """Return means of runs from a sample of documents."""
        case = self._documents(measure, assume_random=assume_random)
        estimates = case.estimates()
        labels = int((case.drawn & ~case.known).sum())
        curve = label_curve(estimates, case.spread, labels, level=level) if case.may_say else None
        rests_on = self._of_documents(case, assume_random=assume_random)
        made = estimates_of_documents(
            case.measure,
            case.evidence.systems,
            case.evidence.topics,
            estimates,
            rests_on,
            beside=self._beside(case, estimates),
            level=level,
            curve=curve,
        )
        return replace(made, provenance=self.origin(case.evidence))

    def document_differences(
        self, measure: Any, pairs: Pairs, *, assume_random: bool, level: float
    ) -> LabelDifferences:
        """Return differences of runs from a sample of documents."""
        case = self._documents(measure, assume_random=assume_random)
        estimates, both = case.estimates(), (pairs.left, pairs.right)
        apart = estimates.value[pairs.left] - estimates.value[pairs.right]
        means, n = apart.mean(axis=1), apart.shape[1]
        low, high = normal_interval(means, estimates.difference_variances(both), level)
        error = apart.std(axis=1, ddof=1) / np.sqrt(n)
        rests_on = self._of_documents(case, assume_random=assume_random)
        halves = ((high - low) / 2, t_quantile(n - 1, level) * error)
        return LabelDifferences(
            measure=case.measure,
            pairs=_names(pairs, case.evidence.systems),
            difference=means if case.may_say else np.full(len(means), np.nan),
            further=(
                (*_both(means, halves, level), *_never_drawn(estimates, both))
                if case.may_say
                else ()
            ),
            beside={
                name: values[pairs.left] - values[pairs.right]
                for name, values in self._beside(case, estimates).items()
            },
            rests_on=rests_on,
            provenance=self.origin(case.evidence),
        )

    def _of_documents(self, case: LabelledDocuments, *, assume_random: bool) -> Evidently:
        # With a sample whose every document is labelled there is nothing to assume.
        waits = bool((self.judgments.scale == DRAWN_UNGRADED).any())
        assumed = assume_random and (waits or not self.judgments.is_sample)
        chance = case.chance[case.drawn & ~case.known]
        smallest = f"The smallest chance of a drawn document is {chance.min(initial=1):.3f}."
        return Evidently(
            people=int(case.drawn.sum()),
            machine=int((~np.isnan(case.grades)).sum()),
            author=self.author,
            assumed=_RANDOM_DOCUMENTS if assumed else "",
            refused="" if case.may_say else _NO_CHANCES,
            notes=((smallest,) if case.may_say else ()) + case.notes(),
        )

    def _beside(self, case: LabelledDocuments, estimates: DocumentEstimates) -> dict[str, Floats]:
        """Return points without an interval: what the machine, and plain treatments, would say."""
        weights, gain = case.weights, np.where(case.drawn, case.gain, 0.0)
        shown: dict[str, Floats] = {}
        if case.may_say:
            shown["calibrated_labels"] = estimates.calibrated.mean(axis=1)
        alike = case.machine_gain()
        hidden = np.isin(case.evidence.systems, self.same_model)
        if alike is not None:
            shown["machine"] = np.where(hidden, np.nan, weights.sums(alike).mean(axis=1))
        if case.known.any() or not case.may_say:
            old = case.known if case.known.any() else case.drawn
            shown["plain"] = weights.sums(np.where(old, gain, 0.0)).mean(axis=1)
            shown["condensed"] = case.condensed(old)
            if alike is not None:
                raw = weights.sums(np.where(old, gain, alike)).mean(axis=1)
                shown["machine_in_holes"] = np.where(hidden, np.nan, raw)
            shown["calibrated_on_pool"] = weights.sums(case.calibrated_on(old)).mean(axis=1)
        return shown


def _never_drawn(
    estimates: DocumentEstimates, pairs: tuple[Indices, Indices]
) -> tuple[Uncertainty, ...]:
    """Return by how much documents that no sample could draw might change differences."""
    if not estimates.never.any():
        return ()
    return (Uncertainty("never drawn", *estimates.never_drawn_differences(pairs)),)


def _names(pairs: Pairs, systems: Sequence[str]) -> tuple[tuple[str, str], ...]:
    both = zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    return tuple((systems[a], systems[b]) for a, b in both)


def _both(value: Floats, halves: tuple[Floats, Floats], level: float) -> tuple[Uncertainty, ...]:
    return tuple(
        Uncertainty(over, value - half, value + half, level=level)
        for over, half in zip(("labels", "topics"), halves, strict=True)
    )
