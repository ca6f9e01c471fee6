"""Treatments are compared by paired tests over topics, corrected for their number."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

import poolwise as pw
from poolwise.errors import OptionError

MADE = pw.simulate(systems=6, topics=15, depth=30, rng=5)
TREATMENTS = ["nonrelevant", "condensed", "static"]


@pytest.fixture(scope="module")
def study() -> pw.studies.LeaveOutStudy:
    """Return estimates from pools of five ranks."""
    return pw.studies.leave_out(
        MADE.truth,
        MADE.runs,
        ["P@10"],
        reduction=pw.studies.DepthPools((5,)),
        treatments=TREATMENTS,
        cells="all",
        told=True,
    )


def errors_by_hand(treatment: str) -> np.ndarray:
    """Return the error of every run on every topic."""
    pool = pw.nominate(MADE.truth, MADE.runs).depth_pool(5)
    estimated = pw.scores.estimate(pw.align(pool, MADE.runs), "P@10", treatment=treatment).value
    return estimated - pw.score(pw.align(MADE.truth, MADE.runs), "P@10").value


def test_p_values_are_those_of_scipy_times_the_pairs(study: pw.studies.LeaveOutStudy) -> None:
    """Student's paired t test over topics, with Bonferroni's correction (B23 §4.1)."""
    by_topic = {t: np.sqrt((errors_by_hand(t) ** 2).mean(axis=0)) for t in TREATMENTS}
    columns = study.error_tests().columns()
    assert len(columns["a"]) == 3
    for a, b, p, adjusted in zip(
        *(columns[name] for name in ("a", "b", "p", "p_adjusted")), strict=True
    ):
        expected = ttest_rel(by_topic[a], by_topic[b]).pvalue
        assert p == pytest.approx(expected, rel=1e-9)
        assert adjusted == pytest.approx(min(1.0, 3 * expected), rel=1e-9)
        assert by_topic[a].mean() <= by_topic[b].mean()


def test_errors_by_topic_make_up_the_error_of_all(study: pw.studies.LeaveOutStudy) -> None:
    """With as many runs on each topic, their mean square is that of all scores."""
    for row in study.rows:
        assert np.sqrt((row.topic_errors["rmse"] ** 2).mean()) == pytest.approx(row.accuracy.rmse)
        assert np.sqrt((row.topic_errors["epsilon"] ** 2).mean()) == pytest.approx(
            row.accuracy.epsilon
        )


def test_the_nearest_is_named_with_those_as_good() -> None:
    """What does not err significantly more than the best is named beside it (G16 table 2)."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.1, 0.2, 30)
    alike, bad = base + rng.normal(0.02, 0.05, 30), base + rng.normal(0.3, 0.05, 30)
    errors = {"best": base, "alike": alike, "bad": bad}
    compared = pw.studies.compare_errors(errors, measure="AP", condition="some away")
    assert compared.treatments[compared.nearest] == "best"
    assert compared.not_worse() == ("alike",)
    said = pw.studies.ErrorTests("rmse", (compared,)).sentences()[0]
    assert "best errs least" in said
    assert said.endswith("at 0.05 significantly less than bad; not significantly more: alike.")


def test_topics_without_an_error_are_left_out() -> None:
    """A topic on which one treatment could not be compared counts for none."""
    one, other = np.array([0.1, 0.2, np.nan, 0.2]), np.array([0.3, 0.3, 0.9, 0.5])
    compared = pw.studies.compare_errors({"a": one, "b": other}, measure="AP", condition="c")
    assert compared.columns()["topics"] == [3]
    assert compared.errors.tolist() == pytest.approx([0.5 / 3, 1.1 / 3])


def test_one_treatment_has_nothing_to_be_tested_against() -> None:
    """It takes two."""
    with pytest.raises(OptionError, match="takes two treatments"):
        pw.studies.compare_errors({"a": np.ones(3)}, measure="AP", condition="c")


