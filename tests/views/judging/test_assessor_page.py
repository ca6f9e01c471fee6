"""The page of an assessor, in a browser: answers are given by keys, and none is lost."""

import re
import time
from typing import Any

import pytest
from tests.server.rooms import Served
from tests.views.judging.conftest import Serving, Visiting

AXE = "axe.run({ preload: false }).then((found) => found.violations)"


def until(page: Any, expression: str, argument: Any = None) -> None:
    """Wait for a page; the browser's own way makes code of a text, as our policy forbids."""
    end = time.monotonic() + 20
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, f"{expression} did not come to hold"
        page.wait_for_timeout(20)


class Reader:
    """An assessor who reads which document is shown, and remembers what was answered."""

    def __init__(self, page: Any) -> None:
        self.page, self.given, self.now = page, dict[str, float | None](), ""

    def read(self) -> str:
        """Wait for the next document, and return its number."""
        until(
            self.page,
            "(before) => { const now = document.getElementById('title').textContent;"
            " return now !== before && !document.getElementById('title').hidden; }",
            self.now,
        )
        self.page.wait_for_timeout(160)  # a key that comes sooner was meant for the one before
        self.now = self.page.locator("#title").text_content()
        return self.number

    @property
    def number(self) -> str:
        """The document that is shown."""
        match = re.match(r"Title (\d+)", self.now)
        assert match
        return match[1]

    def press(self, grade: int, *, touch: bool = False) -> None:
        """Give a grade to the document that is shown."""
        self.given[self.read()] = grade
        if touch:
            self.page.locator(f'[data-grade="{grade}.0"]').tap()
        else:
            self.page.keyboard.press(str(grade))

    def judge(self, count: int, **how: Any) -> None:
        """Judge so many documents."""
        for _ in range(count):
            self.press(len(self.given) % 3, **how)

    def saved(self) -> None:
        """Wait until nothing waits."""
        until(self.page, "document.getElementById('unsaved').textContent === 'All saved'")


def exported(made: Served, rule: str = "latest") -> dict[str, float]:
    """Return the exported grades by the number of the document."""
    by_topic = made.room.export(rule).judgments.to_dict()
    (grades,) = by_topic.values()
    return {re.sub(r"\D*(\d+).*", r"\1", name): grade for name, grade in grades.items()}


def ranges(page: Any) -> dict[str, tuple[float, float]]:
    """Return the range over judgments of each run, as the organiser's page shows it."""
    rows = page.locator("#part-runs tbody tr").all_inner_texts()
    ends = r"(\d\.\d+) to (\d\.\d+)\s+\d+%$"
    matches = {row.split()[0]: re.search(ends, row) for row in rows}
    return {run: (float(ends[1]), float(ends[2])) for run, ends in matches.items() if ends}


def test_no_other_machine_can_be_reached(browser: Any) -> None:
    """Whatever these tests find works without a network."""
    page = browser.new_page()
    for address in ("http://example.org/", "http://192.0.2.1/"):
        with pytest.raises(Exception, match="ERR_NAME_NOT_RESOLVED"):
            page.goto(address)
    page.close()


def test_thirty_documents_by_keys(serving: Serving, visit: Visiting) -> None:
    """With an undo, a reload, no network for a while, and a night in between: all is exported.

    The organiser, who has a page open all the time, sees the ranges narrow.
    """
    made = serving(documents=34)
    organiser = visit(made.link("boss", "organiser"))
    before = ranges(organiser)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.judge(6)
    ann.read()
    page.keyboard.press("u")
    again = ann.read()
    assert again == list(ann.given)[-1]
    page.keyboard.press("2")
    ann.given[again] = 2
    ann.judge(4)
    ann.saved()
    page.reload()
    ann.now = ""
    ann.judge(5)
    ann.saved()
    page.context.set_offline(True)
    ann.judge(5)
    assert page.locator("#unsaved").text_content() == "5 not yet saved: no network"
    assert len(exported(made)) == 15
    page.context.set_offline(False)
    ann.saved()
    context = page.context
    page.close()
    made.later += 86_400
    page = visit(made.address.url + "judge", context=context)  # the cookie is there still
    ann.page, ann.now = page, ""
    ann.judge(10)
    ann.saved()
    assert len(ann.given) == 30
    assert exported(made) == ann.given
    assert page.locator("#progress").text_content().startswith("30 judged · 4 left")
    until(organiser, "document.getElementById('live').textContent.startsWith('30 judged')")
    (status,) = made.room.overview().statuses
    cells = status.columns()
    shown = [(round(low, 4), round(high, 4))
             for low, high in zip(cells["low"], cells["high"], strict=True)]  # fmt: skip
    assert [ranges(organiser)[run] for run in cells["run"]] == shown
    assert all(high - low < before[run][1] - before[run][0]
               for run, (low, high) in zip(cells["run"], shown, strict=True))  # fmt: skip


