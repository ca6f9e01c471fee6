"""From evidence, or from files, to score tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.errors import OptionError
from poolwise.evidence.alignment import BEYOND, Evidence
from poolwise.measures.measure import Bounds, Measure
from poolwise.measures.names import parse_measure
from poolwise.scores.columns import Backend, to_frame
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.tidy import tidy

__all__ = ["BOUNDS", "Evaluation", "score", "score_all"]

BOUNDS = {
    "exact": "over every grading of the run's own unjudged documents",
    "naive": "unjudged documents take the best grades left in the pool; the ideal stays (B23 §3.3)",
    "none": "no bounds",
}


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, ScoreTable]):
    """Score tables by canonical measure name, in the order asked for.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> evidence = align(Runs.from_rankings({"bm25": {"1": ["a", "x"]}}),
    ...                  Judgments.from_dict({"1": {"a": 1, "b": 1}}))
    >>> result = score_all(evidence, ["P@2", "map"])
    >>> list(result), result["AP"].value.tolist()
    (['P@2', 'AP'], [[0.5]])
    """

    tables: tuple[ScoreTable, ...]

    def __getitem__(self, name: str) -> ScoreTable:
        wanted = repr(parse_measure(name))
        for table in self.tables:
            if table.measure in (name, wanted):
                return table
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (table.measure for table in self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def to_frame(self, *, backend: Backend = "pandas", per_topic: bool = True) -> Any:
        """Return a tidy frame; topic ``all`` is the mean over topics."""
        return to_frame(tidy(self.tables, per_topic=per_topic), backend=backend)


def score(evidence: Evidence, measure: Measure | str, *, bounds: str = "exact") -> ScoreTable:
    """Score every run on every topic.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> table = score(evidence, "P@4")
    >>> table.value.item(), table.lower.item(), table.upper.item()
    (0.25, 0.25, 0.75)
    """
    return score_all(evidence, [measure], bounds=bounds).tables[0]


def score_all(
    evidence: Evidence, measures: Iterable[Measure | str], *, bounds: str = "exact"
) -> Evaluation:
    """Score every run on every topic by several measures.

    Works through the systems in batches, so that temporary arrays stay small whatever the number
    of runs.
    """
    if bounds not in BOUNDS:
        raise OptionError(
            f"bounds: {bounds!r} is not a kind of bounds. To mend it: use one of "
            f"{', '.join(BOUNDS)}."
        )
    wanted = [parse_measure(m) if isinstance(m, str) else m for m in measures]
    parts = [[_score_batch(part, m, bounds) for m in wanted] for part in evidence.batches()]
    return Evaluation(tuple(join_systems(tables) for tables in zip(*parts, strict=True)))


def _score_batch(evidence: Evidence, measure: Measure, bounds: str) -> ScoreTable:
    value = measure.score(evidence)
    low, high = _bounds(evidence, measure, bounds, value)
    return ScoreTable(
        measure=repr(measure),
        systems=evidence.systems,
        topics=evidence.topics,
        value=value,
        lower=low,
        upper=high,
        answered=evidence.codes[:, :, 0] != BEYOND
        if evidence.depth
        else np.zeros(value.shape, np.bool_),
        undefined=measure.undefined,
        provenance=evidence.provenance,
    )


def _bounds(evidence: Evidence, measure: Measure, kind: str, value: NDArray[np.float64]) -> Bounds:
    if kind == "exact":
        return measure.bounds(evidence)
    if kind == "naive":
        return measure.naive_bounds(evidence)
    nothing = np.full(value.shape, np.nan)
    return Bounds(nothing, nothing)


def join_systems(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Put score tables of the same measure and topics one below the other."""
    return replace(
        tables[0],
        systems=tuple(name for table in tables for name in table.systems),
        value=np.concatenate([table.value for table in tables]),
        lower=np.concatenate([table.lower for table in tables]),
        upper=np.concatenate([table.upper for table in tables]),
        answered=np.concatenate([table.answered for table in tables]),
    )
