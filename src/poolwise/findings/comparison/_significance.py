"""Significance tests on per-topic differences, with their intervals and corrections."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._resampling import (
    SIDES,
    Resamples,
    Statistics,
    bootstrap_differences,
    bootstrap_pvalues,
    bootstrap_ts,
    dunnett_pvalues,
    randomization_pvalues,
    studentized_pvalues,
    subset_means,
    tukey_pvalues,
)
from poolwise.findings.comparison._samples import Sample, pair_blocks, paired_sample, two_samples
from poolwise.findings.comparison._signed_ranks import (
    hodges_lehmann_ends,
    median_ends,
    signed_rank_pvalues,
)
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty, check_level
from poolwise.words import are, counted

__all__ = [
    "CORRECTIONS",
    "INTERVALS",
    "NO_SCORE",
    "TESTS",
    "Correction",
    "IntervalMethod",
    "PairTests",
    "Seed",
    "SignificanceTest",
    "Spread",
    "adjust_pvalues",
    "correct",
    "drawn_options",
    "fewest_topics",
    "interval_ends",
    "pairs_of",
    "plan_test",
    "run_on_pairs",
    "run_test",
    "too_few_words",
]

Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class IntervalMethod:
    """An interval: what it is called in a sentence, and how it gets from a sample to its ends.

    ``ends`` takes a sample, a plan of resamples and a level, and returns the lower and the upper
    ends, one per pair; NaN where the sample leaves none.
    """

    name: str
    words: str
    ends: Callable[[Sample, Resamples | None, float], Ends]
    needs_spread: bool = True


def interval_ends(sample: Sample, method: str, resamples: Resamples | None, level: float) -> Ends:
    """Return the lower and upper ends of the intervals of a sample, by a key of ``INTERVALS``."""
    check_level(level)
    chosen = INTERVALS[method]
    answered = sample.tells(needs_spread=chosen.needs_spread)
    low, high = chosen.ends(sample, resamples, level)
    return np.where(answered, low, np.nan), np.where(answered, high, np.nan)


@dataclass(frozen=True, eq=False)
class Spread:
    """What the intervals of one difference are made from.

    Attributes
    ----------
    sample : Sample
        The scores of the one pair.
    methods : tuple of str
        The intervals that can be had after the test, the one that is shown first; keys of
        ``INTERVALS``.
    resamples : Resamples or None
        The plan of a randomized test.
    """

    sample: Sample
    methods: tuple[str, ...]
    resamples: Resamples | None = None

    @property
    def method(self) -> str:
        """The interval that is shown."""
        return self.methods[0]

    def interval(self, level: float, method: str | None = None) -> Uncertainty:
        """Return the interval of a level, by the shown method or a named one."""
        chosen = method or self.method
        ends = interval_ends(self.sample, chosen, self.resamples, level)
        return Uncertainty("topics", *ends, level=level, kind=chosen)

    def resampled(self) -> Floats:
        """Return the bootstrap's statistics under the null hypothesis; none after other tests."""
        statistics = [_NULL_STATISTICS[name] for name in self.methods if name in _NULL_STATISTICS]
        if not statistics or self.resamples is None:
            return np.empty(0)
        (_, values), *_ = statistics[0](self.sample, self.resamples)
        return values[0]


def _t_ends(sample: Sample, _: Resamples | None, level: float) -> Ends:
    """Return difference ± t·error (W10 §3.3.5)."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    half = stdtrit(np.maximum(sample.degrees, 1), (1 + level) / 2) * sample.standard_error
    return sample.difference - half, sample.difference + half


def _basic_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Take the tails of the centred bootstrap the other way round: the shifted test, inverted."""
    low, high = _tails(bootstrap_differences, sample, resamples, level)
    return sample.difference - high, sample.difference - low


def _percentile_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    low, high = _tails(bootstrap_differences, sample, resamples, level)
    return sample.difference + low, sample.difference + high


def _studentized_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    low, high = _tails(bootstrap_ts, sample, resamples, level)
    error = np.where(sample.standard_error > 0, sample.standard_error, np.nan)
    return sample.difference - high * error, sample.difference - low * error


