"""Every byte that trec_eval 9.0.8 and 10.0 printed for real runs, and the rules behind them."""

import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytrec_eval_ext import RelevanceEvaluator

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.views import trec_eval_lines
from poolwise.workflows import TrecEvalOptions, trec_eval, trec_eval_scores
from poolwise.workflows._inputs import as_evidence

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "judged-first-100": {"judged_only": True, "depth": 100},
    "level-2": {"rel": 2},
    "complete": {"complete": True},
}
WRONG_IN_10 = ("rbp ", "rbp_resid ")
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}}


def lines_of(judgments: Any, run: Any, *measures: str, **options: Any) -> list[str]:
    """Return what is printed, blanks and tabs as one space."""
    evaluation = trec_eval(judgments, run, measures=measures or ("official",), **options)
    return [" ".join(line.split()) for line in trec_eval_lines(evaluation)]


def every_second_topic(path: Path, folder: Path) -> Path:
    """Write the run without every second of its topics, as the recorded half runs were."""
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines if line.strip()})[::2]
    kept = folder / f"{path.stem}.half"
    kept.write_bytes(b"".join(line for line in lines if line.split() and line.split()[0] in topics))
    return kept


def recorded(data_dir: Path) -> list[Path]:
    """Return the files of recorded output, or skip."""
    files = sorted((data_dir / "trec_eval-output").glob("*.gz"))
    if not files:
        pytest.skip(f"no recorded output of trec_eval in {data_dir}")
    return files


@pytest.mark.parametrize("version", ["9", "10"])
def test_every_byte_is_that_of_trec_eval(data_dir: Path, tmp_path: Path, version: str) -> None:
    """All measures, topics and means of nine runs, under four sets of options, in order."""

    @cache
    def grades_of(collection: str, run: str, variant: str) -> pw.Grades:
        folder = data_dir / collection
        path = folder / "runs" / f"{run}.gz"
        path = every_second_topic(path, tmp_path) if variant == "half" else path
        ties = "trec_eval9" if version == "9" else "trec_eval"
        return as_evidence(folder / "qrels.gz", path, reading=pw.Reading(ties=ties, names="tag"))

    for path in recorded(data_dir):
        *run, options, printed = path.name.removesuffix(".gz").split(".")
        if printed == f"v{version}":
            wanted = TrecEvalOptions(
                ("all_trec",), per_topic=True, like=version, **OPTIONS[options]
            )
            ours = trec_eval_lines(trec_eval_scores(grades_of(*run), wanted))
            theirs = gzip.decompress(path.read_bytes()).decode("latin-1").splitlines()
            assert without_rbp(ours) == without_rbp(theirs), path.name


def without_rbp(lines: Iterable[str]) -> list[str]:
    """Leave out what version 10 computes wrongly."""
    return [line for line in lines if not line.startswith(WRONG_IN_10)]


def test_lists_are_cut_before_unjudged_documents_go() -> None:
    """The first two documents hold one judged one: `-M 2 -J` leaves that, not two."""
    run = {"x": {"1": {"u": 4.0, "a": 3.0, "c": 2.0}}}
    assert lines_of(QRELS, run, "num_ret", judged_only=True, depth=2) == ["num_ret all 1"]


def test_a_list_without_a_judged_document_has_no_interpolated_precision() -> None:
    """trec_eval divides 0 by 0 there, and prints what C prints for it."""
    run = {"x": {"1": {"u": 1.0}}}
    printed = lines_of(QRELS, run, "iprec_at_recall.0,1", "11pt_avg", judged_only=True)
    assert printed == [
        "iprec_at_recall_0.00 all -nan",
        "iprec_at_recall_1.00 all 0.0000",
        "11pt_avg all -nan",
    ]


def test_means_are_sums_in_the_order_of_topics() -> None:
    """A mean that ties at the fifth decimal is printed as the plain sum from the left rounds."""
    counts = [22, 27, 31, 37, 19, 20, 21, 38, 11, 22, 6, 19, 38, 26, 17, 39, 26, 38, 5, 21]
    left_to_right = 0.0
    for count in counts:
        left_to_right += count / 1000
    qrels = {f"{t:02}": {f"d{i}": 1 for i in range(40)} for t in range(20)}
    run = {f"{t:02}": {f"d{i}": float(-i) for i in range(count)} for t, count in enumerate(counts)}
    assert f"{left_to_right / 20:.4f}" != f"{np.mean(np.array(counts) / 1000):.4f}"
    assert lines_of(qrels, {"x": run}, "P.1000") == [f"P_1000 all {left_to_right / 20:.4f}"]


def test_levels_without_a_relevant_document_leave_rndcg_0() -> None:
    """`-l 2`: topic 2 holds no grade of 2, so its Rndcg is 0, whatever its nDCG."""
    run = {"x": {"1": {"c": 2.0}, "2": {"d": 1.0}}}
    printed = lines_of(QRELS, run, "Rndcg", rel=2, per_topic=True, like="9")
    assert printed[1] == "Rndcg 2 0.0000"
    assert lines_of(QRELS, run, "Rndcg", per_topic=True)[1] == "Rndcg 2 1.0000"


