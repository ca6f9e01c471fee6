"""How far below, and above, a mean difference may truly lie: the limits that a gate decides by.

They are one-sided t limits, taken twice: of the topics as they are, and with the worst topic (for
the upper limit the best one) counted once more, or twice more if there are fewer than 50 topics;
the more careful of the two counts. A plain t limit is too sure of itself where few topics carry a
loss, as they do in real pairs of runs: on TREC-8 and DL 2019 it lets 5 to 10% of the candidates
pass that are worse by just the margin, and some pairs far more often. With the worst topic counted
again these are fewer than 5% (``validate/VALIDATION.md``).

The same holds of a difference that rests on people's labels on a part and a machine's on all; there
the worst topic is the one that lowers the estimate most.
"""

from typing import NamedTuple

import numpy as np

from poolwise.arrays import TOLERANCE, Floats, Indices
from poolwise.findings.comparison._differences import t_pvalue_range
from poolwise.findings.labels._topic_estimates import PredictionPowered, prediction_powered

__all__ = [
    "MeanLimits",
    "candidate_powered",
    "labelled_again",
    "largest_pvalue",
    "mean_limits",
    "prediction_limits",
    "unseen_share",
]

_FEW = 50
"""Topics below which the worst one is counted twice more."""
_VERY_FEW = 25
"""Topics with labels by people below which, where a machine fills the rest, it is three times."""


class MeanLimits(NamedTuple):
    """What a sample of differences says of their mean, one entry per row.

    ``p_pass`` is the p value of "the mean is not above −margin", ``p_fail`` that of "the mean is
    not below −margin".
    """

    low: Floats
    high: Floats
    p_pass: Floats
    p_fail: Floats


def labelled_again(topics: int, *, sampled: bool = False) -> int:
    """Return how often the worst topic is counted again where people labelled a part.

    Scores from a sample of documents vary more from topic to topic, and hide a rare loss better:
    the worst topic is counted once more.

    Examples
    --------
    >>> [labelled_again(topics) for topics in (20, 25, 50)], labelled_again(50, sampled=True)
    ([3, 2, 1], 2)
    """
    return sampled + (3 if topics < _VERY_FEW else _again(topics))


def _again(topics: int) -> int:
    return 1 if topics >= _FEW else 2


def mean_limits(
    deltas: Floats, margin: float, *, alpha: float = 0.05, again: int | None = None
) -> MeanLimits:
    """Return one-sided limits of means, and the p values of what lies beyond the margin.

    The lower limit is above −margin where ``p_pass`` is below alpha, and the upper one below
    −margin where ``p_fail`` is. Differences are samples × topics; of one topic all is NaN.
    ``again`` is how often the worst topic is counted once more; by default it depends on how many
    there are.

    Examples
    --------
    >>> limits = mean_limits(np.array([[0.1, 0.0, -0.1, 0.05, 0.05]]), 0.01)
    >>> [end.round(3).item() for end in limits]
    [-0.077, 0.097, 0.551, 0.948]
    """
    if deltas.shape[1] < 2:
        return MeanLimits(*np.full((4, len(deltas)), np.nan))
    worse, better = (_with(deltas, end, again) for end in (deltas.min(axis=1), deltas.max(axis=1)))
    return _most_careful(*(_t_limits(some, margin, alpha) for some in (deltas, worse, better)))


def _most_careful(plain: MeanLimits, worse: MeanLimits, better: MeanLimits) -> MeanLimits:
    """Join the limits of the topics as they are with those where one is counted again."""
    return MeanLimits(
        low=np.minimum(worse.low, plain.low),
        high=np.maximum(better.high, plain.high),
        p_pass=np.maximum(worse.p_pass, plain.p_pass),
        p_fail=np.maximum(better.p_fail, plain.p_fail),
    )


def _with(deltas: Floats, extra: Floats, again: int | None = None) -> Floats:
    """Return the differences with one of each row counted again."""
    more = _again(deltas.shape[1]) if again is None else again
    return np.column_stack([deltas, *[extra] * more])


def _t_limits(sample: Floats, margin: float, alpha: float) -> MeanLimits:
    """Return the one-sided limits and p values of the t test."""
    n, mean = sample.shape[1], sample.mean(axis=1)
    error = sample.std(axis=1, ddof=1) / np.sqrt(n)
    # equal differences deviate by rounding error alone, which must not pass for certainty
    error = np.where(error > TOLERANCE * np.abs(sample).max(axis=1), error, 0.0)
    return _of_errors(mean, error, n, margin, alpha)


