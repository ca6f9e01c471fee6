"""``poolwise convert``: judgments from the formats of other tools, and back."""

from pathlib import Path

import click

from poolwise.cli._option_forms import choice_option, file_option, switch
from poolwise.cli._options import output_option
from poolwise.cli._output import emit, show_file
from poolwise.cli._parameter_types import Registry, argument, command

__all__ = ["convert"]

_FORMATS = "collection.formats._catalogue:FORMATS"


@command(short_help="Convert judgments from one format into another.")
@argument(
    "judgments",
    type=click.Path(),
    help_text="Judgments to convert, in a file, plain or compressed.",
)
@click.option(
    "--from",
    "source",
    type=Registry(_FORMATS, also=("auto",)),
    default="auto",
    show_default=True,
    help="Read the file as this format; auto looks at how the file begins.",
)
@click.option(
    "--to",
    "target",
    type=Registry(_FORMATS),
    required=True,
    help="Write this format: TREC qrels (of a sample, five columns or prels), CSV, JSONL, the CSV "
    "or the book of Quepid, OpenSearch's judgmentRatings, Elasticsearch's _rank_eval, ratings of "
    "RRE, or JSONL of doccano.",
)
@file_option(
    "--topics",
    "texts",
    text="Look up the text of each topic in this file, for formats that know a query by its text: "
    "lines with topic, tab and text, or CSV, JSON or JSONL.",
)
@choice_option(
    "--conflicts",
    registry="collection._merged:CONFLICT_RULES",
    default="error",
    text="Resolve different grades of a document: keep the first, the last, the highest, the "
    "most frequent (majority) or their mean, where a format holds one; or refuse it "
    "(error).",
)
@click.option(
    "--index",
    default="judgments",
    show_default=True,
    metavar="NAME",
    help="Name of the index, the list or the book, in formats that have one.",
)
@switch(
    "--trust",
    text="Accept grades by a machine, which a column names. The result says so.",
)
@output_option("Write the judgments to this file; a name that ends in .gz is written compressed.")
def convert(
    judgments: str,
    *,
    source: str,
    target: str,
    texts: str | None,
    conflicts: str,
    index: str,
    trust: bool,
    output: Path,
) -> None:
    """Convert judgments from one format into another, and list what the new one cannot hold.

    Quepid, OpenSearch and others know a query by its text and have no topic ids: --topics names a
    file with both. Without it, the text is the topic.
    """
    from poolwise import workflows

    made = workflows.convert(
        judgments, target, source=source, texts=texts, conflicts=conflicts, index=index, trust=trust
    )
    show_file(output, made.content(output), made.content(""))
    emit(f"{output}: {' '.join(made.sentences())}\n")
