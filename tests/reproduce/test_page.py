"""The page of results: how it is made, and as it is kept."""

import re
from pathlib import Path

import pytest

from reproduce import __main__ as command
from reproduce.inventory import TABLES
from reproduce.page import count, render
from reproduce.results import Section, compare, pattern

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page, or skip: a source distribution leaves it out."""
    path = ROOT / "reproduce" / "RESULTS.md"
    if not path.is_file():
        pytest.skip(f"no {path.name}: make reproduce writes it")
    return path.read_text(encoding="utf-8")


def counted(page: str) -> dict[str, int]:
    """Return the numbers of the count line, by name."""
    words = count(page).split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def test_the_readme_counts_as_the_page_does(page: str) -> None:
    """How many cells are compared, equal, within and different, the README says rightly."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    shown = re.search(
        r"Of (\d+) printed numbers whose data is public, (\d+) are compared: (\d+) are equal to "
        r"the printed digits, (\d+) within sampling error or rounding, and (\d+) differ",
        text,
    )
    assert shown
    assert list(map(int, shown.groups())) == list(counted(page).values())


def test_nearly_all_coverable_cells_are_compared_and_most_are_equal(page: str) -> None:
    """Of the cells that public data covers, at least 600 are compared, and 490 equal."""
    numbers = counted(page)
    assert numbers["compared"] >= 600
    assert numbers["equal"] >= 490
    assert numbers["compared"] <= numbers["coverable"] == sum(t.coverable for t in TABLES)


def test_no_table_has_more_cells_compared_than_coverable(page: str) -> None:
    """A cell is counted once; a table that is not compared in full says why."""
    line = r"^\| (\w+ (?:[\d.]+|text)) \| (\d+) \| (\d+) \| (\d+) \|.*\| (.*) \|$"
    rows = re.findall(line, page, re.MULTILINE)
    assert len(rows) == len(TABLES)
    for name, printed, coverable, compared, why in rows:
        assert int(compared) <= int(coverable) <= int(printed), name
        assert why or coverable == printed, name


def test_every_difference_is_explained(page: str) -> None:
    """No row of the page differs without saying why."""
    assert not re.findall(r"^.*\d differ \|[^|]*\|  \|$", page, re.MULTILINE)


def section() -> Section:
    """Return a section with a cell of a table, one of a text, and a pattern."""
    rows = (
        compare("a|b", [1, 2], [1, 3], digits=0, table="4.9", remark="because"),
        compare("c", 1, 1, digits=0),
        pattern("d", "high", "low", "high", holds=False),
    )
    return Section("W10: a thesis", "Table 4.9", rows, "A choice.", "x.svg", ("Another: 5.",), 3)


def test_the_page_counts_the_cells_of_tables_and_texts() -> None:
    """Cells of tables and numbers of texts are counted; patterns are not."""
    page = render([section()], hashes={"qrels.gz": "ab12"})
    assert counted(page) == {
        "coverable": sum(table.coverable for table in TABLES),
        "compared": 3,
        "equal": 2,
        "within": 0,
        "differ": 1,
    }


def test_the_page_keeps_reproduction_and_other_data_apart() -> None:
    """Rows stand under the same data, or under other data; a bar does not break a table."""
    page = render([section()], hashes={"qrels.gz": "ab12"})
    same, other = page.split("## The method on other data")
    row = "| a¦b | 1 2 | 1 3 | W10 table 4.9: 1 equal, 1 differ | +1.0 | because |"
    assert row in same
    assert "does not hold: high" in other
    assert "does not hold" not in same
    assert "A choice.\n\n- Another: 5.\n\n![Table 4.9](figures/x.svg)" in same
    assert "| qrels.gz | ab12 |" in other


def test_the_page_names_what_is_left_out() -> None:
    """Sections whose data is not there are named, not silently missing."""
    assert "Left out, since their data is not there: d10 table_1." in render([], ["d10 table_1"])


def test_a_section_can_be_chosen_alone() -> None:
    """A paper stands for all its sections, a section for itself."""
    assert command.chosen(["w10.table_5_2"]) == ["w10.table_5_2"]
    assert command.chosen(["g16"]) == [n for n in command.TASKS if n.startswith("g16.")]
    assert command.chosen(None) == list(command.TASKS)


def test_the_count_is_read_from_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--count` prints one line, from the page that is there."""
    (tmp_path / "page.md").write_text(render([section()]), encoding="utf-8")
    command.main(["--count", "--results", str(tmp_path / "page.md")])
    assert capsys.readouterr().out.endswith("compared 3 equal 2 within 0 differ 1\n")


def test_inputs_are_known_by_their_hashes(tmp_path: Path) -> None:
    """A changed file of a folder changes the folder's hash."""
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores/a.csv").write_text("1", encoding="utf-8")
    before = command.hashes(tmp_path)
    (tmp_path / "scores/a.csv").write_text("2", encoding="utf-8")
    assert list(before) == ["scores"]
    assert command.hashes(tmp_path) != before
