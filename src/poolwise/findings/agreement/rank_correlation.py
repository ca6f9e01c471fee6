"""How far two sets of scores put the same systems in the same order."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, generator, levels, tolerances
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.findings.levels import check_level
from poolwise.measures.measure import Measure
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.provenance import Provenance, seed_option
from poolwise.printout.words import counted, range_text
from poolwise.scores.score_table import ScoreTable

__all__ = ["CORRELATIONS", "OrderCorrelation", "checked_scores", "correlate", "correlate_orders"]


CORRELATIONS = {
    "tau": "Kendall's τ (W10 eq. 3.16); a tied pair is neither concordant nor discordant",
    "tau_b": "Kendall's τ_b: as τ, over the pairs that are not tied",
    "tau_ap": "τ_AP (Yilmaz et al. 2008), weighted to the top of the second order; where that "
    "has ties, the mean over all ways to break them (τ_AP,a of Urbano & Marrero 2017)",
    "tau_ap_b": "τ_AP,b (Urbano & Marrero 2017): symmetric, over the pairs that are not tied",
    "spearman": "Spearman's ρ: Pearson's r of the ranks",
    "footrule": "Spearman's footrule (Diaconis & Graham 1977), 1 for equal orders and 0 for the "
    "largest distance, ⌊n²/2⌋",
    "pearson": "Pearson's r of the scores themselves (W10 eq. 3.15)",
}


@finding
class OrderCorrelation(Finding):
    """How far two score tables order the systems alike, and how far that rests on the topics.

    Attributes
    ----------
    method : str
        A key of ``CORRELATIONS``.
    first, second : Measure
        The measures of the two tables.
    systems : int
        How many systems both tables order.
    value : float
        The correlation of the mean scores.
    resampled : float array
        The correlation for topics drawn anew, with replacement; one value per draw.
    paired : bool
        Whether both tables have the same topics, which were then drawn together.
    """

    method: str
    first: Measure
    second: Measure
    systems: int
    value: float
    resampled: Floats
    paired: bool

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the correlation that sets of as many topics give on average.

        It is the correlation found, ± the standard deviation over draws of topics times the normal
        quantile. Drawn topics repeat, so that their means are noisier and their orders agree less:
        percentiles of the draws lie too low, and often below the correlation itself. The orders
        that all topics there could be would give agree more than any interval here says.
        """
        check_level(level)
        # The deviation of equal numbers would be their rounding error.
        spread = 0.0 if np.ptp(self.resampled) == 0 else float(self.resampled.std(ddof=1))
        half = NormalDist().inv_cdf((1 + level) / 2) * spread
        if math.isnan(half):
            return half, half
        return max(-1.0, self.value - half), min(1.0, self.value + half)

    def columns(self) -> Columns:
        """Return one row: the correlation with its 95% interval over topics."""
        low, high = self.interval()
        return {
            "method": [self.method],
            "first": [str(self.first)],
            "second": [str(self.second)],
            "systems": [self.systems],
            "value": [self.value],
            "ci_low": [low],
            "ci_high": [high],
            "paired": [self.paired],
            "resamples": [len(self.resampled)],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far the orders agree, and how far that rests on the topics."""
        orders = f"{self.first} and {self.second} order {counted(self.systems, 'system')}"
        if math.isnan(self.value):
            why = "there are fewer than two, or all of them are tied"
            return (f"{orders} without {self.method}: {why}.",)
        topics = "The same topics were" if self.paired else "The topics of each table were"
        times = counted(len(self.resampled), "time")
        return (
            f"{orders} with {self.method} = {self.value:.3f}, {self._interval_words()}.",
            f"{topics} drawn with replacement {times}; the interval is for sets of as many topics.",
        )

    def _interval_words(self) -> str:
        low, high = self.interval()
        if math.isnan(low):
            return "without an interval, since some draws of topics leave all systems tied"
        return f"95% interval {range_text(low, high, digits=3)} over topics"


def correlate(first: ArrayLike, second: ArrayLike, *, method: str = "tau_b") -> Floats:
    """Return the correlation of two orders, or of many, along the last axis.

    Parameters
    ----------
    first, second
        Scores of the same systems, higher is better. Leading axes broadcast, so that one vector
        meets many: ``(n,)`` with ``(m, n)`` gives ``(m,)``. Scores that differ by no more than
        1e-12 of the largest are tied: that much is rounding error.
    method
        A key of ``CORRELATIONS``. Under ``tau_ap`` the first order is the reference, which must
        not have ties, and the second one sets the weights.

    Returns
    -------
    array of float
        NaN where the correlation has no value: fewer than two systems, or all tied.

    Examples
    --------
    >>> float(correlate([0.5, 0.4, 0.3, 0.2], [0.5, 0.3, 0.4, 0.1]))
    0.6666666666666666
    >>> correlate([3, 2, 1], [[3, 2, 1], [1, 2, 3], [2, 2, 2]]).tolist()
    [1.0, -1.0, nan]
    >>> round(float(correlate([4, 3, 2, 1], [4, 3, 1, 2], method="tau_ap")), 3)
    0.778
    >>> float(correlate([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]))
    1.0
    """
    x, y = checked_scores(first, second)
    return _correlate(x, y, method, (tolerances(x), tolerances(y)))


def _correlate(
    x: Floats, y: Floats, method: str, within: tuple[float | Floats, float | Floats]
) -> Floats:
    """Correlate orders in which scores that differ by no more than ``within`` are tied."""
    require_choice("method", method, CORRELATIONS)
    if method != "pearson":
        x, y = (
            levels(scores, w).astype(np.float64) for scores, w in zip((x, y), within, strict=True)
        )
    if method == "tau_ap":
        _refuse_ties(x)
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    if x.shape[-1] < 2:
        return np.full(shape, np.nan)
    return _STATISTICS[method](_columns(x, shape), _columns(y, shape)).reshape(shape)


def correlate_orders(
    first: ScoreTable,
    second: ScoreTable,
    *,
    method: str = "tau_b",
    resamples: int = 1000,
    rng: int | np.random.Generator,
) -> OrderCorrelation:
    """Correlate the orders that two score tables give the same systems, by mean score.

    The interval resamples topics: together where both tables have the same topics (two measures
    on one collection), apart where they differ (one measure on two collections).

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7], [0.3, 0.6], [0.2, 0.1]], systems="abc",
    ...                                topics="12", measure="AP")
    >>> for sentence in correlate_orders(table, table, rng=1).sentences():
    ...     print(sentence)
    AP and AP order 3 systems with tau_b = 1.000, 95% interval 1.000 to 1.000 over topics.
    The same topics were drawn with replacement 1,000 times; the interval is for sets of as many
    topics.
    """
    random = generator(rng)
    second = second.select(first.systems) if second.systems != first.systems else second
    paired = first.topics == second.topics
    used = (first.defined & second.defined) if paired else first.defined
    x, y = first.value[:, used], second.value[:, used if paired else second.defined]
    _refuse_nothing(resamples, min(x.shape[1], y.shape[1]))
    within = first.tolerance, second.tolerance
    shares = _draws(random, resamples, x.shape[1])
    other = shares if paired else _draws(random, resamples, y.shape[1])
    return OrderCorrelation(
        method=method,
        first=first.measure,
        second=second.measure,
        systems=len(first.systems),
        value=float(_correlate(x.mean(axis=1), y.mean(axis=1), method, within)),
        resampled=_correlate(shares @ x.T, other @ y.T, method, within),
        paired=paired,
        provenance=_origin(first.provenance, second.provenance).with_options(
            method=method, resamples=resamples, **seed_option(rng)
        ),
    )


def _origin(first: Provenance, second: Provenance) -> Provenance:
    """Return where the first table comes from, and name the second one's judgments if others."""
    if first.judgments == second.judgments:
        return first
    return first.with_options(second=second.judgments.path)


