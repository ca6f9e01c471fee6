"""Power of the paired t test: published numbers, statsmodels, simulation."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from tests.each import over

from poolwise.errors import OptionError
from poolwise.findings.planning._power import (
    detectable_effect,
    power_of_test,
    topics_needed,
)
from poolwise.findings.planning._power import (
    power as power_analysis,
)

# W10 table 5.3: mean delta, sigma, topics
TABLE_5_3 = [
    (0.051, 0.136, 58),
    (0.034, 0.165, 188),
    (0.045, 0.171, 118),
    (0.042, 0.207, 192),
    (0.038, 0.149, 120),
    (0.032, 0.136, 145),
    (0.033, 0.166, 197),
    (0.020, 0.138, 375),
    (0.047, 0.125, 57),
    (0.033, 0.113, 95),
]


@over("delta, sigma, topics", TABLE_5_3)
def test_w10_table_5_3(delta: float, sigma: float, topics: int) -> None:
    """Topics from the printed mean and σ come within 3% of the printed number."""
    plan = power_analysis(delta=delta, sigma=sigma, power=0.8)
    assert plan.whole_topics == pytest.approx(topics, rel=0.03)


@pytest.mark.parametrize(
    ("delta", "sigma", "topics"), [(0.05, 0.13, 55), (0.03, 0.13, 149), (0.033, 0.15, 164)]
)
def test_w10_numbers_of_topics(delta: float, sigma: float, topics: int) -> None:
    """W10 §5.1.2 and §5.3.2: some 55, 150 and 164 topics."""
    assert round(power_analysis(delta=delta, sigma=sigma, power=0.8).topics) == topics


@over(
    "sigma, topics, delta",
    [
        *((0.147, 50, 0.059), (0.159, 50, 0.064), (0.215, 50, 0.087)),
        *((0.16, 249, 0.028), (0.215, 249, 0.038), (0.19, 150, 0.044)),
    ],
)
def test_w10_detectable_differences(sigma: float, topics: int, delta: float) -> None:
    """Detectable differences of W10 table 5.2 and §5.1–5.2."""
    detectable = power_analysis(sigma=sigma, topics=topics, power=0.8).delta
    assert detectable == pytest.approx(delta, abs=0.0007)


def test_w10_figure_5_1() -> None:
    """One-sided, δ = 0.05, σ = 0.16 and 50 topics give a power of 0.7."""
    plan = power_analysis(delta=0.05, sigma=0.16, topics=50, alternative="one-sided")
    assert round(plan.power, 1) == 0.7


def test_cohens_effects() -> None:
    """Large, medium and small effects need 15, 34 and 199 topics."""
    np.testing.assert_array_equal(np.ceil(topics_needed([0.8, 0.5, 0.2])), [15, 34, 199])


@over("alternative", ["two-sided", "one-sided"])
@over("effect", [0.05, 0.3, 1.2])
@over("topics", [5, 50, 400])
def test_statsmodels(alternative: str, effect: float, topics: int) -> None:
    """Power equals that of statsmodels' TTestPower."""
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().power(
        effect, topics, 0.05, alternative=alternative.replace("one-sided", "larger")
    )
    ours = power_of_test(effect, topics, alternative=alternative)
    assert float(ours) == pytest.approx(theirs, abs=1e-9)


def test_power_is_what_a_simulation_finds() -> None:
    """Of simulated experiments the share that the power says is significant."""
    from scipy.stats import ttest_1samp

    deltas = np.random.default_rng(1).normal(0.05, 0.16, (20_000, 50))
    share = float((ttest_1samp(deltas, 0, axis=1).pvalue < 0.05).mean())
    assert share == pytest.approx(float(power_of_test(0.05 / 0.16, 50)), abs=0.011)


@settings(max_examples=40)
@given(
    delta=st.floats(0.01, 0.3),
    sigma=st.floats(0.05, 0.4),
    power=st.floats(0.3, 0.95),
    alpha=st.floats(0.01, 0.2),
    alternative=st.sampled_from(["two-sided", "one-sided"]),
)
def test_every_quantity_follows_from_the_others(
    delta: float, sigma: float, power: float, alpha: float, alternative: str
) -> None:
    """Solving for any of the five gives back the value it had."""
    full = power_analysis(
        delta=delta, sigma=sigma, power=power, alpha=alpha, alternative=alternative
    )
    assume(full.topics > 2.01)  # with fewer than 2 there is no test
    values = {name: getattr(full, name) for name in ("delta", "sigma", "topics", "power", "alpha")}
    for name, value in values.items():
        again = power_analysis(**{**values, name: None}, alternative=alternative)
        assert again.solved == name
        assert getattr(again, name) == pytest.approx(value, rel=1e-6)


