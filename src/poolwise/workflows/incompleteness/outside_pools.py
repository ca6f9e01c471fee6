"""Studies of what pools leave out, of collections that lie in files."""

from typing import Any

from poolwise.measures.measure import Measure
from poolwise.studies.estimates.unpooled_runs import PoolingBias, pooling_bias
from poolwise.workflows.inputs import as_judgments, as_runs

__all__ = ["study_pooling_bias"]


def study_pooling_bias(
    judgments: Any,
    runs: Any,
    measure: Measure | str,
    *,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> PoolingBias:
    """Draw pools at random, and see how far scores of a run outside them are off (W10 ch. 6).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure
        A measure or its name.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.pooling_bias`.

    Returns
    -------
    PoolingBias
        Errors by width of the pool, treatment of unjudged documents and number of common topics.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=20, rng=1)
    >>> found = study_pooling_bias(made.truth, made.runs, "P@10", widths=[3], pools=10)
    >>> found.widths, found.common
    ((3,), (10,))
    """
    how = reading or {}
    return pooling_bias(as_judgments(judgments, **how), as_runs(runs, **how), measure, **options)
