"""How long a browser takes to open a page of ``poolwise report``, until what is visible is drawn.

Run as ``python -m bench.opening PAGE``; it needs Chromium, and returns nothing without it.
"""

import shutil
import sys
import time
from pathlib import Path

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
DRAWN = """[...document.querySelectorAll('figure.chart')]
    .filter((figure) => figure.offsetParent !== null)
    .every((figure) => ['svg', 'canvas'].includes(figure.dataset.drawn))"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => done()))"
ROUNDS = 5


def seconds_to_open(page: Path, rounds: int = ROUNDS) -> float | None:
    """Return the seconds of the best round; None where no browser is installed."""
    executable = shutil.which("chromium")
    if executable is None:
        return None
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=[*FLAGS])
        found = min(_opened(browser, page) for _ in range(rounds))
        browser.close()
    return found


def _opened(browser, page: Path) -> float:  # noqa: ANN001 -- of a package that may not be there
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    started = time.perf_counter()
    tab.goto(page.as_uri())
    while not tab.evaluate(DRAWN):
        tab.evaluate(FRAME)
    seconds = time.perf_counter() - started
    context.close()
    return seconds


if __name__ == "__main__":
    print(seconds_to_open(Path(sys.argv[1]).resolve()))
