"""Cells, rows and their verdicts."""

import ast
import doctest
from pathlib import Path
from types import ModuleType

import pytest
from tests.each import over

from reproduce import b23, page, results
from reproduce.results import (
    DIFFERS,
    EQUAL,
    PATTERN,
    WITHIN,
    Cells,
    checked,
    compare,
    in_table,
    pattern,
)


@pytest.mark.parametrize("module", [results, page, b23])
def test_the_examples_of_the_docstrings(module: ModuleType) -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(module).failed == 0


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


def test_every_cell_is_judged_by_itself() -> None:
    """A row counts its cells, each with its own standard error, and shows z where they differ."""
    row = compare("τ", [0.1, 0.2, 0.3], [0.1, 0.21, 0.35], digits=2, error=[0.01, 0.01, 0.02])
    assert row.cells == Cells(equal=1, within=1, differ=1)
    assert (row.verdict, row.off) == (DIFFERS, "z = 1.0 2.5")


def test_rounded_inputs_allow_a_range() -> None:
    """What the rounding of printed inputs allows is within, and what it does not differs."""
    assert compare("n", 188, 187, digits=0, allowed=(181, 194)).verdict == WITHIN
    assert compare("n", 188, 170, digits=0, allowed=(165, 175)).verdict == DIFFERS


def test_a_remark_stays_on_an_equal_row() -> None:
    """A choice that was made is said, also where it led to the printed number."""
    assert compare("AP", 0.1, 0.1, remark="ties by rank").remark == "ties by rank"


def test_a_pattern_says_whether_it_holds_and_has_no_cells() -> None:
    """A claim that fails on our data is shown as such, and reproduces no number."""
    row = pattern("τ", "0.9", "0.1", "high", holds=False)
    assert (row.verdict, row.remark, row.cells.compared) == (PATTERN, "does not hold: high", 0)
    assert in_table("4", [row]) == [row]


def test_a_sentence_that_is_not_so_stops_the_page() -> None:
    """A remark goes onto the page with its check, or not at all."""
    assert checked("All is well.", holds=True) == "All is well."
    with pytest.raises(ValueError, match="not so: All is well"):
        checked("All is well.", holds=False)


QUOTED = {"proves little: the text names the three pairs under RBP, and no others"}
"""What a paper says: ``test_quotes.py`` reads it there."""


@over("path", sorted((Path(__file__).parents[2] / "reproduce").glob("*.py")), ids=lambda p: p.stem)
def test_a_remark_in_words_is_checked(path: Path) -> None:
    """A remark has a number in it that is computed, or a check, or an erratum with one."""
    calls = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.keyword)
    ]
    said = [
        argument.value.value
        for argument in calls
        if argument.arg == "remark" and isinstance(argument.value, ast.Constant)
    ]
    assert {words for words in said if words and "see errata" not in words} <= QUOTED
