"""Means by several measures in one table, marked where judging matters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import EXAMPLES, example

from poolwise import Judgments, Runs, ScoreTable, align, score
from poolwise.scores import score_all
from poolwise.scores._side_by_side import MATTERS, side_by_side, where_judging_matters

GRADES = st.lists(st.sampled_from([0, 1, None]), min_size=4, max_size=4)


def of_topics(*runs: list[list[int | None]]) -> ScoreTable:
    """Score runs by P@4, each with these grades on its topics."""
    qrels: dict[str, dict[str, int]] = {str(t): {"other": 1} for t in range(len(runs[0]))}
    rankings: dict[str, dict[str, list[str]]] = {}
    for r, rows in enumerate(runs, start=1):
        for t, row in enumerate(rows):
            documents = [f"{r}-{rank}" for rank in range(len(row))]
            rankings.setdefault(f"run{r}", {})[str(t)] = documents
            judged = zip(documents, row, strict=True)
            qrels[str(t)] |= {document: grade for document, grade in judged if grade is not None}
    return score(align(Judgments.from_dict(qrels), Runs.from_rankings(rankings)), "P@4")


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_matrix_has_the_means_of_every_measure(name: str) -> None:
    """Each cell is the mean that the leaderboard of its measure has, in the order of the first."""
    evaluation = score_all(example(name), ["P@2", "AP", "RR"])
    matrix = side_by_side(evaluation.scores)
    order = evaluation.scores[0].order().tolist()
    assert [row[0] for row in matrix.rows] == [evaluation.scores[0].systems[s] for s in order]
    for column, table in enumerate(evaluation.scores, start=1):
        cells = np.array([row[column] for row in matrix.rows], float)
        np.testing.assert_array_equal(cells, table.means()[order])


@given(rows=st.lists(GRADES, min_size=2, max_size=6))
def test_a_mark_says_that_judging_reaches_past_the_interval(rows: list[list[int | None]]) -> None:
    """The mean is marked if and only if some grading leaves it outside of its t interval."""
    table = of_topics(rows)
    low, high = table.interval()
    lowest = np.mean([sum(grade or 0 for grade in row) / 4 for row in rows])
    highest = np.mean([sum(1 if grade is None else grade for grade in row) / 4 for row in rows])
    outside = bool(lowest < low[0] - 1e-9 or highest > high[0] + 1e-9)
    assert table.judging_matters().tolist() == [outside]
    assert (side_by_side([table, table]).marks[0][1] == MATTERS) is outside


def test_the_sentence_says_what_judging_does() -> None:
    """It names the runs of one measure, leaves those of several to marks, and knows one topic."""
    firm, open_ = [[1, 0, 0, 0], [1, 1, 0, 0]], [[1, None, None, None]] * 2
    single = of_topics(firm)
    assert where_judging_matters([single]) == (
        "Judging would leave the mean in its 95% interval over topics.",
    )
    assert where_judging_matters([single, single]) == (
        "2 topics; judging would leave every mean in its 95% interval over topics.",
    )
    both = of_topics(firm, open_)
    assert where_judging_matters([both]) == (
        "Judging could move the mean of run2 out of its 95% interval over topics.",
    )
    alone = of_topics([[1, None, 0, 0]])
    assert where_judging_matters([alone, alone]) == ("1 topic; ° judging could change this score.",)
    assert where_judging_matters([of_topics([[1, 0, 0, 0]])]) == ("Judging would change no score.",)


def test_without_a_range_nothing_is_said_of_judging() -> None:
    """Scores without bounds have no marks, and the sentence counts topics."""
    evaluation = score_all(example("some judged"), ["P@2", "AP"], bounds="none")
    assert not any(any(row) for row in side_by_side(evaluation.scores).marks)
    assert where_judging_matters(evaluation.scores) == ("Means over 2 topics.",)


def test_a_single_run_is_not_the_best_of_any() -> None:
    """The headline of one run has its mean, and of several who is ahead."""
    (first,) = score_all(example("all judged"), ["P@2"]).scores
    assert first.headline() == "one has a mean P@2 of 0.5000 over 2 topics."
    (two,) = score_all(example("some judged"), ["P@2"]).scores
    assert two.headline() == "one has the highest mean P@2, 0.5000, over 2 topics."
