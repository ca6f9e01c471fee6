"""A table as text: for a terminal, in Markdown, LaTeX, HTML or CSV."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from poolwise.errors import require_choice
from poolwise.printout.tables import Table
from poolwise.printout.words import visible

__all__ = ["FORMATS", "render"]


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
    >>> from poolwise.printout import Column
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
        notes=tuple(map(visible, table.notes)),
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
_MARKDOWN_SIGNS = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|[|[`]")
"""What would begin a tag, an entity, a cell, a link or an image, or code."""


def _markdown(table: Table) -> str:
    def escape(text: str) -> str:
        return _MARKDOWN_SIGNS.sub(lambda found: _MARKDOWN_ESCAPES[found[0]], text)

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
    notes = [f"% {line}" for note in (table.title, *table.notes) for line in note.splitlines()]
    heading = [head, "\\midrule"] if table.has_titles else []
    lines = [f"\\begin{{tabular}}{{{layout}}}", "\\toprule", *heading, *rows]
    return "\n".join([*notes, *lines, "\\bottomrule", "\\end{tabular}"])


def _html(table: Table) -> str:
    from html import escape  # noqa: PLC0415, late: slow to import

    body = _decorated(table, escape, lambda s: f"<strong>{s}</strong>", lambda s: f"<sup>{s}</sup>")
    align = [' class="number"' if table.is_number(c) else "" for c in range(len(table.columns))]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}{a}>{t}</{tag}>" for t, a in zip(texts, align, strict=True))

    caption = f"<caption>{escape(table.title)}</caption>\n" if table.title else ""
    head = cells('th scope="col"', [escape(c.title) for c in table.columns])
    head = head.replace('</th scope="col">', "</th>")
    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in body)
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in table.notes)
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
