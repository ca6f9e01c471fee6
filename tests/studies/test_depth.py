"""Pools and evaluation by depth: the numbers of every setting, and their power."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from tests.each import over

import poolwise as pw
from poolwise.collection._pools import nominate
from poolwise.collection._simulation import Simulated, simulate
from poolwise.errors import MeasureError, OptionError
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.comparison._significance import run_test
from poolwise.measures._catalogue import CATALOGUE, Entry
from poolwise.measures._measure import Ranked
from poolwise.measures._names import parse_measure
from poolwise.scores._scoring import score
from poolwise.studies._depth import (
    FORMS,
    GRID_NUMBERS,
    DepthSetting,
    DepthStudy,
    at_depth,
    depths,
    in_form,
)
from poolwise.studies._movement import ScoreMovement, movement


@pytest.fixture(scope="module")
def made() -> Simulated:
    """Return ten runs on twenty topics, all of whose documents are judged."""
    return simulate(systems=10, topics=20, depth=40, rng=5)


@pytest.fixture(scope="module")
def found(made: Simulated) -> DepthStudy:
    """Return two measures in three forms, on two pools and down to two ranks."""
    forms = ["raw", "normalized", "standardized"]
    return depths(
        made.truth, made.runs, ["AP", "nDCG"], pool_depths=[5, 40], depths=[5, 40], forms=forms
    )


def test_a_setting_is_a_score_on_a_pool(made: Simulated, found: DepthStudy) -> None:
    """Means and p values are those of scoring and testing on the pool of that depth by hand."""
    judgments = nominate(made.truth, made.runs).depth_pool(5)
    table = score(align(judgments, made.runs), "nDCG@40", bounds="none")
    (setting,) = [s for s in found.settings if (str(s.measure), s.pool_depth) == ("nDCG@40", 5)]
    np.testing.assert_allclose(setting.means, table.means(), atol=1e-12)
    np.testing.assert_allclose(setting.pvalues, run_test(table).pvalue, rtol=1e-9)


def test_every_row_is_compared_with_the_deepest(found: DepthStudy) -> None:
    """The deepest evaluation on the deepest pool agrees with itself, in orders and p values."""
    columns = found.columns()
    rows = zip(*(columns[name] for name in ("pool_depth", "depth", "tau", "p_tau")), strict=True)
    deepest = [(tau, p_tau) for pool, depth, tau, p_tau in rows if pool == depth == 40]
    assert deepest == [pytest.approx((1, 1))] * 6
    assert len(found.to_frame()) == len(found.settings) == 24


def test_p_values_agree_with_themselves(found: DepthStudy) -> None:
    """The matrices are symmetric with ones on the diagonal."""
    for matrix in (found.order_correlation(), found.pvalue_correlation()):
        np.testing.assert_allclose(matrix, matrix.T)
        np.testing.assert_allclose(np.diag(matrix), 1)


def test_normalization_does_not_matter_to_a_standardized_score(made: Simulated) -> None:
    """Raw and normalized measures have the same standardized means and p values."""
    options = {"pool_depths": [10], "depths": [10], "forms": ["standardized"]}
    both = depths(made.truth, made.runs, ["DCG", "nDCG", "enDCG"], **options).settings
    for other in both[1:]:
        np.testing.assert_allclose(both[0].means, other.means, atol=1e-9)
        np.testing.assert_allclose(both[0].pvalues, other.pvalues, rtol=1e-6)


def test_workers_do_not_change_the_numbers(made: Simulated, found: DepthStudy) -> None:
    """Two processes find what one finds, to the last bit, and progress counts the pools."""
    seen: list[tuple[int, int]] = []
    again = depths(
        made.truth,
        made.runs,
        ["AP", "nDCG"],
        pool_depths=[5, 40],
        depths=[5, 40],
        forms=["raw", "normalized", "standardized"],
        workers=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 2), (2, 2)]
    for one, other in zip(found.settings, again.settings, strict=True):
        assert np.array_equal(one.means, other.means)
        assert np.array_equal(one.pvalues, other.pvalues, equal_nan=True)


@over("entry", CATALOGUE, ids=lambda entry: entry.measure.name)
def test_a_form_keeps_cut_off_and_name(entry: Entry) -> None:
    """Every form that a measure has is cut at the same rank, and its name parses back."""
    if isinstance(entry.measure, Ranked):
        for form in FORMS:
            with contextlib.suppress(OptionError):
                changed = in_form(at_depth(entry.measure, 10), form)
                assert parse_measure(repr(changed)) == changed
                assert changed.parameters()["cutoff"] == 10


def test_a_form_that_a_measure_lacks_is_refused() -> None:
    """RBP has no expanded form, and ERR none but its own."""
    for name, form in (("RBP(p=0.8)", "expanded"), ("ERR@10", "raw")):
        with pytest.raises(OptionError, match=f"has no {form} form. Hint"):
            in_form(parse_measure(name), form)


def test_raw_forms_are_divided_by_their_ideal(made: Simulated) -> None:
    """On every topic the normalized form is the raw one times a number that all runs share."""
    evidence = align(made.judgments, made.runs)
    for name in ("P@10", "SP@10", "DCG@10", "RBP(p=0.8)@10"):
        raw = parse_measure(name)
        ratio = in_form(raw, "normalized").score(evidence) / np.maximum(raw.score(evidence), 1e-12)
        ratios = np.where(raw.score(evidence) > 0, ratio, np.nan)
        np.testing.assert_allclose(np.nanmax(ratios, axis=0), np.nanmin(ratios, axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool_depths": [41], "depths": [5]}, "no deeper than the longest list; got 41"),
        ({"pool_depths": [5], "depths": [0]}, "at least 1"),
        ({"pool_depths": [], "depths": [5]}, "pool_depths: at least one is needed"),
        ({"pool_depths": [5], "depths": [5], "forms": ["round"]}, "'round' is not known"),
        ({"pool_depths": [5], "depths": [5], "pooled": ["x"]}, "'x' is not known"),
    ],
)
def test_what_cannot_be_studied_is_refused(
    made: Simulated, options: dict[str, object], message: str
) -> None:
    """Depths that no run has, forms and runs that are not known: each is named."""
    with pytest.raises(OptionError, match=message):
        depths(made.truth, made.runs, ["AP"], **options)


def test_a_measure_without_depth_is_refused(made: Simulated) -> None:
    """A measure that no rank cuts off has no place in a study of depth."""
    with pytest.raises((OptionError, MeasureError), match="cut"):
        depths(made.truth, made.runs, ["Rprec"], pool_depths=[5], depths=[5])


def test_a_movement_needs_a_deeper_reference(made: Simulated) -> None:
    """A pool is compared with a deeper one."""
    with pytest.raises(OptionError, match="smaller than the reference"):
        movement(made.truth, made.runs, ["AP"], pool_depths=[10], reference=10)


def test_the_sentence_compares_the_deepest_with_the_shallowest(found: DepthStudy) -> None:
    """Powers and τ are those of the settings at both ends, one sentence per measure and form."""
    assert len(found.sentences()) == len(found.families) == 6
    ends = {
        (s.pool_depth, s.depth): s
        for s in found.settings
        if (str(s.family), s.form) == ("nDCG", "standardized")
    }
    shallow, deep = ends[5, 5], ends[40, 40]
    tau = float(correlate(shallow.means, deep.means))
    assert found.sentences()[-1] == (
        f"nDCG, standardized: with pool and evaluation to depths 40 and 40, {deep.power():.1%} of "
        "45 pairs of runs are significantly different at level 0.05; with 5 and 5, "
        f"{shallow.power():.1%} are, and the order of runs has tau {tau:.3f} with the deep one."
    )


def test_a_grid_has_the_numbers_of_the_columns(found: DepthStudy) -> None:
    """Every number of the columns stands in the grid of its measure, pool depth and depth."""
    for show in GRID_NUMBERS:
        cells = [c for table in found.tables(show=show) for row in table.rows for c in row[1:]]
        assert sorted(cells) == sorted(found.columns()[show])
    first = found.tables(show="score")[0]
    (setting,) = [
        s for s in found.settings if (str(s.measure), s.pool_depth, s.depth) == ("SP@40", 5, 40)
    ]
    assert [column.title for column in first.columns] == ["pool depth", "@5", "@40"]
    assert first.rows[0][2] == pytest.approx(setting.means.mean())
    with pytest.raises(OptionError, match="show: 'recall' is not known"):
        found.tables(show="recall")


def test_movement_says_what_its_columns_hold(made: Simulated) -> None:
    """The sentence has the first row's mean and shares, and τ over all pools."""
    (moved,) = movement(made.truth, made.runs, ["AP"], pool_depths=[5, 10], reference=40)
    columns = moved.columns()
    assert columns["mean"][0] == pytest.approx(moved.differences[0].mean())
    said = " ".join(moved.sentences())
    assert f"differs by +{columns['mean'][0]:.4f} on average" in said
    assert f"{columns['higher'][0]:.0%} of the scores are higher" in said
    assert f"{columns['lower'][0]:.0%} are lower" in said
    assert f"is {moved.correlation():.3f} over all pools" in said
    assert f"{moved.correlation(relative=True):.3f} for the change as a ratio" in said


