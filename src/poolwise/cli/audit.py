"""``poolwise audit``: what is wrong or thin in these files."""

from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    groups_option,
    input_options,
    is_given,
    kinds_option,
    pool_depth_option,
    pooled_option,
    reading,
)
from poolwise.cli._output import show
from poolwise.cli._parameter_types import command

__all__ = ["audit"]


@command(short_help="Check QRELS and RUNS before any score is believed.")
@input_options
@click.option(
    "--reuse",
    is_flag=True,
    help="Say for which new systems the judgments can be used again, and to which depth: each "
    "group of runs is left out of the pool in turn.",
)
@groups_option
@kinds_option
@pool_depth_option
@pooled_option
@format_option
def audit(
    qrels: str,
    runs: tuple[str, ...],
    *,
    reuse: bool,
    pool_depth: int | None,
    form: str | None,
    **options: Any,
) -> None:
    """Check QRELS and RUNS before any score is believed.

    The audit counts the judged documents in the first 10 and 100 ranks, ties and which of them
    could change a score, duplicates, topics that are missing, extra, or without relevant
    documents, and relevant documents that no run retrieved. It names the rank of the first
    unjudged document of each run.

    With --reuse it says for organisers what becomes of new systems of each kind: bias, judged
    share and orders of runs whose group is left out of the pool, by cut-off; relevant documents
    that they alone brought in; topics of which most judged documents are relevant.
    """
    from poolwise import workflows

    how = reading(options)
    if reuse:
        told = {name: options[name] or None for name in ("groups", "kinds", "pooled")}
        show([workflows.reuse(qrels, runs, depth=pool_depth, reading=how, **told)], form)
        return
    _refuse_without_reuse()
    show([workflows.audit(qrels, runs, reading=how)], form)


def _refuse_without_reuse() -> None:
    for name in ("groups", "kinds", "pool_depth", "pooled"):
        if is_given(name):
            raise click.UsageError(f"--{name.replace('_', '-')} goes with --reuse")
