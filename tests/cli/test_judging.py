"""Lists to judge, and grades brought back, by commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]


def test_judging_starts_from_an_empty_file(collection: Path, run: Command) -> None:
    """The loop of next and merge begins with nothing, and takes in what was graded."""
    (collection / "none.txt").touch()
    listed = run("next", "none.txt", "runs", "--budget", "2", "--format", "tsv")
    assert listed.exit_code == 0, listed.output
    head, *rows = [line.split("\t") for line in listed.stdout.splitlines()]
    assert head == ["topic", "document", "grade"]
    grades = "".join(f"{topic} 0 {document} 1\n" for topic, document, *_ in rows)
    (collection / "grades.txt").write_text(grades)
    merged = run("merge", "none.txt", "grades.txt", "-o", "new.txt")
    assert merged.exit_code == 0, merged.output
    assert "2 judgments: 2 added" in merged.stdout
    again = run("next", "new.txt", "runs", "--format", "tsv").stdout.splitlines()[1:]
    assert not {tuple(r[:2]) for r in rows} & {tuple(line.split("\t")[:2]) for line in again}


LISTING = {
    "next": ("next", "qrels.txt", "runs", "--budget", "3"),
    "pool": ("pool", "runs", "--depth", "2"),
}
TELLING = ("rank", "runs", "weight", "reason", "bm25", "dense")
"""What would tell an assessor which run found a document, and where."""


@pytest.mark.parametrize("ending", ["tsv", "csv", "md", "html", "txt", "parquet"])
@pytest.mark.parametrize("name", LISTING)
def test_what_assessors_may_get_is_blind(
    collection: Path, run: Command, name: str, ending: str
) -> None:
    """A file of any format has topic, document and grade alone, in an order that tells nothing."""
    assert run(*LISTING[name], "-o", f"judge.{ending}").exit_code == 0
    content = (collection / f"judge.{ending}").read_bytes()
    if ending == "parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(collection / "judge.parquet").to_pydict()
        content = str(table).encode()
        assert set(table) == {"topic", "document", "grade"}
    shown = content.decode().partition("<!--")[0] + content.decode().partition("-->")[2]
    is_trec = name == "pool" and ending == "txt"
    assert b" -1\n" in content if is_trec else b"grade" in content
    assert [word for word in TELLING if word in shown] == []


def test_a_file_that_is_written_from_a_terminal_is_blind_too(
    collection: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the screen itself everything is told, in any format."""
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True)
    assert run(*LISTING["next"], "-o", "judge.tsv").exit_code == 0
    assert (collection / "judge.tsv").read_text().startswith("topic\tdocument\tgrade\n")
    assert "best_rank" in run(*LISTING["next"], "--format", "tsv").stdout


@pytest.mark.parametrize("name", LISTING)
def test_ranks_are_told_to_whoever_asks(collection: Path, run: Command, name: str) -> None:
    """In files with --ranks, in JSON, and on the screen; a pipe may end in a file."""
    words = LISTING[name]
    assert run(*words, "--ranks", "-o", "all.tsv").exit_code == 0
    assert "best_rank" in (collection / "all.tsv").read_text().splitlines()[0]
    assert "best_rank" in run(*words, "--format", "json").stdout
    assert "best rank" in run(*words, "--format", "table").stdout
    assert run(*words).stdout.splitlines()[0] == "topic\tdocument\tgrade"
    assert "best_rank" in run(*words, "--provenance", "how.json").stdout
    assert run("replay", "how.json").exit_code == 0


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_a_sheet_that_is_half_done_is_merged(collection: Path, run: Command, ending: str) -> None:
    """What next wrote, with some grades filled in, goes back as it is; the rest stays unjudged."""
    (collection / "none.txt").touch()
    assert run("pool", "runs", "--depth", "2", "-o", f"judge.{ending}").exit_code == 0
    head, *lines = (collection / f"judge.{ending}").read_text().splitlines()
    done = [line + "1" if at % 2 else line for at, line in enumerate(lines)]
    (collection / f"judge.{ending}").write_text("\n".join([head, *done]) + "\n")
    merged = run("merge", "none.txt", f"judge.{ending}", "-o", "new.txt")
    assert f"{len(lines) // 2} judgments" in merged.stdout, merged.output
    assert len((collection / "new.txt").read_text().splitlines()) == len(lines) // 2


@pytest.mark.parametrize("word", ["--order", "--method"])
@pytest.mark.usefixtures("collection")
def test_an_order_has_two_names(run: Command, word: str) -> None:
    """An order of judging is also called a method."""
    result = run("next", "qrels.txt", "runs", word, "depth", "--format", "tsv")
    assert result.exit_code == 0, result.output


def test_a_conflict_writes_nothing(collection: Path, run: Command) -> None:
    """Grades that differ are refused, and the file is not there."""
    topic, _, document, grade = (collection / "qrels.txt").read_text().split()[:4]
    (collection / "grades.txt").write_text(f"{topic} 0 {document} {int(grade) + 1}\n")
    result = run("merge", "qrels.txt", "grades.txt", "-o", "new.txt")
    assert result.exit_code != 0
    assert "--conflicts last" in result.stderr
    assert not (collection / "new.txt").exists()
    decided = run("merge", "qrels.txt", "grades.txt", "-o", "new.txt", "--conflicts", "last")
    assert "1 with another one (decided by last)" in decided.stdout


def test_the_record_of_common_topics_is_what_estimate_reads(
    tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Next draws and records, the grades are merged, and estimate adjusts by exactly these."""
    monkeypatch.chdir(tmp_path)
    made = pw.simulate(systems=8, topics=20, depth=30, rng=1)
    pw.write_judgments(made.judgments, "qrels.txt")
    Path("runs").mkdir()
    for system in made.runs.systems:
        pw.write_run(made.runs, system, f"runs/{system}.run")
    listed = run(
        *("next", "qrels.txt", "runs", "--goal", "common:6", "--budget", "2000"),
        *("--save", "common.tsv", "--format", "tsv"),
    )
    assert listed.exit_code == 0, listed.output
    truth = made.truth.to_dict()
    rows = [line.split("\t")[:2] for line in listed.stdout.splitlines()[1:]]
    Path("new.txt").write_text("".join(f"{t} 0 {d} {truth[t].get(d, 0):.0f}\n" for t, d in rows))
    assert run("merge", "qrels.txt", "new.txt", "-o", "all.txt").exit_code == 0
    words = ("all.txt", "runs", "-m", "P@10", "--treatment", "bias-topics", "--format", "tsv")
    pooled = ("--pooled", ",".join(made.pooled), "--pool-depth", "10")
    recorded = run("estimate", *words, *pooled, "--common", "common.tsv")
    assert recorded.exit_code == 0, recorded.output
    topics = pw.collection.read_common_topics("common.tsv").recorded_as
    named = run("estimate", *words, *pooled, "--common", ",".join(topics))
    assert recorded.stdout == named.stdout
    assert "standard_error" in recorded.stdout.splitlines()[0]
    nothing = run("estimate", *words, *pooled)
    assert nothing.exit_code == 3
    assert "--goal common:10 --save common.tsv" in " ".join(nothing.stderr.split())


@pytest.mark.usefixtures("collection")
def test_other_goals_have_no_common_topics_to_save(run: Command) -> None:
    """A record is asked for with the goal common:N alone."""
    refused = run("next", "qrels.txt", "runs", "--save", "common.tsv")
    assert refused.exit_code == 3
    assert "got the goal relevant" in refused.stderr
    assert not Path("common.tsv").exists()
