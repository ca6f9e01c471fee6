"""``poolwise agree``, and the commands that take machine labels, as people meet them."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw
from poolwise.collection import simulate_labels

Command = Callable[..., Result]
MADE = pw.simulate(systems=5, topics=16, depth=15, rng=4)
CONFUSION = [[0.7, 0.2, 0.1, 0], [0.3, 0.4, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0, 0.1, 0.3, 0.6]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write judgments, half of their topics, a machine's labels and runs, and go there."""
    monkeypatch.chdir(tmp_path)
    judged = pw.pool(MADE.truth, MADE.runs, depth=10)
    whole = pw.Judgments.from_dict(judged.to_dict())
    pw.write_judgments(whole, "qrels.txt")
    pw.write_judgments(whole.select(topics=whole.topics[::2]), "half.txt")
    machine = simulate_labels(whole, CONFUSION, rng=1)
    pw.write_judgments(machine.judgments(trust=True), "machine.qrels")
    Path("runs").mkdir()
    for run in MADE.runs.systems:
        pw.write_run(MADE.runs, run, f"runs/{run}")
    return tmp_path


def rows(result: Result) -> list[dict[str, str]]:
    """Return the rows that a command printed as tsv."""
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


@pytest.mark.usefixtures("folder")
def test_agree_says_first_what_the_files_support(run: Command) -> None:
    """With runs, the first sentence says what becomes of pairs; κ has an interval."""
    words = ("machine.qrels", "--against", "qrels.txt", "--runs", "runs", "--resamples", "10")
    shown = run("agree", *words, "--format", "table")
    assert shown.exit_code == 0, shown.output
    assert "Agreement" in shown.stdout
    assert "Effect on conclusions by nDCG@10" in shown.stdout
    assert "can stand in for qrels" in shown.stdout or "come out as by qrels" in shown.stdout
    table = rows(run("agree", *words, "--format", "tsv"))
    plain = next(row for row in table if row["statistic"] == "kappa")
    assert float(plain["low"]) < float(plain["value"]) < float(plain["high"])
    api = pw.agree("machine.qrels", against="qrels.txt", runs="runs", resamples=10)
    assert float(plain["value"]) == api.pairs[0].kappas["nominal"].value


@pytest.mark.usefixtures("folder")
def test_runs_need_judgments_to_be_compared_by(run: Command) -> None:
    """Labels alone say nothing of runs, and the hint says what is missing."""
    result = run("agree", "machine.qrels", "qrels.txt", "--runs", "runs")
    assert result.exit_code == 3
    assert "Hint: add against= or --against with judgments by people." in result.stderr


@pytest.mark.usefixtures("folder")
def test_a_map_brings_another_scale_to_the_same(run: Command) -> None:
    """κ of grades is undefined between scales, and defined once the map says what grades mean."""
    map_ = "machine:0=0,1=0,2=1,3=1"
    Path("binary.qrels").write_text(
        "".join(f"{t} 0 {d} {int(g > 1)}\n" for t, d, g in pw.read_judgments("qrels.txt"))
    )
    apart = rows(run("agree", "machine.qrels", "--against", "binary.qrels", "--format", "tsv"))
    assert not [row for row in apart if row["statistic"] == "kappa"]
    assert [row for row in apart if row["statistic"] == "kappa_1_2"]
    same = rows(
        run("agree", "machine.qrels", "--against", "binary.qrels", "--map", map_, "--format", "tsv")
    )
    assert [row for row in same if row["statistic"] == "kappa"]
    wrong = run("agree", "machine.qrels", "--against", "binary.qrels", "--map", "machine")
    assert wrong.exit_code == 3
    assert "write SET:0=0,1=0,2=1" in wrong.stderr


@pytest.mark.usefixtures("folder")
def test_people_on_some_topics(run: Command) -> None:
    """Estimate and compare give intervals over labels and topics, if the topics were drawn."""
    words = ("half.txt", "runs", "--labels", "machine.qrels", "-m", "nDCG@10", "--format", "tsv")
    plain = rows(run("estimate", *words))
    assert "label_low" not in plain[0]
    means = rows(run("estimate", *words, "--assume-random"))
    assert float(means[0]["label_low"]) < float(means[0]["estimate"])
    assert float(means[0]["ci_low"]) <= float(means[0]["label_low"])
    pairs = rows(run("compare", *words, "--assume-random"))
    assert len(pairs) == 10
    assert {"difference", "label_low", "ci_low", "people", "machine"} <= set(pairs[0])


