"""What is claimed of runs can be asked: it holds under every grading, or is not claimed."""

import json
from dataclasses import replace
from itertools import pairwise, permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.plain_scorer import MEASURES, Collection, is_true

import poolwise as pw
from poolwise.errors import OptionError, PoolwiseError
from poolwise.findings import (
    RELATIONS,
    Claim,
    Grounds,
    all_differences,
    claims_from_json,
    claims_to_json,
    difference_bounds,
    failing_claims,
)
from poolwise.measures._names import parse_measure

DOCUMENTS = "stuvwxyz"


@st.composite
def collections(draw: st.DrawFn, *, most_open: int = 5) -> Collection:
    """Draw uneven lists with shared documents, missing topics, scales with unseen grades."""
    grades = draw(st.sampled_from([(0, 1), (0, 1, 2)]))
    topics = "12"[: draw(st.integers(1, 2))]
    ranking = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=4)
    judged = st.dictionaries(
        st.sampled_from(DOCUMENTS), st.sampled_from([0, 0, 1]), min_size=1, max_size=8
    )
    qrels = {t: draw(judged) for t in topics}
    runs = {
        name: {t: draw(ranking) for t in topics if draw(st.integers(0, 9))}
        for name in "abc"[: draw(st.integers(2, 3))]
    }
    collection = Collection(runs, qrels, grades)
    # What is left open is judged until every grading can be looked at.
    for topic, document in collection.unjudged(None)[most_open:]:
        qrels[topic][document] = 0
    return collection


def aligned(collection: Collection) -> pw.Evidence:
    """Return the evidence of a collection."""
    judgments = pw.Judgments.from_dict(collection.qrels).with_grades(collection.grades)
    return pw.align(judgments, runs_of(collection))


def runs_of(collection: Collection) -> pw.Runs:
    """Return its runs; one without a list answers no topic."""
    return pw.Runs.from_rankings(collection.runs)


def every_claim(means: dict[str, float], grounds: Grounds) -> list[Claim]:
    """Return claims of every relation, true ones and false ones."""
    names = list(means)
    pairs = [
        Claim(relation, *pair, grounds=grounds)
        for relation in ("ahead", "not behind", "level")
        for pair in permutations(names, 2)
    ]
    places = range(1, len(names) + 1)
    return [
        *pairs,
        *(Claim("cannot lead", name, grounds=grounds) for name in names),
        *(Claim("among the first", n, high=k, grounds=grounds) for n in names for k in places),
        *(
            Claim("rank in", name, low=low, high=high, grounds=grounds)
            for name in names
            for low in places
            for high in places
            if low <= high
        ),
        *(Claim("score in", name, low=0.2, high=0.5, grounds=grounds) for name in names),
        *(
            Claim("nothing to judge", "a goal", grounds=grounds, parts=(one, other))
            for one, other in pairwise(pairs)
        ),
    ]


def open_lists(collection: Collection) -> bool:
    """Tell whether some run has a list, so that there is anything to score."""
    return any(ranking for lists in collection.runs.values() for ranking in lists.values())


@settings(max_examples=60, deadline=None)
@given(collections(most_open=0), st.sampled_from(sorted(MEASURES)))
def test_a_claim_holds_if_a_plain_scorer_says_so(found: Collection, measure: str) -> None:
    """Of fully judged lists every relation is true or false as by scores in plain Python."""
    if not open_lists(found):
        return
    (completion,) = found.completions(None)
    grounds = Grounds(
        parse_measure(measure),
        tuple(found.runs),
        tuple(found.qrels),
        grades=found.grades,
        within=1e-12,
    )
    means = completion.means(measure)
    judged = pw.Judgments.from_dict(completion.qrels)
    for claim in every_claim(means, grounds):
        assert claim.holds(judged, runs_of(found)) == is_true(claim.to_dict(), means), str(claim)


@settings(max_examples=120, deadline=None)
@given(collections(), st.sampled_from(sorted(MEASURES)))
def test_no_grading_refutes_what_is_claimed_of_pairs(found: Collection, measure: str) -> None:
    """Every grading of the unjudged documents keeps every claim that a verdict makes."""
    if not open_lists(found):
        return
    evidence = aligned(found)
    ranges = all_differences(evidence, measure)
    claims = [claim for i in range(len(ranges)) for claim in ranges.claims(i)]
    judgeable = parse_measure(measure).depth
    for completion in found.completions(judgeable) if claims else ():
        means = completion.means(measure)
        for claim in claims:
            assert is_true(claim.to_dict(), means), (str(claim), completion.qrels)


