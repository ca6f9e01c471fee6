"""What is claimed of runs whatever their unjudged documents are: data that can be asked."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import InputError, OptionError, PoolwiseError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import RangeScope
from poolwise.provenance._provenance import Provenance, Source
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.scores._score_table import ScoreTable
from poolwise.words import claims_text, named

__all__ = [
    "RELATIONS",
    "Claim",
    "Grounds",
    "Places",
    "Relation",
    "claims_from_json",
    "claims_to_json",
    "failing_claims",
    "score_claims",
]


@dataclass(frozen=True)
class Grounds:
    """What claims are about, and what they were made from; claims of one result share it.

    Attributes
    ----------
    measure : Measure
        What runs are scored by.
    systems, topics : tuple of str
        The runs that were looked at together, and the topics of their means.
    universe : Universe
        Whose unjudged documents may have any grade.
    grades : tuple of float
        The scale: the grades that a document may have.
    within : float
        How far two means may differ and still be level.
    documents : str
        The universe, in words.
    judged : int
        How many documents were judged.
    unjudged : int, optional
        How many documents of the universe were not; None where they cannot be counted.
    provenance : Provenance
        The files, with their hashes.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "x"]}})
    >>> grounds = Grounds(parse_measure("P@2"), ("a", "b"), ("1",), grades=(0.0, 1.0))
    >>> grounds.means(Judgments.from_dict({"1": {"x": 1, "u": 1}}), runs).tolist()
    [1.0, 0.5]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    universe: Universe = field(default_factory=Universe)
    grades: tuple[float, ...] = ()
    within: float = 0.0
    documents: str = "the unjudged documents"
    judged: int = 0
    unjudged: int | None = None
    provenance: Provenance = field(default=Provenance(), compare=False)

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        measure: Measure,
        *,
        universe: Universe,
        scope: RangeScope,
        within: float,
    ) -> "Grounds":
        """Describe what ranges of this evidence are over."""
        return cls(
            measure=measure,
            systems=evidence.systems,
            topics=evidence.topics,
            universe=universe,
            grades=tuple(evidence.scale.tolist()),
            within=within,
            documents=scope.documents or "the unjudged documents",
            judged=int(evidence.pool.sum()),
            unjudged=_unjudged(evidence, measure, universe),
            provenance=evidence.provenance,
        )

    @property
    def whatever(self) -> str:
        """What a claim holds for, in words; nothing where no document is left to judge."""
        return "" if self.unjudged == 0 else f", whatever {self.documents} are"

    def means(self, judgments: Judgments, runs: Runs) -> Floats:
        """Return the mean of each system under completed judgments; NaN where none is defined.

        A document without a grade is not relevant, and a topic without a score for every system
        is left out: METHODS of every other mean.
        """
        graded = judgments.with_grades(self.grades) if self.grades else judgments
        evidence = align(graded, runs.select(self.systems), topics=self.topics)
        scores = self.measure.score(evidence)
        defined = ~np.isnan(scores).any(axis=0)
        if not defined.any():
            return np.full(len(self.systems), np.nan)
        return np.asarray(scores[:, defined].mean(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, with the hashes of the files that were read."""
        return {
            "measure": str(self.measure),
            "systems": list(self.systems),
            "topics": list(self.topics),
            "universe": self.universe.kind,
            "universe_depth": self.universe.depth,
            "grades": list(self.grades),
            "level_within": self.within,
            "documents": self.documents,
            "judged": self.judged,
            "unjudged": self.unjudged,
            "files": [
                {"path": source.path, "sha256": source.sha256} for source in self.provenance.sources
            ],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Grounds":
        """Read what :meth:`to_dict` gives."""
        first, *others = [Source(file["path"], hashed=file["sha256"]) for file in given["files"]]
        return cls(
            measure=parse_measure(given["measure"]),
            systems=tuple(given["systems"]),
            topics=tuple(given["topics"]),
            universe=Universe.of(given["universe"], given["universe_depth"]),
            grades=tuple(given["grades"]),
            within=given["level_within"],
            documents=given["documents"],
            judged=given["judged"],
            unjudged=given["unjudged"],
            provenance=Provenance(first, tuple(others)),
        )


def _unjudged(evidence: Evidence, measure: Measure, universe: Universe) -> int | None:
    """Count the documents of the universe that have no grade, where it is that of all runs."""
    if universe.kind != "runs":
        return None
    return int(evidence.universe(universe.reach(measure.depth) or evidence.depth).sum())


class Places(NamedTuple):
    """The best and the worst place of a run; between them lie those that it is level with."""

    best: int
    worst: int

    @classmethod
    def of(cls, at: int, means: Floats, within: float) -> "Places":
        """Return the places of a system by its mean."""
        above = int((means > means[at] + within).sum())
        below = int((means < means[at] - within).sum())
        return cls(1 + above, len(means) - below)


class Relation(NamedTuple):
    """A kind of claim: how it is worded, and when it holds.

    ``holds`` takes the claim, and the means of its systems, none of them undefined.
    """

    words: str
    holds: Callable[["Claim", Floats], bool]
    thresholds: tuple[str, ...] = ()
    """Which of ``low`` and ``high`` it has."""
    if_undefined: bool = True
    """Whether it holds where no mean is defined."""


def _ahead(claim: "Claim", means: Floats) -> bool:
    return claim.lead(means) > claim.grounds.within


def _not_behind(claim: "Claim", means: Floats) -> bool:
    return claim.lead(means) >= -claim.grounds.within


def _within_margin(claim: "Claim", means: Floats) -> bool:
    return claim.lead(means) >= -claim.high - claim.grounds.within


def _level(claim: "Claim", means: Floats) -> bool:
    return abs(claim.lead(means)) <= claim.grounds.within


def _rank_in(claim: "Claim", means: Floats) -> bool:
    places = claim.places(means)
    return places.best <= claim.high and places.worst >= claim.low


def _score_in(claim: "Claim", means: Floats) -> bool:
    mean, within = means[claim.at(claim.subject)], claim.grounds.within
    return bool(claim.low - within <= mean <= claim.high + within)


def _cannot_lead(claim: "Claim", means: Floats) -> bool:
    # Level with another run it shares the lead, which counts either way.
    return claim.places(means).worst > 1


RELATIONS: dict[str, Relation] = {
    "ahead": Relation(
        "{subject} is ahead of {object} in {measure}{whatever}", _ahead, if_undefined=False
    ),
    "not behind": Relation(
        "{subject} is ahead of {object} or level with it in {measure}{whatever}", _not_behind
    ),
    "behind by at most": Relation(
        "{subject} is behind {object} by no more than {high:g} in {measure}{whatever}",
        _within_margin,
        ("high",),
    ),
    "level": Relation("{subject} and {object} are level in {measure}{whatever}", _level),
    "among the first": Relation(
        "{subject} is among the first {high:g} of {runs} by {measure}{whatever}",
        lambda claim, means: claim.places(means).best <= claim.high,
        ("high",),
    ),
    "rank in": Relation(
        "the place of {subject} by {measure} is from {low:g} to {high:g} of {runs}{whatever}",
        _rank_in,
        ("low", "high"),
    ),
    "score in": Relation(
        "the mean {measure} of {subject} is from {low:.4f} to {high:.4f}{whatever}",
        _score_in,
        ("low", "high"),
    ),
    "cannot lead": Relation("{subject} cannot lead by {measure}{whatever}", _cannot_lead),
    # It says what its parts say, and holds if they do.
    "nothing to judge": Relation(
        "nothing more to judge for {subject}: {claims}{whatever}", lambda *_: True
    ),
}
"""The kinds of claims: the one place that words them."""


@dataclass(frozen=True)
class Claim:
    """Something said of runs under every grading of the unjudged documents.

    Whatever is worded as *whatever, certain, cannot, never, nothing more* is made from one.

    Attributes
    ----------
    relation : str
        A key of ``RELATIONS``.
    subject : str
        The run that it is about; of *nothing to judge*, the goal.
    object : str
        The other run, where there is one.
    low, high : float
        The thresholds, where there are any: k of the first k, a margin, both ends of places or
        scores.
    grounds : Grounds
        By which measure, on which topics, over which documents and grades.
    parts : tuple of Claim
        What *nothing to judge* rests on: it holds if all of them do.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "x"]}})
    >>> grounds = Grounds(parse_measure("P@1"), ("a", "b"), ("1",), grades=(0.0, 1.0))
    >>> claim = Claim("ahead", "a", "b", grounds=grounds)
    >>> print(claim)
    a is ahead of b in P@1, whatever the unjudged documents are
    >>> claim.holds(Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    True
    >>> claim.holds(Judgments.from_dict({"1": {"x": 1, "y": 1}}), runs)
    False
    >>> Claim.from_json(claim.to_json()) == claim
    True
    """

    relation: str
    subject: str
    object: str = ""
    low: float = 0.0
    high: float = 0.0
    grounds: Grounds = field(kw_only=True)
    parts: tuple["Claim", ...] = ()

    def __post_init__(self) -> None:
        require_choice("relation", self.relation, RELATIONS)

    def __str__(self) -> str:
        """Word it: a sentence without its full stop."""
        return self.words(self.grounds.whatever)

    def words(self, whatever: str) -> str:
        """Put it into words that end in what it holds for; its parts share one end."""
        return RELATIONS[self.relation].words.format(
            subject=self.subject,
            object=self.object,
            low=self.low,
            high=self.high,
            measure=self.grounds.measure,
            runs=f"{len(self.grounds.systems):,} runs",
            whatever=whatever,
            claims=named([part.words("") for part in self.parts], most=3),
        )

    def holds(self, judgments: Judgments, runs: Runs) -> bool:
        """Score the completed judgments, and tell whether the claim is true of them.

        Parameters
        ----------
        judgments : Judgments
            Those that were known, with grades for any of the documents of the universe.
        runs : Runs
            At least those that the claim was made from.
        """
        return not failing_claims([self], judgments, runs)

    def holds_for(self, means: Floats) -> bool:
        """Tell whether it is true of these means, those of ``grounds.systems`` in their order."""
        if self.parts:
            return all(part.holds_for(means) for part in self.parts)
        relation = RELATIONS[self.relation]
        if np.isnan(means).all():
            return relation.if_undefined
        return relation.holds(self, means)

    def at(self, system: str) -> int:
        """Return the position of a run among those that were looked at."""
        return int(indices_of((system,), self.grounds.systems, what="systems")[0])

    def lead(self, means: Floats) -> float:
        """Return by how much the subject is ahead of the object."""
        return float(means[self.at(self.subject)] - means[self.at(self.object)])

    def places(self, means: Floats) -> Places:
        """Return the best and the worst place of the subject."""
        return Places.of(self.at(self.subject), means, self.grounds.within)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without its grounds; thresholds and runs that it has."""
        thresholds = RELATIONS[self.relation].thresholds
        parts = [part.to_dict() for part in self.parts]
        return {
            "relation": self.relation,
            "subject": self.subject,
            **({"object": self.object} if self.object else {}),
            **{name: float(getattr(self, name)) for name in thresholds},
            "measure": str(self.grounds.measure),
            **({"parts": parts} if parts else {}),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], grounds: Grounds) -> "Claim":
        """Read what :meth:`to_dict` gives."""
        parts = tuple(cls.from_dict(part, grounds) for part in given.get("parts", ()))
        own = ("relation", "subject", "object", "low", "high")
        members = {name: given[name] for name in own if name in given}
        return cls(**members, parts=parts, grounds=grounds)

    def to_json(self) -> str:
        """Return it with its grounds, for a file of its own: a certificate."""
        return claims_to_json([self])

    @classmethod
    def from_json(cls, text: str) -> "Claim":
        """Read what :meth:`to_json` gives."""
        (claim,) = claims_from_json(text)
        return claim

    def columns(self) -> Columns:
        """Return one row with its parts in words and numbers."""
        members = self.to_dict()
        names = ("measure", "relation", "subject", "object", "low", "high")
        return {name: [members.get(name)] for name in names} | {"claim": [str(self)]}


