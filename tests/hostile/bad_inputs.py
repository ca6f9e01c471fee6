"""Bad files for readers beside those of runs and judgments: labels, ledgers, records, settings.

Each is a kind, the file that it takes the place of, and its bytes. A forger knows how to make a
seal, so changed records are sealed anew where their reader asks for one.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.cli.writers import _card

from poolwise.results._records import digest
from poolwise.store._journal_file import _canonical, _line
from poolwise.store._ledger_records import _sealed

__all__ = ["BAD_INPUTS", "GOOD", "ROLES", "BadInput", "Role"]


class Role(NamedTuple):
    """What a file is given as: its name, and the command that reads it."""

    file: str
    words: tuple[str, ...]


class BadInput(NamedTuple):
    """One kind of bad input, and what it takes the place of: a key of ``ROLES``."""

    kind: str
    role: str
    raw: bytes


Said = Iterator[BadInput]
BOTH = ("qrels.txt", "runs")
VERSION = "ledger/tiny/2eda7550b202/version.json"
RESULT = "ledger/tiny/2eda7550b202/runs/dense.json"
ROLES: dict[str, Role] = {
    **{
        f"labels.{ending}": Role(
            f"labels.{ending}", ("agree", f"labels.{ending}", "--against", "qrels.txt")
        )
        for ending in ("jsonl", "csv", "json", "parquet", "qrels")
    },
    "umbrela": Role(
        "umbrela.jsonl",
        (
            "agree",
            "umbrela.jsonl",
            "--against",
            "qrels.txt",
            "--topic-texts",
            "topics.tsv",
            "--passages",
            "passages.tsv",
        ),
    ),
    "topic texts": Role(
        "topics.tsv",
        (
            "agree",
            "umbrela.jsonl",
            "--against",
            "qrels.txt",
            "--topic-texts",
            "topics.tsv",
            "--passages",
            "passages.tsv",
        ),
    ),
    "passages": Role(
        "passages.tsv",
        (
            "agree",
            "umbrela.jsonl",
            "--against",
            "qrels.txt",
            "--topic-texts",
            "topics.tsv",
            "--passages",
            "passages.tsv",
        ),
    ),
    "version": Role(VERSION, ("ledger", "rank", "ledger")),
    "result": Role(RESULT, ("ledger", "rank", "ledger")),
    "means": Role(
        "means.csv", ("ledger", "add", "new", "--means", "means.csv", "--collection", "tiny")
    ),
    "metadata": Role(
        "metadata.csv",
        (
            "ledger",
            "add",
            "new",
            "qrels.txt",
            "runs",
            "--metadata",
            "metadata.csv",
            "--collection",
            "tiny",
            "--missing",
            "zero",
        ),
    ),
    "frozen": Role(
        "base.frozen", ("gate", "qrels.txt", "copy.run", "--baseline", "base.frozen", "-m", "P@2")
    ),
    "factors": Role(
        "factors.tsv", ("standardize", "qrels.txt", "runs", "-m", "P@2", "--factors", "factors.tsv")
    ),
    "settings": Role(
        "poolwise.toml", ("gate", "qrels.txt", "copy.run", "--baseline", "runs/bm25.run")
    ),
    "sample": Role("sample.qrels", ("evaluate", "sample.qrels", "runs", "-m", "infAP")),
    "prels": Role("sample.prels", ("evaluate", "sample.prels", "runs", "-m", "statAP")),
    "groups": Role(
        "groups.txt",
        (
            "study",
            "leave-out",
            "qrels.txt",
            "runs",
            "--groups",
            "groups.txt",
            "-m",
            "P@2",
            "--depth",
            "2",
        ),
    ),
    "dates": Role("dates.txt", ("study", "time", "runs", "--dates", "dates.txt")),
    "variants": Role(
        "variants.txt",
        ("study", "variants", "--scores", "scores.csv", "--variants", "variants.txt"),
    ),
    **{
        f"exchanged by {form}": Role(
            file, ("convert", file, "--from", form, "--to", "trec", "-o", "out.qrels")
        )
        for form, file in (
            ("quepid-csv", "ratings.csv"),
            ("quepid-book", "book.json"),
            ("opensearch", "opensearch.json"),
            ("elasticsearch", "elasticsearch.json"),
            ("rre", "rre.json"),
            ("doccano", "doccano.jsonl"),
        )
    },
    "queries": Role("queries", ("show", *BOTH, "--topic", "1", "--queries", "queries")),
    "column of queries": Role(
        "queries",
        ("evaluate", *BOTH, "-m", "P@2", "--by", "language", "--queries", "queries"),
    ),
    "texts of documents": Role("texts", ("show", *BOTH, "--topic", "1", "--documents", "texts")),
    "hashes": Role(
        "hashes.tsv", ("audit", *BOTH, "--documents", "corpus.tsv", "--hashes", "hashes.tsv")
    ),
    "measurements": Role("costs.csv", ("evaluate", *BOTH, "-m", "P@2", "--beside", "costs.csv")),
    "measurements of pairs": Role(
        "costs.csv", ("compare", *BOTH, "-m", "P@2", "--beside", "costs.csv")
    ),
    "queries of rules": Role("queries", ("audit", *BOTH, "--rules", "--queries", "queries")),
    "documents of rules": Role("texts", ("audit", *BOTH, "--rules", "--documents", "texts")),
    "documents that were hashed": Role(
        "texts", ("audit", *BOTH, "--documents", "texts", "--save-hashes", "kept.tsv")
    ),
    "slices": Role("slices", ("evaluate", *BOTH, "-m", "P@2", "--by", "slices")),
    "clusters": Role("clusters", ("compare", *BOTH, "-m", "P@2", "--cluster", "clusters")),
    "no answer": Role("nothing", ("evaluate", *BOTH, "-m", "P@2", "--empty", "nothing")),
    "no results": Role(
        "nothing",
        (
            *("gate", "qrels.txt", "copy.run", "--baseline", "runs/bm25.run", "-m", "P@2"),
            *("--no-results", "nothing"),
        ),
    ),
    "card": Role("tiny.card", ("card", "show", "tiny.card")),
    "journal": Role("mine.journal", ("journal", "show", "mine.journal")),
    "settings of a campaign": Role("campaign/campaign.toml", ("campaign", "status", "campaign")),
    "topics of a campaign": Role(
        "campaign/topics.jsonl", ("campaign", "next", "campaign", "--budget", "2")
    ),
    "journal of a campaign": Role("campaign/campaign.sqlite", ("campaign", "status", "campaign")),
    "run of a campaign": Role("campaign/runs/bm25", ("campaign", "status", "campaign")),
    "sheet": Role("sheet.tsv", ("campaign", "import", "campaign", "sheet.tsv", "--assessor", "A")),
    "list of each topic": Role(
        "lists.jsonl", ("evaluate", "qrels.txt", "lists.jsonl", "-m", "P@2")
    ),
    "documents": Role(
        "documents.jsonl",
        (
            "report",
            "qrels.txt",
            "runs",
            "-m",
            "P@2",
            "--documents",
            "documents.jsonl",
            "-o",
            "page.html",
        ),
    ),
}

GOOD: dict[str, bytes] = {
    "umbrela.jsonl": b'{"query": "one", "passage": "first", "judgment": 2, "model": "m"}\n',
    "topics.tsv": b"1\tone\n2\ttwo\n",
    "passages.tsv": b"a\tfirst\nc\tsecond\n",
}
"""What stands beside a bad file, for the commands that read several."""

RECORD = {"qid": "1", "docno": "a", "judgment": 2, "model": "m"}


def _lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _of_jsonl_labels() -> Said:
    """Yield labels in JSONL that say nothing, too much, or something else."""
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    for kind, raw in (
        ("empty", b""),
        ("blank lines", b"\n\n \n"),
        ("a BOM alone", b"\xef\xbb\xbf"),
        ("UTF-16", _lines(RECORD).decode().encode("utf-16")),
        ("NUL", b"\0" * 40),
        ("half a line", _lines(RECORD, RECORD)[:-20]),
        ("a list in a line", _lines(["1", "a", 2])),
        ("a number in a line", _lines(5)),
        ("null in a line", _lines(RECORD, None)),
        ("two objects in a line", _lines(RECORD).strip() * 2 + b"\n"),
        ("a name twice", b'{"qid": "1", "docno": "a", "judgment": 1, "judgment": 2}\n'),
        ("no topic", _lines({"docno": "a", "judgment": 2})),
        ("no document", _lines({"qid": "1", "judgment": 2})),
        ("no grade", _lines({"qid": "1", "docno": "a"})),
        ("a topic of a list", _lines(RECORD | {"qid": ["1"]})),
        ("a topic of an object", _lines(RECORD | {"qid": {"id": 1}})),
        ("a topic of null", _lines(RECORD | {"qid": None})),
        ("a topic of half a number", _lines(RECORD | {"qid": 1.5})),
        ("a topic of a truth", _lines(RECORD | {"qid": True})),
        ("an empty topic", _lines(RECORD | {"qid": ""})),
        ("an empty document", _lines(RECORD | {"docno": ""})),
        ("a document of null", _lines(RECORD | {"docno": None})),
        ("a document of a list", _lines(RECORD | {"docno": [1]})),
        (
            "half a surrogate in a document",
            b'{"qid": "1", "docno": "\\ud800", "judgment": 1}\n',
        ),
        ("5,000 digits", b'{"qid": "1", "docno": "a", "judgment": ' + b"9" * 5000 + b"}\n"),
        ("brackets without end", b'{"qid": ' + b"[" * 100_000),
        ("a nested grade", _lines(RECORD | {"judgment": deep})),
        (
            "probabilities of a word",
            _lines({"qid": "1", "docno": "a", "probabilities": "high"}),
        ),
        ("probabilities of a number", _lines({"qid": "1", "docno": "a", "probabilities": 5})),
        (
            "probabilities of an object",
            _lines({"qid": "1", "docno": "a", "probabilities": {"0": 1}}),
        ),
        (
            "probabilities of lists",
            _lines({"qid": "1", "docno": "a", "probabilities": [[1], [0]]}),
        ),
        (
            "probabilities of words",
            _lines({"qid": "1", "docno": "a", "probabilities": ["a", "b"]}),
        ),
        (
            "probabilities of truths",
            _lines({"qid": "1", "docno": "a", "probabilities": [True, False]}),
        ),
        (
            "negative probabilities",
            _lines({"qid": "1", "docno": "a", "probabilities": [1.5, -0.5]}),
        ),
        (
            "probabilities that do not sum to 1",
            _lines({"qid": "1", "docno": "a", "probabilities": [0.5, 0.4]}),
        ),
        (
            "infinite probabilities",
            b'{"qid": "1", "docno": "a", "probabilities": [Infinity, 0]}\n',
        ),
        ("probabilities of NaN", b'{"qid": "1", "docno": "a", "probabilities": [NaN, 1]}\n'),
        ("empty probabilities", _lines({"qid": "1", "docno": "a", "probabilities": []})),
        ("no label of a judged document", _lines(RECORD | {"qid": "99"})),
        ("only failed labels", _lines(RECORD | {"judgment": "?"})),
        ("a line of 17 MB", b'{"qid": "' + b"1" * (17 << 20)),
    ):
        yield BadInput(f"labels in JSONL: {kind}", "labels.jsonl", raw)


def _of_other_labels() -> Said:
    """Yield labels in CSV, JSON of other tools, Parquet and qrels."""
    head = b"qid,docno,grade,judge\n"
    for kind, raw in (
        ("empty", b""),
        ("a header alone", head),
        ("a row too short", head + b"1,a,2\n"),
        ("a row too long", head + b"1,a,2,Ann,x\n"),
        ("a column twice", b"qid,docno,grade,grade\n1,a,2,1\n"),
        ("a quote that does not end", head + b'1,"a,2,Ann\n'),
        ("no topics", b"docno,grade\na,2\n"),
        ("an empty topic", head + b",a,2,Ann\n"),
        ("NUL", head + b"1,a\0,2,Ann\n"),
        ("Quepid without ratings", b"query,docid\none,a\n"),
    ):
        yield BadInput(f"labels in CSV: {kind}", "labels.csv", raw)
    ratings = {"judgmentRatings": [{"query": "1", "ratings": [{"docId": "a", "rating": "2"}]}]}
    for kind, root in (
        ("no ratings", {"judgmentRatings": []}),
        ("ratings of a number", {"judgmentRatings": 5}),
        ("ratings of a text", {"judgmentRatings": "all"}),
        ("a query of a list", {"judgmentRatings": [{"query": ["1"], "ratings": []}]}),
        ("a query without ratings", {"judgmentRatings": [{"query": "1"}]}),
        ("ratings of null", {"judgmentRatings": [{"query": "1", "ratings": None}]}),
        ("a rating of a list", {"judgmentRatings": [{"query": "1", "ratings": [[1]]}]}),
        (
            "a rating of a word",
            {"judgmentRatings": [{"query": "1", "ratings": [{"docId": "a", "rating": "good"}]}]},
        ),
        (
            "an infinite rating",
            {"judgmentRatings": [{"query": "1", "ratings": [{"docId": "a", "rating": "inf"}]}]},
        ),
        (
            "a rating without a document",
            {"judgmentRatings": [{"query": "1", "ratings": [{"rating": "1"}]}]},
        ),
        (
            "a document of a number",
            {"judgmentRatings": [{"query": "1", "ratings": [{"docId": 1.5, "rating": "1"}]}]},
        ),
        ("a hit list", {"hits": {"hits": []}}),
        ("ratings in a list", [ratings]),
        ("a text", "labels"),
    ):
        raw = json.dumps(root).encode()
        yield BadInput(f"labels of OpenSearch: {kind}", "labels.json", raw)
    for kind, raw in (
        ("no Parquet", b"PAR1"),
        ("text", b"1 0 a 2\n"),
        ("nothing", b""),
    ):
        yield BadInput(f"labels in Parquet: {kind}", "labels.parquet", raw)
    for kind, raw in (
        ("three fields and a word", b"1 a high\n"),
        ("a grade of a word", b"1 0 a high\n"),
        ("a grade of infinity", b"1 0 a inf\n"),
        ("a document twice", b"1 0 a 1\n1 0 a 2\n"),
        ("gzip under another name", b"\x1f\x8b\x08\0torn"),
    ):
        yield BadInput(f"labels in qrels: {kind}", "labels.qrels", raw)


def _of_texts() -> Said:
    """Yield umbrela's labels and the texts that stand for their ids."""
    good = json.loads(GOOD["umbrela.jsonl"])
    for kind, raw in (
        ("a query that no topic has", _lines(good | {"query": "three"})),
        ("a passage that no document has", _lines(good | {"passage": "third"})),
        ("a query of null", _lines(good | {"query": None})),
        ("a passage of a list", _lines(good | {"passage": ["first"]})),
        ("no passage", _lines({k: v for k, v in good.items() if k != "passage"})),
    ):
        yield BadInput(f"umbrela: {kind}", "umbrela", raw)
    for kind, raw in (
        ("empty", b""),
        ("one column", b"1\n2\n"),
        ("one text for two topics", b"1\tone\n2\tone\n"),
        ("NUL", b"1\tone\0\n"),
        ("UTF-16", "1\tone\n".encode("utf-16")),
    ):
        yield BadInput(f"topic texts: {kind}", "topic texts", raw)
        if kind != "one text for two topics":  # collections hold some texts more than once
            yield BadInput(f"passages: {kind}", "passages", raw.replace(b"one", b"first"))


