"""Run files that are read a few topics at a time, all runs of these topics together."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Integers
from poolwise.collection._identifiers import encode
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import (
    LAYOUTS,
    NAME_RULES,
    count_workers,
    distinct_names,
    is_table,
    reading_options,
)
from poolwise.collection.files._native import JudgedMarks, Marks, Options, Scanned, Scanner
from poolwise.collection.files._sources import (
    MAX_RATIO,
    Code,
    FileBytes,
    FilePart,
    Report,
    error_of,
    notices_of,
)
from poolwise.collection.files._topic_places import TopicIndex, index_topics
from poolwise.errors import InputError, OutputError, PoolwiseError, remedy_of, require_choice
from poolwise.provenance._provenance import Notice, Source
from poolwise.results._progress import counting

__all__ = ["RunStream", "open_stream"]

_PIECE = 1 << 18
_NOTHING_MET = Report(None, "", 0, 0, 0, 0, 0)


class _Portion(NamedTuple):
    """Some topics of one run, as positions in its index."""

    run: int
    topics: list[int]


class RunStream:
    """Runs of which some topics are read, and then others.

    Attributes
    ----------
    topics : tuple of str
        The topics that any run answers, in byte order.
    lengths : int array, runs × topics
        How many lines of each topic each run has; of topics that were read, how many documents.
    """

    def __init__(
        self,
        inputs: Sequence[FileBytes],
        indexes: Sequence[TopicIndex],
        options: Sequence[Options],
        *,
        names: str,
        workers: int,
        notices: tuple[Notice, ...] = (),
    ) -> None:
        self._inputs, self._indexes, self._names = inputs, indexes, names
        self._notices = notices
        self._workers = workers
        self._options = [
            Options(0, LAYOUTS["trec"], o.ties, o.duplicates, o.skip_malformed) for o in options
        ]
        self._met = [_NOTHING_MET] * len(indexes)
        self.topics = tuple(sorted({t for i in indexes for t in i.topics}, key=encode))
        self._place = {topic: t for t, topic in enumerate(self.topics)}
        shape = len(indexes), len(self.topics)
        self.lengths = np.zeros(shape, np.int64)
        # Where the topics stand in each file, −1 for those that it lacks: runs × topics
        self._order = np.full(shape, -1, np.int32)
        for r, index in enumerate(indexes):
            answered = [self._place[topic] for topic in index.topics]
            self.lengths[r, answered] = index.documents
            self._order[r, answered] = np.arange(len(answered))

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self._indexes)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files."""
        return tuple(source.path for source in self._inputs)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What was read."""
        return tuple(source.source for source in self._inputs)

    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems, once the last topic of each file has been read."""
        return distinct_names([report.tag for report in self._met], self.paths, self._names)

    def notices(self, duplicates: str) -> tuple[Notice, ...]:
        """Count what the policies let pass in the topics read so far."""
        return notices_of(self.paths, self._met, duplicates) + self._notices

    def answering(self, topics: tuple[str, ...]) -> list[int]:
        """Return which runs answer any of these topics."""
        return np.flatnonzero((self._positions(topics) >= 0).any(axis=1)).tolist()

    def _positions(self, topics: tuple[str, ...]) -> NDArray[np.int32]:
        """Return where these topics stand in each file, −1 for those that it lacks."""
        return self._order[:, [self._place[topic] for topic in topics if topic in self._place]]

    def marks(self, topics: tuple[str, ...], judged: JudgedMarks, *, beyond: int) -> Marks | None:
        """Read the marks of these topics, of the runs that answer them.

        None where that is not enough: see :func:`scan_grades`.
        """
        with self._reading(topics, judged) as (scanner, portions, reports):
            if any(report.problem for report in reports):
                return None
            scanner.seal()
            marks = scanner.marks(lambda *_: topics, beyond=beyond)
        self._keep_lengths(topics, marks.topics, marks.lengths)
        self._note(portions, reports)
        return marks

    def documents(self, topics: tuple[str, ...]) -> Runs:
        """Read the documents of these topics, of the runs that answer them."""
        with self._reading(topics) as (scanner, portions, reports):
            for portion, report in zip(portions, reports, strict=True):
                self._refuse(portion, report)
            scanner.seal()
            scanned = scanner.tables(workers=self._workers)
        lengths = np.diff(scanned.list_starts).reshape(-1, len(scanned.topics))
        self._keep_lengths(topics, scanned.topics, lengths)
        self._note(portions, reports)
        return _unnamed(scanned, len(lengths))

    def check_unchanged(self) -> None:
        """Raise where a file is not what it was when reading began."""
        for source in self._inputs:
            source.check_unchanged()

    @contextmanager
    def _reading(
        self, topics: tuple[str, ...], judged: JudgedMarks | None = None
    ) -> Iterator[tuple[Scanner, list[_Portion], list[Report]]]:
        portions = self._portions(topics)
        options = [self._options[portion.run] for portion in portions]
        one_run = len({portion.run for portion in portions}) == 1
        with Scanner(options, one_run=one_run, judged=judged) as scanner:
            yield scanner, portions, self._read(scanner, portions)

    def _portions(self, topics: tuple[str, ...]) -> list[_Portion]:
        """Share out the topics by runs; those of a lone run among the threads."""
        of_runs = enumerate(np.sort(self._positions(topics), axis=1))
        portions = [_Portion(r, at[at >= 0].tolist()) for r, at in of_runs if (at >= 0).any()]
        # Several runs keep the threads busy; a lone one would leave all but one idle.
        if len(portions) > 1:
            return portions
        ((run, at),) = portions
        shares = min(self._workers, len(at))
        edges = [len(at) * i // shares for i in range(shares + 1)]
        return [_Portion(run, at[first:past]) for first, past in pairwise(edges)]

    def _read(self, scanner: Scanner, portions: list[_Portion]) -> list[Report]:
        parts = [self._indexes[run].parts(topics) for run, topics in portions]
        if self._workers == 1:
            return [scanner.read(i, _pieces(of)) for i, of in enumerate(parts)]
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

        with ThreadPoolExecutor(self._workers) as pool:
            try:
                return list(pool.map(scanner.read, range(len(parts)), map(_pieces, parts)))
            except BaseException:
                scanner.stop()  # or the pool would wait until all portions are read
                raise

    def _refuse(self, portion: _Portion, report: Report) -> None:
        if report.problem is None:
            return
        index, problem = self._indexes[portion.run], report.problem
        # The first line of a duplicate; for other problems it is no line.
        other = (
            index.line(portion.topics, problem.other)
            if problem.code == Code.DUPLICATE
            else problem.other
        )
        line = index.line(portion.topics, problem.line) if problem.line else 0
        raise error_of(problem._replace(line=line, other=other), self.paths[portion.run])

    def _note(self, portions: list[_Portion], reports: list[Report]) -> None:
        """Add up what was met, by lines of the files."""
        for (run, topics), report in zip(portions, reports, strict=True):
            index, met = self._indexes[run], self._met[run]
            # A run is called by the tag of its last line, as where it is read whole.
            is_end = topics[-1] == len(index.topics) - 1
            counts: dict[str, Any] = {}
            for name in ("skipped", "repeated", "longer", "renamed"):
                count, first = getattr(report, name), getattr(report, f"first_{name}")
                line = index.line(topics, first) if count else 0
                counts[name] = getattr(met, name) + count
                counts[f"first_{name}"] = _first(getattr(met, f"first_{name}"), line)
            self._met[run] = met._replace(tag=report.tag if is_end else met.tag, **counts)

    def _keep_lengths(
        self, wanted: tuple[str, ...], answered: tuple[str, ...], lengths: Integers
    ) -> None:
        """Take the lists as they were read; raise where the index does not know one of them."""
        # The index compares beginnings of lines, the scanner splits them: lists that are longer
        # than the index says, or of other topics, show that the two do not agree on the file.
        cells = np.ix_(self.answering(wanted), [self._place.get(topic, -1) for topic in answered])
        if not {*answered} <= {*wanted} or (lengths > self.lengths[cells]).any():
            raise InputError(
                ", ".join(self.paths[:3]),
                "a file that is read by topics must have the lines of a topic together",
                remedy="read it whole with stream=False (--no-stream)",
            )
        asked = [self._place[topic] for topic in wanted if topic in self._place]
        self.lengths[:, asked] = 0
        self.lengths[cells] = lengths


def _first(earlier: int, met: int) -> int:
    """Return the smaller of two numbers of lines, 0 standing for none."""
    return min(earlier, met) if earlier and met else earlier or met


def _pieces(parts: Sequence[FilePart]) -> Iterator[memoryview]:
    """Yield the bytes of some parts of one file."""
    with Path(parts[0].path).open("rb", buffering=0) as file:
        for part in parts:
            file.seek(part.start)
            left = part.stop - part.start
            while left and (piece := file.read(min(left, _PIECE))):
                left -= len(piece)
                yield memoryview(piece)


def _unnamed(scanned: Scanned, runs: int) -> Runs:
    return Runs(
        systems=tuple(map(str, range(runs))),
        topics=scanned.topics,
        topic_starts=scanned.document_starts,
        documents=scanned.documents,
        rankings=scanned.rankings,
        list_starts=scanned.list_starts,
        tied=scanned.tied,
    )


@contextmanager
def open_stream(
    paths: Sequence[str],
    *,
    names: str = "auto",
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    layout: str = "auto",
    workers: int | None = None,
    max_ratio: float = MAX_RATIO,
    notices: tuple[Notice, ...] = (),
) -> Iterator[RunStream | None]:
    """Find where the topics of run files lie, and yield what reads them by topics.

    What is compressed, or can be read but once, is unpacked into a folder for temporary files
    first. ``notices`` say what was odd already when the files were looked for. The other options
    are those of :func:`~poolwise.read_runs`. None where the lines of a topic do not stand
    together, or a run has another layout than TREC's.
    """
    require_choice("names", names, NAME_RULES)
    inputs = [FileBytes(path, layout, max_ratio=max_ratio) for path in paths]
    options = [reading_options(i, duplicates, malformed, ties=ties) for i in inputs]
    fits = layout in ("auto", "trec") and not any(is_table(path) for path in paths)
    with ExitStack() as stack:
        indexes = _index_all(inputs, stack) if fits else None
        if indexes is None:
            yield None
            return
        stream = RunStream(
            inputs,
            indexes,
            options,
            names=names,
            workers=count_workers(workers),
            notices=notices,
        )
        yield stream
        stream.check_unchanged()


def _index_all(inputs: Sequence[FileBytes], stack: ExitStack) -> list[TopicIndex] | None:
    indexes: list[TopicIndex] = []
    folder: Path | None = None
    for i, source in enumerate(counting(inputs, "files looked through")):
        path = source.path
        if source.plain() is None:
            folder = folder or _temporary_folder(stack)
            path = str(folder / str(i))
            _unpack(source, path)
        index = index_topics(path)
        if index is None:
            return None
        indexes.append(index)
    return indexes


def _temporary_folder(stack: ExitStack) -> Path:
    """Make a folder that goes when the stack does."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415, late: slow to import

    with _explained("TMPDIR"):
        return Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))


def _unpack(source: FileBytes, path: str) -> None:
    # The source says itself what is wrong with it; what is left is the place it is unpacked to.
    with _explained(str(Path(path).parent)), Path(path).open("wb") as file:
        file.writelines(source)


@contextmanager
def _explained(place: str) -> Iterator[None]:
    """Say that it is the place of temporary files that cannot be written to."""
    try:
        yield
    except PoolwiseError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        rule = f"what is compressed is unpacked there, and it cannot be written: {reason}"
        usual = "let TMPDIR name a folder with room in which you may write"
        remedy = usual if error.errno not in (errno.EMFILE, errno.ENFILE) else remedy_of(error, "")
        raise OutputError(place, rule, remedy=remedy) from error
