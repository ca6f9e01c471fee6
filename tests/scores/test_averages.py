"""Averages beside the mean: the geometric and the harmonic mean, and the median, with ranges."""

import csv
import io
from itertools import product
from pathlib import Path
from statistics import geometric_mean, harmonic_mean, median

import numpy as np
import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main
from poolwise.errors import OptionError
from poolwise.scores import AVERAGES

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 1}, "3": {"e": 1}}
RUNS = {
    "x": {"1": {"a": 3.0, "u": 2.0}, "2": {"c": 3.0, "v": 2.0}, "3": {"w": 3.0, "e": 2.0}},
    "y": {"1": {"u": 3.0, "b": 2.0}, "2": {"d": 3.0, "c": 2.0}, "3": {"e": 3.0}},
}
UNJUDGED = (("1", "u"), ("2", "v"), ("3", "w"))
BY_STANDARD_LIBRARY = {"geometric": geometric_mean, "harmonic": harmonic_mean, "median": median}


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("measure", ["P@2", "nDCG@2"])
def test_ranges_hold_every_grading_and_are_reached(name: str, measure: str) -> None:
    """Over all grades of the unjudged documents the average goes from end to end, no further."""
    found = pw.evaluate(QRELS, RUNS, measure, averages=name).columns(per_topic=False)
    gradings = []
    for grades in product((0, 1), repeat=3):
        judged = {topic: dict(documents) for topic, documents in QRELS.items()}
        for (topic, document), grade in zip(UNJUDGED, grades, strict=True):
            judged[topic][document] = grade
        again = pw.evaluate(judged, RUNS, measure, averages=name)
        gradings.append(again.columns(per_topic=False)[name])
    np.testing.assert_allclose(found[f"{name}_lower"], np.min(gradings, axis=0), atol=1e-12)
    np.testing.assert_allclose(found[f"{name}_upper"], np.max(gradings, axis=0), atol=1e-12)


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_are_those_of_the_standard_library(name: str) -> None:
    """Of scores well above 0, where the small number that is added does not matter."""
    scores = np.random.default_rng(3).uniform(0.2, 0.9, (4, 15))
    table = pw.ScoreTable.from_matrix(
        scores, systems="abcd", topics=[str(t) for t in range(15)], measure="AP"
    )
    found = table.average_columns(name, per_topic=False)[name]
    expected = [BY_STANDARD_LIBRARY[name](row.tolist()) for row in scores]
    assert found == pytest.approx(expected, abs=1e-4)


def test_scores_of_others_have_no_range() -> None:
    """Nothing is known of the judgments behind a matrix of scores."""
    table = pw.ScoreTable.from_matrix([[0.2, 0.4]], systems="a", topics="12", measure="AP")
    assert np.isnan(table.aggregate_range("gm")).all()


def test_a_topic_that_may_enter_leaves_no_range() -> None:
    """Without a relevant document AP is undefined; judging one could bring in the topic."""
    qrels = {"1": {"a": 1}, "2": {"b": 0}}
    runs = {"x": {"1": {"a": 2.0}, "2": {"u": 2.0}}}
    found = pw.evaluate(qrels, runs, "AP", averages="median").columns(per_topic=False)
    assert found["median"] == [1.0]
    assert np.isnan(found["median_upper"]).all()


def test_negative_scores_have_a_median_alone() -> None:
    """Geometric and harmonic means take scores from 0 up."""
    table = pw.ScoreTable.from_matrix([[-0.2, 0.4]], systems="a", topics="12", measure="x")
    found = {name: table.average_columns(name)[name][-1] for name in AVERAGES}
    assert found["median"] == pytest.approx(0.1)
    assert np.isnan([found["geometric"], found["harmonic"]]).all()


def test_an_unknown_average_is_refused() -> None:
    """The error names those that there are."""
    with pytest.raises(OptionError, match="geometric, harmonic, median"):
        pw.evaluate(QRELS, RUNS, "AP", averages=["mode"])


def test_the_command_prints_them(data_dir: Path) -> None:
    """On real runs, columns are those of the library, and topics have none."""
    folder = data_dir / "trec-dl-2019"
    files = (str(folder / "qrels.gz"), str(folder / "runs" / "I*"))
    words = ["evaluate", *files, "-m", "AP", "--average", "geometric", "--average", "median"]
    result = CliRunner().invoke(main, [*words, "--per-topic"])
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))
    table = pw.evaluate(*files, "AP", bounds="none").scores[0]
    means = [r for r in rows if r["topic"] == "all"]
    assert [float(r["geometric"]) for r in means] == table.aggregate("gm").tolist()
    assert [float(r["median"]) for r in means] == table.aggregate("median").tolist()
    assert {r["median"] for r in rows if r["topic"] != "all"} == {""}
    shown = CliRunner().invoke(main, [*words, "--format", "md"]).stdout
    assert "geometric mean if judged" in shown
