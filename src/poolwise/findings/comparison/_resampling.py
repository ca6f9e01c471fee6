"""Resampling of topics: the one place where a p value is counted.

Every resample weighs the topics, once for all systems: random signs for the randomization test,
draws with replacement for the bootstrap. One matrix product gives the resampled mean of each
system, and each pair costs a subtraction.

Resamples come in batches of ``BATCH``, each with its own seed, so that a result depends on the
seed alone, not on the number of workers (joblib's ``parallel_config`` sets it; one by default).
Beside the scores, a worker holds ``BATCH × (systems + topics) + CELLS`` numbers, three times
over (4 MB for 129 systems and 50 topics), and two bytes per pair and batch are kept for the sum:
memory does not grow with the number of pairs times resamples.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import TOLERANCE, Floats, Indices, Integers, generator, settle
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._samples import Sample, pair_blocks
from poolwise.results._progress import counting, has_listener

__all__ = [
    "BATCH",
    "OPPOSITE",
    "SIDES",
    "Resamples",
    "Statistics",
    "all_baselines_pvalues",
    "bootstrap_differences",
    "bootstrap_pvalues",
    "bootstrap_ts",
    "counted_pvalue",
    "dunnett_pvalues",
    "randomization_pvalues",
    "resampled_ranks",
    "studentized_pvalues",
    "subset_means",
    "tukey_pvalues",
]

BATCH = 500
"""Resamples drawn from one seed; a change of it changes every randomized p value."""

ROWS = 1 << 22
"""Resampled statistics of all pairs of a block: 32 megabytes."""

_NARROW = 125
"""Resamples of all systems that are compared at a time."""

UNTHREADED = 1 << 18
"""Multiplications up to which OpenBLAS stays on one thread."""

SIDES = {"two-sided": "not 0", "greater": "above 0", "less": "below 0"}
"""What the alternative says about the difference."""

OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
"""What the alternative is for the same two systems the other way round."""

Weigh = Callable[[np.random.Generator, int, int], Floats]

Rows = Iterator[tuple[slice, Floats]]


@dataclass(frozen=True, eq=False)
class Resamples:
    """How many resamples, and the seed of each batch.

    Examples
    --------
    >>> Resamples.plan(1200, rng=7).sizes
    (500, 500, 200)
    """

    seeds: tuple[np.random.SeedSequence, ...]
    sizes: tuple[int, ...]

    @classmethod
    def plan(cls, count: int, *, rng: int | np.random.Generator | None) -> "Resamples":
        """Cut the resamples into batches; an explicit seed is asked for."""
        if rng is None:
            raise OptionError(
                "rng: a randomized test needs a seed or a numpy Generator; got None. "
                "Hint: pass rng=1, or any other number, and report it."
            )
        if count < 1:
            raise OptionError(f"resamples: at least 1 is needed; got {count}. Hint: ask for 10000.")
        sizes = [BATCH] * (count // BATCH) + ([count % BATCH] if count % BATCH else [])
        return cls(tuple(_seed_sequence(rng).spawn(len(sizes))), tuple(sizes))

    @property
    def count(self) -> int:
        """Number of resamples in all."""
        return sum(self.sizes)

    def map(self, batch: Callable[..., Any], **options: object) -> list[Any]:
        """Call ``batch(generator, size, **options)`` for every batch, on joblib's workers."""
        import joblib  # noqa: PLC0415 -- late: slow to import, and only randomized tests need it

        # Not every cluster gives results one by one, which only a watcher needs.
        how = "generator" if has_listener() else "list"
        done = joblib.Parallel(prefer="threads", return_as=how)(
            joblib.delayed(_seeded)(batch, seed, size, options)
            for seed, size in zip(self.seeds, self.sizes, strict=True)
        )
        return list(counting(done, "batches of resamples", len(self.sizes)))


Statistics = Callable[[Sample, Resamples], Rows]
"""What gives a statistic of each pair, by resample, block by block."""


def randomization_pvalues(sample: Sample, sided: str, resamples: Resamples) -> Floats:
    """Flip the sign of each topic's differences at random (W10 §3.3.3; Smucker et al. 2007)."""
    return _mean_pvalues(sample, sample.scores, _random_signs, sided, resamples)


def bootstrap_pvalues(sample: Sample, sided: str, resamples: Resamples) -> Floats:
    """Draw topics with replacement and shift the differences to mean 0 (W10 §3.3.3)."""
    return _mean_pvalues(sample, _centred(sample.scores), _random_draws, sided, resamples)


