"""Files of a ledger: their bytes, their schemas, and what is refused of them."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

from poolwise.errors import InputError
from poolwise.store import RESULT_SCHEMA, VERSION_SCHEMA, LedgerFolder
from poolwise.store._ledger_folder import file_name
from poolwise.store._ledger_records import (
    Added,
    FileRef,
    MeasuredScores,
    ResultRecord,
    Retraction,
    VersionRecord,
    full_name,
)
from poolwise.store._record_schemas import schema_errors

ADDED = Added("ann", "2026-11-18", "0.3.0")
RECORD = ResultRecord(
    kind="scored",
    collection="trec8",
    version="3f5a12345678",
    run="bm25",
    file=FileRef("../runs/bm25.run", "ab" * 32),
    added=ADDED,
    depth=1000,
    missing=("403",),
    scores={"AP": MeasuredScores("AP(rel=1)", (0.25, math.nan), (0.1, 0.0), (0.5, 1.0))},
    metadata={"automatic": True, "year": 1999},
)
VERSION = VersionRecord(
    kind="scored",
    collection="trec8",
    version="3f5a12345678",
    content="3f" * 32,
    file=FileRef("../qrels.gz", "cd" * 32),
    added=ADDED,
    topics=("401", "402"),
    ties="trec_eval",
    grades=(0.0, 1.0),
    judged={"0": (3, 4), "1": (1, 0)},
)


def test_bytes_are_the_same_for_the_same_result() -> None:
    """Nothing of the machine, the time or the order of a dict is in them."""
    assert RECORD.to_bytes() == RECORD.to_bytes()
    assert RECORD.to_bytes().isascii()
    assert b"\r" not in RECORD.to_bytes()


def test_records_are_read_back_as_they_were() -> None:
    """To the last digit, with undefined scores; a retraction is kept."""
    gone = replace(RECORD, retracted=Retraction("wrong topics", "bob", "2026-11-19"))
    for record in (RECORD, gone):
        again = ResultRecord.of_bytes(record.to_bytes(), "x.json")
        assert repr(again) == repr(record)
        assert again.to_bytes() == record.to_bytes()
    assert repr(VersionRecord.of_bytes(VERSION.to_bytes(), "v.json")) == repr(VERSION)


def test_files_keep_to_the_published_schemas() -> None:
    """As another tool reads these schemas (jsonschema)."""
    gone = replace(RECORD, retracted=Retraction("wrong topics", "bob", "2026-11-19"))
    for record in (RECORD, gone):
        jsonschema.validate(json.loads(record.to_bytes()), RESULT_SCHEMA)
    jsonschema.validate(json.loads(VERSION.to_bytes()), VERSION_SCHEMA)


PLAIN = json.loads(RECORD.to_bytes())
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.just([]), st.just({})
)


def changed(record: dict[str, Any], name: str, value: Any, inner: str) -> dict[str, Any]:
    """Return a record with one member changed, or a member of a member."""
    if inner and isinstance(record.get(name), dict):
        return {**record, name: {**record[name], inner: value}}
    return {**record, name: value}


@given(
    st.sampled_from([*PLAIN, "unheard"]),
    ODD,
    st.sampled_from(["", "path", "AP", "year", "date", "z"]),
)
def test_our_check_finds_what_jsonschema_finds(name: str, value: Any, inner: str) -> None:
    """A wrong kind, a missing or an unknown member: both refuse the same records."""
    record = changed(PLAIN, name, value, inner)
    valid = jsonschema.Draft202012Validator(RESULT_SCHEMA).is_valid(record)
    assert valid == (not list(schema_errors(record, RESULT_SCHEMA)))


@over("name", list(PLAIN))
def test_a_missing_member_is_named(name: str) -> None:
    """The file, the member and what to do are in the error."""
    record = {key: value for key, value in PLAIN.items() if key != name}
    with pytest.raises(InputError, match=rf"x\.json: .*{name}"):
        ResultRecord.of_bytes(json.dumps(record).encode(), "x.json")


def test_a_changed_digit_is_found() -> None:
    """The hash of the file is over all that comes before it."""
    for old, new in ((b"0.25", b"0.35"), (b'"year": 1999', b'"year": 1998'), (b"bm25", b"bm26")):
        content = RECORD.to_bytes().replace(old, new, 1)
        with pytest.raises(InputError, match=r"x\.json: .*was changed"):
            ResultRecord.of_bytes(content, "x.json")


def test_other_ends_of_lines_are_no_change() -> None:
    """Git may write them as it checks files out."""
    content = RECORD.to_bytes().replace(b"\n", b"\r\n")
    assert repr(ResultRecord.of_bytes(content, "x.json")) == repr(RECORD)


def test_a_later_schema_is_refused() -> None:
    """With a hint that works: a newer poolwise."""
    content = RECORD.to_bytes().replace(b'"schema": 1', b'"schema": 2')
    with pytest.raises(InputError, match="install a newer poolwise"):
        ResultRecord.of_bytes(content, "x.json")


@over("content", [b"", b"{", b"[]", b"null", b'"x"', b"[" * 20_000, b"\xff\xfe"])
def test_what_is_no_record_is_refused(content: bytes) -> None:
    """Whatever bytes a file has, the error is ours and names it."""
    with pytest.raises(InputError, match=r"^x\.json: "):
        ResultRecord.of_bytes(content, "x.json")


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_names_are_safe_for_file_systems(name: str) -> None:
    """No separator, no dot at the beginning, and different names stay different."""
    safe = file_name(name)
    assert not set(safe) & set('/\\:*?"<>|\0')
    assert not safe.startswith(".")
    assert safe.isascii()


def test_names_of_measures_have_every_parameter() -> None:
    """Also those that short names leave out, so that a changed default is another version."""
    from poolwise import RBP, nDCG

    assert full_name(nDCG @ 10) == "nDCG(dcg='log2',base=2,cutoff=10)"
    assert "p=0.8" in full_name(RBP)
    assert full_name(nDCG(dcg="jk") @ 10) != full_name(nDCG @ 10)


def test_a_folder_of_others_is_no_ledger(tmp_path: Path) -> None:
    """It is neither read nor filled."""
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"ledger\.json"):
        LedgerFolder.at(tmp_path)
    with pytest.raises(InputError, match="holds other files"):
        LedgerFolder.at(tmp_path, make=True)


def test_a_file_in_another_place_is_refused(tmp_path: Path) -> None:
    """A result that was renamed by hand would be that of another run."""
    folder = LedgerFolder(tmp_path / "results")
    folder.write_version(VERSION)
    folder.write([RECORD])
    place = folder.place("trec8", VERSION.version, "bm25")
    place.rename(place.with_name("other.json"))
    with pytest.raises(InputError, match=r"other\.json: .*bm25"):
        folder.results("trec8", VERSION.version)


def test_versions_follow_each_other(tmp_path: Path) -> None:
    """By what each says it followed, not by their names."""
    folder = LedgerFolder(tmp_path / "results")
    for name, before in (("b", ""), ("c", "a"), ("a", "b")):
        folder.write_version(replace(VERSION, version=name, before=before))
    assert [version.version for version in folder.versions("trec8")] == ["b", "a", "c"]
