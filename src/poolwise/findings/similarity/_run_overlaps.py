"""What the overlap of runs says: of two of them, of every pair, and topic by topic."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.findings.similarity._clusters import RunTree, cluster_runs
from poolwise.findings.similarity._two_rankings import RankBiasedOverlap, ties_sentence
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import are, counted, named, range_text

__all__ = ["ALIKE", "CLUSTER", "OverlapByTopic", "OverlapMatrix", "RunOverlap", "pair_columns"]

ALIKE = 0.95
"""RBO from which on two runs are near-duplicates, unless told otherwise."""
CLUSTER = 0.5
"""Mean RBO down to which runs, and clusters of them, are joined, unless told otherwise."""
MATRIX_RUNS = 12
"""Up to so many runs the whole matrix is shown."""


@finding
class RunOverlap(Finding):
    """Rank-biased overlap of two runs, topic by topic.

    Attributes
    ----------
    first, second : str
        Names of the runs.
    topics : tuple of str
        The topics that any run answers.
    p, tied : float, str
        Persistence, and how tied documents are taken.
    min, ext, max : float array, topics
        Bounds and estimate; the estimate is NaN on a topic that either run leaves unanswered.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import run_overlap
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a"], "2": ["c"]}, "ql": {"1": ["b", "x"]}})
    >>> overlap = run_overlap(runs, "bm25", "ql", p=0.8)
    >>> overlap.topics, overlap.ext.round(2).tolist(), overlap.max.round(2).tolist()
    (('1', '2'), [0.6, nan], [0.92, 1.0])
    """

    first: str
    second: str
    topics: tuple[str, ...]
    p: float
    tied: str
    min: Floats
    ext: Floats
    max: Floats

    def mean(self) -> RankBiasedOverlap:
        """Return the mean over the topics that both runs answer; NaN without any."""
        both = ~np.isnan(self.ext)
        low, ext, high = (_mean(x[both]) for x in (self.min, self.ext, self.max))
        return RankBiasedOverlap(
            p=self.p, tied=self.tied, min=low, ext=ext, max=high, provenance=self.provenance
        )

    def columns(self) -> Columns:
        """Return one row per topic: the estimate of RBO, and its bounds."""
        return {
            "run": [self.first] * len(self.topics),
            "other": [self.second] * len(self.topics),
            "topic": list(self.topics),
            "rbo": self.ext.tolist(),
            "min": self.min.tolist(),
            "max": self.max.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how alike the two runs rank, over the topics that both answer."""
        both, mean = int((~np.isnan(self.ext)).sum()), self.mean()
        if not both:
            return (f"{self.first} and {self.second} answer no topic in common.",)
        bounds = range_text(mean.min, mean.max, digits=3)
        overlap = f"a rank-biased overlap of {mean.ext:.3f} at p = {self.p:g}"
        topics = f"{both:,} of {counted(len(self.topics), 'topic')}"
        return (
            f"{self.first} and {self.second} have {overlap}, the mean over {topics}.",
            f"Whatever follows the ranks given, the mean is {bounds}.",
            ties_sentence(self.tied),
        )


