"""Runs scored by what they tell about the subtopics of each topic."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection._subtopics import SubtopicJudgments, read_subtopic_judgments
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.scores._scoring import Evaluation, score_subtopics
from poolwise.workflows.measure_lists import several_measures

__all__ = ["evaluate_subtopics"]


@recorded
def evaluate_subtopics(
    judgments: SubtopicJudgments | str | Path | Any,
    runs: Runs | str | Path | Any,
    measures: Measure | str | Iterable[Measure | str] = ("alpha_nDCG@10", "ERR_IA@20"),
    *,
    reading: Reading = Reading(),
) -> Evaluation:
    """Score runs by measures of diversity, against judgments by subtopic.

    The tables are like those of :func:`~poolwise.evaluate`, so that runs can be compared by them
    (:func:`~poolwise.compare_scores`); they have no range over unjudged documents.

    Parameters
    ----------
    judgments
        What :func:`~poolwise.collection.read_subtopic_judgments` reads: the qrels of a diversity
        task, whose second column is the subtopic.
    measures
        Measures of diversity, or their names: alpha_nDCG, ERR_IA, StRecall and their kin.

    Returns
    -------
    Evaluation
        One table of scores per measure.

    Examples
    --------
    >>> qrels = [("1", "a", "d1", 1), ("1", "b", "d2", 1)]
    >>> result = evaluate_subtopics(qrels, {"x": {"1": ["d1", "u", "d2"]}}, "alpha_nDCG@3")
    >>> result["alpha_nDCG@3"].value.round(4).tolist()
    [[0.9197]]
    """
    graded = judgments
    if not isinstance(graded, SubtopicJudgments):
        graded = read_subtopic_judgments(graded)
    return score_subtopics(graded, reading.runs(runs), several_measures(measures))
