"""Designs of experiments that look at the deviation on the way, against W10 §5.3.3 and §5.3.4."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.planning.topic_designs import Experiments, Plan, _hybrid, _iterative
from poolwise.workflows._design import design_step

NORMAL = 0.15 * ndtri((np.arange(400) + 0.5) / 400)
"""Differences that are as normal as 400 can be."""


@pytest.fixture(scope="module")
def robust(data_dir: Path) -> pw.ScoreTable:
    """Return AP of Robust 2004 on topics 301 to 450, as W10 §5.3 uses it."""
    path = data_dir / "scores/urbano/sigir2018-simulation/robust2004(noD)_ap.csv"
    return pw.read_score_matrix(path, measure="AP")


@pytest.fixture(scope="module")
def normal() -> pw.findings.DesignComparison:
    """Return the designs on normal differences of one deviation."""
    return pw.findings.compare_designs(NORMAL, delta=0.05, rng=1, simulations=4000)


def test_fixed_designs_are_as_theory_says(normal: pw.findings.DesignComparison) -> None:
    """A fixed number of topics for the true deviation has the power wanted, and keeps alpha."""
    found = normal.row("past")
    needed = pw.power_analysis(delta=0.05, sigma=float(NORMAL.std()), power=0.8).whole_topics
    assert found["topics_mean"] == needed == normal.first_topics
    assert found["found"] == pytest.approx(0.8, abs=0.02)
    assert found["false_positives"] == pytest.approx(0.05, abs=0.011)


def test_a_trial_keeps_alpha_and_is_as_sure_as_it_says(
    normal: pw.findings.DesignComparison,
) -> None:
    """The trial's topics are not used again; 95% of normal trials ask for enough topics."""
    found = normal.row("trial")
    assert found["false_positives"] == pytest.approx(0.05, abs=0.011)
    assert found["powerful"] == pytest.approx(0.95, abs=0.012)
    assert normal.trial_topics == pw.findings.trial_design(normal.sigma, delta=0.05).trial_topics


def test_the_hybrid_is_thrifty_and_powerful(normal: pw.findings.DesignComparison) -> None:
    """W10 §5.3.4: it costs far fewer topics than a trial, reaches the power, in few rounds."""
    hybrid, trial = normal.row("hybrid"), normal.row("trial")
    assert hybrid["topics_mean"] < 0.8 * trial["topics_mean"]
    assert hybrid["found"] > 0.8
    assert hybrid["rounds_mean"] < 3 < normal.row("iterative")["rounds_mean"]


def test_peeking_has_a_price(normal: pw.findings.DesignComparison) -> None:
    """Ending at significance multiplies false positives; looking at the deviation hardly does."""
    assert normal.row("peeking")["false_positives"] > 3 * 0.05
    for design in ("iterative", "hybrid"):
        assert normal.row(design)["false_positives"] < 0.075


def test_the_rules_stop_where_a_plain_loop_does() -> None:
    """Algorithm 5.2 and the hybrid, written out for one experiment after another."""
    rng = np.random.default_rng(3)
    plan = Plan(0.06, 0.8, 0.05, 0.12, 0.2, 10, 20, 400)
    experiments, _ = Experiments.drawn(rng.normal(0, 0.15, (4, 60)), 30, 400, rng)
    drawn = np.diff(experiments.sums, axis=1)
    effect = pw.findings.detectable_effect(np.arange(2, 401))
    iterated, stop = _iterative(experiments, plan), _hybrid(experiments, plan)
    for row in range(30):

        def is_enough(topics: int, row: int = row) -> bool:
            return bool(drawn[row, :topics].std(ddof=1) * effect[topics - 2] <= 0.06)

        one = next(n for n in range(10, 401) if is_enough(n))
        assert iterated.topics[row] == one
        topics = max(10, int(np.ceil(float(pw.findings.topics_needed(0.06 / 0.12)))))
        rounds = 1
        while not is_enough(topics):
            sigma = drawn[row, :topics].std(ddof=1)
            asked = int(np.ceil(float(pw.findings.topics_needed(0.06 / sigma)) - 1e-9))
            topics, rounds = max(asked, topics + 1), rounds + 1
        assert (stop.topics[row], stop.rounds[row]) == (topics, rounds)


def test_w10_past_experience_is_a_gamble(robust: pw.ScoreTable) -> None:
    """W10 §5.3.1: the median σ leaves half of the pairs short; the 95th percentile costs more."""
    found = pw.workflows.design_from_scores(robust, delta=0.05, rng=1, simulations=1000).designs
    assert found.row("past")["powerful"] == pytest.approx(0.5, abs=0.05)
    assert found.row("cautious")["powerful"] == pytest.approx(0.95, abs=0.02)
    assert 1.5 < found.row("cautious")["topics_mean"] / found.row("past")["topics_mean"] < 2
    assert found.row("hybrid")["topics_mean"] < found.row("cautious")["topics_mean"]


