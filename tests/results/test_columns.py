"""Columns leave in every format with nothing lost."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.each import over

from poolwise.results._columns import Backend, to_csv, to_frame, to_json
from poolwise.results._parquet import write_parquet
from poolwise.scores._score_table import TIDY_COLUMNS, ScoreTable, tidy

AWKWARD = {"run": ['a"b', "c,d", "NA"], "value": [0.1, float("nan"), 1 / 3]}


def test_csv_reads_back() -> None:
    """Quotes and commas in names survive, numbers to the last digit, and undefined is empty."""
    rows = list(csv.DictReader(io.StringIO(to_csv(AWKWARD))))
    assert [r["run"] for r in rows] == AWKWARD["run"]
    assert rows[1]["value"] == ""
    assert float(rows[2]["value"]) == 1 / 3


def test_json_reads_back() -> None:
    """Undefined is null, since JSON has no NaN."""
    assert json.loads(to_json(AWKWARD))[1] == {"run": "c,d", "value": None}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_same_rows(backend: Backend) -> None:
    """Every kind of frame has the columns in order, and ids as strings."""
    frame = to_frame(AWKWARD, backend=backend)
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == ["run", "value"]
    values = frame["run"].to_pylist() if backend == "pyarrow" else list(frame["run"])
    assert values == AWKWARD["run"]


def test_parquet_reads_back(tmp_path: Path) -> None:
    """A Parquet file holds the columns as written."""
    parquet = pytest.importorskip("pyarrow.parquet")
    write_parquet(AWKWARD, tmp_path / "x.parquet")
    assert parquet.read_table(tmp_path / "x.parquet")["run"].to_pylist() == AWKWARD["run"]


def test_tidy_has_a_row_per_run_topic_and_mean() -> None:
    """Topic `all` is the mean; only it has an interval."""
    scores = ScoreTable.from_matrix(
        [[0.2, 0.4], [0.1, 0.1]], systems=["a", "b"], topics=["1", "2"], measure="AP"
    )
    columns = tidy([scores])
    assert tuple(columns) == TIDY_COLUMNS
    assert columns["topic"] == ["1", "2", "1", "2", "all", "all"]
    assert columns["value"][4:] == pytest.approx([0.3, 0.1])
    assert all(low != low for low in columns["ci_low"][:4])  # noqa: PLR0124 -- NaN is unequal to itself
    assert columns["ci_low"][5] == pytest.approx(0.1)


@over("text", ["=1+1", "+1", "-1+cmd", "@SUM(A1)", "\tx", "|calc", "%0"])
def test_a_text_that_a_spreadsheet_computes_is_marked_on_request(text: str) -> None:
    """The apostrophe stands before texts alone; numbers stay numbers."""
    columns = {"run": [text, "bm25"], "value": [-0.5, 1e-7]}
    rows = list(csv.reader(io.StringIO(to_csv(columns, safe=True), newline="")))
    assert rows[1:] == [[f"'{text}", "-0.5"], ["bm25", "1e-07"]]
    assert next(iter(csv.reader([to_csv(columns).splitlines()[1]])))[0] == text
