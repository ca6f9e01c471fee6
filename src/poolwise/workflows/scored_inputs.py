"""Scores by system and topic: computed from runs, or read from files of scores."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from poolwise.errors import OptionError
from poolwise.measures.measure import Measure
from poolwise.printout.words import counted
from poolwise.scores.score_matrix import read_score_matrix
from poolwise.scores.score_table import ScoreTable
from poolwise.workflows.evaluation import evaluate

__all__ = ["READING", "read_score_files", "score_runs"]

READING = (
    *("grades", "negative", "ties", "duplicates", "malformed"),
    *("names", "layout", "workers", "max_ratio"),
)
"""The options that say how runs and qrels are read."""


def score_runs(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    topics: str = "judged",
    bounds: str = "none",
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> tuple[ScoreTable, ...]:
    """Return a score table for each measure. The options are those of ``evaluate``."""
    return evaluate(
        judgments, runs, measures, topics=topics, bounds=bounds, progress=progress, **reading
    ).scores


def read_score_files(
    paths: Sequence[str | Path], measures: Sequence[str] = (), *, rows: str = "topics"
) -> tuple[ScoreTable, ...]:
    """Read files of scores, one row per topic and one column per system.

    Parameters
    ----------
    paths
        One file per measure.
    measures
        What the files hold: one name for all, one each, or none, and then the files say it.
    rows : {"topics", "systems"}
        What a row is.
    """
    if len(measures) not in (0, 1, len(paths)):
        raise OptionError(
            f"measures: {counted(len(measures), 'name')} for {counted(len(paths), 'file')} of "
            "scores. Hint: give one name for all files, one for each, or none."
        )
    names = list(measures) * len(paths) if len(measures) == 1 else measures or [""] * len(paths)
    return tuple(
        read_score_matrix(path, measure=name, rows=rows)
        for path, name in zip(paths, names, strict=True)
    )
