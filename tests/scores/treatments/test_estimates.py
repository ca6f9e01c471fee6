"""Several treatments of unjudged documents, side by side."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st
from tests.each import over

from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection._simulation import simulate
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.measures._names import parse_measure
from poolwise.results._layout import render
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores.treatments._bias import BiasFromSystems
from poolwise.scores.treatments._drawn_scores import ScoreDistribution
from poolwise.scores.treatments._estimates import (
    TREATMENTS,
    Estimates,
    estimate,
    estimate_all,
    range_error,
    refusal_notes,
)
from poolwise.scores.treatments._treatments import (
    Bootstrap,
    Bounded,
    Condensed,
    GainModelTreatment,
    RateFilled,
    Treatment,
)


def estimates(**means: list[float]) -> Estimates:
    """Return means of runs a and b on one topic, by treatment."""
    tables = {
        name: ScoreTable.from_matrix(
            [[m] for m in each], systems="ab"[: len(each)], topics="1", measure="P@2"
        )
        for name, each in means.items()
    }
    return Estimates(parse_measure("P@2"), tables)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """Return two rankings, one of them with unjudged documents."""
    return Evidence.from_grades([[None, 1, 0, 1], [0, 1, 1, 0]], judged=[0, 1, 1, 0])


def test_each_treatment_is_that_of_estimate(evidence: Evidence) -> None:
    """The table of a treatment is what `estimate` gives with the same seed."""
    results = estimate_all(
        evidence, "nDCG@4", treatments=["condensed", "bootstrap(draws=30)"], rng=5
    )
    for name, table in results.scores.items():
        alone = estimate(evidence, "nDCG@4", treatment=name, rng=5)
        np.testing.assert_array_equal(table.value, alone.value)
    assert dict(results.provenance.options) == {
        "seed": 5,
        "universe": "runs",
        "grades": "0,1",
        "treatments": ("condensed", "bootstrap(draws=30)"),
    }


def test_rows_are_those_of_every_treatment(evidence: Evidence) -> None:
    """Columns have a row per treatment, run and topic, and one for the mean."""
    results = estimate_all(evidence, "P@4", treatments=["condensed", "exact"])
    columns = results.columns()
    assert columns["treatment"] == ["condensed"] * 4 + ["exact"] * 4
    assert columns["topic"] == ["1", "1", "all", "all"] * 2
    assert results.columns(per_topic=False)["topic"] == ["all"] * 4
    assert len(results.to_frame()) == 8


def test_all_is_every_treatment_or_a_reason() -> None:
    """Each treatment is scored or refused; one asked for by name is an error instead."""
    made = simulate(systems=5, topics=6, depth=20, rng=7)
    evidence = align(made.judgments, made.runs)
    results = estimate_all(evidence, "nDCG@4")
    assert len(results.scores) + len(results.refused) == len(TREATMENTS)
    with pytest.raises(OptionError, match="treatment: 'zipf' cannot treat nDCG@4"):
        estimate_all(evidence, "nDCG@4", treatments=["zipf"])
    table, *_ = results.tables()
    assert any(note.startswith("left out: ") and "zipf" in note for note in table.notes)


def test_the_best_run_and_the_widest_spread_are_named() -> None:
    """Treatments that agree have one best run; else each is named with its treatment."""
    agreed = estimates(one=[0.2, 0.5], other=[0.3, 0.4])
    assert agreed.sentences() == (
        "b has the highest mean P@2 under 2 treatments of unjudged documents.",
        "The treatments differ most for a: from 0.2000 (one) to 0.3000 (other).",
    )
    opposed = estimates(one=[0.2, 0.5], other=[0.8, 0.4])
    by_treatment = "depends on the treatment of unjudged documents: b by one; a by other."
    assert opposed.sentences() == (
        f"Which run has the highest mean P@2 {by_treatment}",
        "The treatments differ most for a: from 0.2000 (one) to 0.8000 (other).",
    )
    thirds = estimates(one=[0.2, 0.5], other=[0.8, 0.4], third=[0.1, 0.3])
    assert "documents: b by one, third; a by other." in thirds.sentences()[0]
    tied = estimates(one=[0.5, 0.5], other=[0.5, 0.5])
    assert tied.sentences() == (
        "a, b have the highest mean P@2 under 2 treatments of unjudged documents.",
        "Every run has the same mean under all of them.",
    )
    assert estimates(one=[float("nan"), 0.1]).sentences() == (
        "No treatment of unjudged documents gives every run a mean P@2.",
    )


def test_one_run_is_not_the_best_of_any() -> None:
    """Of one run the means are said, and that it is ahead under no treatment."""
    assert estimates(one=[0.2]).sentences() == (
        "a has a mean P@2 of 0.2000 under the treatment one.",
    )
    assert estimates(one=[0.2], other=[0.3]).sentences() == (
        (
            "a has a mean P@2 from 0.2000 (one) to 0.3000 (other), by the treatment of unjudged "
            "documents."
        ),
    )
    assert "0.2000 under 2 treatments" in estimates(one=[0.2], other=[0.2]).sentences()[0]


def test_an_impossible_mean_is_marked_and_never_best() -> None:
    """A mean that no grades give is said to be so, is not bold, and makes no run the best."""
    results = replace(
        estimates(one=[0.2, 0.5], other=[0.6, 1.07]),
        lowest=np.array([0.2, 0.5]),
        highest=np.array([0.6, 0.9]),
    )
    (table,) = results.tables()
    titles = [column.title for column in table.columns]
    cells = {row[0]: row[titles.index("other")] for row in table.texts()}
    assert cells == {"a": "0.6000", "b": "1.0700 (impossible)"}
    bold = [marks[titles.index("other")] for marks in table.bold()]
    assert dict(zip((row[0] for row in table.texts()), bold, strict=True)) == {
        "a": True,
        "b": False,
    }
    assert results.sentences() == (
        "b has the highest mean P@2 under the treatment one.",
        "By other, the mean P@2 of b is impossible: no grades of the unjudged documents give it.",
    )


def test_the_exact_range_of_the_means_says_what_is_possible(evidence: Evidence) -> None:
    """It is the range of the plain scores, whichever treatments are asked for."""
    results = estimate_all(evidence, "nDCG@4", treatments=["condensed"])
    low, high = score(evidence, "nDCG@4").mean_bounds()
    assert (results.lowest.tolist(), results.highest.tolist()) == (low.tolist(), high.tolist())


def test_runs_are_listed_best_first() -> None:
    """The first treatment orders the rows."""
    text = render(estimates(one=[0.2, 0.5], other=[0.8, 0.4]).tables()[0])
    assert text.index("\nb ") < text.index("\na ")
    assert "range of" in text  # scores given as a matrix are their own bounds


def test_reasons_are_said_once() -> None:
    """Treatments refused for one reason share a line."""
    reasons = {"x": "treatment: 'x' cannot.", "y": "other.", "z": "treatment: 'z' cannot."}
    assert refusal_notes(reasons) == (
        "left out: x, z (treatment: cannot.)",
        "left out: y (other.)",
    )


NAMES = [treatment.name for treatment in TREATMENTS]
grades = st.one_of(st.none(), st.integers(0, 2))
judged_lists = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=3
)  # fmt: skip


@pytest.mark.parametrize("treatment", TREATMENTS, ids=NAMES)
@given(lists=judged_lists, measure=st.sampled_from(["RBP(p=0.8)", "P@3", "SDCG@4", "DCG@5"]))
@settings(deadline=None, max_examples=25)
def test_a_run_without_unjudged_documents_has_its_plain_score(
    treatment: Treatment, lists: list[list[int]], measure: str
) -> None:
    """Where nothing is unjudged every treatment returns exactly the plain score."""
    if "bias" in treatment.name and "@" not in measure:
        measure += "@5"
    pooled = [[0, 1], [2], [1, 1]]
    evidence = Evidence.from_grades([*lists, *pooled, [None, 1]], judged=[0, 0, 1, 2])
    if treatment.name == "bias-topics":
        evidence = Evidence.from_grades([*lists, *pooled, [0, 1]], judged=[0, 0, 1, 2])
    value = estimate(evidence, measure, treatment=treatment).value[: len(lists)]
    assert np.array_equal(value, parse_measure(measure).score(evidence)[: len(lists)])


@pytest.mark.parametrize("name", [n for n in NAMES if "bias" not in n])
@example(lists=[[None]])
@given(lists=st.lists(st.lists(grades, min_size=1, max_size=5), min_size=1, max_size=3))
@example(lists=[[None]])
@settings(deadline=None, max_examples=25)
def test_no_estimate_leaves_the_exact_bounds(name: str, lists: list[list[int | None]]) -> None:
    """An estimate of a weighted precision lies within its exact bounds, as does its range."""
    if name == "condensed":
        return  # It moves judged documents up, so it is not a grading of the list.
    evidence = Evidence.from_grades(lists, judged=[0, 0, 1, 1, 2], scale=[2])
    lower, upper = parse_measure("RBP(gain='linear')@5").bounds(evidence)
    try:
        table = estimate(evidence, "RBP(gain='linear')@5", treatment=name)
    except OptionError:
        reject()  # where the lists show a pool that the measure looks below
    for part in (table.value, table.lower, table.upper):
        inside = (part >= lower - 1e-12) & (part <= upper + 1e-12)
        assert (inside | np.isnan(part)).all()


def test_names_are_distinct_and_explained() -> None:
    """Each treatment has a name of its own and one line of explanation."""
    assert len(set(NAMES)) == len(NAMES)
    assert all(treatment.summary for treatment in TREATMENTS)


def test_condensing_scores_the_judged_documents() -> None:
    """A condensed list scores as the list of its judged documents."""
    evidence = Evidence.from_grades([[None, 1, None, 0, 1]])
    table = estimate(evidence, "AP", treatment=Condensed())
    assert table.value.item() == pytest.approx((1 + 2 / 3) / 2)


def test_rates_by_hand() -> None:
    """Background, interpolation and smoothing on a list that can be worked by hand."""
    evidence = Evidence.from_grades([[1, None, 0, None]], judged=[1, 1, 0, 0, 0])
    # Weights .5 .25 .125 .0625: gained .5, judged weight .625, unjudged weight .3125.
    background, own = 2 / 5, 0.5 / 0.625
    share = 0.625 / 0.9375
    expected = {
        "background": 0.5 + 0.3125 * background,
        "interpolation": 0.5 + 0.3125 * own,
        "smoothing": 0.5 + 0.3125 * (share * own + (1 - share) * background),
    }
    for kind, value in expected.items():
        table = estimate(evidence, "RBP(p=0.5)@4", treatment=RateFilled(kind))
        assert table.value.item() == pytest.approx(value)


def test_interpolation_scales_the_score_up() -> None:
    """With no rank past the end, interpolation is base / (1 − residual) (G16 §4)."""
    evidence = Evidence.from_grades([[1, None, 0, 1, None]])
    value = estimate(evidence, "P@5", treatment="interpolation").value.item()
    assert value == pytest.approx(0.4 / (1 - 0.4))


@pytest.mark.parametrize("kind", ["background", "interpolation", "smoothing"])
def test_a_list_without_judged_documents_takes_the_background(kind: str) -> None:
    """Nothing of the list is known, so the topic's judged documents stand in."""
    evidence = Evidence.from_grades([[None, None]], judged=[1, 0, 0, 0])
    assert estimate(evidence, "P@2", treatment=RateFilled(kind)).value.item() == pytest.approx(0.25)


