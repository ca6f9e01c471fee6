"""What to take unjudged documents for: the treatments that need no model of relevance."""

from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Protocol, cast

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._groups import Groups
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Block, Grades, join_topics
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence._ungraded import (
    Universe,
    condense,
    count_ungraded,
    judged_prefix,
    pool_gain,
    weight_of,
)
from poolwise.evidence.unknowns._gain_models import fit_gains
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import JudgedShare, judged_share_of
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import unknown
from poolwise.scores.treatments._drawn_scores import DrawnScores, ScoreDistribution, bootstrap
from poolwise.words import counted

__all__ = [
    "Bootstrap",
    "Bounded",
    "Condensed",
    "GainModelTreatment",
    "Labelled",
    "NonRelevant",
    "RBPInspired",
    "RateFilled",
    "Treatment",
    "below_pool",
    "draw_scores",
    "not_for",
    "treatment_label",
    "with_other_treatments",
]


class Treatment(Protocol):
    """A way to score runs with unjudged documents; its fields are its options.

    Attributes
    ----------
    name : str
        What the treatment is called.
    summary : str
        One line that says what it does.

    Examples
    --------
    >>> class Halved:
    ...     name = "halved"
    ...     summary = "scores between the bounds, half way"
    ...
    ...     def table(self, evidence, measure, rng):
    ...         plain = score(evidence, measure)
    ...         return replace(plain, value=(plain.lower + plain.upper) / 2)
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> Halved().table(evidence, parse_measure("P@4"), 1).value.tolist()
    [[0.5]]
    """

    @property
    def name(self) -> str:
        """What the treatment is called."""

    @property
    def summary(self) -> str:
        """One line that says what it does."""

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the estimates, with a range where the treatment gives one, else NaN."""


def treatment_label(treatment: Treatment, *, every: bool = False) -> str:
    """Return the name of a treatment, with the options that were changed, or with all it uses.

    Examples
    --------
    >>> treatment_label(Bootstrap(prior="run")), treatment_label(GainModelTreatment("zipf"))
    ("bootstrap(prior='run')", 'zipf')
    >>> [treatment_label(t, every=True) for t in (Condensed(), GainModelTreatment(depth=9))]
    ['condensed', 'weibull(depth=9)']
    """
    options = [(option, getattr(treatment, option.name)) for option in fields(treatment)]  # type: ignore[arg-type] # every treatment is a dataclass
    # Some are called by an option: the gain model zipf, the naive bound.
    values = {option.name: value for option, value in options if every or value != option.default}
    silent = (treatment.name, None, False)
    shown = {name: value for name, value in values.items() if value not in silent}
    inside = ",".join(f"{name}={_short(value)}" for name, value in shown.items())
    return treatment.name + (f"({inside})" if inside else "")


def _short(value: object) -> str:
    """Return the value of an option; of runs and groups, how many there are; of labels, whose."""
    if runs := getattr(value, "runs", ()):  # a card
        return counted(len(runs), "run")
    if isinstance(value, Groups):
        return counted(len(set(value.labels)), "group")
    if isinstance(value, Labels):
        return repr(value.names[0])
    if isinstance(value, tuple):
        return counted(len(value), "run")
    return repr(value)


class Labelled:
    """A treatment that is called by its name and the options that were changed."""

    def __str__(self) -> str:
        return treatment_label(cast("Treatment", self))


@dataclass(frozen=True)
class NonRelevant(Labelled):
    """Unjudged documents are not relevant: the default of the field.

    Attributes
    ----------
    name, summary : str
        What the treatment is called, and what it does.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> NonRelevant().table(evidence, parse_measure("P@4"), 1).value.tolist()
    [[0.25]]
    """

    name: ClassVar[str] = "nonrelevant"
    summary: ClassVar[str] = "unjudged documents are not relevant"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores."""
        del rng
        return score(evidence, measure, bounds="none")


