"""What judging, or another sample, could make of tested pairs."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import poolwise as pw
from poolwise import (
    Comparisons,
    Evidence,
    Judgments,
    Runs,
    align,
    compare,
    compare_evidence,
    evaluate,
    score,
)
from poolwise.findings.comparison._comparison import COLUMNS
from poolwise.findings.comparison._differences import judgment_ranges
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    complete_scores,
)

POOLED = 18


@cache
def pools(new: int) -> tuple[pw.Evidence, pw.Evidence]:
    """Return a pool of twenty runs that lacks one of them, and the pool of all."""
    made = pw.simulate(systems=20, topics=15, depth=40, groups=20, unpooled=0, rng=4)
    nominations = pw.nominate(made.truth, made.runs)
    rest = tuple(run for i, run in enumerate(nominations.systems) if i != new)
    kept = (nominations.depth_pool(10, systems=rest), nominations.depth_pool(10))
    reduced, whole = (pw.align(pool, made.runs) for pool in kept)
    return reduced, whole


@cache
def two_new_runs() -> Comparisons:
    """Compare all of twenty runs, two of which were not pooled."""
    return compare_evidence(found_evidence(), "P@10", draws=50)


def found_evidence() -> Evidence:
    """Return twenty runs, two of which were not pooled."""
    made = pw.simulate(systems=20, topics=12, depth=40, groups=20, unpooled=0, rng=4)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[:POOLED])
    return pw.align(pool, made.runs)


def test_they_hold_the_differences_that_judging_the_new_run_shows() -> None:
    """Over new runs and pooled ones, nine ranges in ten hold at least, and are no points."""
    held, narrower = [], []
    for new in (1, 7, 13):
        reduced, whole = pools(new)
        run = reduced.systems[new]
        comparisons = compare_evidence(reduced, "nDCG@10", baseline=run, draws=100)
        means = pw.score(whole, "nDCG@10", bounds="none").means()
        truth = means[comparisons.pairs.left] - means[comparisons.pairs.right]
        inside = (comparisons.plausible_low <= truth) & (truth <= comparisons.plausible_high)
        held.append(inside.mean())
        width = comparisons.plausible_high - comparisons.plausible_low
        narrower.append((width < comparisons.bound_high - comparisons.bound_low).mean())
        assert (width > 0).all()
    assert np.mean(held) >= 0.9
    assert np.mean(narrower) > 0.9


def test_whatever_is_unsure_is_calibrated() -> None:
    """Two pooled runs leave nothing to guess here; new ones do, two of them √2 times as much."""
    comparisons = two_new_runs()
    new = np.arange(20) >= POOLED
    count = new[comparisons.pairs.left].astype(int) + new[comparisons.pairs.right]
    expected = np.array(["", "calibrated", "calibrated"])[count]
    assert comparisons.calibration.tolist() == expected.tolist()
    assert np.array_equal(np.isnan(comparisons.plausible_low), count == 0)
    said = " ".join(comparisons.reasons())
    assert "The plausible range of 37 differences has a coverage" in said
    assert "left out in turn" in said
    assert "Pool: depth 10, read off the judgments" in said


def test_draws_are_spread_about_their_mean_as_far_as_left_out_runs_ask() -> None:
    """δ' = δ̄ + f(δ − δ̄) with one new run, √2·f with two, 1 with none; the test is of δ'."""
    comparisons = two_new_runs()
    evidence = found_evidence()
    measure, model = pw.parse_measure("P@10"), RelevanceModelTreatment(draws=50)
    raw = complete_scores(evidence, measure, model, rng=1, shared=True).values.mean(axis=1)
    delta = raw[comparisons.pairs.left] - raw[comparisons.pairs.right]
    centre = delta.mean(axis=1, keepdims=True)
    new = np.arange(20) >= POOLED
    count = new[comparisons.pairs.left].astype(int) + new[comparisons.pairs.right]
    assert comparisons.drawn.calibration is not None
    f = comparisons.drawn.calibration.factor
    assert f >= 1
    factors = np.array([1, f, np.sqrt(2) * f])[count][:, None]
    assert comparisons.drawn.difference == pytest.approx(
        centre + factors * (delta - centre), abs=1e-9
    )
    assert comparisons.drawn.calibrated is not None
    assert comparisons.drawn.calibrated.all()
    ahead = (comparisons.drawn.difference > 1e-12).mean(axis=1)
    assert comparisons.drawn.ahead == pytest.approx(ahead)
    # t is the moved mean over the draw's own standard error.
    values = complete_scores(evidence, measure, model, rng=1, shared=True).values[:, :, 7]
    pair = int(np.flatnonzero(count == 2)[0])
    topics = values[comparisons.pairs.left[pair]] - values[comparisons.pairs.right[pair]]
    moved = topics - topics.mean() + comparisons.drawn.difference[pair, 7]
    assert comparisons.drawn.pvalue[pair, 7] == pytest.approx(ttest_1samp(moved, 0).pvalue)


def test_they_lie_within_what_is_possible_and_hold_the_mean_of_the_draws() -> None:
    """The plausible is possible, and around what the draws say."""
    comparisons = two_new_runs()
    calibrated = comparisons.calibration == "calibrated"
    low, high = comparisons.plausible_low[calibrated], comparisons.plausible_high[calibrated]
    assert (comparisons.bound_low[calibrated] - 1e-12 <= low).all()
    assert (high <= comparisons.bound_high[calibrated] + 1e-12).all()
    centre = comparisons.drawn.difference[calibrated].mean(axis=1)
    assert (low <= centre).all()
    assert (centre <= high).all()


def test_a_pair_the_other_way_round_has_the_range_the_other_way_round() -> None:
    """With the run that is ahead first, both ends change their sign."""
    comparisons = two_new_runs()
    behind = np.flatnonzero(
        (comparisons.calibration == "calibrated") & (comparisons.difference < 0)
    )
    pair = comparisons[int(behind[0])]
    turned = pair.better_first()
    assert (turned.plausible_low, turned.plausible_high) == (
        -pair.plausible_high,
        -pair.plausible_low,
    )
    ends = f"{turned.plausible_low:.4f} to {turned.plausible_high:.4f}".replace("-", "−")
    assert f"; {ends} is plausible" in turned.sentences()[2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"adaptive": True}, "chosen one after the other"),
        ({"pooled": ("bm25-1", "dfr-1")}, "2 kinds of pooled runs, 5 are needed"),
    ],
)
def test_where_none_can_be_calibrated_one_sentence_says_why(
    options: dict[str, object], why: str
) -> None:
    """Adaptive judgments, or few groups: no range, the label, and the reason."""
    reduced, _ = pools(1)
    comparisons = compare_evidence(
        reduced, "P@10", baseline="bm25-1", draws=20, depth=10, **options
    )
    assert np.isnan(comparisons.plausible_low).all()
    assert set(comparisons.calibration.tolist()) <= {"", "not calibrated"}
    assert any("not calibrated" in said and why in said for said in comparisons.reasons())
    assert any(", not calibrated" in " ".join(pair.sentences()) for pair in comparisons)


def test_of_a_sample_nothing_is_calibrated() -> None:
    """Documents drawn at random make no pool that a group could be left out of."""
    made = pw.simulate(systems=20, topics=6, depth=40, groups=20, unpooled=0, rng=4)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[:POOLED])
    grades = {
        topic: {d: -1 if number % 3 == 0 else grade for number, (d, grade) in enumerate(of.items())}
        for topic, of in pool.to_dict().items()
    }
    drawn = pw.Judgments.from_dict(grades)
    strata = ["1"] * sum(map(len, grades.values()))
    evidence = pw.align(drawn.with_sampling(stratum=strata), made.runs)
    pooled = made.runs.systems[:POOLED]
    comparisons = compare_evidence(evidence, "P@10", draws=20, depth=10, pooled=pooled)
    assert set(comparisons.calibration.tolist()) == {"not calibrated"}
    assert any("judgments that are a sample" in said for said in comparisons.reasons())


def test_draws_from_another_prior_have_none() -> None:
    """The errors are those of the relevance model; B23's priors have no ranges, nor no draws."""
    reduced, _ = pools(1)
    for options in ({"prior": "pool", "draws": 20}, {"draws": 0}):
        comparisons = compare_evidence(reduced, "P@10", baseline="ql-1", **options)
        assert set(comparisons.calibration.tolist()) == {""}
        assert np.isnan(comparisons.plausible_high).all()


