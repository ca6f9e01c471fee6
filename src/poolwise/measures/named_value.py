"""A value with a name and parameters, which its repr writes as they are typed: ``RBP(p=0.95)``."""

from dataclasses import FrozenInstanceError
from inspect import get_annotations
from typing import Any, ClassVar, Never, Self, dataclass_transform, get_origin

import numpy as np

from poolwise.errors import MeasureError

__all__ = ["NamedValue", "require"]

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
            known = f"use {', '.join(self.parameters()) or 'it without any'}"
            other = _ELSEWHERE.get(unknown[0])
            raise MeasureError(
                f"{self.name}: {unknown[0]!r} is not one of its parameters. Hint: "
                f"{f'{known}; {other}' if other else known}."
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
