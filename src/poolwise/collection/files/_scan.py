"""Inputs through the scanner: whole, or as the grades of what was retrieved and no more."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolwise.collection.files._inputs import NAME_RULES, Input, distinct_names, is_table
from poolwise.collection.files._native import (
    JudgedMarks,
    Marks,
    Options,
    Scanned,
    Scanner,
    TopicChoice,
    is_native,
)
from poolwise.collection.files._sources import (
    MAX_RATIO,
    FileBytes,
    Report,
    error_of,
    is_stored,
    notices_of,
    read_ahead,
)
from poolwise.collection.files._topic_places import FilePart, split_file
from poolwise.errors import require_choice, require_workers
from poolwise.provenance._provenance import Notice, Source
from poolwise.results._progress import counting

if TYPE_CHECKING:
    from poolwise.collection.files._python_scanner import PlainScanner

__all__ = [
    "DUPLICATES",
    "LAYOUTS",
    "MALFORMED",
    "TIES",
    "ScannedGrades",
    "count_workers",
    "reading_options",
    "scan",
    "scan_grades",
]

_Reading = Callable[
    [Sequence[Input], Sequence[Options], int],
    AbstractContextManager["tuple[Scanner | PlainScanner, list[Report]]"],
]

# The numbers follow the enumeration of native/parse.hpp.
LAYOUTS = {"auto": 0, "trec": 1, "columns": 2, "tabs": 3, "memory": 4}
# The numbers follow the enumerations of native/options.hpp.
TIES = {"trec_eval": 0, "trec_eval9": 1, "rank": 2, "docid": 3}
DUPLICATES = {"error": 0, "first": 1, "last": 2, "best": 3}
"""What may become of a document that a list or the judgments of a topic name twice."""
MALFORMED = {"error": 0, "skip": 1}
_FILE_LAYOUTS = ("auto", "trec", "columns", "tabs")


def scan(
    inputs: Sequence[Input], options: Sequence[Options], workers: int | None
) -> tuple[Scanned, list[Report]]:
    """Read the inputs; the first of them with a problem raises."""
    workers = count_workers(workers)
    reading: _Reading = _reading if is_native() else _reading_in_python
    with reading(inputs, options, workers) as (scanner, reports):
        for source, report in zip(inputs, reports, strict=True):
            if report.problem:
                raise error_of(report.problem, source.path)
        return scanner.tables(workers=workers), reports


def count_workers(workers: int | None) -> int:
    """Return the number of threads: all cores for None, and for what is below 0."""
    require_workers(workers)
    return workers if workers is not None and workers > 0 else os.cpu_count() or 1


def _scan_marks(
    inputs: Sequence[Input],
    options: Sequence[Options],
    workers: int | None,
    judged: JudgedMarks,
    choose: TopicChoice,
    *,
    beyond: int,
) -> tuple[Marks, list[Report]] | None:
    """Read nothing but marks; None where that is not enough to rank or to say what is wrong."""
    with _reading(inputs, options, count_workers(workers), judged) as (scanner, reports):
        if any(report.problem for report in reports):
            return None
        return scanner.marks(choose, beyond=beyond), reports


@contextmanager
def _reading(
    inputs: Sequence[Input],
    options: Sequence[Options],
    workers: int,
    judged: JudgedMarks | None = None,
) -> Iterator[tuple[Scanner, list[Report]]]:
    """Yield the scanner when it has read all inputs, sealed unless there is a problem.

    A large file is read in parts first. That does not do where a topic stands in two parts, and
    where anything is odd, since a part does not know the numbers of its lines.
    """
    parts = _parts(inputs, options, workers)
    if len(parts) > 1:
        how = options[0]
        of_parts = Options(0, LAYOUTS["trec"], how.ties, how.duplicates, how.skip_malformed)
        with Scanner([of_parts] * len(parts), one_run=True, judged=judged) as scanner:
            inputs[0].source = Source.of_file(inputs[0].path)
            reports = scanner.read_files(parts, workers=workers)
            _check_unchanged(inputs)
            odd = any(
                r.problem or r.skipped or r.repeated or r.longer or r.renamed for r in reports
            )
            odd = odd or len({r.tag for r in reports}) > 1
            if not odd and scanner.seal():
                yield scanner, reports[-1:]
                return
    with Scanner(options, judged=judged) as scanner:
        reports = _read(scanner, inputs, workers)
        if not any(report.problem for report in reports):
            scanner.seal()
        yield scanner, reports


@contextmanager
def _reading_in_python(
    inputs: Sequence[Input], options: Sequence[Options], _workers: int
) -> "Iterator[tuple[PlainScanner, list[Report]]]":
    """Yield the twin of the native scanner, which reads one input after another."""
    # late: where there is a native library, nobody needs its twin
    from poolwise.collection.files._python_scanner import PlainScanner  # noqa: PLC0415

    with PlainScanner(options) as scanner:
        reading = enumerate(counting(inputs, "files read"))
        yield scanner, [scanner.read(i, blocks) for i, blocks in reading]


def _read(scanner: Scanner, inputs: Sequence[Input], workers: int) -> list[Report]:
    """Read plain files without Python's help, and anything else with it."""
    plain = [source.plain() if isinstance(source, FileBytes) else None for source in inputs]
    parts = [part for part in plain if part]
    if len(parts) == len(inputs):
        reports = scanner.read_files(parts, workers=workers)
        _check_unchanged(inputs)
        return reports
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    with ThreadPoolExecutor(workers) as pool:
        try:
            if len(inputs) == 1 and workers > 1:
                return [scanner.read(0, read_ahead(inputs[0], pool))]
            read = pool.map(scanner.read, range(len(inputs)), inputs)
            return list(counting(read, "files read", len(inputs)))
        except BaseException:
            scanner.stop()  # or the pool would wait until all inputs are read
            raise