def test_on_a_phone_by_touch(serving: Serving, visit: Visiting) -> None:
    """At 390 pixels nothing hangs over, and buttons do what keys do."""
    made = serving(documents=12)
    page = visit(made.link("Ann"), width=390, has_touch=True)
    ann = Reader(page)
    ann.judge(6, touch=True)
    ann.read()
    page.locator("[data-act=undo]").tap()
    ann.press(2, touch=True)
    ann.saved()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert exported(made) == ann.given


def test_after_a_reload_the_last_answer_can_be_undone(serving: Serving, visit: Visiting) -> None:
    """The server knows it; what is undone and not answered again does not count."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.judge(2)
    ann.saved()
    page.reload()
    ann.now = ""
    ann.read()
    page.keyboard.press("u")
    last = ann.read()
    assert last == list(ann.given)[-1]
    ann.saved()
    del ann.given[last]
    assert exported(made) == ann.given


def test_answers_that_wait_survive_the_end_of_the_page(serving: Serving, visit: Visiting) -> None:
    """A page that is closed without a network leaves its answers for the next one."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.judge(1)
    ann.saved()
    context = page.context
    context.set_offline(True)
    ann.judge(3)
    ann.read()
    page.keyboard.press("u")  # one that the server has not heard of yet
    ann.press(2)
    page.close(run_before_unload=False)
    context.set_offline(False)
    ann.page = visit(made.address.url + "judge", context=context)
    ann.saved()
    assert exported(made) == ann.given


def test_two_tabs_never_answer_for_one_document_twice(serving: Serving, visit: Visiting) -> None:
    """What is answered in one goes away in the other; the server refuses the rest."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    first = Reader(page)
    first.read()
    second = Reader(visit(made.link("Ann"), context=page.context))
    assert second.read() == first.number
    first.page.bring_to_front()
    page.keyboard.press("1")
    second.page.bring_to_front()
    assert second.read() != first.number
    second.page.keyboard.press("2")
    second.read()
    first.saved()
    second.saved()
    assert sorted(exported(made).values()) == [1, 2]
    assert made.room.progress("Ann").judged == 2


def test_the_page_greys_when_its_lease_is_gone(serving: Serving, visit: Visiting) -> None:
    """Keys do nothing then; one button gets documents again."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.read()
    made.later += 2 * 3600
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("body.gone")
    page.keyboard.press("1")
    assert "no longer kept for you" in page.locator("#notice").text_content()
    page.keyboard.press("Enter")  # the button has the focus
    page.wait_for_selector("body:not(.gone)")
    ann.now = ""
    ann.press(1)
    ann.saved()
    assert exported(made) == ann.given


