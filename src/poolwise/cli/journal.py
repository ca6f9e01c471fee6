"""``poolwise journal``: an experiment by a plan that is written down before it."""

from typing import Any

import click

from poolwise.cli._option_forms import file_option
from poolwise.cli._options import (
    alpha_option,
    power_option,
    qrels_argument,
    reading_options,
    rows_option,
    runs_argument,
    score_tables,
    shows,
    topics_option,
)
from poolwise.cli._parameter_types import MEASURES, InOrder, argument, command

__all__ = ["journal"]

_journal_argument = argument(
    "file",
    metavar="FILE",
    type=click.Path(),
    help_text="File of the journal, to which entries are added and in which none is changed.",
)
_date_option = click.option(
    "--date", default="", help="Day of the entry, as 2026-11-18. [default: today]"
)


@click.group(cls=InOrder, short_help="Run an experiment by a plan that is written beforehand.")
def journal() -> None:
    """Run an experiment with two systems by a plan that is written down beforehand.

    start settles the difference to detect and the first number of topics; step adds the scores of
    a round, and says how many topics to judge next; finish makes the one test, with a p value that
    allows for the design. Every entry has the hash of the one before it. A changed entry, a round
    that was skipped and a test that comes too early are errors.
    """


def _open(file: str) -> Any:
    from poolwise import workflows

    return workflows.journal(file)


@command(short_help="Write the plan, and show how many topics to judge first.")
@_journal_argument
@click.option(
    "--delta",
    type=float,
    required=True,
    help="Plan to detect this difference between mean scores: the smallest that would matter.",
)
@click.option(
    "--sigma",
    type=float,
    required=True,
    help="Assume this standard deviation of the per-topic differences; poolwise power shows that "
    "of past runs.",
)
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    required=True,
    metavar="MEASURE",
    help="Score both systems by this measure.",
)
@power_option
@alpha_option
@click.option(
    "--look-every",
    type=click.IntRange(0),
    default=0,
    metavar="TOPICS",
    help="Test for significance each time this number of topics is added, by a boundary "
    "that allows for repeated tests. [default: test once, when the power is reached]",
)
@click.option(
    "--most",
    type=click.IntRange(0),
    default=0,
    metavar="TOPICS",
    help="Judge this number of topics at most, even if that is short of power. [default: no limit]",
)
@file_option(
    "--order",
    metavar="LIST",
    text="Use the topics in the order of this file, one topic in each line: each round has "
    "the next ones.",
)
@_date_option
@shows
def start(file: str, *, order: str | None, **options: Any) -> Any:
    """Write the plan of an experiment into FILE, which must not be there yet.

    The number of topics of the first round follows from --delta and --sigma; further rounds follow
    from the deviations that are seen.
    """
    return _open(file).start(order=order or (), **options)


@command(short_help="Add a round, and show what comes next.")
@_journal_argument
@qrels_argument(required=False)
@runs_argument(required=False)
@file_option(
    "--scores",
    text="Use the per-topic scores of this file, in place of QRELS and RUNS: CSV with one row per "
    "topic and one column per system.",
)
@rows_option
@topics_option
@reading_options
@_date_option
@shows
def step(file: str, *, date: str, **options: Any) -> Any:
    """Add a round to FILE: the two RUNS, scored by QRELS on all topics judged so far.

    The topics must be those that the journal asks for, and those of earlier rounds must have the
    scores that they had. The answer is how many topics to judge next, or that it is time to finish.
    """
    results = _open(file)
    options["measures"] = (results.show().measure,)
    options["scores"] = (options["scores"],) if options["scores"] else ()
    return results.step(score_tables(options)[0], date=date)


@command(short_help="Test once, and print the paragraph for the paper.")
@_journal_argument
@_date_option
@shows
def finish(file: str, *, date: str) -> Any:
    """Test the difference by all rounds of FILE, write the result there, and close it.

    The p value is calibrated for the design that was run, and stands beside that of the plain t
    test; below is a paragraph to put into a paper. A journal that is finished is shown again.
    """
    return _open(file).finish(date=date)


@command(short_help="Check a journal, and show its state.")
@_journal_argument
@click.option(
    "--seal",
    default="",
    metavar="HASH",
    help="Check that an entry has this hash, which was noted earlier; its first digits are enough.",
)
@shows
def show(file: str, *, seal: str) -> Any:
    """Check every entry of FILE, and show what comes next, or the result."""
    return _open(file).show(seal=seal)


for _one in (start, step, finish, show):
    journal.add_command(_one)
