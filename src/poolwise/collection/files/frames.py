"""Runs and judgments as data frames: pandas, polars, Arrow, by the column names people use."""

from typing import Any

from poolwise.collection.files.memory import MemoryBytes, id_text, number_text
from poolwise.errors import InputError, MissingExtraError

__all__ = ["as_frame", "judgments_in_frame", "read_parquet", "runs_in_frame"]

_FRAME = "<frame>"
"""What messages call a frame that is not from a file."""
_COLUMNS = {
    "topic": ("qid", "query_id", "query-id", "topic", "topic_id", "query"),
    "document": ("docno", "doc_id", "corpus-id", "docid", "document", "document_id"),
    "score": ("score",),
    "grade": ("label", "relevance", "rel", "grade", "score"),
    "rank": ("rank",),
    "system": ("run", "system", "tag", "run_id"),
}


def as_frame(source: Any) -> Any | None:
    """Return a narwhals frame over the source, None if it is no frame that narwhals knows."""
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    frame = nw.from_native(source, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def read_parquet(path: str) -> Any:
    """Return the narwhals frame of a Parquet file, read by pyarrow."""
    import narwhals as nw  # noqa: PLC0415, late: as above

    try:
        return nw.read_parquet(path, backend="pyarrow")
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    except (OSError, ValueError, NotImplementedError) as error:
        rule = f"the file must be intact Parquet: {str(error).splitlines()[0].rstrip('.')}"
        raise InputError(path, rule, remedy="write or download it again") from error


def runs_in_frame(frame: Any, where: str = _FRAME) -> list[MemoryBytes]:
    """Return the systems of a frame, in order of appearance; ``where`` is the file it is from."""
    system = _find(frame, "system")
    if system is None:
        return [_run_in_frame(frame, "run", where)]
    import narwhals as nw  # noqa: PLC0415, late: as above

    return [
        _run_in_frame(
            frame.filter(nw.col(system) == name), id_text(name, f"{where} {system}"), where
        )
        for name in frame[system].unique(maintain_order=True).to_list()
    ]


def judgments_in_frame(frame: Any, where: str = _FRAME) -> MemoryBytes:
    """Return the entries of a frame of judgments; ``where`` is the file it is from."""
    ids = [_ids(frame, role, where) for role in ("topic", "document")]
    return MemoryBytes(where, [*ids, _numbers(frame, _need(frame, "grade", where))])


def _run_in_frame(frame: Any, system: str, where: str) -> MemoryBytes:
    ids = [_ids(frame, role, where) for role in ("topic", "document")]
    rank = _find(frame, "rank")
    ranks = [str(r) for r in frame[rank].to_list()] if rank else list(map(str, range(len(frame))))
    if _find(frame, "score") is None and rank:
        scores = [number_text(-r) for r in frame[rank].to_list()]  # a rank orders as well
    else:
        scores = _numbers(frame, _need(frame, "score", where))
    return MemoryBytes(where, [*ids, scores, ranks], system)


def _find(frame: Any, role: str) -> str | None:
    return next((name for name in _COLUMNS[role] if name in frame.columns), None)


def _need(frame: Any, role: str, where: str) -> str:
    found = _find(frame, role)
    if found is None:
        raise InputError(
            where,
            f"a frame must have a column for the {role}",
            value=", ".join(map(str, frame.columns)),
            remedy=f"name it one of {', '.join(_COLUMNS[role])}",
        )
    return found


def _ids(frame: Any, role: str, where: str) -> list[str]:
    column = _need(frame, role, where)
    return [id_text(value, f"{where} {column}") for value in frame[column].to_list()]


def _numbers(frame: Any, column: str) -> list[str]:
    return [number_text(value) for value in frame[column].to_list()]
