"""Grades of runs that were read as marks, without their documents."""

from itertools import accumulate, pairwise

import numpy as np

from poolwise.collection._judgments import Judgments
from poolwise.collection.files._native import JudgedMarks, is_native
from poolwise.collection.files._scanned_grades import ScannedGrades
from poolwise.evidence.grade_codes import (
    UNJUDGED,
    codes_of_rows,
    count_by_grade_and_topic,
    grade_scale,
)
from poolwise.evidence.grades import Block, Grades
from poolwise.evidence.topic_choice import check_common_topics, require_topics, topic_notices
from poolwise.provenance._provenance import Provenance, TopicRule

__all__ = ["judged_marks", "marked_grades"]

_MARK = np.dtype(np.int8)


def judged_marks(judgments: Judgments, *, counts_unknown: bool) -> JudgedMarks | None:
    """Return the grade codes of judgments as marks for a reader; None where it takes none.

    That is where there are too many grades, and where there is no native library.

    ``counts_unknown`` asks for the universe of all runs, without which there is no range over it.
    """
    if not is_native() or len(grade_scale(judgments)) > np.iinfo(_MARK).max:
        return None
    return JudgedMarks(
        judgments.topics,
        judgments.documents,
        judgments.starts,
        codes_of_rows(judgments, _MARK).astype(np.int8),
        other=UNJUDGED,
        counts_unknown=counts_unknown,
    )


def marked_grades(judgments: Judgments, runs: ScannedGrades, *, topics: TopicRule) -> Grades:
    """Return the grades of runs whose marks are the codes of these judgments.

    ``topics`` is the rule by which the topics of the marks were chosen.
    """
    lists = runs.lists
    check_common_topics(judgments, runs.systems, lists.topics, lists.lengths)
    require_topics(lists.wanted, topics)
    met = topic_notices(judgments, lists.topics, lists.lengths, topics)
    return Grades(
        systems=runs.systems,
        topics=lists.wanted,
        blocks=_blocks(judgments, runs),
        provenance=Provenance(
            judgments=judgments.source,
            runs=runs.sources,
            tie_rule=runs.tie_rule,
            topic_rule=topics,
            notices=judgments.notices + runs.notices + met,
        ),
    )


def _blocks(judgments: Judgments, runs: ScannedGrades) -> tuple[Block, ...]:
    scale, lists = grade_scale(judgments), runs.lists
    of_row = codes_of_rows(judgments, _MARK)
    pool = count_by_grade_and_topic(judgments, of_row, lists.wanted, len(scale))
    edges = accumulate((part.marks.shape[1] for part in lists.blocks), initial=0)
    return tuple(
        Block(
            codes=part.marks,
            scale=scale,
            pool=pool[first:past],
            # The reader alone knows which documents are the same, so it counts their best ranks.
            counted_ranks=part.best_ranks,
        )
        for part, (first, past) in zip(lists.blocks, pairwise(edges), strict=True)
    )
