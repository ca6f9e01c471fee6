"""What is said to be certain of a Pareto front, where nothing differs, and where all does."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.workflows import evaluate_beside
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["fronts_table"]

COLLECTIONS, LEVEL, SEED = 500, 0.05, 7402
CASES = {
    "nothing differs": (0.0, 0.0),
    "costs differ": (0.0, 0.3),
    "both differ": (0.4, 0.3),
}
"""How far each run is from the next: in quality, and in the logarithm of costs."""
SIZES = ((2, 25), (5, 25))


def fronts_table(_folders: Folders) -> ValidationTable:
    """Count collections in which anything false is certain, and what of the truth is."""
    rows = [_row(name, runs, topics) for name in CASES for runs, topics in SIZES]
    most = LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / COLLECTIONS)
    return table_of_rows(
        "Pareto fronts",
        "All that `evaluate --beside` calls certain of a front is right together in "
        f"{1 - LEVEL:.0%} of cases or more. {COLLECTIONS} collections each in which all is "
        "judged; scores are normal, costs by topic lognormal; *false* counts collections with a "
        "wrong order in either, *known* is the share of right orders that are certain.",
        rows,
        holds=all(float(str(row["false"])) <= most for row in rows),
    )


def _row(name: str, runs: int, topics: int) -> Row:
    random = np.random.default_rng([SEED, runs, topics])
    quality, cost = CASES[name]
    wrong, right, possible = 0, 0, 0
    for _ in range(COLLECTIONS):
        step = np.arange(runs)[:, None]
        scores = 4 + quality * step + random.normal(0, 0.5, (runs, topics))
        costs = np.exp(cost * step + random.normal(0, 0.5, (runs, topics)))
        better, cheaper = _certain(scores.clip(0.01), costs)
        # A later run is better, and dearer, where they differ at all.
        above, below = (
            np.tril(np.ones((runs, runs), bool), -1),
            np.triu(np.ones((runs, runs), bool), 1),
        )
        truth = above & (quality > 0), below & (cost > 0)
        wrong += bool((better & ~truth[0]).any() or (cheaper & ~truth[1]).any())
        right += int((better & truth[0]).sum() + (cheaper & truth[1]).sum())
        possible += int(truth[0].sum() + truth[1].sum())
    share_known = right / possible if possible else float("nan")
    return {
        "case": name,
        "runs": runs,
        "topics": topics,
        "false": wrong / COLLECTIONS,
        "known": share_known,
    }


def _certain(scores: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """Return who is certainly better than whom, in quality and in costs: by the default path."""
    names, topics = [f"r{i}" for i in range(len(scores))], [str(t) for t in range(scores.shape[1])]
    grades = {
        t: {f"{n}-{t}": float(scores[i, j]) for i, n in enumerate(names)}
        for j, t in enumerate(topics)
    }
    lists = {n: {t: {f"{n}-{t}": 1.0} for t in topics} for n in names}
    measured = [
        {"run": n, "topic": t, "cost": float(costs[i, j])}
        for i, n in enumerate(names)
        for j, t in enumerate(topics)
    ]
    quality = evaluate_beside(grades, lists, "DCG@1", beside=measured, draws=0).parts[0]
    return quality.certainly_better
