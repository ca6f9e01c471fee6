"""``poolwise gate`` as pipelines and people meet it."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from junitparser import Failure, JUnitXml, Skipped

import poolwise as pw

Command = Callable[..., Result]
TOPICS = [str(t) for t in range(1, 13)]
BETTER = ("gate", "qrels.txt", "new.run", "--baseline", "old.run", "-m", "nDCG@3")
WORSE = ("gate", "qrels.txt", "old.run", "--baseline", "new.run", "-m", "nDCG@3")
MIXED = ("gate", "qrels.txt", "mixed.run", "--baseline", "old.run", "-m", "nDCG@3")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write qrels and runs, one better than the other and one that cannot be told, and go there."""
    monkeypatch.chdir(tmp_path)
    judged = {t: {"a": 1, "b": 1, "c": 0, "d": 0} for t in TOPICS}
    pw.write_judgments(pw.Judgments.from_dict(judged), tmp_path / "qrels.txt")
    lists = {
        "old": {t: ["c", "a", "b"] if int(t) % 3 else ["a", "c", "b"] for t in TOPICS},
        "new": {t: ["a", "b", "c"] for t in TOPICS},
        "mixed": {t: ["a", "b", "c"] if int(t) % 2 else ["c", "x", "y"] for t in TOPICS},
    }
    runs = pw.Runs.from_rankings(lists)
    for system in lists:
        pw.write_run(runs, system, tmp_path / f"{system}.run")
    return tmp_path


# ---- exit codes


def test_a_pass_is_0_a_failure_1_and_undecided_2(run: Command) -> None:
    """A pipeline needs nothing else."""
    assert [run(*words).exit_code for words in (BETTER, WORSE, MIXED)] == [0, 1, 2]


@pytest.mark.parametrize(("policy", "code"), [("pass", 0), ("fail", 1)])
def test_undecided_can_be_either(run: Command, policy: str, code: int) -> None:
    """The verdict still says what it is."""
    result = run(*MIXED, "--undecided", policy)
    assert result.exit_code == code
    assert "Undecided: " in result.stderr
    assert f"It counts as a {policy}" in result.stderr


def missing_topic(folder: Path) -> None:
    """Take one topic out of the candidate."""
    lines = (folder / "new.run").read_text().splitlines()
    (folder / "new.run").write_text("".join(f"{x}\n" for x in lines if x.split()[0] != "7"))


def empty_run(folder: Path) -> None:
    """Write a candidate without a line."""
    (folder / "new.run").write_text("")


def other_topics(folder: Path) -> None:
    """Rename the topics of the candidate."""
    lines = (folder / "new.run").read_text().splitlines()
    (folder / "new.run").write_text("".join(f"q{line}\n" for line in lines))


def other_judgments(folder: Path) -> None:
    """Judge other topics."""
    lines = (folder / "qrels.txt").read_text().splitlines()
    (folder / "qrels.txt").write_text("".join(f"q{line}\n" for line in lines))


def other_documents(folder: Path) -> None:
    """Judge other documents of the same topics."""
    text = (folder / "qrels.txt").read_text()
    (folder / "qrels.txt").write_text(text.replace(" 0 ", " 0 doc-"))


def no_judgments(folder: Path) -> None:
    """Write qrels without a line."""
    (folder / "qrels.txt").write_text("")


def changed_baseline(folder: Path) -> None:
    """Change a ranking of the frozen baseline."""
    path = folder / "old.run"
    path.write_text(path.read_text().replace(" a 1 ", " b 1 ").replace(" b 3 ", " a 3 "))


@pytest.mark.parametrize(
    "spoil",
    [
        missing_topic,
        empty_run,
        other_topics,
        other_judgments,
        other_documents,
        no_judgments,
        changed_baseline,
    ],
)
def test_wrong_input_is_3_and_a_sentence_never_a_pass(
    run: Command, folder: Path, spoil: Callable[[Path], None]
) -> None:
    """Whatever was not measured is said so, with a hint, and nothing is written."""
    assert run(*BETTER, "--freeze", "frozen").exit_code == 0
    (folder / "frozen").replace(folder / "old.run")
    assert run(*BETTER).exit_code == 0
    spoil(folder)
    result = run(*BETTER, "--undecided", "pass", "--junit", "gate.xml")
    assert result.exit_code == 3, result.output
    assert result.stderr.startswith("Error: ")
    assert "Hint: " in result.stderr
    assert result.stdout == ""
    assert not (folder / "gate.xml").exists()


