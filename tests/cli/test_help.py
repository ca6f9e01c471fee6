"""Help fits on one screen, begins with examples, and every example runs."""

import re
import shutil
from pathlib import Path
from unittest.mock import Mock

import click
import pytest
from tests.cli.every_command import COLUMNS, COMMANDS, invoke
from tests.each import over

from poolwise.cli._help import LINES
from poolwise.cli._parameter_types import DescribedCommand
from poolwise.server import _serving

ANSWERS = {"gate": {0, 1, 2}}
"""The exit codes that are answers; all other commands end with 0."""


@over("path", COMMANDS)
def test_help_is_one_screen_that_begins_with_examples(path: str) -> None:
    """No help is longer than a screen or without an example, and examples are not broken."""
    text = invoke(f"{path} --help").output
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert "Examples:" in lines[:9]
    typed = [line for line in lines if line.startswith(f"  poolwise {path}".rstrip())]
    assert typed
    assert max(map(len, lines)) <= COLUMNS


def test_options_of_their_own_have_examples() -> None:
    """What people ask for by an option of few commands stands in a help."""
    typed = [words for path in ("evaluate", "compare") for words in COMMANDS[path].examples(path)]
    for option in ("--by", "--beside", "--ceiling", "--cluster", "--empty", "--html"):
        assert any(option in words.split() for words in typed), option
    for path in ("ledger rank", "ledger compare", "card make", "campaign init", "journal start"):
        assert len(COMMANDS[path].examples(path)) >= 3, path


@over("path", [p for p, c in COMMANDS.items() if isinstance(c, DescribedCommand)])
def test_the_whole_help_has_every_option(path: str) -> None:
    """What the screen has no room for is named there, and described by ``--help-all``."""
    screen, whole = invoke(f"{path} --help").output, invoke(f"{path} --help-all").output
    for parameter in COMMANDS[path].params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            name = max(parameter.opts, key=len)
            assert name in screen
            assert re.search(rf"^  (\S+, )*{name}\b", whole, re.MULTILINE), name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("evaluate qrels.txt runs --json", "--format json"),
        ("evaluate qrels.txt runs -q", "--per-topic"),
        ("evaluate qrels.txt runs --condensed", "--treatment condensed"),
        ("compare qrels.txt runs --metrics AP", "--measure"),
    ],
)
def test_options_of_other_programs_are_known(typed: str, meant: str) -> None:
    """Who types what another program calls it reads what it is called here, and can type that."""
    result = invoke(typed)
    assert result.exit_code
    assert f"Did you mean '{meant}'?" in result.output
    assert meant.split(maxsplit=1)[0] in invoke(f"{typed.split(maxsplit=1)[0]} --help-all").output


def test_what_is_asked_for_most_comes_first() -> None:
    """The measure is the first option of commands that score, and reading files comes last."""
    for path in ("evaluate", "estimate", "compare", "table", "report"):
        options = invoke(f"{path} --help").output.split("Options:", 1)[1]
        assert options.split()[0] == "-m,"
        assert options.index("--output") < options.index("--ties")


@pytest.mark.parametrize("path", COMMANDS)
def test_every_example_runs(
    path: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a help says people type can be typed, beside the demo's files."""
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    # A server runs until somebody ends it: here it ends at once (tests/cli/test_campaign_serve.py).
    monkeypatch.setattr(_serving, "uvicorn_server", lambda _app: Mock())
    for words in COMMANDS[path].examples(path):
        result = invoke(words)
        assert result.exit_code in ANSWERS.get(path, {0}), (words, result.output)


@pytest.mark.parametrize("path", COMMANDS)
def test_by_is_headed_by_labels_only_where_labels_are_taken(path: str) -> None:
    """--by is a column of slices, or a person, where a command has no --labels."""
    text = invoke(f"{path} --help-all").output
    _, _, below = text.partition("Labels by machines:")
    assert "--labels" in below or "--by" not in below
