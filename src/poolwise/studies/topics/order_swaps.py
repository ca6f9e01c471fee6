"""How often two systems change places on other topics (W10 §3.3.6)."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, settle
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha
from poolwise.studies.tasks import Progress, run_tasks
from poolwise.studies.topics.topic_sets import (
    checked_size,
    chunks,
    draw_sets,
    pair_differences,
    weighted_means,
)
from poolwise.words import counted

__all__ = ["SwapRates", "swap_rates"]


@finding
class SwapRates(Finding):
    """How often a difference of so much on one set of topics has the other sign on another.

    Attributes
    ----------
    measure : Measure
    systems, topics : int
        Systems compared, and topics in each set.
    draws : int
        Pairs of topic sets.
    sets : str
        How they were drawn: a key of ``SETS``.
    alpha : float or None
        If given, only differences significant at this level were counted.
    width : float
        Width of the bins of differences.
    comparisons, swaps : int array, bins
        Pairs of systems with a difference in the bin on the first set, and those of them whose
        order is the opposite on the second.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=50, rng=3)
    >>> table = pw.score(pw.align(made.judgments, made.runs), "AP", bounds="none")
    >>> found = swap_rates(table, rng=1, draws=200)
    >>> for sentence in found.sentences():
    ...     print(sentence)
    12.8% of the pairs of 20 systems swap in AP between two disjoint sets of 15 topics (200 draws).
    From a difference of 0.07 on, 5% of the pairs or fewer swap.
    """

    measure: Measure
    systems: int
    topics: int
    draws: int
    sets: str
    alpha: float | None
    width: float
    comparisons: Integers
    swaps: Integers

    @property
    def rates(self) -> Floats:
        """Share of swaps in each bin; NaN in a bin without comparisons."""
        seen = np.where(self.comparisons > 0, self.comparisons, np.nan)
        return np.asarray(self.swaps / seen)

    @property
    def rate(self) -> float:
        """Share of swaps in all comparisons; NaN without any."""
        total = int(self.comparisons.sum())
        return int(self.swaps.sum()) / total if total else float("nan")

    def difference_needed(self, rate: float = 0.05) -> float:
        """Return the difference from which on no bin swaps more often; NaN if even the last does.

        What Voorhees and Buckley (2002) ask for: how much better a system must score to be
        better on other topics, but for this share of errors.
        """
        held = self.comparisons > 0
        above = np.flatnonzero(held & (self.swaps > rate * self.comparisons))
        first = int(above[-1]) + 1 if len(above) else 0
        return first * self.width if held[first:].any() else float("nan")

    def columns(self) -> Columns:
        """Return one row per bin of differences, down to the last that has any."""
        bins = int(np.flatnonzero(self.comparisons).max(initial=-1)) + 1
        edges = (np.arange(bins + 1) * self.width).round(12).tolist()
        return {
            "measure": [str(self.measure)] * bins,
            "from": edges[:-1],
            "to": edges[1:],
            "comparisons": self.comparisons[:bins].tolist(),
            "swaps": self.swaps[:bins].tolist(),
            "rate": self.rates[:bins].tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs swap, and how large a difference seldom does."""
        sets = f"two {self.sets} sets of {counted(self.topics, 'topic')}"
        drawn = f"({counted(self.draws, 'draw')})"
        chosen = "" if self.alpha is None else f" that differ significantly at level {self.alpha:g}"
        if np.isnan(self.rate):
            return (f"No pairs of systems{chosen} were found in {self.measure} on {sets} {drawn}.",)
        swapped = (
            f"{self.rate:.1%} of the pairs of {counted(self.systems, 'system')}{chosen} swap in "
            f"{self.measure} between {sets} {drawn}."
        )
        needed = self.difference_needed()
        if np.isnan(needed):
            return swapped, "No difference is so large that 5% of the pairs or fewer swap."
        return swapped, f"From a difference of {needed:g} on, 5% of the pairs or fewer swap."

    def tables(self) -> tuple[Table, ...]:
        """Return one row per bin of differences."""
        return (table_of(self.columns(), digits=3),)


