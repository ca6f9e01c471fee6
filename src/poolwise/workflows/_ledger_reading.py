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
    known = folder.versions(collection)
    if not known:
        have = named(folder.collections(), most=8) or "none yet"
        raise OptionError(
            f"collection: {collection!r} is not in {folder.path}. Hint: it has {have}."
        )
    if version:
        found = [one for one in known if one.version.startswith(version)]
        if len(found) != 1:
            which = "none begins" if not found else "several begin"
            raise OptionError(
                f"version: of {collection}, {which} with {version!r}. Hint: use one of "
                f"{named([one.version for one in known], most=8)}."
            )
        return found[0]
    for kind in ("scored", "scores only", "means only"):
        of_kind = [one for one in known if one.kind == kind]
        if of_kind:
            return of_kind[-1]
    return known[-1]


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
        return tuple(one for one in self.records if one.retracted is None)

    def path(self, record: ResultRecord) -> str:
        """Return the file of a result."""
        return str(self.folder.place(record.collection, record.version, record.run))

    def entries(self) -> tuple[Entry, ...]:
        """Return what the results are, retracted ones too."""
        return tuple(one.entry(self.path(one)) for one in self.records)

    def measures(self) -> list[str]:
        """Return the measures that any result has."""
        return list(dict.fromkeys(n for one in self.counting for n in (*one.scores, *one.means)))

    def measure(self, name: str = "") -> Measure:
        """Return the measure that is asked for, by default the first; it must be there."""
        known = self.measures()
        if not known:
            raise OptionError(f"collection: no result of {self.words} counts. Hint: add some.")
        wanted = str(measure_named(name or known[0]))
        if wanted not in known:
            raise OptionError(
                f"measure: {self.words} has no scores by {wanted}. Hint: use one of "
                f"{named(known, most=8)}."
            )
        return measure_named(wanted)

    def means(self, measure: Measure) -> dict[str, float]:
        """Return the mean of each run; several published ones of a run are none."""
        name = str(measure)
        if self.about.kind != "means only":
            table = self.table(measure)
            return dict(zip(table.systems, table.means().tolist(), strict=True))
        return {one.run: one.means[name][0] for one in self.counting
                if len(one.means.get(name, ())) == 1}  # fmt: skip

    def ambiguous(self, measure: Measure) -> list[str]:
        """Return the runs for which several means were published under one name."""
        return [one.run for one in self.counting if len(one.means.get(str(measure), ())) > 1]

    def table(self, measure: Measure) -> ScoreTable:
        """Return the scores of the runs that have them by this measure, each topic in its place."""
        if self.about.kind == "means only":
            raise OptionError(
                f"collection: of {self.words}, only means are known, which are never tested. Hint: "
                "use context or trend, or add scores by topic."
            )
        name = str(measure)
        having = [one for one in self.counting if name in one.scores]
        for one in having:
            self._require_topics(one, one.scores[name])
        kept = [one.scores[name] for one in having]
        self._require_same_version(having, name)
        value = np.array([scores.value for scores in kept])
        self._require_same_undefined(having, value)
        has_range = all(scores.lower for scores in kept)
        lower = np.array([scores.lower for scores in kept]) if has_range else value
        upper = np.array([scores.upper for scores in kept]) if has_range else value
        scope = RangeScope("exact", _OWN, self.about.grades) if has_range else NO_SCOPE
        table = ScoreTable.from_matrix(
            value, systems=[one.run for one in having], topics=self.about.topics, measure=measure
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
        lacks = [set(one.missing) for one in records]
        return np.array([[t not in gone for t in self.about.topics] for gone in lacks], np.bool_)

    def _provenance(self, records: Sequence[ResultRecord]) -> Provenance:
        known = self.about.kind == "scored"
        return Provenance(
            judgments=Source(self.words, hashed=self.about.content),
            runs=tuple(Source(self.path(one), hashed=digest(one.to_bytes())) for one in records),
            tie_rule=self.about.ties if known else OF_SCORES,
            topic_rule="judged" if known else "matrix",
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
        for one in records[1:]:
            old, new = records[0].scores[name].version, one.scores[name].version
            if old != new:
                rule = f"scores of other versions of a measure must not be mixed: {old} elsewhere"
                remedy = "score the run by the same version"
                raise InputError(self.path(one), rule, value=new, remedy=remedy)

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
        by_run = {one.run: one.scores[name] for one in self.counting if name in one.scores}
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
        found = compare_scores(table, baseline=tuple(baseline), correction=correction, alpha=alpha)
        place = {run: s for s, run in enumerate(every.systems)}
        at = np.array([place[run] for run in table.systems])
        pairs = Pairs(at[found.pairs.left], at[found.pairs.right], found.pairs.family)
        ranges = self.valid_bounds(measure, pairs)
        if ranges is None:
            return found
        nothing = np.full(len(found), np.nan)
        verdict = verdicts_of(ranges.low, ranges.high, table.tolerance)
        return replace(found, bounds=PairBounds(ranges, verdict, nothing, nothing))


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
        found = Reading(ties=about.ties).judgments(path, grades=_declared(about))
        return found if content_of(found) == about.content else None

    def runs(self, records: Iterable[ResultRecord], ties: str) -> Runs | None:
        """Read the runs that are at hand, under the names of the ledger."""
        wanted: dict[str, list[str]] = {}
        for one in records:
            if path := self.find(one.file):
                wanted.setdefault(path, []).append(one.run)
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
        found: dict[str, JudgedRange] = {}
        wanted = [other for other in others if other != run]
        table = version.table(measure)
        place = {name: s for s, name in enumerate(table.systems)}
        at, over = np.full(len(wanted), place[run]), np.array([place[n] for n in wanted], np.intp)
        ranges = version.valid_bounds(measure, Pairs(at, over, run)) if wanted else None
        if ranges is not None:
            ends = zip(wanted, ranges.low.tolist(), ranges.high.tolist(), strict=True)
            found = {name: JudgedRange(low, high, "valid") for name, low, high in ends}
        return found | self._exact(version, measure, run, wanted)

    def _exact(
        self, version: VersionInHand, measure: Measure, run: str, others: Sequence[str]
    ) -> dict[str, JudgedRange]:
        named_runs = {run, *others}
        records = [one for one in version.counting if one.run in named_runs]
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
    found: dict[str, str] = {}
    for system, path in zip(runs.systems, paths, strict=False):
        known = wanted.get(path, ())
        if system in known:
            found[system] = system
        elif known and paths.count(path) == 1:
            found[system] = known[0]
    return found


def _declared(about: VersionRecord) -> tuple[float, ...]:
    """Return the scale, which may have been declared and not be seen in the judgments."""
    return tuple(grade for grade in about.grades if grade >= 0)
