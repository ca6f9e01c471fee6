"""Which pairs of systems are significantly different, by how much is judged."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._discrimination import (
    Agreement,
    Discrimination,
    discriminate,
    pvalue_correlation,
    significance_agreement,
)
from poolwise.findings.comparison._significance import drawn_options
from poolwise.measures._catalogue import SP
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted

__all__ = ["JudgedPairs", "PoolDiscrimination", "discriminate_pools", "judge_pairs"]


@finding
class JudgedPairs(Finding):
    """Pairs of systems, each judged and scored to one depth as if there were no others.

    Attributes
    ----------
    systems : tuple of str
    pairs : Pairs
        Which of the systems are compared, by position.
    depth : int
        Ranks of each system that are judged and scored.
    deltas : float array, pairs × topics
        Per-topic differences of AP.
    documents : float array, pairs
        Documents to judge per topic: those of either system down to the depth.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=4, topics=10, depth=20, rng=3)
    >>> evidence = align(made.truth, made.runs)
    >>> judged = judge_pairs(evidence, Pairs.of_two(evidence.systems, "bm25-1", "bm25-2"), depth=5)
    >>> judged.deltas.shape, bool(5 <= judged.documents[0] <= 10)
    ((1, 10), True)
    """

    systems: tuple[str, ...]
    pairs: Pairs
    depth: int
    deltas: Floats
    documents: Floats

    @cached_property
    def effect_sizes(self) -> Floats:
        """Mean over standard deviation of the differences (W10 fig. 5.11); NaN if none vary."""
        spread = self.deltas.std(axis=1, ddof=1)
        undefined = np.full(len(spread), np.nan)
        return np.divide(self.deltas.mean(axis=1), spread, out=undefined, where=spread > 0)

    def columns(self) -> Columns:
        """Return one row per pair."""
        return {
            "a": [self.systems[s] for s in self.pairs.left.tolist()],
            "b": [self.systems[s] for s in self.pairs.right.tolist()],
            "depth": [self.depth] * len(self.pairs),
            "documents": self.documents.tolist(),
            "effect_size": self.effect_sizes.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what judging a pair costs, and how clearly AP then separates its systems."""
        cost = (
            f"Judging two systems alone to depth {self.depth} takes {self.documents.mean():.1f} "
            f"documents per topic on average over {counted(len(self.pairs), 'pair')}."
        )
        sizes = np.abs(self.effect_sizes[~np.isnan(self.effect_sizes)])
        if not len(sizes):
            return cost, "No pair has an effect size, since no difference of AP varies by topic."
        return cost, (
            f"The median size of the effect, mean over standard deviation of the differences of "
            f"AP@{self.depth}, is {np.median(sizes):.3f}."
        )


@recorded
def judge_pairs(evidence: Evidence, pairs: Pairs, *, depth: int, rel: float = 1.0) -> JudgedPairs:
    """Score pairs of systems by AP to a depth, with R from what the two retrieve down to it.

    An experiment that compares two systems need judge no more. Where neither retrieves a relevant
    document, both score 0. Unjudged documents count as not relevant, and as to be judged.

    Parameters
    ----------
    evidence
        Runs met with judgments that reach the depth.
    pairs
        Which systems to compare, as from ``baseline_pairs``.
    depth
        Ranks of each system that are judged and scored.

    Returns
    -------
    JudgedPairs
        Per-topic differences of AP, and how many documents there are to judge for each pair.

    Examples
    --------
    >>> from poolwise import align, score, simulate
    >>> from poolwise.findings import baseline_pairs
    >>> made = simulate(systems=12, topics=20, depth=50, rng=3)
    >>> evidence = align(made.truth, made.runs)
    >>> pairs = baseline_pairs(score(evidence, "AP", bounds="none"))
    >>> few, many = (judge_pairs(evidence, pairs, depth=depth) for depth in (5, 50))
    >>> bool((few.documents < many.documents).all())
    True
    """
    if depth < 1:
        raise OptionError(f"depth: must be at least 1; got {depth}. Hint: use 10.")
    top = evidence.truncate(depth)
    # Codes are places on the scale, and unjudged documents have negative ones.
    level = int(np.searchsorted(top.scale, rel))
    documents = np.concatenate([_unions(b.documents, b.documents >= 0, pairs) for b in top.blocks])
    relevant = np.concatenate([_unions(b.documents, b.codes >= level, pairs) for b in top.blocks])
    # AP is the sum of precisions over R. R differs from pair to pair, the sums do not. Without a
    # relevant document they are 0, whatever they are divided by.
    sums = (SP(rel=rel) @ depth).score(top).T
    deltas = (sums[:, pairs.left] - sums[:, pairs.right]) / np.maximum(relevant, 1)
    return JudgedPairs(
        systems=evidence.systems,
        pairs=pairs,
        depth=depth,
        deltas=deltas.T,
        documents=documents.mean(axis=0),
        provenance=evidence.provenance.with_options(depth=depth, rel=rel),
    )


