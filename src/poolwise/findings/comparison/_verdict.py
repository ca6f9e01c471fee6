"""What it would take to settle the order of two runs: how many judgments, and of what."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import require_choice
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._ungraded import Kind, Universe
from poolwise.findings.comparison._differences import RESTS, Differences, difference_bounds
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.bounds._differences import topic_lists
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, named

__all__ = ["VERDICT_ROWS", "OpenDocument", "Verdict", "verdict"]

VERDICT_ROWS = {
    "pair": "one row for the pair of runs",
    "documents": "one row for each unjudged document whose judgment moves the difference",
}
"""What the rows of a verdict can be."""

_NAMED = 3
"""How many of the documents to judge are named in a sentence."""


class OpenDocument(NamedTuple):
    """An unjudged document, and how far its judgment can move the mean difference.

    Attributes
    ----------
    topic, document : str
        Where the document was retrieved, and its id.
    swing : float
        Above 0 where a relevant grade speaks for the first run, below 0 for the second.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["w", "x"]}})
    >>> outcome = verdict(align(Judgments.from_dict({"1": {"x": 1}}), runs), "P@2", "a", "b")
    >>> [(document.document, document.swing) for document in outcome.documents]
    [('u', 0.5), ('w', -0.5)]
    """

    topic: str
    document: str
    swing: float
    """Above 0 where a relevant grade speaks for the first run, below 0 for the second."""


@finding
class Verdict(Finding):
    """Whether unjudged documents could reverse the order of two runs, and what would settle it.

    Attributes
    ----------
    difference : Differences
        The pair, topic by topic.
    value, lower, upper : float
        The mean difference first − second, and its range over all assignments of grades.
    settled : bool
        No assignment of grades reverses the order: no two of them put different runs ahead,
        though some may make them level. Otherwise a reversal is possible.
    for_first, for_second : int or None
        The fewest judgments after which the first (second) run can no longer be behind: fewer
        cannot do it, whatever they say, and this many do it if each comes out in its favour. None
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
    >>> verdict(evidence, "DCG@3", "b", "a").sentences()
    ('a is ahead of b by 1.0000 in DCG@3. The unjudged documents in the first 3 ranks of these 2
    runs leave 0.0000 to 1.5000 and cannot reverse the order, though they could make the runs level
    (exact range, 1 topic).',)
    """

    difference: Differences
    value: float
    lower: float
    upper: float
    settled: bool
    for_first: int | None
    for_second: int | None
    documents: tuple[OpenDocument, ...] | None

    @property
    def fewest(self) -> int | None:
        """The fewest judgments that can settle the order either way; 0 where it is settled."""
        counts = [n for n in (self.for_first, self.for_second) if n is not None]
        return 0 if self.settled else min(counts, default=None)

    def to_judge(self) -> tuple[OpenDocument, ...]:
        """Return the fewest documents that can settle the order: none where nothing can."""
        return (self.documents or ())[: self.fewest or 0]

    def columns(self, *, rows: str = "pair") -> Columns:
        """Return one row: the difference, its range, the verdict and the fewest judgments.

        With the rows ``documents``, return one for each document whose judgment moves it.
        """
        require_choice("rows", rows, VERDICT_ROWS)
        return self._pair_columns() if rows == "pair" else self._document_columns()

    def _document_columns(self) -> Columns:
        moving = self.documents or ()
        return {
            "measure": [str(self.difference.measure)] * len(moving),
            "a": list(self.difference.first) * len(moving),
            "b": list(self.difference.second) * len(moving),
            "topic": [document.topic for document in moving],
            "document": [document.document for document in moving],
            "swing": [document.swing for document in moving],
        }

    def _pair_columns(self) -> Columns:
        return {
            "measure": [str(self.difference.measure)],
            "a": list(self.difference.first),
            "b": list(self.difference.second),
            "difference": [self.value],
            "bound_low": [self.lower],
            "bound_high": [self.upper],
            "verdict": self.difference.verdict.tolist(),
            "for_first": [self.for_first],
            "for_second": [self.for_second],
            "fewest": [self.fewest],
            "open_documents": [None if self.documents is None else len(self.documents)],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say whether the order is certain, and which judgments could settle it."""
        return (*self.difference.sentences(), *self._remedy())

    def _remedy(self) -> tuple[str, ...]:
        if self.settled or self.difference.reason:
            return ()
        if self.difference.verdict.item() == RESTS:
            return ("No judgments settle it, since a run lacks topics.",)
        if self.documents is None:
            measure = self.difference.measure
            return (f"How many judgments would settle it is not known by {measure}.",)
        if self.fewest is None:
            return ("No judgments can settle it, since a run lacks topics.",)
        wanted = [f"{d.topic}/{d.document}" for d in self.to_judge()]
        least = f"{self.fewest:,} of {counted(len(self.documents), 'unjudged document')}"
        return (f"To settle it, judge at least {least}: {named(wanted, most=_NAMED)}.",)


@recorded
def verdict(
    evidence: Evidence,
    measure: Measure | str,
    a: str,
    b: str,
    *,
    universe: Universe | Kind = "runs",
) -> Verdict:
    """Show whether unjudged documents could reverse the order of two runs, and what settles it.

    A judgment of a document with weights w_a and w_b moves one end of the range of a − b towards
    the other by full gain × ``|w_a − w_b|``, over the number of topics: the lower end up if the
    judgment speaks for a, the upper end down if it speaks for b. Taking the largest first needs
    the fewest.

    Parameters
    ----------
    a, b : str
        Names of the two systems.

    Returns
    -------
    Verdict
        The mean difference with its range, whether it is settled, and which documents would
        settle it.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["w", "t", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> outcome = verdict(evidence, "DCG@3", "a", "b")
    >>> outcome.sentences()[1]
    'To settle it, judge at least 2 of 4 unjudged documents: 1/w, 1/t.'
    """
    measure = parse_measure(measure)
    difference = difference_bounds(evidence, measure, a, b, universe=universe)
    value, lower, upper = (x.item() for x in difference.means())
    documents = _open_documents(evidence.select([a, b]), measure, difference.defined)
    swings = np.abs([d.swing for d in documents or ()])
    return Verdict(
        difference=difference,
        value=value,
        lower=lower,
        upper=upper,
        settled=bool(difference.settled.item()),
        for_first=None
        if documents is None
        else _fewest(swings, -lower, difference.sizes.tolerance),
        for_second=None
        if documents is None
        else _fewest(swings, upper, difference.sizes.tolerance),
        documents=documents,
        provenance=difference.provenance,
    )


def _fewest(swings: Floats, distance: float, within: float) -> int | None:
    """Return how many of the largest swings cover a distance, None if all of them do not."""
    # The largest first: no other choice of as many judgments gets further.
    covered = np.append(0.0, np.cumsum(swings)) >= distance - within
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
    documents = [
        OpenDocument(topic, seen.document_ids[row], scale * swing)
        for topic, moved in zip(seen.topics, swings, strict=True)
        for row, swing in moved
    ]
    return tuple(sorted(documents, key=lambda d: (-abs(d.swing), d.topic, d.document)))


def _swings(block: DocumentBlock, measure: StaticWeights) -> Iterator[list[tuple[int, float]]]:
    """Go through the topics: the rows of unjudged documents, and w_a − w_b where it is not 0."""
    weights = np.append(measure.weights(block.depth), 0.0)
    for t, (start, topic) in enumerate(
        zip(block.document_starts, topic_lists(block), strict=False)
    ):
        swings = (weights[topic.rank[0]] - weights[topic.rank[1]])[:-1]
        # The lists number unjudged documents alone, in the order of the topic's own numbers.
        unjudged = np.unique(block.documents[:, t][topic.unjudged])
        moving = swings != 0
        yield [
            (start + d, swing)
            for d, swing in zip(unjudged[moving].tolist(), swings[moving].tolist(), strict=True)
        ]
