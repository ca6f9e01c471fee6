"""A table of the validation: what is claimed, and what was counted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Folders", "Row", "ValidationTable", "table_of_rows"]

Row = dict[str, object]


@dataclass(frozen=True)
class Folders:
    """Where the real data is, and where the page goes."""

    data: Path
    out: Path


@dataclass(frozen=True)
class ValidationTable:
    """One claim, and the numbers that bear on it.

    Examples
    --------
    >>> print(ValidationTable("Bounds", "None is left.", ("pool", "outside"), (("2", "0"),)))
    ## Bounds
    <BLANKLINE>
    None is left.
    <BLANKLINE>
    | pool | outside |
    |---|---|
    | 2 | 0 |
    """

    title: str
    claim: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    holds: bool = True

    def __str__(self) -> str:
        head = f"| {' | '.join(self.columns)} |\n|{'---|' * len(self.columns)}"
        body = "\n".join(f"| {' | '.join(row)} |" for row in self.rows)
        failed = "" if self.holds else "**The claim does not hold.**\n\n"
        return f"## {self.title}\n\n{self.claim}\n\n{failed}{head}\n{body}"


def table_of_rows(
    title: str, claim: str, rows: Sequence[Row], *, holds: bool = True
) -> ValidationTable:
    """Make a table of rows with the same columns; numbers have four digits."""
    cells = tuple(tuple(map(_shown, row.values())) for row in rows)
    return ValidationTable(title, claim, tuple(rows[0]), cells, holds)


def _shown(cell: object) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return "" if math.isnan(cell) else f"{cell:.4f}"
