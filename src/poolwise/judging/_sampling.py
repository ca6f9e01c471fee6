"""Samples of documents to judge, drawn by a design, with the chance that each had."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import HashedRandom, IdTable, fine_uniform, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._first_ranks import first_ranks
from poolwise.evidence._labelled_rows import grades_of_rows
from poolwise.evidence._meeting import align
from poolwise.findings.labels._document_design import chances, document_weights, expected_spread
from poolwise.findings.labels._labelled_documents import DRAWN_UNGRADED, weighted_measure
from poolwise.judging._candidates import origin_of
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, columns_of
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = [
    "DESIGNS",
    "DepthStrata",
    "Design",
    "DrawnSample",
    "LabelledWeights",
    "RankWeights",
    "draw_labelled_sample",
    "draw_sample",
    "parse_design",
]

DESIGNS = {
    "depths": "strata by the best rank, each with a rate: depths:10=1,30=0.4,100=0.1",
    "rbp": "chances in proportion to summed RBP weights: rbp:100, or rbp:100,p=0.95,depth=100",
}
"""The kinds of designs, and how each is written."""

_FEWEST = 2
"""Documents drawn from a stratum at least, without which its spread is not known."""


@dataclass(frozen=True)
class DepthStrata:
    """The pool in strata by best rank; of each a share is drawn, all documents alike.

    Attributes
    ----------
    depths : tuple of int
        The last rank of each stratum, ascending.
    rates : tuple of float
        The share of each that is drawn, rounded to whole documents, two at least.

    Examples
    --------
    >>> design = DepthStrata((1, 3), (1.0, 0.5))
    >>> str(design), design.depth
    ('depths:1=1,3=0.5', 3)
    >>> design.strata(np.array([1, 3, 2, 1])).tolist()
    [0, 1, 1, 0]
    """

    depths: tuple[int, ...]
    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise((0, *self.depths)))
        if not self.depths or not rising or not all(0 < rate <= 1 for rate in self.rates):
            raise _refusal(str(self), "depths must rise, and rates be above 0 and at most 1")

    def __str__(self) -> str:
        steps = zip(self.depths, self.rates, strict=True)
        return f"depths:{','.join(f'{depth}={rate:g}' for depth, rate in steps)}"

    @property
    def depth(self) -> int:
        """Ranks of each run that are looked at."""
        return self.depths[-1]

    def strata(self, best_ranks: Integers) -> Integers:
        """Return the number of the stratum of each document."""
        return np.searchsorted(self.depths, best_ranks).astype(np.int64)

    def draw(self, best_ranks: Integers, uniform: Floats) -> Booleans:
        """Return which documents of a topic are drawn: those of the lowest numbers of a stratum."""
        stratum, drawn = self.strata(best_ranks), np.zeros(len(uniform), np.bool_)
        for c, rate in enumerate(self.rates):
            # the lowest of independent uniform numbers: a simple sample without replacement
            inside = np.flatnonzero(stratum == c)
            size = min(len(inside), max(_FEWEST, round(rate * len(inside))))
            drawn[inside[np.argsort(uniform[inside], kind="stable")[:size]]] = True
        return drawn


@dataclass(frozen=True)
class RankWeights:
    """Each document by itself, with a chance in proportion to its RBP weight over all runs.

    Attributes
    ----------
    size : float
        How many documents of a topic are drawn, on average.
    p : float
        The persistence of RBP.
    depth : int
        Ranks of each run that are looked at.

    Examples
    --------
    >>> RankWeights(2).chances(np.array([1.0, 3.0, 1.0, 1.0])).round(3).tolist()
    [0.333, 1.0, 0.333, 0.333]
    """

    size: float
    p: float = 0.95
    depth: int = 100

    def __post_init__(self) -> None:
        if not (self.size > 0 and 0 < self.p < 1 and self.depth >= 1):
            raise _refusal(str(self), "the size must be above 0, and p between 0 and 1")

    def __str__(self) -> str:
        return f"rbp:{self.size:g},p={self.p:g},depth={self.depth}"

    def weights(self, ranks: Integers) -> Floats:
        """Return the weight of each rank (Moffat and Zobel 2008)."""
        return np.asarray((1 - self.p) * self.p ** (ranks - 1.0))

    def chances(self, weights: Floats) -> Floats:
        """Return the chance of each document of a topic; their sum is the size, if it can be."""
        chance = np.ones(len(weights))
        certain = np.zeros(len(weights), np.bool_)
        while not certain.all():
            # who would have a chance above 1 is drawn for certain, which leaves the others a
            # smaller size, and may make further ones certain
            left = self.size - certain.sum()
            chance = np.where(certain, 1.0, left * weights / weights[~certain].sum())
            over = ~certain & (chance >= 1)
            if not over.any():
                return chance
            certain |= over
        return np.ones(len(weights))


@dataclass(frozen=True)
class LabelledWeights:
    """Chances by what a document weighs in all runs, and by the grade that a machine gave it.

    Attributes
    ----------
    budget : int
        How many documents are drawn, of all topics together, on average.
    measure : str
        The measure whose weights count.
    flat : bool
        Whether the machine's grades are passed over, for labels that nobody trusts.

    Examples
    --------
    >>> print(LabelledWeights(200, "P@10"))
    labels:200,P@10
    """

    budget: int
    measure: str
    flat: bool = False

    def __str__(self) -> str:
        flat = ",flat" if self.flat else ""
        return f"labels:{self.budget},{self.measure}{flat}"


Design = DepthStrata | RankWeights
AnyDesign = DepthStrata | RankWeights | LabelledWeights


@recorded
def parse_design(text: "str | Design") -> Design:
    """Return the design of this name: see ``DESIGNS``.

    Parameters
    ----------
    text : str or Design
        The design as it is written; a design is returned as it is.

    Returns
    -------
    DepthStrata or RankWeights
        Strata by best rank with their rates, or chances in proportion to summed RBP weights.

    Examples
    --------
    >>> print(parse_design("depths:10=1,30=0.4"), parse_design("rbp:50"))
    depths:10=1,30=0.4 rbp:50,p=0.95,depth=100
    >>> parse_design("10=1")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: design: a design is written depths:RANK=RATE,… or rbp:SIZE; got
    '10=1'. Hint: write depths:10=1,30=0.4,100=0.1, or rbp:100.
    """
    if not isinstance(text, str):
        return text
    kind, _, rest = text.partition(":")
    try:
        if kind == "depths":
            steps = [step.split("=") for step in rest.split(",")]
            return DepthStrata(tuple(int(d) for d, _ in steps), tuple(float(r) for _, r in steps))
        if kind == "rbp":
            size, *options = rest.split(",")
            parameters = dict(option.split("=") for option in options)
            kinds = {"p": float, "depth": int}
            return RankWeights(float(size), **{k: kinds[k](v) for k, v in parameters.items()})
    except (KeyError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise _refusal(text, "a design is written depths:RANK=RATE,… or rbp:SIZE") from error
    raise _refusal(text, "a design is written depths:RANK=RATE,… or rbp:SIZE")


def _refusal(text: str, rule: str) -> OptionError:
    return OptionError(
        f"design: {rule}; got {text!r}. Hint: write depths:10=1,30=0.4,100=0.1, or rbp:100."
    )


@finding
class DrawnSample(Finding):
    """The documents that a design could have drawn, by topic, and those that it drew.

    Attributes
    ----------
    design : Design
    topics : tuple of str
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
    >>> drawn = draw_sample(runs, "depths:1=1,3=0.5", rng=1)
    >>> drawn.sentences()[0]
    'Of 5 documents in 1 topic, 4 are drawn: 2 of stratum 1, 2 of stratum 2.'
    >>> judged = drawn.graded(Judgments.from_dict({"1": dict.fromkeys("abcde", 1)}))
    >>> len(judged), sum(grade < 0 for _, _, grade in judged)
    (5, 1)
    """

    design: AnyDesign
    topics: tuple[str, ...]
    starts: Integers
    documents: IdTable
    drawn: Booleans
    stratum: Integers
    probability: Floats
    known: Floats | None = None
    """Grades of documents that were judged before, NaN of others; None where nothing was."""

    @property
    def has_strata(self) -> bool:
        """Whether documents were drawn from strata, and not each by itself."""
        return isinstance(self.design, DepthStrata)

    def columns(self) -> Columns:
        """Return one row per document drawn."""
        rows = list(self.rows())
        names = ("topic", "document", "stratum", "probability")
        return columns_of(names, rows)

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents were drawn, of how many."""
        before = 0 if self.known is None else int((~np.isnan(self.known)).sum())
        whole = counted(len(self.drawn) - before, "document")
        of = f"{whole} in {counted(len(self.topics), 'topic')}"
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
        if isinstance(self.design, LabelledWeights):
            # Documents that were not drawn are listed too: their chances are part of the estimate.
            known_grades = np.full(len(grades), np.nan) if self.known is None else self.known
            lacking = np.where(self.drawn & (grades < 0), DRAWN_UNGRADED, grades)
            whole = np.where(np.isnan(known_grades), lacking, known_grades)
            graded = self._judgments(np.arange(len(grades)), whole)
            return graded.with_sampling(stratum=self.stratum, probability=self.probability)
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
        # all negative grades mean "not judged" in a sample, and are one here
        grade_of = {(topic, document): grade for topic, document, grade in judgments}
        grades = np.full(len(self.drawn), -1.0)
        of_drawn = [grade_of.get((topic, document), -1.0) for topic, document, _, _ in self.rows()]
        grades[self.drawn] = np.maximum(of_drawn, -1.0) if of_drawn else []
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


