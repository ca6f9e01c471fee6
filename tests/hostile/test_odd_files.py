"""Files that can be read, and are not what they seem: whatever is odd is counted and said."""

from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from tests.each import over
from tests.hostile.bad_files import GOOD_QRELS, GOOD_RUN

import poolwise as pw
from poolwise.cli.main import main
from poolwise.collection._groups import read_groups
from poolwise.results._record_files import find_record

pytestmark = pytest.mark.usefixtures("both_readers")

LONGER = "lines of more than six fields"
RENAMED = "lines with another tag than the line before"


class Odd(NamedTuple):
    """A run, what is said of it, how often, and in which line first."""

    raw: bytes
    notice: str
    count: int
    line: int


ODD = {
    "a blank in a document": Odd(b"1 Q0 a 1 3 x\n1 Q0 my doc 2 2 x\n", LONGER, 1, 2),
    "a blank in every document": Odd(b"1 Q0 d 1 1 3 x\n1 Q0 e 2 2 2 x\n", LONGER, 2, 1),
    "a blank in the tag": Odd(b"1 Q0 a 1 3 my run\n1 Q0 b 2 2 my run\n", LONGER, 2, 1),
    "a comment behind a line": Odd(b"1 Q0 a 1 3 x # good\n1 Q0 b 2 2 x\n", LONGER, 1, 1),
    "a tab and a column more": Odd(b"1\tQ0\ta\t1\t3\tx\tmore\n", LONGER, 1, 1),
    "twenty fields": Odd(b"1 Q0 a 1 3 x" + b" y" * 14 + b"\n", LONGER, 1, 1),
    "a long line with a field more": Odd(
        GOOD_RUN + b"2 Q0 " + b"b" * 200 + b" 2 0.5 x more\n", LONGER, 1, 4
    ),
    "a field more in a last line without an end": Odd(GOOD_RUN + b"2 Q0 b 2 0 x y", LONGER, 1, 4),
    "two tags": Odd(b"1 Q0 a 1 3 x\n1 Q0 b 2 2 y\n", RENAMED, 1, 2),
    "two runs in one file": Odd(GOOD_RUN + b"3 Q0 a 1 1 y\n4 Q0 a 1 1 y\n", RENAMED, 1, 4),
    "tags in turn": Odd(b"1 Q0 a 1 3 x\n1 Q0 b 2 2 y\n1 Q0 c 3 1 x\n", RENAMED, 2, 2),
    "a tag in capitals": Odd(b"1 Q0 a 1 3 x\n1 Q0 b 2 2 X\n", RENAMED, 1, 2),
    "a tag with one letter more": Odd(b"1 Q0 a 1 3 run1\n1 Q0 b 2 2 run10\n", RENAMED, 1, 2),
    "long tags that differ at the end": Odd(
        b"1 Q0 a 1 3 " + b"t" * 40 + b"1\n1 Q0 b 2 2 " + b"t" * 40 + b"2\n", RENAMED, 1, 2
    ),
    "long tags that differ in the middle": Odd(
        b"1 Q0 a 1 3 tttttt1tttttt\n1 Q0 b 2 2 tttttt2tttttt\n", RENAMED, 1, 2
    ),
    "a tag that changes after many lines": Odd(
        b"".join(b"1 Q0 d%d 1 %d x\n" % (i, -i) for i in range(30_000)) + b"2 Q0 a 1 1 y\n",
        *(RENAMED, 1, 30_001),
    ),
}
"""What is odd in a run, by its kind."""


@over("kind", ODD)
def test_what_is_odd_in_a_run_is_counted_and_said(tmp_path: Path, kind: str) -> None:
    """The API keeps it in the provenance, and the command prints it, with the first place."""
    odd = ODD[kind]
    (tmp_path / "run").write_bytes(odd.raw)
    (tmp_path / "qrels").write_bytes(GOOD_QRELS)
    place = f"{tmp_path / 'run'}:{odd.line}"
    notices = pw.read_runs(str(tmp_path / "run")).notices
    (counted,) = [notice for notice in notices if notice.what.startswith(odd.notice)]
    assert (counted.count, counted.example) == (odd.count, place)
    words = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "AP"]
    said = " ".join(CliRunner().invoke(main, words).stderr.split())
    assert odd.notice in said
    assert f": {odd.count} (first at {place})" in said


