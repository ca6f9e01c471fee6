"""The range that unjudged documents leave to the difference of two runs: its one maker."""

from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import TOLERANCE, Booleans, Floats, settle, tolerance
from poolwise.errors import require_choice
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Kind as UniverseKind
from poolwise.evidence._ungraded import Universe
from poolwise.findings._claims import Claim, Grounds
from poolwise.findings.comparison._resampling import SIDES
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import Bounds, RangeScope, enclosing, range_options
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.results._threads import in_threads
from poolwise.scores._uncertainty import Uncertainty, may_enter, mean_range
from poolwise.words import Said, counted, range_text

__all__ = [
    "CERTAIN",
    "KINDS",
    "NEVER_BEHIND",
    "RESTS",
    "SETTLED",
    "VERDICTS",
    "Differences",
    "PRange",
    "ScoreSizes",
    "all_differences",
    "consequence",
    "difference_bounds",
    "judgment_ranges",
    "range_words",
    "side_of",
    "t_pvalue_range",
    "t_range",
    "topic_word",
    "turned_verdict",
    "turned_verdicts",
    "undefined_words",
    "verdict_claims",
    "verdicts_of",
    "who_leads",
]

RESTS = "rests on missing topics"
VERDICTS = {
    "a certain": "the first run is ahead, whatever the unjudged documents are",
    "b certain": "the second run is ahead, whatever the unjudged documents are",
    "a never behind": "the first run is ahead or level, whatever the unjudged documents are",
    "b never behind": "the second run is ahead or level, whatever the unjudged documents are",
    "equal": "the runs are level, whatever the unjudged documents are",
    "open": "the unjudged documents decide who is ahead",
    RESTS: "with scores on the topics that a run lacks, this could be otherwise",
    "unknown": "there is no range",
}
"""What can be said of the order of two runs over judgments, with the side it is said of."""

CERTAIN = ("a certain", "b certain")
NEVER_BEHIND = ("a never behind", "b never behind")
SETTLED = (*CERTAIN, *NEVER_BEHIND, "equal")
"""The verdicts by which no assignment of grades reverses an order."""
_TURNED = dict(zip((*CERTAIN, *NEVER_BEHIND), (*CERTAIN[::-1], *NEVER_BEHIND[::-1]), strict=True))


def verdicts_of(lower: Floats, upper: Floats, within: float) -> NDArray[np.str_]:
    """Return a key of ``VERDICTS`` for each range of a mean difference a − b.

    The range and the tolerance decide, never the difference of now.

    Examples
    --------
    >>> low, high = np.array([0.1, 0.0, 0.0, -0.1, np.nan]), np.array([0.2, 0.1, 0.0, 0.1, np.nan])
    >>> verdicts_of(low, high, 1e-12).tolist()
    ['a certain', 'a never behind', 'equal', 'open', 'unknown']
    >>> verdicts_of(-high[:2], -low[:2], 1e-12).tolist()
    ['b certain', 'b never behind']
    """
    choices = {
        "unknown": np.isnan(lower),
        "a certain": lower > within,
        "b certain": upper < -within,
        "equal": (lower >= -within) & (upper <= within),
        "a never behind": lower >= -within,
        "b never behind": upper <= within,
    }
    return np.select(list(choices.values()), list(choices), "open")


def turned_verdicts(verdicts: NDArray[np.str_], where: Booleans) -> NDArray[np.str_]:
    """Return what verdicts on a and b are of b and a, where that is wanted.

    Examples
    --------
    >>> verdicts = np.array(["a certain", "b never behind", "open"])
    >>> turned_verdicts(verdicts, np.ones(3, bool)).tolist()
    ['b certain', 'a never behind', 'open']
    """
    other = np.array([_TURNED.get(verdict, verdict) for verdict in verdicts.tolist()], np.str_)
    return np.where(where, other, verdicts)


def turned_verdict(verdict: str) -> str:
    """Return what a verdict on a and b is of b and a."""
    return _TURNED.get(verdict, verdict)


