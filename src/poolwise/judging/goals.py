"""What judging is for: relevant documents, narrow residuals, or an order of runs."""

from dataclasses import dataclass
from typing import NamedTuple

from poolwise.errors import OptionError

__all__ = ["GOALS", "Goal", "GoalKind", "parse_goal"]

_ALL_FORMS = "relevant, residual, even, leaders, pair:A,B, run:A, top:K or common:N"


class GoalKind(NamedTuple):
    """What a kind of goal is, and how it is reached unless somebody says otherwise."""

    summary: str
    method: str
    measure: str
    joint: bool = True
    """Whether documents of all topics are compared by weight; otherwise topics take turns."""


GOALS: dict[str, GoalKind] = {
    "relevant": GoalKind("find relevant documents", "blend", "nDCG@10", joint=False),
    "residual": GoalKind("narrow the mean residual", "rbp-residual", "RBP(p=0.95)"),
    "even": GoalKind("make the residuals of runs even", "rbp-even", "RBP(p=0.95)"),
    "leaders": GoalKind("find the best run", "rbp-leaders", "RBP(p=0.8)"),
    "pair": GoalKind("settle the order of two runs", "mtc", "nDCG@10"),
    "run": GoalKind("settle the order of one run and all others", "mtc", "nDCG@10"),
    "top": GoalKind("settle which runs are the best", "mtc", "nDCG@10"),
    "common": GoalKind("judge all runs on topics drawn at random", "depth", "nDCG@10"),
}
"""What judging can be for."""


@dataclass(frozen=True)
class Goal:
    """A goal of judging.

    Attributes
    ----------
    name : str
        A key of ``GOALS``.
    systems : tuple of str
        The two runs of a pair.
    top : int
        How many runs are to be told from the others; 0 where the goal is not about that.
    topics : int
        How many common topics all runs are to be judged on (W10 §6.3); 0 likewise.
    run : str
        The run whose order with all others is to be settled; empty where the goal is another.

    Examples
    --------
    >>> parse_goal("pair:bm25,dense").systems, parse_goal("top:3").top, str(parse_goal("top:3"))
    (('bm25', 'dense'), 3, 'top:3')
    """

    name: str
    systems: tuple[str, ...] = ()
    top: int = 0
    topics: int = 0
    run: str = ""

    @property
    def kind(self) -> GoalKind:
        """How it is reached by default."""
        return GOALS[self.name]

    @property
    def about_order(self) -> bool:
        """Whether it is reached when the order of some runs is settled."""
        return bool(self.systems or self.top or self.run)

    def __str__(self) -> str:
        if self.name in {"top", "common"}:
            return f"{self.name}:{self.top or self.topics}"
        if self.run:
            return f"run:{self.run}"
        return f"pair:{','.join(self.systems)}" if self.systems else self.name


def parse_goal(text: "str | Goal") -> Goal:
    """Read a goal: relevant, residual, even, leaders, pair:A,B, run:A, top:K or common:N.

    Parameters
    ----------
    text : str or Goal
        The goal as it is written; a goal is returned as it is.

    Returns
    -------
    Goal
        Its name, with the runs or the number that it names.

    Examples
    --------
    >>> parse_goal("leaders")
    Goal(name='leaders', systems=(), top=1, topics=0, run='')
    >>> parse_goal("best")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: goal: must be relevant, residual, even, leaders, pair:A,B, run:A,
        top:K or common:N; got 'best'. Hint: use relevant, or pair:bm25,dense for two runs of these
        names.
    """
    if isinstance(text, Goal):
        return text
    name, _, rest = text.partition(":")
    if name == "pair":
        return Goal("pair", _two_systems(text, rest))
    if name == "top":
        return Goal("top", top=_how_many(text, rest))
    if name == "run":
        return Goal("run", run=_one_system(text, rest))
    if name == "common":
        return Goal("common", topics=_how_many(text, rest))
    if text not in GOALS:
        raise _misread(text)
    return Goal(text, top=int(text == "leaders"))


def _two_systems(text: str, rest: str) -> tuple[str, ...]:
    systems = tuple(name.strip() for name in rest.split(","))
    if len(systems) != 2 or not all(systems) or systems[0] == systems[1]:
        raise _misread(text)
    return systems


def _one_system(text: str, rest: str) -> str:
    if not rest.strip():
        raise _misread(text)
    return rest.strip()


def _how_many(text: str, rest: str) -> int:
    if not (rest.isascii() and rest.isdigit() and int(rest) > 0):
        raise _misread(text)
    return int(rest)


def _misread(text: str) -> OptionError:
    return OptionError(
        f"goal: must be {_ALL_FORMS}; got {text!r}. Hint: use relevant, or pair:bm25,dense for "
        "two runs of these names."
    )
