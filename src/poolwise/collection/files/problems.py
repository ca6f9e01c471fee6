"""What the scanner finds wrong, in words."""

from collections.abc import Sequence

from poolwise.collection.files.scanner import Problem, Report
from poolwise.errors import InputError
from poolwise.provenance._provenance import Notice

__all__ = ["error_of", "notices_of"]

_LONGEST = 72
_SKIP = "correct the line, or skip such lines, counted (malformed='skip', --lenient)"
# By code of native/options.hpp: the rule, and the remedy.
_RULES = {
    1: ("a line must have at least {other} fields", _SKIP),
    2: ("a line must have at most {other} fields", _SKIP),
    3: ("a score or grade must be a number", _SKIP),
    4: ("a score or grade must be finite", _SKIP),
    5: ("a rank must be a whole number when ties are broken by rank", _SKIP),
    6: ("a topic or document id must not be empty", _SKIP),
    7: (
        "a document may occur once in a topic, and this one is on line {other} too",
        "remove one of them, or keep one, counted (duplicates='first', --duplicates first)",
    ),
    8: (
        "the file must be text, and holds a NUL byte: it is binary, or UTF-16",
        "name a text file, or convert it to UTF-8",
    ),
    9: ("there must be at least one entry, and there is none", "check what is in it"),
    10: ("a line may hold 16 MiB at most", "check that this is a text file"),
    12: ("a line must end in LF or CRLF, and CR alone stands in this one", "convert the line ends"),
    15: (
        "a header of three columns must name the topic, the document, and what the third column is",
        "write 'query-id corpus-id score' for scores and grades, or 'query-id corpus-id rank'",
    ),
    16: ("a rank must be a whole number, and the header says that this is a rank", _SKIP),
    17: (
        "without a header, whole numbers that neither rise nor fall could be ranks or scores",
        "begin the file with the line 'query-id corpus-id score' or 'query-id corpus-id rank'",
    ),
}
# By code, the number of fields that there must be, and the number that there are.
_LOOKS = {(2, 4, 6): "a run", (1, 6, 4): "judgments"}
_ORDER = "name the judgments first and the runs after them"
_ONE_LINE = f"{_SKIP}; or, if all lines are like this one, {_ORDER}"
# By number of native/third_column.hpp.
_GUESSED = {1: "ranks", 2: "scores"}


def error_of(problem: Problem, path: str) -> InputError:
    """Return the error for a problem met in this input."""
    rule, remedy = _RULES[problem.code]
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
