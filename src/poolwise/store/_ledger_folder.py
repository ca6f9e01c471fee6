"""The folder of a ledger: where its files are, and reading and writing them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from poolwise.errors import InputError, OptionError
from poolwise.provenance._files import make_folder, write_file
from poolwise.store._ledger_records import ResultRecord, VersionRecord

__all__ = ["VERSION", "LedgerFolder", "file_name"]

_MARK = "ledger.json"
_MARKED = b'{"poolwise ledger": 1}\n'
VERSION = "version.json"
"""The file about a version of a collection."""
_RUNS = "runs"


def file_name(name: str) -> str:
    """Return a name as that of a file: what file systems would stumble over is escaped.

    Examples
    --------
    >>> file_name("bm25+rm3"), file_name("a/b c"), file_name("..")
    ('bm25+rm3', 'a%2Fb%20c', '%2E.')
    """
    safe = quote(name, safe="+,=@()'!-_.~", errors="surrogateescape")
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


@dataclass(frozen=True)
class LedgerFolder:
    """A ledger on disk: ``COLLECTION/VERSION/runs/RUN.json``, and a file about each version.

    Plain files, one for each result, so that a pull request adds a result and nobody's change
    meets another's. Nothing is ever deleted; what follows from the files is not kept.

    Attributes
    ----------
    path : Path
        The folder.

    Examples
    --------
    >>> LedgerFolder(Path("results")).place("trec8", "3f5a", "a/b").as_posix()
    'results/trec8/3f5a/runs/a%2Fb.json'
    """

    path: Path

    @classmethod
    def at(cls, path: str | Path, *, make: bool = False) -> "LedgerFolder":
        """Return the ledger of a folder; one that is not there yet is made where that is asked."""
        folder = Path(path)
        is_one = (folder / _MARK).is_file()
        if not is_one and not make:
            raise InputError(
                str(path),
                f"a ledger must be a folder with a file {_MARK}",
                remedy="check the path; poolwise ledger add makes a new one",
            )
        if not is_one and folder.is_dir() and not all(map(_is_hidden, folder.iterdir())):
            raise InputError(
                str(path),
                "a new ledger must be an empty folder, and this one holds other files",
                remedy="name a folder that is not there yet",
            )
        return cls(folder)

    def place(self, collection: str, version: str, run: str) -> Path:
        """Return the file of a result."""
        return self._folder(collection, version) / _RUNS / f"{file_name(run)}.json"

    def version_place(self, collection: str, version: str) -> Path:
        """Return the file about a version."""
        return self._folder(collection, version) / VERSION

    def _folder(self, collection: str, version: str) -> Path:
        return self.path / file_name(collection) / version

    def collections(self) -> list[str]:
        """Return the names of the collections."""
        return sorted(unquote(p.name, errors="surrogateescape") for p in _folders(self.path))

    def versions(self, collection: str) -> list[VersionRecord]:
        """Return the versions of a collection, each after the one that it followed."""
        versions = [
            self._version(place / VERSION)
            for place in sorted(_folders(self.path / file_name(collection)))
        ]
        return sorted(
            versions,
            key=lambda version: (_steps(version, versions), version.added.date, version.version),
        )

    def version(self, collection: str, version: str) -> VersionRecord | None:
        """Return one version of a collection, or None."""
        place = self.version_place(collection, version)
        return self._version(place) if place.is_file() else None

    def _version(self, place: Path) -> VersionRecord:
        record = VersionRecord.of_bytes(_bytes(place), str(place))
        folder = place.parent
        if folder != self._folder(record.collection, record.version):
            raise _misplaced(place, f"{record.collection}, {record.version}")
        return record

    def files(self) -> Iterator[Path]:
        """Yield all files of results and versions, in one order everywhere."""
        for collection in self.collections():
            for version in sorted(_folders(self.path / file_name(collection))):
                yield version / VERSION
                yield from self.results_in(version)

    def results_in(self, version: Path) -> list[Path]:
        """Return the files of the results of a version's folder."""
        return sorted((version / _RUNS).glob("*.json"), key=lambda path: path.name)

    def paths(self, collection: str, version: str) -> list[Path]:
        """Return the files of the results of a version."""
        return self.results_in(self._folder(collection, version))

    def result(self, path: Path) -> ResultRecord:
        """Read a result, which must lie where its own words put it."""
        record = ResultRecord.of_bytes(_bytes(path), str(path))
        if path != self.place(record.collection, record.version, record.run):
            raise _misplaced(path, f"{record.collection}, {record.version}, {record.run}")
        return record

    def results(self, collection: str, version: str) -> list[ResultRecord]:
        """Return all results of a version, retracted ones too."""
        return [self.result(path) for path in self.paths(collection, version)]

    def write_version(self, record: VersionRecord) -> None:
        """Write what a version is, and make the folders for its results."""
        folder = self._folder(record.collection, record.version)
        if not (self.path / _MARK).is_file():  # first: what is interrupted can then go on
            make_folder(self.path)
            write_file(self.path / _MARK, _MARKED)
        make_folder(folder / _RUNS)
        write_file(folder / VERSION, record.to_bytes())

    def write(self, records: Iterable[ResultRecord]) -> None:
        """Write results, each as a whole or not at all."""
        for record in records:
            place = self.place(record.collection, record.version, record.run)
            self._require_same_name(place)
            write_file(place, record.to_bytes())

    def _require_same_name(self, place: Path) -> None:
        """Raise where a file system takes two names for one: A.json and a.json."""
        if place.is_file() and place.name not in {p.name for p in place.parent.iterdir()}:
            raise OptionError(
                f"{place}: here there is a file whose name differs in capital letters alone. Hint: "
                "give the run another name."
            )


def _folders(path: Path) -> list[Path]:
    """Return the folders in a folder, without hidden ones such as .git, and empty ones.

    An addition that was interrupted leaves empty folders, and git would not keep them.
    """
    if not path.is_dir():
        return []
    return [place for place in path.iterdir() if not _is_hidden(place) and _holds_files(place)]


def _holds_files(folder: Path) -> bool:
    return any(not _is_hidden(path) and path.is_file() for path in folder.rglob("*"))


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".")


def _steps(record: VersionRecord, versions: Iterable[VersionRecord]) -> int:
    """Return how many versions a version follows."""
    by_name = {other.version: other for other in versions}
    steps, seen = 0, {record.version}
    while record.before in by_name and record.before not in seen:
        record, steps = by_name[record.before], steps + 1
        seen.add(record.version)
    return steps


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        rule = f"the file must be readable: {error.strerror}"
        raise InputError(str(path), rule, remedy="restore it from git") from error


def _misplaced(path: Path, says: str) -> InputError:
    return InputError(
        str(path),
        f"a result must lie where its own words put it, and this one is of {says}",
        remedy="restore the folder from git; results are not renamed by hand",
    )
