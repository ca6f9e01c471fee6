"""Texts of documents by id: a small index beside files that may hold millions of them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.collection.files._sources import FileBytes
from poolwise.collection.formats._document_files import (
    LINES,
    Document,
    document_of_line,
    documents_of,
)
from poolwise.collection.formats._rows import IRDS
from poolwise.errors import InputError
from poolwise.provenance._files import make_folder, write_file

__all__ = ["DocumentPart", "Documents", "index_documents"]

_META, _HASHES, _PLACES, _LENGTHS = "part.json", "hashes.u64", "places.u64", "lengths.u32"
_COPY = "texts.jsonl"


@dataclass(frozen=True, eq=False)
class DocumentPart:
    """The documents that were added at one time.

    Each has the hash of its id, and the place of its line in one file: the one that was given,
    where that is plain lines, and else a copy in plain lines, since nothing can be found quickly
    within gz, Parquet, or a folder of many files. The hashes are sorted, and looked up on the disk.
    """

    folder: Path
    told: Mapping[str, Any]

    @classmethod
    def at(cls, folder: Path) -> "DocumentPart":
        """Open a part; its file must be as it was when it was indexed."""
        part = cls(folder, json.loads((folder / _META).read_text(encoding="utf-8")))
        if _stamp(part.file) != part.told["stamp"]:
            raise InputError(
                str(part.file),
                "a file of documents must be as it was when it was added",
                remedy="add it again: poolwise campaign add-documents",
            )
        return part

    @property
    def file(self) -> Path:
        """Where the texts are."""
        return Path(self.told["file"]) if self.told["file"] else self.folder / _COPY

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return self._array(_HASHES, np.uint64)

    def _array(self, name: str, kind: Any) -> NDArray[Any]:
        if not self.told["documents"]:
            return np.zeros(0, kind)
        return np.memmap(self.folder / name, kind, mode="r")

    @cached_property
    def _places(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        return self._array(_PLACES, np.uint64), self._array(_LENGTHS, np.uint32)

    def find(self, name: str) -> Document | None:
        """Return a document, or None."""
        code = np.uint64(_code(name))
        at = int(np.searchsorted(self._hashes, code))
        while at < len(self._hashes) and self._hashes[at] == code:
            document = self._read(at)
            if document.id == name:  # two ids may have one hash
                return document
            at += 1
        return None

    def _read(self, at: int) -> Document:
        places, lengths = self._places
        with self.file.open("rb") as file:  # one for each call: threads share no position
            file.seek(int(places[at]))
            line = file.read(int(lengths[at]))
        return document_of_line(line, str(self.file))


class Documents:
    r"""All documents of a campaign; of several with one id, the last that was added counts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     corpus = Path(folder, "corpus.jsonl")
    ...     _ = corpus.write_text('{"_id": "d1", "title": "On owls", "text": "They hoot."}\n')
    ...     _ = index_documents(Path(folder, "documents"), corpus)
    ...     documents = Documents(Path(folder, "documents"))
    ...     len(documents), documents.find("d1"), documents.find("d2")
    (1, Document(id='d1', text='They hoot.', title='On owls', html=False), None)
    """

    def __init__(self, folder: Path) -> None:
        parts = sorted(folder.glob("*/part.json")) if folder.is_dir() else []
        self.parts = tuple(DocumentPart.at(path.parent) for path in parts)

    def __len__(self) -> int:
        """Return how many documents were added, those that were added again included."""
        return sum(int(part.told["documents"]) for part in self.parts)

    def find(self, name: str) -> Document | None:
        """Return a document, or None."""
        for part in reversed(self.parts):
            document = part.find(name)
            if document is not None:
                return document
        return None


def index_documents(folder: Path, source: str | Path) -> DocumentPart:
    """Add documents to those of a folder.

    Parameters
    ----------
    folder : Path
        Where the indexes are.
    source : str or Path
        A file of lines, JSON objects or an id, a tab and a text, plain or compressed; a Parquet
        file; a folder of such files, or of one file for each document; or ``irds:`` and a dataset
        of ir_datasets.

    Returns
    -------
    DocumentPart
        What was added.
    """
    name = str(source)
    is_plain = not name.startswith(IRDS) and Path(name).is_file() and _is_plain_lines(Path(name))
    place = folder / f"{_next_number(folder):04d}"
    make_folder(place)
    if is_plain:
        file = Path(name).resolve()
        count = _write_index(place, _lines_in_place(file))
    else:
        file = place / _COPY
        count = _write_index(place, _lines_copied(file, documents_of(name)))
    if not count:
        raise InputError(name, "there must be a document at least", remedy="check what is in it")
    meta = {
        "source": name,
        "file": str(file) if is_plain else "",
        "stamp": _stamp(file),
        "documents": count,
    }
    write_file(place / _META, json.dumps(meta).encode())  # last: a part without it is none
    return DocumentPart(place, meta)


def _next_number(folder: Path) -> int:
    return max((int(path.name) for path in folder.glob("[0-9]*")), default=0) + 1


def _stamp(file: Path) -> list[int]:
    try:
        status = file.stat()
    except OSError as error:
        rule = f"a file of documents must stay where it is: {error.strerror}"
        remedy = "put it back, or add it from its new place"
        raise InputError(str(file), rule, remedy=remedy) from error
    return [status.st_size, status.st_mtime_ns]


def _code(name: str) -> int:
    """Return 64 bits of the hash of an id."""
    hashed = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "little")


Placed = tuple[str, int, int]
"""The id of a document, and where its line begins and how long it is."""


def _write_index(place: Path, documents: Iterable[Placed]) -> int:
    """Write the hashes of ids in their order, and beside each where its line is."""
    rows = np.fromiter(
        ((_code(name), at, length) for name, at, length in documents),
        np.dtype([("code", np.uint64), ("at", np.uint64), ("length", np.uint32)]),
    )
    order = np.argsort(rows["code"], kind="stable")
    names = {"code": _HASHES, "at": _PLACES, "length": _LENGTHS}
    for column, name in names.items():
        write_file(place / name, np.ascontiguousarray(rows[column][order]).tobytes())
    return len(rows)


def _is_plain_lines(path: Path) -> bool:
    return path.suffix.lower() in LINES and FileBytes(str(path)).plain() is not None


def _lines_in_place(path: Path) -> Iterator[Placed]:
    at = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield document_of_line(line, f"{path}:{number}").id, at, len(line)
            at += len(line)


def _lines_copied(copy: Path, documents: Iterable[Document]) -> Iterator[Placed]:
    at = 0
    with copy.open("wb") as file:
        for document in documents:
            line = json.dumps(document._asdict()).encode() + b"\n"
            file.write(line)
            yield document.id, at, len(line)
            at += len(line)
