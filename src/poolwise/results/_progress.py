"""How far a long job is, for whoever listens.

Progress changes no number, so it is not handed from function to function: what takes long reports
how far it is, and somebody may listen, or nobody.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

__all__ = [
    "ProgressListener",
    "counting",
    "has_listener",
    "progress_reporter",
    "progress_to",
    "report_progress",
]

ProgressListener = Callable[[str, int, int], None]
"""Called with what is counted, how many are done, and how many there are."""

Item = TypeVar("Item")

_LISTENER: ContextVar[ProgressListener | None] = ContextVar("poolwise.listener", default=None)


@contextmanager
def progress_to(listener: ProgressListener | None) -> Iterator[None]:
    """Let a function know how far whatever runs inside of the block is.

    Parameters
    ----------
    listener
        Called with what is counted, such as ``"files read"``, the number that is done, and the
        number of all. Several things may be counted at the same time, one inside of another.
        None where nobody is to know.

    Examples
    --------
    >>> with progress_to(print):
    ...     total = sum(counting([5, 7], "numbers added"))
    numbers added 0 2
    numbers added 1 2
    numbers added 2 2
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def has_listener() -> bool:
    """Tell whether anybody listens."""
    return _LISTENER.get() is not None


def report_progress(what: str, done: int, total: int) -> None:
    """Tell whoever listens how many are done."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(what, done, total)


def progress_reporter(
    progress: Callable[[int, int], None] | None, what: str
) -> Callable[[int, int], None]:
    """Return the function that a caller wants to be called, or one that tells whoever listens."""
    return progress or partial(report_progress, what)


def counting(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Go through items, and tell whoever listens how many are done.

    ``total`` is needed where the items have no length. Whoever goes no further is done, too.
    """
    count = len(items) if total is None else total  # type: ignore[arg-type] # the caller's promise
    try:
        for done, item in enumerate(items):
            report_progress(what, done, count)
            yield item
    # Whoever stops early is done as well: no bar is left behind.
    finally:
        report_progress(what, count, count)
