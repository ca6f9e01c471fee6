"""Scores of runs that were not pooled, raised by what pooling gave other runs."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence._ungraded import condense, count_ungraded, judged_to_depth
from poolwise.evidence._unique_documents import find_unique_documents
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import t_quantile
from poolwise.scores.treatments._treatments import Labelled
from poolwise.words import counted, named, range_text, signed

__all__ = [
    "Adjustment",
    "BiasFromSystems",
    "BiasFromTopics",
    "adjust_from_systems",
    "adjust_from_topics",
    "adjusted_means",
]


@finding
class Adjustment(Finding):
    """The bias-adjusted mean score of an unpooled run.

    Attributes
    ----------
    raw : float
        Mean score with the judgments of a pool without the run (``u``).
    factor : float
        Estimated bias, which is added (``a``).
    standard_error : float
        Of the adjusted mean, as an estimate of the true one; NaN with a single observation.
    biases : float array
        The observed biases (``β``): by left-out run or group, or by common topic.
    estimates : float array, topics
        Scores by topic whose mean is the adjusted mean.
    sampled, sampled_error : float
        From topics only: the mean over the common topics alone, and its standard error.

    Examples
    --------
    >>> pooled, unpooled = np.array([[0.5, 0.3], [0.4, 0.2]]), np.array([[0.4, 0.2], [0.4, 0.2]])
    >>> adjustment = adjust_from_systems(pooled, unpooled, np.array([0.6, 0.2]))
    >>> round(adjustment.raw, 3), round(adjustment.factor, 3), round(adjustment.adjusted, 3)
    (0.4, 0.05, 0.45)
    >>> print(adjustment.sentences()[0])
    The mean score of 0.4000 is adjusted to 0.4500, by a bias of +0.0500 from 2 observations.
    """

    raw: float
    factor: float
    standard_error: float
    biases: Floats
    estimates: Floats
    sampled: float = float("nan")
    sampled_error: float = float("nan")

    @property
    def adjusted(self) -> float:
        """The adjusted mean, u + a."""
        return self.raw + self.factor

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the t interval of the adjusted mean by its standard error.

        Examples
        --------
        >>> adjustment = Adjustment(0.4, 0.05, 0.02, np.zeros(10), np.zeros(1))
        >>> [round(end, 3) for end in adjustment.interval()]
        [0.405, 0.495]
        """
        if np.isnan(self.standard_error):
            return math.nan, math.nan
        half = t_quantile(len(self.biases) - 1, level) * self.standard_error
        return self.adjusted - half, self.adjusted + half

    def columns(self) -> Columns:
        """Return one row."""
        return {
            "raw": [self.raw],
            "factor": [self.factor],
            "adjusted": [self.adjusted],
            "standard_error": [self.standard_error],
            "observations": [len(self.biases)],
            "sampled": [self.sampled],
            "sampled_error": [self.sampled_error],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what the mean was, what it is adjusted to, and how sure that is."""
        adjusted = (
            f"The mean score of {self.raw:.4f} is adjusted to {self.adjusted:.4f}, by a bias of "
            f"{signed(self.factor)} from {counted(len(self.biases), 'observation')}."
        )
        if np.isnan(self.standard_error):
            return adjusted, "One observation gives no standard error."
        return adjusted, f"The standard error of the adjusted mean is {self.standard_error:.4f}."


def adjusted_means(title: str, adjustments: dict[str, Adjustment]) -> Table:
    """Return what each run's mean was adjusted by, and how sure that is, the highest first."""
    ranked = sorted(adjustments.items(), key=lambda item: -item[1].adjusted)
    made = [adjustment for _, adjustment in ranked]
    columns: Columns = {
        "run": [run for run, _ in ranked],
        "plain": [adjustment.raw for adjustment in made],
        "bias": [adjustment.factor for adjustment in made],
        "adjusted": [adjustment.adjusted for adjustment in made],
        "standard error": [adjustment.standard_error for adjustment in made],
        "95% interval": [range_text(*adjustment.interval()) for adjustment in made],
        "observed biases": [len(adjustment.biases) for adjustment in made],
    }
    return table_of(columns, title=f"Adjusted means by {title}")


@recorded
def adjust_from_systems(
    pooled: Floats, unpooled: Floats, raw: Floats, *, units: Indices | None = None
) -> Adjustment:
    """Infer the bias against a run from what pooled runs lose when they are left out.

    W10 algorithm 6.1.

    Parameters
    ----------
    pooled, unpooled : float array, systems × topics
        Scores of the pooled runs with all judgments, and with those that their being pooled
        brought in taken away.
    raw : float array, topics
        Scores of the unpooled run.
    units : int array, systems
        Which runs were left out together; by default each alone. Each unit counts once.

    Returns
    -------
    Adjustment
        The raw mean, the bias that is added to it, and the standard error of the sum.

    Examples
    --------
    >>> pooled = np.array([[0.5, 0.3], [0.4, 0.2]])
    >>> unpooled = np.array([[0.4, 0.2], [0.4, 0.2]])
    >>> adjustment = adjust_from_systems(pooled, unpooled, np.array([0.6, 0.2]))
    >>> adjustment.biases.round(3).tolist(), round(adjustment.adjusted, 3)
    ([0.1, 0.0], 0.45)
    """
    units = np.arange(len(pooled)) if units is None else units
    lost = np.nanmean(pooled - unpooled, axis=1)
    biases = np.array([lost[units == unit].mean() for unit in np.unique(units)])
    factor = float(biases.mean())
    return Adjustment(
        raw=float(np.nanmean(raw)),
        factor=factor,
        # The run's own bias varies about the mean bias, which is itself the mean of n.
        standard_error=_standard_error(biases) * math.sqrt(len(biases) + 1),
        biases=biases,
        estimates=raw + factor,
    )


@recorded
def adjust_from_topics(pooled: Floats, unpooled: Floats, common: Booleans) -> Adjustment:
    """Infer the bias against a run from common topics, on which it is fully judged.

    W10 algorithm 6.2 and equations 6.2 to 6.7, with the variances over all topics estimated from
    the common ones.

    Parameters
    ----------
    pooled, unpooled : float array, topics
        Scores of the run with all judgments (read on the common topics only), and with those that
        only it brought in taken away.
    common : bool array, topics

    Returns
    -------
    Adjustment
        The raw mean over all topics, the bias added to it, and the standard error of the sum.

    Examples
    --------
    >>> pooled = np.array([0.6, 0.4, 0.5, np.nan, np.nan])
    >>> unpooled = np.array([0.5, 0.4, 0.3, 0.2, 0.6])
    >>> adjustment = adjust_from_topics(pooled, unpooled, ~np.isnan(pooled))
    >>> adjustment.biases.round(3).tolist(), round(adjustment.raw, 3)
    ([0.1, 0.0, 0.2], 0.4)
    >>> adjustment.adjusted > adjustment.raw
    True
    """
    use = common & ~np.isnan(pooled) & ~np.isnan(unpooled)
    N, n = int((use | (~common & ~np.isnan(unpooled))).sum()), int(use.sum())
    biases = (pooled - unpooled)[use]
    factor = float(biases.mean())  # W10 eq. 6.2
    finite = np.sqrt((N - n) / N)
    return Adjustment(
        raw=float(np.nanmean(unpooled[use | ~common])),
        factor=factor,
        standard_error=float(finite * _standard_error(biases)),  # W10 eq. 6.5
        biases=biases,
        # Over the common topics Σt = Σ(u + a), so known scores leave the mean of eq. 6.3 as it is.
        estimates=np.where(common, pooled, unpooled + factor),
        sampled=float(pooled[use].mean()),
        sampled_error=float(finite * _standard_error(pooled[use])),  # W10 eq. 6.7
    )


def _standard_error(values: Floats) -> float:
    """Return the standard error of the mean; NaN with fewer than two values."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


@dataclass(frozen=True)
class BiasFromSystems(Labelled):
    """Unpooled runs are adjusted by what pooled runs lose when left out (W10 alg. 6.1).

    Parameters
    ----------
    pooled : tuple of str, optional
        The runs that were pooled; by default those of which 95% is judged to the pool's depth. A
        run that lacks a topic is never among them: on it, it can lose nothing.
    depth : int, optional
        The depth of the pool; by default it is read off the judgments, or else the measure's
        cut-off.
    groups : Groups, optional
        Leave out all runs of a group together.
    condensed : bool
        Score condensed lists, instead of taking unjudged documents as not relevant.
    fewest : int
        The fewest pooled runs from which a bias is inferred.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> evidence, measure = align(made.judgments, made.runs), parse_measure("P@10")
    >>> by = BiasFromSystems(pooled=made.pooled, depth=made.pool_depth)
    >>> tables = score(evidence, measure), by.table(evidence, measure, 1)
    >>> [round(table.means()[-1].item(), 3) for table in tables]
    [0.265, 0.297]
    """

    name: ClassVar[str] = "bias-systems"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unpooled runs gain what pooled ones lose when left out (W10)"

    pooled: tuple[str, ...] | None = None
    depth: int | None = None
    groups: Groups | None = None
    condensed: bool = False
    fewest: int = 3

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return adjusted scores: the same amount is added on every topic of a run."""
        del rng
        return self.adjusted(evidence, measure)[0]

    def adjusted(
        self, evidence: Evidence, measure: Measure | str
    ) -> tuple[ScoreTable, dict[str, Adjustment]]:
        """Return the scores, and the adjustments that they come from."""
        measure = parse_measure(measure)
        adjustments = self.adjustments(evidence, measure)
        return _fill(_base(evidence, measure, self), adjustments), adjustments

    def adjustments(self, evidence: Evidence, measure: Measure | str) -> dict[str, Adjustment]:
        """Return the adjustment of each run that was not pooled and has unjudged documents."""
        measure = parse_measure(measure)
        pooled, depth = _situation(evidence, measure, self)
        evidence = _ranks_that_matter(evidence, measure, self, depth)
        units = _units(evidence, self.groups)
        plain = _base(evidence, measure, self).value
        unique = find_unique_documents(evidence, pooled, units, depth=depth)
        adjustments = {}
        for r in _unpooled(evidence, measure, pooled).tolist():
            # The new run joins the pool as each pooled one leaves it, so the width stays.
            reduced = unique.leave_out(pooled, joining=r)
            left = _values(reduced, measure, self).reshape(len(evidence.topics), len(pooled)).T
            adjustments[evidence.systems[r]] = adjust_from_systems(
                plain[pooled], left, plain[r], units=units[pooled]
            )
        return _with_origin(adjustments, evidence, depth, self)


@dataclass(frozen=True)
class BiasFromTopics(Labelled):
    """Unpooled runs are adjusted by what they lose on fully judged topics (W10 alg. 6.2).

    Parameters
    ----------
    common : tuple of str, or CommonTopics
        The topics on which the unpooled runs were judged for their own sake, drawn at random: for
        all of them alike, or as recorded for each run. Exactly these count. Topics on which a run
        happens to be judged are no random sample: its bias is 0 there by construction.
    pooled, depth, condensed, fewest
        As for :class:`BiasFromSystems`.

    On common topics, what only unpooled runs have in their first ranks is taken away from each of
    them: a group of new runs gets no help from its own members.

    Examples
    --------
    >>> from poolwise import Judgments, align, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> common, truth = ("401", "402", "403", "404"), made.truth.to_dict()
    >>> judged = made.judgments.to_dict() | {topic: truth[topic] for topic in common}
    >>> evidence = align(Judgments.from_dict(judged), made.runs)
    >>> by = BiasFromTopics(common, pooled=made.pooled, depth=made.pool_depth)
    >>> adjusted = by.table(evidence, parse_measure("P@10"), 1)
    >>> tables = score(evidence, "P@10"), adjusted, score(align(made.truth, made.runs), "P@10")
    >>> [round(table.means()[-1].item(), 2) for table in tables]  # as judged, adjusted, in truth
    [0.34, 0.64, 0.63]
    """

    name: ClassVar[str] = "bias-topics"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unpooled runs gain what they lose on fully judged topics (W10)"

    common: tuple[str, ...] | CommonTopics | None = None
    pooled: tuple[str, ...] | None = None
    depth: int | None = None
    condensed: bool = False
    fewest: int = 3

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return known scores on common topics, adjusted ones elsewhere.

        A run without common topics of its own has no score.
        """
        del rng
        return self.adjusted(evidence, measure)[0]

    def adjusted(
        self, evidence: Evidence, measure: Measure | str
    ) -> tuple[ScoreTable, dict[str, Adjustment]]:
        """Return the scores, and the adjustments that they come from."""
        measure = parse_measure(measure)
        adjustments = self.adjustments(evidence, measure)
        pooled, _ = _situation(evidence, measure, self)
        new = [evidence.systems[r] for r in _unpooled(evidence, measure, pooled).tolist()]
        table = _fill(_base(evidence, measure, self), adjustments)
        return _without(table, [run for run in new if run not in adjustments]), adjustments

    def adjustments(self, evidence: Evidence, measure: Measure | str) -> dict[str, Adjustment]:
        """Return the adjustment of each run that was not pooled and has unjudged documents."""
        measure = parse_measure(measure)
        pooled, depth = _situation(evidence, measure, self)
        evidence = _ranks_that_matter(evidence, measure, self, depth)
        new = _unpooled(evidence, measure, pooled)
        plain = _base(evidence, measure, self).value[new]
        # All new runs are one unit: none of them was there when the pool was made.
        units = np.isin(np.arange(len(evidence.systems)), pooled).astype(np.intp)
        both = np.concatenate([new, pooled])
        reduced = find_unique_documents(evidence, both, units, depth=depth).leave_out(new)
        left = _values(reduced, measure, self).reshape(len(evidence.topics), len(new)).T
        common = self._common(evidence, min(depth, measure.cut(evidence).depth))[new]
        if len(new) and not common.any():
            raise self._no_record([evidence.systems[r] for r in new.tolist()])
        adjustments = {
            evidence.systems[r]: adjust_from_topics(t, np.where(c, u, t), c)
            for r, t, u, c in zip(new.tolist(), plain, left, common, strict=True)
            if c.any()
        }
        return _with_origin(adjustments, evidence, depth, self)

    def _common(self, evidence: Evidence, depth: int) -> Booleans:
        """Return where runs are judged for their own sake, systems × topics."""
        marks = np.zeros((len(evidence.systems), len(evidence.topics)), np.bool_)
        if isinstance(self.common, CommonTopics):
            indices_of(self.common.recorded_as, evidence.topics, what="common")
            for r, run in enumerate(evidence.systems):
                own = self.common.of_run(run)
                marks[r, indices_of(own, evidence.topics, what="common")] = True
        elif self.common is not None:
            marks[:, indices_of(self.common, evidence.topics, what="common")] = True
        # Where its list of documents to judge was not judged to the end, it was not judged yet.
        return np.asarray(marks & judged_to_depth(evidence, depth))

    def _no_record(self, runs: list[str]) -> OptionError:
        """Say why there is nothing to adjust by, and how to get it."""
        which = f"{named(runs, most=2)} {'has' if len(runs) == 1 else 'have'}"
        missing = (
            f"{which} none" if self.common is None else f"{which} unjudged documents on all of them"
        )
        return OptionError(
            "common: 'bias-topics' needs topics, drawn at random, on which a run was judged for "
            f"its own sake; {missing}. Hint: draw and list them by poolwise next QRELS RUNS --goal "
            "common:10 --save common.tsv, judge them, and give --common common.tsv; or use "
            "'bias-systems'."
        )


def _situation(
    evidence: Evidence, measure: Measure, options: BiasFromSystems | BiasFromTopics
) -> tuple[Indices, int]:
    """Return the pooled systems and the depth of the pool."""
    cutoff = getattr(measure, "cutoff", None)
    pool = find_pool(evidence, depth=options.depth, pooled=options.pooled, cutoff=cutoff)
    if not pool.is_sure and cutoff is None:
        raise OptionError(
            f"depth: {options.name!r} needs the depth of the pool, since none shows in the "
            f"judgments and {measure!r} has no cut-off. Hint: give depth=, or a measure with a "
            "cut-off."
        )
    depth, pooled = pool.depth, np.flatnonzero(pool.pooled)
    # A pooled run that lacks a topic would lose nothing there, and pull the bias towards 0.
    pooled = pooled[(evidence.lengths[pooled] > 0).all(axis=1)]
    if len(pooled) < options.fewest:
        raise OptionError(
            f"pooled: {options.name!r} needs at least {counted(options.fewest, 'pooled run')} that "
            f"answer all topics and are judged to depth {depth}; got {len(pooled)}. "
            "Hint: name the pooled runs, use a smaller depth, or take 'condensed'."
        )
    return pooled, depth


def _ranks_that_matter(
    evidence: Evidence, measure: Measure, options: BiasFromSystems | BiasFromTopics, depth: int
) -> Evidence:
    """Return the ranks that are pooled or scored: all of them where lists are condensed."""
    return (
        evidence
        if options.condensed
        else evidence.truncate(max(depth, measure.cut(evidence).depth))
    )


def _units(evidence: Evidence, groups: Groups | None) -> Indices:
    """Return one number for what is left out together: a group, or a single run."""
    if groups is None:
        return np.arange(len(evidence.systems))
    labels = groups.select(evidence.systems).labels
    return np.unique(labels, return_inverse=True)[1]


def _unpooled(evidence: Evidence, measure: Measure, pooled: Indices) -> Indices:
    """Return the systems that have unjudged documents and are not among the pooled."""
    unjudged = count_ungraded(measure.cut(evidence)).any(axis=1)
    return np.setdiff1d(np.flatnonzero(unjudged), pooled)


def _base(
    grades: Grades, measure: Measure, options: BiasFromSystems | BiasFromTopics
) -> ScoreTable:
    plain = score(grades, measure, bounds="none")
    if not options.condensed:
        return plain
    return replace(plain, value=_values(grades, measure, options))


def _values(grades: Grades, measure: Measure, options: BiasFromSystems | BiasFromTopics) -> Floats:
    return measure.score(condense(grades) if options.condensed else grades)


def _with_origin(
    adjustments: dict[str, Adjustment],
    evidence: Evidence,
    depth: int,
    options: BiasFromSystems | BiasFromTopics,
) -> dict[str, Adjustment]:
    """Say of each adjustment what it was made from."""
    origin = evidence.provenance.with_options(treatment=str(options), depth=depth)
    return {run: replace(adjustment, provenance=origin) for run, adjustment in adjustments.items()}


def _without(table: ScoreTable, runs: list[str]) -> ScoreTable:
    """Take the scores of runs away for which there is nothing to say."""
    value = table.value.copy()
    value[indices_of(runs, table.systems, what="runs")] = np.nan
    return replace(table, value=value)


def _fill(table: ScoreTable, adjustments: dict[str, Adjustment]) -> ScoreTable:
    value = table.value.copy()
    for system, adjustment in adjustments.items():
        value[table.systems.index(system)] = adjustment.estimates
    return replace(table, value=value)
