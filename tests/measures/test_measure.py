"""What a measure needs before it scores."""

import pytest
from tests.examples import example

from poolwise import P
from poolwise.errors import MeasureError


def test_a_measure_without_its_cutoff_does_not_score() -> None:
    """P is a template until it has a cut-off."""
    with pytest.raises(MeasureError, match="it needs a cut-off"):
        P.score(example("all judged"))
