"""Comparisons say how sure they are over topics, and how sure over judgments."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy

from poolwise import (
    Evidence,
    Judgments,
    Runs,
    ScoreTable,
    align,
    compare_evidence,
    compare_scores,
    read_judgments,
    read_runs,
    score,
    simulate,
)
from poolwise.errors import OptionError
from poolwise.findings.comparison import _over_judgments

TOPICS = ("1", "2", "3")
KNOWN = {"a": 1, "b": 0, "c": 1}
Lists = dict[str, list[str]]


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[Lists, Lists]:
    """Return two runs over three topics; x and y are judged nowhere."""
    ranking = st.permutations(["a", "b", "c", "x", "y"]).map(lambda p: p[:3])
    first = {topic: draw(ranking) for topic in TOPICS}
    second = {topic: draw(ranking) for topic in TOPICS}
    return first, second


def evidence_of(first: Lists, second: Lists, grades: dict[str, dict[str, int]]) -> Evidence:
    return align(
        Judgments.from_dict({topic: KNOWN | grades.get(topic, {}) for topic in TOPICS}),
        Runs.from_rankings({"one": first, "two": second}),
    )


def assignments(first: Lists, second: Lists) -> list[dict[str, dict[str, int]]]:
    """Return every assignment of grades to x and y where a run retrieved them."""
    unjudged = [sorted({"x", "y"} & {*first[topic], *second[topic]}) for topic in TOPICS]
    per_topic = [
        [dict(zip(names, grades, strict=True)) for grades in product((0, 1), repeat=len(names))]
        for names in unjudged
    ]
    return [dict(zip(TOPICS, chosen, strict=True)) for chosen in product(*per_topic)]


@settings(max_examples=heavy(30), deadline=None)
@given(two_runs(), st.sampled_from(["P@3", "nDCG@2", "AP", "RR"]))
def test_no_assignment_of_grades_leaves_the_ranges(runs: tuple[Lists, Lists], measure: str) -> None:
    """Whatever the grades are, difference and p stay in range, and a certain order stays."""
    pair = compare_evidence(evidence_of(*runs, {}), measure, draws=0)[0]
    for grades in assignments(*runs):
        graded = compare_evidence(evidence_of(*runs, grades), measure, draws=0)[0]
        assert pair.bound_low - 1e-9 <= graded.difference <= pair.bound_high + 1e-9
        if not np.isnan(graded.pvalue):
            assert pair.p_low - 1e-9 <= graded.pvalue <= pair.p_high + 1e-9
        if "certain" in pair.verdict:
            assert graded.difference * pair.difference >= -1e-9


@pytest.fixture
def judged() -> Evidence:
    """Return two runs whose every document is judged."""
    rankings = {
        "one": {t: ["a", "c", "b"] if t > "2" else ["a", "b", "c"] for t in "123456"},
        "two": {t: ["b", "a"] if t > "4" else ["c", "b"] for t in "123456"},
    }
    return align(Judgments.from_dict(dict.fromkeys("123456", KNOWN)), Runs.from_rankings(rankings))


def test_full_judgments_leave_nothing_open(judged: Evidence) -> None:
    """Without unjudged documents, ranges close on the difference and on p, and draws agree."""
    comparisons = compare_evidence(judged, "P@2", rng=1, draws=10)
    pair = comparisons[0]
    assert pair.verdict == "a certain"
    assert pair.bound_low == pytest.approx(pair.difference)
    assert pair.bound_high == pytest.approx(pair.difference)
    assert [pair.p_low, pair.p_high] == pytest.approx([pair.pvalue] * 2)
    np.testing.assert_allclose(comparisons.drawn.pvalue, pair.pvalue)
    assert pair.drawn_same_order == 1


def test_over_topics_is_what_the_scores_give(judged: Evidence) -> None:
    """The topics' part is compare_scores on the scores, whatever is known of the judgments."""
    table = score(judged, "AP")
    expected = compare_scores(table, test="sign", correction="none")
    for comparisons in (
        compare_evidence(judged, "AP", test="sign", correction="none", draws=0),
        compare_scores(table, test="sign", correction="none"),
    ):
        np.testing.assert_array_equal(comparisons.p_adjusted, expected.p_adjusted)


def test_scores_alone_say_nothing_about_judgments(judged: Evidence) -> None:
    """A score table has a verdict of unknown, no bounds, and says why."""
    comparisons = compare_scores(score(judged, "AP"))
    assert comparisons.columns()["verdict"] == ["unknown"]
    assert np.isnan(comparisons.columns()["bound_low"]).all()
    assert "scores alone do not say which documents were judged" in str(comparisons)
    assert "not known, since scores alone" in " ".join(comparisons[0].sentences())


