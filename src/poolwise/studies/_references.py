"""How many reference systems make standardized scores stable (W10 §4.5)."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.comparison._resampling import Resamples
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import StandardizationFactors, standardize
from poolwise.studies._swaps import random_subsets
from poolwise.words import counted

__all__ = ["ReferenceStability", "enough_references", "reference_stability"]

_USUAL_SIZES = (2, 3, 4, 5, 7, 10, 20, 40, 80)


_EQUAL = 1e-12
"""A variance this small beside the mean square is rounding error."""

_SHARES = (0.5, 0.95, 0.99)
"""Shares of samples for which the τ that they reach is printed."""


@finding
class ReferenceStability(Finding):
    """Agreement of system orders when fewer reference systems give the factors.

    Attributes
    ----------
    measure : Measure
    references : int
        Number of all reference systems.
    sizes : tuple of int
        Numbers of reference systems drawn.
    taus : float array, sizes × samples
        Kendall's τ with the order that all reference systems give, of each sample.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((30, 20)) ** 2
    >>> old, new = (ScoreTable.from_matrix(
    ...     v, systems=[f"s{i}" for i in range(len(v))], topics=map(str, range(20)), measure="AP")
    ...     for v in (values[:20], values[20:]))
    >>> stability = reference_stability(new, old, sizes=[5, 15], rng=1, samples=100)
    >>> stability.references, stability.taus.shape
    (20, (2, 100))
    """

    measure: Measure
    references: int
    sizes: tuple[int, ...]
    taus: Floats

    def lowest(self, share: float) -> Floats:
        """Return, per size, the τ that all but the worst samples reach: 0.95 leaves out 5%."""
        return np.quantile(self.taus, 1 - share, axis=1)

    def columns(self) -> Columns:
        """Return one row per size: the τ that half of the samples reach, and 95% and 99%."""
        rows = len(self.sizes)
        reached = {f"tau_{share:.0%}"[:-1]: self.lowest(share).tolist() for share in _SHARES}
        return {
            "measure": [str(self.measure)] * rows,
            "references": [self.references] * rows,
            "size": list(self.sizes),
            "samples": [self.taus.shape[1]] * rows,
            **reached,
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how alike the orders are with the fewest and with the most reference systems."""
        reached = self.lowest(0.95)
        said = [
            f"With {counted(size, 'reference system')} of {self.references}, 95% of "
            f"{counted(self.taus.shape[1], 'sample')} order the systems by standardized "
            f"{self.measure} with a tau of {tau:.3f} or more to the order that all of them give."
            for size, tau in ((self.sizes[0], reached[0]), (self.sizes[-1], reached[-1]))
        ]
        return tuple(dict.fromkeys(said))

    def tables(self) -> tuple[Table, ...]:
        """Return one row per size, and one column per share of samples."""
        shown = (Column(f"{share:.0%}", digits=3) for share in _SHARES)
        reached = (self.lowest(share).tolist() for share in _SHARES)
        title = (
            f"{self.measure}: tau with the order by all {self.references} reference systems, "
            "reached by a share of samples"
        )
        rows = tuple(zip(self.sizes, *reached, strict=True))
        return (Table((Column("reference systems"), *shown), rows, title),)


