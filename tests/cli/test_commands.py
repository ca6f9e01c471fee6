"""The other subcommands: explain, measures, audit, demo."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Command = Callable[..., Result]


def test_explain_says_every_parameter_in_force(run: Command) -> None:
    """An alias is explained under its canonical name, with its parameters."""
    text = run("explain", "ndcg_cut_10").stdout
    assert text.startswith("nDCG@10\n")
    assert "cutoff = 10" in text


def test_measures_lists_the_catalogue(run: Command) -> None:
    """Every measure has a row."""
    text = run("measures", "--format", "tsv").stdout
    assert {"nDCG", "AP", "RBP", "INST"} <= {line.split("\t")[0] for line in text.splitlines()}


@pytest.mark.usefixtures("collection")
def test_audit_counts_and_remarks(run: Command) -> None:
    """One row per run, and sentences about what is thin."""
    result = run("audit", "qrels.txt", "runs", "--format", "tsv")
    assert result.exit_code == 0, result.output
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["run", "bm25", "dense"]
    assert "topic" in result.stderr


def test_the_demo_writes_files_that_evaluate_reads(tmp_path: Path, run: Command) -> None:
    """The demo's qrels and runs are ordinary files."""
    shown = run("demo", "--output", str(tmp_path / "demo"))
    assert shown.exit_code == 0, shown.output
    assert "nDCG@10" in shown.stdout
    again = run("evaluate", str(tmp_path / "demo" / "qrels.txt"), str(tmp_path / "demo" / "runs"))
    assert again.exit_code == 0, again.output


def test_audit_says_which_labels_are_stale(run: Command, collection: Path) -> None:
    """Hashes of today are kept, and a text that changes is told the next time."""
    (collection / "corpus.tsv").write_text("a\tred\nb\tblue\nc\tgreen\nd\tgrey\ne\tpink\n")
    words = ("audit", "qrels.txt", "runs", "--documents", "corpus.tsv")
    assert run(*words, "--save-hashes", "then.tsv").exit_code == 0
    (collection / "corpus.tsv").write_text("a\tred\nb9\tblue\nc\tlime\nd\tgrey\ne\tpink\n")
    result = run(*words, "--hashes", "then.tsv")
    assert result.exit_code == 0, result.output
    states = [line.split("\t")[:3] for line in result.stdout.splitlines()[1:3]]
    assert states == [["c", "changed", ""], ["b", "moved", "b9"]]
    assert "2 of 5 judged documents are not what was judged" in result.stderr
    alone = run("audit", "qrels.txt", "runs", "--hashes", "then.tsv")
    assert alone.exit_code == 3
    assert "--hashes and --save-hashes go with --documents" in alone.stderr
