"""What a campaign is: the file ``campaign.toml`` as one checked value."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from poolwise.errors import InputError, MeasureError, OptionError
from poolwise.judging._goals import Goal, parse_goal
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure

__all__ = ["ASSIGNMENTS", "CampaignSettings", "Grade", "KnownDocument", "read_settings"]

ASSIGNMENTS = {
    "document": "each document goes to whoever is free",
    "topic": "all documents of a topic go to the same assessors",
}
"""How work is shared out."""
_EDIT = "edit campaign.toml"


@dataclass(frozen=True)
class Grade:
    """A grade of the scale: its number, a label for its key, and a sentence on what it means."""

    grade: float
    label: str
    means: str = ""


@dataclass(frozen=True)
class KnownDocument:
    """A document whose grade is known before: for practice, or as a trap."""

    topic: str
    document: str
    grade: float
    why: str = ""


@dataclass(frozen=True)
class CampaignSettings:
    """What a campaign is for, and how documents are handed out.

    Attributes
    ----------
    name : str
        What the campaign is called.
    grades : tuple of Grade
        The scale, from the lowest grade to the highest.
    measures : tuple of Measure
        What runs are scored by; decisions go by the first.
    goal : Goal
        What judging is for: see ``GOALS``.
    depth : int
        How many ranks of each run may be judged.
    guidelines, guidelines_version : str
        What assessors are told, in Markdown, and which version of it this is.
    assessors_per_document : int
        How many people judge a document.
    assignment : {"document", "topic"}
        How work is shared out: see ``ASSIGNMENTS``.
    judged_twice : float
        The share of documents that one more person judges, for the agreement.
    random_share : float
        The share of each batch that is drawn at random, with known chances.
    batch : int
        How many documents are ordered at a time.
    margin : float
        Half-widths below this are small enough to act on.
    common_topics : int
        On how many topics, drawn at random, a run that comes later is judged for its own sake.
    practice, traps : tuple of KnownDocument
        Documents that an assessor meets first, with the answer; and hidden among the others.
    trap_every : int
        One document in about so many is a trap.
    lease_minutes : float
        For how long a document is kept for whoever got it.
    seed : int
        What all draws depend on.

    Examples
    --------
    >>> made = CampaignSettings.of({"name": "dl19", "goal": "top:1", "measures": ["nDCG@10"]})
    >>> made.depth, [grade.label for grade in made.grades], made.random_share
    (10, ['Not relevant', 'Relevant'], 0.2)
    >>> CampaignSettings.of({"name": "dl19", "random_share": 2})
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: campaign.toml: random_share must be from 0 to 0.9; got 2. Hint: edit
        campaign.toml.
    """

    name: str
    grades: tuple[Grade, ...] = (
        Grade(0, "Not relevant", "The document says nothing about the query."),
        Grade(1, "Relevant", "The document says something about the query."),
    )
    measures: tuple[Measure, ...] = field(default_factory=lambda: (parse_measure("nDCG@10"),))
    goal: Goal = field(default_factory=lambda: parse_goal("order"))
    depth: int = 0
    guidelines: str = ""
    guidelines_version: str = "1"
    assessors_per_document: int = 1
    assignment: str = "document"
    judged_twice: float = 0.1
    random_share: float = 0.2
    batch: int = 100
    margin: float = 0.05
    common_topics: int = 10
    practice: tuple[KnownDocument, ...] = ()
    traps: tuple[KnownDocument, ...] = ()
    trap_every: int = 20
    lease_minutes: float = 60
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.depth:
            cutoffs = [measure.depth for measure in self.measures if measure.depth]
            object.__setattr__(self, "depth", max(cutoffs, default=_DEPTH))

    @property
    def scale(self) -> tuple[float, ...]:
        """The grades that a document can have."""
        return tuple(grade.grade for grade in self.grades)

    @property
    def measure(self) -> Measure:
        """The measure that decisions go by."""
        return self.measures[0]

    @property
    def guidelines_sha256(self) -> str:
        """The hash of the guidelines, so that a changed text has a new version."""
        return sha256(self.guidelines.encode("utf-8", "surrogateescape")).hexdigest()

    @classmethod
    def of(cls, content: Mapping[str, Any], where: str = "campaign.toml") -> "CampaignSettings":
        """Return the settings that a file says, or say what is wrong with it."""
        names = {setting.name for setting in fields(cls)}
        settings = {name.replace("-", "_"): value for name, value in content.items()}
        for name in settings:
            if name not in names:
                rule = f"there is no setting {name!r}"
                remedy = f"use {', '.join(sorted(names))}"
                raise InputError(where, rule, remedy=remedy)
        if "name" not in settings:
            raise InputError(where, "a campaign must have a name", remedy='write name = "…"')
        return cls(**{name: _read(where, name, value) for name, value in settings.items()})


_DEPTH = 10


def _file_within(path: Path, name: str) -> Path:
    """Return a file of the campaign's folder: all assessors read the guidelines."""
    place = (path.parent / name).resolve()
    if not place.is_relative_to(path.parent.resolve()):
        rule = "guidelines must be a file in the folder of the campaign"
        raise InputError(str(path), rule, value=name, remedy="copy it there")
    return place


