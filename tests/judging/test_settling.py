"""What to judge for the orders of one run: the page and the command give one list."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main
from poolwise.judging import SettlingDocuments


@pytest.mark.parametrize("measure", ["nDCG@10", "RBP(p=0.8)", "P@5"])
def test_the_command_on_the_page_gives_the_list_of_the_page(
    measure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same documents, in the same order, for the leader and for the baseline."""
    monkeypatch.chdir(tmp_path)
    made = pw.simulate(systems=5, topics=8, depth=30, rng=11)
    pw.write_judgments(made.judgments, "QRELS")
    Path("RUNS").mkdir()
    for system in made.runs.systems:
        pw.write_run(made.runs, system, Path("RUNS", system))
    found = pw.report("QRELS", "RUNS", [measure], baseline="bm25-2")[measure]
    assert found.to_judge
    for listed in found.to_judge:
        assert isinstance(listed, SettlingDocuments)
        command = listed.command()
        assert listed.sentences()[-1] == f"The same list is that of `{command}`."
        program, *words = shlex.split(command)
        assert program == "poolwise"
        result = CliRunner().invoke(main, [*words, "--format", "json"])
        assert result.exit_code == 0, result.output
        rows = json.loads(result.stdout)["rows"]
        assert [(row["topic"], row["document"]) for row in rows] == list(
            zip(listed.topic, listed.document, strict=True)
        )
        assert [row["weight"] for row in rows] == pytest.approx(listed.swing)


def test_a_goal_about_one_run_is_reached_when_its_orders_are_settled() -> None:
    """Where everything is judged, nothing more need be judged for it."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}, "c": {"1": {"y": 2.0}}}
    found = pw.next_to_judge({"1": {"x": 1, "y": 0}}, runs, "run:a", measure="P@1")
    assert len(found) == 0
    assert found.effects[0].startswith("The order of a and every other run is settled")


def test_a_goal_about_one_run_names_its_reasons() -> None:
    """Each document says how many open orders of the run it would move."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}, "c": {"1": {"z": 2.0}}}
    found = pw.next_to_judge({"1": {"w": 1, "v": 0}}, runs, "run:a", measure="P@1")
    assert found.document[0] == "x"
    assert found.reason[0].startswith("It would move 2 of 2 open pairs. ")
    assert str(found.goal) == "run:a"


def test_a_goal_about_a_run_that_is_not_there_is_refused() -> None:
    """The error names the runs; a goal without a name says how goals are written."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}}
    with pytest.raises(pw.PoolwiseError, match="'nosuch'"):
        pw.next_to_judge({"1": {"x": 1}}, runs, "run:nosuch")
    with pytest.raises(pw.OptionError, match="run:A"):
        pw.next_to_judge({"1": {"x": 1}}, runs, "run:")
