"""What a measure is: a value that scores grades."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import FrozenInstanceError
from inspect import get_annotations
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Never,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    get_origin,
)

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import MeasureError
from poolwise.evidence.evidence import DocumentBlock, Evidence
from poolwise.evidence.grades import Block, Grades, join_topics
from poolwise.evidence.pairs import Pairs

__all__ = ["Bounds", "DifferenceBounds", "Measure", "Ranked", "join_bounds", "require"]


class Bounds(NamedTuple):
    """The smallest and the largest score that the unjudged documents allow, systems × topics."""

    lower: Floats
    upper: Floats


class Truncatable(Protocol):
    """Lists that can be cut off: grades, or a block of them."""

    def truncate(self, depth: int) -> Self:
        """Return the first ranks only."""


Lists = TypeVar("Lists", bound=Truncatable)


class DifferenceBounds(NamedTuple):
    """The range that unjudged documents leave to differences of scores, pairs × topics.

    ``kind`` says how good it is: ``exact`` where some assignment of grades reaches each bound and
    none leaves them, ``valid`` where none leaves them and they may be wider than need be, and
    ``none`` where nothing is known, and the bounds are NaN.
    """

    kind: Literal["exact", "valid", "none"]
    lower: Floats
    upper: Floats


# Frozen dataclasses in all but the making: forty of those would take a quarter of a short command.
@dataclass_transform(kw_only_default=True, frozen_default=True)
class Measure(ABC):
    """A value that scores grades: ``nDCG@10``, ``RBP(p=0.95)``, ``AP(rel=2)@100``.

    A measure of your own writes ``score_block`` and ``bounds_block``: functions of a
    :class:`~poolwise.Block`, which holds all runs on some topics. It declares its parameters as
    annotated attributes with defaults, and ``__post_init__`` checks their values.

    Two measures with the same parameters are equal; ``repr`` is the canonical name, and
    :func:`~poolwise.parse_measure` reads it back. Calling a measure returns a changed copy, and
    ``@`` sets its cut-off.

    Examples
    --------
    >>> from poolwise import AP, RBP
    >>> AP(rel=2) @ 100
    AP(rel=2)@100
    >>> RBP(p=0.95) == RBP(p=0.5)(p=0.95)
    True
    """

    name: ClassVar[str]
    """What the measure is called; parameters and cut-off follow it."""
    at: ClassVar[str] = ""
    """The parameter that ``@`` sets, if there is one."""
    shown: ClassVar[tuple[str, ...]] = ()
    """Parameters that the name carries even where they have their default."""
    definition: ClassVar[str] = ""
    """The formula, as text."""
    citation: ClassVar[str] = ""
    unknowns: ClassVar[str] = ""
    """What the measure and its bounds do with unjudged documents."""
    undefined: ClassVar[str] = ""
    """Why a score is NaN, where one can be."""

    digits: ClassVar[int] = 4
    """Decimals that a table shows."""

    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        """Gather the parameters, inherited ones first."""
        cls._defaults = {}
        for base in reversed(cls.__mro__[1:]):
            cls._defaults |= vars(base).get("_defaults", {})
        kinds: dict[str, object] = get_annotations(cls)
        own = [name for name, kind in kinds.items() if get_origin(kind) is not ClassVar]
        cls._defaults |= {name: vars(cls)[name] for name in own}

    def __init__(self, **parameters: Any) -> None:
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

    @abstractmethod
    def score_block(self, block: Block) -> Floats:
        """Return systems × topics, unjudged documents taken as not relevant; NaN is undefined."""

    @abstractmethod
    def bounds_block(self, block: Block) -> Bounds:
        """Return the range over all assignments of grades to the run's own unjudged documents."""

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the naive bounds (B23 §3.3); the same as the bounds where there is no ideal."""
        return self.bounds_block(block)

    def difference_bounds_block(self, block: DocumentBlock, pairs: Pairs) -> DifferenceBounds:
        """Return the range of the difference left − right of each pair, on each topic.

        It is over all assignments of grades to the unjudged documents of the two runs. By default
        nothing is known of it.
        """
        nothing = np.full((len(pairs), block.shape[1]), np.nan)
        return DifferenceBounds("none", nothing, nothing)

    def score(self, grades: Grades) -> Floats:
        """Return systems × topics, unjudged documents taken as not relevant; NaN is undefined."""
        return join_topics(self.score_block(block) for block in grades.blocks)

    def bounds(self, grades: Grades) -> Bounds:
        """Return the range over all assignments of grades to the run's own unjudged documents."""
        return join_bounds(self.bounds_block(block) for block in grades.blocks)

    def naive_bounds(self, grades: Grades) -> Bounds:
        """Return the naive bounds (B23 §3.3); the same as the bounds where there is no ideal."""
        return join_bounds(self.naive_bounds_block(block) for block in grades.blocks)

    def difference_bounds(self, evidence: Evidence, pairs: Pairs) -> DifferenceBounds:
        """Return the range of the difference left − right of each pair, on each topic.

        It is over all assignments of grades to the unjudged documents of the two runs.
        """
        parts = [self.difference_bounds_block(block, pairs) for block in evidence.blocks]
        lower, upper = join_bounds(Bounds(part.lower, part.upper) for part in parts)
        return DifferenceBounds(parts[0].kind, lower, upper)

    def cut(self, lists: Lists) -> Lists:
        """Return the ranks that the measure looks at, of grades or of a block."""
        return lists

    def check_complete(self) -> None:
        """Raise if the measure lacks a parameter without which it has no meaning."""
        return

    def parameters(self) -> dict[str, object]:
        """Return every parameter and its value, the one that ``@`` sets last."""
        names = [name for name in self._defaults if name != self.at]
        return {name: getattr(self, name) for name in [*names, *filter(None, [self.at])]}

    def __call__(self, **changes: Any) -> Self:
        """Return a copy with these parameters changed."""
        return self._changed(changes)

    def _changed(self, changes: dict[str, Any]) -> Self:
        unknown = sorted(set(changes) - set(self.parameters()))
        if unknown:
            raise MeasureError(
                f"{self.name}: {unknown[0]!r} is not one of its parameters. Hint: use "
                f"{', '.join(self.parameters()) or 'it without any'}."
            )
        for name, value in changes.items():
            _check_kind(f"{self.name}: {name}", getattr(type(self), name), value)
        kept = {name: getattr(self, name) for name in self._defaults}
        return type(self)(**kept | changes)

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
        given = self.parameters()
        cutoff = given.pop(self.at, None)
        inside = ",".join(
            f"{name}={_literal(value)}"
            for name, value in given.items()
            if name in self.shown or value != self._defaults[name]
        )
        return (
            self.name
            + (f"({inside})" if inside else "")
            + ("" if cutoff is None else f"@{_literal(cutoff)}")
        )


class Ranked(Measure):
    """A measure that can be cut off: ``@k`` looks at the first ``k`` ranks only."""

    at: ClassVar[str] = "cutoff"
    needs_cutoff: ClassVar[bool] = False

    cutoff: int | None = None

    def __post_init__(self) -> None:
        k = self.cutoff
        whole = k is None or (isinstance(k, int | np.integer) and k >= 1)
        require(whole, self.name, "a cut-off is a whole number of ranks, 1 or more", self.cutoff)

    def cut(self, lists: Lists) -> Lists:
        """Return the ranks down to the cut-off, of grades or of a block."""
        self.check_complete()
        return lists if self.cutoff is None else lists.truncate(int(self.cutoff))

    def check_complete(self) -> None:
        """Raise if the measure has no meaning without a cut-off and has none."""
        require(
            not (self.needs_cutoff and self.cutoff is None),
            self.name,
            "it needs a cut-off",
            remedy=f"write {self!r}@10, or another depth",
        )


def join_bounds(parts: Iterable[Bounds]) -> Bounds:
    """Put the bounds of blocks together."""
    lower, upper = zip(*parts, strict=True)
    return Bounds(join_topics(lower), join_topics(upper))


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
