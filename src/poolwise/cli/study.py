"""``poolwise study``: evaluation repeated under changed conditions, one subcommand per question."""

import click

from poolwise.cli.study_comparability import comparability
from poolwise.cli.study_discrimination import discrimination

__all__ = ["study"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def study() -> None:
    """Repeat an evaluation under changed conditions, and say what changes with them."""


for command in (comparability, discrimination):
    study.add_command(command)
