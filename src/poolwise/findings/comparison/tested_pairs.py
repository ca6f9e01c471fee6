"""What one test found on many pairs of systems, by columns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats
from poolwise.findings.comparison.pair_test import Finding, check_level, t_interval
from poolwise.findings.comparison.samples import Sample
from poolwise.measures.measure import Measure
from poolwise.printout.columns import Backend, Columns, to_frame

__all__ = ["Findings"]


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

    measure: Measure
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
        """The difference in standard deviations; NaN where nothing varies."""
        deviation = np.where(self.sample.deviation > 0, self.sample.deviation, np.nan)
        return self.difference / deviation

    @cached_property
    def reason(self) -> NDArray[np.str_]:
        """Why a pair has no p value, interval or effect size; empty where it has them all."""
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
        check_level(level)
        sample = self.sample
        return t_interval(self.difference, sample.standard_error, sample.degrees, level)

    def columns(self, level: float = 0.95) -> Columns:
        """Return one row per pair, as named columns."""
        low, high = self.interval(level)
        pairs = self.sample.pairs
        return {
            "measure": [str(self.measure)] * len(self),
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
