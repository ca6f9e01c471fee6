"""Named columns as Parquet, with what produced them in the metadata of the file."""

import json
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from poolwise.errors import InputError, MissingExtraError
from poolwise.provenance._files import Content, write_file
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, RowParts, Rows, to_frame
from poolwise.results._seals import seal

__all__ = ["parquet_content", "parquet_record", "parquet_rows", "write_parquet"]

_KEY = b"poolwise"
"""The entry of the metadata that holds the provenance."""


@recorded
def write_parquet(
    columns: Columns | RowParts, path: str | Path, *, record: dict[str, Any] | None = None
) -> None:
    """Write the columns as a Parquet file, with their provenance if it is given (needs pyarrow).

    Parameters
    ----------
    columns : dict from str to list, or RowParts
        Named columns of one length; each part of the rows becomes a row group when it is made.
    path : str or Path
        The file; one that is there already is replaced.
    record : dict, optional
        What produced the numbers; it goes into the metadata of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.parquet"
    ...     write_parquet({"run": ["a"], "AP": [0.25]}, path, record={"seed": 1})
    ...     print(parquet_rows(path), parquet_record(path))
    {'run': ['a'], 'AP': [0.25]} {'seed': 1}
    """
    write_file(path, parquet_content(columns, record))


def parquet_content(columns: Columns | RowParts, record: dict[str, Any] | None = None) -> Content:
    """Return what writes a Parquet file: :func:`write_parquet` says of what."""
    return partial(_write_rows, columns=columns, record=record)


def _write_rows(
    file: IO[bytes], columns: Columns | RowParts, record: dict[str, Any] | None
) -> None:
    tables = map(_table, [columns] if isinstance(columns, dict) else columns)
    # The schema is written before any row, and rows may come in parts: the first part has it.
    first = next(tables)
    # Only now: making the first table has told who lacks the package.
    import pyarrow.parquet as pq  # noqa: PLC0415 -- optional package

    metadata = {_KEY: json.dumps(record).encode()} if record else {}
    schema = first.schema.with_metadata(metadata)
    with pq.ParquetWriter(file, schema) as writer:
        for table in chain([first], tables):
            # A column that is empty in one part alone has another type there.
            writer.write_table(table.cast(schema))
    if file.seekable():  # a pipe is no file that could be edited
        seal(file)


def _table(columns: Rows) -> Any:
    cells = {name: [_utf8(cell) for cell in column] for name, column in columns.items()}
    return to_frame(cells, backend="pyarrow")


def _utf8(cell: Any) -> Any:
    """Return a text in which bytes that are not UTF-8 are escapes, as Parquet wants."""
    if not isinstance(cell, str):
        return cell
    return cell.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def parquet_record(path: str | Path) -> Any:
    """Return the provenance in the metadata of a Parquet file, None where there is none."""
    metadata = _opened(path).schema_arrow.metadata or {}
    try:
        return json.loads(metadata[_KEY]) if _KEY in metadata else None
    except (ValueError, RecursionError):  # files come from anywhere
        return None


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
