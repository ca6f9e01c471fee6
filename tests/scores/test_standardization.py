"""Standardized scores: bounded, comparable over topics, and equal to W10's tables."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.special import ndtr, ndtri
from tests.each import over

from poolwise.errors import InputError, OptionError
from poolwise.measures._catalogue import AP
from poolwise.scores._factor_files import load_factors, save_factors
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import (
    DOMAINS,
    MAPPINGS,
    SMOOTHINGS,
    StandardizationFactors,
    standardize,
)
from poolwise.scores._uncertainty import Uncertainty

# Below 1e-307 a number has too few digits for a deviation from another.
SCORE = st.floats(0, 1, allow_subnormal=False)
SCORES = arrays.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 5)), elements=SCORE)


def table_of(values: np.ndarray, measure: str = "AP") -> ScoreTable:
    systems, topics = values.shape
    return ScoreTable.from_matrix(
        values,
        systems=[f"s{i}" for i in range(systems)],
        topics=[str(t) for t in range(topics)],
        measure=measure,
    )


@pytest.fixture(scope="module")
def trec5(data_dir: Path) -> ScoreTable:
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc5_ap.csv"
    return read_score_matrix(path, measure="AP")


# W10 tables 4.1 and 4.4; columns ETHme1, LNmFull11, Cor5A1se, anu5aut1
TOPICS = {"q276": (0.771, 0.235), "q262": (0.506, 0.383), "q277": (0.175, 0.118)}
TOPICS["q252"] = (0.056, 0.039)
RAW = np.array(
    [
        [0.968, 1.000, 0.615, 0.814],
        [0.500, 0.950, 0.017, 1.000],
        [0.344, 0.301, 0.256, 0.059],
        [0.045, 0.058, 0.030, 0.109],
    ]
).T
STANDARDIZED = np.array(
    [
        [0.840, 0.975, -0.667, 0.180],
        [-0.015, 1.161, -1.277, 1.291],
        [1.434, 1.067, 0.689, -0.985],
        [-0.275, 0.059, -0.665, 1.340],
    ]
).T


def test_w10_table_4_4_from_printed_factors() -> None:
    """The factors of table 4.1 turn the scores of table 4.4 into its standardized ones."""
    factors = StandardizationFactors(
        AP, tuple(TOPICS), *np.array(list(TOPICS.values())).T, references=61, ddof=1
    )
    table = ScoreTable.from_matrix(
        RAW, systems=["ETHme1", "LNmFull11", "Cor5A1se", "anu5aut1"], topics=TOPICS, measure="AP"
    )
    np.testing.assert_allclose(standardize(table, factors).value, STANDARDIZED, atol=0.02)


def test_w10_table_4_4_from_the_runs(trec5: ScoreTable) -> None:
    """From the TREC 5 scores themselves every cell of tables 4.1 and 4.4 is met, at divisor n−1."""
    columns = [25, 11, 26, 1]  # topics 276, 262, 277, 252 of 251–300
    factors = StandardizationFactors.from_table(trec5, ddof=1)
    printed = np.array(list(TOPICS.values())).T
    np.testing.assert_allclose(factors.mean[columns], printed[0], atol=0.0005)
    np.testing.assert_allclose(factors.deviation[columns], printed[1], atol=0.0005)
    ours = standardize(trec5, factors).value[np.ix_([25, 48, 14, 0], columns)]
    np.testing.assert_allclose(ours, STANDARDIZED, atol=0.0015)  # inputs have four digits


def test_w10_figure_4_4(trec5: ScoreTable) -> None:
    """AP and sAP order the TREC 5 systems alike: r = 0.985, τ = 0.903, slope 7.9."""
    from scipy.stats import kendalltau

    raw = trec5.means()
    ours = standardize(trec5, StandardizationFactors.from_table(trec5, ddof=1)).means()
    assert round(float(np.corrcoef(raw, ours)[0, 1]), 3) == 0.985
    assert round(float(kendalltau(raw, ours).statistic), 3) == 0.903
    np.testing.assert_allclose(np.polyfit(raw, ours, 1), [7.9, -1.5], atol=0.05)


def test_published_factors_agree_with_the_runs(data_dir: Path) -> None:
    """Webber's published AP factors for TREC-8 come out of the TREC-8 scores."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    table = read_score_matrix(path, measure="AP")
    ours = StandardizationFactors.from_table(table, ddof=1)
    published = load_factors(
        data_dir / "standardization-factors/trec8.adhoc.mn.csv", measure="AP", references=129
    )
    assert published.topics[0] == "401"
    np.testing.assert_allclose(ours.mean, published.mean, atol=1e-6)
    np.testing.assert_allclose(ours.deviation, published.deviation, atol=1e-6)
    population = StandardizationFactors.from_table(table)
    np.testing.assert_allclose(population.deviation, published.with_ddof(0).deviation, atol=1e-6)