def studentized_pvalues(sample: Sample, sided: str, resamples: Resamples) -> Floats:
    """As the shifted bootstrap, each resampled mean over its own standard error.

    A resample that is one topic over and over has no standard error and counts as extreme.
    Efron and Tibshirani 1993, chapter 16.
    """
    error = np.where(sample.standard_error > 0, sample.standard_error, np.inf)
    observed = sample.difference / error
    # A resample that is as extreme but for rounding counts, as the observed one itself does.
    bar = _extremity(observed.copy(), sided) - TOLERANCE * (1 + np.abs(observed))
    counts = resamples.map(
        _count_studentized,
        centred=_centred(sample.scores),
        pairs=sample.pairs,
        bar=bar,
        sided=sided,
    )
    return counted_pvalue(np.sum(counts, axis=0, dtype=np.int64), resamples)


def tukey_pvalues(sample: Sample, sided: str, resamples: Resamples) -> Floats:
    """Permute the systems within each topic; compare with the range of the permuted means.

    Carterette 2012, "Multiple testing in statistical analysis of systems-based IR experiments".
    Always two-sided.
    """
    del sided
    used = np.union1d(sample.pairs.left, sample.pairs.right)
    ranges = np.sort(np.concatenate(resamples.map(_permuted_ranges, scores=sample.scores[used])))
    bar = np.abs(sample.difference) - sample.tolerance
    return counted_pvalue(len(ranges) - np.searchsorted(ranges, bar), resamples)


def dunnett_pvalues(sample: Sample, sided: str, resamples: Resamples) -> Floats:
    """Turn the signs of whole topics; compare with the most extreme of all pairs' statistics.

    Dunnett's 1955 test is for independent groups of one variance. Here every system meets the
    baseline on the same topics, with a spread of its own, and two systems' differences depend on
    each other as they happen to: so a topic keeps or turns the signs of all its differences at
    once, which leaves their dependence as it is (the single-step maxT of Westfall and Young 1993).
    Under turned signs the sum of squares stays, so t rises with sum / √(sum of squares).
    """
    deltas = sample.deltas(slice(None))
    length = np.sqrt((deltas**2).sum(axis=1, keepdims=True))
    units = np.divide(deltas, length, out=np.zeros(deltas.shape), where=length > 0)
    most = np.sort(np.concatenate(resamples.map(_most_extreme, units=units, sided=sided)))
    bar = _extremity(units.sum(axis=1), sided) - TOLERANCE * np.sqrt(sample.topics)
    pvalues = counted_pvalue(len(most) - np.searchsorted(most, bar), resamples)
    return np.where(length[:, 0] > 0, pvalues, np.nan)


def all_baselines_pvalues(scores: Floats, within: float, resamples: Resamples) -> Floats:
    """Return the p values of :func:`dunnett_pvalues` with each system as the baseline in turn.

    Row ``a`` is the family of system a: its comparisons with all others, two-sided. The signs are
    turned once for all families, and a pair is weighed once for both of its own: 1,000 systems take
    about a second for 1,000 resamples. NaN where two systems have the same scores, and with itself.

    Parameters
    ----------
    scores
        Systems × topics, all defined.
    within
        Scores that differ by no more are level.
    """
    scales, observed = _unit_sums(scores, within)
    most = np.concatenate(
        resamples.map(_most_extreme_of_each, scores=scores, scales=scales), axis=1
    )
    most.sort(axis=1)
    bars = np.abs(observed) - TOLERANCE * np.sqrt(scores.shape[1])
    above = [len(row) - np.searchsorted(row, bar) for row, bar in zip(most, bars, strict=True)]
    pvalues = counted_pvalue(np.reshape(above, observed.shape), resamples)
    return np.where(scales > 0, pvalues, np.nan)


def _unit_sums(scores: Floats, within: float) -> tuple[Floats, Floats]:
    """Return, by pair, one over the length of the differences, and their sum at length 1."""
    count = len(scores)
    scales, sums = np.zeros((count, count)), np.zeros((count, count))
    for a in range(count - 1):
        deltas = settle(scores[a] - scores[a + 1 :], within)
        length = np.sqrt(np.einsum("pt,pt->p", deltas, deltas))
        scale = np.divide(1.0, length, out=np.zeros(length.shape), where=length > 0)
        scales[a, a + 1 :] = scales[a + 1 :, a] = scale
        sums[a, a + 1 :] = deltas.sum(axis=1) * scale
    return scales, sums - sums.T


