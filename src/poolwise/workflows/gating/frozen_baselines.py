"""A baseline in a file: its rankings, and what they were frozen from.

The file is a TREC run with one comment above it, so that it is read as every run is. The comment
is a JSON object with a hash of itself and of the lines below: a file that was changed since is
refused.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import FileBytes
from poolwise.collection.files._writers import run_bytes
from poolwise.errors import InputError
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Source
from poolwise.results._records import digest
from poolwise.version import __version__
from poolwise.workflows.named_files import existing_files

__all__ = ["FrozenBaseline", "frozen_bytes", "frozen_depth", "read_frozen"]

_MARK = b"# poolwise baseline: "
_WRITTEN_AGAIN = "restore the file, or freeze the baseline again with --freeze"


@dataclass(frozen=True)
class FrozenBaseline:
    """What a frozen file says of itself.

    Attributes
    ----------
    path : str
        Where it lies.
    depth : int, optional
        How many ranks of each list it keeps; None for whole lists.
    judgments : str
        The hash of the judgments at the time of freezing; empty where it was not known.
    """

    path: str
    depth: int | None
    judgments: str

    def require_depth(self, measures: Sequence[Measure], universe: Universe) -> None:
        """Raise where a measure, or its range, looks deeper than the rankings that were kept."""
        wanted = frozen_depth(measures, universe)
        if self.depth is None or (wanted is not None and wanted <= self.depth):
            return
        deep = "whole lists" if wanted is None else f"{wanted} ranks"
        raise InputError(
            self.path,
            f"a frozen baseline must be as deep as the measures, which look at {deep}",
            value=self.depth,
            remedy="freeze the baseline again with these measures",
        )


def frozen_depth(measures: Sequence[Measure], universe: Universe) -> int | None:
    """Return how many ranks the measures and their ranges look at; None for whole lists.

    Examples
    --------
    >>> from poolwise import AP, nDCG
    >>> frozen_depth([nDCG @ 10, AP @ 100], Universe()), frozen_depth([AP], Universe())
    (100, None)
    """
    depths = [universe.reach(measure.depth) for measure in measures]
    return max((d for d in depths if d is not None), default=1) if None not in depths else None


def frozen_bytes(
    runs: Runs, system: str, depth: int | None, judgments: Source, options: dict[str, Any]
) -> bytes:
    """Return a run as a frozen baseline.

    ``options`` are those it was frozen with, for whoever reads the file.
    """
    lists = {topic: runs.ranking(system, topic)[:depth] for topic in runs.topics}
    body = run_bytes(Runs.from_rankings({system: lists}), system, "plain")
    at = runs.systems.index(system)
    source = runs.sources[at] if at < len(runs.sources) else Source("<memory>")
    told = {
        "poolwise": __version__,
        "run": {"name": system, "path": source.path, "sha256": source.sha256},
        "judgments": {"path": judgments.path, "sha256": judgments.sha256},
        "depth": depth,
        "options": options,
    }
    head = json.dumps(told | {"sha256": _hash(told, body)})
    return _MARK + head.encode() + b"\n" + body


def _hash(told: dict[str, Any], body: bytes) -> str:
    return digest(json.dumps(told).encode() + b"\n" + body)


def read_frozen(source: Any) -> tuple[FrozenBaseline, ...]:
    """Return what frozen files say of themselves, of those that a source stands for.

    Examples
    --------
    >>> read_frozen("nowhere.run")
    ()
    """
    paths = existing_files([source]) if isinstance(source, str | Path) else []
    found = (_read(path) for path in paths if Path(path).is_file())
    return tuple(one for one in found if one is not None)


def _read(path: str) -> FrozenBaseline | None:
    """Return what a file says of itself, compressed or not; None for any other run."""
    parts = map(bytes, FileBytes(path))
    first = next(parts, b"")
    if not first.startswith(_MARK):
        return None
    # Some systems write other ends of lines as they check a file out.
    content = b"".join([first, *parts]).replace(b"\r\n", b"\n")
    head, _, body = content.removeprefix(_MARK).partition(b"\n")
    return _checked(path, head, body)


def _checked(path: str, head: bytes, body: bytes) -> FrozenBaseline:
    """Return what the comment says, if it and the lines below are as they were written."""
    try:
        told = json.loads(head)
        kept = told.pop("sha256")
        found = FrozenBaseline(path, told["depth"], told["judgments"]["sha256"])
    except (ValueError, KeyError, TypeError, AttributeError):
        kept = None
    if kept is None or kept != _hash(told, body):
        rule = "a frozen baseline must be as it was written, and this one was changed"
        raise InputError(path, rule, remedy=_WRITTEN_AGAIN)
    return found
