"""How often two systems change places on other topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers, settle
from poolwise.errors import OptionError, require_choice
from poolwise.findings.comparison._resampling import Resamples
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha
from poolwise.studies._tasks import Progress, run_tasks
from poolwise.words import counted

__all__ = ["SETS", "SwapRates", "swap_rates"]

Number = TypeVar("Number", np.float64, np.int64)

SETS = {
    "disjoint": "topics are split at random, so that no topic is in both (Voorhees & Buckley 2002)",
    "independent": "each set is drawn anew, with replacement (Sanderson & Zobel 2005)",
}

_NUMBERS_AT_ONCE = 1 << 22
"""Numbers that one temporary array holds at most."""


def draw_sets(
    rng: np.random.Generator, draws: int, topics: int, *, size: int, sets: str
) -> tuple[Floats, Floats]:
    """Return the share of each topic in the first set and in the second, draws × topics.

    Examples
    --------
    >>> first, second = draw_sets(np.random.default_rng(1), 3, 8, size=4, sets="disjoint")
    >>> bool((first * second == 0).all()), first.sum(axis=1).tolist()
    (True, [1.0, 1.0, 1.0])
    """
    if sets == "independent":
        even = np.full(topics, 1 / topics)
        first, second = rng.multinomial(size, even, size=(2, draws)) / size
        return first, second
    places = _shuffled(rng, draws, topics)
    return (places < size) / size, ((places >= size) & (places < 2 * size)) / size


def random_subsets(rng: np.random.Generator, draws: int, count: int, size: int) -> Booleans:
    """Return which of so many topics, or systems, are in a random set, draws × count.

    Examples
    --------
    >>> random_subsets(np.random.default_rng(1), 3, 8, 5).sum(axis=1).tolist()
    [5, 5, 5]
    """
    return _shuffled(rng, draws, count) < size


def _shuffled(rng: np.random.Generator, draws: int, count: int) -> NDArray[np.integer]:
    """Return the places of so many things in a random order, draws × count."""
    return rng.permuted(np.broadcast_to(np.arange(count), (draws, count)), axis=1)


def weighted_means(values: Floats, shares: Floats) -> Floats:
    """Return mean scores per draw: ``values`` … × topics and draws × topics give draws × ….

    Means that differ by rounding alone are made equal.
    """
    means = shares @ values.reshape(-1, values.shape[-1]).T
    # A matrix product gives equal means different last bits.
    return means.reshape(len(shares), *values.shape[:-1]).round(12)


def pair_differences(means: NDArray[Number]) -> NDArray[Number]:
    """Return the difference of every pair of systems, along the last axis."""
    left, right = np.triu_indices(means.shape[-1], k=1)
    return means[..., left] - means[..., right]


def chunks(draws: int, numbers: int) -> Iterator[slice]:
    """Yield slices of the draws so small that an array of ``numbers`` per draw stays bounded."""
    step = max(1, _NUMBERS_AT_ONCE // max(1, numbers))
    for start in range(0, draws, step):
        yield slice(start, min(start + step, draws))


def checked_size(systems: int, topics: int, *, size: int | None, sets: str) -> int:
    """Return the number of topics in each set, half of all by default."""
    require_choice("sets", sets, SETS)
    chosen = topics // 2 if size is None else size
    most = topics // 2 if sets == "disjoint" else topics
    if systems < 2 or not 1 <= chosen <= most:
        raise OptionError(
            f"size: two sets of {counted(chosen, 'topic')}, for {counted(systems, 'system')}, "
            f"cannot be drawn from {topics}. Hint: give two systems or more, and a size from 1 to "
            f"{most}."
        )
    return chosen


def joined_topics(first: ScoreTable, second: ScoreTable | None) -> tuple[Floats, int]:
    """Return the scores on the topics of both tables, and how many belong to the first.

    Half of its topics belong to a first table that comes alone. Topics with an undefined score
    are left out.
    """
    values = first.value[:, first.defined]
    size = values.shape[1] if second is not None else values.shape[1] // 2
    if second is not None:
        _check_same_systems(first, second)
        values = np.hstack([values, second.value[:, second.defined]])
    if len(values) < 2 or min(size, values.shape[1] - size) < 2:
        raise OptionError(
            f"first, second: {counted(len(values), 'system')} on {size} and "
            f"{counted(values.shape[1] - size, 'topic')} "
            "cannot be compared. Hint: use two systems and two topics each, or more."
        )
    return values, size


def _check_same_systems(first: ScoreTable, second: ScoreTable) -> None:
    if first.systems != second.systems or first.measure != second.measure:
        raise OptionError(
            f"first, second: {first.measure} of {counted(len(first.systems), 'system')} and "
            f"{second.measure} of {len(second.systems)} must be of the same systems and measure. "
            "Hint: select the systems that both have, in one order."
        )


@dataclass(frozen=True, eq=False)
class TwoSets:
    """Means, and sums of squared deviations, of each system on two sets that make up all topics."""

    first: Floats
    second: Floats
    first_squares: Floats
    second_squares: Floats
    sizes: tuple[int, int]

    @classmethod
    def of(cls, values: Floats, in_first: Booleans) -> "TwoSets":
        """Sum over topics by matrix product: ``values`` systems × topics, draws × topics."""
        size = int(in_first[0].sum())
        sizes = size, values.shape[1] - size
        # Centred, since the mean square less the squared mean loses digits where scores are far
        # from 0.
        centre = values.mean(axis=1)
        off = values - centre[:, None]
        weights = in_first / size, ~in_first / sizes[1]
        means = [w @ off.T for w in weights]
        squares = [
            n * (w @ (off**2).T - m**2) for n, w, m in zip(sizes, weights, means, strict=True)
        ]
        return cls(means[0] + centre, means[1] + centre, squares[0], squares[1], sizes)

    def rmse(self) -> Floats:
        """Return the root mean squared difference of means over systems (W10 eq. 4.9)."""
        return np.sqrt(((self.first - self.second) ** 2).mean(axis=1))

    def kappa(self) -> Floats:
        """Return κ of each draw; infinite if the means do not vary (W10 eq. 4.10)."""
        spread = self.first.std(axis=1, ddof=1) + self.second.std(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return 2 * self.rmse() / spread

    def significant(self, alpha: float) -> NDArray[np.int8]:
        """Return where a system is higher on the first (1), the second (−1), or neither (0)."""
        n, m = self.sizes
        error = np.sqrt((self.first_squares + self.second_squares) / (n + m - 2) * (1 / n + 1 / m))
        return two_sample_verdict(self.first - self.second, error, n + m - 2, alpha)


def two_sample_verdict(
    difference: Floats, error: Floats, freedom: int, alpha: float
) -> NDArray[np.int8]:
    """Return the sign of each difference that a two-sided t test finds, else 0."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    check_alpha(alpha)
    significant = np.abs(difference) > stdtrit(freedom, 1 - alpha / 2) * error
    return (np.sign(difference) * significant).astype(np.int8)


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
    >>> rates = swap_rates(table, rng=1, draws=200)
    >>> for sentence in rates.sentences():
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
        # Multiplied, not divided: a bin without comparisons has no rate.
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


