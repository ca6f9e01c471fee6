"""Tables as text, HTML, Markdown and LaTeX, fitted to the width of a window."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from poolwise.errors import require_choice
from poolwise.provenance._recorded import recorded
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import are, claim_attribute, counted, retold, visible

__all__ = ["FORMATS", "GAP", "fitted", "folded", "render", "shortened", "widths"]


@recorded
def render(table: Table, form: str = "text") -> str:
    r"""Return the table as text in one of ``FORMATS``.

    Parameters
    ----------
    table : Table
        What to write.
    form : str
        A key of ``FORMATS``, such as ``text``, ``markdown``, ``latex``, ``html`` or ``csv``.

    Returns
    -------
    str
        The text, in which the best value of a column stands out where the format can show it.

    Examples
    --------
    >>> from poolwise.results import Column
    >>> table = Table((Column("run"), Column("AP", digits=3, best="max")),
    ...               (("bm25", 0.25), ("a_b", 0.3)))
    >>> print(render(table, "markdown"))
    | run  |        AP |
    |------|----------:|
    | bm25 |     0.250 |
    | a_b  | **0.300** |
    >>> print(render(table, "latex"))
    \begin{tabular}{lr}
    \toprule
    run & AP \\
    \midrule
    bm25 & 0.250 \\
    a\_b & \textbf{0.300} \\
    \bottomrule
    \end{tabular}
    """
    require_choice("form", form, FORMATS)
    return FORMATS[form](_shown(table))


def _shown(table: Table) -> Table:
    """Return the table with everything a terminal would obey, in titles and notes, as escapes."""
    return replace(
        table,
        columns=tuple(replace(column, title=visible(column.title)) for column in table.columns),
        title=visible(table.title),
        notes=tuple(retold(note, visible) for note in table.notes),
    )


def _decorated(
    table: Table,
    escape: Callable[[str], str],
    embolden: Callable[[str], str],
    raise_up: Callable[[str], str],
) -> list[list[str]]:
    """Return the cells with bold and superscripts in the notation of a format."""
    bold = table.bold()
    return [
        [
            (embolden(escape(text)) if bold[r][c] else escape(text))
            + (raise_up(escape(table.mark(r, c))) if table.mark(r, c) else "")
            for c, text in enumerate(row)
        ]
        for r, row in enumerate(table.texts())
    ]


def _padded(cells: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        [
            cell.rjust(w) if r else cell.ljust(w)
            for cell, w, r in zip(row, widths, right, strict=True)
        ]
        for row in cells
    ]


def _text(table: Table) -> str:
    titles = [c.title for c in table.columns]
    body = table.marked()
    right = [table.is_number(c) for c in range(len(titles))]
    lines = ["  ".join(row).rstrip() for row in _padded([titles, *body], right)]
    title = [table.title, ""] if table.title else []
    notes = ["", *table.notes] if table.notes else []
    return "\n".join([*title, *(lines if table.has_titles else lines[1:]), *notes])


_MARKDOWN_ESCAPES = {"<": "&lt;", "&": "&amp;", "|": "\\|", "[": "\\[", "`": "\\`"}
_MARKDOWN_SIGNS = r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|[|[`]"
"""What would begin a tag, an entity, a cell, a link or an image, or code."""


def _markdown(table: Table) -> str:
    def escape(text: str) -> str:
        return re.sub(_MARKDOWN_SIGNS, lambda match: _MARKDOWN_ESCAPES[match[0]], text)

    titles = [escape(c.title) for c in table.columns]
    body = _decorated(table, escape, lambda s: f"**{s}**", lambda s: f"<sup>{s}</sup>")
    right = [table.is_number(c) for c in range(len(titles))]
    head, *rows = _padded([titles, *body], right)
    rule = ["-" * (len(h) + 1) + (":" if r else "-") for h, r in zip(head, right, strict=True)]
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    lines.insert(1, f"|{'|'.join(rule)}|")
    title = [f"**{escape(table.title)}**", ""] if table.title else []
    notes = ["", *(f"{escape(note)}  " for note in table.notes)] if table.notes else []
    return "\n".join([*title, *lines, *notes])


_LATEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "#$%&_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {
        "–": "--",
        "−": "$-$",
        "×": "$\\times$",
        "±": "$\\pm$",
        "†": "$\\dagger$",
        "‡": "$\\ddagger$",
    }
    | {"<": "$<$", ">": "$>$", "≤": "$\\leq$", "≥": "$\\geq$", "…": "\\dots{}"}
    # pdflatex knows no Greek letter as it stands.
    | {
        letter: f"$\\{name}$"
        for letter, name in {
            "α": "alpha",
            "β": "beta",
            "δ": "delta",
            "Δ": "Delta",
            "ε": "epsilon",
            "κ": "kappa",
            "λ": "lambda",
            "μ": "mu",
            "ρ": "rho",
            "σ": "sigma",
            "τ": "tau",
            "φ": "phi",
            "χ": "chi",
            "ω": "omega",
        }.items()
    }
)


def _latex(table: Table) -> str:
    def escape(text: str) -> str:
        return text.translate(_LATEX_ESCAPES)

    body = _decorated(
        table, escape, lambda s: f"\\textbf{{{s}}}", lambda s: f"\\textsuperscript{{{s}}}"
    )
    layout = "".join("r" if table.is_number(c) else "l" for c in range(len(table.columns)))
    rows = [" & ".join(row) + r" \\" for row in body]
    head = " & ".join(escape(c.title) for c in table.columns) + r" \\"
    # A comment of LaTeX ends with its line.
    above = () if table.is_float else (table.title,)
    notes = [f"% {line}" for note in (*above, *table.notes) for line in note.splitlines()]
    heading = [head, "\\midrule"] if table.has_titles else []
    lines = [f"\\begin{{tabular}}{{{layout}}}", "\\toprule", *heading, *rows]
    lines = [*lines, "\\bottomrule", "\\end{tabular}"]
    if table.is_float:
        label = [f"\\label{{{table.label}}}"] if table.label else []
        caption = [f"\\caption{{{escape(table.title)}}}", *label]
        lines = ["\\begin{table}", "\\centering", *caption, *lines, "\\end{table}"]
    return "\n".join([*notes, *lines])


def _html(table: Table) -> str:
    from html import escape  # noqa: PLC0415, late: slow to import

    body = _decorated(table, escape, lambda s: f"<strong>{s}</strong>", lambda s: f"<sup>{s}</sup>")
    align = [' class="number"' if table.is_number(c) else "" for c in range(len(table.columns))]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}{a}>{t}</{tag}>" for t, a in zip(texts, align, strict=True))

    caption = f"<caption>{escape(table.title)}</caption>\n" if table.title else ""
    head = cells('th scope="col"', [escape(c.title) for c in table.columns])
    # Only the opening tag has attributes.
    head = head.replace('</th scope="col">', "</th>")
    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in body)
    notes = "".join(f"<p{claim_attribute(note)}>{escape(note)}</p>\n" for note in table.notes)
    head = f"<thead><tr>{head}</tr></thead>" if table.has_titles else ""
    return f"<table>\n{caption}{head}\n<tbody>\n{rows}\n</tbody>\n</table>\n{notes}"


def _csv(table: Table) -> str:
    """Return the cells as they are written, without bold; superscripts follow their number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([c.title for c in table.columns])
    writer.writerows(_decorated(table, str, str, str))
    return text.getvalue()


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
    "csv": _csv,
}


