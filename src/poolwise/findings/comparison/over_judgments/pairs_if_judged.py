"""What judging the unjudged documents could make of tested pairs: by bounds, by drawn grades."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, generator
from poolwise.errors import OptionError, require_choice, require_draws
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Universe
from poolwise.evidence.unknowns._priors import PRIORS
from poolwise.evidence.unknowns.relevance_model._pool_shape import has_non_relevant
from poolwise.findings.comparison.differences import Differences, judgment_ranges
from poolwise.findings.comparison.pvalue_ranges import t_pvalue_range
from poolwise.findings.comparison.significance import PairTests, Seed
from poolwise.measures._ranges import NO_SCOPE, RangeScope
from poolwise.results._progress import teller
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.treatments.modelled import Modelled, complete_scores
from poolwise.scores.treatments.score_distribution import (
    bootstrap,
    is_drawable,
    why_not_drawable,
)
from poolwise.scores.treatments.treatments import below_pool
from poolwise.words import counted

__all__ = ["COMPLETIONS", "PairBounds", "PairDraws", "bound_pairs", "draw_pairs"]

COMPLETIONS = {
    Modelled.name: "as a relevance model of the pool expects, all documents graded at once",
    **dict.fromkeys(PRIORS, "from the pool's documents that a run lacks (B23)"),
}
"""Where plausible grades come from."""

_CELLS = 1 << 20
"""Pairs × topics whose ranges are held at a time."""
MOST_DRAWN = 50_000_000
"""Pairs × draws that are kept, so that they fit in about a gigabyte."""

Progress = Callable[[int, int], None] | None
Outcome = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class PairBounds:
    """What every assignment of grades to the unjudged documents leaves, one entry per pair.

    Attributes
    ----------
    kind : {"exact", "valid", ""}
        Whether the bounds are reached, or only hold; empty where there are none.
    low, high : float array
        The range of the mean difference; NaN where it is not known.
    verdict : str array
        What can be said of the order over judgments: keys of ``VERDICTS``.
    p_low, p_high : float array
        No assignment of grades takes the paired t test's p value out of this range, uncorrected;
        NaN for other tests, and where a topic may enter the mean.
    reason : str
        Why the range is not known.
    rests_on : str array
        Which run lacks how many topics, where an order rests on these; else empty.
    scope : RangeScope
        What the range is over, in words.
    """

    kind: str
    low: Floats
    high: Floats
    verdict: NDArray[np.str_]
    p_low: Floats
    p_high: Floats
    reason: str = ""
    rests_on: NDArray[np.str_] | None = None
    scope: RangeScope = NO_SCOPE

    @classmethod
    def unknown(cls, pairs: int, reason: str) -> "PairBounds":
        """Return ranges that nobody knows, and why."""
        nothing = np.full(pairs, np.nan)
        verdict = np.full(pairs, "unknown")
        return cls("", nothing, nothing, verdict, nothing, nothing, reason)

    @classmethod
    def joined(cls, parts: Sequence["PairBounds"]) -> "PairBounds":
        """Put the pairs of several parts together."""
        if len(parts) == 1:
            return parts[0]
        columns = ("low", "high", "verdict", "p_low", "p_high", "rests_on")
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in columns
        }
        kind = "exact" if all(part.kind == "exact" for part in parts) else "valid"
        return replace(parts[0], kind=kind, **whole)


def bound_pairs(
    evidence: Evidence, found: PairTests, *, paired_t: bool, universe: Universe
) -> PairBounds:
    """Bound the difference of every tested pair, and the p value of the paired t test.

    Some pairs at a time, so that memory does not grow with pairs × topics.
    """
    step = _pairs_at_a_time(evidence, found)
    parts = []
    for start in range(0, len(found), step):
        some = slice(start, start + step)
        ranges = judgment_ranges(evidence, found.measure, found.pairs[some], universe=universe)
        if ranges.kind == "none":
            return PairBounds.unknown(len(found), ranges.reason)
        sided = found.sided if paired_t else None
        parts.append(_bounds_of(ranges, found.difference[some], sided))
    return PairBounds.joined(parts)


def _pairs_at_a_time(evidence: Evidence, found: PairTests) -> int:
    """Return how many; all, where the topics that count could differ from pair to pair."""
    undefined = np.isnan(found.measure.score(evidence))
    if (undefined.any(axis=0) != undefined.all(axis=0)).any():
        return len(found)
    return max(1, _CELLS // max(1, len(evidence.topics)))


def _bounds_of(ranges: Differences, difference: Floats, sided: str | None) -> PairBounds:
    """Return the bounds of some pairs, and those of the p value where a side of it is given."""
    _, low, high = ranges.means()
    p_low = p_high = np.full(len(ranges), np.nan)
    if sided:
        p_low, p_high = _p_range(ranges, sided)
    # The difference was summed in another order; no rounding error may put it outside.
    low, high = np.minimum(low, difference), np.maximum(high, difference)
    rests_on = np.array([ranges.rests_on(i) for i in range(len(ranges))], np.str_)
    return PairBounds(
        ranges.kind,
        low,
        high,
        ranges.verdict,
        p_low,
        p_high,
        rests_on=rests_on,
        scope=ranges.scope,
    )


def _p_range(ranges: Differences, sided: str) -> tuple[Floats, Floats]:
    defined = ranges.defined
    ends = t_pvalue_range(ranges.lower[:, defined], ranges.upper[:, defined], alternative=sided)
    # With another topic the test would have another number of degrees of freedom.
    low, high = (np.where(ranges.may_enter, np.nan, end) for end in ends)
    return low, high


@dataclass(frozen=True, eq=False)
class PairDraws:
    """The same comparisons under plausible grades of the unjudged documents, pairs × draws.

    A document has the same grade in all runs of a draw.

    Attributes
    ----------
    difference, pvalue : float array, pairs × draws
        Mean difference and uncorrected p value; NaN where a pair has none.
    significant : float array
        Share of draws in which the pair is still significant after correction, and the same run
        is ahead.
    same_order : float array
        Share of draws in which the same run is ahead.
    reason : str
        Why there are no draws.
    """

    difference: Floats
    pvalue: Floats
    significant: Floats
    same_order: Floats
    reason: str = ""

    @classmethod
    def none(cls, pairs: int, reason: str) -> "PairDraws":
        """Return no draws, and why."""
        nothing = np.full(pairs, np.nan)
        return cls(np.empty((pairs, 0)), np.empty((pairs, 0)), nothing, nothing, reason)

    @property
    def draws(self) -> int:
        """How many assignments of grades were drawn."""
        return self.pvalue.shape[1]

    def p_quantile(self, share: float) -> Floats:
        """Return the p value that this share of the draws does not exceed; NaN without draws."""
        if not self.draws:
            return self.significant
        return np.asarray(np.quantile(self.pvalue, share, axis=1, method="inverted_cdf"))


def draw_pairs(
    evidence: Evidence,
    found: PairTests,
    again: Callable[..., Outcome],
    *,
    rng: Seed,
    draws: int,
    prior: str,
    model: Modelled,
    alpha: float,
    progress: Progress = None,
) -> PairDraws:
    """Repeat tests under drawn grades.

    ``again(table, rng=…)`` makes them, and returns differences, p values and corrected p values.
    """
    if not draws:
        return PairDraws.none(len(found), "none were asked for")
    labels, tests = _generator(rng).spawn(2)
    require_draws(draws)
    require_choice("prior", prior, COMPLETIONS)
    reason = _why_none(evidence, found, draws, prior, model.depth)
    if reason:
        return PairDraws.none(len(found), reason)
    measure = found.measure
    if prior == Modelled.name:
        scores = complete_scores(evidence, measure, model, rng=labels, shared=True)
    else:
        scores = bootstrap(evidence, measure, rng=labels, prior=prior, draws=draws, joint=True)
    difference, pvalue, adjusted = np.empty((3, len(found), draws))
    report = teller(progress, "draws compared")
    for draw, stream in enumerate(tests.spawn(draws)):
        table = _drawn_table(scores.plain, scores.values[:, :, draw])
        difference[:, draw], pvalue[:, draw], adjusted[:, draw] = again(table, rng=stream)
        report(draw + 1, draws)
    same = np.sign(difference) == np.sign(found.difference)[:, None]
    significant = (adjusted < alpha) & same
    return PairDraws(difference, pvalue, significant.mean(axis=1), same.mean(axis=1))


def _why_none(
    evidence: Evidence, found: PairTests, draws: int, prior: str, depth: int | None
) -> str:
    """Return why no grades can be drawn for these pairs; empty where they can."""
    measure = found.measure
    if not is_drawable(measure):
        return f"{measure} {why_not_drawable(measure)}"
    if not has_non_relevant(evidence):
        return "no judged document is non-relevant; go by the range over judgments"
    deep = "" if prior == Modelled.name else below_pool(evidence, measure, depth)
    if deep:
        return f"{deep}; draw from the relevance model"
    return _too_many(len(found), draws) if len(found) * draws > MOST_DRAWN else ""


def _too_many(pairs: int, draws: int) -> str:
    fewer = "use fewer draws" if pairs <= MOST_DRAWN else "compare with a baseline"
    return f"{draws:,} draws of {counted(pairs, 'pair')} take too much memory; {fewer}"


def _drawn_table(plain: ScoreTable, value: Floats) -> ScoreTable:
    return replace(plain, value=value)


def _generator(rng: Seed) -> np.random.Generator:
    if rng is None:
        raise OptionError(
            "rng: drawn grades need a seed or a numpy Generator; got None. "
            "Hint: pass rng=1, or any other number, and report it; or draws=0."
        )
    return generator(rng)
