"""Campaigns from files: what is added, exported, imported, adjusted and backed up."""

import gzip
import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
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
        documents = Documents(tmp_path / f"index-{name}")
        assert len(documents) == 300
        assert documents.find("d7") == ("d7", "Text ü 7", "Title 7", False)
        assert documents.find("../corpus.jsonl") is None
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


MADE = pw.simulate(systems=7, topics=16, depth=30, rng=3)
LATE = next(run for run in MADE.unpooled if run.startswith("maverick"))


def judged_pool(folder: Path) -> Campaign:
    """Make a campaign of the runs that were pooled, with the judgments of their pool."""
    made = Campaign.make(folder / "made", measures=["P@10"], grades=(0, 1, 2, 3))
    (folder / "topics.tsv").write_text("".join(f"{t}\tquery {t}\n" for t in MADE.runs.topics))
    made.add_topics(folder / "topics.tsv")
    made.add_runs(MADE.runs.select(MADE.pooled))
    made.import_judgments(MADE.judgments, assessor="Ann")
    return made


def judge_first(made: Campaign) -> int:
    """Judge what the list has for the sake of later runs, and return how much that was."""
    listed, truth = made.next(budget=1000), MADE.truth.to_dict()
    grades: dict[str, dict[str, int]] = {}
    for topic, document, why in zip(listed.topic, listed.document, listed.reason, strict=True):
        if "for its own sake" in why:
            grades.setdefault(topic, {})[document] = truth[topic].get(document, 0)
    made.import_judgments(grades, assessor="Ann")
    return sum(map(len, grades.values()))


def test_what_is_due_is_the_first_sentence(tmp_path: Path) -> None:
    """Judge for the goal, judge these, judge on more topics, until adjusting is good enough."""
    made = judged_pool(tmp_path)
    assert made.status().sentences()[0].endswith("has a grade: the goal is reached.")
    made.add_runs(MADE.runs.select([LATE]), common=3)
    status = made.status()
    first, second, *_ = status.sentences()
    assert first == f"Judge {status.due.documents} documents of {LATE} on common topics first."
    assert second == f"At most {status.due.judgments} judgments settle the goal order."
    assert judge_first(made) == status.due.documents
    seen = []
    while (due := made.status().due.runs[0]).action == "judge topics":
        seen.append(due)
        assert made.status().sentences()[0].startswith(f"Judge {LATE} on about {due.count} more ")
        made.add_common(due.count, runs=[LATE])
        judge_first(made)
    assert seen
    assert due.action in ("add topics", "adjust")
    assert due.by_judgments <= 0.05 < seen[-1].by_judgments
    assert made.status().sentences()[0].startswith(("Add about ", "Adjust: "))


def test_what_is_due_is_decided_by_limits_of_repeated_looks(tmp_path: Path) -> None:
    """Each draw of topics is a look, and the k-th look spends 0.05 / (k (k + 1))."""
    made = judged_pool(tmp_path)
    made.add_runs(MADE.runs.select([LATE]), common=5)
    before = pw.evaluate(MADE.judgments, MADE.runs.select([LATE]), "P@10")["P@10"]
    for spent in (0.05 / 2, 0.05 / 6):
        judge_first(made)
        status = made.status()
        at, now = status.table.systems.index(LATE), status.table
        topics = [t for event in made._state().events["common"] for t in event.data["topics"]]
        biases = [now.value[at, now.topics.index(t)] - before.value[0, before.topics.index(t)]
                  for t in topics]  # fmt: skip
        n = len(biases)
        error = np.sqrt((16 - n) / 16) * np.std(biases, ddof=1) / np.sqrt(n)  # W10 eq. 6.5
        half = stats.t.ppf(1 - spent / 2, n - 1) * error
        assert status.adjusted.value[at] == pytest.approx(before.value.mean() + np.mean(biases))
        assert status.adjusted.high[at] - status.adjusted.value[at] == pytest.approx(half)
        assert status.due.runs[0].by_judgments == pytest.approx(half)
        made.add_common(5)


def test_topics_are_added_where_they_are_what_is_uncertain(tmp_path: Path) -> None:
    """With every topic judged for its sake, topics are what is left to be added."""
    made = judged_pool(tmp_path)
    made.add_runs(MADE.runs.select([LATE]), common=16)
    judge_first(made)
    status = made.status()
    (due,) = status.due.runs
    assert (due.action, due.by_judgments) == ("add topics", 0)
    rows = [status.table.value[status.table.systems.index(run)] for run in (LATE, due.leader)]
    spread, level = np.std(rows[0] - rows[1], ddof=1), 1 - 0.05 / 2
    halves = {n: stats.t.ppf((1 + level) / 2, n - 1) * spread / np.sqrt(n)
              for n in range(16, 5000)}  # fmt: skip
    need = min(n for n, half in halves.items() if half <= 0.05)
    assert due.by_topics == pytest.approx(halves[16])
    assert due.count == pytest.approx(need - 16, rel=0.05, abs=1)


