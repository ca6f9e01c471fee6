"""What programs call in the package pytrec_eval, under the same names and with the same digits.

``import poolwise.pytrec_eval as pytrec_eval`` is all that a program changes. A score that is not a
number is an error here: pytrec_eval ranks such a document somewhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from poolwise.collection import read_judgments
from poolwise.collection._reading import Reading
from poolwise.errors import InputError
from poolwise.findings._trec_eval_scores import PrintedMeasure
from poolwise.workflows._inputs import as_evidence
from poolwise.workflows._trec_eval import TrecEvalOptions, trec_eval_scores
from poolwise.workflows._trec_eval_measures import FAMILIES, NICKNAMES, ONLY_IN_10, families_wanted

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_measures = {family for family in FAMILIES if family not in ONLY_IN_10}
supported_nicknames = {
    name: {family for family in families if family not in ONLY_IN_10}
    for name, families in NICKNAMES.items()
}

_VERSION = "9"
_READING = Reading(ties="trec_eval9")
"""pytrec_eval has the sources of version 9, which compares scores in single precision."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run into ``{topic: {document: score}}``.

    Examples
    --------
    >>> parse_run(["1 Q0 a 1 2.5 bm25"])
    {'1': {'a': 2.5}}
    """
    run: dict[str, dict[str, float]] = {}
    for line in f_run:
        topic, _, document, _, score, _ = _fields(line, 6)
        _add(run.setdefault(topic, {}), document, float(score), line)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC qrels into ``{topic: {document: grade}}``.

    Examples
    --------
    >>> parse_qrel(["1 0 a 1", "1 0 b 0"])
    {'1': {'a': 1, 'b': 0}}
    """
    qrel: dict[str, dict[str, int]] = {}
    for line in f_qrel:
        topic, _, document, grade = _fields(line, 4)
        _add(qrel.setdefault(topic, {}), document, int(grade), line)
    return qrel


def _fields(line: str, count: int) -> list[str]:
    fields = line.split()
    if len(fields) != count:
        raise InputError(
            "line", f"must have {count} fields", value=line.strip(), remedy="correct the line"
        )
    return fields


def _add(of_topic: dict[str, Any], document: str, number: float, line: str) -> None:
    if document in of_topic:
        raise InputError(
            "line", "a document may occur once", value=line.strip(), remedy="keep one of the lines"
        )
    of_topic[document] = number


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Combine the values of topics: counts are summed, ``gm_`` values are logarithms.

    Examples
    --------
    >>> compute_aggregated_measure("map", [0.5, 1.0]), compute_aggregated_measure("num_ret", [5, 7])
    (0.75, 12.0)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    mean = np.mean(values)
    return float(np.exp(mean) if measure.startswith("gm_") else mean)


class RelevanceEvaluator:
    """Scores runs against the judgments that it holds.

    Parameters
    ----------
    query_relevance : mapping
        ``{topic: {document: grade}}``, grades as integers.
    measures : iterable of str
        Names as ``trec_eval`` has them, such as ``map``, ``ndcg_cut_10`` or ``P.5,10``.
    relevance_level : int
        Count documents from this grade on as relevant.
    judged_docs_only_flag : bool
        Leave unjudged documents out before scoring.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"1": {"a": 1, "b": 0}}, {"map", "P_5"})
    >>> evaluator.evaluate({"1": {"b": 2.0, "a": 1.0}})
    {'1': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT001, FBT002 -- as pytrec_eval has it
    ) -> None:
        _require_texts(query_relevance, "query_relevance")
        judged = {topic: dict(grades) for topic, grades in query_relevance.items() if grades}
        if any(not isinstance(g, (int, np.integer)) for of in judged.values() for g in of.values()):
            raise TypeError("query_relevance: grades must be integers.")
        self._options = TrecEvalOptions(
            measures=tuple(measures),
            rel=relevance_level,
            judged_only=judged_docs_only_flag,
            like=_VERSION,
        )
        families_wanted(self._options.measures, _VERSION)  # an unknown name is an error now
        self._judgments = read_judgments(judged) if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{topic: {measure: value}}`` for the topics that are judged and in the run.

        Parameters
        ----------
        scores : mapping
            The run: ``{topic: {document: score}}``.
        """
        if not scores or self._judgments is None:
            return {}
        _require_texts(scores, "scores")
        judgments, run = self._judgments, dict(scores)
        if not any(run.values()):
            # A run needs a document: it gets one on a topic that is not in the result.
            further = max(*run, *judgments.topics) + "."
            judgments = read_judgments({**judgments.to_dict(), further: {"none": 0}})
            run[further] = {"none": 0.0}
        evidence = as_evidence(judgments, {"run": run}, reading=_READING)
        trec_scores = trec_eval_scores(evidence, self._options)
        return {
            topic: {_key(measure): _value(measure, place) for measure in trec_scores.measures}
            for place, topic in enumerate(trec_scores.topics)
            if topic in scores
        }


def _require_texts(by_topic: Mapping[Any, Any], name: str) -> None:
    """Refuse ids that are no texts, since ``1`` and ``"1"`` would be two topics in other tools."""
    if not all(isinstance(topic, str) for topic in by_topic):
        raise TypeError(f"{name}: ids of topics must be strings.")


def _key(measure: PrintedMeasure) -> str:
    """Return the name in the result: parameters that are no cut-offs are not part of it."""
    return measure.name if FAMILIES[measure.family] else measure.family


def _value(measure: PrintedMeasure, place: int) -> float:
    """Return a value; texts, such as the tag of the run, are 0 as in pytrec_eval."""
    return 0.0 if measure.is_text else float(measure.values[place])
