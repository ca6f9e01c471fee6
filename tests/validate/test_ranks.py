"""What the table of ranks says, on fewer samples."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.scores import read_score_matrix
from validate.ranks import coverage_of_ranks, planted_ties, true_ranks


def test_planted_ties_are_equal_and_leave_the_others() -> None:
    """So many runs of the middle get one mean, and share all of its ranks."""
    scores = np.random.default_rng(1).beta(2, 4, (12, 30))
    made = planted_ties(scores, 4)
    best, worst = true_ranks(made.mean(axis=1))
    assert sorted((worst - best).tolist()) == [0] * 8 + [3] * 4
    assert (made == scores).all(axis=1).sum() == 8


@pytest.mark.parametrize("ties", [0, 20])
def test_rank_intervals_hold_where_resampled_ranks_do_not(data_dir: Path, ties: int) -> None:
    """On 25 topics of Robust 2004, for the worst-covered run."""
    path = data_dir / "scores" / "newbestsub" / "R04.csv"
    scores = read_score_matrix(path, measure="AP", rows="systems").value
    population = planted_ties(scores, ties) if ties else scores
    coverage = coverage_of_ranks(population, 25, trials=60, resamples=200)
    assert coverage.interval.min() >= 0.93
    assert coverage.resampled.min() < 0.85
