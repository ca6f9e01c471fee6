"""Densities, shades and item–total correlations, against W10 §3.3.7 and chapter 4."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import gaussian_kde, pearsonr

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.distribution._densities import silverman_bandwidth


@pytest.fixture(scope="module")
def trec5(data_dir: Path) -> pw.ScoreTable:
    """Return AP of the 61 runs of TREC 5, by name."""
    scores = data_dir / "scores/urbano/sigir2019-statistical/adhoc5_ap.csv"
    plain = pw.read_score_matrix(scores, measure="AP")
    with (data_dir / "scores/trec5-runs.tsv").open() as lines:
        names = [row["run"] for row in csv.DictReader(lines, delimiter="\t")]
    return pw.ScoreTable.from_matrix(plain.value, systems=names, topics=plain.topics, measure="AP")


@pytest.fixture(scope="module")
def flab(data_dir: Path) -> pw.ScoreTable:
    """Return AP of the run of W10 fig. 3.17 to 3.20."""
    evidence = pw.workflows.as_evidence(
        data_dir / "trec8/qrels.gz", data_dir / "trec8/runs/Flab8atdn.gz"
    )
    return pw.score(evidence, "AP", bounds="none")


def test_w10_item_total_correlation(trec5: pw.ScoreTable) -> None:
    """W10 §4.2.2: r of deviation and item–total correlation is 0.277, and not significant."""
    totals = pw.findings.item_total_correlations(trec5)
    assert round(totals.correlation, 3) == 0.277
    assert totals.pvalue > 0.05
    r, p = pearsonr(totals.item_total, totals.deviation)
    assert (totals.correlation, totals.pvalue) == pytest.approx((r, p))
    assert "do not tell more: r = 0.277, p = 0.05" in totals.sentences()[1]


def test_w10_item_total_correlation_of_automatic_runs(trec5: pw.ScoreTable, data_dir: Path) -> None:
    """Of the automatic runs that work it is smaller: 0.091 there, 0.058 by our list of them."""
    with (data_dir / "scores/trec5-runs.tsv").open() as lines:
        kinds = {row["run"]: row["type"] for row in csv.DictReader(lines, delimiter="\t")}
    means = dict(zip(trec5.systems, trec5.means(), strict=True))
    chosen = [
        run
        for run, kind in kinds.items()
        if kind == "automatic" and not run.startswith("LN") and means[run] > 0.05
    ]
    totals = pw.findings.item_total_correlations(trec5.select(runs=chosen))
    assert len(chosen) == 28
    assert 0 < totals.correlation < 0.1
    assert totals.pvalue > 0.05


def test_w10_shades(trec5: pw.ScoreTable) -> None:
    """W10 fig. 4.1 and 4.6: white from 0.57, lightest grey from 0.38, black below 0.0015."""
    intensity = pw.findings.score_intensity(trec5)
    raw, z = intensity.raw_limits, intensity.standardized_limits
    assert np.round(raw[[-1, -2]], 2).tolist() == [0.57, 0.38]
    assert round(float(raw[0]), 4) == 0.0015
    assert np.round(z[[-1, -2, 0]], 2).tolist() == [1.34, 0.89, -1.07]
    assert intensity.systems[0] == "ETHme1"
    assert intensity.sentences()[0].startswith("62% of the variance of AP lies between topics")


def test_a_density_is_that_of_scipy_with_images() -> None:
    """Reflection is the plain density of the data with its images, cut off at the limits."""
    x = np.random.default_rng(1).beta(1, 3, 60)
    grid = np.linspace(0, 1, 501)
    h = silverman_bandwidth(x)
    images = np.concatenate([x, -x, 2 - x])
    plain = gaussian_kde(images, bw_method=h / images.std(ddof=1))
    ours = pw.findings.density(x, grid, limits=(0, 1))
    np.testing.assert_allclose(ours, 3 * plain(grid), rtol=1e-9)
    assert trapezoid(ours, grid) == pytest.approx(1, abs=1e-3)
    assert pw.findings.density(x, [-0.01, 1.01], limits=(0, 1)).tolist() == [0, 0]


def test_w10_figure_3_20(flab: pw.ScoreTable) -> None:
    """The density from 0.2 to 0.4 is roughly 1.5, so that 0.3 of the scores are there."""
    at = np.linspace(0.2, 0.4, 101)
    density = pw.findings.density(flab.value, at, limits=(0, 1))
    assert density.mean() == pytest.approx(1.5, abs=0.15)
    assert trapezoid(density, at) == pytest.approx(0.3, abs=0.03)
    (curve,) = pw.findings.score_densities(flab, runs=["Flab8atdn"]).curves
    assert trapezoid(curve.density, curve.score) == pytest.approx(1, abs=0.005)


def test_w10_figure_3_18(flab: pw.ScoreTable) -> None:
    """Bins from 0 are almost level up to 0.5; bins from −0.05 have three peaks."""
    level = pw.findings.score_histogram(flab, "Flab8atdn").counts
    shifted = pw.findings.score_histogram(flab, "Flab8atdn", offset=-0.05).counts
    assert level.sum() == shifted.sum() == 50
    assert np.ptp(level[:5]) < np.ptp(shifted[:6])
    inside = shifted[1:-1]
    peaks = (inside > shifted[:-2]) & (inside > shifted[2:])
    assert peaks.sum() + (shifted[0] > shifted[1]) >= 3


def test_w10_figure_4_2(trec5: pw.ScoreTable) -> None:
    """The systems and topics of table 4.1 are those at the percentiles."""
    systems = pw.findings.score_densities(trec5, "systems").curves
    assert [c.name for c in systems] == ["ETHme1", "LNmFull1", "Cor5A1se", "anu5aut1"]
    topics = pw.findings.score_densities(trec5, "topics").curves
    assert [c.name for c in topics] == [trec5.topics[q - 251] for q in (276, 262, 277, 252)]


def test_w10_section_4_4_1(trec5: pw.ScoreTable) -> None:
    """Raw scores are dense near 0, standardized ones a little below 0."""
    raw, z = pw.findings.score_densities(trec5).curves
    assert raw.score[raw.density.argmax()] < 0.05
    assert -0.8 < z.score[z.density.argmax()] < 0


def test_what_cannot_be_drawn_is_refused() -> None:
    """No scores, no width, and tables that are too small are refused."""
    table = pw.ScoreTable.from_matrix([[0.1, 0.2]], systems="a", topics="12", measure="AP")
    calls = [
        lambda: pw.findings.density([np.nan], [0.1]),
        lambda: pw.findings.density([0.1], [0.1], bandwidth=0),
        lambda: pw.findings.score_densities(table, bandwidth=-1),
        lambda: pw.findings.score_histogram(table, width=0),
        lambda: pw.findings.item_total_correlations(table),
        lambda: pw.studies.enough_references(table, references=["a"]),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_what_is_for_drawing_has_a_short_table(trec5: pw.ScoreTable) -> None:
    """A window shows a row for each curve, or for each system; programs get every point."""
    densities, shades = pw.findings.score_densities(trec5), pw.findings.score_intensity(trec5)
    assert len(densities.columns()["score"]) == 402
    (table,) = densities.tables()
    assert [row[0] for row in table.rows] == ["AP", "sAP"]
    raw = densities.curves[0]
    assert table.rows[0][2:] == (raw.score[raw.density.argmax()], raw.density.max())
    (table,) = shades.tables()
    assert [row[0] for row in table.rows] == list(shades.systems)
    assert [row[1] for row in table.rows] == pytest.approx(shades.raw.mean(axis=1))
