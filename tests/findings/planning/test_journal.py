"""The statistics of a design journal: its boundary, its calibrated p value, its rounds."""

import numpy as np
import pytest
from scipy import stats

from poolwise.errors import OptionError
from poolwise.findings import sequential_boundary
from poolwise.findings.planning._boundary import planned_looks
from poolwise.findings.planning._calibrated import stopped_deviations, t_reached, tails
from poolwise.findings.planning._designs import DESIGNS, Experiments
from poolwise.findings.planning._journal import (
    JournalRound,
    journal_plan,
    journal_result,
    next_topics,
)

# Lan & DeMets' boundary like O'Brien & Fleming's, two-sided 0.05, five equal looks, as group
# sequential software prints it (for example R's gsDesign and ldbounds)
FIVE_LOOKS = (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)


def test_the_boundary_of_five_looks_is_the_published_one() -> None:
    """The critical values are those that group sequential software prints."""
    boundary = sequential_boundary([20, 40, 60, 80, 100])
    np.testing.assert_allclose(boundary.critical, FIVE_LOOKS, atol=3e-4)
    assert boundary.spent[-1] == pytest.approx(0.05)


def test_all_looks_together_err_as_often_as_one_test_would() -> None:
    """By t tests, normal differences reach the boundary in 5% of experiments."""
    looks = np.arange(5, 41, 5)
    boundary = sequential_boundary(looks.tolist())
    drawn = np.random.default_rng(1).normal(size=(100_000, 40))
    n = looks[:, None]
    mean, squares = (x.cumsum(axis=1).T[looks - 1] / n for x in (drawn, drawn**2))
    size = np.abs(mean) * np.sqrt((n - 1) / (squares - mean**2))
    reached = (size >= stats.t.isf(boundary.level / 2, looks - 1)[:, None]).any(axis=0)
    # by the levels of the normal statistic it would be 0.0518
    assert reached.mean() == pytest.approx(0.05, abs=0.0015)
    assert boundary.crossing(0.0) == pytest.approx(0.05, abs=1e-6)


def test_the_p_value_at_the_boundary_is_what_was_spent() -> None:
    """A look that just reaches its level has the p value of all alpha spent so far."""
    boundary = sequential_boundary([20, 40, 60])
    for n, level, spent in zip(boundary.topics, boundary.level, boundary.spent, strict=True):
        assert boundary.pvalue(n, level) == pytest.approx(spent, rel=1e-6)
    assert boundary.pvalue(60, 0.5) >= 0.5


def test_planned_looks_have_the_power() -> None:
    """The boundary costs a few topics, and no more than are needed are added."""
    looks = planned_looks(1 / 3, 20)
    alone = journal_plan(delta=1, sigma=3, measure="AP").first
    drift = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) / np.sqrt(alone)
    assert sequential_boundary(looks).crossing(drift) >= 0.8
    shorter = (*looks[:-1], looks[-1] - 1)
    assert sequential_boundary(shorter).crossing(drift) < 0.8


@pytest.mark.parametrize("looks", [[1, 5], [10, 10], [20, 10]])
def test_looks_that_do_not_rise_are_refused(looks: list[int]) -> None:
    """Looks are rising numbers of topics, of two or more."""
    with pytest.raises(OptionError, match="rising"):
        sequential_boundary(looks)


def test_a_look_that_was_not_planned_has_no_p_value() -> None:
    """The boundary says nothing about other numbers of topics."""
    with pytest.raises(OptionError, match="not one of the looks"):
        sequential_boundary([20, 40]).pvalue(30, 0.01)


def test_without_a_choice_the_calibrated_p_value_is_student_s() -> None:
    """A first round that is large enough whatever is seen leaves nothing to calibrate."""
    plan = journal_plan(delta=0.5, sigma=0.5, measure="AP")
    stopped = stopped_deviations(0.01, plan.first, plan.simulated(plan.first))
    for t in (1.0, 2.0, 3.0):
        student = 2 * stats.t.sf(t, plan.first - 1)
        assert float(tails(t, stopped)) == pytest.approx(student, rel=0.01)
    assert t_reached(0.05, stopped) == pytest.approx(stats.t.isf(0.025, plan.first - 1), rel=0.002)


