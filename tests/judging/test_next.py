"""A list to judge holds what its goal asks for, and stops when the goal is reached."""

import numpy as np
import pytest
from tests.each import over
from tests.own_measure import TopShare

import poolwise as pw
from poolwise import Judgments, Runs, align, parse_measure, simulate
from poolwise import next as next_to_judge
from poolwise.errors import OptionError
from poolwise.evidence._pool_shape import find_pool
from poolwise.judging._candidates import (
    ABSENT,
    _ranks_of_documents,
    candidates_of,
    document_gains,
    gather_candidates,
    relevance_chances,
)
from poolwise.judging._goals import open_pairs, parse_goal, swings_of
from poolwise.judging._next import METHODS, next_of_evidence
from poolwise.measures._measure import Measure

_MADE = simulate(systems=6, topics=5, depth=20, rng=5)
_NOTHING = Judgments.from_dict({})
GOALS = ("relevant", "order", "residual", "even", "leaders", "pair:{0},{1}", "top:2", "common:2")
MEASURES = ("P@5", "nDCG@10", "AP", "RBP(p=0.8)", "RR", "ERR@10", "Q")


def goal_of(form: str) -> str:
    """Return a goal about the runs that were made."""
    return form.format(*_MADE.runs.systems)


def with_grade(judgments: Judgments, topic: str, document: str, grade: float) -> Judgments:
    """Return the same judgments and one more."""
    grades = judgments.to_dict()
    return Judgments.from_dict(grades | {topic: grades.get(topic, {}) | {document: grade}})


@over("measure", [*map(parse_measure, MEASURES), TopShare()], ids=str)
def test_a_gain_is_the_score_with_one_more_relevant_document(measure: Measure) -> None:
    """What a document adds is what scoring again with its grade adds, by any measure."""
    judgments, runs = _MADE.judgments, _MADE.runs
    evidence = align(judgments, runs)
    candidates = gather_candidates(judgments, runs, depth=20)
    systems = np.arange(len(runs.systems))
    now, top = np.nan_to_num(measure.score(evidence)), float(evidence.scale[-1])
    gains = list(document_gains(evidence, measure, candidates, systems))
    order = [runs.systems.index(name) for name in evidence.systems]
    for t, topic in enumerate(candidates):
        for d in np.flatnonzero(~topic.graded)[:4].tolist():
            more = with_grade(judgments, topic.topic, topic.documents[d], top)
            then = np.nan_to_num(measure.score(align(more, runs)))
            at = evidence.topics.index(topic.topic)
            assert gains[t][:, d] == pytest.approx((then - now)[order, at], abs=1e-12)
        assert not gains[t][:, topic.graded].any()


@over("form", GOALS)
def test_a_list_can_be_made_of_nothing(form: str) -> None:
    """Without a single judgment, every goal gives documents of the runs."""
    listed = next_to_judge(None, _MADE.runs, goal_of(form), budget=7)
    assert len(listed) == 7
    assert len(set(zip(listed.topic, listed.document, strict=True))) == 7
    assert "Too little is judged to say how many of them will be relevant." in listed.sentences()


@pytest.mark.parametrize("form", GOALS)
def test_judging_ends_where_the_goal_is_reached(form: str) -> None:
    """Judged by its lists, batch by batch and from the qrels alone, every goal ends."""
    truth, judged = _MADE.truth.to_dict(), _NOTHING
    goal, seen = goal_of(form), set()
    while len(listed := next_to_judge(judged, _MADE.runs, goal, budget=200, batch=40)):
        for topic, document in zip(listed.topic, listed.document, strict=True):
            assert (topic, document) not in seen
            seen.add((topic, document))
            judged = with_grade(judged, topic, document, truth.get(topic, {}).get(document, 0))
    (said,) = listed.sentences()
    assert said.startswith(f"Nothing more to judge for {goal}: ") or "the goal is reached" in said


def test_without_a_grade_every_order_of_different_lists_is_open() -> None:
    """Before the first grade many pairs are not bounded one by one, and open as by their ranges."""
    made = simulate(systems=34, topics=2, depth=10, rng=2)
    evidence = align(_NOTHING.with_topics(made.runs.topics), made.runs)
    undecided = open_pairs(parse_goal("top:1"), evidence, parse_measure("nDCG@5"))
    assert len(undecided.pairs) > 500
    by_range = np.isin(undecided.ranges.verdict, ("open", "unknown"))
    assert undecided.is_open.tolist() == by_range.tolist()
    candidates = candidates_of(evidence, depth=5)
    swings = swings_of(undecided.pairs, evidence, parse_measure("nDCG@5"), candidates)
    for t, weights in enumerate(swings.weights()):
        assert weights == pytest.approx(np.abs(swings.of(t)).sum(axis=0))


