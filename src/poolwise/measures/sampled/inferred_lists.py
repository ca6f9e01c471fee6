"""Lists of a stratified sample, and how many relevant documents they hold, estimated."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.grades import Block
from poolwise.measures.relevant_ranks import first_code
from poolwise.measures.sampled.sampled_lists import SampledLists

__all__ = ["LONGEST", "InferredLists"]

LONGEST = 1000
"""How many ranks NIST's script looks at, of lists and of the ideal one."""
_EPSILON = 1e-5


class InferredLists(SampledLists):
    """Lists of a stratified sample, and how many relevant documents they hold, estimated."""

    def __init__(self, block: Block, measure: str, rel: float) -> None:
        super().__init__(block.truncate(LONGEST), measure, needs_strata=True)
        self.relevant = self.block.codes >= first_code(block, rel)
        self.judged = self.block.codes >= 0

    @cached_property
    def expansion(self) -> Floats:
        """N/n of each stratum, topics × strata; 0 where nothing of it was drawn."""
        return _over(self.sample.sizes.astype(np.float64), self.sample.drawn)

    @cached_property
    def strata(self) -> list[Booleans]:
        """Which cells hold a document of each stratum."""
        stratum = self.stratum
        return [stratum == c for c in range(len(self.sample.strata))]

    @cached_property
    def found(self) -> Floats:
        """How many relevant documents are among the first ranks, systems × topics × ranks.

        (rel + ε)/(smp + 3ε) of the documents of a stratum there: of one without a sample, ⅓.
        """
        total = np.zeros(self.block.codes.shape)
        for inside in self.strata:
            relevant = (inside & self.relevant).cumsum(axis=2) + _EPSILON
            drawn = (inside & self.judged).cumsum(axis=2) + 3 * _EPSILON
            total += inside.cumsum(axis=2) * relevant / drawn
        return total

    @cached_property
    def cell_expansion(self) -> Floats:
        """N/n of the stratum of each relevant document, 0 elsewhere."""
        topics = np.arange(self.block.shape[1])[:, None]
        return np.where(self.relevant, self.expansion[topics, self.stratum], 0.0)

    @cached_property
    def precisions(self) -> Floats:
        """The precision at each rank, given that the document there is relevant."""
        return (1 + _above(self.found)) / np.arange(1, self.block.depth + 1)

    def expanded(self, values: Floats) -> tuple[Floats, Floats]:
        """Let the judged documents of a stratum in a list stand for all of it there.

        Returns the sum over the list, systems × topics, and what each document adds to it: of an
        estimate for part of a stratum, how far it is from the mean there (Cochran 1977 §5A.14).
        """
        total, cells = np.zeros(self.block.shape), np.zeros(self.block.codes.shape)
        for c, inside in enumerate(self.strata):
            drawn = inside & self.judged
            count, there = drawn.sum(axis=2), inside.sum(axis=2)
            mean = _over((values * drawn).sum(axis=2), count)
            total += there * mean
            share = _over(_spread(there, count), self.expansion[:, c])
            cells += drawn * share[:, :, None] * (values - mean[:, :, None])
        return total, cells

    def expanded_above(self, weights: Floats) -> Floats:
        """Return what each document adds to the sum of the counts above the ranks, each weighed.

        As :meth:`expanded`, for the number of relevant documents above every rank at once.
        """
        cells = np.zeros(self.block.codes.shape)
        for c, inside in enumerate(self.strata):
            drawn = inside & self.judged
            count = _above(drawn.cumsum(axis=2))
            there = _above(inside.cumsum(axis=2))
            share = _over(_spread(there, count), self.expansion[:, c, None])
            rate = _over(_above((drawn & self.relevant).cumsum(axis=2)), count)
            raised, mean = _below(weights * share), _below(weights * share * rate)
            cells += drawn * (self.relevant * raised - mean)
        return cells


def _above(values: NDArray[Any]) -> NDArray[Any]:
    """Return what stood at the rank above; 0 at the first rank."""
    shifted = np.zeros_like(values)
    shifted[:, :, 1:] = values[:, :, :-1]
    return shifted


def _below(values: Floats) -> Floats:
    """Return the sum over the ranks below."""
    return values[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - values


def _spread(there: NDArray[Any], count: NDArray[Any]) -> Floats:
    """Return the documents that each drawn one stands for, as their spread about a mean has it.

    Distances from the mean of n documents are too small by √((n − 1)/n).
    """
    return _over(there, count) * np.sqrt(_over(count, count - 1))


def _over(total: NDArray[Any], count: NDArray[Any]) -> Floats:
    """Divide by a count; 0 where there is none."""
    shape = np.broadcast_shapes(total.shape, count.shape)
    return np.divide(total, count, out=np.zeros(shape), where=np.broadcast_to(count > 0, shape))
