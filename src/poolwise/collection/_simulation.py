"""Test collections made up so that the truth is known.

A topic has relevant documents, more or fewer of them, and many others. A system gives each
document a score: a signal that grows with the document's grade, the system's quality and the
topic's easiness, and with how well this document can be found at all, plus noise. Findability and
noise are shared in part by all systems, in part by the systems of one family; some noise is a
system's own. So systems of a family retrieve the same documents, documents that many systems
retrieve are more often relevant, and what one family alone finds stays unjudged if it is not
pooled.

The constants are set so that 50 topics give mean AP between 0.1 and 0.45 and a pool like TREC-8's
in size and share of relevant documents.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Indices, Integers, generator
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import IdTable, positions, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.provenance._provenance import DEFAULT_SEED, Source
from poolwise.provenance._recorded import recorded

__all__ = ["Simulated", "simulate", "simulate_labels"]

_FAMILIES = ("bm25", "ql", "dfr", "prf", "fusion", "ltr", "splade", "dense", "colbert", "rerank")
_MAVERICK = "maverick"
_FEWEST, _MEDIAN, _MOST = 5, 60, 350  # relevant documents of a topic
_GRADES = (0.62, 0.27, 0.11)  # shares of grades 1, 2 and 3 among them
_SIGNAL = np.array([0.0, 1.1, 1.6, 2.2])  # by grade, in standard deviations of the noise
_OWN = 0.2  # share of the noise variance that is a system's own
_COMMON, _LONE_COMMON = 0.6, 0.1  # what a family's view shares with the others' views
_FINDABLE = 2.0  # shape of the spread in how well relevant documents can be found
_FAMILY_SPREAD, _SYSTEM_SPREAD = 0.12, 0.06  # of the systems' quality around 1
_PREFIXES = (
    *("FBIS3-", "FBIS4-", "FR940104-0-", "FR940630-2-", "FR941117-1-", "FR941230-0-"),
    *(f"FT{year}{quarter}-" for year in (91, 92, 93, 94) for quarter in (1, 2, 3, 4)),
    *(
        f"LA{month:02}0{day}{year}-"
        for month in range(1, 13)
        for day in (1, 7)
        for year in (89, 90)
    ),
)
_PER_PREFIX = 10_000
_LARGEST = 10**9
"""Retrieved documents of all lists together; each takes some bytes of memory."""
_DEEPEST = 100_000  # so that the collection has documents enough


@dataclass(frozen=True, eq=False)
class Simulated:
    """A made-up collection and what is true about it.

    Attributes
    ----------
    runs : Runs
        What the systems retrieved.
    truth : Judgments
        The grade of every document that any system could retrieve.
    judgments : Judgments
        What a pool of some systems would have had judged: the same rows, the others hidden.
    groups : Groups
        The family of each system.
    pooled : tuple of str
        The systems that contributed to the pool.
    pool_depth : int
        How deep they did.

    Examples
    --------
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> made.pool_depth, len(made.pooled), made.unpooled
    (12, 5, ('maverick-1',))
    >>> made.groups.names
    ('bm25', 'ql', 'maverick')
    """

    runs: Runs
    truth: Judgments
    judgments: Judgments
    groups: Groups
    pooled: tuple[str, ...]
    pool_depth: int

    @property
    def unpooled(self) -> tuple[str, ...]:
        """The systems that came after the judging was done."""
        pooled = set(self.pooled)
        return tuple(s for s in self.runs.systems if s not in pooled)


@recorded
def simulate(
    systems: int = 24,
    topics: int = 50,
    depth: int = 200,
    *,
    groups: int | None = None,
    unpooled: int | None = None,
    pool_depth: int | None = None,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> Simulated:
    """Make up runs, the complete truth about them, and the judgments of a pool.

    Of the unpooled systems, the last forms a family of its own (``maverick``): as good as the
    best, by documents that the others do not find. The rest belong to families that have pooled
    members too.

    Parameters
    ----------
    systems, topics, depth
        Numbers of runs and topics, and the length of every list.
    groups
        Number of pooled families; a third of the systems unless given.
    unpooled
        Systems left out of the pool; a fifth of the systems, at least 1, unless given.
    pool_depth
        Depth of the pool; 10 and a tenth of the depth unless given.

    Returns
    -------
    Simulated
        Runs, complete and pooled judgments, and the family of each system.

    Examples
    --------
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> made.runs.systems
    ('bm25-1', 'ql-1', 'bm25-2', 'ql-2', 'bm25-3', 'maverick-1')
    >>> made.unpooled, made.runs.topics, made.truth.scale.tolist()
    (('maverick-1',), ('401', '402', '403'), [0.0, 1.0, 2.0, 3.0])
    >>> len(made.judgments) < len(made.truth)
    True
    """
    _check("systems", systems)
    _check("topics", topics)
    _check("depth", depth, most=_DEEPEST)
    _check("systems × topics × depth", systems * topics * depth, most=_LARGEST)
    late = min(systems - 1, max(1, systems // 5)) if unpooled is None else unpooled
    families = max(1, systems // 3) if groups is None else groups
    pool_depth = min(depth, 10 + depth // 10) if pool_depth is None else pool_depth
    _check("unpooled", late, least=0, most=systems - 1)
    _check("groups", families, most=systems - late)
    random = generator(rng)
    by_group = _name(systems, families, maverick=late > 0)
    runs, truth = _collection(random, by_group, topics, depth)
    pooled = runs.systems[: systems - late]
    judgments = nominate(truth, runs).depth_pool(pool_depth, systems=pooled)
    return Simulated(runs, truth, judgments, by_group, pooled, pool_depth)


@recorded
def simulate_labels(
    truth: Judgments,
    confusion: Sequence[Sequence[float]],
    *,
    name: str = "machine",
    runs: Runs | None = None,
    favoured: Sequence[str] = (),
    lift: float = 1.0,
    depth: int = 10,
    failed: float = 0.0,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> Labels:
    """Make up the labels of a machine with a given confusion, and a bias towards chosen runs.

    Parameters
    ----------
    truth : Judgments
        What people say.
    confusion : sequence of sequences of float
        For each grade of the scale, ascending, the probabilities of the machine's grades 0, 1, ….
    name
        What the machine is called.
    runs, favoured, lift, depth
        Documents in the first ranks of the favoured runs, and of no other, get a grade that is
        higher by so much, at most the highest.
    failed
        The share of labels that fail.

    Returns
    -------
    Labels
        One label for each judged document, by one machine.

    Examples
    --------
    >>> truth = Judgments.from_dict({"1": {"a": 1, "b": 0}})
    >>> simulate_labels(truth, [[1, 0], [0, 1]]).matrix().tolist()
    [[1.0, 0.0]]
    """
    table = np.array(confusion, np.float64)
    if len(table) != len(truth.scale) or (np.abs(table.sum(axis=1) - 1) > 1e-6).any():
        raise OptionError(
            f"confusion: a row of probabilities for each of {len(truth.scale)} grades is needed; "
            f"got {len(table)}. Hint: give one row per grade, each with the sum 1."
        )
    random = generator(rng)
    labels = Labels.of(truth, name)
    codes = truth.codes[labels.document]
    steps = np.cumsum(table, axis=1)[codes]
    grades = (random.random(len(codes))[:, None] > steps[:, :-1]).sum(axis=1).astype(np.float64)
    if runs is not None and favoured:
        own = _only_of(truth, runs, favoured, depth)[labels.document]
        grades = np.where(own, np.minimum(grades + lift, table.shape[1] - 1), grades)
    grades[random.random(len(grades)) < failed] = np.nan
    return replace(labels, grade=grades, declared=tuple(map(float, range(table.shape[1]))))


def _only_of(truth: Judgments, runs: Runs, favoured: Sequence[str], depth: int) -> NDArray[Any]:
    """Return which judged documents only these runs have in their first ranks."""
    chosen = nominate(truth, runs)
    ranks = [
        chosen.depth_pool(depth, systems=names).judged
        for names in (list(favoured), [run for run in runs.systems if run not in favoured])
    ]
    return ranks[0] & ~ranks[1]


@dataclass(frozen=True, eq=False)
class _Systems:
    """How good each system is, to which family it belongs, and what the families have in common."""

    quality: NDArray[np.float32]
    family: Indices
    common: NDArray[np.float32]

    @classmethod
    def draw(cls, rng: np.random.Generator, groups: Groups) -> "_Systems":
        """Make up the systems of these groups."""
        family = positions(groups.labels, groups.names)
        quality = rng.normal(1, _FAMILY_SPREAD, len(groups.names))[family]
        quality = (quality + rng.normal(0, _SYSTEM_SPREAD, len(family))).clip(0.5, 1.4)
        lone = np.array([g == _MAVERICK for g in groups.labels])
        quality[lone] = quality.max()
        common = np.array([_LONE_COMMON if g == _MAVERICK else _COMMON for g in groups.names])
        return cls(quality.astype(np.float32), family, common.astype(np.float32))

    def rank(
        self, rng: np.random.Generator, signal: NDArray[np.float32], depth: int
    ) -> NDArray[np.int32]:
        """Return the documents of one topic as each system ranks them, systems × depth."""
        relevant, common = np.flatnonzero(signal), self.common[:, None]
        to_all = rng.standard_normal(len(signal), np.float32)
        to_family = rng.standard_normal((len(common), len(signal)), np.float32)
        looks = np.sqrt(common) * to_all + np.sqrt(1 - common) * to_family
        scores = rng.standard_normal((len(self.family), len(signal)), np.float32)
        scores *= np.sqrt(np.float32(_OWN))
        scores += np.sqrt(np.float32(1 - _OWN)) * looks[self.family]
        by_all = rng.standard_gamma(_FINDABLE, len(relevant), np.float32)
        by_family = rng.standard_gamma(_FINDABLE, (len(common), len(relevant)), np.float32)
        findable = (common * by_all + (1 - common) * by_family) / np.float32(_FINDABLE)
        scores[:, relevant] += self.quality[:, None] * findable[self.family] * signal[relevant]
        return _top(scores, depth)


def _collection(
    rng: np.random.Generator, groups: Groups, topics: int, depth: int
) -> tuple[Runs, Judgments]:
    """Make the runs and the truth, which share one table of ids."""
    systems = _Systems.draw(rng, groups)
    per_topic = list(_topics(rng, topics, max(4 * depth, 2000)))
    ranked = [systems.rank(rng, signal, depth) for _, _, signal in per_topic]
    names = _topic_ids(topics)
    starts = starts_of(len(grades) for _, grades, _ in per_topic)
    ids = IdTable.from_strings(_id(n) for numbers, _, _ in per_topic for n in numbers.tolist())
    runs = Runs(
        systems=groups.systems,
        topics=names,
        topic_starts=starts,
        documents=ids,
        rankings=np.stack(ranked, axis=1).ravel(),
        list_starts=np.arange(len(groups.systems) * topics + 1, dtype=np.int64) * depth,
        tied=np.zeros(len(groups.systems) * topics * depth, np.bool_),
        sources=(Source("<simulated>"),) * len(groups.systems),
    )
    codes = np.concatenate([grades for _, grades, _ in per_topic]).astype(np.int16)
    scale = np.arange(len(_SIGNAL), dtype=np.float64)
    return runs, Judgments(names, starts, ids, codes, scale, source=Source("<simulated>"))


def _topics(
    rng: np.random.Generator, topics: int, others: int
) -> Iterator[tuple[Integers, Integers, NDArray[np.float32]]]:
    """Yield each topic's documents: their numbers in the collection, grades and signals."""
    relevant = np.exp(rng.normal(np.log(_MEDIAN), 1.0, topics)).clip(_FEWEST, _MOST).astype(int)
    # The more relevant documents a topic has, the less each stands out.
    easiness = np.exp(rng.normal(0, 0.4, topics)) * (_MEDIAN / relevant) ** 0.08
    for r, ease in zip(relevant.tolist(), easiness.tolist(), strict=True):
        grades = np.zeros(r + others, np.int64)
        grades[:r] = 1 + rng.choice(len(_GRADES), r, p=_GRADES)
        rng.shuffle(grades)
        numbers = np.sort(rng.choice(len(_PREFIXES) * _PER_PREFIX, r + others, replace=False))
        yield numbers, grades, (ease * _SIGNAL[grades]).astype(np.float32)


