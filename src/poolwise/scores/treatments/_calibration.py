"""Ranges around what a relevance model expects, as wide as its errors on known runs ask for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import HashedRandom, Keys
from poolwise.evidence._evidence import Evidence, codes_of_documents
from poolwise.evidence._grades import UNJUDGED, Block, join_topics
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import (
    FEWEST_KINDS,
    PooledDocuments,
    Units,
    document_codes,
    units_text,
)
from poolwise.evidence.unknowns.relevance_model._relevance import (
    RelevanceModel,
    TopicGrades,
    document_keys,
    draw_grades,
    fit_relevance,
)
from poolwise.measures._measure import Measure, per_relevant
from poolwise.measures.families._normalized import NormalizedSum, ideal_sums
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.results._progress import counting
from poolwise.results._threads import in_threads
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty
from poolwise.scores.treatments._drawn_scores import (
    DrawnMoments,
    counts_by_list,
    drawn_reach,
    means_of_draws,
    score_draws,
    sums_by_list,
)
from poolwise.words import have, named

__all__ = [
    "ADAPTIVE",
    "CALIBRATED",
    "MOST_UNITS",
    "NOT_CALIBRATED",
    "ROUNDING",
    "Calibration",
    "DifferenceCalibration",
    "DifferenceErrors",
    "LeftOutErrors",
    "LeftOutUnit",
    "calibrate",
    "calibrate_differences",
    "conformal_factor",
    "errors_at_once",
    "group_quantile",
    "leave_units_out",
    "left_out_differences",
    "left_out_errors",
    "promised_level",
]

Made = TypeVar("Made")

_Errors = tuple[Indices, Indices, Integers, Floats, Floats, Floats, Floats]
"""The columns of :class:`LeftOutErrors`."""


def promised_level(groups: int, wanted: float = 0.95) -> float:
    """Return the level that so many groups can promise, at most the wanted one.

    A new group is as likely to be the worst of m + 1 as any other: m/(m + 1) is the most.

    Examples
    --------
    >>> promised_level(40), round(promised_level(9), 3), promised_level(19)
    (0.95, 0.9, 0.95)
    """
    return min(wanted, groups / (groups + 1))


def conformal_factor(scaled: Floats, units: Indices, level: float) -> float:
    """Return by how much a standard deviation must be stretched for ranges to hold at a level.

    It is the smallest q for which the sum over groups of the share of their runs with a scaled
    error of at most q reaches level × (groups + 1) (the rank rule of split conformal prediction;
    a group counts once, however many runs it has).

    Parameters
    ----------
    scaled : float array, runs
        |error| / standard deviation of each left-out run.
    units : int array, runs
        The group of each.
    level : float
        The share of new groups for which the range is to hold.

    Returns
    -------
    float
        ∞ where there are too few groups for the level.

    Examples
    --------
    >>> conformal_factor(np.arange(1.0, 20.0), np.arange(19), 0.95)
    19.0
    >>> conformal_factor(np.arange(1.0, 19.0), np.arange(18), 0.95)
    inf
    """
    groups = len(np.unique(units))
    # The group to come is one of groups + 1 that are alike, and its error may be the largest.
    return group_quantile(scaled, units, level * (groups + 1) / groups)


def group_quantile(values: Floats, units: Indices, share: float) -> float:
    """Return the smallest value that this share of all does not exceed, if a group counts once.

    Examples
    --------
    >>> group_quantile(np.array([1.0, 2.0, 3.0, 9.0]), np.array([0, 0, 0, 1]), 0.5)
    3.0
    >>> group_quantile(np.array([1.0, 2.0]), np.array([0, 1]), 1.1)
    inf
    """
    _, which, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.argsort(values, kind="stable")
    # A run weighs 1 over the runs of its group, so that a group of many runs does not decide alone.
    reached = np.cumsum(1 / sizes[which][order])
    # A sum of shares such as 1/3 may fall short of a whole number by rounding.
    enough = np.flatnonzero(reached >= share * len(sizes) - 1e-9)
    return float(values[order][enough[0]]) if len(enough) else float("inf")


DRAWS = 200
"""Draws for each unit that is left out: a standard deviation needs no more."""
MOST_UNITS = 100
"""Units that are left out at most; of more, as many are drawn. TREC-8 has 53; 19 promise 95%."""
_CELLS = 1 << 19
"""Lists × ranks of pooled runs that a left-out unit is compared with, which decides how many."""
_FEWEST_RIVALS = 10


@dataclass(frozen=True, eq=False)
class LeftOutUnit:
    """Pooled runs, as the model sees them without the judgments that they alone brought in.

    Attributes
    ----------
    unit : int
        Which unit.
    systems : int array
        Its pooled runs.
    rows : int array
        The documents that these judgments are of, as rows of the evidence.
    counts : int array, topics × grades
        How many judged documents of each grade a topic has left.
    draws : tuple of TopicGrades
        Grades of these documents, drawn from a model that was fitted without them.
    """

    unit: int
    systems: Indices
    rows: Integers
    counts: Integers
    draws: tuple[TopicGrades, ...]

    def hide(self, evidence: Evidence, codes: NDArray[np.integer]) -> Evidence:
        """Return these lists, cut or not, without the judgments; ``codes`` are by document row."""
        left = codes.copy()
        left[self.rows] = UNJUDGED
        return evidence.with_blocks(
            block.regrade(left, self.counts[topics])
            for topics, block in zip(evidence.slices, evidence.blocks, strict=True)
        )


def leave_units_out(
    documents: PooledDocuments, model: RelevanceModel, *, rng: int, at_once: int = 1
) -> tuple[LeftOutUnit, ...]:
    """Fit the model again without each unit that alone brought a document in.

    Of more than ``MOST_UNITS``, that many are drawn, by their names and the seed. With ``at_once``,
    units are drawn into sets of so many at least, and a set is left out as one.
    """
    return _of_left_out(documents, model, lambda unit: unit, rng=rng, at_once=at_once)


def _of_left_out(
    documents: PooledDocuments,
    model: RelevanceModel,
    use: Callable[[LeftOutUnit], Made],
    *,
    rng: int,
    at_once: int,
) -> tuple[Made, ...]:
    """Leave units out, and keep what is made of each."""
    together = _joined(documents, at_once, rng) if at_once > 1 else documents
    units = _drawn_units(together, rng).tolist()
    # Of all documents at once: each unit has few of a topic.
    keys = document_keys(together.of_judged, HashedRandom.of(rng), slice(None))
    left = in_threads(lambda unit: use(_leave_out(together, unit, model, rng, keys)), units)
    return tuple(counting(left, "units left out", len(units)))


def _joined(documents: PooledDocuments, at_once: int, rng: int) -> PooledDocuments:
    """Return the same with units drawn into sets; each is called by one of its units."""
    units = documents.bringing_units
    drawn = units[np.argsort(_unit_keys(documents, units, rng), kind="stable")]
    first = drawn[: max(1, len(units) // at_once)]
    joined = np.arange(len(documents.unit_of))
    joined[drawn] = first[np.arange(len(drawn)) % len(first)]
    return replace(documents, unit_of=joined[documents.unit_of])


def _leave_out(
    documents: PooledDocuments, unit: int, model: RelevanceModel, rng: int, keys: Keys
) -> LeftOutUnit:
    # The model starts from the fit with the unit: without it the optimum is near, and soon found.
    without = documents.without_unit(unit)
    again = fit_relevance(without, ridge=model.ridge, start=model)
    own = documents.unit_of[documents.pool.group_of] == unit
    systems = np.flatnonzero(documents.pool.pooled & own)
    rows = again.documents.rows
    own_keys = keys[np.searchsorted(without.rows, rows)]
    draws = tuple(draw_grades(again, rng=rng, draws=DRAWS, keys=own_keys))
    return LeftOutUnit(unit, systems, rows, without.counts, draws)


def _drawn_units(documents: PooledDocuments, rng: int) -> Indices:
    """Return the units to leave out, ascending."""
    units = documents.bringing_units
    if len(units) <= MOST_UNITS:
        return units
    keys = _unit_keys(documents, units, rng)
    return np.sort(units[np.argsort(keys, kind="stable")[:MOST_UNITS]])


def _unit_keys(documents: PooledDocuments, units: Indices, rng: int) -> NDArray[np.uint64]:
    """Return a random number for each unit."""
    # By the name of the first group of each, so that one more changes no other draw.
    first = [documents.pool.groups[np.argmax(documents.unit_of == unit)] for unit in units.tolist()]
    return HashedRandom.of(rng).keys("units left out", first)


@dataclass(frozen=True, eq=False)
class LeftOutErrors:
    """What the model says of pooled runs whose own judgments it does not see.

    Attributes
    ----------
    systems, units : int array, runs
        The runs, and the unit of each.
    hidden : int array, runs
        How many of its documents, down to the cut-off, lost their judgment.
    error, deviation : float array, runs × topics
        Estimate minus score as judged, and the standard deviation over draws.
    mean_error, mean_deviation : float array, runs
        The same of means over the topics with a score.
    """

    systems: Indices
    units: Indices
    hidden: Integers
    error: Floats
    deviation: Floats
    mean_error: Floats
    mean_deviation: Floats


def left_out_errors(
    documents: PooledDocuments,
    left_out: Sequence[LeftOutUnit],
    measure: Measure,
    *,
    shared: bool = False,
) -> LeftOutErrors:
    """Compare what the model says of each left-out unit with the scores as judged.

    With ``shared``, all that is left out at once is taken to be judged, and not a run's own alone.
    """
    scored = _Judged.of(documents, measure).prepared()
    return _as_errors([*in_threads(lambda unit: scored.errors(unit, shared=shared), left_out)])


def errors_at_once(
    documents: PooledDocuments, model: RelevanceModel, measure: Measure, *, rng: int, at_once: int
) -> LeftOutErrors:
    """Leave so many units out at once, and compare scores if all their documents were judged.

    What is drawn for a set is not kept: it is many documents, and no other target asks for it.
    """
    scored = _Judged.of(documents, measure)
    work = partial(scored.errors, shared=True)
    return _as_errors(_of_left_out(documents, model, work, rng=rng, at_once=at_once))


def _as_errors(parts: Sequence[_Errors]) -> LeftOutErrors:
    return LeftOutErrors(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class _Judged:
    """What a measure sees of a collection, as it is judged."""

    documents: PooledDocuments
    measure: Measure

    @classmethod
    def of(cls, documents: PooledDocuments, measure: Measure) -> "_Judged":
        return cls(documents, measure)

    def prepared(self) -> "_Judged":
        """Return itself with what threads share, which is not to be made by each of them."""
        _ = self.truth, self.codes, self.sums
        return self

    @cached_property
    def evidence(self) -> Evidence:
        """The ranks that the measure looks at."""
        return self.measure.cut(self.documents.evidence)

    @cached_property
    def truth(self) -> Floats:
        """The scores, systems × topics."""
        return self.measure.score(self.evidence)

    @cached_property
    def codes(self) -> NDArray[np.integer]:
        """The grade code of each document row, whatever rank it has."""
        return document_codes(self.documents.evidence)

    @cached_property
    def rivals(self) -> Indices:
        """The pooled runs to compare with, ascending."""
        return _rivals(self.documents, self.evidence)

    @cached_property
    def of_rivals(self) -> Evidence:
        """Their lists."""
        return self.evidence.select(self.rivals)

    def drawn(
        self, left_out: LeftOutUnit, lists: Evidence, *, shared: bool
    ) -> tuple[Evidence, Floats]:
        """Return lists without the unit's own judgments, and their scores under the draws."""
        hidden = left_out.hide(lists, self.codes)
        return hidden, score_draws(hidden, self.measure, left_out.draws, draws=DRAWS, shared=shared)

    def errors(self, left_out: LeftOutUnit, *, shared: bool) -> _Errors:
        """Return the columns of :class:`LeftOutErrors`."""
        if self.sums and not shared:
            newly_open, values = self.sums.drawn_scores(left_out)
        else:
            lists = self.evidence.select(left_out.systems)
            hidden, values = self.drawn(left_out, lists, shared=shared)
            newly_open = (count_ungraded(hidden) - count_ungraded(lists)).sum(axis=1)
        true = self.truth[left_out.systems]
        defined = np.asarray(~np.isnan(true).any(axis=0) & ~np.isnan(values).any(axis=(0, 2)))
        means = means_of_draws(values, defined)
        return (
            left_out.systems,
            # The units themselves, also where several were left out as one.
            self.documents.unit_of[self.documents.pool.group_of[left_out.systems]],
            newly_open,
            values.mean(axis=2) - true,
            values.std(axis=2),
            means.mean(axis=1) - true[:, defined].mean(axis=1),
            means.std(axis=1),
        )

    def difference_errors(self, left_out: LeftOutUnit) -> tuple[Indices, Floats, Floats]:
        """Return the columns of :class:`DifferenceErrors`."""
        systems, means, expected = self._means_beside_rivals(left_out)
        unit_of = self.documents.unit_of[self.documents.pool.group_of[systems]]
        own = np.searchsorted(systems, left_out.systems)
        others = np.flatnonzero((unit_of != left_out.unit) & np.isin(systems, self.rivals))
        # Run by run: both runs of a pair are scored in the same draw, so that what they share
        # cancels.
        drawn = (means[own][:, None] - means[others][None]).reshape(-1, DRAWS)
        as_judged = (expected[own][:, None] - expected[others][None]).ravel()
        units = np.full(len(drawn), left_out.unit)
        return units, drawn.mean(axis=1) - as_judged, drawn.std(axis=1)

    def _means_beside_rivals(self, left_out: LeftOutUnit) -> tuple[Indices, Floats, Floats]:
        """Return the unit's runs and the rivals, ascending, their drawn means, and those judged."""
        systems = np.union1d(left_out.systems, self.rivals)
        true = self.truth[systems]
        known = np.asarray(~np.isnan(true).any(axis=0))
        if self.sums:
            means, known = self.sums.drawn_means(left_out, systems, known)
        else:
            # As a rule all pooled runs are rivals, and their lists are laid out once.
            among = len(systems) == len(self.rivals)
            lists = self.of_rivals if among else self.evidence.select(systems)
            values = self.drawn(left_out, lists, shared=True)[1]
            known &= ~np.isnan(values).any(axis=(0, 2))
            means = means_of_draws(values, known)
        return systems, means, true[:, known].mean(axis=1)

    @cached_property
    def sums(self) -> "_Sums | None":
        """What scores are made of, where they are sums over documents."""
        if not isinstance(self.measure, StaticWeights | NormalizedSum):
            return None
        memo, key = self.documents.evidence.memo, ("sums", self.documents, self.measure)
        if key not in memo:
            memo[key] = _Sums.of(self.evidence, self.measure, self.documents)
        sums: _Sums = memo[key]
        return sums


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weighted sums over documents, from which those that a unit alone brought in can be taken.

    Attributes
    ----------
    judged : float array, systems × topics
        The sums with all judgments.
    rows : int array, documents
        The documents that some unit alone brought in, ascending.
    starts : int array, documents + 1
        Where the entries of each begin.
    lists, ranks : int array, entries
        Where it stands in pooled runs: system × topics + topic, and a rank from 0.
    """

    evidence: Evidence
    measure: StaticWeights | NormalizedSum
    judged: Floats
    rows: Integers
    starts: Integers
    lists: Indices
    ranks: Indices

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        measure: StaticWeights | NormalizedSum,
        documents: PooledDocuments,
    ) -> "_Sums":
        """Add up, and find the documents."""
        of_judged, pooled = documents.of_judged, documents.pool.pooled
        rows = of_judged.rows[of_judged.owning_unit >= 0]
        wanted = np.zeros(len(evidence.document_ids), np.int8)
        wanted[rows] = 1
        parts = []
        for topics, block in zip(evidence.slices, evidence.blocks, strict=True):
            marks = codes_of_documents(block.documents, block.document_starts, wanted)
            systems, places, ranks = np.nonzero((marks == 1) & pooled[:, None, None])
            row = block.document_starts[places] + block.documents[systems, places, ranks]
            lists = systems * len(evidence.topics) + topics.start + places
            parts.append((row, lists, ranks))
        row, lists, ranks = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(row, kind="stable")
        starts = np.searchsorted(row[order], np.append(rows, len(wanted)))
        raw = _summed(measure)
        judged = join_topics(raw.score_block(block) for block in evidence.blocks)
        return cls(evidence, measure, judged, rows, starts, lists[order], ranks[order])

    def drawn_means(
        self, left_out: LeftOutUnit, systems: Indices, known: Booleans
    ) -> tuple[Floats, Booleans]:
        """Return mean scores without the unit's own judgments, of some pooled runs in each draw.

        They are what :func:`score_draws` makes of their lists: only those are scored again that
        hold a document of the unit. The means are over those ``known`` topics that have a score in
        every draw, which are told beside them.
        """
        found = self._found(left_out, systems)
        run, of_topic = np.divmod(found.lists, len(self.evidence.topics))
        gained = self._gained(found)
        place, sums = np.searchsorted(systems, run), self.judged[systems]
        sums[place, of_topic] = self._without(left_out.counts, found)
        ideals = None
        if isinstance(self.measure, NormalizedSum):
            ideals = self._drawn_ideals(self.measure, left_out)
            known = known & (ideals > 0).all(axis=1)
        order = np.argsort(of_topic, kind="stable")
        edges = np.searchsorted(of_topic[order], np.arange(len(known) + 1))
        # Topic by topic: all the scores together would be as many as runs × topics × draws.
        total = np.zeros((len(systems), DRAWS))
        for topic in np.flatnonzero(known).tolist():
            values, its = sums[:, topic, None], order[edges[topic] : edges[topic + 1]]
            if len(its):
                values = np.repeat(values, DRAWS, axis=1)
                values[place[its]] += gained[its]
            total += values if ideals is None else per_relevant(values, ideals[topic])
        return total / np.count_nonzero(known), known

    def drawn_scores(self, left_out: LeftOutUnit) -> tuple[Integers, Floats]:
        """Return what each of the unit's runs has open without its own judgments, and its scores.

        The scores, systems × topics × draws, are what :func:`score_draws` makes of lists of which
        each alone is judged. All topics are gone through at once.
        """
        measure, systems = self.measure, left_out.systems
        found = self._found(left_out, systems)
        run, topics = np.divmod(found.lists, len(self.evidence.topics))
        place, sums = np.searchsorted(systems, run), self.judged[systems]
        sums[place, topics] = self._without(left_out.counts, found)
        own = found.select(found.ranks < drawn_reach(measure))
        drawn = sums[place, topics, None] + self._gained(own)
        plain = sums
        if isinstance(measure, NormalizedSum):
            plain = per_relevant(sums, _ideals(measure, self.evidence, left_out.counts[:, None]).T)
            drawn = per_relevant(drawn, self._ideals_of_lists(measure, left_out, own))
        values = np.repeat(plain[:, :, None], DRAWS, axis=2)
        values[place, topics] = drawn
        # A topic without a score now has none in any draw.
        values[np.isnan(plain)] = np.nan
        return np.bincount(place[found.which], minlength=len(systems)), values

    def _ideals_of_lists(
        self, measure: NormalizedSum, left_out: LeftOutUnit, own: "_Found"
    ) -> Floats:
        """Return the ideal sum of each list whose own documents are graded, lists × draws."""
        pools = np.repeat(
            left_out.counts[own.lists % len(self.evidence.topics), None], DRAWS, axis=1
        )
        pools += counts_by_list(
            own.which, own.documents, own.labels, count=len(own.lists), grades=pools.shape[2]
        )
        return _ideals(measure, self.evidence, pools)

    def _found(self, left_out: LeftOutUnit, systems: Indices) -> "_Found":
        """Find the unit's documents in the lists of these runs."""
        documents, entries = self._entries(left_out.rows)
        some = np.flatnonzero(np.isin(self.lists[entries] // len(self.evidence.topics), systems))
        documents, entries = documents[some], entries[some]
        lists, which = np.unique(self.lists[entries], return_inverse=True)
        labels = np.concatenate([of.labels for of in left_out.draws])
        best = np.concatenate([of.best for of in left_out.draws])
        found = _Found(lists, which, self.ranks[entries], documents, labels, best)
        # List by list, down the ranks: sums are added up in this order.
        return found.select(np.lexsort((found.ranks, which)))

    def _gained(self, found: "_Found") -> Floats:
        """Return what draws add to the sums of lists, lists × draws."""
        measure = self.measure
        weights = measure.weights(self.evidence.depth)[found.ranks]
        high = found.best[found.documents] <= drawn_reach(measure)
        kept = np.flatnonzero((weights > 0) & high)
        return sums_by_list(
            found.which[kept],
            found.documents[kept],
            found.labels,
            measure.gain_table(self.evidence.scale),
            weights[kept],
            count=len(found.lists),
        )

    def _entries(self, rows: Integers) -> tuple[Indices, Indices]:
        """Return the entries of documents, and which of these each is of."""
        at = np.searchsorted(self.rows, rows)
        counts = self.starts[at + 1] - self.starts[at]
        skipped = self.starts[at] - np.cumsum(counts) + counts
        return (
            np.repeat(np.arange(len(rows)), counts),
            np.repeat(skipped, counts) + np.arange(counts.sum()),
        )

    def _without(self, counts: Integers, found: "_Found") -> Floats:
        """Return the sums of lists from which entries are taken out."""
        lists, which, ranks = found.lists, found.which, found.ranks
        systems, topics = np.divmod(lists, len(self.evidence.topics))
        sums = np.empty(len(lists))
        for here, block in zip(self.evidence.slices, self.evidence.blocks, strict=True):
            some = np.flatnonzero((topics >= here.start) & (topics < here.stop))
            codes = block.codes[systems[some], topics[some] - here.start]
            place = np.full(len(lists), -1)
            place[some] = np.arange(len(some))
            inside = place[which] >= 0
            codes[place[which[inside]], ranks[inside]] = UNJUDGED
            alone = Block(codes=codes[None], scale=block.scale, pool=counts[topics[some]])
            sums[some] = _summed(self.measure).score_block(alone)[0]
        return sums

    def _drawn_ideals(self, measure: NormalizedSum, left_out: LeftOutUnit) -> Floats:
        """Return the ideal sums of each topic, topics × draws; 0 where it now has no score."""
        pools, reach = np.repeat(left_out.counts[:, None], DRAWS, axis=1), drawn_reach(measure)
        for drawn in left_out.draws:
            labels = drawn.labels[drawn.best <= reach]
            for grade in range(pools.shape[2]):
                pools[drawn.topic, :, grade] += (labels == grade).sum(axis=0)
        # A topic without a score now has none in any draw.
        now = _ideals(measure, self.evidence, left_out.counts[:, None])
        return np.where(now > 0, _ideals(measure, self.evidence, pools), 0)


@dataclass(frozen=True, eq=False)
class _Found:
    """Where documents that are graded anew stand.

    Attributes
    ----------
    lists : int array, lists
        Those that hold any: system × topics + topic, ascending.
    which, ranks, documents : int array, entries
        An index into ``lists``, ascending, a rank from 0, ascending in a list, and a row of
        ``labels``.
    labels : int array, documents × draws
        Grade codes.
    best : float32 array, documents
        The best rank in any run.
    """

    lists: Indices
    which: Indices
    ranks: Indices
    documents: Indices
    labels: NDArray[np.integer]
    best: NDArray[np.float32]

    def select(self, entries: Indices | Booleans) -> "_Found":
        """Return these entries, of the same lists."""
        which, ranks, documents = (of[entries] for of in (self.which, self.ranks, self.documents))
        return replace(self, which=which, ranks=ranks, documents=documents)


def _ideals(measure: NormalizedSum, evidence: Evidence, pools: Integers) -> Floats:
    """Return what the best rankings of these pools score, of topics × draws × grades."""
    nothing = np.empty((1, pools.shape[0] * pools.shape[1], 0), evidence.blocks[0].codes.dtype)
    flat = pools.reshape(-1, pools.shape[2])
    block = Block(codes=nothing, scale=evidence.scale, pool=flat)
    return ideal_sums(measure.ideal(), block).reshape(pools.shape[:2])


def _summed(measure: StaticWeights | NormalizedSum) -> StaticWeights:
    """Return the measure before it is divided, if it is."""
    return measure.raw() if isinstance(measure, NormalizedSum) else measure


@dataclass(frozen=True, eq=False)
class DifferenceErrors:
    """How far differences between left-out runs and pooled ones are off.

    Attributes
    ----------
    units : int array, pairs
        The unit that was left out.
    error, deviation : float array, pairs
        Of the mean difference: estimate minus what the judgments say, and its standard deviation
        over draws.
    """

    units: Indices
    error: Floats
    deviation: Floats


def left_out_differences(
    documents: PooledDocuments, left_out: Sequence[LeftOutUnit], measure: Measure
) -> DifferenceErrors:
    """Compare each left-out unit with the pooled runs outside it, as if it were new.

    All documents are graded at once, those of the rivals too, as where runs are compared. With
    every pooled run outside, or some where lists are long, in the order of names.
    """
    scored = _Judged.of(documents, measure).prepared()
    parts = in_threads(scored.difference_errors, left_out)
    return DifferenceErrors(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _rivals(documents: PooledDocuments, evidence: Evidence) -> Indices:
    """Return the pooled runs to compare with, ascending."""
    pooled = np.flatnonzero(documents.pool.pooled)
    most = max(_FEWEST_RIVALS, _CELLS // max(1, evidence.depth * len(evidence.topics)))
    by_name = pooled[np.argsort(np.array(evidence.systems, object)[pooled], kind="stable")]
    return np.sort(by_name[:: -(-len(pooled) // most)])


ROUNDING = 1e-9
"""A standard deviation below this is that of equal numbers."""

CALIBRATED, NOT_CALIBRATED = "calibrated", "not calibrated"
"""What a plausible range can be; neither where nothing was drawn, or all draws agree."""

ADAPTIVE = (
    "the judgments were chosen one after the other, so that runs left out of a pool say nothing of "
    "the errors"
)
"""Why ranges are not calibrated where each judgment decided what was judged next."""


@dataclass(frozen=True)
class Calibration:
    """By how much standard deviations are stretched, and what that promises.

    Attributes
    ----------
    of_means, of_topics : float
        How many standard deviations over draws the range of a mean reaches to either side, and
        that of a single score.
    level : float
        The share of new units whose means the ranges are to hold.
    units : int
        How many units were left out in turn.
    what : str
        What a unit is: a group, a kind of run, a run.
    most_hidden : int
        The most documents that a left-out run had without a judgment, down to the cut-off.
    at_once : int
        How many units were left out at once, where the documents of all given runs are taken to be
        judged; 0 where a run's own are.
    """

    of_means: float
    of_topics: float
    level: float
    units: int
    what: str = "group"
    most_hidden: int = 0
    at_once: int = 0

    def means(self, drawn: DrawnMoments, exact: ScoreTable, unjudged: Integers) -> Uncertainty:
        """Return ranges around the means over draws, cut to what is possible.

        ``unjudged``, systems × topics, are the documents without a grade down to the cut-off.
        """
        of_run = unjudged.sum(axis=1)
        ends = _around(
            _centre(drawn.means),
            drawn.means.std(axis=1),
            exact.mean_bounds(),
            factor=self.of_means,
            draws=drawn.means.shape[1],
            unsure=self._unsure(of_run > 0),
        )
        beyond = [drawn.plain.systems[s] for s in np.flatnonzero(of_run > self.most_hidden)]
        meaning = (self._meaning(), *_beyond(beyond))
        return Uncertainty("draws", *ends, level=self.level, kind=CALIBRATED, meaning=meaning)

    def topics(
        self, drawn: DrawnMoments, exact: ScoreTable, unjudged: Integers
    ) -> tuple[Floats, Floats]:
        """Return ranges around the scores of single topics, cut to what is possible."""
        return _around(
            drawn.mean,
            drawn.deviation,
            (exact.lower, exact.upper),
            factor=self.of_topics,
            draws=drawn.means.shape[1],
            unsure=self._unsure(unjudged > 0),
        )

    def _unsure(self, unjudged: Booleans) -> Booleans:
        """Tell which scores unjudged documents can move: a run's own, or those of any run."""
        return unjudged.any(axis=0) | np.zeros_like(unjudged) if self.at_once else unjudged

    def _meaning(self) -> str:
        which = "The ranges by the model" if not self.at_once else _IF_ALL
        how = " in turn" if self.at_once < 2 else f", {self.at_once} at once"
        return (
            f"{which} hold the mean of a new {self.what} with a probability of about "
            f"{self.level:.0%}, as they did for {units_text(self.units, self.what)} left out{how}."
        )


_IF_ALL = "If all given runs' documents were judged, the ranges by the model"


def _beyond(runs: Sequence[str]) -> tuple[str, ...]:
    if not runs:
        return ()
    what, width = ("it was", "range") if len(runs) == 1 else ("they were", "ranges")
    said = (
        f"{named(runs)} {have(len(runs))} more unjudged documents than any group {what} calibrated "
        f"on; the {width} may be too narrow."
    )
    return (said,)


def _around(
    centre: Floats,
    deviation: Floats,
    possible: tuple[Floats, Floats],
    *,
    factor: float,
    draws: int,
    unsure: Booleans,
) -> tuple[Floats, Floats]:
    """Return centre ± factor × deviation, cut to what is possible; never a point while unsure."""
    low, high = possible
    half = np.where(factor * deviation > ROUNDING, factor * deviation, 0.0)
    # Draws that agree say that something is rare, not that it cannot be.
    agreed = unsure & (half == 0) & (high - low > ROUNDING)
    half = np.where(agreed, max(factor, 1.0) * (high - low) / np.sqrt(draws), half)
    return (
        np.maximum(centre - half, np.minimum(low, centre)),
        np.minimum(centre + half, np.maximum(high, centre)),
    )


def _centre(means: Floats) -> Floats:
    """Return the mean over draws, exactly that of equal numbers."""
    return np.asarray((means - means[:, :1]).mean(axis=1) + means[:, 0])


def calibrate(
    errors: LeftOutErrors, wanted: float, what: str = "group", *, at_once: int = 0
) -> Calibration | str:
    """Return the calibration, or why there is none.

    Ranges of means follow the rank rule of conformal prediction. Those of single topics hold the
    wanted share of the scores on units left out; a unit counts once. There are so many that the
    rule's allowance for a next one, which asks for whole units, would only make them too wide.
    """
    usable = errors.mean_deviation > ROUNDING
    units = len(np.unique(errors.units[usable]))
    if units < FEWEST_KINDS:
        return Units(what, units).too_few
    level = promised_level(units, wanted)
    scaled = np.abs(errors.mean_error[usable]) / errors.mean_deviation[usable]
    return Calibration(
        conformal_factor(scaled, errors.units[usable], level),
        _of_topics(errors, wanted),
        level,
        units,
        what,
        int(errors.hidden.max(initial=0)),
        at_once,
    )


def _of_topics(errors: LeftOutErrors, wanted: float) -> float:
    unsure = (errors.deviation > ROUNDING) & ~np.isnan(errors.error)
    units = np.broadcast_to(errors.units[:, None], unsure.shape)[unsure]
    return group_quantile(np.abs(errors.error[unsure]) / errors.deviation[unsure], units, wanted)


@dataclass(frozen=True)
class DifferenceCalibration:
    """By how much draws of differences are spread out about their mean, and what that promises.

    Attributes
    ----------
    factor : float
        For a new run against a pooled one (``f``); two new ones take √2 times as much.
    level : float
        The share of new units for which that holds.
    units : int
        How many units were left out in turn.
    what : str
        What a unit is.
    """

    factor: float
    level: float
    units: int
    what: str

    @property
    def quantile(self) -> float:
        """How many standard deviations of spread draws a range of this level reaches."""
        from statistics import NormalDist  # noqa: PLC0415, late: slow to import

        return NormalDist().inv_cdf((1 + self.level) / 2)

    def factors(self, new_left: Booleans, new_right: Booleans) -> Floats:
        """Return the factor of each pair: 1 for pooled runs, f with one new run, √2·f with two."""
        new = new_left.astype(np.int64) + new_right
        return np.array([1.0, self.factor, np.sqrt(2) * self.factor])[new]


def calibrate_differences(
    errors: DifferenceErrors, wanted: float, what: str = "group"
) -> DifferenceCalibration | str:
    """Return by how much draws of differences must be spread out, or why that is not known.

    f = max(1, q/z) with the rank rule's q and the normal quantile z of the level.
    """
    usable = errors.deviation > ROUNDING
    units = errors.units[usable]
    count = len(np.unique(units))
    if count < FEWEST_KINDS:
        return Units(what, count).too_few
    level = promised_level(count, wanted)
    scaled = np.abs(errors.error[usable]) / errors.deviation[usable]
    calibration = DifferenceCalibration(1.0, level, count, what)
    factor = conformal_factor(scaled, units, level) / calibration.quantile
    return replace(calibration, factor=max(1.0, factor))
