"""Rows that set our numbers beside the published ones, and the page that shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

EQUAL = "equal"
WITHIN = "within sampling error"
DIFFERS = "differs"
PATTERN = "pattern"
VERDICTS = {
    EQUAL: "to the printed digits",
    WITHIN: "the method draws at random: the difference is at most twice the stated standard error",
    DIFFERS: "the remark says why, as far as is known",
    PATTERN: "the published value is of other data, or a statement: the remark says what must hold",
}


@dataclass(frozen=True)
class Row:
    """One row of a published table, or one number that a text states, and ours."""

    what: str
    published: str
    ours: str
    difference: str
    verdict: str
    remark: str = ""


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
    """

    paper: str
    title: str
    rows: tuple[Row, ...]
    reading: str = ""
    figure: str = ""


def compare(
    what: str,
    published: ArrayLike,
    ours: ArrayLike,
    *,
    digits: int = 3,
    error: float | None = None,
    remark: str = "",
) -> Row:
    """Set numbers beside published ones, and judge them by the digits that are printed.

    Parameters
    ----------
    digits
        Decimals of the published numbers.
    error
        The standard error of their difference, where either is drawn at random.
    remark
        Why they differ, should they; a choice that the paper leaves open.

    Examples
    --------
    >>> compare("AP", [0.725, 0.718], [0.72519, 0.7180]).verdict
    'equal'
    >>> compare("p", 0.0298, 0.031, digits=4, error=0.0024).remark
    'standard error 0.0024'
    """
    theirs, found = (np.atleast_1d(np.asarray(x, np.float64)) for x in (published, ours))
    off = np.abs(found - theirs)
    unlike = int((np.round(found, digits) != np.round(theirs, digits)).sum())
    verdict = EQUAL if unlike == 0 else DIFFERS
    if unlike and error is not None:
        remark = "; ".join(filter(None, (f"standard error {error:g}", remark)))
        verdict = WITHIN if float(off.max()) <= 2 * error else DIFFERS
    places = f" ({unlike} of {len(off)})" if unlike and len(off) > 1 else ""
    largest = f"{off.max():.{digits + 1}f}{places}" if unlike else "0"
    kept = remark if verdict != EQUAL else ""
    return Row(what, numbers(theirs, digits), numbers(found, digits), largest, verdict, kept)


def pattern(what: str, published: str, ours: str, claim: str, *, holds: bool | np.bool_) -> Row:
    """Set our numbers beside those of other data, and say whether the paper's claim holds here.

    Examples
    --------
    >>> pattern("τ", "0.18", "0.09", "positive", holds=True).remark
    'holds: positive'
    """
    return Row(
        what, published, ours, "", PATTERN, f"{'holds' if holds else 'does not hold'}: {claim}"
    )


def numbers(values: ArrayLike, digits: int = 3) -> str:
    """Return numbers as they are printed, side by side.

    Examples
    --------
    >>> numbers([0.5, 12], 2)
    '0.50 12.00'
    """
    return " ".join(f"{value:.{digits}f}" for value in np.atleast_1d(np.asarray(values)).tolist())


def render(sections: Sequence[Section], lacking: Sequence[str] = ()) -> str:
    """Return the page: verdicts counted by paper, then every section.

    ``lacking`` names the sections whose data is not there.
    """
    papers = list(dict.fromkeys(section.paper for section in sections))
    bodies = [
        "\n".join(_section(section) for section in sections if section.paper == paper)
        for paper in papers
    ]
    chapters = [f"## {paper}\n\n{body}" for paper, body in zip(papers, bodies, strict=True)]
    absent = [f"Left out, since their data is not there: {', '.join(lacking)}.", ""]
    parts = [_HEAD, *_counts(sections, papers), "", *(absent if lacking else []), *chapters]
    return "\n".join(parts).rstrip() + "\n"


_HEAD = """\
# The papers, computed again

Written by `make reproduce`: every table and figure below is computed by poolwise from the original
runs, judgments and score matrices, and set beside what the paper prints. D10, U18, W10, G16 and B23
are explained in `reproduce/__main__.py`. Numbers of one row stand in the order of the table's
columns; where they differ, the difference is the largest one, with the number of cells.
"""


def _counts(sections: Sequence[Section], papers: list[str]) -> list[str]:
    def count(verdict: str, paper: str) -> int:
        of = (row for section in sections if section.paper == paper for row in section.rows)
        return sum(row.verdict == verdict for row in of)

    rows = [
        [verdict, *(str(count(verdict, p)) for p in papers), VERDICTS[verdict]]
        for verdict in VERDICTS
    ]
    return list(_table(["rows", *papers, "meaning"], rows))


def _section(section: Section) -> str:
    heading = ["", "published", "ours", "difference", "verdict", "remark"]
    rows = [
        [row.what, row.published, row.ours, row.difference, f"*{row.verdict}*", row.remark]
        for row in section.rows
    ]
    parts = [f"### {section.title}", "", *([section.reading, ""] if section.reading else [])]
    if section.figure:
        parts += [f"Figure: `out/reproduce/{section.figure}`", ""]
    return "\n".join([*parts, *_table(heading, rows), ""])


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(heading)} |"
    yield "|" + " --- |" * len(heading)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '¦') for cell in row)} |"
