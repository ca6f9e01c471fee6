"""Trials, iterative and hybrid designs and the depth of judging, against W10 §5.3 and §5.4."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.planning._collection_power import baseline_pairs
from poolwise.findings.planning._designs import Experiments, Plan, _first, _hybrid, _iterative
from poolwise.findings.planning._experiment import depth_design
from poolwise.findings.planning._iterative import (
    Moments,
    running_moments,
    simulate_iterative_design,
)
from poolwise.findings.planning._power import critical_values, detectable_effect, topics_needed
from poolwise.findings.planning._trials import sigma_upper, simulate_trials, trial_design
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.workflows._design import design_step

NORMAL = 0.15 * ndtri((np.arange(400) + 0.5) / 400)
"""Differences that are as normal as 400 can be."""


def test_w10_trial_example() -> None:
    """W10 §5.3.2: σ 0.15 from 40 topics is planned as 0.178, for some 231 topics, 271 in all."""
    design = trial_design(0.15, delta=0.033, trial_topics=40, limit="normal")
    assert round(design.sigma_upper, 3) == 0.178
    assert design.topics == pytest.approx(231, rel=0.01)
    assert design.total == pytest.approx(271, rel=0.01)
    assert round(design.topics_if_known) == 164


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

    trials = simulate_trials(
        NORMAL, delta=0.05, trial_topics=30, rng=3, trials=4000, limit="normal"
    )
    expected = trials.sigma * np.sqrt(chi2.ppf([0.05, 0.95], 29) / 29)
    np.testing.assert_allclose([trials.low, trials.high], expected, rtol=0.03)
    needed = float(1 / (1 + 1.645 / np.sqrt(60)) ** 2 * 29)
    assert trials.covered == pytest.approx(chi2.sf(needed, 29), abs=0.03)


def test_iterative_design_understates_the_deviation() -> None:
    """The stopping rule prefers small deviations, also where differences are normal."""
    design = simulate_iterative_design(NORMAL, delta=0.06, rng=1)
    assert -0.08 < design.bias < -0.005
    assert design.unfinished == 0
    assert design.topics_mean < 53  # (σ / δ)² asks for 51 topics
    assert "understates sigma and overstates significance" in str(design)


def test_larger_steps_lessen_the_bias() -> None:
    """Forty topics at a time are fairer than one (W10 §5.3.3)."""
    single, forty = (simulate_iterative_design(NORMAL, delta=0.05, rng=1, step=s) for s in (1, 40))
    assert single.bias < forty.bias < 0


def test_fixed_designs_keep_alpha() -> None:
    """Topic sets fixed beforehand find significance as often as α says."""
    design = simulate_iterative_design(NORMAL, delta=0.06, rng=5, simulations=4000)
    assert design.false_positives_fixed == pytest.approx(0.05, abs=0.012)


def test_w10_figures_5_9_and_5_10(data_dir: Path) -> None:
    """On Robust 2004 pairs the deviation comes out some percent small, and false positives up."""
    path = data_dir / "scores/urbano/sigir2018-simulation/robust2004(noD)_ap.csv"
    table = read_score_matrix(path)
    pairs = baseline_pairs(table, experimental="upper")
    chosen = np.random.default_rng(1).choice(len(pairs), 40, replace=False)[:20]
    designs = []
    for i in chosen:
        deltas = table.value[pairs.left[i]] - table.value[pairs.right[i]]
        delta = float(detectable_effect(100)) * deltas.std()
        designs.append(
            simulate_iterative_design(deltas, delta=delta, rng=int(i), start=40, simulations=1500)
        )
    assert -0.09 < np.mean([f.bias for f in designs]) < -0.02  # W10: −3.5% by its line of best fit
    excess = [f.false_positives - f.false_positives_fixed for f in designs]
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
    trials = simulate_trials(NORMAL, delta=0.05, trial_topics=30, rng=3, trials=200)
    first, second, third = trials.sentences()
    assert first.startswith(f"{trials.covered:.1%} of 200 trials of 30 topics")
    assert f"{trials.sigma:.4f}, and nine of ten trials showed {trials.low:.4f} to" in second
    assert f"{trials.topics_mean:.1f} topics" in third
    assert dict(trials.provenance.options)["seed"] == 3
    drawn = simulate_trials(
        NORMAL, delta=0.05, trial_topics=30, rng=np.random.default_rng(3), trials=20
    )
    assert "seed" not in dict(drawn.provenance.options)


def test_what_an_iterative_design_says() -> None:
    """Both deviations with their difference, both error rates, and what was left out."""
    design = simulate_iterative_design(NORMAL, delta=0.06, rng=1, simulations=300)
    text = " ".join(design.sentences())
    assert f"took {design.topics_mean:.1f} topics" in text
    assert f"as {design.sigma_mean:.4f} on average, where {design.sigma:.4f} is true" in text
    assert f"−{abs(100 * design.bias):.1f}%" in text
    assert f"was {design.false_positives:.4f}, where alpha is 0.05" in text
    assert f"{design.false_positives_fixed:.4f} with topic sets" in text
    assert "not stopped" not in text
    cut_off = replace(design, unfinished=1)
    assert "299 simulated experiments" in cut_off.sentences()[0]
    assert cut_off.sentences()[-1].startswith("1 other experiment had not stopped")


def test_what_a_depth_design_says() -> None:
    """Each budget has its best depth, and each depth and budget its row."""
    design = depth_design({100: [0.3, 0.9], 5: [0.3, 0.2]}, {100: 151, 5: 8.1}, [50, 5000])
    columns = design.columns()
    assert columns["depth"] == [100, 100, 5, 5]
    assert columns["budget"] == [50, 5000, 50, 5000]
    assert columns["topics"] == [0, 33, 6, 617]
    assert columns["detectable"] == [0.0, 0.5, 0.0, 1.0]
    assert columns["documents"] == [151, 151, 8.1, 8.1]
    # the median effects are 0.6 and 0.25
    deep, shallow = topics_needed([0.6, 0.25]).tolist()
    assert columns["needed"] == [deep, deep, shallow, shallow]
    assert columns["cost"] == [151 * np.ceil(deep)] * 2 + [8.1 * np.ceil(shallow)] * 2
    assert design.sentences() == (
        "50 judgments detect none of the effects at any depth.",
        "5,000 judgments detect most at depth 5: 100.0% of the effects, on 617 topics.",
        (
            "The median effect costs least at depth 5: 1,037 judgments for 128 topics, with 8.1 "
            "documents per topic."
        ),
    )
    assert design.tables()[0].rows == ((100, 0, 0.0, 33, 0.5), (5, 6, 0.0, 617, 1.0))


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
    row = normal.row("past")
    needed = pw.power(delta=0.05, sigma=float(NORMAL.std()), power=0.8).whole_topics
    assert row["topics_mean"] == needed == normal.first_topics
    assert row["found"] == pytest.approx(0.8, abs=0.02)
    assert row["false_positives"] == pytest.approx(0.05, abs=0.011)


def test_a_trial_keeps_alpha_and_is_as_sure_as_it_says(
    normal: pw.findings.DesignComparison,
) -> None:
    """The trial's topics are not used again; 95% of normal trials ask for enough topics."""
    row = normal.row("trial")
    assert row["false_positives"] == pytest.approx(0.05, abs=0.011)
    assert row["powerful"] == pytest.approx(0.95, abs=0.012)
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


