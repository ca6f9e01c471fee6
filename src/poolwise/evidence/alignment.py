"""Runs met with judgments: every retrieved document gets its grade code."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from poolwise.collection._identifiers import positions, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._matching import match_documents
from poolwise.collection._runs import Runs
from poolwise.collection._topics import cut_topics
from poolwise.evidence.evidence import (
    DocumentBlock,
    Evidence,
    codes_of_documents,
    graded_documents,
)
from poolwise.evidence.grade_codes import (
    code_type,
    codes_of_rows,
    count_by_grade_and_topic,
    grade_scale,
)
from poolwise.evidence.sampled_documents import sample_of
from poolwise.evidence.topic_choice import (
    check_common_topics,
    choose_topics,
    known_rule,
    require_topics,
    topic_notices,
)
from poolwise.provenance._provenance import Provenance

__all__ = ["align"]


def align(judgments: Judgments, runs: Runs, *, topics: str | Iterable[str] = "judged") -> Evidence:
    """Join runs with judgments: every retrieved document gets its grade code.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved.
    topics : {"judged", "common"} or iterable of str
        Which topics to keep: all judged topics, those of them that every run answers, or these.
        The scale of grades is that of all judgments.

    Returns
    -------
    Evidence
        The grade codes of the retrieved documents, in blocks of topics, with the documents beside
        them. Negative codes are documents without a grade, and ranks past the end of a list.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 1}}), runs)
    >>> evidence.topics, evidence.blocks[0].codes.tolist()
    (('1', '2'), [[[0, 1, -2], [-3, -3, -3]]])
    """
    check_common_topics(judgments, runs.systems, runs.topics, runs.lengths)
    rule = known_rule(topics, judgments)
    kept = choose_topics(judgments.topics, runs.topics, runs.lengths, rule)
    require_topics(kept, rule)
    met = topic_notices(judgments, runs.topics, runs.lengths, rule)
    notices = judgments.notices + runs.notices + met
    runs = runs.select(topics=kept)
    rows = match_documents(judgments, runs)
    return Evidence(
        systems=runs.systems,
        topics=kept,
        blocks=tuple(_blocks(judgments, runs, kept, rows)),
        document_ids=runs.documents,
        judgment_rows=rows,
        provenance=Provenance(
            judgments=judgments.source,
            runs=runs.sources,
            tie_rule=runs.tie_rule,
            topic_rule=rule,
            notices=notices,
        ),
    )


def _blocks(
    judgments: Judgments, runs: Runs, topics: tuple[str, ...], judgment_rows: NDArray[np.int32]
) -> Iterator[DocumentBlock]:
    """Lay out the lists in blocks; ``runs`` has no other topics than these."""
    scale = grade_scale(judgments)
    of_row = codes_of_rows(judgments, code_type(scale))
    of_document = graded_documents(of_row, judgment_rows)
    pool = count_by_grade_and_topic(judgments, of_row, topics, len(scale))
    sample = sample_of(judgments, of_row, judgment_rows, topics, len(scale))
    lists = _Lists(runs, topics)
    for part in cut_topics(lists.lengths.max(axis=0, initial=0), len(runs.systems)):
        documents = lists.documents(part)
        starts = lists.document_starts[part.start : part.stop + 1]
        yield DocumentBlock(
            codes=codes_of_documents(documents, starts, of_document),
            scale=scale,
            pool=pool[part],
            documents=documents,
            document_starts=starts,
            sample=sample and sample.take(part),
        )


class _Lists:
    """The lists of runs, with an empty one for each topic that is not answered."""

    def __init__(self, runs: Runs, topics: tuple[str, ...]) -> None:
        answered = positions(runs.topics, topics)
        self.lengths = np.zeros((len(runs.systems), len(topics)), np.int64)
        self.lengths[:, answered] = runs.lengths
        sizes = np.zeros(len(topics), np.int64)
        sizes[answered] = np.diff(runs.topic_starts)
        self.document_starts = starts_of(sizes)
        self._starts = starts_of(self.lengths.ravel())
        self._rankings = runs.rankings

    def documents(self, topics: slice) -> NDArray[np.int32]:
        """Return document codes as systems × topics × ranks, −1 beyond the end of a list."""
        lengths = self.lengths[:, topics]
        if self.lengths.size and (self.lengths == self.lengths.flat[0]).all():
            return self._rankings.reshape(*self.lengths.shape, -1)[:, topics]
        inside = np.arange(lengths.max(initial=0)) < lengths[:, :, None]
        padded = np.full(inside.shape, -1, np.int32)
        # Both sides run by system, then by topic, then by rank.
        padded[inside] = np.concatenate([np.empty(0, np.int32), *self._of_systems(topics)])
        return padded

    def _of_systems(self, topics: slice) -> Iterator[NDArray[np.int32]]:
        """Go through the systems, and return the lists of these topics, one after another."""
        width = self.lengths.shape[1]
        edges = np.arange(len(self.lengths)) * width
        firsts, pasts = self._starts[edges + topics.start], self._starts[edges + topics.stop]
        for first, past in zip(firsts.tolist(), pasts.tolist(), strict=True):
            yield self._rankings[first:past]