@dataclass(frozen=True)
class Condensed(Labelled):
    """Unjudged documents are dropped, and the list closes up.

    Attributes
    ----------
    name, summary : str
        What the treatment is called, and what it does.
    needs_non_relevant : bool
        Whether it needs judged documents that are not relevant.
    ranged : bool
        Whether to give a range as well, from the plain score to the condensed one (B23 table 6).

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[None, 1, None, 0]])
    >>> Condensed().table(evidence, parse_measure("RR"), 1).value.tolist()
    [[1.0]]
    >>> table = Condensed(ranged=True).table(evidence, parse_measure("RR"), 1)
    >>> table.lower.item(), table.upper.item()
    (0.5, 1.0)
    """

    ranged: bool = False

    name: ClassVar[str] = "condensed"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unjudged documents are dropped from the list"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the scores of the condensed lists."""
        del rng
        if isinstance(measure, JudgedShare | SampledMeasure):
            raise not_for(measure, self.name, "of documents with grades, such as nDCG@10")
        table = score(condense(evidence.without_documents()), measure, bounds="none")
        # A run is as present as before, even where nothing of its list is left.
        treated = replace(table, answered=evidence.lengths > 0)
        if not self.ranged:
            return treated
        # Judged documents move up, so that the condensed score is the higher one of most measures.
        ends = score(evidence, measure, bounds="none").value, treated.value
        return replace(treated, lower=np.minimum(*ends), upper=np.maximum(*ends))


