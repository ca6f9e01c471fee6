"""How commands show what they found, and how far they are."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._delivery import (
    FOR_PROGRAMS,
    HOLDS_RECORD,
    MARKED_UP,
    Result,
    current_delivery,
    deliver_file,
    deliver_provenance,
    for_standard_error,
    form_of_file,
    keep,
    made_by,
)
from poolwise.errors import OutputError
from poolwise.results._progress import progress_to
from poolwise.words import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from poolwise.findings._overview import Overview
    from poolwise.findings._side_by_side import SideBySide
    from poolwise.findings.gating._gate import Gate
    from poolwise.judging._lists import DocumentList
    from poolwise.provenance._provenance import Provenance
    from poolwise.results._columns import Columns, RowParts
    from poolwise.results._finding import Finding
    from poolwise.results._records import Record
    from poolwise.results._tables import Table
    from poolwise.scores._scoring import Evaluation
    from poolwise.words import Askable

__all__ = [
    "Bars",
    "below",
    "draw",
    "emit",
    "is_for_people",
    "progress",
    "show",
    "show_documents",
    "show_file",
    "show_junit",
    "show_lines",
    "show_page",
    "show_scores",
    "show_tables",
    "shows_tables",
    "told",
    "warn",
    "with_bars",
]


def show(findings: "Sequence[Finding]", form: str | None, *, keys: bool = True) -> None:
    """Print findings: tables with what they say for people, columns for programs.

    Columns have no place for what a finding says, so that it goes to standard error. Without
    ``keys`` there are sentences, and no tables.
    """
    from poolwise.results._columns import stack_columns

    tables = [table for finding in findings for table in told(finding, None if keys else ())]
    columns = stack_columns([finding.columns() for finding in findings])
    # Tables have the sentences below them; beside columns they go to standard error.
    said = [sentence for finding in findings for sentence in finding.sentences()]
    remarks = said if _chosen(form) in FOR_PROGRAMS else ()
    claims = [claim for finding in findings for claim in finding.claims()]
    origin = findings[0].provenance
    show_tables(tables, columns, form, provenance=origin, remarks=remarks, claims=claims)


def show_documents(listed: "DocumentList", form: str | None, *, ranks: bool) -> None:
    """Print documents to judge, as somebody who plans wants them, or as assessors may see them.

    Whatever goes into a file or a pipe may come to people who judge: unless ranks are asked for, it
    is a sheet without them. JSON is for programs, and has everything.
    """
    if ranks or not _may_reach_assessors(form):
        show([listed], form)
        return
    show([listed.sheet()], form)
    warn(listed.sentences())


def _may_reach_assessors(form: str | None) -> bool:
    delivery, chosen = current_delivery(), _chosen(form)
    if chosen == "json":
        return False
    if delivery.output is not None or chosen in MARKED_UP:
        return True
    # With a record, what is printed must not depend on where it goes, or nobody could replay it.
    on_record = delivery.provenance is not None or delivery.is_replay
    return not (on_record or chosen == "table" or sys.stdout.isatty())


def show_tables(
    tables: "Sequence[Table]",
    columns: "Columns | RowParts",
    form: str | None,
    *,
    provenance: "Provenance | None" = None,
    remarks: Sequence[str] = (),
    claims: "Sequence[Askable]" = (),
    record_beside: bool = False,
    beside: "Mapping[str, Any] | None" = None,
) -> None:
    """Print or write tables for people or columns for programs, and say what produced them.

    Without a wish, a terminal gets tables, a pipe gets tab-separated values, and the ending of a
    file says its format. What produced the numbers goes with them; with ``record_beside`` a file
    holds no long record: what goes into a paper should not. What is ``beside`` goes into such a
    record as well.
    """
    from poolwise.provenance._provenance import WITHOUT_FILES

    delivery, origin = current_delivery(), provenance or WITHOUT_FILES
    result = Result(tables, columns, _chosen(form), safe_csv=delivery.safe_csv, claims=claims)
    # A replay goes the way of files, so that it keeps what would have been written.
    if delivery.output is None and not delivery.is_replay:
        _print(result, origin)
    else:
        _write(result, origin, record_beside=record_beside, further=beside or {})
    if not delivery.is_silent:
        # All lines hash what was read.
        made = origin.lines() if delivery.verbose else origin.short_lines()
        warn([*(made if provenance else ()), *remarks])


def show_scores(
    evaluation: "Evaluation",
    form: str | None,
    *,
    per_topic: bool,
    details: bool = False,
    explain: bool = False,
    further: "Sequence[Table]" = (),
    remarks: Sequence[str] = (),
) -> None:
    """Print the means by all measures in one table, or with details a leaderboard for each measure.

    The scores of the topics stand below if they are wanted; so do further tables, or else what they
    say in remarks.
    """
    # Programs get columns alone: leaderboards and their sentences would be made for nobody.
    tables = (
        _leaderboards(evaluation, details=details, explain=explain) if shows_tables(form) else []
    )
    tables += _topic_tables(evaluation) if tables and per_topic else []
    rows = evaluation.row_parts(per_topic=per_topic)
    # The tables say it where there are any.
    left_out = (
        []
        if tables
        else [(m, said) for m, scores in evaluation.items() if (said := scores.left_out())]
    )
    sentences = [] if tables else remarks
    notes = [*evaluation.remarks, *(f"{measure}: {said}" for measure, said in left_out), *sentences]
    claims = _claims(evaluation) if _chosen(form) == "json" else ()
    origin = evaluation.provenance
    shown = [*tables, *further] if tables else []
    show_tables(shown, rows, form, provenance=origin, remarks=notes, claims=claims)


def _claims(evaluation: "Evaluation") -> "Sequence[Askable]":
    """Return what is claimed of the means: only JSON has a place for it."""
    from poolwise import workflows

    return [claim for table in evaluation.scores for claim in workflows.score_claims(table)]


def _leaderboards(evaluation: "Evaluation", *, details: bool, explain: bool) -> "list[Table]":
    """Return the matrix of means, or leaderboards, each with what it says."""
    if evaluation.is_matrix and not details:
        return below(
            evaluation.tables(),
            evaluation.in_full() if explain else (*evaluation.in_short(), _MORE),
        )
    if len(evaluation) == 1:
        # The answer has what the title would say.
        (table,), answer = evaluation.leaderboards(), evaluation.answer()
        said = evaluation.in_full() if explain else (answer, *evaluation.each_in_short()[0])
        return below([replace(table, title="")], said, answer=answer)
    sentences = evaluation.each_in_full() if explain else evaluation.each_in_short()
    both = zip(evaluation.leaderboards(), sentences, strict=True)
    return [t for table, said in both for t in below([table], said)]


_MORE = "More with --details and --explain."


def _topic_tables(evaluation: "Evaluation") -> "list[Table]":
    judged = evaluation.beside or (None,) * len(evaluation)
    both = zip(evaluation.values(), judged, strict=True)
    return [scores.topic_table(shares) for scores, shares in both]


_SHORT = 1024
"""Characters of a record that a table for a paper may hold."""


def _write(
    result: Result,
    origin: "Provenance",
    *,
    record_beside: bool = False,
    further: "Mapping[str, Any]",
) -> None:
    """Write a result to the file that was asked for; a replay keeps it."""
    delivery, record = current_delivery(), _record(result, origin)
    beside = record_beside and result.form in MARKED_UP and len(str(record)) > _SHORT
    record = {**record, **further} if beside else record
    inside = {} if beside else record
    if delivery.is_replay:
        text = result.text(inside) if result.form in MARKED_UP else ""
        keep(record, result.columns, text, result.claimed())
    elif delivery.output is not None:
        deliver_file(
            delivery.output,
            result.content(inside),
            record,
            holds_record=result.form in HOLDS_RECORD and not beside,
            with_provenance=True,
        )


def _print(result: Result, origin: "Provenance") -> None:
    """Print a result, and write its record where somebody wants it."""
    # A record has the hashes of all inputs: it is made only where it is kept.
    wanted = current_delivery().provenance or result.form in HOLDS_RECORD
    record = _record(result, origin) if wanted else {}
    if result.form == "table":
        require_standard_output()
        result.print()
    else:
        emit(
            _sealed(result.text(record, ascii_only=_is_ascii())) if record else result.text(record)
        )
    deliver_provenance(record)


def _sealed(text: str) -> str:
    """Return a text with the seal of its record, for whoever sends it to a file."""
    from poolwise.results._seals import sealed

    return sealed(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _record(result: Result, origin: "Provenance") -> "Record":
    return made_by(origin, result.digest())


def _is_ascii() -> bool:
    """Say whether standard output takes characters of ASCII only, or of some other old set."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return "utf" not in encoding.lower()


