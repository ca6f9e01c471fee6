"""How far scores of runs outside the pool are off, and how far adjusting helps (W10 ch. 6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import Nominations, nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_depth
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import condense
from poolwise.judging._lists import list_pool
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores.treatments._bias import BiasFromSystems
from poolwise.studies._swaps import random_subsets
from poolwise.studies._tasks import Progress, run_tasks, spawn_seeds
from poolwise.words import counted

__all__ = ["BASES", "PoolingBias", "pooling_bias"]

BASES = {
    "nonrelevant": "unjudged documents are taken as not relevant",
    "condensed": "unjudged documents are left out of the lists",
}
"""How a run that was not pooled is scored before anything is adjusted."""


def complete_pool(judgments: Judgments, runs: Runs, depth: int) -> Judgments:
    """Judge what is left to judge in the first ranks of runs, as not relevant (W10 §6.1.1).

    So only the pools of a study leave documents unjudged, and scores under them are the truth.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}})
    >>> list(complete_pool(Judgments.from_dict({"1": {"a": 1}}), runs, 2))
    [('1', 'a', 1.0), ('1', 'b', 0.0)]
    """
    grades = {
        topic: {document: max(grade, 0.0) for document, grade in judged.items()}
        for topic, judged in judgments.to_dict().items()
    }
    pool = list_pool(runs, depth=depth)
    for topic, document in zip(pool.topic, pool.document, strict=True):
        # Nobody judged a topic that runs alone have: it stays out.
        if topic in grades:
            grades[topic].setdefault(document, 0.0)
    return replace(Judgments.from_dict(grades), source=judgments.source, notices=judgments.notices)


@dataclass(frozen=True, eq=False)
class PoolPlan:
    """What all pools share.

    Attributes
    ----------
    evidence, nominations : Evidence, Nominations
        Runs whose first ranks are all judged.
    measure : Measure
    depth : int
        Ranks of each run that are pooled.
    pooled : int array
        The systems that pools are drawn from.
    tested : int array or None
        The systems that are scored with every pool; None for one more system of those pooled.
    common : tuple of int
        Numbers of common topics.
    samples : int
        How often common topics are drawn for each pool.
    group_of : int array or None
        The group of each system: a tested one leaves the pool together with its group.
    """

    evidence: Evidence
    nominations: Nominations
    measure: Measure
    depth: int
    pooled: Indices
    tested: Indices | None
    common: tuple[int, ...]
    samples: int
    group_of: Indices | None = None

    def scores(self, evidence: Evidence) -> Floats:
        """Return systems × topics; an undefined score is 0, as nothing relevant is known."""
        return np.nan_to_num(self.measure.score(evidence), nan=0.0)

    def draw(self, width: int, random: np.random.Generator) -> tuple[Indices, Indices]:
        """Return systems that form a pool, and systems that are tested with it."""
        if self.tested is not None:
            others = self._of_other_groups(self.pooled, self.tested)
            return random.choice(others, width, replace=False), self.tested
        # W10 alg. 6.3: the tested run is drawn from those outside of the pool.
        drawn = random.permutation(self.pooled)
        if self.group_of is None:
            return drawn[:width], drawn[width : width + 1]
        tested = drawn[-1:]
        return self._of_other_groups(drawn[:-1], tested)[:width], tested

    def _of_other_groups(self, systems: Indices, tested: Indices) -> Indices:
        """Return the systems that share no group with those tested."""
        if self.group_of is None:
            return systems
        return systems[~np.isin(self.group_of[systems], self.group_of[tested])]

    def widest(self) -> int:
        """Return how many systems a pool can have, whichever system is tested with it."""
        if self.group_of is None:
            # Where the tested run is drawn, too, the pool cannot have all.
            return len(self.pooled) - (self.tested is None)
        if self.tested is not None:
            return len(self._of_other_groups(self.pooled, self.tested))
        sizes = np.bincount(self.group_of[self.pooled])
        return len(self.pooled) - int(sizes.max())


class PoolErrors(NamedTuple):
    """How far scores of the tested runs are off, with one pool.

    Attributes
    ----------
    bias : float array, bases × tested
        Mean score without the run's own judgments less the true one.
    from_systems : float array, tested
        The same after algorithm 6.1, of unjudged documents taken as not relevant; NaN where the
        pool does not allow it.
    from_topics : float array, bases × common × tested
        The mean size of the error after algorithm 6.2, over samples of common topics.
    sampled : float array, common × tested
        The mean size of the error of true scores on the common topics alone.
    """

    bias: Floats
    from_systems: Floats
    from_topics: Floats
    sampled: Floats


def errors_of_pools(plan: PoolPlan, width: int, seeds: Sequence[int]) -> list[PoolErrors]:
    """Draw one pool of this width for each seed, and see how far scores are off (W10 alg. 6.3)."""
    return [_errors_of_pool(plan, width, np.random.default_rng(seed)) for seed in seeds]


def _errors_of_pool(plan: PoolPlan, width: int, random: np.random.Generator) -> PoolErrors:
    members, tested = plan.draw(width, random)
    truth = plan.scores(plan.evidence.select(tested))
    judged = plan.nominations.depth_pool(
        plan.depth, systems=[plan.evidence.systems[i] for i in members.tolist()]
    )
    pool = plan.evidence.select(np.concatenate([members, tested])).regrade(judged)
    alone = pool.select(np.arange(width, width + len(tested)))
    lost = np.stack([plan.scores(e) - truth for e in (alone, condense(alone))])
    # Every number of common topics, and both bases, meet the same samples.
    chosen = [random_subsets(random, plan.samples, truth.shape[1], n) for n in plan.common]
    return PoolErrors(
        bias=lost.mean(axis=2),
        from_systems=_from_systems(plan, pool, width, truth, lost[0]),
        from_topics=np.array([[_mean_size(base, c) for c in chosen] for base in lost]),
        sampled=np.array([_mean_size(truth, c) for c in chosen]),
    )


def _from_systems(
    plan: PoolPlan, pool: Evidence, width: int, truth: Floats, lost: Floats
) -> Floats:
    """Return adjusted less true means (W10 alg. 6.1)."""
    # The narrowest pools of W10 have two runs, fewer than an adjustment takes elsewhere.
    by = BiasFromSystems(pooled=pool.systems[:width], depth=plan.depth, fewest=2)
    try:
        adjustments = by.adjustments(pool, plan.measure)
    except OptionError:  # too few of the pooled runs answer all topics
        return np.full(len(truth), np.nan)
    # A run without unjudged documents has nothing to adjust.
    return np.array(
        [
            off.mean() + (adjustments[name].factor if name in adjustments else 0.0)
            for name, off in zip(pool.systems[width:], lost, strict=True)
        ]
    )


def _mean_size(values: Floats, chosen: Booleans) -> Floats:
    return np.abs(sample_errors(values, chosen)).mean(axis=1)


def sample_errors(values: Floats, chosen: Booleans) -> Floats:
    """Return the mean over sampled topics less that over all, rows × samples.

    For what runs lose by not being pooled, it is the error of algorithm 6.2 (W10 eq. 6.4).

    Examples
    --------
    >>> sample_errors(np.array([[0.0, 1.0]]), np.array([[True, False], [False, True]])).tolist()
    [[-0.5, 0.5]]
    """
    sampled = values @ chosen.T / chosen.sum(axis=1)
    return np.asarray(sampled - values.mean(axis=1, keepdims=True))


_WIDTHS = (2, 4, 10, 20, 40)
_COMMON = (10, 20, 40, 100)
# Each pool has its own seed, so that this number changes no other.
_POOLS_IN_TASK = 10


@finding
class PoolingBias(Finding):
    """What runs lose or gain by not being in the pool, and what adjusting leaves of it.

    Arrays of the first axes named have pools × tested runs at their end.

    Attributes
    ----------
    measure : Measure
    depth, topics : int
        Ranks of each run that were pooled, and topics of the collection.
    widths, common : tuple of int
        How many runs form a pool, and numbers of common topics, for which the tested runs were
        judged, too.
    samples : int
        How often common topics were drawn for each pool.
    bias : float array, widths × bases × pools × tested
        Mean score of an unpooled run less its true one (W10 fig. 6.2): with unjudged documents
        taken as not relevant, and dropped (``BASES``).
    from_systems : float array, widths × pools × tested
        The same after adjusting from systems (W10 alg. 6.1, table 6.1), of the first base; NaN
        where fewer than two pooled runs answer all topics.
    from_topics : float array, widths × bases × common × pools × tested
        Mean size of the error after adjusting from common topics (W10 alg. 6.2 and 6.3, tables
        6.2 to 6.5), over the samples of them.
    sampled : float array, widths × common × pools × tested
        Mean size of the error of the true scores on the common topics alone.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=12, topics=20, depth=30, rng=1)
    >>> bias = pooling_bias(made.truth, made.runs, "P@10", widths=[2, 6], common=[5], pools=20)
    >>> bool((bias.bias[:, 0] <= 0).all())  # what is not relevant can only lower a precision
    True
    >>> bool(bias.bias[0, 0].mean() < bias.bias[1, 0].mean())  # wider pools leave less out
    True
    """

    measure: Measure
    depth: int
    topics: int
    widths: tuple[int, ...]
    common: tuple[int, ...]
    samples: int
    bias: Floats
    from_systems: Floats
    from_topics: Floats
    sampled: Floats

    @property
    def pools(self) -> int:
        """How many pools of each width were drawn."""
        return self.bias.shape[2]

    def unadjusted(self, common: int = 0) -> Floats:
        """Return sizes of errors before adjusting, widths × bases × pools × tested.

        True scores on some common topics make the rest of the mean smaller by their share, which
        is how tables 6.2 to 6.5 of W10 count them.
        """
        return np.abs(self.bias) * (1 - common / self.topics)

    def quartiles(self) -> Floats:
        """Return the quartiles of the bias, 3 × widths × bases (W10 fig. 6.2)."""
        return np.quantile(self.bias, [0.25, 0.5, 0.75], axis=(2, 3))

    def columns(self) -> Columns:
        """Return one row per base, width and number of common topics, from none up."""
        rows = [
            self._row(b, w, c)
            for b in range(len(BASES))
            for w in range(len(self.widths))
            for c in range(-1, len(self.common))
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _row(self, b: int, w: int, c: int) -> dict[str, str | int | float]:
        common = 0 if c < 0 else self.common[c]
        low, _, high = self.quartiles()[:, w, b].tolist()
        none = float("nan")
        systems = np.abs(self.from_systems[w]).mean() if (b, c) == (0, -1) else none
        return {
            "measure": str(self.measure),
            "unjudged": tuple(BASES)[b],
            "width": self.widths[w],
            "common": common,
            "bias": float(self.bias[w, b].mean()),
            "quartile1": low,
            "quartile3": high,
            "unadjusted": float(self.unadjusted(common)[w, b].mean()),
            "from_systems": float(systems),
            "from_topics": none if c < 0 else float(self.from_topics[w, b, c].mean()),
            "common_alone": none if c < 0 else float(self.sampled[w, c].mean()),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far unpooled runs are off with each base, and what adjusting leaves."""
        return (self._of_bias(), self._of_systems(), *self._of_topics())

    def _of_bias(self) -> str:
        width = counted(self.widths[-1], "run")
        low, high = self.bias[-1].mean(axis=(1, 2)).tolist()
        return (
            f"A run outside a pool of {width} to depth {self.depth} is off by {low:+.4f} in mean "
            f"{self.measure} if unjudged documents count as not relevant, and by {high:+.4f} if "
            "they are left out."
        )

    def _of_systems(self) -> str:
        raw, adjusted = self.unadjusted()[-1, 0].mean(), np.abs(self.from_systems[-1]).mean()
        if np.isnan(adjusted):
            return "Two pooled runs or more must answer all topics to adjust by what they lose."
        return (
            "Adjusting by what the pooled runs lose when left out leaves an error of "
            f"{adjusted:.4f}, where {raw:.4f} is that without adjusting."
        )

    def _of_topics(self) -> tuple[str, ...]:
        return tuple(
            f"Judging the run on {counted(n, 'topic')}, and adjusting it on the others by what it "
            f"gained there, leaves {self.from_topics[-1, 0, c].mean():.4f}; its score on these "
            f"topics alone is off by {self.sampled[-1, c].mean():.4f}."
            for c, n in enumerate(self.common)
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one table per base."""
        columns = self.columns()
        return tuple(self._table(columns, base, why) for base, why in BASES.items())

    def _table(self, columns: Columns, base: str, why: str) -> Table:
        rows = [i for i, name in enumerate(columns["unjudged"]) if name == base]
        own = {name: [cells[i] for i in rows] for name, cells in columns.items()}
        del own["measure"], own["unjudged"]
        return table_of(own, title=f"{self.measure}: {why}")


@recorded
def pooling_bias(
    judgments: Judgments,
    runs: Runs,
    measure: Measure | str = "tRBP(p=0.8)@10",
    *,
    depth: int = 10,
    widths: Sequence[int] | None = None,
    common: Sequence[int] | None = None,
    pools: int = 100,
    samples: int = 200,
    tested: Sequence[str] | None = None,
    pooled: Sequence[str] | None = None,
    groups: Groups | None = None,
    rng: int | np.random.Generator = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PoolingBias:
    """Show how far the score of a run is off that is not in the pool, raw and adjusted.

    Pools of some of the runs are drawn at random, and a run outside them is scored by their
    judgments, with unjudged documents taken as not relevant, and left out. Its score is then
    adjusted by what the pooled runs lose when they are left out, and by what the run itself gains
    on common topics, for which it is judged, too. The judgments are taken to be complete.

    W10 algorithm 6.3, with figure 6.2 and tables 6.1 to 6.5. Documents in the first ranks of runs
    that nobody judged count as judged and not relevant, as in W10 §6.1.1, so that only the pools
    drawn leave documents unjudged. A topic on which the measure is undefined scores 0.

    Parameters
    ----------
    judgments, runs
        What was judged, taken to be complete, and what was retrieved.
    measure : Measure or str
        Score by this measure; that of W10 is as deep as its pools.
    depth : int
        Pool this number of ranks of each run.
    widths : sequence of int, optional
        Pool these numbers of runs, by default 2,4,10,20,40, as far as there are so many.
    common : sequence of int, optional
        Judge the run on these numbers of common topics, by default 10,20,40,100, as far as there
        are more.
    pools : int
        Number of pools of each width.
    samples : int
        Number of times that common topics are drawn for each pool.
    tested : sequence of str, optional
        Test this run with every pool, and pool the others. The option may be repeated. By default
        another run is drawn with each pool.
    pooled
        Draw pools from this run and others named so; by default all that are not tested.
    groups
        Which group each run is of: a tested run leaves the pool together with its whole group.
    rng
        Seed or Generator; every pool has a seed of its own.

    Returns
    -------
    PoolingBias
        Errors by width, base and number of common topics, of every pool and tested run.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=12, topics=20, depth=30, rng=1)
    >>> bias = pooling_bias(made.truth, made.runs, "P@10", widths=[4], common=[5, 10], pools=10)
    >>> few, more = bias.from_topics[0, 0].mean(axis=(1, 2))
    >>> bool(more < few)  # more common topics leave a smaller error
    True
    """
    require_depth(depth, longest=int(runs.lengths.max(initial=0)))
    whole = complete_pool(judgments, runs, depth)
    evidence = align(whole, runs)
    systems, topics = len(runs.systems), len(evidence.topics)
    chosen = None if not tested else indices_of(tested, runs.systems, what="tested")
    plan = PoolPlan(
        evidence,
        nominate(whole, runs),
        parse_measure(measure),
        depth,
        _pooled(runs.systems, chosen, pooled),
        chosen,
        _checked("common", common, _COMMON, topics - 1),
        samples,
        None if groups is None else _group_numbers(groups, runs.systems),
    )
    wide = _checked("widths", widths, _WIDTHS, plan.widest())
    seeds = spawn_seeds(rng, len(wide) * _at_least_one(pools=pools, samples=samples))
    errors = _run(plan, wide, seeds, workers=workers, progress=progress)
    origin = evidence.provenance.with_options(
        **seed_option(rng), depth=depth, widths=wide, common=plan.common, pools=pools,
        samples=samples, tested=tested or "drawn", systems=systems,
    )  # fmt: skip
    return PoolingBias(plan.measure, depth, topics, wide, plan.common, samples, *errors,
                       provenance=origin)  # fmt: skip


def _run(
    plan: PoolPlan,
    widths: tuple[int, ...],
    seeds: list[int],
    *,
    workers: int | None,
    progress: Progress | None,
) -> PoolErrors:
    """Return the errors of all pools, with the axes of :class:`PoolingBias`."""
    pools = len(seeds) // len(widths)
    tasks = [
        (plan, width, seeds[start : min(start + _POOLS_IN_TASK, (w + 1) * pools)])
        for w, width in enumerate(widths)
        for start in range(w * pools, (w + 1) * pools, _POOLS_IN_TASK)
    ]
    results = run_tasks(errors_of_pools, tasks, workers=workers, progress=progress)
    kinds = zip(*(case for result in results for case in result), strict=True)
    return PoolErrors(*(_by_width(np.stack(kind), len(widths)) for kind in kinds))


def _by_width(values: Floats, widths: int) -> Floats:
    """Turn cases × … × tested into widths × … × pools × tested."""
    apart = values.reshape(widths, -1, *values.shape[1:])
    return np.moveaxis(apart, 1, -2)


def _group_numbers(groups: Groups, systems: tuple[str, ...]) -> Indices:
    """Return the number of each system's group."""
    return np.unique(groups.select(systems).labels, return_inverse=True)[1]