def test_a_settled_pair_is_left_alone() -> None:
    """Whoever is ahead whatever the remaining documents are is named, and nothing is listed."""
    runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "z"]}})
    judged = Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 0}})
    listed = next_to_judge(judged, runs, "pair:b,a", measure="P@2")
    (said,) = listed.sentences()
    assert said == (
        "Nothing more to judge for pair:b,a: a is ahead of b in P@2, whatever the unjudged "
        "documents in the first 2 ranks of these 2 runs are."
    )
    assert listed.columns()["document"] == []


def test_documents_below_the_depth_are_not_forgotten() -> None:
    """An order that deeper documents could decide is not called settled."""
    runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "v"]}})
    judged = Judgments.from_dict({"1": {"x": 1, "y": 1}})
    (said,) = next_to_judge(judged, runs, "pair:a,b", measure="P@2", depth=1).sentences()
    assert said.startswith("No document in the first rank of a run would move an open order")
    assert "2 documents" in said
    assert len(next_to_judge(judged, runs, "pair:a,b", measure="P@2", depth=2)) == 2


def test_a_pair_lists_only_what_moves_it() -> None:
    """A document at the same rank of both runs moves nothing, and is not listed."""
    runs = Runs.from_rankings({"a": {"1": ["s", "u"]}, "b": {"1": ["s", "v"]}})
    listed = next_to_judge(None, runs, "pair:a,b", measure="P@2")
    assert set(listed.document) == {"u", "v"}
    assert listed.weight == (0.5, 0.5)


def test_expected_narrowing_prefers_what_settles() -> None:
    """Unlikely documents of the run behind settle more than those of the run ahead."""
    first, second = _MADE.runs.systems[:2]
    goal = f"pair:{first},{second}"
    listed = next_to_judge(
        _MADE.judgments, _MADE.runs, goal, measure="P@20", method="expected-narrowing"
    )
    plain = next_to_judge(_MADE.judgments, _MADE.runs, goal, measure="P@20")
    swing = dict(zip(zip(plain.topic, plain.document, strict=True), plain.weight, strict=True))
    assert len(listed)
    for *key, weight in zip(listed.topic, listed.document, listed.weight, strict=True):
        assert weight <= swing[tuple(key)] + 1e-12


def test_a_batch_is_the_start_of_the_budget() -> None:
    """A batch holds the first documents of the whole list."""
    whole = next_to_judge(_MADE.judgments, _MADE.runs, "residual", budget=20, depth=20)
    batch = next_to_judge(_MADE.judgments, _MADE.runs, "residual", budget=20, batch=5, depth=20)
    assert batch.document == whole.document[:5]
    assert any("20 documents in the budget" in sentence for sentence in batch.sentences())


@over("goal", ["best", "pair:a", "pair:a,a", "pair:a,b,c", "top:0", "top:x", "top:", "top:²", ""])
def test_a_goal_that_is_none_is_refused(goal: str) -> None:
    """The error names the value and what would do."""
    with pytest.raises(OptionError, match=r"goal: must be relevant, order, residual, .* Hint: "):
        parse_goal(goal)


@over(
    "goal, options, words",
    [
        ("relevant", {"method": "expected-narrowing"}, "needs a goal about the order of runs"),
        ("relevant", {"method": "oracle"}, "'oracle' is not known"),
        ("relevant", {"budget": 0}, "budget: must be at least 1"),
        ("top:6", {}, "top:K needs more than K runs"),
        ("pair:no,one", {}, "'no' is not known"),
        ("top:1", {"method": "expected-narrowing"}, "needs judged documents"),
    ],
)
def test_options_that_cannot_be_met_are_refused(
    goal: str, options: dict[str, object], words: str
) -> None:
    """Each error says what is wrong and what would work."""
    with pytest.raises(OptionError, match=words):
        next_to_judge(None, _MADE.runs, goal, **options)


@over("method", METHODS)
def test_every_method_serves_a_goal_about_the_order_of_runs(method: str) -> None:
    """Two runs, or the best ones, are told apart by any method once something is judged."""
    assert len(next_to_judge(_MADE.judgments, _MADE.runs, "top:2", method=method, depth=20))


@over("method", [m for m in METHODS if m != "expected-narrowing"])
def test_every_order_serves_a_goal_about_runs(method: str) -> None:
    """Any order may be asked for, by any goal."""
    assert len(next_to_judge(_MADE.judgments, _MADE.runs, "relevant", method=method, depth=20))


