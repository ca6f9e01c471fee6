"""Comparisons of runs, in one call."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from poolwise.collection._reading import Reading
from poolwise.errors import require_choice
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._compare import compare_evidence, compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import MEANS, log_scores, measure_for_mean
from poolwise.workflows.inputs import DEFAULT_MEASURES, Topics, as_evidence, as_groups, as_names
from poolwise.workflows.measure_lists import several_measures

__all__ = ["compare", "compare_tables"]


@recorded
def compare(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    mean: str = "arithmetic",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    resamples: int = 10_000,
    draws: int = 200,
    prior: str = "model",
    depth: int | None = None,
    pooled: Sequence[str] | None = None,
    groups: Any = None,
    adaptive: bool = False,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int | np.random.Generator | None = 1,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[Comparisons]:
    """Compare runs, and say how sure each difference is over topics and over judgments.

    Parameters
    ----------
    mean : {"arithmetic", "geometric"}
        Whether to compare means of scores, or geometric ones, by the logarithms of scores (U18
        §2.1).
    interval : str, optional
        Which interval to report; by default the one that belongs to the test.
    draws, prior
        How many plausible completions of the judgments to draw, the same for all runs, and from
        what: a relevance model, or a prior of :func:`~poolwise.scores.bootstrap`. 0 draws none.
    depth, pooled, groups, adaptive
        What the relevance model is told of the judgments: the depth of the pool, the runs that
        formed it, where each comes from, and whether each judgment decided what was judged next.

    Returns
    -------
    ByMeasure of Comparisons
        For each measure one comparison per pair: its p value, the corrected one, and how far the
        unjudged documents could move the difference.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> found = compare(made.judgments, made.runs, ["P@5", "P@10"], baseline="bm25-1", draws=0)
    >>> len(found["P@10"]), [comparisons.measure for comparisons in found]
    (3, [P@5, P@10])
    """
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    unknown = Universe.of(universe, universe_depth)
    by_group = as_groups(groups, evidence.systems)
    return ByMeasure.of(
        compare_evidence(
            evidence,
            measure_for_mean(measure, mean),
            baselines=baseline,
            test=test,
            alternative=alternative,
            correction=correction,
            resamples=resamples,
            alpha=alpha,
            interval=interval,
            rng=rng,
            draws=draws,
            prior=prior,
            depth=depth,
            pooled=as_names(pooled),
            groups=by_group,
            adaptive=adaptive,
            universe=unknown,
            progress=progress,
        )
        for measure in several_measures(measures)
    )


@recorded
def compare_tables(
    tables: Iterable[ScoreTable],
    *,
    baseline: str | Sequence[str] = (),
    mean: str = "arithmetic",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    resamples: int = 10_000,
    rng: int | np.random.Generator | None = 1,
) -> ByMeasure[Comparisons]:
    """Compare systems by scores that someone else computed: nothing is known of the judgments.

    Parameters
    ----------
    mean, interval
        As for :func:`compare`.

    Returns
    -------
    ByMeasure of Comparisons
        The comparisons by each table, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.3, 0.4], [0.2, 0.3, 0.1]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> [(pair.a, pair.b) for pair in compare_tables([table], baseline="c")["AP"]]
    [('a', 'c'), ('b', 'c')]
    """
    require_choice("mean", mean, MEANS)
    return ByMeasure.of(
        compare_scores(
            log_scores(table) if mean == "geometric" else table,
            baselines=baseline,
            test=test,
            alternative=alternative,
            correction=correction,
            resamples=resamples,
            alpha=alpha,
            interval=interval,
            rng=rng,
        )
        for table in tables
    )
