"""What every command has in common when it prints: tables for people, and help in one form."""

from collections.abc import Callable

import click
import pytest
from click.testing import Result
from tests.cli.writers import PRINTING

from poolwise.cli.main import main
from poolwise.scores.score_table import ScoreTable

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
