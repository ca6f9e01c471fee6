"""Which documents are unknown: the set of unjudged documents that a range is about."""

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence.grades import Block
from poolwise.words import counted

__all__ = ["UNIVERSES", "Kind", "Universe", "outside_lists"]

Kind = Literal["run", "runs", "corpus"]

UNIVERSES: dict[Kind, str] = {
    "run": "the unjudged documents of the run itself, or of the two runs compared",
    "runs": "the unjudged documents of all runs given",
    "corpus": "any document at all, also one that no run retrieved",
}


@dataclass(frozen=True)
class Universe:
    """The unjudged documents that a range is over, topic by topic.

    Attributes
    ----------
    kind : {"runs", "run", "corpus"}
        Whose documents: see ``UNIVERSES``.
    depth : int, "all" or None
        Down to which rank of the lists; None is the measure's cut-off, and whole lists where it
        has none.

    Examples
    --------
    >>> Universe().words(10, runs=12)
    'the unjudged documents in the first 10 ranks of these 12 runs'
    >>> Universe("run", depth="all").words(10), Universe("corpus").words(None)
    ('the unjudged documents of the run', 'all unjudged documents of the corpus, retrieved or not')
    """

    kind: Kind = "runs"
    depth: int | Literal["all"] | None = None

    def __post_init__(self) -> None:
        require_choice("universe", self.kind, UNIVERSES)
        if self.depth not in (None, "all") and not (
            isinstance(self.depth, int | np.integer) and self.depth >= 1
        ):
            raise OptionError(
                "universe depth: must be a number of ranks, 1 or more, or all; "
                f"got {self.depth}. Hint: leave it out to take the measure's cut-off."
            )

    @classmethod
    def of(cls, given: "Universe | str", depth: int | str | None = None) -> "Universe":
        """Return a universe as it is, or the one of this kind.

        Examples
        --------
        >>> Universe.of("corpus"), Universe.of("runs", "20").depth
        (Universe(kind='corpus', depth=None), 20)
        """
        if isinstance(given, Universe):
            return given
        require_choice("universe", given, UNIVERSES)
        number = int(depth) if isinstance(depth, str) and depth.isdecimal() else depth
        # Other words than these are refused.
        return cls(cast("Kind", given), cast("int | Literal['all'] | None", number))

    def reach(self, cutoff: int | None) -> int | None:
        """Return how many ranks of the lists belong to it; None for whole lists.

        A depth above a measure's cut-off would take documents that the measure looks at for
        known, so it is refused.

        Examples
        --------
        >>> [Universe(depth=depth).reach(10) for depth in (None, 20, "all")]
        [10, 20, None]
        """
        if self.depth is None:
            return cutoff
        if self.depth == "all":
            return None
        if cutoff is None or self.depth < cutoff:
            looks = "whole lists" if cutoff is None else f"the first {cutoff} ranks"
            raise OptionError(
                f"universe depth: must reach as deep as the measure, which looks at {looks}; got "
                f"{self.depth}. Hint: take all, or a measure with a cut-off of at most "
                f"{self.depth}."
            )
        return self.depth

    def words(self, cutoff: int | None, *, runs: int = 1) -> str:
        """Name the documents, for a measure with this cut-off and so many runs."""
        if self.kind == "corpus":
            return "all unjudged documents of the corpus, retrieved or not"
        depth = self.reach(cutoff)
        first = "of" if depth is None else f"in the first {counted(depth, 'rank')} of"
        whose = "the run" if self.kind == "run" or runs == 1 else f"these {counted(runs, 'run')}"
        return f"the unjudged documents {first} {whose}"


def outside_lists(block: Block, universe: Universe, cutoff: int | None) -> Floats:
    """Return how many documents of the universe are not in the first ranks of each list.

    Parameters
    ----------
    block : Block
        Whole lists.
    universe : Universe
        Which documents are unknown.
    cutoff : int, optional
        The ranks that a measure looks at.

    Returns
    -------
    float array, systems × topics
        Infinite for a corpus.

    Examples
    --------
    A list of two unjudged documents beside one of another such document: of the measure's first
    rank, two of the three are outside each list, if the universe goes to rank 2.

    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[None, None], [1, None]]).blocks
    >>> outside_lists(block, Universe(depth=2), cutoff=1).tolist()
    [[2.0], [3.0]]
    >>> outside_lists(block, Universe("run", depth=2), cutoff=1).tolist()
    [[1.0], [1.0]]
    """
    if universe.kind == "corpus":
        return np.full(block.shape, np.inf)
    known, reached = _first(block, cutoff), _first(block, universe.reach(cutoff))
    if universe.kind == "run":
        return (reached.ungraded_counts - known.ungraded_counts).astype(np.float64)
    everyone = reached.best_ranks.sum(axis=1, dtype=np.float64)
    return everyone - known.ungraded_counts


def _first(block: Block, depth: int | None) -> Block:
    return block if depth is None else block.truncate(depth)