def test_campaign_and_estimate_read_one_record(tmp_path: Path) -> None:
    """What next records is what the campaign adjusts by, and what it exports is read again."""
    made = judged_pool(tmp_path)
    listed = pw.next(None, MADE.runs, "common:6", rng=5)
    (tmp_path / "common.tsv").write_bytes(pw.workflows.common_topics_file(listed))
    made.add_runs(MADE.runs.select(MADE.unpooled), common=tmp_path / "common.tsv")
    judge_first(made)
    export = made.export("majority")
    written = Path(export.path).with_suffix(".common.tsv")
    record = pw.collection.read_common_topics(written)
    assert set(record.runs) == set(MADE.unpooled)
    assert sorted(record.of_run(LATE)) == sorted(listed.common.of_run(LATE))
    status = made.status()
    columns = pw.estimate(
        export.path, MADE.runs, "P@10", treatments="bias-topics", common=written,
        depth=MADE.pool_depth, pooled=MADE.pooled,
    )["P@10"].columns()  # fmt: skip
    for run in MADE.unpooled:
        scores = [
            v for name, v in zip(columns["run"], columns["value"], strict=True) if name == run
        ]
        at = status.table.systems.index(run)
        assert status.adjusted.value[at] == pytest.approx(np.mean(scores))


def test_a_record_must_fit_the_campaign(tmp_path: Path) -> None:
    """Runs that were there from the start, and topics that are not there, are refused."""
    made, late = judged_pool(tmp_path), MADE.runs.select([LATE])
    with pytest.raises(InputError, match="came after judging had begun"):
        made.add_common(3)
    record = pw.collection.CommonTopics.of([LATE], ["999"], depth=10, seed=1)
    with pytest.raises(InputError, match="must have results for its topics"):
        made.add_runs(late, common=record)
    assert made.contents().runs == len(MADE.pooled)  # nothing was added
    record = pw.collection.CommonTopics.of(["x"], ["401"], depth=10, seed=1)
    with pytest.raises(InputError, match="must have topics for maverick"):
        made.add_runs(late, common=record)
    made.add_runs(late, common=16)
    with pytest.raises(InputError, match="not recorded for these runs already"):
        made.add_common(1)


@pytest.mark.parametrize("goal", ["top:9", "pair:run0,later", "run:later"])
def test_a_goal_about_runs_that_are_not_there_yet_is_told(tmp_path: Path, goal: str) -> None:
    """How the runs stand is said all the same."""
    place = make_room_folder(tmp_path, {"goal": goal})
    first = campaign(place).status().sentences()[0]
    assert first.startswith(f"Nothing can be judged for the goal {goal} yet: ")


def test_estimates_of_the_random_share_end_at_the_score(tmp_path: Path) -> None:
    """When every document is judged, estimate, range and score are one number."""
    place = make_room_folder(tmp_path, {"judged_twice": 0})
    with CampaignRoom(place) as room:
        room.wait()
        judge_all(room, "Ann", 3)
        status = room.overview().statuses[0]
    means = status.table.means()
    assert np.allclose(status.sampled.value, means)
    assert np.allclose(status.table.over_judgments.low, means)
    assert status.balance().endswith("+ 0 leased + 0 expired.")


def test_a_backup_holds_the_journal_of_one_moment(tmp_path: Path) -> None:
    """It can be made while the room is open, and opens as a campaign elsewhere."""
    place = make_room_folder(tmp_path)
    with CampaignRoom(place) as room:
        room.wait()
        (assignment,) = room.assign("Ann", 1).assignments
        room.record("Ann", [graded(assignment)])
        assert campaign(place).backup(tmp_path / "backup.zip") == 1
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        archive.extractall(tmp_path / "copy")
    database = sqlite3.connect(tmp_path / "copy" / "campaign.sqlite")
    assert database.execute("SELECT client_id FROM judgment").fetchall() == [
        (f"client-{assignment.lease:06d}",)
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
    contents = made.contents()
    assert (contents.topics, contents.runs, contents.without_text) == (50, 10, 0)
    assert sorted(p.name for p in (tmp_path / "demo" / "later").iterdir()) == [
        "dfr-3.run",
        "maverick-1.run",
    ]
    assert len(made.next(budget=5)) == 5


def test_the_files_of_a_track_make_a_campaign(tmp_path: Path, data_dir: Path) -> None:
    """DL 2019 as it lies there: queries, passages and runs, judged by the official grades."""
    source = data_dir / "trec-dl-2019"
    made = Campaign.make(tmp_path / "dl19", measures=["SDCG@10"], batch=40)
    made.add_topics(source / "queries.tsv")
    made.add_documents(source / "passages.jsonl.gz")
    made.add_runs(sorted((source / "runs").iterdir())[:4])
    contents = made.contents()
    assert (contents.topics, contents.documents, contents.runs) == (200, 10_818, 4)
    truth = pw.read_judgments(source / "qrels.gz").to_dict()
    judged: dict[str, dict[str, float]] = {}
    with CampaignRoom(made.folder.path) as room:
        assert room.wait(60)
        room.invite("Ann")
        while sum(map(len, judged.values())) < 30:
            for assignment in room.assign("Ann", 10).assignments:
                assert assignment.text
                grade = truth[assignment.topic.id].get(assignment.document, 0)
                room.record("Ann", [graded(assignment, grade)])
                names = (assignment.document, *assignment.copies)
                judged.setdefault(assignment.topic.id, {}).update(dict.fromkeys(names, grade))
        exported = room.export("latest").judgments.to_dict()
    assert {topic: grades for topic, grades in exported.items() if grades} == judged
    assert made.status().sentences()[0].startswith("Judge the next documents: at most ")
