"""One pair of systems: how sure its difference is over topics, and how sure over judgments."""

from dataclasses import field, replace

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison.comparison_words import pair_lines, pair_sentences
from poolwise.findings.comparison.intervals import Spread
from poolwise.findings.comparison.resampling import OPPOSITE, SIDES
from poolwise.findings.comparison.significance import fewest_topics
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, record_of

__all__ = ["COLUMNS", "SCORES_ALONE", "Comparison"]

COLUMNS = {
    "measure": "measure",
    "a": "a",
    "b": "b",
    "difference": "difference",
    "ci_low": "ci_low",
    "ci_high": "ci_high",
    "interval": "interval_method",
    "p": "pvalue",
    "p_adjusted": "p_adjusted",
    "effect_size": "effect_size",
    "bound_low": "bound_low",
    "bound_high": "bound_high",
    "verdict": "verdict",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
    "answered_a": "answered_a",
    "answered_b": "answered_b",
    "n": "n",
    "test": "test",
    "reason": "reason",
    "correction": "correction",
    "p_low": "p_low",
    "p_high": "p_high",
    "bound_kind": "bound_kind",
    "rests_on": "rests_on",
    "draws": "draws",
    "drawn_significant": "drawn_significant",
    "drawn_same_order": "drawn_same_order",
    "drawn_p_median": "drawn_p_median",
    "drawn_p_95": "drawn_p_95",
    "sample_low": "sample_low",
    "sample_high": "sample_high",
    "never_drawn_low": "never_drawn_low",
    "never_drawn_high": "never_drawn_high",
    "plausible_low": "plausible_low",
    "plausible_high": "plausible_high",
    "calibration": "calibration",
}
"""The columns of comparisons, and the attributes that one pair and many pairs have for them."""

SCORES_ALONE = "scores alone do not say which documents were judged"
"""Why nothing is known of the judgments where there is no evidence."""

_NAN = float("nan")


