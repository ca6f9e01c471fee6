"""What follows from the journal of a campaign: who has what, and what is still to be judged."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.store.campaigns._journal import Entry, Event, Row, not_as_written
from poolwise.store.campaigns._settings import CampaignSettings

__all__ = [
    "ASIDE",
    "TERMS",
    "Batch",
    "Item",
    "Key",
    "Lease",
    "Person",
    "RoomState",
    "instant",
    "moment",
    "share_of",
]

Key = tuple[str, str]
"""A topic and a document."""
TERMS = ("judged", "cannot", "skipped", "leased", "expired")
"""What an assignment is: every one is exactly one of these."""
ASIDE = ("practice", "trap")
"""Documents whose grade is known: they take no part in what is found out."""
_TERM_OF_KIND = {"grade": "judged", "cannot": "cannot", "skip": "skipped"}


def moment(seconds: float) -> str:
    """Return a time as text whose order is that of time.

    Examples
    --------
    >>> moment(0.5), instant("1970-01-01T00:00:00.500Z")
    ('1970-01-01T00:00:00.500Z', 0.5)
    """
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def instant(text: str) -> float:
    """Return the seconds of such a text."""
    return datetime.fromisoformat(text).timestamp()


def share_of(*words: object) -> float:
    """Return a number from 0 to 1 that these words decide, the same everywhere.

    Examples
    --------
    >>> share_of(1, "401", "FT911-3") == share_of(1, "401", "FT911-3")
    True
    """
    hashed = sha256("\0".join(map(str, words)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(hashed[:8], "big") / 2**64


class Person(NamedTuple):
    """Who a link belongs to: an assessor or an organiser."""

    name: str
    kind: str


@dataclass
class Lease:
    """An assignment: a document that somebody has, or had.

    ``together`` is the first of several that were handed out as one, since their texts are equal.
    ``ended`` is empty while nobody has answered; else one of ``TERMS``.
    """

    id: int
    assessor: str
    key: Key
    sha256: str
    chosen_by: str
    probability: float | None
    expires: float
    together: int
    ended: str = ""

    def is_live(self, now: float) -> bool:
        """Say whether the document is kept for its assessor."""
        return not self.ended and now < self.expires


class Item(NamedTuple):
    """Documents of equal text that are to be judged, why, and with which chance."""

    keys: tuple[Key, ...]
    chosen_by: str
    probability: float | None


@dataclass(frozen=True)
class Batch:
    """Documents that were chosen at one time.

    Attributes
    ----------
    number : int
        Batches are counted from 1.
    items : tuple of Item
        What was chosen, in the order in which it is handed out.
    open : int
        From how many documents, or groups of equal ones, the random ones were drawn.
    known : int
        The last judgment that was known.
    runs : tuple of str
        The runs whose documents could be chosen.
    expected : float
        How many were to be drawn at random, on average.
    """

    number: int
    items: tuple[Item, ...]
    open: int
    known: int
    runs: tuple[str, ...]
    expected: float = 0.0


@dataclass
class RoomState:
    """What follows from the rows of a journal, row after row.

    The same steps lead here when a campaign is opened and while people judge, so that nothing is
    ever known but what is written.
    """

    settings: CampaignSettings
    entries: dict[int, Entry] = field(default_factory=dict)
    of_client: dict[str, int] = field(default_factory=dict)
    superseded: set[int] = field(default_factory=set)
    answers: dict[Key, dict[str, Entry]] = field(default_factory=dict)
    aside: dict[tuple[str, Key], Entry] = field(default_factory=dict)
    adjudicated: dict[Key, Entry] = field(default_factory=dict)
    skipped: dict[Key, set[str]] = field(default_factory=dict)
    leases: dict[int, Lease] = field(default_factory=dict)
    of_document: dict[Key, set[int]] = field(default_factory=dict)
    held: dict[str, dict[int, Lease]] = field(default_factory=dict)
    given: Counter[str] = field(default_factory=Counter)
    lease_of_entry: dict[int, int] = field(default_factory=dict)
    answer_of_lease: dict[int, int] = field(default_factory=dict)
    together: dict[int, list[Lease]] = field(default_factory=dict)
    tally: dict[str, Counter[str]] = field(default_factory=dict)
    times: dict[str, deque[int]] = field(default_factory=dict)
    last_seen: dict[str, str] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    last_topic: dict[str, str] = field(default_factory=dict)
    queue: dict[Key, Item] = field(default_factory=dict)
    left: int = 0
    left_of: dict[Key, int] = field(default_factory=dict)
    item_of: dict[Key, Item] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    people: dict[str, Person] = field(default_factory=dict)
    events: dict[str, list[Event]] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    paused: bool = False
    last_event: int = 0
    last_at: str = ""

    @classmethod
    def of(cls, settings: CampaignSettings, rows: Iterable[Row]) -> "RoomState":
        """Return what follows from a journal."""
        state = cls(settings)
        for row in rows:
            state.apply(row)
        return state

    @classmethod
    def read(cls, folder: CampaignFolder) -> "RoomState":
        """Return what follows from the journal of a campaign, if it is as poolwise wrote it."""
        state = cls(folder.settings)
        for row in folder.rows():
            try:
                state.apply(row)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise not_as_written(folder.journal, row) from error
        return state

    def apply(self, row: Row) -> None:
        """Take one more row into account."""
        if isinstance(row, Entry):
            self._apply_entry(row)
            self.last_at = max(self.last_at, row.answered_at)
        else:
            self.last_event = row.id
            self.last_at = max(self.last_at, row.at)
            getattr(self, f"_apply_{row.kind}", self._keep)(row)

    def copy(self) -> "RoomState":
        """Return the same, untouched by later rows, as far as overviews look at it."""
        inner = {key: dict(answers) for key, answers in self.answers.items()}
        leases = {number: replace(lease) for number, lease in self.leases.items()}
        plain = ("entries", "aside", "adjudicated", "people", "events", "tally", "times", "changed")
        copied = {name: copy(getattr(self, name)) for name in plain}
        return replace(self, answers=inner, leases=leases, batches=list(self.batches), **copied)

    @property
    def last_entry(self) -> int:
        """The number of the last judgment."""
        return len(self.entries)

    def _apply_entry(self, entry: Entry) -> None:
        self.entries[entry.id] = entry
        self.of_client[entry.client_id] = entry.id
        self.last_seen[entry.assessor] = entry.answered_at
        if entry.active_ms:
            self.times.setdefault(entry.assessor, deque(maxlen=100)).append(entry.active_ms)
        key = entry.topic, entry.document
        if entry.replaces is not None:
            self.superseded.add(entry.replaces)
            self.skipped.get(key, set()).discard(entry.assessor)
        if entry.chosen_by == "adjudication":
            self.adjudicated[key] = entry
            return
        if entry.chosen_by in ASIDE:
            self.aside[entry.assessor, key] = entry
            return
        mine = self.answers.setdefault(key, {})
        mine.pop(entry.assessor, None)
        if entry.kind == "skip":
            self.skipped.setdefault(key, set()).add(entry.assessor)
        elif entry.kind != "withdrawn":
            mine[entry.assessor] = entry
        self._renew_place(key)

    def _apply_lease(self, event: Event) -> None:
        data, key = event.data, (event.topic, event.document)
        lease = Lease(
            event.id,
            event.who,
            key,
            data["sha256"],
            data["chosen_by"],
            data["probability"],
            data["expires"],
            event.refers or event.id,
        )
        self.leases[event.id] = lease
        self.together.setdefault(lease.together, []).append(lease)
        self.held.setdefault(event.who, {})[event.id] = lease
        self.of_document.setdefault(key, set()).add(event.id)
        if lease.chosen_by != "practice":
            self.given[event.who] += 1
        if lease.chosen_by not in ASIDE:
            self.last_topic[event.who] = event.topic
            owners = self.owners.setdefault(event.topic, [])
            owners += [event.who] if event.who not in owners else []

    def _apply_answer(self, event: Event) -> None:
        entry = self.entries[event.judgment or 0]
        lease = self.leases[event.refers or 0]
        self.lease_of_entry[entry.id] = lease.id
        self.answer_of_lease[lease.id] = entry.id
        if not lease.ended or lease.ended == "expired":
            self._end(lease, _TERM_OF_KIND.get(entry.kind, "judged"))

    def _apply_expire(self, event: Event) -> None:
        self._end(self.leases[event.refers or 0], "expired")

    _apply_release = _apply_expire

    def _end(self, lease: Lease, term: str) -> None:
        tally = self.tally.setdefault(lease.assessor, Counter())
        tally[lease.ended] -= 1
        tally[term] += 1
        lease.ended = term
        self.held[lease.assessor].pop(lease.id, None)
        self.of_document[lease.key].discard(lease.id)
        self._renew_place(lease.key)

    def _apply_batch(self, event: Event) -> None:
        data = event.data
        items = tuple(
            Item(tuple((topic, document) for document in documents), why, chance)
            for topic, documents, why, chance in data["items"]
        )
        batch = Batch(
            data["number"],
            items,
            data["open"],
            data["known"],
            tuple(data["runs"]),
            data["expected"],
        )
        self.batches.append(batch)
        for item in items:
            self._list(item)

    def _apply_token(self, event: Event) -> None:
        self.people[event.data["sha256"]] = Person(event.who, event.data["kind"])
        self._keep(event)

    def _apply_revoke(self, event: Event) -> None:
        gone = [code for code, person in self.people.items() if person.name == event.who]
        for code in gone:
            del self.people[code]
        for owners in self.owners.values():
            if event.who in owners:
                owners.remove(event.who)
        self._keep(event)

    def _apply_pause(self, event: Event) -> None:
        self.paused = True
        self._keep(event)

    def _apply_resume(self, event: Event) -> None:
        self.paused = False
        self._keep(event)

    def _keep(self, event: Event) -> None:
        self.events.setdefault(event.kind, []).append(event)

    def _list(self, item: Item) -> None:
        for key in item.keys:
            self.item_of[key] = item
        for key in item.keys:
            self._renew_place(key)

    def _renew_place(self, key: Key) -> None:
        """Take a document off the queue that has all its answers; put back what lost one."""
        if key not in self.item_of:
            return
        left = max(0, self.need(key) - self.answered(key))
        if left:
            self.queue.setdefault(key, self.item_of[key])
        else:
            self.queue.pop(key, None)
        # counted as they come: with thousands in the queue, nobody has the time to go through it
        self.left += left - self.left_of.get(key, 0)
        self.left_of[key] = left

    def ask_again(self, key: Key, sha256_now: str) -> None:
        """Ask for a document again whose text is not the one that was judged."""
        self.changed[key[1]] = sha256_now
        self._list(self.item_of.get(key) or Item((key,), "changed", None))

    # What is asked of it

    def need(self, key: Key) -> int:
        """Return how many people judge a document."""
        first = self.item_of[key].keys[0] if key in self.item_of else key
        twice = share_of(self.settings.seed, "twice", *first) < self.settings.judged_twice
        return self.settings.assessors_per_document + twice

    def current(self, key: Key) -> dict[str, Entry]:
        """Return by assessor the answers that count: of the text as it is now."""
        now = self.changed.get(key[1])
        answers = self.answers.get(key, {})
        return answers if now is None else {
            who: entry for who, entry in answers.items() if entry.document_sha256 == now
        }  # fmt: skip

    def answered(self, key: Key) -> int:
        """Return how many people have judged a document, or could not."""
        return len(self.current(key))

    def live(self, key: Key, now: float) -> list[Lease]:
        """Return the leases of a document that somebody holds."""
        leases = (self.leases[number] for number in self.of_document.get(key, ()))
        return [lease for lease in leases if lease.chosen_by not in ASIDE and lease.is_live(now)]

    def lapsed(self, key: Key, now: float) -> list[Lease]:
        """Return the leases of a document whose time is over, and of which that is not written."""
        leases = (self.leases[number] for number in self.of_document.get(key, ()))
        return [lease for lease in leases if lease.chosen_by not in ASIDE and now >= lease.expires]

    def grades(self) -> Iterator[tuple[Key, list[float]]]:
        """Go through the documents that have grades: an adjudicated one stands alone."""
        for key in self.answers.keys() | self.adjudicated.keys():
            ruled = self.adjudicated.get(key)
            # in the order in which they were given
            entries = sorted(self.current(key).values()) if ruled is None else [ruled]
            grades = [entry.grade for entry in entries if entry.grade is not None]
            if grades:
                yield key, grades

    def terms(self, now: float) -> dict[str, int]:
        """Count assignments: each is in exactly one term."""
        counts = Counter(
            lease.ended or ("leased" if lease.is_live(now) else "expired")
            for lease in self.leases.values()
        )
        return {term: counts[term] for term in TERMS}

    def assessors(self) -> list[str]:
        """Return the assessors who have a link, in the order in which they got it."""
        return list(dict.fromkeys(p.name for p in self.people.values() if p.kind == "assessor"))

    def takeable(self, assessor: str, now: float) -> Iterator[Item]:
        """Go through what an assessor may get next; the best comes first."""
        items, last = list(dict.fromkeys(self.queue.values())), self.last_topic.get(assessor)
        # Another document of the same topic first: who reads has its query in mind.
        same = (item for item in items if item.keys[0][0] == last)
        others = (item for item in items if item.keys[0][0] != last)
        ordered: Iterable[Item] = chain(same, others)
        if self.settings.assignment == "topic":
            ordered = sorted(ordered, key=lambda i: not self._owns(assessor, i.keys[0][0]))
        return (item for item in ordered if self._may_take(item.keys[0], assessor, now))

    def slots_left(self) -> int:
        """Return about how many judgments nobody has been asked for."""
        held = sum(lease.chosen_by not in ASIDE for mine in self.held.values()
                   for lease in mine.values())  # fmt: skip
        return len(self.queue) - held

    def _owns(self, assessor: str, topic: str) -> bool:
        return assessor in self.owners.get(topic, ())[: self.settings.assessors_per_document]

    def _may_take(self, key: Key, assessor: str, now: float) -> bool:
        live, done = self.live(key, now), self.current(key)
        taken = len(live) + len(done)
        if taken >= self.need(key) or assessor in done or any(assessor == o.assessor for o in live):
            return False
        if assessor in self.skipped.get(key, ()) and self._others_left(key, assessor):
            return False
        if self.settings.assignment == "document":
            return True
        n = self.settings.assessors_per_document
        is_extra = taken >= n
        owners = self.owners.get(key[0], ())
        return is_extra or len(owners) < n or self._owns(assessor, key[0])

    def _others_left(self, key: Key, assessor: str) -> bool:
        """Say whether somebody else can judge what an assessor has skipped."""
        done, skipped = self.current(key), self.skipped.get(key, set())
        others = set(self.assessors()) - {assessor}
        return bool(others - skipped - set(done))
