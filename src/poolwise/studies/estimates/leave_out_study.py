"""How near treatments of unjudged documents come to scores whose judgments were taken away."""

from dataclasses import dataclass, field, fields

import numpy as np

from poolwise.arrays import Floats
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.scores.treatments._estimates import refusal_notes
from poolwise.studies.estimates.accuracy import Accuracy
from poolwise.studies.estimates.accuracy_table import accuracy_table
from poolwise.studies.estimates.calibration import MeanCalibration
from poolwise.studies.estimates.error_tests import ErrorTests, compare_errors, error_values
from poolwise.studies.estimates.reliability import Reliability
from poolwise.words import counted, signed

__all__ = ["LeaveOutRow", "LeaveOutStudy"]


@dataclass(frozen=True)
class LeaveOutRow:
    """One treatment of one measure under one condition.

    Attributes
    ----------
    measure : Measure
        What runs were scored by.
    condition : str
        Which judgments were taken away.
    treatment : str
        How unjudged documents were treated.
    accuracy : Accuracy
        How far the estimates are from the scores under all judgments.
    calibration : MeanCalibration
        How wide ranges of means must be, and whether they hold.
    brier : float
        The Brier score of predicted relevance; NaN for a treatment that predicts none.
    topic_rmse, topic_epsilon : float array, topics
        On each topic, over all estimated runs, the root mean square of the error, and of the
        distance from the range that the full judgments leave; NaN where nothing was compared.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> (row,) = pw.studies.leave_out(made.truth, made.runs, ["P@10"],
    ...     reduction=pw.studies.DepthPools((5,)), treatments="condensed").rows
    >>> row.measure, row.condition, row.treatment
    (P@10, 'pool depth 5', 'condensed')
    """

    measure: Measure
    condition: str
    treatment: str
    accuracy: Accuracy
    calibration: MeanCalibration
    brier: float
    topic_rmse: Floats = field(repr=False, compare=False)
    topic_epsilon: Floats = field(repr=False, compare=False)


