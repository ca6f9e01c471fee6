"""The pieces a report page is put together from: tables, charts, sections."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from poolwise.findings._measure_overview import MeasureOverview
from poolwise.results._columns import Columns
from poolwise.results._tables import Cell, Column
from poolwise.views.report.drawings.chart_style import Chart
from poolwise.words import p_text, range_text, visible

__all__ = [
    "MOST_TOPICS",
    "Drawn",
    "Field",
    "Row",
    "Section",
    "by_measure",
    "encode",
    "figure",
    "note",
    "p_cell",
    "paragraph",
    "range_cell",
    "rows_of",
    "script_data",
    "sortable_table",
    "warning",
]


MOST_TOPICS = 400
"""Of more topics than this, charts count how many there are of each kind; a screen has no more
columns to show them in."""


class Drawn(NamedTuple):
    """A cell that is markup already, what to sort it by, and whether it is set to the right."""

    markup: str
    key: float | str = ""
    right: bool = False


def p_cell(p: float) -> Drawn:
    """Return a p value, which is never written as 0.

    Examples
    --------
    >>> p_cell(0.04321).markup, p_cell(1e-9).markup, p_cell(float("nan")).markup
    ('0.0432', '&lt;0.0001', '–')
    """
    return Drawn(escape(p_text(p)), "" if math.isnan(p) else p, right=not math.isnan(p))


def range_cell(low: float, high: float, *, sign: str = "") -> Drawn:
    """Return two ends, with a sign if ``sign`` is ``+``, sorted by the lower one.

    Examples
    --------
    >>> range_cell(-0.1, 0.25).markup, range_cell(float("nan"), 0.5).markup
    ('−0.1000 to 0.2500', '–')
    """
    known = not (math.isnan(low) or math.isnan(high))
    return Drawn(range_text(low, high, sign=sign), float(low) if known else "")


Row = Sequence[Cell | Drawn]
"""The cells of a row, one per field."""


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    """Return named columns as rows.

    Examples
    --------
    >>> rows_of({"run": ["a", "b"], "mean": [0.5, 0.25]})
    [{'run': 'a', 'mean': 0.5}, {'run': 'b', 'mean': 0.25}]
    """
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


@dataclass(frozen=True)
class Field:
    """A column of a table on the page.

    Attributes
    ----------
    help : str
        What the numbers are, shown when the heading is pointed at.
    minor : bool
        Left out on narrow screens.
    markup : str
        Set below the heading.
    of_runs : bool
        Whether its cells name runs, which readers filter and highlight.
    """

    title: str
    digits: int | None = None
    help: str = ""
    minor: bool = False
    markup: str = ""
    of_runs: bool = False

    def write(self, cell: Cell | Drawn) -> str:
        """Return the cell's text, escaped, or its markup."""
        if isinstance(cell, Drawn):
            return cell.markup
        text = escape(Column(self.title, self.digits).write(cell))
        if self.of_runs:
            return f'<button type="button" class="run" aria-pressed="false">{text}</button>'
        return text.replace("-", "−", 1) if _is_number(cell) else text


def _is_number(cell: object) -> bool:
    """Say whether a cell is aligned to the right: numbers, and markup that is one number."""
    return isinstance(cell, int | float) or (isinstance(cell, Drawn) and cell.right)


@dataclass(frozen=True)
class Section:
    """A question, and the markup that answers it."""

    name: str
    question: str
    short: str
    body: str


def sortable_table(
    fields: Sequence[Field],
    rows: Sequence[Row],
    *,
    name: str,
    caption: str,
    marks: Mapping[int, str] | None = None,
) -> str:
    """Return a table whose headings are buttons that sort, with a download of its text.

    ``marks`` gives rows a class of their own, by position.
    """
    numbers = [any(_is_number(row[c]) for row in rows) for c in range(len(fields))]
    heads = "".join(_heading(f, number=n) for f, n in zip(fields, numbers, strict=True))
    classes = marks or {}
    body = "\n".join(_row(fields, row, classes.get(r, "")) for r, row in enumerate(rows))
    return (
        f'<div class="table" data-name="{escape(name)}"><div class="scroll" tabindex="0" '
        f'role="region" aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{_downloads('csv')}</div>"
    )


def _heading(field: Field, *, number: bool) -> str:
    tip = f' title="{escape(field.help)}"' if field.help else ""
    button = f'<button type="button"{tip}>{escape(field.title)}</button>{field.markup}'
    return f'<th scope="col"{_classes(field, number=number)}>{button}</th>'


