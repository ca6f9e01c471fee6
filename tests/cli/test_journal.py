"""The commands of a journal: what they print, and how they end."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import poolwise as pw

Run = Callable[..., Result]


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the scores of two systems on a hundred topics, and their order, and go there."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(2).normal(0, 0.12, (100, 2)) + np.array([0.6, 0.5])
    lines = [f"{topic},{a:.4f},{b:.4f}" for topic, (a, b) in enumerate(values.tolist(), 1)]
    Path("scores.csv").write_text("topic,new,old\n" + "\n".join(lines) + "\n")
    Path("order.txt").write_text("\n".join(map(str, range(100, 0, -1))) + "\n")
    return "scores.csv"


START = ("journal", "start", "my.journal", "--delta", "0.08", "--sigma", "0.12", "-m", "AP")


def test_an_experiment_by_commands_is_the_one_by_python(scores: str, run: Run) -> None:
    """The numbers of the file, of the commands and of Python are the same."""
    assert "Judge 20 topics first" in " ".join(run(*START, "--order", "order.txt").stderr.split())
    steps = 0
    while True:
        done = run("journal", "step", "my.journal", "--scores", scores, "--format", "json")
        assert done.exit_code == 0, done.output
        steps += 1
        if not json.loads(done.stdout)["rows"][0]["planned"]:
            break
    assert steps > 1
    finished = run("journal", "finish", "my.journal", "--format", "json")
    (row,) = json.loads(finished.stdout)["rows"]
    expected = pw.journal("my.journal").finish()
    assert isinstance(expected, pw.findings.JournalResult)
    assert row["pvalue"] == expected.pvalue
    assert row["rounds"] == steps
    table = run("journal", "show", "my.journal", "--format", "table").stdout
    assert "For the paper: The experiment was planned to detect a difference of 0.08 in AP" in table


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("finish", "my.journal"), "too early"),
        (("start", "my.journal", "--delta", "1", "--sigma", "1", "-m", "AP"), "never begun anew"),
        (("step", "my.journal", "--scores", "scores.csv"), "must not be skipped"),
        (("show", "other.journal"), "journal start"),
        (("show", "my.journal", "--seal", "beef"), "written anew"),
        (("step", "my.journal"), "give QRELS"),
        (("start", "b.journal", "--delta", "1", "--sigma", "1", "-m", "AP", "--order", "no.txt"),
         "readable file"),
    ],
)  # fmt: skip
def test_what_a_journal_does_not_allow_is_an_error(
    scores: str, run: Run, words: tuple[str, ...], said: str
) -> None:
    """Exit code 3, and a message with a hint."""
    assert scores
    assert run(*START).exit_code == 0
    done = run("journal", *words)
    assert done.exit_code == 3, done.output
    assert said in done.output


def test_rounds_may_come_from_runs(collection: Path, run: Run) -> None:
    """QRELS and two RUNS are scored by the measure of the plan."""
    assert collection
    words = ("--delta", "1", "--sigma", "0.2", "-m", "P@2")
    assert run("journal", "start", "a.journal", *words).exit_code == 0
    done = run("journal", "step", "a.journal", "qrels.txt", "runs", "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"][0]["judged"] == 3
