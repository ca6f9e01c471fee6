"""Named columns as Parquet, with what produced them in the metadata of the file."""

import io
import json
from pathlib import Path
from typing import Any

from poolwise.errors import InputError, MissingExtraError
from poolwise.printout.columns import Columns, to_frame
from poolwise.printout.file_writing import write_file

__all__ = ["parquet_bytes", "parquet_record", "parquet_rows", "write_parquet"]

_KEY = b"poolwise"
"""The entry of the metadata that holds the provenance."""


def write_parquet(
    columns: Columns, path: str | Path, *, record: dict[str, Any] | None = None
) -> None:
    """Write the columns as a Parquet file, with their provenance if it is given (needs pyarrow)."""
    write_file(path, parquet_bytes(columns, record))


def parquet_bytes(columns: Columns, record: dict[str, Any] | None = None) -> bytes:
    """Return the columns as the bytes of a Parquet file."""
    cells = {name: [_utf8(cell) for cell in column] for name, column in columns.items()}
    table = to_frame(cells, backend="pyarrow")
    import pyarrow.parquet as pq  # noqa: PLC0415 -- optional package

    metadata = {_KEY: json.dumps(record).encode()} if record else {}
    file = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), file)
    return file.getvalue()


def _utf8(cell: Any) -> Any:
    """Return a text in which bytes that are not UTF-8 are escapes, as Parquet wants."""
    if not isinstance(cell, str):
        return cell
    return cell.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def parquet_record(path: str | Path) -> Any:
    """Return the provenance in the metadata of a Parquet file, None where there is none."""
    metadata = _opened(path).schema_arrow.metadata or {}
    return json.loads(metadata[_KEY]) if _KEY in metadata else None


def parquet_rows(path: str | Path) -> Columns:
    """Return the columns of a Parquet file."""
    columns: Columns = _opened(path).read().to_pydict()
    return columns


def _opened(path: str | Path) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 -- optional package
        import pyarrow.parquet as pq  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            str(path), f"the file must be readable as Parquet: {error}", remedy="check the file"
        ) from error
