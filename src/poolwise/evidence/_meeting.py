"""Runs met with judgments: every retrieved document gets its grade code.

There is one way of meeting, :class:`Meeting`, whatever is known of the runs: lists with their
documents (:func:`align`), codes that a scanner wrote while it read (:func:`scanned_grades`), or
codes that it writes a block at a time (:class:`GradeStream`).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Integers
from poolwise.collection._identifiers import cut_topics, positions, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import match_documents
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import ScannedGrades
from poolwise.collection.files._native import JudgedMarks, Marks, is_native
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.evidence._evidence import (
    DocumentBlock,
    Evidence,
    codes_of_documents,
    graded_documents,
    sample_of,
)
from poolwise.evidence._grades import (
    BEYOND,
    UNJUDGED,
    Block,
    Grades,
    code_type,
    codes_of_rows,
    count_by_grade_and_topic,
    grade_scale,
)
from poolwise.provenance._provenance import Notice, Provenance, Source, TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.words import have, named

if TYPE_CHECKING:
    from poolwise.collection.files._line_stream import LineStream
    from poolwise.collection.files._run_stream import RunStream

__all__ = [
    "TOPIC_RULES",
    "GradeStream",
    "Meeting",
    "align",
    "check_common_topics",
    "choose_topics",
    "codes_to_scan",
    "known_rule",
    "require_topics",
    "scanned_grades",
    "topic_notices",
]

Codes = tuple[NDArray[np.integer], NDArray[np.unsignedinteger] | None]
"""Grade codes, systems × topics × ranks, and how many unjudged documents are best at each rank."""

TOPIC_RULES = {
    "judged": "all judged topics; a topic that a run lacks scores 0",
    "common": "the judged topics that every run answers",
}


class Meeting:
    """Judgments, what was retrieved for each topic, and which topics count.

    Attributes
    ----------
    judgments : Judgments
    rule : {"judged", "common"} or tuple of str
        How the topics were chosen.
    topics : tuple of str
        Those that count, in their order in the judgments.
    lengths : int array, runs × topics
        How many documents each list has, 0 for a topic that a run lacks.
    """

    def __init__(
        self,
        judgments: Judgments,
        systems: Sequence[str],
        retrieved: tuple[str, ...],
        lengths: Integers,
        topics: str | Iterable[str],
    ) -> None:
        self.judgments, self.rule = judgments, known_rule(topics, judgments)
        # Not copied: a stream of runs corrects its lengths in place while it reads.
        self._retrieved, self._lengths = retrieved, lengths
        check_common_topics(judgments, systems, retrieved, lengths)
        self.topics = self.choice()
        require_topics(self.topics, self.rule)
        rows = positions(retrieved, self.topics)
        self.lengths = np.zeros((len(lengths), len(self.topics)), np.int64)
        self.lengths[:, rows[rows >= 0]] = lengths[:, rows >= 0]

    def choice(self) -> tuple[str, ...]:
        """Choose the topics that count by the lists as they are known now."""
        return choose_topics(self.judgments.topics, self._retrieved, self._lengths, self.rule)

    @cached_property
    def scale(self) -> Floats:
        """The grades a judged document can have, ascending, none negative."""
        return grade_scale(self.judgments)

    @cached_property
    def row_codes(self) -> NDArray[np.integer]:
        """The grade code of each row of the judgments."""
        return codes_of_rows(self.judgments, code_type(self.scale))

    @cached_property
    def pool(self) -> Integers:
        """How many judged documents of each grade a topic has, topics × grades."""
        return count_by_grade_and_topic(
            self.judgments, self.row_codes, self.topics, len(self.scale)
        )

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Which topics lie together in a block."""
        return cut_topics(self.lengths.max(axis=0, initial=0), len(self.lengths))

    def blocks(self, parts: Iterable[Codes]) -> Iterator[Block]:
        """Go through codes of consecutive topics, and add what is known of their pools."""
        first = 0
        for codes, counted_ranks in parts:
            past = first + codes.shape[1]
            yield Block(
                codes=codes,
                scale=self.scale,
                pool=self.pool[first:past],
                counted_ranks=counted_ranks,
            )
            first = past

    def provenance(
        self, sources: tuple[Source, ...], tie_rule: str, notices: tuple[Notice, ...]
    ) -> Provenance:
        """Return what the grades are made of; the notices are those of reading the runs."""
        met = topic_notices(self.judgments, self._retrieved, self._lengths, self.rule)
        return Provenance(
            judgments=self.judgments.source,
            runs=sources,
            tie_rule=tie_rule,
            topic_rule=self.rule,
            notices=self.judgments.notices + notices + met,
        )


