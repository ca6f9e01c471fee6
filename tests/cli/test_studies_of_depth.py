"""``poolwise study leave-out``, ``depth`` and ``movement`` as people and scripts meet them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """Write a made-up collection: qrels, a folder of runs, and the groups of the runs."""
    folder = tmp_path_factory.mktemp("made")
    made = pw.simulate(systems=6, topics=8, depth=30, rng=2)
    pw.write_judgments(made.truth, folder / "qrels.txt")
    (folder / "runs").mkdir()
    for system in made.runs.systems:
        pw.write_run(made.runs, system, folder / "runs" / f"{system}.run")
    pairs = zip(made.groups.systems, made.groups.labels, strict=True)
    (folder / "groups.tsv").write_text("".join(f"{run}\t{group}\n" for run, group in pairs))
    return str(folder / "qrels.txt"), str(folder / "runs"), str(folder / "groups.tsv")


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


def test_leaving_out_runs_measures_each_method(run: Command, files: tuple[str, str, str]) -> None:
    """The command prints what the study finds, one row per treatment."""
    qrels, runs, _ = files
    words = ("-m", "P@10", "--treatment", "nonrelevant,condensed")
    table = rows(run("study", "leave-out", qrels, runs, *words))
    study = pw.studies.leave_out(
        pw.read_judgments(qrels),
        pw.read_runs(runs),
        ["P@10"],
        reduction=pw.studies.LeaveOut(10),
        treatments=["nonrelevant", "condensed"],
    )
    assert [r["treatment"] for r in table] == ["nonrelevant", "condensed"]
    assert [float(r["rmse"]) for r in table] == study.columns()["rmse"]


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        (("--depth", "5", "--groups", "GROUPS"), "leave out groups to depth 5"),
        (("--rate", "0.5", "--repeats", "2"), "keep 0.5 of judgments"),
        (("--pool-depth", "5"), "pool depth 5"),
        (("--width", "2", "--repeats", "2"), "pool of 2 runs to depth 10"),
    ],
)
def test_judgments_can_be_taken_away_in_many_ways(
    run: Command, files: tuple[str, str, str], words: tuple[str, ...], condition: str
) -> None:
    """Groups, rates, depths and widths are all conditions of one study."""
    qrels, runs, groups = files
    arguments = [groups if word == "GROUPS" else word for word in words]
    result = run(
        "study", "leave-out", qrels, runs, "-m", "P@10", "--treatment", "condensed", *arguments
    )
    assert [r["condition"] for r in rows(result)] == [condition]


def test_depth_prints_a_grid_for_people(run: Command, files: tuple[str, str, str]) -> None:
    """Tables have a row per pool depth and a column per evaluation depth."""
    qrels, runs, _ = files
    depths = ("--pool-depths", "5,30", "--depths", "5,10,30")
    text = run("study", "depth", qrels, runs, "-m", "nDCG", *depths, "--format", "md").stdout
    assert "| pool depth |" in text
    assert "@30" in text
    assert len(rows(run("study", "depth", qrels, runs, "-m", "nDCG", *depths))) == 6


def test_movement_prints_quartiles(run: Command, files: tuple[str, str, str]) -> None:
    """A row per measure and shallow pool; no RBP is above its final value."""
    qrels, runs, _ = files
    words = ("-m", "AP,RBP(p=0.9)", "--pool-depths", "3,5", "--reference", "30")
    table = rows(run("study", "movement", qrels, runs, *words))
    assert [(r["measure"], r["pool_depth"]) for r in table][2:] == [
        ("RBP(p=0.9)", "3"),
        ("RBP(p=0.9)", "5"),
    ]
    assert [float(r["higher"]) for r in table[2:]] == [0, 0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("leave-out", "--depth", "99"), "no deeper than the longest list; got 99"),
        (("leave-out", "--rate", "0.5", "--width", "2"), "exclude each other"),
        (("leave-out", "--groups", "nowhere.tsv"), "nowhere.tsv"),
        (("depth", "--depths", "5,x"), "whole numbers with commas"),
        (("depth", "--depths", "5", "-m", "Rprec"), "cannot be cut at a depth"),
        (("movement", "--reference", "5"), "smaller than the reference, 5"),
    ],
)
def test_what_cannot_be_studied_is_refused(
    run: Command, files: tuple[str, str, str], words: tuple[str, ...], message: str
) -> None:
    """A depth that no run has, files that are not there: each ends with one clear line."""
    qrels, runs, _ = files
    command, *rest = words
    options = ["--pool-depths", "5"] if command == "depth" else []
    result = run("study", command, qrels, runs, "-m", "P@10", *options, *rest)
    assert result.exit_code != 0
    assert message in result.stderr


def test_a_run_without_a_group_is_named(
    run: Command, files: tuple[str, str, str], tmp_path: Path
) -> None:
    """Groups that leave a run out are refused, with its name."""
    qrels, runs, _ = files
    (tmp_path / "groups.tsv").write_text("bm25-1\tlab\n")
    words = ("-m", "P@10", "--groups", str(tmp_path / "groups.tsv"))
    result = run("study", "leave-out", qrels, runs, *words)
    assert result.exit_code != 0
    assert "is not known" in result.stderr
