"""Ranks as intervals: what the topics separate from a run, and what they do not."""

from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, levels
from poolwise.findings.comparison._comparisons import anchored_tiers
from poolwise.findings.comparison._resampling import (
    Resamples,
    all_baselines_pvalues,
    resampled_ranks,
)
from poolwise.findings.comparison._significance import fewest_topics
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha, level_text
from poolwise.words import are, counted, have, named

__all__ = ["RankIntervals", "rank_runs"]

_NAMED = 8


@finding
class RankIntervals(Finding):
    """The runs of one collection by their mean, each with the ranks that its topics leave open.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    systems : tuple of str
        The runs, the best mean first.
    mean : float array, systems
        Their means.
    pvalue : float array, systems × systems
        Row a has the p values of a against each other run, two-sided, corrected for all comparisons
        of a (max-T over topics). The family of b is another one, so the two may differ.
    resampled_low, resampled_high : int array, systems
        Between which ranks a run is in 1 − alpha of the resamples of topics.
    topics : int
        Topics on which every run has a score.
    omitted : int
        Topics that were left out, since a run has no score there.
    alpha : float
        The level of the corrected p values; intervals have the level 1 − alpha.
    resamples : int
        How many sign patterns, and how many samples of topics, were drawn.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7] * 3, [0.8, 0.9, 0.7] * 3, [0.2, 0.1, 0.3] * 3]
    >>> table = ScoreTable.from_matrix(scores, systems="abc", topics="123456789", measure="AP")
    >>> ranks = rank_runs(table)
    >>> ranks.low.tolist(), ranks.high.tolist(), ranks.not_separable("b")
    ([1, 1, 3], [2, 2, 3], ('a',))
    """

    measure: Measure
    systems: tuple[str, ...]
    mean: Floats
    pvalue: Floats
    resampled_low: Integers
    resampled_high: Integers
    topics: int
    omitted: int = 0
    alpha: float = 0.05
    resamples: int = 1000

    @cached_property
    def separable(self) -> Booleans:
        """Row a says which runs are separable from a."""
        enough = self.topics >= fewest_topics(self.alpha, "two-sided")
        return np.asarray((self.pvalue < self.alpha) & enough)

    @cached_property
    def rank(self) -> Integers:
        """One more than the number of runs above; level means share a rank."""
        place = levels(self.mean, _within(self.mean))
        return np.asarray(1 + (place[:, None] < place[None, :]).sum(axis=1))

    @cached_property
    def low(self) -> Integers:
        """The best rank that is left open: 1 + the runs that are separably better."""
        better = self.separable & (self.rank[None, :] < self.rank[:, None])
        return np.asarray(1 + better.sum(axis=1))

    @cached_property
    def high(self) -> Integers:
        """The worst rank that is left open: all runs less those that are separably worse."""
        worse = self.separable & (self.rank[None, :] > self.rank[:, None])
        return np.asarray(len(self.systems) - worse.sum(axis=1))

    @cached_property
    def group(self) -> Integers:
        """Groups to draw, 1 the first: the best run, then the best that is separable from it, ….

        Runs of one group may yet differ from each other: a group is a drawing and no finding.
        """
        return anchored_tiers(self.separable, np.arange(len(self.systems)))

    def not_separable(self, run: str) -> tuple[str, ...]:
        """Return the runs that are not separable from this one, the best mean first.

        It is no group of equals: what is not separable from two runs may separate them.
        """
        at = self.systems.index(run)
        others = np.flatnonzero(~self.separable[at]).tolist()
        return tuple(self.systems[s] for s in others if s != at)

    def counts(self) -> Integers:
        """Return how many runs are not separable from each run."""
        return np.asarray(len(self.systems) - 1 - self.separable.sum(axis=1))

    def columns(self) -> Columns:
        """Return one row per run, the best mean first."""
        return {
            "run": list(self.systems),
            "measure": [str(self.measure)] * len(self.systems),
            "mean": self.mean.tolist(),
            "rank": self.rank.tolist(),
            "rank_low": self.low.tolist(),
            "rank_high": self.high.tolist(),
            "resampled_low": self.resampled_low.tolist(),
            "resampled_high": self.resampled_high.tolist(),
            "not_separable": self.counts().tolist(),
            "group": self.group.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run."""
        level = level_text(1 - self.alpha)
        columns = self.columns()
        cells: dict[Column, list[Cell]] = {
            Column("rank"): columns["rank"],
            Column("run"): columns["run"],
            Column("mean", digits=4): columns["mean"],
            Column(f"{level} rank interval"): _spans(columns["rank_low"], columns["rank_high"]),
            Column("not separable from"): columns["not_separable"],
            Column("rank under resampled topics", rank=1): _spans(
                columns["resampled_low"], columns["resampled_high"]
            ),
        }
        runs, topics = counted(len(columns["run"]), "run"), counted(self.topics, "topic")
        title = f"{self.measure}: {runs}, {topics}"
        return (Table.by_column(cells, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say what is not separable from the best run, and what the two kinds of ranks are."""
        first, number = self.systems[0], int(self.counts()[0])
        others = named(self.not_separable(first), most=_NAMED)
        width = int(np.median(self.high - self.low))
        resampled = int(np.median(self.resampled_high - self.resampled_low))
        return (
            f"{first} has the highest mean {self.measure}; {counted(number, 'other run')} "
            f"{are(number)} not separable from it" + (f": {others}." if number else "."),
            *self._few(),
            (
                "A rank interval goes from 1 + the runs that are separably better to the number "
                "of runs less those that are separably worse, by the paired differences over "
                "topics, corrected for all comparisons of the run (max-T, alpha "
                f"{self.alpha:g}, {self.resamples:,} resamples); it spans "
                f"{counted(width, 'place')} in the median."
            ),
            (
                f"Not separable is not equal, and not transitive. The rank under resampled topics "
                f"(median span {counted(resampled, 'place')}) is no confidence interval: for some "
                "runs, and for runs that are truly equal, it misses the true rank far too often."
            ),
            *self._left_out(),
        )

    def _few(self) -> tuple[str, ...]:
        needed = fewest_topics(self.alpha, "two-sided")
        if self.topics >= needed:
            return ()
        short = f"{counted(self.topics, 'topic')} {are(self.topics)} too few to separate any runs"
        return (f"{short} at {self.alpha:g}: it takes {needed}.",)

    def _left_out(self) -> tuple[str, ...]:
        if not self.omitted:
            return ()
        return ((f"{counted(self.omitted, 'topic')} on which a score is undefined "
                f"{have(self.omitted)} no part in this."),)  # fmt: skip


def _within(means: Floats) -> float:
    return 1e-12 * float(np.abs(means).max(initial=0.0))


def _spans(low: list[int], high: list[int]) -> list[Cell]:
    return [f"{a}–{b}" for a, b in zip(low, high, strict=True)]


@recorded
def rank_runs(
    table: ScoreTable,
    *,
    alpha: float = 0.05,
    resamples: int = 1000,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> RankIntervals:
    """Rank runs, and say between which ranks each may be, by the runs not separable from it.

    Parameters
    ----------
    alpha
        The chance that any comparison of a run separates it from one that is truly level with it,
        or puts the two the wrong way round.
    resamples
        How many patterns of signs, and how many samples of topics, are drawn.

    Returns
    -------
    RankIntervals
        The runs, the best mean first, with both kinds of ranks.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7] * 3, [0.2, 0.1, 0.3] * 3]
    >>> table = ScoreTable.from_matrix(scores, systems="ab", topics="123456789", measure="AP")
    >>> print(rank_runs(table).sentences()[0])
    a has the highest mean AP; 0 other runs are not separable from it.
    """
    check_alpha(alpha)
    order = table.order()
    scores = np.ascontiguousarray(table.value[order][:, table.defined])
    planned = Resamples.plan(resamples, rng=rng)
    drawn = resampled_ranks(scores, table.tolerance, planned)
    ends = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1, method="inverted_cdf")
    return RankIntervals(
        measure=table.measure,
        systems=tuple(table.systems[s] for s in order.tolist()),
        mean=scores.mean(axis=1),
        pvalue=all_baselines_pvalues(scores, table.tolerance, planned),
        resampled_low=ends[0],
        resampled_high=ends[1],
        topics=scores.shape[1],
        omitted=int((~table.defined).sum()),
        alpha=alpha,
        resamples=resamples,
        provenance=table.provenance,
    )