def test_a_gain_model_fills_unjudged_ranks() -> None:
    """Each unjudged document gains what the model expects at its rank."""
    lists = [[1, 1, 0, 0], [1, 1, 0, 0], [None, 1, 0, 0]]
    evidence = Evidence.from_grades(lists)
    table = estimate(evidence, "P@4", treatment=GainModelTreatment("constant", depth=4))
    assert table.value[:, 0].tolist() == pytest.approx([0.5, 0.5, 0.5])


def test_gains_of_dcg_are_in_grades() -> None:
    """For a measure whose full gain is not 1 the expected gain is on its scale."""
    evidence = Evidence.from_grades([[None]], judged=[0, 3])
    assert estimate(evidence, "DCG@1", treatment="static").value.item() == pytest.approx(1.5)


def test_the_bootstrap_takes_its_options() -> None:
    """Prior, draws, percentile and seed reach the draws."""
    evidence = Evidence.from_grades([[None, 1, None, 0]], judged=[0, 0, 0, 1, 1, 1])
    first = estimate(evidence, "nDCG@4", treatment=Bootstrap(prior="run", percentile=75), rng=3)
    two = estimate(evidence, "nDCG@4", treatment=Bootstrap(prior="run", percentile=75), rng=3)
    assert (first.value, first.upper) == (two.value, two.upper)
    assert (
        first.upper <= estimate(evidence, "nDCG@4", treatment=Bootstrap(prior="run"), rng=3).upper
    )


