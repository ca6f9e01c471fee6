"""INSQ and INST: readers who set out to find a certain amount of gain."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers, rank_sums
from poolwise.evidence._grades import BEYOND, Block
from poolwise.measures._measure import Ranked, require, scaled_gains
from poolwise.measures.families._adaptive_weights import AdaptiveWeights
from poolwise.measures.families._static_weights import StaticWeights, check_gain

__all__ = ["INSQMeasure", "INSTMeasure", "inverse_square_sum"]


class GoalBased(Ranked):
    """A measure of a reader who hopes to collect the gain T, in documents of the highest grade."""

    shown: ClassVar[tuple[str, ...]] = ("T",)

    T: float = 1
    rel: float = 1
    gain: str = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_goal(self.name, self.T)
        check_gain(self.name, self.gain, self.rel)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the gains, from 0 to 1."""
        return scaled_gains(scale, self.gain, self.rel)


class INSQMeasure(GoalBased, StaticWeights):
    """Inverse squares: weights fall with the square of the rank, the slower the larger T is.

    T is the gain that the reader hopes to collect, in documents of the highest grade. Without a
    cut-off it looks at all ranks, so there is a tail: the weight past the end of a list.
    """

    name: ClassVar[str] = "INSQ"
    definition: ClassVar[str] = "INSQ = Σ_i g_i w_i,  w_i ∝ 1/(i + 2T − 1)²"
    citation: ClassVar[str] = "Moffat, Scholer and Thomas 2012"
    all_ranks: ClassVar[bool] = True

    def rank_weights(self, depth: int) -> Floats:
        """Return 1/(i + 2T − 1)² over its sum over all ranks."""
        ranks = np.arange(depth) + 2 * self.T
        return 1 / (ranks**2 * inverse_square_sum(np.array(2.0 * self.T)))

    def weight_past(self, depths: Integers) -> Floats:
        """Return the share of the weight that is past these depths."""
        rest = inverse_square_sum(depths.astype(np.float64) + 2.0 * self.T)
        return np.asarray(rest / inverse_square_sum(np.array(2.0 * self.T)))


class INSTMeasure(GoalBased, AdaptiveWeights):
    """INST: INSQ for a reader who reckons with what was already found.

    The chance to go on after rank i is ((i + 2T − G_i − 1)/(i + 2T − G_i))², where G_i is the
    gain found so far. Without a cut-off it looks at all ranks: past the end of a list there is no
    gain in the score and its range, and full gain in the tail.
    """

    name: ClassVar[str] = "INST"
    definition: ClassVar[str] = (
        "INST = Σ_i g_i v_i / Σ_i v_i,  v_(i+1) = v_i ((i + 2T − G_i − 1)/(i + 2T − G_i))²"
    )
    citation: ClassVar[str] = "Bailey, Moffat, Scholer and Thomas 2015; U18 §2.1"
    unknowns: ClassVar[str] = StaticWeights.unknowns

    def score_gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the gain per document that the reader expects to see."""
        return self._expected(block, unjudged=unjudged, endless=False)

    def tail_block(self, block: Block) -> Floats:
        """Return what full gain past the end of the list adds to the upper bound."""
        if self.cutoff is not None:
            return np.zeros(block.shape)
        most, beyond = (
            self._expected(block, unjudged=True, endless=endless) for endless in (False, True)
        )
        return np.where(block.lengths > 0, beyond - most, 0.0)

    def _expected(self, block: Block, *, unjudged: bool, endless: bool) -> Floats:
        """Return the expected gain, with full gain for unjudged documents and past the end."""
        table = self.gain_table(block.scale)
        full = float(table[-1])
        gains = block.lookup(
            table, unjudged=full if unjudged else 0.0, beyond=full if endless else 0.0
        )
        ahead = np.arange(1, block.depth + 1) + 2 * self.T - np.cumsum(gains, axis=2)
        viewed = np.ones((*gains.shape[:2], block.depth + 1))
        np.cumprod((1 - 1 / ahead) ** 2, axis=2, out=viewed[:, :, 1:])
        inside = block.codes != BEYOND
        here = viewed[:, :, :-1] * inside
        last = np.take_along_axis(viewed, block.lengths[:, :, None], axis=2)[:, :, 0]
        left = block.lengths + 2 * self.T - rank_sums(gains * inside)
        # Past the end the chances telescope; at full gain they stay the same for ever.
        rest = last / (1 - (1 - 1 / left) ** 2) if endless else last * _views_without_gain(left)
        gained = rank_sums(here * gains) + (rest if endless else 0.0)
        return np.asarray(gained / (rank_sums(here) + rest))


def inverse_square_sum(start: Floats) -> Floats:
    """Return Σ_{j≥0} 1/(start + j)², by Euler and Maclaurin after sixteen terms.

    Examples
    --------
    >>> bool(abs(inverse_square_sum(np.array(1.0)) - np.pi**2 / 6) < 1e-14)
    True
    """
    first = (1 / (start[..., None] + np.arange(16)) ** 2).sum(axis=-1)
    x = 1 / (start + 16)
    series = x + x**2 / 2 + x**3 / 6 - x**5 / 30 + x**7 / 42 - x**9 / 30
    return np.asarray(first + series)


def _views_without_gain(left: Floats) -> Floats:
    """Return Σ_{m≥0} (left / (left + m))², the views to come when nothing more is found."""
    return left**2 * inverse_square_sum(left)


def _check_goal(measure: str, T: float) -> None:
    require(T >= 0.5, measure, "T is a gain to look for, 0.5 or more", T)
