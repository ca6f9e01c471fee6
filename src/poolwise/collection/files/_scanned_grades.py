"""Run files of which nothing is kept but a mark for each retrieved document.

That is enough to score them, and takes less time and memory than to keep their documents: about
half of either on 129 runs of TREC-8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwise.collection.files._inputs import NAME_RULES, distinct_names, is_table
from poolwise.collection.files._native import JudgedMarks
from poolwise.collection.files._native_scanner import Marks, TopicChoice
from poolwise.collection.files._problems import notices_of
from poolwise.collection.files._scan import scan_marks
from poolwise.collection.files._sources import MAX_RATIO, FileBytes, is_stored
from poolwise.collection.files.readers import reading_options
from poolwise.errors import require_choice
from poolwise.provenance._provenance import Notice, Source

__all__ = ["ScannedGrades", "scan_grades"]


@dataclass(frozen=True, eq=False)
class ScannedGrades:
    """Runs as marks."""

    systems: tuple[str, ...]
    lists: Marks
    tie_rule: str
    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]


def scan_grades(
    paths: Sequence[str],
    judged: JudgedMarks,
    choose: TopicChoice,
    *,
    beyond: int,
    names: str = "auto",
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    layout: str = "auto",
    workers: int | None = None,
    max_ratio: float = MAX_RATIO,
    notices: tuple[Notice, ...] = (),
) -> ScannedGrades | None:
    """Read the marks of run files, on the topics chosen; ``beyond`` stands past a list's end.

    ``notices`` say what was odd already when the files were looked for. The other options are
    those of :func:`~poolwise.read_runs`. None where that has to read them: where a topic comes back
    after another, where a document may be repeated, where something is wrong, and where a file can
    be read but once.
    """
    require_choice("names", names, NAME_RULES)
    if any(is_table(path) or not is_stored(path) for path in paths):
        return None
    inputs = [FileBytes(path, layout, max_ratio=max_ratio) for path in paths]
    options = [reading_options(i, duplicates, malformed, ties=ties) for i in inputs]
    scanned = scan_marks(inputs, options, workers, judged, choose, beyond=beyond)
    if scanned is None:
        return None
    lists, reports = scanned
    return ScannedGrades(
        systems=distinct_names([report.tag for report in reports], paths, names),
        lists=lists,
        tie_rule=ties,
        sources=tuple(i.source for i in inputs),
        notices=notices_of(paths, reports, duplicates) + notices,
    )
