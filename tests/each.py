"""One truth of many cases in one test, which names every case that breaks it.

For cases that are cheap: a case of its own costs more than it takes.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

__all__ = ["over"]

Test = Callable[..., None]


def over(
    names: str, cases: Iterable[Any], *, ids: Iterable[str] | Callable[[Any], str] = str
) -> Callable[[Test], Test]:
    """Do what ``pytest.mark.parametrize`` does, in one test; each case has a folder of its own.

    Examples
    --------
    >>> @over("number", [2, 3, 4, 5])
    ... def is_even(number: int) -> None:
    ...     assert number % 2 == 0
    >>> is_even()
    Traceback (most recent call last):
        ...
    AssertionError: 2 of 4 cases:
    3: AssertionError()
    5: AssertionError()
    """
    asked = [name.strip() for name in names.split(",")]
    every = list(cases)
    labels = map(ids, every) if callable(ids) else ids
    values = every if len(asked) > 1 else [(case,) for case in every]
    labelled = list(zip(labels, values, strict=True))
    if not labelled:
        raise ValueError(f"{names}: there are no cases")

    def of_all(test: Test) -> Test:
        signature = inspect.signature(test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            broken: dict[str, BaseException] = {}
            skipped: list[BaseException] = []
            for i, (label, case) in enumerate(labelled):
                try:
                    test(**dict(zip(asked, case, strict=True)), **_of_one(fixtures, i))
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- of any kind
                    broken[f"{i}: {label}" if label in broken else label] = error
            if broken:
                told = "\n".join(f"{label}: {error!r}" for label, error in broken.items())
                head = f"{len(broken)} of {len(labelled)} cases:"
                raise AssertionError(f"{head}\n{told}") from next(iter(broken.values()))
            for reason in skipped:  # now that the others were tried
                raise reason

        # What pytest asks for is what is left: fixtures.
        left = [part for name, part in signature.parameters.items() if name not in asked]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return of_all


def _of_one(fixtures: dict[str, Any], i: int) -> dict[str, Any]:
    """Return the fixtures of one case: an empty folder in place of the one that all would share."""
    folder = fixtures.get("tmp_path")
    if not isinstance(folder, Path):
        return fixtures
    own = folder / str(i)
    own.mkdir()
    return fixtures | {"tmp_path": own}
