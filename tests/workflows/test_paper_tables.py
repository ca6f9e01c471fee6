"""The table of results of a paper: its tests, and how it is laid out."""

from pathlib import Path

import numpy as np
import pytest

from poolwise import Judgments, Runs, ScoreTable, compare, compare_scores, render
from poolwise import table as results_table
from poolwise.errors import OptionError
from poolwise.views import paper_table
from poolwise.workflows import make_demo

TOPICS = tuple("0123456789")
RNG = np.random.default_rng(5)
SCORES = np.clip(RNG.normal([[0.8], [0.5], [0.48]], 0.05, (3, 10)), 0, 1)
AP = ScoreTable.from_matrix(SCORES, systems=["new_1", "b&b", "old"], topics=TOPICS, measure="AP")
P = ScoreTable.from_matrix(SCORES[::-1], systems=AP.systems, topics=TOPICS, measure="P@10")

LETTERS = """\
**10 topics.**

|   | run   |                      AP |                    P@10 |
|---|-------|------------------------:|------------------------:|
| a | new_1 | **80.2**<sup>(bc)</sup> |                    46.7 |
| b | b&b   |                    47.9 |                    47.9 |
| c | old   |                    46.7 | **80.2**<sup>(ab)</sup> |

Superscripts: better than the runs of these letters (paired t test, Holm, p < 0.05)\x20\x20
In brackets: significant on judged documents; how likely judging would reverse it is not known  """

DAGGERS = r"""% 10 topics.
% † better, ‡ worse than old (paired t test, Holm, p < 0.05)
% In brackets: significant on judged documents; how likely judging would reverse it is not known
\begin{tabular}{lrr}
\toprule
run & AP & P@10 \\
\midrule
new\_1 & \textbf{0.802}\textsuperscript{($\dagger$)} & 0.467\textsuperscript{($\ddagger$)} \\
b\&b & 0.479 & 0.479\textsuperscript{($\ddagger$)} \\
old & 0.467 & \textbf{0.802} \\
\bottomrule
\end{tabular}"""


def test_letters_name_the_runs_that_are_beaten() -> None:
    """Each letter stands for a run with a significantly lower mean, by compare_scores."""
    table = paper_table(results_table([AP, P]), digits=1, percent=True)
    assert render(table, "markdown") == LETTERS
    better = {(f.a, f.b) for f in compare_scores(AP) if f.p_adjusted < 0.05 and f.difference > 0}
    assert better == {("new_1", "b&b"), ("new_1", "old")}


def test_daggers_compare_with_the_baseline() -> None:
    """A run above the baseline has †, one below it ‡, and the baseline none."""
    results = results_table([AP, P], marks="daggers", baseline="old")
    assert render(paper_table(results), "latex") == DAGGERS


def test_no_marks_is_a_choice() -> None:
    """Without marks there are neither superscripts nor notes."""
    table = paper_table(results_table([AP], marks="none"))
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
        paper_table(results_table([many]))
    assert len(paper_table(results_table([many]), top=26).rows) == 26


def test_marks_are_those_of_the_comparisons() -> None:
    """Each superscript follows from a corrected p value and the sign of a difference."""
    results = results_table([AP, P], test="wilcoxon", correction="bh", alpha=0.01)
    for table, comparisons, row in zip(
        results.scores, results.comparisons, results.superscripts(), strict=True
    ):
        again = compare_scores(table, test="wilcoxon", correction="bh", alpha=0.01)
        assert comparisons.p_adjusted.tolist() == again.p_adjusted.tolist()
        for letter, system, mark in zip("abc", table.systems, row, strict=True):
            beaten = {
                pair.b if pair.difference > 0 else pair.a
                for pair in again
                if pair.p_adjusted < 0.01 and system == (pair.a if pair.difference > 0 else pair.b)
            }
            letters = "".join(x for x, s in zip("abc", table.systems, strict=True) if s in beaten)
            # Of scores alone nothing says whether judging could undo it.
            assert mark == (f"({letters})" if letters else "")
            assert letter not in mark


