"""One pair of systems with both uncertainties, and the sentence that says so."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.findings.comparison.pair_test import Finding

__all__ = ["PairComparison"]


@dataclass(frozen=True, eq=False)
class PairComparison:
    """A difference between two systems, how sure it is over topics, and how sure over judgments.

    Attributes
    ----------
    finding : Finding
        Difference, interval, p values, effect size, wins, ties and losses.
    bound_low, bound_high : float
        What every grading of the unjudged documents leaves of the difference; NaN if not known.
    verdict : {"certain", "possible", "unknown"}
        Whether a grading could reverse the order.
    p_low, p_high : float
        No grading takes the p value out of this range; NaN if not known.
    draws : int
        How many gradings were drawn.
    drawn_significant, drawn_same_order : float
        Share of them in which the difference stays significant, and keeps its sign.
    unknown : str
        Why nothing is known of the judgments.
    """

    finding: Finding
    alpha: float
    bound_low: float
    bound_high: float
    verdict: str
    p_low: float
    p_high: float
    draws: int
    drawn_significant: float
    drawn_same_order: float
    unknown: str = ""

    def better_first(self) -> "PairComparison":
        """Return the same pair with the system that is ahead as ``a``."""
        found = self.finding
        if not found.difference < 0:
            return self
        turned = replace(
            found,
            a=found.b,
            b=found.a,
            difference=-found.difference,
            effect_size=-found.effect_size,
            wins=found.losses,
            losses=found.wins,
        )
        return replace(self, finding=turned, bound_low=-self.bound_high, bound_high=-self.bound_low)

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p value is below alpha."""
        p = self.finding.p_adjusted
        return (self.finding.pvalue if p is None else p) < self.alpha

    def sentence(self) -> str:
        """Say who is ahead, by how much, how sure over topics, and how sure over judgments."""
        pair = self.better_first()
        topics, judgments = _over_topics(pair), _over_judgments(pair)
        return f"{_lead(pair.finding)} Over topics: {topics}. Over judgments: {judgments}."

    def __str__(self) -> str:
        return self.sentence()


def _lead(found: Finding) -> str:
    if not found.difference:
        return f"{found.a} and {found.b} are level in {found.measure}."
    return f"{found.a} is ahead of {found.b} by {found.difference:.4f} in {found.measure}."


def _over_topics(pair: PairComparison) -> str:
    found, level = pair.finding, 1 - pair.alpha
    source = f"{found.test}, {found.n} topic{'s' * (found.n != 1)}"
    if np.isnan(found.pvalue):
        return f"no p value, since {found.reason} ({source})"
    low, high = found.interval(level)
    interval = "" if np.isnan(low) else f"{level:.0%} interval {low:.4f} to {high:.4f}, "
    return f"{interval}{_p(found)} ({source})"


def _p(found: Finding) -> str:
    side = "" if found.alternative.endswith("not 0") else ", one-sided"
    if found.p_adjusted is None or found.p_adjusted == found.pvalue:
        return f"p = {found.pvalue:.4g}{side}"
    return f"p = {found.pvalue:.4g}{side}, corrected {found.p_adjusted:.4g}"


def _over_judgments(pair: PairComparison) -> str:
    if pair.verdict == "unknown":
        return f"not known, since {pair.unknown}{_drawn(pair)}"
    reverse = "cannot" if pair.verdict == "certain" else "could"
    bounds = f"the unjudged documents leave {pair.bound_low:.4f} to {pair.bound_high:.4f}"
    return f"{bounds} and {reverse} reverse the order{_p_range(pair)}{_drawn(pair)}"


def _p_range(pair: PairComparison) -> str:
    """Return the range of p, unless it reaches 1, as wherever the order can be reversed."""
    if not pair.p_high < 1:
        return ""
    return f", with p from {pair.p_low:.4g} to {pair.p_high:.4g}"


def _drawn(pair: PairComparison) -> str:
    if not pair.draws:
        return ""
    order, kept = f"{pair.drawn_same_order:.0%}", f"{pair.drawn_significant:.0%}"
    significance = f" and {kept} the significance" if pair.is_significant else ""
    return f"; of {pair.draws} drawn gradings {order} keep the order{significance}"
