"""The best scores that anybody could reach on judgments, from files or from memory."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.evidence._meeting import align
from poolwise.findings._ceilings import Ceilings
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._scoring import ByMeasure, score, score_all
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_collection,
    as_topics,
    several_measures,
)

__all__ = ["ceilings"]

Rankings = dict[str, list[str]]
Grades = Mapping[str, Mapping[str, float]]
_IDEAL = "ideal"


@recorded_by_itself
def ceilings(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> ByMeasure[Ceilings]:
    """Find the best mean that a perfect ranker could reach, and one of each run's own documents.

    A topic with three relevant documents gives nobody more than 0.3 by P@10.

    Returns
    -------
    ByMeasure of Ceilings
        For each measure the means, what is attainable, and what each run would score were its
        documents in the best order.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"x": 2.0, "a": 1.0}}}
    >>> by_measure = ceilings({"1": {"a": 1}}, runs, ["P@10", "RR"])
    >>> [round(ceiling.mean(), 4) for ceiling in by_measure], by_measure["RR"].reordered.tolist()
    ([0.1, 1.0], [[1.0]])
    """
    qrels, retrieved = as_collection(judgments, runs, grades=grades, reading=reading)
    evidence = align(qrels, retrieved, topics=as_topics(topics))
    scored = score_all(evidence, several_measures(measures), bounds="none")
    graded = qrels.to_dict()
    own = _reordered(retrieved, graded)
    parts = []
    for table in scored.scores:
        ideal = {_IDEAL: _ideal(graded, table.measure)}
        best = (_scores(qrels, lists, evidence.topics, table.measure) for lists in (ideal, own))
        attainable, reordered = best
        parts.append(Ceilings(table, attainable[0], reordered, provenance=table.provenance))
    return ByMeasure.of(parts)


def _scores(
    judgments: Judgments, lists: Mapping[str, Rankings], topics: tuple[str, ...], measure: Measure
) -> Floats:
    """Score rankings that nobody submitted, on the topics of those that were."""
    evidence = align(judgments, Runs.from_rankings(lists), topics=topics)
    return score(evidence, measure, bounds="none").value


def _ideal(graded: Grades, measure: Measure) -> Rankings:
    """Return all relevant documents of each topic, the best grades first."""
    # Documents below the level of a measure are of no use to it, and cost where sets are scored.
    level = max(float(getattr(measure, "rel", 0.0)), 1e-9)
    return {
        topic: sorted((d for d, g in of.items() if g >= level), key=lambda d: -of[d])
        for topic, of in graded.items()
    }


def _reordered(runs: Runs, graded: Grades) -> dict[str, Rankings]:
    """Return the documents of each run by their grades; those without one keep their order."""
    return {
        system: {topic: _by_grade(scores, graded.get(topic, {})) for topic, scores in lists.items()}
        for system, lists in runs.to_dict().items()
    }


def _by_grade(scores: Mapping[str, float], grades: Mapping[str, float]) -> list[str]:
    ranked = sorted(scores, key=lambda document: -scores[document])
    return sorted(ranked, key=lambda document: -max(grades.get(document, 0.0), 0.0))