def test_the_best_run_is_named_with_those_it_beats() -> None:
    """Without marks nothing is said of significance; with daggers one run is compared."""
    assert results_table([AP]).sentences()[0] == (
        "By AP, new_1 has the highest mean, significantly higher than 2 runs of 2, but on judged "
        "documents alone: b&b, old."
    )
    plain = results_table([AP], marks="none").sentences()
    assert plain == ("By AP, new_1 has the highest mean.",)
    against = results_table([AP], marks="daggers", baseline="old").sentences()[0]
    assert against.endswith("than 1 run of 1, but on judged documents alone: old.")


def judged_runs() -> tuple[Judgments, Runs]:
    """Return a run that is better than two others, by what is judged and by what is not."""
    topics = [str(t) for t in range(8)]
    runs = {
        "unjudged": {t: ["u", "v"] for t in topics},
        "new": {t: ["x", "y"] if t > "1" else ["x", "n"] for t in topics},
        "judged": {t: ["n", "m"] for t in topics},
    }
    grades = {"x": 1.0, "y": 1.0, "n": 0.0, "m": 0.0}
    return Judgments.from_dict(dict.fromkeys(topics, grades)), Runs.from_rankings(runs)


def test_a_mark_that_judging_could_take_stands_in_brackets() -> None:
    """Ahead of judged documents, whatever is judged: a letter; of unjudged ones: in brackets."""
    deeper = results_table(*judged_runs(), "P@2", draws=0)
    assert dict(zip(deeper.systems, deeper.superscripts()[0], strict=True))["new"] == "c(a)"
    assert deeper.columns()["better_than"][1] == "judged"
    assert deeper.columns()["in_brackets"][1] == "unjudged"
    assert len(deeper.brackets()) == 1


def test_rows_are_by_score_and_called_as_wished() -> None:
    """The first measure orders the rows and gives the letters; the caption says what is judged."""
    results = results_table(*judged_runs(), "P@2", draws=0)
    table = paper_table(results, rename={"new": "ours"}, top=2, caption="Results.", label="tab:r")
    assert [row[:2] for row in table.rows] == [("a", "ours"), ("b", "unjudged")]
    assert table.title == (
        "Results. 8 topics; 0% (unjudged) to 100% of the first 2 documents of a run are judged; at "
        "worst 0% of unjudged's first 2 documents are judged, on topic 0."
    )
    text = render(table, "latex")
    assert "\\caption{Results. 8 topics; 0\\% (unjudged)" in text
    assert "\\label{tab:r}" in text
    by_name = paper_table(results, sort="name")
    assert [row[1] for row in by_name.rows] == ["judged", "new", "unjudged"]
    # The range over judgments stands beside the means unless another wish is told.
    assert [column.title for column in by_name.columns] == ["", "run", "P@2", "P@2 if judged"]
    with pytest.raises(OptionError, match="rename: 'nobody' is not known"):
        paper_table(results, rename={"nobody": "x"})


def test_an_unknown_baseline_is_refused() -> None:
    """The error names the runs there are."""
    with pytest.raises(OptionError, match="'nobody' is not known"):
        results_table([AP], marks="daggers", baseline="nobody")


def test_the_demos_maverick_is_not_beaten_without_brackets(tmp_path: Path) -> None:
    """prf-1 leads maverick-1 on judged documents alone: in brackets, and compare says so first."""
    _, files = make_demo(tmp_path)
    qrels = next(content for path, content in files.items() if path.name == "qrels.txt")
    (tmp_path / "qrels.txt").write_bytes(qrels)
    for path, content in files.items():
        if path.name in {"prf-1.run", "maverick-1.run"}:
            (tmp_path / path.name).write_bytes(content)
    runs = [tmp_path / "prf-1.run", tmp_path / "maverick-1.run"]
    results = results_table(tmp_path / "qrels.txt", runs, "nDCG@10", draws=50)
    rows = dict(zip(results.systems, results.superscripts()[0], strict=True))
    assert rows["prf-1"] in {"(a)", "(b)"}
    said = compare(tmp_path / "qrels.txt", runs, "nDCG@10", draws=50)["nDCG@10"].sentences()[0]
    assert "but judging could reverse that" in said
    assert "draws suggest maverick-1, 46 of 50, not calibrated" in said