def test_false_positives_are_compared_in_the_same_experiments(
    normal: pw.findings.DesignComparison,
) -> None:
    """The difference from the fixed design has a smaller error than two simulations apart."""
    at = normal.designs.index("hybrid")
    assert normal.excess == pytest.approx(normal.false_positives - normal.false_positives[0])
    assert (normal.excess[0], normal.excess_error[0]) == (0, 0)
    apart = np.sqrt(2 * 0.05 * 0.95 / 4000)
    assert 0 < normal.excess_error[at] < 0.6 * apart
    assert normal.excess[at] == pytest.approx(0.0, abs=0.01)


def test_what_is_noise_is_called_not_measurable(normal: pw.findings.DesignComparison) -> None:
    """Within two errors of nothing there is no effect; that of peeking is told with its error."""
    at = normal.designs.index("hybrid")
    excess = normal.excess.copy()
    excess[at] = 1.9 * normal.excess_error[at]
    assert "not measurable in 4,000 experiments" in replace(normal, excess=excess).excess_words(
        "hybrid"
    )
    excess[at] = 2.1 * normal.excess_error[at]
    assert "not measurable" not in replace(normal, excess=excess).excess_words("hybrid")
    assert "not measurable" not in normal.excess_words("peeking")
    error = f"± {200 * normal.excess_error[-1]:.1f} percentage points"
    assert error in normal.sentences()[3]


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

        enough = next(n for n in range(10, 401) if is_enough(n))
        assert iterated.topics[row] == enough
        topics = max(10, int(np.ceil(float(pw.findings.topics_needed(0.06 / 0.12)))))
        rounds = 1
        while not is_enough(topics):
            sigma = drawn[row, :topics].std(ddof=1)
            asked = int(np.ceil(float(pw.findings.topics_needed(0.06 / sigma)) - 1e-9))
            topics, rounds = max(asked, topics + 1), rounds + 1
        assert (stop.topics[row], stop.rounds[row]) == (topics, rounds)


