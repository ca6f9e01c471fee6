"""How long a browser takes to open a page of ``poolwise report``.

Run as ``python -m bench.opening PAGE``; it needs Chromium, and returns nothing without it. Two
moments count: when what is on the screen is drawn, and when all charts of the measure that is shown
are, if a reader goes through the page at once: long ones wait until they come near the screen, or
until nobody has touched the page for a while.
"""

import shutil
import sys
import time
from pathlib import Path
from typing import Any

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
DRAWN = """[...document.querySelectorAll('figure.chart')]
    .filter((figure) => figure.offsetParent !== null && (%s))
    .every((figure) => ['svg', 'canvas'].includes(figure.dataset.drawn))"""
MOMENTS = {
    "the first screen": DRAWN % "figure.getBoundingClientRect().top < innerHeight",
    "all its charts": DRAWN % "true",
}
FRAME = "() => new Promise((done) => requestAnimationFrame(() => done()))"
ALL_AT_ONCE = "waiting().forEach(drawSoon)"
"""What comes near the screen one after the other, by the script of the page."""
ROUNDS, MOST_SECONDS = 5, 60


def seconds_to_open(page: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the seconds of the best round by moment; none where no browser is installed."""
    executable = shutil.which("chromium")
    if executable is None:
        return {}
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {}
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=[*FLAGS])
        openings = [_opened(browser, page) for _ in range(rounds)]
        browser.close()
    return {moment: min(opening[moment] for opening in openings) for moment in MOMENTS}


def _opened(browser: Any, page: Path) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    seconds: dict[str, float] = {}
    started = time.perf_counter()
    tab.goto(page.as_uri())
    for moment, expression in MOMENTS.items():
        if seconds:
            tab.evaluate(ALL_AT_ONCE)
        while not tab.evaluate(expression):
            if time.perf_counter() - started > MOST_SECONDS:
                raise RuntimeError(f"{page}: {moment} was not drawn in {MOST_SECONDS} seconds")
            tab.evaluate(FRAME)
        seconds[moment] = time.perf_counter() - started
    context.close()
    return seconds


if __name__ == "__main__":
    print(seconds_to_open(Path(sys.argv[1]).resolve()))
