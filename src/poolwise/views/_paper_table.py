"""The table of results of a paper, laid out: runs by measures, with significance raised."""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from poolwise.errors import require_choice
from poolwise.findings._pair_verdicts import UNCERTAINTIES, MarkedResults
from poolwise.provenance._recorded import recorded
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import range_text

__all__ = ["paper_table"]

_NOTES = {
    "letters": "Superscripts: better than the runs of these letters ({method})",
    "daggers": "† better, ‡ worse than {baseline} ({method})",
}


_TOPICS = "Over topics: the 95% confidence interval of the mean"
_JUDGED = "If judged: where judging the unjudged documents would leave the mean"


@recorded
def paper_table(
    found: MarkedResults, *, digits: int = 3, percent: bool = False, uncertainty: str = "none"
) -> Table:
    """Return one row per run and one column per measure, the best in bold, marks raised.

    Parameters
    ----------
    found
        What :func:`~poolwise.table` found.
    digits, percent
        Decimals, and whether scores are written in percent.
    uncertainty : {"none", "topics", "judgments", "both"}
        What stands beside the means: see ``UNCERTAINTIES``.

    Returns
    -------
    Table
        A table that :func:`~poolwise.render` writes in any of its formats.

    Examples
    --------
    >>> from poolwise import ScoreTable, render, table
    >>> scores = ScoreTable.from_matrix([[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
    ...                                systems=["new", "old"], topics="123456", measure="AP")
    >>> print(render(paper_table(table([scores])), "csv"), end="")
    ,run,AP
    a,new,0.867b
    b,old,0.483
    """
    require_choice("uncertainty", uncertainty, UNCERTAINTIES)
    scale = 100 if percent else 1
    raised = found.superscripts() or ((),) * len(found.scores)
    parts = [*_front(found)]
    for table, marks in zip(found.scores, raised, strict=True):
        mean = Column(str(table.measure), digits=digits, best="max", percent=percent)
        parts.append(_Part(mean, table.means().tolist(), marks))
        parts += _ranges(table, uncertainty, digits=digits, scale=scale)
    # A table has marks for every cell, and only columns of means have any.
    nothing = ("",) * len(found.systems)
    return Table(
        columns=tuple(part.column for part in parts),
        rows=tuple(zip(*(part.cells for part in parts), strict=True)),
        notes=(*_notes(found), *_meanings(found, uncertainty)),
        marks=tuple(zip(*(part.marks or nothing for part in parts), strict=True)),
    )


class _Part(NamedTuple):
    """A column, what stands in it, and what is raised behind that."""

    column: Column
    cells: Sequence[Cell]
    marks: Sequence[str] = ()


def _front(found: MarkedResults) -> Iterator[_Part]:
    """Return the columns that name the runs: by letters where letters are raised, and in full."""
    if found.marks == "letters":
        yield _Part(Column(""), ascii_lowercase[: len(found.systems)])
    yield _Part(Column("run"), found.systems)


def _ranges(table: ScoreTable, uncertainty: str, *, digits: int, scale: int) -> Iterator[_Part]:
    """Return the columns of the uncertainties that are wanted, which a narrow window hides."""
    topics, judging, *_ = table.uncertainties()
    for name, found, wanted in (
        ("over topics", topics, ("topics", "both")),
        ("if judged", judging, ("judgments", "both")),
    ):
        if uncertainty in wanted:
            low, high = found.low * scale, found.high * scale
            ends = zip(low.tolist(), high.tolist(), strict=True)
            cells = [range_text(*pair, digits=digits) for pair in ends]
            yield _Part(Column(f"{table.measure} {name}", rank=1), cells)


def _notes(found: MarkedResults) -> tuple[str, ...]:
    note = _NOTES.get(found.marks, "")
    return (note.format(baseline=found.baseline, method=found.method),) if note else ()


def _meanings(found: MarkedResults, uncertainty: str) -> tuple[str, ...]:
    """Say what each uncertainty is, and over which documents a range is."""
    topics = (_TOPICS,) if uncertainty in ("topics", "both") else ()
    if uncertainty not in ("judgments", "both"):
        return topics
    scopes = (f"{t.measure}: {said}" for t in found.scores for said in t.scope.sentences())
    return (*topics, _JUDGED, *scopes)
