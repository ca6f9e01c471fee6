"""What every command has in common when it prints: tables for people, notes, and help."""

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result
from tests.cli.writers import PRINTING, WRITERS, lay_beside

from poolwise.cli.main import main
from poolwise.scores._score_table import ScoreTable

Command = Callable[..., Result]
SCORING = ("evaluate", "standardize", "diversity")


def refuse(*_args: object, **_options: object) -> None:
    """Stand for work that nobody asked for."""
    raise AssertionError


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("name", SCORING)
def test_leaderboards_are_made_for_people_alone(
    run: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A pipe gets rows, and no table is made for it."""
    before = run(*PRINTING[name])
    monkeypatch.setattr(ScoreTable, "leaderboard", refuse)
    monkeypatch.setattr(ScoreTable, "sentences", refuse)
    again = run(*PRINTING[name])
    assert (again.exit_code, again.stdout) == (0, before.stdout)
    assert run(*PRINTING[name], "--format", "table").exit_code != 0


def test_short_help_does_not_depend_on_who_asked_first(run: Command) -> None:
    """A command takes -h, also after its help was made without the program around it."""
    for name, command in main.commands.items():
        command.get_help(click.Context(command))
        assert run(name, "-h").exit_code == 0, name


@pytest.mark.parametrize("name", sorted(WRITERS.keys() - {"demo", "trec_eval"}))
def test_a_quiet_command_prints_no_notes(collection: Path, run: Command, name: str) -> None:
    """Standard error is empty, and what goes elsewhere is the same."""
    lay_beside(collection)
    loud, quiet = run(*WRITERS[name].words), run(*WRITERS[name].words, "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert quiet.stdout == loud.stdout


@pytest.mark.usefixtures("collection")
def test_a_quiet_command_tells_errors(run: Command) -> None:
    """Who wants no notes still wants to know why there is no result."""
    result = run("evaluate", "qrels.txt", "nowhere.run", "--quiet")
    assert result.exit_code != 0
    assert result.stderr.startswith("Error: nowhere.run: the file must exist.")


@pytest.mark.usefixtures("collection")
def test_what_a_quiet_command_wrote_is_replayed(run: Command) -> None:
    """Notes are no part of the numbers."""
    assert run(*PRINTING["evaluate"], "--quiet", "-o", "out.json").exit_code == 0
    assert run("replay", "out.json").exit_code == 0
