"""``poolwise table``: what an author puts into a paper."""

import csv
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase

import pytest
from click.testing import Result

import poolwise as pw
from poolwise.views import paper_table

Command = Callable[..., Result]
RULES = r"\let\toprule\hline \let\midrule\hline \let\bottomrule\hline"
PREAMBLE = (
    r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}"
    rf"\IfFileExists{{booktabs.sty}}{{\usepackage{{booktabs}}}}{{{RULES}}}"
)
HOSTILE = r"50% & $x_1$ #{~^\} é <a>|`b`"


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def dl2019(data_dir: Path) -> tuple[str, ...]:
    """Return the qrels and six runs of TREC DL 2019."""
    names = ("idst_bert_p1", "bm25base_p", "ICT-BERT2", "ICT-CKNRM_B", "ICT-CKNRM_B50", "test1")
    runs = (str(data_dir / "trec-dl-2019" / "runs" / f"{name}.gz") for name in names)
    return (str(data_dir / "trec-dl-2019" / "qrels.gz"), *runs)


def test_letters_are_the_significant_pairs_of_compare(
    run: Command, dl2019: tuple[str, ...]
) -> None:
    """A run has the letters of those that `compare` finds significantly worse, after correction.

    Those that do not hold by their state stand in brackets.
    """
    words = ("-m", "nDCG@10", "--correction", "bh", "--draws", "0")
    compared = rows(run("compare", *dl2019, *words).stdout)
    better = {
        (r["a"], r["b"]) if float(r["difference"]) > 0 else (r["b"], r["a"]): r["state"]
        for r in compared
        if float(r["p_adjusted"]) < 0.05
    }
    text = run("table", *dl2019, *words, "--format", "md").stdout
    cells = [
        [c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line
    ]
    names = [row[1].replace(r"\|", "|") for row in cells[2:]]
    assert len(names) == 6
    for letter, name, mean, _ in cells[2:]:
        raised = mean.partition("<sup>")[2].removesuffix("</sup>").removesuffix(")")
        sure, _, doubt = raised.partition("(")
        for shown, holds in ((sure, True), (doubt, False)):
            assert {(name, names[ascii_lowercase.index(x)]) for x in shown} == {
                pair
                for pair, state in better.items()
                if pair[0] == name and (state == "holds") == holds
            }
        assert letter not in raised


def test_numbers_are_those_of_evaluate(run: Command, dl2019: tuple[str, ...]) -> None:
    """Means, intervals over topics and ranges over judgments are those of `evaluate`."""
    table = rows(run("table", *dl2019, "-m", "RBP,AP@100").stdout)
    scored = rows(run("evaluate", *dl2019, "-m", "RBP,AP@100").stdout)
    by_run = {(r["measure"], r["run"]): r for r in scored}
    assert len(table) == len(by_run)
    names = {"mean": "value", "ci_low": "ci_low", "lower": "lower", "upper": "upper"}
    for ours, theirs in names.items():
        for row in table:
            assert row[ours] == by_run[row["measure"], row["run"]][theirs]


def test_data_have_the_rows_of_the_table(run: Command, dl2019: tuple[str, ...]) -> None:
    """Order, number and names of rows are the same in a pipe as in the table of a paper."""
    how = (*dl2019, "-m", "P@10,RBP", "--draws", "0")
    whole = rows(run("table", *how).stdout)
    means = [float(r["mean"]) for r in whole if r["measure"] == "P@10"]
    assert means == sorted(means, reverse=True)
    best = whole[0]["run"]
    top = rows(run("table", *how, "--top", "2", "--rename", f"{best}=ours").stdout)
    second = whole[1]["run"]
    assert [(r["measure"], r["run"]) for r in top] == [
        (measure, name) for measure in ("P@10", "RBP(p=0.8)") for name in ("ours", second)
    ]


@pytest.mark.usefixtures("collection")
def test_both_uncertainties_stand_beside_the_mean(run: Command) -> None:
    """The interval and the range are columns of their own, and the documents are named."""
    text = run("table", "qrels.txt", "runs", "-m", "P@2", "--uncertainty", "both", "--format", "md")
    head = text.stdout.splitlines()[4]
    assert "P@2 over topics | P@2 if judged" in " ".join(head.split())
    assert "0.333 to 0.500" in text.stdout
    assert "The range is over every grade (0, 1, 2) of the unjudged documents" in text.stdout


@pytest.mark.usefixtures("collection")
def test_a_baseline_gets_daggers(run: Command) -> None:
    """With a baseline the note says what a dagger means, and no letter is given."""
    text = run("table", "qrels.txt", "runs", "-m", "P@2", "--baseline", "bm25", "--format", "html")
    assert "† better, ‡ worse than bm25 (paired t test, Holm, p &lt; 0.05)" in text.stdout
    assert '<th scope="col">run</th><th scope="col" class="number">P@2</th>' in text.stdout


def test_scores_of_others_have_no_range_over_judgments(run: Command, tmp_path: Path) -> None:
    """Of files of scores nothing is known of the judgments, and the command says so."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,a,b\n1,0.2,0.3\n2,0.1,0.4\n3,0.2,0.5\n")
    assert "**0.400**" in run("table", "--scores", str(path), "--format", "md").stdout
    refused = run("table", "--scores", str(path), "--uncertainty", "both")
    assert refused.exit_code == 3
    assert "needs QRELS and RUNS" in refused.stderr


def test_more_runs_than_letters_get_a_hint_that_works(run: Command, tmp_path: Path) -> None:
    """27 runs have no letters; the command says what to do, and that works."""
    names = [f"r{i}" for i in range(27)]
    path = tmp_path / "ap.csv"
    lines = (",".join([t, *(f"0.{i + int(t)}" for i in range(27))]) for t in "123")
    path.write_text("\n".join([",".join(["topic", *names]), *lines]))
    refused = run("table", "--scores", str(path))
    assert "choose the marks none" in refused.stderr
    assert run("table", "--scores", str(path), "--top", "26").exit_code == 0
    assert run("table", "--scores", str(path), "--marks", "none").exit_code == 0
    assert run("table", "--scores", str(path), "--baseline", "r3").exit_code == 0


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_pdflatex_sets_the_table(tmp_path: Path) -> None:
    """LaTeX takes the table as it is, whatever the names of runs and measures are."""
    table = pw.ScoreTable.from_matrix(
        [[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
        systems=[HOSTILE, "old_run"],
        topics="123456",
        measure="SetF(beta=0.5)",
    )
    for baseline in (None, HOSTILE):
        results = pw.table([table, table], baseline=baseline)
        body = pw.render(paper_table(results, uncertainty="both"), "latex")
        page = f"{PREAMBLE}\n\\begin{{document}}\n{body}\n\\end{{document}}"
        (tmp_path / "page.tex").write_text(page, encoding="utf-8")
        words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
        made = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603 -- our own words
        assert made.returncode == 0, made.stdout.decode(errors="replace")
        assert (tmp_path / "page.pdf").stat().st_size
