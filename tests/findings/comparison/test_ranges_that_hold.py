"""Cases in which a range, or a verdict, once said more than it knew."""

import numpy as np
import pytest

import poolwise as pw
from poolwise import Evidence, Judgments, Runs, align
from poolwise.evidence._ungraded import Universe
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.findings.comparison._differences import difference_bounds


def collection(
    runs: dict[str, dict[str, list[str]]], qrels: dict[str, dict[str, float]], **options: object
) -> Evidence:
    return align(Judgments.from_dict(qrels), Runs.from_rankings(runs), **options)


def test_documents_of_other_runs_raise_the_ideal() -> None:
    """A document that only another run retrieved lowers the lower bound of recall-based scores."""
    evidence = collection({"a": {"1": ["x"]}, "b": {"1": ["u"]}}, {"1": {"x": 1}})
    assert [end[0].item() for end in pw.AP.bounds(evidence)] == [0.5, 1]
    assert [end[0].item() for end in pw.AP.bounds(evidence, universe=Universe("run"))] == [1, 1]
    assert [end[0].item() for end in pw.AP.bounds(evidence, universe=Universe("corpus"))] == [0, 1]


def test_a_document_below_the_cutoff_of_the_run_can_be_in_the_universe() -> None:
    """What another run has above the cut-off is outside the run, even if it has it deeper."""
    evidence = collection(
        {"a": {"1": ["x", "n", "u"]}, "b": {"1": ["u", "m"]}}, {"1": {"x": 1, "n": 0, "m": 0}}
    )
    assert [end[0].item() for end in (pw.AP @ 2).bounds(evidence)] == [0.5, 1]


def test_a_third_run_can_undo_the_order_of_two() -> None:
    """By Rprec a is ahead of b; a relevant document of c alone moves the cut and reverses it."""
    runs = {"a": {"1": ["x", "n"]}, "b": {"1": ["m", "y"]}, "c": {"1": ["u"]}}
    qrels = {"1": {"x": 1, "n": 0, "m": 0, "y": 0}}
    pair = difference_bounds(collection(runs, qrels), "AP", "a", "b")
    alone = difference_bounds(collection(runs, qrels), "AP", "a", "b", universe="run")
    assert (alone.lower.item(), alone.upper.item()) == (1, 1)
    assert (pair.lower.item(), pair.upper.item()) == (0.5, 1)


def test_a_topic_without_a_relevant_document_may_enter_the_mean() -> None:
    """Judging u relevant takes the lead from a, so that it is not certain now."""
    runs = {"a": {"1": ["x", "y"], "2": ["p", "q"]}, "b": {"1": ["y", "x"], "2": ["u", "p"]}}
    qrels = {"1": {"x": 1, "y": 0}, "2": {"p": 0, "q": 0}}
    ranges = difference_bounds(collection(runs, qrels), "nDCG@2", "a", "b")
    truth = pw.score(collection(runs, {**qrels, "2": {"p": 0, "q": 0, "u": 1}}), "nDCG@2").means()
    value, low, high = (mean.item() for mean in ranges.means())
    assert (round(value, 3), round(truth[0] - truth[1], 3)) == (0.369, -0.315)
    assert low <= truth[0] - truth[1] <= high
    assert ranges.verdict.tolist() == ["open"]
    table = pw.score(collection(runs, qrels), "nDCG@2")
    lower, upper = table.mean_bounds()
    assert (lower <= truth).all()
    assert (truth <= upper).all()
    assert any("could enter the means" in caveat for caveat in table.caveats())


def test_no_p_range_where_a_topic_may_enter() -> None:
    """With one more topic the t test would be another one."""
    runs = {
        s: {t: [f"{s}{t}", "x"] if s == "a" else ["n", f"b{t}"] for t in "123"} for s in ("a", "b")
    }
    qrels = {"1": {"x": 1}, "2": {"x": 1, "n": 0}, "3": {"x": 0}}
    comparisons = pw.compare_evidence(collection(runs, qrels), "AP", draws=0)
    assert np.isnan(comparisons.p_low).all()
    runs_2 = {s: {t: lists[t] for t in "12"} for s, lists in runs.items()}
    judged = collection(runs_2, {t: qrels[t] for t in "12"})
    assert not np.isnan(pw.compare_evidence(judged, "AP", draws=0).p_low).any()


def test_a_declared_grade_that_nobody_gave_yet() -> None:
    """Qrels {a: 1, b: 0}, run a u: with grade 2 declared, nDCG@2 can be .80 (B23 table 1)."""
    judgments = Judgments.from_dict({"1": {"a": 1, "b": 0}})
    runs = Runs.from_rankings({"r": {"1": ["a", "u"]}})
    seen, declared = (
        pw.score(align(j, runs), "nDCG(dcg='exp-log2')@2")
        for j in (judgments, judgments.with_grades([0, 1, 2]))
    )
    truth = align(Judgments.from_dict({"1": {"a": 1, "b": 0, "u": 2}}), runs)
    score = pw.score(truth, "nDCG(dcg='exp-log2')@2").value.item()
    assert round(score, 3) == 0.797
    assert seen.lower.item() == seen.upper.item() == 1
    assert declared.lower.item() <= score <= declared.upper.item()


