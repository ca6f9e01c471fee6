"""Nearly ERR and the Bejeweled player model."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from tests.each import over
from tests.properties.strategies import all_gradings, single_lists

import poolwise as pw
from poolwise import BPM, NERR8, NERR10, NERR11, Evidence, parse_measure
from poolwise.errors import MeasureError

FAR = 400_000
PEERS = [
    *(nearly(max_rel=4) @ k for nearly in (ir_measures.NERR8, ir_measures.NERR9) for k in (3, 20)),
    *(ir_measures.NERR10(p=p, max_rel=4) for p in (0.9, 0.5)),
    *(ir_measures.BPM(T=T, max_rel=4) @ k for T, k in ((1.0, 10), (2.5, 20), (0.25, 3))),
]
"""Made without ir_measures' parser, which uses what Python 3.13 warns of and 3.14 lacks."""


@pytest.mark.parametrize("measure", PEERS, ids=str)
def test_cwl_eval_has_the_same_numbers(measure: ir_measures.Measure) -> None:
    """Topic by topic, the numbers are those of cwl_eval 1.0.12, through ir_measures."""
    rng = np.random.default_rng(11)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): {d: int(rng.integers(0, 5)) for d in documents[:7]} for t in range(8)}
    runs = {
        t: {d: float(s) for d, s in zip(documents[: 3 + int(t)], rng.random(12), strict=False)}
        for t in qrels
    }
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, runs)}
    (table,) = pw.evaluate(qrels, {"x": runs}, [measure]).scores
    assert dict(zip(table.topics, table.value[0], strict=True)) == pytest.approx(theirs, abs=1e-12)


def nerr11(gains: list[float], T: float) -> float:
    """Walk Azzopardi et al. 2021, eq. 11, very far down."""
    g = np.zeros(FAR)
    g[: len(gains)] = gains
    i = np.arange(1, FAR + 1)
    on = ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - g)
    views = np.concatenate([[1.0], np.cumprod(on[:-1])])
    return float((views * g).sum() / views.sum())


@over("gains", [[0.5], [0, 0.5, 0], [0.5, 0, 0, 0.5, 0.5]])
@over("T", [0.5, 1, 5])
def test_nerr11_walks_its_definition(gains: list[float], T: float) -> None:
    """NERR11 in closed form is NERR11 summed far down."""
    evidence = Evidence.from_grades([gains], scale=[0, 0.5, 1])
    assert NERR11(T=T).score(evidence).item() == pytest.approx(nerr11(gains, T), abs=1e-4)


def test_the_tail_is_one_perfect_document_past_the_end() -> None:
    """A document of the highest grade ends the reading: with it, the mean is as high as can be."""
    evidence = Evidence.from_grades([[0, 1, 0]], scale=[0, 1, 2])
    longer = Evidence.from_grades([[0, 1, 0, 2]], scale=[0, 1, 2])
    for measure in (NERR10, NERR11(T=2)):
        whole = (measure.score(evidence) + measure.tail(evidence)).item()
        assert whole == pytest.approx(measure.score(longer).item())
        assert (measure @ 3).tail(evidence).item() == 0


def test_a_higher_grade_can_lower_the_bejeweled_players_mean() -> None:
    """With T found sooner, the good document further down is not read any more."""
    less, more = Evidence.from_grades([[2, 1, 4]]), Evidence.from_grades([[2, 2, 4]])
    before, after = ((BPM @ 3).score(e).item() for e in (less, more))
    assert (before, after) == pytest.approx((7 / 4 / 3, 1 / 2))


@settings(max_examples=60, deadline=None)
@given(single_lists())
def test_no_grading_leaves_the_range_of_the_bejeweled_player(evidence: Evidence) -> None:
    """Every grading's score is within the bounds; with binary grades both ends are reached."""
    truths = all_gradings(evidence)
    for measure in (BPM @ 1, BPM @ 3, BPM(T=2) @ 4, BPM(T=0.5) @ 6):
        scores, (lower, upper) = measure.score(truths), measure.bounds(evidence)
        assert (scores >= lower - 1e-12).all()
        assert (scores <= upper + 1e-12).all()
        if len(evidence.scale) == 2 and measure.T >= 1:
            assert (scores.min(), scores.max()) == pytest.approx((lower.item(), upper.item()))


def test_a_grade_above_the_highest_is_refused() -> None:
    """A gain above 1 has no meaning; the hint names a scale that holds the grade."""
    evidence = Evidence.from_grades([[3, 0]])
    for measure in (NERR8 @ 5, BPM @ 5):
        with pytest.raises(MeasureError, match="max_rel=3"):
            measure(max_rel=2).score(evidence)
    with pytest.raises(MeasureError, match="or more"):
        parse_measure("NERR11(T=0)")
