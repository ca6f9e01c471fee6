"""What pool depth and evaluation depth do to scores: one setting, and all of them."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import require_choice
from poolwise.findings.agreement._rank_correlation import correlate, tau_where_known
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import counted

__all__ = ["GRID_NUMBERS", "DepthSetting", "DepthStudy"]

GRID_NUMBERS = {
    "power": "share of pairs significantly different, by evaluation depth",
    "score": "mean score",
    "tau": "τ with the order of the deepest evaluation on the deepest pool",
    "p_tau": "τ with its order of pairs by p value",
}
"""The numbers that a grid of pool depths and evaluation depths can show."""


@dataclass(frozen=True, eq=False)
class DepthSetting:
    """What one measure finds on the judgments of one pool, down to one rank.

    Attributes
    ----------
    measure : Measure
        The measure that was computed.
    family : Measure
        The measure asked for, the same at all depths.
    form : str
        Which form of the one asked for it is: a key of ``FORMS``.
    pool_depth, depth : int
        Ranks of each run that were pooled, and ranks that were evaluated.
    topics : int
        Topics on which every run has a score.
    means : float array, systems
    pvalues : float array, pairs of systems
        Two-sided; NaN where two runs score alike on every topic.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.studies import depths
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [(one.measure, round(one.power(), 2)) for one in found.settings]
    [(nDCG@5, 0.64), (nDCG@50, 0.71)]
    """

    measure: Measure
    family: Measure
    form: str
    pool_depth: int
    depth: int
    topics: int
    means: Floats
    pvalues: Floats

    def power(self, alpha: float = 0.05, *, tested: bool = False) -> float:
        """Return the discriminative power: the share of all pairs with p < alpha (D10 §3.2).

        With ``tested``, pairs without a p value are left out of the divisor; NaN if none has one.
        """
        pairs = self.pvalues[~np.isnan(self.pvalues)] if tested else self.pvalues
        return float((pairs < alpha).mean()) if pairs.size else float("nan")


@finding
class DepthStudy(Finding):
    """Measures over pool depth × evaluation depth × form.

    Attributes
    ----------
    systems : tuple of str
        The runs that were scored.
    settings : tuple of DepthSetting
        What was found for each measure, pool depth, evaluation depth and form.
    test : str
        The significance test: a key of ``TESTS``.
    alpha : float
        Its level.
    tested : bool
        Whether pairs without a p value, which score alike on every topic, are left out of the
        shares of pairs.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.studies import depths
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = depths(made.truth, made.runs, ["AP"], pool_depths=[5, 50], depths=[5, 50],
    ...                forms=["normalized", "expanded"])
    >>> [(s.measure, s.pool_depth) for s in found.settings][:3]
    [(aAP@5, 5), (AP@5, 5), (aAP@50, 5)]
    >>> found.order_correlation().shape
    (8, 8)
    """

    systems: tuple[str, ...]
    settings: tuple[DepthSetting, ...]
    test: str = "t"
    alpha: float = 0.05
    tested: bool = False

    def power(self, setting: DepthSetting) -> float:
        """Return the discriminative power of a setting, over all pairs or over those tested."""
        return setting.power(self.alpha, tested=self.tested)

    def order_correlation(self, *, method: str = "tau_b") -> Floats:
        """Return the correlation of the system orders of all settings (D10 table 2)."""
        means = np.array([setting.means for setting in self.settings])
        return np.array([correlate(row, means, method=method) for row in means])

    def pvalue_correlation(self) -> Floats:
        """Return Kendall's τ between the orders of pairs by p value, of all settings (D10 table 3).

        Pairs without a p value in either are left out.
        """
        orders = [setting.pvalues for setting in self.settings]
        return np.array([[tau_where_known(a, b) for b in orders] for a in orders])

    def reference(self, setting: DepthSetting) -> DepthSetting:
        """Return the deepest evaluation on the deepest pool, of the same measure and form."""
        alike = [s for s in self.settings if (s.family, s.form) == (setting.family, setting.form)]
        return max(alike, key=lambda s: (s.pool_depth, s.depth))

    def columns(self) -> Columns:
        """Return one row per setting.

        ``score`` is the mean over runs and topics; ``tau`` and ``p_tau`` compare the orders of
        runs and of p values with those of the deepest evaluation on the deepest pool.
        """
        references = [self.reference(setting) for setting in self.settings]
        pairs = list(zip(self.settings, references, strict=True))
        return {
            "measure": [str(s.measure) for s in self.settings],
            "form": [s.form for s in self.settings],
            "pool_depth": [s.pool_depth for s in self.settings],
            "depth": [s.depth for s in self.settings],
            "topics": [s.topics for s in self.settings],
            "score": [float(s.means.mean()) for s in self.settings],
            "power": [self.power(s) for s in self.settings],
            "tau": [float(correlate(s.means, r.means)) for s, r in pairs],
            "p_tau": [tau_where_known(s.pvalues, r.pvalues) for s, r in pairs],
        }

    @property
    def families(self) -> tuple[tuple[Measure, str], ...]:
        """Every measure that was asked for, with every form, in their order."""
        return tuple(dict.fromkeys((s.family, s.form) for s in self.settings))

    def sentences(self) -> tuple[str, ...]:
        """Say what the deepest and the shallowest setting of each measure and form find."""
        return tuple(self._sentence(*kind) for kind in self.families)

    def _sentence(self, family: Measure, form: str) -> str:
        alike = [s for s in self.settings if (s.family, s.form) == (family, form)]
        ordered = sorted(alike, key=lambda s: (s.pool_depth, s.depth))
        shallow, deep = ordered[0], ordered[-1]
        with_p = int(np.count_nonzero(~np.isnan(deep.pvalues)))
        pairs = counted(with_p if self.tested else len(deep.pvalues), "pair")
        known = "" if form == "given" else f", {form}"
        found = (
            f"{family}{known}: with pool and evaluation to depths {deep.pool_depth} and "
            f"{deep.depth}, {self.power(deep):.1%} of {pairs} of runs are significantly "
            f"different at level {self.alpha:g}"
        )
        if shallow is deep:
            return f"{found}."
        tau = float(correlate(shallow.means, deep.means))
        return (
            f"{found}; with {shallow.pool_depth} and {shallow.depth}, "
            f"{self.power(shallow):.1%} are, and the order of runs has tau {tau:.3f} with "
            "the deep one."
        )

    def tables(self, *, show: str = "power") -> tuple[Table, ...]:
        """Return a grid per measure and form, one row per pool depth and one column per depth.

        ``show`` is a key of ``GRID_NUMBERS``.

        Examples
        --------
        >>> from poolwise import render, simulate
        >>> from poolwise.studies import depths
        >>> made = simulate(systems=6, topics=9, depth=20, rng=7)
        >>> study = depths(made.truth, made.runs, ["P"], pool_depths=[5, 20], depths=[5, 20])
        >>> print(render(study.tables(show="score")[0]))
        P, given: mean score
        <BLANKLINE>
        pool depth     @5    @20
                 5  0.441  0.176
                20  0.441  0.294
        """
        require_choice("show", show, GRID_NUMBERS)
        values = dict(zip(self.settings, self.columns()[show], strict=True))
        return tuple(self._grid(kind, values, GRID_NUMBERS[show]) for kind in self.families)

    def _grid(
        self, kind: tuple[Measure, str], values: dict[DepthSetting, float], shown: str
    ) -> Table:
        deep = dict.fromkeys(setting.depth for setting in self.settings)
        grid: dict[int, list[Cell]] = {}
        for setting, value in values.items():
            if (setting.family, setting.form) == kind:
                grid.setdefault(setting.pool_depth, []).append(value)
        return Table(
            columns=(Column("pool depth"), *(Column(f"@{depth}", digits=3) for depth in deep)),
            rows=tuple((pool_depth, *cells) for pool_depth, cells in grid.items()),
            title=f"{kind[0]}, {kind[1]}: {shown}",
        )
