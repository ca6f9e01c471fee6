"""Studies of gain by rank, of collections that lie in files (G16)."""

from typing import Any

from poolwise.studies.gains.converging_bounds import BoundConvergence, converge_bounds
from poolwise.studies.gains.model_fits import GainModelFits, compare_gain_models
from poolwise.workflows.inputs import Topics, as_evidence, as_judgments, as_runs

__all__ = ["study_convergence", "study_gain_models"]


def study_gain_models(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> GainModelFits:
    """Fit every model of gain by rank to each topic, and test which fits best (G16 table 2).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.compare_gain_models`.

    Returns
    -------
    GainModelFits
        The error of each model on each topic, tests between them, and the curves of one topic.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=50, rng=3)
    >>> found = study_gain_models(made.truth, made.runs, depth=20)
    >>> found.columns()["model"]
    ['static', 'constant', 'linear', 'zipf', 'weibull', 'hybrid']
    """
    evidence = as_evidence(judgments, runs, topics=topics, **(reading or {}))
    return compare_gain_models(evidence, **options)


def study_convergence(
    judgments: Any,
    runs: Any,
    *,
    run: str,
    topic: str,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> BoundConvergence:
    """Bound RBP of one run on one topic at every depth, with the judgments of several pools.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    run, topic : str
        Which score to bound.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.converge_bounds`.

    Returns
    -------
    BoundConvergence
        The ranges by pool and evaluation depth, and what models predict (G16 fig. 2).

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=50, rng=3)
    >>> found = study_convergence(made.truth, made.runs, run="bm25-1", topic=made.truth.topics[0],
    ...                           pool_depths=[5, 50])
    >>> found.pool_depths
    (5, 50)
    """
    how = reading or {}
    both = as_judgments(judgments, **how), as_runs(runs, **how)
    return converge_bounds(*both, run=run, topic=topic, **options)
