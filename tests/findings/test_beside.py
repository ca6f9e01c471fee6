"""Quality beside another number: the front is that of brute force, and what is sure is so."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import poolwise as pw
from poolwise.collection.formats._side_columns import SideColumn, read_side_columns
from poolwise.errors import InputError, OptionError
from poolwise.findings._beside import QualityBeside, side_means, side_scores
from poolwise.workflows import compare_beside, evaluate_beside

MADE = pw.simulate(systems=5, topics=20, depth=20, rng=4)
RUNS = MADE.runs.systems
ONCE = [{"run": run, "ms": 10.0 * n} for n, run in enumerate(RUNS, 1)]


def by_topic(rng: int, spread: float = 0.3) -> list[dict[str, object]]:
    """Measure every run on every topic, with noise."""
    noise = np.random.default_rng(rng).normal(0, spread, (len(RUNS), len(MADE.runs.topics)))
    return [
        {"run": run, "topic": topic, "ms": 10.0 * (s + 1) + noise[s, t]}
        for s, run in enumerate(RUNS)
        for t, topic in enumerate(MADE.runs.topics)
    ]


def of_scores(quality: np.ndarray, cost: np.ndarray, *, alpha: float = 0.05) -> QualityBeside:
    """Put scores beside costs by topic, where nothing is unjudged."""
    names = tuple(f"r{i}" for i in range(len(quality)))
    topics = tuple(map(str, range(quality.shape[1])))
    # Every document is judged: the score of a topic is that of one document with this grade.
    lists = {n: {t: [f"{n}-{t}"] for t in topics} for n in names}
    grades = {
        t: {f"{n}-{t}": q for n, q in zip(names, quality[:, i], strict=True)}
        for i, t in enumerate(topics)
    }
    measurements = {
        n: {t: (float(c),) for t, c in zip(topics, row, strict=True)}
        for n, row in zip(names, cost, strict=True)
    }
    evidence = pw.align(pw.Judgments.from_dict(grades), pw.Runs.from_rankings(lists))
    table = pw.score(evidence, "DCG@1")
    side = side_scores(SideColumn("ms", measurements), table.systems)
    return QualityBeside(
        table,
        pw.compare_evidence(evidence, "DCG@1", alpha=alpha / 2, draws=0),
        pw.compare_scores(side, alpha=alpha / 2),
        side_means(SideColumn("ms", measurements), side),
        alpha,
    )


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6),
    st.booleans(),
)
def test_the_front_of_means_is_that_of_brute_force(
    points: list[tuple[int, int]],
    upwards: bool,  # noqa: FBT001 -- drawn by hypothesis
) -> None:
    """No run of the front is beaten, and every other is, with ties on either side."""
    names = tuple(f"r{i}" for i in range(len(points)))
    table = pw.ScoreTable.from_matrix(
        [[q] for q, _ in points], systems=names, topics=["1"], measure="x"
    )
    column = SideColumn(
        "c", {n: {"": (float(c),)} for n, (_, c) in zip(names, points, strict=True)}, upwards
    )
    side = side_means(column, side_scores(column, names))
    quality = QualityBeside(table, None, None, side)
    sign = 1 if upwards else -1
    value = [(q, sign * c) for q, c in points]
    beaten = {
        i
        for i, j in permutations(range(len(points)), 2)
        if value[i] != value[j] and value[i][0] <= value[j][0] and value[i][1] <= value[j][1]
    }
    assert set(np.flatnonzero(~quality.on_front)) == beaten


def test_means_and_intervals_of_measurements_are_those_of_scipy() -> None:
    """Over topics after repetitions are averaged, and over repetitions of a whole run."""
    rows = by_topic(1)
    columns = evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=rows, draws=0).parts[0].columns()
    for run, mean, low, high in zip(
        columns["run"], columns["side_mean"], columns["side_low"], columns["side_high"], strict=True
    ):
        own = [float(str(row["ms"])) for row in rows if row["run"] == run]
        ends = stats.t.interval(0.95, len(own) - 1, np.mean(own), stats.sem(own))
        assert (mean, low, high) == pytest.approx((np.mean(own), *ends))
    again = [{"run": run, "ms": ms} for run in RUNS for ms in (5.0, 7.0, 6.5)]
    whole = evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=again, draws=0).parts[0].columns()
    ends = stats.t.interval(0.95, 2, np.mean([5, 7, 6.5]), stats.sem([5, 7, 6.5]))
    assert whole["side_over"] == ["repetitions"] * len(RUNS)
    assert (whole["side_low"][0], whole["side_high"][0]) == pytest.approx(ends)


def test_pairs_of_measurements_are_tested_by_topic_or_as_samples() -> None:
    """P values are those of scipy's paired test by topic, and of Welch's over repetitions."""
    rows = by_topic(2, spread=40)
    differences = compare_beside(
        MADE.truth, MADE.runs, "P@5", beside=rows, baseline=RUNS[0], draws=0
    ).parts[0]
    own = {run: [float(str(r["ms"])) for r in rows if r["run"] == run] for run in RUNS}
    raw = [stats.ttest_rel(own[str(a)], own[RUNS[0]]).pvalue for a in differences.side.a]
    assert differences.side.pvalue.tolist() == pytest.approx(raw)
    draws = {run: [n + x for x in (0.0, 1.0, 3.0, 2.0)] for n, run in enumerate(RUNS)}
    again = [{"run": run, "ms": ms} for run in RUNS for ms in draws[run]]
    whole = compare_beside(
        MADE.truth, MADE.runs, "P@5", beside=again, baseline=RUNS[0], draws=0
    ).parts[0]
    raw = [
        stats.ttest_ind(draws[str(a)], draws[RUNS[0]], equal_var=False).pvalue for a in whole.side.a
    ]
    assert whole.side.pvalue.tolist() == pytest.approx(raw)


def test_a_front_that_chance_decides_names_who_cannot_be_told_apart() -> None:
    """Runs with the same quality but for noise: only the fastest is certainly on the front."""
    random = np.random.default_rng(5)
    quality = np.round(random.uniform(1, 5, 30) + random.normal(0, 0.5, (3, 30)), 3).clip(0.1)
    cost = np.array([[1.0], [5.0], [9.0]]) + random.normal(0, 0.1, (3, 30))
    beside = of_scores(quality, cost)
    first = int(np.argmax(quality.mean(axis=1)))
    cells = {run: i for i, run in enumerate(beside.columns()["run"])}
    sure = dict(zip(cells, beside.columns()["certain"], strict=True))
    assert sure["r0"] == "yes"
    assert beside.on_front[first]
    if first:
        assert sure[f"r{first}"] == "no"
        assert "r0" in beside.columns()["not_separable_from"][cells[f"r{first}"]]
        assert "but certainly only r0" in beside.sentences()[0]


def test_what_judging_could_turn_is_not_sure() -> None:
    """On a thin pool the same runs are not separable, though the test over topics is the same."""
    thin = pw.pool(MADE.truth, MADE.runs.select([RUNS[0]]), depth=2)
    judged, unjudged = (
        evaluate_beside(qrels, MADE.runs, "P@10", beside=ONCE, draws=0).parts[0]
        for qrels in (MADE.truth, thin)
    )
    assert judged.certainly_better[0].sum() > 0
    assert unjudged.certainly_better[0].sum() == 0


@pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m.jsonl", "m.json"])
def test_files_of_every_kind_say_the_same(tmp_path: Path, name: str) -> None:
    """CSV, tabs, JSONL and JSON, with a column of words that is left out."""
    path, heading = tmp_path / name, ["run", "topic", "latency_ms", "model"]
    rows = [["a", "1", 2.5, "x"], ["a", "1", 3.5, "x"], ["b", "2", 7.0, "y"]]
    records = [dict(zip(heading, row, strict=True)) for row in rows]
    sign = "\t" if name.endswith("tsv") else ","
    text = {
        "m.jsonl": "\n".join(map(json.dumps, records)),
        "m.json": json.dumps(records),
    }.get(name, "\n".join(sign.join(map(str, row)) for row in [heading, *rows]))
    path.write_text("\ufeff" + text if name == "m.csv" else text, encoding="utf-8")
    (column,) = read_side_columns(path)
    assert column == SideColumn("latency_ms", {"a": {"1": (2.5, 3.5)}, "b": {"2": (7.0,)}})
    assert read_side_columns(records)[0] == column


def test_frames_are_read_too() -> None:
    """As pandas has them, with a number for a run that has none left empty."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"run": ["a", "b"], "qps": [100, 80]})
    (column,) = read_side_columns(frame)
    assert column.more_is_better
    assert column.of_runs == {"a": {"": (100.0,)}, "b": {"": (80.0,)}}
    assert not read_side_columns(frame.rename(columns={"qps": "ms"}))[0].more_is_better
    assert read_side_columns(frame.rename(columns={"qps": "ms"}), more=["ms"])[0].more_is_better


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run,ms\na,fast\nb,3\n", "a measurement \\(ms\\) must be a finite number"),
        ("run,ms\na,nan\nb,3\n", "a measurement \\(ms\\) must be a finite number"),
        ("run,ms\na\n", "m.csv:2: a line must have a cell for each of the 2 columns"),
        ("ms,x\n3,4\n", "there must be a column for the system"),
        ("run,model\na,x\n", "there must be a column of numbers"),
        ("run,topic,ms\na,1,3\na,,4\n", "measured on topics or as a whole"),
        ("", "there must be a heading"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    """The file, the rule and what to do."""
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_side_columns(tmp_path / "m.csv")


def test_what_is_wrong_with_what_was_measured_is_said() -> None:
    """A run without measurements, unlike measurements, no shared topic, unknown columns."""
    with pytest.raises(InputError, match="every run must be measured, and 1 run is not"):
        evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=ONCE[1:])
    mixed = [*ONCE[1:], {"run": RUNS[0], "topic": "1", "ms": 3}]
    with pytest.raises(InputError, match="all runs must be measured on topics, or all as a whole"):
        evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=mixed)
    apart = [{"run": run, "topic": str(n), "ms": 3} for n, run in enumerate(RUNS)]
    with pytest.raises(InputError, match="a topic on which every run was measured"):
        evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=apart)
    with pytest.raises(OptionError, match=r"more: there is no column of numbers 'qps'.*ms"):
        evaluate_beside(MADE.truth, MADE.runs, "P@5", beside=ONCE, more=["qps"])
    with pytest.raises(OptionError, match="must be a file, a list of dicts or a frame"):
        read_side_columns(3)


