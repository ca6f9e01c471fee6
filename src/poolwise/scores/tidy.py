"""Score tables as tidy columns: one row per run, measure and topic."""

from collections.abc import Iterable

import numpy as np

from poolwise.printout.columns import Columns
from poolwise.scores.score_table import ScoreTable

__all__ = ["TIDY_COLUMNS", "tidy"]

TIDY_COLUMNS = ("run", "measure", "topic", "value", "lower", "upper", "ci_low", "ci_high")


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
        "measure": [str(table.measure)] * (systems * topics),
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
        "measure": [str(table.measure)] * len(table.systems),
        "topic": ["all"] * len(table.systems),
        "value": summary.mean.tolist(),
        "lower": summary.lower.tolist(),
        "upper": summary.upper.tolist(),
        "ci_low": summary.ci_low.tolist(),
        "ci_high": summary.ci_high.tolist(),
    }
