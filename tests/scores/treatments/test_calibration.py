"""The rank rule of conformal ranges, against theory; and what is drawn for left-out runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise import Judgments, Runs, align, pool, simulate
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.measures import parse_measure
from poolwise.scores.treatments._calibration import (
    DRAWS,
    _Sums,
    conformal_factor,
    promised_level,
)
from poolwise.scores.treatments._drawn_scores import means_of_draws, score_draws
from poolwise.scores.treatments._relevance_model_treatment import (
    FittedModel,
    RelevanceModelTreatment,
    fit_model,
)


@pytest.mark.parametrize(("groups", "level"), [(19, 0.95), (40, 0.95), (9, 0.9), (25, 0.8)])
def test_ranges_hold_for_new_groups_at_the_level(groups: int, level: float) -> None:
    """Over many collections, a new group's error is within the factor at least as often."""
    rng = np.random.default_rng(4)
    errors = np.abs(rng.standard_t(3, (4000, groups + 1)))
    units = np.arange(groups)
    held = [row[-1] <= conformal_factor(row[:-1], units, level) for row in errors]
    assert level - 0.012 <= np.mean(held) <= level + 1 / (groups + 1) + 0.012


def test_a_group_counts_once_however_many_runs_it_has() -> None:
    """Runs with many sisters do not outvote the other groups."""
    scaled = np.concatenate([np.arange(1.0, 20.0), np.full(500, 0.1)])
    units = np.concatenate([np.arange(19), np.zeros(500, np.intp)])
    assert conformal_factor(scaled, units, 0.95) == 19
    assert conformal_factor(scaled, units, 0.5) == 10


def test_too_few_groups_promise_nothing() -> None:
    """18 groups cannot promise 95%, 19 can; with fewer the level falls to m/(m + 1)."""
    assert conformal_factor(np.arange(18.0), np.arange(18), 0.95) == float("inf")
    assert conformal_factor(np.arange(19.0), np.arange(19), 0.95) == 18
    for groups in range(5, 19):
        assert promised_level(groups) == groups / (groups + 1) < 0.95
        factor = conformal_factor(
            np.arange(float(groups)), np.arange(groups), groups / (groups + 1)
        )
        assert factor == groups - 1


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=30),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
)
def test_a_higher_level_never_takes_a_smaller_factor(
    scaled: list[float], one: float, other: float
) -> None:
    """Ranges of a higher level hold those of a lower one."""
    values, units = np.array(scaled), np.arange(len(scaled)) // 2
    low, high = sorted([one, other])
    assert conformal_factor(values, units, low) <= conformal_factor(values, units, high)


@pytest.fixture(scope="module")
def judged_by_pools() -> FittedModel:
    """Fit a model to runs in a shallow pool, where one alone found what a topic has of relevant."""
    made = simulate(systems=16, topics=6, depth=20, rng=3)
    pooled = pool(made.judgments, made.runs, depth=4)
    grades, lists = pooled.to_dict(), made.runs.to_dict()
    first, topic = made.runs.systems[0], made.runs.topics[0]
    grades[topic] = dict.fromkeys(grades[topic], 0) | {"nobody else has it": 1}
    rankings = {run: {t: list(docs) for t, docs in of.items()} for run, of in lists.items()}
    rankings[first][topic].insert(0, "nobody else has it")
    evidence = align(Judgments.from_dict(grades), Runs.from_rankings(rankings))
    return fit_model(evidence, parse_measure("P@10"), RelevanceModelTreatment(depth=4))


@pytest.mark.parametrize("name", ["P@10", "RBP(p=0.8)", "nDCG@10", "enDCG@5", "nRBP(p=0.9)"])
def test_sums_without_a_unit_are_those_of_its_lists_scored_as_a_whole(
    judged_by_pools: FittedModel, name: str
) -> None:
    """To the last bit, of any runs, and a topic that loses its only relevant document has none."""
    model, measure = judged_by_pools, parse_measure(name)
    evidence, systems = measure.cut(model.documents.evidence), np.array([0, 1, 3, 4, 7, 11])
    sums = _Sums.of(evidence, measure, model.pooled)
    codes = document_codes(model.documents.evidence)
    undefined = 0
    for left_out in model.left_out(1):
        hidden = left_out.hide(evidence.select(systems), codes)
        whole = score_draws(hidden, measure, left_out.draws, draws=DRAWS, shared=True)
        means, known = sums.drawn_means(left_out, systems, np.ones(whole.shape[1], np.bool_))
        assert known.tolist() == (~np.isnan(whole).any(axis=(0, 2))).tolist()
        assert np.array_equal(means, means_of_draws(whole, known))
        lists = evidence.select(left_out.systems)
        alone = left_out.hide(lists, codes)
        own = score_draws(alone, measure, left_out.draws, draws=DRAWS, shared=False)
        newly_open, values = sums.drawn_scores(left_out)
        assert np.array_equal(values, own, equal_nan=True)
        before = count_ungraded(lists)
        assert newly_open.tolist() == (count_ungraded(alone) - before).sum(axis=1).tolist()
        undefined += int(not known.all())
    assert undefined == (1 if name.startswith(("n", "e")) else 0)
