"""``poolwise study agreement``, ``time`` and ``degradation``."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Command = Callable[..., Result]


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def dated(tmp_path: Path) -> list[str]:
    """Write three runs of one system, and return their paths."""
    days = {"2008-10-20": "abc", "2008-10-21": "acb", "2008-10-22": "cab"}
    for day, items in days.items():
        lines = [f"1 Q0 {d} {r} {9 - r} x.{day}" for r, d in enumerate(items, 1)]
        (tmp_path / f"x.{day}.run").write_text("\n".join(lines) + "\n")
    return [str(path) for path in sorted(tmp_path.glob("*.run"))]


def test_runs_over_time_are_printed_and_drawn(
    run: Command, dated: list[str], tmp_path: Path
) -> None:
    """Each date after the first has a row."""
    file = tmp_path / "time.svg"
    result = run("study", "time", *dated, "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert [row["date"] for row in rows(result.stdout)] == ["2008-10-21", "2008-10-22"]
    assert file.stat().st_size > 1000


def test_dates_are_read_from_a_file(run: Command, dated: list[str], tmp_path: Path) -> None:
    """A line is run, system, date; any other line is refused with its place."""
    names = [row.split()[-1] for row in (Path(p).read_text().splitlines()[0] for p in dated)]
    file = tmp_path / "dates.txt"
    file.write_text("".join(f"{name} s 200{i}-01-01\n" for i, name in enumerate(names)))
    table = rows(run("study", "time", *dated, "--dates", str(file)).stdout)
    assert {row["system"] for row in table} == {"s"}
    file.write_text("a b\n")
    wrong = run("study", "time", *dated, "--dates", str(file))
    assert wrong.exit_code == 3
    assert "dates.txt:1" in wrong.output


def test_agreement_is_by_depth_or_by_persistence(run: Command, dated: list[str]) -> None:
    """Two runs give rows of depths, one run rows of the others."""
    a, b = "x.2008-10-20", "x.2008-10-21"
    by_depth = rows(run("study", "agreement", *dated, "--a", a, "--b", b).stdout)
    assert [row["depth"] for row in by_depth] == ["1", "2", "3"]
    assert [float(row["agreement"]) for row in by_depth] == [1.0, 0.5, 1.0]
    more = rows(run("study", "agreement", *dated, "--a", a, "--b", b, "--also", "M").stdout)
    assert float(more[-1]["M"]) == pytest.approx(0.846, abs=0.001)
    by_p = rows(run("study", "agreement", *dated, "--a", a).stdout)
    assert {row["other"] for row in by_p} == {b, "x.2008-10-22"}


def test_degradation_needs_no_files(run: Command) -> None:
    """Rankings are made up."""
    result = run("study", "degradation", "--repeats", "2", "--swaps", "3")
    assert result.exit_code == 0, result.output
    assert len(rows(result.stdout)) == 9 * 6


@pytest.mark.usefixtures("collection")
def test_orders_by_measures_are_compared(run: Command) -> None:
    """The first measure is the reference of the others."""
    args = ("-m", "AP", "-m", "P@2", "-m", "RR", "--resamples", "20", "--by", "tau_w")
    result = run("study", "orders", "qrels.txt", "runs/", *args)
    assert result.exit_code == 0, result.output
    assert [row["measure"] for row in rows(result.stdout)] == ["P@2", "RR"]


@pytest.mark.usefixtures("collection")
def test_curves_and_weights_are_printed(run: Command) -> None:
    """Each run has eleven levels of recall, and each measure a row per rank."""
    curves = run("study", "curves", "qrels.txt", "runs/")
    assert curves.exit_code == 0, curves.output
    assert len(rows(curves.stdout)) == 2 * 11
    weights = run("study", "weights", "-m", "DCG", "--depth", "20", "--judged", "5")
    assert weights.exit_code == 0, weights.output
    assert len(rows(weights.stdout)) == 20


@pytest.mark.usefixtures("collection")
def test_draws_of_one_list_are_printed(run: Command) -> None:
    """The shares of all scores sum to 1."""
    result = run("study", "draws", "qrels.txt", "runs/", "--run", "bm25", "--topic", "1")
    assert result.exit_code == 0, result.output
    assert sum(float(row["share"]) for row in rows(result.stdout)) == pytest.approx(1)


@pytest.mark.usefixtures("collection")
def test_deeper_pools_hold_no_fewer_documents(run: Command) -> None:
    """Each depth has a row per topic, and counts rise with the depth."""
    result = run("study", "growth", "qrels.txt", "runs/", "--pool-depths", "1,3")
    assert result.exit_code == 0, result.output
    growth = rows(result.stdout)
    shallow, deep = ([r for r in growth if r["depth"] == depth] for depth in ("1", "3"))
    assert len(shallow) == len(deep) > 0
    pairs = zip(shallow, deep, strict=True)
    assert all(int(a["judged"]) <= int(b["judged"]) for a, b in pairs)
