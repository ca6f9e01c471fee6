"""Grades as tools exchange them: several assessors may have graded a document."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, NamedTuple

from poolwise.collection._judgments import Judgments
from poolwise.collection._merged import CONFLICT_RULES, decided
from poolwise.errors import InputError, require_choice
from poolwise.provenance._provenance import Notice

__all__ = ["Rating", "Ratings", "grade_of", "number"]


class Rating(NamedTuple):
    """The grade that somebody gave a document; what is not known is empty, or None."""

    topic: str
    document: str
    grade: float
    judge: str = ""
    stratum: str = ""
    probability: float | None = None


@dataclass(frozen=True)
class Ratings:
    """Grades, with the texts of their queries, and what the file had besides.

    Attributes
    ----------
    entries : tuple of Rating
        In the order of the file.
    texts : mapping
        The text of the query of each topic, where it is known and is not the topic itself.
    lost : tuple of Notice
        What could not be kept, counted.

    Examples
    --------
    >>> ratings = Ratings((Rating("1", "a", 2, "Ann"), Rating("1", "a", 1, "Bob")))
    >>> ratings.one_each("highest").entries
    (Rating(topic='1', document='a', grade=2.0, judge='', stratum='', probability=None),)
    """

    entries: tuple[Rating, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, judgments: Judgments) -> "Ratings":
        """Return judgments as ratings, with what is known of their sampling."""
        columns = judgments.to_columns()
        strata, chances, judges = (
            columns.get(name, [None] * len(judgments))
            for name in ("stratum", "probability", "source")
        )
        rows = zip(judgments, strata, chances, judges, strict=True)
        return cls(
            tuple(
                Rating(t, d, grade, str(judge or ""), str(stratum or ""), chance)
                for (t, d, grade), stratum, chance, judge in rows
            )
        )

    def without(self, what: str, entries: Iterable[Rating]) -> "Ratings":
        """Return these entries in the place of all, and count as lost how many there were more."""
        kept = tuple(entries)
        gone = Notice(what, len(self.entries) - len(kept))
        return replace(self, entries=kept, lost=self.lost + ((gone,) if gone.count else ()))

    def losing(self, what: str, count: int) -> "Ratings":
        """Return the same, with so many things counted as lost."""
        return replace(self, lost=(*self.lost, Notice(what, count))) if count else self

    def one_each(self, conflicts: str) -> "Ratings":
        """Return one grade for each document, by a key of ``CONFLICT_RULES``, and no assessors."""
        require_choice("conflicts", conflicts, CONFLICT_RULES)
        grades: dict[tuple[str, str], list[Rating]] = {}
        for entry in self.entries:
            grades.setdefault(entry[:2], []).append(entry)
        single = tuple(
            ratings[0]._replace(grade=_decided(ratings, conflicts), judge="")
            for ratings in grades.values()
        )
        named = sum(bool(entry.judge) for entry in self.entries)
        nameless = self.losing("names of assessors", named)
        return nameless.without(f"further grades of a document, decided by {conflicts}", single)

    def called(self, names: Mapping[str, str]) -> "Ratings":
        """Return the same with the topics called otherwise; a name for two topics is refused."""
        shared = [name for name, count in Counter(names.values()).items() if count > 1]
        if shared:
            raise InputError(
                "topics",
                "each topic must have a query text of its own here",
                value=shared[0],
                remedy="write to a format that has topic ids, or change one of the texts",
            )
        entries = (
            entry._replace(topic=names.get(entry.topic, entry.topic)) for entry in self.entries
        )
        return replace(self, entries=tuple(entries), texts={})

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of the file."""
        return tuple(dict.fromkeys(entry.topic for entry in self.entries))

    def of_topics(self) -> dict[str, list[Rating]]:
        """Return the entries by topic."""
        by_topic: dict[str, list[Rating]] = {topic: [] for topic in self.topics}
        for entry in self.entries:
            by_topic[entry.topic].append(entry)
        return by_topic


def _decided(ratings: list[Rating], conflicts: str) -> float:
    grades = [entry.grade for entry in ratings]
    # A negative grade (pooled, not judged) gives way to any grade.
    judged = [grade for grade in grades if grade >= 0] or grades
    if conflicts == "error" and len(set(judged)) > 1:
        raise InputError(
            f"topic {ratings[0].topic}, document {ratings[0].document}",
            "a document must have one grade in this format, and assessors gave it several",
            value=", ".join(f"{grade:g}" for grade in judged),
            remedy="make one grade of them, for example with "
            "`poolwise convert FILE --to trec --conflicts majority -o judged.qrels`",
        )
    return float(decided(judged, conflicts))


def grade_of(value: Any, where: str) -> float:
    """Return a grade that a file has as a number or as text, or say where it is none.

    Examples
    --------
    >>> grade_of("3.000", "ratings.json")
    3.0
    >>> grade_of("nan", "ratings.json")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: ratings.json: a grade must be a finite number; got 'nan'.
    Hint: correct it.
    """
    try:
        grade = float(value)
    except (TypeError, ValueError, OverflowError):
        grade = float("nan")
    if not isfinite(grade):
        rule = "a grade must be a finite number"
        raise InputError(where, rule, value=value, remedy="correct it")
    return grade


def number(grade: float) -> int | float:
    """Return a grade as JSON and CSV write it: whole where it is.

    Examples
    --------
    >>> number(2.0), number(0.5)
    (2, 0.5)
    """
    return int(grade) if grade == int(grade) else float(grade)
