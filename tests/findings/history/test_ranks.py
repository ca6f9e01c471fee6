"""Ranks as intervals: against the randomized Dunnett test, brute force, and what is known."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.findings.comparison._resampling import Resamples, resampled_ranks


def table_of(scores: np.ndarray) -> pw.ScoreTable:  # type: ignore[type-arg]
    """Return scores under names that are numbers."""
    systems, topics = (list(map(str, range(n))) for n in scores.shape)
    return pw.ScoreTable.from_matrix(scores, systems=systems, topics=topics, measure="AP")


SCORES = np.random.default_rng(3).beta(1, 3, (9, 30))


def test_each_family_is_a_dunnett_test() -> None:
    """With any run as the baseline, and the same signs, the p values are the same to the bit."""
    table = table_of(SCORES)
    ranks = pw.findings.rank_runs(table, resamples=700, rng=5)
    at = {run: i for i, run in enumerate(ranks.systems)}
    for baseline in table.systems:
        alone = pw.compare_scores(
            table, baseline=baseline, correction="dunnett", resamples=700, rng=5
        )
        for run, p in zip(alone.a, alone.p_adjusted, strict=True):
            assert ranks.pvalue[at[baseline], at[str(run)]] == p


def test_p_values_are_those_of_all_sign_patterns() -> None:
    """On eight topics: the share of all 256 patterns whose largest statistic is as extreme."""
    scores = np.random.default_rng(1).normal(0, 1, (4, 8)) + np.arange(4)[:, None] * 0.6
    ranks = pw.findings.rank_runs(table_of(scores), resamples=20_000)
    at = {run: i for i, run in enumerate(ranks.systems)}
    signs = np.array(list(product((1, -1), repeat=8)))
    for a in range(4):
        deltas = np.array([scores[a] - scores[b] for b in range(4) if b != a])
        units = deltas / np.linalg.norm(deltas, axis=1, keepdims=True)
        most = np.abs(units @ signs.T).max(axis=0)
        for row, b in enumerate(b for b in range(4) if b != a):
            exact = np.mean(most >= abs(units[row].sum()) - 1e-12)
            assert ranks.pvalue[at[str(a)], at[str(b)]] == pytest.approx(exact, abs=0.015)


@given(st.integers(2, 7), st.integers(1, 12), st.integers(0, 10**6))
def test_intervals_follow_from_the_sets(runs: int, topics: int, seed: int) -> None:
    """1 + separably better to all less separably worse; the own rank is inside."""
    scores = np.random.default_rng(seed).integers(0, 4, (runs, topics)) / 3
    ranks = pw.findings.rank_runs(table_of(scores), resamples=99)
    for i, run in enumerate(ranks.systems):
        open_ = {*ranks.not_separable(run), run}
        better = [r for r in ranks.systems[:i] if r not in open_]
        worse = [r for r in ranks.systems[i + 1 :] if r not in open_]
        assert (ranks.low[i], ranks.high[i]) == (1 + len(better), runs - len(worse))
        assert ranks.low[i] <= ranks.rank[i] <= ranks.high[i]
        assert ranks.counts()[i] == len(open_) - 1


def test_few_topics_separate_nothing() -> None:
    """On five topics even a run that wins everywhere does so by chance too often."""
    scores = np.vstack([np.full(5, 0.9), np.linspace(0.1, 0.2, 5)])
    ranks = pw.findings.rank_runs(table_of(scores))
    assert ranks.high.tolist() == [2, 2]
    assert "too few" in " ".join(ranks.sentences())
    more = pw.findings.rank_runs(table_of(np.hstack([scores, scores])))
    assert more.high.tolist() == [1, 2]


def test_the_same_run_twice_is_never_separable() -> None:
    """Its twin has no p value, and both share a rank."""
    ranks = pw.findings.rank_runs(table_of(np.vstack([SCORES[0], SCORES[0], SCORES[1]])))
    twins = [i for i, run in enumerate(ranks.systems) if run in "01"]
    assert np.isnan(ranks.pvalue[twins[0], twins[1]])
    assert ranks.rank[twins[0]] == ranks.rank[twins[1]]


def test_a_result_does_not_depend_on_the_order_of_runs() -> None:
    """Runs come from a folder, in whatever order its files have."""
    table = table_of(SCORES)
    turned = table.select(table.systems[::-1])
    one, other = (pw.findings.rank_runs(t).columns() for t in (table, turned))
    assert one == other


def test_resampled_ranks_are_those_of_resampled_means() -> None:
    """Level runs share the best rank."""
    scores = np.vstack([SCORES, SCORES[0]])
    drawn = resampled_ranks(scores, 1e-12, Resamples.plan(50, rng=1))
    assert (drawn[0] == drawn[-1]).all()
    assert drawn.min() == 1
    assert drawn.max() <= len(scores)
    mean = drawn.mean(axis=1)
    assert mean.argmin() == scores.mean(axis=1).argmax()


def test_groups_are_anchored_and_not_chained() -> None:
    """Neighbours that no test separates make no group: the first of a group decides."""
    steps = np.linspace(0.9, 0.1, 12)[:, None]
    scores = steps + np.random.default_rng(2).normal(0, 0.35, (12, 30))
    ranks = pw.findings.rank_runs(table_of(scores))
    next_to = [ranks.separable[i, i + 1] for i in range(11)]
    assert not any(next_to)
    assert ranks.group.max() > 1
    first = 0
    for i, group in enumerate(ranks.group.tolist()):
        if i and group > ranks.group[i - 1]:
            assert ranks.separable[first, i]
            first = i
        assert i == first or not ranks.separable[first, i]


def test_trec8_gives_the_ranks_that_are_known(data_dir: Path) -> None:
    """Resampled ranks of the first five, to a place; and the wider intervals of separable sets."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    ranks = pw.findings.rank_runs(pw.read_score_matrix(path, measure="AP"))
    published = [(1, 2), (1, 6), (1, 6), (2, 10), (3, 12)]
    spans = zip(ranks.resampled_low, ranks.resampled_high, strict=True)
    for span, expected in zip(spans, published, strict=False):
        assert np.abs(np.subtract(span, expected)).max() <= 1
    width = np.median(ranks.resampled_high - ranks.resampled_low)
    assert width == pytest.approx(27, abs=1)
    assert np.median(ranks.high - ranks.low) == pytest.approx(72, abs=4)


def test_chaining_would_put_all_runs_of_trec8_into_one_group(data_dir: Path) -> None:
    """By Holm's tests, anchored tiers are 4, in which 161 of 4,198 pairs do differ."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    table = pw.read_score_matrix(path, measure="AP")
    compared = pw.compare_scores(table)
    tier = pw.findings.tiers(table, compared)
    assert tier.max() == 4
    left, right = compared.pairs.left, compared.pairs.right
    within = tier[left] == tier[right]
    assert (int((compared.significant() & within).sum()), int(within.sum())) == (161, 4198)
    order = table.order().tolist()
    differing = zip(left[compared.significant()], right[compared.significant()], strict=True)
    differs = {frozenset(pair) for pair in differing}
    assert not any(frozenset(pair) in differs for pair in pairwise(order))
