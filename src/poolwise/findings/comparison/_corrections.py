"""Corrections of p values for the number of comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples, dunnett_pvalues, tukey_pvalues
from poolwise.findings.comparison._samples import paired_sample
from poolwise.findings.comparison._significance import PairTests, Seed
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable

__all__ = ["CORRECTIONS", "Correction", "adjust_pvalues", "correct"]


@dataclass(frozen=True)
class Correction:
    """A correction: what it is called, and how it gets from p values to corrected ones.

    ``adjust`` takes p values in ascending order. With a ``family``, which is ``pairs`` for all
    pairs of systems and ``baseline`` for all systems against one, it takes a paired sample, what
    is claimed, and a plan of resamples.
    """

    name: str
    title: str
    adjust: Callable[..., Floats]
    family: str = ""


@recorded
def adjust_pvalues(pvalues: Sequence[float] | Floats, *, correction: str = "holm") -> Floats:
    """Correct p values for their number; a missing one (NaN) is no member of the family.

    Parameters
    ----------
    pvalues : sequence of float
        The p values of one family of tests.
    correction : str
        A key of ``CORRECTIONS``, but for those that need the scores (``tukey``, ``dunnett``).

    Returns
    -------
    float array
        The corrected p values in the same order, at most 1; NaN stays NaN.

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
    if not chosen.family:
        return adjust_pvalues(found.pvalue, correction=correction)
    # Corrections that permute scores make their own p values: those of the test stand beside them.
    planned = Resamples.plan(resamples, rng=rng)
    return chosen.adjust(paired_sample(table, found.pairs), found.sided, planned)


def _choose_without_scores(correction: str) -> Correction:
    names = [name for name, known in CORRECTIONS.items() if not known.family]
    if correction in names:
        return CORRECTIONS[correction]
    others = " and ".join(name for name in CORRECTIONS if name not in names)
    wrong = "does not work on p values alone" if correction in CORRECTIONS else "is not known"
    raise OptionError(
        f"correction: {correction!r} {wrong}. Hint: use one of {', '.join(names)}; {others} "
        "need the scores, by compare_scores or compare."
    )


def _bonferroni(ascending: Floats) -> Floats:
    return ascending * len(ascending)


def _holm(ascending: Floats) -> Floats:
    """Return the step-down correction of Holm 1979."""
    return np.maximum.accumulate(ascending * _remaining(ascending))


def _hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Hochberg 1988: Holm's bars, from the largest p down.

    It supposes that the tests are independent, or positively dependent as Simes asks.
    """
    return _from_the_largest(ascending * _remaining(ascending))


def _sidak(ascending: Floats) -> Floats:
    """Return 1 − (1 − p)^m (Šidák 1967): exact for independent tests."""
    return _any_of(ascending, np.full(len(ascending), len(ascending)))


def _holm_sidak(ascending: Floats) -> Floats:
    """Return Šidák's correction step by step, as Holm's: 1 − (1 − p)^(m − i)."""
    return np.maximum.accumulate(_any_of(ascending, _remaining(ascending)))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    """Return the step-up correction of Benjamini and Hochberg 1995 (false discovery rate)."""
    m = len(ascending)
    return _from_the_largest(ascending * m / np.arange(1, m + 1))


def _benjamini_yekutieli(ascending: Floats) -> Floats:
    """Return that of Benjamini and Yekutieli 2001, for tests that depend in any way."""
    return _benjamini_hochberg(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1))


def _remaining(ascending: Floats) -> Floats:
    return np.arange(len(ascending), 0.0, -1)


def _from_the_largest(raised: Floats) -> Floats:
    return np.minimum.accumulate(raised[::-1])[::-1]


def _any_of(pvalues: Floats, tests: Floats) -> Floats:
    """Return the chance that one of so many independent tests gives this p or less."""
    with np.errstate(divide="ignore"):
        # 1 − (1 − p)^m loses all digits of a small p; this keeps them.
        return -np.expm1(tests * np.log1p(-pvalues))


CORRECTIONS: dict[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction("holm", "Holm", _holm),
        Correction("hochberg", "Hochberg", _hochberg),
        Correction("bonferroni", "Bonferroni", _bonferroni),
        Correction("sidak", "Šidák", _sidak),
        Correction("holm-sidak", "Holm–Šidák", _holm_sidak),
        Correction("bh", "Benjamini–Hochberg", _benjamini_hochberg),
        Correction("by", "Benjamini–Yekutieli", _benjamini_yekutieli),
        Correction("tukey", "randomized Tukey HSD", tukey_pvalues, family="pairs"),
        Correction("dunnett", "randomized Dunnett test", dunnett_pvalues, family="baseline"),
        Correction("none", "no correction", lambda ascending: ascending),
    )
}
"""The corrections by name."""
