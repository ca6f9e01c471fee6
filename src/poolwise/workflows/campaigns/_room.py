"""The judging room: hands documents out, takes grades in, and loses none."""

import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from statistics import median
from threading import Condition, Lock, RLock, Thread
from typing import Any, NamedTuple, Self

from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.formats._document_files import Document
from poolwise.collection.formats._topic_files import Topic
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.findings.campaigns._assessors import AssessorReport
from poolwise.findings.campaigns._export import CampaignExport
from poolwise.findings.campaigns._status import CampaignStatus
from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.store.campaigns._journal import Entry, Event, Journal, Row
from poolwise.store.campaigns._settings import CampaignSettings, KnownDocument
from poolwise.workflows.campaigns._batches import Planner
from poolwise.workflows.campaigns._common import recorded_topics, wanted_documents
from poolwise.workflows.campaigns._exports import prepare_export
from poolwise.workflows.campaigns._messages import (
    Acknowledgement,
    Answer,
    Assigned,
    Assignment,
    Briefing,
    PastAnswer,
    Progress,
    RefusedError,
    require_form,
)
from poolwise.workflows.campaigns._standing import (
    Dispute,
    assessor_report,
    disputes,
    grades_of,
)
from poolwise.workflows.campaigns._state import (
    ASIDE,
    Item,
    Key,
    Lease,
    Person,
    RoomState,
    instant,
    moment,
    share_of,
)
from poolwise.workflows.campaigns._status import status_of

__all__ = ["MOST_ANSWERS", "MOST_AT_ONCE", "PEOPLE", "CampaignRoom", "Overview"]

MOST_AT_ONCE = 50
"""Documents that an assessor can have at one time."""
MOST_ANSWERS = 200
"""Answers that are taken at one time."""
_LONGEST_NAME = 60
_HOUR = 3600
_AHEAD = 8
"""How many times as many documents as usual are chosen ahead, where some wait for others."""
PEOPLE = ("assessor", "organiser")
"""Kinds of personal links."""


class Overview(NamedTuple):
    """How a campaign stands, for organisers.

    Attributes
    ----------
    statuses : tuple of CampaignStatus
        One finding for each measure of the campaign, the first one first: the runs with all that
        is uncertain of them, and what is due. Empty while there are no runs or topics.
    assessors : AssessorReport
        A finding: what each assessor has done, agreement, traps missed, time, confusion.
    disputes : tuple of Dispute
        Documents with different grades on which nobody has decided.
    assignments : dict from str to int
        Assignments by what came of them; their sum is the number of all.
    paused : bool
    done : str
        Why nothing more need be judged; empty while something does.
    """

    statuses: tuple[CampaignStatus, ...]
    assessors: AssessorReport
    disputes: tuple[Dispute, ...]
    assignments: dict[str, int]
    paused: bool
    done: str


@dataclass
class _Outlook:
    """How the choice of documents stands: being made, or at its end, with the reason."""

    busy: bool = False
    wanted: bool = False
    closed: bool = False
    done: str = ""
    error: Exception | None = None


