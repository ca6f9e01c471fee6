"""The results of a paper: runs by measures, and which of them are significantly better."""

from string import ascii_lowercase

from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.findings.pair_verdicts import PairVerdicts
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores.score_table import ScoreTable
from poolwise.words import counted, named

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
    >>> from poolwise import results_table
    >>> table = ScoreTable.from_matrix([[0.9, 0.8, 0.9] * 2, [0.5, 0.45, 0.5] * 2],
    ...                                systems=["new", "old"], topics="123456", measure="AP")
    >>> results_table([table]).columns()["better_than"]
    ['old', '']
    >>> print(results_table([table]))
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
        """Return the means, and both of their uncertainties."""
        found = [table.summary() for table in self.scores]
        return {
            name: [number for one in found for number in getattr(one, name).tolist()]
            for name in ("mean", "ci_low", "ci_high", "lower", "upper")
        }

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