@recorded
def draw_sample(runs: Runs, design: Design | str, *, rng: int = DEFAULT_SEED) -> DrawnSample:
    """Draw documents of runs by a design; the chance of each is kept.

    What is drawn depends on the seed, the topic and the documents alone, so that the same sample
    can be drawn again when its grades are there.

    Parameters
    ----------
    design : DepthStrata, RankWeights or str
        How documents are drawn: a design or its name, as :func:`parse_design` reads it.

    Returns
    -------
    DrawnSample
        The documents that could have been drawn, which were, and the chance of each.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}, "ql": {"1": ["d", "a", "e"]}})
    >>> drawn = draw_sample(runs, "depths:1=1,3=0.5", rng=1)
    >>> list(drawn.documents), drawn.stratum.tolist()
    (['a', 'b', 'c', 'd', 'e'], [1, 2, 2, 1, 2])
    >>> drawn.drawn.tolist(), drawn.probability.round(2).tolist()
    ([True, True, False, True, True], [1.0, 0.67, 0.67, 1.0, 0.67])
    """
    design = parse_design(design)
    pool = _pool(runs, design)
    if not len(pool.documents):
        raise OptionError("runs: there must be a document to draw. Hint: give runs that hold some.")
    chance, parts = HashedRandom(rng), []
    for topic, (first, past) in zip(runs.topics, pairwise(pool.starts.tolist()), strict=True):
        names = [pool.documents[row] for row in range(first, past)]
        uniform = fine_uniform(chance.keys(topic, names), 1)[:, 0]
        parts.append(_draw(design, pool, slice(first, past), uniform))
    drawn, stratum, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
    return DrawnSample(
        design,
        runs.topics,
        pool.starts,
        pool.documents,
        drawn,
        stratum,
        probability,
        provenance=origin_of(runs).with_options(design=str(design)),
    )


