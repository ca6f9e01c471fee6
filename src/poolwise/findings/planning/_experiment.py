"""One plan for an experiment: topics, depth of judging, and in which steps (W10 §5.3, §5.4)."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError, require_choice
from poolwise.findings.planning._designs import DesignComparison
from poolwise.findings.planning._power import detectable_effect, topics_needed, whole_topics
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted

__all__ = ["DESIGN_ROWS", "CarriedDelta", "DepthDesign", "ExperimentDesign", "depth_design"]


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
    >>> design = depth_design({5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [5000])
    >>> design.topics.tolist(), design.detectable.tolist()
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


@recorded
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
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    DepthDesign
        By depth and budget, the topics that can be paid for and the share of effects they detect.

    Examples
    --------
    >>> design = depth_design({5: [0.1, 0.2], 100: [0.12, 0.22]}, {5: 8.1, 100: 151}, [5000])
    >>> print(design)
    5,000 judgments detect most at depth 5: 50.0% of the effects, on 617 topics.
    <BLANKLINE>
    Topics that a number of judgments pays for, and the share they detect
    <BLANKLINE>
    depth  topics for 5,000  detectable
        5               617       0.500
      100                33       0.000
    <BLANKLINE>
    The median effect costs least at depth 5: 2,843 judgments for 351 topics, with 8.1 documents per
    topic.
    """
    _check_same_depths(effect_sizes, documents)
    # W10 §5.4: a topic costs its start and the documents of its pool, so that depth buys out topics
    cost = np.array([documents[depth] + topic_cost for depth in effect_sizes])
    topics = (np.asarray(budgets) / cost[:, None]).astype(np.int64)
    least = detectable_effect(
        np.maximum(topics, 2), power=power, alpha=alpha, alternative=alternative
    )
    shares = [
        (np.abs(np.asarray(sizes, np.float64))[:, None] >= limit).mean(axis=0)
        for sizes, limit in zip(effect_sizes.values(), least, strict=True)
    ]
    # a single topic has no deviation to test by, and detects nothing
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


DESIGN_ROWS = {
    "designs": "one row per way to choose the number of topics",
    "depths": "one row per depth and number of judgments",
}
"""What the rows of a design are, for programs."""


_FEW_PAIRS, _WEAK = 10, 0.7
"""Fewer pairs, or a smaller correlation, than these say little."""


def _not_carried(delta: float, depth: int, why: str) -> OptionError:
    return OptionError(
        f"delta: {delta:g} cannot be carried over from AP to AP@{depth}: {why}. Hint: name the "
        "measure that delta is meant in (-m AP), or leave delta out."
    )


class CarriedDelta(NamedTuple):
    """A difference in AP as a difference in AP to a depth, by past pairs (W10 §5.4).

    Attributes
    ----------
    delta, carried : float
        The difference over whole lists, and what it comes to at the depth.
    depth, pairs : int
    correlation : float
        Of the mean differences of pairs, over whole lists and at the depth.

    Examples
    --------
    >>> whole = np.linspace(0.01, 0.2, 20)
    >>> print(CarriedDelta.by_regression(0.05, whole, whole / 2, 2))
    A difference of 0.0500 in AP is one of 0.0250 in AP@2, by the regression of the mean
    differences of 20 past pairs (r = 1.00).
    """

    delta: float
    carried: float
    depth: int
    pairs: int
    correlation: float

    @classmethod
    def by_regression(
        cls, delta: float, whole: Floats, shallow: Floats, depth: int
    ) -> "CarriedDelta":
        """Carry a difference over by the line through 0 that fits the pairs best."""
        defined = ~(np.isnan(whole) | np.isnan(shallow))
        x, y = whole[defined], shallow[defined]
        squares, common = float(x @ x), float(x @ y)
        if not squares or not float(y @ y):
            raise _not_carried(delta, depth, "no past pair differs in both")
        # Without a mean taken off: the sign of a pair is a matter of who is named first.
        line = cls(
            delta, delta * common / squares, depth, len(x),
            common / math.sqrt(squares * float(y @ y)),
        )  # fmt: skip
        seen = f"{counted(line.pairs, 'past pair')} (r = {line.correlation:.2f})"
        if not line.correlation > 0:
            raise _not_carried(delta, depth, f"{seen} do not differ in the same direction in both")
        if line.carried >= 1:
            raise _not_carried(delta, depth, f"by {seen} it would be {line.carried:.2f}")
        return line

    @property
    def is_weak(self) -> bool:
        """Whether the past pairs say little about what a difference comes to."""
        return self.pairs < _FEW_PAIRS or self.correlation < _WEAK

    def __str__(self) -> str:
        weak = "; that is weak evidence: plan with -m AP if you can judge whole lists"
        return (
            f"A difference of {self.delta:.4f} in AP is one of {self.carried:.4f} in "
            f"AP@{self.depth}, by the regression of the mean differences of "
            f"{counted(self.pairs, 'past pair')} (r = {self.correlation:.2f}){weak * self.is_weak}."
        )