def test_w10_past_experience_is_a_gamble(robust: pw.ScoreTable) -> None:
    """W10 §5.3.1: the median σ leaves half of the pairs short; the 95th percentile costs more."""
    designs = pw.workflows.design_from_scores(robust, delta=0.05, rng=1, simulations=1000).designs
    assert designs.row("past")["powerful"] == pytest.approx(0.5, abs=0.05)
    assert designs.row("cautious")["powerful"] == pytest.approx(0.95, abs=0.02)
    assert 1.5 < designs.row("cautious")["topics_mean"] / designs.row("past")["topics_mean"] < 2
    assert designs.row("hybrid")["topics_mean"] < designs.row("cautious")["topics_mean"]


def test_w10_peeking_on_robust(robust: pw.ScoreTable) -> None:
    """W10 §5.3.3: of 137 pairs with p from 0.05 to 0.10, 89 became significant on the way."""
    peeking = pw.findings.peek(robust, rng=1, start=50)
    assert peeking.pairs == 137
    assert peeking.found_low <= 89 <= peeking.found_high
    assert peeking.found_mean == pytest.approx(89, abs=4)


def test_w10_figure_5_8(robust: pw.ScoreTable) -> None:
    """Topics far from the mean difference are included less often (χ², α = 0.01)."""
    pairs = pw.findings.baseline_pairs(robust)
    a, b = robust.systems[pairs.left[0]], robust.systems[pairs.right[0]]
    inclusion = pw.findings.topic_inclusion(robust, a, b, delta=0.06, rng=1, simulations=5000)
    assert inclusion.pvalue < 0.01
    assert inclusion.near > inclusion.far
    off = np.abs(inclusion.difference - inclusion.difference.mean())
    assert np.corrcoef(off, inclusion.inclusion)[0, 1] < -0.5


def test_equal_chances_are_found_equal() -> None:
    """Where only the topics' order decides the length, p values are as even as they should be."""
    # Differences of ±1: a topic's distance from the mean is always the same.
    scores = np.stack([np.tile([1.0, -1.0], 15), np.zeros(30)])
    table = pw.ScoreTable.from_matrix(
        scores, systems="ab", topics=[str(t) for t in range(30)], measure="x"
    )
    inclusions = [
        pw.findings.topic_inclusion(table, "a", "b", delta=0.8, rng=seed, simulations=400, start=5)
        for seed in range(60)
    ]
    assert 0.3 < np.mean([f.pvalue for f in inclusions]) < 0.7
    assert np.mean([f.chi2 for f in inclusions]) == pytest.approx(29, rel=0.15)


