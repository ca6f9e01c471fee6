"""How near estimates come to the scores under all judgments, and the tables that say it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers, settle, tolerance
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.results._columns import Columns
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores.treatments._estimates import range_error

__all__ = ["Accuracy"]


class ScoresWithRanges(NamedTuple):
    """Scores with their ranges, systems × topics."""

    value: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, table: ScoreTable) -> "ScoresWithRanges":
        """Take the scores of a table, and their ranges."""
        return cls(table.value, table.lower, table.upper)

    def select(self, rows: Indices) -> "ScoresWithRanges":
        """Return these systems only."""
        return ScoresWithRanges(self.value[rows], self.lower[rows], self.upper[rows])


@dataclass(frozen=True, eq=False)
class Preferences:
    """How many preferences between two runs were stated, were right, and are true, by topic.

    ``counts`` has a row for each of the three, and a column per topic.
    """

    counts: Integers = field(default_factory=lambda: np.zeros((3, 1), np.int64))

    def __add__(self, other: "Preferences") -> "Preferences":
        return Preferences(self.counts + other.counts)

    @property
    def stated(self) -> int:
        """Preferences stated, over all topics."""
        return int(self.counts[0].sum())

    @property
    def right(self) -> int:
        """Preferences stated rightly, over all topics."""
        return int(self.counts[1].sum())

    @property
    def true(self) -> int:
        """True preferences, over all topics."""
        return int(self.counts[2].sum())

    @property
    def precision(self) -> float:
        """Share of the stated preferences that are right."""
        return self.right / self.stated if self.stated else float("nan")

    @property
    def recall(self) -> float:
        """Share of the true preferences that were stated."""
        return self.right / self.true if self.true else float("nan")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.stated + self.true
        return 2 * self.right / total if total else float("nan")

    def topic_errors(self) -> dict[str, Floats]:
        """Return 1 less precision, recall and F1 of each topic; NaN where there is none.

        Examples
        --------
        >>> preferences = Preferences(np.array([[4, 0], [3, 0], [6, 2]]))
        >>> {name: errors.tolist() for name, errors in preferences.topic_errors().items()}
        {'precision': [0.25, nan], 'recall': [0.5, 1.0], 'f1': [0.4, 1.0]}
        """
        stated, right, true = self.counts.astype(np.float64)
        of = {
            "precision": (right, stated),
            "recall": (right, true),
            "f1": (2 * right, stated + true),
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            return {name: 1 - some / every for name, (some, every) in of.items()}


@dataclass(frozen=True)
class Accuracy:
    """How far the estimates of one treatment are from the truth.

    Attributes
    ----------
    cells, incomplete, undefined : int
        Scores compared; those of them with an unjudged document; and scores that could not be
        compared because one of the two is undefined.
    rmse, lower_rmse, upper_rmse, mae, bias : float
        Root mean squared error; the same with under-estimates ignored, which judges a lower
        bound; with over-estimates ignored, which judges an upper one; mean absolute error; mean
        error, positive where scores are over-estimated. All of these over cells: one score of a
        run on one topic each.
    mean_rmse, mean_lower_rmse, mean_upper_rmse, mean_mae, mean_bias : float
        The same over the mean scores of runs, each over its own cells (W10 eq. 6.1 is
        ``mean_mae``): what is wrong up on one topic and down on another leaves a mean right.
    tau, rho : float
        Kendall's τ_b and Spearman's ρ of the order of systems by mean score.
    precision, recall, f1 : float
        Of preferences between two runs on a topic, stated where the estimate lies strictly above
        or below the other run's (B23 §4.2).
    range_precision, range_recall, range_f1 : float
        The same, stated only where the ranges do not meet; NaN without ranges.
    coverage : float
        Share of ranges that hold the true score; NaN without ranges. The true score of a
        recall-based measure also knows relevant documents that were taken away and that the run
        did not retrieve, which no range is about.
    epsilon, inside : float
        Root mean square of the distance from the range that the full judgments leave, and the
        share of estimates inside it (G16 table 3).

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = pw.studies.leave_out(made.truth, made.runs, ["P@10"],
    ...     reduction=pw.studies.DepthPools((5,)), treatments=["nonrelevant", "condensed"])
    >>> plain, condensed = (row.accuracy for row in study.rows)
    >>> plain.bias < 0 < condensed.bias
    True
    """

    cells: int
    incomplete: int
    undefined: int
    rmse: float
    lower_rmse: float
    upper_rmse: float
    mae: float
    bias: float
    mean_rmse: float
    mean_lower_rmse: float
    mean_upper_rmse: float
    mean_mae: float
    mean_bias: float
    tau: float
    rho: float
    precision: float
    recall: float
    f1: float
    range_precision: float
    range_recall: float
    range_f1: float
    coverage: float
    epsilon: float
    inside: float


def count_preferences(
    estimates: ScoresWithRanges, truth: Floats, estimated: Indices, rivals: Indices
) -> tuple[Preferences, Preferences]:
    """Count preferences of estimated systems against rivals, by points and by ranges.

    A pair that the truth ties has no true preference, and stating one is wrong. A system is not
    its own rival.

    Examples
    --------
    >>> scores = np.array([[0.5], [0.4]])
    >>> estimates = ScoresWithRanges(scores, scores - 0.2, scores)
    >>> points, ranges = count_preferences(estimates, np.array([[0.3], [0.1]]),
    ...                                    np.array([0]), np.array([1]))
    >>> points.precision, points.recall, ranges.recall
    (1.0, 1.0, 0.0)
    """
    points, ranges = Preferences(), Preferences()
    value, lower, upper = estimates
    # Estimates add the same gains in another order than the truth does: a preference asks for more
    # than the last bits.
    within = tolerance(truth)
    for s in estimated.tolist():
        others = rivals[rivals != s]
        true = _sign(truth[s] - truth[others], truth[s] - truth[others], within)
        stated = _sign(value[s] - value[others], value[s] - value[others], within)
        apart = _sign(lower[s] - upper[others], upper[s] - lower[others], within)
        points += _count(stated, true)
        ranges += _count(apart, true)
    return points, ranges


def _sign(least: Floats, most: Floats, within: float) -> NDArray[np.int8]:
    """Return 1 where even the least difference is positive, −1 where even the most is negative."""
    return (least > within).astype(np.int8) - (most < -within).astype(np.int8)


def _count(stated: NDArray[np.int8], true: NDArray[np.int8]) -> Preferences:
    # To leave a tie unstated is right, but it is no preference, and adds to neither share.
    right = (stated == true) & (true != 0)
    return Preferences(np.array([np.count_nonzero(x, axis=0) for x in (stated, right, true)]))


def measure_accuracy(
    estimates: ScoresWithRanges,
    truth: ScoresWithRanges,
    incomplete: Booleans,
    *,
    counted: Booleans,
    points: Preferences,
    ranges: Preferences,
) -> Accuracy:
    """Compare estimates with the truth, over the cells in which both have a score.

    ``counted`` says which lists to compare, ``incomplete`` which have an unjudged document, both
    systems × topics; preferences are those of :func:`count_preferences`.
    """
    compared = counted & ~(np.isnan(estimates.value) | np.isnan(truth.value))
    error = (estimates.value - truth.value)[compared]
    within = tolerance(truth.value)
    # ``inside`` asks for exactly 0, so that a distance that is rounding error becomes one.
    beside = settle(range_error(estimates.value, truth.lower, truth.upper)[compared], within)
    has_range = compared & ~np.isnan(estimates.upper)
    means = _means(estimates.value, compared), _means(truth.value, compared)
    tau, rho = (float(correlate(*means, method=method)) for method in ("tau_b", "spearman"))
    # Without ranges nothing could be stated, which a recall of 0 would hide.
    nothing = not has_range.any()
    return Accuracy(
        cells=int(compared.sum()),
        incomplete=int((compared & incomplete).sum()),
        undefined=int((counted & ~compared).sum()),
        **_errors(error),
        **{f"mean_{name}": of for name, of in _errors(means[0] - means[1]).items()},
        tau=tau,
        rho=rho,
        precision=points.precision,
        recall=points.recall,
        f1=points.f1,
        range_precision=float("nan") if nothing else ranges.precision,
        range_recall=float("nan") if nothing else ranges.recall,
        range_f1=float("nan") if nothing else ranges.f1,
        coverage=_mean(_covered(estimates, truth.value, within)[has_range].astype(np.float64)),
        epsilon=_rms(beside),
        inside=_mean((beside == 0).astype(np.float64)),
    )


def average(parts: list[Accuracy]) -> Accuracy:
    """Return the mean of repeated measurements, and the sum of their counts.

    Repetitions in which a number is undefined are left out of its mean.
    """
    # Repetitions have orders of systems of their own: one τ cannot come from all errors together.
    names = [f.name for f in fields(Accuracy) if f.name not in ("cells", "incomplete", "undefined")]
    means = {name: _mean(_known([getattr(part, name) for part in parts])) for name in names}
    return replace(
        parts[0],
        cells=sum(part.cells for part in parts),
        incomplete=sum(part.incomplete for part in parts),
        undefined=sum(part.undefined for part in parts),
        **means,
    )


def _covered(estimates: ScoresWithRanges, truth: Floats, within: float) -> Booleans:
    return (estimates.lower <= truth + within) & (truth <= estimates.upper + within)


def _errors(error: Floats) -> dict[str, float]:
    """Summarize errors, of cells or of means."""
    return {
        "rmse": _rms(error),
        # A lower bound errs where it lies above the truth, an upper bound where it lies below.
        "lower_rmse": _rms(np.maximum(error, 0)),
        "upper_rmse": _rms(np.minimum(error, 0)),
        "mae": _mean(np.abs(error)),
        "bias": _mean(error),
    }


def _means(values: Floats, compared: Booleans) -> Floats:
    """Return each system's mean over its own cells, for the systems that have any."""
    some = compared.any(axis=1)
    return np.asarray(
        np.where(compared, values, 0.0)[some].sum(axis=1) / compared[some].sum(axis=1)
    )


