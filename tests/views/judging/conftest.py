"""Pages of the judging room in a browser that reaches this machine alone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from tests.server.rooms import Served, campaign, served

Serving = Callable[..., Served]
Visiting = Callable[..., Any]
EXPECTED = ("net::ERR_INTERNET_DISCONNECTED", "net::ERR_CONNECTION_REFUSED", "401 (Unauthorized)")
"""What a browser itself complains of where a test takes the network or a link away."""


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """Return what serves a small campaign."""
    with ExitStack() as stack:

        def serve(**options: Any) -> Served:
            return stack.enter_context(served(campaign(tmp_path, **options)))

        yield serve


@pytest.fixture
def visit(browser: Any) -> Iterator[Visiting]:
    """Return what opens a page; no page may complain, run a foreign script or ask elsewhere."""
    contexts: list[Any] = []
    pages: list[Any] = []
    complaints: list[str] = []

    def visited(link: str, *, context: Any = None, width: int = 1280, **options: Any) -> Any:
        if context is None:
            context = browser.new_context(viewport={"width": width, "height": 800}, **options)
            contexts.append(context)
        page = context.new_page()
        pages.append(page)
        page.set_default_timeout(20_000)
        page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: complaints.extend([asked.url] * _is_foreign(asked.url)))
        page.goto(link)
        page.wait_for_url(lambda url: "/enter" not in url)
        return page

    yield visited
    broken = [page.evaluate("window.broken ?? null") for page in pages if not page.is_closed()]
    for context in contexts:
        context.close()
    assert set(broken) <= {None}
    assert [said for said in complaints if not any(e in said for e in EXPECTED)] == []


def _is_foreign(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "data:", "blob:"))
