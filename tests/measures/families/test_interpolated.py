"""Interpolated precision."""

import pytest

from poolwise import AvgIPrec, Evidence, IPrec


def test_the_best_precision_further_down_counts() -> None:
    """Precision at a recall is the best at or past it, 0 where it is not reached."""
    evidence = Evidence.from_grades([[0, 0, 1, 1, 1]], judged=[1] * 4)
    assert [(IPrec @ x).score(evidence).item() for x in (0, 0.5, 0.75, 1)] == [0.6, 0.6, 0.6, 0]


def test_versions_of_trec_eval_round_differently() -> None:
    """Of x·R documents, version 9 adds 0.9 and cuts, and version 10 rounds."""
    evidence = Evidence.from_grades([[1, 0, 0]], judged=[1] * 3)
    assert (IPrec @ 0.5).score(evidence).item() == 0  # 2.4 documents, cut to 2
    assert (IPrec(version=10) @ 0.5).score(evidence).item() == 0  # 1.5, rounded to 2
    assert (IPrec @ 0.4).score(evidence).item() == 0  # 2.1, cut to 2
    assert (IPrec(version=10) @ 0.4).score(evidence).item() == 1  # 1.2, rounded to 1
    assert AvgIPrec.score(evidence).item() == pytest.approx(4 / 11)
    assert AvgIPrec(version=10).score(evidence).item() == pytest.approx(5 / 11)
