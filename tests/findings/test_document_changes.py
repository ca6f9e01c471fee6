"""Whether judged documents still say what was judged."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.collection.formats._document_files import Document, read_hashes
from poolwise.findings import DOCUMENT_STATES
from poolwise.workflows import audit_documents, document_hashes

JUDGED = {"1": {"a": 1, "b": 0, "c": 2, "d": 1}, "2": {"a": 0, "e": 1}}
THEN = {"a": "one", "b": "two", "c": "three", "d": "four", "e": "five"}
NOW = {"a": "one", "b2": "two", "c": "another", "x": "five", "e": "none of it"}
HASHES = {name: Document(name, text).sha256 for name, text in THEN.items()}


def test_each_document_is_same_moved_changed_or_gone() -> None:
    """By hand: a stays, b and e have new ids, c has another text, d is nowhere."""
    changes = audit_documents(JUDGED, NOW, hashes=HASHES)
    states = dict(zip(changes.documents, changes.state, strict=True))
    assert states == {"a": "same", "b": "moved", "c": "changed", "d": "gone", "e": "moved"}
    assert dict(zip(changes.documents, changes.now, strict=True)) == {
        "a": "",
        "b": "b2",
        "c": "",
        "d": "",
        "e": "x",
    }
    assert changes.judgments.tolist() == [2, 1, 1, 1, 1]
    assert changes.relevant.tolist() == [1, 0, 1, 1, 1]
    assert changes.counts() == {"gone": 1, "changed": 1, "moved": 2, "same": 1}
    first, second = changes.sentences()
    assert first.startswith("4 of 5 judged documents are not what was judged (1 gone, 1 changed, ")
    assert second.startswith("4 judgments rest on them, 3 relevant")
    assert changes.columns()["document"] == ["d", "c", "b", "e", "a"]


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("vwxyz"), min_size=1),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("vwxyz"), min_size=1),
)
def test_states_follow_from_ids_and_texts(then: dict[str, str], now: dict[str, str]) -> None:
    """Whatever the corpora, the state is what the two of them say, and every document has one."""
    hashes = {name: Document(name, text).sha256 for name, text in then.items()}
    changes = audit_documents({"1": dict.fromkeys(then, 1)}, now, hashes=hashes)
    for name, state, moved in zip(changes.documents, changes.state, changes.now, strict=True):
        holders = sorted(other for other, text in now.items() if text == then[name])
        if now.get(name) == then[name]:
            expected = "same"
        elif holders:
            expected = "moved"
        else:
            expected = "changed" if name in now else "gone"
        assert state == expected
        assert sorted(filter(None, moved.split(", "))) == (holders if state == "moved" else [])
    assert set(changes.state) <= set(DOCUMENT_STATES)


def test_hashes_of_today_are_those_of_the_next_time(tmp_path: Path) -> None:
    """What is kept now makes everything the same until a text changes."""
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in THEN.items()))
    first = audit_documents(JUDGED, corpus)
    assert set(first.state) == {"not known"}
    (tmp_path / "then.tsv").write_bytes(document_hashes(first))
    assert read_hashes(tmp_path / "then.tsv") == HASHES
    again = audit_documents(JUDGED, corpus, hashes=tmp_path / "then.tsv")
    assert set(again.state) == {"same"}
    assert again.sentences() == ("5 judged documents say what was judged.",)


def test_the_labels_of_a_campaign_have_the_hashes(tmp_path: Path) -> None:
    """Its column document_sha256 is read by its name, and an empty one says nothing."""
    lines = ["assessor\ttopic\tdocument\tgrade\tdocument_sha256"]
    lines += [f"A1\t1\t{name}\t1\t{code}" for name, code in HASHES.items()]
    (tmp_path / "labels.tsv").write_text("\n".join([*lines, "A1\t1\tz\t1\t"]) + "\n")
    assert read_hashes(tmp_path / "labels.tsv") == HASHES


def test_one_text_under_two_ids_with_other_grades_is_told() -> None:
    """A gold set that says yes and no of one text contradicts itself."""
    changes = audit_documents({"7": {"a": 1, "b": 0, "c": 0}}, {"a": "x", "b": "x", "c": "y"})
    assert changes.conflicts == (("7", ("a", "b")),)
    assert any("such as a, b on topic 7" in said for said in changes.sentences())
    agreed = audit_documents({"7": {"a": 1, "b": 2}}, {"a": "x", "b": "x"})
    assert agreed.conflicts == ()


@pytest.mark.parametrize("line", ["a", "a\tnosuchhash", "a " + "0" * 64])
def test_a_file_without_hashes_is_refused(tmp_path: Path, line: str) -> None:
    """The error has the line, and says where such a file comes from."""
    (tmp_path / "then.tsv").write_text(f"b\t{'0' * 64}\n{line}\n")
    with pytest.raises(pw.InputError, match=r"then.tsv:2: .*audit --save-hashes"):
        audit_documents(JUDGED, NOW, hashes=tmp_path / "then.tsv")
