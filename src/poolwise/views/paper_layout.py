"""The table of results of a paper, laid out: runs by measures, with significance raised."""

from string import ascii_lowercase

from poolwise.findings.marked_results import MarkedResults
from poolwise.printout.tables import Column, Table

__all__ = ["paper_table"]

_NOTES = {
    "letters": "Superscripts: better than the runs of these letters ({method})",
    "daggers": "† better, ‡ worse than {baseline} ({method})",
}


def paper_table(found: MarkedResults, *, digits: int = 3, percent: bool = False) -> Table:
    """Return one row per run and one column per measure, the best in bold, marks raised.

    Parameters
    ----------
    found
        What :func:`~poolwise.results_table` found.
    digits, percent
        Decimals, and whether scores are written in percent.

    Returns
    -------
    Table
        A table that :func:`~poolwise.render` writes in any of its formats.

    Examples
    --------
    >>> from poolwise import ScoreTable, render, results_table
    >>> table = ScoreTable.from_matrix([[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
    ...                                systems=["new", "old"], topics="123456", measure="AP")
    >>> print(render(paper_table(results_table([table])), "csv"), end="")
    ,run,AP
    a,new,0.867b
    b,old,0.483
    """
    letters = ascii_lowercase if found.marks == "letters" else ""
    front = [Column("")] * bool(letters)
    scores = (
        Column(str(table.measure), digits=digits, best="max", percent=percent)
        for table in found.scores
    )
    means = [table.means().tolist() for table in found.scores]
    return Table(
        columns=(*front, Column("run"), *scores),
        rows=tuple(
            (*letters[s : s + 1], system, *(mean[s] for mean in means))
            for s, system in enumerate(found.systems)
        ),
        notes=_notes(found),
        marks=tuple(
            (*[""] * len(front), "", *raised) for raised in zip(*found.superscripts(), strict=True)
        ),
    )


def _notes(found: MarkedResults) -> tuple[str, ...]:
    note = _NOTES.get(found.marks, "")
    return (note.format(baseline=found.baseline, method=found.method),) if note else ()