def _changed(record: Mapping[str, Any], path: tuple[Any, ...], value: Any) -> bytes:
    """Return a record with one value changed, or taken away, and a new seal."""
    content = json.loads(json.dumps(record))
    place = content
    for step in path[:-1]:
        place = place[step]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    content.pop("sha256", None)
    return _sealed(content)


GONE = object()
HASH = "0" * 64
VERSION_RECORD = {
    "schema": 1,
    "kind": "scored",
    "collection": "tiny",
    "version": "2eda7550b202",
    "content": "2eda7550b20261301c58a2d5271a008a845363759da9d98b6109bbe251af30f7",
    "file": {"path": "../qrels.txt", "sha256": HASH},
    "added": {"by": "x", "date": "2026-11-18", "poolwise": "0.2.0"},
    "topics": ["1", "2", "3"],
    "ties": "trec_eval",
    "grades": [0.0, 1.0, 2.0],
    "judged": {"0": [1, 1, 1], "1": [1, 1, 0], "2": [1, 0, 0]},
    "before": "",
}
RESULT_RECORD = {
    "schema": 1,
    "kind": "scored",
    "collection": "tiny",
    "version": "2eda7550b202",
    "run": "dense",
    "file": {"path": "../dense.run", "sha256": HASH},
    "added": {"by": "x", "date": "2026-11-18", "poolwise": "0.2.0"},
    "depth": 2,
    "missing": ["3"],
    "means": {},
    "metadata": {"original": True, "year": 2026},
    "scores": {
        "P@2": {
            "version": "P(rel=1,cutoff=2)",
            "value": [0.5, 0.0, 0.0],
            "lower": [0.5, 0.0, 0.0],
            "upper": [1.0, 0.0, 0.0],
        }
    },
}


