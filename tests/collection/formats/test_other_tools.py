"""Files that other tools write are read as judgments and runs without converting them first."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytrec_eval
from tests.each import over

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
ANSWERED = {
    "took": 3,
    "timed_out": False,
    "hits": {"total": {"value": 1}, "hits": [{"_id": "a", "_source": OPENSEARCH}]},
}
"""The same list as OpenSearch hands it out."""
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


@over(
    "content",
    [OPENSEARCH, ANSWERED, ELASTICSEARCH, QUEPID, RRE, DOCCANO],
    ids=["opensearch", "opensearch answer", "elasticsearch", "quepid", "rre", "doccano"],
)
def test_judgments_of_a_tool_are_read(content: Any, tmp_path: Path) -> None:
    """The grades are those in the file, and its topics are called as the tool calls them."""
    judgments = pw.read_judgments(as_file(tmp_path, content))
    grades: dict[str, dict[str, float]] = {}
    for topic, document, grade in judgments:
        grades.setdefault(topic, {})[document] = grade
    assert sorted(grades) == sorted(GRADES)
    assert grades["red dress"] == GRADES["red dress"]


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
    means = pw.evaluate(beir(tmp_path, "train", "test"), results, "nDCG@10")["nDCG@10"].means()
    expected = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 2, "test": 1}}, {"ndcg_cut_10"})
    assert means[0] == pytest.approx(expected.evaluate(results)["q1"]["ndcg_cut_10"], abs=1e-12)


def test_a_beir_folder_may_have_judgments_alone(tmp_path: Path) -> None:
    """Neither a corpus nor queries are needed to score, but files beside are no collection."""
    (tmp_path / "qrels").mkdir()
    for split in ("dev", "test"):
        lines = f"query-id\tcorpus-id\tscore\nq1\t{split}\t1\n"
        (tmp_path / "qrels" / f"{split}.tsv").write_text(lines)
    assert list(pw.read_judgments(tmp_path)) == [("q1", "test", 1.0)]
    (tmp_path / "other.qrels").write_text("q2 0 d 1\n")
    assert list(pw.read_judgments(tmp_path)) == [("q2", "d", 1.0)]


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
    evaluation = pw.evaluate({"q1": {"d1": 1}}, runs, ["RR", "nDCG@10"])
    assert evaluation["RR"].means().tolist() == [0.5]
    # What MTEB calls ndcg_at_10 is pytrec_eval's number.
    theirs = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1}}, {"ndcg_cut.10"})
    number = theirs.evaluate(saved["default"]["test"])["q1"]["ndcg_cut_10"]
    assert evaluation["nDCG@10"].means().tolist() == pytest.approx([number], abs=1e-12)
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
    evaluation = pw.evaluate(path, path, ["RR", "Success@1"])
    assert evaluation["RR"].means().tolist() == [0.5]
    logged = json.loads(Path(path).read_text())["retrieval_results"]["metrics"]["session"]
    assert evaluation["Success@1"].means().tolist() == [logged["recall_any@1"]]


def in_order(documents: Iterable[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return a run that lists these documents for the topic q."""
    return {"run": {"q": {document: -rank for rank, document in enumerate(documents)}}}


def rated(grades: Mapping[str, int]) -> dict[str, Any]:
    """Return ratings of the topic q as the tools keep them."""
    pairs = grades.items()
    return {
        "opensearch": {
            "judgmentRatings": [
                {"query": "q", "ratings": [{"docId": d, "rating": str(g)} for d, g in pairs]}
            ]
        },
        "elasticsearch": {
            "requests": [
                {
                    "id": "q",
                    "request": {"query": {"match": {"text": "q"}}},
                    "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in pairs],
                }
            ]
        },
        "quepid": {
            "query_doc_pairs": [
                {"query_text": "q", "doc_id": d, "judgements": [{"rating": g, "user_id": 1}]}
                for d, g in pairs
            ]
        },
        "rre": {
            "query_groups": [
                {
                    "name": "q",
                    "queries": [{"template": "q.json", "placeholders": {"$query": "q"}}],
                    "relevant_documents": {d: {"gain": g} for d, g in pairs},
                }
            ]
        },
    }


THIRDS = {f"d{i}": i % 3 for i in range(1, 21)}
SIX = dict(zip("012345", (3, 2, 3, 0, 1, 2), strict=True))
SEVEN = {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2, "g": 3}
TEN = {str(i): 3 for i in range(10)}
ELASTIC_NDCG = 13.84826362927298 / 14.595390756454922