@recorded
def align(judgments: Judgments, runs: Runs, *, topics: str | Iterable[str] = "judged") -> Evidence:
    """Join runs with judgments: every retrieved document gets its grade code.

    Parameters
    ----------
    topics : {"judged", "common"} or iterable of str
        Which topics to keep: all judged topics, those of them that every run answers, or these.
        The scale of grades is that of all judgments.

    Returns
    -------
    Evidence
        The grade codes of the retrieved documents, in blocks of topics, with the documents beside
        them. Negative codes are documents without a grade, and ranks past the end of a list.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a", "x"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 1}}), runs)
    >>> evidence.topics, evidence.blocks[0].codes.tolist()
    (('1', '2'), [[[0, 1, -2], [-3, -3, -3]]])
    """
    meeting = Meeting(judgments, runs.systems, runs.topics, runs.lengths, topics)
    provenance = meeting.provenance(runs.sources, runs.tie_rule, runs.notices)
    runs = runs.select(topics=meeting.topics)
    rows = match_documents(judgments, runs)
    return Evidence(
        systems=runs.systems,
        topics=meeting.topics,
        blocks=tuple(_document_blocks(meeting, runs, rows)),
        document_ids=runs.documents,
        judgment_rows=rows,
        provenance=provenance,
    )


def _document_blocks(
    meeting: Meeting, runs: Runs, judgment_rows: NDArray[np.int32]
) -> Iterator[DocumentBlock]:
    """Lay out the lists in blocks; ``runs`` has no other topics than those that count."""
    judgments, of_row, grades = meeting.judgments, meeting.row_codes, len(meeting.scale)
    of_document = graded_documents(of_row, judgment_rows)
    sample = sample_of(judgments, of_row, judgment_rows, meeting.topics, grades)
    lists = _Lists(runs, meeting)
    for part in meeting.slices:
        documents = lists.documents(part)
        starts = lists.document_starts[part.start : part.stop + 1]
        yield DocumentBlock(
            codes=codes_of_documents(documents, starts, of_document),
            scale=meeting.scale,
            pool=meeting.pool[part],
            documents=documents,
            document_starts=starts,
            sample=sample and sample.take(part),
        )


class _Lists:
    """The lists of runs, with an empty one for each topic that is not answered."""

    def __init__(self, runs: Runs, meeting: Meeting) -> None:
        self.lengths = meeting.lengths
        sizes = np.zeros(len(meeting.topics), np.int64)
        sizes[positions(runs.topics, meeting.topics)] = np.diff(runs.topic_starts)
        self.document_starts = starts_of(sizes)
        self._starts = starts_of(self.lengths.ravel())
        self._rankings = runs.rankings

    def documents(self, topics: slice) -> NDArray[np.int32]:
        """Return document codes as systems × topics × ranks, −1 beyond the end of a list."""
        lengths = self.lengths[:, topics]
        # Lists of one length, as most collections have them, are a view and need no copy.
        if self.lengths.size and (self.lengths == self.lengths.flat[0]).all():
            return self._rankings.reshape(*self.lengths.shape, -1)[:, topics]
        inside = np.arange(lengths.max(initial=0)) < lengths[:, :, None]
        padded = np.full(inside.shape, -1, np.int32)
        # Both sides run by system, then by topic, then by rank.
        padded[inside] = np.concatenate([np.empty(0, np.int32), *self._of_systems(topics)])
        return padded

    def _of_systems(self, topics: slice) -> Iterator[NDArray[np.int32]]:
        """Go through the systems, and return the lists of these topics, one after another."""
        width = self.lengths.shape[1]
        edges = np.arange(len(self.lengths)) * width
        firsts, pasts = self._starts[edges + topics.start], self._starts[edges + topics.stop]
        for first, past in zip(firsts.tolist(), pasts.tolist(), strict=True):
            yield self._rankings[first:past]


def codes_to_scan(judgments: Judgments, *, counts_unknown: bool) -> JudgedMarks | None:
    """Return the grade codes of judgments for a scanner; None where it takes none.

    That is where there are too many grades, and where there is no native library.
    ``counts_unknown`` asks for the universe of all runs, without which there is no range over it.
    """
    if not is_native() or code_type(grade_scale(judgments)) != np.int8:
        return None
    return JudgedMarks(
        judgments.topics,
        judgments.documents,
        judgments.starts,
        codes_of_rows(judgments, np.dtype(np.int8)).astype(np.int8),
        other=UNJUDGED,
        counts_unknown=counts_unknown,
    )