def _of_ledgers() -> Said:
    """Yield files of a ledger that are torn, of another shape, or lie with a seal of their own."""
    good = {"version": _sealed(VERSION_RECORD), "result": _sealed(RESULT_RECORD)}
    for role, raw in good.items():
        for kind, bad in (
            ("empty", b""),
            ("torn", raw[:-20]),
            ("no JSON", b"ledger"),
            ("a list", b"[]"),
            ("null", b"null"),
            ("NUL", b"\0" + raw),
            ("UTF-16", raw.decode().encode("utf-16")),
            ("a byte order mark", b"\xef\xbb\xbf" + raw),
            ("brackets without end", b"[" * 100_000),
            ("a number changed under its seal", raw.replace(b"0.0", b"0.25", 1)),
            ("without a seal", raw.rpartition(b",\n")[0] + b"\n}\n"),
            ("two records", raw + raw),
            ("a member twice", raw.replace(b'"schema": 1', b'"schema": 1,\n"schema": 1', 1)),
        ):
            yield BadInput(f"{role} of a ledger: {kind}", role, bad)
    for kind, path, value in (
        ("a later schema", ("schema",), 99),
        ("no schema", ("schema",), GONE),
        ("a schema of a text", ("schema",), "1"),
        ("an unknown kind", ("kind",), "dreamt"),
        ("another collection", ("collection",), "other"),
        ("another version", ("version",), "0" * 12),
        ("topics of numbers", ("topics",), [1, 2, 3]),
        ("a topic too many", ("topics",), ["1", "2", "3", "4"]),
        ("a topic too few", ("topics",), ["1", "2"]),
        ("no topics", ("topics",), []),
        ("a topic twice", ("topics",), ["1", "2", "2"]),
        ("unknown ties", ("ties",), "by hand"),
        ("a grade of a text", ("grades",), ["0"]),
        ("a count below 0", ("judged", "0"), [-1, 1, 1]),
        ("a date that is none", ("added", "date"), "yesterday"),
        ("a hash that is none", ("file", "sha256"), "xyz"),
        ("nobody who added it", ("added",), {}),
        ("a member that is not known", ("extra",), 1),
    ):
        yield BadInput(
            f"version of a ledger: {kind}", "version", _changed(VERSION_RECORD, path, value)
        )
    scores = ("scores", "P@2")
    for kind, path, value in (
        ("another run", ("run",), "bm25"),
        ("a run that climbs out", ("run",), "../../x"),
        ("a measure of another version", (*scores, "version"), "P(rel=2,cutoff=2)"),
        ("a score too many", (*scores, "value"), [0.5, 0.0, 0.0, 0.0]),
        ("a score too few", (*scores, "value"), [0.5]),
        ("no scores", (*scores, "value"), []),
        ("a score of a text", (*scores, "value"), ["0.5", 0.0, 0.0]),
        ("a score of a truth", (*scores, "value"), [True, 0.0, 0.0]),
        ("a score of NaN", (*scores, "value"), [float("nan"), 0.0, 0.0]),
        ("an infinite score", (*scores, "value"), [float("inf"), 0.0, 0.0]),
        ("a score of 400 digits", (*scores, "value"), [10**400, 0.0, 0.0]),
        ("a score out of its range", (*scores, "value"), [0.5, 0.5, 0.0]),
        ("a range the wrong way round", (*scores, "lower"), [1.0, 1.0, 1.0]),
        ("a range too short", (*scores, "upper"), [1.0]),
        ("half a range", (*scores, "upper"), GONE),
        ("scores of a list", ("scores",), [1]),
        ("a depth below 0", ("depth",), -1),
        ("missing topics of numbers", ("missing",), [3]),
        ("a year of a text", ("metadata", "year"), "2026"),
        ("metadata of an object", ("metadata", "note"), {"a": 1}),
        ("means of texts", ("means",), {"P@2": ["0.5"]}),
        ("a retraction without a reason", ("retracted",), {"by": "x", "date": "2026-11-18"}),
        ("an unknown kind", ("kind",), "dreamt"),
    ):
        yield BadInput(
            f"result of a ledger: {kind}", "result", _changed(RESULT_RECORD, path, value)
        )


