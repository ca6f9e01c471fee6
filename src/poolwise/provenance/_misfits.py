"""What is said of an argument that is of another type than the function takes."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from poolwise.errors import OptionError, shortened
from poolwise.provenance._parameters import MADE_BY

__all__ = ["misfit"]

_ONE = {
    None: "None",
    type(None): "None",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    Path: "a path",
    Callable: "a function",
    Mapping: "a dict",
    dict: "a dict",
}
_PLAIN = (str, bytes, int, float, list, tuple, set, dict, Path)
_SEVERAL = {"a whole number": "whole numbers", "a number": "numbers", "a text": "texts"}
_EXAMPLES = {int: "10", float: "0.5", bool: "True", str: "a text in quotes"}


def misfit(parameter: inspect.Parameter, value: object) -> OptionError:
    """Return the error for an argument: its name, what it may be, what it is, and a way out.

    Parameters
    ----------
    parameter
        What the function takes.
    value
        What it was called with.

    Returns
    -------
    OptionError
        To be raised.

    Examples
    --------
    >>> depth = inspect.Parameter("depth", inspect.Parameter.KEYWORD_ONLY, annotation=int)
    >>> print(misfit(depth, "ten"))
    depth: must be a whole number; got 'ten'. Hint: use 10.
    """
    if get_origin(parameter.annotation) is Literal and isinstance(value, str):
        some = ", ".join(get_args(parameter.annotation))
        return OptionError(f"{parameter.name}: {value!r} is not known. Hint: use one of {some}.")
    rule = (
        "at least one is needed" if _is_empty(value) else f"must be {_words(parameter.annotation)}"
    )
    return OptionError(
        f"{parameter.name}: {rule}; got {_shown(value)}. Hint: use {_example(parameter)}."
    )


def _shown(value: object) -> str:
    """Return a plain value as it is written, and the kind of any other."""
    is_plain = value is None or isinstance(value, _PLAIN)
    return shortened(repr(value)) if is_plain else type(value).__name__


def _is_empty(value: object) -> bool:
    return isinstance(value, tuple | list) and not value


def _words(wanted: Any) -> str:
    """Return what an annotation asks for, in words."""
    parts = list(dict.fromkeys(_one(member) for member in _members(wanted)))
    return " or ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _members(wanted: Any) -> tuple[Any, ...]:
    """Return what a union has; what an array can be made of is one thing."""
    is_union = get_origin(wanted) in (Union, UnionType) and not _is_array(wanted)
    return get_args(wanted) if is_union else (wanted,)


def _is_array(wanted: Any) -> bool:
    kinds = [get_origin(part) or part for part in (wanted, *get_args(wanted))]
    return any(getattr(kind, "__name__", "") in _ARRAYS for kind in kinds)


_ARRAYS = {"ndarray", "_SupportsArray", "NDArray", "ArrayLike"}
"""What arrays are called in annotations, by versions of NumPy."""


def _one(wanted: Any) -> str:
    kind, members = get_origin(wanted) or wanted, get_args(wanted)
    if _is_array(wanted):
        return "an array of numbers"
    if kind is Literal:
        return f"one of {', '.join(members)}"
    if kind in (Sequence, Iterable, list, tuple) and members:
        return f"a list of {_several(members)}"
    if kind in _ONE:
        return _ONE[kind]
    name = getattr(kind, "__name__", str(kind))
    return name if name.endswith("s") else f"a {name}"


def _several(members: tuple[Any, ...]) -> str:
    if len(members) > 1 and Ellipsis not in members:
        return " and ".join(map(_words, members))
    names = [_words(member) for member in _members(members[0])]
    return " or ".join(_SEVERAL.get(name, name.removeprefix("a ") + "s") for name in names)


def _example(parameter: inspect.Parameter) -> str:
    """Return something that the parameter takes: its default, or what makes one."""
    default = parameter.default
    if isinstance(default, bool | int | float | str):
        return repr(default)
    for wanted in _members(parameter.annotation):
        kind = get_origin(wanted) or wanted
        name = getattr(kind, "__name__", "")
        if kind in (Sequence, Iterable, list, tuple):
            alone = inspect.Parameter("one", parameter.KEYWORD_ONLY, annotation=get_args(wanted)[0])
            return f"a list: [{_example(alone)}, …]"
        if kind is Literal:
            return repr(get_args(wanted)[0])
        if kind in _EXAMPLES or name in MADE_BY:
            return _EXAMPLES.get(kind) or MADE_BY[name]
    return _words(parameter.annotation)
