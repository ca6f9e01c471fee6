"""``poolwise study pooling-bias``, ``undiscovered`` and ``variants`` print what the API finds."""

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
MADE = pw.simulate(systems=8, topics=12, depth=30, rng=2)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Write complete made-up judgments, and a folder of runs."""
    folder = tmp_path_factory.mktemp("made")
    pw.write_judgments(MADE.truth, folder / "qrels.txt")
    (folder / "runs").mkdir()
    for system in MADE.runs.systems:
        pw.write_run(MADE.runs, system, folder / "runs" / f"{system}.run")
    return str(folder / "qrels.txt"), str(folder / "runs")


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


def test_pooling_bias_by_command(run: Command, files: tuple[str, str], tmp_path: Path) -> None:
    """The command prints the errors that the study finds with the same seed, and draws them."""
    words = ("-m", "P@5", "--depth", "5", "--widths", "2,4", "--common", "3", "--pools", "5")
    plot = tmp_path / "bias.svg"
    errors = rows(run("study", "pooling-bias", *files, *words, "--seed", "4", "--plot", str(plot)))
    runs = pw.read_runs(files[1])
    study = pw.studies.pooling_bias(
        MADE.truth, runs, "P@5", depth=5, widths=[2, 4], common=[3], pools=5, rng=4
    )
    expected = study.columns()
    for name in ("bias", "unadjusted"):
        assert [float(row[name]) for row in errors] == pytest.approx(expected[name])
    adjusted = [float(row["from_topics"]) for row in errors if row["common"] == "3"]
    assert adjusted == pytest.approx([x for x in expected["from_topics"] if not math.isnan(x)])
    assert plot.read_text().startswith("<?xml")


def test_undiscovered_by_command(run: Command, files: tuple[str, str]) -> None:
    """Without names, the runs judged to the depth formed the pool: here all of them."""
    table = rows(run("study", "undiscovered", *files, "--depth", "20", "--target", "60"))
    study = pw.studies.relevant_beyond(pw.nominate(MADE.truth, MADE.runs), 20, target=60)
    assert [float(row["expected"]) for row in table] == pytest.approx(study.expected.tolist())


def test_nothing_judged_so_deep_is_said(run: Command, files: tuple[str, str]) -> None:
    """A depth to which no run is judged is refused, and a smaller one proposed."""
    result = run("study", "undiscovered", "--depth", "30", f"{files[0]}.few", files[1])
    assert result.exit_code == 3
    pw.write_judgments(pw.Judgments.from_dict({"401": {"x": 1}}), f"{files[0]}.few")
    result = run("study", "undiscovered", "--depth", "30", f"{files[0]}.few", files[1])
    assert "no run is judged to depth 30" in result.stderr


def test_variants_by_command(run: Command, files: tuple[str, str], tmp_path: Path) -> None:
    """A file says which queries are wordings of the same topic."""
    topics = MADE.runs.topics
    lines = [f"{query} {i // 2} {'ab'[i % 2]}" for i, query in enumerate(topics)]
    (tmp_path / "variants.txt").write_text("\n".join(lines))
    words = ("-m", "AP", "--variants", str(tmp_path / "variants.txt"))
    table = rows(run("study", "variants", *files, *words))
    assert len(table) == 28
    assert {int(r["a_better"]) + int(r["b_better"]) + int(r["equal"]) for r in table} == {2}
    (tmp_path / "variants.txt").write_text("401 1\n")
    result = run("study", "variants", *files, *words)
    assert "variants.txt:1: a line must hold query, topic and set" in " ".join(
        result.stderr.split()
    )