@finding
class OverlapMatrix(Finding):
    """Mean rank-biased overlap of every pair of runs.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    p, tied : float, str
        Persistence, and how tied documents are taken.
    topics : int array, systems × systems
        How many topics both runs answer; the means are over these.
    min, ext, max : float array, systems × systems
        Bounds and estimate; NaN where a pair has no topic in common.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import overlap_matrix
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
    ...                            "c": {"1": ["x", "y"]}})
    >>> matrix = overlap_matrix(runs)
    >>> matrix.ext.round(3).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    >>> [(a, b) for a, b, _ in matrix.near_duplicates()]
    [('a', 'c')]
    >>> print(matrix)
    3 runs make 2 clusters of a mean rank-biased overlap of 0.5 or more, at p = 0.9.
    <BLANKLINE>
    RBO(p=0.9) of 3 runs: 2 clusters
    <BLANKLINE>
    cluster  run  most like    rbo  mean rbo
          1  b    –          0.000     0.000
          2  c    a          1.000     0.500
          2  a    c          1.000     0.500
    <BLANKLINE>
    1 pair of near-duplicates, RBO 0.95 or more
    <BLANKLINE>
    run  other    rbo
    a    c      1.000
    <BLANKLINE>
    rbo      b      c      a
    b    1.000  0.000  0.000
    c    0.000  1.000  1.000
    a    0.000  1.000  1.000
    <BLANKLINE>
    There is 1 pair of near-duplicates, with an overlap of 0.95 or more.
    """

    systems: tuple[str, ...]
    p: float
    tied: str
    topics: Integers
    min: Floats
    ext: Floats
    max: Floats

    def distances(self) -> Floats:
        """Return 1 − ext, which is a metric on lists of one length (W10 §7.3.5)."""
        return 1 - self.ext

    def near_duplicates(self, *, at_least: float = ALIKE) -> tuple[tuple[str, str, float], ...]:
        """Return the pairs of runs this similar, most similar first."""
        a, b = np.triu_indices(len(self.systems), k=1)
        value = self.ext[a, b]
        order = np.argsort(-value, kind="stable")
        near = [i for i in order.tolist() if value[i] >= at_least]
        return tuple((self.systems[a[i]], self.systems[b[i]], float(value[i])) for i in near)

    def columns(self) -> Columns:
        """Return one row per pair: the estimate of RBO, its bounds, and over how many topics.

        Topic ``all`` is the mean over topics.
        """
        return pair_columns(self, "all")

    def sentences(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[str, ...]:
        """Say how many clusters there are, which runs are near-duplicates, and what is left out.

        Parameters
        ----------
        alike
            RBO from which on two runs are near-duplicates.
        cluster
            Mean RBO down to which runs, and clusters of them, are joined.
        """
        count = len(self.comparable.systems)
        groups = counted(len(self.tree.groups(within=1 - cluster)), "cluster")
        make = f"{counted(count, 'run')} {'makes' if count == 1 else 'make'} {groups}"
        return (
            f"{make} of a mean rank-biased overlap of {cluster:g} or more, at p = {self.p:g}.",
            _twins_sentence(len(self.comparable.near_duplicates(at_least=alike)), alike),
            *self._gaps(),
        )

    def tables(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[Table, ...]:
        """Return the runs in clusters, the near-duplicates, and of few runs the whole matrix.

        The parameters are those of ``sentences``. A run without any document is left out, and
        a pair without a common topic is taken as unlike.
        """
        comparable, tree = self.comparable, self.tree
        tables = [_clusters(comparable, tree, cluster), _near_duplicates(comparable, alike)]
        if len(comparable.systems) <= MATRIX_RUNS:
            tables.append(_matrix(self.arranged))
        return tuple(table for table in tables if table.rows)

    @cached_property
    def comparable(self) -> "OverlapMatrix":
        """The runs that answer a topic; pairs without a common one have an overlap of 0."""
        answers = ~np.isnan(np.diagonal(self.ext))
        kept = _part(self, np.flatnonzero(answers))
        low, ext, high = (np.nan_to_num(part) for part in (kept.min, kept.ext, kept.max))
        return replace(kept, min=low, ext=ext, max=high)

    @cached_property
    def tree(self) -> RunTree:
        """The comparable runs as a tree, by average linkage."""
        return cluster_runs(self.comparable)

    @cached_property
    def arranged(self) -> "OverlapMatrix":
        """The comparable runs in the order of the tree: similar ones side by side."""
        comparable = self.comparable
        places = [comparable.systems.index(name) for name in self.tree.order]
        return _part(comparable, np.array(places, np.intp))

    def cells(self) -> Columns:
        """Return one row per run and run, itself included, in the order of the runs.

        Examples
        --------
        >>> from poolwise import Runs
        >>> from poolwise.findings import overlap_matrix
        >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
        >>> overlap_matrix(runs, p=0.5).cells()["overlap"]
        [1.0, 0.5, 0.5, 1.0]
        """
        return {
            "run": [a for a in self.systems for _ in self.systems],
            "other": list(self.systems) * len(self.systems),
            "overlap": self.ext.ravel().tolist(),
        }

    def _gaps(self) -> Iterator[str]:
        """Say which runs are left out, and how many pairs could not be compared."""
        silent = [name for name in self.systems if name not in self.comparable.systems]
        if silent:
            verb = are(len(silent))
            names = named(silent, most=len(silent))
            yield f"{counted(len(silent), 'run')} without any document {verb} left out: {names}."
        apart = int((self.comparable.topics == 0).sum()) // 2
        if apart:
            verb = are(apart)
            yield f"{counted(apart, 'pair')} without a common topic {verb} taken as unlike."


def _part(whole: OverlapMatrix, places: Indices) -> OverlapMatrix:
    """Return the runs at these places, in this order."""
    cells = np.ix_(places, places)
    arrays = {name: getattr(whole, name)[cells] for name in ("topics", "min", "ext", "max")}
    return replace(whole, systems=tuple(whole.systems[i] for i in places), **arrays)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def pair_columns(matrix: OverlapMatrix, topic: str) -> Columns:
    """Return one row per pair of runs, on a topic or over all of them."""
    first, second = np.triu_indices(len(matrix.systems), k=1)
    return {
        "run": [matrix.systems[i] for i in first],
        "other": [matrix.systems[i] for i in second],
        "topic": [topic] * len(first),
        "topics": matrix.topics[first, second].tolist(),
        "rbo": matrix.ext[first, second].tolist(),
        "min": matrix.min[first, second].tolist(),
        "max": matrix.max[first, second].tolist(),
    }


def _twins_sentence(twins: int, alike: float) -> str:
    if not twins:
        return f"There are no near-duplicates: no two runs overlap by {alike:g} or more."
    verb = are(twins)
    pairs = counted(twins, "pair")
    return f"There {verb} {pairs} of near-duplicates, with an overlap of {alike:g} or more."


def _clusters(matrix: OverlapMatrix, tree: RunTree, cluster: float) -> Table:
    groups = tree.groups(within=1 - cluster)
    others = matrix.ext.copy()
    np.fill_diagonal(others, np.nan)
    row_of = {name: _nearest(matrix, others[i]) for i, name in enumerate(matrix.systems)}
    rows = [(g + 1, name, *row_of[name]) for g, group in enumerate(groups) for name in group]
    runs, clusters = counted(len(rows), "run"), counted(len(groups), "cluster")
    return Table(
        columns=(
            Column("cluster"),
            Column("run"),
            Column("most like"),
            Column("rbo", digits=3),
            Column("mean rbo", digits=3),
        ),
        rows=tuple(rows),
        title=f"RBO(p={matrix.p:g}) of {runs}: {clusters}",
    )


def _nearest(matrix: OverlapMatrix, others: Floats) -> tuple[Cell, ...]:
    """Return the run most like one, how like, and the mean over all others."""
    if len(others) < 2:
        return None, None, None
    best = int(np.nanargmax(others))
    name = matrix.systems[best] if others[best] > 0 else None
    return name, float(others[best]), float(np.nanmean(others))


def _near_duplicates(matrix: OverlapMatrix, alike: float) -> Table:
    pairs = matrix.near_duplicates(at_least=alike)
    return Table(
        columns=(Column("run"), Column("other"), Column("rbo", digits=3)),
        rows=pairs,
        title=f"{counted(len(pairs), 'pair')} of near-duplicates, RBO {alike:g} or more",
    )


def _matrix(arranged: OverlapMatrix) -> Table:
    """Return RBO of all pairs, similar runs side by side."""
    names = arranged.systems
    return Table(
        columns=(Column("rbo"), *(Column(name, digits=3) for name in names)),
        rows=tuple((name, *row) for name, row in zip(names, arranged.ext.tolist(), strict=True)),
    )


@finding
class OverlapByTopic(Finding):
    """Rank-biased overlap of every pair of runs, on each topic and on average.

    Attributes
    ----------
    topics : tuple of str
        Ids of the topics.
    matrices : tuple of OverlapMatrix
        One per topic.
    overall : OverlapMatrix
        The means over topics.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import overlap_by_topic
    >>> runs = Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"], "2": ["z"]}})
    >>> overlaps = overlap_by_topic(runs)
    >>> overlaps.columns()["topic"], overlaps.columns()["rbo"]
    (['1', '2', 'all'], [1.0, 0.0, 0.5])
    >>> overlaps.sentences()[0]
    'Rankings are most alike on topic 1, with a mean rank-biased overlap of 1.000, and least alike
    on topic 2, with 0.000.'
    """

    topics: tuple[str, ...]
    matrices: tuple[OverlapMatrix, ...]
    overall: OverlapMatrix

    def columns(self) -> Columns:
        """Return one row per topic and pair, and the means over topics as topic ``all``."""
        by_topic = zip(self.matrices, self.topics, strict=True)
        parts = [pair_columns(matrix, topic) for matrix, topic in by_topic]
        return stack_columns([*parts, self.overall.columns()])

    def sentences(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[str, ...]:
        """Say on which topics rankings are most and least alike, and what holds on average.

        The parameters are those of :class:`OverlapMatrix`.
        """
        return (*self._extremes(), *self.overall.sentences(alike=alike, cluster=cluster))

    def tables(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[Table, ...]:
        """Return the tables of the means over topics, and one row per topic.

        Pairs of which one run lacks the topic are left out. The parameters are those of
        :class:`OverlapMatrix`.
        """
        rows = tuple((topic, *row) for topic, row in self._spreads().items())
        numbers = (Column(title, digits=3) for title in ("mean rbo", "least", "most"))
        by_topic = Table((Column("topic"), Column("pairs"), *numbers), rows, title="RBO by topic")
        return (*self.overall.tables(alike=alike, cluster=cluster), by_topic)

    def _spreads(self) -> dict[str, tuple[Cell, ...]]:
        return {t: _spread(matrix) for t, matrix in zip(self.topics, self.matrices, strict=True)}

    def _extremes(self) -> Iterator[str]:
        means = {t: row[1] for t, row in self._spreads().items() if isinstance(row[1], float)}
        if len(means) > 1:
            most, least = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
            yield (
                f"Rankings are most alike on topic {most}, with a mean rank-biased overlap of "
                f"{means[most]:.3f}, and least alike on topic {least}, with {means[least]:.3f}."
            )


def _spread(matrix: OverlapMatrix) -> tuple[Cell, ...]:
    """Return the number of pairs, and their mean, smallest and largest RBO."""
    values = matrix.ext[np.triu_indices(len(matrix.systems), k=1)]
    defined = values[~np.isnan(values)]
    if not len(defined):
        return 0, None, None, None
    return len(defined), float(defined.mean()), float(defined.min()), float(defined.max())
