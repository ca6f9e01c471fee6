"""Docstrings in which parameters that mean the same everywhere have one text."""

import inspect
import textwrap
from collections.abc import Iterable
from functools import cache

from poolwise.provenance._parameters import OF_TYPES, PARAMETERS

__all__ = ["documented"]

_HEAD = "Parameters\n----------\n"


def documented(text: str, parameters: Iterable[inspect.Parameter]) -> str:
    """Return a docstring with a text for each parameter, in the order of the signature."""
    before, head, rest = text.partition(f"\n{_HEAD}")
    section, after = _section(rest) if head else ("", "")
    if not head:
        before, after = _before_sections(text)
    own, explained = _entries_of(section), _explained_beside_others(section)
    shared = {p.name: _shared_text(p) for p in parameters if p.name not in explained}
    texts = [
        own.pop(name) if name in own else f"{name}\n{_indented(text)}"
        for name, text in shared.items()
        if name in own or text
    ]
    texts += own.values()  # what the signature lists in another way, such as *sources
    listed = "\n".join(dict.fromkeys(texts))
    return f"{before.rstrip()}\n\n{_HEAD}{listed}\n\n{after}".rstrip() if listed else text


def _shared_text(parameter: inspect.Parameter) -> str:
    """Return what a parameter of this type, or else of this name, is everywhere; or nothing."""
    of_type = OF_TYPES.get(getattr(parameter.annotation, "__name__", ""))
    return of_type or PARAMETERS.get(parameter.name, "")


def _section(rest: str) -> tuple[str, str]:
    """Part the section of parameters from what follows it."""
    lines = rest.split("\n")
    for i in range(1, len(lines)):
        if lines[i] and set(lines[i]) == {"-"}:
            return "\n".join(lines[: i - 1]).rstrip(), "\n".join(lines[i - 1 :])
    return rest.rstrip(), ""


def _before_sections(text: str) -> tuple[str, str]:
    """Part a docstring without a section of parameters before its first section."""
    lines = text.split("\n")
    for i in range(1, len(lines)):
        if lines[i] and set(lines[i]) == {"-"}:
            return "\n".join(lines[: i - 1]), "\n".join(lines[i - 1 :])
    return text, ""


def _entries_of(section: str) -> dict[str, str]:
    """Return the entries of a section by the first name that each explains."""
    entries: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        if line[:1].strip():
            name = _names(line)[0]
            entries[name] = line
        elif name:
            entries[name] += f"\n{line}"
    return {name: entry.rstrip() for name, entry in entries.items()}


def _names(line: str) -> list[str]:
    return [name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")]


def _explained_beside_others(section: str) -> set[str]:
    """Return the names that entries for several parameters have after their first."""
    margin = [line for line in section.split("\n") if line[:1].strip()]
    return {name for line in margin for name in _names(line)[1:]}


@cache  # the same few texts stand below many functions, and to wrap one takes long
def _indented(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")
