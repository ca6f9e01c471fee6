"""``poolwise study``: evaluation repeated under changed conditions, one subcommand per question."""

import click

from poolwise.cli._parameter_types import ShortHelp
from poolwise.cli._program import write_questions
from poolwise.cli.judging.pool_studies import gains, verdict, votes
from poolwise.cli.studies.comparability import comparability
from poolwise.cli.studies.curves import curves, weights
from poolwise.cli.studies.depth import depth, growth, movement, undiscovered
from poolwise.cli.studies.discrimination import discrimination
from poolwise.cli.studies.distribution import distribution, intensity, references, topics
from poolwise.cli.studies.draws import draws
from poolwise.cli.studies.estimates.gain_models import convergence, gain_models
from poolwise.cli.studies.estimates.unjudged_topics import unjudged
from poolwise.cli.studies.iterating import inclusion, peeking
from poolwise.cli.studies.judging_order import judging_order
from poolwise.cli.studies.leave_out import leave_out
from poolwise.cli.studies.orders import orders
from poolwise.cli.studies.persistence import persistence, uncertainty
from poolwise.cli.studies.pooling_bias import pooling_bias
from poolwise.cli.studies.predictivity import predictivity, swaps, variants
from poolwise.cli.studies.rankings import agreement, degradation, time
from poolwise.cli.studies.variance import anova, dispersion, variance

__all__ = ["study"]

QUESTIONS: dict[str, tuple[str, ...]] = {
    "How deep to judge?": (
        *("depth", "movement", "growth", "undiscovered", "votes"),
        *("gains", "gain-models", "convergence"),
    ),
    "What do missing judgments change?": (
        *("leave-out", "pooling-bias", "uncertainty", "unjudged"),
        *("judging-order", "draws", "verdict"),
    ),
    "Which measure?": (
        *("orders", "discrimination", "predictivity", "persistence", "weights", "curves"),
    ),
    "Which topics, and how many?": (
        *("swaps", "variants", "comparability", "references", "inclusion", "peeking", "topics"),
    ),
    "What do scores vary by?": ("variance", "anova", "dispersion", "distribution", "intensity"),
    "How alike are rankings?": ("agreement", "time", "degradation"),
}
"""The studies, by what somebody asks."""


class _ByQuestion(ShortHelp, click.Group):
    """A group whose help lists the studies under the questions they answer."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per question, and one for what no question names."""
        del ctx
        asked = {name for names in QUESTIONS.values() for name in names}
        others = tuple(name for name in self.commands if name not in asked)
        write_questions(
            formatter, QUESTIONS | ({"Others": others} if others else {}), self.commands
        )


@click.group(cls=_ByQuestion, short_help="Repeat an evaluation under changed conditions.")
def study() -> None:
    """Repeat an evaluation under changed conditions, and say what changes with them."""


for command in (
    agreement,
    anova,
    comparability,
    convergence,
    curves,
    degradation,
    depth,
    discrimination,
    dispersion,
    distribution,
    draws,
    gain_models,
    gains,
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
    variance,
    verdict,
    votes,
    undiscovered,
    variants,
    unjudged,
    weights,
):
    study.add_command(command)
