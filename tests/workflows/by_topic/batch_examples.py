"""Lines of runs as an Arrow table, for whoever scores them in batches."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import poolwise as pw
from poolwise.scores._scoring import Evaluation

__all__ = ["MEASURES", "NAMES", "assert_as_evaluated", "lines", "qrels", "whole_topics"]

MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)", "ERR@20", "INST")
NAMES = ("r0", "r1", "r2")
TOPICS = ("1", "10", "2", "a-topic", "unjudged")


def lines() -> pa.Table:
    """Return the lines of three runs; each lacks a topic, and scores are tied."""
    rng = np.random.default_rng(5)
    rows = [
        (name, topic, f"d{document}", (30 - rank) // 2 / 7, rank)
        for r, name in enumerate(NAMES)
        for t, topic in enumerate(TOPICS)
        if t != r
        for rank, document in enumerate(rng.permutation(50)[: 4 + 9 * t].tolist())
    ]
    names = ("run", "topic", "document", "score", "rank")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def qrels() -> pw.Judgments:
    """Return judgments of some of the documents, and of a topic that no run answers."""
    judged = (*TOPICS[:-1], "unanswered")
    return pw.Judgments.from_dict({t: {f"d{d}": d % 4 for d in range(0, 50, 3)} for t in judged})


def whole_topics(size: int) -> Iterator[pa.Table]:
    """Yield the lines in tables of so many whole topics."""
    table = lines()
    for first in range(0, len(TOPICS), size):
        wanted = pa.array(TOPICS[first : first + size])
        yield table.filter(pc.is_in(table["topic"], wanted))


def assert_as_evaluated(evaluation: Evaluation, **options: Any) -> None:
    """Hold an evaluation to be what evaluate gives for the same lines, to the last bit."""
    whole = pw.evaluate(qrels(), lines(), MEASURES, **options)
    for name in whole:
        one, other = evaluation[name], whole[name]
        assert (one.systems, one.topics, one.scope) == (other.systems, other.topics, other.scope)
        for numbers in ("value", "lower", "upper", "tail", "answered"):
            np.testing.assert_array_equal(getattr(one, numbers), getattr(other, numbers))
        assert one.answered.dtype == other.answered.dtype
        assert one.sentences() == other.sentences()
