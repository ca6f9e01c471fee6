"""Deeper judging or more topics, for the same number of judgments (W10 §5.4)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError
from poolwise.findings.planning.t_test_power import detectable_effect, topics_needed, whole_topics
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted

__all__ = ["DepthDesign", "depth_design"]


@finding
class DepthDesign(Finding):
    """For each depth and budget: the topics it pays for, and the share of effects they detect.

    Attributes
    ----------
    depths, budgets : tuple of int
        Depths of judging, and numbers of judgments.
    topics : int array, depths × budgets
        Topics that the budget pays for.
    detectable : float array, depths × budgets
        Share of the pairs of systems whose effect size so many topics detect.
    documents : float array, depths
        Documents to judge per topic.
    needed : float array, depths
        Topics that detect the median effect size at that depth; infinite where it is 0.
    topic_cost : float
        What a topic costs before its first judgment, in judgments.

    Examples
    --------
    >>> found = depth_design({5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [5000])
    >>> found.topics.tolist(), found.detectable.tolist()
    ([[617], [33]], [[0.5], [0.0]])
    """

    depths: tuple[int, ...]
    budgets: tuple[int, ...]
    topics: Integers
    detectable: Floats
    documents: Floats
    needed: Floats
    topic_cost: float

    @property
    def costs(self) -> Floats:
        """What it costs at each depth to detect the median effect, in judgments."""
        return np.ceil(self.needed - 1e-9) * (self.documents + self.topic_cost)

    @property
    def cheapest(self) -> int:
        """The depth at which the median effect costs least; the shallower one if level."""
        order = np.argsort(self.depths, kind="stable")
        return self.depths[order[int(self.costs[order].argmin())]]

    def best_depths(self) -> tuple[int, ...]:
        """Return, for each budget, the depth that detects most; the shallower one if level."""
        order = np.argsort(self.depths, kind="stable")
        return tuple(self.depths[order[i]] for i in self.detectable[order].argmax(axis=0))

    def columns(self) -> Columns:
        """Return one row per depth and budget."""
        return {
            "depth": np.repeat(self.depths, len(self.budgets)).tolist(),
            "budget": list(self.budgets) * len(self.depths),
            "topics": self.topics.ravel().tolist(),
            "detectable": self.detectable.ravel().tolist(),
            "documents": np.repeat(self.documents, len(self.budgets)).tolist(),
            "needed": np.repeat(self.needed, len(self.budgets)).tolist(),
            "cost": np.repeat(self.costs, len(self.budgets)).tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say for each budget which depth detects most, and with how many topics."""
        best = [self.depths.index(depth) for depth in self.best_depths()]
        rows = zip(self.budgets, best, range(len(best)), strict=True)
        return (*(self._best_words(*row) for row in rows), *self._cheapest_words())

    def _cheapest_words(self) -> tuple[str, ...]:
        at = self.depths.index(self.cheapest)
        if np.isinf(self.costs[at]):
            return ("The median effect is 0, which no number of topics detects.",)
        topics = counted(int(whole_topics(float(self.needed[at]))), "topic")
        start = f" and {self.topic_cost:g} for each topic's start" if self.topic_cost else ""
        return (
            (
                f"The median effect costs least at depth {self.cheapest}: {self.costs[at]:,.0f} "
                f"judgments for {topics}, with {self.documents[at]:.1f} documents per topic{start}."
            ),
        )

    def _best_words(self, budget: int, row: int, column: int) -> str:
        share, judgments = self.detectable[row, column], counted(budget, "judgment")
        if not share:
            return f"{judgments} detect none of the effects at any depth."
        topics = counted(int(self.topics[row, column]), "topic")
        return (
            f"{judgments} detect most at depth {self.depths[row]}: {100 * share:.1f}% of the "
            f"effects, on {topics}."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per depth: topics and the share of effects detected, by budget."""
        titles = (
            (Column(f"topics for {budget:,}"), Column("detectable", digits=3))
            for budget in self.budgets
        )
        cells = np.stack([self.topics.astype(object), self.detectable.astype(object)], axis=2)
        rows = cells.reshape(len(self.depths), -1).tolist()
        return (
            Table(
                (Column("depth"), *(column for pair in titles for column in pair)),
                tuple((depth, *row) for depth, row in zip(self.depths, rows, strict=True)),
                title="Topics that a number of judgments pays for, and the share they detect",
            ),
        )


def depth_design(
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
    power, alpha
        The chance to find the difference, and the significance level.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    DepthDesign
        By depth and budget, the topics that can be paid for and the share of effects they detect.

    Examples
    --------
    >>> found = depth_design({5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [5000])
    >>> print(found)
    Topics that a number of judgments pays for, and the share they detect
    <BLANKLINE>
    depth  topics for 5,000  detectable
        5               617       0.500
      100                33       0.000
    <BLANKLINE>
    5,000 judgments detect most at depth 5: 50.0% of the effects, on 617 topics.
    The median effect costs least at depth 5: 2,843 judgments for 351 topics, with 8.1 documents per
    topic.
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
    medians = [float(np.nanmedian(np.abs(sizes))) for sizes in effect_sizes.values()]
    return DepthDesign(
        tuple(effect_sizes),
        tuple(budgets),
        topics,
        detectable,
        np.array([documents[depth] for depth in effect_sizes], np.float64),
        topics_needed(medians, power=power, alpha=alpha, alternative=alternative),
        topic_cost,
        provenance=WITHOUT_FILES.with_options(
            documents=tuple(documents.values()),
            topic_cost=topic_cost,
            power=power,
            alpha=alpha,
            alternative=alternative,
        ),
    )


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
