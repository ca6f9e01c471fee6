"""Whether judged documents still say what was judged: same, moved, changed or gone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from poolwise.arrays import Integers
from poolwise.collection._judgments import Judgments
from poolwise.collection.formats._document_files import Document
from poolwise.errors import InputError
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import are, counted, named

__all__ = ["DOCUMENT_STATES", "DocumentChanges", "document_changes"]

DOCUMENT_STATES = {
    "gone": "neither the id nor the text is there",
    "changed": "the id has another text now, and the judged one is nowhere",
    "moved": "the judged text has another id now",
    "same": "the id has the text that was judged",
    "not known": "the id is there, and nobody kept what was judged",
}
"""What can have become of a judged document, the worst first."""


@finding
class DocumentChanges(Finding):
    """What has become of the judged documents since they were judged.

    Attributes
    ----------
    documents : tuple of str
        The judged documents, by id.
    state : tuple of str
        What has become of each: a key of ``DOCUMENT_STATES``.
    now : tuple of str
        The ids that have its text now, with commas; empty where none has, or it is the same.
    judgments, relevant : int array, documents
        On how many topics each was judged, and with a grade above 0.
    hashes : dict from str to str
        The SHA-256 of what each says now, to be kept for the next time.
    conflicts : tuple of (str, tuple of str)
        Documents of one topic that say the same now and have grades above 0 and not: the topic and
        their ids.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}})
    >>> then = {d: Document(d, t).sha256 for d, t in {"a": "one", "b": "two", "c": "x"}.items()}
    >>> changes = document_changes(qrels, [Document("a", "one"), Document("b2", "two")], then)
    >>> dict(zip(changes.documents, changes.state)), changes.now
    ({'a': 'same', 'b': 'moved', 'c': 'gone'}, ('', 'b2', ''))
    """

    documents: tuple[str, ...]
    state: tuple[str, ...]
    now: tuple[str, ...]
    judgments: Integers
    relevant: Integers
    hashes: Mapping[str, str] = field(default_factory=dict)
    conflicts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def columns(self) -> Columns:
        """Return one row per judged document, the worst first."""
        order = sorted(range(len(self.documents)), key=lambda d: (self._rank(d), d))
        conflicting = {d for _, ids in self.conflicts for d in ids}
        return {
            "document": [self.documents[d] for d in order],
            "state": [self.state[d] for d in order],
            "now": [self.now[d] for d in order],
            "judgments": [int(self.judgments[d]) for d in order],
            "relevant": [int(self.relevant[d]) for d in order],
            "sha256": [self.hashes.get(self.documents[d], "") for d in order],
            "conflict": [self.documents[d] in conflicting for d in order],
        }

    def _rank(self, document: int) -> int:
        return list(DOCUMENT_STATES).index(self.state[document])

    def counts(self) -> dict[str, int]:
        """Return how many judged documents have each state that occurs, the worst first."""
        counts = {state: self.state.count(state) for state in DOCUMENT_STATES}
        return {state: count for state, count in counts.items() if count}

    def tables(self) -> tuple[Table, ...]:
        """Return how many documents, judgments and relevant ones have each state."""
        states = np.array(self.state)
        rows = tuple(
            (
                *(state, count, int(self.judgments[states == state].sum())),
                *(int(self.relevant[states == state].sum()), DOCUMENT_STATES[state]),
            )
            for state, count in self.counts().items()
        )
        titles = (Column("state"), Column("documents"), Column("judgments"), Column("relevant"))
        title = f"What became of {counted(len(self.documents), 'judged document')}"
        return (Table((*titles, Column("meaning")), rows, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many judged documents are not what was judged, and what rests on them."""
        return (*self._stale(), *self._unknown(), *self._conflicting())

    def _stale(self) -> tuple[str, ...]:
        stale = [d for d, state in enumerate(self.state) if state in ("gone", "changed", "moved")]
        if not stale:
            same = self.state.count("same")
            verb = "says" if same == 1 else "say"
            return (f"{counted(same, 'judged document')} {verb} what was judged.",) * bool(same)
        kinds = ", ".join(f"{self.state.count(s):,} {s}" for s in ("gone", "changed", "moved"))
        number = int(self.judgments[stale].sum())
        judged, rest = counted(number, "judgment"), "rests" if number == 1 else "rest"
        relevant = int(self.relevant[stale].sum())
        examples = named([self.documents[d] for d in sorted(stale, key=self._rank)], most=3)
        return (
            (
                f"{len(stale):,} of {counted(len(self.documents), 'judged document')} "
                f"{are(len(stale))} not what was judged ({kinds}), such as {examples}."
            ),
            (
                f"{judged} {rest} on them, {relevant:,} relevant: scores count documents that "
                "nobody can retrieve, or texts that nobody judged."
            ),
        )

    def _unknown(self) -> tuple[str, ...]:
        unknown = self.state.count("not known")
        if not unknown:
            return ()
        lead = f"What {counted(unknown, 'document')} said when judged is not known"
        keep = "keep the hashes of today (--save-hashes FILE), for the next time (--hashes FILE)"
        return (f"{lead}: {keep}.",)

    def _conflicting(self) -> tuple[str, ...]:
        if not self.conflicts:
            return ()
        topic, ids = self.conflicts[0]
        return (
            (
                f"{counted(len(self.conflicts), 'text')} of one topic stand under several ids with "
                f"grades above 0 and not, such as {named(ids)} on topic {topic}."
            ),
        )


