"""The record of topics on which runs were judged for their own sake."""

from pathlib import Path

import pytest

from poolwise.collection._common_topics import CommonTopics, read_common_topics
from poolwise.errors import InputError


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """Runs, topics, depths and seeds survive the file, names with blanks and odd bytes too."""
    made = CommonTopics.of(["bm25", "a run", "d\udce9j"], ["401", "x 2"], depth=7, seed=3)
    path = tmp_path / "common.tsv"
    path.write_bytes(made.to_bytes())
    assert read_common_topics(path) == made


def test_records_may_stand_one_below_the_other(tmp_path: Path) -> None:
    """A later draw for another run is added below, with its heading."""
    path = tmp_path / "common.tsv"
    first, second = (CommonTopics.of([run], ["1", "2"], depth=5, seed=1) for run in "ab")
    path.write_bytes(first.to_bytes() + second.to_bytes())
    assert read_common_topics(path) == CommonTopics.of(["a", "b"], ["1", "2"], depth=5, seed=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has the columns run, topic, depth, seed"),
        ("401\n402\n", "has the columns run, topic, depth, seed"),
        ("run\ttopic\tdepth\tseed\nbm25\t401\tdeep\t1\n", "common.tsv:2: a line holds a run"),
        ("run\ttopic\tdepth\tseed\nbm25 401 10 1\n", "common.tsv:2: a line holds a run"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """The error has the file, the line and the command that makes a record."""
    (tmp_path / "common.tsv").write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        read_common_topics(tmp_path / "common.tsv")
    assert "--goal common:10 --save FILE" in str(refused.value)


def test_a_missing_record_is_refused(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(InputError, match="must be readable"):
        read_common_topics(tmp_path / "none.tsv")
