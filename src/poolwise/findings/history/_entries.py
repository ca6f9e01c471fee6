"""What a ledger holds: its entries, which of them count, and whether they are as they were."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from poolwise.results._columns import Columns, columns_of
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, record_of, table_of
from poolwise.words import UNKNOWN, are, counted, have, named

__all__ = [
    "RESULT_KINDS",
    "AddedResults",
    "Entry",
    "LedgerCheck",
    "LedgerContents",
    "Outcome",
    "Problem",
    "version_words",
    "versions_of",
]

RESULT_KINDS = {
    "scored": "scored here from a run and judgments",
    "scores only": "scores of others by topic, without judgments: tested within their table, "
    "never rescored",
    "means only": "published means, without topics: never tested",
}
"""What is known of a result."""

_NAMED = 5
_CHECKED = ("recomputed", "not_at_hand")


@dataclass(frozen=True)
class Entry:
    """One result of a ledger: a run, scored by one version of the judgments of a collection.

    Attributes
    ----------
    version : str
        The folder of the version: the first digits of the hash of judgments, or of a table.
    kind : str
        A key of ``RESULT_KINDS``.
    year : int, optional
        When the run was made.
    original : bool
        Whether the run took part when the collection was made.
    automatic : bool, optional
        Whether no person took part in making the run; None where nobody said so.
    baseline : str
        The run that this one is said to improve on.
    retracted : str
        Why the result does not count any more; empty where it does.
    path : str
        Its file in the ledger.
    measures : tuple of str
        What it is scored by.

    Examples
    --------
    >>> Entry("trec8", "3f5a", "bm25", "scored", retracted="wrong topics").counts
    False
    """

    collection: str
    version: str
    run: str
    kind: str
    year: int | None = None
    original: bool = False
    automatic: bool | None = None
    group: str = ""
    baseline: str = ""
    paper: str = ""
    retracted: str = ""
    path: str = ""
    measures: tuple[str, ...] = ()
    added: str = ""
    by: str = ""

    @property
    def counts(self) -> bool:
        """Whether the result was not retracted."""
        return not self.retracted


def version_words(kind: str, version: str) -> str:
    """Say which judgments, or which table, results are of.

    Examples
    --------
    >>> version_words("scored", "3f5a12"), version_words("means only", "means-77b0")
    ('judgments 3f5a12', 'published means 77b0')
    """
    short = version.rpartition("-")[2]
    what = {"scored": "judgments", "scores only": "score matrix", "means only": "published means"}
    return f"{what[kind]} {short}"


@finding
class LedgerContents(Finding):
    """What a ledger holds.

    Attributes
    ----------
    path : str
        The folder.
    entries : tuple of Entry
        Its results, by collection, version and run.

    Examples
    --------
    >>> contents = LedgerContents("results", (Entry("trec8", "3f5a", "bm25", "scored", 1999),))
    >>> contents.sentences()[0]
    'The ledger results holds 1 result in 1 collection.'
    """

    path: str
    entries: tuple[Entry, ...]

    def columns(self) -> Columns:
        """Return one row per result."""
        return {
            name: [_cell(getattr(entry, name)) for entry in self.entries]
            for name in (
                *("collection", "version", "run", "kind", "year", "original", "automatic"),
                *("group", "baseline", "paper", "retracted", "added", "by", "measures", "path"),
            )
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per version of a collection: how many runs, of which years."""
        rows = [_row(some) for some in versions_of(self.entries)]
        names = ("collection", "results of", "kind", "runs", "original", "years", "measures")
        cells = columns_of(names, rows)
        return (table_of(cells, title=f"Ledger {self.path}"),) if rows else ()

    def sentences(self) -> tuple[str, ...]:
        """Say how many results there are, and which were retracted."""
        collections = len({entry.collection for entry in self.entries})
        gone = [f"{entry.run} ({entry.retracted})" for entry in self.entries if entry.retracted]
        held = f"{counted(len(self.entries), 'result')} in {counted(collections, 'collection')}"
        retractions = f"{counted(len(gone), 'result')} {have(len(gone))} been retracted"
        return (
            f"The ledger {self.path} holds {held}.",
            *([f"{retractions}: {named(gone, most=_NAMED)}."] if gone else []),
        )


