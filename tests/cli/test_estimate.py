"""``poolwise estimate``, and ``evaluate --treatment``, as people and scripts meet them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("collection")


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


def test_methods_stand_side_by_side(run: Command) -> None:
    """One row per treatment and run; condensed closes up, so bm25's P@2 on topic 1 is perfect."""
    words = ("-m", "P@2", "--treatment", "nonrelevant,condensed")
    table = rows(run("estimate", "qrels.txt", "runs/bm25.run", *words))
    assert [(r["treatment"], float(r["value"])) for r in table] == [
        ("nonrelevant", pytest.approx((0.5 + 0.5 + 0) / 3)),
        ("condensed", pytest.approx((1.0 + 0.5 + 0) / 3)),
    ]


def test_a_method_takes_options(run: Command) -> None:
    """Options follow the name in parentheses, and the label carries them."""
    words = ("-m", "P@2", "--treatment", "bootstrap(prior='pool',draws=20)", "--seed", "3")
    first, second = (rows(run("estimate", "qrels.txt", "runs", *words)) for _ in range(2))
    assert first == second
    assert first[0]["treatment"] == "bootstrap(prior='pool',draws=20)"
    assert all(r["lower"] <= r["value"] <= r["upper"] for r in first)


def test_all_names_what_it_leaves_out(run: Command) -> None:
    """With `--treatment all` one note names every treatment that nDCG does not allow."""
    result = run("estimate", "qrels.txt", "runs", "-m", "nDCG@2", "--treatment", "all")
    (note,) = [line for line in result.stderr.splitlines() if "weibull" in line]
    assert "cannot treat nDCG@2" in note
    assert "condensed" in {r["treatment"] for r in rows(result)}


def test_tables_show_ranges_where_there_are_any(run: Command) -> None:
    """The bounds have a column for their range, the condensed list has none."""
    words = ("-m", "P@2", "--treatment", "condensed,exact", "--format", "md")
    text = run("estimate", "qrels.txt", "runs", *words).stdout
    assert "exact range" in text
    assert "range of condensed" not in text


def test_per_topic_rows_come_with_each_method(run: Command) -> None:
    """Two runs on three topics and their mean are eight rows a treatment."""
    words = ("-m", "P@2", "--treatment", "condensed,exact", "--per-topic")
    assert len(rows(run("estimate", "qrels.txt", "runs", *words))) == 2 * 2 * 4


@pytest.mark.parametrize("treatment", ["condensed", "bounds", "bootstrap(draws=20)"])
def test_evaluate_picks_a_treatment(run: Command, treatment: str) -> None:
    """`evaluate --treatment NAME` prints the scores that `estimate --treatment NAME` prints."""
    ours = rows(run("evaluate", "qrels.txt", "runs", "-m", "P@2,AP", "--treatment", treatment))
    theirs = rows(run("estimate", "qrels.txt", "runs", "-m", "P@2,AP", "--treatment", treatment))
    # The judged share is that of the lists as they are, whatever the treatment: evaluate has it.
    shown = [{k: v for k, v in row.items() if k != "judged"} for row in ours]
    assert shown == [{k: v for k, v in row.items() if k != "treatment"} for row in theirs]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("estimate", "-m", "nDCG@2", "--treatment", "zipf"), "'zipf' cannot treat nDCG@2"),
        (("estimate", "-m", "P@2", "--treatment", "guess"), "'guess' is not known"),
        (("estimate", "-m", "P@2", "--treatment", "bootstrap(odds=2)"), "no option 'odds'"),
        (("estimate", "-m", "P@2", "--treatment", "bootstrap(prior='x')"), "'x' is not known"),
        (("estimate", "-m", "AP", "--treatment", "bias-systems"), "needs the depth of the pool"),
        (("evaluate", "-m", "nDCG@2", "--treatment", "static"), "'static' cannot treat nDCG@2"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    """A treatment that a measure cannot take, or that is not known, ends with one clear line."""
    command, *rest = words
    result = run(command, "qrels.txt", "runs", *rest)
    assert result.exit_code != 0
    assert message in result.stderr
    assert "Hint" in result.stderr


def test_the_model_comes_first_by_default(run: Command) -> None:
    """Without --treatment the model stands beside the usual assumption and the exact range."""
    table = rows(run("estimate", "qrels.txt", "runs", "-m", "P@2"))
    assert list(dict.fromkeys(r["treatment"] for r in table)) == [
        *("model", "nonrelevant", "condensed", "bootstrap", "exact"),
    ]


def test_two_runs_are_told_why_there_is_no_narrower_range(run: Command) -> None:
    """With fewer than five groups the range by the model is all that is possible."""
    text = run("estimate", "qrels.txt", "runs", "-m", "P@2", "--format", "md").stdout
    assert "kinds of pooled runs, 5 are needed" in text
    assert "halfway to the bootstrap" in text
    assert "Pool: " in text


def test_evaluate_scores_by_the_model(run: Command) -> None:
    """The treatment of unjudged documents in evaluate may be the model."""
    model = rows(run("evaluate", "qrels.txt", "runs", "-m", "P@2", "--treatment", "model"))
    estimated = rows(run("estimate", "qrels.txt", "runs", "-m", "P@2", "--treatment", "model"))
    assert [r["value"] for r in model] == [r["value"] for r in estimated]


def test_a_study_leaves_out_by_default_what_a_measure_does_not_allow(run: Command) -> None:
    """AP looks below the pool: the bootstrap is left out with the reason, and named is an error."""
    made = pw.simulate(systems=5, topics=6, depth=30, pool_depth=10, rng=1)
    Path("pool.txt").write_bytes(pw.workflows.qrels_bytes(made.judgments, "plain"))
    Path("lists").mkdir()
    for name in made.runs.systems:
        lines = [
            f"{topic} Q0 {document} {rank} {-rank} {name}\n"
            for topic in made.runs.topics
            for rank, document in enumerate(made.runs.ranking(name, topic), 1)
        ]
        Path("lists", name).write_text("".join(lines))
    whole = ("study", "unjudged", "pool.txt", "lists", "-m", "AP")
    result = run(*whole, "--format", "table")
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "left out: bootstrap (treatment: cannot treat AP" in said
    # A study has one target: a run's own documents.
    assert "target='all'" not in said
    assert run(*whole, "--treatment", "bootstrap").exit_code == 3