@pytest.mark.parametrize("grades", [[], [-1, 0], [0], [0, float("inf")]])
def test_a_scale_has_a_grade_above_0(grades: list[float]) -> None:
    """A declared scale is finite, and holds 0 and a grade above it."""
    with pytest.raises(pw.OptionError, match=r"grades: must be finite.*Hint"):
        Judgments.from_dict({"1": {"a": 1}}).with_grades(grades)


def test_a_grade_outside_the_declared_scale_is_named_with_its_place() -> None:
    """The error says which document of which topic has it, and what was declared."""
    with pytest.raises(pw.InputError, match=r"topic 2, document b.*0, 1, 2.*got 3|3"):
        Judgments.from_dict({"1": {"a": 1}, "2": {"b": 3}}).with_grades([0, 1, 2])


def test_an_order_that_rests_on_missing_topics_is_not_certain() -> None:
    """A run that lacks a topic scores 0 there by convention, which is no judgment."""
    topics = [str(t) for t in range(12)]
    good = {t: ["x", "y"] for t in topics}
    runs = {"whole": {t: ["y", "x"] for t in topics}, "part": {t: good[t] for t in topics[:6]}}
    qrels: dict[str, dict[str, float]] = {t: {"x": 1, "y": 0} for t in topics}
    comparisons = pw.compare_evidence(collection(runs, qrels), "nDCG@2", draws=0)
    assert comparisons.verdict.tolist() == ["rests on missing topics"]
    assert comparisons.rests_on.tolist() == [
        (
            "part lacks 6 of 12 topics, and the order rests on these; on the 6 common topics part "
            "is ahead by 0.3691"
        )
    ]
    assert comparisons.state.tolist() == ["rests on missing topics"]
    assert (comparisons.answered_a.tolist(), comparisons.answered_b.tolist()) == ([12], [6])
    verdicts = PairVerdicts.of(comparisons)
    assert verdicts.counts()["holds"] == 0
    assert any("part lacks 6 of 12 topics" in said for said in verdicts.sentences())
    common = collection(runs, qrels, topics="common")
    on_common = pw.compare_evidence(common, "nDCG@2", draws=0)
    assert on_common.verdict.tolist() == ["b certain"]
    assert "6 common topics" in " ".join(on_common[0].sentences())


def test_a_missing_topic_that_cannot_change_the_order_leaves_it_certain() -> None:
    """Where the lead is larger than any score on the missing topic, it stays certain."""
    runs = {"a": {t: ["x"] for t in "123"}, "b": {t: ["y"] for t in "12"}}
    evidence = collection(runs, {t: {"x": 1, "y": 0} for t in "123"})
    assert difference_bounds(evidence, "P@1", "a", "b").verdict.tolist() == ["a certain"]


def test_fully_judged_lists_have_no_range_by_rbp() -> None:
    """The tail past the ends of the lists is no document, and puts nobody ahead."""
    evidence = Evidence.from_grades([[1, 0], [0, 1]])
    ranges = difference_bounds(evidence, "RBP(p=0.8)", "run1", "run2")
    assert ranges.lower.item() == ranges.value.item() == ranges.upper.item()
    assert ranges.verdict.tolist() == ["a certain"]


@pytest.mark.parametrize("name", ["Bpref", "infAP", "IPrec@0.1", "AvgIPrec", "G", "Judged@2"])
def test_a_measure_without_a_range_says_why(name: str) -> None:
    """No range is printed where nothing but 0 to 1 could be said, and the reason is."""
    table = pw.score(Evidence.from_grades([[None, 1]]), name)
    assert np.isnan(table.lower).all()
    assert any(said.startswith("There is no range over judgments") for said in table.sentences())


def test_only_negative_grades_are_no_judgments() -> None:
    """Qrels with negative grades alone leave every document open, on the scale 0, 1."""
    evidence = collection({"a": {"1": ["x", "y"]}}, {"1": {"x": -1, "y": -2}})
    assert evidence.scale.tolist() == [0, 1]
    assert [end.item() for end in (pw.P @ 2).bounds(evidence)] == [0, 1]
    assert [end.item() for end in pw.nDCG.bounds(evidence)] == [pytest.approx(0.631, abs=1e-3), 1]
    assert np.isnan(pw.nDCG.score(evidence)).all()


def test_judged_at_k_does_not_depend_on_other_runs() -> None:
    """The share judged of a run is over its own lists, whatever the others lack."""
    qrels: dict[str, dict[str, float]] = {"1": {"x": 1}, "2": {"x": 1}}
    alone = {"a": {"1": ["x"], "2": ["u", "x"]}}
    together = alone | {"b": {"1": ["x"]}}
    judged = [
        pw.evaluate(Judgments.from_dict(qrels), Runs.from_rankings(runs), ["Judged@10", "P@1"])
        for runs in (alone, together)
    ]
    of_a = [evaluation["Judged@10"].summary().mean[0] for evaluation in judged]
    assert of_a[0] == of_a[1] == 0.75
    beside = [evaluation.beside[0].summary().mean[0] for evaluation in judged]
    assert beside[0] == beside[1] == 0.75
