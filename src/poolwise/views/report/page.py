"""One self-contained page that answers what somebody with a folder of runs asks."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib import resources
from string import Template

from poolwise.collection.groups import Groups
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.measures.measure import Measure
from poolwise.views.report.chart_style import vega_bundle
from poolwise.views.report.collection import (
    estimates_section,
    power_section,
    provenance_section,
    similarity_section,
)
from poolwise.views.report.differences import differences_section
from poolwise.views.report.judgments import judgments_section
from poolwise.views.report.leaderboard import leaderboard_section
from poolwise.views.report.overview import ReportFindings, find_all
from poolwise.views.report.parts import Section
from poolwise.views.report.topics import topics_section

__all__ = ["html_report"]


def html_report(
    judgments: Judgments,
    runs: Runs,
    measures: Sequence[Measure | str] = ("nDCG@10", "AP@100", "RBP(p=0.8)"),
    *,
    baseline: str | None = None,
    groups: Groups | None = None,
    topics: str = "judged",
    title: str = "",
    rng: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Return a page that opens from disk, without a network.

    Sections whose ingredients the input does not give are left out.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved.
    measures
        By default nDCG@10, AP@100 and RBP(p=0.8). The first is shown first; the page has a
        switch.
    baseline
        A run to compare the others with.
    groups
        Where each run comes from.
    topics : {"judged", "common"}
        All judged topics, or those that every run answers.
    title
        Of the page.
    rng
        Seed of the drawn grades.
    progress
        Called with the number of parts that are done, and of all.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=3, topics=5, depth=20, rng=1)
    >>> page = html_report(made.judgments, made.runs, ["P@5"])
    >>> page.startswith("<!doctype html>"), "Who is ahead" in page
    (True, True)
    """
    bundle = vega_bundle()
    found = find_all(
        judgments,
        runs,
        measures,
        topics=topics,
        baseline=baseline,
        groups=groups,
        rng=rng,
        progress=progress,
    )
    sections = [section for section in _sections(found) if section is not None]
    size = f"{len(runs.systems)} runs on {len(found.evidence.topics)} topics"
    judged = f"{int(found.evidence.pool.sum()):,} judged documents"
    return Template(_file("page.html")).substitute(
        title=escape(title or size),
        counts=escape(f"{size}, {judged}" if title else judged),
        style=_file("page.css"),
        bundle=bundle,
        script=_file("page.js"),
        switch=_switch(list(found.measures)),
        contents=_contents(sections),
        sections="\n".join(_markup(n, s) for n, s in enumerate(sections, start=1)),
    )


def _sections(found: ReportFindings) -> Iterator[Section | None]:
    """Yield the sections in the order of the questions; None where there is nothing to say."""
    yield leaderboard_section(found)
    yield judgments_section(found)
    yield differences_section(found)
    yield topics_section(found)
    yield estimates_section(found)
    yield similarity_section(found)
    yield power_section(found)
    yield provenance_section(found)


def _file(name: str) -> str:
    return resources.files("poolwise.views").joinpath("report", name).read_text(encoding="utf-8")


def _switch(measures: list[str]) -> str:
    """Return the choice of measure, which one measure does not need."""
    options = "".join(
        f'<label><input type="radio" name="measure" value="{escape(m)}"'
        f"{' checked' if i == 0 else ''}><span>{escape(m)}</span></label>"
        for i, m in enumerate(measures)
    )
    return f'<fieldset class="switch"><legend>Measure</legend>{options}</fieldset>'


def _contents(sections: list[Section]) -> str:
    return "".join(f'<a href="#{s.name}">{escape(s.short)}</a>' for s in sections)


def _markup(number: int, section: Section) -> str:
    return (
        f'<section id="{section.name}"><h2><span class="no">{number}</span> '
        f"{escape(section.question)}</h2>\n{section.body}</section>"
    )
