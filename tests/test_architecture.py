"""The layout is the diagram: a room imports only what comes before it."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.each import over

import poolwise

SOURCE = Path(poolwise.__file__).parent
LAYERS = (
    *("_renamed", "_lazy", "version", "errors", "arrays", "words", "native_loading"),
    *("provenance", "results", "collection", "evidence", "measures", "scores"),
    *("findings", "judging", "studies", "store", "workflows", "views", "server", "cli"),
)
"""The rooms in the order in which they may import each other.

The last two are doors: one for each command, one for each page.
"""
ROOMS = LAYERS[7:]
MODULES = sorted(p for room in ROOMS for p in (SOURCE / room).rglob("*.py"))
VAGUE = {"util.py", "utils.py", "common.py", "helpers.py", "base.py", "misc.py"}
READERS = {"poolwise.collection.files._readers"}
"""What goes from files to runs and judgments."""


def room_of(path: Path) -> str:
    """Return the room that a module is in."""
    return path.relative_to(SOURCE).parts[0]


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules of poolwise that a module imports when it runs, at any level."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    for_types = {
        id(node)
        for block in nodes
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    return frozenset(_imported(node for node in nodes if id(node) not in for_types))


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poolwise"):
            whole = node.module == "poolwise"
            yield from (f"poolwise.{a.name}" if whole else str(node.module) for a in node.names)
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("poolwise"))


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms that a module imports from."""
    return {name.split(".")[1] for name in imports(path) if "." in name}


@pytest.mark.parametrize("room", ROOMS)
def test_a_module_imports_only_earlier_rooms(room: str) -> None:
    """A module imports from its own room or an earlier one, never through the front door."""
    earlier = {*LAYERS[: LAYERS.index(room) + 1]}
    modules = [path for path in MODULES if room_of(path) == room]
    assert modules
    assert [path for path in modules if not imported_rooms(path) <= earlier] == []
    assert [path for path in modules if "poolwise" in imports(path)] == []


def test_views_only_draw() -> None:
    """Views know findings, scores and studies; they neither score, align, test nor read."""
    drawn = {*LAYERS[:7], "provenance", "results", "scores", "findings", "studies", "views"}
    for path in (SOURCE / "views").rglob("*.py"):
        assert imported_rooms(path) <= drawn, path


def test_commands_call_workflows_and_views() -> None:
    """A command parses, calls a workflow, and prints; types apart, it knows no other room."""
    allowed = {"cli", "version", "errors", "words", "provenance", "results", "workflows", "views"}
    allowed |= {"server"}  # which one command starts: see below
    allowed |= {"native_loading"}  # the program says how native libraries end with it
    for path in (SOURCE / "cli").rglob("*.py"):
        # The table of studies has no numbers: it says which commands there are.
        others = {name for name in imports(path) if name != "poolwise.studies._table"}
        assert {name.split(".")[1] for name in others if "." in name} <= allowed, path


def test_pages_call_workflows_and_views() -> None:
    """A page of the judging room does as a command does; and one command starts the server."""
    allowed = {
        "server",
        "version",
        "errors",
        "words",
        "provenance",
        "results",
        "workflows",
        "views",
    }
    for path in (SOURCE / "server").rglob("*.py"):
        assert imported_rooms(path) <= allowed | {"_lazy"}, path
    starters = {
        path.name for path in (SOURCE / "cli").rglob("*.py") if "server" in imported_rooms(path)
    }
    assert starters <= {"campaign.py", "campaign_serve.py"}


def test_only_workflows_go_from_files_to_findings() -> None:
    """Runs and judgments are read in workflows alone; other rooms take them as they are."""
    readers = {room_of(p) for p in MODULES if READERS & imports(p)}
    assert readers <= {"collection", "workflows"}


def test_only_workflows_open_the_store() -> None:
    """What lasts is read and written in workflows alone; other rooms take what these found."""
    openers = {room_of(p) for p in MODULES if "store" in imported_rooms(p)}
    assert openers <= {"store", "workflows"}


def test_no_file_has_a_name_that_says_nothing() -> None:
    """Every file is named by the question it answers."""
    assert not [p for p in SOURCE.rglob("*.py") if p.name in VAGUE]


@over("room", ["", *ROOMS[:-2]])
def test_every_public_name_resolves_to_something_documented(room: str) -> None:
    """What a room offers is there, says what it is, and is not the module it lives in."""
    package = poolwise if not room else getattr(poolwise, room)
    for name in package.__all__:
        value = getattr(package, name)
        assert value is not None
        if callable(value):
            assert value.__doc__, name


def test_the_front_door_is_narrow() -> None:
    """Beside the measures, the front door has about eighty names."""
    measures = [n for n in poolwise.__all__ if isinstance(getattr(poolwise, n), poolwise.Measure)]
    assert len(measures) == len(poolwise.measures.CATALOGUE)
    assert 50 <= len(poolwise.__all__) - len(measures) <= 85


@over("room", ROOMS[:-2])
def test_a_door_leads_to_what_it_names(room: str) -> None:
    """`pw.studies.leave_out` is the function, whatever was imported before.

    A module that is called as what it holds would take its place, so it begins with an underscore.
    """
    package = getattr(poolwise, room)
    files = {p.stem for p in (SOURCE / room).rglob("*.py")} | {
        p.name for p in (SOURCE / room).iterdir() if p.is_dir()
    }
    assert not files & {n for n in package.__all__ if n not in ROOMS}


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules loaded after a statement runs in a new interpreter."""
    code = f"import sys; {statement}; print(*{{m.split('.')[0] for m in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 -- our own interpreter
    return set(ran.stdout.split())


def test_importing_poolwise_loads_nothing_heavy() -> None:
    """`import poolwise` costs neither scipy nor pandas nor click."""
    assert not modules_after("import poolwise") & {"numpy", "scipy", "pandas", "click", "rich"}


def test_help_loads_no_numbers() -> None:
    """`poolwise --help` imports neither numpy nor scipy."""
    ask = "from poolwise.cli.main import main; main(['--help'], standalone_mode=False)"
    assert not modules_after(ask) & {"numpy", "scipy", "pandas", "rich"}


def test_files_are_hashed_before_numbers_load() -> None:
    """What begins to hash the runs of a command waits neither for numpy nor for scipy."""
    ask = "from poolwise import workflows as w; import poolwise.provenance._hashing; w.stored_files"
    assert not modules_after(ask) & {"numpy", "scipy", "pandas"}