@recorded
def draw_labelled_sample(
    runs: Runs,
    labels: Labels,
    budget: int,
    *,
    measure: Measure | str = "P@10",
    flat: bool = False,
    judged: Judgments | None = None,
    rng: int = DEFAULT_SEED,
) -> DrawnSample:
    """Draw documents for people to label, where a machine has labelled all.

    Each document of the first ranks is drawn by itself, with a chance by its weight in all runs and
    by how far people's grade may be from what the machine's says (LABELS: the design).

    Parameters
    ----------
    labels : Labels
        The labels of one machine; documents without one are drawn, too.
    budget
        How many documents are drawn, of all topics together, on average.
    measure
        The measure that will be estimated: its weights and its depth count.
    flat
        Pass over the machine's grades.
    judged : Judgments, optional
        What was judged before: only the holes are drawn from.

    Returns
    -------
    DrawnSample
        The documents of the first ranks, which were drawn, and the chance of each.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}, "ql": {"1": ["d", "a", "e"]}})
    >>> gpt = Labels.from_dict("gpt", {"1": {"a": 2, "b": 0, "c": 1, "d": 2, "e": 0}})
    >>> drawn = draw_labelled_sample(runs, gpt, 2, measure="P@3")
    >>> drawn.probability.round(2).tolist(), round(float(drawn.probability.sum()), 6)
    ([0.59, 0.29, 0.42, 0.42, 0.29], 2.0)
    """
    if budget < 1:
        raise OptionError(f"budget: must be 1 or more; got {budget}. Hint: use 200.")
    first = judged or Judgments.from_dict({topic: {} for topic in runs.topics})
    evidence = align(first, runs, topics=first.topics)
    chosen = weighted_measure(measure, first.with_grades(labels.scale.tolist()))
    depth = chosen.depth or int(evidence.lengths.max(initial=1))
    ranks = first_ranks(evidence, depth)
    weights = document_weights(evidence, ranks, chosen.weights(depth))
    grades = grades_of_rows(labels, evidence, ranks.rows)
    if np.isnan(grades).all():
        raise OptionError(
            "labels: no document in the first ranks of the runs has a label. Hint: check that both "
            "belong to the same collection."
        )
    known_grades = _known(first, evidence.judgment_rows[ranks.rows].astype(np.intp))
    open_ = np.isnan(known_grades)
    spread = expected_spread(grades, labels.scale, flat=flat)
    chance = np.ones(len(ranks.rows))
    chance[open_] = chances(weights.size()[open_], spread[open_], budget)
    ids = evidence.document_ids.take(ranks.rows)
    random, topic = HashedRandom(rng), ranks.topic_of_row
    edges = np.searchsorted(topic, np.arange(len(evidence.topics) + 1))
    uniform = np.concatenate(
        [
            fine_uniform(random.keys(name, [ids[row] for row in range(a, b)]), 1)[:, 0]
            for name, (a, b) in zip(evidence.topics, pairwise(edges.tolist()), strict=True)
        ]
    )
    design = LabelledWeights(budget, str(chosen), flat)
    return DrawnSample(
        design,
        evidence.topics,
        edges.astype(np.int64),
        ids,
        (uniform < chance) & open_,
        open_.astype(np.int64),
        chance,
        known_grades if judged is not None else None,
        provenance=origin_of(runs).with_options(
            design=str(design),
            labels=labels.recorded_as,
            label_author=labels.authors[0].described,
        ),
    )


def _known(judged: Judgments, rows: Indices) -> Floats:
    """Return the grades of documents that were judged before; NaN of others."""
    codes = np.append(judged.codes, -1)[rows]
    scale = judged.scale if len(judged.scale) else np.zeros(1)
    grades = np.where(codes >= 0, scale[np.maximum(codes, 0)], np.nan)
    return np.where(grades < 0, np.nan, grades)


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
