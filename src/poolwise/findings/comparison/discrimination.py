"""How well a measure tells systems apart, and whether two settings tell the same ones apart."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.findings.agreement.incomplete_orders import tau_where_known
from poolwise.findings.comparison.pair_test import left_out
from poolwise.findings.comparison.significance import compare_pairs
from poolwise.findings.comparison.tested_pairs import Findings
from poolwise.scores.score_table import ScoreTable

__all__ = [
    "Agreement",
    "Discrimination",
    "agreement",
    "check_alpha",
    "discriminate",
    "pvalue_correlation",
]


@dataclass(frozen=True, eq=False)
class Discrimination:
    """Which pairs of systems a test tells apart at level ``alpha``.

    A pair without a p value (the same score on every topic) is not told apart, and stays in the
    divisor of ``power``; ``undefined`` counts such pairs.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> found = discriminate(table)
    >>> print(found)
    AP: 66.7% of 3 pairs significantly different (paired t test, p < 0.05)
    >>> found.asl_curve().round(3).tolist()
    [0.102, 0.044, 0.035]
    """

    findings: Findings
    alpha: float

    @property
    def significant(self) -> Booleans:
        """Which pairs have p < alpha."""
        return np.asarray(self.findings.pvalue < self.alpha)

    @property
    def power(self) -> float:
        """Discriminative power: the share of all pairs with p < alpha (D10 §3.2, U18 §2.3)."""
        return float(self.significant.mean())

    @property
    def undefined(self) -> int:
        """Number of pairs without a p value."""
        return int(np.isnan(self.findings.pvalue).sum())

    def asl_curve(self) -> Floats:
        """Return the achieved significance levels, largest first (Sakai 2006)."""
        known = self.findings.pvalue[~np.isnan(self.findings.pvalue)]
        return np.sort(known)[::-1]

    def difference_needed(self, quantile: float = 1.0) -> float:
        """Return the difference that reaches significance in this share of the pairs.

        Each pair has its own: the critical t times its standard error. The default, enough for
        every pair, is Sakai's (2006) conservative estimate; 0.5 is the median pair's.
        """
        from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

        sample = self.findings.sample
        varying = sample.standard_error > 0
        critical = stdtrit(sample.degrees[varying], 1 - self.alpha / 2)
        return float(np.quantile(critical * sample.standard_error[varying], quantile))

    def __str__(self) -> str:
        pairs = len(self.findings)
        omitted = left_out(self.findings.sample.omitted)
        without = f"; {self.undefined:,} without a p value" if self.undefined else ""
        without += f"; left out: {omitted}" if omitted else ""
        return (
            f"{self.findings.measure}: {self.power:.1%} of {pairs:,} pairs significantly "
            f"different ({self.findings.test}, p < {self.alpha:g}){without}"
        )


@dataclass(frozen=True)
class Agreement:
    """How one setting's significant pairs agree with those of a reference (U18 §3.6, table 6).

    ``contradictions``, pairs that both find significant in opposite directions, are among the
    false positives.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    contradictions: int

    def __str__(self) -> str:
        return (
            f"TP {self.true_positives:,}, FP {self.false_positives:,} "
            f"({self.contradictions:,} contradicting), "
            f"FN {self.false_negatives:,}, TN {self.true_negatives:,}"
        )


def discriminate(
    table: ScoreTable,
    *,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: int | np.random.Generator | None = None,
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
    """
    check_alpha(alpha)
    return Discrimination(compare_pairs(table, test=test, resamples=resamples, rng=rng), alpha)


def check_alpha(alpha: float) -> None:
    """Refuse a significance level that is not a share."""
    if not 0 < alpha < 1:
        raise OptionError(
            f"alpha: a significance level is between 0 and 1; got {alpha}. Hint: try 0.05."
        )


def agreement(found: Discrimination, reference: Discrimination) -> Agreement:
    """Count where a setting finds what the reference finds: TP, FP, FN, TN (U18 §3.6).

    Examples
    --------
    >>> def table(measure, scores):
    ...     return ScoreTable.from_matrix(scores, systems="ab", topics="123", measure=measure)
    >>> deep = discriminate(table("deep", [[0.5, 0.6, 0.8], [0.1, 0.1, 0.4]]))
    >>> shallow = discriminate(table("shallow", [[0.1, 0.1, 0.4], [0.5, 0.6, 0.8]]))
    >>> print(agreement(shallow, deep))
    TP 0, FP 1 (1 contradicting), FN 0, TN 0
    """
    _require_same_pairs(found, reference)
    ours, theirs = found.significant, reference.significant
    opposed = found.findings.difference * reference.findings.difference < 0
    contradictions = int((ours & theirs & opposed).sum())
    return Agreement(
        true_positives=int((ours & theirs).sum()) - contradictions,
        false_positives=int((ours & ~theirs).sum()) + contradictions,
        false_negatives=int((~ours & theirs).sum()),
        true_negatives=int((~ours & ~theirs).sum()),
        contradictions=contradictions,
    )


def pvalue_correlation(one: Discrimination, other: Discrimination) -> float:
    """Return Kendall's τ between two orders of the pairs by p value (D10 table 3).

    Pairs without a p value in either are left out.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> found = discriminate(table)
    >>> round(pvalue_correlation(found, found), 3)
    1.0
    """
    _require_same_pairs(one, other)
    return tau_where_known(one.findings.pvalue, other.findings.pvalue)


def _require_same_pairs(one: Discrimination, other: Discrimination) -> None:
    if one.findings.systems != other.findings.systems:
        raise OptionError(
            "found, reference: both must compare the same systems in the same order; "
            f"got {len(one.findings.systems)} and {len(other.findings.systems)}. "
            "Hint: score the same runs in both settings."
        )
