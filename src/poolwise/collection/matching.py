"""Which judgment grades which retrieved document."""

import numpy as np
from numpy.typing import NDArray

from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs

__all__ = ["match_documents"]


def match_documents(runs: Runs, judgments: Judgments) -> NDArray[np.int32]:
    """Return, for each document row of the runs, the row of its judgment, −1 if it has none.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}})
    >>> match_documents(runs, Judgments.from_dict({"1": {"a": 1, "b": 0}})).tolist()
    [0, 1, -1]
    """
    matched = np.full(len(runs.documents), -1, np.int32)
    for t, j in enumerate(positions(runs.topics, judgments.topics).tolist()):
        if j < 0:
            continue
        row_of = {judgments.documents[r]: r for r in range(*judgments.starts[j : j + 2])}
        rows = range(*runs.topic_starts[t : t + 2])
        matched[rows.start : rows.stop] = [row_of.get(runs.documents[r], -1) for r in rows]
    return matched
