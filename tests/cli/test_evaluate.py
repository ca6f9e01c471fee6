"""``poolwise evaluate`` as people and scripts meet it."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Command = Callable[..., Result]
HEADER = [
    "run",
    "measure",
    "topic",
    "value",
    "lower",
    "upper",
    "ci_low",
    "ci_high",
    "tail",
    "answered",
    "judged",
]


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.mark.usefixtures("collection")
def test_a_pipe_gets_tidy_tsv(run: Command) -> None:
    """Not on a terminal, the output is one header and one row per run, measure and mean."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "P@2")
    assert result.stdout.splitlines()[0].split("\t") == HEADER
    means = {r["run"]: float(r["value"]) for r in rows(result.stdout)}
    assert means == pytest.approx({"bm25": (0.5 + 0.5 + 0) / 3, "dense": (0.5 + 0 + 0) / 3})


@pytest.mark.usefixtures("collection")
def test_unjudged_documents_widen_the_range(run: Command) -> None:
    """One unjudged document of two at one topic of three can add a sixth to P@2."""
    (row,) = rows(run("evaluate", "qrels.txt", "runs/bm25.run", "-m", "P@2").stdout)
    assert float(row["upper"]) - float(row["lower"]) == pytest.approx(0.5 / 3)


@pytest.mark.usefixtures("collection")
def test_per_topic_rows_come_before_the_mean(run: Command) -> None:
    """`--per-topic` adds a row for each judged topic; a missing topic scores 0."""
    text = run("evaluate", "qrels.txt", "runs/dense.run", "-m", "RR", "--per-topic").stdout
    assert [(r["topic"], r["value"]) for r in rows(text)][:3] == [
        ("1", "0.5"),
        ("2", "0.0"),
        ("3", "0.0"),
    ]


@pytest.mark.usefixtures("collection")
def test_topics_without_relevant_documents_are_left_out_and_counted(run: Command) -> None:
    """AP is undefined on topic 3, and the table says that it was left out."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "AP", "--format", "md")
    assert "bm25 has the highest mean AP, 0.9167, over 2 topics." in result.stdout
    left_out = "1 of 3 topics is left out of the means: no judged document of the topic is"
    assert f"{left_out} relevant." in result.stdout
    piped = run("evaluate", "qrels.txt", "runs", "-m", "AP,RR")
    assert f"note: AP: {left_out} relevant." in piped.stderr
    assert "note: RR" not in piped.stderr


@pytest.mark.usefixtures("collection")
def test_what_was_odd_is_said(run: Command) -> None:
    """Lists that are left out and topics that a run lacks are counted on standard error."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "RR")
    assert "lists for topics without judgments, left out: 1 (first at topic 4)" in result.stderr
    assert "judged topics that a run lacks: 1" in result.stderr


@pytest.mark.usefixtures("collection")
def test_common_topics_are_those_every_run_answers(run: Command) -> None:
    """With `--topics common` topic 3, which dense lacks, is out of every mean."""
    text = run("evaluate", "qrels.txt", "runs", "-m", "RR", "--topics", "common").stdout
    assert {r["run"]: float(r["value"]) for r in rows(text)} == {"bm25": 1.0, "dense": 0.25}


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("form", ["table", "tsv", "csv", "json", "md", "latex", "html"])
def test_every_format_names_both_runs(run: Command, form: str) -> None:
    """Each format holds both runs; none is cut to 80 columns."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "AP", "-m", "nDCG@10", "--format", form)
    assert result.exit_code == 0, result.output
    assert "bm25" in result.stdout
    assert "dense" in result.stdout
    assert "…" not in result.stdout


@pytest.mark.usefixtures("collection")
def test_json_is_json(run: Command) -> None:
    """The JSON output is an array of objects with the tidy columns."""
    text = run("evaluate", "qrels.txt", "runs", "-m", "AP", "--format", "json").stdout
    assert list(json.loads(text)["rows"][0]) == HEADER


def test_standard_input_is_a_run(collection: Path, run: Command) -> None:
    """`-` reads a run from standard input."""
    text = (collection / "runs" / "bm25.run").read_text()
    result = run("evaluate", "qrels.txt", "-", "-m", "RR", text=text)
    assert rows(result.stdout)[0]["run"] == "bm25"


@pytest.mark.usefixtures("collection")
def test_an_unknown_measure_is_refused_with_a_suggestion(run: Command) -> None:
    """The error names the measure and what was probably meant."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "nDGC@10")
    assert result.exit_code == 3
    assert "'nDGC@10' is not a measure. Hint: did you mean nDCG@10?" in result.stderr


