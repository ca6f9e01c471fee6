"""Plausible ranges of differences: calibrated for a new run beside a pooled one alone."""

from functools import cache

import numpy as np
import pytest

import poolwise as pw
from poolwise import Comparisons, compare_evidence

POOLED = 18


@cache
def pools(new: int) -> tuple[pw.Evidence, pw.Evidence]:
    """Return a pool of twenty runs that lacks one of them, and the pool of all."""
    made = pw.simulate(systems=20, topics=15, depth=40, groups=20, unpooled=0, rng=4)
    found = pw.nominate(made.truth, made.runs)
    rest = tuple(run for i, run in enumerate(found.systems) if i != new)
    kept = (found.depth_pool(10, systems=rest), found.depth_pool(10))
    reduced, whole = (pw.align(pool, made.runs) for pool in kept)
    return reduced, whole


@cache
def two_new_runs() -> Comparisons:
    """Compare all of twenty runs, two of which were not pooled."""
    made = pw.simulate(systems=20, topics=12, depth=40, groups=20, unpooled=0, rng=4)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[:POOLED])
    return compare_evidence(pw.align(pool, made.runs), "P@10", draws=50)


def test_they_hold_the_differences_that_judging_the_new_run_shows() -> None:
    """Over new runs and pooled ones, nine ranges in ten hold at least, and are no points."""
    held, narrower = [], []
    for new in (1, 7, 13):
        reduced, whole = pools(new)
        run = reduced.systems[new]
        found = compare_evidence(reduced, "nDCG@10", baselines=run, draws=100)
        means = pw.score(whole, "nDCG@10", bounds="none").means()
        truth = means[found.pairs.left] - means[found.pairs.right]
        inside = (found.plausible_low <= truth) & (truth <= found.plausible_high)
        held.append(inside.mean())
        width = found.plausible_high - found.plausible_low
        narrower.append((width < found.bound_high - found.bound_low).mean())
        assert (width > 0).all()
    assert np.mean(held) >= 0.9
    assert np.mean(narrower) > 0.9


def test_only_a_new_run_beside_a_pooled_one_is_calibrated() -> None:
    """Two pooled runs leave nothing to guess, and of two new ones no error is known."""
    found = two_new_runs()
    new = np.arange(20) >= POOLED
    count = new[found.pairs.left].astype(int) + new[found.pairs.right]
    expected = np.array(["", "calibrated", "not calibrated"])[count]
    assert found.calibration.tolist() == expected.tolist()
    assert np.array_equal(np.isnan(found.plausible_low), count != 1)
    said = " ".join(found.reasons())
    assert "36 differences between a new run and a pooled one holds" in said
    assert "as for 18 groups left out in turn" in said
    assert "What is plausible of 1 difference is not calibrated" in said


def test_they_lie_within_what_is_possible_and_hold_the_mean_of_the_draws() -> None:
    """The plausible is possible, and around what the draws say."""
    found = two_new_runs()
    known = found.calibration == "calibrated"
    low, high = found.plausible_low[known], found.plausible_high[known]
    assert (found.bound_low[known] - 1e-12 <= low).all()
    assert (high <= found.bound_high[known] + 1e-12).all()
    centre = found.drawn.difference[known].mean(axis=1)
    assert (low <= centre).all()
    assert (centre <= high).all()


def test_a_pair_the_other_way_round_has_the_range_the_other_way_round() -> None:
    """With the run that is ahead first, both ends change their sign."""
    found = two_new_runs()
    behind = np.flatnonzero((found.calibration == "calibrated") & (found.difference < 0))
    pair = found[int(behind[0])]
    turned = pair.better_first()
    assert (turned.plausible_low, turned.plausible_high) == (
        -pair.plausible_high,
        -pair.plausible_low,
    )
    ends = f"{turned.plausible_low:.4f} to {turned.plausible_high:.4f}".replace("-", "−")
    assert f"; {ends} is plausible" in turned.sentences()[2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"adaptive": True}, "chosen one after the other"),
        ({"pooled": ("bm25-1", "dfr-1")}, "takes 5 pooled groups"),
    ],
)
def test_where_none_can_be_calibrated_one_sentence_says_why(
    options: dict[str, object], why: str
) -> None:
    """Adaptive judgments, or few groups: no range, the label, and the reason."""
    reduced, _ = pools(1)
    found = compare_evidence(reduced, "P@10", baselines="bm25-1", draws=20, depth=10, **options)
    assert np.isnan(found.plausible_low).all()
    assert set(found.calibration.tolist()) <= {"", "not calibrated"}
    assert any("not calibrated" in said and why in said for said in found.reasons())
    assert any("(not calibrated)" in " ".join(pair.sentences()) for pair in found)


def test_of_a_sample_nothing_is_calibrated() -> None:
    """Documents drawn at random make no pool that a group could be left out of."""
    made = pw.simulate(systems=20, topics=6, depth=40, groups=20, unpooled=0, rng=4)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[:POOLED])
    grades = {
        topic: {d: -1 if number % 3 == 0 else grade for number, (d, grade) in enumerate(of.items())}
        for topic, of in pool.to_dict().items()
    }
    drawn = pw.Judgments.from_dict(grades)
    strata = ["1"] * sum(map(len, grades.values()))
    evidence = pw.align(drawn.with_sampling(stratum=strata), made.runs)
    pooled = made.runs.systems[:POOLED]
    found = compare_evidence(evidence, "P@10", draws=20, depth=10, pooled=pooled)
    assert set(found.calibration.tolist()) == {"not calibrated"}
    assert any("judgments that are a sample" in said for said in found.reasons())


def test_draws_from_another_prior_have_none() -> None:
    """The errors are those of the relevance model; B23's priors have no ranges, nor no draws."""
    reduced, _ = pools(1)
    for options in ({"prior": "pool", "draws": 20}, {"draws": 0}):
        found = compare_evidence(reduced, "P@10", baselines="ql-1", **options)
        assert set(found.calibration.tolist()) == {""}
        assert np.isnan(found.plausible_high).all()
