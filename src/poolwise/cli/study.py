"""``poolwise study``: evaluation repeated under changed conditions, one subcommand per question."""

import click

__all__ = ["study"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def study() -> None:
    """Repeat an evaluation under changed conditions, and say what changes with them."""
