"""How alike runs are, whatever is relevant."""

from collections.abc import Callable
from typing import Any

from poolwise.collection._identifiers import indices_of
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection._topics import listed_topics
from poolwise.errors import OptionError
from poolwise.findings.similarity.run_overlaps import OverlapMatrix
from poolwise.findings.similarity.run_similarity import overlap_by_topic, overlap_matrix
from poolwise.findings.similarity.topic_overlaps import OverlapByTopic
from poolwise.provenance._recorded import recorded
from poolwise.workflows.inputs import Topics

__all__ = ["runs_to_compare", "similarity", "similarity_by_topic"]


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
    return overlap_matrix(runs_to_compare(runs, topics, reading), p=p, ties=tied, depth=depth)


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
    return overlap_by_topic(loaded, p=p, ties=tied, depth=depth, progress=progress)


def runs_to_compare(runs: Any, topics: Topics, reading: Reading) -> Runs:
    """Return two runs or more, on the topics asked for."""
    loaded, wanted = reading.runs(runs), listed_topics(topics)
    if len(loaded.systems) < 2:
        raise OptionError("runs: similarity is between runs; got 1. Hint: give two or more.")
    indices_of(wanted, loaded.topics, what="topics")
    return loaded.select(topics=wanted) if wanted else loaded
