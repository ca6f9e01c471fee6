"""The exceptions poolwise raises.

::

    PoolwiseError
    ├── InputError          a file or value that cannot be read       (also a ValueError)
    ├── MeasureError        a measure's name or parameters            (also a ValueError)
    │   └── MissingMeasureError   a measure that a result does not have   (also a KeyError)
    ├── OptionError         an argument outside what it may be        (also a ValueError)
    ├── OutputError         a file that cannot or must not be written (also an OSError)
    ├── ResourceError       memory or a worker that gave out          (also a RuntimeError)
    └── MissingExtraError   an optional package that is not installed (also an ImportError)

Each message says where (an argument, or ``path:line``), the rule, the value that broke it, and
the remedy.
"""

import errno
from collections.abc import Iterable
from numbers import Integral

__all__ = [
    "InputError",
    "MeasureError",
    "MissingExtraError",
    "MissingMeasureError",
    "OptionError",
    "OutputError",
    "PoolwiseError",
    "ResourceError",
    "remedy_of",
    "require_choice",
    "require_depth",
    "require_workers",
]


_MOST_NAMED = 12
_LONGEST_VALUE = 160
"""Characters of a value that an error shows; it may be a whole table."""


class PoolwiseError(Exception):
    """Everything poolwise raises on purpose."""


class InputError(PoolwiseError, ValueError):
    """A file, frame or dict breaks a rule of its format.

    Examples
    --------
    >>> print(InputError("run.txt:7", "a score must be a finite number", value="nan",
    ...                  remedy="correct the line"))
    run.txt:7: a score must be a finite number; got 'nan'. Hint: correct the line.
    """

    def __init__(self, where: str, rule: str, *, value: object = None, remedy: str = "") -> None:
        self.where, self.rule, self.value, self.remedy = where, rule, value, remedy
        got = "" if value is None else f"; got {shortened(repr(value))}"
        mend = f" Hint: {remedy}." if remedy else ""
        super().__init__(f"{where}: {rule}{got}.{mend}")

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the parts, so that an error crosses process borders."""
        return _rebuild_input_error, (self.where, self.rule, self.value, self.remedy)


def shortened(text: str, most: int = _LONGEST_VALUE) -> str:
    """Return as much of a text as there is room for: by default that of a value in a sentence."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _rebuild_input_error(where: str, rule: str, value: object, remedy: str) -> InputError:
    return InputError(where, rule, value=value, remedy=remedy)


class MeasureError(PoolwiseError, ValueError):
    """A measure's name cannot be parsed, or its parameters are outside their range."""


class MissingMeasureError(MeasureError, KeyError):
    """A result is asked for a measure that it was not made for.

    Examples
    --------
    >>> print(MissingMeasureError("AP", ["nDCG@10", "P@5"]))
    'AP': the result has no scores by this measure. Hint: use nDCG@10 or P@5, or ask for it when
    the runs are scored.
    """

    def __init__(self, measure: object, known: Iterable[object]) -> None:
        self.measure, self.known = measure, tuple(map(str, known))
        some = " or ".join(self.known[:_MOST_NAMED])
        super().__init__(
            f"{str(measure)!r}: the result has no scores by this measure. Hint: use {some}, or "
            "ask for it when the runs are scored."
        )

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show its message in quotes

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the parts, so that an error crosses process borders."""
        return type(self), (self.measure, self.known)


class OptionError(PoolwiseError, ValueError):
    """An argument is not one of the values it may take."""


class OutputError(PoolwiseError, OSError):
    """A file cannot be written, or must not be: it holds what would be lost.

    Examples
    --------
    >>> print(OutputError("out/scores.tsv", "the folder must exist", remedy="make it first"))
    out/scores.tsv: the folder must exist. Hint: make it first.
    """

    def __init__(self, where: str, rule: str, *, remedy: str) -> None:
        super().__init__(f"{where}: {rule}. Hint: {remedy}.")


class ResourceError(PoolwiseError, RuntimeError):
    """The machine gave out: memory, or a process that shared the work."""


class MissingExtraError(PoolwiseError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is needed for this. Hint: pip install 'poolwise[{extra}]'.")


_OPEN_FILES = "raise the limit of open files (ulimit -n), or name fewer files"
_ROOM = "make room, or write elsewhere"
_REMEDIES = {
    errno.EMFILE: _OPEN_FILES,
    errno.ENFILE: _OPEN_FILES,
    errno.ENOMEM: "give fewer runs, or raise the limit of memory (ulimit -v)",
    errno.EIO: "the disk failed: use another",
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM),
}


def remedy_of(error: OSError, usual: str) -> str:
    """Return what helps against an error of the system: that of its kind, or the usual one.

    Examples
    --------
    >>> remedy_of(OSError(errno.EMFILE, "Too many open files"), "check the path")
    'raise the limit of open files (ulimit -n), or name fewer files'
    """
    return _REMEDIES.get(error.errno or 0, usual)


def require_choice(argument: str, value: str, choices: Iterable[str]) -> None:
    """Raise where an argument is not one of its choices.

    Examples
    --------
    >>> require_choice("topics", "all", ["judged", "common"])
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: 'all' is not known. Hint: use one of judged, common.
    """
    names = list(choices)
    if value not in names:
        some = ", ".join(names[:_MOST_NAMED]) + ("…" if len(names) > _MOST_NAMED else "")
        raise OptionError(f"{argument}: {value!r} is not known. Hint: use one of {some}.")


def require_depth(depth: int, *, longest: int | None = None) -> None:
    """Raise where a depth holds no rank, or lies below the end of the longest list.

    Examples
    --------
    >>> require_depth(3, longest=2)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: depth: must be at least 1 and no deeper than the longest list;
        got 3. Hint: use a depth of at most 2.
    """
    if longest is None and depth < 1:
        raise OptionError(f"depth: must be at least 1; got {depth!r}. Hint: use 10.")
    if longest is not None and not 1 <= depth <= longest:
        hint = f"use a depth of at most {longest}" if longest else "give runs that hold documents"
        raise OptionError(
            "depth: must be at least 1 and no deeper than the longest list; "
            f"got {depth!r}. Hint: {hint}."
        )


def require_workers(workers: object) -> None:
    """Raise where a number of workers is no whole number, or 0; None leaves the choice open.

    Examples
    --------
    >>> require_workers(1.5)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: workers: must be a whole number other than 0; got 1.5. Hint: use
        1, or -1 for all cores.
    """
    if workers is None or (isinstance(workers, Integral) and workers != 0):
        return
    raise OptionError(
        f"workers: must be a whole number other than 0; got {workers!r}. Hint: use 1, or -1 for "
        "all cores."
    )


def require_draws(draws: int) -> None:
    """Raise where nothing is drawn.

    Examples
    --------
    >>> require_draws(0)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: draws: at least one is needed; got 0. Hint: use 1000.
    """
    if draws < 1:
        raise OptionError(f"draws: at least one is needed; got {draws}. Hint: use 1000.")
