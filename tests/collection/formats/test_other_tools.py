"""Files that other tools write are read as judgments and runs without converting them first."""

import json
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

import poolwise as pw
from poolwise.errors import InputError

GRADES = {"red dress": {"d1": 3.0, "d2": 0.0}, "blue shoes": {"d3": 1.0}}
"""What every file below holds, in the shapes that the tools' documentation shows."""

OPENSEARCH = {
    "name": "mine",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": query, "ratings": [{"docId": d, "rating": str(g)} for d, g in grades.items()]}
        for query, grades in GRADES.items()
    ],
}
ELASTICSEARCH = {
    "requests": [
        {
            "id": query,
            "request": {"query": {"match": {"text": query}}},
            "ratings": [{"_index": "i", "_id": d, "rating": int(g)} for d, g in grades.items()],
        }
        for query, grades in GRADES.items()
    ],
    "metric": {"precision": {"k": 20}},
}
QUEPID = {
    "name": "mine",
    "query_doc_pairs": [
        {"query_text": query, "doc_id": d, "judgements": [{"rating": g, "user_email": "a@b.org"}]}
        for query, grades in GRADES.items()
        for d, g in grades.items()
    ],
}
RRE = {
    "index": "i",
    "id_field": "id",
    "query_groups": [
        {
            "name": query,
            "queries": [{"template": "q.json", "placeholders": {"$query": query}}],
            "relevant_documents": {d: {"gain": g} for d, g in grades.items()},
        }
        for query, grades in GRADES.items()
    ],
}
DOCCANO = [
    {"query": query, "doc_id": d, "text": "a text", "label": [str(int(g))]}
    for query, grades in GRADES.items()
    for d, g in grades.items()
]


def as_file(folder: Path, content: Any) -> str:
    """Write JSON, or JSONL of a list, and return the path."""
    path = folder / ("a.jsonl" if isinstance(content, list) else "a.json")
    lines = map(json.dumps, content if isinstance(content, list) else [content])
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize(
    "content",
    [OPENSEARCH, ELASTICSEARCH, QUEPID, RRE, DOCCANO],
    ids=["opensearch", "elasticsearch", "quepid", "rre", "doccano"],
)
def test_judgments_of_a_tool_are_read(content: Any, tmp_path: Path) -> None:
    """The grades are those in the file, and its topics are called as the tool calls them."""
    judgments = pw.read_judgments(as_file(tmp_path, content))
    found: dict[str, dict[str, float]] = {}
    for topic, document, grade in judgments:
        found.setdefault(topic, {})[document] = grade
    assert sorted(found) == sorted(GRADES)
    assert found["red dress"] == GRADES["red dress"]


def test_a_gate_reads_them_too(tmp_path: Path) -> None:
    """Ratings of a search engine decide about a release without a detour."""
    runs = {name: {"red dress": order} for name, order in {"a": ["d1", "d2"], "b": ["d2"]}.items()}
    qrels = as_file(tmp_path, {**OPENSEARCH, "judgmentRatings": OPENSEARCH["judgmentRatings"][:1]})
    assert pw.evaluate(qrels, runs, "RR")["RR"].means().tolist() == [1.0, 0.0]


def test_a_document_with_several_grades_is_refused_with_a_remedy_that_works(tmp_path: Path) -> None:
    """People who disagree are not averaged in silence; the hint names a command that decides."""
    pair = {"query_text": "q", "doc_id": "d"}
    graded = [{"rating": g, "user_email": f"{g}@b.org"} for g in (0, 3, 3)]
    path = as_file(tmp_path, {"name": "x", "query_doc_pairs": [pair | {"judgements": graded}]})
    with pytest.raises(InputError, match="poolwise convert FILE --to trec --conflicts majority"):
        pw.read_judgments(path)
    made = pw.convert(path, "trec", conflicts="majority", texts={"1": "q"})
    assert made.text == "1 0 d 3\n"


