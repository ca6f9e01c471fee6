"""Options whose choices are the keys of a registry, read when they are needed.

A registry lives beside the code that it names, which imports numpy; the list of commands must not
wait for that.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["Registry"]


class Registry(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """One of the names in a registry.

    Parameters
    ----------
    place
        Module and name of the registry: ``"collection.runs:TIE_RULES"``.
    also
        Further choices of the command.
    leave_out
        Names that the command has no use for.

    Examples
    --------
    >>> Registry("evidence.topic_choice:TOPIC_RULES").choices
    ('judged', 'common')
    """

    name = "choice"

    def __init__(
        self, place: str, *, also: Sequence[str] = (), leave_out: Sequence[str] = ()
    ) -> None:
        self.place, self._also, self._leave_out = place, tuple(also), tuple(leave_out)

    @property
    def choices(self) -> tuple[str, ...]:
        """The names that are accepted, in the order of the registry."""
        module, _, name = self.place.partition(":")
        registered = getattr(import_module(f"poolwise.{module}"), name)
        names = [getattr(entry, "name", entry) for entry in registered]
        return (*(n for n in names if n not in self._leave_out), *self._also)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the choices as click shows its own."""
        del param, ctx
        return f"[{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if it is one of the choices."""
        if value not in self.choices:
            self.fail(f"{value!r} is not one of {', '.join(self.choices)}.", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the choices that begin as typed."""
        del ctx, param
        return [CompletionItem(name) for name in self.choices if name.startswith(incomplete)]
