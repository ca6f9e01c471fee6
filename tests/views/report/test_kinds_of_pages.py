"""Pages of simulated collections of every kind: axe-core finds nothing, and nothing sticks out."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.laws import SOAK
from tests.views.conftest import Opener

import poolwise as pw
from poolwise.findings import Overview

pytest.importorskip("vl_convert")


@cache
def _made() -> Any:
    return pw.simulate(systems=6, topics=12, depth=40, rng=3)


def two_runs() -> Overview:
    """One pair, one of which the pool does not know."""
    made = _made()
    names = [made.runs.systems[0], made.runs.systems[-1]]
    return pw.report(made.judgments, made.runs.select(names), ["nDCG@10"])


def few_topics() -> Overview:
    """Four topics, too few for a test."""
    made = _made()
    return pw.report(made.judgments, made.runs, ["P@5"], topics=made.judgments.topics[:4])


def with_a_baseline() -> Overview:
    """Compare runs of groups with a baseline, with texts of documents."""
    made = _made()
    texts = {document: f"About {document}" for document in made.runs.documents}
    return pw.report(
        *(made.judgments, made.runs, ["P@5", "AP"]),
        baseline=made.runs.systems[1],
        groups=made.groups,
        documents=texts,
    )


def with_missing_topics() -> Overview:
    """One run lacks half of the topics."""
    made = _made()
    lists = made.runs.to_dict()
    first = made.runs.systems[0]
    lists[first] = {topic: lists[first][topic] for topic in made.runs.topics[:6]}
    return pw.report(made.judgments, lists, ["P@5"])


def with_a_shared_lead() -> Overview:
    """Two runs are level, and one has next to nothing."""
    topics = [str(t) for t in range(10)]
    grades = {t: {"a": 1, "b": 1, "c": 0} for t in topics}
    lists = {name: {t: ["a", "b"] for t in topics} for name in ("one", "two")}
    lists["three"] = {t: ["a", "c"] for t in topics}
    lists["nothing"] = {t: ["c", "u"] for t in topics}
    return pw.report(pw.Judgments.from_dict(grades), pw.Runs.from_rankings(lists), ["P@2"])


KINDS: dict[str, Callable[[], Overview]] = {
    made.__name__: made
    for made in (two_runs, few_topics, with_a_baseline, with_missing_topics, with_a_shared_lead)
}


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a page of this kind."""
    page = tmp_path_factory.mktemp("kinds") / "report.html"
    page.write_text(pw.html_page(request.param()), "utf-8")
    return page


@pytest.mark.parametrize("width", [1280, 400] if SOAK else [1280])
def test_axe_core_finds_nothing(open_page: Opener, path: Path, axe_core: str, width: int) -> None:
    """No rule of axe-core is broken, light or dark, and the page scrolls one way only."""
    page = open_page(path, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(axe_core)  # a script tag would be against the page's policy
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        violations = page.evaluate("axe.run().then((result) => result.violations)")
        assert [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]] == []


COVERED = """figures => figures.flatMap((figure) => {
    const boxes = (marks) => [...figure.querySelectorAll(marks)]
        .filter((mark) => mark.getAttribute("opacity") !== "0")
        .map((mark) => mark.getBoundingClientRect()).filter((box) => box.width > 0);
    const marks = boxes(".mark-symbol.role-mark path, .mark-rect.role-mark path");
    return [...figure.querySelectorAll(".role-axis-label text")].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.width && marks.some((mark) =>
            mark.left < box.right - 1 && mark.right > box.left + 1 &&
            mark.top < box.bottom - 1 && mark.bottom > box.top + 1);
    }).map((text) => `${figure.dataset.name}: ${text.textContent}`);
})"""
"""Labels of axes that a mark of the chart lies on."""


@pytest.mark.parametrize("width", [1280, 400])
def test_no_mark_covers_the_label_of_an_axis(open_page: Opener, path: Path, width: int) -> None:
    """Circles and cells stay away from the names beside and below them."""
    page = open_page(path, viewport={"width": width, "height": 900})
    assert page.locator("figure.chart:visible").evaluate_all(COVERED) == []


SEEN = {
    "two_runs": ("By judged documents", "what is possible: judging could"),
    "few_topics": ("No test: 4 topics are too few",),
    "with_a_baseline": (", the baseline, has a mean P@5 of",),
    "with_missing_topics": ("1 run of 6 without some topics", "6 of 12"),
    "with_a_shared_lead": ("one and two share the highest mean P@2",),
}
"""What a reader of each kind of page sees at its top."""


def test_the_top_of_the_page_says_what_matters(
    open_page: Opener, path: Path, request: pytest.FixtureRequest
) -> None:
    """Problems come before the leaderboard, and the headline is in its section."""
    page = open_page(path)
    kind = request.node.callspec.id
    problems, headline = (
        page.locator(where)
        for where in ("body > .warning, header .warning, main > .warning", "#leaderboard")
    )
    top = " ".join([*problems.all_inner_texts(), headline.inner_text()])
    assert [words for words in SEEN[kind] if words not in top] == []
    if kind == "with_missing_topics":
        assert problems.first.bounding_box()["y"] < headline.bounding_box()["y"]
