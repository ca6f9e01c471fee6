"""``poolwise design``, ``study inclusion`` and ``study peeking``."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import poolwise as pw
from poolwise import OptionError, ScoreTable, write_score_matrix
from poolwise.findings import compare_designs
from poolwise.studies._discrimination import judge_pairs

Command = Callable[..., Result]


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Write AP of eight systems on forty topics."""
    values = np.random.default_rng(5).beta(2, 5, (8, 40)) + np.arange(8)[:, None] / 20
    table = ScoreTable.from_matrix(
        values, systems="abcdefgh", topics=[str(t) for t in range(40)], measure="AP"
    )
    write_score_matrix(table, tmp_path / "ap.csv")
    return str(tmp_path / "ap.csv")


def test_a_design_from_numbers_recommends(run: Command) -> None:
    """Difference and deviation are enough for a plan; programs get a row per design."""
    words = ("design", "--delta", "0.05", "--sigma", "0.13", "--simulations", "200")
    result = run(*words, "--format", "md")
    assert result.exit_code == 0, result.output
    assert "Judge 56 topics first; then" in result.stdout
    designs = [row["design"] for row in rows(run(*words).stdout)]
    assert designs == ["past", "cautious", "trial", "iterative", "hybrid", "peeking"]


def test_a_design_from_scores_is_drawn(run: Command, scores: str, tmp_path: Path) -> None:
    """Past scores say how much differences vary, and the plot is written."""
    file = tmp_path / "designs.svg"
    words = ("design", "--scores", scores, "-m", "AP", "--simulations", "200")
    result = run(*words, "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert file.stat().st_size > 1000


def test_real_runs_need_no_option(run: Command, data_dir: Path) -> None:
    """The 61 runs of DL 2019 differ by little, and are planned from all the same."""
    files = [str(data_dir / "trec-dl-2019" / name) for name in ("qrels.gz", "runs")]
    result = run("design", *files, "--simulations", "50", "--format", "md")
    assert result.exit_code == 0, result.output
    assert "until a difference of 0.0349 in AP@2 is detectable" in result.stdout
    assert "delta 0.0348837, " in result.stderr


def test_a_difference_in_ap_is_carried_over_to_the_depth(run: Command, tmp_path: Path) -> None:
    """δ has no meaning across depths: past pairs say what it is at the depth of the plan."""
    made = pw.simulate(systems=12, topics=30, depth=50, rng=3)
    plan = pw.workflows.design_from_runs(
        made.truth, made.runs, delta=0.1, depths=[5], rng=1, simulations=100
    )
    evidence = pw.align(made.truth, made.runs)
    whole = pw.score(evidence, "AP", bounds="none")
    pairs = pw.findings.baseline_pairs(whole)
    shallow = judge_pairs(evidence, pairs, depth=5).deltas.mean(axis=1)
    deep = (whole.value[pairs.left] - whole.value[pairs.right]).mean(axis=1)
    # The line through 0, by numpy's own solver.
    slope = np.linalg.lstsq(deep[:, None], shallow, rcond=None)[0].item()
    assert plan.designs.delta == pytest.approx(0.1 * slope)
    assert plan.designs.delta != pytest.approx(0.1, rel=0.05)
    said = f"A difference of 0.1000 in AP is one of {0.1 * slope:.4f} in AP@5"
    assert said in plan.sentences()[1]
    options = dict(plan.provenance.options)
    assert (options["delta"], options["delta_at_depth"]) == (0.1, pytest.approx(0.1 * slope))
    run("demo", "--output", str(tmp_path / "demo"))
    files = (str(tmp_path / "demo" / "qrels.txt"), str(tmp_path / "demo" / "runs"))
    words = ("design", *files, "--delta", "0.1", "--simulations", "50", "--format", "md")
    assert "A difference of 0.1000 in AP is one of" in " ".join(run(*words).stdout.split())


def test_what_cannot_be_simulated_is_said(run: Command) -> None:
    """A start with one topic, and a difference that takes too many, have each a sentence."""
    words = ("design", "--sigma", "0.13", "--delta")
    deltas = np.random.default_rng(1).normal(0, 0.15, (5, 50))
    with pytest.raises(OptionError, match="begins with 2 topics or more; got 1"):
        compare_designs(deltas, delta=0.05, start=1)
    said = run(*words, "0.001").stderr
    assert "to detect a difference of 0.001, experiments of up to" in said
    assert "ask for a larger difference (delta, --delta)" in said


def test_a_design_from_runs_compares_depths(run: Command, tmp_path: Path) -> None:
    """With runs, and no measure named, depths are compared; a measure's cut-off is its depth."""
    run("demo", "--output", str(tmp_path / "demo"))
    files = (str(tmp_path / "demo" / "qrels.txt"), str(tmp_path / "demo" / "runs"))
    words = ("design", *files, "--delta", "0.1", "--depths", "2,10", "--simulations", "100")
    table = rows(run(*words, "--show", "depths", "--budgets", "100,1000").stdout)
    assert [(row["depth"], row["budget"]) for row in table] == [
        ("2", "100"),
        ("2", "1000"),
        ("10", "100"),
        ("10", "1000"),
    ]
    more = ("--delta", "0.2", "--simulations", "100", "--format", "md")
    text = run("design", *files, "-m", "P@5", *more).stdout
    assert "topics to depth 5 first; then" in text


def test_an_experiment_under_way_is_told_what_comes_next(
    run: Command, scores: str, tmp_path: Path
) -> None:
    """From two systems, or from their deviation and the number of topics."""
    words = ("design", "--judged", "56", "--sigma", "0.16", "--delta", "0.05")
    (step,) = rows(run(*words).stdout)
    assert (step["judged"], step["more"]) == ("56", "27")
    run("demo", "--output", str(tmp_path / "demo"))
    files = [str(tmp_path / "demo" / "qrels.txt")]
    files += [str(path) for path in sorted((tmp_path / "demo" / "runs").iterdir())[:2]]
    (step,) = rows(run("design", *files, "--under-way", "--delta", "0.2", "-m", "P@5").stdout)
    assert int(step["judged"]) > 1
    many = run("design", "--scores", scores, "--under-way", "--delta", "0.2")
    assert many.exit_code == 3
    assert "Hint" in many.output


def test_half_an_input_is_refused(run: Command, scores: str) -> None:
    """A plan needs a difference and a deviation, or files, and not both."""
    for words in (
        ("--delta", "0.05"),
        ("--scores", scores, "--sigma", "0.1"),
        ("--judged", "5", "--delta", "0.05"),
        ("--judged", "5", "--sigma", "0.05"),
        ("--delta", "0.05", "--sigma", "0.1", "--depths", "a"),
    ):
        assert run("design", *words).exit_code == 3


def test_inclusion_and_peeking_are_shown(run: Command, scores: str, tmp_path: Path) -> None:
    """One row per topic, and one per measure."""
    file = tmp_path / "inclusion.svg"
    words = ("study", "inclusion", "--scores", scores, "--a", "a", "--b", "b", "--delta", "0.1")
    result = run(*words, "--simulations", "100", "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert len(rows(result.stdout)) == 40
    assert file.stat().st_size > 1000
    (row,) = rows(run("study", "peeking", "--scores", scores, "--orders", "5").stdout)
    assert float(row["found_low"]) <= float(row["found_mean"]) <= float(row["found_high"])