@pytest.mark.usefixtures("folder")
def test_people_on_some_documents(run: Command) -> None:
    """Sample draws with the labels, and estimate uses what people then say."""
    draw = ("sample", "runs", "--labels", "machine.qrels", "--budget", "120")
    assert run(*draw, "-o", "to-judge.tsv").exit_code == 0
    judged = run(*draw, "--grades-from", "qrels.txt", "-o", "sampled.prels")
    assert judged.exit_code == 0, judged.output
    drawn = Path("to-judge.tsv").read_text().count("\n") - 1
    sampled = pw.read_judgments("sampled.prels")
    assert sum(grade >= 0 for _, _, grade in sampled) == drawn
    words = ("sampled.prels", "runs", "--labels", "machine.qrels")
    estimates = rows(run("estimate", *words, "-m", "P@10", "--format", "tsv"))
    assert len(estimates) == 5
    refused = run("estimate", *words, "-m", "nDCG@10")
    assert refused.exit_code == 3
    assert "use SDCG@10 or P@10" in " ".join(refused.stderr.split())
    declared = run("estimate", *words, "-m", "SDCG@10", "--grades", "0,1,2,3", "--format", "tsv")
    assert rows(declared)[0]["measure"] == "SDCG(top=3)@10"
    flat = run(*draw, "--design", "flat", "-o", "flat.tsv")
    assert flat.exit_code == 0, flat.output


@pytest.mark.usefixtures("folder")
def test_labels_are_a_feature_of_the_model(run: Command) -> None:
    """With --treatment the labels go to the relevance model, and the estimates are Python's."""
    made = pw.simulate(systems=12, topics=10, depth=15, groups=12, unpooled=0, rng=4)
    thin = pw.nominate(made.truth, made.runs).depth_pool(5, systems=made.runs.systems[:8])
    pw.write_judgments(thin, "thin.qrels")
    pw.write_judgments(
        simulate_labels(made.truth, CONFUSION, rng=1).judgments(trust=True), "all.qrels"
    )
    Path("more").mkdir()
    for name in made.runs.systems:
        pw.write_run(made.runs, name, f"more/{name}")
    words = ("estimate", "thin.qrels", "more", "-m", "P@5", "--treatment", "model")
    labelled = rows(run(*words, "--labels", "all.qrels", "--format", "tsv"))
    api = pw.estimate("thin.qrels", "more", "P@5", treatments="model", labels="all.qrels")
    assert [float(row["value"]) for row in labelled] == api["P@5"].scores["model"].means().tolist()
    plain = rows(run(*words, "--format", "tsv"))
    assert [row["value"] for row in plain] != [row["value"] for row in labelled]
    shown = " ".join(run(*words, "--labels", "all.qrels", "--format", "table").stdout.split())
    assert "model with labels, if this run's documents were judged" in shown
    two = [f"more/{name}" for name in made.runs.systems[-2:]]
    few = run(*words[:2], *two, *words[3:], "--labels", "all.qrels", "--format", "table")
    assert "labels by all are not used" in " ".join(few.stdout.split())
    refused = run(*words, "--labels", "all.qrels", "--assume-random")
    assert refused.exit_code == 3
    assert "--assume-random goes with --labels, and without --treatment" in refused.stderr


@pytest.mark.usefixtures("folder")
def test_samples_say_what_is_missing(run: Command) -> None:
    """A budget, or runs, that are missing are asked for."""
    no_budget = run("sample", "runs", "--labels", "machine.qrels", "-o", "x.tsv")
    assert no_budget.exit_code == 3
    assert "--budget 200" in no_budget.stderr
    assert run("sample", "-o", "x.tsv").exit_code == 3
    other = run(
        *("sample", "runs", "--labels", "machine.qrels", "--budget", "9", "--design", "rbp:9"),
        *("-o", "x.tsv"),
    )
    assert "or flat" in other.stderr