def _refuse_nothing(resamples: int, topics: int) -> None:
    if resamples < 1:
        raise OptionError(f"resamples: must be at least 1; got {resamples!r}. Hint: use 1000.")
    if topics < 1:
        raise InputError(
            "first, second",
            "orders are compared over topics on which every system has a score",
            value="no such topic",
            remedy="leave out the systems without scores",
        )


def _draws(rng: np.random.Generator, draws: int, topics: int) -> Floats:
    """Return the share of each topic in topics drawn with replacement, draws × topics."""
    return rng.multinomial(topics, np.full(topics, 1 / topics), size=draws) / topics


def checked_scores(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Return both as arrays, if each holds a score for every system."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-1]:
        raise InputError(
            "first, second",
            "both must hold one score per system",
            value=(x.shape, y.shape),
            remedy="give the scores of the same systems in the same order",
        )
    if np.isnan(x).any() or np.isnan(y).any():
        raise InputError(
            "first, second",
            "every system needs a score",
            value=float("nan"),
            remedy="leave out systems or topics without one",
        )
    return x, y


def _refuse_ties(reference: Floats) -> None:
    ordered = np.sort(reference, axis=-1)
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        raise InputError(
            "first",
            "the reference order of tau_ap must not have ties",
            remedy='use method="tau_ap_b", which allows them on both sides',
        )


def _columns(scores: Floats, shape: tuple[int, ...]) -> Floats:
    """Return systems × orders; a single order stays one column, to be compared only once.

    What follows goes from system to system and meets it with all others, in all orders at once:
    memory stays at the size of the scores.
    """
    n = scores.shape[-1]
    whole = scores if scores.size == n else np.broadcast_to(scores, (*shape, n))
    return np.ascontiguousarray(whole.reshape(-1, n).T)


def _tau(x: Floats, y: Floats) -> Floats:
    n = len(x)
    return _concordance(x, y) / (n * (n - 1) / 2)


def _tau_b(x: Floats, y: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return _concordance(x, y) / np.sqrt(_untied_pairs(x) * _untied_pairs(y))


def _concordance(x: Floats, y: Floats) -> Floats:
    """Return the number of concordant pairs less that of discordant ones."""
    total = np.zeros(np.broadcast_shapes(x.shape[1:], y.shape[1:]))
    for i in range(1, len(x)):
        total += (np.sign(x[i] - x[:i]) * np.sign(y[i] - y[:i])).sum(axis=0)
    return total


def _untied_pairs(scores: Floats) -> Floats:
    ordered = np.sort(scores, axis=0)
    n = len(scores)
    # The i-th of a group of equal scores is tied with the i − 1 before it.
    tied, before = np.zeros(scores.shape[1]), np.zeros(scores.shape[1])
    for i in range(1, n):
        before = np.where(ordered[i] == ordered[i - 1], before + 1, 0.0)
        tied += before
    return n * (n - 1) / 2 - tied


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    with np.errstate(invalid="ignore"):
        return np.clip(
            (x * y).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0)), -1, 1
        )