def test_topics_without_results_can_be_listed(run: Command, folder: Path) -> None:
    """They score 0, and no other topic does."""
    missing_topic(folder)
    (folder / "none.txt").write_text("7\n")
    result = run(*BETTER, "--no-results", "none.txt", "--format", "json")
    assert json.loads(result.stdout)["rows"][0]["worst_topic"] == "7"


def test_a_candidate_is_needed_unless_a_baseline_is_frozen(run: Command) -> None:
    """Half a question has no answer."""
    words = ("gate", "qrels.txt", "--baseline", "old.run")
    assert run(*words).exit_code == 3
    assert run(*words, "--freeze", "old.frozen").exit_code == 0
    assert run("gate", "qrels.txt", "new.run").exit_code == 3


# ---- output


def test_the_verdict_is_one_line(run: Command) -> None:
    """The first of standard error in a pipe, and below the table for people."""
    line = run(*BETTER).stderr.splitlines()[0]
    assert line.startswith("Pass: new is not worse than old by more than 0.01 in nDCG@3 (")
    table = run(*BETTER, "--format", "table")
    assert line in table.stdout
    assert "Pass: " not in table.stderr


def test_programs_get_a_row_for_each_measure(run: Command) -> None:
    """With the numbers that pw.gate has."""
    result = run(*BETTER, "-m", "P@3", "--format", "json")
    rows = json.loads(result.stdout)["rows"]
    gate = pw.gate("qrels.txt", "new.run", ["nDCG@3", "P@3"], baseline="old.run")
    assert [row["measure"] for row in rows] == ["nDCG@3", "P@3"]
    assert [row["low"] for row in rows] == gate.columns()["low"]


def test_markdown_begins_with_the_verdict(run: Command) -> None:
    """A pull request shows the verdict, a table, and the sentences; provenance is a comment."""
    text = run(*WORSE, "--format", "md").stdout
    shown = [line for line in text.splitlines() if line and not line.startswith("<!--")]
    assert shown[0] == "**Fail: old against new**"
    assert shown[1].startswith("| measure | verdict | baseline | candidate |")
    assert shown[3].startswith("| nDCG@3  | fail    |")
    assert shown[4].startswith("Fail: old is worse than new by more than 0.01 in nDCG@3 (")


def test_junit_is_read_by_another_program(run: Command) -> None:
    """A test case for each measure: a failure, a skipped one, or neither."""
    expected = {BETTER: [], WORSE: [Failure], MIXED: [Skipped]}
    for number, (words, kinds) in enumerate(expected.items()):
        run(*words, "--junit", f"{number}.xml")
        (suite,) = JUnitXml.fromfile(f"{number}.xml")
        (case,) = suite
        assert [type(outcome) for outcome in case.result] == kinds
        assert (suite.tests, suite.errors) == (1, 0)
        assert suite.failures == kinds.count(Failure)
        assert suite.skipped == kinds.count(Skipped)
        assert case.name.startswith("nDCG@3: ")
        assert "one-sided 95% limits" in suite._elem.findtext("system-out")


def test_junit_follows_what_undecided_means(run: Command) -> None:
    """As the exit code does."""
    for policy, kinds in (("pass", []), ("fail", [Failure])):
        run(*MIXED, "--undecided", policy, "--junit", f"{policy}.xml")
        (suite,) = JUnitXml.fromfile(f"{policy}.xml")
        assert [type(outcome) for case in suite for outcome in case.result] == kinds


