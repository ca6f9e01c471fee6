"""Pages that are made from the code when the site is built: measures, studies, Python by room.

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
from poolwise.provenance import REFERENCES
from poolwise.studies._table import QUESTIONS, STUDIES, Study

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

_BY_KEY = {paper.key: paper for paper in REFERENCES}
_MANY = 3
"""From how many authors on a publication goes by the first."""


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx reads its sources."""
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True}


def _write_pages(app: Any) -> None:
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    pages = {"measures": _measures(), "studies": _studies(), "front-door": _front_door()}
    pages |= {f"python-{room}": _room(room, words) for room, words in ROOMS.items()}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # A page that is as it was keeps its time, so that Sphinx need not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _measures() -> str:
    """Return a page with every measure of the catalogue, from its own class."""
    explanations = [explain(entry.examples[0]) for entry in (*CATALOGUE, *DIVERSITY)]
    head = "# Measures\n\nWhat `poolwise explain NAME` says, of every measure there is.\n"
    return "\n".join([head, *map(_measure, explanations)])


def _measure(explanation: Explanation) -> str:
    parts = [f"## {_plain(str(explanation.measure))}", "", explanation.meaning, ""]
    for part, lines in explanation.parts.items():
        parts += [part, *(f": {_plain(line)}" for line in lines), ""]
    return "\n".join(parts)


def _plain(line: str) -> str:
    """Return a line whose signs mean nothing to Markdown."""
    for sign in "\\*_`$<>[]{}":
        line = line.replace(sign, f"\\{sign}")
    return line


def _studies() -> str:
    """Return a page with every study under the question that it answers."""
    head = [
        "# Studies",
        "",
        "A study repeats an evaluation under changed conditions. In Python it is a function;",
        "`poolwise study NAME --help` lists its options.",
        "",
    ]
    parts = [_question(question) for question in QUESTIONS]
    return "\n".join([*head, *parts, _costs(), "## Papers", "", *_papers(), ""])


def _costs() -> str:
    """Return what studies cost, as it was measured: the page of the benchmark, a level lower."""
    page = Path(__file__).resolve().parents[2] / "bench" / "STUDIES.md"
    return f"#{page.read_text(encoding='utf-8')}"


def _question(question: str) -> str:
    rows = [_study(study) for study in STUDIES if study.question == question]
    head = [
        f"## {question}",
        "",
        "| command | what it does | in Python | after |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, "|---|---|---|---|", *rows, ""])


def _study(study: Study) -> str:
    names = [study.function, *([study.instead.function] if study.instead else [])]
    functions = ", ".join(f"{{py:obj}}`pw.{name} <poolwise.{name}>`" for name in names)
    papers = "; ".join(_cited(key) for key in study.papers)
    drawn = " `--plot` draws it." if study.plots else ""
    return f"| `study {study.name}` | {study.summary}{drawn} | {functions} | {papers} |"


def _cited(key: str) -> str:
    """Return a publication in a few words: its letters in our texts, or who and when."""
    paper = _BY_KEY[key]
    families = [author.partition(",")[0].strip() for author in paper.authors.split(";")]
    names = " and ".join(families) if len(families) < _MANY else f"{families[0]} et al."
    return paper.short or f"{names} {paper.year}"


def _papers() -> list[str]:
    """Return the publications that studies follow, in the order in which they are met."""
    keys = dict.fromkeys(key for study in STUDIES for key in study.papers)
    return [f"- {_cited(key)}: {_plain(_BY_KEY[key].in_words())}" for key in keys]


def _front_door() -> str:
    """Return a page that lists the names of ``import poolwise as pw``, each with its summary."""
    rows = [
        f"| {_linked(name, value)} | {_summary(value)} |"
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
        _elsewhere(room, name, value) or _documented(f"poolwise.{room}", name, value)
        for name, value in values.items()
        if not isinstance(value, ModuleType)
    ]
    return "\n".join([f"# {room}", "", words, "", *blocks])


def _elsewhere(room: str, name: str, value: object) -> str:
    """Return where a class is documented, if that is the page of an earlier room."""
    home = _first_room(name, value, list(ROOMS)[: list(ROOMS).index(room)])
    if not home or not inspect.isclass(value):
        return ""
    return f"**{name}** is {{py:obj}}`poolwise.{home}.{name}`.\n"


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


def _linked(name: str, value: object) -> str:
    """Return a name of the front door, with a link to the room that documents it."""
    room = _first_room(name, value, ROOMS)
    is_documented = room and (inspect.isclass(value) or inspect.isroutine(value))
    return f"{{py:obj}}`pw.{name} <poolwise.{room}.{name}>`" if is_documented else f"`pw.{name}`"


def _first_room(name: str, value: object, rooms: Iterable[str]) -> str:
    """Return the first of some rooms whose door offers a value, or nothing."""
    offers = (room for room in rooms if getattr(getattr(poolwise, room), name, None) is value)
    return next(offers, "")


def _summary(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]
