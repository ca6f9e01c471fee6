"""``poolwise explain`` and ``poolwise measures``: what a measure is, and which there are."""

from poolwise.cli.output import emit, show_tables
from poolwise.cli.parameters.described import argument, command
from poolwise.cli.parameters.measure_names import ANY_MEASURES
from poolwise.cli.parameters.options import format_option

__all__ = ["explain", "measures"]


@command()
@argument(
    "measure",
    type=ANY_MEASURES,
    help_text="Explain the measure of this name, such as nDCG@10 or ndcg_cut_10.",
)
def explain(measure: str) -> None:
    """Explain MEASURE, with the value of every parameter.

    The explanation has its definition, how it treats unjudged documents, its source and its other
    names.
    """
    from poolwise import workflows

    emit(f"{workflows.explain(measure)}\n")


@command()
@format_option
def measures(form: str | None) -> None:
    """List all measures, with an example of each name."""
    from poolwise import workflows

    found = workflows.list_measures()
    show_tables(found.tables(), found.columns(), form)
