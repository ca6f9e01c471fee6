"""What is said of the order of two runs follows from the range of their difference."""

import numpy as np

from poolwise.findings.comparison.over_judgments.order_certainty import verdicts_of


def test_a_verdict_follows_from_the_range() -> None:
    """Certain off 0 by more than rounding, never behind with an end at 0, else equal or open."""
    ends = np.array([(0.1, 0.2), (-0.2, -0.1), (0.0, 0.2), (-0.1, 0.0), (0, 0), (-0.1, 0.2)])
    words = ["certain", "certain", "never behind", "never behind", "equal", "open"]
    assert verdicts_of(*ends.T, within=1e-12).tolist() == words
    assert verdicts_of(*(ends.T + 1e-13), within=1e-12).tolist() == words
