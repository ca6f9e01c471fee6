"""Folders of Parquet that are one table, as engines for large data write them."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from poolwise.collection.files.frames import rows_of_frame
from poolwise.collection.files.remote import filesystem_of, is_address
from poolwise.collection.shapes.rows import Rows
from poolwise.errors import InputError, MissingExtraError

__all__ = ["PARQUET", "is_one_table", "read_parquet_folder"]

PARQUET = (".parquet", ".pq")
"""How the names of Parquet files end."""
_PART = re.compile(r"part[-._]\d.*")
_PARTITION = re.compile(r"[^/=]+=[^/]*")


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
    return bool(_PART.fullmatch(place.name) or _PARTITION.fullmatch(place.parent.name))


def read_parquet_folder(source: str, files: Sequence[str]) -> Rows:
    """Return the rows of Parquet files one below the other; their folders may name columns."""
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    try:
        import pyarrow.dataset as ds  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    system, places = _places(files)
    try:
        parts = ds.dataset(places, format="parquet", partitioning="hive", filesystem=system)
        table = parts.to_table()
    except (OSError, ValueError, NotImplementedError) as error:
        rule = f"the files must be intact Parquet: {str(error).splitlines()[0].rstrip('.')}"
        raise InputError(source, rule, remedy="write or download them again") from error
    return rows_of_frame(nw.from_native(table, eager_only=True), source)


def _places(files: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the file system that files lie on, None for this machine's, and their places there."""
    if not is_address(files[0]):
        return None, list(files)
    return filesystem_of(files[0])[0], [filesystem_of(file)[1] for file in files]
