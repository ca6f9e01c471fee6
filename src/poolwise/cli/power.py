"""``poolwise power``: how many topics show how large a difference."""

from typing import Any

import click

from poolwise.cli.options import format_option
from poolwise.cli.output import emit
from poolwise.cli.scored_input import read_tables, scored_input

__all__ = ["power"]

SHOWN = (
    "measure",
    "topics",
    "power",
    "delta",
    "sigma",
    "alpha",
    "sigma_median",
    "sigma_95",
    "detectable_median",
    "detectable_95",
    "topics_needed",
)
"""What a table shows; tsv, csv and json have every column."""


@click.command(short_help="Plan an experiment: topics, difference, or power.")
@scored_input
@click.option("--delta", type=float, help="True difference of mean scores.")
@click.option("--sigma", type=float, help="Standard deviation of the per-topic differences.")
@click.option("--topic-count", "size", type=float, help="Number of topics.")
@click.option("--power", "chance", type=float, help="Chance to find it.  [default: 0.8]")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--one-sided", is_flag=True, help="The test is for one direction only.")
@format_option
def power(
    *,
    delta: float | None,
    sigma: float | None,
    size: float | None,
    chance: float | None,
    alpha: float,
    one_sided: bool,
    form: str | None,
    **given: Any,
) -> None:
    """Plan an experiment: topics, detectable difference, or power of a paired t test.

    From numbers: give all but one of --delta, --sigma, --topic-count and --power. From RUNS or
    --scores: what the differences between these systems say about their topics.
    """
    import poolwise as pw

    alternative = "one-sided" if one_sided else "two-sided"
    if given["qrels"] or given["scores"]:
        if (delta, sigma, size) != (None, None, None):
            raise click.UsageError("give files, or numbers, not both")
        planned: dict[str, Any] = {"power": chance or 0.8}
        planned |= {"alpha": alpha, "alternative": alternative}
        found: list[Any] = [pw.collection_power(table, **planned) for table in read_tables(given)]
    else:
        numbers = {"delta": delta, "sigma": sigma, "topics": size, "power": chance}
        found = [pw.power_analysis(**_solvable(numbers), alpha=alpha, alternative=alternative)]
    columns = pw.stack_columns([one.columns() for one in found])
    shown = {name: cells for name, cells in columns.items() if name in SHOWN}
    said = [sentence for one in found for sentence in one.sentences()]
    emit([pw.table_of(shown, notes=said)], columns, form)


def _solvable(numbers: dict[str, float | None]) -> dict[str, float | None]:
    """Ask for a power of 0.8 where it and another number are missing."""
    missing = [name for name, value in numbers.items() if value is None]
    return numbers | {"power": 0.8} if len(missing) > 1 and "power" in missing else numbers