def _of_tables_for_ledgers() -> Said:
    """Yield published means and metadata."""
    for kind, raw in (
        ("empty", b""),
        ("a header alone", b"run,measure,mean\n"),
        ("no means", b"run,measure\nx,AP\n"),
        ("a mean of a word", b"run,measure,mean\nx,AP,high\n"),
        ("an infinite mean", b"run,measure,mean\nx,AP,inf\n"),
        ("a mean of NaN", b"run,measure,mean\nx,AP,nan\n"),
        ("an empty run", b"run,measure,mean\n,AP,0.3\n"),
        ("a row too short", b"run,measure,mean\nx,AP\n"),
        ("a column twice", b"run,measure,mean,mean\nx,AP,0.3,0.4\n"),
        ("a year of a word", b"run,measure,mean,year\nx,AP,0.3,soon\n"),
        ("NUL", b"run,measure,mean\nx\0,AP,0.3\n"),
        ("underscores", b"run,measure,mean\nx,AP,0_1\n"),
    ):
        yield BadInput(f"means: {kind}", "means", raw)
    for kind, raw in (
        ("empty", b""),
        ("no run", b"year\n2026\n"),
        ("a year of a word", b"run,year\nbm25,soon\n"),
        ("a year of half a number", b"run,year\nbm25,2026.5\n"),
        ("a run twice", b"run,year\nbm25,2025\nbm25,2026\n"),
        ("a row too long", b"run,year\nbm25,2026,x\n"),
    ):
        yield BadInput(f"metadata: {kind}", "metadata", raw)


FROZEN_RUN = (
    b"1 Q0 a 1 2 bm25\n1 Q0 x 2 1 bm25\n2 Q0 d 1 2 bm25\n2 Q0 a 2 1 bm25\n3 Q0 e 1 1 bm25\n"
)
FROZEN = {
    "poolwise": "0.2.0",
    "run": {"name": "bm25", "path": "runs/bm25.run", "sha256": HASH},
    "judgments": {"path": "qrels.txt", "sha256": HASH},
    "depth": 2,
    "options": {"measures": ["P@2"], "ties": "trec_eval", "universe": "runs"},
    "sha256": "07876b4a5704eea15b9e48e8d283a9efb3085621081f21d972f574c43349b460",
}


def _frozen(content: Any, run: bytes = FROZEN_RUN) -> bytes:
    return b"# poolwise baseline: " + json.dumps(content).encode() + b"\n" + run


def _of_frozen_baselines() -> Said:
    """Yield frozen baselines whose record, or whose run, is not what it was."""
    for kind, raw in (
        ("a line changed", _frozen(FROZEN, FROZEN_RUN.replace(b"1 Q0 a 1 2", b"1 Q0 a 1 9"))),
        ("a line less", _frozen(FROZEN, FROZEN_RUN[16:])),
        ("no run", _frozen(FROZEN, b"")),
        ("a record of null", _frozen(None)),
        ("a record of a list", _frozen([FROZEN])),
        ("a record of a text", _frozen("bm25")),
        ("half a record", b'# poolwise baseline: {"poolwise": \n' + FROZEN_RUN),
        ("a record of brackets", b"# poolwise baseline: " + b"[" * 100_000 + b"\n" + FROZEN_RUN),
        ("no hash", _frozen({k: v for k, v in FROZEN.items() if k != "sha256"})),
        ("a hash of a number", _frozen(FROZEN | {"sha256": 5})),
        ("no depth", _frozen({k: v for k, v in FROZEN.items() if k != "depth"})),
        ("a depth of a text", _frozen(FROZEN | {"depth": "two"})),
        ("a depth below 0", _frozen(FROZEN | {"depth": -1})),
        ("no run's name", _frozen(FROZEN | {"run": {}})),
        ("a run of a text", _frozen(FROZEN | {"run": "bm25"})),
        ("options of a list", _frozen(FROZEN | {"options": []})),
        ("measures of a number", _frozen(FROZEN | {"options": {"measures": 5}})),
        ("unknown ties", _frozen(FROZEN | {"options": FROZEN["options"] | {"ties": "odd"}})),  # type: ignore[operator]
        ("judgments of null", _frozen(FROZEN | {"judgments": None})),
        ("NUL in the record", b"# poolwise baseline: {\0}\n" + FROZEN_RUN),
        (
            "a record of 5,000 digits",
            b'# poolwise baseline: {"depth": ' + b"9" * 5000 + b"}\n" + FROZEN_RUN,
        ),
    ):
        yield BadInput(f"frozen baseline: {kind}", "frozen", raw)


def _of_factors() -> Said:
    """Yield factors of standardization that cannot be used."""
    head = (
        b"# poolwise standardization factors\n# measure: P@2\n"
        b"# references: 2\n# ddof: 0\n# smoothing: none\n"
    )
    rows = b"topic\tmean\tdeviation\n1\t0.5\t0.1\n2\t0.25\t0.25\n3\t0.1\t0.2\n"
    for kind, raw in (
        ("empty", b""),
        ("comments alone", head),
        ("a header alone", head + b"topic\tmean\tdeviation\n"),
        ("another measure", head.replace(b"P@2", b"AP") + rows),
        ("a measure that is none", head.replace(b"P@2", b"Nope") + rows),
        ("no topic in common", head + b"topic\tmean\tdeviation\n9\t0.5\t0.1\n"),
        ("a topic twice", head + rows + b"1\t0.4\t0.1\n"),
        ("a mean of a word", head + rows.replace(b"0.25\t", b"high\t")),
        ("an infinite mean", head + rows.replace(b"0.25\t", b"inf\t")),
        ("a mean of NaN", head + rows.replace(b"0.25\t", b"nan\t")),
        ("a deviation below 0", head + rows.replace(b"\t0.1\n", b"\t-0.1\n")),
        ("an infinite deviation", head + rows.replace(b"\t0.1\n", b"\tinf\n")),
        ("a row too short", head + rows + b"4\t0.5\n"),
        ("a row too long", head + rows + b"4\t0.5\t0.1\t9\n"),
        ("references of a word", head.replace(b"references: 2", b"references: many") + rows),
        ("a ddof of a word", head.replace(b"ddof: 0", b"ddof: none") + rows),
        ("an unknown smoothing", head.replace(b"smoothing: none", b"smoothing: odd") + rows),
        ("commas", head + rows.replace(b"\t", b",")),
        ("NUL", head + rows + b"4\t0.5\t0.1\0\n"),
        ("UTF-16", (head + rows).decode().encode("utf-16")),
        ("an empty topic", head + rows + b"\t0.5\t0.1\n"),
    ):
        yield BadInput(f"factors: {kind}", "factors", raw)


