"""Deeper judging or more topics, for the same number of judgments (W10 §5.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError
from poolwise.findings.planning.power import detectable_effect

__all__ = ["DepthDesign", "compare_depths"]


@dataclass(frozen=True, eq=False)
class DepthDesign:
    """For each depth and budget: the topics it pays for, and the share of effects they detect.

    Attributes
    ----------
    topics : int array, depths × budgets
        Topics that the budget pays for.
    detectable : float array, depths × budgets
        Share of the pairs of systems whose effect size so many topics detect.
    """

    depths: tuple[int, ...]
    budgets: tuple[int, ...]
    topics: Integers
    detectable: Floats

    def best_depths(self) -> tuple[int, ...]:
        """Return, for each budget, the depth that detects most; the shallower one if level."""
        order = np.argsort(self.depths, kind="stable")
        return tuple(self.depths[order[i]] for i in self.detectable[order].argmax(axis=0))

    def __str__(self) -> str:
        head = "".join(f"{budget:>16}" for budget in self.budgets)
        rows = (
            f"{depth:>7}" + "".join(f"{n:>7} {share:>8.3f}" for n, share in zip(*row, strict=True))
            for depth, *row in zip(self.depths, self.topics, self.detectable, strict=True)
        )
        return "\n".join([f"  depth{head}  judgments: topics, share detectable", *rows])


def compare_depths(
    effect_sizes: Mapping[int, ArrayLike],
    documents: Mapping[int, float],
    budgets: Sequence[int],
    *,
    topic_cost: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> DepthDesign:
    """Compare depths of judging by what a fixed number of judgments detects (W10 fig. 5.12).

    Parameters
    ----------
    effect_sizes
        For each depth, δ/σ of pairs of systems when judged and scored to that depth.
    documents
        For each depth, how many documents there are to judge per topic.
    budgets
        Numbers of judgments.
    topic_cost
        What a topic costs before its first judgment, in judgments.

    Examples
    --------
    >>> print(compare_depths({5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [5000]))
      depth            5000  judgments: topics, share detectable
          5    617    0.500
        100     33    0.000
    """
    _check_same_depths(effect_sizes, documents)
    cost = np.array([documents[depth] + topic_cost for depth in effect_sizes])
    topics = (np.asarray(budgets) / cost[:, None]).astype(np.int64)
    least = detectable_effect(
        np.maximum(topics, 2), power=power, alpha=alpha, alternative=alternative
    )
    shares = [
        (np.abs(np.asarray(sizes, np.float64))[:, None] >= limit).mean(axis=0)
        for sizes, limit in zip(effect_sizes.values(), least, strict=True)
    ]
    detectable = np.where(topics >= 2, np.stack(shares), 0.0)
    return DepthDesign(tuple(effect_sizes), tuple(budgets), topics, detectable)


def _check_same_depths(
    effect_sizes: Mapping[int, ArrayLike], documents: Mapping[int, float]
) -> None:
    lacking = sorted(set(effect_sizes) ^ set(documents))
    if lacking or not effect_sizes or min(documents.values()) <= 0:
        raise OptionError(
            "effect_sizes, documents: both need the same depths, one at least, with documents to "
            f"judge; {', '.join(map(str, lacking)) or 'none'} is in one only. Hint: give "
            "both for each depth."
        )
