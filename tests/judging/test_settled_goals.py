"""A goal is called reached only if no grading of the remaining documents says otherwise."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.findings.test_claims import collections
from tests.laws import heavy
from tests.oracles.plain_scorer import MEASURES, Collection, is_true

import poolwise as pw
from poolwise.judging import JudgingList
from poolwise.measures._names import parse_measure

GOALS = ("pair:a,b", "pair:b,a", "run:a", "top:1", "leaders")
METHODS = (None, "depth", "thompson")


def known(judged: Collection) -> pw.Judgments:
    """Return the judgments of a collection with its scale."""
    return pw.Judgments.from_dict(judged.qrels).with_grades(judged.grades)


def judged_to_the_stop(
    collection: Collection, goal: str, measure: str, method: str | None, seed: int
) -> Iterator[tuple[Collection, JudgingList]]:
    """Go through the lists: judge each, with grades by chance, until nothing is listed."""
    chance, runs = random.Random(seed), pw.Runs.from_rankings(collection.runs)  # noqa: S311 -- no secret
    qrels = {topic: dict(grades) for topic, grades in collection.qrels.items()}
    for topic in runs.topics:
        qrels.setdefault(topic, {})
    while True:
        known_so_far = {topic: dict(grades) for topic, grades in qrels.items()}
        judged = Collection(collection.runs, known_so_far, collection.grades)
        listed = pw.next(known(judged), runs, goal, measure=measure, method=method, batch=2)
        yield judged, listed
        if not len(listed):
            return
        for topic, document in zip(listed.topic, listed.document, strict=True):
            qrels[topic][document] = chance.choice(collection.grades)


def parts(listed: JudgingList) -> Iterator[dict[str, object]]:
    """Go through what is claimed at a stop, as plain values."""
    for claim in listed.claims():
        yield from claim.to_dict()["parts"]


@settings(max_examples=heavy(900), deadline=None)
@given(
    found=collections(most_open=5),
    goal=st.sampled_from(GOALS),
    measure=st.sampled_from(sorted(MEASURES)),
    method=st.sampled_from(METHODS),
    seed=st.integers(0, 9),
)
def test_no_grading_refutes_what_is_said_at_a_stop(
    found: Collection, goal: str, measure: str, method: str | None, seed: int
) -> None:
    """Judged to its stop by any order, what a goal claims then holds under every grading."""
    *_, (judged, listed) = judged_to_the_stop(found, goal, measure, method, seed)
    claims = list(parts(listed))
    for completion in judged.completions(parse_measure(measure).depth):
        means = completion.means(measure)
        assert all(is_true(claim, means) for claim in claims), (listed.sentences(), means)


def listed(
    qrels: dict[str, dict[str, int]],
    runs: dict[str, dict[str, list[str]]],
    goal: str,
    **how: object,
) -> JudgingList:
    """List what to judge in a small collection."""
    return pw.next(pw.Judgments.from_dict(qrels), pw.Runs.from_rankings(runs), goal, **how)


def test_level_runs_are_not_settled_by_what_can_only_help_one() -> None:
    """Where every open document can only help the other run, there is something to judge."""
    runs = {"A": {"1": ["x", "n"]}, "B": {"1": ["x", "u"]}}
    to_judge = listed({"1": {"x": 1, "n": 0}}, runs, "pair:A,B", measure="P@2")
    assert to_judge.document == ("u",)
    assert not to_judge.claims()


def test_before_the_first_grade_no_run_is_called_the_leader() -> None:
    """Two runs without a judged document are level, and either may lead."""
    to_judge = listed(
        {"1": {}}, {"A": {"1": ["x"]}, "B": {"1": ["y", "x"]}}, "leaders", measure="P@2"
    )
    assert "y" in to_judge.document
    assert not to_judge.claims()


def test_while_undefined_the_run_named_first_has_no_side() -> None:
    """Where no score is defined yet, documents are listed, and only what can be so is claimed."""
    runs = {"r1": {"1": ["d1", "d2", "d0"]}, "r2": {"1": ["d2"]}}
    to_judge = listed({"1": {"d2": 0}}, runs, "pair:r2,r1", measure="AP@3")
    assert len(to_judge)
    assert [(c.relation, c.subject) for c in to_judge.claims()] == [("not behind", "r1")]


def test_grades_that_can_occur_are_declared() -> None:
    """With grade 2 on the scale, an unjudged document can put the other run ahead."""
    qrels, runs = {"1": {"a": 1, "b": 0}}, {"A": {"1": ["a", "b"]}, "B": {"1": ["b", "u"]}}
    assert listed(qrels, runs, "pair:A,B", measure="nDCG@2").claims()
    to_judge = pw.next(
        qrels, pw.Runs.from_rankings(runs), "pair:A,B", measure="nDCG@2", grades=[0, 1, 2]
    )
    assert to_judge.document == ("u",)


def test_what_rests_on_missing_topics_is_not_settled() -> None:
    """No judgment settles an order that rests on topics which a run lacks, and that is said."""
    runs = {"A": {"1": ["x"], "2": ["y"]}, "B": {"1": ["x"]}}
    to_judge = listed({"1": {"x": 1}, "2": {"y": 1}}, runs, "pair:A,B", measure="P@1")
    assert not len(to_judge)
    assert not to_judge.claims()
    assert to_judge.sentences()[0].startswith("No judgment settles pair:A,B: B lacks 1 of 2 topics")


def test_on_common_topics_the_claim_is_about_these() -> None:
    """With the common topics alone, the claim names them and agrees with what compare says."""
    runs = {"A": {"1": ["x"], "2": ["y"]}, "B": {"1": ["z"]}}
    qrels = {"1": {"x": 0, "z": 1}, "2": {"y": 1}}
    to_judge = listed(qrels, runs, "pair:A,B", measure="P@1", topics="common")
    (claim,) = to_judge.claims()[0].parts
    assert (claim.relation, claim.subject, claim.grounds.topics) == ("ahead", "B", ("1",))


@pytest.mark.parametrize("universe", ["run", "runs"])
def test_documents_of_other_runs_count_where_they_are_asked_for(universe: str) -> None:
    """Over the documents of all runs an order may be open that those of the two leave settled."""
    runs = {"A": {"1": ["a", "b"]}, "B": {"1": ["b", "a"]}, "C": {"1": ["u", "v"]}}
    judged = pw.Judgments.from_dict({"1": {"a": 1, "b": 0}})
    to_judge = pw.next(
        judged, pw.Runs.from_rankings(runs), "pair:A,B", measure="RR@2", universe=universe
    )
    assert [claim.to_dict()["relation"] for claim in to_judge.claims()] == ["nothing to judge"]
    assert to_judge.claims()[0].grounds.universe.kind == universe


def test_about_as_many_judgments_settle_a_goal_as_is_said() -> None:
    """Judged in the order of the goal, with the true grades, until nothing is open any more."""
    said = spent = 0
    for seed in range(2):
        made = pw.simulate(systems=8, topics=20, depth=20, rng=seed)
        truth, qrels = made.truth.to_dict(), pw.pool(made.truth, made.runs, depth=3).to_dict()
        how = {"measure": "nDCG@10", "depth": 10}
        evidence = pw.align(pw.Judgments.from_dict(qrels).with_grades(range(4)), made.runs)
        said += pw.judging.goal_outlook(evidence, "top:1", **how).judgments
        while (asked := pw.judging.next_of_evidence(evidence, "top:1", budget=20, **how)).topic:
            for topic, document in zip(asked.topic, asked.document, strict=True):
                qrels[topic][document] = truth[topic].get(document, 0)
            spent += len(asked)
            evidence = pw.align(pw.Judgments.from_dict(qrels).with_grades(range(4)), made.runs)
    assert 0.6 < said / spent < 1.5
