"""What a measure is: a value that scores and bounds grades, and the gains of grades."""

from abc import ABC, abstractmethod
from dataclasses import FrozenInstanceError, replace
from inspect import get_annotations
from typing import (
    Any,
    ClassVar,
    NamedTuple,
    Never,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    get_origin,
)

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import MeasureError
from poolwise.evidence._evidence import DocumentBlock, Evidence, Pairs
from poolwise.evidence._grades import Block, Grades, join_topics
from poolwise.evidence._ungraded import Universe, unlisted_unjudged
from poolwise.measures import bounds
from poolwise.measures._ranges import (
    Bounds,
    DifferenceBounds,
    RangeKind,
    enclosing,
    join_bounds,
    no_bounds,
    subtracted,
)
from poolwise.results._progress import counting

__all__ = [
    "DCG_FORMS",
    "GAINS",
    "Bounds",
    "DifferenceBounds",
    "Hits",
    "Measure",
    "NamedValue",
    "RangeKind",
    "Ranked",
    "binary_gains",
    "count_down_to",
    "discounts",
    "exponential_gains",
    "exponential_shares",
    "find_hits",
    "first_code",
    "ideal_gains",
    "linear_gains",
    "per_relevant",
    "require",
    "scaled_gains",
    "top_grade",
    "weighted_sum",
]

GAINS = {
    "binary": "1 from the relevance level up, else 0",
    "linear": "grade / highest grade",
    "exponential": "(2^grade − 1) / (2^highest − 1)",
}
DCG_FORMS = {
    "log2": "linear gain, discount 1/log2(i + 1)",
    "exp-log2": "exponential gain 2^grade − 1, discount 1/log2(i + 1)",
    "jk": "linear gain, discount 1 to rank b, 1/log_b(i) below",
    "exp-jk": "exponential gain 2^grade − 1, discount 1 to rank b, 1/log_b(i) below",
}

_HIGHEST_EXPONENT = 1000
"""2^1000, added up for a million documents, is still a number."""


def top_grade(scale: Floats) -> float:
    """Return the highest grade of the collection; 1 where nothing above 0 was ever given.

    Examples
    --------
    >>> top_grade(np.array([0.0, 1.0, 3.0])), top_grade(np.array([0.0]))
    (3.0, 1.0)
    """
    return float(scale[-1]) if len(scale) and scale[-1] > 0 else 1.0


def binary_gains(grades: Floats, rel: float) -> Floats:
    """Return 1 for each grade of at least ``rel``, else 0."""
    return (grades >= rel).astype(np.float64)


def linear_gains(grades: Floats) -> Floats:
    """Return the grades themselves."""
    return np.maximum(grades, 0.0)


def exponential_gains(grades: Floats) -> Floats:
    """Return 2^grade − 1; grades whose gains would be too large to add up are refused.

    Examples
    --------
    >>> exponential_gains(np.array([0.0, 1.0, 3.0])).tolist()
    [0.0, 1.0, 7.0]
    """
    if grades.max(initial=0) > _HIGHEST_EXPONENT:
        raise MeasureError(
            f"an exponential gain needs grades of at most {_HIGHEST_EXPONENT}; got "
            f"{grades.max():g}. Hint: use a linear gain, or grades on a smaller scale."
        )
    return np.exp2(np.maximum(grades, 0.0)) - 1


