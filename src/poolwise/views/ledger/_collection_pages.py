"""The pages of collections: ranks as intervals, and what each number is made from."""

from collections.abc import Iterator
from html import escape

from poolwise.findings.history._entries import RESULT_KINDS, Entry
from poolwise.findings.history._ledger_overview import (
    CollectionResults,
    LedgerOverview,
    MeasuredRuns,
)
from poolwise.findings.history._ranks import RankIntervals
from poolwise.views.ledger._drawings import gains_picture
from poolwise.views.ledger._frame import Site, commands, file_link, link, slug
from poolwise.views.report._nested_bars import Axis, Bar, axis_markup, nested_bars
from poolwise.views.report._parts import (
    Drawn,
    Field,
    Row,
    notes,
    paragraph,
    range_field,
    rows_of,
    sortable_table,
    warning,
    where,
)
from poolwise.words import counted, decimal, visible

__all__ = ["collection_pages", "home_of", "measure_page_of", "run_page_of"]

_DEPTH = 2
_LEGEND = (
    '<p class="legend"><span class="key interval"></span> {level}% rank interval '
    '<span class="key topics"></span> rank under resampled topics, no confidence interval '
    '<span class="key mean"></span> rank by the mean</p>'
)


def folder_of(results: CollectionResults) -> str:
    """Return the folder of a version's pages."""
    return f"{slug(results.collection)}/{slug(results.version)}"


def home_of(results: CollectionResults) -> str:
    """Return the page of a version: that of its first measure."""
    return measure_page_of(
        results, str(results.measured[0].measure) if results.measured else "nothing"
    )


def measure_page_of(results: CollectionResults, measure: str) -> str:
    """Return the page of a version by one measure."""
    return f"{folder_of(results)}/by-{slug(measure)}.html"


def run_page_of(results: CollectionResults, run: str) -> str:
    """Return the page of a run."""
    return f"{folder_of(results)}/run-{slug(run)}.html"


def collection_pages(
    results: CollectionResults, overview: LedgerOverview, site: Site
) -> Iterator[tuple[str, bytes]]:
    """Yield the pages of a version of a collection, one per measure, by their paths."""
    nav = {str(m.measure): f"by-{slug(str(m.measure))}.html" for m in results.measured}
    others = [
        v for v in overview.collections if v.collection == results.collection and v is not results
    ]
    nav |= {v.words: f"../../{home_of(v)}" for v in others}
    for measured in results.measured:
        body = _body(results, measured, overview, site)
        name = str(measured.measure)
        yield (
            f"{folder_of(results)}/{nav[name]}",
            site.page(
                body,
                heading=f"{results.collection}, {name}",
                counts=_counts(results),
                depth=_DEPTH,
                nav=nav,
                current=name,
            ),
        )


def _counts(results: CollectionResults) -> str:
    topics = f", {counted(len(results.topics), 'topic')}" if results.topics else ""
    runs = counted(len(results.entries), "run")
    return f"{runs}{topics}; {results.words}: {RESULT_KINDS[results.kind]}."


