"""Pools of runs: what to judge, and the judgments that smaller pools would have given."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate, thin
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.files._writers import qrels_bytes
from poolwise.errors import InputError, OptionError, PoolwiseError
from poolwise.judging.pool_list import PoolToJudge, list_pool
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.words import named
from poolwise.workflows.inputs import as_collection, as_groups

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["pool", "pool_to_judge", "qrels_bytes"]


@recorded
def pool(
    judgments: Any,
    runs: Any,
    *,
    depth: int,
    leave_out: Iterable[str] = (),
    groups: Any = None,
    rate: float = 1.0,
    rng: "int | Generator" = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> Judgments:
    """Return the judgments of exactly the documents in the first ranks of the pooled runs.

    Parameters
    ----------
    depth
        Ranks of each run that are pooled.
    leave_out
        Runs, or groups of runs, that are not pooled.
    rate, rng
        Keep a random share of the judgments of each topic, and the seed to draw it by: see
        :func:`~poolwise.collection.thin`.

    Returns
    -------
    Judgments
        The judgments of the pooled documents; the others are taken away, and so are unjudged.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0}}, "dense": {"1": {"c": 3.0, "a": 2.0}}}
    >>> list(pool({"1": {"a": 1, "b": 0, "c": 2}}, runs, depth=1, leave_out=["dense"]))
    [('1', 'a', 1.0)]
    """
    found = nominate(*as_collection(judgments, runs, reading=reading))
    by_group = as_groups(groups, found.systems)
    pooled = found.depth_pool(depth, systems=_pooled(found.systems, leave_out, by_group))
    return pooled if rate == 1 else thin(pooled, rate, rng=rng)


@recorded
def pool_to_judge(
    runs: Any,
    *,
    depth: int,
    leave_out: Iterable[str] = (),
    groups: Any = None,
    reading: Reading = Reading(),
) -> PoolToJudge:
    """Return the documents in the first ranks of the pooled runs, which are to be judged.

    Parameters
    ----------
    depth, leave_out
        As for :func:`pool`.

    Returns
    -------
    PoolToJudge
        The documents by topic and id, so that their order tells no ranks.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0}}, "dense": {"1": {"c": 3.0, "a": 2.0}}}
    >>> pool_to_judge(runs, depth=1).document
    ('a', 'c')
    """
    found = _runs_alone(runs, reading)
    pooled = _pooled(found.systems, leave_out, as_groups(groups, found.systems))
    return list_pool(found.select(pooled), depth=depth)


def _runs_alone(sources: Any, reading: Reading) -> Runs:
    """Read runs, and say so where the first file holds judgments."""
    try:
        return reading.runs(sources)
    except InputError:
        first = sources[0] if isinstance(sources, list | tuple) and sources else sources
        if not _holds_judgments(first, reading):
            raise
    raise InputError(
        str(first),
        "a pool to judge is made of runs alone, and this file holds judgments",
        remedy=f"write poolwise pool RUNS --grades-from {first} (in Python: pool) for the "
        "judgments of the pool, or leave the file out for the documents to judge",
    )


def _holds_judgments(source: Any, reading: Reading) -> bool:
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return False
    try:
        return bool(len(reading.judgments(source)))
    except PoolwiseError:
        return False


def _pooled(systems: tuple[str, ...], leave_out: Iterable[str], groups: Groups | None) -> list[str]:
    """Return the runs that are not left out."""
    gone = {run for name in leave_out for run in _runs_of(name, systems, groups)}
    return [run for run in systems if run not in gone]


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
