"""The documents whose grades would move the open orders of one run and others most."""

import shlex
from itertools import islice

import numpy as np

from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pairs import Pairs
from poolwise.judging.candidates import Candidates, candidates_of
from poolwise.judging.open_pairs import Swings, swings_of
from poolwise.judging.order_replay import Step, proposals
from poolwise.judging.orders.given_weights import GivenWeights
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import are, counted

__all__ = ["SettlingDocuments", "settling_documents"]

DEPTH = 20
"""Ranks of each run that are looked at, where the measure looks at no fewer."""
MOST = 10
"""Documents that are named."""


@finding
class SettlingDocuments(Finding):
    """The documents to judge first for the orders of one run and others that are open.

    Attributes
    ----------
    measure : Measure
    run : str
        The run whose orders they are.
    open_pairs : int
        How many of its orders unjudged documents could still decide.
    topic, document : tuple of str
        The documents, the one that would move these orders most first.
    best_rank, runs : tuple of int
        The best rank that any run gives each, and how many runs have it that high.
    moves : tuple of int
        How many of the open orders each would move, if it were relevant.
    swing : tuple of float
        How far it would move the differences of means, summed over these orders.
    depth : int
        Ranks of each run that were looked at.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, parse_measure
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1}}), runs)
    >>> found = settling_documents(
    ...     evidence, parse_measure("P@2"), "bm25", Pairs.of_two(evidence.systems, "bm25", "ql"))
    >>> found.document, found.swing
    (('b', 'c'), (0.5, 0.5))
    """

    measure: Measure
    run: str
    open_pairs: int
    topic: tuple[str, ...]
    document: tuple[str, ...]
    best_rank: tuple[int, ...]
    runs: tuple[int, ...]
    moves: tuple[int, ...]
    swing: tuple[float, ...]
    depth: int = DEPTH

    def __len__(self) -> int:
        return len(self.document)

    def columns(self) -> Columns:
        """Return one row per document, the one that would move most first."""
        return {
            "run": [self.run] * len(self),
            "topic": list(self.topic),
            "document": list(self.document),
            "best_rank": list(self.best_rank),
            "runs": list(self.runs),
            "moves": list(self.moves),
            "swing": list(self.swing),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what is open, and that these documents would settle the most of it."""
        orders = f"{counted(self.open_pairs, 'order')} of {self.run} and another run"
        verb = are(self.open_pairs)
        is_open = f"By {self.measure}, {orders} {verb} open to judging."
        if not len(self):
            return is_open, f"No single document in the first {DEPTH} ranks would move one."
        named = "The document below would move" if len(self) == 1 else "Those below would move"
        moves = f"{named} the differences of means most, if relevant."
        return is_open, moves, f"The same list is that of `{self.command()}`."

    def command(self) -> str:
        """Return the command that gives this list; a larger budget lists more."""
        goal, measure = (shlex.quote(text) for text in (f"run:{self.run}", str(self.measure)))
        return (
            f"poolwise next QRELS RUNS --goal {goal} --measure {measure} --depth {self.depth} "
            f"--topics {self._topics()} --budget {MOST}"
        )

    def _topics(self) -> str:
        rule = self.provenance.topic_rule
        return rule if isinstance(rule, str) else "FILE"


def settling_documents(
    evidence: Evidence, measure: Measure, run: str, pairs: Pairs
) -> SettlingDocuments:
    """Find the documents that would move these open pairs most.

    Parameters
    ----------
    evidence : Evidence
        The runs, met with the judgments.
    measure : Measure
        What runs are scored by.
    run : str
        The run that the pairs are about.
    pairs : Pairs
        The pairs with it whose order is open.

    Returns
    -------
    SettlingDocuments
        At most ten documents, the one that would move the open orders most first.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, parse_measure
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["v", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> pairs = Pairs.of_two(evidence.systems, "a", "b")
    >>> found = settling_documents(evidence, parse_measure("RBP(p=0.5)"), "a", pairs)
    >>> found.document, found.swing
    (('v', 'u'), (0.5, 0.25))
    """
    candidates = candidates_of(evidence, depth=min(measure.depth or DEPTH, DEPTH))
    swings = swings_of(pairs, evidence, measure, candidates)
    at = [(step.topic, step.document) for step in _heaviest(candidates, swings)]
    there = [(candidates.topics[t], d) for t, d in at]
    return SettlingDocuments(
        measure=measure,
        run=run,
        open_pairs=len(pairs),
        topic=tuple(one.topic for one, _ in there),
        document=tuple(one.ids[d] for one, d in there),
        best_rank=tuple(int(one.best_ranks[d]) for one, d in there),
        runs=tuple(int(one.holders[d]) for one, d in there),
        moves=tuple(int(np.count_nonzero(swings.of(t)[:, d].round(12))) for t, d in at),
        swing=tuple(float(np.abs(swings.of(t)[:, d]).sum()) for t, d in at),
        depth=candidates.depth,
        provenance=evidence.provenance,
    )


def _heaviest(candidates: Candidates, swings: Swings) -> list[Step]:
    """Return the first documents of the order mtc, which is that of the goal about one run."""
    steps = proposals(GivenWeights(candidates, swings.weights()))
    return list(islice((step for step in steps if round(step.weight, 12) > 0), MOST))
