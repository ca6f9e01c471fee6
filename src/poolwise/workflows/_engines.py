"""Runs that lie in an engine of many machines, scored where they lie: Spark and Ray."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection.files._line_stream import LineStream
from poolwise.collection.formats._lines import lines_of
from poolwise.collection.formats._rows import type_name
from poolwise.errors import OptionError
from poolwise.evidence._meeting import known_rule, topic_notices
from poolwise.measures._measure import Measure
from poolwise.scores._scoring import Evaluation
from poolwise.workflows._batches import BATCH_SCHEMA, join_batches, score_batches
from poolwise.workflows._inputs import Topics, as_topics

__all__ = ["scored_by_engine"]

_Scorer = Callable[[Any], Any]
"""A function from the lines of a topic to its scores, both as Arrow tables."""


@dataclass(frozen=True)
class _TopicScorer:
    """What each machine does with the lines of a topic; it goes there with the judgments."""

    judgments: Judgments
    measures: Sequence[Measure]
    run: str
    runs: tuple[str, ...]
    how: dict[str, Any]

    def __call__(self, batch: Any) -> Any:
        if self.run:
            named = ["run" if name == self.run else name for name in batch.column_names]
            batch = batch.rename_columns(named)
        else:
            batch = batch.append_column("run", [list(self.runs) * len(batch)])
        return score_batches(batch, self.judgments, self.measures, runs=self.runs, **self.how)


def _by_spark(frame: Any, topic: str, score: _TopicScorer) -> Any:
    # A function, since Spark looks at its signature.
    def scored(batch: Any) -> Any:
        return score(batch)

    return frame.groupBy(topic).applyInArrow(scored, schema=BATCH_SCHEMA).toArrow()


def _by_ray(dataset: Any, topic: str, score: _TopicScorer) -> Any:
    import ray  # noqa: PLC0415 -- who has such a dataset has the package

    def scored(batch: Any) -> Any:
        return score(batch)

    mapped = dataset.groupby(topic).map_groups(scored, batch_format="pyarrow")
    return ray.get(mapped.to_arrow_refs())


_ENGINES: dict[tuple[str, str], Callable[[Any, str, _TopicScorer], Any]] = {
    ("pyspark", "DataFrame"): _by_spark,
    ("ray", "Dataset"): _by_ray,
    ("ray", "MaterializedDataset"): _by_ray,
}
"""By package and type, what groups lines by topic and scores each where it lies."""


def scored_by_engine(
    judgments: Judgments,
    runs: Any,
    measures: Sequence[Measure],
    *,
    topics: Topics,
    reading: Reading,
    how: dict[str, Any],
) -> Evaluation:
    """Score runs where they lie, in an engine of many machines.

    Parameters
    ----------
    judgments, runs, measures, topics, reading
        As for :func:`~poolwise.evaluate`.
    how
        The options of scores: bounds and universe.
    """
    engine, lines = _ENGINES.get(type_name(runs)), lines_of(runs)
    if engine is None or lines is None:
        raise OptionError(
            f"runs: a {'.'.join(type_name(runs))} cannot be read. Hint: pass a DataFrame of Spark "
            "or a Dataset of Ray."
        )
    stream = LineStream([lines], reading.of_runs())
    names, options = stream.systems(), {**how, "reading": reading}
    column = lines.column("system") or ""
    scorer = _TopicScorer(judgments, measures, column, names, options)
    scores = engine(runs, lines.need("topic"), scorer)
    evaluation = join_batches(scores, judgments, measures, runs=names, topics=topics, **options)
    rule = known_rule(as_topics(topics), judgments)
    # Of topics without judgments nothing comes back: they are counted before.
    met = judgments.notices + topic_notices(judgments, stream.topics, stream.lengths, rule)
    return Evaluation.of(
        replace(table, provenance=replace(table.provenance, notices=met, runs=stream.sources))
        for table in evaluation.scores
    )
