"""How one run stands to the others over judgments: possibly, plausibly, or resting on gaps."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings import RunStanding, standing_of

MADE = pw.simulate(systems=5, topics=12, depth=30, rng=3)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)


def standing(run: str, measure: str = "nDCG@10") -> RunStanding:
    """Return how a run of the simulated collection stands."""
    table = pw.score(EVIDENCE, measure)
    pairs = pw.compare_evidence(EVIDENCE, measure, draws=0)
    return standing_of(run, EVIDENCE, table, pairs, rng=7)


@pytest.mark.parametrize("run", MADE.runs.systems)
def test_an_order_turns_as_often_as_compare_says(run: str) -> None:
    """Where no draw makes runs level, sides change in all draws that do not keep the order."""
    position = standing(run)
    drawn = pw.compare_evidence(EVIDENCE, "nDCG@10", baseline=run, draws=200, rng=7)
    same = dict(zip(drawn.a, drawn.drawn_same_order.tolist(), strict=True))
    assert position.turned.tolist() == pytest.approx([1 - same[other] for other in position.others])
    assert position.plausible.tolist() == (position.possible & (position.turned >= 0.05)).tolist()


def test_what_is_plausible_is_possible() -> None:
    """No draw reverses an order that no grades reverse."""
    for run in MADE.runs.systems:
        position = standing(run, "P@5")
        assert not np.nan_to_num(position.turned)[~position.possible].any()


def test_where_nothing_is_open_nothing_is_drawn() -> None:
    """Without an open order, no share is known, and none is asked for."""
    judged = pw.align(MADE.truth, MADE.runs)
    pairs = pw.compare_evidence(judged, "P@5", draws=0)
    position = standing_of("bm25-1", judged, pw.score(judged, "P@5"), pairs)
    assert (position.draws, position.not_drawn) == (0, "")
    assert np.isnan(position.turned).all()
    assert len(position.sentences()) == 1
    assert position.sentences()[0].startswith("No judging of the unjudged documents could")


def test_a_run_that_lacks_topics_is_not_among_those_that_judging_could_put_above() -> None:
    """Its order rests on the topics that it lacks, which no judging gives it."""
    lists = {
        "whole": {"1": ["a"], "2": ["a"], "3": ["b"]},
        "part": {"1": ["a"]},
        "open": {"1": ["u"], "2": ["v"], "3": ["w"]},
    }
    grades = {topic: {"a": 1, "b": 0} for topic in "123"}
    overview = pw.report(grades, pw.Runs.from_rankings(lists), ["P@1"])["P@1"]
    (leader,) = overview.standings
    assert (leader.run, leader.runs_that_could_turn()) == ("whole", ["open"])
    assert dict(zip(overview.systems, overview.could_lead.tolist(), strict=True)) == {
        "whole": False,
        "part": False,
        "open": True,
    }
    assert leader.what_rests() == (
        (
            "The order of whole and 1 other run rests on topics that a run lacks, so that nothing "
            "is concluded: part."
        ),
    )
    assert not any("part" in said for said in leader.what_judging_does())


def test_what_cannot_be_drawn_is_said_to_be_unknown() -> None:
    """Where every judged document is relevant, nothing is drawn, and the sentence says why."""
    lists = {"a": {"1": ["x", "y"]}, "b": {"1": ["u", "v"]}}
    overview = pw.report({"1": {"x": 1}}, pw.Runs.from_rankings(lists), ["P@2"])["P@2"]
    (said,) = overview.outlook()
    assert "how plausible that is, is not known, since no judged document is non-relevant" in said


def test_runs_that_are_level_may_come_ahead() -> None:
    """Of a run that shares the highest mean, the draws count that put it above."""
    lists = {"a": {"1": ["x", "u"]}, "b": {"1": ["x", "v"]}}
    grades = {"1": {"x": 1, **{f"n{i}": i % 2 for i in range(6)}}}
    evidence = pw.align(pw.Judgments.from_dict(grades), pw.Runs.from_rankings(lists))
    pairs = pw.compare_evidence(evidence, "P@2", draws=0)
    position = standing_of("a", evidence, pw.score(evidence, "P@2"), pairs)
    assert position.leads
    assert 0 < position.turned[0] < 1
    assert "above a" in position.what_judging_does()[0]


def test_calibrated_draws_decide_who_would_probably_lead() -> None:
    """The draws of all pairs are taken, and what they say is as strong as they are calibrated."""
    made = pw.simulate(systems=12, topics=30, depth=20, rng=2)
    evidence = pw.align(made.judgments, made.runs)
    table, pairs = pw.score(evidence, "nDCG@10"), pw.compare_evidence(evidence, "nDCG@10", rng=7)
    for run in made.runs.systems:
        position = standing_of(run, evidence, table, pairs, rng=7)
        alone = pw.compare_evidence(evidence, "nDCG@10", draws=0)
        again = standing_of(run, evidence, table, alone, rng=7)
        assert position.calibrated
        if again.draws:
            assert position.turned.tolist() == again.turned.tolist()
        said = " ".join(position.sentences())
        assert "not calibrated" not in said
        likely = position.leads and (position.turned[position.plausible] >= 0.95).any()
        assert ("another run would probably lead" in said) == likely


def test_draws_that_are_not_calibrated_suggest_and_no_more() -> None:
    """With few runs nothing is calibrated, and the sentence says so."""
    position = next(
        candidate for candidate in map(standing, MADE.runs.systems) if candidate.plausible.any()
    )
    assert not position.calibrated
    assert "(not calibrated)" in position.sentences()[0]
    assert "probably" not in position.sentences()[0]