@settings(max_examples=60, deadline=None)
@given(collections(), st.sampled_from(["P@2", "R@2", "nDCG@3", "RR"]))
def test_where_ranges_are_exact_nothing_is_left_unclaimed(found: Collection, measure: str) -> None:
    """A run that no grading puts behind is claimed not to be, save where topics are missing."""
    if not open_lists(found):
        return
    ranges = all_differences(aligned(found), measure)
    completions = [c.means(measure) for c in found.completions(parse_measure(measure).depth)]
    for i, (a, b) in enumerate(zip(ranges.first, ranges.second, strict=True)):
        leads = np.array([means[a] - means[b] for means in completions])
        if ranges.kind != "exact" or ranges.rests[i] or np.isnan(leads).all():
            continue
        assert (np.nanmin(leads) >= -1e-9) == (
            ranges.verdict[i] in {"a certain", "a never behind", "equal"}
        )
        assert (np.nanmax(leads) <= 1e-9) == (
            ranges.verdict[i] in {"b certain", "b never behind", "equal"}
        )


def two_runs(a: list[str], b: list[str], qrels: dict[str, float]) -> pw.Evidence:
    """Return one topic of two runs."""
    runs = pw.Runs.from_rankings({"A": {"1": a}, "B": {"1": b}})
    return pw.align(pw.Judgments.from_dict({"1": qrels}), runs)


def test_level_runs_of_which_only_one_can_gain_have_its_side() -> None:
    """Both at 0 now, and whatever is judged only helps B: B is never behind, and A is nothing."""
    evidence = two_runs(["n"], ["n", "u"], {"n": 0, "z": 1})
    ranges = difference_bounds(evidence, "P@2", "A", "B")
    assert ranges.verdict.tolist() == ["b never behind"]
    (claim,) = ranges.claims(0)
    assert (claim.relation, claim.subject, claim.object) == ("not behind", "B", "A")
    assert "can only put B ahead" in ranges.sentences()[0]
    assert difference_bounds(evidence, "P@2", "B", "A").claims(0) == (claim,)


def test_without_a_score_yet_the_range_over_those_that_have_one_decides() -> None:
    """No relevant document is known: only the run that can find one is never behind."""
    evidence = two_runs(["d1", "d2", "d0"], ["d2"], {"d2": 0})
    ranges = difference_bounds(evidence, "AP@3", "B", "A")
    assert ranges.verdict.tolist() == ["b certain"]
    # Nothing relevant may be found at all, and then nobody is ahead.
    (claim,) = ranges.claims(0)
    assert (claim.relation, claim.subject, claim.object) == ("not behind", "A", "B")


def test_an_order_that_rests_on_missing_topics_claims_nothing() -> None:
    """A topic that a run lacks scores 0 by convention, which no judging makes true."""
    runs = pw.Runs.from_rankings({"A": {"1": ["x"], "2": ["x"]}, "B": {"1": ["x"]}})
    evidence = pw.align(pw.Judgments.from_dict({"1": {"x": 1}, "2": {"x": 1}}), runs)
    ranges = difference_bounds(evidence, "P@1", "A", "B")
    assert ranges.verdict.tolist() == ["rests on missing topics"]
    assert ranges.claims(0) == ()
    assert ranges.rests_on(0) == (
        "B lacks 1 of 2 topics, and the order rests on these; on the 1 common topic they are level"
    )


def test_an_open_order_of_now_rests_on_missing_topics_too() -> None:
    """Where scores of 0 on missing topics put a run behind, judging is not the first doubt."""
    runs = {"A": {t: ["x", "u"] for t in "1234"}, "B": {"1": ["x", "v"]}}
    qrels = {t: {"x": 1.0} for t in "1234"}
    evidence = pw.align(pw.Judgments.from_dict(qrels), pw.Runs.from_rankings(runs))
    ranges = difference_bounds(evidence, "P@2", "A", "B")
    assert ranges.rests.tolist() == [True]


