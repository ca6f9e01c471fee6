"""Grades from several sources, merged into one set of judgments by a declared rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

from poolwise.collection._judgments import Judgments
from poolwise.errors import InputError, require_choice
from poolwise.provenance._provenance import Provenance, add_notices
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["CONFLICT_RULES", "Merged", "decided", "merge_all"]


def _majority(grades: Sequence[float]) -> float:
    """Return the most frequent grade; of equally frequent ones the lowest."""
    count = Counter(grades)
    return min(count, key=lambda grade: (-count[grade], grade))


CONFLICT_RULES: dict[str, Callable[[Sequence[float]], float] | None] = {
    "error": None,
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "highest": max,
    "majority": _majority,
    "mean": fmean,
}
"""Which grade a document gets that has different ones; None refuses it."""


@finding
class Merged(Finding):
    """Judgments made of several, and how they came together.

    Attributes
    ----------
    judgments : Judgments
        All of them together.
    added : int
        Documents that the first source had no grade for.
    agreeing, conflicting : int
        Documents that several sources gave the same grade, and different ones.
    rule : str
        What decided between different grades: a key of ``CONFLICT_RULES``.

    Examples
    --------
    >>> so_far = Judgments.from_dict({"1": {"a": 1, "b": 0}})
    >>> merge_all([so_far, Judgments.from_dict({"1": {"c": 1}})])
    <Merged: 3 judgments: 1 added, 0 given again with the same grade, 0 with another one.>
    """

    judgments: Judgments
    added: int
    agreeing: int
    conflicting: int
    rule: str

    def columns(self) -> Columns:
        """Return one row: how many judgments there are, and where they come from."""
        return {
            "judgments": [len(self.judgments)],
            "added": [self.added],
            "agreeing": [self.agreeing],
            "conflicting": [self.conflicting],
            "rule": [self.rule],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what came together."""
        total = counted(len(self.judgments), "judgment")
        by_rule = f" (decided by {self.rule})" if self.conflicting else ""
        said = (
            f"{total}: {self.added:,} added, {self.agreeing:,} given again with the same grade, "
            f"{self.conflicting:,} with another one{by_rule}."
        )
        return (said,)


def merge_all(sources: Sequence[Judgments], *, conflicts: str = "error") -> Merged:
    """Merge judgments; a document with different grades gets the one that the rule says.

    A negative grade (pooled, not judged) gives way to any grade, and is no conflict.

    Parameters
    ----------
    sources
        The judgments so far, and those that came in.
    conflicts
        A key of ``CONFLICT_RULES``.

    Examples
    --------
    >>> so_far = Judgments.from_dict({"1": {"a": 1, "b": 0}})
    >>> came_in = Judgments.from_dict({"1": {"b": 1, "c": 2}, "2": {"x": 0}})
    >>> merged = merge_all([so_far, came_in], conflicts="highest")
    >>> list(merged.judgments)
    [('1', 'a', 1.0), ('1', 'b', 1.0), ('1', 'c', 2.0), ('2', 'x', 0.0)]
    >>> merged.sentences()
    ('4 judgments: 2 added, 0 given again with the same grade, 1 with another one (decided by
    highest).',)
    """
    require_choice("conflicts", conflicts, CONFLICT_RULES)
    for source in sources:
        _refuse_sample(source)
    grades_of = _grades_of_documents(sources)
    graded_before = {(topic, document) for topic, document, grade in sources[0] if grade >= 0}
    several = {key: grades for key, grades in grades_of.items() if len(grades) > 1}
    different = {key: grades for key, grades in several.items() if len(set(grades)) > 1}
    if conflicts == "error" and different:
        raise _conflict(different, sources)
    merged: dict[str, dict[str, float]] = {t: {} for source in sources for t in source.topics}
    for (topic, document), grades in grades_of.items():
        merged[topic][document] = decided(grades, conflicts)
    return Merged(
        judgments=Judgments.from_dict(merged),
        added=sum(key not in graded_before and grades[0] >= 0 for key, grades in grades_of.items()),
        agreeing=len(several) - len(different),
        conflicting=len(different),
        rule=conflicts,
        provenance=_origin(sources).with_options(conflicts=conflicts),
    )


def _origin(sources: Sequence[Judgments]) -> Provenance:
    origin = Provenance(
        judgments=sources[0].source,
        notices=add_notices(notice for source in sources for notice in source.notices),
    )
    return origin.with_options(merged=tuple(str(source.source) for source in sources[1:]))


def _refuse_sample(source: Judgments) -> None:
    if source.is_sample:
        raise InputError(
            source.source.path,
            "judgments to be merged must not be a sample: more grades would change the chances of "
            "its documents",
            remedy="merge the grades first, and then draw by `poolwise sample --grades-from`",
        )


def _grades_of_documents(sources: Sequence[Judgments]) -> dict[tuple[str, str], list[float]]:
    """Return every grade of each document in the order of the sources."""
    grades_of: dict[tuple[str, str], list[float]] = {}
    for source in sources:
        for topic, document, grade in source:
            grades_of.setdefault((topic, document), []).append(grade)
    return {key: [g for g in grades if g >= 0] or grades[:1] for key, grades in grades_of.items()}


def decided(grades: Sequence[float], rule: str) -> float:
    """Return the grade that a rule gives a document; what all agree on needs no rule.

    Examples
    --------
    >>> decided([2, 0, 0], "majority"), decided([1, 1], "error")
    (0.0, 1)
    """
    decide = CONFLICT_RULES[rule]
    return grades[0] if decide is None or len(set(grades)) == 1 else float(decide(grades))


def _conflict(
    different: dict[tuple[str, str], list[float]], sources: Sequence[Judgments]
) -> InputError:
    (topic, document), grades = next(iter(different.items()))
    places = ", ".join(dict.fromkeys(source.source.path for source in sources))
    return InputError(
        f"{places}, topic {topic}, document {document}",
        f"a document must have one grade, and {counted(len(different), 'document')} of these "
        "files have several",
        value=", ".join(f"{grade:g}" for grade in grades),
        remedy="say which grade counts: conflicts='last' or --conflicts last, for example",
    )
