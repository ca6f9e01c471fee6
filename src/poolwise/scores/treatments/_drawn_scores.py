"""Scores under drawn grades of the unjudged documents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import Block, Grades
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns._label_draws import TopicDraws, draw_labels
from poolwise.evidence.unknowns.relevance_model._features import LISTS
from poolwise.evidence.unknowns.relevance_model._relevance import TopicGrades
from poolwise.measures._measure import Measure, per_relevant
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import BinaryPreference, InferredAP, JudgedShare
from poolwise.measures.families._normalized import NormalizedSum, ideal_sums
from poolwise.measures.families._recall_based import AveragePrecision
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.provenance._provenance import Provenance, seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Column, Table
from poolwise.results._threads import in_threads
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted

__all__ = [
    "DrawnMoments",
    "DrawnScores",
    "OpenLists",
    "ScoreDistribution",
    "below_reach",
    "bootstrap",
    "counts_by_list",
    "drawn_reach",
    "drawn_scores",
    "is_drawable",
    "means_of_draws",
    "require_drawable",
    "score_draws",
    "sums_by_list",
    "why_not_drawable",
]

_SAME = 1e-12
"""Scores that differ by no more are one."""


@finding
class DrawnScores(Finding):
    """How often each score comes out for one run on one topic (B23 fig. 1).

    Attributes
    ----------
    run, topic : str
        Whose score it is.
    measure : Measure
        What was measured.
    draws : int
        How often grades were drawn.
    values, shares : float array
        Each score, in ascending order, and the share of the draws that give it.
    plain : float
        The score with unjudged documents taken as not relevant.
    condensed, highest : float
        The score without the unjudged documents, and the naive upper bound; NaN where they were
        not asked for.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.scores import bootstrap
    >>> evidence = Evidence.from_grades([[1, None, 0]], judged=[1, 1, 0, 0])
    >>> drawn = bootstrap(evidence, "P@2", rng=1).at(*evidence.systems, *evidence.topics)
    >>> drawn.plain, drawn.values.tolist(), drawn.mode  # a relevant document is still to be found
    (0.5, [0.5, 1.0], 1.0)
    """

    run: str
    topic: str
    measure: Measure
    draws: int
    values: Floats
    shares: Floats
    plain: float
    condensed: float = float("nan")
    highest: float = float("nan")

    @property
    def mode(self) -> float:
        """The most frequent score, the smaller of equals: the estimate of B23."""
        return float(self.values[self.shares.argmax()])

    @property
    def reached(self) -> float:
        """The smallest score that at least 95% of the draws do not exceed."""
        return float(self.values[int(np.argmax(np.cumsum(self.shares) >= 0.95 - _SAME))])

    def columns(self) -> Columns:
        """Return one row per score."""
        rows = len(self.values)
        return {
            "run": [self.run] * rows,
            "topic": [self.topic] * rows,
            "measure": [str(self.measure)] * rows,
            "plain": [self.plain] * rows,
            "condensed": [self.condensed] * rows,
            "naive_upper": [self.highest] * rows,
            "score": self.values.tolist(),
            "share": self.shares.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which score is the most frequent, and what it is without the unjudged documents."""
        what = f"{self.measure} of {self.run} on topic {self.topic}"
        times = counted(self.draws, "draw")
        if len(self.values) == 1:
            only = f"{what} is {self.plain:.4f} in all of {times}"
            return (f"{only}: no unjudged document can change it.",)
        often = f"{what} is most often {self.mode:.4f} over {times}"
        return (
            f"{often}, and at most {self.reached:.4f} in 95% of them.",
            f"With unjudged documents as not relevant it is {self.plain:.4f}.",
        )


def drawn_scores(
    plain: ScoreTable, place: tuple[int, int], ordered: Floats, provenance: Provenance
) -> DrawnScores:
    """Count the scores of one run on one topic, which stand in ascending order."""
    first = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > _SAME)
    counts = np.diff(np.append(first, len(ordered)))
    run, topic = plain.systems[place[0]], plain.topics[place[1]]
    return DrawnScores(
        run=run,
        topic=topic,
        measure=plain.measure,
        draws=len(ordered),
        values=ordered[first],
        shares=counts / len(ordered),
        plain=float(plain.value[place]),
        provenance=provenance.with_options(run=run, topic=topic),
    )


