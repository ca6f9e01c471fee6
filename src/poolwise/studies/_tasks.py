"""The repetitions of a study, on one worker, several, or a cluster, with the same numbers."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from multiprocessing import current_process
from threading import Thread
from time import sleep
from typing import Any, TypeVar

import joblib
import numpy as np

from poolwise.arrays import generator
from poolwise.errors import ResourceError, require_workers
from poolwise.results._progress import progress_reporter

__all__ = ["Progress", "run_tasks", "spawn_seeds"]

Progress = Callable[[int, int], None]
Result = TypeVar("Result")

_WATCH = 0.2
"""Seconds after which a worker whose parent was killed may still be there."""


def run_tasks(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    *,
    workers: int | None,
    progress: Progress | None,
) -> list[Result]:
    """Call the function with the arguments of each task, and return the results in their order.

    ``workers=None`` leaves the choice to :func:`joblib.parallel_config`, which can also name a
    Dask, Ray or Spark cluster; without it, one worker does all.

    Examples
    --------
    >>> run_tasks(pow, [(2, 3), (3, 2)], workers=1, progress=None)
    [8, 9]
    """
    require_workers(workers)
    calls = (joblib.delayed(_work)(os.getpid(), function, task) for task in tasks)
    results, report = [], progress_reporter(progress, "tasks done")
    try:
        # A generator, so that progress is told as results come, in the order of tasks.
        with _watching_workers():
            done = joblib.Parallel(n_jobs=workers, return_as="generator")(calls)
        for result in done:
            results.append(result)
            report(len(results), len(tasks))
    except BrokenProcessPool as error:
        raise ResourceError(
            "a worker ended before its work was done, perhaps since memory ran out. Hint: use "
            "fewer workers, or one (workers=1, --workers 1)."
        ) from error
    return results


def _work(parent: int, function: Callable[..., Result], task: tuple[Any, ...]) -> Result:
    """Do one task; a process that was started for it ends with the one that started it."""
    # With one worker, tasks run in the process that asked, which has a parent of its own; those of
    # a cluster have other parents altogether.
    if os.getpid() != parent and (os.getppid() == parent or _is_of_loky()):
        _end_with(parent)
    return function(*task)


def _is_of_loky() -> bool:
    """Say whether this is a process that joblib started on this machine."""
    return type(current_process()).__name__.startswith("Loky")


def _watching_workers() -> AbstractContextManager[object]:
    """Let workers watch their parent from their first moment on, where joblib's own are used.

    A worker that has no task yet waits minutes for one, whoever has ended meanwhile.
    """
    backend, _ = joblib.parallel.get_active_backend()
    if isinstance(backend, joblib.parallel.LokyBackend):
        watch = {"initializer": _end_with, "initargs": (os.getpid(),)}
        return joblib.parallel_config(backend="loky", **watch)
    return nullcontext()


@cache
def _end_with(parent: int) -> None:
    """Watch the parent from a thread, once in a process."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_WATCH)
        # sys.exit would end this thread alone.
        os._exit(1)

    if os.getppid() != parent:  # it has ended already
        os._exit(1)
    Thread(target=watch, daemon=True).start()


def spawn_seeds(rng: int | np.random.Generator, count: int) -> list[int]:
    """Return one seed per task, so that a task's draws do not depend on who ran before it.

    Examples
    --------
    >>> first, second = spawn_seeds(1, 2)
    >>> first == second, [first, second] == spawn_seeds(1, 2)
    (False, True)
    """
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    generator(seed)  # says what is wrong with a seed
    spawned = np.random.SeedSequence(seed).spawn(count)
    return [int(seed.generate_state(1, np.uint64)[0]) for seed in spawned]
