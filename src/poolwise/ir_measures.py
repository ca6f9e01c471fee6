"""poolwise as a provider of ir_measures, so that whatever calls ir_measures can have its measures.

After ``register()``, ``ir_measures.calc_aggregate``, PyTerrier's experiments and whatever else goes
through ir_measures score by poolwise. ``measure(name)`` makes a measure of ir_measures out of any
that poolwise has.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
import numpy as np
from ir_measures import providers

from poolwise.collection import Judgments, read_judgments, read_runs
from poolwise.errors import MeasureError
from poolwise.evidence import align
from poolwise.measures import Measure, parse_measure
from poolwise.measures._diversity import SubtopicMeasure
from poolwise.scores import score

__all__ = ["PoolwiseProvider", "measure", "register"]

_RUN = "run"
"""ir_measures scores one run at a time, and gives it no name."""

_OTHERWISE = {"Accuracy"}
"""What ir_measures leaves topics out of that a provider has no way to leave out."""

_HIGHEST_GRADE = {"ERR": 4}
"""What ir_measures takes for the highest grade of every collection, through gdeval."""


class PoolwiseProvider(providers.Provider):  # type: ignore[misc] # it has no types
    """Scores by poolwise what ir_measures and poolwise both define.

    Examples
    --------
    >>> provider = PoolwiseProvider()
    >>> qrels = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("1", "b", 0)]
    >>> run = [ir_measures.ScoredDoc("1", "b", 2.0), ir_measures.ScoredDoc("1", "a", 1.0)]
    >>> provider.calc_aggregate([ir_measures.AP, ir_measures.nDCG @ 10], qrels, run)
    {AP: 0.5, nDCG@10: 0.6309297535714575}
    """

    NAME = "poolwise"

    def supports(self, measure: Any) -> bool:
        """Tell whether a measure means the same here."""
        measure.validate_params()
        try:
            ours = _of_poolwise(measure)
        except MeasureError:
            return False
        # Subtopics come as further columns of the judgments, which are not read here.
        return measure.NAME not in _OTHERWISE and not isinstance(ours, SubtopicMeasure)

    def is_available(self) -> bool:
        """Tell that nothing else is needed."""
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "_Evaluator":
        return _Evaluator(list(measures), qrels)


class _Evaluator(providers.Evaluator):  # type: ignore[misc] # it has no types
    """Holds the judgments, and scores runs by them."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._judgments = _judgments(qrels)
        super().__init__(measures, set(self._judgments.topics))

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        by_measure = _values(self._judgments, run, map(_of_poolwise, self.measures))
        for measure, values in zip(self.measures, by_measure, strict=True):
            for topic, value in values:
                yield ir_measures.Metric(query_id=topic, measure=measure, value=value)


def measure(name: str) -> Any:
    """Return a measure of ir_measures that poolwise scores.

    Parameters
    ----------
    name : str
        A name as poolwise has it, such as ``tRBP(p=0.8)@10``.

    Returns
    -------
    ir_measures.Measure
        What ``ir_measures.calc_aggregate`` and PyTerrier's experiments take, registered or not.

    Examples
    --------
    >>> qrels = [ir_measures.Qrel("1", "a", 1)]
    >>> run = [ir_measures.ScoredDoc("1", "b", 2.0), ir_measures.ScoredDoc("1", "a", 1.0)]
    >>> ir_measures.calc_aggregate([measure("SP@10")], qrels, run)
    {SP@10: 0.5}
    """
    ours = parse_measure(name)

    def score_topics(qrels: Any, run: Any) -> list[tuple[str, float]]:
        (values,) = _values(_judgments(qrels), run, [ours])
        return values

    return ir_measures.define(score_topics, str(ours), support_cutoff=False)


def _judgments(qrels: Any) -> Judgments:
    return read_judgments(ir_measures.util.QrelsConverter(qrels).as_dict_of_dict())


def _of_poolwise(measure: Any) -> Measure:
    """Return the measure here that has the numbers which ir_measures means."""
    ours = parse_measure(str(measure))
    return ours(max_rel=_HIGHEST_GRADE[measure.NAME]) if measure.NAME in _HIGHEST_GRADE else ours


def _values(
    judgments: Judgments, run: Any, measures: Iterable[Measure]
) -> Iterator[list[tuple[str, float]]]:
    """Yield for each measure the values of the topics that the run answers and that have one.

    ir_measures gives all others the default of the measure, as it does for every provider.
    """
    scores = ir_measures.util.RunConverter(run).as_dict_of_dict()
    evidence = align(judgments, read_runs({_RUN: scores}))
    for of_poolwise in measures:
        values = score(evidence, of_poolwise).value[0]
        places = np.flatnonzero((evidence.lengths[0] > 0) & ~np.isnan(values)).tolist()
        yield [(evidence.topics[place], float(values[place])) for place in places]


def register(*, first: bool = False) -> PoolwiseProvider:
    """Let ir_measures score by poolwise.

    Parameters
    ----------
    first : bool
        Whether poolwise scores all that it can, or only what no other provider has.

    Returns
    -------
    PoolwiseProvider
        The provider, which is ``ir_measures.providers.registry["poolwise"]`` from now on.

    Examples
    --------
    >>> provider = register()
    >>> provider is ir_measures.providers.registry["poolwise"]
    True
    """
    pipeline = ir_measures.DefaultPipeline.providers
    provider = providers.registry.setdefault(PoolwiseProvider.NAME, PoolwiseProvider())
    pipeline[:] = [other for other in pipeline if other is not provider]
    pipeline.insert(0 if first else len(pipeline), provider)
    return provider
