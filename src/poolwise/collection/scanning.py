"""Inputs through the scanner, at the same time where that can be."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from poolwise.collection.file_parts import split_file
from poolwise.collection.inputs import Input
from poolwise.collection.native_library import Options
from poolwise.collection.problems import error_of
from poolwise.collection.provenance import Source
from poolwise.collection.scanner import PartsShareTopicsError, Report, Scanned, Scanner
from poolwise.collection.sources import FileBytes, read_ahead

__all__ = ["LAYOUTS", "scan"]

# The numbers follow the enumeration of native/parse.hpp.
LAYOUTS = {"auto": 0, "trec": 1, "columns": 2, "tabs": 3, "memory": 4}


def scan(
    inputs: Sequence[Input], options: Sequence[Options], workers: int | None
) -> tuple[Scanned, list[Report]]:
    """Read the inputs; the first of them with a problem raises."""
    workers = workers or os.cpu_count() or 1
    if len(inputs) == 1 and workers > 1 and not options[0].judgments:
        in_parts = _scan_parts(inputs[0], options[0], workers)
        if in_parts is not None:
            return in_parts
    with Scanner(options) as scanner:
        reports = _read(scanner, inputs, workers)
        for source, report in zip(inputs, reports, strict=True):
            if report.problem:
                raise error_of(report.problem, source.path)
        return scanner.tables(workers=workers), reports


def _read(scanner: Scanner, inputs: Sequence[Input], workers: int) -> list[Report]:
    """Read plain files without Python's help, and anything else with it."""
    plain = [source.plain() if isinstance(source, FileBytes) else None for source in inputs]
    parts = [part for part in plain if part]
    if len(parts) == len(inputs):
        return scanner.read_files(parts, workers=workers)
    with ThreadPoolExecutor(workers) as pool:
        if len(inputs) == 1 and workers > 1:
            return [scanner.read(0, read_ahead(inputs[0], pool))]
        return list(pool.map(scanner.read, range(len(inputs)), inputs))


def _scan_parts(
    source: Input, options: Options, workers: int
) -> tuple[Scanned, list[Report]] | None:
    """Read one large file in parts; None where it has to be read as one after all.

    That is so where a topic stands in two parts, and where anything is odd, since a part does not
    know the numbers of its lines.
    """
    parts = split_file(source.path, workers) if _may_split(source, options) else []
    if len(parts) < 2:
        return None
    source.source = Source.of_file(source.path)
    told = Options(0, LAYOUTS["trec"], options.ties, options.duplicates, options.skip_malformed)
    with Scanner([told] * len(parts), one_run=True) as scanner:
        reports = scanner.read_files(parts, workers=workers)
        if any(r.problem or r.skipped or r.repeated for r in reports):
            return None
        try:
            scanned = scanner.tables(workers=workers)
        except PartsShareTopicsError:
            return None
    return scanned, reports[-1:]


def _may_split(source: Input, options: Options) -> bool:
    layouts = LAYOUTS["auto"], LAYOUTS["trec"]
    return isinstance(source, FileBytes) and os.name == "posix" and options.layout in layouts
