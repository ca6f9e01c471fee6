"""How much of each run is judged, run by run and topic by topic."""

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import positions
from poolwise.evidence._audit import Audit, judged_columns
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import count_ungraded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._scoring import score_all
from poolwise.words import counted

__all__ = ["FIRST_RANKS", "JudgedCoverage", "judged_coverage"]

FIRST_RANKS = 10
"""The ranks whose judgments are looked at."""


@finding
class JudgedCoverage(Finding):
    """What is judged of each run.

    Attributes
    ----------
    systems, topics : tuple of str
        The runs, and the topics they are scored on.
    judged_at_10, judged_at_100 : float array, systems
        Share of the first documents that are judged: the mean of ``Judged@10`` and of
        ``Judged@100`` over the topics that a run answers; NaN for a run that answers none.
    first_unjudged : int array, systems × topics
        Rank of the first unjudged document; one past the end of a fully judged list.
    unjudged : int array, systems × topics
        Unjudged documents among the first ten.
    answered : bool array, systems × topics
        Whether the run retrieved anything for the topic.
    judged, relevant : int array, topics
        Judged documents, and relevant ones.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> for sentence in report(made.judgments, made.runs, ["P@5"]).coverage.sentences():
    ...     print(sentence)
    1 of 4 runs and 20 of 20 topics have unjudged documents among the first 10.
    Every run has at least 18% of its first 10 documents judged.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    judged_at_10: Floats
    judged_at_100: Floats
    first_unjudged: Integers
    unjudged: Integers
    answered: Booleans
    judged: Integers
    relevant: Integers

    @property
    def least_judged(self) -> float:
        """The smallest share of the first documents that any run has judged; NaN without one."""
        shares = self.judged_at_10[~np.isnan(self.judged_at_10)]
        return float(shares.min()) if len(shares) else float("nan")

    @property
    def judged_documents(self) -> int:
        """How many documents are judged, over all topics."""
        return int(self.judged.sum())

    def run_order(self) -> Indices:
        """Return the runs by their unjudged documents, those with most of them first."""
        return np.argsort(-self.unjudged.sum(axis=1), kind="stable")

    def topic_order(self) -> Indices:
        """Return the topics by their unjudged documents, those with most of them first."""
        return np.argsort(-self.unjudged.sum(axis=0), kind="stable")

    def columns(self) -> Columns:
        """Return one row per run."""
        shares = judged_columns(
            self.systems, self.judged_at_10, self.judged_at_100, self.first_unjudged
        )
        return shares | {"unjudged_at_10": self.unjudged.sum(axis=1).tolist()}

    def cells(self) -> Columns:
        """Return one row per run and topic that it answers, those with most unjudged first."""
        orders = self.run_order().tolist(), self.topic_order().tolist()
        cells = [(s, t) for s in orders[0] for t in orders[1] if self.answered[s, t]]
        return {
            "run": [self.systems[s] for s, _ in cells],
            "topic": [self.topics[t] for _, t in cells],
            "unjudged": [int(self.unjudged[s, t]) for s, t in cells],
        }

    def cell_counts(self) -> Columns:
        """Return on how many of its topics each run has how many unjudged documents."""
        counts = [
            np.bincount(self.unjudged[s][self.answered[s]], minlength=FIRST_RANKS + 1)
            for s in self.run_order().tolist()
        ]
        return {
            "run": [self.systems[s] for s in self.run_order().tolist() for _ in counts[0]],
            "unjudged": list(range(FIRST_RANKS + 1)) * len(counts),
            "topics": np.concatenate(counts).tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say where documents are unjudged, and how much every run has judged at least."""
        return (self.where_unjudged(), *self.least_sentence())

    def where_unjudged(self) -> str:
        """Say how many runs, and how many topics, have unjudged documents in the first ranks."""
        runs, topics = ((self.unjudged > 0).any(axis=axis).sum() for axis in (1, 0))
        if not runs:
            return f"The first {FIRST_RANKS} documents of every run are judged on every topic."
        all_runs, all_topics = counted(len(self.systems), "run"), counted(len(self.topics), "topic")
        return (
            f"{runs:,} of {all_runs} and {topics:,} of {all_topics} have unjudged documents among "
            f"the first {FIRST_RANKS}."
        )

    def least_sentence(self) -> tuple[str, ...]:
        """Say how much of its first ranks every run has judged; nothing where no run answers."""
        if np.isnan(self.least_judged):
            return ()
        least = f"at least {self.least_judged:.0%}" if self.least_judged < 1 else "all"
        return (f"Every run has {least} of its first {FIRST_RANKS} documents judged.",)


def judged_coverage(evidence: Evidence, checked: Audit) -> JudgedCoverage:
    """Return what is judged of each run on the topics it is scored on."""
    tables = score_all(evidence, [f"Judged@{FIRST_RANKS}", "Judged@100"], bounds="none").scores
    at = positions(evidence.topics, checked.topics)
    return JudgedCoverage(
        systems=evidence.systems,
        topics=evidence.topics,
        judged_at_10=tables[0].system_means(),
        judged_at_100=tables[1].system_means(),
        first_unjudged=checked.first_unjudged[:, at],
        unjudged=count_ungraded(evidence.truncate(FIRST_RANKS)),
        answered=tables[0].answered,
        judged=checked.judged[at],
        relevant=checked.relevant[at],
        provenance=evidence.provenance,
    )
