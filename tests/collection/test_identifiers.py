"""Names and ids found again, or told to be missing."""

import pytest

from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    """The message has the name, and the first dozen of those that there are."""
    names = [f"run{i}" for i in range(20)]
    assert indices_of(["run7", "run3"], names, what="systems").tolist() == [7, 3]
    with pytest.raises(OptionError, match=r"^systems: 'z' is not known\..* run0, .*, run11…\.$"):
        indices_of(["run1", "z"], names, what="systems")
