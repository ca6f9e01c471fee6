"""``poolwise study variance``, ``anova`` and ``dispersion`` print what the library finds."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw
from poolwise.findings import (
    analyse_covariance,
    analyse_variance,
    dispersion_test,
    variance_components,
)

Command = Callable[..., Result]
MEASURES = ("nDCG@10", "RR")


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Write a simulated collection of eight runs."""
    folder = tmp_path_factory.mktemp("made")
    made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    pw.write_judgments(made.truth, folder / "qrels.txt")
    for system in made.runs.systems:
        pw.write_run(made.runs, system, folder / f"{system}.run")
    return str(folder / "qrels.txt"), str(folder / "*.run")


@pytest.fixture(scope="module")
def tables(files: tuple[str, str]) -> tuple[pw.ScoreTable, ...]:
    """Return the scores that the commands work with."""
    return pw.workflows.score_runs(*files, MEASURES)


def printed(finding: pw.Finding, column: str) -> list[str]:
    """Return a column as it is printed."""
    return ["" if str(cell) == "nan" else str(cell) for cell in finding.columns()[column]]


def test_variance_prints_the_components(
    run: Command, files: tuple[str, str], tables: tuple[pw.ScoreTable, ...]
) -> None:
    """Every number is that of variance_components, measure by measure."""
    components = rows(run("study", "variance", *files, "-m", ",".join(MEASURES)))
    for row, table in zip(components, tables, strict=True):
        ours = variance_components(table)
        assert row == {name: printed(ours, name)[0] for name in ours.columns()}


def test_anova_prints_every_source(
    run: Command, files: tuple[str, str], tables: tuple[pw.ScoreTable, ...]
) -> None:
    """Sums of squares, F and p are those of analyse_variance."""
    analysis = rows(run("study", "anova", *files, "-m", "RR"))
    ours = analyse_variance(tables[1])
    assert [r["source"] for r in analysis] == ["system", "topic", "residual"]
    for name in ours.columns():
        assert [r[name] for r in analysis] == printed(ours, name)


def test_pool_depths_make_it_an_analysis_of_covariance(
    run: Command, files: tuple[str, str]
) -> None:
    """The scores on the pools of each depth are those that `pool` gives, and so is the analysis."""
    depths = (2, 5, 10, 50)
    analysis = rows(run("study", "anova", *files, "-m", "RR", "--pool-depths", "2,5,10,50"))
    pools = [pw.pool(*files, depth=depth) for depth in depths]
    scored = [pw.workflows.score_runs(pool, files[1], ["RR"])[0] for pool in pools]
    ours = analyse_covariance(scored, depths)
    assert [r["source"] for r in analysis] == list(ours.sources)
    assert [float(r["squares"]) for r in analysis] == pytest.approx(list(ours.squares), rel=1e-12)
    assert [r["p"] for r in analysis] == printed(ours, "p")


def test_two_depths_are_no_covariate(run: Command, files: tuple[str, str]) -> None:
    """The error says how many depths it takes, and nothing of tables, which nobody gave."""
    refused = run("study", "anova", *files, "-m", "RR", "--pool-depths", "2,5")
    assert "a covariate takes three different depths or more; got 2" in refused.stderr


def test_pools_need_judgments(run: Command, tmp_path: Path) -> None:
    """Scores that others computed have no pools, and two depths are too few."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,a,b\n1,0.2,0.3\n2,0.1,0.4\n")
    refused = run("study", "anova", "--scores", str(path), "--pool-depths", "1,2,3")
    assert refused.exit_code == 3
    assert "pools need QRELS and RUNS" in refused.stderr


def test_dispersion_prints_the_test(
    run: Command, files: tuple[str, str], tables: tuple[pw.ScoreTable, ...]
) -> None:
    """Observed and expected dispersion and p are those of dispersion_test with the same seed."""
    words = ("-m", ",".join(MEASURES), "--resamples", "49", "--seed", "7")
    dispersions = rows(run("study", "dispersion", *files, *words))
    for row, table in zip(dispersions, tables, strict=True):
        ours = dispersion_test(table, rng=7, resamples=49)
        assert row == {name: printed(ours, name)[0] for name in ours.columns()}


def test_w10_variance_of_trec_8(run: Command, data_dir: Path) -> None:
    """W10 chapter 4: topics make most of the variance of AP, and systems the least."""
    file = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    (row,) = rows(run("study", "variance", "--scores", str(file)))
    assert float(row["topic_share"]) > float(row["interaction_share"]) > float(row["system_share"])


def test_every_study_stands_under_a_question(run: Command) -> None:
    """`poolwise study --help` is grouped by question, and no study is left over."""
    text = run("study", "--help").stdout
    assert "What do scores vary by?\n  variance" in text
    assert "Others" not in text