def versions_of(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Return the entries of each version of each collection."""
    by_version: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        by_version.setdefault((entry.collection, entry.version), []).append(entry)
    return list(by_version.values())


def _row(entries: Sequence[Entry]) -> tuple[str | int, ...]:
    first = entries[0]
    years = sorted({entry.year for entry in entries if entry.year is not None})
    span = UNKNOWN if not years else "–".join(dict.fromkeys(map(str, (years[0], years[-1]))))
    measures = list(dict.fromkeys(name for entry in entries for name in entry.measures))
    return (
        first.collection,
        version_words(first.kind, first.version),
        first.kind,
        len(entries),
        sum(entry.original for entry in entries),
        span,
        named(measures, most=4),
    )


def _cell(value: object) -> str | int | bool | None:
    if isinstance(value, tuple):
        return ", ".join(value)
    return value if isinstance(value, str | int | bool) else None


@dataclass(frozen=True)
class Outcome:
    """What became of a run that was to be added: added, unchanged, rescored or lost."""

    collection: str
    version: str
    kind: str
    run: str
    outcome: str


@finding
class AddedResults(Finding):
    """What was added to a ledger.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Each run, and what became of it: ``added``, ``unchanged`` where it was there already,
        ``rescored`` where it was found by what the ledger says of earlier judgments, ``lost``
        where such a run is not at hand or has changed.

    Examples
    --------
    >>> made = [Outcome("trec8", "3f5a", "scored", "bm25", "added"),
    ...         Outcome("trec8", "3f5a", "scored", "ql", "unchanged")]
    >>> print(*AddedResults(tuple(made)).sentences())
    1 result was added to trec8, judgments 3f5a. 1 result was there already.
    """

    outcomes: tuple[Outcome, ...]

    def runs(self, outcome: str) -> tuple[str, ...]:
        """Return the runs with this outcome."""
        return tuple(result.run for result in self.outcomes if result.outcome == outcome)

    def columns(self) -> Columns:
        """Return one row per run."""
        names = ("collection", "version", "kind", "run", "outcome")
        return {name: [getattr(result, name) for result in self.outcomes] for name in names}

    def tables(self) -> tuple[Table, ...]:
        """Return one row per collection and version: how many runs have which outcome."""
        rows = [(o.collection, version_words(o.kind, o.version), o.outcome) for o in self.outcomes]
        cells = {
            name: [row[i] for row in dict.fromkeys(rows)]
            for i, name in enumerate(("collection", "results of", "outcome"))
        }
        return (table_of(cells | {"runs": [rows.count(row) for row in dict.fromkeys(rows)]}),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many results are new, and what became of runs of earlier judgments."""
        new, old, again, lost = map(self.runs, ("added", "unchanged", "rescored", "lost"))
        said = [f"{counted(len(new), 'result')} {_was(len(new))} added to {self._where()}."]
        if old:
            said.append(f"{counted(len(old), 'result')} {_was(len(old))} there already.")
        if again:
            some = counted(len(again), "run")
            said.append(f"{some} of earlier judgments {_was(len(again))} scored by these, too.")
        if lost:
            some, verb = counted(len(lost), "run"), are(len(lost))
            said.append(
                f"{some} of earlier judgments {verb} not at hand, or changed, and "
                f"{have(len(lost))} no scores by these: {named(lost, most=_NAMED)}."
            )
        return tuple(said)

    def _where(self) -> str:
        versions = dict.fromkeys((o.collection, o.kind, o.version) for o in self.outcomes)
        if len(versions) > 1:
            return counted(len(versions), "collection")
        collection, kind, version = next(iter(versions))
        return f"{collection}, {version_words(kind, version)}"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


@dataclass(frozen=True)
class Problem:
    """Something in a ledger that is not as it should be: where, and what."""

    path: str
    what: str


@finding
class LedgerCheck(Finding):
    """Whether a ledger is as it was written, and whether its scores come out again.

    Attributes
    ----------
    path : str
        The folder.
    files : int
        How many files were checked against their hashes.
    recomputed : int
        How many results were scored again from run and judgments.
    not_at_hand : int
        Results whose run or judgments are not at hand, so that only their hashes were checked.
    problems : tuple of Problem
        What is wrong, by file.

    Examples
    --------
    >>> check = LedgerCheck("results", 2, 1, 0, (Problem("results/a.json", "it was changed"),))
    >>> check.passed, check.sentences()[1]
    (False, 'results/a.json: it was changed.')
    """

    path: str
    files: int
    recomputed: int
    not_at_hand: int
    problems: tuple[Problem, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def columns(self) -> Columns:
        """Return one row per problem, or one that says there is none."""
        shown = self.problems or (Problem(self.path, ""),)
        return {
            "path": [problem.path for problem in shown],
            "problem": [problem.what for problem in shown],
            "files": [self.files] * len(shown),
            "recomputed": [self.recomputed] * len(shown),
            "not_at_hand": [self.not_at_hand] * len(shown),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per problem, or how much was checked where there is none."""
        columns = self.columns()
        if self.passed:
            return (record_of({name: columns[name] for name in ("files", *_CHECKED)}),)
        return (table_of({name: columns[name] for name in ("path", "problem")}),)

    def sentences(self) -> tuple[str, ...]:
        """Say how much is wrong and how much was checked, then what is wrong."""
        wrong = counted(len(self.problems), "problem")
        checked = f"{counted(self.files, 'file')} checked against their hashes"
        again = f"{counted(self.recomputed, 'result')} scored again"
        rest = f"{counted(self.not_at_hand, 'result')} without run or judgments at hand"
        return (
            f"The ledger {self.path} has {wrong}: {checked}, {again}, {rest}.",
            *(f"{problem.path}: {problem.what}." for problem in self.problems),
        )