def test_the_calibrated_p_value_is_that_of_experiments_run_topic_by_topic() -> None:
    """Brute force: normal topics, judged in the rounds of the design, with no difference."""
    plan = journal_plan(delta=0.5, sigma=0.5, measure="AP", most=400)
    simulated, rng = plan.simulated(0), np.random.default_rng(4)
    drawn = np.zeros((40_000, 401))
    drawn[:, 1:] = rng.normal(size=(40_000, 400))
    experiments = Experiments(drawn.cumsum(axis=1), (drawn**2).cumsum(axis=1))
    topics = DESIGNS["hybrid"].stop(experiments, simulated).topics
    seen = experiments.moments(topics)
    t = np.abs(seen.mean) * np.sqrt(topics) / seen.deviation
    stopped = stopped_deviations(1.0, plan.first, simulated)
    for value in (1.5, 2.0, 2.5):
        assert (t >= value).mean() == pytest.approx(float(tails(value, stopped)), abs=0.004)
    # the plain test errs more often than it says, and that is what the calibration is for
    plain = 2 * stats.t.sf(t, topics - 1)
    assert (plain <= 0.05).mean() > 0.056
    assert (t >= t_reached(0.05, stopped)).mean() == pytest.approx(0.05, abs=0.003)


def _round(values: np.ndarray) -> JournalRound:
    return JournalRound({str(i): float(x) for i, x in enumerate(values)})


def test_rounds_follow_from_the_deviation() -> None:
    """The next round has the topics that the deviation asks for; none, once the power is there."""
    plan = journal_plan(delta=0.05, sigma=0.14, measure="AP")
    assert next_topics(plan, None) == plan.first == 64
    wide = np.tile([0.2, -0.2], 32)
    assert next_topics(plan, _round(wide)) == plan.topics_for(float(wide.std(ddof=1))) > 64
    assert next_topics(plan, _round(wide / 2)) == 0


def test_the_most_topics_end_an_experiment() -> None:
    """A round is cut at the most topics that were allowed, and there the experiment ends."""
    plan = journal_plan(delta=0.05, sigma=0.14, measure="AP", most=70)
    assert next_topics(plan, _round(np.tile([0.2, -0.2], 32))) == 70
    assert next_topics(plan, _round(np.tile([0.2, -0.2], 35))) == 0


def test_a_sequential_result_has_the_p_value_and_interval_of_its_look() -> None:
    """Ending at a look is significant where its boundary is reached, and the interval agrees."""
    plan = journal_plan(delta=0.5, sigma=0.5, measure="AP", look_every=5)
    values = np.random.default_rng(3).normal(1.2, 0.05, 5)
    result = journal_result(plan, [_round(values)], ("a", "b"))
    crossed = result.pvalue_plain <= plan.boundary.level[0]
    assert result.is_significant == crossed == (result.low > 0)
    assert result.pvalue == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_the_interval_leaves_out_0_where_the_calibrated_test_is_significant() -> None:
    """Interval and calibrated p value tell the same."""
    plan = journal_plan(delta=0.3, sigma=0.3, measure="AP")
    for shift in (0.15, 0.18, 0.21, 0.24):
        values = np.tile([0.3, -0.3], 15)[: plan.first] * 0.9 + shift
        result = journal_result(plan, [_round(values)], ("a", "b"))
        assert result.is_significant == (result.low > 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"look_every": 1}, "look_every"),
        ({"look_every": 5, "most": 90}, "look_every"),
        ({"most": 10}, "fewer than the 64"),
        ({"order": ["1", "2"]}, "order"),
        ({"delta": 0.0001}, "larger difference"),
        ({"sigma": 0.0}, "sigma"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(options: dict[str, object], said: str) -> None:
    """Each limit of a plan is an error with a hint."""
    arguments: dict[str, object] = {"delta": 0.05, "sigma": 0.14, "measure": "AP", **options}
    with pytest.raises(OptionError, match=said):
        journal_plan(**arguments)  # type: ignore[arg-type]
