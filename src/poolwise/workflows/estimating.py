"""Scores of runs with unjudged documents, by one treatment of these or several."""

from collections.abc import Callable, Iterable
from typing import Any

from poolwise.errors import require_known
from poolwise.evidence.unknowns.universe import Universe
from poolwise.measures.measure import Measure
from poolwise.scores.treatments._estimates import Estimates, estimate_all
from poolwise.scores.treatments._treatments import Treatment
from poolwise.workflows.inputs import Topics, as_evidence, as_groups, options_of
from poolwise.workflows.scored_inputs import READING

__all__ = ["estimate", "estimate_by_measures"]


def estimate(
    judgments: Any,
    runs: Any,
    measure: Measure | str = "nDCG@10",
    *,
    treatments: str | Iterable[str | Treatment] = "all",
    topics: Topics = "judged",
    **options: Any,
) -> Estimates:
    """Score runs that have unjudged documents, by several treatments of these.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure
        What to score the runs by.
    treatments
        Treatments or their names, or ``"all"`` that the measure and the collection allow.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    options
        ``universe``, ``universe_depth`` and ``grades``, as for :func:`~poolwise.evaluate`,
        ``depth``, ``pooled`` and ``groups`` (the depth of the pool, the runs that formed it, and
        where each comes from: an object, a file, a dict, or ``"names"`` for the beginnings of
        their names), ``common`` (the topics on which all runs were judged), ``adaptive`` (whether
        each judgment decided what was judged next), ``rng``, and the options of
        :func:`~poolwise.read_runs`.

    Returns
    -------
    Estimates
        The scores by treatment, and why treatments were refused.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=6, topics=10, depth=30, rng=1)
    >>> found = estimate(made.judgments, made.runs, "P@5", treatments=["nonrelevant", "condensed"])
    >>> list(found.scores)
    ['nonrelevant', 'condensed']
    """
    (found,) = estimate_by_measures(
        judgments, runs, [measure], treatments=treatments, topics=topics, **options
    )
    return found


def estimate_by_measures(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    treatments: str | Iterable[str | Treatment] = "all",
    topics: Topics = "judged",
    groups: Any = None,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> tuple[Estimates, ...]:
    """Estimate by several measures; the files are read once. See :func:`estimate`.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    treatments
        Treatments or their names, or ``"all"`` that the measure and the collection allow.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    universe, universe_depth
        The unjudged documents that ranges are over, as for :func:`~poolwise.evaluate`.
    progress
        Called with the number of measures done, and of all.
    options
        Those of :func:`estimate`.

    Returns
    -------
    tuple of Estimates
        The estimates by each measure, in the order of the measures.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=6, topics=10, depth=30, rng=1)
    >>> found = estimate_by_measures(made.judgments, made.runs, ["P@5", "RR"],
    ...                              treatments=["nonrelevant", "condensed"])
    >>> [(one.measure, list(one.scores)) for one in found]
    [(P@5, ['nonrelevant', 'condensed']), (RR, ['nonrelevant', 'condensed'])]
    """
    reading = {name: options.pop(name) for name in READING if name in options}
    require_known(options, [*options_of(estimate_all), *READING])
    evidence = as_evidence(judgments, runs, topics=topics, **reading)
    options["universe"] = Universe.of(universe, universe_depth)
    wanted, found = list(measures), []
    known = as_groups(groups, evidence.systems)
    chosen = treatments if isinstance(treatments, str) else list(treatments)
    for measure in wanted:
        found.append(estimate_all(evidence, measure, treatments=chosen, groups=known, **options))
        if progress is not None:
            progress(len(found), len(wanted))
    return tuple(found)
