"""Commands whose help describes their arguments, as it describes their options."""

from functools import partial
from typing import Any

import click

from poolwise.cli.parameters.registry import ListedRegistry

__all__ = ["DescribedArgument", "DescribedCommand", "ShortHelp", "argument", "command"]


class DescribedArgument(click.Argument):
    """An argument that has a help of its own, which click's have from version 8.5 on only."""

    def __init__(self, *names: Any, help_text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.help_text = help_text


class ShortHelp(click.Command):
    """A command that takes -h as well as --help, whoever asks for its help.

    click reads the names off the first context that a command has, and keeps them.
    """

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the names of the option that shows the help."""
        del ctx
        taken = {name for parameter in self.params for name in parameter.opts}
        return [name for name in ("-h", "--help") if name not in taken]


class DescribedCommand(ShortHelp):
    r"""A command whose help says what each argument is, and lists what an option may name.

    Examples
    --------
    >>> from click.testing import CliRunner
    >>> @command()
    ... @argument("qrels", help_text="Read the judgments from this file.")
    ... def count(qrels):
    ...     pass
    >>> print(*CliRunner().invoke(count, ["--help"]).output.splitlines()[2:4], sep="\n")
    Arguments:
      QRELS  Read the judgments from this file.
    """

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, the options, and what is in the registries that they list."""
        described = [p for p in self.get_params(ctx) if isinstance(p, DescribedArgument)]
        if described:
            with formatter.section("Arguments"):
                formatter.write_dl([(p.human_readable_name, p.help_text) for p in described])
        super().format_options(ctx, formatter)
        for parameter in self.get_params(ctx):
            if isinstance(parameter.type, ListedRegistry):
                with formatter.section(f"{parameter.metavar}S".capitalize()):
                    formatter.write_dl([*parameter.type.summaries().items()])


argument = partial(click.argument, cls=DescribedArgument)
command = partial(click.command, cls=DescribedCommand)
