"""What made some numbers, as a file holds it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.provenance._provenance import Provenance, Source
from poolwise.results._columns import Columns, Rows, to_delimited
from poolwise.results._seals import OPEN_SEAL
from poolwise.version import __version__

__all__ = [
    "SCHEMA",
    "TITLE",
    "Record",
    "comment",
    "digest",
    "json_text",
    "numbers_digest",
    "parts_digest",
    "record_of",
]

Record = dict[str, Any]
"""An object of JSON: version, seal, command, inputs with hashes, options, notices, numbers."""

TITLE = "poolwise provenance: "
"""How a comment begins that holds a record."""


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
        "seal": OPEN_SEAL,
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
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | bool | int | float | None) else str(value)


def digest(*parts: bytes) -> str:
    """Return the SHA-256 of some bytes, as ``sha256sum`` prints it.

    Examples
    --------
    >>> digest(b"run ", b"p") == digest(b"run p")
    True
    """
    from hashlib import sha256  # noqa: PLC0415, late: slow to import

    hasher = sha256()
    for part in parts:
        hasher.update(part)
    return hasher.hexdigest()


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

    hasher = sha256()
    for i, part in enumerate(parts):
        hasher.update(_plain_text(part, header=i == 0).encode("utf-8", "surrogateescape"))
    return hasher.hexdigest()


def _plain_text(columns: Rows, *, header: bool = True) -> str:
    """Return the text whose hash is that of the numbers: tab-separated, as results mostly are."""
    return to_delimited(columns, "\t", header=header)


SCHEMA = "urn:poolwise:result:1"
"""The id of what JSON is written by: ``docs/schema/result-1.json``."""

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
    return beyond.sub(lambda match: json.dumps(match[0])[1:-1], text)


def comment(record: Record, form: str) -> str:
    r"""Return the record as one line that Markdown, HTML or LaTeX does not print.

    Examples
    --------
    >>> comment({"poolwise": "1.0", "command": ["a-->b"]}, "html")
    '<!-- poolwise provenance: {"poolwise": "1.0", "command": ["a-\\u002d\\u003eb"]} -->'
    >>> comment({"poolwise": "1.0"}, "latex")
    '% poolwise provenance: {"poolwise": "1.0"}'
    """
    line = TITLE + json.dumps(record)
    # What would end the comment, or begin a tag, becomes an escape that JSON reads back.
    for ending, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("--", "-\\u002d")):
        line = line.replace(ending, escaped)
    return f"% {line}" if form == "latex" else f"<!-- {line} -->"
