"""Which systems stand so close that no test separates them from the best among them."""

import numpy as np

from poolwise.arrays import Integers
from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.scores.score_table import ScoreTable

__all__ = ["tiers"]


def tiers(table: ScoreTable, comparisons: Comparisons, *, alpha: float = 0.05) -> Integers:
    """Return the tier of each system, 1 for the best.

    From the best mean down, a tier goes on as long as no test separates the next system from the
    first of the tier. Systems of one tier may yet differ from each other, and those at the border
    of two tiers may not: only the difference from the first of a tier is asked for.

    Parameters
    ----------
    table
        The scores.
    comparisons
        All pairs of its systems: see :func:`~poolwise.compare_scores`.
    alpha
        Corrected p values below this separate.

    Returns
    -------
    int array, systems
        The tiers, in the order of the table's systems.

    Examples
    --------
    >>> from poolwise import compare_scores
    >>> scores = [[0.9, 0.8] * 3, [0.9, 0.8, 0.8] * 2, [0.2, 0.1, 0.3] * 2]
    >>> table = ScoreTable.from_matrix(scores, systems="abc", topics="123456", measure="AP")
    >>> tiers(table, compare_scores(table)).tolist()
    [1, 1, 2]
    """
    pairs = comparisons.pairs
    separated = np.zeros((len(table.systems),) * 2, np.bool_)
    separated[pairs.left, pairs.right] = comparisons.significant(alpha)
    separated |= separated.T
    tier = np.ones(len(table.systems), np.int64)
    order = table.order().tolist()
    first, number = order[0], 1
    for s in order:
        if separated[first, s]:
            first, number = s, number + 1
        tier[s] = number
    return tier
