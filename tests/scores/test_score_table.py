"""Means, intervals and ranges of a score table."""

import numpy as np
import pytest
import scipy.stats

from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.scores.standardization.factors import standardize


def table(values: list[list[float]]) -> ScoreTable:
    """Return a table with made-up names."""
    systems = [f"s{i}" for i in range(len(values))]
    topics = [f"t{i}" for i in range(len(values[0]))]
    return ScoreTable.from_matrix(values, systems=systems, topics=topics, measure="AP")


def test_interval_is_the_t_interval() -> None:
    """The interval of a mean is scipy's t interval of its topics."""
    values = np.random.default_rng(1).random((3, 12))
    low, high = table(values.tolist()).interval(0.9)
    for s in range(3):
        sem = scipy.stats.sem(values[s])
        expected = scipy.stats.t.interval(0.9, 11, loc=values[s].mean(), scale=sem)
        assert (low[s], high[s]) == pytest.approx(expected, abs=1e-14)


def test_one_topic_has_no_interval() -> None:
    """From one topic no spread can be estimated, and the table says so."""
    single = table([[0.5]])
    assert np.isnan(single.interval()).all()
    assert single.caveats() == ("One topic gives no interval over topics.",)


def test_undefined_topics_stay_out_of_the_mean() -> None:
    """A topic without a score for some system enters nobody's mean, and is counted."""
    scores = table([[0.5, np.nan, 0.1], [0.2, 0.4, 0.2]])
    assert scores.means().tolist() == pytest.approx([0.3, 0.2])
    assert scores.caveats() == ("1 of 3 topics is left out of the means: a score is missing.",)


def test_no_defined_topic_gives_no_mean() -> None:
    """With every topic undefined the means are undefined, not 0."""
    scores = table([[np.nan, np.nan]])
    assert np.isnan(scores.means()).all()
    assert np.isnan(scores.summary().upper).all()


def test_geometric_mean_of_a_zero_is_not_zero_everywhere() -> None:
    """ε keeps one failed topic from hiding the others, and is taken off again (U18 §2.1)."""
    expected = np.exp(np.log([0.4 + 1e-5, 1e-5]).mean()) - 1e-5
    assert table([[0.4, 0.0]]).aggregate("gm")[0] == pytest.approx(expected, abs=1e-15)
    assert table([[0.3, 0.3]]).aggregate("gm")[0] == pytest.approx(0.3, abs=1e-12)


def test_unknown_names_are_refused() -> None:
    """A system, topic or aggregate that is not there is named, with what there is."""
    with pytest.raises(OptionError, match=r"systems: 'x' is not known.*s0"):
        table([[0.1]]).select(["x"])
    with pytest.raises(OptionError, match="how: 'mode' is not known"):
        table([[0.1]]).aggregate("mode")


def test_select_keeps_the_order_asked_for() -> None:
    """Systems and topics come back in the order given."""
    part = table([[1, 2, 3], [4, 5, 6]]).select(["s1", "s0"], ["t2", "t0"])
    assert part.value.tolist() == [[6, 4], [3, 1]]


def test_equal_means_keep_their_order() -> None:
    """Ties in the leaderboard do not depend on the sort."""
    assert table([[0.2], [0.5], [0.2], [0.5]]).order().tolist() == [1, 3, 0, 2]


def test_the_interval_of_a_mean_stays_in_the_range_of_the_measure() -> None:
    """No mean of P is below 0 or above 1; where the range is not known, nothing is cut."""
    values = [[0.0, 0.0, 0.9], [1.0, 1.0, 0.1]]
    low, high = table(values).interval()
    assert (low[0], high[1]) == (0, 1)
    assert low[1] < high[0]
    unknown = ScoreTable.from_matrix(values, systems="ab", topics="123", measure="satisfaction")
    assert unknown.interval()[0][0] < 0
    assert standardize(table(values)).interval()[0].min() < 0
    assert standardize(table(values), mapping="normal").limits == (0, 1)


def test_graded_gains_have_the_range_of_their_scale() -> None:
    """DCG@2 of grades up to 3 is 3 + 3/log2(3) at most."""
    found = score(Evidence.from_grades([[3, 3], [0, 3]]), "DCG@2")
    assert found.limits == pytest.approx((0, 3 + 3 / np.log2(3)))
