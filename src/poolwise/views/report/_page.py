"""One self-contained page that answers what somebody with a folder of runs asks."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib import resources
from string import Template
from typing import Any, NamedTuple

from poolwise.findings._overview import Overview
from poolwise.findings._side_by_side import SideBySide
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting
from poolwise.results._records import Record, comment, numbers_digest, record_of
from poolwise.views.report._beside_section import beside
from poolwise.views.report._detail_sections import (
    documents,
    drawn,
    estimates,
    power,
    provenance,
    similarity,
    to_report,
    topics,
)
from poolwise.views.report._label_section import labels
from poolwise.views.report._pair_sections import (
    pair_verdict,
    rankings,
    to_judge_for_pair,
    unjudged,
    wins_and_losses,
)
from poolwise.views.report._parts import warning
from poolwise.views.report._run_sections import differences, judgments, leaderboard, to_judge
from poolwise.views.report._vega import require_vega, vega_bundle
from poolwise.words import visible

__all__ = ["PAIR_SECTIONS", "SECTIONS", "Section", "html_page", "page_record"]

PageOf = Overview | SideBySide
"""What a page can be about."""


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    name : str
        Its anchor.
    short : str
        What the contents call it.
    question : str
        Its heading.
    draw : callable
        Gives the markup that answers the question, or nothing where there is nothing to say.
    """

    name: str
    short: str
    question: str
    draw: Callable[[Any], str]


SECTIONS = (
    Section("leaderboard", "Who is ahead", "Who is ahead, and can I believe it?", leaderboard),
    Section("judgments", "Judgments", "Do the judgments support this?", judgments),
    Section("differences", "Differences", "Which differences are real?", differences),
    Section("beside", "Beside", "What does it cost, and is it worth it?", beside),
    Section("topics", "Topics", "Which topics decide?", topics),
    Section("documents", "Documents", "Which documents are behind a topic?", documents),
    Section("estimates", "Estimates", "How do the estimates compare?", estimates),
    Section("drawn", "Draws", "What could a run score on single topics?", drawn),
    Section("labels", "Labels", "May labels by machines stand in for people?", labels),
    Section("to-judge", "To judge", "What to judge next?", to_judge),
    Section("similarity", "Similarity", "How alike are the runs?", similarity),
    Section("power", "Power", "Is the collection big enough?", power),
    Section("to-report", "To report", "What to report with these scores?", to_report),
    Section("provenance", "Provenance", "How was it made?", provenance),
)
"""The sections in the order of the questions; one without markup is left out."""

PAIR_SECTIONS = (
    Section("verdict", "Verdict", "Which run is better, and can I believe it?", pair_verdict),
    Section("topics", "Topics", "On which topics?", wins_and_losses),
    Section("rankings", "Rankings", "What do they rank?", rankings),
    Section("unjudged", "Unjudged", "Which documents are unjudged?", unjudged),
    Section("to-judge", "To judge", "What to judge next?", to_judge_for_pair),
    Section("provenance", "Provenance", "How was it made?", provenance),
)
"""The same for two runs side by side."""


class _Layout(NamedTuple):
    """How a page is made of what it is about.

    Attributes
    ----------
    title : str
        Of a page that nobody named; ``$a`` and ``$b`` are the two runs.
    sections : tuple of Section
        What it is made of.
    scripts, styles : tuple of str
        The files that are together its script and its style, in this order.
    needs : str
        What does not work without a script.
    tools : str
        Markup beside the choice of the measure.
    charts : bool
        Whether it has charts, which Vega draws.
    """

    title: str
    sections: tuple[Section, ...]
    scripts: tuple[str, ...]
    styles: tuple[str, ...] = ("page.css",)
    needs: str = "Charts, sorting and the measure switch"
    tools: str = ""
    charts: bool = True


_LAYOUTS: dict[type[PageOf], _Layout] = {
    Overview: _Layout(
        "Report on runs and judgments",
        SECTIONS,
        (
            *("page_tables.js", "page.js", "page_runs.js", "page_pairs.js", "page_documents.js"),
            *("page_links.js", "page_start.js"),
        ),
        tools='<label class="filter">Runs <input type="search" placeholder="filter by name">'
        "</label>",
    ),
    SideBySide: _Layout(
        "$a against $b",
        PAIR_SECTIONS,
        ("page_tables.js", "pair.js"),
        ("page.css", "pair.css"),
        needs="Sorting and the measure switch",
        charts=False,
    ),
}


