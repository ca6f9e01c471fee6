"""A name that is called otherwise now says so, and leads to something that is there."""

import pytest
from tests.each import over

import poolwise as pw
from poolwise._renamed import RENAMED


@over("old", sorted(RENAMED))
def test_an_old_name_says_the_new_one(old: str) -> None:
    """The error of Python has the name of today in it."""
    room, _, name = old.rpartition(".")
    door = getattr(pw, room) if room else pw
    if not isinstance(door, type):  # a class says so itself
        with pytest.raises(AttributeError, match="now"):
            getattr(door, name)


@over("old", sorted(RENAMED))
def test_the_new_name_is_there(old: str) -> None:
    """In the same room, or in the one that the hint names."""
    new = RENAMED[old].partition("(")[0].partition(",")[0].split()[0]
    room, _, name = new.rpartition(".")
    door = getattr(pw, room, None) or getattr(pw, old.rpartition(".")[0], pw)
    assert hasattr(door, name) or hasattr(pw, name), new