def side_of(verdict: str, a: str, b: str) -> tuple[str, str]:
    """Return the run that a verdict speaks for, and the other one; a first where it has no side."""
    return (b, a) if verdict.startswith("b ") else (a, b)


def verdict_claims(
    verdict: str, a: str, b: str, *, grounds: Grounds, defined: bool
) -> tuple[Claim, ...]:
    """Return what a verdict on a pair claims; nothing where it is open.

    Where no score is defined yet, a completion may leave it so: then nobody is ahead.
    """
    if verdict not in SETTLED:
        return ()
    relation = "level" if verdict == "equal" else "not behind"
    if verdict in CERTAIN and defined:
        relation = "ahead"
    return (Claim(relation, *side_of(verdict, a, b), grounds=grounds),)


def topic_word(made: Provenance) -> str:
    """Return what the topics of a verdict are called: those that all runs answer are common ones.

    Examples
    --------
    >>> topic_word(Provenance(topic_rule="common"))
    'common topic'
    """
    return "common topic" if made.topic_rule == "common" else "topic"


def who_leads(a: str, b: str, difference: float, measure: Measure) -> str:
    """Say which of two systems is ahead; the difference is not below 0."""
    if np.isnan(difference):
        return f"{a} and {b} have no score in {measure}."
    if not difference:
        return f"{a} and {b} are level in {measure}."
    return f"{a} is ahead of {b} by {difference:.4f} in {measure}."


def range_words(
    over_judgments: Uncertainty, verdict: str, a: str, b: str, difference: float
) -> str:
    """Say what the unjudged documents leave of a − b, and what that does to the order of now."""
    (left,) = over_judgments.texts()
    does = consequence(verdict, a, b, difference)
    return f"{over_judgments.scope.documents} leave {left}{does and f' and {does}'}"


def undefined_words(verdict: str, a: str, b: str, measure: Measure, possible: str) -> str:
    """Say of two runs without a score what the completions that have one leave.

    Examples
    --------
    >>> undefined_words("b certain", "r2", "r1", parse_measure("AP@3"), "")
    'Neither r2 nor r1 has a score in AP@3 yet; r1 is never behind r2, and ahead as soon as a
    relevant document is found'
    """
    lead = f"Neither {a} nor {b} has a score in {measure} yet"
    side, other = side_of(verdict, a, b)
    words = {
        **dict.fromkeys(
            CERTAIN,
            f"{side} is never behind {other}, and ahead as soon as a relevant document is found",
        ),
        **dict.fromkeys(NEVER_BEHIND, f"{side} is never behind {other}, whatever is judged"),
        "equal": "they are level, whatever is judged",
        "open": f"judging decides who is ahead ({possible})",
    }
    return f"{lead}; {words.get(verdict, 'what judging could do is not known')}"


def consequence(verdict: str, a: str, b: str, difference: float) -> str:
    """Say what the unjudged documents can do to two runs whose difference now is this.

    Examples
    --------
    >>> consequence("b never behind", "bm25", "ql", 0.0), consequence("open", "bm25", "ql", 0.1)
    ('can only put ql ahead', 'could reverse the order')
    """
    side, _ = side_of(verdict, a, b)
    if verdict in NEVER_BEHIND and not difference:
        return f"can only put {side} ahead"
    if np.isnan(difference) and verdict in SETTLED:
        return "cannot separate the runs" if verdict == "equal" else f"cannot put {side} behind"
    still = {
        **dict.fromkeys(CERTAIN, "cannot reverse the order"),
        **dict.fromkeys(
            NEVER_BEHIND, "cannot reverse the order, though they could make the runs level"
        ),
        "equal": "cannot separate the runs",
        "open": "could reverse the order" if difference else "could put either run ahead",
    }
    return still.get(verdict, "")


Kind = Literal["exact", "valid", "none"]
KINDS: dict[Kind, str] = {
    "exact": "some assignment of grades reaches each end of the range, and none leaves it",
    "valid": "no assignment of grades leaves the range; it may be wider than need be",
    "none": "nothing is known of the range",
}