MADE = pw.simulate(systems=8, topics=20, depth=30, rng=1)
TRUTH = MADE.truth.to_dict()


def judged(
    listed: pw.judging.JudgingList, judgments: pw.Judgments = MADE.judgments
) -> pw.Judgments:
    """Return the judgments with the true grades of what a list names."""
    grades = judgments.to_dict()
    for topic, document in zip(listed.topic, listed.document, strict=True):
        grades[topic][document] = TRUTH[topic].get(document, 0)
    return pw.Judgments.from_dict(grades)


def common(listed: pw.judging.JudgingList) -> list[str]:
    """Return the common topics that the list names for the estimate."""
    return listed.sentences()[-1].removesuffix(".").rpartition(" ")[2].split(",")


def test_whole_topics_come_one_after_another() -> None:
    """A list names every unjudged document in the first ranks of a run, topic by topic."""
    batch = pw.next(MADE.judgments, MADE.runs, "common:3", budget=1000, depth=10)
    topics = list(dict.fromkeys(batch.topic))
    assert list(batch.topic) == [t for t in topics for _ in range(batch.topic.count(t))]
    grades = MADE.judgments.to_dict()
    for topic in common(batch):
        expected = {d for s in MADE.runs.systems for d in MADE.runs.ranking(s, topic)[:10]}
        listed = {d for t, d in zip(batch.topic, batch.document, strict=True) if t == topic}
        assert listed == expected - grades[topic].keys()


def test_topics_stay_the_same_as_judging_goes_on() -> None:
    """The draw depends on the seed alone, and fewer topics are the first of more."""
    three = pw.next(MADE.judgments, MADE.runs, "common:3", budget=10)
    after = pw.next(judged(three), MADE.runs, "common:3", budget=1000)
    assert common(after) == common(three)
    five = pw.next(MADE.judgments, MADE.runs, "common:5")
    assert common(five)[:3] == common(three)
    other = pw.next(MADE.judgments, MADE.runs, "common:5", rng=9)
    assert set(common(other)) != set(common(five))


def test_the_budget_says_how_many_topics_it_completes() -> None:
    """A budget of the documents of the first topic completes just that one."""
    whole = pw.next(MADE.judgments, MADE.runs, "common:3", budget=1000)
    size = whole.topic.count(whole.topic[0])
    some = pw.next(MADE.judgments, MADE.runs, "common:3", budget=size)
    assert "on 1 of 3 common topics" in some.sentences()[-1]
    assert "on 3 of 3 common topics" in whole.sentences()[-1]


def test_the_estimate_from_the_judged_list_is_algorithm_6_2() -> None:
    """With the list judged, the run outside the pool gains what it gained on the common topics."""
    batch = pw.next(MADE.judgments, MADE.runs, "common:6", budget=1000, depth=10)
    qrels, topics = judged(batch), common(batch)
    new = MADE.runs.systems[-1]
    (estimates,) = pw.estimate(
        qrels, MADE.runs, "P@10", treatments=["bias-topics"], common=tuple(topics),
        pooled=MADE.pooled, depth=10,
    )  # fmt: skip
    evidence = pw.align(qrels, MADE.runs)
    by = pw.scores.BiasFromTopics(tuple(topics), pooled=MADE.pooled, depth=10)
    expected = by.adjustments(evidence, "P@10")[new].adjusted
    mean = estimates.scores["bias-topics"].select([new]).means().item()
    assert mean == pytest.approx(expected)
    plain, truth = (
        pw.score(pw.align(j, MADE.runs), "P@10").select([new]).means().item()
        for j in (MADE.judgments, MADE.truth)
    )
    assert abs(mean - truth) < abs(plain - truth) / 2


def test_a_judged_list_is_the_end() -> None:
    """When all is judged, the list is empty and says how to go on."""
    batch = pw.next(MADE.judgments, MADE.runs, "common:2", budget=1000)
    end = pw.next(judged(batch), MADE.runs, "common:2")
    (said,) = end.sentences()
    assert not len(end)
    assert "on the common topics: the goal is reached." in said
    assert said.endswith(f"--common {','.join(common(batch))}.")


def test_more_topics_than_there_are_are_refused() -> None:
    """The hint is a number of topics that there are."""
    with pytest.raises(OptionError, match=r"drawn from 20 topics; got 21. Hint: use common:4"):
        pw.next(MADE.judgments, MADE.runs, "common:21")