def scanned_grades(judgments: Judgments, runs: ScannedGrades, *, topics: TopicRule) -> Grades:
    """Return the grades of runs whose marks are the codes of these judgments.

    ``topics`` is the rule by which the topics of the marks were chosen.
    """
    lists = runs.lists
    meeting = Meeting(judgments, runs.systems, lists.topics, lists.lengths, topics)
    # The scanner alone knows which documents are the same, so it counts their best ranks.
    parts = ((part.marks, part.best_ranks) for part in lists.blocks)
    return Grades(
        systems=runs.systems,
        topics=meeting.topics,
        blocks=tuple(meeting.blocks(parts)),
        provenance=meeting.provenance(runs.sources, runs.tie_rule, runs.notices),
    )


class GradeStream:
    """Grades that are made while they are gone through, once.

    The blocks are those that :class:`~poolwise.Grades` would have, so that scores are the same to
    the last bit. Names of the runs and provenance are known when the last block has been read.

    ``judged`` are the codes for the scanner, None where there are too many grades;
    ``counts_unknown`` asks to count the unjudged documents of all runs, for ranges over them.
    """

    def __init__(
        self,
        judgments: Judgments,
        runs: "RunStream | LineStream",
        judged: JudgedMarks | None,
        *,
        counts_unknown: bool = True,
        rule: str | Iterable[str] = "judged",
        ties: str = "trec_eval",
        duplicates: str = "error",
    ) -> None:
        self._runs, self._judged, self._counts_unknown = runs, judged, counts_unknown
        self._ties, self._duplicates = ties, duplicates
        self._meeting = Meeting(judgments, runs.paths, runs.topics, runs.lengths, rule)
        self.topics, self.scale = self._meeting.topics, self._meeting.scale
        self.slices = self._meeting.slices

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self._runs.systems()

    @property
    def provenance(self) -> Provenance:
        """What the grades were made of."""
        notices = self._runs.notices(self._duplicates)
        return self._meeting.provenance(self._runs.sources, self._ties, notices)

    @property
    def blocks(self) -> Iterator[Block]:
        """Read the runs, and yield the topics that count, block by block."""
        yield from self._meeting.blocks(self._read(self.topics[part]) for part in self.slices)
        self._read_others()
        self._check_choice()

    def _read(self, topics: tuple[str, ...]) -> Codes:
        """Return the codes of all runs on these topics, and the best ranks of the unjudged."""
        answering = self._runs.answering(topics)
        codes, counted = self._of_runs(topics) if answering else _nothing(len(topics))
        every = np.full((len(self._runs), *codes.shape[1:]), BEYOND, codes.dtype)
        every[answering] = codes
        return every, counted

    def _of_runs(self, topics: tuple[str, ...]) -> Codes:
        """Return the same of the runs that answer."""
        marks = self._marks(topics)
        if marks is not None:
            return marks.blocks[0]
        whole = align(self._meeting.judgments.select(topics=topics), self._runs.documents(topics))
        (block,) = whole.recut(cells=whole.lengths.size * max(1, whole.depth)).blocks
        return block.codes, block.best_ranks if self._counts_unknown else None

    def _marks(self, topics: tuple[str, ...]) -> Marks | None:
        """Read nothing but the grades, where that is enough."""
        if self._judged is None:
            return None
        return self._runs.marks(topics, self._judged, beyond=BEYOND)

    def _read_others(self) -> None:
        """Read the topics that do not count as well: what is wrong there is refused, too."""
        counting = set(self.topics)
        kept = np.array([topic not in counting for topic in self._runs.topics], np.bool_)
        others = [topic for topic in self._runs.topics if topic not in counting]
        longest = self._runs.lengths[:, kept].max(axis=0, initial=0)
        for part in cut_topics(longest, len(self._runs)) if others else ():
            topics = tuple(others[part])
            if self._marks(topics) is None:
                self._runs.documents(topics)

    def _check_choice(self) -> None:
        """Raise where lines that were skipped would change which topics all runs answer."""
        if self._meeting.choice() != self.topics:
            raise InputError(
                ", ".join(self._runs.paths[:3]),
                "a list that counts as common must hold a line that can be read",
                remedy="read the files whole with stream=False (--no-stream)",
            )