def _of_settings() -> Said:
    """Yield settings of a gate that are no TOML, or ask for what a folder may not decide."""
    for kind, raw in (
        ("no TOML", b"[gate"),
        ("a text", b"gate"),
        ("NUL", b"[gate]\nmargin = 0.1\0\n"),
        ("Latin-1", b"[gate]\nmeasure = 'P@2' # \xf6\n"),
        ("UTF-16", "[gate]\n".encode("utf-16")),
        ("a key twice", b"[gate]\nmargin = 0.1\nmargin = 0.2\n"),
        ("an option that is none", b"[gate]\nmargn = 0.1\n"),
        ("a margin of a word", b"[gate]\nmargin = 'small'\n"),
        ("a margin below 0", b"[gate]\nmargin = -1.0\n"),
        ("a margin of NaN", b"[gate]\nmargin = nan\n"),
        ("an infinite margin", b"[gate]\nmargin = inf\n"),
        ("a margin of a date", b"[gate]\nmargin = 2026-11-18\n"),
        ("a margin of a table", b"[gate.margin]\na = 1\n"),
        ("a level of 2", b"[gate]\nalpha = 2\n"),
        ("a measure that is none", b"[gate]\nmeasure = 'Nope'\n"),
        ("a measure of a number", b"[gate]\nmeasure = 5\n"),
        ("measures with a number", b"[gate]\nmeasure = ['P@2', 5]\n"),
        ("a file to write", b"[gate]\noutput = 'qrels.txt'\n"),
        ("a file for JUnit", b"[gate]\njunit = 'qrels.txt'\n"),
        ("force", b"[gate]\nforce = true\n"),
        ("a file for the record", b"[gate]\nprovenance = 'qrels.txt'\n"),
        ("a freezer", b"[gate]\nfreeze = 'qrels.txt'\n"),
        ("its own settings", b"[gate]\nconfig = 'poolwise.toml'\n"),
        ("help", b"[gate]\nhelp = true\n"),
        ("gates in a list", b"[[gate]]\nmargin = 0.1\n"),
        ("a gate of a number", b"gate = 5\n"),
        ("a gate of tools of a number", b"[tool.poolwise]\ngate = 5\n"),
        ("a set of labels without labels", b"[gate]\nby = 'gpt'\n"),
        ("texts without labels", b"[gate]\ntopic-texts = '/etc/passwd'\n"),
        ("a random sample without labels", b"[gate]\nassume-random = true\n"),
        ("looks without an anchor", b"[gate]\nlooks = 3\n"),
        ("quiet", b"[gate]\nquiet = true\n"),
        ("an option above the table", b"margin = 0.5\n[gate]\nalpha = 0.1\n"),
        ("another table", b"[gate]\nalpha = 0.1\n[gates]\nmargin = 0.5\n"),
        ("another table of tools", b"[tool.poolwise.gates]\nmargin = 0.5\n"),
        ("a table of a command without settings", b"[evaluate]\nmeasure = 'P@2'\n"),
        ("a truth of a word", b"[gate]\nverbose = 'x'\n"),
        ("a judged share of 2", b"[gate]\nmin-judged = 2\n"),
        ("a loss of a word", b"[gate]\nmax-topic-loss = 'all'\n"),
        ("5,000 digits", b"[gate]\nmargin = " + b"9" * 5000 + b"\n"),
        ("brackets without end", b"gate = " + b"[" * 5000 + b"\n"),
    ):
        yield BadInput(f"settings: {kind}", "settings", raw)


def _of_samples() -> Said:
    """Yield sampled judgments that are no sample."""
    for kind, raw in (
        ("a grade of a word", b"1 0 a 1 high\n"),
        ("a grade of NaN", b"1 0 a 1 nan\n"),
        ("a document twice", b"1 0 a 1 1\n1 0 a 2 0\n"),
        ("four and five columns", b"1 0 a 1 1\n1 0 b 1\n"),
        ("six columns", b"1 0 a 1 1 1\n"),
        ("NUL", b"1 0 a 1 1\0\n"),
    ):
        yield BadInput(f"sample: {kind}", "sample", raw)
    for kind, raw in (
        ("a chance of 0", b"1 a 1 0 0.0\n"),
        ("a chance above 1", b"1 a 1 0 1.5\n"),
        ("a chance below 0", b"1 a 1 0 -0.5\n"),
        ("a chance of NaN", b"1 a 1 0 nan\n"),
        ("a chance of a word", b"1 a 1 0 some\n"),
        ("a document twice", b"1 a 1 0 0.5\n1 a 1 0 0.5\n"),
        ("a row too short", b"1 a 1 0 0.5\n1 b 1 0\n"),
    ):
        yield BadInput(f"prels: {kind}", "prels", raw)


def _of_names() -> Said:
    """Yield files that say something of runs and topics by name."""
    for kind, raw in (
        ("a run without a group", b"bm25 x\n"),
        ("three fields", b"bm25 x y z\ndense y\n"),
        ("NUL", b"bm25 x\0\ndense y\n"),
        ("UTF-16", "bm25 x\ndense y\n".encode("utf-16")),
        ("JSON", b'{"bm25": "x"}\n'),
        ("a line of 17 MB", b"bm25 " + b"x" * (17 << 20)),
    ):
        yield BadInput(f"groups: {kind}", "groups", raw)
    for kind, raw in (
        ("empty", b""),
        ("a day that is none", b"bm25 mine 2008-13-05\ndense mine 2008-12-06\n"),
        ("a day of a word", b"bm25 mine soon\ndense mine later\n"),
        ("two fields", b"bm25 2008-12-05\n"),
        ("a run that is not there", b"nobody mine 2008-12-05\n"),
        ("a run twice", b"bm25 mine 2008-12-05\nbm25 mine 2008-12-06\n"),
        ("NUL", b"bm25 mine 2008-12-05\0\n"),
    ):
        yield BadInput(f"dates: {kind}", "dates", raw)
    for kind, raw in (
        ("empty", b""),
        ("two fields", b"1 x\n2 x\n"),
        ("a topic that is not there", b"9 x short\n"),
        ("a topic twice", b"1 x short\n1 y long\n2 x long\n"),
        ("two topics of one wording", b"1 x short\n2 x short\n3 y short\n4 y long\n"),
        ("one wording of each", b"1 x short\n2 y long\n"),
        ("NUL", b"1 x short\0\n"),
    ):
        yield BadInput(f"variants: {kind}", "variants", raw)
    for kind, raw in (
        ("half a line", b'{"id": "a", "text": "x'),
        ("a list in a line", b'["a", "x"]\n'),
        ("no text", b'{"id": "a"}\n'),
        ("no id", b'{"text": "x"}\n'),
        ("NUL", b'{"id": "a", "text": "x"}\0\n'),
        ("UTF-16", '{"id": "a", "text": "x"}\n'.encode("utf-16")),
        ("brackets without end", b"[" * 100_000),
    ):
        yield BadInput(f"documents: {kind}", "documents", raw)


