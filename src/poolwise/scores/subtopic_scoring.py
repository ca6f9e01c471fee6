"""From judgments by subtopic to score tables."""

from collections.abc import Iterable

import numpy as np

from poolwise.collection.runs import Runs
from poolwise.collection.subtopics import SubtopicJudgments
from poolwise.errors import MeasureError
from poolwise.evidence.subtopic_lists import subtopic_lists
from poolwise.measures.diversity.subtopic_measure import SubtopicMeasure
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.measures.range_scope import RangeScope
from poolwise.printout.provenance import Provenance
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
    lists = [subtopic_lists(judgments, runs, topic) for topic in judgments.topics]
    answered = np.stack([(topic.lengths > 0) for topic in lists], axis=1)
    made = Provenance(
        judgments=judgments.source, runs=runs.sources, tie_rule=runs.tie_rule, notices=runs.notices
    )
    return Evaluation.of(
        ScoreTable(
            measure=measure,
            systems=runs.systems,
            topics=judgments.topics,
            value=(value := np.stack([measure.score_topic(topic) for topic in lists], axis=1)),
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


def _of_subtopics(measure: Measure | str) -> SubtopicMeasure:
    known = parse_measure(measure)
    if isinstance(known, SubtopicMeasure):
        return known
    raise MeasureError(
        f"{known!r}: it is no measure of diversity, and does not look at subtopics. Hint: name one "
        "that does, such as alpha_nDCG@10, or use evaluate with judgments of whole topics."
    )