def test_a_run_as_it_should_be_has_no_notice(tmp_path: Path) -> None:
    """Six fields and one tag are nothing to speak of."""
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf" + GOOD_RUN)
    assert not pw.read_runs(str(tmp_path / "run")).notices


BREAKS = {
    "NEL": "\x85",
    "LINE SEPARATOR": "\u2028",
    "PARAGRAPH SEPARATOR": "\u2029",
    "FILE SEPARATOR": "\x1c",
    "GROUP SEPARATOR": "\x1d",
    "RECORD SEPARATOR": "\x1e",
    "NO-BREAK SPACE": "\xa0",
    "EM SPACE": "\u2003",
    "IDEOGRAPHIC SPACE": "\u3000",
}
"""What Python takes for the end of a line or for a blank, and a file of TREC does not."""


@over("name", BREAKS)
def test_only_line_ends_of_files_end_a_line(tmp_path: Path, name: str) -> None:
    """An id may hold such a character, and is the same wherever it is read."""
    odd = f"a{BREAKS[name]}b"
    files = {
        "qrels": f"1 0 {odd} 1\n{odd} 0 c 1\n",
        "run": f"1 Q0 {odd} 1 2 {odd}\n{odd} Q0 c 1 1 {odd}\n",
        "groups": f"{odd} mine\n",
        "topics": f"{odd}\n",
        "subtopics": f"1 s {odd} 1\n{odd} s c 1\n",
        "records.csv": f"qid,docno,score\n1,{odd},1\n",
    }
    for file, text in files.items():
        (tmp_path / file).write_bytes(text.encode())
    scores = pw.evaluate(str(tmp_path / "qrels"), str(tmp_path / "run"), "P@1")["P@1"]
    assert scores.systems == (odd,)
    assert scores.means().tolist() == [1.0]
    assert read_groups(str(tmp_path / "groups")).names == ("mine",)
    assert pw.collection.read_topics(tmp_path / "topics") == (odd,)
    read = pw.collection.read_subtopic_judgments(tmp_path / "subtopics")
    assert set(read.topics) == {"1", odd}
    table = pw.read_judgments(str(tmp_path / "records.csv"))
    assert len(table) == 1


NAMES = (
    *("$(touch owned)", "`touch owned`", "; touch owned", "| touch owned", "&& touch owned"),
    *(
        "-rf",
        "--help",
        "~root",
        "%s%n",
        "{0.__class__}",
        "!touch owned",
        "a\nb",
        "a\tb",
        "\x1b[31mred",
    ),
    *("\u202egnp.run", "a\u2028b", "a\x85b", "%2e%2e", "con", "*", "[a]", "a?b"),
)
"""Names that a shell, a terminal, a format or a glob would take for something else."""


def test_no_name_of_a_file_is_more_than_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a file is called, it is read, nothing is run, and the name is shown escaped."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_bytes(GOOD_QRELS)
    (tmp_path / "runs").mkdir()
    for number, name in enumerate(NAMES):
        (tmp_path / "runs" / name).write_bytes(GOOD_RUN.replace(b"x\n", b"x%d\n" % number))
    result = CliRunner().invoke(main, ["evaluate", "qrels", "runs", "-m", "P@1", "-o", "out.json"])
    assert result.exit_code == 0, result.output
    record = find_record(tmp_path / "out.json")
    assert {Path(entry["path"]).name for entry in record["inputs"][1:]} == set(NAMES)
    for name in NAMES:
        (tmp_path / "runs" / name).write_bytes(b"1 Q0 a 1 high x\n")
        wrong = CliRunner().invoke(main, ["evaluate", "qrels", "--", str(tmp_path / "runs" / name)])
        assert wrong.exit_code == 3, wrong.output
        assert "\x1b" not in wrong.stderr
        assert "\u202e" not in wrong.stderr
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "runs" / "owned").exists()
