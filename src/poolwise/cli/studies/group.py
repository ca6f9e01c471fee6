"""``poolwise study``: evaluation repeated under changed conditions, one subcommand per question."""

import click

from poolwise.cli.parameters.described import ShortHelp
from poolwise.cli.studies.comparability import comparability
from poolwise.cli.studies.curves import curves, weights
from poolwise.cli.studies.depth import depth, growth, movement, undiscovered
from poolwise.cli.studies.discrimination import discrimination
from poolwise.cli.studies.distribution import distribution, intensity, references, topics
from poolwise.cli.studies.draws import draws
from poolwise.cli.studies.iterating import inclusion, peeking
from poolwise.cli.studies.judging_order import judging_order
from poolwise.cli.studies.leave_out import leave_out
from poolwise.cli.studies.orders import orders
from poolwise.cli.studies.persistence import persistence, uncertainty
from poolwise.cli.studies.pooling_bias import pooling_bias
from poolwise.cli.studies.predictivity import predictivity, swaps, variants
from poolwise.cli.studies.rankings import agreement, degradation, time

__all__ = ["study"]


class _Studies(ShortHelp, click.Group):
    """The studies, by name."""


@click.group(cls=_Studies, short_help="Repeat an evaluation under changed conditions.")
def study() -> None:
    """Repeat an evaluation under changed conditions, and say what changes with them."""


for command in (
    agreement,
    comparability,
    curves,
    degradation,
    depth,
    discrimination,
    distribution,
    draws,
    growth,
    inclusion,
    intensity,
    judging_order,
    leave_out,
    movement,
    orders,
    peeking,
    persistence,
    pooling_bias,
    predictivity,
    references,
    swaps,
    time,
    topics,
    uncertainty,
    undiscovered,
    variants,
    weights,
):
    study.add_command(command)
