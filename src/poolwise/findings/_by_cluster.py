"""Scores and differences over clusters of topics, such as the variants of one query."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import Differences
from poolwise.findings.comparison._significance import fewest_topics, too_few_words
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import mean_range
from poolwise.words import (
    are,
    counted,
    in_brackets,
    named,
    p_text,
    p_words,
    range_text,
    range_texts,
    signed,
)

__all__ = ["DifferencesByCluster", "ScoresByCluster", "cluster_table", "clusters_of"]


def clusters_of(by: Mapping[str, str], topics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the topics of each cluster; a topic that is in none is one of its own.

    Examples
    --------
    >>> clusters_of({"1a": "1", "1b": "1"}, ["1a", "1b", "2"])
    {'1': ('1a', '1b'), '2': ('2',)}
    """
    if not any(topic in by for topic in topics):
        raise OptionError(
            "clusters: at least one of the topics that are scored must be in a cluster, and none "
            f"is; got {named([str(topic) for topic in by], most=3)}. Hint: use the ids of the "
            "judgments."
        )
    clusters: dict[tuple[str, bool], list[str]] = {}
    for topic in topics:
        # A cluster may be called as a topic is that is in none.
        clusters.setdefault((by.get(topic, topic), topic in by), []).append(topic)
    taken = {name for name, is_given in clusters if is_given}
    return {
        f"{name} (alone)" if name in taken and not is_given else name: tuple(members)
        for (name, is_given), members in clusters.items()
    }


