"""Files that lie about what made them: no replay calls one the same, and none of them crashes."""

import io
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.cli.conftest import BM25, QRELS
from tests.cli.writers import lay_beside
from tests.each import over

from poolwise.cli.main import main
from poolwise.results._seals import sealed

WRONG_INPUT, NO = 3, 1
EVALUATE = ("evaluate", "qrels", "runs", "-m", "P@2")
COMMAND = "must hold the command that made the numbers"
NO_NUMBERS = "its command makes no numbers"
NO_RECORD = "neither it nor a sidecar does"
NOT_FETCHED = "nothing is fetched from elsewhere here"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write judgments and runs, go there, and let nobody reach the network."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.run").write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 d 1 1 x\n")
    (tmp_path / "runs" / "y.run").write_text("1 Q0 b 1 3 y\n2 Q0 c 1 1 y\n")

    def refuse(*_args: object, **_options: object) -> None:
        pytest.fail("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tmp_path


def poolwise(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def record(**changes: Any) -> bytes:
    """Return a sidecar that says all it must, but for what is changed."""
    plain = {"poolwise": "0.2.0", "command": list(EVALUATE), "inputs": [], "numbers": "0" * 64}
    return json.dumps({**plain, **changes}).encode()


def command(*words: object) -> bytes:
    return record(command=list(words))


FORGED: dict[str, tuple[bytes, str]] = {
    # ---- commands that end before anything is compared
    **{
        f"the command {' '.join(words)}": (command(*words), NO_NUMBERS)
        for words in (
            ("--version",),
            ("--help",),
            ("-h",),
            ("design", "--help"),
            ("design", "-h"),
            ("evaluate", "--help"),
            ("evaluate", "qrels", "runs", "--help"),
            ("study", "--help"),
            ("study", "swaps", "--help"),
            ("--version", "evaluate", "qrels", "runs"),
            ("--debug", "--version"),
            ("explain", "nDCG@10"),
            ("cite",),
        )
    },
    # ---- commands that are none
    "no words": (command(), COMMAND),
    "an empty word": (command(""), "No such command ''"),
    "a number for a word": (command("evaluate", 3), COMMAND),
    "nothing for a word": (command("evaluate", None), COMMAND),
    "a list for a word": (command(["evaluate"]), COMMAND),
    "NUL in a word": (command("evaluate", "qr\0els", "runs"), COMMAND),
    "NUL in an option": (command(*EVALUATE, "--groups=\0"), COMMAND),
    "half a character in a word": (command("evaluate", "\ud800", "runs"), COMMAND),
    "half a character in a measure": (command(*EVALUATE[:-1], "P@2\udfff"), COMMAND),
    "a replay": (command("replay", "file"), COMMAND),
    "a replay with --debug": (command("--debug", "replay", "file"), COMMAND),
    "a word of a shell": (command("evaluate;reboot"), "No such command"),
    "a path of a program": (command("/bin/sh", "-c", "true"), "No such command"),
    "a command in capitals": (command("EVALUATE", "qrels", "runs"), "No such command"),
    "an option before the command": (command("-x", "evaluate"), "No such option"),
    "an option that does not exist": (command(*EVALUATE, "--exec", "true"), "No such option"),
    "an empty path": (command("evaluate", "", "runs"), "a path must not be empty"),
    "a folder as judgments": (command("evaluate", "runs", "runs"), "Hint: "),
    "a path that is too long": (command("evaluate", "x" * 5000, "runs"), "Hint: "),
    "a measure of half a million characters": (command(*EVALUATE[:-1], "P" * 500_000), "Hint: "),
    # ---- what lies elsewhere
    **{
        f"judgments at {address}": (command("evaluate", address, "runs"), NOT_FETCHED)
        for address in (
            "http://localhost:1/qrels",
            "https://example.org/qrels",
            "HTTP://EXAMPLE.ORG/qrels",
            "ftp://example.org/qrels",
            "s3://bucket/qrels",
            "gs://bucket/qrels",
            "simplecache::http://localhost:1/qrels",
            "filecache::https://example.org/qrels",
            "zip://qrels::http://localhost:1/a.zip",
            "github://owner:repo@main/qrels",
            "file:///etc/passwd",
            "irds:vaswani",
            "irds:trec-robust04",
        )
    },
    "runs elsewhere": (command("evaluate", "qrels", "http://localhost:1/x.run"), NOT_FETCHED),
    "a glob elsewhere": (command("evaluate", "qrels", "http://localhost:1/*.run"), NOT_FETCHED),
    "groups elsewhere": (
        command("study", "leave-out", *EVALUATE[1:3], "--groups", "http://localhost:1/g"),
        "a groups file must be readable",
    ),
    "scores elsewhere": (command("power", "--scores", "http://localhost:1/s.csv"), NOT_FETCHED),
    "documents elsewhere": (
        command("report", "qrels", "runs", "--documents", "http://localhost:1/d.jsonl"),
        NOT_FETCHED,
    ),
    "a baseline elsewhere": (
        command("gate", "qrels", "runs/x.run", "--baseline", "http://localhost:1/b"),
        NOT_FETCHED,
    ),
    "a topic file elsewhere": (
        command(*EVALUATE, "--topics", "http://localhost:1/t"),
        "no file of this name",
    ),
    "what to merge elsewhere": (
        command("merge", "qrels", "http://localhost:1/q", "-o", "out"),
        NOT_FETCHED,
    ),
    "what to convert elsewhere": (
        command("convert", "http://localhost:1/q", "--to", "csv", "-o", "out"),
        NOT_FETCHED,
    ),
    # ---- records of odd shapes
    **{
        f"inputs of {inputs!r}": (record(inputs=inputs), NO_RECORD)
        for inputs in (
            3,
            "qrels",
            None,
            {},
            [3],
            [None],
            ["qrels"],
            [[]],
            [{}],
            [{"path": 3, "sha256": ""}],
            [{"path": "qrels"}],
            [{"path": "qrels", "sha256": None}],
            [{"sha256": "0"}],
        )
    },
    **{
        f"{key} of {value!r}": (record(**{key: value}), NO_RECORD)
        for key, value in (
            ("poolwise", 3),
            ("poolwise", None),
            ("command", "evaluate qrels runs"),
            ("command", {"evaluate": 1}),
            ("numbers", 3),
            ("numbers", [1]),
            ("options", []),
            ("options", "all"),
            ("notices", {}),
            ("written", ["file"]),
            ("written", {"file": 3}),
            ("written", {"file": None}),
            ("replaced", 3),
            ("replaced", {"file": []}),
            ("before", {}),
            ("before", [3]),
            ("before", [{}]),
            ("before", [json.loads(record(before=[]))]),
        )
    },
    "a record in a list": (b"[" + record() + b"]", NO_RECORD),
    "a record of 4,301 digits": (b'{"poolwise": ' + b"9" * 4301 + b"}", NO_RECORD),
    "a record of brackets": (b'{"poolwise":' * 100_000, NO_RECORD),
    "half a record": (record()[:-9], NO_RECORD),
    "a record in UTF-16": (record().decode().encode("utf-16"), NO_RECORD),
    "a record after a byte order mark": (b"\xef\xbb\xbf" + record(), NO_RECORD),
    "a comment that does not end": (b"<!-- poolwise provenance: {", NO_RECORD),
    "a comment without a record": (b"% poolwise provenance: null", NO_RECORD),
    "NUL before a record": (b"\0" + record(), NO_RECORD),
}
"""What each forged file holds, and what is said of it."""


@over("kind", FORGED)
def test_a_forged_record_is_wrong_input(folder: Path, kind: str) -> None:
    """It is one sentence with exit code 3; nothing is fetched, printed as a result, or written."""
    content, sentence = FORGED[kind]
    (folder / "file").write_bytes(content)
    before = sorted(folder.rglob("*"))
    result = poolwise("replay", "file")
    assert result.exit_code == WRONG_INPUT, result.output
    assert sentence in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert sorted(folder.rglob("*")) == before


@over("kind", FORGED)
def test_cite_reads_a_forged_record_or_refuses_it(folder: Path, kind: str) -> None:
    """The other command that reads records takes them for what they are, too."""
    (folder / "file").write_bytes(FORGED[kind][0])
    result = poolwise("cite", "file")
    assert result.exit_code in (0, WRONG_INPUT), result.output
    assert "Traceback" not in result.stderr


KEEPERS = {
    "campaign init": ("campaign", "init", "new", "-m", "P@2"),
    "campaign demo": ("campaign", "demo", "new"),
    "campaign add-topics": ("campaign", "add-topics", "campaign", "texts.tsv"),
    "campaign add-run": ("campaign", "add-run", "campaign", "new.run"),
    "campaign add-documents": ("campaign", "add-documents", "campaign", "corpus.tsv"),
    "campaign import": ("campaign", "import", "campaign", "qrels.txt", "--assessor", "Bob"),
    "campaign export": ("campaign", "export", "campaign"),
    "campaign backup": ("campaign", "backup", "campaign", "kept.zip"),
    "campaign serve": ("campaign", "serve", "campaign"),
    "campaign serve to all": ("campaign", "serve", "campaign", "--host", "0.0.0.0"),  # noqa: S104 -- refused
    "journal start": ("journal", "start", "a.journal", "-m", "P@2", "--delta", "1", "--sigma", "1"),
    "journal step": ("journal", "step", "mine.journal", "--scores", "two.csv"),
    "journal finish": ("journal", "finish", "mine.journal"),
    "ledger add": ("ledger", "add", "ledger", "qrels.txt", "new.run", "--collection", "tiny"),
    "ledger add elsewhere": ("ledger", "add", "new", "qrels.txt", "new.run", "--collection", "x"),
    "ledger retract": ("ledger", "retract", "ledger", "bm25", "--reason", "none"),
    "ledger site": ("ledger", "site", "ledger", "-o", "site"),
}
"""Commands that keep something, in a folder or a file that grows."""


@pytest.mark.parametrize("kind", KEEPERS)
def test_no_replay_keeps_anything_a_second_time(folder: Path, kind: str) -> None:
    """A record cannot make anybody judge, add, retract, serve or publish, whatever it says."""
    lay_beside(folder)
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "new.run").write_text(BM25.replace("bm25", "new"))
    (folder / "texts.tsv").write_text("1\tone\n9\tnine\n")
    (folder / "file").write_bytes(command(*KEEPERS[kind]))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = poolwise("replay", "file")
    assert result.exit_code in (NO, WRONG_INPUT), result.output
    assert "Traceback" not in result.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_addresses_are_followed_when_asked(folder: Path) -> None:
    """--addresses is the way to say that an address was read and may be fetched."""
    import fsspec

    place = fsspec.filesystem("memory")
    place.pipe("/replayed/qrels", (folder / "qrels").read_bytes())
    words = ("evaluate", "memory://replayed/qrels", "runs", "-m", "P@2", "-o", "out.json")
    assert poolwise(*words).exit_code == 0
    refused = poolwise("replay", "out.json")
    assert refused.exit_code == WRONG_INPUT
    assert NOT_FETCHED in refused.stderr
    assert poolwise("replay", "out.json", "--addresses").exit_code == 0


# ---- files whose record is true, and whose numbers are not


def _json(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def alter(path: Path) -> None:
        content = json.loads(path.read_text())
        change(content)
        # A forger makes a seal, too.
        path.write_bytes(sealed(json.dumps(content).encode()))

    return alter


def _text(old: str, new: str) -> Callable[[Path], None]:
    def alter(path: Path) -> None:
        text = path.read_text()
        assert old in text
        body = text.index(old, text.index("\n") if path.suffix != ".tsv" else 0)
        path.write_bytes(sealed((text[:body] + new + text[body + len(old) :]).encode()))

    return alter


def _parquet(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def alter(path: Path) -> None:
        table = pq.read_table(path)
        made = io.BytesIO()
        pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), made)
        path.write_bytes(made.getvalue())

    return alter


def _first(column: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["rows"][0].update({column: value})


ALTERED: dict[str, tuple[str, Callable[[Path], None]]] = {
    "JSON: a number": ("json", _json(_first("value", 0.9))),
    "JSON: a number as text": ("json", _json(_first("value", "0.9"))),
    "JSON: a number of 400 digits": ("json", _json(_first("value", 10**400))),
    "JSON: nothing for a number": ("json", _json(_first("value", None))),
    "JSON: a list for a number": ("json", _json(_first("value", [0.75]))),
    "JSON: not a number": ("json", _json(_first("value", float("nan")))),
    "JSON: infinite": ("json", _json(_first("value", float("inf")))),
    "JSON: another name": ("json", _json(_first("run", "z"))),
    "JSON: a cell more in one row": ("json", _json(lambda c: c["rows"][1].update(extra=1))),
    "JSON: a cell less in one row": ("json", _json(lambda c: c["rows"][1].pop("value"))),
    "JSON: a column more": ("json", _json(lambda c: [r.update(extra=1) for r in c["rows"]])),
    "JSON: a row twice": ("json", _json(lambda c: c["rows"].append(c["rows"][0]))),
    "JSON: a row less": ("json", _json(lambda c: c["rows"].pop())),
    "JSON: rows in another order": ("json", _json(lambda c: c["rows"].reverse())),
    "JSON: no rows": ("json", _json(lambda c: c.update(rows=[]))),
    "JSON: rows of another kind": ("json", _json(lambda c: c.update(rows=[3]))),
    "JSON: a number for rows": ("json", _json(lambda c: c.update(rows=3))),
    "JSON: nothing for rows": ("json", _json(lambda c: c.update(rows=None))),
    "TSV: a number": ("tsv", _text("0.5", "0.9")),
    "TSV: a name": ("tsv", _text("x", "z")),
    "TSV: a cell more": ("tsv", _text("0.5", "0.5\t9")),
    "TSV: a column named otherwise": ("tsv", _text("value", "score")),
    "TSV: a quote that does not end": ("tsv", _text("0.5", '"0.5')),
    "TSV: NUL": ("tsv", _text("0.5", "\0")),
    "TSV: a cell of 200,000 characters": ("tsv", _text("0.5", "5" * 200_000)),
    "Markdown: a number": ("md", _text("0.5", "0.9")),
    "Markdown: a sentence": ("md", _text("|", "Better than all.\n\n|")),
    "LaTeX: a number": ("tex", _text("0.5", "0.9")),
    "LaTeX: a line": ("tex", _text("\\end", "% mine\n\\end")),
    "HTML: a number": ("html", _text("0.5", "0.9")),
    "HTML: a script": ("html", _text("<t", "<script>alert(1)</script><t")),
    "text: a number": ("txt", _text("0.5", "0.9")),
    "Parquet: a row less": ("parquet", _parquet(lambda t: t.slice(1))),
    "Parquet: a row twice": ("parquet", _parquet(lambda t: pa.concat_tables([t, t]))),
    "Parquet: a column less": ("parquet", _parquet(lambda t: t.drop_columns(["value"]))),
    "Parquet: a column more": (
        "parquet",
        _parquet(lambda t: t.append_column("extra", pa.array([1] * len(t)))),
    ),
}
"""What a forger does to a file of each format."""


@pytest.mark.parametrize("kind", ALTERED)
def test_numbers_that_were_forged_are_not_the_same(folder: Path, kind: str) -> None:
    """With the record of the true numbers, and a fresh seal: the answer is no, or wrong input."""
    ending, alter = ALTERED[kind]
    assert poolwise(*EVALUATE, "-o", f"out.{ending}").exit_code == 0
    assert poolwise("replay", f"out.{ending}").exit_code == 0
    alter(folder / f"out.{ending}")
    result = poolwise("replay", f"out.{ending}")
    assert result.exit_code in (NO, WRONG_INPUT), result.output
    assert "The numbers are the same" not in result.stdout
    assert "Traceback" not in result.stderr
