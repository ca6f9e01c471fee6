"""Parquet files: read whole or as the parts of a table, once what they unfold to is bounded."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import SEEK_END
from pathlib import Path, PurePosixPath
from typing import IO, Any

from poolwise.collection.files._sources import (
    MAX_RATIO,
    filesystem_of,
    is_address,
    open_address,
    refuse_unfolding,
)
from poolwise.collection.formats._rows import Rows, rows_of_frame
from poolwise.errors import InputError, MissingExtraError

__all__ = [
    "PARQUET",
    "is_one_table",
    "open_dataset",
    "parquet_records",
    "read_parquet",
    "read_parquet_folder",
]

PARQUET = (".parquet", ".pq")
"""How the names of Parquet files end."""
_PART = r"part[-._]\d.*"
_PARTITION = r"[^/=]+=[^/]*"


def is_one_table(files: Sequence[str]) -> bool:
    """Say whether Parquet files are the parts of one table, by their names.

    Spark and Dask call them ``part-…``, or put them into folders such as ``run=bm25``.

    Examples
    --------
    >>> is_one_table(["lines/part-0.parquet", "lines/part-1.parquet"])
    True
    >>> is_one_table(["lines/run=bm25/0.parquet"]), is_one_table(["runs/bm25.parquet"])
    (True, False)
    """
    return all(path.endswith(PARQUET) and _is_part(path) for path in files)


def _is_part(path: str) -> bool:
    place = PurePosixPath(path.replace("\\", "/"))
    return bool(re.fullmatch(_PART, place.name) or re.fullmatch(_PARTITION, place.parent.name))


def read_parquet(path: str, max_ratio: float = MAX_RATIO) -> Rows:
    """Return the rows of a Parquet file, here or elsewhere."""
    with _intact(path), _opened(path, max_ratio) as file:
        return _rows(file.read(), path)


def read_parquet_folder(source: str, files: Sequence[str], max_ratio: float) -> Rows:
    """Return the rows of Parquet files one below the other; their folders may name columns."""
    dataset = open_dataset(source, files, max_ratio)
    with _intact(source, *_SEVERAL):
        return _rows(dataset.to_table(), source)


def _rows(table: Any, where: str) -> Rows:
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    return rows_of_frame(nw.from_native(table, eager_only=True), where)


def parquet_records(path: str) -> Iterator[Mapping[str, Any]]:
    """Go through the rows of a Parquet file, some at a time in memory."""
    with _intact(path), _opened(path, MAX_RATIO) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()


def open_dataset(where: str, files: Sequence[str], max_ratio: float) -> Any:
    """Return pyarrow's view of Parquet files that are one table."""
    with _intact(where, *_SEVERAL):
        import pyarrow.dataset as ds  # noqa: PLC0415 -- optional package

        for path in files:
            with _opened(path, max_ratio):
                pass  # it is looked at
        system, places = _places(files)
        return ds.dataset(places, format="parquet", partitioning="hive", filesystem=system)


@contextmanager
def _opened(path: str, max_ratio: float) -> Iterator[Any]:
    """Open a Parquet file, here or elsewhere, if it does not unfold to too much."""
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 -- optional package

    with open_address(path) if is_address(path) else Path(path).open("rb") as file:
        _refuse_if_it_unfolds(file, path, max_ratio)
        yield ParquetFile(file)


def _places(files: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the file system that files lie on, None for this machine's, and their places there."""
    if not is_address(files[0]):
        return None, list(files)
    return filesystem_of(files[0])[0], [filesystem_of(file)[1] for file in files]


_SEVERAL = ("files", "them")


@contextmanager
def _intact(where: str, what: str = "file", it: str = "it") -> Iterator[None]:
    """Make what pyarrow does not like of a file our error."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    except InputError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:  # pyarrow's own are among them
        rule = f"the {what} must be intact Parquet: {str(error).splitlines()[0].rstrip('.')}"
        raise InputError(where, rule, remedy=f"write or download {it} again") from error


_AT_ONCE = 1 << 16
"""Rows whose texts are counted at a time."""
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
_AS_LONG_AS_THEY_ARE = frozenset({"PLAIN", "RLE", "BIT_PACKED", "DELTA_LENGTH_BYTE_ARRAY"})
"""How texts may be written that take the room in a file, unpacked, that they take in memory.

Elsewhere a text that repeats takes no room, be it a megabyte long.
"""


def _refuse_if_it_unfolds(file: IO[bytes], path: str, max_ratio: float) -> None:
    """Raise if a file holds so much more than its size that reading it may fill the memory.

    Numbers are counted by what the file says of them. Texts are read as numbers of the entries of
    a dictionary, which stay small, and their lengths are added up.
    """
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 -- optional package

    size = file.seek(0, SEEK_END)
    texts, unfolded = _counted_by_columns(ParquetFile(file).metadata)
    refuse_unfolding(path, unfolded, size, max_ratio)
    if texts:
        parts = ParquetFile(file, read_dictionary=texts)
        for batch in parts.iter_batches(_AT_ONCE, columns=texts):
            unfolded += sum(map(_length, batch.columns))
            refuse_unfolding(path, unfolded, size, max_ratio)


def _counted_by_columns(metadata: Any) -> tuple[list[str], int]:
    """Return the columns of texts that may repeat, and the bytes of all others when unfolded."""
    texts, unfolded = set(), 0
    for row_group in map(metadata.row_group, range(metadata.num_row_groups)):
        for at in range(metadata.num_columns):
            chunk = row_group.column(at)
            unfolded += chunk.total_uncompressed_size
            width = _WIDTHS.get(chunk.physical_type) or metadata.schema.column(at).length
            unfolded += chunk.num_values * width
            if not width and not _AS_LONG_AS_THEY_ARE.issuperset(chunk.encodings):
                texts.add(chunk.path_in_schema)
    return sorted(texts), unfolded


def _length(column: Any) -> int:
    """Return the bytes of the texts of a column, in lists or not, each as often as it is there."""
    import pyarrow as pa  # noqa: PLC0415 -- who reads Parquet has the package
    import pyarrow.compute as pc  # noqa: PLC0415 -- as above

    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if pa.types.is_struct(column.type):
        return sum(map(_length, column.flatten()))
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).cast("int64")
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
