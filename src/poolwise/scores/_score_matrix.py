"""Scores by system and topic from files and frames, and into them."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poolwise.collection._identifiers import encode
from poolwise.collection.files._inputs import distinct_names
from poolwise.collection.files._sources import FileBytes, csv_rows, fields_of, lines_of
from poolwise.collection.formats._rows import Rows, as_frame, rows_of_frame, rows_of_records
from poolwise.collection.formats._text_files import read_jsonl, read_whole_json
from poolwise.errors import (
    InputError,
    MeasureError,
    MissingMeasureError,
    OptionError,
    require_choice,
)
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named, parse_measure
from poolwise.provenance._files import write_file
from poolwise.provenance._provenance import OF_SCORES, Notice, Provenance, Source
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.words import named

__all__ = [
    "MEAN",
    "ROWS",
    "ScoreList",
    "ScoreText",
    "matrix_table",
    "read_score_list",
    "read_score_matrix",
    "score_list",
    "tables_of_lists",
    "write_score_matrix",
]

ROWS = {"topics": "a column for each system", "systems": "a column for each topic"}
"""What a row of the file is about."""

_Lines = list[tuple[int, list[str]]]

_OF_TREC = {4: "judgments", 6: "a run"}
"""What a line of TREC's is, by the number of its fields."""

MISSING = frozenset({"", "NA", "NaN", "nan"})
"""Cells that stand for an undefined score."""

TOPIC_WORDS = frozenset({"topic", "topics", "topic_id", "query", "query_id", "qid"})
SYSTEM_WORDS = frozenset({"system", "systems", "run", "runs", "run_id"})


@dataclass(frozen=True)
class _Grid:
    """The cells of a file, parted from the names around them."""

    path: str
    corner: str
    across: tuple[str, ...]
    down: tuple[str, ...]
    cells: _Lines


@recorded
def read_score_matrix(
    path: str | Path | Any, *, measure: str = "", rows: str = "topics", labels: bool | None = None
) -> ScoreTable:
    r"""Read per-topic scores that someone else computed.

    A list of scores is understood as well: what ``trec_eval -q`` and ``ir_measures -q`` print, and
    CSV, JSON, JSONL or a frame with columns for the run, the topic, the measure and the value, as
    PyTerrier's experiments give. ``measure`` then says which of its measures is meant.

    The delimiter is a tab, a semicolon or a comma. A first line that holds a word is a header.
    An empty cell, ``NA`` or ``NaN`` is an undefined score. A matrix says nothing about unjudged
    documents, so lower and upper bound are the score itself, and the table's notices say so.

    Parameters
    ----------
    path
        The file, compressed or not; or a frame.
    measure
        Name of the measure; the corner cell when it names one, else the file's name.
    rows : {"topics", "systems"}
        What a row is. A corner cell such as ``topic`` or ``system`` goes before this.
    labels
        Whether the first column holds names. By default it does when the corner cell is empty,
        names the rows, or is the only word of the header, when the header is one cell short, or
        when a cell of the column is not a number. Rows without names are numbered from 1.

    Returns
    -------
    ScoreTable
        The scores by system and topic, with the file in its provenance.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ap.csv"
    ...     _ = path.write_text("topic,bm25,dense\n401,0.25,0.5\n402,0.75,1\n")
    ...     table = read_score_matrix(path, measure="AP")
    >>> table.systems, table.topics, table.means().tolist()
    (('bm25', 'dense'), ('401', '402'), [0.5, 0.75])
    """
    scores = read_score_list(path)
    if isinstance(scores, ScoreList):
        return _only(tables_of_lists([scores]), measure)
    return matrix_table(scores, measure, rows=rows, labels=labels)


def read_score_list(source: str | Path | Any) -> "ScoreList | ScoreText":
    """Return the scores of a file or a frame that lists them; the text of any other file."""
    if not isinstance(source, str | Path):
        frame = as_frame(source)
        if frame is None:
            raise OptionError(
                f"path: scores cannot be read from an object of the type "
                f"{type(source).__name__}. Hint: name a file, "
                "or pass a frame with the columns run, topic, measure and value."
            )
        return ScoreList(rows_of_frame(frame), Source("<frame>"))
    file = FileBytes(str(source))
    text = b"".join(map(bytes, file)).decode("utf-8-sig", "surrogateescape")
    return score_list(file, text) or ScoreText(file, text)


