"""Precision at levels of recall (W10 §3.2.2, fig. 3.3)."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.evidence._grades import Grades
from poolwise.measures._catalogue import IPrec
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._scoring import score_all
from poolwise.words import counted

__all__ = ["RecallPrecision", "recall_precision"]

LEVELS = tuple(i / 10 for i in range(11))
"""The eleven usual levels of recall."""


@finding
class RecallPrecision(Finding):
    """Interpolated precision of runs at levels of recall, on average over topics.

    Attributes
    ----------
    systems : tuple of str
        The runs, in the order of the evidence.
    topics : int
        Topics with a relevant document, which the means are over.
    recall : tuple of float
        Levels of recall, from 0 to 1.
    precision : float array, systems × levels
        The best precision at or past each level of recall, as trec_eval computes it.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> found = recall_precision(Evidence.from_grades([[1, 0, 0, 1], [0, 1, 1, 0]]), recall=[0, 1])
    >>> found.precision.round(2).tolist(), found.order  # the first leads early, the second late
    ([[1.0, 0.5], [0.67, 0.67]], [0, 1])
    """

    systems: tuple[str, ...]
    topics: int
    recall: tuple[float, ...]
    precision: Floats

    @property
    def order(self) -> list[int]:
        """The systems by mean precision over all levels, the best first."""
        return [int(i) for i in np.argsort(-self.precision.mean(axis=1), kind="stable")]

    def columns(self) -> Columns:
        """Return one row per run and level of recall."""
        levels = len(self.recall)
        return {
            "run": [name for name in self.systems for _ in range(levels)],
            "recall": list(self.recall) * len(self.systems),
            "precision": self.precision.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, the best first, and a column per level."""
        columns = {"run": [self.systems[i] for i in self.order]}
        found = columns | {
            f"{level:g}": self.precision[self.order, i].tolist()
            for i, level in enumerate(self.recall)
        }
        return (table_of(found, title="Interpolated precision at levels of recall", digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say which run is best at the lowest and at the highest level of recall."""
        low, high = (self.systems[int(self.precision[:, i].argmax())] for i in (0, -1))
        return (
            (
                f"Over {counted(self.topics, 'topic')}, {low} has the highest precision at recall "
                f"{self.recall[0]:g}, and {high} at recall {self.recall[-1]:g}."
            ),
            "Recall is that of the known relevant documents; others may exist.",
        )


def recall_precision(grades: Grades, *, recall: Sequence[float] = LEVELS) -> RecallPrecision:
    """Return the interpolated precision of every run at levels of recall.

    Parameters
    ----------
    grades : Grades
        Graded lists of the runs; an :class:`~poolwise.Evidence` is one of them.
    recall : sequence of float
        Levels of recall from 0 to 1; by default the eleven that trec_eval prints.

    Returns
    -------
    RecallPrecision
        The mean precision over topics of every run, by level.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> found = recall_precision(Evidence.from_grades([[1, 0, 0, 1, 1, 0, 0, 0, 1, 0]]))
    >>> found.precision.round(2).tolist()
    [[1.0, 1.0, 1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.44, 0.44, 0.44]]
    """
    if not recall:
        raise OptionError("recall: no level was given. Hint: use 0, 0.5 and 1.")
    tables = score_all(grades, [IPrec @ level for level in recall], bounds="none").scores
    return RecallPrecision(
        systems=tables[0].systems,
        topics=int(tables[0].defined.sum()),
        recall=tuple(recall),
        precision=np.stack([table.means() for table in tables], axis=1),
        provenance=tables[0].provenance.with_options(recall=tuple(recall)),
    )
