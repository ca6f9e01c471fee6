"""``poolwise diversity``: scores by what runs tell about the subtopics of each topic."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    measures_option,
    plot_option,
    runs_argument,
    scores_options,
    ties_option,
)
from poolwise.cli._output import draw, show_scores
from poolwise.cli._parameter_types import DIVERSITY_MEASURES, argument, command

__all__ = ["diversity"]

_DEFAULT = ("alpha_nDCG@10", "ERR_IA@20", "StRecall@10")


@command()
@argument(
    "qrels",
    type=click.Path(),
    help_text="Judgments by subtopic, in a file, plain or compressed: topic, "
    "subtopic, document and grade on each line, as in TREC's diversity tasks.",
)
@runs_argument()
@measures_option(
    "Score by this measure of diversity, such as alpha_nDCG@10.", _DEFAULT, kind=DIVERSITY_MEASURES
)
@ties_option
@scores_options
@plot_option
@format_option
def diversity(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    details: bool,
    explain: bool,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS by how well they cover the subtopics in QRELS.

    Each run gets a row with its mean by each measure; with one measure, or --details, it has the
    95% confidence interval of the mean over topics. There is no range over unjudged documents.
    """
    from poolwise import workflows

    reading = workflows.Reading(**options)
    evaluation = workflows.diversity(qrels, runs, measures, reading=reading)
    show_scores(evaluation, form, per_topic=per_topic, details=details, explain=explain)
    draw(evaluation.scores[0], plot)
