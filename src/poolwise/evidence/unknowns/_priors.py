"""How likely each grade is for a document that nobody graded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers
from poolwise.collection._labels import Labels
from poolwise.collection._pools import BANDS
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades, join_topics
from poolwise.evidence._labelled_rows import FEWEST_BOTH, grades_of_rows, require_one_machine

__all__ = [
    "POOLED_OVER",
    "PRIORS",
    "DocumentPrior",
    "LabelledPrior",
    "ListPrior",
    "Prior",
    "grade_prior",
]


class Prior(Protocol):
    """The probabilities of each grade for the documents of one topic at given systems and ranks."""

    def probabilities(self, topic: int, systems: Indices, ranks: Indices) -> Floats:
        """Return one row of probabilities over the grades for each document."""


@dataclass(frozen=True, eq=False)
class ListPrior:
    """The same probabilities for every unjudged document of a list: systems × topics × grades."""

    table: Floats

    def probabilities(self, topic: int, systems: Indices, ranks: Indices) -> Floats:
        """Return the probabilities of each document's list."""
        del ranks
        return self.table[systems, topic]


@dataclass(frozen=True, eq=False)
class DocumentPrior:
    """Probabilities by document, whichever list it is in: a band per document, a row per band."""

    evidence: Evidence
    bands: Indices
    table: Floats

    def probabilities(self, topic: int, systems: Indices, ranks: Indices) -> Floats:
        """Return the probabilities of each document's band."""
        return self.table[self.bands[_rows_at(self.evidence, topic, systems, ranks)]]


def _rows_at(evidence: Evidence, topic: int, systems: Indices, ranks: Indices) -> Integers:
    """Return the rows of the documents at given systems and ranks."""
    number, place = evidence.locate(topic)
    block = evidence.blocks[number]
    return np.asarray(block.document_starts[place] + block.documents[systems, place, ranks])


@dataclass(frozen=True, eq=False)
class LabelledPrior:
    """Another prior, and how often documents of each grade have the label that a document has.

    By Bayes' rule: what a label says of the grade is taken to be the same on all topics. A document
    without a label keeps its prior; one judged document more for each label and grade keeps a label
    that was never seen with a grade from ruling it out.
    """

    prior: Prior
    evidence: Evidence
    bands: Indices
    likelihood: Floats

    @classmethod
    def of(cls, prior: Prior, evidence: Evidence, labels: Labels) -> "LabelledPrior":
        """Learn what labels mean from the judged documents that have one."""
        require_one_machine(labels)
        codes, _ = _retrieved(evidence)
        grades = grades_of_rows(labels, evidence, np.arange(len(codes)))
        labelled = ~np.isnan(grades)
        both = labelled & (codes >= 0)
        if both.sum() < FEWEST_BOTH:
            raise OptionError(
                "labels: what a label means is learned from judged documents that have one, "
                f"{FEWEST_BOTH} at least in the ranks that are scored; got {both.sum()}. Hint: "
                "label judged documents as well."
            )
        seen = np.unique(grades[labelled])
        bands = np.where(labelled, np.searchsorted(seen, grades), len(seen))
        counts = np.ones((len(seen), len(evidence.scale)))
        np.add.at(counts, (bands[both], codes[both]), 1)
        says_nothing = np.ones((1, len(evidence.scale)))
        return cls(prior, evidence, bands, np.vstack([counts / counts.sum(axis=0), says_nothing]))

    def probabilities(self, topic: int, systems: Indices, ranks: Indices) -> Floats:
        """Return the probabilities of each document, its label allowed for."""
        rows = _rows_at(self.evidence, topic, systems, ranks)
        before = self.prior.probabilities(topic, systems, ranks)
        joint = before * self.likelihood[self.bands[rows]]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def grade_prior(
    evidence: Evidence, prior: str, *, over: str = "topics", labels: Labels | None = None
) -> Prior:
    """Return the prior of this name, over the ranks that the evidence holds.

    ``over`` says whose judged documents the pool's shares are of: each topic's own, as B23 §3.2
    writes, or those of all topics together, as its authors' code has it. That code also expects
    grade 0 in a list without any judged document, where the text leaves the run's shares open.

    ``labels`` are predicted grades, by which the prior of each document is made more informed (what
    B23 §5 wishes for): it is multiplied by how often judged documents of a grade have that label.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None]], judged=[1, 0, 0, 0])
    >>> for name in ("pool", "run", "pool+run"):
    ...     print(name, grade_prior(evidence, name).probabilities(0, np.array([0]), np.array([1])))
    pool [[0.75 0.25]]
    run [[0. 1.]]
    pool+run [[0.375 0.625]]
    """
    require_choice("prior", prior, PRIORS)
    require_choice("over", over, POOLED_OVER)
    if over == "all" and prior not in ("pool", "run", "pool+run"):
        raise OptionError(
            f"over: the prior {prior!r} is over all topics in any case. Hint: leave over out."
        )
    plain = PRIORS[prior](evidence) if over == "topics" else _prior_of_all(evidence, prior)
    return plain if labels is None else LabelledPrior.of(plain, evidence, labels)


