"""What pools hold as they become deeper, and what a deeper one would find (W10 §3.4.2)."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from poolwise.arrays import Floats, Indices, Integers, spread
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import (
    Nominations,
    graded_rows,
    named_systems,
    nominate,
    systems_option,
)
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice, require_depth
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import judged_to_depth
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, record_of, table_of
from poolwise.words import counted

__all__ = [
    "FITS",
    "PoolExtrapolation",
    "PoolGrowth",
    "pool_growth",
    "relevant_beyond",
    "undiscovered",
]

POOL_DEPTHS = (1, 2, 5, 10, 20, 50, 100)
"""Depths of pools, from very shallow to what TREC judges."""


@finding
class PoolGrowth(Finding):
    """How the pool of each topic grows with its depth.

    Attributes
    ----------
    depths : tuple of int
        Pool depths, ascending.
    topics : tuple of str
        The judged topics.
    judged, relevant : int array, depths × topics
        Documents, and relevant documents, in the pool of that depth (U18 fig. 4).

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> growth = pool_growth(nominate(made.truth, made.runs), [1, 5, 20])
    >>> growth.depths, growth.judged.shape
    ((1, 5, 20), (3, 3))
    >>> bool((growth.judged[0] < growth.judged[2]).all())
    True
    """

    depths: tuple[int, ...]
    topics: tuple[str, ...]
    judged: Integers
    relevant: Integers

    def rates(self) -> Floats:
        """Return the share of relevant documents among those each step adds (G16 fig. 3).

        NaN where a step adds nothing.
        """
        judged, relevant = (
            np.diff(x.sum(axis=1), prepend=0).astype(np.float64)
            for x in (self.judged, self.relevant)
        )
        return np.divide(relevant, judged, out=np.full(len(judged), np.nan), where=judged > 0)

    def bands(self) -> tuple[str, ...]:
        """Return the ranks that each step adds, such as 11–20."""
        starts = [1, *(depth + 1 for depth in self.depths[:-1])]
        return tuple(f"{a}–{b}" for a, b in zip(starts, self.depths, strict=True))

    def spread(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Return five numbers over topics, of judged and of relevant documents (U18 fig. 4)."""
        return spread(self.judged), spread(self.relevant)

    def columns(self) -> Columns:
        """Return one row per depth and topic: the documents judged, and the relevant ones."""
        return {
            "depth": np.repeat(self.depths, len(self.topics)).tolist(),
            "topic": list(self.topics) * len(self.depths),
            "judged": self.judged.ravel().tolist(),
            "relevant": self.relevant.ravel().tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how large the deepest pool is, and how often its last documents are relevant."""
        if not self.depths:
            return ("No depth was asked for.",)
        judged, relevant = int(self.judged[-1].sum()), int(self.relevant[-1].sum())
        size = (
            f"Down to depth {self.depths[-1]} the pools of {counted(len(self.topics), 'topic')} "
            f"hold {counted(judged, 'judged document')}, {relevant:,} of them relevant."
        )
        return (size, *self._last_step())

    def _last_step(self) -> Iterator[str]:
        if len(self.depths) > 1:
            rate, added = float(self.rates()[-1]), f"added below depth {self.depths[-2]}"
            if np.isnan(rate):
                yield f"No document was {added}."
            else:
                yield f"Of the documents {added}, {rate:.1%} are relevant."

    def tables(self) -> tuple[Table, ...]:
        """Return one row per depth, over all topics."""
        totals = {
            "depth": list(self.depths),
            "judged": self.judged.sum(axis=1).tolist(),
            "relevant": self.relevant.sum(axis=1).tolist(),
            "rate of the added": self.rates().tolist(),
        }
        return (table_of(totals),)


@recorded
def pool_growth(
    nominations: Nominations,
    depths: Sequence[int] = POOL_DEPTHS,
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
) -> PoolGrowth:
    """Show how many documents, and relevant ones, pools of the runs hold as they become deeper.

    Parameters
    ----------
    depths : sequence of int
        Pool these numbers of ranks of each run, one pool after another.
    systems
        The pooled systems.

    Returns
    -------
    PoolGrowth
        The counts by depth and topic, from which the rate of relevant documents follows.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> nominations = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> growth = pool_growth(nominations, [1, 2])
    >>> growth.judged.tolist(), growth.relevant.tolist(), growth.rates().tolist()
    ([[2], [3]], [[2], [2]], [1.0, 0.0])
    """
    steps = tuple(sorted(set(depths)))
    for depth in steps:
        require_depth(depth, longest=nominations.longest)
    qrels, pooled = nominations.judgments, named_systems(systems)
    # A document is in every pool that reaches its best rank: one number says what all depths hold.
    step = np.searchsorted(steps, nominations.best_ranks(pooled))
    judged, relevant = (
        _cumulated(step[rows], qrels.topic_of_row[rows], len(steps), len(qrels.topics))
        for rows in (graded_rows(qrels), graded_rows(qrels, at_least=rel))
    )
    origin = nominations.provenance.with_options(
        depths=steps, systems=systems_option(pooled), rel=rel
    )
    return PoolGrowth(steps, qrels.topics, judged, relevant, provenance=origin)


def _cumulated(step: Indices, topic: Integers, steps: int, topics: int) -> Integers:
    """Count rows by step and topic, each step with those before it; rows past the last drop out."""
    counts = np.bincount(step * topics + topic, minlength=(steps + 1) * topics)
    return counts.reshape(steps + 1, topics)[:steps].cumsum(axis=0)


FITS = {
    "together": "the rate declines alike on all topics",
    "topics": "each topic has a decline of its own (Zobel 1998)",
}
"""How the declining rate of discovery is fitted."""

_STEEPEST = -12.0
"""The decline of a topic all of whose relevant documents are first ones."""


@finding
class PoolExtrapolation(Finding):
    """Relevant documents that a pool has found, and those that a deeper one would find.

    The number of new relevant documents at rank d of the runs is taken to decline as a power of
    d, and the decline to go on below the pool.

    Attributes
    ----------
    topics : tuple of str
    depth, target : int
        Depth of the pool, and the depth to which it is extrapolated.
    fit : str
        A key of ``FITS``.
    added : int array, depth × topics
        Relevant documents whose best rank is this one.
    exponents : float array, topics
        The power of the rank, 0 or below.
    expected : float array, topics
        Relevant documents down to ``target``: those found, and those expected beyond.
    from_half : float array, topics
        What the same method expects down to ``depth`` from the upper half of the ranks alone, to
        be held against what was found there.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=10, depth=40, rng=7)
    >>> beyond = relevant_beyond(nominate(made.truth, made.runs), 20, target=40)
    >>> bool((beyond.expected >= beyond.found).all()), 0 < beyond.share_found < 1
    (True, True)
    """

    topics: tuple[str, ...]
    depth: int
    target: int
    fit: str
    added: Integers
    exponents: Floats
    expected: Floats
    from_half: Floats

    @property
    def found(self) -> Integers:
        """Relevant documents of each topic in the pool."""
        return np.asarray(self.added.sum(axis=0))

    @property
    def share_found(self) -> float:
        """Share of the expected relevant documents that the pool holds; NaN where none is."""
        total = float(self.expected.sum())
        return float(self.found.sum()) / total if total else float("nan")

    def curve(self) -> Columns:
        """Return by rank the new relevant documents per topic: found in the pool, and fitted."""
        ranks = np.arange(1, self.target + 1)
        powers = ranks[:, None] ** self.exponents
        # The power law is the shape; over the ranks of the pool it adds up to what was found there.
        scale = self.found / powers[: self.depth].sum(axis=0)
        beyond: list[float | None] = [None] * (self.target - self.depth)
        return {
            "rank": ranks.tolist(),
            "added": [*self.added.mean(axis=1).tolist(), *beyond],
            "fitted": (powers * scale).mean(axis=1).tolist(),
        }

    def columns(self) -> Columns:
        """Return one row per topic."""
        return {
            "topic": list(self.topics),
            "found": self.found.tolist(),
            "expected": self.expected.tolist(),
            "exponent": self.exponents.tolist(),
            "from_half": self.from_half.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what share was found, and how well the method extrapolates within the pool."""
        relevant, expected = int(self.found.sum()), float(self.expected.sum())
        if not relevant:
            return ("The pool holds no relevant document, so nothing can be extrapolated.",)
        topics = counted(len(self.topics), "topic")
        return (
            (
                f"The pool of depth {self.depth} holds {counted(relevant, 'relevant document')} of "
                f"{topics}; down to depth {self.target}, about {expected:,.0f} are expected: "
                f"{self.share_found:.0%} of them are found."
            ),
            self._check(),
        )

    def _check(self) -> str:
        relevant, half = int(self.found.sum()), float(self.from_half.sum())
        return (
            f"From the first {counted(self.depth // 2, 'rank')} alone, {half:,.0f} would be "
            f"expected down to depth {self.depth}, {abs(half / relevant - 1):.1%} "
            f"{'more' if half >= relevant else 'fewer'} than are there. The further below the "
            "pool, the less an extrapolation is worth."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers over all topics."""
        columns: Columns = {
            "topics": [len(self.topics)],
            f"relevant down to depth {self.depth}": [int(self.found.sum())],
            f"expected down to depth {self.target}": [float(self.expected.sum())],
            "share found": [self.share_found],
            "expected from half of the ranks": [float(self.from_half.sum())],
        }
        return (record_of(columns, digits=2),)


@recorded
def relevant_beyond(
    nominations: Nominations,
    depth: int,
    *,
    target: int | None = None,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
    fit: str = "together",
) -> PoolExtrapolation:
    """Extrapolate how many relevant documents a pool would find at a greater depth.

    Deeper pools find fewer new relevant documents at each rank; the declining rate tells how many
    there are (Zobel 1998; W10 §3.4.2, U18 §3.5). What no run retrieves stays unknown, so it is
    no estimate of all relevant documents of a corpus.

    Parameters
    ----------
    depth
        The depth to which the runs were pooled and judged.
    target
        The depth to extrapolate to; ten times the depth by default.
    systems
        The pooled systems; all by default.
    fit
        A key of ``FITS``.

    Returns
    -------
    PoolExtrapolation
        Relevant documents of each topic, found and expected.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": list("abcdefgh")}})
    >>> nominations = nominate(Judgments.from_dict({"1": {"a": 1, "b": 1, "d": 1, "e": 0}}), runs)
    >>> round(relevant_beyond(nominations, 4, target=8).expected.item(), 2)
    5.01
    """
    if depth < 2:
        raise OptionError(f"depth: a rate needs 2 ranks or more; got {depth}. Hint: use 100.")
    growth = pool_growth(nominations, range(1, depth + 1), systems=systems, rel=rel)
    return extrapolate_relevant(growth, target=target, fit=fit)


@recorded
def undiscovered(
    judgments: Judgments,
    runs: Runs,
    *,
    depth: int = 100,
    target: int | None = None,
    pooled: Sequence[str] | None = None,
    rel: float = 1.0,
    fit: str = "together",
) -> PoolExtrapolation:
    """Estimate how many relevant documents a deeper pool of the runs would find.

    The deeper a pool, the fewer new relevant documents each rank adds. This decline is fitted
    inside the pool and extrapolated below it; a fit to half of the pool says how far to trust it.

    As :func:`relevant_beyond`, which is told the pooled runs.

    Parameters
    ----------
    depth : int
        Depth to which the runs were pooled and judged.
    target : int, optional
        Estimate the relevant documents down to this depth, by default ten times the depth of the
        pool.
    pooled : sequence of str, optional
        The runs that formed the pool; by default those that are judged to this depth on all topics.
    rel : float
        Count documents of at least this grade as relevant.
    fit : {"together", "topics"}
        Fit one decline of the rate of discovery to all topics (together), or one to each topic
        (topics).

    Returns
    -------
    PoolExtrapolation
        Relevant documents of each topic, found and expected.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=40, rng=1)
    >>> beyond = undiscovered(made.truth, made.runs, depth=20, target=40)
    >>> 0 < beyond.share_found < 1
    True
    """
    systems = pooled
    if systems is None:
        whole = judged_to_depth(align(judgments, runs), depth).all(axis=1)
        systems = [runs.systems[s] for s in np.flatnonzero(whole).tolist()]
    if not systems:
        raise OptionError(
            f"depth: no run is judged to depth {depth} on all topics. Hint: use a smaller depth, "
            "or name the pooled runs."
        )
    nominations = nominate(judgments, runs)
    return relevant_beyond(nominations, depth, target=target, systems=systems, rel=rel, fit=fit)


def extrapolate_relevant(
    growth: PoolGrowth, *, target: int | None = None, fit: str = "together"
) -> PoolExtrapolation:
    """Extrapolate the growth of pools of every depth from 1 on, as :func:`relevant_beyond`."""
    require_choice("fit", fit, FITS)
    depth = growth.depths[-1]
    deep = 10 * depth if target is None else target
    if deep <= depth:
        raise OptionError(
            f"target: must be deeper than the pool, {depth}; got {deep}. Hint: use {10 * depth}."
        )
    added = np.diff(growth.relevant, axis=0, prepend=0)
    exponents = _exponents(added, fit)
    # Half of the ranks predict the other half, which is known: so the reader sees what it is worth.
    half = added[: depth // 2]
    return PoolExtrapolation(
        topics=growth.topics,
        depth=depth,
        target=deep,
        fit=fit,
        added=added,
        exponents=exponents,
        expected=_extended(added, exponents, deep),
        from_half=_extended(half, _exponents(half, fit), depth),
        provenance=growth.provenance.with_options(depths=f"1 to {depth}", target=deep, fit=fit),
    )


def _extended(added: Integers, exponents: Floats, target: int) -> Floats:
    """Return what was added, with the ranks below extrapolated to the target."""
    powers = np.arange(1, target + 1)[:, None] ** exponents
    seen = powers[: len(added)].sum(axis=0)
    return np.asarray(added.sum(axis=0) * powers.sum(axis=0) / seen)


def _exponents(added: Integers, fit: str) -> Floats:
    """Return the power of the rank of each topic, by maximum likelihood of Poisson counts.

    With counts of mean c·d^s at rank d, and any c for each topic, the best s is the one whose
    mean logarithm of ranks is that of the relevant documents.
    """
    by_topic = added if fit == "topics" else np.repeat(
        added.sum(axis=1, keepdims=True), added.shape[1], axis=1
    )  # fmt: skip
    logs = np.log(np.arange(1, len(added) + 1))
    count = by_topic.sum(axis=0)
    wanted = logs @ by_topic / np.maximum(count, 1)
    # The mean logarithm rises with the exponent, so that halving the interval finds it: 60 times
    # leave less than the last bit of a float. Above 0 the rate would grow with the rank.
    low, high = np.full(len(count), _STEEPEST), np.zeros(len(count))
    for _ in range(60):
        middle = (low + high) / 2
        powers = np.exp(logs[:, None] * middle)
        below = logs @ powers / powers.sum(axis=0) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)