@finding
class LeaveOutStudy(Finding):
    """How near each treatment came to the scores under all judgments.

    Attributes
    ----------
    rows : tuple of LeaveOutRow
        Measure, condition, treatment, and how accurate it was.
    reliability : Reliability, optional
        Predicted and observed relevance of the documents whose judgments were away, where the
        relevance model is among the treatments.
    refused : dict
        With ``treatments="all"``: the treatments that a measure or the collection does not allow,
        by names of measure and treatment, and why.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = pw.studies.leave_out(made.truth, made.runs, ["nDCG@10"],
    ...                              reduction=pw.studies.LeaveOut(depth=10),
    ...                              treatments=["nonrelevant", "condensed"])
    >>> [(row.treatment, round(row.accuracy.bias, 3)) for row in found.rows]
    [('nonrelevant', -0.062), ('condensed', 0.005)]
    """

    rows: tuple[LeaveOutRow, ...]
    reliability: Reliability | None = None
    refused: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures studied, in the order given."""
        return tuple(dict.fromkeys(row.measure for row in self.rows))

    def refused_for(self, measure: Measure | str) -> dict[str, str]:
        """Return the treatments that could not be had for a measure, and why."""
        name = str(measure)
        return {treatment: why for (of, treatment), why in self.refused.items() if of == name}

    def error_tests(
        self, error: str = "rmse", *, correction: str = "bonferroni", alpha: float = 0.05
    ) -> ErrorTests:
        """Test over topics whether one treatment errs less than another (B23 §4.1, G16 §4).

        Parameters
        ----------
        error : {"rmse", "epsilon"}
            What of the estimates is tested: see ``ERRORS``.
        correction, alpha
            How p values are corrected for the number of pairs, and the significance level.
        """
        values = error_values(error)
        tests = tuple(
            compare_errors(
                {row.treatment: getattr(row, values) for row in rows},
                measure=str(measure),
                condition=condition,
                correction=correction,
                alpha=alpha,
            )
            for (measure, condition), rows in self._by_condition().items()
        )
        options = {"error": error, "correction": correction, "alpha": alpha}
        return ErrorTests(error, tests, provenance=self.provenance.with_options(**options))

    def columns(self) -> Columns:
        """Return one row per measure, condition and treatment."""
        columns: Columns = {
            "measure": [str(row.measure) for row in self.rows],
            "condition": [row.condition for row in self.rows],
            "treatment": [row.treatment for row in self.rows],
        }
        for number in (f.name for f in fields(Accuracy)):
            columns[number] = [getattr(row.accuracy, number) for row in self.rows]
        for number in (f.name for f in fields(MeanCalibration)):
            columns[number] = [getattr(row.calibration, number) for row in self.rows]
        return columns | {"brier": [row.brier for row in self.rows]}

    def sentences(self) -> tuple[str, ...]:
        """Say which treatment came nearest, for each measure and condition."""
        compared = self._by_condition().values()
        said = self.reliability.sentences() if self.reliability else ()
        return (
            *(_nearest(rows) for rows in compared),
            *(text for rows in compared for text in _narrowest(rows)),
            *said,
        )

    def _by_condition(self) -> dict[tuple[Measure, str], list[LeaveOutRow]]:
        """Return the treatments that were compared with each other, by measure and condition."""
        found: dict[tuple[Measure, str], list[LeaveOutRow]] = {}
        for row in self.rows:
            found.setdefault((row.measure, row.condition), []).append(row)
        return found

    def tables(self) -> tuple[Table, ...]:
        """Return one table per measure, with one row per condition and treatment."""
        return tuple(self._table(measure) for measure in self.measures)

    def _table(self, measure: Measure) -> Table:
        columns = self.columns()
        rows = [i for i, name in enumerate(columns["measure"]) if name == str(measure)]
        own = {name: [cells[i] for i in rows] for name, cells in columns.items()}
        return accuracy_table(own, refusal_notes(self.refused_for(measure)))


def _nearest(rows: list[LeaveOutRow]) -> str:
    """Say which treatment comes nearest to the means, and which to the scores by topic."""
    known = [row for row in rows if not np.isnan(row.accuracy.rmse)]
    if not known:
        return f"{_where(rows)}: no score could be compared."
    of_means = min(known, key=lambda row: row.accuracy.mean_rmse)
    of_cells = min(known, key=lambda row: row.accuracy.rmse)
    means, cells = of_means.accuracy, of_cells.accuracy
    return (
        f"{_where(rows)}: of {counted(len(rows), 'treatment')}, {of_means.treatment} "
        "comes nearest to the mean scores of runs under all judgments, with a root mean "
        f"squared error of {means.mean_rmse:.4f} and a mean error of "
        f"{signed(means.mean_bias)}; {_also(of_cells.treatment, of_means.treatment)} nearest "
        f"to their scores by topic, with {cells.rmse:.4f} and {signed(cells.bias)} over "
        f"{counted(cells.cells, 'score')}."
    )


def _narrowest(rows: list[LeaveOutRow]) -> tuple[str, ...]:
    """Say which treatment has the narrowest ranges that hold, where groups were left out."""
    known = [row for row in rows if not np.isnan(row.calibration.mean_half_width)]
    if not known:
        return ()
    best = min(known, key=lambda row: row.calibration.mean_half_width)
    found = best.calibration
    return (
        (
            f"{_where(rows)}: ranges for {found.range_level:.0%} of new groups are "
            f"narrowest by {best.treatment}, ±{found.mean_half_width:.4f}, and hold "
            f"{found.mean_coverage:.1%} of the groups left out; its means are off by "
            f"{best.accuracy.mean_rmse:.4f}."
        ),
    )


def _where(rows: list[LeaveOutRow]) -> str:
    return f"{rows[0].measure}, {rows[0].condition}"


def _also(treatment: str, other: str) -> str:
    return "it also comes" if treatment == other else f"{treatment} comes"
