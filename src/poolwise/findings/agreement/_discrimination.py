"""How many pairs a measure finds significantly different, and whether others find the same."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.findings.agreement._rank_correlation import tau_where_known
from poolwise.findings.comparison._samples import omitted_words
from poolwise.findings.comparison._significance import PairTests, Seed, drawn_options, run_test
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha
from poolwise.words import counted, have

__all__ = [
    "Agreement",
    "Discrimination",
    "DiscriminationStudy",
    "discriminate",
    "discriminate_all",
    "pvalue_correlation",
    "significance_agreement",
]


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
    >>> discrimination = discriminate(table)
    >>> discrimination.sentences()
    ('In AP, 66.7% of 3 pairs are significantly different (paired t test, p < 0.05).',)
    >>> discrimination.asl_curve().round(3).tolist()
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
        # t = difference / standard error, solved for the difference at the critical t
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
        cases = (
            (True, share),
            (
                missing,
                f"{counted(missing, 'pair')} {have(missing)} no p value, since nothing varies.",
            ),
            (omitted, f"Left out: {omitted_words(omitted)}."),
        )
        return tuple(text for applies, text in cases if applies)


@recorded
def discriminate(
    table: ScoreTable,
    *,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: Seed = None,
) -> Discrimination:
    """Test all pairs of systems, two-sided and uncorrected, for a measure's discriminative power.

    Returns
    -------
    Discrimination
        The p value of each pair, and the share of pairs that are significantly different.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> discrimination = discriminate(table)
    >>> discrimination.pvalue.round(3).tolist(), round(discrimination.power, 3)
    ([0.035, 0.044, 0.102], 0.667)
    """
    check_alpha(alpha)
    tests = run_test(table, test=test, resamples=resamples, rng=rng)
    drawn = drawn_options(test, resamples, rng)
    origin = table.provenance.with_options(test=test, alpha=alpha, **drawn)
    return Discrimination(tests, alpha, provenance=origin)


@finding
class Agreement(Finding):
    """How one setting's significant pairs agree with those of a reference (U18 §3.6, table 6).

    Attributes
    ----------
    true_positives, false_positives, false_negatives, true_negatives : int
        Pairs that are significant in both, in the setting alone, in the reference alone, in
        neither.
    contradictions : int
        Pairs that both find significant in opposite directions; they are among the false
        positives, and not among the true ones.

    Examples
    --------
    >>> agreement = Agreement(
    ...     true_positives=6, false_positives=2, false_negatives=1, true_negatives=5,
    ...     contradictions=1)
    >>> agreement.columns()["tp"], agreement.sentences()[0].partition(",")[0]
    ([6], 'Of 14 pairs')
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    contradictions: int

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        positives = self.true_positives + self.false_positives
        return positives + self.false_negatives + self.true_negatives

    def columns(self) -> Columns:
        """Return one row of counts."""
        return {
            "tp": [self.true_positives],
            "fp": [self.false_positives],
            "contradictions": [self.contradictions],
            "fn": [self.false_negatives],
            "tn": [self.true_negatives],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs are significant in both settings, in one of them, in neither."""
        said = (
            f"Of {counted(self.pairs, 'pair')}, {self.true_positives:,} are significant in both "
            f"settings in the same direction; by the reference {self.false_positives:,} are false "
            f"positives ({self.contradictions:,} of these in the opposite direction) and "
            f"{self.false_negatives:,} are missed; {self.true_negatives:,} are significant in "
            "neither."
        )
        return (said,)


@finding
class DiscriminationStudy(Finding):
    """How many pairs several settings find significantly different; the first is the reference.

    Attributes
    ----------
    settings : tuple of Discrimination
        The same systems, scored in several ways.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> columns = discriminate_all([table]).columns()
    >>> columns["pairs"], columns["significant"], columns["tp"]
    ([3], [2], [2])
    """

    settings: tuple[Discrimination, ...]

    def columns(self) -> Columns:
        """Return one row per setting; agreement and correlation are with the first."""
        reference = self.settings[0]
        return stack_columns(
            [
                setting.columns()
                | significance_agreement(setting, reference).columns()
                | {"p_tau": [pvalue_correlation(setting, reference)]}
                for setting in self.settings
            ]
        )

    def sentences(self) -> tuple[str, ...]:
        """Say of each setting which share of the pairs is significantly different."""
        return tuple(sentence for setting in self.settings for sentence in setting.sentences())


@recorded
def discriminate_all(
    tables: Sequence[ScoreTable],
    *,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: Seed = None,
) -> DiscriminationStudy:
    """Test all pairs of systems in several settings, and compare each with the first one.

    Parameters
    ----------
    tables : sequence of ScoreTable
        The same systems, scored in several ways.

    Returns
    -------
    DiscriminationStudy
        What is found in each setting, and how far it agrees with the first.

    Examples
    --------
    >>> def table(measure, scores):
    ...     return ScoreTable.from_matrix(scores, systems="ab", topics="123", measure=measure)
    >>> deep = table("deep", [[0.5, 0.6, 0.8], [0.1, 0.1, 0.4]])
    >>> shallow = table("shallow", [[0.1, 0.1, 0.4], [0.1, 0.2, 0.3]])
    >>> study = discriminate_all([deep, shallow])
    >>> study.columns()["power"], study.columns()["fn"]
    ([1.0, 0.0], [0, 1])
    """
    settings = tuple(
        discriminate(table, test=test, alpha=alpha, resamples=resamples, rng=rng)
        for table in tables
    )
    return DiscriminationStudy(settings, provenance=settings[0].provenance)


@recorded
def significance_agreement(found: Discrimination, reference: Discrimination) -> Agreement:
    """Count where a setting finds what the reference finds: TP, FP, FN, TN (U18 §3.6).

    Parameters
    ----------
    found : Discrimination
        The setting to be judged.
    reference : Discrimination
        What is taken for the truth, for the same pairs of systems.

    Returns
    -------
    Agreement
        How many pairs are significant in both, in either, and in neither.

    Examples
    --------
    >>> def table(measure, scores):
    ...     return ScoreTable.from_matrix(scores, systems="ab", topics="123", measure=measure)
    >>> deep = discriminate(table("deep", [[0.5, 0.6, 0.8], [0.1, 0.1, 0.4]]))
    >>> shallow = discriminate(table("shallow", [[0.1, 0.1, 0.4], [0.5, 0.6, 0.8]]))
    >>> print(significance_agreement(shallow, deep))
    Of 1 pair, 0 are significant in both settings in the same direction; by the reference 1 are
    false positives (1 of these in the opposite direction) and 0 are missed; 0 are significant in
    neither.
    <BLANKLINE>
    tp              0
    fp              1
    contradictions  1
    fn              0
    tn              0
    """
    _require_same_pairs(found, reference)
    ours, theirs = found.significant, reference.significant
    opposed = found.difference * reference.difference < 0
    # significant in the wrong direction is no agreement, though both are significant (U18 §3.6)
    contradictions = int((ours & theirs & opposed).sum())
    return Agreement(
        true_positives=int((ours & theirs).sum()) - contradictions,
        false_positives=int((ours & ~theirs).sum()) + contradictions,
        false_negatives=int((~ours & theirs).sum()),
        true_negatives=int((~ours & ~theirs).sum()),
        contradictions=contradictions,
        provenance=found.provenance,
    )


@recorded
def pvalue_correlation(one: Discrimination, other: Discrimination) -> float:
    """Return Kendall's τ between two orders of the pairs by p value (D10 table 3).

    Pairs without a p value in either are left out.

    Parameters
    ----------
    one, other : Discrimination
        Tests of the same pairs of systems.

    Returns
    -------
    float
        Kendall's τ, from −1 to 1.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> discrimination = discriminate(table)
    >>> round(pvalue_correlation(discrimination, discrimination), 3)
    1.0
    """
    _require_same_pairs(one, other)
    return tau_where_known(one.pvalue, other.pvalue)


def _require_same_pairs(setting: Discrimination, other: Discrimination) -> None:
    if setting.tests.systems != other.tests.systems:
        raise OptionError(
            "found, reference: both must compare the same systems in the same order; "
            f"got {len(setting.tests.systems)} and {len(other.tests.systems)}. "
            "Hint: score the same runs in both settings."
        )
