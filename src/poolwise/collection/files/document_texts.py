"""Texts of documents, by id, from JSONL or from lines with a tab; only those that are wanted."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from poolwise.collection.files.sources import FileBytes
from poolwise.errors import InputError

__all__ = ["read_texts"]

_IDS = ("docno", "doc_id", "docid", "_id", "id")
_TEXTS = ("title", "text", "contents", "body", "passage", "doc")
"""Names that JSONL files give to what is shown, in the order in which it is put together."""


def read_texts(source: str | Path | Mapping[str, str], wanted: Collection[str]) -> dict[str, str]:
    """Read the texts of some documents.

    Parameters
    ----------
    source : str, Path or mapping
        A file, plain or compressed: JSONL whose objects have an id (``docno``, ``doc_id``,
        ``docid``, ``_id`` or ``id``) and a text (``title``, ``text``, ``contents``, ``body``,
        ``passage`` or ``doc``), or lines with an id, a tab and a text; or a dict from id to text.
    wanted : collection of str
        The documents whose texts are kept, so that a file may be larger than memory.

    Returns
    -------
    dict from str to str
        The texts that were found.

    Examples
    --------
    >>> read_texts({"a": "one text", "b": "another"}, {"b", "c"})
    {'b': 'another'}
    """
    if isinstance(source, Mapping):
        return {name: str(source[name]) for name in wanted if name in source}
    found: dict[str, str] = {}
    for where, line in _lines(str(source)):
        name, text = _object(where, line) if line.startswith("{") else _tabbed(where, line)
        if name in wanted:
            found[name] = " ".join(text.split())
    return found


def _lines(path: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that are not empty, each with its place."""
    rest, number = b"", 0
    for block in FileBytes(path):
        *whole, rest = (rest + bytes(block)).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield f"{path}:{number}", _decoded(line)
    if rest.strip():
        yield f"{path}:{number + 1}", _decoded(rest)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8-sig", "surrogateescape").strip("\r")


def _object(where: str, line: str) -> tuple[str, str]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        rule = f"the line must be intact JSON: {error.msg}"
        raise InputError(where, rule, remedy="write or download the file again") from error
    names = [name for name in _IDS if name in found]
    texts = [name for name in _TEXTS if isinstance(found.get(name), str)]
    if not names or not texts:
        rule = f"an object must have an id ({', '.join(_IDS)}) and a text ({', '.join(_TEXTS)})"
        raise InputError(where, rule, value=_shortened(found), remedy="rename its members")
    return str(found[names[0]]), " ".join(found[name] for name in texts)


def _tabbed(where: str, line: str) -> tuple[str, str]:
    name, tab, text = line.partition("\t")
    if not tab:
        rule = "a line must be a JSON object, or an id, a tab and a text"
        raise InputError(where, rule, value=line[:40], remedy="put a tab between id and text")
    return name.strip(), text


def _shortened(found: dict[str, Any]) -> str:
    return ", ".join(found)
