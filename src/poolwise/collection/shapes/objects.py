"""Objects of other libraries, by what they can do, as dicts and rows."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from poolwise.collection.files.frames import as_frame, rows_of_frame
from poolwise.collection.shapes.records import are_records, by_topic, rows_of_records
from poolwise.collection.shapes.rows import Rows, by_columns
from poolwise.errors import InputError, MissingExtraError, OptionError

__all__ = ["IRDS", "is_path", "name_of", "unfolded"]

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
