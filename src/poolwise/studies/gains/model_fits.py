"""Which model of gain by rank fits best, over topics and on one of them (G16 §4, fig. 4)."""

from collections import Counter
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import require_choice
from poolwise.evidence._grades import Grades
from poolwise.evidence.unknowns._gain_models import GAIN_MODELS, empirical_gains, fit_gains
from poolwise.measures._gains import GAINS, scaled_gains
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.studies.estimates.error_tests import ComparedErrors, compare_errors
from poolwise.words import counted

__all__ = ["GainModelFits", "compare_gain_models"]

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
    >>> found = compare_gain_models(align(made.truth, made.runs), depth=20)
    >>> found.models[int(found.rmse.mean(axis=1).argmin())]
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


def compare_gain_models(
    grades: Grades,
    *,
    depth: int | None = None,
    topic: str | None = None,
    gain: str = "binary",
    rel: float = 1,
) -> GainModelFits:
    """Fit every model of gain by rank to each topic, and test which fits best.

    Parameters
    ----------
    grades : Grades
        Runs met with judgments.
    depth : int, optional
        The depth of the pool that models are fitted to, as for
        :func:`~poolwise.evidence.fit_gains`.
    topic : str, optional
        The topic whose gains and curves to keep; by default that with the most gain.
    gain : {"binary", "linear", "exponential"}
        How a grade becomes a gain.
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
    >>> found = compare_gain_models(evidence, depth=10, topic=evidence.topics[0])
    >>> found.topic == evidence.topics[0], found.curves.shape  # extrapolated to all known ranks
    (True, (6, 50))
    """
    require_choice("gain", gain, GAINS)
    shares = scaled_gains(grades.scale, gain, rel)
    seen = empirical_gains(grades, shares)
    named = topic or grades.topics[int(np.nansum(seen, axis=1).argmax())]
    require_choice("topic", named, grades.topics)
    row = grades.topics.index(named)
    fits = [fit_gains(grades, shares, model=model, depth=depth) for model in GAIN_MODELS]
    known = seen.shape[1]
    return GainModelFits(
        topics=grades.topics,
        models=tuple(GAIN_MODELS),
        rmse=np.array([fit.rmse for fit in fits]),
        best=tuple("" if one is None else one.name for one in fits[-1].models),
        topic=named,
        depth=depth,
        gains=seen[row],
        curves=np.array([fit.predict(known)[row] for fit in fits]),
        provenance=grades.provenance.with_options(
            depth=depth or "by topic", gain=gain, rel=rel, topic=named
        ),
    )
