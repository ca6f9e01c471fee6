"""The report page: what it says, and that it works in a real browser."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.views.conftest import DRAWN, Opener

from poolwise import (
    Comparison,
    Judgments,
    Runs,
    compare_scores,
    evaluate,
    html_page,
    report,
    simulate,
)
from poolwise.collection import Simulated
from poolwise.errors import MissingExtraError
from poolwise.views.report._page import SECTIONS as DRAWN_SECTIONS
from poolwise.words import compressed, counted

MEASURES = ("nDCG@10", "AP")
ODD_NAMES = (
    *("constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"),
    *("<img src=x onerror=alert(1)>", "caf\udce9\x1b[2J"),
    "a.b[0]:'x\\",  # signs by which Vega names fields and times
)
SECTIONS = [
    "leaderboard",
    "judgments",
    "differences",
    "topics",
    "documents",
    "estimates",
    "drawn",
    "to-judge",
    "similarity",
    "power",
    "to-report",
    "provenance",
]


@pytest.fixture(scope="session")
def made() -> Simulated:
    """Make a small collection with a run that the pool does not know."""
    return simulate(systems=8, topics=15, depth=60, rng=8)


@pytest.fixture(scope="session")
def page_file(made: Simulated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write its report."""
    pytest.importorskip("vl_convert")
    overview = report(made.judgments, made.runs, MEASURES, baseline="bm25-1", groups=made.groups)
    page = html_page(overview, title="A <demo>")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: Opener, page_file: Path) -> Any:
    """Open the report."""
    return open_page(page_file)


def test_long_data_is_packed_and_the_page_shows_the_same(
    open_page: Opener, page_file: Path, tmp_path: Path
) -> None:
    """A page all of whose data is compressed holds the same data once it is open, and draws it."""
    plain = page_file.read_text("utf-8")
    opening, closing = '<script type="application/json"', "</script>"
    pattern = rf"{opening}>(.*?){closing}"
    held = re.findall(pattern, plain, re.DOTALL)
    long = re.sub(
        pattern,
        lambda match: f"{opening} data-zlib>{compressed(match[1])}{closing}",
        plain,
        flags=re.DOTALL,
    )
    (tmp_path / "long.html").write_text(long, "utf-8")
    page = open_page(tmp_path / "long.html")
    shown = page.evaluate(
        "[...document.querySelectorAll('script[type*=json]')].map((one) => one.textContent)"
    )
    assert [*map(json.loads, shown)] == [*map(json.loads, held)]


@pytest.fixture
def odd_page(open_page: Opener, made: Simulated, tmp_path: Path) -> Any:
    """Open the report of runs and a topic with names that trip scripts."""
    pytest.importorskip("vl_convert")
    odd = dict(zip(made.runs.systems, ODD_NAMES, strict=False))
    lists = {
        odd[run]: {
            _odd_topic(topic): {d: -rank for rank, d in enumerate(made.runs.ranking(run, topic))}
            for topic in made.runs.topics
        }
        for run in odd
    }
    grades: dict[str, dict[str, float]] = {}
    for topic, document, grade in made.judgments:
        grades.setdefault(_odd_topic(topic), {})[document] = grade
    (tmp_path / "odd.html").write_text(html_page(report(grades, lists, ["nDCG@10"])), "utf-8")
    return open_page(tmp_path / "odd.html")


def _odd_topic(topic: str) -> str:
    return "__proto__" if topic == "401" else topic


