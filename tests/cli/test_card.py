"""``poolwise card`` and ``--card``, as people and scripts meet them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
WRONG_INPUT = 3


def rows(result: Result) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command) -> Path:
    """Write a collection whose pool one run came too late for, and the card of the others."""
    monkeypatch.chdir(tmp_path)
    collection = pw.simulate(systems=13, topics=15, depth=40, rng=5)
    pooled = collection.runs.systems[:-1]
    qrels = pw.pool(collection.judgments, collection.runs.select(pooled), depth=10)
    Path("qrels.txt").write_bytes(pw.workflows.qrels_bytes(qrels, "plain"))
    for folder, names in (("runs", pooled), ("new", collection.runs.systems[-1:])):
        Path(folder).mkdir()
        for name in names:
            lists = {t: collection.runs.ranking(name, t) for t in collection.runs.topics}
            lines = [
                f"{t} Q0 {d} {r} {-r} {name}\n"
                for t, ids in lists.items()
                for r, d in enumerate(ids, 1)
            ]
            Path(folder, f"{name}.run").write_text("".join(lines))
    words = ("card", "make", "qrels.txt", "runs", "-m", "nDCG@10,AP", "-o", "made.card")
    said = run(*words)
    assert said.exit_code == 0, said.output
    assert "Card: made.card" in said.stdout
    return tmp_path


@pytest.mark.usefixtures("made")
def test_standardized_scores_are_those_of_all_runs_to_the_last_digit(run: Command) -> None:
    """By the card a new run has the scores that it has by the original runs beside it."""
    originals = [
        word for path in sorted(Path("runs").iterdir()) for word in ("--reference", path.stem)
    ]
    for extra in ((), ("--ddof", "1"), ("--smoothing", "self"), ("--mapping", "normal")):
        words = ("-m", "nDCG@10,AP", "--per-topic", *extra)
        alone = rows(run("standardize", "qrels.txt", "new", "--card", "made.card", *words))
        beside = rows(run("standardize", "qrels.txt", "new", "runs", *originals, *words))
        name = alone[0]["run"]
        its = [row for row in beside if row["run"] == name]
        assert [row["topic"] for row in alone] == [row["topic"] for row in its]
        values = [[float(row["value"]) for row in table] for table in (alone, its)]
        # But for the order in which reference scores are added up.
        assert values[0] == pytest.approx(values[1], rel=1e-12)


@pytest.mark.usefixtures("made")
def test_a_card_of_other_judgments_is_refused(run: Command) -> None:
    """With one judgment less, scores are of others than the factors."""
    text = Path("qrels.txt").read_text().splitlines(keepends=True)
    Path("fewer.txt").write_text("".join(text[1:]))
    for command in ("standardize", "estimate", "compare", "evaluate"):
        words = ("new", "--card", "made.card", "-m", "AP")
        words += ("--treatment", "model") if command == "evaluate" else ()
        result = run(command, "fewer.txt", *words)
        assert result.exit_code == 3
        assert "made of other judgments" in result.stderr


@pytest.mark.usefixtures("made")
def test_one_run_says_where_it_stands(run: Command) -> None:
    """The estimate by the card is calibrated, and the place is among 13."""
    words = ("-m", "nDCG@10", "--card", "made.card", "--format", "table")
    said = run("estimate", "qrels.txt", "new", *words).stdout
    assert "of 13 as judged" in " ".join(said.split())
    assert "by the card (" in said
    assert "left out in turn" in " ".join(said.split())


@pytest.mark.usefixtures("made")
def test_evaluate_takes_a_card_as_estimate_does(run: Command) -> None:
    """The model's scores by the card are the same numbers, and the place is said as well."""
    words = ("qrels.txt", "new", "-m", "nDCG@10,AP", "--treatment", "model", "--card", "made.card")
    names = ("run", "measure", "topic", "value", "lower", "upper")
    tables = [rows(run(command, *words, "--per-topic")) for command in ("evaluate", "estimate")]
    evaluated, estimated = ([[row[n] for n in names] for row in table] for table in tables)
    assert sorted(evaluated) == sorted(estimated)
    by_ndcg = ("qrels.txt", "new", "-m", "nDCG@10", *words[4:])
    said = " ".join(run("evaluate", *by_ndcg, "--format", "table").stdout.split())
    assert "of 13 as judged" in said
    assert "by the card (" in said
    # Without the card the run stands alone, and has another estimate and no calibrated range.
    alone = rows(run("evaluate", *words[:-2]))
    mean = next(row for row in tables[0] if row["topic"] == "all")
    assert alone[0]["value"] != mean["value"]


