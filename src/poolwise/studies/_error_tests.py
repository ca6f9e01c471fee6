"""Whether one treatment errs less than another, tested over topics (B23 §4.1, G16 §4)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["ERRORS", "ComparedErrors", "ErrorTests", "compare_errors"]

ERRORS = {
    "rmse": "the root mean squared error of the scores on a topic",
    "epsilon": "the root mean squared distance from what full judgments leave (G16 table 3)",
    "precision": "the share of the preferences stated on a topic that are wrong (B23 table 6)",
    "recall": "the share of the true preferences on a topic that are not stated",
    "f1": "1 less F1, the harmonic mean of precision and recall of a topic's preferences",
    "range-precision": "the share of the preferences stated by ranges on a topic that are wrong",
    "range-recall": "the share of the true preferences on a topic that ranges do not state",
    "range-f1": "1 less F1 of the preferences that ranges state on a topic",
}
"""What of the estimates is tested, one number per topic."""
_SHOWN = {
    "condition": Column("condition"),
    "a": Column("errs less"),
    "b": Column("errs more"),
    "error_a": Column("error", 4),
    "error_b": Column("error of the other", 4),
    "p": Column("p", is_p=True),
    "p_adjusted": Column("p corrected", is_p=True),
    "topics": Column("topics", 0),
}


@dataclass(frozen=True, eq=False)
class ComparedErrors:
    """The tests of one measure under one condition.

    Attributes
    ----------
    measure, condition : str
        What was estimated, and which judgments were taken away.
    errors : float array, treatments
        The mean over topics of each treatment's error.
    comparisons : Comparisons
        The paired tests of all pairs of treatments, over topics.

    Examples
    --------
    >>> errors = {"one": np.arange(0.1, 0.9, 0.1), "other": np.arange(0.3, 1.8, 0.2)}
    >>> compared = compare_errors(errors, measure="AP", condition="pool depth 5")
    >>> compared.treatments[compared.nearest], compared.not_worse()
    ('one', ())
    """

    measure: str
    condition: str
    errors: Floats
    comparisons: Comparisons

    @property
    def treatments(self) -> tuple[str, ...]:
        """The treatments, in the order given."""
        return self.comparisons.tests.systems

    @property
    def nearest(self) -> int:
        """The place of the treatment with the smallest error."""
        return int(np.argmin(self.errors))

    def not_worse(self) -> tuple[str, ...]:
        """Return the treatments that do not err significantly more than the nearest one."""
        best, significant = self.nearest, self.comparisons.significant()
        pairs = self.comparisons.tests.pairs
        apart = {
            # the one of the pair that is not the best
            int(left + right - best)
            for left, right, differ in zip(pairs.left, pairs.right, significant, strict=True)
            if differ and best in (left, right)
        }
        return tuple(n for k, n in enumerate(self.treatments) if k != best and k not in apart)

    def columns(self) -> Columns:
        """Return one row per pair of treatments, the one that errs less first."""
        tests = self.comparisons.tests
        ends = np.array([tests.pairs.left, tests.pairs.right])
        less, more = np.take_along_axis(ends, np.argsort(self.errors[ends], axis=0), axis=0)
        return {
            "measure": [self.measure] * len(less),
            "condition": [self.condition] * len(less),
            "a": [self.treatments[k] for k in less.tolist()],
            "b": [self.treatments[k] for k in more.tolist()],
            "error_a": self.errors[less].tolist(),
            "error_b": self.errors[more].tolist(),
            "p": tests.pvalue.tolist(),
            "p_adjusted": self.comparisons.p_adjusted.tolist(),
            "topics": tests.sample.n.tolist(),
        }


@finding
class ErrorTests(Finding):
    """Tests between the errors of treatments, by measure and condition.

    Attributes
    ----------
    error : str
        What of the estimates is tested: a key of ``ERRORS``.
    tests : tuple of ComparedErrors
        Those of each measure under each condition.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = pw.studies.leave_out(made.truth, made.runs, ["P@10"],
    ...     reduction=pw.studies.DepthPools((5,)), treatments=["nonrelevant", "weibull"])
    >>> tests = study.error_tests()
    >>> tests.columns()["a"], tests.columns()["b"], round(tests.columns()["p"][0], 4)
    (['weibull'], ['nonrelevant'], 0.0243)
    """

    error: str
    tests: tuple[ComparedErrors, ...]

    def columns(self) -> Columns:
        """Return one row per measure, condition and pair of treatments."""
        return stack_columns([test.columns() for test in self.tests])

    def sentences(self) -> tuple[str, ...]:
        """Say which treatment errs least, and which do not err significantly more."""
        what = f"The tests are over topics, on {ERRORS[self.error]}."
        return (*(_say(test) for test in self.tests), what)

    def tables(self) -> tuple[Table, ...]:
        """Return a table for each measure."""
        columns = self.columns()
        measures = dict.fromkeys(columns["measure"])
        return tuple(chosen_table(_of(columns, m), _SHOWN, title=m) for m in measures)


def _of(columns: Columns, measure: str) -> Columns:
    rows = [i for i, name in enumerate(columns["measure"]) if name == measure]
    return {name: [cells[i] for i in rows] for name, cells in columns.items()}


def _say(test: ComparedErrors) -> str:
    best, alike = test.treatments[test.nearest], test.not_worse()
    level = test.comparisons.alpha
    rest = f"; not significantly more: {', '.join(alike)}" if alike else ""
    others = [n for n in test.treatments if n != best and n not in alike]
    than = ", ".join(others) or "no other"
    return (
        f"{test.measure}, {test.condition}: {best} errs least, by {test.errors[test.nearest]:.4f} "
        f"on average, and at {level:g} significantly less than {than}{rest}."
    )


@recorded
def compare_errors(
    by_treatment: Mapping[str, Floats],
    *,
    measure: str,
    condition: str,
    correction: str = "bonferroni",
    alpha: float = 0.05,
) -> ComparedErrors:
    """Test all pairs of treatments, by the paired t test over topics on which all have an error.

    Parameters
    ----------
    by_treatment : mapping from str to float array
        The error of each treatment on each topic; NaN where it has none.
    measure, condition : str
        What was estimated, and which judgments were taken away.

    Returns
    -------
    ComparedErrors
        The mean errors, and the tests of all pairs.

    Examples
    --------
    >>> errors = {"one": np.array([0.1, 0.2, 0.1]), "other": np.array([0.3, 0.4, 0.31])}
    >>> compared = compare_errors(errors, measure="AP", condition="pool depth 5")
    >>> compared.errors.round(3).tolist(), bool(compared.comparisons.pvalue[0] < 0.01)
    ([0.133, 0.337], True)
    """
    values = np.array([*by_treatment.values()])
    defined = ~np.isnan(values).any(axis=0)
    if len(values) < 2 or not defined.any():
        raise OptionError(
            "treatments: a test between errors takes two treatments with errors on a topic; got "
            f"{', '.join(by_treatment)} on {counted(int(defined.sum()), 'topic')}. Hint: give more "
            "treatments."
        )
    # Topics on which some treatment has no error drop out of the tests, and of the means below.
    table = ScoreTable.from_matrix(
        values,
        systems=[*by_treatment],
        topics=[str(t) for t in range(values.shape[1])],
        measure=f"error in {measure}",
    )
    comparisons = compare_scores(table, correction=correction, alpha=alpha)
    return ComparedErrors(measure, condition, values[:, defined].mean(axis=1), comparisons)
