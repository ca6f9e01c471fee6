"""What a gate says: pass, fail, undecided, and what it rests on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings.gating._gate import Gate, gate_evidence
from poolwise.findings.gating._measure_gate import GateRules

RANKS = 4


def evidence_of(
    grades: Sequence[tuple[Sequence[int | None], Sequence[int | None]]],
) -> pw.Evidence:
    """Return a baseline and a candidate, topic by topic; None is unjudged, and shared by none."""
    judged: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"old": {}, "new": {}}
    for t, pair in enumerate(grades):
        judged[str(t)] = {"pool": 1}
        for name, ranked in zip(runs, pair, strict=True):
            ids = [f"{name}{rank}" for rank in range(len(ranked))]
            runs[name][str(t)] = ids
            judged[str(t)] |= {d: g for d, g in zip(ids, ranked, strict=True) if g is not None}
    return pw.align(pw.Judgments.from_dict(judged), pw.Runs.from_rankings(runs))


def gains(*relevant: tuple[int, int]) -> pw.Evidence:
    """Return evidence with so many relevant documents in the first four of old and of new."""
    return evidence_of(
        [([1] * a + [0] * (RANKS - a), [1] * b + [0] * (RANKS - b)) for a, b in relevant]
    )


def gate(evidence: pw.Evidence, margin: float = 0.1, **rules: object) -> Gate:
    """Gate by P@4."""
    return gate_evidence(evidence, ["P@4"], margin=margin, rules=GateRules(**rules))  # type: ignore[arg-type] # named one by one


BETTER = gains(*[(1, 2), (2, 3), (2, 2), (0, 1), (1, 2), (3, 4)] * 3)
WORSE = gains(*[(2, 1), (3, 2), (2, 1), (3, 1), (2, 1), (4, 3)] * 3)
MIXED = gains((4, 0), (0, 4), (2, 2), (1, 3), (3, 1), (2, 1))
SAME = gains((4, 4), (2, 2), (0, 0))


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [(BETTER, "pass"), (WORSE, "fail"), (MIXED, "undecided"), (SAME, "pass")],
)
def test_the_limits_decide(evidence: pw.Evidence, verdict: str) -> None:
    """Better passes, worse fails, and what cannot be told is neither."""
    gated = gate(evidence)
    (part,) = gated.measures
    assert gated.verdict == part.verdict == verdict
    assert gated.passed is (verdict == "pass")
    assert gated.line.startswith(f"{verdict.capitalize()}: ")


def test_a_failure_is_told_apart_from_a_loss_within_the_margin() -> None:
    """The same runs pass if as much may be lost."""
    assert gate(WORSE, margin=0.25).verdict == "fail"
    assert gate(WORSE, margin=0.4).verdict == "pass"


def test_unchanged_scores_pass_and_say_so() -> None:
    """With a margin of 0, and on one topic; a strict gate does not take that for a pass."""
    for evidence in (SAME, gains((2, 2))):
        gated = gate(evidence, margin=0.0)
        assert gated.verdict == "pass"
        assert "no score of new has changed in P@4" in gated.line
        assert "pass (unchanged)" in str(gated)
        strict = gate(evidence, margin=0.0, strict=True)
        assert strict.verdict == "undecided"
        assert any("no score has changed" in said for said in strict.sentences())


def test_one_topic_decides_nothing() -> None:
    """However large its difference is."""
    for pair in ((0, 4), (4, 0)):
        gated = gate(gains(pair))
        assert gated.verdict == "undecided"
        assert "one topic alone says nothing of others" in " ".join(gated.sentences())


def test_a_topic_that_loses_too_much_is_named() -> None:
    """It fails a candidate that is better on average; a loss of just so much does not."""
    evidence = gains(*[(1, 2)] * 20, (4, 2))
    assert gate(evidence, max_topic_loss=0.5).verdict == "pass"
    gated = gate(evidence, max_topic_loss=0.4)
    assert gated.verdict == "fail"
    assert "In P@4, topics that lose more than 0.4: 20 (−0.5000)." in gated.sentences()


def test_too_few_judged_documents_are_no_pass() -> None:
    """They are no failure either: judging decides."""
    evidence = evidence_of([([0, 0, 0, 0], [1, 1, 1, None])] * 12)
    assert gate(evidence, min_judged=0.75).verdict == "pass"
    gated = gate(evidence, min_judged=0.8)
    assert gated.verdict == "undecided"
    said = "In P@4, 75.0% of the documents down to rank 4 are judged, and 80.0% must be."
    assert said in gated.sentences()


def test_a_pass_that_judgments_could_undo_says_so_and_a_strict_gate_refuses_it() -> None:
    """The unjudged documents of the baseline may be relevant."""
    evidence = evidence_of([([0, 0, None, None], [1, 0, 0, 0])] * 9 + [([0] * 4, [1, 1, 0, 0])])
    gated = gate(evidence)
    assert gated.verdict == "pass"
    assert gated.measures[0].bounds[0] < -0.1
    assert "they could make it a loss beyond the margin" in " ".join(gated.sentences())
    strict = gate(evidence, strict=True)
    assert strict.verdict == "undecided"
    assert "could undo a pass" in " ".join(strict.sentences())


def test_a_strict_gate_passes_where_no_grade_could_undo_it() -> None:
    """Every corner of the grades has a p value below alpha."""
    evidence = evidence_of([([0, 0, 0, 0], [1, 1, 1, None]), ([0] * 4, [1, 1, 0, None])] * 8)
    assert gate(evidence, strict=True).verdict == "pass"


def random_lists(rng: np.random.Generator) -> tuple[dict[str, dict[str, int]], pw.Runs]:
    """Return rankings of shared documents, the candidate the better one, and complete grades."""
    documents = [f"d{i}" for i in range(8)]
    graded, old, new = {}, {}, {}
    for topic in map(str, range(12)):
        grades = dict(zip(documents, rng.integers(0, 3, 8).tolist(), strict=True)) | {"d0": 1}
        best = sorted(documents, key=lambda d: -grades[d])
        graded[topic], new[topic] = grades, best[:4]
        old[topic] = rng.permutation(documents)[:4].tolist()
    return graded, pw.Runs.from_rankings({"old": old, "new": new})


def test_whatever_the_grades_are_a_strict_pass_stays_a_pass() -> None:
    """Random grades of the unjudged documents, shared by both runs, never undo it."""
    rng, rules, passes = np.random.default_rng(5), GateRules(strict=True), 0
    for _ in range(12):
        graded, runs = random_lists(rng)
        hidden = {t: [d for d in g if d != "d0" and rng.random() < 0.08] for t, g in graded.items()}
        shown = {t: {d: x for d, x in g.items() if d not in hidden[t]} for t, g in graded.items()}
        measures, margin = ["nDCG@4", "P@4"], 0.02
        judged = pw.Judgments.from_dict(shown)
        if gate_evidence(pw.align(judged, runs), measures, margin=margin, rules=rules).passed:
            passes += 1
            for _ in range(6):
                drawn = {
                    t: g | {d: int(rng.choice([0, 2])) for d in hidden[t]} for t, g in shown.items()
                }
                complete = pw.align(pw.Judgments.from_dict(drawn), runs)
                assert gate_evidence(complete, measures, margin=margin).passed
    assert passes >= 3


def test_a_larger_margin_never_makes_it_harder() -> None:
    """From fail to undecided to pass, and never back."""
    order, rng = ["fail", "undecided", "pass"], np.random.default_rng(2)
    for _ in range(20):
        evidence = gains(*[tuple(rng.integers(0, 5, 2).tolist()) for _ in range(10)])
        verdicts = [
            order.index(gate(evidence, margin=m).verdict) for m in (0.0, 0.05, 0.2, 0.5, 1.0)
        ]
        assert verdicts == sorted(verdicts)


def test_a_measure_without_a_range_is_no_strict_pass() -> None:
    """What is not known is not held for harmless."""
    rules = GateRules(strict=True)
    gated = gate_evidence(BETTER, ["Bpref"], margin=0.2, rules=rules)
    assert gated.verdict == "undecided"
    assert "a strict gate needs a range" in " ".join(gated.sentences())


def test_a_failure_that_judgments_could_undo_says_so() -> None:
    """An unjudged document is not called a loss in silence."""
    grades = [([1, 1, 0, 0], [None, None, None, 0])] * 12
    gated = gate(evidence_of(grades))
    assert gated.verdict == "fail"
    assert "judging them could bring it back within the margin" in " ".join(gated.sentences())


def test_several_measures_must_all_pass_and_one_is_enough_to_fail() -> None:
    """A pass is uncorrected, a failure corrected after Holm."""
    passing = gate_evidence(BETTER, ["P@4", "P@2"], margin=0.1)
    assert passing.verdict == "pass"
    assert "in any of 2 measures: P@4, P@2." in passing.line
    failing = gate_evidence(WORSE, ["P@4", "P@1"], margin=[0.1, 1.0])
    assert failing.verdict == "fail"
    assert failing.line == "Fail: new fails in 1 of 2 measures: P@4."


def test_failures_are_corrected_for_the_number_of_measures() -> None:
    """What would fail alone may be undecided beside others, and says so."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        pairs = [tuple(rng.integers(0, 5, 2).tolist()) for _ in range(12)]
        evidence = gains(*pairs)
        alone = gate(evidence, margin=0.0)
        if 0.03 < alone.measures[0].p_fail < 0.05:
            break
    both = gate_evidence(evidence, ["P@4", "Success@4"], margin=0.0)
    assert alone.verdict == "fail"
    assert both.measures[0].p_fail == pytest.approx(2 * alone.measures[0].p_fail)
    assert both.verdict == "undecided"
    assert "In P@4 alone this would be a failure" in " ".join(both.sentences())


