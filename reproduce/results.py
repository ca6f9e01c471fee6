"""Rows that set our numbers beside the published ones, cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

EQUAL = "equal"
WITHIN = "within"
DIFFERS = "differs"
PATTERN = "pattern"
VERDICTS = {
    EQUAL: "to the printed digits",
    WITHIN: "what is drawn at random, or comes from rounded numbers, allows the difference",
    DIFFERS: "the remark says why",
}
LIMIT = 2.0
"""How many standard errors a number that is drawn at random may be off."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """How many numbers of a row are equal, within what chance or rounding allows, and different."""

    equal: int = 0
    within: int = 0
    differ: int = 0

    def __add__(self, other: "Cells") -> "Cells":
        return Cells(
            self.equal + other.equal, self.within + other.within, self.differ + other.differ
        )

    @property
    def compared(self) -> int:
        """How many numbers there are."""
        return self.equal + self.within + self.differ

    @property
    def verdict(self) -> str:
        """The worst of the verdicts."""
        return DIFFERS if self.differ else WITHIN if self.within else EQUAL


@dataclass(frozen=True)
class Row:
    """One row of a published table, or one number that a text states, and ours.

    Attributes
    ----------
    what, published, ours : str
    verdict : str
        The worst of its cells, or ``pattern`` for a statement about other data.
    remark : str
    cells : Cells
        None for a pattern.
    table : str
        The number of the table that the cells belong to; empty for figures and text.
    off : str
        By how much, or by how many standard errors, the cells are off that are not equal.
    """

    what: str
    published: str
    ours: str
    verdict: str
    remark: str = ""
    cells: Cells = Cells()
    table: str = ""
    off: str = ""


@dataclass(frozen=True)
class Section:
    """A table or figure of a paper.

    Attributes
    ----------
    paper, title : str
    rows : tuple of Row
    reading : str
        The choices that the paper leaves open, and those we made.
    figure : str
        Where the plot was written, relative to the folder of figures; empty without one.
    choices : tuple of str
        What other choices would have given, a sentence each.
    seconds : float
        How long it took.
    """

    paper: str
    title: str
    rows: tuple[Row, ...]
    reading: str = ""
    figure: str = ""
    choices: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def short(self) -> str:
        """The short name of the paper."""
        return self.paper.partition(":")[0]


def compare(
    what: str,
    published: ArrayLike,
    ours: ArrayLike,
    *,
    digits: int = 3,
    error: ArrayLike | None = None,
    allowed: tuple[ArrayLike, ArrayLike] | None = None,
    remark: str = "",
    table: str = "",
) -> Row:
    """Set numbers beside published ones, and judge each by the digits that are printed.

    Parameters
    ----------
    digits
        Decimals of the published numbers.
    error
        The standard error of each difference, where either number is drawn at random.
    allowed
        The lowest and highest number that the rounding of printed inputs allows.
    remark
        A choice that the paper leaves open; why numbers differ, should they.
    table
        The number of the table that prints them; none for figures and text.

    Examples
    --------
    >>> compare("AP", [0.725, 0.718], [0.72519, 0.7180]).cells
    Cells(equal=2, within=0, differ=0)
    >>> row = compare("p", [0.0298, 0.5], [0.031, 0.5], digits=4, error=0.0024)
    >>> row.verdict, row.off
    ('within', 'z = 0.5')
    """
    theirs, computed = (np.atleast_1d(np.asarray(x, np.float64)) for x in (published, ours))
    same = np.round(computed, digits) == np.round(theirs, digits)
    near, off = _excused(theirs, computed, error, allowed, digits)
    cells = Cells(int(same.sum()), int((near & ~same).sum()), int((~near & ~same).sum()))
    return Row(
        what,
        numbers(theirs, digits),
        numbers(computed, digits),
        cells.verdict,
        remark,
        cells,
        table,
        _joined(off, ~same),
    )


def _excused(
    theirs: Floats,
    computed: Floats,
    error: ArrayLike | None,
    allowed: tuple[ArrayLike, ArrayLike] | None,
    digits: int,
) -> tuple[NDArray[np.bool_], list[str]]:
    """Return which differences chance or rounding allows, and how large each is, in words."""
    if error is not None:
        z = (computed - theirs) / np.broadcast_to(np.asarray(error, np.float64), computed.shape)
        return np.abs(z) <= LIMIT, [f"z = {value:.1f}" for value in z.tolist()]
    off = [f"{value:+.{digits + 1}f}" for value in (computed - theirs).tolist()]
    if allowed is None:
        return np.zeros(computed.shape, np.bool_), off
    low, high = (np.asarray(end, np.float64) for end in allowed)
    return (low <= theirs) & (theirs <= high), off


def _joined(off: list[str], shown: NDArray[np.bool_]) -> str:
    """Return the differences, those of equal cells left out."""
    kept = [text for text, is_shown in zip(off, shown.tolist(), strict=True) if is_shown]
    parts = [text.removeprefix("z = ") for text in kept]
    return ("z = " if kept and kept[0].startswith("z") else "") + " ".join(parts)


def pattern(what: str, published: str, ours: str, claim: str, *, holds: bool | np.bool_) -> Row:
    """Set our numbers beside those of other data, and say whether the paper's claim holds here.

    Examples
    --------
    >>> pattern("τ", "0.18", "0.09", "positive", holds=True).remark
    'holds: positive'
    """
    said = f"{'holds' if holds else 'does not hold'}: {claim}"
    return Row(what, published, ours, PATTERN, said)


def checked(sentence: str, *, holds: bool | np.bool_) -> str:
    """Return a sentence that is so, and raise for one that is not.

    Examples
    --------
    >>> checked("One is odd.", holds=1 % 2 == 1)
    'One is odd.'
    """
    if not holds:
        raise ValueError(f"not so: {sentence}")
    return sentence


def in_table(table: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows as rows of this table, patterns as they are.

    Examples
    --------
    >>> [row.table for row in in_table("5.2", [compare("σ", 1, 1)])]
    ['5.2']
    """
    return [row if row.verdict == PATTERN else replace(row, table=table) for row in rows]


def numbers(values: ArrayLike, digits: int = 3) -> str:
    """Return numbers as they are printed, side by side.

    Examples
    --------
    >>> numbers([0.5, 12], 2)
    '0.50 12.00'
    """
    return " ".join(f"{value:.{digits}f}" for value in np.atleast_1d(np.asarray(values)).tolist())
