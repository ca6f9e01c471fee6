"""Comparisons that say how sure they are over topics and over judgments, side by side."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from poolwise.errors import OptionError
from poolwise.evidence.evidence import Evidence
from poolwise.findings.comparison.corrections import Comparisons, compare_systems
from poolwise.findings.comparison.discrimination import check_alpha
from poolwise.findings.comparison.judgment_ranges import (
    DifferenceRanges,
    DrawnComparisons,
    difference_ranges,
    drawn_comparisons,
)
from poolwise.findings.comparison.pair_comparison import PairComparison
from poolwise.findings.comparison.pair_test import left_out
from poolwise.measures.measure import Measure
from poolwise.printout.columns import Backend, Columns, to_frame
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score

__all__ = ["TwoUncertainties", "compare"]

MOST_RESAMPLES = 1000
"""How many resamples a randomized test takes in each drawn grading."""

SCORES_ALONE = "scores alone do not say which documents were judged"


@dataclass(frozen=True, eq=False)
class TwoUncertainties:
    """Comparisons of systems with both uncertainties; item ``i`` is a :class:`PairComparison`.

    Attributes
    ----------
    over_topics : Comparisons
        Difference, interval, p value and its correction: what another sample of topics could give.
    ranges : DifferenceRanges
        What every grading of the unjudged documents leaves.
    drawn : DrawnComparisons
        What plausible gradings of them give.
    alpha : float
        The significance level; intervals have the level 1 − alpha.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> topics = [str(t) for t in range(6)]
    >>> runs = Runs.from_rankings({
    ...     "new": {t: ["a", "b", "x"] for t in topics},
    ...     "old": {t: ["c", "a", "y"] if t > "1" else ["b", "a", "y"] for t in topics}})
    >>> grades = {"a": 1, "b": 1, "c": 0, "d": 1}
    >>> found = compare(align(Judgments.from_dict({t: grades for t in topics}), runs), "P@3",
    ...                 rng=1)
    >>> print(found[0])
    new is ahead of old by 0.2222 in P@3. Over topics: 95% interval 0.0416 to 0.4029, p = 0.02503
    (paired t test, 6 topics). Over judgments: the unjudged documents leave -0.1111 to 0.5556 and
    could reverse the order; of 200 drawn gradings 100% keep the order and 65% the significance.
    """

    over_topics: Comparisons
    ranges: DifferenceRanges
    drawn: DrawnComparisons
    alpha: float = 0.05

    def __len__(self) -> int:
        return len(self.over_topics)

    def __getitem__(self, i: int) -> PairComparison:
        ranges, drawn = self.ranges, self.drawn
        return PairComparison(
            finding=self.over_topics[i],
            alpha=self.alpha,
            bound_low=float(ranges.lower[i]),
            bound_high=float(ranges.upper[i]),
            verdict=str(ranges.verdict[i]),
            p_low=float(ranges.p_low[i]),
            p_high=float(ranges.p_high[i]),
            draws=drawn.draws,
            drawn_significant=float(drawn.significant[i]),
            drawn_same_order=float(drawn.same_order[i]),
            unknown=ranges.reason,
        )

    def __iter__(self) -> Iterator[PairComparison]:
        return (self[i] for i in range(len(self)))

    @property
    def measure(self) -> Measure:
        """What the systems were scored by."""
        return self.over_topics.findings.measure

    def columns(self, *, details: bool = False) -> Columns:
        """Return one row per pair, as named columns; with details also how they came about."""
        topics = self.over_topics.columns(1 - self.alpha)
        ranges = self.ranges
        judgments: Columns = {
            "bound_low": ranges.lower.tolist(),
            "bound_high": ranges.upper.tolist(),
            "verdict": ranges.verdict.tolist(),
        }
        names = list(topics)
        cut, end = names.index("wins"), names.index("losses") + 1
        first = {name: topics[name] for name in names[:cut]}
        counts = {name: topics[name] for name in names[cut:end]}
        more = {name: topics[name] for name in names[end:]} | self._details() if details else {}
        return first | judgments | counts | more

    def _details(self) -> Columns:
        drawn, pairs = self.drawn, len(self)
        return {
            "p_low": self.ranges.p_low.tolist(),
            "p_high": self.ranges.p_high.tolist(),
            "bound_kind": [self.ranges.kind] * pairs,
            "draws": [drawn.draws] * pairs,
            "drawn_significant": drawn.significant.tolist(),
            "drawn_same_order": drawn.same_order.tolist(),
            "drawn_p_median": drawn.p_quantile(0.5).tolist(),
            "drawn_p_95": drawn.p_quantile(0.95).tolist(),
        }

    def to_frame(self, *, backend: Backend = "pandas") -> Any:
        """Return a frame with one row per pair and every column."""
        return to_frame(self.columns(details=True), backend=backend)

    def __str__(self) -> str:
        significant = self.over_topics.significant(self.alpha)
        settled = self.ranges.verdict == "certain"
        known = f"; of these {int((significant & settled).sum()):,} in an order that is certain"
        counts = f"{int(significant.sum()):,} of {len(self):,} pairs significant at {self.alpha:g}"
        return (
            f"{self.measure}: {self.over_topics.findings.test}, {self.over_topics.label}\n"
            f"  {counts}{'' if self.ranges.reason else known}"
            + "".join(f"\n  {reason}" for reason in self.reasons())
        )

    def reasons(self) -> tuple[str, ...]:
        """Say what is not known, and why."""
        findings = self.over_topics.findings
        missing = int(np.isnan(findings.pvalue).sum())
        omitted = left_out(findings.sample.omitted)
        ranges, drawn = self.ranges.reason, self.drawn.reason
        both = ranges == drawn
        found = (
            (missing, f"{missing:,} without a p value: nothing varies over topics"),
            (omitted, f"left out: {omitted}"),
            (ranges and both, f"nothing known of the judgments: {ranges}"),
            (ranges and not both, f"range over judgments not known: {ranges}"),
            (drawn and not both, f"no drawn grades: {drawn}"),
        )
        return tuple(text for applies, text in found if applies)


def compare(
    source: Evidence | ScoreTable,
    measure: Measure | str | None = None,
    *,
    baselines: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    correction: str = "holm",
    resamples: int = 10_000,
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = None,
    draws: int = 200,
    prior: str = "pool+run",
    progress: Callable[[int, int], None] | None = None,
) -> TwoUncertainties:
    """Compare systems, and say how sure each difference is over topics and over judgments.

    Parameters
    ----------
    source : Evidence or ScoreTable
        Runs met with judgments; or scores, and then nothing is known of the judgments.
    measure : Measure or str
        What to score evidence by; a score table has its own.
    baselines, test, alternative, correction, resamples
        As for :func:`~poolwise.compare_systems`.
    alpha : float
        The significance level, for the share of draws that stay significant.
    rng : int or numpy.random.Generator
        For randomized tests and for drawn grades.
    draws, prior
        How many gradings to draw, jointly for all runs, and where their odds come from: see
        :func:`~poolwise.bootstrap`. 0 draws none. In each, randomized tests take 1,000 resamples
        at most.
    progress
        Called with the number of draws compared, and of all draws.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5]],
    ...                                systems=["new", "old"], topics="1234", measure="AP")
    >>> print(compare(table))
    AP: paired t test, Holm; all pairs of 2 systems: 1 comparisons
      1 of 1 pairs significant at 0.05
      nothing known of the judgments: scores alone do not say which documents were judged
    """
    check_alpha(alpha)
    scored = _scored(source, measure)
    again = partial(
        compare_systems,
        baselines=baselines,
        test=test,
        alternative=alternative,
        correction=correction,
    )
    found = again(scored, resamples=resamples, rng=rng)
    if isinstance(source, ScoreTable):
        unknown = DifferenceRanges.unknown(len(found), SCORES_ALONE)
        none = DrawnComparisons.none(len(found), SCORES_ALONE)
        return TwoUncertainties(found, unknown, none, alpha)
    drawn = drawn_comparisons(
        source,
        found,
        partial(again, resamples=min(resamples, MOST_RESAMPLES)),
        rng=rng,
        draws=draws,
        prior=prior,
        alpha=alpha,
        progress=progress,
    )
    ranges = difference_ranges(source, found, test=test, alternative=alternative)
    return TwoUncertainties(found, ranges, drawn, alpha)


def _scored(source: Evidence | ScoreTable, measure: Measure | str | None) -> ScoreTable:
    """Return the scores to compare; evidence needs a measure, and a table has one."""
    if isinstance(source, ScoreTable) != (measure is None):
        raise OptionError(
            f"measure: evidence is scored by a measure, and a score table has its own; got "
            f"{measure!r}. Hint: give one with evidence alone."
        )
    return source if isinstance(source, ScoreTable) else score(source, measure or "", bounds="none")
