"""A ledger from files to findings: what is added, what is refused, and what is checked."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.findings import KINDS
from poolwise.store import LedgerFolder
from poolwise.workflows import Ledger

MADE = pw.simulate(systems=8, topics=20, depth=40, rng=5)
BY = {"by": "ann", "date": "2026-11-18"}
MEASURES = ["nDCG@10", "AP", "P@5"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write judgments, fewer judgments, and runs."""
    (tmp_path / "runs").mkdir()
    pw.write_judgments(MADE.judgments, tmp_path / "qrels.txt")
    pw.write_judgments(MADE.truth, tmp_path / "more.txt")
    for run in MADE.runs.systems:
        pw.write_run(MADE.runs, run, tmp_path / "runs" / f"{run}.run")
    return tmp_path


@pytest.fixture
def results(files: Path) -> Ledger:
    """Return a ledger of those runs."""
    made = pw.ledger(files / "results", make=True)
    made.add(
        files / "qrels.txt",
        files / "runs",
        MEASURES,
        collection="made",
        original=True,
        year=1999,
        **BY,
    )
    return made


def only_version(results: Ledger) -> Path:
    """Return the folder of the only version."""
    (place,) = (path.parent for path in results.folder.files() if path.name == "version.json")
    return place


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_scores_are_those_of_evaluate(results: Ledger) -> None:
    """To the last digit, with ranges over each run's own documents."""
    tables = results.tables("made")
    plain = pw.evaluate(MADE.judgments, MADE.runs, MEASURES, universe="run")
    assert [str(table.measure) for table in tables] == MEASURES
    for table in tables:
        again = plain[str(table.measure)].select(table.systems)
        for name in ("value", "lower", "upper"):
            np.testing.assert_array_equal(getattr(table, name), getattr(again, name))


def test_a_ledger_is_the_same_bytes_whoever_makes_it_when(files: Path) -> None:
    """One run at a time or all together: files depend on results, date and name alone."""
    whole = pw.ledger(files / "whole", make=True)
    whole.add(files / "qrels.txt", files / "runs", MEASURES, collection="made", **BY)
    parts = pw.ledger(files / "parts", make=True)
    for run in sorted(files.glob("runs/*"), reverse=True):
        parts.add(files / "qrels.txt", run, MEASURES, collection="made", **BY)
    assert tree(files / "whole") == tree(files / "parts")


def test_a_run_added_changes_no_other_file(results: Ledger, files: Path) -> None:
    """A range over all runs would change with each: it is over the run's own documents."""
    before = tree(results.folder.path)
    twin = files / "runs" / f"{MADE.runs.systems[0]}.run"
    results.add(files / "qrels.txt", twin, MEASURES, collection="made", name="twin", **BY)
    after = tree(results.folder.path)
    assert len(after) == len(before) + 1
    assert {name: after[name] for name in before} == before


def test_the_same_again_changes_nothing(results: Ledger, files: Path) -> None:
    """Whatever day it is; the judgments may be compressed, or in another format."""
    before = tree(results.folder.path)
    pw.write_judgments(MADE.judgments, files / "qrels.gz")
    again = results.add(files / "qrels.gz", files / "runs", MEASURES, collection="made", by="bob")
    assert len(again.runs("unchanged")) == 8
    assert again.runs("added") == ()
    assert tree(results.folder.path) == before


def test_a_further_measure_joins_the_others(results: Ledger, files: Path) -> None:
    """Scores that are there stay to the bit."""
    old = results.tables("made", ["AP"])[0]
    results.add(files / "qrels.txt", files / "runs", ["RR"], collection="made", **BY)
    assert [str(t.measure) for t in results.tables("made")] == [*MEASURES, "RR"]
    np.testing.assert_array_equal(results.tables("made", ["AP"])[0].value, old.value)


