"""A replay of orders counts what was found, and who falls."""

import numpy as np
import pytest

from poolwise import Judgments, Runs, simulate
from poolwise.errors import OptionError
from poolwise.studies import replay_orders

_MADE = simulate(systems=7, topics=4, depth=30, rng=2)


def test_with_all_judgments_nothing_is_lost() -> None:
    """Once everything is judged, every order has found all, and no run falls."""
    found = replay_orders(_MADE.truth, _MADE.runs, measure="P@10", counts=[10, 10_000])
    assert np.ptp(found.relevant[:, 1]) == 0
    assert found.tau[:, 1] == pytest.approx(1)
    assert (found.fall[:, 1] == 0).all()
    assert (found.needed > 0).all()


def test_counts_are_those_of_the_hand() -> None:
    """Rank by rank, the second document judged is the first of the second run."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "w"]}})
    truth = Judgments.from_dict({"1": {"x": 0, "y": 0, "z": 1, "w": 1}})
    found = replay_orders(truth, runs, measure="P@2", orders=["depth"], counts=[1, 2, 4])
    assert found.relevant.tolist() == [[0, 1, 2]]
    assert found.needed.tolist() == [4]
    assert found.fall.tolist() == [[0.5, 0, 0]]


@pytest.mark.parametrize("options", [{"orders": ["none"]}, {"counts": []}, {"counts": [0]}])
def test_what_cannot_be_replayed_is_refused(options: dict[str, list[object]]) -> None:
    """An order that is not known, or no judgments at all, are mistakes."""
    with pytest.raises(OptionError, match="Hint: use"):
        replay_orders(_MADE.truth, _MADE.runs, **options)
