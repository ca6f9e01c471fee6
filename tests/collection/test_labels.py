"""Labels by people and machines: read from every format, and never judgments by accident."""

import json
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.collection import Author, Labels, join_labels, read_labels, simulate_labels
from poolwise.collection.formats._document_files import documents_of
from poolwise.errors import InputError, OptionError


def write(folder: Path, name: str, text: str) -> Path:
    """Write a file and return where it is."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(*records: dict[str, object]) -> str:
    """Return records as JSONL."""
    return "".join(json.dumps(record) + "\n" for record in records)


def test_qrels_are_the_labels_of_one_author_named_as_the_file(tmp_path: Path) -> None:
    """A file that says nothing of its author is taken as a machine's, a negative grade as none."""
    labels = read_labels(write(tmp_path, "gpt4.qrels", "1 0 a 2\n1 0 b -1\n2 0 c 0\n"))
    assert labels.authors == (Author("gpt4", machine=True),)
    np.testing.assert_array_equal(labels.matrix(), [[2.0, np.nan, 0.0]])
    assert labels.failed == 1


def test_jsonl_keeps_who_gave_a_label_and_names_what_it_drops(tmp_path: Path) -> None:
    """Model, prompt and time are kept; a column that nothing is read from is named."""
    row = {"qid": "1", "docno": "a", "model": "m", "prompt_id": "p", "cost": 3, "label": 1}
    later = row | {"label": 2, "timestamp": "2025-02-01"}
    path = write(tmp_path, "x.jsonl", lines(later, row | {"timestamp": "2025-01-01"}))
    labels = read_labels(path)
    assert labels.authors == (Author("m/p", True, "m", "p"),)
    assert labels.matrix().tolist() == [[2.0]], "the latest label counts, wherever it stands"
    assert [str(n) for n in labels.notices] == ["columns that were not read (cost): 1"]


def test_failed_answers_are_missing_and_counted(tmp_path: Path) -> None:
    """A status of 0, an empty cell, a text and a grade off the scale are missing, never 0."""
    base = {"qid": "1", "model": "m", "result_status": 1}
    answers = [2, 0, None, "I cannot tell", 9]
    records = [base | {"docno": str(i), "judgment": a} for i, a in enumerate(answers)]
    records.append(base | {"docno": "5", "judgment": 0, "result_status": 0})
    labels = read_labels(write(tmp_path, "u.jsonl", lines(*records)), scale=[0, 1, 2, 3])
    np.testing.assert_array_equal(labels.matrix()[0], [2, 0, np.nan, np.nan, np.nan, np.nan])
    assert [str(n) for n in labels.notices] == [
        "labels off the scale, taken as missing: 1",
        "labels that failed, taken as missing: 4",
    ]


def test_probabilities_give_the_most_probable_grade(tmp_path: Path) -> None:
    """A list of probabilities is kept, and a list that does not sum to 1 is refused."""
    rows = lines(
        {"qid": "1", "docno": "a", "probabilities": [0.1, 0.2, 0.7]},
        {"qid": "1", "docno": "b", "probabilities": None},
    )
    labels = read_labels(write(tmp_path, "p.jsonl", rows))
    np.testing.assert_array_equal(labels.matrix(), [[2.0, np.nan]])
    assert labels.probabilities is not None
    assert labels.probabilities[0].tolist() == [0.1, 0.2, 0.7]
    wrong = write(tmp_path, "w.jsonl", lines({"qid": "1", "docno": "a", "probs": [0.5, 0.9]}))
    with pytest.raises(InputError, match=r"label 1: the probabilities .* sum to 1; got '0.5, 0.9'"):
        read_labels(wrong)


def test_csv_with_assessors_is_by_people(tmp_path: Path) -> None:
    """A table that names its assessors and no model is by people, one author each."""
    path = write(tmp_path, "c.csv", "topic,document,grade,assessor\n1,a,2,Ann\n1,a,1,Bob\n")
    labels = read_labels(path)
    assert labels.authors == (Author("Ann", machine=False), Author("Bob", machine=False))
    assert labels.judgments("highest").to_dict() == {"1": {"a": 2.0}}
    assert labels.judgments(by="Bob").to_dict() == {"1": {"a": 1.0}}
    with pytest.raises(InputError, match="authors gave it several; got '2, 1'"):
        labels.judgments()


@pytest.mark.parametrize(("kind", "machine"), [("LLM_JUDGMENT", True), ("IMPORT_JUDGMENT", True)])
def test_opensearch_ratings_are_labels(tmp_path: Path, kind: str, machine: bool) -> None:  # noqa: FBT001
    """Queries are topics by their text, or by their ids where a file of topics says these."""
    rated = [{"query": "red dress", "ratings": [{"docId": "d", "rating": "2.0"}]}]
    path = write(tmp_path, "o.json", json.dumps({"type": kind, "judgmentRatings": rated}))
    assert read_labels(path).topics == ("red dress",)
    assert read_labels(path, texts={"7": "red dress"}).topics == ("7",)
    assert read_labels(path).authors[0].machine is machine


