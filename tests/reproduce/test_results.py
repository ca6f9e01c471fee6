"""Rows, verdicts and the page."""

import doctest

import pytest

from reproduce import results
from reproduce.results import DIFFERS, EQUAL, PATTERN, WITHIN, Section, compare, pattern, render


def test_the_examples_of_the_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(results).failed == 0


@pytest.mark.parametrize(
    ("ours", "error", "verdict"),
    [
        (0.7254, None, EQUAL),
        (0.7266, None, DIFFERS),
        (0.7266, 0.001, WITHIN),
        (0.728, 0.001, DIFFERS),
    ],
)
def test_a_verdict_follows_from_digits_and_error(
    ours: float, error: float | None, verdict: str
) -> None:
    """Equal is to the printed digit; sampling error excuses twice the stated standard error."""
    assert compare("AP", 0.725, ours, error=error).verdict == verdict


def test_one_cell_decides_a_row() -> None:
    """A row is equal only if every cell is, and says how many are not."""
    row = compare("AP", [0.1, 0.2, 0.3], [0.1, 0.2, 0.31], digits=2, remark="because")
    assert (row.verdict, row.difference, row.remark) == (DIFFERS, "0.010 (1 of 3)", "because")


def test_an_equal_row_needs_no_remark() -> None:
    """A remark explains a difference; without one it is left out."""
    assert not compare("AP", 0.1, 0.1, remark="because").remark


def test_a_pattern_says_whether_it_holds() -> None:
    """A claim that fails on our data is shown as such."""
    row = pattern("τ", "0.9", "0.1", "high", holds=False)
    assert (row.verdict, row.remark) == (PATTERN, "does not hold: high")


def test_the_page_counts_verdicts_and_keeps_tables_whole() -> None:
    """The page counts rows by verdict and paper; a bar in a cell does not break the table."""
    rows = (compare("a|b", 1, 1, digits=0), compare("c", 1, 2, digits=0))
    page = render([Section("X1: a paper", "Table 1", rows, "A choice.", "x.svg")])
    assert "| equal | 1 |" in page
    assert "| differs | 1 |" in page
    assert "| a¦b | 1 | 1 | 0 | *equal* |  |" in page
    assert "### Table 1\n\nA choice.\n\nFigure: `out/reproduce/x.svg`" in page


def test_the_page_names_what_is_left_out() -> None:
    """Sections whose data is not there are named, not silently missing."""
    assert "Left out, since their data is not there: d10 table_1." in render([], ["d10 table_1"])
