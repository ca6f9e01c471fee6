"""The judging room: who gets which document, and what becomes of the answers."""

import json
import sqlite3
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.workflows.campaigns.room_examples import (
    Clock,
    graded,
    judge_all,
    make_room_folder,
    opened,
    rankings,
    texts,
)

from poolwise.errors import InputError, OutputError
from poolwise.workflows.campaigns._making import add_documents, add_runs
from poolwise.workflows.campaigns._messages import Answer
from poolwise.workflows.campaigns._room import MOST_AT_ONCE, CampaignRoom


def balance(room: CampaignRoom) -> int:
    """Return the number of assignments, after asserting that each is in exactly one term."""
    terms = room.state.terms(room._now())
    assert sum(terms.values()) == len(room.state.leases)
    left = (room.state.need(key) - room.state.answered(key) for key in room.state.queue)
    assert room.state.left == sum(left)
    return sum(terms.values())


def test_every_document_is_judged_by_as_many_as_the_campaign_says(tmp_path: Path) -> None:
    """With two assessors per document each has exactly two grades, by different people."""
    with opened(tmp_path, {"assessors_per_document": 2, "judged_twice": 0}) as room:
        for name in ("Ann", "Bob", "Cy"):
            room.invite(name)
        for _ in range(3):
            for name in ("Ann", "Bob", "Cy"):
                judge_all(room, name, most=7)
        for name in ("Ann", "Bob", "Cy"):
            judge_all(room, name)
        counts = Counter((e.topic, e.document) for e in room.state.entries.values())
        pairs = {(e.topic, e.document, e.assessor) for e in room.state.entries.values()}
        wanted = {
            (t, d) for run in rankings().values() for t, ranked in run.items() for d in ranked
        }
        assert counts == dict.fromkeys(wanted, 2)
        assert len(pairs) == 2 * len(wanted)
        assert balance(room) == 2 * len(wanted)


def test_two_people_never_have_one_document_at_once(tmp_path: Path) -> None:
    """Documents that somebody holds are not handed to another, but to be judged twice."""
    with opened(tmp_path, {"judged_twice": 0}) as room:
        held = [
            a.document for name in ("Ann", "Bob", "Cy") for a in room.assign(name, 4).assignments
        ]
        assert len(held) == len(set(held)) > 8


def test_what_somebody_holds_comes_back_after_a_reload(tmp_path: Path) -> None:
    """Asking again gives the same leases, and writes nothing."""
    with opened(tmp_path) as room:
        first = room.assign("Ann", 3)
        events = room.state.last_event
        assert room.assign("Ann", 3) == first
        assert room.state.last_event == events


def test_assignments_tell_nothing_of_runs(tmp_path: Path) -> None:
    """No rank, run, score, chance or reason is in what an assessor gets."""
    with opened(tmp_path) as room:
        shown = json.dumps(
            [assignment.as_json() for assignment in room.assign("Ann", 5).assignments]
        )
        assert "run" not in shown
        assert set(json.loads(shown)[0]) == {
            *("lease", "topic", "document", "copies", "title", "text", "html", "sha256"),
            *("expires", "practice"),
        }


def test_an_answer_that_is_sent_twice_is_one_row(tmp_path: Path) -> None:
    """The same client id is the same answer; a second answer to a lease is refused."""
    with opened(tmp_path) as room:
        (assignment,) = room.assign("Ann", 1).assignments
        first, again = (room.record("Ann", [graded(assignment)])[0] for _ in range(2))
        other = room.record("Ann", [graded(assignment, 0, client_id="other-tab-1")])[0]
        assert (first.status, again.status, other.status) == ("saved", "known", "known")
        assert first.judgment == again.judgment == other.judgment
        assert len(room.state.entries) == 1


def test_an_answer_can_be_replaced_and_withdrawn_and_keeps_its_term(tmp_path: Path) -> None:
    """The last answer counts, all of them stay, and the assignment stays judged."""
    with opened(tmp_path, {"judged_twice": 0}) as room:
        (assignment,) = room.assign("Ann", 1).assignments
        first = room.record("Ann", [graded(assignment, 1)])[0].judgment
        second = room.record("Ann", [graded(assignment, 0, client_id="undo-0001", replaces=first)])[
            0
        ]
        assert room.grades() == {assignment.topic.id: {assignment.document: 0}}
        stale = room.record("Ann", [graded(assignment, 1, client_id="undo-0002", replaces=first)])[
            0
        ]
        assert stale.status == "refused"
        gone = Answer("undo-0003", assignment.lease, "withdrawn", replaces=second.judgment)
        assert room.record("Ann", [gone])[0].status == "saved"
        assert room.grades() == {}
        assert room.state.terms(0)["judged"] == 1
        assert len(room.state.entries) == 3
        key = assignment.topic.id, assignment.document
        assert key in room.state.queue


