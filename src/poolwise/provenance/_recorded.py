"""Public functions that bind their options once: checked, recorded and documented in one place."""

import inspect
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin

from poolwise.errors import OptionError
from poolwise.provenance._documented import documented
from poolwise.provenance._parameters import RENAMED
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
MISFIT = object()
"""What comes of an argument that is not what its annotation asks for."""


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
    names an inner function; so is an argument of another type than its annotation. One alone where
    several are wanted (a measure, a run, a depth) is taken as a list of one. The provenance of what
    is returned gets every option that differs from its default, and those that say what was drawn;
    what the function recorded itself stays, and what it asks of other functions on the way is its
    own affair.
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
    >>> pw.evaluate(qrels, runs, "P@2", topics=1)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: must be a text, a path or a list of texts; got 1. Hint: use
    'judged'.
    """
    return _bound(function, always=ALWAYS)


def _bound(function: Callable[P, Result], *, always: frozenset[str]) -> Callable[P, Result]:
    signature = inspect.signature(function)
    parameters = set(signature.parameters)
    left_out = NEVER | OF_TESTS if "test" in parameters else NEVER
    options = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in left_out
    }

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        if _IS_INSIDE.get():  # of a call that records what it was asked
            return function(*args, **kwargs)
        if not kwargs.keys() <= parameters:
            raise _no_such_option(function, kwargs, parameters)
        fitted, named = _fitted(function, args, kwargs)
        token = _IS_INSIDE.set(True)
        try:
            result = function(*fitted, **named)
        except TypeError:
            _require_call(function, args, kwargs)
            raise
        finally:
            _IS_INSIDE.reset(token)
        return with_options(result, _options(options, named, always))

    if function.__doc__:
        call.__doc__ = documented(inspect.cleandoc(function.__doc__), signature.parameters.values())
    return call


def _require_call(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise where a call does not fit the signature; looked at only where a call has failed."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        hint = _call_of(function)
        raise OptionError(f"{function.__name__}: {error}. Hint: {hint}.") from None


def _no_such_option(
    function: Callable[..., Any], asked: Iterable[str], parameters: set[str]
) -> OptionError:
    """Say which option there is none of, and which may have been meant."""
    from difflib import get_close_matches  # noqa: PLC0415, late: seldom needed

    name = next(option for option in asked if option not in parameters)
    renamed = [new for new in RENAMED.get(name, ()) if new.partition("=")[0] in parameters]
    close = renamed or get_close_matches(name, parameters, n=1)
    hint = f"use {close[0]}" if close else _call_of(function)
    return OptionError(f"{function.__name__}: there is no option {name!r}. Hint: {hint}.")


def _call_of(function: Callable[..., Any]) -> str:
    parameters = inspect.signature(function).parameters.values()
    asked = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    options = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    after = f" and the options {', '.join(options)}" if options else ""
    return f"it takes {', '.join(asked) or 'nothing'}{after}"


@cache
def _wanted(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function with their annotations, as far as they can be had."""
    try:
        return dict(inspect.signature(function, eval_str=True).parameters)
    except NameError:  # a name that only type checkers import
        return dict(inspect.signature(function).parameters)


