"""Systems ordered on one set of topics, and on another: what two studies share."""

from collections.abc import Iterator

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice

__all__ = [
    "SETS",
    "checked_size",
    "chunks",
    "draw_sets",
    "pair_differences",
    "weighted_means",
]


SETS = {
    "disjoint": "topics parted at random, so that no topic is in both (Voorhees & Buckley 2002)",
    "independent": "each set drawn anew, with replacement (Sanderson & Zobel 2005)",
}

CELLS = 1 << 22
"""Numbers that one temporary array holds at most."""


def draw_sets(
    rng: np.random.Generator, draws: int, topics: int, *, size: int, sets: str
) -> tuple[Floats, Floats]:
    """Return the share of each topic in the first set and in the second, draws × topics.

    Examples
    --------
    >>> first, second = draw_sets(np.random.default_rng(1), 3, 8, size=4, sets="disjoint")
    >>> bool((first * second == 0).all()), first.sum(axis=1).tolist()
    (True, [1.0, 1.0, 1.0])
    """
    if sets == "independent":
        even = np.full(topics, 1 / topics)
        first, second = rng.multinomial(size, even, size=(2, draws)) / size
        return first, second
    shuffled = rng.permuted(np.broadcast_to(np.arange(topics), (draws, topics)), axis=1)
    return (shuffled < size) / size, ((shuffled >= size) & (shuffled < 2 * size)) / size


def weighted_means(values: Floats, shares: Floats) -> Floats:
    """Return mean scores per draw: ``values`` … × topics and draws × topics give draws × ….

    Means that differ by rounding alone are made equal.
    """
    means = shares @ values.reshape(-1, values.shape[-1]).T
    return means.reshape(len(shares), *values.shape[:-1]).round(12)


def pair_differences(means: Floats) -> Floats:
    """Return the difference of every pair of systems, along the last axis."""
    left, right = np.triu_indices(means.shape[-1], k=1)
    return means[..., left] - means[..., right]


def chunks(draws: int, cells: int) -> Iterator[slice]:
    """Yield slices of the draws so small that an array of ``cells`` per draw stays bounded."""
    step = max(1, CELLS // max(1, cells))
    for start in range(0, draws, step):
        yield slice(start, min(start + step, draws))


def checked_size(systems: int, topics: int, *, size: int | None, sets: str) -> int:
    """Return the number of topics in each set, half of all by default."""
    require_choice("sets", sets, SETS)
    chosen = topics // 2 if size is None else size
    most = topics // 2 if sets == "disjoint" else topics
    if systems < 2 or not 1 <= chosen <= most:
        raise OptionError(
            f"size: two sets of {chosen} topics, for {systems} systems, cannot be drawn from "
            f"{topics}. Hint: give two systems or more, and a size from 1 to {most}."
        )
    return chosen
