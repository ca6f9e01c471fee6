"""What a gate asks of a candidate, and its verdict by one measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Real

import numpy as np

from poolwise.arrays import Floats, settle
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._differences import Differences, judgment_ranges
from poolwise.findings.gating._labelled_pair import FEWEST_TOPICS, LabelledPair
from poolwise.findings.gating._limits import MeanLimits, largest_pvalue, mean_limits, unseen_share
from poolwise.findings.planning._power import topics_needed, whole_topics
from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import JudgedShare
from poolwise.scores._uncertainty import Uncertainty, check_alpha
from poolwise.words import counted

__all__ = ["UNDECIDED", "GateRules", "MeasureGate", "gate_by_measure", "margins_of"]

UNDECIDED = {
    "pass": "a gate that does not decide lets the candidate pass",
    "fail": "a gate that does not decide refuses the candidate",
}
"""What may become of a gate that is undecided."""


@dataclass(frozen=True)
class GateRules:
    """What a candidate must keep, beside the margin of each measure.

    Attributes
    ----------
    alpha : float
        The chance that a candidate passes which is worse by the margin, or fails which is not.
    strict : bool
        Pass only if no assignment of grades to the unjudged documents could undo it.
    max_topic_loss : float, optional
        Fail if a topic loses more than this.
    min_judged : float, optional
        Pass only if this share of the candidate's first documents is judged.
    undecided : {"", "pass", "fail"}
        What becomes of a gate that is undecided: see ``UNDECIDED``.

    Examples
    --------
    >>> GateRules(min_judged=80)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: min_judged: must be between 0 and 1; got 80. Hint: use 0.8 for 80%.
    """

    alpha: float = 0.05
    strict: bool = False
    max_topic_loss: float | None = None
    min_judged: float | None = None
    undecided: str = ""

    def recorded_options(self) -> dict[str, object]:
        """Return the rules that are not as usual, which provenance keeps."""
        usual = {field.name: field.default for field in fields(self)}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        if self.undecided:
            require_choice("undecided", self.undecided, UNDECIDED)
        if self.max_topic_loss is not None:
            _require_loss("max_topic_loss", self.max_topic_loss)
        if self.min_judged is not None and not 0 <= self.min_judged <= 1:
            raise OptionError(
                f"min_judged: must be between 0 and 1; got {self.min_judged!r}. "
                "Hint: use 0.8 for 80%."
            )

    def options(self) -> dict[str, object]:
        """Return the rules that were set, for the provenance."""
        optional = {"max_topic_loss": self.max_topic_loss, "min_judged": self.min_judged}
        flags = {"strict": int(self.strict)} if self.strict else {}
        undecided = {"undecided": self.undecided} if self.undecided else {}
        limits = {name: value for name, value in optional.items() if value is not None}
        return {"alpha": self.alpha, **flags, **limits, **undecided}


def margins_of(margin: float | Sequence[float], measures: int) -> tuple[float, ...]:
    """Return the margin of each measure: one for all of them, or one each.

    Examples
    --------
    >>> margins_of(0.01, 2), margins_of([0.01, 0.02], 2)
    ((0.01, 0.01), (0.01, 0.02))
    >>> margins_of(-0.01, 1)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: margin: a loss is a finite number, 0 or more; got -0.01. Hint: use
    0.01.
    """
    margins = list(margin) if isinstance(margin, Sequence) else [margin]
    if len(margins) not in (1, measures):
        raise OptionError(
            f"margin: there must be one for all measures or one for each; got {len(margins)} of "
            f"them, and {measures} to measure by. Hint: give one."
        )
    for loss in margins:
        _require_loss("margin", loss)
    return tuple(float(loss) for loss in (margins * measures if len(margins) == 1 else margins))


def _require_loss(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < float("inf"):
        raise OptionError(
            f"{name}: a loss is a finite number, 0 or more; got {value!r}. Hint: use 0.01."
        )


JUDGED_DEPTH = 10
"""Ranks in which judged documents are counted, for a measure without a cut-off."""
_POWER = 0.8


@dataclass(frozen=True, eq=False)
class MeasureGate:
    """Candidate minus baseline by one measure, and what the rules make of it.

    ``deltas`` are candidate minus baseline by topic, 0 where they are level, and ``means`` those
    of baseline and candidate; ``p_fail`` is corrected for the number of measures, ``limits`` are
    not. ``judged`` is the share of the candidate's first documents with a grade. ``bounds`` is the
    range of the mean difference over the grades of unjudged documents, and ``p_high`` the largest
    p value of a pass that those leave; NaN where that is not known.

    ``labelled`` is what a machine's labels add to people's: then ``deltas`` are those of the topics
    that people labelled, and difference, means and limits are estimated from both; ranges are over
    people's judgments alone.
    """

    measure: Measure
    margin: float
    rules: GateRules
    topics: tuple[str, ...]
    deltas: Floats
    means: tuple[float, float]
    limits: MeanLimits
    p_fail: float
    judged: float
    bounds: tuple[float, float]
    p_high: float
    ranges: Differences
    labelled: LabelledPair | None = None

    @property
    def n(self) -> int:
        """How many topics have a score."""
        return len(self.topics)

    @property
    def difference(self) -> float:
        """Candidate minus baseline, on average."""
        return float(self.deltas.mean()) if self.labelled is None else self.labelled.difference

    @property
    def uncertain(self) -> tuple[Uncertainty, ...]:
        """What else the difference is uncertain over, beside topics and judgments."""
        return () if self.labelled is None else self.labelled.uncertain

    @property
    def has_enough(self) -> bool:
        """Whether people labelled topics enough for a decision that rests on a machine, too."""
        return self.labelled is None or self.labelled.decides

    @property
    def low(self) -> float:
        """The lower limit of the mean difference."""
        return float(self.limits.low[0])

    @property
    def high(self) -> float:
        """The upper limit of the mean difference."""
        return float(self.limits.high[0])

    @property
    def p_pass(self) -> float:
        """The p value of "the candidate is worse by the margin"."""
        return float(self.limits.p_pass[0])

    @property
    def is_unchanged(self) -> bool:
        """Whether no topic has another score."""
        return not self.deltas.any() if self.labelled is None else self.labelled.unchanged

    @property
    def judged_depth(self) -> int:
        """In how many first ranks judged documents are counted."""
        return self.measure.depth or JUDGED_DEPTH

    @cached_property
    def hurt(self) -> tuple[tuple[str, float], ...]:
        """The topics that lose more than the rules let them, the worst first."""
        most = self.rules.max_topic_loss
        if most is None:
            return ()
        order = np.argsort(self.deltas, kind="stable")
        beyond = [t for t in order.tolist() if -self.deltas[t] > most + self.ranges.sizes.tolerance]
        return tuple((self.topics[t], float(self.deltas[t])) for t in beyond)

    @property
    def worst(self) -> tuple[str, float]:
        """The topic that loses most, or wins least, and its difference."""
        at = int(self.deltas.argmin())
        return self.topics[at], float(self.deltas[at])

    @cached_property
    def verdict(self) -> str:
        """``pass``, ``fail`` or ``undecided``."""
        if self.is_worse or self.hurt:
            return "fail"
        return "undecided" if self.obstacles else "pass"

    @cached_property
    def obstacles(self) -> tuple[str, ...]:
        """Why this is not a pass: each reason is the rest of a sentence."""
        return tuple(self._obstacles())

    def _obstacles(self) -> Iterator[str]:
        # a pass must hold whatever is asked for; a fail needs one reason only (see verdict)
        least = self.rules.min_judged
        if least is not None and not self.judged >= least:
            reach = f"the documents down to rank {self.judged_depth}"
            yield f"{self.judged:.1%} of {reach} are judged, and {least:.1%} must be"
        if not self.is_unchanged and not self.low > -self.margin:
            yield self._too_few()
        if not self.has_enough:
            topics = f"labels by people on {counted(self.n, 'topic')} are too few"
            yield f"{topics} to decide by with a machine's on the rest: {FEWEST_TOPICS} must be"
        if self.rules.strict:
            yield from self._open_grades()

    def _too_few(self) -> str:
        if self.n < 2:
            return "one topic alone says nothing of others"
        if self.awaits_draw:
            return "documents that the sample could not draw leave it open: draw one of both runs"
        return f"{counted(self.n, 'topic')} are too few to tell"

    @property
    def awaits_draw(self) -> bool:
        """Whether it would be decided, were it not for documents that no sample could draw."""
        down, up = (0.0, 0.0) if self.labelled is None else self.labelled.never_drawn
        is_open = self.low <= -self.margin <= self.high
        return is_open and (self.low - down > -self.margin or self.high - up < -self.margin)

    def _open_grades(self) -> Iterator[str]:
        if self.is_unchanged:
            yield "no score has changed, which a strict gate does not take for a pass"
        elif self.ranges.kind == "none":
            yield f"a strict gate needs a range, and {self.ranges.reason}"
        elif np.isnan(self.p_high) and self.n >= 2:
            yield "a topic without a score may get one, which a strict gate does not overlook"
        elif self.n >= 2 and not self.p_high < self.rules.alpha:
            yield f"the grades of {self.ranges.scope.documents} could undo a pass"

    @property
    def could_turn(self) -> bool:
        """Whether the unjudged documents could take the mean to the other side of the margin."""
        # a failure by one hurt topic stays one, wherever the mean goes
        low, high = self.bounds
        return low < -self.margin <= high and (self.verdict != "fail" or self.is_worse)

    @property
    def is_open(self) -> bool:
        """Whether unjudged documents could move the mean difference."""
        low, high = self.bounds
        return high - low > self.ranges.sizes.tolerance

    def claims(self) -> tuple[Claim, ...]:
        """Return what is so whatever the unjudged documents are: the order, and the margin."""
        low, _ = self.bounds
        kept = low >= -self.margin - self.ranges.sizes.tolerance
        runs = (self.ranges.first[0], self.ranges.second[0])
        margin = Claim("behind by at most", *runs, high=self.margin, grounds=self.ranges.grounds)
        return (*self.ranges.claims(0), *([margin] if kept and self.margin else []))

    @property
    def is_worse(self) -> bool:
        """Whether the mean loss is beyond the margin, corrected for the number of measures."""
        return self.has_enough and self.p_fail < self.rules.alpha

    @property
    def unseen(self) -> float:
        """Which share of topics may be hurt without one of them being among these."""
        return unseen_share(self.n, self.rules.alpha)

    @property
    def deviation(self) -> float:
        """The standard deviation of the differences; with labels, what it would be for as sure."""
        if self.labelled is not None:
            return self.labelled.error * float(np.sqrt(self.n))
        return float(self.deltas.std(ddof=1)) if self.n > 1 else float("nan")

    @cached_property
    def topics_to_decide(self) -> float:
        """How many topics decide in 8 of 10 cases, if the difference is what it is here.

        NaN where no number of topics would.
        """
        return self._topics(self.difference + self.margin)

    @cached_property
    def topics_if_equal(self) -> float:
        """On how many topics a candidate passes in 8 of 10 cases that is truly equal."""
        return self._topics(self.margin)

    def _topics(self, distance: float) -> float:
        if not self.deviation > 0:
            return float("nan")
        effect = abs(distance) / self.deviation
        alpha = self.rules.alpha
        topics = topics_needed(effect, power=_POWER, alpha=alpha, alternative="one-sided")
        return float(whole_topics(float(topics))) if np.isfinite(topics) else float("nan")


def gate_by_measure(
    evidence: Evidence,
    measure: Measure,
    *,
    margin: float,
    rules: GateRules,
    universe: Universe,
    labelled: LabelledPair | None = None,
) -> MeasureGate:
    """Gate a candidate by one measure; the evidence holds the baseline and then the candidate.

    ``p_fail`` is that of this measure alone.
    """
    # candidate minus baseline: the candidate stands second in the evidence, and left in the pair
    pair = Pairs(np.array([1]), np.array([0]))
    ranges = judgment_ranges(evidence, measure, pair, universe=universe)
    defined, scores = ranges.defined, measure.score(evidence)
    deltas = settle(ranges.value[0, defined], ranges.sizes.tolerance)
    limits = mean_limits(deltas[None], margin, alpha=rules.alpha)
    _, low, high = (float(end[0]) for end in ranges.means())
    means = [float(scores[i, defined].mean()) if defined.any() else np.nan for i in (0, 1)]
    made = MeasureGate(
        measure=measure,
        margin=margin,
        rules=rules,
        topics=tuple(t for t, is_defined in zip(ranges.topics, defined, strict=True) if is_defined),
        deltas=deltas,
        means=(means[0], means[1]),
        limits=limits,
        p_fail=float(limits.p_fail[0]),
        judged=_judged(evidence, measure),
        bounds=(low, high),
        p_high=_largest_p(ranges, margin),
        ranges=ranges,
    )
    return made if labelled is None else _with_labels(made, labelled)


def _with_labels(made: MeasureGate, labelled: LabelledPair) -> MeasureGate:
    """Put what a machine's labels add in the place of what people's say alone."""
    limits = labelled.limits(made.margin, made.rules.alpha)
    return replace(
        made,
        topics=labelled.topics,
        deltas=settle(labelled.deltas, made.ranges.sizes.tolerance),
        means=labelled.means,
        limits=limits,
        p_fail=float(limits.p_fail[0]),
        # It is of people's scores alone, which do not decide here.
        p_high=float("nan"),
        labelled=labelled,
    )


def _judged(evidence: Evidence, measure: Measure) -> float:
    """Return the mean share of judged documents, over topics with a document."""
    share = JudgedShare(cutoff=measure.depth or JUDGED_DEPTH).score(evidence)[1]
    shares = share[~np.isnan(share)]
    return float(shares.mean()) if len(shares) else float("nan")


def _largest_p(ranges: Differences, margin: float) -> float:
    """Return the largest p value of a pass; NaN without a range, or where a topic may enter."""
    if ranges.kind == "none" or ranges.may_enter[0]:
        return float("nan")
    defined = ranges.defined
    return largest_pvalue(ranges.lower[0, defined], ranges.upper[0, defined], margin)
