"""``poolwise audit``: what is wrong or thin in these files."""

import click

__all__ = ["audit"]


@click.command()
def audit() -> None:
    """Say what is wrong or thin in QRELS and RUNS."""