def beir(folder: Path, *splits: str) -> Path:
    """Make a collection as BEIR lays it out."""
    (folder / "qrels").mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
    for split in splits:
        lines = ("query-id\tcorpus-id\tscore", "q1\td1\t2", f"q1\t{split}\t1")
        (folder / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n")
    return folder


def test_a_beir_folder_is_a_collection(tmp_path: Path) -> None:
    """Its judgments for the test are read, and a dict of results gets pytrec_eval's number."""
    results = {"q1": {"other": 3.0, "d1": 2.0, "test": 1.0}}
    found = pw.evaluate(beir(tmp_path, "train", "test"), results, "nDCG@10")["nDCG@10"].means()
    expected = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 2, "test": 1}}, {"ndcg_cut_10"})
    assert found[0] == pytest.approx(expected.evaluate(results)["q1"]["ndcg_cut_10"], abs=1e-12)


def test_a_beir_folder_with_one_split_needs_no_test(tmp_path: Path) -> None:
    """A collection of one file of judgments is clear; of several without a test it is not."""
    assert len(pw.read_judgments(beir(tmp_path, "dev"))) == 2
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with pytest.raises(InputError, match=r"dev\.tsv, train\.tsv.*name one of them"):
        pw.read_judgments(tmp_path)


def test_predictions_of_mteb_are_a_run(tmp_path: Path) -> None:
    """The run is called as the model; several subsets are refused, since topics could be mixed."""
    saved: dict[str, Any] = {
        "mteb_model_meta": {"model_name": "org/e5", "revision": "1"},
        "default": {"test": {"q1": {"d1": 0.5, "d2": 0.9}}},
    }
    runs = pw.read_runs(as_file(tmp_path, saved))
    assert runs.systems == ("org/e5",)
    assert pw.evaluate({"q1": {"d1": 1}}, runs, "RR")["RR"].means().tolist() == [0.5]
    with pytest.raises(InputError, match="default/test, de/test"):
        pw.read_runs(as_file(tmp_path, saved | {"de": saved["default"]}))


def test_a_log_of_longmemeval_holds_both(tmp_path: Path) -> None:
    """Judgments are the sessions that hold the answer, and the run is what was retrieved."""
    path = as_file(
        tmp_path,
        [
            {
                "question_id": "q1",
                "question": "when?",
                "haystack_session_ids": ["s1", "s2", "s3"],
                "answer_session_ids": ["s2"],
                "retrieval_results": {
                    "query": "when?",
                    "ranked_items": [{"corpus_id": s, "text": ""} for s in ("s3", "s2", "s1")],
                    "metrics": {"session": {"recall_any@1": 0.0}},
                },
            }
        ],
    )
    found = pw.evaluate(path, path, ["RR", "Success@1"])
    assert found["RR"].means().tolist() == [0.5]
    logged = json.loads(Path(path).read_text())["retrieval_results"]["metrics"]["session"]
    assert found["Success@1"].means().tolist() == [logged["recall_any@1"]]


def test_levels_of_ntcir_are_grades(tmp_path: Path) -> None:
    """L0 to Ln are the grades 0 to n, with or without TREC's second column; others are refused."""
    path = tmp_path / "ntcir.qrels"
    path.write_text("0001 EN-1 L0\n0001 EN-2 L3\n\n0002 EN-1 L1\n")
    assert [*pw.read_judgments(path)] == [
        ("0001", "EN-1", 0.0),
        ("0001", "EN-2", 3.0),
        ("0002", "EN-1", 1.0),
    ]
    path.write_text("0001 0 EN-1 L2\n")
    assert [*pw.read_judgments(path)] == [("0001", "EN-1", 2.0)]
    path.write_text("0001 EN-1 L2\n0001 EN-2 3\n")
    with pytest.raises(InputError, match=r"ntcir\.qrels:2: .*a level such as L2"):
        pw.read_judgments(path)
