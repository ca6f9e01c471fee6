"""Whether the depth of a pool and its runs are read off the judgments: pools of some runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.evidence._pool_shape import READ_OFF, find_pool
from reproduce.sources import read_pooled, read_properties, read_qrels
from validate.table import Folders, ValidationTable

__all__ = ["Subset", "pool_shape_table", "submitted", "subset_pools"]

_DEPTHS = {"trec8": (5, 10, 20, 50), "trec-dl-2019": (5, 10), "trec-dl-2021": (5, 10)}
_WIDTHS = (10, 20, 0)
"""How many runs are pooled; 0 for all."""
_HOLES = (0.0, 0.01, 0.03)
"""The share of judgments that is missing."""
_BESIDES = 0.3
"""The share of the next ranks that is judged as well, to three times the depth."""


@dataclass(frozen=True)
class Subset:
    """What was read off one pool of some runs."""

    depth: int
    found: int
    source: str
    pooled: int
    missed: int
    added: int

    @property
    def right(self) -> bool:
        """Whether the depth is the true one, and said to be read off."""
        return self.found == self.depth and self.source == READ_OFF


def submitted(folder: Path) -> Sequence[str]:
    """Return the runs that formed the official pool."""
    if folder.name == "trec8":
        return read_pooled(folder)
    if folder.name == "trec-dl-2019":
        official = read_properties(folder, "official_submission")
        return [run for run, answer in official.items() if answer == "yes"]
    return pw.read_runs(folder / "runs").systems


def subset_pools(
    folder: Path,
    *,
    widths: Sequence[int] = _WIDTHS,
    holes: Sequence[float] = _HOLES,
    repeats: int = 2,
) -> Iterator[Subset]:
    """Pool some runs to some depth, take some judgments away, judge some more; read it off."""
    runs = pw.read_runs(folder / "runs").select(submitted(folder))
    evidence = pw.align(read_qrels(folder), runs)
    nominations = pw.nominate(read_qrels(folder), runs)
    cases = product(_DEPTHS[folder.name], widths, holes, (False, True), range(repeats))
    for number, (depth, width, hole, besides, _) in enumerate(cases):
        rng = np.random.default_rng(number)
        chosen = rng.choice(len(runs.systems), width or len(runs.systems), replace=False)
        pooled = [runs.systems[s] for s in np.sort(chosen).tolist()]
        best = nominations.best_ranks(pooled)
        kept = (best <= depth) & (rng.random(len(best)) >= hole)
        if besides:
            kept |= (best > depth) & (best <= 3 * depth) & (rng.random(len(best)) < _BESIDES)
        shape = find_pool(evidence.regrade(nominations.judgments.keep(kept)), cutoff=10)
        true = np.isin(runs.systems, pooled)
        yield Subset(
            depth,
            shape.depth,
            shape.source,
            int(true.sum()),
            int((true & ~shape.pooled).sum()),
            int((shape.pooled & ~true).sum()),
        )


def pool_shape_table(folders: Folders) -> ValidationTable:
    """Check that depth and pooled runs are read off every pool of some runs."""
    rows, holds = [], True
    for name in _DEPTHS:
        pools = list(subset_pools(folders.data / name))
        right = sum(pool.right for pool in pools)
        holds &= right == len(pools)
        numbers = (
            *(len(pools), right, sum(pool.pooled for pool in pools)),
            *(sum(pool.missed for pool in pools), sum(pool.added for pool in pools)),
        )
        rows.append((name, *(f"{number:,}" for number in numbers)))
    columns = ("collection", "pools", "right", "pooled runs", "missed", "others counted as pooled")
    return ValidationTable(
        "The shape of a pool",
        "Pools of 10, 20 or all runs to depth 5 and 10 (TREC-8 also 20 and 50), with 0, 1 or 3% of "
        "their judgments missing, with and without 30% of the ranks to three times the depth "
        "judged besides, twice each: the depth is read off, and right, in all of them. Runs that "
        "were not pooled and have 95% judged count as pooled, which does no harm: their unjudged "
        "documents get grades as those of others do.",
        columns,
        tuple(rows),
        holds,
    )