def test_new_judgments_rescore_what_is_found_and_old_results_stay(
    results: Ledger, files: Path
) -> None:
    """Each result says of which judgments it is; runs that are gone are named."""
    before = tree(results.folder.path)
    lost, changed, *_ = sorted(files.glob("runs/*"))
    lost.unlink()
    changed.write_text(changed.read_text() + "\n")
    added = results.add(files / "more.txt", (), MEASURES, collection="made", **BY)
    assert set(added.runs("lost")) == {lost.stem, changed.stem}
    assert len(added.runs("rescored")) == 6
    assert {n: c for n, c in tree(results.folder.path).items() if n in before} == before
    versions = results.folder.versions("made")
    assert versions[1].before == versions[0].version
    table = results.tables("made", ["AP"])[0]
    again = pw.evaluate(MADE.truth, MADE.runs, "AP")["AP"].select(table.systems)
    np.testing.assert_array_equal(table.value, again.value)
    old = results.tables("made", ["AP"], version=versions[0].version)[0]
    assert len(old.systems) == 8


def test_other_settings_are_refused_with_the_reason(results: Ledger, files: Path) -> None:
    """Another tie rule, another scale of grades: the version's file and both values are named."""
    with pytest.raises(InputError, match=r"version\.json: .*tied.*trec_eval.*'docid'"):
        results.add(
            files / "qrels.txt",
            files / "runs",
            "AP",
            collection="made",
            reading=pw.Reading(ties="docid"),
        )
    with pytest.raises(InputError, match=r"version\.json: .*scale"):
        results.add(
            files / "qrels.txt", files / "runs", "AP", collection="made", grades=[0, 1, 2, 3, 4, 5]
        )


