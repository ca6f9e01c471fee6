"""Bias-adjusted scores of runs that lose by not having been pooled (W10 ch. 6)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.groups import Groups
from poolwise.collection.identifiers import indices_of
from poolwise.errors import OptionError, require_depth
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades
from poolwise.evidence._ungraded import condense, count_ungraded, judged_to_depth
from poolwise.evidence._unique_documents import find_unique_documents
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.scores.treatments.bias_adjustment import (
    Adjustment,
    adjust_from_systems,
    adjust_from_topics,
)
from poolwise.words import counted

__all__ = ["BiasFromSystems", "BiasFromTopics"]


@dataclass(frozen=True)
class BiasFromSystems:
    """Unpooled runs are adjusted by what pooled runs lose when left out (W10 alg. 6.1).

    Parameters
    ----------
    pooled : tuple of str, optional
        The runs that were pooled; by default those that are judged to the pool's depth on all
        topics. A run that lacks a topic is never among them: on it, it can lose nothing.
    depth : int, optional
        The depth of the pool; by default the measure's cut-off.
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
        return _fill(_base(evidence, measure, self), self.adjustments(evidence, measure))

    def adjustments(self, evidence: Evidence, measure: Measure | str) -> dict[str, Adjustment]:
        """Return the adjustment of each run that was not pooled and has unjudged documents."""
        measure = parse_measure(measure)
        pooled, depth = _situation(evidence, measure, self)
        evidence = _ranks_that_matter(evidence, measure, self, depth)
        units = _units(evidence, self.groups)
        plain = _base(evidence, measure, self).value
        unique = find_unique_documents(evidence, pooled, units, depth=depth)
        found = {}
        for r in _unpooled(evidence, measure, pooled).tolist():
            # The new run joins the pool as each pooled one leaves it, so the width stays.
            reduced = unique.leave_out(pooled, joining=r)
            left = _values(reduced, measure, self).reshape(len(evidence.topics), len(pooled)).T
            found[evidence.systems[r]] = adjust_from_systems(
                plain[pooled], left, plain[r], units=units[pooled]
            )
        return _with_origin(found, evidence, depth, self)


@dataclass(frozen=True)
class BiasFromTopics:
    """Unpooled runs are adjusted by what they lose on fully judged topics (W10 alg. 6.2).

    Parameters
    ----------
    common : tuple of str, optional
        The topics for which the unpooled runs were judged too; by default, run by run, those on
        which all of its documents are judged to the pool's depth. Topics that happen to be judged
        are no random sample, so name the ones that were judged for its sake if you can.
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

    common: tuple[str, ...] | None = None
    pooled: tuple[str, ...] | None = None
    depth: int | None = None
    condensed: bool = False
    fewest: int = 3

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return known scores on common topics, adjusted ones elsewhere."""
        del rng
        return _fill(_base(evidence, measure, self), self.adjustments(evidence, measure))

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
        common = [self._common(evidence, r, depth) for r in new.tolist()]
        found = {
            evidence.systems[r]: adjust_from_topics(t, np.where(c, u, t), c)
            for r, t, u, c in zip(new.tolist(), plain, left, common, strict=True)
        }
        return _with_origin(found, evidence, depth, self)

    def _common(self, evidence: Evidence, r: int, depth: int) -> Booleans:
        if self.common is not None:
            marks = np.zeros(len(evidence.topics), np.bool_)
            marks[indices_of(self.common, evidence.topics, what="common")] = True
            return marks
        marks = judged_to_depth(evidence, depth)[r]
        if not marks.any():
            raise OptionError(
                f"treatment: 'bias-topics' needs topics on which run {evidence.systems[r]!r} is "
                f"judged to depth {depth}, and there are none. Hint: judge it on some "
                "topics, leave it out, or use 'bias-systems'."
            )
        return marks


def _situation(
    evidence: Evidence, measure: Measure, options: BiasFromSystems | BiasFromTopics
) -> tuple[Indices, int]:
    """Return the pooled systems and the depth of the pool."""
    if options.depth is not None:
        require_depth(options.depth, longest=evidence.depth)
    depth = options.depth or getattr(measure, "cutoff", None)
    if depth is None:
        raise OptionError(
            f"depth: {options.name!r} needs the depth of the pool, since {measure!r} has no "
            "cut-off. Hint: give depth=, or a measure with a cut-off."
        )
    if options.pooled is None:
        pooled = np.flatnonzero(judged_to_depth(evidence, depth).all(axis=1))
    else:
        pooled = indices_of(options.pooled, evidence.systems, what="pooled")
    pooled = pooled[(evidence.lengths[pooled] > 0).all(axis=1)]
    if len(pooled) < options.fewest:
        raise OptionError(
            f"pooled: {options.name!r} needs at least {counted(options.fewest, 'pooled run')} that "
            f"answer all topics and are judged to depth {depth} on them; got {len(pooled)}. "
            "Hint: name the pooled runs, use a smaller depth, or take 'condensed'."
        )
    return pooled, int(depth)


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
    found: dict[str, Adjustment],
    evidence: Evidence,
    depth: int,
    options: BiasFromSystems | BiasFromTopics,
) -> dict[str, Adjustment]:
    """Say of each adjustment what it was made from."""
    origin = evidence.provenance.with_options(treatment=options, depth=depth)
    return {run: replace(adjustment, provenance=origin) for run, adjustment in found.items()}


def _fill(table: ScoreTable, adjustments: dict[str, Adjustment]) -> ScoreTable:
    value = table.value.copy()
    for system, adjustment in adjustments.items():
        value[table.systems.index(system)] = adjustment.estimates
    return replace(table, value=value)
