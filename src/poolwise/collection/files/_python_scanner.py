"""Several inputs into arrays, in plain Python and numpy: the twin of the native scanner."""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from poolwise.collection._identifiers import IdTable, decode, starts_of
from poolwise.collection.files._native import Options, Scanned
from poolwise.collection.files._python_lines import (
    Duplicates,
    Entries,
    LineReader,
    Ties,
    WrongInputError,
)
from poolwise.collection.files._sources import Code, Problem, Report

__all__ = ["PlainScanner"]


class _List(NamedTuple):
    """A ranked list: its documents, whether each ties with the one before, and its values."""

    documents: list[bytes]
    tied: list[bool]
    values: list[float]


class PlainScanner:
    """Several inputs that share their ids, as :class:`~.scanner.Scanner` reads them.

    Parameters
    ----------
    options
        How the lines of each input are read; all are runs, or all are judgments.

    Examples
    --------
    >>> with PlainScanner([Options(0, 0, 0, 0, 0)]) as scanner:
    ...     report = scanner.read(0, [memoryview(b"1 Q0 a 1 9 x"), memoryview(b"Y")])
    ...     tables = scanner.tables(workers=1)
    >>> report.tag, tables.topics, list(tables.documents)
    ('xY', ('1',), ['a'])
    """

    def __init__(self, options: Sequence[Options]) -> None:
        self._options = list(options)
        self._lists: list[dict[bytes, _List]] = [{} for _ in options]
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lists.clear()

    def read(self, i: int, blocks: Iterable[memoryview]) -> Report:
        """Read one input to its end, or to its first problem."""
        reader, repeated = LineReader(self._options[i]), list[tuple[int, int, bytes]]()
        problem = None
        try:
            for block in blocks:
                if self._stopped:
                    break
                reader.feed(block.tobytes())
            else:
                reader.finish()
                repeated = self._take_lists(i, reader)
        except WrongInputError as error:
            problem = Problem(int(error.code), error.line, error.other, decode(error.text))
        return _report(reader, repeated, problem)

    def _take_lists(self, i: int, reader: LineReader) -> list[tuple[int, int, bytes]]:
        """Rank what was read; return which lines repeat which others."""
        options, repeated = self._options[i], list[tuple[int, int, bytes]]()
        for topic, entries in reader.topics.items():
            rows = _kept(entries, options.duplicates, repeated)
            self._lists[i][topic] = _ranked(entries, rows, options)
        if repeated and options.duplicates == Duplicates.ERROR:
            line, first, document = min(repeated)
            raise WrongInputError(Code.DUPLICATE, document, line, first)
        return repeated

    def stop(self) -> None:
        """End the reading as soon as may be."""
        self._stopped = True

    def seal(self) -> bool:
        """End the reading; a run is never read in parts here."""
        return True

    def tables(self, *, workers: int) -> Scanned:
        """Lay out what was read. One thread does it, whatever ``workers`` says."""
        del workers
        topics = sorted({topic for lists in self._lists for topic in lists})
        ids = [self._documents(topic) for topic in topics]
        judgments = any(chosen.judgments for chosen in self._options)
        cells = [lists.get(topic, _NO_LIST) for lists in self._lists for topic in topics]
        places = [{document: code for code, document in enumerate(some)} for some in ids]
        codes = [
            place[document]
            for i, cell in enumerate(cells)
            for place in (places[i % len(topics)],)
            for document in cell.documents
        ]
        starts = starts_of(map(len, ids))
        return Scanned(
            topics=tuple(map(decode, topics)),
            document_starts=starts,
            documents=_id_table([document for some in ids for document in some]),
            list_starts=starts_of(len(cell.documents) for cell in cells),
            rankings=np.array([] if judgments else codes, np.int32),
            tied=np.array([] if judgments else [t for c in cells for t in c.tied], np.bool_),
            values=np.array([v for c in cells for v in c.values] if judgments else [], np.float64),
        )

    def _documents(self, topic: bytes) -> list[bytes]:
        """Return what any input names for a topic, in byte order."""
        documents = {d for lists in self._lists if topic in lists for d in lists[topic].documents}
        return sorted(documents)


_NO_LIST = _List([], [], [])


def _id_table(ids: list[bytes]) -> IdTable:
    return IdTable(np.frombuffer(b"".join(ids), np.uint8), starts_of(map(len, ids)))


def _kept(entries: Entries, policy: int, repeated: list[tuple[int, int, bytes]]) -> list[int]:
    """Return the rows that count, one for each document, and add those that repeat another."""
    kept = dict(zip(reversed(entries.documents), reversed(range(len(entries.lines))), strict=True))
    if len(kept) == len(entries.documents):
        return list(kept.values())
    kept.clear()
    for row, document in enumerate(entries.documents):
        first = kept.setdefault(document, row)
        if first == row:
            continue
        repeated.append((entries.lines[row], entries.lines[first], document))
        better = policy == Duplicates.BEST and entries.values[row] > entries.values[first]
        if better or policy == Duplicates.LAST:
            kept[document] = row
    return list(kept.values())


def _ranked(entries: Entries, rows: list[int], options: Options) -> _List:
    """Sort by score, then by rank where it counts, then by id; judgments by id alone."""
    documents, values, ranks = entries.documents, entries.values, entries.ranks
    higher_first = options.ties in (Ties.BY_ID, Ties.BY_SINGLE_AND_ID) and not options.judgments
    # Two stable sorts: by id first, so that it decides where score and rank do not.
    rows.sort(key=documents.__getitem__, reverse=higher_first)
    if not options.judgments:
        rows.sort(key=lambda row: (-values[row], ranks[row]))
    in_order = [values[row] for row in rows]
    tied = [i > 0 and value == in_order[i - 1] for i, value in enumerate(in_order)]
    return _List([documents[row] for row in rows], tied, in_order)


def _report(
    reader: LineReader, repeated: Sequence[tuple[int, int, bytes]], problem: Problem | None
) -> Report:
    return Report(
        problem,
        decode(reader.tag),
        len(reader.skipped),
        min(reader.skipped, default=0),
        len(repeated),
        min((line for line, _, _ in repeated), default=0),
        reader.guessed,
        len(reader.longer),
        min(reader.longer, default=0),
        len(reader.renamed),
        min(reader.renamed, default=0),
    )
