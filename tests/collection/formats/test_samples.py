"""Judgments that are a sample, in NIST's five columns and as prels."""

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.each import over

from poolwise import InputError, OptionError, align, read_judgments, read_runs, score

STRATA = b"1 0 a 1 2\n1 0 b 2 -1\n1 0 c 2 0\n2 0 a 1 0\n"
PRELS = b"1 a 2 1 1.0\n1 c 0 1 0.25\n2 a 0 1 1\n"


def written(folder: Path, data: bytes) -> Path:
    """Write a file of judgments."""
    path = folder / "qrels"
    path.write_bytes(data)
    return path


def test_five_columns_keep_the_strata(tmp_path: Path) -> None:
    """Grades and strata are those of the lines; a negative grade marks what was not sampled."""
    judgments = read_judgments(written(tmp_path, STRATA))
    assert judgments.to_dict() == {"1": {"a": 2, "b": -1, "c": 0}, "2": {"a": 0}}
    assert judgments.stratum is not None
    assert judgments.stratum.tolist() == ["1", "2", "2", "1"]
    assert judgments.probability is None
    assert judgments.is_sample


def test_prels_keep_the_probabilities(tmp_path: Path) -> None:
    """Grades, methods and probabilities are those of the lines."""
    judgments = read_judgments(written(tmp_path, PRELS))
    assert judgments.to_dict() == {"1": {"a": 2, "c": 0}, "2": {"a": 0}}
    assert judgments.probability is not None
    assert judgments.probability.tolist() == [1, 0.25, 1]


@over("compress", [gzip.compress, bz2.compress, lzma.compress])
@over("data", [STRATA, PRELS])
def test_compressed_files_say_the_same(
    data: bytes, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A compressed file is read as the plain one is."""
    plain = read_judgments(written(tmp_path, data))
    packed = read_judgments(written(tmp_path, compress(data)))
    assert packed.to_dict() == plain.to_dict()


@pytest.mark.parametrize("data", [STRATA, PRELS, b"1 0 a 1\n"])
def test_standard_input_is_looked_at_and_read(
    data: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What comes but once is told by its columns, too, sampled or not."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    judgments = read_judgments("-")
    stored = read_judgments(written(tmp_path, data))
    assert judgments.to_dict() == stored.to_dict()
    assert judgments.source.sha256 == stored.source.sha256


def test_rows_are_in_byte_order_whatever_the_order_of_lines(tmp_path: Path) -> None:
    """Lines may come in any order, with comments and empty lines between them."""
    lines = [b"# a sample", b"", *reversed(STRATA.splitlines())]
    judgments = read_judgments(written(tmp_path, b"\r\n".join(lines)))
    plain = read_judgments(written(tmp_path, STRATA))
    assert list(judgments) == list(plain)
    assert np.array_equal(judgments.stratum, plain.stratum)  # type: ignore[arg-type]


def test_documents_that_are_numbers_do_not_confuse(tmp_path: Path) -> None:
    """The second column, the same on all lines, tells strata from prels."""
    strata = read_judgments(written(tmp_path, b"1 0 12 1 1\n1 0 13 1 0\n"))
    assert strata.to_dict() == {"1": {"12": 1, "13": 0}}
    prels = read_judgments(written(tmp_path, b"1 12 1 1 1\n1 13 0 1 1\n"))
    assert prels.to_dict() == strata.to_dict()
    assert prels.probability is not None
    judgments = read_judgments(written(tmp_path, b"1 0 1 1 0.5\n"), layout="prels")
    assert judgments.to_dict() == {"1": {"0": 1}}


def test_negative_grades_can_be_taken_as_zero(tmp_path: Path) -> None:
    """With ``negative="zero"``, whatever is in the universe counts as judged, and is counted."""
    judgments = read_judgments(written(tmp_path, STRATA), negative="zero")
    assert judgments.to_dict()["1"] == {"a": 2, "b": 0, "c": 0}
    assert str(judgments.notices[0]) == "negative grades taken as 0: 1"


@over(
    "data, rule",
    [
        (b"1 0 a 1 1\n1 0 b 2\n", ":2: a line must have at least 5 fields"),
        (b"1 0 a 1 1\n1 0 b 2 0 0\n", ":2: a line must have at most 5 fields"),
        (b"1 0 a 1 1\n1 0 b 2 yes\n", ":2: a score or grade must be a number; got 'yes'"),
        (b"1 0 a 1 1\n1 0 b 2 inf\n", ":2: a score or grade must be finite"),
        (b"1 0 a 1 1\n1 0 a 2 0\n", ":2: a document may occur once .* on line 1 too"),
        (b"1 a 1 1 1\n1 b 1 1 0\n", ":2: a probability must be above 0 and at most 1; got '0'"),
        (b"1 a 1 1 1\n1 b 1 1 1.5\n", ":2: a probability must be above 0 and at most 1"),
    ],
)
def test_bad_lines_are_named(data: bytes, rule: str, tmp_path: Path) -> None:
    """An error names the line, the rule and the value; a lenient reader counts the line."""
    path = written(tmp_path, data)
    with pytest.raises(InputError, match=rule):
        read_judgments(path)
    judgments = read_judgments(path, malformed="skip", duplicates="first")
    assert len(judgments) == 1
    assert [notice.count for notice in judgments.notices] == [1]


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """A byte that no text holds is named by its line, and is not skipped."""
    path = written(tmp_path, b"1 0 a 1 1\n1 0 b\0 2 0\n")
    with pytest.raises(InputError, match=":2: the file must be text, and holds a NUL byte"):
        read_judgments(path, malformed="skip")


@pytest.mark.parametrize(("rule", "grade"), [("first", 1), ("last", 0), ("best", 2)])
def test_duplicates_follow_the_rule(rule: str, grade: float, tmp_path: Path) -> None:
    """Of a document that stands twice, the first line counts, the last, or the highest grade."""
    path = written(tmp_path, b"1 0 a 1 1\n1 0 a 1 2\n1 0 a 1 0\n")
    assert read_judgments(path, duplicates=rule).to_dict() == {"1": {"a": grade}}
    with pytest.raises(OptionError, match="duplicates"):
        read_judgments(path, duplicates="second")


def test_documents_not_sampled_are_unknown(tmp_path: Path) -> None:
    """To measures that do not estimate, what was not sampled is unjudged, and leaves a range."""
    judgments = read_judgments(written(tmp_path, STRATA))
    evidence = align(judgments, read_runs({"run": {"1": {"a": 3, "b": 2, "c": 1}}}))
    table = score(evidence, "P@3")
    assert (table.value[0, 0], table.upper[0, 0]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