@finding
class Comparison(Finding):
    """A difference between two systems, how sure it is over topics, and how sure over judgments.

    Attributes
    ----------
    measure : Measure
        What the systems were scored by.
    a, b : str
        The two systems.
    difference : float
        Mean score of ``a`` minus mean score of ``b``.
    pvalue, p_adjusted : float
        The p value, and the same corrected for the family of comparisons. NaN where the test has
        none; ``reason`` then says why, as for the other numbers.
    effect_size : float
        The difference in standard deviations of the per-topic differences.
    n, wins, ties, losses : int
        Topics behind the difference, and those on which ``a`` is above, level with, below ``b``.
    omitted : int
        Topics left out because a score is undefined.
    test, null, parameter : str
        The test, its null hypothesis, and what its alternative speaks about, in words.
    sided : {"two-sided", "greater", "less"}
        Which way the alternative goes.
    correction : str
        How p was corrected, and in which family of comparisons.
    alpha : float
        The significance level; the interval of the columns has the level 1 − alpha.
    spread : Spread
        What the intervals are made from.
    bound_low, bound_high : float
        What every assignment of grades to the unjudged documents leaves of the difference; NaN
        if it is not known.
    bound_kind : {"exact", "valid", ""}
        Whether the bounds are reached, or only hold.
    verdict : str
        What can be said of the order over judgments: a key of ``VERDICTS``.
    answered_a, answered_b : int
        For how many topics each system retrieved anything.
    rests_on : str
        Which system lacks how many topics, if the order rests on these; else empty.
    documents : str
        The unjudged documents that the range is over, in words.
    p_low, p_high : float
        No assignment of grades takes the p value out of this range; NaN if it is not known.
    draws : int
        How many assignments of grades were drawn.
    drawn_significant, drawn_same_order : float
        Share of them in which the difference stays significant, and keeps its sign.
    drawn_p_median, drawn_p_95 : float
        The p value that half, and 95%, of the draws do not exceed.
    sample_low, sample_high : float
        The interval over samples of documents, where scores are estimates from a sample.
    never_drawn_low, never_drawn_high : float
        By how much the documents that no sample could have drawn might change the difference.
    plausible_low, plausible_high : float
        The calibrated range of the difference by the relevance model; NaN where there is none.
    calibration : {"calibrated", "not calibrated", ""}
        Whether there is; empty where nothing is guessed of the pair's own documents.
    unknown : str
        Why nothing is known of the judgments.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare_pair
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7, 0.2], [0.3, 0.4, 0.4, 0.1]],
    ...                                systems=["new", "old"], topics="1234", measure="AP")
    >>> found = compare_pair(table, "new", "old")
    >>> [round(end, 4) for end in found.interval(0.9)], found.is_significant
    ([-0.0019, 0.3019], False)
    >>> print(found)
    new − old, AP: paired t test
    <BLANKLINE>
    difference    +0.1500
    95% interval  −0.0554 to 0.3554 (t)
    p value       0.1027
    effect size   +1.162
    topics        4: 3 wins, 1 tie, 0 losses
    null          the mean difference over topics is 0
    alternative   the mean difference over topics is not 0
    order         unknown
    <BLANKLINE>
    new is ahead of old by 0.1500 in AP.
    Over topics: 95% interval −0.0554 to 0.3554, p = 0.1027 (paired t test, 4 topics).
    Over judgments: not known, since scores alone do not say which documents were judged.
    """

    measure: Measure
    a: str
    b: str
    difference: float
    pvalue: float
    p_adjusted: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    n: int
    omitted: int
    test: str
    null: str
    parameter: str
    sided: str
    reason: str
    correction: str
    alpha: float
    spread: Spread = field(repr=False)
    bound_low: float = _NAN
    bound_high: float = _NAN
    bound_kind: str = ""
    verdict: str = "unknown"
    answered_a: int = 0
    answered_b: int = 0
    rests_on: str = ""
    documents: str = "the unjudged documents"
    p_low: float = _NAN
    p_high: float = _NAN
    draws: int = 0
    drawn_significant: float = _NAN
    drawn_same_order: float = _NAN
    drawn_p_median: float = _NAN
    drawn_p_95: float = _NAN
    sample_low: float = _NAN
    sample_high: float = _NAN
    never_drawn_low: float = _NAN
    never_drawn_high: float = _NAN
    plausible_low: float = _NAN
    plausible_high: float = _NAN
    calibration: str = ""
    unknown: str = SCORES_ALONE

    @property
    def alternative(self) -> str:
        """What the test claims if it rejects the null hypothesis, in words."""
        return f"{self.parameter} is {SIDES[self.sided]}"

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p value is below alpha, and the topics are not too few."""
        few = self.spread.sample.topics < fewest_topics(self.alpha, self.sided)
        return self.p_adjusted < self.alpha and not few

    @property
    def resampled(self) -> Floats:
        """The bootstrap's statistics under the null hypothesis; none after other tests."""
        return self.spread.resampled()

    @property
    def interval_method(self) -> str:
        """Which interval the columns hold: the test's own, or one that was asked for."""
        return self.spread.method

    @property
    def ci_low(self) -> float:
        """The lower end of the interval of level 1 − alpha."""
        return self.interval(1 - self.alpha)[0]

    @property
    def ci_high(self) -> float:
        """The upper end of the interval of level 1 − alpha."""
        return self.interval(1 - self.alpha)[1]

    def interval(self, level: float = 0.95, *, method: str | None = None) -> tuple[float, float]:
        """Return the two-sided confidence interval of the difference.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : str, optional
            By default the one that belongs to the test. ``t`` for every test; after a bootstrap
            test ``basic`` (its own: W10 §3.3.5), ``percentile`` and ``bca``; ``studentized`` after
            a studentized one; ``randomization`` after a randomization test; after a sign test
            ``median``, of the median difference; after Wilcoxon's ``hodges-lehmann``, of the
            centre of the differences. NaN where nothing varies, as ``reason`` then says, or where
            so few topics leave no interval of this level.
        """
        if method is not None and method not in self.spread.methods:
            raise OptionError(
                f"method: {method!r} is not an interval of the {self.test}. "
                f"Hint: use one of {', '.join(self.spread.methods)}."
            )
        return self.spread.interval(level, method)

    def better_first(self) -> "Comparison":
        """Return the same pair with the system that is ahead as ``a``."""
        if not self.difference < 0:
            return self
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            effect_size=-self.effect_size,
            wins=self.losses,
            losses=self.wins,
            answered_a=self.answered_b,
            answered_b=self.answered_a,
            sided=OPPOSITE[self.sided],
            spread=self.spread.turn(),
            # Not -high: that would be −0 for 0.
            bound_low=0 - self.bound_high,
            bound_high=0 - self.bound_low,
            sample_low=0 - self.sample_high,
            sample_high=0 - self.sample_low,
            never_drawn_low=0 - self.never_drawn_high,
            never_drawn_high=0 - self.never_drawn_low,
            plausible_low=0 - self.plausible_high,
            plausible_high=0 - self.plausible_low,
        )

    def columns(self) -> Columns:
        """Return one row with the columns of many comparisons."""
        row = {name: getattr(self, attribute) for name, attribute in COLUMNS.items()}
        return {name: [value] for name, value in (row | {"measure": str(self.measure)}).items()}

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers line by line, those that are known."""
        lines = {name: [text] for name, text in pair_lines(self).items() if text}
        return (record_of(lines, title=f"{self.a} − {self.b}, {self.measure}: {self.test}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say who is ahead, by how much, how sure over topics, and how sure over judgments."""
        return pair_sentences(self.better_first())
