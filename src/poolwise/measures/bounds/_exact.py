"""Exact bounds of recall-based measures: the range over every grading of the unjudged documents.

A grading gives each unjudged document of a run's list, and each of so many *unlisted* ones, which
are not in it, a grade; the number of relevant documents R and the ideal ranking are counted anew
for each grading. The bounds are the smallest and the largest score that any grading reaches, found
without enumeration; with infinitely many unlisted ones, their limits. Gradings that leave a topic
without a relevant document have no score and are left out; if there is no other grading, the
bounds are NaN.

The functions take lists that are cut to what the measure looks at, and work on a few of them at a
time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers, distinct
from poolwise.collection._identifiers import cut_topics
from poolwise.evidence._grades import Block
from poolwise.measures._measure import first_code
from poolwise.measures._ranges import Bounds

__all__ = [
    "Counts",
    "Ideal",
    "Normalized",
    "NormalizedForm",
    "PrecisionSums",
    "average_precision_bounds",
    "bound_in_parts",
    "finite_counts",
    "gain_levels",
    "largest_ratio",
    "normalized_bounds",
    "past_the_end",
    "precision_sums",
    "quotient",
    "r_precision_bounds",
    "r_precision_depth",
    "ratio_bounds",
    "running",
    "sum_after",
]

Counts = float | Floats
"""Of documents: the same for every list, or systems × topics; perhaps infinite."""

CELLS = 1 << 16
"""Lists × ranks to work on at a time: arrays of so many numbers stay in the processor's cache."""


def bound_in_parts(
    formula: Callable[[Block, Counts], Bounds], block: Block, unlisted: Counts = 0
) -> Bounds:
    """Return ``formula(block, unlisted)``, worked out for a few lists at a time.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None], [0]]).blocks
    >>> bound_in_parts(lambda part, more: Bounds(part.lengths, part.lengths + more), block, 1)
    Bounds(lower=array([[2], [1]]), upper=array([[3], [2]]))
    """
    if block.codes.size <= CELLS:
        return formula(block, unlisted)
    counts, bounds = np.broadcast_to(unlisted, block.shape), np.empty((2, *block.shape))
    for lists in _parts(block):
        part = Block(codes=block.codes[lists], scale=block.scale, pool=block.pool[lists[1]])
        bounds[:, *lists] = formula(part, counts[lists])
    return Bounds(*bounds)