DOCUMENTS = "abcdefgh"
GRADES = {"1": "10110010", "2": "01001101", "3": "11000100"}
RUNS = Runs.from_rankings(
    {
        "one": {"1": list("abcx"), "2": list("gbfd"), "3": list("hyab")},
        "two": {"1": list("efcg"), "2": list("haxe"), "3": list("acfb")},
    }
)


def sampled(drawn: tuple[str, ...]) -> Evidence:
    """Return the evidence of a sample that judged these documents of every topic."""
    grades = {
        topic: {d: int(g) if d in drawn else -1 for d, g in zip(DOCUMENTS, text, strict=True)}
        for topic, text in GRADES.items()
    }
    strata = ["1" if d in "abc" else "2" for _ in GRADES for d in DOCUMENTS]
    return align(Judgments.from_dict(grades).with_sampling(stratum=strata), RUNS)


def test_the_interval_of_a_difference_is_by_its_own_variance() -> None:
    """Over all samples of a topic, the squared half-widths have the true variance as their mean."""
    samples = [sampled((*"abc", *rest)) for rest in combinations("defgh", 3)]
    compared = [compare_evidence(sample, "HT(P@4)", draws=0) for sample in samples]
    half = (
        np.array([(part.sample_high - part.sample_low)[0] / 2 for part in compared]) / 1.959963985
    )
    by_topic = [np.subtract(*score(sample, "HT(P@4)").value) for sample in samples]
    # The design draws each topic by itself, so that the variances of topics add up.
    assert (half**2).mean() == pytest.approx(np.var(by_topic, axis=0).sum() / 9)
    middle = [(part.sample_high + part.sample_low)[0] / 2 for part in compared]
    assert middle == pytest.approx([part.difference[0] for part in compared])


