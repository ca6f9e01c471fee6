"""The judgments that fewer or shallower runs would have given."""

from collections.abc import Iterable
from typing import Any

from poolwise.collection.files.writers import qrels_bytes
from poolwise.collection.groups import Groups
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.errors import OptionError
from poolwise.printout.words import named
from poolwise.workflows.inputs import as_groups, as_judgments, as_runs

__all__ = ["pool", "qrels_bytes"]


def pool(
    judgments: Any,
    runs: Any,
    *,
    depth: int,
    leave_out: Iterable[str] = (),
    groups: Any = None,
    **reading: Any,
) -> Judgments:
    """Return the judgments of exactly the documents in the first ranks of the pooled runs.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    depth
        Ranks of each run that are pooled.
    leave_out
        Runs, or groups of runs, that are not pooled.
    groups
        The group of each run, or the file that says it.
    reading
        The options of :func:`~poolwise.read_runs`.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0}}, "dense": {"1": {"c": 3.0, "a": 2.0}}}
    >>> list(pool({"1": {"a": 1, "b": 0, "c": 2}}, runs, depth=1, leave_out=["dense"]))
    [('1', 'a', 1.0)]
    """
    found = nominate(as_judgments(judgments, **reading), as_runs(runs, **reading))
    by_group = as_groups(groups)
    gone = {run for name in leave_out for run in _runs_of(name, found.systems, by_group)}
    return found.depth_pool(depth, systems=[run for run in found.systems if run not in gone])


def _runs_of(name: str, systems: tuple[str, ...], groups: Groups | None) -> tuple[str, ...]:
    """Return the run of this name, or the runs of the group of this name."""
    if name in systems:
        return (name,)
    if groups is not None and name in groups.names:
        return groups.members(name)
    known = (*(groups.names if groups else ()), *systems)
    hint = "" if groups else ", or name a group and say which group each run is of"
    raise OptionError(
        f"leave_out: {name!r} is neither a run nor a group. Hint: use one of "
        f"{named(known, most=10)}{hint}."
    )