def _parts(block: Block) -> Iterator[tuple[slice, slice]]:
    """Go through systems and topics, as many topics at a time as have room."""
    for topics in cut_topics(np.full(block.shape[1], block.depth), 1, cells=CELLS):
        step = max(1, CELLS // ((topics.stop - topics.start) * block.depth))
        for first in range(0, block.shape[0], step):
            yield slice(first, first + step), topics


Weights = Callable[[int], Floats]


@dataclass(frozen=True, eq=False)
class Ideal:
    """What the best possible ranking is worth, by the number of documents at each gain level.

    Attributes
    ----------
    levels : float array, levels
        The distinct gains above 0, ascending.
    judged : int array, … × levels
        How many judged documents have at least each gain.
    table : float array
        ``table[m]`` is the weight of the first ``m`` ranks of the ideal ranking; concave in ``m``.
    """

    levels: Floats
    judged: Integers
    table: Floats

    @property
    def steps(self) -> Floats:
        """Return how much each level adds to the one below it."""
        return np.diff(self.levels, prepend=0.0)

    def weight(self, level: int, added: Integers) -> Floats:
        """Return the ideal weight of one level when so many documents are added to it."""
        return self.table[self.judged[..., level, None] + added]

    def repeated(self, shape: tuple[int, ...]) -> "Ideal":
        """Return the ideals of the topics once more for each system, or for chosen ones."""
        judged = np.broadcast_to(self.judged, (*shape, len(self.levels)))
        return Ideal(self.levels, judged, self.table)


def gain_levels(gains: Floats) -> Floats:
    """Return the distinct gains above 0: what an unjudged document may have besides nothing.

    Examples
    --------
    >>> gain_levels(np.array([0.0, 1.0, 1.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    return distinct(gains[gains > 0])


def ratio_bounds(
    judged_gain: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Bounds:
    """Return the range of a normalized gain, from running sums with the heaviest documents first.

    The lower bound is minus the largest value of minus the ratio, the lightest documents first.
    """
    # To lose most, the ideal must grow by documents that bring the run least: the lightest.
    lost = gained[..., ::-1] - gained[..., -1:]
    lightest = added[..., -1:] - added[..., ::-1]
    return Bounds(
        lower=0.0 - largest_ratio(-judged_gain, lost, lightest, ideal),
        upper=largest_ratio(judged_gain, gained, added, ideal),
    )


def largest_ratio(
    judged_gain: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Return the largest (judged gain + gain of unjudged documents) / ideal over all their grades.

    Parameters
    ----------
    judged_gain : float array, …
        What the judged documents are worth; may be negative (a difference of two runs).
    gained, added : arrays, … × choices
        ``gained[…, j]`` is the weight that ``added[…, j]`` unjudged documents have together when
        they are chosen for the largest weight; the first choice is (0, 0). Choices that lie
        between two others of the same weight may be left out.
    ideal : Ideal
        The denominator. It counts the added documents too.
    """
    # With m_h unjudged documents of gain at least level h, m_1 ≥ m_2 ≥ …, and Δ_h the steps between
    # the levels, the ratio is (judged gain + Σ Δ_h C(m_h)) / Σ Δ_h D(J_h + m_h): for given numbers
    # the heaviest documents are best at every level at once. C and D are concave. Call the largest
    # ratio λ; it is reached where Σ Δ_h f_h(m_h) is largest, f_h(m) = C(m) − λ D(J_h + m)
    # (Dinkelbach 1967). Since J_1 ≥ J_2 ≥ … and D is concave,
    #
    # - if λ ≥ 0, f_h(m + 1) − f_h(m) falls as h rises, so the separate maxima of the levels already
    #   obey m_1 ≥ m_2 ≥ …, and each level is one scan;
    # - if λ < 0, every f_h is concave and the separate maxima stand in the opposite order, so under
    #   the chain they all fall together: m_1 = m_2 = …, that is, each unjudged document has either
    #   the highest grade or none.
    #
    # So scan the second form first; where it gives λ ≥ 0 and there are several levels, start
    # Dinkelbach's iteration from it. Gradings without any relevant document have no score and are
    # left out; where there is no other grading the result is NaN. (If nothing judged is relevant,
    # all f_h are the same function and the second form is exact again.)
    best = _best_extreme(judged_gain, gained, added, ideal)
    if len(ideal.levels) > 1:
        rising = best > 0
        best[rising] = _climb(
            best[rising],
            judged_gain[rising],
            gained[rising],
            added[rising],
            Ideal(ideal.levels, ideal.judged[rising], ideal.table),
        )
    return best


def _best_extreme(
    judged_gain: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Return the largest ratio when each unjudged document has the highest grade or none."""
    if not len(ideal.levels):
        return np.full(judged_gain.shape, np.nan)
    # With documents of the top grade alone every level is reached by as many of them.
    worth = judged_gain[..., None] + ideal.levels[-1] * gained
    total = ideal.steps[0] * ideal.weight(0, added)
    for h, step in enumerate(ideal.steps[1:], start=1):
        total += step * ideal.weight(h, added)
    ratio = np.divide(worth, total, out=np.full(worth.shape, np.nan), where=total > 0)
    return np.fmax.reduce(ratio, axis=-1)


def _climb(
    ratio: Floats,
    judged_gain: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Raise the ratio by Dinkelbach's iteration until no grading gives more."""
    # Each round takes the best grading for the ratio reached so far. It rises until that grading
    # gives no more, and then no other does; a few rounds are enough, as Newton's method for λ.
    while True:
        worth, total = judged_gain.copy(), np.zeros_like(judged_gain)
        for h, step in enumerate(ideal.steps):
            weight = ideal.weight(h, added)
            at = np.argmax(gained - ratio[..., None] * weight, axis=-1, keepdims=True)
            worth += step * np.take_along_axis(gained, at, axis=-1)[..., 0]
            total += step * np.take_along_axis(weight, at, axis=-1)[..., 0]
        reached = np.divide(worth, total, out=ratio.copy(), where=total > 0)
        if not (reached > ratio).any():
            return ratio
        ratio = np.maximum(ratio, reached)


class NormalizedForm(NamedTuple):
    """A measure as Σ weight × gain over its value for the ideal ranking.

    nDCG in all its forms has it, recall (all weights 1, no cut-off in the ideal), nRBP and nP.
    """

    gains: Floats
    """The gain of each grade of the scale, none negative."""
    full_gain: float
    """The gain of the best document there can be."""
    weights: Weights
    """The weights of the first ranks, by depth: not increasing, 0 past a cut-off."""
    ideal_weights: Weights
    """Those of the ideal ranking; an expanded ideal (D10 §3.1) has no cut-off."""
    total: float = np.inf
    """The sum of all weights of the ideal ranking, where it has one."""

    def ideal(self, pool: Integers, *, added: int) -> Ideal:
        """Return the ideal of each topic, with room for so many more relevant documents."""
        # As long as there can be relevant documents, however short the lists are: a cut-off is in
        # the weights, and the end of the longest list must not cut the ideal.
        levels = gain_levels(np.append(self.gains, self.full_gain))
        judged = np.stack([pool[:, self.gains >= g].sum(axis=1) for g in levels], axis=-1)
        table = running(self.ideal_weights(int(judged.max(initial=0)) + added))
        return Ideal(levels, judged, table)

    def in_corpus(self, limits: Bounds, least: Floats, most: Floats, endless: Booleans) -> Bounds:
        """Take in the limits of lists with endless unlisted documents: nothing but these is ideal.

        ``least`` and ``most`` are what the gains found can add up to.
        """
        # An ideal of top grades alone: finite where a cut-off or p caps it, so that the score of
        # what was found does not go to 0 with more and more relevant documents.
        limit = self.full_gain * self.total
        if not endless.any() or not limit > 0:
            return limits
        low, high = (np.where(endless, gains / limit, np.nan) for gains in (least, most))
        return Bounds(np.fmin(limits.lower, low), np.fmax(limits.upper, high))


@runtime_checkable
class Normalized(Protocol):
    """A measure that has the normalized form."""

    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return the measure's gains and weights on this scale of grades."""


def normalized_bounds(block: Block, form: NormalizedForm, *, unlisted: Counts = 0) -> Bounds:
    """Return the exact range of a normalized gain.

    :func:`largest_ratio` says why it is exact.

    Examples
    --------
    B23 table 1: for the ranking [1, ?] the naive bounds of nDCG@2 are [1, 1], and yet a grade of
    2 gives 0.80.

    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None]], judged=[1], scale=[0, 1, 2, 3]).blocks
    >>> discount = lambda depth: np.array([1, np.log(2) / np.log(3), *[0] * depth])[:depth]
    >>> form = NormalizedForm(np.exp2(block.scale) - 1, 7.0, discount, discount)
    >>> low, high = normalized_bounds(block, form)
    >>> low.round(2).item(), high.round(2).item()
    (0.71, 1.0)
    """
    return bound_in_parts(partial(_normalized_bounds, form), block, unlisted)


def _normalized_bounds(form: NormalizedForm, block: Block, unlisted: Counts) -> Bounds:
    weight, unjudged = form.weights(block.depth), block.ungraded
    endless = np.broadcast_to(np.isinf(unlisted), block.shape)
    gained = running(unjudged * weight, 0.0)
    added = running(unjudged, finite_counts(unlisted))
    judged_gain = block.lookup(form.gains) @ weight
    ideal = form.ideal(block.pool, added=int(added.max(initial=0)))
    limits = ratio_bounds(judged_gain, gained, added, ideal.repeated(judged_gain.shape))
    return form.in_corpus(
        limits, judged_gain, judged_gain + form.full_gain * gained[..., -1], endless
    )


def finite_counts(unlisted: Counts) -> Integers:
    """Return whole numbers of documents, 0 where there is no end of them."""
    return np.where(np.isinf(unlisted), 0, unlisted).astype(np.int64)


def average_precision_bounds(
    block: Block, *, level: float, cap: float = np.inf, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of AP, or of aAP, whose divisor is at most ``cap`` (D10 eq. 4).

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None, 0, None]], judged=[1, 0, 1]).blocks
    >>> low, high = average_precision_bounds(block, level=1)
    >>> low.round(3).item(), high.round(3).item()
    (0.5, 0.688)
    """
    return bound_in_parts(partial(_average_precision_bounds, level, cap), block, unlisted)


def _average_precision_bounds(level: float, cap: float, block: Block, unlisted: Counts) -> Bounds:
    # Let s unjudged documents of the list and e unlisted ones be relevant, so that R = R₀ + s + e.
    # Moving a relevant document up from rank b to a raises the sum of precisions by at least
    # (r_a + 1)(1/a − 1/b) > 0, since each relevant document it passes gains 1/i > 1/b. So the
    # top-most s are the best choice, and the bottom-most s the worst. Unlisted ones add to R and
    # to nothing else: none is the best choice, and all are the worst. One more relevant document
    # adds its own precision and 1/i at each relevant rank i below it, so running sums give every s.
    sums = precision_sums(block.codes >= first_code(block, level), block.ungraded)
    judged, others = block.relevant(level)[:, None], _column(unlisted)
    # Not monotone in s: one more relevant document raises the sum, and R with it. So all are tried.
    high = quotient(sums.best, np.minimum(judged + sums.best_count, cap))
    low = quotient(sums.worst, np.minimum(judged + others + sums.worst_count, cap))
    # With nothing relevant judged and nothing unjudged in the list, only 0 is left.
    only_unlisted = np.where((judged == 0) & (others > 0), 0.0, np.nan)[..., 0]
    return Bounds(
        np.fmin.reduce(low, axis=-1), np.fmax(np.fmax.reduce(high, axis=-1), only_unlisted)
    )


def r_precision_bounds(
    block: Block, *, level: float, multiple: float = 1.0, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of R-Prec, or of precision at a multiple of R.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None, 0, None]], judged=[1, 0]).blocks
    >>> low, high = r_precision_bounds(block, level=1)
    >>> low.round(3).item(), high.round(3).item()
    (0.5, 1.0)
    """
    return bound_in_parts(partial(_r_precision_bounds, level, multiple), block, unlisted)


