"""The command that writes the report page."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]

pytest.importorskip("vl_convert")


def test_report_writes_one_page(collection: Path, run: Command) -> None:
    """The page is written where it is asked for, and its path is printed."""
    wanted = ("report", "qrels.txt", "runs", "-m", "P@5,AP", "-o", "page.html")
    result = run(*wanted, "--baseline", "bm25", "--title", "Two runs")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Report: {Path('page.html')}\n"
    assert "<title>Two runs</title>" in (collection / "page.html").read_text("utf-8")


def test_report_reads_groups(collection: Path, run: Command) -> None:
    """Groups appear beside the runs."""
    (collection / "groups.tsv").write_text("bm25\tlexical lab\ndense\tneural lab\n")
    result = run("report", "qrels.txt", "runs", "-m", "P@5", "--groups", "groups.tsv")
    assert result.exit_code == 0, result.output
    assert "neural lab" in (collection / "report.html").read_text("utf-8")


@pytest.mark.usefixtures("collection")
def test_report_names_the_runs_when_the_baseline_is_none_of_them(run: Command) -> None:
    """An unknown baseline is one clear line."""
    result = run("report", "qrels.txt", "runs", "--baseline", "nobody")
    assert result.exit_code != 0
    assert "baseline: 'nobody' is not known. Hint: use one of bm25, dense." in result.output


@pytest.mark.usefixtures("collection")
def test_report_says_what_to_install_before_it_starts(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without vl-convert the command stops before it reads anything."""
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    result = run("report", "nowhere", "runs")
    assert result.exit_code != 0
    assert "pip install 'poolwise[report]'" in result.output


def test_a_page_of_two_runs_is_soon_made(tmp_path: Path) -> None:
    """The whole command takes less than 3 s of processor time, also where grades are drawn.

    The goal is half of that, on a machine with nothing else to do: ``python -m bench.bars pages``.
    """
    made = pw.simulate(systems=8, topics=50, depth=100, rng=1)
    pw.write_judgments(made.judgments, tmp_path / "qrels")
    names = [made.runs.systems[0], made.runs.systems[-1]]
    for name in names:
        pw.write_run(made.runs, name, tmp_path / name)
    command = [sys.executable, "-m", "poolwise", "report", "qrels", *names]
    assert min(seconds_of([*command, "--force"], tmp_path) for _ in range(3)) < 3
    assert (tmp_path / "report.html").stat().st_size < 2_000_000


def seconds_of(command: list[str], folder: Path) -> float:
    """Run a command, and return the seconds that processors worked for it."""
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603 -- ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(after[:2]) - sum(before[:2])
