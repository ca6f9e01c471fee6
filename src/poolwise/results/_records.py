"""Files that say what made them, and whether it would make them again."""

import csv
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.errors import InputError
from poolwise.provenance._provenance import SIDECAR, Provenance, Source
from poolwise.results._columns import Columns, Rows, to_csv
from poolwise.results._parquet import parquet_rows
from poolwise.version import __version__
from poolwise.words import counted, named

__all__ = [
    "Record",
    "Replay",
    "comment",
    "compare_inputs",
    "compare_numbers",
    "digest",
    "find_record",
    "is_written_by_poolwise",
    "json_text",
    "kept_columns",
    "numbers_digest",
    "parts_digest",
    "record_of",
    "replay_of",
    "sidecar_bytes",
    "sidecar_of",
]

Record = dict[str, Any]
"""An object of JSON: version, command, inputs with their hashes, options, notices, numbers."""

_TITLE = "poolwise provenance: "
_HEAD = 4096
"""Bytes at the beginning of a file in which its provenance begins, if it has any."""
_BEGINNINGS = (f'{_TITLE}{{"poolwise": "', '{"provenance": {"poolwise": "', '{\n "poolwise": "')


def record_of(
    provenance: Provenance,
    numbers: str,
    *,
    command: Sequence[str] = (),
    files: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
) -> Record:
    """Return what made some numbers, as JSON takes it.

    Parameters
    ----------
    provenance
        Of the finding that holds the numbers.
    numbers
        Their digest: see :func:`numbers_digest`.
    command
        The words after ``poolwise`` that made them.
    files
        All files that were given; those that the provenance does not know are added.
    options
        Of the command; those of the provenance go before them.

    Examples
    --------
    >>> made = record_of(Provenance().with_options(seed=7), "3f5a", command=["power"])
    >>> made["command"], made["options"], made["numbers"]
    (['power'], {'seed': 7}, '3f5a')
    """
    return {
        "poolwise": __version__,
        "command": list(command),
        "inputs": _inputs(provenance, files),
        "ties": provenance.tie_rule,
        "topics": _plain(provenance.topic_rule),
        "options": _plain({**(options or {}), **dict(provenance.options)}),
        "notices": [vars(notice) for notice in provenance.notices],
        "numbers": numbers,
    }


def _inputs(provenance: Provenance, files: Iterable[str]) -> list[dict[str, str]]:
    """Return every input once, with the hash of what was read."""
    read = {source.path: source for source in provenance.sources}
    # What came through a pipe cannot be hashed again.
    others = {path: _known(path) for path in files if path not in read and path != "-"}
    return [
        {"path": source.path, "sha256": source.sha256}
        for source in (read | others).values()
        if source.path != "none"
    ]


def _known(path: str) -> Source:
    """Return a file that was given; what is elsewhere, by its address alone."""
    return Source.of_file(path) if Path(path).exists() else Source(path)


def _plain(value: Any) -> Any:
    """Return a value in the types of JSON; what has none goes by its name."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | bool | int | float | None) else str(value)


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, as ``sha256sum`` prints it."""
    from hashlib import sha256  # noqa: PLC0415, late: slow to import

    return sha256(content).hexdigest()


def numbers_digest(*tables: Columns) -> str:
    """Return a hash that is the same where all names and numbers are, to the last digit.

    Examples
    --------
    >>> numbers_digest({"p": [0.1]}) == numbers_digest({"p": [0.1 + 1e-18]})
    True
    >>> numbers_digest({"p": [0.1]}) == numbers_digest({"p": [0.1 + 1e-16]})
    False
    """
    return digest("\n".join(map(_plain_text, tables)).encode("utf-8", "surrogateescape"))


def parts_digest(parts: Iterable[Rows]) -> str:
    """Return the :func:`numbers_digest` of rows that come some at a time.

    Examples
    --------
    >>> parts_digest([{"p": [0.1]}, {"p": [0.2]}]) == numbers_digest({"p": [0.1, 0.2]})
    True
    """
    from hashlib import sha256  # noqa: PLC0415, late: slow to import

    found = sha256()
    for i, part in enumerate(parts):
        found.update(_plain_text(part, header=i == 0).encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _plain_text(columns: Rows, *, header: bool = True) -> str:
    """Return the text whose hash is that of the numbers: tab-separated, as results mostly are."""
    return to_csv(columns, separator="\t", header=header)


_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_NOT_UTF8 = re.compile("[\ud800-\udfff]")


def json_text(text: str, *, ascii_only: bool = False) -> str:
    r"""Return JSON with what its encoding cannot hold written as escapes, which JSON reads back.

    Examples
    --------
    >>> json_text('"caf\udce9"'), json_text('"café"', ascii_only=True)
    ('"caf\\udce9"', '"caf\\u00e9"')
    """
    beyond = _BEYOND_ASCII if ascii_only else _NOT_UTF8
    return beyond.sub(lambda found: json.dumps(found[0])[1:-1], text)


def comment(record: Record, form: str) -> str:
    r"""Return the record as one line that Markdown, HTML or LaTeX does not print.

    Examples
    --------
    >>> comment({"poolwise": "1.0", "command": ["a-->b"]}, "html")
    '<!-- poolwise provenance: {"poolwise": "1.0", "command": ["a-\\u002d\\u003eb"]} -->'
    >>> comment({"poolwise": "1.0"}, "latex")
    '% poolwise provenance: {"poolwise": "1.0"}'
    """
    line = _TITLE + json.dumps(record)
    # What would end the comment, or begin a tag, becomes an escape that JSON reads back.
    for ending, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("--", "-\\u002d")):
        line = line.replace(ending, escaped)
    return f"% {line}" if form == "latex" else f"<!-- {line} -->"


