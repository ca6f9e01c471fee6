"""What a comparison of two systems found, and of many pairs at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.errors import OptionError
from poolwise.scores.columns import Backend, Columns, to_frame
from poolwise.statistics.pairs import Sample

__all__ = ["Finding", "Findings"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Finding:
    """A difference between two systems, and what a test says about it.

    Attributes
    ----------
    difference : float
        Mean score of ``a`` minus mean score of ``b``.
    pvalue : float
        NaN where the test has none; ``reason`` then says why.
    p_adjusted : float or None
        The p value corrected for the family of comparisons, if any.
    effect_size : float
        The difference in standard deviations of the per-topic differences.
    n, wins, ties, losses : int
        Topics behind the difference, and those on which ``a`` is above, level with, below ``b``.
    omitted : int
        Topics left out because a score is undefined.
    null, alternative : str
        The two hypotheses, in words.
    resampled : float array
        The bootstrap's statistics under the null, one per resample.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare_pair
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7, 0.2], [0.3, 0.4, 0.4, 0.1]],
    ...                                systems=["new", "old"], topics="1234", measure="AP")
    >>> print(compare_pair(table, "new", "old"))
    new − old, AP: paired t test
      difference    +0.1500
      95% interval  -0.0554 to 0.3554 (t)
      p value       0.1027
      effect size   1.162
      topics        4: 3 wins, 1 tie, 0 losses
      null          the mean difference over topics is 0
      alternative   the mean difference over topics is not 0
    """

    measure: str
    a: str
    b: str
    test: str
    difference: float
    pvalue: float
    effect_size: float
    standard_error: float
    degrees: float
    n: int
    wins: int
    ties: int
    losses: int
    omitted: int
    null: str
    alternative: str
    reason: str = ""
    p_adjusted: float | None = None
    family: str = ""
    resampled: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    interval_method: str = "t"

    def interval(self, level: float = 0.95, *, method: str | None = None) -> tuple[float, float]:
        """Return the two-sided confidence interval of the difference.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : {"t", "basic", "percentile", "studentized"}, optional
            ``t`` for every test; ``basic`` (the bootstrap's default: W10 §3.3.5) and
            ``percentile`` after a bootstrap test, ``studentized`` after a studentized one. One
            topic leaves the whole line open.
        """
        _check_level(level)
        method = method or self.interval_method
        known = ("t", *INTERVALS.get(self.interval_method, ()))
        if method not in known:
            raise OptionError(
                f"method: {method!r} is not an interval of the {self.test}. "
                f"To mend it: use one of {', '.join(known)}."
            )
        if method == "t":
            low, high = _t_interval(self.difference, self.standard_error, self.degrees, level)
            return float(low), float(high)
        # Order statistics, not interpolated: a t from few topics may be infinite.
        levels = [(1 - level) / 2, (1 + level) / 2]
        tails = np.quantile(self.resampled, levels, method="inverted_cdf")
        return _BOOTSTRAP[method](self, *map(float, tails))

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the numbers by name, in the order of the tables."""
        low, high = self.interval(level)
        adjusted = {} if self.p_adjusted is None else {"p_adjusted": self.p_adjusted}
        return {
            "measure": self.measure,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "ci_low": low,
            "ci_high": high,
            "p": self.pvalue,
            **adjusted,
            "effect_size": self.effect_size,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "n": self.n,
            "test": self.test,
            "reason": self.reason,
        }

    def to_frame(self, *, backend: Backend = "pandas", level: float = 0.95) -> Any:
        """Return a frame of one row."""
        columns = {name: [value] for name, value in self.to_dict(level).items()}
        return to_frame(columns, backend=backend)

    def __str__(self) -> str:
        rows = [(name, text) for name, text in self._rows() if text]
        width = max(len(name) for name, _ in rows)
        head = f"{self.a} − {self.b}, {self.measure}: {self.test}"
        return "\n".join([head, *(f"  {name:<{width}}  {text}" for name, text in rows)])

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.interval()
        adjusted = "" if self.p_adjusted is None else f"{self.p_adjusted:.4g} ({self.family})"
        counts = zip((self.wins, self.ties, self.losses), ("win", "tie", "loss"), strict=True)
        return [
            ("difference", f"{self.difference:+.4f}"),
            ("95% interval", f"{low:.4f} to {high:.4f} ({self.interval_method})"),
            ("p value", "none" if np.isnan(self.pvalue) else f"{self.pvalue:.4g}"),
            ("adjusted p", adjusted),
            ("effect size", "none" if np.isnan(self.effect_size) else f"{self.effect_size:.4g}"),
            ("why none", self.reason),
            ("topics", f"{self.n}: {', '.join(_plural(*count) for count in counts)}"),
            ("left out", _plural(self.omitted, "topic") + " undefined" if self.omitted else ""),
            ("null", self.null),
            ("alternative", self.alternative),
        ]


@dataclass(frozen=True, eq=False)
class Findings:
    """One test on many pairs, by columns; item ``i`` is the :class:`Finding` of pair ``i``.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare_pairs
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.4, 0.4], [0.3, 0.4, 0.4]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> findings = compare_pairs(table)
    >>> findings.difference.round(3).tolist(), findings.pvalue.round(3).tolist()
    ([0.167, 0.167, 0.0], [0.199, 0.199, nan])
    >>> findings[2].reason
    'the scores are the same on every topic'
    """

    measure: str
    systems: tuple[str, ...]
    test: str
    null: str
    alternative: str
    sample: Sample = field(repr=False)
    pvalue: Floats

    def __len__(self) -> int:
        return len(self.pvalue)

    def __getitem__(self, i: int) -> Finding:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        numbers = {name: column[i].item() for name, column in self._columns.items()}
        return Finding(
            measure=self.measure,
            a=self.systems[self.sample.pairs.left[i]],
            b=self.systems[self.sample.pairs.right[i]],
            test=self.test,
            null=self.null,
            alternative=self.alternative,
            omitted=self.sample.omitted,
            **numbers,
        )

    def __iter__(self) -> Iterator[Finding]:
        return (self[i] for i in range(len(self)))

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("standard_error", "degrees", "n", "wins", "ties", "losses")
        return {
            "difference": self.difference,
            "pvalue": self.pvalue,
            "effect_size": self.effect_size,
            "reason": self.reason,
        } | {name: getattr(self.sample, name) for name in names}

    @property
    def difference(self) -> Floats:
        """Mean of the left system minus mean of the right one."""
        return self.sample.difference

    @cached_property
    def effect_size(self) -> Floats:
        """The difference in standard deviations; 0 for no difference at all, NaN for one topic."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.difference / self.sample.deviation
        none = (self.difference == 0) & (self.sample.deviation == 0)
        return np.where(none, 0.0, ratio)

    @cached_property
    def reason(self) -> NDArray[np.str_]:
        """Why a pair has no p value or no effect size; empty where it has both."""
        return np.select(
            [
                ~np.isnan(self.pvalue) & ~np.isnan(self.effect_size),
                np.isnan(self.sample.standard_error),
                self.difference == 0,
            ],
            [
                np.array(""),
                np.array("one topic has no spread"),
                np.array("the scores are the same on every topic"),
            ],
            np.array("the difference is the same on every topic, so it has no spread"),
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the t intervals of the differences."""
        _check_level(level)
        sample = self.sample
        return _t_interval(self.difference, sample.standard_error, sample.degrees, level)

    def columns(self, level: float = 0.95) -> Columns:
        """Return one row per pair, as named columns."""
        low, high = self.interval(level)
        pairs = self.sample.pairs
        return {
            "measure": [self.measure] * len(self),
            "a": [self.systems[i] for i in pairs.left],
            "b": [self.systems[i] for i in pairs.right],
            "difference": self.difference.tolist(),
            "ci_low": low.tolist(),
            "ci_high": high.tolist(),
            "p": self.pvalue.tolist(),
            "effect_size": self.effect_size.tolist(),
            "wins": self.sample.wins.tolist(),
            "ties": self.sample.ties.tolist(),
            "losses": self.sample.losses.tolist(),
            "n": self.sample.n.tolist(),
            "test": [self.test] * len(self),
            "reason": self.reason.tolist(),
        }

    def to_frame(self, *, backend: Backend = "pandas", level: float = 0.95) -> Any:
        """Return a frame with one row per pair."""
        return to_frame(self.columns(level), backend=backend)


INTERVALS = {"basic": ("basic", "percentile"), "studentized": ("studentized",)}
"""The bootstrap intervals that go with the default one of a test."""

# W10 §3.3.5: where the true mean is above the observed one, the lower tail matters.
_BOOTSTRAP: dict[str, Callable[[Finding, float, float], tuple[float, float]]] = {
    "basic": lambda f, low, high: (f.difference - high, f.difference - low),
    "percentile": lambda f, low, high: (f.difference + low, f.difference + high),
    "studentized": lambda f, low, high: (
        f.difference - high * f.standard_error,
        f.difference - low * f.standard_error,
    ),
}


def _t_interval(difference: Any, error: Any, degrees: Any, level: float) -> tuple[Floats, Floats]:
    """Return difference ± t·error; the whole line where one topic leaves no error to use."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    with np.errstate(invalid="ignore"):
        half = stdtrit(degrees, (1 + level) / 2) * error
    half = np.where(np.isnan(error), np.inf, np.where(np.equal(error, 0), 0.0, half))
    return np.asarray(difference - half), np.asarray(difference + half)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise OptionError(
            f"level: a confidence level is between 0 and 1; got {level}. To mend it: try 0.95."
        )


def _plural(count: int, noun: str) -> str:
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{ending}"