class Printed(NamedTuple):
    """A tool, grades, a ranking, a measure, what the tool itself prints, and how far it rounds."""

    tool: str
    grades: Mapping[str, int]
    ranking: Iterable[str]
    measure: str
    number: float
    within: float


PRINTED = (
    # OpenSearch's Search Relevance plugin, its own tests of its calculator: two digits.
    Printed("opensearch", THIRDS, THIRDS, "P(rel=2)@5", 0.40, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "P(rel=2)@20", 0.35, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "AP(rel=2)@20", 0.39, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "R(rel=2)@5", 0.29, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "RR(rel=2)@20", 0.50, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "nDCG(dcg='exp-log2')@20", 0.76, 0.005),
    Printed("opensearch", THIRDS, THIRDS, "nDCG(dcg='exp-log2')@5", 0.51, 0.005),
    # Elasticsearch, its own tests of _rank_eval's dcg.
    Printed("elasticsearch", SIX, SIX, "DCG(dcg='exp-log2')@6", 13.84826362927298, 1e-12),
    Printed("elasticsearch", SIX, SIX, "nDCG(dcg='exp-log2')@6", ELASTIC_NDCG, 1e-12),
    # Quepid's scorer nDCG@10, run on these documents, of which x has no rating.
    Printed("quepid", SEVEN, "abcxef", "nDCG(dcg='exp-log2')@10", 0.7812708867825168, 1e-12),
    # RRE, its own tests: AP to four digits, nDCG cut off after two.
    Printed("rre", TEN, [*"vwxyz", *"01234", *"VWXYZ"], "AP", 0.1772, 0.00005),
    Printed("rre", TEN, [*"01234", *"vwxyzVWXYZ"], "nDCG(dcg='jk')@10", 0.675, 0.005),
    Printed("rre", TEN, [*"vwxyzVWXY", "9"], "nDCG(dcg='jk')@10", 0.055, 0.005),
)


@over("printed", PRINTED, ids=lambda case: f"{case.tool}-{case.measure}")
def test_the_number_is_what_the_tool_itself_prints(printed: Printed, tmp_path: Path) -> None:
    """Its ratings, read as they are, give its own number by the measure that it means."""
    path = as_file(tmp_path, rated(printed.grades)[printed.tool])
    means = pw.evaluate(path, in_order(printed.ranking), printed.measure)[printed.measure].means()
    assert means.tolist() == pytest.approx([printed.number], abs=printed.within)


def test_levels_of_ntcir_give_the_numbers_of_ntcireval(tmp_path: Path) -> None:
    """As pyNTCIREVAL 0.0.3 prints them, with gains 1:2:3; its MSnDCG is our nDCG."""
    path = tmp_path / "ntcir.qrels"
    path.write_text("q EN-1 L0\nq EN-2 L3\nq EN-3 L1\nq EN-4 L2\n")
    printed = {
        "AP": 0.7556,
        "Q": 0.6616,
        "nDCG@3": 0.5250,
        "nDCG(dcg='jk')@3": 0.5137,
        "nDCG@10": 0.6875,
        "nDCG(dcg='jk')@10": 0.6667,
        "P@3": 0.6667,
    }
    run = in_order(["EN-3", "EN-9", "EN-2", "EN-1", "EN-4"])
    evaluation = pw.evaluate(path, run, list(printed))
    assert {m: evaluation[m].means().round(4).tolist() for m in printed} == {
        m: [number] for m, number in printed.items()
    }


def test_a_log_of_longmemeval_gives_its_own_numbers(tmp_path: Path) -> None:
    """Its recall_any and ndcg_any, as its evaluation of sessions computes them."""
    ranked = [{"corpus_id": s, "text": ""} for s in ("s3", "s2", "s5", "s1", "s4")]
    entry = {
        "question_id": "q",
        "question": "when?",
        "haystack_session_ids": ["s1", "s2", "s3", "s4", "s5"],
        "answer_session_ids": ["s2", "s4", "s1"],
        "retrieval_results": {"query": "when?", "ranked_items": ranked},
    }
    path = as_file(tmp_path, [entry])
    printed = {
        "Success@1": 0.0,
        "Success@3": 1.0,
        "nDCG(dcg='jk')@5": 0.7338381252682711,
        "nDCG(dcg='jk')@3": 0.38009376671593426,
    }
    evaluation = pw.evaluate(path, path, list(printed))
    numbers = [evaluation[m].means().item() for m in printed]
    assert numbers == pytest.approx([*printed.values()], abs=1e-12)


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