def test_names_do_no_harm_in_junit(run: Command, folder: Path) -> None:
    """Whatever a tag holds, the file stays well-formed."""
    text = (folder / "new.run").read_bytes()
    (folder / "new.run").write_bytes(text.replace(b" new\n", b' <a&"b\x01\xe9-->\n'))
    assert run(*BETTER, "--junit", "gate.xml", "--format", "json").exit_code == 0
    (suite,) = JUnitXml.fromfile("gate.xml")
    (case,) = suite
    assert '<a&"b\\x01\\xe9-->' in case.name


@pytest.mark.parametrize(
    ("words", "command"), [(BETTER, "notice"), (WORSE, "error"), (MIXED, "warning")]
)
def test_github_gets_annotations(run: Command, words: tuple[str, ...], command: str) -> None:
    """One for the verdict, percent signs escaped; several measures have one each."""
    lines = run(*words, "--github").stderr.splitlines()
    assert lines[1].startswith(f"::{command} title=poolwise gate::")
    assert "%" not in lines[1].replace("%25", "")
    several = run(*WORSE, "-m", "P@1", "--github").stderr
    assert "::error title=poolwise gate%2C nDCG@3::" in several


def test_an_undecided_gate_names_documents_and_topics(run: Command) -> None:
    """What would decide: judgments of the candidate's unjudged documents, or more topics."""
    text = run(*MIXED).stderr
    assert "topics would decide in 8 of 10 cases" in text
    assert "Documents whose judgments would do most to decide: " in text
    assert "/x" in text


def test_the_command_of_an_undecided_gate_lists_its_documents(run: Command) -> None:
    """As it is printed, it runs, and the documents that the gate names come first."""
    text = run(*MIXED).stderr
    named = re.search(r"most to decide: (.*)\.$", text, re.MULTILINE)[1].split(", ")  # type: ignore[index]
    command = re.search(r"run `poolwise (.*)`\.$", text, re.MULTILINE)[1]  # type: ignore[index]
    listed = run(*shlex.split(command), "--ranks").stdout.splitlines()[1:]
    assert ["/".join(line.split("\t")[:2]) for line in listed[: len(named)]] == named


def test_a_frozen_baseline_is_no_json(run: Command) -> None:
    """A name that promises JSON, and could not be read again, is refused."""
    result = run("gate", "qrels.txt", "--baseline", "old.run", "--freeze", "old.json")
    assert (result.exit_code, "Hint: name it old.frozen." in result.stderr) == (3, True)


# ---- frozen baselines and files of options


def test_a_frozen_baseline_takes_the_place_of_its_run(run: Command, folder: Path) -> None:
    """New judgments score both sides anew, and the output says so."""
    assert run(*BETTER, "--freeze", "old.frozen").exit_code == 0
    (folder / "old.run").unlink()
    words = ("gate", "qrels.txt", "new.run", "--baseline", "old.frozen", "-m", "nDCG@3")
    assert run(*words).exit_code == 0
    text = (folder / "qrels.txt").read_text()
    (folder / "qrels.txt").write_text(text.replace("d 0", "d 1"))
    assert "both runs were scored anew" in run(*words).stderr


PYPROJECT = """\
[tool.poolwise.gate]
baseline = "old.run"
measure = ["nDCG@3", "P@3"]
margin = 0.5
max-topic-loss = 0.25
strict = true
grades = [0, 1, 2]
"""


