"""Which runs are alike: pairs, clusters and near-duplicates as tables."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings.similarity.run_clusters import RunTree, cluster_runs
from poolwise.findings.similarity.run_similarity import OverlapMatrix
from poolwise.printout.columns import Columns
from poolwise.printout.tables import Cell, Column, Table

__all__ = ["similarity_by_topic", "similarity_columns", "similarity_tables"]

MATRIX_RUNS = 12
"""Up to so many runs the whole matrix is shown."""


def similarity_columns(found: OverlapMatrix, *, topic: str = "all") -> Columns:
    """Return one row per pair of runs: the estimate of RBO, its bounds, and over how many topics.

    Examples
    --------
    >>> from poolwise import Runs, overlap_matrix
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> columns = similarity_columns(overlap_matrix(runs, p=0.5))
    >>> columns["run"], columns["other"], columns["rbo"]
    (['a'], ['b'], [0.5])
    """
    first, second = np.triu_indices(len(found.systems), k=1)
    return {
        "run": [found.systems[i] for i in first],
        "other": [found.systems[i] for i in second],
        "topic": [topic] * len(first),
        "topics": found.topics[first, second].tolist(),
        "rbo": found.ext[first, second].tolist(),
        "min": found.min[first, second].tolist(),
        "max": found.max[first, second].tolist(),
    }


def similarity_tables(
    found: OverlapMatrix, *, alike: float = 0.95, cluster: float = 0.5
) -> list[Table]:
    """Return the runs in clusters, the near-duplicates, and of few runs the whole matrix.

    Parameters
    ----------
    alike
        RBO from which on two runs are near-duplicates.
    cluster
        Mean RBO down to which runs, and clusters of them, are joined.

    Examples
    --------
    >>> from poolwise import Runs, overlap_matrix
    >>> from poolwise.printout.tables import render
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
    ...                            "c": {"1": ["x", "y"]}})
    >>> clusters, twins, _ = similarity_tables(overlap_matrix(runs))
    >>> print(render(clusters))
    RBO(p=0.9) of 3 runs: 2 clusters
    <BLANKLINE>
    cluster  run  most like    rbo  mean rbo
          1  b    –          0.000     0.000
          2  c    a          1.000     0.500
          2  a    c          1.000     0.500
    >>> print(render(twins))
    1 pair of near-duplicates, RBO 0.95 or more
    <BLANKLINE>
    run  other    rbo
    a    c      1.000
    """
    known, notes = _comparable(found)
    tree = cluster_runs(known)
    twins = _near_duplicates(known, alike)
    notes += () if twins.rows else (twins.title,)
    tables = [replace(_clusters(known, tree, cluster), notes=notes), twins]
    if len(known.systems) <= MATRIX_RUNS:
        tables.append(_matrix(known, tree))
    return [table for table in tables if table.rows or table.notes]


def similarity_by_topic(by_topic: Mapping[str, OverlapMatrix]) -> Table:
    """Return one row per topic: the mean RBO of all pairs of runs, and the smallest and largest.

    Pairs of which one run lacks the topic are left out.
    """
    rows = tuple((topic, *_spread(found)) for topic, found in by_topic.items())
    numbers = (Column(title, digits=3) for title in ("mean rbo", "least", "most"))
    return Table((Column("topic"), Column("pairs"), *numbers), rows, title="RBO by topic")


def _spread(found: OverlapMatrix) -> tuple[Cell, ...]:
    values = found.ext[np.triu_indices(len(found.systems), k=1)]
    known = values[~np.isnan(values)]
    if not len(known):
        return 0, None, None, None
    return len(known), float(known.mean()), float(known.min()), float(known.max())


def _comparable(found: OverlapMatrix) -> tuple[OverlapMatrix, tuple[str, ...]]:
    """Return the runs that answer a topic, pairs without a common one as unlike, and say so."""
    answers = ~np.isnan(np.diagonal(found.ext))
    kept = np.ix_(answers, answers)
    apart = int(np.isnan(found.ext[kept]).sum()) // 2
    silent = [name for name, some in zip(found.systems, answers, strict=True) if not some]
    said = (
        (silent, f"left out, without any document: {', '.join(silent)}"),
        (apart, f"{_count(apart, 'pair')} without a common topic taken as unlike"),
    )
    low, ext, high = (np.nan_to_num(part[kept]) for part in (found.min, found.ext, found.max))
    systems = tuple(name for name in found.systems if name not in silent)
    shared = found.topics[kept]
    known = replace(found, systems=systems, topics=shared, min=low, ext=ext, max=high)
    return known, tuple(text for some, text in said if some)


def _clusters(found: OverlapMatrix, tree: RunTree, cluster: float) -> Table:
    groups = tree.groups(within=1 - cluster)
    others = found.ext.copy()
    np.fill_diagonal(others, np.nan)
    row_of = {name: _nearest(found, others[i]) for i, name in enumerate(found.systems)}
    rows = [(g + 1, name, *row_of[name]) for g, group in enumerate(groups) for name in group]
    return Table(
        columns=(
            Column("cluster"),
            Column("run"),
            Column("most like"),
            Column("rbo", digits=3),
            Column("mean rbo", digits=3),
        ),
        rows=tuple(rows),
        title=f"RBO(p={found.p:g}) of {len(rows)} runs: {_count(len(groups), 'cluster')}",
    )


def _nearest(found: OverlapMatrix, others: Floats) -> tuple[Cell, ...]:
    """Return the run most like one, how like, and the mean over all others."""
    if len(others) < 2:
        return None, None, None
    best = int(np.nanargmax(others))
    name = found.systems[best] if others[best] > 0 else None
    return name, float(others[best]), float(np.nanmean(others))


def _near_duplicates(found: OverlapMatrix, alike: float) -> Table:
    pairs = found.near_duplicates(at_least=alike)
    return Table(
        columns=(Column("run"), Column("other"), Column("rbo", digits=3)),
        rows=pairs,
        title=f"{_count(len(pairs), 'pair')} of near-duplicates, RBO {alike:g} or more",
    )


def _matrix(found: OverlapMatrix, tree: RunTree) -> Table:
    """Return RBO of all pairs, similar runs side by side."""
    places = [found.systems.index(name) for name in tree.order]
    values = found.ext[np.ix_(places, places)].tolist()
    return Table(
        columns=(Column("rbo"), *(Column(name, digits=3) for name in tree.order)),
        rows=tuple((name, *row) for name, row in zip(tree.order, values, strict=True)),
    )


def _count(number: int, what: str) -> str:
    if number == 0:
        return f"no {what}"
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
