"""RR, ERR and Success."""

import shutil
from itertools import product

import ir_measures
import numpy as np
import pytest

import poolwise as pw
from poolwise import ERR, RR, Evidence, Success
from poolwise.errors import MeasureError


def err(grades: list[float], top: float, depth: int) -> float:
    """Walk down the ranking as Chapelle et al. 2009, algorithm 2, do."""
    reach, expected = 1.0, 0.0
    for rank, grade in enumerate(grades[:depth], 1):
        stop = (2**grade - 1) / 2**top
        expected += reach * stop / rank
        reach *= 1 - stop
    return expected


@pytest.mark.parametrize("depth", [2, 4])
def test_err_is_a_walk_down_the_ranking(depth: int) -> None:
    """ERR equals the walk of its definition, for all rankings of four documents."""
    rankings = [list(r) for r in product([0, 1, 3], repeat=4)]
    evidence = Evidence.from_grades(rankings, scale=[0, 1, 3])
    walked = [err(r, 3, depth) for r in rankings]
    np.testing.assert_allclose((ERR @ depth).score(evidence).ravel(), walked)


@pytest.mark.parametrize("top", [1, 3])
def test_err_on_a_scale_to_4_is_that_of_gdeval(top: int) -> None:
    """ERR(max_rel=4) equals gdeval's, through ir_measures, to its five printed digits."""
    if shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script, and there is no Perl")
    rng = np.random.default_rng(top)
    grades = {d: int(g) for d, g in zip("abcdefgh", rng.integers(0, top + 1, 8), strict=True)}
    grades["a"] = top
    scores = {d: float(s) for d, s in zip("abcdefghxyz", rng.permutation(11), strict=True)}
    qrels = [ir_measures.Qrel("1", d, g) for d, g in grades.items()]
    run = [ir_measures.ScoredDoc("1", d, s) for d, s in scores.items()]
    theirs = ir_measures.calc_aggregate([ir_measures.ERR @ 5], qrels, run)[ir_measures.ERR @ 5]
    evaluation = pw.evaluate({"1": grades}, {"x": {"1": scores}}, ["ERR(max_rel=4)@5"])
    (table,) = evaluation.scores
    assert table.value.item() == pytest.approx(theirs, abs=1e-5)
    assert repr(table.measure) == "ERR(max_rel=4)@5"


def test_a_grade_above_the_scale_of_err_is_refused() -> None:
    """A stop cannot be likelier than certain: the hint names a scale that holds the grade."""
    evidence = Evidence.from_grades([[3, 0]])
    with pytest.raises(MeasureError, match=r"write ERR\(max_rel=3\)"):
        ERR(max_rel=2).score(evidence)
    with pytest.raises(MeasureError, match="above 0"):
        ERR(max_rel=0)


def test_the_upper_bound_of_err_has_the_grades_of_the_scale() -> None:
    """An unjudged document can have the highest grade that was given, not max_rel itself."""
    bounds = ERR(max_rel=4).bounds(Evidence.from_grades([[None]], scale=[0, 1]))
    assert bounds.upper.item() == pytest.approx(1 / 16)


def test_reciprocal_rank() -> None:
    """RR is one over the first relevant rank, 0 without one, and 0 past the cut-off."""
    evidence = Evidence.from_grades([[0, 0, 1, 1], [0, 0], [2]], scale=[0, 1, 2])
    assert RR.score(evidence).ravel() == pytest.approx([1 / 3, 0, 1])
    assert (RR @ 2).score(evidence).ravel() == pytest.approx([0, 0, 1])
    assert RR(rel=2).score(evidence).ravel() == pytest.approx([0, 0, 1])


def test_an_unjudged_document_can_be_the_first_relevant() -> None:
    """The upper bound of RR stands at the first unjudged or relevant document."""
    evidence = Evidence.from_grades([[0, None, 1]])
    lower, upper = RR.bounds(evidence)
    assert (lower.item(), upper.item()) == pytest.approx((1 / 3, 1 / 2))


def test_success() -> None:
    """Success is 1 as soon as one relevant document is within the cut-off."""
    evidence = Evidence.from_grades([[0, 1], [1], [None, 0]], judged=[1])
    assert (Success @ 1).score(evidence).ravel().tolist() == [0, 1, 0]
    assert (Success @ 1).bounds(evidence).upper.ravel().tolist() == [0, 1, 1]
