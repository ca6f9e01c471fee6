"""Many comparisons at once, with p values corrected for their number."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.findings.comparison.pair_test import Finding, left_out
from poolwise.findings.comparison.resampling import Resamples, tukey_pvalues
from poolwise.findings.comparison.samples import paired_sample
from poolwise.findings.comparison.significance import compare_pairs
from poolwise.findings.comparison.tested_pairs import Findings
from poolwise.printout.columns import Backend, Columns, to_frame
from poolwise.scores.score_table import ScoreTable

__all__ = ["CORRECTIONS", "Comparisons", "adjust_pvalues", "compare_systems"]


CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini–Hochberg",
    "tukey": "randomized Tukey HSD",
    "none": "no correction",
}
"""The corrections by name."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The findings of a family of comparisons, with corrected p values.

    Attributes
    ----------
    findings : Findings
        The uncorrected findings, one per pair, by columns.
    p_adjusted : float array
        The corrected p values; NaN where the test has none.
    family : str
        Which comparisons were corrected for together.
    size : int
        How many of them there are: those that have a p value.
    correction : str
        A key of ``CORRECTIONS``.
    """

    findings: Findings
    p_adjusted: Floats
    family: str
    size: int
    correction: str

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, i: int) -> Finding:
        return replace(self.findings[i], p_adjusted=float(self.p_adjusted[i]), family=self.label)

    def __iter__(self) -> Iterator[Finding]:
        return (self[i] for i in range(len(self)))

    @property
    def label(self) -> str:
        """The correction, the family and its size, in words."""
        return f"{CORRECTIONS[self.correction]}; {self.family}: {self.size:,} comparisons"

    def significant(self, alpha: float = 0.05) -> Booleans:
        """Tell which corrected p values are below ``alpha``."""
        return np.asarray(self.p_adjusted < alpha)

    def columns(self, level: float = 0.95) -> Columns:
        """Return one row per pair, as named columns."""
        plain = self.findings.columns(level)
        before = dict(list(plain.items())[: list(plain).index("p") + 1])
        adjusted = {"p_adjusted": self.p_adjusted.tolist()}
        return before | adjusted | plain | {"correction": [self.label] * len(self)}

    def to_frame(self, *, backend: Backend = "pandas", level: float = 0.95) -> Any:
        """Return a frame with one row per pair."""
        return to_frame(self.columns(level), backend=backend)

    def __str__(self) -> str:
        missing = int(np.isnan(self.findings.pvalue).sum())
        found = int(self.significant().sum())
        omitted = left_out(self.findings.sample.omitted)
        return (
            f"{self.findings.measure}: {self.findings.test}, {self.label}\n"
            f"  {found:,} significant at 0.05; {missing:,} without a p value"
            + (f"; left out: {omitted}" if omitted else "")
        )


def compare_systems(
    table: ScoreTable,
    *,
    baselines: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    correction: str = "holm",
    resamples: int = 10_000,
    rng: int | np.random.Generator | None = None,
) -> Comparisons:
    """Compare all pairs of systems, or all with baselines, and correct for their number.

    Parameters
    ----------
    table : ScoreTable
        Scores by system and topic.
    baselines : str or sequence of str
        Compare every other system with each of these; by default all pairs are compared.
    test, alternative, resamples, rng
        As for :func:`~poolwise.compare_pair`.
    correction : {"holm", "bonferroni", "bh", "tukey", "none"}
        ``tukey`` is the randomized Tukey HSD, paired by topic: two-sided, over all pairs; it
        takes ``resamples`` and ``rng``. The uncorrected p value beside it is that of ``test``.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> result = compare_systems(table)
    >>> print(result)
    AP: paired t test, Holm; all pairs of 3 systems: 3 comparisons
      0 significant at 0.05; 0 without a p value
    >>> [(f.a, f.b, round(f.pvalue, 3), round(f.p_adjusted, 3)) for f in result]
    [('a', 'b', 0.035, 0.106), ('a', 'c', 0.044, 0.106), ('b', 'c', 0.102, 0.106)]
    """
    _check(correction, alternative, baselines)
    findings = compare_pairs(
        table,
        baselines=baselines,
        test=test,
        alternative=alternative,
        resamples=resamples,
        rng=rng,
    )
    if correction == "tukey":
        sample = paired_sample(table, findings.sample.pairs)
        adjusted = tukey_pvalues(sample, Resamples.plan(resamples, rng=rng))
    else:
        adjusted = adjust_pvalues(findings.pvalue, correction=correction)
    return Comparisons(
        findings=findings,
        p_adjusted=adjusted,
        family=findings.sample.pairs.family,
        size=int((~np.isnan(adjusted)).sum()),
        correction=correction,
    )


def adjust_pvalues(pvalues: Sequence[float] | Floats, *, correction: str = "holm") -> Floats:
    """Correct p values for their number; a missing one (NaN) is no member of the family.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    >>> adjust_pvalues([0.01, 0.04, 0.03], correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    raw = np.asarray(pvalues, np.float64)
    if correction not in _ADJUST:
        raise OptionError(
            f"correction: {correction!r} does not work on p values alone. "
            f"Hint: use one of {', '.join(_ADJUST)}."
        )
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(~np.isnan(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    adjusted[order] = np.minimum(1.0, _ADJUST[correction](raw[order]))
    return adjusted


def _holm(ascending: Floats) -> Floats:
    """Return the step-down correction of Holm 1979."""
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Benjamini and Hochberg 1995 (false discovery rate)."""
    m = len(ascending)
    raised = ascending * m / np.arange(1, m + 1)
    return np.minimum.accumulate(raised[::-1])[::-1]


_ADJUST: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": lambda ascending: ascending * len(ascending),
    "bh": _benjamini_hochberg,
    "none": lambda ascending: ascending,
}


def _check(correction: str, alternative: str, baselines: str | Sequence[str]) -> None:
    require_choice("correction", correction, CORRECTIONS)
    if correction == "tukey" and (baselines or alternative != "two-sided"):
        raise OptionError(
            "correction: 'tukey' compares all pairs, two-sided; "
            f"got baselines={baselines!r}, alternative={alternative!r}. "
            "Hint: leave these out, or use 'holm'."
        )
