"""The table of results of a paper: what its marks say, and what they do not."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from string import ascii_lowercase

import numpy as np

from poolwise.arrays import Booleans
from poolwise.errors import OptionError
from poolwise.findings._checklist import Checklist
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._states import NEWS, STATES
from poolwise.measures.families._judged_only import first_documents
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.words import Said, counted, named

__all__ = ["MARKS", "UNCERTAINTIES", "MarkedResults"]

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
_SHOWN = ("measure", "run", "mean", "better_than", "in_brackets")


@finding
class MarkedResults(Finding):
    """The mean of each run by each measure, and what it is better than.

    A mark is given where a difference is significant and survives judging: its state is *holds* or
    *very likely holds*. A significant difference of another state has its mark in brackets.
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
    checklists : tuple of Checklist
        What to report with the scores of each measure; none where nothing is known of judgments.

    Examples
    --------
    >>> from poolwise import table
    >>> scores = ScoreTable.from_matrix([[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
    ...                                 systems=["new", "old"], topics="123456", measure="AP")
    >>> table([scores]).columns()["in_brackets"]
    ['old', '']
    >>> print(table([scores]))
    By AP, new has the highest mean, significantly higher than 1 run of 1, but on judged documents
    alone: old.
    <BLANKLINE>
    measure  run    mean  better than  in brackets
    AP       new  0.8667               old
    AP       old  0.4833
    <BLANKLINE>
    Significance is by paired t test, Holm, p < 0.05.
    In brackets: significant on judged documents; how likely judging would reverse it is not known.
    """

    scores: tuple[ScoreTable, ...]
    comparisons: tuple[Comparisons, ...]
    marks: str = "letters"
    baseline: str = ""
    method: str = ""
    checklists: tuple[Checklist, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs, in the order of the tables."""
        return self.scores[0].systems

    @cached_property
    def _better(self) -> tuple[tuple[Booleans, Booleans], ...]:
        """Who is better than whom, by measure: what survives judging, and what is in brackets."""
        verdicts = map(PairVerdicts.of, self.comparisons)
        return tuple(
            (of_measure.better(starred=True), of_measure.better(starred=False))
            for of_measure in verdicts
        )

    def superscripts(self, rows: Sequence[int] | None = None) -> tuple[tuple[str, ...], ...]:
        """Return the mark of each run, one row per measure; nothing without marks.

        Letters are those of these rows, by default of all runs in their order.
        """
        shown = list(range(len(self.systems)) if rows is None else rows)
        if self.marks == "letters" and len(shown) > len(ascii_lowercase):
            raise OptionError(
                f"marks: there are {len(ascii_lowercase)} letters; got "
                f"{counted(len(shown), 'run')}. Hint: show the first of them (--top), compare with "
                "a baseline, or choose the marks none."
            )
        mark = self._letters if self.marks == "letters" else self._daggers
        return tuple(
            tuple(_joined(mark(sure, row, shown), mark(doubt, row, shown)) for row in shown)
            for sure, doubt in self._better
        )

    def _letters(self, better: Booleans, row: int, shown: list[int]) -> str:
        return "".join(ascii_lowercase[place] for place, j in enumerate(shown) if better[row, j])

    def _daggers(self, better: Booleans, row: int, _: list[int]) -> str:
        at = self.systems.index(self.baseline)
        return "†" if better[row, at] else "‡" if better[at, row] else ""

    def _better_than(self, measure: int, *, starred: bool) -> list[list[str]]:
        """Return for each run the names of those it is better than."""
        if not self.comparisons:
            return [[] for _ in self.systems]
        better = self._better[measure][0 if starred else 1]
        return [[self.systems[j] for j in row.nonzero()[0].tolist()] for row in better]

    def columns(self) -> Columns:
        """Return one row per measure and run."""
        names = {
            title: [
                ", ".join(beaten)
                for m in range(len(self.scores))
                for beaten in self._better_than(m, starred=starred)
            ]
            for title, starred in (("better_than", True), ("in_brackets", False))
        }
        return {
            "measure": [str(table.measure) for table in self.scores for _ in table.systems],
            "run": list(self.systems) * len(self.scores),
            **self._numbers(),
            **names,
        }

    def _numbers(self) -> Columns:
        """Return the means, and their uncertainties."""
        return stack_columns([table.summary().columns() for table in self.scores])

    def tables(self) -> tuple[Table, ...]:
        """Return one row per measure and run, without the uncertainties."""
        columns = self.columns()
        return (table_of({name: columns[name] for name in _SHOWN}),)

    def sentences(self) -> tuple[str, ...]:
        """Say who has the highest mean, whom it is better than, and what brackets mean."""
        best = tuple(self._best(m) for m in range(len(self.scores)))
        how = f"Significance is by {self.method}."
        against = f"Marks compare with {self.baseline}: {MARKS[self.marks]}."
        return (
            *best,
            *([how] if self.comparisons else []),
            *([against] if self.baseline else []),
            *self.brackets(),
        )

    def brackets(self) -> tuple[str, ...]:
        """Say what marks in brackets mean, by the states that they have; nothing without any."""
        states: Counter[str] = Counter()
        for of_measure, (_, doubt) in zip(self.comparisons, self._better, strict=True):
            left, right = of_measure.pairs.left, of_measure.pairs.right
            inside = doubt[left, right] | doubt[right, left]
            states.update(of_measure.state[inside].tolist())
        meanings = [STATES[state].meaning for state in NEWS if states[state]]
        said = f"In brackets: {'; or '.join(meanings)}."
        sure = (
            [c for of_measure in self.comparisons for c in of_measure.claimed(*states)]
            if meanings
            else ()
        )
        return (Said(said, sure),) if meanings else ()

    def checklist(self) -> dict[str, list[str]]:
        """Return what to report with the scores of each measure, in sentences."""
        return {
            str(checklist.measure): list(checklist.sentences()) for checklist in self.checklists
        }

    def judged(self) -> str:
        """Say which share of the first documents of the runs is judged; nothing if not known."""
        shares = self.comparisons[0].judged if self.comparisons else None
        if shares is None or np.isnan(shares).all():
            return ""
        low, high = (float(end(shares)) for end in (np.nanmin, np.nanmax))
        documents = first_documents(self.comparisons[0].measure)
        worst = self.comparisons[0].least_judged
        at_worst = f"; at worst {worst.words}" if worst else ""
        if low == high:
            return f"{low:.0%} of the {documents} of each run are judged{at_worst}"
        least = self.systems[int(np.nanargmin(shares))]
        return f"{low:.0%} ({least}) to {high:.0%} of the {documents} of a run are judged{at_worst}"

    def _best(self, measure: int) -> str:
        table = self.scores[measure]
        if not table.defined.any():
            return self._no_score(measure)
        at = int(table.order()[0])
        lead = f"By {table.measure}, {self.systems[at]} has the highest mean"
        if not self.comparisons:
            return f"{lead}."
        sure, doubt = (self._better_than(measure, starred=starred)[at] for starred in (True, False))
        runs = 1 if self.baseline else len(self.systems) - 1
        alone = f"significantly higher than {_runs(doubt, runs)}, but on judged documents alone"
        parts = [
            *([f"{alone}: {named(doubt)}"] if doubt else []),
            *([f"better than {_runs(sure, runs)}: {named(sure)}"] if sure else []),
        ]
        if not parts:
            return f"{lead}, and is significantly better than no other run."
        claims = self.comparisons[measure].claimed("holds") if sure else ()
        return Said(f"{lead}, {'; and '.join(parts)}.", claims)

    def _no_score(self, measure: int) -> str:
        """Say that no run has a score yet, and of two runs what judging could do."""
        if self.comparisons and len(self.comparisons[measure]) == 1:
            return self.comparisons[measure][0].pair_verdict.sentence
        return f"No topic has a score by {self.scores[measure].measure} for every run."


def _joined(sure: str, doubt: str) -> str:
    return f"{sure}({doubt})" if doubt else sure


def _runs(names: list[str], of: int) -> str:
    return f"{counted(len(names), 'run')} of {of:,}"
