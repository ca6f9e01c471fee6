"""A measure that a user wrote goes through every study as the measures of the catalogue do."""

from typing import ClassVar

import numpy as np
import pytest

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.evidence.grade_codes import without_grade
from poolwise.evidence.grades import Block
from poolwise.measures.measure import Ranked


class TopShare(Ranked):
    """Share of relevant documents in the first two ranks, or down to another cut-off."""

    name: ClassVar[str] = "TopShare"

    cutoff: int | None = 2

    def score_block(self, block: Block) -> Floats:
        """Count relevant documents, over the number of ranks."""
        top = self.cut(block)
        relevant = top.lookup((top.scale >= 1).astype(np.float64)) > 0
        return relevant.sum(axis=2) / (self.cutoff or 1)

    range_kind: ClassVar[str] = "exact"

    def bounds_block(self, block: Block, outside: Floats) -> pw.measures.Bounds:  # noqa: ARG002
        """Take every unjudged document as not relevant, and as relevant."""
        unknown = without_grade(self.cut(block).codes).sum(axis=2)
        lower = self.score_block(block)
        return pw.measures.Bounds(lower, lower + unknown / (self.cutoff or 1))


@pytest.fixture(scope="module")
def made() -> pw.collection.Simulated:
    """Return eight runs on twenty topics."""
    return pw.simulate(systems=8, topics=20, depth=30, rng=3)


@pytest.fixture(scope="module")
def evidence(made: pw.collection.Simulated) -> pw.Evidence:
    """Return the runs met with judgments that have gaps."""
    return pw.align(made.judgments, made.runs)


def numbers(found: pw.studies.LeaveOutStudy) -> list[list[float]]:
    """Return everything that was measured, without the name of the measure."""
    columns = found.columns()
    columns.pop("measure")
    return list(columns.values())


def test_leaving_out_is_that_of_p_at_2(made: pw.collection.Simulated) -> None:
    """Treatments of any measure find of the user's what they find of P@2, which is the same."""
    options = {"reduction": pw.studies.LeaveOut(5), "treatments": ["nonrelevant", "condensed"]}
    own, known = (
        pw.studies.leave_out(made.truth, made.runs, [measure], **options)
        for measure in (TopShare(), "P@2")
    )
    assert own.measures == (TopShare(),)
    assert str(numbers(own)) == str(numbers(known))  # NaN is NaN
    exact = pw.studies.leave_out(
        made.truth, made.runs, [TopShare()], reduction=options["reduction"], treatments="exact"
    )
    assert exact.rows[0].accuracy.coverage == 1


def test_depths_set_its_cut_off(made: pw.collection.Simulated) -> None:
    """A measure that can be cut is cut at every depth, and is the same value on every row."""
    found = pw.studies.depths(
        made.truth, made.runs, [TopShare(), "P"], pool_depths=[5, 30], depths=[5, 10]
    )
    own, known = (
        [s for s in found.settings if s.family == family] for family in (TopShare(), pw.P)
    )
    assert [s.measure for s in own] == [TopShare() @ 5, TopShare() @ 10] * 2
    for one, other in zip(own, known, strict=True):
        np.testing.assert_allclose(one.means, other.means)


def test_movement_and_persistence_keep_the_value(
    made: pw.collection.Simulated, evidence: pw.Evidence
) -> None:
    """Each result is reached by the measure itself, and equals that of P@2."""
    moved = pw.studies.movement(
        made.truth, made.runs, [TopShare(), "P@2"], pool_depths=[1], reference=30
    )
    np.testing.assert_array_equal(moved[TopShare()].scores, moved["P@2"].scores)
    own, known = (pw.studies.match_persistence(evidence, m) for m in (TopShare(), "P@2"))
    assert (own.measure, own.p) == (TopShare(), known.p)
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
    found = pw.scores.estimate_all(evidence, TopShare())
    assert found.measure == TopShare()
    assert {"condensed", "exact", "bootstrap"} <= found.scores.keys()
    assert "cannot treat TopShare@2" in found.refused["interpolation"]
