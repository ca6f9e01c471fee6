"""From judgments by subtopic to score tables."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection.runs import Runs
from poolwise.collection.subtopics import SubtopicJudgments
from poolwise.errors import MeasureError
from poolwise.evidence._subtopic_lists import SubtopicLists, subtopic_lists
from poolwise.measures._diversity import SubtopicMeasure
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import RangeScope
from poolwise.provenance._provenance import Notice, Provenance
from poolwise.results._progress import counting
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import Evaluation

__all__ = ["score_subtopics"]


def score_subtopics(
    judgments: SubtopicJudgments, runs: Runs, measures: Iterable[Measure | str]
) -> Evaluation:
    """Score every run on every topic by measures of diversity.

    Examples
    --------
    >>> qrels = SubtopicJudgments.from_records([("1", "a", "d1", 1), ("1", "b", "d2", 1)])
    >>> runs = Runs.from_rankings({"x": {"1": ["d1", "u", "d2"]}})
    >>> score_subtopics(qrels, runs, ["StRecall@2"])["StRecall@2"].value.tolist()
    [[0.5]]
    """
    wanted = [_of_subtopics(measure) for measure in measures]
    topics = counting(judgments.topics, "topics met with their subtopics")
    lists = [subtopic_lists(judgments, runs, topic) for topic in topics]
    answered = np.stack([(topic.lengths > 0) for topic in lists], axis=1)
    made = Provenance(
        judgments=judgments.source,
        runs=runs.sources,
        tie_rule=runs.tie_rule,
        notices=(*runs.notices, *_without_subtopics(judgments)),
    )
    return Evaluation.of(
        ScoreTable(
            measure=measure,
            systems=runs.systems,
            topics=judgments.topics,
            value=(value := _values(measure, lists)),
            lower=np.full_like(value, np.nan),
            upper=np.full_like(value, np.nan),
            answered=answered,
            undefined=measure.undefined,
            limits=(0.0, 1.0),
            scope=RangeScope(reason=f"{measure} has none: {measure.no_range}"),
            provenance=made,
        )
        for measure in wanted
    )


def _values(measure: SubtopicMeasure, lists: Sequence[SubtopicLists]) -> Floats:
    topics = counting(lists, f"topics scored by {measure}")
    return np.stack([measure.score_topic(topic) for topic in topics], axis=1)


def _without_subtopics(judgments: SubtopicJudgments) -> tuple[Notice, ...]:
    """Say where no topic has two subtopics: perhaps these are judgments of whole topics."""
    if any(len(judgments.subtopics(topic)) > 1 for topic in judgments.topics):
        return ()
    what = "topics that have one subtopic each; judgments of whole topics are for evaluate"
    return (Notice(what, len(judgments.topics)),)


def _of_subtopics(measure: Measure | str) -> SubtopicMeasure:
    known = parse_measure(measure)
    if isinstance(known, SubtopicMeasure):
        return known
    raise MeasureError(
        f"{known!r}: it is no measure of diversity, and does not look at subtopics. Hint: name one "
        "that does, such as alpha_nDCG@10, or use evaluate with judgments of whole topics."
    )