class ScoreText(NamedTuple):
    """A file of scores that lists none, and so must be a matrix."""

    file: FileBytes
    text: str


def _only(tables: tuple[ScoreTable, ...], measure: str) -> ScoreTable:
    """Return the table of a measure, or the only one there is."""
    if not measure and len(tables) == 1:
        return tables[0]
    if not measure:
        names = [str(table.measure) for table in tables]
        raise OptionError(
            f"measure: there are scores by {named(names)}, and a table holds one. Hint: name one "
            f"of them, such as measure={names[0]!r}."
        )
    wanted = measure_named(measure)
    chosen = next((table for table in tables if table.measure == wanted), None)
    if chosen is None:
        raise MissingMeasureError(measure, [table.measure for table in tables])
    return chosen


def matrix_table(
    score_text: ScoreText, measure: str = "", *, rows: str = "topics", labels: bool | None = None
) -> ScoreTable:
    """Return the scores of a text that is a matrix; the options are :func:`read_score_matrix`'s."""
    require_choice("rows", rows, ROWS)
    file, path = score_text.file, Path(score_text.file.path)
    grid = _part(str(path), _lines(str(path), score_text.text), labels=labels)
    by_topic = _row_kind(grid.corner, rows) == "topics"
    cells = np.array([_numbers(grid, line, row) for line, row in grid.cells])
    topics, systems = (grid.down, grid.across) if by_topic else (grid.across, grid.down)
    table = ScoreTable.from_matrix(
        cells.T if by_topic else cells,
        systems=systems,
        topics=topics,
        measure=measure or _measure_of(grid.corner) or path.stem,
    )
    origin = _provenance(file.source, table)
    return replace(table, undefined="no score in the file", provenance=origin)


@recorded
def write_score_matrix(table: ScoreTable, path: str | Path) -> None:
    """Write the values, topics down and systems across, so that they read back exactly.

    Parameters
    ----------
    table : ScoreTable
        The scores; their bounds are not written.
    path : str or Path
        The file, comma-separated; one that is there already is replaced.

    Examples
    --------
    >>> import tempfile
    >>> table = ScoreTable.from_matrix([[0.1, 0.3]], systems=["a"], topics=["1", "2"], measure="P")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     write_score_matrix(table, path)
    ...     print(path.read_text())
    topic,a
    1,0.1
    2,0.3
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["topic", *table.systems])
    for topic, row in zip(table.topics, table.value.T.tolist(), strict=True):
        writer.writerow([topic, *("NA" if score != score else repr(score) for score in row)])  # noqa: PLR0124 -- NaN is the one value unequal to itself
    write_file(path, encode(text.getvalue()))


def _lines(path: str, text: str) -> _Lines:
    """Return the non-empty lines, each with its number in the file."""
    first = text.partition("\n")[0]
    _check_no_trec(path, first.split())
    delimiter = next((d for d in "\t;" if d in first), ",")
    rows = csv_rows(path, text, delimiter=delimiter)
    lines = [(line, [c.strip() for c in row]) for line, row in rows]
    if not lines:
        raise InputError(path, "a score matrix must hold scores", remedy="check the file")
    return lines


def _check_no_trec(path: str, fields: list[str]) -> None:
    """Raise where a file begins as TREC's judgments and runs do."""
    looks = _OF_TREC.get(len(fields))
    if looks and fields[1].upper() in ("0", "Q0"):
        rule = f"the file must hold scores by topic, and this looks like {looks}"
        remedy = "name judgments and runs as QRELS and RUNS, not as scores"
        raise InputError(f"{path}:1", rule, value=" ".join(fields), remedy=remedy)


