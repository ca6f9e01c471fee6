"""``poolwise standardize``, ``power``, ``study discrimination`` and ``study comparability``."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import poolwise as pw
from poolwise import ScoreTable, write_score_matrix
from poolwise.scores import load_factors

Command = Callable[..., Result]


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Write AP of eight systems on forty topics."""
    rng = np.random.default_rng(5)
    values = rng.beta(2, 5, (8, 40)) + np.arange(8)[:, None] / 20
    path = tmp_path / "ap.csv"
    topics = [str(t) for t in range(40)]
    table = ScoreTable.from_matrix(values, systems="abcdefgh", topics=topics, measure="AP")
    write_score_matrix(table, path)
    return str(path)


def test_standardized_scores_have_mean_0(run: Command, scores: str) -> None:
    """Systems that are their own reference average to 0 on every topic."""
    table = rows(run("standardize", "--scores", scores, "-m", "AP").stdout)
    assert {r["measure"] for r in table} == {"sAP"}
    assert sum(float(r["value"]) for r in table) == pytest.approx(0, abs=1e-12)


def test_saved_factors_give_the_same_scores(run: Command, scores: str, tmp_path: Path) -> None:
    """What `--save` writes, `--factors` uses; the file says how many references there were."""
    file = str(tmp_path / "factors.tsv")
    words = ("standardize", "--scores", scores, "-m", "AP")
    saved = run(*words, "--reference", "a", "--reference", "b", "--save", file)
    assert saved.exit_code == 0, saved.output
    assert load_factors(file).references == 2
    assert run(*words, "--factors", file).stdout == saved.stdout


@pytest.mark.usefixtures("collection")
def test_runs_are_standardized_with_their_bounds(run: Command) -> None:
    """From runs, the range that unjudged documents leave is standardized, too."""
    result = run("standardize", "qrels.txt", "runs", "-m", "P@2", "--mapping", "normal")
    assert result.exit_code == 0, result.output
    for row in rows(result.stdout):
        assert row["measure"] == "sP@2:normal"
        assert float(row["lower"]) <= float(row["value"]) <= float(row["upper"])


def test_w10_numbers_of_topics(run: Command) -> None:
    """W10 §5.1: δ = 0.05 and σ = 0.13 take 55 topics at a power of 0.8."""
    (row,) = rows(run("power", "--delta", "0.05", "--sigma", "0.13").stdout)
    assert round(float(row["topics"])) == 55
    assert row["solved"] == "topics"
    assert (
        "56 topics (55.01 before rounding up) are needed to detect a difference of 0.0500."
        in run("power", "--delta", "0.05", "--sigma", "0.13", "--format", "md").stdout
    )


def test_power_of_a_given_number_of_topics(run: Command) -> None:
    """Any of the four numbers is solved for: here the detectable difference (W10 §5.1)."""
    (row,) = rows(run("power", "--sigma", "0.159", "--topic-count", "50").stdout)
    assert float(row["delta"]) == pytest.approx(0.064, abs=0.0005)
    (row,) = rows(run("power", "--sigma", "0.16", "--topic-count", "50", "--delta", "0.05").stdout)
    assert row["solved"] == "power"


def test_power_from_scores(run: Command, scores: str) -> None:
    """From scores: the spread of differences, what it lets one detect, and topics needed."""
    (row,) = rows(run("power", "--scores", scores, "-m", "AP").stdout)
    assert (row["measure"], row["topics"], row["pairs"]) == ("AP", "40", "28")
    assert 0 < float(row["detectable_median"]) < float(row["detectable_95"])


def test_w10_table_5_2_from_the_command(run: Command, data_dir: Path) -> None:
    """W10 table 5.2, TREC 8: σ over pairs of runs is 0.159 at the median, 0.226 at the 95th %."""
    file = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    (row,) = rows(run("power", "--scores", str(file)).stdout)
    sigmas = float(row["sigma_median"]), float(row["sigma_95"])
    assert sigmas == pytest.approx((0.159, 0.226), abs=0.0006)


