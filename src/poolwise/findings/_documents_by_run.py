"""Who ranks what on a topic, judged or not."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import match_documents
from poolwise.collection._runs import Runs
from poolwise.collection.formats._texts import Texts, short_text
from poolwise.errors import OptionError, require_depth
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import are, counted, have, named

__all__ = ["DocumentsByRun", "TopicDocuments", "documents_of_topic"]

_NAMES = 36
"""Characters that the names of runs may take above their columns, before numbers stand there."""


@finding
class DocumentsByRun(Finding):
    """The documents that runs rank first on one topic, with their grades.

    Attributes
    ----------
    topic : str
    depth : int
        The documents are those that any run has in its first ranks, down to this one.
    systems, documents : tuple of str
        Documents stand in the order of their sums of 1/rank over the runs, so that those come
        first that are ranked early and often.
    grades : float array, documents
        NaN for a document without a grade.
    ranks : int array, documents × systems
        Where each run has the document, from 1 on; 0 where it does not.
    texts : Texts, optional
        What the topic asks and what documents say, as far as that is known.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"7": ["a", "x"]}, "dense": {"7": ["x", "b", "a"]}})
    >>> shown = documents_of_topic(Judgments.from_dict({"7": {"a": 2, "b": 0}}), runs, "7", depth=2)
    >>> print(shown)
    3 documents are in the first 2 ranks of 2 runs on topic 7; 2 of them are judged, 1 with a grade
    above 0.
    <BLANKLINE>
    Topic 7: the first 2 ranks of 2 runs
    <BLANKLINE>
    document  grade  runs  bm25  dense
    x         ?         2     2      1
    a         2         1     1      3
    b         0         1     –      2
    <BLANKLINE>
    The unjudged document that is ranked earliest and most often is x: 2 runs have it there, the
    best at rank 1.
    Documents that are ranked early and often come first, by the sum of 1/rank over the runs.
    """

    topic: str
    depth: int
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    grades: Floats
    ranks: NDArray[np.int32]
    texts: Texts | None = None

    @property
    def query(self) -> str:
        """What the topic asks; empty where that is not known."""
        return self.texts.queries.get(self.topic, "") if self.texts else ""

    @property
    def said(self) -> Mapping[str, str]:
        """What documents say, by id, as far as that is known."""
        return self.texts.documents if self.texts else {}

    @cached_property
    def unjudged(self) -> Booleans:
        """Which documents have no grade."""
        return np.isnan(self.grades)

    @cached_property
    def holders(self) -> NDArray[np.intp]:
        """How many runs have each document in their first ranks."""
        return np.count_nonzero((self.ranks > 0) & (self.ranks <= self.depth), axis=1)

    @cached_property
    def best_ranks(self) -> NDArray[np.int32]:
        """The best rank that any run gives each document."""
        return np.where(self.ranks > 0, self.ranks, np.iinfo(np.int32).max).min(axis=1)

    def is_first(self, system: str) -> Booleans:
        """Return which documents a run has in its first ranks."""
        ranks = self.ranks[:, self.systems.index(system)]
        return np.asarray((ranks > 0) & (ranks <= self.depth))

    def ranks_of(self, document: int, systems: Sequence[str]) -> tuple[int | None, ...]:
        """Return where some runs have a document, by its place; None where they do not."""
        at = [self.systems.index(system) for system in systems]
        return tuple(int(rank) or None for rank in self.ranks[document, at])

    def columns(self) -> Columns:
        """Return one row for each document and run that has it, in the order of the documents."""
        rows, systems = np.nonzero(self.ranks)
        grades = [None if np.isnan(grade) else grade for grade in self.grades.tolist()]
        holders, best = self.holders.tolist(), self.best_ranks.tolist()
        topics, documents = [self.topic] * len(rows), [self.documents[d] for d in rows]
        cells: Columns = {
            "topic": topics,
            "document": documents,
            "grade": [grades[d] for d in rows],
            "runs": [holders[d] for d in rows],
            "best_rank": [best[d] for d in rows],
            "run": [self.systems[s] for s in systems],
            "rank": self.ranks[rows, systems].tolist(),
        }
        return cells | self.texts.columns(topics, documents) if self.texts else cells

    def tables(self, *, most: int | None = None) -> tuple[Table, ...]:
        """Return documents × runs, at most so many documents."""
        names = " ".join(self.systems)
        titles = self.systems if len(names) <= _NAMES else self._numbers()
        columns = (
            *(Column("document"), Column("grade"), Column("runs", rank=1)),
            *(Column(title, rank=2) for title in titles),
            *([Column("text")] if self.said else []),
        )
        whole = Table(columns, tuple(map(self._row, range(len(self.documents)))))
        shown = whole if most is None else whole.head(most)
        legend = () if titles == self.systems else (self._legend(),)
        return (
            Table(
                columns,
                shown.rows,
                title=f"Topic {self.topic}{self._asked()}: {self._where()}",
                notes=(*shown.notes, *legend),
            ),
        )

    def _asked(self) -> str:
        return f" ({self.query})" if self.query else ""

    def _where(self) -> str:
        ranks = "first rank" if self.depth == 1 else f"first {self.depth:,} ranks"
        return f"the {ranks} of {counted(len(self.systems), 'run')}"

    def _numbers(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, len(self.systems) + 1))

    def _legend(self) -> str:
        pairs = zip(self._numbers(), self.systems, strict=True)
        return f"Runs: {', '.join(f'{number}={name}' for number, name in pairs)}."

    def _row(self, d: int) -> tuple[Cell, ...]:
        grade = "?" if self.unjudged[d] else f"{self.grades[d]:g}"
        ranks = (rank or None for rank in self.ranks[d].tolist())
        text = [short_text(self.said.get(self.documents[d]))] if self.said else []
        return self.documents[d], grade, int(self.holders[d]), *ranks, *text

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents are judged, and which unjudged one comes first."""
        ordered = "Documents that are ranked early and often come first, by the sum of 1/rank over "
        return (self._size(), *self._first_unjudged(), *self._lacking(), f"{ordered}the runs.")

    def _size(self) -> str:
        judged, above = int((~self.unjudged).sum()), int((self.grades > 0).sum())
        be = are(len(self.documents))
        return (
            f"{counted(len(self.documents), 'document')} {be} in {self._where()} on topic "
            f"{self.topic}; {judged:,} of them {are(judged)} judged, {above:,} "
            "with a grade above 0."
        )

    def _first_unjudged(self) -> tuple[str, ...]:
        """Say which document without a grade most runs rank early, if there is one."""
        if not self.unjudged.any():
            return ()
        d = int(self.unjudged.argmax())
        verb = have(int(self.holders[d]))
        said = (
            "The unjudged document that is ranked earliest and most often is "
            f"{self.documents[d]}: {counted(int(self.holders[d]), 'run')} {verb} it there, the "
            f"best at rank {self.best_ranks[d]}."
        )
        return (said,)

    def _lacking(self) -> tuple[str, ...]:
        """Say which runs have none of these documents, since they have none at all."""
        without = [self.systems[s] for s in np.flatnonzero(~self.ranks.any(axis=0)).tolist()]
        if not without:
            return ()
        verb = have(len(without))
        return (
            f"{counted(len(without), 'run')} {verb} no results for this topic: {named(without)}.",
        )


