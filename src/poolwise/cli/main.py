"""``poolwise``: the command and its subcommands."""

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


@click.group(cls=PoolwiseGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="poolwise")
def main() -> None:
    """Know how much your relevance judgments really tell you.

    poolwise scores TREC-style runs and says with each number how far the unjudged documents, and
    how far the choice of topics, could move it.
    """


for command in (
    audit,
    compare,
    demo,
    estimate,
    evaluate,
    explain,
    measures,
    pool,
    power,
    report,
    similarity,
    standardize,
    study,
    trec_eval,
):
    main.add_command(command)
