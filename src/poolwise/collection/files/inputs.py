"""Whatever can be read, as inputs for the scanner."""

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from poolwise.collection.files.frames import read_parquet, rows_of_frame
from poolwise.collection.files.memory import MemoryBytes, id_text
from poolwise.collection.files.sources import MAX_RATIO, FileBytes, files_beside, find_files
from poolwise.collection.shapes.file_forms import form_of
from poolwise.collection.shapes.objects import is_path, name_of, unfolded
from poolwise.collection.shapes.parquet_folders import (
    PARQUET,
    is_one_table,
    read_parquet_folder,
)
from poolwise.collection.shapes.records import are_records
from poolwise.collection.shapes.rows import Rows, judgments_in_rows, runs_in_rows
from poolwise.collection.shapes.sampled_files import PeekedBytes
from poolwise.collection.shapes.text_tables import read_text_table
from poolwise.collection.shapes.topic_lists import holds_systems, judged_topics, ranked_topics
from poolwise.errors import InputError, OptionError
from poolwise.words import counted

__all__ = ["Input", "is_table", "judgment_input", "run_inputs"]

Input = FileBytes | MemoryBytes

_DICT = "<dict>"
"""What messages call a dict that is not from a file."""
_IF_RUNS = "if these are runs, pass the judgments first and the runs second"


def run_inputs(sources: Sequence[Any], layout: str, *, max_ratio: float = MAX_RATIO) -> list[Input]:
    """Return one input for each system; a list of sources stands for the sources in it."""
    whole = [sources] if are_records(sources) else sources
    found = [found for source in whole for found in _runs_of(source, layout, max_ratio)]
    if not found:
        raise OptionError(
            "sources: there must be one at least. Hint: name a file, a glob or a folder."
        )
    return _named(found)


def _named(inputs: list[Input]) -> list[Input]:
    """Name the systems of memory that have no name: ``run``, or ``run1`` and so on."""
    nameless = [i for i in inputs if isinstance(i, MemoryBytes) and not i.names_itself]
    for number, found in enumerate(nameless, start=1):
        found.system = "run" if len(nameless) == 1 else f"run{number}"
    return inputs


def judgment_input(source: Any, layout: str, *, max_ratio: float = MAX_RATIO) -> Input:
    """Return the one input that holds the judgments."""
    if not is_path(source):
        return _judgments_in(unfolded(source, "judgments"))
    files = find_files(source)
    if len(files) > 1 and all(path.endswith(PARQUET) for path in files):
        return judgments_in_rows(read_parquet_folder(str(source), files))
    if len(files) > 1:
        rule = "judgments are read from one file"
        raise InputError(
            str(source), rule, value=counted(len(files), "file"), remedy="name one of them"
        )
    if is_table(files[0]):
        return _judgments_in(_table(files[0], "judgments", max_ratio), files[0])
    return PeekedBytes(files[0], layout, max_ratio=max_ratio)


def _judgments_in(shape: Any, where: str = _DICT) -> MemoryBytes:
    if isinstance(shape, Rows):
        return judgments_in_rows(shape)
    if not isinstance(shape, Mapping):
        rule = "a list of judgments must hold records of topic, document and grade"
        remedy = f"pass tuples such as ('401', 'FT911-1', 2), or a dict; {_IF_RUNS}"
        raise InputError("<list>", rule, value=next(iter(shape), None), remedy=remedy)
    if not holds_systems(shape) or _are_ids(shape):
        return judged_topics(shape, where)
    return _only_judgments(shape, where)


def _are_ids(shape: Mapping[Any, Any]) -> bool:
    """Say whether each topic has a single relevant document, by its id."""
    return all(isinstance(value, str) for value in shape.values())


def _only_judgments(shape: Mapping[Any, Any], where: str) -> MemoryBytes:
    """Return the judgments of a dict of tables, such as the splits of a dataset, if it has one."""
    tables = [*shape.values()]
    if any(isinstance(table, Mapping) for table in tables):
        raise InputError(
            where,
            "these must be judgments, and they look like runs: a system maps topics to documents",
            remedy="pass the judgments first and the runs second",
        )
    if len(tables) > 1:
        named = ", ".join(map(str, shape))
        rule = "judgments are read from one table"
        raise InputError(where, rule, value=named, remedy=f"pass one of them; {_IF_RUNS}")
    return _judgments_in(unfolded(tables[0], "judgments"), where)


def _runs_of(source: Any, layout: str, max_ratio: float) -> list[Input]:
    if is_path(source):
        files = find_files(source)
        if is_one_table(files):
            return [*runs_in_rows(read_parquet_folder(str(source), files))]
        inputs = [i for path in files for i in _runs_of_file(path, layout, max_ratio)]
        inputs[0].notices += files_beside(source)
        return inputs
    shape = unfolded(source, "runs")
    if isinstance(shape, list):
        return [found for each in shape for found in _runs_of(each, layout, max_ratio)]
    if isinstance(shape, Rows) or not holds_systems(shape):
        return _runs_in(shape, _DICT, name_of(source))
    _require_entries(shape)
    return [
        found
        for name, run in shape.items()
        for found in _called(id_text(name, _DICT), _runs_of(run, layout, max_ratio))
    ]


def _require_entries(systems: Mapping[Any, Any]) -> None:
    """Raise if a system has nothing, and say which: what never ran has no score."""
    for name, run in systems.items():
        if isinstance(run, Sized) and not len(run):
            rule = f"system {name} must have at least one entry, and has none"
            raise InputError(_DICT, rule, remedy="check why its run is empty, or leave it out")


def _runs_in(shape: Mapping[Any, Any] | Rows, where: str, name: str = "") -> list[Input]:
    """Return the runs of rows, or the one of a dict by topic."""
    if isinstance(shape, Rows):
        return [*runs_in_rows(shape)]
    made = ranked_topics(shape, where)
    made.system = name
    return [made]


def _called(name: str, inputs: list[Input]) -> list[Input]:
    """Give a system the name that it has in a dict; several keep theirs behind it."""
    for found in inputs:
        found.system = name if len(inputs) == 1 else f"{name}/{found.system or found.path}"
    return inputs


def _runs_of_file(path: str, layout: str, max_ratio: float) -> list[Input]:
    if not is_table(path):
        return [FileBytes(path, layout, max_ratio=max_ratio)]
    shape = _table(path, "runs", max_ratio)
    if isinstance(shape, Rows) or not holds_systems(shape):
        return _runs_in(shape, path)
    _require_topics(shape, path)
    return [
        found
        for name, topics in shape.items()
        for found in _called(id_text(name, path), _runs_in(topics, path))
    ]


def _require_topics(systems: Mapping[Any, Any], path: str) -> None:
    """Raise unless each system of a JSON file maps topics to documents."""
    for name, topics in systems.items():
        if not isinstance(topics, Mapping):
            rule = f"system {name} must map topics to documents"
            remedy = "write {system: {topic: {document: score}}}"
            raise InputError(path, rule, value=topics, remedy=remedy)


def is_table(path: str) -> bool:
    """Say whether a file is read as a table: Parquet, CSV, JSON or JSONL."""
    return path.endswith(PARQUET) or bool(form_of(path))


def _table(path: str, kind: str, max_ratio: float) -> Mapping[Any, Any] | Rows:
    if path.endswith(PARQUET):
        return rows_of_frame(read_parquet(path), path)
    return read_text_table(path, kind, max_ratio=max_ratio)
