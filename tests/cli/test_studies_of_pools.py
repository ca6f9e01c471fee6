"""``poolwise study votes``, ``gains`` and ``verdict``, on real judgments and tiny ones."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import poolwise as pw
from poolwise.collection import relevance_by_multiplicity
from poolwise.evidence import fit_gains
from poolwise.findings import verdict

Command = Callable[..., Result]
_READERS = (pw.read_judgments, pw.read_runs)


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


@pytest.fixture
def dl2019(data_dir: Path) -> tuple[str, str]:
    """Return the qrels and the passage runs of a few groups of TREC DL 2019."""
    folder = data_dir / "trec-dl-2019"
    return str(folder / "qrels.gz"), str(folder / "runs" / "I*")


def test_votes_are_the_bands_of_the_library(run: Command, dl2019: tuple[str, str]) -> None:
    """Each band has the documents and the share of relevant ones of relevance_by_multiplicity."""
    words = ("--depth", "20", "--rel", "2", "--bands", "1,2,3")
    bands = rows(run("study", "votes", *dl2019, *words))
    nominations = pw.nominate(*(read(f) for read, f in zip(_READERS, dl2019, strict=True)))
    ours = relevance_by_multiplicity(nominations, 20, rel=2, bands=(1, 2, 3))
    assert [(int(r["documents"]), int(r["relevant"]), float(r["rate"])) for r in bands] == [
        (band.documents, band.relevant, band.rate) for band in ours
    ]


def test_pooled_runs_alone_vote(run: Command, dl2019: tuple[str, str]) -> None:
    """With one pooled run there is one vote at most."""
    bands = rows(run("study", "votes", *dl2019, "--pooled", "ICT-BERT2"))
    assert [int(r["documents"]) > 0 for r in bands] == [True] + [False] * 6


@pytest.mark.parametrize(
    ("gain", "gains"), [("binary", [0.0, 0.0, 1.0, 1.0]), ("linear", [0, 1 / 3, 2 / 3, 1])]
)
def test_gains_are_fitted_as_by_the_library(
    run: Command, dl2019: tuple[str, str], gain: str, gains: list[float]
) -> None:
    """Each topic has the curve of fit_gains, with the gains that the options ask for."""
    words = ("--model", "linear", "--depth", "10", "--gain", gain, "--rel", "2")
    curves = rows(run("study", "gains", *dl2019, *words))
    evidence = pw.workflows.as_evidence(*dl2019)
    ours = fit_gains(evidence, np.array(gains), model="linear", depth=10)
    assert [r["topic"] for r in curves] == list(ours.topics)
    assert [float(r["rmse"]) for r in curves] == pytest.approx(ours.rmse.tolist(), rel=1e-12)


def test_a_verdict_is_that_of_the_library(run: Command, dl2019: tuple[str, str]) -> None:
    """The range, and the fewest judgments, of two runs that are open."""
    pair = ("ICT-BERT2", "ICT-CKNRM_B")
    words = ("-m", "RBP(p=0.95)", "--a", pair[0], "--b", pair[1])
    (row,) = rows(run("study", "verdict", *dl2019, *words))
    ours = verdict(pw.workflows.as_evidence(*dl2019), "RBP(p=0.95)", *pair)
    assert (float(row["bound_low"]), float(row["bound_high"])) == (ours.lower, ours.upper)
    assert row["verdict"] == "open"
    assert int(row["fewest"]) == ours.fewest
    listed = rows(run("study", "verdict", *dl2019, *words, "--show", "documents"))
    assert len(listed) == int(row["open_documents"])
    assert [(r["topic"], r["document"]) for r in listed[: ours.fewest]] == [
        (item.topic, item.document) for item in ours.to_judge()
    ]


def test_judging_what_a_verdict_names_settles_it(dl2019: tuple[str, str]) -> None:
    """Where all documents that it names speak for one run, that run can no longer be behind."""
    pair = ("ICT-BERT2", "ICT-CKNRM_B")
    open_order = verdict(pw.workflows.as_evidence(*dl2019), "RBP(p=0.95)", *pair)
    favours_first = open_order.for_first == open_order.fewest
    named = {(item.topic, item.document): item.swing for item in open_order.to_judge()}
    qrels = pw.read_judgments(dl2019[0])
    graded = {(t, d): g for t, d, g in qrels} | {
        cell: 3.0 if (swing > 0) == favours_first else 0.0 for cell, swing in named.items()
    }
    by_topic: dict[str, dict[str, float]] = {}
    for (topic, document), grade in graded.items():
        by_topic.setdefault(topic, {})[document] = grade
    evidence = pw.workflows.as_evidence(by_topic, dl2019[1])
    after = pw.studies.order_verdict(evidence, "RBP(p=0.95)", a=pair[0], b=pair[1])
    assert after.settled


@pytest.mark.usefixtures("collection")
def test_an_unknown_run_is_named(run: Command) -> None:
    """The error lists the runs there are."""
    refused = run("study", "verdict", "qrels.txt", "runs", "--a", "bm25", "--b", "nobody")
    assert refused.exit_code == 3
    assert "nobody" in refused.stderr
    assert "dense" in refused.stderr


def test_two_runs_need_no_names_for_a_verdict() -> None:
    """The verdict is that of the two runs; of three, two must be named."""
    runs = {name: {"1": {"x": 2.0, name: 1.0}} for name in "abc"}
    pair = {name: runs[name] for name in "ab"}
    outcome = pw.studies.order_verdict(pw.workflows.as_evidence({"1": {"x": 1}}, pair), "P@2")
    columns = outcome.columns()
    assert (columns["a"], columns["b"]) == (["a"], ["b"])
    with pytest.raises(pw.PoolwiseError, match=r"a, b: two runs must be named; there are 3 runs"):
        pw.studies.order_verdict(pw.workflows.as_evidence({"1": {"x": 1}}, runs), "P@2", a="a")
