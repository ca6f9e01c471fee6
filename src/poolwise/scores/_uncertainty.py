"""How far a number could be from what it is, over what, and how that is shown."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.errors import OptionError
from poolwise.measures._ranges import NO_SCOPE, Bounds, RangeScope
from poolwise.results._columns import Columns
from poolwise.words import range_texts

__all__ = [
    "JUDGED",
    "SHOWN",
    "OfMeans",
    "OfPairs",
    "Shown",
    "Uncertainty",
    "average_range",
    "check_alpha",
    "check_level",
    "level_text",
    "may_enter",
    "mean_range",
    "normal_interval",
    "t_quantile",
    "topics_at_end",
    "unknown",
]

_MOST_STEPS = 1000
_PRECISION = 1e-15


class OfMeans(NamedTuple):
    """How the uncertainty of a mean is shown.

    Attributes
    ----------
    ends : tuple of str
        What both ends are called in columns; an end without a name is not shown.
    title : str
        The heading of a column for people, with ``{level}`` where it has one.
    could : str
        What the sentence about the highest mean begins with, with ``{run}``; empty for no sentence.
    stays : str
        That sentence where the range is the mean alone.
    bar : str
        The sign that draws it beside the rows of a table; empty where it is not drawn.
    page, help, legend : str
        The heading of its column on the page, what the heading explains, and what its bar is.
    amount : bool
        Whether the upper end alone is shown: what is added to the mean, and not a range of it.
    """

    ends: tuple[str, str]
    title: str
    could: str = ""
    bar: str = ""
    page: str = ""
    help: str = ""
    legend: str = ""
    amount: bool = False
    stays: str = ""


class OfPairs(NamedTuple):
    """How the uncertainty of a difference is shown.

    Attributes
    ----------
    ends : tuple of str
        What both ends are called in columns.
    title : str
        The heading of a column for people, with ``{level}`` and ``{kind}``; empty for no column.
    rank : int
        How early a narrow window hides that column.
    line : str
        What it is called in the record of one pair; by default as the column.
    said : str
        What the sentences on a pair say of it, with ``{level}`` and ``{range}``. One that begins
        with a semicolon goes on with the sentence before it.
    """

    ends: tuple[str, str]
    title: str = ""
    rank: int = 1
    line: str = ""
    said: str = ""


class Shown(NamedTuple):
    """How one kind of uncertainty is shown, of means and of differences."""

    means: OfMeans
    pairs: OfPairs


SHOWN = {
    "topics": Shown(
        OfMeans(
            ("ci_low", "ci_high"),
            "{level} over topics",
            "Other topics could give {run}",
            "─",
            page="{level} over topics",
            help="t interval of the mean over topics",
            legend="{level} interval: what other topics could give",
        ),
        OfPairs(
            ("ci_low", "ci_high"), "{level} over topics ({kind})", rank=2, line="{level} interval"
        ),
    ),
    "judgments": Shown(
        OfMeans(
            ("lower", "upper"),
            "range if judged",
            "Judging could give {run}",
            "━",
            page="range if judged",
            help="Over every assignment of grades",
            legend="range: what judging the unjudged documents could give",
            stays="No judging in this universe would change the mean of {run}.",
        ),
        OfPairs(("bound_low", "bound_high"), "range if judged"),
    ),
    "draws": Shown(
        OfMeans(
            ("lower", "upper"),
            "plausible range by model",
            "By the model, judging would plausibly give {run}",
            "━",
            page="plausible by model",
            help="By a relevance model, calibrated on runs whose scores are known",
            legend="range: what judging would plausibly give, by a model",
        ),
        OfPairs(("plausible_low", "plausible_high"), "plausible range", rank=3),
    ),
    "samples": Shown(
        OfMeans(
            ("sample_low", "sample_high"),
            "{level} over samples",
            "Other samples could give {run}",
            help="what other samples of the documents would give",
        ),
        OfPairs(
            ("sample_low", "sample_high"),
            "{level} over samples",
            said="Over samples of documents: {level} interval {range}",
        ),
    ),
    "labels": Shown(
        OfMeans(
            ("label_low", "label_high"),
            "{level} over labels",
            "Labels by people on everything could give {run}",
            page="{level} over labels",
            help="what labels by people of all documents of these topics would give",
        ),
        OfPairs(
            ("label_low", "label_high"),
            "{level} over labels",
            said="Over labels: {level} interval {range}",
        ),
    ),
    "never drawn": Shown(
        OfMeans(("", "never_drawn"), "never drawn could add", amount=True),
        OfPairs(
            ("never_drawn_low", "never_drawn_high"),
            said="; those never drawn could change it by {range}",
        ),
    ),
}
"""Every kind of uncertainty by what it is over: the one place that says how it is shown.

