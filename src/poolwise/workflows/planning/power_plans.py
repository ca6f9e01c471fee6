"""How many topics an experiment needs, from numbers or from past runs."""

from collections.abc import Iterable

from poolwise.findings.planning.past_systems import CollectionPower, collection_power
from poolwise.findings.planning.power import PowerAnalysis, power_analysis
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable

__all__ = ["plan_from_numbers", "plan_from_scores"]

USUAL_POWER = 0.8
"""What is asked of a test where nothing else is said."""


@recorded
def plan_from_scores(
    tables: Iterable[ScoreTable],
    *,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> tuple[CollectionPower, ...]:
    """Say what the topics of each table can detect, judging by the systems in it.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of past systems, one table per measure.
    power : float, optional
        The chance to find a difference; 0.8 by default.
    alpha : float
        The significance level.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    tuple of CollectionPower
        What is detected by each measure, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> plan_from_scores([table])[0].power
    0.8
    """
    wanted = USUAL_POWER if power is None else power
    return tuple(
        collection_power(table, power=wanted, alpha=alpha, alternative=alternative)
        for table in tables
    )


@recorded
def plan_from_numbers(
    *,
    delta: float | None = None,
    sigma: float | None = None,
    topics: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerAnalysis:
    """Solve for the one quantity that is not given; a power of 0.8 is supposed where it is left.

    Parameters
    ----------
    delta, sigma, topics, power, alpha, alternative
        As for :func:`~poolwise.power_analysis`.

    Returns
    -------
    PowerAnalysis
        The five quantities, and which of them was solved for.

    Examples
    --------
    >>> plan_from_numbers(delta=0.05, sigma=0.13).whole_topics
    56
    """
    open_ = [name for name, value in (("d", delta), ("s", sigma), ("t", topics)) if value is None]
    wanted = USUAL_POWER if power is None and open_ else power
    return power_analysis(
        delta=delta, sigma=sigma, topics=topics, power=wanted, alpha=alpha, alternative=alternative
    )
