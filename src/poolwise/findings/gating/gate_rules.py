"""What a gate asks of a candidate."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from poolwise.errors import OptionError, require_choice
from poolwise.scores._uncertainty import check_alpha

__all__ = ["UNDECIDED", "GateRules", "margins_of"]

UNDECIDED = {
    "pass": "a gate that cannot decide lets the candidate pass",
    "fail": "a gate that cannot decide refuses the candidate",
}
"""What may become of a gate that is undecided."""


@dataclass(frozen=True)
class GateRules:
    """What a candidate must keep, beside the margin of each measure.

    Attributes
    ----------
    alpha : float
        The chance that a candidate passes which is worse by the margin, or fails which is not.
    strict : bool
        Pass only if no assignment of grades to the unjudged documents could undo it.
    max_topic_loss : float, optional
        Fail if a topic loses more than this.
    min_judged : float, optional
        Pass only if this share of the candidate's first documents is judged.
    undecided : {"", "pass", "fail"}
        What becomes of a gate that is undecided: see ``UNDECIDED``.

    Examples
    --------
    >>> GateRules(min_judged=80)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: min_judged: must be between 0 and 1; got 80. Hint: use 0.8 for 80%.
    """

    alpha: float = 0.05
    strict: bool = False
    max_topic_loss: float | None = None
    min_judged: float | None = None
    undecided: str = ""

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        if self.undecided:
            require_choice("undecided", self.undecided, UNDECIDED)
        if self.max_topic_loss is not None:
            _require_loss("max_topic_loss", self.max_topic_loss)
        if self.min_judged is not None and not 0 <= self.min_judged <= 1:
            raise OptionError(
                f"min_judged: must be between 0 and 1; got {self.min_judged!r}. "
                "Hint: use 0.8 for 80%."
            )

    def options(self) -> dict[str, object]:
        """Return the rules that were set, for the provenance."""
        optional = {"max_topic_loss": self.max_topic_loss, "min_judged": self.min_judged}
        flags = {"strict": int(self.strict)} if self.strict else {}
        told = {"undecided": self.undecided} if self.undecided else {}
        given = {name: value for name, value in optional.items() if value is not None}
        return {"alpha": self.alpha, **flags, **given, **told}


def margins_of(margin: float | Sequence[float], measures: int) -> tuple[float, ...]:
    """Return the margin of each measure: one for all of them, or one each.

    Examples
    --------
    >>> margins_of(0.01, 2), margins_of([0.01, 0.02], 2)
    ((0.01, 0.01), (0.01, 0.02))
    >>> margins_of(-0.01, 1)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: margin: a loss is a finite number, 0 or more; got -0.01. Hint: use
    0.01.
    """
    given = list(margin) if isinstance(margin, Sequence) else [margin]
    if len(given) not in (1, measures):
        raise OptionError(
            f"margin: there must be one for all measures or one for each; got {len(given)} of "
            f"them, and {measures} to measure by. Hint: give one."
        )
    for one in given:
        _require_loss("margin", one)
    return tuple(float(one) for one in (given * measures if len(given) == 1 else given))


def _require_loss(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < float("inf"):
        raise OptionError(
            f"{name}: a loss is a finite number, 0 or more; got {value!r}. Hint: use 0.01."
        )
