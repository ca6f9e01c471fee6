"""How much of the spread of scores is due to systems, to topics, and to both together."""

from collections.abc import Mapping

import numpy as np

from poolwise.arrays import Floats, generator
from poolwise.errors import OptionError, require_choice
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["VarianceComponents", "variance_components"]


QUANTITIES: Mapping[str, str] = {
    "absolute": "φ for one topic (W10 eq. 4.3), Φ for many (4.5): are scores comparable as such",
    "relative": "ρ_I for one topic (W10 eq. 4.4), Eρ² for many: are differences comparable",
}


SOURCES = ("system", "topic", "interaction")
"""What scores vary by."""


@finding
class VarianceComponents(Finding):
    """σ²(s), σ²(t) and σ²(st) of the model ``score = mean + system + topic + interaction``.

    Attributes
    ----------
    measure : Measure
    systems, topics : int
        How many there are.
    system, topic, interaction : float
        The components (W10 eq. 4.2). An estimate below 0 is sampling error around a component of
        0, as after standardization; it is set to 0 and kept in ``estimates``.
    estimates : tuple of float
        The three as the mean squares give them.
    mean_squares : tuple of float
        Of systems, topics and interaction.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> print(variance_components(table))
    Variance components of AP
    <BLANKLINE>
    source       variance  share in %
    system         0.0150        25.7
    topic          0.0283        48.6
    interaction    0.0150        25.7
    <BLANKLINE>
    Of the variance of AP, 25.7% is due to systems, 48.6% to topics and 25.7% to both together (2
    systems, 3 topics).
    Of the variance of a score on one topic, a share of 0.257 (φ) is due to systems, of a difference
    of two scores 0.500 (ρ_I), and of a mean over 3 topics 0.509 (Φ).
    """

    measure: Measure
    systems: int
    topics: int
    system: float
    topic: float
    interaction: float
    estimates: tuple[float, ...]
    mean_squares: tuple[float, ...]

    @property
    def shares(self) -> Floats:
        """The three components as shares of their sum; NaN if all scores are equal."""
        parts = np.array([self.system, self.topic, self.interaction])
        return parts / (parts.sum() if parts.any() else np.nan)

    def absolute(self, topics: int = 1) -> float:
        """Return φ, or Φ over this many topics: the share of true differences in mean scores."""
        # W10 eq. 4.3, 4.5
        return _ratio(self.system, (self.topic + self.interaction) / _positive(topics))

    def relative(self, topics: int = 1) -> float:
        """Return ρ_I, or Eρ² over this many topics: their share in differences of means."""
        # W10 eq. 4.4
        return _ratio(self.system, self.interaction / _positive(topics))

    def topics_for(self, target: float, *, quantity: str = "absolute") -> int:
        """Return how many topics raise Φ (or Eρ², if ``relative``) to the target.

        Examples
        --------
        >>> components = VarianceComponents("AP", 61, 50, 0.08, 0.62, 0.30, (), ())
        >>> components.topics_for(0.9)
        104
        """
        if not 0 < target < 1 or self.system <= 0:
            raise OptionError(
                f"target: {target} with a system component of {self.system:.3g} needs no number "
                "of topics. Hint: use a target between 0 and 1, and systems that differ."
            )
        noise = self.interaction + (self.topic if _known(quantity) == "absolute" else 0.0)
        exact = target / (1 - target) * noise / self.system
        return max(1, int(np.ceil(exact - 1e-9)))

    def interval(
        self,
        quantity: str = "absolute",
        *,
        rng: int | np.random.Generator = DEFAULT_SEED,
        topics: int = 1,
        level: float = 0.95,
        draws: int = 20_000,
    ) -> tuple[float, float]:
        """Return the interval of ``absolute(topics)`` or ``relative(topics)``.

        Generalized confidence interval (Weerahandi 1993): under normal effects each mean square
        over its expectation is χ²/df, so draws of χ² give draws of the components. For
        ``relative`` this is the F interval, but for the number of draws.
        """
        system, topic, interaction = self._drawn(generator(rng), draws)
        noise = interaction + (topic if _known(quantity) == "absolute" else 0.0)
        signal = np.maximum(system, 0)
        spread = signal + np.maximum(noise, 0) / _positive(topics)
        ratio = signal / np.where(spread > 0, spread, np.nan)
        low, high = np.quantile(ratio, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def _drawn(self, rng: np.random.Generator, draws: int) -> Floats:
        """Return draws of the three components."""
        freedom = degrees_of_freedom(self.systems, self.topics)
        chi_squares = np.stack([rng.chisquare(f, draws) / f for f in freedom])
        squares = np.array(self.mean_squares)[:, None] / chi_squares
        return _components(squares, self.systems, self.topics)

    def columns(self) -> Columns:
        """Return one row: the components, their shares, and how far scores are comparable."""
        parts = {"": self._components(), "_share": self.shares.tolist()}
        parts |= {"_estimate": self.estimates, "_mean_square": self.mean_squares}
        return {
            "measure": [str(self.measure)],
            "systems": [self.systems],
            "topics": [self.topics],
            **{
                f"{source}{part}": [number]
                for part, numbers in parts.items()
                for source, number in zip(SOURCES, numbers, strict=True)
            },
            "phi": [self.absolute()],
            "rho": [self.relative()],
            "phi_of_means": [self.absolute(self.topics)],
            "rho_of_means": [self.relative(self.topics)],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what scores vary by, and how much of that is due to systems."""
        if not any(self._components()):
            return (f"All scores of {self.measure} are equal, and have no variance.",)
        return (self._parts(), self._coefficients(), *self._below_zero())

    def tables(self) -> tuple[Table, ...]:
        """Return one row per source of variance."""
        rows = zip(SOURCES, self._components(), self.shares.tolist(), strict=True)
        share = Column("share in %", digits=1, percent=True)
        columns = (Column("source"), Column("variance", digits=4), share)
        return (Table(columns, tuple(rows), title=f"Variance components of {self.measure}"),)

    def _components(self) -> tuple[float, float, float]:
        return self.system, self.topic, self.interaction

    def _parts(self) -> str:
        system, topic, both = (f"{share:.1%}" for share in self.shares)
        size = f"{counted(self.systems, 'system')}, {counted(self.topics, 'topic')}"
        return (
            f"Of the variance of {self.measure}, {system} is due to systems, {topic} to topics and "
            f"{both} to both together ({size})."
        )

    def _coefficients(self) -> str:
        return (
            f"Of the variance of a score on one topic, a share of {self.absolute():.3f} (φ) is due "
            f"to systems, of a difference of two scores {self.relative():.3f} (ρ_I), and of a mean "
            f"over {counted(self.topics, 'topic')} {self.absolute(self.topics):.3f} (Φ)."
        )

    def _below_zero(self) -> tuple[str, ...]:
        below = [s for s, e in zip(SOURCES, self.estimates, strict=True) if e < 0]
        return tuple(
            f"The estimate for {source} came out below 0, by sampling error, and was set to 0."
            for source in below
        )


def variance_components(table: ScoreTable) -> VarianceComponents:
    """Part the variance of scores by the two-way analysis of variance without replication.

    Topics with an undefined score are left out. W10 §4.1; Brennan 2001, chapter 2.

    Parameters
    ----------
    table : ScoreTable
        Scores of two or more systems on two or more topics.

    Returns
    -------
    VarianceComponents
        The variance of systems, of topics and of the rest, and the share of each.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> variance_components(table).shares.round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    scores = table.value[:, table.defined]
    systems, topics = scores.shape
    if min(systems, topics) < 2:
        raise OptionError(
            f"table: {counted(systems, 'system')} on {counted(topics, 'topic')} with scores show "
            "no variance. "
            "Hint: use two of each or more."
        )
    squares = sums_of_squares(scores) / degrees_of_freedom(systems, topics)
    estimates = _components(squares, systems, topics).tolist()
    system, topic, interaction = (max(0.0, estimate) for estimate in estimates)
    return VarianceComponents(
        measure=table.measure,
        systems=systems,
        topics=topics,
        system=system,
        topic=topic,
        interaction=interaction,
        estimates=tuple(estimates),
        mean_squares=tuple(squares.tolist()),
        provenance=table.provenance,
    )


def sums_of_squares(scores: Floats) -> Floats:
    """Return the sums of squares of systems (rows), topics (columns) and interaction."""
    # W10 eq. 4.1
    mean = scores.mean()
    systems, topics = scores.mean(axis=1) - mean, scores.mean(axis=0) - mean
    rest = scores - mean - systems[:, None] - topics
    return np.array(
        [len(topics) * systems @ systems, len(systems) * topics @ topics, (rest**2).sum()]
    )


def degrees_of_freedom(systems: int, topics: int) -> tuple[int, int, int]:
    """Return those of systems, topics and interaction."""
    return systems - 1, topics - 1, (systems - 1) * (topics - 1)


def _components(squares: Floats, systems: int, topics: int) -> Floats:
    """Solve the expected mean squares for the components (Brennan 2001, chapter 2)."""
    system, topic, interaction = squares
    return np.array([(system - interaction) / topics, (topic - interaction) / systems, interaction])


def _ratio(signal: float, noise: float) -> float:
    return signal / (signal + noise) if signal + noise > 0 else float("nan")


def _positive(topics: int) -> int:
    if topics < 1:
        raise OptionError(f"topics: {topics} is less than 1. Hint: use 1 or more.")
    return topics


def _known(quantity: str) -> str:
    require_choice("quantity", quantity, QUANTITIES)
    return quantity
