"""Runs met with judgments, as one array of grade codes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Integers
from poolwise.collection.identifiers import IdTable, positions, starts_of
from poolwise.collection.judgments import Judgments
from poolwise.collection.matching import match_documents
from poolwise.collection.runs import Runs
from poolwise.errors import require_choice
from poolwise.evidence.grade_codes import (
    BEYOND,
    POOLED,
    UNJUDGED,
    codes_of_rows,
    count_by_grade_and_topic,
)
from poolwise.evidence.topic_choice import TOPIC_RULES, check_common_topics, topic_notices
from poolwise.printout.provenance import Provenance

__all__ = ["BEYOND", "POOLED", "UNJUDGED", "Evidence", "align"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Grade codes, systems × topics × ranks, and the judged pool of each topic.

    Attributes
    ----------
    codes : int8 (or int16) array, systems × topics × ranks
        An index into ``scale``; or ``POOLED``, ``UNJUDGED`` or ``BEYOND``, all negative.
    scale : float array
        The grades a judged document can have, ascending, none negative.
    pool : int array, topics × grades
        How many judged documents of each grade a topic has, retrieved or not.
    documents : int32 array, systems × topics × ranks
        Code of the document within its topic, −1 beyond the list. The same code in two systems
        is the same document; codes follow the byte order of ids.
    document_starts : int array, topics + 1
        Document ``c`` of topic ``t`` is row ``document_starts[t] + c`` of the two below.
    document_ids : IdTable
        The id of each row.
    judgment_rows : int32 array
        The row of the judgments that grades this document, −1 where there is none.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, 0, None, 2]], judged=[0, 1, 2, 2])
    >>> evidence.codes.tolist(), evidence.pool.tolist()
    ([[[1, 0, -2, 2]]], [[1, 1, 2]])
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    codes: NDArray[np.integer]
    scale: Floats
    pool: Integers
    documents: NDArray[np.int32]
    document_starts: Integers
    document_ids: IdTable
    judgment_rows: NDArray[np.int32]
    provenance: Provenance = Provenance()

    @classmethod
    def from_grades(
        cls,
        rankings: Sequence[Sequence[float | None]],
        *,
        judged: Sequence[float] = (),
        scale: Sequence[float] = (),
    ) -> "Evidence":
        """Build from the grades of rankings for one topic; None is an unjudged document.

        ``judged`` lists the grade of every judged document of the topic, retrieved or not, and
        defaults to the judged ones of the first ranking; ``scale`` adds grades that no document
        has. The documents of the rankings are taken to be distinct.
        """
        known = [g for ranking in rankings for g in ranking if g is not None]
        judged = judged or [g for g in rankings[0] if g is not None]
        levels = np.unique(np.array([*known, *judged, *scale, 0], np.float64))
        depth = max(map(len, rankings))
        codes = np.full((len(rankings), 1, depth), BEYOND, np.int8)
        documents = np.full(codes.shape, -1, np.int32)
        for s, ranking in enumerate(rankings):
            codes[s, 0, : len(ranking)] = [
                UNJUDGED if g is None else np.searchsorted(levels, g) for g in ranking
            ]
            documents[s, 0, : len(ranking)] = np.arange(len(ranking)) + depth * s
        return cls(
            systems=tuple(f"run{s + 1}" for s in range(len(rankings))),
            topics=("1",),
            codes=codes,
            scale=levels,
            pool=np.array([[int((np.asarray(judged) == level).sum()) for level in levels]]),
            documents=documents,
            document_starts=np.array([0, depth * len(rankings)]),
            document_ids=IdTable.from_strings(f"d{i}" for i in range(depth * len(rankings))),
            judgment_rows=np.full(depth * len(rankings), -1, np.int32),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be derived again out of what is sent to other processes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def memo(self) -> dict[object, Any]:
        """Arrays that measures derived from the codes and may share, by a key of their own."""
        return {}

    @cached_property
    def lengths(self) -> Integers:
        """Number of documents retrieved, systems × topics."""
        return (self.codes != BEYOND).sum(axis=2)

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return int(self.codes.shape[2])

    def relevant(self, level: float) -> Integers:
        """Return the number of judged documents of at least this grade, per topic (``R``)."""
        return self.pool[:, self.scale >= level].sum(axis=1)

    def lookup(
        self,
        values: Floats,
        *,
        unjudged: float = 0.0,
        beyond: float = 0.0,
        pooled: float | None = None,
    ) -> Floats:
        """Return ``values[code]`` for every cell, with values for the unknowns.

        A document that was pooled and not judged counts as unjudged unless told otherwise.
        """
        pooled = unjudged if pooled is None else pooled
        # Negative codes index from the end: BEYOND is −3, UNJUDGED −2, POOLED −1.
        table = np.concatenate([values, [beyond, unjudged, pooled]])
        return table[self.codes]

    def truncate(self, depth: int) -> "Evidence":
        """Return the first ranks only."""
        if depth >= self.depth:
            return self
        return replace(self, codes=self.codes[:, :, :depth], documents=self.documents[:, :, :depth])

    def slice_systems(self, start: int, stop: int) -> "Evidence":
        """Return a range of systems, without copying."""
        return replace(
            self,
            systems=self.systems[start:stop],
            codes=self.codes[start:stop],
            documents=self.documents[start:stop],
        )

    def batches(self, cells: int = 1 << 19) -> Iterator["Evidence"]:
        """Cut along the systems, so that temporary arrays stay within the processor's cache."""
        step = max(1, cells // max(1, self.codes[:1].size))
        for start in range(0, len(self.systems), step):
            yield self.slice_systems(start, start + step)

    def regrade(self, judgments: Judgments) -> "Evidence":
        """Return the same rankings under other judgments of the same rows.

        ``judgments`` must come from the ones this evidence was aligned with, by hiding some
        (:meth:`Judgments.keep`): only their codes are read.
        """
        of_row = codes_of_rows(judgments, self.codes.dtype)
        unjudged, beyond = np.array([[UNJUDGED], [BEYOND]], of_row.dtype)
        of_document = np.concatenate([of_row, unjudged])[self.judgment_rows]
        codes = np.empty(self.documents.shape, of_row.dtype)
        for first, past in self._topic_blocks():
            starts = self.document_starts[first : past + 1]
            of_code = np.concatenate([of_document[starts[0] : starts[-1]], beyond])
            rows = self.documents[:, first:past]
            if past - first > 1:
                shifted = rows + (starts[:-1, None] - starts[0]).astype(np.int32)
                rows = np.where(rows < 0, -1, shifted) if rows.min() < 0 else shifted
            # Document code −1, past the end of a list, takes the last entry.
            codes[:, first:past] = of_code.take(rows)
        pool = count_by_grade_and_topic(judgments, of_row, self.topics, len(self.scale))
        return replace(self, codes=codes, pool=pool)

    def _topic_blocks(self, documents: int = 1 << 14) -> Iterator[tuple[int, int]]:
        """Cut along the topics, so that a block has few documents; a large topic is a block."""
        edges = [0]
        for t, stop in enumerate(self.document_starts[1:].tolist()):
            if stop - self.document_starts[edges[-1]] > documents and t > edges[-1]:
                edges.append(t)
        return pairwise([*edges, len(self.topics)]) if self.topics else iter(())


def align(runs: Runs, judgments: Judgments, *, topics: str = "judged") -> Evidence:
    """Join runs with judgments: every retrieved document gets its grade code.

    Parameters
    ----------
    runs, judgments
        What was retrieved, and what was judged.
    topics : {"judged", "common"}
        Which topics to keep: all judged topics, or those of them that every run answers.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a", "x"]}})
    >>> evidence = align(runs, Judgments.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 1}}))
    >>> evidence.topics, evidence.codes.tolist()
    (('1', '2'), [[[0, 1, -2], [-3, -3, -3]]])
    """
    check_common_topics(runs.topics, judgments)
    kept = _topics(runs, judgments, topics)
    notices = judgments.notices + runs.notices + topic_notices(runs.topics, runs.lengths, judgments)
    runs = runs.restrict(kept)
    answered = positions(runs.topics, kept)
    lengths = np.zeros((len(runs.systems), len(kept)), np.int64)
    lengths[:, answered] = runs.lengths
    sizes = np.zeros(len(kept), np.int64)
    sizes[answered] = np.diff(runs.topic_starts)
    documents = _pad(runs.rankings, lengths)
    scale = judgments.scale[judgments.scale >= 0]
    aligned = Evidence(
        systems=runs.systems,
        topics=kept,
        codes=np.empty(documents.shape, np.int8 if len(scale) < 128 else np.int16),
        scale=scale,
        pool=np.empty((0, 0), np.int64),
        documents=documents,
        document_starts=starts_of(sizes),
        document_ids=runs.documents,
        judgment_rows=match_documents(runs, judgments),
        provenance=Provenance(
            judgments=judgments.source,
            runs=runs.sources,
            tie_rule=runs.tie_rule,
            topic_rule=topics,
            notices=notices,
        ),
    )
    return aligned.regrade(judgments)


def _topics(runs: Runs, judgments: Judgments, rule: str) -> tuple[str, ...]:
    require_choice("topics", rule, TOPIC_RULES)
    if rule == "judged":
        return judgments.topics
    by_all = np.flatnonzero((runs.lengths > 0).all(axis=0)).tolist()
    answered = {runs.topics[t] for t in by_all}
    return tuple(t for t in judgments.topics if t in answered)


def _pad(rankings: NDArray[np.int32], lengths: Integers) -> NDArray[np.int32]:
    """Return document codes as systems × topics × ranks, −1 beyond the end of a list."""
    if lengths.size and (lengths == lengths.flat[0]).all():
        return rankings.reshape(*lengths.shape, -1)
    inside = np.arange(lengths.max(initial=0)) < lengths[:, :, None]
    padded = np.full(inside.shape, -1, np.int32)
    # Both sides run by system, then by topic, then by rank.
    padded[inside] = rankings
    return padded