@recorded
def score_claims(table: ScoreTable) -> tuple[Claim, ...]:
    """Return the claims that the mean of each run stays in its range; nothing without ranges.

    Parameters
    ----------
    table : ScoreTable
        Scores with their ranges over judgments.

    Returns
    -------
    tuple of Claim
        One for each run.

    Examples
    --------
    >>> from poolwise import Grades, score
    >>> table = score(Grades.from_grades([[1, None, 0, None]]), "P@4")
    >>> print(*score_claims(table))
    the mean P@4 of run1 is from 0.2500 to 0.7500, whatever the unjudged documents in the first 4
    ranks of the run are
    """
    scope, ranges = table.scope, table.over_judgments
    if scope.kind == "none" or ranges.over != "judgments" or table.naive:
        return ()
    grounds = Grounds(
        table.measure,
        table.systems,
        table.topics,
        grades=scope.grades,
        within=table.tolerance,
        documents=scope.documents,
        provenance=table.provenance,
    )
    ends = zip(table.systems, ranges.low.tolist(), ranges.high.tolist(), strict=True)
    return tuple(
        Claim("score in", run, low=low, high=high, grounds=grounds)
        for run, low, high in ends
        if not np.isnan(low)
    )


@recorded
def failing_claims(claims: Iterable[Claim], judgments: Judgments, runs: Runs) -> tuple[Claim, ...]:
    """Return the claims that completed judgments refute, each measure scored once.

    Parameters
    ----------
    claims : iterable of Claim
        Those to ask.
    judgments, runs
        The completed judgments, and the runs that the claims are about.

    Returns
    -------
    tuple of Claim
        Those that do not hold.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x"]}, "b": {"1": ["y"]}})
    >>> grounds = Grounds(parse_measure("P@1"), ("a", "b"), ("1",))
    >>> both = [Claim("not behind", *pair, grounds=grounds) for pair in (("a", "b"), ("b", "a"))]
    >>> judged = Judgments.from_dict({"1": {"x": 1, "y": 0}})
    >>> [claim.subject for claim in failing_claims(both, judged, runs)]
    ['b']
    """
    means: dict[Grounds, Floats] = {}
    return tuple(
        claim
        for claim in claims
        if not claim.holds_for(_means_of(claim.grounds, judgments, runs, means))
    )