def setting(pvalues: list[float]) -> DepthSetting:
    """Return a setting with these p values."""
    measure = pw.parse_measure("AP")
    return DepthSetting(measure, measure, "given", 5, 5, 9, np.zeros(2), np.array(pvalues))


def test_pairs_without_a_p_value_may_be_left_out_of_the_divisor() -> None:
    """Two of four pairs are significant, and two of the three that can be tested."""
    depth_setting = setting([0.01, 0.02, 0.5, np.nan])
    assert depth_setting.power() == 0.5
    assert depth_setting.power(tested=True) == pytest.approx(2 / 3)
    assert np.isnan(setting([np.nan]).power(tested=True))


def test_a_study_of_tested_pairs_says_so() -> None:
    """Equal runs add nothing to the divisor, and the option is in the provenance."""
    lists = {name: {t: list("abc") for t in "123456"} for name in ("x", "y")}
    lists["z"] = {t: list("abc" if t == "1" else "cab") for t in "123456"}
    runs = pw.Runs.from_rankings(lists)
    judgments = pw.Judgments.from_dict({t: {"a": 1, "b": 0, "c": 0} for t in "123456"})
    every, tested = (
        pw.studies.depths(judgments, runs, ["P"], pool_depths=[3], depths=[1], tested=which)
        for which in (False, True)
    )
    assert every.power(every.settings[0]) == pytest.approx(2 / 3)
    assert tested.power(tested.settings[0]) == 1
    assert "100.0% of 2 pairs" in tested.sentences()[0]
    assert ("tested", True) in tested.provenance.options


