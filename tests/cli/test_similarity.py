"""``poolwise similarity`` as people and scripts meet it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]

RUNS = {
    "one": {"1": ["a", "b", "c"], "2": ["d", "e"]},
    "twin": {"1": ["a", "b", "c"], "2": ["d", "e"]},
    "other": {"1": ["c", "x", "a"], "2": ["y", "z"]},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write three runs, two of them equal, and go there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    runs = pw.Runs.from_rankings(RUNS)
    for system in RUNS:
        pw.write_run(runs, system, tmp_path / "runs" / f"{system}.run")
    return tmp_path


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


@pytest.mark.usefixtures("folder")
def test_programs_get_one_row_per_pair(run: Command) -> None:
    """Each pair has the mean RBO over topics and its bounds, as the function gives them."""
    table = rows(run("similarity", "runs", "--p", "0.8"))
    assert [(r["run"], r["other"]) for r in table] == [
        ("one", "other"),
        ("one", "twin"),
        ("other", "twin"),
    ]
    runs = pw.Runs.from_rankings(RUNS)
    for row in table:
        pair = pw.findings.run_overlap(runs, row["run"], row["other"], p=0.8).mean()
        numbers = [float(row[name]) for name in ("min", "rbo", "max")]
        assert numbers == pytest.approx([pair.min, pair.ext, pair.max])
        assert row["topics"] == "2"


@pytest.mark.usefixtures("folder")
def test_people_get_clusters_duplicates_and_the_matrix(run: Command) -> None:
    """Equal runs share a cluster and are named as near-duplicates."""
    text = run("similarity", "runs", "--format", "md").stdout
    assert "3 runs: 2 clusters" in text
    assert "1 pair of near-duplicates, RBO 0.95 or more" in text
    assert "| one | twin  | 1.000 |" in text


@pytest.mark.usefixtures("folder")
def test_no_near_duplicates_are_said_so(run: Command) -> None:
    """Without a pair so alike, a note says it."""
    text = run("similarity", "runs/one.run", "runs/other.run", "--format", "table").stdout
    assert "no near-duplicates: no two runs overlap by 0.95 or more" in text


@pytest.mark.usefixtures("folder")
def test_one_topic(run: Command) -> None:
    """`--topic` keeps a topic, and there the runs without a common document have no overlap."""
    table = rows(run("similarity", "runs", "--topic", "2"))
    assert [float(r["rbo"]) for r in table] == pytest.approx([0, 1, 0])


@pytest.mark.usefixtures("folder")
def test_per_topic_rows_come_before_the_mean(run: Command) -> None:
    """`--per-topic` adds a row for each topic, whose mean is the last one."""
    words = ("runs/one.run", "runs/other.run", "--per-topic")
    by_topic = rows(run("similarity", *words))
    assert [r["topic"] for r in by_topic] == ["1", "2", "all"]
    first, second, mean = (float(r["rbo"]) for r in by_topic)
    assert mean == pytest.approx((first + second) / 2)
    table = run("similarity", *words, "--format", "table").stdout
    assert "RBO by topic" in table


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("runs/one.run",), "similarity is between runs; got 1"),
        (("runs", "--topic", "9"), "topics: '9' is not known"),
        (("runs", "--p", "1"), "p: persistence must be"),
        (("runs", "--depth", "0"), "depth: must be at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    """One run, unknown topics and impossible options end with one clear line."""
    result = run("similarity", *words)
    assert result.exit_code != 0
    assert message in result.stderr


# ---- an old run and a new one


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("least", "code"), [("0.9", 1), ("0.1", 0)])
def test_a_run_that_moved_too_far_is_1(run: Command, least: str, code: int) -> None:
    """The mean over topics decides; the topics that moved most come first."""
    result = run("similarity", "runs/one.run", "runs/other.run", "--fail-under", least)
    assert result.exit_code == code, result.output
    table = list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))
    assert [r["topic"] for r in table] == ["2", "1"]
    pair = pw.findings.run_overlap(pw.Runs.from_rankings(RUNS), "one", "other")
    assert [float(r["rbo"]) for r in table] == pytest.approx(sorted(pair.ext.tolist()))
    verdict = "Fail: " if code else "Pass: "
    assert (
        f"{verdict}other has a mean rank-biased overlap of {pair.mean().ext:.3f}" in result.stderr
    )
    assert "The furthest moved: 2 (0.000), 1 (" in result.stderr


@pytest.mark.usefixtures("folder")
def test_a_run_that_did_not_move_passes(run: Command) -> None:
    """Even where all is asked for, whatever sums round to."""
    words = ("similarity", "runs/one.run", "runs/twin.run", "--fail-under", "1")
    result = run(*words, "--format", "table")
    assert result.exit_code == 0
    assert "No ranking has moved." in result.stdout


def test_what_was_not_run_is_never_alike(run: Command, folder: Path) -> None:
    """A missing topic, a third run, an impossible bar: exit code 3 and a sentence."""
    (folder / "less.run").write_text("1 Q0 a 1 1 less\n")
    wrong = {
        ("runs/one.run", "less.run", "--fail-under", "0"): "one of them lacks 1 topic; got '2'",
        ("runs", "--fail-under", "0.5"): "an old run and a new one are compared; got 3",
        ("runs/one.run", "runs/twin.run", "--fail-under", "90"): "an overlap is between 0 and 1",
        ("runs/one.run", "runs/twin.run", "--fail-under", "1", "--plot", "x.png"): "--plot draws",
    }
    for words, message in wrong.items():
        result = run("similarity", *words)
        assert result.exit_code == 3
        assert message in result.stderr
