"""Judgments and runs, wherever they are, as grades."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.files._native import JudgedMarks, is_native
from poolwise.collection.files._run_stream import open_stream
from poolwise.collection.files._scan import scan_grades
from poolwise.collection.files._sources import files_beside, find_files, is_stored
from poolwise.collection.formats._objects import is_path
from poolwise.errors import InputError, OptionError
from poolwise.evidence._grades import BEYOND, Graded, Grades
from poolwise.evidence._meeting import (
    GradeStream,
    align,
    choose_topics,
    codes_to_scan,
    known_rule,
    scanned_grades,
)
from poolwise.provenance._provenance import Notice, TopicRule, add_notices
from poolwise.workflows.inputs import Topics, as_topics

__all__ = ["STREAM_FROM", "grade_runs", "graded_runs"]

STREAM_FROM = 1 << 30
"""Bytes of run files, as they lie on disk, from which on they are read by blocks of topics."""


@contextmanager
def graded_runs(
    judgments: Judgments,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    *,
    topics: Topics = "judged",
    counts_unknown: bool = True,
    stream: bool | None = None,
    reading: Reading = Reading(),
) -> Iterator[Graded]:
    """Yield runs met with judgments: all blocks, or one after another while they are read.

    Parameters
    ----------
    stream
        Whether files are read by blocks of topics, so that memory is bounded by a block; by
        default from ``STREAM_FROM`` bytes on, where the lines of each topic stand together.

    The other parameters are those of :func:`grade_runs`.
    """
    rule = known_rule(as_topics(topics), judgments)
    files = _files(_sources(runs)) if stream or stream is None else []
    _require_rows_unneeded(judgments, stream=bool(stream))
    # How a document was sampled is known by its row, which no stream keeps.
    large = _size(files) >= STREAM_FROM and not judgments.is_sample
    if files and is_native() and (stream or large):
        with open_stream(files, notices=_beside(_sources(runs)), **reading.of_runs()) as found:
            if found is not None:
                marks = codes_to_scan(judgments, counts_unknown=counts_unknown)
                yield GradeStream(
                    judgments,
                    found,
                    marks,
                    counts_unknown=counts_unknown,
                    rule=rule,
                    ties=reading.ties,
                    duplicates=reading.duplicates,
                )
                return
    if stream:
        raise _cannot_stream(files)
    yield grade_runs(judgments, runs, topics=rule, counts_unknown=counts_unknown, reading=reading)


def _size(paths: Sequence[str]) -> int:
    """Return how many bytes the files have together; what comes through a pipe has none."""
    return sum(Path(path).stat().st_size for path in paths if is_stored(path))


def _require_rows_unneeded(judgments: Judgments, *, stream: bool) -> None:
    if stream and judgments.is_sample:
        raise OptionError(
            "stream: sampled judgments need whole runs. Hint: leave the option out (--stream)."
        )


def _cannot_stream(paths: Sequence[str]) -> OptionError | InputError:
    if not paths:
        return OptionError(
            "stream: only files are read by topics. Hint: name files, or leave the option out."
        )
    if not is_native():
        return OptionError(
            "stream: files are read by topics by the native library, which was not built here. "
            "Hint: leave the option out."
        )
    return InputError(
        paths[0] if len(paths) == 1 else f"{paths[0]} and others",
        "files that are read by topics must be TREC runs with the lines of each topic together",
        remedy="sort the lines by topic, or leave out stream (--stream)",
    )


def grade_runs(
    judgments: Judgments,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    *,
    topics: Topics = "judged",
    counts_unknown: bool = True,
    reading: Reading = Reading(),
) -> Grades:
    """Meet runs with judgments, without their documents where that is enough.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved: :class:`~poolwise.Runs`, or whatever
        :func:`~poolwise.read_runs` reads.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    counts_unknown
        Whether to count the unjudged documents of all runs, which ranges over them need.
    """
    rule = known_rule(as_topics(topics), judgments)
    marks = codes_to_scan(judgments, counts_unknown=counts_unknown)
    # How a document was sampled is known by its row, which marks do not keep.
    sources = [] if judgments.is_sample else _sources(runs)
    graded = _grade_files(judgments, marks, sources, rule, reading)
    if graded is not None:
        return graded
    return align(judgments, reading.runs(runs), topics=rule)


def _sources(runs: Any) -> list[Any]:
    return list(runs) if isinstance(runs, list | tuple) else [runs]


def _files(sources: Sequence[Any]) -> list[str]:
    """Return the files that runs are to be read from; none where something else is among them."""
    if not all(map(is_path, sources)):
        return []
    return [path for source in sources for path in find_files(source)]


def _beside(sources: Sequence[Any]) -> tuple[Notice, ...]:
    """Count what folders hold beside the files that are read."""
    return add_notices(notice for source in sources for notice in files_beside(source))


def _grade_files(
    judgments: Judgments,
    marks: JudgedMarks | None,
    sources: Sequence[Any],
    rule: TopicRule,
    reading: Reading,
) -> Grades | None:
    """Grade files as they are read; None where their documents have to be kept to do it."""
    paths = _files(sources)
    if marks is None or not paths:
        return None
    choose = partial(choose_topics, judgments.topics, rule=rule)
    how = reading.of_runs()
    marked = scan_grades(paths, marks, choose, beyond=BEYOND, notices=_beside(sources), **how)
    return None if marked is None else scanned_grades(judgments, marked, topics=rule)
