"""Lists of documents to judge, each with where the runs have them."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Any

import numpy as np

from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.formats._texts import Texts, for_people
from poolwise.errors import require_depth
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.judging._candidates import Candidates, TopicCandidates, candidates_of, origin_of
from poolwise.judging._goals import Goal, Swings, default_order, swings_of
from poolwise.judging.orders._by_document import GivenWeights
from poolwise.judging.orders._order import Step, proposals
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import are, counted

__all__ = [
    "DecisiveDocuments",
    "DocumentList",
    "JudgingList",
    "JudgingSheet",
    "PoolToJudge",
    "decisive_documents",
    "list_pool",
    "places_of",
    "with_first",
]


@finding
class DocumentList(Finding):
    """Documents to judge: topic, id, the best rank of any run, and how many runs have it.

    What topics ask and documents say goes with them, as far as that is known.
    """

    topic: tuple[str, ...]
    document: tuple[str, ...]
    best_rank: tuple[int, ...]
    runs: tuple[int, ...]
    texts: Texts = field(default=Texts(), kw_only=True)

    def __len__(self) -> int:
        return len(self.document)

    def answer(self) -> str:
        """Return nothing, since the documents are the answer; where there are none, why."""
        return "" if len(self) else super().answer()

    def _cells(self, *names: str) -> Columns:
        cells = {name: list(getattr(self, name)) for name in names}
        return cells | self.texts.columns(self.topic, self.document)

    def _table(self, title: str) -> Table:
        """Return the list as a table, from which columns go where a window is narrow."""
        table = table_of(for_people(self.columns()), title=title)
        columns = (replace(c, rank=self._ranks().get(c.title, 0)) for c in table.columns)
        return replace(table, columns=tuple(columns))

    def _ranks(self) -> dict[str, int]:
        # What is to be read goes last.
        return {"weight": 1, "best rank": 2, "runs": 2, "reason": 1 if self.texts.documents else 0}

    def sheet(self) -> "JudgingSheet":
        """Return the documents as assessors get them: without ranks, runs and reasons."""
        rows = sorted(zip(self.topic, self.document, strict=True))
        topic, document = zip(*rows, strict=True) if rows else ((), ())
        return JudgingSheet(topic, document, texts=self.texts, provenance=self.provenance)


@finding
class JudgingSheet(Finding):
    """A sheet for assessors: topic, document and an empty grade, which ``merge`` takes back.

    Within a topic the documents are by id, so that their order tells nothing either.

    Attributes
    ----------
    topic, document : tuple of str
        What to judge.
    texts : Texts
        What topics ask and documents say, as far as that is known.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}, "ql": {"1": ["a", "c"]}})
    >>> list_pool(runs, depth=1).sheet().columns()
    {'topic': ['1', '1'], 'document': ['a', 'c'], 'grade': ['', '']}
    """

    topic: tuple[str, ...]
    document: tuple[str, ...]
    texts: Texts = Texts()

    def columns(self) -> Columns:
        """Return one row per document, with what there is to read, and a place for its grade."""
        cells: Columns = {"topic": list(self.topic), "document": list(self.document)}
        cells |= self.texts.columns(self.topic, self.document)
        return cells | {"grade": [""] * len(self.document)}

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents there are to judge."""
        documents = counted(len(self.document), "document")
        return (f"{documents}: grades go into the last column; an empty one is not judged.",)


def places_of(documents: Sequence[tuple[TopicCandidates, int]]) -> dict[str, Any]:
    """Return what a list says of candidates, each given by its topic and its number there."""
    return {
        "topic": tuple(topic.topic for topic, _ in documents),
        "document": tuple(topic.ids[d] for topic, d in documents),
        "best_rank": tuple(int(topic.best_ranks[d]) for topic, d in documents),
        "runs": tuple(int(topic.holders[d]) for topic, d in documents),
    }


