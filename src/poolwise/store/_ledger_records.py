"""Files of a ledger: one result, or one version of a collection, as small JSON with its hash."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from poolwise.errors import InputError
from poolwise.findings.history._entries import Entry
from poolwise.measures._measure import Measure
from poolwise.results._records import digest
from poolwise.store._record_schemas import (
    RESULT_SCHEMA,
    SCHEMA_VERSION,
    VERSION_SCHEMA,
    Schema,
    schema_errors,
)
from poolwise.version import __version__

__all__ = [
    "Added",
    "FileRef",
    "MeasuredScores",
    "ResultRecord",
    "Retraction",
    "VersionRecord",
    "full_name",
]

Numbers = tuple[float, ...]
_HASHED = '"sha256": "'
_RESTORE = "restore the file from git, or add the result again"


def full_name(measure: Measure) -> str:
    """Return a measure with every parameter, also those that its short name leaves out.

    A default that changes changes this name, so that scores of both are never mixed.

    Examples
    --------
    >>> from poolwise import nDCG
    >>> full_name(nDCG @ 10)
    "nDCG(dcg='log2',base=2,cutoff=10)"
    """
    parameters = ",".join(f"{name}={value!r}" for name, value in measure.parameters().items())
    return f"{measure.name}({parameters})"


@dataclass(frozen=True)
class FileRef:
    """A file that a result comes from: where it was, and the hash of its bytes."""

    path: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Added:
    """Who added something, when, and with which version of poolwise."""

    by: str
    date: str
    poolwise: str = __version__


@dataclass(frozen=True)
class Retraction:
    """Why a result does not count any more, and who says so."""

    reason: str
    by: str
    date: str


@dataclass(frozen=True)
class MeasuredScores:
    """The scores of one run by one measure, by topic; NaN is undefined.

    Attributes
    ----------
    version : str
        The measure with every parameter.
    lower, upper : tuple of float
        Their range over the unjudged documents of the run alone: over those of all runs, a range
        would change with each run that is added. Empty where it is not known.
    least : tuple of float
        Their lower ends over any unjudged document, which a difference from another run needs
        where its ranking is not at hand; empty where these are the same.
    """

    version: str
    value: Numbers
    lower: Numbers = ()
    upper: Numbers = ()
    least: Numbers = ()

    @property
    def mean(self) -> float:
        """The mean over the topics that are defined."""
        defined = [score for score in self.value if not math.isnan(score)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    def as_json(self) -> dict[str, Any]:
        """Return what the file holds: null for an undefined score, and nothing that is empty."""
        content: dict[str, Any] = {"version": self.version}
        for name in ("value", "lower", "upper", "least"):
            numbers = getattr(self, name)
            if numbers or name == "value":
                content[name] = [None if math.isnan(x) else x for x in numbers]
        return content

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "MeasuredScores":
        """Return the scores that a file holds."""
        numbers = {
            name: tuple(math.nan if x is None else float(x) for x in content.get(name, ()))
            for name in ("value", "lower", "upper", "least")
        }
        return cls(content["version"], **numbers)


@dataclass(frozen=True)
class ResultRecord:
    """One result: a run, scored by one version of the judgments of a collection.

    Attributes
    ----------
    kind : str
        A key of ``RESULT_KINDS``.
    version : str
        The folder of the version: see :class:`VersionRecord`.
    file : FileRef
        The run, or the table that its scores come from.
    depth : int
        The longest of its lists; 0 where it is not known.
    missing : tuple of str
        Topics for which it has no documents, and which score 0.
    scores : mapping from str to MeasuredScores
        By the names of the measures; empty where only means are known.
    means : mapping from str to tuple of float
        Published means by measure: several where a table prints several for one run.
    metadata : mapping from str
        ``year``, ``original``, ``automatic``, ``group``, ``baseline``, ``paper``, and whatever
        else was given or stands in the run's header.
    """

    kind: str
    collection: str
    version: str
    run: str
    file: FileRef
    added: Added
    depth: int = 0
    missing: tuple[str, ...] = ()
    scores: Mapping[str, MeasuredScores] = field(default_factory=dict)
    means: Mapping[str, Numbers] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    retracted: Retraction | None = None

    def to_bytes(self) -> bytes:
        """Return the file: the same bytes for the same result, with their hash at the end."""
        record = {"schema": SCHEMA_VERSION, **_plain(self)}
        record["scores"] = {name: scores.as_json() for name, scores in self.scores.items()}
        if self.retracted is None:
            del record["retracted"]
        return _sealed(record)

    @classmethod
    def of_bytes(cls, content: bytes, where: str) -> "ResultRecord":
        """Read a file, or say what is wrong with it."""
        record = _opened(content, where, RESULT_SCHEMA)
        record["scores"] = {
            name: MeasuredScores.of_json(scores) for name, scores in record["scores"].items()
        }
        record["means"] = {name: tuple(numbers) for name, numbers in record["means"].items()}
        gone = record.pop("retracted", None)
        return cls(
            **record | {"missing": tuple(record["missing"])},
            retracted=None if gone is None else Retraction(**gone),
        )

    def entry(self, path: str = "") -> Entry:
        """Return what the result is, without its scores."""
        metadata = self.metadata
        return Entry(
            collection=self.collection,
            version=self.version,
            run=self.run,
            kind=self.kind,
            year=metadata.get("year"),
            original=bool(metadata.get("original", False)),
            automatic=metadata.get("automatic"),
            group=str(metadata.get("group", "")),
            baseline=str(metadata.get("baseline", "")),
            paper=str(metadata.get("paper", "")),
            retracted=self.retracted.reason if self.retracted else "",
            path=path,
            measures=tuple(self.scores or self.means),
            added=self.added.date,
            by=self.added.by,
        )


@dataclass(frozen=True)
class VersionRecord:
    """One version of a collection: the judgments, or the table, that its scores are of.

    Attributes
    ----------
    content : str
        The hash of what was judged, or of the scores, in whatever format they come.
    file : FileRef
        Where that was read from.
    topics : tuple of str
        The topics of all scores, in their order.
    ties : str
        How tied documents were ordered.
    grades : tuple of float
        The grades that a document can have.
    judged : mapping from str to tuple of int
        How many documents have each grade, by topic.
    before : str
        The version of the same collection that this one followed; empty for the first.
    """

    kind: str
    collection: str
    version: str
    content: str
    file: FileRef
    added: Added
    topics: tuple[str, ...] = ()
    ties: str = ""
    grades: Numbers = ()
    judged: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    before: str = ""

    def to_bytes(self) -> bytes:
        """Return the file, with its hash at the end."""
        return _sealed({"schema": SCHEMA_VERSION, **_plain(self)})

    @classmethod
    def of_bytes(cls, content: bytes, where: str) -> "VersionRecord":
        """Read a file, or say what is wrong with it."""
        record = _opened(content, where, VERSION_SCHEMA)
        judged = {grade: tuple(counts) for grade, counts in record["judged"].items()}
        sequences = {name: tuple(record[name]) for name in ("topics", "grades")}
        return cls(**record | sequences | {"judged": judged})


def _plain(record: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(record).items() if name != "scores"}


def _sealed(record: Mapping[str, Any]) -> bytes:
    """Return JSON with a member in each line, and the hash of all before as the last one."""
    body = _text(record)[: -len("\n}")]
    return f'{body},\n{_HASHED}{digest(body.encode())}"\n}}\n'.encode()


def _text(value: Any, depth: int = 0) -> str:
    """Return JSON in ASCII: objects with a member in each line, down to the scores of a measure."""
    if not isinstance(value, Mapping) or not value or depth > _DEEPEST:
        return json.dumps(value, sort_keys=True)
    inner = " " * (depth + 1) if depth else ""
    members = (
        f"{inner}{json.dumps(name)}: {_text(member, depth + 1)}" for name, member in value.items()
    )
    return "{\n" + ",\n".join(members) + "\n" + " " * depth + "}"


_DEEPEST = 2
Record = TypeVar("Record", ResultRecord, VersionRecord)


def _opened(content: bytes, where: str, schema: Schema) -> dict[str, Any]:
    """Return what a file says, if it is as it was written and has the shape of its schema."""
    # Some systems write other ends of lines as they check a file out.
    text = content.replace(b"\r\n", b"\n").decode("utf-8", "replace")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(where, f"the file must be JSON: {error}", remedy=_RESTORE) from error
    _require_readable(record, where, schema)
    body, _, seal = text.rpartition(f",\n{_HASHED}")
    if seal.rstrip('"\n}') != digest(body.encode()):
        rule = "the file must be as it was written, and its hash says that it was changed"
        raise InputError(where, rule, remedy=_RESTORE)
    _require_sensible(record, where)
    files = {"file": FileRef(**record["file"]), "added": Added(**record["added"])}
    return {n: v for n, v in record.items() if n not in ("schema", "sha256")} | files


def _require_sensible(record: Mapping[str, Any], where: str) -> None:
    """Raise for numbers that no scores can be, and topics that stand twice, sealed or not."""
    problem = next(_nonsense(record), None)
    if problem:
        raise InputError(where, f"a file of a ledger holds what was scored: {problem}",
                         remedy=_RESTORE)  # fmt: skip


def _nonsense(record: Mapping[str, Any]) -> Iterator[str]:
    topics = record.get("topics", ())
    if len({*topics}) != len(topics):
        yield "a topic stands twice"
    for name, scores in record.get("scores", {}).items():
        try:
            numbers = MeasuredScores.of_json(scores)
        except OverflowError:
            yield f"a score by {name} is no finite number"
            return
        if any(map(math.isinf, (*numbers.value, *numbers.lower, *numbers.upper, *numbers.least))):
            yield f"a score by {name} is no finite number"
        if bool(numbers.lower) != bool(numbers.upper):
            yield f"a range by {name} has one end"
        ends = zip(numbers.lower, numbers.value, numbers.upper, strict=False)
        # NaN, a score that is undefined now, is beyond nothing.
        if any(low > score + _CLOSE or score > high + _CLOSE for low, score, high in ends):
            yield f"a score by {name} is out of its range"


_CLOSE = 1e-9
"""What rounding may put between a score and the end of its range."""


def _require_readable(record: Any, where: str, schema: Schema) -> None:
    version = record.get("schema") if isinstance(record, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        rule = f"the schema of a ledger's file must be {SCHEMA_VERSION} or older"
        raise InputError(where, rule, value=version, remedy="install a newer poolwise")
    problem = next(schema_errors(record, schema), None)
    if problem:
        raise InputError(where, f"a file of a ledger keeps to its schema: {problem}",
                         remedy=_RESTORE)  # fmt: skip
