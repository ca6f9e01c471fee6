"""Ways to score runs with unjudged documents, all of one shape."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades
from poolwise.evidence._ungraded import Universe, condense
from poolwise.evidence.unknowns.relevance_model._pool_shape import READ_OFF, find_pool
from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import JudgedShare
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.scores.treatments.score_distribution import bootstrap

__all__ = ["Bootstrap", "Bounded", "Condensed", "NonRelevant", "Treatment", "below_pool", "not_for"]


class Treatment(Protocol):
    """A way to score runs with unjudged documents; its fields are its options.

    Attributes
    ----------
    name : str
        What the treatment is called.
    summary : str
        One line that says what it does.

    Examples
    --------
    >>> class Halved:
    ...     name = "halved"
    ...     summary = "scores between the bounds, half way"
    ...
    ...     def table(self, evidence, measure, rng):
    ...         plain = score(evidence, measure)
    ...         return replace(plain, value=(plain.lower + plain.upper) / 2)
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> Halved().table(evidence, parse_measure("P@4"), 1).value.tolist()
    [[0.5]]
    """

    @property
    def name(self) -> str:
        """What the treatment is called."""

    @property
    def summary(self) -> str:
        """One line that says what it does."""

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the estimates, with a range where the treatment gives one, else NaN."""


@dataclass(frozen=True)
class NonRelevant:
    """Unjudged documents are not relevant: the default of the field.

    Attributes
    ----------
    name, summary : str
        What the treatment is called, and what it does.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> NonRelevant().table(evidence, parse_measure("P@4"), 1).value.tolist()
    [[0.25]]
    """

    name: ClassVar[str] = "nonrelevant"
    summary: ClassVar[str] = "unjudged documents are not relevant"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores."""
        del rng
        return score(evidence, measure, bounds="none")


@dataclass(frozen=True)
class Condensed:
    """Unjudged documents are dropped, and the list closes up.

    Attributes
    ----------
    name, summary : str
        What the treatment is called, and what it does.
    needs_non_relevant : bool
        Whether it needs judged documents that are not relevant.
    ranged : bool
        Whether to give a range as well, from the plain score to the condensed one (B23 table 6).

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[None, 1, None, 0]])
    >>> Condensed().table(evidence, parse_measure("RR"), 1).value.tolist()
    [[1.0]]
    >>> found = Condensed(ranged=True).table(evidence, parse_measure("RR"), 1)
    >>> found.lower.item(), found.upper.item()
    (0.5, 1.0)
    """

    ranged: bool = False

    name: ClassVar[str] = "condensed"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unjudged documents are dropped from the list"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the scores of the condensed lists."""
        del rng
        if isinstance(measure, JudgedShare | SampledMeasure):
            raise not_for(measure, self.name, "of documents with grades, such as nDCG@10")
        table = score(condense(evidence.without_documents()), measure, bounds="none")
        # A run is as present as before, even where nothing of its list is left.
        found = replace(table, answered=evidence.lengths > 0)
        if not self.ranged:
            return found
        # Judged documents move up, so that the condensed score is the higher one of most measures.
        ends = score(evidence, measure, bounds="none").value, found.value
        return replace(found, lower=np.minimum(*ends), upper=np.maximum(*ends))


