"""``poolwise``: the command and its subcommands, grouped by the question they answer."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import click

from poolwise.cli.audit import audit
from poolwise.cli.compare import compare
from poolwise.cli.demo import demo
from poolwise.cli.design import design
from poolwise.cli.estimate import estimate
from poolwise.cli.evaluate import evaluate
from poolwise.cli.explain import explain, measures
from poolwise.cli.gating.gate import gate
from poolwise.cli.judging.merge import merge
from poolwise.cli.judging.next import next_documents
from poolwise.cli.judging.sample import sample
from poolwise.cli.pool import pool
from poolwise.cli.power import power
from poolwise.cli.replay import replay
from poolwise.cli.report import report
from poolwise.cli.running.delivery import remember_words
from poolwise.cli.running.failures import ReaderGoneError, ending_of, show_traceback
from poolwise.cli.running.program import as_a_program
from poolwise.cli.similarity import similarity
from poolwise.cli.standardize import standardize
from poolwise.cli.studies.group import study
from poolwise.cli.trec_eval import trec_eval

__all__ = ["main"]

QUESTIONS: dict[str, tuple[click.Command, ...]] = {
    "How good, how sure?": (
        *(evaluate, estimate, compare, report),
        *(standardize, audit, trec_eval),
    ),
    "What to judge?": (next_documents, merge, pool, sample),
    "Enough topics?": (power, design),
    "Can the method be trusted?": (study,),
    "Over time?": (similarity, gate, replay),
    "Help": (measures, explain, demo),
}
"""The subcommands, by what somebody asks."""


_DEBUG = "poolwise.debug"


class _ByQuestion(click.Group):
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
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        with as_a_program() if args is None else nullcontext():
            sys.exit(ending_of(run))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed, so that it can be run again."""
        remember_words(ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand, and show where an error came from to those who ask."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except Exception as error:
            if ctx.meta.get(_DEBUG):
                show_traceback(error)
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the questions."""
        del ctx
        return [str(command.name) for group in QUESTIONS.values() for command in group]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per question."""
        del ctx
        for question, commands in QUESTIONS.items():
            formatter.write_paragraph()
            formatter.write(f"{question}\n")  # a section would put a colon behind the question
            with formatter.indentation():
                formatter.write_dl([(str(c.name), c.get_short_help_str(60)) for c in commands])


@click.group(cls=_ByQuestion, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="poolwise")
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


for _commands in QUESTIONS.values():
    for _command in _commands:
        main.add_command(_command)