def leaderboard_rows(page: Any) -> list[list[str]]:
    """Return the texts of the leaderboard that is shown."""
    rows = page.locator("#leaderboard .by-measure:visible tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_sections_come_in_the_order_of_the_questions(page: Any) -> None:
    """All ten sections are there when the input has the ingredients."""
    assert page.locator("section").evaluate_all("s => s.map((x) => x.id)") == SECTIONS


def test_every_section_is_in_the_one_list(page: Any) -> None:
    """The page has the sections of the list, but those of labels and costs: none were given."""
    drawn = {section.name for section in DRAWN_SECTIONS}
    names = set(page.locator("section").evaluate_all("all => all.map(one => one.id)"))
    assert drawn - names == {"labels", "beside"}
    assert page.locator("section").count() == len(DRAWN_SECTIONS) - 2


def test_every_chart_has_drawn_something(page: Any) -> None:
    """Each chart that is shown holds marks, a title and named axes."""
    figures = page.locator("figure.chart:visible").all()
    assert len(figures) >= 8
    for figure in figures:
        marks = figure.locator(".mark-rect path, .mark-rule line, .mark-line path, canvas")
        assert marks.count() > 0, figure.get_attribute("data-name")
        assert len(figure.locator("figcaption").inner_text()) > 10


@pytest.mark.parametrize("measure", MEASURES)
def test_the_page_says_what_the_score_table_says(page: Any, made: Simulated, measure: str) -> None:
    """Order, means and judged shares are those of evaluate, for whichever measure is chosen."""
    page.locator(f".switch input[value='{measure}']").check(force=True)
    result = evaluate(made.judgments, made.runs, [measure, "Judged@10"])
    table, judged = result[measure], result["Judged@10"].system_means()
    at = page.locator("#leaderboard .by-measure:visible th").all_inner_texts()
    share = next(n for n, title in enumerate(at) if title.startswith("judged@10"))
    said = [(row[1], row[4], row[share]) for row in leaderboard_rows(page)]
    order = table.order().tolist()
    expected = [(table.systems[s], f"{table.means()[s]:.4f}", f"{judged[s]:.2f}") for s in order]
    assert said == expected


def test_the_measure_switch_draws_the_other_charts(page: Any) -> None:
    """After switching, the other measure's blocks are shown, and all of their charts drawn."""
    page.locator(".switch input[value='AP']").check(force=True)
    page.wait_for_function(DRAWN)
    shown = page.locator(".by-measure:visible").evaluate_all("b => b.map((x) => x.dataset.measure)")
    assert set(shown) == {"AP"}


def test_a_heading_sorts_by_key_and_back(page: Any) -> None:
    """Enter on a focused heading sorts its column; again reverses it; the order is announced."""
    button = page.locator("#leaderboard .by-measure:visible th button", has_text="run")
    button.focus()
    page.keyboard.press("Enter")
    names = [row[1] for row in leaderboard_rows(page)]
    assert names == sorted(names)
    assert button.locator("xpath=..").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Enter")
    assert [row[1] for row in leaderboard_rows(page)] == names[::-1]


def test_numbers_sort_as_numbers(page: Any) -> None:
    """The place, sorted down, begins with the largest number and not with 9."""
    button = page.locator("#leaderboard .by-measure:visible th button", has_text="#")
    button.click()
    button.click()
    assert [row[0] for row in leaderboard_rows(page)] == list("87654321")


def test_a_chart_gives_its_data(page: Any) -> None:
    """The download of the pair matrix has one row per pair."""
    with page.expect_download() as download:
        page.locator("figure.pairs:visible [data-form=csv]").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert len(rows) == 8 * 7 // 2
    assert {"better", "worse", "p_corrected", "effect_size", "state"} <= set(rows[0])


def test_any_two_runs_can_be_compared(page: Any, made: Simulated) -> None:
    """The chosen pair's wins, ties, losses and p value are those of compare_scores."""
    table = evaluate(made.judgments, made.runs, ["nDCG@10"])["nDCG@10"]
    comparison = compare_scores(table)[0]
    picker = page.locator(".picker:visible")
    picker.locator("select[data-run=a]").select_option(comparison.a)
    picker.locator("select[data-run=b]").select_option(comparison.b)
    title = page.locator("figure.deltas:visible figcaption").inner_text()
    assert title == f"{comparison.a} − {comparison.b}: {outcome(comparison)}"
    assert f"p {comparison.pvalue:.4f}" in picker.locator(".said").inner_text()


def outcome(pair: Comparison) -> str:
    """Return wins, ties and losses, each in the number that is due."""
    counts = zip((pair.wins, pair.ties, pair.losses), ("win", "tie", "loss"), strict=True)
    return ", ".join(counted(*count) for count in counts)


def test_every_pair_that_is_chosen_has_the_outcome_of_compare(page: Any, made: Simulated) -> None:
    """Whichever run is chosen first, wins and losses are its own, and the bars are its deltas."""
    table = evaluate(made.judgments, made.runs, ["nDCG@10"])["nDCG@10"]
    picker = page.locator(".picker:visible")
    a, b = table.systems[2], table.systems[5]
    for first, second in ((a, b), (b, a)):
        picker.locator("select[data-run=a]").select_option(first)
        picker.locator("select[data-run=b]").select_option(second)
        deltas = table.deltas(first, second)
        title = page.locator("figure.deltas:visible figcaption").inner_text()
        assert title == f"{first} − {second}: {deltas.outcome}"
        rows = page.locator("figure.deltas:visible").evaluate("figure => figure.rows")
        shown = {row["topic"]: row["difference"] for row in rows}
        differences = dict(zip(deltas.topics, deltas.difference.tolist(), strict=True))
        assert shown == pytest.approx(differences, abs=2e-5)
    picker.locator("select[data-run=b]").select_option(b)
    assert page.locator("figure.deltas:visible figcaption").inner_text() == (
        "Choose two different runs"
    )


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_page_fits_its_screen(
    open_page: Opener, page_file: Path, width: int, scheme: str
) -> None:
    """On a phone as on a laptop, nothing makes the page itself scroll sideways."""
    size = {"width": width, "height": 800}
    page = open_page(page_file, viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_are_escaped(page_file: Path) -> None:
    """A title with markup stays text."""
    text = page_file.read_text(encoding="utf-8")
    assert "A &lt;demo&gt;" in text
    assert "A <demo>" not in text


def test_the_page_asks_for_nothing_from_elsewhere(page_file: Path) -> None:
    """No script, style or picture is loaded from an address."""
    markup = re.sub(r"<script>.*?</script>", "", page_file.read_text("utf-8"), flags=re.DOTALL)
    assert not re.search(r'(?:src|href)="(?!#|data:)', markup)


def test_sections_without_ingredients_are_left_out() -> None:
    """One run on one topic has no differences, no similarity and no power."""
    pytest.importorskip("vl_convert")
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}})
    page = html_page(report(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs, ["P@2"]))
    assert re.findall(r'<section id="(\w+)">', page) == [
        "leaderboard",
        "judgments",
        "documents",
        "provenance",
    ]


