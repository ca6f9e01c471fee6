"""What to judge for the orders of one run: the page and the command give one list."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main
from poolwise.judging import DecisiveDocuments


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
    overview = pw.report("QRELS", "RUNS", [measure], baseline="bm25-2")[measure]
    assert overview.to_judge
    for listed in overview.to_judge:
        assert isinstance(listed, DecisiveDocuments)
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


@pytest.mark.parametrize("topics", ["common", "topics.txt"])
def test_the_list_is_of_the_topics_of_the_page(
    topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a page scores the common or some named topics, so does the command that it names."""
    monkeypatch.chdir(tmp_path)
    made = pw.simulate(systems=4, topics=6, depth=20, rng=3)
    lists = made.runs.to_dict()
    lacking = next(iter(lists))
    first, second, *_ = made.runs.topics
    del lists[lacking][first]
    Path("topics.txt").write_text(f"{second}\n")
    pw.write_judgments(made.judgments, "QRELS")
    Path("RUNS").mkdir()
    runs = pw.read_runs(lists)
    for system in runs.systems:
        pw.write_run(runs, system, Path("RUNS", system))
    (listed,) = pw.report("QRELS", "RUNS", ["P@5"], topics=topics)["P@5"].to_judge
    assert first not in listed.topic
    words = shlex.split(listed.command().replace("FILE", topics))[1:]
    result = CliRunner().invoke(main, [*words, "--format", "json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [(row["topic"], row["document"]) for row in rows] == list(
        zip(listed.topic, listed.document, strict=True)
    )


def test_topics_are_chosen_as_elsewhere() -> None:
    """All topics of the runs, the judged ones, those that every run answers, or these."""
    runs = {"a": {"1": {"x": 2.0}, "2": {"x": 2.0}, "3": {"x": 1.0}}, "b": {"2": {"y": 2.0}}}
    judged = {"1": {"w": 1}, "2": {"w": 1}}

    def topics(**options: Any) -> list[str]:
        return sorted(set(pw.next(judged, runs, **options).topic))

    assert topics() == ["1", "2", "3"]
    assert topics(topics="judged") == topics(judged_topics=True) == ["1", "2"]
    assert topics(topics="common") == ["2"]
    assert topics(topics=["3"]) == ["3"]
    nothing = pw.next(None, runs, topics="common")
    assert set(nothing.topic) == {"2"}
    with pytest.raises(pw.OptionError, match="give one of them"):
        topics(topics="common", judged_topics=True)


def test_a_goal_about_one_run_is_reached_when_its_orders_are_settled() -> None:
    """Where everything is judged, nothing more need be judged for it."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}, "c": {"1": {"y": 2.0}}}
    listed = pw.next({"1": {"x": 1, "y": 0}}, runs, "run:a", measure="P@1")
    assert len(listed) == 0
    said = "Nothing more to judge for run:a: a is ahead of b in P@1, a is ahead of c in P@1."
    assert listed.effects == (said,)


def test_a_goal_about_one_run_names_its_reasons() -> None:
    """Each document says how many open orders of the run it would move."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}, "c": {"1": {"z": 2.0}}}
    listed = pw.next({"1": {"w": 1, "v": 0}}, runs, "run:a", measure="P@1")
    assert listed.document[0] == "x"
    assert listed.reason[0].startswith("It would move 2 of 2 open pairs. ")
    assert str(listed.goal) == "run:a"


def test_a_goal_about_a_run_that_is_not_there_is_refused() -> None:
    """The error names the runs; a goal without a name says how goals are written."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}}
    with pytest.raises(pw.PoolwiseError, match="'nosuch'"):
        pw.next({"1": {"x": 1}}, runs, "run:nosuch")
    with pytest.raises(pw.OptionError, match="run:A"):
        pw.next({"1": {"x": 1}}, runs, "run:")
