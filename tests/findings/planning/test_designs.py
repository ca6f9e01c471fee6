"""Trials, iterative designs and judging depth, against W10 §5.3 and §5.4."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from poolwise.errors import OptionError
from poolwise.findings.planning.iterative_design import simulate_iterative_design
from poolwise.findings.planning.judging_depth import depth_design
from poolwise.findings.planning.past_systems import baseline_pairs
from poolwise.findings.planning.t_test_power import detectable_effect, topics_needed
from poolwise.findings.planning.trials import sigma_upper, simulate_trials, trial_design
from poolwise.scores._score_matrix import read_score_matrix

NORMAL = 0.15 * ndtri((np.arange(400) + 0.5) / 400)
"""Differences that are as normal as 400 can be."""


def test_w10_trial_example() -> None:
    """W10 §5.3.2: σ 0.15 from 40 topics is planned as 0.178, for some 231 topics, 271 in all."""
    found = trial_design(0.15, delta=0.033, trial_topics=40, limit="normal")
    assert round(found.sigma_upper, 3) == 0.178
    assert found.topics == pytest.approx(231, rel=0.01)
    assert found.total == pytest.approx(271, rel=0.01)
    assert round(found.topics_if_known) == 164


def test_w10_trial_margin() -> None:
    """A trial of 20 topics is planned with some 25% more than the deviation it shows."""
    assert float(sigma_upper(1.0, 20, limit="normal")) == pytest.approx(1.25, abs=0.015)


@pytest.mark.parametrize("topics", [5, 20, 50])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_upper_deviation_is_as_sure_as_it_says(topics: int, confidence: float) -> None:
    """Of 20,000 normal trials, so many have an upper deviation that is not below the true one."""
    seen = np.random.default_rng(topics).normal(0, 1, (20_000, topics)).std(axis=1, ddof=1)
    covered = (sigma_upper(seen, topics, confidence) >= 1).mean()
    assert covered == pytest.approx(confidence, abs=0.012)
    if confidence == 0.95:
        assert 0.75 < (sigma_upper(seen, topics, confidence, limit="normal") >= 1).mean() < 0.925


@pytest.mark.parametrize("sigma", [0.1, 0.13, 0.15, 0.17, 0.2])
def test_w10_figure_5_7(sigma: float) -> None:
    """The best trial for usual deviations of AP has 20 to 50 topics or so."""
    best = trial_design(sigma, delta=0.033, limit="normal")
    assert 20 <= best.trial_topics <= 60
    for other in (best.trial_topics - 5, best.trial_topics + 5):
        again = trial_design(sigma, delta=0.033, trial_topics=other, limit="normal")
        assert again.total >= best.total


def test_trials_follow_the_chi_distribution() -> None:
    """Deviations of normal trials spread as theory says."""
    from scipy.stats import chi2

    found = simulate_trials(NORMAL, delta=0.05, trial_topics=30, rng=3, trials=4000, limit="normal")
    expected = found.sigma * np.sqrt(chi2.ppf([0.05, 0.95], 29) / 29)
    np.testing.assert_allclose([found.low, found.high], expected, rtol=0.03)
    needed = float(1 / (1 + 1.645 / np.sqrt(60)) ** 2 * 29)
    assert found.covered == pytest.approx(chi2.sf(needed, 29), abs=0.03)


def test_iterative_design_understates_the_deviation() -> None:
    """The stopping rule prefers small deviations, also where differences are normal."""
    found = simulate_iterative_design(NORMAL, delta=0.06, rng=1)
    assert -0.08 < found.bias < -0.005
    assert found.unfinished == 0
    assert found.topics_mean < 53  # (σ / δ)² asks for 51 topics
    assert "understates sigma and overstates significance" in str(found)


def test_larger_steps_lessen_the_bias() -> None:
    """Forty topics at a time are fairer than one (W10 §5.3.3)."""
    one, forty = (simulate_iterative_design(NORMAL, delta=0.05, rng=1, step=s) for s in (1, 40))
    assert one.bias < forty.bias < 0


def test_fixed_designs_keep_alpha() -> None:
    """Topic sets fixed beforehand find significance as often as α says."""
    found = simulate_iterative_design(NORMAL, delta=0.06, rng=5, simulations=4000)
    assert found.false_positives_fixed == pytest.approx(0.05, abs=0.012)


def test_w10_figures_5_9_and_5_10(data_dir: Path) -> None:
    """On Robust 2004 pairs the deviation comes out some percent small, and false positives up."""
    path = data_dir / "scores/urbano/sigir2018-simulation/robust2004(noD)_ap.csv"
    table = read_score_matrix(path)
    pairs = baseline_pairs(table, experimental="upper")
    chosen = np.random.default_rng(1).choice(len(pairs), 40, replace=False)[:20]
    found = []
    for i in chosen:
        deltas = table.value[pairs.left[i]] - table.value[pairs.right[i]]
        delta = float(detectable_effect(100)) * deltas.std()
        found.append(
            simulate_iterative_design(deltas, delta=delta, rng=int(i), start=40, simulations=1500)
        )
    assert -0.09 < np.mean([f.bias for f in found]) < -0.02  # W10: −3.5% by its line of best fit
    excess = [f.false_positives - f.false_positives_fixed for f in found]
    assert 0 < np.mean(excess) < 0.02  # W10: 0.0558 against 0.0501


def test_w10_section_5_4_topics() -> None:
    """5,000 judgments pay for 33 topics at depth 100 and 617 at depth 5 (W10 §5.4)."""
    design = depth_design({5: [0.3], 100: [0.3]}, {5: 8.1, 100: 151.0}, [5000])
    assert design.topics.tolist() == [[617], [33]]
    assert design.detectable.tolist() == [[1.0], [0.0]]
    assert design.best_depths() == (5,)


def test_topic_costs_favour_depth() -> None:
    """What a topic costs before its first judgment speaks for deeper judging."""
    effects = {5: np.linspace(0, 0.5, 200), 100: np.linspace(0, 0.6, 200)}
    cheap = depth_design(effects, {5: 8, 100: 150}, [5000])
    dear = depth_design(effects, {5: 8, 100: 150}, [5000], topic_cost=2000)
    assert cheap.best_depths() == (5,)
    assert dear.topics[0, 0] == dear.topics[1, 0] == 2
    assert dear.best_depths() == (100,) or not dear.detectable.any()


def test_a_budget_below_two_topics_detects_nothing() -> None:
    """One topic has no test, whatever the effect."""
    design = depth_design({100: [99.0]}, {100: 150}, [200])
    assert (design.topics.tolist(), design.detectable.tolist()) == ([[1]], [[0.0]])


def test_wrong_use_is_refused() -> None:
    """Numbers out of range, identical systems and depths without documents are refused."""
    calls = [
        lambda: trial_design(0.0, delta=0.1),
        lambda: trial_design(0.1, delta=0.1, trial_topics=1),
        lambda: trial_design(0.1, delta=0.1, confidence=1.0),
        lambda: simulate_trials([0.1, 0.1], delta=0.1, trial_topics=5, rng=1),
        lambda: simulate_iterative_design([0.5], delta=0.1, rng=1),
        lambda: depth_design({5: [0.1]}, {10: 5}, [100]),
        lambda: depth_design({}, {}, [100]),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_what_a_trial_design_says() -> None:
    """Topics of the experiment and in all, and the deviation that it is planned for."""
    text = " ".join(trial_design(0.15, delta=0.033, trial_topics=40).sentences())
    for words in (
        "249 topics (248.06 before rounding up) detect a difference of 0.0330",
        "a trial of 40 topics with a sigma of 0.1500",
        "In all, that is 289 topics.",
        "a sigma of 0.1848, which is 95% sure",
        "If 0.1500 were known to be true, 165 topics would do.",
    ):
        assert words in text
    hopeless = trial_design(0.15, delta=1e-200, trial_topics=40)
    assert hopeless.columns()["total"] == [np.inf]
    assert "No number of topics detects 1e-200" in hopeless.sentences()[0]


def test_what_simulated_trials_say() -> None:
    """The share that reached the power, the true deviation, what trials showed, and the cost."""
    found = simulate_trials(NORMAL, delta=0.05, trial_topics=30, rng=3, trials=200)
    first, second, third = found.sentences()
    assert first.startswith(f"{found.covered:.1%} of 200 trials of 30 topics")
    assert f"{found.sigma:.4f}, and nine of ten trials showed {found.low:.4f} to" in second
    assert f"{found.topics_mean:.1f} topics" in third
    assert dict(found.provenance.options)["seed"] == 3
    drawn = simulate_trials(
        NORMAL, delta=0.05, trial_topics=30, rng=np.random.default_rng(3), trials=20
    )
    assert "seed" not in dict(drawn.provenance.options)


def test_what_an_iterative_design_says() -> None:
    """Both deviations with their difference, both error rates, and what was left out."""
    found = simulate_iterative_design(NORMAL, delta=0.06, rng=1, simulations=300)
    text = " ".join(found.sentences())
    assert f"took {found.topics_mean:.1f} topics" in text
    assert f"as {found.sigma_mean:.4f} on average, where {found.sigma:.4f} is true" in text
    assert f"−{abs(100 * found.bias):.1f}%" in text
    assert f"was {found.false_positives:.4f}, where alpha is 0.05" in text
    assert f"{found.false_positives_fixed:.4f} with topic sets" in text
    assert "not stopped" not in text
    cut_off = replace(found, unfinished=1)
    assert "299 simulated experiments" in cut_off.sentences()[0]
    assert cut_off.sentences()[-1].startswith("1 other experiment had not stopped")


def test_what_a_depth_design_says() -> None:
    """Each budget has its best depth, and each depth and budget its row."""
    found = depth_design({100: [0.3, 0.9], 5: [0.3, 0.2]}, {100: 151, 5: 8.1}, [50, 5000])
    columns = found.columns()
    assert columns["depth"] == [100, 100, 5, 5]
    assert columns["budget"] == [50, 5000, 50, 5000]
    assert columns["topics"] == [0, 33, 6, 617]
    assert columns["detectable"] == [0.0, 0.5, 0.0, 1.0]
    assert columns["documents"] == [151, 151, 8.1, 8.1]
    # the median effects are 0.6 and 0.25
    deep, shallow = topics_needed([0.6, 0.25]).tolist()
    assert columns["needed"] == [deep, deep, shallow, shallow]
    assert columns["cost"] == [151 * np.ceil(deep)] * 2 + [8.1 * np.ceil(shallow)] * 2
    assert found.sentences() == (
        "50 judgments detect none of the effects at any depth.",
        "5,000 judgments detect most at depth 5: 100.0% of the effects, on 617 topics.",
        (
            "The median effect costs least at depth 5: 1,037 judgments for 128 topics, with 8.1 "
            "documents per topic."
        ),
    )
    assert found.tables()[0].rows == ((100, 0, 0.0, 33, 0.5), (5, 6, 0.0, 617, 1.0))
