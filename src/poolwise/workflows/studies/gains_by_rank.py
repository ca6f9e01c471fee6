"""How deep to judge? Studies of gain by rank (G16)."""

from typing import Any

from poolwise.collection._reading import Reading
from poolwise.errors import require_choice
from poolwise.evidence.unknowns._gain_models import GainFit, fit_gains
from poolwise.measures._gains import GAINS, scaled_gains
from poolwise.studies.gains.converging_bounds import BoundConvergence, converge_bounds
from poolwise.studies.gains.model_fits import GainModelFits, compare_gain_models
from poolwise.workflows.inputs import Topics, as_collection, as_evidence

__all__ = ["study_convergence", "study_gain_models", "study_gains"]


def study_gains(
    judgments: Any,
    runs: Any,
    *,
    model: str = "weibull",
    gain: str = "binary",
    rel: float = 1,
    depth: int | None = None,
    topics: Topics = "judged",
    reading: Reading = Reading(),
) -> GainFit:
    """Fit a curve of gain by rank to the judged documents of each topic (G16 §3).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    model
        The curve to fit: one of ``GAIN_MODELS``.
    gain : {"binary", "linear", "exponential"}
        How a grade becomes a gain.
    rel
        Smallest grade of a relevant document, for the binary gain.
    depth
        The depth to which runs were pooled; by default, topic by topic, down to where half of the
        runs are judged without a gap.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    GainFit
        The curve of each topic, and how far it is from the gains it was fitted to.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    >>> found = study_gains({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, runs, model="constant")
    >>> found.models[0].rate, found.models[0].last
    (1.0, 2)
    """
    require_choice("gain", gain, GAINS)
    evidence = as_evidence(judgments, runs, topics=topics, reading=reading)
    gains = scaled_gains(evidence.scale, gain, rel)
    return fit_gains(evidence, gains, model=model, depth=depth)


def study_gain_models(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: Reading = Reading(),
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
    reading : Reading
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
    evidence = as_evidence(judgments, runs, topics=topics, reading=reading)
    return compare_gain_models(evidence, **options)


def study_convergence(
    judgments: Any,
    runs: Any,
    *,
    run: str,
    topic: str,
    reading: Reading = Reading(),
    **options: Any,
) -> BoundConvergence:
    """Bound RBP of one run on one topic at every depth, with the judgments of several pools.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    run, topic : str
        Which score to bound.
    reading : Reading
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
    both = as_collection(judgments, runs, reading=reading)
    return converge_bounds(*both, run=run, topic=topic, **options)
