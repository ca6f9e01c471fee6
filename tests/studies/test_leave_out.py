"""Estimates compared with scores under judgments that were taken away."""

import gc
from dataclasses import fields
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.collection._simulation import Simulated, simulate
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.scores._scoring import score
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.scores.treatments._treatments import Bootstrap
from poolwise.studies._accuracy import (
    Accuracy,
    Preferences,
    ScoresWithRanges,
    count_preferences,
    measure_accuracy,
)
from poolwise.studies._leave_out import LeaveOutStudy, leave_out
from poolwise.studies._reductions import (
    DepthPools,
    JudgmentReduction,
    LeaveOut,
    Thinning,
    WidthSamples,
)

NUMBERS = [f.name for f in fields(Accuracy)]
REDUCTIONS: dict[str, JudgmentReduction] = {
    "leave out": LeaveOut(depth=10),
    "depth": DepthPools((3, 10)),
    "thinning": Thinning((0.3, 0.7), repeats=2),
    "width": WidthSamples((2, 5), depth=10, repeats=2),
}


@pytest.fixture(scope="module")
def made() -> Simulated:
    """Return twelve runs on twenty-five topics, whose truth is known."""
    return simulate(systems=12, topics=25, depth=60, rng=11)


def numbers(study: LeaveOutStudy) -> np.ndarray:
    """Return everything that was measured, one row per treatment."""
    return np.array([[getattr(row.accuracy, name) for name in NUMBERS] for row in study.rows])


def only(study: LeaveOutStudy, treatment: str) -> Accuracy:
    """Return the one row of a treatment."""
    (row,) = [row for row in study.rows if row.treatment == treatment]
    return row.accuracy


def brute_force(made: Simulated, measure: str) -> dict[str, float]:
    """Leave out each run in turn, with dictionaries and loops; unjudged are not relevant."""
    truth = score(align(made.truth, made.runs), measure)
    errors, stated, right, true = [], 0, 0, 0
    tops = {
        system: {topic: set(made.runs.ranking(system, topic)[:10]) for topic in truth.topics}
        for system in truth.systems
    }
    for s, system in enumerate(made.runs.systems):
        others = [r for r in truth.systems if r != system]
        grades = {
            topic: {
                document: grade
                for document, grade in judged.items()
                if document not in tops[system][topic]
                or any(document in tops[r][topic] for r in others)
            }
            for topic, judged in made.truth.to_dict().items()
        }
        kept = [d in grades[t] for t, d, _ in made.truth]
        reduced = score(align(made.truth.keep(kept), made.runs), measure).value
        errors += (reduced[s] - truth.value[s]).tolist()
        for r in (truth.systems.index(other) for other in others):
            says = np.sign(np.round(reduced[s] - reduced[r], 9))
            is_so = np.sign(np.round(truth.value[s] - truth.value[r], 9))
            stated, true = stated + (says != 0).sum(), true + (is_so != 0).sum()
            right += ((says == is_so) & (is_so != 0)).sum()
    error = np.array(errors)
    of_means = error.reshape(len(truth.systems), -1).mean(axis=1)
    return {
        "mean_rmse": float(np.sqrt((of_means**2).mean())),
        "mean_mae": float(np.abs(of_means).mean()),
        "mean_bias": float(of_means.mean()),
        "rmse": float(np.sqrt((error**2).mean())),
        "mae": float(np.abs(error).mean()),
        "bias": float(error.mean()),
        "precision": right / stated,
        "recall": right / true,
    }


