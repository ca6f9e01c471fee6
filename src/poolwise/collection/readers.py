"""Runs and judgments, read from files."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from poolwise.collection.judgments import Judgments
from poolwise.collection.problems import error_of, notices_of
from poolwise.collection.provenance import Notice, Source
from poolwise.collection.runs import Runs
from poolwise.collection.scanner import Options, Report, Scanned, Scanner
from poolwise.collection.sources import FileBytes, find_files
from poolwise.collection.system_names import name_systems
from poolwise.errors import OptionError

__all__ = ["read_judgments", "read_runs"]

_TIES = {"trec_eval": 0, "trec_eval9": 1, "rank": 2, "docid": 3}
_DUPLICATES = {"error": 0, "first": 1, "last": 2, "best": 3}
_MALFORMED = {"error": 0, "skip": 1}
_LAYOUTS = {"auto": 0, "trec": 1, "columns": 2, "tabs": 3}
_NAMES = {"auto": 0, "tag": 1, "file": 2}


def read_runs(
    *sources: str | Path,
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    names: str = "auto",
    layout: str = "auto",
    workers: int | None = None,
) -> Runs:
    r"""Read runs: paths, globs, folders, or ``-`` for the standard input.

    Parameters
    ----------
    sources
        Files may be plain or packed (gz, xz, bz2, zst). A TREC run has at least six fields (topic,
        ``Q0``, document, rank, score, tag), an MS MARCO run three (topic, document, rank).
    ties : {"trec_eval", "trec_eval9", "rank", "docid"}
        How documents of equal score are ordered: see ``TIE_RULES``.
    duplicates : {"error", "first", "last", "best"}
        What to do with a document that a topic's list holds twice.
    malformed : {"error", "skip"}
        What to do with a line that cannot be read.
    names : {"auto", "tag", "file"}
        What a system is called: its run tag where no other run has it and its file's name where
        one has ("auto"), or always the one or the other.
    layout : {"auto", "trec", "columns", "tabs"}
        The layout is told from the first line unless it is given.
    workers
        How many files to read at the same time; as many as there are cores by default.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".run") as file:
    ...     _ = file.write("1 Q0 a 1 0.5 bm25\n1 Q0 b 2 0.5 bm25\n")
    ...     file.flush()
    ...     runs = read_runs(file.name)
    >>> runs.ranking("bm25", "1")
    ['b', 'a']
    """
    _choose("names", names, _NAMES)
    options = _options(0, layout, ties, duplicates, malformed)
    files = [FileBytes(path) for source in sources for path in find_files(source)]
    scanned, reports = _scan(files, options, workers)
    return Runs(
        systems=name_systems([r.tag for r in reports], [f.path for f in files], names),
        topics=scanned.topics,
        topic_starts=scanned.document_starts,
        documents=scanned.documents,
        rankings=scanned.rankings,
        list_starts=scanned.list_starts,
        tied=scanned.tied,
        tie_rule=ties,
        sources=tuple(Source(f.path, f.sha256) for f in files),
        notices=_notices(files, reports, duplicates),
    )


def read_judgments(
    source: str | Path,
    *,
    duplicates: str = "error",
    malformed: str = "error",
    layout: str = "auto",
) -> Judgments:
    r"""Read relevance judgments: a path, or ``-`` for the standard input.

    Parameters
    ----------
    source
        TREC qrels (topic, any, document, grade), or three columns (topic, document, grade) with
        or without the header ``query-id corpus-id score``, plain or packed (gz, xz, bz2, zst).
    duplicates : {"error", "first", "last", "best"}
        What to do with a document that a topic holds twice; the best is the highest grade.
    malformed : {"error", "skip"}
        What to do with a line that cannot be read.
    layout : {"auto", "trec", "columns", "tabs"}
        The layout is told from the first line unless it is given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("query-id\tcorpus-id\tscore\n1\ta\t2\n")
    ...     file.flush()
    ...     qrels = read_judgments(file.name)
    >>> list(qrels)
    [('1', 'a', 2.0)]
    """
    options = _options(1, layout, "trec_eval", duplicates, malformed)
    file = FileBytes(find_files(source)[0])
    scanned, reports = _scan([file], options, 1)
    scale, codes = np.unique(scanned.values, return_inverse=True)
    return Judgments(
        topics=scanned.topics,
        starts=scanned.document_starts,
        documents=scanned.documents,
        codes=codes.astype(np.int16),
        scale=scale,
        source=Source(file.path, file.sha256),
        notices=_notices([file], reports, duplicates),
    )


def _scan(
    files: Sequence[FileBytes], options: Options, workers: int | None
) -> tuple[Scanned, list[Report]]:
    """Read the files at the same time; the earliest file with a problem raises."""
    with (
        ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool,
        Scanner(len(files), options) as scanner,
    ):
        reports = list(pool.map(scanner.read, range(len(files)), files))
        for file, report in zip(files, reports, strict=True):
            if report.problem:
                raise error_of(report.problem, file.path)
        return scanner.tables(pool), reports


def _options(judgments: int, layout: str, ties: str, duplicates: str, malformed: str) -> Options:
    return Options(
        judgments,
        _choose("layout", layout, _LAYOUTS),
        _choose("ties", ties, _TIES),
        _choose("duplicates", duplicates, _DUPLICATES),
        _choose("malformed", malformed, _MALFORMED),
    )


def _choose(argument: str, value: str, choices: Mapping[str, int]) -> int:
    if value not in choices:
        raise OptionError(
            f"{argument}: {value!r} is not known. To mend it: use one of {', '.join(choices)}."
        )
    return choices[value]


def _notices(
    files: Sequence[FileBytes], reports: Sequence[Report], duplicates: str
) -> tuple[Notice, ...]:
    return notices_of([f.path for f in files], reports, duplicates)