@recorded
def documents_of_topic(
    judgments: Judgments, runs: Runs, topic: str, *, depth: int = 10
) -> DocumentsByRun:
    """Find which documents runs rank first on a topic, where each run has them, and their grades.

    Parameters
    ----------
    topic : str
        A topic for which a run has results; it need not be judged.
    depth : int
        Take the documents that any run has in its first ranks, down to this one.

    Returns
    -------
    DocumentsByRun
        The documents with their grades and their ranks in every run.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"7": ["a", "x"]}, "dense": {"7": ["x", "b", "a"]}})
    >>> shown = documents_of_topic(Judgments.from_dict({"7": {"a": 2, "b": 0}}), runs, "7", depth=1)
    >>> shown.documents, shown.grades.tolist(), shown.ranks.tolist()
    (('x', 'a'), [nan, 2.0], [[2, 1], [1, 3]])
    >>> documents_of_topic(Judgments.from_dict({}), runs, "8")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topic: '8' is not known. Hint: use one of 7.
    """
    require_depth(depth)
    indices_of(topic, runs.topics, what="topic")
    here = runs.select(topics=[topic])
    if not here.lengths.any():
        raise OptionError(f"topic: no run has results for {topic!r}. Hint: name another topic.")
    ranks = _ranks(here)
    first = np.flatnonzero(((ranks > 0) & (ranks <= depth)).any(axis=1))
    weight = np.divide(1.0, ranks, out=np.zeros(ranks.shape), where=ranks > 0).sum(axis=1)
    order = first[np.argsort(-weight[first].round(12), kind="stable")]
    return DocumentsByRun(
        topic=topic,
        depth=depth,
        systems=here.systems,
        documents=tuple(here.documents[d] for d in order.tolist()),
        grades=_grades(judgments, here)[order],
        ranks=ranks[order],
        provenance=Provenance(
            judgments=judgments.source,
            runs=here.sources,
            tie_rule=here.tie_rule,
            topic_rule=(topic,),
            notices=judgments.notices + here.notices,
        ).with_options(depth=depth),
    )


