"""What the scanner finds wrong, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from poolwise.errors import InputError
from poolwise.provenance._provenance import Notice

__all__ = ["Code", "Problem", "Report", "error_of", "notices_of"]


class Code(IntEnum):
    """What can be wrong, as ``native/options.hpp`` numbers it."""

    TOO_FEW_FIELDS = 1
    TOO_MANY_FIELDS = 2
    NOT_A_NUMBER = 3
    NOT_FINITE = 4
    NOT_A_RANK = 5
    EMPTY_ID = 6
    DUPLICATE = 7
    BINARY = 8
    EMPTY = 9
    LINE_TOO_LONG = 10
    STRAY_RETURN = 12
    UNKNOWN_HEADER = 15
    RANK_NOT_WHOLE = 16
    RANKS_OR_SCORES = 17


@dataclass(frozen=True)
class Problem:
    """What stopped the reading of an input: a code of ``native/options.hpp``, and where.

    ``other`` is the first line of a duplicate, or the number of fields expected.
    """

    code: int
    line: int
    other: int
    text: str


@dataclass(frozen=True)
class Report:
    """What was met in one input.

    ``guessed`` says what the third column of a run without a header was taken for: a number of
    ``native/score_or_rank.hpp``, 0 for any other input.
    """

    problem: Problem | None
    tag: str
    skipped: int
    first_skipped: int
    repeated: int
    first_repeated: int
    guessed: int


_LONGEST = 72
_SKIP = "correct the line, or skip such lines, counted (malformed='skip', --lenient)"
_RULES = {
    Code.TOO_FEW_FIELDS: ("a line must have at least {other} fields", _SKIP),
    Code.TOO_MANY_FIELDS: ("a line must have at most {other} fields", _SKIP),
    Code.NOT_A_NUMBER: ("a score or grade must be a number", _SKIP),
    Code.NOT_FINITE: ("a score or grade must be finite", _SKIP),
    Code.NOT_A_RANK: ("a rank must be a whole number when ties are broken by rank", _SKIP),
    Code.EMPTY_ID: ("a topic or document id must not be empty", _SKIP),
    Code.DUPLICATE: (
        "a document may occur once in a topic, and this one is on line {other} too",
        "remove one of them, or keep one, counted (duplicates='first', --duplicates first)",
    ),
    Code.BINARY: (
        "the file must be text, and holds a NUL byte: it is binary, or UTF-16",
        "name a text file, or convert it to UTF-8",
    ),
    Code.EMPTY: ("there must be at least one entry, and there is none", "check what is in it"),
    Code.LINE_TOO_LONG: ("a line may hold 16 MiB at most", "check that this is a text file"),
    Code.STRAY_RETURN: (
        "a line must end in LF or CRLF, and CR alone stands in this one",
        "convert the line ends",
    ),
    Code.UNKNOWN_HEADER: (
        "a header of three columns must name the topic, the document, and what the third column is",
        "write 'query-id corpus-id score' for scores and grades, or 'query-id corpus-id rank'",
    ),
    Code.RANK_NOT_WHOLE: (
        "a rank must be a whole number, and the header says that this is a rank",
        _SKIP,
    ),
    Code.RANKS_OR_SCORES: (
        "without a header, whole numbers that neither rise nor fall could be ranks or scores",
        "begin the file with the line 'query-id corpus-id score' or 'query-id corpus-id rank'",
    ),
}
"""The rule that each code says was broken, and the remedy."""
# By code, the number of fields that there must be, and the number that there are.
_LOOKS: dict[tuple[int, int, int], str] = {
    (Code.TOO_MANY_FIELDS, 4, 6): "a run",
    (Code.TOO_FEW_FIELDS, 6, 4): "judgments",
}
_ORDER = "name the judgments first and the runs after them"
_ONE_LINE = f"{_SKIP}; or, if all lines are like this one, {_ORDER}"
# By number of native/score_or_rank.hpp.
_GUESSED = {1: "ranks", 2: "scores"}


def error_of(problem: Problem, path: str) -> InputError:
    """Return the error for a problem met in this input."""
    rule, remedy = _RULES[Code(problem.code)]
    where = f"{path}:{problem.line}" if problem.line else path
    rule = rule.format(other=problem.other)
    if looks := _look(problem):
        rule = f"{rule}, and this looks like {looks}"
        remedy = _ORDER if problem.line == 1 else _ONE_LINE
    return InputError(where, rule, value=_shortened(problem.text) or None, remedy=remedy)


def _look(problem: Problem) -> str:
    """Say what a line is that has the fields of the other kind of file; empty where it has not."""
    return _LOOKS.get((problem.code, problem.other, len(problem.text.split())), "")


def _shortened(text: str) -> str:
    """Return as much of a value as is needed to find it again; a line may be long, or no text."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def notices_of(
    paths: Sequence[str], reports: Sequence[Report], duplicates: str
) -> tuple[Notice, ...]:
    """Count over all inputs what the policies let pass."""
    counts = (
        _notice(
            f"duplicate documents, {duplicates} kept",
            paths,
            [(r.repeated, r.first_repeated) for r in reports],
        ),
        _notice("malformed lines left out", paths, [(r.skipped, r.first_skipped) for r in reports]),
        *(
            _notice(
                f"runs of three columns without a header, the third read as {what}",
                paths,
                [(int(r.guessed == kind), 1) for r in reports],
            )
            for kind, what in _GUESSED.items()
        ),
    )
    return tuple(notice for notice in counts if notice.count)


def _notice(what: str, paths: Sequence[str], counts: Sequence[tuple[int, int]]) -> Notice:
    total = sum(count for count, _ in counts)
    met = (f"{p}:{line}" for p, (count, line) in zip(paths, counts, strict=True) if count)
    return Notice(what, total, next(met, ""))