def test_a_correlation_that_turns_within_depths_is_told() -> None:
    """Residual and change fall with depth, and go opposite ways within one: Simpson's paradox."""
    residuals = np.array([[[0.50, 0.52, 0.54, 0.56]], [[0.10, 0.12, 0.14, 0.16]]])
    moved = np.array([[[-0.30, -0.31, -0.32, -0.33]], [[-0.01, -0.02, -0.03, -0.04]]])
    study = ScoreMovement(
        measure=pw.AP, pool_depths=(5, 10), reference=50, residuals=residuals,
        scores=0.5 - moved, final=np.full((1, 4), 0.5),
    )  # fmt: skip
    # Within a depth a larger residual goes with a larger change, over both depths too.
    assert not any("Simpson" in said for said in study.sentences())
    turned = replace(study, scores=0.5 - moved[:, :, ::-1])
    assert turned.correlation() > 0 > max(turned.columns()["tau"])
    assert "of the other sign at 2 of 2 depths" in turned.sentences()[-1]
    # One depth of two that turns makes no paradox.
    half = replace(study, scores=0.5 - np.stack([moved[0, :, ::-1], moved[1]]))
    assert not any("Simpson" in said for said in half.sentences())
    assert ["that of the ratio" in said for said in turned.sentences() if "Simpson" in said] == [
        False,
        True,
    ]
