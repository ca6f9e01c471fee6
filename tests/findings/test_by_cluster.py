"""Clusters of topics: each counts once, ranges hold over every grading, tests are by cluster."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import poolwise as pw
from poolwise.findings._by_cluster import ScoresByCluster, cluster_table, clusters_of
from poolwise.workflows import compare_by_cluster, evaluate_by_cluster

MADE = pw.simulate(systems=3, topics=24, depth=20, rng=6)
BY = {topic: str(int(topic) // 3) for topic in MADE.judgments.topics}
TABLE = pw.evaluate(MADE.judgments, MADE.runs, "nDCG@10")["nDCG@10"]
TINY = {"1a": {"x": 1, "n": 0}, "1b": {"m": 0}, "2": {"y": 1}}
"""Nothing relevant is known on 1b, so that AP has no score there."""
RUNS = {
    "a": {"1a": {"x": 3.0, "u": 2.0}, "1b": {"v": 3.0, "m": 2.0}, "2": {"w": 3.0, "y": 2.0}},
    "b": {"1a": {"u": 3.0, "n": 2.0}, "1b": {"m": 3.0, "v": 2.0}, "2": {"y": 3.0}},
}
OPEN = (("1a", "u"), ("1b", "v"), ("2", "w"))
CLUSTERS = {"1a": "1", "1b": "1"}


def by_cluster() -> dict[str, list[int]]:
    """Return the places of the topics of each cluster."""
    members = clusters_of(BY, TABLE.topics)
    return {name: [TABLE.topics.index(t) for t in topics] for name, topics in members.items()}


def test_mean_and_interval_are_those_of_cluster_means() -> None:
    """By hand: the mean of each cluster, then Student's interval over clusters."""
    rows = evaluate_by_cluster(MADE.judgments, MADE.runs, "nDCG@10", clusters=BY).columns()
    for run, value in zip(TABLE.systems, TABLE.value, strict=True):
        means = [value[at].mean() for at in by_cluster().values()]
        half = stats.t.ppf(0.975, len(means) - 1) * stats.sem(means)
        i = rows["run"].index(run)
        assert rows["mean"][i] == pytest.approx(np.mean(means))
        assert rows["ci_low"][i] == pytest.approx(np.mean(means) - half)
        assert rows["ci_high"][i] == pytest.approx(np.mean(means) + half)
        assert rows["between"][i] == pytest.approx(np.std(means, ddof=1))
        squares = sum(((value[at] - value[at].mean()) ** 2).sum() for at in by_cluster().values())
        degrees = sum(len(at) - 1 for at in by_cluster().values())
        assert rows["within"][i] == pytest.approx((squares / degrees) ** 0.5)


def test_tests_are_those_of_cluster_means() -> None:
    """The t test and the sign test of scipy on the means of clusters, pair by pair."""
    means = np.stack([TABLE.value[:, at].mean(axis=1) for at in by_cluster().values()], axis=1)
    both = MADE.judgments, MADE.runs, "nDCG@10"
    columns = compare_by_cluster(*both, clusters=BY)["nDCG@10"].columns()
    pairs = ((0, 1), (0, 2), (1, 2))
    raw = [stats.ttest_rel(means[i], means[j]).pvalue for i, j in pairs]
    assert columns["p"] == pytest.approx(raw)
    assert columns["p_adjusted"] == pytest.approx(pw.findings.adjust_pvalues(raw).tolist())
    signs = compare_by_cluster(*both, clusters=BY, test="sign")["nDCG@10"].columns()
    for (i, j), p in zip(pairs, signs["p"], strict=True):
        wins, losses = (means[i] > means[j]).sum(), (means[i] < means[j]).sum()
        assert p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_resampling_is_by_cluster() -> None:
    """Eight clusters have 256 assignments of signs: the randomization test is exact over them."""
    means = np.stack([TABLE.value[:, at].mean(axis=1) for at in by_cluster().values()], axis=1)
    deltas = means[0] - means[1]
    sums = [abs(np.dot(signs, deltas)) for signs in product((1, -1), repeat=len(deltas))]
    exact = np.mean(np.array(sums) >= abs(deltas.sum()) - 1e-12)
    differences = compare_by_cluster(
        MADE.judgments, MADE.runs, "nDCG@10", clusters=BY, test="randomization"
    )["nDCG@10"]
    assert differences.columns()["p"][0] == pytest.approx(exact, abs=0.02)


def gradings() -> list[dict[str, dict[str, int]]]:
    """Return every completion of the tiny judgments."""
    completions = []
    for grades in product((0, 1), repeat=len(OPEN)):
        done = {topic: dict(judged) for topic, judged in TINY.items()}
        for (topic, document), grade in zip(OPEN, grades, strict=True):
            done[topic][document] = grade
        completions.append(done)
    return completions


