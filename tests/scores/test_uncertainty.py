"""Uncertainty as a noun, its quantiles and its levels."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaincinv
from tests.each import over

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import SHOWN, Uncertainty, t_quantile


@over("level", [0.1, 0.5, 0.9, 0.95, 0.99, 0.999])
def test_quantiles_are_scipys(level: float) -> None:
    """They agree to eleven digits for any number of topics."""
    degrees = np.array([*range(1, 300), 999, 1000, 6979, 20000])
    quantiles = [t_quantile(d, level) for d in degrees.tolist()]
    # t² / (d + t²) is distributed as beta; scipy's own quantile of t had ten digits up to 1.16.
    share = betaincinv(0.5, degrees / 2, level)
    np.testing.assert_allclose(quantiles, np.sqrt(degrees * share / (1 - share)), rtol=1e-11)


def test_the_ends() -> None:
    """Nothing lies within ±0, and everything within ±∞."""
    assert t_quantile(7, 0) == 0
    assert t_quantile(7, 1) == math.inf


TABLE = pw.ScoreTable.from_matrix(
    np.random.default_rng(1).random((4, 12)) + np.arange(4)[:, None],
    systems="abcd",
    topics=[str(t) for t in range(12)],
    measure="AP",
)
MADE = pw.simulate(systems=3, topics=4, depth=10, rng=1)
TAKERS: dict[str, Callable[[float], object]] = {
    "compare_pair": lambda alpha: pw.compare_pair(TABLE, "a", "b", alpha=alpha),
    "compare_scores": lambda alpha: pw.compare_scores(TABLE, alpha=alpha),
    "compare_evidence": lambda alpha: pw.compare_evidence(
        pw.align(MADE.judgments, MADE.runs), "P@5", alpha=alpha, draws=0
    ),
    "discriminate": lambda alpha: pw.findings.discriminate(TABLE, alpha=alpha),
    "topics_needed": lambda alpha: pw.findings.topics_needed(0.5, alpha=alpha),
    "repartition": lambda alpha: pw.studies.repartition(TABLE, rng=1, partitions=10, alpha=alpha),
    "swap_rates": lambda alpha: pw.studies.swap_rates(TABLE, rng=1, draws=10, alpha=alpha),
    "depths": lambda alpha: pw.studies.depths(
        MADE.truth, MADE.runs, ["P"], pool_depths=[5], depths=[5], alpha=alpha
    ),
}


@over("taker", TAKERS)
@over("alpha", [0, 1, 5, -0.1, float("nan")])
def test_a_significance_level_is_a_share(taker: str, alpha: float) -> None:
    """What is no share is refused in the same words everywhere."""
    with pytest.raises(OptionError, match="alpha: a significance level is between 0 and 1; got"):
        TAKERS[taker](alpha)


@over("taker", TAKERS)
def test_the_hint_works_when_followed(taker: str) -> None:
    """The level that the error proposes is taken."""
    with pytest.raises(OptionError, match=r"Hint: .*0\.05"):
        TAKERS[taker](5)
    assert TAKERS[taker](0.05) is not None


@over("level", [0, 1, 95, float("nan")])
def test_a_confidence_level_is_a_share(level: float) -> None:
    """Intervals of one pair and of many refuse the same levels."""
    comparisons = pw.compare_scores(TABLE)
    for ask in (comparisons.interval, comparisons[0].interval, comparisons.tests.interval):
        with pytest.raises(OptionError, match="level: a confidence level is between 0 and 1; got"):
            ask(level)


def two_ranges(kind: str | np.ndarray = "exact") -> Uncertainty:
    """Return what is known of two numbers, of which the first range ends at 0."""
    return Uncertainty("judgments", np.array([-0.5, 0.25]), np.array([0.0, np.nan]), kind=kind)


def test_turned_twice_a_range_is_itself() -> None:
    """The range of b − a is that of a − b with its ends changed over, and 0 is never −0."""
    turned = two_ranges().turn(np.array([True, False]))
    assert turned.low.tolist() == [0.0, 0.25]
    assert not np.signbit(turned.low[0])
    assert turned.high[0] == 0.5
    again = turned.turn(np.array([True, False]))
    np.testing.assert_array_equal(again.low, two_ranges().low)
    np.testing.assert_array_equal(again.high, two_ranges().high)


def test_the_kind_goes_with_its_number() -> None:
    """Where numbers differ in kind, a selection has those of its own."""
    ranges = two_ranges(np.array(["calibrated", "not calibrated"]))
    assert ranges.select(np.array([1])).kinds() == ["not calibrated"]
    assert two_ranges().select(np.array([1, 0])).kinds() == ["exact", "exact"]


def test_no_two_kinds_share_a_column() -> None:
    """But for ranges over judgments and those by a model, of which a table of means has one."""
    pairs = [name for shown in SHOWN.values() for name in shown.pairs.ends]
    means = [n for over, shown in SHOWN.items() if over != "draws" for n in shown.means.ends if n]
    assert len(set(pairs)) == len(pairs)
    assert len(set(means)) == len(means)


def test_what_a_table_carries_is_shown_everywhere() -> None:
    """A further uncertainty of means has columns, a sentence and the same rows as the means."""
    values = [[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]]
    plain = ScoreTable.from_matrix(values, systems="ab", topics="123", measure="AP")
    ends = np.array([0.3, 0.1]), np.array([0.6, 0.4])
    carried = Uncertainty("samples", *ends, level=0.9, meaning=("It is about samples.",))
    table = replace(plain, of_means=(carried,))
    assert table.columns(per_topic=False)["sample_low"] == [0.3, 0.1]
    assert table.range_title == "range if judged"
    assert "90% over samples" in [column.title for column in table.leaderboard().columns]
    said = table.sentences()
    assert said[2:4] == ("Other samples could give a 0.3000 to 0.6000.", "It is about samples.")
    assert table.select(["b"]).uncertainties()[-1].low.tolist() == [0.1]
    # It is not that of a mean over other topics.
    assert len(table.select(topics=["1", "2"]).uncertainties()) == 2
