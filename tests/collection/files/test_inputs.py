"""What people bring in memory, made by the libraries they use, is read without a conversion."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.each import over

import poolwise as pw

GRADES = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
ENTRIES = [("1", "a", 2), ("1", "b", 0), ("2", "c", 1)]
SCORES = {"1": {"b": 3.0, "a": 1.5}, "2": {"c": 0.5}}
SCORED = [("1", "b", 3.0), ("1", "a", 1.5), ("2", "c", 0.5)]
RANKED = {"1": ["b", "a"], "2": ["c"]}


class Qrel(NamedTuple):
    """A judgment, with fields called as PyTerrier calls them."""

    qid: str
    docno: str
    label: int


def library(name: str) -> ModuleType:
    """Import a library, or skip: it need not be installed, and what it warns of is its own."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name, reason=f"{name} is not installed")
        return importlib.import_module(name)


def scored_frame(make: Callable[[Any], Any], **more: Any) -> Any:
    """Return the run as a frame of some make."""
    qid, docno, score = map(list, zip(*SCORED, strict=True))
    return make({"qid": qid, "docno": docno, "score": score} | more)


def lists(runs: pw.Runs, system: str) -> dict[str, list[str]]:
    """Return the rankings of a system."""
    return {topic: runs.ranking(system, topic) for topic in runs.topics}


def graded_columns() -> dict[str, list[Any]]:
    """Return the judgments as columns."""
    return dict(zip(("qid", "docno", "label"), map(list, zip(*ENTRIES, strict=True)), strict=True))


def hugging_face(columns: dict[str, list[Any]]) -> Any:
    """Return a dataset of Hugging Face."""
    return library("datasets").Dataset.from_dict(columns)


def ranx_run(name: str | None = None) -> Any:
    """Return a Run of ranx."""
    return library("ranx").Run(SCORES, name=name)


def scored_docs() -> Iterator[Any]:
    """Yield the records that ir_measures reads from a run file."""
    module = library("ir_measures")
    return (module.ScoredDoc(*entry) for entry in SCORED)


