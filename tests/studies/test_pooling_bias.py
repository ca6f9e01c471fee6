"""Runs outside random pools: W10's algorithm 6.3 against the adjustments it is made of."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.studies._pooling_bias import PoolPlan, complete_pool, pooling_bias, sample_errors

MADE = pw.simulate(systems=10, topics=12, depth=20, rng=4)


def test_the_error_is_that_of_the_adjustment_from_topics() -> None:
    """W10 alg. 6.2: an adjusted mean is off by the bias on the common topics less that on all."""
    random = np.random.default_rng(2)
    truth, unpooled = random.random(50), random.random(50)
    common = np.arange(50) < 10
    adjusted = pw.scores.adjust_from_topics(truth, unpooled, common).adjusted
    errors = sample_errors((truth - unpooled)[None], common[None])
    assert adjusted - truth.mean() == pytest.approx(errors.item())


def test_the_bias_is_that_of_the_plain_definitions() -> None:
    """The score under the pool's judgments less that under all, for both treatments."""
    systems = MADE.runs.systems
    tested, pooled = systems[:2], systems[2:5]
    bias = pooling_bias(
        MADE.truth, MADE.runs, "P@5", depth=5, widths=[3], common=[4], pools=2, tested=tested,
        pooled=pooled,
    )  # fmt: skip
    whole = complete_pool(MADE.truth, MADE.runs, 5)
    judged = pw.nominate(whole, MADE.runs).depth_pool(5, systems=pooled)
    outside = pw.align(judged, MADE.runs).select(np.arange(2))
    truth = pw.score(pw.align(whole, MADE.runs), "P@5").means()[:2]
    for base, evidence in enumerate((outside, pw.condense(outside))):
        expected = pw.score(evidence, "P@5").means() - truth
        # All pools are equal here, since three runs are drawn from three.
        assert bias.bias[0, base] == pytest.approx(np.stack([expected, expected]))


def test_adjusting_from_systems_is_the_treatment() -> None:
    """W10 alg. 6.1: the adjusted mean is that of BiasFromSystems for the same pool."""
    systems = MADE.runs.systems
    tested, pooled = systems[:1], systems[3:6]
    bias = pooling_bias(
        MADE.truth, MADE.runs, "P@5", depth=5, widths=[3], common=[4], pools=1, tested=tested,
        pooled=pooled,
    )  # fmt: skip
    whole = complete_pool(MADE.truth, MADE.runs, 5)
    judged = pw.nominate(whole, MADE.runs).depth_pool(5, systems=pooled)
    evidence = pw.align(judged, MADE.runs).select(np.array([0, 3, 4, 5]))
    adjusted = pw.scores.BiasFromSystems(pooled, 5).adjustments(evidence, "P@5")[tested[0]]
    truth = pw.score(pw.align(whole, MADE.runs), "P@5").means()[0]
    assert bias.from_systems.item() == pytest.approx(adjusted.adjusted - truth)


def test_all_topics_but_one_leave_little_error() -> None:
    """W10 eq. 6.5: the error shrinks with the number of common topics, and is gone at all."""
    bias = pooling_bias(
        MADE.truth, MADE.runs, "P@5", depth=5, widths=[2], common=[1, 6, 11], pools=20
    )
    for base in range(2):
        few, half, most = bias.from_topics[0, base].mean(axis=(1, 2))
        assert few > half > most
    assert bias.unadjusted(12).max() == 0


def test_numbers_do_not_depend_on_workers() -> None:
    """Every pool has a seed of its own."""
    serial, two = (
        pooling_bias(MADE.truth, MADE.runs, "P@5", widths=[2, 4], pools=12, rng=3, workers=w)
        for w in (1, 2)
    )
    assert np.array_equal(serial.bias, two.bias)
    assert np.array_equal(serial.from_topics, two.from_topics)


def test_an_unpooled_run_is_never_tested_with_itself() -> None:
    """Whoever is tested is not in the pool, so a pool of all others leaves its own documents."""
    bias = pooling_bias(MADE.truth, MADE.runs, "P@5", depth=5, widths=[9], pools=30)
    assert (bias.bias[0, 0] <= 0).all()
    assert (bias.bias[0, 0] < 0).any()


def test_one_pooled_run_cannot_be_left_out() -> None:
    """A pool of one run has a bias, and nothing to adjust it from but common topics."""
    bias = pooling_bias(MADE.truth, MADE.runs, "P@5", depth=5, widths=[1], pools=3)
    assert np.isnan(bias.from_systems).all()
    assert "Two pooled runs or more" in bias.sentences()[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"widths": [10]}, "widths: must be from 1 to 9"),
        ({"common": [12]}, "common: must be from 1 to 11"),
        ({"pools": 0}, "pools: must be at least 1"),
        ({"tested": ["ql-1"], "pooled": ["ql-1", "bm25-1"]}, "got 'ql-1' in both"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, object], said: str) -> None:
    """Errors name the argument and what is possible."""
    with pytest.raises(OptionError, match=said):
        pooling_bias(MADE.truth, MADE.runs, "P@5", **options)  # type: ignore[arg-type] # wrong ones


def test_a_tested_run_leaves_with_its_group() -> None:
    """With groups, no pool has a run of the tested one's group, drawn or named."""
    made = pw.simulate(systems=9, topics=8, depth=20, rng=2)
    names = made.runs.systems
    groups = pw.Groups.from_dict({name: str(i // 3) for i, name in enumerate(names)})
    whole = complete_pool(made.truth, made.runs, 5)
    plan = PoolPlan(
        pw.align(whole, made.runs), pw.nominate(whole, made.runs), pw.P @ 5, 5, np.arange(9), None,
        (3,), 5, np.arange(9) // 3,
    )  # fmt: skip
    random = np.random.default_rng(1)
    assert plan.widest() == 6
    for _ in range(50):
        members, tested = plan.draw(6, random)
        assert len(members) == 6
        assert tested[0] // 3 not in members // 3
    with pytest.raises(OptionError, match="widths"):
        pooling_bias(made.truth, made.runs, "P@5", depth=5, widths=[7], pools=2, groups=groups)


def test_one_run_cannot_be_left_out() -> None:
    """Of a single run nothing would be left to make a pool of."""
    made = pw.simulate(systems=2, topics=4, depth=10, rng=1)
    alone = made.runs.select(runs=made.runs.systems[:1])
    with pytest.raises(OptionError, match="too few runs or topics to leave any out"):
        pooling_bias(made.judgments, alone, "P@5")
