"""Whatever can be read, as inputs for the scanner."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.collection.files.frames import (
    as_frame,
    judgments_in_frame,
    read_parquet,
    runs_in_frame,
)
from poolwise.collection.files.memory import MemoryBytes, judgments_in, runs_in
from poolwise.collection.files.sources import MAX_RATIO, FileBytes, find_files
from poolwise.errors import InputError, OptionError
from poolwise.printout.words import counted

__all__ = ["Input", "is_parquet", "judgment_input", "run_inputs"]

Input = FileBytes | MemoryBytes


def run_inputs(sources: Sequence[Any], layout: str, *, max_ratio: float = MAX_RATIO) -> list[Input]:
    """Return one input for each system; a list of sources stands for the sources in it."""
    flat = [s for group in sources for s in (group if isinstance(group, list | tuple) else [group])]
    if not flat:
        raise OptionError(
            "sources: there must be one at least. Hint: name a file, a glob or a folder."
        )
    return [found for source in flat for found in _runs_of(source, layout, max_ratio)]


def judgment_input(source: Any, layout: str, *, max_ratio: float = MAX_RATIO) -> Input:
    """Return the one input that holds the judgments."""
    if isinstance(source, Mapping):
        return judgments_in(source)
    if not isinstance(source, str | Path):
        return judgments_in_frame(_frame(source))
    files = find_files(source)
    if len(files) > 1:
        rule = "judgments are read from one file"
        raise InputError(
            str(source), rule, value=counted(len(files), "file"), remedy="name one of them"
        )
    if is_parquet(files[0]):
        return judgments_in_frame(read_parquet(files[0]), files[0])
    return FileBytes(files[0], layout, max_ratio=max_ratio)


def _runs_of(source: Any, layout: str, max_ratio: float) -> list[Input]:
    if isinstance(source, Mapping):
        return [*runs_in(source)]
    if not isinstance(source, str | Path):
        return [*runs_in_frame(_frame(source))]
    found: list[Input] = []
    for path in find_files(source):
        found += (
            runs_in_frame(read_parquet(path), path)
            if is_parquet(path)
            else [FileBytes(path, layout, max_ratio=max_ratio)]
        )
    return found


def is_parquet(path: str) -> bool:
    """Say whether a file is read as a frame."""
    return path.endswith((".parquet", ".pq"))


def _frame(source: Any) -> Any:
    frame = as_frame(source)
    if frame is None:
        raise OptionError(
            f"source: a {type(source).__name__} cannot be read. Hint: pass a path, a glob, "
            "a folder, '-', a dict, or a pandas, polars or Arrow frame."
        )
    return frame