@pytest.mark.parametrize("like", ["9", "10"])
def test_complete_counts_every_grade_above_0_as_relevant(like: str) -> None:
    """`-c -l 2` totals num_rel over grades from 1 on, a fault of trec_eval that is kept."""
    run = {"x": {"1": {"c": 1.0}, "2": {"d": 1.0}}}
    assert lines_of(QRELS, run, "num_rel", rel=2, complete=True, like=like) == ["num_rel all 3"]
    assert lines_of(QRELS, run, "num_rel", rel=2, like=like) == ["num_rel all 1"]


@pytest.mark.parametrize(("like", "topics"), [("9", ["1"]), ("10", ["1", "2"])])
def test_version_10_prints_missing_topics_when_complete(like: str, topics: list[str]) -> None:
    """`-q -c` prints lines of 0 for topics that the run lacks in 10, and none in 9."""
    run = {"x": {"1": {"c": 1.0}}}
    printed = lines_of(QRELS, run, "map", complete=True, per_topic=True, like=like)
    assert [line.split()[1] for line in printed] == [*topics, "all"]
    assert printed[-1] == "map all 0.2500"


@pytest.mark.parametrize(("like", "mean"), [("9", "1.0000"), ("10", "0.5000")])
def test_missing_topics_have_no_distance_in_version_9(tmp_path: Path, like: str, mean: str) -> None:
    """`-c -Z`: in 9 a topic that the run lacks adds 0, in 10 the distance of a score of 0."""
    (tmp_path / "z").write_text("1 map 0.1 0.2\n2 map 0.1 0.1\n")
    run = {"x": {"1": {"c": 1.0}}}
    reading = {"complete": True, "like": like, "references": str(tmp_path / "z")}
    assert lines_of(QRELS, run, "map", **reading) == [f"Zmap all {mean}"]


@pytest.mark.parametrize(
    "measure",
    [
        *("ndcg.1=3,2=9", "ndcg.1=9,2=3", "G.1=3", "Rndcg.0=2,2=5", "ndcg_rel.1=4", "set_F.0.5"),
        *("11pt_avg.0.1,0.5", "utility.2,-1,0,0"),
    ],
)
@pytest.mark.parametrize("judged_only", [False, True])
def test_parameters_do_what_they_do_there(measure: str, *, judged_only: bool) -> None:
    """Gains of grades, levels of recall and weights give the numbers of trec_eval 9.0.8."""
    rng = np.random.default_rng(7)
    documents = [f"d{i:02}" for i in range(15)]
    # A topic without a relevant document would leave trec_eval's counts of another topic in use.
    qrels = {
        str(t): {d: int(rng.integers(-1, 4)) for d in rng.permutation(documents)[:9].tolist()}
        | {"d00": 1}
        for t in range(20)
    }
    run = {
        str(t): {d: float(rng.integers(0, 6)) for d in rng.permutation(documents)[:8].tolist()}
        for t in range(20)
    }
    theirs = RelevanceEvaluator(qrels, {measure}, 1, judged_only).evaluate(run)
    evaluation = trec_eval(
        qrels, {"x": run}, measures=(measure,), like="9", judged_only=judged_only
    )
    assert evaluation.measures[0].name == measure.replace(".", "_", 1)
    expected = [next(iter(theirs[topic].values())) for topic in evaluation.topics]
    assert list(evaluation.measures[0].values) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_grades_and_levels_are_cut_to_integers() -> None:
    """Grade 1.9 counts as 1, and `-l 1.5` as `-l 1`."""
    qrels = {"1": {"a": 1.9, "b": 0.9}}
    run = {"x": {"1": {"b": 2.0, "a": 1.0}}}
    printed = lines_of(qrels, run, "num_rel", "map", "relstring", rel=1.5, per_topic=True)
    assert printed[:3] == ["num_rel 1 1", "map 1 0.5000", "relstring 1 '01'"]


@pytest.mark.parametrize("measure", ["rbp", "rbp_resid", "unj.5"])
def test_measures_of_version_10_are_unknown_to_9(measure: str) -> None:
    """Asked for by name, what only 10 knows is an error of 9; in a list it is left out."""
    run = {"x": {"1": {"a": 1.0}}}
    with pytest.raises(OptionError, match="is not a measure of trec_eval 9"):
        lines_of(QRELS, run, measure, like="9")
    assert not any(line.startswith(measure) for line in lines_of(QRELS, run, "all_trec", like="9"))


@pytest.mark.parametrize("measure", ["ndcg.1", "ndcg.1=-3", "set_F.x", "11pt_avg.a", "P.x"])
def test_unreadable_parameters_are_refused(measure: str) -> None:
    """The error repeats the parameters, and the hint is a form that works."""
    with pytest.raises(OptionError, match="Hint: write") as refused:
        lines_of(QRELS, {"x": {"1": {"a": 1.0}}}, measure)
    hint = str(refused.value).partition("Hint: write ")[2].removesuffix(".")
    assert lines_of(QRELS, {"x": {"1": {"a": 1.0}}}, hint)


