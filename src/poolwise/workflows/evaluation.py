"""Runs scored against judgments, from files or from memory."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.scores.scoring import Evaluation, score_all
from poolwise.workflows.file_grading import grade_runs, take_judgments

__all__ = ["evaluate"]


def evaluate(
    judgments: Judgments | str | Path | Any,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    measures: Iterable[Measure | str],
    *,
    topics: str = "judged",
    bounds: str = "exact",
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> Evaluation:
    """Score runs against judgments, from files or from memory.

    Of run files nothing is kept but the grades of their documents, in blocks of topics.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs`
        read: paths, globs and folders, dicts, frames.
    measures
        Measures or their names.
    topics : {"judged", "common"}
        All judged topics, or those of them that every run answers.
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents: see ``BOUNDS``.
    progress
        Called with the number of topics scored, and of all topics.
    reading
        How runs are read, and judgments where they have the same option (``duplicates``,
        ``malformed``): see :func:`~poolwise.read_runs`.

    Examples
    --------
    >>> result = evaluate(Judgments.from_dict({"1": {"a": 1, "b": 0}}),
    ...                   Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}}), ["RR", "P@2"])
    >>> result["P@2"].upper.tolist()
    [[0.5]]
    """
    wanted = [parse_measure(m) for m in measures]
    qrels = take_judgments(judgments, **reading)
    grades = grade_runs(qrels, runs, topics=topics, **reading)
    return score_all(grades, wanted, bounds=bounds, progress=progress)