JUDGMENTS: dict[str, Callable[[], Any]] = {
    "tuples": lambda: ENTRIES,
    "an iterator of tuples": lambda: iter(ENTRIES),
    "tuples as TREC orders them": lambda: [(q, "0", d, g) for q, d, g in ENTRIES],
    "named tuples": lambda: [Qrel(*entry) for entry in ENTRIES],
    "dicts": lambda: [{"query_id": q, "doc_id": d, "relevance": g} for q, d, g in ENTRIES],
    "records of ir_measures": lambda: (library("ir_measures").Qrel(*e) for e in ENTRIES),
    "Qrels of ranx": lambda: library("ranx").Qrels(GRADES),
    "a lazy frame": lambda: pl.LazyFrame(ENTRIES, schema=["qid", "docno", "label"], orient="row"),
    "a dataset of Hugging Face": lambda: hugging_face(
        dict(zip(("query-id", "corpus-id", "score"), map(list, zip(*ENTRIES, strict=True)),
                 strict=True))
    ),
    "the only split of a dataset": lambda: library("datasets").DatasetDict(
        test=hugging_face({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": [2, 0, 1]})
    ),
    "a stream of Hugging Face": lambda: hugging_face(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": [2, 0, 1]}
    ).to_iterable_dataset(),
    "pairs by topic": lambda: {"1": [("a", 2), ("b", 0)], "2": [("c", 1)]},
    "a dict of columns": graded_columns,
    "an array of records": lambda: pd.DataFrame(graded_columns()).to_records(index=False),
    "an array of objects": lambda: pd.DataFrame(graded_columns()).to_numpy(),
    "a batch of Arrow": lambda: pa.record_batch(graded_columns()),
    "a stream of Arrow": lambda: pa.table(graded_columns()).to_reader(),
    "ids in the index": lambda: pd.DataFrame(graded_columns()).set_index("qid", drop=False),
    "a series": lambda: pd.DataFrame(graded_columns()).set_index(["qid", "docno"])["label"],
    "rows of pandas": lambda: pd.DataFrame(graded_columns()).itertuples(),
    "ids that are numbers": lambda: pd.DataFrame(graded_columns()).astype({"qid": int}),
    "another name of the grade": lambda: pl.DataFrame(graded_columns()).rename({"label": "rating"}),
}  # fmt: skip

RUNS: dict[str, Callable[[], Any]] = {
    "tuples": lambda: SCORED,
    "an iterator of tuples": lambda: iter(SCORED),
    "lines of TREC": lambda: [(q, "Q0", d, 1, s, "run") for q, d, s in SCORED],
    "records of ir_measures": scored_docs,
    "a Run of ranx": ranx_run,
    "a lazy frame": lambda: scored_frame(pl.LazyFrame),
    "a dataset of Hugging Face": lambda: scored_frame(hugging_face),
    "lists by topic": lambda: RANKED,
    "tuples by topic": lambda: {q: tuple(ids) for q, ids in RANKED.items()},
    "arrays by topic": lambda: {q: np.array(ids) for q, ids in RANKED.items()},
    "pairs by topic": lambda: {q: [*documents.items()] for q, documents in SCORES.items()},
    "hits by topic": lambda: {
        q: [{"doc_id": d, "score": s} for d, s in documents.items()]
        for q, documents in SCORES.items()
    },
    "a dict of columns": lambda: scored_frame(dict),
    "an array of records": lambda: scored_frame(pd.DataFrame).to_records(index=False),
    "an array of objects": lambda: scored_frame(pd.DataFrame).to_numpy(),
    "a batch of Arrow": lambda: scored_frame(pa.record_batch),
    "a stream of Arrow": lambda: scored_frame(pa.table).to_reader(),
    "ids in the index": lambda: scored_frame(pd.DataFrame).set_index(["qid", "docno"]),
    "a series": lambda: scored_frame(pd.DataFrame).set_index(["qid", "docno"])["score"],
    "hits of a search engine": lambda: {
        q: [{"_id": d, "_score": s} for d, s in documents.items()]
        for q, documents in SCORES.items()
    },
    "topic, document, rank and score": lambda: [
        ("1", "b", 1, 3.0),
        ("1", "a", 2, 1.5),
        ("2", "c", 1, 0.5),
    ],
    "ranks that count from 0": lambda: pd.DataFrame(
        {"q_id": ["1", "1", "2"], "did": ["b", "a", "c"], "rank": [0, 1, 0]}
    ),
    "a frame with small differences in its names": lambda: scored_frame(pd.DataFrame).rename(
        columns={"qid": "Query_ID"}
    ),
}


@pytest.mark.parametrize("make", JUDGMENTS.values(), ids=JUDGMENTS)
def test_judgments_of_every_make_are_the_same(make: Callable[[], Any]) -> None:
    """Whatever holds them, judgments are the same topics, documents and grades."""
    assert pw.read_judgments(make()).to_dict() == GRADES


@over("make", RUNS.values(), ids=RUNS)
def test_runs_of_every_make_are_the_same(make: Callable[[], Any]) -> None:
    """Whatever holds it, a run has the same lists, and a run without a name is called run."""
    runs = pw.read_runs(make())
    assert runs.systems == ("run",)
    assert lists(runs, "run") == RANKED
    assert lists(pw.Reading().runs(make()), "run") == RANKED


@over("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, hugging_face])
def test_a_dict_of_frames_names_its_runs(make: Callable[[Any], Any]) -> None:
    """What PyTerrier users hold: a frame for each system, by name."""
    runs = pw.read_runs({"bm25": scored_frame(make), "dense": scored_frame(make)})
    assert runs.systems == ("bm25", "dense")
    assert lists(runs, "dense") == RANKED


def test_a_list_of_frames_is_numbered() -> None:
    """Frames without a name are runs all the same."""
    frames = [scored_frame(pd.DataFrame), scored_frame(pl.DataFrame)]
    assert pw.read_runs(frames).systems == ("run1", "run2")
    assert pw.evaluate(GRADES, frames, "P@1").scores[0].systems == ("run1", "run2")


def test_a_frame_may_name_its_runs_by_name() -> None:
    """PyTerrier calls the column of systems ``name``."""
    frame = scored_frame(pd.DataFrame, name=["bm25", "dense", "bm25"])
    assert pw.read_runs(frame).systems == ("bm25", "dense")


def test_a_dict_may_mix_kinds(tmp_path: Path) -> None:
    """A file, a frame, an object and a dict side by side, each called by its key."""
    path = tmp_path / "old.run"
    path.write_text("1 Q0 b 1 2 tag\n1 Q0 a 2 1 tag\n2 Q0 c 1 1 tag\n")
    sources = {
        "file": path,
        "frame": scored_frame(pd.DataFrame),
        "records": SCORED,
        "dict": SCORES,
        "lists": RANKED,
    }
    runs = pw.read_runs(sources)
    assert runs.systems == tuple(sources)
    assert all(lists(runs, system) == RANKED for system in runs.systems)


def test_a_run_of_ranx_keeps_its_name() -> None:
    """Two Runs in a list are called as they call themselves."""
    assert pw.read_runs([ranx_run("bm25"), ranx_run("dense")]).systems == ("bm25", "dense")


def test_paths_may_come_one_by_one(tmp_path: Path) -> None:
    """What ``Path.glob`` yields is a list of files."""
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 a 1 2 {name}\n")
    assert sorted(pw.read_runs(tmp_path.glob("*.run")).systems) == ["x", "y"]


@pytest.mark.parametrize("relevant", [["a", "c"], {"a", "c"}, ("a", "c")])
def test_relevant_documents_alone_are_judgments(relevant: Any) -> None:
    """RAG pipelines list what should be found, in a list or a set: all of it has grade 1."""
    assert pw.read_judgments({"who?": relevant}).to_dict() == {"who?": {"a": 1.0, "c": 1.0}}


def test_one_relevant_document_needs_no_list() -> None:
    """A question with one answer maps to the id of it."""
    assert pw.read_judgments({"who?": "a"}).to_dict() == {"who?": {"a": 1.0}}


def test_a_set_of_retrieved_documents_is_tied_and_counted() -> None:
    """A set has no order, so that its documents tie, which a notice says."""
    runs = pw.read_runs({"rag": {"1": {"a", "b"}, "2": {"c"}}})
    assert runs.tied.sum() == 1
    assert [str(n) for n in runs.notices] == [
        "sets of documents without an order, all of them tied: 2"
    ]
    assert pw.evaluate(GRADES, {"rag": {"1": {"a", "b"}}}, "SetR").scores[0].value[0, 0] == 1


def test_a_repeated_chunk_is_a_duplicate() -> None:
    """A document that a list of ids holds twice meets the policy for duplicates."""
    with pytest.raises(pw.InputError, match="a document may occur once in a topic"):
        pw.read_runs({"rag": {"1": ["a", "b", "a"]}})
    runs = pw.read_runs({"rag": {"1": ["a", "b", "a"]}}, duplicates="first")
    assert runs.ranking("rag", "1") == ["a", "b"]


def test_several_splits_are_not_one_table() -> None:
    """Which of several tables holds the judgments is not guessed."""
    table = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    with pytest.raises(pw.InputError, match="read from one table; got 'train, test'"):
        pw.read_judgments({"train": table, "test": table})


def test_frames_in_the_wrong_place_are_told() -> None:
    """A frame with grades is no run, and one with ranks and no grades no judgments."""
    with pytest.raises(pw.InputError, match="they look like judgments"):
        pw.read_runs(pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}))
    with pytest.raises(pw.InputError, match="they look like a run"):
        pw.read_judgments(scored_frame(pd.DataFrame, rank=[1, 2, 1]))


RUNS_FIRST: dict[str, Callable[[], Any]] = {
    "frames by name": lambda: {"bm25": scored_frame(pd.DataFrame), "x": scored_frame(pl.DataFrame)},
    "files": lambda: ["bm25.run", "dense.run"],
    "Runs of ranx": lambda: [ranx_run("bm25"), ranx_run("dense")],
    "rankings by name": lambda: {"bm25": SCORES, "dense": SCORES},
    "what was read": lambda: pw.read_runs({"bm25": SCORES}),
}


@over("make", RUNS_FIRST.values(), ids=RUNS_FIRST)
def test_swapped_arguments_are_told(make: Callable[[], Any]) -> None:
    """Runs in the place of judgments: the error is a sentence or two, and says which goes first."""
    with pytest.raises(pw.PoolwiseError, match="pass the judgments first") as raised:
        pw.compare(make(), GRADES, "nDCG@10")
    assert len(str(raised.value)) < 400


SWAPPED: dict[str, Callable[[Any], Any]] = {
    "dicts": lambda scores: scores,
    "tuples": lambda scores: [(q, d, n) for q, graded in scores.items() for d, n in graded.items()],
    "frames of BEIR": lambda scores: pd.DataFrame(
        [(q, d, n) for q, graded in scores.items() for d, n in graded.items()],
        columns=["query-id", "corpus-id", "score"],
    ),
    "objects of ranx": lambda scores: library("ranx").Run(
        {q: {d: float(n) for d, n in graded.items()} for q, graded in scores.items()}
    ),
}
GRADED = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}, "2": {"a": 2, "c": 1, "e": 0, "f": 0}}
FRACTIONS = {"1": {"b": 3.25, "a": 1.5, "x": 0.5}, "2": {"c": 0.75, "x": 0.25}}