@recorded
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
    """Measure how often two systems are in the opposite order on other topics, by their difference.

    Pairs are binned by their difference on one set of topics; a swap is the opposite order on
    another set.

    Parameters
    ----------
    table
        Scores; topics with an undefined one are left out.
    size : int, optional
        Put this number of topics into each set, by default half of all.
    draws : int
        Number of pairs of topic sets to draw.
    width : float
        Count differences together in bins of this width.
    sets : {"disjoint", "independent"}
        Split the topics into two sets (Voorhees & Buckley 2002), or draw each set anew with
        replacement (Sanderson & Zobel 2005).
    alpha : float, optional
        Count only differences that are significant at this level, by a two-sided paired t test on
        the first set (Sanderson & Zobel 2005).

    Returns
    -------
    SwapRates
        Comparisons and swaps by the size of the difference on the first set.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> table = pw.score(pw.align(made.judgments, made.runs), "AP", bounds="none")
    >>> rates = swap_rates(table, rng=1, draws=100, width=0.05)
    >>> (rates.swaps[:4] / rates.comparisons[:4]).round(2).tolist()
    [0.56, 0.13, 0.0, 0.02]
    """
    values = table.value[:, table.defined]
    chosen = checked_size(*values.shape, size=size, sets=sets)
    _check(width, alpha, chosen)
    planned = Resamples.plan(draws, rng=rng)
    options = _Options(values, table.tolerance, chosen, width, sets, alpha)
    tasks = [(options, s, n) for s, n in zip(planned.seeds, planned.sizes, strict=True)]
    counts = run_tasks(_count_batch, tasks, workers=workers, progress=progress)
    comparisons, swaps = np.sum(counts, axis=0)
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
        # One more for the rest of a width, and one for a difference on the last edge.
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
    # The test makes draws × systems × systems, and × topics: the larger one must fit.
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
    # What all systems have in common on a topic cancels in differences, and costs digits in
    # products.
    centred = values - values.mean(axis=0)
    products = (shares[:, None, :] * centred) @ centred.T
    squares = np.diagonal(products, axis1=1, axis2=2)
    # The mean squared difference, from the mean products of both systems' scores.
    second_moment = squares[:, left] + squares[:, right] - 2 * products[:, left, right]
    variance = np.maximum(second_moment - difference**2, 0) * size / (size - 1)
    return np.abs(difference) > stdtrit(size - 1, 1 - alpha / 2) * np.sqrt(variance / size)
