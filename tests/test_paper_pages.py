"""What the pages about the papers name is there."""

import re
from functools import reduce
from pathlib import Path

import click
import pytest

import poolwise as pw
from poolwise.cli.main import main

PAGES = sorted((Path(__file__).parents[1] / "docs" / "papers").glob("[a-z][0-9][0-9].md"))
NAMES = [
    pytest.param(name, id=f"{page.stem}: {name}")
    for page in PAGES
    for name in dict.fromkeys(re.findall(r"`((?:pw\.|poolwise )[^`]+)`", page.read_text("utf-8")))
]


def find_command(words: list[str]) -> click.Command:
    """Return the command of these words."""
    found: click.Command = main
    for word in words:
        assert isinstance(found, click.Group)
        below = found.get_command(click.Context(found), word)
        assert below is not None, word
        found = below
    return found


@pytest.mark.parametrize("name", NAMES)
def test_what_a_page_names_exists(name: str) -> None:
    """A Python name can be reached, and a command has the options that stand behind it."""
    if name.startswith("pw."):
        reduce(getattr, name.split(".")[1:], pw)
        return
    _, *words = name.split()
    options = [word for word in words if word.startswith("--")]
    command = find_command([word for word in words if word not in options])
    assert {*options} <= {option for p in command.params for option in p.opts}


def test_every_paper_has_a_page() -> None:
    """The five texts are there, and the index lists them."""
    assert [page.stem for page in PAGES] == ["b23", "d10", "g16", "u18", "w10"]
    index = (PAGES[0].parent / "index.md").read_text("utf-8")
    assert all(f"\n{page.stem}\n" in index for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_section_is_left_without_a_line(page: Path) -> None:
    """Each row says a section, what it describes, and what poolwise has of it."""
    rows = [line.split("|")[1:-1] for line in page.read_text("utf-8").splitlines() if "|" in line]
    assert len(rows) > 5
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in rows)