def _unions(documents: NDArray[np.int32], counted: Booleans, pairs: Pairs) -> Floats:
    """Return how many counted documents either system of each pair has, topics × pairs."""
    topics = range(documents.shape[1])
    return np.array([_union(documents[:, t], counted[:, t], pairs) for t in topics])


def _union(documents: NDArray[np.int32], counted: Booleans, pairs: Pairs) -> Floats:
    """Return the row of one topic."""
    distinct, place = np.unique(documents, return_inverse=True)
    present = np.zeros((len(documents), len(distinct)), np.float32)
    system, rank = np.nonzero(counted)
    present[system, place.reshape(documents.shape)[system, rank]] = 1
    sizes = present.sum(axis=1)
    # The sizes of the intersections of all pairs at once: |A ∪ B| = |A| + |B| − |A ∩ B|.
    shared = present @ present.T  # counts below 2²⁴ are exact
    union = sizes[pairs.left] + sizes[pairs.right] - shared[pairs.left, pairs.right]
    return union.astype(np.float64)


_AS_GIVEN, _REFERENCE = "as given", "reference"


@finding
class PoolDiscrimination(Finding):
    """What pairs are significantly different on several pools (U18 table 5 and 6).

    Attributes
    ----------
    pools : tuple of str
        What each pool is; the last one is taken for the truth.
    found : tuple of tuple of Discrimination
        By measure and pool, the tests of all pairs.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = discriminate_pools(made.truth, made.runs, ["AP"], pool_depths=[5, 50])
    >>> columns = study.columns()
    >>> columns["pool"], columns["fp"][1], columns["fn"][1]  # the last one is the reference itself
    (['depth 5', 'depth 50'], 0, 0)
    """

    pools: tuple[str, ...]
    found: tuple[tuple[Discrimination, ...], ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order given."""
        return tuple(of_pools[0].measure for of_pools in self.found)

    def agreement(self, measure: Measure | str, pool: str) -> Agreement:
        """Return where a pool finds what the last one finds, by a measure."""
        rows = {
            str(scored_by): row for scored_by, row in zip(self.measures, self.found, strict=True)
        }
        row = rows[str(parse_measure(measure))]
        return significance_agreement(row[self.pools.index(pool)], row[-1])

    def columns(self) -> Columns:
        """Return one row per measure and pool; agreement and correlation are with the last."""
        return stack_columns(
            [
                {"pool": [pool]}
                | setting.columns()
                | significance_agreement(setting, row[-1]).columns()
                | {"p_tau": [pvalue_correlation(setting, row[-1])]}
                for row in self.found
                for pool, setting in zip(self.pools, row, strict=True)
            ]
        )

    def sentences(self) -> tuple[str, ...]:
        """Say of each measure what the smallest pool finds of what the last one does."""
        return tuple(self._say(row) for row in self.found)

    def _say(self, row: Sequence[Discrimination]) -> str:
        first, last = row[0], row[-1]
        agreed = significance_agreement(first, last)
        return (
            f"In {first.measure}, {first.power:.1%} of the pairs are significantly different on "
            f"the pool {self.pools[0]!r} and {last.power:.1%} on {self.pools[-1]!r}: "
            f"{agreed.true_positives:,} on both in the same direction, "
            f"{agreed.false_positives:,} on the first alone or in the opposite direction, "
            f"{agreed.false_negatives:,} on the last alone."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return the shares of pairs, and the agreement, as U18 table 5 and 6 print them."""
        columns = self.columns()
        names = ("measure", "pool", "power", "without_p", "tp", "fp", "contradictions", "fn", "tn")
        return (table_of({name: columns[name] for name in names}),)


@recorded
def discriminate_pools(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    pool_depths: Sequence[int] = (),
    reference: Judgments | None = None,
    pooled: Iterable[str] | None = None,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: int | None = 1,
) -> PoolDiscrimination:
    """Test all pairs of systems on several pools, and compare each pool with the last one.

    Parameters
    ----------
    pool_depths : sequence of int
        Test on pools of these depths, such as 5,10,50, and compare each with the deepest; without
        any, on all judgments.
    reference : Judgments, optional
        Compare with what these judgments find, on the topics that both have.
    pooled : iterable of str, optional
        The runs that form the pools; all of them by default.

    Returns
    -------
    PoolDiscrimination
        Which pairs each pool finds different, by measure.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = discriminate_pools(made.judgments, made.runs, ["P@10"], reference=made.truth)
    >>> study.pools
    ('as given', 'reference')
    """
    names = None if pooled is None else tuple(pooled)
    aligned = align(judgments, runs)
    pools = list(_pools(aligned, judgments, runs, pool_depths, names))
    if reference is not None:
        pools.append((_REFERENCE, align(reference, runs)))
    _require_two(pools)
    # Other judgments may be of fewer topics, and pairs are compared on the same ones.
    topics = [t for t in aligned.topics if t in set(pools[-1][1].topics)]
    wanted = [parse_measure(measure) for measure in measures]
    tables = [[_scores(pool, measure, topics) for _, pool in pools] for measure in wanted]
    return PoolDiscrimination(
        tuple(name for name, _ in pools),
        tuple(
            tuple(discriminate(t, test=test, alpha=alpha, resamples=resamples, rng=rng) for t in of)
            for of in tables
        ),
        provenance=aligned.provenance.with_options(
            pool_depths=tuple(pool_depths),
            pooled="all" if names is None else names,
            test=test,
            alpha=alpha,
            **drawn_options(test, resamples, rng),
        ),
    )


def _pools(
    aligned: Evidence,
    judgments: Judgments,
    runs: Runs,
    depths: Sequence[int],
    pooled: tuple[str, ...] | None,
) -> Iterator[tuple[str, Evidence]]:
    """Yield the name of each pool, and the runs met with its judgments."""
    if not depths:
        yield _AS_GIVEN, aligned
        return
    nominations = nominate(judgments, runs)
    # The last pool is what the others are compared with: it has to be the deepest.
    for depth in sorted(set(depths)):
        yield f"depth {depth}", aligned.regrade(nominations.depth_pool(depth, systems=pooled))


def _scores(pool: Evidence, measure: Measure, topics: Sequence[str]) -> ScoreTable:
    return score(pool, measure, bounds="none").select(topics=topics)


def _require_two(pools: Sequence[tuple[str, Evidence]]) -> None:
    if len(pools) < 2:
        raise OptionError(
            "pool_depths: it takes two pools to compare them; got "
            f"{', '.join(name for name, _ in pools)}. Hint: give two depths, such as 10 and 50, "
            "or other judgments as the reference."
        )