def _top(scores: NDArray[np.float32], depth: int) -> NDArray[np.int32]:
    """Return the columns of the largest scores of each row, best first."""
    top = np.argpartition(scores, -depth, axis=1)[:, -depth:]
    order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
    return np.take_along_axis(top, order, axis=1).astype(np.int32)


def _name(systems: int, families: int, *, maverick: bool) -> Groups:
    """Name the families and deal the systems out to them in turn."""
    names = [_FAMILIES[f] if f < len(_FAMILIES) else f"family{f + 1:02}" for f in range(families)]
    labels = [names[s % families] for s in range(systems)]
    if maverick:
        labels[-1] = _MAVERICK
    met: Counter[str] = Counter()
    numbered = []
    for label in labels:
        met[label] += 1
        numbered.append(f"{label}-{met[label]}")
    return Groups(tuple(numbered), tuple(labels))


def _topic_ids(topics: int) -> tuple[str, ...]:
    """Return numbers whose byte order is their order."""
    first = 401 if topics < 600 else 10 ** len(str(topics)) + 1
    return tuple(str(first + t) for t in range(topics))


def _id(number: int) -> str:
    """Name a document; a larger number is a later name in byte order."""
    return f"{_PREFIXES[number // _PER_PREFIX]}{number % _PER_PREFIX:05}"


def _check(name: str, count: int, *, least: int = 1, most: int | None = None) -> None:
    """Raise where a count is out of its range."""
    if count < least or (most is not None and count > most):
        limit = "" if most is None else f" and at most {most}"
        raise OptionError(
            f"{name}: must be at least {least}{limit}; got {count}. "
            f"Hint: use {least if most is None or count < least else most}."
        )
