"""What a comparison of two systems found."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.measures.measure import Measure
from poolwise.printout.columns import Backend, to_frame

__all__ = ["Finding", "check_level", "left_out", "t_interval"]


@dataclass(frozen=True, eq=False)
class Finding:
    """A difference between two systems, and what a test says about it.

    Attributes
    ----------
    difference : float
        Mean score of ``a`` minus mean score of ``b``.
    pvalue : float
        NaN where the test has none; ``reason`` then says why, as for the other numbers.
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

    measure: Measure
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
            ``percentile`` after a bootstrap test, ``studentized`` after a studentized one. NaN
            where nothing varies; ``reason`` then says so.
        """
        check_level(level)
        method = method or self.interval_method
        known = ("t", *INTERVALS.get(self.interval_method, ()))
        if method not in known:
            raise OptionError(
                f"method: {method!r} is not an interval of the {self.test}. "
                f"Hint: use one of {', '.join(known)}."
            )
        if method == "t":
            low, high = t_interval(self.difference, self.standard_error, self.degrees, level)
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
            "measure": str(self.measure),
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
        interval = "none" if np.isnan(low) else f"{low:.4f} to {high:.4f} ({self.interval_method})"
        adjusted = "" if self.p_adjusted is None else f"{_number(self.p_adjusted)} ({self.family})"
        counts = zip((self.wins, self.ties, self.losses), ("win", "tie", "loss"), strict=True)
        return [
            ("difference", f"{self.difference:+.4f}"),
            ("95% interval", interval),
            ("p value", _number(self.pvalue)),
            ("adjusted p", adjusted),
            ("effect size", _number(self.effect_size)),
            ("why none", self.reason),
            ("topics", f"{self.n}: {', '.join(_plural(*count) for count in counts)}"),
            ("left out", left_out(self.omitted)),
            ("null", self.null),
            ("alternative", self.alternative),
        ]


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


def t_interval(difference: Any, error: Any, degrees: Any, level: float) -> tuple[Floats, Floats]:
    """Return difference ± t·error, NaN where nothing varies (W10 §3.3.5)."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    spread = np.where(np.greater(error, 0), error, np.nan)
    half = stdtrit(np.maximum(degrees, 1), (1 + level) / 2) * spread
    return np.asarray(difference - half), np.asarray(difference + half)


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share."""
    if not 0 < level < 1:
        raise OptionError(
            f"level: a confidence level is between 0 and 1; got {level}. Hint: try 0.95."
        )


def left_out(topics: int) -> str:
    """Say how many topics took no part, or nothing.

    Examples
    --------
    >>> left_out(2), left_out(0)
    ('2 topics with an undefined score', '')
    """
    return f"{_plural(topics, 'topic')} with an undefined score" if topics else ""


def _number(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:.4g}"


def _plural(count: int, noun: str) -> str:
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{ending}"