@pytest.mark.usefixtures("made")
def test_plain_scores_take_no_card(run: Command) -> None:
    """A card that would change nothing is an error that names what it is for."""
    refused = run("evaluate", "qrels.txt", "new", "-m", "AP", "--card", "made.card")
    assert refused.exit_code == 3
    assert "--treatment model" in refused.stderr


@pytest.mark.usefixtures("made")
def test_a_private_collection_publishes_scores_by_few_public_runs(run: Command) -> None:
    """Without judgments and documents, by five runs, with a warning; others can compare scores."""
    public = [
        "runs/bm25-1.run",
        "runs/ql-1.run",
        "runs/dfr-1.run",
        "runs/prf-1.run",
        "runs/bm25-2.run",
    ]
    words = ("-m", "AP", "--factors-only", "-o", "five.card")
    assert run("card", "make", "qrels.txt", *public, *words).exit_code == 0
    content = pw.read_card("five.card")
    assert content.documents is None
    words = ("--card", "five.card", "-m", "AP", "--per-topic", "-o", "ours.csv")
    ours = run("standardize", "qrels.txt", "new", *words)
    assert ours.exit_code == 0, ours.output
    assert "where 10 or more are advised" in " ".join(ours.stderr.split())
    # Whoever has the five runs on another collection has scores of the same kind.
    table = pw.workflows.read_score_files(["ours.csv"])[0]
    assert str(table.measure) == "sAP"
    assert abs(table.means()[0]) < 5
    refused = run("estimate", "qrels.txt", "new", "--card", "five.card", "-m", "AP")
    assert "no documents" in refused.stderr


@pytest.mark.usefixtures("made")
def test_common_runs_set_the_level(run: Command) -> None:
    """With --level-by the mean of the common runs is 0, and differences stay."""
    plain = rows(run("standardize", "qrels.txt", "runs", "-m", "AP"))
    words = ("--level-by", "bm25-1,ql-1")
    leveled = rows(run("standardize", "qrels.txt", "runs", "-m", "AP", *words))
    means = [{row["run"]: float(row["value"]) for row in table} for table in (plain, leveled)]
    assert (means[1]["bm25-1"] + means[1]["ql-1"]) / 2 == pytest.approx(0, abs=1e-12)
    shifts = [means[0][name] - means[1][name] for name in means[0]]
    assert shifts == pytest.approx([shifts[0]] * len(shifts))


def test_published_factors_take_smoothing_and_a_divisor(tmp_path: Path, run: Command) -> None:
    """W10 §8.2.1: published factors, 0 and 1 as virtual runs, normal: by options alone."""
    (tmp_path / "a.mn.csv").write_text("topic,AP\n1,0.2\n2,0.4\n")
    (tmp_path / "a.sd.csv").write_text("topic,AP\n1,0.1\n2,0.2\n")
    (tmp_path / "scores.csv").write_text("topic,x\n1,0.3\n2,0.4\n")
    words = ("standardize", "--scores", str(tmp_path / "scores.csv"), "-m", "AP")
    words += ("--factors", str(tmp_path / "a.mn.csv"), "--smoothing", "extremes")
    words += ("--mapping", "normal", "--per-topic")
    refused = run(*words)
    assert refused.exit_code == 3
    assert "--references N" in refused.stderr
    table = rows(run(*words, "--references", "17"))
    # By hand: n = 17, divisor n - 1; with 0 and 1 added, 19 runs and divisor 18.
    mean = (17 * 0.2 + 1) / 19
    squares = 16 * 0.1**2 + 17 * 0.2**2 + 1 - 19 * mean**2
    z = (0.3 - mean) / (squares / 18) ** 0.5
    from statistics import NormalDist

    assert float(table[0]["value"]) == pytest.approx(NormalDist().cdf(z))
    own = rows(run(*words, "--references", "17", "--ddof", "0"))
    assert float(own[0]["value"]) > float(table[0]["value"])


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("more", ["1 0 late 1\n", "400 0 late 1\n"])
def test_a_report_after_more_judgments_standardizes_by_no_card(run: Command, more: str) -> None:
    """Factors are of the scores by the old judgments; ``standardize`` refuses them, too."""
    how = {"measures": ["nDCG@10"], "card": "made.card"}
    assert pw.report("qrels.txt", "new", **how).measures[0].standardized is not None
    with Path("qrels.txt").open("a") as qrels:
        qrels.write(more)
    after = pw.report("qrels.txt", "new", **how)
    assert after.measures[0].standardized is None
    assert any("after the card" in notice.what for notice in after.provenance.notices)
    assert run("standardize", "qrels.txt", "new", "--card", "made.card").exit_code == WRONG_INPUT