def _of_exchanged() -> Said:
    """Yield judgments as other tools have them, with something else in a place of theirs."""
    places: dict[str, tuple[Any, tuple[tuple[Any, ...], ...]]] = {
        "quepid-book": (
            {
                "query_doc_pairs": [
                    {"query_text": "q", "doc_id": "a", "judgements": [{"rating": 1}]},
                ]
            },
            (
                ("query_doc_pairs",),
                ("query_doc_pairs", 0),
                ("query_doc_pairs", 0, "judgements"),
                ("query_doc_pairs", 0, "judgements", 0),
                ("query_doc_pairs", 0, "judgements", 0, "rating"),
            ),
        ),
        "opensearch": (
            {"judgmentRatings": [{"query": "1", "ratings": [{"docId": "a", "rating": "2"}]}]},
            (
                ("judgmentRatings", 0),
                ("judgmentRatings", 0, "ratings", 0),
                ("judgmentRatings", 0, "ratings", 0, "docId"),
                ("judgmentRatings", 0, "ratings", 0, "rating"),
            ),
        ),
        "elasticsearch": (
            {"requests": [{"id": "1", "request": {}, "ratings": [{"_id": "a", "rating": 1}]}]},
            (
                ("requests",),
                ("requests", 0),
                ("requests", 0, "ratings"),
                ("requests", 0, "ratings", 0),
                ("requests", 0, "ratings", 0, "_id"),
                ("requests", 0, "ratings", 0, "rating"),
            ),
        ),
        "rre": (
            {
                "topics": [
                    {
                        "query_groups": [
                            {
                                "queries": [{"placeholders": {"$query": "x"}}],
                                "relevant_documents": {"1": ["a"]},
                            }
                        ]
                    }
                ]
            },
            (
                ("topics",),
                ("topics", 0),
                ("topics", 0, "query_groups"),
                ("topics", 0, "query_groups", 0, "queries"),
                ("topics", 0, "query_groups", 0, "queries", 0),
                ("topics", 0, "query_groups", 0, "relevant_documents"),
                ("topics", 0, "query_groups", 0, "relevant_documents", "1"),
                ("topics", 0, "query_groups", 0, "relevant_documents", "1", 0),
            ),
        ),
    }
    odd = {"a number": 5, "a text": "x\ud800", "400 digits": 10**400, "a list of a list": [[1]]}
    for form, (root, ways) in places.items():
        for way in ways:
            for kind, value in odd.items():
                content = json.loads(json.dumps(root))
                place = content
                for step in way[:-1]:
                    place = place[step]
                place[way[-1]] = value
                where = ".".join(map(str, way))
                # A document may be called by a whole number, however long, and a grade is one.
                may_be = ("docId", "_id", "relevant_documents.1.0", "rating")
                of_grade = where.endswith("rating") and value == odd["400 digits"]
                if of_grade or not (isinstance(value, int) and where.endswith(may_be)):
                    raw = json.dumps(content).encode()
                    yield BadInput(f"{form}: {where} is {kind}", f"exchanged by {form}", raw)
    for form in ("quepid-book", "opensearch", "elasticsearch", "rre"):
        for kind, raw in (
            ("brackets without end", b"[" * 100_000),
            ("objects without end", b'{"a":' * 100_000),
            ("5,000 digits", b'{"requests": ' + b"9" * 5000 + b"}"),
            ("NUL", b"\0{}"),
            ("UTF-16", "{}".encode("utf-16")),
            ("a list", b"[]"),
            ("two roots", b"{}{}"),
            ("a name twice", b'{"topics": [], "topics": []}'),
        ):
            yield BadInput(f"{form}: {kind}", f"exchanged by {form}", raw)
    for kind, raw in (
        ("UTF-16", "query,docid,rating\nq,d,1\n".encode("utf-16")),
        ("NUL", b"query,docid,rating\nq,d\0,1\n"),
        ("a rating of a word", b"query,docid,rating\nq,d,good\n"),
        ("an infinite rating", b"query,docid,rating\nq,d,inf\n"),
        ("a column twice", b"query,docid,rating,rating\nq,d,1,0\n"),
        ("a quote that does not end", b'query,docid,rating\nq,"d,1\n'),
    ):
        yield BadInput(f"quepid-csv: {kind}", "exchanged by quepid-csv", raw)
    for kind, raw in (
        ("a list in a line", b"[1]\n"),
        ("no document", b'{"text": "x", "label": ["2"], "qid": "1"}\n'),
        ("brackets without end", b"[" * 100_000),
        ("a label of a word", b'{"text": "x", "label": ["good"], "qid": "1", "docno": "a"}\n'),
    ):
        yield BadInput(f"doccano: {kind}", "exchanged by doccano", raw)


def _of_measurements() -> Said:
    """Yield latency and costs of runs that are none, too large, or of other runs."""
    for kind, raw in (
        ("empty", b""),
        ("a header alone", b"run,ms\n"),
        ("no numbers", b"run,ms\nbm25,fast\ndense,slow\n"),
        ("a run that was not measured", b"run,ms\nbm25,1\n"),
        ("an empty cell", b"run,ms\nbm25,\ndense,2\n"),
        ("NaN", b"run,ms\nbm25,nan\ndense,2\n"),
        ("infinity", b"run,ms\nbm25,inf\ndense,2\n"),
        ("400 digits", b"run,ms\nbm25," + b"9" * 400 + b"\ndense,2\n"),
        ("squares beyond floats", b"run,topic,ms\nbm25,1,1e308\ndense,1,-1e308\n"),
        ("hexadecimal digits", b"run,ms\nbm25,0x10\ndense,2\n"),
        ("underscores", b"run,ms\nbm25,1_000\ndense,2\n"),
        ("digits of another script", "run,ms\nbm25,\u0661\ndense,2\n".encode()),
        ("a comma for a point", b"run;ms\nbm25;1,5\ndense;2\n"),
        ("a truth", b'{"run": "bm25", "ms": true}\n{"run": "dense", "ms": 2}\n'),
        ("a list", b'{"run": "bm25", "ms": [1]}\n{"run": "dense", "ms": 2}\n'),
        ("another column for each run", b'{"run": "bm25", "ms": 1}\n{"run": "dense", "cost": 2}\n'),
        ("topics of one run alone", b"run,topic,ms\nbm25,,1\ndense,2,2\n"),
        ("no topic in common", b"run,topic,ms\nbm25,1,1\ndense,2,2\n"),
        ("NUL", b"run,ms\nbm25\0,1\ndense,2\n"),
        ("UTF-16", "run,ms\nbm25,1\ndense,2\n".encode("utf-16")),
        ("brackets without end", b"[" * 100_000),
        ("judgments", b"1 0 a 1\n1 0 b 0\n"),
    ):
        for role in ("measurements", "measurements of pairs"):
            yield BadInput(f"{role}: {kind}", role, raw)


def _of_two_answers() -> Said:
    """Yield texts, hashes and slices that say two things of one id, or are of other ids."""
    for kind, raw in (
        ("topics of another collection", b"91\tone\n92\ttwo\n"),
        ("a topic twice", b"1\tone\n1\ttwo\n"),
        ("two objects of one topic", b'{"id": "1", "query": "a"}\n{"id": "1", "query": "b"}\n'),
        ("a comma that is not in quotes", b"qid,query\n1,red, blue\n2,green\n"),
    ):
        yield BadInput(f"queries of rules: {kind}", "queries of rules", raw)
    for kind, raw in (
        ("documents of another collection", b"zz\tone\n"),
        ("two texts of a document", b"a\tone\na\ttwo\nc\tthree\n"),
    ):
        yield BadInput(f"documents of rules: {kind}", "documents of rules", raw)
    yield BadInput(
        "documents that were hashed: two texts of a document",
        "documents that were hashed",
        b"a\tone\na\ttwo\nc\tthree\n",
    )
    for kind, raw in (
        ("a topic in two languages", b"qid\tlanguage\n1\ten\n1\tfr\n2\ten\n"),
        ("a comma that is not in quotes", b"qid,query,language\n1,red, blue,en\n2,green,de\n"),
        ("a cell too few", b"qid,query,language\n1,red\n2,green,de\n"),
        ("topics of another collection", b"qid\tlanguage\n91\ten\n92\tfr\n"),
    ):
        yield BadInput(f"column of queries: {kind}", "column of queries", raw)
    for kind, raw in (
        ("two hashes of a document", b"a\t" + b"0" * 64 + b"\na\t" + b"1" * 64 + b"\n"),
        ("documents of another collection", b"zz\t" + b"0" * 64 + b"\n"),
    ):
        yield BadInput(f"hashes: {kind}", "hashes", raw)
    for role in ("slices", "clusters"):
        yield BadInput(f"{role}: topics of another collection", role, b"91 a\n92 b\n")