def _classes(field: Field, *, number: bool) -> str:
    names = ["minor"] * field.minor + ["number"] * number
    return f' class="{" ".join(names)}"' if names else ""


def _row(fields: Sequence[Field], row: Row, kind: str) -> str:
    cells = "".join(_cell(field, cell) for field, cell in zip(fields, row, strict=True))
    return f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>"


def _cell(field: Field, cell: Cell | Drawn) -> str:
    key = f' data-key="{escape(str(cell.key))}"' if isinstance(cell, Drawn) else ""
    kind = _classes(field, number=_is_number(cell))
    return f"<td{kind}{key}>{field.write(cell)}</td>"


_FORMS = {"csv": "Data (CSV)", "svg": "SVG", "png": "PNG"}
"""What can be downloaded of a chart; of a table, its data."""


def _downloads(*forms: str) -> str:
    buttons = (
        f'<button type="button" class="download" data-form="{form}">{_FORMS[form]}</button>'
        for form in forms
    )
    return f'<div class="downloads">{"".join(buttons)}</div>'


def figure(chart: Chart, *, kind: str = "") -> str:
    """Return a chart with its title, its caption and a download of its data."""
    content = {"spec": chart.spec, "data": encode(chart.columns)}
    caption = note(escape(chart.caption)) if chart.caption else ""
    return (
        f'<figure class="chart {kind}" data-name="{escape(chart.name)}">'
        f"<figcaption>{escape(chart.title)}</figcaption>{caption}"
        f'<div class="plot" role="img" aria-label="{escape(chart.title)}"></div>'
        f"{_downloads(*_FORMS)}{script_data(content)}</figure>"
    )


def encode(columns: Columns) -> dict[str, Any]:
    """Return columns as JSON takes them: short numbers, and repeated texts by their place.

    Examples
    --------
    >>> encode({"run": ["a", "b", "a"], "p": [0.1234567, float("nan"), 1.0]})
    {'run': {'levels': ['a', 'b'], 'codes': [0, 1, 0]}, 'p': [0.12346, None, 1]}
    """
    return {name: _encode_column(values) for name, values in columns.items()}


def _encode_column(values: Sequence[Any]) -> Any:
    if not any(issubclass(kind, str) for kind in set(map(type, values))):
        return [_short(value) for value in values]
    place = {level: i for i, level in enumerate(dict.fromkeys(values))}
    return {"levels": list(place), "codes": [place[value] for value in values]}


def _short(value: float | None) -> float | int | None:
    """Return a number with five digits, which is more than a chart shows."""
    if value is None or math.isnan(value):
        return None
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded.is_integer() else rounded


def script_data(content: object) -> str:
    """Return JSON in a script element, so that no text in it ends the element."""
    shown = _visible(content)
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


_NUMBERS = {int, float, bool, type(None)}
"""Kinds of content that have no text: a column of them is left as it is."""


def _visible(content: Any) -> Any:
    """Return JSON with bytes of names that are not UTF-8 as escapes, as the tables have them."""
    if isinstance(content, dict):
        return {_visible(name): _visible(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        if _NUMBERS.issuperset(map(type, content)):
            return content
        return [_visible(value) for value in content]
    return visible(content) if isinstance(content, str) and not content.isascii() else content


def by_measure(parts: Mapping[str, str], measures: Iterable[MeasureOverview]) -> str:
    """Return one block per measure, of which the page shows the one that is chosen."""
    nothing = paragraph("By this measure, the input has nothing to say on this.")
    blocks = (
        f'<div class="by-measure" data-measure="{escape(name)}"{"" if i == 0 else " hidden"}>'
        f"{parts.get(name, nothing)}</div>"
        for i, name in enumerate(str(one.measure) for one in measures)
    )
    return "\n".join(blocks)


def paragraph(*sentences: str, lead: bool = True) -> str:
    """Return sentences as one paragraph, the first of several in bold; nothing for none.

    Examples
    --------
    >>> paragraph("a < b.", "So be it.")
    '<p><b>a &lt; b.</b> So be it.</p>'
    """
    texts = [escape(sentence) for sentence in sentences]
    if lead and len(texts) > 1:
        texts[0] = f"<b>{texts[0]}</b>"
    return f"<p>{' '.join(texts)}</p>" if texts else ""


def note(markup: str) -> str:
    """Return how numbers came about, in small type."""
    return f'<p class="how">{markup}</p>'


def warning(*sentences: str) -> str:
    """Return sentences that a reader must not miss; nothing for none."""
    if not sentences:
        return ""
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f'<div class="warning" role="note"><p><strong>Caution.</strong></p>{text}</div>'
