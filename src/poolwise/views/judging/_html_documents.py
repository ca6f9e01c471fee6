"""Documents that are HTML: their structure and their text, and nothing that acts or asks."""

from html import escape
from html.parser import HTMLParser

from poolwise.views.judging._marking import by_query

__all__ = ["frame_page", "text_of_html"]

_LINES = """
p div br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr th td blockquote
pre article section header footer main figure figcaption address
"""
_WITHIN = "span code b strong i em u s sub sup small q cite abbr time mark kbd samp var"
_BREAKS = frozenset(_LINES.split())
"""Elements that begin a line of their own."""
_KEPT = _BREAKS | frozenset(_WITHIN.split())
"""Elements that are shown; of others, the text is."""
_UNREAD = frozenset({"script", "style", "template", "noscript", "head", "title", "svg", "math"})
"""Elements whose text nobody reads, either."""
_VOID = frozenset({"br", "hr"})
_ATTRIBUTES = frozenset({"colspan", "rowspan", "lang", "dir", "start", "title"})


class _Reader(HTMLParser):
    """Goes through a document, and writes anew what may be shown of it."""

    def __init__(self, words: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.words, self.markup, self.text = words, [""], [""]
        self._unread, self._open = 0, [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write the start of an element that may be shown, without what could act."""
        if tag in _UNREAD:
            self._unread += 1
        elif tag in _KEPT and not self._unread:
            kept = "".join(
                f' {name}="{escape(value or "")}"' for name, value in attrs if name in _ATTRIBUTES
            )
            self.markup.append(f"<{tag}{kept}>")
            self.text.append("\n" * (tag in _BREAKS))
            if tag not in _VOID:
                self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Write the end of an element that is open, and of those within it."""
        if tag in _UNREAD:
            self._unread = max(0, self._unread - 1)
        elif tag in self._open and tag:
            while (last := self._open.pop()) != tag:
                self.markup.append(f"</{last}>")
            self.markup.append(f"</{tag}>")
            self.text.append("\n" * (tag in _BREAKS))

    def handle_data(self, data: str) -> None:
        """Write text, with the words of the query marked."""
        if self._unread:
            return
        self.text.append(data)
        for at, part in enumerate(by_query(data, self.words)):
            self.markup.append(f"<mark>{escape(part)}</mark>" if at % 2 else escape(part))


def _read(text: str, words: frozenset[str]) -> _Reader:
    reader = _Reader(words)
    reader.feed(text)
    reader.close()
    return reader


def text_of_html(text: str) -> str:
    r"""Return what one reads of a document that is HTML.

    Examples
    --------
    >>> text_of_html("<title>x</title><h1>Owls</h1><p>They <b>hoot</b>.<script>alert(1)</script>")
    'Owls\n\nThey hoot.'
    """
    lines = (" ".join(line.split()) for line in "".join(_read(text, frozenset()).text).split("\n"))
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


def frame_page(text: str, words: frozenset[str]) -> str:
    """Return a document that is HTML as a page for a frame, the words of a query marked.

    Scripts, links, pictures, forms and whatever else could act or ask for something are left out,
    beside the policy of the frame, which would not let them.

    Examples
    --------
    >>> text = '<p onclick="x()">An <a href="//a.org">owl</a><img src=y>'
    >>> page = frame_page(text, frozenset({"owl"}))
    >>> page.partition("<main>")[2].partition("</main>")[0]
    '<p>An <mark>owl</mark></p>'
    """
    reader = _read(text, words)
    ends = "".join(f"</{tag}>" for tag in reversed(reader._open) if tag)  # noqa: SLF001 -- our own
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Document</title>'
        f"<style>{FRAME_STYLE}</style></head><body><main>{''.join(reader.markup)}{ends}"
        "</main></body></html>"
    )


FRAME_STYLE = (
    ":root{color-scheme:light dark}body{font:17px/1.6 system-ui,sans-serif;margin:0;"
    "overflow-wrap:anywhere}table{border-collapse:collapse}td,th{border:1px solid #8888;"
    "padding:.2rem .5rem}mark{background:#ffe08a;color:#1c2126}"
)
"""The style of a frame, which its policy names by its hash."""
