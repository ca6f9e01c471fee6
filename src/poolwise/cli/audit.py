"""``poolwise audit``: what is wrong or thin in these files."""

from typing import Any

from poolwise.cli._options import format_option, input_options, reading
from poolwise.cli._output import show
from poolwise.cli._parameter_types import command

__all__ = ["audit"]


@command(short_help="Check QRELS and RUNS before any score is believed.")
@input_options
@format_option
def audit(qrels: str, runs: tuple[str, ...], *, form: str | None, **options: Any) -> None:
    """Check QRELS and RUNS before any score is believed.

    The audit counts the judged documents in the first 10 and 100 ranks, ties and which of them
    could change a score, duplicates, topics that are missing, extra, or without relevant
    documents, and relevant documents that no run retrieved. It names the rank of the first
    unjudged document of each run.
    """
    from poolwise import workflows

    found = workflows.audit(qrels, runs, reading=reading(options))
    show([found], form)
