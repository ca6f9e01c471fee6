"""What the pages about the papers name is there."""

import re
from functools import reduce
from pathlib import Path

import click
import pytest

import poolwise as pw
from poolwise.cli.main import main

PAGES = sorted((Path(__file__).parents[1] / "docs" / "papers").glob("[a-z][0-9][0-9].md"))
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def find_command(words: list[str]) -> click.Command | None:
    """Return the command of these words, or None."""
    command: click.Command | None = main
    for word in words:
        if not isinstance(command, click.Group):
            return None
        command = command.get_command(click.Context(command), word)
    return command


def is_there(name: str) -> bool:
    """Say whether a Python name can be reached, or a command has the options behind it."""
    if name.startswith("pw."):
        try:
            reduce(getattr, name.split(".")[1:], pw)
        except AttributeError:
            return False
        return True
    _, *words = name.split()
    options = [word for word in words if word.startswith("--")]
    command = find_command([word for word in words if word not in options])
    return command is not None and {*options} <= {o for p in command.params for o in p.opts}


@every_page
def test_what_a_page_names_exists(page: Path) -> None:
    """A Python name can be reached, and a command has the options that stand behind it."""
    names = {*re.findall(r"`((?:pw\.|poolwise )[^`]+)`", page.read_text("utf-8"))}
    assert names
    assert sorted(name for name in names if not is_there(name)) == []


def test_a_name_that_is_nowhere_is_found() -> None:
    """The test above is not green for any name."""
    assert is_there("poolwise evaluate --bounds")
    for name in ("pw.evaluat", "poolwise evaluat", "poolwise evaluate --bound"):
        assert not is_there(name)


def test_every_paper_has_a_page() -> None:
    """The five texts are there, and the index lists them."""
    assert [page.stem for page in PAGES] == ["b23", "d10", "g16", "u18", "w10"]
    index = (PAGES[0].parent / "index.md").read_text("utf-8")
    assert all(f"\n{page.stem}\n" in index for page in PAGES)


@every_page
def test_no_section_is_left_without_a_line(page: Path) -> None:
    """Each row says a section, what it describes, and what poolwise has of it."""
    rows = [line.split("|")[1:-1] for line in page.read_text("utf-8").splitlines() if "|" in line]
    assert len(rows) > 5
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in rows)


@every_page
def test_no_recommendation_goes_without_a_line(page: Path) -> None:
    """What a paper advises or wishes for has a line: "nothing to compute" would hide it."""
    text = page.read_text(encoding="utf-8")
    assert "nothing to compute" not in text.lower()
    if page.stem != "w10":
        assert re.search(r"\| \d+ \| (Recommended|Wished for): ", text)


def test_the_last_chapter_of_the_thesis_is_told_rightly() -> None:
    """W10 §8.2.1 standardizes all years by one set of runs: by their own every mean is 0."""
    table = pw.ScoreTable.from_matrix(
        [[0.1, 0.4], [0.3, 0.8], [0.2, 0.9]], systems="abc", topics="12", measure="AP"
    )
    assert abs(pw.standardize(table).means().mean()) < 1e-12
    (page,) = (path for path in PAGES if path.stem == "w10")
    assert "By the factors of its own runs the mean of every year would be 0." in page.read_text()
