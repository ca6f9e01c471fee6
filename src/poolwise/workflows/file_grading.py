"""Judgments and runs, wherever they are, as grades."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from poolwise.collection.files.id_lookup import JudgedMarks
from poolwise.collection.files.marking import mark_runs
from poolwise.collection.files.sources import files_beside, find_files
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.collection.shapes.objects import is_path
from poolwise.errors import require_choice
from poolwise.evidence.alignment import align
from poolwise.evidence.grade_codes import BEYOND
from poolwise.evidence.grades import Grades
from poolwise.evidence.marked_grades import judged_marks, marked_grades
from poolwise.evidence.topic_choice import TOPIC_RULES, choose_topics
from poolwise.printout.provenance import add_notices
from poolwise.workflows.inputs import as_runs

__all__ = ["grade_runs"]


def grade_runs(
    judgments: Judgments,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    *,
    topics: str = "judged",
    counts_unknown: bool = True,
    **reading: Any,
) -> Grades:
    """Meet runs with judgments, without their documents where that is enough.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved: :class:`~poolwise.Runs`, or whatever
        :func:`~poolwise.read_runs` reads.
    topics : {"judged", "common"}
        All judged topics, or those of them that every run answers.
    counts_unknown
        Whether to count the unjudged documents of all runs, which ranges over them need.
    reading
        How runs are read: see :func:`~poolwise.read_runs`.
    """
    require_choice("topics", topics, TOPIC_RULES)
    marks = judged_marks(judgments, counts_unknown=counts_unknown)
    sources = list(runs) if isinstance(runs, list | tuple) else [runs]
    graded = _grade_files(judgments, marks, sources, topics, reading)
    if graded is not None:
        return graded
    return align(judgments, as_runs(runs, **reading), topics=topics)


def _grade_files(
    judgments: Judgments,
    marks: JudgedMarks | None,
    sources: Sequence[Any],
    topics: str,
    reading: dict[str, Any],
) -> Grades | None:
    """Grade files as they are read; None where their documents have to be kept to do it."""
    if marks is None or not sources or not all(map(is_path, sources)):
        return None
    paths = [path for source in sources for path in find_files(source)]
    beside = add_notices(notice for source in sources for notice in files_beside(source))
    choose = partial(choose_topics, judgments.topics, rule=topics)
    marked = mark_runs(paths, marks, choose, beyond=BEYOND, notices=beside, **reading)
    return None if marked is None else marked_grades(judgments, marked, topics=topics)
