"""Whether the files of a ledger are as they were written, and their scores come out again."""

from collections.abc import Sequence
from pathlib import Path

from poolwise.errors import InputError, PoolwiseError
from poolwise.findings.history._entries import LedgerCheck, Problem
from poolwise.measures._names import measure_named
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.store._ledger_folder import VERSION, LedgerFolder
from poolwise.store._ledger_records import ResultRecord, VersionRecord
from poolwise.workflows._ledger_adding import Telling, scored_records
from poolwise.workflows._ledger_reading import FilesAtHand, VersionInHand

__all__ = ["check_folder"]


def check_folder(files: FilesAtHand, *, recompute: bool) -> LedgerCheck:
    """Check every file against its hash, every version as a whole, and score again what is here."""
    folder = files.folder
    paths = list(folder.files())
    problems = [problem for path in paths for problem in _problems(folder, path)]
    # Only what can be read is compared with others and scored again.
    wrong = {problem.path for problem in problems}
    again = results = 0
    for version in _readable(folder, paths, wrong):
        problems += _mixed(version)
        results += len(version.records)
        if recompute and version.about.kind == "scored":
            differences, count = _recomputed(version, files)
            problems, again = [*problems, *differences], again + count
    return LedgerCheck(
        str(folder.path),
        len(paths),
        again,
        results - again,
        tuple(problems),
        provenance=WITHOUT_FILES,
    )


def _problems(folder: LedgerFolder, path: Path) -> list[Problem]:
    try:
        _is_version(path) and VersionRecord.of_bytes(_content(path), str(path))
        _is_version(path) or folder.result(path)
    except PoolwiseError as error:
        return [Problem(str(path), _reason(error, str(path)))]
    return []


def _content(path: Path) -> bytes:
    if not path.is_file():
        rule = "the file about a version must be there"
        raise InputError(str(path), rule, remedy="restore it from git")
    return path.read_bytes()


def _is_version(path: Path) -> bool:
    return path.name == VERSION and path.parent.name != "runs"


def _reason(error: PoolwiseError, path: str) -> str:
    return str(error).removeprefix(f"{path}: ").rstrip(".")


def _readable(folder: LedgerFolder, paths: Sequence[Path], wrong: set[str]) -> list[VersionInHand]:
    """Return the versions, with the results of each that can be read."""
    versions = []
    for path in filter(_is_version, paths):
        if str(path) not in wrong:
            about = VersionRecord.of_bytes(path.read_bytes(), str(path))
            results = [p for p in folder.results_in(path.parent) if str(p) not in wrong]
            records = tuple(folder.result(place) for place in results)
            versions.append(VersionInHand(folder, about, records))
    return versions


def _mixed(version: VersionInHand) -> list[Problem]:
    """Return what keeps the results of a version from being compared, by the files it is in."""
    problems: dict[str, Problem] = {}
    for name in version.measures() if version.about.kind != "means only" else ():
        try:
            version.table(measure_named(name))
        except InputError as error:
            problems[error.where] = Problem(error.where, _reason(error, error.where))
    return list(problems.values())


def _recomputed(version: VersionInHand, files: FilesAtHand) -> tuple[list[Problem], int]:
    """Score the runs of a version that are at hand again; return what differs, and how many."""
    runs = files.runs(version.records, version.about.ties)
    evidence = files.evidence(version.about, version.records)
    if evidence is None or runs is None:
        return [], 0
    here = [record for record in version.records if record.run in set(evidence.systems)]
    measures = [
        measure_named(n) for n in dict.fromkeys(n for record in here for n in record.scores)
    ]
    telling = Telling(version.about.added, {}, {})
    again = scored_records(
        evidence, runs, measures, version.about, telling, folder=version.folder, missing="zero"
    )
    by_run = {record.run: record for record in again}
    return [p for record in here for p in _differences(version, record, by_run[record.run])], len(
        here
    )


def _differences(
    version: VersionInHand, written: ResultRecord, again: ResultRecord
) -> list[Problem]:
    """Return the measures whose scores are other than they are written, to the last digit."""
    return [
        Problem(version.path(written), f"{name} comes out otherwise than it is written")
        for name, scores in written.scores.items()
        if repr(scores) != repr(again.scores[name])
    ]
