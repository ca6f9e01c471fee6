"""How many pairs a measure finds significantly different."""

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.findings.comparison._samples import omitted_words
from poolwise.findings.comparison._significance import PairTests, Seed, run_test
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha
from poolwise.words import counted, have

__all__ = ["Discrimination", "discriminate"]


@finding
class Discrimination(Finding):
    """Which pairs of systems are significantly different by a test at level ``alpha``.

    A pair without a p value (the same score on every topic) is not significantly different, and
    stays in the divisor of ``power``; ``undefined`` counts such pairs.

    Attributes
    ----------
    tests : PairTests
        What the test says of each pair, uncorrected.
    alpha : float
        The significance level.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> found = discriminate(table)
    >>> found.sentences()
    ('In AP, 66.7% of 3 pairs are significantly different (paired t test, p < 0.05).',)
    >>> found.asl_curve().round(3).tolist()
    [0.102, 0.044, 0.035]
    """

    tests: PairTests
    alpha: float

    @property
    def measure(self) -> Measure:
        """What the systems were scored by."""
        return self.tests.measure

    @property
    def pvalue(self) -> Floats:
        """The p values, one per pair; NaN where a pair has none."""
        return self.tests.pvalue

    @property
    def difference(self) -> Floats:
        """The mean differences, one per pair."""
        return self.tests.difference

    @property
    def significant(self) -> Booleans:
        """Which pairs have p < alpha."""
        return np.asarray(self.pvalue < self.alpha)

    @property
    def power(self) -> float:
        """Discriminative power: the share of all pairs with p < alpha (D10 §3.2, U18 §2.3)."""
        return float(self.significant.mean())

    @property
    def undefined(self) -> int:
        """Number of pairs without a p value."""
        return int(np.isnan(self.pvalue).sum())

    def asl_curve(self) -> Floats:
        """Return the achieved significance levels, largest first (Sakai 2006)."""
        return np.sort(self.pvalue[~np.isnan(self.pvalue)])[::-1]

    def difference_needed(self, quantile: float = 1.0) -> float:
        """Return the difference that reaches significance in this share of the pairs.

        Each pair has its own: the critical t times its standard error. The default, enough for
        every pair, is Sakai's (2006) conservative estimate; 0.5 is the median pair's. NaN where
        nothing varies.
        """
        from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

        sample = self.tests.sample
        varying = sample.standard_error > 0
        if not varying.any():
            return float("nan")
        critical = stdtrit(sample.degrees[varying], 1 - self.alpha / 2)
        return float(np.quantile(critical * sample.standard_error[varying], quantile))

    def columns(self) -> Columns:
        """Return one row: how many pairs are significantly different, and what that takes."""
        return {
            "measure": [str(self.measure)],
            "pairs": [len(self.tests)],
            "significant": [int(self.significant.sum())],
            "power": [self.power],
            "without_p": [self.undefined],
            "difference_median": [self.difference_needed(0.5)],
            "difference_all": [self.difference_needed()],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which share of the pairs is significantly different, and what was left out."""
        missing, omitted = self.undefined, self.tests.sample.omitted
        share = (
            f"In {self.measure}, {self.power:.1%} of {counted(len(self.tests), 'pair')} are "
            f"significantly different ({self.tests.test}, p < {self.alpha:g})."
        )
        found = (
            (True, share),
            (
                missing,
                f"{counted(missing, 'pair')} {have(missing)} no p value, since nothing varies.",
            ),
            (omitted, f"Left out: {omitted_words(omitted)}."),
        )
        return tuple(text for applies, text in found if applies)


def discriminate(
    table: ScoreTable,
    *,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: Seed = None,
) -> Discrimination:
    """Test all pairs of systems, two-sided and uncorrected, for a measure's discriminative power.

    Parameters
    ----------
    table : ScoreTable
        Scores by system and topic.
    test, resamples, rng
        As for :func:`~poolwise.compare_pair`.
    alpha : float
        The significance level.

    Returns
    -------
    Discrimination
        The p value of each pair, and the share of pairs that are significantly different.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> found = discriminate(table)
    >>> found.pvalue.round(3).tolist(), round(found.power, 3)
    ([0.035, 0.044, 0.102], 0.667)
    """
    check_alpha(alpha)
    found = run_test(table, test=test, resamples=resamples, rng=rng)
    drawn = {"resamples": resamples, "seed": rng} if isinstance(rng, int) else {}
    options = {"test": test, "alpha": alpha, **drawn}
    return Discrimination(found, alpha, provenance=table.provenance.with_options(**options))
