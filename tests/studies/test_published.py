"""D10 and U18 on pools of TREC-8, as their papers print them."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.studies._depth import DepthStudy, depths
from poolwise.studies._movement import movement

Trec8 = tuple[Judgments, Runs]


@pytest.fixture(scope="module")
def trec8(data_dir: Path) -> Trec8:
    """Return all runs of TREC-8, ties as trec_eval breaks them, and its judgments."""
    folder = data_dir / "trec8"
    return read_judgments(folder / "qrels.gz"), read_runs(folder / "runs")


@pytest.fixture(scope="module")
def table_3(trec8: Trec8) -> DepthStudy:
    """Return the settings of D10 table 3: shallow, extended and deep, and one that it leaves out.

    Pools are formed from all 129 runs; DCG has the jk discount; p leaves a residual of 0.1.
    """
    measures = ["aAP", "nDCG(dcg='jk')", "RBP"]
    return depths(*trec8, measures, pool_depths=[10, 100], depths=[10, 100], residual=0.1)


def read(text: str) -> np.ndarray:
    """Return the numbers of a table, row by row."""
    return np.array(text.split(), float)


def test_d10_table_2(trec8: Trec8) -> None:
    """τ between measures at depths 10 and 1,000 is D10 table 2's, digit for digit.

    This reading gives it: pools from all 129 runs, τ_b, AP over all relevant documents (expanded),
    nDCG with the jk discount. RBP(p=0.8) has all judgments and no cut-off, as a measure without a
    depth; cut at rank 10 and on the pool of depth 10, five cells more differ, by up to 0.014.
    """
    cut = ["P", "R", "AP", "nDCG(dcg='jk')"]
    shallow = depths(*trec8, cut, pool_depths=[10], depths=[10]).settings
    deep = depths(*trec8, [*cut, "RBP(p=0.9977)"], pool_depths=[100], depths=[1000]).settings
    rbp = depths(*trec8, ["RBP(p=0.8)"], pool_depths=[100], depths=[1000]).settings
    whole = DepthStudy(trec8[1].systems, (*shallow, *rbp, *deep))
    ours = whole.order_correlation()[np.triu_indices(10, 1)]
    published = read(
        """
        0.88 0.90 0.94 0.93 0.74 0.69 0.83 0.83 0.80
        0.90 0.86 0.86 0.71 0.68 0.83 0.82 0.77
        0.90 0.90 0.73 0.70 0.86 0.85 0.79
        0.98 0.71 0.66 0.80 0.81 0.78
        0.72 0.67 0.81 0.81 0.79
        0.88 0.81 0.85 0.90
        0.79 0.84 0.82
        0.91 0.88
        0.91
        """
    )
    assert ours.round(2).tolist() == published.tolist()


def test_d10_table_3(table_3: DepthStudy) -> None:
    """τ between p-value orders is D10 table 3's, digit for digit."""
    kept = [i for i, s in enumerate(table_3.settings) if (s.pool_depth, s.depth) != (100, 10)]
    ours = table_3.pvalue_correlation()[np.ix_(kept, kept)][np.triu_indices(9, 1)]
    published = read(
        """
        0.89 0.88 0.73 0.72 0.67 0.74 0.74 0.73
        0.96 0.73 0.75 0.70 0.73 0.76 0.74
        0.72 0.74 0.69 0.72 0.75 0.73
        0.88 0.84 0.86 0.86 0.81
        0.88 0.79 0.88 0.83
        0.75 0.81 0.85
        0.87 0.82
        0.88
        """
    )
    assert ours.round(2).tolist() == published.tolist()


def test_d10_figure_2(table_3: DepthStudy) -> None:
    """Shallow, extended and deep nDCG order the runs with the τ that D10 figure 2 gives."""
    at = {(s.pool_depth, s.depth): s for s in table_3.settings if s.family.name == "nDCG"}
    chosen = DepthStudy(table_3.systems, (at[10, 10], at[10, 100], at[100, 100]))
    taus = chosen.order_correlation(method="tau")
    assert [taus[0, 1], taus[1, 2], taus[0, 2]] == pytest.approx([0.874, 0.939, 0.857], abs=0.001)


@pytest.mark.parametrize(
    ("measure", "form", "pool_depth", "depth", "power"),
    [
        ("SP", "standardized", 100, 100, 0.716),
        ("SP", "standardized", 10, 10, 0.660),
        ("R", "given", 100, 100, 0.676),
        ("R", "given", 10, 10, 0.603),
        ("DCG(dcg='jk')", "normalized", 20, 20, 0.669),
        ("DCG(dcg='jk')", "normalized", 5, 20, 0.675),
    ],
)
def test_d10_figure_4(  # noqa: PLR0917 -- one parameter per column
    trec8: Trec8, measure: str, form: str, pool_depth: int, depth: int, power: float
) -> None:
    """The discriminative powers that D10 reads off figure 4 come out within 0.001."""
    study = depths(*trec8, [measure], pool_depths=[pool_depth], depths=[depth], forms=[form])
    assert study.settings[0].power() == pytest.approx(power, abs=0.001)


def test_u18_figure_5_and_6(data_dir: Path) -> None:
    """On the deeply judged runs RBP only rises with depth, and AP and nDCG mostly fall.

    U18 prints these for TREC-7 and TREC-13. TREC-8 shows the same: τ of residual and movement is
    weak, stronger for ratios than for differences, and for ratios positive with AP and nDCG
    (published 0.18 and 0.14, 0.16 and 0.08; here 0.09 and 0.09), negative with RBP (published
    −0.19 and −0.23; here −0.18).
    """
    folder = data_dir / "trec8"
    judgments = read_judgments(folder / "qrels.gz")
    runs = read_runs(folder / "runs", ties="rank")
    runs = runs.select(nominate(judgments, runs).deeply_judged(50))
    ap, ndcg, rbp = movement(judgments, runs, ["AP", "nDCG", "RBP(p=0.98)"])
    assert (rbp.differences <= 1e-12).all()
    for falling in (ap, ndcg):
        columns = falling.columns()
        assert all(up > down for up, down in zip(columns["higher"], columns["lower"], strict=True))
        assert min(columns["mean"]) > 0
    taus = [moved.correlation(relative=True) for moved in (ap, ndcg, rbp)]
    assert taus == pytest.approx([0.09, 0.09, -0.18], abs=0.01)
    for moved, tau in zip((ap, ndcg, rbp), taus, strict=True):
        assert abs(moved.correlation()) < abs(tau)


def test_d10_figure_3(trec8: Trec8) -> None:
    """Pooling deeper than evaluation costs expanded normalization power, and abbreviated none."""
    options = {"pool_depths": [10, 20, 100], "depths": [10], "forms": ["expanded", "normalized"]}
    study = depths(*trec8, ["AP", "nDCG(dcg='jk')"], **options)
    for family in ("AP", "nDCG(dcg='jk')"):
        expanded, abbreviated = (
            [s.power() for s in study.settings if (str(s.family), s.form) == (family, form)]
            for form in ("expanded", "normalized")
        )
        assert expanded[0] > expanded[1] > expanded[2]
        assert max(abbreviated) - min(abbreviated) < 0.002
        assert min(abbreviated) > max(expanded)
