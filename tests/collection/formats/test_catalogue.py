"""Judgments pass through the formats of other tools, and lose what these cannot hold alone."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.each import over

import poolwise as pw
from poolwise.collection.formats._catalogue import FORMATS, recognised
from poolwise.collection.formats._ratings import Rating, Ratings
from poolwise.collection.formats._topic_files import read_topic_texts

every_format = pytest.mark.parametrize("name", FORMATS)
IDS = st.text(st.sampled_from("aB7é/:-_"), min_size=1, max_size=6)
TEXTS = st.text(st.sampled_from("ab7é \"',;{}\\"), min_size=1, max_size=8).map(
    lambda text: f"q{text.strip()}"
)


@st.composite
def ratings(draw: st.DrawFn, name: str) -> Ratings:
    """Return ratings that a format can hold."""
    form = FORMATS[name]
    low = -2 if form.negative else 0
    whole = st.integers(low, 5).map(float)
    grades = st.one_of(whole, st.sampled_from([0.5, 2.25])) if form.fractions else whole
    judges = st.sampled_from(["ann@x.org", "bob"]) if form.judges else st.just("")
    entries = draw(
        st.lists(
            st.tuples(TEXTS if form.by_text else IDS, IDS, grades, judges).map(
                lambda e: Rating(*e)
            ),
            min_size=1,
            unique_by=lambda e: (e.topic, e.document, e.judge),
        )
    )
    kind = draw(st.sampled_from(SAMPLES if form.sampling else ("",)))
    return Ratings(tuple(as_sampled(entry, kind, draw) for entry in entries))


SAMPLES = ("", "strata", "chances")
"""No sample, one from strata, and one with a probability of each document."""


def as_sampled(entry: Rating, kind: str, draw: st.DrawFn) -> Rating:
    """Return the same with what such a sample says of it; prels list judged documents alone."""
    stratum = draw(st.sampled_from(["1", "2", "top"])) if kind else ""
    if kind != "chances":
        return entry._replace(stratum=stratum)
    chance = draw(st.sampled_from([1.0, 0.25, 1 / 3, 1e-5]))
    return entry._replace(stratum=stratum, probability=chance, grade=abs(entry.grade))


@every_format
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_a_format_can_hold_comes_back(name: str, data: st.DataObject, tmp_path: Path) -> None:
    """Written and read again, ratings are the same, and the file is known for what it is."""
    before = data.draw(ratings(name))
    path = tmp_path / "file"
    path.write_bytes(FORMATS[name].write(before, "shop").encode())
    assert recognised(str(path)) == name
    after = FORMATS[name].read(str(path))
    assert sorted(after.entries) == sorted(before.entries)


@every_format
def test_qrels_go_through_every_format(name: str, tmp_path: Path) -> None:
    """TREC to another format and back is the same file, with the topics' texts on the way."""
    path, there, texts = tmp_path / "qrels", tmp_path / "there", tmp_path / "topics.tsv"
    path.write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n")
    texts.write_text("1\tred dress\n2\tblue shoes\n")
    made = pw.convert(path, name, texts=texts)
    assert (made.source, made.lost) == ("trec", ())
    assert ("red dress" in made.text) == (name not in {"trec", "csv", "jsonl"})
    there.write_text(made.text)
    back = pw.convert(there, "trec", texts=texts)
    assert back.text == path.read_text()


def converted(
    tmp_path: Path, text: str, target: str = "trec", **options: object
) -> tuple[str, str]:
    """Return what a file becomes, and what is said of it."""
    path = tmp_path / "given"
    path.write_text(text)
    made = pw.convert(path, target, **options)  # type: ignore[arg-type] # as given
    return made.text, " ".join(made.sentences())


# As the documentation of each tool shows it.
OPENSEARCH = """{"name": "Imported Judgments", "description": "Judgments generated outside SRW",
 "type": "IMPORT_JUDGMENT", "judgmentRatings": [{"query": "red dress", "ratings": [
 {"docId": "B077ZJXCTS", "rating": "3.000"}, {"docId": "B071S6LTJJ", "rating": 2}]},
 {"query": "blue jeans", "ratings": [{"docId": "B07L9V4Y98", "rating": "0.000"}]}]}"""
OPENSEARCH_OLD = """{"type": "IMPORT_JUDGMENT", "judgmentRatings": {"red dress": [
 {"docId": "B077ZJXCTS", "rating": "0.000"}]}}"""
ELASTICSEARCH = """{"requests": [
 {"id": "amsterdam_query", "request": {"query": {"match": {"text": {"query": "amsterdam"}}}},
  "ratings": [{"_index": "my-index-000001", "_id": "doc1", "rating": 0},
              {"_index": "my-index-000001", "_id": "doc2", "rating": 3}]},
 {"id": "berlin_query", "request": {"query": {"match": {"text": "berlin"}}},
  "ratings": [{"_index": "my-index-000001", "_id": "doc1", "rating": 1}]}]}"""
