"""With which chance each document was judged, where judgments are a sample."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.evidence.grade_codes import UNJUDGED

__all__ = ["OUTSIDE", "SampledDocuments", "sample_of"]

OUTSIDE = -1
"""Stratum of a document that the sample could not have drawn."""


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """How the judged documents of a block were drawn.

    Judgments with strata hold every document of the universe: those of a stratum were drawn with
    equal chances, as many as are judged. Judgments with probabilities hold the drawn documents
    alone, and there is one stratum, whose size nobody knows.

    Attributes
    ----------
    strata : tuple of str
        Their names; none where judgments came with probabilities.
    stratum : int array, evidence documents
        The stratum of each document; ``OUTSIDE`` where the sample could not have drawn it.
    probability : float array, evidence documents
        The probability with which each document was judged; 0 where it could not be.
    sizes : int array, topics × strata
        How many documents a stratum holds, judged or not.
    judged : int array, topics × strata × grades
        How many of them are judged, by grade.
    estimated : float array, topics × grades
        Σ 1/π over the judged documents of each grade: how many there are, estimated.
    spread : float array, topics × grades
        Σ (1 − π)/π² over the same documents.
    """

    strata: tuple[str, ...]
    stratum: NDArray[np.int16]
    probability: Floats
    sizes: Integers
    judged: Integers
    estimated: Floats
    spread: Floats

    @property
    def drawn(self) -> Integers:
        """How many documents of each stratum are judged, topics × strata."""
        return self.judged.sum(axis=2)

    def take(self, topics: slice) -> "SampledDocuments":
        """Return what is known of some topics."""
        return replace(
            self,
            sizes=self.sizes[topics],
            judged=self.judged[topics],
            estimated=self.estimated[topics],
            spread=self.spread[topics],
        )

    @classmethod
    def joined(cls, parts: list["SampledDocuments"]) -> "SampledDocuments":
        """Put the topics of several parts together."""
        return replace(
            parts[0],
            sizes=np.concatenate([part.sizes for part in parts]),
            judged=np.concatenate([part.judged for part in parts]),
            estimated=np.concatenate([part.estimated for part in parts]),
            spread=np.concatenate([part.spread for part in parts]),
        )


def sample_of(
    judgments: Judgments,
    codes: NDArray[np.integer],
    judgment_rows: NDArray[np.int32],
    topics: tuple[str, ...],
    grades: int,
) -> SampledDocuments | None:
    """Return how judgments were sampled; None where nothing is said of it.

    Parameters
    ----------
    judgments : Judgments
        With ``stratum`` or ``probability``; a probability counts where there are both.
    codes
        The grade code of each of their rows.
    judgment_rows
        The row of each document of the evidence, −1 where it has none.
    topics
        Those of the evidence.
    grades
        How many grades a document can have.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 1, "b": -1, "c": 0}})
    >>> qrels = qrels.with_sampling(stratum=["top", "rest", "rest"])
    >>> found = sample_of(qrels, np.array([1, -1, 0]), np.array([0, 1, 2, -1]), ("1",), 2)
    >>> found.strata, found.probability.tolist(), found.estimated.tolist()
    (('rest', 'top'), [1.0, 0.5, 0.5, 0.0], [[2.0, 1.0]])
    """
    if not judgments.is_sample:
        return None
    rows = _Rows(judgments, codes, grades)
    places = positions(topics, judgments.topics)
    chance = rows.chances()
    drawn = chance[rows.seen]
    return SampledDocuments(
        strata=rows.strata,
        # Row −1, no judgment, takes the last entry.
        stratum=np.append(np.where(rows.inside, rows.stratum, OUTSIDE), OUTSIDE).astype(np.int16)[
            judgment_rows
        ],
        probability=np.append(np.where(rows.inside, chance, 0.0), 0.0)[judgment_rows],
        sizes=rows.sizes[places],
        judged=rows.judged[places],
        estimated=rows.totals(1 / drawn)[places],
        spread=rows.totals((1 - drawn) / drawn**2)[places],
    )


class _Rows:
    """The rows of sampled judgments, counted by topic, stratum and grade."""

    def __init__(self, judgments: Judgments, codes: NDArray[np.integer], grades: int) -> None:
        self.given, self.seen = judgments.probability, codes >= 0
        # What was taken away could not have been drawn.
        self.inside = codes != UNJUDGED
        self.strata, self.stratum = _strata(judgments)
        self._topic, self._codes, self._grades = judgments.topic_of_row, codes, grades
        self._topics = len(judgments.topics)

    @property
    def sizes(self) -> Integers:
        """How many rows each stratum has, topics × strata."""
        return self._counts(self.inside, np.zeros_like(self.stratum), 1)[:, :, 0]

    @property
    def judged(self) -> Integers:
        """How many of them have a grade, topics × strata × grades."""
        return self._counts(self.seen, self._codes, self._grades)

    def _counts(self, rows: Booleans, codes: NDArray[np.integer], grades: int) -> Integers:
        strata = max(1, len(self.strata))
        cell = (self._topic * strata + self.stratum)[rows] * grades + codes[rows]
        counts = np.bincount(cell, minlength=self._topics * strata * grades)
        return counts.reshape(self._topics, strata, grades)

    def chances(self) -> Floats:
        """Return the probability of each row: the one given, or the share of its stratum."""
        if self.given is not None:
            return self.given
        share = self.judged.sum(axis=2) / np.maximum(self.sizes, 1)
        return np.asarray(share[self._topic, self.stratum])

    def totals(self, values: Floats) -> Floats:
        """Sum a number of each judged row by topic and grade."""
        cell = (self._topic * self._grades)[self.seen] + self._codes[self.seen]
        totals = np.bincount(cell, values, minlength=self._topics * self._grades)
        return totals.reshape(self._topics, self._grades).astype(np.float64)


def _strata(judgments: Judgments) -> tuple[tuple[str, ...], Integers]:
    """Return the names of the strata, and the number of each row's; one where there are none."""
    if judgments.stratum is None or judgments.probability is not None:
        return (), np.zeros(len(judgments.codes), np.int64)
    names, numbers = np.unique(judgments.stratum.astype(str), return_inverse=True)
    return tuple(names.tolist()), numbers.astype(np.int64)
