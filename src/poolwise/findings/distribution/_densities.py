"""Densities and histograms of scores (W10 §3.3.7)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError, require_choice
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import standardize
from poolwise.words import counted, named

__all__ = [
    "DENSITIES_OF",
    "DensityCurve",
    "ScoreDensities",
    "ScoreHistogram",
    "density",
    "score_densities",
    "score_histogram",
]

DENSITIES_OF = {
    "scores": "all scores, and the same standardized",
    "systems": "the scores of systems at some percentiles by mean score",
    "topics": "the scores on topics at some percentiles by mean score",
}
"""What a density can be of."""

PERCENTILES = (1, 10, 40, 75)
"""Those of W10 fig. 4.2, from the best: what it calls the twentieth is topic 20 of 50."""
POINTS = 201
"""Points of a curve."""


@dataclass(frozen=True, eq=False)
class DensityCurve:
    """One curve: its name, the scores, the density at each, and the bandwidth.

    Attributes
    ----------
    name : str
        Whose scores they are.
    score : float array, points
        Scores at which the density is given, in ascending order.
    density : float array, points
        The density at each; the area under it is 1 within the limits of the measure.
    bandwidth : float
        Deviation of the kernel.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5, 0.3], [0.2, 0.1, 0.2]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> curve = score_densities(table, runs=["a"]).curves[0]
    >>> curve.name, len(curve.score)
    ('a', 201)
    >>> round(float(curve.density.mean() * np.ptp(curve.score)), 2)  # the area under it
    1.0
    """

    name: str
    score: Floats
    density: Floats
    bandwidth: float


@finding
class ScoreDensities(Finding):
    """Kernel densities of scores, reflected at the limits of the measure.

    Attributes
    ----------
    measure : Measure
        What was measured.
    of : str
        What they are of, a key of ``DENSITIES_OF`` or ``"run"``.
    curves : tuple of DensityCurve
        One per distribution.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.3, 0.4, 0.5], [0.2, 0.1, 0.2]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> score_densities(table, runs=["a", "b"]).sentences()[0]
    'Scores in AP are densest as follows: a at 0.40, b at 0.20.'
    """

    measure: Measure
    of: str
    curves: tuple[DensityCurve, ...]

    def columns(self) -> Columns:
        """Return one row per curve and score."""
        return {
            "of": [self.of for c in self.curves for _ in c.score],
            "curve": [c.name for c in self.curves for _ in c.score],
            "bandwidth": [c.bandwidth for c in self.curves for _ in c.score],
            "score": [x for c in self.curves for x in c.score.tolist()],
            "density": [y for c in self.curves for y in c.density.tolist()],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per curve: where it is highest, and how high; a plot has all of it."""
        peaks = [int(c.density.argmax()) for c in self.curves]
        columns: Columns = {
            "curve": [c.name for c in self.curves],
            "bandwidth": [c.bandwidth for c in self.curves],
            "densest_at": [float(c.score[i]) for c, i in zip(self.curves, peaks, strict=True)],
            "density_there": [float(c.density[i]) for c, i in zip(self.curves, peaks, strict=True)],
        }
        return (table_of(columns, title=f"Density of {self.measure}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say what the curves are of, and where each is highest."""
        peaks = [f"{c.name} at {c.score[c.density.argmax()]:.2f}" for c in self.curves]
        return (
            f"Scores in {self.measure} are densest as follows: {named(peaks)}.",
            ("Densities have Gaussian kernels, of Silverman's bandwidth, and are reflected at the "
            "limits of the measure.")
        )  # fmt: skip


@finding
class ScoreHistogram(Finding):
    """Numbers of scores by bin.

    Attributes
    ----------
    measure : Measure
        What was measured.
    name : str
        Whose scores they are.
    edges : float array, bins + 1
        Where bins begin and end; a score on an edge belongs to the bin above.
    counts : int array, bins
        How many scores each bin has.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5, 0.3], [0.2, 0.1, 0.2]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> histogram = score_histogram(table, "a", width=0.2)
    >>> histogram.edges.round(1).tolist(), histogram.counts.tolist()
    ([0.0, 0.2, 0.4, 0.6], [1, 1, 1])
    """

    measure: Measure
    name: str
    edges: Floats
    counts: Integers

    def columns(self) -> Columns:
        """Return one row per bin."""
        return {
            "name": [self.name] * len(self.counts),
            "from": self.edges[:-1].tolist(),
            "to": self.edges[1:].tolist(),
            "count": self.counts.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which bin has most."""
        top = int(self.counts.argmax())
        most = counted(int(self.counts[top]), "score")
        return (
            f"{most} of {int(self.counts.sum()):,} in {self.measure} of {self.name} are from "
            f"{self.edges[top]:.3g} to {self.edges[top + 1]:.3g}.".replace("-", "−"),
        )


@recorded
def density(
    scores: ArrayLike,
    at: ArrayLike,
    *,
    limits: tuple[float, float] = (-np.inf, np.inf),
    bandwidth: float | None = None,
) -> Floats:
    """Return a Gaussian kernel density, reflected at the limits (W10 §3.3.7).

    Density that would fall beyond a limit is folded back, so that the area inside is 1 and scores
    near a limit keep all of their weight.

    Parameters
    ----------
    scores : array_like
        The data; undefined scores are left out.
    at : array_like
        Where the density is asked for; it is 0 outside the limits.
    limits : tuple of float
        The least and the largest score there can be; by default there are no limits.
    bandwidth : float, optional
        Deviation of the kernel; by default Silverman's 0.9 · min(s, IQR / 1.34) · n^(−1/5).

    Returns
    -------
    float array
        The density at each point.

    Examples
    --------
    >>> density([0.0], [0.0, 0.5, -0.1], limits=(0, 1), bandwidth=0.1).round(2).tolist()
    [7.98, 0.0, 0.0]
    """
    if bandwidth is not None and not bandwidth > 0:
        raise OptionError(f"bandwidth: {bandwidth} is not above 0. Hint: use 0.1.")
    x, points = _known(scores), np.atleast_1d(np.asarray(at, np.float64))
    low, high = limits
    h = silverman_bandwidth(x) if bandwidth is None else bandwidth
    # Silverman 1986 §2.10: data mirrored at a limit give back the density that fell beyond it
    images = [x, *([2 * low - x] if np.isfinite(low) else []),
              *([2 * high - x] if np.isfinite(high) else [])]  # fmt: skip
    off = (points[:, None] - np.concatenate(images)) / h
    heights = np.exp(-(off**2) / 2).sum(axis=1) / (len(x) * h * np.sqrt(2 * np.pi))
    return np.where((points >= low) & (points <= high), heights, 0.0)


def silverman_bandwidth(scores: Floats) -> float:
    """Return the rule-of-thumb bandwidth (Silverman 1986, eq. 3.31), or 0.01 without spread.

    Examples
    --------
    >>> round(silverman_bandwidth(np.array([0.1, 0.2, 0.4, 0.5])), 4)
    0.1245
    """
    if len(scores) < 2:
        return 0.01
    quarters = np.percentile(scores, [75, 25])
    # the smaller spread: outliers widen the deviation, ties can make the quartiles one
    spreads = [s for s in (scores.std(ddof=1), (quarters[0] - quarters[1]) / 1.34) if s > 0]
    return float(0.9 * min(spreads) * len(scores) ** -0.2) if spreads else 0.01


@recorded
def score_densities(
    table: ScoreTable,
    of: str = "scores",
    *,
    runs: Sequence[str] = (),
    percentiles: Sequence[float] = PERCENTILES,
    bandwidth: float | None = None,
) -> ScoreDensities:
    """Estimate densities of scores: of all, raw and standardized, or of some systems or topics.

    Parameters
    ----------
    of : {"scores", "systems", "topics"}
        All scores beside the same standardized (W10 fig. 4.5), or those of the systems or topics
        at ``percentiles`` by mean score, the best first (W10 fig. 4.2).
    runs : sequence of str
        Names of runs, each of whose per-topic scores are drawn in place of these (W10 fig. 3.20).
    percentiles : sequence of float
        Which systems or topics to show: 1 is near the best, 75 three quarters down.
    bandwidth : float, optional
        Deviation of the kernel, as for :func:`density`.

    Returns
    -------
    ScoreDensities
        One curve per distribution.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5, 0.3], [0.2, 0.1, 0.2]], systems=["a", "b"],
    ...                                topics="123", measure="AP")
    >>> [curve.name for curve in score_densities(table).curves]
    ['AP', 'sAP']
    >>> [curve.name for curve in score_densities(table, runs=["b"]).curves]
    ['b']
    """
    require_choice("of", of, DENSITIES_OF)
    if runs:
        chosen = [(name, table.select(runs=[name]).value[0]) for name in runs]
        curves = [_curve(name, x, table.limits, bandwidth) for name, x in chosen]
    elif of == "scores":
        curves = [
            _curve(str(t.measure), t.value.ravel(), t.limits, bandwidth)
            for t in (table, standardize(table))
        ]
    else:
        rows = _at_percentiles(table, of, percentiles)
        curves = [_curve(name, x, table.limits, bandwidth) for name, x in rows]
    return ScoreDensities(
        table.measure,
        "run" if runs else of,
        tuple(curves),
        provenance=table.provenance.with_options(of="run" if runs else of),
    )


@recorded
def score_histogram(
    table: ScoreTable, run: str | None = None, *, width: float = 0.1, offset: float = 0.0
) -> ScoreHistogram:
    """Count scores in bins of one width, of one run or of all (W10 fig. 3.18).

    Parameters
    ----------
    run : str, optional
        The run whose scores are counted; all runs by default.
    width : float
        The width of every bin.
    offset : float
        Where a bin begins: a histogram can change its shape with it, which a density does not.

    Returns
    -------
    ScoreHistogram
        The bins from that of the lowest to that of the highest score.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5, 0.34]], systems=["a"], topics="123",
    ...                                measure="AP")
    >>> score_histogram(table, width=0.2).counts.tolist()
    [1, 1, 1]
    """
    if not width > 0:
        raise OptionError(f"width: {width} is not above 0. Hint: use 0.1.")
    scores = _known(table.value if run is None else table.select(runs=[run]).value)
    # scores on an edge belong to the bin above it, whatever the rounding of the edge
    place = np.floor((scores - offset) / width + 1e-9).astype(np.int64)
    first = int(place.min())
    edges = offset + width * np.arange(first, int(place.max()) + 2)
    return ScoreHistogram(
        table.measure,
        run or "all runs",
        np.asarray(edges, np.float64),
        np.bincount(place - first),
        provenance=table.provenance.with_options(width=width, offset=offset),
    )


def _known(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, np.float64).ravel()
    values = values[~np.isnan(values)]
    if not len(values):
        raise OptionError("scores: none is defined. Hint: leave out topics without scores.")
    return values


def _curve(
    name: str, scores: Floats, limits: tuple[float, float], bandwidth: float | None
) -> DensityCurve:
    x = _known(scores)
    h = silverman_bandwidth(x) if bandwidth is None else bandwidth
    low, high = max(limits[0], x.min() - 3 * h), min(limits[1], x.max() + 3 * h)
    grid = np.linspace(low, high, POINTS)
    return DensityCurve(name, grid, density(x, grid, limits=limits, bandwidth=h), h)


def _at_percentiles(
    table: ScoreTable, of: str, percentiles: Sequence[float]
) -> list[tuple[str, Floats]]:
    """Return names and scores of the systems or topics at percentiles, the best first."""
    scores = table.value if of == "systems" else table.value.T
    names = table.systems if of == "systems" else table.topics
    order = np.argsort(-np.nanmean(scores, axis=1), kind="stable")
    last = len(order) - 1
    at = [order[min(last, max(0, int(p * len(order) / 100) - 1))] for p in percentiles]
    return [(names[i], scores[i]) for i in dict.fromkeys(map(int, at))]
