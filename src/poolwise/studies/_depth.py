"""What pool depth and evaluation depth do to scores and comparisons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import Nominations, nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice, require_depth
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._rank_correlation import correlate, tau_where_known
from poolwise.findings.comparison._significance import run_test
from poolwise.measures._catalogue import AP, DCG, RBP, SP, P, R, aAP, enDCG, nDCG, nP, nRBP
from poolwise.measures._measure import Measure, Ranked
from poolwise.measures._names import parse_measure
from poolwise.measures.families._normalized import NormalizedRBP
from poolwise.measures.families._static_weights import RankBiasedPrecision, persistence
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._scoring import score
from poolwise.scores._standardization import standardize
from poolwise.scores._uncertainty import check_alpha
from poolwise.studies._tasks import Progress, run_tasks
from poolwise.words import counted

__all__ = ["FORMS", "GRID_NUMBERS", "DepthSetting", "DepthStudy", "depths"]

FORMS = {
    "given": "the measure as it was named",
    "raw": "not divided by any ideal: P, SP, DCG, RBP",
    "normalized": "over the best ranking cut at the same depth (abbreviated): nP, aAP, nDCG, nRBP",
    "expanded": "over the best ranking of all relevant documents: R, AP, enDCG",
    "standardized": "in standard deviations from the mean of all runs on the topic (W10 ch. 4)",
}

_FAMILIES: tuple[dict[str, Ranked], ...] = (
    {"raw": P, "normalized": nP, "expanded": R},
    {"raw": SP, "normalized": aAP, "expanded": AP},
    {"raw": DCG, "normalized": nDCG, "expanded": enDCG},
    {"raw": RBP, "normalized": nRBP},
)


def in_form(measure: Measure, form: str) -> Measure:
    """Return the member of the measure's family that has this form.

    A standardized score is that of the measure as given, to be standardized once it is there:
    dividing by a topic's ideal makes no difference to it.

    Examples
    --------
    >>> in_form(nDCG(dcg="jk") @ 10, "expanded")
    enDCG(dcg='jk')@10
    >>> in_form(P(rel=2) @ 5, "normalized")
    nP(rel=2)@5
    """
    require_choice("forms", form, FORMS)
    if form in ("given", "standardized"):
        return measure
    family = next((f for f in _FAMILIES if type(measure) in map(type, f.values())), {})
    if form not in family:
        raise OptionError(
            f"forms: {measure!r} has no {form} form. Hint: use 'given' or 'standardized', "
            f"or a measure such as {', '.join(f[form].name for f in _FAMILIES if form in f)}."
        )
    target = family[form]
    shared = target.parameters().keys() & measure.parameters().keys()
    return target(**{name: measure.parameters()[name] for name in shared})


def at_depth(measure: Measure, depth: int, *, residual: float | None = None) -> Measure:
    """Return the measure cut at a depth, RBP with the p that leaves this residual (D10 eq. 7).

    Examples
    --------
    >>> at_depth(RBP(p=0.5), 10), at_depth(RBP(p=0.5), 100, residual=0.1)
    (RBP(p=0.5)@10, RBP(p=0.9772372209558107)@100)
    """
    if not isinstance(measure, Ranked):
        raise OptionError(
            f"measures: {measure!r} cannot be cut at a depth. Hint: use one that can, such "
            "as AP, nDCG or RBP."
        )
    # D10 eq. 7: p to the power of the depth is the residual, so that each depth has a p of its own.
    if residual is not None and isinstance(measure, RankBiasedPrecision | NormalizedRBP):
        measure = measure(p=persistence(residual, depth=depth))
    return measure @ depth


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
    >>> study = depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [(setting.measure, round(setting.power(), 2)) for setting in study.settings]
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
    >>> study = depths(made.truth, made.runs, ["AP"], pool_depths=[5, 50], depths=[5, 50],
    ...                forms=["normalized", "expanded"])
    >>> [(s.measure, s.pool_depth) for s in study.settings][:3]
    [(aAP@5, 5), (AP@5, 5), (aAP@50, 5)]
    >>> study.order_correlation().shape
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
        form_words = "" if form == "given" else f", {form}"
        lead = (
            f"{family}{form_words}: with pool and evaluation to depths {deep.pool_depth} and "
            f"{deep.depth}, {self.power(deep):.1%} of {pairs} of runs are significantly "
            f"different at level {self.alpha:g}"
        )
        if shallow is deep:
            return f"{lead}."
        tau = float(correlate(shallow.means, deep.means))
        return (
            f"{lead}; with {shallow.pool_depth} and {shallow.depth}, "
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


@recorded
def depths(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int] = (5, 10, 20, 50, 100),
    depths: Sequence[int] = (5, 10, 20, 50, 100),
    forms: Sequence[str] = ("given",),
    pooled: Iterable[str] | None = None,
    residual: float | None = None,
    test: str = "t",
    alpha: float = 0.05,
    tested: bool = False,
    rng: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> DepthStudy:
    """Show what pool depth and evaluation depth do to scores and comparisons of the runs.

    Each combination of measure, form, pool depth and evaluation depth has the mean score, the share
    of pairs of runs that are significantly different, and the agreement of the order of runs and
    of the order of p values with those of the deepest evaluation on the deepest pool.

    Parameters
    ----------
    measures
        Measures or their names, whose cut-off the study sets.
    pool_depths : sequence of int
        Pool these numbers of ranks of each run, one pool after another.
    depths : sequence of int
        Evaluate runs down to these ranks.
    forms : sequence of str
        Use the measure as it is given, raw, divided by the ideal of the same depth (normalized) or
        of all relevant documents (expanded), or standardized. The option may be repeated.
    pooled
        The runs that form the pools; all of them by default.
    residual : float, optional
        Choose the p of RBP at each depth so that this residual is left below it; D10 has 0.1.
    tested : bool
        Leave pairs that are equal on every topic, and have no p value, out of the shares.

    Returns
    -------
    DepthStudy
        Scores and p values of every setting, and how alike the settings order the runs.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [round(power, 2) for power in study.columns()["power"]]
    [0.64, 0.71]
    """
    # All options are checked before the pools are made, which takes long.
    check_alpha(alpha)
    wanted = _wanted(measures, forms)
    nominations = nominate(judgments, runs)
    for depth in (*pool_depths, *depths):
        require_depth(depth, longest=nominations.longest)
    plan = _Plan(
        evidence=align(judgments, runs),
        nominations=nominations,
        wanted=wanted,
        depths=tuple(depths),
        pooled=None if pooled is None else tuple(pooled),
        residual=residual,
        test=test,
        rng=rng,
    )
    # A task is a pool, not a cell of the grid: grades are changed once for all depths and forms.
    tasks = [(plan, depth) for depth in pool_depths]
    parts = run_tasks(_evaluate_pool, tasks, workers=workers, progress=progress)
    options = {"pooled": plan.pooled or "all", "test": test, "alpha": alpha}
    if tested:
        options["tested"] = True
    if residual is not None:
        options["residual"] = residual
    return DepthStudy(
        systems=runs.systems,
        settings=tuple(s for part in parts for s in part),
        test=test,
        alpha=alpha,
        tested=tested,
        provenance=plan.evidence.provenance.with_options(**seed_option(rng), **options),
    )


def _wanted(
    measures: Iterable[Measure | str], forms: Sequence[str]
) -> tuple[tuple[Measure, str], ...]:
    """Return every measure with every form, or name a form that is not known."""
    for form in forms:
        require_choice("forms", form, FORMS)
    return tuple(product([parse_measure(m, complete=False) for m in measures], forms))


@dataclass(frozen=True, eq=False)
class _Plan:
    """What all pools of a study share."""

    evidence: Evidence
    nominations: Nominations
    wanted: tuple[tuple[Measure, str], ...]
    depths: tuple[int, ...]
    pooled: tuple[str, ...] | None
    residual: float | None
    test: str
    rng: int


def _evaluate_pool(plan: _Plan, pool_depth: int) -> list[DepthSetting]:
    judgments = plan.nominations.depth_pool(pool_depth, systems=plan.pooled)
    evidence = plan.evidence.regrade(judgments)
    return [
        _setting(plan, evidence, pool_depth, depth, which)
        for depth, which in product(plan.depths, plan.wanted)
    ]


def _setting(
    plan: _Plan, evidence: Evidence, pool_depth: int, depth: int, which: tuple[Measure, str]
) -> DepthSetting:
    family, form = which
    # The cut-off first: the form keeps it, and the p that goes with it.
    measure = in_form(at_depth(family, depth, residual=plan.residual), form)
    table = score(evidence, measure, bounds="none")
    # Factors come from this very pool and depth, since both change means and deviations.
    if form == "standardized":
        table = standardize(table)
    return DepthSetting(
        measure=table.measure,
        family=family,
        form=form,
        pool_depth=pool_depth,
        depth=depth,
        topics=int(table.defined.sum()),
        means=table.means(),
        pvalues=run_test(table, test=plan.test, rng=plan.rng).pvalue,
    )