@given(topics=st.integers(2, 2000), power=st.floats(0.1, 0.99))
def test_more_topics_detect_smaller_effects(topics: int, power: float) -> None:
    """A topic more never raises the detectable effect, and the effect has the power asked for."""
    effect, more = detectable_effect([topics, topics + 1], power=power)
    assert more <= effect
    assert float(power_of_test(effect, topics)) == pytest.approx(power, abs=1e-6)


def test_no_effect_needs_infinitely_many_topics() -> None:
    """An effect of 0 is never detected; the sign of an effect does not matter."""
    assert topics_needed([0.0, -0.5, 0.5]).round(1).tolist() == [np.inf, 33.4, 33.4]


@over(
    "options",
    [
        {"delta": 0.05, "sigma": 0.13},
        {"delta": 0.05, "sigma": 0.13, "topics": 50, "power": 0.8},
        {"delta": -0.05, "sigma": 0.13, "power": 0.8},
        {"delta": 0.05, "sigma": 0.0, "power": 0.8},
        {"delta": 0.05, "sigma": 0.1, "power": 1.0},
        {"delta": 0.05, "sigma": 0.1, "topics": 1},
        {"delta": 0.05, "sigma": 0.1, "topics": 9, "alternative": "greater"},
        {"sigma": 0.1, "topics": 9, "power": 0.04},
    ],
)
def test_wrong_use_is_refused(options: dict[str, float]) -> None:
    """Too many or too few quantities, or one out of range, are refused with a remedy."""
    with pytest.raises(OptionError, match="Hint"):
        power_analysis(**options)


def test_detectable_effect_needs_two_topics() -> None:
    """One topic detects nothing."""
    with pytest.raises(OptionError, match="topics"):
        detectable_effect([1, 50])


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"delta": 0.05, "sigma": 0.13, "power": 0.8}, "56 topics (55.01 before rounding up) are"),
        ({"sigma": 0.159, "topics": 50, "power": 0.8}, "50 topics detect a difference of 0.0643."),
        ({"delta": 0.05, "sigma": 0.16, "topics": 50}, "with a power of 0.582."),
        ({"delta": 0.05, "topics": 50, "power": 0.8}, "deviate by 0.1237 or less."),
    ],
)
def test_the_first_sentence_is_the_answer(given: dict[str, float], answer: str) -> None:
    """What was solved for is said first; the others follow, in the printout's digits."""
    plan = power_analysis(**given)
    assert answer in plan.sentences()[0]
    rest = " ".join(plan.sentences()[1:])
    for words in (f"{plan.power:.3f}", f"{plan.sigma:.4f}", f"{plan.effect_size:.3f}"):
        assert words in rest


def test_alpha_is_solved_for_and_said() -> None:
    """The significance level is an answer like the others."""
    plan = power_analysis(delta=0.05, sigma=0.13, topics=50, power=0.8, alpha=None)
    assert f"at a significance level (alpha) of {plan.alpha:.4f}." in plan.sentences()[0]


def test_a_difference_too_small_to_look_for() -> None:
    """Where no number of topics is enough, the printout says so and does not fail."""
    plan = power_analysis(delta=1e-200, sigma=1, power=0.8)
    assert plan.whole_topics == np.inf
    assert plan.sentences()[0].startswith("More topics than can be counted are needed")


@pytest.mark.parametrize("effect", [1e-3, 1e-4, 1e-6, 1e-12])
def test_a_small_effect_needs_the_topics_of_the_normal_distribution(effect: float) -> None:
    """With so many topics t is normal: n = ((z_α + z_β)/effect)²."""
    expected = ((norm.isf(0.025) + norm.isf(0.2)) / effect) ** 2
    assert float(topics_needed(effect)) == pytest.approx(expected, rel=1e-5)
