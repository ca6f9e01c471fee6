"""The pieces that the sections of a page are put together from: tables, charts, paragraphs."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from html import escape
from typing import Any, NamedTuple

from poolwise.findings._overview import One, PageContent
from poolwise.results._columns import Columns
from poolwise.results._tables import Cell, Column, Table
from poolwise.views.report._chart_style import Chart
from poolwise.words import LONGEST_PLAIN, claim_attribute, compressed, p_text, range_text, visible

__all__ = [
    "MOST_TOPICS",
    "Drawn",
    "Field",
    "Row",
    "by_measure",
    "encode",
    "figure",
    "finding_table",
    "notes",
    "p_field",
    "paragraph",
    "range_field",
    "rows_of",
    "script_data",
    "sortable_table",
    "warning",
    "where",
]


MOST_TOPICS = 400
"""Of more topics than this, charts count how many there are of each kind; a screen has no more
columns to show them in."""


class Drawn(NamedTuple):
    """A cell that is markup, what to sort it by, whether it is set to the right, its claims."""

    markup: str
    key: float | str = ""
    right: bool = False
    claims: tuple[Any, ...] = ()


Row = dict[str, Any]
"""The cells of a row by the names of their columns."""


def rows_of(columns: Columns) -> list[Row]:
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
    cell : str or callable
        The name of the column of numbers, or what makes a cell of a row; by default the title.
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
    cell: str | Callable[[Row], Cell | Drawn] = ""
    _: KW_ONLY
    digits: int | None = None
    help: str = ""
    minor: bool = False
    markup: str = ""
    of_runs: bool = False

    def of(self, row: Row) -> Cell | Drawn:
        """Return the cell of a row."""
        if callable(self.cell):
            return self.cell(row)
        cell: Cell = row[self.cell or self.title]
        return cell

    def write(self, cell: Cell | Drawn) -> str:
        """Return the cell's text, escaped, or its markup."""
        if isinstance(cell, Drawn):
            return cell.markup
        text = escape(Column(self.title, self.digits).write(cell))
        if self.of_runs:
            return f'<button type="button" class="run" aria-pressed="false">{text}</button>'
        return text.replace("-", "−", 1) if _is_number(cell) else text


def where(condition: object, *fields: Field) -> tuple[Field, ...]:
    """Return columns that a table has only where there is something to fill them."""
    return fields if condition else ()


def p_field(title: str, name: str = "p", *, minor: bool = False) -> Field:
    """Return a column of p values, which are never written as 0.

    Examples
    --------
    >>> [p_field("p").of({"p": p}).markup for p in (0.04321, 1e-9, float("nan"))]
    ['0.0432', '&lt;0.0001', '–']
    """

    def cell(row: Row) -> Drawn:
        p, is_known = row[name], not math.isnan(row[name])
        return Drawn(escape(p_text(p)), p if is_known else "", right=is_known)

    return Field(title, cell, minor=minor)


def range_field(title: str, low: str, high: str, tip: str = "", *, sign: str = "") -> Field:
    """Return a column of ranges, with a sign if ``sign`` is ``+``, sorted by their lower ends.

    Examples
    --------
    >>> of = range_field("range", "low", "high").of
    >>> of({"low": -0.1, "high": 0.25}).markup, of({"low": float("nan"), "high": 0.5}).markup
    ('<span class="ends">−0.1000 to 0.2500</span>', '<span class="ends">–</span>')
    """

    def cell(row: Row) -> Drawn:
        ends = row[low], row[high]
        key = "" if any(map(math.isnan, ends)) else float(ends[0])
        return Drawn(f'<span class="ends">{range_text(*ends, sign=sign)}</span>', key)

    return Field(title, cell, help=tip)


def _is_number(cell: object) -> bool:
    """Say whether a cell is aligned to the right: numbers, and markup that is one number."""
    return isinstance(cell, int | float) or (isinstance(cell, Drawn) and cell.right)


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
    cells = [[field.of(row) for field in fields] for row in rows]
    numbers = [any(_is_number(row[c]) for row in cells) for c in range(len(fields))]
    heads = "".join(_heading(f, number=n) for f, n in zip(fields, numbers, strict=True))
    classes = marks or {}
    body = "\n".join(_row(fields, row, classes.get(r, "")) for r, row in enumerate(cells))
    return (
        f'<div class="table" data-name="{escape(name)}"><div class="scroll" tabindex="0" '
        f'role="region" aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{_downloads('csv')}</div>"
    )


