"""What runs with unjudged documents could score, by treatment and on single topics."""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats, tolerance
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence.unknowns.relevance_model._features import require_non_relevant
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, columns_of, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import Uncertainty, unknown
from poolwise.scores.treatments._drawn_scores import DrawnScores, bootstrap
from poolwise.scores.treatments._estimates import Estimates, impossible_means, is_outside
from poolwise.scores.treatments._treatments import below_pool, with_other_treatments
from poolwise.words import counted, have

__all__ = [
    "BOUNDS_ROW",
    "DRAWN",
    "PLAUSIBLE_ROW",
    "DrawnTopics",
    "TreatmentMeans",
    "draw_topics",
    "plausible_range",
]

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
        What that range holds, or why there is none; with a card, where runs stand on it.
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
    >>> estimates = estimate_all(evidence, "P@4", treatments=["condensed", "exact"])
    >>> print(TreatmentMeans.of(estimates))
    What run1 scores by P@4 depends most on the treatment: between 0.500 and 0.750 is possible.
    <BLANKLINE>
    P@4: means by treatment
    <BLANKLINE>
    run   unjudged  condensed  nonrelevant   lower   upper
    run1         –     0.5000       0.5000  0.5000  0.7500
    run2         –     0.5000       0.5000  0.5000  0.5000
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
        nothing = np.full(len(order), np.nan)
        exact = found.scores.get("exact")
        low, high = (nothing, nothing) if exact is None else exact.mean_bounds()
        plausible = plausible_range(found.scores.get("model"), len(order))
        return cls(
            measure=found.measure,
            systems=tuple(first.systems[s] for s in order.tolist()),
            means={name: table.means()[order] for name, table in found.by_estimate().items()},
            lower=low[order],
            upper=high[order],
            share=nothing,
            model_low=plausible.low[order],
            model_high=plausible.high[order],
            calibration=" ".join(plausible.meaning),
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
        return columns_of(names, rows)

    def ranges(self) -> dict[str, tuple[Floats, Floats]]:
        """Return the lower and upper ends of the ranges that are known, by their name."""
        ranges = {
            BOUNDS_ROW: (self.lower, self.upper),
            PLAUSIBLE_ROW: (self.model_low, self.model_high),
        }
        return {name: ends for name, ends in ranges.items() if not np.isnan(ends[0]).all()}

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
        runs = {name: [self.systems[s] for s in places] for name, places in outside.items()}
        return impossible_means(self.measure, runs)

    def refusals(self) -> tuple[str, ...]:
        """Say which treatments are left out, and why."""
        return tuple(
            f"The treatment {name} is left out: {reason}" for name, reason in self.refused.items()
        )


def plausible_range(table: ScoreTable | None, runs: int) -> Uncertainty:
    """Return the calibrated ranges of a table; NaN where there are none, and why."""
    if table is None:
        return unknown("draws", runs)
    ranges = table.over_judgments
    return ranges if ranges.over == "draws" else unknown("draws", runs, *ranges.meaning)


DRAWN = "drawn"
"""What the rows of a chart are that hold draws, and no other score."""


@finding
class DrawnTopics(Finding):
    """How often each score comes out for one run on some topics, the widest range first.

    Attributes
    ----------
    run : str
        Whose scores they are.
    topics : tuple of DrawnScores
        The draws on each topic, beside other treatments.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> drawn = draw_topics(evidence, "P@2", run="run1")
    >>> [(scores.topic, scores.plain, scores.highest) for scores in drawn.topics]
    [('1', 0.5, 1.0)]
    """

    run: str
    topics: tuple[DrawnScores, ...]

    @property
    def measure(self) -> Measure:
        """What the run is scored by."""
        return self.topics[0].measure

    def columns(self) -> Columns:
        """Return one row per topic and score."""
        return stack_columns([scores.columns() for scores in self.topics])

    @cached_property
    def marks(self) -> Columns:
        """What a chart shows: the share of draws by score, in hundredths, and single scores."""
        rows = [row for scores in self.topics for row in _marks(scores)]
        names = ("topic", "what", "score", "share")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def sentences(self) -> tuple[str, ...]:
        """Say what is possible on the topic where most is open, and what is plausible."""
        first = self.topics[0]
        where = f"On topic {first.topic}, {self.measure} of {self.run}"
        said = (
            f"{where} is {first.plain:.4f} with unjudged documents as not relevant, and at most "
            f"{first.highest:.4f} with the best grades for them; in 95% of "
            f"{counted(first.draws, 'draw')} it is at most {first.reached:.4f}."
        )
        return (said,)


def _marks(scores: DrawnScores) -> list[tuple[str, str, float, float | None]]:
    hundredths, place = np.unique(scores.values.round(2), return_inverse=True)
    shares = np.bincount(place, weights=scores.shares)
    drawn = [
        (scores.topic, DRAWN, score, share)
        for score, share in zip(hundredths.tolist(), shares.tolist(), strict=True)
    ]
    single = {
        "not relevant": scores.plain,
        "condensed": scores.condensed,
        "most frequent": scores.mode,
        "naive upper bound": scores.highest,
    }
    return [*drawn, *((scores.topic, name, value, None) for name, value in single.items())]


@recorded
def draw_topics(
    evidence: Evidence,
    measure: Measure | str,
    *,
    run: str,
    most: int = 5,
    draws: int = 1000,
    rng: int = 1,
) -> DrawnTopics:
    """Draw grades for a run's unjudged documents on the topics where its naive range is widest.

    Parameters
    ----------
    run : str
        Whose documents.
    most : int
        How many topics at most.
    draws, rng
        How often grades are drawn, and the seed.

    Returns
    -------
    DrawnTopics
        The draws on each of these topics.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> drawn = draw_topics(align(made.judgments, made.runs), "P@5", run="maverick-1", most=2)
    >>> len(drawn.topics), drawn.topics[0].highest > drawn.topics[0].plain
    (2, True)
    """
    parsed = parse_measure(measure)
    require_non_relevant(evidence, "bootstrap")
    of_run = evidence.select([run])
    naive = score(of_run, parsed, bounds="naive")
    width = np.nan_to_num(naive.upper - naive.value)[0]
    widest = [t for t in np.argsort(-width, kind="stable")[:most].tolist() if width[t] > 0]
    reason = below_pool(evidence, parsed) or ("" if widest else "nothing is open")
    if reason:
        raise OptionError(
            f"measure: grades are not drawn for {parsed!r} of {run!r}, since {reason}. Hint: use a "
            "measure of the pooled ranks, and a run with unjudged documents."
        )
    # Draws belong to the names of run and topic, so that they are the same without other topics.
    parts = [of_run.of_topic(t) for t in widest]
    drawn = [bootstrap(part, parsed, draws=draws, rng=rng) for part in parts]
    return DrawnTopics(
        run,
        tuple(
            with_other_treatments(scores, part, run, part.topics[0])
            for scores, part in zip(drawn, parts, strict=True)
        ),
        provenance=drawn[0].provenance,
    )
