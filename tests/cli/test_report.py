"""The command that writes the report page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

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