@over("make", SWAPPED.values(), ids=SWAPPED)
@over("call", [pw.compare, pw.evaluate, pw.audit, pw.next, pw.report])
def test_swapped_numbers_are_told(
    make: Callable[[Any], Any], call: Callable[[Any, Any], Any]
) -> None:
    """Where no name tells grades from scores, grades like scores and scores like grades do."""
    with pytest.raises(pw.InputError, match=r"look like a run.*pass the judgments first"):
        call(make(FRACTIONS), make(GRADED))
    pw.evaluate(make(GRADED), make(FRACTIONS))


def test_fractions_as_grades_and_tied_runs_are_believed_of_what_was_read() -> None:
    """A model may grade by fractions, and a run may be tied: who reads both, means both."""
    qrels, runs = pw.read_judgments(FRACTIONS), pw.read_runs(GRADED)
    assert len(pw.evaluate(qrels, runs, "DCG@3").scores) == 1
    assert len(pw.evaluate(FRACTIONS, {q: set(d) for q, d in GRADED.items()}, "DCG@3").scores) == 1
    pw.evaluate(FRACTIONS, RANKED, "DCG@3")


def test_nothing_is_no_run() -> None:
    """An iterator that was used up is an error, and an empty run among others is named."""
    with pytest.raises(pw.OptionError, match="there must be one at least"):
        pw.read_runs(iter(()))
    with pytest.raises(pw.InputError, match="system dense must have at least one entry"):
        pw.read_runs({"bm25": SCORES, "dense": {}})
    with pytest.raises(pw.InputError, match="system dense must have at least one entry"):
        pw.read_runs({"bm25": SCORES, "dense": scored_frame(pd.DataFrame).iloc[:0]})
    with pytest.raises(pw.OptionError, match="source: None cannot be read"):
        pw.read_judgments(None)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """An open file, and a frame with a name twice, are errors in a sentence."""
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n")
    with (tmp_path / "x.run").open() as file, pytest.raises(pw.OptionError, match="pass the path"):
        pw.read_runs(file)
    frame = scored_frame(pd.DataFrame)
    with pytest.raises(pw.InputError, match="must have different names"):
        pw.read_runs(pd.concat([frame, frame[["score"]]], axis=1))


