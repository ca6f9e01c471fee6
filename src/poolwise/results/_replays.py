"""Whether what made a file makes it again."""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.errors import InputError
from poolwise.results._columns import Columns
from poolwise.results._parquet import parquet_rows
from poolwise.results._record_files import described_file, is_altered
from poolwise.results._records import TITLE, Record
from poolwise.version import __version__
from poolwise.words import counted, named

__all__ = ["Again", "Replay", "compare_inputs", "compare_numbers", "kept_columns", "replay_of"]

_ROUNDING = 1e-9
"""Relative differences that another machine or another library may make."""


@dataclass(frozen=True)
class Replay:
    """Whether a result came out the same a second time, and what to say of it."""

    same: bool
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Again:
    """What a command would have written when it ran again: its record, and rows or a text.

    ``text`` is the file as people read it, where a program could not read the rows in it, and
    ``claims`` is what JSON holds of the claims.
    """

    record: Record
    columns: Columns
    text: str = ""
    claims: str = ""


def replay_of(path: str | Path, old: Record, again: Sequence[Again]) -> Replay:
    """Compare a file with what its command found when it ran again.

    Parameters
    ----------
    path
        The file, which may hold the rows.
    old
        Its record.
    again
        What the command found this time, the main result first.
    """
    hashes = [rerun.record["numbers"] for rerun in again]
    is_exact = old["numbers"] in hashes
    # A command may write several results: this file is the one with its hash, else the first.
    counterpart = again[hashes.index(old["numbers"]) if is_exact else 0]
    looks = (
        compare_inputs(old["inputs"], counterpart.record["inputs"]),
        _numbers(path, counterpart, old, is_exact=is_exact),
        _claims(described_file(path), counterpart),
    )
    said = [sentence for look in looks for sentence in look.sentences]
    return Replay(all(look.same for look in looks), (*said, *_versions(old)))


def _claims(file: Path, again: Again) -> Replay:
    """Compare what a file claims with what is claimed now."""
    members = _members(file) if file.is_file() else {}
    if members.get("claims") is None:
        return Replay(True, ())
    now = json.loads(again.claims or "{}")
    # A claim says as much as its grounds: by which measure, over which topics and documents.
    if any(members.get(name) != now.get(name) for name in ("claims", "grounds")):
        return Replay(False, ("The claims are not the same.",))
    return Replay(True, (f"{counted(len(now['claims']), 'claim')} made again, the same.",))


def _members(file: Path) -> dict[str, Any]:
    """Return what a file of JSON holds; nothing for any other."""
    try:
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _numbers(path: str | Path, again: Again, old: Record, *, is_exact: bool) -> Replay:
    """Compare the rows of a file, or the text where it holds none that a program could read."""
    file = described_file(path)
    rows = kept_columns(path) if again.columns else None
    if rows is None and file.is_file() and (is_altered(file) or _reads_otherwise(file, again, old)):
        return Replay(False, (f"{file} is no longer as it was written.",))
    comparison = compare_numbers(rows, again.columns) if rows is not None or not is_exact else None
    if is_exact and (comparison is None or comparison.same):
        return Replay(True, ("The numbers are the same, to the last digit.",))
    return comparison or compare_numbers(None, again.columns)


def _reads_otherwise(file: Path, again: Again, old: Record) -> bool:
    """Say whether a file shows people another text than the one its command would write now.

    A seal can be made by anybody; what is written cannot. Another version may write otherwise.
    """
    same = old["poolwise"] == __version__ and old["numbers"] == again.record["numbers"]
    if not again.text or not same:
        return False
    shown = file.read_bytes().decode("utf-8", "surrogateescape")
    return _without_record(shown) != _without_record(again.text)


def _without_record(text: str) -> list[str]:
    """Return the lines of a text, but for the first that holds a record."""
    lines = text.split("\n")
    held = next((i for i, line in enumerate(lines) if TITLE in line), None)
    return lines if held is None else lines[:held] + lines[held + 1 :]


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
    then, now = (
        {str(source.get("path")): source.get("sha256") for source in some} for some in (old, new)
    )
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
    # rows alone keep the names of their columns, and a settled goal has none
    if not any(then.values()) and not any(now.values()):
        return Replay(True, ("There are no rows, as before.",))
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
    if isinstance(cell, bool):
        return str(cell)  # to Python it is a number, in a file it is a word
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        return str(cell).removeprefix("'") if cell else None  # as --safe-csv writes it
    return None if math.isnan(number) else number


def _is_close(a: Any, b: Any) -> bool:
    return math.isclose(a, b, rel_tol=_ROUNDING) if _are_numbers(a, b) else bool(a == b)


def _are_numbers(a: Any, b: Any) -> bool:
    return isinstance(a, float) and isinstance(b, float)


def kept_columns(path: str | Path) -> Columns | None:
    """Return the rows that a file holds, or that the file beside a sidecar holds, if any does."""
    file = described_file(path)
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        start = opened.read(4)
    if start == b"PAR1":
        return parquet_rows(file)
    separator = {".csv": ",", ".tsv": "\t"}.get(file.suffix)
    try:
        if start.startswith(b"{"):
            return _of_json(file.read_text("utf-8"))
        return _of_delimited(file, separator) if separator else None
    # Files come from anywhere: other bytes, half a file, thousands of brackets.
    except (ValueError, RecursionError, csv.Error) as error:
        rule = f"the rows of the file must be readable: {error}"
        raise InputError(str(file), rule, remedy="make the file again") from error


def _of_json(text: str) -> Columns | None:
    """Return the rows of JSON; None where it is a record alone."""
    content = json.loads(text)
    return _columns(content["rows"]) if isinstance(content, dict) and "rows" in content else None


def _of_delimited(file: Path, separator: str) -> Columns:
    """Return rows with a line each; only LF and CR end one, whatever else Unicode knows."""
    text = io.StringIO(file.read_bytes().decode("utf-8", "surrogateescape"), newline="")
    names, *rows = [row for row in csv.reader(text, delimiter=separator) if row] or [[]]
    return _columns([dict(zip(names, row, strict=True)) for row in rows])


def _columns(rows: Any) -> Columns:
    """Return rows as columns; rows that have not all the same names are none."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("they must be a list of objects")
    names = rows[0].keys() if rows else ()
    if any(row.keys() != names for row in rows):
        raise ValueError("every row must have the same columns")
    return {name: [row[name] for row in rows] for name in names}
