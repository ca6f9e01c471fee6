"""How long a browser takes to open a page of ``poolwise report``.

Run as ``python -m bench.opening PAGE``; it needs Chromium, and returns nothing without it. Two
moments count: when what is on the screen is drawn, and when all charts of the measure that is shown
are, if a reader goes through the page at once: long ones wait until they come near the screen, or
until nobody has touched the page for a while.
"""

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Made = TypeVar("Made")
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
ONE_BY_ONE = """async () => {
    const charts = []
    for (const figure of document.querySelectorAll('figure.chart')) {
        if (figure.offsetParent === null) continue
        const started = performance.now()
        await draw(figure)
        const rows = rowCount(contentOf(figure))
        charts.push([figure.dataset.name, rows, (performance.now() - started) / 1000])
    }
    return charts
}"""
ROUNDS, MOST_SECONDS = 5, 60


class Chart(NamedTuple):
    """A chart, how many rows it draws, and how long that takes."""

    name: str
    rows: int
    seconds: float


def seconds_to_open(page: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the seconds of the best round by moment; none where no browser is installed."""
    openings = _in_rounds(_opened, page, rounds)
    return {moment: min(of[moment] for of in openings) for moment in MOMENTS if openings}


def charts_by_seconds(page: Path, rounds: int = ROUNDS) -> list[Chart]:
    """Return the charts of the measure that is shown, the slowest first, by their best rounds."""
    drawn = zip(*_in_rounds(_drawn_one_by_one, page, rounds), strict=True)
    best = [min(same, key=lambda chart: chart.seconds) for same in drawn]
    return sorted(best, key=lambda chart: -chart.seconds)


def _in_rounds(work: Callable[[Any, Path], Made], page: Path, rounds: int) -> list[Made]:
    """Open the page so often, each time anew; never where no browser is installed."""
    executable = shutil.which("chromium")
    if executable is None:
        return []
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    made = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=[*FLAGS])
        for _ in range(rounds):
            context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
            tab = context.new_page()
            tab.set_default_timeout(60_000)
            made.append(work(tab, page))
            context.close()
        browser.close()
    return made


def _drawn_one_by_one(tab: Any, page: Path) -> list[Chart]:
    tab.goto(page.as_uri())
    while not tab.evaluate(MOMENTS["the first screen"]):
        tab.evaluate(FRAME)
    return [Chart(*chart) for chart in tab.evaluate(ONE_BY_ONE)]


def _opened(tab: Any, page: Path) -> dict[str, float]:
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
    return seconds


if __name__ == "__main__":
    opened = Path(sys.argv[1]).resolve()
    print(seconds_to_open(opened), *charts_by_seconds(opened), sep="\n")
