"""Whether judgments were made with the help of one run: what it alone contributed, and the others.

Where labels are made from what a system returns, that system is judged everywhere and the others
only where they agree with it: the gold set is circular. What shows it is not how good the documents
are that a run alone has, which may differ between honest runs, but how many of them are *judged*.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._unique_documents import UniqueDocuments, find_unique_documents
from poolwise.findings.comparison._compare import compare_pair
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.words import counted, p_words

__all__ = ["LabelOrigin", "OwnDocuments", "label_origin"]

_FEWEST = 6
"""Topics with which a randomization test can find anything at 0.05."""


class OwnDocuments(NamedTuple):
    """The documents in the first ranks that only one unit (a run, or a group of runs) has.

    Attributes
    ----------
    there, judged, relevant : int array, units × topics
        How many there are, and how many of them are judged, and relevant.
    all_relevant : int
        Relevant documents of all topics.
    """

    there: Integers
    judged: Integers
    relevant: Integers
    all_relevant: int

    @classmethod
    def of(cls, unique: UniqueDocuments, *, rel: float) -> "OwnDocuments":
        """Count the documents of each unit on each topic."""
        evidence = unique.evidence
        shape = int(unique.units.max()) + 1, len(evidence.topics)
        there, judged, relevant = (np.zeros(shape, np.int64) for _ in range(3))
        rows = np.flatnonzero(unique.owner >= 0)
        topics = np.searchsorted(evidence.document_starts, rows, side="right") - 1
        np.add.at(there, (unique.owner[rows], topics), 1)
        owner = unique.owner[unique.rows]
        np.add.at(judged, (owner, unique.topics), 1)
        scale = evidence.blocks[0].scale
        good = scale[unique.codes] >= rel
        np.add.at(relevant, (owner[good], unique.topics[good]), 1)
        everything = int(evidence.pool[:, scale >= rel].sum())
        return cls(there, judged, relevant, everything)

    @property
    def share(self) -> Floats:
        """The share judged, units × topics; NaN where a unit has none of its own."""
        nothing = np.full(self.there.shape, np.nan)
        return np.divide(self.judged, self.there, out=nothing, where=self.there > 0)

    @property
    def mean_share(self) -> Floats:
        """The share judged of each unit, over all topics together."""
        total = self.there.sum(axis=1)
        nothing = np.full(len(total), np.nan)
        return np.divide(self.judged.sum(axis=1), total, out=nothing, where=total > 0)


@dataclass(frozen=True)
class _Test:
    """What the test of the unit that stands out says."""

    unit: int
    rival: int
    pvalue: float
    topics: int


@finding
class LabelOrigin(Finding):
    """What each run alone contributed to the judgments, and whether one stands out.

    Attributes
    ----------
    measure : Measure
    systems, units : tuple of str
        The runs, and the group of each; its own name where there are no groups.
    depth : int
        The first ranks that were looked at.
    own : OwnDocuments
        By unit, in the order of ``names``.
    names : tuple of str
        The units.
    mean, without : float array, systems
        The mean score of each run, and that without the grades of what only its unit has.
    test : tuple of (int, int, float, int), or None
        The unit that stands out most, the one that comes next to it, the p value and the topics of
        that comparison; None where there is no test.
    only_relevant : bool
        Whether nothing was judged that is not relevant.
    alpha : float

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=5, topics=30, depth=30, rng=1)
    >>> helped = pw.pool(made.truth, made.runs.select(["bm25-1"]), depth=10)
    >>> origin = pw.workflows.audit_origin(helped, made.runs)
    >>> origin.stands_out
    'bm25-1'
    >>> pw.workflows.audit_origin(pw.pool(made.truth, made.runs, depth=10), made.runs).stands_out
    ''
    """

    measure: Measure
    systems: tuple[str, ...]
    units: tuple[str, ...]
    names: tuple[str, ...]
    depth: int
    own: OwnDocuments
    mean: Floats
    without: Floats
    test: tuple[int, int, float, int] | None
    only_relevant: bool
    alpha: float = 0.05

    @property
    def falls(self) -> Floats:
        """What each run loses without the grades of what only its unit has."""
        return self.mean - self.without

    @property
    def stands_out(self) -> str:
        """The unit with whose help the judgments were made; empty where none stands out."""
        # Where judging followed relevance, what is judged says who is better: no test.
        if self.only_relevant or self.test is None or not self.test[2] < self.alpha:
            return ""
        return self.names[self.test[0]]

    def places(self) -> tuple[Integers, Integers]:
        """Return the place of each run, and that with its own fall alone."""
        before = 1 + (self.mean[None, :] > self.mean[:, None]).sum(axis=1)
        others = self.mean[None, :] > self.without[:, None]
        np.fill_diagonal(others, val=False)
        return before, 1 + others.sum(axis=1)

    def columns(self) -> Columns:
        """Return one row per run, those first of whose own documents most are judged."""
        before, after = self.places()
        at = np.array([self.names.index(unit) for unit in self.units])
        share = self.own.mean_share[at]
        order = np.lexsort((-self.falls, -np.nan_to_num(share, nan=-1))).tolist()
        relevant = self.own.relevant.sum(axis=1)
        numbers = {
            "own": self.own.there.sum(axis=1)[at],
            "own_judged": self.own.judged.sum(axis=1)[at],
            "share_judged": share,
            "own_relevant": relevant[at],
            "share_relevant": relevant[at] / max(self.own.all_relevant, 1),
            "mean": self.mean,
            "fall": self.falls,
            "place": before,
            "place_without": after,
        }
        return {
            "run": [self.systems[s] for s in order],
            "group": [self.units[s] for s in order],
            "measure": [str(self.measure)] * len(order),
            **{name: cells[order].tolist() for name, cells in numbers.items()},
            "p": [self.test[2] if self._is_tested(s) and self.test else None for s in order],
        }

    def _is_tested(self, system: int) -> bool:
        return self._is_top(system) and not self.only_relevant

    def _is_top(self, system: int) -> bool:
        return self.test is not None and self.units[system] == self.names[self.test[0]]

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run: what only it has, how much of it is judged, and what it loses."""
        cells = self.columns()
        places = zip(cells["place"], cells["place_without"], strict=True)
        columns = {
            Column("run"): cells["run"],
            Column(f"own in first {self.depth}"): cells["own"],
            Column("judged", 0, percent=True): cells["share_judged"],
            Column("of all relevant", 1, percent=True): cells["share_relevant"],
            Column(str(self.measure), 4): cells["mean"],
            Column("fall", 4): cells["fall"],
            Column("place", rank=1): [f"{a} → {b}" if a != b else str(a) for a, b in places],
        }
        title = "What only one run has, in percent, and its score without"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say with whose help the judgments were made, if it shows; and what rests on it."""
        return (self._verdict(), *self._effect())

    def _verdict(self) -> str:
        if self.test is None:
            return (
                "There is no test of whether one run made the judgments: it takes two runs with "
                f"documents of their own on {_FEWEST} topics."
            )
        unit, rival, p, topics = self.test
        share, over = self.own.mean_share, counted(topics, "topic")
        tested = over if self.only_relevant else f"{p_words(p)}, {over}"
        shares = (
            f"of the documents that it alone has in the first {self.depth}, {share[unit]:.0%} are "
            f"judged, and {share[rival]:.0%} of those of {self.names[rival]}, which comes next "
            f"({tested})"
        )
        if self.only_relevant:
            return (
                "Only relevant documents are judged, so that there is no test of whether one run "
                f"made the judgments: one that finds more looks the same. The first is "
                f"{self.names[unit]}: {shares}."
            )
        if self.stands_out:
            return f"The judgments were made with the help of {self.names[unit]}: {shares}."
        first = f"The first is {self.names[unit]}: {shares}."
        return f"No run stands out as the maker of the judgments. {first}"

    def _effect(self) -> Iterator[str]:
        among = [s for s in range(len(self.systems)) if self._is_top(s) or not self.stands_out]
        run = max(among, key=lambda s: float(self.falls[s]))
        before, after = (places[run] for places in self.places())
        moved = f", from place {before} to {after}," if before != after else ""
        most = "" if self.stands_out else ", the largest fall"
        yield (
            f"Mean {self.measure} of {self.systems[run]} falls by {self.falls[run]:.4f}{moved} "
            f"when what only it has is left out{most}; the median run falls by "
            f"{np.median(self.falls):.4f}."
        )


def label_origin(
    evidence: Evidence,
    measure: Measure,
    *,
    units: Indices,
    names: tuple[str, ...],
    depth: int,
    alpha: float,
    resamples: int,
    rng: int,
    rel: float = 1,
) -> LabelOrigin:
    """Find what each unit alone contributed, and test the one of which most is judged."""
    everyone = np.arange(len(evidence.systems))
    unique = find_unique_documents(evidence, everyone, units, depth=depth)
    own = OwnDocuments.of(unique, rel=rel)
    table = score(evidence, measure, bounds="none")
    alone = score(unique.leave_out(everyone), measure, bounds="none")
    lost = alone.value.reshape(len(evidence.topics), len(everyone)).T
    defined = table.defined
    tested = _tested(own, alpha=alpha, resamples=resamples, rng=rng, names=names)
    scale = evidence.blocks[0].scale
    return LabelOrigin(
        table.measure,
        evidence.systems,
        tuple(names[unit] for unit in units.tolist()),
        names,
        depth,
        own,
        table.means(),
        # Without any relevant document a topic has no score: what was contributed is all of it.
        np.nan_to_num(lost[:, defined]).mean(axis=1),
        None if tested is None else (tested.unit, tested.rival, tested.pvalue, tested.topics),
        bool((scale[evidence.pool.any(axis=0)] >= rel).all()),
        alpha,
        provenance=table.provenance,
    )


def _tested(
    own: OwnDocuments, *, alpha: float, resamples: int, rng: int, names: tuple[str, ...]
) -> _Test | None:
    """Test the unit with the largest share against every other; the largest p value is that of all.

    That all are to be below is an intersection–union test (Berger 1982): no correction is needed.
    """
    share = own.share
    unit = int(np.argmax(np.nan_to_num(own.mean_share, nan=-1)))
    worst: _Test | None = None
    for rival in range(len(names)):
        both = ~np.isnan(share[unit]) & ~np.isnan(share[rival])
        if rival == unit or both.sum() < _FEWEST:
            continue
        p = _pvalue(share[[unit, rival]][:, both], alpha=alpha, resamples=resamples, rng=rng)
        if worst is None or p > worst.pvalue:
            worst = _Test(unit, rival, p, int(both.sum()))
    return worst


def _pvalue(shares: Floats, *, alpha: float, resamples: int, rng: int) -> float:
    topics = [str(t) for t in range(shares.shape[1])]
    table = ScoreTable.from_matrix(
        shares, systems=("unit", "rival"), topics=topics, measure="share judged"
    )
    how = {"test": "randomization", "resamples": resamples, "rng": rng, "alpha": alpha}
    comparison = compare_pair(table, "unit", "rival", **how)  # type: ignore[arg-type] # a dict of kinds
    # Level on every topic, nothing speaks for a difference.
    return 1.0 if np.isnan(comparison.pvalue) else float(comparison.pvalue)