def _pool_prior(grades: Grades) -> ListPrior:
    """Return the shares of the grades among the topic's judged documents (B23 §3.2)."""
    counts = np.broadcast_to(grades.pool, (len(grades.systems), *grades.pool.shape))
    return ListPrior(_shares(counts, _surely_lowest(grades)))


def _run_prior(grades: Grades) -> ListPrior:
    """Return the shares among the judged documents of the list (B23 §3.2).

    A list without any judged document says nothing: the pool's shares stand in.
    """
    return ListPrior(_shares(_counts_of_lists(grades), _pool_prior(grades).table))


def _counts_of_lists(grades: Grades) -> Integers:
    """Count the judged documents of each list by grade, systems × topics × grades."""
    counts = [
        join_topics((block.codes == grade).sum(axis=2) for block in grades.blocks)
        for grade in range(len(grades.scale))
    ]
    return np.stack(counts, axis=2)


def _mixed_prior(grades: Grades) -> ListPrior:
    """Return the mean of the pool's and the run's shares (B23 §3.2)."""
    return ListPrior((_pool_prior(grades).table + _run_prior(grades).table) / 2)


def _prior_of_all(grades: Grades, prior: str) -> ListPrior:
    """Return the shares that the authors of B23 compute: of all topics' judged documents.

    Where a list has no judged document, all is on the lowest grade.
    """
    counts, lowest = _counts_of_lists(grades), _surely_lowest(grades)
    pool = _shares(grades.pool.sum(axis=0), lowest)
    tables = {"pool": np.broadcast_to(pool, counts.shape), "run": _shares(counts, lowest)}
    mixed = np.mean([tables[part] for part in prior.split("+")], axis=0)
    return ListPrior(np.where(counts.sum(axis=2, keepdims=True) > 0, mixed, lowest))


def _multiplicity_prior(evidence: Evidence) -> DocumentPrior:
    """Return the shares among judged documents that as many runs retrieve (U18 table 4).

    Counted over all topics; a band without judged documents takes the shares of all of them.
    """
    codes, nominations = _retrieved(evidence)
    bands = np.searchsorted(BANDS, nominations, side="right") - 1
    counts = np.zeros((len(BANDS), len(evidence.scale)))
    judged = (codes >= 0) & (nominations > 0)
    np.add.at(counts, (bands[judged], codes[judged]), 1)
    overall = _shares(counts.sum(axis=0, keepdims=True), _surely_lowest(evidence))
    return DocumentPrior(evidence, bands, _shares(counts, overall))


def _retrieved(evidence: Evidence) -> tuple[NDArray[np.integer], Integers]:
    """Return for each document its grade code, −1 without one, and how many runs retrieve it."""
    codes = np.full(len(evidence.document_ids), -1, evidence.blocks[0].codes.dtype)
    nominations = np.zeros(len(codes), np.int64)
    for block in evidence.blocks:
        retrieved = block.documents >= 0
        rows = block.rows(block.documents)[retrieved]
        codes[rows] = block.codes[retrieved]
        np.add.at(nominations, rows, 1)
    return codes, nominations


def _surely_lowest(grades: Grades) -> Floats:
    """Return probabilities that are all on the lowest grade, for where nothing is judged."""
    return np.eye(len(grades.scale))[0]


def _shares(counts: NDArray[np.generic], otherwise: Floats) -> Floats:
    """Divide counts by their sum over the last axis; where that is 0 take the others."""
    total = np.asarray(counts, np.float64).sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), otherwise)


PRIORS: dict[str, Callable[[Evidence], Prior]] = {
    "pool": _pool_prior,
    "run": _run_prior,
    "pool+run": _mixed_prior,
    "multiplicity": _multiplicity_prior,
}

POOLED_OVER = {
    "topics": "each topic's own judged documents, as B23 writes",
    "all": "those of all topics together, as the authors' code has it",
}
"""Whose judged documents the shares of the prior ``pool`` are of."""