def test_rounding_decides_no_claim() -> None:
    """A difference of the last bit is none."""
    grounds = Grounds(parse_measure("AP"), ("a", "b"), ("1",), within=1e-12)
    means = np.array([0.1 + 0.2, 0.3])
    assert Claim("level", "a", "b", grounds=grounds).holds_for(means)
    assert not Claim("ahead", "a", "b", grounds=grounds).holds_for(means)
    assert Claim("rank in", "b", low=1, high=1, grounds=grounds).holds_for(means)


def test_claims_are_written_and_read() -> None:
    """JSON gives the same claims back, the same grounds once for all of them, and the hashes."""
    evidence = two_runs(["x", "u"], ["n", "x"], {"x": 1, "n": 0})
    ranges = difference_bounds(evidence, "P@1", "A", "B")
    claim, grounds = ranges.claims(0)[0], ranges.grounds
    more = Claim("nothing to judge", "pair:A,B", grounds=grounds, parts=(claim,))
    place = Claim("rank in", "B", low=2, high=2, grounds=grounds)
    text = claims_to_json([claim, more, place])
    assert claims_from_json(text) == (claim, more, place)
    assert len(json.loads(text)["grounds"]) == 1
    assert json.loads(text)["grounds"][0]["judged"] == 2
    assert claim.columns()["claim"] == [str(claim)]


def test_a_claim_reads_as_a_sentence() -> None:
    """Every relation is worded, and says over which documents it is."""
    evidence = two_runs(["x", "u"], ["n", "x"], {"x": 1, "n": 0})
    grounds = difference_bounds(evidence, "P@2", "A", "B").grounds
    for relation in RELATIONS.keys() - {"nothing to judge"}:
        claim = Claim(relation, "A", "B", low=1, high=2, grounds=grounds)
        assert str(claim).endswith(
            ", whatever the unjudged documents in the first 2 ranks of these 2 runs are"
        )
    judged = replace(grounds, unjudged=0)
    assert str(Claim("ahead", "A", "B", grounds=judged)) == "A is ahead of B in P@2"


def test_completed_judgments_are_scored_on_the_claims_own_scale() -> None:
    """A completion without the top grade has the same gains; one beyond the scale is refused."""
    runs = pw.Runs.from_rankings({"A": {"1": ["x"]}, "B": {"1": ["y"]}})
    grounds = Grounds(parse_measure("ERR@1"), ("A", "B"), ("1",), grades=(0.0, 1.0, 2.0))
    claim = Claim("score in", "A", low=0.25, high=0.25, grounds=grounds)
    assert claim.holds(pw.Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    with pytest.raises(PoolwiseError, match="a grade must be one of those declared"):
        claim.holds(pw.Judgments.from_dict({"1": {"x": 3}}), runs)


def test_an_unknown_relation_is_told() -> None:
    """A relation is one of the table."""
    grounds = Grounds(parse_measure("P@1"), ("A", "B"), ("1",))
    with pytest.raises(OptionError, match="relation"):
        Claim("better", "A", "B", grounds=grounds)


def test_failing_claims_are_those_that_completed_judgments_refute() -> None:
    """Of many claims, those that do not hold come back."""
    evidence = two_runs(["x"], ["y"], {"x": 1, "y": 0})
    grounds = difference_bounds(evidence, "P@1", "A", "B").grounds
    claims = [Claim("cannot lead", run, grounds=grounds) for run in "AB"]
    runs = pw.Runs.from_rankings({"A": {"1": ["x"]}, "B": {"1": ["y"]}})
    judged = pw.Judgments.from_dict({"1": {"x": 1, "y": 0}})
    assert failing_claims(claims, judged, runs) == (claims[0],)


def test_a_topic_without_a_score_for_every_system_is_left_out_of_both_means() -> None:
    """As everywhere else: means are over the topics on which all systems have a score."""
    scores = np.array([[0.2, 0.8, 0.6], [0.4, np.nan, 0.6]])
    measure: Any = SimpleNamespace(score=lambda _: scores)
    grounds = Grounds(measure, ("a", "b"), ("1",))
    runs = pw.Runs.from_rankings({"a": {"1": ["x"]}, "b": {"1": ["y"]}})
    means = grounds.means(pw.Judgments.from_dict({"1": {"x": 1}}), runs)
    assert means == pytest.approx([0.4, 0.5])