def emit(text: str) -> None:
    """Print text as it is; a terminal gets what would command it as escapes."""
    if current_delivery().is_replay:
        return
    require_standard_output()
    # click.echo would take away what looks like a colour, and replace what ASCII does not have.
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def require_standard_output() -> None:
    """Raise where standard output is closed, so that nobody takes silence for a result."""
    if sys.stdout is None:
        raise OutputError(
            "standard output", "it must be open", remedy="write to a file with --output FILE"
        )


def told(finding: "Finding", tables: "Sequence[Table] | None" = None) -> "list[Table]":
    """Return the tables of a finding with all that it says, of which its answer stands above."""
    shown = finding.tables() if tables is None else tables
    return below(shown, finding.sentences(), answer=finding.answer())


def below(
    tables: "Sequence[Table]", sentences: Sequence[str], *, answer: str | None = None
) -> "list[Table]":
    """Put sentences below the last of some tables; a terminal shows the answer above the first."""
    from poolwise.results._tables import Table

    *others, last = tables or [Table((), ())]
    first, *rest = (*others, replace(last, notes=(*last.notes, *sentences)))
    return [replace(first, answer=answer), *rest]


def joined_columns(parts: "Sequence[Columns]") -> "Columns":
    """Put tables below each other; a column that one of them lacks is empty there."""
    names = dict.fromkeys(name for part in parts for name in part)
    sizes = [len(next(iter(part.values()), ())) for part in parts]
    both = list(zip(parts, sizes, strict=True))
    return {
        name: [cell for part, n in both for cell in part.get(name, [None] * n)] for name in names
    }


