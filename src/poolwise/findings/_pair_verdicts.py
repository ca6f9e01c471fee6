"""What supports the order of every two systems, and the marks that say so in a table."""

from functools import cached_property
from string import ascii_lowercase

import numpy as np

from poolwise.arrays import Booleans, Indices
from poolwise.findings.comparison._comparison import turned
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import CERTAIN, KINDS, RESTS, SETTLED
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, named

__all__ = ["MARKS", "PAIR_VERDICTS", "UNCERTAINTIES", "MarkedResults", "PairVerdicts"]

PAIR_VERDICTS = (
    *("holds", "too few topics", "unjudged could undo it", "open on both counts"),
    "rests on missing topics",
)
"""What can be said of the order of two systems, by (not significant) + 2 · (not certain); the last
where it is so only as long as topics that a system lacks score 0."""


@finding
class PairVerdicts(Finding):
    """Comparisons with the system that is ahead first, and a verdict on each order.

    An order *holds* if the difference is significant over topics, after correction, and certain
    over judgments: one system is ahead whatever the unjudged documents are. Where nothing is known
    of the judgments, or the order rests on topics that a system lacks, it is not said to hold.

    Attributes
    ----------
    comparisons : Comparisons
        What is known of each pair.

    Examples
    --------
    >>> from poolwise import align, compare_evidence, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> found = compare_evidence(align(made.judgments, made.runs), "nDCG@10", draws=0)
    >>> print(*PairVerdicts.of(found).sentences())
    0 of 6 differences in nDCG@10 hold: none is both significant after correction and beyond
    reversal. 2 need more topics, 3 need more judgments and 1 needs both.
    """

    comparisons: Comparisons

    @classmethod
    def of(cls, comparisons: Comparisons) -> "PairVerdicts":
        """Judge the order of these pairs; the provenance is theirs."""
        return cls(comparisons, provenance=comparisons.provenance)

    @cached_property
    def verdict(self) -> Indices:
        """The verdict on each pair, as a position in ``PAIR_VERDICTS``, pair by pair."""
        found = self.comparisons
        # An order of which nothing is known is not said to hold.
        doubtful = ~np.isin(found.verdict, (*CERTAIN, "equal"))
        by_both = np.asarray(~found.significant() + 2 * doubtful, np.intp)
        return np.where(found.verdict == RESTS, len(PAIR_VERDICTS) - 1, by_both)

    def counts(self) -> dict[str, int]:
        """Return how many pairs have each verdict."""
        numbers = np.bincount(self.verdict, minlength=len(PAIR_VERDICTS)).tolist()
        return dict(zip(PAIR_VERDICTS, numbers, strict=True))

    @property
    def reversible(self) -> Booleans:
        """Which pairs some assignment of grades to the unjudged documents could reverse."""
        return np.asarray(self.comparisons.verdict == "open")

    def open_orders(self) -> Booleans:
        """Return a symmetric matrix, systems × systems: whose order no range settles."""
        return self._matrix(~np.isin(self.comparisons.verdict, SETTLED))

    def significantly_better(self) -> Booleans:
        """Return a matrix, systems × systems: whether a row's system is better than a column's."""
        found = self.comparisons
        pairs, size = found.pairs, len(found.systems)
        better = np.zeros((size, size), np.bool_)
        better[pairs.left, pairs.right] = found.significant() & (found.difference > 0)
        better[pairs.right, pairs.left] = found.significant() & (found.difference < 0)
        return better

    def _matrix(self, marked: Booleans) -> Booleans:
        pairs, size = self.comparisons.pairs, len(self.comparisons.systems)
        matrix = np.zeros((size, size), np.bool_)
        matrix[pairs.left, pairs.right] = marked
        return matrix | matrix.T

    def columns(self) -> Columns:
        """Return one row per pair, the system that is ahead first, the best systems on top."""
        better, worse = self._ahead()
        # Rounding does not decide between runs that are level.
        means = np.nanmean(self.comparisons.sample.scores, axis=1).round(12)
        return self._rows(np.lexsort((-means[worse], -means[better])))

    def tables(self) -> tuple[Table, ...]:
        """Return one row per pair."""
        return (table_of(self.columns(), p_values=("p", "p_corrected")),)

    def reversals(self) -> Columns:
        """Return the pairs that judging could reverse: significant ones first, largest first."""
        found = self.comparisons
        order = np.lexsort((-np.abs(found.difference), ~found.significant()))
        return self._rows(order[self.reversible[order]])

    def _ahead(self) -> tuple[Indices, Indices]:
        """Return the system that is ahead and the other one, of each pair."""
        pairs, turned = self.comparisons.pairs, self.comparisons.difference < 0
        left, right = pairs.left, pairs.right
        return np.where(turned, right, left), np.where(turned, left, right)

    def _rows(self, order: Indices) -> Columns:
        found, behind = self.comparisons, self.comparisons.difference < 0
        better, worse = self._ahead()
        ranges = found.over("judgments").turn(behind)
        numbers = {
            "difference": np.abs(found.difference),
            "lowest": ranges.low,
            "highest": ranges.high,
            "p": found.pvalue,
            "p_corrected": found.p_adjusted,
            **{
                name: np.where(behind, turned(found, name), getattr(found, name))
                for name in ("effect_size", "wins", "ties", "losses")
            },
        }
        return {
            "measure": [str(found.measure)] * len(order),
            "better": [found.systems[i] for i in better[order].tolist()],
            "worse": [found.systems[i] for i in worse[order].tolist()],
            **{name: values[order].tolist() for name, values in numbers.items()},
            "verdict": [PAIR_VERDICTS[v] for v in self.verdict[order].tolist()],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how many orders hold, and what the others need."""
        _, topics, judgments, both, rest = self.counts().values()
        needs = (_need(topics, "more topics"), _need(judgments, "more judgments"))
        needed = f"{', '.join(needs)} and {_need(both, 'both')}."
        if len(self.comparisons) == 1:
            needed = _need_of_one(topics, judgments, both)
        return (
            self.how_many_hold(),
            *([needed] if needed else []),
            *self.what_rests(rest),
            *self.unknown(),
        )

    def what_rests(self, number: int) -> tuple[str, ...]:
        """Say of how many orders nothing is concluded, since runs lack topics, and which runs."""
        if not number:
            return ()
        orders = f"{number:,} {'rests' if number == 1 else 'rest'} on topics that a run lacks"
        said = [text for text in self.comparisons.rests_on.tolist() if text]
        return (f"{orders}, so that nothing is concluded; such as {said[0].partition(',')[0]}.",)

    def how_many_hold(self) -> str:
        """Say how many orders hold, and what that means."""
        holds, pairs = self.counts()[PAIR_VERDICTS[0]], len(self.comparisons)
        verb, measure = "holds" if holds == 1 else "hold", self.comparisons.measure
        lead = f"{holds:,} of {counted(pairs, 'difference')} in {measure} {verb}"
        if pairs == 1:
            lead = f"The difference in {measure} {'holds' if holds else 'does not hold'}"
        if not holds:
            none = "it is not" if pairs == 1 else "none is"
            return f"{lead}: {none} both significant after correction and beyond reversal."
        they, them = ("it is", "it") if holds == 1 else ("they are", "them")
        return (
            f"{lead}: {they} significant over topics after correction, and certain over judgments: "
            f"no judging of the unjudged documents makes {them} level or reverses {them}."
        )

    def method(self) -> tuple[str, ...]:
        """Say how the numbers came about: the test, its correction, and what the range is over."""
        found = self.comparisons
        tested = f"The p values are those of the {found.test}, corrected: {found.correction}."
        if not found.tests.enough_topics(found.alpha):
            tested = f"No test: {found.too_few()}"
        effect = "The effect size is in standard deviations of the per-topic differences."
        if found.bounds.reason:
            return (tested, effect, *self.unknown())
        over = KINDS["exact" if found.bound_kind == "exact" else "valid"]
        documents = found.bounds.range.scope.documents or "the unjudged documents"
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


def _need_of_one(topics: int, judgments: int, both: int) -> str:
    """Say what the only difference needs; nothing where it holds, or rests on missing topics."""
    needed = {"topics": topics, "judgments": judgments, "topics and more judgments": both}
    return "".join(f"It needs more {what}." for what, number in needed.items() if number)


def _need(number: int, what: str) -> str:
    return f"{number:,} {'needs' if number == 1 else 'need'} {what}"


MARKS = {
    "letters": "the letters of the runs that a run is better than",
    "daggers": "† better, ‡ worse than the baseline",
    "none": "no marks",
}
"""How significance is shown."""
UNCERTAINTIES = {
    "none": "means alone",
    "topics": "the 95% confidence interval of each mean over topics",
    "judgments": "the range that the unjudged documents leave each mean in",
    "both": "the interval over topics and the range over judgments",
}
"""What stands beside the means."""
_SHOWN = ("measure", "run", "mean", "better_than")


@finding
class MarkedResults(Finding):
    """The mean of each run by each measure, and what it is significantly better than.

    :func:`~poolwise.paper_table` lays it out.

    Attributes
    ----------
    scores : tuple of ScoreTable
        One table per measure, of the same runs.
    comparisons : tuple of Comparisons
        Of all pairs, or against the baseline, in the order of the tables; none without marks.
    marks : {"letters", "daggers", "none"}
        How significance is shown: see ``MARKS``.
    baseline : str
        The run that daggers compare with; empty for the others.
    method : str
        How significance was found, in words.

    Examples
    --------
    >>> from poolwise import table
    >>> scores = ScoreTable.from_matrix([[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
    ...                                 systems=["new", "old"], topics="123456", measure="AP")
    >>> table([scores]).columns()["better_than"]
    ['old', '']
    >>> print(table([scores]))
    measure  run    mean  better than
    AP       new  0.8667  old
    AP       old  0.4833
    <BLANKLINE>
    By AP, new is best, significantly better than 1 run of 1: old.
    Significance is by paired t test, Holm, p < 0.05.
    """

    scores: tuple[ScoreTable, ...]
    comparisons: tuple[Comparisons, ...]
    marks: str = "letters"
    baseline: str = ""
    method: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs, in the order of the tables."""
        return self.scores[0].systems

    def superscripts(self) -> tuple[tuple[str, ...], ...]:
        """Return the mark of each run, one row per measure; nothing without marks."""
        return tuple(map(self._raised, self.comparisons))

    def _raised(self, found: Comparisons) -> tuple[str, ...]:
        better = PairVerdicts.of(found).significantly_better()
        if self.marks == "letters":
            rows = (row.nonzero()[0].tolist() for row in better)
            return tuple("".join(ascii_lowercase[j] for j in row) for row in rows)
        at = self.systems.index(self.baseline)
        signs = zip(better[:, at].tolist(), better[at].tolist(), strict=True)
        return tuple("†" if above else "‡" if below else "" for above, below in signs)

    def _better_than(self, measure: int) -> list[list[str]]:
        """Return for each run the names of those it is significantly better than."""
        if not self.comparisons:
            return [[] for _ in self.systems]
        better = PairVerdicts.of(self.comparisons[measure]).significantly_better()
        return [[self.systems[j] for j in row.nonzero()[0].tolist()] for row in better]

    def columns(self) -> Columns:
        """Return one row per measure and run."""
        names = [name for m in range(len(self.scores)) for name in self._better_than(m)]
        return {
            "measure": [str(table.measure) for table in self.scores for _ in table.systems],
            "run": list(self.systems) * len(self.scores),
            **self._numbers(),
            "better_than": [", ".join(beaten) for beaten in names],
        }

    def _numbers(self) -> Columns:
        """Return the means, and their uncertainties."""
        return stack_columns([table.summary().columns() for table in self.scores])

    def tables(self) -> tuple[Table, ...]:
        """Return one row per measure and run, without the uncertainties."""
        columns = self.columns()
        return (table_of({name: columns[name] for name in _SHOWN}),)

    def sentences(self) -> tuple[str, ...]:
        """Say who is best by each measure, and whom it is significantly better than."""
        best = tuple(self._best(m) for m in range(len(self.scores)))
        how = f"Significance is by {self.method}."
        against = f"Marks compare with {self.baseline}: {MARKS[self.marks]}."
        return (*best, *([how] if self.comparisons else []), *([against] if self.baseline else []))

    def _best(self, measure: int) -> str:
        table = self.scores[measure]
        at = int(table.order()[0])
        lead = f"By {table.measure}, {self.systems[at]} is best"
        beaten = self._better_than(measure)[at]
        if not self.comparisons:
            return f"{lead}."
        if not beaten:
            return f"{lead}, and significantly better than no other run."
        compared = 1 if self.baseline else len(self.systems) - 1
        better = f"{counted(len(beaten), 'run')} of {compared:,}"
        return f"{lead}, significantly better than {better}: {named(beaten)}."
