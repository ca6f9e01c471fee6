"""The faults that ``make faults`` plants can be planted."""

from tests.planted_faults import FAULTS, misplaced


def test_every_fault_is_where_it_is_said_to_be() -> None:
    """The text of each fault is in its file once, and the tests that should catch it exist."""
    assert list(misplaced(FAULTS)) == []
