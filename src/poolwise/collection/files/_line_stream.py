"""Lines that lie elsewhere, read a few topics at a time, all runs of these topics together."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from poolwise.collection._identifiers import encode
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import name_inputs, reading_options, scan
from poolwise.collection.files._readers import names_of
from poolwise.collection.files._sources import Report, find_files, is_stored, notices_of
from poolwise.collection.formats._lines import Lines, lines_of, lines_of_parquet
from poolwise.collection.formats._parquet import PARQUET, is_one_table
from poolwise.collection.formats._rows import (
    MemoryBytes,
    id_text,
    is_path,
    runs_in_rows,
)
from poolwise.provenance._provenance import Notice, Source, add_notices

__all__ = ["LineStream", "line_tables"]

_NOTHING_MET = Report(None, "", 0, 0, 0, 0, 0)
_Key = tuple[int, str]
"""A run: the table it is in, and what that calls it."""


class LineStream:
    """Runs of tables elsewhere, of which some topics are fetched, and then others.

    It has what :class:`~poolwise.collection.files._run_stream.RunStream` has, so that both are met
    with judgments in the same way.

    Parameters
    ----------
    tables
        The tables, each with one run or with several.
    how
        The options of :func:`~poolwise.read_runs`.
    """

    def __init__(self, tables: Sequence[Lines], how: dict[str, Any]) -> None:
        self._tables, self._how = tables, how
        self._met: list[Notice] = []
        counts: dict[_Key, dict[str, int]] = {}
        # Topics as they stand in each table, numbers perhaps, by their text.
        self._values: list[dict[str, Any]] = [{} for _ in tables]
        for at, table in enumerate(tables):
            for run, value, count in table.counts():
                topic = id_text(value, table.where)
                self._values[at][topic] = value
                name = id_text(run, table.where)
                counts.setdefault((at, name), {})[topic] = count
        # Engines keep no order: runs of a table come by name.
        self._runs = {key: number for number, key in enumerate(sorted(counts))}
        self.topics = tuple(sorted({t for of_run in counts.values() for t in of_run}, key=encode))
        self._place = {topic: t for t, topic in enumerate(self.topics)}
        self.lengths = np.zeros((len(counts), len(self.topics)), np.int64)
        for key, of_run in counts.items():
            at_topics = [self._place[topic] for topic in of_run]
            self.lengths[self._runs[key], at_topics] = [*of_run.values()]
        self._inputs = name_inputs(
            [MemoryBytes(tables[at].where, [[]] * 4, run) for at, run in self._runs]
        )

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self._runs)

    @property
    def paths(self) -> tuple[str, ...]:
        """The runs, for messages."""
        return self.systems()

    @property
    def sources(self) -> tuple[Source, ...]:
        """What was read."""
        return tuple(made.source for made in self._inputs)

    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        nothing = [_NOTHING_MET] * len(self._inputs)
        return names_of(self._inputs, nothing, self._how["names"])

    def notices(self, duplicates: str) -> tuple[Notice, ...]:
        """Count what the policies let pass in the topics read so far."""
        del duplicates  # it was heeded while they were read
        return add_notices(self._met)

    def answering(self, topics: tuple[str, ...]) -> list[int]:
        """Return which runs answer any of these topics."""
        places = [self._place[topic] for topic in topics if topic in self._place]
        return np.flatnonzero((self.lengths[:, places] > 0).any(axis=1)).tolist()

    def marks(self, topics: tuple[str, ...], judged: Any, *, beyond: int) -> None:
        """Return that nothing but documents is read here."""

    def documents(self, topics: tuple[str, ...]) -> Runs:
        """Fetch the lines of these topics, of the runs that answer them."""
        present = [topic for topic in topics if topic in self._place]
        words = (
            f"topics {present[0]} to {present[-1]}" if len(present) > 1 else f"topic {present[0]}"
        )
        inputs = sorted(self._fetched(present, words), key=lambda numbered: numbered[0])
        how = self._how
        made = [source for _, source in inputs]
        options = [
            reading_options(source, how["duplicates"], how["malformed"], ties=how["ties"])
            for source in made
        ]
        scanned, reports = scan(made, options, how["workers"])
        self._met += notices_of([source.path for source in made], reports, how["duplicates"])
        runs = Runs(
            systems=tuple(str(number) for number, _ in inputs),
            topics=scanned.topics,
            topic_starts=scanned.document_starts,
            documents=scanned.documents,
            rankings=scanned.rankings,
            list_starts=scanned.list_starts,
            tied=scanned.tied,
        )
        self._keep_lengths(runs, [number for number, _ in inputs], present)
        return runs

    def _fetched(self, topics: list[str], words: str) -> Iterator[tuple[int, MemoryBytes]]:
        """Yield the lines of each run, and its number, as the tables have them."""
        for at, (table, values) in enumerate(zip(self._tables, self._values, strict=True)):
            wanted = [values[topic] for topic in topics if topic in values]
            rows = table.of_topics(wanted, words) if wanted else None
            for made in runs_in_rows(rows) if rows is not None else ():
                yield self._runs[at, made.system], made

    def _keep_lengths(self, fetched: Runs, runs: list[int], topics: list[str]) -> None:
        """Take the lists as they were read: lines may have been left out."""
        self.lengths[:, [self._place[topic] for topic in topics]] = 0
        cells = np.ix_(runs, [self._place[topic] for topic in fetched.topics])
        self.lengths[cells] = fetched.lengths


def line_tables(sources: Sequence[Any], max_ratio: float, *, files: bool) -> list[Lines]:
    """Return the tables that runs lie in elsewhere; none where any source is something else.

    Parameters
    ----------
    sources
        What runs are to be read from.
    max_ratio
        How many times its size a Parquet file may unfold to.
    files
        Whether Parquet files are such tables, too.
    """
    all_tables: list[Lines] = []
    for source in sources:
        is_file = is_path(source) and files
        tables = _of_files(source, max_ratio) if is_file else [lines_of(source)]
        if not tables or None in tables:
            return []
        all_tables += [table for table in tables if table is not None]
    return all_tables


def _of_files(source: Any, max_ratio: float) -> list[Lines | None]:
    """Return the tables of Parquet files of this machine: one for all parts, or one for each."""
    paths = find_files(source)
    if not all(path.endswith(PARQUET) and is_stored(path) for path in paths):
        return []
    if is_one_table(paths):
        return [lines_of_parquet(str(source), paths, max_ratio)]
    return [lines_of_parquet(path, [path], max_ratio) for path in paths]