def test_documents_never_drawn_change_differences_as_far_as_ranges_say() -> None:
    """Where nothing else is unknown, the range beside the interval is that of the plain measure."""
    evidence = sampled(tuple(DOCUMENTS))
    comparisons = compare_evidence(evidence, "HT(P@4)", draws=0)
    _, low, high = judgment_ranges(evidence, "P@4", comparisons.pairs).means()
    assert comparisons.sample_low == pytest.approx(comparisons.difference)
    assert comparisons.never_drawn_low + comparisons.difference == pytest.approx(low)
    assert comparisons.never_drawn_high + comparisons.difference == pytest.approx(high)


def test_a_pair_says_what_many_pairs_say() -> None:
    """One comparison has the numbers of its row, turned round where the other run is ahead."""
    comparisons = compare_evidence(sampled(tuple("abcdfg")), "HT(P@4)", draws=0)
    (pair,) = comparisons
    assert pair.sample_low == comparisons.sample_low[0]
    assert set(comparisons.main_columns()) <= set(COLUMNS)
    assert "sample_low" in comparisons.main_columns()
    assert any(text.startswith("Over samples of documents: 95%") for text in pair.sentences())
    if pair.difference < 0:
        pair, other = pair.better_first(), pair
        assert (pair.sample_low, pair.sample_high) == (-other.sample_high, -other.sample_low)
    assert "no grades were drawn" in " ".join(compared_sentences(sampled(tuple("abcdfg")))).lower()


def compared_sentences(evidence: Evidence) -> tuple[str, ...]:
    """Return what a comparison with draws says."""
    return compare_evidence(evidence, "HT(P@4)", draws=5).sentences()