_ABOUT_JUDGING = (BinaryPreference, InferredAP, JudgedShare, SampledMeasure)
"""Measures that drawn grades would turn into something else."""
PERCENTS = (75, 90, 95)
"""The percentiles that B23 §4.2 reports."""


@finding
class ScoreDistribution(Finding):
    """Scores of every run on every topic under drawn grades.

    Attributes
    ----------
    plain : ScoreTable
        The scores with unjudged documents taken as not relevant.
    values : float array, systems × topics × draws
        The scores under each draw. With joint draws the same draw grades a document alike in all
        runs, so differences between runs can be taken draw by draw.
    joint : bool
        Whether one grade per document was drawn for all runs at once.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1]], judged=[1, 1, 0, 0])
    >>> drawn = bootstrap(evidence, "P@2", rng=1, prior="pool", draws=100)
    >>> drawn.mode().item(), drawn.mean().item(), drawn.percentile(95).item()
    (0.5, 0.71, 1.0)
    >>> drawn.at(drawn.plain.systems[0], drawn.plain.topics[0]).values.tolist()
    [0.5, 1.0]
    """

    plain: ScoreTable
    values: Floats
    joint: bool = False

    @cached_property
    def ordered(self) -> Floats:
        """The scores in ascending order, list by list."""
        return np.sort(self.values, axis=2)

    def mode(self, *, bins: int | None = None) -> Floats:
        """Return the most frequent score, systems × topics: the point estimate (B23 §4).

        Scores that differ by at most 1e-12 are one; of equally frequent ones it is the smaller.
        With ``bins``, so many between 0 and 1, it is the mean of the scores in the fullest bin: a
        distribution over many scores has a mode that a few draws decide.
        """
        if bins is None:
            return np.array([_mode(rows) for rows in self.ordered])
        if bins < 1:
            raise OptionError(f"bins: must be 1 or more; got {bins}. Hint: use 20.")
        return np.array([_binned_mode(rows, bins) for rows in self.ordered])

    def mean(self) -> Floats:
        """Return the mean score, systems × topics."""
        return self._means

    @cached_property
    def _means(self) -> Floats:
        # A system at a time, so that memory stays small.
        found = [_mean_around_first(of) for of in self.values]
        return np.array(found).reshape(self.values.shape[:2])

    def deviation(self) -> Floats:
        """Return the standard deviation over the draws, systems × topics."""
        # A system at a time: numpy makes a copy of what it centres.
        return np.array([of.std(axis=1) for of in self.values]).reshape(self.values.shape[:2])

    def percentile(self, percent: float) -> Floats:
        """Return the smallest score that at least this share of the draws does not exceed."""
        if not 0 < percent <= 100:
            raise OptionError(
                f"percentile: must lie above 0 and at most at 100; got {percent}. Hint: use "
                "75, 90 or 95."
            )
        place = int(np.ceil(percent / 100 * self.values.shape[2] - 1e-9)) - 1
        if "ordered" in vars(self):
            return np.asarray(self.ordered[:, :, place])
        # A system at a time, without a copy of all the draws in order.
        percentiles = [np.partition(of, place, axis=1)[:, place] for of in self.values]
        return np.array(percentiles).reshape(self.values.shape[:2])

    def table(
        self, *, percentile: float = 95, point: str = "mode", bins: int | None = None
    ) -> ScoreTable:
        """Return modes or means, with a range from plain score to percentile (B23 §4.2)."""
        upper = self.percentile(percentile)
        value = self.mode(bins=bins) if point == "mode" else self.mean()
        return replace(self.plain, value=value, lower=self.plain.value, upper=upper)

    def at(self, run: str, topic: str) -> "DrawnScores":
        """Return the distribution of one run on one topic (B23 fig. 1)."""
        require_choice("run", run, self.plain.systems)
        require_choice("topic", topic, self.plain.topics)
        place = self.plain.systems.index(run), self.plain.topics.index(topic)
        return drawn_scores(self.plain, place, self.ordered[place], self.provenance)

    def columns(self) -> Columns:
        """Return one row per run and topic: the plain score, and what the draws give."""
        systems, topics = self.plain.systems, self.plain.topics
        numbers = {
            "plain": self.plain.value,
            "mode": self.mode(),
            "mean": self.mean(),
            **{f"percentile{percent}": self.percentile(percent) for percent in PERCENTS},
        }
        return {
            "run": [system for system in systems for _ in topics],
            "measure": [str(self.plain.measure)] * (len(systems) * len(topics)),
            "topic": list(topics) * len(systems),
            **{name: values.ravel().tolist() for name, values in numbers.items()},
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how much higher the scores are under drawn grades, on average and at most."""
        drawn, plain = self.table(), self.plain.means()
        runs, draws = counted(len(plain), "run"), counted(self.values.shape[2], "draw")
        gained = drawn.means() - plain
        if np.isnan(gained).any():
            return (f"No topic has a {self.plain.measure} for all of {runs} ({draws}).",)
        most = int(gained.argmax())
        average = (
            f"Over {draws} of grades for unjudged documents, the most frequent "
            f"{self.plain.measure} is {gained.mean():.4f} above the plain score on average over "
            f"{runs}."
        )
        return average, (
            f"It is furthest above it for {drawn.systems[most]}: {drawn.means()[most]:.4f} against "
            f"{plain[most]:.4f}, with a 95th percentile of {drawn.mean_bounds()[1][most]:.4f}."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, best first: means over topics."""
        drawn = self.table()
        columns = {
            Column("run"): list(drawn.systems),
            Column("plain", digits=4): self.plain.means().tolist(),
            Column("mode", digits=4, best="max"): drawn.means().tolist(),
            Column("95th percentile", digits=4): drawn.mean_bounds()[1].tolist(),
        }
        return (
            Table.by_column(
                columns,
                order=drawn.order().tolist(),
                title=f"{drawn.measure} under {counted(self.values.shape[2], 'draw')} of grades",
                notes=drawn.caveats(),
            ),
        )


@recorded
def bootstrap(
    evidence: Evidence,
    measure: Measure | str,
    *,
    rng: int | np.random.Generator = 1,
    prior: str = "pool+run",
    over: str = "topics",
    draws: int = 1000,
    joint: bool = False,
    labels: Labels | None = None,
) -> ScoreDistribution:
    """Score every run under drawn grades of its unjudged documents (B23 algorithm 1).

    The documents down to the measure's cut-off are graded, and the ideal ranking stays that of
    the pool, so scores remain comparable with those of fully judged runs. All scores are kept: 8
    bytes per system, topic and draw.

    Parameters
    ----------
    evidence : Evidence
    measure : Measure or str
        Any measure that says something about documents with a grade.
    prior : {"pool", "run", "pool+run", "multiplicity"}
        Where the probabilities of grades come from: the topic's judged documents, those of the
        list, the mean of both, or judged documents that as many runs retrieve (U18 table 4). A
        list without judged documents has those of the pool; a run without any on all topics has
        no prior "run".
    over : {"topics", "all"}
        Whose judged documents the pool's shares are of: each topic's own, as B23 writes, or those
        of all topics, as its authors' code has it; that code also expects grade 0 in a list
        without judged documents.
    draws : int
        How many assignments of grades to draw.
    joint : bool
        Draw one grade per document for all runs, as comparisons between runs need.
    labels : Labels, optional
        Grades by one machine, of judged and unjudged documents. The prior of each document is
        multiplied by how often judged documents of a grade have its label (B23 §5 wishes for it).

    Returns
    -------
    ScoreDistribution
        The scores of every draw, by system and topic, beside the plain ones.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[2, None, 0], [1, 0, 0]], judged=[2, 1, 0, 0, 1])
    >>> drawn = bootstrap(evidence, "nDCG@3", rng=1)
    >>> drawn.plain.value.round(3).tolist(), drawn.mode().round(3).tolist()
    ([[0.639], [0.319]], [[0.84], [0.319]])
    """
    measure = parse_measure(measure)
    require_drawable(measure)
    plain = score(evidence, measure, bounds="none")
    values = np.empty((*plain.value.shape, max(draws, 0)))
    values[...] = plain.value[:, :, None]
    seen = measure.cut(evidence)
    if prior == "run":
        _require_judged(seen)
    parts = draw_labels(
        seen, rng=rng, prior=prior, over=over, draws=draws, joint=joint, labels=labels
    )
    if isinstance(measure, StaticWeights | NormalizedSum):
        _add_drawn_gains(values, parts, measure, seen)
    else:
        for drawn in parts:
            values[drawn.systems, drawn.topic] = measure.score_block(drawn.block).T
    options = {"prior": prior, "over": over, "draws": draws, "joint": joint}
    about_labels = {} if labels is None else {"labels": labels.recorded_as}
    origin = plain.provenance.with_options(**seed_option(rng), **options, **about_labels)
    return ScoreDistribution(plain, values, joint, provenance=origin)


def _add_drawn_gains(
    values: Floats,
    parts: Iterator[TopicDraws],
    measure: StaticWeights | NormalizedSum,
    seen: Grades,
) -> None:
    """Add what the drawn documents gain; the judged ones are in the plain score (B23 §3.2)."""
    gains, weights = measure.gain_table(seen.scale), measure.weights(seen.depth)
    divisor = np.ones(len(seen.topics))
    if isinstance(measure, NormalizedSum):
        ideal = measure.ideal()
        divisor = np.concatenate([ideal_sums(ideal, block) for block in seen.blocks])
    for drawn in parts:
        # Without any gain in the pool the score is undefined, and stays so.
        divided = weights / (divisor[drawn.topic] or np.nan)
        values[drawn.systems, drawn.topic] += drawn.sums(gains, divided)


def means_of_draws(values: Floats, topics: Booleans) -> Floats:
    """Return means over these topics, systems × draws, of systems × topics × draws.

    Examples
    --------
    >>> means_of_draws(np.array([[[0.0, 1.0], [1.0, 1.0]]]), np.array([True, True])).tolist()
    [[0.5, 1.0]]
    """
    # As a rule it is all of them, and a copy of all draws takes longer than their means; a single
    # draw would be added up in another order.
    whole = topics.all() and values.shape[2] > 1
    return np.asarray((values if whole else values[:, topics]).mean(axis=1))


def is_drawable(measure: Measure) -> bool:
    """Tell whether grades can be drawn for a measure: not if it is about what is judged."""
    return not isinstance(measure, _ABOUT_JUDGING)


def why_not_drawable(measure: Measure) -> str:
    """Say why no grades are drawn for a measure, after its name."""
    if isinstance(measure, SampledMeasure):
        return "estimates what has no grade already"
    return "is about which documents are judged"


def require_drawable(measure: Measure) -> None:
    """Raise where drawn grades would not change what the measure is about."""
    if not is_drawable(measure):
        raise OptionError(
            f"measure: {measure!r} {why_not_drawable(measure)}, so grades cannot be drawn "
            "for it. Hint: use a measure of the ranking, such as nDCG@10."
        )


def _require_judged(seen: Grades) -> None:
    """Raise where a run has unjudged documents and, on all topics, no judged one to learn from.

    Where this holds on some topics only, the probabilities of the pool stand in on these.
    """
    judged = np.any([(block.codes >= 0).any(axis=(1, 2)) for block in seen.blocks], axis=0)
    unjudged = np.any([block.ungraded.any(axis=(1, 2)) for block in seen.blocks], axis=0)
    for s in np.flatnonzero(unjudged & ~judged).tolist():
        raise OptionError(
            f"prior: 'run' needs judged documents, and run {seen.systems[s]!r} has none in its "
            f"first {seen.depth} ranks. Hint: use 'pool' or 'pool+run', or leave it out."
        )


def _mode(ordered: Floats) -> Floats:
    """Return the most frequent value of each ascending row, the smallest of equally frequent."""
    place = np.arange(ordered.shape[1], dtype=np.int32)
    starts = np.zeros(ordered.shape, np.int32)
    starts[:, 1:] = np.where(np.diff(ordered, axis=1) > 1e-12, place[1:], 0)
    starts = np.maximum.accumulate(starts, axis=1)
    # The longest stretch of equal values is where a place is furthest from its start.
    furthest = (place - starts).argmax(axis=1)
    rows = np.arange(len(ordered))
    return np.asarray(ordered[rows, starts[rows, furthest]])


def _binned_mode(ordered: Floats, bins: int) -> Floats:
    """Return the mean of the values in the fullest bin of each row, the lowest of equally full."""
    places = np.clip(np.floor(ordered * bins + 1e-9), 0, bins - 1)
    fullest = _mode(places)
    chosen = places == fullest[:, None]
    return np.asarray(np.where(chosen, ordered, 0.0).sum(axis=1) / chosen.sum(axis=1))


_MANY = 1 << 22
"""Scores under draws from which topics are worked on side by side."""
_CELLS = 1 << 18
"""Lists × draws × ranks that are scored at a time."""


def drawn_reach(measure: Measure) -> int:
    """Return to which rank unjudged documents get grades: the cut-off, as far as a model looks.

    Examples
    --------
    >>> [drawn_reach(parse_measure(name)) for name in ("P@10", "AP", "R@1000")]
    [10, 100, 100]
    """
    return min(getattr(measure, "cutoff", None) or LISTS, LISTS)


def below_reach(evidence: Grades, measure: Measure) -> tuple[str, ...]:
    """Say what draws do not fill: unjudged documents further down than a model looks.

    Examples
    --------
    >>> deep = Grades.from_grades([[1] + 100 * [None]])
    >>> print(*below_reach(deep, parse_measure("AP")))
    Estimates and draws are of the first 100 ranks: unjudged documents below them count as not
    relevant.
    >>> below_reach(deep, parse_measure("P@10")), below_reach(deep, parse_measure("RBP(p=0.8)"))
    ((), ())
    """
    seen, reach = measure.cut(evidence), drawn_reach(measure)
    if isinstance(measure, StaticWeights) and _weighs_nothing(measure, reach, evidence.depth):
        return ()
    if (count_ungraded(seen) == count_ungraded(seen.truncate(reach))).all():
        return ()
    said = f"Estimates and draws are of the first {reach} ranks: unjudged documents below them"
    return (f"{said} count as not relevant.",)


_NOTHING = 1e-6
"""A share of a score that no output shows."""


def _weighs_nothing(measure: StaticWeights, reach: int, depth: int) -> bool:
    """Tell whether ranks below the reach have next to no weight, as those of RBP(p=0.8)."""
    return bool(measure.rank_weights(depth)[reach:].sum() < _NOTHING)


def score_draws(
    evidence: Evidence,
    measure: Measure,
    topic_grades: Iterable[TopicGrades],
    *,
    draws: int,
    shared: bool,
) -> Floats:
    """Score every run under every drawn assignment of grades, systems × topics × draws.

    R and the ideal ranking are those of the assignment. Documents that stand below the measure's
    cut-off in every run take no part: they could matter only for R or the ideal. A score that the
    judgments leave undefined stays so.

    Parameters
    ----------
    evidence : Evidence
        Runs and what is judged.
    measure : Measure
    topic_grades : iterable of TopicGrades
        Drawn grades of unjudged documents.
    draws : int
        How many assignments were drawn.
    shared : bool
        Whether the documents of all runs count, as if all had been pooled together; else each run
        is scored as if it alone had been pooled.
    """
    plain = measure.score(evidence)
    values = np.empty((*plain.shape, draws))
    values[...] = plain[:, :, None]
    for topic, systems, scores in _moved_lists(
        evidence, measure, topic_grades, plain=plain, draws=draws, shared=shared
    ):
        values[systems, topic] = scores
    # A topic without a score now stays so in every draw, or means would be over other topics.
    values[np.isnan(plain)] = np.nan
    return values


def _moved_lists(
    evidence: Evidence,
    measure: Measure,
    topic_grades: Iterable[TopicGrades],
    *,
    plain: Floats,
    draws: int,
    shared: bool,
) -> Iterator[tuple[int, Indices, Floats]]:
    """Yield topic by topic whose lists draws move, and their scores, lists × draws."""
    reach = drawn_reach(measure)
    # A sum over documents is what it was where nothing was drawn, to the last bit.
    untouched = not shared or isinstance(measure, StaticWeights | NormalizedSum)

    def scored(drawn: TopicGrades) -> tuple[int, Indices, Floats] | None:
        if untouched and not (drawn.best <= reach).any():
            return None  # No drawn document of this topic stands high enough to count.
        number, place = evidence.locate(drawn.topic)
        block = evidence.blocks[number].part(np.arange(len(plain)), slice(place, place + 1))
        lists = OpenLists.of(block, drawn, reach, shared=shared)
        if not len(lists.systems):
            return None
        return drawn.topic, lists.systems, lists.scores(measure, plain[:, drawn.topic])

    # Topics have nothing to do with each other; a few small ones are not worth a thread.
    is_large = plain.size * draws > _MANY
    found = in_threads(scored, topic_grades) if is_large else map(scored, topic_grades)
    yield from filter(None, counting(found, "topics drawn", len(evidence.topics)))


@dataclass(frozen=True, eq=False)
class DrawnMoments:
    """What draws say of scores, without the draws, which may be too many to be kept.

    Attributes
    ----------
    plain : ScoreTable
        The scores with unjudged documents taken as not relevant.
    mean, deviation : float array, systems × topics
        Of the scores over draws.
    means : float array, systems × draws
        Over the topics on which every system has a score.
    provenance : Provenance
        What was drawn.
    """

    plain: ScoreTable
    mean: Floats
    deviation: Floats
    means: Floats
    provenance: Provenance

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        plain: ScoreTable,
        topic_grades: Iterable[TopicGrades],
        *,
        draws: int,
        shared: bool,
        provenance: Provenance,
    ) -> "DrawnMoments":
        """Score every run as :func:`score_draws` does, and keep the moments alone."""
        value, defined = plain.value, plain.defined
        mean, deviation, total = value.copy(), np.zeros(value.shape), np.zeros((len(value), draws))
        moved = _moved_lists(
            evidence, plain.measure, topic_grades, plain=value, draws=draws, shared=shared
        )
        # Means add up topic after topic, whether draws move any of its scores or not.
        following = 0
        for topic, systems, scores in moved:
            mean[systems, topic] = _mean_around_first(scores)
            deviation[systems, topic] = scores.std(axis=1)
            _add_topics(total, value[:, following:topic], defined[following:topic])
            if defined[topic]:
                column = np.repeat(value[:, topic, None], draws, axis=1)
                column[systems] = scores
                total += column
            following = topic + 1
        _add_topics(total, value[:, following:], defined[following:])
        # A topic without a score now stays so in every draw.
        mean[np.isnan(value)] = deviation[np.isnan(value)] = np.nan
        # Where no topic has a score, no mean has one, and nothing is divided by nothing.
        means = total / np.count_nonzero(defined) if defined.any() else np.full_like(total, np.nan)
        return cls(plain, mean, deviation, means, provenance)


