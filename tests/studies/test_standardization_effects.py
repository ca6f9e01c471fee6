"""What standardization does to tests and to the order of systems, as W10 chapter 4 prints it."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.comparison._significance import run_test
from poolwise.scores._factor_files import load_factors
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import StandardizationFactors, standardize


@pytest.fixture(scope="module")
def robust(data_dir: Path) -> ScoreTable:
    return read_score_matrix(data_dir / "scores/newbestsub/R04.csv", rows="systems")


def part_of(table: ScoreTable, first: int, last: int) -> ScoreTable:
    return table.select(topics=[t for t in table.topics if first <= int(t) <= last])


def correlations(first: ScoreTable, second: ScoreTable) -> tuple[float, float]:
    means = first.means(), second.means()
    r, tau = (float(correlate(*means, method=m)) for m in ("pearson", "tau_b"))
    return round(r, 3), round(tau, 3)


def test_w10_tables_4_3_and_4_6(data_dir: Path) -> None:
    """On TREC 5 a two-sample test finds as much as a paired one after standardization only."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc5_ap.csv"
    table = read_score_matrix(path, measure="AP")

    def found(scores: ScoreTable, test: str) -> np.ndarray:
        return run_test(scores, test=test).pvalue < 0.05

    assert round(float(found(table, "t").mean()), 3) == 0.636
    assert round(float(found(table, "pooled-t").mean()), 3) == 0.364
    paired, two_sample = (found(standardize(table), test) for test in ("t", "pooled-t"))
    assert round(float(paired.mean()), 3) == 0.683
    assert round(float(two_sample.mean()), 3) == 0.683
    overlap = (paired & two_sample).sum() / (paired | two_sample).sum()
    assert overlap >= 0.9


@pytest.mark.parametrize(
    ("name", "topics", "printed"),
    [
        ("trec6.adhoc", (301, 350), (0.997, 0.945)),
        ("trec7.adhoc", (351, 400), (0.999, 0.965)),
        ("trec8.adhoc", (401, 450), (0.999, 0.971)),
        ("trec2003.rob", (601, 650), (0.995, 0.935)),
    ],
)
def test_w10_table_4_7(
    data_dir: Path,
    robust: ScoreTable,
    name: str,
    topics: tuple[int, int],
    printed: tuple[float, float],
) -> None:
    """Original runs and Robust 2004 runs, as references, order the Robust 2004 runs alike."""
    part = part_of(robust, *topics)
    factors = load_factors(data_dir / f"standardization-factors/{name}.mn.csv", measure="AP")
    own = standardize(part, StandardizationFactors.from_table(part))
    assert correlations(standardize(part, factors), own) == printed


def test_w10_table_4_7_reference_column(data_dir: Path, robust: ScoreTable) -> None:
    """Two sets of topics agree far less on AP (r 0.943, τ 0.742); AP and sAP have τ 0.888."""
    old, new = part_of(robust, 601, 650), part_of(robust, 651, 700)
    assert correlations(old, new) == (0.943, 0.742)
    factors = load_factors(data_dir / "standardization-factors/trec2003.rob.mn.csv", measure="AP")
    standardized = standardize(old, factors)
    assert correlations(old, standardized)[1] == 0.888
    # W10 §4.7.2: the largest score of a non-reference system, on topic 605
    assert round(float(standardized.value.max()), 2) == 11.82
    column = standardized.value[:, standardized.topics.index("605")]
    assert (column > np.sqrt(77)).sum() == 8
