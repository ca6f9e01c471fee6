"""``poolwise``: the command and its subcommands, grouped by the question they answer."""

import click

from poolwise.cli.audit import audit
from poolwise.cli.compare import compare
from poolwise.cli.demo import demo
from poolwise.cli.estimate import estimate
from poolwise.cli.evaluate import evaluate
from poolwise.cli.explain import explain, measures
from poolwise.cli.output import PoolwiseGroup
from poolwise.cli.pool import pool
from poolwise.cli.power import power
from poolwise.cli.report import report
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
    "What to judge?": (pool,),
    "Enough topics?": (power,),
    "Can the method be trusted?": (study,),
    "How alike are runs?": (similarity,),
    "Help": (measures, explain, demo),
}
"""The subcommands, by what somebody asks."""


class _ByQuestion(PoolwiseGroup):
    """A group whose help lists the commands under the questions they answer."""

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
def main() -> None:
    """Know how much your relevance judgments really tell you.

    poolwise scores TREC-style runs and says with each number how far the unjudged documents, and
    how far the choice of topics, could move it.
    """


for _commands in QUESTIONS.values():
    for _command in _commands:
        main.add_command(_command)
