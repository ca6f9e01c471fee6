"""The site of a ledger: all its pages by their paths, and writing them."""

import json
from collections.abc import Iterator
from pathlib import Path

from poolwise.findings.history._ledger_overview import LedgerOverview
from poolwise.provenance._files import make_folder, write_file
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting
from poolwise.results._records import json_text
from poolwise.views.ledger._collection_pages import (
    collection_pages,
    home_of,
    measure_page_of,
    run_page_of,
)
from poolwise.views.ledger._drawings import trend_picture
from poolwise.views.ledger._frame import Site, fixed_files, link
from poolwise.views.ledger._run_pages import run_pages
from poolwise.views.report._parts import (
    Drawn,
    Field,
    Row,
    notes,
    paragraph,
    rows_of,
    sortable_table,
)
from poolwise.words import named

__all__ = ["ledger_pages", "write_ledger_site"]

_TITLE = "Results over time"


@recorded
def ledger_pages(
    overview: LedgerOverview, *, title: str = "", ledger: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a static site about a ledger, by their paths.

    It opens from disk and from any static host, and asks for nothing elsewhere.

    Parameters
    ----------
    overview
        What :meth:`Ledger.overview` found.
    title
        The name of the site.
    ledger
        The folder of the ledger as commands name it; by default its name alone.

    Returns
    -------
    iterator of tuples of str and bytes
        Pages, style, scripts, the index of the search, and the files of the ledger as they are.

    Examples
    --------
    >>> pages = dict(ledger_pages(LedgerOverview("results", ())))
    >>> sorted(pages)[:3], b"<h1>Results over time</h1>" in pages["index.html"]
    (['index.html', 'search.js', 'site.js'], True)
    """
    site = Site(title or _TITLE, ledger or Path(overview.path).name)
    return _pages(overview, site)


def _pages(overview: LedgerOverview, site: Site) -> Iterator[tuple[str, bytes]]:
    yield from fixed_files().items()
    yield "search.js", _index(overview)
    yield "index.html", _front(overview, site)
    if overview.trends:
        yield "trend.html", _trend(overview, site)
    for results in counting(overview.collections, "collections drawn"):
        yield from collection_pages(results, overview, site)
        yield from run_pages(results, overview, site)
    yield from ((f"files/{path}", content) for path, content in overview.files.items())


_FRONT = "index.html"
_BEGUN = (
    b"<!DOCTYPE html><title>poolwise ledger site</title><p>This site is not complete yet.</p>\n"
)
"""The first page, until there is a better one."""


@recorded
def write_ledger_site(overview: LedgerOverview, folder: str | Path, *, title: str = "") -> int:
    """Write the site of a ledger into a folder, and return how many pages it has.

    Parameters
    ----------
    overview
        What :meth:`Ledger.overview` found.
    folder
        Where to; files of an earlier site are replaced.
    title
        The name of the site.

    Returns
    -------
    int
        The number of pages.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_ledger_site(LedgerOverview("results", ()), folder)
    1
    """
    front = Path(folder) / _FRONT
    if not front.is_file():  # what is interrupted is known as a site, and can be written again
        make_folder(front.parent)
        write_file(front, _BEGUN)
    made: set[Path] = set()
    pages = 0
    for path, content in ledger_pages(overview, title=title):
        place = Path(folder) / path
        if place.parent not in made:
            make_folder(place.parent)
            made.add(place.parent)
        if place == front:
            write_file(place, content)
        else:  # All of it can be made again: a crash loses nothing that lasts.
            place.write_bytes(content)
        pages += path.endswith(".html")
    return pages


def _index(overview: LedgerOverview) -> bytes:
    """Return what the search goes through, as a script: a page from disk may fetch nothing."""
    entries = [
        [results.collection, results.words, home_of(results)]
        for results in overview.collections
        if results.measured
    ]
    entries += [
        [entry.run, f"{results.collection}, {results.words}", run_page_of(results, entry.run)]
        for results in overview.collections
        for entry in results.entries
    ]
    text = json_text(json.dumps(entries, ensure_ascii=False, separators=(",", ":")))
    return f'"use strict";\nconst INDEX = {text};\n'.encode()


def _front(overview: LedgerOverview, site: Site) -> bytes:
    places = {(results.collection, results.version): results for results in overview.collections}

    def name(row: Row) -> Drawn:
        results = places[row["collection"], row["version"]]
        return Drawn(link(row["collection"], home_of(results)), row["collection"])

    def words(row: Row) -> str:
        results = places[row["collection"], row["version"]]
        return results.words if results.newest else f"{results.words} (an older version)"

    def best(row: Row) -> Drawn | None:
        if not row["best"]:  # several means were published for every run
            return None
        target = run_page_of(places[row["collection"], row["version"]], row["best"])
        return Drawn(link(row["best"], target), row["best"])

    def measure(row: Row) -> Drawn:
        results = places[row["collection"], row["version"]]
        return Drawn(link(row["measure"], measure_page_of(results, row["measure"])), row["measure"])

    fields = [
        *(Field("collection", name), Field("results of", words), Field("measure", measure)),
        *(Field("runs"), Field("topics", lambda row: row["topics"] or None, minor=True)),
        *(Field("best run", best), Field("mean", digits=4)),
    ]
    rows = rows_of(overview.columns())
    table = sortable_table(fields, rows, name="collections", caption="Collections by measure")
    said = paragraph(
        "Ranks are intervals, and scores of different judgments are never mixed.",
        "Every page links its numbers to their files and to the command that checks them.",
    )
    nav = {"Collections": "index.html"} | ({"Trend": "trend.html"} if overview.trends else {})
    counts = overview.sentences()[0].replace(f" {overview.path}", "", 1)
    return site.page(f"{said}{table if rows else ''}", heading=site.title, counts=counts, nav=nav,
                     current="Collections")  # fmt: skip


def _trend(overview: LedgerOverview, site: Site) -> bytes:
    homes = {
        results.collection: home_of(results) for results in overview.collections if results.newest
    }
    parts = []
    for trend in overview.trends:
        rows = rows_of(trend.columns())
        fields = [
            Field("collection", lambda row: _linked(row, homes)),
            *(Field("year"), Field("runs")),
            Field("topics", lambda row: row["topics"] or None, minor=True),
            *(Field(n, digits=3) for n in ("lowest", "quarter", "median")),
            *(Field("three quarters", "three_quarters", digits=3), Field("highest", digits=3)),
            Field("best", minor=True),
        ]
        by = f", standardized by {trend.reference}" if trend.reference else ", plain means"
        first, *more = trend.sentences()
        parts += [
            f"<section><h2>{trend.measure}{by}</h2>",
            paragraph(first),
            trend_picture(trend),
            sortable_table(fields, rows, name=f"trend-{trend.measure}",
                           caption=f"{trend.measure} by collection"),
            notes(*more),
            "</section>",
        ]  # fmt: skip
    nav = {"Collections": "index.html", "Trend": "trend.html"}
    measures = named([str(trend.measure) for trend in overview.trends])
    return site.page("".join(parts), heading="Trend", counts=measures, nav=nav, current="Trend")


def _linked(row: Row, homes: dict[str, str]) -> Drawn:
    return Drawn(link(row["collection"], homes[row["collection"]]), row["collection"])
