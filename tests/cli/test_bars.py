"""Bars with an end: in a terminal, while something takes long, and never beside a result."""

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.test_exit_codes import EVALUATE, on_terminal

from poolwise.cli import _output as bars
from poolwise.cli._output import Bars


class Display:
    """Stands for rich: it remembers what is on the screen."""

    def __init__(self) -> None:
        self.shown: dict[int, tuple[int, int]] = {}
        self.frames: list[list[tuple[int, int]]] = []
        self.running = False

    def start(self) -> None:
        """Begin to draw."""
        self.running = True

    def stop(self) -> None:
        """Clear the screen."""
        self.running = False

    def add_task(self, what: str, *, total: int) -> int:
        """Add a bar."""
        del what
        self.shown[len(self.shown)] = 0, total
        return len(self.shown) - 1

    def remove_task(self, task: int) -> None:
        """Take a bar away."""
        del self.shown[task]

    def update(self, task: int, *, completed: int, total: int) -> None:
        """Move a bar."""
        self.shown[task] = completed, total

    def refresh(self) -> None:
        """Draw."""
        self.frames.append(list(self.shown.values()))


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Display:
    """Return a display, with little patience before a bar is due."""
    monkeypatch.setattr(bars, "_PATIENCE", 0.02)
    monkeypatch.setattr(bars, "_TICK", 0.005)
    return Display()


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until something is so, and fail if it never is."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_takes_long_gets_a_bar_that_ends(display: Any) -> None:
    """The bar moves, and is gone at once when all are done, so that results can be printed."""
    drawn = Bars(lambda: display)
    drawn.update("files read", 0, 3)
    wait_for(lambda: display.frames)
    drawn.update("files read", 2, 3)
    wait_for(lambda: display.frames[-1] == [(2, 3)])
    assert display.running
    drawn.update("files read", 3, 3)
    assert not display.running
    drawn.close()


def test_what_is_soon_done_gets_none(display: Any) -> None:
    """Nothing flickers."""
    drawn = Bars(lambda: display)
    for _ in range(5):
        drawn.update("topics scored", 0, 2)
        drawn.update("topics scored", 2, 2)
    time.sleep(0.05)
    drawn.close()
    assert display.frames == []


def test_bars_stand_one_inside_of_another(display: Any) -> None:
    """The outer one stays when the inner one is done."""
    drawn = Bars(lambda: display)
    drawn.update("treatments tried", 1, 4)
    drawn.update("groups left out", 5, 9)
    wait_for(lambda: display.frames and display.frames[-1] == [(1, 4), (5, 9)])
    drawn.update("groups left out", 9, 9)
    wait_for(lambda: display.frames[-1] == [(1, 4)])
    drawn.close()
    assert not display.running


SLOW = (
    "import time; from poolwise.collection.files import _inputs; "
    "inner = _inputs._read; "
    "from poolwise.results._progress import report_progress as tell; "
    "_inputs._read = lambda *a: (tell('files read', 1, 2), time.sleep(1), tell('files read', 2, 2)"
    ") and inner(*a); "
)


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("quiet", [True, False])
def test_a_terminal_shows_bars_unless_it_is_to_be_quiet(
    monkeypatch: pytest.MonkeyPatch, *, quiet: bool
) -> None:
    """Files read of files, cleared before the result."""
    program = [sys.executable, "-c", f"{SLOW} from poolwise.cli.main import main; main()"]
    monkeypatch.setattr("tests.cli.test_exit_codes.PROGRAM", program)
    shown = on_terminal(*EVALUATE, *(["--quiet"] if quiet else []))
    assert (b"files read" in shown) is not quiet
    assert (b"1/2" in shown) is not quiet
    assert b"note: " not in shown if quiet else b"note: " in shown
    assert shown.rindex(b"bm25") > shown.rfind(b"files read")
