"""Pages of real collections in a browser: nothing is cut, and axe-core finds nothing."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.laws import SOAK
from tests.views.conftest import Opener
from tests.views.report.test_many_topics import collection

import poolwise as pw
from poolwise.findings import Overview

pytest.importorskip("altair")

NAMES = (
    *("p_bert", "colbert_rankgpt4o", "bm25tuned_prf_p", "UNH_exDL_bm25"),
    *("maik-froebe-sparse-cross-encoder", "colbert_monoelectra-large"),
)
CUT = """figures => figures.flatMap((figure) => {
    const room = figure.querySelector(".plot").getBoundingClientRect();
    return [...figure.querySelectorAll("svg text")].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.width && (box.left < room.left - 2 || box.right > room.right + 2);
    }).map((text) => `${figure.dataset.name}: ${text.textContent}`);
})"""
"""Texts of charts that stick out of their place."""


INSIDE = """found => found.every((e) => {
    const box = e.getBoundingClientRect();
    return box.width && box.left >= 0 && box.right <= innerWidth;
})"""
"""Whether all of some elements are inside of the window."""


@cache
def _judgments(folder: Path) -> pw.Judgments:
    return pw.read_judgments(folder / "qrels.gz")


@cache
def _runs(folder: Path) -> pw.Runs:
    return pw.read_runs([folder / f"runs/{name}.gz" for name in NAMES])


def all_runs(folder: Path) -> Overview:
    """Graded judgments, 61 runs, 24 of them unknown to the pool."""
    return pw.report(folder / "qrels.gz", folder / "runs", ["P@10"])


def old_runs(folder: Path) -> Overview:
    """Binary judgments of TREC-8, every fourth of 129 runs."""
    files = sorted((folder.parent / "trec8").glob("runs/*.gz"))[::4]
    return pw.report(folder.parent / "trec8/qrels.gz", files, ["P@10"])


def two_runs(folder: Path) -> Overview:
    """Compare one pair."""
    return pw.report(_judgments(folder), _runs(folder).select(NAMES[:2]), ["nDCG@10"])


def few_topics(folder: Path) -> Overview:
    """Four topics, too few for a test."""
    judgments = _judgments(folder)
    return pw.report(judgments, _runs(folder), ["nDCG@10"], topics=judgments.topics[:4])


def with_a_baseline(folder: Path) -> Overview:
    """Report on a baseline, with the texts of documents."""
    return pw.report(
        *(_judgments(folder), _runs(folder), ["nDCG@10"]),
        baseline="bm25tuned_prf_p",
        documents=folder / "passages.jsonl.gz",
    )


def with_problems(folder: Path) -> Overview:
    """Topics that runs lack, lists that are tied throughout, judgments of relevant documents."""
    lists = _runs(folder).to_dict()
    for topic in _judgments(folder).topics[:14]:
        del lists["p_bert"][topic]
    tied = lists["bm25tuned_prf_p"]
    lists["bm25tuned_prf_p"] = {topic: dict.fromkeys(tied[topic], 1.0) for topic in tied}
    grades = _judgments(folder).to_dict()
    relevant = {t: {d: g for d, g in graded.items() if g > 0} for t, graded in grades.items()}
    return pw.report(relevant, lists, ["nDCG@10", "AP"])


def many_topics(folder: Path) -> Overview:
    """Two thousand topics, folded into densities."""
    del folder
    return pw.report(*collection(2_000), ["P@4"], baseline="run1")


KINDS: dict[str, Callable[[Path], Overview]] = {
    made.__name__: made
    for made in (
        *(all_runs, old_runs, two_runs, few_topics, with_a_baseline, with_problems, many_topics),
    )
}


LOOKS = [(400, "dark"), *([(1280, "light")] if SOAK else [])]
"""Narrow pages here, wide ones in ``test_kinds_of_pages``; ``make soak`` looks at both of both."""


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def path(
    request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Write a page of this kind."""
    page = tmp_path_factory.mktemp("real") / "report.html"
    page.write_text(pw.html_page(request.param(data_dir / "trec-dl-2019")), "utf-8")
    return page


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_core_finds_nothing(
    open_page: Opener, path: Path, axe_core: str, width: int, scheme: str
) -> None:
    """No rule of axe-core is broken, on a laptop or a phone, light or dark."""
    page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate(axe_core)  # a script tag would be against the page's policy
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    assert [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]] == []


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_cut(open_page: Opener, path: Path, width: int) -> None:
    """Every text of a chart is inside of its place, and the page scrolls one way only."""
    page = open_page(path, viewport={"width": width, "height": 900})
    assert page.locator("figure.chart:visible").evaluate_all(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_of_runs_differ_and_the_first_screen_is_used(open_page: Opener, path: Path) -> None:
    """Names are shortened in the middle; what is beside the verdict reaches as far as the table."""
    page = open_page(path)
    right = "e => e.getBoundingClientRect().right"
    table = page.locator("#leaderboard .table:visible").first.evaluate(right)
    assert page.locator("#leaderboard .lead:visible .legend").evaluate(right) == table
    labels = page.locator("figure.pairs:visible .role-axis-label text").all_text_contents()
    names = [label for label in labels if label]
    assert not any(name.endswith("…") for name in names)


def captions(page: Any) -> list[str]:
    """Return the captions of tables that stick out of the window."""
    return page.locator("caption:visible").evaluate_all(
        "found => found.filter((c) => { const r = document.createRange(); "
        "r.selectNodeContents(c); return r.getBoundingClientRect().right > innerWidth; })"
        ".map((c) => c.textContent)"
    )


def test_on_a_phone_captions_bars_and_menu_are_seen_without_scrolling(
    open_page: Opener, path: Path
) -> None:
    """Captions are broken into lines; both uncertainties and all sections are in the window."""
    page = open_page(path, viewport={"width": 390, "height": 844})
    assert captions(page) == []
    assert page.locator("#leaderboard .by-measure:visible td .range").evaluate_all(INSIDE)
    assert page.locator("nav a").evaluate_all(INSIDE)


def test_bars_use_their_axis(data_dir: Path) -> None:
    """On DL 2019 the axis begins and ends with a bar of a run that it holds."""
    from poolwise.views.report._nested_bars import axis_of

    folder = data_dir / "trec-dl-2019"
    for table in pw.evaluate(folder / "qrels.gz", folder / "runs", ["nDCG@10", "P@10"]).scores:
        summary = table.summary()
        axis = axis_of(summary)
        held = [s for s, name in enumerate(summary.systems) if name not in axis.outside]
        ends = [
            end for interval in summary.drawn for end in (interval.low[held], interval.high[held])
        ]
        assert abs(min(end.min() for end in ends) - axis.low) < 0.002
        assert abs(max(end.max() for end in ends) - axis.high) < 0.002
