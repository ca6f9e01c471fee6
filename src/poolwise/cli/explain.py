"""``poolwise explain``, ``measures`` and ``cite``: what a measure is, and whom to cite."""

import sys

import click

from poolwise.cli._delivery import quiet_option, width_of
from poolwise.cli._option_forms import choice_option
from poolwise.cli._options import format_option
from poolwise.cli._output import emit, show_tables, told, warn
from poolwise.cli._parameter_types import ANY_MEASURES, argument, command

__all__ = ["cite", "explain", "measures"]


@command()
@argument(
    "measure",
    type=ANY_MEASURES,
    help_text="Explain the measure of this name, such as nDCG@10 or ndcg_cut_10.",
)
@choice_option(
    "--sql",
    "dialect",
    registry="measures._sql:DIALECTS",
    text="Print a query for this database that scores a run, in place of the explanation.",
)
def explain(measure: str, dialect: str | None) -> None:
    """Explain MEASURE, with the value of every parameter.

    The explanation has its definition, how it treats unjudged documents, its source and its other
    names.
    """
    from poolwise import workflows

    if dialect:
        emit(workflows.sql(measure, dialect=dialect))
        return
    explanation, width = workflows.explain(measure), width_of(sys.stdout)
    emit(f"{explanation.text(width) if width else explanation}\n")


@command()
@format_option
def measures(form: str | None) -> None:
    """List all measures, with an example of each name."""
    from poolwise import workflows

    catalogue = workflows.list_measures()
    show_tables(told(catalogue), catalogue.columns(), form)


@command(short_help="Print BibTeX of poolwise and of the methods of a result.")
@argument(
    "result",
    type=click.Path(),
    required=False,
    help_text="Cite the methods of this result, a file that poolwise wrote with -o, or its "
    "provenance.",
)
@quiet_option
def cite(result: str | None) -> None:
    """Print BibTeX of poolwise, and of the methods that RESULT used.

    The provenance of the result says which measures, tests and other methods these were. What each
    publication is cited for goes to standard error.
    """
    from poolwise import workflows

    cited = workflows.cite(result)
    emit(f"{cited.bibtex()}\n")
    warn(cited.sentences() if result else ["Name a result to cite the methods that it used."])