def _randomization_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Invert the randomization test: order statistics of means over random subsets of topics.

    With the signs of the topics of a set A turned, the mean of d − θ is at least the observed one
    where the mean of d over A is at most θ (the typical values of Hartigan 1969). The empty set,
    which turns nothing, is so for every θ: with too few topics there is no interval.
    """
    ends = _tails(subset_means, sample, resamples, level)
    low, high = (np.where(np.isfinite(end), end, np.nan) for end in ends)
    unknown = np.isnan(low) | np.isnan(high)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def _bca_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Correct the percentiles for bias and acceleration (Efron 1987; W10 §3.3.5)."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 -- late: scipy is slow to import

    ends = np.empty((2, len(sample.pairs)))
    z = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    for block, null in bootstrap_differences(sample, _planned(resamples)):
        null.sort(axis=1)
        # Means of a few topics tie with the observed one: half of the ties count on either side.
        below = (np.sum(null < 0, axis=1) + np.sum(null <= 0, axis=1)) / (2 * null.shape[1])
        bias = ndtri(below)[:, None] + z
        acceleration = _acceleration(sample.deltas(block))[:, None]
        with np.errstate(invalid="ignore"):
            shares = ndtr(bias - z + bias / (1 - acceleration * bias))
        ends[:, block] = np.take_along_axis(null, _places(shares, null.shape[1]), axis=1).T
    return sample.difference + ends[0], sample.difference + ends[1]


def _acceleration(deltas: Floats) -> Floats:
    """Return a of the mean, from the jackknife: Σd³ / 6(Σd²)^1.5 of centred differences."""
    centred = deltas - deltas.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    cubes = (centred**3).sum(axis=1)
    return np.divide(cubes, 6 * squares**1.5, out=np.zeros(len(cubes)), where=squares > 0)


def _places(shares: Floats, resamples: int) -> Indices:
    """Return the order statistics, counted from 0, outside of which these shares lie."""
    low, high = np.floor(shares[:, :1] * (resamples + 1)), np.ceil(shares[:, 1:] * (resamples + 1))
    places = np.nan_to_num(np.concatenate([low, high], axis=1), nan=1.0)
    return np.clip(places, 1, resamples).astype(np.intp) - 1


def _tails(
    statistics: Statistics, sample: Sample, resamples: Resamples | None, level: float
) -> Ends:
    """Return the order statistics that leave half of 1 − level on each side, one per pair.

    They are not interpolated, since a t from few topics may be infinite, and stand as far from
    the lowest as from the highest, so that a − b has the interval of b − a turned round.
    """
    planned = _planned(resamples)
    outside = _places(np.array([[(1 - level) / 2, (1 + level) / 2]]), planned.count)[0, 0]
    ends = np.empty((2, len(sample.pairs)))
    for block, rows in statistics(sample, planned):
        # A statistic without a value speaks against neither end.
        undefined = np.isnan(rows)
        for end, sign in zip(ends, (1, -1), strict=True):
            signed = np.where(undefined, -np.inf, sign * rows)
            end[block] = sign * np.partition(signed, outside, axis=1)[:, outside]
    return ends[0], ends[1]


def _planned(resamples: Resamples | None) -> Resamples:
    if resamples is None:
        raise TypeError("an interval by resampling needs the resamples of its test")
    return resamples


INTERVALS: dict[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod("t", "interval", _t_ends),
        IntervalMethod("basic", "basic bootstrap interval", _basic_ends),
        IntervalMethod("percentile", "bootstrap percentile interval", _percentile_ends),
        IntervalMethod("bca", "BCa bootstrap interval", _bca_ends),
        IntervalMethod("studentized", "studentized bootstrap interval", _studentized_ends),
        IntervalMethod("randomization", "randomization interval", _randomization_ends, False),
        IntervalMethod("median", "interval of the median", median_ends, False),
        IntervalMethod("hodges-lehmann", "Hodges–Lehmann interval", hodges_lehmann_ends, False),
    )
}
"""The intervals by name."""

_NULL_STATISTICS: dict[str, Statistics] = {
    "basic": bootstrap_differences,
    "studentized": bootstrap_ts,
}
"""What a bootstrap test resamples, by the interval that belongs to it."""


Seed = int | np.random.Generator | None

NO_SCORE = "no topic has a score yet"
"""Why nothing can be tested before the first relevant document is found."""

SMALLEST_P = float(np.finfo(np.float64).tiny)
"""What stands for a p value below 1e-300, too small for a number: no p value is 0."""


def fewest_topics(alpha: float, sided: str) -> int:
    """Return the fewest topics on which any difference can be significant.

    If one system wins on all n topics, the sign test, the randomization test and Wilcoxon's give
    p = 2⁻ⁿ, or twice that for a two-sided claim. A t test may give less, on the supposition that
    the differences are normal, of which so few topics say nothing.

    Examples
    --------
    >>> fewest_topics(0.05, "two-sided"), fewest_topics(0.05, "greater")
    (6, 5)
    """
    tails = 2 if sided == "two-sided" else 1
    return int(np.floor(np.log2(tails / alpha))) + 1


def too_few_words(number: int, what: str, alpha: float, sided: str) -> str:
    """Say that so few topics, or clusters of them, allow no conclusion.

    Examples
    --------
    >>> print(too_few_words(3, "topic", 0.05, "two-sided"))
    3 topics are too few for any difference to be significant at 0.05: a system that wins on all
    of them does so by chance with p = 0.25, and it takes 6 topics to tell.
    """
    return (
        f"{counted(number, what)} {are(number)} too few for any difference to be significant at "
        f"{alpha:g}: a system that wins on all of them does so by chance with "
        f"p = {2.0**-number * (2 if sided == 'two-sided' else 1):g}, and it takes "
        f"{fewest_topics(alpha, sided)} {what}s to tell."
    )


@dataclass(frozen=True)
class SignificanceTest:
    """A test: what it is called, what it supposes, and how it gets from a sample to p values."""

    name: str
    title: str
    null: str
    parameter: str
    pvalues: Callable[..., Floats]
    sample: Callable[[ScoreTable, Pairs], Sample] = paired_sample
    needs_spread: bool = True
    randomized: bool = False
    intervals: tuple[str, ...] = ("t",)

    def run(self, sample: Sample, sided: str, resamples: Resamples | None) -> Floats:
        """Return a p value per pair; NaN where the pair has none."""
        if not sample.topics:
            return np.full(len(sample.pairs), np.nan)
        extra = (resamples,) if self.randomized else ()
        pvalues = self.pvalues(sample, sided, *extra)
        return np.where(self.answers(sample), np.maximum(pvalues, SMALLEST_P), np.nan)

    def answers(self, sample: Sample) -> Booleans:
        """Tell which pairs the test says anything about."""
        return sample.tells(needs_spread=self.needs_spread)


@dataclass(frozen=True, eq=False)
class PairTests:
    """What one test says of many pairs of systems before any correction, by columns.

    Attributes
    ----------
    measure : Measure
        What the systems were scored by.
    systems : tuple of str
        The systems, which the pairs name by position.
    test, null, parameter : str
        The test, its null hypothesis, and what the alternative speaks about, in words.
    sided : {"two-sided", "greater", "less"}
        Which way the alternative goes.
    sample : Sample
        Differences, standard errors, wins, ties and losses, one entry per pair.
    pvalue : float array
        NaN where a pair has none; ``reason`` says why.
    intervals : tuple of str
        The intervals that can be had after the test, the one that is shown first.
    resamples : Resamples or None
        The plan of a randomized test, from which its intervals are made.
    """

    measure: Measure
    systems: tuple[str, ...]
    test: str
    null: str
    parameter: str
    sided: str
    sample: Sample = field(repr=False)
    pvalue: Floats
    intervals: tuple[str, ...] = ("t",)
    resamples: Resamples | None = None

    def __len__(self) -> int:
        return len(self.pvalue)

    @property
    def pairs(self) -> Pairs:
        """Which systems were compared with which."""
        return self.sample.pairs

    @property
    def difference(self) -> Floats:
        """Mean of the left system minus mean of the right one."""
        return self.sample.difference

    @cached_property
    def effect_size(self) -> Floats:
        """The difference in standard deviations; NaN where nothing varies."""
        deviation = np.where(self.sample.deviation > 0, self.sample.deviation, np.nan)
        return self.difference / deviation

    @cached_property
    def reason(self) -> NDArray[np.str_]:
        """Why a pair has no p value, interval or effect size; empty where it has them all."""
        return np.select(
            [
                ~np.isnan(self.pvalue) & ~np.isnan(self.effect_size),
                self.sample.n == 0,
                np.isnan(self.sample.standard_error),
                self.difference == 0,
            ],
            [
                np.array(""),
                np.array(NO_SCORE),
                np.array("one topic has no spread"),
                np.array("the scores are the same on every topic"),
            ],
            np.array("the difference is the same on every topic, so it has no spread"),
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the intervals that belong to the test."""
        return interval_ends(self.sample, self.intervals[0], self.resamples, level)

    def spread(self, i: int) -> Spread:
        """Return what the intervals of one pair are made from."""
        return Spread(self.sample.only(i), self.intervals, self.resamples)

    def enough_topics(self, alpha: float) -> bool:
        """Tell whether there are enough topics for any difference to be significant."""
        return self.sample.topics >= fewest_topics(alpha, self.sided)


