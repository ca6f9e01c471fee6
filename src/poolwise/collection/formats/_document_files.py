"""Documents with their texts: lines, Parquet, folders, and the datasets of ir_datasets."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from poolwise.collection.files._sources import FileBytes, lines_of, read_text
from poolwise.collection.formats._parquet import PARQUET, parquet_records
from poolwise.collection.formats._rows import IRDS, load_dataset
from poolwise.errors import InputError

__all__ = ["LINES", "Document", "document_of_line", "documents_of", "read_hashes"]

_IDS = ("docno", "doc_id", "docid", "_id", "id")
_TEXTS = ("title", "text", "contents", "body", "passage", "doc")
"""Names that records give to what is shown, in the order in which it is put together."""
_BODIES = _TEXTS[1:]
_HTML = (".html", ".htm")
LINES = (".jsonl", ".ndjson", ".tsv")
"""Endings of files that hold a document in each line."""
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")


class Document(NamedTuple):
    """A document to be read by people.

    Examples
    --------
    >>> Document("a", "They  hoot.", "On owls").shown
    'On owls They hoot.'
    """

    id: str
    text: str
    title: str = ""
    html: bool = False

    @property
    def shown(self) -> str:
        """Title and text in one line."""
        return " ".join(f"{self.title} {self.text}".split())

    @property
    def sha256(self) -> str:
        """The hash of what is read, so that a changed text is known as one.

        Examples
        --------
        >>> Document("a", "some text").sha256 == Document("b", "some text").sha256
        True
        """
        read = f"{self.title}\n{self.text}" if self.title else self.text
        return sha256(read.encode("utf-8", "surrogatepass")).hexdigest()


def documents_of(source: str) -> Iterator[Document]:
    r"""Go through documents, in the order of their files.

    Parameters
    ----------
    source : str
        A file of lines, JSON objects or an id, a tab and a text, plain or compressed; a Parquet
        file; a folder of such files, or of one file for each document; or ``irds:`` and a dataset
        of ir_datasets.

    Yields
    ------
    Document

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
    ...     _ = file.write("a\tone text\nb\tanother\n")
    ...     file.flush()
    ...     [document.id for document in documents_of(file.name)]
    ['a', 'b']
    """
    if source.startswith(IRDS):
        for item in load_dataset(source).docs_iter():
            yield _of_record(item._asdict(), source)
    elif Path(source).is_dir():
        yield from _of_folder(Path(source))
    else:
        yield from _of_file(source)


def document_of_line(line: bytes, where: str) -> Document:
    """Read the line of a document: a JSON object, or an id, a tab and a text."""
    text = line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")
    if text.lstrip().startswith("{"):
        return _of_record(_loaded(text, where), where)
    name, tab, said = text.partition("\t")
    if not tab:
        rule = "a line must be a JSON object, or an id, a tab and a text"
        raise InputError(where, rule, value=name[:40], remedy="put a tab between id and text")
    # An id keeps its bytes, whatever they are; a text is read by people.
    return Document(name.strip(), said.encode("utf-8", "surrogateescape").decode(errors="replace"))


def _loaded(line: str, where: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        rule = f"the line must be intact JSON: {error}"
        raise InputError(where, rule, remedy="write or download the file again") from error


def _of_record(record: Mapping[str, Any], where: str) -> Document:
    name = next((record[key] for key in _IDS if key in record), None)
    texts = [record[key] for key in _BODIES if isinstance(record.get(key), str)]
    title = record.get("title")
    if name is None or not (texts or title):
        rule = f"a document must have an id ({', '.join(_IDS)}) and a text ({', '.join(_TEXTS)})"
        remedy = "rename its members"
        raise InputError(where, rule, value=", ".join(map(str, record)), remedy=remedy)
    is_html = record.get("html") is True
    return Document(str(name), _whole(" ".join(texts)), _whole(str(title or "")), html=is_html)


def _whole(text: str) -> str:
    """Replace half a surrogate pair, which JSON may hold: it could not be sent or hashed."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _of_file(path: str) -> Iterator[Document]:
    """Go through the documents of a file, here or elsewhere."""
    if path.lower().endswith(tuple(PARQUET)):
        yield from (_of_record(record, path) for record in parquet_records(path))
        return
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            yield document_of_line(line, f"{path}:{number}")


def _lines(path: str) -> Iterator[bytes]:
    begun: list[bytes] = []  # parts of a line, joined once: a file may be one line
    for block in FileBytes(path):
        first, *rest = bytes(block).split(b"\n")
        begun.append(first)
        if rest:
            yield b"".join(begun)
            yield from rest[:-1]
            begun = [rest[-1]]
    yield b"".join(begun)


def _of_folder(folder: Path) -> Iterator[Document]:
    """Go through files of many documents, or files that are a document each, named by their id."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name[0] != "."):
        ending = path.with_suffix("").suffix if path.suffix in _COMPRESSED else path.suffix
        if ending.lower() in (*LINES, *PARQUET):
            yield from _of_file(str(path))
        else:
            name = path.relative_to(folder).with_suffix("").as_posix()
            text = path.read_text(encoding="utf-8", errors="replace")
            yield Document(name, text, html=ending.lower() in _HTML)


_HASHED = ("document_sha256", "sha256")
"""What files call the hash of what a document said."""


def read_hashes(path: str | Path) -> dict[str, str]:
    r"""Read what documents said when they were judged, as the SHA-256 of each.

    Lines hold a document, a tab and its hash; or, below a heading, the columns ``document`` and
    ``document_sha256``, as the labels have that a campaign exports. Empty hashes are left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write(f"a\t{'0' * 64}\n")
    ...     file.flush()
    ...     list(read_hashes(file.name))
    ['a']
    """
    lines = [line.split("\t") for line in lines_of(read_text(path).removeprefix("\ufeff"))]
    heading = lines[0] if lines else []
    hashed = next((heading.index(name) for name in _HASHED if name in heading), None)
    places = (0, 1)
    if hashed is not None and "document" in heading:
        places, lines = (heading.index("document"), hashed), lines[1:]
    hashes: dict[str, str] = {}
    for number, fields in enumerate(lines, 2 if places != (0, 1) else 1):
        if len(fields) <= max(places) or not re.fullmatch("([0-9a-f]{64})?", fields[places[1]]):
            rule = "a line must hold a document, a tab and the SHA-256 of what it said"
            remedy = "take the file of audit --save-hashes, or the labels of campaign export"
            raise InputError(f"{path}:{number}", rule, value="\t".join(fields)[:80], remedy=remedy)
        name, code = fields[places[0]], fields[places[1]]
        if code and hashes.setdefault(name, code) != code:
            rule = "a document must have said one thing when it was judged, and has two hashes"
            remedy = "remove the lines of the text that you do not ask about"
            raise InputError(f"{path}:{number}", rule, value=name, remedy=remedy)
    return hashes