def _most_extreme_of_each(
    rng: np.random.Generator, size: int, *, scores: Floats, scales: Floats
) -> Floats:
    """Return, by system and resample, the most extreme statistic of its pairs."""
    topics = scores.shape[1]
    sums = _weigh(scores, topics * _random_signs(rng, size, topics))
    most = np.zeros(sums.shape)
    # Narrow enough for a block of all systems to stay in cache.
    for first in range(0, size, _NARROW):
        block = np.ascontiguousarray(sums[:, first : first + _NARROW])
        most[:, first : first + _NARROW] = _most_of_pairs(block, scales)
    return most


def _most_of_pairs(sums: Floats, scales: Floats) -> Floats:
    most, kept = np.zeros(sums.shape), np.empty(sums.shape)
    for a in range(len(sums) - 1):
        rest = slice(a + 1, None)
        statistics = np.subtract(sums[rest], sums[a], out=kept[rest])
        statistics *= scales[a, rest, None]
        np.abs(statistics, out=statistics)
        np.maximum(most[rest], statistics, out=most[rest])
        np.maximum(most[a], statistics.max(axis=0), out=most[a])
    return most


def resampled_ranks(scores: Floats, within: float, resamples: Resamples) -> Integers:
    """Return the rank of each system by its mean over topics drawn with replacement, by resample.

    Level means share the best rank. What this spread is not: a confidence interval of the rank.
    """
    return np.concatenate(resamples.map(_drawn_ranks, scores=scores, within=within), axis=1)


def _drawn_ranks(rng: np.random.Generator, size: int, *, scores: Floats, within: float) -> Integers:
    means = _weigh(scores, _random_draws(rng, size, scores.shape[1]))
    ascending = np.sort(means, axis=0)
    ranks = np.empty(means.shape, np.int64)
    for r in range(size):
        level = np.searchsorted(ascending[:, r], means[:, r] + within, side="right")
        ranks[:, r] = 1 + len(scores) - level
    return ranks


def bootstrap_differences(sample: Sample, resamples: Resamples) -> Rows:
    """Return each pair's mean difference in topics drawn with replacement, less the observed."""
    return _rows(_drawn_differences, sample, resamples)


def bootstrap_ts(sample: Sample, resamples: Resamples) -> Rows:
    """Return the same over the standard error of each resample."""
    return _rows(_drawn_ts, sample, resamples)


def subset_means(sample: Sample, resamples: Resamples) -> Rows:
    """Return each pair's mean difference over the topics whose sign a randomization test turns.

    NaN where it turns none.
    """
    return _rows(_subset_differences, sample, resamples)


def _rows(batch: Callable[..., Floats], sample: Sample, resamples: Resamples) -> Rows:
    """Yield the pairs block by block, with one row per pair and one column per resample."""
    step = max(1, ROWS // resamples.count)
    for start in range(0, len(sample.pairs), step):
        block = slice(start, start + step)
        left, right = sample.pairs.left[block], sample.pairs.right[block]
        parts = resamples.map(batch, scores=sample.scores, left=left, right=right)
        yield block, np.concatenate(parts, axis=1)


def _seed_sequence(rng: int | np.random.Generator) -> Any:
    """Return the seed sequence of a seed or Generator, whose type numpy leaves open."""
    return generator(rng).bit_generator.seed_seq


def _seeded(
    batch: Callable[..., Any], seed: np.random.SeedSequence, size: int, options: dict[str, Any]
) -> Any:
    return batch(np.random.default_rng(seed), size, **options)


def counted_pvalue(counts: NDArray[np.integer] | np.integer, resamples: Resamples) -> Floats:
    """Count the observed arrangement among the resamples, so that no p value is 0."""
    return np.asarray((counts + 1.0) / (resamples.count + 1.0))


def _mean_pvalues(
    sample: Sample, scores: Floats, weigh: Weigh, sided: str, resamples: Resamples
) -> Floats:
    bar = _extremity(sample.difference.copy(), sided) - sample.tolerance
    counts = resamples.map(
        _count_means, scores=scores, pairs=sample.pairs, bar=bar, weigh=weigh, sided=sided
    )
    return counted_pvalue(np.sum(counts, axis=0, dtype=np.int64), resamples)


def _centred(scores: Floats) -> Floats:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _extremity(statistic: Floats, sided: str) -> Floats:
    """Turn a statistic, in place, so that larger speaks more against the null."""
    if sided == "two-sided":
        return np.abs(statistic, out=statistic)
    return statistic if sided == "greater" else np.negative(statistic, out=statistic)


def _random_signs(rng: np.random.Generator, size: int, topics: int) -> Floats:
    """Return a weight of ±1/topics per resample and topic."""
    return (2.0 * rng.integers(0, 2, (size, topics), np.int8) - 1.0) / topics


def _random_draws(rng: np.random.Generator, size: int, topics: int) -> Floats:
    """Return the share of each topic among draws with replacement, per resample."""
    # Each resample counts in a range of its own, so that one count over all of them will do.
    drawn = rng.integers(0, topics, (size, topics)) + topics * np.arange(size)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=size * topics)
    return counts.reshape(size, topics) / topics


