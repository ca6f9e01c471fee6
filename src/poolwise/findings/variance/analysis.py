"""Analysis of variance of scores by system, topic and, as a covariate, pool depth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.variance.components import degrees_of_freedom, sums_of_squares
from poolwise.measures.measure import Measure
from poolwise.scores.score_table import ScoreTable

__all__ = ["AnovaTable", "analyse_covariance", "analyse_variance"]


@dataclass(frozen=True)
class AnovaTable:
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
    AP                    squares     df mean square           F        p  share
    system                 0.0600      1      0.0600       4.000    0.184  0.257
    topic                  0.1433      2      0.0717       4.778    0.173  0.614
    residual               0.0300      2      0.0150                       0.129
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

    def __str__(self) -> str:
        titles = ("squares", "df", "mean square", "F", "p", "share")
        head = f"{self.measure:<18}" + "".join(
            f"{title:>{width}}" for title, width in zip(titles, (11, 7, 12, 12, 9, 7), strict=True)
        )
        return "\n".join([head, *map(self._line, range(len(self.sources)))])

    def _line(self, row: int) -> str:
        test = " " * 21
        if row < len(self.sources) - 1:
            p = self.pvalues[row]
            shown = "<1e-16" if p < 1e-16 else f"{p:.3g}"
            test = f"{self.ratios[row]:>12.3f}{shown:>9}"
        return (
            f"{self.sources[row]:<18}{self.squares[row]:>11.4f}{self.freedom[row]:>7}"
            f"{self.mean_squares[row]:>12.4f}{test}{self.shares[row]:>7.3f}"
        )


def analyse_variance(table: ScoreTable) -> AnovaTable:
    """Do the two-way analysis of variance without replication: score ~ system + topic.

    The residual is the interaction. Topics with an undefined score are left out.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> analyse_variance(table).pvalues.round(4).tolist()
    [0.1835, 0.1731]
    """
    scores = table.value[:, table.defined]
    _require(min(scores.shape) > 1, f"{scores.shape[0]} systems on {scores.shape[1]} topics")
    return AnovaTable(
        table.measure,
        ("system", "topic", "residual"),
        tuple(sums_of_squares(scores).tolist()),
        degrees_of_freedom(*scores.shape),
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
    _require(min(scores.shape[1:]) > 1, f"{scores.shape[1]} systems on {scores.shape[2]} topics")
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
    )


def _check_tables(tables: Sequence[ScoreTable], depths: Sequence[float]) -> None:
    _require(len(tables) == len(depths), f"{len(tables)} tables and {len(depths)} depths")
    _require(len(set(depths)) > 2, f"{len(set(depths))} different depths")
    same = {(table.systems, table.topics) for table in tables}
    _require(len(same) == 1, "tables of different systems or topics")


def _require(holds: bool, what: str) -> None:  # noqa: FBT001 -- the condition is the subject
    if not holds:
        raise OptionError(
            f"tables: {what} cannot be analysed. Hint: use two systems and two topics or "
            "more, the same in every table, and one table for each of three depths or more."
        )
