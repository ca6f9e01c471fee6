"""A browser, and pages opened in it without a network and without a complaint."""

import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # this machine alone
)
DRAWN = """[...document.querySelectorAll('figure.chart')]
    .filter((figure) => figure.offsetParent !== null)
    .every((figure) => ['svg', 'canvas'].includes(figure.dataset.drawn))"""

Opener = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium, or skip."""
    playwright = pytest.importorskip("playwright.sync_api")
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=executable, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Opener]:
    """Return what opens a page, waits for its charts, and allows no complaint."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(path: Path, *, anchor: str = "", **options: Any) -> Any:
        size = {"width": 1280, "height": 800}
        context = browser.new_context(**{"viewport": size, "offline": True} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.wait_for_function = partial(_wait_for, page)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda asked: complaints.extend([asked.url] * _is_remote(asked)))
        page.goto(path.as_uri() + anchor)
        page.wait_for_function(DRAWN)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def axe_core(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Fetch the rules of accessibility with npm, or skip: their licence is not that of poolwise."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("axe")
    if npm is None:
        pytest.skip("npm is not installed")
    asked = [npm, "pack", "axe-core@4.10.3", "--silent"]
    try:
        done = subprocess.run(asked, cwd=folder, capture_output=True, timeout=60, check=False)  # noqa: S603 -- no shell, and no text of others
    except subprocess.TimeoutExpired:
        pytest.skip("npm could not fetch axe-core in a minute")
    packed = next(folder.glob("*.tgz"), None)
    if done.returncode or packed is None:
        pytest.skip("npm could not fetch axe-core")
    with tarfile.open(packed) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode("utf-8")


def _wait_for(page: Any, expression: str, **options: Any) -> None:
    """Wait until an expression holds; the browser's own way makes code of a text inside the page.

    The policy of our pages does not allow that to anybody.
    """
    end = time.monotonic() + options.get("timeout", 60_000) / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression} did not come to hold"
        # Charts are drawn between frames, and a browser without a screen makes one when asked.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")


def _is_remote(request: Any) -> bool:
    return not request.url.startswith(("file:", "data:", "blob:"))