Columns, bars, tables, sentences and the page go through the uncertainties that a result has, so
that a further kind takes one entry here and what makes it.
"""

JUDGED = ("judgments", "draws")
"""What is over the grades of unjudged documents: by all that is possible, or by a model."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """How far numbers could be from what they are: one range for each of them.

    Attributes
    ----------
    over : str
        What could be otherwise: a key of ``SHOWN``.
    low, high : float array
        The ends, one entry per number; NaN where they are not known.
    level : float, optional
        How often such an interval holds the truth; None for a range that does so always, or by a
        promise of its own.
    kind : str, or str array
        How good it is, or how it was made: exact, valid, naive, calibrated, t, … An array where
        that differs from number to number.
    scope : RangeScope
        Which documents, of which grades, it is over.
    meaning : tuple of str
        Sentences that say what it holds, or why it is not known.

    Examples
    --------
    >>> uncertainty = Uncertainty("judgments", np.array([-0.1]), np.array([0.3]), kind="exact")
    >>> uncertainty.texts(), uncertainty.turn(np.array([True])).texts()
    (['−0.1000 to 0.3000'], ['−0.3000 to 0.1000'])
    """

    over: str
    low: Floats
    high: Floats
    level: float | None = None
    kind: str | NDArray[np.str_] = ""
    scope: RangeScope = NO_SCOPE
    meaning: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.low)

    @property
    def shown(self) -> Shown:
        """How it is shown."""
        return SHOWN[self.over]

    @property
    def is_interval(self) -> bool:
        """Whether it holds the truth as often as its level says; else it is a range by grades."""
        return self.level is not None and self.over not in JUDGED

    @property
    def known(self) -> Booleans:
        """Of which numbers it is known."""
        return ~np.isnan(self.low)

    def select(self, rows: Indices) -> "Uncertainty":
        """Return that of these numbers, in this order."""
        kind = self.kind if isinstance(self.kind, str) else self.kind[rows]
        return replace(self, low=self.low[rows], high=self.high[rows], kind=kind)

    def turn(self, where: Booleans) -> "Uncertainty":
        """Return that of b − a in the place of a − b, where that is wanted."""
        # Not -high: that would be −0 for 0.
        low, high = 0 - self.high, 0 - self.low
        return replace(
            self, low=np.where(where, low, self.low), high=np.where(where, high, self.high)
        )

    def kinds(self) -> list[str]:
        """Return the kind of each number's."""
        return [self.kind] * len(self) if isinstance(self.kind, str) else self.kind.tolist()

    def words(self, template: str) -> str:
        """Return a heading or a sentence of ``SHOWN`` with the level and the kind put in."""
        level = "" if self.level is None else level_text(self.level)
        return template.replace("{level}", level).replace("{kind}", str(self.kind))

    def texts(self) -> list[str]:
        """Return each range in words; a dash where it is not known."""
        return range_texts(self.low.tolist(), self.high.tolist())

    def columns(self, names: tuple[str, str]) -> Columns:
        """Return both ends as columns of these names; an end without a name is left out."""
        ends = zip(names, (self.low, self.high), strict=True)
        return {name: end.tolist() for name, end in ends if name}


