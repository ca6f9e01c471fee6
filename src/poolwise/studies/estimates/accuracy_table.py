"""How accurate treatments are, as a table."""

import math
from collections.abc import Sequence

from poolwise.results._columns import Columns
from poolwise.results._tables import Column, Table, chosen_table

__all__ = ["accuracy_table"]

_NUMBERS = {
    "mean_rmse": Column("RMSE of means", 4, "min"),
    "mean_mae": Column("MAE of means", 4, "min"),
    "mean_bias": Column("bias of means", 4),
    "rmse": Column("RMSE", 4, "min"),
    "mae": Column("MAE", 4, "min"),
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
    "mean_half_width": Column("± for new groups", 4, "min"),
    "mean_coverage": Column("held", 3),
    "topic_half_width": Column("± by topic", 4, "min"),
    "topic_coverage": Column("held by topic", 3),
    "brier": Column("Brier", 4, "min"),
}
_NOTES = (
    "of means: errors of each run's mean score (W10 eq. 6.1); the others: of its topics' scores",
    "over, under: RMSE of over-estimates, of under-estimates alone; τ, ρ: order of the systems",
    "P, R: precision and recall of preferences between two runs on a topic",
    "coverage: share of ranges with the true score; ε: distance from what full judgments leave",
    "± for new groups: half-width of the range of a mean, as wide as errors on other groups need",
    "held: share of left-out groups in that range; by topic: the same of scores on single topics",
    "Brier: of predicted relevance",
)


def accuracy_table(columns: Columns, refusals: Sequence[str] = ()) -> Table:
    """Return one row per condition and treatment of one measure.

    Numbers that no treatment has are left out; ``refusals`` are noted below.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=5, depth=20, rng=7)
    >>> study = pw.studies.leave_out(made.truth, made.runs, ["P@5"], treatments="condensed",
    ...                              reduction=pw.studies.LeaveOut(5))
    >>> [column.title for column in accuracy_table(study.columns()).columns][:4]
    ['condition', 'treatment', 'RMSE of means', 'MAE of means']
    """
    known = {n: c for n, c in _NUMBERS.items() if not all(map(math.isnan, columns[n]))}
    shown = {"condition": Column("condition"), "treatment": Column("treatment"), **known}
    scores = int(sum(columns["cells"]) / max(1, len(columns["cells"])))
    return chosen_table(
        columns,
        shown,
        title=f"{columns['measure'][0]}: estimates against the score with all judgments, "
        f"{scores} scores",
        notes=(*_NOTES, *refusals),
    )
