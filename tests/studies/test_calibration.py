"""Ranges calibrated on the errors of other groups, and probabilities against outcomes."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.studies._calibration import (
    Reliability,
    brier_score,
    calibrate_means,
    calibrate_topics,
)


@pytest.fixture(scope="module")
def study() -> pw.studies.LeaveOutStudy:
    """Return each of 22 runs left out of a pool to depth 10; one of them is unlike all others."""
    made = pw.simulate(systems=22, topics=15, depth=40, rng=6)
    return pw.studies.leave_out(
        pw.nominate(made.truth, made.runs).depth_pool(10),
        made.runs,
        ["P@10", "nDCG@10"],
        reduction=pw.studies.LeaveOut(depth=10),
        treatments=[pw.scores.RelevanceModelTreatment(draws=100), "nonrelevant", "condensed"],
    )


def test_ranges_hold_at_their_level_whatever_the_errors_are() -> None:
    """Over many sets of skewed errors, left-out groups lie in their ranges as often as promised."""
    rng = np.random.default_rng(2)
    covered = [
        calibrate_means(rng.exponential(1, 30) - 0.5, np.ones(30), np.arange(30)).mean_coverage
        for _ in range(300)
    ]
    assert 0.94 <= np.mean(covered) <= 0.985


def test_a_treatment_that_knows_where_it_errs_has_narrower_ranges() -> None:
    """The same errors with deviations in proportion ask for less width than without."""
    rng = np.random.default_rng(3)
    deviations = rng.uniform(0.01, 1, 200)
    errors = deviations * rng.standard_normal(200)
    knowing = calibrate_means(errors, deviations, np.arange(200))
    unknowing = calibrate_means(errors, np.ones(200), np.arange(200))
    assert knowing.mean_half_width < unknowing.mean_half_width


def test_few_groups_have_no_ranges() -> None:
    """With five groups one left out leaves four, too few for a promise."""
    calibration = calibrate_means(np.ones(5), np.ones(5), np.arange(5))
    assert np.isnan(calibration.mean_coverage)
    assert np.isnan(calibrate_topics(np.ones(5), np.ones(5), np.arange(5))).all()


@pytest.mark.parametrize("groups", [8, 40])
def test_ranges_of_topics_hold_the_wanted_share_however_few_the_groups(groups: int) -> None:
    """Over many sets of errors that differ by group, 95% of a left-out group's are covered."""
    rng = np.random.default_rng(groups)
    units = np.repeat(np.arange(groups), 50)
    shifts = rng.normal(0, 0.3, (100, groups))
    covered = [
        calibrate_topics(shift[units] + rng.standard_normal(len(units)), np.ones(len(units)), units)
        for shift in shifts
    ]
    assert np.mean(covered, axis=0)[0] == pytest.approx(0.95, abs=0.012)


def test_the_study_prints_calibration_for_every_treatment(study: pw.studies.LeaveOutStudy) -> None:
    """RMSE and bias of means, coverage and half-width stand in every row; Brier where it exists."""
    columns = study.columns()
    for name in ("mean_rmse", "mean_bias", "mean_coverage", "mean_half_width", "range_level"):
        assert not np.isnan(columns[name]).any()
    assert columns["topic_coverage"] == pytest.approx([0.95] * 6, abs=0.03)
    brier = dict(zip(columns["treatment"], columns["brier"], strict=True))
    assert brier["model(draws=100)"] < brier["nonrelevant"]
    assert np.isnan(brier["condensed"])
    assert any("narrowest by" in sentence for sentence in study.sentences())


def test_the_model_has_the_smallest_errors_and_the_narrowest_ranges(
    study: pw.studies.LeaveOutStudy,
) -> None:
    """On a simulated collection, as on TREC-8: less width at the same level, and less error."""
    for measure in study.measures:
        rows = {row.treatment: row for row in study.rows if row.measure == measure}
        model = rows.pop("model(draws=100)")
        for other in rows.values():
            assert model.accuracy.mean_rmse < other.accuracy.mean_rmse
            assert model.calibration.mean_half_width < other.calibration.mean_half_width


def test_reliability_counts_every_document_once(study: pw.studies.LeaveOutStudy) -> None:
    """Bins hold all forecasts; predicted and observed shares average to those of all documents."""
    reliability = study.reliability
    assert reliability is not None
    total = reliability.documents.sum()
    assert reliability.documents @ reliability.observed / total == pytest.approx(
        reliability.documents @ reliability.predicted / total, abs=0.1
    )
    assert reliability.brier < reliability.usual


def test_a_perfect_forecast_has_a_brier_score_of_0() -> None:
    """And a forecast that is always wrong has 1."""
    truth = np.array([0.0, 1.0, 1.0])
    assert brier_score([(truth, truth)]) == 0
    assert brier_score([(1 - truth, truth)]) == 1
    assert np.isnan(brier_score([]))
    assert Reliability.of([(truth, truth)], [(truth, truth)]).observed.tolist() == [0, 1]
