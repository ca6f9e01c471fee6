"""Significance tests on the per-topic differences of two systems, or of all pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.collection.identifiers import indices_of
from poolwise.errors import require_choice
from poolwise.evidence.pairs import Pairs
from poolwise.findings.comparison.pair_test import Finding
from poolwise.findings.comparison.resampling import (
    SIDES,
    Resamples,
    bootstrap_pvalues,
    null_statistics,
    randomization_pvalues,
    studentized_pvalues,
)
from poolwise.findings.comparison.samples import Sample, pair_blocks, paired_sample, two_samples
from poolwise.findings.comparison.signed_ranks import signed_rank_pvalues
from poolwise.findings.comparison.tested_pairs import Findings
from poolwise.scores.score_table import ScoreTable

__all__ = ["TESTS", "SignificanceTest", "compare_pair", "compare_pairs"]

Seed = int | np.random.Generator | None


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
    interval: str = "t"

    def run(self, sample: Sample, sided: str, resamples: Resamples | None) -> Floats:
        """Return a p value per pair; NaN where the pair has none."""
        extra = (resamples,) if self.randomized else ()
        pvalues = self.pvalues(sample, sided, *extra)
        return np.where(self.answers(sample), pvalues, np.nan)

    def answers(self, sample: Sample) -> Booleans:
        """Tell which pairs the test says anything about (U18 §3.5: identical ones, nothing)."""
        if self.needs_spread:
            return np.asarray(sample.standard_error > 0)
        return np.asarray(sample.wins + sample.losses > 0)


def compare_pair(
    table: ScoreTable,
    a: str,
    b: str,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    resamples: int = 10_000,
    rng: Seed = None,
) -> Finding:
    """Test whether system ``a`` differs from system ``b``; topics without both scores drop out.

    Parameters
    ----------
    table : ScoreTable
        Scores by system and topic.
    a, b : str
        Names of the two systems; the difference is a minus b.
    test : str
        A key of ``TESTS``.
    alternative : {"two-sided", "greater", "less"}
        What is claimed of a against b.
    resamples, rng
        Number of resamples, and seed or Generator, for the randomized tests.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[3.0] * 35 + [1.0] * 15, [2.0] * 50], systems=["a", "b"],
    ...                                topics=[str(t) for t in range(50)], measure="x")
    >>> round(compare_pair(table, "a", "b", test="sign", alternative="greater").pvalue, 4)
    0.0033
    """
    at = indices_of((a, b), table.systems, what="a, b")
    pairs = Pairs(at[:1], at[1:], f"{a} against {b}")
    chosen, planned = _choose(test, alternative, resamples, rng)
    finding = _run(table, pairs, chosen, alternative, planned)[0]
    if chosen.interval == "t" or planned is None or np.isnan(finding.pvalue):
        return finding
    both = table.value[at]
    deltas = (both[0] - both[1])[~np.isnan(both).any(axis=0)]
    null = null_statistics(deltas, planned, studentized=chosen.interval == "studentized")
    return replace(finding, resampled=null, interval_method=chosen.interval)


def compare_pairs(
    table: ScoreTable,
    *,
    baselines: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    resamples: int = 10_000,
    rng: Seed = None,
) -> Findings:
    """Test every pair of systems, or every system against each baseline, without correction.

    A topic that is undefined for any system compared is left out for all, and counted. For p
    values corrected for their number, see :func:`~poolwise.compare_systems`.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.5, 0.4], [0.2, 0.3, 0.1]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> compare_pairs(table, baselines="c").pvalue.round(3).tolist()
    [0.149, 0.074]
    >>> compare_pairs(table, baselines="d")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: baselines: 'd' is not known. Hint: use one of a, b, c.
    """
    names = (baselines,) if isinstance(baselines, str) else tuple(baselines)
    pairs = Pairs.against(table.systems, names) if names else Pairs.of_all(table.systems)
    chosen, planned = _choose(test, alternative, resamples, rng)
    return _run(table, pairs, chosen, alternative, planned)


def _choose(
    test: str, alternative: str, resamples: int, rng: Seed
) -> tuple[SignificanceTest, Resamples | None]:
    require_choice("test", test, TESTS)
    require_choice("alternative", alternative, SIDES)
    chosen = TESTS[test]
    return chosen, Resamples.plan(resamples, rng=rng) if chosen.randomized else None


def _run(
    table: ScoreTable,
    pairs: Pairs,
    test: SignificanceTest,
    sided: str,
    resamples: Resamples | None,
) -> Findings:
    sample = test.sample(table, pairs)
    return Findings(
        measure=table.measure,
        systems=table.systems,
        test=test.title,
        null=test.null,
        alternative=f"{test.parameter} is {SIDES[sided]}",
        sample=sample,
        pvalue=test.run(sample, sided, resamples),
    )


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
    pairs, scores = sample.pairs, sample.scores
    pvalues = np.empty(len(pairs))
    for block in pair_blocks(pairs, scores.shape[1]):
        deltas = scores[pairs.left[block]] - scores[pairs.right[block]]
        pvalues[block] = signed_rank_pvalues(deltas, sided)
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
        ),
        SignificanceTest(
            "sign",
            "sign test",
            "a win is as likely as a loss",
            "the median difference",
            _sign_pvalues,
            needs_spread=False,
        ),
        SignificanceTest(
            "randomization",
            "randomization test",
            "which of the two systems had which score of a topic is chance",
            _MEAN,
            randomization_pvalues,
            needs_spread=False,
            randomized=True,
        ),
        SignificanceTest(
            "bootstrap",
            "bootstrap test",
            _NO_MEAN,
            _MEAN,
            bootstrap_pvalues,
            randomized=True,
            interval="basic",
        ),
        SignificanceTest(
            "studentized",
            "studentized bootstrap test",
            _NO_MEAN,
            _MEAN,
            studentized_pvalues,
            randomized=True,
            interval="studentized",
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