def test_another_version_of_a_measure_is_refused(
    results: Ledger, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are named with every parameter, and nothing is written."""
    before = tree(results.folder.path)
    pw.write_run(MADE.runs, MADE.runs.systems[0], files / "new.run")
    monkeypatch.setattr(
        "poolwise.workflows._ledger_adding.full_name", lambda measure: f"{measure.name}(other=1)"
    )
    with pytest.raises(InputError, match=r"\.json: .*versions of a measure.*other=1"):
        results.add(files / "qrels.txt", files / "new.run", "nDCG@10", collection="made", **BY)
    assert tree(results.folder.path) == before


def test_another_run_of_the_same_name_is_refused(results: Ledger, files: Path) -> None:
    """The file that is there is named, and stays."""
    run = min(files.glob("runs/*"))
    pw.write_run(MADE.runs, MADE.runs.systems[-1], run)
    text = run.read_text().replace(MADE.runs.systems[-1], run.stem)
    run.write_text(text)
    with pytest.raises(InputError, match=rf"{run.stem}\.json: .*another result"):
        results.add(files / "qrels.txt", run, MEASURES, collection="made")


def test_a_missing_topic_is_an_error_that_names_it(files: Path) -> None:
    """Unless it is said to score 0, and then the result says so."""
    run = min(files.glob("runs/*"))
    topic = MADE.judgments.topics[3]
    kept = [line for line in run.read_text().splitlines() if line.split()[0] != topic]
    run.write_text("\n".join(kept) + "\n")
    results = pw.ledger(files / "results", make=True)
    with pytest.raises(InputError, match=rf"{run.name}: .*lacks 1 topic: {topic}"):
        results.add(files / "qrels.txt", files / "runs", "AP", collection="made")
    assert not (files / "results").exists()
    results.add(files / "qrels.txt", files / "runs", "AP", collection="made", missing="zero")
    table = results.tables("made")[0]
    assert not table.answered[table.systems.index(run.stem), table.topics.index(topic)]


def test_a_changed_file_is_an_error_and_never_a_rank(results: Ledger) -> None:
    """Whichever digit it is: rank, context and list name the file."""
    path = sorted((only_version(results) / "runs").iterdir())[2]
    content = json.loads(path.read_text())
    score = content["scores"]["AP"]["value"][0]
    path.write_text(path.read_text().replace(repr(score), repr(score + 0.001), 1))
    for call in (lambda: results.rank("made", "AP"), results.list, lambda: results.tables("made")):
        with pytest.raises(InputError, match=rf"{path.name}: .*was changed"):
            call()
    check = results.check()
    assert not check.passed
    assert [problem.path for problem in check.problems] == [str(path)]


def resealed(folder: LedgerFolder, path: Path, change: Any) -> None:
    """Change a result as somebody would who makes its hash again."""
    from dataclasses import replace

    record = folder.result(path)
    scores = {name: change(measured) for name, measured in record.scores.items()}
    path.write_bytes(replace(record, scores=scores).to_bytes())


def test_a_result_without_a_topic_is_never_ranked(results: Ledger) -> None:
    """Even with a right hash: fewer scores, or none on a topic that others have."""
    from dataclasses import replace

    path = min((only_version(results) / "runs").iterdir())
    kept = path.read_bytes()
    topics = results.tables("made")[0].topics
    resealed(results.folder, path, lambda scores: replace(scores, value=scores.value[:-1]))
    with pytest.raises(InputError, match=rf"{path.name}: .*topic {topics[-1]} is missing"):
        results.rank("made", "AP")
    path.write_bytes(kept)
    nothing = float("nan")
    resealed(
        results.folder, path, lambda scores: replace(scores, value=(nothing, *scores.value[1:]))
    )
    with pytest.raises(InputError, match=rf"{path.name}: .*topic {topics[0]} is missing"):
        results.rank("made", "AP")
    assert not results.check(recompute=False).passed


def test_check_scores_again_and_finds_what_a_right_hash_hides(results: Ledger) -> None:
    """A score that was invented, with its hash made again, does not come out of the run."""
    from dataclasses import replace

    assert results.check().recomputed == 8
    path = min((only_version(results) / "runs").iterdir())
    best = {"value": 0.99, "upper": 1.0}

    def invented(scores: Any) -> Any:
        return replace(scores, **{n: (x, *getattr(scores, n)[1:]) for n, x in best.items()})

    resealed(results.folder, path, invented)
    assert results.check(recompute=False).passed
    check = results.check()
    assert {problem.path for problem in check.problems} == {str(path)}
    assert "comes out otherwise" in check.problems[0].what


def test_check_looks_in_other_folders(results: Ledger, files: Path) -> None:
    """Runs that moved are found by name and hash."""
    shutil.move(files / "runs", files / "elsewhere")
    assert results.check().recomputed == 0
    assert results.check(files=[files / "elsewhere"]).recomputed == 8


def test_other_judgments_are_not_taken_for_these(results: Ledger, files: Path) -> None:
    """A qrels file that changed is not at hand any more: nothing is scored by it."""
    (files / "qrels.txt").write_text((files / "more.txt").read_text())
    check = results.check()
    assert (check.recomputed, check.passed) == (0, True)


def test_a_retracted_result_is_kept_and_does_not_count(results: Ledger, files: Path) -> None:
    """With the reason; its run is not added again under the same name."""
    best = results.rank("made", "AP").systems[0]
    results.retract(best, reason="wrong index", **BY)
    assert best not in results.rank("made", "AP").systems
    held = {entry.run: entry for entry in results.list().entries}
    assert held[best].retracted == "wrong index"
    with pytest.raises(InputError, match=r"was retracted \(wrong index\)"):
        results.add(files / "qrels.txt", files / "runs", "AP", collection="made")
    with pytest.raises(OptionError, match="reason"):
        results.retract(best, reason="  ")
    assert results.check().passed


def test_gains_are_exact_where_both_rankings_are_at_hand(results: Ledger, files: Path) -> None:
    """Else they are as wide as the stored ranges: these hold the exact ones."""
    ranked = results.rank("made", "nDCG@10").systems
    exact = results.context(ranked[-1], "nDCG@10", baseline=ranked[3])
    pair = pw.compare_evidence(
        pw.align(MADE.judgments, MADE.runs.select([ranked[-1], ranked[3]])),
        "nDCG@10",
        draws=0,
        universe="run",
    )
    gain = exact.against("baseline")
    assert gain is not None
    assert gain.judged is not None
    assert gain.judged.kind == "exact"
    ends = pair.over("judgments")
    assert (gain.judged.low, gain.judged.high) == pytest.approx((ends.low[0], ends.high[0]))
    shutil.rmtree(files / "runs")
    stored = results.context(ranked[-1], "nDCG@10", baseline=ranked[3]).against("baseline")
    assert stored is not None
    assert stored.judged is not None
    assert stored.judged.kind == "valid"
    assert stored.judged.low <= gain.judged.low <= gain.judged.high <= stored.judged.high


@pytest.mark.parametrize("measure", MEASURES)
def test_stored_ranges_of_differences_hold_the_truth(
    results: Ledger, files: Path, measure: str
) -> None:
    """Against complete judgments, for every pair, with no ranking at hand."""
    shutil.rmtree(files / "runs")
    comparisons = results.compare(measure=measure, collection="made")
    truth = pw.evaluate(MADE.truth, MADE.runs, measure)[measure]
    means = dict(zip(truth.systems, truth.means().tolist(), strict=True))
    ranges = comparisons.over("judgments")
    for a, b, low, high in zip(comparisons.a, comparisons.b, ranges.low, ranges.high, strict=True):
        assert low - 1e-12 <= means[a] - means[b] <= high + 1e-12


def test_comparisons_are_exact_where_all_rankings_are_at_hand(results: Ledger) -> None:
    """They are those of compare over the two runs' own documents."""
    names = results.rank("made", "AP").systems[:3]
    comparisons = results.compare(names, "nDCG@10", collection="made")
    again = pw.compare_evidence(
        pw.align(MADE.judgments, MADE.runs.select(comparisons.systems)),
        "nDCG@10",
        draws=0,
        universe="run",
    )
    np.testing.assert_array_equal(comparisons.over("judgments").low, again.over("judgments").low)
    np.testing.assert_array_equal(comparisons.p_adjusted, again.p_adjusted)


def test_scores_of_others_are_tested_within_their_table(tmp_path: Path) -> None:
    """They have no ranges, are never rescored, and two tables are two versions."""
    results = pw.ledger(tmp_path / "results", make=True)
    rng = np.random.default_rng(1)
    for seed in (1, 2):
        scores = pw.ScoreTable.from_matrix(
            rng.beta(2, 3 + seed, (5, 12)),
            systems="abcde",
            topics=[str(401 + t) for t in range(12)],
            measure="AP",
        )
        pw.write_score_matrix(scores, tmp_path / f"ap{seed}.csv")
        results.add_scores(tmp_path / f"ap{seed}.csv", "AP", collection="c", **BY)
    kinds = {entry.kind for entry in results.list().entries}
    assert kinds == {"scores only"}
    assert len({entry.version for entry in results.list().entries}) == 2
    ranks = results.rank("c")
    assert len(ranks.systems) == 5
    assert results.context("a").against("median") is None
    assert "do not say which documents" in " ".join(results.context("a").sentences())


def test_rows_without_names_are_no_topics(tmp_path: Path) -> None:
    """Rows 1 to n of one matrix must not pass for topics 1 to n of another."""
    path = tmp_path / "ap.csv"
    path.write_text("a,b\n0.1,0.2\n0.3,0.4\n")
    results = pw.ledger(tmp_path / "results", make=True)
    results.add_scores(path, "AP", collection="unnamed", **BY)
    results.add_scores(path, "AP", collection="named", first_topic=401, **BY)
    assert results.tables("unnamed")[0].topics == ("row 1", "row 2")
    assert results.tables("named")[0].topics == ("401", "402")
    with pytest.raises(OptionError, match="--first-topic"):
        results.trend("AP", reference="named")


def test_a_matrix_with_a_gap_is_refused(tmp_path: Path) -> None:
    """The system and the topic are named."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,a,b\n401,0.1,0.2\n402,0.3,NA\n")
    results = pw.ledger(tmp_path / "results", make=True)
    with pytest.raises(InputError, match=r"ap\.csv: .*b has none for topic 402"):
        results.add_scores(path, "AP", collection="c")


def test_published_means_are_listed_and_never_tested(tmp_path: Path) -> None:
    """A run with several means under one name has none that counts."""
    path = tmp_path / "means.tsv"
    lines = ["conference\ttrack\tyear\trun\tmeasure\tmean"]
    lines += [f"trec8\tadhoc\t1999\tr{i}\tmap\t0.{i + 1}" for i in range(5)]
    lines += ["trec8\tadhoc\t1999\todd\tmap\t0.3", "trec8\tadhoc\t1999\todd\tmap\t0.4"]
    path.write_text("\n".join(lines) + "\n")
    results = pw.ledger(tmp_path / "results", make=True)
    assert len(results.add_means(path, original=True, **BY).runs("added")) == 6
    with pytest.raises(OptionError, match="never tested"):
        results.rank("trec8-adhoc")
    context = results.context("r1", collection="trec8-adhoc", baseline="r0")
    assert (context.weakness, context.topics) == ("weak", 0)
    assert all(np.isnan(gain.low) for gain in context.gains)
    trend = results.trend("AP")
    assert trend.columns()["runs"] == [5]
    assert "several means" in " ".join(trend.sentences())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run,mean\na,0.1\n", "column measure"),
        ("run,measure,mean,collection\na,map,x,c\n", ":2: a mean must be a finite number"),
        ("run,measure,mean,year,collection\na,map,0.1,x,c\n", ":2: a year must be"),
        ("run,measure,mean\na,map,0.1\n", "which collection"),
    ],
)
def test_wrong_means_are_refused_by_line(tmp_path: Path, content: str, message: str) -> None:
    """With the file, the line and the rule."""
    path = tmp_path / "means.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=rf"means\.csv.*{message}"):
        pw.ledger(tmp_path / "results", make=True).add_means(path)


HEADER = """# ir_metadata.start
# platform:
#   software:
#     libraries:
#       python:
#         - 'scikit-learn==0.20.1'
#         - "numpy==1.15.4"
# method:
#   automatic: 'true'
#   retrieval:
#     - name: 'bm25'
#       b: '0.4'
# actor:
#   team: 'webis'
# ir_metadata.end
"""


def test_headers_of_runs_are_read(results: Ledger, files: Path) -> None:
    """ir_metadata above the lines says who made a run, and how; what is given goes before."""
    pw.write_run(MADE.runs, MADE.runs.systems[0], files / "headed.run")
    path = files / "headed.run"
    path.write_text(HEADER + path.read_text().replace(MADE.runs.systems[0], "headed"))
    metadata = {"headed": {"group": "theirs", "year": "2003"}}
    results.add(files / "qrels.txt", path, MEASURES, collection="made", metadata=metadata, **BY)
    (record,) = (r for r in results.folder.results("made", only_version(results).name)
                 if r.run == "headed")  # fmt: skip
    assert record.metadata["automatic"] is True
    assert record.metadata["group"] == "theirs"
    assert record.metadata["year"] == 2003
    assert record.metadata["method.retrieval.b"] == "0.4"
    assert record.metadata["platform.software.libraries.python"] == [
        "scikit-learn==0.20.1",
        "numpy==1.15.4",
    ]
    assert results.check().passed


def test_names_from_anywhere_are_kept(tmp_path: Path) -> None:
    """Slashes, dots, blanks and letters of all scripts: each run has its file and reads back."""
    names = ["a/b", "..", "A b", "名前", "a:b*?", "con"]
    lists = {name: {"1": ["a"], "2": ["c"]} for name in names}
    results = pw.ledger(tmp_path / "results", make=True)
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    results.add(qrels, pw.Runs.from_rankings(lists), "RR", collection="x/y", **BY)
    assert {entry.run for entry in results.list().entries} == set(names)
    assert results.folder.collections() == ["x/y"]
    assert results.check().passed
    assert all(p.is_relative_to(tmp_path / "results") for p in results.folder.files())


def test_what_is_not_there_is_named(results: Ledger) -> None:
    """Collections, versions, measures and runs, with what there is."""
    cases = [
        (lambda: results.rank("trec9"), "'trec9' is not in .* made"),
        (lambda: results.rank("made", "RR"), "no scores by RR.*nDCG@10, AP, P@5"),
        (lambda: results.rank("made", version="ffff"), "none begins with 'ffff'"),
        (lambda: results.context("nobody"), "no result of 'nobody'"),
        (lambda: results.trend("AP", reference="made"), "no collection"),
    ]
    for call, message in cases:
        with pytest.raises(OptionError, match=message):
            call()
    with pytest.raises(InputError, match=r"nowhere: a ledger must be"):
        pw.ledger(results.folder.path.parent / "nowhere")
    assert KINDS  # another table of kinds has the short name


def test_power_goes_by_the_runs_of_a_ledger(results: Ledger) -> None:
    """As by the same scores from files."""
    (table,) = results.tables("made", ["AP"])
    again = pw.score(pw.align(MADE.judgments, MADE.runs), "AP").select(table.systems)
    one, other = (pw.workflows.plan_from_scores([t])[0] for t in (table, again))
    assert one.columns() == other.columns()


def test_a_run_under_two_names_is_read_once(results: Ledger, files: Path) -> None:
    """One file may be behind two results; both count, and the check goes on."""
    path = min(files.glob("runs/*"))
    results.add(files / "qrels.txt", path, MEASURES, collection="made", name="twin", **BY)
    check = results.check()
    assert check.passed
    assert check.recomputed == 8
    with pytest.raises(OptionError, match="it is for one run"):
        results.add(files / "qrels.txt", files / "runs", "AP", collection="made", name="x")


def test_a_run_file_gets_its_context_without_being_added(results: Ledger, files: Path) -> None:
    """The same numbers as once it is added, with exact ranges; the ledger stays as it was."""
    source = min(files.glob("runs/*"))
    (files / "new.run").write_text(source.read_text().replace(source.stem, "new"))
    before = tree(results.folder.path)
    context = results.context(str(files / "new.run"), "nDCG@10", collection="made")
    assert tree(results.folder.path) == before
    results.add(files / "qrels.txt", files / "new.run", MEASURES, collection="made", **BY)
    again = results.context("new", "nDCG@10", collection="made")
    assert repr(context.gains) == repr(again.gains)
    assert context.percentile == again.percentile
    with pytest.raises(OptionError, match="must hold one run"):
        results.context(str(source), "nDCG@10")
    (files / "qrels.txt").rename(files / "elsewhere.txt")
    (files / "new.run").write_text(source.read_text().replace(source.stem, "newer"))
    with pytest.raises(OptionError, match="not at hand"):
        results.context(str(files / "new.run"), "nDCG@10")


def test_a_comparison_has_the_level_that_is_asked_for(results: Ledger, files: Path) -> None:
    """With rankings at hand, and without."""
    for _ in range(2):
        assert results.compare(measure="AP", collection="made", alpha=0.01).alpha == 0.01
        shutil.rmtree(files / "runs", ignore_errors=True)


def test_a_ledger_says_what_it_is(results: Ledger) -> None:
    """Its one line has its folder, and how many collections are in it."""
    assert repr(results) == f"<Ledger {results.folder.path}: 1 collection>"