def _r_precision_bounds(level: float, multiple: float, block: Block, unlisted: Counts) -> Bounds:
    # With t unjudged documents relevant, precision is taken at R = R₀ + t. Of these t, as many as
    # there is room for stand in the first R ranks at best, and at worst as few as there is room
    # for elsewhere. Once R is past the end of the list, only R moves, until more are relevant than
    # there are unlisted documents: so the numbers to try are as many as ranks, from 0 on and from
    # there on.
    unjudged = running(block.ungraded)
    hits = running(block.codes >= first_code(block, level))
    others = np.broadcast_to(_column(unlisted), (*block.shape, 1))
    # Down to the end of the list, and to where all of its own documents can be relevant.
    past = max(past_the_end(block.depth, multiple), block.depth)
    near = np.broadcast_to(np.arange(past + 1.0), (*block.shape, past + 1))
    added = np.concatenate([near, others + np.arange(block.depth + 1)], axis=-1)
    depth = r_precision_depth(block.relevant(level)[:, None] + added, multiple)
    at = np.minimum(depth, block.depth).astype(np.intp)
    held, room = (np.take_along_axis(count, at, axis=-1) for count in (hits, unjudged))
    possible = np.where(added <= unjudged[..., -1:] + others, depth, 0)
    # Those that have no room among the unlisted, nor below the first R ranks, must stand there.
    below = unjudged[..., -1:] - room + finite_counts(others)
    least = np.where(np.isinf(others), 0, np.maximum(added - below, 0))
    low = quotient(held + least, possible)
    high = quotient(held + np.minimum(added, room), possible)
    return Bounds(np.fmin.reduce(low, axis=-1), np.fmax.reduce(high, axis=-1))


