"""The results of a paper, with the tests that its marks stand for."""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase
from typing import Any

from poolwise.errors import OptionError, require_choice
from poolwise.findings._pair_verdicts import MARKS, MarkedResults
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._corrections import CORRECTIONS
from poolwise.findings.comparison._significance import Seed
from poolwise.measures._measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import Evaluation
from poolwise.words import counted
from poolwise.workflows.evaluation import evaluate

__all__ = ["results_table"]


def results_table(
    tables: Evaluation | Sequence[ScoreTable] | Any,
    runs: Any = None,
    measures: Measure | str | Iterable[Measure | str] = ("nDCG@10",),
    *,
    marks: str | None = None,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: Seed = 1,
) -> MarkedResults:
    r"""Test the runs of a table of results against each other, or against a baseline.

    Parameters
    ----------
    tables
        Scores of the same runs, one table per measure, such as :func:`~poolwise.evaluate` gives
        them; or, with ``runs``, the judgments that they are scored by.
    runs, measures
        What is scored, and by what, where there are no scores yet.
    marks : {"letters", "daggers", "none"}, optional
        See ``MARKS``; daggers need a baseline. By default daggers where there is a baseline, and
        letters where there is none.
    baseline
        The run that daggers compare with.
    test, correction, alpha, resamples, rng
        As for :func:`~poolwise.compare_scores`; corrected for each measure apart.

    Returns
    -------
    MarkedResults
        The scores with their marks, which :func:`~poolwise.views.paper_table` lays out.

    Examples
    --------
    >>> from poolwise import render
    >>> from poolwise.views import paper_table
    >>> scores = [[0.9, 0.8, 0.9, 0.8] * 2, [0.5, 0.45, 0.5, 0.4] * 2, [0.5, 0.4, 0.45, 0.5] * 2]
    >>> table = ScoreTable.from_matrix(scores, systems=["new", "old_1", "old_2"],
    ...                                topics="12345678", measure="AP")
    >>> print(render(paper_table(results_table([table])), "latex"))
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
    marks = marks or ("letters" if baseline is None else "daggers")
    tables = _scored(tables, runs, measures)
    _check(tables, marks, baseline)
    how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    how |= {"baselines": baseline or (), "resamples": resamples, "rng": rng}
    tested_tables = tables if marks != "none" else ()
    found = tuple(compare_scores(table, **how) for table in tested_tables)
    tested = found[0].test if found else ""
    return MarkedResults(
        scores=tuple(tables),
        comparisons=found,
        marks=marks,
        baseline=baseline or "",
        method=f"{tested}, {CORRECTIONS[correction].title}, p < {alpha:g}" if found else "",
        provenance=(found or tables)[0].provenance.with_options(marks=marks),
    )


def _scored(given: Any, runs: Any, measures: Any) -> Sequence[ScoreTable]:
    """Return the tables given, those of an evaluation, or those of runs scored by judgments."""
    if runs is not None:
        given = evaluate(given, runs, measures)
    if isinstance(given, ScoreTable):
        return (given,)
    found: Sequence[ScoreTable] = given.scores if isinstance(given, Evaluation) else given
    return found


def _check(tables: Sequence[ScoreTable], marks: str, baseline: str | None) -> None:
    """Raise where the tables, the marks and the baseline do not fit together."""
    require_choice("marks", marks, MARKS)
    if not tables or any(table.systems != tables[0].systems for table in tables):
        raise OptionError(
            "tables: they must hold the same runs in the same order. Hint: take them from "
            "one evaluation."
        )
    if marks == "letters" and len(tables[0].systems) > len(ascii_lowercase):
        raise OptionError(
            f"marks: there are {len(ascii_lowercase)} letters; got "
            f"{counted(len(tables[0].systems), 'run')}. Hint: take fewer runs, compare "
            "with a baseline, or choose the marks none."
        )
    if (marks == "daggers") != (baseline is not None):
        raise OptionError(
            f"baseline: daggers, and only they, compare with a baseline; got {baseline!r} with "
            f"marks {marks!r}. Hint: give both or neither."
        )