def test_a_shared_document_at_the_same_rank_moves_nothing() -> None:
    """Joint draws grade a document alike in both runs, so what they share cancels out."""
    lists = {
        "one": {t: ["x", "a", "y"] for t in TOPICS},
        "two": {t: ["x", "b", "y"] for t in TOPICS},
    }
    grades = {"a": 1, "b": 0, "c": 1, "d": 1}
    evidence = align(Judgments.from_dict(dict.fromkeys(TOPICS, grades)), Runs.from_rankings(lists))
    comparisons = compare_evidence(evidence, "P@3", rng=3, draws=50)
    np.testing.assert_allclose(comparisons.drawn.difference, 1 / 3)
    assert comparisons[0].verdict == "a certain"


def test_a_seed_repeats(judged: Evidence) -> None:
    """The same seed gives the same draws; another gives others."""
    lists = {"one": {t: ["x", "a"] for t in "123456"}, "two": {t: ["y", "b"] for t in "123456"}}
    grades = {key: {"a": 1, "b": 0, "c": 1, "d": 1, "e": 0} for key in "123456"}
    evidence = align(Judgments.from_dict(grades), Runs.from_rankings(lists))
    first, again, other = (compare_evidence(evidence, "P@2", rng=seed).drawn for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.difference, again.difference)
    assert (first.difference != other.difference).any()
    assert compare_evidence(judged, "P@2", draws=0).drawn.draws == 0


def test_the_share_kept_counts_corrected_p_and_direction() -> None:
    """The share of significant draws follows from the drawn p values where there is one pair."""
    lists = {
        "one": {str(t): ["a", f"x{t % 3}"] for t in range(12)},
        "two": {str(t): [f"y{t % 4}", "b" if t % 3 else "a"] for t in range(12)},
    }
    grades = {"a": 1, "b": 0, "c": 1, "d": 1, "e": 0, "f": 0}
    evidence = align(
        Judgments.from_dict({str(t): grades for t in range(12)}), Runs.from_rankings(lists)
    )
    drawn = compare_evidence(evidence, "P@2", rng=5, draws=100).drawn
    kept = (drawn.pvalue < 0.05) & (drawn.difference > 0)
    assert 0 < kept.mean() < 1
    assert drawn.significant == pytest.approx(kept.mean(axis=1))
    assert drawn.p_quantile(0.5)[0] == np.sort(drawn.pvalue[0])[49]


def test_the_better_system_comes_first_in_a_sentence(judged: Evidence) -> None:
    """Whichever way a pair is given, the sentence names the one ahead first."""
    pair = compare_evidence(judged, "P@2", baseline="one", draws=0)[0]
    assert pair.difference < 0
    turned = pair.better_first()
    assert turned.a == "one"
    assert turned.bound_low == -pair.bound_high
    assert turned.wins == pair.losses
    assert pair.sentences()[0].startswith("one is ahead of two by")
    assert turned.better_first() is turned


def test_level_systems_are_called_level() -> None:
    """Identical scores have no p value, and the sentence gives the reason."""
    table = ScoreTable.from_matrix(
        [[0.5, 0.25], [0.5, 0.25]], systems="ab", topics="12", measure="P"
    )
    text = " ".join(compare_scores(table)[0].sentences())
    assert text.startswith("a and b are level in P now; what judging could do is not known")
    assert "Over topics: no p value, since the scores are" in text


def test_one_topic_has_a_range_but_no_p_value() -> None:
    """One topic says nothing over topics; the range over judgments is there all the same."""
    runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "v"]}})
    pair = compare_evidence(
        align(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs), "P@2", draws=0
    )[0]
    assert np.isnan(pair.pvalue)
    assert np.isnan(pair.p_low)
    assert (pair.bound_low, pair.verdict) == (0.0, "a never behind")
    assert "one topic has no spread" in str(pair)


def test_measures_without_bounds_are_compared_over_topics(judged: Evidence) -> None:
    """A measure about what is judged has neither range nor draws, and the reasons are given."""
    comparisons = compare_evidence(judged, "Bpref", rng=1)
    assert comparisons.columns()["verdict"] == ["unknown"]
    assert comparisons.reasons()[-2:] == (
        (
            "The range over judgments is not known, since Bpref has none: it passes over unjudged "
            "documents, so that its value now need not be one that complete judgments could give."
        ),
        "No grades were drawn, since Bpref is about which documents are judged.",
    )