def test_w10_table_4_13(data_dir: Path) -> None:
    """Robust 2004 systems score 0.088, 0.022, 0.077, 0 above the original runs in sAP."""
    table = read_score_matrix(data_dir / "scores/newbestsub/R04.csv", rows="systems")
    folder = data_dir / "standardization-factors"
    parts = {"trec7.adhoc": (351, 400), "trec8.adhoc": (401, 450), "trec2003.rob": (601, 650)}
    parts["trec2004.rob"] = (651, 700)
    means = []
    for name, (first, last) in parts.items():
        part = table.select(topics=[t for t in table.topics if first <= int(t) <= last])
        factors = load_factors(folder / f"{name}.mn.csv", measure="AP")
        means.append(round(float(standardize(part, factors).means().mean()), 3))
    assert [abs(m) for m in means] == [0.088, 0.022, 0.077, 0.0]


@given(values=SCORES)
@example(values=np.array([[2.4678e-160], [0.0], [0.0]]))  # its square has four digits
def test_reference_scores_stay_bounded(values: np.ndarray) -> None:
    """A reference score never leaves ±√(n−1) (W10 proposition A.1)."""
    z = standardize(table_of(values)).value
    assert (np.abs(z) <= np.sqrt(len(values) - 1) * (1 + 1e-6)).all()


@given(values=SCORES, new=st.floats(0, 1))
def test_smoothed_scores_stay_bounded(values: np.ndarray, new: float) -> None:
    """Any score in [0, 1] stays within ±√(n+1) with extremes, and within ±√n with itself."""
    n, factors = len(values), StandardizationFactors.from_table(table_of(values))
    system = table_of(np.full((1, values.shape[1]), new))
    extremes = standardize(system, factors, smoothing="extremes").value
    itself = standardize(system, factors, smoothing="self").value
    assert (np.abs(extremes) <= np.sqrt(n + 1) * (1 + 1e-9)).all()
    assert (np.abs(itself) <= np.sqrt(n) * (1 + 1e-9)).all()


@given(values=SCORES)
def test_topics_are_made_alike(values: np.ndarray) -> None:
    """Self-standardized topics have mean 0 and deviation 1, or are all 0."""
    z = standardize(table_of(values)).value
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-3)
    spread = z.std(axis=0)
    assert (np.isclose(spread, 1, atol=1e-3) | (spread == 0)).all()


@given(values=SCORES, scale=st.floats(0.1, 50))
def test_normalization_is_undone(values: np.ndarray, scale: float) -> None:
    """Standardizing a normalized score is standardizing the raw one (W10 proposition 4.1)."""
    raw, normalized = standardize(table_of(values * scale)), standardize(table_of(values))
    np.testing.assert_allclose(raw.value, normalized.value, atol=1e-2)


