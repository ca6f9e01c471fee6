"""W10, D10 and U18 on TREC-8, digit for digit."""

from pathlib import Path
from typing import NamedTuple

import pytest

from poolwise.collection._pools import Nominations, nominate
from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._discrimination import (
    Discrimination,
    discriminate,
    pvalue_correlation,
    significance_agreement,
)
from poolwise.findings.comparison._compare import compare_pair
from poolwise.measures.families._static_weights import persistence
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score

DEPTHS = (5, 10, 15, 20, 25, 50)


class Collection(NamedTuple):
    """Runs met with judgments, and who nominated what."""

    evidence: Evidence
    nominations: Nominations


def found(evidence: Evidence, measure: str) -> Discrimination:
    """Return what a measure tells apart."""
    return discriminate(score(evidence, measure, bounds="none"))


@pytest.fixture(scope="module")
def d10(data_dir: Path) -> Collection:
    """Return all runs of TREC-8, ties as trec_eval breaks them."""
    judgments = read_judgments(data_dir / "trec8" / "qrels.gz")
    runs = read_runs(data_dir / "trec8" / "runs")
    return Collection(align(judgments, runs), nominate(judgments, runs))


@pytest.fixture(scope="module")
def u18(data_dir: Path) -> Collection:
    """Return the deeply judged runs of TREC-8, ties by rank (U18 §3.1)."""
    judgments = read_judgments(data_dir / "trec8" / "qrels.gz")
    runs = read_runs(data_dir / "trec8" / "runs", ties="rank")
    runs = runs.select(nominate(judgments, runs).deeply_judged(50))
    return Collection(align(judgments, runs), nominate(judgments, runs))


@pytest.fixture(scope="module")
def w10(d10: Collection) -> ScoreTable:
    """Return AP of the thesis's two example systems (W10 fig. 3.11)."""
    return score(d10.evidence, "AP", bounds="none")


@pytest.mark.parametrize(
    ("test", "sided", "p"),
    [
        ("sign", "greater", 0.0033),
        ("sign", "two-sided", 0.0066),
        ("t", "two-sided", 0.035),
        ("pooled-t", "two-sided", 0.202),
    ],
)
def test_w10_tests(w10: ScoreTable, test: str, sided: str, p: float) -> None:
    """Sign, paired and two-sample t tests of CL99XT and apl8c221 give W10 §3.3's p values."""
    finding = compare_pair(w10, "CL99XT", "apl8c221", test=test, alternative=sided)
    assert finding.pvalue == pytest.approx(p, abs=0.5 * 10.0 ** -len(str(p)[2:]))
    assert (finding.wins, finding.losses, round(finding.difference, 3)) == (35, 15, 0.058)


def test_w10_bootstrap(w10: ScoreTable) -> None:
    """The bootstrap test gives W10 fig. 3.14's p and §3.3.5's interval, to resampling noise."""
    finding = compare_pair(w10, "CL99XT", "apl8c221", test="bootstrap", resamples=50_000, rng=1)
    # The thesis counted 149 of 5,000 resamples: a standard error of 0.0024.
    assert finding.pvalue == pytest.approx(0.0298, abs=0.005)
    assert finding.interval() == pytest.approx((0.005, 0.109), abs=0.0025)


@pytest.mark.parametrize(
    ("measure", "power"),
    [
        ("P@10", 0.645),
        ("RBP(p=0.8)", 0.657),
        ("RBP(p=0.95)", 0.691),
        ("AP@1000", 0.725),
        ("nDCG(dcg='jk')@1000", 0.718),
    ],
)
def test_d10_table_1(d10: Collection, measure: str, power: float) -> None:
    """The discriminative power of five measures on TREC-8 is that of D10 table 1."""
    assert round(found(d10.evidence, measure).power, 3) == power


def test_d10_table_3(d10: Collection) -> None:
    """τ between p-value orders, over pool and evaluation depth, is that of D10 table 3."""
    settings = []
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        evidence = d10.evidence.regrade(d10.nominations.depth_pool(pool))
        # D10 eq. 7: the persistence that leaves a residual of 0.1 beyond the depth.
        p = persistence(0.1, depth=depth)
        names = (f"aAP@{depth}", f"nDCG(dcg='jk')@{depth}", f"RBP(p={p})@{depth}")
        settings += [found(evidence, name) for name in names]
    rows = [
        [round(pvalue_correlation(settings[i], settings[j]), 2) for j in range(i + 1, 9)]
        for i in range(8)
    ]
    assert rows == [
        [0.89, 0.88, 0.73, 0.72, 0.67, 0.74, 0.74, 0.73],
        [0.96, 0.73, 0.75, 0.70, 0.73, 0.76, 0.74],
        [0.72, 0.74, 0.69, 0.72, 0.75, 0.73],
        [0.88, 0.84, 0.86, 0.86, 0.81],
        [0.88, 0.79, 0.88, 0.83],
        [0.75, 0.81, 0.85],
        [0.87, 0.82],
        [0.88],
    ]


@pytest.mark.parametrize(
    ("measure", "percent"),
    [
        ("AP", [71.1, 72.6, 73.0, 73.6, 73.5, 73.8]),
        ("nDCG", [68.7, 70.2, 70.2, 70.8, 71.3, 71.6]),
        ("RBP(p=0.98)", [69.6, 71.2, 71.7, 72.1, 72.2, 72.5]),
    ],
)
def test_u18_table_5(u18: Collection, measure: str, percent: list[float]) -> None:
    """The discrimination ratios of reduced pools are those of U18 table 5, rows TREC-8."""
    pools = [u18.evidence.regrade(u18.nominations.depth_pool(d)) for d in DEPTHS]
    assert [round(100 * found(pool, measure).power, 1) for pool in pools] == percent


def test_u18_contradictions(u18: Collection) -> None:
    """RBP on pools of depth 5 contradicts depth 50 on three pairs of TREC-8 runs (U18 §3.6)."""
    shallow, deep = (
        found(u18.evidence.regrade(u18.nominations.depth_pool(d)), "RBP(p=0.98)") for d in (5, 50)
    )
    counts = significance_agreement(shallow, deep)
    assert counts.contradictions == 3
    assert counts.true_positives + counts.false_positives == shallow.significant.sum()
