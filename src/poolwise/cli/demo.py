"""``poolwise demo``: a simulated collection, evaluated."""

from collections.abc import Mapping
from pathlib import Path

import click

from poolwise.cli._delivery import (
    OutputPath,
    current_delivery,
    deliver_files,
    force_option,
    keep,
    made_by,
    require_replaceable,
)
from poolwise.cli._output import emit, show_page, show_tables, told
from poolwise.cli._parameter_types import command
from poolwise.errors import MissingExtraError, ResourceError

__all__ = ["demo"]


@command(short_help="Make a small collection, evaluate it, write its report.")
@click.option(
    "-o",
    "--output",
    type=OutputPath(folder=True),
    default="poolwise-demo",
    show_default=True,
    help="Write the qrels, the run files and the report into this folder.",
)
@force_option
def demo(output: Path) -> None:
    """Make a small collection, evaluate it, and suggest what to try next.

    The collection is simulated, so that its complete judgments are known: some systems took part
    in the pool, and some came later and return documents that nobody judged.
    """
    from poolwise import views, workflows

    made, files = workflows.make_demo(output)
    page = output / "report.html"
    _write(files, page, sidecar=output / "provenance.json")
    evaluation = workflows.evaluate(made.judgments, made.runs, ["nDCG@10"])
    tables = evaluation.tables()
    show_tables(told(evaluation, tables), evaluation.columns(per_topic=False), "table")
    emit(f"Files: {output}\n")
    try:
        views.require_vega()  # Missing, it should be missed before the work is done.
        overview = workflows.report(made.judgments, made.runs, groups=made.groups)
        show_page(page, overview, title="Demo")
        emit(f"Report: {page}\n")
    except (MissingExtraError, ResourceError) as error:
        emit(f"No report: {error}\n")
    emit(f"Try: poolwise evaluate {output / 'qrels.txt'} {output / 'runs'} -m AP\n")


def _write(files: Mapping[Path, bytes], page: Path, *, sidecar: Path) -> None:
    """Write the qrels and the runs, unless there are files of others in their places."""
    from poolwise.provenance._files import make_folder
    from poolwise.provenance._provenance import WITHOUT_FILES
    from poolwise.results._records import digest

    record = made_by(WITHOUT_FILES, digest(b"".join(files.values())))
    keep(record)
    if current_delivery().is_replay:
        return
    for folder in {path.parent for path in files}:
        make_folder(folder)
    for path in (*files, page):
        require_replaceable(path, sidecar=sidecar)
    deliver_files(files, record, sidecars=[sidecar])
