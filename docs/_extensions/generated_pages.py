"""Pages that are made from the code when the site is built: measures, and Python by room.

They are written below ``docs/reference/generated``, which is not kept.
"""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import poolwise
from poolwise.measures._catalogue import CATALOGUE
from poolwise.measures._diversity import DIVERSITY
from poolwise.measures._explanation import Explanation, explain

__all__ = ["setup"]

ROOMS = {
    "collection": "Runs, judgments, pools: what is read.",
    "evidence": "What is known of each document that a run retrieved.",
    "measures": "Measures, their names and their bounds.",
    "scores": "Tables of scores: treatments, standardization, adjustment.",
    "findings": "What follows from scores: comparisons, agreement, planning, similarity.",
    "judging": "What to judge next.",
    "studies": "What happens to a collection when it is cut, thinned or left out of.",
    "workflows": "From files to findings: what the commands call.",
    "views": "Figures and the report page.",
    "results": "How findings show themselves: columns, tables, files.",
    "provenance": "Where a number came from, and what to cite.",
}


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx reads its sources."""
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True}


def _write_pages(app: Any) -> None:
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    pages = {"measures": _measures(), "front-door": _front_door()}
    pages |= {f"python-{room}": _room(room, words) for room, words in ROOMS.items()}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # A page that is as it was keeps its time, so that Sphinx need not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _measures() -> str:
    """Return a page with every measure of the catalogue, from its own class."""
    found = [explain(entry.examples[0]) for entry in (*CATALOGUE, *DIVERSITY)]
    head = "# Measures\n\nWhat `poolwise explain NAME` says, of every measure there is.\n"
    return "\n".join([head, *map(_measure, found)])


def _measure(found: Explanation) -> str:
    parts = [f"## {_plain(str(found.measure))}", "", found.meaning, ""]
    for part, lines in found.parts.items():
        parts += [part, *(f": {_plain(line)}" for line in lines), ""]
    return "\n".join(parts)


def _plain(line: str) -> str:
    """Return a line whose signs mean nothing to Markdown."""
    for sign in "\\*_`$<>[]{}":
        line = line.replace(sign, f"\\{sign}")
    return line


def _front_door() -> str:
    """Return a page that lists the names of ``import poolwise as pw``, each with its summary."""
    rows = [
        f"| {{py:obj}}`pw.{name} <{_home(value)}>` | {_summary(value)} |"
        for name in poolwise.__all__
        if not isinstance(value := getattr(poolwise, name), ModuleType)
    ]
    head = ["# The front door", "", "The names of `import poolwise as pw`.", ""]
    return "\n".join([*head, "| name | what it is |", "|---|---|", *rows, ""])


def _room(room: str, words: str) -> str:
    """Return a page with every public name of a room."""
    module = getattr(poolwise, room)
    values = {name: getattr(module, name) for name in sorted(module.__all__)}
    blocks = [
        _documented(f"poolwise.{room}", name, value)
        for name, value in values.items()
        if not isinstance(value, ModuleType)
    ]
    return "\n".join([f"# {room}", "", words, "", *blocks])


def _documented(room: str, name: str, value: object) -> str:
    """Return the directive that takes a class or a function from its docstring."""
    if inspect.isclass(value):
        directive = "autoexception" if issubclass(value, Exception) else "autoclass"
    elif inspect.isroutine(value):
        directive = "autofunction"
    else:
        return _constant(name, value)
    return f"```{{eval-rst}}\n.. {directive}:: {room}.{name}\n```\n"


def _constant(name: str, value: object) -> str:
    """Return what a constant holds: the choices of an option, or a list of names."""
    items = value if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    rows = [
        f"- `{item}`: {_words(value[item])}" if isinstance(value, Mapping) else f"- `{item}`"
        for item in items
    ]
    return "\n".join([f"**{name}** holds:", "", *rows, ""])


def _words(value: object) -> str:
    """Return what a choice is: its words, or the first line of its docstring."""
    return _plain(value if isinstance(value, str) else _summary(value))


def _home(value: object) -> str:
    return f"{getattr(value, '__module__', 'poolwise')}.{getattr(value, '__qualname__', '')}"


def _summary(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]