@dataclass(frozen=True)
class Bounded(Labelled):
    """The plain score, with the range that the unjudged documents leave open.

    Parameters
    ----------
    kind : {"exact", "naive"}
        Which range: over all grades that the unjudged documents could have, or that of B23.
    universe : Universe, optional
        The documents that the range is over; where it is not told, those of all runs.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> table = Bounded("exact").table(evidence, parse_measure("P@4"), 1)
    >>> table.value.item(), table.lower.item(), table.upper.item()
    (0.25, 0.25, 0.75)
    """

    kind: str = "exact"
    universe: Universe | None = field(default=None, repr=False)
    """The documents that the range is over; where it was not told, those of all runs."""

    @property
    def name(self) -> str:
        """``exact`` or ``naive``."""
        return self.kind

    @property
    def summary(self) -> str:
        """What the range is over."""
        ranges = {
            "exact": "over all grades they could have",
            "naive": "of B23, with the ideal kept",
        }
        return f"unjudged documents are not relevant; range {ranges.get(self.kind, '')}".strip()

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores and their bounds."""
        del rng
        return score(evidence, measure, bounds=self.kind, universe=self.universe or "runs")


@dataclass(frozen=True)
class Bootstrap(Labelled):
    """Unjudged documents draw grades from a prior; the mean score is the estimate (B23).

    The range goes from the plain score to a percentile of the drawn ones; see
    :func:`~poolwise.bootstrap` for the options and for the whole distribution.

    The documents that it draws are the known ones that a run lacks. In the first ranks that is
    fair; below the depth of the pool a run is handed nearly all of them, so that a measure which
    looks deeper is refused. ``depth`` is that of the pool, by default as it can be read off the
    judgments; ``deep`` takes whatever comes out, for comparisons.

    Parameters
    ----------
    prior, draws, joint, over
        As for :func:`~poolwise.bootstrap`.
    percentile : float
        Where the range ends, in percent of the drawn scores.
    point : {"mean", "mode"}
        What of the drawn scores is the estimate: their mean, or the most frequent one, as B23 has.
    depth : int, optional
        The depth of the pool.
    deep : bool
        Whether to treat a measure that looks below the pool as well.
    bins : int, optional
        With ``point="mode"``: the mean of the scores in the fullest of so many bins.
    labels : Labels, optional
        Grades by one machine, of judged and unjudged documents, that make the prior more informed.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[2, None, 0], [1, 0, 0]], judged=[2, 1, 0, 0, 1])
    >>> table = Bootstrap(point="mode").table(evidence, parse_measure("nDCG@3"), 1)
    >>> table.value.round(3).tolist(), table.upper.round(3).tolist()
    ([[0.84], [0.319]], [[0.84], [0.319]])
    """

    name: ClassVar[str] = "bootstrap"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unjudged documents draw grades; the mean of 1000 scores (B23)"

    prior: str = "pool+run"
    draws: int = 1000
    joint: bool = False
    percentile: float = 95
    over: str = "topics"
    depth: int | None = None
    deep: bool = False
    point: str = "mean"
    bins: int | None = None
    labels: Labels | None = None

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return means or modes, from plain score to percentile."""
        require_choice("point", self.point, ("mean", "mode"))
        reason = "" if self.deep else below_pool(evidence, measure, self.depth)
        if reason:
            depth = find_pool(evidence, depth=self.depth).depth
            raise OptionError(
                f"treatment: {self.name!r} cannot treat {measure!r}, since {reason}. Hint: use "
                f"model, or a measure of the pooled ranks, such as nDCG@{depth}."
            )
        # All draws of all runs are many, and a run without unjudged documents has plain scores.
        unsure = np.flatnonzero(count_ungraded(measure.cut(evidence)).any(axis=1))
        if not self.one_by_one or self.bins or not len(unsure):
            return self._drawn(evidence, measure, rng)
        drawn = self._drawn(evidence.select(unsure), measure, rng)
        plain = score(evidence, measure, bounds="none")
        value, upper = plain.value.copy(), plain.value.copy()
        value[unsure], upper[unsure] = drawn.value, drawn.upper
        return replace(
            plain, value=value, lower=plain.value, upper=upper, provenance=drawn.provenance
        )

    @property
    def one_by_one(self) -> bool:
        """Whether each run is treated by itself, so that the others can be away."""
        return self.prior != "multiplicity" and self.labels is None and not self.joint

    def _drawn(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        drawn = bootstrap(
            evidence,
            measure,
            rng=rng,
            prior=self.prior,
            over=self.over,
            draws=self.draws,
            joint=self.joint,
            labels=self.labels,
        )
        return drawn.table(percentile=self.percentile, point=self.point, bins=self.bins)


@dataclass(frozen=True)
class RBPInspired(Labelled):
    """The plain score, with a range whose upper end gives unjudged documents the highest grade.

    As for RBP, and with the ideal ranking of that grading (B23 §3.3). It can be wrong at both ends,
    and is not comparable between runs, whose ideals differ: it is here to be compared with.

    Attributes
    ----------
    name, summary : str
        What the treatment is called, and what it does.

    Examples
    --------
    B23 table 1: of the ranking 1, unjudged, where there are grades to 3, the upper end of nDCG@2
    is 0.71, below the plain score.

    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None]], judged=[1], scale=[0, 1, 2, 3])
    >>> table = RBPInspired().table(evidence, parse_measure("nDCG(dcg='exp-log2')@2"), 1)
    >>> table.value.round(2).item(), table.upper.round(2).item()
    (1.0, 0.71)
    """

    name: ClassVar[str] = "rbp-inspired"
    summary: ClassVar[str] = "range to all unjudged documents having the highest grade (B23)"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores, and those with the highest grade for all unjudged documents."""
        del rng
        if isinstance(measure, JudgedShare | SampledMeasure):
            raise not_for(measure, self.name, "of documents with grades, such as nDCG@10")
        plain = score(evidence, measure, bounds="none")
        upper = join_topics(_with_highest(block, measure) for block in measure.cut(evidence).blocks)
        return replace(plain, lower=plain.value, upper=upper)


def _with_highest(block: Block, measure: Measure) -> Floats:
    """Score each run of a block as if its own unjudged documents had the highest grade."""
    top = len(block.scale) - 1
    rows = []
    for s in range(block.shape[0]):
        # Each run has an ideal of its own: that with its documents of the highest grade.
        own = block.ungraded[s : s + 1]
        pool = block.pool.copy()
        pool[:, top] += own[0].sum(axis=1)
        codes = np.where(own, top, block.codes[s : s + 1]).astype(block.codes.dtype)
        rows.append(measure.score_block(Block(codes=codes, scale=block.scale, pool=pool))[0])
    return np.array(rows)


def below_pool(grades: Grades, measure: Measure, depth: int | None = None) -> str:
    """Say why B23's draws mislead for a measure; nothing where it looks at pooled ranks alone.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, 0, 1, 0, 1, None]] * 3)
    >>> below_pool(evidence, parse_measure("P@5")), below_pool(evidence, parse_measure("P@6"))
    ('', 'it looks below rank 5, the depth of the pool, where draws hand a run the relevant
    documents that it missed')
    """
    pool, cutoff = find_pool(grades, depth=depth), getattr(measure, "cutoff", None)
    if not pool.is_sure or pool.depth >= grades.depth or (cutoff or grades.depth) <= pool.depth:
        return ""
    return (
        f"it looks below rank {pool.depth}, the depth of the pool, where draws hand a run the "
        "relevant documents that it missed"
    )


def not_for(measure: Measure, treatment: str, needed: str) -> OptionError:
    """Return the error that a treatment cannot treat a measure, and which measures it can."""
    return OptionError(
        f"treatment: {treatment!r} cannot treat {measure!r}. Hint: use a measure {needed}."
    )


@dataclass(frozen=True)
class RateFilled(Labelled):
    """Unjudged documents have the gain of judged ones (Ravana and Moffat 2010; G16 §2, §4).

    ``background`` takes the mean gain of the topic's judged documents; ``interpolation`` the
    weighted mean gain of the list's own judged documents; ``smoothing`` blends the two by the
    share of the list's weight that is judged. A list without any judged document says nothing, so
    the background stands in. Ranks past the end of a list hold no document and gain nothing.

    Parameters
    ----------
    kind : {"interpolation", "background", "smoothing"}
        Where the gain of unjudged documents comes from.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]], judged=[1, 0, 0, 0])
    >>> [RateFilled(kind).table(evidence, parse_measure("P@4"), 1).value.item()
    ...  for kind in ("background", "interpolation", "smoothing")]
    [0.375, 0.5, 0.4375]
    """

    kind: str = "interpolation"

    needs_non_relevant: ClassVar[bool] = True
    _summaries: ClassVar[dict[str, str]] = {
        "background": "unjudged documents gain as the topic's judged ones on average",
        "interpolation": "unjudged documents gain as the run's own judged ones (RM)",
        "smoothing": "between background and interpolation, by the share of weight judged",
    }

    @property
    def name(self) -> str:
        """``background``, ``interpolation`` or ``smoothing``."""
        return self.kind

    @property
    def summary(self) -> str:
        """Where the gain comes from."""
        return self._summaries.get(self.kind, "")

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores plus the rate times the weight of unjudged documents."""
        del rng
        require_choice("kind", self.kind, self._summaries)
        weighted = _static(measure, self.name)
        seen = weighted.cut(evidence)
        plain = score(evidence, measure, bounds="none")
        weights = weighted.weights(seen.depth)
        unknown = join_topics(weight_of(block.ungraded, weights) for block in seen.blocks)
        judged = join_topics(weight_of(block.codes >= 0, weights) for block in seen.blocks)
        background = pool_gain(evidence, weighted.gain_table(evidence.scale))
        rate = self._rate(plain.value, judged, unknown, background)
        return replace(plain, value=plain.value + rate * unknown)

    def _rate(self, gained: Floats, judged: Floats, unknown: Floats, background: Floats) -> Floats:
        everywhere = np.broadcast_to(background, gained.shape)
        own = np.divide(gained, judged, out=everywhere.copy(), where=judged > 0)
        if self.kind == "background":
            return everywhere
        if self.kind == "interpolation":
            return own
        share = judged / np.where(unknown > 0, judged + unknown, 1.0)
        return share * own + (1 - share) * everywhere


