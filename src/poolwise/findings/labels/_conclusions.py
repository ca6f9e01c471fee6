"""What becomes of conclusions about runs where labels of one author replace another's."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, levels, settle
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import t_quantile

__all__ = ["TOP", "Conclusions", "conclusions", "significant_signs"]

TOP = 15
"""The best runs by people, whose order is looked at by itself."""


@dataclass(frozen=True, eq=False)
class Conclusions:
    """How orders and significant differences change from one set of labels to another.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    human, machine : float array
        The means of the runs by people and by the machine.
    tau, tau_ap, top : float
        τ_b of the means; τ_AP, where the machine's order is walked; τ_b of the best runs by people.
    kept, lost, reversed, gained : int
        Of the pairs with a significant difference by people: significant by the machine, too, with
        the same sign; not significant; significant with the other sign. Those that are significant
        by the machine alone.
    undefined : tuple of int
        Topics without a score by people, and by the machine, which count 0.
    tau_resampled, top_resampled : tuple of float
        The middle 95% of τ_b, and of that of the best runs, under resampled topics: no interval of
        τ, which resampling lowers.
    """

    measure: str
    systems: tuple[str, ...]
    human: Floats
    machine: Floats
    tau: float
    tau_ap: float
    top: float
    kept: int
    lost: int
    reversed: int
    gained: int
    undefined: tuple[int, int]
    tau_resampled: tuple[float, float] = (float("nan"), float("nan"))
    top_resampled: tuple[float, float] = (float("nan"), float("nan"))

    @property
    def bias(self) -> float:
        """How much higher the machine scores runs, on average."""
        return float((self.machine - self.human).mean())

    @property
    def significant(self) -> int:
        """How many pairs differ significantly by people."""
        return self.kept + self.lost + self.reversed


def conclusions(
    human: ScoreTable, machine: ScoreTable, *, alpha: float = 0.05, resamples: int = 0, rng: int = 1
) -> Conclusions:
    """Compare what two sets of labels say of the same runs on the same topics.

    Parameters
    ----------
    human, machine : ScoreTable
        Scores by people's labels and by the machine's.
    alpha
        The level of the two-sided paired t tests, not corrected.
    resamples, rng
        How many times topics are resampled, and the seed.

    Examples
    --------
    >>> made = [[.9, .8, .7, .9], [.5, .4, .6, .4], [.1, .3, .2, .1]]
    >>> tables = [ScoreTable.from_matrix(scores, systems="abc", topics="1234", measure="AP")
    ...           for scores in (made, made[::-1])]
    >>> outcome = conclusions(*tables)
    >>> outcome.tau, outcome.kept, outcome.reversed
    (-1.0, 0, 3)
    """
    by_human, by_machine = (np.nan_to_num(table.value) for table in (human, machine))
    means = by_human.mean(axis=1), by_machine.mean(axis=1)
    first, second = significant_signs(by_human, alpha), significant_signs(by_machine, alpha)
    pairs = np.triu_indices(len(first), 1)
    first, second = first[pairs], second[pairs]
    order = _order(means[0], human.systems)
    best = order[:TOP]
    return Conclusions(
        measure=str(human.measure),
        systems=human.systems,
        human=means[0],
        machine=means[1],
        tau=float(correlate(*means)),
        tau_ap=_tau_ap(order, _order(means[1], human.systems)),
        top=float(correlate(means[0][best], means[1][best])),
        kept=int(((first != 0) & (first == second)).sum()),
        lost=int(((first != 0) & (second == 0)).sum()),
        reversed=int(((first != 0) & (first == -second)).sum()),
        gained=int(((first == 0) & (second != 0)).sum()),
        undefined=(_undefined(human), _undefined(machine)),
        **_resampled(by_human, by_machine, resamples, rng),
    )


def _resampled(
    human: Floats, machine: Floats, resamples: int, rng: int
) -> dict[str, tuple[float, float]]:
    """Return the middle 95% of both τ over resampled topics; nothing without resamples."""
    topics = human.shape[1]
    if not resamples or not topics:
        return {}
    drawn = np.random.default_rng(rng).integers(0, topics, (resamples, topics))
    weights = np.stack([np.bincount(sample, minlength=topics) for sample in drawn]) / topics
    first, second = weights @ human.T, weights @ machine.T
    best = np.argsort(-first, axis=1, kind="stable")[:, :TOP]
    tops = (np.take_along_axis(means, best, axis=1) for means in (first, second))
    return {
        "tau_resampled": _middle(correlate(first, second)),
        "top_resampled": _middle(correlate(*tops)),
    }


def _middle(values: Floats) -> tuple[float, float]:
    low, high = np.nanpercentile(values, [2.5, 97.5]).tolist()
    return low, high


def _undefined(table: ScoreTable) -> int:
    return int((~table.defined).sum())


def _order(means: Floats, systems: tuple[str, ...]) -> Indices:
    """Return the runs from best to worst; of level ones the first name first."""
    return np.lexsort((np.array(systems), -levels(means, 1e-12)))


def _tau_ap(human: Indices, machine: Indices) -> float:
    """Return τ_AP of two orders without ties, the machine's walked."""
    places = [np.argsort(order) for order in (human, machine)]
    return float(correlate(*(-place.astype(np.float64) for place in places), method="tau_ap"))


def significant_signs(values: Floats, alpha: float) -> NDArray[np.int8]:
    """Return the sign of each significant difference, runs × runs; 0 where it is not significant.

    Examples
    --------
    >>> significant_signs(np.array([[.9, .8, .7], [.1, .1, .2], [.1, .1, .2]]), 0.05).tolist()
    [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]
    """
    runs, topics = values.shape
    signs = np.zeros((runs, runs), np.int8)
    if topics < 2:
        return signs
    limit = t_quantile(topics - 1, 1 - alpha) / np.sqrt(topics)
    for a in range(runs - 1):
        apart = values[a] - values[a + 1 :]
        mean = settle(apart.mean(axis=1), 1e-12)
        significant = np.sign(mean) * (np.abs(mean) > limit * apart.std(axis=1, ddof=1))
        signs[a, a + 1 :], signs[a + 1 :, a] = significant, -significant
    return signs