@pytest.mark.parametrize("name", ["pyproject.toml", "poolwise.toml", "other.toml"])
def test_options_may_stand_in_a_file(run: Command, folder: Path, name: str) -> None:
    """With the names of the options; what is typed goes before what is written."""
    section = "gate" if name == "poolwise.toml" else "tool.poolwise.gate"
    (folder / name).write_text(PYPROJECT.replace("tool.poolwise.gate", section))
    words = ["gate", "qrels.txt", "new.run", "--format", "json"]
    if name == "other.toml":
        words += ["--config", name]
    output = json.loads(run(*words).stdout)
    options = output["provenance"]["options"]
    assert [row["measure"] for row in output["rows"]] == ["nDCG@3", "P@3"]
    assert (options["margin"], options["max_topic_loss"], options["strict"]) == (0.5, 0.25, 1)
    assert options["grades"] == "0,1,2"
    assert name in [entry["path"] for entry in output["provenance"]["inputs"]]
    typed = json.loads(run(*words, "--margin", "0.1", "-m", "P@1").stdout)
    assert [row["measure"] for row in typed["rows"]] == ["P@1"]
    assert typed["provenance"]["options"]["margin"] == 0.1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]\nmargins = 0.1\n", "an option must be one of the command; got 'margins'"),
        ("[gate\n", "the file must be TOML"),
        ('[gate]\ncandidate = "x"\n', "an option must be one of the command"),
        ('[gate]\nno-results = "a\\u0000b"\n', "no-results must not hold NUL"),
        ("[gate]\nmargin = [[1]]\n", "is not a valid float"),
        ("[gate]\nmargin = 1979-05-27\n", "is not a valid float"),
        ("[gate]\nalpha = {a = 1}\n", "is not a valid float"),
        ("[gate]\nstrict = 'perhaps'\n", "is not a valid boolean"),
        ('[gate]\nmargin = "much"\n', "'much' is not a valid float"),
        ("gate = 3\n", "[gate] must be a table"),
        ("[gate]\nconfig = 'x'\n", "an option must be one of the command; got 'config'"),
    ],
)
def test_a_wrong_file_of_options_is_3(run: Command, folder: Path, text: str, message: str) -> None:
    """It is named, and what is wrong with it."""
    (folder / "poolwise.toml").write_text(text)
    result = run(*BETTER)
    assert result.exit_code == 3
    assert message in result.stderr
    assert run(*BETTER, "--config", "nowhere.toml").exit_code == 3


def test_a_pyproject_of_others_is_passed_over(run: Command, folder: Path) -> None:
    """A file without our section has no options."""
    (folder / "pyproject.toml").write_text("[project]\nname = 'search'\n")
    assert run(*BETTER).exit_code == 0


def test_a_gate_is_made_again_whatever_its_verdict(run: Command) -> None:
    """Replay compares numbers; the code of the gate is not its own."""
    for words in (BETTER, WORSE, MIXED):
        run(*words, "-o", "gate.json", "--junit", "gate.xml")
        assert run("replay", "gate.json").exit_code == 0
        assert run("replay", "gate.xml").exit_code == 0


@pytest.mark.parametrize("name", ["poolwise.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "option",
    [
        "force = true",
        "quiet = true",
        "junit = 'notes.txt'",
        "freeze = 'notes.txt'",
        "output = 'notes.txt'",
        "provenance = 'notes.txt'",
    ],
)
def test_a_file_of_the_folder_decides_nothing_about_what_is_written(
    folder: Path, run: Command, name: str, option: str
) -> None:
    """A pull request that brings such a file cannot overwrite what the maintainer has."""
    (folder / "notes.txt").write_text("mine")
    section = "gate" if name == "poolwise.toml" else "tool.poolwise.gate"
    (folder / name).write_text(f"[{section}]\n{option}\n")
    result = run(*BETTER)
    assert result.exit_code == 3
    assert f"{name}: {option.split(maxsplit=1)[0]} must not be set by a file" in result.stderr
    assert (folder / "notes.txt").read_text() == "mine"


def test_what_a_file_sets_is_said(folder: Path, run: Command) -> None:
    """Which file has set which option stands in the notes, but for what was typed instead."""
    text = "[gate]\nmargin = 0.4\nundecided = 'pass'\nmeasure = ['P@1', 'P@2']\n"
    (folder / "poolwise.toml").write_text(text)
    words = ("gate", "qrels.txt", "new.run", "--baseline", "old.run")
    said = run(*words, "--margin", "0.3").stderr
    assert "note: set by poolwise.toml: measure P@1 P@2, undecided pass\n" in said
    assert "set by" not in run(*BETTER, "--config", "poolwise.toml", "--quiet").stderr
    (folder / "poolwise.toml").unlink()
    assert "set by" not in run(*BETTER).stderr


def test_a_config_that_is_no_file_is_refused(run: Command) -> None:
    """A variable that is not set must not choose the rules of a gate."""
    assert run(*BETTER, "--config", "").exit_code == 3
