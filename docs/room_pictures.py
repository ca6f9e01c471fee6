"""Take the pictures of the judging room: ``python docs/room_pictures.py [CHROMIUM]``.

They show the campaign of ``poolwise campaign demo``, which is made up, after some documents were
judged by its truth.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from poolwise.server._address import Address
from poolwise.server._app import make_app
from poolwise.server._serving import links_of, listening, uvicorn_server
from poolwise.workflows.campaigns._making import make_demo_campaign
from poolwise.workflows.campaigns._messages import Answer, Assignment
from poolwise.workflows.campaigns._room import CampaignRoom

PICTURES = Path(__file__).resolve().parent / "howto"
JUDGED = 700
"""Documents that are judged before the pictures are taken."""


@contextmanager
def serving(folder: str) -> Iterator[tuple[CampaignRoom, dict[str, str]]]:
    """Serve the demo, of which some is judged already."""
    with listening("127.0.0.1", 0) as listener, CampaignRoom(folder) as room:
        address = Address("127.0.0.1", listener.getsockname()[1])
        links = links_of(room, address, ["Ann", "Ben"])
        server = uvicorn_server(make_app(room, address))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield room, links
        finally:
            server.should_exit = True
            thread.join()


def judge(room: CampaignRoom) -> None:
    """Judge by how often a made-up text names what is sought, with a slip now and then."""
    judged = 0
    while judged < JUDGED:
        room.wait()
        work = {name: room.assign(name, 20).assignments for name in ("Ann", "Ben")}
        for name, assignments in work.items():
            room.record(name, map(answer, assignments))
            judged += len(assignments)


def answer(assignment: Assignment) -> Answer:
    """Return what somebody would say of a document."""
    named = assignment.text.lower().count(assignment.topic.query.split()[-1])
    grade = abs(min(3, named) - (assignment.lease % 17 == 0))
    active = 4000 + 900 * (assignment.lease % 7)
    return Answer(f"picture-{assignment.lease}", assignment.lease, grade=grade, active_ms=active)


def opened(browser: Any, link: str, width: int, height: int, scheme: str = "light") -> Any:
    """Open a personal link."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(link)
    page.wait_for_url(lambda url: "/enter" not in url)
    time.sleep(1.5)
    return page


def main() -> None:
    """Make the demo, judge some of it, and photograph both pages."""
    browser_of_system = sys.argv[1] if sys.argv[1:] else None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        make_demo_campaign(f"{folder}/demo")
        browser = play.chromium.launch(executable_path=browser_of_system, args=["--no-sandbox"])
        with serving(f"{folder}/demo") as (room, links):
            judge(room)
            page = opened(browser, links["Ann"], 1100, 620)
            while not page.locator("#text mark").count():
                page.keyboard.press("0")
                time.sleep(0.4)
            page.screenshot(path=PICTURES / "judging-room-assessor.png")
            phone = opened(browser, links["Ben"], 390, 760, "dark")
            phone.screenshot(path=PICTURES / "judging-room-phone.png")
            page = opened(browser, links["organiser"], 1100, 900)
            page.screenshot(path=PICTURES / "judging-room-organiser.png")
        browser.close()


if __name__ == "__main__":
    main()
