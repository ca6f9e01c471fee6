"""The one verdict on a pair of runs: its state, in one sentence, and the claims behind it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._differences import (
    CERTAIN,
    NEVER_BEHIND,
    side_of,
    undefined_words,
)
from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import first_documents
from poolwise.words import counted, p_words, range_text

__all__ = [
    "LIKELY",
    "NEWS",
    "STARRED",
    "STATES",
    "SUPPORT",
    "PairFacts",
    "PairVerdict",
    "Plausibility",
    "State",
    "StateFacts",
    "counts_in_words",
    "sentence_of",
    "states_of",
]

LIKELY = 0.95
"""The share of calibrated draws that decides; METHODS ask for as many, however many runs."""


@dataclass(frozen=True, eq=False)
class Plausibility:
    """How often plausible grades, or another sample, put which run of a pair ahead.

    Attributes
    ----------
    ahead, behind : float array, pairs
        The share of draws in which a is ahead of b by more than the tolerance, and behind it; NaN
        where there are none.
    significant : float array, pairs
        The share in which the run that is ahead now is so, significantly.
    calibrated : bool array, pairs
        Of which pairs the draws are calibrated: no others decide a state.
    draws : int
        How many there are; 0 for an interval, of which a share is 1 where it lies on that side.
    over : {"draws", "samples", "labels"}
        What could be otherwise.

    Examples
    --------
    >>> plausibility = Plausibility.none(1)
    >>> plausibility.draws, plausibility.calibrated.tolist()
    (0, [False])
    """

    ahead: Floats
    behind: Floats
    significant: Floats
    calibrated: Booleans
    draws: int = 0
    over: str = "draws"

    @classmethod
    def none(cls, pairs: int) -> "Plausibility":
        """Return that nothing is known of what is plausible."""
        nothing = np.full(pairs, np.nan)
        return cls(nothing, nothing, nothing, np.zeros(pairs, np.bool_))

    @classmethod
    def of_interval(cls, low: Floats, high: Floats, within: float, *, over: str) -> "Plausibility":
        """Take an interval over samples or labels in the place of draws.

        Examples
        --------
        >>> signs = Plausibility.of_interval(
        ...     np.array([0.1, -0.1]), np.array([0.3, 0.2]), 1e-12, over="samples")
        >>> signs.ahead.tolist(), signs.behind.tolist(), signs.calibrated.tolist()
        ([1.0, 0.0], [0.0, 0.0], [True, True])
        """
        has_range = ~np.isnan(low)
        ahead, behind = np.where(has_range, [low > within, high < -within], np.nan).astype(float)
        # The test is over the estimates themselves: what keeps the order keeps its finding.
        return cls(ahead, behind, np.fmax(ahead, behind), has_range, over=over)


class State(NamedTuple):
    """What can be said of a pair."""

    meaning: str
    """In a legend."""
    words: Callable[["PairFacts"], str]
    """Its sentence, the worst news first; ``a`` is not behind."""
    many: str
    """What is said of several pairs of it, after their number; one of two forms in {}."""
    starred: bool = False
    """Whether a table marks it without brackets."""


@dataclass(frozen=True, eq=False)
class StateFacts:
    """What decides the states of pairs, one entry each.

    Attributes
    ----------
    verdict : str array
        What can be said over judgments: keys of ``VERDICTS``.
    difference : float array
        The mean of a − b, 0 where they are level, NaN where it is not defined.
    rests : bool array
        Whose order rests on topics that a run lacks.
    significant : bool array
        Whether the corrected p value is below alpha.
    stays_significant : bool array
        Whether it stays below alpha with all p values at the upper ends of their ranges.
    p_range_known : bool array
        Whether there are such ranges.
    plausible : Plausibility
        What draws, or an interval in their place, say.
    """

    verdict: NDArray[np.str_]
    difference: Floats
    rests: Booleans
    significant: Booleans
    stays_significant: Booleans
    p_range_known: Booleans
    plausible: Plausibility


def states_of(facts: StateFacts) -> NDArray[np.str_]:
    """Return the state of each pair, a key of ``STATES``: the first that fits.

    Examples
    --------
    >>> yes = np.ones(1, bool)
    >>> facts = StateFacts(np.array(["a certain"]), np.array([0.2]), ~yes, yes, yes, yes,
    ...                    Plausibility.none(1))
    >>> states_of(facts).tolist()
    ['holds']
    """
    certain = np.isin(facts.verdict, CERTAIN)
    drawn, calibrated = facts.plausible, facts.plausible.calibrated
    forward = np.where(facts.difference < 0, drawn.behind, drawn.ahead)
    backward = np.where(facts.difference < 0, drawn.ahead, drawn.behind)
    # Of level runs either may be the other one.
    level = facts.difference == 0
    backward = np.where(level, np.fmax(drawn.ahead, drawn.behind), backward)
    with np.errstate(invalid="ignore"):
        likely = calibrated & (drawn.significant >= LIKELY)
        stays, turns = calibrated & (forward >= LIKELY), calibrated & (backward >= LIKELY)
    kept = np.where(facts.p_range_known, facts.stays_significant, likely)
    settled = certain | np.isin(facts.verdict, NEVER_BEHIND)
    fits = {
        "rests on missing topics": facts.rests,
        "undefined now": np.isnan(facts.difference),
        "holds": certain & facts.significant & kept,
        "order certain, significance open": certain & facts.significant,
        "very likely holds": facts.significant & likely,
        "probably the other way round": turns,
        "level": level,
        "doubtful": facts.significant & calibrated,
        "significant, judging unknown": facts.significant,
        "too few topics": settled | stays,
    }
    return np.select(list(fits.values()), list(fits), "open")


@dataclass(frozen=True)
class PairFacts:
    """What the sentence on a pair is made of; ``a`` is not behind ``b``.

    Attributes
    ----------
    verdict : str
        Over judgments: a key of ``VERDICTS``.
    documents : str
        The universe.
    low, high : float
        The range of a − b over judgments; NaN where there is none.
    reason : str
        Why there is none.
    all_judged : bool
        Whether the range has no width: no unjudged document makes a difference.
    p, p_most : float
        The corrected p value, and the most it could be; NaN where it is not known.
    topics, topics_needed : float
        How many there are, and about how many would show a difference of this size.
    ahead, behind, significant : int
        Draws that put a ahead, that put b ahead, and that keep a ahead significantly.
    draws : int
        How many there are, 0 for none.
    calibrated : bool
    interval : str
        The interval over samples or labels, in words, where it takes the draws' place.
    not_drawn : str
        Why draws say nothing here.
    unjudged_a, unjudged_b : float
        The shares of documents that are not judged, to the depth of the measure; NaN where that is
        not known.
    rests_on : str
        Which run lacks how many topics.
    other_side : bool
        Whether a one-sided test was declared for the other direction.
    """

    measure: Measure
    a: str
    b: str
    difference: float
    verdict: str
    documents: str = "the unjudged documents"
    low: float = float("nan")
    high: float = float("nan")
    reason: str = ""
    all_judged: bool = False
    p: float = float("nan")
    p_most: float = float("nan")
    no_p: str = ""
    topics: int = 0
    topic_word: str = "topic"
    topics_needed: float = float("nan")
    ahead: int = 0
    behind: int = 0
    significant: int = 0
    draws: int = 0
    calibrated: bool = False
    interval: str = ""
    not_drawn: str = ""
    unjudged_a: float = float("nan")
    unjudged_b: float = float("nan")
    rests_on: str = ""
    other_side: bool = False

    @property
    def lead(self) -> str:
        """Say who is ahead, and by how much."""
        if np.isnan(self.difference):
            return f"neither {self.a} nor {self.b} has a score in {self.measure} yet"
        if not self.difference:
            return f"{self.a} and {self.b} are level in {self.measure}"
        return f"{self.a} is ahead of {self.b} by {self.difference:.4f} in {self.measure}"

    @property
    def tested(self) -> str:
        """Say what the test says."""
        over = f"{counted(self.topics, self.topic_word)}"
        if np.isnan(self.p):
            return f"no p value{self.no_p and f', since {self.no_p}'}; {over}"
        return f"{p_words(self.p)}, {over}"

    @property
    def whatever(self) -> str:
        """Say for which documents the order is certain."""
        return (
            ", and no unjudged document counts here"
            if self.all_judged
            else f", whatever {self.documents} are"
        )

    @property
    def range(self) -> str:
        """The range of a − b, in words; empty where there is none."""
        return "" if np.isnan(self.low) else range_text(self.low, self.high)

    @property
    def possible(self) -> str:
        """The range in brackets, if there is one."""
        return f" ({self.range})" if self.range else ""


@dataclass(frozen=True)
class PairVerdict:
    """The verdict on one pair of runs, from which every view takes what it says.

    Attributes
    ----------
    a, b : str
        The runs, in the order they were compared in.
    measure : Measure
        What they are scored by.
    state : str
        A key of ``STATES``.
    over_judgments : str
        What can be said whatever the unjudged documents are, with its side: a key of ``VERDICTS``.
    sentence : str
        All of it in one sentence, the worst news first.
    claims : tuple of Claim
        What the sentence claims whatever the unjudged documents are.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, compare_evidence
    >>> runs = Runs.from_rankings({"a": {"1": ["x"]}, "b": {"1": ["u"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> pair = compare_evidence(evidence, "P@1", draws=0)[0]
    >>> pair.pair_verdict.state, [str(claim) for claim in pair.pair_verdict.claims]
    ('too few topics', ['a is ahead of b or level with it in P@1, whatever the unjudged documents in
    the first 1 rank of these 2 runs are'])
    """

    a: str
    b: str
    measure: Measure
    state: str
    over_judgments: str
    sentence: str
    claims: tuple[Claim, ...] = ()

    @property
    def starred(self) -> bool:
        """Whether a table may mark the difference without brackets."""
        return STATES[self.state].starred

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "measure": str(self.measure),
            "a": self.a,
            "b": self.b,
            "state": self.state,
            "over_judgments": self.over_judgments,
            "sentence": self.sentence,
            "claims": [claim.to_dict() for claim in self.claims],
        }


def _rests(pair: PairFacts) -> str:
    return f"{pair.rests_on}. As they are, {pair.lead} ({pair.tested}){_told(pair)}"


def _undefined(pair: PairFacts) -> str:
    if pair.verdict == "unknown":
        lead = f"Neither {pair.a} nor {pair.b} has a score in {pair.measure} yet"
        return f"{lead}; what judging could do is not known{_since(pair.reason)}"
    return undefined_words(pair.verdict, pair.a, pair.b, pair.measure, pair.range)


def _holds(pair: PairFacts) -> str:
    most = "" if pair.all_judged or np.isnan(pair.p_most) else f"; {_at_most(pair)} if judged"
    return f"{pair.lead}{pair.whatever}; the difference is significant ({pair.tested}{most})"


def _at_most(pair: PairFacts) -> str:
    return f"p at most {pair.p_most:.4f}" if pair.p_most >= 1e-4 else "p stays below 0.0001"


def _significance_open(pair: PairFacts) -> str:
    lead = (
        f"Judging could take the significance of a difference whose order is certain: {pair.lead}"
    )
    if np.isnan(pair.p_most):
        lead = f"Whether this stays significant is not known, though the order is: {pair.lead}"
    most = "" if np.isnan(pair.p_most) else f"; {_at_most(pair)} if judged"
    return f"{lead}{pair.whatever} ({pair.tested}{most})"


def _very_likely(pair: PairFacts) -> str:
    return (
        f"{pair.lead}, significantly ({pair.tested}), and stays so {_in_draws(pair)}; "
        f"possible: {pair.range or 'not known'}"
    )


def _in_draws(pair: PairFacts) -> str:
    if pair.interval:
        return f"by the {pair.interval}"
    return f"in {pair.significant:,} of {counted(pair.draws, 'draw')} of the judgments"


def _other_way(pair: PairFacts) -> str:
    other, share, times = pair.b, pair.unjudged_b, pair.behind
    if not pair.difference and pair.ahead > pair.behind:
        other, share, times = pair.a, pair.unjudged_a, pair.ahead
    drawn = (
        f"{other} is ahead by the {pair.interval}"
        if pair.interval
        else f"{other} is ahead in {times:,} of {counted(pair.draws, 'draw')}"
    )
    why = "" if np.isnan(share) else f"{share:.0%} of {other}'s {_first(pair)} are unjudged, and "
    return f"{_on_judged(pair)}, but {why}{drawn}"


def _first(pair: PairFacts) -> str:
    """Return which documents of a run a share is about, as short as may be."""
    words = first_documents(pair.measure)
    return words.removesuffix(" documents") if words.count(" ") > 1 else words


def _on_judged(pair: PairFacts) -> str:
    if not pair.difference:
        return f"{pair.a} and {pair.b} are level in {pair.measure} on judged documents"
    return f"{pair.a} leads {pair.b} by {pair.difference:.4f} in {pair.measure} on judged documents"


def _level(pair: PairFacts) -> str:
    lead = f"{pair.a} and {pair.b} are level in {pair.measure}"
    if pair.verdict == "equal":
        return f"{lead}{pair.whatever}"
    if not pair.range:
        return f"{lead} now; what judging could do is not known{_since(pair.reason)}"
    does = f"could put either ahead{pair.possible}"
    if pair.verdict in NEVER_BEHIND:
        side, _ = side_of(pair.verdict, pair.a, pair.b)
        most = max(pair.high, -pair.low)
        does = f"can only help {side} ({range_text(0.0, most, sign='+')})"
    return f"{lead} now; judging {does}{_told(pair)}"


def _doubtful(pair: PairFacts) -> str:
    kept = (
        f"the {pair.interval} leaves the order open"
        if pair.interval
        else f"that stays so in {pair.significant:,} of {counted(pair.draws, 'draw')} alone"
    )
    return f"{_on_judged(pair)}, significantly ({pair.tested}), but {kept}{_possible_too(pair)}"


def _possible_too(pair: PairFacts) -> str:
    return f"; possible: {pair.range}" if pair.range else ""


def _unknown(pair: PairFacts) -> str:
    lead = f"{_on_judged(pair)}, significantly ({pair.tested})"
    if not pair.range:
        return f"{lead}, but what judging could do is not known{_since(pair.reason)}"
    does = {
        "open": f"reverse that{pair.possible}",
        "a never behind": f"make them level{pair.possible}, not reverse them",
    }.get(pair.verdict, f"change that{pair.possible}")
    how = _told(pair) or f", and how likely is not known{_since(pair.not_drawn)}"
    return f"{lead}, but judging could {does}{_unjudged(pair)}{how}"


def _unjudged(pair: PairFacts) -> str:
    """Name the share of documents that make the doubt, where it is worth it."""
    shares = ((pair.unjudged_b, pair.b), (pair.unjudged_a, pair.a))
    share, run = max(shares, key=lambda entry: np.nan_to_num(entry[0]))
    first = _first(pair)
    return f": {share:.0%} of {run}'s {first} are unjudged" if share >= 0.005 else ""


def _told(pair: PairFacts) -> str:
    """Tell what uncalibrated draws suggest, and that they are so."""
    if not pair.draws or pair.calibrated or max(pair.ahead, pair.behind) * 2 <= pair.draws:
        return ""
    run, times = (pair.b, pair.behind) if pair.behind > pair.ahead else (pair.a, pair.ahead)
    return f"; draws suggest {run}, {times:,} of {pair.draws:,}, not calibrated"


def _too_few(pair: PairFacts) -> str:
    if pair.verdict in NEVER_BEHIND:
        judging = f"judging can make them level, not reverse them{pair.possible}"
    elif pair.verdict in CERTAIN:
        judging = f"judging would not change the order{pair.possible}"
        if pair.all_judged:
            judging = "no unjudged document counts here"
    else:
        judging = f"judging would probably not change the order: {_order_in_draws(pair)}"
    needed = _needed(pair)
    return f"Too few topics: {pair.lead}, not significantly ({pair.tested}); {judging}{needed}"


def _order_in_draws(pair: PairFacts) -> str:
    if pair.interval:
        return f"{pair.interval}"
    return f"the order stays in {pair.ahead:,} of {counted(pair.draws, 'draw')}"


def _needed(pair: PairFacts) -> str:
    if not np.isfinite(pair.topics_needed) or pair.topics_needed <= pair.topics:
        return ""
    # Two digits: an effect size from so few topics gives no more.
    digits = max(0, len(str(int(pair.topics_needed))) - 2)
    needed = -int(-pair.topics_needed // 10**digits) * 10**digits
    return f"; about {needed:,} topics would show a difference of this size"


def _open(pair: PairFacts) -> str:
    if not pair.range:
        judging = f"what judging could do is not known{_since(pair.reason)}"
        return f"{pair.lead}, not significantly ({pair.tested}); {judging}"
    return (
        f"Neither topics nor judgments settle it: {pair.lead} ({pair.tested}), and judging could "
        f"{'reverse' if pair.verdict == 'open' else 'change'} that{pair.possible}{_told(pair)}"
    )


def _since(reason: str, link: str = ", since ") -> str:
    return f"{link}{reason}" if reason else ""


STATES: dict[str, State] = {
    "rests on missing topics": State(
        "a run lacks topics, which score 0, and that decides",
        _rests,
        "{rests|rest} on topics that a run lacks",
    ),
    "undefined now": State("neither run has a score yet", _undefined, "{has|have} no score yet"),
    "holds": State(
        "significant, and ahead whatever the unjudged documents are",
        _holds,
        "{holds|hold}",
        starred=True,
    ),
    "order certain, significance open": State(
        "ahead whatever the unjudged documents are; judging could take its significance",
        _significance_open,
        "{keeps its|keep their} order, but judging could take the significance",
    ),
    "very likely holds": State(
        "significant, and so in at least 95% of calibrated draws",
        _very_likely,
        "very likely {holds|hold}",
        starred=True,
    ),
    "probably the other way round": State(
        "the other run is ahead in at least 95% of calibrated draws",
        _other_way,
        "{is|are} probably the other way round",
    ),
    "level": State("the means are level", _level, "{is|are} level"),
    "doubtful": State(
        "significant, but so in fewer than 95% of calibrated draws",
        _doubtful,
        "{is|are} doubtful",
    ),
    "significant, judging unknown": State(
        "significant on judged documents; how likely judging would reverse it is not known",
        _unknown,
        "{rests|rest} on judged documents alone",
    ),
    "too few topics": State(
        "not significant; judging would not reverse the order",
        _too_few,
        "{needs|need} more topics",
    ),
    "open": State("neither topics nor judgments settle it", _open, "{is|are} open on both counts"),
}
"""What can be said of a pair, in the order in which it is asked for: the first that fits."""

NEWS = (
    *("probably the other way round", "doubtful", "significant, judging unknown"),
    *("order certain, significance open", "rests on missing topics"),
    *("very likely holds", "holds", "too few topics", "open", "level", "undefined now"),
)
"""The states, the one that a reader must hear of first in front."""


SUPPORT = (
    *("holds", "very likely holds", "order certain, significance open"),
    *("significant, judging unknown", "doubtful", "too few topics", "open", "level"),
    *("undefined now", "rests on missing topics", "probably the other way round"),
)
"""The states by how much of an order is left, the most in front: of several measures the worst."""


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Say how many pairs have which state, the worst news first.

    Examples
    --------
    >>> counts_in_words({"holds": 1, "doubtful": 2, "open": 0})
    '2 are doubtful, and 1 holds'
    """
    parts = [_counted_state(counts[name], STATES[name].many) for name in NEWS if counts.get(name)]
    return f"{', '.join(parts[:-1])}, and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _counted_state(count: int, many: str) -> str:
    words = re.sub(r"\{(.*?)\|(.*?)\}", r"\1" if count == 1 else r"\2", many)
    return f"{count:,} {words}"


STARRED = tuple(name for name, state in STATES.items() if state.starred)
"""The states that a table marks without brackets."""


def sentence_of(state: str, pair: PairFacts) -> str:
    """Word the state of a pair: one sentence, the worst news first.

    Examples
    --------
    >>> from poolwise import P
    >>> pair = PairFacts(P @ 5, "A", "B", 0.0, "b never behind", low=-0.73, high=0.0)
    >>> sentence_of("level", pair)
    'A and B are level in P@5 now; judging can only help B (+0.0000 to +0.7300).'
    """
    words = STATES[state].words(pair)
    if pair.other_side:
        words = f"The difference is on the other side: {words}"
    return f"{words}."
