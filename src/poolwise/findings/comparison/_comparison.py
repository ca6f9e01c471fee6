"""One pair of systems: how sure its difference is over topics, and how sure over judgments."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._identifiers import Renamed
from poolwise.errors import OptionError
from poolwise.findings._claims import Claim, Grounds
from poolwise.findings.comparison._differences import (
    topic_word,
    turned_verdict,
    verdict_claims,
)
from poolwise.findings.comparison._resampling import OPPOSITE, SIDES
from poolwise.findings.comparison._samples import omitted_words
from poolwise.findings.comparison._significance import INTERVALS, Spread, fewest_topics
from poolwise.findings.comparison._states import PairFacts, PairVerdict, sentence_of
from poolwise.measures._derived import Logarithm
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, record_of
from poolwise.scores._uncertainty import JUDGED, Uncertainty, level_text, unknown
from poolwise.words import UNKNOWN, Said, counted, outcome_words, p_text, p_words, signed

__all__ = [
    "COLUMNS",
    "IN_DRAWS",
    "SCORES_ALONE",
    "Comparison",
    "PairUncertainties",
    "elsewhere",
    "further_columns",
    "further_sentences",
    "heading",
    "in_draws",
    "p_range_text",
    "range_cell",
    "turned",
]

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
    "state": "state",
    "verdict": "verdict",
    "draws": "draws",
    "drawn_ahead": "drawn_ahead",
    "drawn_behind": "drawn_behind",
    "drawn_significant": "drawn_significant",
    "draws_calibrated": "draws_calibrated",
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
    "p_high_adjusted": "p_high_adjusted",
    "rests_on": "rests_on",
    "judged_a": "judged_a",
    "judged_b": "judged_b",
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

_OTHER_WAY = {
    "a": "b",
    "b": "a",
    "wins": "losses",
    "losses": "wins",
    "answered_a": "answered_b",
    "answered_b": "answered_a",
    "judged_a": "judged_b",
    "judged_b": "judged_a",
    "drawn_ahead": "drawn_behind",
    "drawn_behind": "drawn_ahead",
}
"""What stands where once two systems have changed places."""
_SIGNED = ("difference", "effect_size")
"""What has another sign then."""

Number = TypeVar("Number")


class PairUncertainties(ABC, Generic[Number]):
    """The ends of the uncertainties of one pair, or of many, by the names of their columns."""

    @property
    @abstractmethod
    def over_topics(self) -> Uncertainty:
        """The interval of level 1 − alpha: what another sample of topics could give."""

    @property
    @abstractmethod
    def beyond_topics(self) -> tuple[Uncertainty, ...]:
        """That over judgments, then those that only some comparisons have."""

    @property
    def uncertainties(self) -> tuple[Uncertainty, ...]:
        """How far the difference could be from what it is, by all that could be otherwise."""
        return (self.over_topics, *self.beyond_topics)

    @abstractmethod
    def _number(self, ends: Floats) -> Number:
        """Return an end as the other numbers are: one, or one for each pair."""

    def over(self, what: str) -> Uncertainty:
        """Return the uncertainty over something; with ends that are not known where it has none."""
        # Intervals over topics may be by resampling: they are made for those who ask for them.
        if what == "topics":
            return self.over_topics
        matching = (uncertainty for uncertainty in self.beyond_topics if uncertainty.over == what)
        return next(matching, unknown(what, len(self.beyond_topics[0])))

    @property
    def ci_low(self) -> Number:
        """The lower end of the interval of level 1 − alpha over topics."""
        return self._number(self.over("topics").low)

    @property
    def ci_high(self) -> Number:
        """The upper end of the interval of level 1 − alpha over topics."""
        return self._number(self.over("topics").high)

    @property
    def bound_low(self) -> Number:
        """The smallest difference that the unjudged documents leave; NaN if not known."""
        return self._number(self.over("judgments").low)

    @property
    def bound_high(self) -> Number:
        """The largest difference that the unjudged documents leave; NaN if not known."""
        return self._number(self.over("judgments").high)

    @property
    def bound_kind(self) -> str:
        """Whether these bounds are reached (exact), or only hold (valid)."""
        return str(self.over("judgments").kind)

    @property
    def sample_low(self) -> Number:
        """The lower end of the interval over samples of documents; NaN without a sample."""
        return self._number(self.over("samples").low)

    @property
    def sample_high(self) -> Number:
        """The upper end of the interval over samples of documents; NaN without a sample."""
        return self._number(self.over("samples").high)

    @property
    def never_drawn_low(self) -> Number:
        """How far documents that no sample could have drawn might lower the difference."""
        return self._number(self.over("never drawn").low)

    @property
    def never_drawn_high(self) -> Number:
        """How far documents that no sample could have drawn might raise the difference."""
        return self._number(self.over("never drawn").high)

    @property
    def plausible_low(self) -> Number:
        """The smallest plausible difference; NaN where it is not calibrated."""
        return self._number(self.over("draws").low)

    @property
    def plausible_high(self) -> Number:
        """The largest plausible difference; NaN where it is not calibrated."""
        return self._number(self.over("draws").high)


def turned(pairs: "PairUncertainties[Any]", name: str) -> Any:
    """Return what a number of a − b is of b − a: of one pair, or of many.

    With :meth:`Uncertainty.turn`, this is the one place where signs turn.
    """
    value = getattr(pairs, _OTHER_WAY.get(name, name))
    return 0 - value if name in _SIGNED else value


@finding
class Comparison(PairUncertainties[float], Finding):
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
    state : str
        What can be said of the pair, all in all: a key of ``STATES``.
    verdict : str
        What can be said of the order over judgments: a key of ``VERDICTS``.
    answered_a, answered_b : int
        For how many topics each system retrieved anything.
    rests_on : str
        Which system lacks how many topics, if the order rests on these; else empty.
    judged_a, judged_b : float
        The share of each system's documents that is judged, to the depth of the measure; NaN if not
        known.
    p_low, p_high : float
        No assignment of grades takes the p value out of this range; NaN if it is not known.
    p_high_adjusted : float
        The same correction applied to the upper ends of all p values.
    draws : int
        How many assignments of grades were drawn.
    drawn_ahead, drawn_behind : float
        Share of them in which ``a`` is ahead of ``b``, and behind it.
    drawn_significant, drawn_same_order : float
        Share of them in which the difference stays significant, and keeps its sign.
    draws_calibrated : {"yes", "no", ""}
        Whether draws are calibrated: no others decide the state. Empty without draws.
    drawn_p_median, drawn_p_95 : float
        The p value that half, and 95%, of the draws do not exceed.
    unknown, not_drawn : str
        Why nothing is known of the judgments, and why none were drawn.
    grounds : Grounds, optional
        What claims on the pair are about.
    beyond_topics : tuple of Uncertainty
        Over judgments, and over what else was found; ``bound_low``, ``sample_high`` and their like
        are the ends.
    is_turned : bool
        Whether the two systems have changed places since the test.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare_pair
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7, 0.2], [0.3, 0.4, 0.4, 0.1]],
    ...                                systems=["new", "old"], topics="1234", measure="AP")
    >>> pair = compare_pair(table, "new", "old")
    >>> [round(end, 4) for end in pair.interval(0.9)], pair.is_significant
    ([-0.0019, 0.3019], False)
    >>> print(pair)
    new is ahead of old by 0.1500 in AP, not significantly (p = 0.1027, 4 topics); what judging
    could do is not known, since scores alone do not say which documents were judged.
    <BLANKLINE>
    new − old, AP: paired t test
    <BLANKLINE>
    difference    +0.1500
    95% interval  −0.0554 to 0.3554 (t)
    p value       0.1027
    effect size   +1.162
    topics        4: 3 wins, 1 tie, 0 losses
    null          the mean difference over topics is 0
    alternative   the mean difference over topics is not 0
    state         open
    <BLANKLINE>
    Over topics: 95% interval −0.0554 to 0.3554, p = 0.1027 (paired t test, 4 topics).
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
    state: str = "open"
    verdict: str = "unknown"
    answered_a: int = 0
    answered_b: int = 0
    judged_a: float = _NAN
    judged_b: float = _NAN
    rests_on: str = ""
    p_low: float = _NAN
    p_high: float = _NAN
    p_high_adjusted: float = _NAN
    draws: int = 0
    drawn_ahead: float = _NAN
    drawn_behind: float = _NAN
    draws_calibrated: str = ""
    drawn_significant: float = _NAN
    drawn_same_order: float = _NAN
    drawn_p_median: float = _NAN
    drawn_p_95: float = _NAN
    unknown: str = SCORES_ALONE
    not_drawn: str = ""
    grounds: Grounds | None = field(default=None, repr=False)
    beyond_topics: tuple[Uncertainty, ...] = field(default=(), repr=False)
    is_turned: bool = False

    documents = Renamed('over("judgments").scope.documents')

    @cached_property
    def over_topics(self) -> Uncertainty:
        """The interval of level 1 − alpha: what another sample of topics could give."""
        return self._interval(1 - self.alpha)

    def _interval(self, level: float, method: str | None = None) -> Uncertainty:
        return self.spread.interval(level, method).turn(np.array([self.is_turned]))

    def _number(self, ends: Floats) -> float:
        return float(ends[0])

    @property
    def calibration(self) -> str:
        """Whether the plausible range is calibrated; empty where nothing is guessed."""
        return self.over("draws").kinds()[0]

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
        statistics = self.spread.resampled()
        return -statistics if self.is_turned else statistics

    @property
    def interval_method(self) -> str:
        """Which interval the columns hold: the test's own, or one that was asked for."""
        return self.spread.method

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
        ends = self._interval(level, method)
        return float(ends.low[0]), float(ends.high[0])

    def better_first(self) -> "Comparison":
        """Return the same pair with the system that is ahead as ``a``."""
        if not self.difference < 0:
            return self
        return replace(
            self,
            **{name: turned(self, name) for name in (*_OTHER_WAY, *_SIGNED)},
            verdict=turned_verdict(self.verdict),
            sided=OPPOSITE[self.sided],
            beyond_topics=tuple(
                uncertainty.turn(np.array([True])) for uncertainty in self.beyond_topics
            ),
            is_turned=not self.is_turned,
        )

    @property
    def claimed(self) -> tuple[Claim, ...]:
        """What is claimed of the pair whatever the unjudged documents are."""
        if self.grounds is None:
            return ()
        defined = not np.isnan(self.difference)
        return verdict_claims(self.verdict, self.a, self.b, grounds=self.grounds, defined=defined)

    @property
    def pair_verdict(self) -> PairVerdict:
        """The state of the pair in one sentence, and the claims behind it."""
        said = Said(sentence_of(self.state, pair_facts(self.better_first())), self.claimed)
        return PairVerdict(
            self.a, self.b, self.measure, self.state, self.verdict, said, self.claimed
        )

    def columns(self) -> Columns:
        """Return one row with the columns of many comparisons."""
        row = {name: getattr(self, attribute) for name, attribute in COLUMNS.items()}
        cells = {name: [value] for name, value in (row | {"measure": str(self.measure)}).items()}
        return cells | further_columns(self.beyond_topics)

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers line by line, those that are known."""
        lines = {name: [text] for name, text in pair_lines(self).items() if text}
        return (record_of(lines, title=f"{self.a} − {self.b}, {self.measure}: {self.test}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say who is ahead, by how much, how sure over topics, and how sure over judgments."""
        return pair_sentences(self.better_first())