def finding_table(table: Table, *, name: str) -> str:
    """Return a table of a finding as the page has tables."""
    fields = [_field_of(column, str(i)) for i, column in enumerate(table.columns)]
    rows = [{str(i): cell for i, cell in enumerate(row)} for row in table.rows]
    return sortable_table(fields, rows, name=name, caption=table.title) + notes(*table.notes)


def _field_of(column: Column, place: str) -> Field:
    if column.is_p:
        return p_field(column.title, place)
    names_runs = column.title.split()[-1:] == ["run"]
    return Field(column.title, place, digits=column.digits, of_runs=names_runs)


def _heading(field: Field, *, number: bool) -> str:
    tip = f' title="{escape(field.help)}"' if field.help else ""
    button = f'<button type="button"{tip}>{escape(field.title)}</button>{field.markup}'
    return f'<th scope="col"{_classes(field, number=number)}>{button}</th>'


def _classes(field: Field, *, number: bool) -> str:
    names = ["minor"] * field.minor + ["number"] * number
    return f' class="{" ".join(names)}"' if names else ""


def _row(fields: Sequence[Field], row: Sequence[Cell | Drawn], kind: str) -> str:
    cells = "".join(map(_cell, fields, row))
    return f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>"


def _cell(field: Field, cell: Cell | Drawn) -> str:
    # Markup is sorted by its key; texts and numbers by what is shown.
    key = f' data-key="{escape(str(cell.key))}"' if isinstance(cell, Drawn) else ""
    kind = _classes(field, number=_is_number(cell))
    return f"<td{kind}{key}{claim_attribute(cell)}>{field.write(cell)}</td>"


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
    caption = notes(*filter(None, [chart.caption]))
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
    # The name of a run occurs once per topic, and its place is shorter.
    place = {level: i for i, level in enumerate(dict.fromkeys(values))}
    return {"levels": list(place), "codes": [place[value] for value in values]}


def _short(value: float | None) -> float | int | None:
    """Return a number with five digits, which is more than a chart shows."""
    if value is None or math.isnan(value):
        return None
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded.is_integer() else rounded


def script_data(content: object) -> str:
    """Return JSON in a script element, so that no text in it ends the element.

    Long JSON is compressed, and the page unpacks it when it starts.
    """
    shown = _visible(content)
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(text) > LONGEST_PLAIN:
        return f'<script type="application/json" data-zlib>{compressed(text)}</script>'
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


def by_measure(overview: PageContent[One], draw: Callable[[One], str]) -> str:
    """Return one block per measure, of which the page shows the one that is chosen.

    Nothing where no measure has anything to draw.
    """
    parts = {str(part.measure): draw(part) for part in overview}
    if not any(parts.values()):
        return ""
    # The switch of measures shows one block in every section, so none may lack its own.
    nothing = paragraph("By this measure, the input has nothing to say on this.")
    blocks = (
        f'<div class="by-measure" data-measure="{escape(name)}"{"" if i == 0 else " hidden"}>'
        f"{part or nothing}</div>"
        for i, (name, part) in enumerate(parts.items())
    )
    return "\n".join(blocks)


def paragraph(*sentences: str, lead: bool = True) -> str:
    """Return sentences as one paragraph, the first of several in bold; nothing for none.

    Examples
    --------
    >>> paragraph("a < b.", "So be it.")
    '<p><b>a &lt; b.</b> So be it.</p>'
    """
    texts = [_told(sentence) for sentence in sentences]
    if lead and len(texts) > 1:
        texts[0] = f"<b>{texts[0]}</b>"
    return f"<p>{' '.join(texts)}</p>" if texts else ""


def _told(sentence: str) -> str:
    """Return a sentence; one that claims something carries it."""
    claims = claim_attribute(sentence)
    return f"<span{claims}>{escape(sentence)}</span>" if claims else escape(sentence)


def notes(*sentences: str) -> str:
    """Return how numbers came about, a line of small type for each sentence."""
    return "".join(f'<p class="how">{_told(sentence)}</p>' for sentence in sentences)


def warning(*sentences: str) -> str:
    """Return sentences that a reader must not miss; nothing for none."""
    if not sentences:
        return ""
    text = "".join(f"<p>{_told(sentence)}</p>" for sentence in sentences)
    return f'<div class="warning" role="note"><p><strong>Caution.</strong></p>{text}</div>'
