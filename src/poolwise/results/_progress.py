"""How far a long job is, for whoever watches.

Progress changes no number, so it is not handed from function to function: what takes long tells how
far it is, and somebody may watch, or nobody.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

__all__ = ["Watcher", "counting", "is_watched", "tell", "teller", "watched_by"]

Watcher = Callable[[str, int, int], None]
"""Called with what is counted, how many are done, and how many there are."""

Item = TypeVar("Item")

_WATCHER: ContextVar[Watcher | None] = ContextVar("poolwise.watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let a function know how far whatever runs inside of the block is.

    Parameters
    ----------
    watcher
        Called with what is counted, such as ``"files read"``, the number that is done, and the
        number of all. Several things may be counted at the same time, one inside of another.

    Examples
    --------
    >>> with watched_by(print):
    ...     total = sum(counting([5, 7], "numbers added"))
    numbers added 0 2
    numbers added 1 2
    numbers added 2 2
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def is_watched() -> bool:
    """Tell whether anybody watches."""
    return _WATCHER.get() is not None


def tell(what: str, done: int, total: int) -> None:
    """Tell whoever watches how many are done."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(what, done, total)


def teller(progress: Callable[[int, int], None] | None, what: str) -> Callable[[int, int], None]:
    """Return the function that a caller wants to be called, or one that tells whoever watches."""
    return progress or partial(tell, what)


def counting(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Go through items, and tell whoever watches how many are done.

    ``total`` is needed where the items have no length. Whoever goes no further is done, too.
    """
    count = len(items) if total is None else total  # type: ignore[arg-type] # the caller's promise
    try:
        for done, item in enumerate(items):
            tell(what, done, count)
            yield item
    # Whoever stops early is done as well: no bar is left behind.
    finally:
        tell(what, count, count)