_QUOTED = 3
"""How many pairs are put into words."""


class ScoreSizes(NamedTuple):
    """What scores are measured against."""

    maximum: float
    """The most that a score can be."""
    tolerance: float
    """How far a difference may be from 0 and still count as 0."""


@finding
class Differences(Finding):
    """Differences between runs, pair by pair and topic by topic, with the range grades leave open.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    kind : {"exact", "valid", "none"}
        Whether the bounds are reached, only hold, or are not known: see ``KINDS``.
    first, second : tuple of str
        The systems of each pair.
    topics : tuple of str
        The topics, in the order of the columns of the arrays.
    value, lower, upper : float array, pairs × topics
        First − second with unjudged documents not relevant, and its range over all assignments of
        grades to the unjudged documents of the universe. The value is NaN where a topic has no
        relevant document; it has a range where it may get one.
    lacking : two bool arrays, pairs × topics
        On which topics the first, and the second, run retrieved nothing.
    sizes : ScoreSizes
        How large a score can be, and how small a difference counts as none.
    scope : RangeScope
        What the range is over, in words.
    grounds : Grounds
        What claims on these pairs are about.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u", "v"]}, "b": {"1": ["y", "u", "w"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    >>> difference_bounds(evidence, "P@3", "b", "a").sentences()
    ('a is ahead of b by 0.3333 in P@3. The unjudged documents in the first 3 ranks of these 2 runs
    leave 0.0000 to 0.6667 and cannot reverse the order, though they could make the runs level
    (exact range, 1 topic).',)
    """

    measure: Measure
    kind: Kind
    first: tuple[str, ...]
    second: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    lacking: tuple[Booleans, Booleans]
    sizes: ScoreSizes
    scope: RangeScope
    grounds: Grounds

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def defined(self) -> Booleans:
        """Which topics have a score now."""
        return ~np.asarray(np.isnan(self.value).any(axis=0))

    @cached_property
    def may_enter(self) -> Booleans:
        """Which pairs have a topic that may enter the mean, once something there is relevant."""
        return np.asarray(may_enter(self.value, self.lower).any(axis=1))

    def means(self) -> tuple[Floats, Floats, Floats]:
        """Return mean difference, lower and upper bound of each pair.

        The mean is over the topics that have a score now. Its range is also over those that may
        get one.
        """
        value = (
            self.value[:, self.defined].mean(axis=1)
            if self.defined.any()
            else np.full(len(self), np.nan)
        )
        ends = mean_range(self.value, self.lower, self.upper)
        return value, *enclosing(ends, value)

    @property
    def over_judgments(self) -> Uncertainty:
        """The ranges of the mean differences."""
        _, low, high = self.means()
        return Uncertainty("judgments", low, high, kind=self.kind, scope=self.scope)

    @cached_property
    def verdict(self) -> NDArray[np.str_]:
        """What can be said of each order whatever the unjudged documents are: see ``VERDICTS``."""
        _, lower, upper = self.means()
        plain = verdicts_of(lower, upper, self.sizes.tolerance)
        free = verdicts_of(*self._with_answers(self.lower, self.upper), self.sizes.tolerance)
        # A missing topic scores 0 by convention; with another score this order may be open.
        return np.where(np.isin(plain, SETTLED) & (free != plain), RESTS, plain)

    @cached_property
    def rests(self) -> Booleans:
        """Which orders, of now or over judgments, topics that a run lacks could turn round."""
        lacking = np.asarray((self.lacking[0] | self.lacking[1])[:, self.defined].any(axis=1))
        low, high = self._with_answers(self.value, self.value)
        meets = (low <= self.sizes.tolerance) & (high >= -self.sizes.tolerance)
        return (self.verdict == RESTS) | (lacking & meets & ~np.isin(self.verdict, SETTLED))

    def _with_answers(self, lower: Floats, upper: Floats) -> Bounds:
        """Return the range of the mean if runs had any score on the topics that they lack."""
        left, right = self.lacking
        low = lower - np.where(right, self.sizes.maximum, 0.0)
        high = upper + np.where(left, self.sizes.maximum, 0.0)
        return mean_range(self.value, low, high)

    def claims(self, i: int | None = None) -> tuple[Claim, ...]:
        """Return what is claimed of a pair, or of all, whatever the unjudged documents are."""
        if i is None:
            return tuple(claim for pair in range(len(self)) for claim in self.claims(pair))
        return verdict_claims(
            str(self.verdict[i]),
            self.first[i],
            self.second[i],
            grounds=self.grounds,
            defined=bool(self.defined.any()),
        )

    @property
    def certain(self) -> Booleans:
        """Whether one run is ahead whatever the unjudged documents are."""
        return np.isin(self.verdict, CERTAIN)

    @property
    def settled(self) -> Booleans:
        """Whether no assignment of grades reverses the order, though some may make it level."""
        return np.isin(self.verdict, SETTLED)

    def rests_on(self, i: int) -> str:
        """Say which run of a pair lacks how many topics, if its order rests on these."""
        if not self.rests[i]:
            return ""
        counts = ((self.first[i], self.lacking[0][i]), (self.second[i], self.lacking[1][i]))
        total = len(self.topics)
        lacks = [
            f"{run} lacks {int(t.sum()):,} of {counted(total, 'topic')}"
            for run, t in counts
            if t.any()
        ]
        return f"{' and '.join(lacks)}, and the order rests on these; {self._on_common(i)}"

    def _on_common(self, i: int) -> str:
        """Say who is ahead on the topics that both runs of a pair answer."""
        both = self.defined & ~(self.lacking[0][i] | self.lacking[1][i])
        if not both.any():
            return "they have no topic in common"
        topics = f"on the {counted(int(both.sum()), 'common topic')}"
        difference = float(settle(self.value[i, both].mean(), self.sizes.tolerance))
        a, b = self.first[i], self.second[i]
        a, b = (b, a) if difference < 0 else (a, b)
        if not difference:
            return f"{topics} they are level"
        return f"{topics} {a} is ahead by {abs(difference):.4f}"

    @property
    def reason(self) -> str:
        """Why the range is not known; empty where it is."""
        return self.scope.reason

    def columns(self) -> Columns:
        """Return one row per pair and topic."""
        pairs, topics = self.value.shape
        return {
            "measure": [str(self.measure)] * (pairs * topics),
            "a": [name for name in self.first for _ in range(topics)],
            "b": [name for name in self.second for _ in range(topics)],
            "topic": list(self.topics) * pairs,
            "difference": self.value.ravel().tolist(),
            "bound_low": self.lower.ravel().tolist(),
            "bound_high": self.upper.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the mean differences, one row per pair."""
        ranges = self.over_judgments
        columns: Columns = {
            "a": list(self.first),
            "b": list(self.second),
            "difference": self.means()[0].tolist(),
            ranges.shown.pairs.title: ranges.texts(),
            "verdict": self.verdict.tolist(),
        }
        topics = counted(int(self.defined.sum()), topic_word(self.provenance))
        return (table_of(columns, title=f"{self.measure}: mean differences over {topics}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say of each pair who is ahead and whether that is certain; of many pairs, how many."""
        said = tuple(self._said(i) for i in range(min(len(self), _QUOTED)))
        return said if len(self) <= _QUOTED else (self._counted(), *said)

    def _counted(self) -> str:
        certain = int(self.certain.sum())
        said = (
            f"In {self.measure}, the order of {certain:,} of {counted(len(self), 'pair')} is "
            f"certain, whatever {self.scope.documents} are."
        )
        sure = np.flatnonzero(self.certain).tolist()
        return Said(said, [claim for i in sure for claim in self.claims(i)])

    def _said(self, i: int) -> str:
        value = float(settle(self.means()[0][i], self.sizes.tolerance))
        runs = (self.first[i], self.second[i])
        a, b = runs[::-1] if value < 0 else runs
        if np.isnan(value) and self.verdict[i] != "unknown":
            return Said(f"{self._undefined(i)}.", self.claims(i))
        lead = who_leads(a, b, abs(value), self.measure)
        topics = counted(int(self.defined.sum()), topic_word(self.provenance))
        verdict = str(self.verdict[i])
        if verdict == "unknown":
            why = self.reason or f"no topic has a score in {self.measure}"
            return f"{lead} What the unjudged documents leave is not known, since {why}."
        ranges = self.over_judgments.select(np.array([i])).turn(np.array([value < 0]))
        verdict = turned_verdict(verdict) if value < 0 else verdict
        left = range_words(ranges, verdict, a, b, value)
        rests = f"; {self.rests_on(i)}" if verdict == RESTS else ""
        said = f"{lead} {left[0].upper()}{left[1:]}{rests} ({self.kind} range, {topics})."
        return Said(said, self.claims(i))

    def _undefined(self, i: int) -> str:
        _, low, high = (float(end[i]) for end in self.means())
        names = (self.first[i], self.second[i])
        return undefined_words(str(self.verdict[i]), *names, self.measure, range_text(low, high))


@recorded
def judgment_ranges(
    evidence: Evidence,
    measure: Measure | str,
    pairs: Pairs,
    *,
    universe: Universe | UniverseKind = "runs",
) -> Differences:
    """Return the range that unjudged documents leave to the differences of these pairs.

    Everything that says how far judgments could move a difference rests on this: comparisons,
    verdicts, plots and the page.

    Parameters
    ----------
    pairs : Pairs
        Which systems of the evidence to compare.

    Returns
    -------
    Differences
        By pair and topic the difference and its range, and a verdict on each pair.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, 0], [0, None], [None, None]])
    >>> ranges = judgment_ranges(evidence, "P@2", Pairs.of_all(evidence.systems))
    >>> ranges.kind, ranges.verdict.tolist()
    ('exact', ['a never behind', 'open', 'open'])
    """
    measure = parse_measure(measure)
    universe = Universe.of(universe)
    kind, lower, upper = measure.difference_bounds(evidence, pairs, universe=universe)
    scores, missing = measure.score(evidence), evidence.lengths == 0
    # a range of differences may be wider than it must be where those of the scores are exact
    scope = replace(RangeScope.of(measure, evidence, universe, measure.tail(evidence)), kind=kind)
    sizes = ScoreSizes(measure.maximum(evidence.scale), _tolerance(scores, lower, upper))
    return Differences(
        measure=measure,
        kind=kind,
        first=tuple(evidence.systems[i] for i in pairs.left.tolist()),
        second=tuple(evidence.systems[i] for i in pairs.right.tolist()),
        topics=evidence.topics,
        value=pairs.difference(scores),
        lower=lower,
        upper=upper,
        lacking=(missing[pairs.left], missing[pairs.right]),
        sizes=sizes,
        scope=scope,
        grounds=Grounds.of(
            evidence, measure, universe=universe, scope=scope, within=sizes.tolerance
        ),
        provenance=evidence.provenance.with_options(**range_options(evidence, universe)),
    )


def _tolerance(*numbers: Floats) -> float:
    """Return the tolerance of scores now, and of what they could be, where there is an end."""
    every = np.concatenate([some.ravel() for some in numbers])
    return tolerance(every[np.isfinite(every)])


@recorded
def difference_bounds(
    evidence: Evidence,
    measure: Measure | str,
    a: str,
    b: str,
    *,
    universe: Universe | UniverseKind = "runs",
) -> Differences:
    """Return the range of the difference a − b over every assignment of grades.

    Parameters
    ----------
    a, b : str
        Names of the two systems.

    Returns
    -------
    Differences
        The difference and its range on each topic, for this one pair.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["u", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> bounds = difference_bounds(evidence, "nDCG", "a", "b")
    >>> bounds.value.round(3).item(), bounds.lower.item(), bounds.upper.round(3).item()
    (0.369, 0.0, 0.369)
    """
    pair = Pairs.of_two(evidence.systems, a, b)
    return judgment_ranges(evidence, measure, pair, universe=universe)


@recorded
def all_differences(
    evidence: Evidence, measure: Measure | str, *, universe: Universe | UniverseKind = "runs"
) -> Differences:
    """Return the ranges of the differences of all pairs, earlier − later system.

    Returns
    -------
    Differences
        The difference and its range by pair and topic.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, 0], [0, None], [None, None]])
    >>> differences = all_differences(evidence, "P@2")
    >>> differences.first, differences.second, differences.certain.tolist()
    (('run1', 'run1', 'run2'), ('run2', 'run3', 'run3'), [False, False, False])
    """
    return judgment_ranges(evidence, measure, Pairs.of_all(evidence.systems), universe=universe)


_CELLS = 1 << 16
"""Pairs × topics at a time: what is made of them stays in the cache."""


class PRange(NamedTuple):
    """No assignment of grades to unjudged documents takes the p value out of this range."""

    low: Floats
    high: Floats


def t_pvalue_range(lower: Floats, upper: Floats, *, alternative: str = "two-sided") -> PRange:
    """Return the range of the paired t test's p value where differences lie between bounds.

    Parameters
    ----------
    lower, upper : float array, pairs × topics
        Bounds of the per-topic differences, none of them undefined; a pair with an infinite one has
        no range of p values.
    alternative : {"two-sided", "greater", "less"}
        What the test claims of the difference.

    Examples
    --------
    >>> lower, upper = np.array([[0.1, 0.2, 0.3]]), np.array([[0.1, 0.2, 0.4]])
    >>> [p.round(4).item() for p in t_pvalue_range(lower, upper)]
    [0.0742, 0.1181]
    """
    from scipy.special import stdtr  # noqa: PLC0415 -- late: scipy is slow to import

    require_choice("alternative", alternative, SIDES)
    endless = (np.isinf(lower) | np.isinf(upper)).any(axis=1, keepdims=True)
    # Where every difference is 0 there is no t.
    low, high = t_range(*(np.where(endless, 0.0, end) for end in (lower, upper)))
    # The p value falls as |t| grows, so its range is that of t, its ends changed over.
    freedom = max(lower.shape[1] - 1, 1)
    if alternative == "greater":
        return PRange(stdtr(freedom, -high), stdtr(freedom, -low))
    if alternative == "less":
        return PRange(stdtr(freedom, low), stdtr(freedom, high))
    nearest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    furthest = np.maximum(np.abs(low), np.abs(high))
    return PRange(2 * stdtr(freedom, -furthest), 2 * stdtr(freedom, -nearest))


# With S the sum and Q the sum of squares of n differences, t² = (n − 1) / (nQ/S² − 1). So t is
# largest where Q/S² is smallest, and the other way round. Each difference moves on its own between
# its bounds. Q/S² is smallest where all differences are as equal as their bounds let them be, which
# leaves one number to look for. Where every sum is above 0, its largest value is found by putting
# the chord of x² between the bounds in the place of x²: that never gives less, and exactly as much
# at the ends of the ranges, where the largest value is, save for one topic.
def t_range(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the smallest and largest t statistic of each pair.

    NaN for fewer than two topics, and where every difference is 0 and stays so.

    Examples
    --------
    >>> [t.round(3).tolist() for t in t_range(np.array([[0.1, 0.3]]), np.array([[0.2, 0.4]]))]
    [[1.667], [5.0]]
    """
    if lower.shape[1] < 2:
        return np.full(len(lower), np.nan), np.full(len(lower), np.nan)
    step = max(1, _CELLS // lower.shape[1])
    parts = [slice(first, first + step) for first in range(0, max(len(lower), 1), step)]
    if len(parts) == 1:
        return _t_range(lower, upper)
    low, high = zip(
        *in_threads(lambda some: _t_range(lower[some], upper[some]), parts), strict=True
    )
    return np.concatenate(low), np.concatenate(high)


def _t_range(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    # Rounding may have put the ends of an empty range the wrong way round.
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    silent = np.where((lower != 0).any(axis=1) | (upper != 0).any(axis=1), 0.0, np.nan)
    return silent - _largest_t(-upper, -lower), silent + _largest_t(lower, upper)


def _largest_t(lower: Floats, upper: Floats) -> Floats:
    """Return the largest t: as far above 0 as it gets, or as near below."""
    n, total = lower.shape[1], upper.sum(axis=1)
    rounding = TOLERANCE * n * np.abs(upper).max(axis=1)
    above, below = total > rounding, total < -rounding
    largest = np.zeros(len(lower))
    largest[above] = _t(_least_ratio(lower[above], upper[above]), n)
    largest[below] = -_t(_most_ratio(-upper[below], -lower[below]), n)
    return largest


def _t(ratio: Floats, n: int) -> Floats:
    """Return |t| from Q/S²; infinite where nothing varies but by rounding."""
    spread = n * ratio - 1
    varies = spread > TOLERANCE
    return np.where(varies, np.sqrt((n - 1) / np.where(varies, spread, 1.0)), np.inf)


def _least_ratio(lower: Floats, upper: Floats) -> Floats:
    """Return the smallest Q/S² with S above 0: each difference is a level, cut to its bounds.

    As the level rises past its lower bound a difference begins to move with it, and past its upper
    bound it stops. Between two such events Q/S² = (A + kc²)/(B + kc)², smallest at c = A/B.
    """
    level = np.concatenate([lower, upper], axis=1)
    order = np.argsort(level, axis=1, kind="stable")
    sign = np.where(order < lower.shape[1], -1.0, 1.0)
    level = np.take_along_axis(level, order, axis=1)
    moving = np.cumsum(-sign, axis=1)[:, :-1]
    fixed = (lower.sum(axis=1, keepdims=True) + np.cumsum(sign * level, axis=1))[:, :-1]
    squares = (lower**2).sum(axis=1, keepdims=True) + np.cumsum(sign * level**2, axis=1)
    squares = squares[:, :-1]
    start, stop = level[:, :-1], level[:, 1:]
    best = squares / np.where(fixed == 0, 1.0, fixed)
    ratios = [
        _ratio(squares + moving * c**2, fixed + moving * c).min(axis=1)
        for c in (start, stop, np.clip(best, start, stop))
    ]
    return np.asarray(np.min(ratios, axis=0))


def _most_ratio(lower: Floats, upper: Floats) -> Floats:
    """Return the largest Q/S² where every sum is above 0, with chords in the place of squares.

    For a given sum, the differences with the largest lower + upper, the slope of the chord, stand
    at their upper bounds. From one of them to the next Q = a + bS, and Q/S² peaks at S = −2a/b.
    """
    # The chord of x² from lower to upper has the slope lower + upper.
    slope = -np.sort(-(lower + upper), axis=1)
    step = np.take_along_axis(upper - lower, np.argsort(-(lower + upper), axis=1), axis=1)
    total = lower.sum(axis=1, keepdims=True) + _running(step)
    squares = (lower**2).sum(axis=1, keepdims=True) + _running(slope * step)
    rest = squares[:, :-1] - slope * total[:, :-1]
    peak = -2 * rest / np.where(slope == 0, 1.0, slope)
    peak = np.clip(peak, total[:, :-1], total[:, 1:])
    at_ends, at_peaks = squares / total**2, (rest + slope * peak) / peak**2
    return np.maximum(at_ends.max(axis=1), at_peaks.max(axis=1))


def _running(steps: Floats) -> Floats:
    """Return the sums of the first 0, 1, … steps."""
    return np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))


def _ratio(squares: Floats, total: Floats) -> Floats:
    """Return Q/S², infinite where S is not above 0."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = squares / total**2
    np.copyto(ratio, np.inf, where=total <= 0)
    return np.asarray(ratio)