def _of_texts_beside() -> Said:
    """Yield queries, texts of documents and their hashes, slices, clusters and lists of topics."""
    for kind, raw in (
        ("empty", b""),
        ("NUL", b"1\tone\0\n"),
        ("UTF-16", "1\tone\n".encode("utf-16")),
        ("an empty array", b"[]"),
        ("null in an array", b"[null]"),
        ("a number in an array", b"[1, 2]"),
        ("brackets without end", b"[" * 100_000),
        ("objects without end", b'{"a":' * 100_000),
        ("an object that is none", b'{"1": null}'),
        ("half a surrogate", b'{"id": "1", "text": "\\ud800"}\n{"id": "2", "text": "b"}\n'),
        (
            "half a surrogate in an id",
            b'{"id": "\\udfff", "text": "a"}\n{"id": "2", "text": "b"}\n',
        ),
        ("a topic twice", b"1\tone\n1\ttwo\n"),
        ("a topic of TREC without a number", b"<top>\n<title> q\n</top>\n"),
        ("a topic of TREC without a title", b"<top>\n<num> Number: 1\n</top>\n"),
        ("a column alone", b"1\n2\n"),
        ("a compressed file that is cut", b"\x1f\x8b\x08\0\0\0\0\0\0\xff"),
    ):
        yield BadInput(f"queries: {kind}", "queries", raw)
    for kind, raw in (
        ("empty", b""),
        ("commas alone", b",,\n,,\n"),
        ("NUL", b"topic\tlanguage\n1\ten\0\n"),
        ("null in an array", b"[null]"),
        ("a list in an array", b"[[1]]"),
        ("no such column", b"topic\tquery\n1\tone\n"),
        ("a column twice", b"topic\tlanguage\tlanguage\n1\ten\tfr\n"),
        ("no ids", b"language\nen\n"),
    ):
        yield BadInput(f"column of queries: {kind}", "column of queries", raw)
    for kind, raw in (
        ("a list in a line", b"[1]\n"),
        ("brackets without end", b'{"id": ' + b"[" * 100_000),
        ("5,000 digits", b'{"id": ' + b"9" * 5000 + b', "text": "x"}\n'),
        ("no tab", b"a text\n"),
        ("an id of a list", b'{"id": ["a"], "text": "x"}\n'),
        ("an id of an object", b'{"id": {"a": 1}, "text": "x"}\n'),
        ("an id of half a number", b'{"id": 1.5, "text": "x"}\n'),
        ("an id of a truth", b'{"id": true, "text": "x"}\n'),
        ("an id of null", b'{"id": null, "text": "x"}\n'),
        ("a text of a number", b'{"id": "a", "text": 5}\n'),
    ):
        yield BadInput(f"texts of documents: {kind}", "texts of documents", raw)
    for kind, raw in (
        ("no hash", b"a\n"),
        ("a hash too short", b"a\t" + b"0" * 63 + b"\n"),
        ("a hash in capitals", b"a\t" + b"A" * 64 + b"\n"),
        ("NUL", b"a\t" + b"0" * 64 + b"\0\n"),
        ("a path", b"a\t../../etc/passwd\n"),
    ):
        yield BadInput(f"hashes: {kind}", "hashes", raw)
    for role in ("slices", "clusters"):
        for kind, raw in (
            ("empty", b""),
            ("one field", b"1\n2\n"),
            ("three fields", b"1 a b\n"),
            ("a topic in two", b"1 a\n1 b\n"),
            ("NUL", b"1 a\0\n2 b\n"),
            ("UTF-16", "1 a\n2 b\n".encode("utf-16")),
        ):
            yield BadInput(f"{role}: {kind}", role, raw)
    for role in ("no answer", "no results"):
        for kind, raw in (("NUL", b"3\n\0\n"), ("UTF-16", "3\n".encode("utf-16"))):
            yield BadInput(f"{role}: {kind}", role, raw)
    for kind, question_ids in (
        ("a topic of a list", [[1]]),
        ("a topic of an object", {}),
        ("a topic of null", None),
        ("a topic of half a number", 0.5),
        ("a topic of half a character", "\ud800"),
    ):
        ranked = {"ranked_items": [{"corpus_id": "a"}]}
        raw = _lines({"question_id": question_ids, "retrieval_results": ranked})
        yield BadInput(f"list of each topic: {kind}", "list of each topic", raw)


PLAN = {
    "poolwise journal": 1,
    "entry": "plan",
    "date": "2026-11-18",
    "poolwise": "0.2.0",
    "measure": "P@2",
    "delta": 0.5,
    "power": 0.8,
    "alpha": 0.05,
    "sigma": 0.2,
    "first": 4,
    "most": 0,
    "looks": [],
    "order": [],
    "previous": "",
}


def _entries(*entries: Mapping[str, Any]) -> bytes:
    """Return a journal whose hashes are as they should be, whatever it says."""
    lines, previous = b"", ""
    for entry in entries:
        said = dict(entry) | ({"previous": previous} if "previous" in entry else {})
        said["sha256"] = previous = digest(_canonical(said))
        lines += _line(said)
    return lines


def _of_journals() -> Said:
    """Yield journals that are torn, or lie with hashes of their own."""
    good = _entries(PLAN)
    round_ = {
        "poolwise journal": 1,
        "entry": "round",
        "systems": ["a", "b"],
        "planned": 4,
        "sigma": 0.2,
        "differences": {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.1},
        "previous": "",
    }
    for kind, raw in (
        ("empty", b""),
        ("torn", good[:-20]),
        ("a number changed", good.replace(b"0.8", b"0.9")),
        ("brackets without end", b"[" * 100_000),
        ("objects without end", b'{"a":' * 100_000),
        ("5,000 digits", good.replace(b"0.8", b"9" * 5000)),
        ("NUL", b"\0" + good),
        ("UTF-16", good.decode().encode("utf-16")),
        ("null", b"null\n"),
        ("a plan twice", _entries(PLAN, PLAN)),
        ("nothing before", _entries({k: v for k, v in PLAN.items() if k != "previous"})),
        ("a round of one system", _entries(PLAN, round_ | {"systems": ["a"]})),
        ("a round of words", _entries(PLAN, round_ | {"differences": {"1": "high"}})),
        ("a round of a list", _entries(PLAN, round_ | {"differences": [0.1]})),
        ("a round of none", _entries(PLAN, round_ | {"differences": {}, "planned": 0})),
        ("a round cut short", _entries(PLAN, round_ | {"differences": {"1": 0.1}})),
        ("a round without systems", _entries(PLAN, {**round_, "systems": None})),
        ("a result before any round", _entries(PLAN, PLAN | {"entry": "result"})),
        ("a kind that is none", _entries(PLAN, PLAN | {"entry": "dream"})),
        ("a kind of a list", _entries(PLAN, PLAN | {"entry": ["round"]})),
    ):
        yield BadInput(f"journal: {kind}", "journal", raw)
    for name, values in {
        "measure": ("Nope", 5, None),
        "delta": ("x", 0, -1.0, 10**400, None, True, [1]),
        "sigma": ("x", 0, -1.0, [None], True),
        "power": ("\x1b[31m", 0, 1, 2.0, {"a": {}}),
        "alpha": ("", 0, 1.5, {}, []),
        "first": ("x", 0, -4, 4.5, 10**9, True, [4]),
        "most": (-1, "x", 4.5),
        "looks": ("x", 5, [0], [4, 4], [9, 4], [5], ["4"], True),
        "order": (5, True, [1], {"a": 1}),
    }.items():
        for value in values:
            raw = _entries(PLAN | {name: value})
            yield BadInput(f"journal: {name} of {str(value)[:20]!r}", "journal", raw)


