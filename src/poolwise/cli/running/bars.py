"""Bars of progress on standard error, with an end, while a command works."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from poolwise.cli.running.delivery import current_delivery
from poolwise.results._progress import watched_by

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bars", "with_bars"]

_PATIENCE = 0.3
"""Seconds after which something that is not done gets a bar."""
_TICK = 0.1
"""Seconds between two looks at what is done."""


class Bars:
    """One bar for each thing that is counted, in a terminal, as long as it is not done.

    Counting costs next to nothing: a thread draws what it finds counted now and then. Nothing is
    drawn once everything is done, so that results can be printed.

    Parameters
    ----------
    open_display
        Makes what draws the bars, when the first one is due.
    """

    def __init__(self, open_display: "Callable[[], Progress]") -> None:
        self._open_display = open_display
        self._counts: dict[str, tuple[int, int]] = {}
        self._since: dict[str, float] = {}
        self._tasks: dict[str, TaskID] = {}
        self._display: Progress | None = None
        self._lock, self._ended = Lock(), Event()
        self._thread: Thread | None = None

    def update(self, what: str, done: int, total: int) -> None:
        """Take note of how many are done; what is done altogether has no bar."""
        with self._lock:
            if done < total:
                self._counts[what] = done, total
                self._since.setdefault(what, monotonic())
                self._begin()
            else:
                self._counts.pop(what, None)
                self._since.pop(what, None)
                if not self._counts:
                    self._hide()

    def close(self) -> None:
        """Draw nothing any more."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._hide()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._draw_now_and_then, daemon=True)
            self._thread.start()

    def _draw_now_and_then(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        now = monotonic()
        due = [what for what, since in self._since.items() if now - since >= _PATIENCE]
        if due and self._display is None:
            self._display = self._open_display()
            self._display.start()
        if self._display is not None:
            self._bring_up_to_date(self._display, due)

    def _bring_up_to_date(self, display: "Progress", due: list[str]) -> None:
        for what in self._tasks.keys() - due:
            display.remove_task(self._tasks.pop(what))
        for what in due:
            done, total = self._counts[what]
            if what not in self._tasks:
                self._tasks[what] = display.add_task(what, total=total)
            display.update(self._tasks[what], completed=done, total=total)
        display.refresh()

    def _hide(self) -> None:
        if self._display is not None:
            self._display.stop()
        self._display, self._tasks = None, {}


@contextmanager
def with_bars() -> Iterator[None]:
    """Draw bars for whatever is counted in the block, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    bars = Bars(_display)

    def watch(what: str, done: int, total: int) -> None:
        if not current_delivery().is_silent:
            bars.update(what, done, total)

    try:
        with watched_by(watch):
            yield
    finally:
        bars.close()


def _display() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
