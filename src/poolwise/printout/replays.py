"""Whether numbers that were made again are those of the file: inputs first, then cell by cell."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.printout.columns import Columns
from poolwise.printout.parquet import parquet_rows
from poolwise.printout.provenance import SIDECAR
from poolwise.printout.records import Record, is_written_by_poolwise
from poolwise.printout.words import counted, named
from poolwise.version import __version__

__all__ = ["Replay", "compare_inputs", "compare_numbers", "kept_columns", "replay_of"]

_ROUNDING = 1e-9
"""Relative differences that another machine or another library may make."""


@dataclass(frozen=True)
class Replay:
    """Whether a result came out the same a second time, and what to say of it."""

    same: bool
    sentences: tuple[str, ...]


def replay_of(path: str | Path, old: Record, again: Sequence[tuple[Record, Columns]]) -> Replay:
    """Compare a file with what its command found when it ran again.

    Parameters
    ----------
    path
        The file, which may hold the rows.
    old
        Its record.
    again
        What the command found this time: records and rows, the main result first.
    """
    hashes = [record["numbers"] for record, _ in again]
    is_exact = old["numbers"] in hashes
    record, columns = again[hashes.index(old["numbers"]) if is_exact else 0]
    inputs = compare_inputs(old["inputs"], record["inputs"])
    numbers = _numbers(path, columns, is_exact=is_exact)
    return Replay(
        inputs.same and numbers.same, (*inputs.sentences, *numbers.sentences, *_versions(old))
    )


def _numbers(path: str | Path, columns: Columns, *, is_exact: bool) -> Replay:
    """Compare the rows of a file, or its hash where it holds none that a program could read."""
    file, rows = _described(path), kept_columns(path) if columns else None
    if rows is None and file.is_file() and not is_written_by_poolwise(file):
        return Replay(False, (f"{file} is no longer as it was written.",))
    found = compare_numbers(rows, columns) if rows is not None or not is_exact else None
    if is_exact and (found is None or found.same):
        return Replay(True, ("The numbers are the same, to the last digit.",))
    return found or compare_numbers(None, columns)


def _described(path: str | Path) -> Path:
    """Return the file that a sidecar is of, or the file itself."""
    return Path(str(path).removesuffix(SIDECAR))


def _versions(old: Record) -> Iterator[str]:
    now = __version__
    if old["poolwise"] != now:
        yield f"The file was made by poolwise {old['poolwise']}; this is poolwise {now}."


def compare_inputs(old: Sequence[dict[str, str]], new: Sequence[dict[str, str]]) -> Replay:
    """Say which inputs have other bytes than they had.

    Examples
    --------
    >>> compare_inputs([{"path": "a.run", "sha256": "1f"}], [{"path": "a.run", "sha256": "2e"}])
    Replay(same=False, sentences=('The inputs are not the same: a.run has changed.',))
    """
    then, now = ({str(one.get("path")): one.get("sha256") for one in some} for some in (old, new))
    odd = [f"{path} is missing" for path in then if path not in now]
    odd += [f"{path} is new" for path in now if path not in then]
    odd += [f"{path} has changed" for path in then if path in now and then[path] != now[path]]
    if odd:
        return Replay(False, (f"The inputs are not the same: {named(odd)}.",))
    return Replay(True, (f"The inputs are the same: {counted(len(now), 'file')}.",))


def compare_numbers(old: Columns | None, new: Columns) -> Replay:
    """Say how many cells are other than they were, and by how much.

    Examples
    --------
    >>> compare_numbers({"p": [0.25, 1.0]}, {"p": [0.5, 1.0]}).sentences[0]
    'The numbers are not the same: 1 of 2 cells differs, numbers by 0.25 at most.'
    >>> compare_numbers({"p": [0.25]}, {"p": [0.25 + 1e-15]}).same
    True
    """
    if old is None:
        return Replay(False, ("The numbers are not the same.",))
    then, now = _cells(old), _cells(new)
    if [len(column) for column in then.values()] != [len(column) for column in now.values()]:
        return Replay(False, ("The numbers are not the same: there are other rows or columns.",))
    pairs = [pair for name in then for pair in zip(then[name], now.get(name, ()), strict=False)]
    others = [pair for pair in pairs if not _is_close(*pair)]
    if not others and then.keys() == now.keys():
        return Replay(True, ("The numbers are the same, to nine digits at least.",))
    far = max((abs(a - b) for a, b in others if _are_numbers(a, b)), default=0.0)
    differ = "differs" if len(others) == 1 else "differ"
    count = f"{len(others):,} of {counted(len(pairs), 'cell')} {differ}"
    return Replay(False, (f"The numbers are not the same: {count}, numbers by {far:.3g} at most.",))


def _cells(columns: Columns) -> dict[str, list[Any]]:
    return {name: [_cell(cell) for cell in cells] for name, cells in columns.items()}


def _cell(cell: Any) -> float | str | None:
    """Return a cell as every format gives it back: a number, a text, or nothing."""
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return str(cell).removeprefix("'") if cell else None  # as --safe-csv writes it
    return None if math.isnan(number) else number


def _is_close(a: Any, b: Any) -> bool:
    return math.isclose(a, b, rel_tol=_ROUNDING) if _are_numbers(a, b) else bool(a == b)


def _are_numbers(a: Any, b: Any) -> bool:
    return isinstance(a, float) and isinstance(b, float)


def kept_columns(path: str | Path) -> Columns | None:
    """Return the rows that a file holds, or that the file beside a sidecar holds, if any does."""
    file = _described(path)
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        start = opened.read(4)
    if start == b"PAR1":
        return parquet_rows(file)
    if start.startswith(b"{"):
        return _columns(json.loads(file.read_text("utf-8")).get("rows"))
    separator = {".csv": ",", ".tsv": "\t"}.get(file.suffix)
    if separator is None:
        return None
    text = file.read_text("utf-8", "surrogateescape")
    return _columns(list(csv.DictReader(text.splitlines(), delimiter=separator)))


def _columns(rows: Any) -> Columns | None:
    """Return rows as columns; None for what are no rows of one shape."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    names = rows[0].keys() if rows else ()
    return {name: [row.get(name) for row in rows] for name in names}