def test_leaving_out_each_run_is_what_loops_over_sets_find(made: Simulated) -> None:
    """Errors and preferences are those of the definition carried out with dictionaries."""
    small = Simulated(
        runs=made.runs.select(made.runs.systems[:4]),
        truth=made.truth,
        judgments=made.judgments,
        groups=made.groups,
        pooled=made.pooled,
        pool_depth=made.pool_depth,
    )
    for measure in ("nDCG@10", "P@5"):
        study = leave_out(
            small.truth,
            small.runs,
            [measure],
            reduction=LeaveOut(depth=10),
            treatments=["nonrelevant"],
        )
        accuracy = only(study, "nonrelevant")
        expected = brute_force(small, measure)
        assert {name: getattr(accuracy, name) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("reduction", REDUCTIONS.values(), ids=REDUCTIONS)
def test_exact_bounds_of_weighted_precision_always_hold(
    made: Simulated, reduction: JudgmentReduction
) -> None:
    """Whatever is hidden, true scores lie in their ranges, and ranges apart are rightly so.

    All measures look at ranks that the rivals have judged, unless the rivals are estimated too.
    """
    measures = ["RBP(p=0.9)@10", "P@10", "RR@10", "ERR@10"]
    study = leave_out(made.truth, made.runs, measures, reduction=reduction, treatments=["exact"])
    for row in study.rows:
        assert row.accuracy.coverage == 1
        assert row.accuracy.range_precision == 1 or np.isnan(row.accuracy.range_precision)
        assert row.accuracy.cells > 0


def test_no_estimate_errs_where_nothing_is_hidden(made: Simulated) -> None:
    """With every judgment kept each treatment returns the truth, and every order is right."""
    everything = Thinning((1.0,))
    study = leave_out(made.truth, made.runs, ["RBP(p=0.8)@10", "nDCG@10"], reduction=everything)
    assert "condensed" in {row.treatment for row in study.rows}
    for row in study.rows:
        assert (row.accuracy.rmse, row.accuracy.tau, row.accuracy.f1) == (0, 1, 1), row.treatment


def test_bootstrap_ranges_say_how_often_they_hold(made: Simulated) -> None:
    """The real coverage of 95% ranges is reported; it is near 95%, and smaller for 50%."""
    treatments = [Bootstrap(percentile=95), Bootstrap(percentile=50)]
    study = leave_out(
        made.truth,
        made.runs,
        ["RBP(p=0.8)@10"],
        reduction=LeaveOut(depth=10),
        treatments=treatments,
    )
    wide, narrow = (row.accuracy.coverage for row in study.rows)
    assert [row.treatment for row in study.rows] == ["bootstrap", "bootstrap(percentile=50)"]
    assert 0.85 < wide <= 1
    assert narrow < wide


def test_adjusting_for_bias_brings_the_mean_error_down(made: Simulated) -> None:
    """Runs that were left out lose; what pooled runs lose when left out gives most of it back."""
    study = leave_out(
        made.truth,
        made.runs,
        ["P@10"],
        reduction=LeaveOut(depth=10),
        treatments=["nonrelevant", "bias-systems"],
        told=True,
    )
    plain, adjusted = only(study, "nonrelevant"), only(study, "bias-systems")
    assert plain.bias < -0.02
    assert abs(adjusted.bias) < 0.5 * abs(plain.bias)


def test_means_and_cells_may_name_another_treatment(made: Simulated) -> None:
    """What is added on every topic mends means, where it is best, and spoils topics."""
    study = leave_out(
        made.truth,
        made.runs,
        ["P@10"],
        reduction=LeaveOut(depth=10),
        treatments=["nonrelevant", "bias-systems"],
        told=True,
    )
    plain, adjusted = only(study, "nonrelevant"), only(study, "bias-systems")
    assert adjusted.mean_mae < 0.8 * plain.mean_mae
    assert adjusted.mae > plain.mae
    columns = study.columns()
    assert columns["mean_mae"] == [plain.mean_mae, adjusted.mean_mae]
    titles = [column.title for column in study.tables()[0].columns]
    assert {"RMSE of means", "MAE of means", "RMSE", "MAE"} <= set(titles)
    assert (
        "trust bias-systems here. Of 2 treatments it comes nearest to the mean scores"
        in study.sentences()[0]
    )


def test_groups_lose_more_than_runs(made: Simulated) -> None:
    """A run whose whole group is left out has no relative to keep its documents judged."""
    options = {"treatments": ["nonrelevant"]}
    alone, grouped = (
        leave_out(made.truth, made.runs, ["P@10"], reduction=reduction, **options).rows[0].accuracy
        for reduction in (LeaveOut(10), LeaveOut(10, groups=made.groups))
    )
    assert grouped.bias < alone.bias < 0
    assert grouped.incomplete > alone.incomplete


def test_unpooled_runs_are_neither_left_out_nor_rivals(made: Simulated) -> None:
    """Where only some runs were pooled, these are the ones to leave out, one by one."""
    reduced = list(
        LeaveOut(10, pooled=made.pooled).reduce(
            nominate(made.truth, made.runs), np.random.default_rng(0)
        )
    )
    assert len(reduced) == len(made.pooled)
    unpooled = {made.runs.systems.index(s) for s in made.unpooled}
    assert not any(unpooled & {*t.estimated.tolist(), *t.rivals.tolist()} for t in reduced)


def test_only_incomplete_lists_can_be_asked_for(made: Simulated) -> None:
    """With `cells="incomplete"` every list compared has an unjudged document, and errs more."""
    options = {"reduction": LeaveOut(10), "treatments": ["nonrelevant"]}
    every = leave_out(made.truth, made.runs, ["P@10"], **options).rows[0].accuracy
    some = leave_out(made.truth, made.runs, ["P@10"], cells="incomplete", **options)
    assert some.rows[0].accuracy.cells == some.rows[0].accuracy.incomplete == every.incomplete
    assert some.rows[0].accuracy.rmse > every.rmse


@pytest.fixture(scope="module")
def by_one(made: Simulated) -> LeaveOutStudy:
    """Return what one worker finds."""
    return study_some(made)


def study_some(made: Simulated, **options: object) -> LeaveOutStudy:
    """Hide at random, and estimate by chance."""
    return leave_out(
        made.truth,
        made.runs,
        ["nDCG@10", "RBP(p=0.8)@10"],
        reduction=Thinning((0.2, 0.6), repeats=3),
        treatments=["condensed", "bootstrap(draws=50)"],
        rng=17,
        **options,
    )


def test_two_workers_find_what_one_finds(made: Simulated, by_one: LeaveOutStudy) -> None:
    """The numbers do not depend on the number of workers, and progress counts the reductions."""
    seen: list[tuple[int, int]] = []
    study = study_some(made, workers=2, progress=lambda done, total: seen.append((done, total)))
    assert np.array_equal(numbers(study), numbers(by_one), equal_nan=True)
    assert seen == [(n, 6) for n in range(1, 7)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_finds_what_one_worker_finds(made: Simulated, by_one: LeaveOutStudy) -> None:
    """On a Dask cluster of two processes the numbers are the same, to the last bit."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "silence_logs": 50}
    with (
        distributed.LocalCluster(**options, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        study = study_some(made)
    assert np.array_equal(numbers(study), numbers(by_one), equal_nan=True)


def test_a_seed_is_a_promise(made: Simulated, by_one: LeaveOutStudy) -> None:
    """The same seed gives the same numbers; other treatments beside it do not change them."""
    alone = leave_out(
        made.truth,
        made.runs,
        ["RBP(p=0.8)@10"],
        reduction=Thinning((0.2, 0.6), repeats=3),
        treatments=["bootstrap(draws=50)"],
        rng=17,
    )
    same = [
        row for row in by_one.rows if str(row.measure)[0] == "R" and "bootstrap" in row.treatment
    ]
    assert [row.accuracy for row in alone.rows] == [row.accuracy for row in same]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reduction": LeaveOut(61)}, "no deeper than the longest list; got 61"),
        ({"reduction": LeaveOut(10, pooled=("x",))}, "'x' is not known"),
        ({"reduction": DepthPools(())}, "depths: at least one is needed"),
        ({"reduction": Thinning((0.0,))}, "rate"),
        ({"reduction": Thinning((0.5,), repeats=0)}, "repeats: must be at least 1"),
        ({"reduction": WidthSamples((13,), depth=5)}, "at most the 12 there are; got 13"),
        ({"reduction": LeaveOut(10), "workers": 0}, "workers: must be a whole number other than 0"),
        ({"reduction": LeaveOut(10), "cells": "odd"}, "cells: 'odd' is not known"),
        ({"reduction": LeaveOut(10), "treatments": ["guess"]}, "treatment: 'guess' is not known"),
        ({"reduction": LeaveOut(10), "treatments": "weibull"}, "'weibull' cannot treat nDCG@10"),
        ({"reduction": LeaveOut(10), "treatments": "bootstrap(odds=1)"}, "has no option 'odds'"),
        ({"reduction": LeaveOut(10), "treatments": "bootstrap(draws="}, "cannot be read"),
    ],
)
def test_what_cannot_be_studied_is_refused(
    made: Simulated, options: dict[str, object], message: str
) -> None:
    """Depths, runs, treatments and measures that do not go together: each is named."""
    with pytest.raises(OptionError, match=message):
        leave_out(made.truth, made.runs, ["nDCG@10"], **options)


def test_what_was_made_of_judgments_goes_with_them(
    made: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing keeps a set of judgments that was left: no treatment that it had, none it refused."""
    alive = []

    def one_after_another(function: Any, tasks: Any, **_: Any) -> list[Any]:
        results = []
        for task in tasks:
            results.append(function(*task))
            alive.append(sum(type(kept) is Evidence for kept in gc.get_objects()))
        return results

    monkeypatch.setattr("poolwise.studies._leave_out.run_tasks", one_after_another)
    gc.collect()
    gc.disable()  # as in a command, which looks for cycles seldom
    try:
        study = leave_out(made.truth, made.runs, ["RR"], reduction=LeaveOut(depth=10))
    finally:
        gc.enable()
    assert study.refused
    assert "model" in {row.treatment for row in study.rows}
    assert max(alive) == alive[0]


def test_all_means_all_that_can_be_had(made: Simulated) -> None:
    """Treatments that nDCG does not allow are left out, each with its reason."""
    study = leave_out(made.truth, made.runs, ["nDCG@10"], reduction=DepthPools((5,)))
    assert {"condensed", "bootstrap", "exact"} <= {row.treatment for row in study.rows}
    assert "cannot treat nDCG@10" in study.refused["nDCG@10", "weibull"]


scores = hnp.arrays(float, (3, 4), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(value=scores, truth=scores)
def test_lower_and_upper_errors_part_the_error(value: np.ndarray, truth: np.ndarray) -> None:
    """Squares of the over- and of the under-estimates add up to those of all errors."""
    nothing = np.full(value.shape, np.nan)
    accuracy = measure_accuracy(
        ScoresWithRanges(value, nothing, nothing),
        ScoresWithRanges(truth, truth, truth),
        np.ones(value.shape, bool),
        counted=np.ones(value.shape, bool),
        points=Preferences(),
        ranges=Preferences(),
    )
    assert accuracy.lower_rmse**2 + accuracy.upper_rmse**2 == pytest.approx(accuracy.rmse**2)
    assert abs(accuracy.bias) <= accuracy.mae + 1e-12
    assert accuracy.epsilon == pytest.approx(accuracy.rmse)
    assert np.isnan(accuracy.coverage)


@given(value=scores, truth=scores)
def test_wider_ranges_state_fewer_preferences(value: np.ndarray, truth: np.ndarray) -> None:
    """A range that holds the point states nothing that the point does not state."""
    everyone = np.arange(len(value))
    points, ranges = count_preferences(
        ScoresWithRanges(value, value - 0.1, value + 0.2), truth, everyone, everyone
    )
    assert ranges.stated <= points.stated
    assert ranges.right <= points.right
    assert ranges.true == points.true
    assert points.right <= min(points.stated, points.true)


def test_the_sentence_names_the_treatment_with_the_least_error(by_one: LeaveOutStudy) -> None:
    """For each measure and condition, by means and by topics, it has the smallest RMSE."""
    kinds = list(dict.fromkeys((row.measure, row.condition) for row in by_one.rows))
    assert len(by_one.sentences()) == len(kinds) == 4
    for kind, sentence in zip(kinds, by_one.sentences(), strict=True):
        rows = [row for row in by_one.rows if (row.measure, row.condition) == kind]
        means = min(rows, key=lambda row: row.accuracy.mean_rmse)
        cells = min(rows, key=lambda row: row.accuracy.rmse)
        assert sentence.startswith(f"{kind[0]}, {kind[1]}: trust {means.treatment} here. Of 2 ")
        assert f"error of {means.accuracy.mean_rmse:.4f} and" in sentence
        assert f"by topic, with {cells.accuracy.rmse:.4f} and" in sentence
        assert f"over {cells.accuracy.cells:,} scores." in sentence


def test_tables_hold_the_rows_of_their_measure(by_one: LeaveOutStudy) -> None:
    """One table per measure; numbers that no treatment has are not shown."""
    first, second = by_one.tables()
    assert first.title.startswith("nDCG@10: estimates against")
    assert second.title.startswith("RBP(p=0.8)@10: estimates against")
    titles = [column.title for column in first.columns]
    rmse = [row.accuracy.rmse for row in by_one.rows if str(row.measure) == "nDCG@10"]
    assert [row[titles.index("RMSE")] for row in first.rows] == rmse
    plain = leave_out_once(by_one)
    assert "coverage" not in [column.title for column in plain.tables()[0].columns]


def leave_out_once(study: LeaveOutStudy) -> LeaveOutStudy:
    """Return the rows of the condensed lists, which have no ranges."""
    return LeaveOutStudy(tuple(row for row in study.rows if row.treatment == "condensed"))


def test_scores_whose_truth_nobody_judged_take_no_part() -> None:
    """A list with an unjudged document under all judgments has no known truth, and is counted."""
    runs = Runs.from_rankings(
        {
            "a": {"1": ["x", "u"], "2": ["p", "q"]},
            "b": {"1": ["x", "y"], "2": ["q", "r"]},
            "c": {"1": ["y", "z"], "2": ["r", "p"]},
        }
    )
    grades = {"1": {"x": 1, "y": 0, "z": 1}, "2": {"p": 1, "q": 0, "r": 0}}
    options = {"reduction": LeaveOut(2), "treatments": ["nonrelevant"]}
    judged, every = (
        leave_out(Judgments.from_dict(grades), runs, ["P@2"], cells=cells, **options)
        for cells in ("judged", "all")
    )
    assert [s.rows[0].accuracy.cells for s in (judged, every)] == [5, 6]
    assert judged.rows[0].accuracy.undefined == 1
    assert "1 score of unknown truth took no part." in judged.sentences()[0]


def test_the_default_path_finds_out_what_nobody_tells() -> None:
    """Untold, the model finds the pool and the kinds of runs; told, it has the groups as given."""
    made = simulate(systems=16, topics=10, depth=40, groups=13, rng=3)
    groups = Groups.from_dict({run: f"g{i // 2}" for i, run in enumerate(made.runs.systems)})
    pool = nominate(made.truth, made.runs).depth_pool(10)
    untold, told, by_name = (
        leave_out(
            pool,
            made.runs,
            ["P@10"],
            reduction=LeaveOut(10, groups=groups),
            treatments=[treatment],
            told=is_told,
        ).rows[0]
        for treatment, is_told in (
            ("model(draws=20)", False),
            ("model(draws=20)", True),
            (RelevanceModelTreatment(depth=10, groups=groups, draws=20), False),
        )
    )
    assert untold.accuracy.mean_rmse != told.accuracy.mean_rmse
    assert by_name.accuracy.mean_rmse == pytest.approx(told.accuracy.mean_rmse, abs=0.01)
