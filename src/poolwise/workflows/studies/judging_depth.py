"""How deep to judge? Studies of what pools of several depths hold and change."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from poolwise.collection._reading import Reading
from poolwise.collection.pools.composition import (
    BANDS,
    MultiplicityRelevance,
    relevance_by_multiplicity,
)
from poolwise.collection.pools.nominations import nominate
from poolwise.errors import OptionError
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import judged_to_depth
from poolwise.measures._measure import Measure
from poolwise.scores._by_measure import ByMeasure
from poolwise.studies.depth.depth_study import DepthStudy
from poolwise.studies.depth.growing_pools import PoolGrowth, pool_growth
from poolwise.studies.depth.pool_depths import depths
from poolwise.studies.depth.score_movement import ScoreMovement, movement
from poolwise.studies.depth.undiscovered import RelevantBeyond, relevant_beyond
from poolwise.workflows.inputs import as_collection

__all__ = ["study_depths", "study_growth", "study_movement", "study_undiscovered", "study_votes"]


def study_depths(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reading: Reading = Reading(),
    **options: Any,
) -> DepthStudy:
    """Score and compare all runs on shallower pools, and down to fewer ranks.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names, whose cut-off the study sets.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.depths`.

    Returns
    -------
    DepthStudy
        Scores and p values of every setting, and how alike the settings order the runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [one.measure for one in found.settings]
    [nDCG@5, nDCG@50]
    """
    return depths(*as_collection(judgments, runs, reading=reading), measures, **options)


def study_movement(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reading: Reading = Reading(),
    **options: Any,
) -> ByMeasure[ScoreMovement]:
    """Score runs on shallow pools and on a deep one, and say how far each score moved.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.movement`.

    Returns
    -------
    ByMeasure of ScoreMovement
        For each measure the scores on all pools, which are found by the measure or its name.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_movement(made.truth, made.runs, ["P@10"], pool_depths=[5], reference=50)
    >>> moved = found["P@10"].final - found["P@10"].scores[0]
    >>> bool((moved >= 0).all())  # more judgments never lower a precision
    True
    """
    return movement(*as_collection(judgments, runs, reading=reading), measures, **options)


def study_growth(
    judgments: Any,
    runs: Any,
    *,
    pool_depths: Sequence[int],
    reading: Reading = Reading(),
) -> PoolGrowth:
    """Say how many documents, and relevant ones, pools of these depths hold.

    Parameters
    ----------
    judgments, runs
        Files, folders, dicts, frames or objects.
    pool_depths
        How many ranks of each run are pooled, ascending.
    reading
        How files are read: see :func:`~poolwise.read_runs`.

    Returns
    -------
    PoolGrowth
        One row per depth (U18 fig. 4, G16 fig. 3).

    Examples
    --------
    >>> from poolwise.collection.simulation import simulate
    >>> made = simulate(systems=4, topics=10, depth=30, rng=1)
    >>> found = study_growth(made.truth, made.runs, pool_depths=[5, 20])
    >>> judged = dict(zip(found.columns()["depth"], found.columns()["judged"]))
    >>> judged[5] < judged[20]
    True
    """
    return pool_growth(nominate(*as_collection(judgments, runs, reading=reading)), pool_depths)


def study_undiscovered(
    judgments: Any,
    runs: Any,
    *,
    depth: int,
    pooled: Sequence[str] | None = None,
    reading: Reading = Reading(),
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
    reading : Reading
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
    qrels, retrieved = as_collection(judgments, runs, reading=reading)
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


def study_votes(
    judgments: Any,
    runs: Any,
    *,
    depth: int = 10,
    pooled: Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = BANDS,
    reading: Reading = Reading(),
) -> MultiplicityRelevance:
    """Say how often a judged document is relevant, by how many runs have it in their first ranks.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    depth
        A run votes for what it has among its first ``depth``.
    pooled
        The runs that vote; by default all.
    rel
        Smallest grade of a relevant document.
    bands
        The smallest number of votes of each band.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    MultiplicityRelevance
        The bands of U18 table 4, each with its documents and the share of relevant ones.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "dense": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = study_votes({"1": {"a": 1, "b": 0, "c": 2}}, runs, depth=2, bands=(1, 2))
    >>> [(band.label, band.documents, band.rate) for band in found]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    found = nominate(*as_collection(judgments, runs, reading=reading))
    return relevance_by_multiplicity(found, depth, systems=pooled, rel=rel, bands=bands)
