"""Whether all pairs of systems share one deviation of per-topic differences (W10 §5.3.1)."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._pairs import Pairs
from poolwise.findings.comparison._resampling import Resamples, counted_pvalue
from poolwise.findings.comparison._samples import paired_sample
from poolwise.findings.planning.past_systems import topics_of
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, seed_option
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_words

__all__ = ["DispersionTest", "dispersion_test"]


BLOCK = 256
"""Virtual pairs drawn at once, few enough to stay in the processor's cache."""


@finding
class DispersionTest(Finding):
    """Whether all pairs of systems could share one deviation of per-topic differences.

    Attributes
    ----------
    observed : float
        Standard deviation, over pairs, of the deviation of their differences.
    expected : float
        The mean of the same under one common deviation.
    pvalue : float
        Share of resamples at least as dispersed, the observed one counted in.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    >>> table = ScoreTable.from_matrix(scores, systems="abcdef", topics=map(str, range(40)),
    ...                                measure="x")
    >>> found = dispersion_test(table, rng=1, resamples=99)
    >>> found.observed > found.expected, found.pvalue
    (True, 0.01)
    """

    measure: Measure
    pairs: int
    topics: int
    observed: float
    expected: float
    pvalue: float
    resamples: int

    def columns(self) -> Columns:
        """Return one row, one column per attribute."""
        return row_of(self)

    def sentences(self) -> tuple[str, ...]:
        """Say how dispersed the deviations are, and how they would be if they were one."""
        spread = f"{self.observed:.4f}, where one common sigma would vary by {self.expected:.4f}"
        p = f"{p_words(self.pvalue)} by {counted(self.resamples, 'resample')}"
        size = f"{counted(self.pairs, 'pair')} of systems on {counted(self.topics, 'topic')}"
        return (
            f"The sigma of differences in {self.measure} varies over pairs by {spread} ({p}).",
            f"Sigma is the standard deviation of per-topic differences, here of {size}.",
        )


def dispersion_test(
    table: ScoreTable, *, rng: int | np.random.Generator = DEFAULT_SEED, resamples: int = 999
) -> DispersionTest:
    """Test whether pairs differ in the deviation of their differences (W10 algorithm 5.1).

    Differences of all pairs are centred and thrown together; as many virtual pairs are drawn
    from them, and the dispersion of their deviations is compared with the observed one. Memory
    is that of two arrays of pairs × topics and one of resamples × pairs.

    Parameters
    ----------
    table : ScoreTable
        Scores by system and topic.
    rng : int or numpy.random.Generator
        Seed or generator.
    resamples : int
        How many sets of virtual pairs are drawn.

    Returns
    -------
    DispersionTest
        The observed and the expected dispersion, and the p value.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    >>> table = ScoreTable.from_matrix(scores, systems="abcdef", topics=map(str, range(40)),
    ...                                measure="x")
    >>> dispersion_test(table, rng=1, resamples=99).pvalue
    0.01
    """
    sample = paired_sample(table, Pairs.of_all(table.systems))
    topics = topics_of(sample)
    deltas = sample.scores[sample.pairs.left] - sample.scores[sample.pairs.right]
    pool = (deltas - sample.difference[:, None]).ravel()
    observed = float(sample.deviation.std(ddof=1)) if len(sample.deviation) > 1 else 0.0
    planned = Resamples.plan(resamples, rng=rng)
    virtual = np.concatenate(planned.map(_virtual_dispersions, pool=pool, topics=topics))
    return DispersionTest(
        measure=table.measure,
        pairs=len(sample.deviation),
        topics=topics,
        observed=observed,
        expected=float(virtual.mean()),
        pvalue=float(counted_pvalue(np.count_nonzero(virtual >= observed), planned)),
        resamples=planned.count,
        provenance=table.provenance.with_options(resamples=resamples, **seed_option(rng)),
    )


def _virtual_dispersions(
    rng: np.random.Generator, size: int, *, pool: Floats, topics: int
) -> Floats:
    """Return the dispersion of deviations among virtual pairs, one per resample."""
    pairs = len(pool) // topics
    squares = np.empty((size, pairs))
    for row in squares:
        for start in range(0, pairs, BLOCK):
            drawn = row[start : start + BLOCK]
            deltas = pool[rng.integers(0, len(pool), (len(drawn), topics), np.int32)]
            # the pool has mean 0, so no digits are lost
            drawn[:] = np.einsum("pt,pt->p", deltas, deltas) - deltas.sum(axis=1) ** 2 / topics
    return np.sqrt(np.maximum(squares, 0) / (topics - 1)).std(axis=1, ddof=1)