def _part(path: str, lines: _Lines, *, labels: bool | None) -> _Grid:
    """Part header and names from the cells."""
    header = lines[0][1] if any(not _is_number(c) for c in lines[0][1]) else []
    body = lines[1:] if header else lines
    if not body:
        where = f"{path}:{lines[0][0]}"
        raise InputError(where, "a header must be followed by scores", remedy="check the file")
    short = bool(header) and len(header) == len(body[0][1]) - 1
    named = (short or _has_labels(header, body)) if labels is None else labels
    corner, across = (header[0], header[1:]) if header and named and not short else ("", header)
    _check_widths(path, body, len(across) + named if header else len(body[0][1]))
    down = [row[0] for _, row in body] if named else []
    _check_distinct(path, [(row[0], line) for line, row in body] if named else [])
    _check_distinct(path, [(name, lines[0][0]) for name in across])
    cells = [(line, row[named:]) for line, row in body]
    return _Grid(path, corner, _named(across, len(cells[0][1])), _named(down, len(cells)), cells)


def _named(names: list[str], count: int) -> tuple[str, ...]:
    return tuple(names) or tuple(str(i + 1) for i in range(count))


def _has_labels(header: list[str], body: _Lines) -> bool:
    """Guess whether the first column names the rows (see ``labels``)."""
    if header:
        corner, rest = header[0], header[1:]
        if corner.lower() in TOPIC_WORDS | SYSTEM_WORDS | {""} or (
            rest and all(map(_is_number, rest))
        ):
            return True
    return any(not _is_number(row[0]) for _, row in body)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell in MISSING
    return True


def _check_widths(path: str, body: _Lines, width: int) -> None:
    for line, row in body:
        if len(row) != width:
            raise InputError(
                f"{path}:{line}",
                f"every row must have {width} cells",
                value=f"{len(row)} cells",
                remedy="complete the row; write NA where there is no score",
            )


def _check_distinct(path: str, names: list[tuple[str, int]]) -> None:
    seen: set[str] = set()
    for name, line in names:
        if name in seen:
            raise InputError(
                f"{path}:{line}", "a name must stand once", value=name, remedy="rename one of them"
            )
        seen.add(name)


def _numbers(grid: _Grid, line: int, row: list[str]) -> list[float]:
    return [float("nan") if c in MISSING else _number(grid.path, line, c) for c in row]


def _number(path: str, line: int, cell: str) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = float("nan")
    if not np.isfinite(score):
        raise InputError(
            f"{path}:{line}",
            "a score must be a finite number",
            value=cell,
            remedy="correct the cell, or write NA where there is no score",
        )
    return score


def _row_kind(corner: str, rows: str) -> str:
    if corner.lower() in TOPIC_WORDS:
        return "topics"
    return "systems" if corner.lower() in SYSTEM_WORDS else rows


def _measure_of(corner: str) -> str:
    return "" if corner.lower() in TOPIC_WORDS | SYSTEM_WORDS else corner


def _provenance(source: Source, table: ScoreTable) -> Provenance:
    unknown = Notice("scores without bounds, since a score matrix holds none", table.value.size)
    return Provenance(
        judgments=source,
        runs=(source,),
        tie_rule=OF_SCORES,
        topic_rule="matrix",
        notices=(unknown,),
    )


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
        listed = rows_of_records(_records(file.path, text), file.path, "runs")
        return ScoreList(listed, file.source)
    rows = _with_header(file.path, text)
    return ScoreList(rows, file.source) if rows else _printed(file, text)


def _records(path: str, text: str) -> list[Any]:
    """Return the records of JSONL, of an array, or of what poolwise writes, under ``rows``."""
    first, _, rest = text.strip().partition("\n")
    is_one_line = first.startswith("{") and first.endswith("}")
    if is_one_line and (rest or '"rows"' not in first):
        return [record for _, record in read_jsonl(path, text)]
    content = read_whole_json(path, text)
    records = content.get("rows") if isinstance(content, dict) else content
    if not isinstance(records, list) or not records:
        rule = "scores in JSON must be an array of records, or stand under the name rows"
        raise InputError(path, rule, remedy="write the scores of each topic")
    return records


