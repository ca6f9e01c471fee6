"""``--witness`` writes judgments at an end of a range, which other commands then score."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("collection")


def means(result: Result) -> list[float]:
    """Return the last column of what trec_eval prints."""
    return [float(line.split()[-1]) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("end", ["low", "high"])
def test_evaluate_writes_the_end_of_a_range(run: Command, end: str) -> None:
    """The file scored as trec_eval does has, topic by topic, what the output says."""
    words = ("evaluate", "qrels.txt", "runs", "-m", "nDCG@3")
    result = run(*words, "--witness", f"bm25:{end}", "-o", f"{end}.qrels", "--format", "tsv")
    assert result.exit_code == 0, result.output
    header, *rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
    said = [float(row[header.index("score")] or 0) for row in rows]
    files = (f"{end}.qrels", "runs/bm25.run")
    *topics, _ = means(run("trec_eval", "-q", "-c", "-m", "ndcg_cut.3", *files))
    assert topics == pytest.approx(said, abs=6e-5)
    table = pw.evaluate("qrels.txt", "runs", "nDCG@3")["nDCG@3"]
    limit = table.mean_bounds()[end == "high"][table.systems.index("bm25")]
    assert float(rows[0][header.index("mean")]) == pytest.approx(limit, abs=1e-12)


def test_compare_writes_judgments_that_reverse_an_order(run: Command) -> None:
    """Two runs of several are named; their order under the file is what is said."""
    words = ("compare", "qrels.txt", "runs", "-m", "P@2", "--witness", "--pair", "bm25,dense")
    result = run(*words, "-o", "reversed.qrels.gz", "--format", "json")
    assert result.exit_code == 0, result.output
    scores = pw.evaluate("reversed.qrels.gz", "runs", "P@2")["P@2"]
    a, b = (scores.means()[scores.systems.index(name)] for name in ("bm25", "dense"))
    expected = pw.witness("qrels.txt", "runs", "P@2", pair=("bm25", "dense"))
    assert a - b == pytest.approx(expected.mean, abs=1e-12)


def test_a_witness_can_be_made_again(run: Command) -> None:
    """`replay` finds the same file from its record."""
    words = (
        "evaluate",
        "qrels.txt",
        "runs",
        "-m",
        "AP",
        "--witness",
        "bm25:low",
        "-o",
        "low.qrels",
    )
    assert run(*words).exit_code == 0
    assert Path("low.qrels.provenance.json").exists()
    again = run("replay", "low.qrels.provenance.json")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", "-m", "AP", "--witness", "bm25:low"), "-o FILE"),
        (("evaluate", "--witness", "bm25:low", "-o", "x"), "one measure"),
        (("evaluate", "-m", "AP", "--witness", "bm25", "-o", "x"), "a run and an end"),
        (("evaluate", "-m", "AP", "--witness", "bm25:mid", "-o", "x"), "low, high"),
        (("evaluate", "-m", "AP", "--witness", "bm52:low", "-o", "x"), "'bm52' is not known"),
        (("compare", "-m", "AP", "--witness", "--pair", "bm25", "-o", "x"), "--pair A,B"),
        (
            ("evaluate", "-m", "AP", "--witness", "bm25:low", "-o", "x", "--bounds", "naive"),
            "leave out --bounds",
        ),
        (("compare", "-m", "AP", "--witness", "-o", "x", "--mean", "geometric"), "out --mean"),
        (("compare", "-m", "Bpref", "--witness", "--pair", "bm25,dense", "-o", "x"), "no range"),
    ],
)
def test_what_lacks_is_said(run: Command, words: tuple[str, ...], said: str) -> None:
    """Nothing is written, and the error names the remedy."""
    command, *options = words
    result = run(command, "qrels.txt", "runs", *options)
    assert result.exit_code == 3
    assert said in result.stderr
    assert not Path("x").exists()


def test_scores_of_others_have_no_judgments(run: Command) -> None:
    """A file of scores cannot be reversed by judging."""
    Path("ap.csv").write_text("topic,a,b\n1,0.5,0.4\n2,0.3,0.1\n")
    result = run("compare", "--scores", "ap.csv", "--witness", "-o", "x")
    assert result.exit_code == 3
    assert "about judgments" in result.stderr
