"""What the depths of pooling and of evaluation do to scores and comparisons (D10, U18 §3.5–3.6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations, nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError, require_choice, require_depth
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.comparison._significance import run_test
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import seed_option
from poolwise.scores._scoring import score
from poolwise.scores._standardization import standardize
from poolwise.scores._uncertainty import check_alpha
from poolwise.studies.depth.depth_study import DepthSetting, DepthStudy
from poolwise.studies.depth.measure_forms import FORMS, at_depth, in_form
from poolwise.studies.tasks import Progress, run_tasks

__all__ = ["depths"]


def depths(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int],
    depths: Sequence[int],
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
    """Score and compare all runs on shallower pools, and down to fewer ranks.

    Parameters
    ----------
    judgments, runs
        All that was judged, and what was retrieved.
    measures
        Measures or their names, whose cut-off the study sets.
    pool_depths, depths
        How many ranks of each run are pooled, and how many evaluated.
    forms
        Keys of ``FORMS``: the measure as given, raw, normalized (abbreviated), expanded,
        standardized.
    pooled
        The runs that form the pools; all of them by default.
    residual
        Let the p of RBP follow the depth, so that this residual is left there; D10 has 0.1.
    test, alpha, rng
        The significance test, its level, and the seed of randomized tests, as ``discriminate``
        has them.
    tested
        Leave pairs without a p value, equal on every topic, out of the shares of pairs.
    workers, progress
        How many processes work (None leaves it to :func:`joblib.parallel_config`), and what is
        called with the number of pools done and of all.

    Returns
    -------
    DepthStudy
        Scores and p values of every setting, and how alike the settings order the runs.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [round(power, 2) for power in found.columns()["power"]]
    [0.64, 0.71]
    """
    check_alpha(alpha)
    wanted = _wanted(measures, forms)
    found = nominate(judgments, runs)
    for name, given in (("pool_depths", pool_depths), ("depths", depths)):
        _check_depths(name, given, found)
    plan = _Plan(
        evidence=align(judgments, runs),
        nominations=found,
        wanted=wanted,
        depths=tuple(depths),
        pooled=None if pooled is None else tuple(pooled),
        residual=residual,
        test=test,
        rng=rng,
    )
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
    given, form = which
    measure = in_form(at_depth(given, depth, residual=plan.residual), form)
    table = score(evidence, measure, bounds="none")
    if form == "standardized":
        table = standardize(table)
    return DepthSetting(
        measure=table.measure,
        family=given,
        form=form,
        pool_depth=pool_depth,
        depth=depth,
        topics=int(table.defined.sum()),
        means=table.means(),
        pvalues=run_test(table, test=plan.test, rng=plan.rng).pvalue,
    )


def _check_depths(argument: str, depths: Sequence[int], nominations: Nominations) -> None:
    if not len(depths):
        raise OptionError(f"{argument}: at least one depth is needed. Hint: give [10, 100].")
    for depth in depths:
        require_depth(depth, longest=nominations.longest)
