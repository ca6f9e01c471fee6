"""Check the built site: ``python docs/check_site.py out/docs``.

- *Links*: every link to a page, a picture or a heading of the site leads to one. Links to other
  sites are read for their form only, since the check runs without a network.
- *Spelling*: every word of the text, outside of code and formulas, is English or stands in
  ``docs/words.txt``, the words of the field.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from spellchecker import SpellChecker

__all__ = ["Page", "broken_links", "misspelled", "read_page"]

WORDS = Path(__file__).resolve().parent / "words.txt"
_VOID = frozenset(
    ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
)
"""Elements without an end."""
_TEXT = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "figcaption"})
"""Elements whose text is spelled."""
_NO_TEXT = frozenset({"code", "pre", "math", "script", "style", "kbd", "a"})
"""Elements whose text is not: code, and the names of links."""
_MADE = ("_modules/", "_static/")
"""Pages that Sphinx and the theme make for themselves, links included."""
_COPIED = ("genindex", "py-modindex", "search", "results", "validation", "benchmarks")
"""Pages whose words are names and numbers for the most part."""


@dataclass
class Page:
    """What a page links to, what can be linked to on it, and its words."""

    links: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collect a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.page.names.update(found[name] for name in ("id", "name") if name in found)
        self.page.links.extend(found[name] for name in ("href", "src") if name in found)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        around = set(self._open)
        if "article" in around and around & _TEXT and not around & _NO_TEXT:
            self.page.text.append(data)


def read_page(html: str) -> Page:
    """Return the links, names and words of a page.

    Examples
    --------
    >>> page = read_page('<article><p id="a">One <code>x</code> <a href="b#c">two</a></article>')
    >>> page.links, page.names, "".join(page.text).split()
    (['b#c'], {'a'}, ['One'])
    """
    reader = _Reader()
    reader.feed(html)
    return reader.page


def broken_links(site: dict[Path, Page], root: Path) -> Iterator[str]:
    """Yield the links of a site that lead nowhere, with the page they are on."""
    for path, page in site.items():
        for link in dict.fromkeys(page.links):
            if not _leads_somewhere(link, path, site):
                yield f"{path.relative_to(root)}: {link}"


def _leads_somewhere(link: str, path: Path, site: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme in {"http", "https"}:
        return re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc) is not None
    if parts.scheme:
        return parts.scheme in {"data", "mailto"}
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in site:
        return target.exists()
    return not parts.fragment or unquote(parts.fragment) in site[target].names


def misspelled(text: str, english: SpellChecker) -> set[str]:
    """Return the words of a text that are neither English nor of the field.

    Examples
    --------
    >>> misspelled("A judgement of relevanse, by nDCG@10.", SpellChecker())
    {'relevanse'}
    """
    words = re.findall(r"(?<![\w@.−-])[A-Za-z][a-z]{2,}+(?![\w@]|\.\w)", text)
    return {word.lower() for word in words} - english.known(word.lower() for word in words)


def main() -> int:
    """Check a built site, and say what is wrong with it."""
    root = Path(sys.argv[1]).resolve()
    paths = [p for p in root.rglob("*.html") if not str(p.relative_to(root)).startswith(_MADE)]
    site = {path: read_page(path.read_text(encoding="utf-8")) for path in paths}
    english = SpellChecker()
    english.word_frequency.load_words(WORDS.read_text(encoding="utf-8").split())
    found = [f"leads nowhere: {line}" for line in broken_links(site, root)]
    for path, page in site.items():
        name = str(path.relative_to(root))
        if not name.startswith(_COPIED):
            unknown = misspelled(" ".join(page.text), english)
            found += [f"unknown word: {name}: {word}" for word in sorted(unknown)]
    print(*found, sep="\n", end="\n" if found else "")  # noqa: T201 -- a script
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
