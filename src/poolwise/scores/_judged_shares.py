"""The share of judged documents beside scores, and the topic on which it is smallest."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Integers
from poolwise.measures._judged_depth import first_documents, judged_share_of
from poolwise.measures._measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, named

__all__ = ["LeastJudged", "least_by_run", "list_lengths"]


class LeastJudged(NamedTuple):
    """Where the least is judged: of which run, on which topic.

    Examples
    --------
    >>> from poolwise import P
    >>> judged = ScoreTable.from_matrix([[1.0, 0.6], [0.2, 1.0]], systems="ab", topics="12",
    ...                                 measure="Judged@10")
    >>> print(LeastJudged.of(judged, P @ 10))
    At worst, 20% of b's first ten documents are judged, on topic 1.
    """

    measure: Measure
    run: str
    topic: str
    share: float

    @classmethod
    def of(cls, judged: ScoreTable, measure: Measure) -> "LeastJudged | None":
        """Return the smallest share; None where everything is judged, or nothing is known."""
        if np.isnan(judged.value).all() or np.nanmin(judged.value) >= 1:
            return None
        run, topic = np.unravel_index(np.nanargmin(judged.value), judged.value.shape)
        share = float(judged.value[run, topic])
        return cls(measure, judged.systems[run], judged.topics[topic], share)

    @property
    def words(self) -> str:
        """The same as part of a sentence."""
        share = f"{self.share:.0%} of {self.run}'s {first_documents(self.measure)}"
        return f"{share} are judged, on topic {self.topic}"

    def __str__(self) -> str:
        return f"At worst, {self.words}."


def least_by_run(judged: ScoreTable) -> list[tuple[float, str]]:
    """Return the smallest share of each run, and the topic that has it; empty where none is known.

    Examples
    --------
    >>> judged = ScoreTable.from_matrix([[1.0, 0.6], [0.2, 1.0]], systems="ab", topics="12",
    ...                                 measure="Judged@10")
    >>> least_by_run(judged)
    [(0.6, '2'), (0.2, '1')]
    """
    known = np.where(np.isnan(judged.value), np.inf, judged.value)
    at = known.argmin(axis=1).tolist()
    least = known.min(axis=1, initial=np.inf).tolist()
    return [
        (share, judged.topics[t]) if share < np.inf else (float("nan"), "")
        for share, t in zip(least, at, strict=True)
    ]


def list_lengths(measure: Measure, systems: Sequence[str], longest: Integers) -> tuple[str, ...]:
    r"""Say how deep a measure without cut-off looks, and which runs have shorter lists.

    D10 §4.1 asks for the depth of evaluation with every score.

    Examples
    --------
    >>> from poolwise import AP
    >>> print(*list_lengths(AP, ["bm25", "dense"], np.array([1000, 100])), sep="\n")
    AP looks at whole lists, here of up to 1,000 documents.
    The lists of dense end at rank 100, so that they can score less: AP@100 compares all runs at one
    depth.
    """
    deepest = int(longest.max(initial=0))
    if measure.depth is not None or not deepest:
        return ()
    weighty = judged_share_of(measure).cutoff
    most = f"; the first {weighty:,} have 95% of its weight" if weighty else ""
    whole = f"{measure} looks at whole lists, here of up to {counted(deepest, 'document')}{most}."
    reached = min(deepest, weighty or deepest)
    short = [name for name, n in zip(systems, longest.tolist(), strict=True) if n < reached]
    return (whole, *_shorter(measure, short, int(longest.min())))


def _shorter(measure: Measure, runs: Sequence[str], end: int) -> tuple[str, ...]:
    """Name the runs whose lists end before those of the others."""
    if not runs:
        return ()
    where = "at rank" if len(runs) == 1 else "earlier, some at rank"
    cut = f"{measure}@{end}" if end and measure.at == "cutoff" else "a measure with a cut-off"
    return (
        (
            f"The lists of {named(runs)} end {where} {end:,}, so that they can score less: {cut} "
            "compares all runs at one depth."
        ),
    )
