"""A sample of the documents of runs, drawn by a design, and its judgments."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence.unknowns._hashed_random import HashedRandom, fine_uniform
from poolwise.judging.sampling.designs import DepthStrata, Design, RankWeights, parse_design
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["DrawnSample", "draw_sample"]


@finding
class DrawnSample(Finding):
    """The documents that a design could have drawn, by topic, and those that it drew.

    Attributes
    ----------
    design : Design
        How documents were drawn.
    topics : tuple of str
        The topics of the runs.
    starts : int array, topics + 1
        Documents of topic ``t`` are rows ``starts[t]:starts[t + 1]``, in byte order.
    documents : IdTable
        Document id of each row.
    drawn : bool array
        Which rows were drawn.
    stratum : int array
        The number of the stratum of each row, from 1.
    probability : float array
        The chance that each row had.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}, "ql": {"1": ["d", "a", "e"]}})
    >>> drawn = draw_sample(runs, "depths:1=1,3=0.5", seed=1)
    >>> drawn.sentences()
    ('Of 5 documents in 1 topic, 4 are drawn: 2 of stratum 1, 2 of stratum 2.',)
    >>> judged = drawn.graded(Judgments.from_dict({"1": dict.fromkeys("abcde", 1)}))
    >>> len(judged), sum(grade < 0 for _, _, grade in judged)
    (5, 1)
    """

    design: Design
    topics: tuple[str, ...]
    starts: Integers
    documents: IdTable
    drawn: Booleans
    stratum: Integers
    probability: Floats

    @property
    def has_strata(self) -> bool:
        """Whether documents were drawn from strata, and not each by itself."""
        return isinstance(self.design, DepthStrata)

    def columns(self) -> Columns:
        """Return one row per document drawn: topic, document, stratum and probability."""
        names = ("topic", "document", "stratum", "probability")
        columns = [*zip(*self.rows(), strict=True)] or [()] * len(names)
        return {name: [*cells] for name, cells in zip(names, columns, strict=True)}

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents were drawn, of how many."""
        of = f"{counted(len(self.drawn), 'document')} in {counted(len(self.topics), 'topic')}"
        drawn = f"Of {of}, {int(self.drawn.sum()):,} are drawn"
        if not self.has_strata:
            return (f"{drawn}, each by itself.",)
        counts = np.bincount(self.stratum[self.drawn])[1:]
        parts = [f"{count:,} of stratum {c}" for c, count in enumerate(counts.tolist(), 1)]
        return (f"{drawn}: {', '.join(parts)}.",)

    def rows(self) -> Iterator[tuple[str, str, int, float]]:
        """Go through the documents drawn: topic, document, stratum, probability."""
        topic = np.repeat(np.arange(len(self.topics)), np.diff(self.starts))
        for row in np.flatnonzero(self.drawn).tolist():
            stratum, chance = int(self.stratum[row]), float(self.probability[row])
            yield self.topics[topic[row]], self.documents[row], stratum, chance

    def graded(self, judgments: Judgments) -> Judgments:
        """Return the judgments of the sample, with the grades that its documents have there.

        A sample from strata lists what was not drawn, too, with the grade −1, and so it does what
        was drawn and has no grade. Of other samples only the documents with a grade are listed.
        """
        grades = self._grades(judgments)
        if self.has_strata:
            return self._judgments(np.arange(len(grades)), grades).with_sampling(
                stratum=self.stratum
            )
        kept = np.flatnonzero(grades >= 0)
        sampled = self._judgments(kept, grades[kept])
        return sampled.with_sampling(stratum=self.stratum[kept], probability=self.probability[kept])

    def ungraded(self, judgments: Judgments) -> int:
        """Return how many of the documents drawn have no grade there."""
        return int((self._grades(judgments)[self.drawn] < 0).sum())

    def _grades(self, judgments: Judgments) -> Floats:
        """Return the grade of each document drawn, −1 where it has none and of all others."""
        known = {(topic, document): grade for topic, document, grade in judgments}
        grades = np.full(len(self.drawn), -1.0)
        found = [known.get((topic, document), -1.0) for topic, document, _, _ in self.rows()]
        grades[self.drawn] = np.maximum(found, -1.0) if found else []
        return grades

    def _judgments(self, rows: Indices, grades: Floats) -> Judgments:
        topic = np.repeat(np.arange(len(self.topics)), np.diff(self.starts))[rows]
        scale, codes = np.unique(grades, return_inverse=True)
        return Judgments(
            topics=self.topics,
            starts=starts_of(np.bincount(topic, minlength=len(self.topics))),
            documents=self.documents.take(rows),
            codes=codes.astype(np.int16),
            scale=scale,
        )


