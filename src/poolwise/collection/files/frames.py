"""Data frames as rows: pandas, polars, Arrow, and what is read into them."""

from typing import Any

from poolwise.collection.files.remote import is_address, open_address
from poolwise.collection.shapes.rows import Rows
from poolwise.errors import InputError, MissingExtraError

__all__ = ["as_frame", "read_parquet", "rows_of_frame"]

_FRAME = "<frame>"
"""What messages call a frame that is not from a file."""


def as_frame(source: Any) -> Any | None:
    """Return a narwhals frame, a lazy one collected; None if it is no frame that narwhals knows."""
    if isinstance(source, list | tuple):
        return None
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        rule = "the columns of a frame must have different names"
        raise InputError(_FRAME, rule, remedy="rename or drop one of them") from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def read_parquet(path: str) -> Any:
    """Return the narwhals frame of a Parquet file, read by pyarrow."""
    import narwhals as nw  # noqa: PLC0415, late: as above

    try:
        if is_address(path):
            return nw.from_native(_read_elsewhere(path), eager_only=True)
        return nw.read_parquet(path, backend="pyarrow")
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    except (OSError, ValueError, NotImplementedError) as error:
        rule = f"the file must be intact Parquet: {str(error).splitlines()[0].rstrip('.')}"
        raise InputError(path, rule, remedy="write or download it again") from error


def _read_elsewhere(address: str) -> Any:
    import pyarrow.parquet as pq  # noqa: PLC0415 -- optional package

    with open_address(address) as file:
        return pq.read_table(file)


def rows_of_frame(frame: Any, where: str = _FRAME) -> Rows:
    """Return a frame as rows; ``where`` is the file it is from."""
    names = tuple(map(str, frame.columns))
    return Rows(where, names, lambda name: frame[name].to_list())