def test_w10_peeking_on_robust(robust: pw.ScoreTable) -> None:
    """W10 §5.3.3: of 137 pairs with p from 0.05 to 0.10, 89 became significant on the way."""
    found = pw.findings.peek(robust, rng=1, start=50)
    assert found.pairs == 137
    assert found.found_low <= 89 <= found.found_high
    assert found.found_mean == pytest.approx(89, abs=4)


def test_w10_figure_5_8(robust: pw.ScoreTable) -> None:
    """Topics far from the mean difference are included less often (χ², α = 0.01)."""
    pairs = pw.findings.baseline_pairs(robust)
    a, b = robust.systems[pairs.left[0]], robust.systems[pairs.right[0]]
    found = pw.findings.topic_inclusion(robust, a, b, delta=0.06, rng=1, simulations=5000)
    assert found.pvalue < 0.01
    assert found.near > found.far
    off = np.abs(found.difference - found.difference.mean())
    assert np.corrcoef(off, found.inclusion)[0, 1] < -0.5


def test_equal_chances_are_found_equal() -> None:
    """Where only the topics' order decides the length, p values are as even as they should be."""
    # Differences of ±1: a topic's distance from the mean is always the same.
    scores = np.stack([np.tile([1.0, -1.0], 15), np.zeros(30)])
    table = pw.ScoreTable.from_matrix(
        scores, systems="ab", topics=[str(t) for t in range(30)], measure="x"
    )
    found = [
        pw.findings.topic_inclusion(table, "a", "b", delta=0.8, rng=seed, simulations=400, start=5)
        for seed in range(60)
    ]
    assert 0.3 < np.mean([f.pvalue for f in found]) < 0.7
    assert np.mean([f.chi2 for f in found]) == pytest.approx(29, rel=0.15)


def test_a_step_says_what_to_do_next() -> None:
    """Before the first topic, on the way, and at the end."""
    first, more, done = (
        pw.findings.hybrid_step(sigma, judged=judged, delta=0.05)
        for sigma, judged in ((0.13, 0), (0.16, 56), (0.13, 56))
    )
    assert first.sentences()[0] == "Judge 56 topics first: a sigma of 0.1300 is expected."
    assert more.sentences()[0].startswith(f"Judge {more.more} more topics: 56 topics with a sigma")
    assert more.total == pw.power_analysis(delta=0.05, sigma=0.16, power=0.8).whole_topics
    assert done.is_reached
    assert done.power >= 0.8
    assert done.sentences()[0].startswith("Test for significance now")


def test_steps_come_to_an_end() -> None:
    """Judging what each step asks for, with one deviation, is done after the first."""
    step = pw.findings.hybrid_step(0.2, judged=0, delta=0.05)
    assert pw.findings.hybrid_step(0.2, judged=int(step.more), delta=0.05).is_reached


def test_the_recommendation_names_topics_and_depth() -> None:
    """A plan from runs says how many topics to judge, how deep, and what then."""
    made = pw.simulate(systems=12, topics=30, depth=50, rng=3)
    found = pw.workflows.design_from_runs(
        made.truth, made.runs, delta=0.1, depths=[5, 50], rng=1, simulations=300
    )
    assert found.depths is not None
    first = found.designs.first_topics
    assert found.recommendation.startswith(f"Judge {first} topics to depth {found.depth} first;")
    assert found.depth == found.depths.cheapest == min((5, 50), key=dict(
        zip(found.depths.depths, found.depths.costs.tolist(), strict=True)
    ).__getitem__)  # fmt: skip
    assert found.judgments == pytest.approx(
        found.documents * found.designs.row("hybrid")["topics_mean"]
    )


def test_dear_topics_are_judged_deeper() -> None:
    """What a topic costs before its first judgment never makes the best depth shallower."""
    made = pw.simulate(systems=12, topics=30, depth=50, rng=3)
    depths = [
        pw.workflows.design_from_runs(
            made.truth, made.runs, delta=0.1, rng=1, simulations=50, topic_cost=cost,
            depths=[2, 5, 10, 50],
        ).depth
        for cost in (0, 20, 500)
    ]  # fmt: skip
    assert depths == sorted(depths)
    assert depths[0] < depths[-1]


def test_wrong_use_is_refused() -> None:
    """No spread, one topic, too small a difference, and a step of three systems are refused."""
    table = pw.ScoreTable.from_matrix(
        [[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], systems="abc", topics="12", measure="AP"
    )
    calls = [
        lambda: pw.findings.compare_designs([[0.1, 0.1]], delta=0.1, rng=1),
        lambda: pw.findings.compare_designs([[0.1]], delta=0.1, rng=1),
        lambda: pw.findings.compare_designs([[0.1, 0.9]], delta=1e-6, rng=1),
        lambda: pw.findings.hybrid_step(0.1, judged=1, delta=0.1),
        lambda: pw.findings.peek(table, rng=1, start=3),
        lambda: pw.findings.topic_inclusion(table, "a", "b", delta=0.1, rng=1),
        lambda: design_step(table, delta=0.1),
        lambda: pw.workflows.design_from_numbers(delta=0.1, sigma=0.0, rng=1),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()
