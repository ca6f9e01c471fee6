"""Runs are cut to fewer runs and topics by one word, the same as judgments and groups."""

import pytest

from poolwise import Judgments, OptionError, Runs
from poolwise.collection import Groups

RUNS = Runs.from_rankings({"a": {"1": ["x"], "2": ["y", "x"]}, "b": {"2": ["z"], "3": ["x"]}})
QRELS = Judgments.from_dict({"1": {"x": 1}, "2": {"y": 0, "z": 2}})


def test_runs_and_topics_are_chosen_together_or_one_after_the_other() -> None:
    """Both at once are the same as each alone, in any order."""
    both = RUNS.select(["b"], topics=["2"])
    assert both.to_dict() == {"b": {"2": {"z": 1.0}}}
    assert RUNS.select(topics=["2"]).select(runs=["b"]).to_dict() == both.to_dict()
    assert both.topics == ("2",)
    assert list(both.documents) == list(RUNS.select(topics=["2"]).documents)


def test_nothing_left_out_is_the_same_object() -> None:
    """Nothing is copied for those who take all topics."""
    assert RUNS.select() is RUNS
    assert RUNS.select(topics=[*RUNS.topics, "9"]) is RUNS


def test_the_same_words_choose_from_judgments_and_groups() -> None:
    """Judgments have topics, groups have runs."""
    assert QRELS.select(topics=["2", "9"]).to_dict() == {"2": {"y": 0.0, "z": 2.0}}
    assert Groups.from_dict({"a": "x", "b": "y"}).select(runs=["b"]).names == ("y",)


def test_systems_without_a_list_come_last() -> None:
    """A system that is there already stays where it is."""
    more = RUNS.with_systems(["c", "a", "c"])
    assert more.systems == ("a", "b", "c")
    assert more.lengths.tolist() == [[1, 2, 0], [0, 1, 1], [0, 0, 0]]
    assert more.select(["c", "b"]).to_dict() == {"c": {}, "b": RUNS.to_dict()["b"]}


@pytest.mark.parametrize(("thing", "old"), [(RUNS, "restrict"), (RUNS, "among"), (QRELS, "only")])
def test_an_old_name_says_the_new_one(thing: object, old: str) -> None:
    """Whoever calls a method by its old name learns what it is called now."""
    with pytest.raises(OptionError, match=rf"{old}: is called .*select\("):
        getattr(thing, old)
