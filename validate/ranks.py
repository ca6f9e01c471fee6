"""How often intervals of ranks hold the true rank, on topics drawn from Robust 2004."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.findings.history._ranks import rank_runs
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable
from validate.table import Folders, ValidationTable

__all__ = ["Coverage", "coverage_of_ranks", "planted_ties", "ranks_table", "true_ranks"]

SIZES = (25, 50)
TIES = 20
"""Runs that are made truly equal."""
_WORST = 0.93
_CLAIM = (
    "The 249 topics of Robust 2004 (AP, {runs} runs) stand for all topics, and the ranks by their "
    "means for the true ones. Of {trials} samples of 25 or 50 topics, drawn with replacement, the "
    "95% rank interval from the runs that are not separable holds the true rank of the "
    f"worst-covered run in at least {_WORST:.0%}, also with {TIES} runs that are truly equal (its "
    "interval must hold all ranks that they share). The ranks under resampled topics, which are "
    "printed beside it, do not: they are no confidence intervals, and are not called so."
)


@dataclass(frozen=True)
class Coverage:
    """Shares of samples in which intervals hold the true ranks, by run, and their widths."""

    interval: Floats
    resampled: Floats
    width: float
    resampled_width: float


def true_ranks(means: Floats) -> tuple[Integers, Integers]:
    """Return the best and the worst rank that a run shares with those that are level with it.

    Examples
    --------
    >>> [ends.tolist() for ends in true_ranks(np.array([0.3, 0.5, 0.3]))]
    [[2, 1, 2], [3, 1, 3]]
    """
    within = 1e-12
    above = (means[None, :] > means[:, None] + within).sum(axis=1)
    below = (means[None, :] < means[:, None] - within).sum(axis=1)
    return 1 + above, len(means) - below


def planted_ties(scores: Floats, ties: int) -> Floats:
    """Return scores in which so many runs of the middle have the same mean, each shifted to it."""
    order = np.argsort(-scores.mean(axis=1), kind="stable")
    first = (len(order) - ties) // 2
    middle = order[first : first + ties]
    made = scores.copy()
    made[middle] += scores[middle].mean() - scores[middle].mean(axis=1, keepdims=True)
    return made


def coverage_of_ranks(
    scores: Floats, topics: int, *, trials: int, resamples: int = 500, rng: int = 1
) -> Coverage:
    """Draw samples of topics, and count how often each run's intervals hold its true rank."""
    best, worst = true_ranks(scores.mean(axis=1))
    random = np.random.default_rng(rng)
    systems = [*map(str, range(len(scores)))]
    held, resampled = np.zeros(len(scores)), np.zeros(len(scores))
    widths = np.zeros((trials, 2))
    for trial in range(trials):
        drawn = scores[:, random.integers(0, scores.shape[1], topics)]
        names = [*map(str, range(topics))]
        table = ScoreTable.from_matrix(drawn, systems=systems, topics=names, measure="AP")
        ranks = rank_runs(table, resamples=resamples, rng=random)
        at = np.array([int(name) for name in ranks.systems])
        held[at] += (ranks.low <= best[at]) & (ranks.high >= worst[at])
        resampled[at] += (ranks.resampled_low <= best[at]) & (ranks.resampled_high >= worst[at])
        spans = (ranks.high - ranks.low, ranks.resampled_high - ranks.resampled_low)
        widths[trial] = [np.median(span) for span in spans]
    median = np.median(widths, axis=0)
    return Coverage(held / trials, resampled / trials, float(median[0]), float(median[1]))


def ranks_table(folders: Folders, *, trials: int = 500) -> ValidationTable:
    """Return the coverage of both kinds of ranks, plain and with planted ties."""
    path = folders.data / "scores" / "newbestsub" / "R04.csv"
    scores = read_score_matrix(path, measure="AP", rows="systems").value
    rows, worst = [], 1.0
    for ties in (0, TIES):
        population = planted_ties(scores, ties) if ties else scores
        for topics in SIZES:
            coverage = coverage_of_ranks(population, topics, trials=trials)
            worst = min(worst, float(coverage.interval.min()))
            rows.append(
                (
                    str(topics),
                    str(ties or "none"),
                    *(f"{x:.3f}" for x in (coverage.interval.min(), coverage.interval.mean())),
                    f"{coverage.width:.0f}",
                    *(f"{x:.3f}" for x in (coverage.resampled.min(), coverage.resampled.mean())),
                    f"{coverage.resampled_width:.0f}",
                )
            )
    return ValidationTable(
        "Rank intervals that hold the true rank",
        _CLAIM.format(runs=len(scores), trials=f"{trials:,}"),
        (
            *("topics", "equal runs", "interval: worst run", "mean", "median span"),
            *("resampled: worst run", "mean", "median span"),
        ),
        tuple(rows),
        holds=worst >= _WORST,
    )
