"""What a ledger has over the years: trends, and everything that its site shows."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from poolwise.errors import OptionError
from poolwise.findings.history._ledger_overview import CollectionResults, MeasuredRuns
from poolwise.findings.history._ranks import rank_runs
from poolwise.findings.history._trend import Years, published_gains
from poolwise.measures._measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.store._ledger_folder import LedgerFolder
from poolwise.words import counted, named
from poolwise.workflows._ledger_reading import VersionInHand, chosen_version

__all__ = [
    "collection_results",
    "scored_table",
    "tables_with_topics",
    "versions_in_hand",
    "years_of",
]


def versions_in_hand(folder: LedgerFolder, collection: str) -> list[VersionInHand]:
    """Return the versions of a collection, the newest last."""
    chosen_version(folder, collection)  # which says what there is, where it is not known
    return [VersionInHand.read(folder, version) for version in folder.versions(collection)]


def scored_table(
    folder: LedgerFolder, collection: str, measure: Measure
) -> tuple[VersionInHand, ScoreTable] | None:
    """Return the newest version of a collection with scores of topics by this measure."""
    for version in reversed(versions_in_hand(folder, collection)):
        if version.about.kind != "means only" and str(measure) in version.measures():
            return version, version.table(measure)
    return None


def tables_with_topics(
    folder: LedgerFolder, names: Sequence[str], measure: Measure, topics: set[str]
) -> tuple[dict[str, tuple[int | None, ScoreTable]], tuple[str, ...]]:
    """Return the tables with some of these topics, and what to say of other collections."""
    tables: dict[str, tuple[int | None, ScoreTable]] = {}
    odd: dict[str, list[str]] = {}
    for name in names:
        scored = scored_table(folder, name, measure)
        if scored is None:
            odd.setdefault(f"without scores of topics by {measure}", []).append(name)
        elif not topics & set(scored[1].topics):
            odd.setdefault("without a topic of the reference", []).append(name)
        else:
            tables[name] = (_year(scored[0]), scored[1])
    return tables, _left_out(odd)


def years_of(
    folder: LedgerFolder, names: Sequence[str], measure: Measure
) -> tuple[list[Years], tuple[str, ...]]:
    """Return the plain means of collections, and what to say of those without any."""
    years: list[Years] = []
    odd: dict[str, list[str]] = {}
    for name in names:
        having = [v for v in versions_in_hand(folder, name) if str(measure) in v.measures()]
        means = having[-1].means(measure) if having else {}
        if not means:
            odd.setdefault(f"without means by {measure}", []).append(name)
            continue
        if several := having[-1].ambiguous(measure):
            runs = f"{counted(len(several), 'run')} of {name}"
            odd.setdefault("with several means published under one name", []).append(runs)
        numbers, topics = np.array(list(means.values())), len(having[-1].about.topics)
        years.append(Years(name, _year(having[-1]), tuple(means), numbers, topics))
    return years, _left_out(odd)


def _year(version: VersionInHand) -> int | None:
    """Return the year of a collection: that of its original runs, or the first of all."""
    entries = [entry for entry in version.entries() if entry.year is not None]
    years = [entry.year for entry in entries if entry.original] or [entry.year for entry in entries]
    return min((year for year in years if year is not None), default=None)


def _left_out(odd: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say which collections or runs are not shown, and why: one sentence for each reason."""
    return tuple(f"{named(names, most=8)}, {why}" for why, names in odd.items())


def collection_results(version: VersionInHand, *, newest: bool) -> CollectionResults:
    """Return what the site shows of one version of a collection."""
    about = version.about
    return CollectionResults(
        collection=about.collection,
        version=about.version,
        kind=about.kind,
        newest=newest,
        topics=about.topics,
        source=about.file.path,
        path=str(version.folder.version_place(about.collection, about.version)),
        entries=version.entries(),
        metadata={record.run: record.metadata for record in version.records},
        measured=tuple(_measured(version, version.measure(name)) for name in version.measures()),
    )


def _measured(version: VersionInHand, measure: Measure) -> MeasuredRuns:
    means = version.means(measure)
    best_first = dict(sorted(means.items(), key=lambda item: (-item[1], item[0])))
    gains = None
    if any(entry.baseline in means for entry in version.entries() if entry.counts):
        with suppress(OptionError):  # no original run to measure by
            gains = published_gains(version.entries(), means, measure=measure)
    if version.about.kind == "means only":
        return MeasuredRuns(measure, best_first, gains=gains)
    table = version.table(measure)
    return MeasuredRuns(measure, best_first, table, rank_runs(table), gains)