def exponential_shares(grades: Floats, top: float) -> Floats:
    """Return (2^grade − 1) / 2^top, which is at most 1 whatever the grades are.

    Examples
    --------
    >>> exponential_shares(np.array([0.0, 1.0, 2.0]), 2).tolist()
    [0.0, 0.25, 0.75]
    >>> exponential_shares(np.array([1.0, 4999.0, 5000.0]), 5000).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.exp2(np.maximum(grades, 0.0) - top) - np.exp2(-top)


def scaled_gains(scale: Floats, gain: str, rel: float) -> Floats:
    """Return the gain of each grade, from 0 to 1, where 1 is the collection's highest grade.

    Examples
    --------
    >>> scale = np.array([0.0, 1.0, 2.0])
    >>> [scaled_gains(scale, gain, 1).tolist() for gain in ("binary", "linear")]
    [[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]]
    """
    if gain == "binary":
        return binary_gains(scale, rel)
    top = top_grade(scale)
    if gain == "linear":
        return linear_gains(scale) / top
    return exponential_shares(scale, top) / exponential_shares(np.array([top]), top)


def discounts(depth: int, dcg: str, base: float) -> Floats:
    """Return the DCG weight of each rank.

    Examples
    --------
    >>> discounts(4, "log2", 2).round(2).tolist(), discounts(4, "jk", 2).round(2).tolist()
    ([1.0, 0.63, 0.5, 0.43], [1.0, 1.0, 0.63, 0.5])
    """
    ranks = np.arange(1, depth + 1, dtype=np.float64)
    if dcg.endswith("log2"):
        return 1 / np.log2(ranks + 1)  # W10 eq. 3.9
    return np.log(base) / np.log(np.maximum(ranks, base))  # W10 eq. 3.8


def ideal_gains(pool: Integers, gains: Floats, depth: int) -> Floats:
    """Return the gain at each rank of the best ranking of the judged documents, per topic.

    Examples
    --------
    >>> ideal_gains(np.array([[5, 2, 1]]), np.array([0.0, 1.0, 3.0]), 4).tolist()
    [[3.0, 1.0, 1.0, 0.0]]
    """
    steps = np.diff(gains, prepend=0.0)
    at_least = pool[:, ::-1].cumsum(axis=1)[:, ::-1]
    ranks = np.arange(depth)
    ideal = np.zeros((len(pool), depth))
    for code in np.flatnonzero(steps).tolist():
        ideal += steps[code] * (ranks < at_least[:, code, None])
    return ideal


class Hits(NamedTuple):
    """The cells of chosen grades, list after list (a list is a system's ranking for a topic).

    Rankings hold few relevant documents, so sums over these cells cost far less than sums over
    all ranks.
    """

    lists: Integers
    """Which list: system × topics + topic."""
    ranks: Integers
    """The rank, from 1."""
    codes: NDArray[np.integer]
    """The grade code."""
    nth: Integers
    """How many hits the list has down to this one, itself included."""
    counts: Integers
    """Number of hits of each list."""
    shape: tuple[int, int]
    """Systems, topics."""

    @property
    def topics(self) -> Integers:
        """Index of the topic of each hit."""
        return self.lists % self.shape[1]

    def total(self, values: Floats) -> Floats:
        """Sum a value per hit over each list, as systems × topics."""
        sums = np.bincount(self.lists, values, minlength=self.shape[0] * self.shape[1])
        return np.asarray(sums.reshape(self.shape), np.float64)


def first_code(block: Block, level: float) -> int:
    """Return the lowest grade code that is relevant at this level."""
    return int(np.searchsorted(block.scale, level))


def find_hits(block: Block, code: int) -> Hits:
    """Return the cells of grade code ``code`` or higher.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, 0, None, 2], [2]]).blocks
    >>> hits = find_hits(block, code=1)
    >>> hits.lists.tolist(), hits.ranks.tolist(), hits.nth.tolist()
    ([0, 0, 1], [1, 4, 1], [1, 2, 1])
    """
    # Most measures want the same cells, and finding them is most of the work.
    if ("hits", code) not in block.memo:
        block.memo["hits", code] = _find(block, code)
    return block.memo["hits", code]


def _find(block: Block, code: int) -> Hits:
    systems, topics, depth = block.codes.shape
    marked = block.codes >= code
    counts = np.count_nonzero(marked, axis=2).reshape(-1).astype(np.int64)
    cells = np.flatnonzero(marked)
    lists = np.repeat(np.arange(systems * topics), counts)
    return Hits(
        lists=lists,
        ranks=cells - lists * depth + 1,
        codes=block.codes.reshape(-1)[cells],
        nth=np.arange(1, len(cells) + 1) - np.repeat(np.cumsum(counts) - counts, counts),
        counts=counts,
        shape=(systems, topics),
    )


def count_down_to(hits: Hits, marked: Booleans) -> Integers:
    """Return how many marked cells each hit's list has above it and at it; hits are marked.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[0, 1, None, 0, 2]]).blocks
    >>> count_down_to(find_hits(block, 1), block.codes >= 0).tolist()
    [2, 4]
    """
    is_hit = np.zeros(marked.size, np.bool_)
    is_hit[hits.lists * marked.shape[2] + hits.ranks - 1] = True
    # Hits in the order of the marked cells: where they stand there is what is to be counted.
    place = np.flatnonzero(is_hit[np.flatnonzero(marked)])
    counts = np.count_nonzero(marked, axis=2).reshape(-1)
    return place + 1 - (counts.cumsum() - counts)[hits.lists]


def weighted_sum(block: Block, gains: Floats, weights: Floats) -> Floats:
    """Return Σ gain × weight over the ranks of each list; gains rise with the grade code."""
    hits = find_hits(block, int(np.searchsorted(gains, 0.0, side="right")))
    return hits.total(gains[hits.codes] * weights[hits.ranks - 1])


def per_relevant(
    sums: NDArray[np.floating | np.integer], relevant: NDArray[np.floating | np.integer]
) -> Floats:
    """Divide by a number per topic; NaN where that is 0.

    Examples
    --------
    >>> per_relevant(np.array([[1.0, 0.0]]), np.array([2, 0])).tolist()
    [[0.5, nan]]
    """
    divisor = np.where(relevant > 0, relevant, np.nan)
    return np.asarray(sums / divisor)


_ELSEWHERE = {
    "judged_only": "to drop unjudged documents, score with --treatment condensed "
    "(in Python: treatment='condensed')",
    "gains": "write the gains as grades of the judgments, which may be fractions; "
    "nDCG(dcg='exp-log2') has the gains 2^grade − 1",
    "relative": "SetRelP is the relative set precision",
}
"""Parameters that measures of ir_measures have, and what to use here in their place."""


# Frozen dataclasses in all but the making: forty of those would take a quarter of a short command.
@dataclass_transform(kw_only_default=True, frozen_default=True)
class NamedValue:
    """A value that does not change: its class has a name, and annotated attributes as parameters.

    Two of them with the same parameters are equal. Calling one returns a changed copy, and ``@``
    sets the parameter that ``at`` names.
    """

    name: ClassVar[str]
    """What the measure is called; parameters and cut-off follow it."""
    at: ClassVar[str] = ""
    """The parameter that ``@`` sets, if there is one."""
    shown: ClassVar[tuple[str, ...]] = ()
    """Parameters that the name carries even where they have their default."""

    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        """Gather the parameters, inherited ones first."""
        cls._defaults = {}
        for base in reversed(cls.__mro__[1:]):
            cls._defaults |= vars(base).get("_defaults", {})
        kinds: dict[str, object] = get_annotations(cls)
        own = [name for name, kind in kinds.items() if get_origin(kind) is not ClassVar]
        cls._defaults |= {name: vars(cls)[name] for name in own}

    def __init__(self, **parameters: object) -> None:
        for name in parameters.keys() - self._defaults.keys():
            raise TypeError(f"{type(self).__name__} has no parameter {name!r}")
        vars(self).update(self._defaults | parameters)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Raise unless the parameters have values that they may have."""
        return

    def __setattr__(self, name: str, value: object) -> Never:
        raise FrozenInstanceError(f"cannot assign to {name!r}: measures do not change")

    def __delattr__(self, name: str) -> Never:
        raise FrozenInstanceError(f"cannot delete {name!r}: measures do not change")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.parameters() == other.parameters()

    def __hash__(self) -> int:
        return hash((type(self), *self.parameters().items()))

    def parameters(self) -> dict[str, object]:
        """Return every parameter and its value, the one that ``@`` sets last."""
        names = [name for name in self._defaults if name != self.at]
        return {name: getattr(self, name) for name in [*names, *filter(None, [self.at])]}

    def __call__(self, **changes: object) -> Self:
        """Return a copy with these parameters changed."""
        return self._changed(changes)

    def _changed(self, changes: dict[str, object]) -> Self:
        self._check_names(changes)
        for name, value in changes.items():
            _check_kind(f"{self.name}: {name}", getattr(type(self), name), value)
        kept = {name: getattr(self, name) for name in self._defaults}
        return type(self)(**kept | changes)

    def _check_names(self, changes: dict[str, object]) -> None:
        for name in sorted(set(changes) - set(self._defaults)):
            allowed = f"use {', '.join(self.parameters()) or 'it without any'}"
            other = _ELSEWHERE.get(name)
            raise MeasureError(
                f"{self.name}: {name!r} is not one of its parameters. Hint: "
                f"{f'{allowed}; {other}' if other else allowed}."
            )

    def __matmul__(self, cutoff: float) -> Self:
        if not self.at:
            raise MeasureError(
                f"{self.name}: it has no cut-off; got @{cutoff}. Hint: leave out "
                f"@{cutoff}, or truncate the runs."
            )
        return self._changed({self.at: cutoff})

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        parameters = self.parameters()
        cutoff = parameters.pop(self.at, None)
        inside = ",".join(
            f"{name}={_literal(value)}"
            for name, value in parameters.items()
            if name in self.shown or value != self._defaults[name]
        )
        return (
            self.name
            + (f"({inside})" if inside else "")
            + ("" if cutoff is None else f"@{_literal(cutoff)}")
        )


