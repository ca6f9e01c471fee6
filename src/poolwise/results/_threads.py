"""Work on large arrays, which leaves Python's lock to others, on as many threads as processors."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, copy_context
from typing import TypeVar

from poolwise.results._progress import progress_to

__all__ = ["in_threads"]

Job = TypeVar("Job")
Made = TypeVar("Made")

_THREADS = 4
"""Threads at most: what each works on is in memory at once."""
_IS_ONE = ContextVar("is_one", default=False)


def in_threads(
    work: Callable[[Job], Made], jobs: Iterable[Job], *, ahead: int = 2
) -> Iterator[Made]:
    """Return what is made of each job, in their order; jobs may be made while others are worked on.

    A thread has no threads of its own, and tells nobody how far it is. As many jobs for each thread
    as ``ahead`` are in memory at once: begun before their results are asked for.

    Examples
    --------
    >>> list(in_threads(lambda size: sum(range(size)), [2, 3, 4]))
    [1, 3, 6]
    """
    count = min(_THREADS, os.cpu_count() or 1)
    if count == 1 or _IS_ONE.get():
        yield from map(work, jobs)
        return
    from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    def quietly(job: Job) -> Made:
        _IS_ONE.set(True)
        with progress_to(None):
            return work(job)

    begun: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(count) as threads:
        for job in jobs:
            # In the context of the caller: what is asked of other functions is not recorded anew.
            begun.append(threads.submit(copy_context().run, quietly, job))
            if len(begun) >= ahead * count:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