@finding
class ExperimentDesign(Finding):
    """What to judge first, what then, and what else could be done.

    Attributes
    ----------
    measure : str
        What systems will be scored by.
    designs : DesignComparison
        Ways to choose the number of topics.
    depths : DepthDesign or None
        What judging to different depths costs and detects, where that was asked for.
    depth : int
        Ranks of both systems to judge; 0 where nothing says how deep.
    documents : float
        Documents to judge per topic at that depth; NaN where that is not known.
    carried : CarriedDelta or None
        How the difference to detect was carried over to that depth, where it was.

    Examples
    --------
    >>> from poolwise.workflows import design_from_numbers
    >>> design = design_from_numbers(delta=0.05, sigma=0.13, rng=1, simulations=200)
    >>> design.depth, design.depths is None, design.recommendation.partition(";")[0]
    (0, True, 'Judge 56 topics first')
    """

    measure: str
    designs: DesignComparison
    depths: DepthDesign | None = None
    depth: int = 0
    documents: float = float("nan")
    carried: CarriedDelta | None = None

    @property
    def judgments(self) -> float:
        """Judgments that the hybrid design takes on average; NaN where they are not known."""
        return self.documents * self.designs.row("hybrid")["topics_mean"]

    def columns(self, rows: str = "designs") -> Columns:
        """Return one row per design, or one per depth and budget: a key of ``DESIGN_ROWS``."""
        require_choice("rows", rows, DESIGN_ROWS)
        if rows == "depths" and self.depths is not None:
            return self.depths.columns()
        planned = {"measure": self.measure, "depth": self.depth, "documents": self.documents}
        count = len(self.designs.designs)
        return self.designs.columns() | {name: [cell] * count for name, cell in planned.items()}

    def tables(self) -> tuple[Table, ...]:
        """Return the designs, and the depths where there are any."""
        depths = self.depths.tables() if self.depths is not None else ()
        return (*self.designs.tables(), *depths)

    def sentences(self) -> tuple[str, ...]:
        """Recommend a plan, say what it costs and what else there is."""
        depths = self.depths.sentences() if self.depths is not None else ()
        return (
            self.recommendation,
            *((str(self.carried),) if self.carried else ()),
            self._cost(),
            self._bias(),
            self._alternative(),
            *self.designs.sentences(),
            *depths,
            *self._start_cost(),
        )

    def _start_cost(self) -> tuple[str, ...]:
        if self.depths is None or self.depths.topic_cost:
            return ()
        return (
            (
                "The start of a topic was counted as no cost, which favours many shallow topics: "
                "give a cost of topics where theirs is known."
            ),
        )

    @property
    def recommendation(self) -> str:
        """The hybrid design of W10 §5.3.4 in one sentence."""
        deep = f" to depth {self.depth}" if self.depth else ""
        first = counted(self.designs.first_topics, "topic")
        return (
            f"Judge {first}{deep} first; then estimate sigma from them and judge as many more as "
            f"it asks for, until a difference of {self.designs.delta:.4f} in {self.measure} is "
            "detectable; only then test for significance."
        )

    def _cost(self) -> str:
        row = self.designs.row("hybrid")
        topics = (
            f"Expect {row['topics_mean']:,.0f} topics in {row['rounds_mean']:.1f} rounds on "
            f"average, and at most {row['topics_95']:,.0f} in 19 of 20 experiments"
        )
        if math.isnan(self.judgments):
            return f"{topics}."
        return f"{topics}: {self.judgments:,.0f} judgments on average."

    def _bias(self) -> str:
        return (
            "Report the design with the result. Looking at sigma on the way changes the share of "
            f"false positives by {self.designs.excess_words('hybrid')}."
        )

    def _alternative(self) -> str:
        row = self.designs.row("cautious")
        return (
            f"An experiment whose number of topics is fixed beforehand needs "
            f"{row['topics_mean']:,.0f} of them to be large enough in {row['powerful']:.0%} of "
            "experiments; the usual sigma, "
            f"{self.designs.row('past')['topics_mean']:,.0f} topics, is large enough in "
            f"{self.designs.row('past')['powerful']:.0%}."
        )
