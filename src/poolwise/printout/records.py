"""What a file of numbers says about where they come from, so that they can be made again."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.errors import InputError
from poolwise.printout.columns import Columns, Rows, to_csv
from poolwise.printout.provenance import SIDECAR, Provenance, Source
from poolwise.version import __version__

__all__ = [
    "Record",
    "comment",
    "digest",
    "find_record",
    "is_written_by_poolwise",
    "json_text",
    "numbers_digest",
    "parts_digest",
    "record_of",
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
    from poolwise.printout.parquet import parquet_record  # noqa: PLC0415 -- optional package

    return _checked(parquet_record(path))


def _of_text(content: bytes) -> Record | None:
    """Return the record in a sidecar, in JSON with rows, or in a comment."""
    text = content.decode("utf-8", "surrogateescape")
    start = text.find(_TITLE)
    at = start + len(_TITLE) if start >= 0 and not text.startswith("{") else 0
    try:
        found, _ = json.JSONDecoder().raw_decode(text, at)
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