def _add_topics(total: Floats, values: Floats, topics: Booleans) -> None:
    """Add the same scores to every draw, one topic after the other."""
    for topic in np.flatnonzero(topics).tolist():
        total += values[:, topic, None]


def _mean_around_first(scores: Floats) -> Floats:
    """Return the mean over draws, so that equal scores have exactly that score as their mean."""
    return np.asarray((scores - scores[:, :1]).mean(axis=1) + scores[:, 0])


@dataclass(frozen=True, eq=False)
class OpenLists:
    """The lists of one topic whose scores differ between drawn gradings.

    Attributes
    ----------
    block : DocumentBlock
        All systems on this one topic.
    systems : int array, lists
        Which systems' lists these are.
    lists, ranks, documents : int array, entries
        Where drawn documents stand: an index into ``systems``, ascending, a rank from 0, ascending
        in a list, and a row of ``labels``.
    labels : int array, documents × draws
        Grade codes.
    shared : bool
        Whether documents count that the run does not hold.
    """

    block: DocumentBlock
    systems: Indices
    lists: Indices
    ranks: Indices
    documents: Indices
    labels: NDArray[np.integer]
    shared: bool

    @classmethod
    def of(
        cls, block: DocumentBlock, drawn: TopicGrades, depth: int, *, shared: bool
    ) -> "OpenLists":
        """Find where the drawn documents stand in the lists of a topic."""
        kept = drawn.best <= depth
        first, past = block.document_starts.tolist()
        # The last entry is for document code −1, past the end of a list.
        place = np.full(past - first + 1, -1)
        place[drawn.rows[kept] - first] = np.arange(kept.sum())
        places = place[block.documents[:, 0, : None if shared else depth]]
        at, ranks = np.nonzero(places >= 0)
        systems = np.arange(len(places)) if shared else np.unique(at)
        lists = np.searchsorted(systems, at)
        return cls(block, systems, lists, ranks, places[at, ranks], drawn.labels[kept], shared)

    @property
    def draws(self) -> int:
        """How many gradings were drawn."""
        return int(self.labels.shape[1])

    @cached_property
    def pools(self) -> Integers:
        """How many documents of each grade the topic has, lists × draws × grades.

        With shared documents it is the same for all lists, and there is one row.
        """
        grades = len(self.block.scale)
        if self.shared:
            counts = [(self.labels == grade).sum(axis=0) for grade in range(grades)]
            return self.block.pool[0] + np.stack(counts, axis=1)[None]
        count = len(self.systems)
        added = counts_by_list(self.lists, self.documents, self.labels, count=count, grades=grades)
        return self.block.pool[0] + added

    def _in_turn(self) -> Iterable[tuple[Indices, Indices]]:
        """Go down the lists together: those that have an n-th drawn document, and which it is."""
        first = np.searchsorted(self.lists, np.arange(len(self.systems)))
        counts = np.bincount(self.lists, minlength=len(first))
        for nth in range(counts.max(initial=0)):
            more = np.flatnonzero(counts > nth)
            yield more, first[more] + nth

    @cached_property
    def divisors(self) -> Block:
        """The pools as a block without ranks, one topic per row and draw, for ideals and R."""
        pool = self.pools.reshape(-1, len(self.block.scale))
        nothing = np.empty((1, len(pool), 0), self.block.codes.dtype)
        return Block(codes=nothing, scale=self.block.scale, pool=pool)

    def scores(self, measure: Measure, plain: Floats) -> Floats:
        """Return the scores, lists × draws; ``plain`` are those of all systems as judged."""
        # A sum over documents needs only what the drawn ones add; others are scored as whole lists.
        if isinstance(measure, StaticWeights):
            return plain[self.systems, None] + self._gained(measure)
        shape = (len(self.pools), self.draws)
        if isinstance(measure, NormalizedSum):
            sums = measure.raw().score_block(self.block)[self.systems]
            ideal = ideal_sums(measure.ideal(), self.divisors).reshape(shape)
            return per_relevant(sums + self._gained(measure), ideal)
        if isinstance(measure, AveragePrecision):
            divisor = measure.divisor(self.divisors).reshape(shape)
            return per_relevant(self._precision_sums(measure), divisor)
        return self._scored_whole(measure)

    def _gained(self, measure: StaticWeights | NormalizedSum) -> Floats:
        """Return Σ weight × gain of the drawn documents, lists × draws."""
        gains, weights = measure.gain_table(self.block.scale), measure.weights(self.block.depth)
        of_entry = weights[self.ranks]
        entries = np.flatnonzero(of_entry > 0)
        lists, documents = self.lists[entries], self.documents[entries]
        count = len(self.systems)
        return sums_by_list(lists, documents, self.labels, gains, of_entry[entries], count=count)

    def _precision_sums(self, measure: AveragePrecision) -> Floats:
        """Return the sum of precisions at relevant documents, lists × draws.

        A drawn document at rank u adds its own precision, and 1/i to each judged relevant
        document at a rank i below; drawn ones above it are counted on the way down.
        """
        cut = measure.cut(self.block)
        level = int(np.searchsorted(cut.scale, measure.rel))
        judged_relevant = cut.codes[self.systems, 0] >= level
        place = np.arange(1, cut.depth + 1)
        above = np.cumsum(judged_relevant, axis=1)
        # What a relevant document at this rank adds to the precisions of judged ones further down.
        below = np.cumsum((judged_relevant / place)[:, ::-1], axis=1)[:, ::-1]
        sums = np.repeat((judged_relevant * above / place).sum(axis=1)[:, None], self.draws, axis=1)
        met = np.zeros(sums.shape)
        for lists, entries in self._in_turn():
            seen = self.ranks[entries] < cut.depth
            at, ranks = lists[seen], self.ranks[entries[seen]]
            relevant = self.labels[self.documents[entries[seen]]] >= level
            alone = (1 + above[at, ranks]) / place[ranks] + below[at, ranks]
            # Drawn documents above raise its precision, too; how many are relevant differs by draw.
            sums[at] += relevant * (alone[:, None] + met[at] / place[ranks, None])
            met[at] += relevant
        return sums

    def _scored_whole(self, measure: Measure) -> Floats:
        """Return the scores of whole lists, a few lists at a time, lists × draws."""
        step = max(1, _CELLS // max(1, self.draws * self.block.depth))
        parts = [
            measure.score_block(self._filled(slice(first, first + step))).reshape(-1, self.draws)
            for first in range(0, len(self.systems), step)
        ]
        return np.concatenate(parts)

    def _filled(self, part: slice) -> Block:
        """Return lists with their drawn grades: one system, one topic per list and draw."""
        chosen = np.arange(len(self.systems))[part]
        codes = np.repeat(self.block.codes[self.systems[chosen], 0][:, None], self.draws, axis=1)
        inside = np.isin(self.lists, chosen)
        lists, ranks = self.lists[inside] - chosen[0], self.ranks[inside]
        codes[lists, :, ranks] = self.labels[self.documents[inside]]
        whole = np.broadcast_to(self.pools, (len(self.systems), *self.pools.shape[1:]))
        pool = whole[chosen].reshape(-1, len(self.block.scale))
        flat = codes.reshape(1, -1, self.block.depth)
        return Block(codes=flat, scale=self.block.scale, pool=pool)


def counts_by_list(
    lists: Indices, documents: Indices, labels: NDArray[np.integer], *, count: int, grades: int
) -> Integers:
    """Count the documents of each grade that entries name: lists × draws × grades.

    Examples
    --------
    >>> labels = np.array([[1, 0], [1, 1]])
    >>> lists, documents = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> counts_by_list(lists, documents, labels, count=2, grades=2).tolist()
    [[[0, 2], [1, 1]], [[0, 1], [0, 1]]]
    """
    counts = np.empty((count, labels.shape[1], grades), np.int64)
    ones = np.ones(len(lists))
    # Most have the lowest grade: it is that of all without another.
    counts[..., 0] = np.bincount(lists, minlength=count)[:, None]
    for grade in range(1, grades):
        gains = (np.arange(grades) == grade).astype(np.float64)
        counts[..., grade] = sums_by_list(lists, documents, labels, gains, ones, count=count)
        counts[..., 0] -= counts[..., grade]
    return counts


def sums_by_list(
    lists: Indices,
    documents: Indices,
    labels: NDArray[np.integer],
    gains: Floats,
    weights: Floats,
    *,
    count: int,
) -> Floats:
    """Add up weight × gain of entries by list, in their order: lists × draws.

    ``labels`` are grades by document and draw, and most have no gain: only the others are gone
    through, in parts of a few lists, so that they are never many at a time.

    Examples
    --------
    >>> labels, gains = np.array([[1, 0], [1, 1]]), np.array([0.0, 1.0])
    >>> lists, documents = np.array([0, 0, 2]), np.array([0, 1, 1])
    >>> sums_by_list(lists, documents, labels, gains, np.array([4.0, 2.0, 1.0]), count=3).tolist()
    [[6.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    """
    draws = labels.shape[1]
    places = np.flatnonzero(_having(labels, np.flatnonzero(gains).tolist()))
    value, draw = gains[labels.ravel()[places]], places % draws
    starts = np.searchsorted(places, np.arange(len(labels) + 1) * draws)
    sizes = np.diff(starts)[documents]
    total = np.empty((count, draws))
    for some, here in _by_size(lists, sizes, count):
        times, first = sizes[here], starts[documents[here]]
        # From the first place of each document on, one after the other.
        at = np.repeat(first - np.cumsum(times) + times, times) + np.arange(times.sum())
        cells = np.repeat((lists[here] - some.start) * draws, times) + draw[at]
        added = value[at] * np.repeat(weights[here], times)
        # It adds up in the order in which cells come.
        sums = np.bincount(cells, added, minlength=(some.stop - some.start) * draws)
        total[some] = sums.reshape(-1, draws)
    return total


def _having(labels: NDArray[np.integer], grades: list[int]) -> Booleans:
    """Tell which labels are among these grades, as a rule the highest."""
    if len(grades) == 1:
        return np.asarray(labels == grades[0])
    return np.asarray(labels >= grades[0] if grades else np.zeros(labels.shape, np.bool_))


def _by_size(lists: Indices, sizes: Integers, count: int) -> Iterator[tuple[slice, slice]]:
    """Cut lists so that their entries' sizes add up to few; a large list is a part.

    Examples
    --------
    >>> lists, sizes = np.array([0, 0, 2]), np.array([_CELLS, 1, 1])
    >>> [(some.stop, here.stop) for some, here in _by_size(lists, sizes, 3)]
    [(1, 2), (3, 3)]
    """
    edges = np.searchsorted(lists, np.arange(count + 1))
    before = np.append(0, np.cumsum(sizes))[edges]
    first = 0
    while first < count:
        past = int(np.searchsorted(before, before[first] + _CELLS, side="right")) - 1
        past = max(min(past, count), first + 1)
        yield slice(first, past), slice(int(edges[first]), int(edges[past]))
        first = past
