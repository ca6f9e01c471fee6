"""The table of results of a paper, laid out: runs by measures, with significance raised."""

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from poolwise.errors import OptionError, require_choice
from poolwise.findings._marked_results import UNCERTAINTIES, MarkedResults
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty
from poolwise.words import counted, range_text, retold

__all__ = ["ROW_ORDERS", "paper_columns", "paper_table"]

ROW_ORDERS = {
    "score": "the highest mean by the first measure on top",
    "name": "by the names of the runs",
    "given": "as the runs were given",
}
"""The order of rows."""

_NOTES = {
    "letters": "Superscripts: better than the runs of these letters ({method})",
    "daggers": "† better, ‡ worse than {baseline} ({method})",
}


_TOPICS = "Over topics: the 95% confidence interval of the mean"
_JUDGED = "If judged: where judging the unjudged documents would leave the mean"


@recorded
def paper_table(
    found: MarkedResults,
    *,
    digits: int = 3,
    percent: bool = False,
    uncertainty: str | None = None,
    sort: str = "score",
    top: int | None = None,
    rename: Mapping[str, str] | None = None,
    caption: str = "",
    label: str = "",
) -> Table:
    """Return one row per run and one column per measure, the best in bold, marks raised.

    Parameters
    ----------
    found
        What :func:`~poolwise.table` found.
    digits, percent
        Decimals, and whether scores are written in percent.
    uncertainty : {"none", "topics", "judgments", "both"}, optional
        What stands beside the means: see ``UNCERTAINTIES``. By default the range over judgments,
        where it is known. Further ones that the scores have (over labels, over samples) stand there
        too, but for ``"none"``.
    sort : {"score", "name", "given"}
        The order of the rows: see ``ROW_ORDERS``.
    top : int, optional
        How many rows to show; by default all.
    rename : dict, optional
        What runs are called in the table, by their names.
    caption, label : str
        What the table says of itself, and what LaTeX refers to it by; with one of them LaTeX sets
        it in a ``table``. How much is judged is added to the caption.

    Returns
    -------
    Table
        A table that :func:`~poolwise.render` writes in any of its formats.

    Examples
    --------
    >>> from poolwise import ScoreTable, render, table
    >>> scores = ScoreTable.from_matrix([[0.5, 0.45, 0.5] * 2, [0.9, 0.8, 0.9] * 2],
    ...                                 systems=["old", "new"], topics="123456", measure="AP")
    >>> print(render(paper_table(table([scores])), "csv"), end="")
    ,run,AP
    a,new,0.867(b)
    b,old,0.483
    """
    chosen = uncertainty or _known_uncertainty(found)
    require_choice("uncertainty", chosen, UNCERTAINTIES)
    kinds = _wanted(chosen, further=uncertainty != "none")
    rows = _rows(found, sort, top)
    scale = 100 if percent else 1
    raised = found.superscripts(rows) or ((),) * len(found.scores)
    parts = [*_front(found, rows, _names(found, rename or {}))]
    for table, marks in zip(found.scores, raised, strict=True):
        mean = Column(str(table.measure), digits=digits, best="max", percent=percent)
        means = table.means().tolist()
        parts.append(_Part(mean, [means[row] for row in rows], marks))
        parts += _ranges(table, rows, kinds, digits=digits, scale=scale)
    # A table has marks for every cell, and only columns of means have any.
    nothing = ("",) * len(rows)
    return Table(
        columns=tuple(part.column for part in parts),
        rows=tuple(zip(*(part.cells for part in parts), strict=True)),
        title=_caption(found, caption),
        notes=(*_notes(found), *_meanings(found, kinds), *_left_out(found, len(rows))),
        marks=tuple(zip(*(part.marks or nothing for part in parts), strict=True)),
        is_float=bool(caption or label),
        label=label,
    )


@recorded
def paper_columns(
    found: MarkedResults,
    *,
    sort: str = "score",
    top: int | None = None,
    rename: Mapping[str, str] | None = None,
) -> Columns:
    """Return the same rows as data: one for each measure and run, with every number.

    Parameters
    ----------
    found
        What :func:`~poolwise.table` found.
    sort, top, rename
        See :func:`paper_table`.

    Returns
    -------
    dict of list

    Examples
    --------
    >>> from poolwise import ScoreTable, table
    >>> scores = ScoreTable.from_matrix([[0.5, 0.45, 0.5] * 2, [0.9, 0.8, 0.9] * 2],
    ...                                 systems=["old", "new"], topics="123456", measure="AP")
    >>> paper_columns(table([scores]), top=1, rename={"old": "BM25"})["in_brackets"]
    ['BM25']
    """
    count, rows = len(found.systems), _rows(found, sort, top)
    places = [m * count + row for m in range(len(found.scores)) for row in rows]
    names = dict(zip(found.systems, _names(found, rename or {}), strict=True))
    columns = {name: [cells[place] for place in places] for name, cells in found.columns().items()}
    for name in ("run", "better_than", "in_brackets"):
        columns[name] = [
            ", ".join(names.get(run, run) for run in text.split(", ")) for text in columns[name]
        ]
    return columns