@recorded
def run_test(
    table: ScoreTable,
    *,
    baseline: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    resamples: int = 10_000,
    rng: Seed = None,
) -> PairTests:
    """Test every pair of systems, or every system against each baseline, without correction.

    A topic that is undefined for any system compared is left out for all, and counted. For p
    values corrected for their number, and for something to print, see
    :func:`~poolwise.compare_scores`.

    Parameters
    ----------
    alternative : {"two-sided", "greater", "less"}
        What is claimed of the left system of a pair against the right one.

    Returns
    -------
    PairTests
        The p value of each pair, with the topics that were left out.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.5, 0.4], [0.2, 0.3, 0.1]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> run_test(table, baseline="c").pvalue.round(3).tolist()
    [0.149, 0.074]
    >>> run_test(table, baseline="d")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: baseline: 'd' is not known. Hint: use one of a, b, c.
    """
    planned = plan_test(test, alternative, resamples, rng)
    pairs = pairs_of(table.systems, baseline)
    return run_on_pairs(table, pairs, test=test, sided=alternative, resamples=planned)


def pairs_of(systems: Sequence[str], baseline: str | Sequence[str]) -> Pairs:
    """Return all pairs, or those of every other system with each baseline."""
    names = (baseline,) if isinstance(baseline, str) else tuple(baseline)
    return Pairs.against(systems, names) if names else Pairs.of_all(systems)