def test_a_bad_line_is_named_and_can_be_skipped(collection: Path, run: Command) -> None:
    """The error says path and line; `--lenient` skips and counts."""
    (collection / "runs" / "bad.run").write_text("1 Q0 a 1 high bad\n1 Q0 c 2 0.5 bad\n")
    result = run("evaluate", "qrels.txt", "runs/bad.run", "-m", "RR")
    assert "runs/bad.run:1: a score" in result.stderr
    assert "got 'high'" in result.stderr
    lenient = run("evaluate", "qrels.txt", "runs/bad.run", "-m", "RR", "--lenient")
    assert lenient.exit_code == 0
    assert "1 (first at runs/bad.run:1)" in lenient.stderr


def test_duplicates_are_refused_unless_a_policy_is_named(collection: Path, run: Command) -> None:
    """A document named twice is an error with both lines, or kept once by `--duplicates`."""
    (collection / "runs" / "twice.run").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    result = run("evaluate", "qrels.txt", "runs/twice.run", "-m", "RR")
    assert result.exit_code == 3
    assert "runs/twice.run:2" in result.stderr
    kept = run("evaluate", "qrels.txt", "runs/twice.run", "-m", "NumRet", "--duplicates", "first")
    assert float(rows(kept.stdout)[0]["value"]) == pytest.approx(1 / 3)


@pytest.mark.usefixtures("collection")
def test_several_measures_make_one_table(run: Command) -> None:
    """Each run has one line with its mean by every measure, and one sentence stands below."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "P@2,RR,AP", "--format", "table")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["run", "P@2", "RR", "AP"]
    cells = [line.replace("°", "").split() for line in lines[2:4]]
    assert cells == [
        ["bm25", "0.3333", "0.6667", "0.9167"],
        ["dense", "0.1667", "0.1667", "0.1250"],
    ]
    assert lines[5].startswith("2 to 3 topics; ")
    assert result.stderr.splitlines()[0] == "note: universe runs, grades 0,1,2"


@pytest.mark.usefixtures("collection")
def test_details_are_the_tables_of_single_measures(run: Command) -> None:
    """`--details` has the leaderboard of each measure, `--explain` the sentences of all."""
    words = ("evaluate", "qrels.txt", "runs", "-m", "P@2,RR", "--format", "table")
    details = run(*words, "--details").stdout
    assert [line for line in details.splitlines() if ": 2 runs" in line] == [
        "P@2: 2 runs, 3 topics",
        "RR: 2 runs, 3 topics",
    ]
    alone = run("evaluate", "qrels.txt", "runs", "-m", "RR", "--format", "table").stdout
    rows_of = [line for line in alone.splitlines() if line.startswith(("bm25 0", "bm25  "))]
    assert rows_of
    assert all(row in details for row in rows_of)
    for measure in ("P@2", "RR"):
        assert f"bm25 has the highest mean {measure}" in run(*words, "--explain").stdout


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("measures", ["RR", "RR,AP"])
def test_lists_that_end_early_are_named_unasked(run: Command, measures: str) -> None:
    """A run that was cut off scores less by this alone: D10 §4.1 asks for the depth (not P@2's)."""
    words = ("evaluate", "qrels.txt", "runs", "--format", "table", "-m")
    assert "The lists of dense end at rank 2, so that they can" in run(*words, measures).stdout
    assert "end at rank" not in run(*words, "P@2").stdout


@pytest.mark.usefixtures("collection")
def test_programs_get_the_same_columns_with_details_and_without(run: Command) -> None:
    """What is shown to people changes nothing in rows, however many measures there are."""
    words = ("evaluate", "qrels.txt", "runs", "-m", "P@2,RR")
    short, long = (run(*words, *more) for more in ((), ("--details", "--explain")))
    assert short.stdout == long.stdout
    assert short.stdout.splitlines()[0].split("\t") == HEADER


@pytest.mark.usefixtures("collection")
def test_verbose_notes_say_what_was_read(run: Command) -> None:
    """Without `-v` a note has the universe, the scale and what is not the default."""
    words = ("evaluate", "qrels.txt", "runs", "-m", "P@2", "--ties", "docid")
    short, long = run(*words).stderr, run(*words, "-v").stderr
    assert short.splitlines()[0] == "note: universe runs, grades 0,1,2, ties by docid"
    assert long.splitlines()[0].startswith("note: judgments qrels.txt (sha256 ")
    assert len(long.splitlines()) == len(short.splitlines()) + 1