RRE = """{"index": "core1", "corpora_file": "docs.bulk", "id_field": "id", "topics": [
 {"description": "Fender basses", "query_groups": [
  {"name": "Brand search", "queries": [
    {"template": "only_q.json", "placeholders": {"$query": "fender"}},
    {"template": "only_q.json", "placeholders": {"$query": "fender Bass"}}],
   "relevant_documents": {"1": {"gain": 3}, "2": {"gain": 2}}},
  {"name": "Jazz", "queries": [{"placeholders": {"$query": "jazz bass"}}],
   "relevant_documents": {"3": ["5"], "2": ["6", "7"]}}]}]}"""
BOOK = """{"name": "Book of Ratings", "show_rank": false, "query_doc_pairs": [
 {"query_text": "milk", "doc_id": "1", "position": 0, "document_fields": "{}", "judgements": [
  {"rating": 2.0, "unrateable": false, "judge_later": false, "user_email": "a@x.org",
   "explanation": "It is milk."}, {"rating": 3.0, "unrateable": false, "user_email": "b@x.org"}]},
 {"query_text": "milk", "doc_id": "2", "position": 1, "document_fields": null, "judgements": [
  {"rating": null, "unrateable": true, "judge_later": false, "user_email": "a@x.org"}]},
 {"query_text": "milk", "doc_id": "3", "judgements": []}]}"""
DOCCANO = """{"id": 1, "text": "A red dress", "label": ["2"], "topic": "1", "doc_id": "a"}
{"id": 2, "text": "A sock", "label": ["0 not relevant"], "meta": {"topic": "1", "doc_id": "b"}}
{"id": 3, "text": "A hat", "label": [], "topic": "1", "doc_id": "c"}
"""


def test_opensearch_as_documented(tmp_path: Path) -> None:
    """Ratings as texts or numbers, in a list of queries or an object of them."""
    rows = "red dress,B077ZJXCTS,3\nred dress,B071S6LTJJ,2\nblue jeans,B07L9V4Y98,0\n"
    assert converted(tmp_path, OPENSEARCH, "quepid-csv")[0] == f"query,docid,rating\n{rows}"
    assert converted(tmp_path, OPENSEARCH_OLD, "csv")[0].endswith("red dress,B077ZJXCTS,0\n")


def test_elasticsearch_as_documented(tmp_path: Path) -> None:
    """The id of a request is the topic, and the text that it searches for that of the query."""
    text, said = converted(tmp_path, ELASTICSEARCH)
    assert text == "amsterdam_query 0 doc1 0\namsterdam_query 0 doc2 3\nberlin_query 0 doc1 1\n"
    assert "Not kept: requests, beyond the text that is searched for: 2" in said


def test_rre_as_documented(tmp_path: Path) -> None:
    """Queries of a group share its documents; gains stand by the document or before a list."""
    made, _ = converted(tmp_path, RRE, "jsonl")
    entries = [tuple(json.loads(line).values()) for line in made.splitlines()]
    assert entries == [
        ("fender", "1", 3), ("fender", "2", 2), ("fender Bass", "1", 3), ("fender Bass", "2", 2),
        ("Jazz", "5", 3), ("Jazz", "6", 2), ("Jazz", "7", 2),
    ]  # fmt: skip


def test_a_book_of_quepid_has_several_judges(tmp_path: Path) -> None:
    """Both grades are kept where the format has room, and one by a rule where it has not."""
    text, said = converted(tmp_path, BOOK, "csv")
    assert text == "topic,document,grade,judge\nmilk,1,2,a@x.org\nmilk,1,3,b@x.org\n"
    for lost in ("marked as unrateable: 1", "without any judgment: 1", "explanations of", "fields"):
        assert lost in said
    with pytest.raises(
        pw.InputError, match=r"assessors gave it several; got '2, 3'\. Hint: make one"
    ):
        converted(tmp_path, BOOK)
    text, said = converted(tmp_path, BOOK, conflicts="highest")
    assert text == "milk 0 1 3\n"
    assert "names of assessors: 2; further grades of a document, decided by highest: 1" in said


def test_doccano_labels_are_grades(tmp_path: Path) -> None:
    """A label is a grade or begins with one; records without a label are counted."""
    text, said = converted(tmp_path, DOCCANO)
    assert text == "1 0 a 2\n1 0 b 0\n"
    assert said.endswith("Not kept: records without a label: 1.")
    with pytest.raises(pw.InputError, match="given:1: a label must be a grade"):
        converted(tmp_path, DOCCANO.replace('"2"', '"good"'))


def test_quepid_writes_a_column_for_each_judge(tmp_path: Path) -> None:
    """The CSV of a book names its judges in the header; an empty cell is no rating."""
    text, said = converted(tmp_path, "query,docid,Ann,Bob\nmilk,1,2,3\nmilk,2,,0\n", "jsonl")
    assert [json.loads(line)["judge"] for line in text.splitlines()] == ["Ann", "Bob", "Bob"]
    assert "pairs without a rating: 1" in said


