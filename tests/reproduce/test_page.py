"""The page of results, as it is kept."""

import re
from pathlib import Path

import pytest

from reproduce.results import DIFFERS, EQUAL, WITHIN

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page, or skip: a source distribution leaves it out."""
    path = ROOT / "reproduce" / "RESULTS.md"
    if not path.is_file():
        pytest.skip(f"no {path.name}: make reproduce writes it")
    return path.read_text(encoding="utf-8")


def count(page: str, verdict: str) -> int:
    """Return how many rows have this verdict, over all papers."""
    (line,) = re.findall(rf"^\| {verdict} \|(.*)\|", page, re.MULTILINE)
    return sum(map(int, re.findall(r"\d+", line)))


def test_the_readme_counts_as_the_page_does(page: str) -> None:
    """How many rows are equal, within sampling error and different, the README says rightly."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    shown = re.search(
        r"Of (\d+) rows whose own data is public, (\d+) are equal to the printed digits, (\d+) "
        r"within sampling error, and (\d+) differ",
        text,
    )
    assert shown
    counted = [count(page, verdict) for verdict in (EQUAL, WITHIN, DIFFERS)]
    assert list(map(int, shown.groups())) == [sum(counted), *counted]


def test_every_difference_is_explained(page: str) -> None:
    """No row of the page differs without saying why."""
    assert not re.findall(r"^.*\*differs\* \|  \|$", page, re.MULTILINE)
