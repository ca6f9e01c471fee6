"""Scores under drawn grades of the unjudged documents."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades
from poolwise.evidence.unknowns._label_draws import TopicDraws, draw_labels
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import BinaryPreference, InferredAP, JudgedShare
from poolwise.measures.families._normalized import NormalizedSum, ideal_sums
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.provenance._provenance import Provenance, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted

__all__ = [
    "DrawnScores",
    "ScoreDistribution",
    "bootstrap",
    "drawn_scores",
    "is_drawable",
    "require_drawable",
    "why_not_drawable",
]

_SAME = 1e-12
"""Scores that differ by no more are one."""


@finding
class DrawnScores(Finding):
    """How often each score comes out for one run on one topic (B23 fig. 1).

    Attributes
    ----------
    run, topic : str
        Whose score it is.
    measure : Measure
        What was measured.
    draws : int
        How often grades were drawn.
    values, shares : float array
        Each score, in ascending order, and the share of the draws that give it.
    plain : float
        The score with unjudged documents taken as not relevant.
    condensed, highest : float
        The score without the unjudged documents, and the naive upper bound; NaN where they were
        not asked for.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.scores import bootstrap
    >>> evidence = Evidence.from_grades([[1, None, 0]], judged=[1, 1, 0, 0])
    >>> found = bootstrap(evidence, "P@2", rng=1).at(*evidence.systems, *evidence.topics)
    >>> found.plain, found.values.tolist(), found.mode  # a relevant document is still to be found
    (0.5, [0.5, 1.0], 1.0)
    """

    run: str
    topic: str
    measure: Measure
    draws: int
    values: Floats
    shares: Floats
    plain: float
    condensed: float = float("nan")
    highest: float = float("nan")

    @property
    def mode(self) -> float:
        """The most frequent score, the smaller of equals: the estimate of B23."""
        return float(self.values[self.shares.argmax()])

    @property
    def reached(self) -> float:
        """The smallest score that at least 95% of the draws do not exceed."""
        return float(self.values[int(np.argmax(np.cumsum(self.shares) >= 0.95 - _SAME))])

    def columns(self) -> Columns:
        """Return one row per score."""
        rows = len(self.values)
        return {
            "run": [self.run] * rows,
            "topic": [self.topic] * rows,
            "measure": [str(self.measure)] * rows,
            "plain": [self.plain] * rows,
            "condensed": [self.condensed] * rows,
            "naive_upper": [self.highest] * rows,
            "score": self.values.tolist(),
            "share": self.shares.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which score is the most frequent, and what it is without the unjudged documents."""
        what = f"{self.measure} of {self.run} on topic {self.topic}"
        times = counted(self.draws, "draw")
        if len(self.values) == 1:
            only = f"{what} is {self.plain:.4f} in all of {times}"
            return (f"{only}: no unjudged document can change it.",)
        often = f"{what} is most often {self.mode:.4f} over {times}"
        return (
            f"{often}, and at most {self.reached:.4f} in 95% of them.",
            f"With unjudged documents as not relevant it is {self.plain:.4f}.",
        )


def drawn_scores(
    plain: ScoreTable, place: tuple[int, int], ordered: Floats, provenance: Provenance
) -> DrawnScores:
    """Count the scores of one run on one topic, which stand in ascending order."""
    first = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > _SAME)
    counts = np.diff(np.append(first, len(ordered)))
    run, topic = plain.systems[place[0]], plain.topics[place[1]]
    return DrawnScores(
        run=run,
        topic=topic,
        measure=plain.measure,
        draws=len(ordered),
        values=ordered[first],
        shares=counts / len(ordered),
        plain=float(plain.value[place]),
        provenance=provenance.with_options(run=run, topic=topic),
    )


_ABOUT_JUDGING = (BinaryPreference, InferredAP, JudgedShare, SampledMeasure)
"""Measures that drawn grades would turn into something else."""
PERCENTS = (75, 90, 95)
"""The percentiles that B23 §4.2 reports."""


