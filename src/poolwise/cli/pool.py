"""``poolwise pool``: a pool to judge, or the judgments that a pool would have had."""

from typing import Any

import click

from poolwise.cli._delivery import current_delivery, is_trec
from poolwise.cli._option_forms import file_option
from poolwise.cli._options import (
    format_option,
    groups_option,
    ranks_option,
    reading,
    reading_options,
    runs_argument,
    seed_option,
    texts_options,
)
from poolwise.cli._output import emit, show_documents, show_file
from poolwise.cli._parameter_types import command

__all__ = ["pool"]


@command(short_help="Make a pool to judge from runs, or the judgments of a pool.")
@runs_argument()
@reading_options
@click.option("--depth", type=int, required=True, help="Pool this number of ranks of each run.")
@file_option(
    "--grades-from",
    metavar="QRELS",
    text="Write the judgments of the pool as qrels, with the grades of this file, in place of the "
    "list of documents to judge.",
)
@click.option(
    "--leave-out",
    "left_out",
    multiple=True,
    metavar="NAME",
    help="Do not pool this run, or this group of runs. The option may be repeated.",
)
@groups_option
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Keep this share of the judgments of each topic, drawn at random, with --grades-from.",
)
@seed_option
@texts_options
@ranks_option
@format_option
def pool(
    runs: tuple[str, ...],
    *,
    depth: int,
    grades_from: str | None,
    left_out: tuple[str, ...],
    groups: str | None,
    rate: float,
    seed: int,
    queries: str | None,
    documents: str | None,
    ranks: bool,
    form: str | None,
    **options: Any,
) -> None:
    """List exactly the documents in the top DEPTH of RUNS, which are to be judged.

    They are in the order of topics and document ids, so that nobody who judges them sees which run
    found them. A file is a sheet with a column for the grades, or TREC qrels with the grade -1
    where its ending is .txt, .qrels or none; merge takes it back, done or half-done. With
    --grades-from, it has the judgments that this pool would have had: documents without a grade
    stay unjudged, and those of no pooled run are left out. With --rate, some of these judgments are
    taken away at random.
    """
    from poolwise import workflows

    how: dict[str, Any] = {
        "depth": depth,
        "leave_out": left_out,
        "groups": groups,
        "reading": reading(options),
    }
    if grades_from is not None:
        _write_judgments(grades_from, runs, form, {**how, "rate": rate, "rng": seed})
        return
    if rate != 1:
        raise click.UsageError("--rate thins judgments, and needs --grades-from")
    to_judge = workflows.pool_to_judge(runs, **how, queries=queries, documents=documents)
    output = current_delivery().output
    if output is None or ranks or form is not None or not is_trec(output):
        show_documents(to_judge, form, ranks=ranks)
        return
    pooled = to_judge.ungraded()
    plain = workflows.qrels_bytes(pooled, "")
    show_file(output, workflows.qrels_bytes(pooled, output), plain)
    emit(f"{output}: {' '.join(to_judge.sentences())}\n")


def _write_judgments(
    qrels: str, runs: tuple[str, ...], form: str | None, how: dict[str, Any]
) -> None:
    from poolwise import workflows
    from poolwise.words import counted

    output = current_delivery().output
    if output is None or form is not None:
        raise click.UsageError(
            "The judgments of a pool are written as TREC qrels into a file. Hint: name the file "
            "with -o FILE, and leave --format out."
        )
    reduced = workflows.pool(qrels, runs, **how)
    plain = workflows.qrels_bytes(reduced, "")
    show_file(output, workflows.qrels_bytes(reduced, output), plain)
    emit(f"{output}: {len(reduced):,} of {counted(len(reduced.codes), 'judgment')} are kept.\n")