def test_the_range_up_to_the_condensed_score() -> None:
    """B23 table 6: it starts at the plain score, and ends at that of the condensed list."""
    evidence = pw.align(MADE.judgments, MADE.runs)
    table = pw.scores.estimate(evidence, "nDCG@10", treatment="condensed(ranged=True)")
    np.testing.assert_array_equal(table.lower, pw.score(evidence, "nDCG@10").value)
    np.testing.assert_array_equal(table.upper, table.value)
    assert (table.lower <= table.upper).all()


def test_b23_table_6_orders_ranges_as_published(data_dir: Path) -> None:
    """On other data, as there: up to the condensed score is tighter, and less often right."""
    folder = data_dir / "trec-dl-2019"
    runs = pw.read_runs(folder / "runs", ties="docid")
    groups = pw.collection.read_groups(folder / "runs.tsv").select(runs.systems)
    study = pw.studies.leave_out(
        pw.read_judgments(folder / "qrels.gz"),
        runs,
        ["nDCG@10"],
        reduction=pw.studies.LeaveOut(10, groups=groups),
        treatments=["naive", "condensed(ranged=True)"],
    )
    naive, condensed = (row.accuracy for row in study.rows)
    assert naive.range_precision > condensed.range_precision
    assert naive.range_recall < condensed.range_recall
    assert naive.range_f1 < condensed.range_f1


def preferences_by_hand(treatment: str, topic: int) -> tuple[int, int, int]:
    """Count the preferences of all runs on a topic: stated, right, true."""
    pool = pw.nominate(MADE.truth, MADE.runs).depth_pool(5)
    guessed = pw.scores.estimate(pw.align(pool, MADE.runs), "P@10", treatment=treatment).value
    true = pw.score(pw.align(MADE.truth, MADE.runs), "P@10").value
    pairs = list(permutations(range(len(true)), 2))
    signs = [
        tuple(int(np.sign(np.round(x[a, topic] - x[b, topic], 9))) for x in (guessed, true))
        for a, b in pairs
    ]
    return (
        sum(stated != 0 for stated, _ in signs),
        sum(stated == truth != 0 for stated, truth in signs),
        sum(truth != 0 for _, truth in signs),
    )


@pytest.mark.parametrize("error", ["precision", "recall", "f1"])
def test_preferences_are_tested_over_topics(study: pw.studies.LeaveOutStudy, error: str) -> None:
    """Precision, recall and F1 of each topic are counted pair by pair, and tested (B23 table 6)."""
    shares = {
        "precision": lambda stated, right, _: right / stated,
        "recall": lambda _, right, true: right / true,
        "f1": lambda stated, right, true: 2 * right / (stated + true),
    }
    by_hand = {
        name: 1 - np.array([shares[error](*preferences_by_hand(name, t)) for t in range(15)])
        for name in TREATMENTS
    }
    for row in study.rows:
        np.testing.assert_allclose(row.topic_errors[error], by_hand[row.treatment])
    columns = study.error_tests(error).columns()
    for a, b, p in zip(columns["a"], columns["b"], columns["p"], strict=True):
        if not np.array_equal(by_hand[a], by_hand[b]):
            assert p == pytest.approx(ttest_rel(by_hand[a], by_hand[b]).pvalue, rel=1e-9)


def test_treatments_without_ranges_take_no_part_in_tests_of_ranges() -> None:
    """What a treatment never states by ranges is no error of its ranges."""
    study = pw.studies.leave_out(
        MADE.truth,
        MADE.runs,
        ["P@10"],
        reduction=pw.studies.DepthPools((5,)),
        treatments=["nonrelevant", "naive", "condensed(ranged=True)"],
    )
    (tested,) = study.error_tests("range-recall").tests
    assert tested.treatments == ("naive", "condensed(ranged=True)")
    assert np.isnan(study.rows[0].topic_errors["range-f1"]).all()