def test_d10_table_1_from_the_command(run: Command, data_dir: Path) -> None:
    """D10 table 1, TREC 8: P@10 tells 64.5% of the pairs apart, and AP 72.5%."""
    files = str(data_dir / "trec8/qrels.gz"), str(data_dir / "trec8/runs")
    table = rows(run("study", "discrimination", *files, "-m", "P@10,AP").stdout)
    assert [round(float(r["power"]), 3) for r in table] == [0.645, 0.725]
    assert table[0]["fp"] == table[0]["fn"] == "0"


def test_discrimination_compares_with_the_first(run: Command, scores: str) -> None:
    """Each row's pairs fall into the four cells of agreement with the first row."""
    table = rows(run("study", "discrimination", "--scores", scores, "--scores", scores).stdout)
    assert len(table) == 2
    for row in table:
        assert sum(int(row[cell]) for cell in ("tp", "fp", "fn", "tn")) == int(row["pairs"]) == 28


def test_random_halves_give_alpha_false_positives(run: Command, scores: str) -> None:
    """Topics drawn alike leave about alpha of the systems different from themselves."""
    words = ("study", "comparability", "--scores", scores, "-m", "AP", "--partitions", "400")
    table = rows(run(*words, "--false-negatives").stdout)
    assert [r["measure"] for r in table] == ["AP", "sAP"]
    for row in table:
        assert float(row["false_positives"]) == pytest.approx(0.05, abs=0.03)
        assert 0 <= float(row["false_negatives"]) < 1
        assert row["p"] == ""


def test_two_collections_are_tested_against_random_ones(
    run: Command, scores: str, tmp_path: Path
) -> None:
    """With `--second` the topics named there are a collection, and κ has a p value."""
    (tmp_path / "second").write_text("\n".join(map(str, range(25, 40))))
    words = ("study", "comparability", "--scores", scores, "--second", str(tmp_path / "second"))
    table = rows(run(*words, "--partitions", "200").stdout)
    assert [(r["first_topics"], r["second_topics"]) for r in table] == [("25", "15")] * 2
    assert all(0 < float(r["p"]) <= 1 for r in table)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["power"], "exactly one must be left to solve for"),
        (["power", "--scores", "SCORES", "--sigma", "0.1"], "leave out --sigma"),
        (["power", "--scores", "SCORES", "--delta", "-1"], "delta: -1.0 is not above 0"),
        (["standardize", "--scores", "SCORES", "--factors", "f", "--reference", "a"], "both"),
        (["standardize", "--scores", "SCORES", "--reference", "z"], "'z' is not known"),
        (["standardize", *["--scores", "SCORES"] * 2, "--save", "f"], "one measure; got 2"),
        (["study", "discrimination", "--scores", "SCORES", "--alpha", "2"], "alpha"),
        (["power", "--scores", "SCORES", "-m", "AP", "-m", "P", "-m", "R"], "3 names for 1"),
    ],
)
def test_wrong_use_is_told(run: Command, scores: str, words: list[str], message: str) -> None:
    """A wrong option is one clear line, and no output."""
    result = run(*(scores if word == "SCORES" else word for word in words))
    assert result.exit_code != 0
    assert message in result.stderr
    assert not result.stdout


def test_power_takes_a_difference_beside_files(run: Command, scores: str) -> None:
    """The topics that a difference takes go by the spread of the systems in the file."""
    words = ("power", "--scores", scores, "--delta", "0.02")
    (planned,) = rows(run(*words).stdout)
    (table,) = pw.workflows.read_score_files([scores])
    sigma = pw.findings.collection_power(table).sigma_median
    needed = pw.power(delta=0.02, sigma=sigma, power=0.8).topics
    assert float(planned["topics_for_delta"]) == pytest.approx(needed)
    (plain,) = rows(run(*words[:-2]).stdout)
    assert set(planned) - set(plain) == {"delta", "topics_for_delta", "topics_for_delta_95"}


def test_power_says_it_in_sentences(run: Command) -> None:
    """Keys have their place in `--details`, and in what programs and pages get."""
    words = ("power", "--delta", "0.05", "--sigma", "0.15", "--format")
    text = run(*words, "table").stdout
    assert text.startswith("73 topics (72.58 before rounding up) are needed to detect")
    assert "whole topics" not in text
    for more in (("table", "--details"), ("md",), ("html",)):
        assert "whole topics" in run(*words, *more).stdout
