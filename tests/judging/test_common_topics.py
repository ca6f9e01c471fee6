"""Judging all runs on common topics, and adjusting their scores on the others (W10 §6.3)."""

import pytest

import poolwise as pw
from poolwise.errors import OptionError

MADE = pw.simulate(systems=8, topics=20, depth=30, rng=1)
TRUTH = MADE.truth.to_dict()


def judged(found: pw.judging.JudgingList, known: pw.Judgments = MADE.judgments) -> pw.Judgments:
    """Return the judgments with the true grades of what a list names."""
    grades = known.to_dict()
    for topic, document in zip(found.topic, found.document, strict=True):
        grades[topic][document] = TRUTH[topic].get(document, 0)
    return pw.Judgments.from_dict(grades)


def common(found: pw.judging.JudgingList) -> list[str]:
    """Return the common topics that the list names for the estimate."""
    return found.sentences()[-1].removesuffix(".").rpartition(" ")[2].split(",")


def test_whole_topics_come_one_after_another() -> None:
    """A list names every unjudged document in the first ranks of a run, topic by topic."""
    found = pw.next_to_judge(MADE.judgments, MADE.runs, "common:3", budget=1000, depth=10)
    topics = list(dict.fromkeys(found.topic))
    assert list(found.topic) == [t for t in topics for _ in range(found.topic.count(t))]
    known = MADE.judgments.to_dict()
    for topic in common(found):
        expected = {d for s in MADE.runs.systems for d in MADE.runs.ranking(s, topic)[:10]}
        listed = {d for t, d in zip(found.topic, found.document, strict=True) if t == topic}
        assert listed == expected - known[topic].keys()


def test_topics_stay_the_same_as_judging_goes_on() -> None:
    """The draw depends on the seed alone, and fewer topics are the first of more."""
    three = pw.next_to_judge(MADE.judgments, MADE.runs, "common:3", budget=10)
    after = pw.next_to_judge(judged(three), MADE.runs, "common:3", budget=1000)
    assert common(after) == common(three)
    five = pw.next_to_judge(MADE.judgments, MADE.runs, "common:5")
    assert common(five)[:3] == common(three)
    other = pw.next_to_judge(MADE.judgments, MADE.runs, "common:5", seed=9)
    assert set(common(other)) != set(common(five))


def test_the_budget_says_how_many_topics_it_completes() -> None:
    """A budget of the documents of the first topic completes just that one."""
    whole = pw.next_to_judge(MADE.judgments, MADE.runs, "common:3", budget=1000)
    size = whole.topic.count(whole.topic[0])
    some = pw.next_to_judge(MADE.judgments, MADE.runs, "common:3", budget=size)
    assert "on 1 of 3 common topics" in some.sentences()[-1]
    assert "on 3 of 3 common topics" in whole.sentences()[-1]


def test_the_estimate_from_the_judged_list_is_algorithm_6_2() -> None:
    """With the list judged, the run outside the pool gains what it gained on the common topics."""
    found = pw.next_to_judge(MADE.judgments, MADE.runs, "common:6", budget=1000, depth=10)
    qrels, topics = judged(found), common(found)
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
    found = pw.next_to_judge(MADE.judgments, MADE.runs, "common:2", budget=1000)
    end = pw.next_to_judge(judged(found), MADE.runs, "common:2")
    (said,) = end.sentences()
    assert not len(end)
    assert f"--common {','.join(common(found))}: nothing more" in said


def test_more_topics_than_there_are_are_refused() -> None:
    """The hint is a number of topics that there are."""
    with pytest.raises(OptionError, match=r"drawn from 20 topics; got 21. Hint: use common:4"):
        pw.next_to_judge(MADE.judgments, MADE.runs, "common:21")


@pytest.mark.parametrize("text", ["common", "common:", "common:0", "common:x"])
def test_a_number_of_topics_is_needed(text: str) -> None:
    """Common topics without a number are no goal."""
    with pytest.raises(OptionError, match="common:N"):
        pw.next_to_judge(MADE.judgments, MADE.runs, text)