GAP = 2
"""Spaces between two columns."""
_FEW_LINES = 3
"""Lines of a title for which no other column gives up its room."""
_LEAST_NAME = 16
"""Characters to which names are shortened before a column is hidden."""
_LEAST_SENTENCE = 40
"""Characters to which sentences are cut before their column is hidden."""
_BARS = (12, 40)
"""The least and the most characters of bars."""


def fitted(table: Table, width: int) -> Table:
    """Return the table in at most so many characters, with bars where there is room for it.

    First names are shortened in the middle, then columns are hidden: those of the highest rank
    first, and of these the last. A note says how many are. A sentence is cut at its end before
    anything else of its rank is hidden, and after everything of a higher rank is.

    Examples
    --------
    >>> from poolwise.results._layout import render
    >>> columns = Column("run"), Column("AP", digits=2), Column("p", 2, rank=2), Column("n", 0)
    >>> table = Table(columns, (("a-very-long-name-of-a-run", 0.25, 0.5, 7),))
    >>> print(render(fitted(table, 30)))
    run                      AP  n
    a-very-lon…e-of-a-run  0.25  7
    <BLANKLINE>
    1 column is hidden: widen the window, or use --format tsv.
    """
    if not table.columns:  # notes alone
        return table
    # What costs a reader least comes first: names are shortened, and sentences cut, before a column
    # is hidden.
    for hidden in range(len(table.columns)):
        shown = _without(table, hidden)
        short = _with_short_names(shown, width)
        for tried in (shown, short, _with_cut_sentences(short, width)):
            if _width(tried) <= width:
                return _with_bars(tried, width)
    return _with_short_names(_without(table, len(table.columns) - 1), width)


