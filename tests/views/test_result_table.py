"""The table of results of a paper."""

import numpy as np
import pytest

from poolwise import ScoreTable, compare_scores, render, results_table
from poolwise.errors import OptionError

TOPICS = tuple("0123456789")
RNG = np.random.default_rng(5)
SCORES = np.clip(RNG.normal([[0.8], [0.5], [0.48]], 0.05, (3, 10)), 0, 1)
AP = ScoreTable.from_matrix(SCORES, systems=["new_1", "b&b", "old"], topics=TOPICS, measure="AP")
P = ScoreTable.from_matrix(SCORES[::-1], systems=AP.systems, topics=TOPICS, measure="P@10")

LETTERS = """\
|   | run   |                    AP |                  P@10 |
|---|-------|----------------------:|----------------------:|
| a | new_1 | **80.2**<sup>bc</sup> |                  46.7 |
| b | b&b   |                  47.9 |                  47.9 |
| c | old   |                  46.7 | **80.2**<sup>ab</sup> |

Superscripts: better than the runs of these letters (paired t test, Holm, p < 0.05)  """

DAGGERS = r"""% † better, ‡ worse than old (paired t test, Holm, p < 0.05)
\begin{tabular}{lrr}
\toprule
run & AP & P@10 \\
\midrule
new\_1 & \textbf{0.802}\textsuperscript{$\dagger$} & 0.467\textsuperscript{$\ddagger$} \\
b\&b & 0.479 & 0.479\textsuperscript{$\ddagger$} \\
old & 0.467 & \textbf{0.802} \\
\bottomrule
\end{tabular}"""


def test_letters_name_the_runs_that_are_beaten() -> None:
    """Each letter stands for a run with a significantly lower mean, by compare_scores."""
    table = results_table([AP, P], digits=1, percent=True)
    assert render(table, "markdown") == LETTERS
    better = {(f.a, f.b) for f in compare_scores(AP) if f.p_adjusted < 0.05 and f.difference > 0}
    assert better == {("new_1", "b&b"), ("new_1", "old")}


def test_daggers_compare_with_the_baseline() -> None:
    """A run above the baseline has †, one below it ‡, and the baseline none."""
    assert render(results_table([AP, P], marks="daggers", baseline="old"), "latex") == DAGGERS


def test_no_marks_is_a_choice() -> None:
    """Without marks there are neither superscripts nor notes."""
    table = results_table([AP], marks="none")
    assert render(table, "csv") == "run,AP\nnew_1,0.802\nb&b,0.479\nold,0.467\n"


@pytest.mark.parametrize(
    ("tables", "options", "message"),
    [
        ([], {}, "the same runs"),
        ([AP, P.select(["old", "b&b", "new_1"])], {}, "the same runs"),
        ([AP], {"marks": "daggers"}, "give both or neither"),
        ([AP], {"marks": "letters", "baseline": "old"}, "give both or neither"),
        ([AP], {"marks": "stars"}, "letters, daggers, none"),
    ],
)
def test_what_does_not_fit_is_refused(
    tables: list[ScoreTable], options: dict[str, str], message: str
) -> None:
    """Errors say what fits together."""
    with pytest.raises(OptionError, match=message):
        results_table(tables, **options)  # type: ignore[arg-type] # wrong on purpose


def test_letters_run_out() -> None:
    """More runs than letters are too many for letters."""
    many = ScoreTable.from_matrix(
        np.zeros((27, 2)), systems=[f"r{i}" for i in range(27)], topics="12", measure="AP"
    )
    with pytest.raises(OptionError, match="26 letters; got 27 runs"):
        results_table([many])
