"""Records in files and beside them: found, checked, and written in one piece with the numbers."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.errors import InputError
from poolwise.provenance._files import Content, Staged, locked
from poolwise.provenance._provenance import SIDECAR, Source
from poolwise.results._records import TITLE, Record
from poolwise.results._seals import is_sealed, sealed

__all__ = [
    "described_file",
    "find_record",
    "is_altered",
    "is_written_by_poolwise",
    "sidecar_of",
    "write_recorded",
]


def sidecar_of(path: str | Path) -> Path:
    """Return the file that holds the provenance of a file which cannot hold it itself."""
    return Path(f"{path}{SIDECAR}")


def described_file(path: str | Path) -> Path:
    """Return the file that a sidecar is of, or the file itself."""
    return Path(str(path).removesuffix(SIDECAR))


# ---- writing


def write_recorded(
    contents: Mapping[Path, Content],
    record: Record,
    sidecars: Sequence[Path],
    *,
    check: Callable[[Path], None] = lambda _path: None,
) -> None:
    """Write files and their record, so that at any moment each file lies beside its own record.

    Two files cannot be replaced in one step. So the sidecar comes first and holds both records, the
    new one and that of the files which are still there; then come the files, and then a sidecar
    with the new record alone. Which record is that of a file, its hash says.

    Parameters
    ----------
    contents
        What the files are to hold.
    record
        What made it.
    sidecars
        The files for the record; none where the content holds it.
    check
        Raises where a file must not be replaced; it is asked when nobody else can write any more.
    """
    with Staged() as staged:
        files = [staged.add(path, content) for path, content in contents.items()]
        hashes = {file.path: _hash_of(file.hidden) for file in files}
        with locked([*contents, *sidecars]):
            for path in (*contents, *sidecars):
                check(path)
            first, last = [], []
            for sidecar in sidecars:
                written = {_name(path, sidecar): file_hash for path, file_hash in hashes.items()}
                before = [*_records_in_force(sidecar, contents)]
                # Where nothing was before, one sidecar is enough, and still comes first.
                both = {"before": before} if before else {}
                first.append(staged.add(sidecar, _sidecar({**record, "written": written, **both})))
                if before:
                    last.append(staged.add(sidecar, _sidecar({**record, "written": written})))
            staged.place([*first, *files, *last])


def _sidecar(record: Record) -> bytes:
    return sealed((json.dumps(record, indent=1) + "\n").encode())


def _records_in_force(sidecar: Path, paths: Mapping[Path, Content]) -> Iterator[Record]:
    """Yield the records of a sidecar that one of these files is still as it was written by."""
    hashes = {_name(path, sidecar): _hash_of(path) for path in paths}
    for record in _records_of(sidecar):
        if any(hashes[name] and hashes[name] == _written(record).get(name) for name in hashes):
            yield {key: value for key, value in record.items() if key != "before"}


def _name(path: str | Path, sidecar: Path) -> str:
    return Path(os.path.relpath(path, sidecar.parent)).as_posix()


def _hash_of(path: str | Path) -> str:
    return Source.of_file(str(path)).sha256 if Path(path).is_file() else ""


# ---- whose a file is


def is_written_by_poolwise(path: str | Path, *, sidecar: Path | None = None) -> bool:
    """Say whether a file is as poolwise wrote it, by its own seal or by its sidecar."""
    beside = sidecar or sidecar_of(path)
    return bool(_vouched(path, beside) or is_sealed(path) or _is_old_sidecar(path))


def is_altered(path: str | Path) -> bool:
    """Say whether a file shows that it is not as it was written; one without a seal shows nothing.

    What poolwise 0.2 wrote has no seal.
    """
    vouched = _vouched(path, sidecar_of(path))
    return is_sealed(path) is False if vouched is None else not vouched


def _vouched(path: str | Path, sidecar: Path) -> bool | None:
    """Say whether a sidecar has the hash of a file; None where it says nothing about the file."""
    name = _name(path, sidecar)
    hashes = [h for record in _records_of(sidecar) if (h := _written(record).get(name))]
    # Sidecars of 0.2 know the hash of the file that they replaced by this name.
    hashes += [
        h for record in _records_of(sidecar) if (h := _written(record, "replaced").get(name))
    ]
    return _hash_of(path) in hashes if hashes else None


def _written(record: Record, key: str = "written") -> dict[str, str]:
    hashes: dict[str, str] = record.get(key, {})
    return hashes


def _is_old_sidecar(path: str | Path) -> bool:
    """Say whether a file is a record and nothing else, without a seal, as 0.2 wrote sidecars."""
    content = Path(path).read_bytes() if str(path).endswith(".json") else b""
    return content.startswith(b'{\n "poolwise": "') and is_sealed(path) is None


# ---- reading


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
    own, beside = _records_of(path), sidecar_of(described_file(path))
    for records in (own, _records_of(beside)):
        if records:
            return _in_force(records, described_file(path), beside)
    raise InputError(
        str(path),
        "the file must hold the provenance of numbers, and neither it nor a sidecar does",
        remedy=f"name a file that poolwise wrote with -o, or its NAME{SIDECAR}",
    )


def _in_force(records: Sequence[Record], file: Path, sidecar: Path) -> Record:
    """Return the record that a file was written by; the newest where it was by none of them."""
    if len(records) > 1:
        name, file_hash = _name(file, sidecar), _hash_of(file)
        return next(
            (record for record in records if _written(record).get(name) == file_hash), records[0]
        )
    return records[0]


def _records_of(path: str | Path) -> list[Record]:
    """Return the record of a file, and those that were in force before it, if it holds any."""
    if not Path(path).is_file():
        return []
    content = Path(path).read_bytes()
    record = _of_parquet(path) if content.startswith(b"PAR1") else _of_text(content)
    return [] if record is None else [record, *record.get("before", ())]


def _of_parquet(path: str | Path) -> Record | None:
    from poolwise.results._parquet import parquet_record  # noqa: PLC0415 -- optional package

    return _checked(parquet_record(path))


def _of_text(content: bytes) -> Record | None:
    """Return the record in a sidecar, in JSON with rows, or in a comment."""
    text = content.decode("utf-8", "surrogateescape")
    start = text.find(TITLE)
    # A text among the rows of JSON may look like a comment, so that JSON is read from its start.
    at = start + len(TITLE) if start >= 0 and not text.startswith("{") else 0
    try:
        parsed, _ = json.JSONDecoder().raw_decode(text, at)
    # Files come from anywhere: thousands of brackets raise a RecursionError.
    except (ValueError, RecursionError):
        return None
    return _checked(parsed.get("provenance", parsed) if isinstance(parsed, dict) else None)


_SHAPE = {"poolwise": str, "command": list, "inputs": list, "numbers": str}
_MAYBE = {"options": dict, "notices": list, "written": dict, "replaced": dict, "before": list}


def _checked(record: Any) -> Record | None:
    """Return what was found if it has the shape of a record: files come from anywhere."""
    if not isinstance(record, dict) or not all(
        isinstance(record.get(key), kind) for key, kind in _SHAPE.items()
    ):
        return None
    odd = [key for key, kind in _MAYBE.items() if not isinstance(record.get(key, kind()), kind)]
    hashes = [_written(record, key) for key in ("written", "replaced") if key not in odd]
    whole = (
        not odd
        and all(_is_input(entry) for entry in record["inputs"])
        and all(isinstance(value, str) for by_file in hashes for value in by_file.values())
        and all(
            _checked(earlier) and "before" not in earlier for earlier in record.get("before", ())
        )
    )
    return record if whole else None


def _is_input(entry: Any) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(key), str) for key in ("path", "sha256")
    )
