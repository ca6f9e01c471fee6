"""The best score that anybody could reach on these judgments, beside what runs reach."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["Ceilings"]

_WHOLE = 1 - 1e-9
"""A ceiling below this is one that no ranker lifts to 1."""


@finding
class Ceilings(Finding):
    """Mean scores of runs, and the best that a perfect ranker could have got.

    Attributes
    ----------
    table : ScoreTable
        The scores of the runs.
    attainable : float array, topics
        The score of a ranking of all relevant documents that are known, the best grades first.
    reordered : float array, systems × topics
        The score of each run, were its own documents in the best order.

    Examples
    --------
    >>> from poolwise.workflows import ceilings
    >>> runs = {"bm25": {"1": {"x": 3.0, "a": 2.0}, "2": {"b": 1.0}}}
    >>> ceiling = ceilings({"1": {"a": 1, "c": 1}, "2": {"b": 1}}, runs, "P@2")["P@2"]
    >>> ceiling.columns()["mean"], ceiling.columns()["attainable"], ceiling.columns()["reordered"]
    ([0.5], [0.75], [0.5])
    """

    table: ScoreTable
    attainable: Floats
    reordered: Floats

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return self.table.measure

    def mean(self) -> float:
        """Return the mean over topics that no ranking exceeds, by the judgments as they are."""
        cells = self.attainable[self.table.defined]
        return float(cells.mean()) if len(cells) else float("nan")

    def columns(self) -> Columns:
        """Return one row per run, the best mean first."""
        order, mean = self.table.order(), self.mean()
        means = self.table.means()[order]
        reordered = self.reordered[order][:, self.table.defined].mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = means / mean
        return {
            "measure": [str(self.measure)] * len(order),
            "run": [self.table.systems[s] for s in order.tolist()],
            "mean": means.tolist(),
            "attainable": [mean] * len(order),
            "share": share.tolist(),
            "reordered": reordered.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run: its mean, the best one possible, and that of its documents."""
        cells = self.columns()
        columns = {
            Column("run"): cells["run"],
            Column("mean", 4): cells["mean"],
            Column("attainable", 4): cells["attainable"],
            Column("share", 2): cells["share"],
            Column("if reordered", 4): cells["reordered"],
        }
        topics = counted(int(self.table.defined.sum()), "topic")
        title = f"{self.measure}: {counted(len(self.table.systems), 'run')}, {topics}"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say what a perfect ranker could score, and what the best run reaches of it."""
        defined = self.table.defined
        below = int((self.attainable[defined] < _WHOLE).sum())
        perfect = f"A perfect ranker would have a mean {self.measure} of {self.mean():.4f}"
        why = f": the best score is below 1 on {counted(below, 'topic')} of {int(defined.sum()):,}."
        cells = self.columns()
        best = (
            f"{cells['run'][0]} reaches {cells['share'][0]:.0%} of it, and would reach "
            f"{cells['reordered'][0]:.4f} with its own documents in the best order."
        )
        basis = "This is by the judgments as they are, with unjudged documents not relevant."
        return (f"{perfect}{why if below else '.'}", best, basis)
