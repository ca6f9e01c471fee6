"""Whether the judgments of a collection can be used again, for which new systems and how deep."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import Nominations, nominate
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import BEYOND
from poolwise.evidence._meeting import align
from poolwise.evidence._pool_shape import PoolShape, find_pool
from poolwise.evidence.unknowns.relevance_model._features import (
    FEWEST_KINDS,
    kinds_of_runs,
    units_text,
)
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Column, Table
from poolwise.scores._scoring import score
from poolwise.words import counted, named

__all__ = ["Reusability", "ReuseRow", "reusability"]

_CUTOFFS = (5, 10, 20, 50, 100)
_ORDERS, _LOSS = 0.95, 0.05
"""A cut-off is safe where so many orders stay, and a score loses at most this share of itself."""
_SATURATED = 0.5
"""A topic of whose judged documents so many are relevant has relevant ones that nobody judged."""
_UNTOLD, _NEW = "runs like pooled ones", "given runs that were not pooled"


@dataclass(frozen=True)
class ReuseRow:
    """What becomes of new runs of a kind at a cut-off.

    Attributes
    ----------
    runs : int
        How many runs of the kind were left out of the pool with their group, or are not in it.
    judged : float
        The share of their documents to the cut-off that is judged then.
    bias : float
        By how much their mean nDCG is lower than with their own documents judged; NaN where
        nobody knows it.
    orders : float
        The share of their orders against pooled runs that stay; NaN likewise.
    unique : float
        Relevant documents that they alone brought in, by topic.
    """

    kind: str
    cutoff: int
    runs: int
    judged: float
    score: float
    bias: float
    orders: float
    unique: float

    @property
    def is_safe(self) -> bool:
        """Whether scores to this cut-off can be believed of such runs."""
        if np.isnan(self.orders):
            return self.judged >= 1 - _LOSS
        return self.orders >= _ORDERS and -self.bias <= _LOSS * max(self.score, 1e-9)


@finding
class Reusability(Finding):
    """For which new systems judgments can be used again, and to which cut-off.

    Attributes
    ----------
    rows : tuple of ReuseRow
        One for each kind of run and cut-off.
    units : int
        How many groups, or kinds of runs, were left out in turn; ``what`` says which.
    saturated : tuple of str
        Topics of whose judged documents half or more are relevant.
    topics : int
        How many topics are judged.
    pool : str
        How the pool was made.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=30, rng=1)
    >>> qrels = pw.pool(made.judgments, made.runs, depth=20)
    >>> reuse = reusability(qrels, made.runs)
    >>> reuse.sentences()[0].startswith("Reusable for")
    True
    """

    rows: tuple[ReuseRow, ...]
    units: int
    what: str
    saturated: tuple[str, ...]
    topics: int
    pool: str

    @property
    def is_diverse(self) -> bool:
        """Whether enough kinds of runs were pooled to say something of a new one."""
        return self.units >= FEWEST_KINDS

    def deepest(self, kind: str) -> int:
        """Return the deepest cut-off to which all are safe; 0 where none is."""
        safe = 0
        for row in (row for row in self.rows if row.kind == kind):
            if not row.is_safe:
                break
            safe = row.cutoff
        return safe

    def columns(self) -> Columns:
        """Return one row for each kind of run and cut-off."""
        names = ("kind", "cutoff", "runs", "judged", "bias", "orders", "unique")
        columns: Columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return columns | {"safe": [row.is_safe for row in self.rows]}

    def tables(self) -> tuple[Table, ...]:
        """Return the rows, with words for what is safe."""
        titles = {
            "kind": Column("new runs"),
            "cutoff": Column("cut-off"),
            "runs": Column("runs"),
            "judged": Column("judged", digits=2),
            "bias": Column("bias", digits=4),
            "orders": Column("orders kept", digits=3),
            "unique": Column("unique relevant", digits=2),
            "safe": Column("safe"),
        }
        columns = self.columns()
        columns["safe"] = ["yes" if safe else "no" for safe in columns["safe"]]
        cells = {titles[name]: of for name, of in columns.items()}
        return (Table.by_column(cells, title="Reuse by nDCG"),)

    def sentences(self) -> tuple[str, ...]:
        """Say for what the judgments can be used again, and for what not."""
        return (self._verdict(), *self._doubts(), *self._saturation(), self.pool)

    def _verdict(self) -> str:
        depths = {kind: self.deepest(kind) for kind in dict.fromkeys(r.kind for r in self.rows)}
        good = [f"{kind} to depth {depth}" for kind, depth in depths.items() if depth]
        bad = [kind for kind, depth in depths.items() if not depth]
        if not self.is_diverse:
            bad.append("runs of any kind that was not pooled")
        yes = f"Reusable for {named(good)}" if good else "Not shown to be reusable"
        return f"{yes}{'; not' if good and bad else ''}{' for ' + named(bad) if bad else ''}."

    def _doubts(self) -> Iterator[str]:
        if not self.is_diverse:
            yield (
                f"Only {units_text(self.units, self.what)} brought in documents of their own, and "
                f"{FEWEST_KINDS} are needed to say something of another kind: the pooled runs are "
                "too alike."
            )
        worst = [r for r in self.rows if r.kind == _NEW and not r.is_safe]
        if worst:
            yield (
                f"Of {counted(worst[0].runs, 'given run')} that no pool knew, "
                f"{worst[0].judged:.0%} is judged down to rank {worst[0].cutoff}. Use estimates "
                "with ranges (poolwise estimate), and judge what they retrieve (poolwise next)."
            )

    def _saturation(self) -> tuple[str, ...]:
        if not self.saturated:
            return ()
        said = (
            f"On {counted(len(self.saturated), 'topic')} of {self.topics:,} half of the judged "
            f"documents or more are relevant, so that more are likely to be found: "
            f"{named(list(self.saturated), most=5)}."
        )
        return (said,)


@recorded
def reusability(
    judgments: Judgments,
    runs: Runs,
    *,
    groups: Groups | None = None,
    kinds: Groups | None = None,
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    cutoffs: Sequence[int] = _CUTOFFS,
) -> Reusability:
    """Leave out of the pool each group of runs in turn, and see what its scores would have been.

    A cut-off is safe for a kind of run if at least 95% of the orders of its runs against pooled
    ones stay, and their mean nDCG loses at most 5%, and so at all smaller cut-offs. Given runs that
    were not pooled need 95% of their documents judged, since nobody knows what they lose.

    Parameters
    ----------
    groups : Groups, optional
        Which runs come from one place, and are left out together; by default runs that are alike.
    kinds : Groups, optional
        The kind of each run, such as automatic and manual.
    depth, pooled
        The depth of the pool, and the runs that formed it; by default read off the judgments.
    cutoffs : sequence of int
        Where to look, as far as the pool is deep.

    Returns
    -------
    Reusability
        What becomes of new runs of each kind, by cut-off, and a statement for organisers.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> reuse = reusability(made.judgments, made.runs, groups=made.groups)
    >>> print(reuse.sentences()[0])
    Not shown to be reusable for runs like pooled ones, given runs that were not pooled, runs of any
    kind that was not pooled.
    """
    evidence = align(judgments, runs)
    pool = find_pool(evidence, depth=depth, pooled=pooled, groups=groups)
    # Below the pool nobody was judged, and leaving a run out shows nothing.
    depths = tuple(c for c in sorted(cutoffs) if c <= pool.depth) or (pool.depth,)
    seen = evidence.truncate(max(depths))
    units = _units(evidence, pool)
    work = _LeftOut(seen, nominate(judgments, runs), pool, units, depths)
    left_out = [run for unit in counting(work.owners(), "units left out") for run in work.of(unit)]
    labels = _labels(kinds, evidence.systems)
    rows = [
        *_rows(left_out, labels, depths, len(evidence.topics)),
        *_rows_of_new(seen, pool, depths),
    ]
    return Reusability(
        rows=tuple(rows),
        units=len(work.owners()),
        what="group" if pool.told else "kind of run",
        saturated=_saturated(evidence),
        topics=int(evidence.pool.any(axis=1).sum()),
        pool=pool.remark,
        provenance=evidence.provenance.with_options(**pool.options()),
    )


def _labels(kinds: Groups | None, systems: Sequence[str]) -> tuple[str, ...]:
    """Return the kind of each run; one for all where nobody told any."""
    if kinds is None:
        return (_UNTOLD,) * len(systems)
    return tuple((kind or "other") + " runs" for kind in kinds.select(systems).labels)


def _units(evidence: Evidence, pool: PoolShape) -> Indices:
    """Return what is left out together: groups that were told, or else runs that are alike."""
    return pool.group_of if pool.told else kinds_of_runs(evidence, pool.depth)


@dataclass(frozen=True, eq=False)
class _OneRun:
    """A left-out run at a cut-off."""

    run: int
    cutoff: int
    judged: float
    score: float
    bias: float
    orders: float
    unique: int


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """The collection, and what each unit alone brought in."""

    evidence: Evidence
    nominations: Nominations
    pool: PoolShape
    units: Indices
    cutoffs: tuple[int, ...]

    def judgments(self, unit: int) -> Judgments:
        """Return the judgments without what the pooled runs of a unit alone brought in."""
        names = np.array(self.evidence.systems, object)
        gone = names[(self.units == unit) & self.pool.pooled].tolist()
        pooled = names[self.pool.pooled].tolist()
        return self.nominations.leave_out(gone, depth=self.pool.depth, systems=pooled)

    def owners(self) -> list[int]:
        """Return the units of pooled runs that alone brought in a judged document."""
        whole = len(self.nominations.judgments)
        of_pooled = np.unique(self.units[self.pool.pooled]).tolist()
        return [unit for unit in of_pooled if len(self.judgments(unit)) < whole]

    def of(self, unit: int) -> Iterator[_OneRun]:
        """Compare scores of a unit's runs without its own judgments with those they have."""
        left = self.judgments(unit)
        without = self.evidence.regrade(left)
        runs = np.flatnonzero((self.units == unit) & self.pool.pooled)
        others = np.flatnonzero((self.units != unit) & self.pool.pooled)
        before = self.nominations.judgments
        relevant = [int((j.scale[j.codes[j.judged]] > 0).sum()) for j in (before, left)]
        for cutoff in self.cutoffs:
            measure = parse_measure(f"nDCG@{cutoff}")
            full, now = (score(e, measure, bounds="none").means() for e in (self.evidence, without))
            judged = _judged(without, cutoff)
            for run in runs.tolist():
                stay = np.sign(full[run] - full[others]) == np.sign(now[run] - now[others])
                yield _OneRun(
                    run,
                    cutoff,
                    float(judged[run]),
                    float(full[run]),
                    float(now[run] - full[run]),
                    float(stay.mean()) if len(others) else float("nan"),
                    relevant[0] - relevant[1],
                )