def plan_test(test: str, sided: str, resamples: int, rng: Seed) -> Resamples | None:
    """Check what is asked for, and plan the resamples of a randomized test."""
    require_choice("test", test, TESTS)
    require_choice("alternative", sided, SIDES)
    return Resamples.plan(resamples, rng=rng) if TESTS[test].randomized else None


def drawn_options(test: str, resamples: int, rng: Seed) -> dict[str, object]:
    """Return what a randomized test drew, as options; nothing for one that draws nothing."""
    return {"resamples": resamples, **seed_option(rng)} if TESTS[test].randomized else {}


def run_on_pairs(
    table: ScoreTable,
    pairs: Pairs,
    *,
    test: str,
    sided: str,
    resamples: Resamples | None,
    interval: str | None = None,
    sample: Sample | None = None,
) -> PairTests:
    """Test these pairs; ``resamples`` comes from :func:`plan_test`.

    By default the sample is that of the test: it refuses scores that are nowhere defined.
    """
    chosen = TESTS[test]
    sample = chosen.sample(table, pairs) if sample is None else sample
    return PairTests(
        measure=table.measure,
        systems=table.systems,
        test=chosen.title,
        null=chosen.null,
        parameter=chosen.parameter,
        sided=sided,
        sample=sample,
        pvalue=chosen.run(sample, sided, resamples),
        intervals=_shown_first(chosen, interval),
        resamples=resamples,
    )


def _shown_first(test: SignificanceTest, interval: str | None) -> tuple[str, ...]:
    """Return the intervals of a test, the one asked for first, or say which there are."""
    if interval is None:
        return test.intervals
    if interval not in test.intervals:
        raise OptionError(
            f"interval: {interval!r} is no interval of the {test.title}. "
            f"Hint: use one of {', '.join(test.intervals)}."
        )
    return (interval, *(name for name in test.intervals if name != interval))