def unknown(over: str, count: int, *meaning: str) -> Uncertainty:
    """Return that nothing is known of so many numbers, and why."""
    nothing = np.full(count, np.nan)
    return Uncertainty(over, nothing, nothing, meaning=meaning)


def may_enter(value: Floats, lower: Floats) -> Booleans:
    """Return which topics have no score now and can get one, rows × topics.

    A topic without a known relevant document has no recall-based score; if an unjudged document
    there turns out relevant, it has.
    """
    return np.isnan(value) & ~np.isnan(lower)


def mean_range(value: Floats, lower: Floats, upper: Floats) -> Bounds:
    """Return the range of the mean of each row over the topics that count.

    Topics are graded apart from each other, so each of those defined now is at its own end. Of
    the others each may be left out, or enter with any score it could have: for the lower end those
    with the smallest scores enter, as long as the mean falls.

    Parameters
    ----------
    value : float array, rows × topics
        The scores now; a topic counts if all rows have one.
    lower, upper : float array, rows × topics
        The range of each topic; NaN where it has none.

    Examples
    --------
    Two topics at 0.5, and one that may enter with 0.2 to 0.3: the mean may fall to 0.4, and need
    not fall at all.

    >>> value = np.array([[0.5, 0.5, np.nan]])
    >>> low, high = np.array([[0.5, 0.5, 0.2]]), np.array([[0.5, 0.5, 0.3]])
    >>> [end.round(2).item() for end in mean_range(value, low, high)]
    [0.4, 0.5]
    """
    low, high, defined = _counted_ends(value, lower, upper)
    return Bounds(_lowest(low, defined), 0.0 - _lowest(0.0 - high, defined))


def average_range(
    value: Floats, lower: Floats, upper: Floats, average: Callable[[Floats], Floats]
) -> Bounds:
    """Return the range of another average of each row, which rises with each of its numbers.

    Of so many topics that enter, those with the smallest scores give the smallest average.

    Examples
    --------
    >>> value = np.array([[0.5, 0.6, np.nan]])
    >>> low, high = np.array([[0.5, 0.6, 0.2]]), np.array([[0.5, 0.6, 0.9]])
    >>> ends = average_range(value, low, high, lambda scores: np.median(scores, axis=1))
    >>> [end.round(2).item() for end in ends]
    [0.5, 0.6]
    """
    low, high, defined = _counted_ends(value, lower, upper)

    def with_entering(ends: Floats, sign: float) -> Floats:
        now, others = ends[:, defined], sign * np.sort(sign * ends[:, ~defined], axis=1)
        sets = [np.hstack([now, others[:, :k]]) for k in range(others.shape[1] + 1)]
        averages = [sign * average(scores) for scores in sets if scores.shape[1]]
        return sign * np.fmin.reduce(averages) if averages else np.full(len(ends), np.nan)

    return Bounds(with_entering(low, 1.0), with_entering(high, -1.0))


def topics_at_end(value: Floats, lower: Floats, upper: Floats, *, high: bool) -> Booleans:
    """Return which topics count where the mean of a row is at an end of its range.

    Examples
    --------
    >>> value = np.array([0.5, 0.5, np.nan])
    >>> low, high = np.array([0.5, 0.5, 0.2]), np.array([0.5, 0.5, 0.3])
    >>> [topics_at_end(value, low, high, high=end).tolist() for end in (False, True)]
    [[True, True, True], [True, True, False]]
    """
    ends = _counted_ends(value[None], lower[None], upper[None])
    defined, sought = ends[2], (0.0 - ends[1] if high else ends[0])
    means = _means_with_entering(sought, defined)[0]
    number = int(np.nanargmin(means)) if not np.isnan(means).all() else 0
    others = np.flatnonzero(~defined)
    chosen = others[np.argsort(sought[0, others], kind="stable")[:number]]
    counted = defined.copy()
    counted[chosen] = True
    return counted


