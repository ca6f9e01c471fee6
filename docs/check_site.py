"""Check the built site: ``python docs/check_site.py out/docs``.

- *Links*: every link to a page, a picture or a heading of the site leads to one. Links to other
  sites are read for their form only, since the check runs without a network.
- *Spelling*: every word of the text, outside of code and formulas, is English or stands in
  ``docs/words.txt``, the words of the field.
- *Search*: what people type leads to the page that is meant, among the first three (``SOUGHT``).
  The site's own script says what it finds, in Node; without Node this is not checked, and said.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from spellchecker import SpellChecker

__all__ = ["SOUGHT", "Page", "broken_links", "misspelled", "not_found", "read_page"]

WORDS = Path(__file__).resolve().parent / "words.txt"
_SEARCH = Path(__file__).resolve().parent / "search.js"
_FIRST = 3
"""Pages among which the page that is meant must be."""
SOUGHT = {
    "judge next": "howto/judge-next",
    "what to judge": "howto/judge-next",
    "annotation budget": "howto/judge-next",
    "opensearch": "howto/from-search-engines",
    "elasticsearch": "howto/from-search-engines",
    "quepid": "howto/from-search-engines",
    "unjudged": "howto/unjudged-run",
    "holes": "howto/unjudged-run",
    "significance": "howto/which-p-value",
    "statistical significance": "howto/which-p-value",
    "p value": "howto/which-p-value",
    "t-test": "howto/which-p-value",
    "multiple comparisons": "howto/which-p-value",
    "power": "howto/journal",
    "sample size": "howto/journal",
    "how many queries": "howto/journal",
    "gate release": "howto/gate-a-release",
    "continuous integration": "howto/gate-a-release",
    "pytrec_eval": "howto/from-trec-eval",
    "trec_eval": "howto/from-trec-eval",
    "ir_measures": "howto/from-ir-measures",
    "pyterrier": "howto/from-pyterrier",
    "ranx": "howto/from-ranx",
    "card": "howto/collection-card",
    "stale labels": "howto/stale-labels",
    "latency": "howto/beside",
    "cost": "howto/beside",
    "machine labels": "howto/machine-labels",
    "llm": "howto/machine-labels",
    "assessor agreement": "howto/machine-labels",
    "slices": "howto/slices",
    "languages": "howto/slices",
    "query variants": "howto/slices",
    "notebook": "howto/notebook",
    "cite": "howto/cite",
    "bibtex": "howto/cite",
    "latex": "howto/paper-tables",
    "compare two runs": "howto/a-against-b",
    "leaderboard": "howto/results-over-time",
    "beir": "howto/ms-marco-and-beir",
    "gold set": "howto/gold-set",
    "spark": "howto/frames",
    "polars": "howto/frames",
    "install": "start",
    "ties": "conventions",
    "confidence interval": "ranges",
    "nDCG": "reference/generated/measures",
}
"""What people type, and the page that is meant."""
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
        attributes = {name: value or "" for name, value in attrs}
        self.page.names.update(attributes[name] for name in ("id", "name") if name in attributes)
        self.page.links.extend(attributes[name] for name in ("href", "src") if name in attributes)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        # What is void ends without having been open, as in <img/>.
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        around = set(self._open)
        if "article" in around and around & _TEXT and not around & _NO_TEXT:
            self.page.text.append(data)


def read_page(html: str) -> Page:
    """Return the links, names and words of a page.

    Examples
    --------
    >>> page = read_page('<article><p id="a">One <code>x</code> <a href="b#c">two</a><br/>3')
    >>> page.links, page.names, "".join(page.text).split()
    (['b#c'], {'a'}, ['One', '3'])
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


def not_found(root: Path, node: str) -> Iterator[str]:
    """Yield what people type without finding the page that is meant among the first."""
    command = [node, str(_SEARCH), str(root), *SOUGHT]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- our own
    for (query, page), pages in zip(SOUGHT.items(), json.loads(done.stdout), strict=True):
        if page not in pages[:_FIRST]:
            yield f"{query}: {page} is not among {', '.join(pages[:_FIRST]) or 'nothing'}"


def main() -> int:
    """Check a built site, and say what is wrong with it."""
    root = Path(sys.argv[1]).resolve()
    paths = [p for p in root.rglob("*.html") if not str(p.relative_to(root)).startswith(_MADE)]
    site = {path: read_page(path.read_text(encoding="utf-8")) for path in paths}
    english = SpellChecker()
    english.word_frequency.load_words(WORDS.read_text(encoding="utf-8").split())
    faults = [f"leads nowhere: {line}" for line in broken_links(site, root)]
    for path, page in site.items():
        name = str(path.relative_to(root))
        if not name.startswith(_COPIED):
            unknown = misspelled(" ".join(page.text), english)
            faults += [f"unknown word: {name}: {word}" for word in sorted(unknown)]
    node = shutil.which("node")
    if node is None:
        print("The search is not checked: Node is not installed.", file=sys.stderr)  # noqa: T201
    else:
        faults += [f"not found: {line}" for line in not_found(root, node)]
    print(*faults, sep="\n", end="\n" if faults else "")  # noqa: T201 -- a script
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
