"""The table of results of a paper: runs by measures, with significance marked."""

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from poolwise.errors import OptionError, require_choice
from poolwise.findings.comparison.comparing import compare_scores
from poolwise.findings.comparison.corrections import CORRECTIONS
from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.printout.tables import Column, Table
from poolwise.scores.score_table import ScoreTable

__all__ = ["MARKS", "results_table"]

MARKS = {
    "letters": "the letters of the runs that a run is better than",
    "daggers": "† better, ‡ worse than the baseline",
    "none": "no marks",
}
"""How significance is shown."""


def results_table(
    tables: Sequence[ScoreTable],
    *,
    marks: str = "letters",
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    digits: int = 3,
    percent: bool = False,
    rng: int | np.random.Generator | None = 1,
) -> Table:
    r"""Return the mean of each run by each measure, the best in bold, significance raised.

    Parameters
    ----------
    tables
        Scores of the same runs, one table per measure.
    marks : {"letters", "daggers", "none"}
        See ``MARKS``; daggers need a baseline.
    baseline
        The run that daggers compare with.
    test, correction, alpha, rng
        As for :func:`~poolwise.compare_scores`; corrected for each measure apart.
    digits, percent
        Decimals, and whether scores are written in percent.

    Examples
    --------
    >>> from poolwise import render
    >>> scores = [[0.9, 0.8, 0.9, 0.8], [0.5, 0.45, 0.5, 0.4], [0.5, 0.4, 0.45, 0.5]]
    >>> table = ScoreTable.from_matrix(scores, systems=["new", "old_1", "old_2"], topics="1234",
    ...                                measure="AP")
    >>> print(render(results_table([table]), "latex"))
    % Superscripts: better than the runs of these letters (paired t test, Holm, p < 0.05)
    \begin{tabular}{llr}
    \toprule
     & run & AP \\
    \midrule
    a & new & \textbf{0.850}\textsuperscript{bc} \\
    b & old\_1 & 0.463 \\
    c & old\_2 & 0.463 \\
    \bottomrule
    \end{tabular}
    """
    require_choice("marks", marks, MARKS)
    _check(tables, marks, baseline)
    systems, letters = tables[0].systems, ascii_lowercase if marks == "letters" else ""
    against = (baseline,) if marks == "daggers" and baseline else ()
    found = [
        compare_scores(table, baselines=against, test=test, correction=correction, rng=rng)
        for table in tables
        if marks != "none"
    ]
    raised = [_letters(f, alpha) if letters else _daggers(f, alpha) for f in found]
    scores = (Column(str(t.measure), digits=digits, best="max", percent=percent) for t in tables)
    means = [table.means() for table in tables]
    lettered = bool(letters)
    return Table(
        columns=(*[Column("")] * lettered, Column("run"), *scores),
        rows=tuple(
            (*letters[s : s + 1], system, *(float(mean[s]) for mean in means))
            for s, system in enumerate(systems)
        ),
        notes=_notes(found, marks, baseline, f"{CORRECTIONS[correction].title}, p < {alpha:g}"),
        marks=tuple(
            (*[""] * lettered, "", *(column[s] for column in raised)) for s in range(len(systems))
        )
        if raised
        else (),
    )


def _letters(found: Comparisons, alpha: float) -> list[str]:
    """Return for each run the letters of those it is better than."""
    pairs, difference = found.pairs, found.difference
    better = np.zeros((len(found.systems),) * 2, np.bool_)
    significant = found.significant(alpha)
    better[pairs.left, pairs.right] = significant & (difference > 0)
    better[pairs.right, pairs.left] = significant & (difference < 0)
    return ["".join(ascii_lowercase[j] for j in np.flatnonzero(row)) for row in better]


def _daggers(found: Comparisons, alpha: float) -> list[str]:
    """Return for each run whether it is better or worse than the baseline."""
    marks = [""] * len(found.systems)
    significant = found.significant(alpha)
    for i, run in enumerate(found.pairs.left.tolist()):
        if significant[i]:
            marks[run] = "†" if found.difference[i] > 0 else "‡"
    return marks


def _notes(
    found: Sequence[Comparisons], marks: str, baseline: str | None, level: str
) -> tuple[str, ...]:
    if not found:
        return ()
    how = f"{found[0].test}, {level}"
    if marks == "letters":
        return (f"Superscripts: better than the runs of these letters ({how})",)
    return (f"† better, ‡ worse than {baseline} ({how})",)


def _check(tables: Sequence[ScoreTable], marks: str, baseline: str | None) -> None:
    """Raise where the tables or the marks do not fit together."""
    if not tables or any(table.systems != tables[0].systems for table in tables):
        raise OptionError(
            "tables: they must hold the same runs in the same order. Hint: take them from "
            "one evaluation."
        )
    if marks == "letters" and len(tables[0].systems) > len(ascii_lowercase):
        raise OptionError(
            f"marks: there are {len(ascii_lowercase)} letters; got {len(tables[0].systems)} runs. "
            "Hint: select fewer, or use daggers against a baseline."
        )
    if (marks == "daggers") != (baseline is not None):
        raise OptionError(
            f"baseline: daggers, and only they, compare with a baseline; got {baseline!r} with "
            f"marks {marks!r}. Hint: give both or neither."
        )
