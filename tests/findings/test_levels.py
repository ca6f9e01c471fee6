"""Levels are shares, and every function that takes one refuses the same ones."""

from collections.abc import Callable

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError

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


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("alpha", [0, 1, 5, -0.1, float("nan")])
def test_a_significance_level_is_a_share(taker: str, alpha: float) -> None:
    """What is no share is refused in the same words everywhere."""
    with pytest.raises(OptionError, match="alpha: a significance level is between 0 and 1; got"):
        TAKERS[taker](alpha)


@pytest.mark.parametrize("taker", TAKERS)
def test_the_hint_works_when_followed(taker: str) -> None:
    """The level that the error proposes is taken."""
    with pytest.raises(OptionError, match=r"Hint: .*0\.05"):
        TAKERS[taker](5)
    assert TAKERS[taker](0.05) is not None


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_a_confidence_level_is_a_share(level: float) -> None:
    """Intervals of one pair and of many refuse the same levels."""
    found = pw.compare_scores(TABLE)
    for ask in (found.interval, found[0].interval, found.tests.interval):
        with pytest.raises(OptionError, match="level: a confidence level is between 0 and 1; got"):
            ask(level)