def pair_facts(pair: Comparison) -> PairFacts:
    """Return what the sentence on a pair is made of; ``a`` is not behind."""
    over, sampled = pair.over("judgments"), _sampled(pair)
    return PairFacts(
        measure=pair.measure,
        a=pair.a,
        b=pair.b,
        difference=pair.difference,
        verdict=pair.verdict,
        documents=over.scope.documents or "the unjudged documents",
        low=pair.bound_low,
        high=pair.bound_high,
        reason=pair.unknown,
        all_judged=bool(pair.bound_high - pair.bound_low <= pair.spread.sample.tolerance),
        p=pair.p_adjusted,
        p_most=pair.p_high_adjusted,
        no_p=pair.reason,
        topics=pair.n,
        topic_word=topic_word(pair.provenance),
        # only where they are told: to find how many takes a search
        topics_needed=_topics_needed(pair) if pair.state == "too few topics" else _NAN,
        **_drawn_counts(pair),
        calibrated=pair.draws_calibrated == "yes",
        interval=sampled,
        not_drawn=pair.not_drawn,
        unjudged_a=1 - pair.judged_a,
        unjudged_b=1 - pair.judged_b,
        rests_on=pair.rests_on,
        other_side=pair.sided == "less" and pair.difference > 0,
    )


def _drawn_counts(pair: Comparison) -> dict[str, int]:
    """Return in how many draws a is ahead, b is, and a is so significantly."""
    shares = (pair.drawn_ahead, pair.drawn_behind, pair.drawn_significant)
    counts = [round(share * pair.draws) if pair.draws else 0 for share in shares]
    return dict(zip(("ahead", "behind", "significant"), counts, strict=True)) | {
        "draws": pair.draws
    }


