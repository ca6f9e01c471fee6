"""Judgments checked against themselves: a table of rules, what each found, and what to do about it.

A rule looks for what somebody should look at before a score is believed: labels that contradict
each other, topics that cannot tell runs apart, documents that are no longer there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Integers
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import Nominations
from poolwise.evidence._pool_shape import PoolShape
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted, named

__all__ = ["JUDGMENT_RULES", "Judged", "JudgmentChecks", "Rule", "check_judgments"]

_FEWEST = 10
"""Judged documents from which on a topic says something of its grades."""
_CONSTANT = 0.9
_EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class Judged:
    """What rules look at.

    Attributes
    ----------
    judgments : Judgments
    nominations : Nominations
        At which rank each run has each judged document.
    pool : PoolShape
        How the pool was made, as far as it shows.
    rel : float
        The lowest relevant grade.
    queries, texts : mapping from str to str, optional
        What topics ask, and what judged documents say; None where nobody gave them.
    grades : sequence of float
        The grades that a document can have, as declared; empty where they are not.
    """

    judgments: Judgments
    nominations: Nominations
    pool: PoolShape
    rel: float = 1
    queries: Mapping[str, str] | None = None
    texts: Mapping[str, str] | None = None
    grades: Sequence[float] = ()

    @cached_property
    def judged(self) -> Booleans:
        """Which rows have a grade; a negative one says that a document was pooled alone."""
        return np.asarray(self.judgments.judged & (self.judgments.scale[self.judgments.codes] >= 0))

    @cached_property
    def relevant(self) -> Booleans:
        """Which rows are relevant."""
        grades = self.judgments.scale[self.judgments.codes]
        return np.asarray(self.judged & (grades >= self.rel))

    def per_topic(self, rows: Booleans) -> Integers:
        """Count rows by topic."""
        topics = self.judgments.topic_of_row[rows]
        return np.bincount(topics, minlength=len(self.judgments.topics))

    @cached_property
    def graded(self) -> dict[str, dict[str, float]]:
        """The grades by topic and document, without those of documents that were pooled alone."""
        return {
            topic: {document: grade for document, grade in of.items() if grade >= 0}
            for topic, of in self.judgments.to_dict().items()
        }

    def topics_where(self, condition: Booleans, order: Integers) -> list[str]:
        """Return the topics of a condition, those first that have most of something."""
        places = np.flatnonzero(condition)
        return [self.judgments.topics[t] for t in places[np.argsort(-order[places], kind="stable")]]


class Rule(NamedTuple):
    """What a rule looks for, and what to do where it is found.

    Attributes
    ----------
    looks_for : str
    advice : str
        What to do.
    find : callable
        Gives what was found, the worst first; None where nobody gave what it takes.
    of : str
        What is counted.
    needs : str
        The option that gives what it takes.
    """

    looks_for: str
    advice: str
    find: Callable[[Judged], Iterable[str] | None]
    of: str = "topic"
    needs: str = ""


def _barren(checked: Judged) -> Iterable[str]:
    judged = checked.per_topic(checked.judged)
    return checked.topics_where(checked.per_topic(checked.relevant) == 0, judged)


def _all_relevant(checked: Judged) -> Iterable[str]:
    judged, relevant = checked.per_topic(checked.judged), checked.per_topic(checked.relevant)
    return checked.topics_where((relevant == judged) & (judged > 1), judged)


def _constant(checked: Judged) -> Iterable[str]:
    codes, topics = checked.judgments.codes[checked.judged], len(checked.judgments.topics)
    counts = np.zeros((topics, len(checked.judgments.scale)), np.int64)
    np.add.at(counts, (checked.judgments.topic_of_row[checked.judged], codes), 1)
    judged = counts.sum(axis=1)
    above = counts[:, checked.judgments.scale >= checked.rel].max(axis=1, initial=0)
    # Where all are relevant, and there is one grade of these, another rule says so.
    some = checked.per_topic(checked.relevant) < judged
    return checked.topics_where((judged >= _FEWEST) & (above >= _CONSTANT * judged) & some, judged)


def _outside_scale(checked: Judged) -> Iterable[str] | None:
    if not checked.grades:
        return None
    odd = ~np.isin(checked.judgments.scale, [0.0, *checked.grades]) & (checked.judgments.scale >= 0)
    rows = np.flatnonzero(checked.judged & odd[checked.judgments.codes])
    return _places(checked, rows)


def _places(checked: Judged, rows: Integers) -> list[str]:
    made = checked.judgments
    return [
        f"{made.topics[made.topic_of_row[row]]}:{made.documents[row]} "
        f"({made.scale[made.codes[row]]:g})"
        for row in rows.tolist()
    ]


def _out_of_pool(checked: Judged) -> Iterable[str] | None:
    if not checked.pool.is_sure:
        return None
    outside = checked.judged & (checked.nominations.best_ranks() > checked.pool.depth)
    rows = np.flatnonzero(outside)
    # Relevant ones matter most: runs are asked for what none of them has there.
    return _places(checked, rows[np.argsort(~checked.relevant[rows], kind="stable")])


def _one_run_alone(checked: Judged) -> Iterable[str] | None:
    ranks = checked.nominations.ranks
    if len(ranks) < 2:
        return None
    there = ranks < np.iinfo(ranks.dtype).max
    count, first = there.sum(axis=0), there.argmax(axis=0)
    cases = []
    for t, topic in enumerate(checked.judgments.topics):
        rows = np.flatnonzero(
            checked.relevant & (checked.judgments.topic_of_row == t) & (count > 0)
        )
        if len(rows) > 1 and (count[rows] == 1).all() and len(set(first[rows].tolist())) == 1:
            cases.append((len(rows), f"{topic} ({checked.nominations.systems[first[rows[0]]]})"))
    return [said for _, said in sorted(cases, key=lambda case: -case[0])]


def _twice(checked: Judged) -> Iterable[str]:
    notices = [n for n in checked.judgments.notices if "duplicate" in n.what]
    return [notice.example for notice in notices for _ in range(notice.count)]


def _gone(checked: Judged) -> Iterable[str] | None:
    if checked.texts is None:
        return None
    rows = np.flatnonzero(checked.judged)
    order = rows[np.argsort(~checked.relevant[rows], kind="stable")]
    missing = (str(checked.judgments.documents[row]) for row in order.tolist())
    return dict.fromkeys(name for name in missing if name not in (checked.texts or {}))


def _plain(text: str) -> str:
    """Return what a text says, whatever its capitals and its blanks."""
    return " ".join(text.casefold().split())


def _same_text(checked: Judged) -> Iterable[str] | None:
    if checked.texts is None:
        return None
    said = {name: _plain(text) for name, text in checked.texts.items() if text.strip()}
    cases = []
    for topic, graded in checked.graded.items():
        alike: dict[str, list[str]] = {}
        for name in graded:
            if name in said:
                alike.setdefault(said[name], []).append(name)
        for names in alike.values():
            apart = {graded[name] for name in names}
            if len(apart) > 1:
                grades = ", ".join(f"{name} ({graded[name]:g})" for name in names[:_EXAMPLES])
                cases.append((max(apart) - min(apart), f"{topic}: {grades}"))
    return [said for _, said in sorted(cases, key=lambda case: -case[0])]


def _same_query(checked: Judged) -> Iterable[str] | None:
    if checked.queries is None:
        return None
    cases = []
    for a, b in _twins(checked):
        of_a, of_b = checked.graded[a], checked.graded[b]
        differ = sum(of_a[name] != of_b[name] for name in of_a.keys() & of_b.keys())
        cases.append((differ, f"{a}, {b} ({differ} graded differently)"))
    return [said for _, said in sorted(cases, key=lambda pair: -pair[0])]


def _twins(checked: Judged) -> Iterator[tuple[str, str]]:
    """Go through the pairs of topics that ask the same."""
    alike: dict[str, list[str]] = {}
    for topic in checked.judgments.topics:
        text = _plain((checked.queries or {}).get(topic, "")).rstrip(" ?!.")
        if text:
            alike.setdefault(text, []).append(topic)
    for topics in alike.values():
        yield from combinations(topics, 2)


def _inverted(checked: Judged) -> Iterable[str] | None:
    if checked.queries is None:
        return None
    inverted = []
    for a, b in _twins(checked):
        of_a, of_b = checked.graded[a], checked.graded[b]
        shared = sorted(of_a.keys() & of_b.keys())
        turned = [
            f"{a}, {b}: {x} and {y}"
            for x, y in combinations(shared, 2)
            if (of_a[x] - of_a[y]) * (of_b[x] - of_b[y]) < 0
        ]
        inverted += turned
    return inverted


JUDGMENT_RULES: dict[str, Rule] = {
    "unequal grades of one text": Rule(
        "documents of a topic that say the same and have other grades",
        "judge them again, and give one grade",
        _same_text,
        of="text",
        needs="--documents",
    ),
    "one query under two topics": Rule(
        "topics that ask the same in the same words",
        "merge them, or count them once with --cluster",
        _same_query,
        of="pair",
        needs="--queries",
    ),
    "order inverted": Rule(
        "documents whose order by grade is reversed under a topic that asks the same",
        "judge these documents again for one of the two",
        _inverted,
        of="pair",
        needs="--queries",
    ),
    "document not there": Rule(
        "judged documents that are in no file of documents",
        "see what became of them: poolwise audit --documents FILE --hashes FILE",
        _gone,
        of="document",
        needs="--documents",
    ),
    "outside the scale": Rule(
        "grades that were not declared",
        "correct them, or declare them with --grades",
        _outside_scale,
        of="judgment",
        needs="--grades",
    ),
    "judged twice": Rule(
        "lines of the same topic and document",
        "decide which line holds, and remove the other",
        _twice,
        of="line",
    ),
    "nothing relevant": Rule(
        "topics without a relevant document",
        "leave them out, or say that they have no answer: evaluate --empty",
        _barren,
    ),
    "all relevant": Rule(
        "topics of which every judged document is relevant (two or more)",
        "judge documents that are not, or no estimate can be made there",
        _all_relevant,
    ),
    "nearly one grade": Rule(
        f"topics of which {_CONSTANT:.0%} of {_FEWEST} or more judged documents have one grade "
        "that is relevant",
        "see whether the topic is too broad, or whoever judged it did not look",
        _constant,
    ),
    "one run alone": Rule(
        "topics whose retrieved relevant documents (two or more) one run alone retrieved",
        "see who judged them, and from what: poolwise audit --origin",
        _one_run_alone,
    ),
    "outside the pool": Rule(
        "judged documents that no run has down to the depth of the pool",
        "find out why they were judged; where judgments decided what came next, say --adaptive",
        _out_of_pool,
        of="judgment",
    ),
}
"""What judgments are looked through for, the gravest first."""


@finding
class JudgmentChecks(Finding):
    """What rules found in judgments.

    Attributes
    ----------
    found : dict from str to tuple of str
        By rule what it found, the worst first.
    not_asked : dict from str to str
        The rules that could not look, and what they take.

    Examples
    --------
    >>> from poolwise.workflows import audit_judgments
    >>> runs = {"bm25": {"1": {"a": 1.0}}}
    >>> checks = audit_judgments({"1": {"a": 1, "b": 0}, "2": {"c": 0}}, runs)
    >>> checks.found["nothing relevant"]
    ('2',)
    """

    found: Mapping[str, tuple[str, ...]]
    not_asked: Mapping[str, str] = field(default_factory=dict)

    def columns(self) -> Columns:
        """Return one row per rule, those that found nothing or could not look included."""
        rules = list(JUDGMENT_RULES.items())
        return {
            "rule": [name for name, _ in rules],
            "count": [len(self.found[name]) if name in self.found else None for name, _ in rules],
            "of": [rule.of for _, rule in rules],
            "worst": ["; ".join(self.found.get(name, ())[:_EXAMPLES]) for name, _ in rules],
            "looks_for": [rule.looks_for for _, rule in rules],
            "advice": [rule.advice for _, rule in rules],
            "needs": [self.not_asked.get(name, "") for name, _ in rules],
        }

    @property
    def hits(self) -> tuple[str, ...]:
        """The rules that found something, the gravest first."""
        return tuple(name for name in JUDGMENT_RULES if self.found.get(name))

    def tables(self) -> tuple[Table, ...]:
        """Return one row per rule that found something."""
        rows = tuple(
            (
                name,
                counted(len(self.found[name]), JUDGMENT_RULES[name].of),
                named(self.found[name], most=1),
                JUDGMENT_RULES[name].advice,
            )
            for name in self.hits
        )
        if not rows:
            return ()
        columns = (Column("rule"), Column("found"), Column("worst"), Column("what to do", rank=1))
        return (Table(columns, rows, title="Judgments checked against themselves"),)

    def sentences(self) -> tuple[str, ...]:
        """Say what was found, and what to do first; and what was not looked for."""
        looked = len(self.found)
        rules = counted(looked, "rule")
        if not self.hits:
            said = f"None of {rules} found anything in the judgments."
        else:
            first = self.hits[0]
            rule, places = JUDGMENT_RULES[first], self.found[first]
            said = (
                f"{len(self.hits):,} of {rules} found something; the gravest: "
                f"{counted(len(places), rule.of)} ({first}), such as {places[0]}. "
                f"{rule.advice[0].upper()}{rule.advice[1:]}."
            )
        by_need: dict[str, list[str]] = {}
        for name, need in self.not_asked.items():
            by_need.setdefault(need, []).append(name)
        left = "; ".join(f"{named(names)} ({need})" for need, names in by_need.items())
        return (said, *((f"Not looked for: {left}.",) if left else ()))


_NO_POOL = "a depth of the pool that shows, and another run"


def check_judgments(checked: Judged) -> JudgmentChecks:
    """Apply every rule to judgments; the provenance is that of the runs met with them."""
    made = {name: rule.find(checked) for name, rule in JUDGMENT_RULES.items()}
    return JudgmentChecks(
        {name: tuple(places) for name, places in made.items() if places is not None},
        {
            name: JUDGMENT_RULES[name].needs or _NO_POOL
            for name, places in made.items()
            if places is None
        },
        provenance=checked.nominations.provenance,
    )
