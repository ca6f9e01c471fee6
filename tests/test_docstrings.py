"""Every public name says what it takes, what it gives, and shows it by an example that runs."""

import inspect
import re
from typing import Any

import poolwise

ROOMS = (
    *("collection", "evidence", "measures", "scores", "findings"),
    *("judging", "studies", "store", "workflows", "views", "provenance", "results"),
)
WITHOUT_ATTRIBUTES = {
    "poolwise.studies.JudgmentReduction": "a protocol of one method, whose fields are its makers'"
}
"""Classes that have nothing to list, and why."""


def is_documented(value: Any) -> bool:
    """Say whether a value has a docstring of its own: a function, or a class to work with.

    An exception is raised by others and carries a message, so that there is nothing to show.
    """
    if inspect.isclass(value):
        return not issubclass(value, BaseException)
    return inspect.isroutine(value)


def public_names() -> dict[str, Any]:
    """Return the functions and classes of the front door and the rooms, each of them once."""
    doors = [poolwise, *(getattr(poolwise, room) for room in ROOMS)]
    documented: dict[int, tuple[str, Any]] = {}
    for door in doors:
        for name in door.__all__:
            value = getattr(door, name)
            if is_documented(value):
                documented.setdefault(id(value), (f"{door.__name__}.{name}", value))
    return dict(documented.values())


PUBLIC = public_names()
NOTHING_TO_LIST = tuple(PUBLIC[name] for name in WITHOUT_ATTRIBUTES)


def has_section(text: str, *titles: str) -> bool:
    """Say whether a docstring has a section of one of these titles."""
    return any(f"\n{title}\n{'-' * len(title)}\n" in text for title in titles)


def missing_parts(value: Any) -> list[str]:
    """Return what the docstring of a function or class lacks."""
    text = inspect.cleandoc(value.__doc__ or "")
    missing = [] if has_section(text, "Examples") and ">>> " in text else ["Examples"]
    if inspect.isclass(value):
        described = has_section(text, "Attributes", "Parameters") or value in NOTHING_TO_LIST
        return missing if described else ["Attributes", *missing]
    signature = inspect.signature(value)
    if signature.parameters and not has_section(text, "Parameters"):
        missing.append("Parameters")
    returns = signature.return_annotation not in (None, "None")
    if returns and not has_section(text, "Returns", "Yields"):
        missing.append("Returns")
    return missing


def listed_parameters(text: str) -> set[str]:
    """Return the names that stand in the margin of the section of parameters."""
    _, _, rest = text.partition("\nParameters\n----------\n")
    section = re.split(r"\n\n\w+\n---", rest, maxsplit=1)[0]
    margin = [line.partition(" : ")[0] for line in section.splitlines() if line[:1].strip()]
    return {name.strip() for line in margin for name in line.split(",")}


FUNCTIONS = {name: value for name, value in PUBLIC.items() if not inspect.isclass(value)}


def lists_its_parameters(function: Any) -> bool:
    """Say whether a function explains the parameters that it has, and no others."""
    listed = listed_parameters(inspect.cleandoc(function.__doc__))
    return listed == set(inspect.signature(function).parameters)


def test_the_names_are_those_of_all_rooms() -> None:
    """No room, and no class or function of it, escapes the next test."""
    assert {name.split(".")[1] for name in PUBLIC if name.count(".") > 1} == set(ROOMS)
    assert {"poolwise.evaluate", "poolwise.Runs", "poolwise.studies.leave_out"} <= set(PUBLIC)


def test_a_public_name_is_documented() -> None:
    """It has Parameters or Attributes, Returns where it returns something, and an example."""
    missing = {name: missing_parts(value) for name, value in PUBLIC.items()}
    assert {name: parts for name, parts in missing.items() if parts} == {}


def test_the_parameters_listed_are_those_there_are() -> None:
    """Every parameter of a function is explained, and none that it does not have."""
    assert [n for n, function in FUNCTIONS.items() if not lists_its_parameters(function)] == []


def test_a_docstring_without_a_part_is_found() -> None:
    """The test above is not green for any docstring."""

    def bare(depth: int) -> int:
        """Return the depth.

        Parameters
        ----------
        depth
            How deep.
        """
        return depth

    assert missing_parts(bare) == ["Examples", "Returns"]
