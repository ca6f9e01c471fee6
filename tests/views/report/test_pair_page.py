"""The page on two runs in a browser: two runs of DL 2019 with passages, and hostile names."""

import re
import time
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.finding_examples import HOSTILE
from tests.properties.test_claims_of_outputs import Page
from tests.views.conftest import Opener
from tests.views.report.test_policy import INJECTED

import poolwise as pw

RUNS = ("p_bert", "maik-froebe-splade")


def write_page(folder: Path, page: Path) -> Path:
    """Write the page on two runs of DL 2019."""
    comparison = pw.side_by_side(
        folder / "qrels.gz",
        [folder / f"runs/{name}.gz" for name in RUNS],
        queries=folder / "queries.tsv",
        documents=folder / "passages.jsonl.gz",
    )
    page.write_text(pw.html_page(comparison), "utf-8")
    return page


@pytest.fixture(scope="module")
def path(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page once; what loads late is loaded now."""
    return write_page(data_dir / "trec-dl-2019", tmp_path_factory.mktemp("pair") / "ab.html")


def test_it_is_made_in_a_second_and_a_half(path: Path, data_dir: Path, tmp_path: Path) -> None:
    """From files to the page, with the passages of the collection, by the time of one processor."""
    assert path.exists()
    taken = []
    for name in ("again.html", "once-more.html"):  # since other programs slow one down
        start = time.process_time()
        write_page(data_dir / "trec-dl-2019", tmp_path / name)
        taken.append(time.process_time() - start)
    assert min(taken) < 1.5


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_core_finds_nothing(
    open_page: Opener, path: Path, axe_core: str, width: int, scheme: str
) -> None:
    """No rule of axe-core is broken, with three topics open."""
    page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 900})
    first = "[...document.querySelectorAll('.topics details')].slice(0, 3)"
    page.evaluate(f"{first}.forEach((one) => {{ one.open = true; }})")
    page.evaluate(axe_core)
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    assert [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]] == []


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_scrolls_one_way_and_opens_at_once(
    open_page: Opener, path: Path, width: int
) -> None:
    """Nothing is wider than the window, and the page is there in half a second."""
    page = open_page(path, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    took = "performance.timing.loadEventEnd - performance.timing.navigationStart"
    assert page.evaluate(took) < 1500


def test_rankings_stand_beside_each_other_and_on_a_phone_below(
    open_page: Opener, path: Path
) -> None:
    """On a laptop both lists begin at one height; on a phone the second follows the first."""
    places = "boxes => boxes.map((b) => b.getBoundingClientRect().top)"
    for width, beside in ((1280, True), (400, False)):
        page = open_page(path, viewport={"width": width, "height": 900})
        first, second = page.locator("details[open] .rankings > div").evaluate_all(places)
        assert (first == second) == beside


def test_on_a_phone_both_uncertainties_are_read_without_scrolling(
    open_page: Opener, path: Path
) -> None:
    """The interval over topics and the range over judgments are inside of the window."""
    page = open_page(path, viewport={"width": 390, "height": 844})
    cells = page.locator("[data-name=numbers] td .ends:visible")
    assert cells.count() == 6
    assert all(
        right <= 390
        for right in cells.evaluate_all("c => c.map((x) => x.getBoundingClientRect().right)")
    )


def test_a_link_opens_its_topic_and_the_switch_changes_the_measure(
    open_page: Opener, path: Path
) -> None:
    """The topic of a row opens below; its query and its documents are those of the row."""
    page = open_page(path)
    link = page.locator("#topics a:visible").nth(7)
    name = link.text_content()
    link.click()
    page.wait_for_function("document.querySelectorAll('.topics details[open]').length === 2")
    opened = page.locator(".topics details[open] summary b").all_text_contents()
    assert name in opened
    page.get_by_text("P@10", exact=True).first.click()
    shown = page.locator(".verdict:visible")
    assert shown.count() == 1
    assert "in P@10" in shown.text_content()


def test_tables_sort(open_page: Opener, path: Path) -> None:
    """A click on a heading sorts by it, and once more the other way."""
    page = open_page(path)
    table = page.locator("[data-name='topics-nDCG@10']")
    for first in ("−", "+"):
        table.get_by_role("button", name="difference").click()
        difference = table.locator("tbody tr").first.locator("td").nth(4).text_content()
        assert difference[0] == {"−": "+", "+": "−"}[first]


def test_the_verdict_is_that_of_compare_and_carries_its_claims() -> None:
    """The sentence of the pair, with what it claims whatever is unjudged, stands first."""
    made = pw.simulate(systems=5, topics=20, depth=20, rng=2)
    both = pw.side_by_side(made.judgments, made.runs, "P@5", pair=["bm25-1", "bm25-2"])
    verdict = both["P@5"].comparison.pair_verdict
    page = Page(pw.html_page(both))
    said = [(text, claims) for text, claims in page.told if text == verdict.sentence]
    assert [claims for _, claims in said] == [[claim.to_dict() for claim in verdict.claims]]
    assert verdict.claims


def test_rankings_on_the_page_are_those_of_the_runs() -> None:
    """Ids, grades and ranks in the other run, read back from the markup."""
    made = pw.simulate(systems=5, topics=6, depth=20, rng=3)
    both = pw.side_by_side(made.judgments, made.runs, "P@5", pair=["maverick-1", "bm25-1"])
    page = pw.html_page(both)
    grades, lists = made.judgments.to_dict(), made.runs.to_dict()
    blocks = re.findall(r"<summary><b>(.*?)</b>.*?</details>", page, re.DOTALL)
    assert len(blocks) == 6
    for block in re.findall(r"<details[^>]*><summary>.*?</details>", page, re.DOTALL)[:6]:
        topic = re.findall(r"<b>(.*?)</b>", block)[0]
        for run, shown in zip((both.a, both.b), block.split("<h3>")[1:], strict=True):
            assert shown.startswith(f"{run}</h3>")
            other = both.b if run == both.a else both.a
            there = sorted(lists[other][topic], key=lambda d: -lists[other][topic][d])
            mine = sorted(lists[run][topic], key=lambda d: -lists[run][topic][d])
            items = re.findall(
                r'value="(\d+)"><span class="grade \w+">(.*?)</span> <span class="id">(.*?)</span>'
                r' <span class="there">(.*?)</span>',
                shown,
            )
            assert [int(rank) for rank, *_ in items] == list(range(1, 11))
            for rank, grade, document, where in items:
                assert mine[int(rank) - 1] == document
                judged = grades[topic].get(document)
                assert grade == ("unjudged" if judged is None else f"grade {judged:g}")
                place = there.index(document) + 1 if document in there else None
                assert where == {
                    None: "not in the other run",
                    int(rank): "the same rank in both",
                }.get(place, f"rank {place} in the other run")


def test_hostile_names_and_texts_stay_texts(browser: Any, tmp_path: Path) -> None:
    """No name, query or passage becomes markup or script, and the policy lets nothing else run."""
    runs = {HOSTILE: {HOSTILE: {HOSTILE: 2.0, "d": 1.0}}, "b": {HOSTILE: {"d": 2.0}}}
    both = pw.side_by_side(
        {HOSTILE: {"d": 1}}, runs, "P@2", queries={HOSTILE: HOSTILE}, documents={HOSTILE: HOSTILE}
    )
    path = tmp_path / "page.html"
    path.write_text(pw.html_page(both), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator(".rankings .id").first.text_content() == HOSTILE
    assert page.locator(".topics .query").text_content() == HOSTILE
    assert unescape(page.title()) == f"{HOSTILE} against b"
    tried, broken = page.evaluate(INJECTED)
    page.close()
    assert broken is None
    assert {"connect-src", "fetch", "frame-src", "img-src", "style-src-elem"} <= set(tried)


def test_what_is_not_there_is_not_shown() -> None:
    """One topic, all judged, no texts: the page says that nothing is unjudged or to judge."""
    runs = {"a": {"1": {"x": 1.0}}, "b": {"1": {"y": 1.0}}}
    page = pw.html_page(pw.side_by_side({"1": {"x": 1, "y": 0}}, runs, "P@1"))
    assert "All 2 documents that are shown are judged." in page
    assert "Nothing more to judge" in page
    assert "<pre" not in page
    assert ">query<" not in page
