"""The repetitions of a study, on one worker, several, or a cluster, with the same numbers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import joblib
import numpy as np

from poolwise.errors import OptionError

__all__ = ["Progress", "run_tasks", "spawn_seeds"]

Progress = Callable[[int, int], None]
Result = TypeVar("Result")


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
    if workers == 0:
        raise OptionError("workers: must not be 0. Hint: use 1, or -1 for all cores.")
    calls = (joblib.delayed(function)(*task) for task in tasks)
    results = []
    for result in joblib.Parallel(n_jobs=workers, return_as="generator")(calls):
        results.append(result)
        if progress:
            progress(len(results), len(tasks))
    return results


def spawn_seeds(rng: int | np.random.Generator, count: int) -> list[int]:
    """Return one seed per task, so that a task's draws do not depend on who ran before it.

    Examples
    --------
    >>> first, second = spawn_seeds(1, 2)
    >>> first == second, [first, second] == spawn_seeds(1, 2)
    (False, True)
    """
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**63))
    spawned = np.random.SeedSequence(rng).spawn(count)
    return [int(seed.generate_state(1, np.uint64)[0]) for seed in spawned]