@finding
class ScoreDistribution(Finding):
    """Scores of every run on every topic under drawn grades.

    Attributes
    ----------
    plain : ScoreTable
        The scores with unjudged documents taken as not relevant.
    values : float array, systems × topics × draws
        The scores under each draw. With joint draws the same draw grades a document alike in all
        runs, so differences between runs can be taken draw by draw.
    joint : bool
        Whether one grade per document was drawn for all runs at once.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1]], judged=[1, 1, 0, 0])
    >>> found = bootstrap(evidence, "P@2", rng=1, prior="pool", draws=100)
    >>> found.mode().item(), found.mean().item(), found.percentile(95).item()
    (0.5, 0.71, 1.0)
    >>> found.at(found.plain.systems[0], found.plain.topics[0]).values.tolist()
    [0.5, 1.0]
    """

    plain: ScoreTable
    values: Floats
    joint: bool = False

    @cached_property
    def ordered(self) -> Floats:
        """The scores in ascending order, list by list."""
        return np.sort(self.values, axis=2)

    def mode(self) -> Floats:
        """Return the most frequent score, systems × topics: the point estimate (B23 §4).

        Scores that differ by at most 1e-12 are one; of equally frequent ones it is the smaller.
        """
        return np.array([_mode(rows) for rows in self.ordered])

    def mean(self) -> Floats:
        """Return the mean score, systems × topics."""
        # Around the first draw, so that equal scores have exactly that score as their mean.
        first = self.values[:, :, :1]
        return np.asarray((self.values - first).mean(axis=2) + first[:, :, 0])

    def percentile(self, percent: float) -> Floats:
        """Return the smallest score that at least this share of the draws does not exceed."""
        if not 0 < percent <= 100:
            raise OptionError(
                f"percentile: must lie above 0 and at most at 100; got {percent}. Hint: use "
                "75, 90 or 95."
            )
        draws = self.values.shape[2]
        return np.asarray(self.ordered[:, :, int(np.ceil(percent / 100 * draws - 1e-9)) - 1])

    def table(self, *, percentile: float = 95) -> ScoreTable:
        """Return modes, with a range from the plain score to a percentile (B23 §4.2)."""
        upper = self.percentile(percentile)
        return replace(self.plain, value=self.mode(), lower=self.plain.value, upper=upper)

    def at(self, run: str, topic: str) -> "DrawnScores":
        """Return the distribution of one run on one topic (B23 fig. 1)."""
        require_choice("run", run, self.plain.systems)
        require_choice("topic", topic, self.plain.topics)
        place = self.plain.systems.index(run), self.plain.topics.index(topic)
        return drawn_scores(self.plain, place, self.ordered[place], self.provenance)

    def columns(self) -> Columns:
        """Return one row per run and topic: the plain score, and what the draws give."""
        systems, topics = self.plain.systems, self.plain.topics
        numbers = {
            "plain": self.plain.value,
            "mode": self.mode(),
            "mean": self.mean(),
            **{f"percentile{percent}": self.percentile(percent) for percent in PERCENTS},
        }
        return {
            "run": [system for system in systems for _ in topics],
            "measure": [str(self.plain.measure)] * (len(systems) * len(topics)),
            "topic": list(topics) * len(systems),
            **{name: values.ravel().tolist() for name, values in numbers.items()},
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how much higher the scores are under drawn grades, on average and at most."""
        drawn, plain = self.table(), self.plain.means()
        runs, draws = counted(len(plain), "run"), counted(self.values.shape[2], "draw")
        gained = drawn.means() - plain
        if np.isnan(gained).any():
            return (f"No topic has a {self.plain.measure} for all of {runs} ({draws}).",)
        most = int(gained.argmax())
        average = (
            f"Over {draws} of grades for unjudged documents, the most frequent "
            f"{self.plain.measure} is {gained.mean():.4f} above the plain score on average over "
            f"{runs}."
        )
        return average, (
            f"It is furthest above it for {drawn.systems[most]}: {drawn.means()[most]:.4f} against "
            f"{plain[most]:.4f}, with a 95th percentile of {drawn.mean_bounds()[1][most]:.4f}."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, best first: means over topics."""
        drawn = self.table()
        columns = {
            Column("run"): list(drawn.systems),
            Column("plain", digits=4): self.plain.means().tolist(),
            Column("mode", digits=4, best="max"): drawn.means().tolist(),
            Column("95th percentile", digits=4): drawn.mean_bounds()[1].tolist(),
        }
        rows = list(zip(*columns.values(), strict=True))
        return (
            Table(
                columns=tuple(columns),
                rows=tuple(rows[s] for s in drawn.order().tolist()),
                title=f"{drawn.measure} under {counted(self.values.shape[2], 'draw')} of grades",
                notes=drawn.caveats(),
            ),
        )


def bootstrap(
    evidence: Evidence,
    measure: Measure | str,
    *,
    rng: int | np.random.Generator = 1,
    prior: str = "pool+run",
    over: str = "topics",
    draws: int = 1000,
    joint: bool = False,
) -> ScoreDistribution:
    """Score every run under drawn grades of its unjudged documents (B23 algorithm 1).

    The documents down to the measure's cut-off are graded, and the ideal ranking stays that of
    the pool, so scores remain comparable with those of fully judged runs. All scores are kept: 8
    bytes per system, topic and draw.

    Parameters
    ----------
    evidence : Evidence
    measure : Measure or str
        Any measure that says something about documents with a grade.
    rng : int or numpy.random.Generator
        Seed or generator; the same seed gives the same scores.
    prior : {"pool", "run", "pool+run", "multiplicity"}
        Where the probabilities of grades come from: the topic's judged documents, those of the
        list, the mean of both, or judged documents that as many runs retrieve (U18 table 4). A
        list without judged documents has those of the pool; a run without any on all topics has
        no prior "run".
    over : {"topics", "all"}
        Whose judged documents the pool's shares are of: each topic's own, as B23 writes, or those
        of all topics, as its authors' code has it; that code also expects grade 0 in a list
        without judged documents.
    draws : int
        How many assignments of grades to draw.
    joint : bool
        Draw one grade per document for all runs, as comparisons between runs need.

    Returns
    -------
    ScoreDistribution
        The scores of every draw, by system and topic, beside the plain ones.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[2, None, 0], [1, 0, 0]], judged=[2, 1, 0, 0, 1])
    >>> found = bootstrap(evidence, "nDCG@3", rng=1)
    >>> found.plain.value.round(3).tolist(), found.mode().round(3).tolist()
    ([[0.639], [0.319]], [[0.84], [0.319]])
    """
    measure = parse_measure(measure)
    require_drawable(measure)
    plain = score(evidence, measure, bounds="none")
    values = np.repeat(plain.value[:, :, None], max(draws, 0), axis=2)
    seen = measure.cut(evidence)
    if prior == "run":
        _require_judged(seen)
    parts = draw_labels(seen, rng=rng, prior=prior, over=over, draws=draws, joint=joint)
    if isinstance(measure, StaticWeights | NormalizedSum):
        _add_drawn_gains(values, parts, measure, seen)
    else:
        for drawn in parts:
            values[drawn.systems, drawn.topic] = measure.score_block(drawn.block).T
    options = {"prior": prior, "over": over, "draws": draws, "joint": joint}
    origin = plain.provenance.with_options(**seed_option(rng), **options)
    return ScoreDistribution(plain, values, joint, provenance=origin)


def _add_drawn_gains(
    values: Floats,
    parts: Iterator[TopicDraws],
    measure: StaticWeights | NormalizedSum,
    seen: Grades,
) -> None:
    """Add what the drawn documents gain; the judged ones are in the plain score (B23 §3.2)."""
    gains, weights = measure.gain_table(seen.scale), measure.weights(seen.depth)
    divisor = np.ones(len(seen.topics))
    if isinstance(measure, NormalizedSum):
        ideal = measure.ideal()
        divisor = np.concatenate([ideal_sums(ideal, block) for block in seen.blocks])
    for drawn in parts:
        # Without any gain in the pool the score is undefined, and stays so.
        divided = weights / (divisor[drawn.topic] or np.nan)
        values[drawn.systems, drawn.topic] += drawn.sums(gains, divided)


def is_drawable(measure: Measure) -> bool:
    """Tell whether grades can be drawn for a measure: not if it is about what is judged."""
    return not isinstance(measure, _ABOUT_JUDGING)


def why_not_drawable(measure: Measure) -> str:
    """Say why no grades are drawn for a measure, after its name."""
    if isinstance(measure, SampledMeasure):
        return "estimates what has no grade already"
    return "is about which documents are judged"


def require_drawable(measure: Measure) -> None:
    """Raise where drawn grades would not change what the measure is about."""
    if not is_drawable(measure):
        raise OptionError(
            f"measure: {measure!r} {why_not_drawable(measure)}, so grades cannot be drawn "
            "for it. Hint: use a measure of the ranking, such as nDCG@10."
        )


def _require_judged(seen: Grades) -> None:
    """Raise where a run has unjudged documents and, on all topics, no judged one to learn from.

    Where this holds on some topics only, the probabilities of the pool stand in on these.
    """
    judged = np.any([(block.codes >= 0).any(axis=(1, 2)) for block in seen.blocks], axis=0)
    unjudged = np.any([block.ungraded.any(axis=(1, 2)) for block in seen.blocks], axis=0)
    for s in np.flatnonzero(unjudged & ~judged).tolist():
        raise OptionError(
            f"prior: 'run' needs judged documents, and run {seen.systems[s]!r} has none in its "
            f"first {seen.depth} ranks. Hint: use 'pool' or 'pool+run', or leave it out."
        )


def _mode(ordered: Floats) -> Floats:
    """Return the most frequent value of each ascending row, the smallest of equally frequent."""
    place = np.arange(ordered.shape[1], dtype=np.int32)
    starts = np.zeros(ordered.shape, np.int32)
    starts[:, 1:] = np.where(np.diff(ordered, axis=1) > 1e-12, place[1:], 0)
    starts = np.maximum.accumulate(starts, axis=1)
    # The longest stretch of equal values is where a place is furthest from its start.
    furthest = (place - starts).argmax(axis=1)
    rows = np.arange(len(ordered))
    return np.asarray(ordered[rows, starts[rows, furthest]])
