"""Which pairs of systems smaller pools find different, beside a larger one (U18 §3.6)."""

from collections.abc import Iterable, Iterator, Sequence

from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._discrimination import (
    Agreement,
    Discrimination,
    discriminate,
    pvalue_correlation,
    significance_agreement,
)
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score

__all__ = ["PoolDiscrimination", "discriminate_pools"]

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
    >>> found = discriminate_pools(made.truth, made.runs, ["AP"], pool_depths=[5, 50])
    >>> columns = found.columns()
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
        rows = {str(known): row for known, row in zip(self.measures, self.found, strict=True)}
        row = rows[str(parse_measure(measure))]
        return significance_agreement(row[self.pools.index(pool)], row[-1])

    def columns(self) -> Columns:
        """Return one row per measure and pool; agreement and correlation are with the last."""
        return stack_columns(
            [
                {"pool": [pool]}
                | one.columns()
                | significance_agreement(one, row[-1]).columns()
                | {"p_tau": [pvalue_correlation(one, row[-1])]}
                for row in self.found
                for pool, one in zip(self.pools, row, strict=True)
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
    judgments, runs
        What was judged, and what was retrieved.
    measures
        Measures or their names.
    pool_depths : sequence of int
        Judge pools of these depths only; without any, take the judgments as they are.
    reference : Judgments, optional
        Other judgments to compare with, on the topics that both have; by default the deepest pool.
    pooled : iterable of str, optional
        The runs that form the pools; all of them by default.
    test, alpha, resamples, rng
        As for :func:`~poolwise.discriminate`.

    Returns
    -------
    PoolDiscrimination
        Which pairs each pool finds different, by measure.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = discriminate_pools(made.judgments, made.runs, ["P@10"], reference=made.truth)
    >>> found.pools
    ('as given', 'reference')
    """
    names = None if pooled is None else tuple(pooled)
    aligned = align(judgments, runs)
    pools = list(_pools(aligned, judgments, runs, pool_depths, names))
    if reference is not None:
        pools.append((_REFERENCE, align(reference, runs)))
    _require_two(pools)
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
