"""From runs, score matrices and published means to the records of a ledger."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import is_stored, named_rows
from poolwise.collection.files._writers import qrels_bytes
from poolwise.collection.formats._run_headers import known_metadata, run_header
from poolwise.errors import InputError, OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.findings.history._entries import Outcome
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Source
from poolwise.results._records import digest, numbers_digest
from poolwise.scores._published_means import PublishedMean
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score_all
from poolwise.store._ledger_folder import LedgerFolder
from poolwise.store._ledger_records import (
    Added,
    FileRef,
    MeasuredScores,
    ResultRecord,
    VersionRecord,
    full_name,
)
from poolwise.words import counted, named

__all__ = [
    "DIGITS",
    "Telling",
    "content_of",
    "judged_version",
    "mean_records",
    "read_metadata",
    "save",
    "score_records",
    "scored_records",
    "scores_version",
]

DIGITS = 12
"""Of a hash, in the name of a version's folder."""


@dataclass(frozen=True)
class Telling:
    """What whoever adds results says of them.

    Attributes
    ----------
    added : Added
        Who adds them, and when.
    metadata : mapping from str
        What holds for all runs.
    by_run : mapping from str to mapping
        What holds for single runs, and goes before.
    """

    added: Added
    metadata: Mapping[str, Any]
    by_run: Mapping[str, Mapping[str, Any]]

    def of(self, run: str, header: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the metadata of a run; what was said goes before what its file says."""
        metadata = {**(header or {}), **self.metadata, **self.by_run.get(run, {})}
        return {name: metadata[name] for name in sorted(metadata)}


def read_metadata(source: Any) -> dict[str, dict[str, Any]]:
    r"""Return what a table says of each run: a dict, or a file with a header and a column ``run``.

    Examples
    --------
    >>> read_metadata({"bm25": {"type": "automatic", "year": "1999", "note": ""}})
    {'bm25': {'year': 1999, 'automatic': True}}
    """
    if source is None:
        return {}
    if isinstance(source, Mapping):
        return {run: _typed(row, f"metadata of {run}") for run, row in source.items()}
    by_run: dict[str, dict[str, Any]] = {}
    for where, row in named_rows(source, ["run"]):
        run = row.pop("run")
        if not run or run in by_run:
            rule = "a table of metadata must have one line for each run"
            raise InputError(where, rule, value=run, remedy="keep one of them")
        by_run[run] = _typed(row, where)
    return by_run


_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_TYPES = {"automatic": True, "auto": True, "manual": False}


def _typed(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return metadata with a year as a number, and yes or no where that is meant."""
    metadata = {name: value for name, value in row.items() if name and value not in (None, "")}
    kind = str(metadata.pop("type", "")).lower()
    if kind in _TYPES:
        metadata["automatic"] = _TYPES[kind]
    elif kind:
        metadata["type"] = kind
    for name in ("original", "automatic"):
        if str(metadata.get(name, "")).lower() in _YES:
            metadata[name] = _YES[str(metadata[name]).lower()]
    if "year" in metadata and not str(metadata["year"]).isdecimal():
        raise InputError(where, "a year must be a whole number", value=metadata["year"],
                         remedy="correct it, or leave it empty")  # fmt: skip
    return metadata | ({"year": int(metadata["year"])} if "year" in metadata else {})


def judged_version(
    judgments: Judgments, evidence: Evidence, collection: str, added: Added, folder: LedgerFolder
) -> VersionRecord:
    """Return the record of judgments, and how the runs are met with them."""
    content = content_of(judgments)
    scale, topics = judgments.scale, evidence.topics
    return VersionRecord(
        kind="scored",
        collection=collection,
        version=content[:DIGITS],
        content=content,
        file=file_ref(judgments.source, folder),
        added=added,
        topics=topics,
        ties=evidence.provenance.tie_rule,
        grades=tuple(evidence.scale.tolist()),
        judged={
            f"{scale[code]:g}": _per_topic(judgments, code, topics) for code in range(len(scale))
        },
    )


def content_of(judgments: Judgments) -> str:
    """Return the hash of topics, documents and grades, in whatever format these come.

    Examples
    --------
    >>> content_of(Judgments.from_dict({"1": {"a": 1}}))[:DIGITS]
    '4c761e590ad5'
    """
    return digest(qrels_bytes(judgments, "plain"))


def _per_topic(judgments: Judgments, code: int, topics: Sequence[str]) -> tuple[int, ...]:
    has = np.concatenate([[0], np.cumsum(judgments.codes == code)])
    counts = dict(zip(judgments.topics, np.diff(has[judgments.starts]).tolist(), strict=True))
    return tuple(counts.get(topic, 0) for topic in topics)


def file_ref(source: Source, folder: LedgerFolder) -> FileRef:
    """Return a file by its path from the ledger's folder, so that both may move together."""
    if not is_stored(source.path):
        return FileRef(source.path if source.path.startswith("<") else "", source.sha256)
    return FileRef(_from(folder, source.path), source.sha256)


def _from(folder: LedgerFolder, path: str) -> str:
    try:
        return Path(os.path.relpath(path, folder.path)).as_posix()
    except ValueError:  # another drive
        return Path(path).as_posix()


def scored_records(
    evidence: Evidence, runs: Runs, measures: Sequence[Measure], version: VersionRecord,
    telling: Telling, *, folder: LedgerFolder, missing: str,
) -> list[ResultRecord]:  # fmt: skip
    """Score runs, with ranges over the unjudged documents of each alone and of the corpus."""
    lacking = np.asarray(evidence.lengths == 0)
    if missing == "error":
        _require_all_topics(evidence, lacking, runs)
    own = score_all(evidence, measures, universe="run").scores
    any_document = score_all(evidence, measures, universe="corpus").scores
    records = []
    for s, run in enumerate(evidence.systems):
        source = runs.sources[s] if s < len(runs.sources) else Source("<memory>")
        header = run_header(source.path) if is_stored(source.path) else {}
        records.append(
            ResultRecord(
                kind="scored",
                collection=version.collection,
                version=version.version,
                run=run,
                file=file_ref(source, folder),
                added=telling.added,
                depth=int(evidence.lengths[s].max(initial=0)),
                missing=tuple(t for t, no in zip(evidence.topics, lacking[s], strict=True) if no),
                scores={
                    str(table.measure): _scores(table, s, least.lower[s])
                    for table, least in zip(own, any_document, strict=True)
                },
                metadata=telling.of(run, {**header, **known_metadata(header)}),
            )
        )
    return records


def _require_all_topics(evidence: Evidence, lacking: Floats | Any, runs: Runs) -> None:
    rows, topics = np.nonzero(lacking)
    if not len(rows):
        return
    s, names = int(rows[0]), [evidence.topics[t] for t in topics[rows == rows[0]].tolist()]
    where = runs.sources[s].path if s < len(runs.sources) else evidence.systems[s]
    raise InputError(
        where,
        f"a run must have documents for every judged topic, and {evidence.systems[s]} lacks "
        f"{counted(len(names), 'topic')}: {named(names)}",
        remedy="if it truly found nothing there, add it with --missing zero, which scores 0 and "
        "says so",
    )


def _scores(table: ScoreTable, s: int, least: Floats) -> MeasuredScores:
    version = full_name(table.measure)
    value = _numbers(table.value[s])
    if table.scope.kind == "none":
        return MeasuredScores(version, value)
    low, high = _numbers(table.lower[s]), _numbers(table.upper[s])
    other = _numbers(least)
    # NaN is no equal of itself, so that texts are compared.
    return MeasuredScores(version, value, low, high, () if repr(other) == repr(low) else other)


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(float(x) for x in values.tolist())


def scores_version(
    tables: Sequence[ScoreTable], collection: str, added: Added, folder: LedgerFolder
) -> VersionRecord:
    """Return the record of a score matrix, whose hash is that of its names and numbers."""
    content = numbers_digest(*(table.columns() for table in tables))
    return VersionRecord(
        kind="scores only",
        collection=collection,
        version=f"scores-{content[:DIGITS]}",
        content=content,
        file=file_ref(tables[0].provenance.judgments, folder),
        added=added,
        topics=tables[0].topics,
    )


def score_records(
    tables: Sequence[ScoreTable], version: VersionRecord, telling: Telling, folder: LedgerFolder
) -> list[ResultRecord]:
    """Return a record for each system of score matrices, which have the same systems and topics."""
    first = tables[0]
    for table in tables:
        _require_same(first, table)
        _require_complete(table)
    return [
        ResultRecord(
            kind="scores only",
            collection=version.collection,
            version=version.version,
            run=run,
            file=file_ref(first.provenance.judgments, folder),
            added=telling.added,
            scores={
                str(table.measure): MeasuredScores(
                    full_name(table.measure), _numbers(table.value[s])
                )
                for table in tables
            },
            metadata=telling.of(run),
        )
        for s, run in enumerate(first.systems)
    ]


def _require_same(first: ScoreTable, table: ScoreTable) -> None:
    for what in ("systems", "topics"):
        if getattr(first, what) != getattr(table, what):
            raise InputError(
                table.provenance.judgments.path,
                f"matrices that are added together must have the same {what} in the same order",
                remedy="add them one by one, as versions of their own",
            )


def _require_complete(table: ScoreTable) -> None:
    """Raise where a system lacks a score that others have: it would change who is compared."""
    undefined = np.isnan(table.value)
    rows, columns = np.nonzero(undefined & ~undefined.all(axis=0))
    if len(rows):
        raise InputError(
            table.provenance.judgments.path,
            f"every system must have a score for each topic, and {table.systems[rows[0]]} has none "
            f"for topic {table.topics[columns[0]]}",
            remedy="leave the topic or the system out of the file",
        )


def mean_records(
    means: Iterable[PublishedMean], source: Source, telling: Telling, folder: LedgerFolder
) -> list[tuple[VersionRecord, list[ResultRecord]]]:
    """Return the records of published means, by collection; each says which table it is from."""
    version = f"means-{source.sha256[:DIGITS]}"
    by_run: dict[tuple[str, str], list[PublishedMean]] = {}
    for mean in means:
        by_run.setdefault((mean.collection, mean.run), []).append(mean)
    versions: dict[str, tuple[VersionRecord, list[ResultRecord]]] = {}
    ref = file_ref(source, folder)
    for (collection, run), of_run in by_run.items():
        about = VersionRecord("means only", collection, version, source.sha256, ref, telling.added)
        _, records = versions.setdefault(collection, (about, []))
        printed: dict[str, list[float]] = {}
        for mean in of_run:
            printed.setdefault(str(mean.measure), []).append(mean.mean)
        year = next((mean.year for mean in of_run if mean.year is not None), None)
        records.append(
            ResultRecord(
                kind="means only",
                collection=collection,
                version=version,
                run=run,
                file=ref,
                added=telling.added,
                means={name: tuple(dict.fromkeys(numbers)) for name, numbers in printed.items()},
                metadata=telling.of(run, {} if year is None else {"year": year}),
            )
        )
    return list(versions.values())


def save(
    folder: LedgerFolder, version: VersionRecord, records: Sequence[ResultRecord]
) -> tuple[Outcome, ...]:
    """Write what is new, after everything was checked: nothing is written where one is refused."""
    existing = folder.version(version.collection, version.version)
    if existing is not None:
        _require_same_settings(folder, existing, version)
    kept = {record.run: record for record in folder.results(version.collection, version.version)}
    _require_distinct(records)
    _require_same_measures(folder, kept.values(), records)
    joined = [_joined(folder, kept.get(record.run), record) for record in records]
    if existing is None:
        earlier = [
            record for record in folder.versions(version.collection) if record.kind == version.kind
        ]
        folder.write_version(replace(version, before=earlier[-1].version if earlier else ""))
    changed = [record for record in joined if record is not kept.get(record.run)]
    folder.write(changed)
    new = {record.run for record in changed}
    return tuple(
        Outcome(record.collection, record.version, record.kind, record.run,
                "added" if record.run in new else "unchanged")
        for record in records
    )  # fmt: skip


def _require_distinct(records: Sequence[ResultRecord]) -> None:
    names = [record.run for record in records]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise OptionError(
            f"runs: two have the name {twice[0]!r}. Hint: rename one of the files, or add them to "
            "collections of their own."
        )


_SETTINGS = {
    "topics": "scores of one version must be of the same topics",
    "ties": "scores of one version must have the same order of tied documents",
    "grades": "scores of one version must be of the same scale of grades",
}
"""What is never mixed, beside the judgments themselves, which name the version."""


def _require_same_settings(
    folder: LedgerFolder, existing: VersionRecord, version: VersionRecord
) -> None:
    for name, rule in _SETTINGS.items():
        old, new = getattr(existing, name), getattr(version, name)
        if old != new:
            place = folder.version_place(existing.collection, existing.version)
            reason = f"{rule}; the ledger has {_few(old)}"
            remedy = "score the runs as the ledger says, or keep another ledger"
            raise InputError(str(place), reason, value=_few(new), remedy=remedy)


def _few(value: Any) -> str:
    return value if isinstance(value, str) else named([f"{item}" for item in value], most=4)


def _require_same_measures(
    folder: LedgerFolder, kept: Iterable[ResultRecord], records: Sequence[ResultRecord]
) -> None:
    """Raise where a measure of one name is another one than it was."""
    new = {name: scores.version for record in records for name, scores in record.scores.items()}
    for record in kept:
        for name, scores in record.scores.items():
            if new.get(name, scores.version) != scores.version:
                raise InputError(
                    str(folder.place(record.collection, record.version, record.run)),
                    f"scores of other versions of a measure must not be mixed: {name} is "
                    f"{scores.version} here, and {new[name]} in what is added",
                    remedy="add the runs by this version of the measure, or keep another ledger",
                )


def _joined(folder: LedgerFolder, old: ResultRecord | None, new: ResultRecord) -> ResultRecord:
    """Return a result with the measures that are new; the old one where nothing is."""
    if old is None:
        return new
    where = str(folder.place(old.collection, old.version, old.run))
    if old.retracted:
        rule = f"this result was retracted ({old.retracted.reason}), and stays as it is"
        raise InputError(where, rule, remedy="add the corrected run under another name (--name)")
    for name in set(old.scores) & set(new.scores) | set(old.means) & set(new.means):
        if _told(old, name) != _told(new, name):
            raise InputError(
                where,
                f"the ledger has another result of {old.run}, with other scores by {name}",
                remedy="add the run under another name (--name)",
            )
    more = {n: s for n, s in new.scores.items() if n not in old.scores}
    means = {n: m for n, m in new.means.items() if n not in old.means}
    if not more and not means:
        return old
    return replace(old, scores={**old.scores, **more}, means={**old.means, **means})


def _told(record: ResultRecord, name: str) -> str:
    """Return the numbers of a measure as text, in which an undefined score equals another."""
    return repr(record.scores.get(name) or record.means.get(name))