class CampaignRoom:
    """A campaign while people judge: all that a server needs, and safe to call from any thread.

    Whatever is returned was written to the disk before. An assessor is called by the name of the
    link; who calls must have asked :meth:`who` for it.

    Parameters
    ----------
    path : str or Path
        The folder of the campaign. A second room on it is refused.
    clock : callable
        What tells the time, in seconds since 1970. A clock that is set back does not turn back
        the room's.
    choosing : bool
        Whether documents are chosen from the start; False where nobody will judge.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise.workflows.campaigns._making import make_demo_campaign
    >>> from poolwise.workflows.campaigns._messages import Answer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_demo_campaign(folder + "/demo")
    ...     with CampaignRoom(folder + "/demo") as room:
    ...         _ = room.wait()  # until the first documents are chosen
    ...         ann = room.who(room.invite("Ann"))
    ...         first = room.assign(ann.name, 1).assignments[0]
    ...         receipts = room.record(ann.name, [Answer("client-0001", first.lease, grade=1)])
    ...         again = room.record(ann.name, [Answer("client-0001", first.lease, grade=1)])
    ...         room.progress(ann.name).judged, receipts[0].status, again[0].status
    (1, 'saved', 'known')
    """

    def __init__(
        self, path: str | Path, *, clock: Callable[[], float] = time.time, choosing: bool = True
    ) -> None:
        self.folder = CampaignFolder.at(path)
        self.settings: CampaignSettings = self.folder.settings
        self._held = self.folder.lock()
        try:
            self._open(clock, choosing=choosing)
        except BaseException:
            self._held.close()
            raise

    def _open(self, clock: Callable[[], float], *, choosing: bool) -> None:
        self._clock, self._lock = clock, RLock()
        self._changed = Condition(self._lock)
        self.topics: dict[str, Topic] = self.folder.topics()
        self.documents = self.folder.documents()
        self._texts: dict[str, Document] = {}
        self.state = self._read_state()
        self.runs = self._read_runs()
        self._journal = Journal(self.folder.journal)
        self._outlook = _Outlook(wanted=choosing)
        self._keep_guidelines()
        self._planner: Planner | None = None
        self._overview: tuple[tuple[int, int], Overview] | None = None
        self._overviewing = Lock()
        self._thread = Thread(target=self._choose_batches, name="batches", daemon=True)
        self._thread.start()

    def _read_runs(self) -> Runs | None:
        files = self.folder.runs()
        return Reading().runs(files) if files else None

    def _read_state(self, changed: Mapping[str, str] | None = None) -> RoomState:
        """Derive everything from the journal; texts that changed are asked again."""
        state = RoomState.read(self.folder)
        for key, answers in list(state.answers.items()):
            hashes = {entry.document_sha256 for entry in answers.values()}
            now = self._hash_now(key[1]) if changed is None else changed.get(key[1])
            if now is not None and hashes - {now}:
                state.ask_again(key, now)
        return state

    def _hash_now(self, document: str) -> str | None:
        content = self.documents.find(document)
        return content.sha256 if content else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits, and let others open the campaign."""
        with self._changed:
            self._outlook.closed = True
            self._changed.notify_all()
        self._thread.join()
        self._journal.close()
        self._held.close()

    # Writing

    def now(self) -> float:
        """Return the room's time, in seconds since 1970: documents are kept for people by it."""
        with self._lock:
            return self._now()

    def _now(self) -> float:
        """Return the time, which never goes back behind what is written."""
        last = instant(self.state.last_at) if self.state.last_at else 0.0
        return max(self._clock(), last)

    def _event(self, kind: str, now: float, **cells: Any) -> Event:
        """Make the next event, and take it into account."""
        event = Event(self.state.last_event + 1, kind, moment(now), **cells)
        self.state.apply(event)
        return event

    def _written(self, written: Future[None]) -> None:
        """Wait for the disk; where it failed, forget what was not written."""
        try:
            written.result()
        except OSError:
            with self._lock:
                if self._journal.is_broken:
                    self._journal.mend()
                    self.state = self._read_state(self.state.changed)
            raise

    def _tell(self, kind: str, **cells: Any) -> None:
        with self._lock:
            written = self._journal.write([self._event(kind, self._now(), **cells)])
        self._written(written)

    def _keep_guidelines(self) -> None:
        """Write down which guidelines are in force; a changed text needs a new version."""
        version, code = self.settings.guidelines_version, self.settings.guidelines_sha256
        versions = {
            e.data["version"]: e.data["sha256"] for e in self.state.events.get("guidelines", ())
        }
        if versions.get(version, code) != code:
            raise InputError(
                str(self.folder.path / "campaign.toml"),
                f"the guidelines were changed, and version {version} of them is in use",
                remedy="raise guidelines_version, so that judgments say which text they followed",
            )
        if version not in versions:
            self._tell("guidelines", data={"version": version, "sha256": code})

    # People

    def invite(self, name: str, kind: str = "assessor") -> str:
        """Make a personal link for somebody: the token is returned, and only its hash is kept.

        Parameters
        ----------
        name : str
            Who it is for. Exports do not have the name.
        kind : {"assessor", "organiser"}

        Returns
        -------
        str
            The token. An older one of the same name stays valid until :meth:`retire`.
        """
        require_choice("kind", kind, PEOPLE)
        clean = " ".join(name.split())
        if not clean or len(clean) > _LONGEST_NAME or not clean.isprintable():
            raise OptionError(
                f"name: must have 1 to {_LONGEST_NAME} letters; got {name!r}. Hint: use Ann."
            )
        token = secrets.token_urlsafe(24)
        self._tell("token", who=clean, data={"kind": kind, "sha256": _code(token)})
        return token

    def who(self, token: str) -> Person | None:
        """Return whose link a token is, or None: its ``name`` and ``kind``."""
        with self._lock:
            return self.state.people.get(_code(token))

    def login(self, token: str) -> Person | None:
        """Return whose link a token is, and write down that it was used."""
        person = self.who(token)
        if person is not None:
            self._tell("login", who=person.name)
        return person

    def people(self) -> tuple[Person, ...]:
        """Return everybody who has a valid link."""
        with self._lock:
            return tuple(dict.fromkeys(self.state.people.values()))

    def retire(self, name: str, by: str) -> None:
        """Make all links of somebody invalid; what the person holds goes to others."""
        with self._lock:
            now = self._now()
            rows: list[Row] = [self._event("revoke", now, who=name, data={"by": by})]
            held = list(self.state.held.get(name, {}).values())
            rows += [self._event("release", now, who=name, refers=lease.id) for lease in held]
            written = self._journal.write(rows)
        self._written(written)

    # Assessors

    def briefing(self, assessor: str) -> Briefing:
        """Return what an assessor is told before the first document."""
        settings = self.settings
        return Briefing(
            settings.name,
            assessor,
            settings.grades,
            settings.guidelines,
            settings.guidelines_version,
        )

    def assign(self, assessor: str, count: int = 3) -> Assigned:
        """Hand documents to an assessor, those that the assessor has already first.

        Parameters
        ----------
        assessor : str
            Who asks.
        count : int
            How many documents the assessor is to have, at most ``MOST_AT_ONCE``.

        Returns
        -------
        Assigned
            The documents, and how the campaign stands. Nothing tells ranks, runs or scores, nor
            which documents were drawn at random or are traps.
        """
        most = max(0, min(count, MOST_AT_ONCE))
        with self._lock:
            now, rows = self._now(), list[Row]()
            groups = self._held_groups(assessor, now)
            while len(groups) < most and not self.state.paused:
                group = self._next_group(assessor, now, rows)
                if not group:
                    break
                groups.append(group)
            self._want_more(for_somebody=len(groups) < most)
            state, reason = self._standing(assessor, now, groups)
            shown = [self._shown(group) for group in groups[:most]]
            written = self._journal.write(rows)
        self._written(written)
        return Assigned(tuple(shown), state, reason)

    def _held_groups(self, assessor: str, now: float) -> list[list[Lease]]:
        """Return what an assessor has, documents of equal text together."""
        groups: dict[int, list[Lease]] = {}
        for lease in self.state.held.get(assessor, {}).values():
            if lease.is_live(now):
                groups.setdefault(lease.together, []).append(lease)
        return list(groups.values())

    def _next_group(self, assessor: str, now: float, rows: list[Row]) -> list[Lease]:
        """Lease the next documents of one text to an assessor; none where there are none."""
        for item in self._choices(assessor, now):
            if all(self._text(document) is not None for _, document in item.keys):
                return self._lease(item, assessor, now, rows)
        return []

    def _choices(self, assessor: str, now: float) -> Iterable[Item]:
        """Go through what an assessor may get: practice, now and then a trap, then the queue."""
        practice = self._known_left(assessor, "practice")
        if practice:
            yield from practice
            return
        number = self.state.given[assessor]
        if share_of(self.settings.seed, assessor, number) * self.settings.trap_every < 1:
            yield from self._known_left(assessor, "trap")[:1]
        yield from self.state.takeable(assessor, now)

    def _known_left(self, assessor: str, kind: str) -> list[Item]:
        """Return the documents of known grade that an assessor has not met."""
        met = {key for who, key in self.state.aside if who == assessor}
        met |= {lease.key for lease in self.state.held.get(assessor, {}).values()}
        documents = self._known_documents(kind)
        return [Item((key,), kind, None) for key in documents if key not in met]

    def _known_documents(self, kind: str) -> dict[Key, KnownDocument]:
        documents = self.settings.practice if kind == "practice" else self.settings.traps
        return {
            (document.topic, document.document): document
            for document in documents
            if document.topic in self.topics
        }

    def _lease(self, item: Item, assessor: str, now: float, rows: list[Row]) -> list[Lease]:
        first: int | None = None
        leases: list[Lease] = []
        for key in item.keys:
            lapsed = self.state.lapsed(key, now) if item.chosen_by not in ASIDE else []
            rows += [self._event("expire", now, who=o.assessor, refers=o.id) for o in lapsed]
            text = self._text(key[1])
            data = {
                "sha256": text.sha256 if text else "",
                "chosen_by": item.chosen_by,
                "probability": item.probability,
                "expires": now + 60 * self.settings.lease_minutes,
            }
            event = self._event("lease", now, who=assessor, topic=key[0], document=key[1],
                                refers=first, data=data)  # fmt: skip
            first = first or event.id
            rows.append(event)
            leases.append(self.state.leases[event.id])
        return leases

    def _text(self, document: str) -> Document | None:
        return self._texts.get(document) or self.documents.find(document)

    def _shown(self, group: Sequence[Lease]) -> Assignment:
        first = group[0]
        text = self._text(first.key[1])
        return Assignment(
            lease=first.id,
            topic=self.topics.get(first.key[0], Topic(first.key[0], "")),
            document=first.key[1],
            copies=tuple(lease.key[1] for lease in group[1:]),
            title=text.title if text else "",
            text=text.text if text else "",
            html=bool(text and text.html),
            sha256=first.sha256,
            expires=moment(first.expires),
            practice=first.chosen_by == "practice",
        )

    def _standing(self, assessor: str, now: float, groups: Sequence[object]) -> tuple[str, str]:
        """Say how the campaign stands for an assessor."""
        if self.state.paused:
            return "paused", "The campaign is paused."
        if groups or next(iter(self.state.takeable(assessor, now)), None) is not None:
            return "judging", ""
        if self._outlook.error is not None:
            return "waiting", f"No more documents could be chosen: {self._outlook.error}"
        if self._outlook.busy or self._outlook.wanted:
            return "preparing", "More documents are being chosen."
        if self.state.queue or not self._outlook.done:
            return "waiting", "What is left is for others to judge."
        return "done", self._outlook.done

    def record(self, assessor: str, answers: Iterable[Answer]) -> tuple[Acknowledgement, ...]:
        """Take answers in; when this returns, they are on the disk.

        Each answer stands for itself: one that is refused does not keep others from being saved.
        An answer that comes after its time is taken while nobody else has got the document.

        Parameters
        ----------
        assessor : str
            Who answers: an answer to somebody else's lease is refused.
        answers : iterable of Answer
            At most ``MOST_ANSWERS``.

        Returns
        -------
        tuple of Acknowledgement
            One for each answer, in their order.
        """
        all_answers = tuple(answers)
        if len(all_answers) > MOST_ANSWERS:
            raise OptionError(
                f"answers: must be at most {MOST_ANSWERS} at a time; got {len(all_answers)}. Hint: "
                "send them in parts."
            )
        with self._lock:
            now, rows = self._now(), list[Row]()
            receipts = tuple(self._take(assessor, answer, now, rows) for answer in all_answers)
            # Also where nothing is new: what was sent before may not be on the disk yet.
            written = self._journal.write(rows)
            self._want_more()
        self._written(written)
        return receipts

    def _take(self, assessor: str, answer: Answer, now: float, rows: list[Row]) -> Acknowledgement:
        entry_id = self.state.of_client.get(answer.client_id)
        if entry_id is not None and self.state.entries[entry_id].assessor == assessor:
            return self._acknowledged(answer.client_id, "known", self.state.entries[entry_id])
        try:
            group = self._answered_group(assessor, answer, now)
        except RefusedError as error:
            before = self._first_entry(answer.lease) if error.status == "known" else None
            number = before.id if before else None
            return Acknowledgement(answer.client_id, error.status, number, str(error))
        entries = [
            self._write_answer(lease, answer, at, now, rows) for at, lease in enumerate(group)
        ]
        return self._acknowledged(answer.client_id, "saved", entries[0])

    def _acknowledged(self, client_id: str, status: str, entry: Entry) -> Acknowledgement:
        practice = self._known_documents("practice").get((entry.topic, entry.document))
        if practice is None or entry.chosen_by != "practice":
            return Acknowledgement(client_id, status, entry.id)
        return Acknowledgement(client_id, status, entry.id, "", practice.grade, practice.why)

    def _answered_group(self, assessor: str, answer: Answer, now: float) -> list[Lease]:
        """Return the leases that an answer is about, or refuse it."""
        require_form(answer, self.settings.scale, known=answer.client_id in self.state.of_client)
        lease = self.state.leases.get(answer.lease)
        if lease is None or lease.assessor != assessor or lease.together != lease.id:
            raise RefusedError("This is no document of yours.")
        group = self.state.together[lease.id]
        if answer.replaces is not None:
            self._require_current(assessor, answer)
            return group
        if answer.kind == "withdrawn":
            raise RefusedError("Only an answer that was given can be withdrawn.")
        if self._first_entry(lease.id) is not None:
            raise RefusedError("This document has an answer of yours already.", "known")
        if lease.chosen_by not in ASIDE and not lease.is_live(now) and self._is_taken(lease, now):
            raise RefusedError("The time for this document was over, and others have it.", "gone")
        return group

    def _is_taken(self, lease: Lease, now: float) -> bool:
        others = [other for other in self.state.live(lease.key, now) if other is not lease]
        done = self.state.current(lease.key)
        return len(others) + len(done) >= self.state.need(lease.key)

    def _first_entry(self, lease: int) -> Entry | None:
        entry_id = self.state.answer_of_lease.get(lease)
        return self.state.entries[entry_id] if entry_id else None

    def _require_current(self, assessor: str, answer: Answer) -> None:
        before = self.state.entries.get(answer.replaces or 0)
        if before is None or before.assessor != assessor:
            raise RefusedError("There is no such answer of yours to replace.")
        if self.state.lease_of_entry.get(before.id) != answer.lease:
            raise RefusedError("The answer to replace is about another document.")
        if before.id in self.state.superseded:
            raise RefusedError("The answer was replaced already, perhaps in another window.")
        if before.kind == "skip" and self._is_taken(self.state.leases[answer.lease], self._now()):
            raise RefusedError("Others have the document that you skipped.", "gone")

    def _write_answer(
        self, lease: Lease, answer: Answer, at: int, now: float, rows: list[Row]
    ) -> Entry:
        """Write one row of judgments, and the event that ends the assignment."""
        topic, document = lease.key
        replaced = self._replaced(lease, answer) if answer.replaces is not None else None
        entry = Entry(
            id=self.state.last_entry + 1,
            client_id=answer.client_id if at == 0 else f"{answer.client_id}+{at}",
            assessor=lease.assessor,
            topic=topic,
            document=document,
            document_sha256=lease.sha256,
            grade=None if answer.grade is None else float(answer.grade),
            kind=answer.kind,
            note=answer.note,
            chosen_by=lease.chosen_by,
            probability=lease.probability,
            shown_at=answer.shown_at,
            answered_at=moment(now),
            active_ms=answer.active_ms,
            guideline_version=self.settings.guidelines_version,
            replaces=replaced,
        )
        self.state.apply(entry)
        event = self._event("answer", now, who=lease.assessor, topic=topic, document=document,
                            refers=lease.id, judgment=entry.id)  # fmt: skip
        rows += [entry, event]
        return entry

    def _replaced(self, lease: Lease, answer: Answer) -> int | None:
        """Return the answer of this lease that is replaced: of a copy, the copy's own."""
        entry_id = self.state.answer_of_lease.get(lease.id)
        return entry_id if entry_id is not None else answer.replaces

    def progress(self, assessor: str) -> Progress:
        """Return how far an assessor is, and how long it may take."""
        with self._lock:
            now = self._now()
            terms = self.state.tally.get(assessor, Counter())
            groups = self._held_groups(assessor, now)
            state, reason = self._standing(assessor, now, groups)
            left = self.state.left
            times = list(self.state.times.get(assessor, ()))
            active = [at for at in self.state.last_seen.values() if at > moment(now - _HOUR)]
        each = median(times) / 1000 if times else None
        minutes = None if each is None else each * left / 60 / max(1, len(active))
        return Progress(
            terms["judged"], terms["cannot"], terms["skipped"], len(groups), left, each, minutes,
            state, reason,
        )  # fmt: skip

    def history(self, assessor: str, count: int = 20) -> tuple[PastAnswer, ...]:
        """Return the last answers of an assessor that stand, the newest first."""
        with self._lock:
            standing = (
                entry
                for entry in reversed(self.state.entries.values())
                if entry.assessor == assessor
                and entry.id not in self.state.superseded
                and self._is_first_of_group(entry)
            )
            entries = list(islice(standing, max(0, min(count, MOST_ANSWERS))))
            return tuple(
                PastAnswer(
                    e.id,
                    self.state.lease_of_entry[e.id],
                    e.topic,
                    e.document,
                    e.kind,
                    e.grade,
                    e.note,
                    e.answered_at,
                )
                for e in entries
            )

    def _is_first_of_group(self, entry: Entry) -> bool:
        lease = self.state.leases.get(self.state.lease_of_entry.get(entry.id, 0))
        return lease is not None and lease.together == lease.id

    def show_again(self, assessor: str, lease: int) -> Assignment | None:
        """Return a document that an assessor has or had, to be looked at again, or None."""
        with self._lock:
            leased = self.state.leases.get(lease)
            if leased is None or leased.assessor != assessor or leased.together != leased.id:
                return None
            return self._shown(self.state.together[leased.id])

    # Organisers

    def pause(self, by: str) -> None:
        """Hand out no more documents; answers to those that people have are still taken."""
        self._tell("pause", who=by)

    def resume(self, by: str) -> None:
        """Hand out documents again."""
        self._tell("resume", who=by)

    @property
    def paused(self) -> bool:
        """Whether documents are handed out."""
        with self._lock:
            return self.state.paused

    def adjudicate(
        self, by: str, topic: str, document: str, grade: float, *, client_id: str, note: str = ""
    ) -> Acknowledgement:
        """Decide on the grade of a document; all answers of assessors stay as they are.

        Parameters
        ----------
        by : str
            The organiser who decides.
        topic, document : str
            What is decided on: a document that has an answer.
        grade : float
            One of the scale.
        client_id, note : str
            As in :class:`Answer`.
        """
        answer = Answer(client_id, 0, "grade", grade, note)
        with self._lock:
            entry_id, rows = self.state.of_client.get(client_id), list[Row]()
            if entry_id is None:
                try:
                    rows.append(self._ruling(by, (topic, document), answer))
                except RefusedError as error:
                    return Acknowledgement(client_id, error.status, None, str(error))
            number = entry_id or self.state.last_entry
            written = self._journal.write(rows)
        self._written(written)
        return Acknowledgement(client_id, "saved" if entry_id is None else "known", number)

    def _ruling(self, by: str, key: Key, answer: Answer) -> Entry:
        require_form(answer, self.settings.scale, known=False)
        answers = self.state.current(key)
        if not answers:
            raise RefusedError("Nobody has judged this document.")
        latest, before = max(answers.values()), self.state.adjudicated.get(key)
        now = moment(self._now())
        entry = latest._replace(
            id=self.state.last_entry + 1,
            client_id=answer.client_id,
            assessor=by,
            grade=float(answer.grade or 0),
            kind="grade",
            note=answer.note,
            chosen_by="adjudication",
            probability=None,
            shown_at="",
            answered_at=now,
            active_ms=None,
            replaces=before.id if before else None,
        )
        self.state.apply(entry)
        return entry

    def export(self, rule: str = "adjudicated", *, by: str = "") -> CampaignExport:
        """Write the judgments as the next version of them, into the folder ``exports``.

        Parameters
        ----------
        rule : str
            What makes one grade of several: a key of ``EXPORT_RULES``, or ``assessor:`` and a name.
        by : str
            The organiser who asks.

        Returns
        -------
        CampaignExport
            A finding: the judgments, the version, and how it differs from the one before. Its
            ``path`` is the file of qrels; beside it are all labels under pseudonyms.
        """
        with self._lock:
            made = prepare_export(self.folder, self.state, tuple(self.topics), rule)
            made.write()
            event = self._event("export", self._now(), who=by, data=made.data)
            written = self._journal.write([event])
        self._written(written)
        return made.found

    def overview(self) -> Overview:
        """Return how the campaign stands; it is made anew when something was judged since.

        This takes a moment: call it from a thread that may wait. While one thread makes it, others
        get the last one.
        """
        with self._lock:
            state_id = (self.state.last_entry, self.state.last_event)
            if self._overview is not None and self._overview[0] == state_id:
                return self._overview[1]
        if self._overview is not None and not self._overviewing.acquire(blocking=False):
            return self._overview[1]
        if self._overview is None:
            self._overviewing.acquire()
        try:
            made = self._make_overview()
            self._overview = (state_id, made)
            return made
        finally:
            self._overviewing.release()

    def _make_overview(self) -> Overview:
        with self._lock:  # a copy: what is made of it takes long
            now, state = self._now(), self.state.copy()
        runs, topics = self.runs, tuple(self.topics)
        statuses = tuple(
            status_of(state, runs, topics, measure, now)
            for measure in self.settings.measures
            if runs is not None and topics
        )
        return Overview(
            statuses, assessor_report(state), disputes(state), state.terms(now), state.paused,
            self._outlook.done,
        )  # fmt: skip

    # What to judge next

    def grades(self) -> dict[str, dict[str, float]]:
        """Return one grade for each judged document: adjudicated, or that of the majority."""
        with self._lock:
            grades = list(self.state.grades())
        return grades_of(grades)

    def _want_more(self, *, for_somebody: bool = False) -> None:
        """Let more documents be chosen before there are too few left, for all or for somebody."""
        enough = max(self.settings.batch // 2, 3 * len(self.state.held))
        enough *= _AHEAD if for_somebody else 1
        if not self._outlook.done and self.state.slots_left() < enough:
            self._outlook.wanted = True
            self._changed.notify_all()

    def _choose_batches(self) -> None:
        """Choose documents whenever they are wanted; nobody waits for it."""
        while True:
            with self._changed:
                while not (self._outlook.wanted or self._outlook.closed):
                    self._changed.wait()
                if self._outlook.closed:
                    return
                self._outlook.wanted, self._outlook.busy = False, True
            try:
                self._choose_batch()
                self._outlook.error = None
            except Exception as error:  # noqa: BLE001 -- told to whoever asks for documents
                self._outlook.error = error
            finally:
                with self._changed:
                    self._outlook.busy = False
                    self._changed.notify_all()

    def _choose_batch(self) -> None:
        if self._planner is None:
            self._planner = self._make_planner()
        with self._lock:
            closed = set(self.state.item_of)
            last_entry, number = self.state.last_entry, len(self.state.batches) + 1
            first = self._for_new_runs(closed)
        plan = self._planner.plan(self.grades(), closed, first, number)
        texts = {key[1]: self.documents.find(key[1]) for item in plan.items for key in item.keys}
        with self._lock:
            if not plan.items:
                self._outlook.done = plan.done or "Every document has been handed out."
                return
            data = plan.data(number, last_entry, self.runs.systems if self.runs else ())
            written = self._journal.write([self._event("batch", self._now(), data=data)])
            queued = {key[1] for key in self.state.queue}
            kept = {name: text for name, text in self._texts.items() if name in queued}
            self._texts = kept | {name: text for name, text in texts.items() if text}
        self._written(written)

    def _make_planner(self) -> Planner:
        if self.runs is None:
            raise InputError(
                str(self.folder.path),
                "a campaign must have runs before documents can be chosen",
                remedy="poolwise campaign add-run",
            )
        return Planner(self.settings, self.runs, self.topics, self._normalized)

    def _normalized(self, document: str) -> str | None:
        """Return what is the same for texts that read the same; None without a text."""
        content = self.documents.find(document)
        if content is None:
            return None
        read = unicodedata.normalize("NFKC", f"{content.title}\n{content.text}").casefold()
        return sha256(" ".join(read.split()).encode("utf-8", "replace")).hexdigest()

    def _for_new_runs(self, closed: set[Key]) -> list[Item]:
        """Return the documents of later runs on their common topics, which come first."""
        if self.runs is None:
            return []
        recorded = recorded_topics(self.state)
        keys = {
            key: None
            for run in dict.fromkeys(recorded.runs)
            if run in self.runs.systems
            for key in wanted_documents(recorded, self.runs, run, self.runs.topics)
        }
        return [Item((key,), "common", None) for key in keys if key not in closed]

    def wait(self, seconds: float = 10) -> bool:
        """Wait until documents are chosen, or nothing is left; False if that takes longer."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not (self._outlook.wanted or self._outlook.busy), seconds
            )


def _code(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
