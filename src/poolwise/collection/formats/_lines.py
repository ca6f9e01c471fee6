"""Lines of runs that lie elsewhere: lazy frames, tables of engines, Parquet; fetched by topics.

What an object is, the module of its type says, so that no engine is imported that is not there.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from poolwise.collection.files._sources import is_stored
from poolwise.collection.formats._parquet import PARQUET, open_dataset
from poolwise.collection.formats._rows import (
    Rows,
    arrow_of,
    rows_of_frame,
    type_name,
)
from poolwise.errors import MissingExtraError

__all__ = ["Lines", "count_parquet_lines", "lines_of", "lines_of_parquet"]

_FRAME = "<frame>"
_COUNT = "lines"
"""The column of how many lines there are."""


@dataclass(frozen=True, eq=False)
class Lines:
    """A table of lines, of which those of some topics are fetched at a time.

    Attributes
    ----------
    where : str
        What messages call it.
    names : tuple of str
        The names of its columns.
    counted : callable
        Takes names of columns, and returns an Arrow table of these, each combination once, and how
        many lines have it, in the column ``lines``.
    taken : callable
        Takes the name of a column and values, and returns an Arrow table of the lines that have one
        of these there.
    """

    where: str
    names: tuple[str, ...]
    counted: Callable[[list[str]], Any]
    taken: Callable[[str, list[Any]], Any]

    @property
    def _roles(self) -> Rows:
        return Rows.of(self.where, dict.fromkeys(self.names, ()))

    def column(self, role: str) -> str | None:
        """Return the column that is there for this, None if there is none."""
        return self._roles.find(role)

    def need(self, role: str) -> str:
        """Return the column that is there for this, or say how it could be called."""
        return self._roles.need(role)

    def counts(self) -> Iterator[tuple[Any, Any, int]]:
        """Yield each run and topic as they stand there, and how many lines there are of both.

        The run is empty where no column names it.
        """
        topic, run = self.need("topic"), self.column("system")
        counts = self.counted([topic] if run is None else [run, topic])
        columns = [counts[name].to_pylist() for name in (run or topic, topic, _COUNT)]
        for name, value, count in zip(*columns, strict=True):
            yield ("" if run is None else name), value, int(count)

    def of_topics(self, values: Sequence[Any], words: str) -> Rows:
        """Return the lines of these topics; words say which they are, for messages."""
        import narwhals as nw  # noqa: PLC0415, late: only frames need it

        lines = self.taken(self.need("topic"), list(values))
        return rows_of_frame(nw.from_native(lines, eager_only=True), f"{self.where} ({words})")


def lines_of(source: Any) -> Lines | None:
    """Return the lines of a lazy frame or of an engine's table; None for anything else.

    Examples
    --------
    >>> lines_of({"1": {"a": 0.5}}) is None
    True
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [3, 2, 1]})
    >>> sorted(lines_of(frame).counts())
    [('', '1', 2), ('', '2', 1)]
    """
    package, kind = type_name(source)
    make = _MAKERS.get((package, kind))
    if make is not None:
        return make(source)
    return None if package in ("builtins", "pathlib", "poolwise") else _of_narwhals(source)


def _of_narwhals(source: Any) -> Lines | None:
    """Return the lines of a lazy frame that narwhals knows: polars, DuckDB, Dask, Spark, Ibis."""
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    frame = nw.from_native(source, pass_through=True)
    if not isinstance(frame, nw.LazyFrame):
        return None

    def counted(columns: list[str]) -> Any:
        return _arrow(frame.group_by(*columns).agg(nw.len().alias(_COUNT)))

    def taken(column: str, values: list[Any]) -> Any:
        return _arrow(frame.filter(nw.col(column).is_in(values)))

    return Lines(_FRAME, tuple(frame.collect_schema().names()), counted, taken)


def _arrow(frame: Any) -> Any:
    try:
        return frame.collect("pyarrow").to_native()
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error


def _of_daft(source: Any) -> Lines:
    import daft  # noqa: PLC0415 -- who has such a frame has the package

    def counted(columns: list[str]) -> Any:
        ones = source.select(*columns).with_column(_COUNT, daft.lit(1))
        return ones.groupby(*columns).sum(_COUNT).to_arrow()

    def taken(column: str, values: list[Any]) -> Any:
        return source.where(daft.col(column).is_in(values)).to_arrow()

    return Lines(_FRAME, tuple(source.column_names), counted, taken)


def _of_ray(source: Any) -> Lines:
    def counted(columns: list[str]) -> Any:
        def count(batch: Any) -> Any:
            return _grouped(batch, columns)

        parts = source.map_batches(count, batch_format="pyarrow", batch_size=None)
        whole: Any = arrow_of(parts)
        summed = whole.group_by(columns).aggregate([(_COUNT, "sum")])
        return summed.rename_columns([*columns, _COUNT])

    def taken(column: str, values: list[Any]) -> Any:
        def keep(batch: Any) -> Any:
            import pyarrow as pa  # noqa: PLC0415 -- Ray has it
            import pyarrow.compute as pc  # noqa: PLC0415 -- as above

            return batch.filter(pc.is_in(batch[column], pa.array(values, batch[column].type)))

        return arrow_of(source.map_batches(keep, batch_format="pyarrow", batch_size=None))

    return Lines(_FRAME, tuple(source.columns()), counted, taken)


def _grouped(table: Any, columns: list[str]) -> Any:
    counts = table.select(columns).group_by(columns).aggregate([([], "count_all")])
    return counts.rename_columns([*columns, _COUNT])


def _of_dataset(source: Any, where: str = _FRAME) -> Lines:
    """Return the lines of a dataset of Arrow, which runs keep their order of appearance in."""
    import pyarrow as pa  # noqa: PLC0415 -- who has a dataset has the package
    import pyarrow.compute as pc  # noqa: PLC0415 -- as above

    def counted(columns: list[str]) -> Any:
        total: Counter[tuple[Any, ...]] = Counter()
        for batch in source.to_batches(columns=columns):
            part = _grouped(pa.Table.from_batches([batch]), columns).to_pydict()
            for *key, count in zip(*part.values(), strict=True):
                total[tuple(key)] += count
        rows = [(*key, count) for key, count in total.items()]
        cells = zip(*rows, strict=True) if rows else [()] * (len(columns) + 1)
        return pa.table(dict(zip([*columns, _COUNT], map(list, cells), strict=True)))

    def taken(column: str, values: list[Any]) -> Any:
        return source.to_table(filter=pc.field(column).isin(values))

    return Lines(where, tuple(source.schema.names), counted, taken)


def lines_of_parquet(where: str, files: Sequence[str], max_ratio: float) -> Lines:
    """Return the lines of Parquet files that are one table; their folders may name columns."""
    return _of_dataset(open_dataset(where, files, max_ratio), where)


def count_parquet_lines(files: Sequence[str]) -> int:
    """Return how many lines Parquet files of this machine have, which they say at their ends.

    0 where that cannot be told: whoever reads them says why.
    """
    if not files or not all(path.endswith(PARQUET) and is_stored(path) for path in files):
        return 0
    try:
        from pyarrow.parquet import read_metadata  # noqa: PLC0415 -- optional package

        return sum(int(read_metadata(path).num_rows) for path in files)
    except (ImportError, OSError, ValueError):
        return 0


_MAKERS: dict[tuple[str, str], Callable[[Any], Lines]] = {
    ("daft", "DataFrame"): _of_daft,
    ("ray", "Dataset"): _of_ray,
    ("ray", "MaterializedDataset"): _of_ray,
    **{
        ("pyarrow", kind): _of_dataset
        for kind in ("FileSystemDataset", "InMemoryDataset", "UnionDataset")
    },
}
"""Tables that narwhals does not know, by package and type."""
