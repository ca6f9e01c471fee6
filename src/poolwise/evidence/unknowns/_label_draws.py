"""Plausible grades for the unjudged documents, drawn many times (B23 algorithm 1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers
from poolwise.collection._identifiers import HashedRandom, Keys, following, uniform
from poolwise.collection._labels import Labels
from poolwise.errors import require_draws
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Block, without_grade
from poolwise.evidence.unknowns._priors import Prior, grade_prior
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting

__all__ = ["TopicDraws", "draw_labels"]

DrawnCodes = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class TopicDraws:
    """Drawn grades of the unjudged documents in some systems' lists for one topic.

    Attributes
    ----------
    whole : Evidence
        What the draws were made for.
    topic : int
        Index of the topic.
    systems : int array
        Indices of the systems.
    lists, ranks : int array, documents
        Where each unjudged document stands: an index into ``systems``, ascending, and a rank
        from 0.
    labels : int array, documents × draws
        Grade codes.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, None]], judged=[1, 1, 0, 0])
    >>> (drawn,) = draw_labels(evidence, rng=1, draws=4)
    >>> drawn.ranks.tolist(), drawn.labels.shape
    ([1, 2], (2, 4))
    """

    whole: Evidence
    topic: int
    systems: Indices
    lists: Indices
    ranks: Indices
    labels: DrawnCodes

    @cached_property
    def block(self) -> Block:
        """Draws × lists × ranks: each draw stands as a system, and each system's list as a topic.

        The pool is the original one, so that ideal rankings stay as they are.
        """
        number, place = self.whole.locate(self.topic)
        whole = self.whole.blocks[number]
        codes = np.repeat(whole.codes[None, self.systems, place], self.labels.shape[1], axis=0)
        codes[:, self.lists, self.ranks] = self.labels.T
        pool = np.repeat(whole.pool[place, None], len(self.systems), axis=0)
        return Block(codes=codes, scale=whole.scale, pool=pool)

    def sums(self, gains: Floats, weights: Floats) -> Floats:
        """Return Σ weight × gain of the drawn documents alone, lists × draws."""
        # A label that stayed unjudged is negative, so it finds the zeros at the end.
        table = np.concatenate([gains, np.zeros(3)])
        first = np.searchsorted(self.lists, np.arange(len(self.systems)))
        counts = np.bincount(self.lists, minlength=len(first))
        sums = np.zeros((len(first), self.labels.shape[1]))
        for nth in range(counts.max(initial=0)):
            more = counts > nth
            rows = first[more] + nth
            sums[more] += table[self.labels[rows]] * weights[self.ranks[rows], None]
        return sums


@recorded
def draw_labels(
    evidence: Evidence,
    *,
    rng: int | np.random.Generator = DEFAULT_SEED,
    prior: str = "pool+run",
    over: str = "topics",
    draws: int = 1000,
    joint: bool = False,
    labels: Labels | None = None,
    cells: int = 1 << 20,
) -> Iterator[TopicDraws]:
    """Draw grades for every document that has none (B23 algorithm 1).

    Down each list, an unjudged document draws a grade from the prior. It gets it if the topic's
    pool still holds a document of that grade that is not in the list, else the highest lower
    grade that is left, else 0: so the drawn labels never change the ideal ranking. Lists without
    unjudged documents are passed over.

    Parameters
    ----------
    evidence : Evidence
        Truncated to the ranks that matter.
    rng : int or numpy.random.Generator
        The seed. The draws belong to the names of topic and run, or of topic and document if they
        are joint, so that the order in which runs were read does not matter.
    prior : {"pool", "run", "pool+run", "multiplicity"}
        Where the probabilities of the grades come from.
    over : {"topics", "all"}
        Whose judged documents the pool's shares are of: each topic's own, or those of all topics.
    joint : bool
        Draw one grade per document for all systems at once, so that no document is relevant in
        one run and not in another. Documents are then graded in the order of their best rank,
        with their mean probability over the lists that hold them, and a grade is left if it is left
        for each of these lists.
    labels : Labels, optional
        Predicted grades, of judged and unjudged documents, that make the prior more informed.
    cells : int
        How many grades to hold at a time; the result does not depend on it.

    Yields
    ------
    TopicDraws
        The drawn grades of one topic, or of some of its draws where all would be too many to hold.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, None]], judged=[1, 1, 0, 0])
    >>> (drawn,) = draw_labels(evidence, rng=1, draws=4)
    >>> drawn.block.codes[:, 0].tolist()
    [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    require_draws(draws)
    probabilities = grade_prior(evidence, prior, over=over, labels=labels)
    chance = HashedRandom.of(rng)
    draw_topic = _draw_jointly if joint else _draw_separately
    for topic in counting(range(len(evidence.topics)), "topics drawn"):
        yield from draw_topic(_Sampler(evidence, topic, probabilities, chance, draws), cells)


@dataclass(frozen=True, eq=False)
class _Sampler:
    """What it takes to draw the labels of one topic."""

    evidence: Evidence
    topic: int
    prior: Prior
    chance: HashedRandom
    draws: int

    @cached_property
    def codes(self) -> NDArray[np.integer]:
        """The grade codes of the topic, systems × ranks."""
        number, place = self.evidence.locate(self.topic)
        return self.evidence.blocks[number].codes[:, place]

    @cached_property
    def documents(self) -> NDArray[np.int32]:
        """The document codes of the topic, systems × ranks."""
        number, place = self.evidence.locate(self.topic)
        return self.evidence.blocks[number].documents[:, place]

    def unknown(self, systems: Indices | slice = slice(None)) -> tuple[Indices, Indices]:
        """Return the lists (as rows of ``systems``) and ranks of the unjudged documents."""
        lists, ranks = np.nonzero(without_grade(self.codes[systems]))
        return lists, ranks

    def list_keys(self, systems: Indices, lists: Indices) -> Keys:
        """Return a key for each unjudged document, by its list and its place among them there."""
        names = (self.evidence.systems[s] for s in systems.tolist())
        keys = self.chance.keys(self.evidence.topics[self.topic], names)
        places = np.arange(len(lists)) - np.searchsorted(lists, lists)
        return following(keys[lists], places)

    def document_keys(self, documents: NDArray[np.int32]) -> Keys:
        """Return a key for each document code, by its id."""
        rows = self.evidence.document_starts[self.topic] + documents
        ids = self.evidence.document_ids.take(rows)
        return self.chance.keys(self.evidence.topics[self.topic], ids)

    def targets(self, probabilities: Floats, keys: Keys) -> NDArray[np.int8]:
        """Draw a grade code for each row of probabilities, as often as there are draws."""
        chance = uniform(keys, self.draws)
        steps = probabilities.cumsum(axis=1)[:, :-1].astype(np.float32)
        targets = np.zeros(chance.shape, np.int8)
        for step in steps.T:
            targets += chance >= step[:, None]
        return targets

    def left(self, systems: Indices | slice = slice(None)) -> Integers:
        """Count the pool's documents of each grade that are not in the list, lists × grades."""
        codes = self.codes[systems]
        grades = range(len(self.evidence.scale))
        inside = np.stack([(codes == grade).sum(axis=1) for grade in grades], axis=1)
        return np.maximum(self.evidence.pool[self.topic] - inside, 0)

    def no_labels(self, documents: int) -> DrawnCodes:
        """Return the labels that stay when the pool is used up: grade 0, which never runs out."""
        return np.zeros((documents, self.draws), self.codes.dtype)

    def graded(self, systems: Indices, labels: DrawnCodes) -> TopicDraws:
        """Return the draws of these lists, given one row of labels per unjudged document."""
        return TopicDraws(self.evidence, self.topic, systems, *self.unknown(systems), labels)


def _batches(sampler: _Sampler, cells: int) -> Iterator[Indices]:
    """Cut the systems with unjudged documents into parts of bounded size."""
    lists, _ = sampler.unknown()
    systems = np.unique(lists)
    step = max(1, cells // max(1, sampler.draws * sampler.codes.shape[1]))
    return (systems[start : start + step] for start in range(0, len(systems), step))


def _draw_separately(sampler: _Sampler, cells: int) -> Iterator[TopicDraws]:
    for systems in _batches(sampler, cells):
        lists, ranks = sampler.unknown(systems)
        probabilities = sampler.prior.probabilities(sampler.topic, systems[lists], ranks)
        targets = sampler.targets(probabilities, sampler.list_keys(systems, lists))
        yield sampler.graded(systems, _settle(sampler, targets, lists, sampler.left(systems)))


def _settle(
    sampler: _Sampler, targets: NDArray[np.int8], lists: Indices, left: Integers
) -> DrawnCodes:
    """Give each document the highest grade up to its target that the pool still holds.

    A document that finds its grade used up asks for the next lower one, in rank order with those
    that drew that one; so each grade can be settled for all ranks at once, best grade first.
    """
    labels = sampler.no_labels(len(targets))
    first = np.searchsorted(lists, np.arange(len(left)))
    waiting = np.zeros(targets.shape, np.bool_)
    for grade in range(left.shape[1] - 1, 0, -1):
        waiting |= targets == grade
        queue = np.cumsum(waiting, axis=0, dtype=np.int32)
        allowed = queue[first] - waiting[first] + left[:, grade, None].astype(np.int32)
        taken = waiting & (queue <= allowed[lists])
        np.putmask(labels, taken, grade)
        waiting ^= taken
    return labels


def _draw_jointly(sampler: _Sampler, cells: int) -> Iterator[TopicDraws]:
    lists, ranks = sampler.unknown()
    codes = sampler.documents[lists, ranks]
    documents, which = np.unique(codes, return_inverse=True)
    probabilities = np.zeros((len(documents), len(sampler.evidence.scale)))
    np.add.at(probabilities, which, sampler.prior.probabilities(sampler.topic, lists, ranks))
    probabilities /= np.bincount(which, minlength=len(documents))[:, None]
    best = np.full(len(documents), sampler.codes.shape[1])
    np.minimum.at(best, which, ranks)
    holders = np.split(lists[np.argsort(which, kind="stable")], np.cumsum(np.bincount(which))[:-1])
    # A sum over lists in another order differs by rounding, which must not decide.
    targets = sampler.targets(probabilities.round(12), sampler.document_keys(documents))
    labels = _settle_jointly(sampler, targets, np.argsort(best, kind="stable"), holders)
    for systems in _batches(sampler, cells):
        yield sampler.graded(systems, labels[which[np.isin(lists, systems)]])


def _settle_jointly(
    sampler: _Sampler, targets: NDArray[np.int8], order: Indices, holders: list[Indices]
) -> DrawnCodes:
    """Grade the documents one after another: what one takes is gone from all of its lists."""
    labels = sampler.no_labels(len(targets))
    left = np.repeat(sampler.left().astype(np.int32)[:, :, None], sampler.draws, axis=2)
    for document in order.tolist():
        lists, waiting = holders[document], np.zeros(sampler.draws, np.bool_)
        for grade in range(left.shape[1] - 1, 0, -1):
            waiting |= targets[document] == grade
            taken = waiting & (left[lists, grade] > 0).all(axis=0)
            left[lists, grade] -= taken
            labels[document, taken] = grade
            waiting ^= taken
    return labels