def _check_unchanged(inputs: Sequence[Input]) -> None:
    for source in inputs:
        if isinstance(source, FileBytes):
            source.check_unchanged()


def _parts(inputs: Sequence[Input], options: Sequence[Options], workers: int) -> list[FilePart]:
    """Return the parts of a lone run of TREC's layout, or of one that may have it."""
    may_split = (
        len(inputs) == 1
        and workers > 1
        and os.name == "posix"
        and isinstance(inputs[0], FileBytes)
        and not options[0].judgments
        and options[0].layout in (LAYOUTS["auto"], LAYOUTS["trec"])
    )
    return split_file(inputs[0].path, workers) if may_split else []


def reading_options(
    source: Input, duplicates: str, malformed: str, *, ties: str = "trec_eval", judgments: int = 0
) -> Options:
    """Return how an input is read, as the scanner is told it."""
    if source.layout != "memory":
        require_choice("layout", source.layout, _FILE_LAYOUTS)
    return Options(
        judgments,
        LAYOUTS[source.layout],
        _choose("ties", ties, TIES),
        _choose("duplicates", duplicates, DUPLICATES),
        _choose("malformed", malformed, MALFORMED),
    )


def _choose(argument: str, value: str, choices: Mapping[str, int]) -> int:
    require_choice(argument, value, choices)
    return choices[value]


@dataclass(frozen=True, eq=False)
class ScannedGrades:
    """Run files of which nothing is kept but a mark for each retrieved document.

    That is enough to score them, and takes about half the time and memory on the 129 runs of
    TREC-8.
    """

    systems: tuple[str, ...]
    lists: Marks
    tie_rule: str
    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]


def scan_grades(
    paths: Sequence[str],
    judged: JudgedMarks,
    choose: TopicChoice,
    *,
    beyond: int,
    names: str = "auto",
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    layout: str = "auto",
    workers: int | None = None,
    max_ratio: float = MAX_RATIO,
    notices: tuple[Notice, ...] = (),
) -> ScannedGrades | None:
    """Read the marks of run files, on the topics chosen; ``beyond`` stands past a list's end.

    ``notices`` say what was odd already when the files were looked for. The other options are
    those of :func:`~poolwise.read_runs`. None where that has to read them: where a topic comes back
    after another, where a document may be repeated, where something is wrong, and where a file can
    be read but once.
    """
    require_choice("names", names, NAME_RULES)
    if any(is_table(path) or not is_stored(path) for path in paths):
        return None
    inputs = [FileBytes(path, layout, max_ratio=max_ratio) for path in paths]
    options = [reading_options(i, duplicates, malformed, ties=ties) for i in inputs]
    scanned = _scan_marks(inputs, options, workers, judged, choose, beyond=beyond)
    if scanned is None:
        return None
    lists, reports = scanned
    return ScannedGrades(
        systems=distinct_names([report.tag for report in reports], paths, names),
        lists=lists,
        tie_rule=ties,
        sources=tuple(i.source for i in inputs),
        notices=notices_of(paths, reports, duplicates) + notices,
    )