def _sampled(pair: Comparison) -> str:
    """Return the interval over samples in words; empty where there is none."""
    uncertainty = pair.over("samples")
    (text,) = uncertainty.texts()
    return "" if text == UNKNOWN else uncertainty.words(f"{{level}} interval over samples, {text}")


def _topics_needed(pair: Comparison) -> float:
    from poolwise.findings.planning._power import topics_needed  # noqa: PLC0415, late: slow

    if not np.isfinite(pair.effect_size) or not pair.effect_size:
        return _NAN
    return float(topics_needed(pair.effect_size, alpha=pair.alpha))


IN_DRAWS = "a ahead in draws"
"""Heading of what drawn grades say, beside the range of all that is possible."""
_PLACED = ("topics", *JUDGED)
"""What has its own place among the numbers of a pair; other uncertainties stand together."""


def further_columns(uncertainties: Iterable[Uncertainty]) -> Columns:
    """Return the columns of uncertainties that not every comparison has."""
    ends: Columns = {}
    for uncertainty in elsewhere(uncertainties):
        ends |= uncertainty.columns(uncertainty.shown.pairs.ends)
    return ends


def elsewhere(uncertainties: Iterable[Uncertainty]) -> Iterator[Uncertainty]:
    """Yield the uncertainties that have no place of their own."""
    return (uncertainty for uncertainty in uncertainties if uncertainty.over not in _PLACED)


