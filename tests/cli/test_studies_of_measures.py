"""``poolwise study persistence``, ``predictivity`` and ``swaps``, and the matched residual."""

import csv
import io
from collections.abc import Callable

import pytest
from click.testing import Result

import poolwise as pw
from poolwise.studies._residuals import choose_residual, residual_beside

Command = Callable[..., Result]
Files = tuple[str, str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Write made-up qrels with gaps, and a folder of runs."""
    folder = tmp_path_factory.mktemp("made")
    made = pw.simulate(systems=8, topics=12, depth=30, rng=2)
    pw.write_judgments(made.judgments, folder / "qrels.txt")
    (folder / "runs").mkdir()
    for system in made.runs.systems:
        pw.write_run(made.runs, system, folder / "runs" / f"{system}.run")
    return str(folder / "qrels.txt"), str(folder / "runs")


@pytest.fixture(scope="module")
def evidence(files: Files) -> pw.Evidence:
    """Return the same, aligned."""
    return pw.align(pw.read_judgments(files[0]), pw.read_runs(files[1]))


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


def test_persistence_of_each_measure(run: Command, files: Files, evidence: pw.Evidence) -> None:
    """One row per measure: the match over all topics, and the summary over single topics."""
    table = rows(run("study", "persistence", *files, "-m", "AP,P@10", "--by", "rbo"))
    assert [r["measure"] for r in table] == ["AP", "P@10"]
    for row in table:
        match = pw.studies.match_persistence(evidence, row["measure"], by="rbo")
        each = pw.studies.match_persistence_by_topic(evidence, row["measure"], by="rbo")
        assert float(row["p"]) == match.p
        assert float(row["residual"]) == match.residual
        assert float(row["mean_p"]) == pytest.approx(each.p.mean())


@pytest.mark.parametrize(("kind", "count"), [("topics", 12), ("persistences", 500)])
def test_persistence_in_full(run: Command, files: Files, kind: str, count: int) -> None:
    """Programs can have each topic's match, or every persistence tried."""
    table = rows(run("study", "persistence", *files, "-m", "AP", "--rows", kind))
    assert len(table) == count
    assert all(0.5 <= float(r["p"]) <= 0.999 for r in table)


def test_persistence_for_people(run: Command, files: Files) -> None:
    """A table over all topics comes before one over single topics."""
    text = run("study", "persistence", *files, "-m", "AP", "--format", "table").stdout
    assert text.index("expected depth") < text.index("whether p rises with R")


def test_predictivity_of_each_pair(run: Command, files: Files, evidence: pw.Evidence) -> None:
    """One row per pair of measures, as the study finds it with the same seed."""
    words = ("-m", "AP,RR", "--partitions", "50", "--seed", "4", "--top", "0.75")
    pairs = rows(run("study", "predictivity", *files, *words))
    tables = pw.score_all(evidence, ["AP", "RR"]).values()
    kept = pw.studies.top_systems(tables)
    study = pw.studies.predictivity([t.select(kept) for t in tables], rng=4, partitions=50)
    assert [(r["measure"], r["predicted"]) for r in pairs] == [
        ("AP", "AP"),
        ("AP", "RR"),
        ("RR", "RR"),
    ]
    assert [float(r["tau_b"]) for r in pairs] == pytest.approx(study.columns()["tau_b"])
    table = run("study", "predictivity", *files, *words, "--format", "md").stdout
    assert "between halves of 6 topics" in table


def test_swaps_by_difference(run: Command, files: Files, evidence: pw.Evidence) -> None:
    """One row per bin of differences, as the study counts them with the same seed."""
    words = ("-m", "AP", "--draws", "50", "--width", "0.05", "--seed", "4")
    bins = rows(run("study", "swaps", *files, *words))
    study = pw.studies.swap_rates(pw.score(evidence, "AP"), rng=4, draws=50, width=0.05)
    assert [int(r["swaps"]) for r in bins] == study.columns()["swaps"]
    assert study.sentences()[0] in run("study", "swaps", *files, *words, "--format", "md").stdout


def test_a_matched_residual_beside_the_bounds(
    run: Command, files: Files, evidence: pw.Evidence
) -> None:
    """`--residual matched` adds RBP's residual to every row, and changes no other number."""
    words = ("evaluate", *files, "-m", "AP,nDCG", "--per-topic")
    plain = rows(run(*words))
    with_residual = run(*words, "--residual", "matched")
    # Of fewer than 16 runs the residual is that of U18's persistence.
    chosen = choose_residual(evidence, pw.AP, "matched")
    expected = residual_beside(evidence, pw.AP, chosen.rbp)
    for row, before in zip(rows(with_residual), plain, strict=True):
        residual = float(row.pop("matched_residual"))
        p = float(row.pop("matched_p"))
        assert row == before
        if row["measure"] == "AP":
            of_run = expected.select([row["run"]])
            value = (
                of_run.means()
                if row["topic"] == "all"
                else of_run.select(topics=[row["topic"]]).value
            )
            assert [p, residual] == pytest.approx([chosen.rbp.p, value.item()])
    assert f"note: {chosen.remarks[0]}" in with_residual.stderr


def test_a_matched_residual_in_the_table(run: Command, files: Files) -> None:
    """The leaderboard has a column of residuals, named by the RBP they are of."""
    text = run("evaluate", *files, "-m", "AP", "--residual", "matched", "--format", "md").stdout
    assert any("residual | " in line for line in text.splitlines() if line.startswith("| run"))


def test_one_run_has_no_matched_residual(run: Command, files: Files) -> None:
    """A single run has no order to match: the persistence is that of U18, with the reason."""
    result = run("evaluate", files[0], f"{files[1]}/ql-1.run", "-m", "AP", "--residual", "matched")
    assert result.exit_code == 0, result.output
    assert "One run has no order that RBP could be matched with: RBP(p=0.98)" in result.stderr
