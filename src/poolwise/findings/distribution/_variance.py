"""How much of the spread of scores is due to systems, to topics, to both, and to pool depth."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from poolwise.arrays import Floats, generator
from poolwise.errors import OptionError, require_choice
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_text, p_words

__all__ = [
    "AnovaTable",
    "VarianceComponents",
    "analyse_covariance",
    "analyse_variance",
    "variance_components",
]

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
    Of the variance of AP, 25.7% is due to systems, 48.6% to topics and 25.7% to both together (2
    systems, 3 topics).
    <BLANKLINE>
    Variance components of AP
    <BLANKLINE>
    source       variance  share in %
    system         0.0150        25.7
    topic          0.0283        48.6
    interaction    0.0150        25.7
    <BLANKLINE>
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
        # Weerahandi 1993: mean square over expectation is χ²/df, so the expectation is drawn as
        # mean square over χ²/df
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


@recorded
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
    # E(MS_s) = σ²(st) + topics·σ²(s), E(MS_t) = σ²(st) + systems·σ²(t), E(MS_st) = σ²(st)
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


@finding
class AnovaTable(Finding):
    """One row per source of variance; the last is the residual, without F and p.

    Attributes
    ----------
    sources : tuple of str
        Names, as in ``system:topic`` for an interaction.
    squares, freedom : tuple of float, tuple of int
        Sums of squares and degrees of freedom.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> print(analyse_variance(table))
    25.7% of the variance of AP is due to system (F = 4.000, p = 0.1835).
    <BLANKLINE>
    Analysis of variance of AP
    <BLANKLINE>
    source    squares  df  mean square      F  p       share
    system     0.0600   1       0.0600  4.000  0.1835  0.257
    topic      0.1433   2       0.0717  4.778  0.1731  0.614
    residual   0.0300   2       0.0150      –  –       0.129
    <BLANKLINE>
    61.4% of the variance of AP is due to topic (F = 4.778, p = 0.1731).
    12.9% of the variance of AP is left over.
    """

    measure: Measure
    sources: tuple[str, ...]
    squares: tuple[float, ...]
    freedom: tuple[int, ...]

    @property
    def mean_squares(self) -> Floats:
        """Sums of squares over degrees of freedom."""
        return np.array(self.squares) / np.array(self.freedom)

    @property
    def ratios(self) -> Floats:
        """F of each source but the residual: its mean square over the residual's."""
        mean_squares = self.mean_squares
        residual = mean_squares[-1]
        # a residual of rounding error only is no yardstick
        if self.squares[-1] <= 1e-20 * sum(self.squares):
            return np.full(len(self.sources) - 1, np.nan)
        return mean_squares[:-1] / residual

    @property
    def pvalues(self) -> Floats:
        """P value of each source but the residual, by the F distribution; NaN where F is."""
        from scipy.special import fdtrc  # noqa: PLC0415 -- late: slow to import

        return np.asarray(fdtrc(self.freedom[:-1], self.freedom[-1], self.ratios))

    @property
    def shares(self) -> Floats:
        """Sums of squares as shares of the total (η²)."""
        total = sum(self.squares)
        return np.array(self.squares) / (total if total > 0 else np.nan)

    def columns(self) -> Columns:
        """Return one row per source; the residual has neither F nor p."""
        return {
            "measure": [str(self.measure)] * len(self.sources),
            "source": list(self.sources),
            "squares": list(self.squares),
            "df": list(self.freedom),
            "mean_square": self.mean_squares.tolist(),
            "f": [*self.ratios.tolist(), float("nan")],
            "p": [*self.pvalues.tolist(), float("nan")],
            "share": self.shares.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how much of the variance each source explains, and how surely."""
        if not sum(self.squares):
            return (f"All scores of {self.measure} are equal, and have no variance.",)
        *explained, left = (
            f"{share:.1%} of the variance of {self.measure} is" for share in self.shares
        )
        tests = zip(explained, self.sources[:-1], self.ratios, self.pvalues, strict=True)
        return (*(_explained(*row) for row in tests), f"{left} left over.")

    def tables(self) -> tuple[Table, ...]:
        """Return one row per source."""
        columns = self.columns()
        columns["p"] = [p_text(p) for p in columns["p"]]
        del columns["measure"]
        digits = (None, 4, None, 4, 3, None, 3)
        titles = ("source", "squares", "df", "mean square", "F", "p", "share")
        return (
            Table(
                tuple(Column(t, d) for t, d in zip(titles, digits, strict=True)),
                tuple(zip(*columns.values(), strict=True)),
                title=f"Analysis of variance of {self.measure}",
            ),
        )


def _explained(share: str, source: str, ratio: float, p: float) -> str:
    """Return what a source explains; without a residual there is no F."""
    due = f"the interaction {source.replace(':', ' × ')}" if ":" in source else source
    if math.isnan(ratio):
        return f"{share} due to {due}."
    return f"{share} due to {due} (F = {ratio:.3f}, {p_words(p)})."


@recorded
def analyse_variance(table: ScoreTable) -> AnovaTable:
    """Do the two-way analysis of variance without replication: score ~ system + topic.

    The residual is the interaction. Topics with an undefined score are left out.

    Parameters
    ----------
    table : ScoreTable
        Scores of two or more systems on two or more topics.

    Returns
    -------
    AnovaTable
        Sums of squares, degrees of freedom, F and p of systems and topics.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> analyse_variance(table).pvalues.round(4).tolist()
    [0.1835, 0.1731]
    """
    scores = table.value[:, table.defined]
    _require(min(scores.shape) > 1, _size(scores))
    return AnovaTable(
        table.measure,
        ("system", "topic", "residual"),
        tuple(sums_of_squares(scores).tolist()),
        degrees_of_freedom(*scores.shape),
        provenance=table.provenance,
    )


@recorded
def analyse_covariance(tables: Sequence[ScoreTable], depths: Sequence[float]) -> AnovaTable:
    """Analyse score ~ system × topic × depth, with the depth of the pool as covariate.

    The scores of the same systems on the same topics, one table per depth. Each system and
    topic has a line in the depth; means and slopes of the lines are parted by system and topic,
    and what the lines miss is the residual (U18 §3.7). The design is balanced, so the order of the
    sources does not matter.

    Parameters
    ----------
    tables
        Three or more, one per depth.
    depths
        The covariate of each table; take logarithms first if that is the scale wanted.

    Returns
    -------
    AnovaTable
        Sums of squares, degrees of freedom, F and p of each source.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tables = [ScoreTable.from_matrix(rng.random((2, 3)) + d / 10, systems="ab", topics="123",
    ...                                  measure="AP") for d in (5, 10, 20, 50)]
    >>> result = analyse_covariance(tables, [5, 10, 20, 50])
    >>> result.sources[:3], bool(result.pvalues[3] < 0.001)
    (('system', 'topic', 'system:topic'), True)
    """
    _check_tables(tables, depths)
    defined = np.logical_and.reduce([table.defined for table in tables])
    scores = np.stack([table.value[:, defined] for table in tables])
    _require(min(scores.shape[1:]) > 1, _size(scores[0]))
    # centred, so that means and slopes of the lines are orthogonal, and sums of squares add up
    x = np.asarray(depths, np.float64) - np.mean(depths)
    means = scores.mean(axis=0)
    slopes = np.tensordot(x, scores, 1) / (x @ x)
    lines = means + x[:, None, None] * slopes
    freedom = degrees_of_freedom(*means.shape)
    return AnovaTable(
        tables[0].measure,
        (
            *("system", "topic", "system:topic", "depth"),
            *("system:depth", "topic:depth", "system:topic:depth", "residual"),
        ),
        (
            *(len(x) * sums_of_squares(means)).tolist(),
            float(x @ x * means.size * slopes.mean() ** 2),
            *(x @ x * sums_of_squares(slopes)).tolist(),
            float(((scores - lines) ** 2).sum()),
        ),
        (*freedom, 1, *freedom, means.size * (len(x) - 2)),
        provenance=tables[0].provenance.with_options(pool_depths=tuple(depths)),
    )


def _check_tables(tables: Sequence[ScoreTable], depths: Sequence[float]) -> None:
    _require(len(tables) == len(depths), f"{len(tables)} tables and {len(depths)} depths")
    if len(set(depths)) < 3:
        raise OptionError(
            f"depths: a covariate takes three different depths or more; got {len(set(depths))}. "
            "Hint: name more of them, such as 10,20,50."
        )
    same = {(table.systems, table.topics) for table in tables}
    _require(len(same) == 1, "tables of different systems or topics")


def _size(scores: Floats) -> str:
    systems, topics = scores.shape
    return f"{counted(systems, 'system')} on {counted(topics, 'topic')}"


def _require(holds: bool, what: str) -> None:  # noqa: FBT001 -- the condition is the subject
    if not holds:
        raise OptionError(
            f"tables: {what} cannot be analysed. Hint: use two systems and two topics or "
            "more, the same in every table, and one table for each of three depths or more."
        )
