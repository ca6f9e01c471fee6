"""Options of a common form: a switch, a file, a number, names, an entry of a registry."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from poolwise.cli._parameter_types import Registry, several_names

__all__ = [
    "choice_option",
    "file_option",
    "names_option",
    "number_option",
    "several_files_option",
    "switch",
]

F = TypeVar("F", bound=Callable[..., Any])


def switch(*flags: str, text: str) -> Callable[[F], F]:
    """Return an option that is there or not."""
    return click.option(*flags, is_flag=True, help=text)


def file_option(
    *flags: str, text: str, metavar: str = "FILE", required: bool = False
) -> Callable[[F], F]:
    """Return an option for a file to read."""
    return click.option(*flags, type=click.Path(), metavar=metavar, help=text, required=required)


def several_files_option(*flags: str, text: str, metavar: str = "FILE") -> Callable[[F], F]:
    """Return an option that is repeated for each of several files."""
    return click.option(*flags, type=click.Path(), multiple=True, metavar=metavar, help=text)


def names_option(
    *flags: str, text: str, metavar: str = "NAME", default: str = ""
) -> Callable[[F], F]:
    """Return an option for names, which says how to type several, and what is taken without it."""
    repeated = "The option may be repeated, and names may be separated by commas."
    without = f" [default: {default}]" if default else ""
    return click.option(
        *flags,
        multiple=True,
        metavar=metavar,
        callback=several_names,
        help=f"{text} {repeated}{without}",
    )


def number_option(
    *flags: str, text: str, default: float | None = None, least: int | None = None
) -> Callable[[F], F]:
    """Return an option for a number: a whole one, from the least on, or any."""
    kind: Any = float if least is None else click.IntRange(least)
    # A default of None would be a value for click 8.3 and later, and would be shown.
    if default is None:
        return click.option(*flags, type=kind, help=text)
    return click.option(*flags, type=kind, default=default, show_default=True, help=text)


def choice_option(
    *flags: str,
    registry: str,
    text: str,
    default: str | None = None,
    leave_out: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Return an option for an entry of a registry, which goes by its module and its name."""
    kind = Registry(registry, leave_out=leave_out)
    if default is None:
        return click.option(*flags, type=kind, help=text)
    return click.option(*flags, type=kind, default=default, show_default=True, help=text)
