"""Per-topic scores as lists: an entry for each run, measure and topic, as other tools print it."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolwise.collection.files.sources import FileBytes
from poolwise.collection.files.system_names import distinct_names
from poolwise.collection.shapes.records import rows_of_records
from poolwise.collection.shapes.rows import Rows
from poolwise.collection.shapes.text_tables import read_jsonl, read_whole_json
from poolwise.errors import InputError, MeasureError
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named, parse_measure
from poolwise.provenance._provenance import OF_SCORES, Notice, Provenance, Source
from poolwise.scores.score_table import ScoreTable

__all__ = ["MEAN", "ScoreList", "score_list", "tables_of_lists"]

MEAN = "all"
"""What trec_eval, ir_measures and poolwise call the mean over topics, which is no topic."""

_RUN_NAME = "runid"
"""What trec_eval calls the line that names the run."""
_TEXTS = (_RUN_NAME, "relstring")
"""What trec_eval prints that is no score: how measures begin whose values are texts."""


@dataclass(frozen=True, eq=False)
class ScoreList:
    """Scores of a file: rows with a topic, a measure and a value, and perhaps a run.

    ``tag`` is the name of the run where the file has a line for it.
    """

    rows: Rows
    source: Source
    tag: str = ""


def score_list(file: FileBytes, text: str) -> ScoreList | None:
    """Return the scores of a text that lists them, None for one that does not, such as a matrix.

    That is what ``trec_eval -q`` and ``ir_measures -q`` print, and CSV, JSON or JSONL with fields
    for the topic, the measure and the value, such as poolwise's own.
    """
    start = text.lstrip()[:1]
    if start and start in "{[":
        found = rows_of_records(_records(file.path, text), file.path, "runs")
        return ScoreList(found, file.source)
    rows = _with_header(file.path, text)
    return ScoreList(rows, file.source) if rows else _printed(file, text)


def _records(path: str, text: str) -> list[Any]:
    """Return the records of JSONL, of an array, or of what poolwise writes, under ``rows``."""
    first, _, rest = text.strip().partition("\n")
    is_one_line = first.startswith("{") and first.endswith("}")
    if is_one_line and (rest or '"rows"' not in first):
        return [record for _, record in read_jsonl(path, text)]
    found = read_whole_json(path, text)
    found = found.get("rows") if isinstance(found, dict) else found
    if not isinstance(found, list) or not found:
        rule = "scores in JSON must be an array of records, or stand under the name rows"
        raise InputError(path, rule, remedy="write the scores of each topic")
    return found


def _with_header(path: str, text: str) -> Rows | None:
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;," if sign in first), ",")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header, *body = [[cell.strip() for cell in row] for row in lines if any(row)] or [[]]
    rows = Rows.of(path, {name: [] for name in header})
    if any(rows.find(role) is None for role in ("topic", "measure", "value")):
        return None
    cells = [dict(zip(header, row, strict=False)) for row in body]
    return rows_of_records(cells, path, "runs") if cells else rows


def _printed(file: FileBytes, text: str) -> ScoreList | None:
    """Read lines of trec_eval (measure, topic, value) or of ir_measures (topic, measure, value)."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines or any(len(line) != 3 for line in lines):
        return None
    tags = [value for name, _, value in lines if name == _RUN_NAME]
    entries = [line for line in lines if not line[0].startswith(_TEXTS)]
    columns = [*zip(*entries, strict=True)] if entries else []
    names = [_are_measures(column) for column in columns[:2]]
    if not any(names):
        return None
    order = ("measure", "topic", "value") if names[0] else ("topic", "measure", "value")
    rows = Rows.of(file.path, dict(zip(order, columns, strict=True)))
    return ScoreList(rows, file.source, tags[-1] if tags else "")


def _are_measures(cells: Iterable[str]) -> bool:
    """Say whether the first cell of a column names a measure."""
    try:
        parse_measure(next(iter(cells)), complete=False)
    except MeasureError:
        return False
    return True


def tables_of_lists(lists: Sequence[ScoreList]) -> tuple[ScoreTable, ...]:
    """Return a table for each measure, with the runs of all lists; the means are passed over."""
    tags = [one.tag for one in lists]
    names = distinct_names(tags, [one.rows.where for one in lists])
    cells: dict[Measure, dict[tuple[str, str], float]] = {}
    for one, name in zip(lists, names, strict=True):
        for run, measure, topic, value in _entries(one, name):
            cells.setdefault(measure, {})[run, topic] = value
    if not cells:
        rule = "there must be a score for each topic, and there are means alone"
        remedy = "run trec_eval or ir_measures with -q, or evaluate with --per-topic"
        raise InputError(lists[0].rows.where, rule, remedy=remedy)
    return tuple(_table(measure, scores, lists) for measure, scores in cells.items())


def _entries(one: ScoreList, name: str) -> list[tuple[str, Measure, str, float]]:
    """Return run, measure, topic and score of each entry that is no mean."""
    rows = one.rows
    topics = rows.ids("topic")
    measures = [str(measure) for measure in rows.column(rows.need("measure"))]
    runs = rows.ids("system") if rows.find("system") else [name] * len(topics)
    values = rows.column(rows.need("value"))
    entries = zip(runs, measures, topics, values, range(1, len(topics) + 1), strict=True)
    of_topics = [entry for entry in entries if entry[2] != MEAN]
    _check_once([entry[:3] for entry in of_topics], rows.where)
    named = {measure: measure_named(measure) for measure in dict.fromkeys(measures)}
    return [
        (run, named[measure], topic, _number(value, f"{rows.where}:{line}"))
        for run, measure, topic, value, line in of_topics
    ]


def _check_once(keys: Sequence[tuple[str, str, str]], where: str) -> None:
    if len(set(keys)) < len(keys):
        twice, _ = Counter(keys).most_common(1)[0]
        rule = "a run must have one score for a measure and a topic"
        raise InputError(where, rule, value=", ".join(twice), remedy="remove one of them")


def _number(value: Any, where: str) -> float:
    if value is None or value == "":
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        rule = "a score must be a number"
        raise InputError(where, rule, value=value, remedy="correct the line") from error


def _table(
    measure: Measure, scores: dict[tuple[str, str], float], lists: Sequence[ScoreList]
) -> ScoreTable:
    systems = tuple(dict.fromkeys(run for run, _ in scores))
    topics = tuple(dict.fromkeys(topic for _, topic in scores))
    values = [[scores.get((run, topic), np.nan) for topic in topics] for run in systems]
    table = ScoreTable.from_matrix(values, systems=systems, topics=topics, measure=measure)
    sources = tuple(one.source for one in lists)
    unknown = Notice("scores without bounds, since a list of scores holds none", table.value.size)
    origin = Provenance(sources[0], sources, OF_SCORES, "list", (unknown,))
    return replace(table, undefined="no score in the file", provenance=origin)