def test_other_answers_notes_and_guidelines_have_keys(serving: Serving, visit: Visiting) -> None:
    """Cannot judge, skip, a note, in which letters are no keys, and guidelines, which stay text."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.read()
    page.keyboard.press("g")
    assert page.locator("dialog").is_visible()
    assert "<script>window.broken=1</script>" in page.locator("dialog").inner_text()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("uncs 12")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    ann.read()
    page.keyboard.press("s")
    ann.press(0)
    ann.saved()
    progress = made.room.progress("Ann")
    assert (progress.judged, progress.cannot, progress.skipped) == (1, 1, 1)
    assert made.room.history("Ann")[-1].note == "uncs 12"


def test_words_of_the_query_are_marked(serving: Serving, visit: Visiting) -> None:
    """In title and text; what is common is not."""
    page = visit(serving(documents=12).link("Ann"))
    Reader(page).read()
    assert set(page.locator("#text mark").all_text_contents()) >= {"owls"}
    assert "on" not in page.locator("#text mark").all_text_contents()


def test_a_document_in_html_can_do_nothing(serving: Serving, visit: Visiting) -> None:
    """It is shown in a frame without scripts, links, pictures or forms, and the keys stay ours."""
    made = serving(documents=12, html=True)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.read()
    frame = page.frame_locator("#frame")
    assert frame.locator("h1").inner_text() == "Owls"
    assert frame.locator("a, img, form, iframe, script, meta[http-equiv], link, base").count() == 0
    assert frame.locator("mark").first.inner_text().lower() == "owls"
    frame.locator("h1").click()
    until(page, "document.activeElement.id === 'document'")
    page.keyboard.press("1")
    ann.given[ann.number] = 1
    ann.read()
    page.keyboard.press("t")
    assert page.locator("#text").inner_text().startswith("Owls")
    ann.saved()
    assert exported(made) == ann.given


def test_practice_says_what_was_right_before_judging_begins(
    serving: Serving, visit: Visiting
) -> None:
    """The document stays until one goes on, and counts for nothing."""
    made = serving(documents=12, practice=True)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    assert ann.read() == "3"
    page.keyboard.press("1")
    page.locator("#notice", has_text="The right answer is Relevant. It says all.").wait_for()
    assert page.locator("#title").text_content() == ann.now
    page.keyboard.press("Enter")
    ann.judge(2)
    ann.saved()
    assert exported(made) == ann.given


def test_equal_texts_are_one_document_with_a_row_for_each(
    serving: Serving, visit: Visiting
) -> None:
    """One answer counts for all of them."""
    made = serving(documents=12, equal=True)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.read()
    assert "11 other documents have the same text" in page.locator("#copies").text_content()
    page.keyboard.press("2")
    ann.saved()
    assert list(exported(made).values()) == [2] * 12


def test_a_link_that_ends_stops_the_page(serving: Serving, visit: Visiting) -> None:
    """It greys, says why, and keeps what is not yet saved."""
    made = serving(documents=12)
    page = visit(made.link("Ann"))
    ann = Reader(page)
    ann.read()
    made.room.retire("Ann", by="boss")
    page.keyboard.press("1")
    page.wait_for_selector("body.gone")
    assert "not valid" in page.locator("#notice").text_content()
    assert page.locator("#unsaved").text_content() == "1 not yet saved"


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_core_finds_nothing(
    serving: Serving, visit: Visiting, axe_core: str, width: int
) -> None:
    """Light and dark, with the guidelines open, and with a notice."""
    made = serving(documents=12)
    for scheme in ("light", "dark"):
        page = visit(made.link("Ann"), width=width, color_scheme=scheme, bypass_csp=True)
        Reader(page).read()
        page.evaluate(axe_core)
        for key in ("n", "g"):
            assert [
                (rule["id"], node["html"]) for rule in page.evaluate(AXE) for node in rule["nodes"]
            ] == []
            page.keyboard.press("Escape")
            page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_document_and_what_became_of_it_reach_a_screen_reader(
    serving: Serving, visit: Visiting
) -> None:
    """The focus is on the new document, which is named by its query; what was said is live."""
    page = visit(serving(documents=12).link("Ann"))
    ann = Reader(page)
    ann.press(1)
    ann.read()
    assert page.evaluate("document.activeElement.id") == "document"
    assert page.locator("#said").get_attribute("aria-live") == "polite"
    assert page.locator("#said").text_content() == "Last answer: Related."
    assert page.locator("#document").get_attribute("aria-labelledby") == "asked query title"
