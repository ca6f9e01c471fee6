"""An audit of runs and judgments: coverage, gaps, ties, twins, and what to say of them."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._reading import match_documents
from poolwise.collection._runs import Runs
from poolwise.evidence._grades import Grades, join_topics
from poolwise.evidence._meeting import align
from poolwise.evidence._pool_shape import PoolShape, find_pool
from poolwise.provenance._provenance import Notice
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import counted, named

__all__ = [
    "SEVERITIES",
    "Audit",
    "Remark",
    "Walk",
    "audit_collection",
    "count_by_grade",
    "count_by_topic",
    "coverage",
    "extra_topics",
    "identical_runs",
    "judged_columns",
    "missing_topics",
    "walk",
]

SEVERITIES = ("problem", "caution", "note")
"""How much a remark matters: scores are not what they seem; read them with care; good to know."""

_FEW_JUDGED, _FEW_RELEVANT = 10, 5
_LOW_COVERAGE = 0.9


class Remark(NamedTuple):
    """One sentence about the input, and how much it matters.

    Attributes
    ----------
    severity : str
        One of ``SEVERITIES``: problem, caution or note.
    text : str
        The sentence.

    Examples
    --------
    >>> print(Remark("note", "All runs answer all topics."))
    All runs answer all topics.
    """

    severity: str
    text: str

    def __str__(self) -> str:
        # A note needs no label: whoever prints it as a note would say so twice.
        label = "" if self.severity == SEVERITIES[-1] else f"{self.severity.capitalize()}: "
        return f"{label}{self.text}"


@finding
class Audit(Finding):
    """What was found in runs and judgments.

    Attributes
    ----------
    systems, topics : tuple of str
        The runs, and the judged topics.
    judged_at_10, judged_at_100 : float array, systems
        Share of the first documents that are judged, on average over the topics answered; NaN
        for a run that answers none.
    first_unjudged : int array, systems × topics
        Rank of the first unjudged document; one past the end of a fully judged list.
    tied, decisive_ties : int array, systems
        Documents that share their score with a neighbour, and sets of tied documents that differ
        in grade, so that the order in them, which is arbitrary, changes scores. An unjudged
        document counts as not relevant here.
    missing : mapping from str to tuple of str
        The judged topics that a run does not answer, for the runs that lack some.
    extra : tuple of str
        Topics that are retrieved and not judged.
    judged, relevant, unretrieved : int array, topics
        Judged documents, relevant ones, and relevant ones that no run retrieved.
    grades : mapping from float to int
        How many documents have each grade.
    identical : tuple of tuples of str
        Runs whose rankings are the same throughout.
    notices : tuple of Notice
        What was let pass when the files were read.
    pool : PoolShape, optional
        How the pool was made, as far as it shows.

    Examples
    --------
    >>> from poolwise import audit
    >>> runs = {"bm25": {"1": {"a": 0.5, "x": 0.4}}}
    >>> coverage = audit({"1": {"a": 1}, "2": {"b": 1}}, runs)
    >>> coverage.judged_at_10.tolist(), coverage.first_unjudged[:, 0].tolist()
    ([0.5], [2])
    >>> dict(coverage.missing), coverage.unretrieved.tolist()
    ({'bm25': ('2',)}, [0, 1])
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    judged_at_10: Floats
    judged_at_100: Floats
    first_unjudged: Integers
    tied: Integers
    decisive_ties: Integers
    missing: Mapping[str, tuple[str, ...]]
    extra: tuple[str, ...]
    judged: Integers
    relevant: Integers
    unretrieved: Integers
    grades: Mapping[float, int]
    identical: tuple[tuple[str, ...], ...]
    notices: tuple[Notice, ...]
    pool: PoolShape | None = None

    @property
    def barren(self) -> tuple[str, ...]:
        """The topics without a relevant document."""
        return tuple(self.topics[t] for t in np.flatnonzero(self.relevant == 0).tolist())

    def columns(self) -> Columns:
        """Return one row per run."""
        return {
            **judged_columns(
                self.systems, self.judged_at_10, self.judged_at_100, self.first_unjudged
            ),
            "tied": self.tied.tolist(),
            "decisive_ties": self.decisive_ties.tolist(),
            "missing_topics": [len(self.missing.get(s, ())) for s in self.systems],
        }

    def deeply_judged(self, depth: int = 50) -> tuple[str, ...]:
        """Return the runs with a judged document at every rank to a depth, on all topics (U18)."""
        deep = (self.first_unjudged > depth).all(axis=1)
        return tuple(self.systems[s] for s in np.flatnonzero(deep).tolist())

    def collection(self) -> Columns:
        """Return one row: how large the collection is, and how deep it is judged (U18 table 1)."""
        pooled = None if self.pool is None else int(self.pool.pooled.sum())
        return {
            "topics": [len(self.topics)],
            "runs": [len(self.systems)],
            "pooled runs": [pooled],
            "judged per topic": [float(self.judged.mean())],
            "relevant per topic": [float(self.relevant.mean())],
            "first unjudged rank": [float(self.first_unjudged.mean())],
            "judged to rank 50": [len(self.deeply_judged())],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the runs with two decimals, and the collection they are of."""
        about = table_of(self.collection(), digits=1, title="The collection")
        return table_of(self.columns(), digits=2), about

    def remarks(self) -> list[Remark]:
        """Return what there is to say, the gravest first."""
        return sorted(_remarks(self), key=lambda remark: SEVERITIES.index(remark.severity))

    def sentences(self) -> tuple[str, ...]:
        """Say what stands out, the gravest first."""
        return tuple(str(remark) for remark in self.remarks())


def judged_columns(
    systems: tuple[str, ...], at_10: Floats, at_100: Floats, first_unjudged: Integers
) -> Columns:
    """Return one row per run: the shares judged, and where its first unjudged documents are."""
    return {
        "run": list(systems),
        "judged_at_10": at_10.tolist(),
        "judged_at_100": at_100.tolist(),
        "first_unjudged_mean": first_unjudged.mean(axis=1).tolist(),
        "first_unjudged_min": first_unjudged.min(axis=1).tolist(),
    }


def audit_collection(judgments: Judgments, runs: Runs, *, rel: float = 1) -> Audit:
    """Look for what is thin or odd in runs and judgments; ``rel`` is the lowest relevant grade.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["z"], "2": ["w"]}})
    >>> judgments = Judgments.from_dict({"1": {"x": 1, "y": 0}, "2": {"v": 1}})
    >>> coverage = audit_collection(judgments, runs)
    >>> coverage.judged_at_10.tolist(), dict(coverage.missing)
    ([1.0, 0.0], {'a': ('2',)})
    >>> print(coverage.remarks()[0])
    Problem: 1 run of 2 without some topics, most of all a (1 of 2: 2);
        a topic that a run lacks scores 0.
    """
    evidence = align(judgments, runs)
    pool = find_pool(evidence)
    walked = walk(judgments, runs)
    relevant = judgments.judged & (judgments.scale[judgments.codes] >= rel)
    return Audit(
        systems=runs.systems,
        topics=judgments.topics,
        judged_at_10=coverage(evidence.truncate(10)),
        judged_at_100=coverage(evidence.truncate(100)),
        first_unjudged=nominate(judgments, runs).first_unjudged,
        tied=walked.tied,
        decisive_ties=walked.decisive,
        missing=missing_topics(evidence),
        extra=extra_topics(judgments, runs),
        judged=evidence.pool.sum(axis=1),
        relevant=count_by_topic(judgments, relevant),
        unretrieved=count_by_topic(judgments, relevant & ~walked.retrieved),
        grades=count_by_grade(judgments),
        identical=identical_runs(runs),
        notices=judgments.notices + runs.notices,
        pool=pool,
        provenance=evidence.provenance.with_options(**pool.options()),
    )


def _remarks(audit: Audit) -> Iterator[Remark]:
    """Say what was found; within a severity, the order is that of importance."""
    yield from _about_topics(audit)
    yield from _about_coverage(audit)
    yield from _about_pool(audit)
    yield from _about_ties(audit)
    yield from (Remark("caution", f"Met when reading: {notice}.") for notice in audit.notices)
    yield from _about_relevant(audit)
    yield from _about_judgments(audit)
    for names in audit.identical:
        yield Remark("caution", f"The rankings of {named(names)} are identical.")


def _about_topics(audit: Audit) -> Iterator[Remark]:
    if audit.missing:
        system, lacking = max(audit.missing.items(), key=lambda item: len(item[1]))
        yield Remark(
            "problem",
            f"{counted(len(audit.missing), 'run')} of {len(audit.systems)} without some topics, "
            f"most of all {system} ({len(lacking)} of {len(audit.topics)}: {named(lacking)}); "
            "a topic that a run lacks scores 0.",
        )
    if audit.barren:
        yield Remark(
            "caution",
            f"{counted(len(audit.barren), 'topic')} without a relevant document "
            f"({named(audit.barren)}); measures that need one leave such topics out.",
        )
    if audit.extra:
        yield Remark(
            "note",
            f"{counted(len(audit.extra), 'topic')} retrieved and not judged "
            f"({named(audit.extra)}), left out.",
        )


def _about_coverage(audit: Audit) -> Iterator[Remark]:
    order = np.argsort(audit.judged_at_10)
    thin = [audit.systems[s] for s in order.tolist() if audit.judged_at_10[s] < 1]
    if not thin:
        yield Remark("note", "The first 10 documents of every run are judged.")
        return
    lowest = float(audit.judged_at_10[order[0]])
    yield Remark(
        "problem" if lowest < _LOW_COVERAGE else "caution",
        f"{counted(len(thin), 'run')} of {len(audit.systems)} with unjudged documents among the "
        f"first 10, most of all {thin[0]} (judged@10 {lowest:.2f}); read scores with their bounds.",
    )
    mean = float(audit.first_unjudged.mean())
    yield Remark("note", f"The first unjudged document stands at rank {mean:.1f} on average.")


def _about_pool(audit: Audit) -> Iterator[Remark]:
    if audit.pool is not None:
        yield Remark("note", audit.pool.remark)


def _about_ties(audit: Audit) -> Iterator[Remark]:
    if not audit.tied.any():
        return
    ties, runs = int(audit.decisive_ties.sum()), int((audit.decisive_ties > 0).sum())
    effect = (
        f"{counted(ties, 'tie')} in {counted(runs, 'run')} between documents of different grades, "
        "where the tie rule decides scores."
        if ties
        else "none between documents of different grades, so the tie rule decides no score."
    )
    yield Remark(
        "caution" if ties else "note",
        f"{counted(int(audit.tied.sum()), 'document')} with the score of a neighbour; {effect}",
    )


def _about_judgments(audit: Audit) -> Iterator[Remark]:
    if audit.judged.any() and not audit.grades.get(0.0):
        yield Remark(
            "problem",
            "Every judged document is relevant: without judged non-relevant ones, an unjudged "
            "document says nothing, and no estimate of scores can be made; use the exact ranges, "
            "or measures of recall.",
        )
    few = [t for t, n in zip(audit.topics, audit.judged, strict=True) if n < _FEW_JUDGED]
    if few:
        yield Remark(
            "caution",
            f"{counted(len(few), 'topic')} with fewer than {_FEW_JUDGED} judged documents "
            f"({named(few)}).",
        )
    pooled = sum(count for grade, count in audit.grades.items() if grade < 0)
    if pooled:
        yield Remark(
            "note", f"{counted(pooled, 'document')} pooled and not judged (grade below 0)."
        )
    low, middle, high = np.quantile(audit.judged, [0, 0.5, 1])
    yield Remark(
        "note", f"Judged documents per topic: {low:,.0f} to {high:,.0f}, median {middle:,.0f}."
    )


def _about_relevant(audit: Audit) -> Iterator[Remark]:
    counts = zip(audit.topics, audit.relevant, strict=True)
    scarce = [t for t, n in counts if 0 < n < _FEW_RELEVANT]
    if scarce:
        yield Remark(
            "note",
            f"{counted(len(scarce), 'topic')} with fewer than {_FEW_RELEVANT} relevant documents "
            f"({named(scarce)}).",
        )
    if audit.unretrieved.any():
        yield Remark(
            "note",
            f"{counted(int(audit.unretrieved.sum()), 'relevant document')} of "
            f"{int(audit.relevant.sum()):,} that no run retrieved.",
        )


class Walk(NamedTuple):
    """What is met when all lists are walked down.

    ``retrieved`` says for each judgment row whether any run has the document; ``tied`` and
    ``decisive`` count, per system, documents in ties and ties between different grades.
    """

    retrieved: Booleans
    tied: Integers
    decisive: Integers


def coverage(grades: Grades) -> Floats:
    """Return the share of judged documents per system, averaged over the topics it answers."""
    retrieved = grades.lengths
    judged = join_topics((block.codes >= 0).sum(axis=2) for block in grades.blocks)
    shares = (judged / np.maximum(retrieved, 1)).sum(axis=1)
    answered = (retrieved > 0).sum(axis=1)
    return np.divide(shares, answered, out=np.full(len(shares), np.nan), where=answered > 0)


def missing_topics(grades: Grades) -> dict[str, tuple[str, ...]]:
    """Return the judged topics that each system lacks, for those that lack some."""
    lacking = {
        system: tuple(grades.topics[t] for t in np.flatnonzero(lengths == 0).tolist())
        for system, lengths in zip(grades.systems, grades.lengths, strict=True)
    }
    return {system: topics for system, topics in lacking.items() if topics}


def extra_topics(judgments: Judgments, runs: Runs) -> tuple[str, ...]:
    """Return the topics that are retrieved and not judged."""
    judged = set(judgments.topics)
    return tuple(topic for topic in runs.topics if topic not in judged)


def count_by_topic(judgments: Judgments, rows: Booleans) -> Integers:
    """Count the marked judgment rows of each topic."""
    return np.bincount(judgments.topic_of_row[rows], minlength=len(judgments.topics))


def count_by_grade(judgments: Judgments) -> dict[float, int]:
    """Count the judgments of each grade."""
    counts = np.bincount(judgments.codes[judgments.judged], minlength=len(judgments.scale))
    return dict(zip(judgments.scale.tolist(), counts.tolist(), strict=True))


def identical_runs(runs: Runs) -> tuple[tuple[str, ...], ...]:
    """Return the sets of systems with the same lists."""
    alike: dict[bytes, list[str]] = {}
    bounds = runs.list_starts[:: len(runs.topics)]
    for s, system in enumerate(runs.systems):
        lists = blake2b(runs.lengths[s].tobytes())
        lists.update(runs.rankings[bounds[s] : bounds[s + 1]].tobytes())
        alike.setdefault(lists.digest(), []).append(system)
    return tuple(tuple(names) for names in alike.values() if len(names) > 1)


def walk(judgments: Judgments, runs: Runs) -> Walk:
    """Walk down all lists, system by system."""
    row_of = match_documents(judgments, runs)
    gain = np.append(np.where(judgments.judged, judgments.scale[judgments.codes], 0).clip(0), 0)
    retrieved = np.zeros(len(gain), np.bool_)
    tied, decisive = np.zeros((2, len(runs.systems)), np.int64)
    bounds = runs.list_starts[:: len(runs.topics)]
    for s in range(len(runs.systems)):
        lists = slice(bounds[s], bounds[s + 1])
        first = np.repeat(runs.topic_starts[:-1], runs.lengths[s])
        rows = row_of[first + runs.rankings[lists]]
        retrieved[rows] = True
        tied[s], decisive[s] = _ties(runs.tied[lists], gain[rows])
    return Walk(retrieved[:-1], tied, decisive)


def _ties(tied: Booleans, gains: Floats) -> tuple[int, int]:
    """Count the documents in ties, and the ties that hold documents of different gain."""
    involved = tied.copy()
    involved[:-1] |= tied[1:]
    differs = tied[1:] & (gains[1:] != gains[:-1])
    return int(involved.sum()), len(np.unique(np.cumsum(~tied)[1:][differs]))