def require(
    holds: bool,  # noqa: FBT001  (the condition is what the call is about)
    measure: str,
    rule: str,
    value: object = None,
    *,
    remedy: str = "",
) -> None:
    """Raise a MeasureError that names the measure, the rule, the value and the remedy."""
    if holds:
        return
    got = "" if value is None else f"; got {value!r}"
    mend = remedy or "change the value"
    raise MeasureError(f"{measure}: {rule}{got}. Hint: {mend}.")


def _check_kind(where: str, default: object, value: object) -> None:
    """Raise unless the value is of the same kind as the default: a text, or a number."""
    kinds: dict[str, tuple[type, ...]] = {"text": (str,), "number": (int, float, np.number)}
    kind = "text" if isinstance(default, str) else "number"
    fits = isinstance(value, kinds[kind]) or (value is None and default is None)
    require(fits and not isinstance(value, bool), where, f"it is a {kind}", value)


def _literal(value: object) -> str:
    """Write a parameter as it is typed: ``2`` and not ``2.0``."""
    if isinstance(value, str):
        return repr(value)
    number = float(str(value))
    return repr(int(number) if number.is_integer() else number)


_ALL_RUNS = Universe()


class Truncatable(Protocol):
    """Lists that can be cut off: grades, or a block of them."""

    def truncate(self, depth: int) -> Self:
        """Return the first ranks only."""