def test_one_run_is_on_the_front_alone() -> None:
    """And nothing is claimed of it; two are what a comparison takes."""
    alone = MADE.runs.select([RUNS[0]])
    beside = evaluate_beside(MADE.truth, alone, "P@5", beside=ONCE[:1]).parts[0]
    assert "only run" in beside.sentences()[0]
    with pytest.raises(OptionError, match="two at least are compared"):
        compare_beside(MADE.truth, alone, "P@5", beside=ONCE[:1])


def test_one_repetition_beside_several_is_sure_of_nothing() -> None:
    """No spread is known of it, so that no difference from it is certain, however large."""
    twice = [{"run": run, "ms": n + more} for n, run in enumerate(RUNS) for more in (0.0, 0.1)]
    lone = [row for row in twice if row["run"] != RUNS[-1]] + [{"run": RUNS[-1], "ms": 99.0}]
    rows = compare_beside(MADE.truth, MADE.runs, "P@5", beside=lone).parts[0].columns()
    settled = dict(zip(zip(rows["a"], rows["b"], strict=True), rows["outcome"], strict=True))
    assert any(" in ms" in outcome or "both" in outcome for outcome in settled.values())
    for pair, outcome in settled.items():
        if RUNS[-1] in pair:
            assert "ms" not in outcome
            assert outcome not in ("trade-off", "better in both")
