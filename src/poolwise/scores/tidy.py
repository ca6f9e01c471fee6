"""Score tables as tidy columns: one row per run, measure and topic."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.errors import MissingExtraError
from poolwise.scores.score_table import ScoreTable

__all__ = ["TIDY_COLUMNS", "tidy", "to_frame", "write_csv", "write_json", "write_parquet"]

TIDY_COLUMNS = ("run", "measure", "topic", "value", "lower", "upper", "ci_low", "ci_high")

Columns = dict[str, list[Any]]


def tidy(tables: Iterable[ScoreTable], *, per_topic: bool = True, level: float = 0.95) -> Columns:
    """Return the columns of ``TIDY_COLUMNS``; topic ``all`` is the mean over topics.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3]], systems=["a"], topics=["1", "2"],
    ...                                measure="AP")
    >>> tidy([table])["topic"], tidy([table])["value"]
    (['1', '2', 'all'], [0.5, 0.3, 0.4])
    """
    columns: Columns = {name: [] for name in TIDY_COLUMNS}
    for table in tables:
        if per_topic:
            _extend(columns, _topic_rows(table))
        _extend(columns, _mean_rows(table, level))
    return columns


def _extend(columns: Columns, rows: Columns) -> None:
    for name in TIDY_COLUMNS:
        columns[name].extend(rows[name])


def _topic_rows(table: ScoreTable) -> Columns:
    systems, topics = len(table.systems), len(table.topics)
    nothing = [float("nan")] * (systems * topics)
    return {
        "run": np.repeat(np.array(table.systems, object), topics).tolist(),
        "measure": [table.measure] * (systems * topics),
        "topic": list(table.topics) * systems,
        "value": table.value.ravel().tolist(),
        "lower": table.lower.ravel().tolist(),
        "upper": table.upper.ravel().tolist(),
        "ci_low": nothing,
        "ci_high": nothing,
    }


def _mean_rows(table: ScoreTable, level: float) -> Columns:
    summary = table.summary(level)
    return {
        "run": list(table.systems),
        "measure": [table.measure] * len(table.systems),
        "topic": ["all"] * len(table.systems),
        "value": summary.mean.tolist(),
        "lower": summary.lower.tolist(),
        "upper": summary.upper.tolist(),
        "ci_low": summary.ci_low.tolist(),
        "ci_high": summary.ci_high.tolist(),
    }


def to_frame(columns: Columns, backend: str = "pandas") -> Any:
    """Return the columns as a frame of pandas, polars or pyarrow."""
    import narwhals as nw  # noqa: PLC0415 -- late: only this border needs it

    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ImportError as error:
        raise MissingExtraError(backend, "dev") from error


def write_csv(columns: Columns, path: str | Path, *, separator: str = ",") -> None:
    """Write the columns as delimited text; an undefined value is an empty field."""
    import csv  # noqa: PLC0415 -- late: only this border needs it

    with Path(path).open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if cell != cell else cell for cell in row])


def write_json(columns: Columns, path: str | Path) -> None:
    """Write one JSON object per row in an array; an undefined value is null."""
    import json  # noqa: PLC0415 -- late: only this border needs it

    rows = [
        {name: None if cell != cell else cell for name, cell in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]
    Path(path).write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")


def write_parquet(columns: Columns, path: str | Path) -> None:
    """Write the columns as a Parquet file (needs pyarrow)."""
    frame = to_frame(columns, "pyarrow")
    import pyarrow.parquet as pq  # noqa: PLC0415 -- optional

    pq.write_table(frame, str(path))