def test_the_treatment_is_in_the_provenance() -> None:
    """A table says how many documents were treated, and how, and with which seed."""
    evidence = Evidence.from_grades([[None, 1, None]], judged=[0, 1])
    notice = estimate(evidence, "nDCG@2", treatment="bootstrap", rng=5).provenance.notices[-1]
    assert notice.count == 1
    assert "bootstrap(prior='pool+run',draws=1000" in notice.what
    assert "seed 5" in notice.what


def test_provenance_names_treatments_as_people_do() -> None:
    """No Python repr: a treatment without options is its name, and groups are counted."""
    made = simulate(systems=5, topics=6, depth=20, rng=7)
    evidence = align(made.judgments, made.runs)
    plain = estimate(evidence, "P@5", treatment="condensed").provenance.notices[-1]
    assert plain.what == "documents without a grade, treated by condensed"
    groups = Groups(made.runs.systems, made.runs.systems)
    treatment = BiasFromSystems(groups=groups, depth=10)
    assert str(treatment) == "bias-systems(depth=10,groups=5 groups)"


def test_the_error_is_the_distance_to_the_range() -> None:
    """Inside the range ε is 0; outside it is the distance to the nearer end (G16 fig. 2)."""
    errors = range_error(np.array([0.1, 0.25, 0.45]), np.full(3, 0.2), np.full(3, 0.3))
    assert errors == pytest.approx([0.1, 0.0, 0.15])