def _t_pvalues(sample: Sample, sided: str) -> Floats:
    """Compare difference over standard error with the t distribution (W10 eq. 3.14)."""
    from scipy.special import stdtr  # noqa: PLC0415 -- late: scipy is slow to import

    with np.errstate(divide="ignore", invalid="ignore"):
        t = sample.difference / sample.standard_error
    if sided == "two-sided":
        return np.asarray(2 * stdtr(sample.degrees, -np.abs(t)))
    return np.asarray(stdtr(sample.degrees, -t if sided == "greater" else t))


def _sign_pvalues(sample: Sample, sided: str) -> Floats:
    """Compare the wins with a fair coin; ties are ignored (W10 §3.3.3)."""
    from scipy.special import bdtr  # noqa: PLC0415 -- late: scipy is slow to import

    wins, tosses = sample.wins, sample.wins + sample.losses
    if sided == "two-sided":
        fewer = np.minimum(wins, sample.losses)
        return np.asarray(np.minimum(1.0, 2 * bdtr(fewer, tosses, 0.5)))
    return np.asarray(bdtr(sample.losses if sided == "greater" else wins, tosses, 0.5))


def _wilcoxon_pvalues(sample: Sample, sided: str) -> Floats:
    pvalues = np.empty(len(sample.pairs))
    for block in pair_blocks(sample.pairs, sample.scores.shape[1]):
        pvalues[block] = signed_rank_pvalues(sample.deltas(block), sided, within=sample.tolerance)
    return pvalues


_NO_MEAN = "the mean difference over topics is 0"
_MEAN = "the mean difference over topics"

TESTS: dict[str, SignificanceTest] = {
    test.name: test
    for test in (
        SignificanceTest("t", "paired t test", _NO_MEAN, _MEAN, _t_pvalues),
        SignificanceTest(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "the differences are symmetric about 0",
            "the centre of the differences",
            _wilcoxon_pvalues,
            needs_spread=False,
            intervals=("hodges-lehmann", "t"),
        ),
        SignificanceTest(
            "sign",
            "sign test",
            "a win is as likely as a loss",
            "the median difference",
            _sign_pvalues,
            needs_spread=False,
            intervals=("median", "t"),
        ),
        SignificanceTest(
            "randomization",
            "randomization test",
            "which of the two systems had which score of a topic is chance",
            _MEAN,
            randomization_pvalues,
            needs_spread=False,
            randomized=True,
            intervals=("randomization", "t"),
        ),
        SignificanceTest(
            "bootstrap",
            "bootstrap test",
            _NO_MEAN,
            _MEAN,
            bootstrap_pvalues,
            randomized=True,
            intervals=("basic", "percentile", "bca", "t"),
        ),
        SignificanceTest(
            "studentized",
            "studentized bootstrap test",
            _NO_MEAN,
            _MEAN,
            studentized_pvalues,
            randomized=True,
            intervals=("studentized", "t"),
        ),
        SignificanceTest(
            "pooled-t",
            "two-sample t test, equal variances",
            "the means over all topics are equal",
            "the difference of the means",
            _t_pvalues,
            sample=partial(two_samples, equal_variances=True),
        ),
        SignificanceTest(
            "welch-t",
            "two-sample t test, Welch",
            "the means over all topics are equal",
            "the difference of the means",
            _t_pvalues,
            sample=partial(two_samples, equal_variances=False),
        ),
    )
}
"""The tests by name."""


@dataclass(frozen=True)
class Correction:
    """A correction: what it is called, and how it gets from p values to corrected ones.

    ``adjust`` takes p values in ascending order. With a ``family``, which is ``pairs`` for all
    pairs of systems and ``baseline`` for all systems against one, it takes a paired sample, what
    is claimed, and a plan of resamples.
    """

    name: str
    title: str
    adjust: Callable[..., Floats]
    family: str = ""