Lists = TypeVar("Lists", bound=Truncatable)


class Measure(NamedValue, ABC):
    """A value that scores grades: ``nDCG@10``, ``RBP(p=0.95)``, ``AP(rel=2)@100``.

    A measure of your own writes ``score_block``, a function of a :class:`~poolwise.Block`, which
    holds all runs on some topics. If it has a range over the unjudged documents, it says of which
    kind (``range_kind``), and writes ``bounds_block``. It declares its parameters as annotated
    attributes with defaults, and ``__post_init__`` checks their values.

    Two measures with the same parameters are equal; ``repr`` is the canonical name, and
    :func:`~poolwise.parse_measure` reads it back. Calling a measure returns a changed copy, and
    ``@`` sets its cut-off.

    Parameters
    ----------
    parameters
        Values of its parameters by name, such as ``p`` of RBP, or ``rel`` and ``cutoff`` of AP;
        those that are not given have their defaults.

    Examples
    --------
    >>> from poolwise import AP, RBP
    >>> AP(rel=2) @ 100
    AP(rel=2)@100
    >>> RBP(p=0.95) == RBP(p=0.5)(p=0.95)
    True
    """

    definition: ClassVar[str] = ""
    """The formula, as text."""
    citation: ClassVar[str] = ""
    unknowns: ClassVar[str] = ""
    """What the measure and its bounds do with unjudged documents."""
    undefined: ClassVar[str] = ""
    """Why a score is NaN, where one can be."""
    range_kind: ClassVar[RangeKind] = "none"
    """Whether some grading reaches each end of its range, none leaves it, or there is none."""
    no_range: ClassVar[str] = "nothing is known of how far unjudged documents can move it"
    """Why there is no range, where there is none."""
    own_topics: ClassVar[bool] = False
    """Whether a mean is over the system's own topics, whatever scores the others have."""
    has_ideal: ClassVar[bool] = False
    """Whether relevant documents that a list lacks move its score: through R, or an ideal."""

    digits: ClassVar[int] = 4
    """Decimals that a table shows."""

    @staticmethod
    def _is_taken_for_one(value: object, _kind: type) -> bool:
        """Say whether a value is read as a measure: one of ir_measures, or one in a list."""
        return isinstance(value, list | tuple) or hasattr(value, "NAME")

    @abstractmethod
    def score_block(self, block: Block) -> Floats:
        """Return systems × topics, unjudged documents taken as not relevant; NaN is undefined."""

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the range over all assignments of grades to unjudged documents.

        Parameters
        ----------
        block : Block
            All runs on some topics.
        unlisted : float array, systems × topics
            How many unjudged documents of the universe are not in the ranks that the measure
            looks at; perhaps infinitely many. Only of account if ``has_ideal``.
        """
        return no_bounds(block.shape)

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the naive bounds (B23 §3.3); the same as the bounds where there is no ideal."""
        return self.bounds_block(block, np.zeros(block.shape))

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the range of the difference left − right of each pair, on each topic.

        It is over all assignments of grades to the unjudged documents of the two runs, and to so
        many more that neither lists, pairs × topics. By default the ranges of the two runs are
        subtracted, which is valid.
        """
        seen = self.cut(block)
        limits = bounds.separate_difference(seen, pairs, unlisted, self.bounds_block)
        return DifferenceBounds("valid", *limits)

    def score(self, grades: Grades) -> Floats:
        """Return systems × topics, unjudged documents taken as not relevant; NaN is undefined."""
        return join_topics(self.score_block(block) for block in grades.blocks)

    def bounds(self, grades: Grades, *, universe: Universe = _ALL_RUNS) -> Bounds:
        """Return the range over all assignments of grades to the universe's documents.

        Lower ≤ score ≤ upper, wherever there is a score; NaN where the measure has no range.
        """
        return join_bounds(self.range_block(block, universe) for block in grades.blocks)

    def range_block(self, block: Block, universe: Universe) -> Bounds:
        """Return the range of a block over a universe."""
        if self.kind_of_range(block.scale) == "none":
            return no_bounds(block.shape)
        value = self.score_block(block)
        # Where no grade counts, none moves the score, and an ideal would be empty.
        if not self.can_rise(block.scale):
            return Bounds(value, value)
        unlisted = np.zeros(block.shape)
        if self.has_ideal:
            unlisted = unlisted_unjudged(block, universe, self.depth)
        return enclosing(self.bounds_block(block, unlisted), value)

    def naive_bounds(self, grades: Grades) -> Bounds:
        """Return the naive bounds (B23 §3.3); the same as the bounds where there is no ideal."""
        return join_bounds(self.naive_range_block(block) for block in grades.blocks)

    def naive_range_block(self, block: Block) -> Bounds:
        """Return the naive bounds of a block; NaN where the measure has no range."""
        if self.kind_of_range(block.scale) == "none":
            return no_bounds(block.shape)
        value = self.score_block(block)
        if not self.can_rise(block.scale):
            return Bounds(value, value)
        return enclosing(self.naive_bounds_block(block), value)

    def difference_bounds(
        self, evidence: Evidence, pairs: Pairs, *, universe: Universe = _ALL_RUNS
    ) -> DifferenceBounds:
        """Return the range of the difference left − right of each pair, on each topic.

        It is over all assignments of grades to the universe's documents.
        """
        # Copies, so that what is worked out for pairs is given up with its block.
        blocks = counting(evidence.blocks, "blocks of topics compared")
        parts = [self._difference_block(replace(b), pairs, universe) for b in blocks]
        lower, upper = join_bounds(Bounds(part.lower, part.upper) for part in parts)
        return DifferenceBounds(parts[0].kind, lower, upper)

    def _difference_block(
        self, block: DocumentBlock, pairs: Pairs, universe: Universe
    ) -> DifferenceBounds:
        shape = len(pairs), block.shape[1]
        if self.kind_of_range(block.scale) == "none":
            return DifferenceBounds("none", *no_bounds(shape))
        value = pairs.difference(self.score_block(block))
        if not self.can_rise(block.scale):
            return DifferenceBounds("exact", value, value)
        unlisted = np.zeros(shape)
        if self.has_ideal:
            unlisted = bounds.unlisted_by_pairs(block, pairs, universe, self.depth)
        kind, *ends = self.difference_bounds_block(block, pairs, unlisted)
        limits = Bounds(*ends)
        if kind == "valid" and not (self.has_ideal and universe.kind == "run"):
            # In the same universe, no difference leaves what the two runs' own ranges allow.
            own = subtracted(self.range_block(block, universe), pairs)
            limits = Bounds(
                np.maximum(limits.lower, own.lower), np.minimum(limits.upper, own.upper)
            )
        # Two lists that are the same down to the cut-off differ by nothing.
        number = self.cut(block).list_numbers
        same = (number[pairs.left] == number[pairs.right]) & ~np.isnan(limits.lower)
        limits = Bounds(*(np.where(same, 0.0, end) for end in limits))
        return DifferenceBounds(kind, *enclosing(limits, value))

    @property
    def depth(self) -> int | None:
        """How many ranks the measure looks at; None for whole lists."""
        return None

    def kind_of_range(self, scale: Floats) -> RangeKind:  # noqa: ARG002  (Q depends on it)
        """Return of which kind the range is for documents of these grades."""
        return self.range_kind

    def can_rise(self, scale: Floats) -> bool:  # noqa: ARG002  (measures with a level need it)
        """Return whether any grade of the scale counts for the measure."""
        return True

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002  (sums and counts need it)
        """Return what no score exceeds; infinite where that is not known."""
        return np.inf

    def limits(self, scale: Floats) -> tuple[float, float]:
        """Return the range of its scores: from 0 to the maximum, or none where that is not known.

        Examples
        --------
        >>> from poolwise import AP
        >>> AP.limits(np.array([0.0, 1.0]))
        (0.0, 1.0)
        """
        highest = float(self.maximum(scale))
        return (0.0, highest) if np.isfinite(highest) else (-np.inf, np.inf)

    def tail(self, grades: Grades) -> Floats:
        """Return what the ranks past the ends of the lists could add, systems × topics.

        No document is known there, so this is no part of the range. It is 0 for measures that do
        not look past the end of a list, and for a topic that a run lacks.
        """
        return join_topics(self.tail_block(block) for block in grades.blocks)

    def tail_block(self, block: Block) -> Floats:
        """Return what the ranks past the ends of the lists could add."""
        return np.zeros(block.shape)

    def cut(self, lists: Lists) -> Lists:
        """Return the ranks that the measure looks at, of grades or of a block."""
        return lists

    def check_complete(self) -> None:
        """Raise if the measure lacks a parameter without which it has no meaning."""
        return


_DEEPEST = 10_000_000
"""The deepest cut-off: discounts are made for every rank down to it."""


class Ranked(Measure):
    """A measure that can be cut off: ``@k`` looks at the first ``k`` ranks only.

    Attributes
    ----------
    cutoff : int, optional
        The ``k``; None for whole lists.

    Examples
    --------
    >>> from poolwise import P, RBP
    >>> isinstance(P, Ranked), (RBP @ 10).depth
    (True, 10)
    """

    at: ClassVar[str] = "cutoff"
    needs_cutoff: ClassVar[bool] = False

    cutoff: int | None = None

    def __post_init__(self) -> None:
        k = self.cutoff
        whole = k is None or (isinstance(k, int | np.integer) and 1 <= k <= _DEEPEST)
        rule = f"a cut-off is a whole number of ranks, from 1 to {_DEEPEST:,}"
        require(whole, self.name, rule, self.cutoff)

    @property
    def depth(self) -> int | None:
        """The cut-off; None for whole lists."""
        return None if self.cutoff is None else int(self.cutoff)

    def cut(self, lists: Lists) -> Lists:
        """Return the ranks down to the cut-off, of grades or of a block."""
        self.check_complete()
        return lists if self.cutoff is None else lists.truncate(int(self.cutoff))

    def check_complete(self) -> None:
        """Raise if the measure has no meaning without a cut-off and has none."""
        # Asked often: the words are not made before they are needed.
        if self.needs_cutoff and self.cutoff is None:
            remedy = f"write {self!r}@10, or another depth"
            require(False, self.name, "it needs a cut-off", remedy=remedy)
