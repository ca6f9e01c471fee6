"""How the bounds of one score converge with depth, and what models predict (G16 §3, fig. 2)."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection.identifiers import indices_of
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores.treatments._estimates import estimate, find_treatment, informed, range_error

__all__ = ["PREDICTIONS", "BoundConvergence", "converge_bounds"]

PREDICTIONS = ("constant", "linear", "zipf", "weibull", "hybrid", "interpolation")
"""The treatments that G16 table 3 compares; the last one is its RM."""


@finding
class BoundConvergence(Finding):
    """The range of RBP of one run on one topic, by evaluation depth and pool (G16 fig. 2).

    Attributes
    ----------
    run, topic : str
        Which score it is.
    p : float
        The persistence of RBP.
    pool_depths : tuple of int
        Depths of the pools, ascending.
    lower, upper : float array, pools × ranks
        The range at each evaluation depth: what is judged there, and with full gain for whatever
        is unjudged or further down.
    predicted : dict from str to float
        The score at the last depth that each treatment predicts from the shallowest pool.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=12, depth=50, rng=3)
    >>> found = converge_bounds(made.truth, made.runs, run="bm25-1", topic=made.truth.topics[0],
    ...                         pool_depths=[5, 50])
    >>> bool((found.lower[0] <= found.lower[1]).all() and (found.upper[1] <= found.upper[0]).all())
    True
    """

    run: str
    topic: str
    p: float
    pool_depths: tuple[int, ...]
    lower: Floats
    upper: Floats
    predicted: dict[str, float]

    @property
    def final(self) -> tuple[float, float]:
        """The range that the deepest pool leaves at the last depth: the final range of G16."""
        return float(self.lower[-1, -1]), float(self.upper[-1, -1])

    def errors(self) -> dict[str, float]:
        """Return how far each prediction is from the final range: 0 inside of it (ε of G16)."""
        low, high = map(np.array, self.final)
        found = range_error(np.array([*self.predicted.values()]), low, high)
        return dict(zip(self.predicted, found.tolist(), strict=True))

    def columns(self) -> Columns:
        """Return one row per pool and evaluation depth."""
        pools, ranks = self.lower.shape
        return {
            "run": [self.run] * (pools * ranks),
            "topic": [self.topic] * (pools * ranks),
            "p": [self.p] * (pools * ranks),
            "pool_depth": np.repeat(self.pool_depths, ranks).tolist(),
            "depth": list(range(1, ranks + 1)) * pools,
            "lower": self.lower.ravel().tolist(),
            "upper": self.upper.ravel().tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what each pool leaves open at the end, and how near predictions come."""
        first, depth = (float(self.lower[0, -1]), float(self.upper[0, -1])), self.lower.shape[1]
        what = f"RBP(p={self.p:g}) of {self.run} on topic {self.topic}, evaluated to depth {depth}"
        ranges = (
            f"{what}, is from {first[0]:.4f} to {first[1]:.4f} with the pool of depth "
            f"{self.pool_depths[0]}, and from {self.final[0]:.4f} to {self.final[1]:.4f} with that "
            f"of depth {self.pool_depths[-1]}."
        )
        return (ranges, *(self._say(name, error) for name, error in self.errors().items()))

    def _say(self, name: str, error: float) -> str:
        value = self.predicted[name]
        if error <= 1e-12:  # rounding
            return f"From the shallowest pool, {name} predicts {value:.4f}, inside of that range."
        side = "above" if value > self.final[1] else "below"
        return f"From the shallowest pool, {name} predicts {value:.4f}, {error:.4f} {side} it."

    def tables(self) -> tuple[Table, ...]:
        """Return the ranges at the last depth, and the predictions."""
        ends: Columns = {
            "pool": [f"depth {depth}" for depth in self.pool_depths],
            "lower": self.lower[:, -1].tolist(),
            "upper": self.upper[:, -1].tolist(),
        }
        errors = self.errors()
        said: Columns = {
            "treatment": [*self.predicted],
            "predicted": [*self.predicted.values()],
            "epsilon": [*errors.values()],
        }
        return (table_of(ends), *([table_of(said)] if self.predicted else []))


def converge_bounds(
    judgments: Judgments,
    runs: Runs,
    *,
    run: str,
    topic: str,
    pool_depths: Sequence[int] = (10, 100),
    depth: int = 100,
    p: float = 0.95,
    predictions: Sequence[str] = PREDICTIONS,
    pooled: Sequence[str] | None = None,
) -> BoundConvergence:
    """Bound RBP of one run on one topic at every depth, with the judgments of several pools.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved.
    run, topic : str
        Which score to bound.
    pool_depths : sequence of int
        Judge pools of these depths only.
    depth : int
        The last evaluation depth, or the end of the longest list, if that is shorter.
    p : float
        The persistence of RBP.
    predictions : sequence of str
        Treatments that predict the score at the last depth from the shallowest pool.
    pooled : sequence of str, optional
        The runs that form the pools; all of them by default.

    Returns
    -------
    BoundConvergence
        The ranges by pool and evaluation depth, and the predictions.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=12, depth=50, rng=3)
    >>> found = converge_bounds(made.truth, made.runs, run="bm25-1", topic=made.truth.topics[0],
    ...                         pool_depths=[5, 50], predictions=["linear"])
    >>> found.lower.shape, [*found.predicted]
    ((2, 50), ['linear'])
    """
    depths = tuple(sorted(set(pool_depths)))
    if len(depths) < 1:
        raise OptionError("pool_depths: give one or more; got none. Hint: use 10 and 100.")
    nominations = nominate(judgments, runs)
    whole = align(judgments, runs)
    system = int(indices_of((run,), whole.systems, what="run")[0])
    row = int(indices_of((topic,), whole.topics, what="topic")[0])
    pools = [whole.regrade(nominations.depth_pool(d, systems=pooled)) for d in depths]
    last = min(depth, whole.depth)
    ends = [_range(pool, (system, row), p, last) for pool in pools]
    rbp = RankBiasedPrecision(p=p) @ last
    told = {name: informed(find_treatment(name), depth=depths[0]) for name in predictions}
    return BoundConvergence(
        run=run,
        topic=topic,
        p=p,
        pool_depths=depths,
        lower=np.array([low for low, _ in ends]),
        upper=np.array([high for _, high in ends]),
        predicted={
            name: float(estimate(pools[0], rbp, treatment=one).value[system, row])
            for name, one in told.items()
        },
        provenance=whole.provenance.with_options(
            run=run, topic=topic, pool_depths=depths, depth=last, p=p
        ),
    )


def _range(pool: Evidence, place: tuple[int, int], p: float, depth: int) -> tuple[Floats, Floats]:
    """Return both ends at each evaluation depth; all weight further down is open (G16 fig. 2)."""
    rbp, (system, topic) = RankBiasedPrecision(p=p), place
    one = pool.select(np.array([system]))
    cut = [one.truncate(k) for k in range(1, depth + 1)]
    lower = np.array([rbp.score(top)[0, topic] for top in cut])
    return lower, lower + np.array([rbp.residual(top)[0, topic] for top in cut])