@pytest.mark.parametrize("measure", ["P@2", "AP", "nDCG@2"])
def test_no_grading_leaves_the_ranges_and_some_reach_them(measure: str) -> None:
    """Means over clusters and their differences, over all gradings of what is unjudged."""
    rows = evaluate_by_cluster(TINY, RUNS, measure, clusters=CLUSTERS).columns()
    pair = compare_by_cluster(TINY, RUNS, measure, clusters=CLUSTERS).columns()
    means = {"a": [], "b": []}
    for grades in gradings():
        table = pw.evaluate(grades, RUNS, measure, bounds="none").scores[0]
        clustered = cluster_table(table, clusters_of(CLUSTERS, table.topics))
        for run, mean in zip(clustered.systems, clustered.means().tolist(), strict=True):
            means[run].append(mean)
    for run, values in means.items():
        i = rows["run"].index(run)
        assert rows["lower"][i] == pytest.approx(min(values))
        assert rows["upper"][i] == pytest.approx(max(values))
    differences = np.subtract(means["a"], means["b"])
    assert pair["bound_low"][0] == pytest.approx(differences.min())
    assert pair["bound_high"][0] == pytest.approx(differences.max())


def test_variants_that_are_alike_do_not_narrow_the_interval() -> None:
    """Intervals over clusters of variants hold as often as they say, and plain ones do not."""
    rng, held, plain = np.random.default_rng(3), 0, 0
    names = [f"{c}-{v}" for c in range(12) for v in range(10)]
    clusters = clusters_of({name: name.split("-")[0] for name in names}, names)
    for _ in range(300):
        centres = np.repeat(rng.normal(0.5, 0.1, 12), 10)
        scores = (centres + rng.normal(0, 0.03, 120))[None]
        table = pw.ScoreTable.from_matrix(scores, systems=["a"], topics=names, measure="AP")
        low, high = ScoresByCluster(table, clusters).of_clusters.interval()
        held += bool(low[0] <= 0.5 <= high[0])
        low, high = table.interval()
        plain += bool(low[0] <= 0.5 <= high[0])
    assert held / 300 == pytest.approx(0.95, abs=0.03)
    assert plain / 300 < 0.6


def test_a_topic_without_a_cluster_is_one_of_its_own(tmp_path: Path) -> None:
    """A file needs to name the variants alone, and without any the numbers are the plain ones."""
    (tmp_path / "variants.txt").write_text("1a 1\n1b\t1\n")
    scores = evaluate_by_cluster(TINY, RUNS, "P@2", clusters=tmp_path / "variants.txt")["P@2"]
    assert {name: len(topics) for name, topics in scores.clusters.items()} == {"1": 2, "2": 1}
    alone = evaluate_by_cluster(TINY, RUNS, "P@2", clusters={"2": "x"})["P@2"]
    plain = pw.evaluate(TINY, RUNS, "P@2")["P@2"]
    assert alone.columns()["mean"] == pytest.approx(plain.means()[plain.order()].tolist())
    with pytest.raises(pw.OptionError, match="clusters: 'nosuch' is no file"):
        evaluate_by_cluster(TINY, RUNS, "P@2", clusters="nosuch")


def test_too_few_clusters_are_told_and_reversible_pairs_are_counted() -> None:
    """Two clusters call nothing significant, and say so; what judging could reverse is said."""
    made = pw.simulate(systems=6, topics=40, depth=20, rng=3)
    halves = {topic: str(i % 2) for i, topic in enumerate(made.judgments.topics)}
    few = pw.workflows.compare_by_cluster(made.judgments, made.runs, "P@5", clusters=halves)
    assert "2 clusters are too few" in few["P@5"].sentences()[0]
    assert "with p = 0.5, and it takes 6 clusters" in few["P@5"].sentences()[0]
    shallow = pw.nominate(made.truth, made.runs).depth_pool(2, systems=made.runs.systems[:2])
    twos = {topic: str(i // 2) for i, topic in enumerate(made.judgments.topics)}
    differences = pw.workflows.compare_by_cluster(shallow, made.runs, "P@5", clusters=twos)["P@5"]
    low, high = differences.mean_bounds()
    chosen = differences.comparisons.significant()
    ahead = differences.comparisons.difference > 0
    turned = int((chosen & np.where(ahead, low < 0, high > 0)).sum())
    assert turned > 0
    assert f"{turned} of which judging could reverse" in differences.sentences()[0]


def test_a_topic_that_is_called_as_a_cluster_is_not_in_it() -> None:
    """Clusters are often numbers, as topics are: only the file says who is in one."""
    members = clusters_of({"1a": "2", "1b": "2"}, ["1a", "1b", "2"])
    assert members == {"2": ("1a", "1b"), "2 (alone)": ("2",)}


def test_clusters_of_other_topics_are_refused() -> None:
    """With none of the topics in it, each would be a cluster of its own, and nobody told."""
    for call in (evaluate_by_cluster, compare_by_cluster):
        with pytest.raises(pw.PoolwiseError, match="topics that are scored must be in a cluster"):
            call(MADE.judgments, MADE.runs, "P@5", clusters={"999": "a"})


def test_a_single_cluster_has_no_interval_and_none_is_shown() -> None:
    """No sentence has a dash where an interval would stand."""
    one = dict.fromkeys(MADE.judgments.topics, "all")
    said = evaluate_by_cluster(MADE.judgments, MADE.runs, "P@5", clusters=one)["P@5"].sentences()
    assert "(–)" not in said[0]
    assert " over clusters; as if topics were independent, the interval would be 0." in said[0]
