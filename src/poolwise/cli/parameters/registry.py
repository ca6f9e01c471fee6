"""Options whose choices are the keys of a registry, read when they are needed.

A registry lives beside the code that it names, which imports numpy; the list of commands must not
wait for that.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["ListedRegistry", "Registry", "RegistryOrFile"]


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
    >>> Registry("evidence._meeting:TOPIC_RULES").choices
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
        names = [getattr(entry, "name", entry) for entry in self.entries]
        return (*(n for n in names if n not in self._leave_out), *self._also)

    @property
    def entries(self) -> Any:
        """The registry itself."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"poolwise.{module}"), name)

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


class ListedRegistry(Registry):
    """Names of a registry, each perhaps with options in parentheses, listed below the options.

    The entries have a name and a summary. What is typed is read by the workflow, which knows the
    options.

    Examples
    --------
    >>> ListedRegistry("scores.treatments.estimation:TREATMENTS").summaries()["condensed"]
    'unjudged documents are dropped from the list'
    """

    def summaries(self) -> dict[str, str]:
        """Return what each entry does, by its name."""
        return {entry.name: entry.summary for entry in self.entries}

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Leave the metavar to the option: the names are many."""
        del ctx
        return str(param.metavar or param.name)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return what was typed."""
        del param, ctx
        return str(value)


class RegistryOrFile(click.Path):
    """One of the names in a registry, or a file to read.

    Examples
    --------
    >>> kind = RegistryOrFile("evidence._meeting:TOPIC_RULES")
    >>> kind.is_file("common"), kind.is_file("topics.txt")
    (False, True)
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        self.names = Registry(place)

    def is_file(self, value: str) -> bool:
        """Tell whether a value is no name of the registry."""
        return value not in self.names.choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the names as click shows choices, and that a file may stand in their place."""
        return f"{self.names.get_metavar(param, ctx)[:-1]}|FILE]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin as typed, and files; bash forgets what comes before these."""
        files = super().shell_complete(ctx, param, incomplete)
        return [*files, *self.names.shell_complete(ctx, param, incomplete)]
