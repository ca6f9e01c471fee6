"""Means, intervals and ranges of a score table."""

import csv
import io
from itertools import product
from pathlib import Path
from statistics import geometric_mean, harmonic_mean, median

import numpy as np
import pytest
import scipy.special
import scipy.stats
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.scores import AVERAGES
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._standardization import standardize


def table(values: list[list[float]]) -> ScoreTable:
    """Return a table with made-up names."""
    systems = [f"s{i}" for i in range(len(values))]
    topics = [f"t{i}" for i in range(len(values[0]))]
    return ScoreTable.from_matrix(values, systems=systems, topics=topics, measure="AP")


def test_interval_is_the_t_interval() -> None:
    """The interval of a mean is scipy's t interval of its topics."""
    values = np.random.default_rng(1).random((3, 12))
    low, high = table(values.tolist()).interval(0.9)
    # As in test_t_quantile: scipy's own quantile of t had ten digits up to 1.16.
    share = scipy.special.betaincinv(0.5, 11 / 2, 0.9)
    half = np.sqrt(11 * share / (1 - share)) * scipy.stats.sem(values, axis=1)
    np.testing.assert_allclose(low, values.mean(axis=1) - half, rtol=0, atol=1e-14)
    np.testing.assert_allclose(high, values.mean(axis=1) + half, rtol=0, atol=1e-14)


def test_one_topic_has_no_interval() -> None:
    """From one topic no spread can be estimated, and the table says so."""
    single = table([[0.5]])
    assert np.isnan(single.interval()).all()
    assert single.caveats() == ("One topic gives no interval over topics.",)


def test_undefined_topics_stay_out_of_the_mean() -> None:
    """A topic without a score for some system enters nobody's mean, and is counted."""
    scores = table([[0.5, np.nan, 0.1], [0.2, 0.4, 0.2]])
    assert scores.means().tolist() == pytest.approx([0.3, 0.2])
    assert scores.caveats() == ("1 of 3 topics is left out of the means: a score is missing.",)


def test_no_defined_topic_gives_no_mean() -> None:
    """With every topic undefined the means are undefined, not 0."""
    scores = table([[np.nan, np.nan]])
    assert np.isnan(scores.means()).all()
    assert np.isnan(scores.mean_bounds()[1]).all()


def test_geometric_mean_of_a_zero_is_not_zero_everywhere() -> None:
    """ε keeps one failed topic from hiding the others, and is taken off again (U18 §2.1)."""
    expected = np.exp(np.log([0.4 + 1e-5, 1e-5]).mean()) - 1e-5
    assert table([[0.4, 0.0]]).aggregate("gm")[0] == pytest.approx(expected, abs=1e-15)
    assert table([[0.3, 0.3]]).aggregate("gm")[0] == pytest.approx(0.3, abs=1e-12)


def test_unknown_names_are_refused() -> None:
    """A system, topic or aggregate that is not there is named, with what there is."""
    with pytest.raises(OptionError, match=r"runs: 'x' is not known.*s0"):
        table([[0.1]]).select(["x"])
    with pytest.raises(OptionError, match="how: 'mode' is not known"):
        table([[0.1]]).aggregate("mode")


def test_select_keeps_the_order_asked_for() -> None:
    """Systems and topics come back in the order given."""
    part = table([[1, 2, 3], [4, 5, 6]]).select(["s1", "s0"], ["t2", "t0"])
    assert part.value.tolist() == [[6, 4], [3, 1]]


def test_equal_means_keep_their_order() -> None:
    """Ties in the leaderboard do not depend on the sort."""
    assert table([[0.2], [0.5], [0.2], [0.5]]).order().tolist() == [1, 3, 0, 2]


def test_the_interval_of_a_mean_stays_in_the_range_of_the_measure() -> None:
    """No mean of P is below 0 or above 1; where the range is not known, nothing is cut."""
    values = [[0.0, 0.0, 0.9], [1.0, 1.0, 0.1]]
    low, high = table(values).interval()
    assert (low[0], high[1]) == (0, 1)
    assert low[1] < high[0]
    unknown = ScoreTable.from_matrix(values, systems="ab", topics="123", measure="satisfaction")
    assert unknown.interval()[0][0] < 0
    assert standardize(table(values)).interval()[0].min() < 0
    assert standardize(table(values), mapping="normal").limits == (0, 1)