def _known_uncertainty(results: MarkedResults) -> str:
    """Return that over judgments where a range is known, and none for scores of others."""
    return "judgments" if any(table.scope.kind != "none" for table in results.scores) else "none"


def _rows(results: MarkedResults, sort: str, top: int | None) -> list[int]:
    require_choice("sort", sort, ROW_ORDERS)
    orders = {
        "score": results.scores[0].order().tolist(),
        "name": sorted(range(len(results.systems)), key=lambda row: results.systems[row]),
        "given": list(range(len(results.systems))),
    }
    return orders[sort][:top]


def _names(results: MarkedResults, rename: Mapping[str, str]) -> list[str]:
    """Return what the runs are called; a name that no run has is told."""
    unknown = [name for name in rename if name not in results.systems]
    if unknown:
        raise OptionError(
            f"rename: {unknown[0]!r} is not known. Hint: use one of {', '.join(results.systems)}."
        )
    return [rename.get(name, name) for name in results.systems]


def _caption(results: MarkedResults, caption: str) -> str:
    """Return what was said of the table, with its topics and how much of the runs is judged."""
    topics = counted(int(results.scores[0].defined.sum()), "topic")
    judged = results.judged()
    about = f"{topics}; {judged}." if judged else f"{topics}."
    return f"{caption.rstrip('.')}. {about}" if caption else about


def _left_out(results: MarkedResults, shown: int) -> tuple[str, ...]:
    runs = len(results.systems)
    return (f"{shown:,} of {counted(runs, 'run')} are shown",) if shown < runs else ()


class _Part(NamedTuple):
    """A column, what stands in it, and what is raised behind that."""

    column: Column
    cells: Sequence[Cell]
    marks: Sequence[str] = ()


def _front(results: MarkedResults, rows: Sequence[int], names: Sequence[str]) -> Iterator[_Part]:
    """Return the columns that name the runs: by letters where letters are raised, and in full."""
    if results.marks == "letters":
        yield _Part(Column(""), ascii_lowercase[: len(rows)])
    yield _Part(Column("run"), [names[row] for row in rows])


def _ranges(
    table: ScoreTable, rows: Sequence[int], kinds: "_Kinds", *, digits: int, scale: int
) -> Iterator[_Part]:
    """Return the columns of the uncertainties that are wanted, which a narrow window hides."""
    for uncertainty in kinds.of(table):
        low, high = uncertainty.low * scale, uncertainty.high * scale
        ends = zip(low.tolist(), high.tolist(), strict=True)
        texts = [range_text(*pair, digits=digits) for pair in ends]
        name = _NAMES.get(uncertainty.over, f"over {uncertainty.over}")
        yield _Part(Column(f"{table.measure} {name}", rank=1), [texts[row] for row in rows])


_NAMES = {"judgments": "if judged", "draws": "if judged"}
"""What columns of uncertainties are called that are not over what they are over."""


class _Kinds(NamedTuple):
    """Which uncertainties are shown: over topics, over judgments, and all further ones."""

    topics: bool
    judgments: bool
    further: bool

    def of(self, table: ScoreTable) -> Iterator[Uncertainty]:
        """Go through those that a table has."""
        topics, judging, *others = table.uncertainties()
        if self.topics:
            yield topics
        if self.judgments:
            yield judging
        # What is added to a mean, and no range of it, has no ends.
        yield from (o for o in others if self.further and all(o.shown.means.ends))


def _wanted(chosen: str, *, further: bool) -> _Kinds:
    return _Kinds(chosen in ("topics", "both"), chosen in ("judgments", "both"), further)


def _notes(results: MarkedResults) -> tuple[str, ...]:
    note = _NOTES.get(results.marks, "")
    said = note.format(baseline=results.baseline, method=results.method)
    brackets = tuple(retold(text, lambda words: words.rstrip(".")) for text in results.brackets())
    return (said, *brackets) if note else ()


def _meanings(results: MarkedResults, kinds: _Kinds) -> tuple[str, ...]:
    """Say what each uncertainty is, and over which documents a range is."""
    topics = (_TOPICS,) if kinds.topics else ()
    scopes = (f"{t.measure}: {said}" for t in results.scores for said in t.scope.sentences())
    only = kinds._replace(topics=False, judgments=False)
    others = (o for table in results.scores for o in only.of(table))
    further = dict.fromkeys(f"Over {o.over}: {o.shown.means.help}" for o in others)
    return (*topics, *((_JUDGED, *scopes) if kinds.judgments else ()), *further)
