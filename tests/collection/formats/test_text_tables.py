"""CSV, JSON and JSONL files hold the runs and judgments that TREC's files hold."""

import gzip
import json
from pathlib import Path

import pytest
from tests.each import over

import poolwise as pw

GRADES = {"1": {"a": 2.0, "b": 0.0}, "2": {"c": 1.0}}
RANKED = {"1": ["b", "a"], "2": ["c"]}
SCORED = [("1", "b", 3.0), ("1", "a", 1.5), ("2", "c", 0.5)]


def records(values: str, entries: list[tuple[str, str, float]]) -> list[dict[str, object]]:
    """Return entries as objects of JSON."""
    return [{"query_id": q, "doc_id": d, values: v} for q, d, v in entries]


GRADED = [("1", "a", 2), ("1", "b", 0), ("2", "c", 1)]
JUDGMENTS = {
    "with.csv": "query,docid,rating\n1,a,2\n1,b,0\n2,c,1\n",
    "quoted.csv": '"qid";"docno";"label"\n"1";"a";2\n"1";"b";0\n"2";"c";1\n',
    "without.csv": "1,a,2\n1,b,0\n2,c,1\n",
    "four.csv": "1,0,a,2\n1,0,b,0\n2,0,c,1\n",
    "blanks.csv": "1 0 a 2\n1 0 b 0\n2 0 c 1\n",
    "mark.csv": "\ufeffqid,docno,label\r\n1,a,2\r\n1,b,0\r\n2,c,1\r\n",
    "dict.json": json.dumps(GRADES),
    "records.json": json.dumps(records("relevance", GRADED)),
    "lines.jsonl": "".join(json.dumps(r) + "\n" for r in records("relevance", GRADED)),
    "lines.ndjson": "\n".join(json.dumps(r) for r in records("grade", GRADED)),
    "columns.json": json.dumps(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": [2, 0, 1]}
    ),
    "pandas.json": json.dumps(
        {
            "qid": {"0": "1", "1": "1", "2": "2"},
            "docno": {"0": "a", "1": "b", "2": "c"},
            "label": {"0": 2, "1": 0, "2": 1},
        }
    ),
    "wider.tsv": "qid\tquery\tdocno\tlabel\n1\twho?\ta\t2\n1\twho?\tb\t0\n2\twhy?\tc\t1\n",
    "other.tsv": "docno\tqid\tlabel\na\t1\t2\nb\t1\t0\nc\t2\t1\n",
    "commas.txt": "qid,docno,label\n1,a,2\n1,b,0\n2,c,1\n",
    "dict.txt": json.dumps(GRADES),
    "lines.txt": "".join(json.dumps(r) + "\n" for r in records("relevance", GRADED)),
    "metadata.csv": "# ir_metadata.start\nqid,docno,label\n1,a,2\n1,b,0\n2,c,1\n",
}
RUNS = {
    "with.csv": "qid,docno,score\n1,b,3\n1,a,1.5\n2,c,.5\n",
    "ranks.csv": "qid,docno,rank\n1,a,2\n1,b,1\n2,c,1\n",
    "six.csv": "1,Q0,b,1,3,six\n1,Q0,a,2,1.5,six\n2,Q0,c,1,.5,six\n",
    "blanks.csv": "1 Q0 b 1 3 blanks\n1 Q0 a 2 1.5 blanks\n2 Q0 c 1 .5 blanks\n",
    "topics.json": json.dumps({"1": {"b": 3, "a": 1.5}, "2": {"c": 0.5}}),
    "lists.json": json.dumps(RANKED),
    "systems.json": json.dumps({"systems": {"1": {"b": 3, "a": 1.5}, "2": {"c": 0.5}}}),
    "lines.jsonl": "".join(json.dumps(r) + "\n" for r in records("score", SCORED)),
    "table.tsv": "qid\tdocno\trank\tscore\n1\tb\t1\t3\n1\ta\t2\t1.5\n2\tc\t1\t.5\n",
    "colbert.tsv": "1\tb\t1\t3.5\n1\ta\t2\t1.5\n2\tc\t1\t.5\n",
    "four.csv": "1,b,1,3\n1,a,2,1.5\n2,c,1,.5\n",
    "commas.run": "q_id,did,similarity\n1,b,3\n1,a,1.5\n2,c,.5\n",
    "dict.run": json.dumps({"1": {"b": 3, "a": 1.5}, "2": {"c": 0.5}}),
    "metadata.jsonl": "# tag: bm25\n"
    + "".join(json.dumps(r) + "\n" for r in records("score", SCORED)),
    "hits.jsonl": '{"qid": "1", "hits": [{"_id": "b", "_score": 3}, {"_id": "a", "_score": 1.5}]}\n'
    '{"qid": "2", "hits": [{"_id": "c", "_score": 0.5}]}\n',
    "results.json": '[{"query_id": 1, "results": ["b", "a"]}, {"query_id": 2, "results": ["c"]}]',
}


