"""Scores where some topics have no answer, from files or from memory."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.arrays import Booleans
from poolwise.collection._identifiers import listed_topics
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings._no_answer import EMPTY, NoAnswerScores, Rate, with_empty_topics
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._scoring import ByMeasure, score_all
from poolwise.words import named
from poolwise.workflows._inputs import DEFAULT_MEASURES, as_collection, several_measures

__all__ = ["evaluate_no_answer"]

_LEVEL = 0.95


@recorded_by_itself
def evaluate_no_answer(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    empty: str | Path | Iterable[str],
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> ByMeasure[NoAnswerScores]:
    """Score runs where some topics have no answer: to return nothing is right there.

    Parameters
    ----------
    empty
        The topics that have no answer: a list, a file with one in each line, or ``judged`` for the
        topics of the judgments in which nothing is relevant.
    bounds
        Whether ranges over judgments are found: ``exact``, ``naive`` or ``none``.

    Returns
    -------
    ByMeasure of NoAnswerScores
        For each measure the mean over all topics, and both rates: of topics without an answer on
        which a run returned something, and of topics with one on which it returned nothing.

    Examples
    --------
    >>> runs = {"bold": {"1": {"a": 1.0}, "2": {"x": 1.0}}, "shy": {"1": {"a": 1.0}}}
    >>> evaluate_no_answer({"1": {"a": 1}}, runs, "P@1", empty=["2"])["P@1"].table.value.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    qrels, retrieved = as_collection(judgments, runs, grades=grades, reading=reading)
    without = _empty(qrels, empty)
    with_answer = tuple(topic for topic in qrels.topics if topic not in set(without))
    _require_both(without, with_answer)
    evidence = align(qrels, retrieved, topics=with_answer)
    unknown = Universe.of(universe, universe_depth)
    scored = score_all(evidence, several_measures(measures), bounds=bounds, universe=unknown)
    alarmed = _answered(retrieved, without)
    return ByMeasure.of(
        NoAnswerScores(
            with_empty_topics(table, without, alarmed),
            Rate.over(alarmed, level=_LEVEL),
            Rate.over(~table.answered, level=_LEVEL),
            _LEVEL,
            provenance=table.provenance.with_options(empty=len(without)),
        )
        for table in scored.scores
    )


def _relevant_topics(judgments: Judgments) -> set[str]:
    return {topic for topic, _, grade in judgments if grade > 0}


def _empty(judgments: Judgments, source: str | Path | Iterable[str]) -> tuple[str, ...]:
    """Return the topics without an answer; one that has a relevant document is refused."""
    relevant = _relevant_topics(judgments)
    if isinstance(source, str) and source in EMPTY:
        return tuple(topic for topic in judgments.topics if topic not in relevant)
    topics = tuple(dict.fromkeys(listed_topics(source)))
    wrong = [topic for topic in topics if topic in relevant]
    if wrong:
        raise OptionError(
            f"empty: a topic without an answer has no relevant document; got {named(wrong)}. Hint: "
            "take it from the list, or its judgments from the qrels."
        )
    return topics


def _require_both(without: Sequence[str], with_answer: Sequence[str]) -> None:
    """Refuse one rate without the other: each can be made perfect by giving the other up."""
    if not without or not with_answer:
        lacks = "without" if not without else "with"
        raise OptionError(
            f"empty: there must be topics with and without an answer; got none {lacks} one. Hint: "
            "list the topics without an answer in a file, one in each line (--empty FILE)."
        )


def _answered(runs: Runs, topics: Sequence[str]) -> Booleans:
    """Tell, systems × topics, where a run returned something."""
    at = {topic: t for t, topic in enumerate(runs.topics)}
    nothing = np.zeros(len(runs.systems), np.bool_)
    columns = [runs.lengths[:, at[topic]] > 0 if topic in at else nothing for topic in topics]
    return np.stack(columns, axis=1)
