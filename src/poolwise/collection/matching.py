"""Which judgment grades which retrieved document."""

import numpy as np
from numpy.typing import NDArray

from poolwise.collection.files.id_lookup import match_rows
from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs

__all__ = ["match_documents"]


def match_documents(judgments: Judgments, runs: Runs) -> NDArray[np.int32]:
    """Return, for each document row of the runs, the row of its judgment, −1 if it has none.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}})
    >>> match_documents(Judgments.from_dict({"1": {"a": 1, "b": 0}}), runs).tolist()
    [0, 1, -1]
    """
    return match_rows(
        runs.documents,
        runs.topic_starts,
        positions(runs.topics, judgments.topics),
        judgments.documents,
        judgments.starts,
    )
