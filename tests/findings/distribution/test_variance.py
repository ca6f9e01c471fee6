"""Components of variance: as theory, statsmodels and W10's tables have them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from poolwise.errors import OptionError
from poolwise.findings.distribution._variance import (
    VarianceComponents,
    analyse_covariance,
    analyse_variance,
    variance_components,
)
from poolwise.scores._factor_files import load_factors
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import standardize

SCORES = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(2, 6)), elements=st.floats(0, 1, width=16)
)


def table_of(values: np.ndarray) -> ScoreTable:
    systems, topics = values.shape
    names = [f"s{i}" for i in range(systems)], [str(t) for t in range(topics)]
    return ScoreTable.from_matrix(values, systems=names[0], topics=names[1], measure="AP")


def percentages(table: ScoreTable) -> list[int]:
    components = variance_components(table)
    return [
        *(100 * components.shares).round().astype(int).tolist(),
        round(100 * components.relative()),
    ]


@pytest.mark.parametrize(
    ("measure", "raw", "standardized"),
    [("ap", [8, 62, 30, 22], [29, 0, 71, 29]), ("p10", [12, 47, 41, 22], [22, 0, 78, 22])],
)
def test_w10_tables_4_2_and_4_5(
    data_dir: Path, measure: str, raw: list[int], standardized: list[int]
) -> None:
    """TREC 5 has the shares (and ρ_I) that W10 prints, raw and standardized."""
    folder = data_dir / "scores/urbano/sigir2019-statistical"
    table = read_score_matrix(folder / f"adhoc5_{measure}.csv")
    assert percentages(table) == raw
    assert percentages(standardize(table)) == standardized


def test_w10_table_4_8(data_dir: Path) -> None:
    """Robust 2004 on topics 301–450 and 601–650 has the shares that W10 prints."""
    folder = data_dir / "scores/urbano/sigir2018-simulation"
    for measure, raw, standardized in (
        ("ap", [7, 66, 27, 20], [25, 0, 75, 25]),
        ("p10", [4, 60, 36, 11], [12, 0, 88, 12]),
    ):
        table = read_score_matrix(folder / f"robust2004_{measure}.csv")
        table = table.select(topics=[t for t in table.topics if t < "451" or "601" <= t < "651"])
        assert percentages(table) == raw
        assert percentages(standardize(table)) == standardized


def test_w10_table_4_8_by_original_runs(data_dir: Path) -> None:
    """Standardized by the runs of each sub-collection, a tenth of the variance is the topics'."""
    path = data_dir / "scores/urbano/sigir2018-simulation/robust2004_ap.csv"
    table = read_score_matrix(path, measure="AP")
    folder, parts = data_dir / "standardization-factors", []
    for name, first, last in (
        *(("trec6.adhoc", "301", "350"), ("trec7.adhoc", "351", "400")),
        *(("trec8.adhoc", "401", "450"), ("trec2003.rob", "601", "650")),
    ):
        part = table.select(topics=[t for t in table.topics if first <= t <= last])
        factors = load_factors(folder / f"{name}.mn.csv", measure="AP")
        parts.append(standardize(part, factors).value)
    assert percentages(table_of(np.hstack(parts))) == [20, 10, 70, 22]


@given(values=SCORES)
def test_self_standardized_tables_have_no_topic_component(values: np.ndarray) -> None:
    """After self-standardization no variance is left to the topics."""
    components = variance_components(standardize(table_of(values)))
    assert components.topic <= 1e-9


@given(values=SCORES, shift=arrays.arrays(np.float64, 6, elements=st.floats(-1, 1, width=16)))
def test_topic_shifts_move_only_the_topic_component(values: np.ndarray, shift: np.ndarray) -> None:
    """Making topics easier or harder for all leaves systems and interaction as they were."""
    before = variance_components(table_of(values)).estimates
    after = variance_components(table_of(values + shift[: values.shape[1]])).estimates
    np.testing.assert_allclose([after[0], after[2]], [before[0], before[2]], atol=1e-9)


def test_components_are_recovered() -> None:
    """A large simulated table gives back the components it was made with."""
    rng = np.random.default_rng(7)
    system, topic = rng.normal(0, 0.3, (400, 1)), rng.normal(0, 0.5, (1, 500))
    components = variance_components(table_of(system + topic + rng.normal(0, 0.4, (400, 500))))
    np.testing.assert_allclose(
        [components.system, components.topic, components.interaction], [0.09, 0.25, 0.16], rtol=0.15
    )


def test_equations() -> None:
    """φ, ρ_I and Φ are W10 eq. 4.3 to 4.5, and topics_for inverts Φ."""
    components = VarianceComponents("AP", 61, 50, 0.08, 0.62, 0.30, (), ())
    assert components.absolute() == pytest.approx(0.08)
    assert components.relative() == pytest.approx(0.08 / 0.38)
    assert components.absolute(50) == pytest.approx(0.08 / (0.08 + 0.92 / 50))
    needed = components.topics_for(0.95, quantity="relative")
    assert components.relative(needed) >= 0.95 > components.relative(needed - 1)


def test_relative_interval_is_the_f_interval() -> None:
    """The generalized interval of ρ_I is the exact one from the F distribution."""
    from scipy.stats import f

    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (20, 1)) + rng.normal(0, 2, (20, 30))
    components = variance_components(table_of(values))
    ratio = components.mean_squares[0] / components.mean_squares[2]
    theta = (ratio / f.ppf([0.975, 0.025], 19, 19 * 29) - 1) / 30
    exact = theta / (1 + theta)
    ours = components.interval("relative", rng=1, draws=200_000)
    np.testing.assert_allclose(ours, exact, atol=0.004)