def _judged(evidence: Evidence, cutoff: int) -> Floats:
    """Return the share of each run's first documents that has a grade."""
    judged, there = np.zeros((2, len(evidence.systems)))
    for block in evidence.truncate(cutoff).blocks:
        judged += (block.codes >= 0).sum(axis=(1, 2))
        there += (block.codes != BEYOND).sum(axis=(1, 2))
    return np.asarray(judged / np.maximum(there, 1))


def _rows(
    runs: Sequence[_OneRun], labels: Sequence[str], cutoffs: Sequence[int], topics: int
) -> Iterator[ReuseRow]:
    """Add up runs by kind and cut-off."""
    for kind in dict.fromkeys(labels):
        for cutoff in cutoffs:
            its = [run for run in runs if labels[run.run] == kind and run.cutoff == cutoff]
            if its:
                yield ReuseRow(
                    kind,
                    cutoff,
                    len(its),
                    judged=_mean(its, "judged"),
                    score=_mean(its, "score"),
                    bias=_mean(its, "bias"),
                    orders=_mean(its, "orders"),
                    unique=_mean(its, "unique") / max(topics, 1),
                )


def _mean(runs: Sequence[_OneRun], name: str) -> float:
    return float(np.mean([getattr(run, name) for run in runs]))


def _rows_of_new(evidence: Evidence, pool: PoolShape, cutoffs: Sequence[int]) -> Iterator[ReuseRow]:
    """Say how much is judged of given runs that were not pooled: nobody knows what they lose."""
    new: Booleans = ~pool.pooled
    if not new.any():
        return
    nothing = float("nan")
    for cutoff in cutoffs:
        judged = float(_judged(evidence, cutoff)[new].mean())
        yield ReuseRow(_NEW, cutoff, int(new.sum()), judged, nothing, nothing, nothing, nothing)


def _saturated(evidence: Evidence) -> tuple[str, ...]:
    """Return the topics of whose judged documents half or more are relevant."""
    total = evidence.pool.sum(axis=1)
    relevant = evidence.pool[:, evidence.scale > 0].sum(axis=1)
    many = (total > 0) & (relevant >= _SATURATED * total)
    return tuple(evidence.topics[t] for t in np.flatnonzero(many).tolist())
