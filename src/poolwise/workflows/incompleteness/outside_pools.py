"""Studies of what pools leave out, of collections that lie in files."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from poolwise.collection.pools.nominations import nominate
from poolwise.errors import OptionError
from poolwise.evidence.alignment import align
from poolwise.evidence.completion import judged_to_depth
from poolwise.measures.measure import Measure
from poolwise.studies.depth.undiscovered import RelevantBeyond, relevant_beyond
from poolwise.studies.estimates.unpooled_runs import PoolingBias, pooling_bias
from poolwise.workflows.inputs import as_judgments, as_runs

__all__ = ["study_pooling_bias", "study_undiscovered"]


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


def study_undiscovered(
    judgments: Any,
    runs: Any,
    *,
    depth: int,
    pooled: Sequence[str] | None = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> RelevantBeyond:
    """Extrapolate how many relevant documents a deeper pool would find (Zobel; W10 §3.4.2).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    depth : int
        The depth to which the runs were pooled and judged.
    pooled : sequence of str, optional
        The runs that formed the pool; by default those that are judged to this depth on all topics.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.relevant_beyond`.

    Returns
    -------
    RelevantBeyond
        Relevant documents of each topic, found and expected.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=40, rng=1)
    >>> found = study_undiscovered(made.truth, made.runs, depth=20, target=40)
    >>> 0 < found.share_found < 1
    True
    """
    how = reading or {}
    qrels, retrieved = as_judgments(judgments, **how), as_runs(runs, **how)
    systems = pooled
    if systems is None:
        whole = judged_to_depth(align(qrels, retrieved), depth).all(axis=1)
        systems = [retrieved.systems[s] for s in np.flatnonzero(whole).tolist()]
    if not systems:
        raise OptionError(
            f"depth: no run is judged to depth {depth} on all topics. Hint: use a smaller depth, "
            "or name the pooled runs."
        )
    return relevant_beyond(nominate(qrels, retrieved), depth, systems=systems, **options)
