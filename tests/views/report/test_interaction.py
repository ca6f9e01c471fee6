"""What a reader does with the page: filters and highlights runs, follows links, takes pictures."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from tests.views.conftest import DRAWN, Opener

import poolwise as pw

pytest.importorskip("vl_convert")

MEASURES = ("nDCG@10", "AP")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report of eight runs."""
    made = pw.simulate(systems=8, topics=15, depth=60, rng=8)
    path = tmp_path_factory.mktemp("interaction") / "report.html"
    texts = {d: f"<b>About</b> {d}" for d in made.runs.documents}
    overview = pw.report(made.judgments, made.runs, MEASURES, documents=texts)
    path.write_text(pw.html_page(overview), "utf-8")
    return path


@pytest.fixture
def page(open_page: Opener, path: Path) -> Any:
    """Open it."""
    return open_page(path)


def shown_runs(page: Any) -> list[str]:
    """Return the runs of the leaderboard that are shown."""
    return page.locator(
        "#leaderboard .by-measure:visible tbody tr:visible button.run"
    ).all_inner_texts()


def rows_of(page: Any, kind: str) -> list[dict[str, Any]]:
    """Return the rows that a chart shows."""
    return page.locator(f"figure{kind}:visible").first.evaluate("figure => figure.rows")


def filter_runs(page: Any, text: str) -> str:
    """Type a filter, wait until the page has answered, and return what it says."""
    page.locator(".filter input").fill(text)
    page.wait_for_function(f"wanted.join(' ') === {text.lower()!r} || !wanted.length")
    page.wait_for_timeout(300)
    page.evaluate("() => drawing")
    return page.locator(".shown").inner_text()


def test_a_filter_leaves_runs_by_name(page: Any) -> None:
    """Tables and charts have the runs whose names hold what was typed, in any case."""
    assert len(shown_runs(page)) == 8
    assert filter_runs(page, "BM25") == "4 of 8 runs shown."
    names = shown_runs(page)
    assert len(names) == 4
    assert all(name.startswith("bm25") for name in names)
    pairs = rows_of(page, ".pairs")
    assert pairs
    assert all("bm25" in row["better"] + row["worse"] for row in pairs)
    assert {row["run"] for row in rows_of(page, "[data-name=unjudged]")} <= set(names)
    assert filter_runs(page, "") == ""
    assert len(shown_runs(page)) == 8


def test_a_filter_that_no_run_passes_shows_all(page: Any) -> None:
    """The page says that there is no such run, and keeps showing the others."""
    page.locator(".filter input").fill("nosuch")
    page.wait_for_function("document.querySelector('.shown').textContent !== ''")
    assert page.locator(".shown").inner_text() == (
        "No run has “nosuch” in its name: all are shown."
    )
    assert len(shown_runs(page)) == 8


def test_a_run_is_highlighted_everywhere(page: Any) -> None:
    """A click on its name marks its rows in all tables, and makes other marks of charts faint."""
    name = shown_runs(page)[2]
    page.locator("#leaderboard .by-measure:visible button.run").nth(2).click()
    page.evaluate("() => drawing")
    pressed = page.locator("button.run[aria-pressed=true]:visible").all_inner_texts()
    assert len(pressed) > 2
    assert set(pressed) == {name}
    assert page.locator("tr.marked:visible").count() >= len(pressed) - 1
    dim = {(row["better"], row["worse"]): row["dim"] for row in rows_of(page, ".pairs")}
    assert all(faint == (name not in pair) for pair, faint in dim.items())
    page.locator("#leaderboard .by-measure:visible button.run").nth(2).click()
    assert page.locator("tr.marked").count() == 0


TOLD = """(figure) => {
    const view = drawings.get(figure).view;
    const { tooltip } = contentOf(figure).spec.encoding;
    const later = document.createElement("div");
    const found = [];
    const visit = (item) => {
        if (item.items) item.items.forEach(visit);
        else if (item.tooltip) {
            later.innerHTML = tellOf(tooltip)(item.datum, (text) => text);
            const said = [...later.querySelectorAll("tr")].map((row) =>
                [...row.cells].map((cell) => cell.textContent));
            found.push([Object.entries(item.tooltip), said]);
        }
    };
    visit(view.scenegraph().root);
    return found;
}"""


@pytest.mark.parametrize("name", ["pairs", "unjudged", "overlap"])
def test_a_long_chart_tells_of_a_mark_what_a_short_one_does(page: Any, name: str) -> None:
    """What is written when a reader points at a mark is what Vega writes of it beforehand."""
    tooltips = page.locator(f"figure[data-name={name}]:visible").evaluate(TOLD)
    assert len(tooltips) >= 28
    for before, later in tooltips:
        assert later == [[key, text.replace("null", "–")] for key, text in before]


def test_a_long_chart_is_drawn_and_tells_of_its_marks(open_page: Opener, path: Path) -> None:
    """On a canvas a chart has its marks where they were, and a tooltip where one points at one."""
    page = open_page(path)
    figure = page.locator("figure[data-name=unjudged]:visible")
    figure.evaluate("f => { f.all = Array(40).fill(allRows(f)).flat(); return draw(f); }")
    assert figure.get_attribute("data-drawn") == "canvas"
    figure.scroll_into_view_if_needed()
    figure.locator("canvas").hover()
    keys = page.locator("#vg-tooltip-element.visible td.key").all_inner_texts()
    assert keys == ["run", "topic", "unjudged"]


