"""What one comparison says: line by line, and in sentences."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.comparison.intervals import INTERVALS
from poolwise.findings.comparison.over_judgments.order_certainty import (
    range_words,
    topic_word,
    who_leads,
)
from poolwise.findings.comparison.samples import omitted_words
from poolwise.findings.levels import level_text
from poolwise.measures._derived import Logarithm
from poolwise.words import UNKNOWN, counted, outcome_words, p_text, p_words, range_text, signed

if TYPE_CHECKING:
    from poolwise.findings.comparison.single_comparison import Comparison

__all__ = [
    "PLAUSIBLE",
    "PLAUSIBLE_RANGE",
    "p_range_text",
    "pair_lines",
    "pair_sentences",
    "plausible_text",
]

PLAUSIBLE = "kept in plausible completions"
"""Heading of what drawn grades leave, beside the range of all that is possible."""
PLAUSIBLE_RANGE = "plausible range"
"""Heading of the range of a difference by the relevance model."""


def pair_lines(pair: "Comparison") -> dict[str, str]:
    """Return what is known of a pair by name: over topics, then over judgments."""
    return _topic_lines(pair) | _judgment_lines(pair)


def _topic_lines(pair: "Comparison") -> dict[str, str]:
    interval = range_text(pair.ci_low, pair.ci_high)
    method = "" if interval == UNKNOWN else f" ({pair.interval_method})"
    corrected = f"{p_text(pair.p_adjusted)} ({pair.correction})"
    return {
        "difference": signed(pair.difference),
        f"{level_text(1 - pair.alpha)} interval": interval + method,
        "p value": p_text(pair.pvalue),
        "corrected p": "" if _same(pair.p_adjusted, pair.pvalue) else corrected,
        "effect size": signed(pair.effect_size, digits=3),
        "why none": pair.reason,
        "topics": f"{pair.n:,}: {outcome_words(pair.wins, pair.ties, pair.losses)}",
        "left out": omitted_words(pair.omitted) if pair.omitted else "",
        "null": pair.null,
        "alternative": pair.alternative,
    }


def _judgment_lines(pair: "Comparison") -> dict[str, str]:
    bounded = not np.isnan(pair.bound_low)
    return {
        "range if judged": range_text(pair.bound_low, pair.bound_high) if bounded else "",
        f"{level_text(1 - pair.alpha)} over samples": range_text(
            pair.sample_low, pair.sample_high
        ).strip(UNKNOWN),
        "order": pair.verdict,
        "p if judged, uncorrected": p_range_text(pair.p_low, pair.p_high).strip(UNKNOWN),
        PLAUSIBLE_RANGE: plausible_text(pair).strip(UNKNOWN),
        PLAUSIBLE: _kept(pair),
    }


def _kept(pair: "Comparison") -> str:
    if not pair.draws:
        return ""
    order, kept = _draws_that_agree(pair)
    significance = f", significance in {kept:,}" * pair.is_significant
    return f"order in {order:,} of {pair.draws:,}{significance}"


def _draws_that_agree(pair: "Comparison") -> tuple[int, int]:
    """Return in how many draws the order stays, and in how many a significant pair stays so."""
    kept = round(pair.drawn_significant * pair.draws) if pair.is_significant else 0
    return round(pair.drawn_same_order * pair.draws), kept


def pair_sentences(pair: "Comparison") -> tuple[str, ...]:
    """Say who is ahead, by how much, and how sure that is; ``a`` is not behind."""
    return (
        who_leads(pair.a, pair.b, pair.difference, pair.measure),
        *_as_ratio(pair),
        f"Over topics: {_over_topics(pair)}.",
        *_over_samples(pair),
        f"Over judgments: {_over_judgments(pair)}.",
    )


def _as_ratio(pair: "Comparison") -> tuple[str, ...]:
    """Say what a difference of logarithms means for geometric means."""
    if not isinstance(pair.measure, Logarithm):
        return ()
    ratio = f"{np.exp(pair.difference):.3f} times that of {pair.b}"
    return (f"The geometric mean of {pair.a} in {pair.measure.of} is {ratio}.",)


def plausible_text(pair: "Comparison") -> str:
    """Return the plausible range of a difference, or that it is not calibrated."""
    if np.isnan(pair.plausible_low):
        return pair.calibration or UNKNOWN
    return range_text(pair.plausible_low, pair.plausible_high)


def p_range_text(low: float, high: float) -> str:
    """Return the two ends of a range of p values, or a dash where it is not known.

    Examples
    --------
    >>> p_range_text(1e-6, 0.25), p_range_text(float("nan"), float("nan"))
    ('<0.0001 to 0.2500', '–')
    """
    return UNKNOWN if np.isnan(low) else f"{p_text(low)} to {p_text(high)}"


def _same(one: float, other: float) -> bool:
    return one == other or bool(np.isnan(one) and np.isnan(other))


def _over_topics(pair: "Comparison") -> str:
    source = f"{pair.test}, {counted(pair.n, topic_word(pair.provenance))}"
    if np.isnan(pair.pvalue):
        return f"no p value, since {pair.reason} ({source})"
    interval = range_text(pair.ci_low, pair.ci_high)
    words = f"{level_text(1 - pair.alpha)} {INTERVALS[pair.interval_method].words}"
    shown = "" if interval == UNKNOWN else f"{words} {interval}, "
    return f"{shown}{_p(pair)} ({source})"


def _over_samples(pair: "Comparison") -> tuple[str, ...]:
    """Say how far another sample of documents could move the difference, where that is known."""
    if np.isnan(pair.sample_low):
        return ()
    interval = range_text(pair.sample_low, pair.sample_high)
    said = f"Over samples of documents: {level_text(1 - pair.alpha)} interval {interval}"
    never = range_text(pair.never_drawn_low, pair.never_drawn_high)
    moved = bool(pair.never_drawn_low or pair.never_drawn_high) and never != UNKNOWN
    return (f"{said}{f'; those never drawn could change it by {never}' if moved else ''}.",)


def _p(pair: "Comparison") -> str:
    side = "" if pair.sided == "two-sided" else ", one-sided"
    corrected = f", corrected {p_text(pair.p_adjusted)}"
    return p_words(pair.pvalue) + side + corrected * (pair.p_adjusted != pair.pvalue)


def _over_judgments(pair: "Comparison") -> str:
    if pair.verdict == "unknown":
        return f"not known, since {pair.unknown}{_drawn(pair)}"
    left = range_words(pair.bound_low, pair.bound_high, pair.verdict, pair.documents)
    rests = f"; {pair.rests_on}" if pair.rests_on else ""
    return f"{left}{rests}{_p_range(pair)}{_drawn(pair)}"


def _p_range(pair: "Comparison") -> str:
    """Return the range of p, unless it reaches 1, as wherever the order can be reversed."""
    if not pair.p_high < 1:
        return ""
    return f", with an uncorrected p from {p_range_text(pair.p_low, pair.p_high)}"


def _drawn(pair: "Comparison") -> str:
    if not pair.draws:
        return ""
    order, kept = _draws_that_agree(pair)
    significance = f", and in {kept:,} it is still significant" * pair.is_significant
    drawn = counted(pair.draws, "plausible completion")
    said = f"; in {order:,} of {drawn} of the judgments the order stays{significance}"
    return said + _plausible(pair)


def _plausible(pair: "Comparison") -> str:
    """Return the calibrated range, or that what the draws say is not calibrated."""
    if not pair.calibration:
        return ""
    if np.isnan(pair.plausible_low):
        return f" ({pair.calibration})"
    return f"; {plausible_text(pair)} is plausible"