def _means_of(
    grounds: Grounds, judgments: Judgments, runs: Runs, means: dict[Grounds, Floats]
) -> Floats:
    if grounds not in means:
        means[grounds] = grounds.means(judgments, runs)
    return means[grounds]


_NOT_CLAIMS = "holds no claims"


@recorded
def claims_to_json(claims: Iterable[Claim]) -> str:
    """Write claims, and what they are about once for all that share it.

    Parameters
    ----------
    claims : iterable of Claim
        What is claimed.

    Returns
    -------
    str
        JSON, with the hashes of the files that the claims were made from.

    Examples
    --------
    >>> grounds = Grounds(parse_measure("P@1"), ("a", "b"), ("1",))
    >>> text = claims_to_json([Claim("level", "a", "b", grounds=grounds)])
    >>> json.loads(text)["claims"]
    [{'relation': 'level', 'subject': 'a', 'object': 'b', 'measure': 'P@1', 'grounds': 0}]
    """
    return claims_text(claims)


@recorded
def claims_from_json(text: str) -> tuple[Claim, ...]:
    """Read claims that were written, to ask them again.

    Parameters
    ----------
    text : str
        What :func:`claims_to_json` wrote, or a result in JSON that has claims.

    Returns
    -------
    tuple of Claim
        The claims, in the order of the text.

    Examples
    --------
    >>> claims_from_json("{}")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: text: holds no claims: 'claims' is missing. Hint: give what
    claims_to_json wrote.
    """
    try:
        return tuple(_read_claims(json.loads(text)))
    except KeyError as error:
        raise OptionError(
            f"text: {_NOT_CLAIMS}: {error} is missing. Hint: give what claims_to_json wrote."
        ) from error
    except (TypeError, AttributeError, IndexError, PoolwiseError) as error:
        raise OptionError(
            f"text: {_NOT_CLAIMS} as claims_to_json writes them: {error}. Hint: give what it wrote."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("text", f"{_NOT_CLAIMS}, since it is no JSON", value=str(error)) from error


def _read_claims(content: Mapping[str, Any]) -> Iterator[Claim]:
    rows = content["claims"]
    grounds = [Grounds.from_dict(entry) for entry in content["grounds"]]
    by_place = dict(enumerate(grounds))  # a place below 0 is none
    return (Claim.from_dict(row, by_place[row["grounds"]]) for row in rows)