@recorded
def html_page(overview: PageOf, *, title: str = "", record: Record | None = None) -> str:
    """Return a page that opens from disk, without a network.

    Sections whose ingredients the input does not give are left out.

    Parameters
    ----------
    overview
        What :func:`~poolwise.report` found of runs, or :func:`~poolwise.side_by_side` of two.
    title
        Of the page; by default its size.
    record
        What produced the numbers, which the page holds as a comment; by default what the overview
        knows of it.

    Returns
    -------
    str
        The page as HTML, with its charts, styles and scripts inside.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=3, topics=5, depth=20, rng=1)
    >>> page = html_page(report(made.judgments, made.runs, ["P@5"]))
    >>> page.startswith("<!doctype html>"), "Who is ahead" in page
    (True, True)
    """
    layout = _LAYOUTS[type(overview)]
    if layout.charts:
        # Before any section is drawn, since without the script the page would be of no use.
        require_vega()
    bodies = {
        section: section.draw(overview) for section in counting(layout.sections, "sections drawn")
    }
    sections = {section: body for section, body in bodies.items() if body}
    style = _joined(layout.styles)
    scripts = ((vega_bundle(),) if layout.charts else ()) + (f"\n{_joined(layout.scripts)}\n",)
    page = Template(_file("page.html")).substitute(
        provenance=comment(record or page_record(overview), "html"),
        policy=_policy(scripts=scripts, styles=(f"\n{style}\n",)),
        title=escape(visible(title or _title(overview, layout))),
        counts=escape(overview.size()),
        problems=warning(*overview.problems()),
        style=style,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
        needs=layout.needs,
        tools=layout.tools,
        switch=_switch([str(part.measure) for part in overview]),
        contents=_contents(sections),
        sections="\n".join(
            _markup(number, section, body)
            for number, (section, body) in enumerate(sections.items(), start=1)
        ),
    )
    # Bytes of names that are not UTF-8 stand as escapes, since a page is UTF-8.
    return page.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _policy(*, scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return what a browser may run and load for a page: its own scripts and styles, by their hash.

    Whatever a name or a document may hold, it becomes no script, and nothing is asked of a network.
    """
    allowed = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)),
        "style-src-elem": " ".join(map(_hash, styles)),
        "style-src-attr": "'unsafe-inline'",  # where a mark stands; Vega's SVG has such, too
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {source}" for name, source in allowed.items())


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@recorded
def page_record(overview: PageOf, make: Callable[[Provenance, str], Record] = record_of) -> Record:
    """Return what produced the numbers of a page.

    Parameters
    ----------
    overview : Overview or SideBySide
        What :func:`~poolwise.report` or :func:`~poolwise.side_by_side` found.
    make : callable
        Makes the record from a provenance and the digest of the numbers.

    Returns
    -------
    dict
        Version, inputs with their hashes, and options, as the page holds them in a comment.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=3, topics=5, depth=20, rng=1)
    >>> record = page_record(report(made.judgments, made.runs, ["P@5"]))
    >>> sorted(record)[:3]
    ['command', 'inputs', 'notices']
    """
    numbers = numbers_digest(*(part.columns() for part in overview.parts()))
    return make(overview.provenance, numbers)


def _file(name: str) -> str:
    return resources.files("poolwise.views").joinpath("report", name).read_text(encoding="utf-8")


def _title(overview: PageOf, layout: _Layout) -> str:
    if isinstance(overview, SideBySide):
        return Template(layout.title).substitute(a=overview.a, b=overview.b)
    return layout.title


def _joined(names: Iterable[str]) -> str:
    return "\n".join(map(_file, names))


def _switch(measures: list[str]) -> str:
    """Return the choice of measure, which one measure does not need."""
    options = "".join(
        f'<label><input type="radio" name="measure" value="{escape(m)}"'
        f"{' checked' if i == 0 else ''}><span>{escape(m)}</span></label>"
        for i, m in enumerate(measures)
    )
    return f'<fieldset class="switch"><legend>Measure</legend>{options}</fieldset>'


def _contents(sections: Iterable[Section]) -> str:
    return "".join(
        f'<a href="#{s.name}" data-section="{s.name}">{escape(s.short)}</a>' for s in sections
    )


def _markup(number: int, section: Section, body: str) -> str:
    link = (
        f'<a class="anchor" href="#{section.name}" data-section="{section.name}" '
        f'aria-label="Link to this section: {escape(section.short)}">#</a>'
    )
    return (
        f'<section id="{section.name}"><h2><span class="no">{number}</span> '
        f"{escape(section.question)} {link}</h2>\n{body}</section>"
    )