def test_quepid_books_hold_several_authors(tmp_path: Path) -> None:
    """Each judge of a book is an author, and a judge without a name has that of the file."""
    judged = [{"rating": 2, "user_email": "ann@x"}, {"rating": 1}]
    book = {"query_doc_pairs": [{"query_text": "q", "doc_id": "d", "judgements": judged}]}
    labels = read_labels(write(tmp_path, "book.json", json.dumps(book)))
    assert labels.authors == (Author("ann@x", machine=False), Author("book", machine=True))


def test_labels_of_machines_are_no_judgments_without_trust() -> None:
    """What is made of trusted labels carries that they are a machine's."""
    labels = Labels.from_dict("gpt", {"1": {"a": 2, "b": 0}})
    with pytest.raises(OptionError, match="labels by machines are predictions, and no judgments"):
        labels.judgments()
    trusted = labels.judgments(trust=True)
    assert [str(n) for n in trusted.notices] == ["labels by machines (gpt) taken as judgments: 2"]
    scored = pw.evaluate(trusted, {"bm25": {"1": {"a": 1.0}}}, "P@1")
    assert "labels by machines (gpt) taken as judgments" in str(scored.provenance.notices)


def test_one_set_given_twice_is_refused() -> None:
    """A set that is there twice would agree with itself."""
    labels = Labels.from_dict("gpt", {"1": {"a": 2}})
    with pytest.raises(OptionError, match="hold labels by 'gpt' more than once"):
        join_labels([labels, labels])


def test_umbrela_is_read_through_texts(data_dir: Path, tmp_path: Path) -> None:
    """Labels with texts in the place of ids get their ids from files of topics and passages."""
    folder = data_dir / "trec-dl-2019"
    gpt4 = read_labels(folder / "machine-labels" / "gpt4-umbrela.gz")
    queries = dict(
        line.split("\t", 1) for line in (folder / "queries.tsv").read_text().splitlines()
    )
    texts = {
        document.id: document.shown for document in documents_of(str(folder / "passages.jsonl.gz"))
    }
    columns = gpt4.to_columns()
    rows = zip(columns["topic"], columns["document"], columns["grade"], strict=True)
    kept = [*rows][:300]
    records = [
        {
            "model": "gpt-4",
            "query": queries[t],
            "passage": texts[d],
            "prompt": f"{queries[t]} {texts[d]}",
            "prediction": f"##final score: {g:g}",
            "judgment": int(g),
            "result_status": 1,
        }
        for t, d, g in kept
    ]
    path = write(tmp_path, "umbrela.jsonl", lines(*records))
    by_text = {"texts": folder / "queries.tsv", "passages": folder / "passages.jsonl.gz"}
    labels = read_labels(path, **by_text)
    assert labels.names == ("gpt-4",)
    table = labels.to_columns()
    triples = {*zip(table["topic"], table["document"], table["grade"], strict=True)}
    # MS MARCO has some passages under several ids: each of them gets the label.
    assert triples >= set(kept)
    plain = {name: " ".join(text.split()) for name, text in texts.items()}
    assert {(t, plain[d], g) for t, d, g in triples} == {(t, plain[d], g) for t, d, g in kept}
    (again,) = [notice for notice in labels.notices if "given again" in str(notice)]
    assert again.count == len(labels) - len(kept)
    with pytest.raises(InputError, match="no topic ids, so that a file of topics is needed"):
        read_labels(path)


def test_copies_are_told_from_sets_that_agree() -> None:
    """The same hundreds of labels under two names are refused."""
    grades = {"1": {str(i): i % 3 for i in range(150)}}
    with pytest.raises(OptionError, match="a and b are the same 150 labels"):
        pw.agree({"a": grades, "b": grades})


def test_many_failed_labels_are_warned_of() -> None:
    """More than 5% that failed is too many to pass over, and is said."""
    people = {"1": {str(i): i % 3 for i in range(40)}}
    machine = {"1": {str(i): None if i < 4 else i % 3 for i in range(40)}}
    said = " ".join(pw.agree({"gpt": machine}, against=people).sentences())
    assert "gpt: 4 of 40 labels failed and are missing; more than 5% is too many" in said


@pytest.mark.parametrize(("failed", "many"), [(1, False), (5, False), (6, True), (50, True)])
def test_more_than_one_failure_in_twenty_is_too_many(failed: int, many: bool) -> None:  # noqa: FBT001 -- drawn
    """Fewer are named, and more are called too many to pass over."""
    truth = {str(t): {"a": 1, "b": 0} for t in range(50)}
    grades = [(str(t), d, g) for t in range(50) for d, g in truth[str(t)].items()]
    machine = Author("gpt", machine=True)
    rows = [
        (t, d, machine, float("nan") if i < failed else float(g))
        for i, (t, d, g) in enumerate(grades)
    ]
    agreement = pw.agree(Labels.from_rows(rows), against=truth)
    said = " ".join(agreement.sentences())
    assert f"{failed:,} of 100 labels failed" in said
    assert ("too many to pass over" in said) is many


def test_labels_are_a_frame_of_their_columns() -> None:
    """A frame has what the columns have, a row for each label."""
    labels = pw.read_judgments({"1": {"a": 1, "b": 0}})
    made = simulate_labels(labels, [[1, 0], [0, 1]], name="gpt", rng=1)
    frame = made.to_frame(backend="pandas")
    assert frame["document"].tolist() == made.to_columns()["document"]
