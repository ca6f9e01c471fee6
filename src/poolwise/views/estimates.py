"""Tables of estimates, of their accuracy, and of what depth does to comparisons."""

import math

from poolwise.printout.tables import Cell, Column, Table, table_of
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.treatments.estimates import SideBySide
from poolwise.studies.depth.pool_depths import DepthStudy
from poolwise.studies.depth.score_movement import ScoreMovement
from poolwise.studies.estimates.left_out_runs import LeaveOutStudy

__all__ = ["accuracy_tables", "depth_tables", "estimate_table", "movement_table", "refusal_notes"]

_ACCURACY = {
    "rmse": Column("RMSE", 4, "min"),
    "lower_rmse": Column("over", 4, "min"),
    "upper_rmse": Column("under", 4, "min"),
    "bias": Column("bias", 4),
    "tau": Column("τ", 3, "max"),
    "rho": Column("ρ", 3, "max"),
    "precision": Column("P", 3, "max"),
    "recall": Column("R", 3, "max"),
    "range_precision": Column("P of ranges", 3, "max"),
    "range_recall": Column("R of ranges", 3, "max"),
    "coverage": Column("coverage", 3),
    "epsilon": Column("ε", 4, "min"),
}
_ACCURACY_NOTES = (
    "over, under: RMSE of over-estimates, of under-estimates alone; τ, ρ: order of the systems",
    "P, R: precision and recall of preferences between two runs on a topic",
    "coverage: share of ranges with the true score; ε: distance from what full judgments leave",
)


def estimate_table(found: SideBySide) -> Table:
    """Return one row per run and one column per treatment, best first by the first treatment.

    Examples
    --------
    >>> from poolwise import Evidence, estimate_all, render
    >>> evidence = Evidence.from_grades([[1, None, 0, 1], [0, 1, 1, 0]])
    >>> print(render(estimate_table(estimate_all(evidence, "P@4", methods=["condensed", "exact"]))))
    P@4: 2 runs, 1 topic
    <BLANKLINE>
    run   condensed   exact  range of exact
    run1     0.5000  0.5000  0.5000–0.7500
    run2     0.5000  0.5000  0.5000–0.5000
    <BLANKLINE>
    one topic: no interval over topics
    """
    first, *_ = found.tables.values()
    columns, cells = [Column("run")], [list(first.systems)]
    for name, table in found.tables.items():
        columns.append(Column(name, digits=4, best="max"))
        cells.append(table.means().tolist())
        if _has_range(table):
            columns.append(Column(f"range of {name}"))
            low, high = table.mean_bounds()
            cells.append([f"{a:.4f}–{b:.4f}" for a, b in zip(low, high, strict=True)])
    rows = list(zip(*cells, strict=True))
    topics = int(first.defined.sum())
    return Table(
        columns=tuple(columns),
        rows=tuple(rows[s] for s in first.order().tolist()),
        title=f"{found.measure}: {len(rows)} runs, {topics} topic{'s' * (topics != 1)}",
        notes=(*first.caveats(), *refusal_notes(found.refused)),
    )


def accuracy_tables(study: LeaveOutStudy) -> list[Table]:
    """Return one table per measure, with one row per condition and method.

    Examples
    --------
    >>> from poolwise import LeaveOut, simulate, study_leave_out
    >>> made = simulate(systems=6, topics=5, depth=20, rng=7)
    >>> study = study_leave_out(made.runs, made.truth, ["P@5", "RR"], hide=LeaveOut(5))
    >>> [table.columns[1].title for table in accuracy_tables(study)]
    ['method', 'method']
    """
    columns = study.columns()
    tables = []
    for measure in study.measures:
        rows = [i for i, name in enumerate(columns["measure"]) if name == measure]
        shown = [n for n in _ACCURACY if not all(math.isnan(columns[n][i]) for i in rows)]
        cells = int(sum(columns["cells"][i] for i in rows) / max(1, len(rows)))
        tables.append(
            Table(
                columns=(Column("condition"), Column("method"), *(_ACCURACY[n] for n in shown)),
                rows=tuple(
                    tuple(columns[n][i] for n in ("condition", "method", *shown)) for i in rows
                ),
                title=f"{measure}: estimates against the score with all judgments, {cells} scores",
                notes=(*_ACCURACY_NOTES, *refusal_notes(study.refused_for(measure))),
            )
        )
    return tables


