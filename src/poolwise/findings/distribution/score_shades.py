"""Scores of systems on topics as shades, raw and standardized (W10 fig. 4.1 and 4.6)."""

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import StandardizationFactors, standardize
from poolwise.words import counted

__all__ = ["SHADES", "ScoreIntensity", "score_intensity"]

SHADES = 11
"""Shades with an equal number of scores each, as in W10 fig. 4.1 and 4.6."""


@finding
class ScoreIntensity(Finding):
    """Each score by the shade that it falls into, before and after standardization.

    Raw scores show easy topics as stripes; standardized ones show good systems.

    Attributes
    ----------
    measure : Measure
        What was measured.
    systems, topics : tuple of str
        Systems from the best; topics in the order of the table.
    raw, standardized : float array, systems × topics
        The scores, and the same with mean 0 and deviation 1 on each topic.
    raw_limits, standardized_limits : float array, shades − 1
        Where one shade ends and the next begins, in ascending order.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.7], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> found = score_intensity(table)
    >>> found.raw_shades.tolist()  # topic 2 is easy
    [[3, 10], [0, 7]]
    >>> found.standardized.round(2).tolist()  # b is better
    [[0.71, 0.71], [-0.71, -0.71]]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    raw: Floats
    standardized: Floats
    raw_limits: Floats
    standardized_limits: Floats

    @property
    def raw_shades(self) -> Integers:
        """The shade of each raw score, from 0 for the lowest."""
        return np.searchsorted(self.raw_limits, self.raw, side="right")

    @property
    def standardized_shades(self) -> Integers:
        """The shade of each standardized score, from 0 for the lowest."""
        return np.searchsorted(self.standardized_limits, self.standardized, side="right")

    def columns(self) -> Columns:
        """Return one row per system and topic."""
        return {
            "run": [s for s in self.systems for _ in self.topics],
            "topic": list(self.topics) * len(self.systems),
            "raw": self.raw.ravel().tolist(),
            "raw_shade": self.raw_shades.ravel().tolist(),
            "standardized": self.standardized.ravel().tolist(),
            "standardized_shade": self.standardized_shades.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per system: its mean scores and shades; a plot has every topic."""
        columns = {
            "run": list(self.systems),
            "raw": self.raw.mean(axis=1).tolist(),
            "raw_shade": self.raw_shades.mean(axis=1).tolist(),
            "standardized": self.standardized.mean(axis=1).tolist(),
            "standardized_shade": self.standardized_shades.mean(axis=1).tolist(),
        }
        title = f"{self.measure}: means over {counted(len(self.topics), 'topic')}"
        return (table_of(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say how much of what is seen is the topics, and where the shades end."""
        topics = _between_topics(self.raw)
        return (
            (
                f"{topics:.0%} of the variance of {self.measure} lies between topics, and none "
                "after standardization."
            ),
            (
                f"The lightest of {counted(SHADES, 'shade')} are raw scores above "
                f"{self.raw_limits[-1]:.2g} and standardized ones above "
                f"{self.standardized_limits[-1]:.2f}; each shade has as many scores."
            ),
        )


def score_intensity(table: ScoreTable) -> ScoreIntensity:
    """Sort the scores into shades of equal size, raw and standardized by the systems themselves.

    The standard deviations have divisor n − 1, as those that W10 prints. Topics on which a score
    is undefined are left out.

    Parameters
    ----------
    table : ScoreTable
        Scores of systems on topics.

    Returns
    -------
    ScoreIntensity
        Both kinds of scores, the best system first, with the limits of the shades.

    Examples
    --------
    >>> scores = np.random.default_rng(1).beta(1, 3, (11, 10))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefghijk", topics="0123456789",
    ...                                measure="AP")
    >>> np.bincount(score_intensity(table).raw_shades.ravel()).tolist()
    [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]
    """
    topics = [t for t, known in zip(table.topics, table.defined, strict=True) if known]
    ordered = table.select(
        systems=[table.systems[s] for s in table.order().tolist()], topics=topics
    )
    ddof = int(len(table.systems) > 1)
    factors = StandardizationFactors.from_table(ordered, ddof=ddof)
    z = standardize(ordered, factors).value
    shares = np.arange(1, SHADES) / SHADES
    return ScoreIntensity(
        measure=table.measure,
        systems=ordered.systems,
        topics=ordered.topics,
        raw=ordered.value,
        standardized=z,
        raw_limits=np.quantile(ordered.value, shares),
        standardized_limits=np.quantile(z, shares),
        provenance=table.provenance,
    )


def _between_topics(scores: Floats) -> float:
    """Return the share of the variance of all scores that lies between the means of topics."""
    whole = scores.var()
    return float(scores.mean(axis=0).var() / whole) if whole > 0 else 0.0