def _with_header(path: str, text: str) -> Rows | None:
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;," if sign in first), ",")
    lines = csv_rows(path, text, delimiter=delimiter)
    header, *body = [[cell.strip() for cell in row] for _, row in lines] or [[]]
    rows = Rows.of(path, {name: [] for name in header})
    if any(rows.find(role) is None for role in ("topic", "measure", "value")):
        return None
    cells = [dict(zip(header, row, strict=False)) for row in body]
    return rows_of_records(cells, path, "runs") if cells else rows


def _printed(file: FileBytes, text: str) -> ScoreList | None:
    """Read lines of trec_eval (measure, topic, value) or of ir_measures (topic, measure, value)."""
    lines = [fields_of(line) for line in lines_of(text) if line.strip()]
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
    """Return a table for each measure, with the runs of all lists; the means are passed over.

    Lists that have other scores of the same runs, topics and measure have a table each.
    """
    tags = [listing.tag for listing in lists]
    names = distinct_names(tags, [listing.rows.where for listing in lists])
    cells = [_cells(listing, name) for listing, name in zip(lists, names, strict=True)]
    if not any(cells):
        rule = "there must be a score for each topic, and there are means alone"
        remedy = "run trec_eval or ir_measures with -q, or evaluate with --per-topic"
        raise InputError(lists[0].rows.where, rule, remedy=remedy)
    if _meet(cells):
        return tuple(
            _table(measure, scores, [listing])
            for listing, by_measure in zip(lists, cells, strict=True)
            for measure, scores in by_measure.items()
        )
    joined: dict[Measure, dict[tuple[str, str], float]] = {}
    for by_measure in cells:
        for measure, scores in by_measure.items():
            joined.setdefault(measure, {}).update(scores)
    return tuple(_table(measure, scores, lists) for measure, scores in joined.items())


def _cells(listing: ScoreList, name: str) -> dict[Measure, dict[tuple[str, str], float]]:
    """Return the scores of a list by measure, and by run and topic."""
    by_measure: dict[Measure, dict[tuple[str, str], float]] = {}
    for run, measure, topic, value in _entries(listing, name):
        by_measure.setdefault(measure, {})[run, topic] = value
    return by_measure


def _meet(cells: Sequence[dict[Measure, dict[tuple[str, str], float]]]) -> bool:
    """Say whether two lists score the same run by the same measure on a topic."""
    seen: dict[Measure, set[tuple[str, str]]] = {}
    for by_measure in cells:
        for measure, scores in by_measure.items():
            pairs = seen.setdefault(measure, set())
            if not pairs.isdisjoint(scores):
                return True
            pairs.update(scores)
    return False


def _entries(listing: ScoreList, name: str) -> list[tuple[str, Measure, str, float]]:
    """Return run, measure, topic and score of each entry that is no mean."""
    rows = listing.rows
    topics = rows.ids("topic")
    measures = [str(measure) for measure in rows.column(rows.need("measure"))]
    runs = rows.ids("system") if rows.find("system") else [name] * len(topics)
    values = rows.column(rows.need("value"))
    entries = zip(runs, measures, topics, values, range(1, len(topics) + 1), strict=True)
    of_topics = [entry for entry in entries if entry[2] != MEAN]
    _check_once([entry[:3] for entry in of_topics], rows.where)
    named = {measure: measure_named(measure) for measure in dict.fromkeys(measures)}
    return [
        (run, named[measure], topic, _listed_number(value, f"{rows.where}:{line}"))
        for run, measure, topic, value, line in of_topics
    ]


def _check_once(keys: Sequence[tuple[str, str, str]], where: str) -> None:
    if len(set(keys)) < len(keys):
        twice, _ = Counter(keys).most_common(1)[0]
        rule = "a run must have one score for a measure and a topic"
        raise InputError(where, rule, value=", ".join(twice), remedy="remove one of them")


def _listed_number(value: Any, where: str) -> float:
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
    sources = tuple(listing.source for listing in lists)
    unknown = Notice("scores without bounds, since a list of scores holds none", table.value.size)
    origin = Provenance(sources[0], sources, OF_SCORES, "list", (unknown,))
    return replace(table, undefined="no score in the file", provenance=origin)
