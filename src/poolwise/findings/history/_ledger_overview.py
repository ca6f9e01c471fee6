"""A whole ledger, put together for its site: ranks by collection and measure, and trends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from poolwise.findings.history._entries import Entry, version_words
from poolwise.findings.history._ranks import RankIntervals
from poolwise.findings.history._trend import PublishedGains, Trend
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["CollectionResults", "LedgerOverview", "MeasuredRuns"]


@dataclass(frozen=True)
class MeasuredRuns:
    """The runs of a collection by one measure.

    Attributes
    ----------
    means : mapping from str to float
        The mean of each run that counts, the best first.
    table, ranks : ScoreTable, RankIntervals, optional
        Their scores by topic and their ranks; None where only means are known.
    gains : PublishedGains, optional
        Published improvements; None where no run names a baseline.
    """

    measure: Measure
    means: Mapping[str, float]
    table: ScoreTable | None = None
    ranks: RankIntervals | None = None
    gains: PublishedGains | None = None


@dataclass(frozen=True)
class CollectionResults:
    """The results of one version of a collection.

    Attributes
    ----------
    newest : bool
        Whether it is the version that a reader is shown first.
    topics : tuple of str
        Its topics; none where only means are known.
    source : str
        The file of the judgments, or of the scores.
    path : str
        The file of the ledger about this version.
    entries : tuple of Entry
        Its results, retracted ones too.
    metadata : mapping from str to mapping
        What else is known of each run.
    measured : tuple of MeasuredRuns
        The runs by each measure.
    """

    collection: str
    version: str
    kind: str
    newest: bool
    topics: tuple[str, ...]
    source: str
    path: str
    entries: tuple[Entry, ...]
    metadata: Mapping[str, Mapping[str, Any]]
    measured: tuple[MeasuredRuns, ...]

    @property
    def words(self) -> str:
        """What the results are of."""
        return version_words(self.kind, self.version)


@finding
class LedgerOverview(Finding):
    """Everything that the site of a ledger shows.

    Attributes
    ----------
    path : str
        The folder of the ledger.
    collections : tuple of CollectionResults
        Its collections and their versions.
    trends : tuple of Trend
        Scores over the years.
    files : mapping from str to bytes
        The files of the ledger by their paths in it, which the site holds as they are.

    Examples
    --------
    >>> LedgerOverview("results", ()).sentences()
    ('The ledger results holds 0 results in 0 collections.',)
    """

    path: str
    collections: tuple[CollectionResults, ...]
    trends: tuple[Trend, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    def columns(self) -> Columns:
        """Return one row per collection, version and measure."""
        rows = [(held, of) for held in self.collections for of in held.measured]
        best = [next(iter(of.means.items()), ("", float("nan"))) for _, of in rows]
        return {
            "collection": [held.collection for held, _ in rows],
            "version": [held.version for held, _ in rows],
            "kind": [held.kind for held, _ in rows],
            "measure": [str(of.measure) for _, of in rows],
            "runs": [len(of.means) for _, of in rows],
            "topics": [len(held.topics) for held, _ in rows],
            "best": [run for run, _ in best],
            "mean": [mean for _, mean in best],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per collection, version and measure."""
        return (table_of(self.columns(), title=f"Ledger {self.path}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say how much the ledger holds."""
        results = counted(sum(len(held.entries) for held in self.collections), "result")
        names = len({held.collection for held in self.collections})
        return (f"The ledger {self.path} holds {results} in {counted(names, 'collection')}.",)
