"""The gate among the tests of a search project: `pytest` runs it with the others."""

from pathlib import Path

import poolwise as pw

SEARCH = Path("search")


def test_the_candidate_may_be_released() -> None:
    """The candidate is not worse than the frozen baseline by more than 0.01 in nDCG@10."""
    gate = pw.gate(
        SEARCH / "qrels.txt", "candidate.run", "nDCG@10", baseline=SEARCH / "baseline.frozen"
    )
    assert gate.passed, gate
