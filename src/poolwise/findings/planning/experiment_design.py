"""One plan for an experiment with two systems: topics, depth, and in which steps (W10 ch. 5)."""

import math

from poolwise.errors import require_choice
from poolwise.findings.planning.design_comparison import DesignComparison
from poolwise.findings.planning.judging_depth import DepthDesign
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.words import counted

__all__ = ["DESIGN_ROWS", "ExperimentDesign"]

DESIGN_ROWS = {
    "designs": "one row per way to choose the number of topics",
    "depths": "one row per depth and number of judgments",
}
"""What the rows of a design are, for programs."""


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

    Examples
    --------
    >>> from poolwise.workflows import design_from_numbers
    >>> found = design_from_numbers(delta=0.05, sigma=0.13, rng=1, simulations=200)
    >>> found.depth, found.depths is None, found.recommendation.partition(";")[0]
    (0, True, 'Judge 56 topics first')
    """

    measure: str
    designs: DesignComparison
    depths: DepthDesign | None = None
    depth: int = 0
    documents: float = float("nan")

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
        found = self.designs.row("hybrid")
        topics = (
            f"Expect {found['topics_mean']:,.0f} topics in {found['rounds_mean']:.1f} rounds on "
            f"average, and at most {found['topics_95']:,.0f} in 19 of 20 experiments"
        )
        if math.isnan(self.judgments):
            return f"{topics}."
        return f"{topics}: {self.judgments:,.0f} judgments on average."

    def _bias(self) -> str:
        false = self.designs.row("hybrid")["false_positives"]
        return (
            "Report the design with the result: looking at sigma on the way makes false positives "
            f"{false:.1%} of experiments without a difference, where {self.designs.alpha:.1%} are "
            "meant."
        )

    def _alternative(self) -> str:
        found = self.designs.row("cautious")
        return (
            f"An experiment whose number of topics is fixed beforehand needs "
            f"{found['topics_mean']:,.0f} of them to be large enough in {found['powerful']:.0%} of "
            "experiments; the usual sigma, "
            f"{self.designs.row('past')['topics_mean']:,.0f} topics, is large enough in "
            f"{self.designs.row('past')['powerful']:.0%}."
        )
