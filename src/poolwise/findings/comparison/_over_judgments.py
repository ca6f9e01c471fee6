"""What judging, or another sample, could make of tested pairs: by bounds, by drawn grades."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, generator
from poolwise.collection._identifiers import HashedRandom
from poolwise.errors import OptionError, require_choice, require_draws
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._pool_shape import PoolShape
from poolwise.evidence._ungraded import Universe
from poolwise.evidence.unknowns._priors import PRIORS
from poolwise.evidence.unknowns.relevance_model._features import has_non_relevant, units_text
from poolwise.findings._claims import Grounds
from poolwise.findings.comparison._differences import Differences, judgment_ranges, t_pvalue_range
from poolwise.findings.comparison._significance import (
    CORRECTIONS,
    NO_SCORE,
    PairTests,
    Seed,
    adjust_pvalues,
)
from poolwise.findings.comparison._states import Plausibility
from poolwise.measures._measure import Measure
from poolwise.measures._ranges import join_bounds
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.results._progress import counting, progress_reporter
from poolwise.results._threads import in_threads
from poolwise.scores._uncertainty import Uncertainty, normal_interval, unknown
from poolwise.scores.treatments._calibration import (
    CALIBRATED,
    NOT_CALIBRATED,
    ROUNDING,
    DifferenceCalibration,
)
from poolwise.scores.treatments._drawn_scores import (
    ScoreDistribution,
    below_reach,
    bootstrap,
    is_drawable,
    means_of_draws,
    why_not_drawable,
)
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    complete_scores,
    fit_model,
)
from poolwise.scores.treatments._treatments import below_pool
from poolwise.words import counted

__all__ = [
    "CALIBRATED",
    "DRAW_SOURCES",
    "NOT_CALIBRATED",
    "PairBounds",
    "PairDraws",
    "bound_pairs",
    "draw_pairs",
    "plausible_differences",
    "sample_pairs",
]

DRAW_SOURCES = {
    RelevanceModelTreatment.name: (
        "as a relevance model of the pool expects, all documents graded at once"
    ),
    **dict.fromkeys(PRIORS, "from the pool's documents that a run lacks (B23)"),
}
"""Where plausible grades come from."""

_CELLS = 1 << 20
"""Pairs × topics whose ranges are held at a time."""
_MANY = 1 << 18
"""Pairs × topics from which draws are tested side by side."""
MOST_DRAWN = 50_000_000
"""Pairs × draws that are kept, so that they fit in about a gigabyte."""

Progress = Callable[[int, int], None] | None
Outcome = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class PairBounds:
    """What every assignment of grades to the unjudged documents leaves, one entry per pair.

    Attributes
    ----------
    range : Uncertainty
        That of the mean difference; its kind is empty where it is not known.
    verdict : str array
        What can be said of the order over judgments: keys of ``VERDICTS``.
    p_low, p_high : float array
        No assignment of grades takes the paired t test's p value out of this range, uncorrected;
        NaN where a topic may enter the mean, and for other tests where an unjudged document counts.
    reason : str
        Why the range is not known.
    rests_on : str array
        Which run lacks how many topics, where an order rests on these; else empty.
    grounds : Grounds, optional
        What claims on these pairs are about.
    p_high_adjusted : float array, optional
        The correction applied to the upper ends: no assignment of grades takes a corrected p value
        beyond it.
    """

    range: Uncertainty
    verdict: NDArray[np.str_]
    p_low: Floats
    p_high: Floats
    reason: str = ""
    rests_on: NDArray[np.str_] | None = None
    grounds: Grounds | None = None
    p_high_adjusted: Floats | None = None

    @classmethod
    def unknown(cls, pairs: int, reason: str) -> "PairBounds":
        """Return ranges that nobody knows, and why."""
        nothing = np.full(pairs, np.nan)
        verdict = np.full(pairs, "unknown")
        return cls(unknown("judgments", pairs), verdict, nothing, nothing, reason)

    @classmethod
    def joined(cls, parts: Sequence["PairBounds"]) -> "PairBounds":
        """Put the pairs of several parts together."""
        if len(parts) == 1:
            return parts[0]
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("verdict", "p_low", "p_high", "rests_on")
        }
        ranges = [part.range for part in parts]
        every = replace(
            ranges[0],
            low=np.concatenate([part_range.low for part_range in ranges]),
            high=np.concatenate([part_range.high for part_range in ranges]),
            kind="exact" if all(part_range.kind == "exact" for part_range in ranges) else "valid",
        )
        return replace(parts[0], range=every, **whole)

    def with_correction(self, pvalue: Floats, correction: str) -> "PairBounds":
        """Return the same with the correction applied to the upper ends of the p values.

        The corrections of p values alone grow with every p value, and with the number of them: a
        pair whose p value has no known range, or that may get one, counts with 1.

        Examples
        --------
        >>> ranges = Uncertainty("judgments", np.zeros(2), np.ones(2))
        >>> p_high = np.array([0.01, np.nan])
        >>> bounds = PairBounds(ranges, np.array(["open", "open"]), np.zeros(2), p_high)
        >>> bounds.with_correction(np.array([0.001, 0.2]), "holm").p_high_adjusted.tolist()
        [0.02, nan]
        """
        if CORRECTIONS[correction].family or np.isnan(self.p_high).all():
            return self
        # Runs that are level on every topic, whatever is judged, have no p value.
        never = np.isnan(pvalue) & (self.verdict == "equal")
        most = np.where(never, np.nan, np.where(np.isnan(self.p_high), 1.0, self.p_high))
        adjusted = adjust_pvalues(most, correction=correction)
        return replace(self, p_high_adjusted=np.where(np.isnan(self.p_high), np.nan, adjusted))


def bound_pairs(
    evidence: Evidence, tested: PairTests, *, paired_t: bool, universe: Universe
) -> PairBounds:
    """Bound the difference of every tested pair, and the p value of the paired t test.

    Some pairs at a time, so that memory does not grow with pairs × topics.
    """
    step, sided = _pairs_at_a_time(evidence, tested), tested.sided if paired_t else None

    def bound(some: slice) -> PairBounds | str:
        ranges = judgment_ranges(evidence, tested.measure, tested.pairs[some], universe=universe)
        if ranges.kind == "none":
            return ranges.reason
        return _bounds_of(ranges, tested.difference[some], tested.pvalue[some], sided)

    some = [slice(start, start + step) for start in range(0, len(tested), step)]
    # A single part has threads of its own.
    done = (in_threads if len(some) > 1 else map)(bound, some)
    parts: list[PairBounds] = []
    for part in counting(done, "parts of pairs compared", len(some)):
        if isinstance(part, str):
            return PairBounds.unknown(len(tested), part)
        parts.append(part)
    return PairBounds.joined(parts)


def _pairs_at_a_time(evidence: Evidence, tested: PairTests) -> int:
    """Return how many; all, where the topics that count could differ from pair to pair."""
    undefined = np.isnan(tested.measure.score(evidence))
    if (undefined.any(axis=0) != undefined.all(axis=0)).any():
        return len(tested)
    return max(1, _CELLS // max(1, len(evidence.topics)))


def _bounds_of(
    ranges: Differences, difference: Floats, pvalue: Floats, sided: str | None
) -> PairBounds:
    """Return the bounds of some pairs, and those of the p value where a side of it is given."""
    # Where no unjudged document counts, the p value of any test is what it is.
    p_low = p_high = np.where(_is_fixed(ranges), pvalue, np.nan)
    if sided:
        p_low, p_high = _p_range(ranges, sided)
    over_judgments = ranges.over_judgments
    # The difference was summed in another order; no rounding error may put it outside.
    low, high = np.fmin(over_judgments.low, difference), np.fmax(over_judgments.high, difference)
    return PairBounds(
        replace(over_judgments, low=low, high=high),
        ranges.verdict,
        p_low,
        p_high,
        rests_on=np.array([ranges.rests_on(i) for i in range(len(ranges))], np.str_),
        grounds=ranges.grounds,
    )


def _is_fixed(ranges: Differences) -> Booleans:
    """Tell which pairs have ranges without width on every topic, and no topic that may enter."""
    width = (ranges.upper - ranges.lower)[:, ranges.defined]
    return np.asarray((width <= ranges.sizes.tolerance).all(axis=1) & ~ranges.may_enter)


def _p_range(ranges: Differences, sided: str) -> tuple[Floats, Floats]:
    defined = ranges.defined
    ends = t_pvalue_range(ranges.lower[:, defined], ranges.upper[:, defined], alternative=sided)
    # With another topic the test would have another number of degrees of freedom.
    low, high = (np.where(ranges.may_enter, np.nan, end) for end in ends)
    return low, high


@dataclass(frozen=True, eq=False)
class PairDraws:
    """The same comparisons under plausible grades of the unjudged documents, pairs × draws.

    A document has the same grade in all runs of a draw.

    Attributes
    ----------
    difference, pvalue : float array, pairs × draws
        Mean difference and uncorrected p value; NaN where a pair has none.
    significant : float array
        Share of draws in which the pair is still significant after correction, and the same run
        is ahead.
    same_order : float array
        Share of draws in which the same run is ahead.
    ahead, behind : float array
        Share of draws in which the first run is ahead by more than the tolerance, and behind.
    reason : str
        Why there are no draws.
    calibrated : bool array, optional
        Of which pairs the draws are calibrated; of none by default. Only these decide a state.
    calibration : DifferenceCalibration, optional
        By how much differences were spread out about their mean.
    not_calibrated : str
        Why draws are not calibrated.
    pool : PoolShape, optional
        How the pool was made, as the relevance model takes it.
    undrawn : tuple of str
        What the draws do not fill, in words.
    """

    difference: Floats
    pvalue: Floats
    significant: Floats
    same_order: Floats
    ahead: Floats
    behind: Floats
    reason: str = ""
    calibrated: Booleans | None = None
    calibration: DifferenceCalibration | None = None
    not_calibrated: str = ""
    pool: PoolShape | None = None
    undrawn: tuple[str, ...] = ()

    @classmethod
    def none(cls, pairs: int, reason: str) -> "PairDraws":
        """Return no draws, and why."""
        nothing = np.full(pairs, np.nan)
        shares = (nothing,) * 4
        return cls(np.empty((pairs, 0)), np.empty((pairs, 0)), *shares, reason=reason)

    @property
    def draws(self) -> int:
        """How many assignments of grades were drawn."""
        return self.pvalue.shape[1]

    def plausibility(self) -> Plausibility:
        """Return what the draws say of who is ahead, and whether they may decide."""
        calibrated = self.calibrated
        if calibrated is None or not self.draws:
            calibrated = np.zeros(len(self.ahead), np.bool_)
        return Plausibility(self.ahead, self.behind, self.significant, calibrated, self.draws)

    def p_quantile(self, share: float) -> Floats:
        """Return the p value that this share of the draws does not exceed; NaN without draws."""
        if not self.draws:
            return self.significant
        return np.asarray(np.quantile(self.pvalue, share, axis=1, method="inverted_cdf"))


def draw_pairs(
    evidence: Evidence,
    tested: PairTests,
    again: Callable[..., Outcome],
    *,
    rng: Seed,
    draws: int,
    prior: str,
    model: RelevanceModelTreatment,
    alpha: float,
    progress: Progress = None,
) -> PairDraws:
    """Repeat tests under drawn grades, with differences spread out as left-out runs ask for.

    A draw moves the mean of a system; ``again(tables, which, rng=…, alone=…)`` tests each pair by
    one of several tables, which have it moved by so much, and returns differences, p values and
    corrected p values. The pairs that a draw leaves alone are as they were.
    """
    if not draws:
        return PairDraws.none(len(tested), "none were asked for")
    # Apart, so that a randomized test with more resamples is over the same drawn grades.
    labels, tests = _generator(rng).spawn(2)
    require_draws(draws)
    require_choice("prior", prior, DRAW_SOURCES)
    reason = _why_none(evidence, tested, draws, prior, model.depth)
    if reason:
        return PairDraws.none(len(tested), reason)
    measure = tested.measure
    if prior != RelevanceModelTreatment.name:
        scores = bootstrap(evidence, measure, rng=labels, prior=prior, draws=draws, joint=True)
        outcomes = _again(
            tested, again, scores, np.ones(len(tested)), tests=tests, progress=progress
        )
        none = "only draws by the relevance model are calibrated"
        return replace(_shares(tested, *outcomes, alpha=alpha), not_calibrated=none)
    # The same draws as those of an estimate with this seed.
    chance = HashedRandom.of(1 if rng is None else rng)
    scores = complete_scores(evidence, measure, model, rng=chance, shared=True)
    calibration = model.difference_calibration(evidence, measure, chance.seed)
    pool = fit_model(evidence, measure, model).pool
    factors = _factors(tested, pool, calibration)
    outcomes = _again(tested, again, scores, factors, tests=tests, progress=progress)
    drawn = replace(
        _shares(tested, *outcomes, alpha=alpha), pool=pool, undrawn=below_reach(evidence, measure)
    )
    if isinstance(calibration, str):
        return replace(drawn, not_calibrated=calibration)
    return replace(drawn, calibrated=np.ones(len(tested), np.bool_), calibration=calibration)


def _again(
    tested: PairTests,
    again: Callable[..., Outcome],
    scores: ScoreDistribution,
    factors: Floats,
    *,
    tests: np.random.Generator,
    progress: Progress,
) -> Outcome:
    """Repeat the tests in each draw: differences, p values and corrected ones, pairs × draws."""
    spread, which = np.unique(factors, return_inverse=True)
    moved, draws = _mean_moves(scores), scores.values.shape[2]
    # Draw by draw, as they are written: rows of draws would be written a cell at a time.
    outcomes = np.empty((3, draws, len(tested)))
    report = progress_reporter(progress, "draws compared")
    still, left, right = _unmoved(scores), tested.pairs.left, tested.pairs.right

    def test(draw: int) -> None:
        # The mean is shifted, and the topics are not stretched.
        shift, values = moved[:, draw, None], scores.values[:, :, draw]
        tables = [replace(scores.plain, value=values + (by - 1) * shift) for by in spread.tolist()]
        alone = still[left, draw] & still[right, draw] & (factors == 1)
        outcomes[:, draw] = again(tables, which, rng=streams[draw], alone=alone)

    streams = tests.spawn(draws)
    # Few pairs are not worth a thread.
    is_large = len(tested) * scores.values.shape[1] > _MANY
    done = in_threads(test, range(draws)) if is_large else map(test, range(draws))
    for count, _ in enumerate(done, start=1):
        report(count, draws)
    difference, pvalue, adjusted = map(np.ascontiguousarray, outcomes.swapaxes(1, 2))
    return difference, pvalue, adjusted


def _unmoved(scores: ScoreDistribution) -> Booleans:
    """Tell which systems have the scores in a draw that they have without it, systems × draws."""
    plain = scores.plain.value
    undefined = np.isnan(plain)
    # Pairs are tested over the topics that all of them have: fewer pairs must not have others.
    if (undefined != undefined[:1]).any():
        return np.zeros((len(plain), scores.values.shape[2]), np.bool_)
    defined = ~undefined[0]
    moved = [
        (of[defined] != alone[defined, None]).any(axis=0)
        for of, alone in zip(scores.values, plain, strict=True)
    ]
    return ~np.array(moved)


def _shares(
    tested: PairTests, difference: Floats, pvalue: Floats, adjusted: Floats, *, alpha: float
) -> PairDraws:
    """Count who is ahead in the draws, and how often that is significant."""
    within = tested.sample.tolerance
    ahead, behind = difference > within, difference < -within
    now = tested.difference[:, None]
    # Significant the other way round is no support.
    same = np.where(now > 0, ahead, np.where(now < 0, behind, ~(ahead | behind)))
    events = (adjusted < alpha) & same, same, ahead, behind
    significant, agreeing, first, second = (of.mean(axis=1) for of in events)
    return PairDraws(difference, pvalue, significant, agreeing, first, second)


def _factors(
    tested: PairTests, pool: PoolShape, calibration: DifferenceCalibration | str
) -> Floats:
    """Return by how much each difference is spread out about its mean over draws."""
    if isinstance(calibration, str):
        return np.ones(len(tested))
    new = ~pool.pooled
    return calibration.factors(new[tested.pairs.left], new[tested.pairs.right])


def _mean_moves(scores: ScoreDistribution) -> Floats:
    """Return how far the mean of each system is from its mean over draws, systems × draws."""
    means = means_of_draws(scores.values, scores.plain.defined)
    return np.asarray(means - means.mean(axis=1, keepdims=True))


def _why_none(
    evidence: Evidence, tested: PairTests, draws: int, prior: str, depth: int | None
) -> str:
    """Return why no grades can be drawn for these pairs; empty where they can."""
    measure = tested.measure
    if not tested.sample.topics:
        return NO_SCORE
    if not is_drawable(measure):
        return f"{measure} {why_not_drawable(measure)}"
    if not has_non_relevant(evidence):
        return "no judged document is non-relevant; go by the range over judgments"
    deep = "" if prior == RelevanceModelTreatment.name else below_pool(evidence, measure, depth)
    if deep:
        return f"{deep}; draw from the relevance model"
    return _too_many(len(tested), draws) if len(tested) * draws > MOST_DRAWN else ""


def _too_many(pairs: int, draws: int) -> str:
    fewer = "use fewer draws" if pairs <= MOST_DRAWN else "compare with a baseline"
    return f"{draws:,} draws of {counted(pairs, 'pair')} take too much memory; {fewer}"


def _generator(rng: Seed) -> np.random.Generator:
    if rng is None:
        raise OptionError(
            "rng: drawn grades need a seed or a numpy Generator; got None. "
            "Hint: pass rng=1, or any other number, and report it; or draws=0."
        )
    return generator(rng)


def plausible_differences(drawn: PairDraws, bounds: PairBounds) -> Uncertainty:
    """Return what is plausible of differences, by calibrated draws.

    The kind is ``calibrated``, or ``not calibrated`` with the reason, and empty where the draws
    agree, so that nothing is guessed. The range is that of normal draws with the spread of these,
    cut to what is possible.
    """
    # Draws that agree guess nothing: such a difference is judged already.
    unsure = drawn.difference.std(axis=1) > ROUNDING
    calibration, shape = drawn.calibration, (drawn.pool.remark,) if drawn.pool else ()
    shape = (*drawn.undrawn, *shape)
    if calibration is None:
        none = unknown("draws", len(unsure), *_remarks(unsure, drawn.not_calibrated), *shape)
        return replace(none, kind=np.where(unsure, NOT_CALIBRATED, ""))
    low, high = _around(drawn.difference, calibration.quantile, bounds)
    return Uncertainty(
        "draws",
        np.where(unsure, low, np.nan),
        np.where(unsure, high, np.nan),
        level=calibration.level,
        kind=np.where(unsure, CALIBRATED, ""),
        meaning=(*_promise(int(unsure.sum()), calibration), *shape),
    )


def _around(drawn: Floats, reach: float, bounds: PairBounds) -> tuple[Floats, Floats]:
    """Return ranges around the means over draws, cut to what is possible where that is known."""
    centre, half = drawn.mean(axis=1), reach * drawn.std(axis=1)
    # A range that is not known, NaN, cuts nothing: fmax and fmin pass over it.
    low = np.fmax(centre - half, np.fmin(bounds.range.low, centre))
    return low, np.fmin(centre + half, np.fmax(bounds.range.high, centre))


def _promise(pairs: int, calibration: DifferenceCalibration) -> tuple[str, ...]:
    said = (
        f"The plausible range of {counted(pairs, 'difference')} has a coverage of about "
        f"{calibration.level:.0%}, as for {units_text(calibration.units, calibration.what)} left "
        "out in turn and compared with pooled runs: draws are spread out "
        f"{calibration.factor:.2f} times, for two new runs √2 times as much."
    )
    return (said,) if pairs else ()


def _remarks(uncalibrated: Booleans, reason: str) -> tuple[str, ...]:
    count = int(uncalibrated.sum())
    said = f"What is plausible of {counted(count, 'difference')} is not calibrated: {reason}."
    return (said,) if count else ()


_NOTHING = 1e-18
"""A variance below which it is 0 but for rounding."""


def sample_pairs(
    evidence: Evidence, measure: Measure, pairs: Pairs, *, level: float
) -> tuple[Uncertainty, ...]:
    """Return how far another sample could move differences of estimates; nothing for others.

    What two runs share moves both, so that most of the error cancels. Beside the interval stands
    by how much the documents that no sample could have drawn might change the difference.

    Examples
    --------
    >>> from poolwise import P
    >>> evidence = Evidence.from_grades([[1], [0]])
    >>> sample_pairs(evidence, P @ 1, Pairs.of_all(evidence.systems), level=0.95)
    ()
    """
    if not isinstance(measure, SampledMeasure):
        return ()
    difference = pairs.difference(measure.score(evidence))
    kept = ~np.isnan(difference)
    n = np.maximum(kept.sum(axis=1), 1)
    variance = _mean_variances(evidence, measure, pairs, kept)
    mean = np.where(kept, difference, 0.0).sum(axis=1) / n
    never = join_bounds(
        measure.never_drawn_difference_block(block, pairs) for block in evidence.blocks
    )
    ends = (np.where(kept, end, 0.0).sum(axis=1) / n for end in never)
    sampled = normal_interval(mean, variance, level)
    return (
        Uncertainty("samples", *sampled, level=level),
        Uncertainty("never drawn", *ends),
    )


def _mean_variances(
    evidence: Evidence, measure: SampledMeasure, pairs: Pairs, kept: Booleans
) -> Floats:
    """Return the variance of each mean difference; NaN for estimates without an interval.

    What two runs share cancels, so that the plain variance of the design does for intervals. That
    of shared gains is too large here: it is for topics where the plain one is not known, and for
    pairs of which nothing was drawn that tells them apart.
    """
    plain = _variances(measure.covariances(evidence), pairs)
    shared = _variances(measure.interval_covariances(evidence), pairs)
    usual = np.where(np.isnan(shared) | np.isnan(plain), shared, plain)
    total, instead = (np.where(kept, v, 0.0).sum(axis=1) for v in (usual, shared))
    n = kept.sum(axis=1)
    variance = np.where(total < _NOTHING, instead, total) / np.maximum(n, 1) ** 2
    return np.where(n > 0, variance, np.nan)


def _variances(covariances: Iterable[Floats], pairs: Pairs) -> Floats:
    """Return the variance of each difference, pairs × topics."""
    variances = []
    for covariance in covariances:
        own = np.diag(covariance)
        both = covariance[pairs.left, pairs.right]
        variances.append(own[pairs.left] + own[pairs.right] - 2 * both)
    return np.asarray(np.maximum(np.array(variances).T, 0.0))
