"""What pools of runs hold: which documents they would have had judged, and how often relevant."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Indices, Integers, generator
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of, positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import match_documents
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_depth
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import are, counted

__all__ = [
    "BANDS",
    "MultiplicityBand",
    "MultiplicityRelevance",
    "Nominations",
    "graded_rows",
    "named_systems",
    "nominate",
    "relevance_by_multiplicity",
    "sample_systems",
    "systems_option",
    "thin",
]


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
    >>> nominations = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> list(nominations.depth_pool(1))
    [('1', 'a', 1.0), ('1', 'c', 2.0)]
    >>> list(nominations.leave_out("dense", depth=2))
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


@recorded
def nominate(judgments: Judgments, runs: Runs) -> Nominations:
    """Look up at which rank each run retrieved each judged document.

    Returns
    -------
    Nominations
        The rank of each judged document in each run, and each run's first unjudged rank: what pools
        of any depth and any runs are made from.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["x", "b"]}, "dense": {"1": ["a"]}})
    >>> nominations = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0}}), runs)
    >>> nominations.ranks[:, 0].tolist(), nominations.first_unjudged.tolist()
    ([32767, 1], [[1], [2]])
    """
    longest = int(runs.lengths.max(initial=0))
    # Systems × judged documents is large, so that ranks take two bytes where these hold them.
    small = np.iinfo(np.int16 if longest < np.iinfo(np.int16).max else np.int32)
    ranks = np.full((len(runs.systems), len(judgments.codes)), small.max, small.dtype)
    first = np.ones((len(runs.systems), len(judgments.topics)), np.int64)
    row_of = match_documents(judgments, runs)
    # The last entry is that of row −1: a document without a judgment has no grade.
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


@recorded
def thin(
    judgments: Judgments, rate: float, *, rng: int | np.random.Generator = DEFAULT_SEED
) -> Judgments:
    """Keep a random share of the judgments of each topic, rounded up (U18 §2.5).

    With the same seed, a smaller share is a part of a larger one.

    Parameters
    ----------
    rate
        The share to keep, above 0 and at most 1.

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
    # Less a trifle, or 0.07 × 100 would be rounded up to 8.
    return judgments.keep(place < np.ceil(rate * judged - 1e-9)[judgments.topic_of_row])


@recorded
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


BANDS = (1, 2, 3, 5, 9, 17, 33)
"""The smallest number of nominating systems of each multiplicity band (U18 table 4)."""


class MultiplicityBand(NamedTuple):
    """The judged documents that between ``low`` and ``high`` systems nominate.

    Attributes
    ----------
    low, high : int
        The fewest and the most systems that nominate a document of the band; ``high`` is None for
        the last band, which has no end.
    documents, relevant : int
        How many judged documents there are in the band, and how many of them are relevant.

    Examples
    --------
    >>> band = MultiplicityBand(low=3, high=4, documents=20, relevant=5)
    >>> band.label, band.rate
    ('3–4', 0.25)
    """

    low: int
    high: int | None
    documents: int
    relevant: int

    @property
    def rate(self) -> float:
        """Share of them that is relevant; NaN where there are none."""
        return self.relevant / self.documents if self.documents else float("nan")

    @property
    def label(self) -> str:
        """The band as U18 table 4 prints it.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).label for a, b in [(2, 2), (3, 4), (33, None)]]
        ['2', '3–4', '33+']
        """
        if self.high is None:
            return f"{self.low}+"
        return f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"

    @property
    def systems(self) -> str:
        """Who nominates, with the verb.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).systems for a, b in [(1, 1), (3, 4), (33, None)]]
        ['1 system nominates', '3 to 4 systems nominate', '33 or more systems nominate']
        """
        if self.high is None:
            return f"{self.low} or more systems nominate"
        if self.low < self.high:
            return f"{self.low} to {self.high} systems nominate"
        return f"{counted(self.low, 'system')} nominate{'s' if self.low == 1 else ''}"


