"""The relevance judgments of a test collection."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection.identifiers import IdTable, decode, encode, starts_of
from poolwise.errors import InputError
from poolwise.printout.columns import Backend, to_frame
from poolwise.printout.provenance import Notice, Source

__all__ = ["HIDDEN", "Judgments"]

HIDDEN = -1
"""Grade code of a document whose judgment has been taken away (left out of a pool, thinned)."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """Graded documents, by topic.

    Rows are sorted by topic, then by document id, both in byte order. A row's grade is
    ``scale[codes[row]]``. Taking judgments away leaves the rows in place and marks them
    ``HIDDEN``, so that a thousand reduced pools share one table of ids, and keeps the scale, so
    that graded gains mean the same before and after.

    Attributes
    ----------
    topics : tuple of str
        Topic ids, in byte order.
    starts : int array, topics + 1
        Rows of topic ``t`` are ``starts[t]:starts[t + 1]``.
    documents : IdTable
        Document id of each row.
    codes : int16 array
        Grade code of each row: an index into ``scale``, or ``HIDDEN``.
    scale : float array
        The distinct grades, ascending. A negative grade marks a document that was pooled and
        not judged, as in ``trec_eval``.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 2, "b": 0}, "2": {"c": 1}})
    >>> len(qrels), qrels.topics, qrels.scale.tolist()
    (3, ('1', '2'), [0.0, 1.0, 2.0])
    >>> fewer = qrels.keep([False, True, True])
    >>> list(fewer)
    [('1', 'b', 0.0), ('2', 'c', 1.0)]
    """

    topics: tuple[str, ...]
    starts: Integers
    documents: IdTable
    codes: NDArray[np.int16]
    scale: Floats
    source: Source = Source("<memory>")
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]]) -> "Judgments":
        """Build from ``{topic: {document: grade}}``, topics without a document included."""
        rows = sorted(
            (encode(str(t)), encode(str(d)), float(g))
            for t, graded in grades.items()
            for d, g in graded.items()
        )
        values = np.array([grade for _, _, grade in rows], np.float64)
        if not np.isfinite(values).all():
            raise InputError("<dict>", "a grade must be finite", remedy="correct the grade")
        count = Counter(topic for topic, _, _ in rows)
        topics = sorted({encode(str(t)) for t in grades})
        scale, codes = np.unique(values, return_inverse=True)
        return cls(
            topics=tuple(decode(t) for t in topics),
            starts=starts_of(count[t] for t in topics),
            documents=IdTable.from_strings(decode(document) for _, document, _ in rows),
            codes=codes.astype(np.int16),
            scale=scale,
            source=Source("<dict>"),
        )

    def __len__(self) -> int:
        """Return the number of judged documents."""
        return int(self.judged.sum())

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        for row in np.flatnonzero(self.judged).tolist():
            yield (
                self.topics[self.topic_of_row[row]],
                self.documents[row],
                float(self.scale[self.codes[row]]),
            )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{topic: {document: grade}}``, without the judgments taken away."""
        grades: dict[str, dict[str, float]] = {topic: {} for topic in self.topics}
        for topic, document, grade in self:
            grades[topic][document] = grade
        return grades

    def to_frame(self, *, backend: Backend = "pandas") -> Any:
        """Return a frame with the columns ``qid``, ``docno`` and ``label``.

        Examples
        --------
        >>> Judgments.from_dict({"1": {"a": 2}}).to_frame()
          qid docno  label
        0   1     a    2.0
        """
        qid, docno, label = zip(*self, strict=True) if len(self) else ((), (), ())
        return to_frame(
            {"qid": qid, "docno": docno, "label": np.array(label, float)}, backend=backend
        )

    @cached_property
    def judged(self) -> Booleans:
        """Which rows still have their judgment."""
        return self.codes != HIDDEN

    @cached_property
    def topic_of_row(self) -> Integers:
        """Index of the topic of each row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def keep(self, rows: Booleans | list[bool]) -> "Judgments":
        """Hide every judgment whose row is not marked."""
        return replace(self, codes=np.where(rows, self.codes, np.int16(HIDDEN)))
