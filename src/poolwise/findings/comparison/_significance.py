"""Significance tests on the per-topic differences of two systems, or of all pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._intervals import Spread, interval_ends
from poolwise.findings.comparison._resampling import (
    SIDES,
    Resamples,
    bootstrap_pvalues,
    randomization_pvalues,
    studentized_pvalues,
)
from poolwise.findings.comparison._samples import Sample, pair_blocks, paired_sample, two_samples
from poolwise.findings.comparison._signed_ranks import signed_rank_pvalues
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable

__all__ = [
    "TESTS",
    "PairTests",
    "Seed",
    "SignificanceTest",
    "drawn_options",
    "fewest_topics",
    "pairs_of",
    "plan_test",
    "run_on_pairs",
    "run_test",
]

Seed = int | np.random.Generator | None

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
                np.isnan(self.sample.standard_error),
                self.difference == 0,
            ],
            [
                np.array(""),
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
    baseline : str or sequence of str
        Compare every other system with each of these; by default all pairs are compared.
    test : str
        A key of ``TESTS``.
    alternative : {"two-sided", "greater", "less"}
        What is claimed of the left system of a pair against the right one.
    resamples, rng
        Number of resamples, and seed or Generator, for the randomized tests.

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
) -> PairTests:
    """Test these pairs; ``resamples`` comes from :func:`plan_test`."""
    chosen = TESTS[test]
    sample = chosen.sample(table, pairs)
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
