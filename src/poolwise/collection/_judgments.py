"""The relevance judgments of a test collection."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._identifiers import IdTable, Renamed, decode, encode, starts_of
from poolwise.errors import InputError, OptionError
from poolwise.provenance._provenance import Notice, Source
from poolwise.results._columns import Backend, to_frame
from poolwise.words import counted

__all__ = ["HIDDEN", "Judgments"]

HIDDEN = -1
"""Grade code of a document whose judgment has been taken away (left out of a pool, thinned)."""


@dataclass(frozen=True, eq=False, repr=False)
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
    declared : tuple of float
        The grades that a document can have, where they were declared; none where the file alone
        says it. See :meth:`with_grades`.
    stratum, probability, grade_source : array of one entry per row, optional
        Of judgments that were sampled: the stratum that the row was drawn from, the probability
        with which it was drawn, and who or what graded it. Hidden rows keep theirs.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 2, "b": 0}, "2": {"c": 1}})
    >>> qrels
    Judgments(3 documents, 2 topics, grades from 0 to 2)
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
    declared: tuple[float, ...] = ()
    stratum: NDArray[Any] | None = None
    probability: Floats | None = None
    grade_source: NDArray[Any] | None = None

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]]) -> "Judgments":
        """Build from ``{topic: {document: grade}}``, topics without a document included."""
        if len({str(t) for t in grades}) < len(grades):
            rule = "a topic must have one entry, and two keys stand for the same"
            raise InputError("<dict>", rule, remedy="write all ids as strings")
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

    def __repr__(self) -> str:
        grades = f", grades from {self.scale[0]:g} to {self.scale[-1]:g}" if len(self.scale) else ""
        return (
            f"Judgments({counted(len(self), 'document')}, "
            f"{counted(len(self.topics), 'topic')}{grades})"
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

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with the columns ``qid``, ``docno`` and ``label``.

        Sampled judgments have the columns ``stratum``, ``probability`` and ``source``, too, as
        far as they are known.

        Examples
        --------
        >>> Judgments.from_dict({"1": {"a": 2}}).to_frame()
          qid docno  label
        0   1     a    2.0
        """
        return to_frame(self.to_columns(), backend=backend)

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of :meth:`to_frame`."""
        qid, docno, label = zip(*self, strict=True) if len(self) else ((), (), ())
        columns = {"qid": qid, "docno": docno, "label": np.array(label, float)}
        return columns | self._sampling_columns()

    def _sampling_columns(self) -> dict[str, NDArray[Any]]:
        named = {
            "stratum": self.stratum,
            "probability": self.probability,
            "source": self.grade_source,
        }
        return {name: c[self.judged] for name, c in named.items() if c is not None}

    def with_sampling(
        self,
        *,
        stratum: Sequence[Any] | NDArray[Any] | None = None,
        probability: Sequence[float] | Floats | None = None,
        source: Sequence[Any] | NDArray[Any] | None = None,
    ) -> "Judgments":
        """Return the same judgments with what is known of their sampling, one entry per row.

        What is not given stays as it is.

        Examples
        --------
        >>> qrels = Judgments.from_dict({"1": {"a": 2, "b": 0}})
        >>> sampled = qrels.with_sampling(stratum=["top", "rest"], probability=[1, 0.25])
        >>> sampled.keep([False, True]).to_frame()
          qid docno  label stratum  probability
        0   1     b    0.0    rest         0.25
        """
        return replace(
            self,
            stratum=self.stratum if stratum is None else self._column("stratum", stratum),
            probability=self.probability
            if probability is None
            else _probabilities(self._column("probability", probability)),
            grade_source=self.grade_source if source is None else self._column("source", source),
        )

    def _column(self, name: str, values: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
        column = np.asarray(values)
        if column.shape != self.codes.shape:
            raise OptionError(
                f"{name}: must have one entry for each of {counted(len(self.codes), 'row')}; got "
                f"{len(column) if column.ndim else 'a single value'}. Hint: follow the rows, "
                "hidden ones included, by topic and then by document id, both in byte order."
            )
        return column

    def with_grades(self, grades: Sequence[float]) -> "Judgments":
        """Return the same judgments with the grades that a document can have declared.

        A range is over these grades, seen or not; 0 is always one of them. A grade of the file
        that is not declared is an error, save for negative ones (pooled, not judged).

        Examples
        --------
        >>> Judgments.from_dict({"1": {"a": 1, "b": 0}}).with_grades([0, 1, 2, 3]).declared
        (0.0, 1.0, 2.0, 3.0)
        """
        declared = _declared(grades)
        used = np.unique(self.codes[self.judged])
        others = np.setdiff1d(self.scale[used], declared)
        undeclared = others[others > 0]
        if len(undeclared):
            listed = ", ".join(f"{grade:g}" for grade in declared)
            raise InputError(
                self._place(float(undeclared[0])),
                f"a grade must be one of those declared, {listed}",
                value=f"{undeclared[0]:g}",
                remedy="declare it as well, or correct the grade",
            )
        return replace(self, declared=declared)

    def with_topics(self, topics: Iterable[str]) -> "Judgments":
        """Return the same judgments with these topics as well, which have no document yet.

        Examples
        --------
        >>> Judgments.from_dict({"2": {"a": 1}}).with_topics(["1", "2"]).starts.tolist()
        [0, 0, 1]
        """
        sizes = dict(zip(self.topics, np.diff(self.starts).tolist(), strict=True))
        every = sorted({*sizes, *topics}, key=encode)
        starts = starts_of(sizes.get(topic, 0) for topic in every)
        return replace(self, topics=tuple(every), starts=starts)

    def select(self, *, topics: Iterable[str]) -> "Judgments":
        """Return the judgments of these topics, with the scale of all; others are passed over.

        Examples
        --------
        >>> qrels = Judgments.from_dict({"1": {"a": 3}, "2": {"b": 1, "c": 0}})
        >>> few = qrels.select(topics=["2", "9"])
        >>> list(few), few.scale.tolist()
        ([('2', 'b', 1.0), ('2', 'c', 0.0)], [0.0, 1.0, 3.0])
        """
        # In byte order whatever the order asked for: rows are looked up by it.
        kept = sorted(self._topic_places[topic] for topic in topics if topic in self._topic_places)
        parts = [np.arange(self.starts[t], self.starts[t + 1]) for t in kept]
        rows = np.concatenate([np.arange(0), *parts])
        return replace(
            self,
            topics=tuple(self.topics[t] for t in kept),
            starts=starts_of(map(len, parts)),
            documents=self.documents.take(rows),
            codes=self.codes[rows],
            stratum=None if self.stratum is None else self.stratum[rows],
            probability=None if self.probability is None else self.probability[rows],
            grade_source=None if self.grade_source is None else self.grade_source[rows],
        )

    @property
    def recorded_as(self) -> str:
        """How provenance names them where they are an option: by where they come from."""
        return self.source.path

    only = Renamed("select(topics=…)")

    @cached_property
    def _topic_places(self) -> dict[str, int]:
        return {topic: t for t, topic in enumerate(self.topics)}

    def _place(self, grade: float) -> str:
        """Say where the first document of this grade stands."""
        (at,) = np.flatnonzero(self.scale == grade)
        row = int(np.flatnonzero(self.codes == at)[0])
        topic = self.topics[self.topic_of_row[row]]
        return f"{self.source.path}, topic {topic}, document {self.documents[row]}"

    @property
    def is_sample(self) -> bool:
        """Whether something is known of how the judged documents were drawn."""
        return self.stratum is not None or self.probability is not None

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


def _probabilities(column: NDArray[Any]) -> Floats:
    values = column.astype(np.float64)
    outside = values[~((values > 0) & (values <= 1))]
    if len(outside):
        raise OptionError(
            f"probability: must be above 0 and at most 1; got {outside[0]:g}. "
            "Hint: give a document that was certain to be judged the probability 1."
        )
    return values


def _declared(grades: Sequence[float]) -> tuple[float, ...]:
    """Return declared grades in their order, 0 among them."""
    values = sorted({0.0, *map(float, grades)})
    if len(values) < 2 or values[0] < 0 or not np.isfinite(values).all():
        listed = ", ".join(f"{g:g}" for g in grades) or "none"
        raise OptionError(
            "grades: must be finite numbers, none of them negative and one above 0; "
            f"got {listed}. Hint: write grades=(0, 1, 2, 3), or --grades 0,1,2,3."
        )
    return tuple(values)
