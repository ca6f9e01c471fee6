"""Scores by slice of the topics: means, intervals that hold together, and the mean over slices."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.examples import example

import poolwise as pw
from poolwise.scores import SlicedScores, score_slices

RNG = np.random.default_rng(5)
TOPICS = [str(t) for t in range(30)]
TABLE = pw.ScoreTable.from_matrix(
    RNG.beta(2, 3, (2, 30)), systems=["a", "b"], topics=TOPICS, measure="AP"
)
LANGUAGES = {t: "de" if int(t) < 12 else "en" for t in TOPICS}


def ends(found: SlicedScores) -> np.ndarray:
    """Return the intervals, systems × slices × 2."""
    both = np.stack([found.over_topics.low, found.over_topics.high], axis=-1)
    return both.reshape(*found.mean.shape, 2)


def test_means_are_those_of_the_topics_of_each_slice() -> None:
    """The macro mean weighs slices alike, however many topics they have."""
    found = score_slices(TABLE, LANGUAGES)
    assert found.slices == ("de", "en", "macro mean")
    assert found.topics == (12, 18, 30)
    de, en = TABLE.value[:, :12].mean(axis=1), TABLE.value[:, 12:].mean(axis=1)
    np.testing.assert_allclose(found.mean, np.column_stack([de, en, (de + en) / 2]))


def test_intervals_hold_together() -> None:
    """Each of two slices has the t interval of 97.5%, as scipy has it."""
    found = ends(score_slices(TABLE, LANGUAGES))
    for run in range(2):
        for place, scores in enumerate((TABLE.value[run, :12], TABLE.value[run, 12:])):
            n = len(scores)
            half = stats.sem(scores) * stats.t.ppf(1 - 0.025 / 2, n - 1)
            np.testing.assert_allclose(found[run, place], scores.mean() + np.array([-half, half]))


def test_the_interval_of_the_macro_mean_is_welchs() -> None:
    """Of two slices it is half of scipy's interval of the sum of two means."""
    found = ends(score_slices(TABLE, LANGUAGES))
    for run in range(2):
        de, en = TABLE.value[run, :12], TABLE.value[run, 12:]
        summed = stats.ttest_ind(de, -en, equal_var=False).confidence_interval(0.95)
        np.testing.assert_allclose(found[run, 2], np.array([summed.low, summed.high]) / 2)


def test_ranges_over_judgments_are_those_of_the_topics() -> None:
    """The range of a slice is that of its topics, and the macro mean's is the mean of them."""
    table = pw.score(example("some judged"), "P@2")
    found = score_slices(table, {"1": "x", "2": "y"})
    low = found.over_judgments.low.reshape(found.mean.shape)
    high = found.over_judgments.high.reshape(found.mean.shape)
    np.testing.assert_allclose(low[:, :2], table.lower)
    np.testing.assert_allclose(high[:, :2], table.upper)
    np.testing.assert_allclose(low[:, 2], table.lower.mean(axis=1))
    np.testing.assert_allclose(high[:, 2], table.upper.mean(axis=1))


def test_topics_without_a_slice_are_counted() -> None:
    """They are in no mean; where no topic has a slice, there is nothing to say."""
    found = score_slices(TABLE, {"0": "de", "1": "de", "2": "en", "3": "en"})
    assert found.left_out == 26
    assert found.sentences()[-1] == "26 topics without a slice are left out."
    with pytest.raises(pw.OptionError, match="none of the topics has one"):
        score_slices(TABLE, {"q": "de"})


def test_one_topic_has_no_interval() -> None:
    """A slice of one topic has a mean and no interval, and so has the macro mean."""
    found = ends(score_slices(TABLE, {"0": "de", "1": "en", "2": "en"}))
    assert np.isnan(found[:, [0, 2]]).all()
    assert np.isfinite(found[:, 1]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [("1 de\n2\n", ":2: a line must hold a topic"), ("1 de\n1 en\n", ":2: a topic must have one")],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, text: str, message: str) -> None:
    """The error names the line and the rule."""
    path = tmp_path / "slices"
    path.write_text(text)
    with pytest.raises(pw.InputError, match=message):
        score_slices(TABLE, path)
