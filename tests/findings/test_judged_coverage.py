"""How much of each run is judged."""

import pytest

import poolwise as pw

GRADES = {"1": {"a": 1, "b": 0, "p": -1}, "2": {"c": 1}}
RANKINGS = {
    "half": {"1": ["a", "x"], "2": ["c", "y"]},
    "all": {"1": ["b", "a"]},
    "pooled": {"1": ["p", "a", "b"], "2": ["z"]},
}
COVERAGE = pw.report(
    pw.Judgments.from_dict(GRADES), pw.Runs.from_rankings(RANKINGS), ["P@2"]
).coverage


def test_shares_are_over_the_topics_that_a_run_answers() -> None:
    """A topic without a list is left out; a document that was pooled and not judged is unjudged."""
    assert COVERAGE.judged_at_10.tolist() == pytest.approx([0.5, 1.0, 1 / 3])
    assert COVERAGE.unjudged.tolist() == [[1, 1], [0, 0], [1, 1]]
    assert COVERAGE.answered.tolist() == [[True, True], [True, False], [True, True]]


def test_judged_and_relevant_documents_are_counted_by_topic() -> None:
    """A negative grade is no judgment."""
    assert COVERAGE.judged.tolist() == [2, 1]
    assert COVERAGE.relevant.tolist() == [1, 1]
    assert COVERAGE.judged_documents == 3


def test_cells_leave_out_what_was_not_answered() -> None:
    """Runs and topics with most unjudged documents come first."""
    assert list(zip(*COVERAGE.cells().values(), strict=True)) == [
        ("half", "1", 1),
        ("half", "2", 1),
        ("pooled", "1", 1),
        ("pooled", "2", 1),
        ("all", "1", 0),
    ]


def test_the_sentences_count_runs_and_topics() -> None:
    """Where documents are unjudged, and how much every run has judged."""
    assert COVERAGE.sentences() == (
        "2 of 3 runs and 2 of 2 topics have unjudged documents among the first 10.",
        "Every run has at least 33% of its first 10 documents judged.",
    )


def test_runs_and_topics_are_counted_apart() -> None:
    """Of three runs one has an unjudged document, on both of two topics."""
    lists = RANKINGS | {"pooled": {"1": ["a"]}}
    overview = pw.report(pw.Judgments.from_dict(GRADES), pw.Runs.from_rankings(lists), ["P@2"])
    assert overview.coverage.where_unjudged() == (
        "1 of 3 runs and 2 of 2 topics have unjudged documents among the first 10."
    )


def test_all_judged_is_said_so() -> None:
    """Where nothing is unjudged, the sentence says so."""
    runs = pw.Runs.from_rankings({"all": {"1": ["a", "b"]}})
    coverage = pw.report(pw.Judgments.from_dict(GRADES), runs, ["P@2"]).coverage
    assert coverage.sentences() == (
        "The first 10 documents of every run are judged on every topic.",
        "Every run has all of its first 10 documents judged.",
    )


def test_common_topics_have_their_own_coverage() -> None:
    """Over the topics that every run answers, nothing of the others counts."""
    coverage = pw.report(
        pw.Judgments.from_dict(GRADES), pw.Runs.from_rankings(RANKINGS), ["P@2"], topics="common"
    ).coverage
    assert coverage.topics == ("1",)
    assert coverage.judged_at_10.tolist() == pytest.approx([0.5, 1, 2 / 3])
    assert coverage.first_unjudged.tolist() == [[2], [3], [1]]
    assert coverage.judged_documents == 2
