"""Objects of other libraries, by what they can do: frames, Parquet, datasets."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from poolwise.collection.files._sources import filesystem_of, is_address, open_address
from poolwise.collection.formats._rows import (
    Rows,
    are_records,
    by_columns,
    by_topic,
    rows_of_records,
)
from poolwise.errors import InputError, MissingExtraError, OptionError

__all__ = [
    "IRDS",
    "PARQUET",
    "as_frame",
    "is_one_table",
    "is_path",
    "name_of",
    "read_parquet",
    "read_parquet_folder",
    "rows_of_frame",
    "unfolded",
]

IRDS = "irds:"
"""How the id of a dataset of ir_datasets begins."""

_LONGEST = 120
"""How much of what another library says is repeated: a failed download says pages."""

Shape = Mapping[Any, Any] | Rows | list[Any]
"""A dict, rows, or a list of sources."""

_ITERATORS = {"runs": "scoreddocs_iter", "judgments": "qrels_iter"}
"""What a dataset of ir_datasets is asked for."""


def is_path(source: Any) -> bool:
    """Say whether a source is a path, a glob or a folder, and no object or dataset.

    Examples
    --------
    >>> is_path("runs/*.gz"), is_path("irds:vaswani"), is_path({})
    (True, False, False)
    """
    return isinstance(source, Path) or (isinstance(source, str) and not source.startswith(IRDS))


def name_of(source: Any) -> str:
    """Return the name that an object has for itself, such as a ranx Run; empty without one."""
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and hasattr(source, "to_dict") else ""


def unfolded(source: Any, kind: str) -> Shape:
    """Return runs or judgments of any make as a dict, as rows, or as a list of sources.

    A dict stays as it is, unless it holds columns by name. Known by what they can do are: frames,
    lazy ones too, and streams of Arrow; datasets of Hugging Face and of ir_datasets; whatever has
    ``to_dict``, as ranx's Qrels and Run have; arrays; and what can be iterated over, as records or
    as sources one by one.

    Examples
    --------
    >>> unfolded(iter([("1", "a", 0.5)]), "runs").column("score")
    [0.5]
    """
    if isinstance(source, Mapping):
        return by_columns(source, "<dict>")
    if isinstance(source, str) and source.startswith(IRDS):
        return _dataset_rows(_load_dataset(source), source, kind)
    # Frames come before to_dict, which frames of pandas and polars have, too.
    frame = as_frame(_tabular(source))
    if frame is not None:
        return rows_of_frame(frame)
    if hasattr(source, _ITERATORS[kind]):
        return _dataset_rows(source, _label(source), kind)
    if callable(getattr(source, "to_dict", None)) and not hasattr(source, "features"):
        made: Mapping[Any, Any] = source.to_dict()
        return made
    if isinstance(source, str | bytes | Path) or not isinstance(source, Iterable):
        raise _unreadable(source)
    if hasattr(source, "readline"):
        raise OptionError("source: an open file cannot be read. Hint: pass the path of the file.")
    return _listed(source, kind)


def _listed(source: Any, kind: str) -> Shape:
    # an array holds its rows as arrays, and one with named fields as tuples without the names
    fields = getattr(getattr(source, "dtype", None), "names", None)
    if fields:
        return Rows.of(_label(source), {name: source[name].tolist() for name in fields})
    items = list(source.tolist() if hasattr(source, "tolist") else source)
    if are_records(items):
        return rows_of_records(items, _label(source), kind)
    return by_topic(items, _label(source)) or items


def _label(source: Any) -> str:
    return f"<{type(source).__name__}>"


def _tabular(source: Any) -> Any:
    """Return what is a table in all but its class as one that frames are read by."""
    with_format: Callable[[str], Any] | None = getattr(source, "with_format", None)
    if with_format is not None and hasattr(source, "features") and hasattr(source, "__len__"):
        return with_format("arrow")[:]  # a Hugging Face dataset that is in memory
    if indexed := _names_in_index(source):
        return source.reset_index(level=indexed)
    if type(source).__name__ in ("RecordBatch", "RecordBatchReader"):
        import pyarrow as pa  # noqa: PLC0415, late: who has a batch has pyarrow

        return pa.table(source)
    return source


def _names_in_index(source: Any) -> list[Any]:
    """Return the columns of a pandas frame, or of a series, that are in its index alone."""
    if not hasattr(source, "reset_index"):
        return []
    columns = getattr(source, "columns", ())
    return [name for name in source.index.names if name is not None and name not in columns]


def _load_dataset(source: str) -> Any:
    try:
        import ir_datasets  # noqa: PLC0415, late: only such an id needs it
    except ImportError as error:
        raise MissingExtraError("ir_datasets", "irds") from error
    try:
        return ir_datasets.load(source.removeprefix(IRDS))
    except KeyError as error:
        rule = "ir_datasets must know a dataset of this id"
        remedy = "look it up at ir-datasets.com; an id has parts, such as irds:vaswani"
        raise InputError(source, rule, remedy=remedy) from error


def _dataset_rows(dataset: Any, where: str, kind: str) -> Rows:
    iterate = getattr(dataset, _ITERATORS[kind], None)
    if iterate is None:
        rule = f"the dataset must hold {'judgments' if kind == 'judgments' else 'a run'}"
        raise InputError(where, rule, remedy="name a part of it that does, or a file")
    try:
        items = list(iterate())
    except Exception as error:  # a download can fail in many ways
        rule = f"the data must be there or be downloadable: {_shortened(str(error))}"
        remedy = "download it as ir_datasets says, or name a file"
        raise InputError(where, rule, remedy=remedy) from error
    if not items:
        raise InputError(where, "there must be at least one entry", remedy="name another dataset")
    return rows_of_records(items, where, kind)


def _shortened(message: str) -> str:
    first = (message.splitlines() or [""])[0]
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def _unreadable(source: Any) -> OptionError:
    kind = "None" if source is None else f"an object of the type {type(source).__name__}"
    return OptionError(
        f"source: {kind} cannot be read. Hint: pass a path, a glob, a folder, "
        "'-', a dict, a list of records, or a pandas, polars or Arrow frame."
    )


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