def test_a_skipped_document_goes_to_another_first(tmp_path: Path) -> None:
    """Who skipped it gets it again when all others have skipped it, too."""
    with opened(tmp_path, {"judged_twice": 0}) as room:
        for name in ("Ann", "Bob"):
            room.invite(name)
        (assignment,) = room.assign("Ann", 1).assignments
        key = assignment.topic.id, assignment.document
        room.record("Ann", [Answer("skip-0001", assignment.lease, "skip")])
        assert key not in {i.keys[0] for i in room.state.takeable("Ann", room._now())}
        assert key in {i.keys[0] for i in room.state.takeable("Bob", room._now())}
        while assignment.document not in (
            got := {a.document: a for a in room.assign("Bob", 50).assignments}
        ):
            judge_all(room, "Bob", most=5)
        room.record("Bob", [Answer("skip-0002", got[assignment.document].lease, "skip")])
        assert key in {i.keys[0] for i in room.state.takeable("Ann", room._now())}
        assert room.state.terms(room._now())["skipped"] == 2


def test_a_lease_that_ran_out_goes_to_another_and_a_late_answer_is_gone(tmp_path: Path) -> None:
    """A late answer counts while nobody else has the document, and not afterwards."""
    clock = Clock()
    with opened(tmp_path, {"judged_twice": 0, "lease_minutes": 1}, clock=clock) as room:
        late, lost = room.assign("Ann", 2).assignments
        clock.now += 61
        assert room.record("Ann", [graded(late)])[0].status == "saved"
        others = {a.document for a in room.assign("Bob", 50).assignments}
        assert lost.document in others
        assert late.document not in others
        assert room.record("Ann", [graded(lost)])[0].status == "gone"
        assert room.state.terms(clock.now)["expired"] == 1
        balance(room)


def test_a_clock_that_is_set_back_frees_nothing_and_orders_nothing_anew(tmp_path: Path) -> None:
    """Time never goes back behind what is written."""
    clock = Clock()
    with opened(tmp_path, {"judged_twice": 0, "lease_minutes": 1}, clock=clock) as room:
        held = {a.document for a in room.assign("Ann", 3).assignments}
        clock.now += 61
        taken = {a.document: a for a in room.assign("Bob", 50).assignments}
        assert held <= set(taken)
        clock.now -= 3600
        assert not {a.document for a in room.assign("Ann", 50).assignments} & set(taken)
        assignment = next(iter(taken.values()))
        room.record("Bob", [graded(assignment)])
        stamps = [e.at for events in room.state.events.values() for e in events]
        assert max(stamps) <= room.state.entries[1].answered_at


def test_a_room_that_is_opened_again_knows_everything(tmp_path: Path) -> None:
    """Leases, answers, links and the pause outlast a restart."""
    place = make_room_folder(tmp_path, {"judged_twice": 0})
    with CampaignRoom(place) as room:
        room.wait()
        token = room.invite("Ann")
        held = room.assign("Ann", 3).assignments
        room.record("Ann", [graded(held[0])])
        room.pause("Org")
        before = room.state.terms(room._now())
    with CampaignRoom(place) as room:
        assert room.who(token) == ("Ann", "assessor")
        assert room.paused
        assert room.assign("Ann", 2).state == "paused"
        room.resume("Org")
        assert [a.lease for a in room.assign("Ann", 2).assignments] == [a.lease for a in held[1:]]
        assert room.state.terms(room._now()) == before
        assert room.record("Ann", [graded(held[0])])[0].status == "known"


def test_a_second_room_on_a_folder_is_refused(tmp_path: Path) -> None:
    """Two that write would hand out the same documents."""
    place = make_room_folder(tmp_path)
    with CampaignRoom(place), pytest.raises(OutputError, match="open elsewhere already"):
        CampaignRoom(place)
    CampaignRoom(place).close()


