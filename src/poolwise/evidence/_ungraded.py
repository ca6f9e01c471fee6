"""Documents without a grade: which a range is over, how many there are, lists without them."""

from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, rank_sums
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._grades import Block, Grades, join_topics
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = [
    "UNIVERSES",
    "Kind",
    "Universe",
    "condense",
    "count_ungraded",
    "judged_prefix",
    "judged_prefix_block",
    "judged_to_depth",
    "pool_gain",
    "unlisted_unjudged",
    "weight_of",
]

AnyGrades = TypeVar("AnyGrades", bound=Grades)


@recorded
def condense(grades: AnyGrades) -> AnyGrades:
    """Drop the documents without a grade and close up (Sakai's condensed lists; W10 §3.4.5).

    Parameters
    ----------
    grades : Grades or Evidence
        Lists in which some documents have no grade.

    Returns
    -------
    Grades or Evidence
        The same kind as given, with lists of judged documents alone.

    Examples
    --------
    >>> condense(Grades.from_grades([[None, 1, None, 0]])).blocks[0].codes.tolist()
    [[[1, 0, -3, -3]]]
    """
    return grades.with_blocks(block.condensed() for block in grades.blocks)


def count_ungraded(grades: Grades) -> Integers:
    """Return the number of documents without a grade in each list, systems × topics.

    Examples
    --------
    >>> count_ungraded(Grades.from_grades([[1, None, None], [0]])).tolist()
    [[2], [0]]
    """
    return join_topics(block.ungraded_counts for block in grades.blocks)


def pool_gain(grades: Grades, gains: Floats) -> Floats:
    """Return the mean gain of each topic's judged documents, 0 where none is judged.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, None]], judged=[1, 0, 0, 0])
    >>> pool_gain(grades, np.array([0.0, 1.0])).tolist()
    [0.25]
    """
    judged = grades.pool.sum(axis=1)
    return (grades.pool @ gains) / np.maximum(judged, 1)


def weight_of(marked: Booleans, weights: Floats) -> Floats:
    """Return the total weight of the marked cells of each list, systems × topics.

    Cells are systems × topics × ranks, weights by rank, or by topic and rank; of as many ranks, or
    more.

    Examples
    --------
    >>> (block,) = Grades.from_grades([[1, None, None]]).blocks
    >>> weight_of(block.ungraded, np.array([0.5, 0.25, 0.125])).tolist()
    [[0.375]]
    """
    seen = weights[..., : marked.shape[2]]
    return np.stack([rank_sums(lists * seen) for lists in marked])


def judged_prefix(grades: Grades) -> Integers:
    """Return down to which rank each list is judged without a gap, systems × topics.

    Examples
    --------
    >>> judged_prefix(Grades.from_grades([[1, 0, None, 1], [None]])).tolist()
    [[2], [0]]
    """
    return join_topics(judged_prefix_block(block) for block in grades.blocks)


def judged_prefix_block(block: Block) -> Integers:
    """Return down to which rank each list of a block is judged without a gap."""
    # One more rank, always a gap, stands for the end of lists that are judged throughout.
    gap = np.full((*block.shape, block.depth + 1), True)
    np.less(block.codes, 0, out=gap[:, :, :-1])
    return gap.argmax(axis=2)


def judged_to_depth(grades: Grades, depth: int) -> Booleans:
    """Return which lists are judged without a gap down to a depth or their end, systems × topics.

    Examples
    --------
    >>> judged_to_depth(Grades.from_grades([[1, 0, None], [1]]), 2).tolist()
    [[True], [True]]
    """
    return judged_prefix(grades) >= np.minimum(grades.lengths, depth)


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

    @property
    def recorded_as(self) -> str:
        """What provenance says of it."""
        return self.kind if self.depth is None else f"{self.kind} to rank {self.depth}"

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
    def of(cls, universe: "Universe | str", depth: int | str | None = None) -> "Universe":
        """Return a universe as it is, or the one of this kind.

        Examples
        --------
        >>> Universe.of("corpus"), Universe.of("runs", "20").depth
        (Universe(kind='corpus', depth=None), 20)
        """
        if isinstance(universe, Universe):
            return universe
        require_choice("universe", universe, UNIVERSES)
        number = int(depth) if isinstance(depth, str) and depth.isdecimal() else depth
        # Other words than these are refused.
        return cls(cast("Kind", universe), cast("int | Literal['all'] | None", number))

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


def unlisted_unjudged(block: Block, universe: Universe, cutoff: int | None) -> Floats:
    """Return how many documents of the universe are not in the first ranks of each list.

    The block holds whole lists, of which a measure looks at the ranks down to the cut-off. The
    counts, systems × topics, are infinite for a corpus.

    Examples
    --------
    A list of two unjudged documents beside one of another such document: of the measure's first
    rank, two of the three are outside each list, if the universe goes to rank 2.

    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[None, None], [1, None]]).blocks
    >>> unlisted_unjudged(block, Universe(depth=2), cutoff=1).tolist()
    [[2.0], [3.0]]
    >>> unlisted_unjudged(block, Universe("run", depth=2), cutoff=1).tolist()
    [[1.0], [1.0]]
    """
    if universe.kind == "corpus":
        return np.full(block.shape, np.inf)
    scored, reached = _first(block, cutoff), _first(block, universe.reach(cutoff))
    if universe.kind == "run":
        return (reached.ungraded_counts - scored.ungraded_counts).astype(np.float64)
    everyone = reached.best_ranks.sum(axis=1, dtype=np.float64)
    return everyone - scored.ungraded_counts


def _first(block: Block, depth: int | None) -> Block:
    return block if depth is None else block.truncate(depth)
