"""Judgments at an end of a range, made of judgments and runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings._witness import Witness, completed, gradings_of, sought_end
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.words import counted
from poolwise.workflows._inputs import Topics, as_collection, as_topics
from poolwise.workflows._trec_eval_measures import trec_eval_flags

__all__ = ["witness"]


@recorded
def witness(
    judgments: Any,
    runs: Any,
    measure: Measure | str,
    *,
    run: str | None = None,
    pair: Sequence[str] = (),
    end: str | None = None,
    topics: Topics = "judged",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Witness:
    """Find judgments under which a run's mean, or the difference of two, is at an end of its range.

    Every unjudged document of the universe gets a grade, so that any tool can score the result.
    Where a range is exact, the end is reached; where it is only valid, the judgments are the best
    ones that were found, and say so. Of the corpus, whose documents have no ids, and of tails there
    is none.

    Parameters
    ----------
    run : str, optional
        The run whose score is to be at an end of its range.
    pair : two names, optional
        The runs whose difference is to be there; by default the two runs, if there are two and
        ``run`` is not given.
    end : {"low", "high"}, optional
        Which end. Of a pair it is by default the one that reverses the order, or comes nearest to
        it.

    Returns
    -------
    Witness
        The judgments, and what every tool must give for each topic under them.

    Examples
    --------
    >>> qrels = {"1": {"x": 1, "y": 0}}
    >>> runs = {"a": {"1": ["x", "u"]}, "b": {"1": ["v", "w"]}}
    >>> witnessed = witness(qrels, runs, "P@2")
    >>> witnessed.now, witnessed.mean, witnessed.is_reversed, witnessed.judgments.to_dict()["1"]
    (0.5, -0.5, True, {'u': 0.0, 'v': 1.0, 'w': 1.0, 'x': 1.0, 'y': 0.0})
    >>> witness(qrels, runs, "P@2", run="a", end="high").mean
    1.0
    """
    wanted = parse_measure(measure)
    qrels, lists = as_collection(judgments, runs, grades=grades, reading=reading)
    evidence = align(qrels, lists, topics=as_topics(topics))
    names = _names(evidence, run, pair, end)
    sought = sought_end(evidence, wanted, names, end, Universe.of(universe, universe_depth))
    gradings = gradings_of(evidence, sought)
    extended = completed(qrels, evidence, gradings)
    # Scored anew, from the judgments, as any other tool would.
    scored = align(extended, lists.select(names), topics=evidence.topics)
    flags, why = trec_eval_flags(wanted, evidence)
    return Witness(
        measure=wanted,
        runs=names,
        end=sought.end,
        judgments=extended,
        topics=evidence.topics,
        scores=wanted.score(scored),
        bound=sought.ends,
        graded=np.array([len(grading.rows) for grading in gradings]),
        above_zero=np.array(
            [int((evidence.scale[grading.codes] > 0).sum()) for grading in gradings]
        ),
        now=sought.now,
        limit=sought.limit,
        scope=sought.scope,
        flags=flags,
        no_flags=why,
        provenance=evidence.provenance,
    )


def _names(
    evidence: Evidence, run: str | None, pair: Sequence[str], end: str | None
) -> tuple[str, ...]:
    """Return the run, or the two runs, that are asked for."""
    if run is not None and not pair:
        if end is None:
            raise OptionError("end: a run has a range with two ends. Hint: say low or high.")
        return (run,)
    names = tuple(pair) or evidence.systems
    if run is not None or len(names) != 2 or names[0] == names[1]:
        raise OptionError(
            f"pair: a run, or two different runs, must be named; got {counted(len(names), 'run')}"
            f"{' beside the run' if run is not None else ''}. Hint: name two of "
            f"{', '.join(evidence.systems[:5])} (--pair A,B)."
        )
    return names