def test_a_step_says_what_to_do_next() -> None:
    """Before the first topic, on the way, and at the end."""
    first, more, done = (
        pw.findings.topic_plan_step(sigma, judged=judged, delta=0.05)
        for sigma, judged in ((0.13, 0), (0.16, 56), (0.13, 56))
    )
    assert first.sentences()[0] == "Judge 56 topics first: a sigma of 0.1300 is expected."
    assert more.sentences()[0].startswith(f"Judge {more.more} more topics: 56 topics with a sigma")
    assert more.total == pw.power(delta=0.05, sigma=0.16, power=0.8).whole_topics
    assert done.is_reached
    assert done.power >= 0.8
    assert done.sentences()[0].startswith("Test for significance now")


def test_steps_come_to_an_end() -> None:
    """Judging what each step asks for, with one deviation, is done after the first."""
    step = pw.findings.topic_plan_step(0.2, judged=0, delta=0.05)
    assert pw.findings.topic_plan_step(0.2, judged=int(step.more), delta=0.05).is_reached


def test_the_recommendation_names_topics_and_depth() -> None:
    """A plan from runs says how many topics to judge, how deep, and what then."""
    made = pw.simulate(systems=12, topics=30, depth=50, rng=3)
    design = pw.workflows.design_from_runs(
        made.truth, made.runs, delta=0.1, depths=[5, 50], rng=1, simulations=300
    )
    assert design.depths is not None
    first = design.designs.first_topics
    assert design.recommendation.startswith(f"Judge {first} topics to depth {design.depth} first;")
    assert design.depth == design.depths.cheapest == min((5, 50), key=dict(
        zip(design.depths.depths, design.depths.costs.tolist(), strict=True)
    ).__getitem__)  # fmt: skip
    assert design.judgments == pytest.approx(
        design.documents * design.designs.row("hybrid")["topics_mean"]
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


def test_wrong_use_of_designs_is_refused() -> None:
    """No spread, one topic, too small a difference, and a step of three systems are refused."""
    table = pw.ScoreTable.from_matrix(
        [[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], systems="abc", topics="12", measure="AP"
    )
    calls = [
        lambda: pw.findings.compare_designs([[0.1, 0.1]], delta=0.1, rng=1),
        lambda: pw.findings.compare_designs([[0.1]], delta=0.1, rng=1),
        lambda: pw.findings.compare_designs([[0.1, 0.9]], delta=1e-6, rng=1),
        lambda: pw.findings.topic_plan_step(0.1, judged=1, delta=0.1),
        lambda: pw.findings.peek(table, rng=1, start=3),
        lambda: pw.findings.topic_inclusion(table, "a", "b", delta=0.1, rng=1),
        lambda: design_step(table, delta=0.1),
        lambda: pw.workflows.design_from_numbers(delta=0.1, sigma=0.0, rng=1),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_moments_of_the_first_topics_are_those_of_numpy() -> None:
    """Mean and deviation to each size are those of the topics up to it; t decides as in tables."""
    moments = running_moments(np.array([[1.0, 3.0, 8.0]]), np.array([2, 3]))
    assert moments.mean.tolist() == [[2.0, 4.0]]
    assert moments.deviation[0] == pytest.approx(
        [np.std([1, 3], ddof=1), np.std([1, 3, 8], ddof=1)]
    )
    assert critical_values(np.array([2, 50]), 0.05).round(2).tolist() == [12.71, 2.01]
    near = Moments(np.array([2.0, 2.02]), np.array([np.sqrt(50)] * 2))
    assert near.are_significant(np.array([50, 50]), 0.05).tolist() == [False, True]


def test_an_experiment_that_stops_at_its_start_had_one_round() -> None:
    """Rounds are counted from the first number of topics on, and one that goes on has all."""
    plan = Plan(0.1, 0.8, 0.05, 0.2, 0.2, start=4, trial_topics=0, longest=8)
    stops = np.zeros((3, 7), np.bool_)
    stops[0, 2:] = True  # from 4 topics on
    stops[1, 5] = True  # at 7
    stopped = _first(stops, plan)
    assert stopped.topics.tolist() == [4, 7, 0]
    assert stopped.rounds.tolist()[:2] == [1, 4]