def _nothing(topics: int) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Return what there is of topics that no run answers."""
    return np.zeros((0, topics, 0), np.int8), np.zeros((topics, 0), np.uint8)


def known_rule(topics: str | Iterable[str], judgments: Judgments) -> TopicRule:
    """Return the rule of this name, or the topics named, each once and as the judgments order them.

    Examples
    --------
    >>> judgments = Judgments.from_dict({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}})
    >>> known_rule("common", judgments), known_rule(["3", "1", "3"], judgments)
    ('common', ('1', '3'))
    >>> known_rule(["1", "7"], judgments)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: 7 has no judgments in <dict>; judged are 1, 2, 3.
    Hint: name judged topics only.
    """
    if isinstance(topics, str):
        require_choice("topics", topics, TOPIC_RULES)
        return topics
    wanted, judged = dict.fromkeys(map(str, topics)), set(judgments.topics)
    unknown = [topic for topic in wanted if topic not in judged]
    if unknown:
        raise _unknown_topics(unknown, judgments)
    return tuple(topic for topic in judgments.topics if topic in wanted)


def _unknown_topics(unknown: list[str], judgments: Judgments) -> OptionError:
    """Say which topics are not judged."""
    verb = have(len(unknown))
    return OptionError(
        f"topics: {named(unknown, most=3)} {verb} no judgments in {judgments.source.path}; "
        f"judged are {named(judgments.topics, most=3)}. Hint: name judged topics only."
    )


def choose_topics(
    judged: tuple[str, ...], retrieved: tuple[str, ...], lengths: Integers, rule: TopicRule
) -> tuple[str, ...]:
    """Return the topics that count, in their order in the judgments.

    ``lengths`` are those of the lists, runs × topics retrieved, and ``rule`` is what
    :func:`known_rule` returns.

    Examples
    --------
    >>> lengths = np.array([[3, 1], [0, 2]])
    >>> [choose_topics(("1", "2", "3"), ("1", "2"), lengths, rule) for rule in TOPIC_RULES]
    [('1', '2', '3'), ('2',)]
    """
    if not isinstance(rule, str):
        return rule
    # A topic that a run lacks counts with score 0, as in trec_eval -c.
    if rule == "judged":
        return judged
    by_all = {retrieved[t] for t in np.flatnonzero((lengths > 0).all(axis=0)).tolist()}
    return tuple(topic for topic in judged if topic in by_all)


def check_common_topics(
    judgments: Judgments, systems: Sequence[str], retrieved: tuple[str, ...], lengths: Integers
) -> None:
    """Raise where no topic that a run retrieved for is judged, wherever the run stands.

    A run without any document, which a file cannot hold, is let pass.
    """
    judged = positions(retrieved, judgments.topics) >= 0
    apart = (lengths > 0).any(axis=1) & ~(lengths[:, judged] > 0).any(axis=1)
    for s in np.flatnonzero(apart).tolist():
        answered = [retrieved[t] for t in np.flatnonzero(lengths[s]).tolist()]
        raise InputError(
            judgments.source.path,
            f"each run must have a topic in common with the judgments, and {systems[s]} has none",
            value=f"topics {named(judgments.topics, most=3)} judged; "
            f"{named(answered, most=3)} retrieved",
            remedy="check that the runs and the qrels belong to the same collection",
        )


def require_topics(topics: tuple[str, ...], rule: TopicRule) -> None:
    """Raise where the rule leaves no topic, or none was named."""
    if not rule:
        raise OptionError("topics: at least one must be named. Hint: use 'judged' for all.")
    if rule == "common" and not topics:
        raise OptionError(
            "topics: 'common' needs a judged topic that every run answers, and there is none. "
            "Hint: use 'judged', or leave out the runs that answer few topics."
        )


def topic_notices(
    judgments: Judgments, retrieved: tuple[str, ...], lengths: Integers, rule: TopicRule
) -> tuple[Notice, ...]:
    """Count the lists and topics that the choice of topics leaves out, and the lists it misses."""
    judged = positions(retrieved, judgments.topics) >= 0
    extra = [t for t, is_judged in zip(retrieved, judged.tolist(), strict=True) if not is_judged]
    wanted = judgments.topics if isinstance(rule, str) else rule
    answered = int((lengths[:, positions(retrieved, wanted) >= 0] > 0).sum())
    notices = (
        Notice("judged topics that were not named, left out", len(judgments.topics) - len(wanted)),
        Notice(
            "lists for topics without judgments, left out",
            int((lengths[:, ~judged] > 0).sum()),
            f"topic {extra[0]}" if extra else "",
        ),
        Notice("judged topics that a run lacks", len(lengths) * len(wanted) - answered),
    )
    return tuple(notice for notice in notices if notice.count)
