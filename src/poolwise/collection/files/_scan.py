"""Inputs through the scanner, at the same time where that can be."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from poolwise.collection.files._inputs import Input
from poolwise.collection.files._native import JudgedMarks, Options, is_native
from poolwise.collection.files._native_scanner import Marks, Scanned, Scanner, TopicChoice
from poolwise.collection.files._problems import Report, error_of
from poolwise.collection.files._sources import FileBytes, read_ahead
from poolwise.collection.files._topic_places import FilePart, split_file
from poolwise.errors import require_workers
from poolwise.provenance._provenance import Source
from poolwise.results._progress import counting

if TYPE_CHECKING:
    from poolwise.collection.files._python_scanner import PlainScanner

__all__ = ["LAYOUTS", "count_workers", "scan", "scan_marks"]

_Reading = Callable[
    [Sequence[Input], Sequence[Options], int],
    AbstractContextManager["tuple[Scanner | PlainScanner, list[Report]]"],
]

# The numbers follow the enumeration of native/parse.hpp.
LAYOUTS = {"auto": 0, "trec": 1, "columns": 2, "tabs": 3, "memory": 4}


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


def scan_marks(
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
            odd = any(r.problem or r.skipped or r.repeated for r in reports)
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