def test_undefined_topics_are_counted() -> None:
    """A topic without a score of every system takes no part, and is counted."""
    table = ScoreTable.from_matrix(
        [[0.5, 0.2, 0.4], [0.1, float("nan"), 0.3]], systems="ab", topics="123", measure="AP"
    )
    assert "1 topic with an undefined score is left out." in compare_scores(table).reasons()


def test_columns_are_those_of_the_command(judged: Evidence) -> None:
    """The columns have fixed names and order; details come after them."""
    names = [
        "measure",
        "a",
        "b",
        "difference",
        "ci_low",
        "ci_high",
        "interval",
        "p",
        "p_adjusted",
        "effect_size",
        "bound_low",
        "bound_high",
        "state",
        "verdict",
        "draws",
        "drawn_ahead",
        "drawn_behind",
        "drawn_significant",
        "draws_calibrated",
        "wins",
        "ties",
        "losses",
        "answered_a",
        "answered_b",
    ]
    comparisons = compare_evidence(judged, "P@2", rng=1, draws=20)
    assert list(comparisons.main_columns()) == names
    details = [
        "n",
        "test",
        "reason",
        "correction",
        "p_low",
        "p_high",
        "bound_kind",
        "p_high_adjusted",
        "rests_on",
        "judged_a",
        "judged_b",
        "drawn_same_order",
        "drawn_p_median",
        "drawn_p_95",
        "sample_low",
        "sample_high",
        "never_drawn_low",
        "never_drawn_high",
        "plausible_low",
        "plausible_high",
        "calibration",
    ]
    assert list(comparisons.columns()) == names + details
    assert comparisons.to_frame()["drawn_significant"].between(0, 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rng": None}, "rng: drawn grades need a seed"),
        ({"rng": 1, "alpha": 5}, "alpha: a significance level is between 0 and 1; got 5"),
        ({"rng": 1, "prior": "hope"}, "prior: 'hope' is not known"),
        ({"rng": 1, "baseline": "none"}, "baseline: 'none' is not known"),
        ({"rng": 1, "draws": -1}, "draws: at least one is needed; got -1"),
    ],
)
def test_wrong_options_are_told(judged: Evidence, options: dict[str, object], message: str) -> None:
    """Each wrong option is named with what it may be."""
    with pytest.raises(OptionError, match=message):
        compare_evidence(judged, "P@2", **options)


def test_runs_pooled_to_depth_100_leave_nothing_open_at_rank_10(data_dir: Path) -> None:
    """TREC-8 judged the top 100 of its pooled runs, so the order of any two by P@10 is certain."""
    rows = [line.split("\t") for line in (data_dir / "trec8/runs.tsv").read_text().splitlines()]
    names = [row[0] for row in rows if row[-1] == "yes"][:6]
    paths = [data_dir / f"trec8/runs/{name}.gz" for name in names]
    evidence = align(read_judgments(data_dir / "trec8/qrels.gz"), read_runs(*paths))
    comparisons = compare_evidence(evidence, "P@10", rng=1, draws=5)
    ahead = np.where(comparisons.difference > 0, "a certain", "b certain")
    assert comparisons.verdict.tolist() == ahead.tolist()
    np.testing.assert_allclose(comparisons.p_low, comparisons.p_high)
    assert (comparisons.drawn_same_order == 1).all()


def test_bounds_do_not_depend_on_how_many_pairs_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are bounded some at a time, which shows in memory alone."""
    made = simulate(systems=7, topics=5, depth=20, rng=2)
    evidence = align(made.judgments, made.runs)
    whole = compare_evidence(evidence, "nDCG@10", draws=0).bounds
    monkeypatch.setattr(_over_judgments, "_CELLS", 20)
    parts = compare_evidence(evidence, "nDCG@10", draws=0).bounds
    assert whole is not None
    assert parts is not None
    assert parts.range.kind == whole.range.kind
    np.testing.assert_array_equal(parts.range.low, whole.range.low)
    np.testing.assert_array_equal(parts.range.high, whole.range.high)
    for name in ("verdict", "p_low", "p_high", "rests_on"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_more_draws_than_memory_holds_are_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pairs × draws would not fit, there are none, and the reason says what to do."""
    monkeypatch.setattr(_over_judgments, "MOST_DRAWN", 20)
    made = simulate(systems=4, topics=6, depth=20, rng=1)
    evidence = align(made.judgments, made.runs)
    comparisons = compare_evidence(evidence, "P@5", draws=10)
    assert any(
        "10 draws of 6 pairs take too much memory; use fewer" in r for r in comparisons.reasons()
    )
    assert compare_evidence(evidence, "P@5", draws=3).draws == 3
