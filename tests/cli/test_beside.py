"""What the commands say of latency and cost, and what they refuse with them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
BOTH = ("qrels.txt", "runs", "-m", "P@2", "--beside", "costs.csv")


@pytest.fixture(autouse=True)
def _costs(collection: Path) -> None:
    (collection / "costs.csv").write_text("run,cost,qps\nbm25,3,10\ndense,5,40\n")


def test_each_column_stands_beside_each_score(run: Run) -> None:
    """JSON has a row for each run and column; its record has the hash of the file."""
    output = json.loads(run("evaluate", *BOTH, "--format", "json").stdout)
    rows = {(row["run"], row["beside"]): row for row in output["rows"]}
    assert set(rows) == {(r, c) for r in ("bm25", "dense") for c in ("cost", "qps")}
    assert rows["bm25", "cost"]["side_mean"] == 3.0
    assert rows["dense", "cost"]["on_front"] == "no"
    # Of queries per second more is better, so that the worse run is on the front.
    assert rows["dense", "qps"]["on_front"] == "yes"
    assert "costs.csv" in [entry["path"] for entry in output["provenance"]["inputs"]]


def test_more_is_better_where_somebody_says_so(run: Run) -> None:
    """Then nothing is inferred from the names of columns."""
    output = json.loads(run("evaluate", *BOTH, "--more", "cost", "--format", "json").stdout)
    front = {(row["run"], row["beside"]) for row in output["rows"] if row["on_front"] == "yes"}
    assert ("dense", "cost") in front
    assert ("dense", "qps") not in front


def test_a_comparison_has_both_differences(run: Run) -> None:
    """And a baseline takes the place of all pairs."""
    output = json.loads(run("compare", *BOTH, "--format", "json").stdout)
    assert [row["side_difference"] for row in output["rows"]] == [-2.0, -30.0]
    asked = run("compare", *BOTH, "--baseline", "bm25", "--format", "json")
    assert [row["a"] for row in json.loads(asked.stdout)["rows"]] == ["dense", "dense"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", *BOTH, "--per-topic"), "--beside goes without --per-topic"),
        (("evaluate", *BOTH, "--ceiling"), "--beside goes without --ceiling"),
        (("compare", *BOTH, "--test", "sign"), "--beside goes without --test"),
        (("compare", *BOTH, "--cluster", "x"), "--beside goes without --cluster"),
        (("evaluate", *BOTH[:4], "--more", "qps"), "add --beside FILE"),
        (("audit", *BOTH[:2], "--queries", "x"), "--queries and --grades go with --rules"),
        (("audit", *BOTH[:2], "--rules", "--origin"), "are one question each"),
        (("audit", *BOTH[:2], "--origin", "--documents", "x"), "--documents goes with --rules"),
    ],
)
def test_what_says_nothing_there_is_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    """By name, and before anything is computed."""
    result = run(*words)
    assert result.exit_code == 3
    assert said in result.stderr


def test_checks_of_judgments_are_rows_for_programs(run: Run) -> None:
    """All rules are there, with what could not be looked for; grades are declared by name."""
    words = ("audit", "qrels.txt", "runs", "--rules", "--grades", "0,1", "--format", "json")
    rows = {row["rule"]: row for row in json.loads(run(*words).stdout)["rows"]}
    assert rows["outside the scale"]["worst"] == "1:c (2)"
    assert rows["nothing relevant"]["worst"] == "3"
    assert rows["order inverted"]["needs"] == "--queries"


def test_few_topics_have_no_origin(run: Run) -> None:
    """It is said why, and every run has its row."""
    output = json.loads(run("audit", "qrels.txt", "runs", "--origin", "--format", "json").stdout)
    assert "There is no test" in output["sentences"][0]
    assert {row["run"] for row in output["rows"]} == {"bm25", "dense"}
