"""The layout is the diagram: folders import only what comes before them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import poolwise

SOURCE = Path(poolwise.__file__).parent
ROOMS = ("printout", "collection", "evidence", "measures", "scores", "findings", "studies", "views")
MODULES = sorted(p for room in ROOMS for p in (SOURCE / room).rglob("*.py"))
VAGUE = {"util.py", "utils.py", "common.py", "helpers.py", "base.py", "misc.py"}


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms of poolwise that a module imports, at any level."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        rooms |= {n.split(".")[1] for n in names if n.startswith("poolwise.")}
        assert "poolwise" not in names or "cli" in path.parts, f"{path}: the front door"
    return rooms


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_imports_only_earlier_rooms(path: Path) -> None:
    """A module imports from its own folder, an earlier one, or errors."""
    own = path.relative_to(SOURCE).parts[0]
    allowed = {*ROOMS[: ROOMS.index(own) + 1], "arrays", "errors"}
    assert imported_rooms(path) <= allowed


def test_the_command_uses_only_the_front_door() -> None:
    """A command imports the public names, the errors and its own folder."""
    for path in (SOURCE / "cli").rglob("*.py"):
        assert imported_rooms(path) <= {"cli", "errors"}, path


def test_no_file_has_a_name_that_says_nothing() -> None:
    """Every file is named by the question it answers."""
    assert not [p for p in SOURCE.rglob("*.py") if p.name in VAGUE]


def test_every_public_name_resolves() -> None:
    """What the front door lists is there."""
    for name in poolwise.__all__:
        assert getattr(poolwise, name) is not None


def test_public_names_are_documented() -> None:
    """Every public function and class says what it is."""
    callables = [getattr(poolwise, n) for n in poolwise.__all__]
    assert not [c for c in callables if callable(c) and not c.__doc__]


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
