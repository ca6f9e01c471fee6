"""Campaigns from files: what is added, exported, imported, adjusted and backed up."""

import gzip
import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.campaigns.room_examples import (
    graded,
    judge_all,
    make_room_folder,
    opened,
    rankings,
)

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.store.campaigns._documents import Documents, index_documents
from poolwise.workflows.campaigns._campaign import Campaign, campaign
from poolwise.workflows.campaigns._room import CampaignRoom


def test_documents_are_found_in_every_format(tmp_path: Path) -> None:
    """Plain and compressed lines, BEIR, Parquet and folders give the same texts by id."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"_id": f"d{n}", "title": f"Title {n}", "text": f"Text ü {n}"} for n in range(300)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "corpus.jsonl").write_text(lines)
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "corpus.parquet")
    shards = tmp_path / "shards"
    shards.mkdir()
    (shards / "a.jsonl").write_text(lines)
    for name in ("corpus.jsonl", "corpus.jsonl.gz", "corpus.parquet", "shards"):
        index_documents(tmp_path / f"index-{name}", tmp_path / name)
        found = Documents(tmp_path / f"index-{name}")
        assert len(found) == 300
        assert found.find("d7") == ("d7", "Text ü 7", "Title 7", False)
        assert found.find("../corpus.jsonl") is None
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "owl.html").write_text("<p>hoot")
    index_documents(tmp_path / "index-pages", pages)
    assert Documents(tmp_path / "index-pages").find("owl") == ("owl", "<p>hoot", "", True)


def test_a_file_of_documents_that_changed_is_refused(tmp_path: Path) -> None:
    """Places in a file that was edited would lead into the middle of other texts."""
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "a", "text": "one"}\n')
    index_documents(tmp_path / "index", corpus)
    corpus.write_text('{"id": "a", "text": "another"}\n')
    with pytest.raises(InputError, match="as it was when it was added"):
        Documents(tmp_path / "index")


def test_exports_are_a_chain_and_rules_differ_as_they_say(tmp_path: Path) -> None:
    """Each version follows from the one before; names of assessors are in none of the files."""
    with opened(tmp_path, {"assessors_per_document": 2, "judged_twice": 0}) as room:
        for name, grade in (("Ann", 0), ("Bob", 3)):
            room.invite(name)
            judge_all(room, name, grade, most=6)
        first = room.export("majority")
        second = room.export("latest")
        only = room.export("assessor:Ann")
        ruled = room.export("adjudicated")
        assert (first.previous, second.previous) == ("", first.version)
        assert {g for _, _, g in first.judgments} == {0}
        assert {g for _, _, g in second.judgments} == {0, 3} or {3} == {
            g for _, _, g in second.judgments
        }
        assert {g for _, _, g in only.judgments} == {0}
        assert (ruled.undecided > 0, second.shared > 0) == (True, True)
        for path in (room.folder.path / "exports").iterdir():
            assert "Ann" not in path.read_text()
        with pytest.raises(OptionError, match="is not known"):
            room.export("mean")
        labels = pw.read_judgments(first.path)
        assert len(labels) == len(first.judgments)


def test_import_is_harmless_twice_and_a_new_grade_replaces(tmp_path: Path) -> None:
    """What was there stays in the journal; the newest grade of an assessor counts."""
    place = make_room_folder(tmp_path)
    opened_one = campaign(place)
    assert (
        "2 judgments taken in"
        in opened_one.import_judgments({"1": {"d1-0": 1, "d1-2": 0}}, assessor="Ann").news
    )
    again = opened_one.import_judgments({"1": {"d1-0": 1, "d1-2": 3}}, assessor="Ann").news
    assert again.startswith("1 judgment taken in; 1 were there")
    with CampaignRoom(place, choosing=False) as room:
        assert room.grades() == {"1": {"d1-0": 1, "d1-2": 3}}
        assert room.state.last_entry == 3


def test_a_later_run_is_adjusted_by_its_recorded_topics_alone(tmp_path: Path) -> None:
    """The adjusted mean is algorithm 6.2 by hand: the old mean plus the mean bias of its topics."""
    place = make_room_folder(tmp_path, {"common_topics": 2, "judged_twice": 0, "batch": 60})
    with CampaignRoom(place) as room:
        room.wait()
        judge_all(room, "Ann", 1)
    made = campaign(place)
    new = {t: {f"d{t}-{13 + k}": float(9 - k) for k in range(8)} for t in ("1", "2", "3")}
    before = pw.evaluate(
        {t: {d: 1 for run in rankings().values() for d in run[t]} for t in new},
        {"late": new}, "P@5",
    )["P@5"].value[0]  # fmt: skip
    made.add_runs({"late": new})
    (event,) = made._state().events["common"]
    assert len(event.data["topics"]) == 2
    status = made.status()
    assert "Judge" in status.sentences()[0]
    assert np.isnan(status.adjusted.value).all()
    with CampaignRoom(place) as room:
        room.wait()
        judge_all(room, "Ann", 1, most=200)
    status = made.status()
    at = status.table.systems.index("late")
    biases = [1 - before[["1", "2", "3"].index(t)] for t in event.data["topics"]]
    assert status.adjusted.value[at] == pytest.approx(before.mean() + np.mean(biases))
    assert [run for run, v in zip(status.table.systems, status.adjusted.value, strict=True)
            if not np.isnan(v)] == ["late"]  # fmt: skip


def test_estimates_of_the_random_share_end_at_the_score(tmp_path: Path) -> None:
    """When every document is judged, estimate, range and score are one number."""
    place = make_room_folder(tmp_path, {"judged_twice": 0})
    with CampaignRoom(place) as room:
        room.wait()
        judge_all(room, "Ann", 3)
        found = room.overview().statuses[0]
    means = found.table.means()
    assert np.allclose(found.sampled.value, means)
    assert np.allclose(found.table.over_judgments.low, means)
    assert found.balance().endswith("+ 0 leased + 0 expired.")


def test_a_backup_holds_the_journal_of_one_moment(tmp_path: Path) -> None:
    """It can be made while the room is open, and opens as a campaign elsewhere."""
    place = make_room_folder(tmp_path)
    with CampaignRoom(place) as room:
        room.wait()
        (one,) = room.assign("Ann", 1).assignments
        room.record("Ann", [graded(one)])
        assert campaign(place).backup(tmp_path / "backup.zip") == 1
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        archive.extractall(tmp_path / "copy")
    database = sqlite3.connect(tmp_path / "copy" / "campaign.sqlite")
    assert database.execute("SELECT client_id FROM judgment").fetchall() == [
        (f"client-{one.lease:06d}",)
    ]
    database.close()
    assert campaign(tmp_path / "copy").contents().judgments == 1


def test_settings_that_make_no_sense_are_refused_with_their_place() -> None:
    """Every wrong setting names itself, its rule and its value."""
    from poolwise.store.campaigns._settings import CampaignSettings

    wrong = {
        "name": "", "goal": "best", "measures": [], "random_share": 2, "assessors_per_document": 0,
        "assignment": "luck", "grades": [{"grade": 1, "label": "x"}], "margin": True, "batch": 1.5,
        "traps": [{"topic": "1"}], "unknown": 1,
    }  # fmt: skip
    for name, value in wrong.items():
        with pytest.raises(InputError, match=name):
            CampaignSettings.of({"name": "x"} | {name: value})
    with pytest.raises(InputError, match="must have a name"):
        CampaignSettings.of({})


def test_topics_are_read_in_every_format(tmp_path: Path) -> None:
    """TREC files, JSONL and lines give ids, queries, descriptions and narratives."""
    from poolwise.collection.formats._topic_files import read_topics

    trec = (
        "<top>\n<num> Number: 401 \n<title> foreign minorities, Germany\n\n<desc> Description: \n"
        "What impedes\nintegration?\n\n<narr> Narrative: \nA relevant one.\n</top>\n"
    )
    jsonl = '{"qid": 1, "query": "a", "narrative": "n"}\n{"qid": 2, "query": "b"}\n'
    for name, text in (("t.trec", trec), ("t.jsonl", jsonl), ("t.tsv", "7\tred dress\n")):
        (tmp_path / name).write_text(text)
    assert read_topics(tmp_path / "t.trec") == (
        ("401", "foreign minorities, Germany", "What impedes integration?", "A relevant one."),
    )
    assert [t.id for t in read_topics(tmp_path / "t.jsonl")] == ["1", "2"]
    assert read_topics(tmp_path / "t.jsonl")[0].narrative == "n"
    assert read_topics(tmp_path / "t.tsv") == (("7", "red dress", "", ""),)


def test_the_demo_is_a_campaign_that_people_can_judge(tmp_path: Path) -> None:
    """All its documents have texts, and later runs lie beside it."""
    made = Campaign.demo(tmp_path / "demo")
    found = made.contents()
    assert (found.topics, found.runs, found.without_text) == (50, 10, 0)
    assert sorted(p.name for p in (tmp_path / "demo" / "later").iterdir()) == [
        "dfr-3.run",
        "maverick-1.run",
    ]
    assert len(made.next(budget=5)) == 5
