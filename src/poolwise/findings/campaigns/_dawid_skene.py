"""Grades from several people who err in their own ways (Dawid and Skene 1979)."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices

__all__ = ["LatentGrades", "dawid_skene"]

_RIGHT, _WRONG = 1.0, 0.1
"""Added to the counts of right and wrong grades: people are more often right than wrong. Without it
few documents with several labels let the true grades drift to whatever fits them."""
_STEPS = 500
_STILL = 1e-8


@dataclass(frozen=True, eq=False)
class LatentGrades:
    """How probably each document has each grade, and how each author grades.

    Attributes
    ----------
    probability : float array, documents × grades
        0 in all columns where a document has no label.
    shares : float array, grades
        How frequent each true grade is.
    confusion : float array, authors × true grades × given grades
        How often an author gives a grade to documents of each true grade.
    """

    probability: Floats
    shares: Floats
    confusion: Floats

    @property
    def grade(self) -> Indices:
        """The place of the most probable grade of each document; of equal ones the lowest."""
        return self.probability.round(9).argmax(axis=1)


def dawid_skene(grades: Floats, scale: Floats) -> LatentGrades:
    """Estimate true grades and everybody's confusions together, by expectation maximization.

    It starts from the share of votes (Dawid and Skene 1979, §3). Counts of confusions are smoothed
    by one right answer and a tenth of a wrong one, so that small samples rule nothing out.

    Parameters
    ----------
    grades : float array, authors × documents
        NaN where an author has not judged a document.
    scale : float array
        The grades that there are, ascending.

    Returns
    -------
    LatentGrades
        The probability of each grade, by document.

    Examples
    --------
    Two people agree, and the third says the opposite of them.

    >>> votes = np.array([[0.0, 0, 1, 1, 1], [0, 0, 1, 1, np.nan], [1, 1, 0, 0, 0]])
    >>> latent = dawid_skene(votes, np.arange(2.0))
    >>> latent.grade.tolist()
    [0, 0, 1, 1, 1]
    """
    labels = np.stack([grades == grade for grade in scale], axis=2).astype(np.float64)
    votes = labels.sum(axis=0)
    labelled = votes.sum(axis=1) > 0
    probability = np.divide(votes, votes.sum(axis=1, keepdims=True), where=labelled[:, None],
                            out=np.zeros_like(votes))  # fmt: skip
    for _ in range(_STEPS):
        shares, confusion = _maximized(probability, labels, labelled)
        renewed = np.where(labelled[:, None], _expected(shares, confusion, labels), 0.0)
        moved = np.abs(renewed - probability).max(initial=0)
        probability = renewed
        if moved < _STILL:
            break
    return LatentGrades(probability, shares, confusion)


def _maximized(probability: Floats, labels: Floats, labelled: Booleans) -> tuple[Floats, Floats]:
    """Return the shares of grades, and everybody's confusions, by these probabilities."""
    shares = probability.sum(axis=0) / max(int(labelled.sum()), 1)
    prior = np.full((len(shares),) * 2, _WRONG) + np.eye(len(shares)) * (_RIGHT - _WRONG)
    counts = np.einsum("dk,adl->akl", probability, labels) + prior
    return shares, counts / counts.sum(axis=2, keepdims=True)


def _expected(shares: Floats, confusion: Floats, labels: Floats) -> Floats:
    """Return how probable each grade of a document is, by what people said of it."""
    with np.errstate(divide="ignore"):
        log = np.log(shares) + np.einsum("adl,akl->dk", labels, np.log(confusion))
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
