"""What supports the order of every two systems: the state of each pair, counted and listed."""

import numpy as np

from poolwise.arrays import Booleans, Indices
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._comparison import turned
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import KINDS
from poolwise.findings.comparison._states import STARRED, STATES
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import are, counted

__all__ = ["PAIR_VERDICTS", "PairVerdicts"]

PAIR_VERDICTS = tuple(STATES)
"""The states that a pair can have."""


@finding
class PairVerdicts(Finding):
    """Comparisons with the system that is ahead first, and the state of each pair.

    Attributes
    ----------
    comparisons : Comparisons
        What is known of each pair.

    Examples
    --------
    >>> from poolwise import align, compare_evidence, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> comparisons = compare_evidence(align(made.judgments, made.runs), "nDCG@10", draws=0)
    >>> print(*PairVerdicts.of(comparisons).sentences())
    In nDCG@10, 3 of 6 pairs are significantly different at 0.05: 3 rest on judged documents alone.
    Of the others, 2 need more topics, and 1 is open on both counts.
    """

    comparisons: Comparisons

    @classmethod
    def of(cls, comparisons: Comparisons) -> "PairVerdicts":
        """Judge the order of these pairs; the provenance is theirs."""
        return cls(comparisons, provenance=comparisons.provenance)

    def counts(self) -> dict[str, int]:
        """Return how many pairs have each state."""
        return self.comparisons.state_counts()

    @property
    def reversible(self) -> Booleans:
        """Which pairs some assignment of grades to the unjudged documents could reverse."""
        return np.asarray(self.comparisons.verdict == "open")

    def never_behind(self) -> Booleans:
        """Return a matrix, systems × systems: whom no grading puts behind whom, by row and column.

        Runs that are level whatever is judged have no side: they may count either way.
        """
        verdict = self.comparisons.verdict
        sides = (("a certain", "a never behind"), ("b certain", "b never behind"))
        return self._matrix(*(np.isin(verdict, side) for side in sides))

    def better(self, *, starred: bool) -> Booleans:
        """Return a matrix, systems × systems: whether a row's system is better than a column's.

        Starred are the significant differences that hold, or very likely do; the others rest on
        what is judged now, and stand in brackets.
        """
        comparisons = self.comparisons
        wanted = comparisons.significant() & (np.isin(comparisons.state, STARRED) == starred)
        return self._matrix(
            wanted & (comparisons.difference > 0), wanted & (comparisons.difference < 0)
        )

    def _matrix(self, forward: Booleans, backward: Booleans) -> Booleans:
        pairs, size = self.comparisons.pairs, len(self.comparisons.systems)
        matrix = np.zeros((size, size), np.bool_)
        matrix[pairs.left, pairs.right] = forward
        matrix[pairs.right, pairs.left] = backward
        return matrix

    def columns(self) -> Columns:
        """Return one row per pair, the system that is ahead first, the best systems on top."""
        better, worse = self._ahead()
        # Rounding does not decide between runs that are level.
        means = self.comparisons.sample.means().round(12)
        return self._rows(np.lexsort((-means[worse], -means[better])))

    def tables(self) -> tuple[Table, ...]:
        """Return one row per pair."""
        return (table_of(self.columns(), p_values=("p", "p_corrected")),)

    def reversals(self) -> Columns:
        """Return the pairs that judging could reverse: significant ones first, largest first."""
        comparisons = self.comparisons
        order = np.lexsort((-np.abs(comparisons.difference), ~comparisons.significant()))
        return self._rows(order[self.reversible[order]])

    def _ahead(self) -> tuple[Indices, Indices]:
        """Return the system that is ahead and the other one, of each pair."""
        pairs, turned = self.comparisons.pairs, self.comparisons.difference < 0
        left, right = pairs.left, pairs.right
        return np.where(turned, right, left), np.where(turned, left, right)

    def _rows(self, order: Indices) -> Columns:
        comparisons, behind = self.comparisons, self.comparisons.difference < 0
        better, worse = self._ahead()
        ranges = comparisons.over("judgments").turn(behind)
        numbers = {
            "difference": np.abs(comparisons.difference),
            "lowest": ranges.low,
            "highest": ranges.high,
            "p": comparisons.pvalue,
            "p_corrected": comparisons.p_adjusted,
            **{
                name: np.where(behind, turned(comparisons, name), getattr(comparisons, name))
                for name in ("effect_size", "wins", "ties", "losses")
            },
        }
        return {
            "measure": [str(comparisons.measure)] * len(order),
            "better": [comparisons.systems[i] for i in better[order].tolist()],
            "worse": [comparisons.systems[i] for i in worse[order].tolist()],
            **{name: values[order].tolist() for name, values in numbers.items()},
            "state": comparisons.state[order].tolist(),
        }

    def claims(self) -> tuple[Claim, ...]:
        """Return what is claimed of all pairs, whatever the unjudged documents are."""
        return self.comparisons.claimed()

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs have which state, and of one pair its verdict."""
        if len(self.comparisons) == 1:
            return (self.comparisons[0].pair_verdict.sentence, *self.unknown())
        return (
            self.comparisons.headline(),
            *self.how_many_are_wrong(),
            *self.what_rests(),
            *self.unknown(),
        )

    def wrong_orders(self) -> float:
        """Return about how many starred orders would turn round at most, if all were judged.

        An order that holds cannot; of the others each counts with the share of draws against it.
        """
        comparisons = self.comparisons
        drawn, likely = (
            comparisons.plausibility,
            np.asarray(comparisons.state == "very likely holds"),
        )
        share = np.where(comparisons.difference < 0, drawn.behind, drawn.ahead)
        return float((1 - share[likely]).sum())

    def how_many_are_wrong(self) -> tuple[str, ...]:
        """Say how many starred orders are wrong at most; nothing where all of them hold."""
        likely, starred = (self.counts()["very likely holds"], self.counts()["holds"])
        if not likely:
            return ()
        orders = f"the {likely + starred:,} that {'hold or ' if starred else ''}very likely hold"
        # rounded up, so that "at most" is true of the number
        number = int(np.ceil(self.wrong_orders() - 1e-9))
        if not number:
            return (f"No wrong order is to be expected among {orders}.",)
        wrong = f"{counted(number, 'wrong order')} {are(number)}"
        return (f"At most about {wrong} to be expected among {orders}.",)

    def what_rests(self) -> tuple[str, ...]:
        """Say of how many orders nothing is concluded, since runs lack topics, and which runs."""
        said = [text for text in self.comparisons.rests_on.tolist() if text]
        if not said:
            return ()
        orders = f"{len(said):,} {'rests' if len(said) == 1 else 'rest'} on topics that a run lacks"
        return (f"{orders}, so that nothing is concluded; such as {said[0].partition(',')[0]}.",)

    def method(self) -> tuple[str, ...]:
        """Say how the numbers came about: the test, its correction, and what the range is over."""
        comparisons = self.comparisons
        test, correction = comparisons.test, comparisons.correction
        tested = f"The p values are those of the {test}, corrected: {correction}."
        if not comparisons.tests.enough_topics(comparisons.alpha):
            tested = f"No test: {comparisons.too_few()}"
        effect = "The effect size is in standard deviations of the per-topic differences."
        if comparisons.bounds.reason:
            return (tested, effect, *self.unknown())
        over = KINDS["exact" if comparisons.bound_kind == "exact" else "valid"]
        documents = comparisons.bounds.range.scope.documents or "the unjudged documents"
        return (
            tested,
            effect,
            (
                "The lowest and the highest difference are over every assignment of grades to "
                f"{documents}: {over}."
            ),
        )

    def unknown(self) -> tuple[str, ...]:
        """Say why nothing is known of what judging could reverse, where that is so."""
        reason = self.comparisons.bounds.reason
        said = f"Which orders judging could reverse is not known, since {reason}."
        return (said,) if reason else ()
