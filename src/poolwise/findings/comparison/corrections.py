"""Corrections of p values for the number of comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.findings.comparison.resampling import Resamples, tukey_pvalues
from poolwise.findings.comparison.samples import paired_sample
from poolwise.findings.comparison.significance import PairTests, Seed
from poolwise.scores.score_table import ScoreTable

__all__ = ["CORRECTIONS", "Correction", "adjust_pvalues", "correct"]


@dataclass(frozen=True)
class Correction:
    """A correction: what it is called, and how it gets from p values to corrected ones.

    ``adjust`` takes p values in ascending order; with ``needs_scores``, it takes a paired sample
    and a plan of resamples, compares all pairs, and is two-sided.
    """

    name: str
    title: str
    adjust: Callable[..., Floats]
    needs_scores: bool = False


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
    chosen = _choose_without_scores(correction)
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(~np.isnan(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    adjusted[order] = np.minimum(1.0, chosen.adjust(raw[order]))
    return adjusted


def correct(
    found: PairTests, table: ScoreTable, *, correction: str, resamples: int, rng: Seed
) -> Floats:
    """Return the corrected p values of tested pairs."""
    chosen = CORRECTIONS[correction]
    if not chosen.needs_scores:
        return adjust_pvalues(found.pvalue, correction=correction)
    planned = Resamples.plan(resamples, rng=rng)
    return chosen.adjust(paired_sample(table, found.pairs), planned)


def _choose_without_scores(correction: str) -> Correction:
    names = [name for name, known in CORRECTIONS.items() if not known.needs_scores]
    if correction in CORRECTIONS and correction not in names:
        raise OptionError(
            f"correction: {correction!r} does not work on p values alone. "
            f"Hint: use one of {', '.join(names)}."
        )
    require_choice("correction", correction, names)
    return CORRECTIONS[correction]


def _holm(ascending: Floats) -> Floats:
    """Return the step-down correction of Holm 1979."""
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Benjamini and Hochberg 1995 (false discovery rate)."""
    m = len(ascending)
    raised = ascending * m / np.arange(1, m + 1)
    return np.minimum.accumulate(raised[::-1])[::-1]


CORRECTIONS: dict[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction("holm", "Holm", _holm),
        Correction("bonferroni", "Bonferroni", lambda ascending: ascending * len(ascending)),
        Correction("bh", "Benjamini–Hochberg", _benjamini_hochberg),
        Correction("tukey", "randomized Tukey HSD", tukey_pvalues, needs_scores=True),
        Correction("none", "no correction", lambda ascending: ascending),
    )
}
"""The corrections by name."""
