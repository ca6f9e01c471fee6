"""Sampling designs: with which chance each document of a topic is drawn."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import OptionError

__all__ = ["DESIGNS", "DepthStrata", "Design", "RankWeights", "parse_design"]

DESIGNS = {
    "depths": "strata by the best rank, each with a rate: depths:10=1,30=0.4,100=0.1",
    "rbp": "chances in proportion to summed RBP weights: rbp:100, or rbp:100,p=0.95,depth=100",
}
"""The kinds of designs, and how each is written."""

_FEWEST = 2
"""Documents drawn from a stratum at least, without which its spread is not known."""


@dataclass(frozen=True)
class DepthStrata:
    """The pool in strata by best rank; of each a share is drawn, all documents alike.

    Attributes
    ----------
    depths : tuple of int
        The last rank of each stratum, ascending.
    rates : tuple of float
        The share of each that is drawn, rounded to whole documents, two at least.

    Examples
    --------
    >>> design = DepthStrata((1, 3), (1.0, 0.5))
    >>> str(design), design.depth
    ('depths:1=1,3=0.5', 3)
    >>> design.strata(np.array([1, 3, 2, 1])).tolist()
    [0, 1, 1, 0]
    """

    depths: tuple[int, ...]
    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise((0, *self.depths)))
        if not self.depths or not rising or not all(0 < rate <= 1 for rate in self.rates):
            raise _refusal(str(self), "depths must rise, and rates be above 0 and at most 1")

    def __str__(self) -> str:
        steps = zip(self.depths, self.rates, strict=True)
        return f"depths:{','.join(f'{depth}={rate:g}' for depth, rate in steps)}"

    @property
    def depth(self) -> int:
        """Ranks of each run that are looked at."""
        return self.depths[-1]

    def strata(self, best_ranks: Integers) -> Integers:
        """Return the number of the stratum of each document."""
        return np.searchsorted(self.depths, best_ranks).astype(np.int64)

    def draw(self, best_ranks: Integers, uniform: Floats) -> Booleans:
        """Return which documents of a topic are drawn: those of the lowest numbers of a stratum."""
        stratum, drawn = self.strata(best_ranks), np.zeros(len(uniform), np.bool_)
        for c, rate in enumerate(self.rates):
            inside = np.flatnonzero(stratum == c)
            size = min(len(inside), max(_FEWEST, round(rate * len(inside))))
            drawn[inside[np.argsort(uniform[inside], kind="stable")[:size]]] = True
        return drawn


@dataclass(frozen=True)
class RankWeights:
    """Each document by itself, with a chance in proportion to its RBP weight over all runs.

    Attributes
    ----------
    size : float
        How many documents of a topic are drawn, on average.
    p : float
        The persistence of RBP.
    depth : int
        Ranks of each run that are looked at.

    Examples
    --------
    >>> RankWeights(2).chances(np.array([1.0, 3.0, 1.0, 1.0])).round(3).tolist()
    [0.333, 1.0, 0.333, 0.333]
    """

    size: float
    p: float = 0.95
    depth: int = 100

    def __post_init__(self) -> None:
        if not (self.size > 0 and 0 < self.p < 1 and self.depth >= 1):
            raise _refusal(str(self), "the size must be above 0, and p between 0 and 1")

    def __str__(self) -> str:
        return f"rbp:{self.size:g},p={self.p:g},depth={self.depth}"

    def weights(self, ranks: Integers) -> Floats:
        """Return the weight of each rank (Moffat and Zobel 2008)."""
        return np.asarray((1 - self.p) * self.p ** (ranks - 1.0))

    def chances(self, weights: Floats) -> Floats:
        """Return the chance of each document of a topic; their sum is the size, if it can be."""
        chance = np.ones(len(weights))
        certain = np.zeros(len(weights), np.bool_)
        while not certain.all():
            left = self.size - certain.sum()
            chance = np.where(certain, 1.0, left * weights / weights[~certain].sum())
            over = ~certain & (chance >= 1)
            if not over.any():
                return chance
            certain |= over
        return np.ones(len(weights))


Design = DepthStrata | RankWeights


def parse_design(text: "str | Design") -> Design:
    """Return the design of this name: see ``DESIGNS``.

    Parameters
    ----------
    text : str or Design
        The design as it is written; a design is returned as it is.

    Returns
    -------
    DepthStrata or RankWeights
        Strata by best rank with their rates, or chances in proportion to summed RBP weights.

    Examples
    --------
    >>> print(parse_design("depths:10=1,30=0.4"), parse_design("rbp:50"))
    depths:10=1,30=0.4 rbp:50,p=0.95,depth=100
    >>> parse_design("10=1")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: design: a design is written depths:RANK=RATE,… or rbp:SIZE; got
    '10=1'. Hint: write depths:10=1,30=0.4,100=0.1, or rbp:100.
    """
    if not isinstance(text, str):
        return text
    kind, _, rest = text.partition(":")
    try:
        if kind == "depths":
            steps = [step.split("=") for step in rest.split(",")]
            return DepthStrata(tuple(int(d) for d, _ in steps), tuple(float(r) for _, r in steps))
        if kind == "rbp":
            size, *options = rest.split(",")
            given = dict(option.split("=") for option in options)
            kinds = {"p": float, "depth": int}
            return RankWeights(float(size), **{k: kinds[k](v) for k, v in given.items()})
    except (KeyError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise _refusal(text, "a design is written depths:RANK=RATE,… or rbp:SIZE") from error
    raise _refusal(text, "a design is written depths:RANK=RATE,… or rbp:SIZE")


def _refusal(text: str, rule: str) -> OptionError:
    return OptionError(
        f"design: {rule}; got {text!r}. Hint: write depths:10=1,30=0.4,100=0.1, or rbp:100."
    )
