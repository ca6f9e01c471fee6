"""The numbers behind each figure, as named columns; the page and the plots draw the same ones."""

import numpy as np

from poolwise.arrays import Booleans, Indices, Integers
from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.findings.planning.past_systems import CollectionPower
from poolwise.findings.planning.power import detectable_effect
from poolwise.findings.similarity.run_clusters import RunTree
from poolwise.findings.similarity.run_overlaps import OverlapMatrix
from poolwise.printout.columns import Columns
from poolwise.scores.score_table import ScoreTable

__all__ = [
    "VERDICTS",
    "delta_columns",
    "overlap_columns",
    "pair_columns",
    "power_columns",
    "topic_columns",
    "tree_segments",
    "unjudged_columns",
]


VERDICTS = ("holds", "too few topics", "unjudged could reverse it", "open on both counts")
"""What can be said of the order of two runs, by (not significant) + 2 · (not certain)."""


def unjudged_columns(
    unjudged: Integers,
    present: Booleans,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
) -> Columns:
    """Return unjudged documents by run and topic, the runs and topics with most of them first.

    A topic that a run leaves unanswered has no row.
    """
    rows = np.argsort(-unjudged.sum(axis=1), kind="stable")
    columns = np.argsort(-unjudged.sum(axis=0), kind="stable")
    cells = [(s, t) for s in rows.tolist() for t in columns.tolist() if present[s, t]]
    return {
        "run": [systems[s] for s, _ in cells],
        "topic": [topics[t] for _, t in cells],
        "unjudged": [int(unjudged[s, t]) for s, t in cells],
    }


def pair_columns(found: Comparisons) -> Columns:
    """Return one row per pair, the run with the higher mean first, best pairs on top."""
    pairs, lower, upper = found.pairs, found.bound_low, found.bound_high
    sign = np.where(found.difference < 0, -1, 1)
    better = np.where(sign > 0, pairs.left, pairs.right)
    worse = np.where(sign > 0, pairs.right, pairs.left)
    means = np.nanmean(found.sample.scores, axis=1)
    order = np.lexsort((-means[worse], -means[better]))
    # An order of which nothing is known is not said to hold.
    verdict = ~found.significant() + 2 * (found.verdict != "certain")
    effect = np.where(np.isnan(found.effect_size), np.nan, found.effect_size * sign)
    numbers = {
        "difference": np.abs(found.difference),
        "lowest": np.where(sign > 0, lower, -upper),
        "highest": np.where(sign > 0, upper, -lower),
        "p": found.pvalue,
        "p_corrected": found.p_adjusted,
        "effect_size": effect,
    }
    return {
        "better": [found.systems[i] for i in better[order].tolist()],
        "worse": [found.systems[i] for i in worse[order].tolist()],
        **{name: values[order].tolist() for name, values in numbers.items()},
        "verdict": [VERDICTS[v] for v in verdict[order].tolist()],
    }


def delta_columns(table: ScoreTable, a: str, b: str) -> Columns:
    """Return a − b on each topic where both are defined, the largest first."""
    first, second = table.select([a, b]).value
    delta = first - second
    order = [t for t in np.argsort(-delta, kind="stable").tolist() if not np.isnan(delta[t])]
    return {"topic": [table.topics[t] for t in order], "difference": delta[order].tolist()}


def topic_columns(table: ScoreTable, order: Indices | None = None) -> Columns:
    """Return the distribution of scores on each defined topic, by default by median, best first."""
    topics = np.flatnonzero(table.defined)
    spread = np.quantile(table.value[:, topics], [0, 0.25, 0.5, 0.75, 1], axis=0)
    place = np.argsort(-spread[2], kind="stable") if order is None else order
    numbers = zip(("lowest", "quarter", "median", "three_quarters", "highest"), spread, strict=True)
    return {
        "topic": [table.topics[t] for t in topics[place].tolist()],
        **{name: values[place].tolist() for name, values in numbers},
        "deviation": table.value[:, topics].std(axis=0)[place].tolist(),
    }


def overlap_columns(overlap: OverlapMatrix, order: tuple[str, ...]) -> Columns:
    """Return the overlap of every two runs, in this order."""
    at = {name: i for i, name in enumerate(overlap.systems)}
    cells = [(a, b) for a in order for b in order]
    return {
        "run": [a for a, _ in cells],
        "other": [b for _, b in cells],
        "overlap": [float(overlap.ext[at[a], at[b]]) for a, b in cells],
    }


def tree_segments(tree: RunTree) -> Columns:
    """Return the lines of a dendrogram: at a distance across runs, and along one run."""
    place = {name: i for i, name in enumerate(tree.order)}
    at = {i: (float(place[name]), 0.0) for i, name in enumerate(tree.systems)}
    lines: list[tuple[float, float, float, float]] = []
    for step, (a, b, distance, _) in enumerate(tree.merges.tolist()):
        (row_a, from_a), (row_b, from_b) = at[int(a)], at[int(b)]
        lines += [(from_a, distance, row_a, row_a), (from_b, distance, row_b, row_b)]
        lines.append((distance, distance, row_a, row_b))
        at[len(tree.systems) + step] = ((row_a + row_b) / 2, distance)
    return {
        name: [line[i] for line in lines]
        for i, name in enumerate(("distance", "distance_end", "row", "row_end"))
    }


def power_columns(found: CollectionPower) -> Columns:
    """Return the difference that a number of topics detects, at both deviations."""
    topics = np.unique(np.geomspace(10, max(400, 4 * found.topics), 40).round())
    effect = detectable_effect(
        topics, power=found.power, alpha=found.alpha, alternative=found.alternative
    )
    sigmas = {"median pair": found.sigma_median, "95th percentile": found.sigma_95}
    return {
        "topics": topics.astype(int).tolist() * 2,
        "spread": [name for name in sigmas for _ in topics],
        "difference": [float(s * e) for s in sigmas.values() for e in effect],
    }