@finding
class MultiplicityRelevance(Finding):
    """How often judged documents are relevant, by how many systems nominate them.

    It is a sequence of bands.

    Attributes
    ----------
    bands : tuple of MultiplicityBand
        From few nominating systems to many.

    Examples
    --------
    >>> relevance = MultiplicityRelevance(
    ...     (MultiplicityBand(1, 1, 40, 4), MultiplicityBand(2, None, 50, 20))
    ... )
    >>> [band.rate for band in relevance]
    [0.1, 0.4]
    >>> print(relevance)
    10.0% of the documents that 1 system nominates are relevant, and 40.0% of those that 2 or more
    systems nominate.
    <BLANKLINE>
    systems  documents  relevant    rate
    1               40         4  0.1000
    2+              50        20  0.4000
    <BLANKLINE>
    The bands hold 90 judged documents, of which 24 are relevant.
    """

    bands: tuple[MultiplicityBand, ...]

    def __iter__(self) -> Iterator[MultiplicityBand]:
        return iter(self.bands)

    def __len__(self) -> int:
        return len(self.bands)

    def __getitem__(self, place: int) -> MultiplicityBand:
        return self.bands[place]

    def columns(self) -> Columns:
        """Return one row per band: where it starts and ends, and the documents in it."""
        return {
            "low": [band.low for band in self],
            "high": [band.high for band in self],
            "documents": [band.documents for band in self],
            "relevant": [band.relevant for band in self],
            "rate": [band.rate for band in self],
        }

    def sentences(self) -> tuple[str, ...]:
        """Compare the documents of the fewest and of the most votes."""
        held = [band for band in self if band.documents]
        documents = sum(band.documents for band in held)
        relevant = sum(band.relevant for band in held)
        total = (
            f"The bands hold {counted(documents, 'judged document')}, of which {relevant:,} "
            f"{are(relevant)} relevant."
        )
        if not held:
            return (total,)
        few, many = held[0], held[-1]
        rate = f"{few.rate:.1%} of the documents that {few.systems} are relevant"
        if len(held) > 1:
            rate += f", and {many.rate:.1%} of those that {many.systems}"
        return (f"{rate}.", total)

    def tables(self) -> tuple[Table, ...]:
        """Return the bands as U18 table 4 prints them."""
        columns = self.columns()
        shown = {name: columns[name] for name in ("documents", "relevant", "rate")}
        return (table_of({"systems": [band.label for band in self], **shown}),)


@recorded
def relevance_by_multiplicity(
    nominations: Nominations,
    depth: int,
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = BANDS,
) -> MultiplicityRelevance:
    """Return how often a judged document is relevant, by how many systems nominate it.

    U18 table 4; the first band alone gives the single-vote documents of U18 table 3.

    Parameters
    ----------
    depth
        A system nominates what it has among its first ``depth``.
    systems
        The pooled systems.
    bands
        Where each band starts.

    Returns
    -------
    MultiplicityRelevance
        The bands, each with its documents and the share of relevant ones.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> nominations = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> bands = relevance_by_multiplicity(nominations, 2, bands=(1, 2))
    >>> [(band.label, band.documents, band.rate) for band in bands]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    qrels, pooled = nominations.judgments, named_systems(systems)
    votes = nominations.multiplicities(depth, systems=pooled)
    band = np.searchsorted(bands, votes, side="right")
    size = len(bands) + 1
    documents = np.bincount(band[graded_rows(qrels)], minlength=size).tolist()
    relevant = np.bincount(band[graded_rows(qrels, at_least=rel)], minlength=size).tolist()
    highs = [*(low - 1 for low in bands[1:]), None]
    rows = zip(bands, highs, documents[1:], relevant[1:], strict=True)
    return MultiplicityRelevance(
        tuple(MultiplicityBand(*row) for row in rows),
        provenance=nominations.provenance.with_options(
            depth=depth, systems=systems_option(pooled), rel=rel, bands=tuple(bands)
        ),
    )


def named_systems(systems: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of the systems, so that an iterator is read once; None stays None."""
    if systems is None:
        return None
    return (systems,) if isinstance(systems, str) else tuple(systems)


def systems_option(pooled: tuple[str, ...] | None) -> object:
    """Return how provenance names the pooled systems."""
    return "all" if pooled is None else pooled


def graded_rows(judgments: Judgments, *, at_least: float = 0) -> Booleans:
    """Return which rows have at least this grade; below 0 is pooled and not judged."""
    return judgments.judged & (judgments.scale[judgments.codes] >= at_least)
