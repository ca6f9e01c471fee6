"""Who ranks what on a topic: ranks and grades are those of the files, early and often first."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings import documents_of_topic
from poolwise.results._layout import fitted, render

LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(
    rankings=st.lists(LISTS, min_size=1, max_size=5).filter(any),
    grades=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3)),
    depth=st.integers(1, 9),
)
def test_every_rank_and_grade_is_that_of_the_lists(
    rankings: list[list[str]], grades: dict[str, float], depth: int
) -> None:
    """Documents are those of the first ranks; a negative grade is none."""
    runs = pw.Runs.from_rankings({f"r{i}": {"1": ranked} for i, ranked in enumerate(rankings)})
    shown = documents_of_topic(pw.Judgments.from_dict({"1": grades}), runs, "1", depth=depth)
    assert {*shown.documents} == {document for ranked in rankings for document in ranked[:depth]}
    for document, grade, ranks in zip(shown.documents, shown.grades, shown.ranks, strict=True):
        expected = grades.get(document, -1)
        assert (None if np.isnan(grade) else grade) == (None if expected < 0 else expected)
        assert ranks.tolist() == [
            ranked.index(document) + 1 if document in ranked else 0 for ranked in rankings
        ]


@given(rankings=st.lists(LISTS, min_size=1, max_size=5).filter(any))
def test_who_is_ranked_earlier_by_all_comes_first(rankings: list[list[str]]) -> None:
    """A document that every run prefers to another stands above it."""
    runs = pw.Runs.from_rankings({f"r{i}": {"1": ranked} for i, ranked in enumerate(rankings)})
    shown = documents_of_topic(pw.Judgments.from_dict({}), runs, "1", depth=8)
    ranks = np.where(shown.ranks > 0, shown.ranks, 99)
    for above in range(len(ranks)):
        for below in range(above + 1, len(ranks)):
            preferred = ranks[below] <= ranks[above]
            assert not (preferred.all() and (ranks[below] < ranks[above]).any())


def test_a_row_for_each_document_and_run_that_has_it() -> None:
    """Programs get plain rows, with nothing where there is no grade."""
    runs = pw.Runs.from_rankings({"bm25": {"7": ["a", "x"]}, "dense": {"7": ["x", "b", "a"]}})
    shown = documents_of_topic(pw.Judgments.from_dict({"7": {"a": 2}}), runs, "7", depth=1)
    assert shown.columns() == {
        "topic": ["7"] * 4,
        "document": ["x", "x", "a", "a"],
        "grade": [None, None, 2.0, 2.0],
        "runs": [1, 1, 1, 1],
        "best_rank": [1, 1, 1, 1],
        "run": ["bm25", "dense", "bm25", "dense"],
        "rank": [2, 1, 1, 3],
    }


def test_runs_without_results_are_named() -> None:
    """Their columns hold no ranks."""
    runs = pw.Runs.from_rankings({"bm25": {"7": ["a"]}, "dense": {"8": ["b"]}})
    shown = documents_of_topic(pw.Judgments.from_dict({"7": {"a": 1}}), runs, "7")
    assert "1 run has no results for this topic: dense." in shown.sentences()
    assert shown.tables()[0].texts() == [["a", "1", "1", "1", "–"]]


def test_many_runs_have_numbers_above_their_columns() -> None:
    """A note says which run has which number, and another how many rows there are."""
    rankings = {f"a-run-with-a-long-name-{i}": {"7": [f"d{i}", "a"]} for i in range(30)}
    shown = documents_of_topic(pw.Judgments.from_dict({}), pw.Runs.from_rankings(rankings), "7")
    (table,) = shown.tables(most=5)
    assert [column.title for column in table.columns[3:]] == [str(i + 1) for i in range(30)]
    assert table.notes[0] == "The first 5 of 31 rows are shown."
    assert "30=a-run-with-a-long-name-29." in table.notes[1]
    assert (len(table.rows), table.rows[0][:3]) == (5, ("a", "?", 30))


def test_an_unknown_topic_is_refused() -> None:
    """The error says which there are."""
    runs = pw.Runs.from_rankings({"bm25": {"7": ["a"]}})
    with pytest.raises(OptionError, match=r"topic: '8' is not known\. Hint: use one of 7\."):
        documents_of_topic(pw.Judgments.from_dict({"8": {"a": 1}}), runs, "8")


def test_a_topic_of_trec_fits_a_window_of_80_columns(data_dir: Path) -> None:
    """On DL 2019: the grade and the number of runs stay, and what is hidden is said."""
    folder = data_dir / "trec-dl-2019"
    shown = pw.workflows.show(folder / "qrels.gz", folder / "runs", "19335")
    table = fitted(shown.tables(most=30)[0], 80)
    assert max(map(len, render(table).split("\n\n")[1].splitlines())) <= 80
    assert [column.title for column in table.columns[:4]] == ["document", "grade", "runs", "1"]
    assert "columns are hidden" in table.notes[0]
