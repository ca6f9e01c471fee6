"""Which RBP orders systems as each measure does, as tables."""

from collections.abc import Sequence

from poolwise.printout.tables import Cell, Column, Table
from poolwise.studies.persistence.match import PersistenceMatch
from poolwise.studies.persistence.topic_matches import TopicMatches

__all__ = ["persistence_tables"]


def persistence_tables(
    matches: Sequence[PersistenceMatch], by_topic: Sequence[TopicMatches]
) -> list[Table]:
    """Return the matches over all topics, and topic by topic as U18 table 2 has them.

    Examples
    --------
    >>> from poolwise import align, match_persistence, simulate
    >>> from poolwise.printout.tables import render
    >>> made = simulate(systems=20, topics=30, depth=100, rng=3)
    >>> match = match_persistence(align(made.judgments, made.runs), "AP")
    >>> print(render(persistence_tables([match], [])[0]))
    RBP that orders 20 systems most alike, over 30 topics
    <BLANKLINE>
    measure      p  tau_b  expected depth  residual
    AP       0.976  0.916            41.7     0.416
    """
    return [_overall(matches), _by_topic(by_topic)]


def _overall(matches: Sequence[PersistenceMatch]) -> Table:
    first = matches[0]
    rows = [(str(m.measure), m.p, m.correlation, m.expected_depth, m.residual) for m in matches]
    return Table(
        columns=(
            Column("measure"),
            Column("p", digits=3),
            Column(first.by, digits=3),
            Column("expected depth", digits=1),
            Column("residual", digits=3),
        ),
        rows=tuple(rows),
        title=f"RBP that orders {first.systems} systems most alike, over {first.topics} topics",
    )


def _by_topic(by_topic: Sequence[TopicMatches]) -> Table:
    numbers = (Column(title, digits=3) for title in ("mean p", "mean residual"))
    return Table(
        columns=(
            Column("measure"),
            *(Column(title) for title in ("< 0.8", "0.8 to 0.9", "≥ 0.9")),
            Column("τ of p and R", digits=2),
            Column("p value", digits=4),
            *numbers,
        ),
        rows=tuple(_topic_row(one) for one in by_topic),
        title="The same on each topic: how many topics reach so much, and whether p rises with R",
    )


def _topic_row(one: TopicMatches) -> tuple[Cell, ...]:
    row = {name: cells[0] for name, cells in one.summary().items()}
    pvalue = "<0.0001" if row["pvalue"] < 0.0001 else row["pvalue"]
    names = "measure", "below_0.8", "below_0.9", "from_0.9", "tau_with_R"
    return (*(row[name] for name in names), pvalue, row["mean_p"], row["mean_residual"])
