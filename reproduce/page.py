"""The page of results: cells counted by table, errata, every section; and the count read back."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from reproduce.errata import ERRATA
from reproduce.inventory import TABLES, TEXT, PublishedTable
from reproduce.results import PATTERN, VERDICTS, Cells, Row, Section

HEAD = """\
# The papers, computed again

Written by `make reproduce`: every table and figure below is computed by poolwise from the original
runs, judgments and score matrices, and set beside what the paper prints. D10, U18, W10, G16 and B23
are explained in `reproduce/__main__.py`. Numbers of one row stand in the order of the table's
columns. Each number is a cell, judged by itself: *equal* to the printed digits; *within* what
chance or the rounding of printed inputs allows (z is the difference over its standard error, by the
paper's own design, and at most 2 in size); or *differs*, and then the remark says why.
"""
PATTERNS = """\
Statements of the papers about data that is not public, put to the test on data that is. They say
that a method behaves elsewhere as it did there; they reproduce no number.
"""
_CELL = re.compile(
    r"\| (\w+) (?:table )?([\d.]+|text): ((?:\d+ (?:equal|within|differ)(?:, )?)+) \|"
)


def render(
    sections: Sequence[Section],
    lacking: Sequence[str] = (),
    hashes: Mapping[str, str] | None = None,
) -> str:
    """Return the page.

    Parameters
    ----------
    sections
        What was computed.
    lacking
        The sections whose data is not there.
    hashes
        Of every file that was read.
    """
    absent = [f"Left out, since their data is not there: {', '.join(lacking)}.", ""]
    parts = [
        HEAD,
        *_coverage(sections),
        "",
        *(absent if lacking else []),
        "## Errata: for the authors",
        "",
        *_table(["where", "printed", "what the data say", "evidence", "number to check"], ERRATA),
        "",
        "## Reproduction: the same data",
        "",
        *_chapters(sections, patterns=False),
        "## The method on other data",
        "",
        PATTERNS,
        *_chapters(sections, patterns=True),
        "## Inputs",
        "",
        *_table(["file", "SHA-256, first 16 digits"], sorted((hashes or {}).items())),
    ]
    return "\n".join(parts).rstrip() + "\n"


def count(page: str) -> str:
    r"""Count the cells of tables on the page itself, in one line.

    Examples
    --------
    >>> count("coverable | 5 |\n| W10 table 4.9: 2 equal, 1 differ |\n**Coverable: 5.**")
    'coverable 5 compared 3 equal 2 within 0 differ 1'
    """
    match = re.search(r"\*\*Coverable: (\d+)\.\*\*", page)
    cells = sum((_read(text) for _, _, text in _CELL.findall(page)), Cells())
    return (
        f"coverable {match[1] if match else 0} compared {cells.compared} equal {cells.equal} "
        f"within {cells.within} differ {cells.differ}"
    )


def _read(text: str) -> Cells:
    named = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", text)}
    return Cells(**named)


def _coverage(sections: Sequence[Section]) -> Iterable[str]:
    """Yield the tables of the papers: cells published, coverable, compared, and by verdict."""
    cells: dict[tuple[str, str], Cells] = defaultdict(Cells)
    for section in sections:
        for row in section.rows:
            cells[section.short, row.table or TEXT] += row.cells
    total = sum(cells.values(), Cells())
    coverable = sum(table.coverable for table in TABLES)
    yield (
        f"The five papers print {sum(t.cells for t in TABLES if t.number != TEXT):,} numbers in "
        "tables, and more in figures and texts, of which those about data at hand are counted. "
        f"**Coverable: {coverable}.** So many can be computed with public data; {total.compared} "
        f"are compared: {total.equal} equal, {total.within} within, {total.differ} differ."
    )
    yield ""
    heading = ["table", "printed", "coverable", "compared", *VERDICTS, "why not the others"]
    yield from _table(heading, (_covered(t, cells[t.paper, t.number]) for t in TABLES))


def _covered(table: PublishedTable, cells: Cells) -> list[str]:
    counts = (table.cells, table.coverable, cells.compared, cells.equal, cells.within, cells.differ)
    return [f"{table.paper} {table.number}", *map(str, counts), table.why]


def _chapters(sections: Sequence[Section], *, patterns: bool) -> Iterable[str]:
    paper = ""
    for section in sections:
        rows = [row for row in section.rows if (row.verdict == PATTERN) == patterns]
        if rows and section.paper != paper:
            paper = section.paper
            yield f"### {paper}\n"
        if rows:
            yield _section(section, rows)


def _section(section: Section, rows: Sequence[Row]) -> str:
    parts = [f"#### {section.title}", ""]
    parts += [section.reading, ""] if section.reading else []
    parts += [*(f"- {choice}" for choice in section.choices), ""] if section.choices else []
    parts += [f"![{section.title}](figures/{section.figure})", ""] if section.figure else []
    heading = ["", "published", "ours", "cells", "off", "remark"]
    lines = [_line(section, row) for row in rows]
    return "\n".join([*parts, *_table(heading, lines), ""])


def _line(section: Section, row: Row) -> list[str]:
    return [row.what, row.published, row.ours, _cells(section, row), row.off, row.remark]


def _cells(section: Section, row: Row) -> str:
    if not row.cells.compared:
        return ""
    counts = {"equal": row.cells.equal, "within": row.cells.within, "differ": row.cells.differ}
    said = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    return f"{section.short} {f'table {row.table}' if row.table else TEXT}: {said}"


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(heading)} |"
    yield "|" + " --- |" * len(heading)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '¦') for cell in row)} |"