@pytest.mark.parametrize(
    ("judgments", "rankings"),
    [
        ({"1": {"a": 0}, "2": {"b": 0}}, {"x": {"1": ["a", "c"]}, "y": {"1": ["c"], "2": ["b"]}}),
        ({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["a"]}}),
        ({"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": ["a"]}, "y": {"2": ["b"], "9": ["q"]}}),
        ({"1": {"a": 1}}, {"</script>": {"1": ["a"]}, 'it\'s "so" & <b>': {"1": ["b", "a"]}}),
    ],
    ids=["nothing relevant", "nothing varies", "no common topic", "awkward names"],
)
def test_odd_input_makes_a_page_without_nan(
    judgments: dict[str, dict[str, float]], rankings: dict[str, dict[str, list[str]]]
) -> None:
    """Whatever the input lacks, no cell says nan, and no name ends a script or opens a tag."""
    pytest.importorskip("vl_convert")
    runs = Runs.from_rankings(rankings)
    overview = report(
        Judgments.from_dict(judgments),
        runs,
        ["nDCG@10", "P@5"],
        baseline="y" if "y" in rankings else None,
    )
    page = html_page(overview)
    scripts = page.count("<script") - page.count("<script>")
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert scripts > 0
    assert not re.search(r">[^<]*\bnan\b", markup)
    assert "<b></b>" not in markup
    assert "</script>" not in markup


def test_without_vl_convert_the_error_says_what_to_install(
    made: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report's packages are an extra, and the message names it."""
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'poolwise\[report\]'"):
        html_page(report(made.judgments, made.runs, ["P@5"]))


def test_no_name_of_a_run_keeps_a_chart_from_being_drawn(odd_page: Any) -> None:
    """Names that every object of JavaScript has, markup, and bytes that are not UTF-8 are drawn."""
    drawn = odd_page.locator("figure.chart .plot svg").all_text_contents()
    shown = "".join(drawn).replace("\u2060", "")
    for name in (*ODD_NAMES[:5], "<img src", "caf\\xe9", ODD_NAMES[7]):
        assert name in shown
    assert "could not be drawn" not in odd_page.locator("main, body").first.inner_text()
    assert odd_page.locator("img").count() == 0


def test_texts_stand_in_one_order(made: Simulated) -> None:
    """The same input gives the same page in another process, where sets have another order."""
    pytest.importorskip("vl_convert")
    texts = dict.fromkeys(made.runs.documents, "A text.")
    page = html_page(report(made.judgments, made.runs, ["P@5"], documents=texts))
    (held,) = re.findall(r'"texts":(\{.*?\})', page)
    names = list(json.loads(held))
    assert len(names) > 10
    assert names == sorted(names)
