"""What a judging room and its people say to each other."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from poolwise.collection.formats._topic_files import Topic
from poolwise.store.campaigns._journal import KINDS
from poolwise.store.campaigns._settings import Grade
from poolwise.workflows.campaigns._state import instant

__all__ = [
    "Acknowledgement",
    "Answer",
    "Assigned",
    "Assignment",
    "Briefing",
    "PastAnswer",
    "Progress",
    "RefusedError",
    "require_form",
]

_LONGEST_NOTE = 4000
_CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DAY_MS = 86_400_000


class Briefing(NamedTuple):
    """What an assessor is told before the first document."""

    campaign: str
    assessor: str
    grades: tuple[Grade, ...]
    guidelines: str
    guidelines_version: str


class Assignment(NamedTuple):
    """A document to judge: what an assessor sees of it, and nothing else.

    Attributes
    ----------
    lease : int
        The number to answer with.
    topic : Topic
        Its id, query, description and narrative.
    document : str
        The id of the document.
    copies : tuple of str
        Further documents with the same text: one answer is written for each of them, too.
    title, text : str
        What to read; ``html`` says whether the text is HTML.
    sha256 : str
        The hash of what is read.
    expires : str
        Until when the document is kept for this assessor (UTC).
    practice : bool
        Whether it is for practice: the acknowledgement then says the right grade.
    """

    lease: int
    topic: Topic
    document: str
    copies: tuple[str, ...]
    title: str
    text: str
    html: bool
    sha256: str
    expires: str
    practice: bool

    def as_json(self) -> dict[str, Any]:
        """Return what can be sent as JSON."""
        return self._asdict() | {"topic": self.topic._asdict(), "copies": list(self.copies)}


class Assigned(NamedTuple):
    """What an assessor gets, and how the campaign stands.

    Attributes
    ----------
    assignments : tuple of Assignment
        Documents to judge, those that the assessor has already first.
    state : {"judging", "preparing", "paused", "waiting", "done"}
        ``preparing``: more documents are being chosen, ask again in a second. ``waiting``: what is
        left is for others to judge. ``done``: nothing is left to judge.
    reason : str
        A sentence on that.
    """

    assignments: tuple[Assignment, ...]
    state: str
    reason: str = ""


class Answer(NamedTuple):
    """What an assessor says of a document.

    Attributes
    ----------
    client_id : str
        Made by whoever sends it, 8 to 64 letters, digits, ``_`` or ``-``; sent again, it is the
        same answer.
    lease : int
        The assignment.
    kind : {"grade", "cannot", "skip", "withdrawn"}
    grade : float, optional
        For the kind ``grade`` alone.
    note : str
    shown_at : str
        When the document was shown, as the browser has it (ISO 8601).
    active_ms : int, optional
        For how long it was looked at.
    replaces : int, optional
        The earlier answer that this one stands for: its number in the acknowledgement.

    Examples
    --------
    >>> Answer("client-0001", 17, grade=2).kind
    'grade'
    """

    client_id: str
    lease: int
    kind: str = "grade"
    grade: float | None = None
    note: str = ""
    shown_at: str = ""
    active_ms: int | None = None
    replaces: int | None = None


class Acknowledgement(NamedTuple):
    """What became of an answer; it is on the disk when this is returned.

    Attributes
    ----------
    client_id : str
        The answer.
    status : {"saved", "known", "gone", "refused"}
        ``saved``: now; ``known``: before, nothing is written twice; ``gone``: the document was
        given to somebody else meanwhile; ``refused``: the answer breaks a rule.
    judgment : int, optional
        The number of the answer, by which it can be replaced.
    reason : str
        Why it is not saved.
    expected : float, optional
        For practice: the right grade, with ``why``.
    """

    client_id: str
    status: str
    judgment: int | None = None
    reason: str = ""
    expected: float | None = None
    why: str = ""


class Progress(NamedTuple):
    """How far an assessor is.

    Attributes
    ----------
    judged, cannot, skipped : int
        Of the assessor's assignments, by what came of them.
    held : int
        Documents that the assessor has now.
    left : int
        Judgments that the documents chosen so far still need, by anybody.
    seconds_each : float, optional
        The median of the time that a document took this assessor.
    minutes_left : float, optional
        For what is left, shared by all who have judged in the last hour.
    state, reason : str
        As in :class:`Assigned`.
    """

    judged: int
    cannot: int
    skipped: int
    held: int
    left: int
    seconds_each: float | None
    minutes_left: float | None
    state: str
    reason: str


class PastAnswer(NamedTuple):
    """An answer that an assessor gave, and can change."""

    judgment: int
    lease: int
    topic: str
    document: str
    kind: str
    grade: float | None
    note: str
    answered_at: str


class RefusedError(Exception):
    """Why an answer is not taken, and with which status."""

    def __init__(self, reason: str, status: str = "refused") -> None:
        super().__init__(reason)
        self.status = status


def require_form(answer: Answer, scale: Sequence[float], *, known: bool) -> None:
    """Refuse what no page of ours would send."""
    if known or not isinstance(answer.client_id, str) or not _CLIENT_ID.fullmatch(answer.client_id):
        raise RefusedError("client_id: must be 8 to 64 letters, digits, _ or -, and new.")
    if answer.kind not in KINDS:
        raise RefusedError(f"kind: must be one of {', '.join(KINDS)}.")
    is_number = isinstance(answer.grade, int | float) and not isinstance(answer.grade, bool)
    if (answer.kind == "grade") != is_number or (is_number and answer.grade not in scale):
        raise RefusedError(
            f"grade: must be one of {', '.join(f'{g:g}' for g in scale)}, or absent."
        )
    if not _is_text(answer.note) or len(answer.note) > _LONGEST_NOTE:
        raise RefusedError(f"note: must have at most {_LONGEST_NOTE:,} letters.")
    ms = answer.active_ms
    if ms is not None and not (isinstance(ms, int) and 0 <= ms <= _DAY_MS):
        raise RefusedError("active_ms: must be milliseconds, a day at most.")
    if not _is_text(answer.shown_at) or not _is_time(answer.shown_at):
        raise RefusedError("shown_at: must be a time such as 2026-11-18T10:00:00Z, or empty.")


def _is_text(text: object) -> bool:
    """Say whether something can be written down: JSON may hold half of a character."""
    try:
        return isinstance(text, str) and text.encode() is not None
    except UnicodeEncodeError:
        return False


def _is_time(text: str) -> bool:
    if not text:
        return True
    try:
        instant(text)
    except (ValueError, OverflowError):
        return False
    return len(text) < 40
