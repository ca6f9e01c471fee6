"""Which pairs the shares of a depth study are over."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.studies import DepthSetting


def setting(pvalues: list[float]) -> DepthSetting:
    """Return a setting with these p values."""
    measure = pw.parse_measure("AP")
    return DepthSetting(measure, measure, "given", 5, 5, 9, np.zeros(2), np.array(pvalues))


def test_pairs_without_a_p_value_may_be_left_out_of_the_divisor() -> None:
    """Two of four pairs are significant, and two of the three that can be tested."""
    one = setting([0.01, 0.02, 0.5, np.nan])
    assert one.power() == 0.5
    assert one.power(tested=True) == pytest.approx(2 / 3)
    assert np.isnan(setting([np.nan]).power(tested=True))


def test_a_study_of_tested_pairs_says_so() -> None:
    """Equal runs add nothing to the divisor, and the option is in the provenance."""
    lists = {name: {t: list("abc") for t in "123456"} for name in ("x", "y")}
    lists["z"] = {t: list("abc" if t == "1" else "cab") for t in "123456"}
    runs = pw.Runs.from_rankings(lists)
    judgments = pw.Judgments.from_dict({t: {"a": 1, "b": 0, "c": 0} for t in "123456"})
    every, tested = (
        pw.studies.depths(judgments, runs, ["P"], pool_depths=[3], depths=[1], tested=which)
        for which in (False, True)
    )
    assert every.power(every.settings[0]) == pytest.approx(2 / 3)
    assert tested.power(tested.settings[0]) == 1
    assert "100.0% of 2 pairs" in tested.sentences()[0]
    assert ("tested", True) in tested.provenance.options