@pytest.mark.parametrize("text", ["common", "common:", "common:0", "common:x"])
def test_a_number_of_topics_is_needed(text: str) -> None:
    """Common topics without a number are no goal."""
    with pytest.raises(OptionError, match="common:N"):
        pw.next(MADE.judgments, MADE.runs, text)


def test_chances_are_probabilities_of_the_documents_without_a_grade() -> None:
    """They lie between 0 and 1, and are 0 where a document has its grade."""
    made = simulate(systems=8, topics=10, depth=30, rng=1)
    candidates = gather_candidates(made.judgments, made.runs, depth=30)
    chances = relevance_chances(align(made.judgments, made.runs), candidates)
    assert chances is not None
    for topic, chance in zip(candidates, chances.by_topic, strict=True):
        assert ((chance >= 0) & (chance <= 1)).all()
        assert not chance[topic.graded].any()


def test_judgments_of_other_documents_tell_no_chances() -> None:
    """Where none of the many judged documents is in the runs, no model can be fitted to them."""
    others = {"1": {f"judged{n}": n % 2 for n in range(40)}}
    qrels, runs = Judgments.from_dict(others), Runs.from_rankings({"s": {"1": ["x", "y", "z"]}})
    assert relevance_chances(align(qrels, runs), gather_candidates(qrels, runs, depth=3)) is None


def test_what_the_pool_was_taken_to_be_is_recorded() -> None:
    """Where a relevance model speaks of a list, as with estimates; and not where nothing does."""
    qrels = pw.pool(simulate(systems=6, topics=5, depth=20, rng=5).judgments, _MADE.runs, depth=10)
    options = dict(next_to_judge(qrels, _MADE.runs, "relevant", budget=5).provenance.options)
    shape = find_pool(align(qrels, _MADE.runs)).options()
    assert options.items() >= shape.items()
    nothing = next_to_judge(None, _MADE.runs, "relevant", budget=5)
    assert "pool_depth" not in dict(nothing.provenance.options)


@over("form", GOALS)
@over("measure", ["P@5", "SDCG@3"])
def test_a_measure_that_is_asked_for_counts(form: str, measure: str) -> None:
    """No goal lists a document below the cut-off of the measure that is asked for."""
    listed = next_to_judge(None, _MADE.runs, goal_of(form), measure=measure, budget=500)
    assert max(listed.best_rank) == parse_measure(measure).depth


def test_residuals_are_those_of_the_measure() -> None:
    """A document weighs what its ranks weigh by the measure, and judging it takes that off."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}})
    listed = next_to_judge(None, runs, "residual", measure="P@2")
    assert dict(zip(listed.document, listed.weight, strict=True)) == {"y": 1.0, "x": 0.5, "z": 0.5}
    first = next_to_judge(None, runs, "residual", measure="P@2", budget=1)
    assert "The mean residual of P@2 over 2 runs narrows by 0.5000." in first.sentences()


@pytest.mark.parametrize("goal", ["residual", "even"])
def test_a_measure_without_weights_has_no_residual(goal: str) -> None:
    """The error names the measure, and what would do."""
    with pytest.raises(OptionError, match=r"measure: the goal .* got nDCG@10\. Hint: use RBP"):
        next_to_judge(None, _MADE.runs, goal, measure="nDCG@10")


def test_each_goal_says_why_it_judges_in_its_order() -> None:
    """The first sentence names the method and the reason; one that was asked for needs none."""
    said = next_to_judge(None, _MADE.runs, "order").sentences()[0]
    assert "by the method thompson: it keeps the order of runs best" in said
    said = next_to_judge(None, _MADE.runs, "order", method="depth").sentences()[0]
    assert said.endswith("without a grade, by the method depth.")


def test_documents_are_listed_once_with_the_rank_of_each_run() -> None:
    """Ranks count from 1, and a document that a list lacks has none in it."""
    codes, ranks = _ranks_of_documents(np.array([[5, 2], [2, -1]], np.int32))
    assert codes.tolist() == [2, 5]
    assert ranks.tolist() == [[2, 1], [1, ABSENT]]


def test_what_is_not_shown_is_left_over_whatever_the_budget() -> None:
    """A batch shows the first of a budget: the documents behind it are still unlisted."""
    runs = pw.Runs.from_rankings({"bm25": {"1": list("abcdef")}, "ql": {"1": list("fedcba")}})
    evidence = pw.align(pw.Judgments.from_dict({"1": {"a": 1}}), runs)
    listed = next_of_evidence(evidence, "relevant", budget=4, batch=2)
    assert len(listed.document) == 2
    assert listed.unlisted == 3
