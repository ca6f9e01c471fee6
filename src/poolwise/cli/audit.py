"""``poolwise audit``: what is wrong or thin in these files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._delivery import OutputPath
from poolwise.cli._option_forms import file_option, switch
from poolwise.cli._options import (
    documents_option,
    format_option,
    grades_option,
    groups_option,
    input_options,
    is_given,
    kinds_option,
    pool_depth_option,
    pooled_option,
    queries_option,
    reading,
)
from poolwise.cli._output import show, show_file
from poolwise.cli._parameter_types import command

if TYPE_CHECKING:
    from poolwise.collection._reading import Reading

__all__ = ["audit"]


@command(short_help="Check QRELS and RUNS before any score is believed.")
@input_options
@switch(
    "--reuse",
    text="Show for which new systems the judgments can be used again, and to which depth: each "
    "group of runs is left out of the pool in turn.",
)
@switch(
    "--rules",
    text="Check the judgments against themselves: labels that contradict each other, topics that "
    "cannot tell runs apart, documents that are not there. More rules ask for --queries, "
    "--documents and --grades.",
)
@switch(
    "--origin",
    text="Test whether the judgments were made with the help of one run, or of one group of "
    "--groups: a circular gold set.",
)
@queries_option
@grades_option
@documents_option
@file_option(
    "--hashes",
    text="File with the SHA-256 of what documents said when they were judged: that of "
    "--save-hashes, or the labels of `poolwise campaign export`. It goes with --documents.",
)
@click.option(
    "--save-hashes",
    type=OutputPath(),
    metavar="FILE",
    help="File for the SHA-256 of what judged documents say now, to be kept for the next time.",
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
    rules: bool,
    origin: bool,
    queries: str | None,
    grades: tuple[float, ...],
    documents: str | None,
    hashes: str | None,
    save_hashes: Path | None,
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

    With --rules it looks for judgments that contradict each other or say nothing, one rule in each
    row, with the worst cases and what to do. With --origin it tests whether one run made the
    judgments: whether far more of what only it has is judged than of any other run.

    With --documents it says whether judged documents still say what was judged: the same, moved to
    another id, changed, or gone, as after a corpus is cut into other passages.
    """
    from poolwise import workflows

    how = reading(options)
    if rules + origin + reuse > 1:
        raise click.UsageError("--rules, --origin and --reuse are one question each")
    if not rules and (queries is not None or grades):
        raise click.UsageError("--queries and --grades go with --rules")
    if rules:
        _refuse_options("--reuse", ("groups", "kinds", "pool_depth", "pooled"))
        _refuse_options("--documents alone", ("hashes", "save_hashes"))
        inputs = qrels, runs
        checked = workflows.audit_judgments(
            *inputs, queries=queries, documents=documents, grades=grades, reading=how
        )
        show([checked], form)
        return
    if origin:
        _refuse_options("--reuse", ("kinds", "pooled"))
        _refuse_options("--rules", ("documents",))
        groups = options["groups"] or None
        label_origin = workflows.audit_origin(
            qrels, runs, groups=groups, depth=pool_depth, reading=how
        )
        show([label_origin], form)
        return
    if reuse:
        settings = {name: options[name] or None for name in ("groups", "kinds", "pooled")}
        show([workflows.reuse(qrels, runs, depth=pool_depth, reading=how, **settings)], form)
        return
    _refuse_options("--reuse", ("groups", "kinds", "pool_depth", "pooled"))
    if documents is not None:
        _audit_documents(qrels, documents, hashes=hashes, save=save_hashes, how=how, form=form)
        return
    if hashes is not None or save_hashes is not None:
        raise click.UsageError("--hashes and --save-hashes go with --documents")
    show([workflows.audit(qrels, runs, reading=how)], form)


def _audit_documents(
    qrels: str,
    documents: str,
    *,
    hashes: str | None,
    save: Path | None,
    how: "Reading",
    form: str | None,
) -> None:
    """Say what became of judged documents, and keep what they say now."""
    from poolwise import workflows

    changes = workflows.audit_documents(qrels, documents, hashes=hashes, reading=how)
    if save is not None:
        show_file(save, workflows.document_hashes(changes))
    show([changes], form)


def _refuse_options(asked: str, names: Sequence[str]) -> None:
    """Refuse options that go with another question."""
    for name in names:
        if is_given(name):
            raise click.UsageError(f"--{name.replace('_', '-')} goes with {asked}")