def test_queries_need_ids_to_be_qrels(tmp_path: Path) -> None:
    """A text with blanks is no topic of TREC's; the file of topics has its id."""
    with pytest.raises(pw.InputError, match="an id must have no white space"):
        converted(tmp_path, OPENSEARCH)
    with pytest.raises(pw.InputError, match="must be among the topics, and 1 of them are not"):
        converted(tmp_path, OPENSEARCH, texts={"1": "red dress"})
    text, _ = converted(tmp_path, OPENSEARCH, texts={"1": "red dress", "2": "blue jeans"})
    assert text.startswith("1 0 B071S6LTJJ 2\n1 0 B077ZJXCTS 3\n2 0 ")


FIVE = "1 0 a 1 2\n1 0 b 2 -1\n1 0 c 2 0\n"
PRELS = "1 a 2 1 1\n1 c 0 1 0.125\n"


@over("text", [FIVE, PRELS])
@over("name", [name for name, form in FORMATS.items() if form.sampling])
def test_sampled_qrels_keep_how_they_were_drawn(text: str, name: str, tmp_path: Path) -> None:
    """Five columns and prels go through every format that holds a sample, and come back."""
    there, said = converted(tmp_path, text, name)
    assert said.endswith("Nothing is lost.")
    assert converted(tmp_path, there)[0] == text
    assert "strata and probabilities" in converted(tmp_path, text, "rre")[1]


def test_a_sample_that_is_known_in_part_is_no_qrels(tmp_path: Path) -> None:
    """Where some documents alone have a stratum or a probability, the error names another."""
    header = "topic,document,grade,stratum,probability\n"
    with pytest.raises(pw.InputError, match=r"topic 1, document b: .* must have a stratum"):
        converted(tmp_path, f"{header}1,a,1,top,\n1,b,0,,\n")
    with pytest.raises(pw.InputError, match=r"topic 1, document a: .* must have a probability"):
        converted(tmp_path, f"{header}1,a,1,top,\n1,b,0,top,0.5\n")


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    """Documents that were pooled and not judged, strata, and fractions."""
    _, said = converted(tmp_path, "1 0 a 1\n1 0 b -1\n", "opensearch")
    assert said.endswith("Not kept: documents that were pooled and not judged: 1.")
    sampled = "topic,document,grade,stratum,probability\n1,a,1,top,0.5\n"
    assert "strata and probabilities: 1" in converted(tmp_path, sampled, "rre")[1]
    assert converted(tmp_path, sampled, "csv")[0] == sampled
    with pytest.raises(pw.InputError, match=r"elasticsearch holds whole grades alone; got '0\.5'"):
        converted(tmp_path, "1 0 a 0.5\n", "elasticsearch")


BAD = {
    "opensearch": ('{"judgmentRatings": [{"query": "q"}]}', "ratings must be there"),
    "elasticsearch": ('{"requests": {}}', "requests must be a list"),
    "rre": ('{"queries": [{}], "relevant_documents": {"a": {"gain": 1}}}', "the placeholder"),
    "quepid-book": ('{"query_doc_pairs": [{"judgements": [{"rating": 1}]}]}', "query_text or"),
    "quepid-csv": ("query,rating\nq,1\n", "must name query and docid"),
    "doccano": ('{"label": ["1"], "topic": "1"}', "a column for the document"),
    "csv": ("topic,document,grade\n1,a,high\n", "given:2: a grade must be a finite number"),
    "jsonl": ("[]", "every line must be a JSON object"),
    "trec": ("1 0 a x\n", "given:1: a score or grade must be a number"),
}  # fmt: skip


@every_format
def test_bad_files_are_named(name: str, tmp_path: Path) -> None:
    """An error names the file and what must be there."""
    text, message = BAD[name]
    with pytest.raises(pw.InputError, match=message):
        converted(tmp_path, text, source=name)


TOPIC_FILES = {
    "tabs": "1\tred dress\n2\tblue, shoes\n",
    "colons": "1:red dress\n2:blue, shoes\n",
    "csv": 'qid,query\n1,red dress\n2,"blue, shoes"\n',
    "no header": '1,red dress\n2,"blue, shoes"\n',
    "jsonl": '{"qid": "1", "query": "red dress"}\n{"qid": "2", "query": "blue, shoes"}\n',
    "array": '[{"query_id": 1, "text": "red dress"}, {"query_id": 2, "text": "blue, shoes"}]',
    "object": '{"1": "red dress", "2": "blue, shoes"}',
}


@over("kind", TOPIC_FILES)
def test_topics_of_every_make(kind: str, tmp_path: Path) -> None:
    """Ids and texts of queries are read however people keep them."""
    (tmp_path / "topics").write_text(TOPIC_FILES[kind])
    assert read_topic_texts(tmp_path / "topics") == {"1": "red dress", "2": "blue, shoes"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "a topic at least"), ("401\n", "topics:1: a line must"), ("1:a\n1:b\n", "stand once")],
)  # fmt: skip
def test_bad_topics_are_named(text: str, message: str, tmp_path: Path) -> None:
    """An error says what a file of topics must hold."""
    (tmp_path / "topics").write_text(text)
    with pytest.raises(pw.InputError, match=message):
        read_topic_texts(tmp_path / "topics")
