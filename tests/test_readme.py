"""What the README shows is what happens."""

import doctest
import re
from pathlib import Path

from click.testing import CliRunner

from poolwise.cli.main import main

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_python_session_runs() -> None:
    """The Python of the README prints what the README says."""
    assert doctest.testfile(str(README), module_relative=False).failed == 0


def test_every_command_exists() -> None:
    """Each `$ poolwise WORD` of the README is a subcommand."""
    shown = set(re.findall(r"^\$ poolwise (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    assert shown <= set(main.commands)


def test_the_first_commands_do_everything() -> None:
    """The demo and the tests come first, as targets of make; pip has an environment of its own."""
    commands = re.findall(r"^\$ (.*?)(?: +#.*)?$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    assert {"demo", "test"} <= set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    venv, activate, pip = commands[2:5]
    folder = venv.removeprefix("python3 -m venv ")
    assert activate == f". {folder}/bin/activate"
    assert pip.startswith("pip install '.")


def test_the_leaderboard_is_that_of_the_demo(tmp_path: Path) -> None:
    """The rows that the README shows are the demo's, number for number."""
    shown = CliRunner().invoke(main, ["demo", "--output", str(tmp_path)]).stdout
    rows = re.findall(r"^\w+-\d +0\.\d{4} .*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    printed = {tuple(line.split()[:9]) for line in shown.splitlines()}
    assert len(rows) >= 4
    assert {tuple(row.split()[:9]) for row in rows} <= printed