@recorded
def enough_references(
    table: ScoreTable,
    *,
    references: Sequence[str] = (),
    sizes: Sequence[int] = (),
    samples: int = 2000,
    rng: int | np.random.Generator = 1,
) -> ReferenceStability:
    """Show how many reference runs give the same order by standardized scores as all of them do.

    Fewer of the reference runs are drawn at random, and the order of the runs is compared with the
    one that all reference runs give, by Kendall's tau.

    Parameters
    ----------
    table : ScoreTable
        Scores of the reference runs and of those to order.
    references : sequence of str
        Make this run a reference, and order the others. The option may be repeated, and names
        may be separated by commas. By default all runs are both.
    sizes : sequence of int
        Numbers of reference runs, by default a row from 2 to 80, below their number.
    samples : int
        Number of samples of each size.

    Returns
    -------
    ReferenceStability
        Kendall's τ of every sample with the order that all reference runs give.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((20, 15)) ** 2
    >>> table = ScoreTable.from_matrix(scores, systems=[f"s{i}" for i in range(20)],
    ...                                topics=map(str, range(15)), measure="AP")
    >>> enough_references(table, references=[f"s{i}" for i in range(12)], samples=50).sizes
    (2, 3, 4, 5, 7, 10)
    """
    chosen = table.select(runs=references) if references else table
    others = [name for name in table.systems if name not in set(references)]
    if not others:
        raise OptionError(
            "references: every run is a reference, and none is left to order. Hint: leave one "
            "or more out."
        )
    usual = tuple(n for n in _USUAL_SIZES if n < len(chosen.systems)) or (len(chosen.systems),)
    ordered = table.select(runs=others)
    return reference_stability(
        ordered, chosen, sizes=tuple(sizes) or usual, samples=samples, rng=rng
    )


@recorded
def reference_stability(
    table: ScoreTable,
    references: ScoreTable,
    *,
    sizes: Sequence[int],
    rng: int | np.random.Generator = 1,
    samples: int = 2000,
) -> ReferenceStability:
    """Draw fewer reference systems at random and see how far the order of systems holds.

    Parameters
    ----------
    table
        The systems to order.
    references
        The reference systems, with scores on the same topics.
    sizes
        How many of them to draw.
    samples
        Draws of each size.

    Returns
    -------
    ReferenceStability
        Kendall's τ of every sample with the order that all reference systems give.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((30, 20)) ** 2
    >>> topics = [str(t) for t in range(20)]
    >>> old, new = (ScoreTable.from_matrix(v, systems=[f"s{i}" for i in range(len(v))],
    ...                                    topics=topics, measure="AP") for v in (values[:20],
    ...                                                                           values[20:]))
    >>> stability = reference_stability(new, old, sizes=[5, 15], rng=1, samples=100)
    >>> few, many = stability.lowest(0.5)
    >>> bool(few < many)
    True
    """
    _check(sizes, len(references.systems))
    references = references.select(topics=table.topics)
    full = standardize(table, StandardizationFactors.from_table(references)).means()
    defined = table.defined & references.defined
    scores, known = table.value[:, defined], references.value[:, defined]
    planned = Resamples.plan(samples, rng=rng)
    taus = [
        np.concatenate(planned.map(_sampled, scores=scores, known=known, size=size, full=full))
        for size in sizes
    ]
    return ReferenceStability(
        measure=table.measure,
        references=len(known),
        sizes=tuple(sizes),
        taus=np.stack(taus),
        provenance=table.provenance.with_options(**seed_option(rng), samples=samples),
    )


def _sampled(
    rng: np.random.Generator,
    samples: int,
    *,
    scores: Floats,
    known: Floats,
    size: int,
    full: Floats,
) -> Floats:
    """Return τ between the order by sampled reference systems and by all of them."""
    weights = random_subsets(rng, samples, len(known), size) / size
    mean, square = weights @ known, weights @ known**2
    variance = square - mean**2
    # W10 ch. 4: where all references score alike, σ is 0, and so are standardized scores.
    flat = variance <= _EQUAL * square
    scale = np.where(flat, 0.0, 1 / np.sqrt(np.where(flat, 1.0, variance)))
    # the mean over topics of W10 eq. 4.7, without an array of samples × systems × topics
    standardized = scale @ scores.T - (scale * mean).sum(axis=1, keepdims=True)
    return correlate(full, standardized, method="tau_b")


def _check(sizes: Sequence[int], references: int) -> None:
    if not sizes or min(sizes) < 2 or max(sizes) > references:
        raise OptionError(
            f"sizes: {', '.join(map(str, sizes)) or 'none'} are not all from 2 to {references}, "
            "the number of reference systems. Hint: use sizes in that range."
        )
