"""The site of a ledger: its numbers are the ledger's, and it stands alone in a browser."""

import json
import re
import time
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from tests.finding_examples import HOSTILE
from tests.laws import SOAK
from tests.views.conftest import Opener

import poolwise as pw
from poolwise.findings import LedgerOverview
from poolwise.views import ledger_pages, write_ledger_site
from poolwise.views.ledger._drawings import trend_picture

MADE = pw.simulate(systems=9, topics=16, depth=30, rng=4)
LINK = re.compile(r'(?:href|src)="([^"]+)"')


def filled(folder: Path) -> LedgerOverview:
    """Make a ledger with all kinds of results, odd names and a retraction, and look it over."""
    results = pw.ledger(folder / "results", make=True)
    origin: dict[str, Any] = {"by": "ann", "date": "2026-11-18"}
    names = (HOSTILE, "a/b c", *MADE.runs.systems[2:])
    lists = {
        name: {t: MADE.runs.ranking(run, t) for t in MADE.runs.topics}
        for name, run in zip(names, MADE.runs.systems, strict=True)
    }
    first = list(lists)[:7]
    runs = pw.Runs.from_rankings({name: lists[name] for name in first})
    results.add(MADE.judgments, runs, ["nDCG@10", "AP"], collection="made", year=1999,
                original=True, **origin)  # fmt: skip
    new, gone = list(lists)[7:]
    late = pw.Runs.from_rankings({new: lists[new]})
    results.add(MADE.judgments, late, ["nDCG@10", "AP"], collection="made", year=2004,
                baseline=first[3], **origin)  # fmt: skip
    wrong = pw.Runs.from_rankings({gone: lists[gone]})
    results.add(MADE.judgments, wrong, ["nDCG@10", "AP"], collection="made", **origin)
    results.retract(gone, reason="wrong index", **origin)
    table = pw.evaluate(MADE.truth, MADE.runs, "AP")["AP"]
    pw.write_score_matrix(table, folder / "ap.csv")
    results.add_scores(folder / "ap.csv", "AP", collection="other", year=2001, **origin)
    printed = "run,measure,mean,year\nx,map,0.25,1998\ny,map,0.5,1998\n"
    # Two means of one run under one name, as of two tasks: neither is the run's.
    twice = "x,P_10,0.3,1998\nx,P_10,0.4,1998\n"
    (folder / "means.csv").write_text(printed + twice)
    results.add_means(folder / "means.csv", collection="printed", **origin)
    return results.overview(reference="other")


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> LedgerOverview:
    """Return a ledger, looked over."""
    return filled(tmp_path_factory.mktemp("ledger"))