def heading(uncertainty: Uncertainty, *, in_record: bool = False) -> str:
    """Return what an uncertainty is called above a column, or in the record of one pair."""
    shown = uncertainty.shown.pairs
    return uncertainty.words((shown.line if in_record else "") or shown.title)


def range_cell(uncertainty: Uncertainty) -> str:
    """Return the range of one pair; a dash, or why there is none, where it is not known."""
    (text,) = uncertainty.texts()
    # Who looks for a plausible range is told that it is not calibrated.
    return (
        uncertainty.kinds()[0] or text if text == UNKNOWN and uncertainty.over == "draws" else text
    )


def pair_lines(pair: Comparison) -> dict[str, str]:
    """Return what is known of a pair by name: over topics, then over judgments."""
    return _topic_lines(pair) | _judgment_lines(pair)


def _topic_lines(pair: Comparison) -> dict[str, str]:
    interval = range_cell(pair.over_topics)
    method = "" if interval == UNKNOWN else f" ({pair.interval_method})"
    corrected = f"{p_text(pair.p_adjusted)} ({pair.correction})"
    return {
        "difference": signed(pair.difference),
        heading(pair.over_topics, in_record=True): interval + method,
        "p value": p_text(pair.pvalue),
        "corrected p": "" if _same(pair.p_adjusted, pair.pvalue) else corrected,
        "effect size": signed(pair.effect_size, digits=3),
        "why none": pair.reason,
        "topics": f"{pair.n:,}: {outcome_words(pair.wins, pair.ties, pair.losses)}",
        "left out": omitted_words(pair.omitted) if pair.omitted else "",
        "null": pair.null,
        "alternative": pair.alternative,
    }


def _judgment_lines(pair: Comparison) -> dict[str, str]:
    return {
        **_range_lines(pair.over("judgments"), *elsewhere(pair.beyond_topics)),
        "p if judged, uncorrected": p_range_text(pair.p_low, pair.p_high).strip(UNKNOWN),
        **_range_lines(pair.over("draws")),
        IN_DRAWS: in_draws(pair).strip(UNKNOWN),
        "state": pair.state,
    }


def _range_lines(*uncertainties: Uncertainty) -> dict[str, str]:
    """Return the ranges by their headings; empty where they are not known."""
    shown = [uncertainty for uncertainty in uncertainties if uncertainty.shown.pairs.title]
    return {
        heading(uncertainty, in_record=True): range_cell(uncertainty).strip(UNKNOWN)
        for uncertainty in shown
    }