def test_an_undecided_gate_can_count_as_either() -> None:
    """The verdict stays what it is."""
    for policy in ("pass", "fail"):
        gated = gate(MIXED, undecided=policy)
        assert (gated.verdict, gated.outcome) == ("undecided", policy)
        assert f"It counts as a {policy}: " in " ".join(gated.sentences())


def test_a_pass_says_what_it_cannot_see_and_only_a_pass() -> None:
    """18 topics may miss 15.3% of hurt ones."""
    said = "up to 15.3% of all topics could be hurt without one of them being among these 18 topics"
    assert said in " ".join(gate(BETTER).sentences())
    assert "rare losses" not in " ".join(gate(WORSE).sentences())


def test_an_undecided_gate_says_how_many_topics_would_decide() -> None:
    """As the power analysis of a one-sided test says, and more than there are."""
    gated = gate(MIXED)
    (part,) = gated.measures
    effect = abs(part.difference + part.margin) / part.deltas.std(ddof=1)
    needed = pw.findings.topics_needed(effect, power=0.8, alternative="one-sided")
    assert part.topics_to_decide == np.ceil(needed)
    assert f"about {part.topics_to_decide:,.0f} topics would decide in 8 of 10 cases" in " ".join(
        gated.sentences()
    )


def test_a_gate_without_a_score_is_wrong_input() -> None:
    """Nothing relevant is known, so that nothing can be told."""
    judged = pw.Judgments.from_dict({"1": {"a": 0}})
    runs = pw.Runs.from_rankings({"old": {"1": ["a"]}, "new": {"1": ["a", "b"]}})
    with pytest.raises(pw.InputError, match="none has one in nDCG@10"):
        gate_evidence(pw.align(judged, runs), ["nDCG@10"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -0.1}, "margin: a loss is a finite number"),
        ({"margin": float("nan")}, "margin: a loss is a finite number"),
        ({"margin": [0.1, 0.2]}, "one for all measures or one for each"),
        ({"alpha": 1.5}, "alpha: a significance level"),
        ({"max_topic_loss": -1}, "max_topic_loss: a loss is"),
        ({"min_judged": 80}, "min_judged: must be between 0 and 1"),
        ({"undecided": "maybe"}, "undecided: 'maybe' is not known"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, float], message: str) -> None:
    """Each with a hint."""
    with pytest.raises(pw.OptionError, match=message):
        gate(BETTER, **options)  # type: ignore[arg-type] # wrong on purpose


