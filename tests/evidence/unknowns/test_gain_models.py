"""Gain models fitted topic by topic."""

import numpy as np
import pytest

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence.alignment import align
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.unknowns.gain_curves import ConstantGain, ZipfGain
from poolwise.evidence.unknowns.gain_models import (
    GAIN_MODELS,
    GainFit,
    empirical_gains,
    fit_gains,
)

GAINS = np.array([0.0, 1.0])


def test_the_empirical_gain_is_the_mean_over_runs() -> None:
    """At each rank the empirical gain is the mean over the runs (G16 eq. 1)."""
    evidence = Evidence.from_grades([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert empirical_gains(evidence, GAINS).tolist() == [[0.75, 0.5, 0.0]]


def test_a_run_counts_down_to_its_first_gap() -> None:
    """A judged document below an unjudged one says what others found, and is left out."""
    evidence = Evidence.from_grades([[1, None, 1], [0, 0, 0]])
    assert empirical_gains(evidence, GAINS, depth=3).tolist() == [[0.5, 0.0, 0.0]]


def test_ranks_past_the_pool_depth_are_unknown() -> None:
    """By default the depth is that to which half of the runs are judged."""
    evidence = Evidence.from_grades([[1, 1, 1, 1], [1, 0, None, 1], [1, 1, None, 1]])
    assert empirical_gains(evidence, GAINS).round(2).tolist() == [[1.0, 0.67]]
    assert empirical_gains(evidence, GAINS, depth=1).tolist() == [[1.0]]


def test_topics_judged_to_different_depths() -> None:
    """Where one topic is judged deeper than another, the latter is unknown there."""
    deep, shallow = ["a", "b", "c"], ["a", "x", "c"]
    runs = Runs.from_rankings({"r": {"1": deep, "2": shallow}})
    judged = {"a": 1, "b": 0, "c": 1}
    found = empirical_gains(align(Judgments.from_dict({"1": judged, "2": judged}), runs), GAINS)
    assert found[0].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(found[1]).tolist() == [False, True, True]


def test_the_hybrid_is_the_best_of_the_others() -> None:
    """On each topic the hybrid has the smallest error of all models (G16 §4)."""
    random = np.random.default_rng(1)
    lists = (random.random((30, 20)) < 0.7 / np.arange(1, 21) ** 0.5).astype(int).tolist()
    evidence = Evidence.from_grades(lists, judged=[0, 1])
    errors = {m: fit_gains(evidence, GAINS, model=m).rmse[0] for m in GAIN_MODELS}
    assert errors["hybrid"] == min(errors.values())
    assert errors["static"] > errors["hybrid"]


@pytest.mark.parametrize("model", GAIN_MODELS)
def test_predicted_gains_are_gains(model: str) -> None:
    """However far a curve is carried on, its gains stay between 0 and 1."""
    rising = Evidence.from_grades([[0, 0, 0, 1, 1, 1, None], [0, 0, 1, 1, 1, 1, None]])
    predicted = fit_gains(rising, GAINS, model=model).predict(500)
    assert predicted.shape == (1, 500)
    assert predicted.min() >= 0
    assert predicted.max() <= 1


@pytest.mark.parametrize(("model", "gain"), [("static", 0.5), ("weibull", 0.0), ("hybrid", 0.0)])
def test_a_topic_without_judgments_is_not_fitted(model: str, gain: float) -> None:
    """Where no rank is judged there is no error of fit; only the static model has a guess."""
    evidence = Evidence.from_grades([[None, None]], judged=[0, 1])
    fit = fit_gains(evidence, GAINS, model=model)
    assert np.isnan(fit.rmse).all()
    assert fit.predict(2).tolist() == [[gain, gain]]


def test_parameters_are_reported_by_topic() -> None:
    """Each topic has a row with its model, parameters and error."""
    evidence = Evidence.from_grades([[1, 0, 0, 0]])
    columns = fit_gains(evidence, GAINS, model="weibull").columns()
    assert list(columns) == ["topic", "model", "total", "decay", "shape", "rmse"]
    assert (columns["topic"], columns["model"]) == (["1"], ["weibull"])


def test_models_of_different_parameters_share_a_table() -> None:
    """A topic has no value for what its model does not have, and no model where none was fitted."""
    models = (ConstantGain(rate=0.5, last=3), None, ZipfGain(total=1.5, exponent=0.7, ranks=50))
    fit = GainFit(("1", "2", "3"), models, np.array([0.1, np.nan, 0.3]))
    columns = fit.columns()
    assert columns["model"] == ["constant", None, "zipf"]
    assert columns["rate"] == [0.5, None, None]
    assert columns["exponent"] == [None, None, 0.7]
    first, second = fit.sentences()
    assert "2 of 3 topics: constant to 1, zipf to 1" in first
    assert "0.2000" in second


def test_an_unknown_model_is_refused() -> None:
    """The error names the models there are."""
    with pytest.raises(OptionError, match=r"'cubic' is not known.*weibull, hybrid"):
        fit_gains(Evidence.from_grades([[1]]), GAINS, model="cubic")
