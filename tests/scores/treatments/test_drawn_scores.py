"""How often drawn grades give each score, against theory."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError


@pytest.fixture(scope="module")
def found() -> pw.scores.ScoreDistribution:
    """Return the scores of a list with three unjudged documents, each relevant with chance 1/2."""
    evidence = pw.Evidence.from_grades([[None, None, None, 1]], judged=[1] * 4 + [0] * 4)
    return pw.scores.bootstrap(evidence, "P@4", rng=3, prior="pool", draws=8000)


def test_shares_are_binomial(found: pw.scores.ScoreDistribution) -> None:
    """Three fair coins give no, one, two and three relevant documents with 1, 3, 3, 1 in 8."""
    one = found.at(found.plain.systems[0], found.plain.topics[0])
    assert one.values == pytest.approx([0.25, 0.5, 0.75, 1])
    assert one.shares == pytest.approx([1 / 8, 3 / 8, 3 / 8, 1 / 8], abs=0.02)
    assert one.plain == 0.25


def test_mode_and_percentile_are_those_of_the_whole(found: pw.scores.ScoreDistribution) -> None:
    """One list has the same estimate and range as in the table of all."""
    one = found.at(found.plain.systems[0], found.plain.topics[0])
    assert one.mode == found.mode().item()
    assert one.reached == found.percentile(95).item()
    assert np.sum(one.shares) == pytest.approx(1)


def test_unknown_runs_and_topics_are_refused(found: pw.scores.ScoreDistribution) -> None:
    """There is a distribution for the runs and topics that were scored."""
    with pytest.raises(OptionError, match="run"):
        found.at("nobody", found.plain.topics[0])
    with pytest.raises(OptionError, match="topic"):
        found.at(found.plain.systems[0], "none")
