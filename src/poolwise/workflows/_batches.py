"""Scores of whole topics, from Arrow to Arrow, for engines that share out work among machines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Indices, Integers
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.formats._rows import as_frame
from poolwise.errors import InputError, MissingExtraError, OptionError, shortened
from poolwise.evidence._grades import Graded
from poolwise.evidence._meeting import (
    align,
    choose_topics,
    known_rule,
    require_topics,
    topic_notices,
)
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import RangeScope
from poolwise.provenance._provenance import TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.scores._score_table import TIDY_COLUMNS, ScoreTable
from poolwise.scores._scoring import Evaluation, score_all
from poolwise.workflows._inputs import Topics, as_topics, several_measures

__all__ = ["BATCH_SCHEMA", "join_batches", "score_batches"]

_TEXTS = ("run", "measure", "topic")
BATCH_SCHEMA = ", ".join(
    f"{name} {'string' if name in _TEXTS else 'bigint' if name == 'answered' else 'double'}"
    for name in TIDY_COLUMNS
)
"""The columns that :func:`score_batches` returns, as Spark wants them described."""

_NO_ROWS: Columns = {name: [] for name in TIDY_COLUMNS}
_WHOLE = "group the lines by topic alone, so that one call sees all runs of a topic"


@recorded
def score_batches(
    batch: Any,
    judgments: Judgments | Any,
    measures: Measure | str | Iterable[Measure | str] = ("nDCG@10",),
    *,
    runs: Sequence[str],
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Any:
    """Score the topics of an Arrow table, and return their scores as an Arrow table.

    It is a function of its arguments alone, so that any engine may call it, on any machine, in
    any order, as long as each call gets *all* lines of its topics: the unjudged documents of all
    runs make the universe of a topic. The numbers are those of :func:`~poolwise.evaluate`, to the
    last bit. :func:`join_batches` puts the tables together, and refuses a topic that was split.

    Parameters
    ----------
    batch
        A table with the columns ``run``, ``topic``, ``document``, ``score`` and perhaps ``rank``,
        in any order of rows: Arrow, pandas or polars.
    judgments
        All judgments, whose grades make the scale: an object, which saves reading them in every
        call, or whatever :func:`~poolwise.read_judgments` reads.
    runs
        The names of all runs: one that has no line for a topic scores as an empty list.
    measures, bounds, universe, universe_depth, grades
        As in :func:`~poolwise.evaluate`.

    Returns
    -------
    pyarrow.Table
        One row per run, measure and judged topic, with the columns of ``BATCH_SCHEMA``: those of
        ``evaluate --per-topic``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.table({"run": ["a", "b"], "topic": ["7", "7"], "document": ["x", "y"],
    ...                   "score": [0.5, 0.7]})
    >>> frame = score_batches(batch, {"7": {"x": 1}, "8": {"z": 1}}, "P@1", runs=["a", "b"])
    >>> frame.select(["run", "topic", "value", "upper"]).to_pylist()
    [{'run': 'a', 'topic': '7', 'value': 1.0, 'upper': 1.0},
     {'run': 'b', 'topic': '7', 'value': 0.0, 'upper': 1.0}]
    """
    qrels = reading.judgments(judgments, grades=grades)
    wanted = [parse_measure(measure) for measure in several_measures(measures)]
    lists = _lists(batch, runs, reading)
    # The scale stays that of all judgments, so that every call has the same gains.
    few = qrels.select(topics=lists.topics)
    if not few.topics:
        return _table(_NO_ROWS)
    how: dict[str, Any] = {"bounds": bounds, "universe": Universe.of(universe, universe_depth)}
    scored = score_all(align(few, lists.select(topics=few.topics)), wanted, **how)
    return _table(stack_columns([scores.topic_columns() for scores in scored.scores]))


@recorded
def join_batches(
    scores: Any,
    judgments: Judgments | Any,
    measures: Measure | str | Iterable[Measure | str] = ("nDCG@10",),
    *,
    runs: Sequence[str],
    topics: Topics = "judged",
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Evaluation:
    """Put the tables of :func:`score_batches` together, as :func:`~poolwise.evaluate` gives them.

    Topics that no run answers, of which no batch knows, score as empty lists.

    Parameters
    ----------
    scores
        What the calls returned: one table, or any number of them, in any order.
    judgments, measures, runs, bounds, universe, universe_depth, grades
        As they were given to :func:`score_batches`.

    Returns
    -------
    Evaluation
        One table per measure, the same as from one call with all lines.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.table({"run": ["a", "b"], "topic": ["7", "7"], "document": ["x", "y"],
    ...                   "score": [0.5, 0.7]})
    >>> qrels, how = {"7": {"x": 1}, "8": {"z": 1}}, {"runs": ["a", "b"]}
    >>> evaluation = join_batches([score_batches(batch, qrels, "P@1", **how)], qrels, "P@1", **how)
    >>> evaluation["P@1"].topics, evaluation["P@1"].value.tolist()
    (('7', '8'), [[1.0, 0.0], [0.0, 0.0]])
    >>> halves = [score_batches(batch.slice(i, 1), qrels, "P@1", **how) for i in range(2)]
    >>> join_batches(halves, qrels, "P@1", **how)
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: topic 7: all lines of a topic must be in one batch, and several
    were scored. Hint: group the lines by topic alone, so that one call sees all runs of a topic.
    """
    qrels = reading.judgments(judgments, grades=grades)
    rule = known_rule(as_topics(topics), qrels)
    wanted = [parse_measure(measure) for measure in several_measures(measures)]
    reach = Universe.of(universe, universe_depth)
    # Topics that no batch brought are those that no run answers: they score as empty lists do.
    empty = align(qrels, Runs.from_rankings({name: {} for name in runs}))
    unanswered = score_all(empty, wanted, bounds=bounds, universe=reach)
    rows = stack_columns([_NO_ROWS, *map(_columns, _tables(scores))])
    measure, cells = np.divmod(_places(rows, unanswered), len(runs) * len(qrels.topics))
    tables = [
        _filled(table, rows, cells, measure == m) for m, table in enumerate(unanswered.scores)
    ]
    counting = _of_topics(tables, qrels, rule, reading)
    return Evaluation.of(_rescoped(table, empty, reach) for table in counting)


def _lists(batch: Any, runs: Sequence[str], reading: Reading) -> Runs:
    """Return the lists of all runs on the topics of a batch, in the order of the names."""
    frame = as_frame(batch)
    if frame is not None and not len(frame):
        return Runs.from_rankings({name: {} for name in runs})
    if frame is not None and "run" not in frame.columns:
        raise InputError(
            "batch",
            "a table of lines must have a column run",
            value=", ".join(map(str, frame.columns)),
            remedy="name the run of each line there",
        )
    retrieved = reading.runs(batch)
    # A run that is not named would be in this batch alone, and missing in the others.
    indices_of(retrieved.systems, runs, what="runs")
    return retrieved.with_systems(runs).select(runs)


def _table(columns: Columns) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("pyarrow", "frames") from error
    kinds = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
    fields = [field.split() for field in BATCH_SCHEMA.split(", ")]
    return pa.table(columns, schema=pa.schema([(name, kinds[kind]) for name, kind in fields]))


def _tables(scores: Any) -> Iterator[Any]:
    """Yield the frames among what was given: one of them, or many."""
    frame = as_frame(scores)
    if frame is not None:
        yield frame
        return
    frames = [as_frame(part) for part in scores] if isinstance(scores, Iterable) else [None]
    if any(frame is None for frame in frames):
        raise OptionError(
            f"scores: must be frames that score_batches returned; got {shortened(repr(scores))}. "
            "Hint: use one frame, or a list of them."
        )
    yield from frames


def _columns(frame: Any) -> Columns:
    return {name: frame[name].to_list() for name in TIDY_COLUMNS}


def _places(rows: Columns, of: Evaluation) -> Integers:
    """Return the cell of each row among measures × runs × topics, each of which there is once."""
    table = of.scores[0]
    shape = (len(of.scores), len(table.systems), len(table.topics))
    at: list[Indices] = [
        indices_of(rows["measure"], [str(scores.measure) for scores in of.scores], what="measure"),
        indices_of(rows["run"], table.systems, what="runs"),
        indices_of(rows["topic"], table.topics, what="topics"),
    ]
    places = np.ravel_multi_index(tuple(at), shape)
    counts = np.bincount(places, minlength=int(np.prod(shape))).reshape(-1, shape[2])
    # A topic that two batches share was scored twice, each time with a part of its runs: the range
    # over the documents of all runs would be wrong.
    for t in np.flatnonzero((counts > 1).any(axis=0)).tolist():
        rule = "all lines of a topic must be in one batch, and several were scored"
        raise InputError(f"topic {table.topics[t]}", rule, remedy=_WHOLE)
    for t in np.flatnonzero((counts < 1).any(axis=0) & (counts > 0).any(axis=0)).tolist():
        raise InputError(
            f"topic {table.topics[t]}",
            "a topic must have a score for every run and measure",
            value=f"{int(counts[:, t].sum())} of {len(counts)}",
            remedy="name the same runs and measures in every call, and keep all rows",
        )
    return places


def _filled(table: ScoreTable, rows: Columns, cells: Integers, mine: Booleans) -> ScoreTable:
    """Put the scores of one measure where they belong, in place of those of empty lists."""

    def put(name: str) -> NDArray[Any]:
        array = np.array(getattr(table, name))
        array.ravel()[cells[mine]] = np.array(rows[name])[mine]
        return array

    return replace(
        table,
        value=put("value"),
        lower=put("lower"),
        upper=put("upper"),
        tail=put("tail"),
        answered=put("answered"),
    )


def _rescoped(table: ScoreTable, grades: Graded, reach: Universe) -> ScoreTable:
    """Say again what the range is over, now that the tails of the lists are known."""
    if table.scope.kind == "none":
        return table
    return replace(table, scope=RangeScope.of(table.measure, grades, reach, table.tail))


def _of_topics(
    tables: Sequence[ScoreTable], judgments: Judgments, rule: TopicRule, reading: Reading
) -> Iterator[ScoreTable]:
    """Yield the tables with the topics that count, and what was met."""
    lengths = tables[0].answered.astype(np.int64)
    topics = choose_topics(judgments.topics, judgments.topics, lengths, rule)
    require_topics(topics, rule)
    notices = judgments.notices + topic_notices(judgments, judgments.topics, lengths, rule)
    for table in tables:
        made = replace(
            table.provenance,
            tie_rule=reading.ties,
            topic_rule=rule,
            notices=notices,
            # The files were read elsewhere, and nobody here knows them.
            runs=(),
        )
        yield replace(table if rule == "judged" else table.select(topics=topics), provenance=made)
