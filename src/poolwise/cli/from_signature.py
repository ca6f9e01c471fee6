"""Options of a command made from a function: its signature, and what its docstring says."""

from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

import click

from poolwise.cli._options import (
    alpha_option,
    groups_option,
    pooled_option,
    resamples_option,
    seed_option,
    significance_option,
    studied_option,
    universe_options,
    workers_option,
)
from poolwise.cli._parameter_types import (
    MEASURES,
    Registry,
    several_names,
    shares,
    whole_numbers_if_any,
)
from poolwise.studies._table import Option

if TYPE_CHECKING:
    from poolwise.workflows._studies import StudyParameter

__all__ = ["option_of", "typed_option"]

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_SHARED: dict[str, Decorator[Any]] = {
    "alpha": alpha_option,
    "groups": groups_option,
    "pooled": pooled_option,
    "resamples": resamples_option,
    "seed": seed_option,
    "treatments": studied_option,
    "universe": universe_options,
    "workers": workers_option,
}
"""Options that are the same in all commands, by parameter."""

_WITH_ANOTHER = ("universe_depth", "grades")
"""Parameters whose options come with another one."""

_MEASURE: dict[str, Any] = {"type": MEASURES, "metavar": "MEASURE"}
_NAMES: dict[str, Any] = {"multiple": True, "callback": several_names, "default": ()}


def option_of(name: str, parameter: "StudyParameter", option: Option | None) -> Decorator[Any]:
    """Return the option for a parameter: one that commands share, or one of its own."""
    # Every command offers the same tests, but for those that a study cannot use.
    if name == "test":
        return significance_option(leave_out=option.leave_out if option else ())
    # A level that has no default says another thing: which differences count at all.
    if option is None and name in _SHARED and not (name == "alpha" and parameter.default is None):
        return _SHARED[name]
    if name in _WITH_ANOTHER:
        return lambda function: function
    return typed_option(
        name,
        option or Option(),
        parameter.annotation,
        default=parameter.default,
        text=parameter.text,
        required=parameter.required and (option is None or option.default is None),
    )


def typed_option(
    name: str,
    option: Option,
    annotation: Any,
    *,
    default: Any = None,
    text: str = "",
    required: bool = False,
) -> Decorator[Any]:
    """Return an option whose type, default and help are those of a parameter.

    Examples
    --------
    >>> @click.command()
    ... @typed_option("draws", Option(), int, default=1000, text="Draw so often.")
    ... def swaps(draws):
    ...     print(draws)
    >>> swaps.params[0].type, swaps.params[0].default
    (<IntRange x>=1>, 1000)
    """
    # A command may have a default where the function asks for a value.
    default = default if option.default is None else option.default
    how = dict(_type_of(name, annotation, option, default))
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    flags = ("-m", "--measure") if name in ("measure", "measures") else flags
    how |= {"metavar": option.metavar} if option.metavar else {}
    if required:
        # A default of None would be a value for click 8.3 and later, and nothing would be missing.
        return click.option(*flags, name, help=option.help or text, required=True, **how)
    # The type may bring a default as it is typed, which goes before that of the function.
    how = {"default": default} | how
    shows = how["default"] not in (None, "", ()) and not how.get("is_flag")
    return click.option(*flags, name, help=option.help or text, show_default=shows, **how)


def _type_of(name: str, annotation: Any, option: Option, default: Any) -> dict[str, Any]:
    """Return what click has to know to read the value of an option."""
    kind, several = _kind(annotation)
    if name in ("measure", "measures"):
        return _MEASURE | (_NAMES if name == "measures" else {})
    if option.reads:
        return {"type": click.Path(), "default": None}
    if option.choices:
        registry = Registry(option.choices.replace(".", ":"), leave_out=option.leave_out)
        return {"type": registry, "multiple": several}
    return _several(kind, option, default) if several else _single(kind, option)


def _several(kind: type, option: Option, default: Any) -> dict[str, Any]:
    """Return how several values are read: from a repeated option, or with commas between."""
    if kind is str:
        return _NAMES
    if option.repeated:
        return {"type": kind, "multiple": True}
    callback = whole_numbers_if_any if kind is int else shares
    return {"callback": callback, "default": ",".join(map(str, default or ())) or None}


def _single(kind: type, option: Option) -> dict[str, Any]:
    if kind is bool:
        return {"is_flag": True}
    return {"type": click.IntRange(option.minimum) if kind is int else kind}


def _kind(annotation: Any) -> tuple[type, bool]:
    """Return the type of a value, and whether there are several of them.

    Examples
    --------
    >>> _kind(Sequence[int] | None), _kind(float)
    ((<class 'int'>, True), (<class 'float'>, False))
    """
    if annotation in (int, float, str, bool):
        return annotation, False
    if get_origin(annotation) in (Sequence, Iterable):
        return _kind(get_args(annotation)[0])[0], True
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return _kind(kinds[0]) if kinds else (str, False)
