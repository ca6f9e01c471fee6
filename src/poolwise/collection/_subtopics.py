"""Judgments by subtopic: what a document tells about each side of an ambiguous topic."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from poolwise.collection.files._sources import FileBytes, fields_of, lines_of
from poolwise.errors import InputError
from poolwise.provenance._provenance import Source
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = ["SubtopicJudgments", "read_subtopic_judgments"]

_FIELDS = 4
_LONGEST_TEXT = 80
"""What an error shows of a line, which may be that of a program."""
Records = Iterable[tuple[str, str, str, float]]


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicJudgments:
    """Grades of documents by topic and subtopic, as the diversity tasks of TREC's Web track have.

    A document that is graded for some subtopic of a topic is judged, and is not relevant to the
    others.

    Attributes
    ----------
    grades : mapping
        ``{topic: {document: {subtopic: grade}}}``.
    source : Source
        Where the judgments were read.

    Examples
    --------
    >>> SubtopicJudgments.from_records([("1", "a", "d1", 1), ("1", "b", "d1", 0)])
    SubtopicJudgments(1 document, 2 subtopics, 1 topic)
    """

    grades: Mapping[str, Mapping[str, Mapping[str, float]]]
    source: Source = Source("<memory>")

    @classmethod
    def from_records(
        cls, records: Records, *, source: Source = Source("<memory>")
    ) -> "SubtopicJudgments":
        """Build from rows of topic, subtopic, document and grade."""
        grades: dict[str, dict[str, dict[str, float]]] = {}
        for topic, subtopic, document, grade in records:
            of_document = grades.setdefault(str(topic), {}).setdefault(str(document), {})
            if of_document.setdefault(str(subtopic), float(grade)) != float(grade):
                raise InputError(
                    source.path,
                    "a document has one grade for each subtopic of a topic",
                    value=f"{document} twice, for subtopic {subtopic} of topic {topic}",
                    remedy="keep one of the two lines",
                )
        if not grades:
            raise InputError(
                source.path,
                "subtopic judgments must hold at least one line",
                value="none",
                remedy="check that this is the right file",
            )
        return cls(grades, source)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of their ids."""
        return tuple(sorted(self.grades))

    def subtopics(self, topic: str) -> tuple[str, ...]:
        """Return the subtopics of a topic, in the order of their ids."""
        return tuple(
            sorted({s for of_document in self.grades[topic].values() for s in of_document})
        )

    def __repr__(self) -> str:
        documents = sum(map(len, self.grades.values()))
        subtopics = sum(len(self.subtopics(topic)) for topic in self.topics)
        return (
            f"SubtopicJudgments({counted(documents, 'document')}, "
            f"{counted(subtopics, 'subtopic')}, {counted(len(self.topics), 'topic')})"
        )


@recorded
def read_subtopic_judgments(source: str | Path | Records) -> SubtopicJudgments:
    """Read the qrels of a diversity task: topic, subtopic, document, grade.

    The subtopic stands in the second column, which other qrels leave at 0. The file may be
    compressed. Rows of these four in memory are fine as well, such as ir_measures' records with an
    iteration (``(topic, iteration, document, grade)``).

    Parameters
    ----------
    source : str, Path or iterable of tuples
        The file, or rows of topic, subtopic, document and grade.

    Returns
    -------
    SubtopicJudgments
        The grades by topic, document and subtopic.

    Examples
    --------
    >>> read_subtopic_judgments([("1", "2", "d1", 1), ("1", "3", "d2", 1)]).subtopics("1")
    ('2', '3')
    """
    if isinstance(source, str | Path):
        file = FileBytes(str(source))
        # What was read is stamped only once it was read to the end.
        rows = [*_rows(b"".join(map(bytes, file)).decode("utf-8", "replace"), str(source))]
        return SubtopicJudgments.from_records(rows, source=file.source)
    try:
        return SubtopicJudgments.from_records(source)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "judgments",
            "subtopic judgments are rows of topic, subtopic, document and grade",
            value=source,
            remedy='use a path, or rows such as ("1", "a", "d1", 1)',
        ) from error


def _rows(text: str, path: str) -> Iterator[tuple[str, str, str, float]]:
    for number, line in enumerate(lines_of(text), 1):
        fields = fields_of(line)
        if fields and not line.startswith("#"):
            yield _row(fields, f"{path}:{number}")


def _row(fields: list[str], place: str) -> tuple[str, str, str, float]:
    if len(fields) != _FIELDS:
        raise InputError(
            place,
            "a line of subtopic judgments has four fields: topic, subtopic, document, grade",
            value=" ".join(fields)[:_LONGEST_TEXT],
            remedy="correct the line; if this is a run, name the judgments first",
        )
    topic, subtopic, document, grade = fields
    return topic, subtopic, document, _grade(grade, place)


def _grade(text: str, place: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = float("nan")
    if not isfinite(grade):
        raise InputError(place, "a grade must be a number", value=text, remedy="correct the line")
    return grade