@pytest.mark.usefixtures("folder")
def test_documents_for_a_second_person(run: Command) -> None:
    """--for-agreement draws judged documents, exactly as many as wanted."""
    result = run("sample", "--for-agreement", "qrels.txt", "--budget", "40", "-o", "second.tsv")
    assert result.exit_code == 0, result.output
    lines = Path("second.tsv").read_text().splitlines()[1:]
    judged = {(t, d) for t, d, _ in pw.read_judgments("qrels.txt")}
    assert len(lines) == 40
    assert {tuple(line.split("\t")[:2]) for line in lines} <= judged


@pytest.mark.usefixtures("folder")
def test_scores_of_any_kind(run: Command) -> None:
    """Two files of scores per topic give prediction-powered estimates without runs."""
    for name, qrels in (("human", "half.txt"), ("machine", "machine.qrels")):
        judged = pw.read_judgments(qrels)
        table = pw.score(pw.align(judged, pw.read_runs("runs")), "P@5", bounds="none")
        pw.write_score_matrix(table, f"{name}.csv")
    words = ("--human", "human.csv", "--machine", "machine.csv", "-m", "P@5", "--format", "tsv")
    estimates = rows(run("estimate", *words, "--assume-random"))
    assert len(estimates) == 5
    assert "label_low" in estimates[0]
    alone = run("estimate", "--human", "human.csv")
    assert alone.exit_code == 3
    assert "--human and --machine go together" in alone.stderr
    assert run("estimate").exit_code == 3


@pytest.mark.usefixtures("folder")
def test_a_machine_is_trusted_only_on_demand(run: Command) -> None:
    """Grades with a model are no judgments; with --trust every output says what they are."""
    records = (
        {"qid": t, "docno": d, "label": g, "model": "gpt-9"}
        for t, d, g in pw.read_judgments("machine.qrels")
    )
    Path("labels.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    refused = run("evaluate", "labels.jsonl", "runs", "-m", "P@5")
    assert refused.exit_code == 3
    assert "labels by machines are predictions, and no judgments; got 'gpt-9'" in refused.stderr
    trusted = run("evaluate", "labels.jsonl", "runs", "-m", "P@5", "--trust", "--format", "tsv")
    assert trusted.exit_code == 0, trusted.output
    assert "labels by machines (gpt-9) taken as judgments" in trusted.stderr
    assert trusted.stderr.splitlines()[0].endswith(", trust")
    convert = ("convert", "labels.jsonl", "--to", "trec", "-o", "x.qrels")
    assert run(*convert).exit_code == 3
    made = run(*convert, "--trust")
    assert made.exit_code == 0, made.output
    assert "labels by machines (gpt-9)" in made.output


@pytest.mark.usefixtures("folder")
def test_a_gate_takes_labels(run: Command) -> None:
    """Table, JSON, JUnit and Markdown show the interval over labels; without it nothing passes."""
    made = pw.simulate(systems=2, topics=50, depth=15, rng=4)
    whole = pw.Judgments.from_dict(pw.pool(made.truth, made.runs, depth=10).to_dict())
    pw.write_judgments(whole.select(topics=whole.topics[::2]), "some.qrels")
    labels = simulate_labels(whole, CONFUSION, rng=1)
    pw.write_judgments(labels.judgments(trust=True), "all.qrels")
    old, new = made.runs.systems
    for name in (old, new):
        pw.write_run(made.runs, name, f"{name}.run")
    words = ("gate", "some.qrels", f"{new}.run", "--baseline", f"{old}.run", "--margin", "0.9")
    words = (*words, "--labels", "all.qrels", "--assume-random")
    result = run(*words, "--format", "json", "--junit", "gate.xml")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["rows"]
    api = pw.gate(
        *("some.qrels", f"{new}.run"),
        baseline=f"{old}.run",
        margin=0.9,
        labels="all.qrels",
        assume_random=True,
    )
    assert row["label_low"] == api.measures[0].uncertain[0].low[0]
    assert row["low"] < row["label_low"] < row["difference"] < row["label_high"]
    assert (row["topics"], row["labelled_topics"]) == (25, 50)
    assert "95% over labels" in Path("gate.xml").read_text("utf-8")
    assert "95% over labels" in run(*words, "--format", "md").stdout
    assert run(*words[:-1]).exit_code == 3
