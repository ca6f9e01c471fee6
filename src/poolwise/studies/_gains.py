"""Curves of gain by rank: which fits, and what they predict of bounds (G16)."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Grades
from poolwise.evidence._meeting import align
from poolwise.evidence.unknowns._gain_models import GAIN_MODELS, GainFit, empirical_gains, fit_gains
from poolwise.measures._measure import GAINS, scaled_gains
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table, table_of
from poolwise.scores.treatments._estimates import estimate, find_treatment, informed, range_error
from poolwise.studies._error_tests import ComparedErrors, compare_errors
from poolwise.words import counted

__all__ = [
    "BoundConvergence",
    "GainModelFits",
    "compare_gain_models",
    "converge_bounds",
    "fit_gain_curves",
]

HYBRID = "hybrid"
_SHOWN = {
    "model": Column("model"),
    "rmse": Column("RMSE of fit", 4, "min"),
    "chosen": Column("best on topics", 0),
    "p": Column("p, beside the hybrid", is_p=True),
    "p_adjusted": Column("corrected", is_p=True),
}


@finding
class GainModelFits(Finding):
    """How well each model of gain by rank fits the judgments, over topics (G16 table 2, fig. 4).

    Attributes
    ----------
    topics, models : tuple of str
        Where models were fitted, and which; the last one is the hybrid of the others.
    rmse : float array, models × topics
        Root mean squared error of the fit; NaN on a topic without a judged rank.
    best : tuple of str
        The model that the hybrid takes on each topic; empty where there is none.
    topic : str
        The topic whose gains and curves are kept.
    depth : int or None
        The depth of the pool that models are fitted to; None where it is the topic's own.
    gains : float array, ranks
        The mean gain of the runs at each rank of that topic, as far down as it is known.
    curves : float array, models × ranks
        What each model expects there.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=8, topics=12, depth=50, rng=3)
    >>> fits = compare_gain_models(align(made.truth, made.runs), depth=20)
    >>> fits.models[int(fits.rmse.mean(axis=1).argmin())]
    'hybrid'
    """

    topics: tuple[str, ...]
    models: tuple[str, ...]
    rmse: Floats
    best: tuple[str, ...]
    topic: str
    depth: int | None
    gains: Floats
    curves: Floats

    @cached_property
    def tests(self) -> ComparedErrors:
        """Paired t tests over topics between the errors of all pairs of models (G16 §4)."""
        by_model = dict(zip(self.models, self.rmse, strict=True))
        return compare_errors(by_model, measure="gain by rank", condition=self._fitted)

    @property
    def _fitted(self) -> str:
        where = "down to where half of the runs are judged" if self.depth is None else None
        return f"fitted {where or f'to the pool of depth {self.depth}'}"

    def columns(self) -> Columns:
        """Return one row per model: its error, and whether it is worse than the hybrid's."""
        pairs = self.tests.columns()
        beside = {
            a if b == HYBRID else b: i
            for i, (a, b) in enumerate(zip(pairs["a"], pairs["b"], strict=True))
            if HYBRID in (a, b)
        }
        chosen = Counter(self.best)
        return {
            "model": list(self.models),
            "rmse": np.nanmean(self.rmse, axis=1).tolist(),
            "chosen": [chosen[model] for model in self.models],
            "p": [_cell(pairs["p"], beside.get(model)) for model in self.models],
            "p_adjusted": [_cell(pairs["p_adjusted"], beside.get(model)) for model in self.models],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which model fits best, and which fit as well as the hybrid."""
        columns = self.columns()
        single = range(len(self.models) - 1)
        best = min(single, key=lambda i: columns["rmse"][i])
        alike = [self.models[i] for i in single if not columns["p_adjusted"][i] < 0.05]
        said = (
            f"Of {counted(len(single), 'model')} of gain by rank, {self.models[best]} fits best, "
            f"with a root mean squared error of {columns['rmse'][best]:.4f} on average over "
            f"{counted(int((~np.isnan(self.rmse[0])).sum()), 'topic')}; it is the best on "
            f"{columns['chosen'][best]:,} of them."
        )
        beside = (
            "Not significantly worse than the best of all on each topic at 0.05: "
            f"{', '.join(alike) or 'none'} (paired t test over topics, Bonferroni)."
        )
        return (
            said,
            beside,
            f"The curves are those of topic {self.topic}, {self._fitted}.",
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per model (G16 table 2)."""
        return (chosen_table(self.columns(), _SHOWN),)


def _cell(cells: list[float], row: int | None) -> float:
    return float("nan") if row is None else cells[row]


@recorded
def fit_gain_curves(
    evidence: Grades,
    *,
    model: str = "weibull",
    gain: str = "binary",
    rel: float = 1,
    depth: int | None = None,
) -> GainFit:
    """Fit a curve of expected gain by rank to the judged documents of each topic.

    Each topic has the parameters of its curve and the error of the fit. `poolwise estimate` gives
    unjudged documents the gain that such a curve expects at their rank.

    G16 §3; :func:`~poolwise.evidence.fit_gains` takes the gains themselves.

    Parameters
    ----------
    model : str
        Use this curve; hybrid takes the best of the others topic by topic.
    gain : {"binary", "linear", "exponential"}
        Map grades to gains in this way.
    rel : float
        Count documents from this grade on as relevant.
    depth : int, optional
        Number of ranks of each run that were pooled; by default, topic by topic, down to where half
        of the runs are judged without a gap.

    Returns
    -------
    GainFit
        The curve of each topic, and how far it is from the gains it was fitted to.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = {"bm25": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    >>> evidence = pw.workflows.as_evidence({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, runs)
    >>> fit = fit_gain_curves(evidence, model="constant")
    >>> fit.models[0].rate, fit.models[0].last
    (1.0, 2)
    """
    require_choice("gain", gain, GAINS)
    return fit_gains(evidence, scaled_gains(evidence.scale, gain, rel), model=model, depth=depth)


@recorded
def compare_gain_models(
    grades: Grades,
    *,
    depth: int | None = None,
    topic: str | None = None,
    gain: str = "binary",
    rel: float = 1,
) -> GainModelFits:
    """Compare models of gain by rank: which one has the smallest error on the judgments.

    Every model is fitted to each topic. Paired t tests over topics compare the errors with those of
    the hybrid, which takes the best of the others on each topic. A plot shows the curves of one
    topic beside its gains.

    Parameters
    ----------
    depth : int, optional
        Use the ranks down to this one to fit the models; by default, topic by topic, down to where
        half of the runs are judged without a gap.
    topic : str, optional
        Draw the curves of this topic, by default of the one with the most gain.
    gain : {"binary", "linear", "exponential"}
        Map grades to gains in this way.
    rel : float
        Smallest grade of a relevant document, for the binary gain.

    Returns
    -------
    GainModelFits
        The error of each model on each topic, tests between them, and the curves of one topic.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=8, topics=12, depth=50, rng=3)
    >>> evidence = align(made.truth, made.runs)
    >>> fits = compare_gain_models(evidence, depth=10, topic=evidence.topics[0])
    >>> fits.topic == evidence.topics[0], fits.curves.shape  # extrapolated to all known ranks
    (True, (6, 50))
    """
    require_choice("gain", gain, GAINS)
    shares = scaled_gains(grades.scale, gain, rel)
    seen = empirical_gains(grades, shares)
    named = topic or grades.topics[int(np.nansum(seen, axis=1).argmax())]
    require_choice("topic", named, grades.topics)
    row = grades.topics.index(named)
    fits = [fit_gains(grades, shares, model=model, depth=depth) for model in GAIN_MODELS]
    ranks = seen.shape[1]
    return GainModelFits(
        topics=grades.topics,
        models=tuple(GAIN_MODELS),
        rmse=np.array([fit.rmse for fit in fits]),
        # the hybrid is the last model, and has taken one of the others on each topic
        best=tuple("" if model is None else model.name for model in fits[-1].models),
        topic=named,
        depth=depth,
        gains=seen[row],
        curves=np.array([fit.predict(ranks)[row] for fit in fits]),
        provenance=grades.provenance.with_options(
            depth=depth or "by topic", gain=gain, rel=rel, topic=named
        ),
    )


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
    >>> ends = converge_bounds(made.truth, made.runs, run="bm25-1", topic=made.truth.topics[0],
    ...                        pool_depths=[5, 50])
    >>> bool((ends.lower[0] <= ends.lower[1]).all() and (ends.upper[1] <= ends.upper[0]).all())
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
        low, high = self.final
        errors = range_error(
            np.array([*self.predicted.values()]), np.array([low]), np.array([high])
        )
        return dict(zip(self.predicted, errors.tolist(), strict=True))

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


@recorded
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
    """Show how the bounds of RBP of a run on a topic converge with evaluation depth, by pool.

    The range of a shallow pool stays wide; models of gain by rank predict from that pool where the
    score will be, and the range of the deepest pool says how far off they are.

    Parameters
    ----------
    run : str
        Show the bounds of this run.
    topic : str
        Show the bounds on this topic.
    pool_depths : sequence of int
        Use the judgments of pools of these depths, one after another.
    depth : int
        Evaluate down to this rank, or to the end of the longest list, if that comes before.
    p : float
        Score by RBP with this persistence.
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
    >>> ends = converge_bounds(made.truth, made.runs, run="bm25-1", topic=made.truth.topics[0],
    ...                        pool_depths=[5, 50], predictions=["linear"])
    >>> ends.lower.shape, [*ends.predicted]
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
    # Predictions come from the shallowest pool, and know its depth alone.
    treatments = {name: informed(find_treatment(name), depth=depths[0]) for name in predictions}
    return BoundConvergence(
        run=run,
        topic=topic,
        p=p,
        pool_depths=depths,
        lower=np.array([low for low, _ in ends]),
        upper=np.array([high for _, high in ends]),
        predicted={
            name: float(estimate(pools[0], rbp, treatment=treatment).value[system, row])
            for name, treatment in treatments.items()
        },
        provenance=whole.provenance.with_options(
            run=run, topic=topic, pool_depths=depths, depth=last, p=p
        ),
    )


def _range(pool: Evidence, place: tuple[int, int], p: float, depth: int) -> tuple[Floats, Floats]:
    """Return both ends at each evaluation depth; all weight further down is open (G16 fig. 2)."""
    rbp, (system, topic) = RankBiasedPrecision(p=p), place
    alone = pool.select(np.array([system]))
    cut = [alone.truncate(k) for k in range(1, depth + 1)]
    lower = np.array([rbp.score(top)[0, topic] for top in cut])
    return lower, lower + np.array([rbp.residual(top)[0, topic] for top in cut])
