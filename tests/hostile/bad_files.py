"""Every kind of bad file we know, as one table: what it is, its bytes, and the sentence it gets."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyarrow as pa
import zstandard
from pyarrow import parquet

__all__ = ["BAD_FILES", "INPUT_ERROR", "BadFile"]

INPUT_ERROR = 3
"""The exit code of wrong input."""


class BadFile(NamedTuple):
    """One kind of bad file.

    ``role`` says what it is given as: a run, qrels, a matrix of scores, or groups; ``sentence`` is
    a part of the message, after the file's name; ``reading`` holds options of reading.
    """

    kind: str
    role: str
    raw: bytes
    sentence: str
    name: str = "bad"
    reading: tuple[tuple[str, str | float], ...] = ()


GOOD_RUN = b"1 Q0 a 1 3.5 x\n1 Q0 b 2 2.5 x\n2 Q0 a 1 1 x\n"
GOOD_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 1\n"
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
_NUMBER = "a score or grade must be a number"
_FINITE = "a score or grade must be finite"
_ENDS = "the file must be readable to its end"
_READABLE = "the file must be readable"
_EMPTY = "there must be at least one entry, and there is none"
_RANK = "a rank must be a whole number"
_HEADER = "a header of three columns must name the topic"
_EITHER = "without a header, whole numbers that neither rise nor fall"
_NUL = "the file must be text, and holds a NUL byte"


def _of_numbers() -> Iterator[BadFile]:
    """Yield numbers that are none, as a score and as a grade."""
    for text in ("high", "1,5", "1.5.2", "0x10", "1_000", "--1", "1e", "e5", ".", "+-2", "½", "١"):
        number = text.encode()
        yield BadFile(f"score {text}", "run", b"1 Q0 a 1 %s x\n" % number, f":1: {_NUMBER}")
        yield BadFile(f"grade {text}", "qrels", b"1 0 a %s\n" % number, f":1: {_NUMBER}")
    for text in ("nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e999"):
        number = text.encode()
        yield BadFile(f"score {text}", "run", b"1 Q0 a 1 %s x\n" % number, f":1: {_FINITE}")
        yield BadFile(f"grade {text}", "qrels", b"1 0 a %s\n" % number, f":1: {_FINITE}")


def _of_lines() -> Iterator[BadFile]:
    """Yield lines with too few or too many fields, repeated documents and odd ends."""
    for fields in range(1, 6):
        if fields != 3:
            raw = b" ".join(b"1 Q0 a 1 2".split()[:fields]) + b"\n"
            yield BadFile(f"run of {fields} fields", "run", raw, ":1: a line must have at least 6")
    for fields in (1, 2):
        raw = b" ".join(b"1 0 a 1".split()[:fields]) + b"\n"
        yield BadFile(f"qrels of {fields} fields", "qrels", raw, ":1: a line must have at least 4")
    yield BadFile("qrels of 6 fields", "qrels", b"1 0 a 1 1 1\n", ":1: a line must have at most 4")
    yield BadFile("a run as qrels", "qrels", GOOD_RUN, ":1: a line must have at most 4 fields")
    yield BadFile("qrels as a run", "run", GOOD_QRELS, ":1: a line must have at least 6 fields")
    yield BadFile(
        "a short line later", "run", GOOD_RUN + b"3 Q0\n", ":4: a line must have at least"
    )
    yield BadFile(
        "a torn last line", "run", GOOD_RUN[:-9], ":3: a line must have at least 6 fields"
    )
    yield BadFile("a torn last grade", "qrels", GOOD_QRELS[:-2], ":3: a line must have at least 4")
    yield BadFile(
        "tabs and a fourth column",
        "run",
        b"1\ta\t1\n1\tb\t2\tx\n",
        ":2: a line must have at most 3",
    )
    yield BadFile("an empty document", "qrels", b"1\ta\t1\n1\t\t1\n", ":2: a topic or document id")
    yield BadFile("an empty topic", "qrels", b"1\ta\t1\n\tb\t1\n", ":2: a topic or document id")
    yield BadFile("CR as line end", "run", GOOD_RUN.replace(b"\n", b"\r"), ":1: a line must end in")
    yield BadFile("CSV", "run", b"1,Q0,a,1,2,x\n", ":1: a line must have at least 6 fields")
    yield BadFile("JSON lines", "run", b'{"qid": 1}\n', ":1: a line must have at least 6 fields")
    yield BadFile("HTML", "run", b"<!DOCTYPE html>\n<html>", ":1: a line must have at least 6")
    yield BadFile("a line of 17 MB", "run", b"1 Q0 " + b"a" * (17 << 20), "a line may hold 16 MiB")
    yield BadFile(
        "a repeated document", "run", GOOD_RUN + b"2 Q0 a 2 0 x\n", ":4: a document may occur once"
    )
    yield BadFile(
        "a document repeated after another topic",
        *("run", GOOD_RUN + b"1 Q0 a 9 0 x\n", ":4: a document may occur once in a topic"),
    )
    yield BadFile(
        "a grade given twice", "qrels", GOOD_QRELS + b"2 0 c 1\n", ":4: a document may occur once"
    )
    yield BadFile(
        "a line a thousand times", "run", b"1 Q0 a 1 1 x\n" * 1000, ":2: a document may occur once"
    )


def _of_binary() -> Iterator[BadFile]:
    """Yield what is not text, or holds nothing."""
    for role, good in (("run", GOOD_RUN), ("qrels", GOOD_QRELS)):
        yield BadFile(f"{role}: empty", role, b"", f": {_EMPTY}")
        yield BadFile(f"{role}: blank lines", role, b"\n \n\t\n", f": {_EMPTY}")
        yield BadFile(f"{role}: comments", role, b"# one\n# two", f": {_EMPTY}")
        yield BadFile(f"{role}: a byte order mark", role, b"\xef\xbb\xbf", f": {_EMPTY}")
        yield BadFile(f"{role}: UTF-16", role, good.decode().encode("utf-16"), f":1: {_NUL}")
        yield BadFile(f"{role}: UTF-32", role, good.decode().encode("utf-32"), f":1: {_NUL}")
        yield BadFile(f"{role}: NUL at the end", role, good + b"\0", f":4: {_NUL}")
        yield BadFile(f"{role}: NUL in an id", role, b"1 0 a\0b 1\n", f":1: {_NUL}")
        yield BadFile(f"{role}: an executable", role, b"\x7fELF\x02\x01\x01\0\0\0", f":1: {_NUL}")
        yield BadFile(
            f"{role}: a picture", role, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ":1: a line must have"
        )
        yield BadFile(f"{role}: a zip", role, b"PK\x03\x04\x14\0\0\0\x08\0", f":1: {_NUL}")


def _of_compression() -> Iterator[BadFile]:
    """Yield compressed files that are torn, damaged, empty, or too good."""
    for ending, compress in COMPRESSIONS.items():
        name = f"bad.{ending}"
        for role, good in (("run", GOOD_RUN), ("qrels", GOOD_QRELS)):
            packed = compress(good)
            yield BadFile(f"{role}: torn {ending}", role, packed[:-3], _ENDS, name)
            yield BadFile(
                f"{role}: half a {ending}, read leniently",
                *(role, packed[: len(packed) // 2], _ENDS, name),
                reading=(("malformed", "skip"),),
            )
            yield BadFile(f"{role}: {ending} of nothing", role, compress(b""), f": {_EMPTY}", name)
            damaged = packed[:12] + bytes(255 - b for b in packed[12:24]) + packed[24:]
            yield BadFile(f"{role}: damaged {ending}", role, damaged, _READABLE, name)
        yield BadFile(
            f"{ending} and rubbish", "run", compress(GOOD_RUN) + b"x" * 40, _READABLE, name
        )
        bomb = compress(GOOD_RUN + b"\n" * (3 << 20))
        sentence = "a compressed file may unfold to 500 times its size"
        yield BadFile(
            f"a bomb of {ending}", "run", bomb, sentence, name, reading=(("max_ratio", 500),)
        )
    yield BadFile("gz in gz", "run", gzip.compress(gzip.compress(GOOD_RUN)), _NUL, "bad.gz")


def _of_columns() -> Iterator[BadFile]:
    """Yield three columns that nobody can understand."""
    for header in ("query-id corpus-id clicks", "query-id score corpus-id", "qid title rank"):
        raw = header.encode() + b"\n1 a 1\n"
        yield BadFile(f"run: header {header}", "run", raw, f":1: {_HEADER}")
        yield BadFile(f"qrels: header {header}", "qrels", raw, f":1: {_HEADER}")
    yield BadFile("qrels: a header of ranks", "qrels", b"qid docno rank\n1 a 1\n", f":1: {_HEADER}")
    for value in ("1.5", "-0.25", "1e-3"):
        raw = b"qid docno rank\n1 a %s\n" % value.encode()
        yield BadFile(f"rank {value} under a header", "run", raw, f":2: {_RANK}")
    for column in ("5 9 7", "1 1 2", "3 1 9", "2 2 3"):
        lines = (b"1 %d %s" % (i, v) for i, v in enumerate(column.encode().split()))
        yield BadFile(f"columns of {column}", "run", b"\n".join(lines), f": {_EITHER}")
    yield BadFile("a header alone", "run", b"query-id corpus-id score\n", f": {_EMPTY}")
    for rank in ("first", "1.0", "", "9" * 20):
        raw = b"1 Q0 a %s 1 x more\n" % rank.encode()
        ties = (("ties", "rank"),)
        sentence = f":1: {_RANK if rank else _NUMBER}"
        yield BadFile(f"rank {rank!r} where it counts", "run", raw, sentence, reading=ties)


def _parquet(**columns: list[object]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def _of_parquet() -> Iterator[BadFile]:
    """Yield Parquet files that are none, or lack what they need."""
    good = _parquet(qid=["1"], docno=["a"], score=[1.0])
    intact = ": the file must be intact Parquet"
    for role in ("run", "qrels"):
        for kind, raw in {"text": GOOD_RUN, "torn": good[:-9], "empty": b"", "no": b"PAR1"}.items():
            yield BadFile(f"{role}: {kind} Parquet", role, raw, intact, "bad.parquet")
        lacking = _parquet(docno=["a"], score=[1.0])
        sentence = ": there must be a column for the topic"
        yield BadFile(f"{role}: Parquet without topics", role, lacking, sentence, "bad.parquet")
        numbers = _parquet(qid=[1.5], docno=["a"], score=[1.0])
        sentence = " qid: an id must be a string or a whole number"
        yield BadFile(f"{role}: Parquet, half a topic", role, numbers, sentence, "bad.parquet")
        words = _parquet(qid=["1"], docno=["a"], score=["high"])
        yield BadFile(f"{role}: Parquet, a word", role, words, f":1: {_NUMBER}", "bad.parquet")
        missing = _parquet(qid=["1", "1"], docno=["a", "b"], score=[1.0, None])
        yield BadFile(f"{role}: Parquet, no score", role, missing, f":2: {_NUMBER}", "bad.parquet")


def _not_with_the_others() -> Iterator[BadFile]:
    """Yield files that are fine by themselves and not with the others."""
    apart = "each run must have a topic in common with the judgments"
    yield BadFile("a run of other topics", "run", b"901 Q0 a 1 1 x\n", apart)
    yield BadFile("topics with leading zeros", "run", b"001 Q0 a 1 1 x\n", apart)
    yield BadFile("qrels of other topics", "qrels", b"901 0 a 1\n", apart)
    common = (("topics", "common"),)
    yield BadFile("no common topic", "run", b"3 Q0 a 1 1 x\n", apart, reading=common)
    grades = b"".join(b"1 0 d%d %d\n" % (i, i) for i in range(40_000))
    yield BadFile("40,000 grades", "qrels", grades, ": judgments may have 32767 different grades")


def _of_scores() -> Iterator[BadFile]:
    """Yield matrices of scores, and groups, that break their rules."""
    for kind, raw, sentence in (
        ("empty", b"", ": a score matrix must hold scores"),
        ("a header alone", b"topic,a,b\n", "a header must be followed by scores"),
        ("a word", b"topic,a,b\n1,0.5,high\n", ":2: a score must be a finite number"),
        ("infinite", b"topic,a,b\n1,0.5,inf\n", ":2: a score must be a finite number"),
        ("a short row", b"topic,a,b\n1,0.5,0.5\n2,0.1\n", ":3: every row must have 3 cells"),
        ("a system twice", b"topic,a,a\n1,0.5,0.5\n2,0,1\n", ":1: a name must stand once"),
        ("a topic twice", b"topic,a,b\n1,0.5,0.5\n1,0,1\n", ":3: a name must stand once"),
        ("torn gz", gzip.compress(b"topic,a,b\n1,0.5,0.5\n")[:-5], _ENDS),
    ):
        yield BadFile(f"scores: {kind}", "scores", raw, sentence, "bad.csv")
    for kind, raw, sentence in (
        ("empty", b"", ": a groups file must name a run"),
        ("one field", b"x\n", ":1: a line must hold a run and its group"),
        ("a run in two groups", b"x g\nx h\n", ":2: a run has one group"),
    ):
        yield BadFile(f"groups: {kind}", "groups", raw, sentence)


_MARK = b"\xef\xbb\xbf"
_JOINED = "a byte order mark may stand once"
_CSV = "the file must be intact CSV"
_JSON = "the file must be intact JSON"
_ONCE = "a header must name each column once"


def _of_joined_files() -> Iterator[BadFile]:
    """Yield files that were joined, each with a mark at its beginning."""
    for role, good in (("run", GOOD_RUN), ("qrels", GOOD_QRELS)):
        first, _, rest = good.partition(b"\n")
        yield BadFile(f"{role}: two marks at once", role, _MARK * 2 + good, f":1: {_JOINED}")
        joined = _MARK + first + b"\n" + _MARK + rest
        yield BadFile(f"{role}: a mark before the second line", role, joined, f":2: {_JOINED}")
        yield BadFile(f"{role}: a mark at the end", role, good + _MARK, f":4: {_JOINED}")
        yield BadFile(
            f"{role}: a mark on a line of its own", role, good + _MARK + b"\n" + good, _JOINED
        )
        yield BadFile(
            f"{role}: a mark before a long line",
            *(role, good + _MARK + b"3 " + b"0" * 90 + b" a 1 1 x\n", f":4: {_JOINED}"),
        )


def _of_tables() -> Iterator[BadFile]:
    """Yield CSV and JSON that lose something, or never end."""
    good = b"qid,docno,score\n1,a,1\n"
    for role in ("run", "qrels"):
        for kind, raw, sentence in (
            ("a column twice", b"qid,docno,score,score\n1,a,1,0\n", f":1: {_ONCE}"),
            ("a topic column twice", b"qid,qid,docno,score\n1,2,a,0\n", f":1: {_ONCE}"),
            ("a long cell", good + b"1," + b"x" * 140_000 + b",1\n", f":3: {_CSV}"),
            ("a quote that does not end", good + b'1,"b,1\n' + b"x,y,1\n" * 30_000, _CSV),
            ("a row too short", good + b"1,b\n", ":3: every line must have 3 cells"),
            ("a row too long", good + b"1,b,1,2\n", ":3: every line must have 3 cells"),
            ("a word", good + b"1,b,high\n", _NUMBER),
            ("infinite", good + b"1,b,inf\n", _FINITE),
        ):
            yield BadFile(f"{role}: CSV, {kind}", role, raw, sentence, "bad.csv")
        digits = b"9" * 5000
        for kind, raw, sentence in (
            ("5,000 digits", b'{"1": {"a": %s}}' % digits, _JSON),
            (
                "5,000 digits in a record",
                b'[{"qid": %s, "docno": "a", "score": 1}]' % digits,
                _JSON,
            ),
            ("a name twice", b'{"1": {"a": 1}, "1": {"b": 1}}', "must have each name once"),
            ("a document twice", b'{"1": {"a": 1, "a": 0}}', "must have each name once"),
            ("half an object", b'{"1": {"a": 1}', _JSON),
            ("two values", b'{"1": {"a": 1}} {"2": {}}', _JSON),
            ("a comma too many", b'{"1": {"a": 1,}}', _JSON),
            ("brackets", b"[" * 100_000, _JSON),
            ("a number alone", b"3", "the file must hold an object"),
            ("nothing alone", b"null", "the file must hold an object"),
            ("an empty array", b"[]", "the file must hold an object"),
        ):
            yield BadFile(f"{role}: JSON, {kind}", role, raw, sentence, "bad.json")
        for kind, raw, sentence in (
            ("5,000 digits", b'{"qid": 1, "docno": "a", "score": %s}\n' % digits, _JSON),
            ("an array", b'["1", "a", 1]\n', "every line must be a JSON object"),
            ("half a line", b'{"qid": "1", "docno": "a", "sco', ":1: the file must be intact"),
        ):
            yield BadFile(f"{role}: JSONL, {kind}", role, raw, sentence, "bad.jsonl")
    for kind, raw in (
        ("a long cell", b"topic,a\n1," + b"5" * 140_000 + b"\n"),
        ("a quote that does not end", b'topic,a\n1,"' + b"0.5\n" * 40_000),
    ):
        yield BadFile(f"scores: {kind}", "scores", raw, _CSV, "bad.csv")


BAD_FILES: tuple[BadFile, ...] = (
    *_of_joined_files(),
    *_of_tables(),
    *_of_numbers(),
    *_of_lines(),
    *_of_binary(),
    *_of_compression(),
    *_of_columns(),
    *_of_parquet(),
    *_not_with_the_others(),
    *_of_scores(),
)