def test_what_a_gate_says_over_judgments_is_a_claim() -> None:
    """A pass that unjudged documents leave open says for which margin they do, as data."""
    topics = [str(t) for t in range(8)]
    new = {t: ["x", "y", "u"] if t == "0" else ["x", "y", "n"] for t in topics}
    old = {t: ["x", "n", "v"] if t == "0" else ["x", "n", "y"] for t in topics}
    judged = pw.Judgments.from_dict({t: {"x": 1, "y": int(t > "1"), "n": 0} for t in topics})
    evidence = pw.align(judged, pw.Runs.from_rankings({"old": old, "new": new}))
    gated = gate_evidence(evidence, ["P@3"], margin=0.1)
    (part,) = gated.measures
    assert part.is_open
    (margin,) = (c for c in gated.claims() if c.relation == "behind by at most")
    assert (margin.subject, margin.object, margin.high) == ("new", "old", 0.1)
    for grades in ({"u": 1.0, "v": 0.0}, {"u": 0.0, "v": 1.0}, {"u": 0.0, "v": 0.0}):
        completed = judged.to_dict()
        completed["0"] = {**completed["0"], **grades}
        means = part.ranges.grounds.means(
            pw.Judgments.from_dict(completed), pw.Runs.from_rankings({"old": old, "new": new})
        )
        lead = float(means[1] - means[0])
        assert margin.holds_for(means) == (lead >= -0.1)
        assert margin.holds_for(means)
    assert any(said.startswith("Over judgments: new is ") for said in gated.sentences())
    assert gated.columns()["over_judgments"] == [str(part.ranges.verdict[0])]


@pytest.mark.parametrize(
    ("bounds", "turns"),
    [((-0.05, 0.3), False), ((-0.3, 0.3), True), ((-0.3, -0.2), False), ((-0.3, -0.1), True)],
)
def test_judgments_could_turn_a_gate_whose_range_holds_its_margin(
    bounds: tuple[float, float],
    turns: bool,  # noqa: FBT001 -- drawn
) -> None:
    """The margin of 0.1 is a loss: a range from a smaller one to a gain turns nothing."""
    (part,) = gate(gains((1, 2), (2, 2), (2, 1), (1, 1))).measures
    assert part.verdict == "undecided"
    assert replace(part, bounds=bounds).could_turn is turns