def past_the_end(length: int, multiple: float) -> int:
    """Return how many relevant documents put the depth of R-Prec past the end of a list."""
    return int(np.ceil((length + 1) / multiple))


def r_precision_depth(relevant: Floats | Integers, multiple: float) -> Floats:
    """Return the depth of R-Prec: a multiple of R, as trec_eval rounds it."""
    return np.floor(multiple * relevant + 0.9)


class PrecisionSums(NamedTuple):
    """The sum of precisions at the relevant ranks, as unjudged documents become relevant.

    All but the first are … × choices, and begin with none relevant.
    """

    alone: Floats
    """What the unjudged document at each rank would add if it alone were relevant."""
    best: Floats
    """The sum when the top-most unjudged documents are relevant, ever more of them."""
    best_count: Integers
    """How many of them there are."""
    worst: Floats
    """The sum when the bottom-most are."""
    worst_count: Integers


def precision_sums(relevant: Booleans, unjudged: Booleans) -> PrecisionSums:
    """Return the sums of precisions of relevant ranks, for each number of relevant unjudged ones.

    Examples
    --------
    >>> sums = precision_sums(np.array([False, True, False]), np.array([True, False, True]))
    >>> sums.best.round(2).tolist(), sums.best_count.tolist()
    ([0.5, 2.0, 2.0, 3.0], [0, 1, 1, 2])
    """
    weight = 1 / np.arange(1, relevant.shape[-1] + 1)
    above, count = running(relevant)[..., 1:], running(unjudged)
    # What one more relevant document gives those below it, known or also unjudged.
    known_below, unjudged_below = sum_after(relevant * weight), sum_after(unjudged * weight)
    total = ((relevant * weight) * above).sum(axis=-1, keepdims=True)
    alone = unjudged * ((above + 1) * weight + known_below)
    best = alone + unjudged * (count[..., 1:] - 1) * weight
    worst = alone + unjudged * unjudged_below
    return PrecisionSums(
        alone=alone,
        best=total + running(best),
        best_count=count,
        worst=total + running(worst[..., ::-1]),
        worst_count=count[..., -1:] - count[..., ::-1],
    )