def test_the_journal_refuses_changes_and_deletions(tmp_path: Path) -> None:
    """Triggers keep judgments and events as they were written, whoever opens the file."""
    with opened(tmp_path) as room:
        (assignment,) = room.assign("Ann", 1).assignments
        room.record("Ann", [graded(assignment)])
        path = room.folder.journal
    database = sqlite3.connect(path)
    for table in ("judgment", "event"):
        for order in (f"UPDATE {table} SET topic = 'x'", f"DELETE FROM {table}"):  # noqa: S608
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                database.execute(order)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_documents_of_equal_text_are_one_assignment_with_a_row_each(tmp_path: Path) -> None:
    """Blanks, case and width of letters make no difference."""
    made = texts()
    made[0]["text"], made[2]["text"] = "Same  TEXT here", "same text\there"
    with opened(tmp_path, {"judged_twice": 0}, documents=made) as room:
        while not (twins := [a for a in room.assign("Ann", 50).assignments if a.copies]):
            judge_all(room, "Ann", most=5)
        (assignment,) = twins
        assert {assignment.document, *assignment.copies} == {"d1-0", "d1-2"}
        first = room.record("Ann", [graded(assignment, 2)])[0].judgment
        assert {d: g for d, g in room.grades()["1"].items() if d in ("d1-0", "d1-2")} == {
            "d1-0": 2,
            "d1-2": 2,
        }
        room.record("Ann", [graded(assignment, 3, client_id="undo-0001", replaces=first)])
        assert {room.grades()["1"][d] for d in ("d1-0", "d1-2")} == {3}
        balance(room)


def test_a_text_that_changed_is_asked_again(tmp_path: Path) -> None:
    """Its old grade no longer counts, and the new one does."""
    place = make_room_folder(tmp_path, {"judged_twice": 0})
    with CampaignRoom(place) as room:
        room.wait()
        judge_all(room, "Ann", 1)
        assert room.grades()["1"]["d1-0"] == 1
    (tmp_path / "more.jsonl").write_text(
        json.dumps({"id": "d1-0", "text": "Quite another."}) + "\n"
    )
    add_documents(place, tmp_path / "more.jsonl")
    with CampaignRoom(place) as room:
        room.wait()
        assert "d1-0" not in room.grades()["1"]
        (again,) = room.assign("Ann", 5).assignments
        assert (again.document, again.text) == ("d1-0", "Quite another.")
        room.record("Ann", [graded(again, 3)])
        assert room.grades()["1"]["d1-0"] == 3


def test_practice_comes_first_and_says_the_answer(tmp_path: Path) -> None:
    """A practice document has feedback, and is no judgment."""
    practice = [{"topic": "1", "document": "d1-0", "grade": 2, "why": "It answers."}]
    with opened(tmp_path, {"practice": practice}) as room:
        assignment = room.assign("Ann", 1).assignments[0]
        assert (assignment.document, assignment.practice) == ("d1-0", True)
        receipt = room.record("Ann", [graded(assignment, 1)])[0]
        assert (receipt.expected, receipt.why) == (2, "It answers.")
        assert room.grades() == {}


def test_traps_are_hidden_and_misses_are_counted(tmp_path: Path) -> None:
    """A trap looks like any other document; who misses it is told to the organiser."""
    traps = [{"topic": "1", "document": f"d1-{n}", "grade": 0} for n in (18, 19, 20)]
    with opened(tmp_path, {"traps": traps, "trap_every": 2, "judged_twice": 0}) as room:
        room.invite("Ann")
        judge_all(room, "Ann", 1)
        work = room.overview().assessors.work["Ann"]
        assert (work.traps, work.missed) == (3, 3)
        assert not {"d1-18", "d1-19", "d1-20"} & set(room.grades()["1"])


def test_only_own_leases_are_answered_and_bad_answers_are_refused(tmp_path: Path) -> None:
    """Each answer stands for itself: a bad one does not keep a good one from being saved."""
    with opened(tmp_path) as room:
        first, two = room.assign("Ann", 2).assignments
        assert room.record("Bob", [graded(first)])[0].status == "refused"
        bad = [
            graded(first, 7),
            graded(first, True),
            Answer("client-x", first.lease, "grade"),
            Answer("client-y", first.lease, "praise"),
            Answer("client-z", first.lease, "withdrawn"),
            graded(first, client_id="short"),
            graded(first, client_id="../../etc"),
            graded(first, note="x" * 5000),
            graded(first, active_ms=-1),
            graded(first, shown_at="yesterday"),
            graded(first, client_id="client-a", replaces=99),
            Answer("client-b", 10**9, "cannot"),
        ]
        receipts = room.record("Ann", [*bad, graded(two)])
        assert [t.status for t in receipts] == ["refused"] * len(bad) + ["saved"]
        assert len(room.state.entries) == 1


