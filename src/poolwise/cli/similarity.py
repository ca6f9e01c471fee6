"""``poolwise similarity``: how alike runs are, whatever is relevant."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option, reading, reading_options
from poolwise.cli.output import emit, noted, progress

if TYPE_CHECKING:
    from poolwise import Runs

__all__ = ["similarity"]


@click.command(short_help="Compare the rankings of RUNS by rank-biased overlap.")
@click.argument("runs", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--p",
    type=float,
    default=0.9,
    show_default=True,
    help="Persistence of RBO: at 0.9 the first ten ranks carry 86% of the weight.",
)
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="This topic; may repeat.")
@click.option("--per-topic", is_flag=True, help="One row per topic as well.")
@click.option("--depth", type=int, help="Compare the first ranks only.")
@click.option(
    "--tied",
    type=click.Choice(("broken", "w", "a", "b")),
    default="broken",
    show_default=True,
    help="What tied documents mean to RBO: their order, one rank (w), or an unknown order (a, b).",
)
@click.option(
    "--alike", type=float, default=0.95, show_default=True, help="RBO of near-duplicates."
)
@click.option(
    "--cluster", type=float, default=0.5, show_default=True, help="Mean RBO within a cluster."
)
@reading_options
@format_option
def similarity(
    runs: tuple[str, ...],
    *,
    p: float,
    topics: tuple[str, ...],
    per_topic: bool,
    depth: int | None,
    tied: str,
    alike: float,
    cluster: float,
    form: str | None,
    **options: Any,
) -> None:
    """Compare the rankings of RUNS by rank-biased overlap (RBO), without judgments.

    Runs are listed in clusters of similar ones, with the run each is most like, and pairs that
    are near-duplicates. Programs get one row per pair: RBO as the lists suggest it goes on, and
    the smallest and largest value it can have, over the topics that both runs answer.
    """
    import poolwise as pw

    how: dict[str, Any] = {"p": p, "ties": tied, "depth": depth}
    found: pw.OverlapMatrix | pw.OverlapByTopic
    with progress("comparing") as report:
        loaded = _read(runs, topics, **reading(options))
        if per_topic:
            found = pw.overlap_by_topic(loaded, **how, progress=report)
        else:
            found = pw.overlap_matrix(loaded, **how)
    limits = {"alike": alike, "cluster": cluster}
    emit(noted(found.tables(**limits), found.sentences(**limits)), found.columns(), form)


def _read(runs: tuple[str, ...], topics: tuple[str, ...], **how: Any) -> "Runs":
    """Read the runs, and keep the topics asked for."""
    import poolwise as pw
    from poolwise.errors import OptionError

    loaded = pw.read_runs(*runs, **how)
    if len(loaded.systems) < 2:
        raise OptionError("RUNS: similarity is between runs; got 1. Hint: give two or more.")
    for topic in (t for t in topics if t not in loaded.topics):
        raise OptionError(
            f"--topic: no run has topic {topic!r}. Hint: use one of "
            f"{', '.join(loaded.topics[:10])}{'…' if len(loaded.topics) > 10 else ''}."
        )
    return loaded.restrict(topics) if topics else loaded