def _fitted(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments as they are wanted, or raise for the first that is of another type."""
    wanted = _wanted(function)
    places: list[str] = []
    for name, parameter in wanted.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            places += [name] * (len(args) - len(places))
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            places.append(name)
    fitted = [_argument(wanted[name], value) for name, value in zip(places, args, strict=False)]
    # Arguments that there is no place for stay: the call says that they are too many.
    fitted += args[len(fitted) :]
    return fitted, {name: _argument(wanted[name], value) for name, value in kwargs.items()}


def _argument(parameter: inspect.Parameter, value: object) -> object:
    """Return an argument as it is wanted; a default is what the function says it is."""
    if value is parameter.default:
        return value
    fitted = fit(value, parameter.annotation)
    if fitted is MISFIT or _lacks(parameter, value):
        from poolwise.provenance._misfits import misfit  # noqa: PLC0415, late: seldom needed

        raise misfit(parameter, value)
    return fitted


def _lacks(parameter: inspect.Parameter, value: object) -> bool:
    """Say whether there is nothing where something is needed, and no default is nothing, too."""
    if not (isinstance(value, tuple | list) and not value and parameter.default):
        return False
    wanted = parameter.annotation
    # No file, no run, nothing in a ranking and no number in an array may be meant; no measure, no
    # table and no depth are not.
    takes_names = fit(["x"], wanted) is not MISFIT and parameter.name != "measures"
    return fit([object()], wanted) is MISFIT and not takes_names and not _is_array(wanted)


def fit(value: Any, wanted: Any) -> Any:
    """Return an argument as its annotation asks for it, or ``MISFIT``.

    Parameters
    ----------
    value
        What a function was called with.
    wanted
        The annotation. Whole numbers are numbers, and truth values are not; one value where
        several are wanted is one of them; whatever cannot be told from the annotation fits.

    Returns
    -------
    object
        The value, a tuple of one where several are wanted, or ``MISFIT``.

    Examples
    --------
    >>> fit(3, float), fit("P@5", Sequence[str]), fit([5, 10], Sequence[int] | None)
    (3, ('P@5',), [5, 10])
    >>> fit("3", int) is fit(True, float) is fit([1, "2"], Iterable[int]) is MISFIT
    True
    """
    kind = get_origin(wanted) or wanted
    members = get_args(wanted)
    if _is_array(wanted):
        return _fit_array(value, kind)
    if kind in (Union, UnionType):
        return _fit_any(value, members)
    if kind in (Mapping, dict) and members and isinstance(value, Mapping):
        return value if _fit_entries(value, members) else MISFIT
    if kind in (Sequence, Iterable, tuple, list) and members:
        return _fit_several(value, kind, members)
    if isinstance(kind, TypeVar):
        return fit(value, kind.__bound__ or Any)
    fits = value in members if kind is Literal and isinstance(value, str) else _is_one(value, kind)
    return value if fits else MISFIT


def _fit_any(value: Any, members: tuple[Any, ...]) -> Any:
    """Return a value as one of several annotations asks for it: as it is, if any takes it so."""
    # Whatever fits anything is not asked whether it is several: that may compute a whole table.
    # Arrays come first: they are taken whole, and lists are looked through.
    asked = (Any,) if Any in members else sorted(members, key=_is_array, reverse=True)
    first = MISFIT
    for member in asked:
        fitted = fit(value, member)
        if fitted is value:
            return value
        first = fitted if first is MISFIT else first
    return first


def _is_one(value: object, kind: Any) -> bool:
    """Say whether a value is of a kind; of what is no type it cannot be said, and it is."""
    if kind in PLAIN:
        return PLAIN[kind](value)
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    if not isinstance(kind, type):
        return kind is not Literal
    # A class may know others that are taken for its own, such as the measures of a library.
    return isinstance(value, kind) or getattr(kind, "_is_taken_for_one", isinstance)(value, kind)


def _is_number(value: object, kind: type = Real) -> bool:
    """Say whether a value is meant as a number: to Python a truth value is one, too."""
    return isinstance(value, kind) and not isinstance(value, bool)


PLAIN: dict[object, Callable[[object], bool]] = {
    NoneType: lambda value: value is None,
    int: lambda value: _is_number(value, Integral),
    float: _is_number,
    bool: lambda value: isinstance(value, bool) or type(value) is _of_numpy("bool_"),
    Path: lambda value: isinstance(value, PathLike),
    Callable: callable,
    Any: lambda _: True,
    inspect.Parameter.empty: lambda _: True,
}
"""What is not told by ``isinstance`` alone."""


def _fit_several(value: Any, kind: type, members: tuple[Any, ...]) -> Any:
    """Return several values of which each fits its member; one alone is a tuple of one."""
    is_open = kind is not tuple or members[-1] is Ellipsis
    if is_open and fit(object(), members[0]) is not MISFIT:  # such as rankings of anything
        is_list = isinstance(value, str) or _is_several(value, kind)
        return value if is_list and (members[0] is not Hashable or _is_hashable(value)) else MISFIT
    is_list = isinstance(value, list | tuple)
    if is_open and not is_list and (alone := fit(value, members[0])) is not MISFIT:
        return (alone,)
    if not _is_several(value, kind):
        return MISFIT
    values = tuple(value)
    wanted = [members[0]] * len(values) if is_open else members
    fitted = tuple(map(fit, values, wanted))
    if len(values) != len(wanted) or any(part is MISFIT for part in fitted):
        return MISFIT
    # What is used up by now, or cannot be asked for its third value, is handed on as a tuple.
    return value if isinstance(value, kind) and not isinstance(value, Iterator) else fitted


def _fit_entries(value: Mapping[Any, Any], members: tuple[Any, ...]) -> bool:
    """Say whether keys and values fit, as the first thousand show: there may be millions."""
    parts = [
        (part, fit(part, member))
        for entry in islice(value.items(), 1000)
        for part, member in zip(entry, members, strict=True)
    ]
    # One value alone would have to become several, and stays in the dict as it is.
    return all(
        fitted is part or (fitted is not MISFIT and isinstance(part, Iterable))
        for part, fitted in parts
    )


def _is_hashable(items: Iterable[Any]) -> bool:
    try:
        set(items)
    except TypeError:
        return False
    return True


def _is_several(value: object, kind: type) -> bool:
    """Say whether a value holds others; a dict does where their order does not count."""
    is_wrong = isinstance(value, str | bytes) or (
        isinstance(value, Mapping) and kind is not Iterable
    )
    return isinstance(value, Iterable) and not is_wrong


def _is_array(wanted: Any) -> bool:
    """Say whether an annotation asks for an array, or for what one can be made of."""
    # A plain class is neither, and most annotations are one.
    return not isinstance(wanted, type) and (
        wanted is _of_numpy("typing", "ArrayLike") or _is_own_array(get_origin(wanted))
    )


def _is_own_array(kind: Any) -> bool:
    """Say whether a type is that of arrays: from NumPy 2.5 on, NDArray is one beside ndarray."""
    return kind in (_of_numpy("ndarray"), _of_numpy("typing", "NDArray"))


def _fit_array(value: Any, kind: Any) -> Any:
    """Return what an array of numbers can be made of; where one is wanted, as an array."""
    as_array: Any = _of_numpy("asarray")
    try:
        array = as_array(value)
    except ValueError:  # rows of several lengths
        return MISFIT
    is_wanted = _is_own_array(kind)
    is_alone = is_wanted and not array.ndim
    if is_alone or array.dtype.kind not in "biuf":
        return MISFIT
    return array if is_wanted else value


def _of_numpy(*names: str) -> object:
    """Return something of numpy, if whatever has it in its annotations has loaded numpy."""
    part: object = sys.modules.get("numpy")
    for name in names:
        part = getattr(part, name, MISFIT)
    return part


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
    copied = copy(result)
    # Findings are frozen; this is a copy that nobody has seen yet.
    # What the function recorded itself is nearer to what was done, and stays.
    asked = {**options, **dict(provenance.options)}
    object.__setattr__(copied, "provenance", provenance.with_options(**asked))
    for name in getattr(result, "recorded_parts", ()):
        part = getattr(result, name)
        if isinstance(part, Mapping):
            same = {key: _with_options(cell, options) for key, cell in part.items()}
            object.__setattr__(copied, name, same)
        else:
            object.__setattr__(copied, name, _with_options(part, options))
    return copied