def document_changes(
    judgments: Judgments,
    documents: Iterable[Document],
    then: Mapping[str, str],
    *,
    where: str = "documents",
) -> DocumentChanges:
    """Say of each judged document whether it still says what was judged.

    Parameters
    ----------
    judgments : Judgments
        What was judged.
    documents : iterable of Document
        What documents say now.
    then : dict from str to str
        The SHA-256 of what documents said when they were judged, as far as that is known.
    where : str
        What an error calls the documents, such as their file.
    """
    graded = _graded(judgments)
    hashes, ids = _hashes(documents, graded, set(then.values()), where)
    names = tuple(graded)
    outcomes = [_became(name, then.get(name), hashes.get(name), ids) for name in names]
    return DocumentChanges(
        documents=names,
        state=tuple(state for state, _ in outcomes),
        now=tuple(now for _, now in outcomes),
        judgments=np.array([len(graded[name]) for name in names], np.int64),
        relevant=np.array([sum(g > 0 for g in graded[name].values()) for name in names], np.int64),
        hashes={name: hashes[name] for name in names if name in hashes},
        conflicts=tuple(_conflicts(graded, hashes)),
    )


def _graded(judgments: Judgments) -> dict[str, dict[str, float]]:
    """Return the grades of each judged document by topic, the documents by id."""
    grades: dict[str, dict[str, float]] = {}
    for topic, document, grade in judgments:
        if grade >= 0:  # a negative one says that it was pooled, and not judged
            grades.setdefault(document, {})[topic] = grade
    return dict(sorted(grades.items()))


def _hashes(
    documents: Iterable[Document], judged: Mapping[str, object], wanted: set[str], where: str
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the hashes of judged documents, and the ids that have a wanted hash."""
    hashes: dict[str, str] = {}
    ids: dict[str, list[str]] = {}
    for document in documents:
        if document.id not in judged and not wanted:
            continue
        code = document.sha256
        if document.id in judged and hashes.setdefault(document.id, code) != code:
            rule, remedy = "a document must have one text, and has two", "remove one of the two"
            raise InputError(where, rule, value=document.id, remedy=remedy)
        if code in wanted:
            ids.setdefault(code, []).append(document.id)
    return hashes, ids


def _became(
    name: str, then: str | None, now: str | None, ids: Mapping[str, Sequence[str]]
) -> tuple[str, str]:
    """Return what became of a document, and the ids that have its text."""
    if then is None:
        return ("gone" if now is None else "not known"), ""
    if then == now:
        return "same", ""
    others = [other for other in ids.get(then, ()) if other != name]
    if others:
        return "moved", ", ".join(others)
    return ("gone" if now is None else "changed"), ""


def _conflicts(
    graded: Mapping[str, Mapping[str, float]], hashes: Mapping[str, str]
) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Go through texts that stand under several ids of a topic, relevant and not."""
    alike: dict[tuple[str, str], list[str]] = {}
    for document, grades in graded.items():
        for topic in grades:
            if document in hashes:
                alike.setdefault((topic, hashes[document]), []).append(document)
    for (topic, _), ids in alike.items():
        if len({graded[document][topic] > 0 for document in ids}) > 1:
            yield topic, tuple(ids)