@given(values=SCORES, joined=SCORE)
def test_smoothing_is_what_it_says(values: np.ndarray, joined: float) -> None:
    """Smoothed factors equal those of a reference set with the added systems in it."""
    topics = values.shape[1]
    factors = StandardizationFactors.from_table(table_of(values))
    added = np.vstack([values, np.zeros(topics), np.ones(topics)])
    expected = StandardizationFactors.from_table(table_of(added))
    np.testing.assert_allclose(factors.with_extremes().mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(factors.with_extremes().deviation, expected.deviation, atol=1e-9)
    with_self = table_of(np.vstack([values, np.full(topics, joined)]))
    system = table_of(np.full((1, topics), joined))
    np.testing.assert_allclose(
        standardize(system, factors, smoothing="self").value[0],
        standardize(with_self).value[-1],
        atol=1e-3,  # where reference scores nearly coincide, either way loses digits
    )


@pytest.mark.parametrize("smoothing", list(SMOOTHINGS))
@pytest.mark.parametrize("mapping", list(MAPPINGS))
@given(values=SCORES, low=st.floats(0, 1), high=st.floats(0, 1))
def test_bounds_stay_bounds(
    values: np.ndarray, smoothing: str, mapping: str, low: float, high: float
) -> None:
    """Every smoothing and mapping keeps lower ≤ value ≤ upper."""
    low, high = sorted([low, high])
    shape = (1, values.shape[1])
    system = replace(
        table_of(np.full(shape, (low + high) / 2)),
        lower=np.full(shape, low),
        upper=np.full(shape, high),
    )
    domain = mapping if mapping in DOMAINS else "none"
    factors = StandardizationFactors.from_table(table_of(values), domain=domain)
    ours = standardize(system, factors, smoothing=smoothing, mapping=mapping)
    assert (ours.lower <= ours.value).all()
    assert (ours.value <= ours.upper).all()


def test_mappings_at_w10_values() -> None:
    """Distances of 1 and 2 map to 0.84 and 0.977 (normal), 2 and 10 to 0.85 and 0.968 (t(1))."""
    normal, t1 = MAPPINGS["normal"], MAPPINGS["t1"]
    np.testing.assert_allclose(normal(np.array([0.0, 1, 2])), [0.5, 0.84, 0.977], atol=0.002)
    np.testing.assert_allclose(t1(np.array([0.0, 2, 10])), [0.5, 0.85, 0.968], atol=0.003)


def test_equal_reference_scores_give_zero() -> None:
    """Where all reference systems score alike, any score is standardized to 0, and it is told."""
    factors = StandardizationFactors.from_table(table_of(np.array([[0.1], [0.1], [0.1]])))
    assert factors.deviation.tolist() == [0.0]
    ours = standardize(table_of(np.array([[0.4]])), factors)
    assert ours.value.tolist() == [[0.0]]
    assert [n.what for n in ours.provenance.notices][1:] == [
        "topics whose reference scores are all equal"
    ]


def test_undefined_stays_undefined() -> None:
    """A score that is not defined has no standardized score, and the other topics keep theirs."""
    table = table_of(np.array([[np.nan, 0.2], [np.nan, 0.4]]))
    for smoothing in SMOOTHINGS:
        ours = standardize(table, smoothing=smoothing)
        assert np.isnan(ours.value[:, 0]).all()
        assert not np.isnan(ours.value[:, 1]).any()


def test_background_of_full_weight_is_one_factor() -> None:
    """At weight 1 every topic has the mean factors; at weight 0 its own."""
    factors = StandardizationFactors.from_table(table_of(np.array([[0.2, 0.5], [0.6, 0.7]])))
    np.testing.assert_allclose(factors.shrunk(1).mean, [0.5, 0.5])
    np.testing.assert_allclose(factors.shrunk(0).deviation, factors.deviation)


@given(values=SCORES, ddof=st.integers(0, 1))
def test_factors_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, values: np.ndarray, ddof: int
) -> None:
    """Saved factors load to the same standardized scores, to the last bit."""
    factors = StandardizationFactors.from_table(table_of(values), ddof=ddof)
    path = tmp_path_factory.mktemp("factors") / "factors.tsv"
    save_factors(factors, path)
    again = load_factors(path, measure="AP")
    assert (again.references, again.ddof, again.smoothing) == (len(values), ddof, "none")
    np.testing.assert_array_equal(
        standardize(table_of(values), again).value, standardize(table_of(values), factors).value
    )