def in_draws(pair: Comparison) -> str:
    """Return in how many draws the first system is ahead; a dash without draws."""
    return f"{round(pair.drawn_ahead * pair.draws):,} of {pair.draws:,}" if pair.draws else UNKNOWN


def pair_sentences(pair: Comparison) -> tuple[str, ...]:
    """Say the verdict on a pair, then how sure it is over topics and over judgments."""
    return (
        pair.pair_verdict.sentence,
        *_as_ratio(pair),
        *([f"Over topics: {_over_topics(pair)}."] if pair.n else []),
        *further_sentences(elsewhere(pair.beyond_topics)),
        *_over_judgments(pair),
    )


def _as_ratio(pair: Comparison) -> tuple[str, ...]:
    """Say what a difference of logarithms means for geometric means."""
    if not isinstance(pair.measure, Logarithm):
        return ()
    ratio = f"{np.exp(pair.difference):.3f} times that of {pair.b}"
    return (f"The geometric mean of {pair.a} in {pair.measure.of} is {ratio}.",)


def p_range_text(low: float, high: float) -> str:
    """Return the two ends of a range of p values, or a dash where it is not known.

    Examples
    --------
    >>> p_range_text(1e-6, 0.25), p_range_text(float("nan"), float("nan"))
    ('<0.0001 to 0.2500', '–')
    """
    return UNKNOWN if np.isnan(low) else f"{p_text(low)} to {p_text(high)}"


def _same(value: float, other: float) -> bool:
    return value == other or bool(np.isnan(value) and np.isnan(other))


def _over_topics(pair: Comparison) -> str:
    source = f"{pair.test}, {counted(pair.n, topic_word(pair.provenance))}"
    if np.isnan(pair.pvalue):
        return f"no p value, since {pair.reason} ({source})"
    interval = range_cell(pair.over_topics)
    words = f"{level_text(1 - pair.alpha)} {INTERVALS[pair.interval_method].words}"
    shown = "" if interval == UNKNOWN else f"{words} {interval}, "
    return f"{shown}{_p(pair)} ({source})"


def further_sentences(further: Iterable[Uncertainty]) -> tuple[str, ...]:
    """Say how far one difference could be moved by what only some comparisons know of."""
    sentences: list[str] = []
    for uncertainty in further:
        said, (text,) = uncertainty.shown.pairs.said, uncertainty.texts()
        said = uncertainty.words(said).replace("{range}", text)
        # What would go on with a sentence that is not said, or moves nothing, is not said.
        goes_on = said.startswith(";")
        if text == UNKNOWN or (
            goes_on and not (sentences and (uncertainty.low[0] or uncertainty.high[0]))
        ):
            continue
        if goes_on:
            said = sentences.pop() + said
        sentences.append(said)
    return tuple(f"{said}." for said in sentences)


def _p(pair: Comparison) -> str:
    side = "" if pair.sided == "two-sided" else ", one-sided"
    corrected = f", corrected {p_text(pair.p_adjusted)}"
    return p_words(pair.pvalue) + side + corrected * (pair.p_adjusted != pair.pvalue)


def _over_judgments(pair: Comparison) -> tuple[str, ...]:
    """Say what the unjudged documents leave; the verdict says what that means for the order."""
    ranges = pair.over("judgments")
    (left,) = ranges.texts()
    # A range without width is the difference itself, and one that is not known has its reason.
    if left == UNKNOWN or pair.bound_high - pair.bound_low <= pair.spread.sample.tolerance:
        return ()
    more = f"{_p_range(pair)}{_plausible(pair)}"
    documents = ranges.scope.documents or "the unjudged documents"
    # The verdict has the range itself.
    return (f"Over judgments: {documents} leave {left}{more}.",) if more else ()


def _p_range(pair: Comparison) -> str:
    """Return the range of p, unless it reaches 1, as wherever the order can be reversed."""
    if not pair.p_high < 1:
        return ""
    return f", with an uncorrected p from {p_range_text(pair.p_low, pair.p_high)}"


def _plausible(pair: Comparison) -> str:
    """Return the calibrated range, where there is one."""
    if np.isnan(pair.plausible_low):
        return ""
    return f"; {range_cell(pair.over('draws'))} is plausible"