def _counted_ends(value: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats, Booleans]:
    """Return the ends of the topics that count or may enter, and which of them count now."""
    defined = np.asarray(~np.isnan(value).any(axis=0))
    # A topic that no grading can give a score takes no part.
    counted = defined | may_enter(value, lower)
    low, high = (np.where(counted, end, np.nan) for end in (lower, upper))
    return low, high, defined


def _lowest(values: Floats, defined: Booleans) -> Floats:
    # Undefined numbers come last in each row, and are passed over.
    return np.asarray(np.fmin.reduce(_means_with_entering(values, defined), axis=1))


def _means_with_entering(values: Floats, defined: Booleans) -> Floats:
    """Return the mean of each row with 0, 1, … of the other topics, those with the smallest."""
    now, others = values[:, defined], np.sort(values[:, ~defined], axis=1)
    count = now.shape[1]
    total = now.sum(axis=1, keepdims=True) + np.cumsum(others, axis=1)
    means = total / (count + np.arange(1, others.shape[1] + 1))
    mean = now.mean(axis=1) if count else np.full(len(values), np.nan)
    return np.column_stack([mean, means])


@cache  # every measure asks for the same, and thousands of degrees take a while
def t_quantile(degrees: int, level: float) -> float:
    """Return ``t`` such that Student's t lies within ±t with this probability.

    ``scipy.special`` has it for any degrees of freedom; importing that takes longer than all else
    that ``poolwise evaluate`` does to a run.

    Examples
    --------
    >>> round(t_quantile(49, 0.95), 6)
    2.009575
    """
    # No finite t holds all of the distribution.
    if level >= 1:
        return math.inf
    # With t = √ν tan θ the probability is concave in θ: Newton's steps from 0 never pass the root.
    gammas = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    slope = 2 / math.sqrt(math.pi) * gammas
    angle = 0.0
    for _ in range(_MOST_STEPS):
        step = (level - _within(angle, degrees)) / (slope * math.cos(angle) ** (degrees - 1))
        angle += step
        if step <= angle * _PRECISION:
            break
    return math.sqrt(degrees) * math.tan(angle)


def _within(angle: float, degrees: int) -> float:
    """Return the probability of ±√ν tan θ for whole ν (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    odd = degrees % 2
    term = total = 1.0
    square = math.cos(angle) ** 2
    for j in range(1, (degrees - odd) // 2):
        term *= square * (2 * j - 1 + odd) / (2 * j + odd)
        total += term
    if not odd:
        return math.sin(angle) * total
    series = math.sin(angle) * math.cos(angle) * total if degrees > 1 else 0.0
    return 2 / math.pi * (angle + series)


def check_alpha(alpha: float) -> None:
    """Refuse a significance level that is not a share.

    Examples
    --------
    >>> check_alpha(5)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: alpha: a significance level is between 0 and 1; got 5. Hint: use
    0.05.
    """
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise OptionError(
            f"alpha: a significance level is between 0 and 1; got {alpha!r}. Hint: use 0.05."
        )


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise OptionError(
            f"level: a confidence level is between 0 and 1; got {level!r}. Hint: use 0.95."
        )


def level_text(level: float) -> str:
    """Return a level in percent, with as many digits as it has.

    Examples
    --------
    >>> level_text(0.95), level_text(1 - 0.001)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"


def normal_interval(value: Floats, variance: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the interval of a normal distribution about each value.

    Examples
    --------
    >>> low, high = normal_interval(np.array([0.5]), np.array([0.01]), 0.95)
    >>> low.round(3).item(), high.round(3).item()
    (0.304, 0.696)
    """
    from statistics import NormalDist  # noqa: PLC0415, late: slow to import

    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
    return value - half, value + half