def sidecar_of(path: str | Path) -> Path:
    """Return the file that holds the provenance of a file which cannot hold it itself."""
    return Path(f"{path}{SIDECAR}")


def sidecar_bytes(record: Record, written: Mapping[Path, bytes], *, at: Path) -> bytes:
    """Return a sidecar: the record, and the hashes of the files that it is of.

    The hashes of the files that are there now are kept, too: should the process be killed between
    one write and the next, these are still known as ours.
    """
    new = {_name(path, at): digest(content) for path, content in written.items()}
    old = {_name(path, at): _hash_of(path) for path in written}
    told = {**record, "written": new, "replaced": {n: h for n, h in old.items() if h}}
    return (json.dumps(told, indent=1) + "\n").encode()


def _name(path: str | Path, sidecar: Path) -> str:
    return Path(os.path.relpath(path, sidecar.parent)).as_posix()


def _hash_of(path: str | Path) -> str:
    return Source.of_file(str(path)).sha256 if Path(path).is_file() else ""


def is_written_by_poolwise(path: str | Path, *, sidecar: Path | None = None) -> bool:
    """Say whether a file is as poolwise wrote it, by its own provenance or by its sidecar."""
    with Path(path).open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return _of_parquet(path) is not None
    if any(beginning.encode() in head for beginning in _BEGINNINGS):
        return True
    beside = sidecar or sidecar_of(path)
    record = _of_text(beside.read_bytes()) if beside.is_file() else None
    known = [(record or {}).get(key, {}) for key in ("written", "replaced")]
    return _hash_of(path) in [hashes.get(_name(path, beside)) for hashes in known]


def find_record(path: str | Path) -> Record:
    """Return the provenance that a file holds, or that lies beside it.

    Examples
    --------
    >>> find_record("/nowhere")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: /nowhere: the file must exist. Hint: check the path.
    """
    if not Path(path).is_file():
        raise InputError(str(path), "the file must exist", remedy="check the path")
    content = Path(path).read_bytes()
    record = _of_parquet(path) if content.startswith(b"PAR1") else _of_text(content)
    beside = sidecar_of(path)
    if record is None and beside.is_file():
        record = _of_text(beside.read_bytes())
    if record is None:
        raise InputError(
            str(path),
            "the file must hold the provenance of numbers, and neither it nor a sidecar does",
            remedy=f"name a file that poolwise wrote with -o, or its NAME{SIDECAR}",
        )
    return record


def _of_parquet(path: str | Path) -> Record | None:
    from poolwise.results._parquet import parquet_record  # noqa: PLC0415 -- optional package

    return _checked(parquet_record(path))


def _of_text(content: bytes) -> Record | None:
    """Return the record in a sidecar, in JSON with rows, or in a comment."""
    text = content.decode("utf-8", "surrogateescape")
    start = text.find(_TITLE)
    # A text among the rows of JSON may look like a comment, so that JSON is read from its start.
    at = start + len(_TITLE) if start >= 0 and not text.startswith("{") else 0
    try:
        found, _ = json.JSONDecoder().raw_decode(text, at)
    # Files come from anywhere: thousands of brackets raise a RecursionError.
    except (ValueError, RecursionError):
        return None
    return _checked(found.get("provenance", found) if isinstance(found, dict) else None)


def _checked(found: Any) -> Record | None:
    """Return what was found if it has the shape of a record: files come from anywhere."""
    shape = {"poolwise": str, "command": list, "inputs": list, "numbers": str}
    is_one = isinstance(found, dict) and all(
        isinstance(found.get(key), kind) for key, kind in shape.items()
    )
    return found if is_one else None


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
    # A command may write several results: this file is the one with its hash, else the first.
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