def _chosen(form: str | None) -> str:
    """Return the wished format, that of the file's ending, or what fits where the output goes."""
    path = current_delivery().output
    if path is not None:
        return form_of_file(path, form)
    return form or ("table" if sys.stdout is not None and sys.stdout.isatty() else "tsv")


def is_for_people(form: str | None) -> bool:
    """Tell whether the output is a table in the terminal."""
    return _chosen(form) == "table"


def shows_tables(form: str | None) -> bool:
    """Tell whether the output is made of tables, and not of columns for programs."""
    return _chosen(form) not in FOR_PROGRAMS


def show_file(path: Path, content: bytes, numbers: bytes | None = None) -> None:
    """Write a file of judgments or factors, which is made of the inputs of the command alone.

    ``numbers`` is what a replay compares, where that is not the file as it lies on disk.
    """
    from poolwise.provenance._provenance import WITHOUT_FILES
    from poolwise.results._records import digest

    record = made_by(WITHOUT_FILES, digest(content if numbers is None else numbers))
    keep(record)
    deliver_file(path, content, record, with_provenance=True)


def show_page(path: Path, overview: "Overview | SideBySide", *, title: str = "") -> None:
    """Write the page of a report or of two runs, which holds what produced it."""
    from poolwise import views

    record = views.page_record(overview, made_by)
    keep(record)
    if not current_delivery().is_replay:
        page = views.html_page(overview, title=title, record=record)
        deliver_file(path, page.encode(), record, holds_record=True)


def show_lines(lines: Iterable[str], finding: "Finding") -> None:
    """Print or write lines as they are, whoever reads them."""
    delivery, text = current_delivery(), "".join(f"{line}\n" for line in lines)
    wanted = delivery.output or delivery.provenance or delivery.is_replay
    record = _record_of(finding) if wanted else {}
    keep(record, finding.columns())
    if delivery.output is None:
        emit(text)
        deliver_provenance(record)
    else:
        content = text.encode("utf-8", "surrogateescape")
        deliver_file(delivery.output, content, record, with_provenance=True)


