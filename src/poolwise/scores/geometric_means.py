"""Scores whose means are geometric: tests on logarithms (U18 §2.1)."""

from dataclasses import replace

import numpy as np

from poolwise.errors import OptionError, require_choice
from poolwise.measures._derived import Logarithm
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.scores.score_table import ScoreTable

__all__ = ["MEANS", "log_scores", "measure_for_mean"]

MEANS = {
    "arithmetic": "the mean of the scores",
    "geometric": "the geometric mean, by the logarithms of the scores (U18 §2.1)",
}
"""Over topics, what of a measure is compared."""


def measure_for_mean(measure: Measure | str, mean: str) -> Measure:
    """Return the measure whose arithmetic mean stands for the mean that is wanted.

    Examples
    --------
    >>> measure_for_mean("AP", "arithmetic"), measure_for_mean("AP", "geometric")
    (AP, log AP)
    """
    require_choice("mean", mean, MEANS)
    known = parse_measure(measure)
    return Logarithm(of=known) if mean == "geometric" else known


def log_scores(table: ScoreTable) -> ScoreTable:
    """Return the logarithms of scores, whose means are those of the geometric means.

    Parameters
    ----------
    table : ScoreTable
        Scores of which none is below 0.

    Returns
    -------
    ScoreTable
        The logarithm of each score, to which 0.00001 is added first, and of its range.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.4]], systems=["a"], topics=["1", "2"],
    ...                                measure="AP")
    >>> float(np.exp(log_scores(table).means()[0]).round(4)), table.aggregate("gm").round(4)
    (0.2, array([0.2]))
    """
    if np.nanmin(table.value, initial=0.0) < 0:
        raise OptionError(
            f"mean: a geometric mean takes scores from 0 up; {table.measure} has "
            f"{np.nanmin(table.value):.4g}. Hint: use the arithmetic mean."
        )
    measure = Logarithm(of=table.measure)
    low, high = measure.of_scores(np.maximum(table.limits, 0.0)).tolist()
    return replace(
        table,
        measure=measure,
        value=measure.of_scores(table.value),
        lower=measure.of_scores(table.lower),
        upper=measure.of_scores(table.upper),
        limits=(low, high),
        mean_range=None,
        tail=None,
        sampling=None,
    )