@dataclass(frozen=True)
class Bounded:
    """The plain score, with the range that the unjudged documents leave open.

    Parameters
    ----------
    kind : {"exact", "naive"}
        Which range: over all grades that the unjudged documents could have, or that of B23.
    universe : Universe, optional
        The documents that the range is over; where it is not told, those of all runs.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> found = Bounded("exact").table(evidence, parse_measure("P@4"), 1)
    >>> found.value.item(), found.lower.item(), found.upper.item()
    (0.25, 0.25, 0.75)
    """

    kind: str = "exact"
    universe: Universe | None = field(default=None, repr=False)
    """The documents that the range is over; where it was not told, those of all runs."""

    @property
    def name(self) -> str:
        """``exact`` or ``naive``."""
        return self.kind

    @property
    def summary(self) -> str:
        """What the range is over."""
        ranges = {
            "exact": "over all grades they could have",
            "naive": "of B23, with the ideal kept",
        }
        return f"unjudged documents are not relevant; range {ranges.get(self.kind, '')}".strip()

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores and their bounds."""
        del rng
        return score(evidence, measure, bounds=self.kind, universe=self.universe or "runs")


@dataclass(frozen=True)
class Bootstrap:
    """Unjudged documents draw grades from a prior; the most frequent score is the estimate (B23).

    The range goes from the plain score to a percentile of the drawn ones; see
    :func:`~poolwise.bootstrap` for the options and for the whole distribution.

    The documents that it draws are the known ones that a run lacks. In the first ranks that is
    fair; below the depth of the pool a run is handed nearly all of them, so that a measure which
    looks deeper is refused. ``depth`` is that of the pool, by default as it can be read off the
    judgments; ``deep`` takes whatever comes out, for comparisons.

    Parameters
    ----------
    prior, draws, joint, over
        As for :func:`~poolwise.bootstrap`.
    percentile : float
        Where the range ends, in percent of the drawn scores.
    depth : int, optional
        The depth of the pool.
    deep : bool
        Whether to treat a measure that looks below the pool as well.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[2, None, 0], [1, 0, 0]], judged=[2, 1, 0, 0, 1])
    >>> found = Bootstrap().table(evidence, parse_measure("nDCG@3"), 1)
    >>> found.value.round(3).tolist(), found.upper.round(3).tolist()
    ([[0.84], [0.319]], [[0.84], [0.319]])
    """

    name: ClassVar[str] = "bootstrap"
    needs_non_relevant: ClassVar[bool] = True
    summary: ClassVar[str] = "unjudged documents draw grades; the mode of 1000 scores (B23)"

    prior: str = "pool+run"
    draws: int = 1000
    joint: bool = False
    percentile: float = 95
    over: str = "topics"
    depth: int | None = None
    deep: bool = False

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the modes, from plain score to percentile."""
        reason = "" if self.deep else below_pool(evidence, measure, self.depth)
        if reason:
            raise OptionError(
                f"treatment: {self.name!r} cannot treat {measure!r}, since {reason}. Hint: use "
                "model, or a measure of the pooled ranks, such as nDCG@10."
            )
        found = bootstrap(
            evidence,
            measure,
            rng=rng,
            prior=self.prior,
            over=self.over,
            draws=self.draws,
            joint=self.joint,
        )
        return found.table(percentile=self.percentile)


def below_pool(grades: Grades, measure: Measure, depth: int | None = None) -> str:
    """Say why B23's draws mislead for a measure; nothing where it looks at pooled ranks alone.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, 0, 1, 0, 1, None]] * 3)
    >>> below_pool(evidence, parse_measure("P@5")), below_pool(evidence, parse_measure("P@6"))
    ('', 'it looks below rank 5, the depth of the pool, where draws hand a run the relevant
    documents that it missed')
    """
    pool = None if depth else find_pool(grades)
    if pool is not None and pool.source != READ_OFF:
        return ""
    deepest = depth if pool is None else pool.depth
    cutoff = getattr(measure, "cutoff", None)
    if deepest is None or deepest >= grades.depth or (cutoff is not None and cutoff <= deepest):
        return ""
    return (
        f"it looks below rank {deepest}, the depth of the pool, where draws hand a run the "
        "relevant documents that it missed"
    )


def not_for(measure: Measure, treatment: str, needed: str) -> OptionError:
    """Return the error that a treatment cannot treat a measure, and which measures it can."""
    return OptionError(
        f"treatment: {treatment!r} cannot treat {measure!r}. Hint: use a measure {needed}."
    )