def test_a_column_that_is_missing_is_described() -> None:
    """The names that it may have are listed, and ranks may take the place of scores."""
    frame = pd.DataFrame({"qid": ["1"], "docno": ["a"]})
    with pytest.raises(pw.InputError, match=r"call it score, .* or sim; or give the ranks"):
        pw.read_runs(frame)


def test_datasets_of_ir_datasets_are_read_by_id(tmp_path: Path) -> None:
    """``irds:`` and an id reads judgments and scored documents that ir_datasets has."""
    module = library("ir_datasets")
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n")
    run = tmp_path / "run"
    run.write_text("1 Q0 b 1 3 x\n1 Q0 a 2 1.5 x\n2 Q0 c 1 .5 x\n")
    made = module.datasets.base.Dataset(
        module.formats.TrecQrels(module.util.LocalDownload(qrels), {}),
        module.formats.TrecScoredDocs(module.util.LocalDownload(run)),
    )
    if "poolwise-test" not in module.registry:
        module.registry.register("poolwise-test", made)
    assert pw.read_judgments(made).to_dict() == GRADES
    assert pw.read_judgments("irds:poolwise-test").to_dict() == GRADES
    assert lists(pw.read_runs("irds:poolwise-test"), "run") == RANKED
    evaluation = pw.evaluate("irds:poolwise-test", "irds:poolwise-test", "P@1")
    assert evaluation.scores[0].value.tolist() == [[0.0, 1.0]]


def test_measures_of_ir_measures_are_understood() -> None:
    """A measure object of ir_measures means what its name means."""
    module = library("ir_measures")
    evaluation = pw.evaluate(GRADES, SCORES, [module.nDCG @ 10, module.P(rel=2) @ 5, module.AP])
    assert list(evaluation) == ["nDCG@10", "P(rel=2)@5", "AP"]
    assert evaluation[module.P(rel=2) @ 5].measure == pw.P(rel=2) @ 5
    assert pw.compare(GRADES, {"x": SCORES, "y": RANKED}, module.AP).parts[0].measure == pw.AP


def test_every_name_of_ir_measures_is_known() -> None:
    """Each measure that ir_measures has is one here: none is missing, and none is a typo."""
    names = set(map(str, library("ir_measures.measures").registry.values()))
    elsewhere = {"SetP(relative=True)"}  # ours is called SetRelP, and the error says so
    assert len(names) > 35
    for name in names - elsewhere:
        assert str(pw.parse_measure(name, complete=False)).startswith(name.partition("(")[0])


def test_grades_like_scores_do_not_read_a_trec_run_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judgments by fractions and a TREC run are in order, which its first line tells."""
    (tmp_path / "qrels").write_text("1 0 a 0.61\n1 0 b 0.42\n2 0 a 0.13\n2 0 c 0.77\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 1 x\n1 Q0 b 2 1 x\n2 Q0 c 1 1 x\n2 Q0 a 2 1 x\n")
    monkeypatch.setattr(pw.Reading, "runs", None)
    evaluation = pw.evaluate(tmp_path / "qrels", [tmp_path / "x.run"], "nDCG@10")
    assert evaluation.scores[0].systems == ("x",)
