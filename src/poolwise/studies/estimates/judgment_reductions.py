"""Ways to take judgments away, so that an estimate can be compared with the score under all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from poolwise.arrays import Booleans, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.collection._pools import Nominations, sample_systems, thin
from poolwise.errors import OptionError

__all__ = [
    "DepthPools",
    "JudgmentReduction",
    "LeaveOut",
    "ReducedJudgments",
    "Thinning",
    "WidthSamples",
]

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, eq=False)
class ReducedJudgments:
    """The judgments that are left, and the systems whose scores are estimated from them.

    Attributes
    ----------
    condition : str
        What was done; reductions of one condition are reported together.
    repeat : int
        Which repetition of the condition; each is measured by itself, and the results averaged.
    kept : bool array, judgment rows
        Which judgments are left.
    estimated, rivals : int array
        The systems to estimate, and those they are compared with on each topic; a rival that is
        not estimated has its plain score under the judgments that are left.
    depth : int or None
        Depth of the pool, where there is one.
    pooled : tuple of str or None
        The runs that formed it, likewise.
    groups : Groups or None
        Where the runs come from, where it is known.
    """

    condition: str
    repeat: int
    kept: Booleans
    estimated: Indices
    rivals: Indices
    depth: int | None = None
    pooled: tuple[str, ...] | None = None
    groups: Groups | None = None


class JudgmentReduction(Protocol):
    """A way to take judgments away; its fields are its options.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> found = nominate(made.truth, made.runs)
    >>> ways = DepthPools((5, 10)), Thinning((0.5,), repeats=3)
    >>> [len(list(way.reduce(found, np.random.default_rng(0)))) for way in ways]
    [2, 3]
    """

    def reduce(self, found: Nominations, rng: np.random.Generator) -> Iterator[ReducedJudgments]:
        """Yield what is left of the judgments, once for each condition and repetition."""


@dataclass(frozen=True)
class LeaveOut:
    """Each run, or each group of runs, in turn as if it had not been pooled (B23 §4.1).

    What only its runs have in their top ``depth`` becomes unjudged, as by
    ``Nominations.leave_out``, which leaves out one run or group. Its scores are estimated, and
    compared with those of all other pooled runs.

    Parameters
    ----------
    depth : int
    groups : Groups, optional
        Leave out all runs of a group together.
    pooled : tuple of str, optional
        The runs that formed the pool; all by default.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> found = nominate(made.truth, made.runs)
    >>> first, *_ = LeaveOut(depth=10).reduce(found, np.random.default_rng(0))
    >>> first.condition, first.estimated.tolist(), first.rivals.tolist()
    ('leave out runs to depth 10', [0], [1, 2, 3, 4, 5])
    """

    depth: int
    groups: Groups | None = None
    pooled: tuple[str, ...] | None = None

    def reduce(self, found: Nominations, rng: np.random.Generator) -> Iterator[ReducedJudgments]:
        """Yield one set of judgments per run or group."""
        del rng
        pooled = found.systems if self.pooled is None else self.pooled
        units = pooled if self.groups is None else self.groups.select(pooled).labels
        what = "runs" if self.groups is None else "groups"
        for unit in dict.fromkeys(units):
            gone = [run for run, of in zip(pooled, units, strict=True) if of == unit]
            rest = tuple(run for run, of in zip(pooled, units, strict=True) if of != unit)
            yield ReducedJudgments(
                condition=f"leave out {what} to depth {self.depth}",
                repeat=0,
                kept=found.leave_out(gone, depth=self.depth, systems=pooled).judged,
                estimated=indices_of(gone, found.systems, what="pooled"),
                rivals=indices_of(rest, found.systems, what="pooled"),
                depth=self.depth,
                pooled=rest,
                groups=self.groups,
            )


@dataclass(frozen=True)
class DepthPools:
    """Pools of smaller depth; every run is estimated and compared with every other.

    Parameters
    ----------
    depths : tuple of int
        Ranks of each run that are pooled, one condition each.
    pooled : tuple of str, optional
        The runs that form the pools; all by default.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> found = nominate(made.truth, made.runs)
    >>> few, more = DepthPools((5, 10)).reduce(found, np.random.default_rng(0))
    >>> few.condition, bool(few.kept.sum() < more.kept.sum())
    ('pool depth 5', True)
    """

    depths: tuple[int, ...]
    pooled: tuple[str, ...] | None = None

    def reduce(self, found: Nominations, rng: np.random.Generator) -> Iterator[ReducedJudgments]:
        """Yield one set of judgments per depth."""
        del rng
        for depth in _given("depths", self.depths):
            kept = found.depth_pool(depth, systems=self.pooled).judged
            everyone = np.arange(len(found.systems))
            yield ReducedJudgments(
                f"pool depth {depth}", 0, kept, everyone, everyone, depth, self.pooled
            )


@dataclass(frozen=True)
class Thinning:
    """A random share of each topic's judgments is kept (U18 §2.5); every run is estimated.

    Parameters
    ----------
    rates : tuple of float
        The shares to keep, one condition each.
    repeats : int
        How often each share is drawn.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> found = nominate(made.truth, made.runs)
    >>> (half,) = Thinning((0.5,)).reduce(found, np.random.default_rng(0))
    >>> half.condition, round(half.kept.mean().item(), 2)
    ('keep 0.5 of judgments', 0.5)
    """

    rates: tuple[float, ...]
    repeats: int = 1

    def reduce(self, found: Nominations, rng: np.random.Generator) -> Iterator[ReducedJudgments]:
        """Yield ``repeats`` sets per rate; in one repetition a smaller share is in a larger."""
        seeds = rng.integers(2**63, size=_at_least_one("repeats", self.repeats)).tolist()
        everyone = np.arange(len(found.systems))
        for rate in _given("rates", self.rates):
            for repeat, seed in enumerate(seeds):
                kept = thin(found.judgments, rate, rng=seed).judged
                yield ReducedJudgments(
                    f"keep {rate:g} of judgments", repeat, kept, everyone, everyone
                )


@dataclass(frozen=True)
class WidthSamples:
    """Pools of a few runs, or of the runs of a few groups, drawn at random.

    The runs that were not drawn are estimated, and compared with those that were.

    Parameters
    ----------
    widths : tuple of int
        How many runs, or groups, form the pool; one condition each.
    depth : int
        Ranks of each run that are pooled.
    repeats : int
        How often each pool is drawn.
    groups : Groups, optional
        Where each run comes from; then whole groups are drawn.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> found = nominate(made.truth, made.runs)
    >>> (one,) = WidthSamples((4,), depth=10, repeats=1).reduce(found, np.random.default_rng(0))
    >>> one.condition, len(one.rivals), len(one.estimated)
    ('pool of 4 runs to depth 10', 4, 2)
    """

    widths: tuple[int, ...]
    depth: int
    repeats: int = 10
    groups: Groups | None = None

    def reduce(self, found: Nominations, rng: np.random.Generator) -> Iterator[ReducedJudgments]:
        """Yield ``repeats`` sets of judgments per width."""
        what = "runs" if self.groups is None else "groups"
        for width in _given("widths", self.widths):
            for repeat in range(_at_least_one("repeats", self.repeats)):
                drawn = sample_systems(found.systems, width, groups=self.groups, rng=rng)
                rivals = indices_of(drawn, found.systems, what="systems")
                yield ReducedJudgments(
                    condition=f"pool of {width} {what} to depth {self.depth}",
                    repeat=repeat,
                    kept=found.depth_pool(self.depth, systems=drawn).judged,
                    estimated=np.setdiff1d(np.arange(len(found.systems)), rivals),
                    rivals=rivals,
                    depth=self.depth,
                    pooled=drawn,
                )


def _given(argument: str, values: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return the values if there are any."""
    if not values:
        raise OptionError(f"{argument}: at least one is needed. Hint: name one.")
    return values


def _at_least_one(argument: str, value: int) -> int:
    if value < 1:
        raise OptionError(f"{argument}: must be at least 1; got {value}. Hint: use 1.")
    return value