def test_single_precision_ties_only_in_version_9() -> None:
    """Scores that differ past single precision tie in 9, and then the later id comes first."""
    run = {"x": {"1": {"a": 1.00000001, "b": 1.0}}}
    assert lines_of(QRELS, run, "recip_rank", like="9") == ["recip_rank all 0.5000"]
    assert lines_of(QRELS, run, "recip_rank", like="10") == ["recip_rank all 1.0000"]


def test_mapping_grades_keeps_the_kinds_of_unknown() -> None:
    """Other values for the grades leave unjudged, pooled and missing documents as they are."""
    judgments = pw.Judgments.from_dict({"1": {"a": 2, "p": -1}})
    grades = pw.align(judgments, pw.Runs.from_rankings({"x": {"1": ["a", "p", "u"]}}))
    mapped = pw.evidence.map_grades(grades, lambda scale: scale + 1)
    assert mapped.blocks[0].codes.tolist() == grades.blocks[0].codes.tolist()
    assert mapped.scale.tolist() == [1.0, 3.0]


def test_version_10_scores_a_missing_topic_by_one_unjudged_document() -> None:
    """`-q -c`: names without parameters are set to 0, and others keep what the document gives.

    trec_eval 10 compares the printed name: utility_1,-1,-2,0.5 of topic 2, where R = 1 and N = 10,
    is −1 − 2·1 + 0.5·(10 − 1 − 1) = 1; that of topic 1 is 1 − 2·1 + 0.5·(10 − 2) = 3.
    """
    run = {"x": {"1": {"c": 1.0}}}
    measures = ("num_ret", "relstring.5", "utility", "unj.5", "P.5", "set_P")
    how = {"complete": True, "per_topic": True, "like": "10"}
    lines = lines_of(QRELS, run, *measures, **how)
    of_missing = [line for line in lines if line.split()[1] == "2"]
    assert of_missing == [
        *("num_ret 2 0", "P_5 2 0.0000", "relstring_5 2 '-'", "utility 2 0.0000"),
        *("set_P 2 0.0000", "unj_5 2 0.0000"),
    ]
    assert "relstring 2 ''" in lines_of(QRELS, run, "relstring", **how)
    weighed = lines_of(QRELS, run, "utility.1,-1,-2,0.5", collection_size=10, **how)
    assert weighed[1:] == ["utility_1,-1,-2,0.5 2 1.0000", "utility_1,-1,-2,0.5 all 2.0000"]
    # -J drops the document.
    judged = lines_of(QRELS, run, "relstring.5", "iprec_at_recall.0", judged_only=True, **how)
    assert [line for line in judged if " 2 " in line] == [
        *("iprec_at_recall_0.00 2 -nan", "relstring_5 2 ''")
    ]
    # Version 9 adds nothing for it.
    nine = lines_of(QRELS, run, "utility.1,-1,-2,0.5", complete=True, collection_size=10, like="9")
    assert nine == ["utility_1,-1,-2,0.5 all 1.5000"]


@pytest.mark.parametrize("like", ["9", "10"])
def test_level_0_counts_every_judged_document_as_relevant(like: str) -> None:
    """`-l 0`; oracle: pytrec_eval, which takes no level 0, on grades that are one higher."""
    qrels = {"1": {"a": 1, "b": 0, "c": 2, "p": -1}}
    run = {"1": {"u": 5.0, "b": 4.0, "p": 3.0, "c": 2.0, "a": 1.0}}
    higher = {"1": {d: g + 1 if g >= 0 else g for d, g in qrels["1"].items()}}
    names = ("map", "P_5", "Rprec", "bpref", "recip_rank", "set_recall", "num_rel_ret", "infAP")
    asked = {name.replace("_5", ".5") for name in names}
    theirs = RelevanceEvaluator(higher, asked).evaluate(run)["1"]
    evaluation = trec_eval(qrels, {"x": run}, measures=names, rel=0, like=like)
    ours = {measure.name: measure.values[0] for measure in evaluation.measures}
    assert ours == pytest.approx({name: theirs[name] for name in names})
    # Gains are those of the grades, whatever the level.
    plain = RelevanceEvaluator(qrels, {"ndcg"}).evaluate(run)["1"]["ndcg"]
    (gained,) = trec_eval(qrels, {"x": run}, measures=("ndcg",), rel=0, like=like).measures
    assert gained.values[0] == pytest.approx(plain)


def test_no_rank_at_all_leaves_nothing() -> None:
    """`-M 0` cuts every list to nothing; its topics are still answered."""
    run = {"x": {"1": {"c": 1.0}, "2": {"d": 1.0}}}
    assert lines_of(QRELS, run, "num_q", "num_ret", "map", "P.5", depth=0) == [
        *("num_q all 2", "num_ret all 0", "map all 0.0000", "P_5 all 0.0000")
    ]
