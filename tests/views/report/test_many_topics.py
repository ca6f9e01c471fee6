"""Pages of more topics than a chart has room for: what is counted, and that a browser draws it."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.properties.page_reader import Page, read_page
from tests.views.conftest import DRAWN, Opener

import poolwise as pw
from poolwise.views.report._parts import MOST_TOPICS

pytest.importorskip("vl_convert")

TOPICS = 2_000
OPENED = tuple(map(int, os.environ.get("POOLWISE_TOPICS", "2000,7000").split(",")))
"""Topics of the pages that are opened: a soak has 100,000 as well."""


def collection(topics: int) -> tuple[pw.Judgments, pw.Runs]:
    """Make three runs of four documents each, some of them unjudged, some topics without a list."""
    rng = np.random.default_rng(3)
    grades, lists = {}, {f"run{s}": {} for s in range(3)}
    for t in map(str, range(topics)):
        grades[t] = {f"d{i}": int(rng.random() < 0.5) for i in range(4)} | {"d9": 1}
        for s, ranking in enumerate(lists.values()):
            if rng.random() < 0.99:
                ranking[t] = [f"d{i}" for i in rng.permutation(6)[: 4 - s // 2].tolist()]
    return pw.Judgments.from_dict(grades), pw.Runs.from_rankings(lists)


@pytest.fixture(scope="module")
def markup() -> str:
    """Make the page."""
    return pw.html_page(pw.report(*collection(TOPICS), ["P@4"], baseline="run1"))


@pytest.fixture(scope="module")
def page(markup: str) -> Page:
    """Read it back."""
    return read_page(markup)


@pytest.fixture(scope="module")
def table() -> pw.ScoreTable:
    """Score the runs."""
    return pw.evaluate(*collection(TOPICS), ["P@4"])["P@4"]


def test_the_page_of_many_topics_is_small(markup: str) -> None:
    """The page does not grow with the topics: the script of the charts is most of it."""
    assert len(markup.encode()) < 2_000_000


def test_differences_are_counted(page: Page, table: pw.ScoreTable) -> None:
    """The bars of the chosen pair count its topics, and so does each row of the counts."""
    block = page.sections["differences"]["P@4"]
    columns, content = block.charts["deltas"].columns, block.scores
    deltas = table.deltas(*block.chosen).difference
    assert columns["topics"] == counts_of(deltas, content["width"])
    rows = np.array(content["counts"]).reshape(3, content["bins"]).tolist()
    for (a, b), row in zip([(0, 1), (0, 2), (1, 2)], rows, strict=True):
        pair = table.deltas(f"run{a}", f"run{b}").difference
        assert row == counts_of(pair, content["width"])
    middles = (np.array(columns["low"]) + np.array(columns["high"])) / 2
    assert middles == pytest.approx(np.arange(-20, 21) * content["width"], abs=1e-5)
    assert content["width"] == pytest.approx(1 / 20)


def counts_of(deltas: np.ndarray, width: float) -> list[int]:
    """Count differences in bins around multiples of a width, one by one."""
    counts = [0] * 41
    for delta in deltas.tolist():
        counts[round(delta / width) + 20] += 1
    return counts


def test_topics_are_counted_by_their_median(page: Page, table: pw.ScoreTable) -> None:
    """Each bin of the chart has the topics whose median score lies in it."""
    block = page.sections["topics"]["P@4"]
    columns = block.charts["topics-P@4"].columns
    medians = np.median(table.value, axis=0)
    assert sum(columns["topics"]) == TOPICS
    assert columns["topics"] == np.histogram(medians, bins=40)[0].tolist()
    listed = block.tables["topics-P@4"]
    assert listed.caption.endswith("the 200 of 2,000 on which the runs disagree most")
    deviation = np.sort(table.value.std(axis=0).round(12))[::-1][:200]
    shown = sorted(map(float, listed.column("deviation")), reverse=True)
    assert shown == pytest.approx(deviation.tolist(), abs=6e-4)


def test_unjudged_documents_are_counted(page: Page) -> None:
    """Each run has as many topics with so many unjudged documents as its lists have."""
    judgments, runs = collection(TOPICS)
    graded = {(topic, document) for topic, document, _ in judgments}
    columns = page.sections["judgments"][""].charts["unjudged"].columns
    cells = {(run, k): n for run, k, n in zip(*columns.values(), strict=True)}
    for run in runs.systems:
        lists = [(t, runs.ranking(run, t)) for t in runs.topics]
        counts = [sum((t, d) not in graded for d in ranking) for t, ranking in lists if ranking]
        assert [cells[run, k] for k in range(11)] == [counts.count(k) for k in range(11)]


def test_few_topics_are_drawn_one_by_one() -> None:
    """As long as a chart has room for them, topics are not counted but shown."""
    page = read_page(pw.html_page(pw.report(*collection(MOST_TOPICS), ["P@4"])))
    assert len(page.sections["topics"]["P@4"].charts["topics-P@4"].columns["topic"]) == MOST_TOPICS
    assert "topics" in page.sections["differences"]["P@4"].scores


def test_a_browser_draws_many_topics(open_page: Opener, markup: str, tmp_path: Path) -> None:
    """All charts are drawn, without a complaint, and any pair can be chosen, either way round."""
    path = tmp_path / "many.html"
    path.write_text(markup, "utf-8")
    page = open_page(path)
    picker, deltas = page.locator(".picker:visible"), page.locator("figure.deltas:visible")
    seen = {}
    for a, b in (("run0", "run2"), ("run2", "run0")):
        picker.locator("select[data-run=a]").select_option(a)
        picker.locator("select[data-run=b]").select_option(b)
        seen[a] = deltas.evaluate("figure => figure.rows.map((row) => row.topics)")
    assert seen["run0"] == seen["run2"][::-1]
    content: dict[str, Any] = json.loads(picker.locator("script").inner_text())
    assert seen["run0"] == content["counts"][41:82]


@pytest.mark.parametrize("topics", OPENED)
def test_a_page_of_many_topics_opens_in_less_than_three_seconds(
    open_page: Opener, topics: int, tmp_path: Path
) -> None:
    """The page has less than 15 MB, and the browser's main thread works for so long to draw it."""
    path = tmp_path / "many.html"
    overview = pw.report(*collection(topics), ["P@4"])
    path.write_text(pw.html_page(overview), "utf-8")
    assert path.stat().st_size < 15_000_000
    page = open_page(path)
    session = page.context.new_cdp_session(page)
    # Processor time: how busy the machine is otherwise does not count.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    page.wait_for_function(DRAWN)
    metrics = session.send("Performance.getMetrics")["metrics"]
    used = {metric["name"]: metric["value"] for metric in metrics}
    assert 0 < used["TaskDuration"] < 3