def depth_tables(study: DepthStudy, *, show: str = "power") -> list[Table]:
    """Return a grid per measure and form, one row per pool depth and one column per depth.

    ``show`` is a number of :meth:`DepthStudy.columns`: ``score``, ``power``, ``tau``, ``p_tau``.

    Examples
    --------
    >>> from poolwise import render, simulate, study_depths
    >>> made = simulate(systems=6, topics=9, depth=20, rng=7)
    >>> study = study_depths(made.runs, made.truth, ["P"], pool_depths=[5, 20], depths=[5, 20])
    >>> print(render(depth_tables(study, show="score")[0]))
    P, given: mean score
    <BLANKLINE>
    pool depth     @5    @20
             5  0.441  0.176
            20  0.441  0.294
    """
    values = dict(zip(study.settings, study.columns()[show], strict=True))
    depths = dict.fromkeys(setting.depth for setting in study.settings)
    columns = (Column("pool depth"), *(Column(f"@{depth}", digits=3) for depth in depths))
    tables = []
    for family, form in dict.fromkeys((s.family, s.form) for s in study.settings):
        grid: dict[int, list[Cell]] = {}
        for setting, value in values.items():
            if (setting.family, setting.form) == (family, form):
                grid.setdefault(setting.pool_depth, []).append(value)
        tables.append(
            Table(
                columns=columns,
                rows=tuple((pool_depth, *cells) for pool_depth, cells in grid.items()),
                title=f"{family}, {form}: {_SHOWN[show]}",
            )
        )
    return tables


_SHOWN = {
    "score": "mean score",
    "power": "share of pairs significantly different, by evaluation depth",
    "tau": "τ with the order of the deepest evaluation on the deepest pool",
    "p_tau": "τ with its order of pairs by p value",
}


def movement_table(movement: ScoreMovement) -> Table:
    """Return one row per pool depth: how far scores are from those of the reference pool.

    Examples
    --------
    >>> from poolwise import simulate, study_movement
    >>> made = simulate(systems=6, topics=9, depth=20, rng=7)
    >>> (found,) = study_movement(made.runs, made.truth, ["AP"], pool_depths=[5], reference=20)
    >>> movement_table(found).title
    'AP: score minus that under the pool of depth 20'
    """
    columns = movement.columns()
    measure = columns.pop("measure")[0]
    reference = columns.pop("reference")[0]
    absolute, relative = movement.correlation(), movement.correlation(relative=True)
    return table_of(
        columns,
        title=f"{measure}: score minus that under the pool of depth {reference}",
        notes=(
            f"τ of residual and movement over all pools: {absolute:.3f}, relative {relative:.3f}",
        ),
        digits=3,
    )


def refusal_notes(refused: dict[str, str]) -> list[str]:
    """Return one line per reason, with the treatments that were left out for it.

    Examples
    --------
    >>> refusal_notes({"zipf": "method: 'zipf' cannot treat AP.",
    ...                "linear": "method: 'linear' cannot treat AP."})
    ['left out: zipf, linear (method: cannot treat AP.)']
    """
    alike: dict[str, list[str]] = {}
    for label, reason in refused.items():
        alike.setdefault(reason.replace(f"{label!r} ", ""), []).append(label)
    return [f"left out: {', '.join(names)} ({reason})" for reason, names in alike.items()]


def _has_range(table: ScoreTable) -> bool:
    low, high = table.mean_bounds()
    return not (math.isnan(float(low.max(initial=0))) or math.isnan(float(high.max(initial=0))))
