"""Public functions that bind their options once: checked, recorded and documented in one place."""

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from copy import copy
from functools import wraps
from numbers import Integral
from typing import Any, ParamSpec, TypeVar, cast

from poolwise.errors import OptionError
from poolwise.provenance._parameters import PARAMETERS, RENAMED
from poolwise.words import counted

__all__ = ["recorded", "recorded_by_itself", "with_options"]

P = ParamSpec("P")
Result = TypeVar("Result")

ALWAYS = frozenset({"rng", "draws", "samples", "partitions", "simulations"})
"""Options that a random result depends on: they are recorded at their default, too."""
OF_TESTS = frozenset({"rng", "resamples"})
"""What only randomized tests depend on: functions that take a test record it where it draws."""
USUAL = {"bounds": "exact"}
"""Values that change nothing in what a reader expects, whatever default a function has."""
_IS_INSIDE: ContextVar[bool] = ContextVar("poolwise.recording", default=False)
"""Whether a public function is at work: what it asks others for on the way is its own affair."""
NEVER = frozenset({"progress", "workers", "stream", "topics", "tolerant"})
"""Options that change no number, and the topics, which provenance has a place of its own for."""


def recorded_by_itself(function: Callable[P, Result]) -> Callable[P, Result]:
    """Do the same as :func:`recorded` for a function that says itself what it has drawn, if it has.

    Parameters
    ----------
    function
        A function that draws at random only by some of its options.

    Returns
    -------
    callable
        The same function; a seed at its default is recorded where the function does so.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare_scores
    >>> table = ScoreTable.from_matrix([[0.5, 0.4], [0.2, 0.3]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> [name for name, _ in compare_scores(table).provenance.options]
    ['test', 'alternative', 'correction', 'alpha']
    """
    return _bound(function, always=frozenset())