def _of_campaigns() -> Said:
    """Yield files of a campaign that are torn, or of another kind."""
    for kind, raw in (
        ("empty", b""),
        ("no TOML", b"name = "),
        ("a number for a name", b"name = 5\n"),
        ("NUL", b'name = "a\0"\n'),
        ("UTF-16", 'name = "a"\n'.encode("utf-16")),
        ("a goal that is none", b'name = "a"\ngoal = "win"\n'),
        ("a measure that is none", b'name = "a"\nmeasures = ["Nope"]\n'),
        ("measures of a number", b'name = "a"\nmeasures = 5\n'),
        ("a depth below 0", b'name = "a"\ndepth = -1\n'),
        ("a depth of a word", b'name = "a"\ndepth = "deep"\n'),
        ("a share above 1", b'name = "a"\njudged_twice = 2.0\n'),
        ("a share of NaN", b'name = "a"\njudged_twice = nan\n'),
        ("a batch of 0", b'name = "a"\nbatch = 0\n'),
        ("grades of a number", b'name = "a"\ngrades = 5\n'),
        ("a setting that is none", b'name = "a"\nforce = true\n'),
        ("guidelines of elsewhere", b'name = "a"\nguidelines = "/etc/secret.md"\n'),
        ("guidelines that climb out", b'name = "a"\nguidelines = "../secret.md"\n'),
        ("brackets without end", b"name = " + b"[" * 5000 + b"\n"),
    ):
        yield BadInput(f"settings of a campaign: {kind}", "settings of a campaign", raw)
    for kind, raw in (
        ("NUL", b'{"id": "1", "query": "one\0"}\n{"id": "2", "query": "b"}\n'),
        ("an empty array", b"[]"),
        ("null in an array", b"[null]"),
        ("objects without end", b'{"a":' * 100_000),
        ("half a line", b'{"id": "1", "query": "one"}\n{"id": "2", "qu'),
        ("a topic twice", b'{"id": "1", "query": "a"}\n{"id": "1", "query": "b"}\n'),
        ("a topic without a query", b'{"id": "1", "query": ""}\n{"id": "2", "query": "b"}\n'),
    ):
        yield BadInput(f"topics of a campaign: {kind}", "topics of a campaign", raw)
    for kind, raw in (
        ("text", b"no database\n" * 60),
        ("half a page", b"SQLite format 3\0" + bytes(40)),
        ("a page of zeros", b"SQLite format 3\0" + bytes(4080)),
    ):
        yield BadInput(f"journal of a campaign: {kind}", "journal of a campaign", raw)
    for kind, raw in (
        ("a word for a score", b"1 Q0 a 1 high bm25\n"),
        ("NUL", b"1 Q0 a 1 2 bm25\0\n"),
        ("empty", b""),
    ):
        yield BadInput(f"run of a campaign: {kind}", "run of a campaign", raw)
    for kind, raw in (
        ("a word for a grade", b"topic\tdocument\tgrade\n1\ta\tgood\n"),
        ("a grade off the scale", b"topic\tdocument\tgrade\n1\ta\t99\n"),
        ("NUL", b"topic\tdocument\tgrade\n1\ta\0\t1\n"),
    ):
        yield BadInput(f"sheet: {kind}", "sheet", raw)


def _of_cards() -> Said:
    """Yield cards that are torn, or lie with a hash of their own."""
    good = gzip.decompress(_card())
    content = json.loads(good)
    content.pop("sha256")

    def sealed_card(*way: Any, value: Any) -> bytes:
        made = json.loads(json.dumps(content))
        place = made
        for step in way[:-1]:
            place = place[step]
        if value is GONE:
            del place[way[-1]]
        else:
            place[way[-1]] = value
        body = json.dumps(made)[:-1]
        return gzip.compress(f'{body}, "sha256": "{digest(body.encode())}"}}\n'.encode())

    for kind, raw in (
        ("empty", b""),
        ("plain", good),
        ("torn", gzip.compress(good)[:-9]),
        ("a digit changed", gzip.compress(good.replace(b"1", b"2", 1))),
        ("no JSON", gzip.compress(b"card")),
        ("null", gzip.compress(b"null")),
        ("brackets without end", gzip.compress(b'{"poolwise card": ' + b"[" * 100_000)),
        ("5,000 digits", gzip.compress(b'{"poolwise card": ' + b"9" * 5000 + b"}")),
        ("a bomb", gzip.compress(b'{"poolwise card": ' + b" " * (9 << 20))),
    ):
        # A card that was unpacked by hand is a card still.
        if kind != "plain":
            yield BadInput(f"card: {kind}", "card", raw)
    for name in ("judgments", "pool", "units", "runs", "references", "smoothing", "measures"):
        for kind, value in (("gone", GONE), ("a number", 5), ("null", None), ("a truth", True)):
            yield BadInput(f"card: {name} {kind}", "card", sealed_card(name, value=value))
    for way, value in (
        (("documents",), 5),
        (("documents", "topics"), {}),
        (("documents", "topics"), []),
        (("documents", "longest"), 0),
        (("documents", "levels"), ["x"]),
        (("pool", "depth"), 0),
        (("pool", "depth"), "deep"),
        (("pool", "groups"), -1),
        (("judgments", "counts"), []),
        (("judgments", "scale"), ["x"]),
        (("runs",), [["a"]]),
        (("runs",), ["abcd", "efg"]),
        (("measures", "Nope"), {}),
        (("measures", "P@2"), {}),
        (("measures", "P@2", "factors", "mean"), [1, 2, 3]),
        (("measures", "P@2", "factors", "ddof"), 7),
        (("smoothing",), "odd"),
        (("poolwise card",), 99),
    ):
        where = ".".join(way)
        raw = sealed_card(*way, value=value)
        yield BadInput(f"card: {where} of {str(value)[:20]!r}", "card", raw)


BAD_INPUTS: tuple[BadInput, ...] = (
    *_of_exchanged(),
    *_of_measurements(),
    *_of_texts_beside(),
    *_of_two_answers(),
    *_of_journals(),
    *_of_campaigns(),
    *_of_cards(),
    *_of_jsonl_labels(),
    *_of_other_labels(),
    *_of_texts(),
    *_of_ledgers(),
    *_of_tables_for_ledgers(),
    *_of_frozen_baselines(),
    *_of_factors(),
    *_of_settings(),
    *_of_samples(),
    *_of_names(),
)
