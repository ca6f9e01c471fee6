"""``poolwise standardize``: scores measured from what reference runs achieve on each topic."""

from typing import Any

import click

from poolwise.cli._delivery import OutputPath
from poolwise.cli._option_forms import choice_option, file_option, names_option
from poolwise.cli._options import (
    card_option,
    format_option,
    reading,
    score_tables,
    scored_input,
    scores_options,
)
from poolwise.cli._output import show_file, show_scores
from poolwise.cli._parameter_types import command

__all__ = ["standardize"]

_CHOSEN = (
    *("references", "factors", "reference_count", "card"),
    *("smoothing", "mapping", "prior", "ddof", "level_by"),
)


@command(short_help="Standardize scores by the scores of reference runs.")
@scored_input
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME",
    help="Run to take the factors from. The option may be repeated. [default: all runs]",
)
@file_option(
    "--factors", text="File of factors that --save wrote, or of published ones (NAME.mn.csv)."
)
@click.option(
    "--references",
    "reference_count",
    type=click.IntRange(2),
    metavar="N",
    help="Number of runs that published factors come from, which --smoothing and --ddof need.",
)
@card_option
@click.option(
    "--ddof",
    type=click.IntRange(0, 1),
    help="Divide the variance by the number of reference runs (0), or by one less (1). "
    "[default: 0 for runs given here, and for files and cards what they have; published ones have "
    "1]",
)
@names_option(
    "--level-by",
    text="Run that was made on other collections, too: the mean of the standardized scores of such "
    "runs becomes 0.",
)
@click.option(
    "--save",
    type=OutputPath(),
    metavar="FILE",
    help="Write the factors that are used to this file.",
)
@choice_option(
    "--smoothing",
    registry="scores._standardization:SMOOTHINGS",
    text="Guard against outliers where reference runs are few or similar: add two virtual runs "
    "that score 0 and 1 (extremes), add the run itself (self), or draw the factors of a topic "
    "towards their mean over topics (background), or add virtual runs of --prior (prior). "
    "[default: that of the card, or none]",
)
@click.option(
    "--prior",
    default="0.5,0.2887,2",
    show_default="0.5,0.2887,2: two runs of the uniform distribution",
    callback=lambda _ctx, param, value: _prior(param, value),
    metavar="MEAN,DEVIATION,RUNS",
    help="Add this number of virtual runs, whose scores have this mean and standard deviation, "
    "for the smoothing of that name.",
)
@choice_option(
    "--mapping",
    registry="scores._standardization:MAPPINGS",
    default="none",
    text="Map standardized scores to the range from 0 to 1 by the distribution function of this "
    "distribution (normal, t1); or map scores to all numbers first, standardize, and map back "
    "(logit, probit).",
)
@scores_options
@format_option
def standardize(
    *, per_topic: bool, details: bool, explain: bool, form: str | None, **typed: Any
) -> None:
    """Standardize scores by the mean and standard deviation of reference runs on each topic.

    Hard and easy topics then have the same weight, and scores on different topics can be compared.
    The measure AP becomes sAP.
    """
    from poolwise import workflows

    # Standardized ranges are made from the ends of plain ones, so that these are needed.
    plain = score_tables(dict(typed), bounds="exact")
    # Virtual runs have a part in one smoothing alone, and are recorded for that one alone.
    chosen = [name for name in _CHOSEN if name != "prior" or typed["smoothing"] == "prior"]
    options = {name: typed[name] for name in chosen if typed[name] is not None}
    if typed["card"] and typed["qrels"]:
        options |= {"judgments": typed["qrels"], "reading": reading(typed)}
    evaluation = workflows.standardize_tables(plain, **options)
    if typed["save"]:
        kept = (typed[name] for name in ("references", "factors", "mapping"))
        _refuse_to_save(typed)
        factors = workflows.factors_file(plain, *kept)
        show_file(typed["save"], factors)
    show_scores(evaluation, form, per_topic=per_topic, details=details, explain=explain)


def _refuse_to_save(options: dict[str, Any]) -> None:
    if options["card"]:
        raise click.UsageError("--save writes factors of runs or files; a card has its own")


def _prior(param: click.Parameter, text: str) -> tuple[float, float, int]:
    """Read mean, deviation and number of virtual runs."""
    try:
        mean, deviation, systems = text.split(",")
        return float(mean), float(deviation), int(systems)
    except ValueError:
        raise click.BadParameter(
            f"it takes a mean, a deviation and a number of runs; got {text!r}. Hint: write "
            "0.2,0.2,5.",
            param=param,
        ) from None