def recorded(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a public function check its options, record them in its result, and document them.

    An option that the function does not have is our error, with a hint, and not a TypeError that
    names an inner function. The provenance of what is returned gets every option that differs from
    its default, and those that say what was drawn; what the function recorded itself stays, and
    what it asks of other functions on the way is its own affair.
    Parameters that mean the same everywhere get their text from ``PARAMETERS`` where the docstring
    leaves them out.

    Parameters
    ----------
    function
        A function whose options are keyword-only, and which returns findings, or what holds them.

    Returns
    -------
    callable
        The same function, which records what it was asked.

    Examples
    --------
    >>> import poolwise as pw
    >>> qrels, runs = {"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5, "x": 0.4}}}
    >>> pw.evaluate(qrels, runs, "P@2", bounds="naive").provenance.options
    (('bounds', 'naive'),)
    >>> pw.evaluate(qrels, runs, "P@2", bouds="naive")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: evaluate: there is no option 'bouds'. Hint: use bounds.
    """
    return _bound(function, always=ALWAYS)


def _bound(function: Callable[P, Result], *, always: frozenset[str]) -> Callable[P, Result]:
    signature = inspect.signature(function)
    known = set(signature.parameters)
    left_out = NEVER | OF_TESTS if "test" in known else NEVER
    options = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in left_out
    }

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        if _IS_INSIDE.get():  # of a call that records what it was asked
            return function(*args, **kwargs)
        if not kwargs.keys() <= known:
            raise _no_such_option(function, kwargs, known)
        token = _IS_INSIDE.set(True)
        try:
            result = function(*args, **kwargs)
        except TypeError:
            _require_call(function, args, kwargs)
            raise
        finally:
            _IS_INSIDE.reset(token)
        return with_options(result, _options(options, kwargs, always))

    if function.__doc__:
        call.__doc__ = _documented(inspect.cleandoc(function.__doc__), tuple(signature.parameters))
    return call


def _require_call(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise where a call does not fit the signature; looked at only where a call has failed."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        hint = _call_of(function)
        raise OptionError(f"{function.__name__}: {error}. Hint: {hint}.") from None


def _no_such_option(
    function: Callable[..., Any], asked: Iterable[str], known: set[str]
) -> OptionError:
    """Say which option there is none of, and which may have been meant."""
    from difflib import get_close_matches  # noqa: PLC0415, late: seldom needed

    name = next(option for option in asked if option not in known)
    renamed = [new for new in RENAMED.get(name, ()) if new.partition("=")[0] in known]
    close = renamed or get_close_matches(name, known, n=1)
    hint = f"use {close[0]}" if close else _call_of(function)
    return OptionError(f"{function.__name__}: there is no option {name!r}. Hint: {hint}.")


def _call_of(function: Callable[..., Any]) -> str:
    parameters = inspect.signature(function).parameters.values()
    asked = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    options = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    after = f" and the options {', '.join(options)}" if options else ""
    return f"it takes {', '.join(asked) or 'nothing'}{after}"


def _options(
    defaults: Mapping[str, object], asked: Mapping[str, object], always: frozenset[str]
) -> dict[str, object]:
    """Return what is recorded of a call: what differs from its default, and what was drawn."""
    values = {name: asked.get(name, default) for name, default in defaults.items()}
    named: dict[str, object] = {}
    for name, value in values.items():
        if name not in always and _is_same(value, defaults[name]):
            continue
        if name in USUAL and _is_same(value, USUAL[name]):
            continue
        named |= _entries(name, value)
    return named


def _is_same(value: object, default: object) -> bool:
    if value is default:
        return True
    same = value == default
    return same if isinstance(same, bool) else False  # arrays compare cell by cell


def _entries(name: str, value: object) -> dict[str, object]:
    """Return an option as it is recorded; a generator has no seed that gives its numbers again."""
    if name == "rng":
        return {"seed": int(value)} if isinstance(value, Integral) else {}
    if isinstance(value, Iterator):
        return {}  # it is used up by now: whoever went through it records what it had
    of_parts = getattr(value, "recorded_options", None)
    if of_parts is not None:
        return dict(of_parts())
    return {} if value is None else {name: _plain(value)}


def _plain(value: object) -> object:
    """Return a value as a record can hold it: numbers, texts, and lists of them."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    label = getattr(value, "recorded_as", None)
    if label is not None:
        return label
    if isinstance(value, Mapping):
        return counted(len(value), "entry")  # such as the texts of all documents
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(_plain(cell) for cell in value)
    # A measure prints its canonical name. Other objects go by their kind: their reprs are for
    # programmers, and may be long.
    return str(value) if type(value).__str__ is not object.__str__ else type(value).__name__


def with_options(result: Result, options: Mapping[str, object]) -> Result:
    """Return a result, or several, with options added to its provenance and to that of its parts.

    Parameters
    ----------
    result
        A finding, several of them in a tuple, or anything else, which stays as it is.
    options
        What was asked, by name.

    Returns
    -------
    The same, with the options in its provenance.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5]], systems=["a"], topics=["1"], measure="AP")
    >>> with_options(table, {"seed": 7}).provenance.options
    (('seed', 7),)
    """
    return cast("Result", _with_options(result, options)) if options else result


def _with_options(result: Any, options: Mapping[str, object]) -> Any:
    if type(result) is tuple:
        return tuple(_with_options(part, options) for part in result)
    provenance: Any = getattr(result, "provenance", None)
    if not hasattr(provenance, "with_options"):
        return result
    found = copy(result)
    # Findings are frozen; this is a copy that nobody has seen yet.
    # What the function recorded itself is nearer to what was done, and stays.
    asked = {**options, **dict(provenance.options)}
    object.__setattr__(found, "provenance", provenance.with_options(**asked))
    for name in getattr(result, "recorded_parts", ()):
        part = getattr(result, name)
        if isinstance(part, Mapping):
            same = {key: _with_options(cell, options) for key, cell in part.items()}
            object.__setattr__(found, name, same)
        else:
            object.__setattr__(found, name, _with_options(part, options))
    return found


_HEAD = "Parameters\n----------\n"


def _documented(text: str, parameters: tuple[str, ...]) -> str:
    """Return a docstring with a text for each parameter, in the order of the signature."""
    before, head, rest = text.partition(f"\n{_HEAD}")
    section, after = _section(rest) if head else ("", "")
    if not head:
        before, after = _before_sections(text)
    own = _entries_of(section)
    texts = [
        own.pop(name) if name in own else f"{name}\n{_indented(PARAMETERS[name])}"
        for name in parameters
        if name in own or (name in PARAMETERS and not _is_explained(name, section))
    ]
    texts += own.values()  # what the signature lists in another way, such as *sources
    listed = "\n".join(dict.fromkeys(texts))
    return f"{before.rstrip()}\n\n{_HEAD}{listed}\n\n{after}".rstrip() if listed else text


def _section(rest: str) -> tuple[str, str]:
    """Part the section of parameters from what follows it."""
    lines = rest.split("\n")
    for i in range(1, len(lines)):
        if lines[i] and set(lines[i]) == {"-"}:
            return "\n".join(lines[: i - 1]).rstrip(), "\n".join(lines[i - 1 :])
    return rest.rstrip(), ""


def _before_sections(text: str) -> tuple[str, str]:
    """Part a docstring without a section of parameters before its first section."""
    lines = text.split("\n")
    for i in range(1, len(lines)):
        if lines[i] and set(lines[i]) == {"-"}:
            return "\n".join(lines[: i - 1]), "\n".join(lines[i - 1 :])
    return text, ""


def _entries_of(section: str) -> dict[str, str]:
    """Return the entries of a section by the first name that each explains."""
    entries: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        if line[:1].strip():
            name = _names(line)[0]
            entries[name] = line
        elif name:
            entries[name] += f"\n{line}"
    return {name: entry.rstrip() for name, entry in entries.items()}


def _names(line: str) -> list[str]:
    return [name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")]


def _is_explained(name: str, section: str) -> bool:
    """Say whether an entry for several parameters names this one."""
    margin = [line for line in section.split("\n") if line[:1].strip()]
    return any(name in _names(line)[1:] for line in margin)


def _indented(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")