@over("name", JUDGMENTS)
def test_files_of_judgments(name: str, tmp_path: Path) -> None:
    """Whatever the layout, the judgments are the same, compressed or not."""
    (tmp_path / name).write_text(JUDGMENTS[name], newline="")
    assert pw.read_judgments(tmp_path / name).to_dict() == GRADES
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(JUDGMENTS[name].encode()))
    assert pw.read_judgments(str(packed)).to_dict() == GRADES


@over("name", RUNS)
def test_files_of_runs(name: str, tmp_path: Path) -> None:
    """Whatever the layout, the lists are the same, and the run is called by its file."""
    (tmp_path / name).write_text(RUNS[name])
    runs = pw.read_runs(tmp_path / name)
    assert runs.systems == (name.partition(".")[0],)
    assert {topic: runs.ranking(runs.systems[0], topic) for topic in runs.topics} == RANKED
    assert runs.sources[0].sha256
    evaluation = pw.evaluate(GRADES, tmp_path / name, "P@1")
    assert evaluation.scores[0].value.tolist() == [[0.0, 1.0]]


def test_a_table_of_wide_characters_is_read(tmp_path: Path) -> None:
    """Spreadsheets write two bytes for each character, and say so with the first two."""
    (tmp_path / "wide.csv").write_bytes(JUDGMENTS["with.csv"].encode("utf-16"))
    assert pw.read_judgments(tmp_path / "wide.csv").to_dict() == GRADES


def test_a_line_behind_metadata_has_its_number(tmp_path: Path) -> None:
    """Comments count as lines of the file."""
    (tmp_path / "bad.csv").write_text("# made by hand\nqid,docno,label\n1,a,2\n1,b,x\n")
    with pytest.raises(pw.InputError, match=r"bad\.csv:4: a score or grade must be a number"):
        pw.read_judgments(tmp_path / "bad.csv")


def test_a_topic_has_one_list(tmp_path: Path) -> None:
    """Two lists of a topic are not one behind the other."""
    (tmp_path / "twice.jsonl").write_text('{"qid": 1, "docs": ["a"]}\n{"qid": 1, "docs": ["b"]}\n')
    with pytest.raises(pw.InputError, match="a topic may have one list"):
        pw.read_runs(tmp_path / "twice.jsonl")


def test_a_folder_of_mixed_files(tmp_path: Path) -> None:
    """CSV, JSON and TREC runs lie beside each other."""
    for name in ("with.csv", "topics.json", "lines.jsonl"):
        (tmp_path / name).write_text(RUNS[name])
    (tmp_path / "plain.run").write_text("1 Q0 b 1 3 plain\n")
    (tmp_path / "config.json").write_text('{"k1": 0.9}')
    assert pw.read_runs(tmp_path).systems == ("lines", "plain", "topics", "with")


BAD = {
    "broken.json": ('{"1": {"a": 1}', "broken.json:1: the file must be intact JSON"),
    "broken.jsonl": ('{"qid": "1", "docno": "a", "label": 1}\n{', "broken.jsonl:2: .*intact JSON"),
    "array.jsonl": ("[1]\n", "array.jsonl:1: every line must be a JSON object"),
    "twice.json": ('{"1": {"a": 1, "a": 0}}', "must have each name once; got 'a'"),
    "number.json": ("3", "an object by topic or by system, or an array of records"),
    "empty.csv": ("", "there must be at least one entry"),
    "header.csv": ("qid,docno,label\n", "there must be at least one entry"),
    "ragged.csv": ("qid,docno,label\n1,a,1\n1,b\n", "ragged.csv:3: every line must have 3 cells"),
    "word.csv": ("qid,docno,label\n1,a,1\n1,b,high\n", "word.csv:3: .*must be a number"),
    "topic.csv": ("docno,label\na,1\n", "there must be a column for the topic"),
    "field.jsonl": (
        '{"qid": "1", "docno": "a", "label": 1}\n{"qid": "1", "docno": "b"}\n',
        "field.jsonl:2: every record must have the field 'label'",
    ),
}  # fmt: skip


@over("name", BAD)
def test_bad_files_are_named(name: str, tmp_path: Path) -> None:
    """An error names the file, and the line where there is one."""
    text, message = BAD[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(pw.InputError, match=message):
        pw.read_judgments(tmp_path / name)


def test_json_of_systems_maps_topics(tmp_path: Path) -> None:
    """A JSON file of paths is no file of runs: nothing else is opened for it."""
    (tmp_path / "runs.json").write_text('{"bm25": "bm25.run"}')
    with pytest.raises(pw.InputError, match="system bm25 must map topics to documents"):
        pw.read_runs(tmp_path / "runs.json")
