"""Ids that are not UTF-8: kept byte for byte from the files to the export, and shown as escapes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from tests.server.rooms import Served, served

from poolwise.workflows.campaigns._campaign import Campaign
from poolwise.workflows.campaigns._room import CampaignRoom

TOPIC, NAMES = b"caf\xe9", [b"d%d\xff\xfe" % number for number in range(4)]
"""As old files have them: Latin-1, and bytes that are no text at all."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a campaign from files with such ids, in which two people judge each document."""
    made = Campaign.make(tmp_path / "odd", measures=["P@4"], grades=(0, 1), depth=4)
    place = made.folder.path / "campaign.toml"
    text = place.read_text().replace("assessors_per_document = 1", "assessors_per_document = 2")
    place.write_text(text.replace("judged_twice = 0.1", "judged_twice = 0"))
    (tmp_path / "topics.tsv").write_bytes(TOPIC + b"\thabitat of owls \xff\n")
    texts = b"".join(name + b"\tText %d on owls \xff.\n" % at for at, name in enumerate(NAMES))
    (tmp_path / "texts.tsv").write_bytes(texts)
    lines = b"".join(
        TOPIC + b" Q0 %s %d %d r\xfcn\n" % (name, at + 1, 9 - at) for at, name in enumerate(NAMES)
    )
    (tmp_path / "first.run").write_bytes(lines)
    made = Campaign(made.folder.at(made.folder.path))
    made.add_topics(tmp_path / "topics.tsv")
    made.add_documents(tmp_path / "texts.tsv")
    made.add_runs(tmp_path / "first.run")
    return made.folder.path


@pytest.fixture
def room(folder: Path) -> Iterator[Served]:
    """Serve it."""
    with served(folder) as made:
        yield made


def judge_all(room: Served) -> None:
    """Let two people judge everything, who differ on the first document."""
    for who, grades in (("Ann", (0, 1, 0, 1)), ("Ben", (1, 1, 0, 1))):
        client = room.person(who)
        for item in client.work(4):
            number = int(str(item["text"]).partition("Text ")[2][0])
            reply = client.answer(item["lease"], grades[number], f"{who}-{item['lease']:06}")
            assert reply["status"] == "saved"


def test_ids_are_kept_byte_for_byte(room: Served, folder: Path) -> None:
    """From the files through pages and journal to the export and its download."""
    judge_all(room)
    boss = room.person("boss", "organiser")
    status, page, _ = boss.get("/organise")
    assert status == 200
    assert b'data-document="d0%FF%FE"' in page
    assert boss.get("/api/organise/parts")[0] == 200
    key = {"topic": "caf%E9", "document": "d0%FF%FE"}
    status, reply, _ = boss.post("/api/organise/text", key)
    assert (status, reply["text"]) == (200, "Text 0 on owls \ufffd.")
    ruling = key | {"grade": 1, "client_id": "ruling-0001"}
    assert boss.post("/api/organise/adjudicate", ruling)[1]["status"] == "saved"
    status, reply, _ = boss.post("/api/organise/export", {"rule": "adjudicated"})
    expected = b"".join(TOPIC + b" 0 %s %d\n" % (name, grade)
                        for name, grade in zip(NAMES, (1, 1, 0, 1), strict=True))  # fmt: skip
    assert reply["qrels"].encode("latin-1") == expected
    assert (folder / "exports" / "v001.qrels").read_bytes() == expected
    assert NAMES[0] in (folder / "exports" / "v001.labels.tsv").read_bytes()


def test_a_journal_with_such_ids_is_read_as_it_was_written(folder: Path) -> None:
    """Opened again, the room knows the same; the file is whole."""
    with CampaignRoom(folder) as room:
        assert room.wait()
        work = room.assign("Ann", 4)
        before, rows = room.state, [*room.folder.rows()]
        names = {assignment.document for assignment in work.assignments}
        assert names == {name.decode("utf-8", "surrogateescape") for name in NAMES}
    with CampaignRoom(folder) as room:
        assert room.state.leases == before.leases
        assert [*room.folder.rows()] == rows
        assert room.assign("Ann", 4) == work