def test_a_cell_of_the_matrix_shows_its_pair(page: Any) -> None:
    """A click on a pair chooses it below, and the address of the link names it."""
    row = rows_of(page, ".pairs")[4]
    page.locator("figure.pairs:visible .mark-rect path").nth(4).click()
    chosen = [page.locator(f".picker:visible [data-run={run}]").input_value() for run in "ab"]
    assert chosen == [row["better"], row["worse"]]
    title = page.locator("figure.deltas:visible figcaption").inner_text()
    assert title.startswith(f"{row['better']} − {row['worse']}: ")
    link = page.locator(".picker:visible a.pair").get_attribute("href")
    assert link == f"#nDCG%4010/pair/{row['better']}/{row['worse']}"


def test_a_link_opens_a_measure_a_section_and_a_pair(open_page: Opener, path: Path) -> None:
    """Whoever opens it sees that measure, that section, that pair."""
    page = open_page(path, anchor="#AP/pair/bm25-2/bm25-1")
    assert page.locator("[name=measure]:checked").input_value() == "AP"
    picker = page.locator(".picker:visible")
    assert [picker.locator(f"[data-run={run}]").input_value() for run in "ab"] == [
        "bm25-2",
        "bm25-1",
    ]
    assert picker.evaluate(
        "p => p.getBoundingClientRect().top >= 0 && p.getBoundingClientRect().top < innerHeight"
    )
    for link in page.locator("nav a").all():
        assert link.get_attribute("href").startswith("#AP/")
    page.locator("nav a", has_text="Power").click()
    page.wait_for_function("location.hash === '#AP/power'")
    top = "document.getElementById('power').getBoundingClientRect().top"
    page.wait_for_function(f"{top} >= -5 && {top} < innerHeight")


def test_the_address_follows_the_measure(page: Any) -> None:
    """After a measure is chosen, the address is a link to it."""
    page.locator(".switch input[value='AP']").check(force=True)
    assert page.evaluate("location.hash") == "#AP"
    page.wait_for_function(DRAWN)


def test_a_chart_is_a_picture(page: Any) -> None:
    """As SVG it stands alone, without a variable of the page; as PNG it is twice as large."""
    figure = page.locator("figure.pairs:visible")
    with page.expect_download() as download:
        figure.locator("[data-form=svg]").click()
    drawn = Path(download.value.path()).read_text("utf-8")
    assert download.value.suggested_filename == "pairs.svg"
    assert "var(--" not in drawn
    root = ET.fromstring(drawn)  # noqa: S314 -- our own page made it
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 8 * 7 // 2
    with page.expect_download() as download:
        figure.locator("[data-form=png]").click()
    picture = Path(download.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    width = int.from_bytes(picture[16:20])
    assert width == pytest.approx(2 * float(root.attrib["width"]), abs=4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_core_finds_nothing(open_page: Opener, path: Path, axe_core: str, scheme: str) -> None:
    """No rule of axe-core is broken, light or dark."""
    page = open_page(path, color_scheme=scheme)
    page.evaluate(f"{axe_core};0")  # a tag would be none of the page's own scripts
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    assert [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]] == []


def document_rows(page: Any) -> list[list[str]]:
    """Return the texts of the documents that are listed."""
    rows = page.locator(".of-topic tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_a_link_opens_the_documents_of_a_topic(open_page: Opener, path: Path) -> None:
    """Its documents are listed with grade, ranks by run and text, which stays text."""
    page = open_page(path, anchor="#topic/405")
    made = pw.simulate(systems=8, topics=15, depth=60, rng=8)
    listing = pw.workflows.show(made.judgments, made.runs, "405")
    assert page.locator(".documents select").input_value() == "405"
    rows = document_rows(page)
    assert [row[0].split()[0] for row in rows] == list(listing.documents)
    assert all("<b>About</b>" in row[0] for row in rows)
    grades = [
        "unjudged" if unjudged else f"{g:g}"
        for g, unjudged in zip(listing.grades, listing.unjudged, strict=True)
    ]
    assert [row[1] for row in rows] == grades
    assert [int(row[2]) for row in rows] == listing.holders.tolist()
    assert [int(row[3]) for row in rows] == listing.best_ranks.tolist()
    page.locator(".documents input").check()
    assert [row[1] for row in document_rows(page)] == ["unjudged"] * grades.count("unjudged")


def test_a_cell_of_the_heat_map_shows_its_topic(page: Any) -> None:
    """A click on a run and topic lists the documents of the topic."""
    row = rows_of(page, "[data-name=unjudged]")[3]
    page.locator("figure[data-name=unjudged] .mark-rect path").nth(3).click()
    assert page.locator(".documents select").input_value() == row["topic"]
    assert page.locator(".of-topic caption").inner_text().startswith(f"Topic {row['topic']}: ")
