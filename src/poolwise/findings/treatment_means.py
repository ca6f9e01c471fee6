"""Mean scores of runs with unjudged documents under several treatments of these (as B23 fig. 1)."""

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from poolwise.arrays import Floats, tolerance
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores.score_table import MeanRange, ScoreTable
from poolwise.scores.treatments.estimates import Estimates
from poolwise.scores.treatments.estimation import impossible_means, is_outside
from poolwise.words import counted, have

__all__ = ["BOUNDS_ROW", "PLAUSIBLE_ROW", "TreatmentMeans", "plausible_range"]

BOUNDS_ROW = "bounds"
"""What the range of all that is possible is called among the treatments."""
PLAUSIBLE_ROW = "plausible range by model"
"""What the calibrated range of the relevance model is called among the treatments."""


@finding
class TreatmentMeans(Finding):
    """The mean of each run by treatment of its unjudged documents, and what is possible at all.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    systems : tuple of str
        The runs, those with the largest share of unjudged documents first.
    means : dict from str to float array, systems
        By treatment, the mean of each run.
    lower, upper : float array, systems
        The means of the exact bounds; NaN where they are not known.
    share : float array, systems
        Share of unjudged documents among the ranks that the measure looks at; NaN if not known.
    model_low, model_high : float array, systems
        The calibrated range of the mean by the relevance model; NaN where there is none.
    calibration : str
        What that range holds, or why there is none.
    summaries : dict from str to str
        What each treatment does.
    refused : dict from str to str
        The treatments that the measure or the collection does not allow, and why.
    affected, runs : int
        How many runs have unjudged documents that count, and how many runs there are.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.scores import estimate_all
    >>> evidence = Evidence.from_grades([[1, None, 0, 1], [0, 1, 1, 0]])
    >>> found = estimate_all(evidence, "P@4", treatments=["condensed", "exact"])
    >>> print(TreatmentMeans.of(found))
    P@4: means by treatment
    <BLANKLINE>
    run   unjudged  condensed   exact   lower   upper
    run1         –     0.5000  0.5000  0.5000  0.7500
    run2         –     0.5000  0.5000  0.5000  0.5000
    <BLANKLINE>
    What run1 scores by P@4 depends most on the treatment: between 0.500 and 0.750 is possible.
    """

    measure: Measure
    systems: tuple[str, ...]
    means: Mapping[str, Floats]
    lower: Floats
    upper: Floats
    share: Floats
    model_low: Floats
    model_high: Floats
    calibration: str = ""
    summaries: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    affected: int = 0
    runs: int = 0

    @classmethod
    def of(cls, found: Estimates) -> "TreatmentMeans":
        """Take the means of score tables, runs in the order of the first; bounds by ``exact``."""
        first, *_ = found.scores.values()
        order = first.order()
        unknown = np.full(len(order), np.nan)
        exact = found.scores.get("exact")
        low, high = (unknown, unknown) if exact is None else exact.mean_bounds()
        plausible = plausible_range(found.scores.get("model"), len(order))
        return cls(
            measure=found.measure,
            systems=tuple(first.systems[s] for s in order.tolist()),
            means={name: table.means()[order] for name, table in found.scores.items()},
            lower=low[order],
            upper=high[order],
            share=unknown,
            model_low=plausible.lower[order],
            model_high=plausible.upper[order],
            calibration=plausible.meaning,
            refused=found.refused,
            provenance=first.provenance,
        )

    def by_run(self) -> Columns:
        """Return one row per run: share unjudged, the mean by each treatment, and the bounds."""
        return {
            "run": list(self.systems),
            "unjudged": self.share.tolist(),
            **{name: means.tolist() for name, means in self.means.items()},
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
        }

    def columns(self) -> Columns:
        """Return one row per run and treatment: a mean, or a range from low to high."""
        nothing = np.full(len(self.systems), np.nan)
        parts = {name: (means, nothing, nothing) for name, means in self.means.items()}
        parts |= {name: (nothing, *ends) for name, ends in self.ranges().items()}
        cells = [np.stack(part, axis=1).tolist() for part in parts.values()]
        rows = [
            (str(self.measure), run, name, *part[i])
            for i, run in enumerate(self.systems)
            for name, part in zip(parts, cells, strict=True)
        ]
        names = ("measure", "run", "treatment", "mean", "low", "high")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def ranges(self) -> dict[str, tuple[Floats, Floats]]:
        """Return the lower and upper ends of the ranges that are known, by their name."""
        known = {
            BOUNDS_ROW: (self.lower, self.upper),
            PLAUSIBLE_ROW: (self.model_low, self.model_high),
        }
        return {name: ends for name, ends in known.items() if not np.isnan(ends[0]).all()}

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, one column per treatment."""
        return (table_of(self.by_run(), title=f"{self.measure}: means by treatment"),)

    def sentences(self) -> tuple[str, ...]:
        """Say which runs are affected, whose score is most open, and what is left out."""
        said = (self.calibration,) if self.calibration else ()
        return (
            *self.affected_sentence(),
            *self.widest(),
            *said,
            *self.impossible_sentences(),
            *self.refusals(),
        )

    def affected_sentence(self) -> tuple[str, ...]:
        """Say how many runs have unjudged documents that count, where that is known."""
        if not self.runs:
            return ()
        verb = have(self.affected)
        shown = (
            f"; the {counted(len(self.systems), 'run')} with the most are shown"
            if len(self.systems) < self.affected
            else ""
        )
        return (
            (
                f"{self.affected:,} of {counted(self.runs, 'run')} {verb} unjudged documents that "
                f"count for {self.measure}{shown}."
            ),
        )

    def widest(self) -> tuple[str, ...]:
        """Say whose score the unjudged documents leave most open, where the bounds are known."""
        width = self.upper - self.lower
        if np.isnan(width).all():
            return ()
        at = int(np.nanargmax(width))
        return (
            (
                f"What {self.systems[at]} scores by {self.measure} depends most on the treatment: "
                f"between {self.lower[at]:.3f} and {self.upper[at]:.3f} is possible."
            ),
        )

    def impossible_sentences(self) -> tuple[str, ...]:
        """Say which means no grades of the unjudged documents give, where the bounds are known."""
        within = tolerance(self.upper)
        outside = {
            name: np.flatnonzero(is_outside(means, self.lower, self.upper, within)).tolist()
            for name, means in self.means.items()
        }
        runs = {name: [self.systems[s] for s in found] for name, found in outside.items()}
        return impossible_means(self.measure, runs)

    def refusals(self) -> tuple[str, ...]:
        """Say which treatments are left out, and why."""
        return tuple(
            f"The treatment {name} is left out: {reason}" for name, reason in self.refused.items()
        )


def plausible_range(table: ScoreTable | None, runs: int) -> MeanRange:
    """Return the calibrated ranges of a table; NaN where there are none."""
    unknown = np.full(runs, np.nan)
    found = None if table is None else table.mean_range
    if found is None or not found.calibrated:
        return MeanRange(unknown, unknown, found.meaning if found else "", calibrated=False)
    return found