def _known(values: list[float]) -> Floats:
    numbers = np.array(values)
    return numbers[~np.isnan(numbers)]


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def _rms(values: Floats) -> float:
    return float(np.sqrt(_mean(values**2)))


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
    "mean_coverage": Column("covered", 3),
    "topic_half_width": Column("± by topic", 4, "min"),
    "topic_coverage": Column("covered by topic", 3),
    "brier": Column("Brier", 4, "min"),
}
_NOTES = (
    "of means: errors of each run's mean score (W10 eq. 6.1); the others: of its topics' scores",
    "over, under: RMSE of over-estimates, of under-estimates alone; τ, ρ: order of the systems",
    "P, R: precision and recall of preferences between two runs on a topic",
    "coverage: share of ranges with the true score; ε: distance from what full judgments leave",
    "± for new groups: half-width of the range of a mean, as wide as errors on other groups need",
    "covered: share of left-out groups in that range; by topic: the same of single topics' scores",
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
    numbers = {n: c for n, c in _NUMBERS.items() if not all(map(math.isnan, columns[n]))}
    shown = {"condition": Column("condition"), "treatment": Column("treatment"), **numbers}
    scores = int(sum(columns["cells"]) / max(1, len(columns["cells"])))
    return chosen_table(
        columns,
        shown,
        title=f"{columns['measure'][0]}: estimates against the score with all judgments, "
        f"{scores} scores",
        notes=(*_NOTES, *refusals),
    )