def running(values: NDArray[Any], last: Any = None) -> NDArray[Any]:
    """Return running sums along the last axis from 0 on, with one more value to add at the end.

    Examples
    --------
    >>> running(np.array([True, False, True])).tolist(), running(np.array([0.5]), 2).tolist()
    ([0, 1, 1, 2], [0.0, 0.5, 2.5])
    """
    depth = values.shape[-1]
    size = depth + 1 + (last is not None)
    sums = np.zeros((*values.shape[:-1], size), np.result_type(values, np.int64))
    np.cumsum(values, axis=-1, out=sums[..., 1 : depth + 1])
    if last is not None:
        sums[..., -1] = sums[..., depth] + last
    return sums


def sum_after(values: Floats) -> Floats:
    """Return the sum of what comes after each value."""
    return values.sum(axis=-1, keepdims=True) - np.cumsum(values, axis=-1)


def quotient(values: Floats, divisor: Floats) -> Floats:
    """Divide; NaN where the divisor is 0."""
    shape = np.broadcast_shapes(values.shape, divisor.shape)
    return np.divide(values, divisor, out=np.full(shape, np.nan), where=divisor > 0)


def _column(counts: Counts) -> Floats:
    """Return counts per system and topic with an axis for the choices."""
    return np.asarray(counts, np.float64)[..., None]