def read_settings(path: Path) -> CampaignSettings:
    r"""Read ``campaign.toml``; the guidelines may be a file beside it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "campaign.toml")
    ...     _ = place.write_text('name = "dl19"\nguidelines = "guidelines.md"\n')
    ...     _ = Path(folder, "guidelines.md").write_text("# How to judge")
    ...     read_settings(place).guidelines
    '# How to judge'
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        text = content.get("guidelines", "")
        if isinstance(text, str) and text.endswith(".md") and "\n" not in text:
            content["guidelines"] = _file_within(path, text).read_text(encoding="utf-8")
    except OSError as error:
        rule = f"the file must be readable: {error.strerror}"
        remedy = "poolwise campaign init makes a campaign"
        raise InputError(str(error.filename or path), rule, remedy=remedy) from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # of TOML, or of UTF-8
        rule = f"the file must be TOML in UTF-8: {error}"
        raise InputError(str(path), rule, remedy="correct the line") from error
    return CampaignSettings.of(content, str(path))


def _read(where: str, name: str, value: Any) -> Any:
    """Return the value of a setting, checked."""
    try:
        return _READ[name](value)
    except (MeasureError, OptionError) as error:
        raise InputError(where, f"{name}: {error}".rstrip("."), remedy=_EDIT) from error
    except _MisfitError as error:
        raise InputError(where, f"{name} must be {error}", value=value, remedy=_EDIT) from error


class _MisfitError(Exception):
    """What a setting must be, and is not."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _MisfitError("a text")
    return value


def _any_text(value: Any) -> str:
    return value if value == "" else _text(value)


def _number(low: float, high: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise _MisfitError(f"from {low:g} to {high:g}")
        return float(value)

    return read


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _MisfitError(f"a whole number from {low:,} to {high:,}")
        return value

    return read


def _one_of(choices: Sequence[str]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise _MisfitError(f"one of {', '.join(choices)}")
        return str(value)

    return read


def _grades(value: Any) -> tuple[Grade, ...]:
    grades = tuple(
        sorted((_table(Grade, table) for table in _tables(value)), key=lambda g: g.grade)
    )
    numbers = [grade.grade for grade in grades]
    labels = {grade.label for grade in grades}
    if len(grades) < 2 or len(set(numbers)) < len(grades) or len(labels) < len(grades):
        raise _MisfitError("two grades or more, with different numbers and labels")
    if numbers[0] != 0 or len(grades) > 10:
        raise _MisfitError("at most ten grades, the lowest of them 0")
    return grades


def _known_documents(value: Any) -> tuple[KnownDocument, ...]:
    return tuple(_table(KnownDocument, table) for table in _tables(value))


def _tables(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise _MisfitError("a list of tables")
    return value


def _table(kind: type[Any], table: Mapping[str, Any]) -> Any:
    """Return one table as a value of this kind: a grade is a number, all else is text."""
    names = [member.name for member in fields(kind)]
    optional = ("means", "why")
    needed = [name for name in names if name not in optional]
    if not set(needed) <= set(table) <= set(names):
        raise _MisfitError(f"tables with {', '.join(needed)}")
    number = _number(0, 1000)
    read = {name: number if name == "grade" else _any_text for name in names}
    return kind(**{name: read[name](cell) for name, cell in table.items()})


def _measures(value: Any) -> tuple[Measure, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        raise _MisfitError("a list of measures")
    return tuple(parse_measure(_text(name)) for name in names)


_SHARE = _number(0, 0.9)
_READ: dict[str, Callable[[Any], Any]] = {
    "name": _text,
    "grades": _grades,
    "measures": _measures,
    "goal": lambda value: parse_goal(_text(value)),
    "depth": _whole(1, 10_000),
    "guidelines": _any_text,
    "guidelines_version": _text,
    "assessors_per_document": _whole(1, 20),
    "assignment": _one_of(tuple(ASSIGNMENTS)),
    "judged_twice": _number(0, 1),
    "random_share": _SHARE,
    "batch": _whole(1, 10_000),
    "margin": _number(0.0001, 1),
    "common_topics": _whole(0, 10_000),
    "practice": _known_documents,
    "traps": _known_documents,
    "trap_every": _whole(2, 10_000),
    "lease_minutes": _number(0.01, 100_000),
    "seed": _whole(0, 2**31),
}
"""How each setting is read and checked."""
