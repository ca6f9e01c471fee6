"""Means estimated from documents that were drawn at random among those chosen for a goal.

Which documents a goal asks for depends on the grades so far, so that they are no sample of all. In
each batch, though, some of those that were open then are drawn with known chances. Given all that
was known before, *what is known, plus each drawn gain over its chance* is an unbiased estimate of
the whole (Horvitz and Thompson 1952); such estimates of different batches are uncorrelated, since
the later ones have the same mean whatever the earlier ones were.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices

__all__ = ["DrawnBatch", "estimate_means", "looks_alpha", "widening"]

_FIRST_GUESS = 0.1
"""The gain that is expected of an open document before any was drawn."""
_SPREAD, _SPREAD_WEIGHT = 0.15, 4
"""The variance of gains that is expected before any was drawn, and for how many it counts."""


@dataclass(frozen=True, eq=False)
class DrawnBatch:
    """A batch of documents, seen when it was chosen.

    Attributes
    ----------
    certain : bool array, documents
        What was known or chosen for certain; all others could be drawn.
    drawn : int array
        The documents that were drawn.
    unit : int array
        Numbers of the groups that were drawn together, one for each drawn document.
    chance : float array, documents
        The chance of each document that could be drawn; anything for the others.
    """

    certain: Booleans
    drawn: Indices
    unit: Indices
    chance: Floats


def widening(information: Floats, first: Floats, alpha: float = 0.05) -> Floats:
    """Return how many standard errors hold however often one looks.

    A confidence sequence by a mixture of normals (Robbins 1970; Waudby-Smith et al. 2024): at no
    look the truth lies outside with a chance above ``alpha``, if errors are about normal.

    Parameters
    ----------
    information : float array
        The summed variance of the (weighted) errors so far.
    first : float array
        That of the first look.

    Examples
    --------
    >>> widening(np.array([1.0, 10.0]), np.array([1.0, 1.0])).round(2).tolist()
    [3.66, 3.04]
    """
    ratio = np.divide(information, first, where=first > 0, out=np.ones_like(information))
    return np.asarray(np.sqrt((1 + 1 / ratio) * np.log((1 + ratio) / alpha**2)))


def estimate_means(
    weight: Floats, gain: Floats, batches: Sequence[DrawnBatch]
) -> tuple[Floats, Floats]:
    """Estimate Σ weight × gain of each run, from the batches together.

    Parameters
    ----------
    weight : float array, runs × documents
        What a document of gain 1 would add to the mean of each run.
    gain : float array, documents
        The gain by the grade of each document; anything where there is none.
    batches : sequence of DrawnBatch
        In their order; every document that is certain or drawn there has a grade.

    Returns
    -------
    value, half : float array, runs
        The estimates, and half-widths of 95% that hold however often one looks; NaN without
        batches.

    Examples
    --------
    Two of four documents are drawn with a chance of a half each, and one of them is relevant.

    >>> batch = DrawnBatch(np.zeros(4, bool), np.array([0, 1]), np.array([0, 1]), np.full(4, 0.5))
    >>> value, half = estimate_means(np.full((1, 4), 0.25), np.array([1.0, 0, 0, 0]), [batch])
    >>> value.tolist()  # 0.25 × (4 × 0.1 + (1 − 0.1 − 0.1) / 0.5)
    [0.5]
    """
    total, shares = np.zeros(len(weight)), 0.0
    information = np.zeros(len(weight))
    first = np.zeros(len(weight))
    seen: list[float] = []
    squares = _SPREAD * _SPREAD_WEIGHT
    for batch in batches:
        guess = (sum(seen) + _FIRST_GUESS) / (len(seen) + 1)
        rest = gain[batch.drawn] - guess
        squares += float(np.square(rest).sum())
        seen += gain[batch.drawn].tolist()
        # Later batches leave less open, and are worth more; how much does not depend on grades.
        share = 1 / max(int((~batch.certain).sum()), 1) ** 2
        shares += share
        total += share * _of_batch(weight, gain, batch, guess)
        spread = squares / (len(seen) + _SPREAD_WEIGHT)
        information += share**2 * _variance(weight, batch, rest, spread)
        first = np.where((first == 0) & (information > 0), information, first)
    if not batches:
        return np.full(len(weight), np.nan), np.full(len(weight), np.nan)
    half = widening(information, first) * np.sqrt(information) / shares
    return total / shares, half


def _of_batch(weight: Floats, gain: Floats, batch: DrawnBatch, guess: float) -> Floats:
    """Return what is known, plus a guess for all else, plus what the draw says of the guess."""
    certain = weight[:, batch.certain] @ gain[batch.certain]
    guessed = guess * weight[:, ~batch.certain].sum(axis=1)
    drawn = weight[:, batch.drawn] @ ((gain[batch.drawn] - guess) / batch.chance[batch.drawn])
    return np.asarray(certain + guessed + drawn)


def _variance(weight: Floats, batch: DrawnBatch, rest: Floats, spread: float) -> Floats:
    """Return the variance of an estimate: by what was drawn, or by the spread of all gains.

    By what was drawn alone, a run of whose documents none was drawn would have no interval; the
    larger of the two counts.
    """
    is_open = ~batch.certain
    odds = (1 - batch.chance[is_open]) / batch.chance[is_open]
    modelled = spread * (np.square(weight[:, is_open]) @ odds)
    units = int(batch.unit.max(initial=-1)) + 1
    seen = np.zeros((len(weight), units))
    for unit in range(units):
        here = batch.unit == unit
        seen[:, unit] = weight[:, batch.drawn[here]] @ rest[here]
    firsts = np.array([batch.drawn[batch.unit == unit][0] for unit in range(units)], np.intp)
    chance = batch.chance[firsts]
    return np.asarray(np.maximum(modelled, np.square(seen) @ ((1 - chance) / chance**2)))


def looks_alpha(look: int, alpha: float = 0.05) -> float:
    """Return the level of the k-th look, so that all looks together keep to ``alpha``.

    Examples
    --------
    >>> [round(looks_alpha(k), 4) for k in (1, 2, 3)]
    [0.025, 0.0083, 0.0042]
    >>> round(sum(looks_alpha(k) for k in range(1, 10_000)), 4)
    0.05
    """
    return alpha / (look * (look + 1))
