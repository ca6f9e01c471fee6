"""What it would take to settle the order of two runs: how many judgments, and of what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.evidence import DocumentBlock, Evidence
from poolwise.findings.comparison.differences import ROUNDING, Differences, difference_bounds
from poolwise.measures.bounds.shared_documents import topic_lists
from poolwise.measures.families.static_weights import StaticWeights
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure

__all__ = ["OpenDocument", "Verdict", "verdict"]


class OpenDocument(NamedTuple):
    """An unjudged document, and how far its judgment can move the mean difference."""

    topic: str
    document: str
    swing: float
    """Above 0 where a relevant grade speaks for the first run, below 0 for the second."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether unjudged documents could reverse the order of two runs, and what would settle it.

    Attributes
    ----------
    difference : Differences
        The pair, topic by topic.
    value, lower, upper : float
        The mean difference first − second, and its range over all gradings.
    certain : bool
        No grading reverses the order: no two gradings put different runs ahead, though some may
        make them equal. Otherwise a reversal is possible.
    for_first, for_second : int or None
        The fewest judgments after which the first (second) run can be ahead for certain: fewer
        cannot do it, whatever they say, and this many do it if each comes out in its favour. None
        if all judgments together could not (RBP's ranks past the end of the lists stay open), or
        if ``documents`` is None.
    documents : tuple of OpenDocument, or None
        The unjudged documents whose judgment moves the difference, the furthest first; the first
        ``for_first`` of them are those to judge. None where the measure is not a sum over
        documents: a judgment then also changes R or the ideal ranking, and moves the difference
        by an amount that depends on the others.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["w", "u", "y"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    >>> found = verdict(evidence, "DCG@3", "a", "b")
    >>> print(found)
    a − b, DCG@3: +1.0000 [+0.0000, +1.5000], exact, 1 topic: certain
    >>> print(verdict(evidence, "DCG@3", "b", "a"))
    b − a, DCG@3: -1.0000 [-1.5000, +0.0000], exact, 1 topic: certain
    """

    difference: Differences
    value: float
    lower: float
    upper: float
    certain: bool
    for_first: int | None
    for_second: int | None
    documents: tuple[OpenDocument, ...] | None

    @property
    def fewest(self) -> int | None:
        """The fewest judgments that can settle the order either way; 0 where it is certain."""
        counts = [n for n in (self.for_first, self.for_second) if n is not None]
        return 0 if self.certain else min(counts, default=None)

    def to_judge(self) -> tuple[OpenDocument, ...]:
        """Return the fewest documents that can settle the order: none where nothing can."""
        return (self.documents or ())[: self.fewest or 0]

    def __str__(self) -> str:
        return "\n".join([str(self.difference), *self._remedy()])

    def _remedy(self) -> list[str]:
        if self.certain:
            return []
        if self.documents is None:
            return ["What would settle it cannot be counted for this measure."]
        if self.fewest is None:
            return ["No judgments can settle it: the lists end too early."]
        named = ", ".join(f"{d.topic}/{d.document}" for d in self.to_judge()[:3])
        more = "…" if self.fewest > 3 else ""
        least = f"{self.fewest} of {len(self.documents)} documents"
        return [f"To settle it, judge at least {least}: {named}{more}"]


def verdict(evidence: Evidence, measure: Measure | str, a: str, b: str) -> Verdict:
    """Say whether unjudged documents could reverse the order of two runs, and what settles it.

    A judgment of a document with weights w_a and w_b moves one end of the range of a − b towards
    the other by full gain × |w_a − w_b|, over the number of topics: the lower end up if the
    judgment speaks for a, the upper end down if it speaks for b. Taking the largest first needs
    the fewest.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["w", "t", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> print(verdict(evidence, "DCG@3", "a", "b"))
    a − b, DCG@3: +0.5000 [-1.1309, +1.6309], exact, 1 topic: possible
    To settle it, judge at least 2 of 4 documents: 1/w, 1/t
    """
    measure = parse_measure(measure)
    found = difference_bounds(evidence, measure, a, b)
    value, lower, upper = (x.item() for x in found.means())
    documents = _open_documents(evidence.select([a, b]), measure, found.defined)
    swings = np.abs([d.swing for d in documents or ()])
    return Verdict(
        difference=found,
        value=value,
        lower=lower,
        upper=upper,
        certain=bool(found.certain.item()),
        for_first=None if documents is None else _fewest(swings, -lower),
        for_second=None if documents is None else _fewest(swings, upper),
        documents=documents,
    )


def _fewest(swings: Floats, distance: float) -> int | None:
    """Return how many of the largest swings cover a distance, None if all of them do not."""
    covered = np.append(0.0, np.cumsum(swings)) >= distance - ROUNDING
    return int(covered.argmax()) if covered.any() else None


def _open_documents(
    pair: Evidence, measure: Measure, topics: Booleans
) -> tuple[OpenDocument, ...] | None:
    """Return the unjudged documents of two runs that move their difference, furthest first."""
    if not isinstance(measure, StaticWeights):
        return None
    seen = measure.cut(pair)
    scale = measure.full_gain(pair.scale) / max(int(topics.sum()), 1)
    swings = [swing for block in seen.blocks for swing in _swings(block, measure)]
    found = [
        OpenDocument(topic, seen.document_ids[row], scale * swing)
        for topic, moved in zip(seen.topics, swings, strict=True)
        for row, swing in moved
    ]
    return tuple(sorted(found, key=lambda d: (-abs(d.swing), d.topic, d.document)))


def _swings(block: DocumentBlock, measure: StaticWeights) -> Iterator[list[tuple[int, float]]]:
    """Go through the topics: the rows of unjudged documents, and w_a − w_b where it is not 0."""
    weights = np.append(measure.weights(block.depth), 0.0)
    for start, topic in zip(block.document_starts, topic_lists(block), strict=False):
        swings = weights[topic.rank[0]] - weights[topic.rank[1]]
        unjudged = np.unique(topic.documents[topic.unjudged])
        yield [(start + d, float(swings[d])) for d in unjudged[swings[unjudged] != 0].tolist()]