def draw_sample(runs: Runs, design: Design | str, *, seed: int = DEFAULT_SEED) -> DrawnSample:
    """Draw documents of runs by a design; the chance of each is kept.

    What is drawn depends on the seed, the topic and the documents alone, so that the same sample
    can be drawn again when its grades are there.

    Parameters
    ----------
    runs : Runs
        What was retrieved.
    design : DepthStrata, RankWeights or str
        How documents are drawn: a design or its name, as :func:`parse_design` reads it.
    seed : int
        The same seed draws the same documents.

    Returns
    -------
    DrawnSample
        The documents that could have been drawn, which were, and the chance of each.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}, "ql": {"1": ["d", "a", "e"]}})
    >>> drawn = draw_sample(runs, "depths:1=1,3=0.5", seed=1)
    >>> list(drawn.documents), drawn.stratum.tolist()
    (['a', 'b', 'c', 'd', 'e'], [1, 2, 2, 1, 2])
    >>> drawn.drawn.tolist(), drawn.probability.round(2).tolist()
    ([True, True, False, True, True], [1.0, 0.67, 0.67, 1.0, 0.67])
    """
    design = parse_design(design)
    pool = _pool(runs, design)
    if not len(pool.documents):
        raise OptionError("runs: there must be a document to draw. Hint: give runs that hold some.")
    chance, parts = HashedRandom(seed), []
    for topic, (first, past) in zip(runs.topics, pairwise(pool.starts.tolist()), strict=True):
        names = [pool.documents[row] for row in range(first, past)]
        uniform = fine_uniform(chance.keys(topic, names), 1)[:, 0]
        parts.append(_draw(design, pool, slice(first, past), uniform))
    drawn, stratum, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
    origin = Provenance(runs=runs.sources, tie_rule=runs.tie_rule, notices=runs.notices)
    return DrawnSample(
        design,
        runs.topics,
        pool.starts,
        pool.documents,
        drawn,
        stratum,
        probability,
        provenance=origin.with_options(design=str(design), seed=seed),
    )


class _Pool(NamedTuple):
    """The documents that runs have in their first ranks, by topic."""

    starts: Integers
    documents: IdTable
    best: Integers
    """The best rank of each."""
    weights: Floats
    """What the ranks of each are worth together, where a design goes by that."""


def _pool(runs: Runs, design: Design) -> _Pool:
    lengths = runs.lengths.ravel()
    ranks = np.arange(len(runs.rankings)) - np.repeat(runs.list_starts[:-1], lengths) + 1
    topic = np.tile(np.arange(len(runs.topics)), len(runs.systems)).repeat(lengths)
    near = ranks <= design.depth
    rows, ranks = (runs.topic_starts[topic] + runs.rankings)[near], ranks[near]
    best = np.full(len(runs.documents), design.depth + 1)
    np.minimum.at(best, rows, ranks)
    worth = design.weights(ranks) if isinstance(design, RankWeights) else np.zeros(len(ranks))
    weights = np.bincount(rows, worth, minlength=len(best)).astype(np.float64)
    kept = best <= design.depth
    sizes = [int(kept[a:b].sum()) for a, b in pairwise(runs.topic_starts.tolist())]
    taken = np.flatnonzero(kept)
    return _Pool(starts_of(sizes), runs.documents.take(taken), best[kept], weights[kept])


def _draw(
    design: Design, pool: _Pool, rows: slice, uniform: Floats
) -> tuple[Booleans, Integers, Floats]:
    """Return which documents of a topic are drawn, their strata, and their chances."""
    if isinstance(design, DepthStrata):
        drawn, stratum = design.draw(pool.best[rows], uniform), design.strata(pool.best[rows])
        shares = np.bincount(stratum, drawn) / np.maximum(np.bincount(stratum), 1)
        return drawn, stratum + 1, shares[stratum]
    chances = design.chances(pool.weights[rows])
    return uniform < chances, np.ones(len(uniform), np.int64), chances