def folded(table: Table, width: int) -> list[Table]:
    r"""Return the table in parts of at most so many characters, one below the other, if it folds.

    Examples
    --------
    >>> from poolwise.results._layout import render
    >>> table = Table((Column("run"), Column("AP"), Column("RR")), (("bm25", 1, 2),), folds=True)
    >>> print(*map(render, folded(table, 8)), sep="\n")
    run   AP
    bm25   1
    run   RR
    bm25   2
    """
    if not table.folds or _width(table) <= width:
        return [table]
    short = _with_short_names(table, width)
    first, *needed = widths(short)
    parts: list[list[int]] = [[]]
    left = width - first
    for c, size in enumerate(needed, start=1):
        if parts[-1] and size + GAP > left:
            parts.append([])
            left = width - first
        parts[-1].append(c)
        left -= size + GAP
    first_part, *others = (replace(_of_columns(short, [0, *part]), notes=()) for part in parts)
    *above, last = (first_part, *(replace(part, title="", answer=None) for part in others))
    return [*above, replace(last, notes=table.notes)]


def widths(table: Table, room: int = 0) -> list[int]:
    """Return the characters of each column: what its cells need, and the words of its title.

    Titles stand on one line as far as there is room for it.

    Examples
    --------
    >>> table = Table((Column("run"), Column("range if judged")), (("bm25", "0.2 to 0.4"),))
    >>> widths(table), widths(table, 21), widths(table, 80)
    ([4, 10], [4, 15], [4, 15])
    """
    texts = [list(column) for column in zip(*table.marked(), strict=True)]
    cells = [max(map(len, column)) for column in texts] or [0] * len(table.columns)
    words = [max(map(len, column.title.split()), default=0) for column in table.columns]
    needed = [max(pair) for pair in zip(cells, words, strict=True)]
    left = room - sum(needed) - GAP * (len(needed) - 1)
    # Words of a title are broken into lines, unless there is room to spare: first so that none
    # takes many lines, then so that as many as may be take one.
    for c, column in enumerate(table.columns):
        wider = _width_of_title(column.title, needed[c], most=needed[c] + max(left, 0))
        needed[c], left = wider, left - (wider - needed[c])
    for c, column in enumerate(table.columns):
        more = len(column.title) - needed[c]
        if 0 < more <= left:
            needed[c] += more
            left -= more
    return needed


