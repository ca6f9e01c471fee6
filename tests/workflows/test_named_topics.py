"""Only the topics that were named are scored, with the numbers they have among all topics."""

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.collection import read_topics
from poolwise.errors import OptionError

GRADES = {
    "1": {"a": 1, "b": 0, "c": 1},
    "2": {"a": 0, "d": 1},
    "3": {"e": 3, "f": 2, "a": 1},
    "4": {"a": 1, "g": 1},
}
"""The highest grade is on topic 3 alone."""
RANKINGS = {
    "bm25": {"1": ["a", "x", "c"], "2": ["d", "a"], "3": ["f", "e"], "5": ["a"]},
    "dense": {"1": ["y", "c"], "2": ["a"], "3": ["z"], "4": ["g", "x", "a"]},
}
MEASURES = ["ERR@5", "nDCG@3", "RBP(p=0.8)", "AP", "P@2"]
NAMED = ("1", "2", "4")
JUDGMENTS = pw.Judgments.from_dict(GRADES)
RUNS = pw.Runs.from_rankings(RANKINGS)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write the collection and a list of topics, and return their folder."""
    (tmp_path / "runs").mkdir()
    for name, lists in RANKINGS.items():
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} {name}\n"
            for topic, documents in lists.items()
            for rank, document in enumerate(documents)
        ]
        (tmp_path / "runs" / name).write_text("".join(lines))
    grades = [f"{t} 0 {d} {g}\n" for t, graded in GRADES.items() for d, g in graded.items()]
    (tmp_path / "qrels").write_text("".join(grades))
    (tmp_path / "topics.txt").write_text("4\n\n2\tabout something\n1\n4\n")
    return tmp_path


def sources(folder: Path) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Return every way in which judgments and runs become grades."""
    both = str(folder / "qrels"), str(folder / "runs")
    return {
        "memory": (JUDGMENTS, RUNS, {}),
        "files": (*both, {}),
        "stream": (*both, {"stream": True}),
        "documents": (*both, {"residual": "matched"}),
        "treatment": (*both, {"treatment": "nonrelevant"}),
    }


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize("way", ["memory", "files", "stream", "documents", "treatment"])
def test_named_topics_score_as_they_do_among_all(files: Path, way: str) -> None:
    """Also where a gain depends on the highest grade, which no topic that was named has."""
    judgments, runs, options = sources(files)[way]
    if way == "stream" and not pw.collection.files._native.is_native():
        pytest.skip("files are read by topics by the native library")
    whole = pw.evaluate(judgments, runs, MEASURES, **options)
    evaluation = pw.evaluate(judgments, runs, MEASURES, topics=files / "topics.txt", **options)
    for measure in MEASURES:
        few, all_topics = evaluation[measure], whole[measure].select(topics=NAMED)
        assert few.topics == NAMED
        for name in ("value", "lower", "upper"):
            np.testing.assert_array_equal(getattr(few, name), getattr(all_topics, name))
        assert few.provenance.topic_rule == NAMED


def test_the_scale_would_be_another_without_the_other_topics() -> None:
    """What the scores above would be if the judgments were cut down to the topics."""
    named = pw.evaluate(JUDGMENTS, RUNS, "ERR@5", topics=NAMED)["ERR@5"]
    few = pw.Judgments.from_dict({topic: GRADES[topic] for topic in NAMED})
    cut = pw.evaluate(few, RUNS, "ERR@5")["ERR@5"]
    assert not np.array_equal(named.value, cut.value)


def test_batches_score_named_topics() -> None:
    """As one call does."""
    lines = [
        (run, topic, document, 9.0 - rank)
        for run, lists in RANKINGS.items()
        for topic, documents in lists.items()
        for rank, document in enumerate(documents)
    ]
    batch = {
        name: [line[i] for line in lines]
        for i, name in enumerate(("run", "topic", "document", "score"))
    }
    pa = pytest.importorskip("pyarrow")
    how = {"runs": list(RANKINGS)}
    scored = pw.workflows.score_batches(pa.table(batch), JUDGMENTS, MEASURES, **how)
    joined = pw.workflows.join_batches(scored, JUDGMENTS, MEASURES, topics=["2", "1"], **how)
    evaluation = pw.evaluate(JUDGMENTS, RUNS, MEASURES, topics=["1", "2"])
    for measure in MEASURES:
        np.testing.assert_array_equal(joined[measure].value, evaluation[measure].value)


def test_comparisons_estimates_and_the_report_take_named_topics(files: Path) -> None:
    """The topics that count are the ones named, wherever runs meet judgments."""
    made = pw.simulate(systems=4, topics=20, depth=30, rng=1)
    named = made.judgments.topics[3:15]
    (files / "few").write_text("\n".join(named))
    both = made.judgments, made.runs
    (compared,) = pw.compare(*both, "P@5", topics=named, draws=0)
    assert compared.provenance.topic_rule == named
    means = pw.evaluate(*both, "P@5")["P@5"].select(topics=named).means()
    assert compared[0].difference == pytest.approx(abs(np.subtract(*means[[0, 1]])))
    (estimated,) = pw.estimate(*both, "P@5", treatments=["condensed"], topics=files / "few")
    assert estimated.scores["condensed"].topics == named
    overview = pw.report(*both, ["P@5"], topics=str(files / "few"))
    assert overview.topics == named
    assert overview.origin()["topics"] == f"named: {', '.join(named[:3])} and 9 more"


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        (["1", "9"], "topics: 9 has no judgments in <dict>; judged are 1, 2, 3 and 1 more. Hint: "),
        (["8", "5"], "topics: 8, 5 have no judgments"),
        ([], "topics: at least one must be named. Hint: use 'judged'"),
        ("401", "topics: '401' is neither judged nor common, and there is no file of this name."),
    ],
)
def test_topics_that_are_not_judged_are_refused(topics: Any, message: str) -> None:
    """The error says which they are, and which there would be."""
    with pytest.raises(OptionError, match=re.escape(message)):
        pw.evaluate(JUDGMENTS, RUNS, "AP", topics=topics)


def test_what_is_left_out_is_counted() -> None:
    """Judged topics that were not named, and named topics that a run lacks."""
    notices = pw.align(JUDGMENTS, RUNS, topics=["1", "4"]).provenance.notices
    counts = {notice.what: notice.count for notice in notices}
    assert counts["judged topics that were not named, left out"] == 2
    assert counts["judged topics that a run lacks"] == 1
    assert counts["lists for topics without judgments, left out"] == 1


def test_a_list_of_topics_may_be_compressed_and_begin_with_a_mark(tmp_path: Path) -> None:
    """A topic may hold blanks: it ends with its line, or with a tab."""
    path = tmp_path / "topics.gz"
    path.write_bytes(gzip.compress("\ufeffcheap flights \r\n402\ttext\n".encode()))
    assert read_topics(path) == ("cheap flights", "402")


def test_files_of_scores_give_named_topics(tmp_path: Path) -> None:
    """In the order of the file of scores; one that it lacks is refused."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,bm25\n1,0.25\n2,0.5\n3,0.75\n")
    (table,) = pw.workflows.read_score_files([path], ["AP"], topics=["3", "1"])
    assert (table.topics, table.value.tolist()) == (("1", "3"), [[0.25, 0.75]])
    assert table.provenance.topic_rule == ("1", "3")
    with pytest.raises(OptionError, match="topics: '7' is not known"):
        pw.workflows.read_score_files([path], ["AP"], topics=["7"])
