"""Lists as sets, and counts."""

import pytest

from poolwise import (
    Evidence,
    NumNonrelRet,
    NumQ,
    NumRel,
    NumRet,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Utility,
)

EVIDENCE = Evidence.from_grades([[1, 0, None, 1]], judged=[1, 1, 1, 0])


def test_set_measures_by_hand() -> None:
    """Two of four retrieved are relevant, of three relevant documents."""
    assert SetP.score(EVIDENCE).item() == 1 / 2
    assert SetR.score(EVIDENCE).item() == 2 / 3
    assert SetRelP.score(EVIDENCE).item() == 2 / 3
    assert SetAP.score(EVIDENCE).item() == pytest.approx(1 / 3)
    assert Utility.score(EVIDENCE).item() == 0
    assert Utility(cost=-2, missed=-1).score(EVIDENCE).item() == 2 - 4 - 1


@pytest.mark.parametrize("beta", [0.5, 1, 3])
def test_beta_is_van_rijsbergens(beta: float) -> None:
    """F_β = (1 + β²)PR / (β²P + R)."""
    p, r = 1 / 2, 2 / 3
    f = (1 + beta**2) * p * r / (beta**2 * p + r)
    assert SetF(beta=beta).score(EVIDENCE).item() == pytest.approx(f)


def test_counts() -> None:
    """Counts are counted, and are open by the unjudged."""
    counts = [NumRet, NumRet(rel=1), NumRel, NumNonrelRet, NumQ]
    assert [m.score(EVIDENCE).item() for m in counts] == [4, 2, 3, 1, 1]
    assert [m.bounds(EVIDENCE).upper.item() for m in counts] == [4, 3, 4, 2, 1]