def _pooled(
    systems: tuple[str, ...], tested: Indices | None, pooled: Sequence[str] | None
) -> Indices:
    """Return the systems that pools are drawn from."""
    if pooled is None:
        return np.setdiff1d(np.arange(len(systems)), () if tested is None else tested)
    named = indices_of(pooled, systems, what="pooled")
    if tested is not None and len(both := np.intersect1d(named, tested)):
        raise OptionError(
            f"tested, pooled: a tested run is in no pool; got {systems[both[0]]!r} in both. "
            "Hint: name it once."
        )
    return named


def _checked(
    argument: str, numbers: Sequence[int] | None, usual: tuple[int, ...], most: int
) -> tuple[int, ...]:
    """Return the numbers asked for, or the usual ones that are possible."""
    if most < 1:
        raise OptionError(
            f"{argument}: there are too few runs or topics to leave any out. Hint: give at least 2 "
            "runs and 2 topics."
        )
    if numbers is None:
        return tuple(n for n in usual if n <= most) or (most,)
    wrong = [n for n in numbers if not 1 <= n <= most]
    if wrong or not numbers:
        raise OptionError(
            f"{argument}: must be from 1 to {most} here; got {wrong or 'none'}. Hint: use {most}."
        )
    return tuple(numbers)


def _at_least_one(*, pools: int, samples: int) -> int:
    """Return the number of pools, if both numbers are fine."""
    for name, value in {"pools": pools, "samples": samples}.items():
        if value < 1:
            raise OptionError(f"{name}: must be at least 1; got {value}. Hint: use 100.")
    return pools