@dataclass(frozen=True)
class GainModelTreatment(Labelled):
    """Unjudged documents have the gain that a model of the topic expects at their rank (G16).

    ``depth`` is the depth of the pool, to which the model is fitted; see
    :func:`~poolwise.fit_gains`. Ranks past the end of a list hold no document and gain nothing.

    Parameters
    ----------
    model : str
        The curve to fit: one of ``GAIN_MODELS``.
    depth : int, optional
        The depth of the pool; by default, topic by topic, down to where half of the runs are judged
        without a gap.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, 1, 0, 0], [1, 0, None, None]], judged=[1, 1, 0, 0])
    >>> table = GainModelTreatment("constant", depth=2).table(evidence, parse_measure("P@4"), 1)
    >>> table.value.tolist()
    [[0.5], [0.25]]
    """

    needs_non_relevant: ClassVar[bool] = True

    model: str = "weibull"
    depth: int | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    @property
    def summary(self) -> str:
        """Which model is fitted."""
        return f"unjudged documents gain what the {self.model} model expects at their rank (G16)"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores plus the expected gain of unjudged documents."""
        del rng
        weighted = _static(measure, self.name)
        seen = weighted.cut(evidence)
        full = weighted.full_gain(seen.scale)
        gains = weighted.gain_table(seen.scale) / full
        # The model is fitted to all pooled ranks, also below the measure's cut-off.
        fit = fit_gains(evidence, gains, model=self.model, depth=self.depth)
        plain = score(evidence, measure, bounds="none")
        expected = weighted.weights(seen.depth) * (full * fit.predict(seen.depth))
        extra = join_topics(
            weight_of(block.ungraded, expected[topics])
            for topics, block in zip(seen.slices, seen.blocks, strict=True)
        )
        treated = replace(plain, value=plain.value + extra)
        return _cautioned(treated, evidence, self.depth, seen.depth)


def _cautioned(
    table: ScoreTable, evidence: Evidence, depth: int | None, longest: int
) -> ScoreTable:
    """Say where a gain model was fitted to too few ranks for the measure (G16: half of them)."""
    fitted = depth or int(np.median(judged_prefix(evidence)))
    scored = min(judged_share_of(table.measure).cutoff or longest, longest)
    if 2 * fitted >= scored:
        return table
    said = (
        f"Gain models were fitted to {counted(fitted, 'rank')} for a measure of "
        f"{counted(scored, 'rank')}: G16 asks for half of them at least, and below that models "
        "differ by much."
    )
    return replace(table, of_means=(unknown("judgments", len(table.systems), said),))


def _static(measure: Measure, treatment: str) -> StaticWeights:
    """Return the measure if its weights depend on the rank alone; else say what to use."""
    if not isinstance(measure, StaticWeights):
        raise not_for(measure, treatment, "with fixed weights by rank, such as RBP(p=0.8) or P@10")
    return measure


@recorded
def draw_scores(
    evidence: Evidence,
    measure: Measure | str,
    *,
    run: str,
    topic: str,
    rng: int | np.random.Generator = 1,
    prior: str = "pool+run",
    over: str = "topics",
    draws: int = 1000,
    joint: bool = False,
) -> DrawnScores:
    """Draw grades for the unjudged documents of one run on one topic, many times (B23 fig. 1).

    Parameters
    ----------
    run, topic : str
        Which score to draw.
    rng, prior, over, draws, joint
        As for :func:`~poolwise.scores.bootstrap`.

    Returns
    -------
    DrawnScores
        How often each score comes out, beside the plain and the condensed score and the naive
        upper bound.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> drawn = draw_scores(evidence, "P@2", run="run1", topic="1", rng=1)
    >>> drawn.plain, drawn.condensed, drawn.highest
    (0.5, 0.5, 1.0)
    """
    drawn = bootstrap(evidence, measure, rng=rng, prior=prior, over=over, draws=draws, joint=joint)
    return with_other_treatments(drawn, evidence, run, topic)


def with_other_treatments(
    drawn: ScoreDistribution, evidence: Evidence, run: str, topic: str
) -> DrawnScores:
    """Return one score as it was drawn, and what other treatments make of it.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> with_other_treatments(bootstrap(evidence, "RR", rng=1), evidence, "run1", "1").condensed
    1.0
    """
    drawn_score, measure = drawn.at(run, topic), parse_measure(drawn.plain.measure)
    alone, place = evidence.select([run]), evidence.topics.index(topic)
    condensed = Condensed().table(alone, measure, 1).value[0, place]
    highest = score(alone, measure, bounds="naive").upper[0, place]
    return replace(drawn_score, condensed=float(condensed), highest=float(highest))
