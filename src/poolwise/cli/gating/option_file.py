"""Options of a command that stand in a file: poolwise.toml, or pyproject.toml."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from poolwise.errors import InputError

__all__ = ["config_option"]

F = TypeVar("F", bound=Callable[..., Any])

_FILES = ("poolwise.toml", "pyproject.toml")


def config_option(section: str) -> Callable[[F], F]:
    """Return the option that names a file with defaults for the others.

    ``[SECTION]`` of poolwise.toml, or ``[tool.poolwise.SECTION]`` of pyproject.toml or any other
    file, has the names of the options in long form.
    """

    def load(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        found = _found(section) if value is None else value
        if found is not None:
            given = _table(found, section)
            context.default_map = dict(_defaults(context.command, parameter, found, given))
        return found

    return click.option(
        "--config",
        type=click.Path(),
        metavar="FILE",
        is_eager=True,
        callback=load,
        help=f"Read defaults of these options from this file: [{section}] of poolwise.toml, or "
        f"[tool.poolwise.{section}] of pyproject.toml. [default: one of the two in this folder]",
    )


def _found(section: str) -> str | None:
    """Return the file of this folder that has the section, if one has."""
    return next((n for n in _FILES if Path(n).is_file() and _table(n, section)), None)


def _table(path: str, section: str) -> dict[str, Any]:
    """Return the options of a section."""
    import tomllib

    try:
        content: Any = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(path, "the file must be readable", remedy="check the path") from error
    except ValueError as error:
        rule = f"the file must be TOML: {error}"
        raise InputError(path, rule, remedy="correct the line") from error
    inner = content.get("tool", {}).get("poolwise", {})
    found = inner.get(section) or (content.get(section) if Path(path).name == _FILES[0] else None)
    if found is not None and not isinstance(found, dict):
        raise InputError(path, f"[{section}] must be a table", remedy="write option = value below")
    return found or {}


def _defaults(
    command: click.Command, config: click.Parameter, path: str, given: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Go through the options of the file, by the names that click has for them."""
    known = {
        name.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option) and option is not config
        for name in option.opts
        if name.startswith("--")
    }
    for name, value in given.items():
        if name not in known:
            rule = "an option must be one of the command"
            raise InputError(path, rule, value=name, remedy=f"use one of {', '.join(known)}")
        yield str(known[name].name), _as_typed(known[name], value)


def _as_typed(option: click.Option, value: Any) -> Any:
    """Return a value as if it had been typed: lists repeat an option, or have commas."""
    several = [str(one) for one in value] if isinstance(value, list) else None
    if option.multiple:
        return several if several is not None else [str(value)]
    if several is not None:
        return ",".join(several)
    return value if isinstance(value, bool) else str(value)