def _body(
    results: CollectionResults, measured: MeasuredRuns, overview: LedgerOverview, site: Site
) -> str:
    old = "A newer version of the judgments is here as well."
    gone = [entry for entry in results.entries if entry.retracted]
    parts = [
        warning(*([] if results.newest or results.kind != "scored" else [old])),
        _ranked(results, measured, overview)
        if measured.ranks
        else _plain(results, measured, overview),
        *_retracted(gone, overview),
        *_gains(measured),
        "<section><h2>Where do the numbers come from?</h2>",
        notes(
            f"Each mean links to its file in the ledger, with scores by topic and the hash of its "
            f"bytes; {results.source or 'the source'} is what these results are of."
        ),
        f"<p>{file_link(results.path, overview, _DEPTH)}</p>",
        commands(site, results, str(measured.measure)),
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def _gains(measured: MeasuredRuns) -> tuple[str, ...]:
    if measured.gains is None:
        return ()
    title = "<section><h2>Do improvements add up?</h2>"
    gains = measured.gains
    return (title, paragraph(*gains.sentences()), gains_picture(gains), "</section>")


def _retracted(entries: list[Entry], overview: LedgerOverview) -> tuple[str, ...]:
    if not entries:
        return ()
    rows = "".join(
        f"<li>{escape(visible(e.run))}: {escape(visible(e.retracted))} "
        f"({file_link(e.path, overview, _DEPTH, 'file')})</li>"
        for e in entries
    )
    return (f"<section><h2>Which results were retracted?</h2><ul>{rows}</ul></section>",)


def _ranked(results: CollectionResults, measured: MeasuredRuns, overview: LedgerOverview) -> str:
    ranks = measured.ranks
    if ranks is None:  # which the caller has seen to
        return ""
    entries = {entry.run: entry for entry in results.entries}
    axis = _rank_axis(len(ranks.systems))
    groups = ranks.group.tolist()
    marks = {i: "tier-start" for i in range(1, len(groups)) if groups[i] != groups[i - 1]}
    rows = _rows(ranks, measured)
    table = sortable_table(
        _fields(entries, overview, axis, has_ranges=_has_ranges(measured)),
        rows,
        name=f"{results.collection}-{measured.measure}",
        caption=f"Runs by mean {measured.measure}; a line begins where a run is separable from the "
        "first of those above it: a drawing, in which runs of one part may yet differ.",
        marks=marks,
    )
    first, *more = ranks.sentences()
    legend = _LEGEND.format(level=f"{100 * (1 - ranks.alpha):g}")
    return f"{paragraph(first)}{legend}{table}{notes(*more)}"


def _has_ranges(measured: MeasuredRuns) -> bool:
    return measured.table is not None and measured.table.scope.kind != "none"


def _rows(ranks: RankIntervals, measured: MeasuredRuns) -> list[Row]:
    """Return the columns of the ranks, beside what each mean could be, as rows."""
    columns = dict(ranks.columns())
    if measured.table is not None:
        at = {run: i for i, run in enumerate(measured.table.systems)}
        order = [at[run] for run in ranks.systems]
        for u in measured.table.summary().uncertainties[:2]:
            low, high = u.shown.means.ends
            columns |= {low: u.low[order].tolist(), high: u.high[order].tolist()}
    return rows_of(columns)


def _rank_axis(count: int) -> Axis:
    last = max(count, 2)
    marks = dict.fromkeys(round(1 + (last - 1) * i / 4) for i in range(5))
    return Axis(1, last, [float(mark) for mark in marks])


def _fields(
    entries: dict[str, Entry], overview: LedgerOverview, axis: Axis, *, has_ranges: bool
) -> list[Field]:
    def run(row: Row) -> Drawn:
        return Drawn(link(row["run"], f"run-{slug(row['run'])}.html"), row["run"])

    def mean(row: Row) -> Drawn:
        text = decimal(row["mean"])
        return Drawn(file_link(entries[row["run"]].path, overview, _DEPTH, text), row["mean"],
                     right=True)  # fmt: skip

    def span(low: str, high: str) -> Field:
        titles = {
            "rank_low": ("rank interval", "Holds the true rank with the level of the page"),
            "resampled_low": ("under resampled topics", "No confidence interval of the rank"),
        }
        title, tip = titles[low]
        return Field(
            title, lambda row: Drawn(f"{row[low]}–{row[high]}", row[low]), help=tip,
            minor=low == "resampled_low",
        )  # fmt: skip

    def bars(row: Row) -> Drawn:
        drawn = (
            Bar(row["rank_low"], row["rank_high"], "interval"),
            Bar(row["resampled_low"], row["resampled_high"], "topics"),
        )
        return Drawn(nested_bars(row["rank"], drawn, axis), row["rank"])

    return [
        Field("rank"),
        Field("run", run),
        Field("year", lambda row: entries[row["run"]].year, minor=True),
        Field("mean", mean),
        range_field("95% over topics", "ci_low", "ci_high"),
        *where(has_ranges, range_field("range if judged", "lower", "upper",
               "Over the unjudged documents of the run itself")),
        span("rank_low", "rank_high"),
        Field("ranks", bars, markup=axis_markup(axis)),
        Field("not separable from", "not_separable"),
        span("resampled_low", "resampled_high"),
    ]  # fmt: skip


def _plain(results: CollectionResults, measured: MeasuredRuns, overview: LedgerOverview) -> str:
    """Return published means, which have no ranks."""
    entries = {entry.run: entry for entry in results.entries}
    rows = [{"run": run, "mean": mean} for run, mean in measured.means.items()]
    several = [e.run for e in results.entries if e.counts and e.run not in measured.means]

    def mean(row: Row) -> Drawn:
        target = file_link(entries[row["run"]].path, overview, _DEPTH, f"{row['mean']:.4f}")
        return Drawn(target, row["mean"], right=True)

    fields = [
        Field(
            "run", lambda row: Drawn(link(row["run"], f"run-{slug(row['run'])}.html"), row["run"])
        ),
        Field("year", lambda row: entries[row["run"]].year, minor=True),
        Field("mean", mean),
    ]
    table = sortable_table(
        fields,
        rows,
        name=f"{results.collection}-{measured.measure}",
        caption=f"Published means by {measured.measure}",
    )
    left = (
        f"{counted(len(several), 'run')} of this table {'has' if len(several) == 1 else 'have'} no "
        "single mean by this measure."
    )
    said = "These are published means, without topics: they are listed, and never tested."
    return f"{paragraph(said)}{table}{notes(*([left] if several else []))}"
