"""The page of an organiser, in a browser: what is known, as grades arrive."""

from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms import HOSTILE, Client, Served
from tests.views.judging.conftest import Serving, Visiting
from tests.views.judging.test_assessor_page import AXE, ranges, until


def judge(client: Client, count: int, grade: int = 1) -> None:
    """Judge so many documents."""
    for _ in range(count):
        (assignment,) = client.work(1)
        assert (
            client.answer(assignment["lease"], grade, f"client-{assignment['lease']:06}")["status"]
            == "saved"
        )


def shown(page: Any, judged: int) -> None:
    """Wait until the page knows of so many judgments."""
    until(page, f"document.getElementById('live').textContent.startsWith('{judged} judged')")


def test_ranges_narrow_as_grades_arrive(serving: Serving, visit: Visiting) -> None:
    """Without a reload; the numbers are those of the room, and what is certain is said."""
    made = serving(documents=12)
    page, ann = visit(made.link("boss", "organiser")), made.person("Ann")
    before = ranges(page)
    assert set(before) == {"up", "down"}
    for judged in (4, 8, 12):
        judge(ann, 4, grade=int(judged == 8))
        shown(page, judged)
        (status,) = made.room.overview().statuses
        until(page, "(text) => document.getElementById('part-runs').textContent.includes(text)",
              f"{status.columns()['high'][0]:.4f}")  # fmt: skip
        after = ranges(page)
        for run, (low, high) in after.items():
            assert before[run][0] <= low <= high <= before[run][1]
        assert sum(high - low for low, high in after.values()) < sum(
            high - low for low, high in before.values()
        )
        cells = status.columns()
        assert [after[run] for run in cells["run"]] == [
            (round(low, 4), round(high, 4))
            for low, high in zip(cells["low"], cells["high"], strict=True)
        ]
        before = after


def test_the_page_begins_with_what_is_due(serving: Serving, visit: Visiting) -> None:
    """One sentence, which follows what is judged, with how many judgments would settle the goal."""
    made = serving(documents=12)
    page, ann = visit(made.link("boss", "organiser")), made.person("Ann")
    due = page.locator("#part-due .due")
    assert due.inner_text() == (
        "Judge the next documents: at most 12 judgments settle the goal order."
    )
    assert page.locator("h2").first.inner_text() == "What is due"
    judge(ann, 12)
    shown(page, 12)
    until(page, "document.querySelector('.due').textContent.endsWith('the goal is reached.')")
    assert due.inner_text() == made.room.overview().statuses[0].sentences()[0]


def disputed(made: Served) -> None:
    """Let two people give one document different grades."""
    ann, ben = made.person("Ann"), made.person("Ben")
    (first,), (other,) = ann.work(1), ben.work(1)
    assert first["text"] == other["text"]
    ann.answer(first["lease"], 0, "client-ann1", note=HOSTILE)
    ben.answer(other["lease"], 2, "client-ben1")


def test_a_dispute_is_read_and_decided(serving: Serving, visit: Visiting) -> None:
    """The text is shown as text, and the decision is what is exported."""
    made = serving(documents=12, both=True)
    disputed(made)
    page = visit(made.link("boss", "organiser"))
    part = page.locator("#part-disputes")
    assert "1 document with different grades" in part.inner_text()
    assert f"Ann: Not relevant ({HOSTILE})" in part.inner_text()
    part.locator("summary").click()
    part.locator(".read", has_text="on owls").wait_for()
    part.locator("button", has_text="Related").click()
    part.locator("p", has_text="No document has different grades").wait_for()
    assert [g for grades in made.room.export("adjudicated").judgments.to_dict().values()
            for g in grades.values()] == [1]  # fmt: skip


def test_a_pause_holds_everybody(serving: Serving, visit: Visiting) -> None:
    """No document is handed out until judging goes on."""
    made = serving(documents=12)
    page, ann = visit(made.link("boss", "organiser")), made.person("Ann")
    page.locator("#pause").click()
    page.locator("#pause[aria-pressed=true]").wait_for()
    assert ann.work(1) == []
    page.locator("#pause").click()
    page.locator("#pause[aria-pressed=false]").wait_for()
    assert len(ann.work(1)) == 1


def test_links_are_made_and_ended(serving: Serving, visit: Visiting) -> None:
    """A link is shown once, opens the room, and opens nothing once it has ended."""
    made = serving(documents=12)
    page = visit(made.link("boss", "organiser"))
    page.locator("#name").fill(f"Zoe {HOSTILE[:20]}")
    page.get_by_role("button", name="Make a personal link").click()
    link = page.locator("#invited code").inner_text()
    zoe = visit(link)
    zoe.locator("#query", has_text="habitat").wait_for()
    until(page, "document.getElementById('part-assessors').textContent.includes('Zoe')")
    page.locator("#part-assessors summary", has_text="End the links").click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#part-assessors button[data-retire]").click()
    while made.room.people()[-1].name.startswith("Zoe"):
        page.wait_for_timeout(20)
    zoe.reload()
    zoe.locator("h1", has_text="not open to you").wait_for()


def test_an_export_is_downloaded_by_its_rule(serving: Serving, visit: Visiting) -> None:
    """The file is what the room wrote, and the page says which version it is."""
    made = serving(documents=12)
    judge(made.person("Ann"), 3, grade=2)
    page = visit(made.link("boss", "organiser"))
    page.locator("#rule").select_option("majority")
    with page.expect_download() as started:
        page.get_by_role("button", name="Export judgments").click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert [line.split()[-1] for line in lines] == ["2"] * 3
    assert "3 documents by the rule majority" in page.locator("#exported").inner_text()
    written = made.room.folder.path / "exports" / started.value.suggested_filename
    assert written.read_text().splitlines() == lines


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_core_finds_nothing(
    serving: Serving, visit: Visiting, axe_core: str, width: int
) -> None:
    """Light and dark, with everything unfolded; the page scrolls one way only."""
    made = serving(documents=12, both=True)
    disputed(made)
    for scheme in ("light", "dark"):
        page = visit(
            made.link("boss", "organiser"), width=width, color_scheme=scheme, bypass_csp=True
        )
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(axe_core)
        violations = [
            (rule["id"], node["html"]) for rule in page.evaluate(AXE) for node in rule["nodes"]
        ]
        assert violations == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
