"""``poolwise diversity``."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Command = Callable[..., Result]
QRELS = "1 1 a 1\n1 2 b 1\n2 1 a 1\n2 3 c 1\n2 3 d 0\n"
RUN = "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 d 1 1 x\n2 Q0 c 2 .5 x\n"


def written(folder: Path) -> tuple[str, str]:
    """Write judgments by subtopic, and a run."""
    (folder / "subtopics.txt").write_text(QRELS)
    (folder / "x.run").write_text(RUN)
    return str(folder / "subtopics.txt"), str(folder / "x.run")


def test_subtopics_are_counted(tmp_path: Path, run: Command) -> None:
    """The run finds both subtopics of topic 1, and one of two of topic 2."""
    words = ("-m", "strec@2", "--per-topic", "--format", "tsv")
    lines = run("diversity", *written(tmp_path), *words).stdout.splitlines()
    recalls = {tuple(line.split("\t")[:3]): float(line.split("\t")[3]) for line in lines[1:]}
    name = "StRecall@2"
    assert recalls == {("x", name, "all"): 0.75, ("x", name, "1"): 1.0, ("x", name, "2"): 0.5}


def test_a_leaderboard_says_that_there_is_no_range(tmp_path: Path, run: Command) -> None:
    """The table has the means, and a sentence says why there is no range."""
    result = run("diversity", *written(tmp_path), "--details", "--format", "table")
    assert "alpha_nDCG@10: 1 run, 2 topics" in result.stdout
    assert "There is no range over judgments" in " ".join(result.stdout.split())


def test_other_measures_are_refused_both_ways(tmp_path: Path, run: Command) -> None:
    """Each of the two commands names the other where a measure is in the wrong one."""
    files = written(tmp_path)
    result = run("diversity", *files, "-m", "nDCG@10")
    assert (result.exit_code, "use evaluate" in result.stderr) == (3, True)
    result = run("evaluate", *files, "-m", "alpha_nDCG@10")
    assert (result.exit_code, "poolwise diversity" in result.stderr) == (3, True)


def test_judgments_of_whole_topics_are_noticed(tmp_path: Path, run: Command) -> None:
    """Where no topic has two subtopics, a note says that these may be for evaluate."""
    _, path = written(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    result = run("diversity", str(tmp_path / "qrels.txt"), path)
    assert "topics that have one subtopic each; judgments of whole topics are for evaluate: 2" in (
        result.stderr
    )
    assert "one subtopic each" not in run("diversity", *written(tmp_path)).stderr
