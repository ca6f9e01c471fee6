"""Trials, iterative designs and judging depth, against W10 §5.3 and §5.4."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from poolwise.errors import OptionError
from poolwise.findings.planning.iterative_design import simulate_iterative_design
from poolwise.findings.planning.judging_depth import depth_design
from poolwise.findings.planning.past_systems import baseline_pairs
from poolwise.findings.planning.power import detectable_effect
from poolwise.findings.planning.trials import sigma_upper, simulate_trials, trial_design
from poolwise.scores.score_matrix import read_score_matrix

NORMAL = 0.15 * ndtri((np.arange(400) + 0.5) / 400)
"""Differences that are as normal as 400 can be."""


def test_w10_trial_example() -> None:
    """W10 §5.3.2: σ 0.15 from 40 topics is planned as 0.178, for some 231 topics, 271 in all."""
    found = trial_design(0.15, delta=0.033, trial_topics=40)
    assert round(found.sigma_upper, 3) == 0.178
    assert found.topics == pytest.approx(231, rel=0.01)
    assert found.total == pytest.approx(271, rel=0.01)
    assert round(found.topics_if_known) == 164


def test_w10_trial_margin() -> None:
    """A trial of 20 topics is planned with some 25% more than the deviation it shows."""
    assert float(sigma_upper(1.0, 20)) == pytest.approx(1.25, abs=0.015)


@pytest.mark.parametrize("sigma", [0.1, 0.13, 0.15, 0.17, 0.2])
def test_w10_figure_5_7(sigma: float) -> None:
    """The best trial for usual deviations of AP has 20 to 50 topics or so."""
    best = trial_design(sigma, delta=0.033)
    assert 20 <= best.trial_topics <= 60
    for other in (best.trial_topics - 5, best.trial_topics + 5):
        assert trial_design(sigma, delta=0.033, trial_topics=other).total >= best.total


def test_trials_follow_the_chi_distribution() -> None:
    """Deviations of normal trials spread as theory says."""
    from scipy.stats import chi2

    found = simulate_trials(NORMAL, delta=0.05, trial_topics=30, rng=3, trials=4000)
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