def _ranks(runs: Runs) -> NDArray[np.int32]:
    """Return documents × systems of runs on one topic."""
    ranks = np.zeros((len(runs.documents), len(runs.systems)), np.int32)
    for s, length in enumerate(runs.lengths[:, 0].tolist()):
        start = runs.list_starts[s]
        ranks[runs.rankings[start : start + length], s] = np.arange(1, length + 1)
    return ranks


def _grades(judgments: Judgments, runs: Runs) -> Floats:
    """Return the grade of each document, NaN where it has none."""
    rows = match_documents(judgments, runs)
    grades = np.append(judgments.scale, np.nan)[judgments.codes]
    # A negative grade says that a document was pooled, and not judged.
    of_judged = np.where(judgments.judged & (grades >= 0), grades, np.nan)
    return np.append(of_judged, np.nan)[rows]  # row −1, no judgment, takes the last entry


@finding
class TopicDocuments(Finding):
    """The first documents of all runs on several topics.

    Attributes
    ----------
    topics : tuple of DocumentsByRun
        Those of each topic, the topic with most unjudged documents first.
    of : int
        How many topics there are.
    texts : Texts
        What topics ask and documents say, by id, where that was given.

    Examples
    --------
    >>> from poolwise import report
    >>> runs = {"bm25": {"7": {"a": 0.5, "x": 0.4}}, "ql": {"7": {"x": 0.9, "b": 0.8}}}
    >>> overview = report({"7": {"a": 2, "b": 0}}, runs, ["P@2"], documents={"x": "A text."})
    >>> print(*overview.documents.sentences())
    The first 10 documents of every run on 1 topic are shown; 1 of 3 is unjudged.
    The texts of 1 of them are known.
    """

    topics: tuple[DocumentsByRun, ...]
    of: int
    texts: Texts = Texts()

    def __len__(self) -> int:
        return len(self.topics)

    def columns(self) -> Columns:
        """Return one row for each topic, document and run that has it, at any rank."""
        return stack_columns([topic.columns() for topic in self.topics]) if self.topics else {}

    def sentences(self) -> tuple[str, ...]:
        """Say of how many topics documents are shown, how many are unjudged, and have texts."""
        documents = sum(len(topic.documents) for topic in self.topics)
        unjudged = sum(int(topic.unjudged.sum()) for topic in self.topics)
        depth = self.topics[0].depth if self.topics else 0
        topics = counted(len(self), "topic")
        if len(self) < self.of:
            topics = f"the {topics}, of {self.of:,}, with most unjudged documents"
        be = are(unjudged)
        shown = f"The first {counted(depth, 'document')} of every run on {topics}"
        said = f"{shown} are shown; {unjudged:,} of {documents:,} {be} unjudged."
        with_text = len(self.texts.documents)
        return (said, *((f"The texts of {with_text:,} of them are known.",) if with_text else ()))