@over(
    "method, measure, message",
    [
        ("guess", "P@5", "'guess' is not known"),
        ("interpolation", "nDCG@10", "cannot treat nDCG@10"),
        ("weibull", "AP", "cannot treat AP"),
        ("condensed", "Judged@10", "cannot treat Judged@10"),
        (RateFilled("guess"), "P@5", "'guess' is not known"),
        (Bounded("guess"), "P@5", "'guess' is not known"),
        (Bootstrap(prior="guess"), "P@5", "'guess' is not known"),
        (Bootstrap(draws=0), "P@5", "draws"),
        (GainModelTreatment("guess"), "P@5", "'guess' is not known"),
        (GainModelTreatment(depth=7), "P@5", "no deeper than the longest list; got 7"),
    ],
)
def test_what_a_treatment_cannot_do_is_refused(
    method: str | Treatment, measure: str, message: str
) -> None:
    """The error names the treatment, the measure or the option."""
    with pytest.raises(OptionError, match=message):
        estimate(Evidence.from_grades([[None, 1]], judged=[0, 1]), measure, treatment=method)


def simulated() -> tuple[Evidence, Evidence]:
    """Return a made-up collection as its pool judges it, and with every document judged."""
    made = simulate(systems=12, topics=20, depth=60, rng=3)
    whole = align(made.truth, made.runs)
    return whole.regrade(made.judgments), whole


def test_the_truth_lies_within_the_exact_range() -> None:
    """Where the true grades are known, no true score leaves the exact bounds."""
    evidence, whole = simulated()
    table = estimate(evidence, "RBP(p=0.9,gain='linear')", treatment="exact")
    true = parse_measure("RBP(p=0.9,gain='linear')").score(whole)
    assert (table.upper > table.lower).any()
    assert (true >= table.lower - 1e-12).all()
    assert (true <= table.upper + 1e-12).all()


def test_estimates_are_closer_to_the_truth_than_the_ends_of_the_range() -> None:
    """Filling in gains errs less than taking every unjudged document as relevant."""
    evidence, whole = simulated()
    true = parse_measure("RBP(p=0.9)").score(whole)
    worst = np.abs(estimate(evidence, "RBP(p=0.9)", treatment="exact").upper - true).mean()
    for method in ("background", "interpolation", "smoothing", "weibull", "hybrid", "linear"):
        error = np.abs(estimate(evidence, "RBP(p=0.9)", treatment=method).value - true).mean()
        assert error < worst / 2


@pytest.mark.parametrize("measure", ["AP", "P@20", "RBP(p=0.95)", "nDCG"])
def test_the_bootstrap_is_refused_below_the_depth_of_the_pool(measure: str) -> None:
    """Where ranks below the pool count it misleads: it says so, and what to use in its place."""
    made = simulate(systems=8, topics=5, depth=30, pool_depth=10, rng=1)
    evidence = align(made.judgments, made.runs)
    with pytest.raises(OptionError, match=r"below rank 10, the depth of the pool.*Hint: use model"):
        estimate(evidence, measure, treatment="bootstrap(draws=20)")
    assert "bootstrap" in estimate_all(evidence, measure).refused
    deep = estimate(evidence, measure, treatment="bootstrap(draws=20,deep=True)")
    assert (deep.means() >= score(evidence, measure, bounds="none").means()).all()
    stated = estimate(evidence, measure, treatment="bootstrap(draws=20,depth=30)")
    assert np.array_equal(stated.value, deep.value)


def test_the_bootstrap_treats_pooled_ranks_and_unknown_pools() -> None:
    """At rank 10 of a pool to depth 10, and where no pool shows, there is no reason against it."""
    made = simulate(systems=8, topics=5, depth=30, pool_depth=10, rng=1)
    evidence = align(made.judgments, made.runs)
    assert estimate(evidence, "nDCG@10", treatment="bootstrap(draws=20)").value.shape == (8, 5)
    few = Evidence.from_grades([[1, None, 0, None]])
    assert estimate(few, "AP", treatment="bootstrap(draws=20)").value.shape == (1, 1)


