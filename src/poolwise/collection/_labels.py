"""Labels: grades with whom they are from, people and machines, several per document."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable, encode, indices_of, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._merged import CONFLICT_RULES, decided
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.provenance._provenance import Notice, Source, add_notices
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Backend, Columns, to_frame
from poolwise.words import counted, named

__all__ = ["LABEL_RULES", "Author", "Labels", "join_labels"]

LABEL_RULES = {
    **dict.fromkeys(CONFLICT_RULES, "as in merge"),
    "latest": "the label that was given last, by the time that each has, or by its place",
}
"""What makes one grade of the labels that a document has."""


class Author(NamedTuple):
    """Who gave labels: a person, or a machine with its model and prompt.

    Attributes
    ----------
    name : str
    machine : bool
        Whether it is a machine; a file that does not say who gave its labels is taken as one's.
    model, prompt : str
        Of a machine, where they are known.

    Examples
    --------
    >>> Author("judge 1", model="gpt-4", prompt="basic").described
    'judge 1 (gpt-4, basic)'
    """

    name: str
    machine: bool = True
    model: str = ""
    prompt: str = ""

    @property
    def described(self) -> str:
        """The name, with model and prompt where these say more."""
        said = [part for part in (self.model, self.prompt) if part and part not in self.name]
        return f"{self.name} ({', '.join(said)})" if said else self.name


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """Grades that people or machines gave documents; a document may have many.

    A label that failed (an answer that could not be read, an empty one, one off the scale) is
    *missing*: its grade is NaN, and it is counted. It is never 0.

    Attributes
    ----------
    authors : tuple of Author
        Who gave labels.
    topics, starts, documents
        The labelled documents by topic, as in :class:`~poolwise.Judgments`.
    document, author : int array, one entry per label
        Which document was labelled, and by whom.
    grade : float array, one entry per label
        The grade; NaN where the label failed.
    when : str array, one entry per label, optional
        When it was given, in a form whose order is that of time.
    probabilities : float array, labels × grades of the scale, optional
        How probable each grade is, by whoever gave the label.
    declared : tuple of float
        The grades that a label can have, where they were declared.

    Examples
    --------
    >>> ann = Labels.from_dict("Ann", {"1": {"a": 2, "b": 0}}, machine=False)
    >>> gpt = Labels.from_dict("gpt", {"1": {"a": 3, "b": None, "c": 1}})
    >>> both = join_labels([ann, gpt])
    >>> both
    Labels(5 labels of 3 documents, 1 topic, by Ann, gpt; 1 failed)
    >>> both.matrix().tolist()
    [[2.0, 0.0, nan], [3.0, nan, 1.0]]
    """

    authors: tuple[Author, ...]
    topics: tuple[str, ...]
    starts: Integers
    documents: IdTable
    document: Indices
    author: Indices
    grade: Floats
    when: NDArray[np.str_] | None = None
    probabilities: Floats | None = None
    declared: tuple[float, ...] = ()
    sources: tuple[Source, ...] = (Source("<memory>"),)
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_dict(
        cls, name: str, grades: Mapping[str, Mapping[str, float | None]], *, machine: bool = True
    ) -> "Labels":
        """Build the labels of one author from ``{topic: {document: grade}}``; None has failed."""
        rows = [
            (str(topic), str(document), np.nan if grade is None else float(grade))
            for topic, graded in grades.items()
            for document, grade in graded.items()
        ]
        by = Author(name, machine=machine)
        return cls.from_rows([(t, d, by, g) for t, d, g in rows], sources=(Source("<dict>"),))

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[tuple[str, str, Author, float]],
        *,
        when: Sequence[str] | None = None,
        probabilities: Floats | None = None,
        sources: tuple[Source, ...] = (Source("<memory>"),),
        notices: tuple[Notice, ...] = (),
    ) -> "Labels":
        """Build from topic, document, author and grade of each label."""
        authors = tuple(dict.fromkeys(by for _, _, by, _ in rows))
        place = {by: i for i, by in enumerate(authors)}
        topics, starts, ids, document = _table_of([(t, d) for t, d, _, _ in rows])
        return cls(
            authors=authors,
            topics=topics,
            starts=starts,
            documents=ids,
            document=document,
            author=np.array([place[by] for _, _, by, _ in rows], np.intp),
            grade=np.array([grade for _, _, _, grade in rows], np.float64),
            when=None if when is None else np.array(when, np.str_),
            probabilities=probabilities,
            sources=sources,
            notices=notices,
        )

    @classmethod
    def of(cls, judgments: Judgments, name: str, *, machine: bool = True) -> "Labels":
        """Return grades as the labels of one author; a negative one (not judged) is missing."""
        kept = np.flatnonzero(judgments.judged)
        grade = judgments.scale[judgments.codes[kept]]
        return cls(
            authors=(Author(name, machine=machine),),
            topics=judgments.topics,
            starts=judgments.starts,
            documents=judgments.documents,
            document=kept,
            author=np.zeros(len(kept), np.intp),
            grade=np.where(grade < 0, np.nan, grade),
            declared=judgments.declared,
            sources=(judgments.source,),
            notices=judgments.notices,
        )

    def __repr__(self) -> str:
        failed = f"; {self.failed:,} failed" if self.failed else ""
        return (
            f"Labels({counted(len(self), 'label')} of {counted(len(self.documents), 'document')}, "
            f"{counted(len(self.topics), 'topic')}, by {named(self.names)}{failed})"
        )

    def __len__(self) -> int:
        """Return the number of labels, failed ones included."""
        return len(self.grade)

    @property
    def names(self) -> tuple[str, ...]:
        """What the authors are called."""
        return tuple(author.name for author in self.authors)

    @property
    def failed(self) -> int:
        """How many labels are missing because they failed."""
        return int(np.isnan(self.grade).sum())

    @property
    def recorded_as(self) -> str:
        """How provenance names them where they are an option: by where they come from."""
        return ", ".join(str(source) for source in self.sources)

    @cached_property
    def scale(self) -> Floats:
        """The grades that were declared, or those that occur, ascending."""
        if self.declared:
            return np.array(self.declared)
        return np.unique(self.grade[~np.isnan(self.grade)])

    @cached_property
    def topic_of_document(self) -> Indices:
        """Index of the topic of each document."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def matrix(self) -> Floats:
        """Return the grade that each author gave each document, authors × documents.

        NaN where there is no label, or a failed one; of several labels by one author the latest
        that did not fail.
        """
        order = self._in_time()
        order = order[~np.isnan(self.grade[order])]
        grades = np.full((len(self.authors), len(self.documents)), np.nan)
        # Where an index is named twice, numpy keeps the last value.
        grades[self.author[order], self.document[order]] = self.grade[order]
        return grades

    def _in_time(self) -> Indices:
        """Return the labels from the first given to the last; as they stand where no time says."""
        if self.when is None:
            return np.arange(len(self))
        return np.argsort(self.when, kind="stable")

    def failed_of(self, author: int) -> int:
        """Return how many labels of an author failed."""
        return int(np.isnan(self.grade[self.author == author]).sum())

    def select(self, names: str | Iterable[str]) -> "Labels":
        """Return the labels of these authors, on the same table of documents.

        Examples
        --------
        >>> ann = Labels.from_dict("Ann", {"1": {"a": 2}})
        >>> join_labels([ann, Labels.from_dict("Bob", {"1": {"b": 0}})]).select("Bob").grade
        array([0.])
        """
        wanted = indices_of(names, self.names, what="labels")
        place = np.full(len(self.authors), -1)
        place[wanted] = np.arange(len(wanted))
        rows = np.flatnonzero(place[self.author] >= 0)
        return replace(
            self,
            authors=tuple(self.authors[i] for i in wanted.tolist()),
            document=self.document[rows],
            author=place[self.author[rows]].astype(np.intp),
            grade=self.grade[rows],
            when=None if self.when is None else self.when[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
        )

    def with_people(self, patterns: Iterable[str]) -> "Labels":
        """Return the same labels, with the authors of these names declared as people.

        Examples
        --------
        >>> labels = Labels.from_dict("assessor1", {"1": {"a": 2}})
        >>> labels.with_people(["assessor*"]).authors[0].machine
        False
        """
        labels = self
        for pattern in patterns:
            labels = labels._change("people", pattern, machine=False)
        return labels

    def with_models(self, judges: Mapping[str, str]) -> "Labels":
        """Return the same labels, with the sets of some judges declared: by prompt, or by version.

        Parameters
        ----------
        judges
            The name of each judge, and that of its sets; ``*`` stands for any letters.

        Examples
        --------
        >>> labels = Labels.from_dict("llama-basic", {"1": {"a": 2}})
        >>> labels.with_models({"llama": "llama-*"}).authors[0].model
        'llama'
        """
        labels = self
        for judge, pattern in judges.items():
            labels = labels._change("judges", pattern, model=judge)
        return labels

    def _change(self, option: str, pattern: str, **fields: Any) -> "Labels":
        """Return the labels with fields of the authors changed whose names fit a pattern."""
        meant = [fnmatchcase(name, pattern) for name in self.names]
        if not any(meant):
            raise OptionError(
                f"{option}: no set of labels is called {pattern!r}. Hint: use one of "
                f"{named(self.names, most=10)}; * stands for any letters."
            )
        both = zip(self.authors, meant, strict=True)
        authors = tuple(
            author._replace(**fields) if is_meant else author for author, is_meant in both
        )
        return replace(self, authors=authors)

    def with_scale(self, grades: Sequence[float]) -> "Labels":
        """Return the same labels with their scale declared; one off the scale counts as failed.

        Examples
        --------
        >>> labels = Labels.from_dict("gpt", {"1": {"a": 2, "b": 7}}).with_scale([0, 1, 2, 3])
        >>> labels.failed, [str(notice) for notice in labels.notices]
        (1, ['labels off the scale, taken as missing: 1'])
        """
        declared = tuple(sorted({float(grade) for grade in grades}))
        off = ~np.isin(self.grade, declared) & ~np.isnan(self.grade)
        lost = Notice("labels off the scale, taken as missing", int(off.sum()))
        return replace(
            self,
            declared=declared,
            grade=np.where(off, np.nan, self.grade),
            notices=(*self.notices, lost) if lost.count else self.notices,
        )

    def mapped(self, grades: Mapping[float, float]) -> "Labels":
        """Return the labels on another scale; a grade that the map lacks is an error.

        Examples
        --------
        >>> Labels.from_dict("exam", {"1": {"a": 5}}).mapped({5: 3}).grade.tolist()
        [3.0]
        """
        lacking = [g for g in np.unique(self.grade[~np.isnan(self.grade)]) if g not in grades]
        if lacking:
            raise OptionError(
                f"map: every grade must be in it; {lacking[0]:g} is not. Hint: add "
                f"{lacking[0]:g}=GRADE."
            )
        labelled = ~np.isnan(self.grade)
        moved = self.grade.copy()
        moved[labelled] = [grades[g] for g in self.grade[labelled].tolist()]
        declared = tuple(sorted({float(g) for g in grades.values()}))
        return replace(self, grade=moved, declared=declared, probabilities=None)

    def judgments(
        self, rule: str = "error", *, by: str | None = None, trust: bool = False
    ) -> Judgments:
        """Make judgments of the labels, by a rule; those of machines need ``trust``.

        Parameters
        ----------
        rule : str
            What makes one grade of several: a key of ``LABEL_RULES``.
        by : str, optional
            The one author whose labels count.
        trust : bool
            Take labels by machines as judgments, too. What is made of them says so.

        Examples
        --------
        >>> ann = Labels.from_dict("Ann", {"1": {"a": 2, "b": 0}}, machine=False)
        >>> bob = Labels.from_dict("Bob", {"1": {"a": 1}}, machine=False)
        >>> list(join_labels([ann, bob]).judgments("highest"))
        [('1', 'a', 2.0), ('1', 'b', 0.0)]
        >>> Labels.from_dict("gpt", {"1": {"a": 2}}).judgments()
        Traceback (most recent call last):
            ...
        poolwise.errors.OptionError: trust: labels by machines are predictions, and no judgments;
        got those of gpt. Hint: say trust=True or --trust, which every result will show, or use
        estimate with labels, whose intervals hold.
        """
        require_choice("rule", rule, LABEL_RULES)
        chosen = self if by is None else self.select(by)
        machines = [author for author in chosen.authors if author.machine]
        if machines and not trust:
            raise OptionError(
                "trust: labels by machines are predictions, and no judgments; got those of "
                f"{named([a.described for a in machines])}. Hint: say trust=True or --trust, which "
                "every result will show, or use estimate with labels, whose intervals hold."
            )
        return chosen._decided(rule, machines)  # noqa: SLF001 -- of the same class

    def _decided(self, rule: str, machines: Sequence[Author]) -> Judgments:
        order = self._in_time()
        order = order[~np.isnan(self.grade[order])]
        by_machine = np.array([a.machine for a in self.authors], np.bool_)[self.author[order]]
        grades: dict[int, list[float]] = {}
        for document, grade in zip(self.document[order].tolist(), self.grade[order], strict=True):
            grades.setdefault(document, []).append(float(grade))
        kept = np.array(sorted(grades), np.intp)
        values = np.array([self._one(d, grades[d], rule) for d in kept.tolist()], np.float64)
        judgments = self._graded(kept, values)
        trusted = Notice(
            f"labels by machines ({named([a.described for a in machines])}) taken as judgments",
            int(by_machine.sum()),
        )
        return (
            replace(judgments, notices=(*judgments.notices, trusted))
            if trusted.count
            else judgments
        )

    def _one(self, document: int, grades: Sequence[float], rule: str) -> float:
        if rule == "error" and len(set(grades)) > 1:
            topic = self.topics[int(self.topic_of_document[document])]
            raise InputError(
                f"topic {topic}, document {self.documents[document]}",
                "a document must have one grade, and authors gave it several",
                value=", ".join(f"{grade:g}" for grade in grades),
                remedy="say which counts: rule='majority' or --rule majority, for example",
            )
        return decided(grades, "last" if rule == "latest" else rule)

    def predictions(self, name: str, *, within: Booleans | None = None) -> Judgments:
        """Return the labels of one author in the form that measures score.

        They are predictions: a result that is made of them has no range over judgments.

        Parameters
        ----------
        name : str
            The author.
        within : bool array, optional
            The documents that count; all by default.
        """
        # The scale is that of this author: another's grades say nothing of it.
        own = self.select(name)
        grades = own.matrix()[0]
        labelled = ~np.isnan(grades) if within is None else ~np.isnan(grades) & within
        kept = np.flatnonzero(labelled)
        return own._graded(kept, grades[kept])  # noqa: SLF001 -- of the same class

    def _graded(self, documents: Indices, grades: Floats) -> Judgments:
        """Return judgments of some documents; all topics stay, those without a document too."""
        counts = np.bincount(self.topic_of_document[documents], minlength=len(self.topics))
        scale, codes = np.unique(grades, return_inverse=True)
        # The scale is that of all labels, so that gains mean the same whatever is left out.
        whole = np.union1d(scale, self.scale)
        return Judgments(
            topics=self.topics,
            starts=starts_of(counts.tolist()),
            documents=self.documents.take(documents),
            codes=np.searchsorted(whole, scale)[codes].astype(np.int16),
            scale=whole,
            source=self.sources[0],
            notices=self.notices,
        )

    def to_columns(self) -> Columns:
        """Return one row per label: topic, document, grade, who gave it, and what else is known."""
        ids = list(self.documents)
        topic = self.topic_of_document[self.document].tolist()
        by = [self.authors[a] for a in self.author.tolist()]
        columns: Columns = {
            "topic": [self.topics[t] for t in topic],
            "document": [ids[d] for d in self.document.tolist()],
            "grade": [None if g != g else g for g in self.grade.tolist()],  # noqa: PLR0124 -- NaN
            "author": [author.name for author in by],
            "kind": ["machine" if author.machine else "person" for author in by],
            "model": [author.model for author in by],
            "prompt": [author.prompt for author in by],
        }
        return columns if self.when is None else columns | {"when": self.when.tolist()}

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the columns as a frame."""
        return to_frame(self.to_columns(), backend=backend)


def _table_of(
    pairs: Sequence[tuple[str, str]],
) -> tuple[tuple[str, ...], Integers, IdTable, Indices]:
    """Return the topics, starts and ids of distinct documents, and the place of each pair."""
    keys = sorted({(encode(t), encode(d)): (t, d) for t, d in pairs}.items())
    place = {pair: i for i, (_, pair) in enumerate(keys)}
    count = Counter(topic for _, (topic, _) in keys)
    topics = tuple(sorted(count, key=encode))
    return (
        topics,
        starts_of(count[topic] for topic in topics),
        IdTable.from_strings(document for _, (_, document) in keys),
        np.array([place[pair] for pair in pairs], np.intp),
    )


@recorded
def join_labels(parts: Sequence[Labels]) -> Labels:
    """Put the labels of several files or authors together, on one table of documents.

    Parameters
    ----------
    parts : sequence of Labels
        Labels by different authors.

    Returns
    -------
    Labels
        All of them; an author who is there twice is an error.

    Examples
    --------
    >>> parts = [Labels.from_dict(name, {"1": {name: 1}}) for name in "ab"]
    >>> join_labels(parts).names
    ('a', 'b')
    """
    if not parts:
        raise OptionError("labels: at least one set is needed. Hint: give the grades of one.")
    if len(parts) == 1:
        return parts[0]
    _refuse_twice(parts)
    pairs = [_pairs(part) for part in parts]
    topics, starts, ids, place = _table_of([pair for some in pairs for pair in some])
    edges = starts_of(map(len, pairs)).tolist()
    first = starts_of(len(part.authors) for part in parts).tolist()
    return Labels(
        authors=tuple(author for part in parts for author in part.authors),
        topics=topics,
        starts=starts,
        documents=ids,
        document=np.concatenate(
            [place[a:][part.document] for a, part in zip(edges, parts, strict=False)]
        ),
        author=np.concatenate([part.author + a for a, part in zip(first, parts, strict=False)]),
        grade=np.concatenate([part.grade for part in parts]),
        when=_of_all([part.when for part in parts]),
        declared=_shared_scale(parts),
        sources=tuple(source for part in parts for source in part.sources),
        notices=add_notices(notice for part in parts for notice in part.notices),
    )


def _pairs(labels: Labels) -> list[tuple[str, str]]:
    topic = labels.topic_of_document.tolist()
    return [(labels.topics[t], d) for t, d in zip(topic, labels.documents, strict=True)]


def _of_all(columns: Sequence[NDArray[np.str_] | None]) -> NDArray[np.str_] | None:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if len(present) == len(columns) else None


def _shared_scale(parts: Sequence[Labels]) -> tuple[float, ...]:
    first, *others = (part.declared for part in parts)
    return first if all(other == first for other in others) else ()


def _refuse_twice(parts: Sequence[Labels]) -> None:
    names = Counter(name for part in parts for name in part.names)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        places = named([str(source.path) for part in parts for source in part.sources])
        raise OptionError(
            f"labels: {places} hold labels by {twice[0]!r} more than once. Hint: give each set "
            "once, or name files apart."
        )
