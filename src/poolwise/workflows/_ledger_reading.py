"""From the records of a ledger to tables of scores, and to runs that are still at hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import InputError, OptionError
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.findings.comparison._compare import compare_evidence, compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import verdicts_of
from poolwise.findings.comparison._over_judgments import PairBounds
from poolwise.findings.history._context import JudgedRange
from poolwise.findings.history._entries import Entry, version_words
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.measures._ranges import NO_SCOPE, RangeScope
from poolwise.provenance._provenance import OF_SCORES, Provenance, Source
from poolwise.results._records import digest
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty, mean_range
from poolwise.store._ledger_folder import LedgerFolder
from poolwise.store._ledger_records import FileRef, MeasuredScores, ResultRecord, VersionRecord
from poolwise.words import counted, named
from poolwise.workflows._ledger_adding import content_of

__all__ = ["FilesAtHand", "VersionInHand", "chosen_version"]

_OWN = "the unjudged documents of the run itself"


def chosen_version(folder: LedgerFolder, collection: str, version: str = "") -> VersionRecord:
    """Return the version that is asked for, by its first digits; by default the newest.

    Judgments go before score matrices, and these before means.
    """
    versions = folder.versions(collection)
    if not versions:
        have = named(folder.collections(), most=8) or "none yet"
        raise OptionError(
            f"collection: {collection!r} is not in {folder.path}. Hint: it has {have}."
        )
    if version:
        matching = [record for record in versions if record.version.startswith(version)]
        if len(matching) != 1:
            which = "none begins" if not matching else "several begin"
            raise OptionError(
                f"version: of {collection}, {which} with {version!r}. Hint: use one of "
                f"{named([record.version for record in versions], most=8)}."
            )
        return matching[0]
    for kind in ("scored", "scores only", "means only"):
        of_kind = [record for record in versions if record.kind == kind]
        if of_kind:
            return of_kind[-1]
    return versions[-1]


@dataclass(frozen=True)
class VersionInHand:
    """The results of one version of a collection that count, read and checked."""

    folder: LedgerFolder
    about: VersionRecord
    records: tuple[ResultRecord, ...]

    @classmethod
    def read(cls, folder: LedgerFolder, about: VersionRecord) -> "VersionInHand":
        """Read all results of a version."""
        return cls(folder, about, tuple(folder.results(about.collection, about.version)))

    @property
    def words(self) -> str:
        """What the results are of."""
        about = self.about
        return f"{about.collection}, {version_words(about.kind, about.version)}"

    @cached_property
    def counting(self) -> tuple[ResultRecord, ...]:
        """The results that were not retracted."""
        return tuple(record for record in self.records if record.retracted is None)

    def path(self, record: ResultRecord) -> str:
        """Return the file of a result."""
        return str(self.folder.place(record.collection, record.version, record.run))

    def entries(self) -> tuple[Entry, ...]:
        """Return what the results are, retracted ones too."""
        return tuple(record.entry(self.path(record)) for record in self.records)

    def measures(self) -> list[str]:
        """Return the measures that any result has."""
        return list(
            dict.fromkeys(n for record in self.counting for n in (*record.scores, *record.means))
        )

    def measure(self, name: str = "") -> Measure:
        """Return the measure that is asked for, by default the first; it must be there."""
        measures = self.measures()
        if not measures:
            raise OptionError(f"collection: no result of {self.words} counts. Hint: add some.")
        wanted = str(measure_named(name or measures[0]))
        if wanted not in measures:
            raise OptionError(
                f"measure: {self.words} has no scores by {wanted}. Hint: use one of "
                f"{named(measures, most=8)}."
            )
        return measure_named(wanted)

    def means(self, measure: Measure) -> dict[str, float]:
        """Return the mean of each run; several published ones of a run are none."""
        name = str(measure)
        if self.about.kind != "means only":
            table = self.table(measure)
            return dict(zip(table.systems, table.means().tolist(), strict=True))
        return {record.run: record.means[name][0] for record in self.counting
                if len(record.means.get(name, ())) == 1}  # fmt: skip

    def ambiguous(self, measure: Measure) -> list[str]:
        """Return the runs for which several means were published under one name."""
        return [
            record.run for record in self.counting if len(record.means.get(str(measure), ())) > 1
        ]

    def table(self, measure: Measure) -> ScoreTable:
        """Return the scores of the runs that have them by this measure, each topic in its place."""
        if self.about.kind == "means only":
            raise OptionError(
                f"collection: of {self.words}, only means are known, which are never tested. Hint: "
                "use context or trend, or add scores by topic."
            )
        name = str(measure)
        having = [record for record in self.counting if name in record.scores]
        for record in having:
            self._require_topics(record, record.scores[name])
        kept = [record.scores[name] for record in having]
        self._require_same_version(having, name)
        value = np.array([scores.value for scores in kept])
        self._require_same_undefined(having, value)
        has_range = all(scores.lower for scores in kept)
        lower = np.array([scores.lower for scores in kept]) if has_range else value
        upper = np.array([scores.upper for scores in kept]) if has_range else value
        scope = RangeScope("exact", _OWN, self.about.grades) if has_range else NO_SCOPE
        table = ScoreTable.from_matrix(
            value,
            systems=[record.run for record in having],
            topics=self.about.topics,
            measure=measure,
        )
        return replace(
            table,
            lower=lower,
            upper=upper,
            scope=scope,
            answered=self._answered(having),
            undefined="the measure is undefined there" if has_range else "",
            provenance=self._provenance(having),
        )

    def _answered(self, records: Sequence[ResultRecord]) -> Booleans:
        lacks = [set(record.missing) for record in records]
        return np.array([[t not in gone for t in self.about.topics] for gone in lacks], np.bool_)

    def _provenance(self, records: Sequence[ResultRecord]) -> Provenance:
        is_scored = self.about.kind == "scored"
        return Provenance(
            judgments=Source(self.words, hashed=self.about.content),
            runs=tuple(
                Source(self.path(record), hashed=digest(record.to_bytes())) for record in records
            ),
            tie_rule=self.about.ties if is_scored else OF_SCORES,
            topic_rule="judged" if is_scored else "matrix",
        ).with_options(version=self.about.version)

    def _require_topics(self, record: ResultRecord, scores: MeasuredScores) -> None:
        needed = len(self.about.topics)
        for numbers in (scores.value, scores.lower, scores.upper, scores.least):
            if len(numbers) not in (needed, 0 if numbers is not scores.value else needed):
                first = next(iter(self.about.topics[len(numbers) :]), None)
                lacks = f", and topic {first} is missing" if first is not None else ""
                raise InputError(
                    self.path(record),
                    f"a result must have a score for each of {counted(needed, 'topic')}{lacks}",
                    value=len(numbers),
                    remedy="restore the file from git, or add the run again",
                )

    def _require_same_version(self, records: Sequence[ResultRecord], name: str) -> None:
        """Raise where one file has another version of a measure than the others."""
        for record in records[1:]:
            old, new = records[0].scores[name].version, record.scores[name].version
            if old != new:
                rule = f"scores of other versions of a measure must not be mixed: {old} elsewhere"
                remedy = "score the run by the same version"
                raise InputError(self.path(record), rule, value=new, remedy=remedy)

    def _require_same_undefined(self, records: Sequence[ResultRecord], value: Floats) -> None:
        """Raise where a run lacks a score that another has: never a rank from fewer topics."""
        undefined = np.isnan(value)
        rows, topics = np.nonzero(undefined & ~undefined.all(axis=0))
        if len(rows):
            raise InputError(
                self.path(records[int(rows[0])]),
                f"a result must have a score for each topic that others have, and topic "
                f"{self.about.topics[int(topics[0])]} is missing",
                remedy="add the run again with all topics",
            )

    def valid_bounds(self, measure: Measure, pairs: Pairs) -> Uncertainty | None:
        """Return ranges of differences that hold whichever documents the two runs share.

        Without rankings nobody knows which of one run's documents the other has, or which of these
        would raise its ideal: the lower ends of both are over any document.
        """
        table, name = self.table(measure), str(measure)
        if table.scope.kind == "none":
            return None
        by_run = {
            record.run: record.scores[name] for record in self.counting if name in record.scores
        }
        least = np.array([by_run[run].least or by_run[run].lower for run in table.systems])
        left, right = pairs.left, pairs.right
        value = table.value[left] - table.value[right]
        low = least[left] - table.upper[right]
        high = table.upper[left] - least[right]
        ends = [mean_range(value[[i]], low[[i]], high[[i]]) for i in range(len(pairs))]
        lows, highs = (np.array([end[which][0] for end in ends]) for which in (0, 1))
        return Uncertainty("judgments", lows, highs, kind="valid", scope=_PAIR)

    def compared(
        self,
        measure: Measure,
        baseline: Sequence[str],
        runs: Sequence[str],
        *,
        correction: str,
        alpha: float,
    ) -> Comparisons:
        """Compare runs by their scores, with what their stored ranges leave of each difference."""
        every = self.table(measure)
        table = every.select(runs) if runs else every
        comparisons = compare_scores(
            table, baseline=tuple(baseline), correction=correction, alpha=alpha
        )
        place = {run: s for s, run in enumerate(every.systems)}
        at = np.array([place[run] for run in table.systems])
        pairs = Pairs(
            at[comparisons.pairs.left], at[comparisons.pairs.right], comparisons.pairs.family
        )
        ranges = self.valid_bounds(measure, pairs)
        if ranges is None:
            return comparisons
        nothing = np.full(len(comparisons), np.nan)
        verdict = verdicts_of(ranges.low, ranges.high, table.tolerance)
        return replace(comparisons, bounds=PairBounds(ranges, verdict, nothing, nothing))


_PAIR = RangeScope("valid", "any unjudged document, since the rankings are not at hand")


@dataclass(frozen=True)
class FilesAtHand:
    """Runs and judgments that the records of a ledger name, where they are still the same.

    Attributes
    ----------
    folders : tuple of Path
        Where to look, beside the places that the records name.
    """

    folder: LedgerFolder
    folders: tuple[Path, ...] = ()

    def find(self, ref: FileRef) -> str:
        """Return where a file with this hash is; empty where it is not at hand."""
        if not ref.path or not ref.sha256:
            return ""
        name = Path(ref.path).name
        for place in (self.folder.path / ref.path, *(folder / name for folder in self.folders)):
            if place.is_file() and Source.of_file(str(place)).sha256 == ref.sha256:
                return str(place)
        return ""

    def judgments(self, about: VersionRecord) -> Judgments | None:
        """Read the judgments of a version, if they are at hand and the same."""
        path = self.find(about.file)
        if about.kind != "scored" or not path:
            return None
        judgments = Reading(ties=about.ties).judgments(path, grades=_declared(about))
        return judgments if content_of(judgments) == about.content else None

    def runs(self, records: Iterable[ResultRecord], ties: str) -> Runs | None:
        """Read the runs that are at hand, under the names of the ledger."""
        wanted: dict[str, list[str]] = {}
        for record in records:
            if path := self.find(record.file):
                wanted.setdefault(path, []).append(record.run)
        if not wanted:
            return None
        read = Reading(ties=ties).runs(list(wanted))
        names = _ledger_names(read, wanted)
        if not names:
            return None
        return replace(read.select(list(names)), systems=tuple(names.values()))

    def evidence(self, about: VersionRecord, records: Sequence[ResultRecord]) -> Evidence | None:
        """Return runs of a version met with its judgments, as far as they are at hand."""
        judgments = self.judgments(about)
        runs = None if judgments is None else self.runs(records, about.ties)
        if judgments is None or runs is None:
            return None
        return align(judgments, runs, topics=about.topics)

    def judged_ranges(
        self, version: VersionInHand, measure: Measure, run: str, others: Sequence[str]
    ) -> dict[str, JudgedRange]:
        """Return the range over judgments of a run's difference from each of some others.

        Exact where both rankings are at hand, else as the stored ranges leave it.
        """
        by_run: dict[str, JudgedRange] = {}
        wanted = [other for other in others if other != run]
        table = version.table(measure)
        place = {name: s for s, name in enumerate(table.systems)}
        at, over = np.full(len(wanted), place[run]), np.array([place[n] for n in wanted], np.intp)
        ranges = version.valid_bounds(measure, Pairs(at, over, run)) if wanted else None
        if ranges is not None:
            ends = zip(wanted, ranges.low.tolist(), ranges.high.tolist(), strict=True)
            by_run = {name: JudgedRange(low, high, "valid") for name, low, high in ends}
        return by_run | self._exact(version, measure, run, wanted)

    def _exact(
        self, version: VersionInHand, measure: Measure, run: str, others: Sequence[str]
    ) -> dict[str, JudgedRange]:
        named_runs = {run, *others}
        records = [record for record in version.counting if record.run in named_runs]
        evidence = self.evidence(version.about, records)
        if evidence is None or run not in evidence.systems or len(evidence.systems) == 1:
            return {}
        pairs = compare_evidence(evidence, measure, baseline=run, draws=0, universe="run")
        ranges = pairs.over("judgments")
        if not len(ranges.low) or not ranges.known.any():
            return {}
        # Each other run is on the left, and this one on the right.
        return {
            str(name): JudgedRange(0 - high, 0 - low, str(ranges.kind))
            for name, low, high in zip(
                pairs.a, ranges.low.tolist(), ranges.high.tolist(), strict=True
            )
        }


def _ledger_names(runs: Runs, wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return what the ledger calls each run that was read: a file may hold one, or several."""
    paths = [source.path for source in runs.sources]
    names: dict[str, str] = {}
    for system, path in zip(runs.systems, paths, strict=False):
        expected = wanted.get(path, ())
        if system in expected:
            names[system] = system
        elif expected and paths.count(path) == 1:
            names[system] = expected[0]
    return names


def _declared(about: VersionRecord) -> tuple[float, ...]:
    """Return the scale, which may have been declared and not be seen in the judgments."""
    return tuple(grade for grade in about.grades if grade >= 0)