@over(
    "text, where, rule",
    [
        ("", "f.tsv:1", "must begin with"),
        ("topic\tmean\n", "f.tsv:1", "must begin with"),
        ("{title}\n# references: 2\n# ddof: 0\n1\t0.5\n", "f.tsv:4", "topic, mean and deviation"),
        ("{title}\n# references: 2\n# ddof: 0\n1\thigh\t1\n", "f.tsv:4", "number"),
        ("{title}\n# references: 2\n# ddof: 0\n1\t1\t1\n1\t2\t1\n", "f.tsv:5", "once"),
        ("{title}\n# references: some\n# ddof: 0\n1\t1\t1\n", "f.tsv", "references"),
    ],
)
def test_broken_factor_files(tmp_path: Path, text: str, where: str, rule: str) -> None:
    """A file of factors that breaks a rule is refused with the place and the rule."""
    path = tmp_path / "f.tsv"
    path.write_text(text.format(title="# poolwise standardization factors"))
    with pytest.raises(InputError, match=rule) as caught:
        load_factors(path)
    assert caught.value.where.endswith(where)


def test_published_files_need_a_measure(tmp_path: Path) -> None:
    """The published files hold many measures; one that they lack is named with what they have."""
    for kind in ("mn", "sd"):
        (tmp_path / f"t.{kind}.csv").write_text('"","AP","P@10"\n"1",0.5,0.25\n')
    assert load_factors(tmp_path / "t.sd.csv", measure="P@10").mean.tolist() == [0.25]
    with pytest.raises(InputError, match="one of AP, P@10"):
        load_factors(tmp_path / "t.mn.csv", measure="RR")


def test_wrong_use_is_refused() -> None:
    """Other measures, missing topics, unknown options and unknown n are refused with a remedy."""
    table = table_of(np.array([[0.2, 0.5], [0.6, 0.7]]))
    factors = StandardizationFactors.from_table(table)
    published = replace(factors, references=0, ddof=1)
    calls = {
        "measure": lambda: standardize(table_of(table.value, "P@5"), factors),
        "topics": lambda: standardize(table, replace(factors, topics=("0", "x"))),
        "smoothing": lambda: standardize(table, smoothing="much"),
        "mapping": lambda: standardize(table, mapping="linear"),
        "references": lambda: standardize(table, published, smoothing="self"),
        "weight": lambda: factors.shrunk(2),
        "ddof": lambda: StandardizationFactors.from_table(table, ddof=2),
        "extremes": lambda: replace(factors, mean=factors.mean + 1).with_extremes(),
    }
    for word, call in calls.items():
        with pytest.raises(OptionError, match="Hint") as caught:
            call()
        assert word in str(caught.value)


