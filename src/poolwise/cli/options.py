"""The arguments and options that subcommands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from poolwise.cli.output import FORMATS

__all__ = [
    "DEFAULT_MEASURES",
    "format_option",
    "groups_option",
    "input_options",
    "measure_option",
    "method_option",
    "pool_depth_option",
    "reading",
    "reading_options",
    "seed_option",
    "split_measures",
    "stack",
    "topics_option",
    "workers_option",
]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)")
DEFAULT_METHODS = ("nonrelevant", "condensed", "exact", "bootstrap")

F = TypeVar("F", bound=Callable[..., Any])


def stack(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Apply decorators so that their options are listed in the order given."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, such as nDCG@10 or RBP(p=0.95); may be repeated or comma-separated. "
    f"[default: {', '.join(DEFAULT_MEASURES)}]",
    callback=lambda _ctx, _param, value: split_measures(value) or DEFAULT_MEASURES,
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How to print. [default: table on a terminal, tsv in a pipe]",
)

method_option = click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="A treatment of unjudged documents, such as condensed or bootstrap(prior='run'); may be "
    f"repeated or comma-separated; all for every one. [default: {', '.join(DEFAULT_METHODS)}]",
    callback=lambda _ctx, _param, value: split_measures(value) or DEFAULT_METHODS,
)

pool_depth_option = click.option(
    "--pool-depth",
    type=int,
    help="The depth of the pool, for methods that ask. [default: the measure's cut-off]",
)

seed_option = click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of everything that is drawn at random.",
)

workers_option = click.option(
    "--workers", type=int, default=1, show_default=True, help="Processes; -1 takes all cores."
)

groups_option = click.option(
    "--groups",
    type=click.Path(),
    metavar="FILE",
    help="Which group each run is of: a run and its group per line.",
)

reading_options = stack(
    click.option(
        "--ties",
        type=click.Choice(("trec_eval", "trec_eval9", "rank", "docid")),
        default="trec_eval",
        show_default=True,
        help="How documents with equal scores are ordered.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(("error", "first", "last", "best")),
        default="error",
        show_default=True,
        help="Which line to keep where a run names a document twice for a topic.",
    ),
    click.option("--lenient", is_flag=True, help="Skip and count malformed lines."),
)

input_options = stack(
    click.argument("qrels", type=click.Path()),
    click.argument("runs", type=click.Path(), nargs=-1, required=True),
    reading_options,
)

topics_option = click.option(
    "--topics",
    type=click.Choice(("judged", "common")),
    default="judged",
    show_default=True,
    help="All judged topics (a topic that a run lacks scores 0), or those every run answers.",
)


def split_measures(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split at the commas that stand outside parentheses.

    Examples
    --------
    >>> split_measures(("AP,RBP(p=0.8,rel=2)", "P@10"))
    ('AP', 'RBP(p=0.8,rel=2)', 'P@10')
    """
    names, depth = [""], 0
    for character in ",".join(values):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return tuple(name.strip() for name in names if name.strip())


def reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options that say how runs are read out of a command's options."""
    return {
        "ties": options.pop("ties"),
        "duplicates": options.pop("duplicates"),
        "malformed": "skip" if options.pop("lenient") else "error",
    }
