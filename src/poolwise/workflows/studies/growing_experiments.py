"""Which topics, and how many? Studies of experiments that add topics as they go."""

from typing import Any

from poolwise.findings.planning._iterative import Peeking, TopicInclusion, peek, topic_inclusion
from poolwise.scores._score_table import ScoreTable

__all__ = ["study_inclusion", "study_peeking"]


def study_inclusion(table: ScoreTable, a: str, b: str, **options: Any) -> TopicInclusion:
    """Show which topics an experiment that adds topics until power is reached comes to have.

    Parameters
    ----------
    table : ScoreTable
        Scores of two or more systems.
    a, b : str
        Names of the two systems.
    options
        Those of :func:`~poolwise.findings.topic_inclusion`.

    Returns
    -------
    TopicInclusion
        The share of experiments that have each topic, and a test of equal shares.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> table = ScoreTable.from_matrix([rng.standard_t(3, 80) / 20, np.zeros(80)], systems="ab",
    ...                                topics=map(str, range(80)), measure="AP")
    >>> found = study_inclusion(table, "a", "b", delta=0.04, rng=1, simulations=500)
    >>> found.near > found.far  # topics near the mean difference are in more experiments
    True
    """
    return topic_inclusion(table, a, b, **options)


def study_peeking(table: ScoreTable, **options: Any) -> Peeking:
    """Show how often looking at significance after each topic would find it.

    Parameters
    ----------
    table : ScoreTable
        Scores of two or more systems.
    options
        Those of :func:`~poolwise.findings.peek`.

    Returns
    -------
    Peeking
        How often pairs that are not significant would have been called so at some look.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(4).beta(1, 3, (8, 60))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefgh", topics=map(str, range(60)),
    ...                                measure="AP")
    >>> found = study_peeking(table, rng=1, start=20, orders=20, highest=0.3)
    >>> found.measure
    AP
    """
    return peek(table, **options)