@pytest.fixture(scope="module")
def site(overview: LedgerOverview, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write its site."""
    folder = tmp_path_factory.mktemp("site")
    assert write_ledger_site(overview, folder) == len(list(folder.rglob("*.html")))
    return folder


def page_of(site: Path, pattern: str) -> Path:
    """Return the page whose path has these letters."""
    (page,) = (path for path in site.rglob("*.html") if re.search(pattern, path.as_posix()))
    return page


def cells(page: str) -> list[list[str]]:
    """Return the texts of the cells of the first table."""
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert body
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body[1], re.DOTALL)
    return [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in rows
    ]


def test_ranks_of_the_page_are_those_of_the_ledger(site: Path, overview: LedgerOverview) -> None:
    """Run by run: rank, mean, both ends of its interval, and how many are not separable."""
    collection = next(
        collection for collection in overview.collections if collection.collection == "made"
    )
    for measured, name in zip(collection.measured, ("nDCG~4010", "AP"), strict=True):
        rows = cells(page_of(site, f"/made/.*by-{name}").read_text())
        columns = measured.ranks.columns()  # type: ignore[union-attr]
        assert [row[1] for row in rows] == columns["run"]
        assert [int(row[0]) for row in rows] == columns["rank"]
        assert [row[3] for row in rows] == [f"{mean:.4f}" for mean in columns["mean"]]
        spans = zip(columns["rank_low"], columns["rank_high"], strict=True)
        assert [row[6] for row in rows] == [f"{low}–{high}" for low, high in spans]
        assert [int(row[8]) for row in rows] == columns["not_separable"]


def test_scores_of_a_run_are_those_of_its_file(site: Path, overview: LedgerOverview) -> None:
    """Topic by topic, beside a link to the file and the command that checks it."""
    collection = next(
        collection for collection in overview.collections if collection.collection == "made"
    )
    entry = next(entry for entry in collection.entries if entry.run == "a/b c")
    page = page_of(site, "run-a~2Fb~20c").read_text()
    content = json.loads(Path(entry.path).read_bytes())
    rows = cells(page)
    values = content["scores"]["nDCG@10"]["value"]
    assert [row[1] for row in rows] == [f"{value:.4f}" for value in values]
    assert "poolwise ledger check results" in page
    (target,) = {unquote(link) for link in LINK.findall(page) if link.endswith(".json")}
    kept = (page_of(site, "run-a~2Fb~20c").parent / target).read_bytes()
    assert kept == Path(entry.path).read_bytes()


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    """From disk and from any host: no address elsewhere, none from the root, none that is gone."""
    for page in site.rglob("*.html"):
        for link in LINK.findall(page.read_text()):
            target = unescape(link).partition("#")[0]
            if target.startswith("data:"):
                continue
            assert "://" not in target
            assert not target.startswith("/")
            assert (page.parent / unquote(target)).resolve().is_file(), (page, target)


def test_a_collection_without_a_best_run_names_none(site: Path) -> None:
    """Where every run has several means under one name, no run is linked as the best."""
    front = (site / "index.html").read_text(encoding="utf-8")
    (row,) = [row for row in cells(front) if row[0] == "printed" and row[2] == "P@10"]
    assert row[3:] == ["0", "–", "–", "–"]
    assert 'run-.html"' not in front


def test_files_of_the_ledger_are_on_the_site_as_they_are(
    site: Path, overview: LedgerOverview
) -> None:
    """Byte by byte, so that their hashes hold."""
    for path, content in overview.files.items():
        assert (site / "files" / path).read_bytes() == content
    assert len(overview.files) == len(list((site / "files").rglob("*.json")))


def test_names_from_anywhere_stay_text(site: Path) -> None:
    """A run that is called as a script is shown, and is none."""
    for page in site.rglob("*.html"):
        assert HOSTILE not in page.read_text()
    assert "&lt;script&gt;alert" in page_of(site, "/made/.*by-AP").read_text()


def test_the_search_has_every_run_and_collection(site: Path, overview: LedgerOverview) -> None:
    """With where they are; a script from disk may fetch nothing."""
    text = (site / "search.js").read_text()
    index = json.loads(text.partition("const INDEX = ")[2].rstrip(";\n"))
    runs = sum(len(collection.entries) for collection in overview.collections)
    assert len(index) == runs + len(overview.collections)
    assert all((site / path).is_file() for _, _, path in index)


def test_the_same_ledger_gives_the_same_site(overview: LedgerOverview) -> None:
    """Byte by byte: a site under git changes where results do."""
    assert dict(ledger_pages(overview)) == dict(ledger_pages(overview))


def test_the_trend_says_why_it_may_differ_from_others(site: Path) -> None:
    """Other reference runs, manual runs, descriptions; and what a plain mean is not."""
    page = (site / "trend.html").read_text()
    assert "17 configurations of five public systems" in unescape(page)
    assert "not comparable" in page


PAGES = (
    *("index", "trend", "/made/.*by-AP", "run-a~2Fb~20c", "/printed/.*by-AP"),
    "/other/.*run-.*ql-1",
)
AXE = "axe.run({ preload: false }).then((result) => result.violations)"
"""Without preloading, by which axe-core fetches the style, as no page from disk may."""


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("pattern", PAGES)
def test_axe_core_finds_nothing(
    open_page: Opener, site: Path, axe_core: str, pattern: str, width: int
) -> None:
    """No rule of axe-core is broken, light or dark, and pages scroll one way only."""
    path = page_of(site, pattern)
    for scheme in ("light", "dark"):
        page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 800})
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.evaluate(axe_core)  # a script tag would be against the page's policy
        violations = page.evaluate(AXE)
        assert [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_search_and_sorting_work_from_disk(open_page: Opener, site: Path) -> None:
    """A run is found by parts of its name, and leads to its page; a heading sorts."""
    page = open_page(page_of(site, "/made/.*by-AP"))
    page.locator(".filter input").fill("a/b")
    page.wait_for_selector(".found a")
    page.locator(".found a").first.click()
    page.wait_for_url("**/run-a~2Fb~20c.html")
    page.go_back()
    before = page.locator("tbody tr").first.inner_text()
    page.locator("th button", has_text="mean").first.click()
    page.locator("th button", has_text="mean").first.click()
    assert page.locator("tbody tr").first.inner_text() != before
    with page.expect_download() as started:
        page.locator(".download").first.click()
    assert "rank" in Path(started.value.path()).read_text().splitlines()[0]


MANY = 1000 if SOAK else 200
"""Runs of a large ledger: ``make soak`` has as many as it is meant for."""


@cache
def _many(folder: Path) -> Path:
    """Make a ledger of many runs by three measures, of which 50 topics hardly separate any."""
    rng = np.random.default_rng(1)
    skill = rng.normal(0, 0.08, (MANY, 1))
    for name in ("AP", "P@10", "nDCG@10"):
        scores = np.clip(0.3 + skill + rng.normal(0, 0.2, (MANY, 50)), 0, 1)
        table = pw.ScoreTable.from_matrix(
            scores,
            systems=[f"group{i % 40}-run-number-{i}" for i in range(MANY)],
            topics=[str(401 + t) for t in range(50)],
            measure=name,
        )
        pw.write_score_matrix(table, folder / f"{name}.csv")
    paths = [folder / f"{name}.csv" for name in ("AP", "P@10", "nDCG@10")]
    results = pw.ledger(folder / "results", make=True)
    results.add_scores(paths, ["AP", "P@10", "nDCG@10"], collection="many", original=True, year=1)
    return folder / "results"


def test_many_runs_are_ranked_and_drawn_in_time(tmp_path: Path) -> None:
    """Ranks in 3 s and the site in 60 s of processor time; no page above 2 MB."""
    path = _many(tmp_path)
    started = time.process_time()
    ranks = pw.ledger(path).rank("many", "AP")
    assert time.process_time() - started < 3
    assert len(ranks.systems) == MANY
    started = time.process_time()
    write_ledger_site(pw.ledger(path).overview(), tmp_path / "site")
    assert time.process_time() - started < 60
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) == MANY + 3 + 2
    assert max(page.stat().st_size for page in pages) < 2_000_000


def test_the_boxes_of_a_trend_are_drawn_to_scale() -> None:
    """The box is the middle half, the whisker the whole range, and the line the median."""
    scores = np.linspace(0.1, 0.9, 9)[:, None] * [1.0, 0.8] + [0.0, 0.1]
    runs, topics = [f"r{i}" for i in range(9)], ["1", "2"]
    table = pw.ScoreTable.from_matrix(scores, systems=runs, topics=topics, measure="AP")
    trend = pw.findings.trend_by_reference({"made": (1999, table)}, "made", table)
    numbers = {name: cells[0] for name, cells in trend.columns().items()}
    markup = trend_picture(trend)
    (whisker,) = re.findall(r'class="whisker" d="M[\d.]+ ([\d.]+)V([\d.]+)"', markup)
    (box,) = re.findall(r'class="box" x="[\d.]+" y="([\d.]+)" .*? height="([\d.]+)"', markup)
    (median,) = re.findall(r'class="median" d="M[\d.]+ ([\d.]+)H', markup)
    high, low = map(float, whisker)
    scale = (numbers["highest"] - numbers["lowest"]) / (low - high)

    def score(y: float) -> float:
        return float(numbers["lowest"] + (low - y) * scale)

    top, height = map(float, box)
    assert score(top) == pytest.approx(numbers["three_quarters"], abs=2e-3)
    assert score(top + height) == pytest.approx(numbers["quarter"], abs=2e-3)
    assert score(float(median)) == pytest.approx(numbers["median"], abs=2e-3)
