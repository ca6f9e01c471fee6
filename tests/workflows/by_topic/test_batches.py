"""Topics scored in batches have the numbers of evaluate, however they are shared out."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.workflows.by_topic.batch_examples import (
    MEASURES,
    NAMES,
    assert_as_evaluated,
    lines,
    qrels,
    whole_topics,
)

import poolwise as pw
from poolwise.workflows import BATCH_SCHEMA, join_batches, score_batches


def scored(sizes: int, **how: Any) -> list[pa.Table]:
    """Score the topics in batches of so many topics."""
    return [
        score_batches(batch, qrels(), MEASURES, runs=NAMES, **how) for batch in whole_topics(sizes)
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("bounds", ["exact", "naive", "none"])
def test_numbers_are_those_of_evaluate(size: int, bounds: str) -> None:
    """To the last bit, whether a call gets one topic or all of them."""
    evaluation = join_batches(
        scored(size, bounds=bounds), qrels(), MEASURES, runs=NAMES, bounds=bounds
    )
    assert_as_evaluated(evaluation, bounds=bounds)


@pytest.mark.parametrize(
    "options",
    [
        {"universe": "run"},
        {"universe": "corpus"},
        {"universe_depth": "all"},
        {"grades": (0, 1, 2, 3, 4)},
        {"reading": pw.Reading(ties="docid")},
        {"topics": "common"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_mean_what_they_mean_to_evaluate(options: dict[str, Any]) -> None:
    """The same options give the same numbers and the same sentences."""
    how = {name: value for name, value in options.items() if name != "topics"}
    evaluation = join_batches(scored(2, **how), qrels(), MEASURES, runs=NAMES, **options)
    assert_as_evaluated(evaluation, **options)


def test_rows_of_a_topic_need_not_stand_together() -> None:
    """Within a call the lines may have any order."""
    table = lines()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    batch_scores = score_batches(shuffled, qrels(), MEASURES, runs=NAMES)
    assert_as_evaluated(join_batches(batch_scores, qrels(), MEASURES, runs=NAMES))


def test_the_order_of_batches_does_not_matter() -> None:
    """Engines give results back in any order."""
    evaluation = join_batches(scored(1)[::-1], qrels(), MEASURES, runs=NAMES)
    assert_as_evaluated(evaluation)


@pytest.mark.parametrize("by", ["run", "line"])
def test_a_split_topic_is_refused(by: str) -> None:
    """Whether the runs or the lines of a topic are torn apart, two calls score it."""
    table = lines()
    halves = np.array([name == NAMES[0] for name in table["run"].to_pylist()])
    if by == "line":
        halves = np.arange(len(table)) % 2 == 0
    parts = [table.filter(pa.array(halves)), table.filter(pa.array(~halves))]
    batch_scores = [score_batches(part, qrels(), MEASURES, runs=NAMES) for part in parts]
    with pytest.raises(pw.InputError, match=r"topic .*: all lines of a topic must be in one batch"):
        join_batches(batch_scores, qrels(), MEASURES, runs=NAMES)


def test_rows_that_got_lost_are_missed() -> None:
    """A topic that has some scores and not all of them is refused."""
    batch_scores = score_batches(lines(), qrels(), MEASURES, runs=NAMES)
    with pytest.raises(pw.InputError, match="a score for every run and measure"):
        join_batches(batch_scores.slice(1), qrels(), MEASURES, runs=NAMES)


def test_columns_are_those_that_are_declared() -> None:
    """Also of a batch without a judged topic, and of one without a line."""
    names = [field.split()[0] for field in BATCH_SCHEMA.split(", ")]
    unjudged = pa.table({"run": ["a"], "topic": ["none"], "document": ["x"], "score": [1.0]})
    for batch in (lines(), unjudged, lines().slice(0, 0)):
        batch_scores = score_batches(batch, qrels(), "P@5", runs=[*NAMES, "a"])
        assert batch_scores.column_names == names
        assert batch_scores.schema == score_batches(lines(), qrels(), runs=NAMES).schema
    assert len(score_batches(unjudged, qrels(), runs=["a"])) == 0


def test_without_any_batch_every_list_is_empty() -> None:
    """As in evaluate, a judged topic that no run answers scores 0."""
    evaluation = join_batches([], qrels(), "P@5", runs=NAMES)
    assert not evaluation["P@5"].value.any()
    assert not evaluation["P@5"].answered.any()


def test_judgments_may_be_a_table_as_well() -> None:
    """An Arrow table of judgments gives what the object gives."""
    table = qrels().to_frame(backend="pyarrow")
    batch_scores = score_batches(lines(), table, MEASURES, runs=NAMES)
    assert batch_scores.equals(score_batches(lines(), qrels(), MEASURES, runs=NAMES)) or str(
        batch_scores.to_pylist()
    ) == str(score_batches(lines(), qrels(), MEASURES, runs=NAMES).to_pylist())


@pytest.mark.parametrize(
    ("batch", "says"),
    [
        (pa.table({"topic": ["1"], "document": ["x"], "score": [1.0]}), "a column run"),
        (
            pa.table({"run": ["new"], "topic": ["1"], "document": ["x"], "score": [1.0]}),
            "'new' is not known",
        ),
        (
            pa.table(
                {"run": ["r0"] * 2, "topic": ["1"] * 2, "document": ["x"] * 2, "score": [1, 2]}
            ),
            "occur once",
        ),
        (
            pa.table({"run": ["r0"], "topic": ["1"], "document": ["x"], "score": [float("nan")]}),
            "finite",
        ),
    ],
)
def test_what_is_wrong_with_a_batch_is_said(batch: pa.Table, says: str) -> None:
    """A column that is missing, a run that nobody named, a document twice, no number."""
    with pytest.raises(pw.PoolwiseError, match=says):
        score_batches(batch, qrels(), runs=NAMES)


def test_real_runs_have_the_same_bits(data_dir: Path) -> None:
    """Twelve runs of TREC-8, topic by topic."""
    paths = sorted((data_dir / "trec8" / "runs").iterdir())[:12]
    runs, judged = pw.read_runs(*paths), pw.read_judgments(data_dir / "trec8" / "qrels.gz")
    measures = ["nDCG@10", "AP", "RBP(p=0.95)", "ERR"]
    frame = runs.to_frame(backend="pyarrow")
    batch_scores = [
        score_batches(
            frame.filter(pa.compute.equal(frame["qid"], t)), judged, measures, runs=runs.systems
        )
        for t in judged.topics[:5]
    ]
    whole = pw.evaluate(judged, runs, measures)
    few = judged.select(topics=judged.topics[:5])
    joined = join_batches(batch_scores, few, measures, runs=runs.systems)
    for name in whole:
        part = whole[name].select(topics=few.topics)
        for numbers in ("value", "lower", "upper", "tail"):
            np.testing.assert_array_equal(getattr(joined[name], numbers), getattr(part, numbers))