@over(
    "old, new, complaint",
    [
        ("0.125", "nan", r"factors\.tsv:7: a factor must be a finite number; got 'nan'"),
        ("0.125", "inf", r"factors\.tsv:7: a factor must be a finite number; got 'inf'"),
        ("0.125", "-1", r"factors\.tsv:7: a standard deviation must not be negative; got '-1'"),
        ("0.25", "nan", r"factors\.tsv:7: a factor must be a finite number"),
        ("0.25", "0,25", r"factors\.tsv:7: a factor must be a finite number; got '0,25'"),
        ("smoothing: none", "smoothing: much", "must hold one of none, extremes, self, background"),
        ("ddof: 0", "ddof: 7", "the line '# ddof: …' must hold one of 0, 1; got 7"),
    ],
)
def test_factors_that_no_scores_can_have_are_refused(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    """A file that was tampered with or cut is not standardized by."""
    path = tmp_path / "factors.tsv"
    factors = StandardizationFactors(AP, ("401",), np.array([0.25]), np.array([0.125]), 17)
    save_factors(factors, path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=complaint):
        load_factors(path)


def test_a_topic_without_factors_survives_its_file(tmp_path: Path) -> None:
    """Where a measure is not defined, mean and deviation are not either."""
    path = tmp_path / "factors.tsv"
    undefined = np.array([np.nan])
    save_factors(StandardizationFactors(AP, ("401",), undefined, undefined, 17), path)
    assert np.isnan(load_factors(path).deviation).all()


def test_a_prior_is_as_if_its_systems_were_there() -> None:
    """Virtual systems of a prior's mean and deviation change factors as real ones would."""
    values = np.random.default_rng(2).random((7, 5))
    virtual = np.array([0.1, 0.3, 0.35, 0.8])
    both = np.vstack([values, np.repeat(virtual[:, None], 5, axis=1)])
    for ddof in (0, 1):
        factors = StandardizationFactors.from_table(table_of(values), ddof=ddof)
        ours = factors.with_prior(virtual.mean(), virtual.std(), systems=4)
        expected = StandardizationFactors.from_table(table_of(both), ddof=ddof)
        np.testing.assert_allclose(ours.mean, expected.mean)
        np.testing.assert_allclose(ours.deviation, expected.deviation)
        assert (ours.references, ours.smoothing) == (11, "prior")


def test_a_prior_tames_outliers() -> None:
    """Reference systems that nearly agree no longer make scores infinitely far (W10 §4.7.2)."""
    factors = StandardizationFactors.from_table(table_of(np.array([[0.01], [0.011], [0.01]])))
    system = table_of(np.array([[0.9]]))
    plain, prior = (
        standardize(system, factors, smoothing=s).value[0, 0] for s in ("none", "prior")
    )
    assert plain > 1000
    assert prior < 3


@pytest.mark.parametrize("mapping", list(DOMAINS))
def test_mapping_standardizing_and_mapping_back(mapping: str) -> None:
    """W10 §4.7.3: z of the mapped scores, mapped back; an average score comes out as 0.5."""
    values = np.random.default_rng(3).random((9, 4))
    mapped = {"logit": lambda x: np.log(x / (1 - x)), "probit": ndtri}[mapping](
        0.01 + 0.98 * values
    )
    z = (mapped - mapped.mean(axis=0)) / mapped.std(axis=0)
    back = {"logit": lambda x: 1 / (1 + np.exp(-x)), "probit": ndtr}[mapping](z)
    ours = standardize(table_of(values), mapping=mapping)
    np.testing.assert_allclose(ours.value, back)
    assert str(ours.measure).endswith(f":{mapping}")
    assert ours.limits == (0.0, 1.0)


def test_factors_of_another_mapping_are_refused(tmp_path: Path) -> None:
    """Factors of mapped scores stay so in a file, and fit no other mapping."""
    table = table_of(np.random.default_rng(3).random((9, 4)))
    factors = StandardizationFactors.from_table(table, domain="logit")
    save_factors(factors, tmp_path / "factors.tsv")
    again = load_factors(tmp_path / "factors.tsv")
    assert again.domain == "logit"
    np.testing.assert_array_equal(
        standardize(table, again, mapping="logit").value, standardize(table, mapping="logit").value
    )
    with pytest.raises(OptionError, match="same mapping"):
        standardize(table, again, mapping="normal")
    with pytest.raises(OptionError, match="scores from 0 to 1"):
        standardize(table_of(np.array([[2.0], [3.0]])), mapping="logit")


def test_what_was_asked_is_in_the_provenance() -> None:
    """Smoothing, mapping and their numbers are recorded where they are not the usual ones."""
    table = table_of(np.array([[0.2, 0.5], [0.6, 0.4]]))
    asked = standardize(table, smoothing="background", mapping="normal", weight=0.25)
    assert dict(asked.provenance.options) == {
        "smoothing": "background",
        "mapping": "normal",
        "weight": 0.25,
    }
    assert not standardize(table).provenance.options


def test_what_is_known_of_means_is_not_taken_over() -> None:
    """A range of plain means says nothing of standardized ones."""
    table = table_of(np.array([[0.2, 0.5], [0.6, 0.4]]))
    uncertainty = Uncertainty(
        "draws", np.array([0.3, 0.4]), np.array([0.5, 0.6]), kind="calibrated"
    )
    standardized = standardize(replace(table, of_means=(uncertainty,)))
    assert standardized.over_judgments.over == "judgments"
    np.testing.assert_allclose(standardized.over_judgments.low, standardized.means())
