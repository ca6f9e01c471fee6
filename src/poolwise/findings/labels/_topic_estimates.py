"""People on some topics, machines on all: prediction-powered inference over topics.

Angelopoulos et al. 2023, with one weight of the machine for all runs, residuals that leave a topic
out, and the topics of a finite set taken as such.
"""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.errors import OptionError
from poolwise.scores._uncertainty import t_quantile

__all__ = ["FEWEST", "PredictionPowered", "prediction_powered"]

FEWEST = 8
"""Topics with people's labels below which no estimate is given."""


@dataclass(frozen=True, eq=False)
class PredictionPowered:
    """Estimates of means, or of differences, from people on some topics and a machine on all.

    Attributes
    ----------
    estimate : float array
        One entry per run or pair.
    human, machine : float array
        The mean of people's scores on their topics, and of the machine's on all.
    residual : float array
        Variance over topics of what the machine does not explain.
    spread : float array
        Variance over topics of people's scores.
    weight : float
        How much the machine counts, from 0 to 1.
    judged, topics : int
        Topics with people's labels, and all.
    """

    estimate: Floats
    human: Floats
    machine: Floats
    residual: Floats
    spread: Floats
    weight: float
    judged: int
    topics: int

    def half_width(self, *, like_these: bool = False, level: float = 0.95) -> Floats:
        """Return that of the interval for these topics, or for topics like these."""
        return t_quantile(self.judged - 1, level) * self.error(like_these=like_these)

    def error(self, *, like_these: bool = False, judged: int | None = None) -> Floats:
        """Return the standard error for these topics, or for topics like these.

        ``judged`` asks what it would be with as many topics judged by people.
        """
        share = 1 / (self.judged if judged is None else judged) - 1 / self.topics
        variance = np.maximum(share, 0) * self.residual
        if like_these:
            variance = variance + self.spread / self.topics
        return np.asarray(np.sqrt(variance))

    def human_half_width(self, *, level: float = 0.95) -> Floats:
        """Return that of people's mean alone, by t over their topics, for these topics."""
        variance = np.maximum(1 / self.judged - 1 / self.topics, 0) * self.spread
        return np.asarray(t_quantile(self.judged - 1, level) * np.sqrt(variance))

    def topics_for(self, width: float, *, level: float = 0.95) -> int | None:
        """Return how many topics people must judge for this half-width, the mean over runs.

        None where even all of these topics would not do, for topics like these.
        """
        for judged in range(FEWEST, self.topics + 1):
            half = t_quantile(judged - 1, level) * self.error(judged=judged)
            if half.mean() <= width:
                return judged
        return None


def prediction_powered(
    human: Floats, machine: Floats, judged: Indices, *, pairs: tuple[Indices, Indices] | None = None
) -> PredictionPowered:
    """Estimate means of runs, or differences of pairs of them.

    Parameters
    ----------
    human : float array, runs × judged topics
        Scores by people's labels.
    machine : float array, runs × topics
        Scores by the machine's labels.
    judged : int array
        Which of the topics people judged.
    pairs : tuple of two int arrays, optional
        The runs of each pair; means of runs without it.

    Examples
    --------
    The machine is right but for a constant: it says all there is to know.

    >>> machine = np.arange(20.0)[None] / 20
    >>> powered = prediction_powered(machine[:, :10] + 0.1, machine, np.arange(10))
    >>> powered.weight, powered.estimate.round(3).tolist(), powered.half_width().round(3).tolist()
    (1.0, [0.575], [0.0])
    """
    n, topics = len(judged), machine.shape[1]
    if n < FEWEST:
        raise OptionError(
            f"judgments: people must have judged {FEWEST} topics at least; got {n}. Hint: judge "
            f"{FEWEST - n} more, drawn at random, or labels within topics (poolwise sample)."
        )
    by_human, by_machine = human, machine
    if pairs is not None:
        # What all runs share on a topic cancels in differences, and must not set the weight.
        by_human, by_machine = human - human.mean(axis=0), machine - machine.mean(axis=0)
    weight, without = _weights(by_human, by_machine[:, judged])
    seen, all_topics = human, machine
    if pairs is not None:
        seen, all_topics = (values[pairs[0]] - values[pairs[1]] for values in (human, machine))
    predicted = all_topics[:, judged]
    apart, by_told = (v - v.mean(axis=1, keepdims=True) for v in (seen, predicted))
    # METHODS: d_i = n/(n − 1) [(Y_i − Ȳ) − λ₋ᵢ (f_i − f̄)]
    left_out = n / (n - 1) * (apart - without * by_told)
    return PredictionPowered(
        estimate=seen.mean(axis=1) + weight * (all_topics.mean(axis=1) - predicted.mean(axis=1)),
        human=seen.mean(axis=1),
        machine=all_topics.mean(axis=1),
        residual=(n - 1) / n**2 * np.square(left_out).sum(axis=1),
        spread=seen.var(axis=1, ddof=1),
        weight=float(weight),
        judged=n,
        topics=topics,
    )


def _weights(human: Floats, machine: Floats) -> tuple[float, Floats]:
    """Return λ of all judged topics, and without each of them, from sums over all runs."""
    n = human.shape[1]
    y, f = (v - v.mean(axis=1, keepdims=True) for v in (human, machine))
    both, own = (y * f).sum(axis=0), (f * f).sum(axis=0)
    whole = _ratio(np.array([both.sum()]), np.array([own.sum()]))[0]
    # Sums of products about the mean, without one topic.
    return float(whole), _ratio(both.sum() - n / (n - 1) * both, own.sum() - n / (n - 1) * own)


def _ratio(both: Floats, own: Floats) -> Floats:
    tiny = 1e-15
    return np.clip(np.where(own > tiny, both / np.maximum(own, tiny), 0.0), 0.0, 1.0)
