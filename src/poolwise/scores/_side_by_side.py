"""Scores by several measures in one table, and in one sentence where judging matters."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.results._tables import Column, Table
from poolwise.words import counted, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.arrays import Booleans
    from poolwise.scores._score_table import ScoreTable

__all__ = ["MATTERS", "side_by_side", "where_judging_matters"]

MATTERS = "°"
"""The mark of a mean that judging could move further than the choice of topics plausibly does."""


def side_by_side(tables: "Sequence[ScoreTable]") -> Table:
    """Return the mean of each run by each measure: one row per run, the best by the first on top.

    Examples
    --------
    >>> from poolwise import Grades, render
    >>> from poolwise.scores import score_all
    >>> evaluation = score_all(Grades.from_grades([[1, None, 0, 0]]), ["P@4", "RR"])
    >>> print(render(side_by_side(evaluation.scores)))
    run       P@4      RR
    run1  0.2500°  1.0000
    """
    first = tables[0]
    order = first.order().tolist()
    means = [table.means().tolist() for table in tables]
    marks = [table.judging_matters().tolist() for table in tables]
    columns = [Column(str(table.measure), digits=4, best="max") for table in tables]
    return Table(
        (Column("run"), *columns),
        tuple((first.systems[s], *(of_measure[s] for of_measure in means)) for s in order),
        marks=tuple(("", *(MATTERS * of_measure[s] for of_measure in marks)) for s in order),
        folds=True,
    )


def where_judging_matters(tables: "Sequence[ScoreTable]") -> tuple[str, ...]:
    """Say which means depend on the unjudged documents; nothing where that is not known.

    Examples
    --------
    >>> from poolwise import Grades, score
    >>> print(*where_judging_matters([score(Grades.from_grades([[1, None, 0, 0]]), "P@4")]))
    Judging could change the score.
    """
    ranged = [table for table in tables if table.over_judgments.known.any()]
    if not ranged:
        return (f"Means over {_topics(tables)}.",) if len(tables) > 1 else ()
    by_model = "by the model, " if all(t.over_judgments.over == "draws" for t in ranged) else ""
    matters = np.any([table.judging_matters() for table in ranged], axis=0)
    if len(tables) == 1:
        said = f"{by_model}judging {_does(ranged, matters, _named(ranged[0], matters))}."
        return (f"{said[:1].upper()}{said[1:]}",)
    sign = f"{MATTERS} " * bool(matters.any())
    said = f"{by_model}judging {_does(ranged, matters, f'this {_score(ranged)}')}"
    return (f"{_topics(tables)}; {sign}{said}.",)


def _does(ranged: "Sequence[ScoreTable]", matters: "Booleans", which: str) -> str:
    """Say what judging does to scores, and to which of them."""
    over = "their 95% intervals" if which.startswith("the means") else "its 95% interval"
    if _score(ranged) == "score":
        return f"could change {which}" if matters.any() else "would change no score"
    if matters.any():
        return f"could move {which} out of {over} over topics"
    return f"would leave {which if which == 'the mean' else 'every mean'} in {over} over topics"


def _named(table: "ScoreTable", matters: "Booleans") -> str:
    """Return the means that judging could move, by their runs."""
    score = _score([table])
    if matters.all() or not matters.any():
        return f"the {score}" if matters.size == 1 else f"every {score}"
    runs = [table.systems[s] for s in table.order().tolist() if matters[s]]
    return f"the {score}{'s' * (len(runs) > 1)} of {named(runs, most=3)}"


def _score(tables: "Sequence[ScoreTable]") -> str:
    """Return what numbers are: means over topics, or the scores of a single one."""
    return "score" if all(int(table.defined.sum()) == 1 for table in tables) else "mean"


def _topics(tables: "Sequence[ScoreTable]") -> str:
    counts = sorted({int(table.defined.sum()) for table in tables})
    several = f"{counts[0]:,} to {counts[-1]:,} topics"
    return several if len(counts) > 1 else counted(counts[0], "topic")
