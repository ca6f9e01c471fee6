"""The pages of runs: what is known of each, where it stands, and its scores by topic."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from poolwise.findings.history._entries import Entry
from poolwise.findings.history._ledger_overview import (
    CollectionResults,
    LedgerOverview,
    MeasuredRuns,
)
from poolwise.scores._score_table import ScoreTable
from poolwise.views.ledger._collection_pages import home_of, run_page_of
from poolwise.views.ledger._frame import Site, commands, file_link
from poolwise.views.report._parts import (
    Field,
    notes,
    paragraph,
    range_field,
    rows_of,
    sortable_table,
    warning,
    where,
)
from poolwise.words import counted, range_text, visible

__all__ = ["run_pages"]

_DEPTH = 2


def run_pages(
    results: CollectionResults, overview: LedgerOverview, site: Site
) -> Iterator[tuple[str, bytes]]:
    """Yield the page of each run, by its path."""
    places = [
        {run: s for s, run in enumerate(m.table.systems)} if m.table is not None else {}
        for m in results.measured
    ]
    for entry in results.entries:
        parts = [
            _retraction(entry),
            _about(entry, results.metadata.get(entry.run, {}), overview),
            *(
                _measured(entry, measured, at.get(entry.run))
                for measured, at in zip(results.measured, places, strict=True)
            ),
            "<section><h2>Where do the numbers come from?</h2>",
            f"<p>{file_link(entry.path, overview, _DEPTH)}</p>",
            commands(site, results),
            "</section>",
        ]
        yield (
            run_page_of(results, entry.run),
            site.page(
                "\n".join(filter(None, parts)),
                heading=entry.run,
                counts=f"{results.collection}, {results.words}",
                depth=_DEPTH,
                crumbs=[(results.collection, f"../../{home_of(results)}")],
            ),
        )


def _retraction(entry: Entry) -> str:
    return warning(*([f"This result was retracted: {entry.retracted}."] if entry.retracted else []))


def _about(entry: Entry, metadata: Mapping[str, Any], overview: LedgerOverview) -> str:
    facts = {"added": f"{entry.added} by {entry.by}", **metadata}
    cells = "".join(
        f"<dt>{escape(visible(str(name)))}</dt><dd>{escape(visible(_words(value)))}</dd>"
        for name, value in facts.items()
    )
    file = file_link(entry.path, overview, _DEPTH, "file")
    return f"<dl><dt>result</dt><dd>{file}</dd>{cells}</dl>"


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _measured(entry: Entry, measured: MeasuredRuns, row: int | None) -> str:
    """Return what is known of a run by one measure; nothing where it has no score."""
    if entry.run not in measured.means:
        return ""
    head = f"<section><h2>{escape(str(measured.measure))}</h2>"
    if measured.table is None or measured.ranks is None or row is None:
        mean = measured.means[entry.run]
        return f"{head}{paragraph(f'Published mean: {mean:.4f}, never tested.')}</section>"
    ranks, table = measured.ranks, measured.table
    at = ranks.systems.index(entry.run)
    others = ranks.not_separable(entry.run)
    place = (
        f"Mean {ranks.mean[at]:.4f}, rank {ranks.rank[at]} of {len(ranks.systems)}; rank interval "
        f"{ranks.low[at]}–{ranks.high[at]}."
    )
    shown = f"{counted(len(others), 'run')} not separable from it"
    names = escape(visible(", ".join(others)))
    listed = (
        f'<details><summary>{shown}</summary><p class="names">{names}</p></details>'
        if others
        else ""
    )
    resampled = f"{ranks.resampled_low[at]}–{ranks.resampled_high[at]}"
    said = f"Rank under resampled topics: {resampled}, which is no confidence interval."
    return (
        f"{head}{paragraph(place, *_uncertain(table, row))}{listed}{notes(said)}"
        f"{_by_topic(entry, table, row)}</section>"
    )


def _uncertain(table: ScoreTable, row: int) -> Iterator[str]:
    own = table.select([table.systems[row]])
    topics, judging = own.summary().uncertainties[:2]
    yield f"Other topics could give it {topics.texts()[0]} (95%)."
    if table.scope.kind == "none":
        return
    low, high = float(judging.low[0]), float(judging.high[0])
    if high > low:
        yield f"Judging its own unjudged documents could give it {range_text(low, high)}."
    else:
        yield "Judging more of its own documents would not change it."


def _by_topic(entry: Entry, table: ScoreTable, row: int) -> str:
    columns = {
        "topic": list(table.topics),
        "score": table.value[row].tolist(),
        "lower": table.lower[row].tolist(),
        "upper": table.upper[row].tolist(),
    }
    fields = [
        Field("topic"),
        Field("score", digits=4),
        *where(table.scope.kind != "none", range_field("range if judged", "lower", "upper")),
    ]
    body = sortable_table(
        fields,
        rows_of(columns),
        name=f"{entry.run}-{table.measure}",
        caption=f"{entry.run}: {table.measure} by topic",
    )
    return f"<details><summary>Scores by topic</summary>{body}</details>"
