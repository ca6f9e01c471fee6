"""One rule for runs and judgments that do not meet, wherever a run stands among the others."""

from pathlib import Path

import pytest
from tests.each import over

from poolwise import Judgments, Runs, align, evaluate
from poolwise.errors import InputError, OptionError

QRELS = {"1": {"a": 1}, "2": {"b": 1}}


@over("place", [0, 1, 17, 19])
@over("files", [True, False])
def test_a_run_that_shares_no_topic_is_named_wherever_it_stands(
    place: int, tmp_path: Path, *, files: bool
) -> None:
    """It is an error, whether it comes first or last, from files or from memory."""
    topics = ["9" if i == place else "1" for i in range(20)]
    for i, topic in enumerate(topics):
        (tmp_path / f"r{i:02}").write_text(f"{topic} Q0 a 1 1 run{i}\n")
    runs = tmp_path if files else {f"run{i}": {topic: {"a": 1.0}} for i, topic in enumerate(topics)}
    with pytest.raises(InputError, match=f"and run{place} has none; got 'topics 1, 2 judged; 9 re"):
        evaluate(QRELS, runs, "AP")


def test_a_run_without_documents_is_let_pass() -> None:
    """Only memory can hold one; it answers nothing, and scores 0."""
    runs = Runs.from_rankings({"one": {"1": ["a"]}, "none": {"1": []}})
    assert align(Judgments.from_dict(QRELS), runs).lengths.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("files", [True, False])
def test_common_topics_that_are_none_are_refused(tmp_path: Path, *, files: bool) -> None:
    """There is nothing to print a mean of."""
    (tmp_path / "x").write_text("1 Q0 a 1 1 x\n")
    (tmp_path / "y").write_text("2 Q0 b 1 1 y\n")
    runs = tmp_path if files else {"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}}
    with pytest.raises(OptionError, match="topics: 'common' needs a judged topic that every run"):
        evaluate(QRELS, runs, "AP", topics="common")


def test_a_misspelled_option_is_our_error() -> None:
    """The error names the public function, and the option that was meant."""
    with pytest.raises(OptionError, match=r"align: there is no option 'topic'\. Hint: use topics"):
        align(Judgments.from_dict({}), Runs.from_rankings({}), topic="judged")
