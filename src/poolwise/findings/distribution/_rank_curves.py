"""Precision at levels of recall, and how much each rank weighs in a measure."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import MeasureError, OptionError
from poolwise.evidence._grades import Grades
from poolwise.measures._catalogue import IPrec
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._scoring import score_all
from poolwise.words import counted

__all__ = ["WEIGHED", "RankWeighting", "RecallPrecision", "rank_weights", "recall_precision"]

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
    >>> curve = recall_precision(Evidence.from_grades([[1, 0, 0, 1], [0, 1, 1, 0]]), recall=[0, 1])
    >>> curve.precision.round(2).tolist(), curve.order  # the first leads early, the second late
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
        cells = columns | {
            f"{level:g}": self.precision[self.order, i].tolist()
            for i, level in enumerate(self.recall)
        }
        return (table_of(cells, title="Interpolated precision at levels of recall", digits=3),)

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


@recorded
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
    >>> curve = recall_precision(Evidence.from_grades([[1, 0, 0, 1, 1, 0, 0, 0, 1, 0]]))
    >>> curve.precision.round(2).tolist()
    [[1.0, 1.0, 1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.44, 0.44, 0.44]]
    """
    tables = score_all(grades, [IPrec @ level for level in recall], bounds="none").scores
    return RecallPrecision(
        systems=tables[0].systems,
        topics=int(tables[0].defined.sum()),
        recall=tuple(recall),
        precision=np.stack([table.means() for table in tables], axis=1),
        provenance=tables[0].provenance.with_options(recall=tuple(recall)),
    )


WEIGHED = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "DCG")
"""Measures that W10 fig. 3.7 and D10 fig. 1 compare."""


@finding
class RankWeighting(Finding):
    """The weights of ranks under measures whose weights depend on the rank alone.

    Attributes
    ----------
    measures : tuple of Measure
        What is weighed.
    judged : int
        A depth, such as that of a pool.
    weights : float array, measures × ranks
        What a relevant document at each rank adds to the score.

    Examples
    --------
    >>> weighting = rank_weights(["P@4", "RBP(p=0.5)"], depth=4, judged=2)
    >>> weighting.weights.tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0.125, 0.0625]]
    >>> weighting.past.tolist()  # half of P@4 looks past the second rank, a fifth of RBP
    [0.5, 0.2]
    """

    measures: tuple[Measure, ...]
    judged: int
    weights: Floats

    @property
    def depth(self) -> int:
        """The number of ranks."""
        return int(self.weights.shape[1])

    @property
    def past(self) -> Floats:
        """The share of the weight of all these ranks that lies past the judged ones (D10 §3.1)."""
        return np.asarray(self.weights[:, self.judged :].sum(axis=1) / self.weights.sum(axis=1))

    def columns(self) -> Columns:
        """Return one row per measure and rank, with the share of weight past the rank."""
        total = self.weights.sum(axis=1, keepdims=True)
        # rounding leaves less than nothing behind the last rank
        past = np.maximum(0.0, 1 - np.cumsum(self.weights, axis=1) / total)
        return {
            "measure": [str(m) for m in self.measures for _ in range(self.depth)],
            "rank": list(range(1, self.depth + 1)) * len(self.measures),
            "weight": self.weights.ravel().tolist(),
            "past": past.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per measure."""
        columns = {
            "measure": [str(m) for m in self.measures],
            "first": self.weights[:, 0].tolist(),
            f"rank {self.judged}": self.weights[:, self.judged - 1].tolist(),
            "past": self.past.tolist(),
        }
        title = f"Weight of ranks, and share of {self.depth} ranks' weight past {self.judged}"
        return (table_of(columns, title=title, digits=4),)

    def sentences(self) -> tuple[str, ...]:
        """Say how much of each measure's weight lies past the judged ranks."""
        return tuple(
            f"{measure} has {share:.1%} of its weight to rank {self.depth} past rank {self.judged}."
            for measure, share in zip(self.measures, self.past, strict=True)
        )


@recorded
def rank_weights(
    measures: Iterable[Measure | str] = WEIGHED, *, depth: int = 1000, judged: int = 100
) -> RankWeighting:
    """Return what each rank weighs, and how much of it lies past a depth of judging.

    Parameters
    ----------
    measures
        Measures whose weights depend on the rank alone: P, RBP, DCG and their kin.
    depth
        How many ranks are evaluated.
    judged
        How many of them are judged, such as those that were pooled.

    Returns
    -------
    RankWeighting
        The weight of every rank under each measure.

    Examples
    --------
    >>> print(rank_weights(["RBP(p=0.95)"]).sentences()[0])
    RBP(p=0.95) has 0.6% of its weight to rank 1000 past rank 100.
    """
    if not 1 <= judged <= depth:
        raise OptionError(
            f"judged, depth: {judged} judged ranks must be from 1 to {depth}, the ranks evaluated. "
            "Hint: use 100 and 1000."
        )
    wanted = _static([parse_measure(m) if isinstance(m, str) else m for m in measures])
    weights = np.array([measure.weights(depth) for measure in wanted])
    origin = WITHOUT_FILES.with_options(depth=depth, judged=judged)
    return RankWeighting(tuple(wanted), judged, weights, provenance=origin)


def _static(measures: Sequence[Measure]) -> list[StaticWeights]:
    """Return the measures if the weights of all depend on the rank alone."""
    for measure in measures:
        if not isinstance(measure, StaticWeights):
            raise MeasureError(
                f"measures: the weights of {measure} do not depend on the rank alone. Hint: use "
                "P@10, RBP or DCG."
            )
    return [measure for measure in measures if isinstance(measure, StaticWeights)]