def test_graded_gains_have_the_range_of_their_scale() -> None:
    """DCG@2 of grades up to 3 is 3 + 3/log2(3) at most."""
    scored = score(Evidence.from_grades([[3, 3], [0, 3]]), "DCG@2")
    assert scored.limits == pytest.approx((0, 3 + 3 / np.log2(3)))


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
    columns = pw.evaluate(QRELS, RUNS, measure, averages=name).columns(per_topic=False)
    gradings = []
    for grades in product((0, 1), repeat=3):
        judged = {topic: dict(documents) for topic, documents in QRELS.items()}
        for (topic, document), grade in zip(UNJUDGED, grades, strict=True):
            judged[topic][document] = grade
        again = pw.evaluate(judged, RUNS, measure, averages=name)
        gradings.append(again.columns(per_topic=False)[name])
    np.testing.assert_allclose(columns[f"{name}_lower"], np.min(gradings, axis=0), atol=1e-12)
    np.testing.assert_allclose(columns[f"{name}_upper"], np.max(gradings, axis=0), atol=1e-12)


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_are_those_of_the_standard_library(name: str) -> None:
    """Of scores well above 0, where the small number that is added does not matter."""
    scores = np.random.default_rng(3).uniform(0.2, 0.9, (4, 15))
    table = pw.ScoreTable.from_matrix(
        scores, systems="abcd", topics=[str(t) for t in range(15)], measure="AP"
    )
    averages = table.average_columns(name, per_topic=False)[name]
    expected = [BY_STANDARD_LIBRARY[name](row.tolist()) for row in scores]
    assert averages == pytest.approx(expected, abs=1e-4)


def test_scores_of_others_have_no_range() -> None:
    """Nothing is known of the judgments behind a matrix of scores."""
    table = pw.ScoreTable.from_matrix([[0.2, 0.4]], systems="a", topics="12", measure="AP")
    assert np.isnan(table.aggregate_range("gm")).all()


def averages_of_gradings(
    measure: str, name: str, judgments: dict[str, dict[str, int]]
) -> list[float]:
    """Return the average of one run under every grading that leaves it one."""
    open_ones = [(t, d) for t in judgments for d in RUN[t] if d not in judgments[t]]
    averages = []
    for grades in product((0, 1), repeat=len(open_ones)):
        judged = {topic: dict(documents) for topic, documents in judgments.items()}
        for (topic, document), grade in zip(open_ones, grades, strict=True):
            judged[topic][document] = grade
        again = pw.evaluate(judged, {"x": RUN}, measure, averages=name)
        averages += again.columns(per_topic=False)[name]
    return [average for average in averages if not np.isnan(average)]


ENTERING = {"1": {"a": 1, "b": 0}, "2": {"c": 0}, "3": {"d": 0}, "4": {"e": 1, "f": 1}}
RUN = {
    "1": {"b": 4.0, "u": 3.0, "a": 2.0},
    "2": {"c": 4.0, "v": 3.0, "w": 2.0},
    "3": {"s": 4.0, "d": 3.0},
    "4": {"f": 4.0, "t": 3.0, "e": 2.0},
}


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("measure", ["AP", "nDCG@2", "Rprec", "Q"])
@pytest.mark.parametrize("topics", ["1234", "12", "23"])
def test_averages_reckon_with_topics_that_may_enter(name: str, measure: str, topics: str) -> None:
    """A topic without a relevant document is left out of an average, or in: every way is tried."""
    judged = {t: ENTERING[t] for t in topics}
    gradings = averages_of_gradings(measure, name, judged)
    ranged = pw.evaluate(judged, {"x": RUN}, measure, averages=name, universe_depth="all")
    columns = ranged.columns(per_topic=False)
    ends = [columns[f"{name}_{end}"][0] for end in ("lower", "upper")]
    assert ends == pytest.approx([min(gradings), max(gradings)], abs=1e-12)


def test_negative_scores_have_a_median_alone() -> None:
    """Geometric and harmonic means take scores from 0 up."""
    table = pw.ScoreTable.from_matrix([[-0.2, 0.4]], systems="a", topics="12", measure="x")
    averages = {name: table.average_columns(name)[name][-1] for name in AVERAGES}
    assert averages["median"] == pytest.approx(0.1)
    assert np.isnan([averages["geometric"], averages["harmonic"]]).all()


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


def test_a_mean_that_judging_cannot_move_is_said_to_stay() -> None:
    """A range of one number is not said as a range; any wider one is."""
    judged = {"1": {"a": 1, "b": 0}}
    stays = pw.evaluate(judged, {"all": {"1": ["a", "b"]}}, "P@2")["P@2"].sentences()
    assert "No judging in this universe would change the mean of all." in stays
    moves = pw.evaluate(judged, {"half": {"1": ["a", "c"]}}, "P@2")["P@2"].sentences()
    assert "Judging could give half 0.5000 to 1.0000." in moves
    naive = pw.evaluate(judged, {"all": {"1": ["a", "b"]}}, "nDCG@2", bounds="naive")["nDCG@2"]
    assert "Judging could give all 1.0000 to 1.0000." in naive.sentences()
