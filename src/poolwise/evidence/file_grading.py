"""Run files into grade codes, without their documents where nothing else is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poolwise.collection.files.id_lookup import JudgedMarks
from poolwise.collection.files.marking import MarkedRuns, mark_runs
from poolwise.collection.files.readers import read_runs
from poolwise.collection.identifiers import IdTable
from poolwise.collection.judgments import Judgments
from poolwise.evidence.alignment import BEYOND, UNJUDGED, Evidence, align
from poolwise.evidence.grade_codes import codes_of_rows, count_by_grade_and_topic
from poolwise.evidence.topic_choice import check_common_topics, topic_notices
from poolwise.printout.provenance import Provenance

__all__ = ["FileGrader"]

_MOST_GRADES = np.iinfo(np.int8).max


class FileGrader:
    """Judgments, ready to grade run files.

    The evidence it returns is good for scores: it has the codes that :func:`~poolwise.align` gives,
    and need not have documents.
    """

    def __init__(self, judgments: Judgments) -> None:
        self._judgments = replace(judgments, notices=())
        self._scale = judgments.scale[judgments.scale >= 0]
        codes = codes_of_rows(judgments, np.dtype(np.int16))
        self._pool = count_by_grade_and_topic(judgments, codes, judgments.topics, len(self._scale))
        self._judged = None
        if len(self._scale) <= _MOST_GRADES:
            self._judged = JudgedMarks(
                judgments.topics,
                judgments.documents,
                judgments.starts,
                codes.astype(np.int8),
                other=UNJUDGED,
            )

    def grade(self, paths: Sequence[str], **reading: Any) -> Evidence:
        """Read and align runs, each called by its tag; ``reading`` is as for ``read_runs``."""
        if self._judged is not None:
            marked = mark_runs(paths, self._judged, beyond=BEYOND, **reading)
            if marked is not None:
                return self._evidence(marked)
        return align(read_runs(*paths, names="tag", **reading), self._judgments)

    def _evidence(self, runs: MarkedRuns) -> Evidence:
        judgments, lists = self._judgments, runs.lists
        check_common_topics(lists.topics, judgments)
        return Evidence(
            systems=runs.systems,
            topics=judgments.topics,
            codes=lists.marks,
            scale=self._scale,
            pool=self._pool,
            documents=np.empty((*lists.marks.shape[:2], 0), np.int32),
            document_starts=np.zeros(len(judgments.topics) + 1, np.int64),
            document_ids=IdTable.from_strings([]),
            judgment_rows=np.empty(0, np.int32),
            provenance=Provenance(
                judgments=judgments.source,
                runs=runs.sources,
                tie_rule=runs.tie_rule,
                notices=runs.notices + topic_notices(lists.topics, lists.lengths, judgments),
            ),
        )