def test_comparisons_draw_none_of_its_grades_below_the_pool() -> None:
    """With a prior of B23 and a measure that looks below the pool, a reason stands for draws."""
    made = simulate(systems=5, topics=6, depth=30, pool_depth=10, rng=1)
    comparisons = compare_evidence(align(made.judgments, made.runs), "AP", prior="pool", draws=20)
    assert comparisons.draws == 0
    assert any("below rank 10, the depth of the pool" in said for said in comparisons.reasons())


def test_a_gain_model_of_few_ranks_is_cautioned() -> None:
    """G16 fits to half of the ranks that are scored at least; below that the output says so."""
    made = simulate(systems=6, topics=6, depth=60, rng=7)
    evidence = align(made.truth, made.runs)
    said = {
        depth: " ".join(
            estimate(evidence, "P@40", treatment=GainModelTreatment("linear", depth)).caveats()
        )
        for depth in (4, 20)
    }
    assert "Gain models were fitted to 4 ranks for a measure of 40 ranks: G16 asks" in said[4]
    assert "G16" not in said[20]
    (shown, *_) = estimate_all(evidence, "P@40", treatments=["linear"], depth=4).tables()
    assert any("G16 asks for half of them" in note for note in shown.notes)


def test_the_rbp_inspired_range_is_that_of_table_1() -> None:
    """B23 table 1: [1, ?] has an upper end of .71 with grades to 3, where 2 in truth gives .80."""
    measure = "nDCG(dcg='exp-log2')@2"
    grades = {"1": {"a": 1}}
    runs = Runs.from_rankings({"x": {"1": ["a", "u"]}})
    unjudged = Judgments.from_dict(grades).with_grades([0, 1, 2, 3])
    table = estimate(align(unjudged, runs), measure, treatment="rbp-inspired")
    assert (table.lower.item(), table.upper.item()) == (1.0, pytest.approx(0.7098, abs=1e-4))
    truth = score(align(Judgments.from_dict({"1": {"a": 1, "u": 2}}), runs), measure)
    assert truth.value.item() == pytest.approx(0.7967, abs=1e-4)


def test_the_rbp_inspired_range_is_by_hand() -> None:
    """Each run is scored as if its own unjudged documents alone had the highest grade."""
    made = simulate(systems=4, topics=5, depth=20, rng=2)
    table = estimate(align(made.judgments, made.runs), "nDCG@5", treatment="rbp-inspired")
    top = max(made.judgments.scale)
    for s, system in enumerate(made.runs.systems):
        grades = made.judgments.to_dict()
        for topic in made.runs.topics:
            for document in made.runs.ranking(system, topic)[:5]:
                grades[topic].setdefault(document, top)
        judged = align(Judgments.from_dict(grades), made.runs.select([system]))
        np.testing.assert_allclose(table.upper[s], score(judged, "nDCG@5").value[0])


def test_the_mode_of_bins_is_the_mean_of_the_fullest() -> None:
    """Three draws in one bin outweigh two that are equal."""
    plain = score(Evidence.from_grades([[1, None]]), "P@2")
    values = np.array([[[0.5, 0.5, 0.61, 0.62, 0.66]]])
    drawn = ScoreDistribution(plain, values)
    assert drawn.mode().item() == 0.5
    assert drawn.mode(bins=10).item() == pytest.approx((0.61 + 0.62 + 0.66) / 3)
    assert drawn.table(bins=10).value.item() == drawn.mode(bins=10).item()
    with pytest.raises(OptionError, match="bins: must be 1 or more; got 0"):
        drawn.mode(bins=0)


def test_a_range_repeats_no_estimate_in_the_table() -> None:
    """The exact range stands beside the plain mean, which has one column whatever is asked for."""
    evidence = Evidence.from_grades([[None, 1, 0, 1], [0, 1, 1, 0]])
    for treatments in (["nonrelevant", "exact"], ["exact", "nonrelevant"], ["exact"]):
        (table,) = estimate_all(evidence, "nDCG@4", treatments=treatments).tables()
        titles = [column.title for column in table.columns]
        assert sorted(titles) == ["exact range", "nonrelevant", "run"]
    results = estimate_all(evidence, "nDCG@4", treatments=["nonrelevant", "exact"])
    assert "exact" not in " ".join(results.sentences())
    assert set(results.columns()["treatment"]) == {"nonrelevant", "exact"}
