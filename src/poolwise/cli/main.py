"""``poolwise``: the command and its subcommands, grouped by the question they answer."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import click

from poolwise.cli._delivery import save_argv
from poolwise.cli._output import with_bars
from poolwise.cli._parameter_types import ShortHelp
from poolwise.cli._program import (
    EndedError,
    ReaderGoneError,
    as_a_program,
    end_by_signal,
    ending_of,
    leave,
    show_traceback,
    write_questions,
)

__all__ = ["main"]

QUESTIONS: dict[str, dict[str, str]] = {
    "How good, how sure?": {
        "evaluate": "evaluate:evaluate",
        "estimate": "estimate:estimate",
        "compare": "compare:compare",
        "report": "report:report",
        "table": "table:table",
        "diversity": "diversity:diversity",
        "standardize": "standardize:standardize",
        "audit": "audit:audit",
        "show": "show:show",
        "trec_eval": "trec_eval:trec_eval",
    },
    "What to judge?": {
        "next": "next:next_documents",
        "merge": "merge:merge",
        "convert": "convert:convert",
        "pool": "pool:pool",
        "sample": "sample:sample",
        "campaign": "campaign:campaign",
    },
    "Who judged?": {"agree": "agree:agree"},
    "Enough topics?": {
        "power": "power:power",
        "design": "design:design",
        "journal": "journal:journal",
    },
    "Can the method be trusted?": {"study": "study:study"},
    "Over time?": {
        "ledger": "ledger:ledger",
        "card": "card:card",
        "similarity": "similarity:similarity",
        "gate": "gate:gate",
        "replay": "replay:replay",
    },
    "Help": {
        "measures": "explain:measures",
        "explain": "explain:explain",
        "demo": "demo:demo",
        "cite": "explain:cite",
    },
}
"""The subcommands, by what somebody asks, and where they are: one file of ``cli/`` and a name."""


class _Commands(Mapping[str, click.Command]):
    """The subcommands by name; one that is asked for is loaded, and the others are not."""

    _places: ClassVar = {
        name: place for group in QUESTIONS.values() for name, place in group.items()
    }

    def __getitem__(self, name: str) -> click.Command:
        module, _, variable = self._places[name].partition(":")
        return getattr(import_module(f"poolwise.cli.{module}"), variable)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


_DEBUG = "poolwise.debug"


class _ByQuestion(ShortHelp, click.Group):
    """A group whose help lists the commands under the questions they answer.

    However a command ends, it ends with a sentence and an exit code of ``failures.ExitCode``.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 -- as click has it
        **extra: Any,
    ) -> Any:
        """Run a command; ``args`` is None where it runs as a program of its own."""
        name = prog_name or "poolwise"  # completion goes by it, however the program was started
        run = partial(super().main, args, name, complete_var, standalone_mode=False, **extra)
        # Other code that calls us gets errors as they are.
        if not standalone_mode:
            return run()
        # Called with words from Python: streams and signals belong to the caller.
        if args is not None:
            return sys.exit(ending_of(run))
        with as_a_program():
            try:
                return leave(ending_of(run))
            except EndedError as ended:
                return end_by_signal(ended.number)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed, so that it can be run again."""
        save_argv(ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand, and show where an error came from to those who ask."""
        try:
            with with_bars():
                return super().invoke(ctx)
        # click would end with 1 itself, which is our code for no.
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except Exception as error:
            if ctx.meta.get(_DEBUG):
                show_traceback(error)
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the questions."""
        del ctx
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per question."""
        del ctx
        write_questions(formatter, QUESTIONS, self.commands)


def _show_version(ctx: click.Context) -> None:
    """Say what is installed, and why it may be slow."""
    from poolwise import workflows

    click.echo("\n".join(workflows.about_installation()))
    ctx.exit()


@click.group(cls=_ByQuestion, commands=_Commands())
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda ctx, _param, value: _show_version(ctx) if value else None,
    help="Show the version, and whether the native library is in use.",
)
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _param, value: ctx.meta.update({_DEBUG: value}),
    help="Show where an error comes from, line by line of the code.",
)
def main() -> None:
    """Know how much your relevance judgments really tell you.

    poolwise scores TREC-style runs and says with each number how far the unjudged documents, and
    how far the choice of topics, could move it.
    """
