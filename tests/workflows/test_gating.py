"""From files to a verdict: what is not a measurement is never a pass."""

import gzip
import json
from pathlib import Path

import pytest

import poolwise as pw
from poolwise import workflows

TOPICS = [str(t) for t in range(1, 13)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write qrels, a baseline, and a candidate that is better on every topic."""
    judged = {t: {"a": 1, "b": 1, "c": 0, "d": 0} for t in TOPICS}
    pw.write_judgments(pw.Judgments.from_dict(judged), tmp_path / "qrels")
    odd = {t: ["c", "a"] if int(t) % 3 else ["a", "c"] for t in TOPICS}
    runs = pw.Runs.from_rankings(
        {
            "old": {t: [*odd[t], "b", "d"] for t in TOPICS},
            "new": {t: list("abcd") for t in TOPICS},
        }
    )
    for system in runs.systems:
        pw.write_run(runs, system, tmp_path / f"{system}.run")
    return tmp_path


def gate(folder: Path, **options: object) -> pw.findings.Gate:
    """Gate the candidate of the folder by nDCG@3."""
    usual = {"judgments": "qrels", "baseline": "old.run", "candidate": "new.run"}
    paths = {name: folder / str(options.pop(name, path)) for name, path in usual.items()}
    return pw.gate(**paths, measures=["nDCG@3"], **options)  # type: ignore[arg-type] # named one by one


def freeze(folder: Path, measure: str = "nDCG@3", **options: object) -> Path:
    """Freeze the baseline of the folder."""
    content = workflows.freeze_baseline(folder / "qrels", folder / "old.run", measure, **options)  # type: ignore[arg-type] # as above
    (folder / "old.frozen").write_bytes(content)
    return folder / "old.frozen"


def rewrite(path: Path, old: str, new: str) -> None:
    """Replace text in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def without_topic(path: Path, topic: str) -> None:
    """Take the lines of a topic out of a run or qrels."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if line.split()[0] != topic))


def test_a_better_candidate_passes(folder: Path) -> None:
    """The right files give a verdict."""
    assert gate(folder).verdict == "pass"
    assert gate(folder, baseline="new.run", candidate="old.run").verdict == "fail"


# ---- wrong input


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_missing_topic_is_wrong_input(folder: Path, which: str) -> None:
    """Neither the baseline nor the candidate gets a 0 for a topic that never ran."""
    without_topic(folder / f"{which}.run", "7")
    with pytest.raises(
        pw.InputError, match=f"every judged topic, and {which} lacks 1 topic; .*'7'"
    ):
        gate(folder)


def test_a_topic_that_truly_has_no_results_scores_0(folder: Path) -> None:
    """If somebody says so, by a list or by a file."""
    without_topic(folder / "new.run", "7")
    (folder / "empty.txt").write_text("7\n99\n")
    for listed in (["7"], folder / "empty.txt"):
        gated = gate(folder, no_results=listed)
        assert gated.measures[0].worst[0] == "7"
        assert gated.measures[0].n == len(TOPICS)
    with pytest.raises(pw.InputError, match="lacks 1 topic"):
        gate(folder, no_results=["8"])


def test_an_empty_run_is_wrong_input(folder: Path) -> None:
    """A job that wrote nothing has not measured anything."""
    (folder / "new.run").write_text("")
    with pytest.raises(pw.InputError, match="at least one entry"):
        gate(folder)
    with pytest.raises(pw.InputError):
        pw.gate(folder / "qrels", {"new": {}}, "nDCG@3", baseline=folder / "old.run")


def test_a_run_of_other_topics_is_wrong_input(folder: Path) -> None:
    """Its topics are none of those judged."""
    run = folder / "new.run"
    run.write_text("".join(f"x{line}\n" for line in run.read_text().splitlines()))
    with pytest.raises(pw.InputError, match="new has none"):
        gate(folder)


def test_judgments_without_overlap_are_wrong_input(folder: Path) -> None:
    """Of other topics, or of documents with other ids: all scores would be 0, and unchanged."""
    text = (folder / "qrels").read_text()
    (folder / "qrels").write_text("".join(f"x{line}\n" for line in text.splitlines()))
    with pytest.raises(pw.InputError, match="each run must have a topic in common"):
        gate(folder)
    (folder / "qrels").write_text(text.replace(" 0 ", " 0 doc-"))
    with pytest.raises(pw.InputError, match="a run must hold judged documents, and old holds none"):
        gate(folder)


def test_a_candidate_with_other_ids_is_wrong_input(folder: Path) -> None:
    """Its documents are not the judged ones under another name."""
    rewrite(folder / "new.run", "Q0 ", "Q0 id-")
    with pytest.raises(pw.InputError, match=r"new\.run: a run must hold judged documents"):
        gate(folder)


def test_each_side_is_one_run(folder: Path) -> None:
    """A folder of runs is no candidate, and a run is not gated against itself."""
    (folder / "runs").mkdir()
    for name in ("old", "new"):
        (folder / f"{name}.run").rename(folder / "runs" / f"{name}.run")
    with pytest.raises(pw.PoolwiseError, match="each"):
        gate(folder, baseline="runs/old.run", candidate="runs")
    with pytest.raises(pw.PoolwiseError, match="read once"):
        gate(folder, baseline="runs/old.run", candidate="runs/old.run")


def test_runs_with_one_tag_are_told_apart_by_their_files(folder: Path) -> None:
    """Versions of one system often share a tag."""
    rewrite(folder / "old.run", " old\n", " ours\n")
    rewrite(folder / "new.run", " new\n", " ours\n")
    gated = gate(folder)
    assert (gated.baseline, gated.candidate) == ("old", "new")


def test_what_python_has_in_memory_can_be_gated() -> None:
    """Dicts and objects, as everywhere."""
    made = pw.simulate(systems=4, topics=20, depth=20, rng=1)
    old, new = (made.runs.select([name]) for name in made.runs.systems[:2])
    by_objects = pw.gate(made.judgments, new, baseline=old)
    by_dicts = pw.gate(made.judgments, new.to_dict(), baseline=old.to_dict())
    assert by_objects.columns() == by_dicts.columns()


# ---- frozen baselines


def test_a_frozen_baseline_gives_the_same_numbers(folder: Path) -> None:
    """It is a run, as deep as the measure looks, and named as it was."""
    frozen = freeze(folder)
    assert len(frozen.read_text().splitlines()) == 1 + 3 * len(TOPICS)
    plain, again = gate(folder), gate(folder, baseline="old.frozen")
    assert again.columns() == plain.columns()
    assert again.remarks == ()


def test_a_frozen_baseline_says_what_it_was_made_from(folder: Path) -> None:
    """The hashes of the run and of the judgments, and the options."""
    head = freeze(folder).read_text().splitlines()[0]
    content = json.loads(head.removeprefix("# poolwise baseline: "))
    assert content["run"]["sha256"] == pw.read_runs(folder / "old.run").sources[0].sha256
    assert content["judgments"]["sha256"] == pw.read_judgments(folder / "qrels").source.sha256
    assert content["depth"] == 3
    assert content["options"]["measures"] == ["nDCG@3"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" a 1 3 ", " z 1 3 "),
        ('"depth": 3', '"depth": 1000'),
        ('"sha256": "', '"sha256": "0'),
        ('{"poolwise"', '["poolwise"'),
        ("}\n", "\n"),
    ],
)
def test_a_changed_frozen_file_is_wrong_input(folder: Path, old: str, new: str) -> None:
    """A ranking, or what stands above it, is not what was written."""
    frozen = freeze(folder)
    rewrite(frozen, old, new)
    with pytest.raises(pw.InputError, match="must be as it was written, and this one was changed"):
        gate(folder, baseline="old.frozen")


def test_a_changed_frozen_file_is_found_however_it_is_named(folder: Path) -> None:
    """By a pattern, or compressed."""
    frozen = freeze(folder)
    (folder / "old.frozen.gz").write_bytes(gzip.compress(frozen.read_bytes()))
    assert gate(folder, baseline="old.frozen.gz").verdict == "pass"
    rewrite(frozen, " a 1 3 ", " z 1 3 ")
    (folder / "old.frozen.gz").write_bytes(gzip.compress(frozen.read_bytes()))
    for name in ("old.frozen.gz", "old.froze*n"):
        with pytest.raises(pw.InputError, match="this one was changed"):
            gate(folder, baseline=name)


def test_other_ends_of_lines_are_no_change(folder: Path) -> None:
    """As git writes them on some systems."""
    frozen = freeze(folder)
    frozen.write_bytes(frozen.read_bytes().replace(b"\n", b"\r\n"))
    assert gate(folder, baseline="old.frozen").verdict == "pass"


def test_new_judgments_rescore_both_sides_and_say_so(folder: Path) -> None:
    """The frozen file keeps rankings, not scores."""
    freeze(folder)
    before = gate(folder, baseline="old.frozen")
    rewrite(folder / "qrels", " c 0", " c 1")
    after = gate(folder, baseline="old.frozen")
    assert str(after.columns()) == str(gate(folder).columns())
    assert after.measures[0].means != before.measures[0].means
    assert "both runs were scored anew" in after.sentences()[-1]


@pytest.mark.parametrize("measure", ["nDCG@4", "nDCG", "RBP(p=0.8)"])
def test_a_deeper_measure_than_the_frozen_rankings_is_wrong_input(
    folder: Path, measure: str
) -> None:
    """Ranks that were not kept are not empty."""
    frozen = freeze(folder)
    with pytest.raises(pw.InputError, match="must be as deep as the measures"):
        pw.gate(folder / "qrels", folder / "new.run", measure, baseline=frozen)
    deep = freeze(folder, measure)
    assert pw.gate(folder / "qrels", folder / "new.run", measure, baseline=deep).verdict == "pass"


def test_a_universe_that_looks_deeper_freezes_deeper(folder: Path) -> None:
    """Ranges over more documents need them."""
    frozen = freeze(folder)
    with pytest.raises(pw.InputError, match="which look at 4 ranks; got 3"):
        gate(folder, baseline="old.frozen", universe_depth=4)
    assert freeze(folder, universe_depth=4) == frozen
    assert gate(folder, baseline="old.frozen", universe_depth=4).verdict == "pass"


def test_a_wrong_baseline_is_not_frozen(folder: Path) -> None:
    """What could not be gated later is refused now."""
    without_topic(folder / "old.run", "7")
    with pytest.raises(pw.InputError, match="old lacks 1 topic"):
        freeze(folder)


def test_many_small_losses_do_not_add_up_behind_an_anchor() -> None:
    """Each of twenty releases passes at half the margin; the anchor stops them before twice it."""
    margin, topics = 0.02, [str(t) for t in range(50)]
    qrels = pw.Judgments.from_dict({t: {f"r{i}": 1 for i in range(100)} | {"n": 0} for t in topics})

    def release(k: int) -> pw.Runs:
        # P@100 falls by 0.01, half the margin, with each release.
        kept = [*(f"r{i}" for i in range(100 - k)), *(f"u{k}-{i}" for i in range(k))]
        return pw.Runs.from_rankings({f"v{k}": dict.fromkeys(topics, kept)})

    stopped = None
    for k in range(1, 21):
        options = {"margin": margin, "baseline": release(k - 1)}
        alone = pw.gate(qrels, release(k), "P@100", **options)
        assert alone.verdict == "pass"
        held = pw.gate(qrels, release(k), "P@100", anchor=release(0), looks=k, **options)
        (lost,) = held.columns()["since_anchor"]
        assert lost == pytest.approx(-0.01 * k)
        # From one margin on it does not pass, and soon it is clear that more was lost.
        assert (held.verdict == "pass") == (0.01 * k < margin)
        if held.verdict == "fail":
            stopped = (k, held)
            break
    assert stopped is not None
    k, held = stopped
    assert 0.01 * k < 2 * margin
    assert held.line.startswith("Fail: v3 is worse than v0 by more than 0.02 in P@100")
    assert "over 3 looks at these topics" in held.sentences()[1]


def test_more_looks_widen_the_limits_against_the_anchor() -> None:
    """The limits of ten looks are those of a tenth of alpha, and of the anchor alone."""
    made = pw.simulate(systems=4, topics=40, depth=30, rng=1)
    old, mid, new = (made.runs.select([name]) for name in ("bm25-1", "bm25-2", "bm25-3"))
    once, often = (
        pw.gate(made.judgments, new, baseline=mid, anchor=old, looks=looks) for looks in (1, 10)
    )
    direct = pw.gate(made.judgments, new, baseline=old, alpha=0.005)
    assert often.since is not None
    assert once.since is not None
    assert often.columns()["since_low"] == direct.columns()["low"]
    assert often.columns()["since_low"] < once.columns()["since_low"]
    assert often.columns()["low"] == once.columns()["low"]
    with pytest.raises(pw.OptionError, match="looks: must be 1 or more; got 0"):
        pw.gate(made.judgments, new, baseline=mid, anchor=old, looks=0)
