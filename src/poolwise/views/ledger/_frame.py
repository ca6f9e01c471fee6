"""Pages of the site: their frame, their links to each other, and what every page says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template
from urllib.parse import quote

from poolwise.findings.history._ledger_overview import CollectionResults, LedgerOverview
from poolwise.words import visible

__all__ = ["Site", "commands", "file_link", "fixed_files", "link", "slug"]


def slug(name: str) -> str:
    """Return a name as that of a page, which every host serves as it is.

    Percent signs of escapes would be taken for escapes by the host, so that others stand for them.

    Examples
    --------
    >>> slug("nDCG@10"), slug("a/b c"), slug("../x"), slug("index")
    ('nDCG~4010', 'a~2Fb~20c', '~2E~2E~2Fx', 'index')
    """
    return quote(name, safe="-_", errors="surrogateescape").replace("%", "~").replace(".", "~2E")


def link(text: str, target: str, *, title: str = "") -> str:
    """Return a link."""
    tip = f' title="{escape(title)}"' if title else ""
    return f'<a href="{escape(target)}"{tip}>{escape(visible(text))}</a>'


@dataclass(frozen=True)
class Site:
    """What the pages have in common.

    Attributes
    ----------
    title : str
        The name of the site.
    ledger : str
        The folder, as the commands that check a number name it.
    """

    title: str
    ledger: str

    def page(
        self,
        body: str,
        *,
        heading: str,
        counts: str = "",
        depth: int = 0,
        crumbs: Sequence[tuple[str, str]] = (),
        nav: Mapping[str, str] | None = None,
        current: str = "",
    ) -> bytes:
        """Return a page that lies ``depth`` folders below the first one."""
        trail = "".join(f" › {link(text, target)}" for text, target in crumbs)
        pages = "".join(
            f'<a href="{escape(target)}"{_is_current(name, current)}>{escape(visible(name))}</a>'
            for name, target in (nav or {}).items()
        )
        text = Template(_file("site.html")).substitute(
            title=escape(
                visible(f"{heading} · {self.title}" if heading != self.title else heading)
            ),
            heading=escape(visible(heading)),
            site=escape(visible(self.title)),
            counts=escape(visible(counts)),
            root="../" * depth,
            crumbs=trail,
            nav=pages,
            body=body,
        )
        return text.encode("utf-8", "backslashreplace")


def _is_current(name: str, current: str) -> str:
    return ' aria-current="page"' if name == current else ""


def _file(name: str, folder: str = "ledger") -> str:
    return resources.files("poolwise.views").joinpath(folder, name).read_text(encoding="utf-8")


def fixed_files() -> dict[str, bytes]:
    """Return what is the same on every site: the style, and the scripts."""
    return {
        "style.css": (_file("page.css", "report") + _file("site.css")).encode(),
        "tables.js": _file("page_tables.js", "report").encode(),
        "site.js": _file("site.js").encode(),
    }


def file_link(path: str, overview: LedgerOverview, depth: int, text: str = "") -> str:
    """Return a link to a file of the ledger, which the site holds as it is."""
    inside = path.removeprefix(overview.path).lstrip("/\\").replace("\\", "/")
    return link(text or inside, f"{'../' * depth}files/{quote(inside)}")


def commands(site: Site, results: CollectionResults, measure: str = "") -> str:
    """Return the commands that give the numbers of a page again."""
    where = f"{_word(site.ledger)} --collection {_word(results.collection)}"
    version = "" if results.newest else f" --version {results.version}"
    by = f" -m {_word(measure)}" if measure else ""
    asked = [f"poolwise ledger check {_word(site.ledger)}"]
    if results.kind != "means only":
        asked.append(f"poolwise ledger rank {where}{version}{by}")
    listed = "".join(f"<li><code>{escape(visible(line))}</code></li>" for line in asked)
    return f'<p id="check">These commands check the numbers:</p><ul>{listed}</ul>'


def _word(text: str) -> str:
    from shlex import quote as shell  # noqa: PLC0415 -- late: for pages alone

    return shell(text)
