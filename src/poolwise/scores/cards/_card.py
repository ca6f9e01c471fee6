"""What a later reader needs of the runs that made a pool, without the runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from poolwise.arrays import Booleans
from poolwise.collection._groups import Groups
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pool_shape import CARD, PoolShape, find_pool
from poolwise.evidence.unknowns.relevance_model._features import LISTS, Units, units_text
from poolwise.evidence.unknowns.relevance_model._summed_documents import SummedDocuments
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Notice
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._standardization import StandardizationFactors
from poolwise.scores.cards._standing import EVERY_KIND, Standing
from poolwise.scores.treatments._calibration import DifferenceErrors, LeftOutErrors
from poolwise.words import counted, named

__all__ = ["CardedRun", "CollectionCard", "JudgedContent", "MeasureCard", "content_of_runs"]

_FEW_REFERENCES = (10, 20)
"""Reference runs from which the order of other runs is as stable as between plain and standardized
scores, in 95 and in 99 of 100 samples (W10 figure 4.8)."""


@dataclass(frozen=True)
class CardedRun:
    """An original run: its name, the hash of its first ranks, its kind, and whether it was pooled.

    Attributes
    ----------
    content : str
        The hash of topics and documents of its first 100 ranks, whatever file they were in.
    """

    name: str
    content: str
    kind: str = ""
    pooled: bool = False


@dataclass(frozen=True)
class JudgedContent:
    """Which judgments a card is of.

    Attributes
    ----------
    content : str
        The hash of topics, documents and grades, whatever file they were in.
    counts : dict of str to int
        How many documents each topic has judged.
    scale : tuple of float
        The grades.
    """

    content: str
    counts: Mapping[str, int]
    scale: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class MeasureCard:
    """What a card has for one measure.

    Attributes
    ----------
    errors, differences
        What the relevance model says of pooled runs that are left out; None where ranges cannot be
        calibrated.
    factors : StandardizationFactors
        Of the reference runs.
    standing : Standing
        The scores of the original runs.
    """

    measure: Measure
    factors: StandardizationFactors
    standing: Standing
    errors: LeftOutErrors | None = None
    differences: DifferenceErrors | None = None


@finding
class CollectionCard(Finding):
    """What is needed of a collection's original runs to judge a new one, without these runs.

    Attributes
    ----------
    judgments : JudgedContent
        Which judgments it is of.
    depth : int
        The depth of the pool, and in ``whence`` where that is known from.
    groups : int
        How many groups the runs come from; ``told`` says whether that was given.
    units : Units
        What was left out in turn, for calibration.
    runs : tuple of CardedRun
        The original runs.
    references : tuple of str
        Those that standardization factors come from.
    measures : dict of str to MeasureCard
        What there is for each measure.
    documents : SummedDocuments, optional
        The documents of the first ranks, with sums over groups; None where the card is for
        standardized scores alone.
    spreads : mapping
        By grade, how much groups differ from what the model says, on all topics and on one.
    not_calibrated : str
        Why errors of left-out runs are not known; empty where they are.
    smoothing : str
        How scores are meant to be standardized by it: a key of ``SMOOTHINGS``.

    Examples
    --------
    >>> from poolwise import make_card, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> len(make_card(made.judgments, made.runs, "P@5").runs)
    8
    """

    judgments: JudgedContent
    depth: int
    whence: str
    groups: int
    told: bool
    units: Units
    runs: tuple[CardedRun, ...]
    references: tuple[str, ...]
    measures: dict[str, MeasureCard]
    documents: SummedDocuments | None = None
    spreads: Mapping[float, tuple[float, float]] = field(default_factory=dict)
    not_calibrated: str = ""
    smoothing: str = "none"

    @property
    def recorded_as(self) -> str:
        """What provenance says of it: which judgments and how many runs it is of."""
        return f"of judgments {self.judgments.content[:12]}, {counted(len(self.runs), 'run')}"

    @property
    def pooled(self) -> int:
        """How many of the original runs were pooled."""
        return sum(run.pooled for run in self.runs)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its original runs, as far as they were given."""
        return tuple(sorted({run.kind for run in self.runs} - {""}))

    def of(self, measure: Measure) -> MeasureCard:
        """Return what it has for a measure, or say which measures it has."""
        if str(measure) not in self.measures:
            raise OptionError(f"card: {self.lacks(measure)}. Hint: {self._another()}")
        return self.measures[str(measure)]

    def lacks(self, measure: Measure) -> str:
        """Say that a measure is not in it."""
        return f"it has nothing for {measure}, but for {named(list(self.measures), most=12)}"

    @staticmethod
    def _another() -> str:
        return "use one of these, or make a card with the measure (card make -m)."

    def require_documents(self) -> SummedDocuments:
        """Return its documents, or say that it has none."""
        if self.documents is None:
            raise OptionError(
                "card: it is for standardized scores alone, and has no documents to estimate by. "
                "Hint: make one without --factors-only."
            )
        return self.documents

    def knows(self, evidence: Evidence) -> Booleans:
        """Tell which runs are original ones, by their documents and not by their names."""
        contents = {run.content for run in self.runs}
        return np.array([content in contents for content in content_of_runs(evidence)], np.bool_)

    def shape(self, evidence: Evidence, groups: Groups | None = None) -> PoolShape:
        """Return how the pool was made, with these runs as new ones.

        Behind the groups of the runs stand as many as the card has, without their names.
        """
        pool = find_pool(evidence, depth=min(self.depth, max(evidence.depth, 1)), groups=groups)
        nameless = tuple(f"group {number} of the card" for number in range(self.groups))
        return replace(
            pool,
            depth=self.depth,
            source=CARD,
            groups=pool.groups + nameless,
            described=self.described,
        )

    @property
    def described(self) -> str:
        """How many runs it is of, in words."""
        groups = f", {counted(self.groups, 'group')}" if self.told else ""
        return f"{self.pooled:,} of {counted(len(self.runs), 'run')} pooled{groups}"

    def reference_notices(self) -> tuple[Notice, ...]:
        """Say what few reference runs mean for standardized scores."""
        few, enough = _FEW_REFERENCES
        count = len(self.references)
        if count >= enough:
            return ()
        fewer, odds = (few, 20) if count < few else (enough, 100)
        said = (
            f"reference runs, where {fewer} or more are advised: of fewer, one choice in {odds} "
            "changes the order of other runs more than standardizing does (W10 figure 4.8)"
        )
        return (Notice(said, count),)

    def columns(self) -> Columns:
        """Return one row for each measure: the original runs' means, and what can be had."""
        ranked = {
            name: measure.standing.means[EVERY_KIND] for name, measure in self.measures.items()
        }
        return {
            "measure": list(ranked),
            "best": [float(of[0]) for of in ranked.values()],
            "median": [float(np.median(of)) for of in ranked.values()],
            "worst": [float(of[-1]) for of in ranked.values()],
            "calibrated": [measure.errors is not None for measure in self.measures.values()],
            "references": [measure.factors.references for measure in self.measures.values()],
            "ddof": [measure.factors.ddof for measure in self.measures.values()],
            "smoothing": [self.smoothing] * len(self.measures),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the measures with the means of the original runs."""
        columns = self.columns()
        shown = {"best": 4, "median": 4, "worst": 4}
        columns["calibrated"] = [
            "yes" if is_calibrated else "no" for is_calibrated in columns["calibrated"]
        ]
        cells = {Column(name, digits=shown.get(name)): of for name, of in columns.items()}
        judged = counted(sum(self.judgments.counts.values()), "judgment")
        topics = counted(len(self.judgments.counts), "topic")
        title = f"Card of {judged} on {topics}, {counted(len(self.runs), 'original run')}"
        return (Table.by_column(cells, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say what can be had with the card, and what cannot."""
        few = (f"Few {notice}." for notice in self.reference_notices())
        return (*self._about_estimates(), *few, self._about_runs())

    def _about_estimates(self) -> tuple[str, ...]:
        pool = f"Pool: depth {self.depth}, {self.whence}; {self.described}."
        if self.documents is None:
            return ("For standardized scores alone: it has no documents.", pool)
        if self.not_calibrated:
            return (f"Estimates by it have no calibrated range: {self.not_calibrated}.", pool)
        units = units_text(self._left_out, self.units.what)
        calibrated = (
            f"Ranges of estimates are calibrated on {units} left out in turn, of the pool without "
            "the new run."
        )
        return (calibrated, pool)

    @property
    def _left_out(self) -> int:
        """How many units were left out: of few kinds, each run is one."""
        errors = (measure.errors for measure in self.measures.values())
        return max((len(np.unique(of.units)) for of in errors if of), default=self.units.kinds)

    def _about_runs(self) -> str:
        return (
            "It has sums over groups for each document, and no ranking of any run."
            if self.documents is not None
            else "It has neither documents nor judgments."
        )


def content_of_runs(evidence: Evidence) -> tuple[str, ...]:
    """Return the hash of each run's first 100 ranks on all topics, by topic and document.

    Examples
    --------
    >>> same = Evidence.from_grades([[1, 0], [0, 1]])
    >>> first, second = content_of_runs(same)
    >>> first == second, len(first)
    (False, 64)
    """
    hashers = [sha256() for _ in evidence.systems]
    topics = iter(evidence.topics)
    for block in evidence.blocks:
        for place in range(block.shape[1]):
            name = f"\n{next(topics)}\n".encode("utf-8", "surrogateescape")
            lists = block.documents[:, place, :LISTS]
            for of_run, codes in zip(hashers, lists, strict=True):
                rows = block.document_starts[place] + codes[codes >= 0]
                ids = evidence.document_ids.take(rows)
                of_run.update(name)
                of_run.update(np.diff(ids.offsets).astype("<i8").tobytes())
                of_run.update(ids.data.tobytes())
    return tuple(of_run.hexdigest() for of_run in hashers)
