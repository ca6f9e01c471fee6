"""Which systems are compared with which."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError
from poolwise.words import counted

__all__ = ["Pairs"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems by position: a difference is left minus right.

    Attributes
    ----------
    left, right : int array
        Positions of the two systems of each pair.
    family : str
        Which pairs these are, in words.

    Examples
    --------
    >>> pairs = Pairs.of_all(("a", "b", "c"))
    >>> pairs.left.tolist(), pairs.right.tolist(), pairs.family
    ([0, 0, 1], [1, 2, 2], 'all pairs of 3 systems')
    >>> Pairs.against(("a", "b", "c"), ["b"]).left.tolist()
    [0, 2]
    >>> pairs.difference(np.array([[5.0], [3.0], [1.0]])).tolist()
    [[2.0], [4.0], [2.0]]
    """

    left: Indices
    right: Indices
    family: str = ""

    @classmethod
    def of_all(cls, systems: Sequence[str]) -> "Pairs":
        """Pair every system with every later one."""
        if len(systems) < 2:
            raise OptionError(
                f"systems: a comparison needs two systems; got {len(systems)}. Hint: add a system."
            )
        left, right = np.triu_indices(len(systems), 1)
        return cls(left, right, f"all pairs of {counted(len(systems), 'system')}")

    @classmethod
    def against(cls, systems: Sequence[str], baseline: str | Sequence[str]) -> "Pairs":
        """Pair every other system with the baseline, or each of several; it is on the right."""
        names = (baseline,) if isinstance(baseline, str) else tuple(baseline)
        at = indices_of(names, systems, what="baseline")
        others = np.setdiff1d(np.arange(len(systems)), at)
        if not len(others):
            raise OptionError(
                "baseline: a system other than the baselines is needed; "
                f"got {', '.join(names)} alone. Hint: add a system."
            )
        named = f"{counted(len(others), 'system')} against {', '.join(names)}"
        return cls(np.tile(others, len(at)), np.repeat(at, len(others)), named)

    @classmethod
    def of_two(cls, systems: Sequence[str], a: str, b: str) -> "Pairs":
        """Pair two systems by name."""
        at = indices_of([a, b], systems, what="systems")
        return cls(at[:1], at[1:], f"{a} against {b}")

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, which: slice) -> "Pairs":
        return Pairs(self.left[which], self.right[which], self.family)

    def difference(self, values: Floats) -> Floats:
        """Return left minus right for each pair, from values by system."""
        return values[self.left] - values[self.right]
