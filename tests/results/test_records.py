"""What a file says of where its numbers come from."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.provenance._provenance import Provenance, Source
from poolwise.results._parquet import parquet_record, write_parquet
from poolwise.results._record_files import find_record, is_written_by_poolwise
from poolwise.results._records import (
    comment,
    json_text,
    numbers_digest,
    record_of,
)
from poolwise.results._replays import kept_columns
from poolwise.results._seals import OPEN_SEAL, sealed

MADE = record_of(Provenance(Source("<dict>")), "3f", command=["evaluate"])


@given(words=st.lists(st.text(), min_size=1), form=st.sampled_from(["md", "html", "latex"]))
def test_a_comment_is_one_line_that_holds_everything(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], form: str
) -> None:
    """Whatever a path is called, the comment ends where it should, and reads back."""
    record = {**MADE, "command": words}
    line = comment(record, form)
    assert line.isascii()
    assert "\n" not in line
    if form != "latex":
        assert line.index("-->") == len(line) - 3
        assert "--" not in line[4:-3]
    path = tmp_path_factory.mktemp("comment") / "file"
    path.write_bytes(sealed(f"{line}\n\n| run |\n".encode()))
    assert {**find_record(path), "seal": OPEN_SEAL} == record
    assert is_written_by_poolwise(path)


@given(text=st.text(alphabet=st.characters(), max_size=20), ascii_only=st.booleans())
def test_json_reads_back_whatever_its_encoding_is(text: str, ascii_only: bool) -> None:  # noqa: FBT001 -- drawn
    """Escapes stand for what UTF-8 or ASCII cannot hold."""
    written = json_text(json.dumps(text, ensure_ascii=False), ascii_only=ascii_only)
    assert json.loads(written.encode("ascii" if ascii_only else "utf-8")) == text


def test_bytes_that_are_not_utf8_survive_json() -> None:
    """A name reads back as the text that stands for its bytes."""
    written = json_text(json.dumps("caf\udce9", ensure_ascii=False))
    assert json.loads(written.encode()) == "caf\udce9"


def test_parquet_holds_the_record_and_plain_columns(tmp_path: Path) -> None:
    """Other programs read the columns; ours finds the record in the metadata."""
    path = tmp_path / "x.parquet"
    write_parquet({"run": ["a", "caf\udce9"], "p": [0.5, float("nan")]}, path, record=MADE)
    assert pq.read_table(path)["run"].to_pylist() == ["a", "caf\\xe9"]
    assert parquet_record(path) == MADE
    assert find_record(path) == MADE
    write_parquet({"p": [0.5]}, path)
    assert not is_written_by_poolwise(path)


def test_a_page_made_in_python_holds_its_provenance(tmp_path: Path) -> None:
    """It has inputs, options and the digest of its numbers, though no command."""
    pytest.importorskip("vl_convert")
    made = pw.simulate(systems=3, topics=4, depth=10, rng=1)
    overview = pw.report(made.judgments, made.runs, ["P@5"], rng=5)
    (tmp_path / "page.html").write_text(pw.html_page(overview), "utf-8")
    record = find_record(tmp_path / "page.html")
    assert record["options"]["seed"] == 5
    assert record["command"] == []
    assert record["numbers"] == numbers_digest(*(part.columns() for part in overview.parts()))


def test_options_of_any_kind_are_written() -> None:
    """Measures, tuples and nothing have a form in JSON."""
    origin = Provenance().with_options(measure=pw.nDCG @ 10, depths=(1, 2), groups=None)
    options = record_of(origin, "")["options"]
    assert json.loads(json.dumps(options)) == {
        "measure": "nDCG@10",
        "depths": [1, 2],
        "groups": None,
    }


def test_every_input_has_its_hash(tmp_path: Path) -> None:
    """Those that the finding read, and those that the command was given beside them."""
    for name in ("qrels", "groups"):
        (tmp_path / name).write_text(name)
    origin = Provenance(Source.of_file(str(tmp_path / "qrels")))
    record = record_of(origin, "", files=[str(tmp_path / "qrels"), str(tmp_path / "groups"), "-"])
    assert [Path(entry["path"]).name for entry in record["inputs"]] == ["qrels", "groups"]
    assert all(len(entry["sha256"]) == 64 for entry in record["inputs"])


def test_no_file_has_no_rows(tmp_path: Path) -> None:
    """Where neither a file nor one beside its record is, nothing is compared."""
    assert kept_columns(tmp_path / "nowhere.tsv") is None