def draw(finding: "Finding", path: Path | None) -> None:
    """Draw a finding into the file that --plot names, if it names one."""
    if path is None:
        return
    from poolwise import views

    record = _record_of(finding)
    keep(record, finding.columns())
    if not current_delivery().is_replay:
        deliver_file(path, views.plot_bytes(finding, path), record)


def show_junit(path: Path | None, gate: "Gate") -> None:
    """Write a gate as JUnit XML into the file that --junit names, if it names one."""
    if path is None:
        return
    from poolwise import views

    record = _record_of(gate)
    keep(record, gate.columns())
    deliver_file(path, views.junit_bytes(gate, record), record, holds_record=True)


def _record_of(finding: "Finding") -> "Record":
    from poolwise.results._records import numbers_digest

    return made_by(finding.provenance, numbers_digest(finding.columns()))


def warn(messages: Sequence[str]) -> None:
    """Print what a reader should know to standard error, unless nobody wants to read it."""
    for message in () if current_delivery().is_silent else messages:
        click.secho(for_standard_error(f"note: {visible(message)}"), err=True, dim=True)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback ``(done, total)`` that tells whoever watches, or None where nobody does."""
    from poolwise.results._progress import has_listener, report_progress

    if not has_listener():
        yield None
        return
    yield partial(report_progress, what)
    report_progress(what, 1, 1)


_PATIENCE = 0.3
"""Seconds after which something that is not done gets a bar."""
_TICK = 0.1
"""Seconds between two looks at what is done."""


class Bars:
    """One bar for each thing that is counted, in a terminal, as long as it is not done.

    Counting costs next to nothing: a thread draws what it finds counted now and then. Nothing is
    drawn once everything is done, so that results can be printed.

    Parameters
    ----------
    open_display
        Makes what draws the bars, when the first one is due.
    """

    def __init__(self, open_display: "Callable[[], Progress]") -> None:
        self._open_display = open_display
        self._counts: dict[str, tuple[int, int]] = {}
        self._since: dict[str, float] = {}
        self._tasks: dict[str, TaskID] = {}
        self._display: Progress | None = None
        self._lock, self._ended = Lock(), Event()
        self._thread: Thread | None = None

    def update(self, what: str, done: int, total: int) -> None:
        """Take note of how many are done; what is done altogether has no bar."""
        with self._lock:
            if done < total:
                self._counts[what] = done, total
                self._since.setdefault(what, monotonic())
                self._begin()
            else:
                self._counts.pop(what, None)
                self._since.pop(what, None)
                if not self._counts:
                    self._hide()

    def close(self) -> None:
        """Draw nothing any more."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._hide()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._draw_now_and_then, daemon=True)
            self._thread.start()

    def _draw_now_and_then(self) -> None:
        # wait, not sleep: the bars end as soon as the work does.
        while not self._ended.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        now = monotonic()
        due = [what for what, since in self._since.items() if now - since >= _PATIENCE]
        # Opened when it is due: most work is done before, and need not wait for rich to be
        # imported.
        if due and self._display is None:
            self._display = self._open_display()
            self._display.start()
        if self._display is not None:
            self._bring_up_to_date(self._display, due)

    def _bring_up_to_date(self, display: "Progress", due: list[str]) -> None:
        for what in self._tasks.keys() - due:
            display.remove_task(self._tasks.pop(what))
        for what in due:
            done, total = self._counts[what]
            if what not in self._tasks:
                self._tasks[what] = display.add_task(what, total=total)
            display.update(self._tasks[what], completed=done, total=total)
        display.refresh()

    def _hide(self) -> None:
        if self._display is not None:
            self._display.stop()
        self._display, self._tasks = None, {}


@contextmanager
def with_bars() -> Iterator[None]:
    """Draw bars for whatever is counted in the block, if standard error is a terminal."""
    # A log file must not fill with bars.
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    bars = Bars(_display)

    def watch(what: str, done: int, total: int) -> None:
        if not current_delivery().is_silent:
            bars.update(what, done, total)

    try:
        with progress_to(watch):
            yield
    finally:
        bars.close()


def _display() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    # Refreshed by our own thread alone, under its lock.
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