@finding
class JudgingList(DocumentList):
    """Documents to judge, the first one first.

    Attributes
    ----------
    goal : Goal
        What they are to be judged for.
    method : str
        The order that chose them.
    measure : Measure
        What runs are scored by.
    topic, document : tuple of str
        What to judge.
    weight : tuple of float
        What each weighs, by the scale of the method.
    best_rank, runs : tuple of int
        The best rank that any run gives it, and how many runs hold it.
    reason : tuple of str
        Why it is on the list.
    unlisted : int
        How many documents without a grade are not on the list.
    effects : tuple of str
        What judging them will buy, or why nothing need be judged, in sentences.
    common : CommonTopics, optional
        For the goal of common topics: which they are, to be kept for the estimate.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "ql": {"1": {"c": 2.0, "a": 1.0}}}
    >>> listed = pw.next({"1": {"a": 0}}, runs, "pair:bm25,ql", measure="P@2")
    >>> listed.document, listed.reason[0]
    (('b', 'c'), 'If relevant, it would move bm25 − ql by +0.5000.')
    """

    goal: Goal
    method: str
    measure: Measure
    weight: tuple[float, ...]
    reason: tuple[str, ...]
    unlisted: int
    effects: tuple[str, ...] = ()
    common: CommonTopics | None = None

    def columns(self) -> Columns:
        """Return one row per document, in the order of judging."""
        return self._cells("topic", "document", "weight", "best_rank", "runs", "reason")

    def tables(self) -> tuple[Table, ...]:
        """Return the list under its goal; the reasons tell of ranks and runs, too."""
        return (self._table(f"To judge next for the goal {self.goal}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents these are, and what judging them will buy."""
        if not len(self):
            return self.effects
        default = default_order(self.goal, self.measure)
        why = f": {default.why}" if self.method == default.method else ""
        listed = (
            f"{counted(len(self), 'document')} on {counted(len(set(self.topic)), 'topic')}, of "
            f"{len(self) + self.unlisted:,} without a grade, by the method {self.method}{why}."
        )
        return listed, *self.effects


def with_first(
    listed: JudgingList,
    evidence: Evidence,
    wanted: Mapping[str, Sequence[tuple[str, str]]],
    budget: int,
) -> JudgingList:
    """Put documents that runs need for their own sake before the others of a list.

    Parameters
    ----------
    wanted
        Topics and documents, by the run that needs them.
    budget
        How many documents the list has at most.
    """
    needs = {key: run for run, keys in wanted.items() for key in keys}
    first, keys = list(needs)[:budget], list(zip(listed.topic, listed.document, strict=True))
    if not first:
        return listed
    deepest = int(evidence.lengths.max())
    places = {
        (topic.topic, name): (topic, at)
        for topic in candidates_of(evidence, depth=deepest)
        for at, name in enumerate(topic.ids)
    }
    rest = [at for at, key in enumerate(keys) if key not in needs][: budget - len(first)]
    of_first = places_of([places[key] for key in first]) | {
        "weight": (math.nan,) * len(first),
        "reason": tuple(f"{needs[key]} is judged on this topic for its own sake." for key in first),
    }
    before = f"{counted(len(needs), 'document')} of later runs on their common topics come first."
    joined: dict[str, Any] = {
        name: (*cells, *(getattr(listed, name)[at] for at in rest))
        for name, cells in of_first.items()
    }
    return replace(
        listed,
        **joined,
        unlisted=max(0, len(listed) + listed.unlisted - len(first) - len(rest)),
        effects=(before, *listed.effects),
    )


@finding
class PoolToJudge(DocumentList):
    """The documents of a pool, by topic and document id, so that their order tells no ranks.

    Attributes
    ----------
    depth : int
        How many ranks of each run were pooled.
    systems : tuple of str
        The runs that were pooled.
    topic, document : tuple of str
        What to judge.
    best_rank, runs : tuple of int
        The best rank that any run gives it, and how many runs have it in the pooled ranks.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}, "ql": {"1": ["a", "c"]}})
    >>> list_pool(runs, depth=1).document
    ('a', 'c')
    """

    depth: int
    systems: tuple[str, ...]

    def columns(self) -> Columns:
        """Return one row per document."""
        return self._cells("topic", "document", "best_rank", "runs")

    def ungraded(self) -> Judgments:
        """Return the pool as judgments of the grade −1: pooled, and not judged.

        Examples
        --------
        >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}})
        >>> list(list_pool(runs, depth=2).ungraded())
        [('1', 'b', -1.0), ('1', 'c', -1.0)]
        """
        topics: dict[str, dict[str, float]] = {}
        for topic, document in zip(self.topic, self.document, strict=True):
            topics.setdefault(topic, {})[document] = -1
        return Judgments.from_dict(topics)

    def tables(self) -> tuple[Table, ...]:
        """Return the pool under its depth."""
        return (self._table(f"The pool to judge, of depth {self.depth:,}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents there are to judge."""
        topics = len(set(self.topic))
        ranks = "first rank" if self.depth == 1 else f"first {self.depth:,} ranks"
        said = (
            f"{counted(len(self), 'document')} on {counted(topics, 'topic')}, "
            f"{len(self) / max(topics, 1):.1f} per topic, in the {ranks} of "
            f"{counted(len(self.systems), 'run')}."
        )
        return (said,)


@recorded
def list_pool(runs: Runs, *, depth: int) -> PoolToJudge:
    """List the documents that any of the runs has in its first ranks.

    Parameters
    ----------
    depth : int
        How many ranks of each run are pooled.

    Returns
    -------
    PoolToJudge
        The documents by topic and id, so that their order tells no ranks.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}, "ql": {"1": ["a", "c"]}})
    >>> pool = list_pool(runs, depth=2)
    >>> pool.document, pool.best_rank, pool.runs
    (('a', 'b', 'c'), (1, 2, 1), (1, 1, 2))
    """
    require_depth(depth, longest=int(runs.lengths.max(initial=0)))
    evidence = align(Judgments.from_dict({}).with_topics(runs.topics), runs)
    topics = candidates_of(evidence, depth=depth).topics
    return PoolToJudge(
        depth=depth,
        systems=runs.systems,
        topic=tuple(candidates.topic for candidates in topics for _ in range(len(candidates))),
        document=tuple(document for candidates in topics for document in candidates.documents),
        best_rank=tuple(rank for candidates in topics for rank in candidates.best_ranks.tolist()),
        runs=tuple(count for candidates in topics for count in candidates.holders.tolist()),
        provenance=origin_of(runs),
    )


DEPTH = 20
"""Ranks of each run that are looked at, where the measure looks at no fewer."""
MOST = 10
"""Documents that are named."""


@finding
class DecisiveDocuments(DocumentList):
    """The documents to judge first for the orders of one run and others that are open.

    Attributes
    ----------
    measure : Measure
    run : str
        The run whose orders they are.
    open_pairs : int
        How many of its orders unjudged documents could still decide.
    topic, document : tuple of str
        The documents, the one that would move these orders most first.
    best_rank, runs : tuple of int
        The best rank that any run gives each, and how many runs have it that high.
    moves : tuple of int
        How many of the open orders each would move, if it were relevant.
    swing : tuple of float
        How far it would move the differences of means, summed over these orders.
    depth : int
        Ranks of each run that were looked at.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, parse_measure
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1}}), runs)
    >>> decisive = decisive_documents(
    ...     evidence, parse_measure("P@2"), "bm25", Pairs.of_two(evidence.systems, "bm25", "ql"))
    >>> decisive.document, decisive.swing
    (('b', 'c'), (0.5, 0.5))
    """

    measure: Measure
    run: str
    open_pairs: int
    moves: tuple[int, ...]
    swing: tuple[float, ...]
    depth: int = DEPTH

    def columns(self) -> Columns:
        """Return one row per document, the one that would move most first."""
        cells = self._cells("topic", "document", "best_rank", "runs", "moves", "swing")
        return {"run": [self.run] * len(self), **cells}

    def sentences(self) -> tuple[str, ...]:
        """Say what is open, and that these documents would settle the most of it."""
        orders = f"{counted(self.open_pairs, 'order')} of {self.run} and another run"
        verb = are(self.open_pairs)
        is_open = f"By {self.measure}, {orders} {verb} open to judging."
        if not len(self):
            return is_open, f"No single document in the first {DEPTH} ranks would move one."
        named = "The document below would move" if len(self) == 1 else "Those below would move"
        moves = f"{named} the differences of means most, if relevant."
        return is_open, moves, f"The same list is that of `{self.command()}`."

    def command(self) -> str:
        """Return the command that gives this list; a larger budget lists more."""
        goal, measure = (shlex.quote(text) for text in (f"run:{self.run}", str(self.measure)))
        return (
            f"poolwise next QRELS RUNS --goal {goal} --measure {measure} --depth {self.depth} "
            f"--topics {self._topics()} --budget {MOST}"
        )

    def _topics(self) -> str:
        rule = self.provenance.topic_rule
        return rule if isinstance(rule, str) else "FILE"


@recorded
def decisive_documents(
    evidence: Evidence, measure: Measure | str, run: str, pairs: Pairs
) -> DecisiveDocuments:
    """Find the documents that would move these open pairs most.

    Parameters
    ----------
    run : str
        The run that the pairs are about.
    pairs : Pairs
        The pairs with it whose order is open.

    Returns
    -------
    DecisiveDocuments
        At most ten documents, the one that would move the open orders most first.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["v", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> pairs = Pairs.of_two(evidence.systems, "a", "b")
    >>> decisive = decisive_documents(evidence, "RBP(p=0.5)", "a", pairs)
    >>> decisive.document, decisive.swing
    (('v', 'u'), (0.5, 0.25))
    """
    measure = parse_measure(measure)
    candidates = candidates_of(evidence, depth=min(measure.depth or DEPTH, DEPTH))
    swings = swings_of(pairs, evidence, measure, candidates)
    at = [(step.topic, step.document) for step in _heaviest(candidates, swings)]
    return DecisiveDocuments(
        measure=measure,
        run=run,
        open_pairs=len(pairs),
        **places_of([(candidates.topics[t], d) for t, d in at]),
        # rounding leaves a trace of a swing where two runs have the document at one rank
        moves=tuple(int(np.count_nonzero(swings.of(t)[:, d].round(12))) for t, d in at),
        swing=tuple(float(np.abs(swings.of(t)[:, d]).sum()) for t, d in at),
        depth=candidates.depth,
        provenance=evidence.provenance,
    )


def _heaviest(candidates: Candidates, swings: Swings) -> list[Step]:
    """Return the first documents of the order mtc, which is that of the goal about one run."""
    steps = proposals(GivenWeights(candidates, swings.weights()))
    return list(islice((step for step in steps if round(step.weight, 12) > 0), MOST))