def _width_of_title(title: str, least: int, *, most: int) -> int:
    """Return the characters at which a title takes few lines; at ``most`` where it takes more.

    Examples
    --------
    >>> title = "halfway to the bootstrap, if this run's documents were judged"
    >>> _width_of_title(title, 10, most=80), _width_of_title(title, 10, most=15)
    (24, 14)
    """
    if len(title.split()) <= _FEW_LINES:
        return least
    from textwrap import wrap  # noqa: PLC0415, late: few titles have so many words

    lines = {size: len(wrap(title, size)) for size in range(max(least, 1), most + 1)}
    fewest = min(lines.values(), default=0)
    enough = (size for size, count in lines.items() if count <= max(fewest, _FEW_LINES))
    return next(enough, least)


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Return names of at most so many characters, cut in the middle, that still differ.

    Examples
    --------
    >>> shortened(["bm25", "monot5-large-on-msmarco-v1", "monot5-large-on-msmarco-v2"], 15)
    ['bm25', 'monot5-…arco-v1', 'monot5-…arco-v2']
    >>> shortened(["a-long-name-0-of-a-run", "a-long-name-1-of-a-run"], 12)
    ['a-long-name-0-of-a-run', 'a-long-name-1-of-a-run']
    """
    cut = [_cut(name, most) for name in names]
    return cut if len(set(cut)) == len(set(names)) else list(names)


def _cut(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[len(name) - tail :]}"


def _width(table: Table) -> int:
    needed = widths(table)
    return sum(needed) + GAP * (len(needed) - 1)


def _without(table: Table, hidden: int) -> Table:
    """Return the table without so many of its columns, with a note that says so."""
    if not hidden:
        return table
    # The first column names the rows and is never hidden.
    order = sorted(range(1, len(table.columns)), key=lambda c: (table.columns[c].rank, c))
    kept = [0, *sorted(order[: len(order) - hidden])]
    verb = are(hidden)
    note = f"{counted(hidden, 'column')} {verb} hidden: widen the window, or use --format tsv."
    return replace(_of_columns(table, kept), notes=(note, *table.notes))


def _of_columns(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[c] for c in kept),
        rows=tuple(tuple(row[c] for c in kept) for row in table.rows),
        marks=tuple(tuple(row[c] for c in kept) for row in table.marks),
    )


def _with_short_names(table: Table, width: int) -> Table:
    """Return the table with its names as short as the width asks for, and no shorter."""
    names = [c for c in range(len(table.columns)) if _holds_names(table, c)]
    needed = widths(table)
    for most in range(max((needed[c] for c in names), default=0), _LEAST_NAME - 1, -1):
        cut = _shorten(table, names, most)
        if _width(cut) <= width or most == _LEAST_NAME:
            return cut
    return table


def _shorten(table: Table, names: Sequence[int], most: int) -> Table:
    columns = [list(column) for column in zip(*table.rows, strict=True)]
    for c in names:
        columns[c] = list[Cell](shortened(list(map(str, columns[c])), most))
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def _with_cut_sentences(table: Table, width: int) -> Table:
    """Return the table with its last sentences cut to the room that is left, if that will do."""
    last = table.columns[-1]
    cells = [row[-1] for row in table.rows]
    ranks = [column.rank for column in table.columns]
    texts = [cell for cell in cells if isinstance(cell, str)]
    if any(ranks) or len(texts) < len(cells) or not any(" " in text for text in texts):
        return table
    room = width - _width(replace(table, rows=tuple((*row[:-1], "") for row in table.rows)))
    room += len(last.title)
    if room < _LEAST_SENTENCE:
        return table
    return replace(
        table, rows=tuple((*row[:-1], _cut_end(str(row[-1]), room)) for row in table.rows)
    )


def _cut_end(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _holds_names(table: Table, column: int) -> bool:
    """Whether a column holds names, of runs or documents: texts without a space."""
    cells = [row[column] for row in table.rows]
    return all(isinstance(cell, str) and " " not in cell for cell in cells)


def _with_bars(table: Table, width: int) -> Table:
    """Return the table with its bars in the room that is left."""
    least, most = _BARS
    room = min(width - _width(table) - GAP, most)
    if table.bars is None or room < least:
        return table
    return replace(
        table,
        columns=(*table.columns, Column(table.bars.title(room))),
        rows=tuple(
            (*row, text) for row, text in zip(table.rows, table.bars.texts(room), strict=True)
        ),
        marks=tuple((*row, "") for row in table.marks),
    )
