"""How far the rankings of a new run have moved from those of an old one, without judgments."""

from numbers import Real

import numpy as np

from poolwise.arrays import TOLERANCE, Indices
from poolwise.errors import InputError, OptionError
from poolwise.findings.similarity.run_overlaps import RunOverlap
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted, named

__all__ = ["RankingChange", "ranking_change"]

_SHOWN = 10
_NAMED = 3


@finding
class RankingChange(Finding):
    """Whether the rankings of two runs are alike enough, and the topics that moved most.

    Attributes
    ----------
    overlap : RunOverlap
        The rank-biased overlap of the old and the new run, topic by topic.
    fail_under : float
        The mean overlap that is asked for.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import run_overlap
    >>> runs = Runs.from_rankings({"old": {"1": ["x", "y"], "2": ["z"]},
    ...                            "new": {"1": ["y", "x"], "2": ["z"]}})
    >>> found = ranking_change(run_overlap(runs, "old", "new", p=0.5), fail_under=0.9)
    >>> found.sentences()[0]
    'Fail: new has a mean rank-biased overlap of 0.750 with old over 2 topics, below 0.9.'
    """

    overlap: RunOverlap
    fail_under: float

    @property
    def mean(self) -> float:
        """The mean overlap over topics."""
        return float(self.overlap.ext.mean())

    @property
    def verdict(self) -> str:
        """``pass`` or ``fail``."""
        return "pass" if self.mean >= self.fail_under - TOLERANCE else "fail"

    @property
    def passed(self) -> bool:
        """Whether the rankings are alike enough."""
        return self.verdict == "pass"

    @property
    def below(self) -> int:
        """How many topics have a smaller overlap than is asked for."""
        return int((self.overlap.ext < self.fail_under - TOLERANCE).sum())

    def moved(self) -> Indices:
        """Return the topics by position, those that moved most first."""
        return np.argsort(self.overlap.ext, kind="stable")

    def columns(self) -> Columns:
        """Return one row per topic, those that moved most first."""
        order = self.moved().tolist()
        plain = self.overlap.columns()
        return {name: [cells[t] for t in order] for name, cells in plain.items()}

    def tables(self) -> tuple[Table, ...]:
        """Return the topics that moved most."""
        found = self.columns()
        rows = tuple(zip(found["topic"], found["rbo"], strict=True))[:_SHOWN]
        title = f"{self.overlap.second} against {self.overlap.first}: topics that moved most"
        return (Table((Column("topic"), Column("rbo", digits=3)), rows, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say the verdict, and which topics moved most."""
        title, side = ("Pass", "not below") if self.passed else ("Fail", "below")
        first, second = self.overlap.first, self.overlap.second
        topics = counted(len(self.overlap.topics), "topic")
        overlap = f"a mean rank-biased overlap of {self.mean:.3f} with {first} over {topics}"
        return (
            f"{title}: {second} has {overlap}, {side} {self.fail_under:g}.",
            self._movers(),
            "This says how far rankings moved, and not whether they became better or worse.",
        )

    def _movers(self) -> str:
        found = self.columns()
        moved = [
            f"{topic} ({rbo:.3f})"
            for topic, rbo in zip(found["topic"], found["rbo"], strict=True)
            if rbo < 1 - TOLERANCE
        ]
        if not moved:
            return "No ranking has moved."
        under = f"{self.below:,} of {counted(len(self.overlap.topics), 'topic')}"
        names = ", ".join(moved[:_NAMED])
        return f"Below {self.fail_under:g} by themselves: {under}. The furthest moved: {names}."


def ranking_change(overlap: RunOverlap, *, fail_under: float) -> RankingChange:
    """Ask whether two runs are alike enough on average; both must answer every topic."""
    if not isinstance(fail_under, Real) or not 0 <= float(fail_under) <= 1:
        raise OptionError(
            f"fail_under: an overlap is between 0 and 1; got {fail_under!r}. Hint: use 0.9."
        )
    alone = [t for t, rbo in zip(overlap.topics, overlap.ext, strict=True) if np.isnan(rbo)]
    if alone or not overlap.topics:
        raise InputError(
            f"{overlap.first}, {overlap.second}",
            "both runs must have results for the same topics, and one of them lacks "
            + counted(len(alone), "topic"),
            value=named(alone),
            remedy="run both on the same topics, or name the topics to compare with --topic",
        )
    return RankingChange(overlap, fail_under, provenance=overlap.provenance)
