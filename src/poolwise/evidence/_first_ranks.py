"""The first ranks of runs, document by document, over all topics together."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Indices
from poolwise.evidence._evidence import Evidence

__all__ = ["FirstRanks", "first_ranks"]


@dataclass(frozen=True, eq=False)
class FirstRanks:
    """Who ranks what where: one entry for each run, topic and rank down to a depth.

    Attributes
    ----------
    run, topic, rank, row : int array, one entry per document of a list
        The run, the topic, the rank from 0, and the document as a row of the evidence.
    rows : int array
        The documents that occur, as rows of the evidence, ascending.
    place : int array, one entry per document of a list
        Where the document stands among ``rows``.
    topic_of_row : int array, one entry per row of ``rows``
    """

    run: Indices
    topic: Indices
    rank: Indices
    row: Indices
    rows: Indices
    place: Indices
    topic_of_row: Indices


def first_ranks(evidence: Evidence, depth: int) -> FirstRanks:
    """Return the first ranks of all runs on all topics.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = pw.Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z", "x"]}})
    >>> ranks = first_ranks(pw.align(pw.Judgments.from_dict({"1": {"y": 1}}), runs), 2)
    >>> ranks.run.tolist(), ranks.rank.tolist(), ranks.row.tolist()
    ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 2])
    """
    parts, first = [], 0
    for block in evidence.blocks:
        documents = block.documents[:, :, :depth]
        run, topic, rank = np.nonzero(documents >= 0)
        row = block.document_starts[topic] + documents[run, topic, rank]
        parts.append((run, topic + first, rank, row))
        first += block.shape[1]
    run, topic, rank, row = (np.concatenate(column) for column in zip(*parts, strict=True))
    rows, place = np.unique(row, return_inverse=True)
    topic_of_row = np.zeros(len(rows), np.intp)
    topic_of_row[place] = topic
    return FirstRanks(run, topic, rank, row.astype(np.intp), rows, place, topic_of_row)
