"""Which documents a pool of runs would have had judged: Judgments → Judgments.

Taking judgments away never renumbers anything: what is left is a mask over the rows of the
judgments (:meth:`Judgments.keep`). A mask follows from the rank at which each run retrieved each
judged document, which is looked up once (:func:`nominate`), so that ten thousand reduced pools
cost ten thousand comparisons of small integers.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Indices, Integers, generator
from poolwise.collection.groups import Groups
from poolwise.collection.identifiers import indices_of, positions
from poolwise.collection.judgments import Judgments
from poolwise.collection.matching import match_documents
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError, require_depth
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance

__all__ = ["Nominations", "nominate", "sample_systems", "thin"]


@dataclass(frozen=True, eq=False)
class Nominations:
    """At which rank each run retrieved each judged document.

    Attributes
    ----------
    judgments : Judgments
        The judgments that pools are cut from.
    systems : tuple of str
        Names of the runs. Where a method takes ``systems``, these are meant unless told otherwise.
    ranks : int array, systems × judgment rows
        Rank of the document in the run, from 1; the largest number of the type if it is not there.
    first_unjudged : int array, systems × judged topics
        Rank of the first document without a grade; one past the end of a fully judged list.
    longest : int
        Length of the longest list.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> list(found.depth_pool(1))
    [('1', 'a', 1.0), ('1', 'c', 2.0)]
    >>> list(found.leave_out("dense", depth=2))
    [('1', 'a', 1.0), ('1', 'b', 0.0)]
    """

    judgments: Judgments
    systems: tuple[str, ...]
    ranks: NDArray[np.integer]
    first_unjudged: Integers
    longest: int
    provenance: Provenance = Provenance()

    def best_ranks(self, systems: str | Iterable[str] | None = None) -> NDArray[np.integer]:
        """Return the best rank that any of the systems gives each judged document."""
        return self._best(self._indices(systems))

    def multiplicities(
        self, depth: int, *, systems: str | Iterable[str] | None = None
    ) -> NDArray[np.int32]:
        """Return how many of the systems have each judged document among their first ``depth``."""
        require_depth(depth, longest=self.longest)
        counts = np.zeros(self.ranks.shape[1], np.int32)
        for s in self._indices(systems):
            counts += self.ranks[s] <= depth
        return counts

    def depth_pool(self, depth: int, *, systems: str | Iterable[str] | None = None) -> Judgments:
        """Return the judgments of exactly the documents in the top ``depth`` of the systems.

        U18 §3.5. The pool of a depth holds the pool of every smaller one.
        """
        require_depth(depth, longest=self.longest)
        return self.judgments.keep(self.best_ranks(systems) <= depth)

    def leave_out(
        self,
        left_out: str | Iterable[str],
        *,
        depth: int,
        systems: str | Iterable[str] | None = None,
    ) -> Judgments:
        """Return the judgments as if some runs had not been there when the pool was made.

        What only they have in their top ``depth``, of all ``systems`` that were pooled, becomes
        unjudged; every other judgment stays (W10 §3.4.2, B23 §4.1). Leaving out a run that was
        not pooled changes nothing. Pass :meth:`Groups.members` to leave out a group. The
        reduction ``studies.LeaveOut`` does this to every run or group in turn.
        """
        require_depth(depth, longest=self.longest)
        pooled, gone = self._indices(systems), self._indices(left_out)
        theirs = self._best(np.intersect1d(pooled, gone)) <= depth
        others = self._best(np.setdiff1d(pooled, gone)) <= depth
        return self.judgments.keep(~theirs | others)

    def deeply_judged(self, depth: int = 50) -> tuple[str, ...]:
        """Return the systems with a judged document at every rank down to ``depth``, on all topics.

        U18 table 1. A list that ends earlier is not deeply judged.
        """
        require_depth(depth, longest=self.longest)
        # A fully judged list of length m counts as m + 1, so short lists fail the comparison.
        deep = (self.first_unjudged > depth).all(axis=1)
        return tuple(self.systems[s] for s in np.flatnonzero(deep).tolist())

    def _best(self, indices: Indices) -> NDArray[np.integer]:
        best = np.full(self.ranks.shape[1], np.iinfo(self.ranks.dtype).max, self.ranks.dtype)
        for s in indices.tolist():
            np.minimum(best, self.ranks[s], out=best)
        return best

    def _indices(self, systems: str | Iterable[str] | None) -> Indices:
        if systems is None:
            return np.arange(len(self.systems))
        return indices_of(systems, self.systems, what="systems")


def nominate(judgments: Judgments, runs: Runs) -> Nominations:
    """Look up at which rank each run retrieved each judged document.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved.

    Returns
    -------
    Nominations
        The rank of each judged document in each run, and each run's first unjudged rank: what pools
        of any depth and any runs are made from.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["x", "b"]}, "dense": {"1": ["a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0}}), runs)
    >>> found.ranks[:, 0].tolist(), found.first_unjudged.tolist()
    ([32767, 1], [[1], [2]])
    """
    longest = int(runs.lengths.max(initial=0))
    small = np.iinfo(np.int16 if longest < np.iinfo(np.int16).max else np.int32)
    ranks = np.full((len(runs.systems), len(judgments.codes)), small.max, small.dtype)
    first = np.ones((len(runs.systems), len(judgments.topics)), np.int64)
    row_of = match_documents(judgments, runs)
    graded = np.append(judgments.judged & (judgments.scale[judgments.codes] >= 0), False)
    in_runs = positions(judgments.topics, runs.topics)
    for s in range(len(runs.systems)):
        rows, rank, starts = _list_rows(runs, s, row_of)
        ranks[s, rows[rows >= 0]] = rank[rows >= 0]
        first[s, in_runs >= 0] = _first_false(graded[rows], starts)[in_runs[in_runs >= 0]]
    origin = Provenance(
        judgments=judgments.source,
        runs=runs.sources,
        tie_rule=runs.tie_rule,
        notices=judgments.notices + runs.notices,
    )
    return Nominations(judgments, runs.systems, ranks, first, longest, origin)


def thin(
    judgments: Judgments, rate: float, *, rng: int | np.random.Generator = DEFAULT_SEED
) -> Judgments:
    """Keep a random share of the judgments of each topic, rounded up (U18 §2.5).

    With the same seed, a smaller share is a part of a larger one.

    Parameters
    ----------
    judgments
        What was judged.
    rate
        The share to keep, above 0 and at most 1.
    rng
        Seed or generator.

    Returns
    -------
    Judgments
        The same topics with fewer judgments; what was taken away is unjudged.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 1, "d": 0}})
    >>> len(thin(qrels, 0.5, rng=1))
    2
    """
    if not 0 < rate <= 1:
        raise OptionError(
            f"rate: the share of judgments to keep must lie above 0 and at most at 1; got {rate}. "
            "Hint: use 0.5 to keep half."
        )
    draws = generator(rng).random(len(judgments.codes))
    # One key sorts by topic, and in the topic by draw, with the hidden rows last.
    order = np.argsort(judgments.topic_of_row + 0.5 * draws + 0.5 * ~judgments.judged)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - judgments.starts[judgments.topic_of_row]
    judged = np.bincount(judgments.topic_of_row[judgments.judged], minlength=len(judgments.topics))
    return judgments.keep(place < np.ceil(rate * judged - 1e-9)[judgments.topic_of_row])


def sample_systems(
    systems: Iterable[str],
    width: int,
    *,
    groups: Groups | None = None,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> tuple[str, ...]:
    """Choose ``width`` runs at random, or all runs of ``width`` groups, to pool fewer of them.

    Parameters
    ----------
    systems : iterable of str
        The runs to choose from.
    width : int
        How many runs to choose, or how many groups.
    groups : Groups, optional
        Where each run comes from; then whole groups are chosen.
    rng : int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    tuple of str
        The chosen runs, in the order given.

    Examples
    --------
    >>> sample_systems(["a", "b", "c"], 2, rng=0)
    ('b', 'c')
    >>> by = Groups.from_dict({"a": "x", "b": "x", "c": "y"})
    >>> sample_systems(["a", "b", "c"], 1, groups=by, rng=0)
    ('c',)
    """
    names = tuple(systems)
    units = names if groups is None else groups.select(names).labels
    distinct = tuple(dict.fromkeys(units))
    if not 1 <= width <= len(distinct):
        raise OptionError(
            f"width: must be at least 1 and at most the {len(distinct)} there are; got {width}. "
            "Hint: choose fewer, or add runs."
        )
    drawn = generator(rng).choice(len(distinct), width, replace=False)
    chosen = {distinct[i] for i in drawn.tolist()}
    return tuple(name for name, unit in zip(names, units, strict=True) if unit in chosen)


def _list_rows(
    runs: Runs, s: int, row_of: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Integers, Integers]:
    """Return judgment row and rank of all documents of one system, and where its lists start."""
    width = len(runs.topics)
    bounds = runs.list_starts[s * width : (s + 1) * width + 1]
    lengths = np.diff(bounds)
    codes = runs.rankings[bounds[0] : bounds[-1]]
    rows = row_of[np.repeat(runs.topic_starts[:-1], lengths) + codes]
    starts = bounds - bounds[0]
    return rows, np.arange(1, len(rows) + 1) - np.repeat(starts[:-1], lengths), starts


def _first_false(marks: Booleans, starts: Integers) -> Integers:
    """Return, per piece, the place from 1 of the first mark that is not set; past it if all are."""
    unset = np.append(np.flatnonzero(~marks), len(marks))
    first = unset[np.searchsorted(unset, starts[:-1])]
    return np.minimum(first, starts[1:]) - starts[:-1] + 1