def test_links_are_kept_as_hashes_and_can_be_withdrawn(tmp_path: Path) -> None:
    """Neither the file nor a guess gives a token; retiring frees what somebody holds."""
    with opened(tmp_path, {"judged_twice": 0}) as room:
        token = room.invite("Ann")
        boss = room.invite("Org", "organiser")
        assert room.who(token) == ("Ann", "assessor")
        assert room.who(boss) == ("Org", "organiser")
        assert room.who(token[:-1]) is None
        assert token.encode() not in room.folder.journal.read_bytes()
        held = {a.document for a in room.assign("Ann", 3).assignments}
        room.retire("Ann", "Org")
        assert room.who(token) is None
        assert held <= {a.document for a in room.assign("Bob", 50).assignments}
        balance(room)


def test_topics_stay_with_their_assessors(tmp_path: Path) -> None:
    """By topic, nobody but its owner judges a document of it, save for the second opinion."""
    with opened(tmp_path, {"assignment": "topic", "judged_twice": 0}) as room:
        for _ in range(4):
            for name in ("Ann", "Bob", "Cy"):
                judge_all(room, name, most=5)
        owners: dict[str, set[str]] = {}
        for entry in room.state.entries.values():
            owners.setdefault(entry.topic, set()).add(entry.assessor)
        assert all(len(names) == 1 for names in owners.values())
        assert len(owners) == 3


def test_adjudication_settles_a_dispute_and_keeps_the_answers(tmp_path: Path) -> None:
    """A decision stands above the majority; nobody's answer is changed."""
    with opened(tmp_path, {"assessors_per_document": 2, "judged_twice": 0}) as room:
        for name, grade in (("Ann", 0), ("Bob", 3)):
            room.invite(name)
            judge_all(room, name, grade, most=5)
        dispute, *_ = room.overview().disputes
        assert [(who, grade) for who, grade, _ in dispute.grades] == [("Ann", 0), ("Bob", 3)]
        key = dispute.topic, dispute.document
        assert room.adjudicate("Org", *key, 2, client_id="rule-0001").status == "saved"
        assert room.adjudicate("Org", *key, 2, client_id="rule-0001").status == "known"
        assert room.grades()[key[0]][key[1]] == 2
        assert key not in {(d.topic, d.document) for d in room.overview().disputes}
        assert len(room.state.current(key)) == 2


def test_eight_threads_lose_and_double_nothing(tmp_path: Path) -> None:
    """All that was acknowledged is there once, and nobody had what another held."""
    with opened(tmp_path, {"judged_twice": 0.3}) as room:
        saved: list[int] = []

        def work(name: str) -> None:
            room.invite(name)
            while (assigned := room.assign(name, 2)).state in ("judging", "preparing"):
                receipts = room.record(
                    name, [graded(assignment) for assignment in assigned.assignments]
                )
                saved.extend(t.judgment or 0 for t in receipts if t.status == "saved")
                if assigned.state == "preparing" and room.wait(1) and not room._outlook.done:
                    room.assign(name, 2)

        threads = [threading.Thread(target=work, args=(f"Person {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(saved) == list(range(1, len(room.state.entries) + 1))
        counts = Counter((e.topic, e.document) for e in room.state.entries.values())
        assert all(count == room.state.need(key) for key, count in counts.items())
        balance(room)


def test_hundreds_of_open_leases_hold_nobody_up(tmp_path: Path) -> None:
    """Whoever comes next still gets documents that nobody has, at once, and gives them grades."""
    made = [{"id": f"d1-{n}", "text": f"Text {n}."} for n in range(550)]
    runs = {"deep": {"1": {document["id"]: -float(at) for at, document in enumerate(made)}}}
    place = make_room_folder(
        tmp_path, {"judged_twice": 0, "depth": 550, "batch": 800, "random_share": 0}, made
    )
    add_runs(place, runs)
    with CampaignRoom(place) as room:
        assert room.wait(60)
        for number in range(10):
            assert len(room.assign(f"Person {number}", 1000).assignments) == MOST_AT_ONCE
        assert room.state.terms(room.now())["leased"] == 500
        held = {lease.key for lease in room.state.leases.values()}
        started = time.thread_time()  # whatever else this machine does
        assignments = room.assign("Late", 10).assignments
        receipts = room.record("Late", [graded(assignment) for assignment in assignments])
        assert time.thread_time() - started < 1
        assert [receipt.status for receipt in receipts] == ["saved"] * 10
        assert not held & {(assignment.topic.id, assignment.document) for assignment in assignments}
        balance(room)


def test_changed_guidelines_need_a_new_version(tmp_path: Path) -> None:
    """A judgment says which text its assessor followed."""
    place = make_room_folder(tmp_path)
    CampaignRoom(place).close()
    (place / "guidelines.md").write_text("# Judge otherwise")
    with pytest.raises(InputError, match="raise guidelines_version"):
        CampaignRoom(place)
