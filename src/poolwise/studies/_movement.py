"""How far scores move as pools deepen, beside the residual that warned of it (U18 §3.5, §3.7)."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._rank_correlation import tau_where_known
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._scoring import ByMeasure
from poolwise.words import counted, signed

__all__ = ["ScoreMovement", "movement"]


@finding
class ScoreMovement(Finding):
    """Scores of one measure on shallow pools, and on the deepest one.

    Attributes
    ----------
    measure : Measure
    pool_depths : tuple of int
        The shallow pools.
    reference : int
        Depth of the deepest pool.
    residuals, scores : float array, pool depths × systems × topics
        Residual of RBP, and score of the measure, under each shallow pool.
    final : float array, systems × topics
        Score under the pool of the reference depth.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> (moved,) = movement(made.truth, made.runs, ["RBP(p=0.9)"], pool_depths=[5, 10],
    ...                     reference=50)
    >>> bool((moved.differences <= 0).all())  # judging more never lowers a weighted precision
    True
    """

    measure: Measure
    pool_depths: tuple[int, ...]
    reference: int
    residuals: Floats
    scores: Floats
    final: Floats

    @property
    def differences(self) -> Floats:
        """Score under the shallow pool minus final score (U18 fig. 5, 6)."""
        return self.scores - self.final

    @property
    def ratios(self) -> Floats:
        """Score under the shallow pool over final score; NaN where that is 0 (U18 §3.7)."""
        final = np.where(self.final > 0, self.final, np.nan)
        return self.scores / final

    def correlation(self, *, relative: bool = False) -> float:
        """Return Kendall's τ_b of residual and movement, over all pools, systems and topics."""
        moved = self.ratios if relative else self.differences
        return tau_where_known(self.residuals, moved)

    def columns(self) -> Columns:
        """Return one row per pool depth: quartiles of the movement, and τ with the residual."""
        moved = self.differences.reshape(len(self.pool_depths), -1)
        quartiles = np.nanpercentile(moved, [25, 50, 75], axis=1).tolist()
        depths = range(len(self.pool_depths))
        return {
            "measure": [str(self.measure)] * len(self.pool_depths),
            "pool_depth": list(self.pool_depths),
            "reference": [self.reference] * len(self.pool_depths),
            "residual": np.nanmean(self.residuals, axis=(1, 2)).tolist(),
            "mean": np.nanmean(moved, axis=1).tolist(),
            "quartile1": quartiles[0],
            "median": quartiles[1],
            "quartile3": quartiles[2],
            "higher": (moved > 0).mean(axis=1).tolist(),
            "lower": (moved < 0).mean(axis=1).tolist(),
            "tau": [tau_where_known(self.residuals[d], self.differences[d]) for d in depths],
            "tau_relative": [tau_where_known(self.residuals[d], self.ratios[d]) for d in depths],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far scores are from their final value, and whether the residual warned of it."""
        row = {name: cells[0] for name, cells in self.columns().items()}
        absolute, relative = self.correlation(), self.correlation(relative=True)
        moved = (
            f"On the pool of depth {row['pool_depth']}, {self.measure} differs by "
            f"{signed(row['mean'])} on average from its score on the pool of depth "
            f"{self.reference}: {row['higher']:.0%} of the scores are higher, {row['lower']:.0%} "
            "are lower."
        )
        return (
            moved,
            (
                f"Kendall's tau of the residual of RBP and the change of {self.measure} is "
                f"{absolute:.3f} over all pools, and {relative:.3f} for the change as a ratio."
            ),
            *self._within_depths(absolute, "tau"),
            *self._within_depths(relative, "tau_relative"),
        )

    def _within_depths(self, pooled: float, which: str) -> tuple[str, ...]:
        """Say that within most pools of one depth it is the other way round (Simpson)."""
        within = [tau for tau in self.columns()[which] if not np.isnan(tau)]
        reversed_at = [tau for tau in within if tau * pooled < 0]
        if len(within) < 2 or 2 * len(reversed_at) <= len(within):
            return ()
        ends = f"{min(within):.3f} to {max(within):.3f}"
        of_ratio = "that of the ratio" if which == "tau_relative" else "it"
        return (
            (
                f"Within pools of one depth {of_ratio} is {ends}, of the other sign at "
                f"{len(reversed_at):,} of {counted(len(within), 'depth')}: over all pools it says "
                "that shallow pools have large residuals and large changes, not that a large "
                "residual foretells a large change (Simpson's paradox)."
            ),
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per pool depth."""
        shown = {n: c for n, c in self.columns().items() if n not in ("measure", "reference")}
        title = f"{self.measure}: score minus that under the pool of depth {self.reference}"
        return (table_of(shown, title=title, digits=3),)


@recorded
def movement(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int] = (5, 10, 15, 20, 25),
    reference: int = 50,
    p: float = 0.98,
    pooled: Iterable[str] | None = None,
) -> ByMeasure[ScoreMovement]:
    """Show how far scores move as pools become deeper, beside the residual that predicts it.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved. U18 takes the deeply judged runs alone:
        ``runs.select(nominate(judgments, runs).deeply_judged(50))``.
    pool_depths : sequence of int
        Pool these numbers of ranks of each run for the shallow pools.
    reference : int
        Pool this number of ranks of each run for the deep pool.
    p : float
        Show the residual of RBP with this persistence beside the movement.
    pooled
        The runs that form the pools; all of them by default.

    Returns
    -------
    ByMeasure of ScoreMovement
        For each measure the scores on all pools, which are found by the measure or its name.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> moved = movement(made.truth, made.runs, ["AP", "RR"], pool_depths=[5], reference=50)
    >>> moved["AP"].scores.shape, moved["AP"].final.shape
    ((1, 8, 20), (8, 20))
    >>> moved["RR"]
    <ScoreMovement: On the pool of depth 5, RR differs by −0.0049 on average from its score on the…>
    """
    nominations = nominate(judgments, runs)
    names = None if pooled is None else tuple(pooled)
    _check(pool_depths, reference)
    aligned, depths = align(judgments, runs), [*pool_depths, reference]
    # One pool at a time is in memory.
    pools = (aligned.regrade(nominations.depth_pool(depth, systems=names)) for depth in depths)
    wanted = [parse_measure(measure) for measure in measures]
    rbp = RankBiasedPrecision(p=p)
    rows = [(rbp.residual(pool), *(measure.score(pool) for measure in wanted)) for pool in pools]
    residuals, *scores = (np.array(values) for values in zip(*rows, strict=True))
    origin = aligned.provenance.with_options(p=p, pooled="all" if names is None else names)
    return ByMeasure.of(
        ScoreMovement(
            measure=measure,
            pool_depths=tuple(pool_depths),
            reference=reference,
            residuals=residuals[:-1],
            scores=values[:-1],
            final=values[-1],
            provenance=origin,
        )
        for measure, values in zip(wanted, scores, strict=True)
    )


def _check(pool_depths: Sequence[int], reference: int) -> None:
    if not len(pool_depths) or max(pool_depths) >= reference:
        raise OptionError(
            f"pool_depths: all must be smaller than the reference, {reference}; got "
            f"{list(pool_depths)}. Hint: use shallower pools, or a deeper reference."
        )