def swap_rates(
    table: ScoreTable,
    *,
    rng: int | np.random.Generator = 1,
    size: int | None = None,
    draws: int = 1000,
    width: float = 0.01,
    sets: str = "disjoint",
    alpha: float | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> SwapRates:
    """Order every pair of systems on one set of topics, and see if another set agrees.

    Parameters
    ----------
    table
        Scores; topics with an undefined one are left out.
    rng
        Seed or Generator.
    size
        Topics in each set; half of all by default.
    draws
        Pairs of sets to draw.
    width
        Width of the bins of absolute differences on the first set.
    sets
        A key of ``SETS``: disjoint (Voorhees & Buckley 2002), or independent, with replacement
        (Sanderson & Zobel 2005).
    alpha
        Count only differences that a paired t test on the first set finds at this level, two-sided
        (Sanderson & Zobel 2005).
    workers, progress
        How many processes work, and what is called with the number of batches done and of all.

    Returns
    -------
    SwapRates
        Comparisons and swaps by the size of the difference on the first set.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> table = pw.score(pw.align(made.judgments, made.runs), "AP", bounds="none")
    >>> found = swap_rates(table, rng=1, draws=100, width=0.05)
    >>> (found.swaps[:4] / found.comparisons[:4]).round(2).tolist()
    [0.56, 0.13, 0.0, 0.02]
    """
    values = table.value[:, table.defined]
    chosen = checked_size(*values.shape, size=size, sets=sets)
    _check(width, alpha, chosen)
    planned = Resamples.plan(draws, rng=rng)
    options = _Options(values, table.tolerance, chosen, width, sets, alpha)
    tasks = [(options, s, n) for s, n in zip(planned.seeds, planned.sizes, strict=True)]
    found = run_tasks(_count_batch, tasks, workers=workers, progress=progress)
    comparisons, swaps = np.sum(found, axis=0)
    drawn = {"draws": draws, "size": chosen, "width": width, "sets": sets}
    if alpha is not None:
        drawn["alpha"] = alpha
    return SwapRates(
        measure=table.measure,
        systems=len(values),
        topics=chosen,
        draws=draws,
        sets=sets,
        alpha=alpha,
        width=width,
        comparisons=comparisons,
        swaps=swaps,
        provenance=table.provenance.with_options(**seed_option(rng), **drawn),
    )


@dataclass(frozen=True, eq=False)
class _Options:
    """What all batches share."""

    values: Floats
    tolerance: float
    size: int
    width: float
    sets: str
    alpha: float | None

    @property
    def bins(self) -> int:
        return int(np.ptp(self.values) / self.width) + 2


def _check(width: float, alpha: float | None, size: int) -> None:
    if not width > 0:
        raise OptionError(f"width: must be above 0; got {width!r}. Hint: use 0.01.")
    if alpha is not None:
        check_alpha(alpha)
    if alpha is not None and size < 2:
        raise OptionError("size: a test needs 2 topics; got 1. Hint: give more, or no alpha.")


def _count_batch(options: _Options, seed: np.random.SeedSequence, draws: int) -> Integers:
    """Return comparisons and swaps by bin."""
    systems, topics = options.values.shape
    rng = np.random.default_rng(seed)
    sets = draw_sets(rng, draws, topics, size=options.size, sets=options.sets)
    total = np.zeros((2, options.bins), np.int64)
    for part in chunks(draws, systems * max(systems, topics)):
        total += _count(options, *(shares[part] for shares in sets))
    return total


def _count(options: _Options, first: Floats, second: Floats) -> Integers:
    seen, later = (
        settle(pair_differences(weighted_means(options.values, shares)), options.tolerance)
        for shares in (first, second)
    )
    counted = seen != 0
    if options.alpha is not None:
        counted &= _significant(seen, options.values, first, options.size, options.alpha)
    # A difference on the edge of a bin falls into the upper one, whatever its last bit.
    bins = (np.abs(seen) / options.width + 1e-9).astype(np.int64)
    swapped = counted & (np.sign(seen) * np.sign(later) < 0)
    return np.stack([np.bincount(bins[m], minlength=options.bins) for m in (counted, swapped)])


def _significant(
    difference: Floats, values: Floats, shares: Floats, size: int, alpha: float
) -> Booleans:
    """Return which differences a paired t test finds, draws × pairs."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    left, right = np.triu_indices(len(values), k=1)
    centred = values - values.mean(axis=0)
    products = (shares[:, None, :] * centred) @ centred.T
    squares = np.diagonal(products, axis1=1, axis2=2)
    # The mean squared difference, from the mean products of both systems' scores.
    second_moment = squares[:, left] + squares[:, right] - 2 * products[:, left, right]
    variance = np.maximum(second_moment - difference**2, 0) * size / (size - 1)
    return np.abs(difference) > stdtrit(size - 1, 1 - alpha / 2) * np.sqrt(variance / size)
