"""Gradings of the unjudged documents of a universe, and the scores that runs have by them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise import Evidence, Grades, Judgments, Measure, Runs, align
from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence._grades import BEYOND, UNJUDGED, Block
from poolwise.evidence._ungraded import Universe

__all__ = ["TopicGradings", "random_collection"]

SCALES = ((0, 1), (0, 1, 2), (0, 0.5, 1, 3))
DOCUMENTS = [f"d{i}" for i in range(11)]


def random_collection(rng: np.random.Generator) -> Evidence:
    """Return runs of different lengths, some without a topic; topics with nothing relevant too."""
    scale = SCALES[rng.integers(len(SCALES))]
    topics = [str(t) for t in range(rng.integers(1, 5))]
    qrels = {
        t: {
            d: float(rng.choice(scale)) if rng.random() < 0.7 else 0.0
            for d in DOCUMENTS
            if rng.random() < 0.45
        }
        for t in topics
    }
    runs = {
        f"run{s}": {
            t: rng.permutation(DOCUMENTS)[: rng.integers(0, 9)].tolist()
            for t in topics
            if s == 0 or rng.random() < 0.9
        }
        for s in range(rng.integers(2, 5))
    }
    return align(Judgments.from_dict(qrels).with_grades(scale), Runs.from_rankings(runs))


@dataclass(frozen=True, eq=False)
class TopicGradings:
    """One topic, of which the unjudged documents of a universe can be graded at will."""

    evidence: Evidence
    topic: int
    universe: Universe
    cutoff: int | None

    @cached_property
    def documents(self) -> Integers:
        """The documents of each list, systems × ranks, −1 beyond it."""
        block, place = self.evidence.locate(self.topic)
        return self.evidence.blocks[block].documents[:, place]

    @cached_property
    def known(self) -> Integers:
        """The grade code of each document now; the last entry is past the end of a list."""
        block, place = self.evidence.locate(self.topic)
        codes = np.full(self._size + 1, UNJUDGED)
        codes[self.documents] = self.evidence.blocks[block].codes[:, place]
        codes[-1] = BEYOND
        return codes

    @property
    def _size(self) -> int:
        starts = self.evidence.document_starts
        return int(starts[self.topic + 1] - starts[self.topic])

    @cached_property
    def free(self) -> Indices:
        """The documents that can have any grade."""
        depth = self.universe.reach(self.cutoff)
        inside = np.zeros(self._size + 1, np.bool_)
        inside[self.documents[:, : depth or self.documents.shape[1]]] = True
        without = (self.known < 0) & (self.known != BEYOND)
        return np.flatnonzero(inside & without if self.universe.kind == "runs" else without)

    def random(self, rng: np.random.Generator, number: int) -> tuple[Integers, Integers]:
        """Draw gradings of the free documents, and of others that nobody retrieved."""
        levels = len(self.evidence.scale)
        shares = rng.dirichlet(np.full(levels, 0.5), size=number).cumsum(axis=1)
        draws = rng.random((number, len(self.free)))
        codes = (draws[:, :, None] > shares[:, None, :]).sum(axis=2).clip(max=levels - 1)
        others = np.zeros((number, levels), np.int64)
        if self.universe.kind == "corpus":
            others[:, 1:] = rng.geometric(0.3, (number, levels - 1)) - 1
        return codes, others

    def neighbours(self, codes: Integers) -> Integers:
        """Return the gradings that differ from this one in one document."""
        levels = len(self.evidence.scale)
        moved = np.tile(codes, (len(codes) * levels, 1))
        at = np.repeat(np.arange(len(codes)), levels)
        moved[np.arange(len(moved)), at] = np.tile(np.arange(levels), len(codes))
        return moved

    def scores(self, measure: Measure, codes: Integers, others: Integers) -> Floats:
        """Return the scores of all systems by each grading, systems × gradings."""
        of_document = np.tile(self.known, (len(codes), 1))
        of_document[:, self.free] = codes
        levels = range(len(self.evidence.scale))
        added = np.stack([(codes == level).sum(axis=1) for level in levels], axis=1)
        block = Block(
            codes=of_document[:, self.documents].transpose(1, 0, 2).astype(np.int8),
            scale=self.evidence.scale,
            pool=self.evidence.pool[self.topic] + added + others,
        )
        graded = Grades(
            systems=self.evidence.systems,
            topics=tuple(map(str, range(len(codes)))),
            blocks=(block,),
        )
        return measure.score(graded)


def defined(scores: Floats) -> Booleans:
    """Return which gradings give every system a score."""
    return ~np.isnan(scores).any(axis=0)