def _spearman(x: Floats, y: Floats) -> Floats:
    return _pearson(_ranks(x), _ranks(y))


def _footrule(x: Floats, y: Floats) -> Floats:
    return 1 - np.abs(_ranks(x) - _ranks(y)).sum(axis=0) / (len(x) ** 2 // 2)


def _ranks(scores: Floats) -> Floats:
    """Return mean ranks, best first."""
    lead = [np.sign(scores - one).sum(axis=0) for one in scores]
    return (np.array(lead) + len(scores) + 1) / 2


def _above(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return per system how many stand above it by y, and how many of them by x as well."""
    by_y = [(y > one).sum(axis=0) for one in y]
    by_both = [((y > b) & (x > a)).sum(axis=0) for a, b in zip(x, y, strict=True)]
    return np.array(by_y, np.float64), np.array(by_both, np.float64)


def _tau_ap(x: Floats, y: Floats) -> Floats:
    """Return τ_AP,a: the mean of τ_AP over all orders inside the ties of y."""
    n = len(y)
    above, right = _above(x, y)
    tied = np.array([(y == one).sum(axis=0) for one in y])
    # Harmonic numbers; the entry before H[0] is read for the top group, which adds nothing.
    H = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n)), [0.0]])
    first = above.astype(np.int64)
    reached = H[first + tied - 1]
    outside = right * (reached - H[first - 1]) / tied
    inside = ((tied - 1) - above * (reached - H[first])) / (2 * tied)
    return 2 * (outside + inside).sum(axis=0) / (n - 1) - 1


def _tau_ap_b(x: Floats, y: Floats) -> Floats:
    return (_top_weighted(x, y) + _top_weighted(y, x)) / 2


def _top_weighted(x: Floats, y: Floats) -> Floats:
    """Return the mean over systems, the top group left out, of the share rightly above it."""
    above, right = _above(x, y)
    share = np.divide(right, above, out=np.zeros(right.shape), where=above > 0)
    with np.errstate(invalid="ignore"):
        return 2 * share.sum(axis=0) / (above > 0).sum(axis=0) - 1


_STATISTICS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "tau": _tau,
    "tau_b": _tau_b,
    "tau_ap": _tau_ap,
    "tau_ap_b": _tau_ap_b,
    "spearman": _spearman,
    "footrule": _footrule,
    "pearson": _pearson,
}
