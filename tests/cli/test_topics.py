"""--topics FILE: only the topics of a list are scored, and the list is part of the provenance."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from tests.cli.writers import BOTH, SCORES

Command = Callable[..., Result]
FEW = ("--topics", "few.txt")
COMMANDS = {
    "evaluate": ("evaluate", *BOTH, "-m", "P@2"),
    "compare": ("compare", *BOTH, "-m", "P@2", "--draws", "0"),
    "estimate": ("estimate", *BOTH, "-m", "P@2", "--treatment", "condensed"),
    "standardize": ("standardize", "--scores", "scores.csv"),
    "study curves": ("study", "curves", *BOTH),
    "study persistence": ("study", "persistence", *BOTH, "-m", "P@2"),
}


@pytest.fixture(autouse=True)
def few(collection: Path) -> None:
    """Write a list of two topics, and a file of scores."""
    (collection / "few.txt").write_text("2\n1\n")
    (collection / "scores.csv").write_text(SCORES)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_is_an_input_of_every_command(collection: Path, run: Command, name: str) -> None:
    """A replay makes the same numbers, and finds a list that has changed."""
    words = (*COMMANDS[name], *FEW, "-o", "out.json")
    result = run(*words)
    assert result.exit_code == 0, result.output
    record = json.loads((collection / "out.json").read_text())["provenance"]
    assert record["topics"] == ["1", "2"]
    assert "few.txt" in [entry["path"] for entry in record["inputs"]]
    assert run("replay", "out.json").exit_code == 0
    (collection / "few.txt").write_text("2\n3\n")
    again = run("replay", "out.json")
    assert again.exit_code == 1
    assert "few.txt has changed" in again.stdout


def test_the_page_is_about_the_topics_of_the_list(collection: Path, run: Command) -> None:
    """It names them where it says how its numbers were made."""
    assert run("report", *BOTH, "-m", "P@2", *FEW).exit_code == 0
    assert "named: 1, 2" in (collection / "report.html").read_text()
    assert run("replay", "report.html").exit_code == 0


def test_the_notes_say_which_topics_were_named(run: Command) -> None:
    """And how many judged topics were not."""
    result = run("evaluate", *BOTH, "-m", "P@2", "--per-topic", *FEW)
    assert {line.split("\t")[2] for line in result.stdout.splitlines()[1:]} == {"1", "2", "all"}
    assert "topics named: 1, 2\n" in result.stderr
    assert "note: judged topics that were not named, left out: 1\n" in result.stderr


def test_a_rule_is_an_option_and_no_file(collection: Path, run: Command) -> None:
    """Also where a file has the name of a rule."""
    (collection / "common").write_text("3\n")
    assert run("evaluate", *BOTH, "--topics", "common", "-o", "out.json").exit_code == 0
    record = json.loads((collection / "out.json").read_text())["provenance"]
    assert (record["topics"], record["options"]["topics"]) == ("common", "common")
    assert "common" not in [entry["path"] for entry in record["inputs"]]


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ("odd.txt", "Error: topics: 'odd.txt' is neither judged nor common, and there is no file"),
        ("runs/dense.run", "Error: topics: 1 Q0 y 1 0.9 dense, "),
    ],
)
def test_what_names_no_judged_topics_is_refused(run: Command, topics: str, message: str) -> None:
    """One sentence says what is wrong, and what to do."""
    result = run("evaluate", *BOTH, "--topics", topics)
    assert (result.exit_code, result.stderr[: len(message)]) == (3, message)
    assert "Hint: " in result.stderr


def test_the_help_says_that_a_file_may_be_named(run: Command) -> None:
    """Beside the rules."""
    assert "--topics [judged|common|FILE]" in run("evaluate", "--help-all").stdout


@pytest.fixture
def kinds(collection: Path) -> Path:
    """Write of which kind each topic is."""
    (collection / "kinds.csv").write_text("qid,kind\n1,short\n2,long\n3,long\n")
    return collection


@pytest.mark.usefixtures("kinds")
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_slices_are_rows_with_a_macro_mean(run: Command, command: str) -> None:
    """Each slice has a row for each run, or pair, and so has the mean over slices."""
    words = (command, "qrels.txt", "runs", "-m", "P@2", "--by", "kind", "--queries", "kinds.csv")
    result = run(*words)
    assert result.exit_code == 0, result.output
    header, *lines = (line.split("\t") for line in result.stdout.splitlines())
    at = header.index("slice")
    assert list(dict.fromkeys(line[at] for line in lines))[:3] == ["long", "short", "macro mean"]
    assert "short has one topic" in result.stderr


@pytest.mark.usefixtures("kinds")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evaluate", "--queries", "kinds.csv"), "add --by COLUMN"),
        (("evaluate", "--by", "kind", "--queries", "kinds.csv", "--per-topic"), "--per-topic"),
        (("evaluate", "--by", "kind"), "'kind' is no file"),
        (("compare", "--by", "kind"), "'kind' is no file"),
    ],
)
def test_slices_that_cannot_be_made_are_told(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    """A column without topics, topics without a column, and options that say nothing of slices."""
    command, *options = words
    result = run(command, "qrels.txt", "runs", "-m", "P@2", *options)
    assert result.exit_code == 3
    assert message in result.stderr


@pytest.mark.usefixtures("kinds")
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_clusters_count_once(run: Command, command: str) -> None:
    """Two topics of one cluster and one alone are two clusters; with slices they are refused."""
    Path("clusters.txt").write_text("2 x\n3 x\n")
    words = (command, "qrels.txt", "runs", "-m", "P@2", "--cluster", "clusters.txt")
    result = run(*words)
    assert result.exit_code == 0, result.output
    header, *lines = (line.split("\t") for line in result.stdout.splitlines())
    assert {line[header.index("clusters")] for line in lines} == {"2"}
    assert "3 topics in 2 clusters, 1 of them with several topics" in result.stderr
    refused = run(*words, "--by", "kind")
    assert refused.exit_code == 3
    assert "--cluster goes without --by and --queries" in refused.stderr


def test_topics_without_an_answer_are_counted(run: Command, collection: Path) -> None:
    """Both rates stand beside the mean; slices are another question."""
    (collection / "empty.txt").write_text("3\n4\n")
    words = ("evaluate", "qrels.txt", "runs", "-m", "P@2", "--empty", "empty.txt")
    result = run(*words)
    assert result.exit_code == 0, result.output
    header, *lines = (line.split("\t") for line in result.stdout.splitlines())
    rows = {line[1]: dict(zip(header, line, strict=True)) for line in lines}
    assert rows["bm25"]["false_alarm_rate"] == rows["dense"]["false_alarm_rate"] == "0.5"
    assert rows["bm25"]["empty_topics"] == rows["bm25"]["answerable_topics"] == "2"
    refused = run(*words, "--by", "kind")
    assert refused.exit_code == 3
    assert "--empty goes without --by" in refused.stderr


@pytest.mark.usefixtures("collection")
def test_the_best_possible_mean_stands_beside_the_mean(run: Command) -> None:
    """Two, one and no relevant documents: P@2 cannot be above 0.5 on average."""
    words = ("evaluate", "qrels.txt", "runs", "-m", "P@2", "--ceiling")
    result = run(*words)
    assert result.exit_code == 0, result.output
    header, *lines = (line.split("\t") for line in result.stdout.splitlines())
    assert {line[header.index("attainable")] for line in lines} == {"0.5"}
    refused = run(*words, "--per-topic")
    assert refused.exit_code == 3
    assert "--ceiling goes without --per-topic" in refused.stderr
