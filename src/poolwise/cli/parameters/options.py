"""The arguments and options that subcommands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from poolwise.cli.output import FORMATS
from poolwise.cli.parameters.registry import Registry

__all__ = [
    "DEFAULT_MEASURES",
    "alpha_option",
    "format_option",
    "groups_option",
    "input_options",
    "measure_option",
    "method_option",
    "output_option",
    "per_topic_option",
    "plot_option",
    "pool_depth_option",
    "reading",
    "reading_options",
    "seed_option",
    "split_names",
    "stack",
    "topics_option",
    "workers_option",
]

DEFAULT_MEASURES = ("nDCG@10", "AP@100", "RBP(p=0.8)")
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
    help="Score by this measure, such as nDCG@10 or RBP(p=0.95). The option may be repeated, and "
    f"names may be separated by commas. [default: {', '.join(DEFAULT_MEASURES)}]",
    callback=lambda _ctx, _param, value: split_names(value) or DEFAULT_MEASURES,
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Print in this format. [default: table on a terminal, tsv in a pipe]",
)

method_option = click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="Treat unjudged documents in this way, such as condensed or bootstrap(prior='run'); all "
    "takes every treatment. The option may be repeated, and names may be separated by commas. "
    f"[default: {', '.join(DEFAULT_METHODS)}]",
    callback=lambda _ctx, _param, value: split_names(value) or DEFAULT_METHODS,
)

pool_depth_option = click.option(
    "--pool-depth",
    type=int,
    help="The depth of the pool, for treatments that ask for it. [default: the measure's cut-off]",
)

seed_option = click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of everything that is drawn at random.",
)

alpha_option = click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Differences with a p value below this level are called significant.",
)

workers_option = click.option(
    "--workers",
    type=int,
    default=1,
    show_default=True,
    help="The number of processes that share the work; -1 takes all cores.",
)

groups_option = click.option(
    "--groups",
    type=click.Path(),
    metavar="FILE",
    help="A file that says which group each run is of: a run and its group per line.",
)

per_topic_option = click.option(
    "--per-topic", is_flag=True, help="Print one row per topic as well."
)

plot_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the result into this file, whose ending says the format: pdf, svg or png.",
)


def output_option(help_text: str, *, default: str | None = None) -> Callable[[F], F]:
    """Return the option that names the file to write."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        required=default is None,
        default=default,
        show_default=default is not None,
        help=help_text,
    )


reading_options = stack(
    click.option(
        "--ties",
        type=Registry("collection.runs:TIE_RULES"),
        default="trec_eval",
        show_default=True,
        help="The order of documents with equal scores.",
    ),
    click.option(
        "--duplicates",
        type=Registry("collection.files.readers:DUPLICATES"),
        default="error",
        show_default=True,
        help="Which line to keep where a document stands twice in a topic.",
    ),
    click.option("--lenient", is_flag=True, help="Skip and count the lines that cannot be read."),
    click.option(
        "--max-ratio",
        type=float,
        default=1000,
        show_default=True,
        help="Refuse a compressed file that unfolds to more than this many times its size.",
    ),
)

input_options = stack(
    click.argument("qrels", type=click.Path()),
    click.argument("runs", type=click.Path(), nargs=-1, required=True),
    reading_options,
)

topics_option = click.option(
    "--topics",
    type=Registry("evidence.topic_choice:TOPIC_RULES"),
    default="judged",
    show_default=True,
    help="All judged topics, where a topic that a run lacks scores 0, or those every run answers.",
)


def split_names(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split at the commas that stand outside parentheses.

    Examples
    --------
    >>> split_names(("AP,RBP(p=0.8,rel=2)", "P@10"))
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
    """Take the options that say how files are read out of a command's options."""
    return {
        "ties": options.pop("ties"),
        "duplicates": options.pop("duplicates"),
        "malformed": "skip" if options.pop("lenient") else "error",
        "max_ratio": options.pop("max_ratio"),
    }
