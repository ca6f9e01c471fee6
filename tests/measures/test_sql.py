"""The query of a measure gives, in a database, the scores that poolwise gives."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.measures import sql

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

MEASURES = (
    *("P@10", "P(rel=2)@5", "R@20", "Success@3", "RR", "RR@10", "AP", "AP@10", "AP(rel=2)@30"),
    *("DCG@10", "nDCG@10", "nDCG", "nDCG(dcg='exp-log2')@10", "RBP(p=0.8)", "RBP(p=0.95,rel=2)"),
)


@pytest.fixture(scope="module")
def collection() -> tuple[pw.Judgments, pw.Runs]:
    """Return graded judgments with a topic of nothing relevant, and a run that lacks a topic."""
    rng = np.random.default_rng(4)
    documents = [f"d{i}" for i in range(60)]
    qrels = {
        str(t): {str(d): int(rng.integers(-1, 4)) for d in rng.choice(documents, 25, replace=False)}
        for t in range(12)
    }
    qrels["none"] = {"d1": 0, "d2": 0}
    run = {
        str(t): {
            str(d): float(rng.integers(0, 20)) for d in rng.choice(documents, 40, replace=False)
        }
        for t in range(1, 14)
    }
    run["none"] = {"d1": 1.0}
    return pw.read_judgments(qrels), pw.read_runs({"run": run})


@pytest.mark.parametrize("name", MEASURES)
def test_a_query_scores_as_poolwise_does(
    name: str, collection: tuple[pw.Judgments, pw.Runs]
) -> None:
    """Every topic and the mean are equal to 1e-12, ties, missing and empty topics included."""
    judgments, runs = collection
    database = duckdb.connect()
    database.execute("CREATE TABLE qrels(topic VARCHAR, document VARCHAR, grade INTEGER)")
    database.executemany(
        "INSERT INTO qrels VALUES (?, ?, ?)", [(t, d, int(g)) for t, d, g in judgments]
    )
    database.execute("CREATE TABLE run(topic VARCHAR, document VARCHAR, score DOUBLE)")
    scored = [
        (topic, document, float(-place))
        for topic in runs.topics
        for place, document in enumerate(runs.ranking("run", topic))
    ]
    database.executemany("INSERT INTO run VALUES (?, ?, ?)", scored)
    scores = dict(database.execute(sql(name)).fetchall())
    table = pw.evaluate(judgments, runs, name)[name]
    values = dict(zip(table.topics, table.value[0].tolist(), strict=True))
    expected = {topic: value for topic, value in values.items() if not np.isnan(value)}
    assert scores.pop("all") == pytest.approx(table.means()[0], abs=1e-12)
    assert scores == pytest.approx(expected, abs=1e-12)


def test_ties_are_broken_by_id_in_the_query() -> None:
    """Of two documents with one score the greater id comes first, as in trec_eval."""
    database = duckdb.connect()
    database.execute("CREATE TABLE qrels AS SELECT '1' AS topic, 'a' AS document, 1 AS grade")
    database.execute(
        "CREATE TABLE run AS SELECT '1' AS topic, unnest(['a', 'b']) AS document, 1.0 AS score"
    )
    assert dict(database.execute(sql("RR")).fetchall())["1"] == 0.5


@pytest.mark.parametrize("name", ["ERR@20", "nDCG(dcg='jk')@10", "RBP(gain='linear')", "Bpref"])
def test_other_measures_are_refused(name: str) -> None:
    """What has no query is an error that says which have one."""
    with pytest.raises(
        pw.MeasureError, match=r"no query is written for it\. Hint: use one of P, R"
    ):
        sql(name)
