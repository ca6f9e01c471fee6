"""``--checklist`` and ``--residual``, below scores and comparisons and beside tables."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

MADE = pw.simulate(systems=8, topics=12, depth=40, rng=3)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Write the collection, and go there."""
    monkeypatch.chdir(tmp_path)
    pw.write_judgments(MADE.judgments, "qrels.txt")
    for system in MADE.runs.systems[:3]:
        pw.write_run(MADE.runs, system, f"{system}.run")
    return ("qrels.txt", *(f"{system}.run" for system in MADE.runs.systems[:3]))


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_block_stands_below_the_scores(
    command: str, files: tuple[str, ...], run: Callable[..., Result]
) -> None:
    """With --checklist a table has the block; a pipe gets its sentences as notes."""
    words = (command, *files, "-m", "AP", "--checklist")
    shown = run(*words, "--format", "md")
    assert shown.exit_code == 0, shown.output
    assert "**Checklist for AP**" in shown.stdout
    assert "The residual of RBP(p=0.98) is" in shown.stdout
    piped = run(*words)
    assert "note: AP: The residual of RBP(p=0.98) is" in piped.stderr
    other = run(*words, "--residual", "0.9")
    assert "note: AP: The residual of RBP(p=0.9) is" in other.stderr


def test_the_record_of_a_table_has_it(files: tuple[str, ...], run: Callable[..., Result]) -> None:
    """What goes into a paper has the checklist beside it, and can be replayed."""
    made = run("table", *files, "-m", "AP", "--draws", "0", "-o", "t.tex", "--caption", "x" * 900)
    assert made.exit_code == 0, made.output
    record = json.loads(Path("t.tex.provenance.json").read_text())
    assert record["checklist"]["AP"][0].startswith("AP looks at whole lists")
    assert run("replay", "t.tex").exit_code == 0