def test_interval_covers_as_often_as_it_says() -> None:
    """Over simulated tables the 90% interval of Φ(25) holds the true value nine times in ten."""
    rng = np.random.default_rng(11)
    truth = 0.2 / (0.2 + 1.5 / 25)
    held = 0
    for _ in range(200):
        values = rng.normal(0, 0.2**0.5, (30, 1)) + rng.normal(0, 0.5**0.5, (1, 25))
        components = variance_components(table_of(values + rng.normal(0, 1, (30, 25))))
        low, high = components.interval(rng=rng, topics=25, level=0.9, draws=1000)
        held += low <= truth <= high
    assert 168 <= held <= 192  # 180 expected, standard error 4.2


def long_form(values: np.ndarray) -> pd.DataFrame:
    axes = [a.ravel() for a in np.indices(values.shape)]
    names = ["system", "topic", "depth"][: values.ndim]
    return pd.DataFrame({**dict(zip(names, axes, strict=True)), "score": values.ravel()})


def test_anova_is_statsmodels() -> None:
    """Sums of squares, F and p equal those of statsmodels."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = np.random.default_rng(5).random((4, 6))
    theirs = anova_lm(ols("score ~ C(system) + C(topic)", long_form(values)).fit())
    ours = analyse_variance(table_of(values))
    np.testing.assert_allclose(ours.squares, theirs["sum_sq"], rtol=1e-10)
    np.testing.assert_allclose(ours.freedom, theirs["df"])
    np.testing.assert_allclose(ours.ratios, theirs["F"][:-1], rtol=1e-10)
    np.testing.assert_allclose(ours.pvalues, theirs["PR(>F)"][:-1], rtol=1e-10)


def test_ancova_is_statsmodels() -> None:
    """The analysis with depth as covariate equals the least squares fit of the full model."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(6)
    values, depths = rng.random((3, 4, 5)), np.array([5.0, 10, 20, 50, 100])
    frame = long_form(values)
    frame["depth"] = (depths - depths.mean())[frame["depth"]]
    theirs = anova_lm(ols("score ~ C(system) * C(topic) * depth", frame).fit())
    ours = analyse_covariance([table_of(values[:, :, d]) for d in range(5)], depths.tolist())
    order = [
        *("C(system)", "C(topic)", "C(system):C(topic)", "depth", "C(system):depth"),
        *("C(topic):depth", "C(system):C(topic):depth", "Residual"),
    ]
    np.testing.assert_allclose(ours.squares, theirs["sum_sq"][order], rtol=1e-8)
    np.testing.assert_allclose(ours.freedom, theirs["df"][order])
    np.testing.assert_allclose(ours.pvalues, theirs["PR(>F)"][order][:-1], rtol=1e-8)


def test_equal_scores_have_no_shares() -> None:
    """Where nothing varies there are no shares and no F, and nothing fails."""
    components = variance_components(table_of(np.full((3, 4), 0.5)))
    assert np.isnan(components.shares).all()
    assert np.isnan(components.absolute())
    assert np.isnan(analyse_variance(table_of(np.full((3, 4), 0.5))).pvalues).all()


def test_wrong_use_is_refused() -> None:
    """Too few systems, topics or depths and unknown quantities are refused with a remedy."""
    table, single = table_of(np.eye(3)), table_of(np.ones((1, 3)))
    components = variance_components(table)
    calls = [
        lambda: variance_components(single),
        lambda: analyse_variance(single),
        lambda: analyse_covariance([table, table], [5, 10]),
        lambda: analyse_covariance([table, table, single], [5, 10, 20]),
        lambda: components.absolute(0),
        lambda: components.topics_for(1.5),
        lambda: components.interval("phi", rng=1),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_what_components_say() -> None:
    """Shares and coefficients are said as they are, and a component below 0 is mentioned."""
    components = variance_components(table_of(np.array([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]])))
    columns, text = components.columns(), " ".join(components.sentences())
    for name, share in zip(("system", "topic", "interaction"), components.shares, strict=True):
        assert columns[f"{name}_share"] == [share]
        assert f"{100 * share:.1f}%" in text
    for number in (components.absolute(), components.relative(), components.absolute(3)):
        assert f"{number:.3f}" in text
    assert columns["phi_of_means"] == [components.absolute(3)]
    crossed = variance_components(table_of(np.array([[0.0, 1.0], [1.0, 0.0]])))
    assert crossed.estimates[0] < 0
    assert "estimate for system came out below 0" in str(crossed)


def test_equal_scores_have_no_variance_to_part() -> None:
    """Where nothing varies, both analyses say so and print no number that is none."""
    table = table_of(np.full((3, 4), 0.5))
    for finding in (variance_components(table), analyse_variance(table)):
        assert finding.sentences() == ("All scores of AP are equal, and have no variance.",)
        assert "nan" not in str(finding)


def test_what_an_analysis_says() -> None:
    """Each source has its share, F and p; what is left over has neither."""
    analysis = analyse_variance(table_of(np.array([[0.5, 0.7, 0.2], [0.4, 0.3, 0.1]])))
    columns = analysis.columns()
    assert columns["source"] == ["system", "topic", "residual"]
    assert columns["p"][:2] == analysis.pvalues.tolist()
    assert np.isnan(columns["f"][2])
    for row, ratio in enumerate(analysis.ratios):
        assert f"F = {ratio:.3f}, p = {analysis.pvalues[row]:.4f}" in analysis.sentences()[row]
        assert analysis.sentences()[row].startswith(f"{100 * analysis.shares[row]:.1f}%")
    additive = analyse_variance(table_of(np.array([[0.1, 0.2], [0.3, 0.4]])))
    assert "F =" not in " ".join(additive.sentences())