def _averaged(cells: Floats, members: Sequence[Sequence[int]]) -> Floats:
    """Return the means over the columns of each cluster, those that are defined."""
    filled = np.where(np.isnan(cells), 0.0, cells)
    sums = np.stack([filled[:, list(at)].sum(axis=1) for at in members], axis=1)
    counts = np.stack([(~np.isnan(cells[:, list(at)])).sum(axis=1) for at in members], axis=1)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def _ranges(cells: Sequence[Floats], members: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """Return the range of the mean of each cluster: topics without a score may enter it."""
    value, lower, upper = cells
    ranges = [mean_range(value[:, at], lower[:, at], upper[:, at]) for at in map(list, members)]
    low, high = (np.stack(ends, axis=1) for ends in zip(*ranges, strict=True))
    return low, high


def _places(topics: Sequence[str], clusters: Mapping[str, Sequence[str]]) -> list[list[int]]:
    at = {topic: t for t, topic in enumerate(topics)}
    return [[at[topic] for topic in members] for members in clusters.values()]


def cluster_table(table: ScoreTable, clusters: Mapping[str, Sequence[str]]) -> ScoreTable:
    """Return a table in which each cluster is a topic, whose score is the mean over its topics.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.2, 0.4, 0.9]], systems=["a"], topics=["1a", "1b", "2"],
    ...                                measure="AP")
    >>> cluster_table(table, {"1": ("1a", "1b"), "2": ("2",)}).value.round(4).tolist()
    [[0.3, 0.9]]
    """
    members = _places(table.topics, clusters)
    lower, upper = _ranges((table.value, table.lower, table.upper), members)
    return replace(
        table,
        topics=tuple(clusters),
        value=_averaged(table.value, members),
        lower=lower,
        upper=upper,
        answered=np.stack([table.answered[:, at].any(axis=1) for at in members], axis=1),
        of_means=(),
        tail=None,
    )


def _spread_within(cells: Floats, members: Sequence[Sequence[int]]) -> Floats:
    """Return the standard deviation within clusters, pooled over those of several topics."""
    squares, degrees = np.zeros(len(cells)), np.zeros(len(cells))
    for at in members:
        part = cells[:, list(at)]
        count = (~np.isnan(part)).sum(axis=1)
        centre = np.divide(np.nansum(part, axis=1), count, where=count > 0, out=np.zeros(len(part)))
        squares += np.nansum((part - centre[:, None]) ** 2, axis=1)
        degrees += np.maximum(count - 1, 0)
    return np.sqrt(np.divide(squares, degrees, out=np.full(len(cells), np.nan), where=degrees > 0))


def _sizes_sentence(clusters: Mapping[str, Sequence[str]]) -> str:
    topics, several = sum(map(len, clusters.values())), sum(len(m) > 1 for m in clusters.values())
    return (
        f"{counted(topics, 'topic')} in {counted(len(clusters), 'cluster')}, {several:,} of them "
        "with several topics; each cluster counts once, and intervals and tests are over clusters."
    )


@finding
class ScoresByCluster(Finding):
    """The mean scores of runs over clusters of topics, and how far scores vary within them.

    Attributes
    ----------
    table : ScoreTable
        The scores by topic.
    clusters : dict from str to tuple of str
        The topics of each cluster.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.2, 0.4, 0.9, 0.7]], systems=["a"],
    ...                                topics=["1a", "1b", "2a", "2b"], measure="AP")
    >>> scores = ScoresByCluster(table, {"1": ("1a", "1b"), "2": ("2a", "2b")})
    >>> scores.columns()["mean"], [round(deviation, 4) for deviation in scores.columns()["within"]]
    ([0.55], [0.1414])
    """

    table: ScoreTable
    clusters: Mapping[str, tuple[str, ...]]

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return self.table.measure

    @cached_property
    def of_clusters(self) -> ScoreTable:
        """The scores by cluster, each of which is a topic there."""
        return cluster_table(self.table, self.clusters)

    def within(self) -> Floats:
        """Return how far the scores of each run vary within clusters, as a standard deviation."""
        return _spread_within(self.table.value, _places(self.table.topics, self.clusters))

    def between(self) -> Floats:
        """Return how far they vary from cluster to cluster."""
        cells = self.of_clusters.value[:, self.of_clusters.defined]
        if cells.shape[1] < 2:
            return np.full(len(cells), np.nan)
        return np.asarray(cells.std(axis=1, ddof=1))

    def columns(self) -> Columns:
        """Return one row per run, the best mean first."""
        of_clusters, order = self.of_clusters, self.of_clusters.order()
        low, high = of_clusters.interval()
        least, most = of_clusters.mean_bounds()
        numbers = {
            "mean": of_clusters.means(),
            "ci_low": low,
            "ci_high": high,
            "lower": least,
            "upper": most,
            "within": self.within(),
            "between": self.between(),
        }
        return {
            "measure": [str(self.measure)] * len(order),
            "run": [of_clusters.systems[s] for s in order.tolist()],
            "clusters": [int(of_clusters.defined.sum())] * len(order),
            "topics": [int(self.table.defined.sum())] * len(order),
            **{name: cells[order].tolist() for name, cells in numbers.items()},
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, with what topics and judgments leave open."""
        cells = self.columns()
        columns = {
            Column("run"): cells["run"],
            Column("mean", 4): cells["mean"],
            Column("95% over clusters"): range_texts(cells["ci_low"], cells["ci_high"]),
            Column(self.table.range_title): range_texts(cells["lower"], cells["upper"]),
            Column("within", 4): cells["within"],
            Column("between", 4, rank=1): cells["between"],
        }
        clusters = counted(int(self.of_clusters.defined.sum()), "cluster")
        title = f"{self.measure}: {counted(len(self.table.systems), 'run')}, {clusters}"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say what the best mean is, how wide a plain interval would be, and what was clustered."""
        of_clusters = self.of_clusters
        best = int(of_clusters.order()[0])
        (low, high), (plain_low, plain_high) = of_clusters.interval(), self.table.interval()
        plain = range_text(plain_low[best], plain_high[best])
        independent = f"as if topics were independent, the interval would be {plain}"
        if np.isnan(plain_low[best]):
            independent = "nothing is known of how far it would vary"
        return (
            (
                f"{of_clusters.systems[best]} has the highest mean {self.measure}, "
                f"{of_clusters.means()[best]:.4f}{in_brackets(low[best], high[best])} over "
                f"clusters; {independent}."
            ),
            _sizes_sentence(self.clusters),
            (
                "Within and between are standard deviations of scores: of the topics of one "
                "cluster, and of the means of clusters."
            ),
        )


@finding
class DifferencesByCluster(Finding):
    """How pairs of runs differ over clusters of topics.

    Attributes
    ----------
    comparisons : Comparisons
        The pairs by the means of clusters, tested and corrected.
    differences : Differences
        The same pairs by topic, with what the unjudged documents leave open.
    clusters : dict from str to tuple of str
        The topics of each cluster.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.workflows import compare_by_cluster
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> pairs = {t: str(int(t) // 2) for t in made.judgments.topics}
    >>> differences = compare_by_cluster(made.judgments, made.runs, "P@10", clusters=pairs)["P@10"]
    >>> differences.columns()["clusters"], differences.columns()["topics"]
    ([16], [30])
    """

    comparisons: Comparisons
    differences: Differences
    clusters: Mapping[str, tuple[str, ...]]

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return self.comparisons.measure

    @cached_property
    def _members(self) -> list[list[int]]:
        return _places(self.differences.topics, self.clusters)

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the range of the mean difference over clusters of each pair."""
        value = self.differences.value
        cells = (value, self.differences.lower, self.differences.upper)
        ranges = _ranges(cells, self._members)
        low, high = mean_range(_averaged(value, self._members), *ranges)
        # The difference was summed in another order; no rounding error may put it outside.
        return np.fmin(low, self.comparisons.difference), np.fmax(high, self.comparisons.difference)

    def within(self) -> Floats:
        """Return how far the differences of each pair vary within clusters."""
        return _spread_within(self.differences.value, self._members)

    def columns(self) -> Columns:
        """Return one row per pair."""
        comparisons = self.comparisons
        low, high = self.mean_bounds()
        numbers = {
            "difference": comparisons.difference,
            "ci_low": comparisons.ci_low,
            "ci_high": comparisons.ci_high,
            "p": comparisons.pvalue,
            "p_adjusted": comparisons.p_adjusted,
            "bound_low": low,
            "bound_high": high,
            "within": self.within(),
            "wins": comparisons.wins,
            "ties": comparisons.ties,
            "losses": comparisons.losses,
        }
        topics = int((~np.isnan(self.differences.value)).all(axis=0).sum())
        return {
            "measure": [str(self.measure)] * len(comparisons),
            "a": comparisons.a.tolist(),
            "b": comparisons.b.tolist(),
            "clusters": comparisons.n.tolist(),
            "topics": [topics] * len(comparisons),
            **{name: cells.tolist() for name, cells in numbers.items()},
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per pair, with what topics and judgments leave open."""
        cells = self.columns()
        outcome = zip(cells["wins"], cells["ties"], cells["losses"], strict=True)
        columns = {
            Column("a"): cells["a"],
            Column("b"): cells["b"],
            Column("difference", 4): cells["difference"],
            Column("p corrected"): [p_text(p) for p in cells["p_adjusted"]],
            Column("95% over clusters"): range_texts(cells["ci_low"], cells["ci_high"]),
            Column("range if judged", rank=1): range_texts(cells["bound_low"], cells["bound_high"]),
            Column("within", 4, rank=2): cells["within"],
            Column("wins/ties/losses", rank=2): ["/".join(map(str, counts)) for counts in outcome],
        }
        test, correction = self.comparisons.test, self.comparisons.correction
        title = f"{self.measure}: {test} over clusters; {correction}"
        return (Table.by_column(columns, title=title),)

    def _significance(self, low: Floats, high: Floats) -> str:
        """Say how many pairs differ, and how many of them judging could reverse."""
        comparisons = self.comparisons
        needed = fewest_topics(comparisons.alpha, comparisons.tests.sided)
        if len(self.clusters) < needed:
            few = too_few_words(
                len(self.clusters), "cluster", comparisons.alpha, comparisons.tests.sided
            )
            normal = "A smaller p supposes normal differences, of which so few say nothing."
            return f"{few} {normal}" if (comparisons.p_adjusted < comparisons.alpha).any() else few
        chosen = comparisons.significant()
        opposite = np.where(comparisons.difference > 0, low < 0, high > 0) & chosen
        significant, reversible = int(chosen.sum()), int(opposite.sum())
        turned = f", {reversible:,} of which judging could reverse" if reversible else ""
        return (
            f"{significant:,} of {counted(len(comparisons), 'pair')} in {self.measure} "
            f"{are(significant)} significantly different at {comparisons.alpha:g} over "
            f"clusters{turned}."
        )

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs differ, what the first one's difference is, and what was clustered."""
        comparisons = self.comparisons
        low, high = self.mean_bounds()
        p = (
            p_words(float(comparisons.p_adjusted[0]))
            if not np.isnan(comparisons.p_adjusted[0])
            else "no test"
        )
        return (
            self._significance(low, high),
            (
                f"{comparisons.a[0]} − {comparisons.b[0]} is "
                f"{signed(float(comparisons.difference[0]))} ({p}); "
                f"judging leaves {range_text(low[0], high[0])}."
            ),
            _sizes_sentence(self.clusters),
        )
