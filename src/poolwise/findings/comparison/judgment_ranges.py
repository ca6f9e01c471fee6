"""What the unjudged documents leave open in comparisons: by bounds, and by drawn grades."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.unknowns.priors import PRIORS
from poolwise.findings.comparison.corrections import Comparisons
from poolwise.findings.comparison.differences import pair_differences
from poolwise.findings.comparison.pvalue_ranges import t_pvalue_range
from poolwise.scores.treatments.score_distribution import bootstrap, is_drawable

__all__ = ["DifferenceRanges", "DrawnComparisons", "difference_ranges", "drawn_comparisons"]

Progress = Callable[[int, int], None] | None


@dataclass(frozen=True, eq=False)
class DifferenceRanges:
    """What every grading of the unjudged documents leaves to each pair, one entry per pair.

    Attributes
    ----------
    kind : {"exact", "valid", ""}
        Whether the bounds are reached, or only hold; empty where there are none.
    lower, upper : float array
        The range of the mean difference; NaN where not known.
    verdict : str array
        ``certain`` if no grading reverses the order, ``possible`` if one might, else ``unknown``.
    p_low, p_high : float array
        No grading takes the paired t test's p value out of this range; NaN for other tests.
    reason : str
        Why the range is not known.
    """

    kind: str
    lower: Floats
    upper: Floats
    verdict: NDArray[np.str_]
    p_low: Floats
    p_high: Floats
    reason: str = ""

    @classmethod
    def unknown(cls, pairs: int, reason: str) -> "DifferenceRanges":
        """Return ranges that nobody knows, and why."""
        nothing = np.full(pairs, np.nan)
        verdict = np.full(pairs, "unknown")
        return cls("", nothing, nothing, verdict, nothing, nothing, reason)


def difference_ranges(
    evidence: Evidence, found: Comparisons, *, test: str, alternative: str
) -> DifferenceRanges:
    """Bound the difference of every pair that was compared, and its p value."""
    measure, pairs = found.findings.measure, found.findings.sample.pairs
    open_to = pair_differences(evidence, measure, pairs)
    if open_to.kind == "none":
        return DifferenceRanges.unknown(len(pairs), f"a difference in {measure} has no bounds")
    _, lower, upper = open_to.means()
    p_low = p_high = np.full(len(pairs), np.nan)
    if test == "t":
        ends = open_to.lower[:, open_to.defined], open_to.upper[:, open_to.defined]
        p_low, p_high = t_pvalue_range(*ends, alternative=alternative)
    verdict = np.where(open_to.certain, "certain", "possible")
    # The difference was summed in another order; no rounding error may put it outside.
    value = found.findings.difference
    lower, upper = np.minimum(lower, value), np.maximum(upper, value)
    return DifferenceRanges(open_to.kind, lower, upper, verdict, p_low, p_high)


@dataclass(frozen=True, eq=False)
class DrawnComparisons:
    """The same comparisons under drawn grades of the unjudged documents (B23), pairs × draws.

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
    def none(cls, pairs: int, reason: str) -> "DrawnComparisons":
        """Return no draws, and why."""
        nothing = np.full(pairs, np.nan)
        return cls(np.empty((pairs, 0)), np.empty((pairs, 0)), nothing, nothing, reason)

    @property
    def draws(self) -> int:
        """The number of drawn gradings."""
        return self.pvalue.shape[1]

    def p_quantile(self, share: float) -> Floats:
        """Return the p value that this share of the draws does not exceed; NaN without draws."""
        if not self.draws:
            return self.significant
        return np.asarray(np.quantile(self.pvalue, share, axis=1, method="inverted_cdf"))


def drawn_comparisons(
    evidence: Evidence,
    found: Comparisons,
    again: Callable[..., Comparisons],
    *,
    rng: int | np.random.Generator | None,
    draws: int,
    prior: str,
    alpha: float,
    progress: Progress = None,
) -> DrawnComparisons:
    """Repeat comparisons under drawn grades; ``again(table, rng=…)`` makes them."""
    pairs = len(found)
    if not draws:
        return DrawnComparisons.none(pairs, "none were asked for")
    labels, tests = _generator(rng).spawn(2)
    require_choice("prior", prior, PRIORS)
    measure = found.findings.measure
    if not is_drawable(measure):
        return DrawnComparisons.none(pairs, f"{measure!r} is about which documents are judged")
    scores = bootstrap(evidence, measure, rng=labels, prior=prior, draws=draws, joint=True)
    difference, pvalue = np.empty((2, pairs, draws))
    significant = np.empty((pairs, draws), np.bool_)
    for draw, stream in enumerate(tests.spawn(draws)):
        result = again(replace(scores.plain, value=scores.values[:, :, draw]), rng=stream)
        difference[:, draw] = result.findings.difference
        pvalue[:, draw] = result.findings.pvalue
        significant[:, draw] = result.significant(alpha)
        if progress is not None:
            progress(draw + 1, draws)
    same = np.sign(difference) == np.sign(found.findings.difference)[:, None]
    return DrawnComparisons(
        difference, pvalue, (significant & same).mean(axis=1), same.mean(axis=1)
    )


def _generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    if rng is None:
        raise OptionError(
            "rng: drawn grades need a seed or a numpy Generator; got None. "
            "Hint: pass rng=1, or any other number, and report it; or draws=0."
        )
    return np.random.default_rng(rng)
