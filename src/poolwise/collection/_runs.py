"""What systems retrieved: one ranking per system and topic."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Integers
from poolwise.collection._identifiers import (
    IdTable,
    Renamed,
    decode,
    encode,
    indices_of,
    starts_of,
)
from poolwise.errors import InputError, require_choice
from poolwise.provenance._provenance import Notice, Source
from poolwise.results._columns import Backend, to_frame
from poolwise.words import counted

__all__ = ["TIE_RULES", "Runs"]

TIE_RULES = {
    "trec_eval": "score descending, then document id descending (trec_eval 10)",
    "trec_eval9": "as trec_eval, with scores compared in single precision (trec_eval 9)",
    "rank": "score descending, then submitted rank, then document id ascending",
    "docid": "score descending, then document id ascending",
}


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Rankings, already in order: the tie rule is applied once, when they are read.

    Ids are kept per topic: a document's *code* counts the topic's documents in byte order of
    their ids. Scores decide the order and the ties and are then done with.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems, in the order read.
    topics : tuple of str
        Ids of the topics that any system answers, in byte order.
    topic_starts : int array, topics + 1
        The documents of topic ``t`` are rows ``topic_starts[t]:topic_starts[t + 1]`` of
        ``documents``; code ``c`` of the topic is row ``topic_starts[t] + c``.
    documents : IdTable
        Document id of each row.
    rankings : int32 array
        Document codes in rank order, list after list: by system, then by topic.
    list_starts : int64 array, systems × topics + 1
        The list of system ``s`` and topic ``t`` starts at ``list_starts[s * len(topics) + t]``.
    tied : bool array
        Whether a document has the score of the one before it in its list.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a"]}, "ql": {"1": ["a"], "2": ["c"]}})
    >>> runs
    Runs(2 systems, 2 topics, 4 retrieved documents)
    >>> runs.systems, runs.topics, runs.lengths.tolist()
    (('bm25', 'ql'), ('1', '2'), [[2, 0], [1, 1]])
    >>> runs.ranking("bm25", "1"), runs.ranking("bm25", "2")
    (['b', 'a'], [])
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    topic_starts: Integers
    documents: IdTable
    rankings: NDArray[np.int32]
    list_starts: Integers
    tied: Booleans
    tie_rule: str = "trec_eval"
    sources: tuple[Source, ...] = ()
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_rankings(cls, lists: Mapping[str, Mapping[str, Sequence[str]]]) -> "Runs":
        """Build from ``{system: {topic: [document, …]}}``, best document first."""
        by_topic: dict[bytes, set[bytes]] = {}
        for topic, ranking in chain.from_iterable(lists[s].items() for s in lists):
            if len(set(ranking)) < len(ranking):
                rule = "a document may occur once in a ranking"
                raise InputError(f"topic {topic}", rule, remedy="keep its first place only")
            by_topic.setdefault(encode(topic), set()).update(encode(d) for d in ranking)
        topics = sorted(by_topic)
        code_of = {t: {d: c for c, d in enumerate(sorted(by_topic[t]))} for t in topics}
        ranked = [
            [code_of[t][encode(d)] for d in lists[s].get(decode(t), ())]
            for s in lists
            for t in topics
        ]
        return cls(
            systems=tuple(lists),
            topics=tuple(decode(t) for t in topics),
            topic_starts=starts_of(len(by_topic[t]) for t in topics),
            documents=IdTable.from_strings(decode(d) for t in topics for d in code_of[t]),
            rankings=np.array(list(chain.from_iterable(ranked)), np.int32),
            list_starts=starts_of(len(r) for r in ranked),
            tied=np.zeros(sum(map(len, ranked)), np.bool_),
            sources=(Source("<rankings>"),),
        )

    def __repr__(self) -> str:
        return (
            f"Runs({counted(len(self.systems), 'system')}, {counted(len(self.topics), 'topic')}, "
            f"{counted(len(self.rankings), 'retrieved document')})"
        )

    @cached_property
    def lengths(self) -> Integers:
        """Number of documents retrieved, systems × topics."""
        return np.diff(self.list_starts).reshape(len(self.systems), len(self.topics))

    def ranking(self, system: str, topic: str) -> list[str]:
        """Return the document ids one system retrieved for one topic, best first."""
        s, t = self._place("systems", system), self._place("topics", topic)
        start = self.list_starts[s * len(self.topics) + t]
        codes = self.rankings[start : start + self.lengths[s, t]]
        return [self.documents[i] for i in self.topic_starts[t] + codes]

    @cached_property
    def _places(self) -> dict[str, dict[str, int]]:
        names = {"systems": self.systems, "topics": self.topics}
        return {
            what: {name: i for i, name in enumerate(of_kind)} for what, of_kind in names.items()
        }

    def _place(self, what: str, name: str) -> int:
        # Asked of every list: the words of the error are made only when they are needed.
        if name not in self._places[what]:
            require_choice(what, name, self._places[what])
        return self._places[what][name]

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return ``{system: {topic: {document: score}}}``; scores are the numbers down to 1.

        Examples
        --------
        >>> Runs.from_rankings({"bm25": {"1": ["b", "a"]}}).to_dict()
        {'bm25': {'1': {'b': 2.0, 'a': 1.0}}}
        """
        scores: dict[str, dict[str, dict[str, float]]] = {system: {} for system in self.systems}
        for system, topic in product(self.systems, self.topics):
            ranking = self.ranking(system, topic)
            if ranking:
                scores[system][topic] = dict(zip(ranking, _down_to_1(len(ranking)), strict=True))
        return scores

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with the columns ``run``, ``qid``, ``docno``, ``rank`` and ``score``.

        Scores are the numbers down to 1.
        """
        lengths = self.lengths.ravel()
        topic_of_row = np.tile(np.arange(len(self.topics)), len(self.systems)).repeat(lengths)
        rank = np.arange(len(self.rankings)) - np.repeat(self.list_starts[:-1], lengths) + 1
        columns = {
            "run": np.repeat(_texts(self.systems), self.lengths.sum(axis=1)),
            "qid": _texts(self.topics)[topic_of_row],
            "docno": _texts(self.documents)[self.topic_starts[topic_of_row] + self.rankings],
            "rank": rank,
            "score": np.repeat(lengths, lengths) + 1.0 - rank,
        }
        return to_frame({n: c.tolist() for n, c in columns.items()}, backend=backend)

    def select(
        self, runs: Iterable[str] | None = None, *, topics: Iterable[str] | None = None
    ) -> "Runs":
        """Return these runs, in the order given, on these topics; all of what is not named.

        Topics that no run answers are passed over.

        Examples
        --------
        >>> runs = Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"2": ["z", "y"]}})
        >>> runs.select(["b"], topics=["2", "3"]).to_dict()
        {'b': {'2': {'z': 2.0, 'y': 1.0}}}
        >>> runs.select(["c"])
        Traceback (most recent call last):
            ...
        poolwise.errors.OptionError: systems: 'c' is not known. Hint: use one of a, b.
        """
        if runs is not None:
            return self._of_systems(tuple(runs)).select(topics=topics)
        return self if topics is None else self._on_topics(set(topics))

    def _of_systems(self, names: tuple[str, ...]) -> "Runs":
        where = indices_of(names, self.systems, what="systems")
        # The lists of a system lie together, so that each system is one slice.
        bounds = self.list_starts[:: len(self.topics) or 1]
        taken = np.concatenate([np.arange(0), *(np.arange(*bounds[i : i + 2]) for i in where)])
        return replace(
            self,
            systems=names,
            rankings=self.rankings[taken],
            tied=self.tied[taken],
            list_starts=starts_of(self.lengths[where].ravel()),
            sources=tuple(self.sources[i] for i in where if len(self.sources) > i),
        )

    def _on_topics(self, wanted: set[str]) -> "Runs":
        kept = np.array([topic in wanted for topic in self.topics], np.bool_)
        if kept.all():
            return self
        cells = np.repeat(np.tile(kept, len(self.systems)), self.lengths.ravel())
        sizes = np.diff(self.topic_starts)
        return replace(
            self,
            topics=tuple(topic for topic in self.topics if topic in wanted),
            topic_starts=starts_of(sizes[kept]),
            # Codes count the documents of their topic, so that they need no new numbers.
            documents=self.documents.take(np.flatnonzero(np.repeat(kept, sizes))),
            rankings=self.rankings[cells],
            tied=self.tied[cells],
            list_starts=starts_of(self.lengths[:, kept].ravel()),
        )

    def with_systems(self, systems: Iterable[str]) -> "Runs":
        """Return the same runs with these systems as well, which have no list yet.

        Examples
        --------
        >>> Runs.from_rankings({"a": {"1": ["x"]}}).with_systems(["b", "a"]).lengths.tolist()
        [[1], [0]]
        """
        new = [name for name in dict.fromkeys(systems) if name not in self._places["systems"]]
        ends = np.full(len(new) * len(self.topics), self.list_starts[-1])
        return replace(
            self,
            systems=(*self.systems, *new),
            list_starts=np.concatenate([self.list_starts, ends]),
        )

    restrict = Renamed("select(topics=…)")
    among = Renamed("with_systems(…) and select(…)")


def _down_to_1(length: int) -> Iterable[float]:
    return map(float, range(length, 0, -1))


def _texts(ids: Iterable[str]) -> NDArray[np.object_]:
    return np.array([*ids], np.object_)
