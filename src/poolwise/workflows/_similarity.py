"""How alike runs are, whatever is relevant, and how far rankings have moved."""

from collections.abc import Callable, Iterable
from typing import Any

from poolwise.collection._identifiers import indices_of, listed_topics
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.findings.gating._gate import RankingChange, ranking_change
from poolwise.findings.similarity._run_overlaps import OverlapByTopic, OverlapMatrix
from poolwise.findings.similarity._run_similarity import (
    overlap_by_topic,
    overlap_matrix,
    run_overlap,
)
from poolwise.provenance._recorded import recorded
from poolwise.workflows._inputs import Topics

__all__ = ["check_similarity", "runs_to_compare", "similarity", "similarity_by_topic"]


@recorded
def similarity(
    runs: Any,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
    topics: Topics = (),
    reading: Reading = Reading(),
) -> OverlapMatrix:
    """Compare the rankings of runs by rank-biased overlap (RBO), without judgments.

    Parameters
    ----------
    p
        Persistence of RBO: at 0.9 the first ten ranks carry 86% of the weight.
    tied : {"broken", "w", "a", "b"}
        What tied documents mean: their order, one rank, or an unknown order.
    depth
        Compare the first ranks only.
    topics
        Compare these topics only, or those of a file with one in each line; all by default.

    Returns
    -------
    OverlapMatrix
        Estimates and bounds for every pair of runs, the means over topics.

    Examples
    --------
    >>> lists = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
    >>> similarity(lists, p=0.5).ext.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    return overlap_matrix(runs_to_compare(runs, topics, reading), p=p, tied=tied, depth=depth)


@recorded
def similarity_by_topic(
    runs: Any,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
    topics: Topics = (),
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> OverlapByTopic:
    """Compare the rankings of runs topic by topic, and over all topics.

    Parameters
    ----------
    p, tied, depth, topics
        As for :func:`similarity`.

    Returns
    -------
    OverlapByTopic
        The overlap of every pair on each topic, and the matrix of their means.

    Examples
    --------
    >>> lists = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
    >>> similarity_by_topic(lists, p=0.5).columns()["rbo"]
    [0.5, 0.5]
    """
    loaded = runs_to_compare(runs, topics, reading)
    return overlap_by_topic(loaded, p=p, tied=tied, depth=depth, progress=progress)


def runs_to_compare(runs: Any, topics: Topics, reading: Reading) -> Runs:
    """Return two runs or more, on the topics asked for."""
    loaded, wanted = reading.runs(runs), listed_topics(topics)
    if len(loaded.systems) < 2:
        raise OptionError("runs: similarity is between runs; got 1. Hint: give two or more.")
    indices_of(wanted, loaded.topics, what="topics")
    return loaded.select(topics=wanted) if wanted else loaded


@recorded
def check_similarity(
    runs: Any,
    fail_under: float,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
    topics: Iterable[str] = (),
    reading: Reading = Reading(),
) -> RankingChange:
    """Ask whether a new run ranks like an old one, by rank-biased overlap, without judgments.

    Parameters
    ----------
    runs
        The old run and the new one: an object, or whatever :func:`~poolwise.read_runs` reads.
    fail_under
        The mean overlap that is asked for.
    p, tied, depth, topics
        As for :func:`~poolwise.similarity`.

    Returns
    -------
    RankingChange
        The verdict, pass or fail, with the mean overlap and the topics that moved most.

    Examples
    --------
    >>> lists = {"old": {"1": {"x": 2.0, "y": 1.0}}, "new": {"1": {"y": 2.0, "x": 1.0}}}
    >>> check_similarity(lists, 0.9, p=0.5).verdict
    'fail'
    """
    loaded = runs_to_compare(runs, topics, reading)
    if len(loaded.systems) != 2:
        raise OptionError(
            f"runs: an old run and a new one are compared; got {len(loaded.systems)}. "
            "Hint: name two files."
        )
    overlap = run_overlap(loaded, *loaded.systems, p=p, tied=tied, depth=depth)
    return ranking_change(overlap, fail_under=fail_under)
