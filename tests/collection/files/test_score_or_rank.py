"""The third column of a run is what its header says, or what all of its values say."""

from pathlib import Path

import pytest
from tests.each import over

from poolwise import evaluate, read_judgments, read_runs
from poolwise.errors import InputError

pytestmark = pytest.mark.usefixtures("both_readers")

QRELS = {"1": {"a": 1, "c": 1}}


def ranking(folder: Path, text: str, **reading: str) -> list[str]:
    path = folder / "run.tsv"
    path.write_text(text)
    return read_runs(path, **reading).ranking("run", "1")


@pytest.mark.parametrize("name", ["score", "SCORE"])
def test_a_header_of_scores_is_honoured(name: str, tmp_path: Path) -> None:
    """The best score comes first, also where the scores are whole numbers that rise."""
    text = f"query-id corpus-id {name}\n1 a 3.5\n1 b 1\n1 c 2.25\n"
    assert ranking(tmp_path, text) == ["a", "c", "b"]
    table = evaluate(QRELS, tmp_path / "run.tsv", "AP").scores[0]
    assert table.value.tolist() == [[1.0]]
    assert ranking(tmp_path, f"query-id corpus-id {name}\n1 a 1\n1 b 2\n") == ["b", "a"]


@pytest.mark.parametrize("layout", ["auto", "columns"])
def test_a_header_of_ranks_is_honoured(layout: str, tmp_path: Path) -> None:
    """The lowest rank comes first; a rank that is no whole number is refused."""
    header = "qid docno rank\n"
    assert ranking(tmp_path, header + "1 a 30\n1 b 7\n1 c 9.0\n", layout=layout) == ["b", "c", "a"]
    with pytest.raises(InputError, match=r"run\.tsv:3: a rank must be a whole number.*'3\.5'"):
        ranking(tmp_path, header + "1 a 1\n1 b 3.5\n", layout=layout)


@over("header", ["query-id corpus-id clicks", "query-id score corpus-id", "qid title rank"])
def test_a_header_that_is_not_understood_is_refused(header: str, tmp_path: Path) -> None:
    """Nobody guesses what a column is that has a name."""
    path = tmp_path / "run.tsv"
    path.write_text(f"{header}\n1 a 1\n")
    for read in (read_runs, read_judgments):
        with pytest.raises(InputError, match=r"run\.tsv:1: a header of three columns must name"):
            read(path)


def test_an_id_may_be_the_name_of_a_column(tmp_path: Path) -> None:
    """A line that ends in a number is no header."""
    path = tmp_path / "run.tsv"
    path.write_text("query-id a 1\n")
    assert read_runs(path).topics == ("query-id",)
    assert read_judgments(path).topics == ("query-id",)


@over(
    "lists, kind, first",
    [
        ("1 a 1|1 b 2|2 c 1", "ranks", "a"),
        ("1 a 3|1 b 7|2 c 9", "ranks", "a"),
        ("1 a 2|1 b 3|1 c 1", "ranks", "c"),
        ("1 a 0|1 b 1|2 c 0", "ranks", "a"),
        ("1 a 12|1 b 7|1 c 3|2 d 9", "scores", "a"),
        ("1 a 7|1 b 7|2 c 7", "scores", "b"),
        ("1 a 1|1 b 2|1 c 2.5", "scores", "c"),
        ("1 a 1|1 b 2|2 c -1", "scores", "b"),
    ],
)
def test_without_a_header_all_values_tell_and_a_notice_says_what(
    lists: str, kind: str, first: str, tmp_path: Path
) -> None:
    """Fractions are scores; whole numbers that rise or count are ranks, and that fall, scores."""
    assert ranking(tmp_path, lists.replace("|", "\n"))[0] == first
    path = tmp_path / "run.tsv"
    said = (
        f"runs of three columns without a header, the third read as {kind}: 1 (first at {path}:1)"
    )
    assert str(read_runs(path).notices[0]) == said
    assert said in map(str, evaluate(QRELS, path, "AP").scores[0].provenance.notices)


@over("lists", ["1 a 5|1 b 9|1 c 7", "1 a 1|1 b 2|2 c 9|2 d 3|", "1 a 1|1 b 1|1 c 2"])
def test_whole_numbers_that_could_be_either_are_refused(lists: str, tmp_path: Path) -> None:
    """A header settles it, as the hint says."""
    text = lists.replace("|", "\n")
    with pytest.raises(
        InputError, match=r"run\.tsv: without a header, whole numbers .* Hint: begin"
    ):
        ranking(tmp_path, text)
    with pytest.raises(InputError, match="could be ranks or scores"):
        evaluate(QRELS, tmp_path / "run.tsv", "AP")
    assert ranking(tmp_path, f"query-id corpus-id score\n{text}")
    assert ranking(tmp_path, f"query-id corpus-id rank\n{text}")
