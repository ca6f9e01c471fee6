"""Guidelines in Markdown, as markup: the forms that guidelines use, and no HTML of their own."""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

__all__ = ["guidelines_markup"]

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
_BULLET = re.compile(r"[-*+]\s+(.*)")
_NUMBER = re.compile(r"\d+[.)]\s+(.*)")
_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*(?!\s)(.+?)(?<!\s)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"(?<!\w)_(?!\s)(.+?)(?<!\s)_(?!\w)"), r"<em>\1</em>"),
    (re.compile(r"!?\[([^\]]+)\]\(([^)\s]+)\)"), r"\1 (\2)"),
)
"""What stands within a line; an address is told, since a page of ours leads nowhere else."""


def guidelines_markup(text: str) -> str:
    r"""Return Markdown as markup: headings, lists, paragraphs, emphasis, code.

    Examples
    --------
    >>> print(guidelines_markup("# How\nRead *all* of it.\n\n- `0`: <b>no</b>\n- 1: yes"))
    <h3>How</h3>
    <p>Read <em>all</em> of it.</p>
    <ul><li><code>0</code>: &lt;b&gt;no&lt;/b&gt;</li><li>1: yes</li></ul>
    """
    return "\n".join(_blocks(text))


def _blocks(text: str) -> Iterator[str]:
    lines = [line.strip() for line in text.expandtabs().splitlines()]
    for kind, group in groupby(_continued(lines), key=_kind):
        if kind == "h":
            yield from (_heading(line) for line in group)
        elif kind == "p":
            yield f"<p>{_inline(' '.join(group))}</p>"
        elif kind:
            pattern = _BULLET if kind == "ul" else _NUMBER
            items = (_inline(_match(pattern, line)[1]) for line in group)
            yield f"<{kind}>{''.join(f'<li>{item}</li>' for item in items)}</{kind}>"


def _continued(lines: list[str]) -> Iterator[str]:
    """Put the further lines of an item of a list behind its first."""
    item = ""
    for line in [*lines, ""]:
        if item and _kind(line) == "p":
            item += f" {line}"
            continue
        if item:
            yield item
        item = line if _kind(line) in ("ul", "ol") else ""
        if not item:
            yield line


def _kind(line: str) -> str:
    if not line:
        return ""
    forms = {"h": _HEADING, "ul": _BULLET, "ol": _NUMBER}
    return next((kind for kind, form in forms.items() if form.fullmatch(line)), "p")


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    match = pattern.fullmatch(line)
    if match is None:  # its kind was found by the same pattern
        raise ValueError(line)
    return match


def _heading(line: str) -> str:
    marks, words = _match(_HEADING, line).groups()
    level = min(len(marks) + 2, 6)  # the page has the first two
    return f"<h{level}>{_inline(words)}</h{level}>"


def _inline(text: str) -> str:
    """Return a line with its emphasis; whatever else it holds stays text."""
    markup = escape(text)
    for pattern, drawn in _INLINE:
        markup = pattern.sub(drawn, markup)
    return markup
