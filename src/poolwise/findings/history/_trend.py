"""Scores over years: of whole collections by one set of reference runs, and published gains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Floats, spread
from poolwise.errors import OptionError
from poolwise.findings.history._entries import Entry
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import StandardizationFactors, standardize
from poolwise.scores.cards._card import CollectionCard
from poolwise.words import counted, named

__all__ = [
    "PublishedGains",
    "Trend",
    "Years",
    "factors_of_cards",
    "published_gains",
    "trend_by_factors",
    "trend_by_reference",
    "trend_of_means",
]

_SPREAD = ("lowest", "quarter", "median", "three_quarters", "highest")
_OTHER_REFERENCES = (
    "Where the years go depends on the reference runs. W10's figure 8.2 has others (17 "
    "configurations of five public systems) and automatic runs only, and shows no rise from TREC 3 "
    "to 8; manual runs count here, and the descriptions of TREC 6's topics lack words of their "
    "titles. Both are facts, and neither is a verdict."
)


@dataclass(frozen=True)
class Years:
    """One collection: its year, what its runs score, and which is the best.

    Attributes
    ----------
    runs : tuple of str
        The runs that count.
    means : float array, runs
        Their means, standardized or not.
    topics : int
        Topics behind the means; 0 where only means are known.
    """

    collection: str
    year: int | None
    runs: tuple[str, ...]
    means: Floats
    topics: int = 0

    @property
    def best(self) -> str:
        """The run with the highest mean."""
        return self.runs[int(np.argmax(self.means))]


@finding
class Trend(Finding):
    """What the runs of each year score, as five numbers (W10 fig. 8.2).

    Attributes
    ----------
    measure : Measure
        What the runs are scored by: a standardized measure, where there are reference runs.
    years : tuple of Years
        The collections, the oldest first.
    reference : str
        The collection whose runs all scores are standardized by; empty for plain means.
    reference_runs : int
        How many runs it has.
    left_out : tuple of str
        Collections that have scores by the measure, and why they are not here.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> trend = trend_by_reference({"old": (1997, table)}, "later", table)
    >>> trend.measure, [round(x, 3) for x in trend.columns()["median"]]
    (sAP:normal, [0.472])
    """

    measure: Measure
    years: tuple[Years, ...]
    reference: str = ""
    reference_runs: int = 0
    left_out: tuple[str, ...] = ()

    def columns(self) -> Columns:
        """Return one row per collection, the oldest first."""
        numbers = [
            {name: float(x) for name, x in spread(edition.means).items()} for edition in self.years
        ]
        return {
            "collection": [edition.collection for edition in self.years],
            "year": [edition.year for edition in self.years],
            "measure": [str(self.measure)] * len(self.years),
            "runs": [len(edition.runs) for edition in self.years],
            "topics": [edition.topics for edition in self.years],
            **{name: [row[name] for row in numbers] for name in _SPREAD},
            "best": [edition.best for edition in self.years],
            "reference": [self.reference] * len(self.years),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per collection."""
        columns = self.columns()
        shown = {name: columns[name] for name in ("collection", "year", "runs", *_SPREAD, "best")}
        by = f", by {self.reference}" if self.reference else ""
        return (table_of(shown, title=f"{self.measure} over years{by}", digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say what the medians are, and what they are relative to."""
        rows = self.columns()
        medians = [
            f"{name} {median:.3f}"
            for name, median in zip(rows["collection"], rows["median"], strict=True)
        ]
        return (
            f"Median {self.measure}: {named(medians, most=12)}.",
            *self._about(),
            *(f"Left out: {said}." for said in self.left_out),
        )

    def _about(self) -> tuple[str, ...]:
        if not self.reference:
            return (
                (
                    "Means of different topics are not comparable: a year with harder topics has "
                    "lower ones. Nothing is tested here."
                ),
            )
        runs = counted(self.reference_runs, "run")
        return (
            (
                f"All scores are standardized by the same {runs} of {self.reference} on the same "
                "topics, with two virtual runs that score 0 and 1, and mapped to the normal."
            ),
            _OTHER_REFERENCES,
        )


@recorded
def trend_by_reference(
    tables: Mapping[str, tuple[int | None, ScoreTable]],
    reference: str,
    reference_table: ScoreTable,
    *,
    smoothing: str = "extremes",
    mapping: str = "normal",
    left_out: Sequence[str] = (),
) -> Trend:
    """Standardize the runs of several collections by one set of reference runs (W10 §8.2.1).

    With the own runs of each year as its reference, every mean would be 0.

    Parameters
    ----------
    tables
        The year and the scores of each collection. Topics that the reference runs lack are left
        out.
    reference
        The collection that the reference runs are of.
    reference_table
        Their scores on all those topics.
    smoothing, mapping
        As for :func:`~poolwise.standardize`.
    left_out
        What to say of collections that are not among the tables.

    Returns
    -------
    Trend
        The five numbers of each year.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> trend_by_reference({"c": (1997, table)}, "c", table, mapping="none").measure
    sAP
    """
    factors = StandardizationFactors.from_table(reference_table)
    return trend_by_factors(
        tables, reference, factors, smoothing=smoothing, mapping=mapping, left_out=left_out
    )


def trend_by_factors(
    tables: Mapping[str, tuple[int | None, ScoreTable]],
    reference: str,
    factors: StandardizationFactors,
    *,
    smoothing: str,
    mapping: str,
    left_out: Sequence[str],
) -> Trend:
    """Standardize the runs of several collections by factors of their topics.

    ``reference`` says whose they are.
    """
    years, with_factors = [], set(factors.topics)
    for name, (year, table) in tables.items():
        shared = tuple(topic for topic in table.topics if topic in with_factors)
        if not shared:
            raise OptionError(
                f"reference: {reference} has no topic of {name}. Hint: choose collections with "
                f"topics of {reference}."
            )
        scores = standardize(
            table.select(topics=shared), factors, smoothing=smoothing, mapping=mapping
        )
        topics = int(scores.defined.sum())
        years.append(Years(name, year, scores.systems, scores.means(), topics))
        measure, origin = scores.measure, scores.provenance
    return Trend(
        measure,
        _by_year(years),
        reference,
        factors.references,
        tuple(left_out),
        provenance=origin,
    )


def factors_of_cards(cards: Sequence[CollectionCard], measure: Measure) -> StandardizationFactors:
    """Put the factors of several cards together: of the same reference runs, on other topics."""
    parts = [card.of(measure).factors for card in cards]
    topics = tuple(topic for part in parts for topic in part.topics)
    if len(set(topics)) < len(topics):
        raise OptionError(
            "card: two cards have the same topic. Hint: give one card for each collection."
        )
    if len({frozenset(card.references) for card in cards}) > 1:
        raise OptionError(
            "card: the cards have different reference runs, by which levels cannot be compared. "
            "Hint: make them by the same runs (card make --reference)."
        )
    return replace(
        parts[0].with_ddof(0),
        topics=topics,
        mean=np.concatenate([part.mean for part in parts]),
        deviation=np.concatenate([part.with_ddof(0).deviation for part in parts]),
    )


@recorded
def trend_of_means(
    measure: Measure, years: Sequence[Years], *, left_out: Sequence[str] = ()
) -> Trend:
    """Put plain means in the order of years: they are not comparable, and nothing is tested.

    Parameters
    ----------
    measure
        What the means are of.
    years
        The collections.
    left_out
        What to say of collections that are not among them.

    Returns
    -------
    Trend
        The five numbers of each year.

    Examples
    --------
    >>> import poolwise as pw
    >>> years = [Years("c", 1999, ("a", "b"), np.array([0.25, 0.75]))]
    >>> trend_of_means(pw.AP, years).sentences()[0]
    'Median AP: c 0.500.'
    """
    return Trend(measure, _by_year(years), left_out=tuple(left_out), provenance=WITHOUT_FILES)


def _by_year(years: Sequence[Years]) -> tuple[Years, ...]:
    return tuple(sorted(years, key=lambda edition: (edition.year or 0, edition.collection)))


@finding
class PublishedGains(Finding):
    """What was published on one collection: baselines and improved runs by year (W10 fig. 8.4).

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    collection : str
        The collection.
    pairs : tuple of tuple
        Year, baseline, its mean, improved run and its mean, the oldest first.
    originals : float array
        The means of the original runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = {"year": 2005, "baseline": "old", "kind": "scored"}
    >>> entries = [Entry("c", "3f5a", "old", "scored", 1999, original=True),
    ...            Entry("c", "3f5a", "top", "scored", 1999, original=True),
    ...            Entry("c", "3f5a", "new", **made)]
    >>> gains = published_gains(entries, {"old": 0.2, "new": 0.25, "top": 0.3}, measure=pw.AP)
    >>> gains.sentences()[0]
    '1 improvement was published on c: 1 of the baselines is below the median of the 2 original
    runs, and 0 improved runs beat the best of them (0.3000).'
    """

    measure: Measure
    collection: str
    pairs: tuple[tuple[int | None, str, float, str, float], ...]
    originals: Floats

    def marks(self) -> dict[str, float]:
        """Return the means that others are measured by: best, third quartile, median."""
        quantiles = spread(self.originals)
        names = {
            "best original": "highest",
            "third quartile": "three_quarters",
            "median": "median",
        }
        return {title: float(quantiles[name]) for title, name in names.items()}

    def columns(self) -> Columns:
        """Return one row per pair of a baseline and an improved run."""
        names = ("year", "baseline", "baseline_mean", "run", "mean")
        marks = {
            title.replace(" ", "_"): [number] * len(self.pairs)
            for title, number in self.marks().items()
        }
        return {
            "collection": [self.collection] * len(self.pairs),
            "measure": [str(self.measure)] * len(self.pairs),
            **{name: [pair[i] for pair in self.pairs] for i, name in enumerate(names)},
            **marks,
            "original_runs": [len(self.originals)] * len(self.pairs),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how many baselines are weak, and how many runs beat the best original one."""
        marks = self.marks()
        weak = sum(pair[2] < marks["median"] for pair in self.pairs)
        ahead = sum(pair[4] > marks["best original"] for pair in self.pairs)
        were = "was" if len(self.pairs) == 1 else "were"
        made = f"{counted(len(self.pairs), 'improvement')} {were} published on {self.collection}"
        return (
            (
                f"{made}: "
                f"{weak} of the baselines {'is' if weak == 1 else 'are'} below the median of the "
                f"{counted(len(self.originals), 'original run')}, and "
                f"{counted(ahead, 'improved run')} {'beats' if ahead == 1 else 'beat'} the best of "
                f"them ({marks['best original']:.4f})."
            ),
        )


@recorded
def published_gains(
    entries: Sequence[Entry], means: Mapping[str, float], *, measure: Measure
) -> PublishedGains:
    """Put the runs that name a baseline beside it, and beside the original runs.

    Parameters
    ----------
    entries
        The results of one version of a collection.
    means
        The mean of each run.

    Returns
    -------
    PublishedGains
        Pairs by year, and the means of the original runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> published_gains([Entry("c", "3f5a", "a", "scored")], {"a": 0.1}, measure=pw.AP)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: collection: no run of it names a baseline. Hint: add published
    results with --baseline.
    """
    by_run = {entry.run: entry for entry in entries if entry.counts and entry.run in means}
    made = [entry for entry in by_run.values() if entry.baseline in by_run]
    original = [means[entry.run] for entry in by_run.values() if entry.original]
    if not made or not original:
        lacks = "no run of it names a baseline" if not made else "no run of it is original"
        hint = "--baseline" if not made else "--original"
        raise OptionError(f"collection: {lacks}. Hint: add published results with {hint}.")
    pairs = [
        (
            entry.year,
            entry.baseline,
            float(means[entry.baseline]),
            entry.run,
            float(means[entry.run]),
        )
        for entry in made
    ]
    return PublishedGains(
        measure,
        made[0].collection,
        tuple(sorted(pairs, key=lambda pair: (pair[0] or 0, pair[3]))),
        np.array(original),
        provenance=WITHOUT_FILES,
    )
