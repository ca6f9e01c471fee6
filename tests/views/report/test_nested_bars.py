"""Axes of the leaderboard: what they hold, and which runs they leave outside."""

import numpy as np
import pytest

from poolwise.arrays import Floats
from poolwise.scores._score_table import Summary
from poolwise.scores._uncertainty import Uncertainty
from poolwise.views.report._nested_bars import Bar, axis_of, nested_bars, outside_sentence


def summary(means: list[float], half: float = 0.02) -> Summary:
    """Return runs with these means, whose bars reach as far to either side."""
    mean = np.array(means)
    ends = (mean - half, mean + half)
    return summary_of(tuple(f"run{i}" for i in range(len(means))), mean, ends, *ends)


def summary_of(
    systems: tuple[str, ...], mean: Floats, topics: tuple[Floats, Floats], *judging: Floats
) -> Summary:
    """Return means with an interval over topics and a range over judgments."""
    interval = Uncertainty("topics", *topics, level=0.95)
    return Summary(systems, mean, (interval, Uncertainty("judgments", *judging)))


def test_one_run_near_zero_does_not_squeeze_the_others() -> None:
    """The axis begins near the others, and a note names the run that is cut off."""
    axis = axis_of(summary([0.7, 0.68, 0.66, 0.65, 0.6, 0.05]))
    assert axis.outside == ("run5",)
    assert 0.5 <= axis.low <= 0.58
    assert outside_sentence(axis) == (
        (
            f"The axis begins at {axis.low:g}, without run5, far below the others: the bars of "
            "this run are cut off at its edge."
        ),
    )
    assert 'class="mean" x="-3.0"' in nested_bars(
        0.05, [Bar(0.03, 0.07, "topics"), Bar(0.03, 0.07, "unjudged")], axis
    )


@pytest.mark.parametrize(
    "means",
    [
        [0.7, 0.68, 0.66, 0.05],
        [0.7, 0.68, 0.66, 0.65, 0.05, 0.06],
        [0.7, 0.6, 0.5, 0.4, 0.3, 0.2],
        [0.7, 0.3, 0.5, 0.4, 0.6, 0.15],
    ],
    ids=["few runs", "two of six", "evenly spread", "no gap worth it"],
)
def test_otherwise_the_axis_holds_all_runs(means: list[float]) -> None:
    """With few runs, several low ones, or no wide gap, nothing is left outside."""
    axis = axis_of(summary(means))
    assert axis.outside == ()
    assert outside_sentence(axis) == ()
    assert axis.low <= min(means) - 0.02
    assert axis.high >= max(means) + 0.02


def test_one_in_twenty_may_be_left_outside() -> None:
    """Of forty runs, two near zero are cut off."""
    means = [0.6 + i / 400 for i in range(38)] + [0.01, 0.02]
    assert axis_of(summary(means, half=0.005)).outside == ("run38", "run39")


def test_an_interval_over_two_topics_does_not_stretch_the_axis() -> None:
    """It is cut off where it is further out than scores and ranges are apart."""
    mean, wide = np.array([0.5, 0.6]), (np.array([-5.0, 0.5]), np.array([6.0, 0.7]))
    axis = axis_of(summary_of(("run0", "run1"), mean, wide, mean - 0.02, mean + 0.02))
    assert axis.low >= 0.3
    assert axis.high <= 0.8


def test_runs_without_scores_have_an_axis() -> None:
    """Where nothing is known, the axis goes from 0 to 1."""
    unknown = np.array([np.nan])
    nothing = summary_of(("a",), unknown, (unknown, unknown), unknown, unknown)
    assert axis_of(nothing)[:2] == (0.0, 1.0)
