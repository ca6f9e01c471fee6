"""Several treatments of the same unjudged documents, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

from poolwise.errors import OptionError
from poolwise.evidence.evidence import Evidence
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.printout.columns import Backend, Columns, to_frame
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.tidy import tidy
from poolwise.scores.treatments.estimation import (
    TREATMENTS,
    estimate,
    find_treatment,
    treatment_label,
)
from poolwise.scores.treatments.treatments import Treatment

__all__ = ["SideBySide", "choose_treatments", "estimate_all", "informed"]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """One measure's scores under several treatments of unjudged documents.

    Attributes
    ----------
    measure : Measure
    tables : dict
        The scores by treatment, in the order asked for.
    refused : dict
        With ``methods="all"``: the treatments that the measure or the collection does not allow,
        and why.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0, 1]])
    >>> found = estimate_all(evidence, "nDCG@4", methods=["nonrelevant", "condensed"])
    >>> {name: round(table.value.item(), 3) for name, table in found.tables.items()}
    {'nonrelevant': 0.877, 'condensed': 0.92}
    """

    measure: Measure
    tables: dict[str, ScoreTable]
    refused: dict[str, str] = field(default_factory=dict)

    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return tidy columns, one row per method, run and topic; topic ``all`` is the mean."""
        parts = {name: tidy([t], per_topic=per_topic) for name, t in self.tables.items()}
        methods = [name for name, part in parts.items() for _ in part["run"]]
        names = tidy([], per_topic=per_topic)
        joined = {n: [cell for part in parts.values() for cell in part[n]] for n in names}
        return {"method": methods, **joined}

    def to_frame(self, *, backend: Backend = "pandas", per_topic: bool = True) -> Any:
        """Return a tidy frame."""
        return to_frame(self.columns(per_topic=per_topic), backend=backend)


def estimate_all(
    evidence: Evidence,
    measure: Measure | str,
    *,
    methods: str | Iterable[str | Treatment] = "all",
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    rng: int | np.random.Generator = 0,
) -> SideBySide:
    """Score runs with unjudged documents by several treatments.

    Parameters
    ----------
    evidence, measure
        What to score.
    methods
        Treatments or their names, or ``"all"`` that the measure and the collection allow.
    depth, pooled
        The depth of the pool and the runs that formed it, for treatments that ask and were not
        told.
    rng
        Seed or generator, for the treatments that draw.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None], [0, 1]], judged=[0, 1])
    >>> found = estimate_all(evidence, "AP")
    >>> "condensed" in found.tables, found.refused["zipf"].split(". ")[0]
    (True, "method: 'zipf' cannot treat AP")
    """
    measure = parse_measure(measure)
    tables: dict[str, ScoreTable] = {}
    refused: dict[str, str] = {}
    for treatment in choose_treatments(methods):
        told = informed(treatment, depth=depth, pooled=pooled)
        try:
            tables[treatment_label(treatment)] = estimate(evidence, measure, method=told, rng=rng)
        except OptionError as error:
            if methods != "all":
                raise
            refused[treatment_label(treatment)] = str(error)
    return SideBySide(measure, tables, refused)


def choose_treatments(methods: str | Iterable[str | Treatment]) -> tuple[Treatment, ...]:
    """Return the treatments of these names, or all of them for ``"all"``."""
    if methods == "all":
        return TREATMENTS
    named = [methods] if isinstance(methods, str) else methods
    return tuple(find_treatment(m) if isinstance(m, str) else m for m in named)


def informed(treatment: Treatment, **told: object) -> Treatment:
    """Tell a treatment what it asks for and was not told: the pool's depth, the pooled runs.

    Examples
    --------
    >>> informed(find_treatment("weibull"), depth=20, pooled=("bm25",))
    GainModelled(model='weibull', depth=20)
    """
    if not is_dataclass(treatment) or isinstance(treatment, type):
        return treatment
    asked = {f.name for f in fields(treatment) if getattr(treatment, f.name) is None}
    return replace(treatment, **{name: told[name] for name in asked & told.keys()})
