"""A measure that a user wrote goes through every study as the measures of the catalogue do."""

import numpy as np
import pytest
from tests.own_measure import TopShare

import poolwise as pw


@pytest.fixture(scope="module")
def made() -> pw.collection.Simulated:
    """Return eight runs on twenty topics."""
    return pw.simulate(systems=8, topics=20, depth=30, rng=3)


@pytest.fixture(scope="module")
def evidence(made: pw.collection.Simulated) -> pw.Evidence:
    """Return the runs met with judgments that have gaps."""
    return pw.align(made.judgments, made.runs)


def numbers(study: pw.studies.LeaveOutStudy) -> list[list[float]]:
    """Return everything that was measured, without the name of the measure."""
    columns = study.columns()
    columns.pop("measure")
    return list(columns.values())


def test_leaving_out_is_that_of_p_at_2(made: pw.collection.Simulated) -> None:
    """Treatments of any measure find of the user's what they find of P@2, which is the same."""
    options = {"reduction": pw.studies.LeaveOut(5), "treatments": ["nonrelevant", "condensed"]}
    own, usual = (
        pw.studies.leave_out(made.truth, made.runs, [measure], **options)
        for measure in (TopShare(), "P@2")
    )
    assert own.measures == (TopShare(),)
    assert str(numbers(own)) == str(numbers(usual))  # NaN is NaN
    exact = pw.studies.leave_out(
        made.truth, made.runs, [TopShare()], reduction=options["reduction"], treatments="exact"
    )
    assert exact.rows[0].accuracy.coverage == 1


def test_depths_set_its_cut_off(made: pw.collection.Simulated) -> None:
    """A measure that can be cut is cut at every depth, and is the same value on every row."""
    study = pw.studies.depths(
        made.truth, made.runs, [TopShare(), "P"], pool_depths=[5, 30], depths=[5, 10]
    )
    own, usual = (
        [s for s in study.settings if s.family == family] for family in (TopShare(), pw.P)
    )
    assert [s.measure for s in own] == [TopShare() @ 5, TopShare() @ 10] * 2
    for one, other in zip(own, usual, strict=True):
        np.testing.assert_allclose(one.means, other.means)


def test_movement_and_persistence_keep_the_value(
    made: pw.collection.Simulated, evidence: pw.Evidence
) -> None:
    """Each result is reached by the measure itself, and equals that of P@2."""
    moved = pw.studies.movement(
        made.truth, made.runs, [TopShare(), "P@2"], pool_depths=[1], reference=30
    )
    np.testing.assert_array_equal(moved[TopShare()].scores, moved["P@2"].scores)
    own, usual = (pw.studies.match_persistence(evidence, m) for m in (TopShare(), "P@2"))
    assert (own.measure, own.p) == (TopShare(), usual.p)
    assert pw.studies.matched_residual(evidence, own).means().mean() == pytest.approx(own.residual)
    by_topic = pw.studies.match_persistence_by_topic(evidence, TopShare())
    assert by_topic.columns()["measure"] == ["TopShare@2"] * 20


def test_studies_of_tables_keep_the_value(evidence: pw.Evidence) -> None:
    """Predictivity, swaps, repartitions and false negatives hold the measure of the table."""
    table = pw.score(evidence, TopShare(), bounds="none")
    assert pw.studies.predictivity([table], partitions=20).measures == (TopShare(),)
    swaps = pw.studies.ByMeasure.of([pw.studies.swap_rates(table, draws=20)])
    assert swaps[TopShare()].columns()["measure"][0] == "TopShare@2"
    assert pw.studies.repartition(table, partitions=20).measure == TopShare()
    missed = pw.studies.false_negatives([table], samples=20, sure_alpha=0.2)
    assert list(missed.rates) == ["TopShare@2"]
    stable = pw.studies.reference_stability(table, table, sizes=[4], samples=20)
    assert stable.measure == TopShare()


def test_estimates_hold_the_value(evidence: pw.Evidence) -> None:
    """Treatments that take any measure take the user's, and the others say why they do not."""
    estimates = pw.scores.estimate_all(evidence, TopShare())
    assert estimates.measure == TopShare()
    assert {"condensed", "exact", "bootstrap"} <= estimates.scores.keys()
    assert "cannot treat TopShare@2" in estimates.refused["interpolation"]
