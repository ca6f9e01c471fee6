"""Whether a range holds what complete judgments say: thin pools of TREC-8 against official ones.

The judgments of a thin pool of few runs, to a small depth, are the judgments; the official ones are
the truth. Over the universe of the runs, the truth is that of its own documents: those that nobody
has in the ranks that count stay unjudged. Over the corpus it is all of the official judgments.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import poolwise as pw
from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._pools import nominate
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._differences import Differences, judgment_ranges
from validate.table import Folders, ValidationTable

__all__ = ["bounds_table"]

MEASURES = ("nDCG@10", "AP@100", "Rprec", "RR@10", "RBP(p=0.8)")
LENGTH = 100
"""Ranks of each list."""
RUNS = 40
"""Runs that are compared, every third of the collection."""
POOLS = ((2, 5), (2, 10), (10, 5), (10, 10))
"""Runs that form the pool, and its depth."""
_KINDS = ("scores", "means", "differences", "mean differences", "certain orders")


@dataclass(frozen=True)
class Collection:
    """Runs, and the official judgments of their documents."""

    judgments: pw.Judgments
    best_ranks: Integers
    """The best rank that any run gives each judged document."""
    pool_ranks: dict[int, Integers]
    """The same, of the runs that form a pool."""
    official: Evidence

    @classmethod
    def read(cls, folders: Folders) -> "Collection":
        """Read every third run of TREC-8, cut to its first ranks."""
        paths = sorted((folders.data / "trec8" / "runs").glob("*.gz"))[::3][:RUNS]
        judgments = pw.read_judgments(folders.data / "trec8" / "qrels.gz")
        runs = pw.read_runs(*paths, duplicates="first")
        nominations = nominate(judgments, runs)
        pools = {size: nominations.best_ranks(runs.systems[:size]) for size, _ in POOLS}
        official = pw.align(judgments, runs).truncate(LENGTH)
        return cls(judgments, nominations.best_ranks(), pools, official)

    def judged(self, rows: Booleans) -> Evidence:
        """Return the runs under the official judgments of some documents."""
        return self.official.regrade(self.judgments.keep(rows))

    def truth(self, measure: pw.Measure, universe: Universe) -> Floats:
        """Return the scores by the official judgments of the universe's documents.

        Those of the pool are among them: no measure looks at fewer ranks than the pool has.
        """
        if universe.kind == "corpus":
            return measure.score(self.official)
        depth = universe.reach(measure.depth) or LENGTH
        return measure.score(self.judged(self.best_ranks <= depth))


def bounds_table(folders: Folders) -> ValidationTable:
    """Count what leaves its range, for each pool, measure and universe."""
    collection = Collection.read(folders)
    rows = tuple(_rows(collection))
    outside = sum(int(cell.split(" of ")[0].replace(",", "")) for row in rows for cell in row[4:])
    return ValidationTable(
        "Ranges over judgments",
        f"{RUNS} runs of TREC-8, cut to {LENGTH} ranks, under the judgments of thin pools, against "
        "the official judgments: how many scores, means, differences and orders called certain lie "
        "outside what was said of them. A range is a range: none does.",
        ("pool", "measure", "universe", "kind", *_KINDS),
        rows,
        holds=outside == 0,
    )


def _rows(collection: Collection) -> Iterator[tuple[str, ...]]:
    for pooled, depth in POOLS:
        evidence = collection.judged(collection.pool_ranks[pooled] <= depth)
        for name in MEASURES:
            measure = pw.parse_measure(name)
            for universe in (Universe(), Universe("corpus")):
                truth = collection.truth(measure, universe)
                counts = _outside(evidence, measure, universe, truth)
                kind = measure.kind_of_range(evidence.scale)
                cells = (f"{counts[k, 'out']:,} of {counts[k, 'all']:,}" for k in _KINDS)
                yield (f"{pooled} runs to {depth}", name, universe.kind, kind, *cells)


def _outside(
    evidence: Evidence, measure: pw.Measure, universe: Universe, truth: Floats
) -> Counter[tuple[str, str]]:
    """Count what is outside, and all."""
    table = pw.score(evidence, measure, universe=universe)
    pairs = Pairs.of_all(evidence.systems)
    ranges = judgment_ranges(evidence, measure, pairs, universe=universe)
    differences = pairs.difference(truth)
    means = _means(truth), _means(differences)
    left = {
        "scores": _leaves(truth, table.lower, table.upper),
        "means": _leaves(means[0], *table.mean_bounds()),
        "differences": _leaves(differences, ranges.lower, ranges.upper),
        "mean differences": _leaves(means[1], *ranges.means()[1:]),
        "certain orders": _turned(ranges, means[1]),
    }
    counts: Counter[tuple[str, str]] = Counter()
    for kind, outside in left.items():
        counts[kind, "out"], counts[kind, "all"] = int(outside.sum()), outside.size
    return counts


def _means(scores: Floats) -> Floats:
    """Return means over the topics that have a score."""
    return np.asarray(scores[:, ~np.isnan(scores).any(axis=0)].mean(axis=1))


def _leaves(values: Floats, lower: Floats, upper: Floats) -> Booleans:
    defined = ~np.isnan(values)
    return np.asarray(defined & ~((values >= lower - 1e-12) & (values <= upper + 1e-12)))


def _turned(differences: Differences, means: Floats) -> Booleans:
    """Return which of the orders called certain the truth does not have."""
    ahead = np.sign(differences.means()[0])
    return np.asarray((np.sign(means) != ahead)[differences.certain])
