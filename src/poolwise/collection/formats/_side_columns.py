"""What was measured of runs beside their quality: latency, cost, tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.collection.files._sources import csv_rows, read_text
from poolwise.collection.formats._rows import Rows, as_frame, rows_of_frame
from poolwise.collection.formats._text_files import read_jsonl, read_whole_json
from poolwise.errors import InputError, OptionError

__all__ = ["SideColumn", "read_side_columns"]

_RATES = ("qps", "throughput", "per_second", "per_sec", "speed")
"""Words in names of columns of which more is better; of all others less is."""
_IDS = ("rank", "repeat", "repetition", "trial", "iteration", "seed")
"""Columns of numbers that measure nothing."""
_MOST = 1e100
"""The largest measurement: squares of larger ones would be infinite."""


@dataclass(frozen=True)
class SideColumn:
    """One column of measurements: of each run, on topics or as a whole, once or several times.

    Attributes
    ----------
    name : str
        As the file calls it.
    of_runs : dict from str to dict
        By run and topic the measurements; the topic is empty where a run is measured as a whole.
    more_is_better : bool
        As for queries per second; of latency and cost, less is.

    Examples
    --------
    >>> rows = [{"run": "a", "topic": "1", "ms": 12}, {"run": "a", "topic": "1", "ms": 14}]
    >>> read_side_columns(rows)[0].of_runs
    {'a': {'1': (12.0, 14.0)}}
    """

    name: str
    of_runs: Mapping[str, Mapping[str, tuple[float, ...]]]
    more_is_better: bool = False


def read_side_columns(source: Any, *, more: Sequence[str] = ()) -> tuple[SideColumn, ...]:
    r"""Read what was measured of runs: CSV, lines with tabs, JSONL or JSON, records or a frame.

    A row has a run, a topic if it is of one, and numbers, in columns of which each is one
    measurement; rows of the same run and topic are repetitions. Columns of words are left out.

    Parameters
    ----------
    source
        The file, a list of dicts, or a frame.
    more
        The columns of which more is better; by default those that are called rates, such as qps.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("run,latency_ms,qps\nbm25,12.5,80\ndense,31,32\n")
    ...     file.flush()
    ...     columns = read_side_columns(file.name)
    >>> [(column.name, column.more_is_better) for column in columns]
    [('latency_ms', False), ('qps', True)]
    >>> columns[0].of_runs
    {'bm25': {'': (12.5,)}, 'dense': {'': (31.0,)}}
    """
    rows = _rows_of(source)
    runs, topic = rows.ids("system"), rows.find("topic")
    topics = _topics(rows, topic) if topic else [""] * len(runs)
    ids = {rows.need("system"), topic}
    columns = []
    for name in rows.names:
        numbers = None if name in ids or name.lower() in _IDS else _numbers(rows, name)
        if numbers is not None:
            upwards = name in more if more else any(word in name.lower() for word in _RATES)
            columns.append(SideColumn(name, _of_runs(rows, runs, topics, numbers), upwards))
    if not columns:
        rule = "there must be a column of numbers beside those of runs and topics"
        remedy = "add one, such as latency_ms or cost"
        raise InputError(rows.where, rule, value=", ".join(rows.names), remedy=remedy)
    if unknown := [name for name in more if name not in {column.name for column in columns}]:
        raise OptionError(
            f"more: there is no column of numbers {unknown[0]!r}. Hint: use one of "
            f"{', '.join(column.name for column in columns)}."
        )
    return tuple(columns)


def _topics(rows: Rows, name: str) -> list[str]:
    """Return the topic of each row, empty where a run was measured as a whole."""
    cells = ["" if cell is None else cell for cell in rows.column(name)]
    return Rows.of(rows.where, {name: cells}).ids("topic")


def _rows_of(source: Any) -> Rows:
    if isinstance(source, str | Path):
        return _rows_of_file(str(source))
    frame = as_frame(source)
    if frame is not None:
        return rows_of_frame(frame)
    if isinstance(source, list | tuple) and all(isinstance(row, Mapping) for row in source):
        return _rows_of_records("<records>", list(enumerate(source, 1)))
    raise OptionError(
        "beside: must be a file, a list of dicts or a frame; got "
        f"{type(source).__name__}. Hint: use [{{'run': 'bm25', 'latency_ms': 12.5}}, …]."
    )


def _rows_of_file(path: str) -> Rows:
    text = read_text(path).removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return _rows_of_records(path, list(enumerate(read_whole_json(path, text), 1)))
    if text.lstrip().startswith("{"):
        return _rows_of_records(path, read_jsonl(path, text))
    first = text.lstrip().partition("\n")[0]
    lines = csv_rows(path, text, delimiter="\t" if "\t" in first else ",", skip_blanks=True)
    if not lines:
        raise InputError(path, "there must be a heading", remedy="name the columns: run,latency_ms")
    heading = [name.strip() for name in lines[0][1]]
    for number, cells in lines[1:]:
        if len(cells) != len(heading):
            rule = f"a line must have a cell for each of the {len(heading)} columns"
            where = f"{path}:{number}"
            raise InputError(where, rule, value=",".join(cells), remedy="complete it")
    records = [(n, dict(zip(heading, cells, strict=True))) for n, cells in lines[1:]]
    return _rows_of_records(path, records, heading)


def _rows_of_records(
    where: str, records: Sequence[tuple[int, Mapping[str, Any]]], heading: Sequence[str] = ()
) -> Rows:
    names = list(heading) or list(dict.fromkeys(key for _, record in records for key in record))
    return Rows.of(where, {name: [record.get(name) for _, record in records] for name in names})


def _numbers(rows: Rows, name: str) -> list[float | None] | None:
    """Return the numbers of a column, None where a cell is empty; None for a column of words."""
    cells = [_number(cell) for cell in rows.column(name)]
    if not any(isinstance(cell, float) for cell in cells):
        return None
    for row, cell in enumerate(cells, 1):
        if isinstance(cell, str) or (cell is not None and not abs(cell) <= _MOST):
            rule = f"a measurement ({name}) must be a finite number, of at most {_MOST:g}"
            where = f"{rows.where}, row {row}"
            raise InputError(
                where, rule, value=cell, remedy="leave the cell empty if there is none"
            )
    return [None if cell is None else float(cell) for cell in cells]


def _number(cell: Any) -> float | str | None:
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    if isinstance(cell, str) and ("_" in cell or not cell.isascii()):
        return cell  # Python would read 1_000, and digits of other scripts
    try:
        return str(cell) if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        return str(cell)


def _of_runs(
    rows: Rows, runs: Sequence[str], topics: Sequence[str], numbers: Sequence[float | None]
) -> dict[str, dict[str, tuple[float, ...]]]:
    by_run: dict[str, dict[str, tuple[float, ...]]] = {}
    for run, topic, number in zip(runs, topics, numbers, strict=True):
        if number is not None:
            of_run = by_run.setdefault(run, {})
            of_run[topic] = (*of_run.get(topic, ()), number)
    mixed = [run for run, of_run in by_run.items() if "" in of_run and len(of_run) > 1]
    if mixed:
        rule = "a run is measured on topics or as a whole"
        remedy = "put means over topics into a file of their own"
        raise InputError(rows.where, rule, value=mixed[0], remedy=remedy)
    return by_run