@recorded
def adjust_pvalues(pvalues: Sequence[float] | Floats, *, correction: str = "holm") -> Floats:
    """Correct p values for their number; a missing one (NaN) is no member of the family.

    Parameters
    ----------
    pvalues : sequence of float
        The p values of one family of tests.
    correction : str
        A key of ``CORRECTIONS``, but for those that need the scores (``tukey``, ``dunnett``).

    Returns
    -------
    float array
        The corrected p values in the same order, at most 1; NaN stays NaN.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    >>> adjust_pvalues([0.01, 0.04, 0.03], correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    raw = np.asarray(pvalues, np.float64)
    chosen = _choose_without_scores(correction)
    adjusted = np.full(raw.shape, np.nan)
    present = np.flatnonzero(~np.isnan(raw))
    order = present[np.argsort(raw[present], kind="stable")]
    adjusted[order] = np.minimum(1.0, chosen.adjust(raw[order]))
    return adjusted


def correct(
    tests: PairTests, table: ScoreTable, *, correction: str, resamples: int, rng: Seed
) -> Floats:
    """Return the corrected p values of tested pairs."""
    chosen = CORRECTIONS[correction]
    if not chosen.family:
        return adjust_pvalues(tests.pvalue, correction=correction)
    # Corrections that permute scores make their own p values: those of the test stand beside them.
    planned = Resamples.plan(resamples, rng=rng)
    return chosen.adjust(paired_sample(table, tests.pairs), tests.sided, planned)


def _choose_without_scores(correction: str) -> Correction:
    names = [name for name, method in CORRECTIONS.items() if not method.family]
    if correction in names:
        return CORRECTIONS[correction]
    others = " and ".join(name for name in CORRECTIONS if name not in names)
    wrong = "does not work on p values alone" if correction in CORRECTIONS else "is not known"
    raise OptionError(
        f"correction: {correction!r} {wrong}. Hint: use one of {', '.join(names)}; {others} "
        "need the scores, by compare_scores or compare."
    )


def _bonferroni(ascending: Floats) -> Floats:
    return ascending * len(ascending)


def _holm(ascending: Floats) -> Floats:
    """Return the step-down correction of Holm 1979."""
    return np.maximum.accumulate(ascending * _remaining(ascending))


def _hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Hochberg 1988: Holm's bars, from the largest p down.

    It supposes that the tests are independent, or positively dependent as Simes asks.
    """
    return _from_the_largest(ascending * _remaining(ascending))


def _sidak(ascending: Floats) -> Floats:
    """Return 1 − (1 − p)^m (Šidák 1967): exact for independent tests."""
    return _any_of(ascending, np.full(len(ascending), len(ascending)))


def _holm_sidak(ascending: Floats) -> Floats:
    """Return Šidák's correction step by step, as Holm's: 1 − (1 − p)^(m − i)."""
    return np.maximum.accumulate(_any_of(ascending, _remaining(ascending)))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Benjamini and Hochberg 1995 (false discovery rate)."""
    m = len(ascending)
    return _from_the_largest(ascending * m / np.arange(1, m + 1))


def _benjamini_yekutieli(ascending: Floats) -> Floats:
    """Return that of Benjamini and Yekutieli 2001, for tests that depend in any way."""
    return _benjamini_hochberg(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1))


def _remaining(ascending: Floats) -> Floats:
    return np.arange(len(ascending), 0.0, -1)


def _from_the_largest(raised: Floats) -> Floats:
    return np.minimum.accumulate(raised[::-1])[::-1]


def _any_of(pvalues: Floats, tests: Floats) -> Floats:
    """Return the chance that one of so many independent tests gives this p or less."""
    with np.errstate(divide="ignore"):
        # 1 − (1 − p)^m loses all digits of a small p; this keeps them.
        return -np.expm1(tests * np.log1p(-pvalues))


CORRECTIONS: dict[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction("holm", "Holm", _holm),
        Correction("hochberg", "Hochberg", _hochberg),
        Correction("bonferroni", "Bonferroni", _bonferroni),
        Correction("sidak", "Šidák", _sidak),
        Correction("holm-sidak", "Holm–Šidák", _holm_sidak),
        Correction("bh", "Benjamini–Hochberg", _benjamini_hochberg),
        Correction("by", "Benjamini–Yekutieli", _benjamini_yekutieli),
        Correction("tukey", "randomized Tukey HSD", tukey_pvalues, family="pairs"),
        Correction("dunnett", "randomized Dunnett test", dunnett_pvalues, family="baseline"),
        Correction("none", "no correction", lambda ascending: ascending),
    )
}
"""The corrections by name."""
