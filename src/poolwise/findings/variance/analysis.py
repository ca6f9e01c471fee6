"""Analysis of variance of scores by system, topic and, as a covariate, pool depth."""

import math
from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.variance.components import degrees_of_freedom, sums_of_squares
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_text, p_words

__all__ = ["AnovaTable", "analyse_covariance", "analyse_variance"]


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
    Analysis of variance of AP
    <BLANKLINE>
    source    squares  df  mean square      F       p  share
    system     0.0600   1       0.0600  4.000  0.1835  0.257
    topic      0.1433   2       0.0717  4.778  0.1731  0.614
    residual   0.0300   2       0.0150      –       –  0.129
    <BLANKLINE>
    25.7% of the variance of AP is due to system (F = 4.000, p = 0.1835).
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
        provenance=tables[0].provenance.with_options(depths=tuple(depths)),
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