def _count_means(
    rng: np.random.Generator,
    size: int,
    *,
    scores: Floats,
    pairs: Pairs,
    bar: Floats,
    weigh: Weigh,
    sided: str,
) -> NDArray[np.uint16]:
    """Count, per pair, the resamples at least as extreme as what was observed."""
    means = _weigh(scores, weigh(rng, size, scores.shape[1]))
    counts = np.empty(len(pairs), np.uint16)
    for block in pair_blocks(pairs, size):
        null = means[pairs.left[block]]
        null -= means[pairs.right[block]]
        extreme = _extremity(null, sided) >= bar[block, None]
        counts[block] = np.count_nonzero(extreme, axis=1)
    return counts


def _count_studentized(
    rng: np.random.Generator, size: int, *, centred: Floats, pairs: Pairs, bar: Floats, sided: str
) -> NDArray[np.uint16]:
    weights = _random_draws(rng, size, centred.shape[1])
    means = _weigh(centred, weights)
    counts = np.empty(len(pairs), np.uint16)
    for block in pair_blocks(pairs, size):
        left, right = pairs.left[block], pairs.right[block]
        null = means[left] - means[right]
        error = _standard_error(centred[left] - centred[right], null, weights)
        # Not null / error >= bar: an error of 0, of one topic drawn throughout, has no quotient.
        counts[block] = np.count_nonzero(
            _extremity(null, sided) >= bar[block, None] * error, axis=1
        )
    return counts


def _standard_error(centred: Floats, mean: Floats, weights: Floats) -> Floats:
    """Return the standard error of each resampled mean of centred differences."""
    spread = _weigh(centred**2, weights)
    # Weights are shares of draws, so that this is the mean of squares less the square of the mean.
    spread -= mean**2
    spread /= max(1, centred.shape[1] - 1)
    return np.sqrt(np.maximum(spread, 0, out=spread), out=spread)


def _weigh(rows: Floats, weights: Floats) -> Floats:
    """Return the product rows × resamples, in pieces that BLAS does on the calling thread.

    On a busy machine BLAS waits for its own threads far longer than these small products take,
    and to spread the work is joblib's business.
    """
    sums = np.empty((len(rows), len(weights)))
    step = max(1, UNTHREADED // max(1, weights.size))
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        np.matmul(rows[piece], weights.T, out=sums[piece])
    return sums


def _most_extreme(rng: np.random.Generator, size: int, *, units: Floats, sided: str) -> Floats:
    """Return the statistic of the pair that speaks most against the null, by resample."""
    topics = units.shape[1]
    sums = _weigh(units, topics * _random_signs(rng, size, topics))
    return np.asarray(_extremity(sums, sided).max(axis=0))


def _drawn_differences(
    rng: np.random.Generator, size: int, *, scores: Floats, left: Indices, right: Indices
) -> Floats:
    means = _weigh(_centred(scores), _random_draws(rng, size, scores.shape[1]))
    return np.asarray(means[left] - means[right])


def _drawn_ts(
    rng: np.random.Generator, size: int, *, scores: Floats, left: Indices, right: Indices
) -> Floats:
    weights, centred = _random_draws(rng, size, scores.shape[1]), _centred(scores)
    means = _weigh(centred, weights)
    null = means[left] - means[right]
    error = _standard_error(centred[left] - centred[right], null, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(null == 0, 0.0, null / error))


def _subset_differences(
    rng: np.random.Generator, size: int, *, scores: Floats, left: Indices, right: Indices
) -> Floats:
    turned = _random_signs(rng, size, scores.shape[1]) < 0
    with np.errstate(invalid="ignore"):
        means = _weigh(scores, turned / turned.sum(axis=1, keepdims=True))
    return np.asarray(means[left] - means[right])


def _permuted_ranges(rng: np.random.Generator, size: int, *, scores: Floats) -> Floats:
    """Return the largest minus the smallest mean of each permutation."""
    sums = np.zeros((size, len(scores)))
    # Systems change places within a topic alone, as if which has which score were chance.
    for topic in scores.T:
        sums += rng.permuted(np.broadcast_to(topic, sums.shape), axis=1)
    return np.asarray(np.ptp(sums, axis=1) / scores.shape[1])
