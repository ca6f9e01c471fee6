"""Runs met with judgments a block of topics at a time; nothing of a block is kept."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._topics import cut_topics
from poolwise.collection.files._native import JudgedMarks
from poolwise.collection.files._native_scanner import Marks
from poolwise.collection.files._run_stream import RunStream
from poolwise.errors import InputError
from poolwise.evidence.alignment import align
from poolwise.evidence.grade_codes import (
    BEYOND,
    code_type,
    codes_of_rows,
    count_by_grade_and_topic,
    grade_scale,
)
from poolwise.evidence.grades import Block
from poolwise.evidence.topic_choice import (
    check_common_topics,
    choose_topics,
    known_rule,
    require_topics,
    topic_notices,
)
from poolwise.provenance._provenance import Provenance

__all__ = ["GradeStream"]


class GradeStream:
    """Grades that are made while they are gone through, once.

    The blocks are those that :class:`~poolwise.Grades` would have, so that scores are the same to
    the last bit. Names of the runs and provenance are known when the last block has been read.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved.
    judged
        The grade codes of the judgments, for the reader; None where there are too many grades.
    counts_unknown
        Whether to count the unjudged documents of all runs, which ranges over them need.
    rule : {"judged", "common"} or iterable of str
        Which topics count: see ``TOPIC_RULES``; or these.
    ties, duplicates : str
        How the runs are read.

    Attributes
    ----------
    topics : tuple of str
    scale : float array
    slices : tuple of slice
        Which topics each block holds.
    """

    def __init__(
        self,
        judgments: Judgments,
        runs: RunStream,
        judged: JudgedMarks | None,
        *,
        counts_unknown: bool = True,
        rule: str | Iterable[str] = "judged",
        ties: str = "trec_eval",
        duplicates: str = "error",
    ) -> None:
        self._judgments, self._runs, self._judged = judgments, runs, judged
        self._counts_unknown = counts_unknown
        self._rule = known_rule(rule, judgments)
        self._ties, self._duplicates = ties, duplicates
        check_common_topics(judgments, runs.paths, runs.topics, runs.lengths)
        self.topics = choose_topics(judgments.topics, runs.topics, runs.lengths, self._rule)
        require_topics(self.topics, self._rule)
        self.scale = grade_scale(judgments)
        longest = np.zeros(len(self.topics), np.int64)
        rows = positions(runs.topics, self.topics)
        longest[rows[rows >= 0]] = runs.lengths[:, rows >= 0].max(axis=0, initial=0)
        self.slices = cut_topics(longest, len(runs))

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self._runs.systems()

    @property
    def provenance(self) -> Provenance:
        """What the grades were made of."""
        notices = self._judgments.notices + self._runs.notices(self._duplicates)
        retrieved, lengths = self._runs.topics, self._runs.lengths
        return Provenance(
            judgments=self._judgments.source,
            runs=self._runs.sources,
            tie_rule=self._ties,
            topic_rule=self._rule,
            notices=notices + topic_notices(self._judgments, retrieved, lengths, self._rule),
        )

    @property
    def blocks(self) -> Iterator[Block]:
        """Read the runs, and yield the topics that count, block by block."""
        codes = codes_of_rows(self._judgments, code_type(self.scale))
        pool = count_by_grade_and_topic(self._judgments, codes, self.topics, len(self.scale))
        for part in self.slices:
            codes, counted = self._read(self.topics[part])
            yield Block(codes=codes, scale=self.scale, pool=pool[part], counted_ranks=counted)
        self._read_others()
        self._check_choice()

    def _read(
        self, topics: tuple[str, ...]
    ) -> tuple[NDArray[np.integer], NDArray[np.unsignedinteger] | None]:
        """Return the codes of all runs on these topics, and the best ranks of the unjudged."""
        answering = self._runs.answering(topics)
        codes, counted = self._of_runs(topics) if answering else _nothing(len(topics))
        every = np.full((len(self._runs), *codes.shape[1:]), BEYOND, codes.dtype)
        every[answering] = codes
        return every, counted

    def _of_runs(
        self, topics: tuple[str, ...]
    ) -> tuple[NDArray[np.integer], NDArray[np.unsignedinteger] | None]:
        """Return the same of the runs that answer."""
        found = self._marks(topics)
        if found is not None:
            return found.blocks[0]
        whole = align(self._judgments.select(topics=topics), self._runs.documents(topics))
        (block,) = whole.recut(cells=whole.lengths.size * max(1, whole.depth)).blocks
        return block.codes, block.best_ranks if self._counts_unknown else None

    def _marks(self, topics: tuple[str, ...]) -> Marks | None:
        """Read nothing but the grades, where that is enough."""
        if self._judged is None:
            return None
        return self._runs.marks(topics, self._judged, beyond=BEYOND)

    def _read_others(self) -> None:
        """Read the topics that do not count as well: what is wrong there is refused, too."""
        counting = set(self.topics)
        kept = np.array([topic not in counting for topic in self._runs.topics], np.bool_)
        others = [topic for topic in self._runs.topics if topic not in counting]
        longest = self._runs.lengths[:, kept].max(axis=0, initial=0)
        for part in cut_topics(longest, len(self._runs)) if others else ():
            topics = tuple(others[part])
            if self._marks(topics) is None:
                self._runs.documents(topics)

    def _check_choice(self) -> None:
        """Raise where lines that were skipped would change which topics all runs answer."""
        found = choose_topics(
            self._judgments.topics, self._runs.topics, self._runs.lengths, self._rule
        )
        if found != self.topics:
            raise InputError(
                ", ".join(self._runs.paths[:3]),
                "a list that counts as common must hold a line that can be read",
                remedy="read the files whole with stream=False (--no-stream)",
            )


def _nothing(topics: int) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Return what there is of topics that no run answers."""
    return np.zeros((0, topics, 0), np.int8), np.zeros((topics, 0), np.uint8)