def test_plain_measures_have_no_interval_over_samples() -> None:
    """A measure that estimates nothing is scored as ever, on sampled judgments, too."""
    comparisons = compare_evidence(sampled(tuple("abcdfg")), "P@4", draws=5)
    assert np.isnan(comparisons.sample_low).all()
    assert "sample_low" not in comparisons.main_columns()
    assert comparisons.draws == 5


def test_scores_have_two_intervals_apart() -> None:
    """Means have an interval over topics and one over samples, which is 0 wide at a census."""
    table = score(sampled(tuple("abcdfg")), "HT(P@4)")
    low, high = table.sample_interval()
    assert ((low < table.means()) & (table.means() < high)).all()
    census = score(sampled(tuple(DOCUMENTS)), "HT(P@4)")
    assert census.sample_interval()[0] == pytest.approx(census.means())
    columns = table.columns()
    assert len(columns["sample_low"]) == len(columns["value"])
    assert np.isnan(columns["sample_low"][:-2]).all()
    assert columns["sample_low"][-2:] == pytest.approx(low.tolist())
    assert "95% over samples" in str(table)
    assert "never drawn could add" in str(table)
    assert np.isnan(score(sampled(tuple("abcdfg")), "P@4").sample_interval()[0]).all()


def test_measures_of_both_kinds_stand_in_one_table() -> None:
    """Plain scores have empty cells where estimates have an interval over samples."""
    judgments = Judgments.from_dict({"1": {"a": 1, "b": -1, "c": 0, "d": 1}})
    strata = judgments.with_sampling(stratum=[1, 2, 2, 2])
    columns = evaluate(strata, RUNS, ["P@2", "HT(P@2)"]).columns(per_topic=False)
    assert np.isnan(columns["sample_low"][:2]).all()
    assert not np.isnan(columns["sample_low"][2:]).any()
    (comparisons,) = compare(strata, RUNS, "statAP", draws=0)
    assert comparisons.n.tolist() == [1]


def test_a_system_or_topic_alone_keeps_its_error() -> None:
    """Selecting systems and topics selects their variances."""
    table = score(sampled(tuple("abcdfg")), "HT(P@4)")
    assert table.sampling is not None
    part = table.select(["two"], ["3", "1"])
    assert part.sampling is not None
    assert np.array_equal(part.sampling.variance, table.sampling.variance[[1]][:, [2, 0]])
    assert np.array_equal(part.sampling.of_intervals, table.sampling.of_intervals[[1]][:, [2, 0]])


@pytest.mark.parametrize("name", ["statAP", "xinfAP", "infNDCG", "iP@3", "iNumRelRet"])
def test_ratios_have_no_interval_over_samples(name: str) -> None:
    """Where none was seen to hold, none is printed, and the reason and a way out are said."""
    evidence = sampled(tuple("abcdfg"))
    table = score(evidence, name)
    assert np.isnan(table.sample_interval()[0]).all()
    assert "over samples" not in str(table).split("There is no interval")[0]
    assert any("HT(M)" in text for text in table.sentences())
    compared = compare_evidence(evidence, name, draws=0)
    assert np.isnan(compared.sample_low).all()
    assert table.sampling is not None
    assert not np.isnan(table.sampling.variance).any()


def test_a_lone_document_of_a_stratum_leaves_the_interval_of_a_difference() -> None:
    """Where a topic has no variance by the design, shared gains stand in for it."""
    comparisons = compare_evidence(sampled(tuple("abcd")), "HT(P@4)", draws=0)
    assert comparisons.sample_low[0] < comparisons.difference[0] < comparisons.sample_high[0]


def test_a_difference_of_which_nothing_relevant_was_drawn_is_not_certain() -> None:
    """Documents that were not drawn could be relevant, so that the interval has a width."""
    nothing = Judgments.from_dict({"1": {d: 0 if d in "abe" else -1 for d in DOCUMENTS}})
    evidence = align(nothing.with_grades([0, 1]).with_sampling(stratum=["1"] * 8), RUNS)
    comparisons = compare_evidence(evidence, "HT(P@4)", draws=0)
    assert comparisons.sample_low[0] < 0 < comparisons.sample_high[0]