def _of_errors(mean: Floats, error: Floats, n: int, margin: float, alpha: float) -> MeanLimits:
    """Return limits and p values of means with standard errors of n − 1 degrees of freedom."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    reach, t = float(stdtrit(n - 1, 1 - alpha)) * error, _t(mean + margin, error)
    return MeanLimits(mean - reach, mean + reach, stdtr(n - 1, -t), stdtr(n - 1, t))


def prediction_limits(
    human: Floats, machine: Floats, judged: Indices, margin: float, *, alpha: float = 0.05
) -> MeanLimits:
    """Return the same for topics like these, where people judged some of them and a machine all.

    Parameters
    ----------
    human : float array, 2 × judged topics
        Scores of the baseline and of the candidate by people's labels.
    machine : float array, 2 × topics
        Their scores by the machine's labels.
    judged : int array
        Which of the topics people judged.

    Examples
    --------
    A machine that is always right leaves the error of all topics, and no other.

    >>> scores = np.random.default_rng(1).random((2, 60))
    >>> limits = prediction_limits(scores[:, :30], scores, np.arange(30), 0.1)
    >>> alone = mean_limits(scores[1:, :30] - scores[:1, :30], 0.1)
    >>> bool(limits.high - limits.low < alone.high - alone.low)
    True
    """
    plain = candidate_powered(human, machine, judged)
    pull = _influence(plain, human, machine, judged)
    sides = [_powered_again(human, machine, judged, int(t)) for t in (pull.argmin(), pull.argmax())]
    return _most_careful(
        *(_powered_limits(estimate, margin, alpha) for estimate in (plain, *sides))
    )


def candidate_powered(human: Floats, machine: Floats, judged: Indices) -> PredictionPowered:
    """Estimate the second run less the first."""
    return prediction_powered(human, machine, judged, pairs=(np.array([1]), np.array([0])))


def _influence(
    powered: PredictionPowered, human: Floats, machine: Floats, judged: Indices
) -> Floats:
    """Return how far each topic that people judged pulls the estimate up."""
    by_people, by_machine = human[1] - human[0], powered.weight * (machine[1] - machine[0])
    rest = by_people - by_machine[judged]
    predicted = by_machine[judged] - by_machine.mean()
    return np.asarray((rest - rest.mean()) / powered.judged + predicted / powered.topics)


def _powered_again(
    human: Floats, machine: Floats, judged: Indices, topic: int
) -> PredictionPowered:
    """Estimate with one of people's topics counted again."""
    copies = np.full(labelled_again(len(judged)), topic)
    more = machine.shape[1] + np.arange(len(copies))
    return candidate_powered(
        np.hstack([human, human[:, copies]]),
        np.hstack([machine, machine[:, judged[copies]]]),
        np.append(judged, more),
    )


def _powered_limits(powered: PredictionPowered, margin: float, alpha: float) -> MeanLimits:
    error = powered.error(like_these=True)
    error = np.where(error > TOLERANCE, error, 0.0)
    return _of_errors(powered.estimate, error, powered.judged, margin, alpha)


def _t(distance: Floats, error: Floats) -> Floats:
    """Return distances in standard errors; without an error they are infinite, or 0."""
    certain = np.where(distance > TOLERANCE, np.inf, np.where(distance < -TOLERANCE, -np.inf, 0.0))
    return np.where(error > 0, distance / np.where(error > 0, error, 1.0), certain)


def largest_pvalue(lower: Floats, upper: Floats, margin: float) -> float:
    """Return the largest ``p_pass`` that differences between these bounds can have.

    The topic counted again is as bad as the worst bound, which no assignment of grades undercuts;
    the others move on their own. As long as every mean is above −margin, and so every p value below
    one half, a worse topic makes it larger; otherwise 1 is returned.

    Examples
    --------
    >>> round(largest_pvalue(np.array([0.0, 0.1, 0.2]), np.array([0.1, 0.1, 0.2]), 0.05), 3)
    0.061
    """
    if len(lower) < 2:
        return float("nan")
    ends, again = (lower[None] + margin, upper[None] + margin), lower[None].min(axis=1) + margin
    longer = (_with(end, again) for end in ends)
    highs = [t_pvalue_range(*some, alternative="greater").high[0] for some in (ends, longer)]
    # only below one half does a worse topic always make the p value larger
    most = float(np.max(highs))
    return 1.0 if most >= 0.5 else most


def unseen_share(topics: int, alpha: float = 0.05) -> float:
    """Return which share of topics may be hurt without one of them being in the sample.

    If so many of all topics are hurt, a sample holds none of them with the probability alpha.

    Examples
    --------
    >>> round(unseen_share(50), 3)
    0.058
    """
    # (1 − share)^topics = alpha, solved for the share
    return float(1 - alpha ** (1 / topics)) if topics else 1.0
